-- Sales, purchases and work orders of the years 2022 to 2024, and what follows from them.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO
SET NOCOUNT ON;

INSERT INTO Purchasing.ShipMethod (Name, ShipBase, ShipRate)
VALUES ('TRUCK - GROUND', 3.95, 0.99), ('TRUCK - EXPRESS', 9.95, 1.99), ('OVERSEAS - DELUXE', 29.95, 2.99),
       ('OVERNIGHT', 21.95, 1.29), ('CARGO TRANSPORT', 8.99, 1.49);
INSERT INTO Sales.Currency (CurrencyCode, Name)
VALUES ('ARS', 'Argentine Peso'), ('AUD', 'Australian Dollar'), ('BRL', 'Brazilian Real'), ('CAD', 'Canadian Dollar'),
       ('CHF', 'Swiss Franc'), ('CLP', 'Chilean Peso'), ('CNY', 'Yuan Renminbi'), ('CZK', 'Czech Koruna'), ('DKK', 'Danish Krone'),
       ('EUR', 'EURO'), ('GBP', 'United Kingdom Pound'), ('HUF', 'Forint'), ('INR', 'Indian Rupee'), ('JPY', 'Yen'),
       ('MXN', 'Mexican Peso'), ('NOK', 'Norwegian Krone'), ('NZD', 'New Zealand Dollar'), ('PLN', 'Zloty'),
       ('SEK', 'Swedish Krona'), ('SGD', 'Singapore Dollar'), ('TRY', 'Turkish Lira'), ('USD', 'US Dollar'), ('ZAR', 'Rand');
INSERT INTO Sales.CountryRegionCurrency (CountryRegionCode, CurrencyCode)
SELECT CountryRegionCode,
       CASE CountryRegionCode
           WHEN 'AR' THEN 'ARS' WHEN 'AU' THEN 'AUD' WHEN 'BR' THEN 'BRL' WHEN 'CA' THEN 'CAD' WHEN 'CH' THEN 'CHF'
           WHEN 'CL' THEN 'CLP' WHEN 'CN' THEN 'CNY' WHEN 'CZ' THEN 'CZK' WHEN 'DK' THEN 'DKK' WHEN 'GB' THEN 'GBP'
           WHEN 'HU' THEN 'HUF' WHEN 'IN' THEN 'INR' WHEN 'JP' THEN 'JPY' WHEN 'MX' THEN 'MXN' WHEN 'NO' THEN 'NOK'
           WHEN 'NZ' THEN 'NZD' WHEN 'PL' THEN 'PLN' WHEN 'SE' THEN 'SEK' WHEN 'SG' THEN 'SGD' WHEN 'TR' THEN 'TRY'
           WHEN 'US' THEN 'USD' WHEN 'ZA' THEN 'ZAR' ELSE 'EUR' END
FROM Person.CountryRegion;
-- Rates of eight currencies for every day.
INSERT INTO Sales.CurrencyRate (CurrencyRateDate, FromCurrencyCode, ToCurrencyCode, AverageRate, EndOfDayRate)
SELECT DATEADD(day, d.value, CAST('2022-01-01' AS datetime)), 'USD', c.Code, c.Rate * (1 + (d.value * 7 % 101 - 50) / 1000.0),
       c.Rate * (1 + (d.value * 7 % 103 - 50) / 1000.0)
FROM GENERATE_SERIES(0, 1095) AS d
CROSS JOIN (VALUES ('AUD', 1.49), ('BRL', 5.1), ('CAD', 1.34), ('EUR', 0.92), ('GBP', 0.79), ('JPY', 148.0), ('MXN', 17.2), ('CNY', 7.1))
    AS c (Code, Rate)
ORDER BY d.value, c.Code;

INSERT INTO Sales.SalesTaxRate (StateProvinceID, TaxType, TaxRate, Name)
SELECT StateProvinceID, type.value, 5 + StateProvinceID % 8 + type.value * 0.25, CONCAT(Name, N' tax ', type.value)
FROM Person.StateProvince CROSS JOIN GENERATE_SERIES(1, 3) AS type;
INSERT INTO Sales.SalesReason (Name, ReasonType)
VALUES ('Price', 'Other'), ('On Promotion', 'Promotion'), ('Magazine Advertisement', 'Marketing'), ('Television Advertisement', 'Marketing'),
       ('Manufacturer', 'Other'), ('Review', 'Other'), ('Demo Event', 'Marketing'), ('Sponsorship', 'Marketing'), ('Quality', 'Other'),
       ('Other', 'Other');
