select convert(date, '10-10-10', 140)
go
select convert(datetimeoffset, '10-10-10', 15)
go
select convert(varbinary(10), '0904', 3)
go
select convert(varchar(10), 0x0904, 3)
go
select convert(varbinary(10), '0x0904', 1) a, convert(varbinary(10), '0904', 2) b, convert(varbinary(10), '0904', 0) c, convert(varchar(10), 0x4142) d
go
select convert(varchar(30), getdate(), 15)
go
select convert(varchar(30), cast('20240101' as date), 999)
go
select try_convert(date, '2024-01-01', 140)
go
select left('AbdefGhi', 2147483650)
go
declare @n bigint = 2147483648
select right('abc', @n)
go
declare @n bigint = 2147483648
select left(cast('abc' as varchar(max)), @n)
go
select avg(a) from (values (2147483647), (2147483647)) v(a)
go
select avg(cast(a as bigint)) a from (values (2147483647), (2147483647)) v(a)
select avg(a) over (order by a rows 1 preceding) a from (values (1), (3), (6)) v(a)
go
select avg(cast(a as bigint)) from (values (9223372036854775807), (9223372036854775807)) v(a)
go
select format(cast(-3.4e38 as real), 'G', 'en-us') a, format(cast(1.5 as real), 'G') b, format(cast(-352 as bigint), 'X') c,
    format(cast(-352 as int), 'X') d, format(cast(-352 as smallint), 'X') e, format(0.00001, 'G') f, format(0.00001e0, 'G') g
