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
