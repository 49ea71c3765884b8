-- Functions, procedures and views; what the web shop uses is in the schema Website.

USE Fernhill;
SET QUOTED_IDENTIFIER ON;
GO

-- What a customer pays for an item on a day: the best of the deals that hold, then the customer's own
-- discount; the price is that of the day.
CREATE FUNCTION Sales.PriceFor (@CustomerID int, @StockItemID int, @Day date)
RETURNS decimal(18, 2)
AS
BEGIN
    DECLARE @moment datetime2(7) = @Day, @price decimal(18, 2), @best decimal(18, 6), @discount decimal(6, 3), @group int;
    SELECT @price = UnitPrice FROM Warehouse.StockItem FOR SYSTEM_TIME AS OF @moment WHERE StockItemID = @StockItemID;
    SELECT @discount = DiscountPercent, @group = BuyingGroupID FROM Sales.Customer WHERE CustomerID = @CustomerID;
    SELECT @best = MIN(CASE WHEN d.DiscountPercent IS NOT NULL THEN @price * (1 - d.DiscountPercent / 100) ELSE @price - d.DiscountAmount END)
    FROM Sales.SpecialDeal AS d
    WHERE @Day BETWEEN d.StartsOn AND d.EndsOn
        AND (d.BuyingGroupID IS NULL OR d.BuyingGroupID = @group)
        AND (d.StockGroupID IS NULL OR EXISTS (SELECT * FROM Warehouse.StockItemGroup AS g
                                               WHERE g.StockItemID = @StockItemID AND g.StockGroupID = d.StockGroupID));
    RETURN ROUND(ISNULL(@best, @price) * (1 - @discount / 100), 2);
END;
GO
-- What a customer owes on a day.
CREATE FUNCTION Sales.BalanceOf (@CustomerID int, @Day date)
RETURNS TABLE
AS
RETURN SELECT ISNULL(SUM(Amount), 0) AS Balance FROM Sales.CustomerEntry WHERE CustomerID = @CustomerID AND EntryDate <= @Day;
GO

-- Towns at most so many metres from a town, itself among them.
CREATE FUNCTION Application.TownsNear (@CityID int, @Metres float)
RETURNS TABLE
AS
RETURN SELECT t.CityID, t.CityName, t.Location.STDistance(c.Location) AS Metres
       FROM Application.City AS c
       JOIN Application.City AS t ON t.Location.STDistance(c.Location) <= @Metres
       WHERE c.CityID = @CityID;
GO

CREATE VIEW Website.Customers AS
SELECT c.CustomerID, c.CustomerName, k.CategoryName, g.GroupName AS BuyingGroup, b.CustomerName AS BillTo, p.FullName AS Contact,
       p.PhoneNumber, p.EmailAddress, t.CityName, r.ProvinceName, r.SalesTerritory, m.MethodName AS DeliveryMethod, c.CreditLimit
FROM Sales.Customer AS c
JOIN Sales.CustomerCategory AS k ON k.CustomerCategoryID = c.CustomerCategoryID
JOIN Sales.Customer AS b ON b.CustomerID = c.BillToCustomerID
JOIN Application.Person AS p ON p.PersonID = c.ContactPersonID
JOIN Application.City AS t ON t.CityID = c.DeliveryCityID
JOIN Application.Province AS r ON r.ProvinceID = t.ProvinceID
JOIN Application.DeliveryMethod AS m ON m.DeliveryMethodID = c.DeliveryMethodID
LEFT JOIN Sales.BuyingGroup AS g ON g.BuyingGroupID = c.BuyingGroupID;
GO
CREATE VIEW Website.Suppliers AS
SELECT s.SupplierID, s.SupplierName, k.CategoryName, p.FullName AS Contact, p.PhoneNumber, t.CityName, s.PaymentDays
FROM Purchasing.Supplier AS s
JOIN Purchasing.SupplierCategory AS k ON k.SupplierCategoryID = s.SupplierCategoryID
JOIN Application.Person AS p ON p.PersonID = s.ContactPersonID
JOIN Application.City AS t ON t.CityID = s.CityID;
GO
CREATE VIEW Website.VehicleTemperatures AS
SELECT VehicleReadingID, Registration, SensorNumber, RecordedAt, Temperature,
       CAST(JSON_VALUE(SensorData, N'$.position.lat') AS decimal(9, 5)) AS Latitude,
       CAST(JSON_VALUE(SensorData, N'$.position.lon') AS decimal(9, 5)) AS Longitude,
       JSON_VALUE(SensorData, N'$.door') AS Door
