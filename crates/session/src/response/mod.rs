//! The answer of a request: results, messages, and the ends of statements.
//!
//! The shapes are those of the wire's tokens, so that the server only has to encode them. What
//! depends on what comes next (whether a `DONE` says that more follows) is decided by the writer:
//! it keeps the last one back until something follows it.

use base::datetime::Language;
use base::types::XmlCollectionName;
use base::{Collation, SqlError, SqlResult, SqlType, ValueRef};
use engine::wait::Task;
use ir::site::{ResultColumn, ResultSite};
use run::interp::{OutputRow, ResultWriter};

/// Whether the connection goes on after a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// The connection goes on.
    GoOn,
    /// An error was too severe, or the client has gone.
    Disconnect,
}

/// Receives the answer to a request.
///
/// Its methods may wait while the client is slow. An error means that the client has gone: the
/// session ends.
pub trait AnswerWriter: ResultWriter {
    /// The part of it that units write to.
    fn results(&mut self) -> &mut dyn ResultWriter;

    /// Where the columns of the result that has just started come from. Only clients that change
    /// rows of cursors use it.
    fn origins(&mut self, _: &Task, _: &Origins<'_>) -> SqlResult<()> {
        Ok(())
    }

    /// An error: a message of a severity above 10.
    fn error(&mut self, task: &Task, error: &SqlError) -> SqlResult<()>;

    /// A statement is done.
    fn done(&mut self, task: &Task, done: &StatementDone) -> SqlResult<()>;

    /// What an RPC or `EXEC` returned, after its last statement.
    fn return_status(&mut self, task: &Task, status: i32) -> SqlResult<()>;

    /// An output parameter of an RPC.
    fn output(&mut self, task: &Task, parameter: &OutputParameter<'_>) -> SqlResult<()>;

    /// The session's environment has changed.
    fn environment(&mut self, task: &Task, change: &EnvironmentChange<'_>) -> SqlResult<()>;

    /// From now on strings of `(max)` types are cut after this many bytes: `SET TEXTSIZE`.
    fn set_text_size(&mut self, bytes: usize);

    /// What has been written goes to the client now: `RAISERROR … WITH NOWAIT`.
    fn flush(&mut self, task: &Task) -> SqlResult<()>;
}

/// What kind of thing is done, and so which token says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DoneScope {
    /// A statement of a batch: `DONE`.
    Batch,
    /// A statement of a module or of dynamic SQL: `DONEINPROC`.
    InModule,
    /// A module that was called by a batch or by the client: `DONEPROC`.
    Module,
}

/// A statement that is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StatementDone {
    /// Where it stood.
    pub scope: DoneScope,
    /// What it did, as [`command`] numbers it.
    pub command: u16,
    /// How many rows, if it counts any and `NOCOUNT` is off.
    pub rows: Option<u64>,
    /// The statement has failed.
    pub failed: bool,
    /// A transaction is open after it.
    pub in_transaction: bool,
}

/// The numbers of statements as `DONE` tokens carry them.
pub mod command {
    /// None in particular.
    pub const NONE: u16 = 0;
    /// `FETCH … INTO`
    pub const FETCH_INTO: u16 = 0x21;
    /// The condition of `IF` or `WHILE`
    pub const CONDITION: u16 = 0xC0;
    /// `SELECT`, and what gives variables values
    pub const SELECT: u16 = 0xC1;
    /// `SELECT … INTO`
    pub const SELECT_INTO: u16 = 0xC2;
    /// `INSERT`
    pub const INSERT: u16 = 0xC3;
    /// `DELETE`
    pub const DELETE: u16 = 0xC4;
    /// `UPDATE`
    pub const UPDATE: u16 = 0xC5;
    /// `ROLLBACK`
    pub const ROLLBACK: u16 = 0xD2;
    /// `BEGIN TRANSACTION`
    pub const BEGIN_TRANSACTION: u16 = 0xD4;
    /// `COMMIT`
    pub const COMMIT: u16 = 0xD5;
    /// `EXECUTE`
    pub const EXECUTE: u16 = 0xE0;
    /// `INSERT BULK` and `BULK INSERT`
    pub const BULK: u16 = 0xF0;
    /// `MERGE`
    pub const MERGE: u16 = 0x117;
}

/// What a client that changes a cursor's rows has to know of their columns.
#[derive(Clone, Copy, Debug)]
pub struct Origins<'a> {
    /// The columns of the result.
    pub columns: &'a [ResultColumn],
    /// How many of them, at the end, are not for users to see.
    pub hidden: usize,
    /// The client does not know the names of the tables yet.
    pub names_tables: bool,
}

