-- Three years of trade, 2022 to 2024. Every value follows from the number of its row.

USE Fernhill;
SET QUOTED_IDENTIFIER ON;
GO
SET NOCOUNT ON;

-- Rows of temporal tables get periods of their own: without the period their columns are as others.
ALTER TABLE Application.Person SET (SYSTEM_VERSIONING = OFF);
ALTER TABLE Application.Person DROP PERIOD FOR SYSTEM_TIME;
ALTER TABLE Application.City SET (SYSTEM_VERSIONING = OFF);
ALTER TABLE Application.City DROP PERIOD FOR SYSTEM_TIME;
ALTER TABLE Purchasing.Supplier SET (SYSTEM_VERSIONING = OFF);
ALTER TABLE Purchasing.Supplier DROP PERIOD FOR SYSTEM_TIME;
ALTER TABLE Sales.Customer SET (SYSTEM_VERSIONING = OFF);
ALTER TABLE Sales.Customer DROP PERIOD FOR SYSTEM_TIME;
ALTER TABLE Warehouse.StockItem SET (SYSTEM_VERSIONING = OFF);
ALTER TABLE Warehouse.StockItem DROP PERIOD FOR SYSTEM_TIME;
ALTER TABLE Warehouse.ColdRoomReading SET (SYSTEM_VERSIONING = OFF);
GO

INSERT INTO Application.Country (CountryID, CountryName, IsoCode, Continent)
VALUES (1, N'United Kingdom', 'GB', N'Europe'), (2, N'Ireland', 'IE', N'Europe'), (3, N'France', 'FR', N'Europe'),
       (4, N'Netherlands', 'NL', N'Europe'), (5, N'Portugal', 'PT', N'Europe'), (6, N'Morocco', 'MA', N'Africa'),
       (7, N'Vietnam', 'VN', N'Asia'), (8, N'Canada', 'CA', N'North America');
INSERT INTO Application.Province (ProvinceID, CountryID, ProvinceCode, ProvinceName, SalesTerritory)
VALUES (1, 1, 'ABD', N'Aberdeenshire', N'North'), (2, 1, 'NBL', N'Northumberland', N'North'), (3, 1, 'CMA', N'Cumbria', N'North'),
       (4, 1, 'LAN', N'Lancashire', N'North'), (5, 1, 'NYK', N'North Yorkshire', N'East'), (6, 1, 'LIN', N'Lincolnshire', N'East'),
       (7, 1, 'NFK', N'Norfolk', N'East'), (8, 1, 'SFK', N'Suffolk', N'East'), (9, 1, 'KEN', N'Kent', N'South'),
       (10, 1, 'WSX', N'West Sussex', N'South'), (11, 1, 'HAM', N'Hampshire', N'South'), (12, 1, 'DOR', N'Dorset', N'South'),
       (13, 1, 'DEV', N'Devon', N'West'), (14, 1, 'CON', N'Cornwall', N'West'), (15, 1, 'SOM', N'Somerset', N'West'),
       (16, 1, 'GLS', N'Gloucestershire', N'West');
INSERT INTO Application.DeliveryMethod (DeliveryMethodID, MethodName)
VALUES (1, N'Own van'), (2, N'Chilled van'), (3, N'Courier'), (4, N'Collected');
INSERT INTO Application.EntryKind (EntryKindID, KindName)
VALUES (1, N'Customer invoice'), (2, N'Customer payment'), (3, N'Supplier invoice'), (4, N'Supplier payment'), (5, N'Stock issue'),
       (6, N'Stock receipt');

