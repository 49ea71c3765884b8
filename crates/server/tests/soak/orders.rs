//! Orders and their lines: the tables, and what one must look like.
//!
//! A line's quantity is its number times the version of its order, so that an order of which a part
//! is missing or old is found.

use std::collections::BTreeMap;

use base::Value;
use tools::client::Connection;
use tools::workload::TableSet;

/// All tables.
pub const TABLES: [&str; 4] = ["orders_inmem", "lines_inmem", "orders_ondisk", "lines_ondisk"];

/// What is known of an order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    pub version: i64,
    pub lines: i64,
}

impl Order {
    fn quantity(self) -> i64 {
        self.version * self.lines * (self.lines + 1) / 2
    }
}

/// Orders by their numbers.
pub type Orders = BTreeMap<i64, Order>;

/// The batch that makes a set of tables.
pub fn definition(tables: TableSet) -> String {
    let (orders_key, lines_key, with) = match tables {
        TableSet::InMemory => (
            "PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 16384)",
            "NONCLUSTERED",
            "WITH (MEMORY_OPTIMIZED = ON)",
        ),
        TableSet::OnDisk => ("PRIMARY KEY", "CLUSTERED", ""),
    };
    let suffix = tables.suffix();
    format!(
        "CREATE TABLE orders{suffix} (id bigint NOT NULL {orders_key}, writer int NOT NULL, \
         version int NOT NULL, lines int NOT NULL, note varchar(400) NOT NULL, \
         INDEX by_writer NONCLUSTERED (writer, id)) {with}; \
         CREATE TABLE lines{suffix} (order_id bigint NOT NULL, line int NOT NULL, \
         quantity bigint NOT NULL, PRIMARY KEY {lines_key} (order_id, line)) {with}"
    )
}

fn numbers(row: &[Value]) -> Vec<i64> {
    let number = |value: &Value| match value {
        Value::Int(number) => *number,
        Value::Null => 0,
        other => panic!("{other:?} is not a number"),
    };
    row.iter().map(number).collect()
}

/// The orders of a writer that a database holds. Each must be whole.
pub fn read(connection: &mut Connection, database: &str, tables: TableSet, writer: i64) -> Orders {
    let (orders, lines) = (
        format!("{database}.dbo.orders{}", tables.suffix()),
        format!("{database}.dbo.lines{}", tables.suffix()),
    );
    let query = format!(
        "SELECT o.id, o.version, o.lines, COUNT_BIG(l.line), SUM(l.quantity) \
         FROM {orders} AS o LEFT JOIN {lines} AS l ON l.order_id = o.id \
         WHERE o.writer = {writer} GROUP BY o.id, o.version, o.lines"
    );
    let rows = connection.query(&query).unwrap().rows;
    let order = |row: &Vec<Value>| {
        let row = numbers(row);
        let order = Order { version: row[1], lines: row[2] };
        assert_eq!(
            (row[3], row[4]),
            (order.lines, order.quantity()),
            "order {} of {tables:?} in {database} is not whole",
            row[0]
        );
        (row[0], order)
    };
    rows.iter().map(order).collect()
}

/// There are no lines but those of orders.
pub fn check_nothing_else(connection: &mut Connection, database: &str) {
    for suffix in [TableSet::InMemory.suffix(), TableSet::OnDisk.suffix()] {
        let query = format!(
            "SELECT COUNT_BIG(*) FROM {database}.dbo.lines{suffix} AS l WHERE NOT EXISTS \
             (SELECT * FROM {database}.dbo.orders{suffix} AS o WHERE o.id = l.order_id)"
        );
        let rows = connection.query(&query).unwrap().rows;
        assert_eq!(numbers(&rows[0]), [0], "lines{suffix} of {database} without orders");
    }
}
