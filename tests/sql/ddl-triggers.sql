-- A trigger on the database hears of each change of the catalog, after it and within its transaction
create table log (n int identity, what nvarchar(max))
go
create trigger audit on database for ddl_database_level_events as
set nocount on
declare @e xml = eventdata()
set @e.modify('delete (/EVENT_INSTANCE/PostTime, /EVENT_INSTANCE/SPID, /EVENT_INSTANCE/ServerName, /EVENT_INSTANCE/TSQLCommand/SetOptions)')
set @e.modify('delete /EVENT_INSTANCE/SID')
insert log (what) select cast(@e as nvarchar(max))
go
-- its own making is no event for it
select count(*) as n from log
go
create table t (a int, b int constraint d default 1);
-- a comment
alter table t add c int, e int constraint ck check (e > 0)
alter table t alter column c bigint
alter table t drop constraint ck, column e
create index i on t (b)
alter index i on t rebuild
drop index i on t
create statistics s on t (b)
update statistics t
drop statistics t.s
go
select what from log order by n
truncate table log
go
create view v as select a from t
go
alter view v as select a, b from t
go
create or alter procedure p as select 1 as one
go
create or alter procedure p with encryption as select 2 as two
go
create function f() returns int as begin return 1 end
go
create trigger tr on t after insert as print 'row'
go
select what from log order by n
truncate table log
go
drop trigger tr
drop function f
drop procedure p
drop view if exists v, nothing
select what from log order by n
truncate table log
go
create schema sales authorization dbo create table o (id int)
go
alter schema sales transfer dbo.t
alter schema dbo transfer sales.t
create type money2 from decimal(9, 2); create type tt as table (a int); drop type money2
create sequence sq; alter sequence sq restart; drop sequence sq
create synonym sy for master.sys.objects
drop synonym sy
create user u without login; alter user u with default_schema = sales
create role r
alter role r add member u; alter role r drop member u
create application role ar with password = 'Xx!12345678abc', default_schema = sales
alter application role ar with password = N'Yy!12345678abc', name = ar2
drop application role ar2
grant select, Update on t to u with grant option
deny create view, create procedure to u, r
revoke select on t from u cascade
revoke grant option for update on t from u cascade
grant alter on schema::sales to r as dbo
alter authorization on schema::sales to u
select what from log order by n
truncate table log
go
create xml schema collection xc as N'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"/></xs:schema>'
drop xml schema collection xc
exec sp_rename 't', 't2'
exec sp_rename 't2.b', 'bb', 'COLUMN'
exec sp_addextendedproperty @name = N'c', @value = 'cv', @level0type = 'schema', @level0name = 'dbo', @level1type = 'table', @level1name = 't2', @level2type = 'column', @level2name = 'a'
exec sp_dropextendedproperty 'c', 'schema', 'dbo', 'table', 't2', 'column', 'a'
select a into copied from t2
create table #temporary (a int)
select a into #copied from t2
exec sp_addrole 'r2'
drop table copied, nothing, t2
go
select what from log order by n
truncate table log
go
-- what fails is no event, and one statement with several things is as many
create table x1 (a int) create table x2 (a int)
go
create table x1 (a int)
go
truncate table log
drop table x1, x2
select what from log order by n
go
drop trigger audit on database
drop role r2, r drop table log
go
-- The trigger runs in the statement's transaction, and may refuse
create trigger guard on database for drop_table, alter_table as
print @@trancount print xact_state() print trigger_nestlevel()
if eventdata().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname') = 'kept' begin print 'no' rollback end
go
create table kept (a int) create table lost (a int)
drop table lost
drop table kept
print 'not reached'
go
select name from sys.tables order by name
print @@trancount
go
begin tran
create table within (a int)
alter table kept add b int
print 'not reached'
go
select name from sys.tables order by name
print @@trancount
select count(*) as columns from sys.columns where object_id = object_id('kept')
go
begin try drop table kept end try begin catch print error_number() print error_state() print xact_state() print @@trancount end catch
select name from sys.tables order by name
go
-- several: each dropped by itself
create table lost (a int)
go
drop table lost, kept
go
select name from sys.tables order by name
go
disable trigger guard on database
drop table kept
enable trigger all on database
select name, is_disabled from sys.triggers
go
drop trigger guard on database
go
-- an error in a trigger undoes the statement
create trigger bad on database for create_table as select 1 / 0 print 'not reached'
go
create table y (a int)
print 'not reached'
go
select count(*) as n from sys.tables where name = 'y'
go
begin try create table y (a int) end try begin catch print error_number() print isnull(error_procedure(), '-') print xact_state() end catch
select count(*) as n from sys.tables where name = 'y'
go
alter trigger bad on database for create_table as throw 50001, 'thrown', 3
go
create table y (a int)
go
drop trigger bad on database
go
-- COMMIT ends the transaction, too
create trigger ends on database for create_table as commit
go
create table y (a int)
print 'not reached'
go
select count(*) as n from sys.tables where name = 'y' print @@trancount
drop table y drop trigger ends on database
go
-- nested, but not by itself; the order; what they return
create trigger one on database for create_table as
print 'one ' + cast(trigger_nestlevel() as varchar) select eventdata().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname') as made
if object_id('inner_view') is null exec ('create view inner_view as select 1 as a')
go
create trigger two on database for create_table, create_view as
declare @type varchar(30) = eventdata().value('(/EVENT_INSTANCE/EventType)[1]', 'varchar(30)')
print 'two ' + cast(trigger_nestlevel() as varchar) + ' ' + @type
if object_id('inner_table') is null create table inner_table (a int)
go
create table z1 (a int)
go
exec sp_settriggerorder 'two', 'first', 'create_table', 'database'
exec sp_settriggerorder 'one', 'first', 'create_table', 'database'
exec sp_settriggerorder 'one', 'last', 'create_view', 'database'
exec sp_settriggerorder 'two', 'last', 'create_view', 'database'
exec sp_settriggerorder 'one', 'last', 'ddl_table_events', 'database'
exec sp_settriggerorder 'three', 'last', 'create_table', 'database'
go
create table z2 (a int)
select t.name, e.type, e.type_desc, e.is_first, e.is_last, e.event_group_type, e.event_group_type_desc, e.is_trigger_event
from sys.triggers t join sys.trigger_events e on e.object_id = t.object_id order by 1, 2
go
drop trigger one, two on database
drop table z1, z2, inner_table drop view inner_view
go
-- 32 levels
create trigger a1 on database for create_table as declare @s nvarchar(200) = 'create view ' + eventdata().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname') + 'v as select 1 as a' exec (@s)
go
create trigger a2 on database for create_view as declare @s nvarchar(200) = 'create table ' + eventdata().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname') + 't (a int)' exec (@s)
go
create table deep (a int)
go
select count(*) as n from sys.objects where name like 'deep%'
drop trigger a1, a2 on database
go
-- EVENTDATA is for the body alone
select eventdata() as nothing
go
create procedure asks as select case when eventdata() is null then 'nothing' else 'something' end as said
go
create trigger asking on database for create_type as
select case when eventdata() is null then 'nothing' else 'something' end as body
exec asks exec ('select case when eventdata() is null then ''nothing'' else ''something'' end as dynamic')
go
create type ty from int
go
drop trigger asking on database drop type ty drop procedure asks
go
-- what is shown of them
create trigger shown on database with execute as self for ddl_table_events, create_view as set nocount on
go
create trigger hidden on database with encryption after rename as set nocount on
go
select name, parent_class, parent_class_desc, parent_id, type, type_desc, is_ms_shipped, is_disabled, is_not_for_replication, is_instead_of_trigger from sys.triggers order by name
select t.name, m.definition, m.execute_as_principal_id from sys.triggers t join sys.sql_modules m on m.object_id = t.object_id order by 1
select object_definition(object_id) as definition from sys.triggers order by name
select object_id('shown') as id, (select count(*) from sys.objects where name in ('shown', 'hidden')) as objects
exec sp_helptext 'shown'
exec sp_helptext 'hidden'
select e.type_desc, e.event_group_type_desc from sys.trigger_events e join sys.triggers t on t.object_id = e.object_id where t.name = 'shown' order by e.type
select count(*) as kinds, sum(case when type > 10000 then 1 else 0 end) as groups, max(case when type_name = 'CREATE_TABLE' then parent_type end) as parent from sys.trigger_event_types
go
create or alter trigger shown on database for create_view as set nocount on
go
select definition from sys.sql_modules m join sys.triggers t on t.object_id = m.object_id and t.name = 'shown'
drop trigger if exists shown, hidden, nothing on database
go
-- names and what is refused
create table same (a int)
go
create trigger same on database for create_table as return
go
create trigger same on database for create_table as return
go
alter trigger nothing on database for create_table as return
go
drop trigger nothing on database
drop trigger same
drop trigger dbo.same on database
disable trigger nothing on database
go
create trigger dbo.x on database for create_table as return
go
create trigger x on database for no_such_event as return
go
create trigger x on database for create_login as return
go
create trigger x on database for insert as return
go
create trigger x on database for logon as return
go
create trigger x on database for create_table, CREATE_table as return
go
create trigger x on database instead of create_table as return
go
create trigger x on database with execute as owner for create_table as return
go
create trigger x on database with schemabinding for create_table as return
go
create trigger x on database for create_table as if update(a) return
go
create trigger x on database for create_table as select nothing from same
go
drop trigger same on database drop table same
go
-- permissions
create user nobody without login
create user definer without login
grant alter any database ddl trigger to definer
grant create table to definer, nobody grant alter on schema::dbo to definer, nobody
go
execute as user = 'nobody'
go
create trigger x on database for create_table as print user_name()
go
revert
execute as user = 'definer'
go
create trigger x on database for create_table as print user_name()
go
create table mine (a int)
select name from sys.triggers
go
revert
execute as user = 'nobody'
create table theirs (a int)
select name from sys.triggers
select object_definition(max(object_id)) as definition from sys.triggers
drop trigger x on database
go
revert
go
alter trigger x on database with execute as 'definer' for create_table as print user_name() print original_login()
go
create table again (a int)
drop trigger x on database
drop table mine, theirs, again
go
-- a transaction takes the trigger back
begin tran
go
create trigger gone on database for create_table as print 'gone'
go
create table q (a int)
rollback
create table q (a int)
drop table q
go
-- memory-optimized tables, and tables with rows
create trigger looks on database for create_table, alter_table as
declare @name sysname = eventdata().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname') print @name
go
create table mem (a int not null primary key nonclustered) with (memory_optimized = on)
insert mem values (1)
alter table mem add b int not null default 2
select * from mem
go
drop trigger looks on database
drop table mem
go
-- implicit transactions
set implicit_transactions on
go
create trigger counts on database for create_table as print @@trancount
go
create table imp (a int)
print @@trancount
commit
set implicit_transactions off
go
drop table imp drop trigger counts on database
go
-- a trigger hears of what a statement does in its database beside another one
create database ddl_other
go
use ddl_other
go
create trigger hears on database for drop_table, alter_authorization_database as print 'heard'
go
use [ddl-triggers]
create table here (a int) create table ddl_other.dbo.there (a int)
drop table here, ddl_other.dbo.there
alter authorization on database::ddl_other to sa
go
drop database ddl_other
go
