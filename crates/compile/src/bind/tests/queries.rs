//! What queries yield: a statement and its rows, by subject.

use base::{SqlType, Value};
use run::interp::Frame;

use crate::bind::testing::Db;

/// More than statements have: code that is not optimized needs more.
const STACK_BYTES: usize = 64 << 20;

fn people() -> Db {
    let mut db = Db::with(&[
        "create table t (a int not null primary key, b varchar(20), c decimal(9, 2))",
        "create table u (a int not null, d int)",
        "create table e (id int not null primary key, boss int, name nvarchar(20) not null)",
    ]);
    db.fill("t", "select 1, 'one', 1.5 union all select 2, 'two', 2.5 union all select 3, null, 3");
    db.fill(
        "u",
        "select 1, 10 union all select 1, 11 union all select 3, null union all select 4, 40",
    );
    db.fill(
        "e",
        "select 1, null, N'Ada' union all select 2, 1, N'Bob' union all select 3, 2, N'Cid' \
         union all select 4, 1, N'Dan'",
    );
    db
}

/// Runs each statement and compares its rows.
fn check(db: &mut Db, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(db.line(text), *expected, "{text}");
    }
}

#[test]
fn rows_become_documents() {
    check(
        &mut people(),
        &[
            (
                "select a, b from t order by a desc for json path",
                r#"[{"a":3},{"a":2,"b":"two"},{"a":1,"b":"one"}]"#,
            ),
            ("select a from t where a > 9 for json path", ""),
            ("select (select a from t where a > 9 for json path)", "NULL"),
            (
                "select t.a, u.d, b from t join u on u.a = t.a order by t.a, d for json auto",
                r#"[{"a":1,"b":"one","u":[{"d":10},{"d":11}]},{"a":3,"u":[{}]}]"#,
            ),
            (
                "select top 1 a, (select d from u where u.a = t.a order by d desc for json path) as u \
                 from t order by a for json path, without_array_wrapper",
                r#"{"a":1,"u":[{"d":11},{"d":10}]}"#,
            ),
            (
                "select a, x.j from t cross apply (select name from e where e.id = t.a for json path) x(j) \
                 order by a for json auto, root('all')",
                r#"{"all":[{"a":1,"x":[{"j":[{"name":"Ada"}]}]},{"a":2,"x":[{"j":[{"name":"Bob"}]}]},{"a":3,"x":[{"j":[{"name":"Cid"}]}]}]}"#,
            ),
            ("select len(j) from (select a from t for json path) d(j)", "25"),
            ("select 1 where exists (select a from t where a > 9 for json path)", ""),
        ],
    );
}

#[test]
fn json_text_keeps_its_mark_where_its_type_is_kept() {
    let text = r#"{"k":[1]}"#;
    let string = r#"{"k":"[1]"}"#;
    check(
        &mut people(),
        &[
            ("select json_object('k':json_array(1))", text),
            ("select json_object('k':(select json_array(1)))", text),
            ("select json_object('k':v) from (select json_array(1)) d(v)", text),
            ("with c(v) as (select json_array(1)) select json_object('k':v) from c", text),
            ("select json_object('k':isnull(json_array(1), ''))", text),
            ("select json_object('k':nullif(json_array(1), ''))", text),
            ("select json_object('k':coalesce(null, json_array(1)))", text),
            ("select json_object('k':iif(a = 1, json_array(a), N'')) from t where a = 1", text),
            ("select json_object('k':json_arrayagg(a)) from t where a = 1", text),
            ("select json_object('k':json_arrayagg(a) over ()) from t where a = 1", text),
            ("select json_object('k':json_array(1) + N'')", string),
            ("select json_object('k':cast(json_array(1) as nvarchar(max)))", string),
            ("select json_object('k':json_array(1) collate Latin1_General_BIN2)", string),
            ("select json_object('k':isnull(N'[1]', json_array(1)))", string),
            ("select json_object('k':coalesce(N'[1]', json_array(1)))", string),
            ("select json_object('k':upper(json_array(1)))", string),
            (
                "select json_object('k':v) from (select json_array(1) union select json_array(1)) d(v)",
                string,
            ),
        ],
    );
}

