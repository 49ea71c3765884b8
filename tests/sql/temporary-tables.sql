create table #a (id int identity primary key, v varchar(10) default 'x')
insert #a default values
insert #a (v) values ('y')
select * from #a
go
select name from tempdb.sys.tables where name like '#a%' and len(name) <> 128
select object_id('tempdb..#a') - object_id('tempdb..#a') as zero
create table #a (b int)
go
alter table #a add w int null
go
select * from #a
create index ix on #a (v)
update #a set w = id * 2
select v, w from #a order by v
truncate table #a
insert #a (v) values ('z')
select id, v from #a
drop table #a
go
select * from #a
go
-- created in dynamic SQL: gone with it
exec('create table #b (a int)') select * from #b
go
-- SELECT INTO
select 1 as a, cast('x' as varchar(5)) as b into #c
insert #c values (2, 'y')
select * from #c
drop table if exists #c
drop table if exists #c
go
-- transactions
begin tran create table #d (a int) insert #d values (1) rollback
select * from #d
go
create table #d (a int) begin tran insert #d values (1) rollback select count(*) as n from #d
drop table #d
go
-- global
create table ##g (a int) insert ##g values (5)
go
select * from tempdb..##g
drop table ##g
go
-- table variables do not take part in transactions
declare @t table (id int primary key, v int check (v > 0))
begin tran insert @t values (1, 1) rollback
select * from @t
insert @t values (1, 2)
insert @t values (2, -1)
insert @t values (2, 2)
update @t set v = v * 10 output deleted.v, inserted.v
delete @t where id = 1
select * from @t