-- 1 to 20 sell, 21 to 60 do other work, 61 to 80 are the suppliers' contacts, 81 to 680 the
-- customers'. Half of the employees chose another theme in June 2023.
SELECT CAST(ordinal - 1 AS int) AS n, CAST(value AS nvarchar(40)) AS Name INTO #First
FROM STRING_SPLIT(N'Agnes,Basil,Cora,Dougal,Esme,Fergus,Gwen,Hamish,Iris,Jasper,Kezia,Lachlan,Mabel,Ned,Olive,Piers,Rhona,Seth,Tamsin,Una,Walter', N',', 1);
SELECT CAST(ordinal - 1 AS int) AS n, CAST(value AS nvarchar(40)) AS Name INTO #Last
FROM STRING_SPLIT(N'Arkwright,Birchall,Coombes,Dunmore,Elphick,Fairley,Garrod,Hathersage,Inskip,Jowett,Kettle,Lockyer,Mossman,Nuttall,Orchard,Penrose,Quayle,Rowntree,Sowerby,Trelawney,Underhill,Wainwright,Yarrow', N',', 1);
SELECT p.value AS id, f.Name AS First, CONCAT(f.Name, N' ', l.Name) AS FullName, IIF(p.value <= 60, 1, 0) AS employee,
       IIF(p.value <= 20, 1, 0) AS seller,
       CASE WHEN p.value <= 60 THEN JSON_OBJECT(
           'theme': CHOOSE(p.value % 3 + 1, 'heather', 'moss', 'slate'), 'dateFormat': IIF(p.value % 2 = 0, 'dd/mm/yyyy', 'yyyy-mm-dd'),
           'table': JSON_OBJECT('pageLength': 25 * (1 + p.value % 4), 'paging': 'full')) END AS preferences,
       CASE WHEN p.value <= 60 THEN JSON_OBJECT(
           'title': IIF(p.value <= 20, 'Sales', CHOOSE(p.value % 3 + 1, 'Warehouse', 'Accounts', 'Driver')),
           'hiredOn': CONVERT(char(10), DATEADD(day, p.value * 71, '2010-01-01'), 23),
           'commission': CASE WHEN p.value <= 20 THEN 1 + p.value % 4 END,
           'languages': JSON_QUERY(CHOOSE(p.value % 4 + 1, '["French","Dutch"]', '["Portuguese"]', '[]', '[]'))) END AS fields
INTO #Person
FROM GENERATE_SERIES(1, 680) AS p
JOIN #First AS f ON f.n = p.value % 21
JOIN #Last AS l ON l.n = p.value % 23;
INSERT INTO Application.Person
    (PersonID, FullName, PreferredName, LogonName, IsEmployee, IsSalesperson, PhoneNumber, EmailAddress, UserPreferences, CustomFields,
     ValidFrom, ValidTo)
SELECT id, FullName, First, CASE WHEN employee = 1 THEN CONCAT(LOWER(First), id, N'@fernhill.example') END, employee, seller,
       CONCAT(N'01632 96', FORMAT(id, '0000')), CONCAT(LOWER(First), id, IIF(employee = 1, N'@fernhill.example', N'@example.com')),
       IIF(employee = 1 AND id % 2 = 0, JSON_MODIFY(preferences, '$.theme', 'night'), preferences), fields,
       IIF(employee = 1 AND id % 2 = 0, '2023-06-01', '2022-01-01'), '9999-12-31 23:59:59.9999999'
FROM #Person;
INSERT INTO Application.PersonHistory
    (PersonID, FullName, PreferredName, SearchName, LogonName, IsEmployee, IsSalesperson, PhoneNumber, EmailAddress, UserPreferences,
     CustomFields, Languages, ValidFrom, ValidTo)
SELECT p.PersonID, p.FullName, p.PreferredName, p.SearchName, p.LogonName, p.IsEmployee, p.IsSalesperson, p.PhoneNumber, p.EmailAddress,
       o.preferences, p.CustomFields, p.Languages, '2022-01-01', '2023-06-01'
FROM Application.Person AS p JOIN #Person AS o ON o.id = p.PersonID
WHERE p.ValidFrom = '2023-06-01';

