CREATE PROCEDURE sys.sp_helprole (@rolename sysname = NULL) AS
SET NOCOUNT ON
IF @rolename IS NOT NULL AND NOT EXISTS (
  SELECT * FROM sys.database_principals WHERE name = @rolename AND type = 'R')
BEGIN
  RAISERROR (15409, -1, -1, @rolename)
  RETURN 1
END
SELECT name AS RoleName, CONVERT(smallint, principal_id) AS RoleId, CONVERT(int, 0) AS IsAppRole
FROM sys.database_principals WHERE type = 'R' AND (@rolename IS NULL OR name = @rolename)
ORDER BY principal_id
