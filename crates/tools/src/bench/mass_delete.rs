//! How soon the memory of rows is free again after all orders have been deleted, while the server
//! has nothing else to do: what its views say, and what the process holds.

use std::time::{Duration, Instant};

use super::database::{check, numbers};
use super::{BenchError, Figure, orders};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Orders that are inserted and deleted, about five lines each.
    #[arg(long, value_name = "N", default_value_t = 10_000_000,
          value_parser = clap::value_parser!(u64).range(1_000..=200_000_000))]
    orders: u64,
    /// Clients that insert them.
    #[arg(long, value_name = "N", default_value_t = 100)]
    connections: usize,
}

/// How long it is waited for that.
const PATIENCE: Duration = Duration::from_secs(300);
/// What the process holds has settled when it has not shrunk by a megabyte for this long.
const SETTLED: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

const TABLE_MEMORY: &str = "SELECT SUM(memory_used_by_table_kb), SUM(memory_allocated_for_table_kb), \
    SUM(memory_allocated_for_indexes_kb) FROM sys.dm_db_xtp_table_memory_stats";

/// Megabytes: of rows in use, of rows allocated, of indexes, of the process.
#[derive(Clone, Copy, Debug)]
struct Memory {
    used: f64,
    allocated: f64,
    indexes: f64,
    resident: f64,
}

impl Memory {
    fn of(server: &LocalServer, connection: &mut Connection) -> Result<Memory, BenchError> {
        let [used, allocated, indexes] = numbers(connection, TABLE_MEMORY)?;
        let megabytes = |kb: i64| kb as f64 / 1024.0;
        let resident = server.resident_bytes();
        let resident = resident
            .ok_or_else(|| BenchError::Wrong("the system does not tell of memory".into()))?;
        let resident = resident as f64 / f64::from(1 << 20);
        let [used, allocated, indexes] = [used, allocated, indexes].map(megabytes);
        Ok(Memory { used, allocated, indexes, resident })
    }
}

/// A kind of memory. Hash indexes keep the buckets that they have grown to, and the process keeps
/// its memory likewise.
#[derive(Clone, Copy)]
struct Kind {
    /// The figure that says when it was back.
    figure: &'static str,
    /// What part of what orders had taken may be left then.
    part: f64,
    /// How much of it there is.
    of: fn(&Memory) -> f64,
}

const KINDS: [Kind; 3] = [
    Kind { figure: "rows_used_s", part: 0.1, of: |memory| memory.used },
    Kind { figure: "rows_allocated_s", part: 0.1, of: |memory| memory.allocated },
    Kind { figure: "resident_s", part: 0.3, of: |memory| memory.resident },
];

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let server = LocalServer::start(data.path(), &[])?;
    let mut connection = orders::install(&server)?;
    let figure = |name, unit| {
        let mut figure = Figure::new("mass-delete", name, unit);
        figure.decimals = 1;
        figure
    };
    let mut deletes = figure("delete_s", "s");
    let mut grown = figure("resident_grown_mb", "MB");
    let mut left = figure("resident_left_mb", "MB");
    let mut indexes = figure("indexes_left_mb", "MB");
    let mut files = Figure { decimals: 2, ..figure("files_of_rows", "times") };
    let mut back = KINDS.map(|kind| figure(kind.figure, "s"));
    for _ in 0..runs {
        let rows = orders::rows(&mut connection)?;
        let before = Memory::of(&server, &mut connection)?;
        orders::insert(&server, &mut connection, options.orders, options.connections, rows)?;
        let full = Memory::of(&server, &mut connection)?;
        files.values.push(files_of_rows(&mut connection)?);
        let began = Instant::now();
        // Deletes all orders, and puts those of the sample back.
        connection.execute("EXEC Demo.usp_DemoReset")?;
        deletes.values.push(began.elapsed().as_secs_f64());
        let (times, last) = wait(&server, &mut connection, &before, &full)?;
        check("orders and lines after the deletion", orders::rows(&mut connection)?, rows)?;
        back.iter_mut().zip(times).for_each(|(figure, time)| figure.values.extend(time));
        grown.values.push(full.resident - before.resident);
        left.values.push(last.resident - before.resident);
        indexes.values.push(last.indexes - before.indexes);
    }
    drop(connection);
    server.stop()?;
    let mut figures = vec![deletes, grown, left, indexes, files];
    figures.extend(back.into_iter().filter(|figure| !figure.values.is_empty()));
    Ok(figures)
}

/// How many bytes the checkpoint files have for each byte of rows in memory, when they are merged:
/// when it has not become less for a while.
fn files_of_rows(connection: &mut Connection) -> Result<f64, BenchError> {
    const BYTES: &str = "SELECT (SELECT SUM(file_size_in_bytes) FROM sys.dm_db_xtp_checkpoint_files), \
        (SELECT SUM(memory_used_by_table_kb) * 1024 FROM sys.dm_db_xtp_table_memory_stats)";
    let (mut least, mut fell) = (f64::INFINITY, Instant::now());
    while fell.elapsed() < SETTLED {
        let [files, rows] = numbers(connection, BYTES)?;
        let now = files as f64 / rows as f64;
        if now < least - 0.01 {
            (least, fell) = (now, Instant::now());
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(least)
}

/// Waits until memory of all kinds is back and the process has settled, or for as long as there is
/// patience: after how many seconds each was back, and how much there is at the end.
fn wait(
    server: &LocalServer,
    connection: &mut Connection,
    before: &Memory,
    full: &Memory,
) -> Result<([Option<f64>; KINDS.len()], Memory), BenchError> {
    let began = Instant::now();
    let mut times = [None; KINDS.len()];
    let (mut least, mut shrank) = (f64::INFINITY, began);
    loop {
        let now = Memory::of(server, connection)?;
        for (time, Kind { part, of, .. }) in times.iter_mut().zip(KINDS) {
            let is_back = of(&now) - of(before) <= (of(full) - of(before)) * part;
            if is_back && time.is_none() {
                *time = Some(began.elapsed().as_secs_f64());
            }
        }
        if now.resident < least - 1.0 {
            (least, shrank) = (now.resident, Instant::now());
        }
        let is_settled = times.iter().all(Option::is_some) && shrank.elapsed() > SETTLED;
        if is_settled || began.elapsed() > PATIENCE {
            return Ok((times, now));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}