-- 640 towns, 40 in each province, a twentieth of a degree from each other; those whose number divides
-- by four were counted again each year.
SELECT c.value AS id,
       CONCAT(CHOOSE(c.value % 8 + 1, N'Ash', N'Brook', N'Clay', N'Dun', N'Elm', N'Fern', N'Grange', N'Holly'),
              CHOOSE(c.value / 8 % 10 + 1, N'bury', N'combe', N'dale', N'field', N'ford', N'ham', N'ley', N'mouth', N'ton', N'worth'),
              CHOOSE(c.value / 80 + 1, N'', N' Magna', N' Parva', N'-on-Sea', N' Green', N' Cross', N' St Mary', N' Bridge', N' Mill')) AS name,
       1 + c.value % 16 AS province, 500 + c.value * 97 % 20000 AS people,
       geography::Point(51 + c.value % 16 / 4 * 0.4 + c.value / 16 / 8 * 0.05, -3 + c.value % 4 * 0.6 + c.value / 16 % 8 * 0.05, 4326) AS place
INTO #City
FROM GENERATE_SERIES(1, 640) AS c;
INSERT INTO Application.City (CityID, CityName, ProvinceID, Population, Location, LastEditedBy, ValidFrom, ValidTo)
SELECT id, name, province, IIF(id % 4 = 0, people + 2 * id, people), place, 21, IIF(id % 4 = 0, '2024-04-01', '2022-01-01'), '9999-12-31 23:59:59.9999999'
FROM #City;
INSERT INTO Application.CityHistory (CityID, CityName, ProvinceID, Population, Location, LastEditedBy, ValidFrom, ValidTo)
SELECT id, name, province, people + v.n * id, place, 21 + v.n, v.since, v.until
FROM #City CROSS JOIN (VALUES (0, '2022-01-01', '2023-04-01'), (1, '2023-04-01', '2024-04-01')) AS v (n, since, until)
WHERE id % 4 = 0;

INSERT INTO Purchasing.SupplierCategory (SupplierCategoryID, CategoryName)
VALUES (1, N'Growers'), (2, N'Makers'), (3, N'Importers'), (4, N'Packaging');
INSERT INTO Purchasing.Supplier
    (SupplierID, SupplierName, SupplierCategoryID, ContactPersonID, CityID, BankName, BankAccountNumber, PaymentDays, ValidFrom, ValidTo)
SELECT value, CONCAT(CHOOSE(value % 5 + 1, N'Hedgerow', N'Old Mill', N'Saltmarsh', N'Upland', N'Weir'),
                     CHOOSE(value / 5 % 4 + 1, N' Foods', N' Goods', N' Imports', N' Paper'), CASE WHEN value = 20 THEN N' and Sons' END),
       1 + value % 4, 60 + value, value * 31, N'Tidemark Bank', FORMAT(CAST(value AS bigint) * 7919 * 7907 % 100000000, '00000000'),
       CHOOSE(value % 3 + 1, 14, 30, 60), IIF(value % 5 = 0, '2023-01-15 09:30', '2022-01-01'), '9999-12-31 23:59:59.9999999'
FROM GENERATE_SERIES(1, 20);
INSERT INTO Purchasing.SupplierHistory
    (SupplierID, SupplierName, SupplierCategoryID, ContactPersonID, CityID, BankName, BankAccountNumber, PaymentDays, ValidFrom, ValidTo)
SELECT SupplierID, SupplierName, SupplierCategoryID, ContactPersonID, CityID, BankName, BankAccountNumber, 7, '2022-01-01', ValidFrom
FROM Purchasing.Supplier WHERE SupplierID % 5 = 0;

