-- Insertion into and deletion from the tables that have no constraints, with the checks that constraints
-- would make. They read what they rely on at the SERIALIZABLE level, so that it still holds at commit.

USE [$(database_name)];
GO

CREATE PROCEDURE Production.usp_InsertProduct_inmem
    @ProductID int OUTPUT,
    @Name nvarchar(50) NOT NULL,
    @ProductNumber nvarchar(25) NOT NULL,
    @SafetyStockLevel smallint NOT NULL,
    @ReorderPoint smallint NOT NULL,
    @StandardCost money NOT NULL,
    @ListPrice money NOT NULL,
    @DaysToManufacture int NOT NULL,
    @SellStartDate datetime2 NOT NULL,
    @MakeFlag bit NOT NULL = 1,
    @FinishedGoodsFlag bit NOT NULL = 1,
    @Color nvarchar(15) = NULL,
    @Size nvarchar(5) = NULL,
    @SizeUnitMeasureCode nchar(3) = NULL,
    @WeightUnitMeasureCode nchar(3) = NULL,
    @Weight decimal(8, 2) = NULL,
    @ProductLine nchar(2) = NULL,
    @Class nchar(2) = NULL,
    @Style nchar(2) = NULL,
    @ProductSubcategoryID int = NULL,
    @ProductModelID int = NULL,
    @SellEndDate datetime2 = NULL,
    @DiscontinuedDate datetime2 = NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH
    (TRANSACTION ISOLATION LEVEL = SERIALIZABLE, LANGUAGE = N'us_english')

    -- What the checks of Production.Product say.
    IF @SafetyStockLevel <= 0 OR @ReorderPoint <= 0
        THROW 50001, N'SafetyStockLevel and ReorderPoint must be positive.', 1;
    IF @StandardCost < 0 OR @ListPrice < 0
        THROW 50002, N'StandardCost and ListPrice must not be negative.', 1;
    IF @Weight <= 0
        THROW 50003, N'Weight must be positive.', 1;
    IF @DaysToManufacture < 0
        THROW 50004, N'DaysToManufacture must not be negative.', 1;
    IF @ProductLine IS NOT NULL AND UPPER(@ProductLine) NOT IN (N'S', N'T', N'M', N'R')
        THROW 50005, N'ProductLine must be S, T, M or R.', 1;
    IF @Class IS NOT NULL AND UPPER(@Class) NOT IN (N'L', N'M', N'H')
        THROW 50006, N'Class must be L, M or H.', 1;
    IF @Style IS NOT NULL AND UPPER(@Style) NOT IN (N'W', N'M', N'U')
        THROW 50007, N'Style must be W, M or U.', 1;
    IF @SellEndDate < @SellStartDate
        THROW 50008, N'SellEndDate must not be before SellStartDate.', 1;

    -- What its unique indexes say.
    IF EXISTS (SELECT ProductID FROM Production.Product_inmem WHERE Name = @Name COLLATE Latin1_General_100_BIN2)
        THROW 50009, N'There is a product of this name.', 1;
    IF EXISTS (SELECT ProductID FROM Production.Product_inmem WHERE ProductNumber = @ProductNumber COLLATE Latin1_General_100_BIN2)
        THROW 50010, N'There is a product of this number.', 1;

    INSERT INTO Production.Product_inmem
        (Name, ProductNumber, MakeFlag, FinishedGoodsFlag, Color, SafetyStockLevel, ReorderPoint,
         StandardCost, ListPrice, Size, SizeUnitMeasureCode, WeightUnitMeasureCode, Weight,
         DaysToManufacture, ProductLine, Class, Style, ProductSubcategoryID, ProductModelID, SellStartDate,
         SellEndDate, DiscontinuedDate, ModifiedDate)
    VALUES
        (@Name, @ProductNumber, @MakeFlag, @FinishedGoodsFlag, @Color, @SafetyStockLevel, @ReorderPoint,
         @StandardCost, @ListPrice, @Size, @SizeUnitMeasureCode, @WeightUnitMeasureCode, @Weight,
         @DaysToManufacture, @ProductLine, @Class, @Style, @ProductSubcategoryID, @ProductModelID,
         @SellStartDate, @SellEndDate, @DiscontinuedDate, SYSDATETIME());

    SET @ProductID = SCOPE_IDENTITY();
