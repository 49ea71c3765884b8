//! What the machine can do: the rows, index entries and log bytes of `thermocline bench`'s
//! workloads, made by hand-written code with no SQL, no network, no types and no conflicts. A
//! figure of the server read as a share of the same figure here says how much is left to gain.
//!
//! * [`memory`]: rows in an arena, hash indexes over them.
//! * [`sorted`]: a range index.
//! * [`log`]: group commit; the thread that runs out of work writes and syncs for all threads.
//! * [`orders`]: sales-orders, two threads and many simulated clients.
//! * [`loops`]: native-insert, point-lookup and update-hot, one thread (and one that writes the
//!   log).
//!
//! Figures have the form that `thermocline bench` gives them, with the benchmark's name followed by
//! `-floor`.

mod log;
mod loops;
mod memory;
mod orders;
mod sorted;

// The one definition of what a figure is; the server's tools show published figures, too.
#[path = "../../../crates/tools/src/bench/figure.rs"]
#[allow(dead_code)]
mod figure;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measure what this machine can do.
#[derive(Parser, Debug)]
#[command(name = "floor")]
struct Options {
    #[command(subcommand)]
    bench: Bench,
    /// One object of JSON a line for each figure.
    #[arg(long, global = true)]
    json: bool,
    /// How often it is run.
    #[arg(long, global = true, value_name = "N", default_value_t = 5)]
    runs: usize,
    /// Where logs are written; by default where the system keeps temporary files.
    #[arg(long, global = true, value_name = "DIR")]
    directory: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
enum Bench {
    /// Orders a second, from simulated clients that two threads serve.
    SalesOrders(orders::Options),
    /// Rows a second that one thread inserts, without and with a log.
    NativeInsert(loops::InsertOptions),
    /// Single rows found by key a second.
    PointLookup(loops::LoopOptions),
    /// Single-row updates a second.
    UpdateHot(loops::LoopOptions),
}

/// Runs what the command line asks for.
fn main() -> ExitCode {
    let options = Options::parse();
    let runs = options.runs.max(1);
    let directory = options.directory.unwrap_or_else(std::env::temp_dir);
    let figures = match &options.bench {
        Bench::SalesOrders(own) => orders::run(own, &directory, runs),
        Bench::NativeInsert(own) => loops::native_insert(own, &directory, runs),
        Bench::PointLookup(own) => loops::point_lookup(own, runs),
        Bench::UpdateHot(own) => loops::update_hot(own, runs),
    };
    match figures {
        Ok(figures) => {
            for figure in &figures {
                println!("{}", if options.json { figure.json() } else { figure.text() });
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("floor: {error}");
            ExitCode::FAILURE
        }
    }
}

/// An error if what was found is not what was expected.
fn check<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> std::io::Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(std::io::Error::other(format!("{what}: {found:?} instead of {expected:?}")))
}
