CREATE PROCEDURE sys.$name$ (@oldest_date datetime) AS
SET NOCOUNT ON
DECLARE @sets TABLE (id int NOT NULL PRIMARY KEY)
INSERT @sets SELECT backup_set_id FROM msdb.dbo.backupset WHERE backup_finish_date < @oldest_date
DECLARE @restores TABLE (id int NOT NULL PRIMARY KEY)
INSERT @restores SELECT restore_history_id FROM msdb.dbo.restorehistory WHERE backup_set_id IN (SELECT id FROM @sets)
BEGIN TRANSACTION
DELETE msdb.dbo.restorefile WHERE restore_history_id IN (SELECT id FROM @restores)
DELETE msdb.dbo.restorefilegroup WHERE restore_history_id IN (SELECT id FROM @restores)
DELETE msdb.dbo.restorehistory WHERE restore_history_id IN (SELECT id FROM @restores)
DELETE msdb.dbo.backupfile WHERE backup_set_id IN (SELECT id FROM @sets)
DELETE msdb.dbo.backupfilegroup WHERE backup_set_id IN (SELECT id FROM @sets)
DELETE msdb.dbo.backupset WHERE backup_set_id IN (SELECT id FROM @sets)
DELETE msdb.dbo.backupmediafamily
  WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
DELETE msdb.dbo.backupmediaset
  WHERE media_set_id NOT IN (SELECT media_set_id FROM msdb.dbo.backupset)
COMMIT TRANSACTION
RETURN 0
