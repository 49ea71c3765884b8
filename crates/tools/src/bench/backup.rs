//! A backup of a database with rows of memory-optimized tables and of disk tables that have sunk,
//! and its restore under another name, beside what the disk does at best. Both read and write; a
//! copy of the backup's file by one thread that reads and one that writes is the best that they
//! could reach.

use std::path::Path;
use std::time::Instant;

use super::database::{check, create, numbers, sink};
use super::device::{copy_mb_per_s, sequential_mb_per_s, sequential_write_mb_per_s};
use super::{BenchError, Figure};
use crate::client::Connection;
use crate::local::{DataDir, LocalServer};

#[derive(clap::Args, Debug)]
pub struct Options {
    /// Megabytes of rows in a memory-optimized table, about.
    #[arg(long, value_name = "N", default_value_t = 2500,
          value_parser = clap::value_parser!(u32).range(0..=100_000))]
    inmem_mb: u32,
    /// Megabytes of rows in a disk table, about.
    #[arg(long, value_name = "N", default_value_t = 2500,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    disk_mb: u32,
    /// Back up with compression.
    #[arg(long)]
    compression: bool,
}

const ROWS_PER_STATEMENT: u32 = 200_000;
/// What a row takes in files, about.
const ROW_BYTES: u64 = 225;
/// Rows of disk tables leave memory when they take more than that.
const DISK_TABLE_MEMORY: &str = "1MB";
/// The two tables, and which of them is memory-optimized.
const TABLES: [(&str, bool); 2] = [("dbo.Orders_inmem", true), ("dbo.Orders_disk", false)];
/// The file, below the server's folder for backups.
const FILE: &str = "bench.bak";

const SECONDS: [&str; 1] = ["restore_loaded_s"];

pub fn run(options: &Options, runs: usize) -> Result<Vec<Figure>, BenchError> {
    let data = DataDir::temporary("bench")?;
    let flags = ["--disk-table-memory", DISK_TABLE_MEMORY];
    let server = LocalServer::start(data.path(), &flags)?;
    let mut connection = create(&server, "BackedUp")?;
    fill(&mut connection, options)?;
    let before = contents(&mut connection)?;
    let mut figures = Figures::default();
    let file = data.path().join("backup").join(FILE);
    for _ in 0..runs {
        let began = Instant::now();
        back_up(&mut connection, options)?;
        let seconds = began.elapsed().as_secs_f64();
        let bytes = file.metadata().map_err(|error| BenchError::Wrong(error.to_string()))?.len();
        figures.add("backup_mb_s", bytes as f64 / 1e6 / seconds);
        restore(&server, bytes, &before, &mut figures)?;
        measure_device(&file, bytes, data.path(), &mut figures)?;
    }
    drop(connection);
    server.stop()?;
    Ok(figures.with_shares())
}

fn fill(connection: &mut Connection, options: &Options) -> Result<(), BenchError> {
    let sizes = [options.inmem_mb, options.disk_mb];
    for ((table, in_memory), megabytes) in TABLES.into_iter().zip(sizes) {
        let (kind, with) = match in_memory {
            true => ("NONCLUSTERED", "WITH (MEMORY_OPTIMIZED = ON)"),
            false => ("CLUSTERED", ""),
        };
        connection.execute(&format!(
            "CREATE TABLE {table} (id int NOT NULL PRIMARY KEY {kind}, n char(200) NOT NULL) {with}"
        ))?;
        let rows = (u64::from(megabytes) * 1_000_000 / ROW_BYTES) as u32;
        for first in (0..rows).step_by(ROWS_PER_STATEMENT as usize) {
            let last = (first + ROWS_PER_STATEMENT).min(rows) - 1;
            connection.execute(&format!(
                "INSERT INTO {table} (id, n) \
                 SELECT CAST(value AS int), STR(value) + REPLICATE('n', 190) \
                 FROM GENERATE_SERIES({first}, {last})"
            ))?;
        }
        let [count] = numbers(connection, &format!("SELECT COUNT_BIG(*) FROM {table}"))?;
        check("rows that were inserted", count, i64::from(rows))?;
    }
    sink(connection, TABLES[1].0)
}

