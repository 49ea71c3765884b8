-- Periods and histories that are wrong.
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end)
go
create table t (id int primary key, s datetime2 generated always as row start, period for system_time (s, e))
go
create table t (id int primary key, e datetime2 generated always as row end, period for system_time (s, e))
go
create table t (id int primary key, s datetime2 generated always as row start, s2 datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, e2 datetime2 generated always as row end, period for system_time (s, e))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e), period for system_time (s, e))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (e, s))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, id))
go
create table t (id int primary key, s datetime generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
go
create table t (id int primary key, s datetime2 generated always as row start null, e datetime2 generated always as row end, period for system_time (s, e))
go
create table t (id int primary key, s datetime2(3) generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
go
create table t (id int primary key, h int hidden)
go
create table t (id int primary key) with (system_versioning = on)
go
create table t (id int, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on)
go
create table #t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on)
go
declare @t table (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
go
create type tt as table (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on (history_table = h))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on (history_table = nowhere.h))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on (history_retention_period = 0 days))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on (history_retention_period = 3 hours))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on (history_retention_period = 20000 years))
go
create table t (id int primary key, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on, system_versioning = off)
go
-- nothing has been left behind
select name from sys.tables
go
-- a table that is to be a history is looked at
create table t (id int primary key, v nvarchar(20), s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
go
create view vh as select 1 as one
go
alter table t set (system_versioning = on (history_table = dbo.vh))
go
alter table t set (system_versioning = on (history_table = dbo.t))
go
create table h (id int not null, v nvarchar(20), s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int primary key, v nvarchar(20), s datetime2 not null, e datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int not null check (id > 0), v nvarchar(20), s datetime2 not null, e datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int identity not null, v nvarchar(20), s datetime2 not null, e datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int not null, v as id, s datetime2 not null, e datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int not null, v nvarchar(20), s datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int not null, w nvarchar(20), s datetime2 not null, e datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int not null, v nvarchar(21), s datetime2 not null, e datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int not null, v nvarchar(20) collate Latin1_General_BIN2, s datetime2 not null, e datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int null, v nvarchar(20), s datetime2 not null, e datetime2 not null)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int not null, v nvarchar(20), s datetime2 not null, e datetime2)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop table h create table h (id int not null, v nvarchar(20), s datetime2 not null, e datetime2 not null)
go
create trigger tr on h after insert as print 'x'
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
drop trigger tr
insert h values (1, 'a', '2020-01-02', '2020-01-01')
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
delete h insert h values (1, 'a', '2020-01-02', '2120-01-01')
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
delete h insert h values (1, 'a', '2020-01-02', '2020-01-05'), (1, 'b', '2020-01-04', '2020-01-06')
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
alter table t set (system_versioning = on (history_table = dbo.h, data_consistency_check = off))
go
select v from t for system_time as of '2020-01-03' where id = 1
select v from t for system_time as of '2020-01-04 12:00' where id = 1 order by v
go
create table t2 (id int not null primary key, v nvarchar(20), s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
go
alter table t2 set (system_versioning = on (history_table = dbo.h))
go
-- retention
alter table t set (system_versioning = on (history_retention_period = 1 day))
go
create clustered index cx on h (s, e)
go
alter table t set (system_versioning = on (history_retention_period = 1 day))
go
drop index cx on h create clustered index cx on h (e, s)
go
alter table t set (system_versioning = on (history_retention_period = 2 weeks))
go
select history_retention_period as n, history_retention_period_unit as u, history_retention_period_unit_desc as what from sys.tables where name = 't'
go
drop index cx on h
go
declare @n int; exec sys.sp_cleanup_temporal_history 'dbo', 't', @n output; select @n as removed
select count(*) as left_over from h
go
exec sys.sp_cleanup_temporal_history 'dbo', 't2'
go
exec sys.sp_cleanup_temporal_history 'dbo', 'nothing'
go
alter table t set (system_versioning = on (history_table = dbo.h, history_retention_period = infinite))
go
exec sys.sp_cleanup_temporal_history @schema_name = 'dbo', @table_name = 't'
go
drop index cx on h
go
declare @sql nvarchar(200) = N'alter database ' + quotename(db_name()) + N' set temporal_history_retention off' exec(@sql)
select is_temporal_history_retention_enabled as enabled from sys.databases where name = db_name()
set @sql = N'alter database ' + quotename(db_name()) + N' set temporal_history_retention on' exec(@sql)
select is_temporal_history_retention_enabled as enabled from sys.databases where name = db_name()
go
-- off, and the tables are like others
alter table t set (system_versioning = off)
go
alter table t set (system_versioning = off)
go
select name, temporal_type from sys.tables where name in ('t', 'h') order by name
insert h values (5, 'by hand', '2020-01-01', '2020-01-02')
insert t (id, v) values (1, 'x')
update t set v = 'y' where iif(e > '9999-12-31', 1, 0) = 1
select v from t
select count(*) as n from h
go
update t set s = '2020-01-01'
go
alter table t drop period for system_time
go
alter table t drop period for system_time
go
select count(*) as periods from sys.periods where object_id = object_id('t')
update t set s = '2020-01-01', e = '2021-01-01'
select v, s, e from t
go
-- a period is added
alter table t add period for system_time (s, e)
go
update t set e = '9999-12-31 23:59:59.9999999', s = '2100-01-01'
go
alter table t add period for system_time (s, e)
go
update t set s = '2020-01-10'
go
alter table t add period for system_time (s, v)
go
alter table t add period for system_time (s, nothing)
go
alter table t add period for system_time (s, e)
go
alter table t set (system_versioning = on (history_table = dbo.h))
go
update t set v = 'z'
select v, iif(e > '9999-12-31', 1, 0) as now from t for system_time all order by s
go
create table plain (id int primary key, v int)
insert plain values (1, 10), (2, 20)
go
alter table plain add s datetime2(0) generated always as row start hidden not null, e datetime2(0) generated always as row end hidden not null, period for system_time (s, e)
go
alter table plain add s datetime2(0) generated always as row start hidden not null constraint ds default '2020-01-01', e datetime2(0) generated always as row end hidden not null constraint de default '9999-12-31', period for system_time (s, e)
go
alter table plain add s datetime2(0) generated always as row start hidden not null constraint ds default '2020-01-01', e datetime2(0) generated always as row end hidden not null constraint de default '9999-12-31 23:59:59', period for system_time (s, e)
go
alter table plain set (system_versioning = on (history_table = dbo.plain_past, history_retention_period = 6 months))
go
update plain set v += 1
select * from plain order by id
select id, v, s from plain_past order by id
go
alter table plain alter column s drop hidden
select id, v from plain for system_time all order by id, v
select top 1 * from plain_past where s > e
go
alter table plain alter column s add hidden
select * from plain where id = 1
go
-- changes of columns carry over
alter table plain add note varchar(20) null, flag int not null constraint df default 7
alter table plain alter column v bigint
exec sp_rename 'plain.note', 'remark', 'COLUMN'
go
select c.name, type_name(c.user_type_id) as type, c.is_nullable from sys.columns c where object_id = object_id('plain_past') order by column_id
update plain set remark = 'new', flag = 8 where id = 1
select id, v, remark, flag from plain for system_time all order by id, v, flag
go
alter table plain drop constraint df
alter table plain drop column flag
alter table plain drop column remark
select c.name from sys.columns c where object_id = object_id('plain_past') order by column_id
select id, v from plain for system_time all order by id, v
go
-- names and schemas may change
exec sp_rename 'plain', 'plainer'
exec sp_rename 'plain_past', 'plainer_past'
go
create schema s2
go
alter schema s2 transfer plainer_past
go
update plainer set v = 0 where id = 2
select id, v from plainer for system_time all where id = 2 order by v
select schema_name(schema_id) as s, name, temporal_type_desc from sys.tables where name like 'plainer%' order by name
go
-- users need to read both
create user reader without login
grant select on plainer to reader
go
execute as user = 'reader' select count(*) as n from plainer for system_time all revert
go
grant select on s2.plainer_past to reader
go
execute as user = 'reader' select count(*) as n from plainer for system_time all revert
go
exec sp_help 'plainer'
go
