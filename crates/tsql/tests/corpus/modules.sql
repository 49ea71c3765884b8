-- Procedures, functions, views and triggers.
--> Module
CREATE PROCEDURE dbo.usp_InsertSampleOrders (
    @InsertTotalCount int 
)
WITH NATIVE_COMPILATION, SCHEMABINDING AS 
BEGIN ATOMIC 
    WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE 
        @i INT = 0
    ;

    WHILE @i < @InsertTotalCount 
    BEGIN 
        INSERT INTO dbo.Orders values (SYSDATETIME(), 1, 1, 1, 1);
        
        SET
            @i = @i + 1
        ;
    END
END
GO
--> Module
CREATE PROCEDURE dbo.usp_QuerySamplesOrders(
    @queryCount int
)
WITH NATIVE_COMPILATION, SCHEMABINDING
AS BEGIN ATOMIC WITH   
(  TRANSACTION ISOLATION LEVEL = SNAPSHOT,  
  LANGUAGE = 'english')  
  
  SELECT TOP(@queryCount) OrderID,OrderDate,CustomerID,SourceID,StatusID,Amount
  FROM dbo.orders

END
GO
--> Module
CREATE PROCEDURE dbo.usp_InsertSampleOrders (
    @InsertTotalCount int 
)
AS
BEGIN    
    SET NOCOUNT ON
    DECLARE 
        @i INT = 0
    ;

    WHILE @i < @InsertTotalCount 
    BEGIN 
        INSERT INTO dbo.Orders values (SYSDATETIME(), 1, 1, 1, 1);
        
        SET
            @i = @i + 1
        ;
    END
END
GO
--> Module
CREATE PROC p;2 @a int = 5, @b nvarchar(10) = N'x' OUTPUT, @c AS dbo.T READONLY, @d CURSOR VARYING OUTPUT, @e money = -1, @f datetime = NULL OUT, @g sysname = word
WITH RECOMPILE, ENCRYPTION, EXECUTE AS OWNER FOR REPLICATION AS
SELECT 1
RETURN 0
GO
--> Module
CREATE OR ALTER PROCEDURE p AS BEGIN SELECT 1 END SELECT 2; IF 1 = 1 RETURN -1
GO
--> Module
ALTER PROCEDURE Sales.usp_UpdateSalesOrderShipInfo_native
	@SalesOrderID int NOT NULL, 
	@ShipDate datetime2 NOT NULL = '2020-01-01',
	@TaxRate smallmoney = 0
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH
	(TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english', DATEFIRST = 7, DATEFORMAT = mdy, DELAYED_DURABILITY = OFF)
	DECLARE @now datetime2 NOT NULL = SYSDATETIME()
	UPDATE Sales.SalesOrderDetail_inmem SET CarrierTrackingNumber = NULL WHERE SalesOrderID = @SalesOrderID
END
GO
--> Module
CREATE FUNCTION dbo.f (@a int, @b int = 1) RETURNS int WITH SCHEMABINDING, RETURNS NULL ON NULL INPUT, INLINE = ON AS
BEGIN
    DECLARE @r int
    SET @r = @a + @b
    RETURN @r
END
GO
--> Module
CREATE FUNCTION f () RETURNS decimal(10, 2) NULL WITH NATIVE_COMPILATION, SCHEMABINDING AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'English')
    RETURN 1
END
GO
--> Module
CREATE FUNCTION f (@a int) RETURNS TABLE AS RETURN (SELECT a FROM t WHERE a = @a)
GO
--> Module
CREATE FUNCTION f (@a int) RETURNS TABLE WITH SCHEMABINDING RETURN (WITH c AS (SELECT 1 AS x) SELECT x FROM c);
GO
--> Module
CREATE FUNCTION f (@a int) RETURNS TABLE AS RETURN WITH c AS (SELECT 1 AS x) SELECT x FROM c UNION ALL SELECT 2
GO
--> Module
CREATE FUNCTION f (@a dbo.T READONLY) RETURNS @r TABLE (a int PRIMARY KEY, b int) AS
BEGIN
    INSERT @r SELECT 1, 2
    RETURN
END
GO
--> Module
CREATE VIEW [Sales].[vSalesOrderHeader_extended_inmem] 
WITH SCHEMABINDING 
AS 
SELECT SalesOrderID, ISNULL(N'SO' + CONVERT([nvarchar](23), SalesOrderID), N'*** ERROR ***') AS SalesOrderNumber, ISNULL(SubTotal + TaxAmt + Freight, 0) AS TotalDue
FROM Sales.SalesOrderHeader_inmem
GO
--> Module
ALTER VIEW v (a, b) WITH VIEW_METADATA, ENCRYPTION AS WITH c AS (SELECT 1 AS x) SELECT x, 2 FROM c ORDER BY x OFFSET 0 ROWS WITH CHECK OPTION
GO
--> Module
CREATE TRIGGER dbo.tr ON dbo.t WITH EXECUTE AS 'u' AFTER INSERT, UPDATE NOT FOR REPLICATION AS
IF UPDATE(a) OR NOT UPDATE([b])
    ROLLBACK
IF COLUMNS_UPDATED() & 3 > 0 SELECT * FROM inserted JOIN deleted ON 1 = 1
GO
--> Module
CREATE OR ALTER TRIGGER tr ON t INSTEAD OF DELETE AS SET NOCOUNT ON
GO
--> Module
CREATE TRIGGER tr ON t WITH NATIVE_COMPILATION, SCHEMABINDING FOR DELETE AS BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'English') SELECT 1 END
GO
--> Module
CREATE TRIGGER tr ON DATABASE FOR CREATE_TABLE, DROP_TABLE AS PRINT 'x'
GO
--> Module
CREATE TRIGGER tr ON ALL SERVER FOR LOGON AS PRINT 'x'
