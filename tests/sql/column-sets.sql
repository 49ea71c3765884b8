-- Column sets: an xml column for all sparse columns of a table.
create table doc (id int primary key, title varchar(20) not null, a int sparse, b varchar(20) sparse null, c datetime sparse, d varbinary(10) sparse, e xml sparse, [odd name] money sparse, h hierarchyid sparse, props xml column_set for all_sparse_columns);
insert doc (id, title, a, b, c, d, e, [odd name], h) values (1, 'all', 7, 'x < y', '2024-02-03T04:05:06', 0x010203, '<n>1</n>', 1.5, '/1/');
insert doc (id, title) values (2, 'none');
insert doc (id, title, b) values (3, 'empty', '');
select * from doc order by id;
select id, a, b, props from doc where props is not null order by id;
select d.props.value('(/a)[1]', 'int') as a, p.props.query('/b') as b from doc d join doc p on p.id = d.id where d.id = 1;
go
-- Writing the set sets all sparse columns.
insert doc (id, title, props) values (4, 'set', '<a>8</a><h>/2/</h><odd_x0020_name>2.25</odd_x0020_name>');
insert doc values (5, 'bare', '<b>text</b><d>AQID</d><e><m/>tail</e>');
insert doc (id, title, props) select id + 10, title, props from doc where id = 1;
insert doc (id, title, props) values (6, 'six', null), (7, 'seven', '<c>2024-05-06T07:08:09.123</c>');
update doc set props = '<a>1</a>' output deleted.props as old, inserted.props as new, inserted.a where id = 4;
update doc set props = null where id = 5;
select id, title, a, b, c, d, e, [odd name], h from doc where id > 3 order by id;
select id, props from doc where id > 3 order by id;
update doc set a = a + 1, b = 'own' where id = 4;
select props from doc where id = 4;
merge doc as t using (values (4, '<a>5</a>'), (8, '<b>new</b>')) as s (id, x) on t.id = s.id
  when matched then update set props = s.x when not matched then insert (id, title, props) values (s.id, 'merged', s.x);
select id, a, b from doc where id in (4, 8) order by id;
go
-- What is refused.
insert doc (id, title, a, props) values (9, 'both', 1, '<b>2</b>');
go
update doc set a = 1, props = '<b>2</b>' where id = 1;
go
update doc set props = '<b>2</b>', a = 1 where id = 1;
go
update doc set props = '<b>2</b>', props = null where id = 1;
go
insert doc (id, title, props) values (9, 'unknown', '<z>1</z>');
go
insert doc (id, title, props) values (9, 'text', 'a');
go
insert doc (id, title, props) values (9, 'value', '<a>x</a>');
go
insert doc values (9, 'count', 1, '<a>1</a>');
go
update doc set props.modify('delete /a') where id = 1;
go
create table t (id int, s xml column_set for all_sparse_columns, r xml column_set for all_sparse_columns);
go
create table t (id int, s varchar(10) column_set for all_sparse_columns);
go
create table t (id int, s xml column_set for all_sparse_columns not null);
go
create table t (s xml column_set for all_sparse_columns);
go
create table t (id int, v sql_variant sparse, s xml column_set for all_sparse_columns);
go
create type t as table (id int, s xml column_set for all_sparse_columns);
go
create table m (id int primary key nonclustered, s xml column_set for all_sparse_columns) with (memory_optimized = on);
go
create index i on doc (props);
go
create index i on doc (title) include (props);
go
alter table doc alter column props xml;
go
alter table doc add constraint d default '<a>1</a>' for props;
go
-- Changes of tables.
create table early (id int primary key);
insert early values (1);
alter table early add s xml column_set for all_sparse_columns;
alter table early add x int sparse, y varchar(10) sparse;
insert early values (2, '<x>3</x><y>four</y>');
select * from early order by id;
alter table early drop column x;
select * from early order by id;
select * into copied from early;
select name, type_name(user_type_id) as type, is_sparse, is_column_set, is_computed, is_nullable from sys.columns where object_id = object_id('early') order by column_id;
select count(*) as n from sys.computed_columns where object_id = object_id('early');
select columnproperty(object_id('early'), 's', 'IsColumnSet') as is_set, columnproperty(object_id('early'), 's', 'IsComputed') as is_computed;
create table late (id int primary key, x int sparse);
go
alter table late add s xml column_set for all_sparse_columns;
go
alter table early drop column s;
select * from early order by id;
go
-- Views, triggers, functions.
create view shown as select * from doc;
go
create trigger told on doc after insert, update as select i.id, i.props, i.b, iif(update(b), 1, 0) as b_set from inserted i order by i.id;
go
insert shown (id, title, props) values (20, 'view', '<a>20</a>');
update doc set props = '<b>z</b>' where id = 20;
select * from shown where id = 20;
go
-- Versioned tables have no sets.
create table versioned (id int primary key, a int sparse, s datetime2 generated always as row start not null, e datetime2 generated always as row end not null, p xml column_set for all_sparse_columns, period for system_time (s, e)) with (system_versioning = on);
go
-- Through a view a set is inserted, not updated.
update shown set title = 'other' where id = 20;
go
update shown set props = '<a>9</a>' where id = 20;
go
-- Rights: the set is read and changed with the right on all sparse columns.
create user reader without login;
grant select on doc (id, title, props, a) to reader;
go
execute as user = 'reader';
select props from doc where id = 1;
go
revert;
grant select on doc to reader;
execute as user = 'reader';
select id, props from doc where id = 4;
revert;
go
