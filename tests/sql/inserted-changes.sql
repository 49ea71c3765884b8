-- Rows that another statement changes, inserted.
CREATE TABLE product (id int PRIMARY KEY, name varchar(20), price decimal(9, 2));
CREATE TABLE news (id int PRIMARY KEY, name varchar(20), price decimal(9, 2));
CREATE TABLE history (number int IDENTITY PRIMARY KEY, what varchar(10), id int, price decimal(9, 2) CHECK (price < 1000));
INSERT product VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3), (4, 'four', 4);
INSERT news VALUES (2, 'two', 22), (3, 'three', 3), (5, 'five', 5);
GO
-- UPDATE; the rows inserted are counted.
INSERT history (what, id, price)
SELECT 'update', c.id, c.was
FROM (UPDATE product SET price = price * 10 OUTPUT inserted.id, deleted.price AS was, inserted.price WHERE id < 4) AS c
WHERE c.price > 10;
SELECT @@ROWCOUNT AS counted;
SELECT * FROM history ORDER BY number;
SELECT * FROM product ORDER BY id;
GO
-- DELETE, with names given to the columns; the target's own columns without a list.
CREATE TABLE gone (id int, name varchar(20));
INSERT gone SELECT * FROM (DELETE FROM product OUTPUT deleted.id, deleted.name WHERE id = 4) AS d (number, called);
SELECT * FROM gone;
GO
-- MERGE, whose actions are filtered; the target itself may receive them.
INSERT INTO history (what, id, price)
SELECT action, id, price
FROM (
    MERGE product AS p USING news AS n ON p.id = n.id
    WHEN MATCHED AND p.price <> n.price THEN UPDATE SET price = n.price
    WHEN NOT MATCHED THEN INSERT VALUES (n.id, n.name, n.price)
    WHEN NOT MATCHED BY SOURCE THEN DELETE
    OUTPUT $action, ISNULL(inserted.id, deleted.id), ISNULL(deleted.price, 0)
) AS m (action, id, price)
WHERE action IN ('UPDATE', 'DELETE');
SELECT @@ROWCOUNT AS counted;
SELECT what, id, price FROM history ORDER BY number;
SELECT * FROM product ORDER BY id;
GO
CREATE TABLE dimension (id int, price decimal(9, 2), current_row bit, version int IDENTITY);
INSERT dimension VALUES (2, 1, 1), (3, 3, 1);
INSERT dimension (id, price, current_row)
SELECT id, price, 1
FROM (
    MERGE dimension AS d USING news AS n ON d.id = n.id AND d.current_row = 1
    WHEN MATCHED AND d.price <> n.price THEN UPDATE SET current_row = 0
    WHEN NOT MATCHED THEN INSERT VALUES (n.id, n.price, 1)
    OUTPUT $action AS action, n.id, n.price
) AS m
WHERE m.action = 'UPDATE';
SELECT id, price, current_row FROM dimension ORDER BY id, version;
GO
-- INSERT; a value that is made once is the same wherever it is shown.
CREATE TABLE ids (a uniqueidentifier, b uniqueidentifier, n int);
INSERT ids
SELECT x.id, x.id, x.n FROM (INSERT gone OUTPUT NEWID() AS id, inserted.id AS n VALUES (7, 'seven'), (8, 'eight')) AS x
WHERE x.n > 7;
SELECT CASE WHEN a = b THEN 'same' ELSE 'other' END AS ids, n FROM ids;
SELECT * FROM gone ORDER BY id;
GO
-- Variables, common table expressions, table variables, temporary tables.
DECLARE @t TABLE (id int, price decimal(9, 2));
DECLARE @least int = 3;
WITH cheap AS (SELECT * FROM product WHERE price < 100)
INSERT @t SELECT id, price + @least FROM (DELETE cheap OUTPUT deleted.* WHERE id >= @least) AS c;
SELECT * FROM @t ORDER BY id;
CREATE TABLE #t (n int, inserted_at int DEFAULT 9);
INSERT #t (n) SELECT id FROM (UPDATE product SET name = 'x' OUTPUT inserted.id) AS u;
SELECT * FROM #t;
DROP TABLE #t;
GO
-- Triggers of what is changed fire.
CREATE TRIGGER told ON product AFTER UPDATE AS PRINT CONCAT('updated: ', (SELECT COUNT(*) FROM inserted));
GO
INSERT history (what, id) SELECT 'again', id FROM (UPDATE product SET price += 1 OUTPUT inserted.id) AS u;
SELECT TOP (1) what, id, price FROM history ORDER BY number DESC;
GO
-- All or nothing.
INSERT history (what, id, price) SELECT 'big', id, price + 5000 FROM (UPDATE product SET price += 1 OUTPUT inserted.*) AS u;
GO
SELECT * FROM product;
GO
-- In procedures.
CREATE PROCEDURE move @id int AS
INSERT gone SELECT id, name FROM (DELETE product OUTPUT deleted.id, deleted.name WHERE id = @id) AS d;
GO
EXEC move 2;
SELECT * FROM gone WHERE id = 2;
GO
-- What is refused.
SELECT * FROM (DELETE product OUTPUT deleted.id) AS d;
GO
INSERT gone SELECT id, 'x' FROM (DELETE product) AS d;
GO
INSERT gone SELECT DISTINCT id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d;
GO
INSERT gone SELECT TOP (1) id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d;
GO
INSERT gone SELECT id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d ORDER BY id;
GO
INSERT gone SELECT id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d GROUP BY id;
GO
INSERT gone SELECT d.id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d JOIN news AS n ON n.id = d.id;
GO
INSERT gone SELECT d.id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d, news;
GO
INSERT gone SELECT id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d UNION ALL SELECT 1, 'y';
GO
INSERT gone SELECT id, 'x' FROM (DELETE product OUTPUT deleted.id INTO ids (n)) AS d;
GO
INSERT gone SELECT id, 'x' FROM (DELETE product OUTPUT deleted.id OPTION (MAXDOP 1)) AS d;
GO
INSERT gone SELECT id, 'x' FROM (INSERT gone OUTPUT inserted.id SELECT id, 'y' FROM (DELETE product OUTPUT deleted.id) AS e) AS d;
GO
INSERT gone SELECT MAX(id), 'x' FROM (DELETE product OUTPUT deleted.id) AS d;
GO
INSERT gone SELECT id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d WHERE COUNT(*) > 1;
GO
INSERT gone SELECT ROW_NUMBER() OVER (ORDER BY id), 'x' FROM (DELETE product OUTPUT deleted.id) AS d;
GO
INSERT gone SELECT deleted.id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d;
GO
INSERT gone SELECT id FROM (DELETE product OUTPUT deleted.id) AS d;
GO
INSERT gone (id) SELECT d.id + 1 FROM (DELETE product OUTPUT deleted.id + 1) AS d;
GO
INSERT TOP (1) gone SELECT id, 'x' FROM (DELETE product OUTPUT deleted.id) AS d;
GO
CREATE VIEW seen AS SELECT id, name FROM gone;
GO
INSERT seen SELECT id, 'x' FROM (DELETE news OUTPUT deleted.id) AS d;
GO
INSERT product SELECT id, name, price FROM (DELETE news OUTPUT deleted.*) AS d;
GO
CREATE TABLE referring (id int CONSTRAINT refers REFERENCES news);
GO
INSERT referring SELECT id FROM (DELETE product OUTPUT deleted.id) AS d;
GO
SELECT COUNT(*) AS left_over FROM news;
GO
DROP TABLE referring, ids, dimension, history, news, product;
DROP VIEW seen;
DROP TABLE gone;
DROP PROCEDURE move;
GO
-- Memory-optimized tables on both sides.
CREATE TABLE hot (id int PRIMARY KEY NONCLUSTERED, n int) WITH (MEMORY_OPTIMIZED = ON);
CREATE TABLE hot_gone (id int PRIMARY KEY NONCLUSTERED, n int) WITH (MEMORY_OPTIMIZED = ON);
INSERT hot VALUES (1, 10), (2, 20), (3, 30);
INSERT hot_gone SELECT id, n FROM (DELETE hot OUTPUT deleted.* WHERE id > 1) AS d WHERE n < 30;
SELECT * FROM hot_gone;
SELECT * FROM hot;
GO
CREATE PROCEDURE swift WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
INSERT dbo.hot_gone SELECT id, n FROM (DELETE dbo.hot OUTPUT deleted.id, deleted.n) AS d;
END;
GO
EXEC swift;
SELECT * FROM hot_gone ORDER BY id;
GO
DROP PROCEDURE swift;
DROP TABLE hot, hot_gone;
GO
