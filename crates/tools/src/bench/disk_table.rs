//! Disk tables beside the best that they could reach: look-ups in one that pages in memory hold,
//! beside those in a memory-optimized table by a range index; and scans of one that nothing in
//! memory holds, beside reading its file past the system's cache.

use std::path::Path;
use std::time::Instant;

use super::database::{check, counter, create, data_file, numbers, sink};
use super::device::sequential_mb_per_s;
use super::items::{Module, create_loop, look_up};
use super::keys::{NUMBERS, spread};
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// How often a loop looks up each of the million rows in a run.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=2000))]
    rounds: u32,
    /// Rows of about 220 bytes of the table that is scanned.
    #[arg(long, value_name = "N", default_value_t = 5_000_000,
          value_parser = clap::value_parser!(u32).range(100_000..=500_000_000))]
    rows: u32,
    /// One row in this many is updated, at random, before the last scans.
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    update_one_in: u32,
}

const ROWS_PER_STATEMENT: u32 = 200_000;
/// Rows of disk tables leave memory when they take more than that.
const DISK_TABLE_MEMORY: &str = "1MB";
const PAGE_BYTES: f64 = 8192.0;

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let flags = ["--disk-table-memory", DISK_TABLE_MEMORY];
    let server = LocalServer::start(data.path(), &flags)?;
    let mut connection = create(&server, "DiskTable")?;
    let mut figures = look_ups(&mut connection, options.rounds, runs)?;
    figures.extend(scans(&mut connection, data.path(), options, runs)?);
    drop(connection);
    server.stop()?;
    Ok(figures)
}

// ---- look-ups ----

fn look_ups(
    connection: &mut Connection,
    rounds: u32,
    runs: usize,
) -> Result<Vec<Figure>, BenchError> {
    let columns = "ItemID int NOT NULL PRIMARY KEY";
    connection.execute(&format!(
        "CREATE TABLE dbo.Items_disk ({columns} CLUSTERED, Value int NOT NULL)"
    ))?;
    connection.execute(&format!(
        "CREATE TABLE dbo.Items_inmem ({columns} NONCLUSTERED, Value int NOT NULL) \
         WITH (MEMORY_OPTIMIZED = ON, DURABILITY = SCHEMA_ONLY)"
    ))?;
    for table in ["Items_disk", "Items_inmem"] {
        connection.execute(&format!(
            "INSERT INTO dbo.{table} (ItemID, Value) SELECT n, n * 3 + 1 FROM {NUMBERS}"
        ))?;
        let procedure = format!("dbo.usp_LookUp_{table}");
        create_loop(connection, &procedure, Module::Ordinary, &format!("dbo.{table}"), "ItemID")?;
    }
    sink(connection, "dbo.Items_disk")?;
    let mut disk = Figure::new("disk-table", "lookups_per_s", "1/s");
    let mut memory = Figure::new("disk-table", "inmem_lookups_per_s", "1/s");
    for table in ["Items_disk", "Items_inmem"] {
        look_up(connection, &format!("dbo.usp_LookUp_{table}"), 1)?; // pages come into memory, and loops are compiled
    }
    let reads = counter(connection, "Page reads/sec")?;
    for _ in 0..runs {
        disk.values.push(look_up(connection, "dbo.usp_LookUp_Items_disk", rounds)?);
        memory.values.push(look_up(connection, "dbo.usp_LookUp_Items_inmem", rounds)?);
    }
    check("pages read meanwhile", counter(connection, "Page reads/sec")? - reads, 0)?;
    let share = share("lookups_share", &disk, &memory);
    Ok(vec![disk, memory, share])
}

/// What part of the others' values the first ones are, run by run, in percent.
fn share(name: &'static str, of: &Figure, others: &Figure) -> Figure {
    let mut share = Figure::new("disk-table", name, "%");
    let pairs = of.values.iter().zip(&others.values);
    share.values = pairs.map(|(value, other)| value / other * 100.0).collect();
    share
}

// ---- scans ----

