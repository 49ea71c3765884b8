-- sp_refreshview and sp_refreshsqlmodule renew what the catalog knows of a module.
create user u without login
create user editor without login
go
create table t (a int not null, b varchar(10))
go
create view v as select * from t
go
create view outer_view as select * from v
go
create view named (x, y) as select a, b from t
go
create function inline () returns table as return select * from t
go
create view bound with schemabinding as select a, b from dbo.t
go
create procedure p as select * from t
go
create trigger instead_of on v instead of delete as print 'instead'
go
grant select on v to u
grant select (b) on v to editor
grant alter on v to editor
exec sp_addextendedproperty 'note', 'kept', 'schema', 'dbo', 'view', 'v'
go
-- A new column and another type
drop view bound
alter table t add c date
alter table t alter column b nvarchar(40) not null
go
select object_name(object_id) o, name, type_name(system_type_id) type, max_length, is_nullable from sys.columns
  where object_id in (object_id('v'), object_id('outer_view'), object_id('named'), object_id('inline')) order by o, column_id
go
insert t values (1, 'one', null)
select * from v
select * from inline()
go
exec sp_refreshview 'v'
exec sp_refreshview @viewname = 'dbo.outer_view'
exec sp_refreshsqlmodule 'named'
exec sys.sp_refreshsqlmodule @name = 'inline', @namespace = 'object'
exec sp_refreshsqlmodule 'p'
go
select object_name(object_id) o, name, type_name(system_type_id) type, max_length, is_nullable from sys.columns
  where object_id in (object_id('v'), object_id('outer_view'), object_id('named'), object_id('inline')) order by o, column_id
go
-- What it keeps: permissions, triggers, properties, its id, the options that it was made with
select user_name(grantee_principal_id) grantee, permission_name, minor_id from sys.database_permissions
  where major_id = object_id('v') order by 1, 2
select name, value from fn_listextendedproperty(default, 'schema', 'dbo', 'view', 'v', default, default)
select * from v
delete v
go
set ansi_nulls off
go
create view old_nulls as select * from t
go
set ansi_nulls on
exec sp_refreshview 'old_nulls'
select objectproperty(object_id('old_nulls'), 'ExecIsAnsiNullsOn') ansi_nulls
go
-- A renamed view keeps its new name
exec sp_rename 'named', 'called'
exec sp_refreshview 'called'
select object_name(object_id) o, name from sys.columns where object_id = object_id('called')
go
-- A dropped column: a view of the star loses it, one that names it cannot be renewed
alter table t drop column c
go
exec sp_refreshview 'v'
select name from sys.columns where object_id = object_id('v') order by column_id
go
alter table t drop column b
go
exec sp_refreshview 'called'
go
select name from sys.columns where object_id = object_id('called') order by column_id
go
exec sp_refreshview 'outer_view'
exec sp_refreshview 'v'
exec sp_refreshview 'outer_view'
select object_name(object_id) o, name from sys.columns where object_id in (object_id('v'), object_id('outer_view'))
go
-- In a transaction
alter table t add d int
begin transaction
exec sp_refreshview 'v'
rollback
select name from sys.columns where object_id = object_id('v') order by column_id
go
-- What is bound to its schema is as it was
create view bound with schemabinding as select a from dbo.t
go
declare @result int
exec @result = sp_refreshview 'dbo.bound'
select @result result
go
exec sp_refreshsqlmodule 'bound'
go
-- What there is not, what is no view, what is elsewhere
exec sp_refreshview 'nothing'
go
exec sp_refreshview 't'
go
exec sp_refreshview 'p'
go
exec sp_refreshsqlmodule 't'
go
exec sp_refreshview 'tempdb.dbo.nothing'
go
exec sp_refreshsqlmodule 'v', 'DATABASE_DDL_TRIGGER'
go
exec sp_refreshview
go
exec sp_refreshview null
go
-- ALTER on the view is wanted
execute as user = 'u'
exec sp_refreshview 'v'
go
exec sp_refreshview 'called'
revert
go
execute as user = 'editor'
exec sp_refreshview 'v'
revert
select name from sys.columns where object_id = object_id('v') order by column_id
go
