-- Queries of typed xml are checked by the collection: names, and how often things come.
CREATE XML SCHEMA COLLECTION orders AS N'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:o" xmlns="urn:o" elementFormDefault="qualified">
<x:element name="order"><x:complexType><x:sequence>
<x:element name="customer" type="x:string"/>
<x:element name="note" type="x:string" minOccurs="0"/>
<x:element name="line" maxOccurs="unbounded"><x:complexType><x:sequence><x:element name="sku" type="x:string"/></x:sequence>
<x:attribute name="count" type="x:int" use="required"/></x:complexType></x:element>
</x:sequence><x:attribute name="id" type="x:int" use="required"/></x:complexType></x:element></x:schema>';
GO
CREATE TABLE o (x xml(DOCUMENT orders), y xml(orders));
INSERT INTO o VALUES (N'<order xmlns="urn:o" id="7"><customer>Ann</customer><line count="2"><sku>a</sku></line><line count="3"><sku>b</sku></line></order>',
N'<order xmlns="urn:o" id="8"><customer>Bob</customer><note>n</note><line count="1"><sku>c</sku></line></order>');
GO
-- What comes once needs no [1].
WITH XMLNAMESPACES (DEFAULT 'urn:o')
SELECT x.value('/order/@id', 'int') AS id, x.value('/order/customer', 'nvarchar(10)') AS customer, x.value('/order/note', 'nvarchar(10)') AS note FROM o;
WITH XMLNAMESPACES (DEFAULT 'urn:o')
SELECT l.n.value('@count', 'int') AS number, l.n.value('sku', 'nvarchar(10)') AS sku FROM o CROSS APPLY x.nodes('/order/line') AS l (n);
WITH XMLNAMESPACES (DEFAULT 'urn:o')
SELECT y.value('(/order)[1]/note', 'nvarchar(10)') AS note, y.query('for $o in /order return <c>{data($o/customer)}</c>') AS c FROM o;
GO
-- What may come more often does.
WITH XMLNAMESPACES (DEFAULT 'urn:o') SELECT x.value('/order/line/sku', 'nvarchar(10)') AS sku FROM o;
GO
WITH XMLNAMESPACES (DEFAULT 'urn:o') SELECT y.value('/order/customer', 'nvarchar(10)') AS customer FROM o;
GO
-- Names that the schemas do not have.
SELECT x.value('(/order)[1]', 'nvarchar(10)') AS o FROM o;
GO
WITH XMLNAMESPACES (DEFAULT 'urn:o') SELECT x.exist('/order/price') AS e FROM o;
GO
WITH XMLNAMESPACES (DEFAULT 'urn:o') SELECT x.exist('/order/line/@price') AS e FROM o;
GO
WITH XMLNAMESPACES (DEFAULT 'urn:o') SELECT x.exist('//price') AS e FROM o;
GO
-- modify() by singletons.
WITH XMLNAMESPACES (DEFAULT 'urn:o') UPDATE o SET x.modify('replace value of /order/customer with "Cid"');
WITH XMLNAMESPACES (DEFAULT 'urn:o') SELECT x.value('/order/customer', 'nvarchar(10)') AS customer FROM o;
GO
-- Restrictions let in no more than their bases.
CREATE XML SCHEMA COLLECTION wrong AS N'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema">
<x:complexType name="B"><x:sequence><x:element name="a" type="x:int"/></x:sequence></x:complexType>
<x:complexType name="R"><x:complexContent><x:restriction base="B"><x:sequence><x:element name="a" type="x:int" minOccurs="0"/></x:sequence></x:restriction></x:complexContent></x:complexType>
</x:schema>';
GO
DROP TABLE o;
DROP XML SCHEMA COLLECTION orders;