#[test]
fn select_lists_filters_and_orders() {
    check(
        &mut people(),
        &[
            ("select 1, 'x', null", "1 x NULL"),
            ("select a, b from t where a >= 2 order by a desc", "3 NULL | 2 two"),
            ("select * from u order by a, d", "1 10 | 1 11 | 3 NULL | 4 40"),
            ("select t.*, 7 as z from t where b = 'ONE'", "1 one 1.50 7"),
            ("select a + 1 as x from t order by x desc", "4 | 3 | 2"),
            ("select b from t order by a + 0 desc", "NULL | two | one"),
            ("select b from t order by len(b), 1", "NULL | one | two"),
            ("select distinct a from u order by a", "1 | 3 | 4"),
            ("select top 2 a from t order by a desc", "3 | 2"),
            ("select top (1) with ties a from u order by a", "1 | 1"),
            ("select top 50 percent a from u order by a, d", "1 | 1"),
            ("select a from t order by a offset 1 rows fetch next 1 rows only", "2"),
            ("select a from t where b is null or b like 't%' order by a", "2 | 3"),
            ("select a from t where a between 2 and 3 and not a = 3", "2"),
            ("select a from t where a in (1, 3, null) order by a", "1 | 3"),
            ("select a from t where b is distinct from 'one' order by a", "2 | 3"),
            ("select x = a * 2 from t where c > 2.4 order by x", "4 | 6"),
            ("select a, count(*) over () from t order by a", "1 3 | 2 3 | 3 3"),
        ],
    );
}

#[test]
fn joins_of_all_kinds() {
    check(
        &mut people(),
        &[
            ("select t.a, u.d from t join u on t.a = u.a order by 1, 2", "1 10 | 1 11 | 3 NULL"),
            (
                "select t.a, u.a, u.d from t left join u on t.a = u.a and u.d > 10 order by 1",
                "1 1 11 | 2 NULL NULL | 3 NULL NULL",
            ),
            (
                "select t.a, u.a from t right join u on t.a = u.a order by 2, u.d",
                "1 1 | 1 1 | 3 3 | NULL 4",
            ),
            (
                "select t.a, u.a from t full join u on t.a = u.a order by isnull(t.a, 9), u.d",
                "1 1 | 1 1 | 2 NULL | 3 3 | NULL 4",
            ),
            ("select count(*) from t, u", "12"),
            ("select count(*) from t cross join u where t.a < u.a", "5"),
            (
                "select e.name, b.name from e left join e as b on b.id = e.boss order by e.id",
                "Ada NULL | Bob Ada | Cid Bob | Dan Ada",
            ),
            (
                "select t.a, x.d from t cross apply (select top 1 d from u where u.a = t.a order by d desc) x",
                "1 11 | 3 NULL",
            ),
            (
                "select t.a, x.n from t outer apply (select d as n from u where u.a = t.a and d = 10) x order by 1",
                "1 10 | 2 NULL | 3 NULL",
            ),
            (
                "select v.x, v.y from (values (1, 'a'), (2, 'bcd'), (3, null)) as v (x, y)",
                "1 a | 2 bcd | 3 NULL",
            ),
        ],
    );
}

#[test]
fn groups_and_aggregates() {
    check(
        &mut people(),
        &[
            (
                "select count(*), count(b), sum(c), avg(c), min(b), max(a) from t",
                "3 2 7.00 2.333333 one 3",
            ),
            ("select a, count(*) from u group by a order by a", "1 2 | 3 1 | 4 1"),
            ("select a, sum(d) s from u group by a having count(*) > 1", "1 21"),
            ("select a % 2, count(*) from u group by a % 2 order by a % 2", "0 1 | 1 3"),
            ("select count(distinct a) from u", "3"),
            ("select count(*) from t where 1 = 0", "0"),
            ("select max(a) from t having count(*) > 5", ""),
            (
                "select a, d, count(*) from u group by rollup (a, d) having grouping(d) = 1 order by a",
                "NULL NULL 4 | 1 NULL 2 | 3 NULL 1 | 4 NULL 1",
            ),
            (
                "select a, grouping_id(a, d), count(*) from u where a = 1 group by grouping sets ((a), ()) , cube(d) having grouping(d) = 1 order by 2 desc",
                "NULL 3 2 | 1 1 2",
            ),
            (
                "select case when a > 1 then 'big' else 'small' end k, count(*) from t group by case when a > 1 then 'big' else 'small' end order by k",
                "big 2 | small 1",
            ),
            ("select string_agg(b, ',') within group (order by a desc) from t", "two,one"),
            (
                "select a, (select count(*) from u where u.a = t.a) n from t group by a order by a",
                "1 2 | 2 0 | 3 1",
            ),
            (
                "select sum(a) from t where exists (select 1 from u where u.a = t.a group by u.a having sum(u.a) > 1)",
                "4",
            ),
        ],
    );
}

