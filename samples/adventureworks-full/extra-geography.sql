-- Where the addresses are: the column of type geography, its values, and questions about them.
--
-- An address lies within some kilometers of the first town of its state.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO

ALTER TABLE Person.Address ADD SpatialLocation geography NULL;
GO

CREATE TABLE #Town (Code nchar(3) PRIMARY KEY, Latitude float, Longitude float);
INSERT INTO #Town (Code, Latitude, Longitude)
VALUES ('WA', 47.61, -122.33), ('OR', 45.52, -122.68), ('ID', 43.62, -116.2), ('MT', 45.78, -108.5),
       ('NY', 42.65, -73.76), ('MA', 42.36, -71.06), ('ME', 44.31, -69.78), ('VT', 44.26, -72.58),
       ('IL', 41.88, -87.63), ('MN', 46.79, -92.1), ('MO', 38.63, -90.2), ('OH', 39.96, -83.0),
       ('CA', 32.72, -117.16), ('AZ', 33.45, -112.07), ('TX', 30.27, -97.74), ('NM', 35.69, -105.94),
       ('FL', 27.95, -82.46), ('GA', 33.75, -84.39), ('NC', 35.78, -78.64), ('TN', 35.15, -90.05),
       ('BC', 49.28, -123.12), ('ON', 43.65, -79.38), ('QC', 45.5, -73.57), ('AB', 51.05, -114.07),
       ('75', 48.86, 2.35), ('69', 45.76, 4.84), ('59', 50.63, 3.06), ('13', 43.3, 5.37),
       ('BY', 48.14, 11.58), ('HE', 50.11, 8.68), ('HH', 53.55, 9.99), ('SN', 51.05, 13.74),
       ('NSW', -33.87, 151.21), ('VIC', -37.81, 144.96), ('QLD', -27.47, 153.03), ('TAS', -42.88, 147.33),
       ('ENG', 51.51, -0.13), ('SCT', 55.95, -3.19), ('WLS', 51.48, -3.18), ('NIR', 54.6, -5.93);

UPDATE a
SET SpatialLocation = geography::Point(t.Latitude + (a.AddressID % 21 - 10) / 500.0, t.Longitude + (a.AddressID % 17 - 8) / 500.0, 4326)
FROM Person.Address AS a
JOIN Person.StateProvince AS s ON s.StateProvinceID = a.StateProvinceID
JOIN #Town AS t ON t.Code = s.StateProvinceCode;
GO

SELECT 'Addresses without a place' AS Name, IIF(COUNT(*) = 0, 'passed', 'failed') AS Result
FROM Person.Address WHERE SpatialLocation IS NULL
UNION ALL
SELECT 'Reference system and shape', IIF(COUNT(*) = 4100, 'passed', 'failed')
FROM Person.Address WHERE SpatialLocation.STSrid = 4326 AND SpatialLocation.STGeometryType() = 'Point'
UNION ALL
SELECT 'Addresses within ten kilometers of the middle of Seattle are those of Washington', IIF(COUNT(*) = (
           SELECT COUNT(*) FROM Person.Address AS a JOIN Person.StateProvince AS s ON s.StateProvinceID = a.StateProvinceID
           WHERE s.StateProvinceCode = 'WA'), 'passed', 'failed')
FROM Person.Address AS a
JOIN Person.StateProvince AS s ON s.StateProvinceID = a.StateProvinceID
WHERE a.SpatialLocation.STDistance(geography::Point(47.61, -122.33, 4326)) < 10000 AND s.StateProvinceCode = 'WA'
UNION ALL
-- From Seattle to London it is about 7700 kilometers.
SELECT 'From Seattle to London', IIF(geography::Point(47.61, -122.33, 4326).STDistance(geography::Point(51.51, -0.13, 4326)) / 1000
                                     BETWEEN 7650 AND 7800, 'passed', 'failed')
UNION ALL
SELECT 'Latitude and longitude of an address', IIF(ABS(SpatialLocation.Lat - 47.61) < 0.03 AND ABS(SpatialLocation.Long + 122.33) < 0.03, 'passed', 'failed')
FROM Person.Address WHERE AddressID = 4;
GO
