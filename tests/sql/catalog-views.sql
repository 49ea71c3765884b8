-- What views show of what was created.
create schema s
go
create type s.code from varchar(10) not null
go
create table p (id int not null constraint PK_p primary key, code s.code, note nvarchar(max) null)
go
create table c (id int identity, p int null constraint FK_c references p (id) on delete cascade,
  amount decimal(10, 2) constraint DF_c default 1, constraint CK_c check (amount > 0))
go
create index IX_c on c (p desc) include (amount)
go
create view v as select id, note from p
go
create procedure q @a nvarchar(20), @b int output as select @b = 1
go
create function f (@a int) returns table as return select id, code from p where id = @a
go
insert p values (1, 'a', null), (2, 'b', 'x')
go
insert c (p) values (1), (1), (2)
go
-- The heap has its rows, and indexes have them as well.
select i.name, s.row_count from sys.dm_db_partition_stats s join sys.indexes i
  on i.object_id = s.object_id and i.index_id = s.index_id order by s.object_id, i.index_id
go
select count(*) from sys.allocation_units a join sys.partitions p on p.hobt_id = a.container_id
  where a.total_pages >= a.used_pages and a.used_pages >= a.data_pages and a.data_pages > 0
go
-- INFORMATION_SCHEMA.
select column_name, data_type, character_maximum_length, numeric_precision, domain_schema, domain_name
  from information_schema.columns order by table_name, ordinal_position
go
select table_name, column_name, data_type from information_schema.routine_columns order by 2
go
select view_name, table_schema, table_name from information_schema.view_table_usage
go
select domain_name, data_type, character_octet_length from information_schema.domains
go
select table_name, column_name from information_schema.column_domain_usage
go
select parameter_name, parameter_mode, data_type, character_octet_length
  from information_schema.parameters where specific_name = 'q' order by ordinal_position
go
select routine_type, data_type, max_dynamic_result_sets from information_schema.routines order by 1
go
-- Views of the system are objects, with texts.
select object_name(object_id('sys.objects')), object_schema_name(object_id('INFORMATION_SCHEMA.TABLES')),
  objectproperty(object_id('sys.all_views'), 'IsView'), left(object_definition(object_id('sys.all_views')), 25)
go
select count(*) from sys.system_views v full join (select * from sys.all_objects
  where type = 'V' and is_ms_shipped = 1) o on o.object_id = v.object_id where v.name is null or o.name is null
go
-- Views of older versions.
select rows from sysindexes where id = object_id('c') and indid < 2
go
select colid, left(text, 16) from syscomments where id = object_id('v')
go
select text from syscomments where id = object_id('CK_c')
go
select name, sysadmin, dbcreator from syslogins where name = 'sa'
go
-- Catalog views.
select name, seed_value, is_computed from sys.identity_columns
go
select type from sys.all_objects where object_id = object_id('sys.fn_helpcollations')
go
select name, type from sys.all_objects where object_id = object_id('sp_help')
go
select c.name from sys.all_columns c where c.object_id = object_id('sys.schemas') order by column_id
go
-- A request that asks for texts finds its own.
select text from sys.dm_exec_requests r cross apply sys.dm_exec_sql_text(r.sql_handle)
go
select current_utc_offset from sys.time_zone_info where name = 'India Standard Time'
go
select count(*) from sys.dm_os_memory_clerks where type = 'MEMORYCLERK_XTP' and name = 'DB_ID_2'
go
select locked_page_allocations_kb, process_physical_memory_low from sys.dm_os_process_memory
go
select 1 from sys.dm_os_performance_counters where counter_name = 'Target pages' and cntr_value > 0
go
