-- What XML indexes find of value(), nodes(), query(), and of numbers and dates in exist().
CREATE DATABASE xv;
GO
USE xv;
CREATE TABLE dbo.d (id int NOT NULL PRIMARY KEY, x xml NULL);
INSERT INTO dbo.d SELECT value, N'<a k="' + CAST(value AS nvarchar(10)) + N'"><b c="' + CAST(value % 500 AS nvarchar(10)) + N'" d="' +
CONVERT(nchar(10), DATEADD(day, value, '2020-01-01'), 23) + N'">text</b></a>' FROM generate_series(1, 1000);
INSERT INTO dbo.d VALUES (2000, N'<a><rare>v</rare></a>');
CREATE PRIMARY XML INDEX ix ON dbo.d (x);
CREATE XML INDEX ix_path ON dbo.d (x) USING XML INDEX ix FOR PATH;
CREATE XML INDEX ix_value ON dbo.d (x) USING XML INDEX ix FOR VALUE;
GO
SET SHOWPLAN_TEXT ON;
GO
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') = 77;
GO
SELECT id FROM dbo.d WHERE x.value('(/a/rare)[1]', 'nvarchar(10)') = N'V';
GO
SELECT d.id FROM dbo.d AS d CROSS APPLY d.x.nodes('/a/b[@c = "77"]') AS n (r);
GO
SELECT id FROM dbo.d WHERE x.exist('//b[@c = 77]') = 1;
GO
SET SHOWPLAN_TEXT OFF;
GO
DECLARE @low int = 75, @high smallint = 77;
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') BETWEEN @low AND @high ORDER BY id;
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'decimal(9, 2)') > 998.5 ORDER BY id;
SELECT id FROM dbo.d WHERE x.value('xs:date((/a/b/@d)[1])', 'date') = '2020-03-01';
SELECT id FROM dbo.d WHERE x.exist('/a/b[@d > xs:date("2022-09-25")]') = 1 ORDER BY id;
SELECT id FROM dbo.d WHERE x.exist('/a/b[@c >= 498 and @c < sql:variable("@low")]') = 1 ORDER BY id;
SELECT id FROM dbo.d WHERE x.exist('/a[@k = sql:variable("@high")]') = 1;
SELECT d.id, n.r.value('@d', 'date') AS day FROM dbo.d AS d CROSS APPLY d.x.nodes('/a/b[@c = 77]') AS n (r) ORDER BY d.id;
SELECT d.id FROM dbo.d AS d CROSS APPLY d.x.nodes('/a/b') AS n (r) WHERE n.r.value('@c', 'int') = 499 ORDER BY d.id;
SELECT id FROM dbo.d WHERE x.query('/a/rare').exist('rare[. = "v"]') = 1;
SELECT a.id FROM dbo.d AS a JOIN dbo.d AS b ON a.x.value('(/a/@k)[1]', 'int') = b.id + 1 WHERE b.id IN (5, 6) ORDER BY a.id;
SELECT a.id FROM dbo.d AS a, dbo.d AS b WHERE a.x.value('(/a/@k)[1]', 'int') = b.id AND b.id IN (5, 6) ORDER BY a.id;
SELECT a.id FROM dbo.d AS a, dbo.d AS b WHERE a.x.exist('/a[@k = sql:column("b.id")]') = 1 AND b.id IN (5, 6) ORDER BY a.id;
SELECT a.id, (SELECT COUNT(*) FROM dbo.d AS b CROSS APPLY b.x.nodes('/a/b[@c = sql:column("a.id")]') AS n (r)) AS n FROM dbo.d AS a WHERE a.id IN (5, 6) ORDER BY a.id;
-- Numbers are kept with their rows.
UPDATE dbo.d SET x.modify('replace value of (/a/@k)[1] with 5000') WHERE x.value('(/a/@k)[1]', 'int') = 500;
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') >= 1000 ORDER BY id;
DELETE FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') = 5000;
SELECT COUNT(*) AS n FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') > 999;
ALTER INDEX ix ON dbo.d DISABLE;
ALTER INDEX ix ON dbo.d REBUILD;
ALTER INDEX ix_path ON dbo.d REBUILD;
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') = 77;
DROP INDEX ix_path ON dbo.d;
SELECT id FROM dbo.d WHERE x.value('(/a/@k)[1]', 'int') = 77;
GO
USE master;
DROP DATABASE xv;