-- Customers: of every group of twenty, the first five belong to a buying group, and the first of all
-- its members pays.
INSERT INTO Sales.CustomerCategory (CustomerCategoryID, CategoryName)
VALUES (1, N'Grocer'), (2, N'Cafe'), (3, N'Hotel'), (4, N'School'), (5, N'Market stall');
INSERT INTO Sales.BuyingGroup (BuyingGroupID, GroupName) VALUES (1, N'Larder Circle'), (2, N'Corner Stores Union'), (3, N'Green Aprons');
SELECT c.value AS id, CASE WHEN (c.value - 1) % 20 < 5 THEN 1 + (c.value - 1) / 200 END AS grp
INTO #Customer
FROM GENERATE_SERIES(1, 600) AS c;
INSERT INTO Sales.Customer
    (CustomerID, CustomerName, BillToCustomerID, CustomerCategoryID, BuyingGroupID, ContactPersonID, DeliveryCityID, DeliveryMethodID,
     CreditLimit, DiscountPercent, OpenedOn, ValidFrom, ValidTo)
SELECT id, CONCAT(CHOOSE(id % 7 + 1, N'The Blue', N'The Copper', N'The Golden', N'The Little', N'The Old', N'The Red', N'The Village'),
                  CHOOSE(id % 5 + 1, N' Pantry ', N' Kettle ', N' Harbour Inn ', N' Academy ', N' Barrow '), id),
       ISNULL((grp - 1) * 200 + 1, id), 1 + id % 5, grp, 80 + id, 1 + id * 7 % 640, 1 + id % 4,
       CASE WHEN grp IS NULL THEN 1000 + id % 10 * 500 + IIF(id % 3 = 0, 250, 0) END, id % 4 * 0.5, DATEADD(day, id % 1000, '2019-01-01'),
       IIF(id % 3 = 0, '2024-02-01', '2022-01-01'), '9999-12-31 23:59:59.9999999'
FROM #Customer;
INSERT INTO Sales.CustomerHistory
    (CustomerID, CustomerName, BillToCustomerID, CustomerCategoryID, BuyingGroupID, ContactPersonID, DeliveryCityID, DeliveryMethodID,
     CreditLimit, DiscountPercent, OpenedOn, ValidFrom, ValidTo)
SELECT CustomerID, CustomerName, BillToCustomerID, CustomerCategoryID, BuyingGroupID, ContactPersonID, DeliveryCityID, DeliveryMethodID,
       CreditLimit - 250, DiscountPercent, OpenedOn, '2022-01-01', '2024-02-01'
FROM Sales.Customer WHERE CustomerID % 3 = 0;

-- Stock items, whose prices rise by three per cent of the first each New Year.
INSERT INTO Warehouse.PackageType (PackageTypeID, PackageName) VALUES (1, N'Each'), (2, N'Box'), (3, N'Sack'), (4, N'Pallet');
INSERT INTO Warehouse.StockGroup (StockGroupID, GroupName)
VALUES (1, N'Tea and coffee'), (2, N'Dairy'), (3, N'Baking'), (4, N'Preserves'), (5, N'Kitchen'), (6, N'Paper'), (7, N'Gifts'), (8, N'Clearance');
SELECT i.value AS id, CAST(2 + i.value * 37 % 400 / 4.0 AS decimal(18, 2)) AS price,
       CONCAT(CHOOSE(i.value % 10 + 1, N'Breakfast', N'Country', N'Dark', N'Fine', N'Golden', N'Mild', N'Organic', N'Smoked', N'Strong', N'White'), N' ',
              CHOOSE((i.value - 1) / 10 + 1, N'tea', N'coffee', N'butter', N'cheese', N'yogurt', N'flour', N'sugar', N'yeast', N'marmalade', N'chutney',
                     N'honey', N'kettle', N'teapot', N'pan', N'napkins', N'bags', N'boxes', N'hamper', N'candle', N'tray')) AS name
INTO #Item
FROM GENERATE_SERIES(1, 200) AS i;
INSERT INTO Warehouse.StockItem
    (StockItemID, ItemName, SupplierID, PackageTypeID, IsChilled, UnitPrice, TaxRate, UnitWeight, Barcode, CustomFields, ValidFrom, ValidTo)
