-- Order processing and fulfilment: customers, their orders, products with a hundred figures each, and criteria
-- that products are chosen by. This makes the database; 2-inmem.sql or 2-ondisk.sql makes its tables and
-- procedures, and 3-data.sql fills them.

:setvar database_name "OrderProcessing"

IF DB_ID(N'$(database_name)') IS NULL
    CREATE DATABASE [$(database_name)];
GO
IF NOT EXISTS (SELECT * FROM [$(database_name)].sys.filegroups WHERE type = N'FX')
    ALTER DATABASE [$(database_name)] ADD FILEGROUP [mod] CONTAINS MEMORY_OPTIMIZED_DATA;
GO
IF NOT EXISTS (SELECT * FROM [$(database_name)].sys.database_files WHERE name = N'mod')
    ALTER DATABASE [$(database_name)] ADD FILE (NAME = N'mod', FILENAME = N'mod') TO FILEGROUP [mod];
GO
ALTER DATABASE [$(database_name)] SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON;
GO
