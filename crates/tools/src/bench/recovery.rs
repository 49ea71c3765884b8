//! How fast the log is read when a server starts after it was killed.

use base::Value;

use super::{BenchError, Figure};
use crate::client::{ClientError, Connection};
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows in the log.
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
    if expected.0 != options.rows as i64 {
        return Err(BenchError::Wrong(format!("{} rows were inserted", expected.0)));
    }
    let mut rate = Figure::new("recovery", "rows_per_s", "1/s");
    let mut time = Figure::new("recovery", "start_s", "s");
    time.decimals = 2;
    for _ in 0..runs {
        server.kill()?;
        server = LocalServer::start(data.path(), &[])?;
        let found = contents(&server)?;
        if found != expected {
            return Err(BenchError::Wrong(format!("{found:?} came back of {expected:?}")));
        }
        let seconds = server.start_time().as_secs_f64();
        rate.values.push(options.rows as f64 / seconds);
        time.values.push(seconds);
    }
    server.stop()?;
    Ok(vec![rate, time])
}

fn fill(server: &LocalServer, rows: u64) -> Result<(), BenchError> {
    let mut connection = Connection::connect(&server.options())?;
    execute(&mut connection, "CREATE DATABASE Recovery")?;
    execute(
        &mut connection,
        "ALTER DATABASE Recovery ADD FILEGROUP mod CONTAINS MEMORY_OPTIMIZED_DATA",
    )?;
    let file = "ALTER DATABASE Recovery ADD FILE (NAME = 'mod', FILENAME = 'mod') TO FILEGROUP mod";
    execute(&mut connection, file)?;
    execute(&mut connection, "USE Recovery")?;
    execute(&mut connection, TABLE)?;
    let mut left = rows;
    while left > 0 {
        let now = left.min(ROWS_PER_TRANSACTION);
        execute(
            &mut connection,
            &format!(
                "INSERT INTO dbo.Orders (OrderDate, CustomerID, SourceID, StatusID, Amount) \
                 SELECT SYSDATETIME(), value % 20000, value % 7, value % 5, value % 1000 / 10.0 \
                 FROM GENERATE_SERIES(1, {now})"
            ),
        )?;
        left -= now;
    }
    Ok(())
}

/// The number of rows and the sum of their keys.
fn contents(server: &LocalServer) -> Result<(i64, i64), BenchError> {
    let mut connection = Connection::connect(&server.options().with_database("Recovery"))?;
    let query = "SELECT COUNT_BIG(*), SUM(CAST(OrderID AS bigint)) FROM dbo.Orders";
    let rows = connection.query(query)?;
    match rows.rows.first().map(Vec::as_slice) {
        Some([Value::Int(count), Value::Int(sum)]) => Ok((*count, *sum)),
        other => Err(BenchError::Wrong(format!("{other:?} is not a count and a sum"))),
    }
}

fn execute(connection: &mut Connection, text: &str) -> Result<(), BenchError> {
    match connection.execute(text)?.first_error {
        Some(message) => Err(ClientError::Server(message).into()),
        None => Ok(()),
    }
}
