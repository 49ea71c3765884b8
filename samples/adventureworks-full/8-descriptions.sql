-- What the schemas and tables hold, as extended properties: tools show them beside the names.

USE AdventureWorks;
SET QUOTED_IDENTIFIER ON;
GO
SET NOCOUNT ON;

CREATE TABLE #Text (SchemaName sysname NOT NULL, TableName sysname NULL, Description nvarchar(400) NOT NULL);
INSERT INTO #Text (SchemaName, TableName, Description)
VALUES (N'HumanResources', NULL, N'Employees and departments.'),
       (N'Person', NULL, N'Names, addresses and contacts of customers, vendors and employees.'),
       (N'Production', NULL, N'Products, how they are made and where they lie.'),
       (N'Purchasing', NULL, N'Vendors and orders to them.'),
       (N'Sales', NULL, N'Customers and their orders.'),
       (N'dbo', N'AWBuildVersion', N'The version of this sample.'),
       (N'dbo', N'DatabaseLog', N'Changes of definitions.'),
       (N'dbo', N'ErrorLog', N'Errors that procedures caught.'),
       (N'HumanResources', N'Department', N'Departments.'),
       (N'HumanResources', N'Employee', N'Employees and their place in the organisation.'),
       (N'HumanResources', N'EmployeeDepartmentHistory', N'The departments that an employee worked in.'),
       (N'HumanResources', N'EmployeePayHistory', N'What an employee was paid.'),
       (N'HumanResources', N'JobCandidate', N'Resumes of applicants.'),
       (N'HumanResources', N'Shift', N'Hours of work.'),
       (N'Person', N'Address', N'Addresses of all.'),
       (N'Person', N'AddressType', N'What an address is for.'),
       (N'Person', N'BusinessEntity', N'One number for each person, store and vendor.'),
       (N'Person', N'BusinessEntityAddress', N'Which address belongs to whom, and what for.'),
       (N'Person', N'BusinessEntityContact', N'Which person speaks for a store or a vendor.'),
       (N'Person', N'ContactType', N'What a contact does.'),
       (N'Person', N'CountryRegion', N'Countries.'),
       (N'Person', N'EmailAddress', N'Mail addresses of persons.'),
       (N'Person', N'Password', N'Hashes of the passwords of persons.'),
       (N'Person', N'Person', N'Employees, contacts and customers.'),
       (N'Person', N'PersonPhone', N'Telephone numbers of persons.'),
       (N'Person', N'PhoneNumberType', N'Kinds of telephone numbers.'),
       (N'Person', N'StateProvince', N'States and provinces, with their sales territory.'),
       (N'Production', N'BillOfMaterials', N'What goes into an assembly, and how many of it.'),
       (N'Production', N'Culture', N'Languages of descriptions.'),
       (N'Production', N'Document', N'Folders and files about products.'),
       (N'Production', N'Illustration', N'Diagrams of how to make a product.'),
       (N'Production', N'Location', N'Places of stock and of work.'),
       (N'Production', N'Product', N'What is sold, made or bought.'),
       (N'Production', N'ProductCategory', N'The categories of products.'),
       (N'Production', N'ProductCostHistory', N'What a product cost.'),
       (N'Production', N'ProductDescription', N'Descriptions in several languages.'),
       (N'Production', N'ProductDocument', N'Which document is about which product.'),
       (N'Production', N'ProductInventory', N'How many of a product lie where.'),
       (N'Production', N'ProductListPriceHistory', N'What a product was sold for.'),
       (N'Production', N'ProductModel', N'Models, with their catalog page and how to make them.'),
       (N'Production', N'ProductModelIllustration', N'Which illustration is of which model.'),
       (N'Production', N'ProductModelProductDescriptionCulture', N'The description of a model in a language.'),
       (N'Production', N'ProductPhoto', N'Photos.'),
       (N'Production', N'ProductProductPhoto', N'Which photo is of which product.'),
       (N'Production', N'ProductReview', N'What customers say of products.'),
       (N'Production', N'ProductSubcategory', N'Parts of the categories.'),
       (N'Production', N'ScrapReason', N'Why parts were thrown away.'),
       (N'Production', N'TransactionHistory', N'Orders of all kinds since July 2023.'),
       (N'Production', N'TransactionHistoryArchive', N'Orders of all kinds before.'),
       (N'Production', N'UnitMeasure', N'Units.'),
       (N'Production', N'WorkOrder', N'What is to be made, and how many of it.'),
       (N'Production', N'WorkOrderRouting', N'The stations of a work order.'),
       (N'Purchasing', N'ProductVendor', N'Which vendor sells which product, and for how much.'),
       (N'Purchasing', N'PurchaseOrderDetail', N'Lines of purchases.'),
       (N'Purchasing', N'PurchaseOrderHeader', N'Purchases.'),
       (N'Purchasing', N'ShipMethod', N'Carriers and what they cost.'),
       (N'Purchasing', N'Vendor', N'Vendors.'),
       (N'Sales', N'CountryRegionCurrency', N'The currency of a country.'),
       (N'Sales', N'CreditCard', N'Cards of customers.'),
       (N'Sales', N'Currency', N'Currencies.'),
       (N'Sales', N'CurrencyRate', N'Rates of exchange, day by day.'),
       (N'Sales', N'Customer', N'Persons and stores that buy.'),
       (N'Sales', N'PersonCreditCard', N'Which card is whose.'),
       (N'Sales', N'SalesOrderDetail', N'Lines of orders.'),
       (N'Sales', N'SalesOrderHeader', N'Orders.'),
       (N'Sales', N'SalesOrderHeaderSalesReason', N'Why an order was placed.'),
       (N'Sales', N'SalesPerson', N'Employees who sell.'),
       (N'Sales', N'SalesPersonQuotaHistory', N'What they were to sell.'),
       (N'Sales', N'SalesReason', N'Reasons to buy.'),
       (N'Sales', N'SalesTaxRate', N'Taxes of states.'),
       (N'Sales', N'SalesTerritory', N'Territories of the sales people.'),
       (N'Sales', N'SalesTerritoryHistory', N'The territories that they worked in.'),
       (N'Sales', N'ShoppingCartItem', N'What lies in carts of the web shop.'),
       (N'Sales', N'SpecialOffer', N'Discounts.'),
       (N'Sales', N'SpecialOfferProduct', N'Which product has which discount.'),
       (N'Sales', N'Store', N'Stores that resell.');

DECLARE @schema sysname, @table sysname, @type varchar(128), @text sql_variant;
DECLARE texts CURSOR LOCAL FAST_FORWARD FOR SELECT SchemaName, TableName, Description FROM #Text;
OPEN texts;
FETCH NEXT FROM texts INTO @schema, @table, @text;
WHILE @@FETCH_STATUS = 0
BEGIN
    SET @type = CASE WHEN @table IS NOT NULL THEN 'TABLE' END;
    EXECUTE sys.sp_addextendedproperty
        @name = N'MS_Description', @value = @text, @level0type = 'SCHEMA', @level0name = @schema, @level1type = @type, @level1name = @table;
    FETCH NEXT FROM texts INTO @schema, @table, @text;
END;
CLOSE texts;
DEALLOCATE texts;
GO
