-- People, places and the company: schemas Person and HumanResources, and the territories.
--
-- Every value but row GUIDs and dates of modification follows from the number of its row. Business
-- entities are numbered so: 1 to 300 employees, 301 to 400 contacts of vendors, 401 to 1100
-- contacts of stores, 1101 to 1200 vendors, 1201 to 1900 stores, 1901 to 4900 customers. Entity n
-- that has an address lives at address n.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO
SET NOCOUNT ON;

INSERT INTO dbo.AWBuildVersion ([Database Version], VersionDate) VALUES (N'16.0.1000.6', '2024-12-31');

INSERT INTO Person.CountryRegion (CountryRegionCode, Name)
VALUES ('AR', 'Argentina'), ('AT', 'Austria'), ('AU', 'Australia'), ('BE', 'Belgium'), ('BR', 'Brazil'),
       ('CA', 'Canada'), ('CH', 'Switzerland'), ('CL', 'Chile'), ('CN', 'China'), ('CZ', 'Czech Republic'),
       ('DE', 'Germany'), ('DK', 'Denmark'), ('EE', 'Estonia'), ('ES', 'Spain'), ('FI', 'Finland'),
       ('FR', 'France'), ('GB', 'United Kingdom'), ('GR', 'Greece'), ('HU', 'Hungary'), ('IE', 'Ireland'),
       ('IN', 'India'), ('IT', 'Italy'), ('JP', 'Japan'), ('MX', 'Mexico'), ('NL', 'Netherlands'),
       ('NO', 'Norway'), ('NZ', 'New Zealand'), ('PL', 'Poland'), ('PT', 'Portugal'), ('SE', 'Sweden'),
       ('SG', 'Singapore'), ('SK', 'Slovakia'), ('TR', N'Türkiye'), ('US', 'United States'), ('ZA', 'South Africa');

INSERT INTO Sales.SalesTerritory (Name, CountryRegionCode, [Group])
VALUES ('Northwest', 'US', 'North America'), ('Northeast', 'US', 'North America'),
       ('Central', 'US', 'North America'), ('Southwest', 'US', 'North America'),
       ('Southeast', 'US', 'North America'), ('Canada', 'CA', 'North America'), ('France', 'FR', 'Europe'),
       ('Germany', 'DE', 'Europe'), ('Australia', 'AU', 'Pacific'), ('United Kingdom', 'GB', 'Europe');

