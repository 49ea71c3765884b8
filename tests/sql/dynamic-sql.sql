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
go
-- defaults among the parameters of a text
exec sp_executesql N'select @a as a, @b as b', N'@a int = 5, @b nvarchar(10) = N''some'''
exec sp_executesql N'select @a as a, @b as b', N'@a int = -5, @b varchar(10) = word', @b = 'other'
exec sp_executesql N'select @a as a, @b as b', N'@a int, @b decimal(5, 2) = 1.5', 7, default
exec sp_executesql N'select @a as a', N'@a int = null', default
go
exec sp_executesql N'select @a as a', N'@a int = ''x'''
go
exec sp_executesql N'select @a + @b as s', N'@a int = 5, @b int'
go
declare @h int
exec sp_prepexec @h output, N'@a int = 3', N'select @a as a'
exec sp_execute @h, 4
exec sp_execute @h
go
-- calls in canonical form
create procedure doubled @n int, @twice int = 0 output as
set @twice = isnull(@n, 0) * 2 print concat(@n, ' doubled') return @twice + 1
go
declare @h int, @status int, @twice int
exec sp_prepexecrpc @h output, N'{? = call doubled(?, ?)}', @status output, 4, @twice output
select @status as status, @twice as twice
exec sp_execute @h, @status output, 5, @twice output
select @status as status, @twice as twice
exec sp_unprepare @h
exec sp_prepexecrpc @h output, N'{call doubled(7)}'
exec sp_prepexecrpc @h output, N'{call doubled(?, default)}', 8
exec sp_prepexecrpc @h output, N'doubled', 9
go
declare @h int exec sp_prepexecrpc @h output, N'{call nothing(?)}', 8
go
declare @h int exec sp_prepexecrpc @h output, '{call doubled(1)}'
go
exec sp_describe_parameter_encryption N'select @a + @b', N'@a int, @b decimal(5, 2)'
exec sp_describe_parameter_encryption N'select 1'
go
exec sp_describe_parameter_encryption N'select @c', N'@a int'
go
-- dynamic SQL runs in its own scope
exec('select 1 as a') exec sp_executesql N'select @p+1 as b', N'@p int', @p = 4
go
declare @o int exec sp_executesql N'set @x = @x * 2', N'@x int output', @x = @o output select @o
go
