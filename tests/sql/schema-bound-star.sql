-- what is bound to its schema names its columns
create table dbo.t (a int not null primary key nonclustered, b int)
create table dbo.m (a int not null primary key nonclustered, b int) with (memory_optimized = on)
go
create view dbo.v with schemabinding as select * from dbo.t
go
create view dbo.v with schemabinding as select x.a from (select t.* from dbo.t) x
go
create function dbo.f() returns table with schemabinding as return (select * from dbo.t)
go
create function dbo.g() returns int with schemabinding as begin return (select count(*) from (select * from dbo.t) x) end
go
create procedure dbo.p with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english') select * from dbo.m end
go
-- these do not name columns by it
create view dbo.v with schemabinding as select a, (select count(*) from dbo.t) n from dbo.t where exists (select * from dbo.t)
go
select * from dbo.v
go
create view dbo.w as select * from dbo.t
go
create function dbo.h() returns table as return (select * from dbo.v)
go
select * from dbo.h()
