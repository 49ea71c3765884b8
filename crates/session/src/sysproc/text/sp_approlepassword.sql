CREATE PROCEDURE sys.sp_approlepassword (@rolename sysname, @newpwd sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'ALTER APPLICATION ROLE ' + QUOTENAME(@rolename)
  + N' WITH PASSWORD = N''' + REPLACE(ISNULL(@newpwd, ''), '''', '''''') + N''''
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
