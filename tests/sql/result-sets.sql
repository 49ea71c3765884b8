create procedure one as select 1 as a, 'hello' as b
go
create procedure two as begin print 'two' select 1 as a select 'z' as b, 2 as c return 9 end
go
create procedure none as print 'nothing is returned'
go
create procedure outside as exec one
go
create table shape (id int not null, words nvarchar(20) collate Latin1_General_BIN2)
go
create type shapes as table (id bigint, words char(7))
go
exec one with result sets undefined
exec none with result sets none
exec none with result sets undefined
go
-- names and types are those of the clause
exec one with result sets ((x int, y varchar(20)))
exec one with result sets ((x bigint not null, y nchar(7)))
exec one with recompile, result sets ((x varchar(30), [a y] varchar(2)))
go
exec one with result sets ((x int, y varchar(20) collate Latin1_General_BIN2 not null))
exec one with result sets (as object shape)
exec one with result sets (as type shapes)
exec ('select 1.5 as a') with result sets ((x int))
exec sp_executesql N'select @a as a', N'@a int', 5 with result sets ((x datetime))
go
declare @status int
exec @status = two with result sets ((p bigint), (q char(3), r varchar(9)))
print @status
go
-- too many, too few, other columns
exec one with result sets none print 'not reached'
go
exec two with result sets ((p bigint))
go
exec one with result sets ((x int, y varchar(20)), (z int)) print 'not reached'
go
exec none with result sets ((z int))
go
exec one with result sets ((x int))
go
exec two with result sets ((p bigint), (q char(3)))
go
-- types that do not convert, and values
exec one with result sets ((x date, y varchar(9)))
go
exec one with result sets ((x int, y varbinary(9)))
go
exec one with result sets ((x int, y numeric(5,2)))
go
exec ('select 300 as a') with result sets ((x nvarchar(2)))
go
exec ('select 1 as a union all select null') with result sets ((x int not null))
go
-- who is to blame
begin try exec outside with result sets ((x date, y int)) end try
begin catch select error_number() as n, error_procedure() as p, error_line() as l end catch
begin try exec one with result sets ((x int, y char(5)), (z int)) end try
begin catch select error_number() as n, error_procedure() as p end catch
go
-- the outer clause sees what the inner one has made
create procedure renamed as exec one with result sets ((x bigint, y varchar(3)))
go
exec renamed with result sets ((p varchar(5), q nvarchar(4)))
go
exec one with result sets ((x nowhere, y int))
go
exec one with result sets (as object nothing)
go
exec one with result sets (as type shape)
go
exec one with result sets (x int)
go
exec one with result sets ()
go
create table #t (a int, b varchar(20)) insert #t exec one with result sets ((x int, y varchar(20)))
go
exec sp_describe_first_result_set N'exec one with result sets ((x bigint not null, y nchar(7)))'
go
