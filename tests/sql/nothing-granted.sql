-- A login that has been granted nothing, and is a user of this database, tries what there is.
create login nothing with password = 'Pwx-12345678'
create user nothing for login nothing
create database other_one
go
create table t (id int identity constraint pk_t primary key, a int constraint positive check (a > 0), index i_a (a))
create table child (id int constraint fk_child references t (id))
create type tt as table (a int)
create type name_type from varchar(10)
create sequence s as int start with 1
create synonym syn for t
go
create view v as select a from t
go
create procedure p as select 1 a
go
create procedure takes @t tt readonly as select count(*) n from @t
go
create function f () returns int as begin return 1 end
go
create function tf () returns table as return select 1 a
go
create trigger tr on t after insert as return
go
create schema place
go
exec sp_addextendedproperty 'note', 'x', 'schema', 'dbo', 'table', 't'
grant execute on takes to nothing
go
execute as login = 'nothing'
go
-- Rows
select * from t
go
select * from v
go
select * from syn
go
select * from tf()
go
select dbo.f()
go
insert t (a) values (1)
go
update t set a = 1
go
delete t
go
merge t using (select 1 x) q on t.id = q.x when not matched then insert (a) values (1);
go
truncate table t
go
select * into copied from t
go
select next value for s
go
declare @t tt
select * from @t
go
exec takes
go
declare @n name_type = 'x'
select @n n
go
exec p
go
bulk insert t from '/tmp/nothing.csv'
go
select * from other_one.sys.objects
go
use other_one
go
-- Definitions
create table mine (a int)
go
create table place.mine (a int)
go
create table #mine (a int constraint to_t references t (id))
drop table #mine
go
create view mine as select 1 a
go
create procedure mine as select 1 a
go
create function mine () returns int as begin return 1 end
go
create trigger mine on t after insert as return
go
create type mine from int
go
create sequence mine
go
create synonym mine for t
go
create schema mine
go
create user mine without login
go
create role mine
go
create login mine with password = 'Pwx-12345678'
go
create server role mine
go
create database mine
go
create statistics st on t (a)
go
create index i2 on t (a)
go
alter table t add b int
go
alter table t nocheck constraint positive
go
alter index i_a on t rebuild
go
alter sequence s restart with 5
go
alter schema place transfer dbo.t
go
alter authorization on t to nothing
go
alter authorization on type::tt to nothing
go
alter role db_owner add member nothing
go
alter server role sysadmin add member nothing
go
alter user nothing with default_schema = place
go
alter login sa disable
go
alter database other_one set read_only
go
alter database scoped configuration set maxdop = 1
go
alter view v as select 1 a
go
alter procedure p as select 2 a
go
disable trigger tr on t
go
enable trigger tr on t
go
update statistics t
go
drop table t
go
drop view v
go
drop procedure p
go
drop function f
go
drop trigger tr
go
drop type tt
go
drop sequence s
go
drop synonym syn
go
drop schema place
go
drop index i_a on t
go
drop user nothing
go
drop role db_owner
go
drop login sa
go
drop database other_one
go
grant select on t to public
go
deny select on t to public
go
revoke select on t from public
go
grant control server to nothing
go
grant view database state to nothing
go
-- The server
backup database other_one to disk = 'other.bak'
go
backup log other_one to disk = 'other.bak'
go
restore database other_one from disk = 'other.bak'
go
restore headeronly from disk = 'other.bak'
go
checkpoint
go
reconfigure
go
shutdown
go
kill 51
go
alter server configuration set buffer pool extension off
go
alter resource governor reconfigure
go
create resource pool mine
go
set identity_insert t on
go
set showplan_text on
go
set showplan_text off
go
raiserror ('x', 10, 1) with log
go
raiserror ('x', 20, 1) with log
go
execute as login = 'sa'
go
execute as user = 'dbo'
go
exec ('select 1') as login = 'sa'
go
exec ('select 1') as user = 'dbo'
go
dbcc checkdb
go
dbcc checktable ('t')
go
dbcc checkident ('t')
go
dbcc checkconstraints
go
dbcc dropcleanbuffers
go
dbcc freeproccache
go
dbcc freesystemcache ('all')
go
dbcc freesessioncache
go
dbcc inputbuffer (1)
go
dbcc opentran
go
dbcc shrinkdatabase (0)
go
dbcc shrinkfile (1)
go
dbcc sqlperf (logspace)
go
dbcc traceon (1)
go
dbcc traceoff (1)
go
dbcc tracestatus
go
dbcc updateusage (0)
go
dbcc cleantable (0, 't')
go
select * from sys.dm_os_sys_info
go
select * from sys.dm_tran_locks
go
select * from sys.dm_db_partition_stats
go
select count(*) sessions from sys.dm_exec_sessions where session_id <> @@spid
go
select * from sys.dm_exec_sql_text(0x00)
go
exec sp_addextendedproperty 'note', 'x'
go
exec sp_dropextendedproperty 'note', 'schema', 'dbo', 'table', 't'
go
exec sp_rename 't', 'u'
go
exec sp_recompile 't'
go
exec sp_refreshview 'v'
go
exec sp_settriggerorder 'tr', 'first', 'insert'
go
exec sp_changedbowner 'nothing'
go
exec sp_configure 'max degree of parallelism', 2
go
exec sp_addmessage 60000, 10, 'x'
go
exec sp_detach_db 'other_one'
go
exec sp_renamedb 'other_one', 'third'
go
exec sp_addsrvrolemember 'nothing', 'sysadmin'
go
exec sp_addrolemember 'db_owner', 'nothing'
go
exec sp_adduser 'sa', 'u'
go
exec sp_addlogin 'mine', 'Pwx-12345678'
go
exec sp_password null, 'Pwx-12345679', 'sa'
go
exec sp_defaultdb 'sa', 'tempdb'
go
exec xp_create_subdir '/tmp/thermocline-nothing'
go
exec sp_delete_backuphistory '2020-01-01'
go
exec sp_helplogins
go
exec sp_lock
go
exec sp_updatestats
go
-- What is not seen
select object_id('t') t, object_id('v') v, object_id('other_one.sys.objects') o, object_id('p') p
go
select name from sys.objects where is_ms_shipped = 0
go
select name from sys.server_principals where name in ('sa', 'nothing', 'sysadmin') or principal_id > 256 order by principal_id
select name from sys.sql_logins order by principal_id
select name from sys.database_principals where name not like 'db[_]%' order by principal_id
select count(*) files from sys.master_files
go
exec sp_help 't'
go
exec sp_helptext 'p'
go
exec sp_helpindex 't'
go
exec sp_spaceused 't'
go
exec sp_columns 't'
go
exec sp_describe_first_result_set N'select * from t'
go
exec sp_describe_first_result_set N'exec p'
go
set fmtonly on
go
select * from t
go
exec p
go
set fmtonly off
go
revert
declare @id int = object_id('t'), @p int = object_id('p')
exec sp_executesql N'execute as login = ''nothing''
  select object_name(@id) name, object_schema_name(@id) place, object_definition(@p) text, col_name(@id, 1) col,
    col_length(''t'', ''a'') len, columnproperty(@id, ''a'', ''precision'') prec, objectproperty(@id, ''isusertable'') tab,
    objectpropertyex(@id, ''basetype'') base, indexproperty(@id, ''i_a'', ''isunique'') ix, index_col(''t'', 1, 1) ixc,
    ident_current(''t'') cur, ident_seed(''t'') seed, ident_incr(''t'') incr', N'@id int, @p int', @id, @p
go
grant execute on p to nothing
grant select (a) on t to nothing
go
execute as login = 'nothing'
go
select object_id('p') - object_id('p') p, object_definition(object_id('p')) text, object_id('t') - object_id('t') t,
  col_length('t', 'a') a
go
exec sp_helptext 'p'
go
exec sp_describe_first_result_set N'select a from t'
go
revert
grant view definition on p to nothing
go
execute as login = 'nothing'
exec sp_helptext 'p'
revert
go