END;
GO

CREATE PROCEDURE Production.usp_DeleteProduct_inmem
    @ProductID int NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH
    (TRANSACTION ISOLATION LEVEL = SERIALIZABLE, LANGUAGE = N'us_english')

    IF EXISTS (SELECT SalesOrderID FROM Sales.SalesOrderDetail_inmem WHERE ProductID = @ProductID)
        THROW 50011, N'The product has been sold.', 1;
    IF EXISTS (SELECT ProductID FROM Sales.SpecialOfferProduct_inmem WHERE ProductID = @ProductID)
        THROW 50012, N'The product is part of a special offer.', 1;

    DELETE FROM Production.Product_inmem WHERE ProductID = @ProductID;
END;
GO

CREATE PROCEDURE Sales.usp_InsertSpecialOffer_inmem
    @SpecialOfferID int OUTPUT,
    @Description nvarchar(255) NOT NULL,
    @Type nvarchar(50) NOT NULL,
    @Category nvarchar(50) NOT NULL,
    @StartDate datetime2 NOT NULL,
    @EndDate datetime2 NOT NULL,
    @DiscountPct smallmoney NOT NULL = 0,
    @MinQty int NOT NULL = 0,
    @MaxQty int = NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH
    (TRANSACTION ISOLATION LEVEL = SERIALIZABLE, LANGUAGE = N'us_english')

    -- What the checks of Sales.SpecialOffer say.
    IF @DiscountPct < 0
        THROW 50021, N'DiscountPct must not be negative.', 1;
    IF @MinQty < 0 OR @MaxQty < 0
        THROW 50022, N'MinQty and MaxQty must not be negative.', 1;
    IF @EndDate < @StartDate
        THROW 50023, N'EndDate must not be before StartDate.', 1;

    INSERT INTO Sales.SpecialOffer_inmem
        (Description, DiscountPct, Type, Category, StartDate, EndDate, MinQty, MaxQty, ModifiedDate)
    VALUES
        (@Description, @DiscountPct, @Type, @Category, @StartDate, @EndDate, @MinQty, @MaxQty, SYSDATETIME());

    SET @SpecialOfferID = SCOPE_IDENTITY();
END;
GO

CREATE PROCEDURE Sales.usp_DeleteSpecialOffer_inmem
    @SpecialOfferID int NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH
    (TRANSACTION ISOLATION LEVEL = SERIALIZABLE, LANGUAGE = N'us_english')

    IF EXISTS (SELECT SalesOrderID FROM Sales.SalesOrderDetail_inmem WHERE SpecialOfferID = @SpecialOfferID)
        THROW 50024, N'The special offer has been taken up.', 1;
    IF EXISTS (SELECT ProductID FROM Sales.SpecialOfferProduct_inmem WHERE SpecialOfferID = @SpecialOfferID)
        THROW 50025, N'The special offer has products.', 1;

    DELETE FROM Sales.SpecialOffer_inmem WHERE SpecialOfferID = @SpecialOfferID;
END;
GO

CREATE PROCEDURE Sales.usp_InsertSpecialOfferProduct_inmem
    @SpecialOfferID int NOT NULL,
    @ProductID int NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH
    (TRANSACTION ISOLATION LEVEL = SERIALIZABLE, LANGUAGE = N'us_english')

    IF NOT EXISTS (SELECT SpecialOfferID FROM Sales.SpecialOffer_inmem WHERE SpecialOfferID = @SpecialOfferID)
        THROW 50026, N'There is no such special offer.', 1;
    IF NOT EXISTS (SELECT ProductID FROM Production.Product_inmem WHERE ProductID = @ProductID)
        THROW 50027, N'There is no such product.', 1;

    INSERT INTO Sales.SpecialOfferProduct_inmem (SpecialOfferID, ProductID, ModifiedDate)
    VALUES (@SpecialOfferID, @ProductID, SYSDATETIME());