fn scans(
    connection: &mut Connection,
    data: &Path,
    options: &Options,
    runs: usize,
) -> Result<Vec<Figure>, BenchError> {
    let rows = options.rows;
    connection.execute(
        "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY CLUSTERED, n char(200) NOT NULL)",
    )?;
    for first in (0..rows).step_by(ROWS_PER_STATEMENT as usize) {
        let last = (first + ROWS_PER_STATEMENT).min(rows) - 1;
        connection.execute(&format!(
            "INSERT INTO dbo.t (id, n) SELECT CAST(value AS int), STR(value) + REPLICATE('n', 190) \
             FROM GENERATE_SERIES({first}, {last})"
        ))?;
    }
    sink(connection, "dbo.t")?;
    let file = data_file(data)?;
    let mut raw = Figure::new("disk-table", "device_mb_per_s", "MB/s");
    let mut fresh = Figure::new("disk-table", "cold_scan_mb_per_s", "MB/s");
    let mut summed = Figure::new("disk-table", "cold_sum_mb_per_s", "MB/s");
    let count = Query { text: "SELECT COUNT_BIG(n) FROM dbo.t", expected: i64::from(rows) };
    let sum = Query {
        text: "SELECT SUM(CAST(id AS bigint)) FROM dbo.t",
        expected: (0..i64::from(rows)).sum(),
    };
    for _ in 0..runs {
        raw.values.push(sequential_mb_per_s(&file)?);
        fresh.values.push(scan(connection, rows, count)?);
        summed.values.push(scan(connection, rows, sum)?);
    }
    update(connection, rows, options.update_one_in)?;
    let mut updated = Figure::new("disk-table", "updated_scan_mb_per_s", "MB/s");
    for _ in 0..runs {
        updated.values.push(scan(connection, rows, count)?);
    }
    let shares = [
        share("cold_scan_share", &fresh, &raw),
        share("cold_sum_share", &summed, &raw),
        share("updated_scan_share", &updated, &raw),
    ];
    Ok([raw, fresh, summed, updated].into_iter().chain(shares).collect())
}

/// A query that gives one number, which is known.
#[derive(Clone, Copy)]
struct Query {
    text: &'static str,
    expected: i64,
}

/// Goes through a table of which nothing is in memory, for the one number that a query gives:
/// megabytes of pages a second.
fn scan(connection: &mut Connection, rows: u32, query: Query) -> Result<f64, BenchError> {
    connection.execute("DBCC DROPCLEANBUFFERS")?;
    let before = counter(connection, "Page reads/sec")?;
    let begin = Instant::now();
    let found = numbers(connection, query.text)?;
    let elapsed = begin.elapsed();
    check(query.text, found, [query.expected])?;
    let pages = counter(connection, "Page reads/sec")? - before;
    // A page holds no more rows than fit.
    let least = i64::from(rows) * 200 / PAGE_BYTES as i64;
    if pages < least {
        return Err(BenchError::Wrong(format!("{pages} pages were read, not even {least}")));
    }
    Ok(pages as f64 * PAGE_BYTES / 1e6 / elapsed.as_secs_f64())
}

/// Updates random rows, and waits until that is in pages.
fn update(connection: &mut Connection, rows: u32, one_in: u32) -> Result<(), BenchError> {
    let count = (rows / one_in).max(1);
    let [changed] = numbers(
        connection,
        &format!(
            "SET NOCOUNT ON;
            DECLARE @x bigint = 7, @i int = 0, @id int, @changed bigint = 0;
            WHILE @i < {count}
            BEGIN
                SET @x = (@x * 1103515245 + 12345) % 2147483648;
                SET @id = @x * {rows} / 2147483648;
                UPDATE dbo.t SET n = STR(@i) + REPLICATE('u', 190) WHERE id = @id;
                SET @changed += @@ROWCOUNT;
                SET @i += 1;
            END;
            SELECT @changed"
        ),
    )?;
    check("rows that were updated", changed, i64::from(count))?;
    sink(connection, "dbo.t")?;
    let last: std::collections::HashMap<u32, u32> =
        spread(7, rows).take(count as usize).zip(0..).collect();
    let expected = last.values().map(|&i| i64::from(i)).sum::<i64>();
    let query =
        "SELECT COUNT_BIG(*), SUM(CAST(LEFT(n, 10) AS bigint)) FROM dbo.t WHERE n LIKE '%u'";
    check("updated rows and their sum", numbers(connection, query)?, [last.len() as i64, expected])
}
