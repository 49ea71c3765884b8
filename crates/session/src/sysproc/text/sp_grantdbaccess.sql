CREATE PROCEDURE sys.sp_grantdbaccess (@loginame sysname, @name_in_db sysname = NULL) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE USER ' + QUOTENAME(ISNULL(@name_in_db, @loginame))
  + N' FOR LOGIN ' + QUOTENAME(@loginame)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
