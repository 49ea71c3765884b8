create table t (a int, b int)
create table u (a int, c int)
insert t values (1, 2)
go
-- Every column that does not exist is reported, clause by clause.
select nope1, a, t.nope2, x.a from t where nope3 = 1 group by nope4 having max(nope5) > 1 order by nope6
go
select sum(nope1), nope2 + nope3 from t join u on t.a = u.nope4 where a = 1
go
select a from t where exists (select * from u where u.nope1 = t.nope2 and nope3 > 1)
go
update t set nope1 = 1, b = nope2 where nope3 = 1
go
insert t (nope1, nope2) values (1, 2)
go
insert t (a, b) select nope1, nope2 from u
go
delete t output deleted.nope1 where nope2 = 1
go
merge t using u on t.nope1 = u.nope2 when matched then update set b = nope3 when not matched then insert (a) values (u.nope4);
go
-- Of all statements of a batch, of which nothing is done.
insert t values (3, 4)
select nope1 from t
select nope2 from t
if nope3 = 1 print 'x'
go
select count(*) as n from t
go
-- Only what is not there yet may wait.
select nope1 from t
select * from missing
go
-- Modules.
create procedure p as
select nope1, nope2 from t
select nope3 from u
go
create view v as select nope1, nope2 from t
go
create view v as select a, b from t
go
create view w as select a, b from v where a = 1
go
create function f (@a int) returns table as return select b from t where a = @a
go
alter table t drop column b
go
select a from v
go
select a, nope from dbo.w
go
select * from f(1)
go
create view x as select * from missing_table
go
-- Table expressions count even if nobody uses them.
with unused as (select nope1, nope2 from t) select a from t
go
with unused as (select * from missing) select a from t
go
with one as (select a from t), two as (select nope from one) select a from one
go
with one (x, y) as (select a from t) select 1 as one
go
-- A CATCH block around a text sees the last.
begin try exec('select nope1, nope2 from t') end try begin catch select error_number() as n, error_message() as m end catch
go
exec('select nope1, nope2 from t')
select 1 as still
go
create table late (a int)
go
create view late_view as select a from late
go
create view later_view as select a from late_view
go
drop table late
go
select * from later_view
go
create procedure uses_it as select a from later_view
go
exec uses_it
