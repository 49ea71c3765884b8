-- Tables and table types.
--
-- Cities, people, suppliers, customers and stock items are temporal: what they were is in a history
-- table of the same schema. Columns of JSON have a check that they hold JSON.

USE Fernhill;
SET QUOTED_IDENTIFIER ON;
GO

CREATE TABLE Application.Country
(
    CountryID int NOT NULL CONSTRAINT PK_Country PRIMARY KEY,
    CountryName nvarchar(60) NOT NULL CONSTRAINT UQ_Country_CountryName UNIQUE,
    IsoCode char(2) NOT NULL CONSTRAINT UQ_Country_IsoCode UNIQUE,
    Continent nvarchar(20) NOT NULL
);
CREATE TABLE Application.Province
(
    ProvinceID int NOT NULL CONSTRAINT PK_Province PRIMARY KEY,
    CountryID int NOT NULL CONSTRAINT FK_Province_Country REFERENCES Application.Country (CountryID),
    ProvinceCode nvarchar(5) NOT NULL,
    ProvinceName nvarchar(60) NOT NULL CONSTRAINT UQ_Province_ProvinceName UNIQUE,
    SalesTerritory nvarchar(20) NOT NULL INDEX IX_Province_SalesTerritory,
    CONSTRAINT UQ_Province_ProvinceCode UNIQUE (CountryID, ProvinceCode)
);
-- A person without the right to log on has no logon name.
CREATE TABLE Application.Person
(
    PersonID int NOT NULL CONSTRAINT PK_Person PRIMARY KEY
        CONSTRAINT DF_Person_PersonID DEFAULT (NEXT VALUE FOR Sequences.PersonID),
    FullName nvarchar(80) NOT NULL INDEX IX_Person_FullName,
    PreferredName nvarchar(40) NOT NULL,
    SearchName AS CONCAT(PreferredName, N' ', FullName) PERSISTED NOT NULL,
    LogonName nvarchar(60) NULL,
    IsEmployee bit NOT NULL CONSTRAINT DF_Person_IsEmployee DEFAULT (0),
    IsSalesperson bit NOT NULL CONSTRAINT DF_Person_IsSalesperson DEFAULT (0),
    PhoneNumber nvarchar(20) NULL,
    EmailAddress nvarchar(120) NULL,
    -- Theme, form of dates and of tables of the person's pages.
    UserPreferences nvarchar(max) NULL CONSTRAINT CK_Person_UserPreferences CHECK (ISJSON(UserPreferences) = 1),
    -- Title, date of hire, rate of commission, other languages.
    CustomFields nvarchar(max) NULL CONSTRAINT CK_Person_CustomFields CHECK (ISJSON(CustomFields) = 1),
    Languages AS JSON_QUERY(CustomFields, N'$.languages'),
    ValidFrom datetime2(7) GENERATED ALWAYS AS ROW START NOT NULL,
    ValidTo datetime2(7) GENERATED ALWAYS AS ROW END NOT NULL,
    CONSTRAINT CK_Person_IsSalesperson CHECK (IsSalesperson = 0 OR IsEmployee = 1),
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
)
WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Application.PersonHistory));
CREATE TABLE Application.City
(
    CityID int NOT NULL CONSTRAINT PK_City PRIMARY KEY CONSTRAINT DF_City_CityID DEFAULT (NEXT VALUE FOR Sequences.CityID),
    CityName nvarchar(60) NOT NULL,
    ProvinceID int NOT NULL CONSTRAINT FK_City_Province REFERENCES Application.Province (ProvinceID) INDEX IX_City_ProvinceID,
    Population int NULL CONSTRAINT CK_City_Population CHECK (Population >= 0),
    Location geography NULL,
    LastEditedBy int NOT NULL CONSTRAINT FK_City_Person REFERENCES Application.Person (PersonID),
    ValidFrom datetime2(7) GENERATED ALWAYS AS ROW START NOT NULL,
    ValidTo datetime2(7) GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
)
WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Application.CityHistory));
CREATE TABLE Application.DeliveryMethod
(
    DeliveryMethodID int NOT NULL CONSTRAINT PK_DeliveryMethod PRIMARY KEY,
    MethodName nvarchar(50) NOT NULL CONSTRAINT UQ_DeliveryMethod_MethodName UNIQUE
);
CREATE TABLE Application.EntryKind
(
    EntryKindID int NOT NULL CONSTRAINT PK_EntryKind PRIMARY KEY,
    KindName nvarchar(50) NOT NULL CONSTRAINT UQ_EntryKind_KindName UNIQUE
);

