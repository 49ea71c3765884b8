//! Random look-ups in a disk table that memory has whole, not at all, or in part, with and without
//! a buffer pool extension.
//!
//! The five tests of a published measurement, one after the other on one table. The data file may
//! lie on a simulated slow disk, which the server then says; the extension lies on the device as it
//! is.

use std::path::Path;
use std::time::Instant;

use super::database::{check, counter, data_file, limit_memory, numbers};
use super::device::RandomReads;
use super::keys::spread;
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalError, LocalServer, ThreadTimes};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Rows of about 220 bytes.
    #[arg(long, value_name = "N", default_value_t = 5_000_000,
          value_parser = clap::value_parser!(u32).range(1000..=500_000_000))]
    rows: u32,
    /// Single rows that a batch looks up.
    #[arg(long, value_name = "N", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    lookups: u32,
    /// Read the data file as from a disk that needs so long to move its arm. The last test goes
    /// without.
    #[arg(long, value_name = "X")]
    seek_ms: Option<u32>,
}

/// Memory of the tests in which the table does not fit.
const SMALL_MEMORY_MB: u32 = 256;
/// The number that means that there is no limit.
const UNLIMITED_MB: u32 = 2_147_483_647;
const EXTENSION_GB: u32 = 4;
/// How often, in each run, look-ups that the extension serves and the device are measured in turn:
/// a virtual disk may be slower for a second than it was the second before. The device is read from
/// on the processor that the look-ups were on.
const TURNS: u32 = 20;
/// Reads by which the device is measured in a turn.
const DEVICE_READS: u32 = 250;
const ROWS_PER_STATEMENT: u32 = 200_000;
/// Rounds of scans after which the extension has what it can have.
const WARM_ROUNDS_MAX: usize = 20;
const PAGE_BYTES: u64 = 8192;

const PUBLISHED: [&str; 6] = [
    "published for SQL Server 2014: 1.4 s",
    "published for SQL Server 2014: 123 s",
    "published for SQL Server 2014: 116 s",
    "published for SQL Server 2014: 4.6 s",
    "published for SQL Server 2014: 6.3 s",
    "published for SQL Server 2014: 25",
];

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let mut bench = Bench { options, runs, seed: 1 };
    let seek = options.seek_ms.map(|ms| format!("{ms}ms"));
    let mut flags = Vec::new();
    if let Some(seek) = &seek {
        eprintln!("The data file is on a SIMULATED disk: each move of its arm takes {seek}.");
        flags.extend(["--simulated-seek", seek]);
    }
    let server = LocalServer::start(data.path(), &flags)?;
    let mut connection = Connection::connect(&server.options())?;
    connection.execute("CREATE DATABASE Bpe")?;
    connection.execute("USE Bpe")?;
    fill(&mut connection, options.rows)?;
    let size = data_file(data.path())?.metadata().map_or(0, |metadata| metadata.len());
    eprintln!("The data file has {} MB.", size >> 20);

    let mut figures = Vec::new();
    let (in_memory, turn_s) = bench.in_memory(&mut connection)?;
    figures.push(in_memory);
    figures.push(bench.cold(&mut connection, "cold_s", PUBLISHED[1])?);
    figures.push(bench.small_memory(&mut connection)?);
    // Of the data directory a client may name files of this folder.
    let folder = data.path().join("extension");
    std::fs::create_dir_all(&folder)
        .map_err(|error| LocalError::System("make a directory for the extension", error))?;
    let file = folder.join("extension.bpe");
    figures.extend(bench.extended(&mut connection, server.process_id(), &file, turn_s)?);
    connection.execute("ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION OFF")?;
    limit_memory(&mut connection, UNLIMITED_MB)?;
    drop(connection);
    server.stop()?;

    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = Connection::connect(&server.options().with_database("Bpe"))?;
    let ssd = bench.cold(&mut connection, "ssd_cold_s", PUBLISHED[4])?;
    drop(connection);
    server.stop()?;
    figures.insert(4, ssd);
    let mut speedup = Figure::new("bpe", "extension_speedup", "x").published(PUBLISHED[5]);
    speedup.decimals = 1;
    let pairs = figures[2].values.iter().zip(&figures[3].values);
    speedup.values = pairs.map(|(without, with)| without / with).collect();
    figures.insert(5, speedup);
    Ok(figures)
}

