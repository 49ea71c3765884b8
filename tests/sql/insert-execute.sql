-- Each result set is converted to the target's columns by itself.
CREATE TABLE words (n int IDENTITY, a varchar(20) NULL);
CREATE TABLE numbers (n int IDENTITY, c decimal(10, 2) NULL);
CREATE TABLE big (b bigint NULL);
CREATE TABLE short (s varchar(5) NOT NULL);
GO
INSERT words EXEC ('SELECT ''a''; SELECT ''bcd''; SELECT 12.50; SELECT NULL; SELECT N''efg''');
SELECT @@ROWCOUNT AS inserted;
SELECT n, a FROM words ORDER BY n;
GO
INSERT numbers EXEC ('SELECT 1; SELECT 2.75; SELECT 3 UNION ALL SELECT 4; SELECT 5.125');
SELECT @@ROWCOUNT AS inserted, SCOPE_IDENTITY() AS last;
SELECT n, c FROM numbers ORDER BY n;
GO
INSERT big EXEC ('SELECT 1; SELECT 3000000000');
SELECT b FROM big ORDER BY b;
GO
-- What does not fit is an error, and takes the rows of the other result sets with it.
INSERT short EXEC ('SELECT ''ok''; SELECT ''toolong''');
GO
INSERT short EXEC ('SELECT ''ok''; SELECT NULL');
GO
INSERT big EXEC ('SELECT 1; SELECT 1e30');
GO
SELECT COUNT(*) AS n FROM short;
SELECT COUNT(*) AS n FROM big;
GO
-- It is one statement: TOP, OUTPUT and triggers see all rows.
CREATE TABLE shown (n int, a varchar(20));
GO
INSERT TOP (2) numbers OUTPUT inserted.c INTO shown (n) EXEC ('SELECT 1.5; SELECT 2; SELECT 3.5');
SELECT @@ROWCOUNT AS inserted;
SELECT n FROM shown ORDER BY n;
GO
CREATE TRIGGER counts ON words AFTER INSERT AS
INSERT shown SELECT COUNT(*), MAX(a) FROM inserted;
GO
TRUNCATE TABLE shown;
INSERT words EXEC ('SELECT 1; SELECT ''z''; SELECT 2.5');
SELECT n, a FROM shown;
GO
-- A procedure that goes from one type to another in a loop.
CREATE PROCEDURE alternates AS
DECLARE @i int = 0;
WHILE @i < 100
BEGIN
    SELECT @i;
    SELECT CONVERT(decimal(10, 2), @i + 0.5);
    SET @i += 1;
END;
GO
TRUNCATE TABLE numbers;
INSERT numbers EXEC alternates;
SELECT @@ROWCOUNT AS inserted, SUM(c) AS total FROM numbers;
SELECT n, c FROM numbers WHERE n < 6 ORDER BY n;
GO
-- Result sets of another number of columns.
INSERT words EXEC ('SELECT ''a''; SELECT ''b'', ''c''');
GO
-- Rows of several result sets, of a procedure and of a text.
create table t (a int, b varchar(10))
go
create procedure p as select 1, 'x' select 2, 'y'
go
insert t exec p
insert t (a) exec('select 3')
select * from t
go
-- It is one statement: what the procedure has done is undone when the INSERT fails.
drop table t drop procedure p
create table t (a int check (a < 5)) create table log (a int)
go
create procedure p as insert log values (1) print @@trancount select 9
go
insert t exec p
go
select count(*) as n from log print @@trancount
go
