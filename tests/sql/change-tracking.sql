-- Change tracking: versions of commits, and how the changes of a row merge.
create database tracked
go
use tracked
go
select change_tracking_current_version() as v
alter table nosuch enable change_tracking
create table t (id int constraint pk_t primary key, a int, b int, c int)
alter table t enable change_tracking
go
alter database current set change_tracking = off
alter database current set change_tracking (auto_cleanup = on)
go
alter database tracked set change_tracking = on
go
alter database tracked set change_tracking = on
go
select change_tracking_current_version() as v, databasepropertyex('tracked', 'IsChangeTrackingEnabled') as is_on
alter table t enable change_tracking with (track_columns_updated = on)
select change_tracking_current_version() as v, change_tracking_min_valid_version(object_id('t')) as least
go
create procedure show @since bigint = null as
select id, sys_change_operation as op, sys_change_version as v, sys_change_creation_version as c,
  sys_change_columns as columns, sys_change_context as context
from changetable(changes t, @since) as ct order by id
go
-- One version for each transaction that has changed something.
insert t values (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)
exec show 0
exec show
exec show -1
exec show 99
update t set a = 9 where id = 1
update t set a = 1 where 1 = 0
exec show 0
exec show 1
delete t where id = 2
exec show 0
exec show 2
insert t values (4, 0, 0, 0)
delete t where id = 4
exec show 3
delete t where id = 1
insert t values (1, 0, 0, 0)
exec show 5
exec show 6
select change_tracking_current_version() as v
go
-- A transaction is one version, and its changes merge.
begin tran
insert t values (11, 1, 1, 1)
delete t where id = 11
insert t values (12, 2, 2, 2)
delete t where id = 12
insert t values (12, 3, 3, 3)
delete t where id = 3
insert t values (3, 10, 10, 10)
update t set a = 4 where id = 3
select change_tracking_current_version() as v
exec show 7
commit
exec show 7
go
-- What is rolled back is not there.
begin tran
insert t values (20, 1, 1, 1)
rollback
begin tran
insert t values (21, 1, 1, 1)
save tran s
insert t values (22, 1, 1, 1)
rollback tran s
commit
exec show 8
begin tran
save tran s
insert t values (23, 1, 1, 1)
rollback tran s
commit
insert t values (21, 1, 1, 1)
select change_tracking_current_version() as v
go
-- Keys that change: the row goes and another one comes.
delete t
insert t values (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)
update t set id = id + 1
exec show 11
update t set id = id + 10 where id < 4
exec show 12
update t set id = id where id = 4
exec show 13
select * from t order by id
go
-- Which columns were set.
update t set b = 5 where id = 4
exec show 14
update t set c = 5, a = 3 where id = 4
exec show 14
exec show 15
update t set a = 1, b = 1, c = 1 where id = 4
exec show 14
update t set a = 1 where id = 12
update t set b = 1 where id = 12
update t set c = 1 where id = 12
exec show 17
insert t values (30, 1, 1, 1)
update t set a = 2 where id = 30
exec show 20
go
create table r (id int primary key, a int, b int, rv rowversion, cc as a + 1)
alter table r enable change_tracking with (track_columns_updated = on)
create table n (id int primary key, a int, b int)
alter table n enable change_tracking
insert r (id, a, b) values (1, 1, 1)
insert n values (1, 1, 1)
declare @v bigint = change_tracking_current_version()
update r set a = 5
update n set a = 5
select sys_change_columns from changetable(changes r, @v) as x
select sys_change_columns from changetable(changes n, @v) as x
go
select change_tracking_is_column_in_mask(2, null) as a, change_tracking_is_column_in_mask(1, 0x0000000002000000) as b,
  change_tracking_is_column_in_mask(2, 0x0000000002000000) as c, change_tracking_is_column_in_mask(-1, 0x00000000ffffffff) as d,
  change_tracking_is_column_in_mask(1, 0x0000000001000000ff) as e, change_tracking_is_column_in_mask(1, 0x01000000ffffffff) as f,
  change_tracking_is_column_in_mask(1, cast(0x0000000001000000 as binary(12))) as g
