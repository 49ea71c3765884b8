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
