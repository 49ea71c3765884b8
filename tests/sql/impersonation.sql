set nocount on
create user walker without login
create user builder without login
go
-- a context that its cookie alone leaves
declare @cookie varbinary(8000), @wrong varbinary(100) = 0x0102
select user_name() as u
execute as user = 'walker' with cookie into @cookie
select user_name() as u, datalength(@cookie) as n
begin try revert end try begin catch select error_number() as n, user_name() as u end catch
begin try revert with cookie = @wrong end try begin catch select error_number() as n, user_name() as u end catch
revert with cookie = @cookie
select user_name() as u
execute as user = 'walker'
begin try revert with cookie = @cookie end try begin catch select error_number() as n, user_name() as u end catch
revert
select user_name() as u
go
declare @cookie varbinary(100)
execute as user = 'walker' with cookie into @cookie
begin try
    exec ('revert')
    select user_name() as u
end try begin catch select error_number() as n end catch
revert with cookie = @cookie
go
-- modules give their context back by themselves
create procedure keeps as execute as user = 'walker' with no revert
go
exec keeps
go
create procedure changes as execute as user = 'walker' select user_name() as u
go
exec changes
select user_name() as u
go
-- REFERENCES, on tables and on columns
create table refers_to (id int primary key, code int unique)
go
create schema place authorization builder
go
grant create table to builder
go
execute as user = 'builder'
go
create table place.child (a int references dbo.refers_to (id))
go
revert
grant references (id) on refers_to to builder
execute as user = 'builder'
go
create table place.child (a int constraint by_id references dbo.refers_to (id), b int)
go
alter table place.child add constraint by_code foreign key (b) references dbo.refers_to (code)
go
revert
grant references on refers_to to builder
execute as user = 'builder'
go
alter table place.child add constraint by_code foreign key (b) references dbo.refers_to (code)
go
revert
deny references on refers_to to builder
execute as user = 'builder'
go
alter table place.child add c int references dbo.refers_to (id)
go
insert place.child values (1, 1)
go
revert
go
-- a trigger reaches what its owner owns, for each user that may fire it
create table record (a int)
create table ours (a int)
create table place.theirs (a int)
create user writer without login
grant insert on ours to writer
grant insert on place.theirs to writer
go
create trigger ours_insert on ours after insert as insert record select a from inserted
go
create trigger place.theirs_insert on place.theirs after insert as insert dbo.record select a from inserted
go
execute as user = 'writer'
go
insert ours values (1)
go
insert place.theirs values (2)
go
insert record values (3)
go
revert
select a from record
select a from place.theirs
grant insert on record to writer
execute as user = 'writer'
go
insert place.theirs values (2)
go
revert
select a from record order by a
go
-- a context of one database counts in another only if that trusts the first
create login keeper with password = 'Pw-12345678'
create login guide with password = 'Pw-12345678'
create user guide for login guide
create database vault
go
use vault
create user guide for login guide
create table treasure (a int)
insert treasure values (7)
grant select on treasure to guide
go
use impersonation
go
create procedure peeks with execute as 'guide' as select a from vault.dbo.treasure
go
exec peeks
go
alter database impersonation set trustworthy on
go
exec peeks
go
-- the owner of a database that is trusted must be one who may vouch there
alter authorization on database::impersonation to keeper
go
exec peeks
go
use vault
create user keeper for login keeper
go
use impersonation
go
exec peeks
go
use vault
grant authenticate to keeper
go
use impersonation
go
exec peeks
go
alter database impersonation set trustworthy off
alter authorization on database::impersonation to sa
go
exec peeks
go
-- what nothing leaves, to the end of the session
execute as user = 'walker' with no revert
go
revert
print 'not reached'
go
select user_name() as u
go
