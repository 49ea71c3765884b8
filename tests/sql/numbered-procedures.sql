-- Procedures of one name with numbers.
CREATE PROCEDURE p AS SELECT 'first' AS v
GO
CREATE PROCEDURE p;2 @x int = 5 AS SELECT CONCAT('second ', @x) AS v
GO
CREATE PROC p ; 3 AS SELECT 'third' AS v
GO
EXEC p
EXEC p;1
EXEC p;2
EXEC p;2 7
EXEC dbo.p ; 3
EXEC sp_executesql N'exec p;2'
DECLARE @name sysname = 'p;2'
EXEC @name 8
GO
SELECT name FROM sys.procedures WHERE name = 'p'
SELECT OBJECT_NAME(object_id) AS name, procedure_number, definition FROM sys.numbered_procedures
ORDER BY procedure_number
SELECT procedure_number, name, parameter_id, TYPE_NAME(user_type_id) AS type, max_length, is_output
FROM sys.numbered_procedure_parameters
SELECT OBJECT_DEFINITION(OBJECT_ID('p')) AS definition
SELECT COUNT(*) AS modules FROM sys.sql_modules WHERE object_id = OBJECT_ID('p')
EXEC sp_helptext 'p'
GO
CREATE PROCEDURE p;4 @a int AS
BEGIN TRY
  RAISERROR('no', 16, 1)
END TRY
BEGIN CATCH
  SELECT ERROR_PROCEDURE() AS name, OBJECT_NAME(@@PROCID) AS called
END CATCH
GO
EXEC p;4 1
GO
EXEC p;4
GO
EXEC p;9
GO
EXEC sp_who;2
GO
CREATE PROCEDURE p;2 AS SELECT 'again'
GO
ALTER PROCEDURE p;9 AS SELECT 'ninth'
GO
CREATE PROCEDURE q;2 AS SELECT 2
GO
CREATE PROCEDURE p;0 AS SELECT 0
GO
CREATE PROCEDURE p;32768 AS SELECT 0
GO
CREATE PROCEDURE p;6 AS SELECT no_column FROM sys.objects
GO
DROP PROCEDURE p;2
GO
-- One is altered, the others stay.
ALTER PROCEDURE p;2 AS SELECT 'another' AS v
GO
ALTER PROCEDURE p AS SELECT 'first of all' AS v
GO
CREATE OR ALTER PROCEDURE p;5 WITH ENCRYPTION AS SELECT 'fifth' AS v
GO
EXEC p
EXEC p;2
EXEC p;5
SELECT procedure_number, definition FROM sys.numbered_procedures ORDER BY procedure_number
GO
EXEC sp_stored_procedures 'p'
EXEC sp_sproc_columns 'p'
EXEC sp_sproc_columns 'p;4'
GO
-- Permissions are those of the procedure.
CREATE USER clerk WITHOUT LOGIN
GO
EXECUTE AS USER = 'clerk'
EXEC p;2
GO
SELECT COUNT(*) AS seen FROM sys.numbered_procedures
GO
REVERT
GRANT EXECUTE ON p TO clerk
GO
EXECUTE AS USER = 'clerk'
EXEC p;2
SELECT COUNT(*) AS seen, COUNT(definition) AS definitions FROM sys.numbered_procedures
GO
ALTER PROCEDURE p;2 AS SELECT 1
GO
REVERT
GO
EXEC sp_rename 'p', 'r'
EXEC r;3
GO
EXEC p;3
GO
CREATE SCHEMA elsewhere
GO
ALTER SCHEMA elsewhere TRANSFER r
EXEC elsewhere.r;3
DROP PROCEDURE elsewhere.r
SELECT COUNT(*) AS n FROM sys.numbered_procedures
DROP SCHEMA elsewhere
DROP USER clerk
GO