SELECT id, name, 1 + id % 20, 1 + id % 4, IIF(id BETWEEN 21 AND 50, 1, 0), ROUND(price * 1.06, 2), IIF(id <= 110, 0, 20), 0.25 + id % 20 * 0.1,
       FORMAT(CAST(id AS bigint) * 7919 * 104729 % 10000000000000, '0000000000000'),
       JSON_OBJECT('madeIn': CHOOSE(id % 5 + 1, 'United Kingdom', 'Ireland', 'France', 'Portugal', 'Vietnam'),
                   'tags': JSON_QUERY(CHOOSE(id % 4 + 1, '["new","vegan"]', '["local"]', '["vegan"]', '[]')),
                   'shelfLifeDays': CASE WHEN id BETWEEN 21 AND 50 THEN 10 + id % 20 END ABSENT ON NULL),
       '2024-01-01', '9999-12-31 23:59:59.9999999'
FROM #Item;
INSERT INTO Warehouse.StockItemHistory
    (StockItemID, ItemName, SupplierID, PackageTypeID, IsChilled, UnitPrice, TaxRate, UnitWeight, Barcode, CustomFields, Tags, MadeIn, ValidFrom, ValidTo)
SELECT StockItemID, ItemName, SupplierID, PackageTypeID, IsChilled, ROUND(i.price * v.factor, 2), TaxRate, UnitWeight, Barcode, CustomFields, Tags, MadeIn,
       v.since, v.until
FROM Warehouse.StockItem
JOIN #Item AS i ON i.id = StockItemID
CROSS JOIN (VALUES (1.00, '2022-01-01', '2023-01-01'), (1.03, '2023-01-01', '2024-01-01')) AS v (factor, since, until);
INSERT INTO Warehouse.StockItemGroup (StockItemID, StockGroupID)
SELECT id, CHOOSE((id - 1) / 10 + 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7) FROM #Item
UNION ALL
SELECT id, 8 FROM #Item WHERE id % 25 = 0;
GO

-- From here on the tables keep their history themselves.
ALTER TABLE Application.Person ADD PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo);
ALTER TABLE Application.Person SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Application.PersonHistory, DATA_CONSISTENCY_CHECK = ON));
ALTER TABLE Application.City ADD PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo);
ALTER TABLE Application.City SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Application.CityHistory, DATA_CONSISTENCY_CHECK = ON));
ALTER TABLE Purchasing.Supplier ADD PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo);
ALTER TABLE Purchasing.Supplier SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Purchasing.SupplierHistory, DATA_CONSISTENCY_CHECK = ON));
ALTER TABLE Sales.Customer ADD PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo);
ALTER TABLE Sales.Customer SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Sales.CustomerHistory, DATA_CONSISTENCY_CHECK = ON));
ALTER TABLE Warehouse.StockItem ADD PERIOD FOR SYSTEM_TIME (ValidFrom, ValidTo);
ALTER TABLE Warehouse.StockItem SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Warehouse.StockItemHistory, DATA_CONSISTENCY_CHECK = ON));
GO

-- Four sensors in the cold rooms, read every six hours of 2024; the last reading is the row.
INSERT INTO Warehouse.ColdRoomReadingHistory (SensorNumber, RecordedAt, Temperature, ValidFrom, ValidTo)
SELECT s.value, DATEADD(hour, 6 * h.value, '2024-01-01'), 3 + (h.value * 7 + s.value * 3) % 20 / 10.0,
       DATEADD(hour, 6 * h.value, '2024-01-01'), DATEADD(hour, 6 * h.value + 6, '2024-01-01')
FROM GENERATE_SERIES(1, 4) AS s CROSS JOIN GENERATE_SERIES(0, 1463) AS h;
ALTER TABLE Warehouse.ColdRoomReading
    SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = Warehouse.ColdRoomReadingHistory, DATA_CONSISTENCY_CHECK = ON));
