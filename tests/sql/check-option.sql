-- WITH CHECK OPTION holds for whoever changes what the view shows, whatever the statement calls it.
CREATE TABLE base (id int NOT NULL PRIMARY KEY, v int NULL, other int NULL);
CREATE TABLE side (id int NOT NULL PRIMARY KEY, x int NULL);
INSERT base VALUES (1, 1, 0), (2, 2, 0), (3, 30, 0);
INSERT side VALUES (1, 100), (2, 200);
GO
CREATE VIEW w1 AS SELECT id, v FROM base WHERE v < 10 WITH CHECK OPTION;
GO
CREATE VIEW w2 AS SELECT id, v FROM w1 WHERE id < 100;
GO
CREATE VIEW w3 AS SELECT id AS k, v AS x FROM w2 WHERE v > 0 WITH CHECK OPTION;
GO
CREATE VIEW joined AS
SELECT b.id, b.v, s.x FROM base b LEFT JOIN side s ON s.id = b.id WHERE b.v < 10 WITH CHECK OPTION;
GO
INSERT w1 VALUES (50, 50);
GO
INSERT w2 VALUES (50, 50);
GO
-- The condition of a view above is no rule, that of a view below is.
INSERT w2 VALUES (150, 5);
SELECT * FROM base WHERE id = 150;
DELETE base WHERE id = 150;
GO
INSERT w3 VALUES (150, 5);
GO
INSERT w3 VALUES (50, 0);
GO
INSERT w3 VALUES (50, 10);
GO
INSERT w3 VALUES (50, 9);
UPDATE w3 SET x = 8 WHERE k = 50;
DELETE w3 WHERE k = 50;
GO
UPDATE w2 SET v = 77 WHERE id = 1;
GO
UPDATE x SET v = 79 FROM w1 x WHERE x.id = 1;
GO
UPDATE x SET v = 79 FROM w2 x JOIN side s ON s.id = x.id WHERE x.id = 1;
GO
WITH c AS (SELECT * FROM w1) UPDATE c SET v = 78 WHERE id = 1;
GO
WITH c AS (SELECT id, v + 1 AS more, v FROM w2) INSERT c (id, v) VALUES (60, 60);
GO
UPDATE d SET v = 78 FROM (SELECT * FROM w1) d WHERE d.id = 1;
GO
UPDATE joined SET v = 10 WHERE id = 2;
GO
-- A condition of the common table expression itself is none.
WITH c AS (SELECT * FROM w1 WHERE v < 5) UPDATE c SET v = 6 WHERE id = 1;
WITH c AS (SELECT * FROM base WHERE v < 10) UPDATE c SET v = 60 WHERE id = 2;
UPDATE base SET v = 2 WHERE id = 2;
SELECT * FROM base ORDER BY id;
GO
MERGE w1 USING (VALUES (1, 40)) s(id, v) ON w1.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;
GO
MERGE w2 t USING (VALUES (70, 40)) s(id, v) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
GO
MERGE w2 t USING (VALUES (1, 4), (70, 7)) s(id, v) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
SELECT * FROM base ORDER BY id;
GO
-- What must be permitted: what the statement names, and neither a common table expression nor an alias.
CREATE USER u WITHOUT LOGIN;
GRANT SELECT ON base TO u;
GRANT SELECT ON w1 TO u;
GRANT SELECT ON side TO u;
GRANT SELECT, UPDATE ON w2 TO u;
GO
EXECUTE AS USER = 'u';
GO
WITH c AS (SELECT * FROM base) UPDATE c SET v = 1 WHERE id = 1;
GO
WITH c AS (SELECT * FROM base) DELETE c WHERE id = 1;
GO
UPDATE x SET v = 1 FROM base x WHERE id = 1;
GO
UPDATE x SET v = 1 FROM w1 x WHERE id = 1;
GO
WITH c AS (SELECT * FROM w1) DELETE c WHERE id = 1;
GO
DELETE d FROM (SELECT * FROM w1) d JOIN side ON side.id = d.id;
GO
WITH c AS (SELECT * FROM w1) INSERT c VALUES (80, 8);
GO
MERGE w1 t USING (VALUES (1, 4)) s(id, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;
GO
MERGE w2 t USING (VALUES (1, 4)) s(id, v) ON t.id = s.id WHEN MATCHED THEN DELETE;
GO
MERGE w2 t USING (VALUES (1, 3)) s(id, v) ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v;
WITH c AS (SELECT * FROM w2) UPDATE c SET v = v + 1 WHERE id = 1;
UPDATE x SET v = v + 1 FROM w2 x WHERE id = 1;
SELECT v FROM w2 WHERE id = 1;
GO
REVERT;
GO
