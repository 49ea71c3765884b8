CREATE PROCEDURE sys.sp_table_privileges (
  @table_name nvarchar(384), @table_owner nvarchar(384) = NULL, @table_qualifier sysname = NULL,
  @fUsePattern bit = 1
) AS
SET NOCOUNT ON
IF @table_qualifier IS NOT NULL AND DB_NAME() <> @table_qualifier
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
SELECT
  DB_NAME() AS TABLE_QUALIFIER, s.name AS TABLE_OWNER, o.name AS TABLE_NAME,
  g.grantor AS GRANTOR, g.grantee AS GRANTEE, CONVERT(varchar(32), g.privilege) AS PRIVILEGE,
  CONVERT(varchar(3), g.grantable) AS IS_GRANTABLE
FROM sys.all_objects AS o
JOIN sys.schemas AS s ON s.schema_id = o.schema_id
CROSS APPLY (
  SELECT CONVERT(sysname, 'dbo') AS grantor, CONVERT(sysname, 'dbo') AS grantee, p.name AS privilege,
    'YES' AS grantable
  FROM (VALUES ('DELETE'), ('INSERT'), ('REFERENCES'), ('SELECT'), ('UPDATE')) AS p (name)
  UNION ALL
  SELECT USER_NAME(d.grantor_principal_id), USER_NAME(d.grantee_principal_id), d.permission_name,
    CASE d.state WHEN 'W' THEN 'YES' ELSE 'NO' END
  FROM sys.database_permissions AS d
  WHERE d.class = 1 AND d.major_id = o.object_id AND d.minor_id = 0 AND d.state IN ('G', 'W')
    AND d.permission_name IN ('DELETE', 'INSERT', 'REFERENCES', 'SELECT', 'UPDATE')
) AS g
WHERE o.type IN ('U', 'V')
  AND (o.name = @table_name OR @fUsePattern = 1 AND o.name LIKE @table_name ESCAPE '\')
  AND (@table_owner IS NULL OR s.name = @table_owner
    OR @fUsePattern = 1 AND s.name LIKE @table_owner ESCAPE '\')
ORDER BY 1, 2, 3, 6, 5
