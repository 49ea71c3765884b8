-- What published scripts of the order-processing benchmark do that others do not.
set quoted_identifier off
go
declare @text varchar(100) = "it's text, not a name"
print @text
go
create database [order processing] on primary
    (name = N'op', filename = N'C:\Data\op.mdf', size = 100MB, filegrowth = 10)
    log on (name = N'op_log', filename = N'C:\Data\op.ldf', size = 50MB, filegrowth = 10)
go
use [order processing]
go
-- Two statements without a separator in one dynamic batch.
exec ("alter database current add filegroup mod contains memory_optimized_data
       alter database current add file (name = 'mod', filename = 'C:\Data\mod') to filegroup mod")
select name, type_desc from sys.filegroups order by name
go
alter database current collate Latin1_General_BIN2
go
select collation_name from sys.databases where name = "order processing"
select iif('a' > 'B', 'by code', 'by language')
go
-- A hash and a range index on one column.
create table dbo.Orders
(
    O_ID int identity not null primary key nonclustered hash with (bucket_count = 1024),
    O_C_ID int not null,
    O_FG tinyint not null,
    index HashCustomer nonclustered hash (O_C_ID) with (bucket_count = 64),
    index RangeCustomer nonclustered (O_C_ID)
) with (memory_optimized = on)
insert dbo.Orders (O_C_ID, O_FG) values (1, 0), (2, 0), (1, 1), (3, 0)
go
select i.name, i.type_desc, col_name(c.object_id, c.column_id) as name
from sys.indexes as i inner join sys.index_columns as c on c.object_id = i.object_id and c.index_id = i.index_id
where i.object_id = object_id('dbo.Orders') order by i.index_id
select O_ID from dbo.Orders where O_C_ID = 1 order by O_ID
select O_ID from dbo.Orders where O_C_ID > 1 order by O_ID
go
-- Names are compared by the collation of the database.
select O_ID from dbo.orders
go
create procedure dbo.FulfillOrder with native_compilation, schemabinding, execute as owner as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    declare @x int
    select top (1) @x = O_ID from dbo.Orders where O_FG = 0 order by O_ID
    if @x is not null
        update dbo.Orders set O_FG = 1 where O_ID = @x
    select @x as 'Order Fulfilled'
end
go
exec dbo.FulfillOrder
exec dbo.FulfillOrder
go
use master
go
drop database [order processing]
go
set quoted_identifier on
go
