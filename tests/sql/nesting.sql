-- How deep statements may nest, and how long chains may be.
create procedure nothing as
go
create procedure nothing_either as ;;
go
exec nothing
exec nothing_either
select name from sys.procedures where name like 'nothing%' order by name
go
drop procedure nothing, nothing_either
go
-- The order of a union in a view means nothing, but is accepted behind an operand that has TOP.
create view u as
select top 100 percent 1 as a union all select top 100 percent 2 as a order by a
go
select count(*) as n, sum(a) as s from u
go
create view w as select 1 as a union all select 2 as a order by a
go
create view w as select top 1 1 as a union all select 2 as a order by a
go
create view w as select 1 as a union all select top 1 2 as a order by b
go
-- A chain of operators is evaluated from left to right, with and without parentheses.
select 1 - 2 - 3 as a, 1 - (2 - 3) as b, (1 - 2) - 3 as c, 100 / 10 / 2 * 3 as d, 7 & 3 | 8 ^ 1 as e
select 'a' + 'b' + 1
go
create table chains (
  a int constraint first_of_chains default 1 + 2 + 3 * 4 - 5,
  b as a + 1 - 2 + 3,
  c as (a + 1) * (a - 1) * 2,
  constraint check_of_chains check (a + 1 + 2 - 3 > 0)
)
select definition from sys.default_constraints where name = 'first_of_chains'
select definition from sys.check_constraints where name = 'check_of_chains'
select name, definition from sys.computed_columns where object_id = object_id('chains') order by name
insert chains default values
select a, b, c from chains
go
-- As many grouping sets as there may be, and one more.
select count(*) as n from (select 1 as a, 2 as b) t
group by cube (a, b), rollup (a, b), grouping sets ((a), (b), ()), grouping sets ((a), (b), ())
go
declare @text nvarchar(max) = N'select 1 as n from (select 1 as a) t group by cube (a)' + replicate(N', cube (a)', 12)
exec (@text)
go
-- Long chains.
declare @n int = 5000, @text nvarchar(max), @sum int
set @text = N'select @sum = @n' + replicate(cast(N' + 1' as nvarchar(max)), @n)
exec sp_executesql @text, N'@n int, @sum int output', @n, @sum output
select @sum as [sum]
set @text = N'select len(N''x''' + replicate(cast(N' + N''y''' as nvarchar(max)), @n) + N') as length'
exec (@text)
set @text = N'if @n = 0 select 0 as branch' + replicate(cast(N' else if @n = 1 select 1 as branch' as nvarchar(max)), @n)
  + N' else select 2 as branch'
exec sp_executesql @text, N'@n int', 5
go
-- Too deep.
declare @text nvarchar(max) = N'select ' + replicate(cast(N'(' as nvarchar(max)), 5000) + N'1' + replicate(cast(N')' as nvarchar(max)), 5000)
exec (@text)
go
declare @text nvarchar(max) = replicate(cast(N'begin ' as nvarchar(max)), 5000) + N'select 1' + replicate(cast(N' end' as nvarchar(max)), 5000)
exec (@text)
go
-- Each of these stands for two of the one before: a thousand million of the first.
declare @text nvarchar(max) = N'with c0 as (select 1 as a)', @i int = 1
while @i <= 30
begin
  set @text += concat(N', c', @i, N' as (select a from c', @i - 1, N' union all select a from c', @i - 1, N')')
  set @i += 1
end
set @text += N' select count(*) from c30'
exec (@text)
go
-- A select list has 4,096 columns at most, however they are written.
declare @s nvarchar(max) = N'select ' + stuff(replicate(cast(N',1' as nvarchar(max)), 4096), 1, 1, N'')
exec (N'if exists (' + @s + N') print ''so many''')
set @s += N',1'
exec (@s)
go
declare @s nvarchar(max) = N'select 1'
    + (select string_agg(cast(N',1' as nvarchar(max)), N'') from generate_series(1, 200000))
exec (@s)
go
create table #wide (a int, b int, c int)
declare @s nvarchar(max) = N'select ' + stuff(replicate(cast(N',*' as nvarchar(max)), 1366), 1, 1, N'') + N' from #wide'
exec (@s)
set @s = N'if exists (' + @s + N') print ''there'' else print ''not'''
exec (@s)
drop table #wide
go
create procedure p as exec p
go
-- Procedures nest 32 deep.
exec p
go
create function f(@x int) returns int as begin return dbo.f(@x) end
go
-- Functions and triggers nest as deep as procedures.
select dbo.f(1)
go
create table a (x int) create table b (x int)
go
create trigger ta on a after insert as insert b select x from inserted
go
create trigger tb on b after insert as insert a select x from inserted
go
insert a values (1)
go
select count(*) as n from a
go
