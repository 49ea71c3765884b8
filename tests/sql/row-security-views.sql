-- Filters on schema-bound views
create schema s
go
create table dbo.orders (id int primary key, owner sysname not null, v int not null)
insert orders values (1, 'ann', 10), (2, 'bob', 20), (3, 'ann', 30), (4, 'dbo', 40)
create table dbo.friends (who sysname, friend sysname)
insert friends values ('ann', 'bob')
go
create function s.own (@owner sysname) returns table with schemabinding as return select 1 as ok where @owner = user_name() or user_name() = 'dbo'
go
create function s.friend (@owner sysname) returns table with schemabinding as
return select 1 as ok from dbo.friends where who = user_name() and friend = @owner
go
create function s.loose (@owner sysname) returns table as return select 1 as ok where @owner = user_name()
go
create view dbo.v with schemabinding as select id, owner as holder, v * 2 as twice from dbo.orders where v > 5
go
create view dbo.nested as select id, holder, twice from dbo.v where twice < 80
go
create view dbo.plain as select id, owner from dbo.orders
go
create user ann without login
create user bob without login
grant select, update, delete, insert on v to ann, bob
grant select on nested to ann
go
create security policy p add filter predicate s.own(holder) on dbo.v
go
create security policy q add filter predicate s.own(owner) on dbo.plain
create security policy q add block predicate s.own(holder) on dbo.v
create security policy q add filter predicate s.own(holder) on dbo.v
create security policy q add filter predicate s.own(owner) on dbo.v
create security policy q add filter predicate s.loose(holder) on dbo.v
create security policy q add filter predicate s.own(holder) on dbo.v with (state = off)
go
select object_name(target_object_id) t, predicate_definition d from sys.security_predicates
go
select id, holder, twice from v order by id
go
execute as user = 'ann'
select id, holder, twice from v order by id
select id from nested order by id
select count(*) n, sum(twice) t from v
select a.id, b.id j from v a join v b on a.id < b.id
select id from v where 1 / (twice - 40) > -5 order by id
go
-- What is not seen is not changed
update v set holder = holder
update v set holder = 'bob' where id = 3
delete v where id = 2
delete v where id = 1
select id from v
insert v (id, holder) values (9, 'bob')
go
revert
select id, owner from orders order by id
go
-- A function that reads tables
alter security policy p with (state = off)
drop security policy q
create security policy q add filter predicate s.friend(holder) on dbo.v
go
execute as user = 'ann'
select id, holder from v order by id
update v set holder = holder
go
revert
select count(*) n from v
go
create procedure read_v as select count(*) n from v
go
exec read_v
alter security policy q with (state = off)
exec read_v
alter security policy q with (state = on)
exec read_v
go
-- The view stays while a policy is about it
drop view v
go
alter view dbo.v with schemabinding as select id, owner as holder, v as twice from dbo.orders
go
drop view nested
drop security policy q
drop security policy p
drop view v
