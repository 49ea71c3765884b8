set nocount on
create table t (a int)
insert t values (1)
create table target (a int)
go
create procedure p as select a from t
go
set implicit_transactions on
go
-- BEGIN TRANSACTION goes one deeper into the one that it starts
begin transaction select @@trancount as t commit select @@trancount as t commit
select @@trancount as t
go
select a into #z from t select @@trancount as t rollback
insert target exec p select @@trancount as t rollback
insert t values (2) select @@trancount as t rollback
update t set a = 2 select @@trancount as t rollback
delete t select @@trancount as t rollback
select a from t select @@trancount as t rollback
truncate table t select @@trancount as t rollback
select count(*) as n from t rollback
create table u (a int) select @@trancount as t rollback
alter table t add b int select @@trancount as t rollback
create index i on t (a) select @@trancount as t rollback
grant select on t to public select @@trancount as t rollback
drop table t select @@trancount as t rollback
select count(*) as n from sys.tables where name = 't' select @@trancount as t rollback
go
declare c cursor local static for select a from t
select @@trancount as t
open c select @@trancount as t
commit
fetch c select @@trancount as t
rollback
go
-- what reads no table starts none
declare @v int
select 1 as a set @v = 2 print 'x' if @v = 2 exec ('print 1')
select getdate() where 1 = 0
select @@trancount as t
go
set implicit_transactions off
select a from t order by a
go
set nocount off
drop table t
go
create table t (id int not null primary key, v int check (v > 0))
insert t values (1, 10), (2, 20)
go
-- the first statement that reads or changes a table begins the transaction
set implicit_transactions on print @@trancount
insert t values (3, 30) print @@trancount rollback select count(*) from t rollback
set implicit_transactions off
go
