-- FOR JSON: documents of rows.
create table t (id int not null primary key, a int, b int, s varchar(20), n nvarchar(40), d datetime)
insert t values (1, 10, 20, 'x', N'y', '2020-01-01'), (2, 30, 40, 'z', N'w', '2021-06-15'),
    (3, 50, 60, 'q', N'r', '2022-03-10')
create table u (id int not null primary key, a int)
insert u values (1, 10), (2, 20)
create table m (id int not null primary key nonclustered, v nvarchar(10)) with (memory_optimized = on)
insert m values (2, N'two'), (1, N'one')
go
-- An object for each row, in the order of the select list.
select id, a, s from t order by id for json path
go
select id, a, s from t order by id for json auto
go
select id, v from m order by id for json path
go
-- Dots nest.
select id as [x.id], a as [x.a], s as [y.z.s] from t where id = 1 for json path
select id as [a.b.c.d], 2 as [a.b.e], 3 as [a.f], 4 as g from t where id = 1 for json path
select id as [x.y] from t where id = 1 for json auto
go
-- NULL.
select id, null as x from t where id = 1 for json path
select id, null as x from t where id = 1 for json path, include_null_values
select id, null as [x.p], null as [x.q.r] from t where id = 1 for json path
select id, null as [x.p], null as [x.q.r] from t where id = 1 for json path, include_null_values
select id as [x.p], null as [x.q] from t where id = 1 for json path
select null as [x.p], id as [x.q], null as [x.y.z] from t where id = 1 for json path
select null as a, null as b from t where id = 1 for json path
go
-- ROOT and WITHOUT_ARRAY_WRAPPER.
select id from t where id = 1 for json path, root
select id from t where id = 1 for json path, root('data')
select id from t where id = 1 for json path, root('')
select id from t where id = 1 for json path, root('a/"b"')
select id from t where id = 1 for json auto, root
select id from t as x where id = 1 for json auto, root
select id from dbo.t where id = 1 for json auto, root
select id from t order by id for json path, without_array_wrapper
select id from t where id = 1 for json path, root('r'), include_null_values
go
-- Values.
select cast(5 as bigint) as bi, cast(-5 as smallint) as si, cast(5 as tinyint) as ti, -2147483648 as i for json path
select cast(1.5 as decimal(10,2)) as dec, cast(12.34 as money) as mn, cast(-12.34 as smallmoney) as sm,
    cast(1.5 as float) as f, cast(1.5 as real) as r, cast(0 as float) as fz, cast(-1e-7 as float) as ft,
    cast(0.1 as real) as r1 for json path
select cast(1 as bit) as bt, cast(0 as bit) as bf for json path
select cast('2020-01-02' as date) as d, cast('2020-01-02 03:04:05.1234567' as datetime2(7)) as dt2,
    cast('03:04:05.1234567' as time) as tm, cast('2020-01-02 03:04:05.1234567 +05:30' as datetimeoffset) as dto,
    cast('2020-01-02 03:04:05.123' as datetime) as dt, cast('2020-01-02 03:04:00' as smalldatetime) as sdt for json path
select cast('2020-01-02 03:04:05' as datetime2(7)) as dt2, cast('03:04:05' as time(3)) as tm,
    cast('2020-01-02 03:04:05 +00:00' as datetimeoffset(3)) as z, cast('2020-01-02 03:04:05.5 -05:30' as datetimeoffset(2)) as o,
    cast('2020-01-02 03:04:05.5 +00:00' as datetimeoffset(2)) as zf,
    cast('2020-01-02 03:04:05.997' as datetime) as dt, cast('2020-01-02' as datetime) as d0 for json path
select cast('12345678-1234-1234-1234-1234567890AB' as uniqueidentifier) as g, cast(0x0102FF as varbinary(10)) as b,
    0x41 as b1, 0x4142 as b2, 0x414243 as b3, 0x as b0, cast(0x41 as binary(4)) as bp, cast(0x01 as image) as img for json path
select cast(5 as sql_variant) as i, cast('2024-01-01' as sql_variant) as s, cast(cast('2024-01-01' as date) as sql_variant) as d,
    cast(cast(1 as bit) as sql_variant) as b, cast(null as sql_variant) as n for json path
