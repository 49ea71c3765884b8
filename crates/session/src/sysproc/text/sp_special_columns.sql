CREATE PROCEDURE sys.$name$ (
  @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL,
  @col_type char(1) = 'R', @scope char(1) = 'T', @nullable char(1) = 'U', @ODBCVer int = 2
) AS
SET NOCOUNT ON
IF @col_type NOT IN ('R', 'V')
BEGIN
  RAISERROR (15251, -1, -1, 'col_type', '''R'' or ''V''')
  RETURN 1
END
IF @table_qualifier IS NOT NULL AND DB_NAME() <> @table_qualifier
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
DECLARE @object int = CASE WHEN @table_owner IS NULL THEN OBJECT_ID(QUOTENAME(@table_name))
  ELSE OBJECT_ID(QUOTENAME(@table_owner) + '.' + QUOTENAME(@table_name)) END
-- The key is the primary key, or else the unique index that comes first.
DECLARE @index int = (
  SELECT TOP (1) i.index_id FROM sys.indexes AS i
  WHERE i.object_id = @object AND i.is_unique = 1 AND i.has_filter = 0
    AND (@nullable = 'U' OR NOT EXISTS (
      SELECT * FROM sys.index_columns AS k
      JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
      WHERE k.object_id = i.object_id AND k.index_id = i.index_id AND c.is_nullable = 1))
  ORDER BY i.is_primary_key DESC, i.index_id)
SELECT
  CONVERT(smallint, CASE @col_type WHEN 'R' THEN CASE @scope WHEN 'C' THEN 0 ELSE 1 END END)
    AS SCOPE,
  c.name AS COLUMN_NAME,
  CONVERT(smallint, CASE
    WHEN '$legacy$' = '1' AND c.system_type_id IN (40, 41, 42, 43) THEN d.legacy
    WHEN @ODBCVer >= 3 THEN d.odbc3 ELSE d.odbc2 END) AS DATA_TYPE,
  CONVERT(sysname, CASE
    WHEN c.is_identity = 0 THEN t.name
    WHEN c.system_type_id IN (106, 108) THEN t.name + '() identity'
    ELSE t.name + ' identity' END) AS TYPE_NAME,
  CONVERT(int, s.precision) AS [PRECISION],
  CONVERT(int, s.length) AS LENGTH,
  CONVERT(smallint, s.scale) AS SCALE,
  CONVERT(smallint, 1) AS PSEUDO_COLUMN
FROM sys.columns AS c
JOIN sys.types AS t ON t.user_type_id = c.user_type_id
JOIN $types$ ON d.system_type_id = c.system_type_id
$shape$
LEFT JOIN sys.index_columns AS k ON k.object_id = c.object_id AND k.index_id = @index
  AND k.column_id = c.column_id AND k.is_included_column = 0
WHERE c.object_id = @object
  AND (@col_type = 'R' AND k.key_ordinal IS NOT NULL OR @col_type = 'V' AND c.system_type_id = 189)
ORDER BY k.key_ordinal, c.column_id
