create table t (id int primary key, v int)
create table big (id int primary key)
insert t values (1, 10), (2, 20), (3, 30)
go
create view locks as
select resource_type as type, case resource_type when 'OBJECT' then object_name(resource_associated_entity_id) end as name,
  request_mode as mode, request_status as status, request_owner_type as owner, count(*) as n
from sys.dm_tran_locks where request_session_id = @@spid and resource_type <> 'DATABASE'
group by resource_type, resource_associated_entity_id, request_mode, request_status, request_owner_type
go
-- what each level and hint locks until the transaction ends
begin tran
select v from t where id = 1
select * from locks order by type, mode
select v from t with (updlock) where id = 1
select * from locks order by type, mode
select v from t with (xlock, rowlock) where id = 2
select * from locks order by type, mode
commit
select * from locks
go
begin tran
select count(*) as n from t with (repeatableread)
select * from locks order by type, mode
rollback
begin tran
select count(*) as n from t with (holdlock) where id between 1 and 2
select count(*) as n from t with (serializable, updlock) where id = 7
select * from locks order by type, mode
select object_name(p.object_id) as name, p.index_id, l.request_mode
from sys.dm_tran_locks l join sys.partitions p on p.hobt_id = l.resource_associated_entity_id
where l.request_session_id = @@spid and l.resource_type = 'KEY' order by l.request_mode
rollback
begin tran
select count(*) as n from t with (tablock)
select * from locks
select count(*) as n from t with (tablock, holdlock)
select * from locks
update t set v = v where id = 1
select * from locks
select count(*) as n from t with (tablockx)
select * from locks
rollback
go
-- plain writers take no locks, and are shown with those that they would have taken
begin tran
update t set v = 11 where id = 1
select * from locks order by type, mode
update t set v = 12 where id = 1
delete t where id = 2
insert t values (5, 50)
select * from locks order by type, mode
update t set id = 6 where id = 5
select * from locks order by type, mode
rollback
select * from locks
go
-- one lock for what was locked, and then changed
begin tran
select v from t with (updlock) where id = 1
select * from locks order by type, mode
update t set v = 12 where id = 1
select * from locks order by type, mode
rollback
go
-- a savepoint gives back what was changed since
begin tran
update t set v = 11 where id = 1
save tran s
update t set v = 11 where id in (2, 3)
select * from locks order by type, mode
rollback tran s
select * from locks order by type, mode
rollback
go
-- a heap's rows have places
create table heap (a int, b int)
insert heap values (1, 1), (2, 2)
go
begin tran
insert heap values (3, 3)
update heap set b = 0 where a = 1
select * from locks order by type, mode
select object_name(p.object_id) as name, p.index_id, count(*) as n, count(distinct l.resource_description) as places,
  min(case when l.resource_description like '1:%:%' then 1 else 0 end) as shape
