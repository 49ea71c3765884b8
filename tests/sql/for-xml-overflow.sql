-- FOR XML EXPLICIT: what was left over becomes part of elements again
CREATE TABLE #Person (PersonID varchar(5), PersonName varchar(20), Overflow nvarchar(200));
INSERT #Person VALUES ('P1','Joe',N'<SomeTag attr1="data">content</SomeTag>'), ('P2','Joe',N'<SomeTag attr2="data"/>'),
  ('P3','Joe',N'<SomeTag attr3="data" PersonID="P"><name>PersonName</name></SomeTag>');
SELECT 1 AS Tag, NULL AS parent, PersonID AS [Parent!1!PersonID], PersonName AS [Parent!1!PersonName],
  Overflow AS [Parent!1!!XMLTEXT] FROM #Person FOR XML EXPLICIT;
SELECT 1 AS Tag, NULL AS parent, PersonID AS [Parent!1!PersonID], PersonName AS [Parent!1!PersonName],
  Overflow AS [Parent!1!overflow!XMLTEXT] FROM #Person FOR XML EXPLICIT;
SELECT 1 AS Tag, NULL AS parent, PersonID AS [Parent!1!PersonID], PersonName AS [Parent!1!PersonName!element],
  Overflow AS [Parent!1!!XMLTEXT] FROM #Person FOR XML EXPLICIT;
INSERT #Person VALUES ('P4', 'Ann', NULL);
SELECT 1 AS Tag, NULL AS parent, PersonID AS [Parent!1!PersonID], CAST(Overflow AS xml) AS [Parent!1!!XMLTEXT]
  FROM #Person FOR XML EXPLICIT, TYPE, ROOT('all');
SELECT 1 AS Tag, NULL AS parent, '<a/><b/>' AS [Parent!1!!xmltext] FOR XML EXPLICIT;
SELECT 1 AS Tag, NULL AS parent, '<a>' AS [Parent!1!!xmltext] FOR XML EXPLICIT;
GO
SELECT 1 AS Tag, NULL AS parent, 5 AS [Parent!1!!xmltext] FOR XML EXPLICIT;
GO
SELECT 1 AS Tag, NULL AS parent, '<a/>' AS [Parent!1!!xmltext], '<a/>' AS [Parent!1!b!xmltext] FOR XML EXPLICIT;
GO
SELECT 1 AS Tag, NULL AS parent, '<a/>' AS [Parent!1!!xmltext!id] FOR XML EXPLICIT;
GO
DROP TABLE #Person;
GO
-- FOR XML: values of type xml under a default namespace
DECLARE @x xml = '<a k="x>y"><b/></a><!--<c>--><p:d xmlns:p="urn:p"><e/></p:d><f xmlns="urn:f"><g/></f>t';
WITH XMLNAMESPACES (DEFAULT 'urn:d') SELECT @x FOR XML PATH('row');
WITH XMLNAMESPACES (DEFAULT 'urn:d') SELECT @x FOR XML PATH('');
WITH XMLNAMESPACES (DEFAULT 'urn:d') SELECT @x FOR XML PATH(''), ROOT('r'), TYPE;
WITH XMLNAMESPACES (DEFAULT 'urn:d') SELECT @x AS c FOR XML RAW, ELEMENTS;
WITH XMLNAMESPACES (DEFAULT 'urn:d') SELECT @x AS [c/d] FOR XML PATH('');
WITH XMLNAMESPACES (DEFAULT 'urn:d') SELECT (SELECT 1 AS n FOR XML PATH('in'), TYPE) FOR XML PATH('out');
WITH XMLNAMESPACES ('urn:d' AS p) SELECT @x FOR XML PATH('row');
GO
