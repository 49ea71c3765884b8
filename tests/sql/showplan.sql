create table d (id int not null constraint PK_d primary key, v int not null, w varchar(20) not null, index ix_v (v))
create table m (id int not null constraint PK_m primary key nonclustered hash with (bucket_count = 100), d int not null) with (memory_optimized = on)
insert d values (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')
insert m values (1, 1), (2, 1), (3, 3)
go
create procedure p @id int as
  if exists (select * from d where id = @id) update d set v += 1 where id = @id
  if @id < 0 exec p @id
go
create procedure n @id int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
  declare @n int = 0
  while @n < 1 begin update dbo.m set d += 1 where id = @id set @n += 1 end
end
go
-- alone in its batch
set showplan_text on select 1 as a
go
set showplan_text on
go
select d.w, count(*) as n from m join d on d.id = m.d where d.v > 5 group by d.w
go
-- nothing is done but to temporary tables
create table never (a int)
create table #t (a int)
insert #t select id from d where w = 'b'
delete d
declare @n int = (select max(v) from d)
exec p 1
exec n 1
go
select * from never
go
set showplan_text off
go
select count(*) as n from d
go
set showplan_all on
go
update d set v = 0 where id in (1, 2)
go
set showplan_all off
go
set showplan_xml on
go
select top (2) w from d where w <> '<&">' and exists (select * from m where m.d = d.id) order by v desc
print 'x'
go
exec n 1
go
exec sp_executesql N'select id from m where id = @id', N'@id int', 1
go
set showplan_xml off
go
-- what has been done
set statistics profile on
go
select d.w, m.id from d left join m on m.d = d.id where d.v >= 10 order by d.w, m.id
update d set v += 1 where exists (select * from m where m.d = d.id)
select @@rowcount as changed
go
create function f (@id int) returns int as begin return (select v from dbo.d where id = @id) end
go
create table r (w varchar(20))
insert r exec ('select w from d')
select dbo.f(1) as f
go
set statistics profile off
go
-- the numbers of a run, from the document
set statistics xml on
select id from m where id < 3
set statistics xml off
go
-- plans of what is cached
exec p 99
go
select replace(left(q.query_plan, 60), char(34), '') as document, object_name(q.objectid) as name,
  case when q.query_plan like '%StatementType="COND WITH QUERY"%StatementType="UPDATE"%' then 1 else 0 end as whole
from sys.dm_exec_procedure_stats s cross apply sys.dm_exec_query_plan(s.plan_handle) q
where s.object_id = object_id('p') and s.database_id = db_id()
go
select case when q.query_plan like '%StatementType="UPDATE"%' then 1 else 0 end as is_update,
  case when q.query_plan like '%StatementType="COND%' then 1 else 0 end as is_condition
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t
cross apply sys.dm_exec_text_query_plan(s.plan_handle, s.statement_start_offset, s.statement_end_offset) q
where t.objectid = object_id('p') and t.dbid = db_id() order by s.statement_start_offset
go
-- whoever sees a plan must be permitted to
create user planner without login
grant select on d to planner
go
execute as user = 'planner'
go
set showplan_text on
go
select id from d
go
set showplan_text off
go
set statistics profile on
go
select id from d
go
set statistics profile off
revert
grant showplan to planner
execute as user = 'planner'
go
set showplan_text on
go
select id from d
go
select id from m
go
set showplan_text off
go
revert