INSERT INTO Warehouse.ColdRoomReading (SensorNumber, RecordedAt, Temperature)
SELECT value, '2025-01-01', 4 FROM GENERATE_SERIES(1, 4);
-- Two vans, two sensors each, read every half hour of November 2024.
INSERT INTO Warehouse.VehicleReading (Registration, SensorNumber, RecordedAt, Temperature, SensorData)
SELECT v.Registration, s.value, DATEADD(minute, 30 * t.value, '2024-11-01'), 3 + (t.value * 3 + s.value) % 25 / 10.0,
       CONCAT(N'{"position": {"lat": ', 52 + t.value % 40 / 100.0, N', "lon": ', -1 - t.value % 30 / 100.0, N'}, "door": "',
              IIF(t.value % 8 = 0, N'open', N'shut'), N'"}')
FROM (VALUES (N'FH70 AAA'), (N'FH71 BBB')) AS v (Registration)
CROSS JOIN GENERATE_SERIES(1, 2) AS s CROSS JOIN GENERATE_SERIES(0, 1439) AS t
ORDER BY t.value, v.Registration, s.value;
GO

INSERT INTO Sales.SpecialDeal (SpecialDealID, DealText, BuyingGroupID, StockGroupID, StartsOn, EndsOn, DiscountPercent, DiscountAmount)
VALUES (1, N'Larder Circle, spring 2025', 1, NULL, '2025-03-01', '2025-05-31', 10, NULL),
       (2, N'Clearance of 2025', NULL, 8, '2025-01-01', '2025-12-31', 25, NULL),
       (3, N'Green Aprons, gifts', 3, 7, '2025-11-01', '2025-12-24', NULL, 1);

-- Five orders a day; those of the last days of 2024 are neither picked nor invoiced.
INSERT INTO Sales.[Order] (OrderID, CustomerID, SalespersonID, OrderDate, ExpectedOn, CustomerReference, PickedAt, EditedAt)
SELECT n.value, 1 + n.value * 37 % 600, 1 + n.value % 20, d.day, DATEADD(day, 1, d.day), CONCAT(N'R', n.value * 17 % 100000),
       CASE WHEN n.value <= 5485 THEN DATEADD(hour, 14, CAST(d.day AS datetime2(0))) END, DATEADD(hour, 9, CAST(d.day AS datetime2(7)))
FROM GENERATE_SERIES(1, 5500) AS n
CROSS APPLY (SELECT DATEADD(day, (n.value - 1) * 1096 / 5500, CAST('2022-01-01' AS date)) AS day) AS d;
INSERT INTO Sales.OrderLine (OrderID, LineNumber, StockItemID, Quantity, UnitPrice, TaxRate)
SELECT o.OrderID, j.value + 1, i.id, 1 + (o.OrderID + j.value * 7) % 12,
       ROUND(i.price * (1 + 0.03 * (YEAR(o.OrderDate) - 2022)), 2), IIF(i.id <= 110, 0, 20)
FROM Sales.[Order] AS o
JOIN GENERATE_SERIES(0, 4) AS j ON j.value <= o.OrderID % 5
JOIN #Item AS i ON i.id = 1 + (o.OrderID * 13 + j.value * 41) % 200;

INSERT INTO Sales.Invoice (InvoiceID, OrderID, CustomerID, BillToCustomerID, InvoiceDate, DeliveryEvents)
SELECT o.OrderID, o.OrderID, o.CustomerID, c.BillToCustomerID, o.ExpectedOn,
       JSON_OBJECT('events': JSON_ARRAY(JSON_OBJECT('event': 'loaded', 'at': CONVERT(varchar(19), DATEADD(hour, 6, CAST(o.ExpectedOn AS datetime2(0))), 126)),
                                        JSON_OBJECT('event': 'delivered', 'at': CONVERT(varchar(19), d.at, 126), 'van': IIF(o.OrderID % 2 = 0, 'FH70 AAA', 'FH71 BBB'))),
                   'deliveredAt': CONVERT(varchar(19), d.at, 126), 'receivedBy': p.FullName)
