begin transaction
create table dbo.backupfile (
  backup_set_id int not null references dbo.backupset (backup_set_id),
  first_family_number tinyint null,
  first_media_number smallint null,
  filegroup_name nvarchar(128) null,
  page_size int null,
  file_number numeric(10, 0) not null,
  backed_up_page_count numeric(10, 0) null,
  file_type char(1) null,
  source_file_block_size numeric(10, 0) null,
  file_size numeric(20, 0) null,
  logical_name nvarchar(128) null,
  physical_drive nvarchar(260) null,
  physical_name nvarchar(260) null,
  state tinyint null,
  state_desc nvarchar(64) null,
  create_lsn numeric(25, 0) null,
  drop_lsn numeric(25, 0) null,
  file_guid uniqueidentifier null,
  read_only_lsn numeric(25, 0) null,
  read_write_lsn numeric(25, 0) null,
  differential_base_lsn numeric(25, 0) null,
  differential_base_guid uniqueidentifier null,
  backup_size numeric(20, 0) null,
  filegroup_guid uniqueidentifier null,
  is_readonly bit null,
  is_present bit null,
  primary key (backup_set_id, file_number)
)
create table dbo.backupfilegroup (
  backup_set_id int not null references dbo.backupset (backup_set_id),
  name sysname not null,
  filegroup_id int not null,
  filegroup_guid uniqueidentifier null,
  type char(2) not null,
  type_desc nvarchar(60) not null,
  is_default bit not null,
  is_readonly bit not null,
  log_filegroup_guid uniqueidentifier null,
  primary key (backup_set_id, filegroup_id)
)
create table dbo.restorefile (
  restore_history_id int not null references dbo.restorehistory (restore_history_id),
  file_number numeric(10, 0) null,
  destination_phys_drive nvarchar(260) null,
  destination_phys_name nvarchar(260) null
)
create table dbo.restorefilegroup (
  restore_history_id int not null references dbo.restorehistory (restore_history_id),
  filegroup_name nvarchar(128) null
)
commit
