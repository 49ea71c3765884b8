-- Products: schema Production, with the vendors that parts come from.
--
-- Products 1 to 120 are raw parts that vendors sell, 121 to 210 parts made of them, the others what
-- the company sells: variants of 111 models, three in each subcategory. A bill of materials only
-- ever leads down this list: from bikes to components, to made parts, to raw parts.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO
SET NOCOUNT ON;

INSERT INTO Production.UnitMeasure (UnitMeasureCode, Name)
VALUES ('BOX', 'Boxes'), ('BTL', 'Bottle'), ('CM', 'Centimeter'), ('CTN', 'Carton'), ('DZ', 'Dozen'), ('EA', 'Each'),
       ('G', 'Gram'), ('IN', 'Inch'), ('KG', 'Kilogram'), ('L', 'Liter'), ('LB', 'US pound'), ('M', 'Meter'),
       ('MM', 'Millimeter'), ('OZ', 'Ounces'), ('PAK', 'Pack'), ('PC', 'Piece');
INSERT INTO Production.Culture (CultureID, Name)
VALUES ('', 'Invariant Language'), ('de', 'German'), ('en', 'English'), ('es', 'Spanish'), ('fr', 'French'), ('it', 'Italian');
INSERT INTO Production.ProductCategory (Name) VALUES ('Bikes'), ('Components'), ('Clothing'), ('Accessories');
INSERT INTO Production.ScrapReason (Name)
VALUES ('Brake assembly not as ordered'), ('Color incorrect'), ('Drill pattern incorrect'), ('Drill size too large'),
       ('Drill size too small'), ('Gouge in metal'), ('Handling damage'), ('Paint process failed'), ('Primer process failed'),
       ('Seat assembly not as ordered'), ('Stress test failed'), ('Thermoform temperature too high'),
       ('Thermoform temperature too low'), ('Trim length too long'), ('Trim length too short'), ('Wheel misaligned');
SET IDENTITY_INSERT Production.Location ON;
INSERT INTO Production.Location (LocationID, Name, CostRate, Availability)
VALUES (1, 'Tool Crib', 0, 0), (2, 'Sheet Metal Racks', 0, 0), (3, 'Paint Shop', 0, 0), (4, 'Paint Storage', 0, 0),
       (5, 'Metal Storage', 0, 0), (6, 'Miscellaneous Storage', 0, 0), (7, 'Finished Goods Storage', 0, 0),
       (10, 'Frame Forming', 22.5, 96), (20, 'Frame Welding', 25, 108), (30, 'Debur and Polish', 14.5, 120),
       (40, 'Paint', 15.75, 120), (45, 'Specialized Paint', 18, 80), (50, 'Subassembly', 12.25, 120),
       (60, 'Final Assembly', 12.25, 120);
SET IDENTITY_INSERT Production.Location OFF;

