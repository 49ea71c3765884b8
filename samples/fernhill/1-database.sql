-- Fernhill, a wholesaler: its database, with room for memory-optimized tables, schemas and sequences.

CREATE DATABASE Fernhill;
GO
ALTER DATABASE Fernhill ADD FILEGROUP Fernhill_mod CONTAINS MEMORY_OPTIMIZED_DATA;
ALTER DATABASE Fernhill ADD FILE (NAME = N'Fernhill_mod', FILENAME = N'Fernhill_mod') TO FILEGROUP Fernhill_mod;
GO
USE Fernhill;
GO

-- What all share (places, people), buying, selling, what lies in the halls, and what the shop on the
-- web sees: views and procedures only.
CREATE SCHEMA Application;
GO
CREATE SCHEMA Purchasing;
GO
CREATE SCHEMA Sales;
GO
CREATE SCHEMA Warehouse;
GO
CREATE SCHEMA Website;
GO
CREATE SCHEMA Sequences;
GO

CREATE SEQUENCE Sequences.CityID AS int START WITH 1;
CREATE SEQUENCE Sequences.PersonID AS int START WITH 1;
CREATE SEQUENCE Sequences.SupplierID AS int START WITH 1;
CREATE SEQUENCE Sequences.CustomerID AS int START WITH 1;
CREATE SEQUENCE Sequences.StockItemID AS int START WITH 1;
CREATE SEQUENCE Sequences.PurchaseOrderID AS int START WITH 1;
CREATE SEQUENCE Sequences.OrderID AS int START WITH 1;
CREATE SEQUENCE Sequences.InvoiceID AS int START WITH 1;
-- Entries of the ledgers of customers, suppliers and stock have one number.
CREATE SEQUENCE Sequences.EntryID AS bigint START WITH 1 CACHE 1000;
GO
