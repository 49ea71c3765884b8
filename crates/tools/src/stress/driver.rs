//! Many connections with one thread, which costs the least.

use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use base::Collation;
use tds::columns::ReceivedColumn;
use tds::row::Row;

use super::tally::{Course, Job, Log, Step, Tally};
use crate::client::{
    ClientError, Connection, Driver, Fleet, Outcome, Receiver, Request, ServerMessage,
};

/// A connection and what it is to run.
pub struct Member<'j> {
    /// The connection.
    pub connection: Connection,
    /// Its steps.
    pub steps: &'j [Step],
    /// Where to write down what it receives.
    pub log: Option<Log>,
}

/// Runs the steps of all members.
///
/// # Errors
/// When the connections cannot be driven in this way at all.
pub fn run(job: &Job<'_>, members: Vec<Member<'_>>) -> Result<Tally, ClientError> {
    let mut thread = Thread {
        job,
        tally: Tally::default(),
        unknown: Collation::DEFAULT,
        requests: Vec::new(),
        members: Vec::with_capacity(members.len()),
        receiving: 0,
    };
    let mut connections = Vec::with_capacity(members.len());
    for member in members {
        thread.unknown = member.connection.collation();
        let requests = thread.requests_for(member.steps, &member.connection);
        let course = Course::new(member.steps, job.iterations);
        thread.members.push(Place { course, requests, log: member.log, errors: 0 });
        connections.push(member.connection);
    }
    Fleet::new(connections)?.run(&mut thread)?;
    Ok(thread.tally)
}

/// The connections of a thread, as [`Fleet`] asks for them.
struct Thread<'j> {
    job: &'j Job<'j>,
    tally: Tally,
    unknown: Collation,
    /// The requests of each different list of steps.
    requests: Vec<(*const Step, Vec<Request>)>,
    members: Vec<Place<'j>>,
    /// The member whose answer is being received.
    receiving: usize,
}

/// A connection's part of the work.
struct Place<'j> {
    course: Course<'j>,
    /// Where its steps' requests are.
    requests: usize,
    log: Option<Log>,
    /// Errors in the answer that is being received.
    errors: u64,
}

impl<'j> Thread<'j> {
    /// Where the requests for these steps are, which are made once.
    fn requests_for(&mut self, steps: &'j [Step], connection: &Connection) -> usize {
        let known = self.requests.iter().position(|(of, _)| *of == steps.as_ptr());
        known.unwrap_or_else(|| {
            let made = steps.iter().map(|step| connection.prepare_batch(&step.text)).collect();
            self.requests.push((steps.as_ptr(), made));
            self.requests.len() - 1
        })
    }

    /// A batch is over, one way or the other.
    fn advance(&mut self, connection: usize, errors: u64) {
        let progress = self.job.progress;
        let place = &mut self.members[connection];
        if place.course.advance() {
            self.tally.iterations += 1;
            progress.iterations.fetch_add(1, Ordering::Relaxed);
        }
        if errors > 0 {
            progress.errors.fetch_add(errors, Ordering::Relaxed);
            if self.job.stop_on_error {
                place.course.end();
            }
        }
    }
}

impl Driver for Thread<'_> {
    fn next(&mut self, connection: usize) -> Option<&Request> {
        if self.job.is_over() {
            return None;
        }
        let place = &mut self.members[connection];
        place.errors = 0;
        let step = place.course.current()?;
        Some(&self.requests[place.requests].1[step])
    }

    fn done(&mut self, connection: usize, outcome: &Outcome, time: Duration) {
        self.tally.count_batch(outcome, time);
        let errors = self.members[connection].errors;
        self.advance(connection, errors);
    }

    fn receiver(&mut self, connection: usize) -> &mut dyn Receiver {
        self.receiving = connection;
        self
    }

    fn lost(
        &mut self,
        connection: usize,
        error: ClientError,
    ) -> Result<Option<Connection>, ClientError> {
        if error.server_message().is_none() {
            self.tally.count_failure(&error);
            self.tally.batches += 1;
            self.advance(connection, 1);
        }
        if self.job.is_over() || self.members[connection].course.current().is_none() {
            return Ok(None);
        }
        match Connection::connect(self.job.connect) {
            Ok(again) => Ok(Some(again)),
            Err(error) => {
                self.tally.count_failure(&error);
                Ok(None)
            }
        }
    }

    fn wants_cancel(&self) -> bool {
        self.job.progress.stop.load(Ordering::Relaxed)
    }
}

impl Receiver for Thread<'_> {
    fn columns(&mut self, columns: &[ReceivedColumn]) -> io::Result<()> {
        let unknown = self.unknown;
        let log = &mut self.members[self.receiving].log;
        log.as_mut().map_or(Ok(()), |log| log.columns(columns, unknown))
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        let log = &mut self.members[self.receiving].log;
        log.as_mut().map_or(Ok(()), |log| log.row(row))
    }

    fn message(&mut self, message: &ServerMessage) -> io::Result<()> {
        let place = &mut self.members[self.receiving];
        if message.is_error() {
            place.errors += 1;
            self.tally.count_error(message);
        }
        place.log.as_mut().map_or(Ok(()), |log| log.message(message))
    }
}
