-- Memory-optimized tables have their history on disk.
create table moments (name varchar(10) primary key, at datetime2 not null)
go
create procedure mark @name varchar(10) as
waitfor delay '00:00:00.010'
insert moments values (@name, sysutcdatetime())
waitfor delay '00:00:00.010'
go
create function at (@name varchar(10)) returns datetime2 as begin return (select at from moments where name = @name) end
go
create table m (id int not null primary key nonclustered, v int not null, note nvarchar(max),
  s datetime2 generated always as row start hidden not null, e datetime2 generated always as row end hidden not null, period for system_time (s, e))
  with (memory_optimized = on, durability = schema_and_data, system_versioning = on (history_table = dbo.m_past))
go
create table so (id int not null primary key nonclustered, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
  with (memory_optimized = on, durability = schema_only, system_versioning = on)
go
create table mp (id int not null primary key nonclustered, s datetime2 not null, e datetime2 not null) with (memory_optimized = on)
go
create table m3 (id int not null primary key nonclustered, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e))
  with (memory_optimized = on, system_versioning = on (history_table = dbo.mp))
go
select name, temporal_type_desc, is_memory_optimized from sys.tables where name in ('m', 'm_past') order by name
go
insert m values (1, 10, 'one'), (2, 20, replicate(cast(N'x' as nvarchar(max)), 5000)), (3, 30, null)
exec mark 't1'
update m set v += 1 where id < 3
delete m where id = 3
exec mark 't2'
update m set note = N'short' where id = 2
go
select id, v, len(note) as note from m order by id
select id, v, len(note) as note from m_past order by id, s
declare @t datetime2 = dbo.at('t1'); select id, v, len(note) as note from m for system_time as of @t order by id
declare @u datetime2 = dbo.at('t2'); select id, v, len(note) as note from m for system_time as of @u order by id
select id, v from m for system_time all order by id, v
go
-- in transactions of the user
begin tran
update m with (snapshot) set v = 100 where id = 1
select id, v from m for system_time all with (snapshot) where id = 1 order by v
rollback
select count(*) as n from m_past
go
begin tran
update m with (snapshot) set v = 100 where id = 1
delete m with (snapshot) where id = 2
commit
select id, v from m for system_time all order by id, v
go
delete m_past
go
-- natively compiled modules write the history, too
create procedure dbo.change @id int, @v int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
  update dbo.m set v = @v where id = @id
  if @@rowcount = 0 insert dbo.m (id, v) values (@id, @v)
end
go
create procedure dbo.remove @id int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
  delete dbo.m where id = @id
end
go
exec mark 'n1'
exec dbo.change 1, 101
exec dbo.change 9, 900
exec mark 'n2'
exec dbo.change 9, 901
exec dbo.remove 1
go
select id, v from m order by id
select id, v from m_past where id in (1, 9) order by id, v
declare @t datetime2 = dbo.at('n1'); select id, v from m for system_time as of @t order by id
declare @u datetime2 = dbo.at('n2'); select id, v from m for system_time as of @u order by id
go
begin tran
exec dbo.change 9, 902
exec dbo.change 9, 903
rollback
select count(*) as n from m_past where id = 9
go
create procedure dbo.past @t datetime2 with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
  select id, v from dbo.m for system_time as of @t order by id
end
go
declare @t datetime2 = dbo.at('n1') exec dbo.past @t
go
drop procedure dbo.past
drop procedure dbo.change
drop procedure dbo.remove
go
-- columns
alter table m add w int null
go
update m set w = 1
select id, v, w from m for system_time all where id = 9 order by v, w
go
alter table m set (system_versioning = off)
drop table m
select count(*) as n from m_past where id = 9
go
