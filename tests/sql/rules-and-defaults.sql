-- Rules and defaults: objects that are bound to columns and to alias types.
CREATE DEFAULT d_zero AS 0
GO
CREATE RULE r_positive AS @v >= 0
GO
CREATE TABLE dbo.t (id int, q int)
EXEC sp_bindefault 'd_zero', 't.q'
EXEC sp_bindrule 'dbo.r_positive', 'dbo.t.q'
GO
INSERT t (id) VALUES (1)
INSERT t DEFAULT VALUES
INSERT t VALUES (2, NULL)
INSERT t VALUES (3, DEFAULT)
SELECT * FROM t ORDER BY id, q
GO
INSERT t VALUES (4, -5)
GO
UPDATE t SET q = -1 WHERE id = 1
GO
UPDATE t SET id = 10 WHERE id = 1
MERGE t USING (VALUES (10, -7)) AS s (id, q) ON t.id = s.id WHEN MATCHED THEN UPDATE SET q = s.q;
GO
MERGE t USING (VALUES (11, 7)) AS s (id, q) ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id);
SELECT * FROM t WHERE id >= 10 ORDER BY id
GO
-- What the catalog shows.
SELECT name, type, type_desc, parent_object_id FROM sys.objects
WHERE name IN ('d_zero', 'r_positive') ORDER BY name
SELECT name, OBJECT_NAME(default_object_id) AS d, OBJECT_NAME(rule_object_id) AS r
FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
SELECT OBJECT_NAME(object_id) AS name, definition FROM sys.sql_modules
WHERE object_id IN (OBJECT_ID('d_zero'), OBJECT_ID('r_positive', 'R')) ORDER BY name
SELECT COLUMN_DEFAULT FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 't' AND COLUMN_NAME = 'q'
SELECT OBJECTPROPERTY(OBJECT_ID('d_zero'), 'IsDefault') AS is_default,
  OBJECTPROPERTY(OBJECT_ID('d_zero'), 'IsConstraint') AS is_constraint,
  OBJECTPROPERTY(OBJECT_ID('d_zero'), 'IsDefaultCnst') AS is_default_constraint,
  OBJECTPROPERTY(OBJECT_ID('r_positive'), 'IsRule') AS is_rule
SELECT COUNT(*) AS constraints FROM sys.default_constraints WHERE parent_object_id = OBJECT_ID('t')
EXEC sp_helptext 'r_positive'
EXEC sp_helpconstraint 't', 'nomsg'
GO
-- A bound object stays, and so does the column's type.
DROP DEFAULT d_zero
GO
DROP RULE r_positive
GO
ALTER TABLE t ALTER COLUMN q bigint
GO
ALTER TABLE t DROP COLUMN q
GO
ALTER TABLE t ADD CONSTRAINT df DEFAULT 1 FOR q
GO
DROP TABLE d_zero
GO
DROP DEFAULT r_positive
GO
DROP RULE no_rule
GO
DROP RULE IF EXISTS no_rule
CREATE TABLE with_constraint (a int CONSTRAINT dfa DEFAULT 1)
GO
DROP DEFAULT dfa
GO
DROP TABLE with_constraint
GO
-- Alias types.
CREATE TYPE ssn FROM varchar(11)
GO
CREATE DEFAULT d_unknown AS 'unknown'
GO
CREATE RULE r_long AS LEN(@s) = 11
GO
CREATE TABLE p0 (id int, s ssn)
CREATE TABLE p1 (id int, s ssn)
EXEC sp_bindefault 'd_unknown', 'ssn', 'futureonly'
EXEC sp_bindrule 'r_long', 'ssn'
CREATE TABLE p2 (id int, s ssn)
ALTER TABLE p2 ADD more ssn
SELECT OBJECT_NAME(object_id) AS t, name, OBJECT_NAME(default_object_id) AS d,
  OBJECT_NAME(rule_object_id) AS r
FROM sys.columns WHERE user_type_id = TYPE_ID('ssn') ORDER BY t, column_id
SELECT name, OBJECT_NAME(default_object_id) AS d, OBJECT_NAME(rule_object_id) AS r
FROM sys.types WHERE name = 'ssn'
SELECT DOMAIN_DEFAULT FROM INFORMATION_SCHEMA.DOMAINS WHERE DOMAIN_NAME = 'ssn'
GO
INSERT p2 (id) VALUES (1)
GO
INSERT p2 (id, s, more) VALUES (1, '123-45-6789', '123-45-6789')
INSERT p0 (id) VALUES (1)
SELECT * FROM p0
SELECT * FROM p2
GO
DECLARE @t TABLE (s ssn)
GO
CREATE TYPE of_bound AS TABLE (s ssn)
GO
CREATE TABLE p3 (s ssn DEFAULT 'x')
GO
EXEC sp_unbindefault 'ssn'
EXEC sp_unbindrule 'ssn', 'futureonly'
SELECT OBJECT_NAME(object_id) AS t, name, OBJECT_NAME(default_object_id) AS d,
  OBJECT_NAME(rule_object_id) AS r
