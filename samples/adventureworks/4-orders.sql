-- The procedures of the sample.

USE [$(database_name)];
GO

CREATE PROCEDURE Sales.usp_InsertSalesOrder_inmem
    @SalesOrderID int OUTPUT,
    @DueDate datetime2 NOT NULL,
    @CustomerID int NOT NULL,
    @BillToAddressID int NOT NULL,
    @ShipToAddressID int NOT NULL,
    @ShipMethodID int NOT NULL,
    @SalesOrderDetails Sales.SalesOrderDetailType_inmem READONLY,
    @Status tinyint NOT NULL = 1,
    @OnlineOrderFlag bit NOT NULL = 1,
    @PurchaseOrderNumber nvarchar(25) = NULL,
    @AccountNumber nvarchar(15) = NULL,
    @SalesPersonID int NOT NULL = -1,
    @TerritoryID int = NULL,
    @CreditCardID int = NULL,
    @CreditCardApprovalCode varchar(15) = NULL,
    @CurrencyRateID int = NULL,
    @Comment nvarchar(128) = NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH
    (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')

    -- The time is read once, for all rows of the order.
    DECLARE @Now datetime2 = SYSDATETIME();

    DECLARE @SubTotal money NOT NULL = 0;
    SELECT @SubTotal = ISNULL(SUM(p.ListPrice * (1 - ISNULL(so.DiscountPct, 0))), 0)
    FROM @SalesOrderDetails AS od
        INNER JOIN Production.Product_inmem AS p ON od.ProductID = p.ProductID
        LEFT OUTER JOIN Sales.SpecialOffer_inmem AS so ON od.SpecialOfferID = so.SpecialOfferID;

    INSERT INTO Sales.SalesOrderHeader_inmem
        (DueDate, Status, OnlineOrderFlag, PurchaseOrderNumber, AccountNumber, CustomerID, SalesPersonID,
         TerritoryID, BillToAddressID, ShipToAddressID, ShipMethodID, CreditCardID,
         CreditCardApprovalCode, CurrencyRateID, Comment, OrderDate, SubTotal, ModifiedDate)
    VALUES
        (@DueDate, @Status, @OnlineOrderFlag, @PurchaseOrderNumber, @AccountNumber, @CustomerID, @SalesPersonID,
         @TerritoryID, @BillToAddressID, @ShipToAddressID, @ShipMethodID, @CreditCardID,
         @CreditCardApprovalCode, @CurrencyRateID, @Comment, @Now, @SubTotal, @Now);

    SET @SalesOrderID = SCOPE_IDENTITY();

    INSERT INTO Sales.SalesOrderDetail_inmem
        (SalesOrderID, OrderQty, ProductID, SpecialOfferID, UnitPrice, UnitPriceDiscount, ModifiedDate)
    SELECT @SalesOrderID, od.OrderQty, od.ProductID, od.SpecialOfferID, p.ListPrice,
           ISNULL(p.ListPrice * so.DiscountPct, 0), @Now
    FROM @SalesOrderDetails AS od
        INNER JOIN Production.Product_inmem AS p ON od.ProductID = p.ProductID
        LEFT OUTER JOIN Sales.SpecialOffer_inmem AS so ON od.SpecialOfferID = so.SpecialOfferID;
END;
GO

CREATE PROCEDURE Sales.usp_InsertSalesOrder_ondisk
    @SalesOrderID int OUTPUT,
    @DueDate datetime2,
    @CustomerID int,
    @BillToAddressID int,
    @ShipToAddressID int,
    @ShipMethodID int,
    @SalesOrderDetails Sales.SalesOrderDetailType_ondisk READONLY,
    @Status tinyint = 1,
    @OnlineOrderFlag bit = 1,
    @PurchaseOrderNumber nvarchar(25) = NULL,
    @AccountNumber nvarchar(15) = NULL,
    @SalesPersonID int = -1,
    @TerritoryID int = NULL,
    @CreditCardID int = NULL,
    @CreditCardApprovalCode varchar(15) = NULL,
    @CurrencyRateID int = NULL,
    @Comment nvarchar(128) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;

    -- The time is read once, for all rows of the order.
    DECLARE @Now datetime2 = SYSDATETIME();

    DECLARE @SubTotal money;
    SELECT @SubTotal = ISNULL(SUM(p.ListPrice * (1 - ISNULL(so.DiscountPct, 0))), 0)
    FROM @SalesOrderDetails AS od
        INNER JOIN Production.Product_ondisk AS p ON od.ProductID = p.ProductID
        LEFT OUTER JOIN Sales.SpecialOffer_ondisk AS so ON od.SpecialOfferID = so.SpecialOfferID;

    BEGIN TRANSACTION;

    INSERT INTO Sales.SalesOrderHeader_ondisk
        (DueDate, Status, OnlineOrderFlag, PurchaseOrderNumber, AccountNumber, CustomerID, SalesPersonID,
         TerritoryID, BillToAddressID, ShipToAddressID, ShipMethodID, CreditCardID,
         CreditCardApprovalCode, CurrencyRateID, Comment, OrderDate, SubTotal, ModifiedDate)
    VALUES
        (@DueDate, @Status, @OnlineOrderFlag, @PurchaseOrderNumber, @AccountNumber, @CustomerID, @SalesPersonID,
         @TerritoryID, @BillToAddressID, @ShipToAddressID, @ShipMethodID, @CreditCardID,
         @CreditCardApprovalCode, @CurrencyRateID, @Comment, @Now, @SubTotal, @Now);

    SET @SalesOrderID = SCOPE_IDENTITY();

    INSERT INTO Sales.SalesOrderDetail_ondisk
        (SalesOrderID, OrderQty, ProductID, SpecialOfferID, UnitPrice, UnitPriceDiscount, ModifiedDate)
    SELECT @SalesOrderID, od.OrderQty, od.ProductID, od.SpecialOfferID, p.ListPrice,
           ISNULL(p.ListPrice * so.DiscountPct, 0), @Now
    FROM @SalesOrderDetails AS od
        INNER JOIN Production.Product_ondisk AS p ON od.ProductID = p.ProductID
        LEFT OUTER JOIN Sales.SpecialOffer_ondisk AS so ON od.SpecialOfferID = so.SpecialOfferID;

    COMMIT TRANSACTION;
END;
GO

-- The same on memory-optimized tables: what native compilation is measured against.
CREATE PROCEDURE Sales.usp_InsertSalesOrder_interpreted
    @SalesOrderID int OUTPUT,
    @DueDate datetime2,
    @CustomerID int,
    @BillToAddressID int,
    @ShipToAddressID int,
    @ShipMethodID int,
    @SalesOrderDetails Sales.SalesOrderDetailType_inmem READONLY,
    @Status tinyint = 1,
    @OnlineOrderFlag bit = 1,
    @PurchaseOrderNumber nvarchar(25) = NULL,
    @AccountNumber nvarchar(15) = NULL,
    @SalesPersonID int = -1,
    @TerritoryID int = NULL,
    @CreditCardID int = NULL,
    @CreditCardApprovalCode varchar(15) = NULL,
    @CurrencyRateID int = NULL,
    @Comment nvarchar(128) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;

    -- The time is read once, for all rows of the order.
    DECLARE @Now datetime2 = SYSDATETIME();

    DECLARE @SubTotal money;
    SELECT @SubTotal = ISNULL(SUM(p.ListPrice * (1 - ISNULL(so.DiscountPct, 0))), 0)
    FROM @SalesOrderDetails AS od
        INNER JOIN Production.Product_inmem AS p WITH (SNAPSHOT) ON od.ProductID = p.ProductID
        LEFT OUTER JOIN Sales.SpecialOffer_inmem AS so WITH (SNAPSHOT) ON od.SpecialOfferID = so.SpecialOfferID;

    BEGIN TRANSACTION;

    INSERT INTO Sales.SalesOrderHeader_inmem
        (DueDate, Status, OnlineOrderFlag, PurchaseOrderNumber, AccountNumber, CustomerID, SalesPersonID,
         TerritoryID, BillToAddressID, ShipToAddressID, ShipMethodID, CreditCardID,
         CreditCardApprovalCode, CurrencyRateID, Comment, OrderDate, SubTotal, ModifiedDate)
    VALUES
        (@DueDate, @Status, @OnlineOrderFlag, @PurchaseOrderNumber, @AccountNumber, @CustomerID, @SalesPersonID,
         @TerritoryID, @BillToAddressID, @ShipToAddressID, @ShipMethodID, @CreditCardID,
         @CreditCardApprovalCode, @CurrencyRateID, @Comment, @Now, @SubTotal, @Now);

    SET @SalesOrderID = SCOPE_IDENTITY();

    INSERT INTO Sales.SalesOrderDetail_inmem
        (SalesOrderID, OrderQty, ProductID, SpecialOfferID, UnitPrice, UnitPriceDiscount, ModifiedDate)
    SELECT @SalesOrderID, od.OrderQty, od.ProductID, od.SpecialOfferID, p.ListPrice,
           ISNULL(p.ListPrice * so.DiscountPct, 0), @Now
    FROM @SalesOrderDetails AS od
        INNER JOIN Production.Product_inmem AS p WITH (SNAPSHOT) ON od.ProductID = p.ProductID
        LEFT OUTER JOIN Sales.SpecialOffer_inmem AS so WITH (SNAPSHOT) ON od.SpecialOfferID = so.SpecialOfferID;

    COMMIT TRANSACTION;
END;
GO

CREATE PROCEDURE Sales.usp_UpdateSalesOrderShipInfo_native
    @SalesOrderID int NOT NULL,
    @ShipDate datetime2 NOT NULL,
    @Comment nvarchar(128),
    @Status tinyint NOT NULL,
    @TaxRate smallmoney NOT NULL,
    @Freight money NOT NULL,
    @CarrierTrackingNumber nvarchar(25)
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH
    (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')

    DECLARE @Now datetime2 NOT NULL = SYSDATETIME();

    UPDATE Sales.SalesOrderDetail_inmem
    SET CarrierTrackingNumber = @CarrierTrackingNumber, ModifiedDate = @Now
    WHERE SalesOrderID = @SalesOrderID;

    UPDATE Sales.SalesOrderHeader_inmem
    SET RevisionNumber = RevisionNumber + 1,
        ShipDate = @ShipDate,
        Status = @Status,
        TaxAmt = SubTotal * @TaxRate,
        Freight = @Freight,
        Comment = ISNULL(@Comment, Comment),
        ModifiedDate = @Now
    WHERE SalesOrderID = @SalesOrderID;
END;
GO

-- Tries again when somebody else has changed the same order in the meantime.
CREATE PROCEDURE Sales.usp_UpdateSalesOrderShipInfo_inmem
    @SalesOrderID int,
    @ShipDate datetime2,
    @Comment nvarchar(128) = NULL,
    @Status tinyint,
    @TaxRate smallmoney,
    @Freight money,
    @CarrierTrackingNumber nvarchar(25) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retry int = 10;

    WHILE @retry > 0
    BEGIN
        BEGIN TRY
            EXEC Sales.usp_UpdateSalesOrderShipInfo_native
                @SalesOrderID = @SalesOrderID,
                @ShipDate = @ShipDate,
                @Comment = @Comment,
                @Status = @Status,
                @TaxRate = @TaxRate,
                @Freight = @Freight,
                @CarrierTrackingNumber = @CarrierTrackingNumber;
            SET @retry = 0;
        END TRY
        BEGIN CATCH
            SET @retry -= 1;
            IF @@TRANCOUNT > 0 AND XACT_STATE() = -1
                ROLLBACK TRANSACTION;
            -- Only conflicts are worth another try, and only where the transaction is our own.
            IF @retry = 0 OR ERROR_NUMBER() NOT IN (41302, 41305, 41325, 41301)
                THROW;
            WAITFOR DELAY '00:00:00.001';
        END CATCH
    END
END;
GO

CREATE PROCEDURE Sales.usp_UpdateSalesOrderShipInfo_ondisk
    @SalesOrderID int,
    @ShipDate datetime2,
    @Comment nvarchar(128) = NULL,
    @Status tinyint,
    @TaxRate smallmoney,
    @Freight money,
    @CarrierTrackingNumber nvarchar(25) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @Now datetime2 = SYSDATETIME();

    BEGIN TRANSACTION;

    UPDATE Sales.SalesOrderDetail_ondisk
    SET CarrierTrackingNumber = @CarrierTrackingNumber, ModifiedDate = @Now
    WHERE SalesOrderID = @SalesOrderID;

    UPDATE Sales.SalesOrderHeader_ondisk
    SET RevisionNumber = RevisionNumber + 1,
        ShipDate = @ShipDate,
        Status = @Status,
        TaxAmt = SubTotal * @TaxRate,
        Freight = @Freight,
        Comment = ISNULL(@Comment, Comment),
        ModifiedDate = @Now
    WHERE SalesOrderID = @SalesOrderID;

    COMMIT TRANSACTION;
END;
GO