CREATE TABLE Purchasing.SupplierCategory
(
    SupplierCategoryID int NOT NULL CONSTRAINT PK_SupplierCategory PRIMARY KEY,
    CategoryName nvarchar(50) NOT NULL CONSTRAINT UQ_SupplierCategory_CategoryName UNIQUE
);
CREATE TABLE Purchasing.Supplier
(
    SupplierID int NOT NULL CONSTRAINT PK_Supplier PRIMARY KEY
        CONSTRAINT DF_Supplier_SupplierID DEFAULT (NEXT VALUE FOR Sequences.SupplierID),
    SupplierName nvarchar(100) NOT NULL CONSTRAINT UQ_Supplier_SupplierName UNIQUE,
    SupplierCategoryID int NOT NULL
        CONSTRAINT FK_Supplier_SupplierCategory REFERENCES Purchasing.SupplierCategory (SupplierCategoryID),
    ContactPersonID int NOT NULL CONSTRAINT FK_Supplier_Person REFERENCES Application.Person (PersonID),
    CityID int NOT NULL CONSTRAINT FK_Supplier_City REFERENCES Application.City (CityID),
    BankName nvarchar(50) NULL,
    BankAccountNumber nvarchar(20) NULL,
    PaymentDays int NOT NULL CONSTRAINT CK_Supplier_PaymentDays CHECK (PaymentDays BETWEEN 0 AND 120),
    ValidFrom datetime2(7) GENERATED ALWAYS AS ROW START NOT NULL,
    ValidTo datetime2(7) GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
)
WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Purchasing.SupplierHistory));

CREATE TABLE Sales.CustomerCategory
(
    CustomerCategoryID int NOT NULL CONSTRAINT PK_CustomerCategory PRIMARY KEY,
    CategoryName nvarchar(50) NOT NULL CONSTRAINT UQ_CustomerCategory_CategoryName UNIQUE
);
CREATE TABLE Sales.BuyingGroup
(
    BuyingGroupID int NOT NULL CONSTRAINT PK_BuyingGroup PRIMARY KEY,
    GroupName nvarchar(50) NOT NULL CONSTRAINT UQ_BuyingGroup_GroupName UNIQUE
);
-- A branch is billed to the head of its group, any other customer to itself.
CREATE TABLE Sales.Customer
(
    CustomerID int NOT NULL CONSTRAINT PK_Customer PRIMARY KEY
        CONSTRAINT DF_Customer_CustomerID DEFAULT (NEXT VALUE FOR Sequences.CustomerID),
    CustomerName nvarchar(100) NOT NULL CONSTRAINT UQ_Customer_CustomerName UNIQUE,
    BillToCustomerID int NOT NULL CONSTRAINT FK_Customer_BillTo REFERENCES Sales.Customer (CustomerID),
    CustomerCategoryID int NOT NULL
        CONSTRAINT FK_Customer_CustomerCategory REFERENCES Sales.CustomerCategory (CustomerCategoryID),
    BuyingGroupID int NULL CONSTRAINT FK_Customer_BuyingGroup REFERENCES Sales.BuyingGroup (BuyingGroupID),
    ContactPersonID int NOT NULL CONSTRAINT FK_Customer_Person REFERENCES Application.Person (PersonID),
    DeliveryCityID int NOT NULL CONSTRAINT FK_Customer_City REFERENCES Application.City (CityID) INDEX IX_Customer_DeliveryCityID,
    DeliveryMethodID int NOT NULL CONSTRAINT FK_Customer_DeliveryMethod REFERENCES Application.DeliveryMethod (DeliveryMethodID),
    CreditLimit decimal(18, 2) NULL CONSTRAINT CK_Customer_CreditLimit CHECK (CreditLimit >= 0),
    DiscountPercent decimal(6, 3) NOT NULL CONSTRAINT DF_Customer_DiscountPercent DEFAULT (0)
        CONSTRAINT CK_Customer_DiscountPercent CHECK (DiscountPercent BETWEEN 0 AND 100),
    OpenedOn date NOT NULL,
    ValidFrom datetime2(7) GENERATED ALWAYS AS ROW START NOT NULL,
    ValidTo datetime2(7) GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
)
WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Sales.CustomerHistory));