FROM Warehouse.VehicleReading;
GO
-- An order as the document that Website.PlaceOrders takes.
CREATE VIEW Website.OrderDocuments AS
SELECT o.OrderID, o.CustomerID, o.OrderDate,
       (SELECT o.OrderID AS [order.id], o.CustomerID AS [order.customer], o.CustomerReference AS [order.reference], o.OrderDate AS [order.day],
               p.FullName AS [salesperson.name], p.EmailAddress AS [salesperson.mail],
               (SELECT l.StockItemID AS item, i.ItemName AS name, l.Quantity AS quantity, l.UnitPrice AS price
                FROM Sales.OrderLine AS l JOIN Warehouse.StockItem AS i ON i.StockItemID = l.StockItemID
                WHERE l.OrderID = o.OrderID ORDER BY l.LineNumber FOR JSON PATH) AS lines
        FOR JSON PATH, WITHOUT_ARRAY_WRAPPER) AS Document
FROM Sales.[Order] AS o
JOIN Application.Person AS p ON p.PersonID = o.SalespersonID;
GO
-- What was delivered, event by event.
CREATE VIEW Website.Deliveries AS
SELECT v.InvoiceID, v.CustomerID, e.EventName, e.At, e.Van
FROM Sales.Invoice AS v
CROSS APPLY OPENJSON(v.DeliveryEvents, N'$.events')
    WITH (EventName nvarchar(20) N'$.event', At datetime2(0) N'$.at', Van nvarchar(20) N'$.van') AS e;
GO

CREATE PROCEDURE Website.SearchCustomers @Text nvarchar(100), @Most int AS
BEGIN
    SET NOCOUNT ON;
    SELECT TOP (@Most) CustomerID AS id, CustomerName AS name, CityName AS [address.city], ProvinceName AS [address.province], Contact AS contact
    FROM Website.Customers
    WHERE CustomerName LIKE N'%' + @Text + N'%' OR Contact LIKE N'%' + @Text + N'%'
    ORDER BY CustomerName
    FOR JSON PATH, ROOT(N'customers');
END;
GO

-- Orders as JSON: [{"customer": 1, "reference": …, "lines": [{"item": 7, "quantity": 2}, …]}, …].
-- All of them or none become orders; their numbers come back as a JSON array.
CREATE PROCEDURE Website.PlaceOrders @Orders nvarchar(max), @SalespersonID int, @Day date, @OrderIDs nvarchar(max) OUTPUT AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    IF ISNULL(ISJSON(@Orders), 0) = 0
        THROW 51001, N'The orders are not JSON.', 1;
    DECLARE @new TABLE (Position int PRIMARY KEY, OrderID int NOT NULL, CustomerID int NULL, Reference nvarchar(20) NULL, Lines nvarchar(max) NULL);
    INSERT INTO @new (Position, OrderID, CustomerID, Reference, Lines)
    SELECT CAST(o.[key] AS int), NEXT VALUE FOR Sequences.OrderID, d.customer, d.reference, d.lines
    FROM OPENJSON(@Orders) AS o
    CROSS APPLY OPENJSON(o.value) WITH (customer int, reference nvarchar(20), lines nvarchar(max) AS JSON) AS d;
    IF EXISTS (SELECT * FROM @new AS n WHERE NOT EXISTS (SELECT * FROM Sales.Customer AS c WHERE c.CustomerID = n.CustomerID))
        THROW 51002, N'An order is of no customer.', 1;
    IF EXISTS (SELECT * FROM @new AS n OUTER APPLY OPENJSON(n.Lines) WITH (item int, quantity int) AS l
               WHERE ISNULL(l.quantity, 0) <= 0 OR NOT EXISTS (SELECT * FROM Warehouse.StockItem AS i WHERE i.StockItemID = l.item))
        THROW 51003, N'A line is of no item or of no quantity.', 1;

    BEGIN TRANSACTION;
    INSERT INTO Sales.[Order] (OrderID, CustomerID, SalespersonID, OrderDate, ExpectedOn, CustomerReference)
    SELECT OrderID, CustomerID, @SalespersonID, @Day, DATEADD(day, 1, @Day), Reference FROM @new;
    INSERT INTO Sales.OrderLine (OrderID, LineNumber, StockItemID, Quantity, UnitPrice, TaxRate)
    SELECT n.OrderID, l.[key] + 1, i.StockItemID, d.quantity, Sales.PriceFor(n.CustomerID, i.StockItemID, @Day), i.TaxRate
    FROM @new AS n
    CROSS APPLY OPENJSON(n.Lines) AS l
    CROSS APPLY OPENJSON(l.value) WITH (item int, quantity int) AS d
    JOIN Warehouse.StockItem AS i ON i.StockItemID = d.item;
    COMMIT TRANSACTION;
    SELECT @OrderIDs = N'[' + STRING_AGG(CAST(OrderID AS nvarchar(max)), N',') WITHIN GROUP (ORDER BY Position) + N']' FROM @new;