/// Makes the table, all of it on disk at the end.
fn fill(connection: &mut Connection, rows: u32) -> Result<(), BenchError> {
    connection.execute(
        "CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY CLUSTERED, n char(200) NOT NULL)",
    )?;
    for first in (0..rows).step_by(ROWS_PER_STATEMENT as usize) {
        let last = (first + ROWS_PER_STATEMENT).min(rows) - 1;
        connection.execute(&format!(
            "INSERT INTO dbo.t (id, n) \
             SELECT CAST(value AS int), STR(CAST(value AS bigint) * 7919 % 1000003) + REPLICATE('n', 190) \
             FROM GENERATE_SERIES({first}, {last})"
        ))?;
    }
    connection.execute("CHECKPOINT")?;
    let (count, sum) = (i64::from(rows), (0..rows).map(number_of).sum::<i64>());
    let found =
        numbers(connection, "SELECT COUNT_BIG(*), SUM(CAST(LEFT(n, 10) AS bigint)) FROM dbo.t")?;
    check("rows and the sum of their numbers", found, [count, sum])
}

/// What `n` of the row begins with.
fn number_of(id: u32) -> i64 {
    i64::from(id) * 7919 % 1_000_003
}

/// Goes through the table's first rows.
fn scan(connection: &mut Connection, rows: u32) -> Result<(), BenchError> {
    let query = format!("SELECT COUNT_BIG(n) FROM dbo.t WHERE id < {rows}");
    let found = numbers(connection, &query)?;
    check("rows", found, [i64::from(rows)])
}

fn seconds(figure: &'static str, published: &'static str) -> Figure {
    let mut figure = Figure::new("bpe", figure, "s").published(published);
    figure.decimals = 4;
    figure
}

/// What the tests share.
struct Bench<'a> {
    options: &'a Options,
    runs: usize,
    seed: u32,
}

