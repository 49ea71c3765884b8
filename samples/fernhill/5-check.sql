-- Checks of the sample: one row for each, passed or failed. Nothing stays of what they do, but
-- numbers of sequences and identities are used up.

USE Fernhill;
SET QUOTED_IDENTIFIER ON;
GO
SET NOCOUNT ON;

CREATE TABLE #Check (CheckID int IDENTITY(1, 1), Name varchar(80), Found varchar(200), Expected varchar(200));

INSERT INTO #Check (Name, Found, Expected)
SELECT 'Tables, histories, memory-optimized', CONCAT(COUNT(*), ' ', SUM(IIF(temporal_type = 1, 1, 0)), ' ', SUM(CAST(is_memory_optimized AS int))), '34 6 2'
FROM sys.tables;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Constraints that are not trusted', COUNT(*), 0
FROM (SELECT is_not_trusted FROM sys.foreign_keys UNION ALL SELECT is_not_trusted FROM sys.check_constraints) AS c
WHERE is_not_trusted = 1;
GO

-- Places: town 200 has one neighbour east and one west of it, less than four kilometres away.
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Towns near town 200', STRING_AGG(t.CityID, ' ') WITHIN GROUP (ORDER BY t.CityID), '184 200 216'
FROM Application.TownsNear(200, 4000) AS t;
GO

-- Time.
DECLARE @2022 datetime2(7) = '2022-07-01', @2023 datetime2(7) = '2023-07-01', @2024 datetime2(7) = '2024-07-01';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Lines whose price is not that of the item in the year of the order', COUNT(*), 0
FROM (SELECT 2022 AS y, StockItemID, UnitPrice FROM Warehouse.StockItem FOR SYSTEM_TIME AS OF @2022
      UNION ALL
      SELECT 2023, StockItemID, UnitPrice FROM Warehouse.StockItem FOR SYSTEM_TIME AS OF @2023
      UNION ALL
      SELECT 2024, StockItemID, UnitPrice FROM Warehouse.StockItem FOR SYSTEM_TIME AS OF @2024) AS p
JOIN Sales.[Order] AS o ON YEAR(o.OrderDate) = p.y
JOIN Sales.OrderLine AS l ON l.OrderID = o.OrderID AND l.StockItemID = p.StockItemID
WHERE l.UnitPrice <> p.UnitPrice;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'People of all towns in three years', CONCAT_WS(' ',
           (SELECT SUM(Population) FROM Application.City FOR SYSTEM_TIME AS OF @2022),
           (SELECT SUM(Population) FROM Application.City FOR SYSTEM_TIME AS OF @2023),
           (SELECT SUM(Population) FROM Application.City FOR SYSTEM_TIME AS OF @2024)),
       (SELECT CONCAT_WS(' ', SUM(500 + value * 97 % 20000), SUM(500 + value * 97 % 20000 + IIF(value % 4 = 0, value, 0)),
                              SUM(500 + value * 97 % 20000 + IIF(value % 4 = 0, 2 * value, 0)))
        FROM GENERATE_SERIES(1, 640));
