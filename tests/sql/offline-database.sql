-- A session that takes its database off-line is in master.
create table t (id int)
go
alter database current set offline select db_name() as n
go
alter database [offline-database] set online
go
-- master and tempdb stay as they are, and there is no EMERGENCY.
alter database master set offline
go
alter database tempdb set online
go
alter database [offline-database] set emergency
go
alter database [offline-database] set offline, read_only
go
alter database [offline-database] set offline
go
drop database [offline-database]
go
