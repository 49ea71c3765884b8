-- Queries that indexed views answer, whether they name them or not.
CREATE DATABASE ivp;
GO
USE ivp;
CREATE TABLE dbo.product (id int NOT NULL CONSTRAINT pk_product PRIMARY KEY, name nvarchar(30) MASKED WITH (FUNCTION = 'default()') NOT NULL, kind varchar(10) NOT NULL);
CREATE TABLE dbo.sale (id int NOT NULL CONSTRAINT pk_sale PRIMARY KEY, product int NOT NULL, day int NOT NULL, quantity int NOT NULL);
INSERT INTO dbo.product SELECT value, CONCAT('p', value), CONCAT('k', value % 3) FROM GENERATE_SERIES(1, 20);
INSERT INTO dbo.sale SELECT value, value % 20 + 1, value % 7, value % 11 FROM GENERATE_SERIES(1, 3000);
GO
CREATE VIEW dbo.by_kind WITH SCHEMABINDING AS
SELECT p.kind, s.day, SUM(s.quantity) AS pieces, COUNT_BIG(*) AS n
FROM dbo.sale AS s JOIN dbo.product AS p ON p.id = s.product GROUP BY p.kind, s.day;
GO
CREATE VIEW dbo.many WITH SCHEMABINDING AS
SELECT s.id, s.quantity, p.name FROM dbo.sale AS s JOIN dbo.product AS p ON s.product = p.id WHERE s.quantity >= 10;
GO
CREATE UNIQUE CLUSTERED INDEX ix_by_kind ON dbo.by_kind (kind, day);
CREATE UNIQUE CLUSTERED INDEX ix_many ON dbo.many (id);
CREATE INDEX ix_name ON dbo.many (name) INCLUDE (quantity);
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT pieces FROM dbo.by_kind WITH (NOEXPAND) WHERE kind = 'k1' AND day = 3;
SELECT pieces FROM dbo.by_kind WHERE kind = 'k1' AND day = 3;
SELECT pieces FROM dbo.by_kind WHERE kind = 'k1' AND day = 3 OPTION (EXPAND VIEWS);
SELECT name FROM dbo.many WITH (NOEXPAND, INDEX (ix_name)) WHERE name = N'p7';
GO
-- Without the name: the same groups, groups of groups, one group.
SELECT p.kind, s.day, SUM(s.quantity) AS q FROM dbo.product AS p, dbo.sale AS s WHERE s.product = p.id AND p.kind = 'k2' GROUP BY s.day, p.kind;
SELECT p.kind, COUNT(*) AS n, SUM(s.quantity) AS q, MAX(s.day) AS d FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id GROUP BY p.kind HAVING COUNT(*) > 10;
SELECT COUNT(*) AS n FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id WHERE s.day < 3;
SELECT p.name, s.quantity * 2 AS twice FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id WHERE s.quantity >= 10 AND p.name LIKE 'p1%';
GO
-- What the views cannot tell.
SELECT p.kind, SUM(s.id) AS q FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id GROUP BY p.kind;
SELECT p.name, s.day FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id WHERE s.quantity >= 10;
SELECT p.name FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id WHERE s.quantity >= 9;
GO
SET SHOWPLAN_TEXT OFF;
GO
-- The answers are those of the tables.
SELECT p.kind, COUNT(*) AS n, SUM(s.quantity) AS q, MAX(s.day) AS d FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id GROUP BY p.kind HAVING COUNT(*) > 10 ORDER BY p.kind;
SELECT p.kind, COUNT(*) AS n, SUM(s.quantity) AS q, MAX(s.day) AS d FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id GROUP BY p.kind HAVING COUNT(*) > 10 ORDER BY p.kind OPTION (EXPAND VIEWS);
SELECT COUNT(*) AS n, SUM(s.quantity) AS q FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id WHERE s.day < 3;
SELECT COUNT(*) AS n, SUM(s.quantity) AS q FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id WHERE s.day < 3 OPTION (EXPAND VIEWS);
SELECT COUNT(*) AS n, SUM(s.quantity) AS q FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id WHERE s.day = 100;
SELECT TOP (3) p.name, s.quantity * 2 AS twice FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id WHERE s.quantity >= 10 AND p.name LIKE 'p1%' ORDER BY s.id;
GO
-- Permissions are asked on what the query names, and masked columns are masked.
CREATE USER reader WITHOUT LOGIN;
GRANT SELECT ON dbo.by_kind TO reader;
GRANT SELECT ON dbo.many TO reader;
GO
EXECUTE AS USER = 'reader';
SELECT TOP (2) kind, day, n FROM dbo.by_kind WITH (NOEXPAND) ORDER BY kind, day;
SELECT TOP (2) id, name FROM dbo.many WITH (NOEXPAND) ORDER BY id;
SELECT TOP (2) id, name FROM dbo.many ORDER BY id;
GO
SELECT COUNT(*) AS n FROM dbo.product AS p JOIN dbo.sale AS s ON s.product = p.id;
GO
REVERT;
GO
USE master;
DROP DATABASE ivp;
