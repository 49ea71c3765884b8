CREATE PROCEDURE sys.sp_fkeys (
  @pktable_name sysname = NULL, @pktable_owner sysname = NULL, @pktable_qualifier sysname = NULL,
  @fktable_name sysname = NULL, @fktable_owner sysname = NULL, @fktable_qualifier sysname = NULL
) AS
SET NOCOUNT ON
IF @pktable_name IS NULL AND @fktable_name IS NULL
BEGIN
  RAISERROR (15252, -1, -1)
  RETURN 1
END
IF @pktable_qualifier <> DB_NAME() OR @fktable_qualifier <> DB_NAME()
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
SELECT
  DB_NAME() AS PKTABLE_QUALIFIER,
  ps.name AS PKTABLE_OWNER,
  p.name AS PKTABLE_NAME,
  pc.name AS PKCOLUMN_NAME,
  DB_NAME() AS FKTABLE_QUALIFIER,
  fs.name AS FKTABLE_OWNER,
  f.name AS FKTABLE_NAME,
  fc.name AS FKCOLUMN_NAME,
  CONVERT(smallint, k.constraint_column_id) AS KEY_SEQ,
  CONVERT(smallint, CASE r.update_referential_action
    WHEN 1 THEN 0 WHEN 0 THEN 1 ELSE r.update_referential_action END) AS UPDATE_RULE,
  CONVERT(smallint, CASE r.delete_referential_action
    WHEN 1 THEN 0 WHEN 0 THEN 1 ELSE r.delete_referential_action END) AS DELETE_RULE,
  r.name AS FK_NAME,
  i.name AS PK_NAME,
  CONVERT(smallint, 7) AS DEFERRABILITY
FROM sys.foreign_keys AS r
JOIN sys.foreign_key_columns AS k ON k.constraint_object_id = r.object_id
JOIN sys.tables AS p ON p.object_id = r.referenced_object_id
JOIN sys.schemas AS ps ON ps.schema_id = p.schema_id
JOIN sys.columns AS pc ON pc.object_id = p.object_id AND pc.column_id = k.referenced_column_id
JOIN sys.tables AS f ON f.object_id = r.parent_object_id
JOIN sys.schemas AS fs ON fs.schema_id = f.schema_id
JOIN sys.columns AS fc ON fc.object_id = f.object_id AND fc.column_id = k.parent_column_id
LEFT JOIN sys.indexes AS i ON i.object_id = p.object_id AND i.index_id = r.key_index_id
WHERE (@pktable_name IS NULL OR p.name = @pktable_name)
  AND (@pktable_owner IS NULL OR ps.name = @pktable_owner)
  AND (@fktable_name IS NULL OR f.name = @fktable_name)
  AND (@fktable_owner IS NULL OR fs.name = @fktable_owner)
ORDER BY CASE WHEN @fktable_name IS NULL THEN fs.name ELSE ps.name END,
  CASE WHEN @fktable_name IS NULL THEN f.name ELSE p.name END, r.name, 9