-- Places: state, its country and territory, two of its towns and the head of their postal codes.
CREATE TABLE #Place
(
    PlaceID int IDENTITY(0, 1) PRIMARY KEY,
    Code nchar(3), Country nvarchar(3), Territory int, Name nvarchar(50), Town1 nvarchar(30), Town2 nvarchar(30), Postal nvarchar(6),
    Lat float, Long float
);
INSERT INTO #Place (Code, Country, Territory, Name, Town1, Town2, Postal, Lat, Long)
VALUES ('WA', 'US', 1, 'Washington', 'Seattle', 'Spokane', '98', 47.6, -122.3), ('OR', 'US', 1, 'Oregon', 'Portland', 'Salem', '97', 45.5, -122.7),
       ('ID', 'US', 1, 'Idaho', 'Boise', 'Lewiston', '83', 43.6, -116.2), ('MT', 'US', 1, 'Montana', 'Billings', 'Helena', '59', 45.8, -108.5),
       ('NY', 'US', 2, 'New York', 'Albany', 'Ithaca', '12', 42.7, -73.8), ('MA', 'US', 2, 'Massachusetts', 'Boston', 'Salem Harbor', '02', 42.4, -71.1),
       ('ME', 'US', 2, 'Maine', 'Augusta', 'Bangor', '04', 44.3, -69.8), ('VT', 'US', 2, 'Vermont', 'Montpelier', 'Stowe', '05', 44.3, -72.6),
       ('IL', 'US', 3, 'Illinois', 'Chicago', 'Peoria', '60', 41.9, -87.6), ('MN', 'US', 3, 'Minnesota', 'Duluth', 'Rochester', '55', 46.8, -92.1),
       ('MO', 'US', 3, 'Missouri', 'Saint Louis', 'Joplin', '63', 38.6, -90.2), ('OH', 'US', 3, 'Ohio', 'Columbus', 'Dayton', '43', 40.0, -83.0),
       ('CA', 'US', 4, 'California', 'San Diego', 'Fresno', '92', 32.7, -117.2), ('AZ', 'US', 4, 'Arizona', 'Phoenix', 'Tucson', '85', 33.4, -112.1),
       ('TX', 'US', 4, 'Texas', 'Austin', 'El Paso', '78', 30.3, -97.7), ('NM', 'US', 4, 'New Mexico', 'Santa Fe', 'Taos', '87', 35.7, -105.9),
       ('FL', 'US', 5, 'Florida', 'Tampa', 'Orlando', '33', 27.9, -82.5), ('GA', 'US', 5, 'Georgia', 'Atlanta', 'Savannah', '30', 33.7, -84.4),
       ('NC', 'US', 5, 'North Carolina', 'Raleigh', 'Durham', '27', 35.8, -78.6), ('TN', 'US', 5, 'Tennessee', 'Memphis', 'Nashville', '37', 35.1, -90.0),
       ('BC', 'CA', 6, 'British Columbia', 'Vancouver', 'Victoria', 'V5', 49.3, -123.1), ('ON', 'CA', 6, 'Ontario', 'Toronto', 'Ottawa', 'M4', 43.7, -79.4),
       ('QC', 'CA', 6, 'Quebec', N'Montréal', 'Sherbrooke', 'H1', 45.5, -73.6), ('AB', 'CA', 6, 'Alberta', 'Calgary', 'Edmonton', 'T2', 51.0, -114.1),
       ('75', 'FR', 7, 'Seine (Paris)', 'Paris', 'Boulogne', '75', 48.9, 2.4), ('69', 'FR', 7, N'Rhône', 'Lyon', 'Villeurbanne', '69', 45.8, 4.8),
       ('59', 'FR', 7, 'Nord', 'Lille', 'Roubaix', '59', 50.6, 3.1), ('13', 'FR', 7, N'Bouches-du-Rhône', 'Marseille', 'Arles', '13', 43.3, 5.4),
       ('BY', 'DE', 8, 'Bayern', N'München', N'Nürnberg', '80', 48.1, 11.6), ('HE', 'DE', 8, 'Hessen', 'Frankfurt', 'Kassel', '60', 50.1, 8.7),
       ('HH', 'DE', 8, 'Hamburg', 'Hamburg', 'Altona', '20', 53.5, 10.0), ('SN', 'DE', 8, 'Sachsen', 'Dresden', 'Leipzig', '01', 51.1, 13.7),
       ('NSW', 'AU', 9, 'New South Wales', 'Sydney', 'Newcastle', '20', -33.9, 151.2), ('VIC', 'AU', 9, 'Victoria', 'Melbourne', 'Geelong', '30', -37.8, 145.0),
       ('QLD', 'AU', 9, 'Queensland', 'Brisbane', 'Cairns', '40', -27.5, 153.0), ('TAS', 'AU', 9, 'Tasmania', 'Hobart', 'Launceston', '70', -42.9, 147.3),
       ('ENG', 'GB', 10, 'England', 'London', 'Bristol', 'W1', 51.5, -0.1), ('SCT', 'GB', 10, 'Scotland', 'Edinburgh', 'Perth', 'EH', 55.9, -3.2),
       ('WLS', 'GB', 10, 'Wales', 'Cardiff', 'Swansea', 'CF', 51.5, -3.2), ('NIR', 'GB', 10, 'Northern Ireland', 'Belfast', 'Derry', 'BT', 54.6, -5.9);

INSERT INTO Person.StateProvince (StateProvinceCode, CountryRegionCode, IsOnlyStateProvinceFlag, Name, TerritoryID)
SELECT Code, Country, 0, Name, Territory FROM #Place ORDER BY PlaceID;

