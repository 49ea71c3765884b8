-- READTEXT, WRITETEXT and UPDATETEXT over text, ntext and image.
CREATE TABLE t (id int PRIMARY KEY, tx text, nt ntext, im image, v rowversion)
INSERT t (id, tx, nt, im) VALUES (1, 'abcdefghij', N'Ünicode', 0x0102030405), (2, NULL, NULL, NULL)
CREATE TABLE heap (a int, tx text)
INSERT heap VALUES (1, 'same'), (1, 'same')
GO
CREATE TRIGGER tr ON t AFTER UPDATE AS PRINT 'fired'
GO
-- A pointer is of one value, and is none for NULL.
SELECT id, DATALENGTH(TEXTPTR(tx)) AS tx, DATALENGTH(TEXTPTR(im)) AS im FROM t ORDER BY id
SELECT COUNT(DISTINCT TEXTPTR(tx)) AS pointers FROM heap
SELECT CASE WHEN TEXTPTR(tx) = TEXTPTR(nt) THEN 'same' ELSE 'different' END AS pointers
FROM t WHERE id = 1
GO
DECLARE @p varbinary(16), @n varbinary(16), @i varbinary(16)
SELECT @p = TEXTPTR(tx), @n = TEXTPTR(nt), @i = TEXTPTR(im) FROM t WHERE id = 1
READTEXT t.tx @p 0 3
READTEXT dbo.t.tx @p 3 4 HOLDLOCK
READTEXT t.tx @p 0 0
READTEXT t.nt @n 0 3
READTEXT t.im @i 1 2
DECLARE @size int = -1, @from int = NULL
READTEXT t.tx @p @from @size
SELECT @@ROWCOUNT AS n
SELECT TEXTVALID('t.tx', @p) AS tx, TEXTVALID('dbo.t.nt', @p) AS nt, TEXTVALID('tx', @p) AS bare,
  TEXTVALID('nowhere.tx', @p) AS nowhere
