create user nobody without login
create user reader without login
create user caller without login
create user keeper without login
create user all_reader without login
create user definer without login
go
create schema kept authorization keeper
go
create table t (id int constraint pk_t primary key, n int constraint positive check (n > 0) index i_n, secret int)
create table u (id int constraint pk_u primary key, t int constraint up references t)
create table kept.k (id int)
go
create procedure p @a int as select @a as a
go
create view v as select n from t
go
create trigger tr on t after insert as return
go
grant select on t (n) to reader
grant execute on p to caller
grant view definition to definer
alter role db_datareader add member all_reader
go
create procedure what as
select name, type from sys.objects where is_ms_shipped = 0 order by name
select count(*) as columns from sys.columns where object_id in (object_id('t'), object_id('p'))
select definition from sys.sql_modules where definition like '%select @a%' and object_id <> @@procid
select definition from sys.check_constraints
select count(*) as indexes from sys.indexes where name = 'i_n'
select table_name from information_schema.tables order by table_name
go
grant execute on what to public
go
execute as user = 'nobody'
exec what
revert
go
execute as user = 'reader'
exec what
revert
go
execute as user = 'caller'
exec what
revert
go
execute as user = 'keeper'
exec what
revert
go
execute as user = 'all_reader'
exec what
revert
go
execute as user = 'definer'
exec what
revert
go
exec what
