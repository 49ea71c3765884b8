-- Where the rows of an INSERT, and of other changes, come from.
create schema sales
go
create sequence sales.seq as bigint start with 5
go
create table sales.s (id bigint default next value for sales.seq, n int)
go
insert sales.s (n) values (1), (2) insert sales.s values (default, 3)
go
insert sales.s (n) exec ('select 8 union all select 9')
go
select id, n from sales.s order by id
go
select id, n into #copy from sales.s insert #copy select * from #copy select count(*) from #copy
go
declare @t table (id int primary key, n int default 5) insert @t (id) select n from sales.s where n < 3
update @t set n += id output deleted.n, inserted.n select id, n from @t
go
begin tran delete sales.s rollback select count(*) from sales.s
go
with x as (select top (2) * from sales.s order by id desc) delete x select max(id) from sales.s
go
declare @v int update sales.s set @v = n = n + 100 where n = 2 select @v
go
-- SELECT INTO makes its table.
create table t (id int not null primary key, v int check (v > 0))
insert t values (1, 10), (2, 20)
go
select id, v * 2 as w into u from t select * from u
go
