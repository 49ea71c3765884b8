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
-- TRUSTWORTHY is for administrators to set
alter database inner1 set trustworthy on
go
alter database inner1 set db_chaining on
go
