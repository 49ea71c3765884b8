-- Migrations of Entity Framework Core, and the queries by which it learns of a database.
IF OBJECT_ID(N'[__EFMigrationsHistory]') IS NULL
BEGIN
    CREATE TABLE [__EFMigrationsHistory] (
        [MigrationId] nvarchar(150) NOT NULL,
        [ProductVersion] nvarchar(32) NOT NULL,
        CONSTRAINT [PK___EFMigrationsHistory] PRIMARY KEY ([MigrationId])
    );
END;
go
IF EXISTS
    (SELECT *
     FROM [sys].[objects] o
     WHERE [o].[type] = 'U'
     AND [o].[is_ms_shipped] = 0
     AND NOT EXISTS (SELECT *
         FROM [sys].[extended_properties] AS [ep]
         WHERE [ep].[major_id] = [o].[object_id]
             AND [ep].[minor_id] = 0
             AND [ep].[class] = 1
             AND [ep].[name] = N'microsoft_database_tools_support'
    )
)
SELECT 1 ELSE SELECT 0
go
-- the lock of version 9
DECLARE @result int;
EXEC @result = sp_getapplock @Resource = '__EFMigrationsLock', @LockOwner = 'Session', @LockMode = 'Exclusive';
SELECT @result
go
SELECT OBJECT_ID(N'[__EFMigrationsHistory]') - OBJECT_ID(N'[__EFMigrationsHistory]');
SELECT [MigrationId], [ProductVersion]
FROM [__EFMigrationsHistory]
ORDER BY [MigrationId];
go
-- an idempotent script
BEGIN TRANSACTION;
IF NOT EXISTS (
    SELECT * FROM [__EFMigrationsHistory]
    WHERE [MigrationId] = N'20240101000000_Initial'
)
BEGIN
    IF SCHEMA_ID(N'sales') IS NULL EXEC(N'CREATE SCHEMA [sales];');
END;

IF NOT EXISTS (
    SELECT * FROM [__EFMigrationsHistory]
    WHERE [MigrationId] = N'20240101000000_Initial'
)
BEGIN
    CREATE SEQUENCE [sales].[OrderNumbers] AS int START WITH 1000 INCREMENT BY 5 MINVALUE 1 MAXVALUE 99999 CYCLE;
END;

IF NOT EXISTS (
    SELECT * FROM [__EFMigrationsHistory]
    WHERE [MigrationId] = N'20240101000000_Initial'
)
BEGIN
    CREATE TABLE [sales].[Customers] (
        [Id] int NOT NULL IDENTITY(10, 5),
        [First] nvarchar(50) NOT NULL,
        [Last] nvarchar(50) NOT NULL,
        [FullName] AS [Last] + N', ' + [First] PERSISTED,
        [Credit] decimal(18,2) NOT NULL DEFAULT 0.0,
        [Created] datetime2(3) NOT NULL DEFAULT (GETUTCDATE()),
        [Code] varchar(20) COLLATE Latin1_General_BIN2 NULL,
        [Photo] varbinary(max) NULL,
        [Version] rowversion NULL,
        [Number] int NOT NULL DEFAULT (NEXT VALUE FOR [sales].[OrderNumbers]),
        CONSTRAINT [PK_Customers] PRIMARY KEY ([Id]),
        CONSTRAINT [AK_Customers_Number] UNIQUE ([Number]),
        CONSTRAINT [CK_Customers_Credit] CHECK ([Credit] >= 0)
    );
    DECLARE @defaultSchema AS sysname;
    SET @defaultSchema = SCHEMA_NAME();
    DECLARE @description AS sql_variant;
    SET @description = N'Who buys';
    EXEC sp_addextendedproperty 'MS_Description', @description, 'SCHEMA', N'sales', 'TABLE', N'Customers';
    SET @description = N'What a customer owes at most';
    EXEC sp_addextendedproperty 'MS_Description', @description, 'SCHEMA', N'sales', 'TABLE', N'Customers', 'COLUMN', N'Credit';
END;