INSERT INTO Person.AddressType (Name)
VALUES ('Billing'), ('Home'), ('Main Office'), ('Primary'), ('Shipping'), ('Archive');
INSERT INTO Person.ContactType (Name)
VALUES ('Accounting Manager'), ('Assistant Sales Agent'), ('Assistant Sales Representative'),
       ('Coordinator Foreign Markets'), ('Export Administrator'), ('International Marketing Manager'),
       ('Marketing Assistant'), ('Marketing Manager'), ('Marketing Representative'), ('Order Administrator'),
       ('Owner'), ('Owner/Marketing Assistant'), ('Product Manager'), ('Purchasing Agent'),
       ('Purchasing Manager'), ('Regional Account Representative'), ('Sales Agent'), ('Sales Associate'),
       ('Sales Manager'), ('Sales Representative');
INSERT INTO Person.PhoneNumberType (Name) VALUES ('Cell'), ('Home'), ('Work');

INSERT INTO HumanResources.Department (Name, GroupName)
VALUES ('Engineering', 'Research and Development'), ('Tool Design', 'Research and Development'),
       ('Sales', 'Sales and Marketing'), ('Marketing', 'Sales and Marketing'),
       ('Purchasing', 'Inventory Management'), ('Research and Development', 'Research and Development'),
       ('Production', 'Manufacturing'), ('Production Control', 'Manufacturing'),
       ('Human Resources', 'Executive General and Administration'), ('Finance', 'Executive General and Administration'),
       ('Information Services', 'Executive General and Administration'), ('Document Control', 'Quality Assurance'),
       ('Quality Assurance', 'Quality Assurance'), ('Facilities and Maintenance', 'Executive General and Administration'),
       ('Shipping and Receiving', 'Inventory Management'), ('Executive', 'Executive General and Administration');
INSERT INTO HumanResources.Shift (Name, StartTime, EndTime)
VALUES ('Day', '07:00', '15:00'), ('Evening', '15:00', '23:00'), ('Night', '23:00', '07:00');
GO

-- Names: entity n has first name n % 48 and last name n / 7 % 60.
SELECT CAST(ordinal - 1 AS int) AS n, CAST(value AS nvarchar(50)) AS Name INTO #First
FROM STRING_SPLIT(N'Ada,Alan,Amara,Andrei,Anna,Arjun,Astrid,Bela,Bruno,Carla,Chen,Clara,Daniel,Diego,Edith,Elena,'
    + N'Emil,Farah,Felix,Greta,Hana,Hugo,Ines,Ivan,Jana,Jonas,Kamal,Karin,Leila,Leo,Lucia,Marco,Maya,Mina,Nadia,Nils,'
    + N'Olga,Omar,Paula,Pavel,Rosa,Ruben,Sara,Stefan,Tara,Viktor,Yuki,Zoe', N',', 1);
SELECT CAST(ordinal - 1 AS int) AS n, CAST(value AS nvarchar(50)) AS Name INTO #Last
FROM STRING_SPLIT(N'Abbott,Almeida,Barros,Becker,Bennett,Bianchi,Brandt,Castro,Clark,Costa,Dahl,Davies,Dubois,Duarte,'
    + N'Eriksen,Evans,Farkas,Ferrari,Fischer,Fontana,Garcia,Gomez,Gruber,Hansen,Harper,Hoffman,Horvat,Ito,Ivanova,Jensen,'
    + N'Kaya,Keller,Kim,Kowalski,Kumar,Lang,Larsen,Lopez,Marino,Meyer,Moreau,Nakamura,Novak,O''Brien,Okafor,Olsen,Patel,'
    + N'Pereira,Petrov,Quinn,Ramos,Reid,Rossi,Sato,Schmidt,Silva,Tanaka,Varga,Weber,Young', N',', 1);

SET IDENTITY_INSERT Person.BusinessEntity ON;
INSERT INTO Person.BusinessEntity (BusinessEntityID) SELECT value FROM GENERATE_SERIES(1, 4900);
SET IDENTITY_INSERT Person.BusinessEntity OFF;

