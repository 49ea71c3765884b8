CREATE PROCEDURE sys.$name$ (
  @table_name nvarchar(384),
  @table_owner nvarchar(384) = NULL,
  @table_qualifier sysname = NULL,
  @column_name nvarchar(384) = NULL,
  $scope$
  @ODBCVer int = 2,
  @fUsePattern bit = 1
) AS
SET NOCOUNT ON
IF @table_qualifier IS NOT NULL AND DB_NAME() <> @table_qualifier
BEGIN
  IF @table_qualifier = ''
    SELECT @table_name = '', @table_owner = ''
  ELSE
  BEGIN
    RAISERROR (15250, -1, -1)
    RETURN 1
  END
END
SELECT
  DB_NAME() AS TABLE_QUALIFIER,
  n.name AS TABLE_OWNER,
  o.name AS TABLE_NAME,
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
  CONVERT(smallint, s.radix) AS RADIX,
  CONVERT(smallint, c.is_nullable) AS NULLABLE,
  CONVERT(varchar(254), NULL) AS REMARKS,
  CONVERT(nvarchar(4000), f.definition) AS COLUMN_DEF,
  CONVERT(smallint, CASE
    WHEN '$legacy$' = '1' AND c.system_type_id IN (40, 41, 42, 43) THEN d.legacy
    ELSE d.sql_type END) AS SQL_DATA_TYPE,
  CONVERT(smallint, CASE
    WHEN '$legacy$' = '1' AND c.system_type_id IN (40, 41, 42, 43) THEN NULL
    ELSE d.subcode END) AS SQL_DATETIME_SUB,
  CONVERT(int, s.octets) AS CHAR_OCTET_LENGTH,
  CONVERT(int, c.column_id) AS ORDINAL_POSITION,
  CONVERT(varchar(254), CASE c.is_nullable WHEN 1 THEN 'YES' ELSE 'NO' END) AS IS_NULLABLE,
  $extra$
  CONVERT(tinyint, CASE c.is_nullable WHEN 1 THEN d.ss_nullable ELSE d.ss_required END)
    AS SS_DATA_TYPE
FROM sys.all_objects AS o
JOIN sys.schemas AS n ON n.schema_id = o.schema_id
JOIN sys.all_columns AS c ON c.object_id = o.object_id
JOIN sys.types AS t ON t.user_type_id = c.user_type_id
JOIN $types$ ON d.system_type_id = c.system_type_id
$shape$
LEFT JOIN sys.default_constraints AS f ON f.object_id = c.default_object_id
WHERE o.type IN ('U', 'V', 'S', 'TF', 'IF')
  AND (@table_name IS NULL OR o.name = @table_name
    OR @fUsePattern = 1 AND o.name LIKE @table_name ESCAPE '\')
  AND (@table_owner IS NULL OR n.name = @table_owner
    OR @fUsePattern = 1 AND n.name LIKE @table_owner ESCAPE '\')
  AND (@column_name IS NULL OR c.name = @column_name
    OR @fUsePattern = 1 AND c.name LIKE @column_name ESCAPE '\')
ORDER BY 1, 2, 3, 17