#[test]
fn subqueries_everywhere() {
    check(
        &mut people(),
        &[
            ("select a from t where a in (select a from u) order by a", "1 | 3"),
            ("select a from t where a not in (select a from u)", "2"),
            ("select a from t where a not in (select d from u)", ""),
            ("select a from t where exists (select * from u where u.a = t.a and u.d is null)", "3"),
            (
                "select a, (select max(d) from u where u.a = t.a) from t order by a",
                "1 11 | 2 NULL | 3 NULL",
            ),
            (
                "select a from t where c > all (select c from t x where x.a < t.a) order by a",
                "1 | 2 | 3",
            ),
            ("select a from t where a = any (select a - 1 from u) order by a", "2 | 3"),
            (
                "select x.k from (select a * 10 as k from t) as x where x.k > 10 order by 1",
                "20 | 30",
            ),
            ("select (select count(*) from t) + (select count(*) from u)", "7"),
            ("select a from u where d = (select min(d) from u)", "1"),
            ("select a, b from t where (select count(*) from u where u.a = t.a) = 2", "1 one"),
        ],
    );
}

#[test]
fn set_operators() {
    check(
        &mut people(),
        &[
            ("select a from t union select a from u order by a", "1 | 2 | 3 | 4"),
            ("select a from t union all select a from u order by a", "1 | 1 | 1 | 2 | 3 | 3 | 4"),
            ("select a from t except select a from u", "2"),
            ("select a from u intersect select a from t order by 1", "1 | 3"),
            ("select 1 as x union all select 2.5 order by x desc", "2.5 | 1.0"),
            (
                "select 'a' as x union all select null union all select 'bcd' order by x",
                "NULL | a | bcd",
            ),
            (
                "select a from t where a = 1 union all (select d from u where a = 1) order by a",
                "1 | 10 | 11",
            ),
            ("select a from t union select a from u except select 3 order by a", "1 | 2 | 4"),
        ],
    );
}

#[test]
fn windows() {
    check(
        &mut people(),
        &[
            (
                "select a, d, row_number() over (partition by a order by d desc) from u order by 1, 3",
                "1 11 1 | 1 10 2 | 3 NULL 1 | 4 40 1",
            ),
            (
                "select a, rank() over (order by a), dense_rank() over (order by a) from u order by 1, 2",
                "1 1 1 | 1 1 1 | 3 3 2 | 4 4 3",
            ),
            (
                "select a, sum(a) over (order by a rows between unbounded preceding and current row) from t order by a",
                "1 1 | 2 3 | 3 6",
            ),
            (
                "select a, lag(a) over (order by a), lead(a, 1, 0) over (order by a) from t order by a",
                "1 NULL 2 | 2 1 3 | 3 2 0",
            ),
            (
                "select a, sum(count(*)) over (order by a) from u group by a order by a",
                "1 2 | 3 3 | 4 4",
            ),
            (
                "select a, first_value(d) over (partition by a order by d) from u order by a, d",
                "1 10 | 1 10 | 3 NULL | 4 40",
            ),
            (
                "select x.a from (select a, row_number() over (order by a desc) n from t) x where x.n = 1",
                "3",
            ),
            (
                "select a, count(*) over w from u window w as (partition by a) order by a",
                "1 2 | 1 2 | 3 1 | 4 1",
            ),
        ],
    );
}