INSERT INTO #Check (Name, Found, Expected)
SELECT 'All versions of the customers', COUNT(*), (SELECT COUNT(*) FROM Sales.Customer) + (SELECT COUNT(*) FROM Sales.CustomerHistory)
FROM Sales.Customer FOR SYSTEM_TIME ALL;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Versions of town 4 that held within two years', STRING_AGG(Population, ' ') WITHIN GROUP (ORDER BY ValidFrom), '888 892'
FROM Application.City FOR SYSTEM_TIME CONTAINED IN ('2022-01-01', '2024-04-01') WHERE CityID = 4;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Credit limits that were raised', COUNT(*), 200 - (SELECT COUNT(*) FROM Sales.Customer WHERE CreditLimit IS NULL AND CustomerID % 3 = 0)
FROM Sales.Customer AS c
JOIN Sales.Customer FOR SYSTEM_TIME AS OF @2023 AS b ON b.CustomerID = c.CustomerID
WHERE c.CreditLimit = b.CreditLimit + 250;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Employees who changed their theme', COUNT(*), 30
FROM Application.Person AS now
JOIN Application.Person FOR SYSTEM_TIME AS OF @2022 AS before ON before.PersonID = now.PersonID
WHERE JSON_VALUE(now.UserPreferences, '$.theme') <> JSON_VALUE(before.UserPreferences, '$.theme');
GO
DECLARE @found varchar(200);
BEGIN TRANSACTION;
UPDATE Warehouse.StockItem SET UnitPrice = 1 WHERE StockItemID = 7;
SELECT @found = CONCAT(COUNT(*), ' ', MIN(UnitPrice)) FROM Warehouse.StockItem FOR SYSTEM_TIME ALL WHERE StockItemID = 7;
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'A price that changes leaves a version behind', CONCAT(@found, ' ', COUNT(*)), '4 1.00 3'
FROM Warehouse.StockItem FOR SYSTEM_TIME ALL WHERE StockItemID = 7;
GO

-- JSON.
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Items by tag', STRING_AGG(CONCAT(tag, ':', number), ' ') WITHIN GROUP (ORDER BY tag), 'local:50 new:50 vegan:100'
FROM (SELECT t.value AS tag, COUNT(*) AS number FROM Warehouse.StockItem AS i CROSS APPLY OPENJSON(i.Tags) AS t GROUP BY t.value) AS tags;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Items by origin, which is indexed', COUNT(*), 40 FROM Warehouse.StockItem WHERE MadeIn = N'Portugal';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Invoices that were not delivered on their day', COUNT(*), 0
FROM Sales.Invoice WHERE DeliveredAt IS NULL OR CAST(DeliveredAt AS date) <> InvoiceDate;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Deliveries that another person received', COUNT(*), 0
FROM Sales.Invoice AS v
JOIN Sales.Customer AS c ON c.CustomerID = v.CustomerID
JOIN Application.Person AS p ON p.PersonID = c.ContactPersonID
WHERE v.ReceivedBy <> p.FullName;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Events of deliveries', CONCAT(COUNT(*), ' ', SUM(IIF(Van IS NULL, 0, 1))), (SELECT CONCAT(2 * COUNT(*), ' ', COUNT(*)) FROM Sales.Invoice) FROM Website.Deliveries;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Orders as JSON and back: the sum of all lines', SUM(l.quantity * l.price), (SELECT SUM(Amount) FROM Sales.OrderLine WHERE OrderID <= 500)
FROM Website.OrderDocuments AS d
CROSS APPLY OPENJSON(d.Document, '$.lines') WITH (quantity int, price decimal(18, 2)) AS l
WHERE d.OrderID <= 500;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'The document of an order', CONCAT_WS(' ', JSON_VALUE(Document, '$.order.customer'), JSON_VALUE(Document, '$.order.day'),
                                             JSON_VALUE(Document, '$.salesperson.mail'), JSON_VALUE(Document, '$.lines[0].item')),
       '38 2022-01-01 cora2@fernhill.example 14'
FROM Website.OrderDocuments WHERE OrderID = 1;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Employees by language', STRING_AGG(CONCAT(l.value, ':', l.number), ' ') WITHIN GROUP (ORDER BY l.value), 'Dutch:15 French:15 Portuguese:15'
FROM (SELECT j.value, COUNT(*) AS number FROM Application.Person CROSS APPLY OPENJSON(Languages) AS j GROUP BY j.value) AS l;
GO
DECLARE @error int = 0;
BEGIN TRY
    UPDATE Application.Person SET UserPreferences = N'{theme}' WHERE PersonID = 1;
END TRY
BEGIN CATCH
    SET @error = ERROR_NUMBER();