impl Bench<'_> {
    /// Looks this many random rows up in one batch; others each time. How long it took.
    fn look_up(&mut self, connection: &mut Connection, lookups: u32) -> Result<f64, BenchError> {
        let rows = self.options.rows;
        self.seed += 1;
        let batch = format!(
            "SET NOCOUNT ON;
            DECLARE @x bigint = {seed}, @end bigint = 2147483648;
            DECLARE @i int = 0, @id int, @n char(200), @sum bigint = 0;
            WHILE @i < {lookups}
            BEGIN
                SET @x = (@x * 1103515245 + 12345) % @end;
                SET @id = @x * {rows} / @end;
                SELECT @n = n FROM dbo.t WHERE id = @id;
                SET @sum += CAST(LEFT(@n, 10) AS int);
                SET @i += 1;
            END;
            SELECT @sum",
            seed = self.seed
        );
        let began = Instant::now();
        let [sum] = numbers(connection, &batch)?;
        let took = began.elapsed();
        let expected = spread(self.seed, rows).take(lookups as usize).map(number_of).sum::<i64>();
        check("the sum of what was looked up", sum, expected)?;
        Ok(took.as_secs_f64())
    }

    /// Everything is in memory. Also the median of what the look-ups of a turn take.
    fn in_memory(&mut self, connection: &mut Connection) -> Result<(Figure, f64), BenchError> {
        let mut figure = seconds("memory_s", PUBLISHED[0]);
        let mut turn = Figure::new("bpe", "turn_s", "s");
        scan(connection, self.options.rows)?;
        self.look_up(connection, self.options.lookups)?;
        for _ in 0..self.runs {
            figure.values.push(self.look_up(connection, self.options.lookups)?);
            for _ in 0..TURNS {
                turn.values.push(self.look_up(connection, self.turn())?);
            }
        }
        Ok((figure, turn.spread().median))
    }

    /// Nothing is in memory.
    fn cold(
        &mut self,
        connection: &mut Connection,
        name: &'static str,
        published: &'static str,
    ) -> Result<Figure, BenchError> {
        let mut figure = seconds(name, published);
        for _ in 0..self.runs {
            connection.execute("DBCC DROPCLEANBUFFERS")?;
            figure.values.push(self.look_up(connection, self.options.lookups)?);
        }
        Ok(figure)
    }

    /// What fits is in memory.
    fn small_memory(&mut self, connection: &mut Connection) -> Result<Figure, BenchError> {
        let mut figure = seconds("small_memory_s", PUBLISHED[2]);
        limit_memory(connection, SMALL_MEMORY_MB)?;
        scan(connection, self.options.rows)?;
        for _ in 0..self.runs {
            figure.values.push(self.look_up(connection, self.options.lookups)?);
        }
        Ok(figure)
    }

    /// What does not fit is in the extension. Also how long the device takes for a read, how long
    /// the server waits for a page that the extension serves, and how long a look-up takes longer
    /// for it than in memory.
    fn extended(
        &mut self,
        connection: &mut Connection,
        server: u32,
        file: &Path,
        in_memory_s: f64,
    ) -> Result<[Figure; 5], BenchError> {
        let mut time = seconds("extension_s", PUBLISHED[3]);
        let mut device = Figure::new("bpe", "device_read_us", "us");
        let mut read = Figure::new("bpe", "extension_read_us", "us");
        let mut lookup = Figure::new("bpe", "extension_lookup_us", "us");
        let mut ratio = Figure::new("bpe", "extension_read_ratio", "x");
        (device.decimals, read.decimals, lookup.decimals, ratio.decimals) = (1, 1, 1, 2);
        connection.execute(&format!(
            "ALTER SERVER CONFIGURATION SET BUFFER POOL EXTENSION ON \
             (FILENAME = '{}', SIZE = {EXTENSION_GB} GB)",
            file.display()
        ))?;
        self.warm(connection)?;
        let written = counter(connection, "Extension allocated pages")? as u64 * PAGE_BYTES;
        for _ in 0..self.runs {
            time.values.push(self.look_up(connection, self.options.lookups)?);
            let before = reads(connection)?;
            let (mut device_us, mut looked_up_s) = (0.0, 0.0);
            for _ in 0..TURNS {
                let threads = ThreadTimes::of(server);
                looked_up_s += self.look_up(connection, self.turn())? - in_memory_s;
                let processor = threads.busiest_processor_since(server);
                let reads =
                    RandomReads { size: written, reads: DEVICE_READS, seed: self.seed, processor };
                device_us += reads.run_us(file)?;
            }
            let after = reads(connection)?;
            let [from_extension, from_file, waits, wait_ms] =
                std::array::from_fn(|at| after[at] - before[at]);
            device_us /= f64::from(TURNS);
            device.values.push(device_us);
            // What the data file gives is not part of the figure, so it may give hardly anything.
            if from_file * 1000 < from_extension {
                let read_us = wait_ms as f64 / waits as f64 * 1e3;
                read.values.push(read_us);
                lookup.values.push(looked_up_s / from_extension as f64 * 1e6);
                ratio.values.push(read_us / device_us);
            } else {
                eprintln!(
                    "{from_file} pages are from the data file, {from_extension} from the extension."
                );
            }
        }
        Ok([time, device, read, lookup, ratio])
    }

    /// Look-ups of a turn.
    fn turn(&self) -> u32 {
        self.options.lookups.div_ceil(TURNS)
    }

    /// Scans the table until the extension gets no more of it.
    fn warm(&mut self, connection: &mut Connection) -> Result<(), BenchError> {
        let rows = self.options.rows;
        // What look-ups made memory keep would come to the extension while others are timed.
        connection.execute("DBCC DROPCLEANBUFFERS")?;
        let mut before = 0;
        for rounds in 1..=WARM_ROUNDS_MAX {
            // What is in memory at the end leaves it when the table's beginning comes again.
            scan(connection, rows)?;
            scan(connection, rows / 2)?;
            let there = counter(connection, "Extension allocated pages")?;
            eprintln!("After {rounds} rounds of scans the extension has {there} pages.");
            if there == before {
                break;
            }
            before = there;
        }
        Ok(())
    }
}

/// Pages read from the extension, and from data files; pages that were waited for, and how many
/// milliseconds.
fn reads(connection: &mut Connection) -> Result<[i64; 4], BenchError> {
    const WAITS: &str = "SELECT waiting_tasks_count, wait_time_ms FROM sys.dm_os_wait_stats \
        WHERE wait_type = 'PAGEIOLATCH_SH'";
    let [extension, file] = ["Extension page reads/sec", "Page reads/sec"];
    let (extension, file) = (counter(connection, extension)?, counter(connection, file)?);
    let [waits, wait_ms] = numbers(connection, WAITS)?;
    Ok([extension, file, waits, wait_ms])
}
