-- Memory-optimized tables and natively compiled procedures. A bucket for each customer suffices: there are as many
-- criteria, and 10,000 for each unit of the scale.

:setvar database_name "OrderProcessing"
:setvar customer_buckets "16384"

USE [$(database_name)];
GO

CREATE TABLE dbo.Customer
(
    C_ID int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = $(customer_buckets)),
    C_Name varchar(100) NOT NULL,
    C_Address varchar(200) NOT NULL,
    C_City varchar(50) NOT NULL,
    C_Created datetime2 NOT NULL
) WITH (MEMORY_OPTIMIZED = ON);

CREATE TABLE dbo.Products
(
    PR_ID int NOT NULL PRIMARY KEY NONCLUSTERED,
    PR_Name varchar(100) NOT NULL,
    PR_Type int NOT NULL,
    PR_Desc varchar(1000) NOT NULL,
    PR_Price money NOT NULL,
    PR_Float001 float NOT NULL, PR_Float002 float NOT NULL, PR_Float003 float NOT NULL, PR_Float004 float NOT NULL,
    PR_Float005 float NOT NULL, PR_Float006 float NOT NULL, PR_Float007 float NOT NULL, PR_Float008 float NOT NULL,
    PR_Float009 float NOT NULL, PR_Float010 float NOT NULL, PR_Float011 float NOT NULL, PR_Float012 float NOT NULL,
    PR_Float013 float NOT NULL, PR_Float014 float NOT NULL, PR_Float015 float NOT NULL, PR_Float016 float NOT NULL,
    PR_Float017 float NOT NULL, PR_Float018 float NOT NULL, PR_Float019 float NOT NULL, PR_Float020 float NOT NULL,
    PR_Float021 float NOT NULL, PR_Float022 float NOT NULL, PR_Float023 float NOT NULL, PR_Float024 float NOT NULL,
    PR_Float025 float NOT NULL, PR_Float026 float NOT NULL, PR_Float027 float NOT NULL, PR_Float028 float NOT NULL,
    PR_Float029 float NOT NULL, PR_Float030 float NOT NULL, PR_Float031 float NOT NULL, PR_Float032 float NOT NULL,
    PR_Float033 float NOT NULL, PR_Float034 float NOT NULL, PR_Float035 float NOT NULL, PR_Float036 float NOT NULL,
    PR_Float037 float NOT NULL, PR_Float038 float NOT NULL, PR_Float039 float NOT NULL, PR_Float040 float NOT NULL,
    PR_Float041 float NOT NULL, PR_Float042 float NOT NULL, PR_Float043 float NOT NULL, PR_Float044 float NOT NULL,
    PR_Float045 float NOT NULL, PR_Float046 float NOT NULL, PR_Float047 float NOT NULL, PR_Float048 float NOT NULL,
    PR_Float049 float NOT NULL, PR_Float050 float NOT NULL, PR_Float051 float NOT NULL, PR_Float052 float NOT NULL,
    PR_Float053 float NOT NULL, PR_Float054 float NOT NULL, PR_Float055 float NOT NULL, PR_Float056 float NOT NULL,
    PR_Float057 float NOT NULL, PR_Float058 float NOT NULL, PR_Float059 float NOT NULL, PR_Float060 float NOT NULL,
    PR_Float061 float NOT NULL, PR_Float062 float NOT NULL, PR_Float063 float NOT NULL, PR_Float064 float NOT NULL,
    PR_Float065 float NOT NULL, PR_Float066 float NOT NULL, PR_Float067 float NOT NULL, PR_Float068 float NOT NULL,
    PR_Float069 float NOT NULL, PR_Float070 float NOT NULL, PR_Float071 float NOT NULL, PR_Float072 float NOT NULL,
    PR_Float073 float NOT NULL, PR_Float074 float NOT NULL, PR_Float075 float NOT NULL, PR_Float076 float NOT NULL,
    PR_Float077 float NOT NULL, PR_Float078 float NOT NULL, PR_Float079 float NOT NULL, PR_Float080 float NOT NULL,
    PR_Float081 float NOT NULL, PR_Float082 float NOT NULL, PR_Float083 float NOT NULL, PR_Float084 float NOT NULL,
    PR_Float085 float NOT NULL, PR_Float086 float NOT NULL, PR_Float087 float NOT NULL, PR_Float088 float NOT NULL,
    PR_Float089 float NOT NULL, PR_Float090 float NOT NULL, PR_Float091 float NOT NULL, PR_Float092 float NOT NULL,
    PR_Float093 float NOT NULL, PR_Float094 float NOT NULL, PR_Float095 float NOT NULL, PR_Float096 float NOT NULL,
    PR_Float097 float NOT NULL, PR_Float098 float NOT NULL, PR_Float099 float NOT NULL, PR_Float100 float NOT NULL,
    INDEX IX_Type NONCLUSTERED (PR_Type, PR_Price)
) WITH (MEMORY_OPTIMIZED = ON);