END CATCH;
INSERT INTO #Check (Name, Found, Expected) VALUES ('Preferences that are not JSON are refused', @error, 547);
GO
DECLARE @ids nvarchar(max), @found varchar(200), @expected varchar(200), @stock int = (SELECT SUM(QuantityOnHand) FROM Warehouse.StockHolding);
BEGIN TRANSACTION;
EXECUTE Website.PlaceOrders
    @Orders = N'[{"customer": 1, "reference": "web-1", "lines": [{"item": 7, "quantity": 2}, {"item": 200, "quantity": 1}]},
                 {"customer": 10, "lines": [{"item": 100, "quantity": 5}]}]',
    @SalespersonID = 3, @Day = '2025-02-01', @OrderIDs = @ids OUTPUT;
EXECUTE Website.InvoiceOrders @OrderIDs = @ids, @Day = '2025-02-02';
SELECT @expected = CONCAT('2 3 ', SUM(CAST(d.q * ROUND(d.factor * i.UnitPrice, 2) * (1 + i.TaxRate / 100) AS decimal(18, 2))), ' 8')
FROM (VALUES (7, 2, 0.995), (200, 1, 0.74625), (100, 5, 0.7425)) AS d (item, q, factor)
JOIN Warehouse.StockItem AS i ON i.StockItemID = d.item;
SELECT @found = CONCAT((SELECT COUNT(*) FROM OPENJSON(@ids) AS j JOIN Sales.[Order] AS o ON o.OrderID = j.value), ' ',
                       (SELECT COUNT(*) FROM OPENJSON(@ids) AS j JOIN Sales.OrderLine AS l ON l.OrderID = j.value), ' ',
                       (SELECT SUM(Amount) FROM Sales.CustomerEntry WHERE EntryDate = '2025-02-02'), ' ',
                       @stock - (SELECT SUM(QuantityOnHand) FROM Warehouse.StockHolding));
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected) VALUES ('Orders that come as JSON are placed and billed', @found, @expected);
GO
DECLARE @ids nvarchar(max), @error int = 0;
BEGIN TRY
    EXECUTE Website.PlaceOrders @Orders = N'[{"customer": 1, "lines": [{"item": 7, "quantity": 2}, {"item": 999, "quantity": 1}]}]',
                                @SalespersonID = 3, @Day = '2025-02-01', @OrderIDs = @ids OUTPUT;
END TRY
BEGIN CATCH
    SET @error = ERROR_NUMBER();
END CATCH;
INSERT INTO #Check (Name, Found, Expected) VALUES ('An order of an item that is not there is refused', @error, 51003);
GO
DECLARE @lines Website.OrderLineList, @order int, @count int, @quantity int, @found varchar(200);
INSERT INTO @lines (LineNumber, StockItemID, Quantity) VALUES (1, 7, 2), (2, 8, 3), (3, 9, 4);
EXECUTE Website.SumLines @Lines = @lines, @Count = @count OUTPUT, @Quantity = @quantity OUTPUT;
BEGIN TRANSACTION;
EXECUTE Website.PlaceOrder @CustomerID = 2, @SalespersonID = 1, @Day = '2024-12-31', @Lines = @lines, @OrderID = @order OUTPUT;
SELECT @found = CONCAT(@count, ' ', @quantity, ' ', COUNT(*), ' ', SUM(Quantity)) FROM Sales.OrderLine WHERE OrderID = @order;
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected) VALUES ('An order whose lines come in a table type', @found, '3 9 3 9');
GO
DECLARE @found nvarchar(max);
BEGIN TRANSACTION;
EXECUTE Website.RecordDelivery @InvoiceID = 5, @Event = N'{"event": "returned", "at": "2022-01-03T10:00:00", "note": "one \"box\" too many"}';
EXECUTE Website.RecordDelivery @InvoiceID = 5, @Event = N'{"event": "delivered", "at": "2022-01-04T08:15:00", "receivedBy": "N. Nobody"}';
SELECT @found = CONCAT_WS(' | ', (SELECT COUNT(*) FROM OPENJSON(DeliveryEvents, '$.events')), JSON_VALUE(DeliveryEvents, '$.events[2].note'),
                          CONVERT(varchar(19), DeliveredAt, 126), ReceivedBy)
