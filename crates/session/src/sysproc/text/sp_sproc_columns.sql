CREATE PROCEDURE sys.$name$ (
  @procedure_name nvarchar(390) = '%', @procedure_owner nvarchar(384) = NULL,
  @procedure_qualifier sysname = NULL, @column_name nvarchar(384) = NULL, @ODBCVer int = 2,
  @fUsePattern bit = 1
) AS
SET NOCOUNT ON
IF @procedure_qualifier IS NOT NULL AND DB_NAME() <> @procedure_qualifier
BEGIN
  IF @procedure_qualifier = ''
    SELECT @procedure_name = '', @procedure_owner = ''
  ELSE
  BEGIN
    RAISERROR (15250, -1, -1)
    RETURN 1
  END
END
-- The name may have the procedure's number behind a semicolon.
DECLARE @number smallint
IF CHARINDEX(';', @procedure_name) > 0
  SELECT @number = TRY_CONVERT(smallint,
      SUBSTRING(@procedure_name, CHARINDEX(';', @procedure_name) + 1, 390)),
    @procedure_name = LEFT(@procedure_name, CHARINDEX(';', @procedure_name) - 1)
SELECT
  DB_NAME() AS PROCEDURE_QUALIFIER,
  n.name AS PROCEDURE_OWNER,
  CONVERT(nvarchar(134), o.name + ';' + CONVERT(varchar(5), o.number)) AS PROCEDURE_NAME,
  CONVERT(sysname, CASE WHEN c.parameter_id = 0 THEN '@RETURN_VALUE' ELSE c.name END)
    AS COLUMN_NAME,
  CONVERT(smallint, CASE WHEN c.parameter_id = 0 THEN 5 WHEN c.is_output = 1 THEN 2 ELSE 1 END)
    AS COLUMN_TYPE,
  CONVERT(smallint, CASE
    WHEN c.system_type_id = 243 THEN -153
    WHEN '$legacy$' = '1' AND c.system_type_id IN (40, 41, 42, 43) THEN d.legacy
    WHEN @ODBCVer >= 3 THEN d.odbc3 ELSE d.odbc2 END) AS DATA_TYPE,
  CONVERT(sysname, CASE WHEN c.system_type_id = 243 THEN 'table' ELSE t.name END) AS TYPE_NAME,
  CONVERT(int, CASE WHEN c.system_type_id = 243 THEN 0 ELSE s.precision END) AS [PRECISION],
  CONVERT(int, CASE WHEN c.system_type_id = 243 THEN 0 ELSE s.length END) AS LENGTH,
  CONVERT(smallint, s.scale) AS SCALE,
  CONVERT(smallint, s.radix) AS RADIX,
  CONVERT(smallint, CASE WHEN c.parameter_id = 0 AND o.type IN ('P', 'PC', 'X') THEN 0 ELSE 1 END)
    AS NULLABLE,
  CONVERT(varchar(254), NULL) AS REMARKS,
  CONVERT(nvarchar(4000), NULL) AS COLUMN_DEF,
  CONVERT(smallint, CASE
    WHEN c.system_type_id = 243 THEN -153
    WHEN '$legacy$' = '1' AND c.system_type_id IN (40, 41, 42, 43) THEN d.legacy
    ELSE d.sql_type END) AS SQL_DATA_TYPE,
  CONVERT(smallint, CASE
    WHEN '$legacy$' = '1' AND c.system_type_id IN (40, 41, 42, 43) THEN NULL
    ELSE d.subcode END) AS SQL_DATETIME_SUB,
  CONVERT(int, s.octets) AS CHAR_OCTET_LENGTH,
  CONVERT(int, c.parameter_id) AS ORDINAL_POSITION,
  CONVERT(varchar(254), CASE
    WHEN c.parameter_id = 0 AND o.type IN ('P', 'PC', 'X') THEN 'NO' ELSE 'YES' END)
    AS IS_NULLABLE,
  $extra$
  CONVERT(tinyint, CASE
    WHEN c.parameter_id = 0 AND o.type IN ('P', 'PC', 'X') THEN d.ss_required
    ELSE d.ss_nullable END) AS SS_DATA_TYPE
FROM (
  SELECT object_id, schema_id, name, type,
    CASE WHEN type IN ('P', 'PC', 'X') THEN 1 ELSE 0 END AS number
  FROM sys.all_objects
  WHERE type IN ('P', 'PC', 'X', 'FN', 'FS', 'TF', 'IF')
  UNION ALL
  SELECT p.object_id, p.schema_id, p.name, p.type, m.procedure_number
  FROM sys.numbered_procedures AS m
  JOIN sys.procedures AS p ON p.object_id = m.object_id
) AS o
JOIN sys.schemas AS n ON n.schema_id = o.schema_id
JOIN (
  SELECT p.object_id, NULL AS number, p.parameter_id, p.name, p.system_type_id, p.user_type_id,
    p.max_length, p.precision, p.scale, p.is_output
  FROM sys.all_parameters AS p
  UNION ALL
  SELECT p.object_id, p.procedure_number, p.parameter_id, p.name, p.system_type_id,
    p.user_type_id, p.max_length, p.precision, p.scale, p.is_output
  FROM sys.numbered_procedure_parameters AS p
  UNION ALL
  SELECT x.object_id, NULL, 0, '', 56, 56, 4, 10, 0, 0
  FROM sys.all_objects AS x WHERE x.type IN ('P', 'PC', 'X')
  UNION ALL
  SELECT x.object_id, x.procedure_number, 0, '', 56, 56, 4, 10, 0, 0
  FROM sys.numbered_procedures AS x
) AS c ON c.object_id = o.object_id AND (c.number = o.number OR c.number IS NULL AND o.number < 2)
LEFT JOIN sys.types AS t ON t.user_type_id = c.user_type_id
LEFT JOIN $types$ ON d.system_type_id = c.system_type_id
$shape$
WHERE (@number IS NULL OR o.number = @number)
  AND (o.name = @procedure_name OR @fUsePattern = 1 AND o.name LIKE @procedure_name ESCAPE '\')
  AND (@procedure_owner IS NULL OR n.name = @procedure_owner
    OR @fUsePattern = 1 AND n.name LIKE @procedure_owner ESCAPE '\')
  AND (@column_name IS NULL OR c.name = @column_name
    OR @fUsePattern = 1 AND c.name LIKE @column_name ESCAPE '\'
    OR c.parameter_id = 0 AND '@RETURN_VALUE' LIKE @column_name)
ORDER BY 1, 2, 3, 18
