-- Checks of the sample: one row for each, passed or failed. Nothing that they do stays.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO
SET NOCOUNT ON;

-- Both figures as text, so that a check that failed says what it found.
CREATE TABLE #Check (CheckID int IDENTITY(1, 1), Name varchar(80), Found varchar(200), Expected varchar(200));

INSERT INTO #Check (Name, Found, Expected)
SELECT 'Tables, views, functions, procedures, triggers', STRING_AGG(CONCAT(kind, number), ' ') WITHIN GROUP (ORDER BY kind),
       'F11 P9 T71 TR10 V20'
FROM (SELECT CASE WHEN type IN ('FN', 'TF') THEN 'F' WHEN type = 'U' THEN 'T' ELSE RTRIM(type) END AS kind, COUNT(*) AS number
      FROM sys.objects WHERE type IN ('U', 'V', 'P', 'FN', 'TF', 'TR') AND is_ms_shipped = 0
      GROUP BY CASE WHEN type IN ('FN', 'TF') THEN 'F' WHEN type = 'U' THEN 'T' ELSE RTRIM(type) END) AS objects;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Tables without rows', COUNT(*), 0
FROM sys.tables AS t
WHERE NOT EXISTS (SELECT * FROM sys.partitions AS p WHERE p.object_id = t.object_id AND p.index_id IN (0, 1) AND p.rows > 0);
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Foreign keys and checks that are not trusted', COUNT(*), 0
FROM (SELECT is_not_trusted FROM sys.foreign_keys UNION ALL SELECT is_not_trusted FROM sys.check_constraints) AS c
WHERE is_not_trusted = 1;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Tables without a description', COUNT(*), 0
FROM sys.tables AS t
WHERE NOT EXISTS (SELECT * FROM sys.extended_properties AS p
                  WHERE p.class = 1 AND p.major_id = t.object_id AND p.minor_id = 0 AND p.name = N'MS_Description');
GO

-- Places: what lies near a town, by distance and by its name.
DECLARE @Seattle geography = geography::Point(47.6, -122.3, 4326);
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Addresses within 20 kilometres of Seattle: as many as there',
       (SELECT COUNT(*) FROM Person.Address WHERE SpatialLocation.STDistance(@Seattle) < 20000),
       (SELECT COUNT(*) FROM Person.Address WHERE City = N'Seattle');
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Addresses of Paris in a box around it', COUNT(*),
       (SELECT COUNT(*) FROM Person.Address WHERE City = N'Paris')
FROM Person.Address
WHERE SpatialLocation.STIntersects('POLYGON ((2.2 48.7, 2.6 48.7, 2.6 49.1, 2.2 49.1, 2.2 48.7))') = 1;
GO

-- The organisation: employees below a manager, by walking from one to the next and by the path itself.
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Employees in each level of the organisation', STRING_AGG(CONCAT(OrganizationLevel, ':', number), ' ') WITHIN GROUP (ORDER BY OrganizationLevel),
       '0:1 1:6 2:30 3:120 4:143'
FROM (SELECT OrganizationLevel, COUNT(*) AS number FROM HumanResources.Employee GROUP BY OrganizationLevel) AS levels;

