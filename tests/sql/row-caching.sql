-- Row caching of disk tables, hash caching of indexes, and SAP ASE's way to say it.
create table a (id int primary key, n int) with (row_caching = on)
create table b (id int, n int) with (row_caching = off)
create table c (id int, n int) lock datarows with dml_logging = full, row_caching on
create table e (id int) with row_caching = on, snapshot_isolation off
create table f (id int) lock datarows
select name, is_row_caching_on from sys.tables order by name
go
-- Rows stay where they are, in heaps too.
insert a values (1, 10), (2, 20)
insert b values (1, 10), (2, 20)
alter table a set (row_caching = off)
alter table b set (row_caching = on, lock_escalation = disable)
alter table c set row_caching off
alter table f set row_caching = on
select name, is_row_caching_on, lock_escalation_desc from sys.tables order by name
select * from a
select * from b
go
-- An alteration goes with its transaction.
begin transaction
alter table a set row_caching on
create table g (id int) with (row_caching = on)
select name, is_row_caching_on from sys.tables where name in ('a', 'g') order by name
rollback
select name, is_row_caching_on from sys.tables where name in ('a', 'g')
go
begin transaction
alter table a set row_caching on
save transaction s
alter table b set row_caching off
update a set n = 30 where id = 1
rollback transaction s
commit
select name, is_row_caching_on from sys.tables where name in ('a', 'b') order by name
select * from a
go
-- A table that is made anew keeps the option.
alter table a alter column n bigint
truncate table b
select name, is_row_caching_on from sys.tables where name in ('a', 'b') order by name
go
-- What is not there is told.
create table h (id int) lock allpages
create table i (id int) lock datapages with dml_logging = minimal
alter table h lock datarows
alter table h lock allpages
alter table h set snapshot_isolation on
alter table h set snapshot_isolation off
go
alter table h lock somehow
go
alter table h set row_caching = maybe
go
alter table h set (row_caching on)
go
alter table h set lock_escalation on
go
-- Where it cannot be.
create view v as select 1 as a
go
alter table v set row_caching on
go
alter table sys.objects set row_caching on
go
alter table nothing set row_caching on
go
create table #t (id int) with (row_caching = on)
go
create table #t (id int) with (row_caching = off)
alter table #t set row_caching on
go
create table ##t (id int) with (row_caching = on)
go
declare @t table (id int) with (row_caching = on)
go
create type tt as table (id int) with (row_caching = on)
go
create table m (id int primary key nonclustered) with (memory_optimized = on, row_caching = on)
go
create table m (id int primary key nonclustered) with (memory_optimized = on)
go
alter table m set (row_caching = on)
go
alter table m set (row_caching = off)
go
-- Indexes.
create unique index ia on a (n) with index_compression = none, index_hash_caching = default
create index ib on b (n) with index_hash_caching on, latch_free_index = on
create index ic on c (n) with (index_hash_caching = off)
create table j (
    id int primary key with (index_hash_caching = on), n int, p int,
    index k (n) with (index_hash_caching = off), constraint u unique (p) with (index_hash_caching = on))
select object_name(object_id) as [table], iif(name like 'PK%', 'PK', name) as name, index_hash_caching, index_hash_caching_desc
from sys.indexes where object_id in (object_id('a'), object_id('b'), object_id('c'), object_id('j')) order by 1, 2
go
alter index ia on a set (index_hash_caching = on)
alter index ib on b rebuild with (index_hash_caching = off)
alter index all on j set (index_hash_caching = default)
create index ic on c (n) with (drop_existing = on)
select name, index_hash_caching, index_hash_caching_desc from sys.indexes where name in ('ia', 'ib', 'ic', 'k', 'u') order by name
go
create index ie on e (id) with index_compression = page, latch_free_index = off
alter index ie on e set (latch_free_index = off)
go
create index ix on f (id) with index_hash_caching = always
go
create table #u (id int primary key with (index_hash_caching = on))
go
create table #u (id int primary key with (index_hash_caching = default))
create index ix on #u (id) with (index_hash_caching = on)
go
declare @u table (id int primary key with (index_hash_caching = on))
go
create table m2 (id int primary key nonclustered with (index_hash_caching = on)) with (memory_optimized = on)
go
-- All tables of a database.
select is_row_caching_on from sys.databases where database_id = db_id()
alter database current set row_caching on for all tables
select is_row_caching_on from sys.databases where database_id = db_id()
select name, is_row_caching_on from sys.tables where name not like '#%' order by name
go
create table later (id int)
create table never (id int) with (row_caching = off)
create table #later (id int)
select 1 as id into filled
create table m3 (id int primary key nonclustered) with (memory_optimized = on)
select name, is_row_caching_on from sys.tables where name in ('later', 'never', 'filled', 'm3') order by name
select is_row_caching_on from tempdb.sys.tables where object_id = object_id('tempdb..#later')
go
alter database current set row_caching = on for all tables
alter database current set row_caching on for all tables
go
alter database current set row_caching off for all tables
select count(*) from sys.tables where is_row_caching_on = 1
go
begin transaction
alter database current set row_caching on for all tables
go
rollback
go
alter database tempdb set row_caching on for all tables
go
alter database nowhere set row_caching on for all tables
go
alter database current set row_caching on
go
alter database current set snapshot_isolation on for all tables
alter table h set snapshot_isolation on
alter table h set snapshot_isolation off
select snapshot_isolation_state_desc from sys.databases where database_id = db_id()
alter database current set snapshot_isolation off for all tables
select snapshot_isolation_state_desc from sys.databases where database_id = db_id()
go
-- Permissions are those of other alterations.
create user reader without login
grant select on a to reader
grant alter on b to reader
go
execute as user = 'reader'
alter table b set row_caching on
go
alter table a set row_caching on
go
alter database current set row_caching on for all tables
go
revert
select name, is_row_caching_on from sys.tables where name in ('a', 'b') order by name
exec sp_helpindex 'b'
go
-- Plans show which look-ups ask the row cache: those by the whole key of a unique index.
create table shown (id int constraint pk_shown primary key, u int not null, w int not null, n int) with (row_caching = on)
create unique index iu on shown (u)
create unique index iw on shown (w) with (index_hash_caching = off)
go
set showplan_text on
go
select n from shown where id = 1
select n from shown where u = 1
select n from shown where w = 1
select n from shown where id > 1
update shown set n = 2 where id = 1
go
set showplan_text off
go
alter table shown set (row_caching = off)
go
set showplan_text on
go
select n from shown where id = 1
go
set showplan_text off
go
