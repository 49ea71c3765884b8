-- Masked columns: readers without the right to unmask see that there is an account, an address or a
-- number, but not which.

USE Fernhill;
SET QUOTED_IDENTIFIER ON;
GO

ALTER TABLE Purchasing.Supplier ALTER COLUMN BankName ADD MASKED WITH (FUNCTION = 'default()');
ALTER TABLE Purchasing.Supplier ALTER COLUMN BankAccountNumber ADD MASKED WITH (FUNCTION = 'partial(0, "XXXX", 4)');
ALTER TABLE Application.Person ALTER COLUMN EmailAddress ADD MASKED WITH (FUNCTION = 'email()');
ALTER TABLE Purchasing.SupplierEntry ALTER COLUMN Amount ADD MASKED WITH (FUNCTION = 'random(1, 9)');
CREATE USER Reader WITHOUT LOGIN;
CREATE USER Auditor WITHOUT LOGIN;
GRANT SELECT ON SCHEMA::Purchasing TO Reader, Auditor;
GRANT SELECT ON SCHEMA::Application TO Reader, Auditor;
GRANT UNMASK TO Auditor;
GO

CREATE TABLE #Check (CheckID int IDENTITY(1, 1), Name varchar(80), Found varchar(200), Expected varchar(200));
DECLARE @bank nvarchar(50), @account nvarchar(20), @mail nvarchar(120), @amount decimal(18, 2), @past int, @plain nvarchar(20);
SELECT @plain = BankAccountNumber FROM Purchasing.Supplier WHERE SupplierID = 5;

EXECUTE AS USER = N'Reader';
SELECT @bank = BankName, @account = BankAccountNumber FROM Purchasing.Supplier WHERE SupplierID = 5;
SELECT @mail = EmailAddress FROM Application.Person WHERE PersonID = 2;
SELECT TOP (1) @amount = Amount FROM Purchasing.SupplierEntry WHERE EntryKindID = 3 ORDER BY EntryID;
-- The history is masked as the table is.
SELECT @past = COUNT(*) FROM Purchasing.Supplier FOR SYSTEM_TIME ALL WHERE SupplierID = 5 AND BankAccountNumber IS NOT NULL;
REVERT;
INSERT INTO #Check (Name, Found, Expected)
VALUES ('A reader sees masks', CONCAT_WS(' ', @bank, @account, @mail, IIF(@amount BETWEEN 1 AND 9, '1 to 9', 'more')),
        CONCAT_WS(' ', 'xxxx', CONCAT('XXXX', RIGHT(@plain, 4)), 'cXXX@XXXX.com', '1 to 9')),
       ('A reader sees all versions', CONCAT(@past, ''), '2');

EXECUTE AS USER = N'Auditor';
SELECT @account = BankAccountNumber FROM Purchasing.Supplier WHERE SupplierID = 5;
REVERT;
INSERT INTO #Check (Name, Found, Expected) VALUES ('An auditor sees the account', @account, @plain);
INSERT INTO #Check (Name, Found, Expected)
SELECT 'Masked columns', STRING_AGG(name, ' ') WITHIN GROUP (ORDER BY name), 'Amount BankAccountNumber BankName EmailAddress'
FROM sys.masked_columns
WHERE is_masked = 1 AND OBJECT_NAME(object_id) NOT LIKE '%History';

SELECT Name, IIF(Found = Expected, 'passed', CONCAT('failed: ', Found, ', not ', Expected)) AS Result FROM #Check ORDER BY CheckID;
GO
