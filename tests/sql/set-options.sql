set nocount on
select 1 as a
set nocount off
select 1 as a
go
set rowcount 2
select v from (values (1), (2), (3)) as r(v)
set rowcount 0
select count(*) as n from (values (1), (2), (3)) as r(v)
set rowcount -1
go
set datefirst 1 select @@datefirst as d, datepart(weekday, '2024-01-01') as w
set datefirst 7 select datepart(weekday, '2024-01-01') as w
set datefirst 9
go
set dateformat dmy select cast('02/03/2024' as datetime) as d
set dateformat mdy select cast('02/03/2024' as datetime) as d
set dateformat xyz
go
set language German select @@language as l, datename(month, '2024-03-01') as m
set language us_english
set language Klingon
go
set ansi_nulls off select case when null = null then 1 else 0 end as e
set ansi_nulls on select case when null = null then 1 else 0 end as e
go
set quoted_identifier off
go
select "a string" as s
go
set quoted_identifier on
go
select 1 as "a name"
go
set lock_timeout 100 select @@lock_timeout as t set lock_timeout -1
set textsize 100 select @@textsize as t set textsize -1
set context_info 0x0102 select substring(context_info(), 1, 3) as c
go
set noexec on
go
select 1 as not_run
go
set noexec off
go
set parseonly on
go
select * from nowhere
go
set parseonly off
go
set fmtonly on
go
select 1 as a, 'x' as b
go
set fmtonly off
go
set concat_null_yields_null on
select 'a' + null as n
go
set statistics io on set statistics io off
set deadlock_priority high set deadlock_priority low set deadlock_priority 3
set deadlock_priority 11
go
exec sp_set_session_context 'k', 'value'
select session_context(N'k') as v
go
-- what statements cost
create table stored (id int primary key, v int, index by_v (v))
create table hot (id int primary key nonclustered) with (memory_optimized = on)
insert stored values (1, 10), (2, 20), (3, 20) insert hot values (1)
go
set statistics io on
select id from stored order by id
select id from stored where id = 2
select id from stored where v = 20
select d.id from stored d join stored e on e.id = d.id where d.v = 20
update stored set v = 30 where v = 20
insert stored values (4, 40)
select * from hot
if exists (select * from stored where id = 9) print 'never'
declare @n int = (select count(*) from stored)
go
create trigger counting on stored after delete as select count(*) as n from stored
go
delete stored where id = 4
set statistics io off
select id from stored where id = 2
go
set statistics time on
select 1 as a
go
exec ('select 2 as b')
set statistics time off
go
drop table stored drop table hot
