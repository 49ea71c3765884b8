CREATE PROCEDURE sys.sp_helplogins (@LoginNamePattern sysname = NULL) AS
SET NOCOUNT ON
SELECT name AS LoginName, sid AS SID, default_database_name AS DefDBName,
  default_language_name AS DefLangName, CONVERT(char(5), 'yes') AS AUser, CONVERT(char(7), 'no') AS ARemote
FROM sys.server_principals
WHERE type IN ('S', 'U', 'G') AND (@LoginNamePattern IS NULL OR name = @LoginNamePattern) ORDER BY 1
SELECT p.name AS LoginName, DB_NAME() AS DBName, u.name AS UserName, CONVERT(char(8), 'User') AS UserOrAlias
FROM sys.server_principals AS p JOIN sys.database_principals AS u ON u.sid = p.sid
WHERE p.type IN ('S', 'U', 'G') AND (@LoginNamePattern IS NULL OR p.name = @LoginNamePattern) ORDER BY 1
