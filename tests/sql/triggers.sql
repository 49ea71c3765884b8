create table t (id int primary key, v int)
create table log (n int identity, what varchar(50))
go
create trigger ins on t after insert as insert log select concat('ins ', id) from inserted
go
create trigger upd on t after update as
if update(v) insert log select concat('upd ', d.v, ' ', i.v) from inserted i join deleted d on d.id = i.id
else insert log values ('upd other')
go
create trigger del on t after delete as insert log select concat('del ', count(*)) from deleted
go
insert t values (1, 10), (2, 20)
update t set v += 1
update t set id = id where id = 1
delete t where id = 1
delete t where id = 99
select what from log order by n
go
-- disabled, and all of them
truncate table log
disable trigger ins on t
insert t values (3, 30)
enable trigger ins on t
insert t values (4, 40)
select what from log
go
-- ROLLBACK ends the batch
create trigger refuse on t after insert as if exists (select * from inserted where v < 0) begin raiserror('refused', 16, 1) rollback end
go
insert t values (5, -1)
print 'not'
go
select count(*) as n from t print @@trancount
begin tran
insert t values (6, 60)
insert t values (7, -1)
go
select count(*) as n from t print @@trancount
go
begin try insert t values (8, -1) end try begin catch print error_number() print xact_state() end catch
print @@trancount
go
-- an error in a trigger rolls everything back
create table u (a int)
go
create trigger bad on u after insert as select 1 / 0 insert log values ('not')
go
begin tran
insert u values (1)
print 'not'
go
print @@trancount select count(*) as n from u
go
begin tran begin try insert u values (1) end try begin catch print error_number() print xact_state() rollback end catch
go
-- @@TRANCOUNT, @@ROWCOUNT, nesting
create table w (a int)
go
create trigger counts on w after insert as if @@rowcount = 2 print 'two' print @@trancount print trigger_nestlevel()
go
insert w values (1), (2)
begin tran insert w values (3) rollback
go
-- dropped
drop trigger counts
insert w values (4)
print 'silent'
