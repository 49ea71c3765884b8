-- XML indexes: rows get and lose their entries, and exist() is answered by them.
CREATE DATABASE xi;
GO
USE xi;
CREATE TABLE dbo.d (id int NOT NULL CONSTRAINT pk_d PRIMARY KEY, x xml NULL, n int NULL);
INSERT INTO dbo.d VALUES (1, N'<a k="1"><b c="v">one</b></a>', 1), (2, N'<a k="2"><b c="w">two</b></a>', 2);
CREATE PRIMARY XML INDEX ix ON dbo.d (x);
CREATE XML INDEX ix_path ON dbo.d (x) USING XML INDEX ix FOR PATH;
CREATE XML INDEX ix_value ON dbo.d (x) USING XML INDEX ix FOR VALUE WITH (PAD_INDEX = ON, FILLFACTOR = 70);
CREATE XML INDEX ix_property ON dbo.d (x) USING XML INDEX ix FOR PROPERTY;
GO
-- The catalog.
SELECT name, index_id, type, type_desc, is_unique, fill_factor, is_padded, is_disabled FROM sys.indexes
WHERE object_id = OBJECT_ID('dbo.d') ORDER BY index_id;
SELECT name, index_id, using_xml_index_id, secondary_type, secondary_type_desc, xml_index_type, xml_index_type_description
FROM sys.xml_indexes ORDER BY index_id;
SELECT i.internal_type, i.internal_type_desc, i.parent_minor_id, i.type, SCHEMA_NAME(i.schema_id) AS s
FROM sys.internal_tables AS i WHERE i.parent_id = OBJECT_ID('dbo.d');
SELECT index_id, column_id, key_ordinal FROM sys.index_columns WHERE object_id = OBJECT_ID('dbo.d') AND index_id > 1 ORDER BY index_id;
SELECT INDEXPROPERTY(OBJECT_ID('dbo.d'), 'ix_value', 'IndexFillFactor') AS f, INDEXPROPERTY(OBJECT_ID('dbo.d'), 'ix', 'IndexID') AS i;
SELECT COUNT(*) AS tables FROM sys.tables;
GO
-- What is found stays the same after each change.
CREATE PROCEDURE dbo.look AS
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c="v"]') = 1 ORDER BY id;
SELECT id FROM dbo.d WHERE x.exist('/a/b[text()="two"]') = 1 ORDER BY id;
SELECT id FROM dbo.d WHERE 1 = x.exist('//b[@c="w"]') AND n > 0 ORDER BY id;
GO
EXEC dbo.look;
INSERT INTO dbo.d VALUES (3, N'<a k="3"><b c="v">two</b></a>', 3), (4, NULL, 4), (5, N'<r/>', 5);
EXEC dbo.look;
UPDATE dbo.d SET x.modify('replace value of (/a/b/@c)[1] with "v"') WHERE id = 2;
UPDATE dbo.d SET n = 7 WHERE id = 1;
EXEC dbo.look;
UPDATE dbo.d SET id = id + 1;
EXEC dbo.look;
DELETE dbo.d WHERE id = 2;
EXEC dbo.look;
MERGE dbo.d AS t USING (VALUES (3, N'<a><b c="w"/></a>'), (9, N'<a><b c="v">two</b></a>'), (4, NULL)) AS s (id, x) ON t.id = s.id
WHEN MATCHED AND s.x IS NULL THEN DELETE
WHEN MATCHED THEN UPDATE SET x = s.x
WHEN NOT MATCHED THEN INSERT (id, x, n) VALUES (s.id, s.x, 1);
EXEC dbo.look;
BEGIN TRANSACTION;
DELETE dbo.d;
EXEC dbo.look;
ROLLBACK;
EXEC dbo.look;
GO
-- Entries are those of the rows, neither more nor less.
DBCC CHECKTABLE ('dbo.d') WITH NO_INFOMSGS;
SELECT p.rows FROM sys.partitions AS p JOIN sys.internal_tables AS i ON i.object_id = p.object_id WHERE p.index_id = 1;
GO
-- Variables and columns of the statement around.
DECLARE @v nvarchar(10) = N'v', @null varchar(10);
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c=sql:variable("@v")]') = 1 ORDER BY id;
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c=sql:variable("@null")]') = 1 ORDER BY id;
SELECT d.id, v.c FROM (VALUES ('v'), ('w')) AS v (c) JOIN dbo.d AS d ON d.n IS NOT NULL
WHERE d.x.exist('/a/b[@c=sql:column("v.c")]') = 1 ORDER BY d.id;
UPDATE dbo.d SET n = 100 WHERE x.exist('/a/b[@c="v"]') = 1;
SELECT @@ROWCOUNT AS updated;
DELETE d FROM dbo.d AS d WHERE d.x.exist('/a/b[@c="v"]') = 1 AND d.id = 9;
SELECT id, n FROM dbo.d ORDER BY id;
GO
-- Disabled indexes have no entries; rebuilt ones have them all.
ALTER INDEX ix_path ON dbo.d DISABLE;
EXEC dbo.look;
ALTER INDEX ix ON dbo.d DISABLE;
SELECT name, is_disabled FROM sys.xml_indexes ORDER BY index_id;
INSERT INTO dbo.d VALUES (20, N'<a><b c="v">two</b></a>', 1);
EXEC dbo.look;
ALTER INDEX ix_path ON dbo.d REBUILD;
ALTER INDEX ix ON dbo.d REBUILD WITH (FILLFACTOR = 50);
ALTER INDEX ALL ON dbo.d REBUILD;
SELECT name, is_disabled, fill_factor FROM sys.xml_indexes ORDER BY index_id;
EXEC dbo.look;
ALTER INDEX ix ON dbo.d SET (ALLOW_ROW_LOCKS = OFF);
SELECT allow_row_locks FROM sys.xml_indexes WHERE name = 'ix';
EXEC sp_rename 'dbo.d.ix_value', 'ix_v', 'INDEX';
CREATE XML INDEX ix_v ON dbo.d (x) USING XML INDEX ix FOR VALUE WITH (DROP_EXISTING = ON);
EXEC dbo.look;
GO
-- The table that it is on.
ALTER TABLE dbo.d DROP CONSTRAINT pk_d;
GO
ALTER TABLE dbo.d DROP COLUMN x;
GO
ALTER TABLE dbo.d ALTER COLUMN x nvarchar(max);
GO
ALTER TABLE dbo.d ALTER COLUMN id bigint NOT NULL;
GO
ALTER TABLE dbo.d ADD m int NOT NULL DEFAULT 1;
ALTER TABLE dbo.d DROP COLUMN n;
EXEC ('SELECT id FROM dbo.d WHERE x.exist(''/a/b[@c="v"]'') = 1 ORDER BY id');
TRUNCATE TABLE dbo.d;
SELECT p.rows FROM sys.partitions AS p JOIN sys.internal_tables AS i ON i.object_id = p.object_id WHERE p.index_id = 1;
INSERT INTO dbo.d (id, x) VALUES (1, N'<a><b c="v"/></a>');
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c="v"]') = 1;
DECLARE @nodes nvarchar(300) = (SELECT N'SELECT * FROM sys.' + name FROM sys.internal_tables);
EXEC (@nodes);
GO
DROP INDEX ix_path ON dbo.d;
SELECT name FROM sys.xml_indexes ORDER BY name;
DROP INDEX ix ON dbo.d;
SELECT COUNT(*) AS xml_indexes FROM sys.xml_indexes;
SELECT COUNT(*) AS internal FROM sys.internal_tables;
CREATE PRIMARY XML INDEX ix ON dbo.d (x);
DROP TABLE dbo.d;
SELECT COUNT(*) AS internal FROM sys.objects WHERE type = 'IT';
GO
-- What is refused.
CREATE TABLE dbo.h (id int NOT NULL, x xml, t nvarchar(10), CONSTRAINT pk_h PRIMARY KEY NONCLUSTERED (id));
CREATE PRIMARY XML INDEX i ON dbo.h (x);
GO
CREATE PRIMARY XML INDEX i ON dbo.h (t);
GO
CREATE PRIMARY XML INDEX i ON dbo.h (none);
GO
CREATE PRIMARY XML INDEX i ON dbo.none (x);
GO
CREATE VIEW dbo.v AS SELECT id, x FROM dbo.h;
GO
CREATE PRIMARY XML INDEX i ON dbo.v (x);
GO
CREATE TABLE dbo.w (id nvarchar(100) NOT NULL PRIMARY KEY, x xml);
CREATE PRIMARY XML INDEX i ON dbo.w (x);
GO
CREATE TABLE dbo.e (id int NOT NULL PRIMARY KEY, x xml, y xml);
CREATE INDEX other ON dbo.e (id);
CREATE PRIMARY XML INDEX i ON dbo.e (x);
GO
CREATE PRIMARY XML INDEX i2 ON dbo.e (x);
GO
CREATE PRIMARY XML INDEX i ON dbo.e (y);
GO
CREATE PRIMARY XML INDEX other ON dbo.e (y);
GO
CREATE INDEX i ON dbo.e (id);
GO
CREATE PRIMARY XML INDEX [#i] ON dbo.e (y);
GO
CREATE XML INDEX s ON dbo.e (x);
GO
CREATE XML INDEX s ON dbo.e (x) USING XML INDEX none FOR PATH;
GO
CREATE XML INDEX s ON dbo.e (y) USING XML INDEX i FOR PATH;
GO
CREATE XML INDEX i ON dbo.e (x) USING XML INDEX i FOR PATH WITH (DROP_EXISTING = ON);
GO
CREATE PRIMARY XML INDEX y ON dbo.e (y) WITH (ONLINE = ON);
GO
SET QUOTED_IDENTIFIER OFF;
GO
CREATE PRIMARY XML INDEX y ON dbo.e (y);
GO
INSERT INTO dbo.e VALUES (1, NULL, NULL);
GO
SET QUOTED_IDENTIFIER ON;
GO
CREATE TABLE #t (id int NOT NULL PRIMARY KEY, x xml);
CREATE PRIMARY XML INDEX i ON #t (x);
GO
DROP INDEX none ON dbo.e;
GO
USE master;
DROP DATABASE xi;
