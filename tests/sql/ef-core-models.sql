-- Entity Framework Core: temporal tables, trees, and inheritance.
create table [Employees] ([Id] int not null identity, [Name] nvarchar(100) not null, [Dept] nvarchar(20) null,
  [PeriodEnd] datetime2 generated always as row end hidden not null, [PeriodStart] datetime2 generated always as row start hidden not null,
  constraint [PK_Employees] primary key ([Id]), period for system_time ([PeriodStart], [PeriodEnd])) with (system_versioning = on (history_table = [dbo].[EmployeesHistory]))
go
declare @historyTableSchema sysname = SCHEMA_NAME()
EXEC(N'CREATE TABLE [Offices] (
    [Id] int NOT NULL IDENTITY,
    [City] nvarchar(max) NOT NULL,
    [PeriodEnd] datetime2 GENERATED ALWAYS AS ROW END HIDDEN NOT NULL,
    [PeriodStart] datetime2 GENERATED ALWAYS AS ROW START HIDDEN NOT NULL,
    CONSTRAINT [PK_Offices] PRIMARY KEY ([Id]),
    PERIOD FOR SYSTEM_TIME([PeriodStart], [PeriodEnd])
) WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = [' + @historyTableSchema + N'].[OfficesHistory]))');
go
insert into [Employees] ([Name], [Dept]) output inserted.[Id] values (N'Ann', N'A'), (N'Bob', N'B')
create table moments (name varchar(10) primary key, at datetime2 not null)
waitfor delay '00:00:00.010'
insert moments values ('first', sysutcdatetime())
waitfor delay '00:00:00.010'
update [Employees] set [Dept] = N'C' where [Name] = N'Ann'
delete from [Employees] where [Name] = N'Bob'
waitfor delay '00:00:00.010'
insert moments values ('second', sysutcdatetime())
go
declare @first datetime2 = (select at from moments where name = 'first'), @second datetime2 = (select at from moments where name = 'second')
-- TemporalAsOf, TemporalAll, TemporalBetween, TemporalFromTo, TemporalContainedIn
select [e].[Id], [e].[Dept], [e].[Name] from [Employees] for system_time as of @first as [e] order by [e].[Id]
select [e].[Id], [e].[Dept], [e].[Name], case when [e].[PeriodEnd] > @second then 1 else 0 end as [current] from [Employees] for system_time all as [e] order by [e].[Id], [e].[PeriodStart]
select [e].[Id], [e].[Dept] from [Employees] for system_time between @first and @second as [e] order by [e].[Id], [e].[PeriodStart] desc
select [e].[Id], [e].[Dept] from [Employees] for system_time from @second to '9999-12-31T23:59:59.9999999' as [e] order by [e].[Id]
select [e].[Id], [e].[Dept] from [Employees] for system_time contained in ('2000-01-01T00:00:00.0000000', @second) as [e] order by [e].[Id]
select [e].[Id], [o].[Name] from [Employees] for system_time as of @first as [e] left join [Employees] for system_time as of @second as [o] on [e].[Id] = [o].[Id] order by [e].[Id]
select count(*) from (select [e].[Id] from [Employees] for system_time all as [e] where [e].[PeriodStart] < @first) as [t]
go
-- a column is added to a temporal table, and one is dropped
alter table [Employees] add [Grade] int not null default 0
go
ALTER TABLE [Employees] SET (SYSTEM_VERSIONING = OFF)
DECLARE @var0 sysname;
SELECT @var0 = [d].[name]
FROM [sys].[default_constraints] [d]
INNER JOIN [sys].[columns] [c] ON [d].[parent_column_id] = [c].[column_id] AND [d].[parent_object_id] = [c].[object_id]
WHERE ([d].[parent_object_id] = OBJECT_ID(N'[Employees]') AND [c].[name] = N'Grade');
IF @var0 IS NOT NULL EXEC(N'ALTER TABLE [Employees] DROP CONSTRAINT [' + @var0 + '];');
ALTER TABLE [Employees] DROP COLUMN [Grade];
ALTER TABLE [EmployeesHistory] DROP COLUMN [Grade];
EXEC sp_rename N'[Employees].[Dept]', N'Department', N'COLUMN';
EXEC sp_rename N'[EmployeesHistory].[Dept]', N'Department', N'COLUMN';
DECLARE @historyTableSchema nvarchar(max) = QUOTENAME(SCHEMA_NAME())
EXEC(N'ALTER TABLE [Employees] SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = ' + @historyTableSchema + '.[EmployeesHistory]))')
go
select [Id], [Department], [Name] from [Employees] for system_time all order by [Id], [PeriodStart]
go
-- a temporal table becomes an ordinary one, and an ordinary one temporal
ALTER TABLE [Offices] SET (SYSTEM_VERSIONING = OFF)
ALTER TABLE [Offices] DROP PERIOD FOR SYSTEM_TIME
ALTER TABLE [Offices] DROP COLUMN [PeriodEnd];
ALTER TABLE [Offices] DROP COLUMN [PeriodStart];
DROP TABLE [OfficesHistory];
go
ALTER TABLE [Offices] ADD [PeriodEnd] datetime2 NOT NULL DEFAULT '9999-12-31T23:59:59.9999999';
ALTER TABLE [Offices] ADD [PeriodStart] datetime2 NOT NULL DEFAULT '0001-01-01T00:00:00.0000000';
go
ALTER TABLE [Offices] ADD PERIOD FOR SYSTEM_TIME ([PeriodStart], [PeriodEnd])
ALTER TABLE [Offices] ALTER COLUMN [PeriodStart] ADD HIDDEN
ALTER TABLE [Offices] ALTER COLUMN [PeriodEnd] ADD HIDDEN
DECLARE @historyTableSchema sysname = SCHEMA_NAME()
EXEC(N'ALTER TABLE [Offices] SET (SYSTEM_VERSIONING = ON (HISTORY_TABLE = [' + @historyTableSchema + '].[OfficesHistory]))')
go
insert [Offices] ([City]) values (N'Bonn')
select * from [Offices]
go
-- trees: HierarchyId
create table [Halflings] ([Id] int not null identity, [Path] hierarchyid not null, [Name] nvarchar(50) not null, constraint [PK_Halflings] primary key ([Id]))
create unique index [IX_Halflings_Path] on [Halflings] ([Path])
exec sp_executesql N'SET IMPLICIT_TRANSACTIONS OFF; SET NOCOUNT ON; INSERT INTO [Halflings] ([Name], [Path]) OUTPUT INSERTED.[Id] VALUES (@p0, @p1)', N'@p0 nvarchar(50), @p1 hierarchyid', N'Balbo', '/'
insert [Halflings] ([Name], [Path]) values (N'Mungo', '/1/'), (N'Pansy', '/2/'), (N'Bungo', '/1/1/'), (N'Belba', '/1/2/'), (N'Bilbo', '/1/1/1/'), (N'Fosco', '/2/1/')
go
select [h].[Name], [h].[Path].ToString() as [Path], [h].[Path].GetLevel() as [Level] from [Halflings] as [h] where [h].[Path].GetLevel() = cast(1 as smallint) order by [h].[Path]
exec sp_executesql N'SELECT [h].[Name] FROM [Halflings] AS [h] WHERE [h].[Path].GetAncestor(1) = (
    SELECT TOP(1) [h0].[Path] FROM [Halflings] AS [h0] WHERE [h0].[Name] = @__name_0) ORDER BY [h].[Path]', N'@__name_0 nvarchar(50)', N'Mungo'
