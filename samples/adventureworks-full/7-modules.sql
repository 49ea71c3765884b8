-- Functions, procedures, views and triggers. The triggers come after the data, which therefore has
-- the rows that they would write.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO

CREATE FUNCTION dbo.ufnGetAccountingStartDate () RETURNS datetime AS
BEGIN
    RETURN DATEFROMPARTS(2023, 7, 1);
END;
GO
CREATE FUNCTION dbo.ufnGetAccountingEndDate () RETURNS datetime AS
BEGIN
    RETURN DATEADD(millisecond, -2, CONVERT(datetime, '20240701'));
END;
GO
CREATE FUNCTION dbo.ufnGetDocumentStatusText (@Status tinyint) RETURNS nvarchar(16) AS
BEGIN
    RETURN COALESCE(CHOOSE(@Status, N'Pending approval', N'Approved', N'Obsolete'), N'** Invalid **');
END;
GO
CREATE FUNCTION dbo.ufnGetPurchaseOrderStatusText (@Status tinyint) RETURNS nvarchar(15) AS
BEGIN
    RETURN COALESCE(CHOOSE(@Status, N'Pending', N'Approved', N'Rejected', N'Complete'), N'** Invalid **');
END;
GO
CREATE FUNCTION dbo.ufnGetSalesOrderStatusText (@Status tinyint) RETURNS nvarchar(15) AS
BEGIN
    RETURN COALESCE(CHOOSE(@Status, N'In process', N'Approved', N'Backordered', N'Rejected', N'Shipped', N'Cancelled'),
                    N'** Invalid **');
END;
GO

CREATE FUNCTION dbo.ufnGetProductListPrice (@ProductID int, @OrderDate datetime) RETURNS money AS
BEGIN
    RETURN (SELECT ListPrice FROM Production.ProductListPriceHistory
            WHERE ProductID = @ProductID AND @OrderDate BETWEEN StartDate AND ISNULL(EndDate, '99991231'));
END;
GO
CREATE FUNCTION dbo.ufnGetProductDealerPrice (@ProductID int, @OrderDate datetime) RETURNS money AS
BEGIN
    DECLARE @share money = 0.60;
    RETURN dbo.ufnGetProductListPrice(@ProductID, @OrderDate) * @share;
END;
GO
CREATE FUNCTION dbo.ufnGetProductStandardCost (@ProductID int, @OrderDate datetime) RETURNS money AS
BEGIN
    RETURN (SELECT StandardCost FROM Production.ProductCostHistory
            WHERE ProductID = @ProductID AND @OrderDate BETWEEN StartDate AND ISNULL(EndDate, '99991231'));
END;
GO
-- What lies in miscellaneous storage.
CREATE FUNCTION dbo.ufnGetStock (@ProductID int) RETURNS int AS
BEGIN
    DECLARE @stock int;
    SELECT @stock = SUM(Quantity) FROM Production.ProductInventory WHERE ProductID = @ProductID AND LocationID = '6';
    RETURN ISNULL(@stock, 0);
END;
GO

-- One row for each part that a person plays.
CREATE FUNCTION dbo.ufnGetContactInformation (@PersonID int)
RETURNS @contact TABLE
(
    PersonID int NOT NULL,
    FirstName nvarchar(50) NULL,
    LastName nvarchar(50) NULL,
    JobTitle nvarchar(50) NULL,
    BusinessEntityType nvarchar(50) NULL
)
AS
BEGIN
    IF @PersonID IS NULL
        RETURN;
    INSERT INTO @contact
    SELECT @PersonID, p.FirstName, p.LastName, e.JobTitle, N'Employee'
    FROM HumanResources.Employee AS e
    JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
    WHERE e.BusinessEntityID = @PersonID;

    INSERT INTO @contact
    SELECT @PersonID, p.FirstName, p.LastName, t.Name, IIF(v.BusinessEntityID IS NULL, N'Store Contact', N'Vendor Contact')
    FROM Person.BusinessEntityContact AS c
    JOIN Person.ContactType AS t ON t.ContactTypeID = c.ContactTypeID
    JOIN Person.Person AS p ON p.BusinessEntityID = c.PersonID
    LEFT JOIN Purchasing.Vendor AS v ON v.BusinessEntityID = c.BusinessEntityID
    LEFT JOIN Sales.Store AS s ON s.BusinessEntityID = c.BusinessEntityID
    WHERE c.PersonID = @PersonID AND (v.BusinessEntityID IS NOT NULL OR s.BusinessEntityID IS NOT NULL);

    INSERT INTO @contact
    SELECT @PersonID, p.FirstName, p.LastName, NULL, N'Consumer'
    FROM Person.Person AS p
    JOIN Sales.Customer AS c ON c.PersonID = p.BusinessEntityID
    WHERE p.BusinessEntityID = @PersonID AND c.StoreID IS NULL;
    RETURN;
END;
GO

-- Errors: printed, or kept in dbo.ErrorLog unless the transaction cannot write any more.
CREATE PROCEDURE dbo.uspPrintError AS
BEGIN
    SET NOCOUNT ON;
    PRINT CONCAT('Error ', ERROR_NUMBER(), ', severity ', ERROR_SEVERITY(), ', state ', ERROR_STATE(),
                 ', procedure ', ISNULL(ERROR_PROCEDURE(), '-'), ', line ', ERROR_LINE());
    PRINT ERROR_MESSAGE();
END;
GO
CREATE PROCEDURE dbo.uspLogError @ErrorLogID int = 0 OUTPUT AS
BEGIN
    SET NOCOUNT ON;
    SET @ErrorLogID = 0;
    IF ERROR_NUMBER() IS NULL
        RETURN;
    IF XACT_STATE() = -1
    BEGIN
        PRINT 'The transaction can only be rolled back: nothing is logged.';
        RETURN;
    END;
    BEGIN TRY
        INSERT INTO dbo.ErrorLog (UserName, ErrorNumber, ErrorSeverity, ErrorState, ErrorProcedure, ErrorLine, ErrorMessage)
        VALUES (CONVERT(sysname, CURRENT_USER), ERROR_NUMBER(), ERROR_SEVERITY(), ERROR_STATE(), ERROR_PROCEDURE(),
                ERROR_LINE(), ERROR_MESSAGE());
        SET @ErrorLogID = SCOPE_IDENTITY();
    END TRY
    BEGIN CATCH
        EXECUTE dbo.uspPrintError;
        RETURN -1;
    END CATCH;
END;
GO