go
select change_tracking_is_column_in_mask(1, 0x00000000)
go
select change_tracking_is_column_in_mask(null, 0x01)
go
select change_tracking_is_column_in_mask(cast(1 as bigint), 0x0000000001000000)
go
select change_tracking_is_column_in_mask(1, 'abc')
go
select change_tracking_is_column_in_mask(1)
go
select change_tracking_min_valid_version(cast(1 as tinyint))
go
select change_tracking_min_valid_version(null)
go
select change_tracking_current_version(1)
go
-- The context of changes.
declare @v bigint = change_tracking_current_version(), @empty varbinary(128) = 0x, @c binary(1) = 0x0a;
with change_tracking_context (@empty) insert t values (41, 4, 4, 4), (42, 4, 4, 4), (43, 4, 4, 4);
begin tran;
with change_tracking_context (0x07) update t set a = 2 where id in (41, 42);
with change_tracking_context (0x08) update t set a = 3 where id = 41;
update t set a = 3 where id = 42;
commit;
with change_tracking_context (@c), s as (select 44 id) merge t using s on t.id = s.id
when not matched then insert values (s.id, 0, 0, 0);
with change_tracking_context (0x0b) delete t where id = 4;
select id, sys_change_context, sys_change_operation from changetable(changes t, @v) ct order by id
go
declare @c varbinary(200) = 0x01; with change_tracking_context (@c) insert t values (1, 1, 1, 1)
go
declare @c varbinary(max) = 0x01; with change_tracking_context (@c) insert t values (1, 1, 1, 1)
go
declare @c varchar(10) = 'a'; with change_tracking_context (@c) insert t values (1, 1, 1, 1)
go
with change_tracking_context ('abc') insert t values (1, 1, 1, 1)
go
with change_tracking_context (0x01) select 1
go
create view v as with change_tracking_context (0x01) select 1 as a
go
with change_tracking_context (0x01) exec sp_who
go
-- The last change of a row.
create table k (id int, s varchar(5), a int, primary key (s, id))
insert k values (1, 'x', 1)
alter table k enable change_tracking
insert k values (2, 'y', 2), (3, 'z', 3)
declare @v bigint = change_tracking_current_version()
update k set a = 5 where id = 2
delete k where id = 3
select k.id, v.id, v.s, v.sys_change_version - @v as v, v.sys_change_context
from k cross apply changetable(version k, (id, s), (k.id, k.s)) as v order by k.id
select v.version - @v as since, v.context, v.s, v.id from changetable(version k, (s, id), ('z', 3), forceseek) as v(version, context, s, id)
select * from changetable(version k, (s, id), ('q', 3)) as v
begin tran
update k set a = 6 where id = 2
select sys_change_version - @v as v from changetable(version k, (id, s), (2, 'y')) as v
commit
select sys_change_version - @v as v from changetable(version k, (id, s), (2, 'y')) as v
select c.s, c.id from changetable(changes k, 0, forceseek) as c order by s
go
select c.ver, c.key_id from changetable(changes t, 28) as c(ver, cre, op, cols, ctx, key_id)
select top (0) * into described_changes from changetable(changes k, 0) ct
select top (0) * into described_version from changetable(version k, (id, s), (1, 'x')) ct
select object_name(object_id) as t, name, type_name(user_type_id) as type, max_length, is_nullable, collation_name
from sys.columns where object_name(object_id) like 'described%' order by object_name(object_id), column_id
go
create table u (id int primary key)
go
create view w as select id from t
go
select * from changetable(version t, (id, a), (1, 1)) v
go
select * from changetable(version t, (a), (1)) v
go
select * from changetable(version k, (id), (1)) v
go
select * from changetable(version k, (id, id), (1, 2)) v
go
select * from changetable(version k, (id, s), (1)) v
go
select * from changetable(changes t, 0)
go
select * from changetable(changes dbo.u, 0) c
go
select * from changetable(changes w, 0) c
go
select * from changetable(changes sys.objects, 0) c
go
select * from changetable(changes nosuch, 0) c
go
select * from changetable(changes nosuch) c
go
select * from changetable(changes t, 1.5) c
go
declare @x int = 0; select * from changetable(changes t, @x + 1) c
go
declare @d datetime = getdate(); select * from changetable(changes t, @d) c
go
select * from changetable(foo t, 0) c
go
-- Internal tables are not for users.
select * from sys.syscommittab
go
declare @name sysname = (select name from sys.internal_tables where parent_id = object_id('t'))
declare @sql nvarchar(max), @at int = 0
while @at < 6
begin
  set @at += 1
  set @sql = replace(choose(@at, 'select * from sys.?', 'delete from sys.?', 'drop table sys.?', 'truncate table sys.?',
    'alter table sys.? add y int', 'create index i on sys.? (k1)'), '?', @name)
  begin try exec (@sql) end try
  begin catch print concat(error_number(), ': ', replace(error_message(), object_id('t'), 'N')) end catch