CREATE TABLE dbo.Purchase_Criteria
(
    PC_ID int NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = $(customer_buckets)),
    PC_Float001 float NOT NULL, PC_Float002 float NOT NULL, PC_Float003 float NOT NULL, PC_Float004 float NOT NULL,
    PC_Float005 float NOT NULL, PC_Float006 float NOT NULL, PC_Float007 float NOT NULL, PC_Float008 float NOT NULL,
    PC_Float009 float NOT NULL, PC_Float010 float NOT NULL, PC_Float011 float NOT NULL, PC_Float012 float NOT NULL,
    PC_Float013 float NOT NULL, PC_Float014 float NOT NULL, PC_Float015 float NOT NULL, PC_Float016 float NOT NULL,
    PC_Float017 float NOT NULL, PC_Float018 float NOT NULL, PC_Float019 float NOT NULL, PC_Float020 float NOT NULL,
    PC_Float021 float NOT NULL, PC_Float022 float NOT NULL, PC_Float023 float NOT NULL, PC_Float024 float NOT NULL,
    PC_Float025 float NOT NULL, PC_Float026 float NOT NULL, PC_Float027 float NOT NULL, PC_Float028 float NOT NULL,
    PC_Float029 float NOT NULL, PC_Float030 float NOT NULL, PC_Float031 float NOT NULL, PC_Float032 float NOT NULL,
    PC_Float033 float NOT NULL, PC_Float034 float NOT NULL, PC_Float035 float NOT NULL, PC_Float036 float NOT NULL,
    PC_Float037 float NOT NULL, PC_Float038 float NOT NULL, PC_Float039 float NOT NULL, PC_Float040 float NOT NULL,
    PC_Float041 float NOT NULL, PC_Float042 float NOT NULL, PC_Float043 float NOT NULL, PC_Float044 float NOT NULL,
    PC_Float045 float NOT NULL, PC_Float046 float NOT NULL, PC_Float047 float NOT NULL, PC_Float048 float NOT NULL,
    PC_Float049 float NOT NULL, PC_Float050 float NOT NULL, PC_Float051 float NOT NULL, PC_Float052 float NOT NULL,
    PC_Float053 float NOT NULL, PC_Float054 float NOT NULL, PC_Float055 float NOT NULL, PC_Float056 float NOT NULL,
    PC_Float057 float NOT NULL, PC_Float058 float NOT NULL, PC_Float059 float NOT NULL, PC_Float060 float NOT NULL,
    PC_Float061 float NOT NULL, PC_Float062 float NOT NULL, PC_Float063 float NOT NULL, PC_Float064 float NOT NULL,
    PC_Float065 float NOT NULL, PC_Float066 float NOT NULL, PC_Float067 float NOT NULL, PC_Float068 float NOT NULL,
    PC_Float069 float NOT NULL, PC_Float070 float NOT NULL, PC_Float071 float NOT NULL, PC_Float072 float NOT NULL,
    PC_Float073 float NOT NULL, PC_Float074 float NOT NULL, PC_Float075 float NOT NULL, PC_Float076 float NOT NULL,
    PC_Float077 float NOT NULL, PC_Float078 float NOT NULL, PC_Float079 float NOT NULL, PC_Float080 float NOT NULL,
    PC_Float081 float NOT NULL, PC_Float082 float NOT NULL, PC_Float083 float NOT NULL, PC_Float084 float NOT NULL,
    PC_Float085 float NOT NULL, PC_Float086 float NOT NULL, PC_Float087 float NOT NULL, PC_Float088 float NOT NULL,
    PC_Float089 float NOT NULL, PC_Float090 float NOT NULL, PC_Float091 float NOT NULL, PC_Float092 float NOT NULL,
    PC_Float093 float NOT NULL, PC_Float094 float NOT NULL, PC_Float095 float NOT NULL, PC_Float096 float NOT NULL,
    PC_Float097 float NOT NULL, PC_Float098 float NOT NULL, PC_Float099 float NOT NULL, PC_Float100 float NOT NULL
) WITH (MEMORY_OPTIMIZED = ON);

