create table t (id int not null constraint pk primary key, a int null, b varchar(20) not null, c nvarchar(max) null,
  d as a * 2, index ia (a), index iba (b, a), index flagged (a) where a > 2)
insert t (id, a, b, c) values (1, 1, 'x', N'one'), (2, 1, 'X', null), (3, 2, 'y', N'one'), (4, null, 'zz', N'two'),
  (5, 3, 'zz', N''), (6, 3, 'zz', N'one'), (7, 4, 'y ', null)
create statistics both_ways on t (b, c)
create statistics more on t (b) where a = 3
go
-- values, in their order; NULL comes first
dbcc show_statistics ('t', 'ia') with histogram
dbcc show_statistics (t, pk) with histogram, no_infomsgs
dbcc show_statistics ('dbo.t', [iba]) with no_infomsgs, histogram
-- a nonclustered index finds rows by the clustered key
dbcc show_statistics (t, ia) with density_vector, no_infomsgs
dbcc show_statistics (t, iba) with density_vector, no_infomsgs
dbcc show_statistics (t, pk) with density_vector, no_infomsgs
-- statistics, those of a filter, and columns
dbcc show_statistics (t, both_ways) with density_vector, histogram, no_infomsgs
dbcc show_statistics (t, more) with density_vector, histogram, no_infomsgs
dbcc show_statistics (t, flagged) with histogram, no_infomsgs
dbcc show_statistics (t, d) with histogram, no_infomsgs
dbcc show_statistics (t, c) with histogram, no_infomsgs
go
create table #header (name sysname, updated datetime, rows bigint, sampled bigint, steps smallint, density real,
  length real, strings nchar(3), filter nvarchar(max), unfiltered bigint, part float)
insert #header exec ('dbcc show_statistics (t, ia) with stat_header, no_infomsgs')
insert #header exec ('dbcc show_statistics (t, flagged) with stat_header, no_infomsgs')
insert #header exec ('dbcc show_statistics (t, iba) with stat_header, no_infomsgs')
select name, iif(abs(datediff(minute, updated, getdate())) <= 1, 'now', 'then') as updated, rows, sampled, steps, density,
  length, strings, filter, unfiltered, part from #header
go
-- nothing is told of no rows
create table empty (id int primary key, a decimal(9, 2), index ia (a) where a is not null)
insert empty values (1, null)
dbcc show_statistics (empty, ia)
go
-- all three, by variables, whatever the session limits rows to
set rowcount 1
declare @table sysname = N't', @target sysname = N'IA'
dbcc show_statistics (@table, @target) with density_vector, histogram
select @@trancount as transactions
set rowcount 0
go
-- within transactions, as things are now
begin tran
insert t (id, a, b) values (8, 9, 'new')
dbcc show_statistics (t, ia) with histogram, no_infomsgs
rollback
go
create table m (id int not null primary key nonclustered hash with (bucket_count = 8), a datetime2(0) null index ia)
  with (memory_optimized = on)
insert m values (1, '2020-01-01'), (2, '2020-01-01'), (3, '2021-01-01')
begin tran
dbcc show_statistics (m, ia) with density_vector, histogram, no_infomsgs
commit
create table v (s sql_variant null)
insert v values (1), (N'x'), (1.5), (1.0), (null)
dbcc show_statistics (v, s) with density_vector, histogram, no_infomsgs
go
-- temporary tables
create table #t (g uniqueidentifier, n int, index ig (g))
insert #t values ('00000000-0000-0000-0000-000000000002', 1), ('00000000-0000-0000-0000-000000000001', 1), (null, 1)
dbcc show_statistics (#t, ig) with histogram, no_infomsgs
go
-- many values: the steps add up, and are no more than 200
create table big (id int identity primary key, a int, index ia (a))
insert big select iif(value % 10 = 0, 1000, value % 3000) from generate_series(1, 20000)
create table #steps (at int identity, high int, range_rows real, equal_rows real, distinct_rows bigint, average real)
insert #steps exec ('dbcc show_statistics (big, ia) with histogram, no_infomsgs')
select count(*) as steps, min(high) as lowest, max(high) as highest, sum(range_rows) + sum(equal_rows) as rows,
  sum(distinct_rows) + count(*) as distinct_values, max(iif(high = 1000, equal_rows, 0)) as frequent from #steps
select count(distinct a) as distinct_values, min(a) as lowest, max(a) as highest,
  sum(iif(a = 1000, 1, 0)) as frequent from big
-- each step has the rows above the step before
select count(*) as wrong from #steps s
  left join #steps p on p.at = s.at - 1
  cross apply (select count(*) as n, count(distinct a) as d from big where a < s.high and a > isnull(p.high, -1)) r
  cross apply (select count(*) as n from big where a = s.high) e
  where r.n <> s.range_rows or r.d <> s.distinct_rows or e.n <> s.equal_rows
    or abs(s.average - iif(r.d = 0, 1, r.n * 1e0 / nullif(r.d, 0))) > 0.001
go
dbcc show_statistics (t)
go
dbcc show_statistics (t, ia, 1)
go
dbcc show_statistics (t, 2)
go
declare @nothing sysname
dbcc show_statistics (t, @nothing)
go
dbcc show_statistics ('dbo.missing', ia)
go
dbcc show_statistics (t, missing)
go
dbcc show_statistics (t, ia) with stats_stream
go
-- what may be read may be shown
create user reader without login
go
execute as user = 'reader'
dbcc show_statistics ('dbo.t', ia) with histogram
go
dbcc show_statistics ('dbo.t', missing) with histogram
revert
go
grant select on t (a) to reader
execute as user = 'reader'
dbcc show_statistics (t, d) with histogram, no_infomsgs
go
revert
grant select on t (id) to reader
execute as user = 'reader'
dbcc show_statistics (t, ia) with density_vector, no_infomsgs
dbcc show_statistics (t, more) with histogram, no_infomsgs
revert
go
