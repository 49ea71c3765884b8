-- The database starts without a filegroup for memory-optimized tables.
create database d
go
-- Nothing to merge is no error.
declare @r int; exec @r = sys.sp_xtp_merge_checkpoint_files 'd', 0, 1; print @r
go
use d
go
create table m (id int not null primary key nonclustered) with (memory_optimized = on)
go
create procedure np with native_compilation, schemabinding as begin atomic with (transaction isolation level = snapshot, language = 'english') select 1 as one end
go
alter database d add filegroup fg contains memory_optimized_data
alter database d add file (name = 'f', filename = 'C:\data\f') to filegroup fg
go
create table m (id int not null primary key) with (memory_optimized = on)
go
create table m (id int not null) with (memory_optimized = on)
go
create table m (id int not null, index ix hash (id) with (bucket_count = 5)) with (memory_optimized = on)
go
create table m (id int identity(2, 1) primary key nonclustered) with (memory_optimized = on)
go
create table m (id int primary key nonclustered, x datetimeoffset) with (memory_optimized = on)
go
create table m (id int primary key nonclustered, x rowversion) with (memory_optimized = on)
go
create table m (id int constraint pk primary key nonclustered hash) with (memory_optimized = on)
go
create table m (id int primary key nonclustered hash with (bucket_count = 0)) with (memory_optimized = on)
go
create table m (id int primary key nonclustered hash with (bucket_count = 2000000000)) with (memory_optimized = on)
go
create table m (id int primary key nonclustered with (bucket_count = 10)) with (memory_optimized = on)
go
create table m (id int primary key nonclustered hash with (bucket_count = 10))
go
create table m (id int) with (durability = schema_only)
go
create table m (id int primary key nonclustered with (fillfactor = 50)) with (memory_optimized = on)
go
create table m (id int primary key nonclustered, a int, index i (a) include (id)) with (memory_optimized = on)
go
create table m (id int primary key nonclustered, a int, index i (a) where a > 1) with (memory_optimized = on)
go
create table m (id int not null identity primary key nonclustered hash with (bucket_count = 1000), n nvarchar(20) not null, index ix (n)) with (memory_optimized = on)
create table s (id int not null index ix) with (memory_optimized = on, durability = schema_only)
select name, is_memory_optimized, durability_desc from sys.tables order by name
select name, type_desc from sys.indexes where object_id = object_id('m') order by index_id
select bucket_count from sys.hash_indexes where object_id = object_id('m')
go
create table c (id int primary key nonclustered, m int references s (id)) with (memory_optimized = on)
go
create table c (id int primary key nonclustered, m int constraint fk references m (id) on delete cascade) with (memory_optimized = on)
go
create table c (id int primary key, m int constraint fk references m (id))
go
create table c (id int primary key nonclustered, m int constraint fk references m (id)) with (memory_optimized = on)
insert c values (1, 1)
insert m values ('a')
insert c values (1, 1)
delete m
drop table m
go
truncate table c
go
alter table c add constraint ck check (m > 5)
go
alter table c add b nvarchar(10) not null default 'z', index ib hash (b) with (bucket_count = 16)
select * from c
alter table c alter index ib rebuild with (bucket_count = 100)
select bucket_count from sys.hash_indexes where object_id = object_id('c')
alter table c drop index ib
alter table c drop index nope
create index ib on c (b)
drop index ib on c
go
begin tran
alter table c add z int
go
rollback
go
create schema sales
go
create type sales.lines as table (id int not null, q int, index ix hash (id) with (bucket_count = 8)) with (memory_optimized = on)
go
create type sales.bad as table (id int) with (memory_optimized = on)
go
create procedure sales.p @r sales.lines readonly, @o int output with native_compilation, schemabinding, execute as owner as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    insert dbo.m (n) select cast(q as nvarchar(20)) from @r
    set @o = scope_identity()
end
go
declare @r sales.lines, @o int
insert @r values (1, 5), (2, 6)
exec sales.p @r, @o output
print @o
select * from m order by id
go
drop table m
go
drop type sales.lines
go
drop schema sales
go
alter table m drop column n
go
create procedure np with native_compilation as begin atomic with (transaction isolation level = snapshot, language = 'english') select id from dbo.m end
go
create procedure np with native_compilation, schemabinding as begin atomic with (transaction isolation level = snapshot, language = 'english') select nope from dbo.m end
go
create procedure np with native_compilation, schemabinding as select 1
go
create or alter procedure sales.p as select 1
go
create trigger tr on m after insert as print 'x'
go
create trigger tr on m with native_compilation, schemabinding instead of insert as begin atomic with (transaction isolation level = snapshot, language = 'english') declare @i int end
go
create table #m (id int primary key nonclustered) with (memory_optimized = on)
go
use master
create table m (id int primary key nonclustered) with (memory_optimized = on)
go
drop database d
go
