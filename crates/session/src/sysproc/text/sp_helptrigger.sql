CREATE PROCEDURE sys.sp_helptrigger (@tabname nvarchar(776), @triggertype char(6) = NULL) AS
SET NOCOUNT ON
DECLARE @object int = OBJECT_ID(@tabname), @database sysname = DB_NAME()
IF @object IS NULL
BEGIN
  RAISERROR (15009, -1, -1, @tabname, @database)
  RETURN 1
END
SELECT t.name AS trigger_name, USER_NAME(OBJECTPROPERTY(t.object_id, 'OwnerId')) AS trigger_owner,
  CONVERT(int, OBJECTPROPERTY(t.object_id, 'ExecIsUpdateTrigger')) AS isupdate,
  CONVERT(int, OBJECTPROPERTY(t.object_id, 'ExecIsDeleteTrigger')) AS isdelete,
  CONVERT(int, OBJECTPROPERTY(t.object_id, 'ExecIsInsertTrigger')) AS isinsert,
  CONVERT(int, 1 - t.is_instead_of_trigger) AS isafter,
  CONVERT(int, t.is_instead_of_trigger) AS isinsteadof,
  OBJECT_SCHEMA_NAME(t.object_id) AS trigger_schema
FROM sys.triggers AS t
WHERE t.parent_id = @object AND (@triggertype IS NULL
  OR OBJECTPROPERTY(t.object_id, 'ExecIs' + RTRIM(@triggertype) + 'Trigger') = 1)
