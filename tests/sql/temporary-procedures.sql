create procedure #p @a int = 1, @b int output as
    set @b = @a * 2
    select 'temp' as kind, @a as a
    return 7
go
declare @b int, @r int
exec @r = #p 5, @b output
select @b b, @r r
execute #p @b = @b output
select object_id('tempdb..#p') - object_id('tempdb..#p') a, (select count(*) from tempdb.sys.procedures where name like '#p[_]%') b
go
create procedure #p as select 1
go
create or alter procedure #p as select 'changed' as kind
go
exec #p
go
alter procedure #p as select 'again' as kind
go
exec #p
exec ('exec #p')
go
-- names mean what they mean in the caller's database
create table t (a int)
insert t values (1)
go
create proc #q as select db_name() db, count(*) n from t
go
exec #q
use master
create table #mine (a int)
exec #q
go
use [temporary-procedures]
exec #q
go
-- one that is made by text or by a procedure lasts as long as the session
exec ('create procedure #r as select ''r'' as r')
exec #r
go
create procedure dbo.makes as
exec ('create procedure #s as select ''s'' as s')
exec #s
create table #t (a int)
exec #u
go
create procedure #u as insert #t values (1) select count(*) n from #t
go
exec dbo.makes
exec #s
drop procedure #s, #r
exec #s
go
drop procedure if exists #none, #u
drop proc #u
go
-- recursion
create proc #fact @n int, @r bigint output as
if @n <= 1 set @r = 1
else begin declare @m int = @n - 1 exec #fact @m, @r output set @r = @r * @n end
go
declare @r bigint
exec #fact 10, @r output
select @r r
go
-- global ones
create procedure ##g as select 'global' as kind
go
exec ##g
select name from tempdb.sys.procedures where name = '##g'
drop procedure ##g
exec ##g
go
create view #v as select 1 a
go
create procedure #x with execute as owner as select 1
go
begin tran
go
create procedure #y as select 'y' as y
go
exec #y
rollback
go
exec #y