-- Persons; a customer answers a survey, and every fiftieth contact left more ways to be reached.
WITH people AS
(
    SELECT value AS id,
           CASE WHEN value <= 300 THEN 'EM' WHEN value <= 400 THEN 'VC' WHEN value <= 1100 THEN 'SC' ELSE 'IN' END AS kind
    FROM GENERATE_SERIES(1, 4900)
    WHERE value <= 1100 OR value > 1900
)
INSERT INTO Person.Person
    (BusinessEntityID, PersonType, Title, FirstName, MiddleName, LastName, Suffix, EmailPromotion,
     AdditionalContactInfo, Demographics)
SELECT id, kind, CASE WHEN id % 9 = 0 THEN IIF(id % 2 = 0, 'Ms.', 'Mr.') END, f.Name,
       CASE WHEN id % 3 > 0 THEN CHAR(65 + id % 26) END, l.Name, CASE WHEN id % 250 = 0 THEN 'Jr.' END, id % 3,
       CASE WHEN id % 50 = 1 AND kind <> 'IN' THEN CONCAT(
           N'<AdditionalContactInfo xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactInfo"',
           N' xmlns:crm="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactRecord"',
           N' xmlns:act="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/ContactTypes">',
           N'Reach this contact in the office hours:<act:telephoneNumber><act:number>425-555-',
           FORMAT(id % 10000, '0000'), N'</act:number></act:telephoneNumber><act:mobile><act:number>206-555-',
           FORMAT(id * 7 % 10000, '0000'), N'</act:number><act:SpecialInstructions>Not after six.</act:SpecialInstructions>',
           N'</act:mobile><act:homePostalAddress><act:Street>', id, N' Lake Road</act:Street><act:City>Seattle</act:City>',
           N'<act:StateProvince>WA</act:StateProvince><act:PostalCode>98101</act:PostalCode>',
           N'<act:CountryRegion>US</act:CountryRegion></act:homePostalAddress>',
           N'<crm:ContactRecord date="', CONVERT(char(10), DATEADD(day, id, '2022-01-01'), 23),
           N'Z">Asked for a catalog.<act:eMail><act:eMailAddress>contact', id,
           N'@example.com</act:eMailAddress></act:eMail></crm:ContactRecord></AdditionalContactInfo>') END,
       CASE WHEN kind = 'IN' THEN CONCAT(
           N'<IndividualSurvey xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey">',
           N'<TotalPurchaseYTD>', id % 9000, N'.', 10 + id % 90, N'</TotalPurchaseYTD><DateFirstPurchase>',
           CONVERT(char(10), DATEADD(day, id % 700, '2022-01-01'), 23), N'Z</DateFirstPurchase><BirthDate>',
           CONVERT(char(10), DATEADD(day, id * 13 % 18000, '1950-01-01'), 23), N'Z</BirthDate><MaritalStatus>',
           IIF(id % 5 < 3, N'M', N'S'), N'</MaritalStatus><YearlyIncome>',
           CHOOSE(id % 5 + 1, N'0-25000', N'25001-50000', N'50001-75000', N'75001-100000', N'greater than 100000'),
           N'</YearlyIncome><Gender>', IIF(id % 2 = 0, N'F', N'M'), N'</Gender><TotalChildren>', id % 6,
           N'</TotalChildren><NumberChildrenAtHome>', id % 6 / 2, N'</NumberChildrenAtHome><Education>',
           CHOOSE(id % 4 + 1, N'High School', N'Partial College', N'Bachelors', N'Graduate Degree'),
           N'</Education><Occupation>', CHOOSE(id % 4 + 1, N'Clerical', N'Skilled Manual', N'Professional', N'Management'),
           N'</Occupation><HomeOwnerFlag>', id % 2, N'</HomeOwnerFlag><NumberCarsOwned>', id % 4,
           N'</NumberCarsOwned><Hobby>', CHOOSE(id % 3 + 1, N'Cycling', N'Hiking', N'Cooking'),
           N'</Hobby><CommuteDistance>',
           CHOOSE(id % 5 + 1, N'0-1 Miles', N'1-2 Miles', N'2-5 Miles', N'5-10 Miles', N'10+ Miles'),
           N'</CommuteDistance></IndividualSurvey>') END
