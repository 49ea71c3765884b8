-- Queries. Each batch begins with the statements that it must turn out to contain.
--> Select
SELECT 1
GO
--> Select
SELECT a, b AS x, c y, d 'z', 'w' = e, f = g + 1, [q] = 2, t.*, dbo.t.*, * FROM dbo.t
GO
--> Select Select
SELECT 1 one, 2 two SELECT 'a' "b", N'c' AS 'd'
GO
--> Select
SELECT DISTINCT TOP (10) PERCENT WITH TIES a FROM t ORDER BY a DESC, b ASC
GO
--> Select
SELECT ALL TOP 5 a FROM t WHERE NOT a = 1 AND b <> 2 OR c IN (1, 2, 3)
GO
--> Select
SELECT a FROM t1, t2 AS x, db..t3 y, srv.db.dbo.t4 z WHERE x.a = y.a
GO
--> Select
SELECT * FROM a INNER JOIN b ON a.i = b.i LEFT JOIN c ON c.i = b.i RIGHT OUTER JOIN d ON 1 = 1
    FULL JOIN e ON e.i = d.i CROSS JOIN f CROSS APPLY dbo.fn(f.x) AS g OUTER APPLY (SELECT TOP 1 * FROM h) i
GO
--> Select
SELECT * FROM a JOIN b JOIN c ON b.i = c.i ON a.i = b.i
GO
--> Select
SELECT * FROM a INNER LOOP JOIN b ON 1=1 LEFT OUTER HASH JOIN c ON 1=1 INNER MERGE JOIN d ON 1=1 INNER REMOTE JOIN e ON 1=1
GO
--> Select
SELECT * FROM (a JOIN b ON a.i = b.i) JOIN ((SELECT 1 AS x) AS y CROSS JOIN c) ON 1 = 1
GO
--> Select
SELECT * FROM ((SELECT 1 AS a) UNION ALL (SELECT 2)) AS u (v), (SELECT 3) w(x)
GO
--> Select
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v (i, s) WHERE i > 0
GO
--> Select
SELECT * FROM {oj a LEFT OUTER JOIN b ON a.i = b.i}
GO
--> Select Select Select Select Select Select
SELECT * FROM t (NOLOCK)
SELECT * FROM t WITH (NOLOCK)
SELECT * FROM t NOLOCK
SELECT * FROM t (NOLOCK) a JOIN u AS b (NOLOCK, INDEX(ix)) ON a.i = b.i
SELECT * FROM t AS a WITH (UPDLOCK, ROWLOCK, INDEX = ix) WHERE a.i = 1
SELECT * FROM t a WITH (INDEX (1, ix2) FORCESEEK (ix (a, b)) HOLDLOCK READPAST), u WITH(TABLOCKX,XLOCK)
GO
--> Select
SELECT * FROM dbo.fn(1, DEFAULT, 'x') AS f (a, b) WHERE a = 1
GO
--> Select
SELECT * FROM ::fn_helpcollations() WHERE name LIKE '%[_]BIN' ESCAPE '\'
GO
--> Select
SELECT * FROM @t AS x JOIN @u u ON x.a = u.a
GO
--> Select
SELECT a, COUNT(*), COUNT(DISTINCT b), SUM(ALL c) FROM t GROUP BY a HAVING COUNT(*) > 1 ORDER BY 2 DESC
GO
--> Select Select Select Select
SELECT a, b FROM t GROUP BY ROLLUP (a, (b, c)), CUBE (d, e)
SELECT a FROM t GROUP BY GROUPING SETS ((a, b), a, (), ROLLUP (c), GROUPING SETS (d))
SELECT a FROM t GROUP BY a, b WITH ROLLUP
SELECT a FROM t GROUP BY ALL a WITH CUBE
GO
--> Select
SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b DESC), SUM(c) OVER (ORDER BY d ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
    AVG(c) OVER (ORDER BY d ROWS 3 PRECEDING), MAX(c) OVER (), LAG(c, 1, 0) IGNORE NULLS OVER w,
    FIRST_VALUE(c) OVER (PARTITION BY a ORDER BY b RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING),
    MIN(c) OVER (w ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING)
FROM t WINDOW w AS (PARTITION BY a ORDER BY b), v AS (w)
GO
--> Select
SELECT STRING_AGG(name, ', ') WITHIN GROUP (ORDER BY name DESC), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) OVER (PARTITION BY y) FROM t
GO
--> Select
SELECT a FROM t ORDER BY a OFFSET 10 ROWS FETCH NEXT 5 ROWS ONLY
GO
--> Select
SELECT a FROM t ORDER BY a OFFSET @skip ROW FETCH FIRST (@take) ROW ONLY OPTION (RECOMPILE)
GO
--> Select Fetch
SELECT a FROM t ORDER BY a OFFSET 0 ROWS FETCH NEXT FROM c
GO
--> Select
SELECT 1 UNION SELECT 2 UNION ALL SELECT 3 EXCEPT SELECT 4 INTERSECT SELECT 5 ORDER BY 1
GO
--> Select
(SELECT 1) UNION ALL (SELECT 2 UNION SELECT 3) ORDER BY 1
GO
--> Select
((SELECT 1))
GO
--> Select
WITH a AS (SELECT 1 AS x), b (y, z) AS (SELECT x, 2 FROM a UNION ALL SELECT y + 1, z FROM b WHERE y < 10)
SELECT * FROM b OPTION (MAXRECURSION 100)
GO
--> Select Insert Update Delete Merge
WITH c AS (SELECT 1 AS x) SELECT * FROM c;
WITH c AS (SELECT 1 AS x) INSERT INTO t SELECT x FROM c;
WITH c AS (SELECT * FROM t) UPDATE c SET a = 1;
WITH c AS (SELECT * FROM t) DELETE FROM c WHERE a = 1;
WITH c AS (SELECT 1 AS x) MERGE t USING c ON t.a = c.x WHEN MATCHED THEN DELETE;
GO
--> Select
SELECT * INTO #t FROM u
GO
--> Select
SELECT a, b INTO dbo.t2 ON [PRIMARY] FROM t WHERE 1 = 0
GO
--> Select
SELECT IDENTITY(int, 1, 1) AS id, IDENTITY(bigint) AS id2, a INTO #x FROM t
GO
--> Select
SELECT * FROM (SELECT a, y, v FROM t) AS s PIVOT (SUM(v) FOR y IN ([2020], [2021])) AS p
GO
--> Select
SELECT a, c, v FROM t UNPIVOT (v FOR c IN (x, y, z)) AS u JOIN w ON w.a = u.a
GO
--> Select
SELECT * FROM t TABLESAMPLE SYSTEM (10 PERCENT) REPEATABLE (5) AS s
GO
--> Select
SELECT * FROM t AS s TABLESAMPLE (100 ROWS)
GO
--> Select Select Select Select Select
SELECT a FROM t FOR BROWSE
SELECT a FROM t FOR XML PATH('row'), ROOT('rows'), TYPE, ELEMENTS XSINIL
SELECT a FROM t FOR XML RAW, BINARY BASE64
SELECT a FROM t FOR JSON PATH, ROOT('x'), INCLUDE_NULL_VALUES, WITHOUT_ARRAY_WRAPPER
SELECT a FROM t FOR JSON AUTO
GO
--> Select
SELECT a FROM t OPTION (RECOMPILE, MAXDOP 1, HASH JOIN, LOOP JOIN, MERGE JOIN, FORCE ORDER, FAST 10, KEEP PLAN, KEEPFIXED PLAN,
    EXPAND VIEWS, ROBUST PLAN, HASH GROUP, ORDER GROUP, CONCAT UNION, OPTIMIZE FOR UNKNOWN, OPTIMIZE FOR (@a = 1, @b UNKNOWN),
    USE HINT ('DISABLE_OPTIMIZER_ROWGOAL', 'X'), QUERYTRACEON 4199, MAX_GRANT_PERCENT = 10, LABEL = 'q', TABLE HINT (t, NOLOCK, INDEX(1)),
    USE PLAN N'<xml/>', PARAMETERIZATION FORCED, NO_PERFORMANCE_SPOOL)
