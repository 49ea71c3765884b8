-- Statements as Django, SQLAlchemy and Hibernate write them.
create table [app_author] ([id] bigint identity(1,1) not null primary key, [name] nvarchar(100) not null, [born] date null, [profile] nvarchar(max) null constraint [app_author_profile_json] check (isjson([profile]) = 1), [uid] char(32) null)
create table [app_book] ([id] bigint identity(1,1) not null primary key, [title] nvarchar(200) not null, [author_id] bigint not null, [price] numeric(8, 2) null, [published] datetime2 null, [seconds] bigint null)
alter table [app_book] with check add constraint [app_book_author_id_fk] foreign key ([author_id]) references [app_author] ([id])
create index [app_book_author_id] on [app_book] ([author_id])
create unique index [app_author_uid] on [app_author] ([uid]) where [uid] is not null
go
-- Django: rows at once with their keys
exec sp_executesql N'INSERT INTO [app_author] ([name], [born], [profile], [uid]) OUTPUT INSERTED.[id] VALUES (@P1, @P2, @P3, @P4), (@P5, @P6, @P7, @P8), (@P9, @P10, @P11, @P12)',
  N'@P1 nvarchar(100), @P2 date, @P3 nvarchar(max), @P4 char(32), @P5 nvarchar(100), @P6 date, @P7 nvarchar(max), @P8 char(32), @P9 nvarchar(100), @P10 date, @P11 nvarchar(max), @P12 char(32)',
  N'Ann', '1980-02-29', N'{"city": "Bonn", "tags": ["x", "y"], "n": 1, "deep": {"k": null}}', '0123456789abcdef0123456789abcdef', N'Bob', null, N'{"city": null, "tags": [], "n": 2.5}', null, N'Cid', '1990-12-31', null, null
insert [app_book] ([title], [author_id], [price], [published], [seconds]) values (N'One', 1, 9.99, '2024-03-31T01:30:00', 60), (N'Two', 1, 20, '2024-10-27T00:30:00', 3600), (N'Three', 2, null, '2023-01-01T00:00:00', null), (N'[50%_off]', 2, 5, null, 86400)
go
insert [app_author] ([name], [profile]) values (N'Eve', N'{oops')
go
-- Django: look-ups in JSON
select [app_author].[name] from [app_author] where json_value([app_author].[profile], N'$."city"') = N'Bonn'
select [app_author].[name] from [app_author] where coalesce(json_query([app_author].[profile], N'$."tags"'), json_value([app_author].[profile], N'$."tags"')) = N'[]'
select [app_author].[name], case when json_value([app_author].[profile], '$.city') is null and json_path_exists([app_author].[profile], '$.city') > 0 then 1 else 0 end as is_null from [app_author] where json_path_exists([app_author].[profile], N'$."city"') > 0 order by [app_author].[id]
select [app_author].[name] from [app_author] where cast(json_value([app_author].[profile], N'$."n"') as float) > 1.5
select [app_author].[name] from [app_author] where exists (select value from openjson([app_author].[profile], '$."tags"') where value = N'y')
go
-- Django: regular expressions of names, dates, truncations, intervals, EXISTS, conditional expressions
select top 1 case when exists (select 1 as [a] from [app_book] [U0] where ([U0].[author_id] = ([app_author].[id]) and [U0].[price] > 10.0)) then 1 else 0 end as [rich], [app_author].[name] from [app_author] order by [app_author].[id]
select [app_author].[name], count_big([app_book].[id]) as [books], sum(case when [app_book].[price] > 6 then [app_book].[price] else null end) as [s], avg(convert(float, [app_book].[price])) as [a] from [app_author] left outer join [app_book] on ([app_author].[id] = [app_book].[author_id]) group by [app_author].[id], [app_author].[name] having count_big([app_book].[id]) < 5 order by [app_author].[name] asc
select [title], convert(datetime2, convert(varchar, datepart(year, [published])) + '/' + convert(varchar, datepart(month, [published])) + '/01') as [month], dateadd(day, -((datepart(weekday, [published]) + @@datefirst - 2) % 7), cast([published] as date)) as [monday], cast([published] at time zone 'UTC' at time zone 'Central European Standard Time' as datetime2) as [local],
  dateadd(microsecond, cast([seconds] as int), cast([published] as datetime2)) as [plus], datepart(iso_week, [published]) as [week], (datepart(weekday, [published]) + @@datefirst - 1) % 7 as [wd] from [app_book] where [published] is not null order by [title]