-- What a product is made of on a day, level by level; and what a part goes into.
CREATE PROCEDURE dbo.uspGetBillOfMaterials @StartProductID int, @CheckDate datetime AS
BEGIN
    SET NOCOUNT ON;
    WITH bill (ProductAssemblyID, ComponentID, ComponentDesc, PerAssemblyQty, StandardCost, ListPrice, BOMLevel, RecursionLevel) AS
    (
        SELECT b.ProductAssemblyID, b.ComponentID, p.Name, b.PerAssemblyQty, p.StandardCost, p.ListPrice, b.BOMLevel, 0
        FROM Production.BillOfMaterials AS b
        JOIN Production.Product AS p ON p.ProductID = b.ComponentID
        WHERE b.ProductAssemblyID = @StartProductID AND @CheckDate >= b.StartDate AND @CheckDate <= ISNULL(b.EndDate, @CheckDate)
        UNION ALL
        SELECT b.ProductAssemblyID, b.ComponentID, p.Name, b.PerAssemblyQty, p.StandardCost, p.ListPrice, b.BOMLevel, RecursionLevel + 1
        FROM bill AS cte
        JOIN Production.BillOfMaterials AS b ON b.ProductAssemblyID = cte.ComponentID
        JOIN Production.Product AS p ON p.ProductID = b.ComponentID
        WHERE @CheckDate >= b.StartDate AND @CheckDate <= ISNULL(b.EndDate, @CheckDate)
    )
    SELECT ProductAssemblyID, ComponentID, ComponentDesc, SUM(PerAssemblyQty) AS TotalQuantity, StandardCost, ListPrice, BOMLevel, RecursionLevel
    FROM bill
    GROUP BY ComponentID, ComponentDesc, ProductAssemblyID, BOMLevel, RecursionLevel, StandardCost, ListPrice
    ORDER BY BOMLevel, ProductAssemblyID, ComponentID
    OPTION (MAXRECURSION 25);
END;
GO
CREATE PROCEDURE dbo.uspGetWhereUsedProductID @StartProductID int, @CheckDate datetime AS
BEGIN
    SET NOCOUNT ON;
    WITH bill (ProductAssemblyID, ComponentID, ComponentDesc, PerAssemblyQty, StandardCost, ListPrice, BOMLevel, RecursionLevel) AS
    (
        SELECT b.ProductAssemblyID, b.ComponentID, p.Name, b.PerAssemblyQty, p.StandardCost, p.ListPrice, b.BOMLevel, 0
        FROM Production.BillOfMaterials AS b
        JOIN Production.Product AS p ON p.ProductID = b.ProductAssemblyID
        WHERE b.ComponentID = @StartProductID AND @CheckDate >= b.StartDate AND @CheckDate <= ISNULL(b.EndDate, @CheckDate)
        UNION ALL
        SELECT b.ProductAssemblyID, b.ComponentID, p.Name, b.PerAssemblyQty, p.StandardCost, p.ListPrice, b.BOMLevel, RecursionLevel + 1
        FROM bill AS cte
        JOIN Production.BillOfMaterials AS b ON b.ComponentID = cte.ProductAssemblyID
        JOIN Production.Product AS p ON p.ProductID = b.ProductAssemblyID
        WHERE @CheckDate >= b.StartDate AND @CheckDate <= ISNULL(b.EndDate, @CheckDate)
    )
    SELECT ProductAssemblyID, ComponentID, ComponentDesc, SUM(PerAssemblyQty) AS TotalQuantity, StandardCost, ListPrice, BOMLevel, RecursionLevel
    FROM bill
    GROUP BY ComponentID, ComponentDesc, ProductAssemblyID, BOMLevel, RecursionLevel, StandardCost, ListPrice
    ORDER BY BOMLevel, ProductAssemblyID, ComponentID
    OPTION (MAXRECURSION 25);
END;
GO

-- All below a manager, with their own managers; and the managers above an employee.
CREATE PROCEDURE dbo.uspGetManagerEmployees @BusinessEntityID int AS
BEGIN
    SET NOCOUNT ON;
    WITH chain (BusinessEntityID, OrganizationNode, FirstName, LastName, RecursionLevel) AS
    (
        SELECT e.BusinessEntityID, e.OrganizationNode, p.FirstName, p.LastName, 0
        FROM HumanResources.Employee AS e
        JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
        WHERE e.BusinessEntityID = @BusinessEntityID
        UNION ALL
        SELECT e.BusinessEntityID, e.OrganizationNode, p.FirstName, p.LastName, RecursionLevel + 1
        FROM HumanResources.Employee AS e
        JOIN chain ON e.OrganizationNode.GetAncestor(1) = chain.OrganizationNode
        JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
    )
    SELECT chain.RecursionLevel, chain.OrganizationNode.ToString() AS OrganizationNode,
           p.FirstName AS ManagerFirstName, p.LastName AS ManagerLastName,
           chain.BusinessEntityID, chain.FirstName, chain.LastName
    FROM chain
    JOIN HumanResources.Employee AS e ON chain.OrganizationNode.GetAncestor(1) = e.OrganizationNode
    JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
    ORDER BY RecursionLevel, chain.OrganizationNode.ToString()
    OPTION (MAXRECURSION 25);
END;
GO
CREATE PROCEDURE dbo.uspGetEmployeeManagers @BusinessEntityID int AS
BEGIN
    SET NOCOUNT ON;
    WITH chain (BusinessEntityID, OrganizationNode, FirstName, LastName, JobTitle, RecursionLevel) AS
    (
        SELECT e.BusinessEntityID, e.OrganizationNode, p.FirstName, p.LastName, e.JobTitle, 0
        FROM HumanResources.Employee AS e
        JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
        WHERE e.BusinessEntityID = @BusinessEntityID
        UNION ALL
        SELECT e.BusinessEntityID, e.OrganizationNode, p.FirstName, p.LastName, e.JobTitle, RecursionLevel + 1
        FROM HumanResources.Employee AS e
        JOIN chain ON e.OrganizationNode = chain.OrganizationNode.GetAncestor(1)
        JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
    )
    SELECT chain.RecursionLevel, chain.BusinessEntityID, chain.FirstName, chain.LastName,
           chain.OrganizationNode.ToString() AS OrganizationNode,
           p.FirstName AS ManagerFirstName, p.LastName AS ManagerLastName
    FROM chain
    JOIN HumanResources.Employee AS e ON chain.OrganizationNode.GetAncestor(1) = e.OrganizationNode
    JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
    ORDER BY RecursionLevel, chain.OrganizationNode.ToString()
    OPTION (MAXRECURSION 25);
END;
GO

