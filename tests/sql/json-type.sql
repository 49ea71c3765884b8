-- The data type json: its canonical text, conversions, refusals, and where it can stand.
declare @j json = ' { "a" : 1 , "b":[ true , null ], "a":2 } '
select @j, cast(@j as varchar(40)), isjson(@j)
set @j = N'["\u0041\/ä😀", -0.0, 1e2, 1.50]'
select @j
go
-- What is no document is refused with its place in bytes.
declare @j json = N'["ä", x]'
go
select cast('17' as json)
go
select cast('' as json)
go
select cast('[1e99]' as json)
go
select try_cast('[1' as json), try_convert(json, '[1]')
go
select try_cast('[1e99]' as json)
go
select try_cast(replicate('[', 129) + replicate(']', 129) as json)
go
-- Widths.
declare @j json(100)
go
declare @j json(max)
go
create table wide (j json(100))
go
select cast('[]' as json(max))
go
-- Conversions: strings become json implicitly, json becomes a string only by a cast.
declare @j json = '[1]', @s nvarchar(10)
set @s = @j
go
declare @j json = '[1]', @i int
set @i = @j
go
declare @j json = '[1]'
select cast(@j as int)
go
declare @j json = '[1]'
select cast(@j as varbinary(10))
go
select cast(17 as json)
go
select cast(0x5B5D as json)
go
select cast(cast('[]' as text) as json)
go
select cast(cast('[]' as sql_variant) as json)
go
declare @j json = 17
go
declare @j json = '[123456]'
select cast(@j as char(10)) + '|', cast(@j as nchar(9)) + N'|', try_cast(@j as varchar(3))
select cast(@j as varchar(3))
go
-- Unification.
declare @j json, @s varchar(10) = '{ }'
select coalesce(@j, @s), isnull(@j, '[ 1]'), iif(1 = 1, @s, @j), choose(2, @j, @s)
select case when 1 = 1 then 'no document' else @j end
go
declare @j json
select coalesce(@j, 1)
go
select cast('[]' as json) union all select '[ 2 ]'
go
-- Neither compared nor sorted.
declare @j json = '[]', @k json = '[]'
if @j is null or @k is not null select 'known'
if @j = @k select 1
go
declare @j json
if @j = null select 1
go
declare @j json
if @j in ('[]', '[1]') select 1
go
declare @j json
if @j = '[]' select 1
go
declare @j json
if @j <> 1 select 1
go
declare @j json
select nullif(@j, @j)
go
declare @j json
if @j like '[a]' select 1
go
declare @j json
select @j + '[]'
go
declare @j json
select @j + 1
go
declare @j json
select -@j
go
create table docs (id int primary key, j json, t as json_value(j, '$.t'))
go
insert docs (id, j) values (1, '{"t":"x", "n":[1,2]}'), (2, null), (3, N'[ "é" ]')
insert docs (id, j) values (4, '{t:1}')
go
select * from docs
select id from docs where j is null
select count(j), count(*) from docs
go
select id from docs order by j
go
select count(*) from docs group by j
go
select row_number() over (order by j) from docs
go
select row_number() over (partition by j order by id) from docs
go
select distinct j from docs
go
select j from docs union select j from docs
go
select j from docs except select j from docs
go
select min(j) from docs
go
select count(distinct j) from docs
go
select sum(j) from docs
go
select id from docs where j = (select j from docs where id = 1)
go
select a.id from docs a join docs b on a.j = b.j
go
-- Functions of other types.
declare @j json = '[1]'
select len(@j)
go
declare @j json = '[1]'
select upper(@j)
go
declare @j json = '[1]'
select substring(@j, 1, 1)
go
declare @j json = '[1]'
select concat('a', @j)
go
declare @j json = '[1]'
select concat(N'a', @j)
go
declare @j json = '[1]'
select checksum(@j)
go
declare @j json = '[1]'
select greatest(@j, @j)
go
declare @j json = '[1]'
select sql_variant_property(@j, 'BaseType')
go
declare @j json = '[1]'
select abs(@j)
go
declare @j json = '[1]', @s varchar(9)
select isnull(@s, @j)
go
declare @j json = '[1]', @v sql_variant
set @v = @j
go
-- Tables.
create table k1 (j json primary key)
go
create table k1 (j json unique)
go
create table k1 (j json, index i (j))
go
create index i on docs (j)
go
create statistics s on docs (j)
go
create table k1 (j json collate Latin1_General_BIN2)
go
create type doc from json
go
create table k1 (j json sparse null, k json identity)
go
create table k1 (id int, j json not null default '{ }' check (json_path_exists(j, '$.a') = 0),
    index i (id) include (j))
