-- what the catalogue says of columns of views and inline functions: identity
create table t (id int identity(3, 2) primary key, n int)
create table d (n int, id numeric(9) identity not for replication)
insert t (n) values (1), (2)
go
create view plain as select n, id from t
go
create view renamed (a, b) as select id, id + 0 from t
go
create view joined as select t.id, d.id as d from t join d on d.n = t.n
go
create view united as select id from t union all select id from t
go
create view over_view as select a from renamed
go
create function inline () returns table as return select id from t where n > 1
go
select object_name(object_id) o, name, is_identity from sys.columns
where object_id > 0 and object_name(object_id) in ('plain', 'renamed', 'joined', 'united', 'over_view', 'inline')
order by 1, column_id
select object_name(object_id) o, name, seed_value, increment_value, last_value, is_not_for_replication
from sys.identity_columns where object_id in (select object_id from sys.objects where type in ('U', 'V', 'IF'))
order by 1, 2
select columnproperty(object_id('plain'), 'id', 'IsIdentity') a, columnproperty(object_id('united'), 'id', 'IsIdentity') b
go
-- the view gives no numbers of its own, and what is copied from it does
insert plain (n) values (3)
select @@identity i, objectproperty(object_id('plain'), 'TableHasIdentity') h
select id, n into copied from plain
insert copied (n) values (4)
select id from copied order by id
go
