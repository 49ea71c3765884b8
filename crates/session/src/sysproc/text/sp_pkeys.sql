CREATE PROCEDURE sys.sp_pkeys (
  @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL
) AS
SET NOCOUNT ON
IF @table_qualifier IS NOT NULL AND DB_NAME() <> @table_qualifier
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
SELECT
  DB_NAME() AS TABLE_QUALIFIER,
  s.name AS TABLE_OWNER,
  t.name AS TABLE_NAME,
  c.name AS COLUMN_NAME,
  CONVERT(smallint, k.key_ordinal) AS KEY_SEQ,
  i.name AS PK_NAME
FROM sys.tables AS t
JOIN sys.schemas AS s ON s.schema_id = t.schema_id
JOIN sys.indexes AS i ON i.object_id = t.object_id AND i.is_primary_key = 1
JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
WHERE t.name = @table_name AND (s.name = @table_owner
  OR @table_owner IS NULL AND t.object_id = OBJECT_ID(QUOTENAME(@table_name)))
ORDER BY 1, 2, 3, 5
