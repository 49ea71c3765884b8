-- sys.fn_my_permissions lists what HAS_PERMS_BY_NAME says yes to.
create user u without login
create user other without login
create role r
create role hidden
alter role r add member u
go
create schema s
go
create type s.money2 from decimal(19, 2)
create table s.t (a int, b int, c int)
create table s.unseen (a int)
create sequence s.q
create table plain (a int)
go
create view s.v as select a, b from s.t
go
create procedure s.p as select 1 a
go
create function s.f () returns int as begin return 1 end
go
create function s.tf () returns table as return select a, b from s.t
go
-- Every permission that there is on each kind of securable
select * from sys.fn_my_permissions('s.t', 'OBJECT')
go
select permission_name from fn_my_permissions('s.v', 'object') where subentity_name = ''
go
select permission_name from fn_my_permissions('[s].[p]', 'OBJECT')
go
select permission_name from fn_my_permissions('s.f', 'OBJECT')
go
select subentity_name, permission_name from fn_my_permissions('s.tf', 'OBJECT')
go
select permission_name from fn_my_permissions('s.q', 'OBJECT')
go
select * from fn_my_permissions('s', 'SCHEMA')
go
select * from fn_my_permissions('s.money2', 'TYPE')
go
select * from fn_my_permissions('u', 'USER')
go
select * from fn_my_permissions('r', 'ROLE')
go
select * from fn_my_permissions('sa', 'LOGIN')
go
select * from fn_my_permissions('dbcreator', 'SERVER ROLE')
go
select * from fn_my_permissions(null, 'DATABASE')
go
select * from fn_my_permissions(null, null)
go
select entity_name, count(*) n from fn_my_permissions(default, default) group by entity_name
select entity_name, count(*) n from fn_my_permissions(null, 'server') group by entity_name
select entity_name, count(*) n from fn_my_permissions('my-permissions', 'database') group by entity_name
go
-- What there is not, and what is of another class, has no rows
select * from fn_my_permissions('s.nothing', 'OBJECT')
select * from fn_my_permissions('s.t', 'TABLE')
select * from fn_my_permissions('s.t', null)
select * from fn_my_permissions(null, 'OBJECT')
select * from fn_my_permissions('anything', 'SERVER')
select * from fn_my_permissions('r', 'USER')
select * from fn_my_permissions('u', 'ROLE')
select * from fn_my_permissions('sa', 'SERVER ROLE')
go
-- What a user holds himself, through a role, from a schema; not what is denied
grant select on s.t to r
deny select on s.t (b) to u
grant update (c) on s.t to u
grant select (a) on s.v to u
grant execute on s.p to u
grant insert, view definition on schema::s to u
deny insert on s.unseen to u
deny view definition on s.unseen to u
grant impersonate on user::other to u
grant create table to u
go
execute as user = 'u'
go
select * from fn_my_permissions('s.t', 'OBJECT')
go
select * from fn_my_permissions('s.v', 'OBJECT')
go
select * from fn_my_permissions('s.p', 'OBJECT')
go
select * from fn_my_permissions('s.f', 'OBJECT')
go
select * from fn_my_permissions('s.unseen', 'OBJECT')
go
select * from fn_my_permissions('plain', 'OBJECT')
go
select * from fn_my_permissions('s', 'SCHEMA')
go
select * from fn_my_permissions('other', 'USER')
go
select * from fn_my_permissions('hidden', 'ROLE')
go
select * from fn_my_permissions(null, 'DATABASE')
go
select * from fn_my_permissions(null, null)
go
select * from fn_my_permissions('sys.objects', 'OBJECT')
go
-- The two agree about every permission that either knows
select s.name, s.class, count(*) of_class, count(m.permission_name) held
  from (values ('s.t', 'OBJECT'), ('s.v', 'OBJECT'), ('s.p', 'OBJECT'), ('s.f', 'OBJECT'), ('s.tf', 'OBJECT'),
      ('s.q', 'OBJECT'), ('s.unseen', 'OBJECT'), ('plain', 'OBJECT'), ('s', 'SCHEMA'), ('dbo', 'SCHEMA'),
      ('s.money2', 'TYPE'), ('u', 'USER'), ('other', 'USER'), ('r', 'ROLE'), (null, 'DATABASE'), (null, null)) s (name, class)
    cross join (values ('ALTER'), ('ALTER ANY USER'), ('CONNECT'), ('CONTROL'), ('CONTROL SERVER'), ('CREATE SEQUENCE'),
      ('CREATE TABLE'), ('DELETE'), ('EXECUTE'), ('IMPERSONATE'), ('INSERT'), ('RECEIVE'), ('REFERENCES'), ('SELECT'),
      ('TAKE OWNERSHIP'), ('UNMASK'), ('UPDATE'), ('VIEW ANY DATABASE'), ('VIEW CHANGE TRACKING'), ('VIEW DEFINITION'),
      ('VIEW SERVER STATE')) p (name)
    outer apply (select permission_name from fn_my_permissions(s.name, s.class) m
      where m.permission_name = p.name and m.subentity_name = '') m
  where has_perms_by_name(s.name, s.class, p.name) = case when m.permission_name is null then 0 else 1 end
  group by s.name, s.class order by s.class, s.name
