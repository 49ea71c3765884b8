-- Backups and restores: full, differential, of the log; what is shown of them, and what is refused.
create table t (id int identity primary key, v varchar(20))
create table m (id int not null primary key nonclustered, v int) with (memory_optimized = on)
insert t values ('one'), ('two')
insert m values (1, 10)
select recovery_model_desc, log_reuse_wait_desc, state_desc from sys.databases where name = 'backup'
go
-- Nothing of the log before the first full backup; nothing differential either.
backup log [backup] to disk = 'b.bak'
go
backup database [backup] to disk = 'b.bak' with differential
go
backup database nowhere to disk = 'b.bak'
go
backup database tempdb to disk = 'b.bak'
go
backup log master to disk = 'b.bak'
go
begin transaction
backup database [backup] to disk = 'b.bak'
rollback
go
backup database [backup] to disk = 'b.bak' with nonsense
go
backup database [backup] to device_of_old
go
backup database [backup] to disk = '/no/such/folder/b.bak'
go
restore database b2 from disk = 'b.bak'
go
backup database [backup] to disk = N'b.bak' with init, compression, checksum, stats = 50, name = N'first', description = N'of two tables'
go
insert t values ('three')
backup log [backup] to disk = 'b.bak'
go
insert t values ('four')
update m set v = 11
declare @where nvarchar(100) = N'b.bak'
backup database [backup] to disk = @where with differential
go
insert t values ('five')
backup log [backup] to disk = 'b.bak'
go
restore verifyonly from disk = 'b.bak' with file = 3
go
restore verifyonly from disk = 'b.bak' with file = 9
go
-- History.
select position, name, description, type, database_name, recovery_model, has_backup_checksums, is_copy_only,
  iif(backup_finish_date >= backup_start_date, 1, 0) as ends, iif(last_lsn >= first_lsn, 1, 0) as grows
from msdb.dbo.backupset where database_name = 'backup' order by backup_set_id
select count(*) as media from msdb.dbo.backupmediaset
select right(physical_device_name, 12) as device, device_type from msdb.dbo.backupmediafamily
go
-- What the file says of itself.
create table #h (BackupName nvarchar(128), BackupDescription nvarchar(255), BackupType smallint,
  ExpirationDate datetime, Compressed tinyint, Position smallint, DeviceType tinyint, UserName nvarchar(128),
  ServerName nvarchar(128), DatabaseName nvarchar(128), DatabaseVersion int, DatabaseCreationDate datetime,
  BackupSize numeric(20, 0), FirstLSN numeric(25, 0), LastLSN numeric(25, 0), CheckpointLSN numeric(25, 0),
  DatabaseBackupLSN numeric(25, 0), BackupStartDate datetime, BackupFinishDate datetime, SortOrder smallint,
  CodePage smallint, UnicodeLocaleId int, UnicodeComparisonStyle int, CompatibilityLevel tinyint,
  SoftwareVendorId int, SoftwareVersionMajor int, SoftwareVersionMinor int, SoftwareVersionBuild int,
  MachineName nvarchar(128), Flags int, BindingID uniqueidentifier, RecoveryForkID uniqueidentifier,
  Collation nvarchar(128), FamilyGUID uniqueidentifier, HasBulkLoggedData bit, IsSnapshot bit, IsReadOnly bit,
  IsSingleUser bit, HasBackupChecksums bit, IsDamaged bit, BeginsLogChain bit, HasIncompleteMetaData bit,
  IsForceOffline bit, IsCopyOnly bit, FirstRecoveryForkID uniqueidentifier, ForkPointLSN numeric(25, 0),
  RecoveryModel nvarchar(60), DifferentialBaseLSN numeric(25, 0), DifferentialBaseGUID uniqueidentifier,
  BackupTypeDescription nvarchar(60), BackupSetGUID uniqueidentifier, CompressedBackupSize bigint,
  Containment tinyint, KeyAlgorithm nvarchar(32), EncryptorThumbprint varbinary(20), EncryptorType nvarchar(32))