/// The value of an output parameter.
#[derive(Clone, Copy, Debug)]
pub struct OutputParameter<'a> {
    /// Its place among all parameters of the call, from 0.
    pub ordinal: u16,
    /// Its name as the procedure has it, `@` included; empty if it has none.
    pub name: &'a str,
    /// Its type.
    pub ty: &'a SqlType,
    /// The schemas that values of a type xml follow.
    pub schemas: Option<&'a XmlCollectionName>,
    /// Its value.
    pub value: ValueRef<'a>,
}

/// A change of what the client knows about its session.
#[derive(Clone, Copy, Debug)]
pub enum EnvironmentChange<'a> {
    /// Another database: the new name, the old one.
    Database(&'a str, &'a str),
    /// Another language: the new one, the old one.
    Language(&'a Language, &'a Language),
    /// The collation of the current database: the new one, the old one.
    Collation(Collation, Collation),
    /// A transaction has begun; this names it.
    TransactionBegun(u64),
    /// This transaction was committed.
    TransactionCommitted(u64),
    /// This transaction was rolled back.
    TransactionRolledBack(u64),
    /// The session is as it was after its login.
    Reset,
}

/// A writer that does something of its own with results: errors, messages and what changes for the
/// client pass on to another one, ends of statements and outputs are dropped.
pub trait PassesMessages: ResultWriter {
    /// The writer that they pass on to.
    fn outer(&mut self) -> &mut dyn AnswerWriter;
}

impl<S: PassesMessages> AnswerWriter for S {
    fn results(&mut self) -> &mut dyn ResultWriter {
        self
    }

    fn error(&mut self, task: &Task, error: &SqlError) -> SqlResult<()> {
        self.outer().error(task, error)
    }

    fn done(&mut self, _: &Task, _: &StatementDone) -> SqlResult<()> {
        Ok(())
    }

    fn return_status(&mut self, _: &Task, _: i32) -> SqlResult<()> {
        Ok(())
    }

    fn output(&mut self, _: &Task, _: &OutputParameter<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn environment(&mut self, task: &Task, change: &EnvironmentChange<'_>) -> SqlResult<()> {
        self.outer().environment(task, change)
    }

    fn set_text_size(&mut self, bytes: usize) {
        self.outer().set_text_size(bytes);
    }

    fn flush(&mut self, task: &Task) -> SqlResult<()> {
        self.outer().flush(task)
    }
}

/// What a nested scope's statements write to, when their results do not go to the client: messages
/// pass, everything else is dropped.
pub struct MessagesOnly<'s> {
    inner: &'s mut dyn AnswerWriter,
}

impl<'s> MessagesOnly<'s> {
    /// A writer that passes messages on to `inner`.
    pub fn new(inner: &'s mut dyn AnswerWriter) -> MessagesOnly<'s> {
        MessagesOnly { inner }
    }
}

impl ResultWriter for MessagesOnly<'_> {
    fn start(&mut self, _: &Task, _: &ResultSite) -> SqlResult<()> {
        Ok(())
    }

    fn row(&mut self, _: &Task, _: &OutputRow<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()> {
        self.inner.inform(task, message)
    }
}

impl PassesMessages for MessagesOnly<'_> {
    fn outer(&mut self) -> &mut dyn AnswerWriter {
        self.inner
    }
}

/// Discards everything: what functions write to, through [`ResultsOnly`].
pub struct Silent;

impl ResultWriter for Silent {
    fn start(&mut self, _: &Task, _: &ResultSite) -> SqlResult<()> {
        Ok(())
    }

    fn row(&mut self, _: &Task, _: &OutputRow<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn inform(&mut self, _: &Task, _: &SqlError) -> SqlResult<()> {
        Ok(())
    }
}

/// Passes on the results of what runs inside a unit: the request's own writer gets the rest when
/// that unit is done.
pub struct ResultsOnly<'s>(pub &'s mut dyn ResultWriter);

impl ResultWriter for ResultsOnly<'_> {
    fn start(&mut self, task: &Task, result: &ResultSite) -> SqlResult<()> {
        self.0.start(task, result)
    }

    fn row(&mut self, task: &Task, row: &OutputRow<'_>) -> SqlResult<()> {
        self.0.row(task, row)
    }

    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()> {
        self.0.inform(task, message)
    }
}

impl AnswerWriter for ResultsOnly<'_> {
    fn results(&mut self) -> &mut dyn ResultWriter {
        self
    }

    fn error(&mut self, _: &Task, _: &SqlError) -> SqlResult<()> {
        Ok(())
    }

    fn done(&mut self, _: &Task, _: &StatementDone) -> SqlResult<()> {
        Ok(())
    }

    fn return_status(&mut self, _: &Task, _: i32) -> SqlResult<()> {
        Ok(())
    }

    fn output(&mut self, _: &Task, _: &OutputParameter<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn environment(&mut self, _: &Task, _: &EnvironmentChange<'_>) -> SqlResult<()> {
        Ok(())
    }

    fn set_text_size(&mut self, _: usize) {}

    fn flush(&mut self, _: &Task) -> SqlResult<()> {
        Ok(())
    }
}