FROM people
JOIN #First AS f ON f.n = id % 48
JOIN #Last AS l ON l.n = id / 7 % 60;

INSERT INTO Person.EmailAddress (BusinessEntityID, EmailAddress)
SELECT BusinessEntityID, CONCAT(LOWER(FirstName), BusinessEntityID, N'@adventure-works.example')
FROM Person.Person
ORDER BY BusinessEntityID;
INSERT INTO Person.Password (BusinessEntityID, PasswordHash, PasswordSalt)
SELECT BusinessEntityID,
       CONVERT(varchar(128), HASHBYTES('SHA2_256', CONCAT('salt', BusinessEntityID)), 2),
       LEFT(CONVERT(varchar(64), HASHBYTES('SHA2_256', CONCAT('s', BusinessEntityID)), 2), 10)
FROM Person.Person;
INSERT INTO Person.PersonPhone (BusinessEntityID, PhoneNumber, PhoneNumberTypeID)
SELECT BusinessEntityID, CONCAT(200 + BusinessEntityID % 700, N'-555-', FORMAT(BusinessEntityID * 7 % 10000, '0000')),
       BusinessEntityID % 3 + 1
FROM Person.Person;

-- The first town of a place lies at its point, the second one half a degree north of it.
SET IDENTITY_INSERT Person.Address ON;
INSERT INTO Person.Address (AddressID, AddressLine1, AddressLine2, City, StateProvinceID, PostalCode, SpatialLocation)
SELECT a.value,
       CONCAT(a.value, N' ', CHOOSE(a.value % 9 + 1, N'Alder', N'Birch', N'Cedar', N'Elm', N'Hazel', N'Linden', N'Maple', N'Oak', N'Pine'),
              CHOOSE(a.value % 4 + 1, N' Street', N' Avenue', N' Lane', N' Road')),
       CASE WHEN a.value % 40 = 0 THEN CONCAT(N'Suite ', a.value % 900) END,
       IIF(a.value % 80 < 40, Town1, Town2), s.StateProvinceID,
       CONCAT(Postal, FORMAT(a.value % 1000, '000')),
       geography::Point(Lat + IIF(a.value % 80 < 40, 0, 0.5) + (a.value % 101 - 50) * 0.001, Long + (a.value % 97 - 48) * 0.001, 4326)
FROM GENERATE_SERIES(1, 4900) AS a
JOIN #Place AS p ON p.PlaceID = CASE WHEN a.value <= 300 THEN a.value % 4 ELSE a.value % 40 END
JOIN Person.StateProvince AS s ON s.StateProvinceCode = p.Code AND s.CountryRegionCode = p.Country
WHERE a.value <= 300 OR a.value > 1100;
SET IDENTITY_INSERT Person.Address OFF;
INSERT INTO Person.BusinessEntityAddress (BusinessEntityID, AddressID, AddressTypeID)
SELECT AddressID, AddressID, CASE WHEN AddressID BETWEEN 1101 AND 1900 THEN 3 ELSE 2 END
FROM Person.Address;
-- Every tenth store receives its goods at another address, that of a customer in its neighbourhood.
INSERT INTO Person.BusinessEntityAddress (BusinessEntityID, AddressID, AddressTypeID)
SELECT value, value + 3000, 5 FROM GENERATE_SERIES(1201, 1900, 10);
INSERT INTO Person.BusinessEntityContact (BusinessEntityID, PersonID, ContactTypeID)
SELECT value + 800, value, CASE WHEN value <= 400 THEN 17 + value % 4 ELSE 11 + value % 5 END
FROM GENERATE_SERIES(301, 1100);
GO

