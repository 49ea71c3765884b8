CREATE PROCEDURE sys.sp_attach_single_file_db (@dbname sysname, @physname nvarchar(260)) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE DATABASE ' + QUOTENAME(@dbname)
  + N' ON (FILENAME = N''' + REPLACE(@physname, '''', '''''') + N''') FOR ATTACH'
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
