-- entries of indexes: the warning when one could be too long, the error when one is
create table w (id int primary key, a varchar(1000), b nvarchar(400), c char(10))
create index ix on w (a, b, c)
insert w values (1, replicate('x', 1000), replicate(N'y', 345), 'z')
insert w values (2, replicate('x', 1000), replicate(N'y', 346), 'z')
go
update w set a = null where id = 1
update w set b = replicate(N'y', 400) where id = 1
update w set b = replicate(N'y', 400), a = replicate('x', 891) where id = 1
insert w select 3, replicate('x', 1000), replicate(N'y', 400), null
merge w using (select 1 id) s on s.id = w.id when matched then update set a = replicate('x', 1000);
select id, len(a) a, len(b) b from w
go
-- an index on rows that are there
create table r (a varchar(2000), b int)
insert r values (replicate('x', 1701), 1), ('y', 2)
create index ia on r (a)
create index ib on r (a) where b > 1
create index ic on r (b) include (a)
alter table r add constraint ud unique (a)
select name from sys.indexes where object_id = object_id('r') and name is not null order by name
create table #r (a varchar(2000))
insert #r values (replicate('x', 1701))
create index ia on #r (a)
drop table #r
go
create table k (a varchar(2000) constraint pk_k primary key)
insert k values (replicate('x', 900))
insert k values (replicate('y', 901))
declare @v table (a varchar(2000), index ix clustered (a))
insert @v values (replicate('y', 901))
go
create table m (a varchar(2501) not null primary key nonclustered) with (memory_optimized = on)
go
create table m (a varchar(2600) not null primary key nonclustered hash with (bucket_count = 8)) with (memory_optimized = on)
go
declare @s nvarchar(max) = N'exec p ' + stuff(replicate(cast(N',1' as nvarchar(max)), 2101), 1, 1, N'')
exec (@s)
go
declare @s nvarchar(max) = N'exec p ' + stuff(replicate(cast(N',1' as nvarchar(max)), 2100), 1, 1, N'')
exec (@s)
go
declare @s nvarchar(max) = (select string_agg(concat(cast(N'@p' as nvarchar(max)), value, N' int'), N',') from generate_series(1, 2101))
set @s = N'create procedure p ' + @s + N' as select 1'
exec (@s)
