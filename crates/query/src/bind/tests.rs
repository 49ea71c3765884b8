//! Statements bound, lowered and run; errors with numbers, lines and texts.

use base::SqlType;

use super::testing::Db;

fn people() -> Db {
    let mut db = Db::with(&[
        "create table t (a int not null primary key, b varchar(20), c decimal(9, 2))",
        "create table u (a int not null, d int)",
    ]);
    db.fill("t", "select 1, 'one', 1.5 union all select 2, 'two', 2.5 union all select 3, null, 3");
    db.fill("u", "select 1, 10 union all select 1, 11 union all select 3, null union all select 4, 40");
    db
}

#[test]
fn simple_selects_run() {
    let mut db = people();
    assert_eq!(db.line("select 1, 'x', null"), "1 x NULL");
    assert_eq!(db.line("select a, b from t where a >= 2 order by a desc"), "3 NULL | 2 two");
    assert_eq!(db.line("select count(*), sum(c), min(b) from t"), "3 7.00 one");
    assert_eq!(
        db.line("select t.b, u.d from t join u on t.a = u.a order by 2"),
        "NULL NULL | one 10 | one 11"
    );
    let _ = SqlType::int();
}
