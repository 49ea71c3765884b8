-- Natively compiled procedures, functions and triggers that call each other, in a database that
-- was created with its filegroup for memory-optimized tables.
create database native_modules on primary (name = a, filename = 'a.mdf'),
filegroup m contains memory_optimized_data (name = m, filename = 'm')
go
use native_modules
go
create table dbo.p (id int not null primary key nonclustered hash with (bucket_count = 64),
n int not null check (n > 0)) with (memory_optimized = on)
go
create table dbo.log (id int identity not null primary key nonclustered, i int, d int)
with (memory_optimized = on, durability = schema_only)
go
create type dbo.tt as table (id int not null primary key nonclustered, n int) with (memory_optimized = on)
go
create trigger dbo.tr on dbo.p with native_compilation, schemabinding after insert, update as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
declare @i int, @d int; select @i = count(*) from inserted; select @d = count(*) from deleted;
insert dbo.log (i, d) values (@i, @d) end
go
create function dbo.twice (@x int) returns int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
return @x * 2 end
go
create procedure dbo.one @a int, @b int output with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
set @b = dbo.twice(@a); if @a > 100 throw 50005, N'too large', 1;
insert dbo.p values (@a, @b); return 3 end
go
create procedure dbo.two @a int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
declare @b int, @r int; begin try exec @r = dbo.one @a, @b = @b output; end try
begin catch insert dbo.log (i, d) values (error_number(), -1) end catch
select @b as b, @r as r, @@rowcount as n end
go
create procedure dbo.three with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
exec dbo.two 20 select 1 as last end
go
create procedure dbo.many @t dbo.tt readonly with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
insert dbo.p select id, n from @t where id > 50;
update dbo.p set n = t.n from dbo.p p join @t t on t.id = p.id where p.id <= 50 end
go
exec dbo.two 7
go
exec dbo.two 700
go
exec dbo.two 7
go
exec dbo.three
go
delete dbo.p where id = 20
go
begin tran exec dbo.two 8 rollback
go
declare @t dbo.tt insert @t values (60, 1), (7, 77) exec dbo.many @t
go
select id, n, dbo.twice(n) as m from dbo.p order by id
go
select i, d from dbo.log where d = -1 order by i
go
select i, d, count(*) as n from dbo.log where d >= 0 group by i, d
go
declare @b int exec dbo.one 999, @b output
go
use master drop database native_modules
go