end
go
select [CHANGE COLUMNS]('00')
go
select replace(name, object_id('t'), 'N') as name, type, type_desc, internal_type, internal_type_desc, schema_name(schema_id) as s
from sys.internal_tables where parent_id = object_id('t')
select object_name(object_id) as t, is_track_columns_updated_on, min_valid_version, begin_version, cleanup_version
from sys.change_tracking_tables order by 1
select db_name(database_id) as d, is_auto_cleanup_on, retention_period, retention_period_units, retention_period_units_desc
from sys.change_tracking_databases
select count(*) as n, min(commit_ts) as least, max(commit_ts) as most, count(distinct xdes_id) as x from sys.dm_tran_commit_table
go
-- Triggers, cascades, MERGE, OUTPUT INTO.
declare @v bigint = change_tracking_current_version()
create table p (id int primary key)
create table c (id int primary key, pid int references p on delete cascade on update cascade)
create table w2 (id int primary key, a int)
alter table c enable change_tracking with (track_columns_updated = on)
alter table w2 enable change_tracking
insert p values (1), (2)
insert c values (10, 1), (20, 2)
delete p where id = 1
update p set id = 3 where id = 2
insert w2 values (1, 1)
merge w2 using (values (1, 2), (3, 3)) s(id, a) on w2.id = s.id
when matched then update set a = s.a when not matched then insert values (s.id, s.a);
select id, sys_change_operation, sys_change_version - @v as v, sys_change_creation_version - @v as c, sys_change_columns
from changetable(changes c, 0) x order by id
select id, sys_change_operation, sys_change_version - @v as v from changetable(changes w2, 0) x order by id
merge w2 using (values (1)) s(id) on w2.id = s.id when not matched by source then delete;
create table o (id int primary key, a int)
alter table o enable change_tracking
go
declare @v bigint = change_tracking_current_version()
delete w2 output deleted.id, deleted.a into o
select 'w2' as t, id, sys_change_operation, sys_change_version - @v as v from changetable(changes w2, @v) x
union all select 'o', id, sys_change_operation, sys_change_version - @v from changetable(changes o, @v) x order by 1, 2
update o set a = 7 output inserted.id + 1, deleted.a into w2
select 'w2' as t, id, sys_change_operation, sys_change_version - @v as v from changetable(changes w2, @v) x
union all select 'o', id, sys_change_operation, sys_change_version - @v from changetable(changes o, @v) x order by 1, 2
go
delete w2
insert p values (7)
go
create trigger tr on w2 after insert as insert c select id + 100, 7 from inserted
go
declare @v bigint = change_tracking_current_version()
insert w2 values (51, 1), (52, 1)
select 'w2' as t, id, sys_change_operation, sys_change_version - @v as v from changetable(changes w2, @v) x
union all select 'c', id, sys_change_operation, sys_change_version - @v as v from changetable(changes c, @v) x order by 1, 2
select @@identity as i, scope_identity() as s
go
-- Rows that an index refuses with a warning are not changes.
create table ig (id int primary key with (ignore_dup_key = on))
alter table ig enable change_tracking
insert ig values (1)
declare @v bigint = change_tracking_current_version()
insert ig values (1), (2)
insert ig values (1)
select id, sys_change_operation, sys_change_version - @v as v from changetable(changes ig, @v) x order by id
select change_tracking_current_version() - @v as v
go
-- TRUNCATE forgets changes, and is not one.
declare @v bigint = change_tracking_current_version()
begin tran
truncate table k
rollback
select count(*) as n from changetable(changes k, 0) x
truncate table k
select change_tracking_min_valid_version(object_id('k')) - @v as least, change_tracking_current_version() - @v as v
insert k values (9, 'n', 1)
select id, sys_change_operation, sys_change_version - @v as v from changetable(changes k, 0) x
go
-- What definitions may not do.
alter table t enable change_tracking
go
alter table u disable change_tracking
go
create table heap (a int)
alter table heap enable change_tracking
go
create table stamped (a rowversion primary key)
alter table stamped enable change_tracking
go
create table #tt (id int primary key)
alter table #tt enable change_tracking
go
alter table t enable change_tracking with (track_columns_updated = bogus)
go
alter table u enable change_tracking (track_columns_updated = on)
go
alter table t drop constraint pk_t
go
alter table t alter column id bigint not null
go
alter database current set change_tracking = off
go
alter database master set change_tracking = on
go
alter database current set change_tracking (auto_cleanup = on, auto_cleanup = off)
go
alter database current set change_tracking (change_retention = 0 days)
go
alter database current set change_tracking (change_retention = 2000000 days)
go
alter database current set change_tracking (change_retention = 1 seconds)
go
alter database current set change_tracking (change_retention = 1)
go
alter database current set change_tracking = on, recursive_triggers on
go
alter database current set change_tracking (change_retention = 30 minutes)
alter database current set change_tracking (auto_cleanup = off)
select is_auto_cleanup_on, retention_period, retention_period_units_desc, max_cleanup_version from sys.change_tracking_databases
exec sp_flush_CT_internal_table_on_demand
exec sp_flush_CT_internal_table_on_demand 'u'
declare @n bigint
exec sp_flush_CT_internal_table_on_demand 'dbo.[t]', @n output
select @n as n
go
-- Other columns come and go.
alter table n add d int not null default 7
go
update n set d = 8
alter table n drop column a
go
update n set b = 8
exec sp_rename 'n.id', 'key', 'column'
go
select [key], sys_change_operation, change_tracking_current_version() - sys_change_version as behind from changetable(changes n, 0) x
go
-- Enabling and disabling go with their transaction.
begin tran
alter table u enable change_tracking
rollback
select count(*) as n from sys.change_tracking_tables where object_id = object_id('u')
begin tran
alter table n disable change_tracking
rollback
insert n (b) values (1)
insert n ([key], b) values (5, 1)
select [key], sys_change_operation from changetable(changes n, 0) x order by 1
go
-- Permissions.
create user reader without login
grant select on t to reader
go
execute as user = 'reader'
select count(*) as n from changetable(changes t, 0) x
go
revert
grant view change tracking on t to reader
go
execute as user = 'reader'
select sign(count(*)) as n from changetable(changes t, 0) x
select count(*) as n from sys.change_tracking_tables
select count(*) as n from sys.internal_tables
select count(*) as n from sys.objects where type = 'IT'
select change_tracking_min_valid_version(object_id('t')) as t, change_tracking_min_valid_version(object_id('k')) as k
exec sp_flush_CT_internal_table_on_demand
revert
deny select on t (id) to reader
go
execute as user = 'reader'
select sign(count(*)) as n from changetable(changes t, 0) x
revert
go
-- The version outlives all.
declare @v bigint = change_tracking_current_version(), @sql nvarchar(max) = ''
select @sql += 'alter table ' + quotename(object_name(object_id)) + ' disable change_tracking;' from sys.change_tracking_tables
exec (@sql)
select count(*) as n from sys.internal_tables
alter database current set change_tracking = off
select change_tracking_current_version() as v
alter database current set change_tracking = on (change_retention = 5 hours, auto_cleanup = on)
alter table t enable change_tracking
select change_tracking_current_version() - @v as v, change_tracking_min_valid_version(object_id('t')) - @v as least
drop table c
drop table t
select count(*) as n from sys.internal_tables
go
-- A history is not tracked, and a versioned table may be.
create table h (id int primary key, a int, s datetime2 generated always as row start, e datetime2 generated always as row end,
  period for system_time (s, e)) with (system_versioning = on (history_table = dbo.h_past))
alter table h_past enable change_tracking
go
alter table h enable change_tracking with (track_columns_updated = on)
go
insert h (id, a) values (1, 1)
declare @v bigint = change_tracking_current_version()
update h set a = 2
select id, sys_change_operation, sys_change_version - @v as v, sys_change_columns from changetable(changes h, @v) x
select count(*) as n from h_past
go
use master
drop database tracked
go
