//! The interpreter of units, and the objects that any back end needs to run them.
//!
//! # The life of a run
//!
//! The caller (`session::exec`) opens statements in the transactions that the unit touches, and
//! calls [`run`] with an [`Execution`]: the task, the session as a [`Host`], its [`Runtime`], the
//! variables' [`Frame`], a [`ResultWriter`]. A run takes an activation from the runtime (registers,
//! an arena, room for objects; no memory is taken from the heap once the session is warm), executes
//! instructions until the unit ends, and gives it back. Units that call functions or modules run
//! others inside, each with an activation of its own.
//!
//! # Invariants
//!
//! * I1: registers are read as their unit says; see `ir`, U1 to U4. On these rests every
//!   unsafe block of this folder: a register of bytes or a row is an address, and is followed.
//! * I2: nothing of a worker is held while an instruction waits (A5): engine cursors and writes see
//!   to that; loops let other sessions run at [`engine::wait::Task::checkpoint`].
//! * I3: local tables that a unit changes have an open statement while it runs; it ends with
//!   the run.
//! * I4: what an activation's objects hold is charged to the runtime's [`memory::Grant`] and given
//!   back with it.
//!
//! # Failure
//!
//! An error ends the run, unless a handler of the unit reaches it. Local tables are rolled back by
//! the run; transactions by the caller.

mod changes;
mod dispatch;
pub mod errors;
pub mod frame;
pub mod grants;
pub mod host;
pub mod key;
pub mod lent;
pub mod local;
mod machine;
pub mod machine_code;
pub mod memory;
pub mod objects;
mod ops;
mod reads;
mod registers;
mod row;
mod scalars;
mod slot;
pub mod spill;
mod steps;
#[cfg(any(test, feature = "testing"))]
#[allow(missing_docs, clippy::unwrap_used, clippy::new_without_default)]
pub mod testing;
#[cfg(test)]
mod tests;
mod value_row;

use std::sync::Arc;

use base::on_purpose::{Place, reached};
use base::{SqlResult, Value};
use engine::catalog::def::TableDef;
use engine::wait::Task;

pub use frame::{Frame, TableSlot};
pub use host::{Host, ModuleCall, OutputRow, Reader, ResultWriter, TableName, TriggerCall};
pub use machine::Runtime;
pub use reads::Reads;
pub use value_row::ValueRow;

use crate::interp::local::LocalTable;
use ir::Unit;
use ir::site::StatementKind;

/// So many turns of loops make a unit as hot as one run more.
pub const TURNS_PER_HEAT: u32 = 16;

/// Everything that a unit needs to run.
pub struct Execution<'e> {
    /// The coroutine or thread that it runs on.
    pub task: &'e Task<'e>,
    /// The session.
    pub host: &'e mut dyn Host,
    /// The session's memory for running units.
    pub runtime: &'e mut Runtime,
    /// The variables of the module.
    pub frame: &'e mut Frame,
    /// Where results go.
    pub writer: &'e mut dyn ResultWriter,
    /// `SET ROWCOUNT`: after this many rows a statement is done.
    pub row_limit: Option<u64>,
}

/// What a run did.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Rows returned, assigned or changed.
    pub rows: u64,
    /// The last identity value that was inserted, generated or explicit.
    pub identity: Option<i128>,
    /// Rows that triggers want, one entry per changed table that has some.
    pub transitions: Vec<Transition>,
    /// Whether an aggregate has left out a NULL: warning 8153.
    pub null_eliminated: bool,
    /// What a native module returned.
    pub returned: Option<Value>,
    /// What the unit's counters have come to, in their order: executions and rows.
    pub counted: Vec<(u64, u64)>,
}

impl Outcome {
    /// Forgets what the statement before has counted and kept.
    fn begin_statement(&mut self) {
        self.rows = 0;
        self.identity = None;
        self.null_eliminated = false;
        self.transitions.clear();
    }
}

/// The old and new rows of a table that a statement changed.
#[derive(Debug)]
pub struct Transition {
    /// The table.
    pub table: Arc<TableDef>,
    /// What was done to it.
    pub kind: StatementKind,
    /// The new rows.
    pub inserted: LocalTable,
    /// The old rows.
    pub deleted: LocalTable,
}

/// Runs a unit.
pub fn run(unit: &Unit, execution: &mut Execution<'_>) -> SqlResult<Outcome> {
    machine::with(unit, execution, |machine| {
        reached(Place::Interpreter);
        machine.run_unit()
    })
}

/// Runs a unit made by `compile::lower::scalar`: its value. A variant is in its encoded form.
pub fn evaluate(unit: &Unit, execution: &mut Execution<'_>) -> SqlResult<Value> {
    machine::with(unit, execution, |machine| {
        machine.run_unit()?;
        machine.result()
    })
}

/// Runs a unit made by `compile::lower::condition`: whether it is true.
pub fn test(unit: &Unit, execution: &mut Execution<'_>) -> SqlResult<bool> {
    machine::with(unit, execution, |machine| {
        machine.run_unit()?;
        Ok(machine.truth())
    })
}