CREATE TABLE dbo.Orders
(
    O_ID bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED,
    O_C_ID int NOT NULL,
    O_Total money NOT NULL,
    O_Date datetime2 NOT NULL,
    -- 1: outstanding, 2: fulfilled
    O_Status tinyint NOT NULL,
    INDEX IX_Customer NONCLUSTERED (O_C_ID),
    INDEX IX_Status NONCLUSTERED (O_Status, O_ID)
) WITH (MEMORY_OPTIMIZED = ON);

CREATE TABLE dbo.OrderLines
(
    OL_O_ID bigint NOT NULL,
    OL_Number int NOT NULL,
    OL_PR_ID int NOT NULL,
    OL_Quantity int NOT NULL,
    OL_Price money NOT NULL,
    PRIMARY KEY NONCLUSTERED (OL_O_ID, OL_Number)
) WITH (MEMORY_OPTIMIZED = ON);

CREATE TABLE dbo.Fulfillment
(
    FF_ID bigint IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED,
    FF_O_ID bigint NOT NULL,
    FF_Date datetime2 NOT NULL
) WITH (MEMORY_OPTIMIZED = ON);
GO

CREATE TYPE dbo.OrderLineType AS TABLE
(
    PR_ID int NOT NULL,
    Quantity int NOT NULL,
    INDEX IX_Product HASH (PR_ID) WITH (BUCKET_COUNT = 8)
) WITH (MEMORY_OPTIMIZED = ON);
GO

-- A customer, the orders, their lines.
CREATE PROCEDURE dbo.GetOrdersByCustomerID
    @C_ID int NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    SELECT c.C_ID, c.C_Name, c.C_City, o.O_ID, o.O_Date, o.O_Total, o.O_Status,
           l.OL_Number, l.OL_PR_ID, l.OL_Quantity, l.OL_Price
    FROM dbo.Customer AS c
        INNER JOIN dbo.Orders AS o ON o.O_C_ID = c.C_ID
        INNER JOIN dbo.OrderLines AS l ON l.OL_O_ID = o.O_ID
    WHERE c.C_ID = @C_ID;
END;
GO

-- The ten cheapest products of a type.
CREATE PROCEDURE dbo.GetProductsByType
    @PR_Type int NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    SELECT TOP (10) PR_ID, PR_Name, PR_Price, PR_Desc
    FROM dbo.Products
    WHERE PR_Type = @PR_Type
    ORDER BY PR_Price;
END;
GO

-- The prices of a range of products, the lowest first.
CREATE PROCEDURE dbo.GetProductsPriceByPK
    @From int NOT NULL,
    @To int NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    SELECT PR_ID, PR_Price
    FROM dbo.Products
    WHERE PR_ID BETWEEN @From AND @To
    ORDER BY PR_Price;
END;
GO