FROM Sales.[Order] AS o
JOIN Sales.Customer AS c ON c.CustomerID = o.CustomerID
JOIN Application.Person AS p ON p.PersonID = c.ContactPersonID
CROSS APPLY (SELECT DATEADD(minute, 420 + o.OrderID * 7 % 600, CAST(o.ExpectedOn AS datetime2(0))) AS at) AS d
WHERE o.PickedAt IS NOT NULL;
INSERT INTO Sales.InvoiceLine (InvoiceID, LineNumber, StockItemID, Quantity, UnitPrice, TaxAmount, ExtendedPrice)
SELECT l.OrderID, l.LineNumber, l.StockItemID, l.Quantity, l.UnitPrice, t.Tax, l.Amount + t.Tax
FROM Sales.OrderLine AS l
JOIN Sales.Invoice AS v ON v.OrderID = l.OrderID
CROSS APPLY (SELECT CAST(ROUND(l.Amount * l.TaxRate / 100, 2) AS decimal(18, 2)) AS Tax) AS t;

-- Each month every supplier brings what the month will need, and in the first month 50 of each more.
SELECT 1 + i.StockItemID % 20 AS supplier, m.month, i.StockItemID AS item,
       ISNULL(s.Quantity, 0) + IIF(m.month = '2022-01-01', 50, 0) AS quantity
INTO #Need
FROM Warehouse.StockItem AS i
CROSS JOIN (SELECT DATEADD(month, value, CAST('2022-01-01' AS date)) AS month FROM GENERATE_SERIES(0, 36)) AS m
LEFT JOIN (SELECT l.StockItemID, DATETRUNC(month, v.InvoiceDate) AS month, SUM(l.Quantity) AS Quantity
           FROM Sales.InvoiceLine AS l JOIN Sales.Invoice AS v ON v.InvoiceID = l.InvoiceID
           GROUP BY l.StockItemID, DATETRUNC(month, v.InvoiceDate)) AS s ON s.StockItemID = i.StockItemID AND s.month = m.month
WHERE s.Quantity IS NOT NULL OR m.month = '2022-01-01';
SELECT ROW_NUMBER() OVER (ORDER BY month, supplier) AS id, month, supplier INTO #Delivery FROM (SELECT DISTINCT month, supplier FROM #Need) AS d;
INSERT INTO Purchasing.PurchaseOrder (PurchaseOrderID, SupplierID, OrderDate, ExpectedOn, BuyerPersonID, IsReceived)
SELECT id, supplier, DATEADD(day, -14, month), month, 21 + id % 10, 1 FROM #Delivery;
INSERT INTO Purchasing.PurchaseOrderLine (PurchaseOrderID, LineNumber, StockItemID, OrderedQuantity, ReceivedQuantity, UnitCost)
SELECT d.id, ROW_NUMBER() OVER (PARTITION BY d.id ORDER BY n.item), n.item, n.quantity, n.quantity, ROUND(i.price * 0.6, 2)
FROM #Need AS n
JOIN #Delivery AS d ON d.month = n.month AND d.supplier = n.supplier
JOIN #Item AS i ON i.id = n.item;

