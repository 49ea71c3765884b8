//! One connection of a run: a thread that sends the same requests again and again.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use base::Collation;
use tds::columns::ReceivedColumn;
use tds::row::Row;

use super::histogram::Histogram;
use crate::client::{ClientError, ConnectOptions, Connection, Receiver, Request, ServerMessage};
use crate::show;

/// Errors of one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorCount {
    /// How many.
    pub count: u64,
    /// The text of the first.
    pub first: String,
}

/// What one connection, or all of them, have done.
#[derive(Clone, Default, Debug)]
pub struct Tally {
    /// Times that all batches were run.
    pub iterations: u64,
    /// Batches that were run.
    pub batches: u64,
    /// Rows that were received.
    pub rows: u64,
    /// Rows that were inserted, updated or deleted, as far as the server has said.
    pub affected: u64,
    /// Errors of the server by number.
    pub errors: BTreeMap<i32, ErrorCount>,
    /// Connections that were lost or could not be made, and why the first was.
    pub failures: u64,
    /// Why the first was.
    pub first_failure: Option<String>,
    /// The times of batches.
    pub times: Histogram,
}

impl Tally {
    /// Adds what another connection has done.
    pub fn add(&mut self, other: Tally) {
        self.iterations += other.iterations;
        self.batches += other.batches;
        self.rows += other.rows;
        self.affected += other.affected;
        self.failures += other.failures;
        self.first_failure = self.first_failure.take().or(other.first_failure);
        self.times.add(&other.times);
        for (number, more) in other.errors {
            match self.errors.get_mut(&number) {
                Some(found) => found.count += more.count,
                None => {
                    self.errors.insert(number, more);
                }
            }
        }
    }

    /// Errors of all kinds.
    pub fn error_count(&self) -> u64 {
        self.failures + self.errors.values().map(|error| error.count).sum::<u64>()
    }

    fn fail(&mut self, error: &ClientError) {
        self.failures += 1;
        self.first_failure.get_or_insert_with(|| error.to_string());
    }
}

/// What all connections share.
#[derive(Debug, Default)]
pub struct Progress {
    /// Iterations that are complete; written by all workers, read for the progress line.
    pub iterations: AtomicU64,
    /// Errors; the same.
    pub errors: AtomicU64,
    /// The run is to end; written by whoever ends it, read by workers between batches.
    pub stop: AtomicBool,
}

/// One batch of what a connection runs.
#[derive(Clone, Debug)]
pub struct Step {
    /// The text.
    pub text: String,
    /// How often it is run, as `GO n` says.
    pub count: u32,
}

/// What a connection does.
#[derive(Clone, Copy, Debug)]
pub struct Job<'j> {
    /// How to connect.
    pub connect: &'j ConnectOptions,
    /// What to run.
    pub steps: &'j [Step],
    /// How often.
    pub iterations: u64,
    /// When to end at the latest.
    pub until: Option<Instant>,
    /// End at the first error.
    pub stop_on_error: bool,
}

/// Runs a job on a connection, counting into `tally`.
pub fn run(
    job: &Job<'_>,
    mut connection: Connection,
    mut log: Option<Log>,
    progress: &Progress,
) -> Tally {
    let mut tally = Tally::default();
    let requests = prepare(job, &connection);
    'iterations: for _ in 0..job.iterations {
        for (request, count) in &requests {
            for _ in 0..*count {
                // Relaxed: nothing but the flag is communicated.
                let is_late = job.until.is_some_and(|until| Instant::now() >= until);
                if is_late || progress.stop.load(Ordering::Relaxed) {
                    break 'iterations;
                }
                let errors_before = tally.error_count();
                let failed = send(&mut connection, request, &mut tally, log.as_mut());
                let errors = tally.error_count() - errors_before;
                if errors > 0 {
                    progress.errors.fetch_add(errors, Ordering::Relaxed);
                    if job.stop_on_error {
                        break 'iterations;
                    }
                }
                if failed {
                    match Connection::connect(job.connect) {
                        Ok(again) => connection = again,
                        Err(error) => {
                            tally.fail(&error);
                            break 'iterations;
                        }
                    }
                }
            }
        }
        tally.iterations += 1;
        progress.iterations.fetch_add(1, Ordering::Relaxed);
    }
    tally
}

fn prepare(job: &Job<'_>, connection: &Connection) -> Vec<(Request, u32)> {
    job.steps.iter().map(|step| (connection.prepare_batch(&step.text), step.count)).collect()
}

/// Sends a request and counts its answer. Returns whether the connection is lost.
fn send(
    connection: &mut Connection,
    request: &Request,
    tally: &mut Tally,
    log: Option<&mut Log>,
) -> bool {
    let unknown = connection.collation();
    let sent_at = Instant::now();
    let mut counter = Counter { tally, log, unknown };
    let result = connection.run(request, &mut counter);
    tally.batches += 1;
    tally.times.record(sent_at.elapsed());
    match result {
        Ok(outcome) => {
            tally.rows += outcome.rows;
            tally.affected += outcome.affected;
            false
        }
        // Its number has been counted.
        Err(ClientError::Server(_)) => true,
        Err(error) => {
            tally.fail(&error);
            !error.leaves_connection_open()
        }
    }
}

/// Counts errors; writes everything down if there is a log.
struct Counter<'c> {
    tally: &'c mut Tally,
    log: Option<&'c mut Log>,
    unknown: Collation,
}

impl Receiver for Counter<'_> {
    fn columns(&mut self, columns: &[ReceivedColumn]) -> io::Result<()> {
        match &mut self.log {
            Some(log) if log.with_rows => log.begin(columns, self.unknown),
            _ => Ok(()),
        }
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        match &mut self.log {
            Some(log) if log.with_rows => log.row(row),
            _ => Ok(()),
        }
    }

    fn message(&mut self, message: &ServerMessage) -> io::Result<()> {
        let error = &message.error;
        if message.is_error() {
            let found = self.tally.errors.entry(error.number()).or_insert_with(|| {
                let procedure = error.procedure().map(|p| format!("{p}, ")).unwrap_or_default();
                let first = format!("{procedure}line {}: {}", error.line(), error.text());
                ErrorCount { count: 0, first }
            });
            found.count += 1;
        }
        match &mut self.log {
            Some(log) if message.is_error() || log.with_rows => {
                let (number, level) = (error.number(), error.severity());
                writeln!(log.file, "Msg {number}, Level {level}, {}", error.text())
            }
            _ => Ok(()),
        }
    }
}

/// What a connection has received, as a file.
pub struct Log {
    file: BufWriter<File>,
    with_rows: bool,
    types: Vec<base::SqlType>,
    line: String,
}

impl Log {
    /// Creates a file; `with_rows` for results as well as errors.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path, with_rows: bool) -> io::Result<Log> {
        let file = BufWriter::new(File::create(path)?);
        Ok(Log { file, with_rows, types: Vec::new(), line: String::new() })
    }

    fn begin(&mut self, columns: &[ReceivedColumn], unknown: Collation) -> io::Result<()> {
        self.types = columns.iter().map(|column| column.info.to_sql(unknown)).collect();
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        writeln!(self.file, "{}", names.join("\t"))
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.line.clear();
        for (place, ty) in self.types.iter().enumerate() {
            if place > 0 {
                self.line.push('\t');
            }
            let value = row.get(place).map_err(io::Error::other)?;
            show::write_value(value.as_ref(), ty, &mut self.line);
        }
        writeln!(self.file, "{}", self.line)
    }
}
