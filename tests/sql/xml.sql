-- Methods of type xml: value, query, exist, nodes, modify.

DECLARE @x xml = N'<order id="7"><line no="1"><item>Pen</item><qty>2</qty><price>1.50</price></line><line no="2"><item>Ink &amp; pad</item><qty>10</qty><price>12.25</price></line></order>';
SELECT @x.value('(/order/@id)[1]', 'int') AS id,
       @x.value('(/order/line/item)[2]', 'nvarchar(20)') AS item,
       @x.value('count(/order/line)', 'int') AS lines,
       @x.value('sum(/order/line/price)', 'decimal(9,2)') AS total,
       @x.value('(/order/none)[1]', 'int') AS nothing;
SELECT @x.query('/order/line[@no="2"]/item') AS q;
SELECT @x.exist('/order/line[qty>5]') AS yes, @x.exist('/order/line[qty>50]') AS no;
SELECT t.c.value('@no', 'int') AS no, t.c.value('(item)[1]', 'varchar(20)') AS item,
       t.c.value('(qty)[1]', 'int') * t.c.value('(price)[1]', 'money') AS amount,
       t.c.value('../@id', 'int') AS id, t.c.query('qty') AS qty, t.c.exist('price[. > 10]') AS dear
FROM @x.nodes('/order/line') AS t(c)
ORDER BY no DESC;
GO

-- Rows of a table.
CREATE TABLE docs (id int PRIMARY KEY, x xml, note varchar(20));
INSERT docs VALUES (1, '<r><a k="1">one</a><a k="2">two</a></r>', 'two'), (2, '<r/>', 'none'), (3, NULL, 'null'),
                   (4, '<r><a k="4"><b>x</b><b>y</b></a></r>', 'nested');
SELECT d.id, n.c.value('@k', 'int') AS k, n.c.value('text()[1]', 'varchar(10)') AS t FROM docs d CROSS APPLY d.x.nodes('/r/a') AS n(c) ORDER BY d.id, k;
SELECT d.id, n.c.value('@k', 'int') AS k, CASE WHEN n.c IS NULL THEN 'no' ELSE 'yes' END AS found FROM docs d OUTER APPLY x.nodes('/r/a') AS n(c) ORDER BY d.id, k;
SELECT d.id, a.c.value('@k', 'int') AS k, b.c.value('.', 'char(1)') AS b FROM docs d CROSS APPLY d.x.nodes('/r/a') AS a(c) CROSS APPLY a.c.nodes('b') AS b(c) ORDER BY b;
SELECT id FROM docs WHERE x.exist('/r/a[@k="2"]') = 1;
SELECT id, x.value('count(/r/a)', 'int') AS n FROM docs ORDER BY id;
SELECT COUNT(*) AS n FROM docs, docs AS e CROSS APPLY e.x.nodes('//b') AS n(c) WHERE docs.id = e.id;
SELECT k, COUNT(*) AS n FROM (SELECT n.c.value('local-name(.)', 'varchar(10)') AS k FROM docs CROSS APPLY x.nodes('//*') AS n(c)) AS t GROUP BY k ORDER BY k;
SELECT id FROM docs AS d WHERE EXISTS (SELECT 1 FROM d.x.nodes('/r/a') AS n(c) WHERE n.c.value('@k', 'int') = d.id) ORDER BY id;
GO

-- A list of words as rows.
DECLARE @list varchar(100) = 'red,green,blue';
SELECT w.c.value('.', 'varchar(10)') AS word
FROM (SELECT CAST('<w>' + REPLACE(@list, ',', '</w><w>') + '</w>' AS xml) AS words) AS l CROSS APPLY l.words.nodes('/w') AS w(c)
ORDER BY word;
GO

-- What queries take from the statement around them.
DECLARE @k int = 2, @s nvarchar(10) = N'two', @x xml = '<r><a k="1">one</a><a k="2">two</a></r>';
SELECT @x.value('(/r/a[@k=sql:variable("@k")])[1]', 'varchar(10)') AS v, @x.exist('/r/a[text()=sql:variable("@s")]') AS e;
SELECT id, x.query('<d id="{sql:column("id")}" note="{sql:column("docs.note")}">{count(/r/a)}</d>') AS d FROM docs ORDER BY id;
SELECT id, n.c.value('.', 'varchar(10)') AS v FROM docs CROSS APPLY x.nodes('/r/a[@k=sql:column("docs.id")]') AS n(c) ORDER BY id;
GO

