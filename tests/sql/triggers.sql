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
go
-- one trigger sees what was inserted, updated or deleted, and may refuse
drop table t, log
create table t (id int primary key, v int) create table log (what varchar(20), n int)
go
create trigger tr on t after insert, update, delete as
insert log select 'ins', count(*) from inserted
insert log select 'del', count(*) from deleted
if update(v) and exists (select * from inserted where v < 0) rollback
go
insert t values (1, 1), (2, 2)
update t set v = 5 where id = 1
delete t
select * from log
go
insert t values (3, -1) print 'not'
go
select count(*) as n from t print @@trancount
go
-- MERGE fires a trigger once for each action; OUTPUT needs an INTO where a table has triggers
create schema sales
go
create table sales.c (id int identity primary key, name nvarchar(20) not null constraint uq unique,
    kind char(1) not null default 'a' constraint ck check (kind in ('a', 'b')), v rowversion,
    both as name + N'/' + kind persisted, twice as id * 2)
go
create table sales.o (id int identity(10, 5) primary key,
    c int not null constraint fk references sales.c (id) on delete cascade, amount money not null default 0)
go
insert sales.c (name) values (N'ann'), (N'bob'), (N'cid')
insert sales.o (c, amount) select id, id * 10 from sales.c
go
create table sales.log (i int, d int)
go
create trigger sales.tr on sales.c after insert, update, delete as
insert sales.log select (select count(*) from inserted), (select count(*) from deleted)
go
update sales.c set kind = 'b'
go
merge sales.c as t using (values (N'ann'), (N'new')) as s (name) on s.name = t.name
when matched then delete when not matched then insert (name) values (s.name);
go
select i, d from sales.log order by i, d
go
insert sales.c (name) output inserted.id values (N'zed')
go
