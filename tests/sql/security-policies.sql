-- What definitions of security policies refuse.
create schema s
go
create table t (id int primary key, owner sysname not null)
create table u (id int primary key, owner sysname not null)
create sequence q
go
create function s.f (@owner sysname) returns table with schemabinding as return select 1 as ok where @owner = user_name()
go
create function s.unbound (@owner sysname) returns table as return select 1 as ok
go
create function s.scalar (@owner sysname) returns int with schemabinding as begin return 1 end
go
create view v as select id from t
go
create security policy s.p add filter predicate s.f(owner) on dbo.t
go
create security policy s.p add filter predicate s.f(owner) on dbo.u
go
create security policy nowhere.p add filter predicate s.f(owner) on dbo.u
go
create security policy tempdb.s.p add filter predicate s.f(owner) on dbo.u
go
create security policy #p add filter predicate s.f(owner) on dbo.u
go
create security policy s.r add filter predicate s.f(owner) on dbo.missing
create security policy s.r add filter predicate s.missing(owner) on dbo.u
create security policy s.r add filter predicate s.scalar(owner) on dbo.u
create security policy s.r add filter predicate dbo.t(owner) on dbo.u
create security policy s.r add filter predicate s.unbound(owner) on dbo.u
create security policy s.r add filter predicate s.f(owner) on dbo.v
create security policy s.r add block predicate s.f(owner) on dbo.v
create security policy s.r add filter predicate s.f(owner) on dbo.q
create security policy s.r add filter predicate s.f(owner) on #t
create security policy s.r add filter predicate s.f(owner) on sys.objects
create security policy s.r add filter predicate s.f(owner) on tempdb.dbo.t
create security policy s.r add filter predicate s.f() on dbo.u
create security policy s.r add filter predicate s.f(owner, id) on dbo.u
create security policy s.r add filter predicate s.f(missing) on dbo.u
create security policy s.r add filter predicate s.f((select 'x')) on dbo.u
create security policy s.r add filter predicate s.f(owner) on dbo.t
create security policy s.r add filter predicate s.f(owner) on dbo.u, add filter predicate s.f(owner) on dbo.u
create security policy s.r add block predicate s.f(owner) on dbo.u, add block predicate s.f(owner) on dbo.u after insert
go
declare @x sysname = 'x'
create security policy s.r add filter predicate s.f(@x) on dbo.u
go
create security policy s.r add filter predicate s.f(owner) on dbo.u after insert
go
create security policy s.r
go
create security policy s.r drop filter predicate on dbo.u
go
create security policy s.r add block predicate s.f(owner) on dbo.u before insert
go
alter security policy s.p
go
alter security policy s.p with (schemabinding = off)
go
alter security policy s.missing with (state = on)
alter security policy dbo.t with (state = on)
alter security policy s.p drop filter predicate on dbo.u
alter security policy s.p drop block predicate on dbo.t
alter security policy s.p alter block predicate s.f(owner) on dbo.t after insert
alter security policy s.p add filter predicate s.f(owner) on dbo.t
drop security policy s.missing
drop security policy dbo.t
drop table s.p
go
-- an enabled policy has its tables alone
create security policy s.r add filter predicate s.f(owner) on dbo.t with (state = off)
alter security policy s.r with (state = on)
alter security policy s.p with (state = off)
alter security policy s.r with (state = on)
alter security policy s.p with (state = on)
alter security policy s.p drop filter predicate on dbo.t
alter security policy s.p with (state = on)
alter security policy s.p add filter predicate s.f(owner) on dbo.t
drop security policy s.r
alter security policy s.p add filter predicate s.f(owner) on dbo.t, add block predicate s.f(owner) on dbo.u before delete
select name, is_enabled from sys.security_policies
select security_predicate_id as id, object_name(target_object_id) as t, predicate_type_desc as what, operation_desc from sys.security_predicates
go
-- permissions
create user ann without login
create user bob without login
grant create function to ann
grant alter on schema::s to ann
go
execute as user = 'ann'
create security policy s.mine add filter predicate s.f(owner) on dbo.u
select count(*) as n from sys.security_policies
alter security policy s.p with (state = off)
drop security policy s.p
revert
grant alter any security policy to ann
execute as user = 'ann'
select count(*) as n from sys.security_policies
create security policy s.mine add filter predicate s.f(owner) on dbo.u with (state = off)
revert
grant references on u to ann
execute as user = 'ann'
create security policy s.mine add filter predicate s.f(owner) on dbo.u with (state = off)
revert
grant select on s.f to ann
execute as user = 'ann'
create security policy s.mine add filter predicate s.f(owner) on dbo.u with (state = off)
revert
grant references on s.f to ann
execute as user = 'ann'
create security policy s.mine add filter predicate s.f(owner) on dbo.u with (state = off)
alter security policy s.p with (state = off)
drop security policy s.mine
revert
execute as user = 'bob'
select count(*) as n from sys.security_policies
select object_id('s.p') as id
revert
select permission_name, type from sys.database_permissions where permission_name like '%POLICY%'
go
drop security policy s.p
drop table t, u
drop function s.f
go
-- memory-optimized tables want natively compiled functions
create table m (id int not null primary key nonclustered, owner nvarchar(128) not null, v int not null) with (memory_optimized = on)
go
create function s.plain (@owner nvarchar(128)) returns table with schemabinding as return select 1 as ok where @owner = user_name()
go
create function s.native (@owner nvarchar(128)) returns table with native_compilation, schemabinding as return select 1 as ok where @owner = user_name()
go
create security policy s.p add filter predicate s.plain(owner) on dbo.m
create security policy s.p add filter predicate s.native(owner) on dbo.m with (schemabinding = off)
create security policy s.p add filter predicate s.native(owner) on dbo.m, add block predicate s.native(owner) on dbo.m after insert
go
insert m values (1, 'dbo', 10), (2, 'dbo', 20)
insert m values (3, 'ann', 30)
alter security policy s.p with (state = off)
insert m values (3, 'ann', 30)
go
create procedure counted with native_compilation, schemabinding, execute as owner as begin atomic with (transaction isolation level = snapshot, language = 'english')
  select count(*) as n, sum(v) as v from dbo.m
end
go
create procedure put @id int, @owner nvarchar(128) with native_compilation, schemabinding as begin atomic with (transaction isolation level = snapshot, language = 'english')
  insert dbo.m values (@id, @owner, 0)
  update dbo.m set v = v + 1
  delete dbo.m where id = 1
end
go
grant select on m to ann
grant execute to ann
exec counted
alter security policy s.p with (state = on)
exec counted
exec put 4, 'dbo'
exec put 5, 'ann'
execute as user = 'ann'
select id, v from m
exec put 6, 'ann'
exec put 7, 'dbo'
select id, v from m order by id
revert
select id, owner, v from m order by id
drop security policy s.p
select id, owner, v from m order by id
go
