create table t (k int primary key, a int, b int, c varchar(20), d int, index ia (a), index iab (a, b) include (d), index ic (c))
insert t values (1, 1, 1, 'abc', 1), (2, 2, 2, 'bcd', 2)
create table m (id int not null primary key nonclustered hash with (bucket_count = 8), a int not null, index ra (a)) with (memory_optimized = on)
insert m values (1, 10), (2, 20)
go
-- The rows are the same whatever finds them.
select k from t with (index(ia)) where k = 1
select k from t with (index(0)) where k = 1
select k from t with (index = ic) order by k
select k from t with (index(ia, ic)) where a = 2
select id from m with (index(ra)) where id = 2
select id from m with (index(2)) order by id
select k from t with (forceseek) where c like 'ab%'
select k from t with (forceseek(iab(a, b))) where a = 1 and b >= 1
select k from t with (forceseek) where a <> 1
select k from t with (forceseek) where a = 1 or c = 'bcd' order by k
select k from t with (forceseek) where a in (1, 2) order by k
select k from t with (forceseek) where 1 = 0
select k, a from t with (forcescan, index(ia)) where a = 1
select x.k from t x join t y with (forceseek) on y.a = x.d order by x.k
select k from t x where exists (select 1 from t y with (forceseek) where y.a = x.b) order by k
select k from t where d in (select a from t y with (forceseek)) order by k
go
-- No plan obeys.
select * from t with (forceseek)
go
select * from t with (forceseek) where d = 1
go
select * from t with (forceseek) where abs(a) = 1
go
select * from t with (forceseek) where a = 1 or d = 1
go
select * from t with (forceseek(ia(a))) where k = 1
go
select * from t with (forceseek(iab(a, b))) where a = 1
go
select * from t with (forceseek, index(0)) where a = 1
go
select * from t with (forcescan, index(ia)) where d = 1
go
select * from t x join t y with (forceseek) on y.d = x.d
go
select * from m with (forceseek (2 (id))) where id > 1
go
select count(*) from t with (index(ia, 0))
go
select * from t x join t y on y.a > x.a option (hash join)
go
select * from t x inner hash join t y on y.a > x.a
go
-- Nothing of the batch is done.
insert t values (3, 3, 3, 'x', 3)
select * from t with (forceseek) where d = 1
go
select count(*) as n from t
go
-- What the hints say is wrong.
select k from t with (index(nope))
go
select k from t with (index(99))
go
select k from t with (forceseek(iab(b, a))) where a = 1
go
select k from t with (forceseek(ia(a, b))) where a = 1
go
select k from t with (forceseek(0(a))) where a = 1
go
select k from t with (forceseek, forcescan) where a = 1
go
select k from t with (forceseek(ia(a)), index(ic)) where a = 1
go
select a, c from t with (forcescan, index(ia, ic))
go
update t with (index(ia)) set d = 1
go
delete t with (forceseek) where a = 1
go
delete t with (forcescan) where a = 1
go
select * from t x inner hash join t y on y.a = x.a option (loop join)
go
select count(*) from t option (hash group, order group)
go
alter index ia on t disable
go
select k from t with (index(ia))
go
-- Through views and table expressions.
create view v as select k, a, d from t
go
select k from v with (forceseek) where k = 1
go
select k from v with (forceseek) where d = 1
go
with c as (select k, d from t) select k from c with (forceseek) where k = 2
go
with c as (select k, d from t) select k from c with (forceseek) where d = 2
go
select k from v with (forceseek(iab(a))) where a = 1
go
-- Hints of statements.
select x.k, y.k as other from t x inner loop join t y on y.k = x.k order by x.k
select d, count(*) as n from t group by d order by d option (order group)
select d, count(*) as n from t group by d order by d option (hash group)
select k from t order by d option (fast 1, maxdop 1, recompile)
declare @v int = 2
select k from t where a = @v option (optimize for (@v = 1))
select x.k from t x join t y on y.k = x.d option (force order, merge join)
