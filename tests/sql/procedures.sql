create procedure p @a int, @b varchar(10) = 'def', @c int = null output as
begin
    select @a as a, @b as b, @c as c
    set @c = @a * 2
    return @a + 1
end
go
exec p 1
exec p @a = 2, @b = 'x'
exec p 3, default
go
p 4
go
declare @r int, @o int = 7
exec @r = p 5, 'y', @o output
select @r as r, @o as o
exec @r = p @c = @o, @a = 6
select @r as r, @o as o
go
-- what is wrong with calls
exec p
exec p 1, 'x', 2, 3
exec p @x = 1
exec p 1, @a = 2
exec p 'abc'
print 'on'
go
declare @o int exec p 1, @o output, 'x'
go
-- a constant cannot be OUTPUT, a parameter must be
create procedure q @a int as set @a = 1
go
declare @x int = 5 exec q @x output select @x as x
go
-- defaults that are words and dates
create procedure d @a varchar(10) = word, @b int = -5, @c datetime = '2024-01-02' as select @a as a, @b as b, @c as c
go
exec d
exec d abc, 3
go
-- status without RETURN, after errors
create procedure s as select 1 / 0
go
declare @r int exec @r = s select @r as r
go
-- a procedure by a variable, in another schema
create schema sc
go
create procedure sc.p as print 'sc.p'
go
declare @n varchar(20) = 'sc.p' exec @n
exec sc.p
exec [sc].[p]
go
-- nested calls, @@NESTLEVEL, @@PROCID
create procedure n as print @@nestlevel print object_name(@@procid) if @@nestlevel < 3 exec n
go
exec n
go
-- SET options are the procedure's
create procedure o as set nocount on set datefirst 3 print @@datefirst
go
exec o print @@datefirst select 1 as a
go
-- temporary tables of the caller and its own
create procedure tt as insert #x values (2) create table #y (b int) select count(*) as n from #x
go
create table #x (a int)
exec tt
select * from #x
select * from #y
go
drop table #x
go
-- ALTER, CREATE OR ALTER, DROP
alter procedure sc.p as print 'changed'
go
exec sc.p
go
create or alter procedure sc.p as print 'again'
go
exec sc.p
drop procedure sc.p
exec sc.p
go
drop procedure if exists sc.p
drop procedure sc.p
go
-- deferred names
create procedure late as select * from later
go
exec late
go
create table later (a int) insert later values (1)
exec late
go
alter table later add b int
go
exec late
go
-- too deep
create procedure deep as exec deep
go
exec deep
go
-- INSERT EXEC
create table r (a int, b varchar(10), c int)
insert r exec p 9
select * from r
insert r (a) exec('select 1 union all select 2')
insert r exec('select 1')
select count(*) as n from r
go
-- arguments by position and by name, OUTPUT and the status that is returned
drop procedure p
go
create procedure p @a int, @b int = 5, @c int output as
set @c = @a + @b return 7
go
declare @x int, @s int
exec @s = p 1, @c = @x output select @x, @s
exec p @b = 1, @a = 2, @c = @x output select @x
exec p
exec p 1, 2, 3, 4
exec p @d = 1
exec nothing
go
-- procedures take tables
drop procedure p
create type pairs as table (a int not null primary key, b varchar(5))
go
create procedure p @p pairs readonly, @n int output as select @n = count(*) from @p select * from @p
go
declare @x pairs, @n int insert @x values (1, 'x'), (2, 'y') exec p @x, @n output print @n
insert @x values (3, 'z') exec p @p = @x, @n = @n output print @n
go