END;
GO
-- One order, its lines in a memory-optimized table type.
CREATE PROCEDURE Website.PlaceOrder @CustomerID int, @SalespersonID int, @Day date, @Lines Website.OrderLineList READONLY, @OrderID int OUTPUT AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET @OrderID = NEXT VALUE FOR Sequences.OrderID;
    BEGIN TRANSACTION;
    INSERT INTO Sales.[Order] (OrderID, CustomerID, SalespersonID, OrderDate, ExpectedOn)
    VALUES (@OrderID, @CustomerID, @SalespersonID, @Day, DATEADD(day, 1, @Day));
    INSERT INTO Sales.OrderLine (OrderID, LineNumber, StockItemID, Quantity, UnitPrice, TaxRate)
    SELECT @OrderID, l.LineNumber, l.StockItemID, l.Quantity, Sales.PriceFor(@CustomerID, l.StockItemID, @Day), i.TaxRate
    FROM @Lines AS l
    JOIN Warehouse.StockItem AS i ON i.StockItemID = l.StockItemID;
    COMMIT TRANSACTION;
END;
GO
-- Picks orders (a JSON array of their numbers) and bills them: invoice, ledger and stock.
CREATE PROCEDURE Website.InvoiceOrders @OrderIDs nvarchar(max), @Day date AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    DECLARE @bill TABLE (OrderID int PRIMARY KEY, InvoiceID int NOT NULL);
    INSERT INTO @bill (OrderID, InvoiceID)
    SELECT CAST(j.value AS int), NEXT VALUE FOR Sequences.InvoiceID FROM OPENJSON(@OrderIDs) AS j;
    IF EXISTS (SELECT * FROM @bill AS b LEFT JOIN Sales.[Order] AS o ON o.OrderID = b.OrderID WHERE o.OrderID IS NULL OR o.PickedAt IS NOT NULL)
        THROW 51004, N'An order is not there, or already picked.', 1;
    BEGIN TRANSACTION;
    UPDATE o SET PickedAt = @Day FROM Sales.[Order] AS o JOIN @bill AS b ON b.OrderID = o.OrderID;
    INSERT INTO Sales.Invoice (InvoiceID, OrderID, CustomerID, BillToCustomerID, InvoiceDate, DeliveryEvents)
    SELECT b.InvoiceID, o.OrderID, o.CustomerID, c.BillToCustomerID, @Day, N'{"events": []}'
    FROM @bill AS b
    JOIN Sales.[Order] AS o ON o.OrderID = b.OrderID
    JOIN Sales.Customer AS c ON c.CustomerID = o.CustomerID;
    INSERT INTO Sales.InvoiceLine (InvoiceID, LineNumber, StockItemID, Quantity, UnitPrice, TaxAmount, ExtendedPrice)
    SELECT b.InvoiceID, l.LineNumber, l.StockItemID, l.Quantity, l.UnitPrice, ROUND(l.Amount * l.TaxRate / 100, 2),
           l.Amount + ROUND(l.Amount * l.TaxRate / 100, 2)
    FROM @bill AS b JOIN Sales.OrderLine AS l ON l.OrderID = b.OrderID;
    INSERT INTO Sales.CustomerEntry (CustomerID, EntryKindID, InvoiceID, EntryDate, Amount)
    SELECT v.BillToCustomerID, 1, v.InvoiceID, @Day, t.Total
    FROM @bill AS b
    JOIN Sales.Invoice AS v ON v.InvoiceID = b.InvoiceID
    JOIN (SELECT InvoiceID, SUM(ExtendedPrice) AS Total FROM Sales.InvoiceLine GROUP BY InvoiceID) AS t ON t.InvoiceID = b.InvoiceID;
    INSERT INTO Warehouse.StockEntry (StockItemID, EntryKindID, InvoiceID, EntryDate, Quantity)
    SELECT l.StockItemID, 5, l.InvoiceID, @Day, -l.Quantity FROM @bill AS b JOIN Sales.InvoiceLine AS l ON l.InvoiceID = b.InvoiceID;
    UPDATE h SET QuantityOnHand -= s.Quantity
    FROM Warehouse.StockHolding AS h
    JOIN (SELECT l.StockItemID, SUM(l.Quantity) AS Quantity
          FROM @bill AS b JOIN Sales.InvoiceLine AS l ON l.InvoiceID = b.InvoiceID
          GROUP BY l.StockItemID) AS s ON s.StockItemID = h.StockItemID;
    COMMIT TRANSACTION;