from sys.dm_tran_locks l join sys.partitions p on p.hobt_id = l.resource_associated_entity_id
where l.request_session_id = @@spid and l.resource_type = 'RID' group by p.object_id, p.index_id
declare @lock table (spid smallint, dbid smallint, ObjId int, IndId smallint, Type nchar(4), Resource nchar(32), Mode nvarchar(8), Status nvarchar(5))
insert @lock exec sp_lock @@spid
select object_name(ObjId) as name, IndId, Type, Mode, Status, count(*) as n from @lock where Type <> 'DB'
group by ObjId, IndId, Type, Mode, Status order by Type
rollback
drop table heap
go
-- the same key has the same name, whoever locks it
declare @changed nvarchar(256), @read nvarchar(256)
begin tran
delete t where id = 3
select @changed = resource_description from sys.dm_tran_locks where request_session_id = @@spid and resource_type = 'KEY'
rollback
begin tran
declare @v int = (select v from t with (repeatableread) where id = 3)
select @read = resource_description from sys.dm_tran_locks where request_session_id = @@spid and resource_type = 'KEY'
rollback
select case when @changed = @read then 'same' end as name, len(@read) as length
go
-- rows of memory-optimized tables are locked by nobody
create table m (id int primary key nonclustered) with (memory_optimized = on)
go
begin tran
insert m values (1)
update t set v = 11 where id = 1
select * from locks order by type, mode
rollback
drop table m
go
-- no more than so many
begin tran
;with n as (select 1 as i union all select i + 1 from n where i < 6000)
insert big select i from n option (maxrecursion 0)
select * from locks order by type, mode
rollback
go
set transaction isolation level repeatable read
begin tran
select v from t where id = 1
update t set v = 21 where id = 2
select * from locks order by type, mode
commit
set transaction isolation level serializable
begin tran
select v from t where id = 1
insert t values (4, 40)
select * from locks order by type, mode
rollback
set transaction isolation level read uncommitted
begin tran
select v from t where id = 1
select v from t with (readcommittedlock, paglock) where id = 1
select v from t (nolock) where id = 1
select * from locks
rollback
set transaction isolation level read committed
go
-- many locks become one on the table
;with n as (select 1 as i union all select i + 1 from n where i < 6000)
insert big select i from n option (maxrecursion 0)
begin tran
select count(*) as n from big with (repeatableread)
select * from locks
rollback
alter table big set (lock_escalation = disable)
begin tran
select count(*) as n from big with (repeatableread)
select * from locks order by type, mode
rollback
go
-- hints that contradict each other, or the level
select * from t with (nolock, updlock)
go
select * from t with (readpast, nolock)
go
select * from t with (holdlock, nolock)
go
select * from t with (tablock, nolock)
go
select * from t with (nolock, tablockx)
go
select * from t with (tablock, rowlock)
go
update t with (paglock, tablockx) set v = 1
go
insert t with (tablock, paglock) values (9, 9)
go
select * from t with (rowlock, paglock)
go
select count(*) as n from t with (tablock, tablockx, xlock, holdlock)
select count(*) as n from t with (rowlock, updlock, holdlock)
go
update t with (nolock) set v = 1
go
select * from t with (snapshot)
go
delete t with (snapshot)
go
select * from t with (readpast, serializable)
go
set transaction isolation level serializable
select * from t with (readpast)
set transaction isolation level read committed
go
delete top (1) from t with (readpast, rowlock) output deleted.id
go
-- a queue
with next as (select top (1) * from t with (updlock, readpast, rowlock) order by id)
delete next output deleted.id, deleted.v
go
-- SNAPSHOT needs the database's leave, and a transaction that began so
set transaction isolation level snapshot
begin tran
select count(*) as n from t
go
rollback
declare @d nvarchar(300) = N'alter database ' + quotename(db_name()) + N' set allow_snapshot_isolation on'
set transaction isolation level read committed
exec (@d)
select snapshot_isolation_state_desc, is_read_committed_snapshot_on from sys.databases where name = db_name()
go
set transaction isolation level snapshot
begin tran
select count(*) as n from t
select count(*) as n from t with (updlock)
select * from locks order by type, mode
commit
set transaction isolation level read committed
begin tran
set transaction isolation level snapshot
select count(*) as n from t
go
select @@trancount as n
if @@trancount > 0 rollback
set transaction isolation level read committed
go
-- locking READ COMMITTED
declare @d nvarchar(300) = N'alter database ' + quotename(db_name()) + N' set read_committed_snapshot off'
exec (@d)
select is_read_committed_snapshot_on from sys.databases where name = db_name()
begin tran
select id from t
select * from locks
rollback
set @d = N'alter database ' + quotename(db_name()) + N' set read_committed_snapshot on'
exec (@d)
go
-- application locks
declare @r int
begin tran
exec @r = sp_getapplock 'Res', 'Shared'
select @r as r, applock_mode('public', 'Res', 'Transaction') as mode, applock_test('public', 'Res', 'Exclusive', 'Session') as free
exec @r = sp_getapplock 'Res', 'IntentExclusive'
select @r as r, applock_mode('public', 'Res', 'Transaction') as mode
exec @r = sp_getapplock @Resource = 'Res', @LockMode = 'Update'
select @r as r, applock_mode('public', 'Res', 'Transaction') as mode
exec @r = sp_getapplock 'Own', 'Exclusive', 'Session', 0
select @r as r, applock_mode('public', 'Own', 'Session') as mode, applock_mode('public', 'Own', 'Transaction') as other
select * from locks order by owner
commit
select * from locks
exec @r = sp_releaseapplock 'Own', 'Session'
select @r as r, applock_mode('public', 'Own', 'Session') as mode
go
declare @r int
exec @r = sp_releaseapplock 'Own', 'Session'
select @r as r
exec sp_releaseapplock 'Own', 'Somebody'
exec sp_getapplock 'Own', 'Odd'
exec sp_getapplock 'Own', 'Shared'
go
select applock_mode('public', '', 'Session')
go
select applock_mode('public', 'x', 'Somebody')
go
select applock_test('public', 'x', 'Odd', 'Session')
go
select applock_test('nobody', 'x', 'Shared', 'Session') as r
go
-- The session in its database, and what it has
exec sp_getapplock 'x', 'Exclusive', 'Session'
go
select resource_type, db_name(resource_database_id), request_mode, request_status, request_owner_type
from sys.dm_tran_locks where request_session_id = @@spid order by 1
exec sp_releaseapplock 'x', 'Session'
go
