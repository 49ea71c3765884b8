create table t (id int constraint pk primary key, k int, index ik (k))
create table heap (a int, index ia (a))
create table m (id int primary key nonclustered) with (memory_optimized = on)
insert t values (1, 2), (2, 1)
go
dbcc showcontig (t)
dbcc showcontig ('t', ik)
dbcc showcontig (t, 1) with fast
dbcc showcontig (t, 0) with no_infomsgs
dbcc showcontig (heap) with fast
dbcc showcontig (m)
go
declare @id int = object_id('t'), @index int = 2
dbcc showcontig (@id, @index)
go
create table #c (name sysname, id int, iname sysname null, iid int, lvl int, pages bigint, rows bigint, minimum int,
  maximum int, average float, forwarded bigint, extents bigint, switches bigint, free float, fullness float, density float,
  best bigint, actual bigint, logical float, of_extents float)
insert #c exec ('dbcc showcontig with tableresults, no_infomsgs')
select name, iif(id = object_id(name), 'same', 'other') as id, iname, iid, lvl, minimum, maximum, forwarded from #c order by 1
truncate table #c
insert #c exec ('dbcc showcontig with tableresults, all_indexes, all_levels, no_infomsgs')
select name, iname, iid from #c order by 1, 3
truncate table #c
insert #c exec ('dbcc showcontig (''t'', ik) with tableresults, fast, no_infomsgs')
select name, iname, rows, average, forwarded, extents, free, fullness, of_extents from #c
go
dbcc showcontig (missing)
go
dbcc showcontig (t, missing)
go
dbcc showcontig (t, 17)
go
dbcc showcontig (t, ik, 1)
go
create user nothing without login
create user designer without login
alter role db_ddladmin add member designer
grant select on t to nothing
go
execute as user = 'nothing'
dbcc showcontig ('t')
go
dbcc showcontig
go
revert
execute as user = 'designer'
dbcc showcontig ('t', ik)
dbcc showcontig with no_infomsgs
revert
go
-- the log
create table #l (unit int, files int, size bigint, begins bigint, number int, status int, parity tinyint, made numeric(25, 0))
insert #l exec ('dbcc loginfo with no_infomsgs')
declare @name sysname = db_name(), @id int = db_id()
select iif(count(*) > 0, 'some', 'none') as segments, min(files) as first_file, max(files) as last_file, min(begins) as begins,
  max(status) as status, max(parity) as parity, max(made) as made from #l
select count(*) as gaps from #l a join #l b on b.number = a.number + 1 where b.begins <> a.begins + a.size
select iif(sum(l.size) = max(u.total_log_size_in_bytes), 'same', 'other') as size
  from #l l cross join sys.dm_db_log_space_usage u
select count(*) as unlike from #l l
  full join sys.dm_db_log_info(null) i on i.vlf_sequence_number = l.number and i.vlf_begin_offset = l.begins
    and i.file_id = l.files and abs(i.vlf_size_mb * 1048576 - l.size) < 10486 and i.vlf_active = iif(l.status = 2, 1, 0)
  where l.number is null or i.file_id is null
select count(*) as unlike from sys.dm_db_log_info(default) i full join sys.dm_db_log_info(db_id()) j
  on j.vlf_sequence_number = i.vlf_sequence_number where i.file_id is null or j.file_id is null or j.database_id <> db_id()
select max(vlf_status) as status, sum(iif(vlf_status = 1, 1, 0) ^ iif(vlf_first_lsn = '0', 1, 0)) as odd,
  max(vlf_create_lsn) as made, count(vlf_encryptor_thumbprint) as encrypted from sys.dm_db_log_info(db_id())
truncate table #l
insert #l exec sp_executesql N'dbcc loginfo (@name) with no_infomsgs', N'@name sysname', @name
insert #l exec sp_executesql N'dbcc loginfo (@id) with no_infomsgs', N'@id int', @id
select iif(count(*) = 2 * count(distinct number), 'same', 'other') as both from #l
go
-- nothing is kept of tempdb's
dbcc loginfo ('tempdb')
select * from sys.dm_db_log_info(2)
select * from sys.dm_db_log_info(4711)
go
dbcc loginfo ([no such])
go
dbcc loginfo (4711)
go
dbcc loginfo (1, 2)
go
execute as user = 'designer'
dbcc loginfo
go
select * from sys.dm_db_log_info(null)
go
revert
