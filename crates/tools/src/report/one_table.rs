//! 001: one table, filled by a loop of a procedure and read by another, in memory and on disk.

use std::time::Instant;

use super::section::{Cell, Plot, PlotData, Section, Table};
use super::{Scale, Steps};
use crate::bench::BenchError;
use crate::bench::database::{check, create, native_procedure, numbers, ordinary_procedure};
use crate::client::{Connection, Ignore};
use crate::local::{DataDir, LocalServer};

pub const STEPS: u64 = 3;

/// Rows, and the published milliseconds that inserting them took: in memory, and on disk.
const PUBLISHED: [(u32, f64, f64); 5] = [
    (100_000, 966.0, 30_171.0),
    (200_000, 1_874.0, 58_147.0),
    (400_000, 3_765.0, 108_002.0),
    (800_000, 7_433.0, 231_528.0),
    (1_600_000, 15_537.0, 473_753.0),
];
/// At the small scale tables on disk get one row of so many.
const SMALLER: u32 = 16;

/// A kind of table with its procedures.
struct Kind {
    /// In a database of its own.
    database: &'static str,
    columns: &'static str,
    options: &'static str,
    procedure: fn(&str, &str) -> String,
    /// Empties the table.
    reset: &'static str,
}

const INMEM: Kind = Kind {
    database: "OneTableInMemory",
    columns: "OrderID int NOT NULL IDENTITY(1, 1) PRIMARY KEY NONCLUSTERED, \
              OrderDate datetime2 NOT NULL INDEX ix_OrderDate NONCLUSTERED HASH WITH (BUCKET_COUNT = 1000000)",
    options: " WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY)",
    procedure: native_procedure,
    reset: "DELETE dbo.Orders",
};
const ONDISK: Kind = Kind {
    database: "OneTableOnDisk",
    columns: "OrderID int NOT NULL IDENTITY(1, 1) PRIMARY KEY NONCLUSTERED, OrderDate datetime2",
    options: "",
    procedure: ordinary_procedure,
    reset: "TRUNCATE TABLE dbo.Orders",
};

const INSERT: &str = "DECLARE @i int = 0;
    WHILE @i < @InsertTotalCount
    BEGIN
        INSERT INTO dbo.Orders VALUES (SYSDATETIME(), 1, 1, 1, 1);
        SET @i = @i + 1;
    END";
const QUERY: &str = "SELECT TOP (@queryCount) OrderID, OrderDate, CustomerID, SourceID, StatusID, Amount \
     FROM dbo.Orders;";

pub fn run(scale: Scale, steps: &Steps) -> Result<Section, BenchError> {
    let data = DataDir::temporary("report")?;
    let server = LocalServer::start(data.path(), &[])?;
    let divisor = if scale == Scale::Small { SMALLER } else { 1 };
    steps.begin("001: rows into a memory-optimized table");
    let mut inmem = INMEM.create(&server)?;
    let inserted = INMEM.insert(&mut inmem, 1)?;
    steps.begin("001: rows into a disk table");
    let mut ondisk = ONDISK.create(&server)?;
    let inserted_on_disk = ONDISK.insert(&mut ondisk, divisor)?;
    steps.begin("001: reading both tables");
    let read = read(&mut inmem)?;
    let read_on_disk = read_all(&mut ondisk)?;
    drop((inmem, ondisk));
    server.stop()?;

    let mut section = Section::new(
        "001",
        "One table, one loop",
        "A procedure inserts rows one by one: natively compiled into a memory-optimized table without \
         a log, in one transaction, and ordinary into a disk table, each row a transaction of its own. \
         Another returns them to the client.",
    );
    let mut table = Table::new(
        "Inserting rows",
        &[
            "rows",
            "in memory, ms",
            "published",
            "rows/ms",
            "published",
            "on disk: rows",
            "ms",
            "rows/ms",
            "published",
        ],
    );
    for (at, (rows, memory_ms, disk_ms)) in PUBLISHED.into_iter().enumerate() {
        let (own, own_disk) = (inserted[at], inserted_on_disk[at]);
        let all = f64::from(rows);
        let on_disk = f64::from(rows / divisor);
        table.rows.push(vec![
            Cell::Number(all, 0),
            Cell::Number(own, 0),
            Cell::Number(memory_ms, 0),
            Cell::Number(all / own, 0),
            Cell::Number(all / memory_ms, 0),
            Cell::Number(on_disk, 0),
            Cell::Number(own_disk, 0),
            Cell::Number(on_disk / own_disk, 1),
            Cell::Number(all / disk_ms, 1),
        ]);
    }
    section.tables.push(table);
    let mut table = Table::new(
        "Returning rows to the client",
        &["rows", "in memory, ms", "rows/ms", "on disk, ms", "rows/ms"],
    );
    for (at, (rows, ..)) in PUBLISHED.into_iter().enumerate() {
        let (own, own_disk, rows) = (read[at], read_on_disk[at], f64::from(rows));
        table.rows.push(vec![
            Cell::Number(rows, 0),
            Cell::Number(own, 0),
            Cell::Number(rows / own, 0),
            Cell::Number(own_disk, 0),
            Cell::Number(rows / own_disk, 0),
        ]);
    }
    section.tables.push(table);
    section.plots.push(inserts_plot(&inserted, &inserted_on_disk, divisor));
    section.plots.push(reads_plot(&read, &read_on_disk));
    section
        .notes
        .push("Published for SQL Server on Linux; its times of reading only as pictures.".into());
    if divisor > 1 {
        section.notes.push(format!(
            "Small scale: the disk table gets one row of {divisor} for the figures of inserting."
        ));
    }
    Ok(section)
}