GO
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 1)
READTEXT t.tx @p 5 6
GO
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 1), @from int = -1
READTEXT t.tx @p @from 1
GO
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 2)
READTEXT t.tx @p 0 1
GO
READTEXT t.tx 0x00000000000000000000000000000001 0 1
GO
-- WRITETEXT replaces the whole value; no trigger fires, no row version changes.
DECLARE @before binary(8) = (SELECT v FROM t WHERE id = 1)
DECLARE @p varbinary(16), @n varbinary(16), @i varbinary(16)
SELECT @p = TEXTPTR(tx), @n = TEXTPTR(nt), @i = TEXTPTR(im) FROM t WHERE id = 1
WRITETEXT t.tx @p 'now it''s this'
SELECT @@ROWCOUNT AS n
WRITETEXT t.nt @n WITH LOG N'ü'
DECLARE @data varbinary(10) = 0xAABB
WRITETEXT t.im @i @data
SELECT tx, nt, im, CASE v WHEN @before THEN 'kept' ELSE 'changed' END AS v FROM t WHERE id = 1
GO
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 2)
WRITETEXT t.tx @p 'x'
GO
WRITETEXT t.tx 0x00000000000000000000000000000001 'x'
GO
UPDATE t SET tx = '' WHERE id = 2
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 2)
WRITETEXT t.tx @p 'set'
SELECT tx FROM t WHERE id = 2
GO
-- UPDATETEXT replaces a part.
UPDATE t SET tx = 'abcdefghij' WHERE id = 1
GO
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 1)
UPDATETEXT t.tx @p 4 0 '--'
SELECT tx FROM t WHERE id = 1
UPDATETEXT t.tx @p 1 2 '(new)'
SELECT tx FROM t WHERE id = 1
UPDATETEXT t.tx @p 0 2
SELECT tx FROM t WHERE id = 1
UPDATETEXT t.tx @p NULL 0 ' and more'
SELECT tx FROM t WHERE id = 1
UPDATETEXT t.tx @p -1 0 '!'
SELECT tx FROM t WHERE id = 1
UPDATETEXT t.tx @p 3 NULL
SELECT tx FROM t WHERE id = 1
DECLARE @n varbinary(16) = (SELECT TEXTPTR(nt) FROM t WHERE id = 1)
UPDATETEXT t.nt @n 1 0 N'Ä'
SELECT nt FROM t WHERE id = 1
DECLARE @q varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 2)
UPDATETEXT t.tx @p 0 0 t.tx @q
SELECT tx FROM t WHERE id = 1
GO
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 1)
UPDATETEXT t.tx @p 100 0 'x'
GO
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 1)
UPDATETEXT t.tx @p 0 500
GO
DECLARE @p varbinary(16), @n varbinary(16)
SELECT @p = TEXTPTR(tx), @n = TEXTPTR(nt) FROM t WHERE id = 1
UPDATETEXT t.tx @p 0 0 t.nt @n
GO
-- An error of a change ends the transaction, one of READTEXT its statement.
BEGIN TRAN
INSERT heap VALUES (7, 'rolled back')
WRITETEXT t.tx 0x00000000000000000000000000000001 'x'
PRINT 'not reached'
GO
SELECT @@TRANCOUNT AS n, (SELECT COUNT(*) FROM heap WHERE a = 7) AS rows
BEGIN TRAN
BEGIN TRY
  WRITETEXT t.tx 0x00000000000000000000000000000001 'x'
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state
END CATCH
ROLLBACK
READTEXT t.tx 0x00000000000000000000000000000001 0 1
PRINT 'reached'
GO
-- A row of a table without a key; one that is gone; a transaction that is rolled back.
DECLARE @p varbinary(16) = (SELECT MIN(TEXTPTR(tx)) FROM heap)
WRITETEXT heap.tx @p 'other'
SELECT COUNT(*) AS n FROM heap WHERE tx LIKE 'other'
BEGIN TRAN
WRITETEXT heap.tx @p 'lost'
ROLLBACK
SELECT COUNT(*) AS n FROM heap WHERE tx LIKE 'other'
DELETE heap
SELECT TEXTVALID('heap.tx', @p) AS valid
READTEXT heap.tx @p 0 0
GO
-- What is refused.
READTEXT tx 0x00000000000000000000000000000001 0 1
GO
READTEXT nowhere.tx 0x00000000000000000000000000000001 0 1
GO
READTEXT t.nope 0x00000000000000000000000000000001 0 1
GO
READTEXT t.id 0x00000000000000000000000000000001 0 1
GO
READTEXT t.tx 0x01 0 1
GO
DECLARE @p varbinary(8)
READTEXT t.tx @p 0 1
GO
DECLARE @p varbinary(16)
READTEXT t.tx @p -1 1
GO
WRITETEXT t.tx 'x' 'y'
GO
WRITETEXT BULK t.tx 0x00000000000000000000000000000001
GO
SELECT TEXTPTR(id) FROM t
GO
SELECT TEXTPTR(tx) FROM (SELECT TOP 1 tx FROM t) AS d
GO
SELECT TEXTPTR('x')
GO
SELECT [TEXT READ](tx, 0x, 0, 0) FROM t
GO
CREATE FUNCTION f() RETURNS int AS
BEGIN
  WRITETEXT t.tx 0x00000000000000000000000000000001 'x'
  RETURN 1
END
GO
EXEC sp_tableoption 't', 'text in row', 'on'
EXEC sp_tableoption 't', 'text in row', '24'
GO
EXEC sp_tableoption 't', 'text in row', '7001'
GO
-- Permissions are those of queries and updates.
CREATE USER clerk WITHOUT LOGIN
GRANT SELECT ON t TO clerk
GO
EXECUTE AS USER = 'clerk'
DECLARE @p varbinary(16) = (SELECT TEXTPTR(tx) FROM t WHERE id = 2)
READTEXT t.tx @p 0 0
WRITETEXT t.tx @p 'not'
GO
REVERT
SELECT tx FROM t WHERE id = 2
GO
