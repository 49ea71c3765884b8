-- Row security: a member of a territory's role sees the customers of that territory, and cannot move
-- a customer out of it. Owners of the database see all; so does a session of the web shop that says
-- which territory it works for, for that territory.

USE Fernhill;
SET QUOTED_IDENTIFIER ON;
GO

CREATE ROLE [North Sales];
CREATE ROLE [East Sales];
CREATE ROLE [South Sales];
CREATE ROLE [West Sales];
CREATE ROLE [Web Sales];
CREATE USER NorthSeller WITHOUT LOGIN;
CREATE USER WebShop WITHOUT LOGIN;
ALTER ROLE [North Sales] ADD MEMBER NorthSeller;
ALTER ROLE [Web Sales] ADD MEMBER WebShop;
GRANT SELECT, UPDATE ON SCHEMA::Sales TO [North Sales], [East Sales], [South Sales], [West Sales];
GRANT SELECT ON SCHEMA::Sales TO [Web Sales];
GRANT SELECT ON SCHEMA::Application TO [North Sales], [East Sales], [South Sales], [West Sales], [Web Sales];
GO

CREATE FUNCTION Application.MaySeeCity (@CityID int)
RETURNS TABLE
WITH SCHEMABINDING
AS
RETURN
    SELECT 1 AS MaySee
    FROM Application.City AS c
    JOIN Application.Province AS p ON p.ProvinceID = c.ProvinceID
    WHERE c.CityID = @CityID
        AND (IS_ROLEMEMBER(N'db_owner') = 1
             OR IS_ROLEMEMBER(p.SalesTerritory + N' Sales') = 1
             OR IS_ROLEMEMBER(N'Web Sales') = 1 AND p.SalesTerritory = CAST(SESSION_CONTEXT(N'SalesTerritory') AS nvarchar(20)));
GO
CREATE SECURITY POLICY Application.Territories
    ADD FILTER PREDICATE Application.MaySeeCity(DeliveryCityID) ON Sales.Customer,
    ADD BLOCK PREDICATE Application.MaySeeCity(DeliveryCityID) ON Sales.Customer AFTER UPDATE
    WITH (STATE = ON);
GO

CREATE TABLE #Check (CheckID int IDENTITY(1, 1), Name varchar(80), Found varchar(200), Expected varchar(200));
DECLARE @north int, @west int;
SELECT @north = SUM(IIF(SalesTerritory = N'North', 1, 0)), @west = SUM(IIF(SalesTerritory = N'West', 1, 0)) FROM Website.Customers;
INSERT INTO #Check (Name, Found, Expected) SELECT 'An owner sees all customers', COUNT(*), 600 FROM Sales.Customer;

DECLARE @seen int, @other int, @error int = 0;
EXECUTE AS USER = N'NorthSeller';
SELECT @seen = COUNT(*), @other = SUM(IIF(p.SalesTerritory = N'North', 0, 1))
FROM Sales.Customer AS c
JOIN Application.City AS t ON t.CityID = c.DeliveryCityID
JOIN Application.Province AS p ON p.ProvinceID = t.ProvinceID;
BEGIN TRY
    UPDATE TOP (1) Sales.Customer SET DeliveryCityID = 12;
END TRY
BEGIN CATCH
    SET @error = ERROR_NUMBER();
END CATCH;
REVERT;
INSERT INTO #Check (Name, Found, Expected)
VALUES ('A seller of the North sees those of the North', CONCAT(@seen, ' ', @other), CONCAT(@north, ' ', 0)),
       ('A seller of the North cannot give one to the West', CONCAT(@error, ''), '33504');

EXECUTE AS USER = N'WebShop';
SELECT @other = COUNT(*) FROM Sales.Customer;
EXECUTE sys.sp_set_session_context @key = N'SalesTerritory', @value = N'West';
SELECT @seen = COUNT(*) FROM Sales.Customer;
EXECUTE sys.sp_set_session_context @key = N'SalesTerritory', @value = NULL;
REVERT;
INSERT INTO #Check (Name, Found, Expected)
VALUES ('The web shop sees a territory when it names one', CONCAT(@other, ' ', @seen), CONCAT(0, ' ', @west));

ALTER SECURITY POLICY Application.Territories WITH (STATE = OFF);
EXECUTE AS USER = N'NorthSeller';
SELECT @seen = COUNT(*) FROM Sales.Customer;
REVERT;
INSERT INTO #Check (Name, Found, Expected) VALUES ('Without the policy all see all', @seen, 600);
ALTER SECURITY POLICY Application.Territories WITH (STATE = ON);

SELECT Name, IIF(Found = Expected, 'passed', CONCAT('failed: ', Found, ', not ', Expected)) AS Result FROM #Check ORDER BY CheckID;
GO