impl Kind {
    fn create(&self, server: &LocalServer) -> Result<Connection, BenchError> {
        let mut connection = create(server, self.database)?;
        let Kind { columns, options, procedure, .. } = self;
        connection.execute(&format!(
            "CREATE TABLE dbo.Orders ({columns}, CustomerID int, SourceID int, StatusID int, \
             Amount decimal(18, 2)){options}"
        ))?;
        connection
            .execute(&procedure("dbo.usp_InsertSampleOrders @InsertTotalCount int", INSERT))?;
        connection.execute(&procedure("dbo.usp_QuerySamplesOrders @queryCount int", QUERY))?;
        Ok(connection)
    }

    /// How many milliseconds each number of rows takes; the last ones stay.
    fn insert(&self, connection: &mut Connection, divisor: u32) -> Result<Vec<f64>, BenchError> {
        let mut times = Vec::new();
        for (rows, ..) in PUBLISHED {
            let rows = rows / divisor;
            connection.execute(self.reset)?;
            let begin = Instant::now();
            connection.execute(&format!("EXEC dbo.usp_InsertSampleOrders {rows}"))?;
            times.push(begin.elapsed().as_secs_f64() * 1e3);
            let found = numbers(
                connection,
                "SELECT COUNT_BIG(*), CAST(SUM(Amount) AS bigint) FROM dbo.Orders",
            )?;
            check("rows and their amount", found, [i64::from(rows); 2])?;
        }
        Ok(times)
    }
}

/// How many milliseconds it takes to return each number of rows.
fn read(connection: &mut Connection) -> Result<Vec<f64>, BenchError> {
    let mut times = Vec::new();
    for (rows, ..) in PUBLISHED {
        let begin = Instant::now();
        let call = format!("EXEC dbo.usp_QuerySamplesOrders {rows}");
        let outcome = connection.batch(&call, &mut Ignore)?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        check("rows that were returned", outcome.rows, u64::from(rows))?;
    }
    Ok(times)
}

/// The same of the disk table, which gets as many rows as are asked for.
fn read_all(connection: &mut Connection) -> Result<Vec<f64>, BenchError> {
    let (rows, ..) = PUBLISHED[PUBLISHED.len() - 1];
    connection.execute(ONDISK.reset)?;
    connection.execute(&format!(
        "INSERT INTO dbo.Orders SELECT SYSDATETIME(), 1, 1, 1, 1 FROM GENERATE_SERIES(1, {rows})"
    ))?;
    read(connection)
}

fn inserts_plot(inmem: &[f64], ondisk: &[f64], divisor: u32) -> Plot {
    let line = |times: &[f64], divisor: u32| {
        let rows = PUBLISHED.iter().map(|(rows, ..)| f64::from(rows / divisor));
        rows.zip(times.iter().copied()).collect()
    };
    let published = |of: fn(&(u32, f64, f64)) -> f64| {
        PUBLISHED.iter().map(|row| (f64::from(row.0), of(row))).collect()
    };
    Plot {
        caption: "Inserting rows".into(),
        axes: ["rows", "ms"],
        data: PlotData::Lines {
            series: vec![
                ("in memory, here".into(), line(inmem, 1)),
                ("in memory, published".into(), published(|row| row.1)),
                ("on disk, here".into(), line(ondisk, divisor)),
                ("on disk, published".into(), published(|row| row.2)),
            ],
            is_logarithmic: true,
        },
    }
}

fn reads_plot(inmem: &[f64], ondisk: &[f64]) -> Plot {
    let line = |times: &[f64]| {
        PUBLISHED.iter().map(|(rows, ..)| f64::from(*rows)).zip(times.iter().copied()).collect()
    };
    Plot {
        caption: "Returning rows to the client".into(),
        axes: ["rows", "ms"],
        data: PlotData::Lines {
            series: vec![("in memory".into(), line(inmem)), ("on disk".into(), line(ondisk))],
            is_logarithmic: false,
        },
    }
}