FROM Sales.Invoice WHERE InvoiceID = 5;
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected) VALUES ('Events of a delivery are added', @found, '4 | one "box" too many | 2022-01-04T08:15:00 | N. Nobody');
GO
DECLARE @found nvarchar(max);
BEGIN TRANSACTION;
EXECUTE Application.SetPreference @PersonID = 1, @Path = N'$.table.pageLength', @Value = N'10';
EXECUTE Application.SetPreference @PersonID = 100, @Path = N'$.theme', @Value = N'moss';
SELECT @found = STRING_AGG(COALESCE(JSON_VALUE(UserPreferences, '$.table.pageLength'), UserPreferences), ' ') WITHIN GROUP (ORDER BY PersonID)
FROM Application.Person WHERE PersonID IN (1, 100);
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected) VALUES ('Preferences are set by their path', @found, '10 {"theme":"moss"}');
GO

-- Ledgers and stock.
INSERT INTO #Check (Name, Found, Expected)
SELECT 'What customers owe at the end of 2024: the invoices of the last two weeks', SUM(Amount),
       (SELECT SUM(l.ExtendedPrice) FROM Sales.Invoice AS v JOIN Sales.InvoiceLine AS l ON l.InvoiceID = v.InvoiceID WHERE v.InvoiceDate > '2024-12-18')
FROM Sales.CustomerEntry;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Balances by the function, and in all', SUM(b.Balance), (SELECT SUM(Amount) FROM Sales.CustomerEntry WHERE EntryDate <= '2023-06-30')
FROM Sales.Customer AS c CROSS APPLY Sales.BalanceOf(c.CustomerID, '2023-06-30') AS b;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Invoices that the wrong customer pays', COUNT(*), 0
FROM Sales.CustomerEntry AS e
JOIN Sales.Invoice AS v ON v.InvoiceID = e.InvoiceID
JOIN Sales.Customer AS c ON c.CustomerID = v.CustomerID
WHERE e.CustomerID <> c.BillToCustomerID OR v.BillToCustomerID <> e.CustomerID;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Lines of invoices, as of the orders', CONCAT(COUNT(*), ' ', SUM(ExtendedPrice - TaxAmount)),
       (SELECT CONCAT(COUNT(*), ' ', SUM(l.Amount)) FROM Sales.OrderLine AS l JOIN Sales.[Order] AS o ON o.OrderID = l.OrderID WHERE o.PickedAt IS NOT NULL)
FROM Sales.InvoiceLine;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'What is paid to suppliers, as what was received', SUM(IIF(EntryKindID = 3, Amount, 0)),
       (SELECT SUM(ReceivedQuantity * UnitCost) FROM Purchasing.PurchaseOrderLine)
FROM Purchasing.SupplierEntry;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Holdings, as received less issued', SUM(QuantityOnHand),
       (SELECT SUM(ReceivedQuantity) FROM Purchasing.PurchaseOrderLine) - (SELECT SUM(Quantity) FROM Sales.InvoiceLine)
