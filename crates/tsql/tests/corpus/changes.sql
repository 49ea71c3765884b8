-- INSERT, UPDATE, DELETE, MERGE and bulk loading.
--> Insert Insert Insert Insert Insert
INSERT INTO t VALUES (1, 'a', DEFAULT, NULL)
INSERT t (a, b) VALUES (1, 2), (3, 4)
INSERT dbo.t (a) SELECT b FROM u
INSERT INTO t DEFAULT VALUES
INSERT INTO @t (a) VALUES (SYSDATETIME())
GO
--> Insert Insert Insert Insert
INSERT INTO t EXEC dbo.p 1, @b = 2
INSERT INTO #t (a, b) EXECUTE ('SELECT 1, 2')
INSERT INTO t (SELECT 1 UNION ALL SELECT 2)
INSERT INTO t (a) (SELECT 1) UNION SELECT 2
GO
--> Insert Insert Insert
INSERT TOP (5) INTO t WITH (TABLOCK, KEEPIDENTITY) (a) OUTPUT inserted.a, inserted.* INTO @o (x, y) OUTPUT inserted.a AS z VALUES (1)
INSERT t OUTPUT inserted.id DEFAULT VALUES
INSERT t (a) OUTPUT inserted.a INTO u SELECT 1 OPTION (MAXDOP 1)
GO
--> Update Update Update Update Update
UPDATE t SET a = 1
UPDATE t SET a = 1, t.b = b + 1, c += 2, d = DEFAULT WHERE e = 3
UPDATE TOP (10) x SET x.a = y.a OUTPUT deleted.a, inserted.a FROM t AS x JOIN u y ON x.i = y.i WHERE x.b > 1 OPTION (RECOMPILE)
UPDATE t SET @v = 1, @w = a = a + 1, @x += 1, @y = t.b *= 2, @z = c - 1 WHERE CURRENT OF cur
UPDATE @t SET a.WRITE(N'x', 0, NULL), t.b.WRITE(@v, @o, @l) WHERE CURRENT OF GLOBAL c
GO
--> Update
UPDATE Sales.SalesOrderHeader_inmem WITH (SNAPSHOT) SET RevisionNumber = RevisionNumber + 1, TaxAmt = SubTotal * 0.08 WHERE SalesOrderID = @id
GO
--> Delete Delete Delete Delete Delete Delete
DELETE t
DELETE FROM t WHERE a = 1
DELETE TOP (5) FROM t WITH (READPAST) OUTPUT deleted.* WHERE a = 1
DELETE FROM x FROM t AS x JOIN u ON x.a = u.a WHERE u.b = 2
DELETE x OUTPUT deleted.a INTO @d FROM t x
DELETE FROM t WHERE CURRENT OF @c
GO
--> Merge
MERGE TOP (10) INTO dbo.t WITH (HOLDLOCK) AS d
USING (SELECT 1 AS a, 2 AS b) AS s (a, b) ON d.a = s.a AND d.x = 1
WHEN MATCHED AND s.b IS NULL THEN DELETE
WHEN MATCHED THEN UPDATE SET d.b = s.b, c = DEFAULT, e += 1
WHEN NOT MATCHED BY TARGET AND s.a > 0 THEN INSERT (a, b) VALUES (s.a, DEFAULT)
WHEN NOT MATCHED BY SOURCE THEN DELETE
OUTPUT $action, inserted.a, deleted.b INTO @o OPTION (LOOP JOIN);
GO
--> Merge Merge Select
MERGE t USING u ON t.a = u.a WHEN NOT MATCHED THEN INSERT VALUES (u.a) WHEN MATCHED THEN UPDATE SET a = 1;
MERGE INTO t USING (VALUES (1), (2)) AS v (a) ON 1 = 0 WHEN NOT MATCHED THEN INSERT DEFAULT VALUES;
SELECT 1
GO
--> TruncateTable TruncateTable
TRUNCATE TABLE dbo.Orders
TRUNCATE TABLE t WITH (PARTITIONS (1, 3 TO 5))
GO
--> BulkInsert BulkInsert
BULK INSERT Production.Product FROM 'C:\data\Product.csv' WITH (CHECK_CONSTRAINTS, CODEPAGE = 'ACP', DATAFILETYPE = 'widechar',
    FIELDTERMINATOR = '\t', ROWTERMINATOR = '\n', KEEPIDENTITY, TABLOCK, FIRSTROW = 2, LASTROW = 10, MAXERRORS = 0, BATCHSIZE = 1000,
    KEEPNULLS, FIRE_TRIGGERS, ERRORFILE = 'e.txt', FORMAT = 'CSV', FIELDQUOTE = '"', ROWS_PER_BATCH = 5, KILOBYTES_PER_BATCH = 6,
    ORDER (a ASC, b DESC), FORMATFILE = 'f.fmt')
BULK INSERT #t FROM N'/x/y.csv' WITH (CODEPAGE = 65001, CODEPAGE = RAW)
GO
--> InsertBulk InsertBulk InsertBulk
insert bulk t(timestamp, [id] int, [name] nvarchar(50), d decimal(18,2)) WITH (KEEP_NULLS)
INSERT BULK [dbo].[t] ([a] Int, [b] NVarChar(max) COLLATE Latin1_General_CI_AS, [c] DateTime2(7)) with (TABLOCK, CHECK_CONSTRAINTS, ROWS_PER_BATCH = 100)
insert bulk #x
