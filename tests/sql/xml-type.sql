-- The type xml: what values are, where they may stand, and what is refused.

-- Text becomes canonical.
declare @x xml = N'<?xml version="1.0"?><a  b=''1''> <c></c> <![CDATA[<&>]]></a>';
select @x as value, datalength(cast(@x as nvarchar(max))) as bytes;
select cast('' as xml) as nothing, cast('text' as xml) as text, cast('<a/><b/>' as xml) as fragment;
select convert(xml, '<a> <b/> </a>') as dropped, convert(xml, '<a> <b/> </a>', 1) as preserved;
select convert(xml, '<!DOCTYPE a [<!ENTITY e "text">]><a>&e;</a>', 2) as entity;
select convert(xml, 0xFFFE3C0061002F003E00) as from_binary, convert(varbinary(max), cast('<a/>' as xml)) as to_binary;
select try_cast('<a>' as xml) as tried, try_convert(xml, '<a/>') as well_formed;
go
select cast('<!DOCTYPE a [<!ELEMENT a ANY>]><a/>' as xml);
go
select convert(xml, '<a/>', 4);
go
select cast('<a><b></a>' as xml);
go
declare @x xml = '<a x=1/>';
go
select cast(N'<?xml version="1.0" encoding="utf-8"?><a/>' as xml);
go
select cast(cast('<abc/>' as xml) as varchar(5));
go
-- Conversions.
declare @x xml = '<a/>', @n nvarchar(max);
set @n = @x;
go
select cast(1 as xml);
go
select cast(cast('<a/>' as xml) as int);
go
select cast(cast('<a/>' as xml) as sql_variant);
go
declare @x xml(10);
go
create type xml_alias from xml;
go
-- Columns.
create table xml_type (id int primary key, x xml not null default '<d />', y xml null);
insert xml_type (id, y) values (1, null), (2, N'<é/>');
insert xml_type values (3, 'a<b/>', '<!-- c --><?p i?>');
select id, x, y, isnull(y, x) as known, coalesce(y, x) as first, case id when 1 then x else y end as chosen from xml_type;
select id from xml_type where y is null;
update xml_type set y = '<updated></updated>' where id = 1;
select x, y from xml_type where id = 1;
select name, system_type_id, max_length from sys.columns where object_id = object_id('xml_type');
select name, system_type_id, user_type_id, max_length, precision, scale from sys.types where name = 'xml';
select x into xml_copy from xml_type;
select count(x) as counted from xml_copy;
go
insert xml_type (id, x) values (4, '<a>');
go
-- What compares or sorts.
select * from xml_type where x = y;
go
select * from xml_type where x = '<a/>';
go
select * from xml_type where x like '%a%';
go
select * from xml_type order by x;
go
select x from xml_type group by x;
go
select distinct x from xml_type;
go
select x from xml_type union select y from xml_type;
go
select x from xml_type union all select y from xml_type where id = 3;
go
select max(x) from xml_type;
go
select count(distinct x) from xml_type;
go
select row_number() over (order by x) from xml_type;
go
select row_number() over (partition by x order by id) from xml_type;
go
select nullif(x, y) from xml_type;
go
create index xml_type_x on xml_type (x);
go
create table xml_key (x xml primary key);
go
create table xml_memory (id int primary key nonclustered, x xml) with (memory_optimized = on);
go
-- Functions.
select len(x) from xml_type;
go
select concat(x, 'a') from xml_type;
go
select upper(x) from xml_type;
go
select x + x from xml_type;
go
print cast('<a/>' as xml);
go
select datalength(cast('<a/>' as xml)) as bytes;
go
-- Procedures, functions, triggers, table variables.
create procedure xml_procedure @in xml, @out xml output as
begin
    declare @t table (x xml);
    insert @t values (@in), ('<own/>');
    select x from @t;
    set @out = @in;
end
go
declare @o xml;
exec xml_procedure '<in ></in>', @o output;
select @o as out;
exec xml_procedure '<in', @o output;
go
create function xml_function (@a nvarchar(10)) returns xml as
begin
    return '<f a="' + @a + '"/>';
end
go
select dbo.xml_function('1') as result;
go
create trigger xml_trigger on xml_type after update as
    select d.x as old, i.x as new from deleted d join inserted i on i.id = d.id;
go
update xml_type set x = '<new/>' where id = 2;
go
create table #x (x xml);
insert #x select x from xml_type where id < 3;
select * from #x;
drop table #x, xml_copy, xml_type;
drop procedure xml_procedure;
drop function xml_function;
drop type xml_alias;
go
-- An error ends the batch and dooms the transaction.
begin try
    begin tran;
    select cast('<a>' as xml);
end try
begin catch
    select xact_state() as state, error_number() as number;
    rollback;
end catch
go
