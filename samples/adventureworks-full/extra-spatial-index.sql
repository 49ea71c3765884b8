-- A spatial index, which changes no answer: 9-check.sql finds the same after it.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO

CREATE SPATIAL INDEX SPATIAL_Address_SpatialLocation ON Person.Address (SpatialLocation);
GO

-- The nearest addresses to an employee's, with the index and without.
DECLARE @From geography = (SELECT SpatialLocation FROM Person.Address WHERE AddressID = 24);
SELECT 'Addresses near another one, through a spatial index' AS Name,
       CASE WHEN (SELECT CONCAT(COUNT(*), ' ', SUM(AddressID)) FROM Person.Address
                  WHERE SpatialLocation.STDistance(@From) <= 3000)
                 = (SELECT CONCAT(COUNT(*), ' ', SUM(AddressID)) FROM Person.Address WITH (INDEX (1))
                    WHERE SpatialLocation.STDistance(@From) <= 3000)
            THEN 'passed' ELSE 'failed' END AS Result
UNION ALL
SELECT 'Pairs of addresses of Paris within a kilometre',
       CASE WHEN (SELECT COUNT(*) FROM Person.Address AS a JOIN Person.Address AS b ON b.SpatialLocation.STDistance(a.SpatialLocation) < 1000
                  WHERE a.City = N'Paris')
                 = (SELECT COUNT(*) FROM Person.Address AS a
                    JOIN Person.Address AS b WITH (INDEX (1)) ON b.SpatialLocation.STDistance(a.SpatialLocation) < 1000
                    WHERE a.City = N'Paris' AND b.City = N'Paris')
            THEN 'passed' ELSE 'failed' END;
GO
