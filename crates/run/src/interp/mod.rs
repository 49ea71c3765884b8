//! The interpreter of units, and the objects that any back end needs to run them.
//!
//! # The life of a run
//!
//! The caller (`session::exec`) opens statements in the transactions that the unit touches, and
//! calls [`run`] with an [`Execution`]: the task, the session as a [`Host`], its [`Runtime`], the
//! variables' [`Frame`], a [`ResultWriter`]. A run takes an activation from the runtime (registers,
//! an arena, room for objects; no memory is taken from the heap once the session is warm), executes
//! instructions until the unit ends, and gives it back. A unit that calls a function or a module
//! runs the unit of that inside, with an activation of its own.
//!
//! # Invariants
//!
//! * I1: registers are read as their unit says; see `ir`, U1 to U4. Every unsafe block of this
//!   folder rests on that: a register of bytes or of a row holds an address, which the interpreter
//!   reads through.
//! * I2: an instruction that waits holds nothing of its worker (A5); engine cursors and writes
//!   ensure that. Loops let other sessions run at [`engine::wait::Task::checkpoint`].
//! * I3: while a unit runs, each local table that it changes has an open statement, which ends with
//!   the run.
//! * I4: the memory of an activation's objects is charged to the runtime's [`memory::Grant`], until
//!   the run ends and gives the activation back.
//!
//! # Failure
//!
//! An error ends the run, unless a handler of the unit covers the failed instruction. The run rolls
//! local tables back; the caller rolls transactions back.

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

/// Loop turns that make a unit as hot as one more run does.
pub const TURNS_PER_HEAT: u32 = 16;

/// Everything that a unit needs to run.
pub struct Execution<'e> {
    /// The coroutine or thread that the unit runs on.
    pub task: &'e Task<'e>,
    /// The session.
    pub host: &'e mut dyn Host,
    /// The session's memory for running units.
    pub runtime: &'e mut Runtime,
    /// The variables of the module.
    pub frame: &'e mut Frame,
    /// Where results go.
    pub writer: &'e mut dyn ResultWriter,
    /// `SET ROWCOUNT`: a statement ends after this many rows.
    pub row_limit: Option<u64>,
}

/// What a run did.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Rows returned, assigned or changed.
    pub rows: u64,
    /// The last identity value that was inserted, generated or explicit.
    pub identity: Option<i128>,
    /// Rows for triggers, one entry per changed table that has some.
    pub transitions: Vec<Transition>,
    /// Whether an aggregate has left out a NULL: warning 8153.
    pub null_eliminated: bool,
    /// What a native module returned.
    pub returned: Option<Value>,
    /// The final values of the unit's counters, in their order: executions and rows.
    pub counted: Vec<(u64, u64)>,
}

impl Outcome {
    /// Forgets what the previous statement has counted and kept.
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

/// Runs a unit made by `compile::lower::scalar` and returns its value. A variant is in its encoded
/// form.
pub fn evaluate(unit: &Unit, execution: &mut Execution<'_>) -> SqlResult<Value> {
    machine::with(unit, execution, |machine| {
        machine.run_unit()?;
        machine.result()
    })
}

/// Runs a unit made by `compile::lower::condition` and returns whether it is true.
pub fn test(unit: &Unit, execution: &mut Execution<'_>) -> SqlResult<bool> {
    machine::with(unit, execution, |machine| {
        machine.run_unit()?;
        Ok(machine.truth())
    })
}
