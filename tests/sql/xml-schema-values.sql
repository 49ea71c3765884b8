-- Queries of typed xml know the types of values.
CREATE XML SCHEMA COLLECTION sc AS N'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema">
<x:simpleType name="small"><x:restriction base="x:int"><x:maxInclusive value="99"/></x:restriction></x:simpleType>
<x:simpleType name="sizes"><x:list itemType="x:int"/></x:simpleType>
<x:simpleType name="mixed"><x:union memberTypes="x:int x:date x:string"/></x:simpleType>
<x:element name="r"><x:complexType><x:sequence>
<x:element name="d" type="x:decimal" minOccurs="0"/><x:element name="i" type="x:int" minOccurs="0"/>
<x:element name="s" type="x:string" minOccurs="0" maxOccurs="unbounded"/><x:element name="b" type="x:boolean" minOccurs="0"/>
<x:element name="dt" type="x:dateTime" minOccurs="0"/><x:element name="n" type="x:int" nillable="true" minOccurs="0"/>
<x:element name="f" type="x:double" minOccurs="0"/><x:element name="k" type="small" minOccurs="0" maxOccurs="unbounded"/>
<x:element name="l" type="sizes" minOccurs="0"/><x:element name="u" type="mixed" minOccurs="0" maxOccurs="unbounded"/>
<x:element name="g" type="x:gYear" minOccurs="0"/></x:sequence>
<x:attribute name="a" type="x:int"/></x:complexType></x:element></x:schema>';
GO
-- Atomization has the schema's type: numbers are compared and added as such.
DECLARE @x xml(sc) = N'<r a="5"><d>1.50</d><i>10</i><s>9</s><s>10</s><b>1</b><dt>2020-01-01T10:00:00+02:00</dt><f>1234567</f><k>3</k><k>20</k><l>4 5 6</l><u>7</u><u>2020-01-02</u><u>x</u><g>2020</g></r>';
SELECT @x.query('(/r/d)[1] + 1') AS d, @x.query('(/r/f)[1] + 1') AS f, @x.query('(/r/d)[1] div 4') AS q, @x.value('(/r/d)[1] + 1', 'varchar(20)') AS v;
SELECT @x.exist('/r[i > d]') AS i_d, @x.exist('/r[s > "9"]') AS s, @x.exist('/r[b = true()]') AS b, @x.exist('/r[dt = xs:dateTime("2020-01-01T08:00:00Z")]') AS dt;
SELECT @x.query('for $k in /r/k order by $k descending return $k') AS k, @x.query('max(/r/k)') AS m, @x.query('max(/r/s)') AS ms, @x.query('sum(/r/k)') AS sum_k;
SELECT @x.query('data((/r/d)[1]) instance of xs:decimal?') AS d, @x.query('data((/r/k)[1]) instance of small?') AS k, @x.query('data((/r/k)[1]) instance of xs:int?') AS ki, @x.query('data((/r/i)[1]) instance of small?') AS i;
SELECT @x.query('(/r/i)[1] instance of element(i, xs:int)') AS i, @x.query('(/r/i)[1] instance of element(i, xs:string)') AS s, @x.query('(/r/@a)[1] instance of attribute(a, xs:integer)') AS a;
SELECT @x.query('"7" cast as small?') AS seven, @x.query('((/r/i)[1] + 100) cast as small?') AS too_large, @x.query('(/r/g)[1] cast as xs:string?') AS g, @x.query('xs:gYear("2021") = (/r/g)[1]') AS other;
-- Lists have several values, unions one of several types.
SELECT @x.query('count(data(/r/l))') AS n, @x.exist('/r[l = 5]') AS five, @x.exist('/r[l = 7]') AS seven, @x.query('sum(data(/r/l))') AS total;
SELECT @x.exist('/r/u[. = 7]') AS n, @x.exist('/r/u[. = xs:date("2020-01-02")]') AS d, @x.exist('/r/u[. = "x"]') AS s;
GO
-- What is nil has no value.
DECLARE @x xml(sc) = N'<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><n xsi:nil="true"/></r>';
SELECT @x.value('(/r/n)[1]', 'int') AS n, @x.query('count(data(/r/n))') AS c, @x.exist('/r/n') AS e;
SET @x.modify('replace value of (/r/n)[1] with xs:int(5)');
SELECT @x.query('/r/n') AS n;
SET @x.modify('replace value of (/r/n)[1] with ()');
SELECT @x AS x;
GO
DECLARE @x xml(sc) = N'<r><n>1</n></r>';
SET @x.modify('replace value of (/r/n)[1] with ()');
SELECT @x AS x;
GO
-- Static types name those of the schema.
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.value('/r/d', 'decimal(9, 2)');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('data(/r/@a) + 1');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('(/r/d)[1] = "1.5"');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('(/r/s)[1] + 1');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('/r/d/text()');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.value('(/r)[1]', 'nvarchar(10)');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('contains((/r/i)[1], "1")');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.value('(/r/k)', 'int');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.value('(/r/l)[1]', 'int');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('sum(/r/s)');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('"100" cast as small?');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('"100" cast as sizes?');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('"100" cast as other?');
GO
DECLARE @x xml(sc) = N'<r/>'; SELECT @x.query('/r/d/e');
GO
-- replace value of wants the node's type.
DECLARE @x xml(sc) = N'<r><d>1</d></r>'; SET @x.modify('replace value of (/r/d)[1] with "abc"');
GO
DECLARE @x xml(sc) = N'<r a="1"/>'; SET @x.modify('replace value of (/r/@a)[1] with 7');
GO
DECLARE @x xml(sc) = N'<r><d>1</d></r>'; SET @x.modify('replace value of (/r/d)[1] with (1, 2)');
GO
DECLARE @v nvarchar(9) = N'2.5', @x xml(sc) = N'<r><d>1</d></r>'; SET @x.modify('replace value of (/r/d)[1] with sql:variable("@v")');
GO
DECLARE @x xml(sc) = N'<r><k>1</k></r>'; SET @x.modify('replace value of (/r/k)[1] with xs:int(3)');
GO
DECLARE @x xml(sc) = N'<r><u>1</u></r>'; SET @x.modify('replace value of (/r/u)[1] with 3');
GO
DECLARE @x xml(sc) = N'<r><d>1</d></r>'; SET @x.modify('replace value of (/r/d)[1] with ()');
GO
DECLARE @v int = 7, @x xml(sc) = N'<r a="1"><d>1.5</d><b>true</b><k>5</k></r>';
SET @x.modify('replace value of (/r/d)[1] with (/r/d)[1] + 1');
SET @x.modify('replace value of (/r/@a)[1] with sql:variable("@v")');
SET @x.modify('replace value of (/r/b)[1] with false()');
SET @x.modify('replace value of (/r/k)[1] with 9 cast as small?');
SELECT @x AS x;
GO
-- Columns, with an index; nodes() keeps the types.
CREATE TABLE t (id int NOT NULL PRIMARY KEY, x xml(DOCUMENT sc));
INSERT INTO t SELECT value, N'<r a="' + CAST(value AS nvarchar(9)) + N'"><k>' + CAST(value % 100 AS nvarchar(9)) + N'</k><l>1 ' + CAST(value AS nvarchar(9)) + N'</l></r>' FROM generate_series(1, 300);
SELECT id FROM t WHERE x.exist('/r[@a = 7]') = 1;
CREATE PRIMARY XML INDEX ix ON t (x);
CREATE XML INDEX ix_path ON t (x) USING XML INDEX ix FOR PATH;
SELECT id FROM t WHERE x.exist('/r[@a = 7]') = 1;
SELECT id FROM t WHERE x.exist('/r[l = 17]') = 1;
SELECT id FROM t WHERE x.value('/r/@a', 'int') BETWEEN 298 AND 299 ORDER BY id;
SELECT t.id, n.k.value('. + 1', 'int') AS k FROM t CROSS APPLY t.x.nodes('/r/k') AS n (k) WHERE n.k.exist('.[. > 98]') = 1 ORDER BY t.id;
DROP TABLE t;
DROP XML SCHEMA COLLECTION sc;
GO
-- Wildcards: what is strict is declared, what is lax may be, and the rest is as it is.
CREATE XML SCHEMA COLLECTION wild AS N'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:w" elementFormDefault="qualified">
<x:element name="box"><x:complexType><x:sequence><x:any namespace="##other" processContents="strict"/><x:any namespace="urn:l" processContents="lax" minOccurs="0"/></x:sequence></x:complexType></x:element></x:schema>
<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:e" elementFormDefault="qualified">
<x:element name="item"><x:complexType><x:sequence><x:element name="price" type="x:decimal"/></x:sequence></x:complexType></x:element></x:schema>';
GO
DECLARE @x xml(DOCUMENT wild) = N'<w:box xmlns:w="urn:w"><e:item xmlns:e="urn:e"><e:price>2.50</e:price></e:item></w:box>';
SELECT @x.value('declare namespace w="urn:w"; declare namespace e="urn:e"; /w:box/e:item/e:price', 'decimal(9, 2)') AS price,
@x.value('declare namespace e="urn:e"; (//e:item)[1]/e:price', 'decimal(9, 2)') AS found,
@x.query('declare namespace w="urn:w"; declare namespace e="urn:e"; /w:box/e:item/e:price + 1') AS more;
GO
DECLARE @x xml(DOCUMENT wild) = N'<w:box xmlns:w="urn:w"><e:item xmlns:e="urn:e"><e:price>2.50</e:price></e:item></w:box>';
SELECT @x.value('declare namespace w="urn:w"; declare namespace e="urn:e"; /w:box/e:other', 'int');
GO
DECLARE @x xml(DOCUMENT wild) = N'<w:box xmlns:w="urn:w"><e:item xmlns:e="urn:e"><e:price>2.50</e:price></e:item></w:box>';
SELECT @x.value('declare namespace w="urn:w"; declare namespace e="urn:e"; /w:box/e:item', 'nvarchar(10)');
GO
DECLARE @x xml(DOCUMENT wild) = N'<w:box xmlns:w="urn:w"><e:item xmlns:e="urn:e"><e:price>2.50</e:price></e:item></w:box>';
SELECT @x.value('declare namespace w="urn:w"; declare namespace l="urn:l"; /w:box/l:any', 'int') AS one;
GO
DROP XML SCHEMA COLLECTION wild;