INSERT INTO Sales.SpecialOffer (Description, DiscountPct, Type, Category, StartDate, EndDate, MinQty, MaxQty)
VALUES ('No Discount', 0, 'No Discount', 'No Discount', '2021-05-01', '2025-11-30', 0, NULL),
       ('Volume Discount 11 to 14', 0.02, 'Volume Discount', 'Reseller', '2021-05-31', '2025-05-30', 11, 14),
       ('Volume Discount 15 to 24', 0.05, 'Volume Discount', 'Reseller', '2021-05-31', '2025-05-30', 15, 24),
       ('Volume Discount 25 to 40', 0.10, 'Volume Discount', 'Reseller', '2021-05-31', '2025-05-30', 25, 40),
       ('Volume Discount over 40', 0.15, 'Volume Discount', 'Reseller', '2021-05-31', '2025-05-30', 41, NULL),
       ('Clearance of Ridge Bikes', 0.35, 'Discontinued Product', 'Reseller', '2022-05-31', '2022-06-30', 0, NULL),
       ('Helmets in Spring', 0.10, 'Seasonal Discount', 'Reseller', '2023-03-01', '2023-05-31', 0, NULL),
       ('New Locks', 0.20, 'New Product', 'Customer', '2023-05-31', '2023-07-31', 0, NULL);
INSERT INTO Sales.SpecialOfferProduct (SpecialOfferID, ProductID)
SELECT offer.value, ProductID FROM Production.Product CROSS JOIN GENERATE_SERIES(1, 5) AS offer WHERE FinishedGoodsFlag = 1
UNION ALL
SELECT CASE WHEN ProductSubcategoryID = 31 THEN 7 WHEN ProductSubcategoryID = 34 THEN 8 ELSE 6 END, ProductID
FROM Production.Product
WHERE ProductSubcategoryID IN (31, 34) OR ProductSubcategoryID <= 3 AND Class = 'L';

INSERT INTO Sales.CreditCard (CardType, CardNumber, ExpMonth, ExpYear)
SELECT CHOOSE(value % 4 + 1, N'ColonialVoice', N'Distinguish', N'SuperiorCard', N'Vista'),
       CONCAT(CHOOSE(value % 4 + 1, N'7777', N'5555', N'3333', N'1111'), FORMAT(CAST(value AS bigint) * 7919 % 10000000000, '0000000000')),
       1 + value % 12, 2026 + value % 4
FROM GENERATE_SERIES(1, 3700);
INSERT INTO Sales.PersonCreditCard (BusinessEntityID, CreditCardID)
SELECT IIF(value <= 700, value + 400, value + 1200), value FROM GENERATE_SERIES(1, 3700);

-- Sales people, who have been in one or two territories each; their figures come from the orders.
WITH people AS
(
    SELECT h.BusinessEntityID AS id, ROW_NUMBER() OVER (ORDER BY h.BusinessEntityID) AS n
    FROM HumanResources.EmployeeDepartmentHistory AS h
    WHERE h.DepartmentID = 3 AND h.EndDate IS NULL
)
INSERT INTO Sales.SalesPerson (BusinessEntityID, TerritoryID, SalesQuota, Bonus, CommissionPct)
SELECT id, CASE WHEN n > 2 THEN n % 10 + 1 END, CASE WHEN n > 2 THEN 250000 + n % 3 * 50000 END, n * 250, 0.01 + n % 5 * 0.002
FROM people;
INSERT INTO Sales.SalesPersonQuotaHistory (BusinessEntityID, QuotaDate, SalesQuota)
SELECT BusinessEntityID, DATEADD(month, q.value * 3, '2022-01-01'), SalesQuota / 4 + q.value * 1000
FROM Sales.SalesPerson CROSS JOIN GENERATE_SERIES(0, 11) AS q
WHERE SalesQuota IS NOT NULL;
INSERT INTO Sales.SalesTerritoryHistory (BusinessEntityID, TerritoryID, StartDate, EndDate)
SELECT BusinessEntityID, TerritoryID % 10 + 1, CAST('2021-06-01' AS datetime), CAST('2021-12-31' AS datetime)
FROM Sales.SalesPerson WHERE TerritoryID IS NOT NULL AND BusinessEntityID % 4 = 0
UNION ALL
SELECT BusinessEntityID, TerritoryID, '2022-01-01', NULL FROM Sales.SalesPerson WHERE TerritoryID IS NOT NULL;

