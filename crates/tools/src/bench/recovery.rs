//! How soon a server that was killed accepts connections again, and how soon its tables are loaded.

use std::time::Instant;

use super::database::{create, numbers};
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of the table.
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    rows: u64,
}

/// Rows that one transaction inserts.
const ROWS_PER_TRANSACTION: u64 = 100_000;

const TABLE: &str = "CREATE TABLE dbo.Orders (
    OrderID int IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 2097152),
    OrderDate datetime2 NOT NULL, CustomerID int NOT NULL, SourceID int NOT NULL, StatusID int NOT NULL,
    Amount decimal(18, 2) NOT NULL, INDEX IX_CustomerID NONCLUSTERED (CustomerID)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA)";

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let mut server = LocalServer::start(data.path(), &[])?;
    fill(&server, options.rows)?;
    let expected = contents(&server)?;
    if expected[0] != options.rows as i64 {
        return Err(BenchError::Wrong(format!("{} rows were inserted", expected[0])));
    }
    let mut rate = Figure::new("recovery", "rows_per_s", "1/s");
    let mut loaded = Figure::new("recovery", "loaded_s", "s");
    let mut time = Figure::new("recovery", "start_s", "s");
    (loaded.decimals, time.decimals) = (2, 2);
    for _ in 0..runs {
        server.kill()?;
        let began = Instant::now();
        server = LocalServer::start(data.path(), &[])?;
        wait_until_loaded(&server)?;
        let seconds = began.elapsed().as_secs_f64();
        let found = contents(&server)?;
        if found != expected {
            return Err(BenchError::Wrong(format!("{found:?} came back of {expected:?}")));
        }
        rate.values.push(options.rows as f64 / seconds);
        loaded.values.push(seconds);
        time.values.push(server.start_time().as_secs_f64());
    }
    server.stop()?;
    Ok(vec![rate, loaded, time])
}

/// A statement that needs the table waits until it is loaded; this one needs next to nothing else.
fn wait_until_loaded(server: &LocalServer) -> Result<(), BenchError> {
    let mut connection = Connection::connect(&server.options().with_database("Recovery"))?;
    connection.query("SELECT OrderDate FROM dbo.Orders WHERE OrderID = 1")?;
    Ok(())
}

fn fill(server: &LocalServer, rows: u64) -> Result<(), BenchError> {
    let mut connection = create(server, "Recovery")?;
    connection.execute(TABLE)?;
    let mut left = rows;
    while left > 0 {
        let now = left.min(ROWS_PER_TRANSACTION);
        connection.execute(&format!(
            "INSERT INTO dbo.Orders (OrderDate, CustomerID, SourceID, StatusID, Amount) \
             SELECT SYSDATETIME(), value % 20000, value % 7, value % 5, value % 1000 / 10.0 \
             FROM GENERATE_SERIES(1, {now})"
        ))?;
        left -= now;
    }
    Ok(())
}

/// The number of rows and the sum of their keys.
fn contents(server: &LocalServer) -> Result<[i64; 2], BenchError> {
    let mut connection = Connection::connect(&server.options().with_database("Recovery"))?;
    numbers(&mut connection, "SELECT COUNT_BIG(*), SUM(CAST(OrderID AS bigint)) FROM dbo.Orders")
}
