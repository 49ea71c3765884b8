-- What belongs to which scope: options, temporary tables, identities, counts.
create table t (id int identity(10, 1) primary key, v int)
create table log (id int identity(500, 1), what int)
go
create trigger tr on t after insert as insert log select v from inserted
go
create procedure makes as create table #inner (x int) insert #inner values (1)
select count(*) as c from #outer select x from #inner
go
create procedure hides as create table #outer (y varchar(5)) insert #outer values ('mine')
select * from #outer
go
create procedure sets as set nocount on set language German set xact_abort on
go
create procedure counts as begin tran
go
create table #outer (x int)
go
exec makes
go
select * from #inner
go
exec hides select * from #outer
go
exec sets print @@language print @@options & 16384
go
insert t values (1) select scope_identity() as s, @@identity as i, ident_current('t') as c
go
exec('insert log values (9)') select scope_identity() as s, @@identity as i
go
exec counts print @@trancount rollback
go
set nocount on select 1 as a set nocount off
go
set rowcount 1 select v from t, log set rowcount 0
go
select 1 as a union all select 2 print @@rowcount if @@rowcount = 1 print 'x' print @@rowcount
go
declare @t table (a int primary key, b int default 5) insert @t (a) values (1), (2)
update @t set b = 6 where a = 2 select * from @t
go
exec('use tempdb print db_name()') print db_name()
go
