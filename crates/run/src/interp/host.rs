//! What surrounds a unit that runs: the session's transactions, results, functions and modules.

use std::sync::Arc;

use base::datetime::DateSettings;
use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, SqlType, Value, ValueRef};
use engine::catalog::def::TableDef;
use engine::database::LogWait;
use engine::hot::table::Table;
use engine::hot::visibility::Snapshot;
use engine::txn::Transaction;
use engine::txn::locks::Reading;
use engine::wait::Task;
use ir::function::SessionFacts;
use ir::object::ReadPurpose;
use ir::read::ReadOptions;
use ir::rowset::RowsetId;
use ir::site::{ModuleCallSite, ResultColumn, ResultSite, StatementSite};
use ir::unit::TableUse;
use ir::{Reg, Unit};

use crate::interp::frame::Frame;
use crate::interp::lent::Lent;
use crate::interp::local::LocalTable;
use crate::interp::reads::Reads;
use crate::interp::registers::Registers;
use crate::interp::{Runtime, Transition};

/// How messages name a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableName {
    /// The database.
    pub database: String,
    /// `schema.table`, or `@variable`.
    pub table: String,
}

/// How a statement reads a table.
pub struct Reader<'t> {
    /// The snapshot at which it reads.
    pub snapshot: Snapshot<'t>,
    /// The locks with which it reads.
    pub reading: Reading,
    /// The transaction in which it reads.
    pub transaction: &'t mut Transaction,
}

/// What a unit asks of the session that runs it.
///
/// Before it runs a unit, the caller opens a statement in the transaction of every database that
/// the unit touches; after it, the caller ends the statements or rolls them back. Local tables
/// belong to the interpreter. Native modules bracket their statements themselves.
pub trait Host {
    /// The facts that functions may ask for.
    fn facts(&self) -> &dyn SessionFacts;

    /// How dates are read and written.
    fn dates(&self) -> DateSettings;

    /// The engine's table behind a definition.
    fn table(&mut self, task: &Task, database: DbId, table: &TableDef) -> SqlResult<Arc<Table>>;

    /// The session's transaction in a database.
    fn transaction(&mut self, database: DbId) -> SqlResult<&mut Transaction>;

    /// How the statement reads (or changes) a table, and the transaction in which it does.
    fn reader(
        &mut self,
        database: DbId,
        table: &TableDef,
        options: &ReadOptions,
        purpose: ReadPurpose,
    ) -> SqlResult<Reader<'_>>;

    /// Makes snapshots that are taken from now on see what the statement has changed so far.
    fn advance(&mut self, task: &Task) -> SqlResult<()>;

    /// Takes back the last [`Host::advance`].
    fn retreat(&mut self) -> SqlResult<()>;

    /// Keeps a table's identity counter from falling behind an explicit value.
    fn note_identity(
        &mut self,
        task: &Task,
        database: DbId,
        table: &Table,
        value: i64,
    ) -> SqlResult<()>;

    /// Begins a load, because the transaction has written more than may stay in memory: from now on
    /// the statement's changes of this table go to a successor of its storage, by [`Host::load`],
    /// if the session can do that.
    fn begin_load(&mut self, _: &Task, _: &TableUse) -> SqlResult<()> {
        Ok(())
    }

    /// Applies a change to a table that is being loaded: the row that is replaced, and the new one.
    fn load(
        &mut self,
        _: &Task,
        _: &TableUse,
        _old: Option<&[u8]>,
        _new: Option<&[u8]>,
    ) -> SqlResult<()> {
        Err(ir::internal("nothing is being loaded"))
    }

    /// Notes that a failed computation has given NULL, since `ARITHABORT` and `ANSI_WARNINGS` are
    /// off.
    fn note_arithmetic_error(&mut self, _: &SqlError) {}

    /// The next row version of a database.
    fn next_row_version(&mut self, task: &Task, database: DbId) -> SqlResult<[u8; 8]>;

    /// The next value of a sequence.
    fn next_value(&mut self, task: &Task, sequence: ObjectId) -> SqlResult<Value>;

    /// Whether the session wants to know what units read.
    fn counts_reads(&self) -> bool {
        false
    }

    /// Counts what a unit has read of a table, or written to it.
    fn count_reads(&mut self, _: &TableUse, _: Reads) {}

    /// How messages name a table; without a database it is a variable.
    fn table_name(&self, database: Option<DbId>, table: &TableDef) -> TableName;

    /// The resource pool to which the rows of a database belong.
    fn pool_name(&self, _: DbId) -> Arc<str> {
        "default".into()
    }