insert k1 (id) values (1)
insert k1 values (2, '[1, 2]')
insert k1 values (3, '{"a":1}')
go
insert k1 values (4, null)
go
select * from k1
update k1 set j = '{"b": 1}' where id = 2
update k1 set j = 'x' where id = 2
go
select * from k1
select * into k2 from k1
select * from k2
go
-- From a string to json: each row becomes canonical.
create table texts (id int primary key, t varchar(100) null)
insert texts values (1, '[ 1 ]'), (2, null)
alter table texts alter column t json
insert texts values (3, '{"a" : 1}')
select * from texts
go
alter table texts alter column t nvarchar(max)
go
alter table texts alter column t int
go
create table bad (t nvarchar(10))
insert bad values ('[1]'), ('no')
alter table bad alter column t json
go
select t from bad
drop table bad
go
create table memory (id int primary key nonclustered, j json) with (memory_optimized = on)
go
create procedure native_json @j json with native_compilation, schemabinding
as begin atomic with (transaction isolation level = snapshot, language = 'english')
  select 1
end
go
create procedure native_cast with native_compilation, schemabinding
as begin atomic with (transaction isolation level = snapshot, language = 'english')
  declare @j json
end
go
-- Modules, table types, variables, temporary tables.
create procedure show_doc @j json = '[ 0 ]', @out json output as
  select @j
  set @out = '{ "out" : true }'
go
create function doc_of(@s nvarchar(100)) returns json as begin return @s end
go
create function docs_of(@j json) returns @r table (j json) as begin insert @r values (@j) return end
go
create function inline_docs(@j json) returns table as return select @j as j
go
create type doc_list as table (j json)
go
declare @out json
exec show_doc '{"p" :1}', @out output
select @out
exec show_doc @out = @out output
select dbo.doc_of(N' ["ü"] ')
select j from dbo.docs_of('[ 1 ]')
select j from dbo.inline_docs('[ 2 ]')
declare @list doc_list, @t table (j json)
insert @list values ('[ 3 ]')
insert @t select j from @list
select * from @t
create table #t (j json)
insert #t select j from @t
select * from #t
drop table #t
select dbo.doc_of('x')
go
exec sp_executesql N'select @j', N'@j json', @j = '{ "s":1 }'
go
declare c cursor for select j from docs order by id
declare @j json
open c
fetch next from c into @j
select @j
close c
deallocate c
go
merge k1 as t using (select 5 as id, '[ 5 ]' as j) as s on t.id = s.id
when not matched then insert values (s.id, s.j) output inserted.j;
delete k1 output deleted.j where id = 5
go
-- Catalogue.
select name, system_type_id, user_type_id, schema_id, max_length, precision, scale, collation_name, is_nullable
from sys.types where name = 'json'
select c.name, c.system_type_id, c.user_type_id, c.max_length, c.precision, c.scale, c.collation_name, c.is_ansi_padded
from sys.columns c where object_id = object_id('docs') and name = 'j'
select name, system_type_id, user_type_id, max_length, precision, scale
from sys.parameters where object_id = object_id('show_doc')
select type_id('json'), type_name(244), col_length('docs', 'j'), columnproperty(object_id('docs'), 'j', 'Precision')
select column_name, data_type, character_maximum_length, character_octet_length, collation_name, numeric_precision
from information_schema.columns where table_name = 'docs' and column_name = 'j'
go
exec sp_describe_first_result_set N'select j from docs'
exec sp_columns 'docs'
exec sp_help 'k2'
go
-- The functions that read.
declare @j json = '{"a":{"b":[1e1, {"c" : "x"}]}, "s":"\u0041", "n":null}'
select json_value(@j, '$.a.b[0]'), json_value(@j, '$.s'), json_query(@j, '$.a'), json_query(@j),
    json_path_exists(@j, '$.a.b[1].c'), isjson(@j), isjson(@j, object), isjson(@j, array)
select * from openjson(@j)
select * from openjson(@j, '$.a.b')
select * from openjson(@j) with (s varchar(10), a json as json, b json '$.a', n nvarchar(max) '$.a.b' as json)
go
select j, k from openjson('{"j":"[ 1 ]", "k":[ 2 ]}') with (j json, k json as json)
go
declare @j json = '{}'
select json_value(@j, 'strict $.a')
go
declare @j json = '{}'
select json_query(@j, 'strict $.a')
go
declare @j json = '{}'
select * from openjson(@j, 'strict $.a')
go
declare @j json = '{}'
select * from openjson(@j) with (a int 'strict $.a')
go
-- JSON_CONTAINS: whether a scalar is there.
declare @j json = '{"n":[1, 2.50, 1e2], "s":["a", "B ", null], "b":[true], "o":[{"k":"x"}, {"k":["y"]}, {"k":7}]}'
select json_contains(@j, 1, '$.n[*]'), json_contains(@j, 1.0, '$.n[*]'), json_contains(@j, 2.5, '$.n[1]'),
    json_contains(@j, 100, '$.n[*]'), json_contains(@j, 3, '$.n[*]'), json_contains(@j, '1', '$.n[*]')
