set nocount on
create table t (a int not null, b varchar(5))
insert t values (1, 'x')
go
create procedure branches @p int as
if @p = 1 select a from t else select b from t
while @p > 0 begin select 'loop' as l break end
return 5
select 'behind' as r
go
create procedure changes as
begin try
    delete t
    insert t values (2, 'y')
    create table made (a int)
    select 'try' as c
end try begin catch select 'catch' as c end catch
throw 50001, 'not', 1
go
create procedure switches as
declare @on bit = 0
if 1 = 0 set @on = 1
set fmtonly off
if @on = 1 select 'told' as told
select a from t
go
create procedure recurses @n int as select @n as n if @n > 0 begin set @n -= 1 exec recurses @n end
go
create procedure two as begin print 'two' select 1 as a select 'z' as b, 2 as c return 9 end
go
set fmtonly on
go
select * from t
update t set a = 3 output deleted.a
drop table t
exec ('drop table t')
create table other (a int)
print 'not said'
go
exec branches 2
go
exec changes
go
exec switches
go
set fmtonly on
go
exec recurses 3
exec sp_executesql N'select @p as p', N'@p int', 1
exec sp_rename 't', 'u'
go
exec two with result sets ((p bigint), (q char(3)))
go
set fmtonly off
go
select * from t
select name from sys.tables order by name
exec two with result sets ((p bigint), (q char(3)))
go
exec two with result sets ((p bigint), (q char(3), r int), (s int))
go
exec two with result sets ((p bigint))
go
select 'alive' as a
go
