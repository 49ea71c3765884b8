-- The tables that the sample starts from, shaped as in AdventureWorks so that the official data files
-- can be loaded into them.

USE [$(database_name)];
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
CREATE TYPE dbo.OrderNumber FROM nvarchar(25) NULL;
GO

CREATE TABLE Person.CountryRegion
(
    CountryRegionCode nvarchar(3) NOT NULL
        CONSTRAINT PK_CountryRegion_CountryRegionCode PRIMARY KEY CLUSTERED,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_CountryRegion_ModifiedDate DEFAULT (GETDATE())
);

CREATE TABLE Sales.SalesTerritory
(
    TerritoryID int IDENTITY(1, 1) NOT NULL CONSTRAINT PK_SalesTerritory_TerritoryID PRIMARY KEY CLUSTERED,
    Name dbo.Name NOT NULL,
    CountryRegionCode nvarchar(3) NOT NULL
        CONSTRAINT FK_SalesTerritory_CountryRegion_CountryRegionCode
        REFERENCES Person.CountryRegion (CountryRegionCode),
    [Group] nvarchar(50) NOT NULL,
    SalesYTD money NOT NULL CONSTRAINT DF_SalesTerritory_SalesYTD DEFAULT (0.00),
    SalesLastYear money NOT NULL CONSTRAINT DF_SalesTerritory_SalesLastYear DEFAULT (0.00),
    CostYTD money NOT NULL CONSTRAINT DF_SalesTerritory_CostYTD DEFAULT (0.00),
    CostLastYear money NOT NULL CONSTRAINT DF_SalesTerritory_CostLastYear DEFAULT (0.00),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_SalesTerritory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesTerritory_ModifiedDate DEFAULT (GETDATE())
);

CREATE TABLE Person.StateProvince
(
    StateProvinceID int IDENTITY(1, 1) NOT NULL
        CONSTRAINT PK_StateProvince_StateProvinceID PRIMARY KEY CLUSTERED,
    StateProvinceCode nchar(3) NOT NULL,
    CountryRegionCode nvarchar(3) NOT NULL
        CONSTRAINT FK_StateProvince_CountryRegion_CountryRegionCode
        REFERENCES Person.CountryRegion (CountryRegionCode),
    IsOnlyStateProvinceFlag dbo.Flag NOT NULL
        CONSTRAINT DF_StateProvince_IsOnlyStateProvinceFlag DEFAULT (1),
    Name dbo.Name NOT NULL,
    TerritoryID int NOT NULL
        CONSTRAINT FK_StateProvince_SalesTerritory_TerritoryID REFERENCES Sales.SalesTerritory (TerritoryID),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_StateProvince_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_StateProvince_ModifiedDate DEFAULT (GETDATE())
);

CREATE TABLE Person.Address
(
    AddressID int IDENTITY(1, 1) NOT NULL CONSTRAINT PK_Address_AddressID PRIMARY KEY CLUSTERED,
    AddressLine1 nvarchar(60) NOT NULL,
    AddressLine2 nvarchar(60) NULL,
    City nvarchar(30) NOT NULL,
    StateProvinceID int NOT NULL
        CONSTRAINT FK_Address_StateProvince_StateProvinceID
        REFERENCES Person.StateProvince (StateProvinceID),
    PostalCode nvarchar(15) NOT NULL,
    -- A geography in AdventureWorks; its bytes are kept as they are.
    SpatialLocation varbinary(max) NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Address_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Address_ModifiedDate DEFAULT (GETDATE())
);
CREATE NONCLUSTERED INDEX IX_Address_StateProvinceID ON Person.Address (StateProvinceID);

CREATE TABLE Sales.Customer
(
    CustomerID int IDENTITY(1, 1) NOT NULL CONSTRAINT PK_Customer_CustomerID PRIMARY KEY CLUSTERED,
    PersonID int NULL,
    StoreID int NULL,
    TerritoryID int NULL
        CONSTRAINT FK_Customer_SalesTerritory_TerritoryID REFERENCES Sales.SalesTerritory (TerritoryID),
    AccountNumber AS ISNULL('AW' + RIGHT('00000000' + CONVERT(varchar(8), CustomerID), 8), ''),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Customer_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Customer_ModifiedDate DEFAULT (GETDATE())
);
CREATE NONCLUSTERED INDEX IX_Customer_TerritoryID ON Sales.Customer (TerritoryID);

CREATE TABLE Purchasing.ShipMethod
(
    ShipMethodID int IDENTITY(1, 1) NOT NULL CONSTRAINT PK_ShipMethod_ShipMethodID PRIMARY KEY CLUSTERED,
    Name dbo.Name NOT NULL,
    ShipBase money NOT NULL CONSTRAINT DF_ShipMethod_ShipBase DEFAULT (0.00)
        CONSTRAINT CK_ShipMethod_ShipBase CHECK (ShipBase > 0.00),
    ShipRate money NOT NULL CONSTRAINT DF_ShipMethod_ShipRate DEFAULT (0.00)
        CONSTRAINT CK_ShipMethod_ShipRate CHECK (ShipRate > 0.00),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_ShipMethod_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ShipMethod_ModifiedDate DEFAULT (GETDATE())
);