GO
--> Select Select Select
SELECT @a = 1
SELECT @a = a, @b += b, @c = @c + ',' + c FROM t
SELECT @x -= 1, @x *= 2, @x /= 3, @x %= 4, @x &= 5, @x |= 6, @x ^= 7
GO
--> Select
SELECT CASE WHEN a = 1 THEN 'x' WHEN a IS NULL THEN 'y' ELSE 'z' END, CASE a WHEN 1 THEN 2 END, IIF(a > b, a, b), COALESCE(a, b), NULLIF(a, b),
    CAST(a AS decimal(18, 2)), CONVERT(varchar(10), d, 120), TRY_CAST('1' AS int), TRY_CONVERT(date, 'x'), PARSE('1' AS int USING 'en-US'),
    TRY_PARSE('1' AS money), LEFT(a, 1), RIGHT(a, 1), CHOOSE(1, 'a', 'b'), ISNULL(a, 0)
GO
--> Select
SELECT CURRENT_TIMESTAMP, CURRENT_USER, SESSION_USER, SYSTEM_USER, USER, GETDATE(), @@ROWCOUNT, @@VERSION, SCOPE_IDENTITY()
GO
--> Select
SELECT DATEADD(day, 1, d), DATEDIFF(second, a, b), DATEPART(year, d), DATENAME(month, d) FROM t
GO
--> Select
SELECT {fn NOW()}, {fn current_time}, {fn user()}, {fn UCASE('a')}, {fn LEFT('abc', 2)}, {fn CONVERT('1', SQL_INTEGER)}, {d '2020-01-02'}, {ts '2020-01-02 03:04:05'}, {t '01:02:03'},
    {guid '00000000-0000-0000-0000-000000000000'}, {fn EXTRACT(YEAR FROM d)} FROM t WHERE a LIKE 'x!%' {escape '!'}
