-- Indexed views: their rows follow those of their tables.
CREATE DATABASE iv;
GO
USE iv;
CREATE TABLE dbo.product (id int NOT NULL CONSTRAINT pk_product PRIMARY KEY, name nvarchar(30) NOT NULL, kind varchar(10) NULL);
CREATE TABLE dbo.sale (
    id int NOT NULL CONSTRAINT pk_sale PRIMARY KEY, product int NOT NULL CONSTRAINT fk_sale REFERENCES dbo.product (id) ON DELETE CASCADE ON UPDATE CASCADE,
    quantity int NOT NULL, price money NOT NULL, note varchar(20) NULL);
INSERT INTO dbo.product VALUES (1, N'apple', 'fruit'), (2, N'pear', 'fruit'), (3, N'leek', NULL), (4, N'hammer', 'tool');
INSERT INTO dbo.sale VALUES (1, 1, 2, 1.50, NULL), (2, 1, 3, 1.40, 'x'), (3, 2, 1, 2, NULL), (4, 3, 7, 0.5, NULL);
GO
CREATE VIEW dbo.by_kind WITH SCHEMABINDING AS
SELECT p.kind, SUM(s.quantity) AS pieces, SUM(s.quantity * s.price) AS total, COUNT_BIG(*) AS n
FROM dbo.sale AS s JOIN dbo.product AS p ON p.id = s.product GROUP BY p.kind;
GO
CREATE VIEW dbo.dear WITH SCHEMABINDING AS
SELECT s.id, p.name, s.price, s.quantity FROM dbo.sale AS s, dbo.product AS p WHERE s.product = p.id AND s.price >= 1;
GO
CREATE UNIQUE CLUSTERED INDEX ix_by_kind ON dbo.by_kind (kind);
CREATE UNIQUE CLUSTERED INDEX ix_dear ON dbo.dear (id);
CREATE INDEX ix_name ON dbo.dear (name) INCLUDE (price);
GO
-- What is kept, beside what the query yields: the same after each change.
CREATE PROCEDURE dbo.look AS
SELECT kind, pieces, total, n FROM dbo.by_kind WITH (NOEXPAND) ORDER BY kind;
SELECT * FROM dbo.dear WITH (NOEXPAND) ORDER BY id;
SELECT 'wrong' AS wrong, * FROM (SELECT * FROM dbo.by_kind WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.by_kind) AS d OPTION (EXPAND VIEWS);
SELECT 'missing' AS missing, * FROM (SELECT * FROM dbo.by_kind EXCEPT SELECT * FROM dbo.by_kind WITH (NOEXPAND)) AS d OPTION (EXPAND VIEWS);
SELECT 'wrong' AS wrong, * FROM (SELECT * FROM dbo.dear WITH (NOEXPAND) EXCEPT SELECT * FROM dbo.dear) AS d OPTION (EXPAND VIEWS);
SELECT 'missing' AS missing, * FROM (SELECT * FROM dbo.dear EXCEPT SELECT * FROM dbo.dear WITH (NOEXPAND)) AS d OPTION (EXPAND VIEWS);
GO
EXEC dbo.look;
INSERT INTO dbo.sale VALUES (5, 4, 1, 20, 'new group'), (6, 4, 2, 21, NULL), (7, 3, 1, 0.2, NULL);
EXEC dbo.look;
UPDATE dbo.sale SET quantity += 10 WHERE product = 1;
UPDATE dbo.sale SET note = 'not in a view';
UPDATE dbo.sale SET price = 0.9 WHERE id = 3;
EXEC dbo.look;
-- The other side of the join, and rows that move between groups.
UPDATE dbo.product SET kind = 'food' WHERE kind = 'fruit' OR kind IS NULL;
UPDATE dbo.product SET name = UPPER(name) WHERE id < 3;
EXEC dbo.look;
UPDATE dbo.sale SET product = 4 WHERE id = 1;
EXEC dbo.look;
-- Cascades.
UPDATE dbo.product SET id = id + 1;
EXEC dbo.look;
DELETE dbo.product WHERE id = 5;
EXEC dbo.look;
-- Keys that wander, and MERGE.
UPDATE dbo.sale SET id = id + 1;
EXEC dbo.look;
MERGE dbo.sale AS t USING (VALUES (3, 2, 1, 5.0), (5, 2, 0, 0), (100, 3, 4, 4.0)) AS s (id, product, quantity, price) ON t.id = s.id
WHEN MATCHED AND s.quantity = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET price = s.price, product = s.product
WHEN NOT MATCHED THEN INSERT (id, product, quantity, price) VALUES (s.id, s.product, s.quantity, s.price);
EXEC dbo.look;
-- A statement that fails leaves nothing, and so does a transaction that is rolled back.
INSERT INTO dbo.sale VALUES (200, 2, 1, 1, NULL), (201, 99, 1, 1, NULL);
GO
BEGIN TRANSACTION;
DELETE dbo.sale;
EXEC dbo.look;
ROLLBACK;
EXEC dbo.look;
GO
TRUNCATE TABLE dbo.sale;
GO
DROP TABLE dbo.sale;
GO
-- The catalog.
SELECT name, index_id, type_desc, is_unique, is_disabled FROM sys.indexes WHERE object_id IN (OBJECT_ID('dbo.by_kind'), OBJECT_ID('dbo.dear')) ORDER BY object_id, index_id;
SELECT i.name, c.name AS column_name, ic.key_ordinal, ic.is_included_column FROM sys.indexes AS i
JOIN sys.index_columns AS ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id
JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
WHERE i.object_id IN (OBJECT_ID('dbo.by_kind'), OBJECT_ID('dbo.dear')) ORDER BY i.name, ic.index_column_id;
SELECT s.name, s.stats_id FROM sys.stats AS s WHERE s.object_id = OBJECT_ID('dbo.dear') ORDER BY s.stats_id;
SELECT name, type FROM sys.objects WHERE type IN ('V', 'IT') ORDER BY name;
SELECT OBJECT_NAME(object_id) AS o, index_id, rows FROM sys.partitions WHERE object_id IN (OBJECT_ID('dbo.by_kind'), OBJECT_ID('dbo.dear')) ORDER BY o, index_id;
SELECT OBJECTPROPERTY(OBJECT_ID('dbo.dear'), 'IsIndexed') AS indexed, OBJECTPROPERTY(OBJECT_ID('dbo.dear'), 'IsIndexable') AS indexable;
EXEC sp_helpindex 'dbo.dear';
SELECT COUNT(*) AS columns FROM sys.columns WHERE object_id = OBJECT_ID('dbo.dear');
GO
-- Altering indexes.
ALTER INDEX ix_name ON dbo.dear DISABLE;
ALTER INDEX ix_name ON dbo.dear REBUILD;
ALTER INDEX ix_dear ON dbo.dear DISABLE;
GO
SELECT * FROM dbo.dear WITH (NOEXPAND);
GO
CREATE INDEX ix_price ON dbo.dear (price);
GO
ALTER INDEX ix_name ON dbo.dear REBUILD;
GO
INSERT INTO dbo.sale VALUES (300, 2, 1, 30, NULL);
ALTER INDEX ALL ON dbo.dear REBUILD;
EXEC dbo.look;
GO
CREATE UNIQUE INDEX ix_both ON dbo.dear (name, price);
DROP INDEX ix_both ON dbo.dear;
CREATE UNIQUE CLUSTERED INDEX ix_dear ON dbo.dear (id DESC) WITH (DROP_EXISTING = ON);
EXEC dbo.look;
DROP INDEX ix_dear ON dbo.dear;
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.dear');
GO
SELECT * FROM dbo.dear WITH (NOEXPAND);
GO
SELECT * FROM dbo.product WITH (NOEXPAND);
GO
ALTER VIEW dbo.by_kind WITH SCHEMABINDING AS SELECT p.kind, COUNT_BIG(*) AS n FROM dbo.product AS p GROUP BY p.kind;
GO
SELECT COUNT(*) AS indexes FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.by_kind');
CREATE UNIQUE CLUSTERED INDEX ix_by_kind ON dbo.by_kind (kind);
GO
DELETE dbo.product WHERE id = 3;
SELECT * FROM dbo.by_kind WITH (NOEXPAND) ORDER BY kind;
EXEC sp_rename 'dbo.by_kind', 'per_kind';
GO
INSERT INTO dbo.product VALUES (50, N'saw', 'tool');
SELECT * FROM dbo.per_kind WITH (NOEXPAND, INDEX (ix_by_kind)) ORDER BY kind;
DROP VIEW dbo.per_kind;
SELECT name, type FROM sys.objects WHERE type IN ('V', 'IT') ORDER BY name;
GO
-- Equal keys.
CREATE VIEW dbo.names WITH SCHEMABINDING AS SELECT name, kind FROM dbo.product;
GO
INSERT INTO dbo.product VALUES (51, N'saw', 'tool');
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.names (name);
GO
DELETE dbo.product WHERE id = 51;
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.names (name);
GO
INSERT INTO dbo.product VALUES (51, N'saw', 'tool');
GO
-- A key that is a part of what the view groups by must tell the groups apart.
CREATE VIEW dbo.part_of_group WITH SCHEMABINDING AS SELECT name, kind, COUNT_BIG(*) AS n FROM dbo.product GROUP BY name, kind;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.part_of_group (name);
GO
UPDATE dbo.product SET kind = 'device' WHERE name = N'saw';
SELECT * FROM dbo.part_of_group WITH (NOEXPAND) WHERE name = N'saw';
GO
DROP VIEW dbo.names;
GO
INSERT INTO dbo.product VALUES (51, N'saw', 'device');
SELECT * FROM dbo.part_of_group WITH (NOEXPAND) WHERE name = N'saw';
GO
INSERT INTO dbo.product VALUES (52, N'saw', 'tool');
GO
-- Sums that are too large.
CREATE VIEW dbo.sums WITH SCHEMABINDING AS SELECT product, SUM(quantity) AS q, COUNT_BIG(*) AS n FROM dbo.sale GROUP BY product;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.sums (product);
GO
INSERT INTO dbo.sale VALUES (400, 50, 2147483647, 1, NULL);
UPDATE dbo.sale SET quantity = 2147483646 WHERE id = 400;
GO
INSERT INTO dbo.sale VALUES (401, 50, 2, 1, NULL);
GO
SELECT * FROM dbo.sums WITH (NOEXPAND) WHERE product = 50;
DBCC CHECKTABLE ('dbo.sums') WITH NO_INFOMSGS;
DBCC CHECKTABLE ('dbo.sale') WITH NO_INFOMSGS;
DBCC CHECKDB WITH NO_INFOMSGS;
GO
-- Options of the session.
SET ARITHABORT OFF;
SET ANSI_WARNINGS OFF;
GO
INSERT INTO dbo.product VALUES (51, N'drill', 'tool');
GO
SELECT name FROM dbo.part_of_group WITH (NOEXPAND);
GO
SET ARITHABORT ON;
SET ANSI_WARNINGS ON;
GO
USE master;
DROP DATABASE iv;
