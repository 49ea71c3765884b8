-- Procedures that every database has run in the one that their name has.
create table here (id int primary key)
create database elsewhere
go
exec elsewhere..sp_executesql N'create table there (id int constraint pk_there primary key)'
exec elsewhere.dbo.sp_executesql N'insert there values (1) select db_name() as d, @n as n from there', N'@n int', 7
select db_name() as d, object_id('there') as there
exec elsewhere.dbo.sp_helpindex 'there'
exec elsewhere..sp_helpindex 'here'
exec elsewhere.sys.sp_helpfilegroup
exec tempdb..sp_helpfile
declare @name sysname = 'elsewhere..sp_pkeys'
exec @name 'there'
select db_name() as d
go
-- In a procedure, in INSERT … EXEC, one in another, after an error, and with a USE.
create procedure p as exec elsewhere..sp_executesql N'select db_name() as d' select db_name() as d
go
exec p
create table names (d sysname)
insert names exec elsewhere..sp_executesql N'select db_name()'
select d from names
exec elsewhere..sp_executesql N'exec tempdb..sp_executesql N''select db_name() as d''; select db_name() as d'
exec elsewhere..sp_executesql N'select 1 / 0'
select db_name() as d
exec elsewhere..sp_executesql N'use tempdb select db_name() as d'
select db_name() as d
go
exec elsewhere..sp_executesql N'throw 50001, ''no'', 1'
go
select db_name() as d
exec nowhere..sp_executesql N'select 1'
go
-- Who comes back to a database is in it.
exec master..sp_executesql N'drop database [other-database]'
exec master..sp_executesql N'alter database [other-database] set offline'
exec master..sp_detach_db 'other-database'
select db_name() as d
exec elsewhere..sp_executesql N'use master drop database elsewhere'
select db_name() as d
go
drop database elsewhere
create login nobody with password = 'aA1!aaaaaaaa'
go
create database elsewhere
create user nobody for login nobody
go
execute as login = 'nobody'
exec elsewhere..sp_executesql N'select 1'
revert
go
drop user nobody
drop login nobody
drop database elsewhere
