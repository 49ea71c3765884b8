-- Permissions on columns, and ownership chains.
create user u without login
create user keeper without login
create role r
alter role r add member u
go
create schema kept authorization keeper
go
create table t (a int, b int, c int)
insert t values (1, 2, 3)
create table kept.k (a int, b int)
insert kept.k values (10, 20)
go
-- A denied column of a granted table
grant select, update on t to u
deny select on t (c) to u
go
execute as user = 'u'
go
select a, b from t
go
select c from t
go
select * from t
go
select a from t where c = 3
go
select a from t order by c
go
select count(*) n from t
go
select a from t group by a having max(c) > 1
go
select x.a from t x join t y on x.a = y.c
go
update t set a = 5 output inserted.a where b = 2
go
update t set a = 6 output deleted.c
go
update t set a = c
go
update t set c = 4 where a = 5
go
with q as (select a, c from t) select a from q
go
select (select max(c) from t) m
go
declare @t table (a int)
insert @t select c from t
go
select has_perms_by_name('t', 'object', 'select') t, has_perms_by_name('t', 'object', 'select', 'a', 'column') a,
  has_perms_by_name('t', 'object', 'select', 'c', 'column') c
revert
go
-- Granted columns alone, both spellings
revoke select, update on t from u
grant select (a), update (b) on t to u
grant select on t (b) to r
go
select class_desc, minor_id, user_name(grantee_principal_id) grantee, permission_name, state_desc
  from sys.database_permissions where major_id = object_id('t') order by 3, 4, 2
go
execute as user = 'u'
go
select a, b from t
go
select c from t
go
select count(*) n from t
go
update t set b = 3
go
update t set a = 3
go
update t set b += 1 where a = 5
go
update t set b = 4 where c = 4
go
delete t
go
insert t values (1, 1, 1)
go
merge t using (select 5 a) s on t.a = s.a when matched then update set b = 9;
go
merge t using (select 5 a) s on t.a = s.a when matched then update set a = 9;
go
select a, b from t
revert
go
-- A grant on a column beats a denied table; a table's statement forgets what columns had
deny select on t to u
go
execute as user = 'u'
select b from t
go
select a from t
revert
go
grant select (a) on t to u
go
execute as user = 'u'
select a from t
go
select c from t
revert
go
grant select on t to u
revoke select on t (c) from u
revoke select on t (b) from r
go
execute as user = 'u'
select a, b from t
go
select c from t
revert
go
select minor_id, user_name(grantee_principal_id) grantee, permission_name, state_desc
  from sys.database_permissions where major_id = object_id('t') order by 2, 3, 1
go
-- What has no columns
grant insert (a) on t to u
go
grant select (x) on t to u
go
grant select (a) on schema::dbo to u
go
grant select on tempdb.dbo.t to u
go
-- Views: their own columns, and chains to what they show
create view v as select a, c from t
go
create view kept.w as select a, c from dbo.t
go
deny select on t to u
grant select (c), update (a) on v to u
grant select, update on kept.w to u
go
execute as user = 'u'
go
select c from v
go
select a from v
go
update v set a = 7
go
update v set c = 7
go
select a from kept.w
go
update kept.w set a = 8
go
revert
grant select on t to keeper
go
-- Procedures, functions, triggers: the same chains
create procedure kept.p as select a from dbo.t
go
create procedure kept.p2 as exec dbo.q
go
create procedure q as select a from t
go
create procedure q2 as select a from kept.k
go
create function f () returns int as begin return (select max(c) from t) end
go
create function kept.f () returns int as begin return (select max(c) from dbo.t) end
go
create function tf () returns table as return select a, c from t
go
create function kept.tf () returns table as return select a, c from dbo.t
go
grant execute on kept.p to u
grant execute on kept.p2 to u
grant execute on q to u
grant execute on q2 to u
grant execute on f to u
grant execute on kept.f to u
grant select on tf to u
grant select on kept.tf to u
go
execute as user = 'u'
go
exec q
go
exec kept.p
go
exec q2
go
select dbo.f() c
go
select kept.f() c
go
select c from tf()
go
select c from kept.tf()
go
revert
revoke execute on q from u
go
execute as user = 'u'
exec kept.p2
revert
go