-- Namespaces.
DECLARE @x xml = '<a:r xmlns:a="urn:a" xmlns="urn:d"><b>1</b><a:c>2</a:c></a:r>';
WITH XMLNAMESPACES ('urn:a' AS p, DEFAULT 'urn:d')
SELECT @x.value('(/p:r/b)[1]', 'int') AS b, t.c.value('.', 'int') AS c FROM @x.nodes('/p:r/p:c') AS t(c);
SELECT @x.value('declare namespace z="urn:a"; (/z:r/z:c)[1]', 'int') AS c, @x.query('declare namespace z="urn:a"; //z:c') AS q;
GO

-- modify.
DECLARE @x xml = '<r><a>1</a></r>', @v int = 5, @n xml = '<n/>';
SET @x.modify('insert <b>2</b> into (/r)[1]');
SET @x.modify('insert attribute k {sql:variable("@v")} into (/r/a)[1]');
SET @x.modify('insert sql:variable("@n") as first into (/r)[1]');
SELECT @x AS x;
SET @x.modify('replace value of (/r/a/text())[1] with sql:variable("@v") + 1');
SET @x.modify('delete /r/b');
SELECT @x AS x;
SET @x.modify('delete /nothing');
SELECT @x AS x, @@ROWCOUNT AS n;
UPDATE docs SET x.modify('insert <z>{sql:column("id")}</z> as last into (/r)[1]'), note = note + '!' OUTPUT deleted.x AS before, inserted.x AS after WHERE id < 3;
UPDATE d SET x.modify('delete /r/z') FROM docs AS d WHERE d.x.exist('/r/z') = 1;
SELECT id, x, note FROM docs ORDER BY id;
GO
CREATE TRIGGER changed ON docs AFTER UPDATE AS
  SELECT i.id, i.x.value('count(/r/*)', 'int') AS now, d.x.value('count(/r/*)', 'int') AS before FROM inserted AS i JOIN deleted AS d ON i.id = d.id;
GO
UPDATE docs SET x.modify('insert (<p/>, <q/>) into (/r)[1]') WHERE id = 2;
GO
DROP TRIGGER changed;
GO

-- A deadlock report.
DECLARE @d xml = '<deadlock><victim-list><victimProcess id="p1"/></victim-list><process-list><process id="p1" spid="51" waittime="120"><inputbuf>UPDATE a</inputbuf></process><process id="p2" spid="52" waittime="90"><inputbuf>UPDATE b</inputbuf></process></process-list></deadlock>';
SELECT p.n.value('@id', 'varchar(10)') AS id, p.n.value('@spid', 'smallint') AS spid, p.n.value('(inputbuf/text())[1]', 'nvarchar(100)') AS sql,
       p.n.exist('/deadlock/victim-list/victimProcess[@id = "p1"]') AS known,
       CASE WHEN v.n IS NULL THEN 0 ELSE 1 END AS victim
FROM @d.nodes('/deadlock/process-list/process') AS p(n)
LEFT JOIN @d.nodes('/deadlock/victim-list/victimProcess') AS v(n) ON v.n.value('@id', 'varchar(10)') = p.n.value('@id', 'varchar(10)')
ORDER BY id;
GO

-- Types of values.
DECLARE @x xml = '<r d="2024-02-29" t="2024-02-29T13:14:15.123" b="true" f="1.5E2" g="6F9619FF-8B86-D011-B42D-00C04FC964FF" h="AQID" l="abcdef" m="12.345"/>';
SELECT @x.value('/r[1]/@d', 'date') AS d, @x.value('/r[1]/@t', 'datetime2(3)') AS t, @x.value('/r[1]/@b', 'bit') AS b, @x.value('/r[1]/@f', 'float') AS f;
SELECT @x.value('/r[1]/@g', 'uniqueidentifier') AS g, @x.value('/r[1]/@h', 'varbinary(10)') AS h, @x.value('xs:hexBinary(/r[1]/@l)', 'varbinary(10)') AS l, @x.value('/r[1]/@l', 'varchar(3)') AS s, @x.value('/r[1]/@m', 'decimal(5,1)') AS m;
SELECT CAST('' AS xml).value('xs:base64Binary("AQID")', 'varbinary(5)') AS b, CAST('' AS xml).value('xs:hexBinary("0aff")', 'varbinary(5)') AS h;
GO
DECLARE @x xml = '<r>abc</r>';
SELECT @x.value('/r[1]', 'int');
GO
DECLARE @x xml = '<r>300</r>';
SELECT @x.value('/r[1]', 'tinyint');
GO

