//! Plans of statements as text, and random queries with and without optimization.

mod random;

use base::ValueRef;
use ir::operator::VarId;
use run::interp::Frame;
use testkit::golden;

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

/// Statements, each followed by its plan and an empty line.
#[test]
fn statements_have_these_plans() {
    let mut db = shop();
    db.declare("@wide", base::SqlType::nvarchar(20, base::Collation::DEFAULT));
    let path = golden::file(env!("CARGO_MANIFEST_DIR"), "src/plan/optimize/plans.txt");
    let known = std::fs::read_to_string(&path).unwrap();
    let mut plans = String::new();
    for block in known.split("\n\n").filter(|b| !b.trim().is_empty()) {
        let text = block.trim().lines().next().expect("a block has a line");
        let bound = db.bind(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        plans += &format!("{text}\n{}\n", print::statement(&bound.plan));
    }
    golden::check(&path, &plans, "\n\n");
}

/// What is sought by a random number has one number each time, so that it is found if all of them
/// are there.
#[test]
fn a_key_that_is_another_each_time_is_one_key_for_all_rows() {
    let mut db = shop();
    db.fill("customer", "select value, 'x', null, null from generate_series(1, 500)");
    for condition in [
        "id = cast(rand(checksum(newid())) * 500 as int) + 1",
        "id = abs(checksum(newid()) % 500) + 1",
        "abs(checksum(newid()) % 500) + 1 = id and name = 'x'",
    ] {
        for _ in 0..50 {
            for what in ["id", "id + 1, upper(name)"] {
                let rows = db.rows(&format!("select {what} from customer where {condition}"));
                assert_eq!(rows.len(), 1, "{what}, {condition}: {rows:?}");
            }
        }
    }
}

/// A string of another kind than the column's is looked up by what it becomes in the column's code
/// page. One that loses something on the way is looked for everywhere, since it may be equal still.
#[test]
fn unicode_values_find_rows_by_an_index_of_another_code_page() {
    let ty = base::SqlType::nvarchar(20, base::Collation::DEFAULT);
    let mut db = shop();
    db.declare("@wide", ty);
    db.fill(
        "customer",
        "select 1, 'caf\u{e9}', null, null union all select 2, 'Cafe', null, null \
         union all select 3, 'x', null, null",
    );
    let mut frame = Frame::new([ty]);
    for (value, expected) in
        [("caf\u{e9}", "1"), ("cafe\u{301}", "1"), ("cafe", "2"), ("\u{4e2d}", ""), ("X", "3")]
    {
        let bytes: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
        frame.set(VarId(0), ValueRef::Unicode(&bytes));
        let select = "select id from customer where name = @wide order by id";
        let (rows, _) = db.run_in(select, &mut frame).unwrap();
        assert_eq!(rows.join(" "), expected, "{value}");
        let update = "update customer set born = '2000-01-01' where name = @wide";
        let (_, outcome) = db.run_in(update, &mut frame).unwrap();
        assert_eq!(outcome.rows, rows.len() as u64, "{value}");
    }
}
