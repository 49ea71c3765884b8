-- What an atomic block says of languages and dates holds inside of it.
create procedure german with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'Deutsch')
    declare @d datetime = '03.04.2024'
    select @d as d, datename(weekday, @d) as day_name, datepart(weekday, @d) as day_number
end
go
create procedure british with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english', datefirst = 1, dateformat = ymd)
    declare @d datetime = '24.04.03'
    select @d as d, datename(weekday, @d) as day_name, datepart(weekday, @d) as day_number
end
go
create procedure both_ways with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    declare @d datetime = '03.04.2024'
    exec dbo.german
    select @d as d, datepart(weekday, @d) as day_number
end
go
exec german
exec british
exec both_ways
select datename(weekday, '20240403') as day_name, @@datefirst as first_day, @@language as l
go
create procedure fails with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'Deutsch')
    declare @d datetime = '13.14.2024'
end
go
exec fails
select @@language as l
go
create procedure bad with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'Klingon') return end
go
create procedure bad with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english', datefirst = 8) return end
go
create procedure bad with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english', dateformat = xyz) return end
go
-- Variables and parameters that refuse NULL.
create table m (id int not null primary key nonclustered, a int) with (memory_optimized = on)
insert m values (1, null), (2, 20)
go
create procedure outputs @o int output with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english') set @o = null end
go
create procedure refuses @p int not null, @how int = 0 with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    declare @v int not null = @p
    if @how = 1 set @v = null
    if @how = 2 select @v = a from dbo.m where id = 1
    if @how = 3 exec dbo.outputs @v output
    if @how = 4
    begin try
        set @v = null
    end try
    begin catch
        select error_number() as n, @v as v
    end catch
    select @v as v
end
go
exec refuses 1
go
exec refuses null
go
exec refuses 1, 1
go
exec refuses 1, 2
go
exec refuses 1, 3
go
exec refuses 1, 4
go
declare @x int
exec refuses @x
go
-- Functions that have no meaning there.
create procedure bad with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    select error_number() as n
end
go
create procedure bad with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    begin try select 1 as one end try begin catch select error_message() as m end catch
    if error_line() > 1 return
end
go
create procedure bad with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N'us_english')
    select @@trancount as n
end