select cast('ab' as char(4)) as c, cast(N'ab' as nchar(3)) as nc, cast('te' as text) as t, cast(N'nt' as ntext) as nt for json path
select 'a/b"c\d' as s, N'café ア €' as u, 'café' as v, nchar(55357) + nchar(56832) as p for json path
select concat('a', nchar(8), nchar(9), nchar(10), nchar(12), nchar(13), nchar(1), nchar(31), nchar(127)) as s,
    concat('a', char(8), char(9), char(10), char(12), char(13), char(1), char(31), char(127)) as v for json path
select 1 as [a/b"c], 2 as [d\e], 3 as [f g] for json path
go
-- AUTO: levels.
create table pp (id int, nm nvarchar(20))
create table cc (id int, pid int, cnm nvarchar(20), amt decimal(9,2))
create table gg (id int, pid int, gnm nvarchar(20))
insert pp values (1, 'alpha'), (2, 'beta'), (3, 'gamma'), (4, 'alpha')
insert cc values (10, 1, 'a1', 1.5), (11, 1, 'a2', 2.5), (12, 2, 'b1', null), (13, 4, 'd1', 9.0)
insert gg values (100, 1, 'g1'), (101, 1, 'g2')
go
select p.id, p.nm, c.id, c.cnm from pp p join cc c on c.pid = p.id order by p.id, c.id for json auto
go
select p.id, c.cnm, p.nm from pp p join cc c on c.pid = p.id order by p.id, c.id for json auto
go
select p.id, c.cnm, g.gnm from pp p join cc c on c.pid = p.id join gg g on g.pid = p.id order by p.id, c.id, g.id for json auto
go
select p.id, c.cnm from pp p left join cc c on c.pid = p.id order by p.id, c.id for json auto
go
select p.id, c.cnm from pp p left join cc c on c.pid = p.id order by p.id, c.id for json auto, include_null_values
go
select p.id, c.cnm, p.nm + 'X' as calc from pp p join cc c on c.pid = p.id order by p.id, c.id for json auto
go
-- What is computed before any column of a table comes first in the first level.
select 1 as one, c.cnm, p.id from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for json auto
select 1 as a from t where id = 1 for json auto, root
go
select c.cnm from pp p join cc c on c.pid = p.id order by c.id for json auto
go
-- The innermost level never collapses; an outer one opens anew for the same values after others.
select p.id, c.cnm from pp p join cc c on c.pid = p.id join gg g on g.pid = 1 where p.id = 1 order by c.id, g.id for json auto
select p.nm, c.cnm from pp p join cc c on c.pid = p.id order by p.id, c.id for json auto
select p.nm, c.cnm from pp p join cc c on c.pid = p.id order by p.nm, c.id for json auto
go
select p.id, c.cnm from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for json auto, root('r')
select p.id, c.cnm from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for json auto, without_array_wrapper
go
select p.id, count(*) as n, max(c.cnm) as m from pp p join cc c on c.pid = p.id group by p.id order by p.id for json auto
select id, a from t union all select id, a from u order by id, a for json auto, root
;with x as (select id, nm from pp) select x.nm, d.cnm from x join (select pid, cnm from cc) d on d.pid = x.id
    order by x.id, d.cnm for json auto
go
-- The order, and what else a query may have.
select top 2 id from t order by id desc for json path
select id from t order by a desc offset 1 rows fetch next 1 row only for json path
select distinct a / 100 as q from t for json path
select a / 40 as k, count(*) as n from t group by a / 40 order by k for json path
select id from t where id = 3 union all select id from u order by id for json path
select id, row_number() over (order by id desc) as r from t order by r for json path
go
-- No rows, no document.
select id from t where 1 = 0 for json path
select id from t where 1 = 0 for json auto, root
select (select id from t where 1 = 0 for json path) as j
select isnull((select id from t where 1 = 0 for json path), '[]') as j
select * from (select id from t where 1 = 0 for json path) d(j)
go
-- The statement counts the rows of the document.
select id from t for json path; select @@rowcount as n
set rowcount 2
select id from t order by id for json path; select @@rowcount as n
set rowcount 0
go
-- Pieces of 2,033 units, whatever they split.
declare @j nvarchar(max) = (select id, replicate(cast(N'é' as nvarchar(max)), 3000) as s from t order by id for json path)
select len(@j) as units, left(@j, 20) as l, right(@j, 12) as r
go
select id, replicate('x', 2000) as s from t where id < 3 order by id for json path
go
-- Where a document may stand.
declare @j nvarchar(max)
set @j = (select id from t order by id for json path)
select @j as j
select j from (select id from t for json path, root('r')) d(j)
;with c(j) as (select id from t for json path) select j from c
select (select id from t for json path) as [a], (select id from t for json path, without_array_wrapper) as b
select id from t where exists (select 1 as x for json path) and exists (select id from t where 1 = 0 for json path)
select id, j from t cross apply (select u.a from u where u.id = t.id for json path) x(j) order by id
select id, j from t outer apply (select u.a from u where u.id = t.id for json path) x(j) order by id
update u set a = len((select id from t for json path)) where id = 2
select a from u where id = 2
insert u select 3, len((select id from t for json path))
select a from u where id = 3
delete u where id = 3
go
create view v(j) as select id, s from t for json path
go
create function mf() returns @r table (j nvarchar(max)) as begin
    insert @r select (select id from t for json path)
    return
end
go
create trigger tr on u after insert as select id, a from inserted for json auto, root
go
create function f(@id int) returns table as return (select (select a from u where u.id = @id for json path) as j)
go
create function g(@id int) returns nvarchar(max) as begin
    return (select id, s from t where id = @id for json path, without_array_wrapper)
end
go
create procedure p @id int as
    select id, s from t where id >= @id order by id for json path
    select @@rowcount as n
go
select j from v
select j from f(1)
select dbo.g(2) as g
select j from mf()
insert u values (9, 90), (8, 80)
delete u where id > 7
exec p 2
go
-- Hints are about the query, not about the document.
select t.id, u.a from t join u on u.id = t.id order by t.id for json path option (hash join)
select t.id, u.a from t join u on u.id = t.id order by t.id for json auto option (loop join, force order, maxdop 1, recompile)
select t.id from t inner hash join u on u.id = t.id order by t.id for json path option (hash group, fast 1)
select t.id, (select t.s as x, u.a from u where u.id = t.id for json auto) as j from t where id < 3 order by id for json path;
(select id from t where id = 1) for json path
select * from t where id = 1 for json path, include_null_values
if exists (select * from t where id = 1 for json path) select 1 as e
go
exec sp_describe_undeclared_parameters N'select @p as a, id from t where id = @q for json path'
go
-- Nested documents are objects, those without a wrapper and those from variables are strings.
select t.id, (select u.a from u where u.id = t.id for json path) as kids from t order by t.id for json path
select (select 1 as q for json path, without_array_wrapper) as a for json path
select (select 1 as q for json path, root('r')) as a for json path
declare @j nvarchar(max) = (select 1 as q for json path)
select @j as j for json path
select cast((select 1 as q for json path) as nvarchar(max)) as a for json path
select isnull((select 1 as q for json path), '[]') as a, coalesce((select 1 as q for json path), '[]') as b for json path
select j from v for json path
select j from f(1) for json auto
go
select p.id, (select c.id, (select c.cnm as [x.y] for json path) as n from cc c where c.pid = p.id order by c.id desc for json auto) as c
from pp p order by p.id for json path, root('all')
go
-- What is refused.
select id, id + 1 from t for json path
go
select id as k, a as k from t where id = 1 for json path
go
select id as a, id as [a.b] from t for json path
go
select id as [a.b], id as [a] from t for json path
go
select id as [x.a], a as [y.b], b as [x.c] from t for json path
go
select id, id from t for json auto
go
select id as [.a] from t for json path
go
select id as [a.] from t for json path
go
select id as [a..b] from t for json path
go
select id from t for json path, root('r'), without_array_wrapper
go
select 1 as a for json auto
go
select 1 as id union all select id from t for json auto
go
insert u select id, a from t for json path
go
select id into z from t for json path
go
declare @v int; select @v = id from t for json path
go
select id from t for json path, root, root
go
select id from t for json raw
go
select id from t for json path('x')
go
select id from t for json path, elements
go
select id from t for json auto, include_null_values, include_null_values
go
select id from t for json
go
select * from (select id from t for json path) d
go
create view w as select id from t for json path
go
insert u exec ('select id from t for json path')
go
declare c cursor for select id from t for json path
go
create table mo (id int not null primary key nonclustered) with (memory_optimized = on)
go
create procedure np with native_compilation, schemabinding as begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    select id from dbo.mo for json path
end
go
set fmtonly on
select id from t for json path
set fmtonly off
go
exec sp_describe_first_result_set N'select id from t for json path'
go
exec sp_executesql N'select id from t where id = @i for json path', N'@i int', @i = 2
go
