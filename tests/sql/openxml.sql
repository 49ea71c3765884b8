-- OPENXML: columns by attributes
DECLARE @h int, @doc nvarchar(1000) = N'<ROOT>
<Customer CustomerID="VINET" ContactName="Paul Henriot">
   <Order OrderID="10248" CustomerID="VINET" EmployeeID="5" OrderDate="1996-07-04T00:00:00">
      <OrderDetail ProductID="11" Quantity="12"/>
      <OrderDetail ProductID="42" Quantity="10"/>
   </Order>
</Customer>
<Customer CustomerID="LILAS" ContactName="Carlos Gonzalez">
   <Order OrderID="10283" CustomerID="LILAS" EmployeeID="3" OrderDate="1996-08-16T00:00:00">
      <OrderDetail ProductID="72" Quantity="3"/>
   </Order>
</Customer>
</ROOT>';
EXEC sp_xml_preparedocument @h OUTPUT, @doc;
SELECT @h AS handle;
SELECT * FROM OPENXML (@h, '/ROOT/Customer', 1) WITH (CustomerID varchar(10), ContactName varchar(20));
SELECT * FROM OPENXML (@h, '/ROOT/Customer', 2) WITH (CustomerID varchar(10), ContactName varchar(20));
SELECT * FROM OPENXML (@h, '/ROOT/Customer/Order/OrderDetail', 2)
  WITH (OrderID int '../@OrderID', CustomerID varchar(10) '../@CustomerID',
        OrderDate datetime '../@OrderDate', ProdID int '@ProductID', Qty int '@Quantity');
SELECT * FROM OPENXML (@h, '/ROOT/Customer/Order/OrderDetail/@ProductID')
  WITH (ProdID int '.', Qty int '../@Quantity', OID int '../../@OrderID');
EXEC sp_xml_removedocument @h;
GO
-- columns by elements, and by both
DECLARE @h int, @doc varchar(1000) = '<ROOT>
<Customer><CustomerID>VINET</CustomerID><ContactName>Paul Henriot</ContactName></Customer>
<Customer><CustomerID>LILAS</CustomerID><ContactName>Carlos Gonzalez</ContactName></Customer>
</ROOT>';
EXEC sp_xml_preparedocument @h OUTPUT, @doc;
SELECT * FROM OPENXML (@h, '/ROOT/Customer', 2) WITH (CustomerID varchar(10), ContactName varchar(20));
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, N'<r><a id="1" nm="x"><b>bb</b><nm>elemnm</nm></a></r>';
SELECT 0 AS f, * FROM OPENXML (@h, '/r/a') WITH (id int, nm varchar(20), b varchar(20));
SELECT 1 AS f, * FROM OPENXML (@h, '/r/a', 1) WITH (id int, nm varchar(20), b varchar(20));
SELECT 2 AS f, * FROM OPENXML (@h, '/r/a', 2) WITH (id int, nm varchar(20), b varchar(20));
SELECT 3 AS f, * FROM OPENXML (@h, '/r/a', 3) WITH (id int, nm varchar(20), b varchar(20));
DECLARE @f int = 11;
SELECT @f AS f, * FROM OPENXML (@h, '/r/a', @f) WITH (id int, nm varchar(20), b varchar(20));
SELECT * FROM OPENXML (@h, '/r/a', 4) WITH (id int);
EXEC sp_xml_removedocument @h;
GO
-- text(), several texts, namespaces
DECLARE @h int;
EXEC sp_xml_preparedocument @h OUTPUT, N'<root>
  <Customer cid= "C1" name="Janine" city="Issaquah">
      <Order oid="O1" date="1/20/1996" amount="3.5" />
      <Order oid="O2" date="4/30/1997" amount="13.4">Customer was very satisfied
      </Order>
   </Customer>
   <Customer cid="C2" name="Ursula" city="Oelde" >
      <Order oid="O3" date="7/14/1999" amount="100" note="Wrap it blue
             white red">
            <Urgency>Important</Urgency>
            Happy Customer.
      </Order>
      <Order oid="O4" date="1/20/1996" amount="10000"/>
   </Customer>
</root>';
SELECT * FROM OPENXML (@h, '/root/Customer/Order', 1)
  WITH (oid char(5), amount float, comment ntext 'text()');
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT,
  N'<root xmlns:a="urn:1">
           <a:Elem abar="asdf">
             T<a>a</a>U
           </a:Elem>
         </root>', '<ns xmlns:b="urn:1" />';
