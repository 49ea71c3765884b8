-- Settings take effect by RECONFIGURE, and not before.
exec sp_configure 'show advanced options', 1
select value, value_in_use from sys.configurations where name = 'show advanced options'
reconfigure
select value, value_in_use from sys.configurations where name = 'show advanced options'
go
exec sp_configure 'max server memory', 512
exec sp_configure 'nested triggers', 0
reconfigure with override
select name, value, value_in_use from sys.configurations
where name in ('max server memory (MB)', 'nested triggers') order by name
go
begin transaction
reconfigure
rollback
go
exec sp_configure 'show advanced options', 0
reconfigure
exec sp_configure 'max server memory', 1024
go
-- The server is left as it was.
exec sp_configure 'show advanced options', 1
reconfigure
exec sp_configure 'max server memory', 2147483647
exec sp_configure 'nested triggers', 1
exec sp_configure 'show advanced options', 0
reconfigure
go