IF NOT EXISTS (
    SELECT * FROM [__EFMigrationsHistory]
    WHERE [MigrationId] = N'20240101000000_Initial'
)
BEGIN
    CREATE TABLE [sales].[Orders] (
        [CustomerId] int NOT NULL,
        [Line] int NOT NULL,
        [Note] nvarchar(200) NULL,
        [Key] uniqueidentifier NOT NULL,
        CONSTRAINT [PK_Orders] PRIMARY KEY NONCLUSTERED ([CustomerId], [Line]),
        CONSTRAINT [FK_Orders_Customers_CustomerId] FOREIGN KEY ([CustomerId]) REFERENCES [sales].[Customers] ([Id]) ON DELETE CASCADE
    );
END;

IF NOT EXISTS (
    SELECT * FROM [__EFMigrationsHistory]
    WHERE [MigrationId] = N'20240101000000_Initial'
)
BEGIN
    IF EXISTS (SELECT * FROM [sys].[identity_columns] WHERE [name] IN (N'Id', N'First', N'Last') AND [object_id] = OBJECT_ID(N'[sales].[Customers]'))
        SET IDENTITY_INSERT [sales].[Customers] ON;
    EXEC(N'INSERT INTO [sales].[Customers] ([Id], [First], [Last])
    VALUES (1, N''Ann'', N''Ash''),
    (2, N''Bob'', N''Birch'')');
    IF EXISTS (SELECT * FROM [sys].[identity_columns] WHERE [name] IN (N'Id', N'First', N'Last') AND [object_id] = OBJECT_ID(N'[sales].[Customers]'))
        SET IDENTITY_INSERT [sales].[Customers] OFF;
END;

IF NOT EXISTS (
    SELECT * FROM [__EFMigrationsHistory]
    WHERE [MigrationId] = N'20240101000000_Initial'
)
BEGIN
    EXEC(N'CREATE UNIQUE INDEX [IX_Customers_Code] ON [sales].[Customers] ([Code]) INCLUDE ([First]) WHERE [Code] IS NOT NULL WITH (FILLFACTOR = 80)');
END;

IF NOT EXISTS (
    SELECT * FROM [__EFMigrationsHistory]
    WHERE [MigrationId] = N'20240101000000_Initial'
)
BEGIN
    CREATE INDEX [IX_Orders_Key_Note] ON [sales].[Orders] ([Key], [Note] DESC);
    INSERT INTO [__EFMigrationsHistory] ([MigrationId], [ProductVersion])
    VALUES (N'20240101000000_Initial', N'9.0.0');
END;

COMMIT;
go
-- the next migration: columns become others
BEGIN TRANSACTION;
DROP INDEX [IX_Customers_Code] ON [sales].[Customers];
DECLARE @var sysname;
SELECT @var = [d].[name]
FROM [sys].[default_constraints] [d]
INNER JOIN [sys].[columns] [c] ON [d].[parent_column_id] = [c].[column_id] AND [d].[parent_object_id] = [c].[object_id]
WHERE ([d].[parent_object_id] = OBJECT_ID(N'[sales].[Customers]') AND [c].[name] = N'Code');
IF @var IS NOT NULL EXEC(N'ALTER TABLE [sales].[Customers] DROP CONSTRAINT [' + @var + '];');
UPDATE [sales].[Customers] SET [Code] = '' WHERE [Code] IS NULL;
ALTER TABLE [sales].[Customers] ALTER COLUMN [Code] nvarchar(30) NOT NULL;
ALTER TABLE [sales].[Customers] ADD DEFAULT N'' FOR [Code];
DECLARE @var1 nvarchar(max);
SELECT @var1 = QUOTENAME([d].[name])
FROM [sys].[default_constraints] [d]
INNER JOIN [sys].[columns] [c] ON [d].[parent_column_id] = [c].[column_id] AND [d].[parent_object_id] = [c].[object_id]
WHERE ([d].[parent_object_id] = OBJECT_ID(N'[sales].[Customers]') AND [c].[name] = N'Credit');
IF @var1 IS NOT NULL EXEC(N'ALTER TABLE [sales].[Customers] DROP CONSTRAINT ' + @var1 + ';');
ALTER TABLE [sales].[Customers] ADD CONSTRAINT [DF_Credit] DEFAULT 10.0 FOR [Credit];
EXEC sp_rename N'[sales].[Orders].[Note]', N'Comment', 'COLUMN';
EXEC sp_rename N'[sales].[Orders].[IX_Orders_Key_Note]', N'IX_Orders_Key_Comment', 'INDEX';
ALTER TABLE [sales].[Orders] DROP CONSTRAINT [FK_Orders_Customers_CustomerId];
ALTER TABLE [sales].[Orders] ADD CONSTRAINT [FK_Orders_Customers] FOREIGN KEY ([CustomerId]) REFERENCES [sales].[Customers] ([Id]) ON DELETE NO ACTION;
ALTER TABLE [sales].[Customers] ADD [Details] nvarchar(max) NOT NULL DEFAULT N'{}';
EXEC sp_dropextendedproperty 'MS_Description', 'SCHEMA', N'sales', 'TABLE', N'Customers', 'COLUMN', N'Credit';
INSERT INTO [__EFMigrationsHistory] ([MigrationId], [ProductVersion])
VALUES (N'20240201000000_Next', N'9.0.0');
COMMIT;
go
-- tables move between schemas; sequences are changed
IF SCHEMA_ID(N'archive') IS NULL EXEC(N'CREATE SCHEMA [archive];');
go
ALTER SCHEMA [archive] TRANSFER [sales].[Orders];
ALTER SEQUENCE [sales].[OrderNumbers] INCREMENT BY 7 NO MINVALUE NO MAXVALUE NO CYCLE CACHE 20;
ALTER SEQUENCE [sales].[OrderNumbers] RESTART WITH 5000;
EXEC sp_rename N'[archive].[Orders]', N'OldOrders', 'OBJECT';
select [Id], [FullName], [Credit], [Code], [Number], [Details] from [sales].[Customers] order by [Id]
go
DELETE FROM [__EFMigrationsHistory]
WHERE [MigrationId] = N'20240201000000_Next';
SELECT @@ROWCOUNT;
DECLARE @result int;
EXEC @result = sp_releaseapplock @Resource = '__EFMigrationsLock', @LockOwner = 'Session';
SELECT @result
go
-- what the server is
SELECT SERVERPROPERTY('EngineEdition') AS [Edition];
SELECT CASE WHEN compatibility_level >= 130 THEN 1 ELSE 0 END FROM sys.databases WHERE name = DB_NAME();
SELECT CONVERT(nvarchar(max), SCHEMA_NAME()) AS [schema], CASE WHEN DATABASEPROPERTYEX(DB_NAME(), 'Collation') IS NULL THEN 0 ELSE 1 END AS [collation];
IF EXISTS (SELECT 1 FROM [sys].[databases] WHERE [name] = N'nothing') SELECT 1 ELSE SELECT 0
go
-- types of users
SELECT SCHEMA_NAME([t].[schema_id]) AS [schema_name], [t].[name] AS [type_name], [t2].[name] AS [underlying_system_type], CAST([t].[max_length] AS int) AS [max_length], CAST([t].[precision] AS int) AS [precision], CAST([t].[scale] AS int) AS [scale]
FROM [sys].[types] AS [t]
JOIN [sys].[types] AS [t2] ON [t].[system_type_id] = [t2].[user_type_id]
WHERE [t].[is_user_defined] = 1 OR [t].[system_type_id] <> [t].[user_type_id]
ORDER BY [t].[name]
go
-- sequences
SELECT OBJECT_SCHEMA_NAME([s].[object_id]) AS [schema_name], [s].[name], TYPE_NAME([s].[user_type_id]) AS [type_name], CAST([s].[precision] AS int) AS [precision], CAST([s].[scale] AS int) AS [scale], [s].[is_cycling],
    CAST([s].[increment] AS int) AS [increment], [s].[is_cached], CAST([s].[cache_size] AS int) AS [cache_size],
    CAST(CASE WHEN [s].[start_value] > 9223372036854775807 THEN 9223372036854775807 WHEN [s].[start_value] < -9223372036854775808 THEN -9223372036854775808 ELSE [s].[start_value] END AS bigint) AS [start_value],
    CAST([s].[minimum_value] AS bigint) AS [minimum_value], CAST([s].[maximum_value] AS bigint) AS [maximum_value]
FROM [sys].[sequences] AS [s]
go
-- tables and views
SELECT SCHEMA_NAME([t].[schema_id]) AS [schema], [t].[name], CAST([e].[value] AS nvarchar(MAX)) AS [comment], 'table' AS [type], [t].[is_memory_optimized], [t].[temporal_type], (SELECT [t2].[name] FROM [sys].[tables] AS [t2] WHERE [t2].[object_id] = [t].[history_table_id]) AS [history_table_name],
    (SELECT SCHEMA_NAME([t2].[schema_id]) FROM [sys].[tables] AS [t2] WHERE [t2].[object_id] = [t].[history_table_id]) AS [history_table_schema],
    (SELECT [c].[name] FROM [sys].[periods] AS [p] INNER JOIN [sys].[columns] AS [c] ON [p].[object_id] = [c].[object_id] AND [p].[start_column_id] = [c].[column_id] WHERE [p].[object_id] = [t].[object_id]) AS [period_start_column]
FROM [sys].[tables] AS [t]
LEFT JOIN [sys].[extended_properties] AS [e] ON [e].[major_id] = [t].[object_id] AND [e].[minor_id] = 0 AND [e].[class] = 1 AND [e].[name] = 'MS_Description'
WHERE [t].[is_ms_shipped] = 0
AND NOT EXISTS (SELECT * FROM [sys].[extended_properties] AS [ep] WHERE [ep].[major_id] = [t].[object_id] AND [ep].[minor_id] = 0 AND [ep].[class] = 1 AND [ep].[name] = N'microsoft_database_tools_support')
AND [t].[temporal_type] <> 1
UNION
SELECT SCHEMA_NAME([v].[schema_id]) AS [schema], [v].[name], NULL, 'view', CAST(0 AS bit), CAST(0 AS tinyint), NULL, NULL, NULL
FROM [sys].[views] [v] WHERE [v].[is_ms_shipped] = 0 AND [v].[is_date_correlation_view] = 0
ORDER BY 1, 2
go
-- columns
SELECT SCHEMA_NAME([o].[schema_id]) AS [table_schema], [o].[name] AS [table_name], [c].[name] AS [column_name], [c].[column_id] AS [ordinal], SCHEMA_NAME([tp].[schema_id]) AS [type_schema], [tp].[name] AS [type_name],
    CAST([c].[max_length] AS int) AS [max_length], CAST([c].[precision] AS int) AS [precision], CAST([c].[scale] AS int) AS [scale], [c].[is_nullable], [c].[is_identity],
    [dc].[definition] AS [default_sql], CASE WHEN [dc].[is_system_named] = 0 THEN [dc].[name] END AS [default_name], [cc].[definition] AS [computed_sql], [cc].[is_persisted] AS [computed_is_persisted],
    CAST([e].[value] AS nvarchar(MAX)) AS [comment], [c].[collation_name], [c].[is_sparse], [c].[is_hidden], [c].[generated_always_type]
FROM (
    SELECT [v].[name], [v].[object_id], [v].[schema_id] FROM [sys].[views] v WHERE [v].[is_ms_shipped] = 0
    UNION ALL
    SELECT [t].[name], [t].[object_id], [t].[schema_id] FROM [sys].[tables] t WHERE [t].[is_ms_shipped] = 0) o
JOIN [sys].[columns] AS [c] ON [o].[object_id] = [c].[object_id]
JOIN [sys].[types] AS [tp] ON [c].[user_type_id] = [tp].[user_type_id]
LEFT JOIN [sys].[extended_properties] AS [e] ON [e].[major_id] = [o].[object_id] AND [e].[minor_id] = [c].[column_id] AND [e].[class] = 1 AND [e].[name] = 'MS_Description'
LEFT JOIN [sys].[computed_columns] AS [cc] ON [c].[object_id] = [cc].[object_id] AND [c].[column_id] = [cc].[column_id]
LEFT JOIN [sys].[default_constraints] AS [dc] ON [c].[object_id] = [dc].[parent_object_id] AND [c].[column_id] = [dc].[parent_column_id]
WHERE [c].[generated_always_type] <> 1 AND [c].[generated_always_type] <> 2 AND [o].[name] IN (N'Customers', N'OldOrders')
ORDER BY [table_schema], [table_name], [c].[column_id]
go
-- indexes
SELECT SCHEMA_NAME([t].[schema_id]) AS [table_schema], [t].[name] AS [table_name], [i].[name] AS [index_name], [i].[type_desc], [i].[is_primary_key], [i].[is_unique_constraint], [i].[is_unique], [i].[has_filter], [i].[filter_definition], [i].[fill_factor],
    COL_NAME([ic].[object_id], [ic].[column_id]) AS [column_name], [ic].[is_descending_key], [ic].[is_included_column]
FROM [sys].[indexes] AS [i]
JOIN [sys].[tables] AS [t] ON [i].[object_id] = [t].[object_id]
JOIN [sys].[index_columns] AS [ic] ON [i].[object_id] = [ic].[object_id] AND [i].[index_id] = [ic].[index_id]
JOIN [sys].[columns] AS [c] ON [ic].[object_id] = [c].[object_id] AND [ic].[column_id] = [c].[column_id]
WHERE [i].[is_hypothetical] = 0 AND [t].[is_ms_shipped] = 0
ORDER BY [table_schema], [table_name], [index_name], [ic].[key_ordinal]
go
-- foreign keys and triggers
SELECT SCHEMA_NAME([t].[schema_id]) AS [table_schema], [t].[name] AS [table_name], [f].[name], SCHEMA_NAME(tab2.schema_id) AS [principal_table_schema], [tab2].name AS [principal_table_name], [f].[delete_referential_action_desc], [col1].[name] AS [column_name], [col2].[name] AS [referenced_column_name]
FROM [sys].[foreign_keys] AS [f]
JOIN [sys].[foreign_key_columns] AS fc ON [fc].[constraint_object_id] = [f].[object_id]
JOIN [sys].[tables] AS [t] ON [t].[object_id] = [fc].[parent_object_id]
JOIN [sys].[columns] AS [col1] ON [col1].[column_id] = [fc].[parent_column_id] AND [col1].[object_id] = [t].[object_id]
JOIN [sys].[tables] AS [tab2] ON [tab2].[object_id] = [fc].[referenced_object_id]
JOIN [sys].[columns] AS [col2] ON [col2].[column_id] = [fc].[referenced_column_id] AND [col2].[object_id] = [tab2].[object_id]
ORDER BY [table_schema], [table_name], [f].[name], [fc].[constraint_column_id]
SELECT SCHEMA_NAME([t].[schema_id]) AS [table_schema], [t].[name] AS [table_name], [tr].[name] AS [trigger_name] FROM [sys].[triggers] AS [tr] JOIN [sys].[tables] AS [t] ON [tr].[parent_id] = [t].[object_id] WHERE [t].[is_ms_shipped] = 0
go
-- databases are made and dropped
IF SERVERPROPERTY('EngineEdition') <> 5
BEGIN
    EXEC(N'CREATE DATABASE [EF made];');
END;
IF SERVERPROPERTY('EngineEdition') <> 5
BEGIN
    ALTER DATABASE [EF made] SET READ_COMMITTED_SNAPSHOT ON;
END;
DECLARE @db_name nvarchar(max) = DB_NAME(DB_ID(N'EF made'));
IF SERVERPROPERTY('EngineEdition') <> 5
BEGIN
    DECLARE @defaultCollation nvarchar(max) = CAST(SERVERPROPERTY('Collation') AS nvarchar(max));
    EXEC(N'ALTER DATABASE [' + @db_name + N'] COLLATE ' + @defaultCollation + N';');
END
SELECT @db_name
go
IF SERVERPROPERTY('EngineEdition') <> 5
BEGIN
    ALTER DATABASE [EF made] SET SINGLE_USER WITH ROLLBACK IMMEDIATE;
END;
DROP DATABASE [EF made];
go
