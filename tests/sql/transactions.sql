create table t (id int primary key)
go
print @@trancount
begin tran a begin tran b print @@trancount commit tran b print @@trancount
insert t values (1)
rollback tran a
print @@trancount
select count(*) as n from t
go
-- a name that is not the outermost's
begin tran a begin tran b rollback tran b
print @@trancount
rollback
go
-- savepoints
begin tran
insert t values (1)
save tran s
insert t values (2)
save tran s
insert t values (3)
rollback tran s
select id from t order by id
rollback tran s
select id from t order by id
rollback tran nothing
commit
select id from t order by id
delete t
go
-- without a transaction
commit
go
rollback
go
save tran s
go
-- XACT_STATE and dooming
set xact_abort on
begin tran
begin try select cast('x' as int) end try
begin catch
    select xact_state() as state, @@trancount as tc
    begin try save tran s end try begin catch print error_number() end catch
    begin try commit end try begin catch print error_number() end catch
    begin try insert t values (1) end try begin catch print error_number() end catch
    select count(*) as readable from t
    rollback
    select xact_state() as state
end catch
go
begin tran
begin try select cast('x' as int) end try begin catch print xact_state() end catch
go
print @@trancount
set xact_abort off
go
-- conversion errors doom without XACT_ABORT too, others do not
begin tran
begin try select cast('x' as int) end try begin catch print xact_state() rollback end catch
begin tran
begin try select 1 / 0 end try begin catch print xact_state() rollback end catch
go
-- implicit transactions
set implicit_transactions on
select @@trancount as before
insert t values (1)
select @@trancount as after
rollback
select count(*) as n from t
commit
set implicit_transactions off
go
-- definitions take part
begin tran
create table u (a int)
insert u values (1)
alter table u add b int
select * from u
rollback
select object_id('u') as id
go
begin tran
drop table t
rollback
select count(*) as n from t
go
-- what cannot be in a transaction
begin tran
create database z
go
rollback
go
-- levels
set transaction isolation level snapshot
select count(*) as n from t
go
set transaction isolation level serializable
select count(*) as n from t
set transaction isolation level read committed
go
drop table t
go
create table t (id int not null primary key, v int check (v > 0))
insert t values (1, 10), (2, 20)
go
-- a transaction is rolled back as a whole
begin tran update t set v = 11 where id = 1 begin tran insert t values (3, 30)
print @@trancount commit print @@trancount select * from t rollback
select * from t print @@trancount
go
-- savepoints undo what came after them
begin tran insert t values (3, 30) save tran s insert t values (4, 40) rollback tran s
commit select id from t rollback tran nothing
go
-- definitions are undone with their transaction
begin tran create table u (a int) insert u values (1) select * from u rollback
select object_id('u') as id
go
begin tran create table w (a int) commit select count(*) as n from w
go
