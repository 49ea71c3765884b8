-- Times differ from run to run: moments between statements are kept in a table and asked for by name.
create table moments (name varchar(10) primary key, at datetime2 not null)
go
create procedure mark @name varchar(10) as
waitfor delay '00:00:00.010'
insert moments values (@name, sysutcdatetime())
waitfor delay '00:00:00.010'
go
create function at (@name varchar(10)) returns datetime2 as begin return (select at from moments where name = @name) end
go
-- definitions: an anonymous history, one that is made, one that is there
create table a (id int primary key, v int, s datetime2 generated always as row start not null, e datetime2 generated always as row end not null, period for system_time (s, e)) with (system_versioning = on)
go
create table emp (id int identity primary key, name nvarchar(30) not null, pay decimal(9, 2), twice as pay * 2, note varchar(max),
  valid_from datetime2 generated always as row start hidden not null, valid_to datetime2 generated always as row end hidden not null,
  period for system_time (valid_from, valid_to)) with (system_versioning = on (history_table = dbo.emp_past))
go
create table b_past (id int not null, v varchar(10), s datetime2(3) not null, e datetime2(3) not null)
create table b (id int primary key, v varchar(10), s datetime2(3) generated always as row start, e datetime2(3) generated always as row end, period for system_time (s, e)) with (system_versioning = on (history_table = dbo.b_past, data_consistency_check = on, history_retention_period = infinite))
go
select replace(name, object_id('a'), '#') as name, temporal_type, temporal_type_desc, replace(object_name(history_table_id), object_id('a'), '#') as history,
  history_retention_period as period, history_retention_period_unit as unit, history_retention_period_unit_desc as what, is_memory_optimized as mem
from sys.tables order by 1
select object_name(object_id) as t, name, period_type, period_type_desc, col_name(object_id, start_column_id) as s, col_name(object_id, end_column_id) as e from sys.periods order by 1
select name, generated_always_type as g, generated_always_type_desc as what, is_hidden, is_nullable from sys.columns where object_id = object_id('emp') order by column_id
select name, type_name(user_type_id) as type, is_nullable, is_hidden, is_computed, is_identity, generated_always_type as g from sys.columns where object_id = object_id('emp_past') order by column_id
select i.name, i.type_desc, i.is_unique, c.name as col, k.key_ordinal from sys.indexes i join sys.index_columns k on k.object_id = i.object_id and k.index_id = i.index_id join sys.columns c on c.object_id = k.object_id and c.column_id = k.column_id where i.object_id = object_id('emp_past') order by k.key_ordinal
select objectproperty(object_id('emp'), 'TableTemporalType') as current_type, objectproperty(object_id('emp_past'), 'TableTemporalType') as history_type, objectproperty(object_id('moments'), 'TableTemporalType') as none,
  columnproperty(object_id('emp'), 'valid_from', 'GeneratedAlwaysType') as s, columnproperty(object_id('emp'), 'valid_to', 'GeneratedAlwaysType') as e, columnproperty(object_id('emp'), 'name', 'GeneratedAlwaysType') as n, columnproperty(object_id('emp'), 'valid_to', 'IsHidden') as hidden
