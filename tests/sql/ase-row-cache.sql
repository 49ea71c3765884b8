-- Row caches as an administrator of SAP ASE switches them on and looks at them.
create database d
go
-- The script as one batch.
sp_configure 'enable functionality group', 1
sp_configure 'lock scheme', 0, datarows
sp_configure 'enable mem scale', 1
sp_configure 'enable in-memory row storage', 1
sp_configure 'enable HCB index', 1
sp_configure 'enable LFB index', 1
sp_configure 'number of pack tasks per db', 2
sp_configure 'number of imrs gc tasks per db', 2
disk init name='d_imrslog_01', physname='/disks/d_imrslog_01', size='1G', type=imrslog
alter database d imrslog on d_imrslog_01 = '1G'
sp_cacheconfig 'd_row_cache', '1G', row_storage       -- at least 256 MB; one per database
alter database d row storage on d_row_cache           -- … row storage off
alter database d set row_caching on for all tables
alter database d set snapshot_isolation on for all tables
sp_imrs 'show', 'rowcounts'
sp_imrs show, rowcounts, d_row_cache
go
-- And statement by statement, with tables, for another size.
use d
create table customer (id int not null primary key, name varchar(20) not null) lock datarows
create table plain (id int not null primary key) with (row_caching = off)
go
sp_configure 'enable functionality group', 1
go
sp_configure 'lock scheme', 0, datarows
go
sp_configure 'enable mem scale', 1
go
sp_configure 'enable in-memory row storage', 1
go
sp_configure 'enable HCB index', 1
go
sp_configure 'enable LFB index', 1
go
sp_configure 'number of pack tasks per db', 2
go
sp_configure 'number of imrs gc tasks per db', 2
go
disk init name='d_imrslog_01', physname='/disks/d_imrslog_01', size='1G', type=imrslog
go
alter database d imrslog on d_imrslog_01 = '1G'
go
sp_cacheconfig 'd_row_cache', '300M', row_storage
go
alter database d row storage on d_row_cache
go
alter database d set row_caching on for all tables
go
alter database d set snapshot_isolation on for all tables
go
sp_imrs 'show', 'rowcounts'
go
sp_imrs show, rowcounts, d_row_cache
go
-- Rows and versions are counted as they come and go.
insert customer values (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')
update customer set name = 'A' where id = 1
delete customer where id = 2
exec sp_imrs show, rowcounts, d_row_cache
go
begin transaction
insert customer values (5, 'e'), (6, 'f')
update customer set name = 'C' where id = 3
delete customer where id = 4
exec sp_imrs show, rowcounts, d_row_cache
rollback
exec sp_imrs show, rowcounts, d_row_cache
go
begin transaction
update customer set name = 'C' where id = 3
update customer set id = 40 where id = 4
update customer set name = 'CC' where id = 3
commit
exec sp_imrs show, rowcounts
go
alter table plain set row_caching off
go
-- Options of the server that steer nothing here.
exec sp_configure 'lock scheme', 0, allpages
exec sp_configure 'lock scheme'
exec sp_configure 'number of lob gc tasks per db', 2
exec sp_configure 'number of hcb gc tasks per db', 2
exec sp_configure 'HCB index memory pool size', 65536
exec sp_configure 'HCB index auto tuning', 1
exec sp_configure 'HCB index tuning interval', 5
exec sp_configure 'hash table hit rate threshold', 50
exec sp_configure 'point query rate threshold (%)', 50
exec sp_configure 'LFB memory size', 65536
exec sp_configure 'imrs cache utilization', 80
exec sp_configure 'snapshot isolation timeout', 60
exec sp_configure 'number of reexecutions', 10
exec sp_configure 'sysimrslogs prealloc size', 1
exec sp_configure 'sysimrslogs prealloc percent', 1
exec sp_configure 'number of', 1
exec sp_configure 'enable nothing', 1
exec sp_configure 'nested triggers', 1, datarows
select name from sys.configurations where name like '%imrs%' or name like '%index%' or name like 'enable%'
go
-- Devices.
disk init name = 'data', physname = '/disks/data', size = 1024
go
disk init name = 'data', physname = '/disks/data', size = '1G', type = inmemory
go
disk resize name = 'data', size = '1G'
go
alter database d imrslog off d_imrslog_01
alter database missing imrslog on d_imrslog_01 = '1G'
go
-- Row caches.
exec sp_cacheconfig
exec sp_cacheconfig 'd_row_cache'
exec sp_cacheconfig 'missing'
exec sp_cacheconfig 'other', '256M'
exec sp_cacheconfig 'other', '256M', 'mixed'
exec sp_cacheconfig 'other', '255M', row_storage
exec sp_cacheconfig 'other', 'much', row_storage
exec sp_cacheconfig 'other', '256M', row_storage, 'cache_partition=4'
exec sp_cacheconfig 'other', '262144'
exec sp_cacheconfig
go
begin transaction
exec sp_cacheconfig 'other', '512M'
rollback
go
alter database d row storage on other
go
alter database d row storage on missing
go
alter database d row storage on 'default data cache'
go
alter database master row storage on other
go
exec sp_cacheconfig 'D_ROW_CACHE', 0
exec sp_imrs show, rowcounts, other
exec sp_imrs show, rowcounts, missing
exec sp_imrs show, versions
exec sp_imrs
go
select CacheID, CacheName, DBName, TotalSizeKB, iif(UsedSizeKB <= HighWaterMarkKB, 1, 0) as used, Status from master..monIMRSCache
go
-- Options of the database.
sp_dboption d, 'auto imrs partition tuning', false
go
exec sp_dboption d
exec sp_dboption d, 'auto imrs partition tuning'
exec sp_dboption d, 'auto imrs partition tuning', false
exec sp_dboption d, 'auto imrs partition tuning', true
exec sp_dboption d
exec sp_dboption
exec sp_dboption d, 'auto imrs partition tuning', perhaps
exec sp_dboption d, 'in-memory row storage', false
exec sp_dboption d, 'no such option', true
exec sp_dboption missing
alter database scoped configuration set row_cache_tuning = off
exec sp_dboption d, 'auto imrs partition tuning'
alter database scoped configuration set row_cache_tuning = on
exec sp_dboption d, 'auto imrs partition tuning'
go
alter database scoped configuration set row_cache_tuning = 1
go
-- Levels of isolation by name.
set transaction isolation level statement snapshot
select count(*) from customer
go
select transaction_isolation_level from sys.dm_exec_sessions where session_id = @@spid
set transaction isolation level transaction snapshot
select count(*) from customer
go
select transaction_isolation_level from sys.dm_exec_sessions where session_id = @@spid
set transaction isolation level read committed
go
set transaction isolation level statement serializable
go
-- Permissions.
create user reader without login
go
execute as user = 'reader'
exec sp_imrs show, rowcounts
exec sp_cacheconfig 'other', '512M'
exec sp_dboption d, 'auto imrs partition tuning', false
go
select * from master..monIMRSCache
go
revert
go
-- Back to how it was.
alter database d row storage off
alter database d row storage off
use master
exec sp_cacheconfig 'd_row_cache', '0'
exec sp_cacheconfig 'other', 0
exec sp_cacheconfig 'other', 0
exec sp_cacheconfig
drop database d
go
