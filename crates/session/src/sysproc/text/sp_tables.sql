CREATE PROCEDURE sys.$name$ (
  @table_name nvarchar(384) = NULL,
  @table_owner nvarchar(384) = NULL,
  @table_qualifier sysname = NULL,
  @table_type varchar(100) = NULL,
  @fUsePattern bit = 1
) AS
SET NOCOUNT ON
IF @table_qualifier = '%' AND @table_owner = '' AND @table_name = ''
BEGIN
  SELECT name AS TABLE_QUALIFIER, CONVERT(sysname, NULL) AS TABLE_OWNER,
    CONVERT(sysname, NULL) AS TABLE_NAME, CONVERT(varchar(32), NULL) AS TABLE_TYPE,
    CONVERT(varchar(254), NULL) AS REMARKS
  FROM sys.databases WHERE HAS_DBACCESS(name) = 1 ORDER BY 1
  RETURN 0
END
IF @table_qualifier = '' AND @table_owner = '%' AND @table_name = ''
BEGIN
  SELECT CONVERT(sysname, NULL) AS TABLE_QUALIFIER, name AS TABLE_OWNER,
    CONVERT(sysname, NULL) AS TABLE_NAME, CONVERT(varchar(32), NULL) AS TABLE_TYPE,
    CONVERT(varchar(254), NULL) AS REMARKS
  FROM sys.schemas ORDER BY 2
  RETURN 0
END
IF @table_qualifier = '' AND @table_owner = '' AND @table_name = '' AND @table_type = '%'
BEGIN
  SELECT CONVERT(sysname, NULL) AS TABLE_QUALIFIER, CONVERT(sysname, NULL) AS TABLE_OWNER,
    CONVERT(sysname, NULL) AS TABLE_NAME, CONVERT(varchar(32), t.name) AS TABLE_TYPE,
    CONVERT(varchar(254), NULL) AS REMARKS
  FROM (VALUES ('SYSTEM TABLE'), ('TABLE'), ('VIEW')) AS t (name) ORDER BY 4
  RETURN 0
END
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
  s.name AS TABLE_OWNER,
  o.name AS TABLE_NAME,
  CONVERT(varchar(32), CASE o.type WHEN 'U' THEN 'TABLE' WHEN 'V' THEN 'VIEW'
    ELSE 'SYSTEM TABLE' END) AS TABLE_TYPE,
  CONVERT(varchar(254), NULL) AS REMARKS
FROM sys.all_objects AS o
JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE o.type IN ('U', 'V', 'S')
  AND (@table_name IS NULL OR o.name = @table_name
    OR @fUsePattern = 1 AND o.name LIKE @table_name ESCAPE '\')
  AND (@table_owner IS NULL OR s.name = @table_owner
    OR @fUsePattern = 1 AND s.name LIKE @table_owner ESCAPE '\')
  AND (@table_type IS NULL OR @table_type = '%' OR CHARINDEX(CASE o.type
    WHEN 'U' THEN '''TABLE''' WHEN 'V' THEN '''VIEW''' ELSE '''SYSTEM TABLE''' END,
    CASE WHEN CHARINDEX('''', @table_type) = 0
      THEN '''' + REPLACE(REPLACE(@table_type, ', ', ','), ',', ''',''') + ''''
      ELSE @table_type END) > 0)
ORDER BY 4, 1, 2, 3