-- The ledgers. Customers pay after two weeks, suppliers are paid as agreed.
WITH invoices AS
(
    SELECT v.InvoiceID, v.BillToCustomerID, v.InvoiceDate, SUM(l.ExtendedPrice) AS Total
    FROM Sales.Invoice AS v JOIN Sales.InvoiceLine AS l ON l.InvoiceID = v.InvoiceID
    GROUP BY v.InvoiceID, v.BillToCustomerID, v.InvoiceDate
)
INSERT INTO Sales.CustomerEntry (EntryID, CustomerID, EntryKindID, InvoiceID, EntryDate, Amount)
SELECT ROW_NUMBER() OVER (ORDER BY InvoiceID, k.kind), BillToCustomerID, k.kind, InvoiceID, DATEADD(day, k.days, InvoiceDate), k.sign * Total
FROM invoices CROSS JOIN (VALUES (1, 0, 1), (2, 14, -1)) AS k (kind, days, sign)
WHERE DATEADD(day, k.days, InvoiceDate) <= '2025-01-01';
WITH deliveries AS
(
    SELECT o.PurchaseOrderID, o.SupplierID, o.ExpectedOn, s.PaymentDays, SUM(l.ReceivedQuantity * l.UnitCost) AS Total
    FROM Purchasing.PurchaseOrder AS o
    JOIN Purchasing.PurchaseOrderLine AS l ON l.PurchaseOrderID = o.PurchaseOrderID
    JOIN Purchasing.Supplier AS s ON s.SupplierID = o.SupplierID
    GROUP BY o.PurchaseOrderID, o.SupplierID, o.ExpectedOn, s.PaymentDays
)
INSERT INTO Purchasing.SupplierEntry (EntryID, SupplierID, EntryKindID, PurchaseOrderID, EntryDate, Amount)
SELECT 100000 + ROW_NUMBER() OVER (ORDER BY PurchaseOrderID, k.kind), SupplierID, k.kind, PurchaseOrderID,
       DATEADD(day, IIF(k.kind = 4, PaymentDays, 0), ExpectedOn), k.sign * Total
FROM deliveries CROSS JOIN (VALUES (3, 1), (4, -1)) AS k (kind, sign)
WHERE DATEADD(day, IIF(k.kind = 4, PaymentDays, 0), ExpectedOn) <= '2025-01-01';
INSERT INTO Warehouse.StockEntry (EntryID, StockItemID, EntryKindID, InvoiceID, PurchaseOrderID, EntryDate, Quantity)
SELECT 200000 + ROW_NUMBER() OVER (ORDER BY day, kind DESC, item, invoice), item, kind, invoice, purchase, day, quantity
FROM (SELECT l.StockItemID AS item, 5 AS kind, v.InvoiceID AS invoice, NULL AS purchase, v.InvoiceDate AS day, -l.Quantity AS quantity
      FROM Sales.InvoiceLine AS l JOIN Sales.Invoice AS v ON v.InvoiceID = l.InvoiceID
      UNION ALL
      SELECT l.StockItemID, 6, NULL, o.PurchaseOrderID, o.ExpectedOn, l.ReceivedQuantity
      FROM Purchasing.PurchaseOrderLine AS l JOIN Purchasing.PurchaseOrder AS o ON o.PurchaseOrderID = l.PurchaseOrderID) AS moves;
INSERT INTO Warehouse.StockHolding (StockItemID, QuantityOnHand, Bin, ReorderLevel)
SELECT StockItemID, SUM(Quantity), CONCAT(CHAR(65 + StockItemID % 8), N'-', StockItemID / 8), 20 FROM Warehouse.StockEntry GROUP BY StockItemID;
GO

-- The sequences go on where the rows end.
ALTER SEQUENCE Sequences.PersonID RESTART WITH 681;
ALTER SEQUENCE Sequences.CityID RESTART WITH 641;
ALTER SEQUENCE Sequences.SupplierID RESTART WITH 21;
ALTER SEQUENCE Sequences.CustomerID RESTART WITH 601;
ALTER SEQUENCE Sequences.StockItemID RESTART WITH 201;
ALTER SEQUENCE Sequences.OrderID RESTART WITH 5501;
ALTER SEQUENCE Sequences.InvoiceID RESTART WITH 5501;
ALTER SEQUENCE Sequences.PurchaseOrderID RESTART WITH 1001;
ALTER SEQUENCE Sequences.EntryID RESTART WITH 300001;
GO