CREATE PROCEDURE HumanResources.uspUpdateEmployeeHireInfo
    @BusinessEntityID int, @JobTitle nvarchar(50), @HireDate datetime, @RateChangeDate datetime, @Rate money,
    @PayFrequency tinyint, @CurrentFlag dbo.Flag
WITH EXECUTE AS CALLER
AS
BEGIN
    SET NOCOUNT ON;
    BEGIN TRY
        BEGIN TRANSACTION;
        UPDATE HumanResources.Employee
        SET JobTitle = @JobTitle, HireDate = @HireDate, CurrentFlag = @CurrentFlag
        WHERE BusinessEntityID = @BusinessEntityID;
        INSERT INTO HumanResources.EmployeePayHistory (BusinessEntityID, RateChangeDate, Rate, PayFrequency)
        VALUES (@BusinessEntityID, @RateChangeDate, @Rate, @PayFrequency);
        COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        EXECUTE dbo.uspLogError;
    END CATCH;
END;
GO
CREATE PROCEDURE HumanResources.uspUpdateEmployeeLogin
    @BusinessEntityID int, @OrganizationNode hierarchyid, @LoginID nvarchar(256), @JobTitle nvarchar(50), @HireDate datetime,
    @CurrentFlag dbo.Flag
WITH EXECUTE AS CALLER
AS
BEGIN
    SET NOCOUNT ON;
    BEGIN TRY
        UPDATE HumanResources.Employee
        SET OrganizationNode = @OrganizationNode, LoginID = @LoginID, JobTitle = @JobTitle, HireDate = @HireDate,
            CurrentFlag = @CurrentFlag
        WHERE BusinessEntityID = @BusinessEntityID;
    END TRY
    BEGIN CATCH
        EXECUTE dbo.uspLogError;
    END CATCH;
END;
GO
CREATE PROCEDURE HumanResources.uspUpdateEmployeePersonalInfo
    @BusinessEntityID int, @NationalIDNumber nvarchar(15), @BirthDate datetime, @MaritalStatus nchar(1), @Gender nchar(1)
WITH EXECUTE AS CALLER
AS
BEGIN
    SET NOCOUNT ON;
    BEGIN TRY
        UPDATE HumanResources.Employee
        SET NationalIDNumber = @NationalIDNumber, BirthDate = @BirthDate, MaritalStatus = @MaritalStatus, Gender = @Gender
        WHERE BusinessEntityID = @BusinessEntityID;
    END TRY
    BEGIN CATCH
        EXECUTE dbo.uspLogError;
    END CATCH;
END;
GO

CREATE VIEW Person.vStateProvinceCountryRegion WITH SCHEMABINDING AS
SELECT s.StateProvinceID, s.StateProvinceCode, s.IsOnlyStateProvinceFlag, s.Name AS StateProvinceName, s.TerritoryID,
       c.CountryRegionCode, c.Name AS CountryRegionName
FROM Person.StateProvince AS s
JOIN Person.CountryRegion AS c ON c.CountryRegionCode = s.CountryRegionCode;
GO

