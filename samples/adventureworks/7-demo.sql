-- The seeds of the workload, and how to start over.

USE [$(database_name)];
GO

-- Makes the lines of sample orders from the pairs of offers and products, in their order: about
-- @items_per_order of them in each order.
CREATE PROCEDURE Demo.usp_DemoInitSeed
    @items_per_order int = 5
AS
BEGIN
    SET NOCOUNT ON;
    DELETE FROM Demo.DemoSalesOrderDetailSeed;
    DELETE FROM Demo.DemoSalesOrderHeaderSeed;

    DECLARE @orders int;
    SELECT @orders = COUNT(*) / @items_per_order FROM Sales.SpecialOfferProduct_inmem;

    INSERT INTO Demo.DemoSalesOrderDetailSeed (OrderQty, ProductID, SpecialOfferID, OrderID)
    SELECT i % 6 + 1, ProductID, SpecialOfferID, i % (@orders + 1)
    FROM (SELECT ProductID, SpecialOfferID,
                 ROW_NUMBER() OVER (ORDER BY SpecialOfferID, ProductID) AS i
          FROM Sales.SpecialOfferProduct_inmem) AS pair;

    INSERT INTO Demo.DemoSalesOrderHeaderSeed
        (DueDate, CustomerID, SalesPersonID, BillToAddressID, ShipToAddressID, ShipMethodID)
    SELECT DueDate, CustomerID, ISNULL(SalesPersonID, -1), BillToAddressID, ShipToAddressID, ShipMethodID
    FROM Sales.SalesOrderHeader;
END;
GO

-- Empties the orders of both kinds and fills them from the original tables.
CREATE PROCEDURE Demo.usp_DemoReset
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;

    DELETE FROM Sales.SalesOrderDetail_inmem;
    DELETE FROM Sales.SalesOrderHeader_inmem;
    TRUNCATE TABLE Sales.SalesOrderDetail_ondisk;
    TRUNCATE TABLE Sales.SalesOrderHeader_ondisk;

    SET IDENTITY_INSERT Sales.SalesOrderHeader_inmem ON;
    INSERT INTO Sales.SalesOrderHeader_inmem
        (SalesOrderID, RevisionNumber, OrderDate, DueDate, ShipDate, Status, OnlineOrderFlag,
         PurchaseOrderNumber, AccountNumber, CustomerID, SalesPersonID, TerritoryID, BillToAddressID,
         ShipToAddressID, ShipMethodID, CreditCardID, CreditCardApprovalCode, CurrencyRateID, SubTotal,
         TaxAmt, Freight, Comment, ModifiedDate)
    SELECT SalesOrderID, RevisionNumber, OrderDate, DueDate, ShipDate, Status, OnlineOrderFlag,
           PurchaseOrderNumber, AccountNumber, CustomerID, ISNULL(SalesPersonID, -1), TerritoryID,
           BillToAddressID, ShipToAddressID, ShipMethodID, CreditCardID, CreditCardApprovalCode,
           CurrencyRateID, SubTotal, TaxAmt, Freight, Comment, ModifiedDate
    FROM Sales.SalesOrderHeader;
    SET IDENTITY_INSERT Sales.SalesOrderHeader_inmem OFF;
    SET IDENTITY_INSERT Sales.SalesOrderDetail_inmem ON;
    INSERT INTO Sales.SalesOrderDetail_inmem
        (SalesOrderID, SalesOrderDetailID, CarrierTrackingNumber, OrderQty, ProductID, SpecialOfferID,
         UnitPrice, UnitPriceDiscount, ModifiedDate)
    SELECT SalesOrderID, SalesOrderDetailID, CarrierTrackingNumber, OrderQty, ProductID, SpecialOfferID,
           UnitPrice, UnitPriceDiscount, ModifiedDate
    FROM Sales.SalesOrderDetail;
    SET IDENTITY_INSERT Sales.SalesOrderDetail_inmem OFF;

    SET IDENTITY_INSERT Sales.SalesOrderHeader_ondisk ON;
    INSERT INTO Sales.SalesOrderHeader_ondisk
        (SalesOrderID, RevisionNumber, OrderDate, DueDate, ShipDate, Status, OnlineOrderFlag,
         PurchaseOrderNumber, AccountNumber, CustomerID, SalesPersonID, TerritoryID, BillToAddressID,
         ShipToAddressID, ShipMethodID, CreditCardID, CreditCardApprovalCode, CurrencyRateID, SubTotal,
         TaxAmt, Freight, Comment, ModifiedDate)
    SELECT SalesOrderID, RevisionNumber, OrderDate, DueDate, ShipDate, Status, OnlineOrderFlag,
           PurchaseOrderNumber, AccountNumber, CustomerID, ISNULL(SalesPersonID, -1), TerritoryID,
           BillToAddressID, ShipToAddressID, ShipMethodID, CreditCardID, CreditCardApprovalCode,
           CurrencyRateID, SubTotal, TaxAmt, Freight, Comment, ModifiedDate
    FROM Sales.SalesOrderHeader;
    SET IDENTITY_INSERT Sales.SalesOrderHeader_ondisk OFF;
    SET IDENTITY_INSERT Sales.SalesOrderDetail_ondisk ON;
    INSERT INTO Sales.SalesOrderDetail_ondisk
        (SalesOrderID, SalesOrderDetailID, CarrierTrackingNumber, OrderQty, ProductID, SpecialOfferID,
         UnitPrice, UnitPriceDiscount, ModifiedDate)
    SELECT SalesOrderID, SalesOrderDetailID, CarrierTrackingNumber, OrderQty, ProductID, SpecialOfferID,
           UnitPrice, UnitPriceDiscount, ModifiedDate
    FROM Sales.SalesOrderDetail;
    SET IDENTITY_INSERT Sales.SalesOrderDetail_ondisk OFF;

    CHECKPOINT;
