-- Selective XML indexes: the paths that they know, and what finds them.
CREATE DATABASE xs;
GO
USE xs;
CREATE TABLE dbo.d (id int NOT NULL PRIMARY KEY, x xml NULL, n int NULL);
INSERT INTO dbo.d SELECT value, N'<a k="' + CAST(value AS nvarchar(10)) + N'"><b c="' + CAST(value % 500 AS nvarchar(10)) + N'">text</b><e>' + REPLICATE(N'z', 100) + N'</e></a>', 0 FROM generate_series(1, 1000);
CREATE SELECTIVE XML INDEX sx ON dbo.d (x) FOR (pk = '/a/@k' AS XQUERY 'xs:double' SINGLETON, pc = '/a/b/@c' AS SQL nvarchar(10), pb = '/a/b' AS XQUERY 'xs:string' MAXLENGTH(20), pn = '/a' AS XQUERY 'node()', deep = '//f');
CREATE XML INDEX sx_k ON dbo.d (x) USING XML INDEX sx FOR (pk);
CREATE XML INDEX sx_c ON dbo.d (x) USING XML INDEX sx FOR (pc) WITH (FILLFACTOR = 70);
GO
SELECT name, index_id, using_xml_index_id, secondary_type, xml_index_type, xml_index_type_description, path_id FROM sys.xml_indexes ORDER BY index_id;
SELECT index_id, path_id, path, name, path_type, path_type_desc, xquery_type_description AS xquery, xquery_max_length AS length, is_node, user_type_id AS type, max_length, is_singleton FROM sys.selective_xml_index_paths ORDER BY path_id;
SELECT COUNT(*) AS namespaces FROM sys.selective_xml_index_namespaces;
SELECT i.internal_type, i.internal_type_desc, p.rows FROM sys.internal_tables AS i JOIN sys.partitions AS p ON p.object_id = i.object_id AND p.index_id = 1;
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') = 77;
GO
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c="77"]') = 1;
GO
-- No secondary index knows of it.
SELECT id FROM dbo.d WHERE x.exist('/a[b="text"]') = 1;
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') = 77;
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c="77"]') = 1 ORDER BY id;
SELECT COUNT(*) AS n FROM dbo.d WHERE x.exist('/a[b="text"]') = 1;
-- Kept with the rows.
UPDATE dbo.d SET x.modify('replace value of (/a/@k)[1] with 5000') WHERE id = 77;
DELETE FROM dbo.d WHERE id = 577;
INSERT INTO dbo.d VALUES (2000, N'<a k="6000"><b c="77"/></a>', 0);
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') BETWEEN 5000 AND 6000 ORDER BY id;
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c="77"]') = 1 ORDER BY id;
GO
-- What the paths forbid.
INSERT INTO dbo.d VALUES (2001, N'<a k="1"/><a k="2"/>', 0);
GO
INSERT INTO dbo.d VALUES (2001, N'<a k="1"><b>a text that is too long for it</b></a>', 0);
GO
UPDATE dbo.d SET x = N'<a k="1"/><a k="2"/>' WHERE id = 1;
GO
SELECT COUNT(*) AS n FROM dbo.d;
GO
-- Changes of the paths.
ALTER INDEX sx ON dbo.d WITH XMLNAMESPACES ('urn:p' AS p, 'urn:q' AS q) FOR (ADD pe = '/p:g/q:h' AS SQL int SINGLETON, REMOVE deep, REMOVE pb);
SELECT path_id, path, name FROM sys.selective_xml_index_paths ORDER BY path_id;
SELECT is_default_uri, uri, prefix FROM sys.selective_xml_index_namespaces ORDER BY uri;
INSERT INTO dbo.d VALUES (2001, N'<a k="1"><b>a text that is too long for it</b></a>', 0);
CREATE XML INDEX sx_e ON dbo.d (x) USING XML INDEX sx FOR (pe);
INSERT INTO dbo.d VALUES (2002, N'<g xmlns="urn:p"><h xmlns="urn:q">12</h></g>', 0);
WITH XMLNAMESPACES ('urn:p' AS p, 'urn:q' AS q) SELECT id FROM dbo.d WHERE x.value('(/p:g/q:h)[1]', 'int') = 12;
GO
ALTER INDEX sx ON dbo.d WITH XMLNAMESPACES (DEFAULT 'urn:r') FOR (ADD y = '/y');
GO
ALTER INDEX sx ON dbo.d FOR (REMOVE none);
GO
ALTER INDEX sx ON dbo.d FOR (REMOVE pc);
GO
ALTER INDEX sx ON dbo.d FOR (ADD pk = '/z');
GO
ALTER INDEX sx_k ON dbo.d FOR (ADD z = '/z');
GO
-- Disabled, built anew, renamed, dropped.
ALTER INDEX sx ON dbo.d DISABLE;
SELECT name, is_disabled FROM sys.xml_indexes ORDER BY index_id;
INSERT INTO dbo.d VALUES (3000, N'<a k="7000"/>', 0);
ALTER INDEX sx ON dbo.d REBUILD;
ALTER INDEX sx_k ON dbo.d REBUILD;
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') = 7000;
EXEC sp_rename 'dbo.d.sx_k', 'sx_key', 'INDEX';
DROP INDEX sx_c ON dbo.d;
TRUNCATE TABLE dbo.d;
INSERT INTO dbo.d VALUES (1, N'<a k="8000"/>', 0);
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') = 8000;
DROP INDEX sx ON dbo.d;
SELECT COUNT(*) AS xml_indexes FROM sys.xml_indexes;
SELECT COUNT(*) AS internal FROM sys.internal_tables;
GO
-- A primary and a selective index of one column; an index of the rows that are there.
CREATE PRIMARY XML INDEX px ON dbo.d (x);
CREATE SELECTIVE XML INDEX sx ON dbo.d (x) FOR (pk = '/a/@k');
SELECT name, xml_index_type FROM sys.xml_indexes ORDER BY index_id;
GO
CREATE SELECTIVE XML INDEX other ON dbo.d (x) FOR (pk = '/a/@k');
GO
CREATE XML INDEX sx ON dbo.d (x) USING XML INDEX px FOR PATH WITH (DROP_EXISTING = ON);
GO
CREATE XML INDEX s ON dbo.d (x) USING XML INDEX px FOR (pk);
GO
CREATE XML INDEX s ON dbo.d (x) USING XML INDEX sx FOR (none);
GO
CREATE XML INDEX s ON dbo.d (x) USING XML INDEX sx FOR PATH;
GO
DROP TABLE dbo.d;
GO
-- What is refused.
CREATE XML SCHEMA COLLECTION c AS N'<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema"><x:element name="a" type="x:int"/></x:schema>';
GO
CREATE TABLE dbo.e (id int NOT NULL PRIMARY KEY, x xml, t xml(c));
CREATE TABLE dbo.h (id int, x xml);
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a[1]');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a/text()');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a/*');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/*:a/b');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a', p = '/b');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a', q = '/a');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a' AS SQL int, q = '/a' AS SQL bigint);
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a' AS SQL sql_variant);
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a' AS XQUERY 'xs:int');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a' AS XQUERY 'xs:double' MAXLENGTH(9));
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a' AS XQUERY 'node()' MAXLENGTH(9));
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a' AS XQUERY 'xs:string' MAXLENGTH(9000));
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (t) FOR (p = '/a' AS XQUERY 'xs:string');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (t) FOR (p = '/a' SINGLETON);
GO
CREATE SELECTIVE XML INDEX s ON dbo.h (x) FOR (p = '/a');
GO
CREATE SELECTIVE XML INDEX s ON dbo.e (x) FOR (p = '/a' AS XQUERY 'node()', m = '/b' AS SQL nvarchar(max));
GO
CREATE XML INDEX s2 ON dbo.e (x) USING XML INDEX s FOR (p);
GO
CREATE XML INDEX s2 ON dbo.e (x) USING XML INDEX s FOR (m);
GO
CREATE XML INDEX s2 ON dbo.e (t) USING XML INDEX s FOR (m);
GO
ALTER INDEX s ON dbo.e FOR (REMOVE p, REMOVE m);
GO
USE master;
DROP DATABASE xs;
