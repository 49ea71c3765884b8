-- Which conditions begin with an XML index, and which are tested row by row.
CREATE DATABASE xp;
GO
USE xp;
CREATE TABLE dbo.d (id int NOT NULL, part int NOT NULL, x xml NULL, PRIMARY KEY (id, part));
INSERT INTO dbo.d SELECT value, value % 3, N'<a k="' + CAST(value AS nvarchar(10)) + N'"><b c="' + CAST(value % 500 AS nvarchar(10)) + N'">text</b></a>'
FROM generate_series(1, 1000);
INSERT INTO dbo.d VALUES (2000, 0, N'<a><rare/></a>');
CREATE PRIMARY XML INDEX ix ON dbo.d (x);
GO
-- Alone, the primary index finds nothing faster.
SET SHOWPLAN_TEXT ON;
GO
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c="77"]') = 1;
GO
SET SHOWPLAN_TEXT OFF;
GO
CREATE XML INDEX ix_path ON dbo.d (x) USING XML INDEX ix FOR PATH;
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c="77"]') = 1;
GO
-- Of paths that begin anywhere, only the value index knows.
SELECT id FROM dbo.d WHERE x.exist('//b[@c="77"]') = 1;
GO
DECLARE @v nvarchar(10) = N'77';
DELETE FROM dbo.d WHERE x.exist('/a/b[@c=sql:variable("@v")]') = 1 AND part = 1;
GO
-- Negations and alternatives are not looked for.
SELECT id FROM dbo.d WHERE x.exist('/a[b/@c = 77]') = 0;
GO
SELECT id FROM dbo.d WITH (INDEX(1)) WHERE x.exist('/a/b[@c="77"]') = 1;
GO
SET SHOWPLAN_TEXT OFF;
GO
CREATE XML INDEX ix_value ON dbo.d (x) USING XML INDEX ix FOR VALUE;
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT id FROM dbo.d WHERE x.exist('//b[@c="77"]') = 1;
GO
SET SHOWPLAN_TEXT OFF;
GO
SELECT id FROM dbo.d WHERE x.exist('//b[@c="77"]') = 1 ORDER BY id;
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c="77"]') = 1 ORDER BY id;
SELECT id FROM dbo.d WHERE x.exist('/a/rare') = 1;
SELECT COUNT(*) AS n FROM dbo.d WHERE x.exist('/a/b[.="text"]') = 1;
SELECT d.id, e.id AS other FROM dbo.d AS d LEFT JOIN dbo.d AS e ON e.id = d.id + 500 WHERE d.x.exist('/a[@k="3"]') = 1;
GO
USE master;
DROP DATABASE xp;
