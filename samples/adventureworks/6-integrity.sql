-- Rules for the twins, taken from the constraints of the tables that they come from, and a procedure that
-- looks whether the data keeps them.

USE [$(database_name)];
GO

CREATE TABLE dbo.DomainIntegrity
(
    RuleID int IDENTITY(1, 1) NOT NULL CONSTRAINT PK_DomainIntegrity PRIMARY KEY,
    ObjectID int NOT NULL,
    ConstraintName sysname NOT NULL,
    Definition nvarchar(max) NOT NULL
);

CREATE TABLE dbo.ReferentialIntegrity
(
    RuleID int IDENTITY(1, 1) NOT NULL CONSTRAINT PK_ReferentialIntegrity PRIMARY KEY,
    ObjectID int NOT NULL,
    ReferencedObjectID int NOT NULL,
    ConstraintName sysname NOT NULL,
    -- Pairs of columns: of the table, of the table referred to.
    ColumnName1 sysname NOT NULL,
    ReferencedColumnName1 sysname NOT NULL,
    ColumnName2 sysname NULL,
    ReferencedColumnName2 sysname NULL
);

CREATE TABLE dbo.UniqueIntegrity
(
    RuleID int IDENTITY(1, 1) NOT NULL CONSTRAINT PK_UniqueIntegrity PRIMARY KEY,
    ObjectID int NOT NULL,
    ConstraintName sysname NOT NULL,
    ColumnName1 sysname NOT NULL,
    ColumnName2 sysname NULL
);
GO

-- A query for the rows that break a check: unknown is no breach, as in a constraint.
CREATE PROCEDURE dbo.usp_GenerateCKCheck
    @rule_id int,
    @sql nvarchar(max) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT @sql = N'SELECT @rows = COUNT(*) FROM '
        + QUOTENAME(OBJECT_SCHEMA_NAME(ObjectID)) + N'.' + QUOTENAME(OBJECT_NAME(ObjectID))
        + N' WHERE NOT (' + Definition + N')'
    FROM dbo.DomainIntegrity
    WHERE RuleID = @rule_id;
END;
GO

-- A query for the rows that refer to nothing. -1 stands for NULL in the twins and refers to nothing by right.
CREATE PROCEDURE dbo.usp_GenerateFKCheck
    @rule_id int,
    @sql nvarchar(max) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SELECT @sql = N'SELECT @rows = COUNT(*) FROM '
        + QUOTENAME(OBJECT_SCHEMA_NAME(ObjectID)) + N'.' + QUOTENAME(OBJECT_NAME(ObjectID))
        + N' AS child WHERE child.' + QUOTENAME(ColumnName1) + N' IS NOT NULL AND CAST(child.'
        + QUOTENAME(ColumnName1) + N' AS nvarchar(40)) <> N''-1'''
        + ISNULL(N' AND child.' + QUOTENAME(ColumnName2) + N' IS NOT NULL', N'')
        + N' AND NOT EXISTS (SELECT * FROM '
        + QUOTENAME(OBJECT_SCHEMA_NAME(ReferencedObjectID)) + N'.' + QUOTENAME(OBJECT_NAME(ReferencedObjectID))
        + N' AS parent WHERE parent.' + QUOTENAME(ReferencedColumnName1) + N' = child.' + QUOTENAME(ColumnName1)
        + ISNULL(N' AND parent.' + QUOTENAME(ReferencedColumnName2) + N' = child.' + QUOTENAME(ColumnName2), N'')
        + N')'
    FROM dbo.ReferentialIntegrity
    WHERE RuleID = @rule_id;
END;
GO

-- A query for the keys that occur more than once.
CREATE PROCEDURE dbo.usp_GenerateUQCheck
    @rule_id int,
    @sql nvarchar(max) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @columns nvarchar(600), @object_id int;
    SELECT @columns = QUOTENAME(ColumnName1) + ISNULL(N', ' + QUOTENAME(ColumnName2), N''),
           @object_id = ObjectID
    FROM dbo.UniqueIntegrity
    WHERE RuleID = @rule_id;

    SET @sql = N'SELECT @rows = COUNT(*) FROM (SELECT ' + @columns + N' FROM '
        + QUOTENAME(OBJECT_SCHEMA_NAME(@object_id)) + N'.' + QUOTENAME(OBJECT_NAME(@object_id))
        + N' GROUP BY ' + @columns + N' HAVING COUNT(*) > 1) AS duplicate';
END;
GO