#[test]
fn common_table_expressions() {
    check(
        &mut people(),
        &[
            ("with x as (select a from t where a > 1) select count(*) from x, x as y", "4"),
            (
                "with x (k) as (select a from t), y as (select k + 1 as k from x) select max(k) from y",
                "4",
            ),
            (
                "with n as (select 1 as i union all select i + 1 from n where i < 5) select sum(i), count(*) from n",
                "15 5",
            ),
            (
                "with r as (select id, name, 0 as depth from e where boss is null
             union all select e.id, e.name, r.depth + 1 from e join r on e.boss = r.id)
             select name, depth from r order by depth, name",
                "Ada 0 | Bob 1 | Dan 1 | Cid 2",
            ),
            (
                "with n as (select 1 as i union all select i + 1 from n where i < 200)
             select max(i) from n option (maxrecursion 0)",
                "200",
            ),
            (
                "with t as (select 9 as a) select a from t union all select a from dbo.t where a = 1",
                "9 | 1",
            ),
        ],
    );
}

#[test]
fn views_functions_and_synonyms() {
    let mut db = people();
    db.create("create view v as select a, b as name from t where a < 3");
    db.create("create view s.vv (x) as with q as (select a from dbo.v) select a * 10 from q");
    db.create("create function f (@from int) returns table as return (select a, d from u where a >= @from)");
    db.create("create function g (@a int, @b int) returns table as return (select @a + @b as s, @a as first)");
    db.create("create synonym sy for dbo.t");
    check(
        &mut db,
        &[
            ("select * from v order by a", "1 one | 2 two"),
            ("select v.name from dbo.v where v.a = 2", "two"),
            ("select x from s.vv order by x", "10 | 20"),
            ("select * from f(2) order by a", "3 NULL | 4 40"),
            (
                "select t.a, x.d from t cross apply f(t.a) x where x.a = t.a order by 1, 2",
                "1 10 | 1 11 | 3 NULL",
            ),
            ("select s, first from dbo.g(1 + 1, (select count(*) from t))", "5 2"),
            ("select q from g(1, 2) as z (q, r)", "3"),
            ("select count(*) from sy", "3"),
            ("select sy.a from sy where a = 2", "2"),
            ("select value from string_split('a,b', ',')", "a | b"),
            ("select s.value from t cross apply string_split(b, 'n') s where a = 1", "o | e"),
            ("select count(*) from db..t", "3"),
            ("select db.dbo.t.a from db.dbo.t where dbo.t.a = 1", "1"),
            ("select a from t (nolock) where a = 1", "1"),
            ("select a from t with (nolock, index (2)) where a = 1", "1"),
        ],
    );
}

#[test]
fn computed_columns_are_expanded() {
    let mut db = Db::with(&[
        "create table k (a int not null primary key, b as (a * 2), s varchar(5), d as (len(s) - 5))",
    ]);
    db.run_in("insert into k (a, s) values (1, 'x'), (2, null)", &mut Frame::default()).unwrap();
    check(
        &mut db,
        &[
            ("select b from k where b = 4", "4"),
            ("select * from k order by a", "1 2 x -4 | 2 4 NULL NULL"),
            ("select b, count(*) from k group by b order by b", "2 1 | 4 1"),
            ("select a from k where exists (select 1 from k as o where o.b = k.b + 2)", "1"),
        ],
    );
}

#[test]
fn pivot_and_unpivot() {
    let mut db = Db::with(&[
        "create table sales (who varchar(10) not null primary key nonclustered, q varchar(2), n int, m int)",
    ]);
    db.fill("sales", "select 'x', 'q1', 5, 1 union all select 'y', 'q2', 7, null");
    check(
        &mut db,
        &[
            (
                "select who, q1, q2 from (select who, q, n from sales) s pivot (sum(n) for q in (q1, q2)) p order by who",
                "x 5 NULL | y NULL 7",
            ),
            (
                "select * from (select who, n, m from sales) s unpivot (v for k in (n, m)) u order by who, k",
                "x 1 m | x 5 n | y 7 n",
            ),
        ],
    );
}