go
-- rows: the period is the server's
insert emp values ('Ann', 10, 'first'), ('Bob', 20, null)
insert emp (name, pay, valid_from) values ('Cid', 30, default)
insert a values (1, 10, default, default)
insert a (id, v) values (2, 20)
select * from emp
select id, v, convert(varchar(30), e, 121) as e, iif(s <= sysutcdatetime(), 1, 0) as past from a
select convert(varchar(30), valid_to, 121) as e from emp where id = 1
insert b (id, v) values (1, 'x')
select convert(varchar(30), e, 121) as e from b
go
insert a values (3, 30, '2020-01-01', default)
go
insert a (id, s) values (3, sysutcdatetime())
go
insert a (id, s, e) select 3, sysutcdatetime(), sysutcdatetime()
go
insert a values (3, 30)
go
update a set s = '2020-01-01'
go
update a set e = default
go
-- changes keep the old versions
exec mark 't1'
update emp set pay += 1 where id = 1
exec mark 't2'
update emp set name = 'Bobby', note = replicate(cast('x' as varchar(max)), 9000) where id = 2
delete emp where id = 3
exec mark 't3'
update emp set note = 'short' where id = 2
delete emp where id = 1
exec mark 't4'
go
select id, name, pay, twice, len(note) as note, iif(valid_to < '9999-12-31', 1, 0) as ended from emp_past order by id, valid_from
select *, len(note) as n from emp
go
declare @t datetime2 = dbo.at('t1'); select id, name, pay, twice from emp for system_time as of @t order by id
declare @u datetime2 = dbo.at('t2'); select id, name, pay, len(note) as note from emp for system_time as of @u as e order by id
declare @v datetime2 = dbo.at('t3'); select e.id, e.name, len(note) as note from emp for system_time as of @v e where e.id >= 1 order by id
declare @w datetime2 = dbo.at('t4'); select id, name, note from emp for system_time as of @w order by id
go
-- the period shows what the clause means
declare @a datetime2 = dbo.at('t1'), @b datetime2 = dbo.at('t3')
select id, name, pay from emp for system_time from @a to @b order by id, valid_from
select id, name, pay from emp for system_time between @a and @b order by id, valid_from
select id, name, pay from emp for system_time contained in (@a, '9999-12-31 23:59:59.9999999') order by id, valid_from
select id, name, pay from emp for system_time all order by id, valid_from
select id, name, iif(valid_to > '9999-12-31', 'now', 'past') as state from emp for system_time all as x order by id, valid_from
select count(*) as n from emp for system_time as of '2001-02-03'
select count(*) as n from emp for system_time as of '9999-12-31 23:59:59.9999999'
go
-- bounds: the start belongs to a version, the end does not
declare @s datetime2 = (select valid_from from emp where id = 2)
select count(*) as as_of_start from emp for system_time as of @s where id = 2
select count(*) as to_start from emp for system_time from '2000-01-01' to @s where id = 2
select count(*) as between_start from emp for system_time between '2000-01-01' and @s where id = 2
select count(*) as old_ends from emp_past where valid_to = @s
go
create index ix on emp_past (id)
go
drop index ix on emp_past
go
-- functions, parameters, joins of different times
select count(*) as n from emp for system_time as of getutcdate()
select count(*) as n from emp for system_time as of dateadd(year, -1, sysutcdatetime())
go
declare @a datetime2 = dbo.at('t1'), @b datetime2 = dbo.at('t3')
select o.id, o.name as was, n.name as came, o.pay, n.pay as pay2 from emp for system_time as of @a o left join emp for system_time as of @b n on n.id = o.id order by o.id
select c.id, (select count(*) from emp for system_time all h where h.id = c.id) as versions from emp c
go
declare @at datetime2 = dbo.at('t1')
exec sp_executesql N'select id, name from emp for system_time as of @t order by id', N'@t datetime2', @at
go
create procedure seen @t datetime2 as select id, name from dbo.emp for system_time as of @t order by id
go
declare @at datetime2 = dbo.at('t2') exec seen @at
go
create function names_at (@t datetime2) returns table as return select id, name from dbo.emp for system_time as of @t
go
select * from names_at(dbo.at('t1')) order by id
go
-- views: the clause holds for all that they read
create view v as select e.id, e.name, m.name as m from emp e cross join (select top 1 name from moments order by name) m
go
create view v2 as select id, name from v where id < 3
go
declare @t datetime2 = dbo.at('t1')
select * from v for system_time as of @t order by id
select * from v2 for system_time as of @t as old order by id
select * from v2 order by id
go
create view own as select id, name from emp for system_time all
go
select * from own order by id, name
select * from own for system_time as of '2020-01-01'
go
create view plain as select 1 as one
go
select * from plain for system_time all
go
drop view plain
go
select * from moments for system_time as of '2020-01-01'
go
select * from emp_past for system_time all
go
with c as (select * from emp) select * from c for system_time all
go
select * from emp e cross apply (select * from a for system_time as of e.valid_from) x
go
select * from emp for system_time as of (select max(at) from moments)
go
select * from emp for system_time as of 'never'
go
select * from emp for system_time within 1
go
-- a time for a transaction, and versions that were never seen
begin tran
update a set v = 11 where id = 1
waitfor delay '00:00:00.010'
update a set v = 12 where id = 1
insert a (id, v) values (5, 50)
delete a where id = 5
commit
select id, v, iif(s = e, 1, 0) as never from a for system_time all order by id, s, e, v
select id, v from a for system_time from '2000-01-01' to '9999-01-01' order by id, s, e
select id, v from a for system_time contained in ('2000-01-01', '9999-01-01') order by id, s
select count(distinct s) as starts from a for system_time all where id = 1
go
-- rollback and savepoints take both back
begin tran
update a set v = 100 where id = 2
save tran here
delete a where id = 1
rollback tran here
select count(*) as n from a for system_time all
rollback
select id, v from a order by id
select count(*) as n from a for system_time all
go
-- an older transaction comes too late
begin tran
select 1 as begun
waitfor delay '00:00:00.010'
go
commit
go
-- triggers see nothing of the history
create table log (what varchar(100))
go
create trigger tr on a after insert, update, delete as insert log select concat('i', (select count(*) from inserted), ' d', (select count(*) from deleted), iif(update(v), ' v', ''), iif(update(s), ' s', ''))
go
create trigger instead on a instead of delete as print 'no'
go
create trigger tr2 on emp_past after insert as print 'no'
go
update a set v += 1
insert a (id, v) values (6, 60)
delete a where id = 6
select * from log
drop trigger tr
go
-- OUTPUT, MERGE, UPDATE … FROM, keys that move
update a set v += 1 output deleted.v as old, inserted.v as new, iif(inserted.s > deleted.s, 1, 0) as later where id = 1
delete a output deleted.id, deleted.v where id = 2
merge a as t using (values (1, 70), (7, 77)) as s (id, v) on t.id = s.id when matched then update set v = s.v when not matched then insert (id, v) values (s.id, s.v) output $action, inserted.id, deleted.v as old, inserted.v as new;
merge a as t using (values (7)) as s (id) on t.id = s.id when matched then delete;
update x set v = y.v from a x join (values (1, 71)) y (id, v) on y.id = x.id
update a set id = id + 1
select id, v from a order by id
select id, v, iif(e > '9999-12-31', 'now', iif(s = e, 'never', 'past')) as state from a for system_time all order by id, s, e
go
-- cursors
declare c cursor for select id, v from a for update of v
open c
fetch next from c
update a set v = 99 where current of c
close c deallocate c
select id, v from a
go
-- cascades write histories, too
create table boss (id int primary key)
create table staff (id int primary key, boss int references boss on delete cascade on update cascade, s datetime2 generated always as row start hidden, e datetime2 generated always as row end hidden, period for system_time (s, e)) with (system_versioning = on (history_table = dbo.staff_past))
insert boss values (1), (2)
insert staff values (1, 1), (2, 2)
exec mark 'c1'
update boss set id = 10 where id = 1
delete boss where id = 2
select id, boss from staff
select id, boss from staff_past order by id
declare @t datetime2 = dbo.at('c1'); select * from staff for system_time as of @t order by id
go
-- what is refused
insert emp_past (id, name, valid_from, valid_to) values (9, 'x', '2020-01-01', '2020-01-02')
go
update emp_past set name = 'x'
go
delete emp_past
go
merge emp_past t using (values (1)) s (id) on t.id = s.id when matched then delete;
go
truncate table emp
go
truncate table emp_past
go
drop table emp
go
drop table emp_past
go
alter table emp_past add x int
go
alter table emp_past drop column note
go
alter table emp_past alter column note varchar(10)
go
alter table emp_past add constraint ck check (pay > 0)
go
alter table emp_past add primary key (id)
go
alter table emp_past add unique (id)
go
create unique index ux on emp_past (id)
go
create table refers (id int references emp_past)
go
exec sp_rename 'emp_past.note', 'remark', 'COLUMN'
go
alter table emp_past set (system_versioning = off)
go
alter table emp drop column valid_to
go
alter table emp alter column valid_to datetime2(3)
go
alter table emp alter column name add hidden
go
alter table emp drop period for system_time
go
declare @pk sysname = (select name from sys.key_constraints where parent_object_id = object_id('emp'))
exec('alter table emp drop constraint [' + @pk + ']')
go
alter table emp add x as pay + 1
go
alter table a add n int identity
go
alter table emp add period for system_time (valid_from, valid_to)
go
alter table emp set (system_versioning = on)
go
alter table emp set (system_versioning = on (history_table = dbo.other))
go
alter table emp set (system_versioning = on (history_table = dbo.moments))
go