-- Stores, each looked after by a person of its territory.
INSERT INTO Sales.Store (BusinessEntityID, Name, SalesPersonID, Demographics)
SELECT a.BusinessEntityID,
       CONCAT(CHOOSE(a.BusinessEntityID % 7 + 1, N'Bold', N'City', N'Family', N'Friendly', N'Mountain', N'Riverside', N'Sunny'),
              CHOOSE(a.BusinessEntityID % 5 + 1, N' Bike Shop ', N' Cycles ', N' Sports ', N' Wheels ', N' Outfitters '), a.BusinessEntityID),
       p.BusinessEntityID,
       CONCAT(N'<StoreSurvey xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/StoreSurvey"><AnnualSales>',
              300000 + a.BusinessEntityID % 10 * 100000, N'</AnnualSales><AnnualRevenue>', 30000 + a.BusinessEntityID % 10 * 10000,
              N'</AnnualRevenue><BankName>', CHOOSE(a.BusinessEntityID % 3 + 1, N'Guardian Bank', N'Reserve Security', N'United Savings'),
              N'</BankName><BusinessType>', CHOOSE(a.BusinessEntityID % 5 + 1, N'BM', N'BS', N'D', N'OS', N'SGS'),
              N'</BusinessType><YearOpened>', 1970 + a.BusinessEntityID % 40, N'</YearOpened><Specialty>',
              CHOOSE(a.BusinessEntityID % 4 + 1, N'Family', N'Touring', N'Road', N'Mountain'), N'</Specialty><SquareFeet>',
              5000 + a.BusinessEntityID % 80 * 1000, N'</SquareFeet><Brands>', CHOOSE(a.BusinessEntityID % 4 + 1, N'AW', N'2', N'3', N'4+'),
              N'</Brands><Internet>', CHOOSE(a.BusinessEntityID % 4 + 1, N'DSL', N'T1', N'T2', N'T3'), N'</Internet><NumberEmployees>',
              2 + a.BusinessEntityID % 99, N'</NumberEmployees></StoreSurvey>')
FROM Person.BusinessEntityAddress AS a
JOIN Person.Address AS d ON d.AddressID = a.AddressID
JOIN Person.StateProvince AS s ON s.StateProvinceID = d.StateProvinceID
JOIN (SELECT TerritoryID, MIN(BusinessEntityID) AS BusinessEntityID FROM Sales.SalesPerson GROUP BY TerritoryID) AS p
    ON p.TerritoryID = s.TerritoryID
WHERE a.BusinessEntityID BETWEEN 1201 AND 1900 AND a.AddressTypeID = 3;

-- Customers 1 to 700 are stores, 701 to 1400 the persons that buy for them, the others persons that buy for themselves.
SET IDENTITY_INSERT Sales.Customer ON;
INSERT INTO Sales.Customer (CustomerID, PersonID, StoreID, TerritoryID)
SELECT c.value, CASE WHEN c.value > 1400 THEN c.value + 500 WHEN c.value > 700 THEN c.value - 300 END,
       CASE WHEN c.value <= 700 THEN c.value + 1200 WHEN c.value <= 1400 THEN c.value + 500 END, s.TerritoryID
FROM GENERATE_SERIES(1, 4400) AS c
JOIN Person.Address AS d ON d.AddressID = IIF(c.value <= 700, c.value + 1200, c.value + 500)
JOIN Person.StateProvince AS s ON s.StateProvinceID = d.StateProvinceID;
SET IDENTITY_INSERT Sales.Customer OFF;
GO

-- Order n is of day n * 1096 / 4000; every sixth is a store's, with more and larger lines.
SELECT o.value + 43659 AS id, o.value AS n, DATEADD(day, o.value * 1096 / 4000, CAST('2022-01-01' AS datetime)) AS day,
       IIF(o.value % 6 = 0, 0, 1) AS online, IIF(o.value % 6 = 0, 701 + o.value / 6 * 37 % 700, 1401 + o.value * 37 % 3000) AS customer