SELECT * FROM OPENXML(@h, '/root/b:Elem') WITH (Col1 varchar(20) 'text()');
SELECT '[' + x + ']' AS x FROM OPENXML(@h, '/root/b:Elem/text()') WITH (x varchar(20) '.');
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, N'<r><a xml:space="preserve"> b </a><a> c </a></r>';
SELECT '[' + x + ']' AS x FROM OPENXML(@h, '/r/a') WITH (x varchar(20) '.');
EXEC sp_xml_removedocument @h;
GO
-- properties of nodes
CREATE TABLE #T1 (oid char(5), date datetime, amount float);
GO
DECLARE @h int;
EXEC sp_xml_preparedocument @h OUTPUT, N'<root>
  <Customer cid= "C1" name="Janine" city="Issaquah">
      <Order oid="O1" date="1/20/1996" amount="3.5" />
      <Order oid="O2" date="4/30/1997" amount="13.4">Customer was very satisfied</Order>
   </Customer>
   <Customer cid="C2" name="Ursula" city="Oelde" >
      <Order oid="O3" date="7/14/1999" amount="100" note="Wrap it blue white red">
          <Urgency>Important</Urgency>
      </Order>
      <Order oid="O4" date="1/20/1996" amount="10000"/>
   </Customer>
</root>';
SELECT * FROM OPENXML (@h, '/root/Customer/Order', 9)
  WITH (id int '@mp:id', oid char(5), date datetime, amount real, parentIDNo int '@mp:parentid',
        parentLocalName varchar(40) '@mp:parentlocalname');
SELECT * FROM OPENXML (@h, '/root/Customer/Order', 9)
  WITH (oid char(5), date datetime, comment ntext '@mp:xmltext');
SELECT * FROM OPENXML (@h, '/root/Customer/Order', 1) WITH #T1;
SELECT * FROM OPENXML (@h, '/root/Customer/Order', 1) WITH (x nvarchar(200) '@mp:xmltext', p int '../@mp:prev');
SELECT o.oid, c.cid FROM OPENXML (@h, '//Order') WITH (oid char(5), cust int '@mp:parentid') AS o
  JOIN OPENXML (@h, '//Customer') WITH (cid char(5), id int '@mp:id') c ON c.id = o.cust ORDER BY o.oid;
INSERT #T1 SELECT * FROM OPENXML (@h, '/root/Customer/Order[@amount > 100]', 1) WITH #T1;
SELECT * FROM #T1;
SELECT * FROM OPENXML (@h, '/root', 1) WITH (x nvarchar(50) '@mp:xmltext', l varchar(10) '@mp:localname',
  p int '@mp:parentid', id int '@mp:id', n varchar(10) '@mp:prefix', z int '@mp:nothing');
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, N'<?xml version="1.0"?><a><b x="1"/></a>';
SELECT * FROM OPENXML (@h, '/') WITH (t ntext '@mp:xmltext', l varchar(9) '@mp:localname', x int);
SELECT * FROM OPENXML (@h, '/');
EXEC sp_xml_removedocument @h;
DROP TABLE #T1;
GO
-- columns of type xml and others
DECLARE @h int, @x xml = '<Root>
  <row id="1"><lname>Duffy</lname>
   <Address>
            <Street>111 Maple</Street>
            <City>Seattle</City>
   </Address>
  </row>
  <row id="2"><lname>Wang</lname>
   <Address>
            <Street>222 Pine</Street>
            <City>Bothell</City>
   </Address>
  </row>
</Root>';
EXEC sp_xml_preparedocument @h OUTPUT, @x;
SELECT * FROM OPENXML (@h, '/Root/row', 10)
  WITH (id int '@id', lname varchar(30), xmlname xml 'lname', OverFlow xml '@mp:xmltext');
SELECT * FROM OPENXML (@h, '/Root/row', 1) WITH (xmlname xml);
SELECT * FROM OPENXML (@h, '/Root/row', 2) WITH (x xml '@id');
SELECT * FROM OPENXML (@h, '/Root/row', 1)
  WITH (id sql_variant, d decimal(5,2) '@id', b bit '@id', t text 'lname', n int 'none', v varbinary(8) 'lname');