END;
GO

-- Fills the twins of the tables that the workload only reads. For an empty database.
CREATE PROCEDURE Demo.usp_DemoFill
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;

    SET IDENTITY_INSERT Production.Product_inmem ON;
    INSERT INTO Production.Product_inmem
        (ProductID, Name, ProductNumber, MakeFlag, FinishedGoodsFlag, Color, SafetyStockLevel,
         ReorderPoint, StandardCost, ListPrice, Size, SizeUnitMeasureCode, WeightUnitMeasureCode, Weight,
         DaysToManufacture, ProductLine, Class, Style, ProductSubcategoryID, ProductModelID, SellStartDate,
         SellEndDate, DiscontinuedDate, ModifiedDate)
    SELECT ProductID, Name, ProductNumber, MakeFlag, FinishedGoodsFlag, Color, SafetyStockLevel,
           ReorderPoint, StandardCost, ListPrice, Size, SizeUnitMeasureCode, WeightUnitMeasureCode, Weight,
           DaysToManufacture, ProductLine, Class, Style, ProductSubcategoryID, ProductModelID,
           SellStartDate, SellEndDate, DiscontinuedDate, ModifiedDate
    FROM Production.Product;
    SET IDENTITY_INSERT Production.Product_inmem OFF;
    SET IDENTITY_INSERT Sales.SpecialOffer_inmem ON;
    INSERT INTO Sales.SpecialOffer_inmem
        (SpecialOfferID, Description, DiscountPct, Type, Category, StartDate, EndDate, MinQty, MaxQty,
         ModifiedDate)
    SELECT SpecialOfferID, Description, DiscountPct, Type, Category, StartDate, EndDate, MinQty, MaxQty,
           ModifiedDate
    FROM Sales.SpecialOffer;
    SET IDENTITY_INSERT Sales.SpecialOffer_inmem OFF;
    INSERT INTO Sales.SpecialOfferProduct_inmem
        (SpecialOfferID, ProductID, ModifiedDate)
    SELECT SpecialOfferID, ProductID, ModifiedDate
    FROM Sales.SpecialOfferProduct;

    SET IDENTITY_INSERT Production.Product_ondisk ON;
    INSERT INTO Production.Product_ondisk
        (ProductID, Name, ProductNumber, MakeFlag, FinishedGoodsFlag, Color, SafetyStockLevel,
         ReorderPoint, StandardCost, ListPrice, Size, SizeUnitMeasureCode, WeightUnitMeasureCode, Weight,
         DaysToManufacture, ProductLine, Class, Style, ProductSubcategoryID, ProductModelID, SellStartDate,
         SellEndDate, DiscontinuedDate, ModifiedDate)
    SELECT ProductID, Name, ProductNumber, MakeFlag, FinishedGoodsFlag, Color, SafetyStockLevel,
           ReorderPoint, StandardCost, ListPrice, Size, SizeUnitMeasureCode, WeightUnitMeasureCode, Weight,
           DaysToManufacture, ProductLine, Class, Style, ProductSubcategoryID, ProductModelID,
           SellStartDate, SellEndDate, DiscontinuedDate, ModifiedDate
    FROM Production.Product;
    SET IDENTITY_INSERT Production.Product_ondisk OFF;
    SET IDENTITY_INSERT Sales.SpecialOffer_ondisk ON;
    INSERT INTO Sales.SpecialOffer_ondisk
        (SpecialOfferID, Description, DiscountPct, Type, Category, StartDate, EndDate, MinQty, MaxQty,
         ModifiedDate)
    SELECT SpecialOfferID, Description, DiscountPct, Type, Category, StartDate, EndDate, MinQty, MaxQty,
           ModifiedDate
    FROM Sales.SpecialOffer;
    SET IDENTITY_INSERT Sales.SpecialOffer_ondisk OFF;
    INSERT INTO Sales.SpecialOfferProduct_ondisk
        (SpecialOfferID, ProductID, ModifiedDate)
    SELECT SpecialOfferID, ProductID, ModifiedDate
    FROM Sales.SpecialOfferProduct;
END;
GO