INTO #Order
FROM GENERATE_SERIES(0, 3999) AS o;

WITH lines AS
(
    SELECT o.id, j.value AS line, 211 + (o.n * 13 + j.value * 53) % 306 AS product, o.online,
           CASE WHEN o.online = 1 THEN 1 ELSE 1 + (o.n / 6 * 7 + j.value * 5) % 44 END AS qty
    FROM #Order AS o
    JOIN GENERATE_SERIES(0, 19) AS j ON j.value <= CASE WHEN o.online = 1 THEN o.n % 4 ELSE 4 + o.n / 6 % 16 END
)
SELECT id, line, product, qty, s.SpecialOfferID AS offer, IIF(online = 1, p.ListPrice, ROUND(p.ListPrice * 0.6, 2)) AS price, s.DiscountPct AS discount
INTO #Line
FROM lines
JOIN Production.Product AS p ON p.ProductID = product
JOIN Sales.SpecialOffer AS s
    ON s.SpecialOfferID = CASE WHEN qty <= 10 THEN 1 WHEN qty <= 14 THEN 2 WHEN qty <= 24 THEN 3 WHEN qty <= 40 THEN 4 ELSE 5 END;

SET IDENTITY_INSERT Sales.SalesOrderHeader ON;
INSERT INTO Sales.SalesOrderHeader
    (SalesOrderID, RevisionNumber, OrderDate, DueDate, ShipDate, Status, OnlineOrderFlag, PurchaseOrderNumber, AccountNumber, CustomerID,
     SalesPersonID, TerritoryID, BillToAddressID, ShipToAddressID, ShipMethodID, CreditCardID, CreditCardApprovalCode, CurrencyRateID,
     SubTotal, TaxAmt, Freight)
SELECT o.id, 8, o.day, DATEADD(day, 12, o.day), CASE WHEN o.n < 3950 THEN DATEADD(day, 7, o.day) END, IIF(o.n < 3950, 5, 1), o.online,
       CASE WHEN o.online = 0 THEN CONCAT(N'PO', 18000000 + o.n * 317) END,
       CONCAT(N'10-4020-', FORMAT(o.customer, '000000')), o.customer, s.SalesPersonID, c.TerritoryID,
       o.customer + 500, o.customer + 500, IIF(o.online = 1, 1, 5),
       k.CreditCardID, CASE WHEN k.CreditCardID IS NOT NULL THEN CONCAT(k.CreditCardID * 13, 'Vi', o.n) END, r.CurrencyRateID,
       t.Total, ROUND(t.Total * 0.08, 4), ROUND(t.Total * 0.025, 4)