WITH below AS
(
    SELECT BusinessEntityID AS manager, BusinessEntityID AS employee, OrganizationNode FROM HumanResources.Employee
    UNION ALL
    SELECT below.manager, e.BusinessEntityID, e.OrganizationNode
    FROM below JOIN HumanResources.Employee AS e ON e.OrganizationNode.GetAncestor(1) = below.OrganizationNode
)
SELECT manager, employee INTO #Below FROM below;
SELECT m.BusinessEntityID AS manager, e.BusinessEntityID AS employee
INTO #Descendant
FROM HumanResources.Employee AS m
JOIN HumanResources.Employee AS e ON e.OrganizationNode.IsDescendantOf(m.OrganizationNode) = 1;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Pairs of manager and employee: IsDescendantOf, as many as by walking',
       (SELECT COUNT(*) FROM #Descendant), (SELECT COUNT(*) FROM #Below);
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Pairs of manager and employee: IsDescendantOf, other than by walking', COUNT(*), 0
FROM (SELECT * FROM #Descendant EXCEPT SELECT * FROM #Below) AS pairs;

CREATE TABLE #Employees (Level int, Node nvarchar(4000), ManagerFirst nvarchar(50), ManagerLast nvarchar(50), id int, First nvarchar(50), Last nvarchar(50));
INSERT INTO #Employees EXECUTE dbo.uspGetManagerEmployees @BusinessEntityID = 10;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'uspGetManagerEmployees: as many as below by IsDescendantOf',
       (SELECT COUNT(*) FROM #Employees), (SELECT COUNT(*) FROM #Descendant WHERE manager = 10);
CREATE TABLE #Managers (Level int, id int, First nvarchar(50), Last nvarchar(50), Node nvarchar(4000), ManagerFirst nvarchar(50), ManagerLast nvarchar(50));
INSERT INTO #Managers EXECUTE dbo.uspGetEmployeeManagers @BusinessEntityID = 300;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'uspGetEmployeeManagers: the way up', STRING_AGG(id, ' ') WITHIN GROUP (ORDER BY Level), '300 60 30 6' FROM #Managers;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Documents in their folders', STRING_AGG(CONCAT(Title, ':', number), ' ') WITHIN GROUP (ORDER BY Title),
       'Assembly:5 Maintenance:5 Overview:5 Safety:5'
FROM (SELECT folder.Title, COUNT(*) AS number
      FROM Production.Document AS folder
      JOIN Production.Document AS d ON d.DocumentNode.GetAncestor(1) = folder.DocumentNode
      WHERE folder.DocumentLevel = 1 GROUP BY folder.Title) AS folders;
GO

-- Bills of materials.
CREATE TABLE #Bill (Assembly int, Component int, Name nvarchar(50), Qty decimal(38, 2), Cost money, Price money, BOMLevel int, Recursion int);
INSERT INTO #Bill EXECUTE dbo.uspGetBillOfMaterials @StartProductID = 211, @CheckDate = '2024-01-01';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'uspGetBillOfMaterials: quantities of the lowest level, as by joins',
       (SELECT SUM(Qty) FROM #Bill WHERE BOMLevel = 3),
       (SELECT SUM(raw.PerAssemblyQty)
        FROM Production.BillOfMaterials AS part
        JOIN Production.BillOfMaterials AS made ON made.ProductAssemblyID = part.ComponentID
        JOIN Production.BillOfMaterials AS raw ON raw.ProductAssemblyID = made.ComponentID
        WHERE part.ProductAssemblyID = 211);
CREATE TABLE #Used (Assembly int, Component int, Name nvarchar(50), Qty decimal(38, 2), Cost money, Price money, BOMLevel int, Recursion int);
INSERT INTO #Used EXECUTE dbo.uspGetWhereUsedProductID @StartProductID = 1, @CheckDate = '2024-01-01';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'uspGetWhereUsedProductID: the bikes with a part, as by joins',
       (SELECT COUNT(DISTINCT Assembly) FROM #Used WHERE Recursion = 2),
       (SELECT COUNT(DISTINCT part.ProductAssemblyID)
        FROM Production.BillOfMaterials AS part
        JOIN Production.BillOfMaterials AS made ON made.ProductAssemblyID = part.ComponentID
        JOIN Production.BillOfMaterials AS raw ON raw.ProductAssemblyID = made.ComponentID
        WHERE raw.ComponentID = 1);
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Bills that lead to a product of the same or a higher level', COUNT(*), 0
FROM Production.BillOfMaterials AS b
JOIN Production.BillOfMaterials AS c ON c.ProductAssemblyID = b.ComponentID
WHERE c.BOMLevel <= b.BOMLevel;
GO

-- XML.
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Models with a warranty of three years, by exist()', COUNT(*), 8
FROM Production.ProductModel
WHERE CatalogDescription.exist('declare namespace p1="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelDescription";
    declare namespace wm="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelWarrAndMain";
    /p1:ProductDescription/p1:Features/wm:Warranty[wm:WarrantyPeriod = "3 years"]') = 1;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Products of steel, by the catalog', COUNT(*),
       (SELECT COUNT(*) FROM Production.Product WHERE ProductModelID % 3 = 1 AND ProductSubcategoryID % 3 = 0)
FROM Production.vProductModelCatalogDescription AS d
JOIN Production.Product AS p ON p.ProductModelID = d.ProductModelID
WHERE d.Material = 'Steel';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Models whose attribute names another model', COUNT(*), 0
FROM Production.ProductModel
WHERE CatalogDescription.value('declare namespace p1="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelDescription";
    (/p1:ProductDescription/@ProductModelID)[1]', 'int') <> ProductModelID;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Hours of labor of all stations: nodes(), as sum()', SUM(hours.labor),
       (SELECT SUM(Instructions.value('declare default element namespace "http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelManuInstructions";
            sum(/root/Location/@LaborHours)', 'decimal(9, 2)')) FROM Production.ProductModel WHERE Instructions IS NOT NULL)
FROM (SELECT station.ref.value('@LaborHours', 'decimal(9, 2)') AS labor
      FROM Production.ProductModel
      CROSS APPLY Instructions.nodes('declare default element namespace "http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelManuInstructions";
          /root/Location') AS station(ref)) AS hours;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Steps of the instructions', COUNT(*), 18 * 3 * 2 FROM Production.vProductModelInstructions;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Parts that the instructions name and that are products', COUNT(*), 18 * 3
FROM Production.ProductModel
CROSS APPLY Instructions.nodes('declare default element namespace "http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelManuInstructions";
    /root/Location/step/material') AS material(ref)
JOIN Production.Product AS p ON p.ProductID = CAST(SUBSTRING(material.ref.value('.', 'nvarchar(20)'), 6, 10) AS int);
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Sales of the stores by their survey', CONCAT(SUM(AnnualSales), ''),
       (SELECT CONCAT(CAST(SUM(300000 + BusinessEntityID % 10 * 100000) AS money), '') FROM Sales.Store)
FROM Sales.vStoreWithDemographics;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Customers in each group of income', STRING_AGG(number, ' '), '600 600 600 600 600'
FROM (SELECT YearlyIncome, COUNT(*) AS number FROM Sales.vPersonDemographics GROUP BY YearlyIncome) AS groups;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Individual customers, by the view and by the table', COUNT(*), (SELECT COUNT(*) FROM Sales.Customer WHERE StoreID IS NULL)
FROM Sales.vIndividualCustomer;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Jobs of the candidates', COUNT(*), (SELECT SUM(1 + JobCandidateID % 3) FROM HumanResources.JobCandidate)
FROM HumanResources.vJobCandidateEmployment;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Candidates that know of wheels', COUNT(*), 10 FROM HumanResources.vJobCandidate WHERE Skills LIKE '%Wheel%';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Contacts with more ways to reach them', CONCAT(COUNT(*), ' ', MIN(EMailAddress), ' ', MIN(RecordDate)), '22 contact1@example.com 2022-01-02'
FROM Person.vAdditionalContactInfo;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'An order as XML and back: the sum of its lines', CONCAT(SUM(line.ref.value('@total', 'money')), ''),
       (SELECT CONCAT(SubTotal, '') FROM Sales.SalesOrderHeader WHERE SalesOrderID = 43659)
FROM (SELECT (SELECT ProductID AS [@product], CAST(LineTotal AS money) AS [@total] FROM Sales.SalesOrderDetail
              WHERE SalesOrderID = 43659 FOR XML PATH('line'), ROOT('order'), TYPE) AS doc) AS d
CROSS APPLY doc.nodes('/order/line') AS line(ref);
GO

-- Sums.
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Sales orders whose lines sum to another subtotal', COUNT(*), 0
FROM Sales.SalesOrderHeader AS h
LEFT JOIN (SELECT SalesOrderID, CAST(SUM(LineTotal) AS money) AS Total FROM Sales.SalesOrderDetail GROUP BY SalesOrderID) AS d
    ON d.SalesOrderID = h.SalesOrderID
WHERE d.Total IS NULL OR d.Total <> h.SubTotal;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Purchase orders whose lines sum to another subtotal', COUNT(*), 0
FROM Purchasing.PurchaseOrderHeader AS h
LEFT JOIN (SELECT PurchaseOrderID, SUM(LineTotal) AS Total FROM Purchasing.PurchaseOrderDetail GROUP BY PurchaseOrderID) AS d
    ON d.PurchaseOrderID = h.PurchaseOrderID
WHERE d.Total IS NULL OR d.Total <> h.SubTotal;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Totals due, and their parts', CONCAT(SUM(TotalDue), ''), CONCAT(SUM(SubTotal) + SUM(TaxAmt) + SUM(Freight), '') FROM Sales.SalesOrderHeader;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Numbers that are computed', CONCAT(h.SalesOrderNumber, ' ', c.AccountNumber), 'SO43659 AW00000701'
FROM Sales.SalesOrderHeader AS h JOIN Sales.Customer AS c ON c.CustomerID = h.CustomerID
WHERE h.SalesOrderNumber = N'SO43659' AND c.AccountNumber = 'AW00000701';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Sales of this year: the territories', CONCAT(SUM(SalesYTD), ''), (SELECT CONCAT(SUM(SubTotal), '') FROM Sales.SalesOrderHeader WHERE OrderDate >= '2024-01-01')
FROM Sales.SalesTerritory;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Sales by fiscal years: PIVOT, as GROUP BY', CONCAT(SUM(ISNULL([2022], 0) + ISNULL([2023], 0) + ISNULL([2024], 0)), ''),
       (SELECT CONCAT(SUM(SubTotal), '') FROM Sales.SalesOrderHeader WHERE SalesPersonID IS NOT NULL AND OrderDate < '2024-07-01')
FROM Sales.vSalesPersonSalesByFiscalYears;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Transactions of sales, purchases and work orders', COUNT(*),
       (SELECT COUNT(*) FROM Sales.SalesOrderDetail) + (SELECT COUNT(*) FROM Purchasing.PurchaseOrderDetail)
       + (SELECT COUNT(*) FROM Production.WorkOrder)
FROM (SELECT TransactionID FROM Production.TransactionHistory UNION SELECT TransactionID FROM Production.TransactionHistoryArchive) AS t;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Orders whose customer is of another territory than the address', COUNT(*), 0
FROM Sales.SalesOrderHeader AS h
JOIN Person.Address AS a ON a.AddressID = h.ShipToAddressID
JOIN Person.StateProvince AS s ON s.StateProvinceID = a.StateProvinceID
WHERE s.TerritoryID <> h.TerritoryID;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Orders paid with the card of another person', COUNT(*), 0
FROM Sales.SalesOrderHeader AS h
JOIN Sales.Customer AS c ON c.CustomerID = h.CustomerID
WHERE h.CreditCardID NOT IN (SELECT k.CreditCardID FROM Sales.PersonCreditCard AS k WHERE k.BusinessEntityID = c.PersonID);
GO

-- Functions.
INSERT INTO #Check (Name, Found, Expected)
SELECT 'What the contacts are', STRING_AGG(CONCAT(p.id, ':', f.BusinessEntityType), ' ') WITHIN GROUP (ORDER BY p.id),
       '1:Employee 301:Vendor Contact 401:Store Contact 1901:Consumer'
FROM (VALUES (1), (301), (401), (1901), (NULL)) AS p (id)
CROSS APPLY dbo.ufnGetContactInformation(p.id) AS f;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Prices of products today', COUNT(*), (SELECT COUNT(*) FROM Production.Product WHERE ListPrice > 0 AND SellEndDate IS NULL)
FROM Production.Product
WHERE dbo.ufnGetProductListPrice(ProductID, '2024-12-31') = ListPrice;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Texts of states', CONCAT_WS(', ', dbo.ufnGetDocumentStatusText(2), dbo.ufnGetPurchaseOrderStatusText(4), dbo.ufnGetSalesOrderStatusText(5),
                                    dbo.ufnGetSalesOrderStatusText(9), dbo.ufnLeadingZeros(42)),
       'Approved, Complete, Shipped, ** Invalid **, 00000042';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Stock of a raw part', dbo.ufnGetStock(7), 100 + 7 * 6 % 500;
GO

-- Constraints and triggers, in transactions that are rolled back.
INSERT INTO #Check (Name, Found, Expected)
SELECT 'The error of the installation is in the log', CONCAT(MIN(ErrorNumber), ' ', PARSENAME(MIN(ErrorProcedure), 1)), '547 uspUpdateEmployeeHireInfo'
FROM dbo.ErrorLog;
GO
DECLARE @error int = 0;
BEGIN TRY
    UPDATE Person.Person SET Demographics = N'<IndividualSurvey xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey"><YearlyIncome>enough</YearlyIncome></IndividualSurvey>'
    WHERE BusinessEntityID = 1901;
END TRY
BEGIN CATCH
    SET @error = ERROR_NUMBER();
END CATCH;
INSERT INTO #Check (Name, Found, Expected) VALUES ('A survey with a wrong income is refused', @error, 6926);
GO
DECLARE @error int = 0;
BEGIN TRY
    DELETE FROM HumanResources.Employee WHERE BusinessEntityID = 300;
END TRY
BEGIN CATCH
    SET @error = ERROR_NUMBER();
END CATCH;
IF @@TRANCOUNT > 0
    ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'An employee is not deleted', CONCAT(@error, ' ', COUNT(*)), '3609 300' FROM HumanResources.Employee;
GO
DECLARE @order int, @person int, @territory int, @found varchar(200), @expected varchar(200);
SELECT TOP (1) @order = SalesOrderID, @person = c.PersonID, @territory = h.TerritoryID
FROM Sales.SalesOrderHeader AS h JOIN Sales.Customer AS c ON c.CustomerID = h.CustomerID
WHERE h.OnlineOrderFlag = 1
ORDER BY SalesOrderID;
BEGIN TRANSACTION;
SELECT @expected = CONCAT(h.SubTotal + 200, ' ', d.TotalPurchaseYTD + 200, ' ', t.SalesYTD + 200, ' ', h.RevisionNumber + 1, ' ', 1)
FROM Sales.SalesOrderHeader AS h
JOIN Sales.vPersonDemographics AS d ON d.BusinessEntityID = @person
JOIN Sales.SalesTerritory AS t ON t.TerritoryID = h.TerritoryID
WHERE h.SalesOrderID = @order;
INSERT INTO Sales.SalesOrderDetail (SalesOrderID, OrderQty, ProductID, SpecialOfferID, UnitPrice) VALUES (@order, 4, 300, 1, 50);
SELECT @found = CONCAT(h.SubTotal, ' ', d.TotalPurchaseYTD, ' ', t.SalesYTD, ' ', h.RevisionNumber, ' ',
                       (SELECT COUNT(*) FROM Production.TransactionHistory
                        WHERE ReferenceOrderID = @order AND ProductID = 300 AND Quantity = 4 AND TransactionDate > '2025-01-01'))
FROM Sales.SalesOrderHeader AS h
JOIN Sales.vPersonDemographics AS d ON d.BusinessEntityID = @person
JOIN Sales.SalesTerritory AS t ON t.TerritoryID = h.TerritoryID
WHERE h.SalesOrderID = @order;
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected) VALUES ('A line that is added changes all sums', @found, @expected);
GO
DECLARE @found varchar(200);
BEGIN TRANSACTION;
DELETE FROM Sales.SalesOrderHeader WHERE SalesOrderID = 43659;
SELECT @found = CONCAT((SELECT COUNT(*) FROM Sales.SalesOrderDetail WHERE SalesOrderID = 43659), ' ',
                       (SELECT COUNT(*) FROM Sales.SalesOrderHeader WHERE SalesOrderID = 43659));
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected) VALUES ('An order that is deleted takes its lines along', @found, '0 0');
GO
DECLARE @found varchar(200);
BEGIN TRANSACTION;
UPDATE Person.Person SET Demographics = NULL WHERE BusinessEntityID = 5;
SELECT @found = CONCAT(TotalPurchaseYTD, '') FROM Sales.vPersonDemographics WHERE BusinessEntityID = 5;
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected) VALUES ('A person without a survey gets an empty one', @found, '0.00');
GO

SELECT Name, IIF(Found = Expected, 'passed', CONCAT('failed: ', Found, ', not ', Expected)) AS Result FROM #Check ORDER BY CheckID;
GO