CREATE TABLE Warehouse.PackageType
(
    PackageTypeID int NOT NULL CONSTRAINT PK_PackageType PRIMARY KEY,
    PackageName nvarchar(50) NOT NULL CONSTRAINT UQ_PackageType_PackageName UNIQUE
);
CREATE TABLE Warehouse.StockGroup
(
    StockGroupID int NOT NULL CONSTRAINT PK_StockGroup PRIMARY KEY,
    GroupName nvarchar(50) NOT NULL CONSTRAINT UQ_StockGroup_GroupName UNIQUE
);
CREATE TABLE Warehouse.StockItem
(
    StockItemID int NOT NULL CONSTRAINT PK_StockItem PRIMARY KEY
        CONSTRAINT DF_StockItem_StockItemID DEFAULT (NEXT VALUE FOR Sequences.StockItemID),
    ItemName nvarchar(100) NOT NULL CONSTRAINT UQ_StockItem_ItemName UNIQUE,
    SupplierID int NOT NULL CONSTRAINT FK_StockItem_Supplier REFERENCES Purchasing.Supplier (SupplierID) INDEX IX_StockItem_SupplierID,
    PackageTypeID int NOT NULL CONSTRAINT FK_StockItem_PackageType REFERENCES Warehouse.PackageType (PackageTypeID),
    IsChilled bit NOT NULL,
    UnitPrice decimal(18, 2) NOT NULL CONSTRAINT CK_StockItem_UnitPrice CHECK (UnitPrice > 0),
    TaxRate decimal(6, 3) NOT NULL,
    UnitWeight decimal(9, 3) NOT NULL,
    Barcode nvarchar(20) NULL,
    CustomFields nvarchar(max) NULL CONSTRAINT CK_StockItem_CustomFields CHECK (ISJSON(CustomFields) = 1),
    Tags AS JSON_QUERY(CustomFields, N'$.tags'),
    MadeIn AS CAST(JSON_VALUE(CustomFields, N'$.madeIn') AS nvarchar(60)),
    ValidFrom datetime2(7) GENERATED ALWAYS AS ROW START NOT NULL,
    ValidTo datetime2(7) GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
)
WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Warehouse.StockItemHistory));
CREATE INDEX IX_StockItem_MadeIn ON Warehouse.StockItem (MadeIn);
CREATE TABLE Warehouse.StockItemGroup
(
    StockItemID int NOT NULL CONSTRAINT FK_StockItemGroup_StockItem REFERENCES Warehouse.StockItem (StockItemID),
    StockGroupID int NOT NULL CONSTRAINT FK_StockItemGroup_StockGroup REFERENCES Warehouse.StockGroup (StockGroupID),
    CONSTRAINT PK_StockItemGroup PRIMARY KEY (StockItemID, StockGroupID)
);
CREATE TABLE Warehouse.StockHolding
(
    StockItemID int NOT NULL CONSTRAINT PK_StockHolding PRIMARY KEY
        CONSTRAINT FK_StockHolding_StockItem REFERENCES Warehouse.StockItem (StockItemID),
    QuantityOnHand int NOT NULL CONSTRAINT CK_StockHolding_QuantityOnHand CHECK (QuantityOnHand >= 0),
    Bin nvarchar(10) NOT NULL,
    ReorderLevel int NOT NULL
);

