-- Triggers on the server: for every database's events, before the database's own, in master
create trigger st on all server for create_table, ddl_login_events, create_database, alter_database, drop_database as
declare @e xml = eventdata(), @s nvarchar(400)
set @s = 'server ' + db_name() + ' ' + isnull(@e.value('(/EVENT_INSTANCE/DatabaseName)[1]', 'sysname'), '-') + ' ' + @e.value('(/EVENT_INSTANCE/EventType)[1]', 'sysname')
print @s
go
create trigger dt on database for create_table as print 'database ' + db_name()
go
create table t1 (a int)
go
use tempdb
create table ##global (a int)
drop table ##global
create table [server-triggers].dbo.t2 (a int)
go
use [server-triggers]
drop trigger dt on database drop table t1, t2
go
-- logins, without their passwords
alter trigger st on all server for ddl_server_level_events as
declare @e xml = eventdata()
set @e.modify('delete (/EVENT_INSTANCE/PostTime, /EVENT_INSTANCE/SPID, /EVENT_INSTANCE/TSQLCommand/SetOptions, /EVENT_INSTANCE/SID)')
print cast(@e as nvarchar(4000))
go
create login st_login with password = 'Xx!12345678abc', check_policy = off; -- more
alter login st_login with password = 'Yy!12345678abc' old_password = 'Xx!12345678abc'
alter login st_login disable
create server role st_role
alter server role st_role add member st_login
alter server role st_role drop member st_login
drop server role st_role
exec sp_configure 'show advanced options', 0
exec sp_addmessage 50777, 16, 'seven'
exec sp_dropmessage 50777
go
use master
grant view server state to st_login
revoke view server state from st_login
use [server-triggers]
drop login st_login
go
-- databases: a trigger may refuse
create database st_made
alter database st_made set recursive_triggers on
drop database st_made
go
alter trigger st on all server for create_database, alter_database, drop_database as
if eventdata().value('(/EVENT_INSTANCE/DatabaseName)[1]', 'sysname') like 'st[_]%' begin print 'no' rollback end
go
create database st_made
print 'not reached'
go
select count(*) as n from sys.databases where name = 'st_made' print @@trancount
disable trigger st on all server
create database st_made
enable trigger st on all server
go
drop database st_made
go
alter database st_made set recursive_triggers on
go
select is_recursive_triggers_on from sys.databases where name = 'st_made'
go
disable trigger all on all server
drop database st_made
enable trigger all on all server
go
-- what is shown
select name, parent_class, parent_class_desc, parent_id, type, type_desc, is_ms_shipped, is_disabled from sys.server_triggers
select e.type, e.type_desc, e.is_first, e.is_last, e.event_group_type from sys.server_trigger_events e join sys.server_triggers t on t.object_id = e.object_id order by 1
select definition, execute_as_principal_id from sys.server_sql_modules
select count(*) as n from sys.triggers
select count(*) as n from master.sys.triggers where name = 'st'
select count(*) as n from master.sys.sql_modules m join sys.server_triggers t on t.object_id = m.object_id
exec sp_settriggerorder 'st', 'first', 'create_database', 'server'
exec sp_settriggerorder 'st', 'first', 'create_table', 'server'
select type_desc, is_first from sys.server_trigger_events order by type
go
-- a logon trigger may be defined beside
create trigger lt on all server with execute as 'sa', encryption after logon as if original_login() = 'nobody' rollback
go
select t.name, e.type, e.type_desc, m.definition, m.execute_as_principal_id from sys.server_triggers t join sys.server_trigger_events e on e.object_id = t.object_id join sys.server_sql_modules m on m.object_id = t.object_id where t.name = 'lt'
drop trigger lt on all server
go
create trigger x on all server with execute as owner for create_login as return
go
create trigger x on all server with execute as 'no such login' for create_login as return
go
create trigger x on all server for update as return
go
create trigger st on all server for create_login as return
go
create trigger dbo.x on all server for create_login as return
go
drop trigger x on all server
drop trigger st on database
go
-- as a login
create login st_other with password = 'Xx!12345678abc', check_policy = off
go
create trigger who on all server with execute as 'st_other' for create_view as print suser_sname() + ' ' + user_name() + ' ' + original_login()
go
create view v as select 1 as a
go
drop trigger who on all server drop view v
go
-- CONTROL SERVER it takes
create user st_other alter role db_owner add member st_other
execute as login = 'st_other'
go
create trigger x on all server for create_login as return
go
drop trigger st on all server
select count(*) as n from sys.server_triggers
select count(*) as n from sys.server_sql_modules;
disable trigger st on all server
go
-- the trigger does not hear of what is refused
create database st_made on (filename = 'nowhere') for attach
exec sp_rename 'st_made', 'st_other', 'database'
go
revert
drop user st_other drop login st_other
drop trigger st on all server
go
