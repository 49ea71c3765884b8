-- Places: where the towns are and how far the territories reach, with questions about both.

USE Fernhill;
SET QUOTED_IDENTIFIER ON;
GO

ALTER TABLE Application.City ADD Location geography NULL;
ALTER TABLE Application.Province ADD Border geography NULL;
GO

-- A province is a cell of half a degree; its forty towns lie in it in rows of eight.
UPDATE Application.Province
SET Border = geography::STGeomFromText(
    CONCAT('POLYGON((', w, ' ', s, ', ', w + 0.5, ' ', s, ', ', w + 0.5, ' ', s + 0.5, ', ', w, ' ', s + 0.5, ', ', w, ' ', s, '))'), 4326)
FROM Application.Province
CROSS APPLY (SELECT CAST(-3 + (ProvinceID - 1) % 4 * 0.5 AS decimal(5, 1)) AS w, CAST(53.5 - (ProvinceID - 1) / 4 * 0.5 AS decimal(5, 1)) AS s) AS corner;
UPDATE c
SET Location = geography::Point(53.55 - (c.ProvinceID - 1) / 4 * 0.5 + c.CityID / 16 / 8 * 0.08,
                                -2.95 + (c.ProvinceID - 1) % 4 * 0.5 + c.CityID / 16 % 8 * 0.05, 4326)
FROM Application.City AS c;
GO

CREATE TABLE #Check (CheckID int IDENTITY(1, 1), Name varchar(80), Found varchar(200), Expected varchar(200));
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Towns within the border of their province', COUNT(*), 640
FROM Application.City AS c
JOIN Application.Province AS p ON p.ProvinceID = c.ProvinceID
WHERE p.Border.STIntersects(c.Location) = 1;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Borders within the area of half a degree', COUNT(*), 16
FROM Application.Province WHERE Border.STArea() BETWEEN 1.7E9 AND 2.0E9;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'The towns within 18 km of town 100, as by degrees', COUNT(*),
       (SELECT COUNT(*)
        FROM Application.City AS a JOIN Application.City AS b ON a.CityID = 100
        WHERE SQUARE((a.Location.Lat - b.Location.Lat) * 111.3)
              + SQUARE((a.Location.Long - b.Location.Long) * 111.3 * COS(RADIANS(a.Location.Lat))) < 324)
FROM Application.City AS a
JOIN Application.City AS b ON a.Location.STDistance(b.Location) < 18000
WHERE a.CityID = 100;
INSERT INTO #Check (Name, Found, Expected)
SELECT 'A town as text', Location.STAsText(), 'POINT (-2.9 53.55)' FROM Application.City WHERE CityID = 16;
SELECT Name, IIF(Found = Expected, 'passed', CONCAT('failed: ', Found, ', not ', Expected)) AS Result FROM #Check ORDER BY CheckID;
GO
