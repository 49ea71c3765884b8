CREATE PROCEDURE sys.sp_help (@objname nvarchar(776) = NULL) AS
SET NOCOUNT ON
IF @objname IS NULL
BEGIN
  SELECT o.name AS [Name], USER_NAME(ISNULL(o.principal_id, s.principal_id)) AS [Owner],
    CONVERT(nvarchar(31), CASE o.type WHEN 'U' THEN 'user table' WHEN 'V' THEN 'view'
      WHEN 'P' THEN 'stored procedure' WHEN 'FN' THEN 'scalar function'
      WHEN 'IF' THEN 'inline function' WHEN 'TF' THEN 'table function' WHEN 'TR' THEN 'trigger'
      WHEN 'R' THEN 'rule' WHEN 'C' THEN 'check cns' WHEN 'D' THEN 'default (maybe cns)'
      WHEN 'F' THEN 'foreign key cns' WHEN 'PK' THEN 'primary key cns'
      WHEN 'UQ' THEN 'unique cns' WHEN 'S' THEN 'system table' WHEN 'SN' THEN 'synonym'
      WHEN 'SO' THEN 'sequence object' ELSE LOWER(REPLACE(o.type_desc, '_', ' ')) END)
      AS [Object_type]
  FROM sys.all_objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
  ORDER BY 2 ASC, 3 DESC, 1 ASC
  SELECT t.name AS [User_type], TYPE_NAME(t.system_type_id) AS [Storage_type], t.max_length AS [Length],
    t.precision AS [Prec], t.scale AS [Scale],
    CONVERT(varchar(35), CASE t.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END) AS [Nullable],
    CONVERT(sysname, ISNULL(OBJECT_NAME(t.default_object_id), 'none')) AS [Default_name], CONVERT(sysname, ISNULL(OBJECT_NAME(t.rule_object_id), 'none')) AS [Rule_name],
    t.collation_name AS [Collation]
  FROM sys.types AS t WHERE t.is_user_defined = 1 AND t.is_table_type = 0 ORDER BY 1
  RETURN 0
END
DECLARE @database sysname = PARSENAME(@objname, 3)
IF @database IS NOT NULL AND @database <> DB_NAME()
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  DECLARE @type int = TYPE_ID(@objname)
  IF @type IS NULL
  BEGIN
    SET @database = DB_NAME()
    RAISERROR (15009, -1, -1, @objname, @database)
    RETURN 1
  END
  SELECT t.name AS [Type_name], TYPE_NAME(t.system_type_id) AS [Storage_type],
    t.max_length AS [Length], t.precision AS [Prec], t.scale AS [Scale],
    CONVERT(varchar(35), CASE t.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END) AS [Nullable],
    CONVERT(sysname, ISNULL(OBJECT_NAME(t.default_object_id), 'none')) AS [Default_name], CONVERT(sysname, ISNULL(OBJECT_NAME(t.rule_object_id), 'none')) AS [Rule_name],
    t.collation_name AS [Collation]
  FROM sys.types AS t WHERE t.user_type_id = @type
  RETURN 0
END
SELECT o.name AS [Name], USER_NAME(ISNULL(o.principal_id, s.principal_id)) AS [Owner],
  CONVERT(nvarchar(31), LOWER(REPLACE(REPLACE(o.type_desc, 'SQL_', ''), '_', ' '))) AS [Type],
  o.create_date AS [Created_datetime]
FROM sys.all_objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE o.object_id = @object
IF EXISTS (SELECT * FROM sys.all_columns WHERE object_id = @object)
BEGIN
  SELECT c.name AS [Column_name], TYPE_NAME(c.user_type_id) AS [Type],
    CONVERT(varchar(35), CASE c.is_computed WHEN 1 THEN 'yes' ELSE 'no' END) AS [Computed],
    CONVERT(int, c.max_length) AS [Length],
    CONVERT(char(5), CASE WHEN c.system_type_id IN (48, 52, 56, 59, 60, 62, 106, 108, 122, 127, 40, 41,
      42, 43) THEN CONVERT(char(5), c.precision) ELSE '' END) AS [Prec],
    CONVERT(char(5), CASE WHEN c.system_type_id IN (48, 52, 56, 60, 106, 108, 122, 127, 40, 41, 42, 43)
      THEN CONVERT(char(5), c.scale) ELSE '' END) AS [Scale],
    CONVERT(varchar(35), CASE c.is_nullable WHEN 1 THEN 'yes' ELSE 'no' END) AS [Nullable],
    CONVERT(varchar(35), CASE WHEN c.system_type_id NOT IN (165, 167, 173, 175) THEN '(n/a)'
      WHEN c.is_ansi_padded = 1 THEN 'no' ELSE 'yes' END) AS [TrimTrailingBlanks],
    CONVERT(varchar(35), CASE WHEN c.system_type_id NOT IN (165, 167, 173, 175) THEN '(n/a)'
      WHEN c.is_nullable = 1 THEN 'yes' ELSE 'no' END) AS [FixedLenNullInSource],
    c.collation_name AS [Collation]
  FROM sys.all_columns AS c WHERE c.object_id = @object ORDER BY c.column_id
  IF EXISTS (SELECT * FROM sys.identity_columns WHERE object_id = @object)
    SELECT c.name AS [Identity], CONVERT(numeric(38, 0), c.seed_value) AS [Seed],
      CONVERT(numeric(38, 0), c.increment_value) AS [Increment],
      CONVERT(int, c.is_not_for_replication) AS [Not For Replication]
    FROM sys.identity_columns AS c WHERE c.object_id = @object
  ELSE
    SELECT CONVERT(sysname, 'No identity column defined.') AS [Identity],
      CONVERT(numeric(38, 0), NULL) AS [Seed], CONVERT(numeric(38, 0), NULL) AS [Increment],
      CONVERT(int, NULL) AS [Not For Replication]
  IF EXISTS (SELECT * FROM sys.all_columns WHERE object_id = @object AND is_rowguidcol = 1)
    SELECT name AS [RowGuidCol] FROM sys.all_columns
    WHERE object_id = @object AND is_rowguidcol = 1
  ELSE
    SELECT CONVERT(sysname, 'No rowguidcol column defined.') AS [RowGuidCol]
END
IF EXISTS (SELECT * FROM sys.all_parameters WHERE object_id = @object)
  SELECT p.name AS [Parameter_name], TYPE_NAME(p.user_type_id) AS [Type],
    CONVERT(int, p.max_length) AS [Length],
    CONVERT(int, CASE WHEN p.system_type_id IN (34, 35, 99, 165, 167, 173, 175, 231, 239)
      THEN COLUMNPROPERTY(p.object_id, p.name, 'precision') ELSE p.precision END) AS [Prec],
    CONVERT(int, p.scale) AS [Scale], CONVERT(int, p.parameter_id) AS [Param_order],
    CONVERT(sysname, NULL) AS [Collation]
  FROM sys.all_parameters AS p WHERE p.object_id = @object ORDER BY p.parameter_id
IF OBJECTPROPERTY(@object, 'IsTable') = 1
BEGIN
  SELECT FILEGROUP_NAME(ISNULL((SELECT TOP (1) i.data_space_id FROM sys.indexes AS i
    WHERE i.object_id = @object AND i.index_id IN (0, 1)), 1)) AS [Data_located_on_filegroup]
  EXEC sys.sp_helpindex @objname
  EXEC sys.sp_helpconstraint @objname, 'nomsg'
  IF EXISTS (SELECT * FROM sys.tables WHERE object_id = @object AND is_row_caching_on = 1)
    SELECT CONVERT(sysname, 'row_caching on') AS [Table_options]
END
