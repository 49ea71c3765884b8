//! `thermocline bench`: figures, with a check that the answers behind them are right.
//!
//! A benchmark starts servers of its own, runs several times and reports the median with the
//! spread. A run whose answer is wrong is an error, not a figure.

mod accounts;
mod activity;
mod backup;
mod bpe;
mod checkpoint_cost;
mod connections;
pub(crate) mod database;
mod device;
mod disk_table;
mod figure;
mod figures;
mod for_xml;
mod hot_set;
mod items;
mod json_text;
mod keys;
mod larger;
mod mass_delete;
mod mixed;
mod native_insert;
mod order_processing;
mod orders;
mod point_lookup;
mod recovery;
mod row_cache;
mod row_security;
mod sales_orders;
mod stalls;
mod temporal;
mod update_hot;
mod watch;
mod write_amplification;
mod zipf;

use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::client::ClientError;
use crate::local::LocalError;

pub(crate) use figure::Figure;

/// Measure this server on this machine.
#[derive(Parser, Debug)]
#[command(name = "thermocline bench")]
struct Options {
    #[command(subcommand)]
    bench: Bench,
    /// One object of JSON a line for each figure.
    #[arg(long, global = true)]
    json: bool,
    /// How often it is run.
    #[arg(long, global = true, value_name = "N", default_value_t = 5)]
    runs: usize,
}

#[derive(Subcommand, Debug)]
enum Bench {
    /// Durable sales orders a second, from many connections.
    SalesOrders(sales_orders::Options),
    /// Orders, products and fulfilment: transactions a second of the published mix, and how long
    /// they take.
    OrderProcessing(order_processing::Options),
    /// Rows a second that one call of a natively compiled procedure inserts.
    NativeInsert(native_insert::Options),
    /// Single rows found by key a second: in native loops, and over the wire.
    PointLookup(point_lookup::Options),
    /// Single-row updates a second in a native loop, of a table with three indexes.
    UpdateHot(update_hot::Options),
    /// Inserts, selects, updates and deletes a second by procedures, from many connections.
    Mixed(mixed::Options),
    /// Random look-ups in a disk table: in memory, cold, and with a buffer pool extension.
    Bpe(bpe::Options),
    /// Look-ups and scans of disk tables, beside memory-optimized ones and the disk.
    DiskTable(disk_table::Options),
    /// All that can be done with a disk table larger than memory, and how much memory that takes.
    LargerThanMemory(larger::Options),
    /// Look-ups and updates of rows that are hot, in a table several times larger than memory.
    HotSet(hot_set::Options),
    /// The same work on disk tables, disk tables whose rows are cached, and memory-optimized ones.
    RowCache(row_cache::Options),
    /// Bytes written for each byte of rows that are inserted into a disk table.
    WriteAmplification(write_amplification::Options),
    /// Rows a second that are read back when the server starts after it was killed, and when it
    /// answers first.
    Recovery(recovery::Options),
    /// A backup and its restore, beside what the disk writes, reads and copies.
    Backup(backup::Options),
    /// How soon memory is free again after all orders were deleted, without other load.
    MassDelete(mass_delete::Options),
    /// What checkpoints cost clients that insert orders: of their rate, and in time that an order
    /// takes.
    CheckpointCost(checkpoint_cost::Options),
    /// Logins a second, and memory of connections that do nothing.
    Connections(connections::Options),
    /// Documents read, rows written as JSON, and lists sent as JSON, beside a library's rate.
    Json(json_text::Options),
    /// Strings put together with `FOR XML PATH('')`, beside `STRING_AGG`.
    ForXml(for_xml::Options),
    /// How long another session and a login wait at most while statements compute.
    Stalls(stalls::Options),
    /// Updates a second of system-versioned tables, beside the same updates of plain ones.
    Temporal(temporal::Options),
    /// Reads of tables with a security policy, beside those of plain ones.
    RowSecurity(row_security::Options),
}

/// Why there is no figure.
#[derive(Debug)]
pub(crate) enum BenchError {
    Local(LocalError),
    Client(ClientError),
    Wrong(String),
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchError::Local(error) => error.fmt(f),
            BenchError::Client(error) => error.fmt(f),
            BenchError::Wrong(what) => f.write_str(what),
        }
    }
}

impl From<LocalError> for BenchError {
    fn from(error: LocalError) -> BenchError {
        BenchError::Local(error)
    }
}

impl From<ClientError> for BenchError {
    fn from(error: ClientError) -> BenchError {
        BenchError::Client(error)
    }
}

/// Runs a benchmark with these arguments, the program's name left out.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = std::iter::once(OsString::from("thermocline bench")).chain(arguments);
    let options = Options::parse_from(arguments);
    crate::local::remove_on_interrupt();
    match run(&options.bench, options.runs.max(1)) {
        Ok(figures) => {
            for figure in &figures {
                println!("{}", if options.json { figure.json() } else { figure.text() });
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("thermocline bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a benchmark with these arguments once.
pub(crate) fn figures_of(arguments: &[&str]) -> Result<Vec<Figure>, BenchError> {
    let arguments = std::iter::once("thermocline bench").chain(arguments.iter().copied());
    let options = Options::try_parse_from(arguments).map_err(|error| {
        BenchError::Wrong(format!("the benchmark does not take these arguments: {error}"))
    })?;
    run(&options.bench, 1)
}

fn run(bench: &Bench, runs: usize) -> Result<Vec<Figure>, BenchError> {
    match bench {
        Bench::SalesOrders(own) => sales_orders::run(own, runs),
        Bench::OrderProcessing(own) => order_processing::run(own, runs),
        Bench::NativeInsert(own) => native_insert::run(own, runs),
        Bench::PointLookup(own) => point_lookup::run(own, runs),
        Bench::UpdateHot(own) => update_hot::run(own, runs),
        Bench::Mixed(own) => mixed::run(own, runs),
        Bench::Bpe(own) => bpe::run(own, runs),
        Bench::DiskTable(own) => disk_table::run(own, runs),
        Bench::LargerThanMemory(own) => larger::run(own, runs),
        Bench::HotSet(own) => hot_set::run(own, runs),
        Bench::RowCache(own) => row_cache::run(own, runs),
        Bench::WriteAmplification(own) => write_amplification::run(own, runs),
        Bench::Recovery(own) => recovery::run(own, runs),
        Bench::Backup(own) => backup::run(own, runs),
        Bench::MassDelete(own) => mass_delete::run(own, runs),
        Bench::CheckpointCost(own) => checkpoint_cost::run(own, runs),
        Bench::Connections(own) => connections::run(own, runs),
        Bench::Json(own) => json_text::run(own, runs),
        Bench::ForXml(own) => for_xml::run(own, runs),
        Bench::Stalls(own) => stalls::run(own, runs),
        Bench::Temporal(own) => temporal::run(own, runs),
        Bench::RowSecurity(own) => row_security::run(own, runs),
    }
}

#[cfg(test)]
mod tests;