END;
GO

CREATE PROCEDURE Production.usp_InsertProduct_ondisk
    @ProductID int OUTPUT,
    @Name nvarchar(50),
    @ProductNumber nvarchar(25),
    @SafetyStockLevel smallint,
    @ReorderPoint smallint,
    @StandardCost money,
    @ListPrice money,
    @DaysToManufacture int,
    @SellStartDate datetime2,
    @MakeFlag bit = 1,
    @FinishedGoodsFlag bit = 1,
    @Color nvarchar(15) = NULL,
    @Size nvarchar(5) = NULL,
    @SizeUnitMeasureCode nchar(3) = NULL,
    @WeightUnitMeasureCode nchar(3) = NULL,
    @Weight decimal(8, 2) = NULL,
    @ProductLine nchar(2) = NULL,
    @Class nchar(2) = NULL,
    @Style nchar(2) = NULL,
    @ProductSubcategoryID int = NULL,
    @ProductModelID int = NULL,
    @SellEndDate datetime2 = NULL,
    @DiscontinuedDate datetime2 = NULL
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    BEGIN TRANSACTION;

    -- What the checks of Production.Product say.
    IF @SafetyStockLevel <= 0 OR @ReorderPoint <= 0
        THROW 50001, N'SafetyStockLevel and ReorderPoint must be positive.', 1;
    IF @StandardCost < 0 OR @ListPrice < 0
        THROW 50002, N'StandardCost and ListPrice must not be negative.', 1;
    IF @Weight <= 0
        THROW 50003, N'Weight must be positive.', 1;
    IF @DaysToManufacture < 0
        THROW 50004, N'DaysToManufacture must not be negative.', 1;
    IF @ProductLine IS NOT NULL AND UPPER(@ProductLine) NOT IN (N'S', N'T', N'M', N'R')
        THROW 50005, N'ProductLine must be S, T, M or R.', 1;
    IF @Class IS NOT NULL AND UPPER(@Class) NOT IN (N'L', N'M', N'H')
        THROW 50006, N'Class must be L, M or H.', 1;
    IF @Style IS NOT NULL AND UPPER(@Style) NOT IN (N'W', N'M', N'U')
        THROW 50007, N'Style must be W, M or U.', 1;
    IF @SellEndDate < @SellStartDate
        THROW 50008, N'SellEndDate must not be before SellStartDate.', 1;

    -- What its unique indexes say.
    IF EXISTS (SELECT ProductID FROM Production.Product_ondisk WHERE Name = @Name COLLATE Latin1_General_100_BIN2)
        THROW 50009, N'There is a product of this name.', 1;
    IF EXISTS (SELECT ProductID FROM Production.Product_ondisk WHERE ProductNumber = @ProductNumber COLLATE Latin1_General_100_BIN2)
        THROW 50010, N'There is a product of this number.', 1;

    INSERT INTO Production.Product_ondisk
        (Name, ProductNumber, MakeFlag, FinishedGoodsFlag, Color, SafetyStockLevel, ReorderPoint,
         StandardCost, ListPrice, Size, SizeUnitMeasureCode, WeightUnitMeasureCode, Weight,
         DaysToManufacture, ProductLine, Class, Style, ProductSubcategoryID, ProductModelID, SellStartDate,
         SellEndDate, DiscontinuedDate, ModifiedDate)
    VALUES
        (@Name, @ProductNumber, @MakeFlag, @FinishedGoodsFlag, @Color, @SafetyStockLevel, @ReorderPoint,
         @StandardCost, @ListPrice, @Size, @SizeUnitMeasureCode, @WeightUnitMeasureCode, @Weight,
         @DaysToManufacture, @ProductLine, @Class, @Style, @ProductSubcategoryID, @ProductModelID,
         @SellStartDate, @SellEndDate, @DiscontinuedDate, SYSDATETIME());

    SET @ProductID = SCOPE_IDENTITY();

    COMMIT TRANSACTION;
