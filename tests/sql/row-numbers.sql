-- ROW_NUMBER in no particular order: rows are numbered as they come, and none is kept.
create table t (id int not null constraint PK_t primary key, k int, v varchar(10))
insert t values (1, 30, 'a'), (2, 10, 'b'), (3, 20, 'c'), (4, 10, 'd')
go
-- Whoever stops reading stops the input.
select top (3) row_number() over (order by (select null)) as n from generate_series(1, 9000000000000000000) a cross join generate_series(1, 9000000000000000000) b
select top (2) row_number() over (order by (select 0)) as n, a.value from generate_series(5, 9000000000000000000) a
select top (0) row_number() over (order by (select null)) as n from generate_series(1, 9000000000000000000) a
select row_number() over (order by (select null)) as n from generate_series(7, 9000000000000000000) a order by n offset 2 rows fetch next 2 rows only
set rowcount 2
select row_number() over (order by (select null)) as n from generate_series(1, 9000000000000000000) a
set rowcount 0
if exists (select * from (select row_number() over (order by (select null)) as n from generate_series(1, 9000000000000000000) a) x where n = 5) print 'found'
select top (5) row_number() over (order by (select null)) as n from sys.all_columns a cross join sys.all_columns b
go
create table filled (v varchar(20))
insert filled select top (5000) 'x' + cast(row_number() over (order by (select null)) as varchar(10)) from sys.all_columns a cross join sys.all_columns b
select count(*) as n, min(v) as least, max(v) as most from filled
go
-- Numbers of pairs.
with
  l0 as (select c from (values (1), (1)) as d (c)),
  l1 as (select 1 as c from l0 as a cross join l0 as b),
  l2 as (select 1 as c from l1 as a cross join l1 as b),
  l3 as (select 1 as c from l2 as a cross join l2 as b),
  l4 as (select 1 as c from l3 as a cross join l3 as b),
  l5 as (select 1 as c from l4 as a cross join l4 as b),
  nums as (select row_number() over (order by (select null)) as n from l5)
select count(*) as rows, sum(n) as total from (select top (1000) n from nums order by n) x
go
with n as (select row_number() over (order by (select null)) as i from generate_series(1, 300) a cross join generate_series(1, 300) b)
select i from n where i <= 3 or i > 89999 order by i
-- Behind the last number that is wanted nothing is read.
select n, value from (select value, row_number() over (order by (select null)) as n from generate_series(11, 9000000000000000000)) x where n between 3 and 5
select n from (select row_number() over (order by (select null)) as n from generate_series(1, 9000000000000000000)) x where 3 > n
select n from (select row_number() over (order by (select null)) as n from generate_series(1, 9000000000000000000)) x where n < 1
select n from (select row_number() over (order by (select null)) as n from generate_series(1, 9000000000000000000)) x where n = 2 and n <= 7
go
-- What is constant orders nothing.
declare @v int = 3
select row_number() over (order by @v, (select 1 + @v) desc) as a, row_number() over (partition by (select 1) order by (select null)) as b, row_number() over (order by (select max(id) from t)) as c, id from t order by id
select row_number() over (order by (select null)) as a, rank() over (order by (select null)) as r, count(*) over (order by (select null)) as n, sum(k) over (partition by @v) as s, id from t order by id
select row_number() over (order by (select 1 / 0)) as n from t order by n
go
-- Each evaluation starts over.
select t.id, x.n, x.value from t cross apply (select row_number() over (order by (select null)) as n, value from generate_series(1, t.id)) x order by t.id, x.n
select t.id, x.n from t outer apply (select top (1) row_number() over (order by (select t.k)) as n from generate_series(1, t.id - 2)) x order by t.id
select id, (select max(n) from (select row_number() over (order by (select null)) as n from generate_series(0, t.id)) x) as m from t order by id
select a.id, b.n from t a left join (select id, row_number() over (order by (select null)) as n from t where id > 2) b on a.id = b.id order by a.id
select a.id, b.n from (select id, row_number() over (order by (select null)) as n from t where id < 3) b full join t a on a.id = b.id order by a.id
go
-- In the order of an index.
select row_number() over (order by id) as n, id from t order by n desc
select top (2) row_number() over (order by id desc) as n, id from t order by n
select row_number() over (order by id, v) as n, id from t where id > 1 order by id
select top (2) row_number() over (order by value) as n, value from generate_series(3, 1) order by n
select n, count(*) as c from (select row_number() over (order by id) as n from t) x group by n order by n desc
select min(n) as least, max(n) as most from (select row_number() over (order by id) as n from t) x
select distinct row_number() over (order by (select null)) as n from t order by n
go
-- What a statement reads is not what it has changed.
insert t select 10 + row_number() over (order by (select null)), k, v from t;
with x as (select k, row_number() over (order by (select null)) as n from t where id > 10) update x set k = n;
with x as (select id, row_number() over (order by (select null)) as n from t) delete x where n > 6
select id, k, v from t order by id
declare @t table (a int)
insert @t values (1), (2)
insert @t select a + 10 * row_number() over (order by (select null)) from @t
select a from @t order by a
go
set showplan_text on
go
select row_number() over (order by (select null)) as n, id from t order by n
select row_number() over (order by id) as n from t
select row_number() over (order by k) as n from t
go
set showplan_text off
go
