//! Answers: what receives them, and what is known when they are over.

use std::io;

use base::Value;
use tds::client::ServerMessage;
use tds::client::tokens::ReturnValue;
use tds::columns::ReceivedColumn;
use tds::row::Row;
use tds::token::{Done, DoneStatus};

/// Errors of this severity and above end the session.
pub(super) const FATAL_SEVERITY: u8 = 20;

/// Takes an answer while it arrives. Every method has a default that does nothing. An error stops
/// the request: the server is asked to cancel it, and the rest of the answer is passed over.
pub trait Receiver {
    /// A result begins.
    fn columns(&mut self, columns: &[ReceivedColumn]) -> io::Result<()> {
        let _ = columns;
        Ok(())
    }

    /// A row of the result that began last.
    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        let _ = row;
        Ok(())
    }

    /// An error or message.
    fn message(&mut self, message: &ServerMessage) -> io::Result<()> {
        let _ = message;
        Ok(())
    }

    /// A statement, a procedure or the whole request is done.
    fn done(&mut self, done: &Done) -> io::Result<()> {
        let _ = done;
        Ok(())
    }

    /// What a procedure has returned.
    fn return_status(&mut self, status: i32) -> io::Result<()> {
        let _ = status;
        Ok(())
    }

    /// The value of an output parameter.
    fn return_value(&mut self, value: ReturnValue) -> io::Result<()> {
        let _ = value;
        Ok(())
    }
}

/// Receives without looking.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignore;

impl Receiver for Ignore {}

/// What an answer amounts to.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Rows that were received.
    pub rows: u64,
    /// Rows that statements have inserted, updated or deleted, as far as they have said.
    pub affected: u64,
    /// Procedures that have returned.
    pub procedures: u64,
    /// Errors.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<Box<ServerMessage>>,
    /// The error with which the server has ended the session.
    pub(super) fatal: Option<Box<ServerMessage>>,
    /// What the procedure that returned last has returned.
    pub return_status: Option<i32>,
    /// The request was cancelled, by whomever.
    pub cancelled: bool,
}

impl Outcome {
    /// Counts a `DONE` of any kind. Counts of result rows are left out, they are counted as rows.
    pub(super) fn count_done(&mut self, done: &Done) {
        if done.status.contains(DoneStatus::COUNT) && done.command != tds::token::command::SELECT {
            self.affected += done.rows;
        }
        if done.status.contains(DoneStatus::ATTENTION) {
            self.cancelled = true;
        }
    }

    pub(super) fn count_message(&mut self, message: &ServerMessage) {
        if message.is_error() {
            self.errors += 1;
            if self.first_error.is_none() {
                self.first_error = Some(Box::new(message.clone()));
            }
            if message.error.severity() >= FATAL_SEVERITY {
                self.fatal = Some(Box::new(message.clone()));
            }
        }
    }
}

/// One result that was kept.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct ResultSet {
    /// The columns' names.
    pub names: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

/// Keeps the rows of all results, and the messages; for small answers.
#[derive(Clone, Default, Debug)]
pub struct Results {
    /// The results.
    pub sets: Vec<ResultSet>,
    /// Errors and messages.
    pub messages: Vec<ServerMessage>,
    /// Output parameters.
    pub values: Vec<ReturnValue>,
}

impl Receiver for Results {
    fn columns(&mut self, columns: &[ReceivedColumn]) -> io::Result<()> {
        let names = columns.iter().map(|c| c.name.clone()).collect();
        self.sets.push(ResultSet { names, rows: Vec::new() });
        Ok(())
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        if let Some(set) = self.sets.last_mut() {
            set.rows.push(owned(row)?);
        }
        Ok(())
    }

    fn message(&mut self, message: &ServerMessage) -> io::Result<()> {
        self.messages.push(message.clone());
        Ok(())
    }

    fn return_value(&mut self, value: ReturnValue) -> io::Result<()> {
        self.values.push(value);
        Ok(())
    }
}

fn owned(row: &Row<'_>) -> io::Result<Vec<Value>> {
    let values = (0..row.len()).map(|column| row.get(column).map(tds::Datum::into_value));
    values.collect::<Result<_, _>>().map_err(io::Error::other)
}

/// Keeps the rows of the last result; for small ones.
#[derive(Clone, Default, Debug)]
pub struct Rows {
    /// The columns' names.
    pub names: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

impl Receiver for Rows {
    fn columns(&mut self, columns: &[ReceivedColumn]) -> io::Result<()> {
        self.names = columns.iter().map(|c| c.name.clone()).collect();
        self.rows.clear();
        Ok(())
    }

    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.rows.push(owned(row)?);
        Ok(())
    }
}

impl Rows {
    /// The integer in the first column of the first row.
    pub fn integer(&self) -> Option<i64> {
        match self.rows.first()?.first()? {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }
}
