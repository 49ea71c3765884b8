//! Fills the tables by bulk loads, several at a time.

use std::io::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use base::Value;

use super::data::{self, Data, FIGURES};
use crate::client::{BulkOptions, BulkTarget, ClientError, ConnectOptions, Connection};

/// Rows of a bulk load, which is a transaction.
const ROWS_PER_LOAD: i64 = 10_000;
/// 2026-01-01, in days since 0001-01-01.
const FIRST_DAY: i64 = 739_616;
/// Units of `datetime2` in a second.
const TICKS: i64 = 10_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// What was loaded.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    /// Rows of all tables.
    pub rows: u64,
    /// How long it took.
    pub time: Duration,
}

impl Loaded {
    /// Rows a second.
    pub fn rows_per_s(&self) -> f64 {
        self.rows as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// A table, and what is in its rows.
struct Table {
    name: &'static str,
    rows: fn(&Data) -> i64,
    /// Appends the values of a row, counted from 1.
    fill: fn(&Data, i64, &mut Vec<Value>),
}

const TABLES: [Table; 5] = [
    Table { name: "dbo.Products", rows: Data::products, fill: product },
    Table { name: "dbo.Customer", rows: Data::customers, fill: customer },
    Table { name: "dbo.Purchase_Criteria", rows: Data::criteria, fill: criterion },
    Table { name: "dbo.Orders", rows: Data::orders, fill: order },
    Table { name: "dbo.OrderLines", rows: Data::lines, fill: line },
];

/// Formatted text as a value of a `varchar` column.
fn chars(text: std::fmt::Arguments<'_>) -> Value {
    let mut bytes = Vec::with_capacity(32);
    bytes.write_fmt(text).expect("memory takes everything");
    Value::Chars(bytes.into())
}

/// So many seconds after the first day.
fn moment(seconds: i64) -> Value {
    Value::DateTime2((FIRST_DAY * SECONDS_PER_DAY + seconds) * TICKS)
}

fn customer(_: &Data, id: i64, row: &mut Vec<Value>) {
    row.extend([
        Value::Int(id),
        chars(format_args!("Customer {id}")),
        chars(format_args!("{} Market Street", id % 997)),
        chars(format_args!("City {}", id % 200)),
        moment(id),
    ]);
}

fn product(data: &Data, id: i64, row: &mut Vec<Value>) {
    row.extend([
        Value::Int(id),
        chars(format_args!("Product {id}")),
        Value::Int(data.type_of(id)),
        Value::Chars("An article. ".repeat(10 + (id % 20) as usize).into_bytes().into()),
        Value::Money(data::price(id)),
    ]);
    row.extend((0..FIGURES).map(|n| Value::Float(data::product_figure(id, n))));
}

fn criterion(_: &Data, id: i64, row: &mut Vec<Value>) {
    row.push(Value::Int(id));
    row.extend((0..FIGURES).map(|n| Value::Float(data::criterion_figure(id, n))));
}

fn order(data: &Data, id: i64, row: &mut Vec<Value>) {
    let (customer, total) = (data.customer_of(id), data.total(id));
    let outstanding = Value::Int(1);
    row.extend([
        Value::Int(id),
        Value::Int(customer),
        Value::Money(total),
        moment(id),
        outstanding,
    ]);
}

fn line(data: &Data, n: i64, row: &mut Vec<Value>) {
    let line = data.line(n);
    row.extend([line.order, line.number, line.product, line.quantity].map(Value::Int));
    row.push(Value::Money(data::price(line.product)));
}

/// Fills the tables, which are empty, over so many connections.
///
/// # Errors
/// The first of a load.
pub fn load(connect: &ConnectOptions, data: &Data, loaders: usize) -> Result<Loaded, ClientError> {
    let begin = Instant::now();
    let all: i64 = TABLES.iter().map(|table| (table.rows)(data)).sum();
    let mut connection = Connection::connect(connect)?;
    let mut jobs = Vec::new();
    for table in &TABLES {
        let target = connection.bulk_target(table.name, true)?;
        let firsts = (1..=(table.rows)(data)).step_by(ROWS_PER_LOAD as usize);
        jobs.extend(firsts.map(|first| (table, target.clone(), first)));
    }
    // They are taken from the end.
    jobs.reverse();
    let jobs = Mutex::new(jobs);
    let work = || -> Result<(), ClientError> {
        let mut connection = Connection::connect(connect)?;
        let next = || jobs.lock().expect("no loader panics").pop();
        while let Some((table, target, first)) = next() {
            let last = (first + ROWS_PER_LOAD - 1).min((table.rows)(data));
            load_some(&mut connection, data, table, &target, first, last).inspect_err(|_| {
                // The others need not go on.
                jobs.lock().expect("no loader panics").clear();
            })?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let loaders: Vec<_> = (0..loaders.max(1)).map(|_| scope.spawn(work)).collect();
        loaders.into_iter().try_for_each(|loader| loader.join().expect("a loader does not panic"))
    })?;
    Ok(Loaded { rows: all as u64, time: begin.elapsed() })
}

fn load_some(
    connection: &mut Connection,
    data: &Data,
    table: &Table,
    target: &BulkTarget,
    first: i64,
    last: i64,
) -> Result<(), ClientError> {
    let options = BulkOptions { rows: Some((last - first + 1) as u64), ..BulkOptions::default() };
    connection.bulk_load(target, &options, |rows| {
        let mut row = Vec::new();
        for n in first..=last {
            row.clear();
            (table.fill)(data, n, &mut row);
            rows.row(row.as_slice())?;
        }
        Ok(())
    })?;
    Ok(())
}
