-- Keys that one row takes and another leaves in the same statement.
CREATE TABLE t (id int NOT NULL PRIMARY KEY, u int NOT NULL UNIQUE, v varchar(10));
INSERT t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c'), (4, 40, 'd');
GO
-- A limit of rows holds for them as for others: those beyond it stay.
SET ROWCOUNT 2;
UPDATE t SET id = id + 100;
SELECT @@ROWCOUNT AS changed;
SET ROWCOUNT 0;
SELECT id, u, v FROM t ORDER BY u;
UPDATE TOP (1) t SET id = id - 100 WHERE id > 100;
SELECT COUNT(*) AS n FROM t;
UPDATE t SET id = id % 100;
SELECT id, u, v FROM t ORDER BY u;
GO
-- Two rows exchange their keys.
MERGE t USING (VALUES (1, 20), (2, 10)) s(id, u) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET u = s.u
OUTPUT $action AS action, deleted.u AS old, inserted.u AS new, s.u AS source;
SELECT id, u, v FROM t ORDER BY id;
GO
-- What is inserted has the keys of what is deleted.
MERGE t USING (VALUES (5, 10, 'e'), (6, 20, 'f'), (3, 33, 'g')) s(id, u, v) ON t.id = s.id
WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.u, s.v)
WHEN MATCHED THEN UPDATE SET u = s.u, v = s.v
WHEN NOT MATCHED BY SOURCE AND t.id < 3 THEN DELETE
OUTPUT $action AS action, deleted.id AS old, inserted.id AS new, inserted.u, s.v;
SELECT @@ROWCOUNT AS changed;
SELECT id, u, v FROM t ORDER BY id;
GO
-- A key that is not left stays taken, and nothing has happened.
MERGE t USING (VALUES (7, 33), (8, 10)) s(id, u) ON t.id = s.id
WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.u, 'x')
WHEN NOT MATCHED BY SOURCE AND t.id <> 3 THEN DELETE;
GO
SELECT id, u, v FROM t ORDER BY id;
GO
-- With a limit.
SET ROWCOUNT 2;
MERGE t USING (VALUES (3, 10), (5, 20), (6, 33)) s(id, u) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET u = s.u + 500;
SELECT @@ROWCOUNT AS changed;
SET ROWCOUNT 0;
SELECT COUNT(*) AS n, SUM(CASE WHEN u > 500 THEN 1 ELSE 0 END) AS changed FROM t;
GO
-- A row that is met twice.
MERGE t USING (VALUES (3, 1), (3, 2)) s(id, u) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET u = s.u;
GO
-- Rows that refer to keys follow them; triggers and OUTPUT INTO see all of it.
CREATE TABLE child (id int NOT NULL PRIMARY KEY, parent int NOT NULL REFERENCES t (id) ON UPDATE CASCADE ON DELETE CASCADE);
INSERT child VALUES (1, 3), (2, 4), (3, 5);
CREATE TABLE log (action varchar(10), old int, new int);
GO
CREATE TRIGGER after_change ON t AFTER INSERT, UPDATE, DELETE AS
INSERT log SELECT 'trigger', (SELECT COUNT(*) FROM deleted), (SELECT COUNT(*) FROM inserted);
GO
MERGE t USING (VALUES (3, 5), (5, 3), (9, 9)) s(id, new) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET id = s.new
WHEN NOT MATCHED THEN INSERT VALUES (s.new, 900, 'n')
OUTPUT $action, deleted.id, inserted.id INTO log;
SELECT action, old, new FROM log ORDER BY action, old, new;
SELECT id, parent FROM child ORDER BY id;
SELECT id, v FROM t ORDER BY id;
GO
-- The same in a table variable.
DECLARE @t TABLE (id int NOT NULL PRIMARY KEY, v varchar(10));
INSERT @t VALUES (1, 'a'), (2, 'b'), (3, 'c');
MERGE @t AS t USING (VALUES (1, 2), (2, 1), (4, 3)) s(id, new) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET id = s.new
WHEN NOT MATCHED THEN INSERT VALUES (s.new, 'new')
WHEN NOT MATCHED BY SOURCE THEN DELETE
OUTPUT $action AS action, deleted.id AS old, deleted.v, inserted.id AS new;
SELECT id, v FROM @t ORDER BY id;
GO
-- MERGE does not ignore duplicates.
CREATE TABLE ignoring (id int NOT NULL PRIMARY KEY WITH (IGNORE_DUP_KEY = ON), v int);
INSERT ignoring VALUES (1, 1), (2, 2), (2, 3);
MERGE ignoring t USING (VALUES (4, 40), (4, 41)) s(id, v) ON t.id = s.id
WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
GO
MERGE ignoring t USING (VALUES (1, 2), (2, 1), (3, 3)) s(id, new) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET id = s.new
WHEN NOT MATCHED THEN INSERT VALUES (s.new, 0);
SELECT id, v FROM ignoring ORDER BY id;
GO
