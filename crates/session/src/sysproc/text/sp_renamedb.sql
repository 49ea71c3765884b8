CREATE PROCEDURE sys.sp_renamedb (@dbname sysname, @newname sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER DATABASE ' + QUOTENAME(@dbname) + N' MODIFY NAME = '
  + QUOTENAME(@newname)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