select [title] from [app_book] where [title] like N'%50\%\_off%' escape '\'
select [title] from [app_book] where [title] collate SQL_Latin1_General_CP1_CI_AS like (N'%' + replace(replace(replace(N'OFF]', N'\', N'\\'), N'%', N'\%'), N'_', N'\_')) escape '\'
select [title], row_number() over (partition by [author_id] order by [price] desc) as [rn], lag([title], 1) over (order by [id]) as [prev], sum([price]) over (partition by [author_id] order by [id] rows between unbounded preceding and current row) as [running] from [app_book] order by [id] offset 0 rows fetch first 3 rows only
select * from (select [title], row_number() over (order by (select null)) as [rn] from [app_book]) as [x] where [rn] between 2 and 2
update [app_book] set [price] = case when ([app_book].[id] = 1) then 1.5 when ([app_book].[id] = 2) then 2.5 else null end where [app_book].[id] in (1, 2)
delete from [app_book] where [app_book].[id] in (select [U0].[id] from [app_book] [U0] inner join [app_author] [U1] on ([U0].[author_id] = [U1].[id]) where [U1].[name] = N'nobody')
select hashbytes('md5', cast(N'x' as varchar(max))) as [md5], lower(convert(varchar(40), hashbytes('sha1', 'x'), 2)) as [sha1], len(concat(N'a', null, 1)) as [len], char(65) + nchar(233) as [c], log(8.0) / log(2.0) as [log], power(2.0e0, 3) as [p], right(N'abc', 2) as [r], sign(-3) as [sign], replicate(N'x', 3) as [lpad]
go
-- Django: introspection
select [name], [type] from (select t.name, case when t.type = 'V' then 'v' else 't' end as [type] from sys.objects t where t.type in ('U', 'V') and schema_name(t.schema_id) = schema_name()) as [x] order by [name]
select c.name, c.is_nullable, cast(columnproperty(c.object_id, c.name, 'IsIdentity') as int) as is_identity, type_name(c.user_type_id) as t, c.max_length, c.precision, c.scale from sys.columns c where c.object_id = object_id(N'app_book') order by c.column_id
select k.name, col_name(c.parent_object_id, c.parent_column_id) as [column], object_name(c.referenced_object_id) as [to], col_name(c.referenced_object_id, c.referenced_column_id) as [to_column] from sys.foreign_keys k join sys.foreign_key_columns c on c.constraint_object_id = k.object_id where k.parent_object_id = object_id(N'app_book')
select kc.constraint_name, kc.column_name, tc.constraint_type from information_schema.key_column_usage as kc join information_schema.table_constraints as tc on kc.table_schema = tc.table_schema and kc.table_name = tc.table_name and kc.constraint_name = tc.constraint_name where kc.table_name = 'app_book' and tc.constraint_type <> 'PRIMARY KEY' order by kc.constraint_name
select i.name as index_name, i.is_unique, i.has_filter, c.name as column_name, ic.is_descending_key, i.type_desc from sys.indexes i join sys.index_columns ic on i.object_id = ic.object_id and i.index_id = ic.index_id join sys.columns c on ic.object_id = c.object_id and ic.column_id = c.column_id where i.object_id = object_id(N'app_author') and i.is_primary_key = 0
go
-- SQLAlchemy: keys of several rows in the order of the rows
exec sp_executesql N'INSERT INTO app_author (name, born) OUTPUT inserted.id, inserted.id AS id__1 SELECT p0, p1 FROM (VALUES (@P1, @P2, 0), (@P3, @P4, 1)) AS imp_sen(p0, p1, sen_counter) ORDER BY sen_counter', N'@P1 nvarchar(100), @P2 date, @P3 nvarchar(100), @P4 date', N'Dora', null, N'Emil', '2000-01-01'
insert into app_author (name) output inserted.id values (N'Finn')
select scope_identity() as lastrowid, ident_current('app_author') as [current]
go
-- SQLAlchemy: JSON, pages, common table expressions, MERGE-free upserts
declare @path nvarchar(100) = N'$."n"', @idx nvarchar(100) = N'$."tags"[1]'
select app_author.name, case json_value(app_author.profile, @path) when null then null else cast(json_value(app_author.profile, @path) as integer) end as [n] from app_author where app_author.id = 1
select case json_value(app_author.profile, @idx) when null then null else json_value(app_author.profile, @idx) end as anon_1, json_query(app_author.profile, N'$."deep"') as deep from app_author where app_author.id <= 2 order by app_author.id
select anon_1.id, anon_1.name from (select app_author.id as id, app_author.name as name, row_number() over (order by app_author.name) as mssql_rn from app_author) as anon_1 where mssql_rn > 1 and mssql_rn <= 2 + 1
;with recursive_parts (id, depth) as (select app_author.id as id, 1 as depth from app_author where app_author.id = 1 union all select app_author.id as id, recursive_parts.depth + 1 as anon_2 from app_author join recursive_parts on app_author.id = recursive_parts.id + 1 where recursive_parts.depth < 3) select recursive_parts.id, recursive_parts.depth from recursive_parts
select app_book.title, try_convert(int, app_book.title) as n, app_book.price / nullif(cast(app_book.seconds as numeric(10, 2)), 0) as rate from app_book order by case when (app_book.price is null) then 1 else 0 end, app_book.price, app_book.id
go
-- SQLAlchemy: reflection
select cast(serverproperty('ProductMajorVersion') as int) - cast(serverproperty('ProductMajorVersion') as int) as v, schema_name() as [schema], has_perms_by_name('sys.dm_exec_sessions', null, 'SELECT') as p
select [INFORMATION_SCHEMA].[TABLES].[TABLE_NAME] from [INFORMATION_SCHEMA].[TABLES] where [INFORMATION_SCHEMA].[TABLES].[TABLE_SCHEMA] = cast(N'dbo' as nvarchar(max)) and [INFORMATION_SCHEMA].[TABLES].[TABLE_TYPE] = cast(N'BASE TABLE' as nvarchar(max)) order by [INFORMATION_SCHEMA].[TABLES].[TABLE_NAME]
select [sys].[columns].[name], [sys].[types].[name] as type, [sys].[columns].is_nullable, [sys].[columns].max_length, [sys].[columns].precision, [sys].[columns].scale, [sys].[default_constraints].definition, [sys].[computed_columns].definition as computed, [sys].[computed_columns].is_persisted, [sys].[columns].is_identity, cast([sys].[identity_columns].seed_value as numeric) as seed, cast([sys].[identity_columns].increment_value as numeric) as inc, [sys].[columns].collation_name, cast([sys].[extended_properties].[value] as nvarchar(max)) as comment
from [sys].[columns] join [sys].[types] on [sys].[columns].user_type_id = [sys].[types].user_type_id left outer join [sys].[default_constraints] on [sys].[default_constraints].object_id = [sys].[columns].default_object_id and [sys].[default_constraints].parent_column_id = [sys].[columns].column_id
left outer join [sys].[computed_columns] on [sys].[computed_columns].object_id = [sys].[columns].object_id and [sys].[computed_columns].column_id = [sys].[columns].column_id left outer join [sys].[identity_columns] on [sys].[identity_columns].object_id = [sys].[columns].object_id and [sys].[identity_columns].column_id = [sys].[columns].column_id
left outer join [sys].[extended_properties] on [sys].[extended_properties].major_id = [sys].[columns].object_id and [sys].[extended_properties].minor_id = [sys].[columns].column_id and [sys].[extended_properties].class = 1 and [sys].[extended_properties].[name] = 'MS_Description' where [sys].[columns].object_id = object_id('app_book') order by [sys].[columns].column_id
select ind.index_id, ind.is_unique, ind.name, ind.filter_definition, cast(ind.type_desc as nvarchar(20)) as t from sys.indexes as ind join sys.tables as tab on ind.object_id = tab.object_id join sys.schemas as sch on sch.schema_id = tab.schema_id where tab.name = N'app_author' and sch.name = N'dbo' and ind.is_primary_key = 0 and ind.type != 0 order by ind.name
;with fk_info as (select ischema_ref_con.constraint_schema, ischema_ref_con.constraint_name, ischema_key_col.ordinal_position, ischema_key_col.table_name, ischema_key_col.column_name, ischema_ref_con.unique_constraint_name, ischema_ref_con.match_option, ischema_ref_con.update_rule, ischema_ref_con.delete_rule
  from information_schema.referential_constraints as ischema_ref_con inner join information_schema.key_column_usage as ischema_key_col on ischema_key_col.table_schema = ischema_ref_con.constraint_schema and ischema_key_col.constraint_name = ischema_ref_con.constraint_name where ischema_key_col.table_name = N'app_book')
select fk_info.constraint_name, fk_info.column_name, fk_info.match_option, fk_info.update_rule, fk_info.delete_rule from fk_info
go
-- Hibernate: pages, row values, arrays by JSON, upserts
select next_val = 1 from (values (1)) v(x)
select a1_0.id, a1_0.name from app_author a1_0 order by a1_0.name offset 1 rows fetch first 2 rows only
select b1_0.id from app_book b1_0 where exists (select 1 from (values (cast(1 as bigint), N'One'), (2, N'x')) as v(a, t) where v.a = b1_0.author_id and v.t = b1_0.title)
select b1_0.title from app_book b1_0 where b1_0.author_id = 1 and b1_0.price > 0 order by case when b1_0.price is null then 1 else 0 end, b1_0.price desc
select a1_0.name, json_value(a1_0.profile, '$.city') as city, json_value(a1_0.profile, '$.n' ) as n, json_query(a1_0.profile, '$.tags') as tags from app_author a1_0 where isjson(a1_0.profile) = 1 order by a1_0.id
select '[' + string_agg(cast(t.v as varchar(max)), ',') within group (order by t.v desc) + ']' as arr from (values (3), (1), (2)) t(v)
select j1_0.v, j1_0.i from openjson(N'[10,null,30]') with (v int '$') as x cross apply (values (x.v, 1)) as j1_0(v, i)
select j.[key], j.value from openjson(N'{"a":1,"b":[1,2]}') j
merge into app_author with (holdlock) as t using (select cast(1 as bigint) as id, N'Anna' as name) as s on (t.id = s.id) when not matched then insert (name) values (s.name) when matched then update set name = s.name;
merge into app_author as t using (select cast(99 as bigint) as id, N'Zoe' as name) as s on (t.id = s.id) when matched and s.name is null then delete when matched then update set t.name = s.name when not matched then insert (name) values (s.name) output $action, inserted.id, deleted.name;
select b1_0.id, b1_0.title from app_book b1_0 with (updlock, rowlock) where b1_0.id = 1
select b1_0.id from app_book b1_0 with (updlock, rowlock, readpast) where b1_0.id in (1, 2) order by 1
select datediff_big(ns, '2024-01-01T00:00:00', '2024-01-01T00:00:01.0000001') as ns, eomonth('2024-02-10') as e, format(cast('2024-02-29T13:05:06' as datetime2), 'yyyy-MM-dd HH:mm', 'en-us') as f, datepart(tzoffset, todatetimeoffset('2024-01-01', '+02:00')) as tz, cast(dateadd(second, 1, '2024-01-01T00:00:00') as datetimeoffset(6)) as o, concat(N'a', null, 2) as c, charindex('b', 'abc', 1) as pos, stuff('abc', 2, 1, 'X') as ov, square(3.0) as sq, pi() as pi, atn2(1, 1) as at, choose(2, 'a', 'b') as ch
select count(distinct a1_0.name), percentile_cont(0.5) within group (order by b1_0.price) over () as median from app_author a1_0 join app_book b1_0 on b1_0.author_id = a1_0.id group by b1_0.price
go
-- Hibernate: sequences and identities in schemas that it has made
create sequence hibernate_seq start with 1 increment by 50
go
select next value for hibernate_seq
select next value for hibernate_seq
select sequence_name, cast(start_value as bigint) as s, cast(increment as bigint) as i from information_schema.sequences
go
