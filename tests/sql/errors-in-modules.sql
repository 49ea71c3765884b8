-- Which errors are caught where, and what they end: the batch, a procedure, or its caller.
create table t (id int primary key, v int not null)
insert t values (1, 1)
go
create procedure divides as
select 1/0
print 'after the division'
go
create procedure misses as
print 'before'
select * from nowhere
print 'not'
go
create procedure throws as
begin try exec divides end try
begin catch
print 'rethrows';
throw
end catch
go
create procedure raises @severity int as raiserror('raised', @severity, 7) print 'goes on'
go
begin try exec divides print 'not' end try begin catch print error_number() end catch
go
exec throws print 'not'
go
begin try exec throws end try begin catch print error_procedure() print error_line() end catch
go
-- A name that does not exist ends the procedure, and not its caller.
exec misses print 'caller'
go
begin try exec misses end try begin catch print error_number() end catch
go
-- It is not caught where it stands.
begin try select * from nowhere end try begin catch print 'not' end catch print 'not'
go
begin try exec('select * from nowhere') end try begin catch print 'caught' end catch
go
begin try exec('select from') end try begin catch print error_number() end catch
go
begin try exec nothing end try begin catch print error_number() end catch
go
-- RAISERROR ends nothing, and up to severity 10 it is not an error.
exec raises 16 print 'caller'
go
exec raises 5
go
begin try exec raises 10 end try begin catch print 'not' end catch
go
begin try exec raises 11 end try begin catch print error_state() end catch
go
set xact_abort on exec raises 16 print 'still'
go
set xact_abort off
go
raiserror('x', 19, 1)
go
raiserror(50005, 16, 1)
go
throw 1, 'x', 1
go
-- @@ERROR is that of the last statement.
select 1/0 print @@error print @@error
go
insert t values (2, null) select count(*) from t
go
-- CATCH blocks nest, and errors in them go outwards.
begin try begin try select 1/0 end try begin catch select cast('a' as int) end catch end try
begin catch print error_number() end catch print isnull(error_number(), 0)
go
begin try throw 50001, 'one', 1 end try begin catch
begin try throw 50002, 'two', 1 end try begin catch print error_message() end catch
print error_message() end catch
go
create procedure p as
select 1/0
print 'after'
go
-- An error in a procedure has the procedure's name and line.
exec p
begin try exec p end try begin catch print error_procedure() print error_line() end catch
go
