//! Statements that change rows: what they change, which rows, to what, and what follows.
//!
//! A statement is bound as a query block whose sources are its target and its `FROM`. The target's
//! columns all get names at once ([`Changing::old`]): the plan reads them from the row itself, so
//! names that are not used cost nothing. A new row's columns have names of their own
//! ([`Changing::new`]), over which constraints, computed columns and `OUTPUT` are bound.

mod changes;
mod delete;
mod derived_index;
mod effects;
mod generated;
mod insert;
mod instead;
mod look_up;
mod merge;
mod once;
mod output;
mod returned;
mod target;
#[cfg(test)]
mod tests;
mod tracking;
mod update;
mod values;
mod views;
mod wide_keys;

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlType, Value};
use engine::catalog::def::TableDef;

pub(super) use self::derived_index::{entry_columns, grid, key_columns, pattern_of};
pub(super) use self::effects::qualified;
pub(super) use self::target::shown_conditions;
pub use self::tracking::{COMMIT_TABLE, commit_table};
pub use self::views::view_rows;
pub(super) use self::views::{Role, grouping, kept_index, roles_of};
use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult};
use crate::plan::expr::{ColId, Expr, ExprKind};
use crate::plan::tree::Target;

/// A table whose rows a statement changes, with names for the columns of its rows.
#[derive(Clone, Debug)]
pub(super) struct Changing {
    /// The database that its definitions are of: for a table variable the session's.
    pub database: DbId,
    /// Its definition.
    pub table: Arc<TableDef>,
    /// The table as plans refer to it.
    pub target: Target,
    /// The columns of new rows, by layout position.
    pub new: Vec<ColId>,
    /// The columns of old rows, by layout position.
    pub old: Vec<ColId>,
}

impl Binder<'_> {
    /// A table with new names for its columns.
    fn changing_table(&mut self, database: DbId, table: &Arc<TableDef>) -> Changing {
        self.changing(database, table, Target::Table { database, table: table.clone() })
    }

    fn changing(&mut self, database: DbId, table: &Arc<TableDef>, target: Target) -> Changing {
        let stored = table.stored_columns().count();
        let new = (0..stored).map(|_| self.free_column()).collect();
        let old = (0..stored).map(|_| self.free_column()).collect();
        Changing { database, table: table.clone(), target, new, old }
    }

    /// Notes that a table is written. That alone asks for no isolation level.
    fn note_changed(&mut self, database: DbId, table: &TableDef) {
        let unhinted = self.facts.memory_optimized_unhinted;
        self.note_written(database, table);
        self.facts.memory_optimized_unhinted = unhinted;
    }
}

/// A column as an expression.
fn column(id: ColId, ty: SqlType, nullable: bool) -> Expr {
    Expr { kind: ExprKind::Column(id), ty, nullable }
}

/// NULL of a type.
fn null_of(ty: &SqlType) -> Expr {
    Expr { kind: ExprKind::Constant(Value::Null), ty: *ty, nullable: true }
}
