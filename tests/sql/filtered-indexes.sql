-- A heap keeps its rows when its first index has a filter: a heap's first index was read for all of
-- its rows, and an index with a filter has only some of them.
create table h (a int, b int)
go
insert h select value, value from generate_series(1, 50)
go
create index f on h (a) where a > 10
go
create index g on h (b)
go
select count(*) as n from h
go
alter table h add c int not null default 7
go
select sum(a + c) as n from h
go
