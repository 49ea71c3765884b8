//! Bytes that a server writes for each byte of the rows that are inserted into a disk table larger
//! than its memory, in order of their keys and in random order, until all of it is in a checkpoint.

use super::database::{check, counter, counter_of, limit_memory, numbers, sink};
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer, written_bytes};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of 204 bytes.
    #[arg(long, value_name = "N", default_value_t = 2_500_000,
          value_parser = clap::value_parser!(u32).range(10_000..=500_000_000))]
    rows: u32,
    /// `max server memory` of the server.
    #[arg(long, value_name = "N", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(128..=1_000_000))]
    memory_mb: u32,
}

const ROWS_PER_STATEMENT: u32 = 20_000;
/// An int and 200 characters.
const ROW_BYTES: f64 = 204.0;
const PAGE_BYTES: f64 = 8192.0;
/// What random keys are made with: a prime above the number of rows.
const FACTOR: u64 = 982_451_653;

/// What keys come in which order, and the names of the figures: all bytes, the log's, those of
/// pages.
struct Order {
    name: &'static str,
    figures: [&'static str; 3],
    factor: u64,
}

const ORDERS: [Order; 2] = [
    Order { name: "order", figures: ["ordered", "ordered_log", "ordered_pages"], factor: 1 },
    Order { name: "disorder", figures: ["random", "random_log", "random_pages"], factor: FACTOR },
];

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let mut figures = Vec::new();
    for order in &ORDERS {
        let mut own = order.figures.map(|name| {
            let mut figure = Figure::new("write-amplification", name, "B/B");
            figure.decimals = 2;
            figure
        });
        for _ in 0..runs {
            let written = insert(options, order)?;
            own.iter_mut().zip(written).for_each(|(figure, value)| figure.values.push(value));
        }
        figures.extend(own);
    }
    Ok(figures)
}

/// Inserts all rows into a table of a new server. Bytes that were written for a byte of them: all,
/// those of the log, those of pages.
fn insert(options: &Options, order: &Order) -> Result<[f64; 3], BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = Connection::connect(&server.options())?;
    limit_memory(&mut connection, options.memory_mb)?;
    connection.execute("CREATE DATABASE Amplified")?;
    connection.execute("USE Amplified")?;
    connection.execute(
        "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY CLUSTERED, n char(200) NOT NULL)",
    )?;
    connection.execute("CHECKPOINT")?;
    let before = written(&server, &mut connection)?;
    let rows = options.rows;
    for first in (0..rows).step_by(ROWS_PER_STATEMENT as usize) {
        let last = (first + ROWS_PER_STATEMENT).min(rows) - 1;
        connection.execute(&format!(
            "INSERT INTO dbo.t (id, n) \
             SELECT CAST(CAST(value AS bigint) * {factor} % {rows} AS int), REPLICATE('n', 200) \
             FROM GENERATE_SERIES({first}, {last})",
            factor = order.factor
        ))?;
    }
    sink(&mut connection, "dbo.t")?;
    let after = written(&server, &mut connection)?;
    let [count, sum] =
        numbers(&mut connection, "SELECT COUNT_BIG(*), SUM(CAST(id AS bigint)) FROM dbo.t")?;
    let all = i64::from(rows);
    check(&format!("rows in {}", order.name), (count, sum), (all, all * (all - 1) / 2))?;
    drop(connection);
    server.stop()?;
    let bytes = f64::from(rows) * ROW_BYTES;
    Ok(std::array::from_fn(|at| (after[at] - before[at]) / bytes))
}

/// Bytes that were written since the server was started: all, to the log, to pages.
fn written(server: &LocalServer, connection: &mut Connection) -> Result<[f64; 3], BenchError> {
    let log = counter_of(connection, "Log Bytes Flushed/sec", "_Total")?;
    let pages = counter(connection, "Page writes/sec")?;
    let all = written_bytes(server.process_id())
        .ok_or_else(|| BenchError::Wrong("the system does not tell what is written".into()))?;
    Ok([all as f64, log as f64, pages as f64 * PAGE_BYTES])
}
