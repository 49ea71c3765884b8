-- A role that a session takes with a password, and gives back with a cookie.
create database other
go
create schema app
go
create login clerk with password = 'Cl3rk-Secret'
create user clerk for login clerk
create role readers
create table app.orders (id int primary key)
create table dbo.notes (id int primary key)
insert app.orders values (1)
insert dbo.notes values (2)
grant select on app.orders to readers
go
create application role sales with password = 'S4les-Secret', default_schema = app
create application role plain with password = 'Pl4in-Secret'
alter role readers add member sales
grant select on dbo.notes to clerk
select name, type, type_desc, default_schema_name, authentication_type_desc, is_fixed_role from sys.database_principals where type = 'A' order by name
go
-- what is refused
create application role sales with password = 'S4les-Secret'
go
create application role clerk with password = 'S4les-Secret'
go
create application role weak with password = 'weak'
go
create application role nothing with default_schema = dbo
go
alter application role nothing with password = 'S4les-Secret'
go
alter user sales with name = sold
go
drop user sales
go
drop role sales
go
drop application role clerk
go
execute as user = 'sales'
go
create procedure p with execute as 'sales' as select 1 as a
go
execute as user = 'clerk'
create application role mine with password = 'M1ne-Secret'
revert
go
execute as user = 'clerk'
alter application role sales with password = 'M1ne-Secret'
revert
go
execute as user = 'clerk'
drop application role sales
revert
go
alter application role plain with name = sold, password = 'S0ld-Secret', default_schema = app
select name, default_schema_name from sys.database_principals where type = 'A' order by name
drop application role sold
drop application role sold
go
exec sp_addapprole 'old', 'Olds-S3cret'
exec sp_approlepassword 'old', 'Newer-S3cret'
exec sp_dropapprole 'old'
grant alter any application role to clerk
execute as user = 'clerk'
create application role mine with password = 'M1ne-Secret'
select name from sys.database_principals where type = 'A' order by name
drop application role mine
revert
go
-- wrong calls
exec sp_setapprole 'sales', 'wrong'
exec sp_setapprole 'nobody', 'wrong'
exec sp_setapprole 'readers', 'wrong'
exec sp_setapprole null, 'S4les-Secret'
exec sp_setapprole 'sales', 'S4les-Secret', 'rot13'
exec sp_unsetapprole 0x00
go
begin tran
exec sp_setapprole 'sales', 'S4les-Secret'
commit
go
create procedure taken as exec sp_setapprole 'sales', 'S4les-Secret'
go
exec taken
exec ('exec sp_setapprole ''sales'', ''S4les-Secret''')
execute as user = 'clerk'
exec sp_setapprole 'sales', 'S4les-Secret'
revert
go
-- the role is the user: it has its rights, and none of the login's
declare @cookie varbinary(8000)
exec sp_setapprole 'sales', 'S4les-Secret', @fCreateCookie = true, @cookie = @cookie output
select datalength(@cookie) as bytes, user_name() as u, current_user as c, suser_sname() as l, original_login() as o, is_member('readers') as r, is_srvrolemember('sysadmin') as s, schema_name() as d
select id from orders
select id from dbo.notes
insert app.orders values (2)
exec sp_setapprole 'sales', 'S4les-Secret'
exec sp_unsetapprole 0x00
select count(*) as n from other.sys.tables
execute as user = 'clerk'
create table app.more (a int)
use other
select user_name() as u
exec sp_unsetapprole @cookie
select user_name() as u, is_srvrolemember('sysadmin') as s
select id from dbo.notes
exec sp_unsetapprole @cookie
go
-- it stays for later batches; without a cookie it stays for good
exec sp_setapprole 'sales', 'S4les-Secret'
go
select user_name() as u
exec sp_unsetapprole null
select user_name() as u
go
alter login sa with name = sa
go
create database third
go
use master
go
select name from sys.database_principals where type = 'A'
select db_name() as d
go
