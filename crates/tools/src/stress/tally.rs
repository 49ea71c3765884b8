//! What is counted, what is written down, and the progress of a connection.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use base::Collation;
use tds::columns::ReceivedColumn;
use tds::row::Row;

use super::histogram::Histogram;
use crate::client::{ClientError, ConnectOptions, Outcome, ServerMessage};
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
    /// Connections that were lost or could not be made again, and batches that were late.
    pub failures: u64,
    /// Why the first was.
    pub first_failure: Option<String>,
    /// The times of batches.
    pub times: Histogram,
}

impl Tally {
    /// Adds the counts of another tally.
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

    /// Counts a batch.
    pub(super) fn count_batch(&mut self, outcome: &Outcome, time: Duration) {
        self.batches += 1;
        self.times.record(time);
        self.rows += outcome.rows;
        self.affected += outcome.affected;
    }

    /// Counts an error of the server.
    pub(super) fn count_error(&mut self, message: &ServerMessage) {
        let error = &message.error;
        let found = self.errors.entry(error.number()).or_insert_with(|| {
            let procedure = error.procedure().map(|p| format!("{p}, ")).unwrap_or_default();
            let first = format!("{procedure}line {}: {}", error.line(), error.text());
            ErrorCount { count: 0, first }
        });
        found.count += 1;
    }

    /// Counts a failure. Errors of the server, which have been counted as such, are none.
    pub(super) fn count_failure(&mut self, error: &ClientError) {
        if error.server_message().is_none() {
            self.failures += 1;
            self.first_failure.get_or_insert_with(|| error.to_string());
        }
    }
}

/// What all connections share.
#[derive(Debug, Default)]
pub struct Progress {
    /// Iterations that are complete; added to by all workers, read for the progress line.
    pub iterations: AtomicU64,
    /// Errors; the same.
    pub errors: AtomicU64,
    /// The run is to end; set by the thread that ends it, read by workers between batches.
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

/// What all connections do.
#[derive(Clone, Copy, Debug)]
pub struct Job<'j> {
    /// How to connect.
    pub connect: &'j ConnectOptions,
    /// How often each connection runs all its steps.
    pub iterations: u64,
    /// When to end at the latest.
    pub until: Option<Instant>,
    /// A connection ends at its first error.
    pub stop_on_error: bool,
    /// What all threads see.
    pub progress: &'j Progress,
}

impl Job<'_> {
    /// Whether nothing is to be sent any more.
    pub fn is_over(&self) -> bool {
        // Relaxed: nothing but the flag is communicated.
        self.progress.stop.load(Ordering::Relaxed)
            || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// The progress of a connection through its steps.
#[derive(Clone, Debug)]
pub struct Course<'j> {
    steps: &'j [Step],
    iterations_left: u64,
    step: usize,
    /// How often the step was run in this iteration.
    repeat: u32,
}

impl<'j> Course<'j> {
    /// The beginning.
    pub fn new(steps: &'j [Step], iterations: u64) -> Course<'j> {
        Course { steps, iterations_left: iterations, step: 0, repeat: 0 }
    }

    /// The step to run next, none at the end.
    pub fn current(&self) -> Option<usize> {
        (self.iterations_left > 0 && self.step < self.steps.len()).then_some(self.step)
    }

    /// The step was run. Returns whether that has completed an iteration.
    pub fn advance(&mut self) -> bool {
        self.repeat += 1;
        if self.repeat < self.steps[self.step].count {
            return false;
        }
        (self.step, self.repeat) = (self.step + 1, 0);
        if self.step < self.steps.len() {
            return false;
        }
        self.step = 0;
        self.iterations_left -= 1;
        true
    }

    /// Ends here.
    pub fn end(&mut self) {
        self.iterations_left = 0;
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

    /// Writes a heading.
    pub fn columns(&mut self, columns: &[ReceivedColumn], unknown: Collation) -> io::Result<()> {
        if !self.with_rows {
            return Ok(());
        }
        self.types = columns.iter().map(|column| column.info.to_sql(unknown)).collect();
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        writeln!(self.file, "{}", names.join("\t"))
    }

    /// Writes a row.
    pub fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        if !self.with_rows {
            return Ok(());
        }
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

    /// Writes an error or a message.
    pub fn message(&mut self, message: &ServerMessage) -> io::Result<()> {
        if !self.with_rows && !message.is_error() {
            return Ok(());
        }
        let (number, level) = (message.error.number(), message.error.severity());
        writeln!(self.file, "Msg {number}, Level {level}, {}", message.error.text())
    }
}

#[cfg(test)]
mod tests;
