-- The buffer pool extension and the memory for pages.
select path, file_id, state, state_description, current_size_in_kb from sys.dm_os_buffer_pool_extension_configuration
go
alter server configuration set buffer pool extension off
go
alter server configuration set buffer pool extension on (filename = '/srv/extension.bpe', size = 32 MB)
go
alter server configuration set buffer pool extension on (filename = '/srv/extension.bpe', size = 4096 GB)
go
alter server configuration set buffer pool extension on (filename = '/nowhere/at/all/extension.bpe', size = 128 MB)
go
alter server configuration set buffer pool extension on (filename = '/srv/extension.bpe', size = 128 MB)
go
select path, file_id, state, state_description, current_size_in_kb from sys.dm_os_buffer_pool_extension_configuration
go
alter server configuration set buffer pool extension on (filename = '/srv/other.bpe', size = 128 MB)
go
begin transaction
alter server configuration set buffer pool extension off
rollback
go
select rtrim(counter_name) as counter, cntr_value from sys.dm_os_performance_counters
where object_name = 'SQLServer:Buffer Manager' and counter_name like 'Extension%'
go
dbcc dropcleanbuffers
go
alter server configuration set buffer pool extension off
go
select state_description from sys.dm_os_buffer_pool_extension_configuration
go
-- A path that is not one of this machine's.
alter server configuration set buffer pool extension on (filename = 'F:\SSDCACHE\Example.BPE', size = 128 MB)
go
select path, state_description from sys.dm_os_buffer_pool_extension_configuration
go
alter server configuration set buffer pool extension off
go
alter server configuration set buffer pool extension on (filename = 'cache/small.bpe', size = 128 MB)
alter server configuration set buffer pool extension off
go
alter server configuration set buffer pool extension on
go
alter server configuration set buffer pool extension on (size = 128 MB)
go
alter server configuration set buffer pool extension on (filename = '/srv/extension.bpe', size = 128)
go
exec sp_configure 'show advanced options', 1
reconfigure
exec sp_configure 'max server memory', 128
reconfigure
go
alter server configuration set buffer pool extension on (filename = '/srv/extension.bpe', size = 48 MB)
go
exec sp_configure 'max server memory', 2147483647
exec sp_configure 'show advanced options', 0
reconfigure
go