END;
GO
-- Adds an event to a delivery; the last one names the person that took it.
CREATE PROCEDURE Website.RecordDelivery @InvoiceID int, @Event nvarchar(max) AS
BEGIN
    SET NOCOUNT ON;
    UPDATE Sales.Invoice
    SET DeliveryEvents = CASE WHEN JSON_VALUE(@Event, N'$.event') = N'delivered'
                              THEN JSON_MODIFY(JSON_MODIFY(JSON_MODIFY(DeliveryEvents, N'append $.events', JSON_QUERY(@Event)),
                                                           N'$.deliveredAt', JSON_VALUE(@Event, N'$.at')),
                                               N'$.receivedBy', JSON_VALUE(@Event, N'$.receivedBy'))
                              ELSE JSON_MODIFY(DeliveryEvents, N'append $.events', JSON_QUERY(@Event)) END
    WHERE InvoiceID = @InvoiceID;
END;
GO
CREATE PROCEDURE Application.SetPreference @PersonID int, @Path nvarchar(100), @Value nvarchar(100) AS
BEGIN
    SET NOCOUNT ON;
    UPDATE Application.Person SET UserPreferences = JSON_MODIFY(ISNULL(UserPreferences, N'{}'), @Path, @Value) WHERE PersonID = @PersonID;
END;
GO

-- Natively compiled: readings of the cold rooms, one of a vehicle that comes as JSON, and the sums of
-- a list of lines.
CREATE PROCEDURE Website.RecordColdRoomReadings @Readings Website.SensorReadingList READONLY
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'English')
    DECLARE @sensor int = 0, @at datetime2(0), @temperature decimal(10, 2), @left bit = 1;
    WHILE @left = 1
    BEGIN
        DECLARE @next int = NULL;
        SELECT @next = MIN(SensorNumber) FROM @Readings WHERE SensorNumber > @sensor;
        IF @next IS NULL
            SET @left = 0;
        ELSE
        BEGIN
            SET @sensor = @next;
            SELECT @at = RecordedAt, @temperature = Temperature FROM @Readings WHERE SensorNumber = @sensor;
            UPDATE Warehouse.ColdRoomReading SET RecordedAt = @at, Temperature = @temperature WHERE SensorNumber = @sensor;
            IF @@ROWCOUNT = 0
                INSERT INTO Warehouse.ColdRoomReading (SensorNumber, RecordedAt, Temperature) VALUES (@sensor, @at, @temperature);
        END;
    END;
END;
GO
CREATE PROCEDURE Website.RecordVehicleReading @Reading nvarchar(1000)
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'English')
    INSERT INTO Warehouse.VehicleReading (Registration, SensorNumber, RecordedAt, Temperature, SensorData)
    VALUES (JSON_VALUE(@Reading, N'$.registration'), CAST(JSON_VALUE(@Reading, N'$.sensor') AS int),
            CAST(JSON_VALUE(@Reading, N'$.at') AS datetime2(0)), CAST(JSON_VALUE(@Reading, N'$.temperature') AS decimal(10, 2)),
            JSON_QUERY(@Reading, N'$.data'));
END;
GO
CREATE PROCEDURE Website.SumLines @Lines Website.OrderLineList READONLY, @Count int OUTPUT, @Quantity int OUTPUT
WITH NATIVE_COMPILATION, SCHEMABINDING
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'English')
    SELECT @Count = COUNT(*), @Quantity = SUM(Quantity) FROM @Lines;
END;
GO
