-- hierarchyid: nodes of a tree as paths.

-- Texts and bytes are converted, and back.
declare @h hierarchyid = '/1/2.5/-3/';
select @h as node, @h.ToString() as path, cast(@h as varchar(20)) as v, convert(nvarchar(20), @h) as n, cast(@h as varbinary(20)) as b;
select cast(0x58 as hierarchyid).ToString() as from_bytes, hierarchyid::Parse('/-1/') as parsed, cast('/' as hierarchyid) as root, hierarchyid::GetRoot().ToString() as path;
select cast('/1.1/' as hierarchyid) as a, sys.hierarchyid::Parse(N'/281479271683151/').ToString() as b, try_cast('/1' as hierarchyid) as tried, datalength(@h) as bytes;
go
select cast('/1/1' as hierarchyid);
go
select hierarchyid::Parse('/01/');
go
declare @h hierarchyid = 'a';
go
select cast(0x00 as hierarchyid);
go
select cast(1 as hierarchyid);
go
declare @h hierarchyid = '/1/', @s nvarchar(10);
set @s = @h;
go
declare @v sql_variant = cast('/1/' as hierarchyid);
go
declare @h hierarchyid(10);
go
-- Methods.
declare @h hierarchyid = '/1/2/3/', @null hierarchyid;
select @h.GetLevel() as level, @h.GetAncestor(1).ToString() as parent, @h.GetAncestor(3) as root, @h.GetAncestor(4) as none, @null.GetLevel() as null_level, @null.ToString() as null_text;
select @h.IsDescendantOf('/1/') as yes, @h.IsDescendantOf(@h) as itself, @h.IsDescendantOf('/1/3/') as no, @h.IsDescendantOf(null) as unknown;
select @h.GetDescendant(null, null).ToString() as child, @h.GetDescendant('/1/2/3/1/', null).ToString() as after, @h.GetDescendant(null, '/1/2/3/1/').ToString() as before,
  @h.GetDescendant('/1/2/3/1/', '/1/2/3/2/').ToString() as between_, @null.GetDescendant(null, null) as none;
