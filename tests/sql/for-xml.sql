-- FOR XML: documents of rows.
create table t (id int not null primary key, a int, b int, s varchar(20), n nvarchar(40), d datetime)
insert t values (1, 10, 20, 'x', N'y', '2020-01-01'), (2, 30, 40, 'z', N'w', '2021-06-15'),
    (3, 50, 60, 'q', N'r', '2022-03-10')
create table u (id int not null primary key, a int)
insert u values (1, 10), (2, 20)
create table pp (id int primary key, nm nvarchar(20))
create table cc (id int primary key, pid int, cnm nvarchar(20), amt decimal(9,2))
create table gg (id int primary key, pid int, gnm nvarchar(20))
create table pp2 (id int primary key, nm nvarchar(20))
insert pp values (1,'alpha'),(2,'beta'),(3,'gamma'),(4,'alpha')
insert cc values (10,1,'a1',1.5),(11,1,'a2',2.5),(12,2,'b1',null),(13,4,'d1',9.0)
insert gg values (100,1,'g1'),(101,1,'g2')
insert pp2 values (1,null),(2,null),(3,null),(4,null)
go
-- RAW.
select id, a from t order by id for xml raw
select id, a from t order by id for xml raw('item')
select id, a from t order by id for xml raw, elements
select id from t order by id for xml raw(''), elements
select null as a, 1 as b for xml raw
select null as a, 1 as b for xml raw, elements
select null as a for xml raw
select null as a for xml raw, elements
select id from t where 1 = 0 for xml raw
go
select id, a + b from t for xml raw
go
select 1 as a, 2 as a for xml raw
go
select 1 as a, 2 as a for xml raw, elements
go
select id from t for xml raw('')
go
-- AUTO: an element for each table.
select id, a from t order by id for xml auto
select id, a from t order by id for xml auto, elements
select id from dbo.pp order by id for xml auto
select p.id, p.nm, c.id, c.cnm from pp p join cc c on c.pid = p.id order by p.id, c.id for xml auto
select p.id, c.cnm, p.nm from pp p join cc c on c.pid = p.id order by p.id, c.id for xml auto
select p.id, c.cnm, p.nm from pp p join cc c on c.pid = p.id order by p.id, c.id for xml auto, elements
select c.cnm, p.nm from pp p join cc c on c.pid = p.id order by c.id for xml auto
select p.id, p.nm, c.cnm from pp p left join cc c on c.pid = p.id order by p.id, c.id for xml auto
select p.id, c.cnm, g.gnm from pp p join cc c on c.pid = p.id join gg g on g.pid = p.id order by p.id, c.id, g.id for xml auto
select p.id, c.cnm, p.nm + 'X' as calc from pp p join cc c on c.pid = p.id order by p.id, c.id for xml auto
select p.nm + 'X' as calc, p.id, c.cnm from pp p join cc c on c.pid = p.id order by p.id, c.id for xml auto
select 1 as a from pp for xml auto
select p.nm, c.cnm from pp p join cc c on c.pid = p.id order by p.nm, c.cnm for xml auto
select p.id, nl.nm, c.cnm from pp2 nl join pp p on p.id = nl.id join cc c on c.pid = p.id order by p.id, c.id for xml auto
select p.id from pp p join gg g on g.pid = 1 where p.id = 1 for xml auto
select p.id, c.cnm from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for xml auto, root('r')
select p.id, c.cnm, c.amt from pp p join cc c on c.pid = p.id where p.id = 2 for xml auto, elements xsinil
select id, a from t union all select id, a from u order by id, a for xml auto
select t.id, u.a from t join u on t.id = u.id union all select id, a from u order by 1 for xml auto
go
select 1 as a, 2 as b for xml auto
go
select 9 as id union all select id from t for xml auto
go
-- PATH.
select id, a from t order by id for xml path
select id, a from t order by id for xml path('r')
select id as [@id], a from t order by id for xml path('r')
select id as [@id], a as [text()] from t order by id for xml path('r')
select id as [p/c] from t order by id for xml path('r')
select id as [a/b], a as [a/c] from t where id = 1 for xml path('r')
select id as [a/@b], a as [a/c], 1 as [d], 2 as [a/e] from t where id = 1 for xml path('r')
select id, a + b from t order by id for xml path('r')
select id from t order by id for xml path('')
select 10 as x, 20 as x for xml path('r')
select 'a' as [text()], 1 as [data()], 2 as [data()] for xml path('r')
select a as [data()] from t order by id for xml path('')
select id as [data()], a as [data()] from t order by id for xml path('')
select id as [data()], s as x from t order by id for xml path('')
select 'REF' as [FLD/@NAME], 1 as FLD, '', 'DES' as [FLD/@NAME], 2 as FLD for xml path('LIN')
select 'x' as [comment()], 'y' as [processing-instruction(foo)], 'z' as [node()], 'w' as [*] for xml path('r')
select 1 as a, 'x' as [comment()], 2 as b for xml path('r')
select 'x' as [a/comment()], 'p' as [a/processing-instruction(pi)], '<b>&' as [a/*] for xml path('r')
select '<b>&' as [comment()], '<b>&' as [processing-instruction(p)] for xml path('r')
select '' as [comment()], '' as [processing-instruction(p)], '' as e for xml path('r')
select 'a' as [data()], 'b' as [comment()], 'c' as [data()] for xml path('r')
select null as [@d], null as a, null as [b/c], null as [comment()], null as [data()] for xml path
select null as [a/@x], null as [a/b] for xml path
go
select id as [@id] from t for xml path('')
go
select a as b, id as [@id] from t for xml path('r')
go
select 1 as [a/b], 2 as [a/@c] for xml path
go
select 'a--b' as [comment()] for xml path
go
select 'a-' as [comment()] for xml path
go
select 1 as [COMMENT()] for xml path
go
select 1 as [comment()/a] for xml path
go
select 1 as [@*] for xml path
go
select 1 as [processing-instruction(1a)] for xml path
go
select 1 as [processing-instruction()] for xml path
go
select 1 as [processing-instruction(xml)] for xml path
go
select 1 as [a b] for xml path
go
select 1 as [1a] for xml path
go
select 1 as [:a] for xml path
go
select 1 as [x/y z] for xml path
go
select 1 as [@] for xml path
go
select 1 as [a//b] for xml path
go
select 1 as [/a] for xml path
go
select 1 as [a:b] for xml path
go
select 1 as [a b:c] for xml path
go
select 1 as [@xmlns] for xml path
go
select 1 as [xmlns:a] for xml path
go
select 1 as [xml:lang], 2 as [a_x0020_b] for xml path
go
-- ELEMENTS XSINIL.
select 1 as a, null as b for xml raw, elements xsinil
select 1 as a, null as b for xml path, elements xsinil
select 1 as a, null as b for xml path(''), elements xsinil
select 1 as a, null as b for xml path, elements xsinil, root('r')
select null as [@d], null as [a/b], null as [a/c], null as [e/comment()], null as [f/text()] for xml path('r'), elements xsinil
go
-- ROOT and names.
select id from t order by id for xml raw, root
select id from t where 1 = 0 for xml raw, root('rows')
go
select id from t for xml raw, root('')
go
select id from t for xml raw('r x'), root('t y')
go
select id from t for xml path('a/b')
go
select id from t for xml raw, root('t y')
go
select id from t for xml raw, root('a:b')
go
select id from t for xml auto('x')
go
select id from t for xml raw, type, root, type
go
select id from t for xml raw, binary hex
go
select 1 as [a b], 1 as [1a], 1 as [a$b], 1 as [a_x0020_b], 1 as [a-b], 1 as [-a], 1 as [a.b], 1 as [.a], 1 as [_a],
    1 as [a:b], 1 as [:a], 1 as [a_xzzzz_b], 1 as xml, 1 as [a#b], 1 as [a_x_b], 1 as [x_] for xml raw
select 1 as [aé], 1 as [a«b], 1 as [«a], 1 as [a·b], 1 as [·a], 1 as [漢字], 1 as [a€b], 1 as [a𝐀b] for xml raw
create table #tmp (id int, [c d] int)
insert #tmp values (1, 2)
select id, [c d] from #tmp for xml auto
select id from u as [a b] order by id for xml auto
go
-- Values.
select cast(1 as bit) as a, cast(0 as bit) as b, cast(1.5 as float) as f, cast(1.5 as real) as r, cast(-0.1 as float) as g,
    cast(12.34 as decimal(6,4)) as d, cast(1.5 as money) as m, cast(-1.5 as smallmoney) as sm, cast(5 as bigint) as bi for xml raw
select cast('2020-01-02T03:04:05.123' as datetime) as a, cast('2020-01-02' as date) as b, cast('2020-01-02' as datetime) as c,
    cast('03:04:05.1234567' as time) as d, cast('2020-01-02T03:04:05.12+05:30' as datetimeoffset) as e,
    cast('2020-01-02 03:04' as smalldatetime) as f, cast('2020-01-02 03:04:05' as datetime2(3)) as g for xml raw
select cast('6f9619ff-8b86-d011-b42d-00c04fc964ff' as uniqueidentifier) as [@a], cast(0x0102FF as varbinary(3)) as b for xml path('r')
select cast(5 as sql_variant) as i, cast(N'x<' as sql_variant) as s, cast(cast('2024-01-01' as date) as sql_variant) as d for xml raw
select N'a<b>&"''c' as v, N'a<b>&"''c' as [w/text()] for xml path('r')
select N'a<b>&"''c' as v, 'a<b>&"''cé' as w for xml raw
select char(9) + char(10) + char(13) as [@v], char(9) + char(10) + char(13) as w for xml path('r')
select nchar(1) + N'x' + nchar(65535) as [@v], char(31) as w, nchar(55357) + nchar(56832) as e for xml path('r')
select 'ab' as [text()], N'Ω' for xml path('')
go
-- Binary values.
create table bt (id int primary key, bin varbinary(10), s nvarchar(10))
insert bt values (1, 0x0102, 'p'), (2, null, 'q')
create table bn (id int, bin varbinary(10))
create table bc (k1 int not null, k2 nvarchar(5) not null, bin varbinary(10), primary key (k1, k2))
insert bc values (1, 'a&b', 0x0A0B)
select id, bin from bt order by id for xml raw, binary base64
select id, bin from bt order by id for xml auto, binary base64
select id, bin from bt order by id for xml path
select id, bin from bt order by id for xml auto
select id as zz, bin, bin as b2 from bt b order by id for xml auto
select id, bin from bt order by id for xml auto, elements
select k1, k2, bin from bc for xml auto
go
select id, bin from bt for xml raw
go
select id, bin from bn for xml auto
go
select k1, bin from bc for xml auto
go
select id, cast(0x01 as varbinary(4)) as c from bt for xml auto
go
select id, bin from bt union all select id, bin from bn for xml auto
go
-- EXPLICIT.
create table ut (ord int, tg int, pr int, pid int, cid int, gid int)
insert ut values (1,1,null,1,null,null),(2,2,1,null,10,null),(3,3,2,null,null,100),(4,2,1,null,11,null),(5,1,null,2,null,null)
select tg as Tag, pr as Parent, pid as [p!1!id], cid as [c!2!cid], gid as [g!3!gid] from ut order by ord for xml explicit
select tg as Tag, pr as Parent, pid as [p!1!id], cid as [c!2!cid!element], gid as [g!3] from ut order by ord for xml explicit, root('r')
select 1 as Tag, null as Parent, 1 as [emp!1!id], 'bob' as [emp!1!nm] for xml explicit
select 1 as Tag, 0 as Parent, 'x' as [e!1!a!element], 'y' as [e!1!b], 'z' as [e!1!c!ELEMENT] for xml explicit
select 1 as Tag, null as Parent, 'A' as [e!1], 'B' as [e!1!k!element], 'C' as [e!1!], 'D' as [e!1!!element] for xml explicit
select 1 as Tag, null as Parent, null as [e!1!a], null as [e!1!b!element], null as [e!1] for xml explicit
select 1 as Tag, null as Parent, null as [e!1!a!elementxsinil] for xml explicit
select 1 as Tag, null as Parent, null as [e!1!a!elementxsinil] for xml explicit, root('r')
select 1 as Tag, null as Parent, null as [p!1!a!elementxsinil], null as [c!2!b] union all select 2, 1, null, null for xml explicit
select 1 as Tag, null as Parent, '<b>x</b>' as [e!1!a!xml], 'a & b' as [e!1!!xml] for xml explicit
select 1 as Tag, null as Parent, 'x<y' as [e!1!!cdata], 'zz' as [e!1!a!cdata], 'a]]>]]>b' as [e!1!!cdata] for xml explicit
select 1 as Tag, null as Parent, 1 as [e!1!a], 'secret' as [e!1!h!hide], 1 as [e!1!b!id], 2 as [e!1!c!id!element] for xml explicit
select 1 as Tag, null as Parent, 1 as [e f!1!a b] for xml explicit
select 1 as Tag, null as Parent, cast(0x0102 as varbinary(9)) as [e!1!a] for xml explicit, binary base64
select 1 as Tag, null as Parent, 1 as [e!1!a] where 1 = 0 for xml explicit
go
select 1 as Tag, 1 as [e!1!a] for xml explicit
go
select 1 as Tag, null as Parent, 1 as plaincol for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!0!a] for xml explicit
go
select '1' as Tag, null as Parent, 1 as [e!1!a] for xml explicit
go
select 1 as Tag, cast(null as bigint) as Parent, 1 as [e!1!a] for xml explicit
go
select null as Parent, 1 as Tag, 1 as [e!1!a] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!1!a], 2 as [E!1!b] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!1!a!bogus] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!1!a!element!element] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!1!a!id!idref] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!1!a!hide!hide] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!1!a!id!hide] for xml explicit
go
select 1 as Tag, null as Parent, cast(0x01 as varbinary(4)) as [e!1!b] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!1!a] for xml explicit, elements
go
select 0 as Tag, null as Parent, 1 as [e!1!a] for xml explicit
go
select 1 as Tag, -1 as Parent, 1 as [e!1!a] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [e!2!a] for xml explicit
go
select 1 as Tag, 5 as Parent, 1 as [e!1!a] for xml explicit
go
select 1 as Tag, 1 as Parent, 1 as [e!1!a] for xml explicit
go
select 1 as Tag, null as Parent, 1 as [p!1!a], null as [c!2!b] union all select 2, 1, null, 1 union all select 1, 2, 2, null for xml explicit
go
-- Namespaces.
with xmlnamespaces ('urn:x' as p) select id, a from u order by id for xml raw
;with xmlnamespaces ('urn:x' as p) select id, a from u order by id for xml auto, root('r')
;with xmlnamespaces ('urn:x' as p) select id as [text()], a from u order by id for xml path('')
;with xmlnamespaces ('urn:x' as p, default 'urn:d', 'urn:&"' as q) select id from u order by id for xml raw
;with xmlnamespaces ('urn:x' as p, default 'urn:d') select id, null as z from u for xml path, elements xsinil
;with xmlnamespaces ('urn:x' as p) select a as [@p:b], id as [p:a/p:c] from u order by id for xml path('p:row'), root('p:r')
;with xmlnamespaces ('urn:x' as p), c as (select id from u) select id as [p:a] from c order by id for xml raw('p:e')
;with xmlnamespaces ('http://www.w3.org/XML/1998/namespace' as xml) select id from u order by id for xml raw
select id from u where id = 1 for xml raw
go
with xmlnamespaces ('urn:x' as p) select id as [P:a] from u for xml path
go
with xmlnamespaces ('urn:x' as xml) select 1 as a
go
with xmlnamespaces ('http://www.w3.org/XML/1998/namespace' as p) select 1 as a
go
with xmlnamespaces ('urn:x' as [xmlns]) select 1 as a
go
with xmlnamespaces ('urn:x' as p, 'urn:y' as p) select 1 as a
go
with xmlnamespaces (default 'urn:d', default 'urn:e') select 1 as a
go
with xmlnamespaces ('urn:x' as [p q]) select 1 as a
go
with xmlnamespaces ('' as p) select 1 as a
go
with xmlnamespaces ('urn:x' as xsi) select 1 as a for xml raw, elements xsinil
go
with xmlnamespaces ('urn:x' as p) select id from u for xml explicit
go
with xmlnamespaces ('urn:x' as p) select id from u for xml raw, xmlschema
go
-- With TYPE the document is a value of type xml.
select id from u for xml path, type
go
select id from u where 1 = 0 for xml path, type
go
select stuff((select ',' + n from (values ('a&b'), ('<c>'), (null)) v(n) for xml path(''), type).value('.', 'nvarchar(max)'), 1, 1, '') as list
go
select id, (select id as [@id], ' ' as t, '' as e for xml path('i'), type) from u for xml path('o'), root('r'), type
go
select id, (select id for xml path('i')) as t from u for xml raw
go
select cast('<a x="1"/>' as xml) as d, 1 as id for xml path
select cast('<a x="1"/>' as xml) as d, 1 as id for xml raw
go
select cast('<a x="1"/>' as xml) as [@d] for xml path
go
select nchar(1) as a for xml path
go
select nchar(1) as a for xml path, type
go
with xmlnamespaces (default 'urn:d', 'urn:p' as p)
select id as [p:id] from u for xml path, type
go
declare @x xml = (select id, 'x' as n from u for xml auto, type)
select @x.value('count(/u)', 'int') as rows, @x.query('/u[1]') as first
go
insert u (id) select id from u for xml path, type
go
select 1 as Tag, null as Parent, '<b>1</b>' as [a!1!!xml] for xml explicit, type
select 1 as Tag, null as Parent, '<b>1' as [a!1!!xml] for xml explicit, type
go
-- What is not there.
select id from u for xml raw, xmldata
go
select 1 as Tag, null as Parent, '<a>b</a>' as [e!1!!xmltext] for xml explicit
go
select id from u for xml raw, xmlschema
go
select id from u for xml auto, xmldata
go
select id from u for xml path, xmlschema
go
select 1 as Tag, null as Parent, 1 as [e!1!a] for xml explicit, xmlschema
go
-- Where a document may be, and where not.
select p.id, stuff((select ',' + c.cnm from cc c where c.pid = p.id order by c.id for xml path('')), 1, 1, '') as names from pp p order by p.id
go
create view v as select p.id, stuff((select ',' + c.cnm from cc c where c.pid = p.id order by c.id for xml path('')), 1, 1, '') as names from pp p
go
select * from v order by id
go
create function f (@p int) returns nvarchar(max) as begin
    return stuff((select N', ' + cnm from cc where pid = @p order by id for xml path(N'')), 1, 2, N'')
end
go
select dbo.f(1), dbo.f(3)
;with x as (select stuff((select ';' + nm from pp order by id desc for xml path('')), 1, 1, '') as all_names) select * from x
declare @x nvarchar(max) = (select 1 as a for xml raw)
set @x = @x + (select id from u order by id for xml raw('u'))
select @x
select d.x from (select id from u order by id for xml auto) d(x)
select (select id from u order by id for xml auto) as x for xml path
go
create trigger tr on u after insert as
    print (select id, a from inserted order by id for xml auto)
go
insert u values (3, 30), (4, 40)
go
declare @z table (x nvarchar(max))
insert @z select (select 1 as a for xml raw)
select x from @z
go
declare @z table (x nvarchar(max))
insert @z select 1 as a for xml raw
go
select 1 as a into z2 for xml raw
go
declare @x nvarchar(max)
select @x = 1 for xml raw
go
declare c cursor for select 1 as a for xml raw
go
declare @z table (x nvarchar(max))
insert @z exec('select 1 as a for xml raw')
go
-- Natively compiled modules have none.
create table mo (id int not null primary key nonclustered) with (memory_optimized = on)
go
create procedure np with native_compilation, schemabinding as begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    select id from dbo.mo for xml path
end
go
-- A long document comes in pieces.
select replicate(N'x', 2020) as a, N'yyyyyyyyy' as b for xml raw
go
