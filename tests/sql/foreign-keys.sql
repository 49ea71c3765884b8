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
-- A key that one row leaves and another takes is there when the statement is done.
CREATE TABLE kept (id int PRIMARY KEY, v int);
CREATE TABLE refers (id int PRIMARY KEY, kept int CONSTRAINT fk_kept REFERENCES kept (id));
INSERT kept VALUES (1, 10), (2, 20);
INSERT refers VALUES (1, 1), (2, 2);
GO
UPDATE kept SET id = 3 - id;
SELECT id, v FROM kept ORDER BY id;
GO
UPDATE kept SET id = id + 1;
GO
MERGE kept USING (VALUES (1, 11)) s(id, v) ON kept.id = s.id AND kept.v = s.v
WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)
WHEN NOT MATCHED BY SOURCE AND kept.id = 1 THEN DELETE;
SELECT id, v FROM kept ORDER BY id;
GO
MERGE kept USING (VALUES (3, 11)) s(id, v) ON kept.id = s.id
WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)
WHEN NOT MATCHED BY SOURCE AND kept.id = 1 THEN DELETE;
GO
CREATE TABLE chain (id int PRIMARY KEY, above int CONSTRAINT fk_chain REFERENCES chain (id));
INSERT chain VALUES (1, NULL), (2, 1), (3, 2);
UPDATE chain SET id = id + 1, above = above + 1;
SELECT id, above FROM chain ORDER BY id;
GO
UPDATE chain SET id = id + 1;
GO
-- In memory as well.
CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, k int NOT NULL UNIQUE) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
CREATE TABLE n (id int PRIMARY KEY NONCLUSTERED, m int CONSTRAINT fk_m REFERENCES m (id)) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY);
INSERT m VALUES (1, 1), (2, 2), (3, 3);
INSERT n VALUES (1, 1), (2, 2);
GO
DELETE m WHERE id = 2;
GO
DELETE m WHERE id = 3;
SELECT id FROM m ORDER BY id;
GO
-- Rows that follow may have keys of their own, which others that follow leave.
CREATE TABLE head (id int PRIMARY KEY, v int);
CREATE TABLE line (head int CONSTRAINT fk_head REFERENCES head (id) ON UPDATE CASCADE ON DELETE SET NULL, k int, id int PRIMARY KEY, UNIQUE (head, k));
CREATE TABLE detail (head int, k int, id int PRIMARY KEY, UNIQUE (head, k), CONSTRAINT fk_line FOREIGN KEY (head, k) REFERENCES line (head, k) ON UPDATE CASCADE);
CREATE TABLE seen (what varchar(10), old int, new int, id int);
INSERT head VALUES (1, 1), (2, 2), (3, 3);
INSERT line VALUES (1, 1, 1), (1, 2, 2), (2, 1, 3), (3, 1, 4);
INSERT detail VALUES (1, 1, 1), (1, 2, 2), (2, 1, 3);
GO
CREATE TRIGGER of_line ON line AFTER UPDATE AS
INSERT seen SELECT 'line', d.head, i.head, d.id FROM deleted d JOIN inserted i ON d.id = i.id;
GO
UPDATE head SET id = id + 1;
SELECT head, k, id FROM line ORDER BY id;
SELECT head, k, id FROM detail ORDER BY id;
SELECT what, old, new, id FROM seen ORDER BY id;
GO
-- They exchange them.
UPDATE head SET id = 5 - id WHERE id IN (2, 3);
SELECT id, v FROM head ORDER BY id;
SELECT head, k, id FROM line ORDER BY id;
SELECT head, k, id FROM detail ORDER BY id;
GO
MERGE head USING (VALUES (2, 3), (3, 4), (4, 2)) s(old, new) ON head.id = s.old
WHEN MATCHED THEN UPDATE SET id = s.new;
SELECT head, k, id FROM line ORDER BY id;
SELECT head, k, id FROM detail ORDER BY id;
GO
-- One for one.
CREATE TABLE body (id int PRIMARY KEY CONSTRAINT fk_body REFERENCES head (id) ON UPDATE CASCADE, v int);
CREATE TABLE toe (id int PRIMARY KEY CONSTRAINT fk_toe REFERENCES body (id) ON UPDATE CASCADE, v int);
INSERT body VALUES (2, 2), (3, 3), (4, 4);
INSERT toe VALUES (2, 2), (4, 4);
UPDATE head SET id = id + 1;
UPDATE head SET id = 8 - id;
SELECT id, v FROM body ORDER BY id;
SELECT id, v FROM toe ORDER BY id;
GO
UPDATE head SET id = 10 WHERE id = 3;
SELECT id, v FROM body ORDER BY id;
GO
-- A key that stays taken is one, and nothing has happened.
CREATE TABLE flag (id int PRIMARY KEY, head int CONSTRAINT uq_flag UNIQUE CONSTRAINT fk_flag REFERENCES head (id) ON UPDATE SET NULL);
INSERT flag VALUES (1, 10), (2, 4);
UPDATE head SET id = 11 WHERE id = 10;
SELECT id, head FROM flag ORDER BY id;
GO
UPDATE head SET id = id + 1;
GO
SELECT id, head FROM flag ORDER BY id;
SELECT id FROM head ORDER BY id;
GO
-- Rows that follow without such keys follow once.
CREATE TABLE lead (id int PRIMARY KEY);
CREATE TABLE indexed (id int PRIMARY KEY, lead int INDEX by_lead CONSTRAINT fk_indexed REFERENCES lead (id) ON UPDATE CASCADE ON DELETE CASCADE);
CREATE TABLE bare (id int PRIMARY KEY, lead int CONSTRAINT fk_bare REFERENCES lead (id) ON UPDATE CASCADE ON DELETE CASCADE);
INSERT lead VALUES (1), (2), (3);
INSERT indexed VALUES (1, 1), (2, 2), (3, 3);
INSERT bare VALUES (1, 1), (2, 2), (3, 3);
UPDATE lead SET id = id + 1;
UPDATE lead SET id = 5 - id WHERE id < 4;
SELECT a.id, a.lead AS indexed, b.lead AS bare FROM indexed a JOIN bare b ON a.id = b.id ORDER BY a.id;
GO
MERGE lead USING (VALUES (2, 3), (4, 2)) s(old, new) ON lead.id = s.old
WHEN MATCHED THEN UPDATE SET id = s.new
WHEN NOT MATCHED BY SOURCE THEN DELETE;
SELECT id FROM lead ORDER BY id;
SELECT a.id, a.lead AS indexed, b.lead AS bare FROM indexed a JOIN bare b ON a.id = b.id ORDER BY a.id;
GO
