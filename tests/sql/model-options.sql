-- a new database has the options of model, row versions for READ COMMITTED among them
create database from_model
go
select name, is_read_committed_snapshot_on, is_auto_close_on from sys.databases where name in ('model', 'from_model') order by name
go
drop database from_model
go
alter database model set read_committed_snapshot off
go
create database from_model
go
select name, is_read_committed_snapshot_on from sys.databases where name in ('model', 'from_model') order by name
go
drop database from_model
go
alter database model set read_committed_snapshot on
go
create database from_model
go
select name, is_read_committed_snapshot_on from sys.databases where name in ('model', 'from_model') order by name
go
drop database from_model
go
