-- The tables of AdventureWorks, each after those that it refers to, with their keys, constraints
-- and indexes.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO

CREATE TABLE dbo.AWBuildVersion
(
    SystemInformationID tinyint IDENTITY(1, 1) NOT NULL,
    [Database Version] nvarchar(25) NOT NULL,
    VersionDate datetime NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_AWBuildVersion_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_AWBuildVersion_SystemInformationID PRIMARY KEY CLUSTERED (SystemInformationID)
);

CREATE TABLE dbo.DatabaseLog
(
    DatabaseLogID int IDENTITY(1, 1) NOT NULL,
    PostTime datetime NOT NULL,
    DatabaseUser sysname NOT NULL,
    Event sysname NOT NULL,
    [Schema] sysname NULL,
    Object sysname NULL,
    TSQL nvarchar(max) NOT NULL,
    XmlEvent xml NOT NULL,
    CONSTRAINT PK_DatabaseLog_DatabaseLogID PRIMARY KEY NONCLUSTERED (DatabaseLogID)
);

CREATE TABLE dbo.ErrorLog
(
    ErrorLogID int IDENTITY(1, 1) NOT NULL,
    ErrorTime datetime NOT NULL CONSTRAINT DF_ErrorLog_ErrorTime DEFAULT (GETDATE()),
    UserName sysname NOT NULL,
    ErrorNumber int NOT NULL,
    ErrorSeverity int NULL,
    ErrorState int NULL,
    ErrorProcedure nvarchar(126) NULL,
    ErrorLine int NULL,
    ErrorMessage nvarchar(4000) NOT NULL,
    CONSTRAINT PK_ErrorLog_ErrorLogID PRIMARY KEY CLUSTERED (ErrorLogID)
);

