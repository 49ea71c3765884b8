set nocount on
create table parent (id int primary key, c as 1)
create table child (a int, b int null constraint fk_child references parent)
create table plain (a int)
insert plain values (1)
create type kind from int
go
create view shows as select a from plain
go
-- the batch ends and the transaction is rolled back
begin tran alter table plain add b int not null print 'not reached'
go
select @@trancount as t
go
begin tran truncate table parent print 'not reached'
go
begin tran truncate table shows print 'not reached'
go
begin tran alter table plain disable trigger nothing print 'not reached'
go
begin tran create table refers (a int constraint fk_refers references shows) print 'not reached'
go
begin tran create type kind from int print 'not reached'
go
begin tran alter table plain drop constraint shows print 'not reached'
go
begin tran alter table plain add constraint ck_plain check (a > 1) print 'not reached'
go
begin tran set identity_insert plain on print 'not reached'
go
begin tran create table plain (a int) print 'not reached'
go
begin tran create sequence zero increment by 0 print 'not reached'
go
begin tran create sequence large minvalue 5 maxvalue 4 print 'not reached'
go
begin tran drop table parent print 'not reached'
go
begin tran insert plain values (1) create unique index twice on plain (a) print 'not reached'
go
begin tran select cast('x' as smallmoney) as a print 'not reached'
go
begin tran use nowhere print 'not reached'
go
begin tran save tran s rollback
save tran s print 'not reached'
go
select @@trancount as t
go
-- a CATCH block sees a transaction that cannot be committed
begin try begin tran create table plain (a int) end try
begin catch select error_number() as n, xact_state() as x rollback end catch
begin try begin tran alter table plain add b int not null end try
begin catch select error_number() as n, xact_state() as x rollback end catch
begin try begin tran alter table plain add constraint ck_plain check (a > 1) end try
begin catch select error_number() as n, xact_state() as x rollback end catch
begin try begin tran insert child values (1, 9) end try
begin catch select error_number() as n, xact_state() as x rollback end catch
begin try begin tran drop table nothing end try
begin catch select error_number() as n, xact_state() as x rollback end catch
go
-- only the statement ends
begin tran
drop procedure nothing
insert child values (1, 9)
select 1/0 as a
print 'goes on'
select @@trancount as t
rollback
go
-- what is dropped and was not there has done no harm under XACT_ABORT, too
set xact_abort on
begin tran
drop procedure nothing
print 'goes on'
insert child values (1, 9)
print 'not reached'
go
select @@trancount as t
set xact_abort off
go
set xact_abort on
begin try begin tran drop table nothing end try
begin catch select error_number() as n, xact_state() as x rollback end catch
begin try begin tran raiserror('raised', 16, 1) end try
begin catch select error_number() as n, xact_state() as x rollback end catch
set xact_abort off
go
-- a cursor over nothing
declare c cursor local fast_forward for select 1 from nothing
print 'not reached'
go
declare @c cursor set @c = cursor for select 1 from nothing
print 'not reached'
go
create procedure opens as declare c cursor for select 1 from nothing print 'not reached'
go
exec opens print 'the caller goes on'
go
-- COMMIT and ROLLBACK where an INSERT waits for rows
create table target (a int)
go
create procedure commits as insert plain values (3) commit select * from plain
go
create procedure rolls_back as insert plain values (3) rollback select * from plain
go
insert target exec commits print 'not reached'
go
insert target exec rolls_back print 'not reached'
go
begin tran insert target exec commits print 'not reached'
go
select (select count(*) from plain) as p, (select count(*) from target) as t, @@trancount as c
go
-- the header of a result that fails comes first
begin try select (select v from (values (1), (2)) as r(v)) as a end try begin catch print error_number() end catch
begin try select dateadd(year, 9000, '2024-01-01') as a end try begin catch print error_number() end catch
begin try select cast('x' as smallmoney) as a end try begin catch print error_number() end catch
begin try select a / 0 as a from plain end try begin catch print error_number() end catch
go