#[test]
fn cases_and_conversions() {
    check(
        &mut people(),
        &[
            ("select coalesce(b, 'none') from t order by a", "one | two | none"),
            (
                "select isnull(b, 'a long replacement text') from t where a = 3",
                "a long replacement t",
            ),
            ("select nullif(a, 2) from t order by a", "1 | NULL | 3"),
            ("select iif(a > 1, 'x', 'yy') from t order by a", "yy | x | x"),
            ("select choose(a, 'p', 'q') from t order by a", "p | q | NULL"),
            (
                "select case a when 1 then 1 when 2 then 2.5 end from t order by a",
                "1.0 | 2.5 | NULL",
            ),
            ("select cast('12' as int) + 1, convert(varchar(3), 12345)", "13 *"),
            ("select try_cast('x' as int), cast(2.7 as int)", "NULL 2"),
            (
                "select 1 + '1', '1' + '1', 5 / 2, 5 / 2.0, 7 % 4, -(-3), ~1",
                "2 11 2 2.500000 3 3 -2",
            ),
            ("select upper(b) + ':' + cast(a as varchar(5)) from t where a = 1", "ONE:1"),
            ("select case when 1 = 1 then 'a' else 1 end where 1 = 0", ""),
            ("select 1 where null = null", ""),
            ("select 'A' where N'a' = 'A'", "A"),
            ("select 1 where 'a' = 'A' collate Latin1_General_BIN", ""),
            ("select cast('2024-02-29' as date), cast(0x41 as char(1))", "2024-02-29 A"),
        ],
    );
}

#[test]
fn variables_are_read_and_assigned() {
    let mut db = people();
    let x = db.declare("@x", SqlType::int());
    let y = db.declare("@y", SqlType::varchar(5, base::Collation::DEFAULT));
    let mut frame = Frame::new([SqlType::int(), SqlType::varchar(5, base::Collation::DEFAULT)]);
    db.run_in("select @x = a, @y = b from t where a < 3 order by a", &mut frame).unwrap();
    assert_eq!(frame.get(x).to_owned(), Value::Int(2));
    db.run_in("select @x += 5, @y = 'abcdefgh'", &mut frame).unwrap();
    assert_eq!(frame.get(x).to_owned(), Value::Int(7));
    assert_eq!(frame.get(y).to_owned(), Value::chars("abcde", base::Collation::DEFAULT));
    let (rows, _) =
        db.run_in("select @x, a from t where a < @x - 4 order by a", &mut frame).unwrap();
    assert_eq!(rows.join(" | "), "7 1 | 7 2");
    let (rows, _) = db.run_in("select top (@x - 6) a from t order by a", &mut frame).unwrap();
    assert_eq!(rows.join(" | "), "1");
}

#[test]
fn temporary_tables_table_variables_and_a_triggers_tables() {
    let mut db = people();
    db.create("create table #x (k int not null primary key, v varchar(3))");
    db.fill("#x", "select 1, 'p' union all select 5, 'q'");
    check(
        &mut db,
        &[
            ("select x.v from #x x join t on t.a = x.k", "p"),
            ("select count(*) from tempdb..#x", "2"),
            ("select #x.v from #x where #x.k > 1", "q"),
        ],
    );
    let bound = db.bind("select k from #x").unwrap();
    assert!(bound.facts.unlogged && !bound.facts.disk && bound.dependencies.temporary.len() == 1);

    db.declare_table("@t", "t");
    let bound = db.bind("select q.a, b from @t as q where q.a = 1").unwrap();
    assert!(bound.facts.databases.is_empty() && !bound.facts.memory_optimized);
    assert!(db.bind("select [@t].a from @t").is_ok());

    let table = db.table("u");
    let columns_updated = db.declare("@mask", SqlType::varbinary(128));
    db.names.trigger = Some(crate::bind::TriggerScope { table, columns_updated });
    assert!(db.bind("select i.a, d.d from inserted i left join deleted d on i.a = d.a").is_ok());
    assert!(db.bind("select 1 where update(d)").is_ok());
}

