create table m (id int not null primary key nonclustered hash with (bucket_count = 100), v int not null, index ix nonclustered (v)) with (memory_optimized = on)
create table so (id int not null primary key nonclustered, v int) with (memory_optimized = on, durability = schema_only)
go
create type ids as table (id int not null, index ix nonclustered (id)) with (memory_optimized = on)
go
create procedure add_row @id int, @v int = 5 with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    insert dbo.m (id, v) values (@id, @v)
    select id, v from dbo.m where id = @id
end
go
exec add_row 1
exec add_row 2, 20
exec add_row 1
print 'on'
select count(*) as n from m
go
create procedure total @min int, @sum int output with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    declare @i int = 0
    set @sum = 0
    select @sum = sum(v) from dbo.m where v >= @min
    while @i < 3 begin set @sum += 1 set @i += 1 end
    if @sum > 1000 return 1
    return 0
end
go
declare @s int, @r int exec @r = total 0, @s output select @s as s, @r as r
go
create procedure tvp @ids dbo.ids readonly with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    select m.id, m.v from dbo.m join @ids as i on i.id = m.id order by m.id
end
go
declare @i dbo.ids insert @i values (1), (2), (3) exec tvp @i
go
-- an atomic block is all or nothing
create procedure half with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    insert dbo.m values (50, 1)
    insert dbo.m values (50, 2)
end
go
exec half
select count(*) as n from m where id = 50
begin tran
insert m values (60, 6)
exec half
select count(*) as n from m with (snapshot) where id in (50, 60)
commit
select count(*) as n from m where id = 60
go
-- errors inside
create procedure catches @d int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    begin try
        declare @x int = 1 / @d
        insert dbo.so values (@d, @x)
    end try
    begin catch
        select error_number() as n, error_message() as m;
        throw 50001, 'gave up', 1
    end catch
end
go
exec catches 1
exec catches 0
exec catches 1
select * from so
go
-- levels in transactions
begin tran select count(*) from m commit
go
print @@trancount
begin tran select count(*) as n from m with (snapshot) commit
go
set transaction isolation level repeatable read
begin tran select count(*) as n from m with (snapshot) commit
select count(*) from m
go
set transaction isolation level read committed
alter database current set memory_optimized_elevate_to_snapshot on
begin tran select count(*) as n from m commit
go
-- reads between changes see what came before; an error between statements undoes none of them
create procedure reads_between @d int with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    declare @a int = 0, @b int = 0, @c int = 0
    select @a = v from dbo.m where id = 1
    begin try
        insert dbo.m values (70, 7)
        select @b = v from dbo.m where id = 70
        select @c = v from dbo.m where id = 2
        set @a = 1 / @d
    end try
    begin catch
        set @a = -1
    end catch
    update dbo.m set v = v + 1 where id = 70
    select @b = @b + v from dbo.m where id = 70
    update dbo.m set v = v + 1 where id = 70
    select @a as a, @b as b, @c as c, v from dbo.m where id = 70
    delete dbo.m where id = 70
    select @c = count(*) from dbo.m where id = 70
    select @c as c
end
go
exec reads_between 0
exec reads_between 1
go
-- native procedures are atomic: what came before a THROW is undone
create table t (id int identity primary key nonclustered, v int not null)
    with (memory_optimized = on)
go
create procedure p @v int, @id int output with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
insert dbo.t (v) values (@v)
set @id = scope_identity()
if @v < 0 throw 50001, 'negative', 1
select id, v from dbo.t where id = @id
end
go
declare @id int
exec p 10, @id output
print @id
exec p -1, @id output
select count(*) as n from t
go