-- The organisation: 1 leads six directors (2 to 7), these thirty managers (8 to 37), these 120
-- leads (38 to 157), these the rest. The managers' department is that of all below.
WITH tree AS
(
    SELECT 1 AS id, CAST(NULL AS int) AS boss, CAST('/' AS varchar(200)) AS path, 16 AS department, 0 AS depth
    UNION ALL
    SELECT child.value, tree.id,
           CAST(CONCAT(tree.path, CASE tree.depth WHEN 0 THEN child.value - 1 WHEN 1 THEN (child.value - 8) / 6 + 1
                                                  WHEN 2 THEN (child.value - 38) / 30 + 1 ELSE (child.value - 158) / 120 + 1 END,
                       '/') AS varchar(200)),
           CASE tree.depth WHEN 0 THEN 16 WHEN 1 THEN (child.value - 8) % 15 + 1 ELSE tree.department END,
           tree.depth + 1
    FROM tree
    JOIN GENERATE_SERIES(2, 300) AS child
        ON CASE WHEN child.value <= 7 THEN 1
                WHEN child.value <= 37 THEN 2 + (child.value - 8) % 6
                WHEN child.value <= 157 THEN 8 + (child.value - 38) % 30
                ELSE 38 + (child.value - 158) % 120 END = tree.id
)
SELECT id, boss, path, department, depth INTO #Employee FROM tree;

INSERT INTO HumanResources.Employee
    (BusinessEntityID, NationalIDNumber, LoginID, OrganizationNode, JobTitle, BirthDate, MaritalStatus, Gender,
     HireDate, SalariedFlag, VacationHours, SickLeaveHours)
