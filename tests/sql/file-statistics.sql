-- sys.dm_io_virtual_file_stats has each data and log file of each database that is open
alter database current add file (name = second, filename = 'second.ndf', size = 4MB)
go
select d.name, m.file_id, m.type_desc from sys.master_files m join sys.databases d on d.database_id = m.database_id
  where m.type in (0, 1) and not exists (select * from sys.dm_io_virtual_file_stats(null, null) s
    where s.database_id = m.database_id and s.file_id = m.file_id)
go
select file_id, num_of_reads, num_of_bytes_read, io_stall, size_on_disk_bytes
  from sys.dm_io_virtual_file_stats(db_id(), file_idex('second'))
go
select file_id, iif(num_of_writes >= 0, 'counted', '') writes from sys.dm_io_virtual_file_stats(db_id('tempdb'), null) order by file_id
select file_id from sys.dm_io_virtual_file_stats(db_id('master'), default) order by file_id
select d.name from sys.databases d where d.state = 0 and not exists
  (select * from sys.dm_io_virtual_file_stats(null, 2) s where s.database_id = d.database_id)
go
-- What there is not
select * from sys.dm_io_virtual_file_stats(db_id(), 77)
select * from sys.dm_io_virtual_file_stats(null, -1)
select * from sys.dm_io_virtual_file_stats(32000, null)
go
