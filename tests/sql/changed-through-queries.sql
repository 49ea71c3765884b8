-- what common table expressions and derived tables show of table variables can be changed
declare @t table (n int, o int)
insert @t values (1, 0), (2, 0);
with c as (select n, o, row_number() over (order by n desc) rn from @t) update c set o = rn;
select * from @t order by n
go
declare @t table (n int, o int)
insert @t values (1, 0), (1, 0), (2, 0);
with c as (select n, o, row_number() over (partition by n order by n) rn from @t) delete from c where rn > 1;
select * from @t order by n
update c set o = 7 from (select n, o from @t where n = 2) c
update c set o = v.n from @t as v join (select n, o from @t where n = 1) c on c.n = v.n
select * from @t order by n;
with c as (select n, o from @t) insert into c values (3, 3);
with c as (select n, o from @t where n > 1), d as (select n m, o from c) update d set o += 1 output deleted.o, inserted.o, inserted.m;
with c as (select top 1 n from @t order by n desc) delete c output deleted.n
select count(*) from @t
go
declare @t table (n int);
with c as (select n, n + 1 m from @t) update c set m = 1
go
declare @t table (n int);
with c as (select count(*) n from @t) update c set n = 1
go
-- not those that a caller has passed
create type dbo.numbers as table (n int primary key)
go
create procedure p @v dbo.numbers readonly as delete @v
go
create procedure p @v dbo.numbers readonly as
with c as (select n from @v) delete c
go
create procedure p @v dbo.numbers readonly as
update c set n = 1 from (select n from @v) c
go
create procedure p @v dbo.numbers readonly as
declare @own dbo.numbers insert @own select n from @v insert @own select n from @v
go
declare @v dbo.numbers insert @v values (1)
exec p @v
