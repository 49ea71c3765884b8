//! Plans of statements as text, and random queries with and without optimization.

mod random;

use crate::bind::testing::Db;
use crate::plan::print;

fn shop() -> Db {
    Db::with(&[
        "create table customer (id int not null primary key, name varchar(40) not null, \
         city nvarchar(30), born date, index by_name (name), index by_city (city, born desc))",
        "create table orders (id int not null primary key, customer int not null, \
         placed datetime2 not null, state tinyint not null, total decimal(12, 2), \
         index by_customer (customer, placed))",
        "create table line (orders int not null, number smallint not null, product int not null, \
         quantity int, primary key (orders, number))",
        "create table product (id int not null primary key nonclustered hash with (bucket_count = 16), \
         title nvarchar(50), price money) with (memory_optimized = on)",
        "create table loose (a int, b int)",
    ])
}

/// Statements, each followed by its plan and an empty line. With `THERMOCLINE_BLESS` set the plans are
/// written instead of compared.
#[test]
fn statements_have_these_plans() {
    let db = shop();
    let golden = include_str!("plans.txt");
    let mut plans = String::new();
    for block in golden.split("\n\n").filter(|b| !b.trim().is_empty()) {
        let text = block.trim().lines().next().expect("a block has a line");
        let bound = db.bind(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        plans += &format!("{text}\n{}\n", print::statement(&bound.plan));
    }
    if std::env::var_os("THERMOCLINE_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/plan/optimize/plans.txt");
        std::fs::write(path, plans).unwrap();
        return;
    }
    for (found, expected) in plans.split("\n\n").zip(golden.split("\n\n")) {
        assert_eq!(found.trim(), expected.trim());
    }
}