GO
--> Select
SELECT TRIM(a), TRIM('x' FROM a), TRIM(LEADING '0' FROM b), TRIM(BOTH c), TRIM(leading) FROM t
GO
--> Select
SELECT NEXT VALUE FOR dbo.s, NEXT VALUE FOR s OVER (ORDER BY a) FROM t
GO
--> Select
SELECT a COLLATE Latin1_General_BIN2, d AT TIME ZONE 'UTC' AT TIME ZONE 'Central European Standard Time', at FROM t
GO
--> Select
SELECT t.$identity, $rowguid, t.IDENTITYCOL, ROWGUIDCOL FROM t
GO
--> Select
SELECT 1 WHERE EXISTS (SELECT * FROM t) AND NOT EXISTS (SELECT 1) AND a = ANY (SELECT b FROM c) AND a > ALL (SELECT 1) AND a != SOME (SELECT 2)
    AND a IN (SELECT b FROM c) AND a NOT IN ((SELECT 1), 2) AND a BETWEEN 1 AND 2 AND a NOT BETWEEN 3 AND 4
    AND a LIKE 'x' AND a NOT LIKE 'y' AND a IS NULL AND a IS NOT NULL AND a IS DISTINCT FROM b AND a IS NOT DISTINCT FROM c
    AND (a = 1 OR (b = 2 AND (c) = 3)) AND (a + b) * 2 > c AND ((a)) < > 1 AND a ! = 2 AND a !< 3 AND a !> 4 AND a > = 5
GO
--> Select
SELECT * FROM t WHERE CONTAINS(a, 'x') OR CONTAINS((a, b), N'y') OR FREETEXT(*, 'z') OR CONTAINS((*), @a, LANGUAGE 1033)
GO
--> Select
SELECT (SELECT MAX(x) FROM u WHERE u.a = t.a), ((SELECT 1) + 2), ((SELECT 1) UNION SELECT 2) FROM t
GO
--> Select
SELECT date, name, type, value, status, first, offset, action, [user], "order", level, state, data, output, target, source, language, at, go FROM t
GO
--> Select
SELECT object_name(t.object_id) AS [Table Name]
     , memory_allocated_for_table_kb
 , memory_allocated_for_indexes_kb
FROM sys.dm_db_xtp_table_memory_stats dms JOIN sys.tables t 
ON dms.object_id=t.object_id
WHERE t.type='U'
GO
--> Select
SELECT SUM(df.size) * 8 / 1024 AS [On-disk size in MB]
FROM sys.filegroups f JOIN sys.database_files df 
   ON f.data_space_id=df.data_space_id
WHERE f.type=N'FX'
GO
--> Select
SELECT SUM(CASE 
      WHEN state = 5 AND file_type=0 THEN 128*1024*1024 
      WHEN state = 5 AND file_type=1 THEN 8*1024*1024 
      WHEN state IN (6,7) THEN 68*1024*1024 
      ELSE file_size_in_bytes 
   END) / 1024 / 1024 as [On-disk size in MB]
FROM sys.dm_db_xtp_checkpoint_files
GO
--> Select
SELECT type
   , name
, pages_kb/1024 AS pages_MB 
FROM sys.dm_os_memory_clerks WHERE type LIKE '%xtp%'
GO
--> Select
SELECT * FROM OPENJSON(@j, '$.a') WITH (id int '$.id', name nvarchar(50), x nvarchar(max) AS JSON) AS j
GO
--> Select
SELECT fn_listextendedproperty(default, default, default, default, default, default, default)