CREATE TABLE Purchasing.PurchaseOrder
(
    PurchaseOrderID int NOT NULL CONSTRAINT PK_PurchaseOrder PRIMARY KEY
        CONSTRAINT DF_PurchaseOrder_PurchaseOrderID DEFAULT (NEXT VALUE FOR Sequences.PurchaseOrderID),
    SupplierID int NOT NULL CONSTRAINT FK_PurchaseOrder_Supplier REFERENCES Purchasing.Supplier (SupplierID) INDEX IX_PurchaseOrder_SupplierID,
    OrderDate date NOT NULL,
    ExpectedOn date NOT NULL,
    BuyerPersonID int NOT NULL CONSTRAINT FK_PurchaseOrder_Person REFERENCES Application.Person (PersonID),
    IsReceived bit NOT NULL
);
CREATE TABLE Purchasing.PurchaseOrderLine
(
    PurchaseOrderID int NOT NULL CONSTRAINT FK_PurchaseOrderLine_PurchaseOrder REFERENCES Purchasing.PurchaseOrder (PurchaseOrderID),
    LineNumber int NOT NULL,
    StockItemID int NOT NULL CONSTRAINT FK_PurchaseOrderLine_StockItem REFERENCES Warehouse.StockItem (StockItemID),
    OrderedQuantity int NOT NULL CONSTRAINT CK_PurchaseOrderLine_OrderedQuantity CHECK (OrderedQuantity > 0),
    ReceivedQuantity int NOT NULL,
    UnitCost decimal(18, 2) NOT NULL,
    CONSTRAINT PK_PurchaseOrderLine PRIMARY KEY (PurchaseOrderID, LineNumber),
    INDEX IX_PurchaseOrderLine_StockItemID (StockItemID)
);

