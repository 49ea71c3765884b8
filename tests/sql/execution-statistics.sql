create table d (id int not null primary key, v int not null)
create table m (id int not null primary key nonclustered hash with (bucket_count = 100), v int not null) with (memory_optimized = on)
insert d values (1, 10), (2, 20), (3, 30)
insert m values (1, 10), (2, 20), (3, 30)
go
create procedure p @id int as
begin
  declare @n int
  if exists (select * from d where id = @id) set @n = 1
  select v from d where id >= @id
  update d set v += 1 where id = @id
end
go
create function f (@id int) returns int as begin return (select v from dbo.d where id = @id) end
go
create trigger tr on d after delete as select count(*) as gone from deleted
go
create procedure n @id int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
  select v from dbo.m where id >= @id order by v
  update dbo.m set v += 1 where id = @id
end
go
exec p 1
exec p 2
go
-- ä€😀
select dbo.f(1) as f
delete d where id = 3
go
-- statements of a procedure, each with its text and rows
select substring(t.text, s.statement_start_offset / 2 + 1, (s.statement_end_offset - s.statement_start_offset) / 2 + 1) as statement,
  execution_count as n, total_rows as rows, last_rows as last, min_rows as least, max_rows as most, plan_generation_num as generation
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t
where t.objectid = object_id('p') and t.dbid = db_id() order by s.statement_start_offset
go
select substring(t.text, s.statement_start_offset / 2 + 1, (s.statement_end_offset - s.statement_start_offset) / 2 + 1) as statement, total_rows
from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t
where t.text like N'-- ä€😀%' order by s.statement_start_offset
go
-- the times fit together
select count(*) as odd from sys.dm_exec_query_stats
where last_execution_time < creation_time or execution_count < 1 or min_elapsed_time > max_elapsed_time
  or total_elapsed_time < max_elapsed_time or total_worker_time <> total_elapsed_time
  or last_elapsed_time not between min_elapsed_time and max_elapsed_time or creation_time < dateadd(hour, -1, getutcdate())
go
select object_name(object_id) as name, type, type_desc, execution_count from sys.dm_exec_procedure_stats where database_id = db_id()
select object_name(object_id) as name, type, type_desc, execution_count from sys.dm_exec_trigger_stats where database_id = db_id()
select object_name(object_id) as name, type, type_desc, execution_count from sys.dm_exec_function_stats where database_id = db_id()
go
-- a change of the table is another generation, whose runs are counted anew
alter table d add w int
go
exec p 1
select plan_generation_num, execution_count, total_rows from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t
where t.objectid = object_id('p') and t.dbid = db_id() order by s.statement_start_offset
go
-- natively compiled modules count only when they are told to
exec n 1
select count(*) as none from sys.dm_exec_procedure_stats where object_id = object_id('n') and database_id = db_id()
declare @old bit
exec sys.sp_xtp_control_proc_exec_stats @old_collection_value = @old output
select @old as old
exec sys.sp_xtp_control_proc_exec_stats @new_collection_value = 1, @old_collection_value = @old output
select @old as old
exec n 1
exec n 3
select execution_count from sys.dm_exec_procedure_stats where object_id = object_id('n') and database_id = db_id()
select count(*) as none from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t where t.objectid = object_id('n') and t.dbid = db_id()
exec sys.sp_xtp_control_proc_exec_stats 0, @old output
select @old as old
go
-- their statements too: all of them, or those of one
declare @old bit, @db int = db_id(), @n int = object_id('n'), @p int = object_id('p'), @status int
exec sys.sp_xtp_control_query_exec_stats 1, @db, @n, @old output
select @old as old
exec n 2
exec sys.sp_xtp_control_query_exec_stats 0, @db, @n, @old output
exec n 2
exec sys.sp_xtp_control_query_exec_stats @database_id = @db, @xtp_object_id = @n, @old_collection_value = @old output
select @old as old
exec sys.sp_xtp_control_query_exec_stats @new_collection_value = 1
exec sys.sp_xtp_control_query_exec_stats @old_collection_value = @old output
select @old as old
exec n 3
exec sys.sp_xtp_control_query_exec_stats 0
exec n 3
-- a procedure that is not natively compiled is refused by the status
exec @status = sys.sp_xtp_control_query_exec_stats 1, @db, @p
select @status as status
select substring(t.text, s.statement_start_offset / 2 + 1, (s.statement_end_offset - s.statement_start_offset) / 2 + 1) as statement,
  execution_count as n, total_rows as rows, plan_handle from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t
where t.objectid = object_id('n') and t.dbid = db_id() order by s.statement_start_offset
go
-- what is cached, as what
exec sp_executesql N'select @a as a, @b as b', N'@a int, @b int', 1, 2
exec ('select 3 as c')
go
exec sp_executesql N'select @a as a, @b as b', N'@a int, @b int', 3, 4
select c.cacheobjtype, c.objtype, c.usecounts, left(t.text, 36) as text from sys.dm_exec_cached_plans c cross apply sys.dm_exec_sql_text(c.plan_handle) t
where t.text like '(@a int, @b int)select @a as a%' or t.text = 'select 3 as c'
  or t.dbid = db_id() and t.objectid in (object_id('tr'), object_id('f')) order by c.objtype, t.text
go
-- statements that differ in constants have one hash
exec ('select v from d where id = 1')
exec ('select v from d where id = 22')
exec ('select w from d where id = 22')
select count(*) as statements, count(distinct query_hash) as shapes from sys.dm_exec_query_stats s cross apply sys.dm_exec_sql_text(s.sql_handle) t
where t.text like 'select _ from d where id%'
go
-- whose statistics these are is for those to see who may see the server's state
create login stats_reader with password = 'Str0ng!Pass'
create user stats_reader for login stats_reader
go
execute as login = 'stats_reader'
select count(*) from sys.dm_exec_query_stats
go
exec sys.sp_xtp_control_proc_exec_stats 1
go
revert
drop login stats_reader
