-- What the procedures by which drivers learn of tables, columns, keys and types answer.
create table p (id int not null constraint PK_p primary key, name nvarchar(40) not null,
  price decimal(10, 2) null constraint DF_price default 1.5, made datetime2(3) null, v rowversion)
go
create table c (id int identity primary key, p int not null constraint FK_c references p (id)
  on delete cascade, note varchar(max) null, constraint CK_c check (id > 0))
go
create index IX_note on c (p desc) include (note)
go
create procedure q @a int = 1, @b nvarchar(10) output as select id, name from p where id = @a
go
create view w as select id, name from p
go
create trigger tr on p after insert as set nocount on
go
exec sp_columns 'p'
go
exec [sys].sp_columns_100 N'p', N'dbo', NULL, N'made', @ODBCVer = 3
go
exec sp_columns_100 'c', @column_name = 'id'
go
exec sp_pkeys 'p'
go
exec sp_fkeys @pktable_name = 'p'
go
exec sp_tables '%', 'dbo', NULL, '''VIEW'''
go
exec sp_special_columns_100 'p'
go
exec sp_datatype_info_100 93, 3
go
-- Drivers say which ODBC they speak; whatever is newer than 3 has its types.
exec sp_datatype_info_100 93, 4
go
exec sp_datatype_info_100 93, 2
go
exec sp_datatype_info_100 11, 1
go
exec sp_columns_100 N'p', N'dbo', NULL, N'made', @ODBCVer = 4
go
exec sp_columns_100 NULL, 'dbo', NULL, '%'
go
exec sp_tablecollations_100 N'.[p]'
go
