select 1 << 2 a, 8 >> 1 b, 1 << 2 + 1 c, 12 & 4 << 1 d, -1 >> 28 e
select case when 1 << 3 > 7 then 'more' else 'less' end a
go
select 2e a, 2E+1 b, 1.e c, .5e d, 2e- e
go
create table t (a int, b varchar(5))
insert t values (1, 'x'), (2, 'y'), (3, null)
select checksum(*) - checksum(a, b) a, binary_checksum(*) - binary_checksum(t.a, t.b) b from t
select checksum(*) - checksum(1, 'x') c from (select 1 a, 'x' b) v
go
select checksum(*)
go
select upper(*) from t
go
select top (select 2) a from t order by a
select top (select count(*) from t where b is not null) with ties a from t order by a
delete top (select 1) from t where a = 3
select top ((select 1)) a from t order by a
go
set tran isolation level repeatable read
dbcc useroptions with no_infomsgs
set transaction isolation level read committed
go
declare @i int = 5, @s varchar(5) = 'abc'
set context_info @i
select convert(varbinary(4), context_info()) a, datalength(context_info()) b
set context_info 0x0102
select convert(varbinary(4), context_info()) a
set context_info @s
go
select t.a from t union select a from t order by nosuch.a
go
select t.a from t union select a from t order by t.a
go
with c as (select a from t) select c.a as first from c union all select c.a + 1 from c order by c.a desc
go
select a from t union select t.a from t order by t.a
go
select t.a from t union select a from t order by a
go
-- a column that has another name in the result; the result's own names come first
select a as x, -a as y from t union select a, 5 from t order by a desc, y
go
select a as b, -a as a from t union all select 5, 6 order by a
go
select a + 1 as x from t union select a from t order by a
go
select t.a as x, u.a as y from t join t as u on u.a = t.a union select a, a from t order by a
go
select a from t union select * from (select top 1 a from t order by a desc) as x order by 1
go
create function dbo.f() returns text as begin return 'abc' end
go
create function dbo.f() returns timestamp as begin return 0x01 end
go
create trigger tr on t for update, update as select 1
go
create trigger tr on t instead of insert, delete, insert as select 1
go
-- INSERT … EXEC of what changes the table
create table target (a int)
go
create procedure changes as alter table target add b int select 1
go
create procedure drops as drop table target select 1
go
insert target exec changes
go
select * from target
insert target exec drops
go
select * from target
go
exec sp_addtype id, 'varchar(11)', 'NOT NULL'
exec sp_addtype 'amount', 'decimal(9, 2)'
exec sp_addtype bad, 'int; drop table t', 'NULL'
select name, max_length, precision, scale, is_nullable from sys.types where is_user_defined = 1 order by name
exec sp_droptype amount
select count(*) n from sys.types where is_user_defined = 1
go
select count(*) n, min(number) a, max(number) b from master..spt_values where type = 'P'
select case when serverproperty('ResourceLastUpdateDateTime') > '20200101' then 'a date' end d, sql_variant_property(serverproperty('ResourceLastUpdateDateTime'), 'basetype') t
declare @v nvarchar(100)
exec master.dbo.xp_instance_regread @rootkey = N'HKEY_LOCAL_MACHINE', @key = N'x', @name_of_value = N'LoginMode', @result = @v output, @no_output = 'no_output'
select @v v
create table ck (a int, b int, c int check (c > 0), constraint c_ab check (a > b))
select column_name, case when constraint_name = 'c_ab' then 'c_ab' else 'c' end c from information_schema.constraint_column_usage where table_name = 'ck' order by 2, 1
go
set quoted_identifier off
go
create procedure dbo.quoted with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english') select "a" as a end
go
set quoted_identifier on
exec dbo.quoted
go
create table vb (b varbinary(10), n int)
go
declare @v varchar(1) insert vb (b) values (@v)
go
insert vb (b) select name from sys.tables
go
update vb set b = 'text'
go
insert vb (b, n) values (null, null)
go
-- Operands have an order of their own in derived tables and subqueries.
select * from ((select top 1 n a from (values (1), (2)) x(n) order by n desc) union all (select top 1 n from (values (3), (4)) x(n) order by n)) u order by a
select 1 as found where 2 in ((select top 1 n from (values (1), (2)) x(n) order by n desc) union select 7)
go
(select top 1 n a from (values (1), (2)) x(n) order by n desc) union all select 3
go
-- An index of the table lists its columns; one behind a column is that column's.
create table li (a int, index bigint, b int)
go
create table li (a int, index i unique, b int)
go
create table li (a int, index i where a > 0)
go
create table li (a int index ia, b int index ib unique, c int, index ic (c))
select name, is_unique from sys.indexes where object_id = object_id('li') and name is not null order by name
go
