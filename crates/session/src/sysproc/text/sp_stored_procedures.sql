CREATE PROCEDURE sys.sp_stored_procedures (
  @sp_name nvarchar(390) = NULL, @sp_owner nvarchar(384) = NULL, @sp_qualifier sysname = NULL,
  @fUsePattern bit = 1
) AS
SET NOCOUNT ON
IF @sp_qualifier IS NOT NULL AND DB_NAME() <> @sp_qualifier
BEGIN
  IF @sp_qualifier = ''
    SELECT @sp_name = '', @sp_owner = ''
  ELSE
  BEGIN
    RAISERROR (15250, -1, -1)
    RETURN 1
  END
END
SELECT
  DB_NAME() AS PROCEDURE_QUALIFIER,
  s.name AS PROCEDURE_OWNER,
  CONVERT(nvarchar(134), o.name + ';' + CONVERT(varchar(5), o.number)) AS PROCEDURE_NAME,
  CONVERT(int, -1) AS NUM_INPUT_PARAMS,
  CONVERT(int, -1) AS NUM_OUTPUT_PARAMS,
  CONVERT(int, -1) AS NUM_RESULT_SETS,
  CONVERT(varchar(254), NULL) AS REMARKS,
  CONVERT(smallint, 2) AS PROCEDURE_TYPE
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
JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE (@sp_name IS NULL OR o.name = @sp_name
    OR @fUsePattern = 1 AND o.name LIKE @sp_name ESCAPE '\')
  AND (@sp_owner IS NULL OR s.name = @sp_owner
    OR @fUsePattern = 1 AND s.name LIKE @sp_owner ESCAPE '\')
ORDER BY 1, 2, 3
