-- Which procedures, views, functions and triggers may be created, altered and dropped.
create table t (id int primary key, b int)
insert t values (1, 10), (2, 20)
go
create procedure bad as select nothing from t
go
create procedure later as select * from not_there
go
exec later
go
create procedure p (@a int = 5, @b varchar(10) = abc, @d datetime = '20200102', @n decimal(5,2) = -1.5, @o int = 0 output) as select @a as a, @b as b, @d as d, @n as n set @o = @a
go
exec p
declare @x int
exec p 7, @o = @x output
print @x
go
create procedure p as print 1
go
create view p as select 1 as a
go
create function p () returns int as begin return 1 end
go
exec ('create procedure dbo.p as print 1')
go
alter procedure p as print 'altered'
go
exec p
go
create or alter procedure p as print 'again'
go
exec p
go
alter procedure nope as print 1
go
create procedure t as print 1
go
alter procedure t as print 1
go
create procedure p2 @a int, @A int as print 1
go
create procedure p2 @a nosuch as print 1
go
create procedure master.dbo.p2 as print 1
go
create type tt as table (id int primary key)
go
create procedure p2 @t tt as print 1
go
create procedure p2 @t tt readonly as select count(*) as n from @t
go
declare @t tt
insert @t values (1), (2)
exec p2 @t
go
create view v as select id, b from t
go
select * from v
go
create or alter view v as select id from t where id > 1
go
select * from v
go
create view w as select 1, 2 as b
go
create view w as select 1 as a, 2 as a
go
create view w (x, y) as select 1 as a
go
create view w (x) as select 1 as a, 2 as b
go
create view w as select * from nowhere
go
create view w with schemabinding as select id from dbo.v
go
create view w with schemabinding as select id, b from dbo.t
go
drop table t
go
alter table t drop column b
go
drop view w
go
create table #t (a int)
go
create view w as select a from #t
go
create function f (@a int = 3) returns int as begin return @a + 1 end
go
select dbo.f(1), dbo.f(default)
go
create function f2 (@a int) returns int as begin insert t values (1, 2) return 1 end
go
create function f2 (@a int) returns int as begin select 1 return 1 end
go
create function f2 (@a int) returns int as begin declare @x int = 1 end
go
create function f2 (@a int) returns int as begin print 'x' return 1 end
go
create function g (@a int) returns table as return select id, b * @a as x from t
go
select * from g(2)
go
create function h (@a int) returns @r table (x int primary key, y varchar(10) default 'd') as begin insert @r (x) values (@a), (@a + 1) return end
go
select * from h(4)
go
alter function f (@a int) returns table as return select 1 as one
go
create trigger tr on t after insert, update as print 'fired'
go
insert t values (3, 30)
update t set b = 31 where id = 3
delete t where id = 3
disable trigger tr on t
insert t values (3, 30)
enable trigger tr on t
delete t where id = 3
alter table t disable trigger all
alter table t enable trigger nope
go
create trigger tr on t after delete as print 'x'
go
create trigger tr on nowhere after delete as print 'x'
go
create trigger vt on v after insert as print 'x'
go
create trigger it on t instead of delete as print 'instead'
go
create trigger it2 on t instead of delete, insert as print 'instead'
go
drop trigger tr
drop trigger if exists tr
drop trigger tr
drop trigger v
go
select name, type from sys.objects where parent_object_id = object_id('t') and type = 'TR'
go
create synonym s for dbo.t
go
select count(*) as n from s
go
create synonym s for dbo.t
go
drop synonym s
drop procedure p, p2, later
drop function f, g, h
go
