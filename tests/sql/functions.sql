create function dbo.twice(@x int) returns int as begin return @x * 2 end
go
select dbo.twice(21) as a, dbo.twice(null) as b
select v, dbo.twice(v) as t from (values (1), (2)) as r(v) where dbo.twice(v) > 2
declare @x int = dbo.twice(4) print @x
exec @x = dbo.twice 5 print @x
go
create function dbo.fact(@n int) returns bigint as
begin
    declare @r bigint = 1
    if @n > 1 set @r = @n * dbo.fact(@n - 1)
    return @r
end
go
select dbo.fact(10) as f
go
-- defaults must be asked for
create function dbo.plus(@a int, @b int = 10) returns int as begin return @a + @b end
go
select dbo.plus(1, default) as a, dbo.plus(1, 2) as b
select dbo.plus(1)
go
-- inline
create table t (id int primary key, g int, v int)
insert t values (1, 1, 10), (2, 1, 20), (3, 2, 30)
go
create function dbo.of_group(@g int) returns table as return (select id, v from t where g = @g)
go
select * from dbo.of_group(1)
select g, f.v from (values (1), (2)) as x(g) cross apply dbo.of_group(x.g) as f
go
-- multi-statement
create function dbo.numbers(@n int) returns @r table (i int primary key, sq as i * i) as
begin
    declare @i int = 1
    while @i <= @n begin insert @r (i) values (@i) set @i += 1 end
    return
end
go
select * from dbo.numbers(3)
select t.id, n.i from t join dbo.numbers(2) as n on n.i = t.id
go
-- errors are the statement's
create function dbo.fails(@x int) returns int as begin return 1 / @x end
go
select dbo.fails(0)
print 'on'
begin try select dbo.fails(0) end try begin catch print error_procedure() end catch
go
-- what functions cannot do
create function dbo.bad() returns int as begin insert t values (9, 9, 9) return 1 end
go
create function dbo.bad() returns int as begin print 'x' return 1 end
go
create function dbo.bad() returns int as begin exec p return 1 end
go
select dbo.bad()
go
create function dbo.strict(@a int) returns int with returns null on null input as begin return 1 end
go
select dbo.strict(null) as a, dbo.strict(1) as b
go
create table changed (a int)
insert changed values (7)
go
create function through_alias() returns int as begin update t set a = 1 from changed as t return 0 end
go
create function through_cte() returns int as begin with c as (select a from changed) delete c return 0 end
go
create function through_output() returns int as begin
    declare @t table (a int)
    insert @t output inserted.a into changed values (1)
    return 0
end
go
create function merges() returns int as begin
    merge changed using (values (1)) as s (a) on 1 = 0 when not matched then insert values (1);
    return 0
end
go
create function runs_text() returns int as begin exec('update changed set a = 9') return 0 end
go
create function fills() returns int as begin declare @t table (a int) insert @t exec sp_who return 0 end
go
create function makes_view() returns int as begin kill 5 return 0 end
go
create procedure changes as update changed set a = 8
go
create function calls() returns int as begin exec changes return 0 end
go
select dbo.calls()
go
create function fills_own(@n int) returns int as begin
    declare @t table (a int)
    declare c cursor local for select a from changed
    insert @t values (@n), (@n + 1)
    update x set a = a + 1 from @t as x
    delete y from @t as y where a > 3
    return (select sum(a) from @t)
end
go
select dbo.fills_own(2) as s, (select a from changed) as a
go
-- statements call them: one with a loop, and one that returns a table
create function f(@x int) returns int as begin declare @r int = 1
while @x > 1 begin set @r *= @x set @x -= 1 end return @r end
go
create function g(@n int) returns @r table (i int) as begin
declare @i int = 1 while @i <= @n begin insert @r values (@i) set @i += 1 end return end
go
select dbo.f(5) as f
select i, dbo.f(i) as f from g(3)
go