-- A subcategory, one of its products in singular, its category, its lowest price.
CREATE TABLE #Kind (KindID int IDENTITY(1, 1) PRIMARY KEY, Name nvarchar(50), One nvarchar(50), Category int, Price money);
INSERT INTO #Kind (Name, One, Category, Price)
VALUES ('Mountain Bikes', 'Mountain Bike', 1, 539.99), ('Road Bikes', 'Road Bike', 1, 782.99), ('Touring Bikes', 'Touring Bike', 1, 742.35),
       ('Handlebars', 'Handlebar', 2, 44.54), ('Bottom Brackets', 'Bottom Bracket', 2, 53.99), ('Brakes', 'Brake Set', 2, 106.5),
       ('Chains', 'Chain', 2, 20.24), ('Cranksets', 'Crankset', 2, 175.49), ('Derailleurs', 'Derailleur', 2, 91.49),
       ('Forks', 'Fork', 2, 148.22), ('Headsets', 'Headset', 2, 34.2), ('Mountain Frames', 'Mountain Frame', 2, 249.79),
       ('Pedals', 'Pedal Pair', 2, 40.49), ('Road Frames', 'Road Frame', 2, 337.22), ('Saddles', 'Saddle', 2, 27.12),
       ('Touring Frames', 'Touring Frame', 2, 333.42), ('Wheels', 'Wheel', 2, 60.74), ('Bib-Shorts', 'Bib-Shorts', 3, 89.99),
       ('Caps', 'Cap', 3, 8.99), ('Gloves', 'Gloves', 3, 24.49), ('Jerseys', 'Jersey', 3, 49.99), ('Shorts', 'Shorts', 3, 59.99),
       ('Socks', 'Socks', 3, 8.99), ('Tights', 'Tights', 3, 74.99), ('Vests', 'Vest', 3, 63.5), ('Bike Racks', 'Bike Rack', 4, 120),
       ('Bike Stands', 'Bike Stand', 4, 159), ('Bottles and Cages', 'Bottle Cage', 4, 4.99), ('Cleaners', 'Chain Cleaner', 4, 7.95),
       ('Fenders', 'Fender Set', 4, 21.98), ('Helmets', 'Helmet', 4, 34.99), ('Hydration Packs', 'Hydration Pack', 4, 54.99),
       ('Lights', 'Front Light', 4, 13.99), ('Locks', 'Cable Lock', 4, 25), ('Panniers', 'Pannier', 4, 125), ('Pumps', 'Minipump', 4, 19.99),
       ('Tires and Tubes', 'Tire Tube', 4, 3.99);
INSERT INTO Production.ProductSubcategory (ProductCategoryID, Name) SELECT Category, Name FROM #Kind ORDER BY KindID;

-- Illustrations and photos, for the documents below.
INSERT INTO Production.Illustration (Diagram)
SELECT CONCAT('<svg width="', 100 + value, '" height="', 50 + value, '"><circle r="', value, '"/></svg>') FROM GENERATE_SERIES(1, 9);
INSERT INTO Production.ProductPhoto (ThumbNailPhoto, ThumbnailPhotoFileName, LargePhoto, LargePhotoFileName)
SELECT HASHBYTES('MD5', CONCAT('thumb', value)), CONCAT('photo', value, '_small.gif'),
       CAST(REPLICATE(CAST(CAST(HASHBYTES('SHA2_256', CONCAT('large', value)) AS char(32)) AS varchar(max)), 32) AS varbinary(max)),
       CONCAT('photo', value, '_large.gif')
FROM GENERATE_SERIES(1, 111);

