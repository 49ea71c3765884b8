-- The database of the sample, with room for memory-optimized tables.
--
-- Run with sqlcmd or `thermocline sql`; both variables can be given with -v instead.

:setvar database_name "AdventureWorks2014"
:setvar checkpoint_files_location "data\"

IF DB_ID(N'$(database_name)') IS NULL
    CREATE DATABASE [$(database_name)];
GO

IF NOT EXISTS (SELECT * FROM [$(database_name)].sys.filegroups WHERE type = N'FX')
    ALTER DATABASE [$(database_name)]
        ADD FILEGROUP [AdventureWorks_mod] CONTAINS MEMORY_OPTIMIZED_DATA;
GO

IF NOT EXISTS (SELECT * FROM [$(database_name)].sys.database_files WHERE name = N'AdventureWorks_mod')
    ALTER DATABASE [$(database_name)]
        ADD FILE (NAME = N'AdventureWorks_mod', FILENAME = N'$(checkpoint_files_location)AdventureWorks_mod')
        TO FILEGROUP [AdventureWorks_mod];
GO
