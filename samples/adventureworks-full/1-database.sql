-- The database, its schemas and the types of its columns.

CREATE DATABASE AdventureWorks;
GO
USE AdventureWorks;
GO
CREATE SCHEMA HumanResources;
GO
CREATE SCHEMA Person;
GO
CREATE SCHEMA Production;
GO
CREATE SCHEMA Purchasing;
GO
CREATE SCHEMA Sales;
GO

CREATE TYPE dbo.AccountNumber FROM nvarchar(15) NULL;
CREATE TYPE dbo.Flag FROM bit NOT NULL;
CREATE TYPE dbo.Name FROM nvarchar(50) NULL;
CREATE TYPE dbo.NameStyle FROM bit NOT NULL;
CREATE TYPE dbo.OrderNumber FROM nvarchar(25) NULL;
CREATE TYPE dbo.Phone FROM nvarchar(25) NULL;
GO

-- A number with zeros in front, eight digits long. Schema-bound, so that a computed column which
-- calls it can be indexed.
CREATE FUNCTION dbo.ufnLeadingZeros (@Value int)
RETURNS varchar(8)
WITH SCHEMABINDING
AS
BEGIN
    DECLARE @digits varchar(8) = CONVERT(varchar(8), @Value);
    RETURN REPLICATE('0', 8 - LEN(@digits)) + @digits;
END;
GO
