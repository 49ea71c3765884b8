-- ISO 8601 with its T and ODBC's escapes do not depend on the session's order or language
set language german
select cast('2024-02-13T10:11:12' as datetime) a, month(cast('2024-02-05T00:00:00' as datetime)) b,
    try_cast('2024-02-13T10:11:12.123' as smalldatetime) c, isdate('2024-02-13T10:11:12') d
select convert(datetime, '2024-02-05T10:11:12.120', 126) a, convert(datetime, '2024-02-05T10:11:12Z', 127) b
declare @t varchar(30) = '2024-02-05T01:02:03'
select month(@t) a, cast(@t as datetime) b, datediff(day, '20240201', @t) c
select d from (values (cast('20240205' as datetime))) t(d) where d >= '2024-02-01T00:00:00' and d < '2024-03-01T00:00:00'
select {ts '2024-02-13 10:11:12.5'} a, {d '2024-02-05'} b, cast('{ts ''2024-02-05 10:11:12''}' as datetime) c, cast('{d ''2024-02-05''}' as smalldatetime) d
set language us_english
go
set dateformat ydm
select cast('2024-02-05T10:11:12' as datetime) a, {d '2024-02-05'} b, cast('2024-02-05' as datetime) c, cast('20240205' as datetime) d
select convert(datetime, '2024-02-05', 120) a, convert(datetime, '2024-02-05', 23) b, convert(smalldatetime, '05/02/2024', 103) c
set dateformat dmy
select {ts '2024-02-13 10:11:12'} a, {d '2024-02-13'} b
go
select {d '2024-13-02'}
go
select {ts 'no date'}
go
set dateformat mdy
-- digits beyond the seventh round
select cast('23:59:58.999999999' as time(0)) a, cast('11:22:33.123456749' as time) b,
    cast('2018-01-02T11:22:33.123456700+12:34' as datetimeoffset) c, cast('2018-01-02 23:59:59.99999999' as datetime2) d
select cast('11:22:33.1234567890' as time)
go
select cast('2018-01-02 11:22:33.1234' as datetime)
go
select cast('2022-01-02Z' as date) a, cast('2022-01-02+02:00' as date) b, cast('2022-01-02-05:30' as datetimeoffset(0)) c