SELECT SQL_VARIANT_PROPERTY(id, 'BaseType') AS t FROM OPENXML (@h, '/Root/row[1]') WITH (id sql_variant);
SELECT * FROM OPENXML (@h, '/Root/row', 2) WITH (lname int);
EXEC sp_xml_removedocument @h;
GO
DECLARE @h int;
DECLARE @long nvarchar(max) = N'<r><a>' + REPLICATE(CONVERT(nvarchar(max), N'x'), 4001) + N'</a></r>';
EXEC sp_xml_preparedocument @h OUTPUT, @long;
SELECT LEN(a) AS n FROM OPENXML (@h, '/r', 2) WITH (a nvarchar(max));
SELECT * FROM OPENXML (@h, '/r', 2) WITH (a sql_variant);
EXEC sp_xml_removedocument @h;
GO
SELECT 1 FROM OPENXML (@h, '/r', 2) WITH (a int);
GO
DECLARE @h int;
SELECT 1 FROM OPENXML (@h, '/r', 2) WITH (a int '@mp:xmltext');
GO
DECLARE @h int;
SELECT 1 FROM OPENXML (@h, '/r', 2) WITH nowhere;
GO
-- edge tables
DECLARE @h int;
EXEC sp_xml_preparedocument @h OUTPUT, '
<ROOT>
<Customers CustomerID="VINET" ContactName="Paul Henriot">
   <Orders CustomerID="VINET" EmployeeID="5" OrderDate="1996-07-04T00:00:00">
      <Order_x0020_Details OrderID="10248" ProductID="11" Quantity="12"/>
      <Order_x0020_Details OrderID="10248" ProductID="42" Quantity="10"/>
   </Orders>
</Customers>
<Customers CustomerID="LILAS" ContactName="Carlos Gonzlez">
   <Orders CustomerID="LILAS" EmployeeID="3" OrderDate="1996-08-16T00:00:00">
      <Order_x0020_Details OrderID="10283" ProductID="72" Quantity="3"/>
   </Orders>
</Customers>
</ROOT>';
SELECT * FROM OPENXML(@h, '/ROOT/Customers');
SELECT COUNT(*) AS n FROM OPENXML(@h, '/') WHERE localname = 'Customers';
SELECT DISTINCT localname FROM OPENXML(@h, '/') WHERE nodetype = 1 ORDER BY localname;
SELECT * FROM OPENXML(@h, '/ROOT/Customers/Orders', 2) WITH ([Order Details] varchar(10));
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, '<root x="9"><a id="1">txt</a><a id="2"/></root>';
SELECT id, parentid, nodetype, localname, prev, text FROM OPENXML(@h, '/root');
SELECT id, localname FROM OPENXML(@h, '/root/a') e WHERE e.nodetype = 2;
SELECT id, parentid FROM OPENXML(@h, '/root/a/@id');
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, '<root>t1<b/>t2<c/></root>';
SELECT id, localname, prev FROM OPENXML(@h, '/root');
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, '<r><!--CM--><?PI PD?><a>tt</a></r>';
SELECT id, nodetype, localname, text, prev FROM OPENXML(@h, '/r');
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, '<r xmlns:p="urn:x" xmlns="urn:d"><p:a p:e=""/></r>';
SELECT id, nodetype, localname, prefix, namespaceuri, text FROM OPENXML(@h, '/');
SELECT * INTO #edges FROM OPENXML(@h, '/');
SELECT name, TYPE_NAME(system_type_id) AS type, max_length FROM tempdb.sys.columns
  WHERE object_id = OBJECT_ID('tempdb..#edges') ORDER BY column_id;
