//! A connection with a thread of its own, for connections that are encrypted and batches whose time
//! is limited.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Instant;

use base::Collation;
use tds::columns::ReceivedColumn;
use tds::row::Row;

use super::tally::{Course, Job, Log, Step, Tally};
use crate::client::{Connection, Receiver, Request, ServerMessage};

/// Runs the steps on a connection.
pub fn run(
    job: &Job<'_>,
    steps: &[Step],
    mut connection: Connection,
    mut log: Option<Log>,
) -> Tally {
    let mut tally = Tally::default();
    let requests: Vec<Request> =
        steps.iter().map(|step| connection.prepare_batch(&step.text)).collect();
    let mut course = Course::new(steps, job.iterations);
    while let Some(step) = course.current().filter(|_| !job.is_over()) {
        let errors_before = tally.error_count();
        let is_lost = send(&mut connection, &requests[step], &mut tally, log.as_mut());
        if course.advance() {
            tally.iterations += 1;
            job.progress.iterations.fetch_add(1, Ordering::Relaxed);
        }
        let errors = tally.error_count() - errors_before;
        job.progress.errors.fetch_add(errors, Ordering::Relaxed);
        if errors > 0 && job.stop_on_error {
            break;
        }
        if is_lost && course.current().is_some() {
            match Connection::connect(job.connect) {
                Ok(again) => connection = again,
                Err(error) => {
                    tally.count_failure(&error);
                    break;
                }
            }
        }
    }
    tally
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
    let result = connection.run(request, &mut Counter { tally, log, unknown });
    tally.count_batch(result.as_ref().unwrap_or(&Default::default()), sent_at.elapsed());
    match result {
        Ok(_) => false,
        Err(error) => {
            tally.count_failure(&error);
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
        self.log.as_mut().map_or(Ok(()), |log| log.columns(columns, self.unknown))
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.log.as_mut().map_or(Ok(()), |log| log.row(row))
    }

    fn message(&mut self, message: &ServerMessage) -> io::Result<()> {
        if message.is_error() {
            self.tally.count_error(message);
        }
        self.log.as_mut().map_or(Ok(()), |log| log.message(message))
    }
}
