-- Nobody may refer to a row that goes, wherever in the referencing table the row that does is found.
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, parent int CONSTRAINT fk_child REFERENCES parent (id));
INSERT parent VALUES (1), (2), (3), (4);
INSERT child VALUES (1, 1), (2, 2), (3, 3);
GO
DELETE parent WHERE id = 3;
GO
DELETE parent WHERE id = 2;
GO
DELETE parent WHERE id = 1;
GO
UPDATE parent SET id = 5 WHERE id = 3;
GO
DELETE parent WHERE id = 4;
SELECT id FROM parent ORDER BY id;
GO
-- An index on a part of the key.
CREATE TABLE pair (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE half (id int PRIMARY KEY, a int, b int, INDEX by_a (a), CONSTRAINT fk_half FOREIGN KEY (a, b) REFERENCES pair (a, b));
INSERT pair VALUES (1, 1), (1, 2), (1, 3), (2, 1);
INSERT half VALUES (1, 1, 1), (2, 1, 2), (3, NULL, 1), (4, 1, NULL);
GO
DELETE pair WHERE a = 1 AND b = 2;
GO
DELETE pair WHERE b > 2 OR a = 2;
SELECT a, b FROM pair ORDER BY a, b;
GO
-- Rows that refer to others of their table, and to themselves.
CREATE TABLE tree (id int PRIMARY KEY, above int NULL CONSTRAINT fk_above REFERENCES tree (id));
INSERT tree VALUES (1, 1), (2, 1), (3, 2), (4, 2);
GO
DELETE tree WHERE id = 2;
GO
DELETE tree WHERE id IN (3, 2);
GO
DELETE tree WHERE id IN (2, 3, 4);
DELETE tree;
SELECT COUNT(*) AS n FROM tree;
GO
-- Many.
CREATE TABLE many (id int PRIMARY KEY);
CREATE TABLE one (id int PRIMARY KEY, many int CONSTRAINT fk_many REFERENCES many (id));
WITH d(n) AS (SELECT n FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) d(n))
INSERT many SELECT 1 + a.n + 10 * b.n + 100 * c.n FROM d a CROSS JOIN d b CROSS JOIN d c;
INSERT one SELECT id, id FROM many WHERE id <> 500;
SELECT COUNT(*) AS n FROM many;
GO
DELETE many WHERE id = 1000;
GO
DELETE many WHERE id BETWEEN 499 AND 501;
GO
DELETE many WHERE id = 500;
DELETE one WHERE id > 500;
DELETE many WHERE id > 500;
SELECT COUNT(*) AS n FROM many;
GO
-- Rows that take their default parent, which goes with the others.
CREATE TABLE home (id int PRIMARY KEY);
CREATE TABLE guest (id int PRIMARY KEY, home int NULL DEFAULT 9 CONSTRAINT fk_home REFERENCES home (id) ON DELETE SET DEFAULT ON UPDATE SET DEFAULT);
INSERT home VALUES (1), (2), (9);
INSERT guest VALUES (1, 2);
GO
DELETE home WHERE id IN (2, 9);
GO
DELETE home WHERE id IN (1, 2);
SELECT id, home FROM guest;
GO
-- The default is made by the statement that needs it.
INSERT home VALUES (8);
UPDATE guest SET home = 8;
DELETE home WHERE id = 9;
UPDATE home SET id = id + 1;
SELECT id, home FROM guest;
SELECT id FROM home;
GO
-- It is taken away from those who took it before.
UPDATE home SET id = id + 1;
GO
-- Over two levels.
CREATE TABLE top_ (id int PRIMARY KEY);
CREATE TABLE middle (id int PRIMARY KEY, above int CONSTRAINT fk_top REFERENCES top_ (id) ON DELETE CASCADE);
CREATE TABLE bottom (id int PRIMARY KEY, above int DEFAULT 9 CONSTRAINT fk_middle REFERENCES middle (id) ON DELETE SET DEFAULT);
INSERT top_ VALUES (1), (2);
INSERT middle VALUES (10, 1), (9, 2);
INSERT bottom VALUES (1, 10);
GO
DELETE top_;
GO
DELETE top_ WHERE id = 1;
SELECT id, above FROM bottom;
GO
