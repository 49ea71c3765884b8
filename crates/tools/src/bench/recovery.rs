//! How soon a server that was killed accepts connections again, answers from a small table, and has
//! loaded all tables.

use std::time::Instant;

use super::database::{check, create, numbers};
use super::{BenchError, Figure, orders};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};
use crate::sample;

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of the table.
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    rows: u64,
    /// Recover this many orders of the sample instead, with about five lines each.
    #[arg(long, value_name = "N", conflicts_with = "rows")]
    orders: Option<u64>,
    /// Clients that insert orders.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "orders")]
    connections: usize,
}

/// Rows that one transaction inserts.
const ROWS_PER_TRANSACTION: u64 = 100_000;
const SMALL_ROWS: i64 = 1000;

const TABLE: &str = "CREATE TABLE dbo.Orders (
    OrderID int IDENTITY(1, 1) NOT NULL PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 2097152),
    OrderDate datetime2 NOT NULL, CustomerID int NOT NULL, SourceID int NOT NULL, StatusID int NOT NULL,
    Amount decimal(18, 2) NOT NULL, INDEX IX_CustomerID NONCLUSTERED (CustomerID)
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA)";

const SMALL_TABLE: &str = "CREATE TABLE dbo.Small (
    ID int NOT NULL PRIMARY KEY NONCLUSTERED, Name nvarchar(50) NOT NULL
) WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_AND_DATA)";

/// What is recovered.
struct Subject {
    database: &'static str,
    /// The tables that take time.
    tables: &'static [&'static str],
    /// The query for the number of rows, and for a sum over them that recovery must not change.
    contents: &'static str,
}

const ROWS: Subject = Subject {
    database: "Recovery",
    tables: &["dbo.Orders"],
    contents: "SELECT COUNT_BIG(*), SUM(CAST(OrderID AS bigint)) FROM dbo.Orders",
};

const ORDERS: Subject = Subject {
    database: sample::DATABASE,
    tables: &["Sales.SalesOrderHeader_inmem", "Sales.SalesOrderDetail_inmem"],
    contents: "SELECT (SELECT COUNT_BIG(*) FROM Sales.SalesOrderHeader_inmem) \
        + (SELECT COUNT_BIG(*) FROM Sales.SalesOrderDetail_inmem), \
        (SELECT SUM(CAST(SalesOrderID AS bigint)) FROM Sales.SalesOrderDetail_inmem)",
};

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let mut server = LocalServer::start(data.path(), &[])?;
    let subject = match options.orders {
        Some(orders) => {
            let mut connection = orders::install(&server)?;
            let before = orders::rows(&mut connection)?;
            add_small_table(&mut connection)?;
            orders::insert(&server, &mut connection, orders, options.connections, before)?;
            ORDERS
        }
        None => {
            let mut connection = create(&server, ROWS.database)?;
            add_small_table(&mut connection)?;
            fill(&mut connection, options.rows)?;
            ROWS
        }
    };
    let expected = subject.contents(&server)?;
    let rows = expected[0];
    if options.orders.is_none() {
        check("rows that were inserted", rows, options.rows as i64)?;
    }
    let seconds = |name| Figure { decimals: 2, ..Figure::new("recovery", name, "s") };
    let mut rate = Figure::new("recovery", "rows_per_s", "1/s");
    let [mut started, mut first, mut loaded] =
        ["start_s", "first_query_s", "loaded_s"].map(seconds);
    for _ in 0..runs {
        server.kill()?;
        let began = Instant::now();
        server = LocalServer::start(data.path(), &[])?;
        let mut connection = subject.connect(&server)?;
        let small = numbers(&mut connection, "SELECT COUNT_BIG(*) FROM dbo.Small")?;
        first.values.push(began.elapsed().as_secs_f64());
        check("rows of the small table", small, [SMALL_ROWS])?;
        // A statement that needs a table waits until it is loaded; these need next to nothing else.
        for table in subject.tables {
            connection.query(&format!("SELECT TOP 1 1 FROM {table}"))?;
        }
        let seconds = began.elapsed().as_secs_f64();
        check("what came back", subject.contents(&server)?, expected)?;
        rate.values.push(rows as f64 / seconds);
        loaded.values.push(seconds);
        started.values.push(server.start_time().as_secs_f64());
    }
    server.stop()?;
    Ok(vec![rate, first, loaded, started])
}

impl Subject {
    fn connect(&self, server: &LocalServer) -> Result<Connection, BenchError> {
        Ok(Connection::connect(&server.options().with_database(self.database))?)
    }

    fn contents(&self, server: &LocalServer) -> Result<[i64; 2], BenchError> {
        numbers(&mut self.connect(server)?, self.contents)
    }
}

fn add_small_table(connection: &mut Connection) -> Result<(), BenchError> {
    connection.execute(SMALL_TABLE)?;
    connection.execute(&format!(
        "INSERT INTO dbo.Small (ID, Name) SELECT value, CONCAT(N'name ', value) \
         FROM GENERATE_SERIES(1, {SMALL_ROWS})"
    ))?;
    Ok(())
}

fn fill(connection: &mut Connection, rows: u64) -> Result<(), BenchError> {
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
