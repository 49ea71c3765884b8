-- The tables of the workload, each as a memory-optimized table (`_inmem`) and as a table of the ordinary
-- kind (`_ondisk`), and the table types and seeds that the workload uses.
--
-- Against the tables they come from: no foreign keys, checks or computed columns (dbo.usp_ValidateIntegrity
-- and the views stand in for them), no rowguid, no alias types, SalesPersonID is -1 where it was NULL, and
-- no default asks for the time. Both twins are alike, so that a comparison compares one thing.

USE [$(database_name)];
GO

CREATE SCHEMA Demo;
GO

-- Memory-optimized tables.

CREATE TABLE Sales.SalesOrderHeader_inmem
(
    SalesOrderID int IDENTITY(1, 1) NOT NULL,
    RevisionNumber tinyint NOT NULL CONSTRAINT IMDF_SalesOrderHeader_RevisionNumber DEFAULT (0),
    OrderDate datetime2 NOT NULL,
    DueDate datetime2 NOT NULL,
    ShipDate datetime2 NULL,
    Status tinyint NOT NULL CONSTRAINT IMDF_SalesOrderHeader_Status DEFAULT (1),
    OnlineOrderFlag bit NOT NULL CONSTRAINT IMDF_SalesOrderHeader_OnlineOrderFlag DEFAULT (1),
    PurchaseOrderNumber nvarchar(25) NULL,
    AccountNumber nvarchar(15) NULL,
    CustomerID int NOT NULL,
    SalesPersonID int NOT NULL CONSTRAINT IMDF_SalesOrderHeader_SalesPersonID DEFAULT (-1),
    TerritoryID int NULL,
    BillToAddressID int NOT NULL,
    ShipToAddressID int NOT NULL,
    ShipMethodID int NOT NULL,
    CreditCardID int NULL,
    CreditCardApprovalCode varchar(15) NULL,
    CurrencyRateID int NULL,
    SubTotal money NOT NULL CONSTRAINT IMDF_SalesOrderHeader_SubTotal DEFAULT (0.00),
    TaxAmt money NOT NULL CONSTRAINT IMDF_SalesOrderHeader_TaxAmt DEFAULT (0.00),
    Freight money NOT NULL CONSTRAINT IMDF_SalesOrderHeader_Freight DEFAULT (0.00),
    Comment nvarchar(128) NULL,
    ModifiedDate datetime2 NOT NULL,
    CONSTRAINT IMPK_SalesOrderHeader PRIMARY KEY NONCLUSTERED HASH (SalesOrderID)
        WITH (BUCKET_COUNT = 10000000),
    INDEX IX_SalesPersonID HASH (SalesPersonID) WITH (BUCKET_COUNT = 1000000),
    INDEX IX_CustomerID HASH (CustomerID) WITH (BUCKET_COUNT = 1000000)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE TABLE Sales.SalesOrderDetail_inmem
(
    SalesOrderID int NOT NULL,
    SalesOrderDetailID bigint IDENTITY(1, 1) NOT NULL,
    CarrierTrackingNumber nvarchar(25) NULL,
    OrderQty smallint NOT NULL,
    ProductID int NOT NULL,
    SpecialOfferID int NOT NULL,
    UnitPrice money NOT NULL,
    UnitPriceDiscount money NOT NULL CONSTRAINT IMDF_SalesOrderDetail_UnitPriceDiscount DEFAULT (0.0),
    ModifiedDate datetime2 NOT NULL,
    CONSTRAINT IMPK_SalesOrderDetail PRIMARY KEY NONCLUSTERED HASH (SalesOrderID, SalesOrderDetailID)
        WITH (BUCKET_COUNT = 50000000),
    INDEX IX_SalesOrderID HASH (SalesOrderID) WITH (BUCKET_COUNT = 10000000),
    INDEX IX_ProductID HASH (ProductID) WITH (BUCKET_COUNT = 1000000)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE TABLE Sales.SpecialOffer_inmem
(
    SpecialOfferID int IDENTITY(1, 1) NOT NULL,
    Description nvarchar(255) NOT NULL,
    DiscountPct smallmoney NOT NULL CONSTRAINT IMDF_SpecialOffer_DiscountPct DEFAULT (0.00),
    Type nvarchar(50) NOT NULL,
    Category nvarchar(50) NOT NULL,
    StartDate datetime2 NOT NULL,
    EndDate datetime2 NOT NULL,
    MinQty int NOT NULL CONSTRAINT IMDF_SpecialOffer_MinQty DEFAULT (0),
    MaxQty int NULL,
    ModifiedDate datetime2 NOT NULL CONSTRAINT IMDF_SpecialOffer_ModifiedDate DEFAULT (SYSDATETIME()),
    CONSTRAINT IMPK_SpecialOffer PRIMARY KEY NONCLUSTERED HASH (SpecialOfferID)
        WITH (BUCKET_COUNT = 1000000)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE TABLE Sales.SpecialOfferProduct_inmem
(
    SpecialOfferID int NOT NULL,
    ProductID int NOT NULL,
    ModifiedDate datetime2 NOT NULL CONSTRAINT IMDF_SpecialOfferProduct_ModifiedDate DEFAULT (SYSDATETIME()),
    CONSTRAINT IMPK_SpecialOfferProduct PRIMARY KEY NONCLUSTERED (SpecialOfferID, ProductID),
    INDEX IX_ProductID NONCLUSTERED (ProductID)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE TABLE Production.Product_inmem
(
    ProductID int IDENTITY(1, 1) NOT NULL,
    Name nvarchar(50) COLLATE Latin1_General_100_BIN2 NOT NULL,
    ProductNumber nvarchar(25) COLLATE Latin1_General_100_BIN2 NOT NULL,
    MakeFlag bit NOT NULL CONSTRAINT IMDF_Product_MakeFlag DEFAULT (1),
    FinishedGoodsFlag bit NOT NULL CONSTRAINT IMDF_Product_FinishedGoodsFlag DEFAULT (1),
    Color nvarchar(15) NULL,
    SafetyStockLevel smallint NOT NULL,
    ReorderPoint smallint NOT NULL,
    StandardCost money NOT NULL,
    ListPrice money NOT NULL,
    Size nvarchar(5) NULL,
    SizeUnitMeasureCode nchar(3) NULL,
    WeightUnitMeasureCode nchar(3) NULL,
    Weight decimal(8, 2) NULL,
    DaysToManufacture int NOT NULL,
    ProductLine nchar(2) NULL,
    Class nchar(2) NULL,
    Style nchar(2) NULL,
    ProductSubcategoryID int NULL,
    ProductModelID int NULL,
    SellStartDate datetime2 NOT NULL,
    SellEndDate datetime2 NULL,
    DiscontinuedDate datetime2 NULL,
    ModifiedDate datetime2 NOT NULL CONSTRAINT IMDF_Product_ModifiedDate DEFAULT (SYSDATETIME()),
    CONSTRAINT IMPK_Product PRIMARY KEY NONCLUSTERED HASH (ProductID)
        WITH (BUCKET_COUNT = 1000000),
    INDEX IX_Name NONCLUSTERED (Name),
    INDEX IX_ProductNumber NONCLUSTERED (ProductNumber)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE TYPE Sales.SalesOrderDetailType_inmem AS TABLE
(
    OrderQty smallint NOT NULL,
    ProductID int NOT NULL,
    SpecialOfferID int NOT NULL,
    INDEX IX_ProductID HASH (ProductID) WITH (BUCKET_COUNT = 8),
    INDEX IX_SpecialOfferID HASH (SpecialOfferID) WITH (BUCKET_COUNT = 8)
) WITH (MEMORY_OPTIMIZED = ON);
GO

-- Ordinary tables.

CREATE TABLE Sales.SalesOrderHeader_ondisk
(
    SalesOrderID int IDENTITY(1, 1) NOT NULL,
    RevisionNumber tinyint NOT NULL CONSTRAINT ODDF_SalesOrderHeader_RevisionNumber DEFAULT (0),
    OrderDate datetime2 NOT NULL,
    DueDate datetime2 NOT NULL,
    ShipDate datetime2 NULL,
    Status tinyint NOT NULL CONSTRAINT ODDF_SalesOrderHeader_Status DEFAULT (1),
    OnlineOrderFlag bit NOT NULL CONSTRAINT ODDF_SalesOrderHeader_OnlineOrderFlag DEFAULT (1),
    PurchaseOrderNumber nvarchar(25) NULL,
    AccountNumber nvarchar(15) NULL,
    CustomerID int NOT NULL,
    SalesPersonID int NOT NULL CONSTRAINT ODDF_SalesOrderHeader_SalesPersonID DEFAULT (-1),
    TerritoryID int NULL,
    BillToAddressID int NOT NULL,
    ShipToAddressID int NOT NULL,
    ShipMethodID int NOT NULL,
    CreditCardID int NULL,
    CreditCardApprovalCode varchar(15) NULL,
    CurrencyRateID int NULL,
    SubTotal money NOT NULL CONSTRAINT ODDF_SalesOrderHeader_SubTotal DEFAULT (0.00),
    TaxAmt money NOT NULL CONSTRAINT ODDF_SalesOrderHeader_TaxAmt DEFAULT (0.00),
    Freight money NOT NULL CONSTRAINT ODDF_SalesOrderHeader_Freight DEFAULT (0.00),
    Comment nvarchar(128) NULL,
    ModifiedDate datetime2 NOT NULL,
    CONSTRAINT ODPK_SalesOrderHeader PRIMARY KEY CLUSTERED (SalesOrderID),
    INDEX IX_SalesPersonID NONCLUSTERED (SalesPersonID),
    INDEX IX_CustomerID NONCLUSTERED (CustomerID)
);
GO

CREATE TABLE Sales.SalesOrderDetail_ondisk
(
    SalesOrderID int NOT NULL,
    SalesOrderDetailID bigint IDENTITY(1, 1) NOT NULL,
    CarrierTrackingNumber nvarchar(25) NULL,
    OrderQty smallint NOT NULL,
    ProductID int NOT NULL,
    SpecialOfferID int NOT NULL,
    UnitPrice money NOT NULL,
    UnitPriceDiscount money NOT NULL CONSTRAINT ODDF_SalesOrderDetail_UnitPriceDiscount DEFAULT (0.0),
    ModifiedDate datetime2 NOT NULL,
    CONSTRAINT ODPK_SalesOrderDetail PRIMARY KEY CLUSTERED (SalesOrderID, SalesOrderDetailID),
    INDEX IX_ProductID NONCLUSTERED (ProductID)
);
GO

CREATE TABLE Sales.SpecialOffer_ondisk
(
    SpecialOfferID int IDENTITY(1, 1) NOT NULL,
    Description nvarchar(255) NOT NULL,
    DiscountPct smallmoney NOT NULL CONSTRAINT ODDF_SpecialOffer_DiscountPct DEFAULT (0.00),
    Type nvarchar(50) NOT NULL,
    Category nvarchar(50) NOT NULL,
    StartDate datetime2 NOT NULL,
    EndDate datetime2 NOT NULL,
    MinQty int NOT NULL CONSTRAINT ODDF_SpecialOffer_MinQty DEFAULT (0),
    MaxQty int NULL,
    ModifiedDate datetime2 NOT NULL CONSTRAINT ODDF_SpecialOffer_ModifiedDate DEFAULT (SYSDATETIME()),
    CONSTRAINT ODPK_SpecialOffer PRIMARY KEY CLUSTERED (SpecialOfferID)
);
GO

CREATE TABLE Sales.SpecialOfferProduct_ondisk
(
    SpecialOfferID int NOT NULL,
    ProductID int NOT NULL,
    ModifiedDate datetime2 NOT NULL CONSTRAINT ODDF_SpecialOfferProduct_ModifiedDate DEFAULT (SYSDATETIME()),
    CONSTRAINT ODPK_SpecialOfferProduct PRIMARY KEY CLUSTERED (SpecialOfferID, ProductID),
    INDEX IX_ProductID NONCLUSTERED (ProductID)
);
GO

CREATE TABLE Production.Product_ondisk
(
    ProductID int IDENTITY(1, 1) NOT NULL,
    Name nvarchar(50) COLLATE Latin1_General_100_BIN2 NOT NULL,
    ProductNumber nvarchar(25) COLLATE Latin1_General_100_BIN2 NOT NULL,
    MakeFlag bit NOT NULL CONSTRAINT ODDF_Product_MakeFlag DEFAULT (1),
    FinishedGoodsFlag bit NOT NULL CONSTRAINT ODDF_Product_FinishedGoodsFlag DEFAULT (1),
    Color nvarchar(15) NULL,
    SafetyStockLevel smallint NOT NULL,
    ReorderPoint smallint NOT NULL,
    StandardCost money NOT NULL,
    ListPrice money NOT NULL,
    Size nvarchar(5) NULL,
    SizeUnitMeasureCode nchar(3) NULL,
    WeightUnitMeasureCode nchar(3) NULL,
    Weight decimal(8, 2) NULL,
    DaysToManufacture int NOT NULL,
    ProductLine nchar(2) NULL,
    Class nchar(2) NULL,
    Style nchar(2) NULL,
    ProductSubcategoryID int NULL,
    ProductModelID int NULL,
    SellStartDate datetime2 NOT NULL,
    SellEndDate datetime2 NULL,
    DiscontinuedDate datetime2 NULL,
    ModifiedDate datetime2 NOT NULL CONSTRAINT ODDF_Product_ModifiedDate DEFAULT (SYSDATETIME()),
    CONSTRAINT ODPK_Product PRIMARY KEY CLUSTERED (ProductID),
    INDEX IX_Name NONCLUSTERED (Name),
    INDEX IX_ProductNumber NONCLUSTERED (ProductNumber)
);
GO

CREATE TYPE Sales.SalesOrderDetailType_ondisk AS TABLE
(
    OrderQty smallint NOT NULL,
    ProductID int NOT NULL,
    SpecialOfferID int NOT NULL,
    INDEX IX_ProductID CLUSTERED (ProductID),
    INDEX IX_SpecialOfferID NONCLUSTERED (SpecialOfferID)
);
GO

-- What sample orders are made from.

CREATE TABLE Demo.DemoSalesOrderDetailSeed
(
    OrderQty smallint NOT NULL,
    ProductID int NOT NULL,
    SpecialOfferID int NOT NULL,
    OrderID int NOT NULL,
    LocalID int IDENTITY(1, 1) NOT NULL,
    CONSTRAINT IMPK_DemoSalesOrderDetailSeed PRIMARY KEY NONCLUSTERED (LocalID),
    INDEX IX_OrderID HASH (OrderID) WITH (BUCKET_COUNT = 1000000)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE TABLE Demo.DemoSalesOrderHeaderSeed
(
    DueDate datetime2 NOT NULL,
    CustomerID int NOT NULL,
    SalesPersonID int NOT NULL,
    BillToAddressID int NOT NULL,
    ShipToAddressID int NOT NULL,
    ShipMethodID int NOT NULL,
    LocalID int IDENTITY(1, 1) NOT NULL,
    CONSTRAINT IMPK_DemoSalesOrderHeaderSeed PRIMARY KEY NONCLUSTERED HASH (LocalID)
        WITH (BUCKET_COUNT = 100000)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

-- The columns that the twins leave out.

CREATE VIEW Sales.vSalesOrderHeader_extended_inmem
WITH SCHEMABINDING
AS
SELECT SalesOrderID, RevisionNumber, OrderDate, DueDate, ShipDate, Status, OnlineOrderFlag,
       ISNULL(N'SO' + CONVERT(nvarchar(23), SalesOrderID), N'*** ERROR ***') AS SalesOrderNumber,
       PurchaseOrderNumber, AccountNumber, CustomerID,
       NULLIF(SalesPersonID, -1) AS SalesPersonID,
       TerritoryID, BillToAddressID, ShipToAddressID, ShipMethodID, CreditCardID, CreditCardApprovalCode,
       CurrencyRateID, SubTotal, TaxAmt, Freight,
       ISNULL(SubTotal + (TaxAmt + Freight), 0) AS TotalDue,
       Comment, ModifiedDate
FROM Sales.SalesOrderHeader_inmem;
GO

CREATE VIEW Sales.vSalesOrderDetail_extended_inmem
WITH SCHEMABINDING
AS
SELECT SalesOrderID, SalesOrderDetailID, CarrierTrackingNumber, OrderQty, ProductID, SpecialOfferID,
       UnitPrice, UnitPriceDiscount,
       ISNULL(UnitPrice * (1.0 - UnitPriceDiscount) * OrderQty, 0.0) AS LineTotal,
       ModifiedDate
FROM Sales.SalesOrderDetail_inmem;
GO

CREATE VIEW Sales.vSalesOrderHeader_extended_ondisk
WITH SCHEMABINDING
AS
SELECT SalesOrderID, RevisionNumber, OrderDate, DueDate, ShipDate, Status, OnlineOrderFlag,
       ISNULL(N'SO' + CONVERT(nvarchar(23), SalesOrderID), N'*** ERROR ***') AS SalesOrderNumber,
       PurchaseOrderNumber, AccountNumber, CustomerID,
       NULLIF(SalesPersonID, -1) AS SalesPersonID,
       TerritoryID, BillToAddressID, ShipToAddressID, ShipMethodID, CreditCardID, CreditCardApprovalCode,
       CurrencyRateID, SubTotal, TaxAmt, Freight,
       ISNULL(SubTotal + (TaxAmt + Freight), 0) AS TotalDue,
       Comment, ModifiedDate
FROM Sales.SalesOrderHeader_ondisk;
GO

CREATE VIEW Sales.vSalesOrderDetail_extended_ondisk
WITH SCHEMABINDING
AS
SELECT SalesOrderID, SalesOrderDetailID, CarrierTrackingNumber, OrderQty, ProductID, SpecialOfferID,
       UnitPrice, UnitPriceDiscount,
       ISNULL(UnitPrice * (1.0 - UnitPriceDiscount) * OrderQty, 0.0) AS LineTotal,
       ModifiedDate
FROM Sales.SalesOrderDetail_ondisk;
GO
