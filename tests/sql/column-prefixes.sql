-- the names of a column's table: two, three or four parts
create table t (a int)
insert t values (1)
go
select information_schema.tables.table_name from information_schema.tables where INFORMATION_SCHEMA.TABLES.TABLE_SCHEMA = N'dbo'
select [INFORMATION_SCHEMA].[COLUMNS].[COLUMN_NAME] from [INFORMATION_SCHEMA].[COLUMNS] order by [INFORMATION_SCHEMA].[COLUMNS].[ORDINAL_POSITION]
select sys.tables.name, tables.type from sys.tables
select master.sys.databases.name from master.sys.databases where master.sys.databases.database_id = 1
select column_prefixes.a from (select 1 a) column_prefixes
select [column-prefixes].dbo.t.a, [column-prefixes]..t.a, dbo.t.a, t.a from [column-prefixes].dbo.t
select sys.tables.* from sys.tables join sys.schemas on sys.schemas.schema_id = sys.tables.schema_id where 1 = 0
select dbo.sysobjects.name from dbo.sysobjects where dbo.sysobjects.name = 't'
go
select information_schema.tables.name from sys.tables
go
select other.tables.table_name from information_schema.tables
go
select sys.t.a from dbo.t
go
select tempdb.sys.tables.name from sys.tables