#[test]
fn rows_are_changed_through_windows() {
    let mut db = people();
    let frame = &mut Frame::default();
    let text = "with x as (select *, row_number() over (partition by a order by d) n from u) delete from x where n > 1";
    assert_eq!(db.run_in(text, frame).unwrap().1.rows, 1);
    let text = "with x as (select *, row_number() over (order by a desc) n from t) update x set b = 'last' where n = 1";
    assert_eq!(db.run_in(text, frame).unwrap().1.rows, 1);
    let text = "with x as (select top 1 * from t order by c) update x set b = 'least'";
    assert_eq!(db.run_in(text, frame).unwrap().1.rows, 1);
    check(
        &mut db,
        &[
            ("select a, d from u order by a", "1 10 | 3 NULL | 4 40"),
            ("select b from t order by a", "least | two | last"),
        ],
    );
}

#[test]
fn sequences_are_asked_where_rows_are_made() {
    let db = Db::with(&["create table t (a int not null primary key)"]);
    for (text, number) in [
        ("select next value for nosuch", 208),
        ("select a from t where a = next value for s", 11720),
        ("select a from (select next value for s as a) x", 11719),
        ("select (select next value for s)", 11719),
        ("select distinct next value for s", 11721),
        ("select next value for s from t order by a", 11723),
    ] {
        assert_eq!(db.bind(text).unwrap_err().error.number(), number, "{text}");
    }
}

#[test]
fn long_statements_are_wide_rather_than_deep() {
    let mut db = people();
    let strings = |n: usize| (1..=n).map(|i| format!("select '{}' as x", "a".repeat(i)));
    let many = strings(300).collect::<Vec<_>>();
    let union = format!("select max(len(x)) from ({}) q", many.join(" union all "));
    assert_eq!(db.line(&union), "300");
    let union = format!("select count(*) from ({}) q", many.join(" union "));
    assert_eq!(db.line(&union), "300");
    let mixed = format!("{} union all select 'b'", many[..20].join(" union select 'z' union all "));
    assert_eq!(db.rows(&mixed).len(), 22);
    let number = |db: &Db, text: &str| db.bind(text).unwrap_err().error.number();
    assert_eq!(number(&db, &many[..80].join(" except ")), 191);
    // Each table expression reads the one before twice.
    let mut doubling = "with c0 as (select x.a from t x, t y)".to_owned();
    for i in 1..30 {
        let before = i - 1;
        doubling += &format!(", c{i} as (select x.a from c{before} x, c{before} y)");
    }
    assert_eq!(number(&db, &format!("{doubling} select count(*) from c29")), 106);
    assert_eq!(number(&db, &format!("select 1 from t t0{}", ", t".repeat(255))), 1013);
    for tables in [257, 20_000] {
        let aliases = (0..tables).map(|i| format!("t t{i}")).collect::<Vec<_>>().join(", ");
        assert_eq!(number(&db, &format!("select 1 from {aliases}")), 106);
    }
}

#[test]
fn nesting_up_to_the_parsers_limit_is_bound() {
    // As much stack as statements have.
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(deep_nesting).unwrap();
    thread.join().unwrap();
}

fn deep_nesting() {
    let mut db = people();
    for (start, before, inner, after) in [
        ("select ", "(1 + ", "1", ")"),
        ("select ", "case when 1 = 1 then ", "1", " end"),
        ("select count(*) from ", "(select a from ", "t", ") as x"),
        ("select ", "(select ", "1", ")"),
        ("select 1 from t where ", "exists (select 1 from t where ", "1 = 1", ")"),
    ] {
        let at = |n: usize| format!("{start}{}{inner}{}", before.repeat(n), after.repeat(n));
        let parses = |n: &usize| tsql::parse_batch(&at(*n), Default::default()).is_ok();
        let depth = (1..150).rev().find(parses).unwrap();
        assert!(depth > 100, "{start}{before}");
        if before.contains("exists") {
            // Each level has as many rows to look at.
            assert!(db.bind(&at(depth)).is_ok());
        } else {
            assert_eq!(db.rows(&at(depth)).len(), 1, "{depth}");
        }
    }
}