CREATE TABLE Sales.SpecialDeal
(
    SpecialDealID int NOT NULL CONSTRAINT PK_SpecialDeal PRIMARY KEY,
    DealText nvarchar(60) NOT NULL,
    BuyingGroupID int NULL CONSTRAINT FK_SpecialDeal_BuyingGroup REFERENCES Sales.BuyingGroup (BuyingGroupID),
    StockGroupID int NULL CONSTRAINT FK_SpecialDeal_StockGroup REFERENCES Warehouse.StockGroup (StockGroupID),
    StartsOn date NOT NULL,
    EndsOn date NOT NULL,
    DiscountPercent decimal(6, 3) NULL,
    DiscountAmount decimal(18, 2) NULL,
    CONSTRAINT CK_SpecialDeal_Ends CHECK (EndsOn >= StartsOn),
    CONSTRAINT CK_SpecialDeal_OneDiscount CHECK (IIF(DiscountPercent IS NULL, 0, 1) + IIF(DiscountAmount IS NULL, 0, 1) = 1)
);
CREATE TABLE Sales.[Order]
(
    OrderID int NOT NULL CONSTRAINT PK_Order PRIMARY KEY CONSTRAINT DF_Order_OrderID DEFAULT (NEXT VALUE FOR Sequences.OrderID),
    CustomerID int NOT NULL CONSTRAINT FK_Order_Customer REFERENCES Sales.Customer (CustomerID) INDEX IX_Order_CustomerID,
    SalespersonID int NOT NULL CONSTRAINT FK_Order_Salesperson REFERENCES Application.Person (PersonID) INDEX IX_Order_SalespersonID,
    OrderDate date NOT NULL INDEX IX_Order_OrderDate,
    ExpectedOn date NOT NULL,
    CustomerReference nvarchar(20) NULL,
    Comments nvarchar(max) NULL,
    PickedAt datetime2(0) NULL,
    EditedAt datetime2(7) NOT NULL CONSTRAINT DF_Order_EditedAt DEFAULT (SYSDATETIME()),
    CONSTRAINT CK_Order_ExpectedOn CHECK (ExpectedOn >= OrderDate)
);
CREATE TABLE Sales.OrderLine
(
    OrderID int NOT NULL CONSTRAINT FK_OrderLine_Order REFERENCES Sales.[Order] (OrderID) ON DELETE CASCADE,
    LineNumber int NOT NULL,
    StockItemID int NOT NULL CONSTRAINT FK_OrderLine_StockItem REFERENCES Warehouse.StockItem (StockItemID),
    Quantity int NOT NULL CONSTRAINT CK_OrderLine_Quantity CHECK (Quantity > 0),
    UnitPrice decimal(18, 2) NOT NULL,
    TaxRate decimal(6, 3) NOT NULL,
    Amount AS CAST(Quantity * UnitPrice AS decimal(18, 2)) PERSISTED,
    CONSTRAINT PK_OrderLine PRIMARY KEY (OrderID, LineNumber),
    INDEX IX_OrderLine_StockItemID (StockItemID) INCLUDE (Quantity)
);
CREATE TABLE Sales.Invoice
(
    InvoiceID int NOT NULL CONSTRAINT PK_Invoice PRIMARY KEY
        CONSTRAINT DF_Invoice_InvoiceID DEFAULT (NEXT VALUE FOR Sequences.InvoiceID),
    OrderID int NOT NULL CONSTRAINT FK_Invoice_Order REFERENCES Sales.[Order] (OrderID) CONSTRAINT UQ_Invoice_OrderID UNIQUE,
    CustomerID int NOT NULL CONSTRAINT FK_Invoice_Customer REFERENCES Sales.Customer (CustomerID) INDEX IX_Invoice_CustomerID,
    BillToCustomerID int NOT NULL CONSTRAINT FK_Invoice_BillTo REFERENCES Sales.Customer (CustomerID),
    InvoiceDate date NOT NULL,
    -- {"events": [{"event": …, "at": …, …}], "receivedBy": …}
    DeliveryEvents nvarchar(max) NULL CONSTRAINT CK_Invoice_DeliveryEvents CHECK (ISJSON(DeliveryEvents) = 1),
    DeliveredAt AS TRY_CONVERT(datetime2(0), JSON_VALUE(DeliveryEvents, N'$.deliveredAt'), 126),
    ReceivedBy AS CAST(JSON_VALUE(DeliveryEvents, N'$.receivedBy') AS nvarchar(80)),
    INDEX IX_Invoice_InvoiceDate (InvoiceDate)
);
CREATE INDEX IX_Invoice_DeliveredAt ON Sales.Invoice (DeliveredAt) INCLUDE (CustomerID);
CREATE TABLE Sales.InvoiceLine
(
    InvoiceID int NOT NULL CONSTRAINT FK_InvoiceLine_Invoice REFERENCES Sales.Invoice (InvoiceID) ON DELETE CASCADE,
    LineNumber int NOT NULL,
    StockItemID int NOT NULL CONSTRAINT FK_InvoiceLine_StockItem REFERENCES Warehouse.StockItem (StockItemID) INDEX IX_InvoiceLine_StockItemID,
    Quantity int NOT NULL,
    UnitPrice decimal(18, 2) NOT NULL,
    TaxAmount decimal(18, 2) NOT NULL,
    ExtendedPrice decimal(18, 2) NOT NULL,
    CONSTRAINT PK_InvoiceLine PRIMARY KEY (InvoiceID, LineNumber)
);