-- Models: a catalog page for the first of each subcategory, instructions for bikes and frames.
WITH models AS
(
    SELECT (KindID - 1) * 3 + m.value AS id, m.value AS line, k.*
    FROM #Kind AS k CROSS JOIN GENERATE_SERIES(1, 3) AS m
)
INSERT INTO Production.ProductModel (Name, CatalogDescription, Instructions)
SELECT CONCAT(CHOOSE(line, N'Ridge ', N'Harbor ', N'Sprint '), One),
       CASE WHEN line = 1 THEN CONCAT(
           N'<p1:ProductDescription xmlns:p1="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelDescription"',
           N' xmlns:wm="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelWarrAndMain"',
           N' xmlns:wf="http://www.adventure-works.com/schemas/OtherFeatures" xmlns:html="http://www.w3.org/1999/xhtml"',
           N' ProductModelID="', id, N'" ProductModelName="Ridge ', One, N'"><p1:Summary><html:p>The ', LOWER(One),
           N' for long days outside.</html:p></p1:Summary><p1:Manufacturer><p1:Name>AdventureWorks</p1:Name>',
           N'<p1:Copyright>2022</p1:Copyright><p1:ProductURL>http://www.adventure-works.example/', id,
           N'</p1:ProductURL></p1:Manufacturer><p1:Features>It is built to last. <wm:Warranty><wm:WarrantyPeriod>', 1 + KindID % 5,
           N' years</wm:WarrantyPeriod><wm:Description>parts and labor</wm:Description></wm:Warranty><wm:Maintenance><wm:NoOfYears>',
           5 + KindID % 6, N' years</wm:NoOfYears><wm:Description>in every shop of a dealer</wm:Description></wm:Maintenance>',
           N'<wf:wheel>light and strong</wf:wheel><wf:saddle>made for long rides</wf:saddle></p1:Features><p1:Picture><p1:Angle>',
           CHOOSE(KindID % 3 + 1, N'front', N'side', N'back'), N'</p1:Angle><p1:Size>', IIF(KindID % 2 = 0, N'small', N'large'),
           N'</p1:Size><p1:ProductPhotoID>', id, N'</p1:ProductPhotoID></p1:Picture><p1:Specifications>It comes so: <Material>',
           CHOOSE(KindID % 3 + 1, N'Steel', N'Aluminum', N'Carbon'), N'</Material><Color>Several</Color><ProductLine>Ridge line</ProductLine>',
           N'<Style>Unisex</Style><RiderExperience>', CHOOSE(KindID % 3 + 1, N'Novice', N'Intermediate', N'Expert'),
           N'</RiderExperience></p1:Specifications></p1:ProductDescription>') END,
       CASE WHEN Category = 1 OR KindID IN (12, 14, 16) THEN CONCAT(
           N'<root xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ProductModelManuInstructions">How to make it.',
           (SELECT STRING_AGG(station.Text, N'') WITHIN GROUP (ORDER BY station.n)
            FROM (SELECT l.value AS n, CONCAT(N'<Location LaborHours="', 1 + (id + l.value) % 4, N'.5" LotSize="', 10 * (1 + l.value % 3),
                                     N'" MachineHours="', l.value, N'" SetupHours="0.', 10 + id % 15, N'" LocationID="',
                                     CHOOSE(l.value, 10, 20, 50), N'">Station ', l.value,
                                     N'.<step>Fetch <material>part ', 121 + (id * 5 + l.value) % 90, N'</material> with the <tool>lift ',
                                     l.value, N'</tool>.</step><step>Check it against <blueprint>drawing ', id, N'</blueprint>.</step></Location>') AS Text
                  FROM GENERATE_SERIES(1, 3) AS l) AS station), N'</root>') END
FROM models
ORDER BY id;
INSERT INTO Production.ProductModelIllustration (ProductModelID, IllustrationID)
SELECT ProductModelID, ProductModelID % 9 + 1 FROM Production.ProductModel WHERE Instructions IS NOT NULL;
INSERT INTO Production.ProductDescription (Description)
SELECT CONCAT(CHOOSE(c.value, N'Made for ', N'Fait pour ', N'Gemacht für '), m.Name, N' ', m.ProductModelID)
FROM Production.ProductModel AS m CROSS JOIN GENERATE_SERIES(1, 3) AS c
ORDER BY m.ProductModelID, c.value;
INSERT INTO Production.ProductModelProductDescriptionCulture (ProductModelID, ProductDescriptionID, CultureID)
SELECT (ProductDescriptionID - 1) / 3 + 1, ProductDescriptionID, CHOOSE((ProductDescriptionID - 1) % 3 + 1, 'en', 'fr', 'de')
FROM Production.ProductDescription;
GO

SET IDENTITY_INSERT Production.Product ON;
INSERT INTO Production.Product
    (ProductID, Name, ProductNumber, MakeFlag, FinishedGoodsFlag, SafetyStockLevel, ReorderPoint, StandardCost, ListPrice,
     DaysToManufacture, SellStartDate)
SELECT value,
       CONCAT(CHOOSE(value % 10 + 1, N'Ball', N'Bolt', N'Cable', N'Cup', N'Lug', N'Nut', N'Rod', N'Spacer', N'Tube', N'Washer'),
              IIF(value <= 120, N' ', N' Assembly '), value),
       CONCAT(IIF(value <= 120, 'RP-', 'MP-'), FORMAT(value * 37 % 10000, '0000')),
       IIF(value <= 120, 0, 1), 0, 1000, 750, IIF(value <= 120, 0, 12.5 + value % 7), 0, IIF(value <= 120, 0, 1), '2021-01-01'
