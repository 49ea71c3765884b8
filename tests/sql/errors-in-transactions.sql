-- Errors in transactions, and what they end: the statement, the batch or the transaction.
create table t (id int not null primary key, v int check (v > 0))
insert t values (1, 10), (2, 20)
go
-- A failed statement leaves nothing, and the batch goes on.
insert t values (5, 50), (1, 0) print @@error select count(*) from t
go
insert t values (1, 1)
go
-- XACT_ABORT rolls back and ends the batch.
set xact_abort on begin tran insert t values (3, 30) insert t values (1, 1) print 'not'
go
print @@trancount select count(*) from t
go
set xact_abort off
go
-- A string that cannot be converted ends the transaction.
begin tran insert t values (3, 30) declare @i int set @i = 'abc' print 'not'
go
print @@trancount
go
-- A caught error may doom the transaction.
set xact_abort on begin tran
begin try insert t values (1, 1) end try
begin catch print xact_state() print error_number()
begin try insert t values (9, 9) end try begin catch print error_number() end catch
end catch
go
print @@trancount
go
set xact_abort off
go
-- Without XACT_ABORT a duplicate key does not.
begin tran begin try insert t values (1, 1) end try
begin catch print xact_state() commit end catch print @@trancount
go
