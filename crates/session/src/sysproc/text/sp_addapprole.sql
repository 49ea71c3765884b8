CREATE PROCEDURE sys.sp_addapprole (@rolename sysname, @password sysname) AS
SET NOCOUNT ON
DECLARE @text nvarchar(max) = N'CREATE APPLICATION ROLE ' + QUOTENAME(@rolename)
  + N' WITH PASSWORD = N''' + REPLACE(ISNULL(@password, ''), '''', '''''') + N''''
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