FROM GENERATE_SERIES(1, 210);

-- Bikes come in five sizes and two colors, components in two colors, clothing in four sizes,
-- accessories in one kind.
WITH variants AS
(
    SELECT 210 + ROW_NUMBER() OVER (ORDER BY k.KindID, line.value, v.value) AS id, k.*, line.value AS line, v.value AS variant,
           (k.KindID - 1) * 3 + line.value AS model
    FROM #Kind AS k
    CROSS JOIN GENERATE_SERIES(1, 3) AS line
    JOIN GENERATE_SERIES(1, 10) AS v ON v.value <= CHOOSE(k.Category, 10, 2, 4, 1)
)
INSERT INTO Production.Product
    (ProductID, Name, ProductNumber, MakeFlag, FinishedGoodsFlag, Color, SafetyStockLevel, ReorderPoint, StandardCost, ListPrice,
     Size, SizeUnitMeasureCode, WeightUnitMeasureCode, Weight, DaysToManufacture, ProductLine, Class, Style,
     ProductSubcategoryID, ProductModelID, SellStartDate, SellEndDate)
SELECT id,
       CONCAT(CHOOSE(line, N'Ridge ', N'Harbor ', N'Sprint '), One,
              CASE Category WHEN 1 THEN CONCAT(N' ', IIF(variant <= 5, N'Red', N'Black'), N', ', 38 + variant % 5 * 4)
                            WHEN 2 THEN IIF(variant = 1, N' Silver', N' Black')
                            WHEN 3 THEN CONCAT(N', ', CHOOSE(variant, N'S', N'M', N'L', N'XL')) END),
       CONCAT(CHOOSE(Category, 'BK-', 'CO-', 'CL-', 'AC-'), FORMAT(id, '0000'), CHOOSE(line, '-R', '-H', '-S')),
       IIF(Category <= 2, 1, 0), 1,
       CASE Category WHEN 1 THEN IIF(variant <= 5, N'Red', N'Black') WHEN 2 THEN IIF(variant = 1, N'Silver', N'Black')
                     WHEN 3 THEN CHOOSE(id % 3 + 1, N'Blue', N'Yellow', N'Black') END,
       CHOOSE(Category, 100, 500, 4, 4), CHOOSE(Category, 75, 375, 3, 3),
       ROUND(Price * (2 + line) / 3 * 0.6, 2), ROUND(Price * (2 + line) / 3, 2),
       CASE Category WHEN 1 THEN CAST(38 + variant % 5 * 4 AS nvarchar(5)) WHEN 3 THEN CHOOSE(variant, N'S', N'M', N'L', N'XL') END,
       CASE Category WHEN 1 THEN 'CM' END, CASE Category WHEN 1 THEN 'LB' WHEN 2 THEN 'G' END,
       CASE Category WHEN 1 THEN 20 + variant % 5 WHEN 2 THEN 150 + KindID * 10 END,
       CHOOSE(Category, 4, 1, 0, 0), CASE WHEN Category = 1 THEN CHOOSE(KindID, 'M', 'R', 'T') WHEN Category > 2 THEN 'S' END,
       CASE WHEN Category <= 2 THEN CHOOSE(line, 'L', 'M', 'H') END, CASE WHEN Category IN (1, 3) THEN 'U' END,
       KindID, model, DATEADD(year, line % 2, '2021-05-31'), CASE WHEN id % 40 = 0 THEN '2024-05-29' END
FROM variants;
SET IDENTITY_INSERT Production.Product OFF;

-- The cost and price of today, and before those of last year.
INSERT INTO Production.ProductCostHistory (ProductID, StartDate, EndDate, StandardCost)
SELECT ProductID, SellStartDate, IIF(ProductID % 2 = 0, DATEADD(day, 364, SellStartDate), SellEndDate),
       ROUND(StandardCost * IIF(ProductID % 2 = 0, 0.95, 1), 2)