select [h].[Name] from [Halflings] as [h] where [h].[Path].IsDescendantOf((select top(1) [h0].[Path] from [Halflings] as [h0] where [h0].[Name] = N'Mungo' and [h].[Id] <> [h0].[Id])) = cast(1 as bit) order by [h].[Path].GetLevel() desc, [h].[Path]
select [h].[Name] from [Halflings] as [h] where (select top(1) [h0].[Path] from [Halflings] as [h0] where [h0].[Name] = N'Bilbo' and [h].[Id] <> [h0].[Id]).IsDescendantOf([h].[Path]) = cast(1 as bit) order by [h].[Path].GetLevel() desc
declare @old hierarchyid = '/1/1/', @new hierarchyid = hierarchyid::Parse('/2/')
update [Halflings] set [Path] = [Path].GetReparentedValue(@old, @new.GetDescendant('/2/1/', null)) where [Path].IsDescendantOf(@old) = cast(1 as bit)
select [h].[Name], [h].[Path].ToString() as [Path] from [Halflings] as [h] order by [h].[Path]
go
-- inheritance: one table with a discriminator, a table for each type, a table for each concrete type
create table [Animals] ([Id] int not null identity primary key, [Discriminator] nvarchar(8) not null, [Name] nvarchar(20) not null, [Lives] int null, [Tricks] int null)
create table [Vehicles] ([Id] int not null identity primary key, [Name] nvarchar(20) not null)
create table [Cars] ([Id] int not null primary key references [Vehicles] on delete cascade, [Doors] int not null)
create table [Bikes] ([Id] int not null primary key references [Vehicles] on delete cascade, [Gears] int not null)
insert [Animals] values (N'Cat', N'Tom', 9, null), (N'Dog', N'Rex', null, 3), (N'Animal', N'It', null, null)
insert [Vehicles] values (N'VW'), (N'Gazelle'), (N'cart')
insert [Cars] values (1, 4)
insert [Bikes] values (2, 7)
go
select [a].[Id], [a].[Discriminator], [a].[Name], [a].[Lives], [a].[Tricks] from [Animals] as [a] where [a].[Discriminator] in (N'Cat', N'Dog') order by [a].[Id]
select [v].[Id], [v].[Name], [c].[Doors], [b].[Gears], case when [b].[Id] is not null then N'Bike' when [c].[Id] is not null then N'Car' end as [Discriminator] from [Vehicles] as [v] left join [Cars] as [c] on [v].[Id] = [c].[Id] left join [Bikes] as [b] on [v].[Id] = [b].[Id] order by [v].[Id]
select [t].[Id], [t].[Doors], [t].[Gears], [t].[Discriminator] from (select [c].[Id], [c].[Doors], null as [Gears], N'Car' as [Discriminator] from [Cars] as [c] union all select [b].[Id], null as [Doors], [b].[Gears], N'Bike' as [Discriminator] from [Bikes] as [b]) as [t] order by [t].[Id]
go
ALTER TABLE [Employees] SET (SYSTEM_VERSIONING = OFF)
ALTER TABLE [Offices] SET (SYSTEM_VERSIONING = OFF)
go
