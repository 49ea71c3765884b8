-- Conditions over what a table has computed columns for use the indexes of these.
create table dbo.Lines (
    Id int not null primary key,
    Details nvarchar(200) not null,
    Quantity int not null,
    Price decimal(10, 2) not null,
    City as json_value(Details, '$.city'),
    Total as Quantity * Price persisted,
    Twice as Quantity * 2,
    index by_city (City),
    index by_total (Total))
create table dbo.Other (Id int not null primary key, Details nvarchar(200))
insert dbo.Lines (Id, Details, Quantity, Price)
select value, concat(N'{"city":"c', value % 500, '"}'), value % 10, value from generate_series(1, 2000)
insert dbo.Other values (1, N'{"city":"c7"}'), (2000, null)
go
set showplan_text on
go
select Id from dbo.Lines where json_value(Details, '$.city') = N'c7'
go
select l.Id from dbo.Lines as l where json_value(l.Details, '$.city') = N'c7' and l.Quantity > 1
go
select Id from dbo.Lines where json_value(Details, '$.town') = N'c7'
go
select Id from dbo.Lines where Quantity * Price = 14
go
select Id from dbo.Lines where Quantity * 2 = 14
go
update dbo.Lines set Price = 1 where json_value(Details, '$.city') = N'c8'
go
select o.Id, l.Id from dbo.Other as o left join dbo.Lines as l on l.Id = o.Id where json_value(l.Details, '$.city') = N'c1'
go
set showplan_text off
go
select Id from dbo.Lines where json_value(Details, '$.city') = N'c7' order by Id
select Id from dbo.Lines where Quantity * Price = 14
update dbo.Lines set Details = N'{"city":"Bonn"}' where json_value(Details, '$.city') = N'c8'
select count(*) from dbo.Lines where json_value(Details, '$.city') = N'Bonn'
select o.Id, l.Id from dbo.Other as o left join dbo.Lines as l on l.Id = o.Id where json_value(l.Details, '$.city') = N'c1'
select o.Id from dbo.Other as o where exists (select 1 from dbo.Lines as l where json_value(l.Details, '$.city') = json_value(o.Details, '$.city'))
go
-- Not where the session computes otherwise than the index.
set concat_null_yields_null off
go
set showplan_text on
go
select Id from dbo.Lines where json_value(Details, '$.city') = N'c7'
go
set showplan_text off
go
set concat_null_yields_null on
go
drop table dbo.Lines, dbo.Other