-- The twenty products of a range that are closest to a criterion: by the sum of the products of figures.
CREATE PROCEDURE dbo.ProductSelectionCriteria
    @PC_ID int NOT NULL,
    @From int NOT NULL,
    @To int NOT NULL
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    SELECT TOP (20) p.PR_ID, p.PR_Name, p.PR_Price,
           p.PR_Float001 * c.PC_Float001 + p.PR_Float002 * c.PC_Float002 + p.PR_Float003 * c.PC_Float003 +
           p.PR_Float004 * c.PC_Float004 + p.PR_Float005 * c.PC_Float005 + p.PR_Float006 * c.PC_Float006 +
           p.PR_Float007 * c.PC_Float007 + p.PR_Float008 * c.PC_Float008 + p.PR_Float009 * c.PC_Float009 +
           p.PR_Float010 * c.PC_Float010 + p.PR_Float011 * c.PC_Float011 + p.PR_Float012 * c.PC_Float012 +
           p.PR_Float013 * c.PC_Float013 + p.PR_Float014 * c.PC_Float014 + p.PR_Float015 * c.PC_Float015 +
           p.PR_Float016 * c.PC_Float016 + p.PR_Float017 * c.PC_Float017 + p.PR_Float018 * c.PC_Float018 +
           p.PR_Float019 * c.PC_Float019 + p.PR_Float020 * c.PC_Float020 + p.PR_Float021 * c.PC_Float021 +
           p.PR_Float022 * c.PC_Float022 + p.PR_Float023 * c.PC_Float023 + p.PR_Float024 * c.PC_Float024 +
           p.PR_Float025 * c.PC_Float025 + p.PR_Float026 * c.PC_Float026 + p.PR_Float027 * c.PC_Float027 +
           p.PR_Float028 * c.PC_Float028 + p.PR_Float029 * c.PC_Float029 + p.PR_Float030 * c.PC_Float030 +
           p.PR_Float031 * c.PC_Float031 + p.PR_Float032 * c.PC_Float032 + p.PR_Float033 * c.PC_Float033 +
           p.PR_Float034 * c.PC_Float034 + p.PR_Float035 * c.PC_Float035 + p.PR_Float036 * c.PC_Float036 +
           p.PR_Float037 * c.PC_Float037 + p.PR_Float038 * c.PC_Float038 + p.PR_Float039 * c.PC_Float039 +
           p.PR_Float040 * c.PC_Float040 + p.PR_Float041 * c.PC_Float041 + p.PR_Float042 * c.PC_Float042 +
           p.PR_Float043 * c.PC_Float043 + p.PR_Float044 * c.PC_Float044 + p.PR_Float045 * c.PC_Float045 +
           p.PR_Float046 * c.PC_Float046 + p.PR_Float047 * c.PC_Float047 + p.PR_Float048 * c.PC_Float048 +
           p.PR_Float049 * c.PC_Float049 + p.PR_Float050 * c.PC_Float050 + p.PR_Float051 * c.PC_Float051 +
           p.PR_Float052 * c.PC_Float052 + p.PR_Float053 * c.PC_Float053 + p.PR_Float054 * c.PC_Float054 +
           p.PR_Float055 * c.PC_Float055 + p.PR_Float056 * c.PC_Float056 + p.PR_Float057 * c.PC_Float057 +
           p.PR_Float058 * c.PC_Float058 + p.PR_Float059 * c.PC_Float059 + p.PR_Float060 * c.PC_Float060 +
           p.PR_Float061 * c.PC_Float061 + p.PR_Float062 * c.PC_Float062 + p.PR_Float063 * c.PC_Float063 +
           p.PR_Float064 * c.PC_Float064 + p.PR_Float065 * c.PC_Float065 + p.PR_Float066 * c.PC_Float066 +
           p.PR_Float067 * c.PC_Float067 + p.PR_Float068 * c.PC_Float068 + p.PR_Float069 * c.PC_Float069 +
           p.PR_Float070 * c.PC_Float070 + p.PR_Float071 * c.PC_Float071 + p.PR_Float072 * c.PC_Float072 +
           p.PR_Float073 * c.PC_Float073 + p.PR_Float074 * c.PC_Float074 + p.PR_Float075 * c.PC_Float075 +
           p.PR_Float076 * c.PC_Float076 + p.PR_Float077 * c.PC_Float077 + p.PR_Float078 * c.PC_Float078 +
           p.PR_Float079 * c.PC_Float079 + p.PR_Float080 * c.PC_Float080 + p.PR_Float081 * c.PC_Float081 +
           p.PR_Float082 * c.PC_Float082 + p.PR_Float083 * c.PC_Float083 + p.PR_Float084 * c.PC_Float084 +
           p.PR_Float085 * c.PC_Float085 + p.PR_Float086 * c.PC_Float086 + p.PR_Float087 * c.PC_Float087 +
           p.PR_Float088 * c.PC_Float088 + p.PR_Float089 * c.PC_Float089 + p.PR_Float090 * c.PC_Float090 +
           p.PR_Float091 * c.PC_Float091 + p.PR_Float092 * c.PC_Float092 + p.PR_Float093 * c.PC_Float093 +
           p.PR_Float094 * c.PC_Float094 + p.PR_Float095 * c.PC_Float095 + p.PR_Float096 * c.PC_Float096 +
           p.PR_Float097 * c.PC_Float097 + p.PR_Float098 * c.PC_Float098 + p.PR_Float099 * c.PC_Float099 +
           p.PR_Float100 * c.PC_Float100 AS Closeness
    FROM dbo.Products AS p
        CROSS JOIN dbo.Purchase_Criteria AS c
    WHERE c.PC_ID = @PC_ID AND p.PR_ID BETWEEN @From AND @To
    ORDER BY Closeness DESC;
