CREATE PROCEDURE sys.$name$ (
  @table_name sysname, @table_owner sysname = NULL, @table_qualifier sysname = NULL,
  @index_name sysname = '%', @is_unique char(1) = 'N', @accuracy char(1) = 'Q'
) AS
SET NOCOUNT ON
IF @table_qualifier IS NOT NULL AND DB_NAME() <> @table_qualifier
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
DECLARE @object int = OBJECT_ID(QUOTENAME(ISNULL(@table_owner, SCHEMA_NAME())) + '.'
  + QUOTENAME(@table_name))
IF @object IS NULL AND @table_owner IS NULL SET @object = OBJECT_ID(QUOTENAME(@table_name))
SELECT
  DB_NAME() AS TABLE_QUALIFIER,
  s.name AS TABLE_OWNER,
  t.name AS TABLE_NAME,
  CONVERT(smallint, x.NON_UNIQUE) AS NON_UNIQUE,
  CONVERT(sysname, x.INDEX_QUALIFIER) AS INDEX_QUALIFIER,
  CONVERT(sysname, x.INDEX_NAME) AS INDEX_NAME,
  CONVERT(smallint, x.TYPE) AS TYPE,
  CONVERT(smallint, x.SEQ_IN_INDEX) AS SEQ_IN_INDEX,
  CONVERT(sysname, x.COLUMN_NAME) AS COLUMN_NAME,
  CONVERT(char(1), x.COLLATION) AS COLLATION,
  CONVERT(int, x.CARDINALITY) AS CARDINALITY,
  CONVERT(int, NULL) AS PAGES,
  CONVERT(varchar(128), x.FILTER_CONDITION) AS FILTER_CONDITION
FROM sys.tables AS t
JOIN sys.schemas AS s ON s.schema_id = t.schema_id
CROSS APPLY (
  SELECT NULL AS NON_UNIQUE, NULL AS INDEX_QUALIFIER, NULL AS INDEX_NAME, 0 AS TYPE,
    NULL AS SEQ_IN_INDEX, NULL AS COLUMN_NAME, NULL AS COLLATION,
    (SELECT SUM(p.rows) FROM sys.partitions AS p
      WHERE p.object_id = t.object_id AND p.index_id IN (0, 1)) AS CARDINALITY,
    NULL AS FILTER_CONDITION
  UNION ALL
  SELECT CASE i.is_unique WHEN 1 THEN 0 ELSE 1 END, t.name, i.name,
    CASE i.type WHEN 1 THEN 1 WHEN 7 THEN 2 ELSE 3 END, k.key_ordinal, c.name,
    CASE WHEN i.type = 7 THEN NULL WHEN k.is_descending_key = 1 THEN 'D' ELSE 'A' END,
    NULL, i.filter_definition
  FROM sys.indexes AS i
  JOIN sys.index_columns AS k ON k.object_id = i.object_id AND k.index_id = i.index_id
    AND k.is_included_column = 0
  JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
  WHERE i.object_id = t.object_id AND i.index_id > 0 AND i.name LIKE @index_name
    AND (@is_unique <> 'Y' OR i.is_unique = 1)
) AS x
WHERE t.object_id = @object
ORDER BY 4, 7, 6, 8
