-- Triggers, views and functions neither belong to temporary tables nor are temporary themselves.
create table #t (id int)
create table ##g (id int)
go
create trigger tr on #t after insert as select 1
go
create trigger tr on ##g after insert as select 1
go
create or alter trigger tr on #t after delete as select 1
go
alter trigger tr on #t after delete as select 1
go
create trigger tr on tempdb..#t instead of insert as select 1
go
create trigger #tr on nothing after insert as select 1
go
create view v as select id from #t
go
create view #v as select 1 as a
go
create function #f() returns int as begin return 1 end
go
create function f() returns table as return select id from #t
go
create synonym #s for nothing
go
create sequence #q
go
create synonym s for #t
go
enable trigger tr on #t
go
drop trigger tr
go
create statistics st on #t (id)
update statistics #t
drop statistics #t.st
go
create table r (id int constraint fk_r references #t (id))
go
alter schema dbo transfer #t
go
alter authorization on #t to dbo
go
exec sp_rename '#t', 'u'
go
exec sp_rename '#t.id', 'no', 'column'
go
-- what is noted about a temporary table goes with it
exec tempdb..sp_addextendedproperty 'about', 'a note', 'schema', 'dbo', 'table', '##g'
use tempdb
grant select on ##g to public
go
declare @name sysname = (select name from sys.tables where object_id = object_id('tempdb..#t'))
exec sp_addextendedproperty 'about', 'a note', 'schema', 'dbo', 'table', @name
exec sp_addextendedproperty 'about', 'a column', 'schema', 'dbo', 'table', @name, 'column', 'id'
grant select on #t to public
select count(*) as noted from sys.extended_properties where major_id = object_id('tempdb..#t')
go
alter table #t drop column id
go
drop table #t
drop table ##g
select count(*) as noted from sys.extended_properties
go
create table #u (id int)
declare @name sysname = (select name from sys.tables where object_id = object_id('tempdb..#u'))
exec sp_addextendedproperty 'about', 'a note', 'schema', 'dbo', 'table', @name
grant select on #u to public
begin tran
drop table #u
rollback
go
create procedure in_tempdb as
  create table #inner (id int)
  declare @name sysname = (select name from sys.tables where object_id = object_id('tempdb..#inner'))
  exec sp_addextendedproperty 'about', 'a note', 'schema', 'dbo', 'table', @name
go
exec in_tempdb
select count(*) as noted from sys.extended_properties p join sys.tables t on t.object_id = p.major_id where t.name like '#inner%'
drop procedure in_tempdb
go
