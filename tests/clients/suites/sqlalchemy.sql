-- The database that SQLAlchemy's tests expect.
IF DB_ID('test') IS NULL CREATE DATABASE test
GO
ALTER DATABASE test SET ALLOW_SNAPSHOT_ISOLATION ON
GO
USE test
GO
IF SCHEMA_ID('test_schema') IS NULL EXEC('CREATE SCHEMA test_schema')
IF SCHEMA_ID('test_schema_2') IS NULL EXEC('CREATE SCHEMA test_schema_2')
GO
