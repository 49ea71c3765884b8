//! What runs: a batch, and the modules and texts that it calls, one within another.

use std::sync::Arc;

use base::SqlError;
use base::ids::DbId;
use engine::catalog::def::{ModuleDef, SchemaId, TableDef};
use ir::operator::VarId;

use crate::program::ProgramKind;

/// A batch, module or text that runs.
#[derive(Debug)]
pub struct Level {
    /// What it is.
    pub kind: ProgramKind,
    /// The module whose body it is.
    pub module: Option<Arc<ModuleDef>>,
    /// The database in which its names are resolved.
    pub database: DbId,
    /// The schema in which a module's unqualified names are looked up first.
    pub schema: Option<SchemaId>,
    /// `SCOPE_IDENTITY()`
    pub identity: Option<i128>,
    /// The errors of the `CATCH` blocks around what runs, the innermost last.
    pub caught: Vec<SqlError>,
    /// In a trigger, what it is about.
    pub trigger: Option<TriggerLevel>,
    /// `@@NESTLEVEL`
    pub nesting: i32,
    /// It is within `INSERT … EXEC`.
    pub insert_exec: bool,
    /// The cursors that it has names and variables for.
    pub cursors: crate::session::cursors::LocalCursors,
    /// The highest severity of the errors that were reported while it ran.
    pub severity: u8,
}

/// What a trigger that runs is about.
#[derive(Clone, Debug)]
pub enum TriggerLevel {
    /// Changes of rows.
    Rows {
        /// The table or view.
        table: Arc<TableDef>,
        /// The variable with what `COLUMNS_UPDATED()` returns.
        columns_updated: VarId,
    },
    /// A change of the catalog, or a login: what `EVENTDATA()` returns.
    Event(Arc<str>),
}

impl Level {
    /// Whether a user's function runs.
    pub fn is_function(&self) -> bool {
        self.kind.is_function()
    }
}