CREATE TABLE Sales.CurrencyRate
(
    CurrencyRateID int IDENTITY(1, 1) NOT NULL
        CONSTRAINT PK_CurrencyRate_CurrencyRateID PRIMARY KEY CLUSTERED,
    CurrencyRateDate datetime NOT NULL,
    FromCurrencyCode nchar(3) NOT NULL,
    ToCurrencyCode nchar(3) NOT NULL,
    AverageRate money NOT NULL,
    EndOfDayRate money NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_CurrencyRate_ModifiedDate DEFAULT (GETDATE())
);
CREATE UNIQUE NONCLUSTERED INDEX AK_CurrencyRate_CurrencyRateDate_FromCurrencyCode_ToCurrencyCode
    ON Sales.CurrencyRate (CurrencyRateDate, FromCurrencyCode, ToCurrencyCode);

CREATE TABLE Sales.SalesPerson
(
    BusinessEntityID int NOT NULL CONSTRAINT PK_SalesPerson_BusinessEntityID PRIMARY KEY CLUSTERED,
    TerritoryID int NULL
        CONSTRAINT FK_SalesPerson_SalesTerritory_TerritoryID REFERENCES Sales.SalesTerritory (TerritoryID),
    SalesQuota money NULL CONSTRAINT CK_SalesPerson_SalesQuota CHECK (SalesQuota > 0.00),
    Bonus money NOT NULL CONSTRAINT DF_SalesPerson_Bonus DEFAULT (0.00),
    CommissionPct smallmoney NOT NULL CONSTRAINT DF_SalesPerson_CommissionPct DEFAULT (0.00),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesPerson_ModifiedDate DEFAULT (GETDATE())
);

CREATE TABLE Production.UnitMeasure
(
    UnitMeasureCode nchar(3) NOT NULL CONSTRAINT PK_UnitMeasure_UnitMeasureCode PRIMARY KEY CLUSTERED,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_UnitMeasure_ModifiedDate DEFAULT (GETDATE())
);

CREATE TABLE Production.ProductCategory
(
    ProductCategoryID int IDENTITY(1, 1) NOT NULL
        CONSTRAINT PK_ProductCategory_ProductCategoryID PRIMARY KEY CLUSTERED,
    Name dbo.Name NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_ProductCategory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductCategory_ModifiedDate DEFAULT (GETDATE())
);

CREATE TABLE Production.ProductSubcategory
(
    ProductSubcategoryID int IDENTITY(1, 1) NOT NULL
        CONSTRAINT PK_ProductSubcategory_ProductSubcategoryID PRIMARY KEY CLUSTERED,
    ProductCategoryID int NOT NULL
        CONSTRAINT FK_ProductSubcategory_ProductCategory_ProductCategoryID
        REFERENCES Production.ProductCategory (ProductCategoryID),
    Name dbo.Name NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_ProductSubcategory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductSubcategory_ModifiedDate DEFAULT (GETDATE())
);