FROM Production.Product WHERE ProductID > 120
UNION ALL
SELECT ProductID, DATEADD(day, 365, SellStartDate), SellEndDate, StandardCost
FROM Production.Product WHERE ProductID > 120 AND ProductID % 2 = 0;
INSERT INTO Production.ProductListPriceHistory (ProductID, StartDate, EndDate, ListPrice)
SELECT ProductID, SellStartDate, IIF(ProductID % 2 = 0, DATEADD(day, 364, SellStartDate), SellEndDate),
       ROUND(ListPrice * IIF(ProductID % 2 = 0, 0.95, 1), 2)
FROM Production.Product WHERE ProductID > 210
UNION ALL
SELECT ProductID, DATEADD(day, 365, SellStartDate), SellEndDate, ListPrice
FROM Production.Product WHERE ProductID > 210 AND ProductID % 2 = 0;

INSERT INTO Production.ProductInventory (ProductID, LocationID, Shelf, Bin, Quantity)
SELECT ProductID, place.LocationID, CASE WHEN place.LocationID = 7 THEN 'N/A' ELSE CHAR(65 + ProductID % 26) END,
       ProductID % 100, 100 + ProductID * place.LocationID % 500
FROM Production.Product
JOIN (VALUES (1, 0), (5, 0), (6, 0), (7, 1), (60, 1)) AS place (LocationID, Finished) ON Finished = FinishedGoodsFlag;
INSERT INTO Production.ProductProductPhoto (ProductID, ProductPhotoID, [Primary])
SELECT ProductID, ISNULL(ProductModelID, ProductID % 111 + 1), 1 FROM Production.Product;
INSERT INTO Production.ProductReview (ProductID, ReviewerName, ReviewDate, EmailAddress, Rating, Comments)
SELECT 211 + value * 17 % 306, CONCAT(N'Rider ', value), DATEADD(day, value * 3, '2022-06-01'),
       CONCAT(N'rider', value, N'@example.com'), 1 + value % 5,
       CHOOSE(value % 5 + 1, N'It broke on the first ride.', N'Not what I had hoped for.', N'It does what it should.',
              N'Good value for the price.', N'I would buy it again at once.')
FROM GENERATE_SERIES(1, 200);

-- Bills of materials.
WITH part AS
(
    SELECT ProductID, ProductSubcategoryID AS kind, (ProductModelID - 1) % 3 AS line,
           ROW_NUMBER() OVER (PARTITION BY ProductModelID ORDER BY ProductID) AS variant
    FROM Production.Product WHERE ProductModelID IS NOT NULL
),
bill AS
(
    SELECT NULL AS assembly, ProductID AS component, 0 AS level, 1 AS qty
    FROM part WHERE kind <= 3
    UNION ALL
    SELECT bike.ProductID, component.ProductID, 1, IIF(component.kind = 17, 2, 1)
    FROM part AS bike
    JOIN part AS component ON component.line = bike.line AND component.variant = IIF(bike.variant <= 5, 1, 2)
    WHERE bike.kind <= 3 AND (component.kind BETWEEN 4 AND 17 AND component.kind NOT IN (12, 14, 16)
                              OR component.kind = 10 + bike.kind * 2)
    UNION ALL
    SELECT ProductID, (ProductID * 7 + j.value * 31) % 90 + 121, 2, 1 + j.value
    FROM part CROSS JOIN GENERATE_SERIES(0, 2) AS j
    WHERE kind BETWEEN 4 AND 17
    UNION ALL
    SELECT made.value, (made.value * 11 + j.value * 37) % 120 + 1, 3, 2 + j.value * 3
    FROM GENERATE_SERIES(121, 210) AS made CROSS JOIN GENERATE_SERIES(0, 2) AS j
)
INSERT INTO Production.BillOfMaterials (ProductAssemblyID, ComponentID, StartDate, UnitMeasureCode, BOMLevel, PerAssemblyQty)
SELECT assembly, component, '2021-01-01', 'EA', level, qty
FROM bill
ORDER BY level, assembly, component;
GO