-- Reports the rules that rows break: of one table, or of all. Returns how many.
CREATE PROCEDURE dbo.usp_ValidateIntegrity
    @object_id int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @kind nchar(2), @rule_id int, @object int, @constraint sysname;
    DECLARE @sql nvarchar(max), @rows int, @broken int = 0;

    DECLARE rules CURSOR LOCAL STATIC FORWARD_ONLY READ_ONLY FOR
        SELECT N'CK', RuleID, ObjectID, ConstraintName FROM dbo.DomainIntegrity
        WHERE @object_id IS NULL OR ObjectID = @object_id
        UNION ALL
        SELECT N'FK', RuleID, ObjectID, ConstraintName FROM dbo.ReferentialIntegrity
        WHERE @object_id IS NULL OR ObjectID = @object_id
        UNION ALL
        SELECT N'UQ', RuleID, ObjectID, ConstraintName FROM dbo.UniqueIntegrity
        WHERE @object_id IS NULL OR ObjectID = @object_id;

    OPEN rules;
    FETCH NEXT FROM rules INTO @kind, @rule_id, @object, @constraint;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        IF @kind = N'CK'
            EXEC dbo.usp_GenerateCKCheck @rule_id, @sql OUTPUT;
        ELSE IF @kind = N'FK'
            EXEC dbo.usp_GenerateFKCheck @rule_id, @sql OUTPUT;
        ELSE
            EXEC dbo.usp_GenerateUQCheck @rule_id, @sql OUTPUT;

        EXEC sp_executesql @sql, N'@rows int OUTPUT', @rows = @rows OUTPUT;
        IF @rows > 0
        BEGIN
            DECLARE @table nvarchar(300) = OBJECT_SCHEMA_NAME(@object) + N'.' + OBJECT_NAME(@object);
            RAISERROR (N'%s: %d rows break the rule %s.', 16, 1, @table, @rows, @constraint);
            SET @broken += 1;
        END;
        FETCH NEXT FROM rules INTO @kind, @rule_id, @object, @constraint;
    END;
    CLOSE rules;
    DEALLOCATE rules;
    RETURN @broken;
END;
GO

-- The twins, each with the table that it comes from.
DECLARE @twins TABLE
(
    OriginalID int NOT NULL,
    TwinID int NOT NULL,
    Suffix nvarchar(10) NOT NULL,
    PRIMARY KEY (OriginalID, Suffix)
);

INSERT INTO @twins (OriginalID, TwinID, Suffix)
SELECT original.object_id, twin.object_id, suffix.name
FROM sys.tables AS original
    CROSS JOIN (VALUES (N'_inmem'), (N'_ondisk')) AS suffix (name)
    INNER JOIN sys.tables AS twin
        ON twin.schema_id = original.schema_id AND twin.name = original.name + suffix.name;

INSERT INTO dbo.DomainIntegrity (ObjectID, ConstraintName, Definition)
SELECT t.TwinID, ck.name, ck.definition
FROM sys.check_constraints AS ck
    INNER JOIN @twins AS t ON t.OriginalID = ck.parent_object_id;

INSERT INTO dbo.ReferentialIntegrity
    (ObjectID, ReferencedObjectID, ConstraintName, ColumnName1, ReferencedColumnName1, ColumnName2, ReferencedColumnName2)
SELECT t.TwinID,
       ISNULL(parent.TwinID, fk.referenced_object_id),
       fk.name,
       COL_NAME(first.parent_object_id, first.parent_column_id),
       COL_NAME(first.referenced_object_id, first.referenced_column_id),
       COL_NAME(second.parent_object_id, second.parent_column_id),
       COL_NAME(second.referenced_object_id, second.referenced_column_id)
FROM sys.foreign_keys AS fk
    INNER JOIN @twins AS t ON t.OriginalID = fk.parent_object_id
    INNER JOIN sys.foreign_key_columns AS first
        ON first.constraint_object_id = fk.object_id AND first.constraint_column_id = 1
    LEFT OUTER JOIN sys.foreign_key_columns AS second
        ON second.constraint_object_id = fk.object_id AND second.constraint_column_id = 2
    LEFT OUTER JOIN @twins AS parent
        ON parent.OriginalID = fk.referenced_object_id AND parent.Suffix = t.Suffix;

INSERT INTO dbo.UniqueIntegrity (ObjectID, ConstraintName, ColumnName1, ColumnName2)
SELECT t.TwinID, i.name, COL_NAME(first.object_id, first.column_id), COL_NAME(second.object_id, second.column_id)
FROM sys.indexes AS i
    INNER JOIN @twins AS t ON t.OriginalID = i.object_id
    INNER JOIN sys.index_columns AS first
        ON first.object_id = i.object_id AND first.index_id = i.index_id AND first.key_ordinal = 1
    LEFT OUTER JOIN sys.index_columns AS second
        ON second.object_id = i.object_id AND second.index_id = i.index_id AND second.key_ordinal = 2
WHERE i.is_unique = 1;
GO
