-- What the name of a procedure means can change between two runs of one EXEC.
CREATE SCHEMA other;
GO
CREATE PROCEDURE dbo.p AS SELECT 'dbo, first' AS what;
GO
CREATE PROCEDURE other.q AS SELECT 'other' AS what;
GO
CREATE USER walker WITHOUT LOGIN WITH DEFAULT_SCHEMA = other;
GRANT EXECUTE TO walker;
GO
-- Another procedure of the name, dropped and made in between.
DECLARE @i int = 0;
WHILE @i < 3
BEGIN
    EXEC p;
    IF @i = 0 EXEC ('ALTER PROCEDURE dbo.p AS SELECT ''dbo, altered'' AS what');
    IF @i = 1
    BEGIN
        DROP PROCEDURE dbo.p;
        EXEC ('CREATE PROCEDURE dbo.p AS SELECT ''dbo, made again'' AS what');
    END;
    SET @i += 1;
END;
GO
-- The default schema of another user comes first.
DECLARE @i int = 0;
WHILE @i < 4
BEGIN
    IF @i = 1 EXEC ('CREATE PROCEDURE other.p AS SELECT ''other'' AS what');
    IF @i = 2 EXECUTE AS USER = 'walker';
    EXEC p;
    IF @i = 2 REVERT;
    SET @i += 1;
END;
GO
-- A synonym that comes to mean another.
CREATE SYNONYM s FOR other.q;
GO
DECLARE @i int = 0;
WHILE @i < 2
BEGIN
    EXEC s;
    DROP SYNONYM s;
    CREATE SYNONYM s FOR dbo.p;
    SET @i += 1;
END;
GO
-- What only the transaction knows is forgotten when it is rolled back.
BEGIN TRANSACTION;
DECLARE @i int = 0;
WHILE @i < 2
BEGIN
    IF @i = 0 EXEC ('ALTER PROCEDURE dbo.p AS SELECT ''dbo, not for long'' AS what');
    EXEC p;
    IF @i = 0 ROLLBACK;
    SET @i += 1;
END;
GO
-- It is gone.
DECLARE @i int = 0;
WHILE @i < 2
BEGIN
    EXEC p;
    DROP PROCEDURE dbo.p;
    SET @i += 1;
END;
GO
DROP SYNONYM s; DROP PROCEDURE other.p; DROP PROCEDURE other.q; DROP USER walker; DROP SCHEMA other;
GO
