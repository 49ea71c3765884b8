CREATE PROCEDURE sys.sp_addrolemember (@rolename sysname, @membername sysname) AS
SET NOCOUNT ON
IF NOT EXISTS (SELECT * FROM sys.database_principals WHERE name = @rolename AND type = 'R')
BEGIN
  RAISERROR (15014, -1, -1, @rolename)
  RETURN 1
END
IF NOT EXISTS (SELECT * FROM sys.database_principals WHERE name = @membername)
BEGIN
  RAISERROR (15410, -1, -1, @membername)
  RETURN 1
END
DECLARE @text nvarchar(max) = N'ALTER ROLE ' + QUOTENAME(@rolename) + N' ADD MEMBER '
  + QUOTENAME(@membername)
EXEC (@text)
IF @@ERROR <> 0 RETURN 1