-- The ledgers: invoices and payments of customers and suppliers, and what enters and leaves stock.
CREATE TABLE Sales.CustomerEntry
(
    EntryID bigint NOT NULL CONSTRAINT PK_CustomerEntry PRIMARY KEY
        CONSTRAINT DF_CustomerEntry_EntryID DEFAULT (NEXT VALUE FOR Sequences.EntryID),
    CustomerID int NOT NULL CONSTRAINT FK_CustomerEntry_Customer REFERENCES Sales.Customer (CustomerID) INDEX IX_CustomerEntry_CustomerID,
    EntryKindID int NOT NULL CONSTRAINT FK_CustomerEntry_EntryKind REFERENCES Application.EntryKind (EntryKindID),
    InvoiceID int NULL CONSTRAINT FK_CustomerEntry_Invoice REFERENCES Sales.Invoice (InvoiceID),
    EntryDate date NOT NULL,
    Amount decimal(18, 2) NOT NULL
);
CREATE TABLE Purchasing.SupplierEntry
(
    EntryID bigint NOT NULL CONSTRAINT PK_SupplierEntry PRIMARY KEY
        CONSTRAINT DF_SupplierEntry_EntryID DEFAULT (NEXT VALUE FOR Sequences.EntryID),
    SupplierID int NOT NULL CONSTRAINT FK_SupplierEntry_Supplier REFERENCES Purchasing.Supplier (SupplierID) INDEX IX_SupplierEntry_SupplierID,
    EntryKindID int NOT NULL CONSTRAINT FK_SupplierEntry_EntryKind REFERENCES Application.EntryKind (EntryKindID),
    PurchaseOrderID int NULL CONSTRAINT FK_SupplierEntry_PurchaseOrder REFERENCES Purchasing.PurchaseOrder (PurchaseOrderID),
    EntryDate date NOT NULL,
    Amount decimal(18, 2) NOT NULL
);
CREATE TABLE Warehouse.StockEntry
(
    EntryID bigint NOT NULL CONSTRAINT PK_StockEntry PRIMARY KEY
        CONSTRAINT DF_StockEntry_EntryID DEFAULT (NEXT VALUE FOR Sequences.EntryID),
    StockItemID int NOT NULL CONSTRAINT FK_StockEntry_StockItem REFERENCES Warehouse.StockItem (StockItemID) INDEX IX_StockEntry_StockItemID,
    EntryKindID int NOT NULL CONSTRAINT FK_StockEntry_EntryKind REFERENCES Application.EntryKind (EntryKindID),
    InvoiceID int NULL CONSTRAINT FK_StockEntry_Invoice REFERENCES Sales.Invoice (InvoiceID),
    PurchaseOrderID int NULL CONSTRAINT FK_StockEntry_PurchaseOrder REFERENCES Purchasing.PurchaseOrder (PurchaseOrderID),
    EntryDate date NOT NULL,
    Quantity int NOT NULL CONSTRAINT CK_StockEntry_Quantity CHECK (Quantity <> 0)
);
GO

-- Temperatures come fast: memory-optimized tables. Of a cold room's sensor the row is its last
-- reading, the history all before; of a vehicle every reading is a row.
CREATE TABLE Warehouse.ColdRoomReading
(
    SensorNumber int NOT NULL CONSTRAINT PK_ColdRoomReading PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 64),
    RecordedAt datetime2(0) NOT NULL,
    Temperature decimal(10, 2) NOT NULL,
    ValidFrom datetime2(7) GENERATED ALWAYS AS ROW START NOT NULL,
    ValidTo datetime2(7) GENERATED ALWAYS AS ROW END NOT NULL,
    PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo)
)
WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA, SYSTEM_VERSIONING = ON (HISTORY_TABLE = Warehouse.ColdRoomReadingHistory));
CREATE TABLE Warehouse.VehicleReading
(
    VehicleReadingID bigint IDENTITY(1, 1) NOT NULL CONSTRAINT PK_VehicleReading PRIMARY KEY NONCLUSTERED,
    Registration nvarchar(20) COLLATE Latin1_General_CI_AS NOT NULL,
    SensorNumber int NOT NULL,
    RecordedAt datetime2(0) NOT NULL,
    Temperature decimal(10, 2) NOT NULL,
    SensorData nvarchar(1000) COLLATE Latin1_General_CI_AS NULL,
    INDEX IX_VehicleReading_Registration NONCLUSTERED (Registration, RecordedAt)
)
WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA);
GO

CREATE TYPE Website.OrderLineList AS TABLE
(
    LineNumber int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 256),
    StockItemID int NOT NULL,
    Quantity int NOT NULL
)
WITH (MEMORY_OPTIMIZED = ON);
CREATE TYPE Website.SensorReadingList AS TABLE
(
    SensorNumber int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 256),
    RecordedAt datetime2(0) NOT NULL,
    Temperature decimal(10, 2) NOT NULL
)
WITH (MEMORY_OPTIMIZED = ON);
GO