CREATE TABLE Production.Product
(
    ProductID int IDENTITY(1, 1) NOT NULL CONSTRAINT PK_Product_ProductID PRIMARY KEY CLUSTERED,
    Name dbo.Name NOT NULL,
    ProductNumber nvarchar(25) NOT NULL,
    MakeFlag dbo.Flag NOT NULL CONSTRAINT DF_Product_MakeFlag DEFAULT (1),
    FinishedGoodsFlag dbo.Flag NOT NULL CONSTRAINT DF_Product_FinishedGoodsFlag DEFAULT (1),
    Color nvarchar(15) NULL,
    SafetyStockLevel smallint NOT NULL
        CONSTRAINT CK_Product_SafetyStockLevel CHECK (SafetyStockLevel > 0),
    ReorderPoint smallint NOT NULL CONSTRAINT CK_Product_ReorderPoint CHECK (ReorderPoint > 0),
    StandardCost money NOT NULL CONSTRAINT CK_Product_StandardCost CHECK (StandardCost >= 0.00),
    ListPrice money NOT NULL CONSTRAINT CK_Product_ListPrice CHECK (ListPrice >= 0.00),
    Size nvarchar(5) NULL,
    SizeUnitMeasureCode nchar(3) NULL
        CONSTRAINT FK_Product_UnitMeasure_SizeUnitMeasureCode
        REFERENCES Production.UnitMeasure (UnitMeasureCode),
    WeightUnitMeasureCode nchar(3) NULL
        CONSTRAINT FK_Product_UnitMeasure_WeightUnitMeasureCode
        REFERENCES Production.UnitMeasure (UnitMeasureCode),
    Weight decimal(8, 2) NULL CONSTRAINT CK_Product_Weight CHECK (Weight > 0.00),
    DaysToManufacture int NOT NULL CONSTRAINT CK_Product_DaysToManufacture CHECK (DaysToManufacture >= 0),
    ProductLine nchar(2) NULL
        CONSTRAINT CK_Product_ProductLine CHECK (UPPER(ProductLine) IN ('S', 'T', 'M', 'R') OR ProductLine IS NULL),
    Class nchar(2) NULL
        CONSTRAINT CK_Product_Class CHECK (UPPER(Class) IN ('L', 'M', 'H') OR Class IS NULL),
    Style nchar(2) NULL
        CONSTRAINT CK_Product_Style CHECK (UPPER(Style) IN ('W', 'M', 'U') OR Style IS NULL),
    ProductSubcategoryID int NULL
        CONSTRAINT FK_Product_ProductSubcategory_ProductSubcategoryID
        REFERENCES Production.ProductSubcategory (ProductSubcategoryID),
    ProductModelID int NULL,
    SellStartDate datetime NOT NULL,
    SellEndDate datetime NULL,
    DiscontinuedDate datetime NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Product_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Product_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT CK_Product_SellEndDate CHECK (SellEndDate >= SellStartDate OR SellEndDate IS NULL)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Product_ProductNumber ON Production.Product (ProductNumber);
CREATE UNIQUE NONCLUSTERED INDEX AK_Product_Name ON Production.Product (Name);

CREATE TABLE Sales.SpecialOffer
(
    SpecialOfferID int IDENTITY(1, 1) NOT NULL
        CONSTRAINT PK_SpecialOffer_SpecialOfferID PRIMARY KEY CLUSTERED,
    Description nvarchar(255) NOT NULL,
    DiscountPct smallmoney NOT NULL CONSTRAINT DF_SpecialOffer_DiscountPct DEFAULT (0.00)
        CONSTRAINT CK_SpecialOffer_DiscountPct CHECK (DiscountPct >= 0.00),
    Type nvarchar(50) NOT NULL,
    Category nvarchar(50) NOT NULL,
    StartDate datetime NOT NULL,
    EndDate datetime NOT NULL,
    MinQty int NOT NULL CONSTRAINT DF_SpecialOffer_MinQty DEFAULT (0)
        CONSTRAINT CK_SpecialOffer_MinQty CHECK (MinQty >= 0),
    MaxQty int NULL CONSTRAINT CK_SpecialOffer_MaxQty CHECK (MaxQty >= 0),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_SpecialOffer_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SpecialOffer_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT CK_SpecialOffer_EndDate CHECK (EndDate >= StartDate)
);

CREATE TABLE Sales.SpecialOfferProduct
(
    SpecialOfferID int NOT NULL
        CONSTRAINT FK_SpecialOfferProduct_SpecialOffer_SpecialOfferID
        REFERENCES Sales.SpecialOffer (SpecialOfferID),
    ProductID int NOT NULL
        CONSTRAINT FK_SpecialOfferProduct_Product_ProductID REFERENCES Production.Product (ProductID),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_SpecialOfferProduct_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SpecialOfferProduct_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SpecialOfferProduct_SpecialOfferID_ProductID PRIMARY KEY CLUSTERED (SpecialOfferID, ProductID)
);
CREATE NONCLUSTERED INDEX IX_SpecialOfferProduct_ProductID ON Sales.SpecialOfferProduct (ProductID);

CREATE TABLE Sales.SalesOrderHeader
(
    SalesOrderID int IDENTITY(1, 1) NOT NULL
        CONSTRAINT PK_SalesOrderHeader_SalesOrderID PRIMARY KEY CLUSTERED,
    RevisionNumber tinyint NOT NULL CONSTRAINT DF_SalesOrderHeader_RevisionNumber DEFAULT (0),
    OrderDate datetime NOT NULL CONSTRAINT DF_SalesOrderHeader_OrderDate DEFAULT (GETDATE()),
    DueDate datetime NOT NULL,
    ShipDate datetime NULL,
    Status tinyint NOT NULL CONSTRAINT DF_SalesOrderHeader_Status DEFAULT (1)
        CONSTRAINT CK_SalesOrderHeader_Status CHECK (Status BETWEEN 0 AND 8),
    OnlineOrderFlag dbo.Flag NOT NULL CONSTRAINT DF_SalesOrderHeader_OnlineOrderFlag DEFAULT (1),
    SalesOrderNumber AS ISNULL(N'SO' + CONVERT(nvarchar(23), SalesOrderID), N'*** ERROR ***'),
    PurchaseOrderNumber dbo.OrderNumber NULL,
    AccountNumber dbo.AccountNumber NULL,
    CustomerID int NOT NULL
        CONSTRAINT FK_SalesOrderHeader_Customer_CustomerID REFERENCES Sales.Customer (CustomerID),
    SalesPersonID int NULL
        CONSTRAINT FK_SalesOrderHeader_SalesPerson_SalesPersonID
        REFERENCES Sales.SalesPerson (BusinessEntityID),
    TerritoryID int NULL
        CONSTRAINT FK_SalesOrderHeader_SalesTerritory_TerritoryID
        REFERENCES Sales.SalesTerritory (TerritoryID),
    BillToAddressID int NOT NULL
        CONSTRAINT FK_SalesOrderHeader_Address_BillToAddressID REFERENCES Person.Address (AddressID),
    ShipToAddressID int NOT NULL
        CONSTRAINT FK_SalesOrderHeader_Address_ShipToAddressID REFERENCES Person.Address (AddressID),
    ShipMethodID int NOT NULL
        CONSTRAINT FK_SalesOrderHeader_ShipMethod_ShipMethodID
        REFERENCES Purchasing.ShipMethod (ShipMethodID),
    CreditCardID int NULL,
    CreditCardApprovalCode varchar(15) NULL,
    CurrencyRateID int NULL
        CONSTRAINT FK_SalesOrderHeader_CurrencyRate_CurrencyRateID
        REFERENCES Sales.CurrencyRate (CurrencyRateID),
    SubTotal money NOT NULL CONSTRAINT DF_SalesOrderHeader_SubTotal DEFAULT (0.00)
        CONSTRAINT CK_SalesOrderHeader_SubTotal CHECK (SubTotal >= 0.00),
    TaxAmt money NOT NULL CONSTRAINT DF_SalesOrderHeader_TaxAmt DEFAULT (0.00)
        CONSTRAINT CK_SalesOrderHeader_TaxAmt CHECK (TaxAmt >= 0.00),
    Freight money NOT NULL CONSTRAINT DF_SalesOrderHeader_Freight DEFAULT (0.00)
        CONSTRAINT CK_SalesOrderHeader_Freight CHECK (Freight >= 0.00),
    TotalDue AS ISNULL(SubTotal + (TaxAmt + Freight), 0),
    Comment nvarchar(128) NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_SalesOrderHeader_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesOrderHeader_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT CK_SalesOrderHeader_DueDate CHECK (DueDate >= OrderDate),
    CONSTRAINT CK_SalesOrderHeader_ShipDate CHECK (ShipDate >= OrderDate OR ShipDate IS NULL)
);
CREATE NONCLUSTERED INDEX IX_SalesOrderHeader_CustomerID ON Sales.SalesOrderHeader (CustomerID);
CREATE NONCLUSTERED INDEX IX_SalesOrderHeader_SalesPersonID ON Sales.SalesOrderHeader (SalesPersonID);

CREATE TABLE Sales.SalesOrderDetail
(
    SalesOrderID int NOT NULL
        CONSTRAINT FK_SalesOrderDetail_SalesOrderHeader_SalesOrderID
        REFERENCES Sales.SalesOrderHeader (SalesOrderID) ON DELETE CASCADE,
    SalesOrderDetailID int IDENTITY(1, 1) NOT NULL,
    CarrierTrackingNumber nvarchar(25) NULL,
    OrderQty smallint NOT NULL CONSTRAINT CK_SalesOrderDetail_OrderQty CHECK (OrderQty > 0),
    ProductID int NOT NULL,
    SpecialOfferID int NOT NULL,
    UnitPrice money NOT NULL CONSTRAINT CK_SalesOrderDetail_UnitPrice CHECK (UnitPrice >= 0.00),
    UnitPriceDiscount money NOT NULL CONSTRAINT DF_SalesOrderDetail_UnitPriceDiscount DEFAULT (0.0)
        CONSTRAINT CK_SalesOrderDetail_UnitPriceDiscount CHECK (UnitPriceDiscount >= 0.00),
    LineTotal AS ISNULL(UnitPrice * (1.0 - UnitPriceDiscount) * OrderQty, 0.0),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_SalesOrderDetail_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesOrderDetail_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesOrderDetail_SalesOrderID_SalesOrderDetailID
        PRIMARY KEY CLUSTERED (SalesOrderID, SalesOrderDetailID),
    CONSTRAINT FK_SalesOrderDetail_SpecialOfferProduct_SpecialOfferIDProductID
        FOREIGN KEY (SpecialOfferID, ProductID)
        REFERENCES Sales.SpecialOfferProduct (SpecialOfferID, ProductID)
);
CREATE NONCLUSTERED INDEX IX_SalesOrderDetail_ProductID ON Sales.SalesOrderDetail (ProductID);
GO
