create table t (id int not null primary key, v varchar(5), n tinyint)
go
-- statement-level errors: the batch goes on
insert t values (1, 'a', 1), (1, 'b', 2)
print @@error
insert t values (1, 'toolong', 1)
print @@error
insert t values (1, 'a', 256)
insert t values (null, 'a', 1)
select 1 / 0
print 'end'
select count(*) as n from t
go
-- a failed conversion of a string ends the batch
select cast('x' as int)
print 'not'
go
-- arithmetic overflow does not
declare @i int = 2147483647
set @i = @i + 1
print 'on'
go
-- with ARITHABORT and ANSI_WARNINGS off there is NULL
set arithabort off set ansi_warnings off
select 1 / 0 as q
set ansi_warnings on
go
-- TRY, CATCH, ERROR_ functions
begin try
    insert t values (5, 'x', 1)
    insert t values (5, 'x', 1)
    print 'not'
end try
begin catch
    select error_number() as n, error_severity() as s, error_state() as st, error_line() as l, error_procedure() as p
end catch
select error_number() as outside
go
-- rethrow keeps everything
begin try
    raiserror('first %s', 14, 3, 'one')
end try
begin catch
    print error_message();
    throw
end catch
print 'not'
go
-- errors of severity 10 and below are not caught
begin try raiserror('only telling', 10, 1) print 'still in try' end try begin catch print 'not' end catch
go
-- RAISERROR's formats
raiserror('%d %5d|%-5d|%05d %x %X %o %u', 0, 1, 1, 2, 3, 4, 255, 255, 8, 9)
raiserror('%s|%10s|%-10s|%.2s', 0, 1, 'abc', 'abc', 'abc', 'abc')
raiserror('%s %d', 0, 1)
raiserror('100%%', 0, 1)
raiserror('%d', 0, 1, 'text')
raiserror('%q', 0, 1)
go
-- with SETERROR
raiserror('set', 0, 1) with seterror
print @@error
go
-- THROW needs a CATCH, or arguments
throw
go
begin try throw 60000, 'thrown', 5 end try begin catch select error_number() as n, error_message() as m, error_state() as s end catch
go
throw 60000, 'uncaught', 5
print 'not'
go
-- nested: an error in CATCH goes to the TRY around
begin try
    begin try select 1 / 0 end try
    begin catch print error_number() select cast('a' as int) end catch
    print 'not'
end try
begin catch print error_number() end catch
go
-- XACT_ABORT
set xact_abort on
begin tran
insert t values (6, 'x', 1)
insert t values (6, 'x', 1)
print 'not'
go
select @@trancount as tc, count(*) as n from t where id = 6
set xact_abort off
go
-- names that are not there
select nothing from t
go
select * from nothing
print 'not'
go
exec nothing
print 'on'
go
select id from t where unknown_function(1) = 1
go
select dbo.unknown(1)
go
use nowhere
print 'on'
go
-- syntax
select from
go
select 'unclosed
go
go
-- a severity and a state below zero are the message's own
raiserror(15600, -1, -1, 'sp_something')
raiserror('text', -1, -1)
go
-- an error goes to the nearest CATCH
begin try select 1/0 end try begin catch print error_message() print error_number() end catch
go
select 1/0 print 'next'
go
raiserror('a %d %s', 16, 3, 5, 'b') print @@error
go
throw 50001, 'x', 2; print 1
go
-- errors of compilation come before anything runs
print 1 select nothing
go
print 1
select * from nowhere
print 2
go
print 1 selec 2
go