CREATE TABLE Person.BusinessEntity
(
    BusinessEntityID int IDENTITY(1, 1) NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_BusinessEntity_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_BusinessEntity_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_BusinessEntity_BusinessEntityID PRIMARY KEY CLUSTERED (BusinessEntityID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_BusinessEntity_rowguid ON Person.BusinessEntity (rowguid);

CREATE TABLE Person.Person
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_Person_BusinessEntity_BusinessEntityID
        REFERENCES Person.BusinessEntity (BusinessEntityID),
    PersonType nchar(2) NOT NULL CONSTRAINT CK_Person_PersonType
        CHECK (PersonType IS NULL OR UPPER(PersonType) IN ('SC', 'VC', 'IN', 'EM', 'SP', 'GC')),
    NameStyle dbo.NameStyle NOT NULL CONSTRAINT DF_Person_NameStyle DEFAULT (0),
    Title nvarchar(8) NULL,
    FirstName dbo.Name NOT NULL,
    MiddleName dbo.Name NULL,
    LastName dbo.Name NOT NULL,
    Suffix nvarchar(10) NULL,
    EmailPromotion int NOT NULL CONSTRAINT DF_Person_EmailPromotion DEFAULT (0)
        CONSTRAINT CK_Person_EmailPromotion CHECK (EmailPromotion BETWEEN 0 AND 2),
    AdditionalContactInfo xml(Person.AdditionalContactInfoSchemaCollection) NULL,
    Demographics xml(Person.IndividualSurveySchemaCollection) NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Person_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Person_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Person_BusinessEntityID PRIMARY KEY CLUSTERED (BusinessEntityID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Person_rowguid ON Person.Person (rowguid);
CREATE NONCLUSTERED INDEX IX_Person_LastName_FirstName_MiddleName
    ON Person.Person (LastName, FirstName, MiddleName);

CREATE TABLE Person.CountryRegion
(
    CountryRegionCode nvarchar(3) NOT NULL,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_CountryRegion_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_CountryRegion_CountryRegionCode PRIMARY KEY CLUSTERED (CountryRegionCode)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_CountryRegion_Name ON Person.CountryRegion (Name);

CREATE TABLE Sales.SalesTerritory
(
    TerritoryID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    CountryRegionCode nvarchar(3) NOT NULL
        CONSTRAINT FK_SalesTerritory_CountryRegion_CountryRegionCode
        REFERENCES Person.CountryRegion (CountryRegionCode),
    [Group] nvarchar(50) NOT NULL,
    SalesYTD money NOT NULL CONSTRAINT DF_SalesTerritory_SalesYTD DEFAULT (0.00)
        CONSTRAINT CK_SalesTerritory_SalesYTD CHECK (SalesYTD >= 0.00),
    SalesLastYear money NOT NULL CONSTRAINT DF_SalesTerritory_SalesLastYear DEFAULT (0.00)
        CONSTRAINT CK_SalesTerritory_SalesLastYear CHECK (SalesLastYear >= 0.00),
    CostYTD money NOT NULL CONSTRAINT DF_SalesTerritory_CostYTD DEFAULT (0.00)
        CONSTRAINT CK_SalesTerritory_CostYTD CHECK (CostYTD >= 0.00),
    CostLastYear money NOT NULL CONSTRAINT DF_SalesTerritory_CostLastYear DEFAULT (0.00)
        CONSTRAINT CK_SalesTerritory_CostLastYear CHECK (CostLastYear >= 0.00),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_SalesTerritory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesTerritory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesTerritory_TerritoryID PRIMARY KEY CLUSTERED (TerritoryID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesTerritory_rowguid ON Sales.SalesTerritory (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesTerritory_Name ON Sales.SalesTerritory (Name);

CREATE TABLE Person.StateProvince
(
    StateProvinceID int IDENTITY(1, 1) NOT NULL,
    StateProvinceCode nchar(3) NOT NULL,
    CountryRegionCode nvarchar(3) NOT NULL
        CONSTRAINT FK_StateProvince_CountryRegion_CountryRegionCode
        REFERENCES Person.CountryRegion (CountryRegionCode),
    IsOnlyStateProvinceFlag dbo.Flag NOT NULL
        CONSTRAINT DF_StateProvince_IsOnlyStateProvinceFlag DEFAULT (1),
    Name dbo.Name NOT NULL,
    TerritoryID int NOT NULL CONSTRAINT FK_StateProvince_SalesTerritory_TerritoryID
        REFERENCES Sales.SalesTerritory (TerritoryID),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_StateProvince_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_StateProvince_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_StateProvince_StateProvinceID PRIMARY KEY CLUSTERED (StateProvinceID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_StateProvince_rowguid ON Person.StateProvince (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_StateProvince_Name ON Person.StateProvince (Name);
CREATE UNIQUE NONCLUSTERED INDEX AK_StateProvince_StateProvinceCode_CountryRegionCode
    ON Person.StateProvince (StateProvinceCode, CountryRegionCode);

CREATE TABLE Person.Address
(
    AddressID int IDENTITY(1, 1) NOT NULL,
    AddressLine1 nvarchar(60) NOT NULL,
    AddressLine2 nvarchar(60) NULL,
    City nvarchar(30) NOT NULL,
    StateProvinceID int NOT NULL CONSTRAINT FK_Address_StateProvince_StateProvinceID
        REFERENCES Person.StateProvince (StateProvinceID),
    PostalCode nvarchar(15) NOT NULL,
    SpatialLocation geography NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Address_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Address_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Address_AddressID PRIMARY KEY CLUSTERED (AddressID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Address_rowguid ON Person.Address (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX IX_Address_AddressLine1_AddressLine2_City_StateProvinceID_PostalCode
    ON Person.Address (AddressLine1, AddressLine2, City, StateProvinceID, PostalCode);
CREATE NONCLUSTERED INDEX IX_Address_StateProvinceID ON Person.Address (StateProvinceID);

CREATE TABLE Person.AddressType
(
    AddressTypeID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_AddressType_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_AddressType_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_AddressType_AddressTypeID PRIMARY KEY CLUSTERED (AddressTypeID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_AddressType_rowguid ON Person.AddressType (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_AddressType_Name ON Person.AddressType (Name);

CREATE TABLE Person.ContactType
(
    ContactTypeID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ContactType_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ContactType_ContactTypeID PRIMARY KEY CLUSTERED (ContactTypeID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_ContactType_Name ON Person.ContactType (Name);

CREATE TABLE Person.PhoneNumberType
(
    PhoneNumberTypeID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_PhoneNumberType_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_PhoneNumberType_PhoneNumberTypeID PRIMARY KEY CLUSTERED (PhoneNumberTypeID)
);

CREATE TABLE Person.BusinessEntityAddress
(
    BusinessEntityID int NOT NULL
        CONSTRAINT FK_BusinessEntityAddress_BusinessEntity_BusinessEntityID
        REFERENCES Person.BusinessEntity (BusinessEntityID),
    AddressID int NOT NULL CONSTRAINT FK_BusinessEntityAddress_Address_AddressID
        REFERENCES Person.Address (AddressID),
    AddressTypeID int NOT NULL CONSTRAINT FK_BusinessEntityAddress_AddressType_AddressTypeID
        REFERENCES Person.AddressType (AddressTypeID),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_BusinessEntityAddress_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_BusinessEntityAddress_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_BusinessEntityAddress_BusinessEntityID_AddressID_AddressTypeID
        PRIMARY KEY CLUSTERED (BusinessEntityID, AddressID, AddressTypeID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_BusinessEntityAddress_rowguid ON Person.BusinessEntityAddress (rowguid);
CREATE NONCLUSTERED INDEX IX_BusinessEntityAddress_AddressID
    ON Person.BusinessEntityAddress (AddressID);
CREATE NONCLUSTERED INDEX IX_BusinessEntityAddress_AddressTypeID
    ON Person.BusinessEntityAddress (AddressTypeID);

CREATE TABLE Person.BusinessEntityContact
(
    BusinessEntityID int NOT NULL
        CONSTRAINT FK_BusinessEntityContact_BusinessEntity_BusinessEntityID
        REFERENCES Person.BusinessEntity (BusinessEntityID),
    PersonID int NOT NULL CONSTRAINT FK_BusinessEntityContact_Person_PersonID
        REFERENCES Person.Person (BusinessEntityID),
    ContactTypeID int NOT NULL CONSTRAINT FK_BusinessEntityContact_ContactType_ContactTypeID
        REFERENCES Person.ContactType (ContactTypeID),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_BusinessEntityContact_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_BusinessEntityContact_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_BusinessEntityContact_BusinessEntityID_PersonID_ContactTypeID
        PRIMARY KEY CLUSTERED (BusinessEntityID, PersonID, ContactTypeID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_BusinessEntityContact_rowguid ON Person.BusinessEntityContact (rowguid);
CREATE NONCLUSTERED INDEX IX_BusinessEntityContact_PersonID
    ON Person.BusinessEntityContact (PersonID);
CREATE NONCLUSTERED INDEX IX_BusinessEntityContact_ContactTypeID
    ON Person.BusinessEntityContact (ContactTypeID);

CREATE TABLE Person.EmailAddress
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_EmailAddress_Person_BusinessEntityID
        REFERENCES Person.Person (BusinessEntityID),
    EmailAddressID int IDENTITY(1, 1) NOT NULL,
    EmailAddress nvarchar(50) NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_EmailAddress_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_EmailAddress_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_EmailAddress_BusinessEntityID_EmailAddressID
        PRIMARY KEY CLUSTERED (BusinessEntityID, EmailAddressID)
);
CREATE NONCLUSTERED INDEX IX_EmailAddress_EmailAddress ON Person.EmailAddress (EmailAddress);

CREATE TABLE Person.Password
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_Password_Person_BusinessEntityID
        REFERENCES Person.Person (BusinessEntityID),
    PasswordHash varchar(128) NOT NULL,
    PasswordSalt varchar(10) NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Password_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Password_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Password_BusinessEntityID PRIMARY KEY CLUSTERED (BusinessEntityID)
);

CREATE TABLE Person.PersonPhone
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_PersonPhone_Person_BusinessEntityID
        REFERENCES Person.Person (BusinessEntityID),
    PhoneNumber dbo.Phone NOT NULL,
    PhoneNumberTypeID int NOT NULL CONSTRAINT FK_PersonPhone_PhoneNumberType_PhoneNumberTypeID
        REFERENCES Person.PhoneNumberType (PhoneNumberTypeID),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_PersonPhone_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_PersonPhone_BusinessEntityID_PhoneNumber_PhoneNumberTypeID
        PRIMARY KEY CLUSTERED (BusinessEntityID, PhoneNumber, PhoneNumberTypeID)
);
CREATE NONCLUSTERED INDEX IX_PersonPhone_PhoneNumber ON Person.PersonPhone (PhoneNumber);

CREATE TABLE HumanResources.Department
(
    DepartmentID smallint IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    GroupName dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Department_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Department_DepartmentID PRIMARY KEY CLUSTERED (DepartmentID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Department_Name ON HumanResources.Department (Name);

CREATE TABLE HumanResources.Shift
(
    ShiftID tinyint IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    StartTime time(7) NOT NULL,
    EndTime time(7) NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Shift_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Shift_ShiftID PRIMARY KEY CLUSTERED (ShiftID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Shift_Name ON HumanResources.Shift (Name);
CREATE UNIQUE NONCLUSTERED INDEX AK_Shift_StartTime_EndTime
    ON HumanResources.Shift (StartTime, EndTime);

CREATE TABLE HumanResources.Employee
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_Employee_Person_BusinessEntityID
        REFERENCES Person.Person (BusinessEntityID),
    NationalIDNumber nvarchar(15) NOT NULL,
    LoginID nvarchar(256) NOT NULL,
    OrganizationNode hierarchyid NULL,
    OrganizationLevel AS OrganizationNode.GetLevel(),
    JobTitle nvarchar(50) NOT NULL,
    BirthDate date NOT NULL CONSTRAINT CK_Employee_BirthDate
        CHECK (BirthDate BETWEEN '1930-01-01' AND DATEADD(year, -18, GETDATE())),
    MaritalStatus nchar(1) NOT NULL CONSTRAINT CK_Employee_MaritalStatus
        CHECK (UPPER(MaritalStatus) IN ('M', 'S')),
    Gender nchar(1) NOT NULL CONSTRAINT CK_Employee_Gender CHECK (UPPER(Gender) IN ('F', 'M')),
    HireDate date NOT NULL CONSTRAINT CK_Employee_HireDate
        CHECK (HireDate BETWEEN '1996-07-01' AND DATEADD(day, 1, GETDATE())),
    SalariedFlag dbo.Flag NOT NULL CONSTRAINT DF_Employee_SalariedFlag DEFAULT (1),
    VacationHours smallint NOT NULL CONSTRAINT DF_Employee_VacationHours DEFAULT (0)
        CONSTRAINT CK_Employee_VacationHours CHECK (VacationHours BETWEEN -40 AND 240),
    SickLeaveHours smallint NOT NULL CONSTRAINT DF_Employee_SickLeaveHours DEFAULT (0)
        CONSTRAINT CK_Employee_SickLeaveHours CHECK (SickLeaveHours BETWEEN 0 AND 120),
    CurrentFlag dbo.Flag NOT NULL CONSTRAINT DF_Employee_CurrentFlag DEFAULT (1),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Employee_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Employee_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Employee_BusinessEntityID PRIMARY KEY CLUSTERED (BusinessEntityID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Employee_rowguid ON HumanResources.Employee (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_Employee_LoginID ON HumanResources.Employee (LoginID);
CREATE UNIQUE NONCLUSTERED INDEX AK_Employee_NationalIDNumber
    ON HumanResources.Employee (NationalIDNumber);
CREATE NONCLUSTERED INDEX IX_Employee_OrganizationNode
    ON HumanResources.Employee (OrganizationNode);
CREATE NONCLUSTERED INDEX IX_Employee_OrganizationLevel_OrganizationNode
    ON HumanResources.Employee (OrganizationLevel, OrganizationNode);

CREATE TABLE HumanResources.EmployeeDepartmentHistory
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_EmployeeDepartmentHistory_Employee_BusinessEntityID
        REFERENCES HumanResources.Employee (BusinessEntityID),
    DepartmentID smallint NOT NULL CONSTRAINT FK_EmployeeDepartmentHistory_Department_DepartmentID
        REFERENCES HumanResources.Department (DepartmentID),
    ShiftID tinyint NOT NULL CONSTRAINT FK_EmployeeDepartmentHistory_Shift_ShiftID
        REFERENCES HumanResources.Shift (ShiftID),
    StartDate date NOT NULL,
    EndDate date NULL,
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_EmployeeDepartmentHistory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_EmployeeDepartmentHistory_BusinessEntityID_StartDate_DepartmentID_ShiftID
        PRIMARY KEY CLUSTERED (BusinessEntityID, StartDate, DepartmentID, ShiftID),
    CONSTRAINT CK_EmployeeDepartmentHistory_EndDate CHECK (EndDate >= StartDate OR EndDate IS NULL)
);
CREATE NONCLUSTERED INDEX IX_EmployeeDepartmentHistory_DepartmentID
    ON HumanResources.EmployeeDepartmentHistory (DepartmentID);
CREATE NONCLUSTERED INDEX IX_EmployeeDepartmentHistory_ShiftID
    ON HumanResources.EmployeeDepartmentHistory (ShiftID);

CREATE TABLE HumanResources.EmployeePayHistory
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_EmployeePayHistory_Employee_BusinessEntityID
        REFERENCES HumanResources.Employee (BusinessEntityID),
    RateChangeDate datetime NOT NULL,
    Rate money NOT NULL CONSTRAINT CK_EmployeePayHistory_Rate CHECK (Rate BETWEEN 6.50 AND 200.00),
    PayFrequency tinyint NOT NULL CONSTRAINT CK_EmployeePayHistory_PayFrequency
        CHECK (PayFrequency IN (1, 2)),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_EmployeePayHistory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_EmployeePayHistory_BusinessEntityID_RateChangeDate
        PRIMARY KEY CLUSTERED (BusinessEntityID, RateChangeDate)
);

CREATE TABLE HumanResources.JobCandidate
(
    JobCandidateID int IDENTITY(1, 1) NOT NULL,
    BusinessEntityID int NULL CONSTRAINT FK_JobCandidate_Employee_BusinessEntityID
        REFERENCES HumanResources.Employee (BusinessEntityID),
    Resume xml(HumanResources.HRResumeSchemaCollection) NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_JobCandidate_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_JobCandidate_JobCandidateID PRIMARY KEY CLUSTERED (JobCandidateID)
);
CREATE NONCLUSTERED INDEX IX_JobCandidate_BusinessEntityID
    ON HumanResources.JobCandidate (BusinessEntityID);

CREATE TABLE Production.UnitMeasure
(
    UnitMeasureCode nchar(3) NOT NULL,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_UnitMeasure_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_UnitMeasure_UnitMeasureCode PRIMARY KEY CLUSTERED (UnitMeasureCode)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_UnitMeasure_Name ON Production.UnitMeasure (Name);

CREATE TABLE Production.ProductCategory
(
    ProductCategoryID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_ProductCategory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductCategory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductCategory_ProductCategoryID PRIMARY KEY CLUSTERED (ProductCategoryID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_ProductCategory_rowguid ON Production.ProductCategory (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_ProductCategory_Name ON Production.ProductCategory (Name);

CREATE TABLE Production.ProductSubcategory
(
    ProductSubcategoryID int IDENTITY(1, 1) NOT NULL,
    ProductCategoryID int NOT NULL
        CONSTRAINT FK_ProductSubcategory_ProductCategory_ProductCategoryID
        REFERENCES Production.ProductCategory (ProductCategoryID),
    Name dbo.Name NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_ProductSubcategory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductSubcategory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductSubcategory_ProductSubcategoryID
        PRIMARY KEY CLUSTERED (ProductSubcategoryID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_ProductSubcategory_rowguid ON Production.ProductSubcategory (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_ProductSubcategory_Name ON Production.ProductSubcategory (Name);

CREATE TABLE Production.ProductModel
(
    ProductModelID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    CatalogDescription xml(Production.ProductDescriptionSchemaCollection) NULL,
    Instructions xml(Production.ManuInstructionsSchemaCollection) NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_ProductModel_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductModel_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductModel_ProductModelID PRIMARY KEY CLUSTERED (ProductModelID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_ProductModel_rowguid ON Production.ProductModel (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_ProductModel_Name ON Production.ProductModel (Name);

CREATE TABLE Production.Product
(
    ProductID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    ProductNumber nvarchar(25) NOT NULL,
    MakeFlag dbo.Flag NOT NULL CONSTRAINT DF_Product_MakeFlag DEFAULT (1),
    FinishedGoodsFlag dbo.Flag NOT NULL CONSTRAINT DF_Product_FinishedGoodsFlag DEFAULT (1),
    Color nvarchar(15) NULL,
    SafetyStockLevel smallint NOT NULL CONSTRAINT CK_Product_SafetyStockLevel
        CHECK (SafetyStockLevel > 0),
    ReorderPoint smallint NOT NULL CONSTRAINT CK_Product_ReorderPoint CHECK (ReorderPoint > 0),
    StandardCost money NOT NULL CONSTRAINT CK_Product_StandardCost CHECK (StandardCost >= 0.00),
    ListPrice money NOT NULL CONSTRAINT CK_Product_ListPrice CHECK (ListPrice >= 0.00),
    Size nvarchar(5) NULL,
    SizeUnitMeasureCode nchar(3) NULL CONSTRAINT FK_Product_UnitMeasure_SizeUnitMeasureCode
        REFERENCES Production.UnitMeasure (UnitMeasureCode),
    WeightUnitMeasureCode nchar(3) NULL CONSTRAINT FK_Product_UnitMeasure_WeightUnitMeasureCode
        REFERENCES Production.UnitMeasure (UnitMeasureCode),
    Weight decimal(8, 2) NULL CONSTRAINT CK_Product_Weight CHECK (Weight > 0.00),
    DaysToManufacture int NOT NULL CONSTRAINT CK_Product_DaysToManufacture
        CHECK (DaysToManufacture >= 0),
    ProductLine nchar(2) NULL CONSTRAINT CK_Product_ProductLine
        CHECK (UPPER(ProductLine) IN ('S', 'T', 'M', 'R') OR ProductLine IS NULL),
    Class nchar(2) NULL CONSTRAINT CK_Product_Class
        CHECK (UPPER(Class) IN ('L', 'M', 'H') OR Class IS NULL),
    Style nchar(2) NULL CONSTRAINT CK_Product_Style
        CHECK (UPPER(Style) IN ('W', 'M', 'U') OR Style IS NULL),
    ProductSubcategoryID int NULL CONSTRAINT FK_Product_ProductSubcategory_ProductSubcategoryID
        REFERENCES Production.ProductSubcategory (ProductSubcategoryID),
    ProductModelID int NULL CONSTRAINT FK_Product_ProductModel_ProductModelID
        REFERENCES Production.ProductModel (ProductModelID),
    SellStartDate datetime NOT NULL,
    SellEndDate datetime NULL,
    DiscontinuedDate datetime NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Product_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Product_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Product_ProductID PRIMARY KEY CLUSTERED (ProductID),
    CONSTRAINT CK_Product_SellEndDate CHECK (SellEndDate >= SellStartDate OR SellEndDate IS NULL)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Product_rowguid ON Production.Product (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_Product_ProductNumber ON Production.Product (ProductNumber);
CREATE UNIQUE NONCLUSTERED INDEX AK_Product_Name ON Production.Product (Name);

CREATE TABLE Production.BillOfMaterials
(
    BillOfMaterialsID int IDENTITY(1, 1) NOT NULL,
    ProductAssemblyID int NULL CONSTRAINT FK_BillOfMaterials_Product_ProductAssemblyID
        REFERENCES Production.Product (ProductID),
    ComponentID int NOT NULL CONSTRAINT FK_BillOfMaterials_Product_ComponentID
        REFERENCES Production.Product (ProductID),
    StartDate datetime NOT NULL CONSTRAINT DF_BillOfMaterials_StartDate DEFAULT (GETDATE()),
    EndDate datetime NULL,
    UnitMeasureCode nchar(3) NOT NULL CONSTRAINT FK_BillOfMaterials_UnitMeasure_UnitMeasureCode
        REFERENCES Production.UnitMeasure (UnitMeasureCode),
    BOMLevel smallint NOT NULL,
    PerAssemblyQty decimal(8, 2) NOT NULL
        CONSTRAINT DF_BillOfMaterials_PerAssemblyQty DEFAULT (1.00)
        CONSTRAINT CK_BillOfMaterials_PerAssemblyQty CHECK (PerAssemblyQty >= 1.00),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_BillOfMaterials_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_BillOfMaterials_BillOfMaterialsID PRIMARY KEY NONCLUSTERED (BillOfMaterialsID),
    CONSTRAINT CK_BillOfMaterials_EndDate CHECK (EndDate > StartDate OR EndDate IS NULL),
    CONSTRAINT CK_BillOfMaterials_ProductAssemblyID CHECK (ProductAssemblyID <> ComponentID),
    CONSTRAINT CK_BillOfMaterials_BOMLevel
        CHECK ((ProductAssemblyID IS NULL AND BOMLevel = 0 AND PerAssemblyQty = 1.00) OR (ProductAssemblyID IS NOT NULL AND BOMLevel >= 1))
);
CREATE UNIQUE CLUSTERED INDEX AK_BillOfMaterials_ProductAssemblyID_ComponentID_StartDate
    ON Production.BillOfMaterials (ProductAssemblyID, ComponentID, StartDate);
CREATE NONCLUSTERED INDEX IX_BillOfMaterials_UnitMeasureCode
    ON Production.BillOfMaterials (UnitMeasureCode);

CREATE TABLE Production.Culture
(
    CultureID nchar(6) NOT NULL,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Culture_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Culture_CultureID PRIMARY KEY CLUSTERED (CultureID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Culture_Name ON Production.Culture (Name);

CREATE TABLE Production.Document
(
    DocumentNode hierarchyid NOT NULL,
    DocumentLevel AS DocumentNode.GetLevel(),
    Title nvarchar(50) NOT NULL,
    Owner int NOT NULL CONSTRAINT FK_Document_Employee_Owner
        REFERENCES HumanResources.Employee (BusinessEntityID),
    FolderFlag bit NOT NULL CONSTRAINT DF_Document_FolderFlag DEFAULT (0),
    FileName nvarchar(400) NOT NULL,
    FileExtension nvarchar(8) NOT NULL,
    Revision nchar(5) NOT NULL,
    ChangeNumber int NOT NULL CONSTRAINT DF_Document_ChangeNumber DEFAULT (0),
    Status tinyint NOT NULL CONSTRAINT CK_Document_Status CHECK (Status BETWEEN 1 AND 3),
    DocumentSummary nvarchar(max) NULL,
    Document varbinary(max) NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Document_rowguid DEFAULT (NEWID())
        CONSTRAINT AK_Document_rowguid UNIQUE,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Document_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Document_DocumentNode PRIMARY KEY CLUSTERED (DocumentNode)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Document_DocumentLevel_DocumentNode
    ON Production.Document (DocumentLevel, DocumentNode);
CREATE NONCLUSTERED INDEX IX_Document_FileName_Revision ON Production.Document (FileName, Revision);

CREATE TABLE Production.Illustration
(
    IllustrationID int IDENTITY(1, 1) NOT NULL,
    Diagram xml NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Illustration_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Illustration_IllustrationID PRIMARY KEY CLUSTERED (IllustrationID)
);

CREATE TABLE Production.Location
(
    LocationID smallint IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    CostRate smallmoney NOT NULL CONSTRAINT DF_Location_CostRate DEFAULT (0.00)
        CONSTRAINT CK_Location_CostRate CHECK (CostRate >= 0.00),
    Availability decimal(8, 2) NOT NULL CONSTRAINT DF_Location_Availability DEFAULT (0.00)
        CONSTRAINT CK_Location_Availability CHECK (Availability >= 0.00),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Location_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Location_LocationID PRIMARY KEY CLUSTERED (LocationID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Location_Name ON Production.Location (Name);

CREATE TABLE Production.ProductCostHistory
(
    ProductID int NOT NULL CONSTRAINT FK_ProductCostHistory_Product_ProductID
        REFERENCES Production.Product (ProductID),
    StartDate datetime NOT NULL,
    EndDate datetime NULL,
    StandardCost money NOT NULL CONSTRAINT CK_ProductCostHistory_StandardCost
        CHECK (StandardCost >= 0.00),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductCostHistory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductCostHistory_ProductID_StartDate
        PRIMARY KEY CLUSTERED (ProductID, StartDate),
    CONSTRAINT CK_ProductCostHistory_EndDate CHECK (EndDate >= StartDate OR EndDate IS NULL)
);

CREATE TABLE Production.ProductDescription
(
    ProductDescriptionID int IDENTITY(1, 1) NOT NULL,
    Description nvarchar(400) NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_ProductDescription_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductDescription_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductDescription_ProductDescriptionID
        PRIMARY KEY CLUSTERED (ProductDescriptionID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_ProductDescription_rowguid ON Production.ProductDescription (rowguid);

CREATE TABLE Production.ProductDocument
(
    ProductID int NOT NULL CONSTRAINT FK_ProductDocument_Product_ProductID
        REFERENCES Production.Product (ProductID),
    DocumentNode hierarchyid NOT NULL CONSTRAINT FK_ProductDocument_Document_DocumentNode
        REFERENCES Production.Document (DocumentNode),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductDocument_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductDocument_ProductID_DocumentNode
        PRIMARY KEY CLUSTERED (ProductID, DocumentNode)
);

CREATE TABLE Production.ProductInventory
(
    ProductID int NOT NULL CONSTRAINT FK_ProductInventory_Product_ProductID
        REFERENCES Production.Product (ProductID),
    LocationID smallint NOT NULL CONSTRAINT FK_ProductInventory_Location_LocationID
        REFERENCES Production.Location (LocationID),
    Shelf nvarchar(10) NOT NULL CONSTRAINT CK_ProductInventory_Shelf
        CHECK (Shelf LIKE '[A-Za-z]' OR Shelf = 'N/A'),
    Bin tinyint NOT NULL CONSTRAINT CK_ProductInventory_Bin CHECK (Bin BETWEEN 0 AND 100),
    Quantity smallint NOT NULL CONSTRAINT DF_ProductInventory_Quantity DEFAULT (0),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_ProductInventory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductInventory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductInventory_ProductID_LocationID
        PRIMARY KEY CLUSTERED (ProductID, LocationID)
);

CREATE TABLE Production.ProductListPriceHistory
(
    ProductID int NOT NULL CONSTRAINT FK_ProductListPriceHistory_Product_ProductID
        REFERENCES Production.Product (ProductID),
    StartDate datetime NOT NULL,
    EndDate datetime NULL,
    ListPrice money NOT NULL CONSTRAINT CK_ProductListPriceHistory_ListPrice
        CHECK (ListPrice > 0.00),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_ProductListPriceHistory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductListPriceHistory_ProductID_StartDate
        PRIMARY KEY CLUSTERED (ProductID, StartDate),
    CONSTRAINT CK_ProductListPriceHistory_EndDate CHECK (EndDate >= StartDate OR EndDate IS NULL)
);

CREATE TABLE Production.ProductModelIllustration
(
    ProductModelID int NOT NULL CONSTRAINT FK_ProductModelIllustration_ProductModel_ProductModelID
        REFERENCES Production.ProductModel (ProductModelID),
    IllustrationID int NOT NULL CONSTRAINT FK_ProductModelIllustration_Illustration_IllustrationID
        REFERENCES Production.Illustration (IllustrationID),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_ProductModelIllustration_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductModelIllustration_ProductModelID_IllustrationID
        PRIMARY KEY CLUSTERED (ProductModelID, IllustrationID)
);

CREATE TABLE Production.ProductModelProductDescriptionCulture
(
    ProductModelID int NOT NULL
        CONSTRAINT FK_ProductModelProductDescriptionCulture_ProductModel_ProductModelID
        REFERENCES Production.ProductModel (ProductModelID),
    ProductDescriptionID int NOT NULL
        CONSTRAINT FK_ProductModelProductDescriptionCulture_ProductDescription_ProductDescriptionID
        REFERENCES Production.ProductDescription (ProductDescriptionID),
    CultureID nchar(6) NOT NULL
        CONSTRAINT FK_ProductModelProductDescriptionCulture_Culture_CultureID
        REFERENCES Production.Culture (CultureID),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_ProductModelProductDescriptionCulture_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductModelProductDescriptionCulture_ProductModelID_ProductDescriptionID_CultureID
        PRIMARY KEY CLUSTERED (ProductModelID, ProductDescriptionID, CultureID)
);

CREATE TABLE Production.ProductPhoto
(
    ProductPhotoID int IDENTITY(1, 1) NOT NULL,
    ThumbNailPhoto varbinary(max) NULL,
    ThumbnailPhotoFileName nvarchar(50) NULL,
    LargePhoto varbinary(max) NULL,
    LargePhotoFileName nvarchar(50) NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductPhoto_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductPhoto_ProductPhotoID PRIMARY KEY CLUSTERED (ProductPhotoID)
);

CREATE TABLE Production.ProductProductPhoto
(
    ProductID int NOT NULL CONSTRAINT FK_ProductProductPhoto_Product_ProductID
        REFERENCES Production.Product (ProductID),
    ProductPhotoID int NOT NULL CONSTRAINT FK_ProductProductPhoto_ProductPhoto_ProductPhotoID
        REFERENCES Production.ProductPhoto (ProductPhotoID),
    [Primary] dbo.Flag NOT NULL CONSTRAINT DF_ProductProductPhoto_Primary DEFAULT (0),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_ProductProductPhoto_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductProductPhoto_ProductID_ProductPhotoID
        PRIMARY KEY NONCLUSTERED (ProductID, ProductPhotoID)
);

CREATE TABLE Production.ProductReview
(
    ProductReviewID int IDENTITY(1, 1) NOT NULL,
    ProductID int NOT NULL CONSTRAINT FK_ProductReview_Product_ProductID
        REFERENCES Production.Product (ProductID),
    ReviewerName dbo.Name NOT NULL,
    ReviewDate datetime NOT NULL CONSTRAINT DF_ProductReview_ReviewDate DEFAULT (GETDATE()),
    EmailAddress nvarchar(50) NOT NULL,
    Rating int NOT NULL CONSTRAINT CK_ProductReview_Rating CHECK (Rating BETWEEN 1 AND 5),
    Comments nvarchar(3850) NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductReview_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductReview_ProductReviewID PRIMARY KEY CLUSTERED (ProductReviewID)
);
CREATE NONCLUSTERED INDEX IX_ProductReview_ProductID_Name
    ON Production.ProductReview (ProductID, ReviewerName) INCLUDE (Comments);

CREATE TABLE Production.ScrapReason
(
    ScrapReasonID smallint IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ScrapReason_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ScrapReason_ScrapReasonID PRIMARY KEY CLUSTERED (ScrapReasonID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_ScrapReason_Name ON Production.ScrapReason (Name);

CREATE TABLE Production.TransactionHistory
(
    TransactionID int IDENTITY(100000, 1) NOT NULL,
    ProductID int NOT NULL CONSTRAINT FK_TransactionHistory_Product_ProductID
        REFERENCES Production.Product (ProductID),
    ReferenceOrderID int NOT NULL,
    ReferenceOrderLineID int NOT NULL
        CONSTRAINT DF_TransactionHistory_ReferenceOrderLineID DEFAULT (0),
    TransactionDate datetime NOT NULL
        CONSTRAINT DF_TransactionHistory_TransactionDate DEFAULT (GETDATE()),
    TransactionType nchar(1) NOT NULL CONSTRAINT CK_TransactionHistory_TransactionType
        CHECK (UPPER(TransactionType) IN ('W', 'S', 'P')),
    Quantity int NOT NULL,
    ActualCost money NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_TransactionHistory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_TransactionHistory_TransactionID PRIMARY KEY CLUSTERED (TransactionID)
);
CREATE NONCLUSTERED INDEX IX_TransactionHistory_ProductID
    ON Production.TransactionHistory (ProductID);
CREATE NONCLUSTERED INDEX IX_TransactionHistory_ReferenceOrderID_ReferenceOrderLineID
    ON Production.TransactionHistory (ReferenceOrderID, ReferenceOrderLineID);

CREATE TABLE Production.TransactionHistoryArchive
(
    TransactionID int NOT NULL,
    ProductID int NOT NULL,
    ReferenceOrderID int NOT NULL,
    ReferenceOrderLineID int NOT NULL
        CONSTRAINT DF_TransactionHistoryArchive_ReferenceOrderLineID DEFAULT (0),
    TransactionDate datetime NOT NULL
        CONSTRAINT DF_TransactionHistoryArchive_TransactionDate DEFAULT (GETDATE()),
    TransactionType nchar(1) NOT NULL CONSTRAINT CK_TransactionHistoryArchive_TransactionType
        CHECK (UPPER(TransactionType) IN ('W', 'S', 'P')),
    Quantity int NOT NULL,
    ActualCost money NOT NULL,
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_TransactionHistoryArchive_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_TransactionHistoryArchive_TransactionID PRIMARY KEY CLUSTERED (TransactionID)
);
CREATE NONCLUSTERED INDEX IX_TransactionHistoryArchive_ProductID
    ON Production.TransactionHistoryArchive (ProductID);
CREATE NONCLUSTERED INDEX IX_TransactionHistoryArchive_ReferenceOrderID_ReferenceOrderLineID
    ON Production.TransactionHistoryArchive (ReferenceOrderID, ReferenceOrderLineID);

CREATE TABLE Production.WorkOrder
(
    WorkOrderID int IDENTITY(1, 1) NOT NULL,
    ProductID int NOT NULL CONSTRAINT FK_WorkOrder_Product_ProductID
        REFERENCES Production.Product (ProductID),
    OrderQty int NOT NULL CONSTRAINT CK_WorkOrder_OrderQty CHECK (OrderQty > 0),
    StockedQty AS ISNULL(OrderQty - ScrappedQty, 0),
    ScrappedQty smallint NOT NULL CONSTRAINT CK_WorkOrder_ScrappedQty CHECK (ScrappedQty >= 0),
    StartDate datetime NOT NULL,
    EndDate datetime NULL,
    DueDate datetime NOT NULL,
    ScrapReasonID smallint NULL CONSTRAINT FK_WorkOrder_ScrapReason_ScrapReasonID
        REFERENCES Production.ScrapReason (ScrapReasonID),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_WorkOrder_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_WorkOrder_WorkOrderID PRIMARY KEY CLUSTERED (WorkOrderID),
    CONSTRAINT CK_WorkOrder_EndDate CHECK (EndDate >= StartDate OR EndDate IS NULL)
);
CREATE NONCLUSTERED INDEX IX_WorkOrder_ScrapReasonID ON Production.WorkOrder (ScrapReasonID);
CREATE NONCLUSTERED INDEX IX_WorkOrder_ProductID ON Production.WorkOrder (ProductID);

CREATE TABLE Production.WorkOrderRouting
(
    WorkOrderID int NOT NULL CONSTRAINT FK_WorkOrderRouting_WorkOrder_WorkOrderID
        REFERENCES Production.WorkOrder (WorkOrderID),
    ProductID int NOT NULL,
    OperationSequence smallint NOT NULL,
    LocationID smallint NOT NULL CONSTRAINT FK_WorkOrderRouting_Location_LocationID
        REFERENCES Production.Location (LocationID),
    ScheduledStartDate datetime NOT NULL,
    ScheduledEndDate datetime NOT NULL,
    ActualStartDate datetime NULL,
    ActualEndDate datetime NULL,
    ActualResourceHrs decimal(9, 4) NULL CONSTRAINT CK_WorkOrderRouting_ActualResourceHrs
        CHECK (ActualResourceHrs >= 0.0000),
    PlannedCost money NOT NULL CONSTRAINT CK_WorkOrderRouting_PlannedCost CHECK (PlannedCost > 0.00),
    ActualCost money NULL CONSTRAINT CK_WorkOrderRouting_ActualCost CHECK (ActualCost > 0.00),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_WorkOrderRouting_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_WorkOrderRouting_WorkOrderID_ProductID_OperationSequence
        PRIMARY KEY CLUSTERED (WorkOrderID, ProductID, OperationSequence),
    CONSTRAINT CK_WorkOrderRouting_ScheduledEndDate CHECK (ScheduledEndDate >= ScheduledStartDate),
    CONSTRAINT CK_WorkOrderRouting_ActualEndDate
        CHECK (ActualEndDate >= ActualStartDate OR ActualEndDate IS NULL OR ActualStartDate IS NULL)
);
CREATE NONCLUSTERED INDEX IX_WorkOrderRouting_ProductID ON Production.WorkOrderRouting (ProductID);

CREATE TABLE Purchasing.ShipMethod
(
    ShipMethodID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    ShipBase money NOT NULL CONSTRAINT DF_ShipMethod_ShipBase DEFAULT (0.00)
        CONSTRAINT CK_ShipMethod_ShipBase CHECK (ShipBase > 0.00),
    ShipRate money NOT NULL CONSTRAINT DF_ShipMethod_ShipRate DEFAULT (0.00)
        CONSTRAINT CK_ShipMethod_ShipRate CHECK (ShipRate > 0.00),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_ShipMethod_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ShipMethod_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ShipMethod_ShipMethodID PRIMARY KEY CLUSTERED (ShipMethodID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_ShipMethod_rowguid ON Purchasing.ShipMethod (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_ShipMethod_Name ON Purchasing.ShipMethod (Name);

CREATE TABLE Purchasing.Vendor
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_Vendor_BusinessEntity_BusinessEntityID
        REFERENCES Person.BusinessEntity (BusinessEntityID),
    AccountNumber dbo.AccountNumber NOT NULL,
    Name dbo.Name NOT NULL,
    CreditRating tinyint NOT NULL CONSTRAINT CK_Vendor_CreditRating
        CHECK (CreditRating BETWEEN 1 AND 5),
    PreferredVendorStatus dbo.Flag NOT NULL CONSTRAINT DF_Vendor_PreferredVendorStatus DEFAULT (1),
    ActiveFlag dbo.Flag NOT NULL CONSTRAINT DF_Vendor_ActiveFlag DEFAULT (1),
    PurchasingWebServiceURL nvarchar(1024) NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Vendor_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Vendor_BusinessEntityID PRIMARY KEY CLUSTERED (BusinessEntityID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Vendor_AccountNumber ON Purchasing.Vendor (AccountNumber);

CREATE TABLE Purchasing.ProductVendor
(
    ProductID int NOT NULL CONSTRAINT FK_ProductVendor_Product_ProductID
        REFERENCES Production.Product (ProductID),
    BusinessEntityID int NOT NULL CONSTRAINT FK_ProductVendor_Vendor_BusinessEntityID
        REFERENCES Purchasing.Vendor (BusinessEntityID),
    AverageLeadTime int NOT NULL CONSTRAINT CK_ProductVendor_AverageLeadTime
        CHECK (AverageLeadTime >= 1),
    StandardPrice money NOT NULL CONSTRAINT CK_ProductVendor_StandardPrice
        CHECK (StandardPrice > 0.00),
    LastReceiptCost money NULL CONSTRAINT CK_ProductVendor_LastReceiptCost
        CHECK (LastReceiptCost > 0.00),
    LastReceiptDate datetime NULL,
    MinOrderQty int NOT NULL CONSTRAINT CK_ProductVendor_MinOrderQty CHECK (MinOrderQty >= 1),
    MaxOrderQty int NOT NULL CONSTRAINT CK_ProductVendor_MaxOrderQty CHECK (MaxOrderQty >= 1),
    OnOrderQty int NULL CONSTRAINT CK_ProductVendor_OnOrderQty CHECK (OnOrderQty >= 0),
    UnitMeasureCode nchar(3) NOT NULL CONSTRAINT FK_ProductVendor_UnitMeasure_UnitMeasureCode
        REFERENCES Production.UnitMeasure (UnitMeasureCode),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ProductVendor_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ProductVendor_ProductID_BusinessEntityID
        PRIMARY KEY CLUSTERED (ProductID, BusinessEntityID)
);
CREATE NONCLUSTERED INDEX IX_ProductVendor_UnitMeasureCode
    ON Purchasing.ProductVendor (UnitMeasureCode);
CREATE NONCLUSTERED INDEX IX_ProductVendor_BusinessEntityID
    ON Purchasing.ProductVendor (BusinessEntityID);

CREATE TABLE Purchasing.PurchaseOrderHeader
(
    PurchaseOrderID int IDENTITY(1, 1) NOT NULL,
    RevisionNumber tinyint NOT NULL CONSTRAINT DF_PurchaseOrderHeader_RevisionNumber DEFAULT (0),
    Status tinyint NOT NULL CONSTRAINT DF_PurchaseOrderHeader_Status DEFAULT (1)
        CONSTRAINT CK_PurchaseOrderHeader_Status CHECK (Status BETWEEN 1 AND 4),
    EmployeeID int NOT NULL CONSTRAINT FK_PurchaseOrderHeader_Employee_EmployeeID
        REFERENCES HumanResources.Employee (BusinessEntityID),
    VendorID int NOT NULL CONSTRAINT FK_PurchaseOrderHeader_Vendor_VendorID
        REFERENCES Purchasing.Vendor (BusinessEntityID),
    ShipMethodID int NOT NULL CONSTRAINT FK_PurchaseOrderHeader_ShipMethod_ShipMethodID
        REFERENCES Purchasing.ShipMethod (ShipMethodID),
    OrderDate datetime NOT NULL CONSTRAINT DF_PurchaseOrderHeader_OrderDate DEFAULT (GETDATE()),
    ShipDate datetime NULL,
    SubTotal money NOT NULL CONSTRAINT DF_PurchaseOrderHeader_SubTotal DEFAULT (0.00)
        CONSTRAINT CK_PurchaseOrderHeader_SubTotal CHECK (SubTotal >= 0.00),
    TaxAmt money NOT NULL CONSTRAINT DF_PurchaseOrderHeader_TaxAmt DEFAULT (0.00)
        CONSTRAINT CK_PurchaseOrderHeader_TaxAmt CHECK (TaxAmt >= 0.00),
    Freight money NOT NULL CONSTRAINT DF_PurchaseOrderHeader_Freight DEFAULT (0.00)
        CONSTRAINT CK_PurchaseOrderHeader_Freight CHECK (Freight >= 0.00),
    TotalDue AS ISNULL(SubTotal + TaxAmt + Freight, 0) PERSISTED NOT NULL,
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_PurchaseOrderHeader_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_PurchaseOrderHeader_PurchaseOrderID PRIMARY KEY CLUSTERED (PurchaseOrderID),
    CONSTRAINT CK_PurchaseOrderHeader_ShipDate CHECK (ShipDate >= OrderDate OR ShipDate IS NULL)
);
CREATE NONCLUSTERED INDEX IX_PurchaseOrderHeader_VendorID
    ON Purchasing.PurchaseOrderHeader (VendorID);
CREATE NONCLUSTERED INDEX IX_PurchaseOrderHeader_EmployeeID
    ON Purchasing.PurchaseOrderHeader (EmployeeID);

CREATE TABLE Purchasing.PurchaseOrderDetail
(
    PurchaseOrderID int NOT NULL
        CONSTRAINT FK_PurchaseOrderDetail_PurchaseOrderHeader_PurchaseOrderID
        REFERENCES Purchasing.PurchaseOrderHeader (PurchaseOrderID),
    PurchaseOrderDetailID int IDENTITY(1, 1) NOT NULL,
    DueDate datetime NOT NULL,
    OrderQty smallint NOT NULL CONSTRAINT CK_PurchaseOrderDetail_OrderQty CHECK (OrderQty > 0),
    ProductID int NOT NULL CONSTRAINT FK_PurchaseOrderDetail_Product_ProductID
        REFERENCES Production.Product (ProductID),
    UnitPrice money NOT NULL CONSTRAINT CK_PurchaseOrderDetail_UnitPrice CHECK (UnitPrice >= 0.00),
    LineTotal AS ISNULL(OrderQty * UnitPrice, 0.00),
    ReceivedQty decimal(8, 2) NOT NULL CONSTRAINT CK_PurchaseOrderDetail_ReceivedQty
        CHECK (ReceivedQty >= 0.00),
    RejectedQty decimal(8, 2) NOT NULL CONSTRAINT CK_PurchaseOrderDetail_RejectedQty
        CHECK (RejectedQty >= 0.00),
    StockedQty AS ISNULL(ReceivedQty - RejectedQty, 0.00),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_PurchaseOrderDetail_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_PurchaseOrderDetail_PurchaseOrderID_PurchaseOrderDetailID
        PRIMARY KEY CLUSTERED (PurchaseOrderID, PurchaseOrderDetailID)
);
CREATE NONCLUSTERED INDEX IX_PurchaseOrderDetail_ProductID
    ON Purchasing.PurchaseOrderDetail (ProductID);

CREATE TABLE Sales.Currency
(
    CurrencyCode nchar(3) NOT NULL,
    Name dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Currency_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Currency_CurrencyCode PRIMARY KEY CLUSTERED (CurrencyCode)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Currency_Name ON Sales.Currency (Name);

CREATE TABLE Sales.CountryRegionCurrency
(
    CountryRegionCode nvarchar(3) NOT NULL
        CONSTRAINT FK_CountryRegionCurrency_CountryRegion_CountryRegionCode
        REFERENCES Person.CountryRegion (CountryRegionCode),
    CurrencyCode nchar(3) NOT NULL CONSTRAINT FK_CountryRegionCurrency_Currency_CurrencyCode
        REFERENCES Sales.Currency (CurrencyCode),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_CountryRegionCurrency_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_CountryRegionCurrency_CountryRegionCode_CurrencyCode
        PRIMARY KEY CLUSTERED (CountryRegionCode, CurrencyCode)
);
CREATE NONCLUSTERED INDEX IX_CountryRegionCurrency_CurrencyCode
    ON Sales.CountryRegionCurrency (CurrencyCode);

CREATE TABLE Sales.CurrencyRate
(
    CurrencyRateID int IDENTITY(1, 1) NOT NULL,
    CurrencyRateDate datetime NOT NULL,
    FromCurrencyCode nchar(3) NOT NULL CONSTRAINT FK_CurrencyRate_Currency_FromCurrencyCode
        REFERENCES Sales.Currency (CurrencyCode),
    ToCurrencyCode nchar(3) NOT NULL CONSTRAINT FK_CurrencyRate_Currency_ToCurrencyCode
        REFERENCES Sales.Currency (CurrencyCode),
    AverageRate money NOT NULL,
    EndOfDayRate money NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_CurrencyRate_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_CurrencyRate_CurrencyRateID PRIMARY KEY CLUSTERED (CurrencyRateID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_CurrencyRate_CurrencyRateDate_FromCurrencyCode_ToCurrencyCode
    ON Sales.CurrencyRate (CurrencyRateDate, FromCurrencyCode, ToCurrencyCode);

CREATE TABLE Sales.CreditCard
(
    CreditCardID int IDENTITY(1, 1) NOT NULL,
    CardType nvarchar(50) NOT NULL,
    CardNumber nvarchar(25) NOT NULL,
    ExpMonth tinyint NOT NULL,
    ExpYear smallint NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_CreditCard_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_CreditCard_CreditCardID PRIMARY KEY CLUSTERED (CreditCardID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_CreditCard_CardNumber ON Sales.CreditCard (CardNumber);

CREATE TABLE Sales.PersonCreditCard
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_PersonCreditCard_Person_BusinessEntityID
        REFERENCES Person.Person (BusinessEntityID),
    CreditCardID int NOT NULL CONSTRAINT FK_PersonCreditCard_CreditCard_CreditCardID
        REFERENCES Sales.CreditCard (CreditCardID),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_PersonCreditCard_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_PersonCreditCard_BusinessEntityID_CreditCardID
        PRIMARY KEY CLUSTERED (BusinessEntityID, CreditCardID)
);

CREATE TABLE Sales.SalesPerson
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_SalesPerson_Employee_BusinessEntityID
        REFERENCES HumanResources.Employee (BusinessEntityID),
    TerritoryID int NULL CONSTRAINT FK_SalesPerson_SalesTerritory_TerritoryID
        REFERENCES Sales.SalesTerritory (TerritoryID),
    SalesQuota money NULL CONSTRAINT CK_SalesPerson_SalesQuota CHECK (SalesQuota > 0.00),
    Bonus money NOT NULL CONSTRAINT DF_SalesPerson_Bonus DEFAULT (0.00)
        CONSTRAINT CK_SalesPerson_Bonus CHECK (Bonus >= 0.00),
    CommissionPct smallmoney NOT NULL CONSTRAINT DF_SalesPerson_CommissionPct DEFAULT (0.00)
        CONSTRAINT CK_SalesPerson_CommissionPct CHECK (CommissionPct >= 0.00),
    SalesYTD money NOT NULL CONSTRAINT DF_SalesPerson_SalesYTD DEFAULT (0.00)
        CONSTRAINT CK_SalesPerson_SalesYTD CHECK (SalesYTD >= 0.00),
    SalesLastYear money NOT NULL CONSTRAINT DF_SalesPerson_SalesLastYear DEFAULT (0.00)
        CONSTRAINT CK_SalesPerson_SalesLastYear CHECK (SalesLastYear >= 0.00),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_SalesPerson_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesPerson_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesPerson_BusinessEntityID PRIMARY KEY CLUSTERED (BusinessEntityID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesPerson_rowguid ON Sales.SalesPerson (rowguid);

CREATE TABLE Sales.SalesPersonQuotaHistory
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_SalesPersonQuotaHistory_SalesPerson_BusinessEntityID
        REFERENCES Sales.SalesPerson (BusinessEntityID),
    QuotaDate datetime NOT NULL,
    SalesQuota money NOT NULL CONSTRAINT CK_SalesPersonQuotaHistory_SalesQuota
        CHECK (SalesQuota > 0.00),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_SalesPersonQuotaHistory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_SalesPersonQuotaHistory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesPersonQuotaHistory_BusinessEntityID_QuotaDate
        PRIMARY KEY CLUSTERED (BusinessEntityID, QuotaDate)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesPersonQuotaHistory_rowguid ON Sales.SalesPersonQuotaHistory (rowguid);

CREATE TABLE Sales.SalesTerritoryHistory
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_SalesTerritoryHistory_SalesPerson_BusinessEntityID
        REFERENCES Sales.SalesPerson (BusinessEntityID),
    TerritoryID int NOT NULL CONSTRAINT FK_SalesTerritoryHistory_SalesTerritory_TerritoryID
        REFERENCES Sales.SalesTerritory (TerritoryID),
    StartDate datetime NOT NULL,
    EndDate datetime NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_SalesTerritoryHistory_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_SalesTerritoryHistory_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesTerritoryHistory_BusinessEntityID_StartDate_TerritoryID
        PRIMARY KEY CLUSTERED (BusinessEntityID, StartDate, TerritoryID),
    CONSTRAINT CK_SalesTerritoryHistory_EndDate CHECK (EndDate >= StartDate OR EndDate IS NULL)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesTerritoryHistory_rowguid ON Sales.SalesTerritoryHistory (rowguid);

CREATE TABLE Sales.SalesTaxRate
(
    SalesTaxRateID int IDENTITY(1, 1) NOT NULL,
    StateProvinceID int NOT NULL CONSTRAINT FK_SalesTaxRate_StateProvince_StateProvinceID
        REFERENCES Person.StateProvince (StateProvinceID),
    TaxType tinyint NOT NULL CONSTRAINT CK_SalesTaxRate_TaxType CHECK (TaxType BETWEEN 1 AND 3),
    TaxRate smallmoney NOT NULL CONSTRAINT DF_SalesTaxRate_TaxRate DEFAULT (0.00),
    Name dbo.Name NOT NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_SalesTaxRate_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesTaxRate_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesTaxRate_SalesTaxRateID PRIMARY KEY CLUSTERED (SalesTaxRateID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesTaxRate_rowguid ON Sales.SalesTaxRate (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesTaxRate_StateProvinceID_TaxType
    ON Sales.SalesTaxRate (StateProvinceID, TaxType);

CREATE TABLE Sales.SalesReason
(
    SalesReasonID int IDENTITY(1, 1) NOT NULL,
    Name dbo.Name NOT NULL,
    ReasonType dbo.Name NOT NULL,
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesReason_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesReason_SalesReasonID PRIMARY KEY CLUSTERED (SalesReasonID)
);

CREATE TABLE Sales.Store
(
    BusinessEntityID int NOT NULL CONSTRAINT FK_Store_BusinessEntity_BusinessEntityID
        REFERENCES Person.BusinessEntity (BusinessEntityID),
    Name dbo.Name NOT NULL,
    SalesPersonID int NULL CONSTRAINT FK_Store_SalesPerson_SalesPersonID
        REFERENCES Sales.SalesPerson (BusinessEntityID),
    Demographics xml(Sales.StoreSurveySchemaCollection) NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Store_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Store_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Store_BusinessEntityID PRIMARY KEY CLUSTERED (BusinessEntityID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Store_rowguid ON Sales.Store (rowguid);
CREATE NONCLUSTERED INDEX IX_Store_SalesPersonID ON Sales.Store (SalesPersonID);

CREATE TABLE Sales.Customer
(
    CustomerID int IDENTITY(1, 1) NOT NULL,
    PersonID int NULL CONSTRAINT FK_Customer_Person_PersonID
        REFERENCES Person.Person (BusinessEntityID),
    StoreID int NULL CONSTRAINT FK_Customer_Store_StoreID REFERENCES Sales.Store (BusinessEntityID),
    TerritoryID int NULL CONSTRAINT FK_Customer_SalesTerritory_TerritoryID
        REFERENCES Sales.SalesTerritory (TerritoryID),
    AccountNumber AS ISNULL('AW' + dbo.ufnLeadingZeros(CustomerID), ''),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL CONSTRAINT DF_Customer_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_Customer_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_Customer_CustomerID PRIMARY KEY CLUSTERED (CustomerID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_Customer_rowguid ON Sales.Customer (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_Customer_AccountNumber ON Sales.Customer (AccountNumber);
CREATE NONCLUSTERED INDEX IX_Customer_TerritoryID ON Sales.Customer (TerritoryID);

CREATE TABLE Sales.SpecialOffer
(
    SpecialOfferID int IDENTITY(1, 1) NOT NULL,
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
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_SpecialOffer_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SpecialOffer_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SpecialOffer_SpecialOfferID PRIMARY KEY CLUSTERED (SpecialOfferID),
    CONSTRAINT CK_SpecialOffer_EndDate CHECK (EndDate >= StartDate)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SpecialOffer_rowguid ON Sales.SpecialOffer (rowguid);

CREATE TABLE Sales.SpecialOfferProduct
(
    SpecialOfferID int NOT NULL CONSTRAINT FK_SpecialOfferProduct_SpecialOffer_SpecialOfferID
        REFERENCES Sales.SpecialOffer (SpecialOfferID),
    ProductID int NOT NULL CONSTRAINT FK_SpecialOfferProduct_Product_ProductID
        REFERENCES Production.Product (ProductID),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_SpecialOfferProduct_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_SpecialOfferProduct_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SpecialOfferProduct_SpecialOfferID_ProductID
        PRIMARY KEY CLUSTERED (SpecialOfferID, ProductID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SpecialOfferProduct_rowguid ON Sales.SpecialOfferProduct (rowguid);
CREATE NONCLUSTERED INDEX IX_SpecialOfferProduct_ProductID ON Sales.SpecialOfferProduct (ProductID);

CREATE TABLE Sales.SalesOrderHeader
(
    SalesOrderID int IDENTITY(1, 1) NOT NULL,
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
    CustomerID int NOT NULL CONSTRAINT FK_SalesOrderHeader_Customer_CustomerID
        REFERENCES Sales.Customer (CustomerID),
    SalesPersonID int NULL CONSTRAINT FK_SalesOrderHeader_SalesPerson_SalesPersonID
        REFERENCES Sales.SalesPerson (BusinessEntityID),
    TerritoryID int NULL CONSTRAINT FK_SalesOrderHeader_SalesTerritory_TerritoryID
        REFERENCES Sales.SalesTerritory (TerritoryID),
    BillToAddressID int NOT NULL CONSTRAINT FK_SalesOrderHeader_Address_BillToAddressID
        REFERENCES Person.Address (AddressID),
    ShipToAddressID int NOT NULL CONSTRAINT FK_SalesOrderHeader_Address_ShipToAddressID
        REFERENCES Person.Address (AddressID),
    ShipMethodID int NOT NULL CONSTRAINT FK_SalesOrderHeader_ShipMethod_ShipMethodID
        REFERENCES Purchasing.ShipMethod (ShipMethodID),
    CreditCardID int NULL CONSTRAINT FK_SalesOrderHeader_CreditCard_CreditCardID
        REFERENCES Sales.CreditCard (CreditCardID),
    CreditCardApprovalCode varchar(15) NULL,
    CurrencyRateID int NULL CONSTRAINT FK_SalesOrderHeader_CurrencyRate_CurrencyRateID
        REFERENCES Sales.CurrencyRate (CurrencyRateID),
    SubTotal money NOT NULL CONSTRAINT DF_SalesOrderHeader_SubTotal DEFAULT (0.00)
        CONSTRAINT CK_SalesOrderHeader_SubTotal CHECK (SubTotal >= 0.00),
    TaxAmt money NOT NULL CONSTRAINT DF_SalesOrderHeader_TaxAmt DEFAULT (0.00)
        CONSTRAINT CK_SalesOrderHeader_TaxAmt CHECK (TaxAmt >= 0.00),
    Freight money NOT NULL CONSTRAINT DF_SalesOrderHeader_Freight DEFAULT (0.00)
        CONSTRAINT CK_SalesOrderHeader_Freight CHECK (Freight >= 0.00),
    TotalDue AS ISNULL(SubTotal + TaxAmt + Freight, 0),
    Comment nvarchar(128) NULL,
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_SalesOrderHeader_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesOrderHeader_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesOrderHeader_SalesOrderID PRIMARY KEY CLUSTERED (SalesOrderID),
    CONSTRAINT CK_SalesOrderHeader_DueDate CHECK (DueDate >= OrderDate),
    CONSTRAINT CK_SalesOrderHeader_ShipDate CHECK (ShipDate >= OrderDate OR ShipDate IS NULL)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesOrderHeader_rowguid ON Sales.SalesOrderHeader (rowguid);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesOrderHeader_SalesOrderNumber
    ON Sales.SalesOrderHeader (SalesOrderNumber);
CREATE NONCLUSTERED INDEX IX_SalesOrderHeader_CustomerID ON Sales.SalesOrderHeader (CustomerID);
CREATE NONCLUSTERED INDEX IX_SalesOrderHeader_SalesPersonID
    ON Sales.SalesOrderHeader (SalesPersonID);

CREATE TABLE Sales.SalesOrderDetail
(
    SalesOrderID int NOT NULL CONSTRAINT FK_SalesOrderDetail_SalesOrderHeader_SalesOrderID
        REFERENCES Sales.SalesOrderHeader (SalesOrderID) ON DELETE CASCADE,
    SalesOrderDetailID int IDENTITY(1, 1) NOT NULL,
    CarrierTrackingNumber nvarchar(25) NULL,
    OrderQty smallint NOT NULL CONSTRAINT CK_SalesOrderDetail_OrderQty CHECK (OrderQty > 0),
    ProductID int NOT NULL,
    SpecialOfferID int NOT NULL,
    UnitPrice money NOT NULL CONSTRAINT CK_SalesOrderDetail_UnitPrice CHECK (UnitPrice >= 0.00),
    UnitPriceDiscount money NOT NULL CONSTRAINT DF_SalesOrderDetail_UnitPriceDiscount DEFAULT (0.00)
        CONSTRAINT CK_SalesOrderDetail_UnitPriceDiscount CHECK (UnitPriceDiscount >= 0.00),
    LineTotal AS ISNULL(UnitPrice * (1.0 - UnitPriceDiscount) * OrderQty, 0.0),
    rowguid uniqueidentifier ROWGUIDCOL NOT NULL
        CONSTRAINT DF_SalesOrderDetail_rowguid DEFAULT (NEWID()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_SalesOrderDetail_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesOrderDetail_SalesOrderID_SalesOrderDetailID
        PRIMARY KEY CLUSTERED (SalesOrderID, SalesOrderDetailID),
    CONSTRAINT FK_SalesOrderDetail_SpecialOfferProduct_SpecialOfferIDProductID
        FOREIGN KEY (SpecialOfferID, ProductID)
        REFERENCES Sales.SpecialOfferProduct (SpecialOfferID, ProductID)
);
CREATE UNIQUE NONCLUSTERED INDEX AK_SalesOrderDetail_rowguid ON Sales.SalesOrderDetail (rowguid);
CREATE NONCLUSTERED INDEX IX_SalesOrderDetail_ProductID ON Sales.SalesOrderDetail (ProductID);

CREATE TABLE Sales.SalesOrderHeaderSalesReason
(
    SalesOrderID int NOT NULL
        CONSTRAINT FK_SalesOrderHeaderSalesReason_SalesOrderHeader_SalesOrderID
        REFERENCES Sales.SalesOrderHeader (SalesOrderID) ON DELETE CASCADE,
    SalesReasonID int NOT NULL CONSTRAINT FK_SalesOrderHeaderSalesReason_SalesReason_SalesReasonID
        REFERENCES Sales.SalesReason (SalesReasonID),
    ModifiedDate datetime NOT NULL
        CONSTRAINT DF_SalesOrderHeaderSalesReason_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_SalesOrderHeaderSalesReason_SalesOrderID_SalesReasonID
        PRIMARY KEY CLUSTERED (SalesOrderID, SalesReasonID)
);

CREATE TABLE Sales.ShoppingCartItem
(
    ShoppingCartItemID int IDENTITY(1, 1) NOT NULL,
    ShoppingCartID nvarchar(50) NOT NULL,
    Quantity int NOT NULL CONSTRAINT DF_ShoppingCartItem_Quantity DEFAULT (1)
        CONSTRAINT CK_ShoppingCartItem_Quantity CHECK (Quantity >= 1),
    ProductID int NOT NULL CONSTRAINT FK_ShoppingCartItem_Product_ProductID
        REFERENCES Production.Product (ProductID),
    DateCreated datetime NOT NULL CONSTRAINT DF_ShoppingCartItem_DateCreated DEFAULT (GETDATE()),
    ModifiedDate datetime NOT NULL CONSTRAINT DF_ShoppingCartItem_ModifiedDate DEFAULT (GETDATE()),
    CONSTRAINT PK_ShoppingCartItem_ShoppingCartItemID PRIMARY KEY CLUSTERED (ShoppingCartItemID)
);
CREATE NONCLUSTERED INDEX IX_ShoppingCartItem_ShoppingCartID_ProductID
    ON Sales.ShoppingCartItem (ShoppingCartID, ProductID);
GO
