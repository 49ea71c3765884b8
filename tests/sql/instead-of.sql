-- UPDATE and DELETE of what has INSTEAD OF triggers: each row of the target comes once, however many rows it is joined to.
CREATE TABLE log (n int IDENTITY, what varchar(80));
CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int NULL);
CREATE TABLE heap (k int NULL, v int NULL);
CREATE TABLE two (a int NOT NULL, b varchar(10) NOT NULL, v int NULL, CONSTRAINT two_key UNIQUE (a, b));
CREATE TABLE s (k int NOT NULL, v int NOT NULL);
INSERT t VALUES (1, 10), (2, 20), (3, 30), (4, NULL);
INSERT heap VALUES (1, 10), (1, 10), (2, 20), (NULL, NULL);
INSERT two VALUES (1, 'x', 10), (1, 'y', 20), (2, 'x', 30);
INSERT s VALUES (1, 100), (1, 100), (1, 100), (2, 200), (2, 200), (9, 900);
GO
CREATE TRIGGER t_instead ON t INSTEAD OF UPDATE, DELETE AS
INSERT log SELECT CONCAT('t ', d.id, ':', d.v, ' to ', i.id, ':', i.v) FROM deleted d LEFT JOIN inserted i ON i.id = d.id ORDER BY d.id;
GO
CREATE TRIGGER heap_instead ON heap INSTEAD OF UPDATE, DELETE AS
INSERT log SELECT CONCAT('heap inserted ', k, ':', v) FROM inserted ORDER BY k;
INSERT log SELECT CONCAT('heap deleted ', k, ':', v) FROM deleted ORDER BY k;
GO
CREATE TRIGGER two_instead ON two INSTEAD OF UPDATE, DELETE AS
INSERT log SELECT CONCAT('two ', d.a, d.b, ' ', d.v, ' to ', i.v) FROM deleted d LEFT JOIN inserted i ON i.a = d.a AND i.b = d.b ORDER BY d.a, d.b;
GO
CREATE PROCEDURE told AS
SELECT what FROM log ORDER BY n;
TRUNCATE TABLE log;
GO
UPDATE t SET v = s.v FROM t JOIN s ON s.k = t.id;
SELECT @@ROWCOUNT AS rows;
EXEC told;
DELETE t FROM t JOIN s ON s.k = t.id;
SELECT @@ROWCOUNT AS rows;
EXEC told;
UPDATE x SET v = s.v FROM s, t AS x WHERE s.k = x.id AND x.v > 10;
EXEC told;
UPDATE t SET v = s.v FROM s WHERE s.k = t.id;
EXEC told;
GO
-- Without a key, and with one of several columns.
UPDATE heap SET v = s.v FROM heap JOIN s ON s.k = heap.k;
EXEC told;
DELETE h FROM heap h CROSS JOIN s;
SELECT @@ROWCOUNT AS rows;
EXEC told;
UPDATE two SET v = s.v FROM two JOIN s ON s.k = two.a;
DELETE two FROM two JOIN s ON s.k = two.a AND two.b = 'y';
EXEC told;
GO
-- Where an outer join has no row of the target there is nothing to change.
UPDATE t SET v = s.v FROM s LEFT JOIN t ON t.id = s.k;
SELECT @@ROWCOUNT AS rows;
EXEC told;
DELETE t FROM t RIGHT JOIN s ON t.id = s.k;
SELECT @@ROWCOUNT AS rows;
EXEC told;
UPDATE h SET v = 1 FROM s FULL JOIN heap h ON h.k = s.k;
SELECT @@ROWCOUNT AS rows;
EXEC told;
UPDATE t SET v = ISNULL(s.v, -1) FROM t LEFT JOIN s ON t.id = s.k;
EXEC told;
DELETE t FROM s LEFT JOIN t ON t.id = s.k + 100;
SELECT @@ROWCOUNT AS rows;
EXEC told;
GO
-- TOP and ROWCOUNT count rows of the target.
UPDATE TOP (2) t SET v = s.v FROM t JOIN s ON s.k = t.id;
SELECT @@ROWCOUNT AS rows;
DELETE TOP (1) h FROM s LEFT JOIN heap h ON s.k = h.k + 8 AND h.k < 2;
SELECT @@ROWCOUNT AS rows;
DELETE TOP (50) PERCENT t FROM t CROSS JOIN s;
SELECT @@ROWCOUNT AS rows;
SET ROWCOUNT 2;
UPDATE t SET v = s.v FROM t JOIN s ON s.k = t.id;
SET ROWCOUNT 0;
SELECT COUNT(*) AS told FROM log;
TRUNCATE TABLE log;
GO
-- OUTPUT, and variables.
DECLARE @out table (id int, old int, new int, other int);
UPDATE t SET v = s.v + 1 OUTPUT deleted.id, deleted.v, inserted.v, s.k INTO @out FROM s LEFT JOIN t ON s.k = t.id;
DELETE t OUTPUT deleted.id, deleted.v, NULL, s.v INTO @out FROM s LEFT JOIN t ON s.k = t.id;
SELECT id, old, new, other FROM @out ORDER BY id, new;
DECLARE @sum int = 0;
UPDATE t SET @sum += s.v, v = 0 FROM t JOIN s ON s.k = t.id;
SELECT @sum AS sum;
TRUNCATE TABLE log;
GO
-- What the trigger itself does to the table is done.
CREATE TABLE u (id int NOT NULL PRIMARY KEY, v int NULL);
INSERT u VALUES (1, 1), (2, 2);
GO
CREATE TRIGGER u_instead ON u INSTEAD OF UPDATE AS
UPDATE u SET v = u.v + i.v FROM u JOIN inserted i ON i.id = u.id;
GO
UPDATE u SET v = s.v FROM u JOIN s ON s.k = u.id;
SELECT id, v FROM u ORDER BY id;
GO
-- A common table expression or derived table hides, renames and computes columns; the triggers get all of the table's.
WITH c AS (SELECT v AS w FROM t WHERE id < 3) UPDATE c SET w = 1;
EXEC told;
WITH c AS (SELECT v AS id, id AS v, v + 1 AS more FROM t) UPDATE c SET id = more WHERE v = 2;
EXEC told;
WITH c AS (SELECT v AS w FROM t) DELETE c WHERE w > 10;
EXEC told;
UPDATE d SET w = 5 FROM (SELECT v AS w, id AS key1 FROM t) AS d JOIN s ON s.k = d.key1;
EXEC told;
WITH c AS (SELECT TOP (2) v AS w FROM t ORDER BY id DESC) DELETE c;
EXEC told;
WITH c AS (SELECT v AS w, ROW_NUMBER() OVER (ORDER BY id) AS place FROM t) UPDATE c SET w = place WHERE place > 2;
EXEC told;
WITH c AS (SELECT v AS w FROM heap) UPDATE c SET w = 6;
EXEC told;
WITH c AS (SELECT t.v AS w, s.v AS x FROM t JOIN s ON s.k = t.id) UPDATE c SET w = x;
SELECT @@ROWCOUNT AS rows;
EXEC told;
WITH c AS (SELECT t.v AS w FROM s LEFT JOIN t ON s.k = t.id) UPDATE c SET w = 7;
SELECT @@ROWCOUNT AS rows;
EXEC told;
WITH c AS (SELECT TOP (4) heap.v AS w FROM s LEFT JOIN heap ON s.k = heap.k ORDER BY s.k DESC) UPDATE c SET w = 8;
SELECT @@ROWCOUNT AS rows;
EXEC told;
GO
CREATE VIEW tv AS SELECT v AS w, id * 10 AS ten FROM t;
GO
UPDATE tv SET w = 9 WHERE ten = 10;
UPDATE x SET w = s.v FROM tv AS x JOIN s ON x.ten = s.k * 10;
DELETE tv WHERE ten = 20;
EXEC told;
GO
-- Views: what is changed through a common table expression, a derived table or another view goes to their triggers.
CREATE TABLE base1 (id int NOT NULL PRIMARY KEY, a int NULL, b int NULL);
INSERT base1 VALUES (1, 10, 100), (2, 20, 200), (3, 30, 300);
GO
CREATE VIEW vi AS SELECT id, a + b AS total, a FROM base1;
GO
CREATE TRIGGER vi_instead ON vi INSTEAD OF INSERT, UPDATE AS
INSERT log SELECT CONCAT('vi ', d.id, ':', d.total, ':', d.a, ' to ', i.id, ':', i.total, ':', i.a, ' ', CONVERT(varchar(10), COLUMNS_UPDATED(), 1))
FROM inserted i LEFT JOIN deleted d ON i.id = d.id ORDER BY i.id;
GO
CREATE VIEW vd AS SELECT k.id, k.total, s.v FROM vi AS k LEFT JOIN (SELECT DISTINCT k, v FROM s) AS s ON s.k = k.id;
GO
CREATE TRIGGER vd_instead ON vd INSTEAD OF DELETE AS
INSERT log SELECT CONCAT('vd ', id, ':', total, ':', v) FROM deleted ORDER BY id;
GO
CREATE VIEW outer1 AS SELECT total AS sum, id AS n FROM vi WHERE id > 1;
GO
WITH c AS (SELECT total AS t, id AS key1 FROM vi) UPDATE c SET t = t + 1 WHERE key1 < 3;
SELECT @@ROWCOUNT AS rows;
EXEC told;
UPDATE c SET t = 5 FROM (SELECT TOP (2) total AS t FROM vi ORDER BY id DESC) AS c;
EXEC told;
WITH c AS (SELECT a, ROW_NUMBER() OVER (ORDER BY id DESC) AS place FROM vi) UPDATE c SET a = place;
EXEC told;
UPDATE outer1 SET sum = 6;
WITH c AS (SELECT sum AS x, n FROM outer1) UPDATE c SET x = n;
EXEC told;
INSERT outer1 (n, sum) VALUES (4, 40);
WITH c AS (SELECT id, a, 5 AS five FROM vi) INSERT c (id, a) VALUES (5, 50);
EXEC told;
UPDATE v1 SET total = 7 FROM vi AS v1 WHERE v1.id = 1;
UPDATE vi SET total = 8 FROM vi AS v1 WHERE v1.id = 2;
UPDATE TOP (1) vi SET total = 9 WHERE id = 3;
EXEC told;
DECLARE @out table (t int, old int, new int, more int);
WITH c AS (SELECT total AS t, total + 1 AS more FROM vi WHERE id = 1) UPDATE c SET t = t * 2 OUTPUT inserted.t, deleted.t, inserted.more, deleted.more INTO @out;
SELECT t, old, new, more FROM @out;
EXEC told;
DELETE vd WHERE id = 1;
WITH c AS (SELECT v AS w FROM vd WHERE id = 2) DELETE c;
DELETE x FROM (SELECT total FROM vd WHERE id = 3) AS x;
EXEC told;
SELECT id, a, b FROM base1 ORDER BY id;
GO
-- Their events are told apart: this one is none of the triggers' business.
DELETE vi WHERE id = 3;
WITH c AS (SELECT total, id FROM vi) DELETE c WHERE id = 2;
SELECT id, a, b FROM base1 ORDER BY id;
INSERT base1 VALUES (2, 20, 200), (3, 30, 300);
EXEC told;
GO
-- Joined to something they cannot be changed.
UPDATE x SET total = 0 FROM vi AS x JOIN s ON s.k = x.id;
GO
UPDATE dbo.vi SET total = 0 FROM s WHERE s.k = vi.id;
GO
UPDATE vi SET total = 0 FROM vi, vi AS other WHERE vi.id = other.id;
GO
WITH c AS (SELECT vi.total, s.v FROM vi JOIN s ON s.k = vi.id) UPDATE c SET total = 0;
GO
DELETE x FROM dbo.vd AS x JOIN s ON s.k = x.id;
GO
WITH c AS (SELECT id, total FROM vd) DELETE c FROM c JOIN s ON s.k = c.id;
GO
-- What is none of their columns.
WITH c AS (SELECT id, total + 1 AS more FROM vi) UPDATE c SET more = 1;
GO
WITH c AS (SELECT id, total + 1 AS more FROM vi) UPDATE c SET id = 5, more = 1;
GO
WITH c AS (SELECT id, total FROM vi) UPDATE c SET none = 1;
GO
WITH c AS (SELECT id, COUNT(*) AS n FROM vi GROUP BY id) UPDATE c SET id = 1;
GO
WITH c AS (SELECT DISTINCT total FROM vi) UPDATE c SET total = 1;
GO
UPDATE x SET v = 1 FROM (SELECT vi.total, s.v FROM vi JOIN s ON s.k = vi.id) AS x WHERE x.total > 200;
SELECT k, v FROM s ORDER BY k, v;
EXEC told;
GO
-- MERGE: each action goes to its trigger.
CREATE TABLE m (id int NOT NULL PRIMARY KEY, v int NULL, w AS v + 1);
CREATE TABLE src (id int NOT NULL, v int NULL);
CREATE TABLE mheap (id int NULL, v int NULL);
INSERT m VALUES (1, 10), (2, 20), (3, 30);
INSERT mheap VALUES (1, 10), (1, 10), (2, 20), (NULL, NULL);
INSERT src VALUES (2, 200), (3, 300), (4, 400);
GO
CREATE TRIGGER m_inserted ON m INSTEAD OF INSERT AS
INSERT log SELECT CONCAT('m insert ', id, ':', v, ':', w) FROM inserted ORDER BY id;
GO
CREATE TRIGGER m_updated ON m INSTEAD OF UPDATE AS
INSERT log SELECT CONCAT('m update ', d.id, ':', d.v, ':', d.w, ' to ', i.v, ':', i.w, ' ', CONVERT(varchar(10), COLUMNS_UPDATED(), 1)) FROM deleted d JOIN inserted i ON i.id = d.id ORDER BY d.id;
GO
CREATE TRIGGER m_deleted ON m INSTEAD OF DELETE AS
INSERT log SELECT CONCAT('m delete ', id, ':', v, ':', w) FROM deleted ORDER BY id;
GO
CREATE TRIGGER mheap_taken ON mheap INSTEAD OF UPDATE, DELETE AS
INSERT log SELECT CONCAT('heap inserted ', id, ':', v) FROM inserted ORDER BY id;
INSERT log SELECT CONCAT('heap deleted ', id, ':', v) FROM deleted ORDER BY id;
GO
MERGE m USING src AS s ON s.id = m.id
WHEN MATCHED AND s.v < 300 THEN DELETE
WHEN MATCHED THEN UPDATE SET v = s.v + m.v
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = -m.v;
SELECT @@ROWCOUNT AS rows;
EXEC told;
MERGE TOP (2) m USING src AS s ON s.id = m.id
WHEN MATCHED AND s.v = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET v = s.v;
SELECT @@ROWCOUNT AS rows;
EXEC told;
MERGE m USING src AS s ON s.id = m.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
EXEC told;
MERGE m USING src AS s ON s.id = m.id WHEN NOT MATCHED BY SOURCE THEN DELETE;
EXEC told;
MERGE mheap USING src AS s ON s.id = mheap.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED BY SOURCE THEN DELETE;
EXEC told;
DECLARE @out table (act nvarchar(10), old int, new int, other int);
MERGE m USING src AS s ON s.id = m.id
WHEN MATCHED AND s.v = 200 THEN DELETE
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)
OUTPUT $action, deleted.v, inserted.v, s.v INTO @out;
SELECT act, old, new, other FROM @out ORDER BY act;
TRUNCATE TABLE log;
SELECT id, v FROM m ORDER BY id;
GO
-- No row is acted on twice; what no clause acts on may match as often as it likes.
INSERT src VALUES (2, 201);
GO
MERGE m USING src AS s ON s.id = m.id WHEN MATCHED THEN UPDATE SET v = s.v;
GO
MERGE m USING src AS s ON s.id = m.id WHEN MATCHED AND s.v > 200 THEN DELETE WHEN MATCHED AND s.v = 200 THEN UPDATE SET v = s.v;
GO
MERGE mheap USING src AS s ON s.id = mheap.id WHEN MATCHED THEN DELETE;
GO
MERGE m USING src AS s ON s.id = m.id WHEN MATCHED AND s.v <> 201 THEN UPDATE SET v = s.v;
EXEC told;
MERGE TOP (1) m USING (SELECT * FROM src WHERE id = 2) AS s ON s.id = m.id WHEN MATCHED THEN UPDATE SET v = 5;
EXEC told;
DELETE src WHERE v = 201;
GO
-- All actions have triggers, or none.
MERGE mheap USING src AS s ON s.id = mheap.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
GO
DISABLE TRIGGER m_updated ON m;
GO
MERGE INTO dbo.m AS x USING src AS s ON s.id = x.id
WHEN MATCHED AND s.v = 200 THEN DELETE
WHEN MATCHED THEN UPDATE SET v = s.v;
GO
MERGE INTO m AS x USING src AS s ON s.id = x.id WHEN MATCHED THEN UPDATE SET v = s.v;
MERGE mheap USING src AS s ON s.id = mheap.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
SELECT id, v FROM m ORDER BY id;
SELECT id, v FROM mheap ORDER BY id, v;
EXEC told;
GO
ENABLE TRIGGER m_updated ON m;
GO
-- Views take part in it, too, and what is over them.
CREATE VIEW mv AS SELECT m.id AS n, m.v + src.v AS total FROM m JOIN src ON src.id = m.id;
GO
CREATE TRIGGER mv_taken ON mv INSTEAD OF INSERT, UPDATE, DELETE AS
INSERT log SELECT CONCAT('mv inserted ', n, ':', total) FROM inserted ORDER BY n;
INSERT log SELECT CONCAT('mv deleted ', n, ':', total) FROM deleted ORDER BY n;
GO
MERGE mv USING (VALUES (2, 5), (7, 7)) AS s(n, x) ON s.n = mv.n
WHEN MATCHED THEN UPDATE SET total = s.x
WHEN NOT MATCHED THEN INSERT (n, total) VALUES (s.n, s.x)
WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT @@ROWCOUNT AS rows;
EXEC told;
WITH c AS (SELECT total AS sum, n AS key1 FROM mv) MERGE c USING (VALUES (2, 5)) AS s(n, x) ON s.n = c.key1
WHEN MATCHED THEN UPDATE SET sum = sum + s.x;
EXEC told;
WITH c AS (SELECT v AS x, id AS y FROM m) MERGE c USING (VALUES (2, 5), (8, 8)) AS s(n, x) ON s.n = c.y
WHEN MATCHED THEN UPDATE SET x = s.x
WHEN NOT MATCHED THEN INSERT (y, x) VALUES (s.n, s.x);
EXEC told;
GO
MERGE mv USING (VALUES (2, 5), (2, 7)) AS s(n, x) ON s.n = mv.n WHEN MATCHED THEN UPDATE SET total = s.x;
GO
WITH c AS (SELECT mv.total FROM mv JOIN src ON src.id = mv.n) MERGE c USING (VALUES (2)) AS s(n) ON s.n = c.total
WHEN MATCHED THEN UPDATE SET total = 1;
GO
-- A trigger's own MERGE into its table is done.
CREATE TRIGGER mheap_inserted ON mheap INSTEAD OF INSERT AS
MERGE mheap USING inserted i ON i.id = mheap.id
WHEN MATCHED THEN UPDATE SET v = i.v
WHEN NOT MATCHED THEN INSERT VALUES (i.id, i.v);
GO
INSERT mheap VALUES (4, 44), (5, 55);
SELECT id, v FROM mheap WHERE id > 3 ORDER BY id;
GO
-- Plans follow when triggers are disabled and enabled, those that run afterwards, too.
CREATE TABLE p (id int NOT NULL PRIMARY KEY, v int NULL);
INSERT p VALUES (1, 1), (2, 2);
GO
CREATE VIEW pv AS SELECT id, v FROM p;
GO
CREATE TRIGGER p_instead ON p INSTEAD OF UPDATE AS INSERT log SELECT CONCAT('p instead ', id, ':', v) FROM inserted;
GO
CREATE TRIGGER p_after ON p AFTER UPDATE AS INSERT log SELECT CONCAT('p after ', id, ':', v) FROM inserted;
GO
CREATE TRIGGER pv_instead ON pv INSTEAD OF UPDATE AS INSERT log SELECT CONCAT('pv instead ', id, ':', v) FROM inserted;
GO
CREATE PROCEDURE change AS
UPDATE p SET v = v + 1 WHERE id = 1;
WITH c AS (SELECT id, v AS w FROM pv) UPDATE c SET w = w + 10 WHERE id = 2;
SELECT id, v FROM p ORDER BY id;
EXEC told;
GO
EXEC change;
GO
DISABLE TRIGGER p_instead, p_after ON p;
DISABLE TRIGGER pv_instead ON pv;
GO
EXEC change;
GO
ENABLE TRIGGER p_after ON p;
GO
EXEC change;
GO
ENABLE TRIGGER p_instead ON p;
ENABLE TRIGGER pv_instead ON pv;
GO
EXEC change;
GO
-- A native procedure's plan does, too, but the procedure does not refer to the trigger.
CREATE TABLE hot (id int NOT NULL PRIMARY KEY NONCLUSTERED, a int) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE hotlog (n int IDENTITY PRIMARY KEY NONCLUSTERED, rows int) WITH (MEMORY_OPTIMIZED = ON);
INSERT hot VALUES (1, 1), (2, 2);
GO
CREATE TRIGGER hot_told ON hot WITH NATIVE_COMPILATION, SCHEMABINDING AFTER UPDATE AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'english')
    DECLARE @rows int;
    SELECT @rows = COUNT(*) FROM inserted;
    INSERT dbo.hotlog (rows) VALUES (@rows);
END;
GO
DISABLE TRIGGER hot_told ON hot;
GO
CREATE PROCEDURE change_hot WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'english')
    UPDATE dbo.hot SET a = 5;
END;
GO
EXEC change_hot;
SELECT n, rows FROM hotlog;
GO
ENABLE TRIGGER hot_told ON hot;
GO
EXEC change_hot;
SELECT n, rows FROM hotlog;
SELECT OBJECT_NAME(referencing_id) AS who, referenced_entity_name AS what FROM sys.sql_expression_dependencies WHERE OBJECT_NAME(referencing_id) LIKE '%hot%' ORDER BY who, what;
GO
DROP TRIGGER hot_told;
EXEC change_hot;
SELECT n, rows FROM hotlog;
GO
