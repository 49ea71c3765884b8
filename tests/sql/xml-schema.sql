-- XML schema collections, and values of type xml with one.
create xml schema collection sc as N'<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="r">
<xsd:complexType><xsd:sequence><xsd:element name="d" type="xsd:decimal" minOccurs="0"/>
<xsd:element name="s" type="xsd:string" minOccurs="0" maxOccurs="unbounded"/></xsd:sequence>
<xsd:attribute name="a" type="xsd:int"/></xsd:complexType></xsd:element></xsd:schema>';
create xml schema collection sc as N'<schema xmlns="http://www.w3.org/2001/XMLSchema"/>';
go
-- Casts check and make canonical.
select cast('<r><d>1.50</d></r>' as xml(sc)), convert(xml(sc), '<r a="07"/>'),
    cast(cast('<r><d>1.50</d></r>' as xml) as xml(document sc)), cast('<r/><r/>' as xml(content dbo.sc)),
    cast(null as xml(sc)), cast('' as xml(sc));
go
select cast('<r><d>x</d></r>' as xml(sc));
go
select try_cast('<r><d>x</d></r>' as xml(sc));
go
select try_cast('<r>' as xml(sc));
go
select cast('<q/>' as xml(sc));
go
select cast('<r/><r/>' as xml(document sc));
go
select cast('<r/>' as xml(nope));
go
select cast('<r/>' as xml(dbo.nope));
go
select cast('<r/>' as xml(10));
go
-- Variables.
declare @x xml(sc) = N'<r><d>02.0</d></r>';
select @x;
set @x = '<r><s> b </s></r>';
select @x;
set @x = '<r><d/></r>';
select @x;
go
declare @x xml(nope);
go
declare @x xml(sc) = '<r><d>1</d></r>', @y xml;
set @y = @x;
set @x.modify('replace value of (/r/d)[1] with 2.50');
select @x, @y, @y.query('/r/d'), @x.value('(/r/d)[1]', 'decimal(9, 2)');
set @x.modify('insert <s>text</s> into (/r)[1]');
select @x;
set @x.modify('replace value of (/r)[1] with "text"');
go
declare @x xml(sc) = '<r><d>1</d></r>';
set @x.modify('replace value of (/r/d)[1] with "text"');
set @x.modify('insert <z/> into (/r)[1]');
select @x;
go
-- Columns.
create table t (id int primary key, x xml(sc), y xml(document sc) null, z xml);
insert t values (1, '<r a="1"/>', '<r><d>3.0</d></r>', '<r><d>3.0</d></r>');
insert t (id, x) values (2, '<r a="one"/>');
insert t (id, y) values (3, '');
insert t (id, x) select 4, z from t;
update t set x = z, y = x where id = 1;
update t set z = x where id = 1;
update t set x = N'<r><zz/></r>' where id = 1;
update t set x.modify('replace value of (/r/d)[1] with 9') where id = 1;
select * from t order by id;
merge t using (select 1 as id, '<r><d>7.70</d></r>' as x) as s on t.id = s.id when matched then update set x = s.x;
select x from t where id = 1;
go
-- Defaults, checks and changes of columns.
create table u (id int, x xml(sc) default '<r a="05"/>');
insert u (id) values (1);
select x from u;
alter table u add w xml(sc);
alter table u alter column x xml;
update u set x = '<r a="yes"/>';
alter table u alter column x xml(sc);
update u set x = '<r a="07"/>';
alter table u alter column x xml(sc);
select x from u;
select * into v from u;
insert v (x) values ('<q/>');
go
-- Parameters, results of functions, table variables and types.
create procedure p @x xml(sc), @y xml(document sc) = null output as begin set @y = @x; select @x as x; end;
go
exec p '<r a="01"/>';
exec p '<r a="x"/>';
declare @y xml;
exec p N'<r><d>1.0</d></r>', @y output;
select @y;
go
create function f (@x xml(sc)) returns xml(sc) as begin return @x; end;
go
select dbo.f('<r a="002"/>');
declare @t table (x xml(sc));
insert @t values ('<r a="03"/>');
insert @t values ('<r a="a"/>');
select * from @t;
exec sp_executesql N'select @x', N'@x xml(sc)', @x = '<r a="04"/>';
exec sp_executesql N'select @x', N'@x xml(sc)', @x = '<q/>';
go
create type tt as table (x xml(sc));
go
declare @t tt;
insert @t values ('<r a="09"/>'), ('<r a="-09"/>');
select * from @t;
go
-- One collection is not another.
create xml schema collection other as '<schema xmlns="http://www.w3.org/2001/XMLSchema"><element name="r" type="string"/></schema>';
go
declare @a xml(sc) = '<r/>', @b xml(other) = '<r>text</r>';
select @a union all select @b;
set @a = convert(xml(sc), @b);
go
declare @a xml(sc) = '<r/>', @b xml(other) = '<r>text</r>';
set @a = @b;
go
-- What the catalog shows.
create xml schema collection shown as '<s:schema xmlns:s="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:a" xmlns:a="urn:a" elementFormDefault="qualified">
<s:annotation><s:documentation>none</s:documentation></s:annotation>
<s:simpleType name="code"><s:restriction base="s:token"><s:pattern value="[A-Z]{2}\d*"/></s:restriction></s:simpleType>
<s:complexType name="part" abstract="true"><s:sequence><s:element name="code" type="a:code"/><s:any namespace="##other" processContents="skip" minOccurs="0"/></s:sequence>
<s:attribute name="n" type="s:int" default="1"/></s:complexType>
<s:element name="part" type="a:part" nillable="true"/></s:schema><s:schema xmlns:s="http://www.w3.org/2001/XMLSchema"><s:element name="plain" type="s:date" fixed="2020-01-01"/></s:schema>';
create table w (id int, x xml(shown), y xml(document dbo.shown), z xml);
go
create procedure q @x xml(document shown) as return 0;
go
select c.name, s.name as place, c.principal_id from sys.xml_schema_collections c join sys.schemas s on c.schema_id = s.schema_id where c.name = 'shown' or c.xml_collection_id = 1;
select n.name, n.xml_namespace_id from sys.xml_schema_namespaces n join sys.xml_schema_collections c on n.xml_collection_id = c.xml_collection_id where c.name = 'shown';
select n.name, symbol_space_desc, kind_desc, derivation_desc, is_qualified, xml_namespace_id from sys.xml_schema_components n join sys.xml_schema_collections c on n.xml_collection_id = c.xml_collection_id where c.name = 'shown';
select t.name, t.is_abstract, b.name as base from sys.xml_schema_types t join sys.xml_schema_collections c on t.xml_collection_id = c.xml_collection_id join sys.xml_schema_types b on t.base_xml_component_id = b.xml_component_id where c.name = 'shown' and t.name is not null;
select e.name, e.is_nillable, e.must_be_qualified, e.is_default_fixed, e.default_value, s.name as scope from sys.xml_schema_elements e left join sys.xml_schema_types s on e.scoping_xml_component_id = s.xml_component_id join sys.xml_schema_collections c on e.xml_collection_id = c.xml_collection_id where c.name = 'shown';
select a.name, a.default_value from sys.xml_schema_attributes a join sys.xml_schema_collections c on a.xml_collection_id = c.xml_collection_id where c.name = 'shown';
select kind_desc, process_content_desc, disallow_namespaces from sys.xml_schema_wildcards a join sys.xml_schema_collections c on a.xml_collection_id = c.xml_collection_id where c.name = 'shown';
select c.name, c.precision, c.scale, c.max_length, c.is_xml_document, x.name as collection from sys.columns c left join sys.xml_schema_collections x on c.xml_collection_id = x.xml_collection_id where c.object_id = object_id('w');
select p.name, p.is_xml_document, x.name as collection from sys.parameters p join sys.xml_schema_collections x on p.xml_collection_id = x.xml_collection_id where p.object_id = object_id('q');
select object_name(u.object_id) as used_by, u.column_id from sys.column_xml_schema_collection_usages u where u.object_id = object_id('w');
select object_name(u.object_id) as used_by, u.parameter_id from sys.parameter_xml_schema_collection_usages u where u.object_id = object_id('q');
select xml_schema_namespace(N'dbo', N'shown', N'urn:a');
select xml_schema_namespace(N'dbo', N'shown').value('count(/*)', 'int') as schemas, xml_schema_namespace(null, N'shown') as nothing;
go
select xml_schema_namespace(N'dbo', N'shown', N'urn:b');
go
select xml_schema_namespace(N'sys', N'sys');
go
drop xml schema collection shown;
go
drop table w;
drop procedure q;
drop xml schema collection shown;
go
-- Collections grow, and stay while they are used.
alter xml schema collection sc add '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t"><xsd:element name="t" type="xsd:int"/></xsd:schema>';
declare @s nvarchar(max) = '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="z" type="xsd:int"/></xsd:schema>';
alter xml schema collection dbo.sc add @s;
alter xml schema collection sc add N'';
go
select cast('<t xmlns="urn:t"> 05 </t>' as xml(sc)), cast('<z>05</z>' as xml(sc));
begin tran;
alter xml schema collection sc add '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="rolled" type="xsd:int"/></xsd:schema>';
rollback;
select cast('<rolled>1</rolled>' as xml(sc));
go
alter xml schema collection sc add '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"><xsd:element name="r" type="xsd:int"/></xsd:schema>';
go
alter xml schema collection sc add 'garbage';
go
alter xml schema collection sc add null;
go
alter xml schema collection nope add '<xsd:schema xmlns:xsd="http://www.w3.org/2001/XMLSchema"/>';
go
declare @i int = 1;
create xml schema collection bad as @i;
go
create xml schema collection bad as '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="e" type="nope"/></xs:schema>';
go
create xml schema collection bad as '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="e"/><xs:key name="k"/></xs:schema>';
go
create xml schema collection nosuch.bad as '';
go
drop xml schema collection sc;
go
drop xml schema collection nope;
go
drop xml schema collection sys.sys;
go
drop table t, u, v;
drop procedure p;
drop function f;
drop type tt;
drop xml schema collection sc;
drop xml schema collection other;
go
select cast('<r/>' as xml(sc));
go
