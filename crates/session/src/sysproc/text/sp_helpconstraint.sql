CREATE PROCEDURE sys.sp_helpconstraint (@objname nvarchar(776), @nomsg varchar(5) = 'msg') AS
SET NOCOUNT ON
DECLARE @database sysname = PARSENAME(@objname, 3)
IF @database IS NOT NULL AND @database <> DB_NAME()
BEGIN
  RAISERROR (15250, -1, -1)
  RETURN 1
END
SET @database = DB_NAME()
DECLARE @object int = OBJECT_ID(@objname)
IF @object IS NULL
BEGIN
  RAISERROR (15009, -1, -1, @objname, @database)
  RETURN 1
END
IF @nomsg <> 'nomsg' SELECT @objname AS [Object Name]
DECLARE @found TABLE (type nvarchar(186), name sysname, on_delete nvarchar(11),
  on_update nvarchar(11),
  enabled varchar(8), replicated varchar(19), keys nvarchar(2126), part int)
INSERT INTO @found
SELECT CASE i.is_primary_key WHEN 1 THEN 'PRIMARY KEY' ELSE 'UNIQUE' END
    + CASE i.type WHEN 1 THEN ' (clustered)' ELSE ' (non-clustered)' END,
  i.name, '(n/a)', '(n/a)', '(n/a)', '(n/a)', (
    SELECT STRING_AGG(CONVERT(nvarchar(max), c.name)
      + CASE k.is_descending_key WHEN 1 THEN '(-)' ELSE '' END, ', ')
      WITHIN GROUP (ORDER BY k.key_ordinal)
    FROM sys.index_columns AS k
    JOIN sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
    WHERE k.object_id = i.object_id AND k.index_id = i.index_id AND k.is_included_column = 0), 1
FROM sys.indexes AS i
WHERE i.object_id = @object AND (i.is_primary_key = 1 OR i.is_unique_constraint = 1)
INSERT INTO @found
SELECT 'CHECK ' + CASE x.parent_column_id WHEN 0 THEN 'Table Level'
    ELSE 'on column ' + COL_NAME(x.parent_object_id, x.parent_column_id) END,
  x.name, '(n/a)', '(n/a)', CASE x.is_disabled WHEN 1 THEN 'Disabled' ELSE 'Enabled' END,
  CASE x.is_not_for_replication WHEN 1 THEN 'Not_For_Replication' ELSE 'Is_For_Replication' END,
  LEFT(x.definition, 2126), 1
FROM sys.check_constraints AS x WHERE x.parent_object_id = @object
INSERT INTO @found
SELECT 'DEFAULT on column ' + COL_NAME(x.parent_object_id, x.parent_column_id),
  x.name, '(n/a)', '(n/a)', '(n/a)', '(n/a)', LEFT(x.definition, 2126), 1
FROM sys.default_constraints AS x WHERE x.parent_object_id = @object
INSERT INTO @found
SELECT 'DEFAULT on column ' + c.name + ' (bound with sp_bindefault)', OBJECT_NAME(c.default_object_id),
  '(n/a)', '(n/a)', '(n/a)', '(n/a)', LEFT(OBJECT_DEFINITION(c.default_object_id), 2126), 1
FROM sys.columns AS c JOIN sys.objects AS o ON o.object_id = c.default_object_id AND o.parent_object_id = 0
WHERE c.object_id = @object
INSERT INTO @found
SELECT 'RULE on column ' + c.name + ' (bound with sp_bindrule)', OBJECT_NAME(c.rule_object_id),
  '(n/a)', '(n/a)', '(n/a)', '(n/a)', LEFT(OBJECT_DEFINITION(c.rule_object_id), 2126), 1
FROM sys.columns AS c WHERE c.object_id = @object AND c.rule_object_id <> 0
INSERT INTO @found
SELECT 'FOREIGN KEY', x.name,
  CASE x.delete_referential_action WHEN 0 THEN 'No Action' WHEN 1 THEN 'Cascade'
    WHEN 2 THEN 'Set Null' ELSE 'Set Default' END,
  CASE x.update_referential_action WHEN 0 THEN 'No Action' WHEN 1 THEN 'Cascade'
    WHEN 2 THEN 'Set Null' ELSE 'Set Default' END,
  CASE x.is_disabled WHEN 1 THEN 'Disabled' ELSE 'Enabled' END,
  CASE x.is_not_for_replication WHEN 1 THEN 'Not_For_Replication' ELSE 'Is_For_Replication' END, (
    SELECT STRING_AGG(CONVERT(nvarchar(max), COL_NAME(k.parent_object_id, k.parent_column_id)), ', ')
      WITHIN GROUP (ORDER BY k.constraint_column_id)
    FROM sys.foreign_key_columns AS k WHERE k.constraint_object_id = x.object_id), 1
FROM sys.foreign_keys AS x WHERE x.parent_object_id = @object
INSERT INTO @found
SELECT '', ' ', ' ', ' ', ' ', ' ', 'REFERENCES ' + DB_NAME() + '.'
    + OBJECT_SCHEMA_NAME(x.referenced_object_id) + '.' + OBJECT_NAME(x.referenced_object_id) + ' (' + (
    SELECT STRING_AGG(CONVERT(nvarchar(max),
      COL_NAME(k.referenced_object_id, k.referenced_column_id)), ', ')
      WITHIN GROUP (ORDER BY k.constraint_column_id)
    FROM sys.foreign_key_columns AS k WHERE k.constraint_object_id = x.object_id) + ')', 2
FROM sys.foreign_keys AS x WHERE x.parent_object_id = @object
IF EXISTS (SELECT * FROM @found)
  SELECT type AS constraint_type, name AS constraint_name, on_delete AS delete_action,
    on_update AS update_action, enabled AS status_enabled, replicated AS status_for_replication,
    keys AS constraint_keys
  FROM @found ORDER BY part, type, name
ELSE IF @nomsg <> 'nomsg'
  RAISERROR (15469, -1, -1, @objname)
IF EXISTS (SELECT * FROM sys.foreign_keys WHERE referenced_object_id = @object)
  SELECT DB_NAME() + '.' + OBJECT_SCHEMA_NAME(parent_object_id) + '.' + OBJECT_NAME(parent_object_id)
    + ': ' + name AS [Table is referenced by foreign key]
  FROM sys.foreign_keys WHERE referenced_object_id = @object ORDER BY 1
ELSE IF @nomsg <> 'nomsg'
  RAISERROR (15470, -1, -1, @objname)
