-- What is looked for has at most 8,000 bytes, in char and varchar as in nchar and nvarchar.
declare @s varchar(max) = replicate(cast('a' as varchar(max)), 9000)
select charindex(@s, 'x') as n
go
declare @s nvarchar(max) = replicate(cast(N'a' as nvarchar(max)), 4001)
select charindex(@s, N'x') as n
go
declare @s varchar(max) = replicate(cast('a' as varchar(max)), 8001)
select patindex(@s, 'x') as n
go
declare @s varchar(max) = replicate(cast('a' as varchar(max)), 8001)
select case when 'x' like @s then 1 end as n
go
declare @s varchar(max) = replicate(cast('a' as varchar(max)), 8001)
select replace('x', @s, 'y') as n
go
declare @s varchar(max) = replicate(cast('a' as varchar(max)), 8000)
select charindex(@s, 'b' + @s) as c, patindex(@s, @s) as p, len(replace(@s + 'b', @s, '')) as r,
    case when @s like @s then 1 end as l
go
-- Beginnings that occur everywhere take no longer than others.
declare @a varchar(max) = replicate(cast('a' as varchar(max)), 200000)
declare @p varchar(8000) = replicate('a', 7000) + 'z'
select charindex(@p, @a) as c, charindex(@p, @a + 'Z') as d, patindex('%' + @p + '%', @a + 'z') as p,
    patindex('%a%b%c%', @a) as q, case when @a like '%' + @p + '%z' then 1 else 0 end as l,
    len(replace(@a + 'z', @p, 'b')) as r
select patindex('%', 'abc') as p, patindex('%c', 'abcabc  ') as q, patindex('%b_', 'abcabc') as r
go
-- Sets of many characters.
declare @set varchar(8000) = replicate('x', 7000) + 'ab'
select ltrim(replicate('B', 3000) + 'c', @set) as l, rtrim('c' + replicate('A', 3000), @set) as r,
    trim(@set from 'abcba') as t
select len(translate(replicate(cast('abc' as varchar(max)), 30000), replicate('x', 7000) + 'a',
    replicate('y', 7001))) as n
select translate('ABCD', 'abcdefghijkl', '123456789XYZ') as t, translate('aaa', 'ab', 'x') as u
go
-- All functions see long values to their ends.
declare @l varchar(max) = replicate(cast('ab' as varchar(max)), 100000)
select right(reverse(@l), 4) as r, right(upper(@l), 4) as u, len(@l + @l) as c, datalength(cast(@l as nvarchar(max))) as w,
    left(string_escape(@l + '/' + char(1), 'json'), 2) as e, len(string_escape(@l + '/' + char(1), 'json')) as n,
    right(stuff(@l, 2, 199998, '-'), 3) as s, len(convert(varbinary(max), @l)) as b,
    right(convert(varchar(max), convert(varbinary(max), @l), 2), 6) as h,
    datalength(convert(varbinary(max), convert(varchar(max), convert(varbinary(max), @l), 1), 1)) as d,
    convert(varchar(32), hashbytes('md5', @l), 2) as m
select case when @l = upper(@l) then 1 else 0 end as same, case when @l < @l + 'a' then 1 else 0 end as less,
    case when checksum(@l) = checksum(upper(@l)) then 1 else 0 end as sums
select count(*) as n, max(len(value)) as m from string_split(@l, 'a')
select string_escape(N'"\/' + nchar(8) + nchar(12) + nchar(10) + nchar(13) + nchar(9) + nchar(31) + N'é😀', 'json') as e
go
-- Values that have become too long for the session end their statement; what they took is free again.
declare @s varchar(max) = 'x'
while 1 = 1 set @s = @s + @s
go
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 10000000)
select len(@s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s + @s) as n
go
select len(string_agg(replicate(cast('x' as varchar(max)), 100000), ',')) as n from generate_series(1, 100000)
go
select len(string_agg(replicate(cast('x' as varchar(max)), 100000), ',') within group (order by value desc)) as n
from generate_series(1, 100000)
go
select len(max(replicate(cast('x' as varchar(max)), 1000000))) as n, len(string_agg('abc', ',')) as m from generate_series(1, 100)
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 10000000)
set @s = substring(@s, 5000000, 4)
select @s as s
go
-- TRY_ conversions give NULL for values, not for memory.
select try_cast('x' as int) as n, try_convert(varbinary(4), '0xZZ', 1) as b, convert(varbinary(4), N'0x0aFF  ', 1) as c
select convert(varbinary(4), '0x0', 1) as b
go
-- Sorts, groups, sets, joins and windows take long keys and rows, and ask for them before they are there.
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 1000000)
declare @t table (id int, v varchar(max))
insert @t values (1, @s + 'b'), (2, @s + 'a'), (3, @s + 'B')
select id, len(v) as n from @t order by v, id
select len(v) as n, count(*) as m from @t group by v order by 2
select count(distinct v) as n from @t
select count(*) as n from (select distinct v from @t) d
select a.id, b.id from @t a join @t b on a.v = b.v order by 1, 2 option (hash join)
select id, row_number() over (partition by v order by id) as n, count(*) over (partition by v) as m from @t order by id
select id from @t where v in (select v from @t where id = 1) order by id
go
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 12000000)
select len(v) as n from (values (@s), (@s)) t(v) order by v
go
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 12000000)
select len(v) as n, count(*) as m from (values (@s), (@s)) t(v) group by v
go
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 12000000)
select count(distinct v) as n from (values (@s), (@s)) t(v)
go
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 12000000)
select row_number() over (partition by v order by v) as n from (values (@s), (@s)) t(v)
go
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 12000000)
declare @t table (v varchar(max))
declare @i int = 0
while @i < 20 begin insert @t values (@s) set @i += 1 end
go
select count(*) as n from string_split(replicate(cast(',' as varchar(max)), 20000000), ',')
go
-- Messages look at the beginning of long values.
declare @s varchar(max) = replicate(cast('x' as varchar(max)), 10000000)
begin try
  raiserror(@s, 16, 1)
end try
begin catch
  select len(error_message()) as n, right(error_message(), 5) as r
end catch
begin try
  raiserror('%s|%.3s', 16, 1, @s, @s)
end try
begin catch
  select len(error_message()) as n, left(error_message(), 5) as l
end catch
begin try
  throw 50000, @s, 1
end try
begin catch
  select len(error_message()) as n
end catch
go
