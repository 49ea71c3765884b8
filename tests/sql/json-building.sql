-- JSON_OBJECT, JSON_ARRAY and their aggregates.
create table t (id int not null primary key, g int, seq int, k varchar(10), v nvarchar(20), n int)
insert t values (1, 1, 2, 'b', N'y', 2), (2, 1, 1, 'a', N'x', 1), (3, 1, 3, 'c', null, null),
    (4, 2, 1, 'd', N'x', 4), (5, 2, 2, 'd', N'x', 5), (6, 4, 1, null, N'z', 6)
go
select json_object() as o, json_array() as a, json_array(null on null) as an, json_object(absent on null) as oa
select json_object('a': 1, 'b': 'two') as o, json_array(1, 'two', 3.0) as a
select json_object('a': 1, 'b': cast(null as int)) as d, json_object('a': 1, 'b': null null on null) as n,
    json_object('a': 1, 'b': cast(null as int) absent on null) as a, json_object('b': null absent on null) as e
select json_array(1, null, 3) as d, json_array(1, null, 3 null on null) as n, json_array(null, 1 absent on null) as a, json_array(null null on null) as o
select json_object('a': 1, 'a': 2) as twice, json_object('key' + cast(1 as varchar): 42) as computed, json_object('with"quote/': 1) as escaped
go
select json_object(1: 'hello') as i, json_object(cast(1.5 as float): 1) as f, json_object(0x41: 1) as b, json_object(cast(1 as bit): 1) as t,
    json_object(cast('2024-01-02 03:04:05' as datetime): 1) as d, json_object(cast(1.5 as money): 1) as m,
    json_object(cast(1 as sql_variant): 1) as v, json_object(cast('x' as sql_variant): 1) as s, json_object(cast('k' as char(3)): 1) as c
go
select json_array(cast(1 as numeric(10, 2)), cast(1 as money), cast(1.5 as float), cast(1.5 as real), cast(1 as bit)) as n,
    json_array(cast('2020-01-02' as datetime), cast('2020-01-02 03:04:05.5 -05:30' as datetimeoffset(2)), cast('03:04:05' as time)) as d,
    json_array(0x4142, 0x) as b
go
select json_array(cast(0x01 as image), cast('t' as text), cast(N'n' as ntext), cast('12345678-1234-1234-1234-1234567890AB' as uniqueidentifier)) as a,
    json_array(cast(-0.0e0 as float), 'a/b' + char(10), N'é' + nchar(1)) as s
go
-- JSON text is embedded as it is, strings are not.
select json_object('nested': json_object('inner': 1), 'arr': json_array(1, json_array(2)), 's': '{"x":1}') as j
select json_object('a': (select 1 as q for json path), 'b': (select 1 as q for json path, without_array_wrapper)) as j
select json_object('a': isnull(json_array(1), '[]'), 'b': coalesce(null, json_array(1)), 'c': nullif(json_array(1), N'x')) as j
select json_object('a': v) as j from (select json_array(1) as v) d
;with c as (select json_array(1) as v) select json_object('a': v) as j from c
select json_object('a': (select json_array(1))) as j
select json_object('a': cast(json_array(1) as nvarchar(max)), 'b': json_array(1) + N'', 'c': isnull(N'[0]', json_array(1))) as j
select json_object('a': coalesce(N'[0]', json_array(1)), 'b': iif(1 = 1, N'x', json_array(1)), 'c': case when 1 = 1 then json_array(1) else N'x' end,
    'd': case when 1 = 2 then json_array(1) else N'x' end) as j