fn back_up(connection: &mut Connection, options: &Options) -> Result<(), BenchError> {
    // What has been committed since is not what is to be measured.
    connection.execute("CHECKPOINT")?;
    let compression = if options.compression { ", COMPRESSION" } else { "" };
    connection
        .execute(&format!("BACKUP DATABASE BackedUp TO DISK = '{FILE}' WITH INIT{compression}"))?;
    Ok(())
}

/// Restores the backup, checks whether all is there, and drops the copy.
fn restore(
    server: &LocalServer,
    bytes: u64,
    expected: &[[i64; 3]; 2],
    figures: &mut Figures,
) -> Result<(), BenchError> {
    let mut connection = Connection::connect(&server.options())?;
    let began = Instant::now();
    connection.execute(&format!("RESTORE DATABASE Restored FROM DISK = '{FILE}'"))?;
    let seconds = began.elapsed().as_secs_f64();
    figures.add("restore_mb_s", bytes as f64 / 1e6 / seconds);
    connection.execute("USE Restored")?;
    // This waits for the table.
    numbers::<1>(&mut connection, &format!("SELECT MAX(id) FROM {}", TABLES[0].0))?;
    figures.add("restore_loaded_s", began.elapsed().as_secs_f64());
    check("what was restored", &contents(&mut connection)?, expected)?;
    connection.execute("USE master")?;
    connection.execute("DROP DATABASE Restored")?;
    Ok(())
}

/// Of each table the number of rows, the sum of their keys and a checksum of all columns.
fn contents(connection: &mut Connection) -> Result<[[i64; 3]; 2], BenchError> {
    let mut of = |table| {
        numbers(
            connection,
            &format!(
                "SELECT COUNT_BIG(*), SUM(CAST(id AS bigint)), \
                 CHECKSUM_AGG(BINARY_CHECKSUM(id, n)) FROM {table}"
            ),
        )
    };
    Ok([of(TABLES[0].0)?, of(TABLES[1].0)?])
}

fn measure_device(
    file: &Path,
    bytes: u64,
    data: &Path,
    figures: &mut Figures,
) -> Result<(), BenchError> {
    let scratch = data.join("scratch");
    figures.add("device_write_mb_s", sequential_write_mb_per_s(&scratch, bytes)?);
    figures.add("device_read_mb_s", sequential_mb_per_s(file)?);
    figures.add("device_copy_mb_s", copy_mb_per_s(file, &scratch)?);
    Ok(())
}

/// What was measured.
#[derive(Default)]
struct Figures(Vec<Figure>);

impl Figures {
    fn add(&mut self, name: &'static str, value: f64) {
        if let Some(known) = self.0.iter_mut().find(|figure| figure.figure == name) {
            known.values.push(value);
            return;
        }
        let is_seconds = SECONDS.contains(&name);
        let mut figure = Figure::new("backup", name, if is_seconds { "s" } else { "MB/s" });
        figure.decimals = if is_seconds { 2 } else { 0 };
        figure.values.push(value);
        self.0.push(figure);
    }

    /// Adds what part of the slower of reading and writing backup and restore have come to, run by
    /// run, and what part of copying.
    fn with_shares(mut self) -> Vec<Figure> {
        let values = |name| {
            let found = self.0.iter().find(|figure| figure.figure == name);
            found.map_or_else(Vec::new, |figure| figure.values.clone())
        };
        let pairs = values("device_write_mb_s").into_iter().zip(values("device_read_mb_s"));
        let device: Vec<f64> = pairs.map(|(write, read)| write.min(read)).collect();
        let copy = values("device_copy_mb_s");
        let shares = [
            ("backup_share", "backup_mb_s", &device),
            ("restore_share", "restore_mb_s", &device),
            ("backup_copy_share", "backup_mb_s", &copy),
            ("restore_copy_share", "restore_mb_s", &copy),
        ];
        let shares = shares.map(|(name, of, others)| {
            let mut share = Figure::new("backup", name, "%");
            let of = values(of);
            share.values =
                of.iter().zip(others).map(|(value, other)| value / other * 100.0).collect();
            share
        });
        self.0.extend(shares);
        self.0
    }
}

#[cfg(test)]
mod tests;