select json_contains(@j, 'A', '$.s[*]'), json_contains(@j, N'b', '$.s[*]'), json_contains(@j, 'c', '$.s[*]'),
    json_contains(@j, '[ab]%', '$.s[*]'), json_contains(@j, '[ab]%', '$.s[*]', 1), json_contains(@j, 'b', '$.s[1]', 1)
select json_contains(@j, cast(1 as bit), '$.b[*]'), json_contains(@j, cast(0 as bit), '$.b[*]'),
    json_contains(@j, 1, '$.b[*]'), json_contains(@j, 'x', '$.o[*].k'), json_contains(@j, 'y', '$.o[*].k'),
    json_contains(@j, 7, 'strict $.o[*].k'), json_contains(@j, 'y', '$.o[*].k[*]')
select json_contains(@j, 1), json_contains(@j, 1, '$.x'), json_contains(@j, 1, '$.n'), json_contains(null, 1),
    json_contains(cast('[1,"a"]' as json), 'a'), json_contains(cast('[]' as json), 1)
declare @i int, @mode int
select json_contains(@j, @i, '$.s[*]'), json_contains(@j, 'a', '$.s[*]', @mode)
select json_contains(@j, 1, '$.n[*]', 2)
go
select json_contains('[1]', 1)
go
declare @j json = '[1]'
select json_contains(@j, 1e0)
go
declare @j json = '[1]'
select json_contains(@j, null)
go
declare @j json = '[1]'
select json_contains(@j, cast('a' as varchar(max)))
go
declare @j json = '[1]'
select json_contains(@j, 1, null)
go
declare @j json = '[1]'
select json_contains(@j, 1, '$[*]', cast(0 as bigint))
go
declare @j json = '[1]'
select json_contains(@j)
go
declare @j json = '[1]'
select json_contains(@j, 1, '$[*')
go
select json_value('[1]', '$[*]')
go
-- JSON_VALUE with the type of its result.
declare @j json = '{"i":7, "b":5000000000, "d":1.50, "e":1e1, "t":true, "s":"abc", "n":null, "w":"2024-02-29", "o":{}}'
select json_value(@j, '$.i' returning int), json_value(@j, '$.b' returning bigint), json_value(@j, '$.b' returning int),
    json_value(@j, '$.d' returning decimal(5, 1)), json_value(@j, '$.e' returning float), json_value(@j, '$.t' returning bit)
select json_value(@j, '$.t' returning varchar(9)), json_value(@j, '$.t' returning int), json_value(@j, '$.d' returning nvarchar(9)),
    json_value(@j, '$.s' returning char(5)) + '|', json_value(@j, '$.s' returning varchar(2)), json_value(@j, '$.s' returning varchar(max))
select json_value(@j, '$.w' returning date), json_value(@j, '$.s' returning date), json_value(@j, '$.n' returning int),
    json_value(@j, '$.o' returning int), json_value(@j, '$.x' returning int), json_value(@j, '$.s' returning int)
exec sp_describe_first_result_set N'select json_value(cast(''{}'' as json), ''$'' returning decimal(5, 1)) as d'
select json_value(@j, 'strict $.b' returning int)
go
declare @j json = '{"s":"abc"}'
select json_value(@j, 'strict $.s' returning int)
go
declare @j json = '{"s":"abc"}'
select json_value(@j, 'strict $.s' returning varchar(2))
go
declare @j json = '{"s":"abc"}'
select json_value(@j, 'strict $.x' returning int)
go
declare @j json = '{"i":1}'
select json_value(@j, '$.i' returning date)
go
declare @j json = '{"i":1}'
select json_value(@j, '$.i' returning money)
go
declare @j json = '{"i":1}'
select json_value(@j, '$.i' returning varchar)
go
select json_value('{"i":1}', '$.i' returning int)
go
create table returned (j json, i as json_value(j, '$.i' returning int) persisted, index x (i))
insert returned values ('{"i":3}'), ('{"i":"4"}'), ('{"i":"x"}')
select i from returned where i > 2 order by i
select definition from sys.computed_columns where object_id = object_id('returned')
drop table returned
go
-- What cannot be done.
update docs set j.write('x', 0, 1)
go
update docs set j.modify('$.a', 2)
go
select j.query('$.a') from docs
go
create json index i on docs (j)
go
print cast('[]' as json)
go
drop table docs, k1, k2, texts
drop procedure show_doc
drop function doc_of, docs_of, inline_docs
drop type doc_list
