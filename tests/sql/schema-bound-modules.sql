-- what others are bound to is neither altered nor dropped
create table t (id int not null primary key, v int)
go
create view inner_view with schemabinding as select id, v from dbo.t
go
create view outer_view with schemabinding as select id from dbo.inner_view
go
create view free_view as select id from dbo.inner_view
go
alter view inner_view with schemabinding as select id, v + 1 as v from dbo.t
go
create or alter view inner_view as select id, v from dbo.t
go
drop view inner_view
go
create function twice (@i int) returns int with schemabinding as begin return @i * 2 end
go
create table uses (id int, w as dbo.twice(id), constraint small check (dbo.twice(id) < 10))
go
alter function twice (@i int) returns int with schemabinding as begin return @i * 3 end
go
alter table uses drop constraint small
go
alter function dbo.twice (@i int) returns int with schemabinding as begin return @i * 3 end
go
alter table uses drop column w
go
alter function twice (@i int) returns int with schemabinding as begin return @i * 3 end
go
select dbo.twice(2) as n
go
-- a view that is bound to nothing does not hold what it names
alter view outer_view as select id from dbo.inner_view
go
alter view inner_view as select id, v + 1 as v from dbo.t
go
-- native modules are bound
create procedure called with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english') return 1 end
go
create procedure calls with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english') exec dbo.called end
go
alter procedure called with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english') return 2 end
go
