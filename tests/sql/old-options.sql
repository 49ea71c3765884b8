set nocount on
go
-- CONCAT_NULL_YIELDS_NULL
set concat_null_yields_null off
go
declare @n varchar(5) = null, @m nvarchar(5) select 'a' + @n + 'b' as a, @m + N'x' as b, 'abc' + null as c, @@options & 4096 as o,
    sessionproperty('CONCAT_NULL_YIELDS_NULL') as p
select concat('a', null, 'b') as c, 1 + null as d
go
create table names (id int, first varchar(10) null, last varchar(10) null)
insert names values (1, 'Ada', null), (2, null, 'Ng'), (3, null, null)
select id, first + ' ' + last as n, 0x01 + null as b from names order by id
go
set concat_null_yields_null on
go
select id, first + ' ' + last as n from names order by id
go
-- NUMERIC_ROUNDABORT
set numeric_roundabort on
go
declare @r decimal(5, 2), @a decimal(5, 4) = 1.1234
set @r = @a + @a
go
select cast(1.25 as decimal(3, 1)) as a
go
select cast(1.20 as decimal(3, 1)) as a, cast(cast(1.5 as money) as decimal(3, 1)) as b
go
set ansi_warnings off
go
select cast(v as decimal(3, 1)) as a from (values (1.25), (1.2)) as r(v)
go
set ansi_warnings on
go
-- products and quotients that 38 digits cut, though not those that need no more
declare @a decimal(38, 20) = 1.00000000000000000001, @b decimal(38, 20) = 1.5
select @b * @b as kept
select @a * @a as lost
go
declare @a decimal(38, 20) = 1, @b decimal(38, 20) = 4, @c decimal(38, 20) = 3
select @a / @b as kept
select @a / @c as lost
go
select 1.0 / 3 as truncated
go
set arithabort off set ansi_warnings off
go
declare @a decimal(38, 20) = 1.00000000000000000001
select @a * @a as lost
go
set numeric_roundabort off set ansi_warnings on
go
declare @a decimal(38, 20) = 1.00000000000000000001
select @a * @a as rounded
select cast(1.25 as decimal(3, 1)) as a
go
-- ANSI_PADDING is kept for each column
set ansi_padding off
go
create table padded (id int, v varchar(10), b varbinary(10), n nvarchar(10))
go
set ansi_padding on
go
alter table padded add w varchar(10)
go
insert padded values (1, 'a  ', 0x010000, N'a  ', 'a  ')
insert padded select 2, v + '  ', 0x0200, n, w from padded
update padded set v = 'c   ', w = 'c   ' where id = 2
select id, datalength(v) as v, datalength(b) as b, datalength(n) as n, datalength(w) as w from padded order by id
select name, is_ansi_padded from sys.columns where object_id = object_id('padded') order by column_id
go
-- ... of char and binary as well, where they may be NULL. They are char and binary for all that.
set ansi_padding off
go
create table kept (id int primary key, c char(5) null, b binary(4) null, d char(5) not null, e binary(4) not null, f char(3) default 'x' index ic (c))
create table codes (c char(5) not null primary key, b binary(4) not null unique)
create table uses (id int, c char(5) null references codes, b binary(4) null references codes (b))
go
set ansi_padding on
go
insert kept values (1, 'a', 0x01, 'a', 0x01, default), (2, 'b    ', 0x02000000, 'b    ', 0x02000000, 'y'), (3, '', 0x, '', 0x, null)
insert kept (id, c, d, e) select 4, cast('d' as char(5)), 'd', 0x
update kept set b = cast(0x0304 as binary(4)), f = 'z ' where id = 4
select id, c + '|' as c, datalength(c) as cn, b, datalength(d) as dn, datalength(e) as en, datalength(f) as fn from kept order by id
select id from kept where c = 'a' or c = 'd    ' or b = 0x02000000 order by id
select k.id from kept k join (values (cast('a' as char(5))), ('d')) t(c) on k.c = t.c order by 1
select name, type_name(system_type_id) as t, type_name(user_type_id) as u, max_length, is_ansi_padded, columnproperty(object_id, name, 'UsesAnsiTrim') as trim
from sys.columns where object_id = object_id('kept') order by column_id
select column_name, data_type, character_maximum_length as n from information_schema.columns where table_name = 'kept' order by ordinal_position
insert kept values (5, 'toolong', 0x, '', 0x, '')
go
insert codes values ('a', 0x01), ('b', 0x0200)
insert uses values (1, 'a', 0x01), (2, 'b   ', 0x02000000), (3, null, null)
select id, datalength(c) as c, datalength(b) as b from uses order by id
insert uses values (4, 'c', 0x01)
go
insert uses values (4, 'a', 0x05)
go
delete codes where c = 'a'
go
update codes set b = 0x06 where c = 'b'
go
select id, c, b, d into kept_copy from kept
select name, type_name(system_type_id) as t, is_ansi_padded from sys.columns where object_id = object_id('kept_copy') order by column_id
select id, datalength(c) as c, datalength(b) as b from kept_copy order by id
alter table kept alter column b binary(6)
alter table kept alter column f char(2) not null
go
delete kept where f is null or f = ''
alter table kept alter column f char(2) not null
select name, type_name(system_type_id) as t, max_length, is_ansi_padded from sys.columns where object_id = object_id('kept') and name in ('b', 'f') order by name
select id, datalength(b) as b, datalength(f) as f from kept order by id
go
-- ANSI_NULLS
set ansi_nulls off
go
declare @n int
select count(*) as n from names where last = null
select count(*) as n from names where last <> null
select count(*) as n from names where id = @n
select count(*) as n from names as a join names as b on a.last = b.last
go
set ansi_nulls on
go
select count(*) as n from names where last = null
go
-- what is not said to be NULL or not
set ansi_null_dflt_off on
create table implied1 (a int)
set ansi_null_dflt_on on
create table implied2 (a int)
select object_name(object_id) as t, is_nullable from sys.columns where object_id in (object_id('implied1'), object_id('implied2')) order by 1
go
-- modules keep their ANSI_NULLS and QUOTED_IDENTIFIER
set ansi_nulls off set quoted_identifier off
go
create procedure keeps as select count(*) as n, "a string" as s from names where last = null
go
set ansi_nulls on set quoted_identifier on
go
exec keeps
select uses_ansi_nulls, uses_quoted_identifier from sys.sql_modules where object_id = object_id('keeps')
go
-- indexes that depend on options need them
create table indexed (id int primary key, v int null, w as v * 2)
create index filtered on indexed (v) where v is not null
go
set quoted_identifier off
go
insert indexed (id, v) values (1, 1)
go
set quoted_identifier on set ansi_warnings off
go
update indexed set v = 2
go
delete indexed
go
set arithabort on set numeric_roundabort on
go
insert indexed (id, v) values (1, 1)
go
drop index filtered on indexed
insert indexed (id, v) values (1, 1)
create index over_computed on indexed (w)
go
set ansi_warnings on set arithabort off set numeric_roundabort off
go
create index over_computed on indexed (w)
go
set ansi_padding off set concat_null_yields_null off
go
insert indexed (id, v) values (2, 2)
go
set ansi_padding on set concat_null_yields_null on
go
insert indexed (id, v) values (2, 2)
select * from indexed order by id
go
-- IDENTITY_INSERT of an inner scope ends with it
exec sp_executesql N'create table counted (id int identity, c int) set identity_insert counted on insert counted (id, c) values (7, 7)'
go
insert counted (id, c) values (2, 2)
go
create procedure switches as set identity_insert counted on
go
exec switches
insert counted (id, c) values (3, 3)
go
set identity_insert counted on
exec sp_executesql N'set identity_insert counted off'
insert counted (id, c) values (4, 4)
set identity_insert counted off
select * from counted order by id
go
-- the language in force keeps what was set beside it
set datefirst 3 set dateformat ymd
set language us_english
select @@datefirst as f
set language Deutsch
set language us_english
select @@datefirst as f
go
-- ROWCOUNT limits what static and keyset cursors copy, and no dynamic one
set rowcount 2
declare c cursor local static for select v from (values (1), (2), (3)) as r(v)
open c select @@cursor_rows as n
create table three (id int primary key)
set rowcount 0
insert three values (1), (2), (3)
set rowcount 2
declare k cursor local keyset for select id from three
open k select @@cursor_rows as n
declare d cursor local dynamic for select id from three
open d
fetch d fetch d fetch d
set rowcount 0
go
-- constraints make indexes, too
set ansi_warnings off
go
create table constrained (id int, w as id * 2 unique)
go
create table constrained (id int, w as id * 2)
alter table constrained add constraint twice unique (w)
go
set ansi_warnings on
go
alter table constrained add constraint twice unique (w)
drop table constrained
go
-- what a key depends on was made with other options
set ansi_nulls off
go
create table made_without (id int, w as id * 2, v int)
go
create function dbo.quoted_not (@i int) returns int with schemabinding as begin return @i * 2 end
go
set ansi_nulls on
go
create index over_computed on made_without (w)
go
create index plain on made_without (v)
create index filtered on made_without (v) where v > 1
alter table made_without add constraint twice unique (w)
go
create table made_with (id int, w as dbo.quoted_not(id))
create index over_function on made_with (w)
go
alter table made_with add constraint over_function unique (w)
go
set quoted_identifier off
go
alter function dbo.quoted_not (@i int) returns int with schemabinding as begin return @i * 2 end
go
drop table made_with
go
alter function dbo.quoted_not (@i int) returns int with schemabinding as begin return @i * 2 end
go
set quoted_identifier on
go
create table made_with (id int, w as dbo.quoted_not(id) unique)
go
alter function dbo.quoted_not (@i int) returns int with schemabinding as begin return @i * 2 end
go
create table made_with (id int, w as dbo.quoted_not(id) unique)
select uses_ansi_nulls from sys.tables where name = 'made_without'
go
drop table made_with, made_without
drop function dbo.quoted_not
go
