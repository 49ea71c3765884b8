declare @s nvarchar(100) = N'select @a + @b as s'
exec sp_executesql @s, N'@a int, @b int', 1, 2
exec sp_executesql @s, N'@a int, @b int', @b = 5, @a = 3
exec sp_executesql N'select 1 as one'
exec ('select ' + '2' + ' as two')
go
declare @o int
exec sp_executesql N'set @x = @x + 1', N'@x int output', @x = @o output
select @o as o
set @o = 5
exec sp_executesql N'set @x = @x + 1', N'@x int output', @o output
select @o as o
go
exec sp_executesql 'select 1'
go
exec sp_executesql N'select @a', N'@a int'
go
exec sp_executesql N'select @b', N'@a int', 1
go
-- its scope
declare @v int = 1
exec ('select @v')
go
exec ('declare @v int = 2 select @v as v')
exec ('set nocount on select 1 as a') select 2 as b
exec ('use tempdb select db_name() as d') select case when db_name() = 'tempdb' then 'not' else 'back' end as d
go
begin try exec ('select 1 / 0') end try begin catch print error_message() end catch
begin try exec ('select * from nowhere') end try begin catch print error_message() end catch
begin try exec ('syntax error here') end try begin catch print error_message() end catch
go
exec ('exec (''exec (''''print @@nestlevel'''')'')')
go
declare @h int
exec sp_prepare @h output, N'@p int', N'select @p * 2 as d'
exec sp_execute @h, 21
exec sp_execute @h, 4
exec sp_unprepare @h
exec sp_execute @h, 1
