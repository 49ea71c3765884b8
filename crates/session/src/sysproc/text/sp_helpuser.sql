CREATE PROCEDURE sys.sp_helpuser (@name_in_db sysname = NULL) AS
SET NOCOUNT ON
IF @name_in_db IS NOT NULL AND USER_ID(@name_in_db) IS NULL
BEGIN
  RAISERROR (15198, -1, -1, @name_in_db)
  RETURN 1
END
SELECT u.name AS UserName, ISNULL(r.name, 'public') AS RoleName, SUSER_SNAME(u.sid) AS LoginName,
  CONVERT(sysname, NULL) AS DefDBName, u.default_schema_name AS DefSchemaName,
  CONVERT(char(10), u.principal_id) AS UserID, u.sid AS SID
FROM sys.database_principals AS u
LEFT JOIN sys.database_role_members AS m ON m.member_principal_id = u.principal_id
LEFT JOIN sys.database_principals AS r ON r.principal_id = m.role_principal_id
WHERE u.type <> 'R' AND (@name_in_db IS NULL OR u.name = @name_in_db)
ORDER BY 1