FROM #Order AS o
JOIN (SELECT id, CAST(SUM(price * (1.0 - discount) * qty) AS money) AS Total FROM #Line GROUP BY id) AS t ON t.id = o.id
JOIN Sales.Customer AS c ON c.CustomerID = o.customer
LEFT JOIN Sales.Store AS s ON s.BusinessEntityID = c.StoreID
LEFT JOIN Sales.PersonCreditCard AS k ON k.BusinessEntityID = c.PersonID AND o.n % 8 <> 1
LEFT JOIN Sales.CurrencyRate AS r
    ON r.CurrencyRateDate = o.day AND r.ToCurrencyCode = CHOOSE(c.TerritoryID - 5, 'CAD', 'EUR', 'EUR', 'AUD', 'GBP')
ORDER BY o.id;
SET IDENTITY_INSERT Sales.SalesOrderHeader OFF;
INSERT INTO Sales.SalesOrderDetail
    (SalesOrderID, CarrierTrackingNumber, OrderQty, ProductID, SpecialOfferID, UnitPrice, UnitPriceDiscount)
SELECT id, CASE WHEN id % 6 = 3 THEN CONCAT(FORMAT(id * 31 % 10000, '0000'), N'-', FORMAT(id, '00000'), N'-A') END, qty, product, offer, price, discount
FROM #Line
ORDER BY id, line;
INSERT INTO Sales.SalesOrderHeaderSalesReason (SalesOrderID, SalesReasonID)
SELECT id, reason.value FROM #Order JOIN GENERATE_SERIES(1, 10) AS reason ON reason.value IN (n % 10 + 1, n * 3 % 10 + 1)
WHERE online = 1;
INSERT INTO Sales.ShoppingCartItem (ShoppingCartID, Quantity, ProductID, DateCreated)
SELECT CAST(14951 + value / 3 AS nvarchar(50)), 1 + value % 4, 211 + value * 7 % 306, '2024-12-31' FROM GENERATE_SERIES(0, 299);

UPDATE p SET SalesYTD = ISNULL(o.ThisYear, 0), SalesLastYear = ISNULL(o.LastYear, 0)
FROM Sales.SalesPerson AS p
JOIN (SELECT SalesPersonID, SUM(IIF(OrderDate >= '2024-01-01', SubTotal, 0)) AS ThisYear,
             SUM(IIF(OrderDate >= '2023-01-01' AND OrderDate < '2024-01-01', SubTotal, 0)) AS LastYear
      FROM Sales.SalesOrderHeader GROUP BY SalesPersonID) AS o ON o.SalesPersonID = p.BusinessEntityID;
UPDATE t SET SalesYTD = o.ThisYear, SalesLastYear = o.LastYear
FROM Sales.SalesTerritory AS t
JOIN (SELECT TerritoryID, SUM(IIF(OrderDate >= '2024-01-01', SubTotal, 0)) AS ThisYear,
             SUM(IIF(OrderDate >= '2023-01-01' AND OrderDate < '2024-01-01', SubTotal, 0)) AS LastYear
      FROM Sales.SalesOrderHeader GROUP BY TerritoryID) AS o ON o.TerritoryID = t.TerritoryID;
GO

-- Purchases: order n goes to vendor n % 100, for up to three of its products.
WITH buyers AS
(
    SELECT BusinessEntityID AS id, ROW_NUMBER() OVER (ORDER BY BusinessEntityID) - 1 AS n, COUNT(*) OVER () AS total
    FROM HumanResources.EmployeeDepartmentHistory WHERE DepartmentID = 5 AND EndDate IS NULL
),
orders AS
(
    SELECT value AS id, 1101 + value % 100 AS vendor, value AS n, DATEADD(day, value * 1096 / 2001, CAST('2022-01-01' AS datetime)) AS day
    FROM GENERATE_SERIES(1, 2000)
)
SELECT orders.id, vendor, orders.n, day, buyers.id AS buyer
INTO #Purchase
FROM orders JOIN buyers ON buyers.n = orders.n % buyers.total;
SELECT o.id, o.day, v.line, v.ProductID AS product, v.StandardPrice AS price, 50 + (o.n * 7 + v.line * 11) % 500 AS qty,
       CASE WHEN o.n % 20 = 0 THEN 3 ELSE 0 END AS rejected
INTO #PurchaseLine
FROM #Purchase AS o
JOIN (SELECT BusinessEntityID, ProductID, StandardPrice, ROW_NUMBER() OVER (PARTITION BY BusinessEntityID ORDER BY ProductID) AS line
      FROM Purchasing.ProductVendor) AS v ON v.BusinessEntityID = o.vendor AND v.line <= 1 + o.n % 3;

SET IDENTITY_INSERT Purchasing.PurchaseOrderHeader ON;
INSERT INTO Purchasing.PurchaseOrderHeader
    (PurchaseOrderID, RevisionNumber, Status, EmployeeID, VendorID, ShipMethodID, OrderDate, ShipDate, SubTotal, TaxAmt, Freight)
SELECT o.id, 4, CASE WHEN n > 1990 THEN 1 WHEN n % 25 = 0 THEN 3 ELSE 4 END, buyer, vendor, n % 5 + 1, day, DATEADD(day, 9, day),
       Total, ROUND(Total * 0.08, 4), ROUND(Total * 0.025, 4)
FROM #Purchase AS o
JOIN (SELECT id, SUM(price * qty) AS Total FROM #PurchaseLine GROUP BY id) AS t ON t.id = o.id;
SET IDENTITY_INSERT Purchasing.PurchaseOrderHeader OFF;
INSERT INTO Purchasing.PurchaseOrderDetail (PurchaseOrderID, DueDate, OrderQty, ProductID, UnitPrice, ReceivedQty, RejectedQty)
SELECT id, DATEADD(day, 14, day), qty, product, price, qty, rejected FROM #PurchaseLine ORDER BY id, line;

-- Work orders: every made part, component and bike in turn, with a routing for each station.
INSERT INTO Production.WorkOrder (ProductID, OrderQty, ScrappedQty, StartDate, EndDate, DueDate, ScrapReasonID)
SELECT 121 + value % 264, 10 + value * 7 % 90, IIF(value % 50 = 0, 2, 0), DATEADD(day, value * 1085 / 3000, '2022-01-01'),
       DATEADD(day, value * 1085 / 3000 + 10, '2022-01-01'), DATEADD(day, value * 1085 / 3000 + 11, '2022-01-01'),
       CASE WHEN value % 50 = 0 THEN value / 50 % 16 + 1 END
FROM GENERATE_SERIES(0, 2999)
ORDER BY value;
INSERT INTO Production.WorkOrderRouting
    (WorkOrderID, ProductID, OperationSequence, LocationID, ScheduledStartDate, ScheduledEndDate, ActualStartDate, ActualEndDate,
     ActualResourceHrs, PlannedCost, ActualCost)
SELECT w.WorkOrderID, w.ProductID, step.value, l.LocationID, w.StartDate, w.DueDate, DATEADD(day, step.value - 1, w.StartDate), w.EndDate,
       step.value + w.WorkOrderID % 3 + 0.5, l.CostRate * (step.value + 2), l.CostRate * (step.value + 2)
FROM Production.WorkOrder AS w
JOIN GENERATE_SERIES(1, 4) AS step ON step.value <= 1 + w.ProductID % 4
JOIN Production.Location AS l ON l.LocationID = CHOOSE(step.value, 10, 20, 50, 60);

-- Transactions: those before July 2023 are in the archive.
SELECT IDENTITY(int, 100000, 1) AS id, product, ref, line, day, kind, qty, cost
INTO #Transaction
FROM (SELECT ProductID AS product, h.SalesOrderID AS ref, SalesOrderDetailID AS line, OrderDate AS day, 'S' AS kind, CAST(OrderQty AS int) AS qty, UnitPrice AS cost
      FROM Sales.SalesOrderDetail AS d JOIN Sales.SalesOrderHeader AS h ON h.SalesOrderID = d.SalesOrderID
      UNION ALL
      SELECT ProductID, h.PurchaseOrderID, PurchaseOrderDetailID, OrderDate, 'P', OrderQty, UnitPrice
      FROM Purchasing.PurchaseOrderDetail AS d JOIN Purchasing.PurchaseOrderHeader AS h ON h.PurchaseOrderID = d.PurchaseOrderID
      UNION ALL
      SELECT ProductID, WorkOrderID, 0, StartDate, 'W', OrderQty, 0 FROM Production.WorkOrder) AS t
ORDER BY day, kind, ref, line;
INSERT INTO Production.TransactionHistoryArchive
    (TransactionID, ProductID, ReferenceOrderID, ReferenceOrderLineID, TransactionDate, TransactionType, Quantity, ActualCost)
SELECT id, product, ref, line, day, kind, qty, cost FROM #Transaction WHERE day < '2023-07-01';
SET IDENTITY_INSERT Production.TransactionHistory ON;
INSERT INTO Production.TransactionHistory
    (TransactionID, ProductID, ReferenceOrderID, ReferenceOrderLineID, TransactionDate, TransactionType, Quantity, ActualCost)
SELECT id, product, ref, line, day, kind, qty, cost FROM #Transaction WHERE day >= '2023-07-01';
SET IDENTITY_INSERT Production.TransactionHistory OFF;
GO

-- The log of the tables made so far.
INSERT INTO dbo.DatabaseLog (PostTime, DatabaseUser, Event, [Schema], Object, TSQL, XmlEvent)
SELECT create_date, N'dbo', N'CREATE_TABLE', SCHEMA_NAME(schema_id), name, CONCAT(N'CREATE TABLE ', SCHEMA_NAME(schema_id), N'.', name),
       (SELECT N'CREATE_TABLE' AS EventType, SCHEMA_NAME(schema_id) AS SchemaName, name AS ObjectName FOR XML PATH(N'EVENT_INSTANCE'), TYPE)
FROM sys.tables
ORDER BY name;
GO