    /// Why a database's log cannot be cut, as `log_reuse_wait_desc` says it.
    fn log_wait(&self, _: DbId) -> &'static str {
        LogWait::Nothing.description()
    }

    /// Calls a user's scalar function. `None` takes a parameter's default.
    fn call_function(
        &mut self,
        task: &Task,
        runtime: &mut Runtime,
        function: ObjectId,
        args: &[Option<(ValueRef<'_>, SqlType)>],
    ) -> SqlResult<Value>;

    /// Calls a user's multi-statement function and adds its rows.
    fn call_table_function(
        &mut self,
        task: &Task,
        runtime: &mut Runtime,
        function: ObjectId,
        args: &[Option<(ValueRef<'_>, SqlType)>],
        rows: &mut LocalTable,
    ) -> SqlResult<()>;

    /// Adds the rows of a system view about a database.
    fn fill_view(
        &mut self,
        task: &Task,
        database: DbId,
        view: RowsetId,
        rows: &mut LocalTable,
    ) -> SqlResult<()>;

    /// Lends the transaction to the native module whose statement has just begun, if the session
    /// does not have to know of its statements.
    fn lend(&mut self) -> Option<Lent> {
        None
    }

    /// Takes the transaction back, with its newest statement.
    fn take_back(&mut self, _: Lent) {
        unreachable!("nothing was lent");
    }

    /// Notes that a statement has begun in the transaction that was lent.
    fn statement_began(&mut self) {}

    /// Notes that a statement has succeeded there, with this outcome.
    fn statement_succeeded(&mut self, _: &StatementSite, _: &crate::interp::Outcome) {}

    /// Begins a data statement of a native module; one that is open has succeeded.
    fn begin_statement(&mut self, task: &Task, statement: &StatementSite) -> SqlResult<()>;

    /// Runs the triggers of what a data statement of a native module has changed.
    fn fire_triggers(&mut self, task: &Task, call: TriggerCall<'_>) -> SqlResult<()>;

    /// Ends a data statement of a native module, which has succeeded with this outcome.
    fn end_statement(
        &mut self,
        task: &Task,
        statement: &StatementSite,
        outcome: &crate::interp::Outcome,
    ) -> SqlResult<()>;

    /// Begins a nested atomic block.
    fn begin_atomic(&mut self, task: &Task, depth: u16) -> SqlResult<()>;

    /// Ends a nested atomic block, which has succeeded.
    fn end_atomic(&mut self, task: &Task, depth: u16) -> SqlResult<()>;

    /// Handles the error of an instruction that a handler covers: undoes the statement and the
    /// atomic blocks deeper than `atomic_depth`, and makes the error what the `ERROR_` functions
    /// return. `Err` if the error cannot be handled here.
    fn catch(&mut self, task: &Task, error: SqlError, atomic_depth: u16) -> SqlResult<()>;

    /// Ends the handler.
    fn end_catch(&mut self);

    /// The error that is being handled, for `THROW` without arguments.
    fn caught(&self) -> SqlError;

    /// Calls a native module.
    fn call_module(&mut self, task: &Task, call: ModuleCall<'_>) -> SqlResult<()>;
}

/// A call of a native module by another one. Its status goes to the frame's variable, as
/// [`ModuleCallSite::status`] says.
pub struct ModuleCall<'c> {
    /// The module and its arguments.
    pub site: &'c ModuleCallSite,
    /// The values of [`ir::site::ModuleArg::Value`] arguments, by place among all arguments.
    pub values: &'c [ValueRef<'c>],
    /// The caller's variables.
    pub frame: &'c mut Frame,
    /// Where results go.
    pub writer: &'c mut dyn ResultWriter,
    /// Memory for running the callee.
    pub runtime: &'c mut Runtime,
}

/// A statement of a native module, whose changes fire triggers.
pub struct TriggerCall<'c> {
    /// The module.
    pub unit: &'c Unit,
    /// The statement.
    pub statement: &'c StatementSite,
    /// The rows, by place in [`Unit::transitions`].
    pub transitions: Vec<Transition>,
    /// Where results go.
    pub writer: &'c mut dyn ResultWriter,
    /// Memory for running the triggers.
    pub runtime: &'c mut Runtime,
}

/// Where results go.
pub trait ResultWriter {
    /// Starts a result set.
    fn start(&mut self, task: &Task, result: &ResultSite) -> SqlResult<()>;

    /// Writes a row of the result set. Waits while the client is slow.
    fn row(&mut self, task: &Task, row: &OutputRow<'_>) -> SqlResult<()>;

    /// Writes an informational message, or an error that does not end the statement.
    fn inform(&mut self, task: &Task, message: &SqlError) -> SqlResult<()>;
}

/// A row of results, still in registers.
pub struct OutputRow<'r> {
    pub(super) registers: Registers<'r>,
    pub(super) list: &'r [Reg],
    pub(super) columns: &'r [ResultColumn],
}

impl<'r> OutputRow<'r> {
    /// How many columns the row has.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the row has no columns.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The columns' names and types.
    pub fn columns(&self) -> &'r [ResultColumn] {
        self.columns
    }

    /// A column's value. A variant is [`ValueRef::Bytes`] in its encoded form.
    #[inline]
    pub fn value(&self, column: usize) -> ValueRef<'r> {
        self.registers.value(self.list[column], &self.columns[column].ty)
    }

    /// All values in order.
    pub fn values(&self) -> impl Iterator<Item = ValueRef<'r>> + '_ {
        (0..self.len()).map(|column| self.value(column))
    }
}