FROM sys.columns WHERE user_type_id = TYPE_ID('ssn') ORDER BY t, column_id
GO
-- A column that has another rule than its type keeps it, one with its type's old rule does not.
CREATE RULE r1 AS @v > 0
GO
CREATE RULE r2 AS @v > 5
GO
CREATE TYPE ty FROM int
CREATE TABLE x (a ty, b ty)
EXEC sp_bindrule 'r1', 'ty'
EXEC sp_bindrule 'r2', 'x.b'
EXEC sp_bindrule 'r2', 'ty'
SELECT name, OBJECT_NAME(rule_object_id) AS r FROM sys.columns
WHERE object_id = OBJECT_ID('x') ORDER BY column_id
EXEC sp_unbindrule 'ty'
SELECT SUM(rule_object_id) AS rules FROM sys.columns WHERE object_id = OBJECT_ID('x')
GO
-- A default is converted where it is used.
CREATE DEFAULT d_text AS 'abc'
GO
CREATE TABLE c (a int, b varchar(2))
EXEC sp_bindefault 'd_text', 'c.a'
EXEC sp_bindefault 'd_text', 'c.b'
GO
INSERT c (b) VALUES ('x')
GO
INSERT c (a) VALUES (1)
GO
-- Two constraints before and after rules.
CREATE TABLE o (id int, q int, n int NOT NULL, CONSTRAINT big CHECK (q > 100))
EXEC sp_bindrule 'r_positive', 'o.q'
GO
INSERT o VALUES (1, -1, NULL)
GO
INSERT o VALUES (1, -1, 1)
GO
INSERT o VALUES (1, 1, 1)
GO
-- What the procedures refuse.
CREATE TABLE u (id int IDENTITY, q int, c AS q + 1, dq int DEFAULT 1, v rowversion, m varchar(max))
GO
EXEC sp_bindefault 'nope', 'u.q'
GO
EXEC sp_bindrule 'nope', 'u.q'
GO
EXEC sp_bindrule 'd_zero', 'u.q'
GO
EXEC sp_bindefault 'd_zero', 'u.nope'
GO
EXEC sp_bindrule 'r_positive', 'nope'
GO
EXEC sp_bindefault 'd_zero', 'int'
GO
EXEC sp_bindefault 'd_zero', 'u.q', 'x'
GO
EXEC sp_bindrule 'r_positive', 'u.q', 'x'
GO
EXEC sp_bindefault 'd_zero', 'u.id'
GO
EXEC sp_bindefault 'd_zero', 'u.c'
GO
EXEC sp_bindefault 'd_zero', 'u.dq'
GO
EXEC sp_bindefault 'd_zero', 'u.v'
GO
EXEC sp_bindrule 'r_positive', 'u.c'
GO
EXEC sp_bindrule 'r_positive', 'u.m'
GO
EXEC sp_unbindefault 'u.q'
GO
EXEC sp_unbindrule 'u.q'
GO
EXEC sp_unbindrule 'ty'
GO
EXEC sp_unbindrule 'nope'
GO
BEGIN TRAN
EXEC sp_bindefault 'd_zero', 'u.q'
ROLLBACK
SELECT default_object_id FROM sys.columns WHERE object_id = OBJECT_ID('u') AND name = 'q'
GO
-- What the statements refuse.
CREATE RULE bad AS @a > 0 AND @b > 0
GO
CREATE RULE bad AS 1 = 1
GO
CREATE RULE bad AS a > 0
GO
CREATE RULE bad AS @v > (SELECT 1)
GO
CREATE RULE bad AS @v > dbo.nosuch(1)
GO
CREATE DEFAULT bad AS a + 1
GO
CREATE DEFAULT bad AS (SELECT 1)
GO
CREATE DEFAULT bad AS @x
GO
CREATE DEFAULT bad AS 0; SELECT 1
GO
SELECT 1; CREATE DEFAULT bad AS 0
GO
SELECT 1; CREATE RULE bad AS @v > 0
GO
CREATE DEFAULT t AS 1
GO
-- Permissions.
CREATE USER clerk WITHOUT LOGIN
GRANT SELECT, INSERT ON t TO clerk
GO
EXECUTE AS USER = 'clerk'
GO
CREATE RULE mine AS @v > 0
GO
EXEC sp_bindrule 'r1', 't.id'
GO
INSERT t (id) VALUES (77)
REVERT
GO
-- Names change, bindings stay.
EXEC sp_rename 'r_positive', 'r_not_negative'
GO
INSERT t VALUES (5, -5)
GO
EXEC sp_unbindrule 't.q'
EXEC sp_unbindefault 't.q'
INSERT t VALUES (5, -5)
INSERT t (id) VALUES (6)
SELECT * FROM t WHERE id IN (5, 6, 77) ORDER BY id
EXEC sp_unbindrule 'o.q'
DROP RULE r_not_negative
DROP DEFAULT d_zero
GO
DROP TABLE t, p0, p1, p2, x, c, o, u
DROP TYPE ssn
DROP TYPE ty
DROP RULE r1, r2, r_long
DROP DEFAULT d_unknown, d_text
DROP USER clerk
SELECT COUNT(*) AS objects FROM sys.objects WHERE type IN ('D', 'R') AND parent_object_id = 0
GO
