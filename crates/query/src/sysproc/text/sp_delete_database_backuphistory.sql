CREATE PROCEDURE sys.$name$ (@database_name sysname) AS
SET NOCOUNT ON
DELETE msdb.dbo.restorehistory
  WHERE backup_set_id IN (SELECT backup_set_id FROM msdb.dbo.backupset WHERE database_name = @database_name)
DELETE msdb.dbo.backupset WHERE database_name = @database_name
DELETE msdb.dbo.backupmediafamily
  WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
DELETE msdb.dbo.backupmediaset
  WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
RETURN 0
