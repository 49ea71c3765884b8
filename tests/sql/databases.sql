-- Databases, their files and options.
use master
go
create database master
go
create database d collate Latin1_General_BIN2
select name, collation_name, compatibility_level from sys.databases where name = 'd'
create database d
go
create database d2 on (name = a, filename = 'c:\x\a.mdf', size = 10mb), filegroup fg (name = c) log on (name = b, filename = '/x/b.ldf')
go
select name, type_desc, size from d2.sys.database_files order by file_id
go
create database d3 on (name = a), (name = a)
go
create database d3 on (name = a, size = 100kb)
go
create database d3 on (name = a, size = 10mb, maxsize = 5mb)
go
begin tran
create database d3
go
rollback
go
alter database d add filegroup fg contains memory_optimized_data
alter database d add filegroup fg2 contains memory_optimized_data
alter database d add filegroup fg
alter database d add file (name = 'f', filename = 'f') to filegroup fg
alter database d add file (name = 'f', filename = 'f2') to filegroup fg
alter database d add file (name = 'g', filename = 'f') to filegroup fg
alter database d add file (name = 'g', filename = 'g') to filegroup nope
alter database d modify file (name = 'f', newname = 'ff')
alter database d modify file (name = 'nope', size = 5)
alter database d remove file ff
alter database d remove filegroup fg
alter database d remove file d
alter database d remove filegroup [primary]
alter database d add log file (name = 'l2')
alter database nope set recovery simple
go
alter database d set recovery simple, allow_snapshot_isolation on
alter database d set compatibility_level = 90
alter database d set compatibility_level = 130
alter database d set emergency
alter database d set memory_optimized_elevate_to_snapshot = on
select recovery_model_desc, snapshot_isolation_state_desc, compatibility_level, is_memory_optimized_elevate_to_snapshot_on from sys.databases where name = 'd'
alter database master set single_user
alter database d set single_user with rollback immediate
alter database d set multi_user
alter database d modify name = e
alter database e collate SQL_Latin1_General_CP1_CI_AS
alter database e collate Nowhere
alter authorization on database::e to sa
alter authorization on database::nope to sa
go
use e
drop database e
go
use master
drop database e, nope, d2
drop database if exists e
drop database master
drop database e
go
create database ro
alter database ro set read_only
go
use ro
create table t (a int)
print 'next'
go
use master
alter database ro set read_write
create table ro.dbo.t (a int)
select name from ro.sys.tables
drop table ro.dbo.t
drop database ro
go
create database su
alter database su set single_user
select user_access_desc from sys.databases where name = 'su'
go
use su
alter database su modify name = su2
alter database su2 set multi_user
go
use master
drop database su2
go
create database used
alter database used add filegroup fg contains memory_optimized_data
alter database used add file (name = 'f', filename = 'f9') to filegroup fg
use used
create table m (id int not null primary key nonclustered) with (memory_optimized = on)
insert m values (1)
alter database used remove filegroup fg
alter database used remove file f
go
drop table m
alter database used remove file f
alter database used remove filegroup fg
select name from sys.filegroups
go
use master
drop database used
go