-- Chains, subqueries, parentheses, functions.
CREATE FUNCTION dbo.part(@x xml, @k int) RETURNS xml AS BEGIN RETURN @x.query('/r/a[@k=sql:variable("@k")]') END;
GO
DECLARE @x xml = '<r><a k="1"><b>one</b></a></r>';
SELECT @x.query('/r/a').value('(/a/@k)[1]', 'int') AS k, (SELECT TOP 1 x FROM docs ORDER BY id).value('(/r/a)[1]', 'varchar(10)') AS v,
       (@x).exist('/r') AS e, dbo.part(@x, 1).value('(/a/b)[1]', 'varchar(10)') AS f, CAST('<q>3</q>' AS xml).value('(/q)[1]', 'int') + 1 AS four;
IF @x.exist('/r/a/b') = 1 PRINT 'there is one';
DECLARE @y int = @x.value('count(//*)', 'int');
SELECT @y AS y;
GO

-- Errors.
DECLARE @x xml = '<r/>', @i int = 1;
SELECT @i.value('.', 'int');
GO
DECLARE @x xml = '<r/>';
SELECT @x.Value('.', 'int');
GO
DECLARE @x xml = '<r/>';
SELECT @x.nodes('/r');
GO
DECLARE @x xml = '<r/>', @q varchar(10) = '/r';
SELECT @x.query(@q);
GO
DECLARE @x xml = '<r/>';
SELECT @x.value('/r', 'int');
GO
DECLARE @x xml = '<r/>';
SELECT @x.value('(/r)[1]', 'xml');
GO
DECLARE @x xml = '<r/>';
SELECT @x.value('(/r)[1]', 'no type');
GO
DECLARE @x xml = '<r/>';
SELECT @x.value('(/r)[1]');
GO
DECLARE @x xml = '<r/>';
SELECT @x.modify('delete /r');
GO
DECLARE @x xml = '<r/>';
SET @x.query('/r');
GO
DECLARE @x xml;
SET @x.modify('delete /r');
GO
UPDATE docs SET x.modify('delete /r') WHERE id = 3;
GO
UPDATE docs SET note.modify('delete /r');
GO
SELECT c FROM docs CROSS APPLY x.nodes('/r') AS n(c);
GO
SELECT * FROM docs CROSS APPLY x.nodes('/r') AS n(c);
GO
SELECT CAST(c AS nvarchar(max)) FROM docs CROSS APPLY x.nodes('/r') AS n(c);
GO
SELECT COUNT(c) FROM docs CROSS APPLY x.nodes('/r') AS n(c);
GO
SELECT 1 FROM docs CROSS APPLY x.nodes('/r');
GO
SELECT 1 FROM docs CROSS APPLY x.nodes('/r') AS n(a, b);
GO
SELECT 1 FROM docs CROSS APPLY note.nodes('/r') AS n(a);
GO
SELECT note.value('.', 'int') FROM docs;
GO
SELECT nothing.value('.', 'int') FROM docs;
GO
SELECT x.value('(/r)[1]', 'int'), COUNT(*) FROM docs GROUP BY x.value('(/r)[1]', 'int');
GO
SELECT d.x.value('/r/a', 'int') FROM dbo.docs AS d;
GO
SELECT n.c.value('b', 'int') FROM docs CROSS APPLY x.nodes('/r/a') AS n(c);
GO
SELECT x.value('sql:column("nothing")', 'int') FROM docs;
GO
SELECT x.value('sql:variable("@nothing")', 'int') FROM docs;
GO
DECLARE @x xml = '<r/>';
PRINT @x.value('(/r)[1]', 'int');
GO
CREATE TABLE checked (x xml CHECK (x.exist('/r') = 1));
GO
CREATE TABLE computed (x xml, c AS x.value('(/r)[1]', 'int'));
GO
SET QUOTED_IDENTIFIER OFF;
GO
DECLARE @x xml = '<r/>';
SELECT @x.exist('/r');
GO
SET QUOTED_IDENTIFIER ON;
GO
DROP FUNCTION dbo.part;
DROP TABLE docs;
GO
