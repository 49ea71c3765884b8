set nocount on
create table short (id int not null, c varchar(2), n nvarchar(2), b varbinary(2), k tinyint not null)
insert short values (1, 'ab', N'ab', 0x0102, 1)
go
insert short values (2, 'abc', N'ab', 0x0102, 1)
go
-- without warnings what is too long is cut, by INSERT, UPDATE and MERGE
set ansi_warnings off
go
insert short values (2, 'abc', N'abc', 0x010203, 1)
update short set c = 'xyz' where id = 1
merge short using (values (2, 'pqr'), (3, 'stu')) as s (id, c) on short.id = s.id
when matched then update set n = s.c when not matched then insert (id, c, k) values (s.id, s.c, 1);
select * from short order by id
declare @long varchar(10) = 'variable' update short set c = @long where id = 3
select c from short where id = 3
go
-- aggregates say nothing of NULLs
select sum(v) as s from (values (1), (null)) as r(v)
go
set ansi_warnings on
go
select sum(v) as s from (values (1), (null)) as r(v)
go
insert short values (4, 'abc', null, null, 1)
go
-- with both off what overflows or divides by zero is NULL, and a message says so
set ansi_warnings off set arithabort off
go
select 1/0 as a, 2 as b
go
select cast(300 as tinyint) as a
go
select convert(tinyint, v) as a from (values (300), (1)) as r(v)
go
select cast(99999 as smallint) as a, cast(1e10 as int) as b, cast(123.4 as decimal(2, 0)) as c, -cast(-2147483648 as int) as d
go
select v + 1 as a, 1 / (v - 2147483647) as b from (values (2147483647)) as r(v)
go
select power(10, 20) as a, sqrt(v) as b, log(v) as c from (values (-1)) as r(v)
go
-- sums that their type cannot hold
select sum(v) as s, avg(v) as a, max(v) as m from (values (2147483647), (1)) as r(v)
go
select k, sum(v) as s from (values (1, 2147483647), (1, 1), (2, 3)) as r(k, v) group by k order by k
select v, sum(v) over (order by v rows unbounded preceding) as s from (values (2147483647), (1)) as r(v) order by v
go
declare @s int = 5
select @s = sum(v) from (values (2147483647), (1)) as r(v)
select @s as s
go
declare @t tinyint = 7
set @t = 300
select @t as t
if 1 / 0 is null print 'null'
go
create table result (v tinyint null, w tinyint not null default 0)
insert result (v) select n from (values (300), (2)) as s(n)
select * from result order by w, v
insert result (v, w) values (1, 300)
go
set arithignore on
go
select 1/0 as a
go
set arithignore off
go
-- the same in a function
create function dbo.divide (@a int, @b int) returns int as begin return @a / @b end
go
select dbo.divide(1, 0) as a
go
-- ARITHABORT alone ends the batch
set arithabort on
go
begin tran
go
select 1/0 as a
print 'not reached'
go
select @@trancount as t
go
set arithabort off set ansi_warnings on
go
-- metadata says that such results may be NULL
select cast(id as tinyint) as a, cast(k as int) as b, -id as c, id as d, convert(varchar(20), id, null) as e,
    cast(k as decimal(3, 0)) as f, cast(k as decimal(2, 0)) as g
into shapes from short where 1 = 0
select name, is_nullable from sys.columns where object_id = object_id('shapes') order by column_id
select coalesce(k, 1) as a, coalesce(k, 1000) as b, isnull(k, 0) as c, greatest(k, cast(1 as int)) as d into choices from short where 1 = 0
select name, is_nullable from sys.columns where object_id = object_id('choices') order by column_id
go
select convert(float, -2147483648, null) as a
select convert(datetime, N'x', null) as a
declare @style int select convert(varchar(10), 5, @style) as a
go
