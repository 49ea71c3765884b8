CREATE PROCEDURE sys.sp_depends (@objname nvarchar(776)) AS
SET NOCOUNT ON
DECLARE @object int = OBJECT_ID(@objname), @database sysname = DB_NAME()
IF @object IS NULL
BEGIN
  RAISERROR (15009, -1, -1, @objname, @database)
  RETURN 1
END
IF EXISTS (SELECT * FROM sys.sql_expression_dependencies WHERE referencing_id = @object)
BEGIN
  RAISERROR (15459, -1, -1)
  SELECT DISTINCT CONVERT(nvarchar(776), ISNULL(OBJECT_SCHEMA_NAME(d.referenced_id),
      d.referenced_schema_name) + '.' + d.referenced_entity_name) AS name,
    CONVERT(nvarchar(16), LOWER(REPLACE(REPLACE(o.type_desc, 'SQL_', ''), '_', ' '))) AS type
  FROM sys.sql_expression_dependencies AS d
  LEFT JOIN sys.objects AS o ON o.object_id = d.referenced_id
  WHERE d.referencing_id = @object
END
IF EXISTS (SELECT * FROM sys.sql_expression_dependencies WHERE referenced_id = @object)
BEGIN
  RAISERROR (15460, -1, -1)
  SELECT DISTINCT CONVERT(nvarchar(776), OBJECT_SCHEMA_NAME(o.object_id) + '.' + o.name) AS name,
    CONVERT(nvarchar(16), LOWER(REPLACE(REPLACE(o.type_desc, 'SQL_', ''), '_', ' '))) AS type
  FROM sys.sql_expression_dependencies AS d
  JOIN sys.objects AS o ON o.object_id = d.referencing_id
  WHERE d.referenced_id = @object
END
IF NOT EXISTS (SELECT * FROM sys.sql_expression_dependencies
    WHERE referencing_id = @object OR referenced_id = @object)
  RAISERROR (15461, -1, -1)
