-- Each tenant sees its own rows; members of the role see all. The owner is not exempt.
create schema sec
go
create role everything
create user ann without login
create user bob without login
create user boss without login
alter role everything add member boss
create table orders (id int primary key, tenant sysname not null, amount int not null, note varchar(20), twice as amount * 2, index by_tenant (tenant))
insert orders (id, tenant, amount, note) values (1, 'ann', 10, 'a'), (2, 'ann', 20, 'b'), (3, 'bob', 30, 'c'), (4, 'bob', 40, 'd'), (5, 'dbo', 50, 'e')
grant select, insert, update, delete on orders to ann
grant select, insert, update, delete on orders to bob
grant select, insert, update, delete on orders to boss
go
create function sec.own (@tenant sysname) returns table with schemabinding as return select 1 as ok where @tenant = user_name() or is_rolemember('everything') = 1
go
create security policy sec.tenants add filter predicate sec.own(tenant) on dbo.orders with (state = on)
go
select id, tenant from orders order by id
execute as user = 'ann'
select id, tenant, twice from orders order by id
select count(*) as n, sum(amount) as total from orders
select id from orders where id = 3
select tenant, count(*) as n from orders group by tenant
revert
execute as user = 'boss'
select count(*) as n from orders
revert
go
-- through views, joins of all kinds, subqueries, common table expressions, functions and cursors
create view shown as select id, tenant from orders
go
create function total () returns int as begin return (select sum(amount) from dbo.orders) end
go
grant select, insert on shown to ann
grant execute on total to ann
create table names (tenant sysname primary key, name varchar(10))
insert names values ('ann', 'Ann'), ('bob', 'Bob'), ('cid', 'Cid')
grant select on names to ann
go
execute as user = 'ann'
select * from shown order by id
select n.name, o.id from names n left join orders o on o.tenant = n.tenant order by n.name, o.id
select n.name, o.id from orders o right join names n on o.tenant = n.tenant order by n.name, o.id
select n.name, o.id from names n full join orders o on o.tenant = n.tenant order by n.name, o.id
select n.name from names n where exists (select 1 from orders o where o.tenant = n.tenant)
select n.name from names n where n.tenant not in (select tenant from orders) order by 1
select n.name, a.id from names n cross apply (select top 1 id from orders o where o.tenant = n.tenant order by id desc) a
;with c as (select *, row_number() over (order by id desc) as place from orders) select id, place from c order by id
select dbo.total() as total
select (select max(id) from orders) as last_one
declare c cursor static for select id from orders order by id
declare @id int
open c
fetch next from c into @id
while @@fetch_status = 0 begin print @id fetch next from c into @id end
close c
deallocate c
select id into #mine from orders
select * from #mine order by id
drop table #mine
revert
go
-- rows that are not seen are neither changed nor deleted nor merged with
execute as user = 'ann'
update orders set amount = amount + 1
select @@rowcount as n
update o set note = n.name from orders o join names n on n.tenant = o.tenant
select @@rowcount as n
delete orders where id = 3
select @@rowcount as n
merge orders t using (values (1), (3)) s (id) on t.id = s.id when matched then update set note = 'merged' when not matched by source then update set note = 'other' output $action, inserted.id, inserted.note;
merge orders t using (values (3)) s (id) on t.id = s.id when not matched then insert (id, tenant, amount) values (s.id, 'ann', 0);
declare c cursor for select id from orders order by id for update
declare @id int
open c
fetch next from c into @id
update orders set note = 'cursor' where current of c
close c
deallocate c
-- a filter does not keep rows from coming or going
insert orders (id, tenant, amount) values (6, 'bob', 60)
update orders set tenant = 'bob' where id = 2
select id, tenant, amount, note from orders order by id
revert
execute as user = 'boss'
select id, tenant, amount, note from orders order by id
revert
go
-- blocks
alter security policy sec.tenants add block predicate sec.own(tenant) on dbo.orders after insert, add block predicate sec.own(tenant) on dbo.orders after update
go
execute as user = 'ann'
insert orders (id, tenant, amount) values (7, 'bob', 70)
insert orders (id, tenant, amount) values (7, 'ann', 70), (8, 'bob', 80)
insert orders (id, tenant, amount) values (7, 'ann', 70)
update orders set tenant = 'bob' where id = 7
update orders set tenant = 'ann' where id = 7
update orders set amount = 71 where id = 7
merge orders t using (values (9)) s (id) on t.id = s.id when not matched then insert (id, tenant, amount) values (s.id, 'bob', 0);
merge orders t using (values (7)) s (id) on t.id = s.id when matched then update set tenant = 'bob';
insert shown (id, tenant) values (9, 'bob')
select id, tenant, amount from orders order by id
revert
go
alter security policy sec.tenants drop filter predicate on dbo.orders, drop block predicate on dbo.orders after update,
  add block predicate sec.own(tenant) on dbo.orders before update, add block predicate sec.own(tenant) on dbo.orders before delete
