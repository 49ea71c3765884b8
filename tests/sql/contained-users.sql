-- The setting comes first
create database contained1 containment = partial
go
create database contained1
go
alter database contained1 set containment = partial
go
create user [with-password] with password = 'Pass-w0rd-1'
go
exec sp_configure 'show advanced options', 1
reconfigure
exec sp_configure 'contained database authentication', 1
go
reconfigure
go
alter database contained1 set containment = partial
go
create database contained2 containment = partial collate Latin1_General_BIN2
go
select name, containment c, containment_desc d from sys.databases where name like 'contained[12]' order by 1
go
alter database master set containment = partial
go
alter database contained1 set change_tracking = on
go
alter database contained1 set two_digit_year_cutoff = 2050
go
alter database contained2 set containment = none with no_wait
go
alter database contained2 set two_digit_year_cutoff = 2050
go
alter database contained2 set change_tracking = on
go
alter database contained2 set containment = partial
go
alter database contained2 set change_tracking = off
go
alter database contained2 set containment = partial
go
-- Users with passwords
use contained1
go
create user ann with password = 'Pass-w0rd-1', default_schema = sales, default_language = Deutsch
create user bob with password = 'Pass-w0rd-2', sid = 0x0102030405060708090a0b0c0d0e0f10
create user cleo without login
go
select name, type, authentication_type t, authentication_type_desc d, default_schema_name s, default_language_name l,
  default_language_lcid i, datalength(sid) n
from sys.database_principals where principal_id between 5 and 16383 order by name
go
create user ann with password = 'Pass-w0rd-1'
go
create user dora with password = 'short'
go
create user dora with password = 'simplepassword'
go
create user dora with password = 'Pass-w0rd-1', sid = 0x0102
go
create user dora with password = 'Pass-w0rd-1', sid = 0x0102030405060708090a0b0c0d0e0f10
go
create user dora with password = 'Pass-w0rd-1', default_language = Klingon
go
create user dora without login with password = 'Pass-w0rd-1'
go
create user dora without login with default_language = Deutsch
go
create user dora with password = 'Pass-w0rd-1' old_password = 'Pass-w0rd-2'
go
create user dora with name = doris
go
create user nologin_of_this_name
go
create login contained_login with password = 'Pass-w0rd-3', default_language = Italian
go
create user dora for login contained_login with password = 'Pass-w0rd-1'
go
create user dora for login contained_login with sid = 0x0102030405060708090a0b0c0d0e0f11
go
create user dora for login contained_login with default_language = French
go
select name, authentication_type_desc d, default_language_name l from sys.database_principals where name = 'dora'
go
-- ALTER USER
alter user ann with password = 'Pass-w0rd-9' old_password = 'wrong'
go
alter user ann with password = 'Pass-w0rd-9' old_password = 'Pass-w0rd-1', default_language = none
alter user ann with name = anna, default_language = 1036
go
select name, default_language_name l from sys.database_principals where name like 'ann%'
go
alter user cleo with password = 'Pass-w0rd-1'
go
alter user dora with password = 'Pass-w0rd-1'
go
alter user anna with login = contained_login
go
alter user cleo with login = contained_login
go
alter user anna with sid = 0x0102030405060708090a0b0c0d0e0f12
go
create login contained_other with password = 'Pass-w0rd-4'
alter user dora with login = contained_other
go
select suser_sname(sid) s from sys.database_principals where name = 'dora'
go
alter user dora with login = contained_login
go
-- What users may change
grant alter any user to bob
create role boss
alter role db_owner add member anna
grant alter on user::cleo to dora
go
execute as user = 'bob'
alter user cleo with name = cleopatra
alter user bob with password = 'Pass-w0rd-5'
go
alter user anna with password = 'Pass-w0rd-5'
go
alter user anna with name = taken_over
go
alter user dora with login = contained_other
go
revert
go
execute as user = 'dora'
alter user cleopatra with default_schema = dbo
alter user dora with default_schema = dbo, default_language = Deutsch
go
alter user cleopatra with name = cleo
go
alter user bob with default_schema = dbo
go
revert
go
execute as user = 'anna'
alter user bob with password = 'Pass-w0rd-6'
select user_name() u, suser_sname() s, suser_sname(suser_sid()) n, is_srvrolemember('sysadmin') a
go
use contained2
go
select count(*) n from contained2.sys.objects
go
revert
go
-- An event has no password
create trigger tell on database for create_user, alter_user as
declare @text nvarchar(200) = eventdata().value('(/EVENT_INSTANCE/TSQLCommand/CommandText)[1]', 'nvarchar(200)')
print @text
go
create user eve with password = 'Pass-w0rd-7'
alter user eve with password = 'Pass-w0rd-8' old_password = 'Pass-w0rd-7'
go
drop trigger tell on database
drop user eve
go
-- sp_migrate_user_to_contained
exec sp_migrate_user_to_contained 'nobody', 'keep_name', 'do_not_disable_login'
go
exec sp_migrate_user_to_contained 'anna', 'keep_name', 'do_not_disable_login'
go
exec sp_migrate_user_to_contained 'dora', 'keep', 'do_not_disable_login'
go
exec sp_migrate_user_to_contained 'dora', 'copy_login_name', 'disable_login'
go
select name, authentication_type_desc d, default_language_name l from sys.database_principals where name in ('dora', 'contained_login')
select is_disabled d from sys.server_principals where name = 'contained_login'
select count(*) n from sys.database_principals p join sys.server_principals s on s.sid = p.sid where p.name = 'contained_login'
go
-- What is not contained
create user other_user for login contained_other
go
create synonym s1 for contained2.dbo.t
create synonym s2 for dbo.t
go
create table contained2.dbo.there (a int)
go
create procedure p1 as select * from contained2.dbo.there
go
create procedure p2 as select * from contained1.sys.objects
go
select class_desc, isnull(object_name(major_id), user_name(major_id)) o, statement_type t, feature_name f, feature_type_name y
from sys.dm_db_uncontained_entities order by class, o
go
-- Collations
use contained2
go
create table #t (a varchar(10), b varchar(10) collate database_default, c nvarchar(10) collate catalog_default)
select c.name, c.collation_name from tempdb.sys.columns c where object_id = object_id('tempdb..#t') order by 1
drop table #t
select sql_variant_property(N'a' collate catalog_default, 'Collation') c, sql_variant_property('a' collate database_default, 'Collation') d
go
create table #t (a int constraint pk_t primary key)
go
create table #t (a int primary key, b int check (b > 0))
drop table #t
go
create table t (a nvarchar(10), b as a collate catalog_default)
go
create table t (a nvarchar(10) check (a collate catalog_default > N''))
go
use contained1
go
-- The way back
alter database contained1 set containment = none
go
exec sp_configure 'user options', 1
go
reconfigure
go
exec sp_configure 'user options', 0
reconfigure
exec sp_configure 'contained database authentication', 0
reconfigure
go
use [contained-users]
backup database contained2 to disk = 'contained2.bak' with init
go
reconfigure with override
go
restore database contained3 from disk = 'contained2.bak'
go
drop database contained2
drop database contained1
drop login contained_login
drop login contained_other
exec sp_configure 'show advanced options', 0
reconfigure
go
select name, value_in_use from sys.configurations where name = 'contained database authentication'
go
-- What else vouches for users is not there
create user x for certificate c
go
create user x from asymmetric key k
go
create user x from external provider
go
create login x from certificate c
go
create login x from external provider
