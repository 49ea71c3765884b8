-- What UPDATE() and COLUMNS_UPDATED() say, by whatever way a column is set.
CREATE TABLE log (n int IDENTITY, what varchar(60));
CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int NULL, big varchar(max) NULL, twice AS v * 2 PERSISTED, ver rowversion);
INSERT t (id, v, big) VALUES (1, 10, 'abc'), (2, 20, 'def');
GO
CREATE TRIGGER told ON t AFTER UPDATE AS
DECLARE @what varchar(60) = CONCAT('t ', CONVERT(varchar(10), COLUMNS_UPDATED(), 1));
IF UPDATE(id) SET @what += ' id';
IF UPDATE(v) SET @what += ' v';
IF UPDATE(big) SET @what += ' big';
INSERT log VALUES (@what);
GO
CREATE VIEW w AS SELECT id AS k, v AS x FROM t;
GO
UPDATE t SET v = 11 WHERE id = 1;
UPDATE t SET big.WRITE('x', 0, 1) WHERE id = 1;
UPDATE w SET x = 12 WHERE k = 1;
WITH c AS (SELECT id AS a, big AS b FROM t) UPDATE c SET b = 'y' WHERE a = 2;
DECLARE @v int;
UPDATE t SET @v = v = 13 WHERE id = 1;
UPDATE t SET id = 3 WHERE id = 2;
UPDATE t SET v = 1 WHERE id = 99;
SELECT what FROM log ORDER BY n;
TRUNCATE TABLE log;
GO
-- MERGE: what its clauses set.
MERGE t USING (VALUES (1, 5)) s(id, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;
MERGE t USING (VALUES (1, 5), (3, 6)) s(id, v) ON t.id = s.id
WHEN MATCHED AND s.v = 5 THEN UPDATE SET v = s.v
WHEN MATCHED THEN UPDATE SET big = 'z';
SELECT what FROM log ORDER BY n;
TRUNCATE TABLE log;
GO
-- Cascades: the columns of the table that follows, and the other way round.
CREATE TABLE parent (id int NOT NULL PRIMARY KEY, note int NULL);
CREATE TABLE child (pid int NULL REFERENCES parent ON UPDATE CASCADE ON DELETE SET NULL, id int NOT NULL PRIMARY KEY);
INSERT parent VALUES (1, 0), (2, 0);
INSERT child VALUES (1, 1), (2, 2);
GO
CREATE TRIGGER child_told ON child AFTER UPDATE AS
DECLARE @what varchar(60) = CONCAT('child ', CONVERT(varchar(10), COLUMNS_UPDATED(), 1));
IF UPDATE(pid) SET @what += ' pid';
IF UPDATE(id) SET @what += ' id';
INSERT log VALUES (@what);
GO
CREATE TRIGGER parent_told ON parent AFTER UPDATE, DELETE AS
INSERT log VALUES (CONCAT('parent ', CONVERT(varchar(10), COLUMNS_UPDATED(), 1)));
GO
UPDATE parent SET id = id + 10;
DELETE parent WHERE id = 12;
UPDATE child SET id = id + 1;
SELECT what FROM log ORDER BY n;
TRUNCATE TABLE log;
GO
-- Triggers that run instead.
CREATE TABLE i (id int NOT NULL PRIMARY KEY, v int NULL);
INSERT i VALUES (1, 1), (2, 2);
GO
CREATE TRIGGER i_instead ON i INSTEAD OF UPDATE AS
IF UPDATE(v) UPDATE i SET v = n.v FROM i JOIN inserted n ON n.id = i.id;
GO
WITH c AS (SELECT id AS k, v AS w FROM i) UPDATE c SET w = 30 WHERE k = 1;
SELECT id, v FROM i ORDER BY id;
GO
CREATE VIEW vi AS SELECT v AS second, id AS first FROM i;
GO
CREATE TRIGGER vi_instead ON vi INSTEAD OF UPDATE AS
INSERT log VALUES (CONCAT('vi ', CONVERT(varchar(10), COLUMNS_UPDATED(), 1)));
GO
UPDATE vi SET first = 5;
UPDATE x SET second = 6 FROM vi AS x;
SELECT what FROM log ORDER BY n;
TRUNCATE TABLE log;
GO
-- Statements of a native module are told apart.
CREATE TABLE m (id int NOT NULL PRIMARY KEY NONCLUSTERED, a int, b int) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE mlog (n int IDENTITY PRIMARY KEY NONCLUSTERED, bits varbinary(8), rows int) WITH (MEMORY_OPTIMIZED = ON);
INSERT m VALUES (1, 1, 1), (2, 2, 2);
GO
CREATE TRIGGER m_told ON m WITH NATIVE_COMPILATION, SCHEMABINDING AFTER UPDATE AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'english')
    DECLARE @rows int;
    SELECT @rows = COUNT(*) FROM inserted;
    INSERT dbo.mlog (bits, rows) VALUES (COLUMNS_UPDATED(), @rows);
END;
GO
CREATE PROCEDURE changes WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'english')
    UPDATE dbo.m SET a = 5;
    UPDATE dbo.m SET b = 6 WHERE id = 2;
    UPDATE dbo.m SET a = 7, b = 7 WHERE id = 3;
END;
GO
EXEC changes;
SELECT bits, rows FROM mlog ORDER BY n;
GO