FROM Warehouse.StockHolding;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Moments at which an item was short', COUNT(*), 0
FROM (SELECT SUM(Quantity) OVER (PARTITION BY StockItemID ORDER BY EntryID ROWS UNBOUNDED PRECEDING) AS stock FROM Warehouse.StockEntry) AS s
WHERE stock < 0;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Orders by territory, of all', SUM(number), (SELECT COUNT(*) FROM Sales.[Order])
FROM (SELECT c.SalesTerritory, COUNT(*) AS number FROM Website.Customers AS c JOIN Sales.[Order] AS o ON o.CustomerID = c.CustomerID
      GROUP BY c.SalesTerritory) AS t;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Prices with deals and discounts', STRING_AGG(Sales.PriceFor(p.customer, 200, p.day), ' ') WITHIN GROUP (ORDER BY p.n),
       (SELECT CONCAT(ROUND(UnitPrice, 2), ' ', CAST(ROUND(UnitPrice * 0.75, 2) AS decimal(18, 2)), ' ', CAST(ROUND(UnitPrice * 0.75, 2) AS decimal(18, 2)))
        FROM Warehouse.StockItem WHERE StockItemID = 200)
FROM (VALUES (1, 12, CAST('2024-12-01' AS date)), (2, 12, '2025-02-01'), (3, 4, '2025-04-01')) AS p (n, customer, day);
GO

-- Temperatures.
DECLARE @noon datetime2(7) = '2024-06-15 12:00', @found varchar(200);
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Cold rooms at a moment', CONCAT(COUNT(*), ' ', SUM(Temperature)),
       (SELECT CONCAT(4, ' ', SUM(CAST(3 + ((166 * 4 + 2) * 7 + value * 3) % 20 / 10.0 AS decimal(10, 2)))) FROM GENERATE_SERIES(1, 4))
FROM Warehouse.ColdRoomReading FOR SYSTEM_TIME AS OF @noon;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Readings of the vans with an open door', COUNT(*), 2 * 2 * 180 FROM Website.VehicleTemperatures WHERE Door = N'open';
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Where a van was last', CONCAT(Latitude, ' ', Longitude), '52.39000 -1.29000'
FROM (SELECT TOP (1) Latitude, Longitude FROM Website.VehicleTemperatures WHERE Registration = N'FH70 AAA' ORDER BY RecordedAt DESC, SensorNumber DESC) AS v;
GO
DECLARE @readings Website.SensorReadingList, @found varchar(200);
INSERT INTO @readings (SensorNumber, RecordedAt, Temperature) VALUES (1, '2025-06-01', 4.5), (4, '2025-06-01', 5.5), (9, '2025-06-01', 6.5);
BEGIN TRANSACTION;
EXECUTE Website.RecordColdRoomReadings @Readings = @readings;
EXECUTE Website.RecordVehicleReading @Reading = N'{"registration": "FH72 CCC", "sensor": 1, "at": "2025-06-01T10:00:00", "temperature": 3.75, "data": {"door": "shut"}}';
SELECT @found = CONCAT((SELECT STRING_AGG(CONCAT(SensorNumber, ':', Temperature), ' ') WITHIN GROUP (ORDER BY SensorNumber)
                        FROM Warehouse.ColdRoomReading WITH (SNAPSHOT) WHERE RecordedAt = '2025-06-01'), ' ',
                       (SELECT CONCAT(Temperature, ' ', SensorData) FROM Warehouse.VehicleReading WITH (SNAPSHOT) WHERE Registration = N'FH72 CCC'));
ROLLBACK TRANSACTION;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Native procedures record readings', CONCAT(@found, ' ', COUNT(*)), '1:4.50 4:5.50 9:6.50 3.75 {"door": "shut"} 4' FROM Warehouse.ColdRoomReading;
GO
DECLARE @order int = NEXT VALUE FOR Sequences.OrderID, @entry bigint = NEXT VALUE FOR Sequences.EntryID;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Sequences are ahead of the rows', COUNT(*), 0
FROM (SELECT OrderID FROM Sales.[Order] WHERE OrderID >= @order UNION ALL SELECT EntryID FROM Warehouse.StockEntry WHERE EntryID >= @entry) AS behind;
GO

SELECT Name, IIF(Found = Expected, 'passed', CONCAT('failed: ', Found, ', not ', Expected)) AS Result FROM #Check ORDER BY CheckID;
GO
