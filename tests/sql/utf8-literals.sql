-- a literal whose collation becomes UTF-8 keeps its characters
select datalength('é' collate Latin1_General_100_CI_AS_SC_UTF8) a, len('é' collate Latin1_General_100_CI_AS_SC_UTF8) b,
    case when 'é' collate Latin1_General_100_CI_AS_SC_UTF8 = N'é' then 1 else 0 end c
select 'a' + 'é' collate Latin1_General_100_BIN2_UTF8 a, 'é' collate Latin1_General_100_BIN2_UTF8 + 'ü€' b
create table u (n varchar(10) collate Latin1_General_100_CI_AS_SC_UTF8, o varchar(4), p char(2))
insert u values ('é', 'éü€ö', 'ä')
select n, datalength(n) d from u where n = 'é'
select count(*) from u where n in ('x', 'é')
select count(*) from u where n like 'é'
go
declare @v varchar(4) = 'éü€ö'
select @v collate Latin1_General_100_CI_AS_SC_UTF8 a, n + @v b, @v + n c from u
select o collate Latin1_General_100_CI_AS_SC_UTF8 a, datalength(o collate Latin1_General_100_CI_AS_SC_UTF8) b,
    p collate Latin1_General_100_CI_AS_SC_UTF8 c, max(o collate Latin1_General_100_CI_AS_SC_UTF8) d from u group by o, p
go
select coalesce(nullif(n, 'é'), 'éü') a, isnull(nullif(n, 'é'), 'éü') b, case when 1 = 1 then 'éü' else n end c, iif(1 = 0, n, 'éü') d from u
select replace(n, 'é', 'ü') a, concat(n, 'é') b, greatest(n, 'éé') c, replace('éxé' collate Latin1_General_100_CI_AS_SC_UTF8, 'x', 'ü') d from u
select n from u union all select 'éü'
go
select 'éü' collate Latin1_General_100_CI_AS_SC_UTF8 as c into w
select c, columnproperty(object_id('w'), 'c', 'precision') p from w
insert w values ('éüé')
go
-- DATABASE_DEFAULT is the collation of the current database, in temporary tables, too
declare @sql nvarchar(max) = N'create database utf8_literals_cs collate Latin1_General_CS_AS'
exec (@sql)
go
use utf8_literals_cs
create table f (n varchar(10))
create table #t (n varchar(10) collate database_default, m varchar(10))
select name, collation_name from tempdb.sys.columns where object_id = object_id('tempdb..#t')
select count(*) from f join #t on f.n = #t.n
select count(*) from f join #t on f.n = #t.m
go
declare @v table (n varchar(10) collate database_default)
select count(*) from f join @v v on f.n = v.n
drop table #t
go
use master
drop database utf8_literals_cs
