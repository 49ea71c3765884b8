-- XML indexes, which change no answer: 9-check.sql finds the same after them.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO

CREATE PRIMARY XML INDEX PXML_Person_AddContact ON Person.Person (AdditionalContactInfo);
CREATE PRIMARY XML INDEX PXML_Person_Demographics ON Person.Person (Demographics);
CREATE XML INDEX XMLPATH_Person_Demographics ON Person.Person (Demographics)
    USING XML INDEX PXML_Person_Demographics FOR PATH;
CREATE XML INDEX XMLPROPERTY_Person_Demographics ON Person.Person (Demographics)
    USING XML INDEX PXML_Person_Demographics FOR PROPERTY;
CREATE XML INDEX XMLVALUE_Person_Demographics ON Person.Person (Demographics)
    USING XML INDEX PXML_Person_Demographics FOR VALUE;
CREATE PRIMARY XML INDEX PXML_ProductModel_CatalogDescription ON Production.ProductModel (CatalogDescription);
CREATE PRIMARY XML INDEX PXML_ProductModel_Instructions ON Production.ProductModel (Instructions);
CREATE PRIMARY XML INDEX PXML_Store_Demographics ON Sales.Store (Demographics);
GO

SELECT 'XML indexes by kind' AS Name,
       CASE WHEN STRING_AGG(CONCAT(kind, ':', number), ' ') WITHIN GROUP (ORDER BY kind) = 'PATH:1 PRIMARY:5 PROPERTY:1 VALUE:1'
            THEN 'passed' ELSE 'failed' END AS Result
FROM (SELECT ISNULL(secondary_type_desc, 'PRIMARY') AS kind, COUNT(*) AS number
      FROM sys.xml_indexes GROUP BY ISNULL(secondary_type_desc, 'PRIMARY')) AS kinds
UNION ALL
-- Through the index for PATH, and by the rule that made the documents.
SELECT 'Customers with an income above 100000',
       CASE WHEN (SELECT COUNT(*) FROM Person.Person
                  WHERE Demographics.exist('declare default element namespace "http://schemas.microsoft.com/sqlserver/2004/07/adventure-works/IndividualSurvey";
                      /IndividualSurvey[YearlyIncome = "greater than 100000"]') = 1)
                 = (SELECT COUNT(*) FROM Person.Person WHERE PersonType = 'IN' AND BusinessEntityID % 5 = 4)
            THEN 'passed' ELSE 'failed' END;
GO
