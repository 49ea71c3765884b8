-- AT TIME ZONE: the offset of a zone at a date, by the names of Windows.
-- Clocks are set ahead from 02:00 to 03:00: what is skipped moves ahead.
select convert(datetime2(0), '2022-03-27T01:01:00', 126) at time zone 'Central European Standard Time' a,
    convert(datetime2(0), '2022-03-27T02:01:00', 126) at time zone 'Central European Standard Time' b,
    convert(datetime2(0), '2022-03-27T03:01:00', 126) at time zone 'Central European Standard Time' c
-- Clocks are set back from 03:00 to 02:00: what comes twice is before the change.
select convert(datetime2(0), '2022-10-30T01:01:00', 126) at time zone 'Central European Standard Time' a,
    convert(datetime2(0), '2022-10-30T02:00:00', 126) at time zone 'Central European Standard Time' b,
    convert(datetime2(0), '2022-10-30T03:01:00', 126) at time zone 'Central European Standard Time' c
go
-- From zone to zone.
declare @d datetime = '20150701 12:00'
select @d at time zone 'Pacific Standard Time' a,
    @d at time zone 'Pacific Standard Time' at time zone 'Central European Standard Time' b,
    cast(@d as smalldatetime) at time zone 'utc' at time zone 'Nepal Standard Time' c,
    sql_variant_property(@d at time zone 'UTC', 'BaseType') d, sql_variant_property(@d at time zone 'UTC', 'Scale') e
select cast('2015-07-01 12:00:00.1234567 +02:00' as datetimeoffset) at time zone 'Eastern Standard Time' a,
    cast('2015-01-01 12:00 +02:00' as datetimeoffset(0)) at time zone 'Eastern Standard Time' b
go
-- The law of the year.
select d, cast(d as datetime2(0)) at time zone 'Eastern Standard Time' eastern,
    cast(d as datetime2(0)) at time zone 'Russian Standard Time' russian,
    cast(d as datetime2(0)) at time zone 'AUS Eastern Standard Time' australian
from (values ('20060320'), ('20070320'), ('20101215'), ('20120715'), ('20240115'), ('20240715'), ('21500715')) t(d)
-- Years up to 2005 follow the rule of 2005.
select cast('19000101' as datetime) at time zone 'India Standard Time' a, cast('19420701' as datetime) at time zone 'GMT Standard Time' b,
    cast('00010102' as datetime2(0)) at time zone 'Tokyo Standard Time' c
go
-- Zones are found in any case, row by row, and are not NULL.
create table t (id int, at datetime2(0), zone nvarchar(128))
insert t values (1, '20240701', 'UTC'), (2, '20240701', 'w. europe standard time'), (3, '20240701', 'Lord Howe Standard Time'),
    (4, '20240101', 'Lord Howe Standard Time'), (5, null, 'UTC'), (6, '20240701', null), (7, '20240701', 'UTC-11 ')
select id, at at time zone zone z from t order by id
insert t values (8, '20240701', 'Europe/Berlin')
select id, at at time zone zone z from t where id = 8
go
select getdate() at time zone 'Nowhere'
go
select cast('20240101' as date) at time zone 'UTC'
go
select '20240101' at time zone 'UTC'
go
select cast('20260308 02:30' as datetime2(0)) at time zone 'Pacific Standard Time' a, cast('20261101 01:30' as datetime2(0)) at time zone 'Pacific Standard Time' b,
    cast('20260509' as datetime2(0)) at time zone null c, cast('20260509' as datetime2(3)) at time zone (case when 1 = 1 then 'UTC' else 'X' end) d
go
select cast('99991231 23:00' as datetime2(0)) at time zone 'Hawaiian Standard Time'
go
-- The result may change with the law: it is not deterministic.
create table u (at datetime2(0), z as at at time zone 'Romance Standard Time' persisted)
go
create table u (at datetime2(0), z as at at time zone 'Romance Standard Time')
insert u (at) values ('20240701 12:00')
select z from u
drop table u, t
go
-- All zones.
select count(*) n, count(distinct name) names from sys.time_zone_info
select name, current_utc_offset, is_currently_dst from sys.time_zone_info
where name in ('UTC', 'India Standard Time', 'UTC-11', 'Chatham Islands', 'Line Islands Standard Time', 'Tokyo Standard Time')
-- What the view shows is what the operator does.
select name from sys.time_zone_info
where datename(tzoffset, sysutcdatetime() at time zone 'UTC' at time zone name) <> current_utc_offset
select count(*) n from sys.time_zone_info where name = current_timezone_id() or current_timezone_id() like 'UTC[+-]%'
select name, type_name(system_type_id) type, max_length from sys.all_columns
where object_id = object_id('sys.time_zone_info') order by column_id
go