select json_object('a': coalesce(v, json_array(1))) as j from (values (cast(null as nvarchar(max))), (N'[7]')) d(v)
select json_object('a': case id when 1 then json_array(1) else N'[2]' end) as j from t where id < 3 order by id
select json_object('k': u) as j from (select json_array(1) as u union all select json_array(2)) d
declare @v nvarchar(max) = json_array(1); select json_object('a': @v) as j, json_array(@v) as a
select json_array(1) as c into #q; select json_object('k': c) as j from #q
select id, json_array(id) as a, json_object('x': id) as o from t where id = 1 for json path
go
create table c (a int, j as json_object('a': a, 'b': json_array(a, null null on null) absent on null), k nvarchar(max) default json_array(1, 'x'))
insert c (a) values (1), (null)
select a, j, k from c for json path, include_null_values
select definition from sys.computed_columns where object_id = object_id('c') union all select definition from sys.default_constraints where parent_object_id = object_id('c')
go
-- Aggregates.
select json_objectagg('a': 1) as o, json_arrayagg(1) as a
select json_objectagg(k: v) as o, json_objectagg(k: v null on null) as n, json_objectagg(k: v absent on null) as a from t where g = 1
select json_arrayagg(v) as d, json_arrayagg(v absent on null) as a, json_arrayagg(v null on null) as n from t where g = 1
select g, json_arrayagg(n) as a from t group by g order by g
select json_objectagg(k: n) as o, json_arrayagg(n) as a from t where 1 = 0
select g, json_arrayagg(n) as a from t where 1 = 0 group by g
select json_objectagg(k: v absent on null) as o, json_arrayagg(v) as a from t where id = 3
select json_arrayagg(k order by seq) as a, json_arrayagg(k order by seq desc) as d, json_arrayagg(k order by n) as n, json_arrayagg(k order by -id) as e from t where g = 1
select json_arrayagg(k) within group (order by seq desc) as w from t where g = 1
select json_arrayagg(json_object('k': k, 'n': n) order by id null on null) as a, json_objectagg(k: json_array(n, v)) as o from t where g = 1
select json_object('g': g, 'items': json_arrayagg(n)) as j, json_array(json_arrayagg(n), json_objectagg(id: n)) as a from t group by g order by g
select json_arrayagg(x) as j from (select json_objectagg(id: n) as x from t group by g) d
select g from t group by g having json_arrayagg(n) = N'[4,5]'
select p.g, (select json_arrayagg(n) from t where t.g = p.g) as a from (values (1), (2), (3)) p(g) order by g
go
select id, json_arrayagg(n) over (partition by g) as p, json_arrayagg(n) over (order by id) as r, json_arrayagg(n null on null) over () as w from t order by id
select id, json_objectagg(id: n) over (order by id rows between unbounded preceding and current row) as o,
    json_arrayagg(id) over (order by id rows between 1 preceding and current row) as f from t order by id
select id, json_arrayagg(n) over (partition by g) as a from t where id < 3 order by id for json path
go
select len(json_arrayagg(s)) as n from (select replicate(cast('x' as varchar(max)), 10000) as s from t) d
select datalength(json_objectagg(id: s)) as n from (select id, replicate(N'x', 4000) as s from t) d
go
-- What is refused.
select json_object(cast(null as varchar): 1)
go
select json_object(null: 1 absent on null)
go
select json_objectagg(k: n) from t
go
select json_object('k')
go
select json_object('k': 1, )
go
select json_object('k' = 1)
go
select json_object('k': 1 null)
go
select json_array(1, )
go
select json_array('a': 1)
go
select json_array(1 returning json)
go
select json_objectagg(k, n) from t
go
select json_objectagg() from t
go
select json_objectagg(k: n, k: n) from t
go
select json_objectagg(k: ) from t
go
select json_objectagg(k: n order by k) from t
go
select json_objectagg(k: n) within group (order by k) from t
go
select json_arrayagg() from t
go
select json_arrayagg(k, n) from t
go
select json_arrayagg(distinct k) from t
go
select json_arrayagg(k null on null order by n) from t
go
select json_arrayagg(k order by n) over () from t
go
select json_arrayagg(k order by 1) from t
go
select json_arrayagg(count(*)) from t
go
select json_arrayagg(k), n from t
go
select 1 from t where json_arrayagg(k) = N'x'
go
select json_array(1) over () from t
go
select [FOR JSON ROW](0x00), [JSON ELEMENT](1)
go
select [FOR JSON](N'[', 0x01, k) from t
go