SELECT id, CAST(100000000 + id * 7919 AS nvarchar(15)), CONCAT(N'adventure-works\', LOWER(p.FirstName), id),
       CAST(path AS hierarchyid),
       CASE depth WHEN 0 THEN N'Chief Executive Officer' WHEN 1 THEN CONCAT(N'Director ', id - 1)
                  ELSE CONCAT(d.Name, CHOOSE(depth - 1, N' Manager', N' Lead', N' Specialist')) END,
       DATEADD(day, id * 37 % 11000, '1960-01-01'), IIF(id % 5 < 3, 'M', 'S'), IIF(id % 2 = 0, 'F', 'M'),
       DATEADD(day, id * 11 % 4000, '2008-01-01'), IIF(depth < 3, 1, 0), id % 100, id % 80
FROM #Employee
JOIN HumanResources.Department AS d ON d.DepartmentID = department
JOIN Person.Person AS p ON p.BusinessEntityID = id;
UPDATE Person.Person SET PersonType = 'SP'
WHERE BusinessEntityID IN (SELECT id FROM #Employee WHERE department = 3);

-- Every twelfth employee worked in another department for two years.
INSERT INTO HumanResources.EmployeeDepartmentHistory (BusinessEntityID, DepartmentID, ShiftID, StartDate, EndDate)
SELECT id, department % 15 + 1, 1, e.HireDate, DATEADD(year, 2, e.HireDate)
FROM #Employee JOIN HumanResources.Employee AS e ON e.BusinessEntityID = id
WHERE id % 12 = 0;
INSERT INTO HumanResources.EmployeeDepartmentHistory (BusinessEntityID, DepartmentID, ShiftID, StartDate)
SELECT id, department, CASE WHEN department IN (7, 8, 15) THEN id % 3 + 1 ELSE 1 END,
       DATEADD(year, IIF(id % 12 = 0, 2, 0), e.HireDate)
FROM #Employee JOIN HumanResources.Employee AS e ON e.BusinessEntityID = id;
INSERT INTO HumanResources.EmployeePayHistory (BusinessEntityID, RateChangeDate, Rate, PayFrequency)
SELECT id, DATEADD(year, raise.value, CAST(e.HireDate AS datetime)),
       CHOOSE(depth + 1, 120.00, 70.00, 40.00, 24.00, 12.00) + id % 9 + raise.value, IIF(depth < 3, 2, 1)
FROM #Employee
JOIN HumanResources.Employee AS e ON e.BusinessEntityID = id
JOIN GENERATE_SERIES(0, 2) AS raise ON raise.value <= id % 3;

-- Candidates; every tenth was hired.
INSERT INTO HumanResources.JobCandidate (BusinessEntityID, Resume)
SELECT CASE WHEN c.value % 10 = 0 THEN c.value END, CONCAT(
       N'<Resume xmlns="http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/Resume"><Name><Name.First>',
       f.Name, N'</Name.First><Name.Last>', l.Name, N'</Name.Last></Name><Skills>',
       CHOOSE(c.value % 4 + 1, N'Welding and brazing of frames', N'Accounts, budgets and audits',
              N'Wheel building; truing; hub repair', N'Relational databases and reports'),
       N'</Skills>',
       (SELECT STRING_AGG(job.Text, N'') WITHIN GROUP (ORDER BY job.n)
        FROM (SELECT j.value AS n, CONCAT(N'<Employment><Emp.StartDate>', 2000 + c.value % 5 + j.value * 5, N'-03-01Z</Emp.StartDate><Emp.EndDate>',
                                 2004 + c.value % 5 + j.value * 5, N'-09-30Z</Emp.EndDate><Emp.OrgName>',
                                 CHOOSE((c.value + j.value) % 3 + 1, N'Northwind Cycles', N'Alpine Frames', N'City Courier'),
                                 N'</Emp.OrgName><Emp.JobTitle>', CHOOSE(j.value + 1, N'Apprentice', N'Mechanic', N'Foreman'),
                                 N'</Emp.JobTitle><Emp.Responsibility>Kept ', 5 + c.value % 20,
                                 N' machines in order.</Emp.Responsibility><Emp.FunctionCategory>Production</Emp.FunctionCategory>',
                                 N'<Emp.IndustryCategory>Manufacturing</Emp.IndustryCategory><Emp.Location><Location>',
                                 N'<Loc.CountryRegion>US</Loc.CountryRegion><Loc.State>', RTRIM(p.Code),
                                 N'</Loc.State><Loc.City>', p.Town1, N'</Loc.City></Location></Emp.Location></Employment>') AS Text
              FROM GENERATE_SERIES(0, 2) AS j WHERE j.value <= c.value % 3) AS job),
       N'<Education><Edu.Level>Bachelor</Edu.Level><Edu.StartDate>', 1996 + c.value % 5, N'-09-15Z</Edu.StartDate><Edu.EndDate>',
       1999 + c.value % 5, N'-05-20Z</Edu.EndDate><Edu.Degree>Bachelor of Science</Edu.Degree><Edu.Major>',
       CHOOSE(c.value % 3 + 1, N'Mechanics', N'Business', N'Computing'),
       N'</Edu.Major><Edu.GPA>3.', c.value % 10, N'</Edu.GPA><Edu.GPAScale>4</Edu.GPAScale><Edu.School>College of ', p.Name,
       N'</Edu.School><Edu.Location><Location><Loc.CountryRegion>US</Loc.CountryRegion><Loc.State>', RTRIM(p.Code),
       N'</Loc.State><Loc.City>', p.Town2, N'</Loc.City></Location></Edu.Location></Education>',
       N'<Address><Addr.Type>Home</Addr.Type><Addr.Street>', c.value, N' Mill Lane</Addr.Street><Addr.Location><Location>',
       N'<Loc.CountryRegion>US</Loc.CountryRegion><Loc.State>', RTRIM(p.Code), N'</Loc.State><Loc.City>', p.Town1,
       N'</Loc.City></Location></Addr.Location><Addr.PostalCode>', p.Postal, N'001</Addr.PostalCode><Addr.Telephone><Telephone>',
       N'<Tel.Type>Voice</Tel.Type><Tel.IntlCode>1</Tel.IntlCode><Tel.AreaCode>', 200 + c.value, N'</Tel.AreaCode><Tel.Number>555-01',
       FORMAT(c.value, '00'), N'</Tel.Number></Telephone></Addr.Telephone></Address><EMail>', LOWER(f.Name), c.value,
       N'@example.com</EMail></Resume>')
FROM GENERATE_SERIES(1, 40) AS c
JOIN #First AS f ON f.n = c.value
JOIN #Last AS l ON l.n = c.value
JOIN #Place AS p ON p.PlaceID = c.value % 20
ORDER BY c.value;
GO
