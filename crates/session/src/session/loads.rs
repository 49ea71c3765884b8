//! What a bulk load loads where.

use std::sync::Arc;

use base::SqlType;
use base::ids::DbId;
use engine::catalog::def::TableDef;
use tsql::ast;

/// What is loaded where, and how.
#[derive(Clone, Debug)]
pub struct Load {
    /// The name of the table, as the statement has it.
    pub name: ast::ObjectName,
    /// Its database.
    pub database: DbId,
    /// The table.
    pub table: Arc<TableDef>,
    /// The columns that come, in order, by place in [`TableDef::columns`].
    pub columns: Vec<usize>,
    /// `CHECK_CONSTRAINTS`
    pub check_constraints: bool,
    /// `FIRE_TRIGGERS`
    pub fire_triggers: bool,
    /// `KEEP_NULLS`
    pub keep_nulls: bool,
    /// How many rows are committed at a time; `None` for all.
    pub batch_rows: Option<u64>,
}

impl Load {
    /// The types that rows have when they are handed over.
    pub fn types(&self) -> Vec<SqlType> {
        self.columns.iter().map(|&at| self.table.columns[at].ty).collect()
    }
}

/// What an `INSERT BULK` has announced.
#[derive(Clone, Debug)]
pub struct PendingBulk {
    pub(crate) load: Arc<Load>,
    /// The types that it gives the columns, where it does. Values may be as long as these say.
    pub(crate) announced: Vec<Option<SqlType>>,
}