END;
GO

-- A new order of a customer's, with up to five lines.
CREATE PROCEDURE dbo.InsertOrder
    @C_ID int NOT NULL,
    @Lines dbo.OrderLineType READONLY,
    @O_ID bigint OUTPUT
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @Now datetime2 NOT NULL = SYSDATETIME();
    DECLARE @Total money;
    SELECT @Total = SUM(p.PR_Price * l.Quantity)
    FROM @Lines AS l INNER JOIN dbo.Products AS p ON p.PR_ID = l.PR_ID;

    INSERT INTO dbo.Orders (O_C_ID, O_Total, O_Date, O_Status) VALUES (@C_ID, ISNULL(@Total, 0), @Now, 1);
    SET @O_ID = SCOPE_IDENTITY();

    INSERT INTO dbo.OrderLines (OL_O_ID, OL_Number, OL_PR_ID, OL_Quantity, OL_Price)
    SELECT @O_ID, ROW_NUMBER() OVER (ORDER BY l.PR_ID), l.PR_ID, l.Quantity, p.PR_Price
    FROM @Lines AS l INNER JOIN dbo.Products AS p ON p.PR_ID = l.PR_ID;
END;
GO

-- Fulfils the ten oldest outstanding orders.
CREATE PROCEDURE dbo.FulfillOrders
WITH NATIVE_COMPILATION, SCHEMABINDING, EXECUTE AS OWNER
AS
BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
    DECLARE @Now datetime2 NOT NULL = SYSDATETIME();
    DECLARE @Done int NOT NULL = 0;
    DECLARE @O_ID bigint;
    WHILE @Done < 10
    BEGIN
        SET @O_ID = NULL;
        SELECT TOP (1) @O_ID = O_ID FROM dbo.Orders WHERE O_Status = 1 ORDER BY O_ID;
        IF @O_ID IS NULL
            BREAK;
        UPDATE dbo.Orders SET O_Status = 2 WHERE O_ID = @O_ID;
        INSERT INTO dbo.Fulfillment (FF_O_ID, FF_Date) VALUES (@O_ID, @Now);
        SET @Done += 1;
    END;
END;
GO
