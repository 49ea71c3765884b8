-- What EXECUTE AS gives, and what it does not: users act in their database alone.
use master
create login low with password = 'Pwx-12345678'
create login other with password = 'Pwx-12345678'
create login boss with password = 'Pwx-12345678'
alter server role sysadmin add member boss
create database inner1
create database inner2
go
use inner2
create table t2 (a int)
insert t2 values (1)
create user low for login low
grant select on t2 to low
go
use inner1
create user low for login low
alter role db_owner add member low
create user nologin without login
create user other for login other
create table t1 (a int)
go
-- A database's owner is no administrator of the server
execute as login = 'low'
go
execute as user = 'dbo'
go
select user_name() u, suser_sname() s, original_login() o, is_srvrolemember('sysadmin') sysadmin,
  is_srvrolemember('public') everybody, is_member('db_owner') owns,
  has_perms_by_name(null, null, 'control server') control_server,
  has_perms_by_name(null, null, 'view any database') view_any
go
insert t1 values (1)
select * from t1
go
alter server role sysadmin add member low
go
exec sp_addsrvrolemember 'low', 'sysadmin'
go
alter login sa with password = 'Hacked-1234'
go
create login mine with password = 'Pwx-12345678'
go
drop database inner2
go
select * from inner2.dbo.t2
go
use inner2
go
grant control server to low
go
create database inner3
go
execute as login = 'sa'
go
execute as login = 'low'
go
alter authorization on database::inner2 to low
go
exec sp_configure 'max server memory', 1024
go
reconfigure
go
kill 99
go
-- Guests are let in where guests are, and temporary tables are everybody's
use master
go
select user_name() u
go
use inner1
go
create table #t (a int)
insert #t values (5)
select * from #t
go
-- Others
execute as user = 'nologin'
select user_name() u, is_srvrolemember('sysadmin') a
revert
select user_name() u
revert
select user_name() u, suser_sname() s
go
-- TRUSTWORTHY is for administrators to set, and containment is not there
alter database inner1 set trustworthy on
go
alter database inner1 set db_chaining on
go
alter database inner1 set containment = partial
go
use master
go
revert
go
alter database inner1 set trustworthy on
go
use inner1
execute as login = 'low'
execute as user = 'dbo'
go
select suser_sname() s, is_srvrolemember('sysadmin') sysadmin
go
select * from inner2.dbo.t2
go
revert
revert
go
-- The owner must be able to vouch for users elsewhere
alter authorization on database::inner1 to other
go
use inner1
go
drop user other
alter authorization on database::inner1 to other
go
execute as user = 'dbo'
select suser_sname() s, is_srvrolemember('sysadmin') sysadmin
go
select * from inner2.dbo.t2
go
revert
use inner2
create user other for login other
grant authenticate to other
use inner1
execute as user = 'low'
select * from inner2.dbo.t2
revert
go
alter database inner1 set trustworthy off
alter authorization on database::inner1 to sa
go
-- Modules
create user other for login other
go
create procedure p_owner with execute as owner as
  select user_name() u, suser_sname() s, is_srvrolemember('sysadmin') sysadmin
go
create procedure p_low with execute as 'low' as
  select user_name() u, is_srvrolemember('sysadmin') sysadmin
  execute as caller
  select user_name() u, is_srvrolemember('sysadmin') sysadmin
  revert
  select user_name() u
  revert
  select user_name() u
  select * from inner2.dbo.t2
go
exec p_owner
go
exec p_low
go
select user_name() u, is_srvrolemember('sysadmin') sysadmin
go
-- EXEC ('…') AS
exec ('select user_name() u, is_srvrolemember(''sysadmin'') sysadmin; revert; select user_name() u') as user = 'nologin'
select user_name() u
go
exec ('select * from t1') as user = 'nologin'
go
exec ('select suser_sname() s, is_srvrolemember(''sysadmin'') sysadmin') as login = 'low'
go
exec ('select 1 a') as user = 'missing'
go
exec ('select 1 a') as login = 'missing'
go
execute as user = 'other'
exec ('select 1 a') as user = 'dbo'
go
exec ('select 1 a') as login = 'sa'
go
revert
go
-- Acting as a user, and giving things to it, takes IMPERSONATE
grant create procedure, create schema, create role to other
grant alter on schema::dbo to other
go
execute as user = 'other'
go
create procedure dbo.p_dbo with execute as 'dbo' as select user_name() u
go
create procedure dbo.p_own with execute as owner as select user_name() u
go
create procedure dbo.p_self with execute as self as select user_name() u
go
exec dbo.p_self
go
create schema s authorization dbo
go
create role r authorization dbo
go
create schema s
go
alter authorization on schema::s to dbo
go
alter authorization on schema::s to low
go
revert
grant impersonate on user::low to other
execute as user = 'other'
alter authorization on schema::s to low
revert
go
-- Cookies, and what cannot be reverted
declare @c varbinary(100)
execute as user = 'low' with cookie into @c
revert
select user_name() u
revert with cookie = @c
select user_name() u
go
exec ('execute as user = ''low'' with no revert; revert')
go
select user_name() u
go
execute as user = 'sys'
go
execute as user = 'db_owner'
go
-- Administrators' passwords, roles and sids are not for those who may alter logins
use master
grant alter any login to low
grant alter any server role to low
go
execute as login = 'low'
go
alter login boss with password = 'Hacked-1234'
go
alter login boss disable
go
drop login boss
go
alter server role sysadmin add member low
go
create login twin with password = 'Pwx-12345678', sid = 0x01
go
create login twin with password = 'Pwx-12345678', sid = 0x00112233445566778899AABBCCDDEEFF
go
create login twin2 with password = 'Pwx-12345678', sid = 0x00112233445566778899AABBCCDDEEFF
go
revert
go
-- Default databases are there
create login lost with password = 'Pwx-12345678', default_database = nowhere
go
alter login low with default_database = nowhere
go
exec sp_defaultdb 'low', 'nowhere'
go
exec sp_defaultdb 'low', 'inner1'
select default_database_name from sys.server_principals where name = 'low'
go
-- Containment needs a setting that is not there
create database contained containment = partial
go
exec sp_configure 'contained database authentication', 1
go
alter database model set trustworthy on
go
