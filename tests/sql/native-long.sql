-- A natively compiled procedure of thousands of statements: its statements use registers again.
create table dbo.t (a int not null primary key nonclustered, b nvarchar(20) not null) with (memory_optimized = on)
go
insert dbo.t select value, N'x' from generate_series(1, 400)
go
declare @body nvarchar(max) = N'', @i int = 1
while @i <= 400
begin
    set @body += concat(N'set @s = concat(N''k', @i, N''', @n); select @n = count(*) from dbo.t where a > ', @i,
        N' and b like N''x%''; update dbo.t set b = b + N''', @i % 10, N''' where a = ', @i,
        N'; set @sum += @n * ', @i, N'; if len(@s) > ', @i % 7, N' set @long += 1; ')
    set @i += 1
end
exec (N'create procedure dbo.long_one with native_compilation, schemabinding as
begin atomic with (transaction isolation level = snapshot, language = N''english'')
declare @n int = 0, @sum bigint = 0, @long int = 0, @s nvarchar(50)
' + @body + N'
select @sum as total, @long as long_ones, @s as last_one
end')
go
exec dbo.long_one
-- The same by other means.
select sum(cast(i.value as bigint) * (400 - i.value)) as total,
    sum(case when len(concat(N'k', i.value, case i.value when 1 then 0 else 401 - i.value end)) > i.value % 7
        then 1 else 0 end) as long_ones
from generate_series(1, 400) as i
select count(*) as rows_of_t, sum(case when b = N'x' + cast(a % 10 as nvarchar(1)) then 1 else 0 end) as as_expected
from dbo.t
go