-- One row for each record of a contact, with the ways to reach it that the document gives.
CREATE VIEW Person.vAdditionalContactInfo AS
SELECT BusinessEntityID, FirstName, MiddleName, LastName,
       info.ref.value(N'declare namespace act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes";
           (act:telephoneNumber/act:number)[1]', 'nvarchar(50)') AS TelephoneNumber,
       LTRIM(RTRIM(info.ref.value(N'declare namespace act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes";
           (act:mobile/act:number)[1]', 'nvarchar(50)'))) AS MobileNumber,
       info.ref.value(N'declare namespace act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes";
           (act:mobile/act:SpecialInstructions)[1]', 'nvarchar(200)') AS MobileInstructions,
       info.ref.value(N'declare namespace act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes";
           (act:homePostalAddress/act:Street)[1]', 'nvarchar(50)') AS Street,
       info.ref.value(N'declare namespace act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes";
           (act:homePostalAddress/act:City)[1]', 'nvarchar(50)') AS City,
       info.ref.value(N'declare namespace act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes";
           (act:homePostalAddress/act:StateProvince)[1]', 'nvarchar(50)') AS StateProvince,
       info.ref.value(N'declare namespace act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes";
           (act:homePostalAddress/act:CountryRegion)[1]', 'nvarchar(50)') AS CountryRegion,
       record.ref.value(N'declare namespace act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes";
           (act:eMail/act:eMailAddress)[1]', 'nvarchar(128)') AS EMailAddress,
       CAST(REPLACE(record.ref.value(N'@date', 'nvarchar(20)'), 'Z', '') AS date) AS RecordDate,
       rowguid, ModifiedDate
FROM Person.Person
CROSS APPLY AdditionalContactInfo.nodes(N'declare namespace ci="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactInfo";
    /ci:AdditionalContactInfo') AS info(ref)
CROSS APPLY info.ref.nodes(N'declare namespace crm="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactRecord";
    crm:ContactRecord') AS record(ref)
WHERE AdditionalContactInfo IS NOT NULL;
GO

CREATE VIEW HumanResources.vEmployee AS
SELECT e.BusinessEntityID, p.Title, p.FirstName, p.MiddleName, p.LastName, p.Suffix, e.JobTitle, pp.PhoneNumber,
       pnt.Name AS PhoneNumberType, ea.EmailAddress, p.EmailPromotion, a.AddressLine1, a.AddressLine2, a.City,
       sp.Name AS StateProvinceName, a.PostalCode, cr.Name AS CountryRegionName, p.AdditionalContactInfo
FROM HumanResources.Employee AS e
JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
JOIN Person.BusinessEntityAddress AS bea ON bea.BusinessEntityID = e.BusinessEntityID
JOIN Person.Address AS a ON a.AddressID = bea.AddressID
JOIN Person.StateProvince AS sp ON sp.StateProvinceID = a.StateProvinceID
JOIN Person.CountryRegion AS cr ON cr.CountryRegionCode = sp.CountryRegionCode
LEFT JOIN Person.PersonPhone AS pp ON pp.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PhoneNumberType AS pnt ON pnt.PhoneNumberTypeID = pp.PhoneNumberTypeID
LEFT JOIN Person.EmailAddress AS ea ON ea.BusinessEntityID = p.BusinessEntityID;
GO
CREATE VIEW HumanResources.vEmployeeDepartment AS
SELECT e.BusinessEntityID, p.Title, p.FirstName, p.MiddleName, p.LastName, p.Suffix, e.JobTitle, d.Name AS Department,
       d.GroupName, h.StartDate
FROM HumanResources.Employee AS e
JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
JOIN HumanResources.EmployeeDepartmentHistory AS h ON h.BusinessEntityID = e.BusinessEntityID
JOIN HumanResources.Department AS d ON d.DepartmentID = h.DepartmentID
WHERE h.EndDate IS NULL;
GO
CREATE VIEW HumanResources.vEmployeeDepartmentHistory AS
SELECT e.BusinessEntityID, p.Title, p.FirstName, p.MiddleName, p.LastName, p.Suffix, s.Name AS Shift, d.Name AS Department,
       d.GroupName, h.StartDate, h.EndDate
FROM HumanResources.Employee AS e
JOIN Person.Person AS p ON p.BusinessEntityID = e.BusinessEntityID
JOIN HumanResources.EmployeeDepartmentHistory AS h ON h.BusinessEntityID = e.BusinessEntityID
JOIN HumanResources.Department AS d ON d.DepartmentID = h.DepartmentID
JOIN HumanResources.Shift AS s ON s.ShiftID = h.ShiftID;
GO

CREATE VIEW HumanResources.vJobCandidate AS
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/Resume')
SELECT jc.JobCandidateID, jc.BusinessEntityID,
       r.ref.value('(Name/Name.Prefix)[1]', 'nvarchar(30)') AS [Name.Prefix],
       r.ref.value('(Name/Name.First)[1]', 'nvarchar(30)') AS [Name.First],
       r.ref.value('(Name/Name.Middle)[1]', 'nvarchar(30)') AS [Name.Middle],
       r.ref.value('(Name/Name.Last)[1]', 'nvarchar(30)') AS [Name.Last],
       r.ref.value('(Name/Name.Suffix)[1]', 'nvarchar(30)') AS [Name.Suffix],
       r.ref.value('(Skills)[1]', 'nvarchar(max)') AS Skills,
       r.ref.value('(Address/Addr.Type)[1]', 'nvarchar(30)') AS [Addr.Type],
       r.ref.value('(Address/Addr.Location/Location/Loc.CountryRegion)[1]', 'nvarchar(100)') AS [Addr.Loc.CountryRegion],
       r.ref.value('(Address/Addr.Location/Location/Loc.State)[1]', 'nvarchar(100)') AS [Addr.Loc.State],
       r.ref.value('(Address/Addr.Location/Location/Loc.City)[1]', 'nvarchar(100)') AS [Addr.Loc.City],
       r.ref.value('(Address/Addr.PostalCode)[1]', 'nvarchar(20)') AS [Addr.PostalCode],
       r.ref.value('(EMail)[1]', 'nvarchar(max)') AS EMail,
       r.ref.value('(WebSite)[1]', 'nvarchar(max)') AS WebSite,
       jc.ModifiedDate
FROM HumanResources.JobCandidate AS jc
CROSS APPLY jc.Resume.nodes('/Resume') AS r(ref);
GO
CREATE VIEW HumanResources.vJobCandidateEmployment AS
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/Resume')
SELECT jc.JobCandidateID,
       CONVERT(datetime, REPLACE(e.ref.value('(Emp.StartDate)[1]', 'nvarchar(20)'), 'Z', ''), 101) AS [Emp.StartDate],
       CONVERT(datetime, REPLACE(e.ref.value('(Emp.EndDate)[1]', 'nvarchar(20)'), 'Z', ''), 101) AS [Emp.EndDate],
       e.ref.value('(Emp.OrgName)[1]', 'nvarchar(100)') AS [Emp.OrgName],
       e.ref.value('(Emp.JobTitle)[1]', 'nvarchar(100)') AS [Emp.JobTitle],
       e.ref.value('(Emp.Responsibility)[1]', 'nvarchar(max)') AS [Emp.Responsibility],
       e.ref.value('(Emp.FunctionCategory)[1]', 'nvarchar(max)') AS [Emp.FunctionCategory],
       e.ref.value('(Emp.IndustryCategory)[1]', 'nvarchar(max)') AS [Emp.IndustryCategory],
       e.ref.value('(Emp.Location/Location/Loc.CountryRegion)[1]', 'nvarchar(max)') AS [Emp.Loc.CountryRegion],
       e.ref.value('(Emp.Location/Location/Loc.State)[1]', 'nvarchar(max)') AS [Emp.Loc.State],
       e.ref.value('(Emp.Location/Location/Loc.City)[1]', 'nvarchar(max)') AS [Emp.Loc.City]
FROM HumanResources.JobCandidate AS jc
CROSS APPLY jc.Resume.nodes('/Resume/Employment') AS e(ref);
GO
CREATE VIEW HumanResources.vJobCandidateEducation AS
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/Resume')
SELECT jc.JobCandidateID,
       e.ref.value('(Edu.Level)[1]', 'nvarchar(max)') AS [Edu.Level],
       CONVERT(datetime, REPLACE(e.ref.value('(Edu.StartDate)[1]', 'nvarchar(20)'), 'Z', ''), 101) AS [Edu.StartDate],
       CONVERT(datetime, REPLACE(e.ref.value('(Edu.EndDate)[1]', 'nvarchar(20)'), 'Z', ''), 101) AS [Edu.EndDate],
       e.ref.value('(Edu.Degree)[1]', 'nvarchar(50)') AS [Edu.Degree],
       e.ref.value('(Edu.Major)[1]', 'nvarchar(50)') AS [Edu.Major],
       e.ref.value('(Edu.Minor)[1]', 'nvarchar(50)') AS [Edu.Minor],
       e.ref.value('(Edu.GPA)[1]', 'nvarchar(5)') AS [Edu.GPA],
       e.ref.value('(Edu.GPAScale)[1]', 'nvarchar(5)') AS [Edu.GPAScale],
       e.ref.value('(Edu.School)[1]', 'nvarchar(100)') AS [Edu.School],
       e.ref.value('(Edu.Location/Location/Loc.CountryRegion)[1]', 'nvarchar(100)') AS [Edu.Loc.CountryRegion],
       e.ref.value('(Edu.Location/Location/Loc.State)[1]', 'nvarchar(100)') AS [Edu.Loc.State],
       e.ref.value('(Edu.Location/Location/Loc.City)[1]', 'nvarchar(100)') AS [Edu.Loc.City]
FROM HumanResources.JobCandidate AS jc
CROSS APPLY jc.Resume.nodes('/Resume/Education') AS e(ref);
GO

CREATE VIEW Production.vProductAndDescription WITH SCHEMABINDING AS
SELECT p.ProductID, p.Name, m.Name AS ProductModel, c.CultureID, d.Description
FROM Production.Product AS p
JOIN Production.ProductModel AS m ON m.ProductModelID = p.ProductModelID
JOIN Production.ProductModelProductDescriptionCulture AS c ON c.ProductModelID = m.ProductModelID
JOIN Production.ProductDescription AS d ON d.ProductDescriptionID = c.ProductDescriptionID;
GO
CREATE VIEW Production.vProductModelCatalogDescription AS
WITH XMLNAMESPACES
(
    'http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelDescription' AS p1,
    'http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelWarrAndMain' AS wm,
    'http://www.adventure-works.com/schemas/OtherFeatures' AS wf,
    'http://www.w3.org/1999/xhtml' AS html
)
SELECT ProductModelID, Name,
       CatalogDescription.value('(/p1:ProductDescription/p1:Summary/html:p)[1]', 'nvarchar(max)') AS Summary,
       CatalogDescription.value('(/p1:ProductDescription/p1:Manufacturer/p1:Name)[1]', 'nvarchar(max)') AS Manufacturer,
       CatalogDescription.value('(/p1:ProductDescription/p1:Manufacturer/p1:Copyright)[1]', 'nvarchar(30)') AS Copyright,
       CatalogDescription.value('(/p1:ProductDescription/p1:Manufacturer/p1:ProductURL)[1]', 'nvarchar(256)') AS ProductURL,
       CatalogDescription.value('(/p1:ProductDescription/p1:Features/wm:Warranty/wm:WarrantyPeriod)[1]', 'nvarchar(256)') AS WarrantyPeriod,
       CatalogDescription.value('(/p1:ProductDescription/p1:Features/wm:Warranty/wm:Description)[1]', 'nvarchar(256)') AS WarrantyDescription,
       CatalogDescription.value('(/p1:ProductDescription/p1:Features/wm:Maintenance/wm:NoOfYears)[1]', 'nvarchar(256)') AS NoOfYears,
       CatalogDescription.value('(/p1:ProductDescription/p1:Features/wm:Maintenance/wm:Description)[1]', 'nvarchar(256)') AS MaintenanceDescription,
       CatalogDescription.value('(/p1:ProductDescription/p1:Features/wf:wheel)[1]', 'nvarchar(256)') AS Wheel,
       CatalogDescription.value('(/p1:ProductDescription/p1:Features/wf:saddle)[1]', 'nvarchar(256)') AS Saddle,
       CatalogDescription.value('(/p1:ProductDescription/p1:Picture/p1:Angle)[1]', 'nvarchar(256)') AS PictureAngle,
       CatalogDescription.value('(/p1:ProductDescription/p1:Picture/p1:Size)[1]', 'nvarchar(256)') AS PictureSize,
       CatalogDescription.value('(/p1:ProductDescription/p1:Picture/p1:ProductPhotoID)[1]', 'nvarchar(256)') AS ProductPhotoID,
       CatalogDescription.value('(/p1:ProductDescription/p1:Specifications/Material)[1]', 'nvarchar(256)') AS Material,
       CatalogDescription.value('(/p1:ProductDescription/p1:Specifications/Color)[1]', 'nvarchar(256)') AS Color,
       CatalogDescription.value('(/p1:ProductDescription/p1:Specifications/ProductLine)[1]', 'nvarchar(256)') AS ProductLine,
       CatalogDescription.value('(/p1:ProductDescription/p1:Specifications/Style)[1]', 'nvarchar(256)') AS Style,
       CatalogDescription.value('(/p1:ProductDescription/p1:Specifications/RiderExperience)[1]', 'nvarchar(1024)') AS RiderExperience,
       rowguid, ModifiedDate
FROM Production.ProductModel
WHERE CatalogDescription IS NOT NULL;
GO
CREATE VIEW Production.vProductModelInstructions AS
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelManuInstructions')
SELECT ProductModelID, Name,
       Instructions.value('(/root/text())[1]', 'nvarchar(max)') AS Instructions,
       station.ref.value('@LocationID', 'int') AS LocationID,
       station.ref.value('@SetupHours', 'decimal(9, 4)') AS SetupHours,
       station.ref.value('@MachineHours', 'decimal(9, 4)') AS MachineHours,
       station.ref.value('@LaborHours', 'decimal(9, 4)') AS LaborHours,
       station.ref.value('@LotSize', 'int') AS LotSize,
       step.ref.value('string(.)', 'nvarchar(1024)') AS Step,
       rowguid, ModifiedDate
FROM Production.ProductModel
CROSS APPLY Instructions.nodes('/root/Location') AS station(ref)
CROSS APPLY station.ref.nodes('step') AS step(ref);
GO

CREATE VIEW Purchasing.vVendorWithAddresses AS
SELECT v.BusinessEntityID, v.Name, t.Name AS AddressType, a.AddressLine1, a.AddressLine2, a.City,
       sp.Name AS StateProvinceName, a.PostalCode, cr.Name AS CountryRegionName
FROM Purchasing.Vendor AS v
JOIN Person.BusinessEntityAddress AS bea ON bea.BusinessEntityID = v.BusinessEntityID
JOIN Person.Address AS a ON a.AddressID = bea.AddressID
JOIN Person.StateProvince AS sp ON sp.StateProvinceID = a.StateProvinceID
JOIN Person.CountryRegion AS cr ON cr.CountryRegionCode = sp.CountryRegionCode
JOIN Person.AddressType AS t ON t.AddressTypeID = bea.AddressTypeID;
GO
CREATE VIEW Purchasing.vVendorWithContacts AS
SELECT v.BusinessEntityID, v.Name, ct.Name AS ContactType, p.Title, p.FirstName, p.MiddleName, p.LastName, p.Suffix,
       pp.PhoneNumber, pnt.Name AS PhoneNumberType, ea.EmailAddress, p.EmailPromotion
FROM Purchasing.Vendor AS v
JOIN Person.BusinessEntityContact AS bec ON bec.BusinessEntityID = v.BusinessEntityID
JOIN Person.ContactType AS ct ON ct.ContactTypeID = bec.ContactTypeID
JOIN Person.Person AS p ON p.BusinessEntityID = bec.PersonID
LEFT JOIN Person.EmailAddress AS ea ON ea.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PersonPhone AS pp ON pp.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PhoneNumberType AS pnt ON pnt.PhoneNumberTypeID = pp.PhoneNumberTypeID;
GO

CREATE VIEW Sales.vStoreWithAddresses AS
SELECT s.BusinessEntityID, s.Name, t.Name AS AddressType, a.AddressLine1, a.AddressLine2, a.City,
       sp.Name AS StateProvinceName, a.PostalCode, cr.Name AS CountryRegionName
FROM Sales.Store AS s
JOIN Person.BusinessEntityAddress AS bea ON bea.BusinessEntityID = s.BusinessEntityID
JOIN Person.Address AS a ON a.AddressID = bea.AddressID
JOIN Person.StateProvince AS sp ON sp.StateProvinceID = a.StateProvinceID
JOIN Person.CountryRegion AS cr ON cr.CountryRegionCode = sp.CountryRegionCode
JOIN Person.AddressType AS t ON t.AddressTypeID = bea.AddressTypeID;
GO
CREATE VIEW Sales.vStoreWithContacts AS
SELECT s.BusinessEntityID, s.Name, ct.Name AS ContactType, p.Title, p.FirstName, p.MiddleName, p.LastName, p.Suffix,
       pp.PhoneNumber, pnt.Name AS PhoneNumberType, ea.EmailAddress, p.EmailPromotion
FROM Sales.Store AS s
JOIN Person.BusinessEntityContact AS bec ON bec.BusinessEntityID = s.BusinessEntityID
JOIN Person.ContactType AS ct ON ct.ContactTypeID = bec.ContactTypeID
JOIN Person.Person AS p ON p.BusinessEntityID = bec.PersonID
LEFT JOIN Person.EmailAddress AS ea ON ea.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PersonPhone AS pp ON pp.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PhoneNumberType AS pnt ON pnt.PhoneNumberTypeID = pp.PhoneNumberTypeID;
GO
CREATE VIEW Sales.vStoreWithDemographics AS
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/StoreSurvey')
SELECT BusinessEntityID, Name,
       Demographics.value('(/StoreSurvey/AnnualSales)[1]', 'money') AS AnnualSales,
       Demographics.value('(/StoreSurvey/AnnualRevenue)[1]', 'money') AS AnnualRevenue,
       Demographics.value('(/StoreSurvey/BankName)[1]', 'nvarchar(50)') AS BankName,
       Demographics.value('(/StoreSurvey/BusinessType)[1]', 'nvarchar(5)') AS BusinessType,
       Demographics.value('(/StoreSurvey/YearOpened)[1]', 'integer') AS YearOpened,
       Demographics.value('(/StoreSurvey/Specialty)[1]', 'nvarchar(50)') AS Specialty,
       Demographics.value('(/StoreSurvey/SquareFeet)[1]', 'integer') AS SquareFeet,
       Demographics.value('(/StoreSurvey/Brands)[1]', 'nvarchar(30)') AS Brands,
       Demographics.value('(/StoreSurvey/Internet)[1]', 'nvarchar(30)') AS Internet,
       Demographics.value('(/StoreSurvey/NumberEmployees)[1]', 'integer') AS NumberEmployees
FROM Sales.Store;
GO
CREATE VIEW Sales.vPersonDemographics AS
WITH XMLNAMESPACES (DEFAULT 'http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey')
SELECT p.BusinessEntityID,
       survey.ref.value('TotalPurchaseYTD[1]', 'money') AS TotalPurchaseYTD,
       CONVERT(datetime, REPLACE(survey.ref.value('DateFirstPurchase[1]', 'nvarchar(20)'), 'Z', ''), 101) AS DateFirstPurchase,
       CONVERT(datetime, REPLACE(survey.ref.value('BirthDate[1]', 'nvarchar(20)'), 'Z', ''), 101) AS BirthDate,
       survey.ref.value('MaritalStatus[1]', 'nvarchar(1)') AS MaritalStatus,
       survey.ref.value('YearlyIncome[1]', 'nvarchar(30)') AS YearlyIncome,
       survey.ref.value('Gender[1]', 'nvarchar(1)') AS Gender,
       survey.ref.value('TotalChildren[1]', 'integer') AS TotalChildren,
       survey.ref.value('NumberChildrenAtHome[1]', 'integer') AS NumberChildrenAtHome,
       survey.ref.value('Education[1]', 'nvarchar(30)') AS Education,
       survey.ref.value('Occupation[1]', 'nvarchar(30)') AS Occupation,
       survey.ref.value('HomeOwnerFlag[1]', 'bit') AS HomeOwnerFlag,
       survey.ref.value('NumberCarsOwned[1]', 'integer') AS NumberCarsOwned
FROM Person.Person AS p
CROSS APPLY p.Demographics.nodes('/IndividualSurvey') AS survey(ref)
WHERE p.Demographics IS NOT NULL;
GO
CREATE VIEW Sales.vIndividualCustomer AS
SELECT p.BusinessEntityID, p.Title, p.FirstName, p.MiddleName, p.LastName, p.Suffix, pp.PhoneNumber,
       pnt.Name AS PhoneNumberType, ea.EmailAddress, p.EmailPromotion, t.Name AS AddressType, a.AddressLine1, a.AddressLine2,
       a.City, sp.Name AS StateProvinceName, a.PostalCode, cr.Name AS CountryRegionName, p.Demographics
FROM Person.Person AS p
JOIN Person.BusinessEntityAddress AS bea ON bea.BusinessEntityID = p.BusinessEntityID
JOIN Person.Address AS a ON a.AddressID = bea.AddressID
JOIN Person.StateProvince AS sp ON sp.StateProvinceID = a.StateProvinceID
JOIN Person.CountryRegion AS cr ON cr.CountryRegionCode = sp.CountryRegionCode
JOIN Person.AddressType AS t ON t.AddressTypeID = bea.AddressTypeID
JOIN Sales.Customer AS c ON c.PersonID = p.BusinessEntityID
LEFT JOIN Person.EmailAddress AS ea ON ea.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PersonPhone AS pp ON pp.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PhoneNumberType AS pnt ON pnt.PhoneNumberTypeID = pp.PhoneNumberTypeID
WHERE c.StoreID IS NULL;
GO
CREATE VIEW Sales.vSalesPerson AS
SELECT s.BusinessEntityID, p.Title, p.FirstName, p.MiddleName, p.LastName, p.Suffix, e.JobTitle, pp.PhoneNumber,
       pnt.Name AS PhoneNumberType, ea.EmailAddress, p.EmailPromotion, a.AddressLine1, a.AddressLine2, a.City,
       sp.Name AS StateProvinceName, a.PostalCode, cr.Name AS CountryRegionName, st.Name AS TerritoryName,
       st.[Group] AS TerritoryGroup, s.SalesQuota, s.SalesYTD, s.SalesLastYear
FROM Sales.SalesPerson AS s
JOIN HumanResources.Employee AS e ON e.BusinessEntityID = s.BusinessEntityID
JOIN Person.Person AS p ON p.BusinessEntityID = s.BusinessEntityID
JOIN Person.BusinessEntityAddress AS bea ON bea.BusinessEntityID = s.BusinessEntityID
JOIN Person.Address AS a ON a.AddressID = bea.AddressID
JOIN Person.StateProvince AS sp ON sp.StateProvinceID = a.StateProvinceID
JOIN Person.CountryRegion AS cr ON cr.CountryRegionCode = sp.CountryRegionCode
LEFT JOIN Sales.SalesTerritory AS st ON st.TerritoryID = s.TerritoryID
LEFT JOIN Person.EmailAddress AS ea ON ea.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PersonPhone AS pp ON pp.BusinessEntityID = p.BusinessEntityID
LEFT JOIN Person.PhoneNumberType AS pnt ON pnt.PhoneNumberTypeID = pp.PhoneNumberTypeID;
GO
-- Fiscal years begin in July, and are named by the year in which they end.
CREATE VIEW Sales.vSalesPersonSalesByFiscalYears AS
SELECT pvt.SalesPersonID, pvt.FullName, pvt.JobTitle, pvt.SalesTerritory, pvt.[2022], pvt.[2023], pvt.[2024]
FROM (SELECT h.SalesPersonID, CONCAT(p.FirstName, N' ', p.MiddleName + N' ', p.LastName) AS FullName, e.JobTitle,
             t.Name AS SalesTerritory, h.SubTotal, YEAR(DATEADD(month, 6, h.OrderDate)) AS FiscalYear
      FROM Sales.SalesPerson AS s
      JOIN Sales.SalesOrderHeader AS h ON h.SalesPersonID = s.BusinessEntityID
      JOIN Sales.SalesTerritory AS t ON t.TerritoryID = s.TerritoryID
      JOIN HumanResources.Employee AS e ON e.BusinessEntityID = s.BusinessEntityID
      JOIN Person.Person AS p ON p.BusinessEntityID = s.BusinessEntityID) AS soh
PIVOT (SUM(SubTotal) FOR FiscalYear IN ([2022], [2023], [2024])) AS pvt;
GO

-- Employees and vendors with orders are not deleted.
CREATE TRIGGER HumanResources.dEmployee ON HumanResources.Employee INSTEAD OF DELETE AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    RAISERROR (N'An employee stays: set CurrentFlag to 0 instead.', 10, 1);
    IF @@TRANCOUNT > 0
        ROLLBACK TRANSACTION;
END;
GO
CREATE TRIGGER Purchasing.dVendor ON Purchasing.Vendor INSTEAD OF DELETE AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    RAISERROR (N'A vendor stays: set ActiveFlag to 0 instead.', 10, 1);
    IF @@TRANCOUNT > 0
        ROLLBACK TRANSACTION;
END;
GO

-- A person with a survey has a figure of purchases in it.
CREATE TRIGGER Person.iuPerson ON Person.Person AFTER INSERT, UPDATE AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    IF UPDATE(BusinessEntityID) OR UPDATE(Demographics)
    BEGIN
        UPDATE Person.Person
        SET Demographics = N'<IndividualSurvey xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey"><TotalPurchaseYTD>0.00</TotalPurchaseYTD></IndividualSurvey>'
        FROM inserted
        WHERE Person.Person.BusinessEntityID = inserted.BusinessEntityID AND inserted.Demographics IS NULL;

        UPDATE Person.Person
        SET Demographics.modify(N'declare default element namespace "http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey";
            insert <TotalPurchaseYTD>0.00</TotalPurchaseYTD> as first into (/IndividualSurvey)[1]')
        FROM inserted
        WHERE Person.Person.BusinessEntityID = inserted.BusinessEntityID AND inserted.Demographics IS NOT NULL
            AND inserted.Demographics.exist(N'declare default element namespace "http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey";
                /IndividualSurvey/TotalPurchaseYTD') <> 1;
    END;
END;
GO

-- Lines of purchases and sales write transactions and keep their order's total.
CREATE TRIGGER Purchasing.iPurchaseOrderDetail ON Purchasing.PurchaseOrderDetail AFTER INSERT AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    BEGIN TRY
        INSERT INTO Production.TransactionHistory
            (ProductID, ReferenceOrderID, ReferenceOrderLineID, TransactionType, TransactionDate, Quantity, ActualCost)
        SELECT i.ProductID, i.PurchaseOrderID, i.PurchaseOrderDetailID, 'P', GETDATE(), i.OrderQty, i.UnitPrice
        FROM inserted AS i
        JOIN Purchasing.PurchaseOrderHeader AS h ON h.PurchaseOrderID = i.PurchaseOrderID;

        UPDATE Purchasing.PurchaseOrderHeader
        SET SubTotal = (SELECT SUM(d.LineTotal) FROM Purchasing.PurchaseOrderDetail AS d
                        WHERE d.PurchaseOrderID = PurchaseOrderHeader.PurchaseOrderID)
        WHERE PurchaseOrderID IN (SELECT PurchaseOrderID FROM inserted);
    END TRY
    BEGIN CATCH
        EXECUTE dbo.uspPrintError;
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        EXECUTE dbo.uspLogError;
    END CATCH;
END;
GO
CREATE TRIGGER Purchasing.uPurchaseOrderDetail ON Purchasing.PurchaseOrderDetail AFTER UPDATE AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    BEGIN TRY
        IF UPDATE(ProductID) OR UPDATE(OrderQty) OR UPDATE(UnitPrice)
        BEGIN
            INSERT INTO Production.TransactionHistory
                (ProductID, ReferenceOrderID, ReferenceOrderLineID, TransactionType, TransactionDate, Quantity, ActualCost)
            SELECT i.ProductID, i.PurchaseOrderID, i.PurchaseOrderDetailID, 'P', GETDATE(), i.OrderQty, i.UnitPrice
            FROM inserted AS i
            JOIN Purchasing.PurchaseOrderDetail AS d ON d.PurchaseOrderDetailID = i.PurchaseOrderDetailID;

            UPDATE Purchasing.PurchaseOrderHeader
            SET SubTotal = (SELECT SUM(d.LineTotal) FROM Purchasing.PurchaseOrderDetail AS d
                            WHERE d.PurchaseOrderID = PurchaseOrderHeader.PurchaseOrderID)
            WHERE PurchaseOrderID IN (SELECT PurchaseOrderID FROM inserted);

            UPDATE d SET ModifiedDate = GETDATE()
            FROM Purchasing.PurchaseOrderDetail AS d
            JOIN inserted AS i ON i.PurchaseOrderID = d.PurchaseOrderID AND i.PurchaseOrderDetailID = d.PurchaseOrderDetailID;
        END;
    END TRY
    BEGIN CATCH
        EXECUTE dbo.uspPrintError;
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        EXECUTE dbo.uspLogError;
    END CATCH;
END;
GO
CREATE TRIGGER Purchasing.uPurchaseOrderHeader ON Purchasing.PurchaseOrderHeader AFTER UPDATE AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    IF NOT UPDATE(Status)
        UPDATE Purchasing.PurchaseOrderHeader SET RevisionNumber = RevisionNumber + 1
        WHERE PurchaseOrderID IN (SELECT PurchaseOrderID FROM inserted);
END;
GO
CREATE TRIGGER Sales.iduSalesOrderDetail ON Sales.SalesOrderDetail AFTER INSERT, DELETE, UPDATE AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    BEGIN TRY
        IF UPDATE(ProductID) OR UPDATE(OrderQty) OR UPDATE(UnitPrice) OR UPDATE(UnitPriceDiscount)
            INSERT INTO Production.TransactionHistory
                (ProductID, ReferenceOrderID, ReferenceOrderLineID, TransactionType, TransactionDate, Quantity, ActualCost)
            SELECT i.ProductID, i.SalesOrderID, i.SalesOrderDetailID, 'S', GETDATE(), i.OrderQty, i.UnitPrice
            FROM inserted AS i
            JOIN Sales.SalesOrderHeader AS h ON h.SalesOrderID = i.SalesOrderID;

        -- A customer's survey counts what was bought since.
        UPDATE p
        SET Demographics.modify('declare default element namespace "http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey";
            replace value of (/IndividualSurvey/TotalPurchaseYTD)[1]
            with data((/IndividualSurvey/TotalPurchaseYTD)[1]) + sql:column("bought.LineTotal")')
        FROM Person.Person AS p
        JOIN Sales.Customer AS c ON c.PersonID = p.BusinessEntityID
        JOIN (SELECT h.CustomerID, SUM(i.LineTotal) AS LineTotal
              FROM inserted AS i
              JOIN Sales.SalesOrderHeader AS h ON h.SalesOrderID = i.SalesOrderID
              GROUP BY h.CustomerID) AS bought ON bought.CustomerID = c.CustomerID
        WHERE p.Demographics IS NOT NULL;

        UPDATE Sales.SalesOrderHeader
        SET SubTotal = ISNULL((SELECT SUM(d.LineTotal) FROM Sales.SalesOrderDetail AS d
                               WHERE d.SalesOrderID = SalesOrderHeader.SalesOrderID), 0)
        WHERE SalesOrderID IN (SELECT SalesOrderID FROM inserted UNION ALL SELECT SalesOrderID FROM deleted);

        UPDATE p
        SET Demographics.modify('declare default element namespace "http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey";
            replace value of (/IndividualSurvey/TotalPurchaseYTD)[1]
            with data((/IndividualSurvey/TotalPurchaseYTD)[1]) - sql:column("returned.LineTotal")')
        FROM Person.Person AS p
        JOIN Sales.Customer AS c ON c.PersonID = p.BusinessEntityID
        JOIN (SELECT h.CustomerID, SUM(d.LineTotal) AS LineTotal
              FROM deleted AS d
              JOIN Sales.SalesOrderHeader AS h ON h.SalesOrderID = d.SalesOrderID
              GROUP BY h.CustomerID) AS returned ON returned.CustomerID = c.CustomerID
        WHERE p.Demographics IS NOT NULL;
    END TRY
    BEGIN CATCH
        EXECUTE dbo.uspPrintError;
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        EXECUTE dbo.uspLogError;
    END CATCH;
END;
GO
CREATE TRIGGER Sales.uSalesOrderHeader ON Sales.SalesOrderHeader AFTER UPDATE NOT FOR REPLICATION AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    BEGIN TRY
        IF NOT UPDATE(Status)
            UPDATE Sales.SalesOrderHeader SET RevisionNumber = RevisionNumber + 1
            WHERE SalesOrderID IN (SELECT SalesOrderID FROM inserted);

        -- The change of the subtotal goes to the figures of the person and of the territory.
        IF UPDATE(SubTotal)
        BEGIN
            UPDATE s SET SalesYTD = s.SalesYTD + change.Amount
            FROM Sales.SalesPerson AS s
            JOIN (SELECT i.SalesPersonID, SUM(i.SubTotal - d.SubTotal) AS Amount
                  FROM inserted AS i JOIN deleted AS d ON d.SalesOrderID = i.SalesOrderID
                  GROUP BY i.SalesPersonID) AS change ON change.SalesPersonID = s.BusinessEntityID;
            UPDATE t SET SalesYTD = t.SalesYTD + change.Amount
            FROM Sales.SalesTerritory AS t
            JOIN (SELECT i.TerritoryID, SUM(i.SubTotal - d.SubTotal) AS Amount
                  FROM inserted AS i JOIN deleted AS d ON d.SalesOrderID = i.SalesOrderID
                  GROUP BY i.TerritoryID) AS change ON change.TerritoryID = t.TerritoryID;
        END;
    END TRY
    BEGIN CATCH
        EXECUTE dbo.uspPrintError;
        IF @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        EXECUTE dbo.uspLogError;
    END CATCH;
END;
GO

CREATE TRIGGER Production.iWorkOrder ON Production.WorkOrder AFTER INSERT AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    INSERT INTO Production.TransactionHistory
        (ProductID, ReferenceOrderID, TransactionType, TransactionDate, Quantity, ActualCost)
    SELECT ProductID, WorkOrderID, 'W', GETDATE(), OrderQty, 0 FROM inserted;
END;
GO
CREATE TRIGGER Production.uWorkOrder ON Production.WorkOrder AFTER UPDATE AS
BEGIN
    IF @@ROWCOUNT = 0
        RETURN;
    SET NOCOUNT ON;
    IF UPDATE(ProductID) OR UPDATE(OrderQty)
        INSERT INTO Production.TransactionHistory
            (ProductID, ReferenceOrderID, TransactionType, TransactionDate, Quantity, ActualCost)
        SELECT ProductID, WorkOrderID, 'W', GETDATE(), OrderQty, 0 FROM inserted;
END;
GO

-- One error in the log: a rate that is too high.
EXECUTE HumanResources.uspUpdateEmployeeHireInfo
    @BusinessEntityID = 300, @JobTitle = N'Astronaut', @HireDate = '2015-01-01', @RateChangeDate = '2025-01-01', @Rate = 1000,
    @PayFrequency = 1, @CurrentFlag = 1;
GO