select @h.GetReparentedValue('/1/', '/5/6/').ToString() as moved, @h.GetReparentedValue(null, '/5/') as none;
select (select @h).GetAncestor(1).GetAncestor(1).ToString() as chained, len(@h.ToString()) as letters;
go
declare @h hierarchyid = '/1/';
select @h.GetAncestor(-1);
go
declare @h hierarchyid = '/1/';
select @h.GetAncestor(null);
go
declare @h hierarchyid = '/1/';
select @h.GetDescendant('/2/1/', null);
go
declare @h hierarchyid = '/1/';
select @h.GetDescendant('/1/2/', '/1/1/');
go
declare @h hierarchyid = '/1/';
select @h.GetReparentedValue('/2/', '/3/');
go
declare @h hierarchyid = '/1/';
select @h.getlevel();
go
declare @h hierarchyid = '/1/';
select @h.GetLevel;
go
declare @h hierarchyid = '/1/';
select @h.GetLevel(1);
go
declare @h hierarchyid = '/1/';
select @h.GetRoot();
go
select hierarchyid::GetLevel();
go
select int::Parse('1');
go
select nothing::Parse('1');
go
declare @i int = 1;
select @i.ToString();
go
select [HIERARCHYID GETROOT]();
go
declare @h hierarchyid = '/1/';
select @h.GetAncestor(@h);
go
-- Comparisons are those of the tree; no other operator has a meaning.
declare @h hierarchyid = '/1/2/';
select iif(@h = '/1/2/', 1, 0) as same, iif(@h > '/1/', 1, 0) as below, iif(@h < '/1.1/', 1, 0) as before, iif(@h in ('/1/', '/1/2/'), 1, 0) as listed, nullif(@h, '/1/2/') as none, coalesce(null, @h) as node;
go
declare @h hierarchyid = '/1/2/';
select @h + @h;
go
declare @h hierarchyid = '/1/2/';
select @h + '/3/';
go
declare @h hierarchyid = '/1/2/';
select -@h;
go
declare @h hierarchyid = '/1/2/';
select 1 where @h = 1;
go
declare @h hierarchyid = '/1/2/';
select len(@h);
go
declare @h hierarchyid = '/1/2/';
select 1 where @h like '/1%';
go
declare @h hierarchyid = '/1/2/';
print @h;
go
-- A table, breadth first and depth first.
create table org (node hierarchyid primary key clustered, lvl as node.GetLevel(), parent as node.GetAncestor(1) persisted, id int unique, name nvarchar(20) not null, constraint deep check (node.GetLevel() < 5));
create index breadth on org (lvl, node);
create index parents on org (parent);
insert org (node, id, name) values (hierarchyid::GetRoot(), 6, 'David'), ('/1/', 46, 'Sariya'), ('/2/', 271, 'John'), ('/3/', 119, 'Jill'), ('/1/1/', 269, 'Wanida'), ('/1/2/', 300, 'Mary'), ('/3/1/', 291, 'Kevin'), (0x6AC0, 272, 'Amy');
select node, node.ToString() as path, lvl, parent, org.node.GetLevel() as again, org.parent.ToString() as up, name from org order by node;
select o.name from org o where o.node.IsDescendantOf('/1/') = 1 order by o.node desc;
select b.name as boss, e.name from org e join org b on e.parent = b.node order by e.node;
select lvl, count(*) as n, min(node).ToString() as first, max(node).ToString() as last, count(distinct parent) as parents from org group by lvl order by lvl;
select distinct parent.ToString() as p from org order by p;
select name from org where parent = '/1/' union select name from org where node = 0x78;
go
insert org (node, id, name) values ('/1/', 1, 'Twice');
go
insert org (node, id, name) values ('/1/1/1/1/1/', 1, 'Deep');
go
insert org (node, id, name) values ('1', 1, 'Wrong');
go
update org set node = node.GetReparentedValue('/1/', '/2/7/') output deleted.node.ToString() as old, inserted.node.ToString() as new, inserted.parent.ToString() as parent where node.IsDescendantOf('/1/') = 1;
delete org where node.GetAncestor(1) = '/3/';
select node.ToString() as path, parent.ToString() as parent, name from org order by node;
select definition from sys.computed_columns where object_id = object_id('org') order by column_id;
select definition from sys.check_constraints where parent_object_id = object_id('org');
go
update org set node.GetLevel(1) = 1;
go
set showplan_text on;
go
select name from org where node.IsDescendantOf('/1/') = 1;
go
declare @h hierarchyid;
select name from org where node.IsDescendantOf(@h) = 1;
go
select e.name from org b join org e on e.node.IsDescendantOf(b.node) = 1 where b.id = 46;
go
set showplan_text off;
go
declare @h hierarchyid = '/2/';
select name from org where node.IsDescendantOf(@h) = 1 and @h.IsDescendantOf(node) = 0 order by node;
select e.name from org b join org e on e.node.IsDescendantOf(b.node) = 1 where b.id = 271 order by e.node;
select name from org where not node.IsDescendantOf(@h) = 1 order by node;
go
-- Parameters, results of functions, table types, defaults.
create function child (@parent hierarchyid, @number int) returns hierarchyid as begin return hierarchyid::Parse(@parent.ToString() + cast(@number as varchar(10)) + '/') end;
go
create type nodes as table (node hierarchyid not null primary key, name varchar(10));
go
create procedure add_child @parent hierarchyid = '/', @made hierarchyid output as
set @made = @parent.GetDescendant((select max(node) from org where parent = @parent), null);
go
declare @made hierarchyid, @list nodes;
exec add_child @made = @made output;
select @made.ToString() as made;
exec add_child '/2/', @made output;
select @made.ToString() as made, dbo.child(@made, 3).ToString() as child;
insert @list values (@made, 'made'), ('/', 'root');
select node.ToString() as path, name from @list order by node;
exec sp_executesql N'select @h.GetLevel() as level', N'@h hierarchyid', '/1/2/3/';
select node into copied from org;
select count(*) as n, max(node.ToString()) as path from copied;
create table #t (node hierarchyid default '/7/' not null, other int);
insert #t (other) values (1);
select node.ToString() as path from #t;
go
alter table copied add label as node.ToString();
alter table copied alter column node varbinary(892);
go
select top (1) label from copied order by node desc;
go
-- What is refused.
create table memory (id int primary key nonclustered, node hierarchyid) with (memory_optimized = on);
go
create table t (node hierarchyid identity);
go
create sequence s as hierarchyid;
go
-- The catalog.
select name, system_type_id, user_type_id, max_length, precision, scale, is_nullable, is_user_defined, is_assembly_type from sys.types where name = 'hierarchyid';
select name, assembly_class, is_binary_ordered, is_fixed_length, assembly_qualified_name from sys.assembly_types;
select name, clr_name, permission_set_desc, is_user_defined from sys.assemblies;
select type_id('hierarchyid') as id, type_name(128) as name, type_name(240) as none, typeproperty('hierarchyid', 'precision') as precision, typeproperty('sys.hierarchyid', 'allowsnull') as nulls;
select name, type_name(user_type_id) as type, system_type_id, max_length, precision, scale, collation_name, is_computed from sys.columns where object_id = object_id('org') and user_type_id = 128 order by column_id;
select column_name, data_type, character_maximum_length, character_octet_length, numeric_precision, domain_name from information_schema.columns where table_name = 'org' and column_name in ('node', 'parent');
select parameter_name, data_type from information_schema.parameters where specific_name = 'child' order by ordinal_position;
exec sp_columns_100 'org', @column_name = 'node';
exec sp_describe_first_result_set N'select node, node.ToString() as path from org';
exec sp_describe_undeclared_parameters N'select name from org where node = @node';
go
select node from org for json path;
go
select node from org for xml raw;
go
select node.ToString() as path from org where id = 6 for json path;
select node.ToString() as path from org where id = 6 for xml raw;
go
select json_array(node) from org;
go
create type alias from hierarchyid;
go
create index f on org (id) where node > '/1/';
go
create table child_of (node hierarchyid foreign key references org (node));
insert child_of values ('/2/');
go
insert child_of values ('/99/');
go
create table texts (path varchar(20));
insert texts values ('/1/'), ('/1/2/');
alter table texts alter column path hierarchyid;
select path, path.GetLevel() as level from texts order by path desc;
go
-- FILESTREAM has no filegroup to be in.
create table files (id uniqueidentifier rowguidcol not null unique, content varbinary(max) filestream);
go
create table files (id int) filestream_on streams;
go