END;
GO

CREATE PROCEDURE Production.usp_DeleteProduct_ondisk
    @ProductID int
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    BEGIN TRANSACTION;

    IF EXISTS (SELECT SalesOrderID FROM Sales.SalesOrderDetail_ondisk WHERE ProductID = @ProductID)
        THROW 50011, N'The product has been sold.', 1;
    IF EXISTS (SELECT ProductID FROM Sales.SpecialOfferProduct_ondisk WHERE ProductID = @ProductID)
        THROW 50012, N'The product is part of a special offer.', 1;

    DELETE FROM Production.Product_ondisk WHERE ProductID = @ProductID;

    COMMIT TRANSACTION;
END;
GO

CREATE PROCEDURE Sales.usp_InsertSpecialOffer_ondisk
    @SpecialOfferID int OUTPUT,
    @Description nvarchar(255),
    @Type nvarchar(50),
    @Category nvarchar(50),
    @StartDate datetime2,
    @EndDate datetime2,
    @DiscountPct smallmoney = 0,
    @MinQty int = 0,
    @MaxQty int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    BEGIN TRANSACTION;

    -- What the checks of Sales.SpecialOffer say.
    IF @DiscountPct < 0
        THROW 50021, N'DiscountPct must not be negative.', 1;
    IF @MinQty < 0 OR @MaxQty < 0
        THROW 50022, N'MinQty and MaxQty must not be negative.', 1;
    IF @EndDate < @StartDate
        THROW 50023, N'EndDate must not be before StartDate.', 1;

    INSERT INTO Sales.SpecialOffer_ondisk
        (Description, DiscountPct, Type, Category, StartDate, EndDate, MinQty, MaxQty, ModifiedDate)
    VALUES
        (@Description, @DiscountPct, @Type, @Category, @StartDate, @EndDate, @MinQty, @MaxQty, SYSDATETIME());

    SET @SpecialOfferID = SCOPE_IDENTITY();

    COMMIT TRANSACTION;
END;
GO

CREATE PROCEDURE Sales.usp_DeleteSpecialOffer_ondisk
    @SpecialOfferID int
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    BEGIN TRANSACTION;

    IF EXISTS (SELECT SalesOrderID FROM Sales.SalesOrderDetail_ondisk WHERE SpecialOfferID = @SpecialOfferID)
        THROW 50024, N'The special offer has been taken up.', 1;
    IF EXISTS (SELECT ProductID FROM Sales.SpecialOfferProduct_ondisk WHERE SpecialOfferID = @SpecialOfferID)
        THROW 50025, N'The special offer has products.', 1;

    DELETE FROM Sales.SpecialOffer_ondisk WHERE SpecialOfferID = @SpecialOfferID;

    COMMIT TRANSACTION;
END;
GO

CREATE PROCEDURE Sales.usp_InsertSpecialOfferProduct_ondisk
    @SpecialOfferID int,
    @ProductID int
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
    BEGIN TRANSACTION;

    IF NOT EXISTS (SELECT SpecialOfferID FROM Sales.SpecialOffer_ondisk WHERE SpecialOfferID = @SpecialOfferID)
        THROW 50026, N'There is no such special offer.', 1;
    IF NOT EXISTS (SELECT ProductID FROM Production.Product_ondisk WHERE ProductID = @ProductID)
        THROW 50027, N'There is no such product.', 1;

    INSERT INTO Sales.SpecialOfferProduct_ondisk (SpecialOfferID, ProductID, ModifiedDate)
    VALUES (@SpecialOfferID, @ProductID, SYSDATETIME());

    COMMIT TRANSACTION;
END;
GO

