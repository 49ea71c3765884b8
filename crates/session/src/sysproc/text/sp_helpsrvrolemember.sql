CREATE PROCEDURE sys.sp_helpsrvrolemember (@srvrolename sysname = NULL) AS
SET NOCOUNT ON
SELECT r.name AS ServerRole, u.name AS MemberName, u.sid AS MemberSID
FROM sys.server_role_members AS m
JOIN sys.server_principals AS r ON r.principal_id = m.role_principal_id
JOIN sys.server_principals AS u ON u.principal_id = m.member_principal_id
WHERE @srvrolename IS NULL OR r.name = @srvrolename ORDER BY 1, 2
