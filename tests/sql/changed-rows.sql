-- Which rows a statement changes, how often, and what it shows of them.
-- TOP of a MERGE counts the rows that a clause acts on.
CREATE TABLE mt (id int NOT NULL PRIMARY KEY, v int NULL, w AS v * 2);
INSERT mt VALUES (1, 1), (2, 2), (3, 3), (4, 4);
GO
MERGE TOP (1) mt t USING (VALUES (1, 1), (2, 2), (3, 30), (4, 40)) s(id, v) ON t.id = s.id
WHEN MATCHED AND t.v <> s.v THEN UPDATE SET v = s.v;
SELECT COUNT(*) AS changed FROM mt WHERE id <> v;
GO
MERGE TOP (2) mt t USING (VALUES (1, 1), (2, 2), (5, 50), (6, 60), (7, 70)) s(id, v) ON t.id = s.id
WHEN NOT MATCHED AND s.v >= 60 THEN INSERT VALUES (s.id, s.v);
SELECT id, v FROM mt WHERE id > 4 ORDER BY id;
GO
MERGE TOP (1) mt t USING (VALUES (1), (2)) s(id) ON t.id = s.id
WHEN NOT MATCHED BY SOURCE AND t.w = 140 THEN DELETE;
SELECT id, v FROM mt WHERE id > 4 ORDER BY id;
GO
MERGE TOP (50) PERCENT mt t USING (VALUES (1, 1), (2, 2), (8, 80), (9, 90)) s(id, v) ON t.id = s.id
WHEN MATCHED AND EXISTS (SELECT 1 FROM mt x WHERE x.id = t.id + 100) THEN DELETE
WHEN NOT MATCHED AND s.v > 80 THEN INSERT VALUES (s.id, s.v)
WHEN NOT MATCHED BY SOURCE AND t.id = 6 THEN DELETE;
SELECT COUNT(*) AS n FROM mt WHERE id IN (6, 9);
GO
-- OUTPUT shows what a common table expression or view makes of the rows.
CREATE TABLE o (id int NOT NULL PRIMARY KEY, v int NULL, half AS v / 2);
CREATE TABLE names (id int NOT NULL PRIMARY KEY, name varchar(10));
INSERT o VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 50);
INSERT names VALUES (1, 'one'), (2, 'two'), (3, 'three');
GO
CREATE VIEW vo AS SELECT id, v, v + 1 AS more, half FROM o;
GO
WITH c AS (SELECT *, ROW_NUMBER() OVER (ORDER BY id DESC) AS rn FROM o)
DELETE c OUTPUT deleted.id, deleted.rn WHERE rn = 1;
WITH c AS (SELECT *, ROW_NUMBER() OVER (ORDER BY id DESC) AS rn FROM o)
DELETE c OUTPUT deleted.* WHERE rn = 1;
GO
WITH c AS (SELECT o.id, o.v, n.name, o.v * 10 AS ten FROM o JOIN names n ON n.id = o.id)
UPDATE c SET v = v + 1 OUTPUT deleted.name, inserted.name AS new_name, deleted.ten, inserted.ten AS new_ten, inserted.v
WHERE id < 3;
GO
UPDATE vo SET v = 100 OUTPUT inserted.more, deleted.more AS old, inserted.half, deleted.half AS old_half WHERE id = 1;
INSERT vo (id, v) OUTPUT inserted.* VALUES (9, 90);
DECLARE @t TABLE (a int, b int);
DELETE vo OUTPUT deleted.id, deleted.more INTO @t WHERE id = 9;
SELECT a, b FROM @t;
GO
-- Rows that take keys of each other are shown, too.
WITH c AS (SELECT id, v, id * 100 AS hundred FROM o WHERE id < 3)
UPDATE c SET id = 3 - id OUTPUT deleted.id, deleted.hundred, inserted.hundred AS new_hundred;
GO
-- A row is changed once, and variables hear of it once, however often a join finds it.
CREATE TABLE dv (id int NOT NULL PRIMARY KEY, v int NULL);
INSERT dv VALUES (1, 0), (2, 0);
GO
DECLARE @x int = 0, @last int, @text varchar(100) = '';
UPDATE dv SET @x = @x + 1, @last = v = @x * 10, @text = CONCAT(@text, @x, ' ')
OUTPUT inserted.id, inserted.v
FROM dv JOIN (VALUES (1), (1), (1), (2)) s(i) ON s.i = dv.id;
SELECT @x AS x, @last AS last, @text AS text;
UPDATE dv SET @x = v, id = id + 10 FROM dv JOIN (VALUES (1), (1), (2)) s(i) ON s.i = dv.id;
SELECT @x AS x;
SELECT id, v FROM dv ORDER BY id;
GO
