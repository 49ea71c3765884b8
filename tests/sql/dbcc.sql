create table t (id int identity primary key, v varchar(10) null index iv, n int null constraint positive check (n > 0))
create table m (id int not null primary key nonclustered hash with (bucket_count = 64), v int not null index iv) with (memory_optimized = on)
create table child (id int primary key, t int constraint to_t references t, note nvarchar(20))
insert t values ('a', 1), ('b', 2), (null, 3)
insert m values (1, 1), (2, 1)
insert child values (1, 1, N'x')
go
create schema s
go
create table s.heap (a int, b datetime2(3))
insert s.heap values (1, '2020-02-03 04:05:06.789'), (1, null)
go
dbcc checktable (t)
dbcc checktable ('m')
dbcc checktable ('m') with no_infomsgs
dbcc checktable ('s.heap')
dbcc checktable ('nothing')
dbcc checktable (t, repair_rebuild)
dbcc checktable (t) with nonsense
go
begin tran
delete t where v = 'b'
insert t values ('c', 4)
update t set v = 'd' where id = 3
dbcc checktable (t)
rollback
dbcc checktable (t)
go
dbcc checkdb with no_infomsgs
dbcc checkcatalog
dbcc checkalloc
go
dbcc checkdb ('nope')
dbcc checkcatalog (4711)
dbcc opentran ([no such])
go
-- constraints
dbcc checkconstraints
dbcc checkconstraints (t)
go
alter table t nocheck constraint positive
alter table child nocheck constraint all
insert t values ('o''x', -1), (null, 0)
insert child values (2, 77, N'y'), (3, null, N'z')
dbcc checkconstraints
dbcc checkconstraints with all_constraints
dbcc checkconstraints ('positive') with no_infomsgs
dbcc checkconstraints ('child') with all_constraints, no_infomsgs
dbcc checkconstraints ('nothing')
go
create table c (d datetime, x varbinary(4), s varchar(10), constraint odd check (d > '2000-01-01' or x = 0x01 or s = ''''))
alter table c nocheck constraint odd
insert c values ('1999-12-31 10:11:12', 0x0203, 'it''s')
dbcc checkconstraints (odd) with no_infomsgs
go
-- what sessions do
dbcc useroptions
set nocount on set dateformat dmy set transaction isolation level serializable
dbcc useroptions with no_infomsgs
set nocount off set dateformat mdy set transaction isolation level read committed
go
dbcc opentran
begin tran named
insert t values ('z', 5)
go
rollback
dbcc inputbuffer (30000)
dbcc inputbuffer
go
-- not within a transaction
begin tran
dbcc shrinkdatabase (0)
go
dbcc shrinkfile (1)
go
rollback
go
dbcc sqlperf (anything)
go
dbcc nothing
create table rebuilt (id int primary key, a int, index ia (a))
insert rebuilt values (1, 2), (2, 1)
dbcc dbreindex (rebuilt)
dbcc dbreindex ('rebuilt', 'ia', 80) with no_infomsgs
dbcc dbreindex ('rebuilt', 'missing')
go
dbcc dbreindex ('missing')
go
dbcc dbreindex ('rebuilt', ia, 180)
go
dbcc checkfilegroup with no_infomsgs
dbcc checkfilegroup (1) with no_infomsgs
dbcc checkfilegroup ('primary') with no_infomsgs
dbcc checkfilegroup ('nowhere')
go
drop table rebuilt
go
