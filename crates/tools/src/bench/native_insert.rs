//! Rows a second that one call of a natively compiled procedure inserts, one statement a row.

use std::time::Instant;

use super::database::{check, create, native_procedure, numbers};
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows that a call inserts.
    #[arg(long, value_name = "N", default_value_t = 1_600_000)]
    rows: u32,
}

/// What SQL Server does with the same table and procedure, schema-only.
const PUBLISHED: &str = "published for SQL Server on Linux: 102,980/s, 1.6 million rows in 15.5 s";

const LOOP: &str = "DECLARE @i int = 0;
    WHILE @i < @InsertTotalCount
    BEGIN
        INSERT INTO dbo.Orders VALUES (SYSDATETIME(), 1, 1, 1, 1);
        SET @i = @i + 1;
    END";

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = create(&server, "NativeInsert")?;
    let mut schema_only = Figure::new("native-insert", "rows_per_s", "1/s").published(PUBLISHED);
    let mut durable = Figure::new("native-insert", "durable_rows_per_s", "1/s");
    for _ in 0..runs {
        schema_only.values.push(measure(&mut connection, "SCHEMA_ONLY", options.rows)?);
        durable.values.push(measure(&mut connection, "SCHEMA_AND_DATA", options.rows)?);
    }
    drop(connection);
    server.stop()?;
    Ok(vec![schema_only, durable])
}

/// Inserts into a new table.
fn measure(connection: &mut Connection, durability: &str, rows: u32) -> Result<f64, BenchError> {
    connection.execute("DROP PROCEDURE IF EXISTS dbo.usp_InsertSampleOrders")?;
    connection.execute("DROP TABLE IF EXISTS dbo.Orders")?;
    connection.execute(&format!(
        "CREATE TABLE dbo.Orders (
            OrderID int NOT NULL IDENTITY(1, 1) PRIMARY KEY NONCLUSTERED,
            OrderDate datetime2 NOT NULL INDEX ix_OrderDate NONCLUSTERED HASH WITH (BUCKET_COUNT = 1000000),
            CustomerID int, SourceID int, StatusID int, Amount decimal(18, 2)
        ) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = {durability})"
    ))?;
    let head = "dbo.usp_InsertSampleOrders (@InsertTotalCount int)";
    connection.execute(&native_procedure(head, LOOP))?;
    let begin = Instant::now();
    connection.execute(&format!("EXEC dbo.usp_InsertSampleOrders {rows}"))?;
    let elapsed = begin.elapsed();
    let query = "SELECT COUNT_BIG(*), CAST(SUM(Amount) AS bigint), MIN(OrderID), MAX(OrderID), \
                 SUM(CAST(OrderID AS bigint)) FROM dbo.Orders";
    let found = numbers(connection, query)?;
    let n = i64::from(rows);
    check("rows, amount, first, last and sum of OrderID", found, [n, n, 1, n, n * (n + 1) / 2])?;
    Ok(f64::from(rows) / elapsed.as_secs_f64())
}