insert #h exec ('restore headeronly from disk = ''b.bak''')
select Position, BackupName, BackupType, BackupTypeDescription, Compressed, DatabaseName, UserName, RecoveryModel,
  HasBackupChecksums, iif(DifferentialBaseGUID = (select BackupSetGUID from #h where Position = 1), 'first', null) as base
from #h order by Position
select count(*) as chained from #h a join #h b on a.LastLSN = b.FirstLSN where a.BackupType = 2 and b.BackupType = 2
go
restore filelistonly from disk = 'nothing.bak'
go
-- Restores, side by side with the database.
restore database b2 from disk = 'b.bak' with move 'backup' to 'D:\data\b2.mdf', move 'other' to 'x'
go
restore database b2 from disk = 'b.bak' with move 'backup' to 'b2.mdf', norecovery
go
select state_desc from sys.databases where name = 'b2'
select * from b2.dbo.t
go
use b2
go
alter database b2 set recovery simple
go
restore log b2 from disk = 'b.bak' with file = 4, norecovery
go
restore log b2 from disk = 'b.bak' with file = 1, norecovery
go
restore database b2 from disk = 'b.bak' with file = 3, norecovery
go
restore log b2 from disk = 'b.bak' with file = 2, norecovery
go
restore log b2 from disk = 'b.bak' with file = 4
go
select * from b2.dbo.t
select * from b2.dbo.m
insert b2.dbo.t values ('of b2')
select id from b2.dbo.t where v = 'of b2'
select name, right(physical_name, 7) from b2.sys.database_files where file_id = 1
select state_desc from sys.databases where name = 'b2'
go
restore log b2 from disk = 'b.bak' with file = 4
go
-- Over one that is there.
restore database b2 from disk = 'b.bak'
go
restore database b2 from disk = 'b.bak' with replace
go
select v from b2.dbo.t
go
restore database [backup] from disk = 'b.bak' with replace
go
create database b3
backup database b3 to disk = 'b3.bak'
restore database b2 from disk = 'b3.bak'
go
drop database b3
restore database b3 from disk = 'b.bak' with norecovery
restore database b3 with recovery
restore database b3 with recovery
select v from b3.dbo.t
go
restore log nowhere from disk = 'b.bak' with file = 2
go
-- To a point in time.
drop database b3
declare @before datetime2 = sysdatetime()
waitfor delay '00:00:00.050'
insert t values ('too late')
backup log [backup] to disk = 'b.bak'
restore database b3 from disk = 'b.bak' with norecovery, stats
restore log b3 from disk = 'b.bak' with file = 2, norecovery
restore log b3 from disk = 'b.bak' with file = 4, stopat = '2001-01-01'
restore log b3 from disk = 'b.bak' with file = 4, norecovery
restore log b3 from disk = 'b.bak' with file = 5, stopat = @before
select v from b3.dbo.t
go
-- The recovery model.
alter database [backup] set recovery simple
backup log [backup] to disk = 'b.bak'
go
alter database [backup] set recovery full
backup log [backup] to disk = 'b.bak'
go
backup database [backup] to disk = 'copy.bak' with copy_only
backup log [backup] to disk = 'b.bak'
go
-- What they build on.
select b.type, count(*) as sets, count(f.backup_set_id) as of_the_full_one
from msdb.dbo.backupset b
left join msdb.dbo.backupset f on f.database_name = b.database_name and f.type = 'D' and f.checkpoint_lsn = b.database_backup_lsn
where b.database_name = 'backup' group by b.type order by b.type
go
-- A file that tables need stays.
alter database [backup] add filegroup more
alter database [backup] add file (name = 'more', filename = 'more.ndf') to filegroup more
go
create table in_more (i int) on more
go
alter database [backup] remove file more
go
drop table in_more
alter database [backup] remove file more
alter database [backup] remove filegroup more
go
select destination_database_name, restore_type, replace, recovery from msdb.dbo.restorehistory order by restore_history_id
drop database b2
drop database b3
exec msdb.dbo.sp_delete_database_backuphistory @database_name = N'backup'
select count(*) as sets from msdb.dbo.backupset where database_name = 'backup'
go
-- What is to be kept is not overwritten before that, unless it is said.
backup database [backup] to disk = 'kept.bak' with retaindays = 2, expiredate = '1999-01-01'
go
declare @until datetime = '2099-01-02T15:04:05.67'
backup log [backup] to disk = 'kept.bak' with expiredate = @until
go
select s.position, f.file_number, f.file_type, f.logical_name, f.filegroup_name, f.is_present,
  iif(f.physical_name like '/%', 1, 0) as whole, iif(f.backup_size > 0, 1, 0) as has_data
from msdb.dbo.backupfile f join msdb.dbo.backupset s on s.backup_set_id = f.backup_set_id
where s.database_name = 'backup' order by s.position, f.file_number
select name, filegroup_id, type, type_desc, is_default from msdb.dbo.backupfilegroup
where backup_set_id = (select min(backup_set_id) from msdb.dbo.backupset where database_name = 'backup')
order by filegroup_id
go
restore database b4 from disk = 'kept.bak' with move 'backup' to 'elsewhere.mdf'
go
select f.file_number, right(f.destination_phys_name, 8) as name, f.destination_phys_drive
from msdb.dbo.restorefile f join msdb.dbo.restorehistory r on r.restore_history_id = f.restore_history_id
where r.destination_database_name = 'b4' order by f.file_number
select g.filegroup_name from msdb.dbo.restorefilegroup g
join msdb.dbo.restorehistory r on r.restore_history_id = g.restore_history_id
where r.destination_database_name = 'b4' order by g.filegroup_name
drop database b4
go
select position, iif(position = 1, datediff(day, backup_start_date, expiration_date), null) as days,
  iif(position = 2, expiration_date, null) as expires from msdb.dbo.backupset
where media_set_id = (select max(media_set_id) from msdb.dbo.backupmediafamily where physical_device_name like '%kept.bak')
go
backup database [backup] to disk = 'kept.bak' with init
go
backup database [backup] to disk = 'kept.bak' with expiredate = 'never'
go
backup database [backup] to disk = 'kept.bak' with init, skip, retaindays = 1
go
backup database [backup] to disk = 'kept.bak' with format, retaindays = 0
go
backup database [backup] to disk = 'kept.bak' with init
go
-- The history is forgotten by age.
exec msdb.dbo.sp_delete_backuphistory @oldest_date = '2001-01-01'
select iif(count(*) > 0, 1, 0) as kept from msdb.dbo.backupset
declare @now datetime = dateadd(hour, 1, getdate())
exec msdb.dbo.sp_delete_backuphistory @now
select (select count(*) from msdb.dbo.backupset) as sets, (select count(*) from msdb.dbo.backupfile) as files,
  (select count(*) from msdb.dbo.backupfilegroup) as groups, (select count(*) from msdb.dbo.restorehistory) as restores,
  (select count(*) from msdb.dbo.restorefile) as restored, (select count(*) from msdb.dbo.restorefilegroup) as rgroups,
  (select count(*) from msdb.dbo.backupmediaset) as media
go