go
execute as user = 'ann'
select count(*) as n from orders
update orders set amount = 0 where id = 3
update orders set amount = 0 where id = 7
update orders set tenant = 'bob' where id = 7
delete orders where id = 3
delete orders where id = 1
delete orders
merge orders t using (values (3)) s (id) on t.id = s.id when matched then delete;
merge orders t using (values (3)) s (id) on t.id = s.id when matched then update set amount = 1;
revert
select id, tenant from orders order by id
-- what a predicate uses is not set: rows that are wrong already may be changed otherwise
drop security policy sec.tenants
go
create security policy sec.tenants add block predicate sec.own(tenant) on dbo.orders after update
go
execute as user = 'ann'
update orders set amount = 31 where id = 3
update orders set tenant = tenant where id = 3
revert
go
-- all operations at once
drop security policy if exists sec.tenants
drop security policy if exists sec.tenants
go
create security policy sec.tenants add filter predicate sec.own(tenant) on dbo.orders, add block predicate sec.own(tenant) on dbo.orders with (state = off, schemabinding = on) not for replication
go
select count(*) as n from orders
insert orders (id, tenant, amount) values (10, 'nobody', 0)
alter security policy sec.tenants with (state = on)
select count(*) as n from orders
insert orders (id, tenant, amount) values (11, 'nobody', 0)
alter security policy sec.tenants with (state = off)
select count(*) as n from orders
go
select name, type, type_desc, is_enabled, is_not_for_replication, is_schema_bound, uses_database_collation from sys.security_policies
select p.security_predicate_id, object_name(p.target_object_id) as target, p.predicate_definition, p.predicate_type, p.predicate_type_desc, p.operation, p.operation_desc from sys.security_predicates p order by 1
select name, type_desc from sys.objects where type = 'SP'
select object_name(referencing_id) as p, is_schema_bound_reference as bound, referenced_schema_name as s, referenced_entity_name as e, col_name(referenced_id, referenced_minor_id) as c from sys.sql_expression_dependencies where referencing_id = object_id('sec.tenants') order by 4, 5
exec sp_help 'sec.tenants'
go
-- what is bound stays
drop table orders
go
drop function sec.own
go
alter table orders drop column tenant
go
alter table orders alter column tenant varchar(10) not null
go
exec sp_rename 'orders', 'orders2'
go
alter function sec.own (@tenant sysname) returns table with schemabinding as return select 1 as ok
go
alter table orders add later int
alter table orders drop column later
truncate table names
insert names values ('ann', 'Ann'), ('bob', 'Bob'), ('cid', 'Cid')
go
drop schema sec
go
-- a plan is made anew when a policy changes
create procedure counted as select count(*) as n from orders
go
exec counted
alter security policy sec.tenants with (state = on)
exec counted
begin tran
alter security policy sec.tenants with (state = off)
exec counted
rollback
exec counted
drop security policy sec.tenants
exec counted
go
-- functions that read tables: what they read need not be permitted
create table rights (who sysname, tenant sysname, primary key (who, tenant))
insert rights values ('ann', 'ann'), ('ann', 'bob'), ('bob', 'bob')
go
create function sec.by_rights (@tenant sysname, @least int) returns table with schemabinding as return select r.who from dbo.rights r where r.who = user_name() and r.tenant = @tenant and @least >= 20
go
create security policy sec.rights add filter predicate sec.by_rights(tenant, amount + 10) on dbo.orders
go
execute as user = 'ann'
select id, tenant, amount from orders where amount < 100 order by id
select * from rights
select n.tenant, o.id from (values ('ann'), ('bob')) n (tenant) left join orders o on o.tenant = n.tenant order by n.tenant, o.id
update orders set note = 'right'
select @@rowcount as n
revert
execute as user = 'bob'
select id, tenant from orders order by id
revert
-- a computed column, and a predicate without columns
alter security policy sec.rights alter filter predicate sec.by_rights(tenant, twice) on dbo.orders
select predicate_definition from sys.security_predicates
execute as user = 'ann'
select id, twice from orders order by id
revert
go
create function sec.nothing () returns table with schemabinding as return select 1 as ok where 1 = 0
go
alter security policy sec.rights alter filter predicate sec.nothing() on dbo.orders
select count(*) as n from orders
drop security policy sec.rights
go
-- policies that are not bound: the function may change, and must be permitted
create function sec.free (@tenant sysname) returns table as return select 1 as ok where @tenant = user_name()
go
create security policy sec.unbound add filter predicate sec.free(tenant) on dbo.orders
go
create security policy sec.unbound add filter predicate sec.free(tenant) on dbo.orders with (schemabinding = off)
go
execute as user = 'ann'
select id from orders
revert
grant select on sec.free to ann
execute as user = 'ann'
select id from orders order by id
revert
go
alter function sec.free (@tenant sysname) returns table as return select 1 as ok where @tenant <> user_name()
go
execute as user = 'ann'
select count(*) as n from orders
revert
go
alter function sec.free (@tenant sysname, @more int) returns table as return select 1 as ok
go
select count(*) as n from orders
go
drop function sec.free
go
select count(*) as n from orders
go
create function sec.free (@tenant sysname) returns int as begin return 1 end
go
select count(*) as n from orders
go
drop table orders
go
drop security policy sec.unbound
go
-- foreign keys and constraints see all rows
create table lines (id int primary key, order_id int not null references orders (id) on delete cascade)
insert lines values (1, 1), (2, 3)
grant select, insert, delete on lines to ann
go
create security policy sec.tenants add filter predicate sec.own(tenant) on dbo.orders
go
execute as user = 'ann'
insert lines values (3, 4)
insert lines values (4, 99)
select l.id, o.id as order_id from lines l left join orders o on o.id = l.order_id order by l.id
revert
alter table orders add constraint enough check (amount >= 50)
go
alter table lines with check check constraint all
alter table orders with nocheck add constraint enough check (amount >= 50)
dbcc checkconstraints (orders) with all_constraints
update statistics orders
select sum(row_count) as n from sys.dm_db_partition_stats where object_id = object_id('orders') and index_id in (0, 1)
go
-- a user's condition is asked about no hidden row
insert orders (id, tenant, amount, note) values (20, 'ann', 60, 'a')
go
execute as user = 'ann'
select id from orders where 1 / (amount - 40) > -1 and amount < 1000 order by id
select id from orders where id in (1, 4, 20) and 1 / (amount - 40) > -1 order by id
select o.id from orders o join names n on n.tenant = o.tenant where 1 / (o.amount - 40) > -1 order by o.id
revert
go
-- another transaction's change of a row that is being judged, cascades, temporal tables
create table past (id int primary key, tenant sysname not null, v int, s datetime2 generated always as row start, e datetime2 generated always as row end, period for system_time (s, e)) with (system_versioning = on (history_table = dbo.past_rows))
insert past (id, tenant, v) values (1, 'ann', 1), (2, 'bob', 2)
update past set v = v + 10
grant select on past to ann
grant select on past_rows to ann
go
create security policy sec.past add filter predicate sec.own(tenant) on dbo.past
go
execute as user = 'ann'
select id, v from past
select id, v from past for system_time all order by id, v
revert
alter security policy sec.past add filter predicate sec.own(tenant) on dbo.past_rows
alter security policy sec.past add block predicate sec.own(tenant) on dbo.past_rows after insert
execute as user = 'ann'
select id, v from past for system_time all order by id, v
revert
go
-- a predicate that reads its own table judges nothing of what it reads
create table tree (id int primary key, parent int, owner sysname not null)
insert tree values (1, null, 'ann'), (2, 1, 'x'), (3, null, 'bob'), (4, 3, 'ann')
grant select on tree to ann
go
create function sec.below (@id int, @parent int) returns table with schemabinding as return select t.id from dbo.tree t where t.owner = user_name() and t.id in (@id, @parent)
go
create security policy sec.trees add filter predicate sec.below(id, parent) on dbo.tree
go
execute as user = 'ann'
select id from tree order by id
revert
go
-- errors about values do not say what hidden rows hold, nor what shown ones do
alter table orders add code varchar(10)
go
update orders set code = 'x' + note
go
execute as user = 'ann'
select cast(code as int) as code from orders
select cast(amount * 100 as tinyint) as small from orders
revert
go
-- seeks stay seeks, and what a predicate says is part of them
set showplan_text on
go
select amount from orders where id = 7
go
set showplan_text off
go
