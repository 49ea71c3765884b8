-- Logins, users, roles and what is granted to them: in master, where permissions on the server are granted.
use master
go
create login joe with password = 'short'
create login joe with password = 'longbutweak'
create login joe with password = 'Str0ng!Pass'
create login joe with password = 'Str0ng!Pass'
alter login nope disable
alter login joe disable
alter login joe with name = joey, default_database = tempdb
select name, is_disabled, default_database_name from sys.server_principals where name like 'jo%'
go
create user joey
create user joey
create user other for login joey
create user nobody for login nope
create user alone without login with default_schema = guest
create role r
create role r
alter role r add member joey
alter role r add member nope
alter role r add member r
alter role nope add member joey
alter role db_owner add member alone
alter role r drop member alone
go
create table t (a int, b int)
grant select on t to r
grant execute on schema::dbo to joey
deny update on t (b) to joey
grant create table to joey
grant select on nope to joey
grant execute on t to joey
grant select on t to nobody
grant select on t to dbo
grant all on t to alone
revoke insert on t from alone
select permission_name, state_desc from sys.database_permissions where grantee_principal_id = user_id('alone') order by 1
grant view server state to joey
deny nonsense on t to joey
go
grant select on t (a, nope) to joey
go
grant update on t to joey with grant option
revoke update on t from joey
revoke update on t from joey cascade
go
execute as user = 'joey'
select * from t
insert t (a) values (1)
create table mine (a int)
drop table t
alter table t add c int
grant select on t to alone
create login x with password = 'Str0ng!Pass'
create database x
revert
go
create schema sch authorization joey
drop user joey
alter authorization on schema::sch to dbo
drop role r
alter role r drop member joey
drop role r
drop user joey
drop user joey
drop user if exists joey
drop user dbo
drop role db_owner
drop login joey
drop login joey
drop login sa
go
create server role sr
alter server role sr add member nope
create login joe with password = 'Str0ng!Pass', check_policy = off
alter server role sr add member joe
drop server role sr
alter server role sr drop member joe
drop server role sr
drop server role sysadmin
drop login joe
go
drop table t
drop schema sch
drop user alone
go