DROP TABLE #edges;
EXEC sp_xml_removedocument @h;
GO
-- patterns
DECLARE @h int, @p nvarchar(50) = N'/root/a[@t="q"]';
EXEC sp_xml_preparedocument @h OUTPUT, '<root><a id="1" t="p"/><a id="2" t="q"/><z><a id="3"/></z></root>';
SELECT id FROM OPENXML(@h, '//a') WITH (id int);
SELECT id FROM OPENXML(@h, @p) WITH (id int);
SELECT id FROM OPENXML(@h, 'root/a[last()] | //z/a[1]') WITH (id int);
SELECT id FROM OPENXML(@h, '/root/a/following-sibling::*[1]/descendant-or-self::a') WITH (id int);
SELECT id FROM OPENXML(@h, '/r/[[') WITH (id int);
SELECT id FROM OPENXML(@h, '//a') WITH (id int 'count(*)');
SELECT id FROM OPENXML(@h, '//q:a') WITH (id int);
SELECT * FROM OPENXML(@h, '//a b');
SET @p = NULL;
SELECT id FROM OPENXML(@h, @p) WITH (id int);
EXEC sp_xml_removedocument @h;
GO
-- documents and handles
DECLARE @a int, @b int, @c int, @s int;
EXEC @s = sp_xml_preparedocument @a OUTPUT, NULL;
EXEC sp_xml_preparedocument @b OUTPUT;
SELECT @s AS s, @b - @a AS step, (SELECT COUNT(*) FROM OPENXML(@a, '/')) AS rows;
EXEC sp_xml_removedocument @b;
EXEC @s = sp_xml_removedocument @b;
SELECT @s AS s;
EXEC sp_xml_preparedocument @c OUTPUT, '<r/>';
SELECT @c - @a AS step;
BEGIN TRANSACTION;
EXEC sp_xml_removedocument @a;
ROLLBACK;
SELECT * FROM OPENXML(@a, '/');
GO
DECLARE @h int, @s int;
EXEC @s = sp_xml_preparedocument @h OUTPUT, N'<r><a></r>';
SELECT @h AS h, @s AS s, @@ERROR AS e;
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, N'';
EXEC sp_xml_preparedocument @h OUTPUT, N'<a/><b/>';
EXEC sp_xml_preparedocument @h OUTPUT, N'<a/>b';
EXEC sp_xml_preparedocument @h OUTPUT, N'<a><b>
  <c x=1/>';
EXEC sp_xml_preparedocument @h OUTPUT, N'<a><b>';
EXEC sp_xml_preparedocument @h OUTPUT, N'<a><q:b/></a>';
EXEC sp_xml_preparedocument @h OUTPUT, N'<a>&what;</a>';
EXEC sp_xml_preparedocument @h OUTPUT, N'<a/>', N'<ns';
EXEC sp_xml_preparedocument @h OUTPUT, 5;
EXEC sp_xml_preparedocument;
EXEC sp_xml_preparedocument @h OUTPUT, N'<a/>', N'<a/>', 1;
EXEC sp_xml_removedocument;
GO
DECLARE @h int, @s int;
BEGIN TRY
  EXEC @s = sp_xml_preparedocument @h OUTPUT, N'<r><a></r>';
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS n, ERROR_STATE() AS st, ERROR_PROCEDURE() AS p, ERROR_LINE() AS l, ERROR_MESSAGE() AS m;
END CATCH;
SELECT @h AS h, @s AS s;
DECLARE @none int = 99;
SELECT * FROM OPENXML(@none, '/r/a') WITH (id int);
SELECT * FROM OPENXML(@h, '/r/a') WITH (id int);
GO
-- what OPENXML takes
SELECT * FROM OPENXML(99, '/r/a') WITH (id int);
GO
DECLARE @h int; SELECT * FROM OPENXML(@h, '/r/' + 'a') WITH (id int);
GO
DECLARE @h int; SELECT OPENXML(@h, '/a');
GO
DECLARE @h int; SELECT * FROM OPENXML(@h, '/a', 1) WITH (a int x);
GO
-- a DTD, entities and encodings
DECLARE @h int;
EXEC sp_xml_preparedocument @h OUTPUT, '<?xml version="1.0" encoding="windows-1252"?><!DOCTYPE r [<!ENTITY e "text">]><r a="&e;">&e;</r>';
SELECT * FROM OPENXML(@h, '/r') WITH (a varchar(9), t varchar(9) '.');
EXEC sp_xml_removedocument @h;
EXEC sp_xml_preparedocument @h OUTPUT, N'<?xml version="1.0" encoding="windows-1252"?><r/>';
GO
-- in procedures
CREATE PROCEDURE dbo.shred @doc nvarchar(max) AS
BEGIN
  DECLARE @h int;
  EXEC sp_xml_preparedocument @h OUTPUT, @doc;
  SELECT id, v FROM OPENXML(@h, '/r/a', 1) WITH (id int, v nvarchar(10) '.') ORDER BY id DESC;
  EXEC sp_xml_removedocument @h;
END;
GO
EXEC dbo.shred N'<r><a id="1">x</a><a id="2">y</a></r>';
EXEC dbo.shred N'<r/>';
DROP PROCEDURE dbo.shred;
GO