go
select s.name, s.class, p.name
  from (values ('s.t', 'OBJECT'), ('s.v', 'OBJECT'), ('s.p', 'OBJECT'), ('s.f', 'OBJECT'), ('s.tf', 'OBJECT'),
      ('s.q', 'OBJECT'), ('s.unseen', 'OBJECT'), ('plain', 'OBJECT'), ('s', 'SCHEMA'), ('dbo', 'SCHEMA'),
      ('s.money2', 'TYPE'), ('u', 'USER'), ('other', 'USER'), ('r', 'ROLE'), (null, 'DATABASE'), (null, null)) s (name, class)
    cross join (values ('ALTER'), ('CONNECT'), ('CONTROL'), ('CREATE SEQUENCE'),
      ('CREATE TABLE'), ('DELETE'), ('EXECUTE'), ('IMPERSONATE'), ('INSERT'), ('RECEIVE'), ('REFERENCES'), ('SELECT'),
      ('TAKE OWNERSHIP'), ('UNMASK'), ('UPDATE'), ('VIEW ANY DATABASE'), ('VIEW DEFINITION')) p (name)
  where isnull(has_perms_by_name(s.name, s.class, p.name), 0)
    <> (select count(*) from fn_my_permissions(s.name, s.class) m where m.permission_name = p.name and m.subentity_name = '')
go
-- Columns agree too
select c.name, p.name permission, has_perms_by_name('s.t', 'OBJECT', p.name, c.name, 'COLUMN') has,
    (select count(*) from fn_my_permissions('s.t', 'OBJECT') m where m.permission_name = p.name and m.subentity_name = c.name) listed
  from sys.columns c cross join (values ('SELECT'), ('UPDATE'), ('REFERENCES'), ('INSERT')) p (name)
  where c.object_id = object_id('s.t') order by c.name, p.name
go
select has_perms_by_name('s.p', 'OBJECT', 'SELECT') no_rows, has_perms_by_name('s.t', 'OBJECT', 'CREATE TABLE') of_database,
  has_perms_by_name('s.p', 'OBJECT', 'ANY') anything, has_perms_by_name('plain', 'OBJECT', 'ANY') unseen
revert
go
-- Names of another database
use master
select permission_name from fn_my_permissions('[my-permissions].s.q', 'OBJECT')
go
use [my-permissions]
go
select object_id('sys.fn_my_permissions') * 0 there_is, (select type from sys.all_objects where name = 'fn_my_permissions') type
go
select * from fn_my_permissions('s.t')
go
-- GRANT knows the same permissions
grant select on s.p to u
go
grant select on type::s.money2 to u
go
grant impersonate on role::r to u
go
grant impersonate on user::other to u
grant take ownership on role::r to u
go