-- Documents: four folders with five files each; every file belongs to some models' bikes.
INSERT INTO Production.Document
    (DocumentNode, Title, Owner, FolderFlag, FileName, FileExtension, Revision, ChangeNumber, Status, DocumentSummary, Document)
SELECT hierarchyid::GetRoot(), N'Documents', 1, 1, N'Documents', N'', N'0', 0, 2, NULL, NULL
UNION ALL
SELECT CAST(CONCAT('/', folder.value, '/') AS hierarchyid), CHOOSE(folder.value, N'Overview', N'Maintenance', N'Assembly', N'Safety'), 8 + folder.value,
       1, CHOOSE(folder.value, N'Overview', N'Maintenance', N'Assembly', N'Safety'), N'', N'0', 0, 2, NULL, NULL
FROM GENERATE_SERIES(1, 4) AS folder
UNION ALL
SELECT CAST(CONCAT('/', folder.value, '/', file_no.value, '/') AS hierarchyid),
       CONCAT(CHOOSE(folder.value, N'Overview', N'Maintenance', N'Assembly', N'Safety'), N' Guide ', file_no.value), 8 + folder.value, 0,
       CONCAT(N'guide', folder.value, N'-', file_no.value, N'.txt'), N'.txt', CAST(file_no.value - 1 AS nchar(5)),
       file_no.value * 10, 1 + file_no.value % 3, CONCAT(N'What a mechanic should know, part ', file_no.value, N'.'),
       CAST(CONCAT('Guide ', folder.value, '.', file_no.value) AS varbinary(max))
FROM GENERATE_SERIES(1, 4) AS folder CROSS JOIN GENERATE_SERIES(1, 5) AS file_no;
INSERT INTO Production.ProductDocument (ProductID, DocumentNode)
SELECT ProductID, CAST(CONCAT('/', folder.value, '/', ProductModelID % 5 + 1, '/') AS hierarchyid)
FROM Production.Product CROSS JOIN GENERATE_SERIES(1, 4) AS folder
WHERE ProductSubcategoryID <= 3;

-- Vendors and what they sell: every raw part has two, clothing and accessories one.
INSERT INTO Purchasing.Vendor (BusinessEntityID, AccountNumber, Name, CreditRating, PreferredVendorStatus, ActiveFlag)
SELECT value, CONCAT(N'VENDOR', value),
       CONCAT(CHOOSE(value % 8 + 1, N'Alpine', N'Baltic', N'Coastal', N'Delta', N'Eastern', N'Frontier', N'Grand', N'Harbor'),
              CHOOSE(value % 5 + 1, N' Metals ', N' Plastics ', N' Cycles ', N' Textiles ', N' Tools '), value),
       1 + value % 5, IIF(value % 10 = 0, 0, 1), IIF(value % 25 = 0, 0, 1)
FROM GENERATE_SERIES(1101, 1200);
INSERT INTO Purchasing.ProductVendor
    (ProductID, BusinessEntityID, AverageLeadTime, StandardPrice, LastReceiptCost, LastReceiptDate, MinOrderQty, MaxOrderQty,
     OnOrderQty, UnitMeasureCode)
SELECT p.ProductID, 1101 + (p.ProductID * 3 + second.value * 50) % 100, 10 + p.ProductID % 20,
       IIF(p.ProductID <= 120, 1.5 + p.ProductID % 40, p.StandardCost),
       IIF(p.ProductID <= 120, 1.5 + p.ProductID % 40, p.StandardCost) * 1.05, '2024-11-30', 1, 1000,
       CASE WHEN p.ProductID % 4 = 0 THEN p.ProductID END, IIF(p.ProductID % 3 = 0, 'CTN', 'EA')
FROM Production.Product AS p
JOIN GENERATE_SERIES(0, 1) AS second ON second.value = 0 OR p.ProductID <= 120
WHERE p.MakeFlag = 0;
GO
