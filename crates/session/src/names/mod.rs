//! The names of the session's databases and objects, as the binder and functions look them up.
//!
//! * [`StatementNames`]: the session, and what runs in it, as the binder sees it.
//! * [`callee`]: what names of procedures mean.
//! * [`system`]: the views and procedures of the server. `facts`, `texts`: what functions ask.

pub(crate) mod callee;
mod facts;
pub mod system;
mod texts;

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use compile::bind::context::{CursorRow, FileRows, Names, SystemObject, TriggerScope, Variable};
use compile::plan::statistics::Statistics;
use engine::catalog::Schema;
use engine::catalog::def::{ColumnId, ModuleDef, SchemaId, TableDef};
use engine::cold::PAGE_BYTES;
use engine::wait::Task;
use ir::operator::TableVarId;
use tsql::ast;

use crate::program::variables::{self, VariableKind, Variables};
use crate::session::SessionState;
use crate::session::level::TriggerLevel;

/// What names mean to a statement.
pub struct StatementNames<'n> {
    /// The session.
    pub session: &'n SessionState,
    /// The variables of the module or batch.
    pub variables: &'n Variables,
    /// How many of them are declared before the statement.
    pub declared: u32,
    /// Tables that are there for this statement alone, as variables that no other statement can
    /// name.
    pub hidden: &'n [HiddenTable],
}

/// A table variable that only one statement can name.
#[derive(Clone, Debug)]
pub struct HiddenTable {
    /// Its name.
    pub name: Arc<str>,
    /// Its place in the frame.
    pub id: TableVarId,
    /// Its columns.
    pub table: Arc<TableDef>,
}

impl Names for StatementNames<'_> {
    fn functions(&self) -> &'static dyn ir::function::Functions {
        &crate::sysview::Library
    }

    fn database(&self) -> DbId {
        self.session.name_database()
    }

    fn find_database(&self, name: &str) -> Option<DbId> {
        let def = self.session.instance.find_database(name)?;
        self.session.user(def.id).ok().map(|_| def.id)
    }

    fn closed(&self, name: &str) -> Option<SqlError> {
        let instance = &self.session.instance;
        let database = instance.find_database(name)?.id;
        let Some(closed) = instance.catalog(database).err() else {
            return self.session.user(database).err();
        };
        let known = [
            &message::DATABASE_RESTORING,
            &message::DATABASE_OFFLINE,
            &message::DATABASE_SUSPECT,
            &message::DATABASE_FILES_INACCESSIBLE,
        ];
        known.iter().any(|own| own.number == closed.number()).then_some(closed)
    }

    fn database_name(&self, database: DbId) -> Arc<str> {
        match self.session.access(database) {
            Ok(access) => access.name(&self.session.instance),
            Err(_) => self.session.instance.database_name(database),
        }
    }

    fn schema(&self, database: DbId) -> Option<Arc<Schema>> {
        self.session.schema(database).ok()
    }

    fn schema_version(&self, database: DbId) -> Option<u64> {
        self.session.schema_version(database).ok()
    }

    fn default_schema(&self, database: DbId) -> SchemaId {
        if let Some(level) = self.session.levels.last()
            && level.database == database
            && let Some(schema) = level.schema
        {
            return schema;
        }
        self.session.user(database).map_or(SchemaId::DBO, |user| user.default_schema)
    }

    fn temporary_table(&self, name: &str) -> Option<Arc<TableDef>> {
        let tempdb = self.session.schema(DbId::TEMPDB).ok()?;
        let id = self.session.find_temporary_table(&tempdb, name)?;
        tempdb.table(id).cloned()
    }

    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject> {
        crate::names::system::find(schema, name)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        if let Some(hidden) = self.hidden.iter().find(|hidden| *hidden.name == *name) {
            let (id, table) = (hidden.id, hidden.table.clone());
            return Some(Variable::Table { id, table, read_only: false });
        }
        self.variables.find(name, self.declared).map(described)
    }

    fn returned(&self) -> Vec<Arc<str>> {
        self.hidden.iter().map(|hidden| hidden.name.clone()).collect()
    }

    fn trigger(&self) -> Option<TriggerScope> {
        match self.session.levels.last()?.trigger.as_ref()? {
            TriggerLevel::Rows { table, columns_updated } => {
                Some(TriggerScope { table: table.clone(), columns_updated: *columns_updated })
            }
            TriggerLevel::Event(_) => None,
        }
    }

    fn in_event_trigger(&self) -> bool {
        let trigger = self.session.levels.last().and_then(|level| level.trigger.as_ref());
        matches!(trigger, Some(TriggerLevel::Event(_)))
    }

    fn identity_insert(&self, database: DbId, table: ObjectId) -> bool {
        self.session.identity_insert == Some((database, table))
    }

    fn is_contained(&self, database: DbId) -> bool {
        self.session.is_contained(database)
    }

    fn is_chained(&self, from: (DbId, ObjectId), to: (DbId, ObjectId)) -> bool {
        self.session.is_chained(from, to)
    }

    fn may_unmask(&self, database: DbId, table: ObjectId, column: ColumnId) -> bool {
        self.session.may_unmask(database, table, column)
    }

    fn cursor_rows(&self, cursor: &ast::CursorRef) -> SqlResult<Vec<CursorRow>> {
        if self.session.standing_on.is_empty() {
            let name = match cursor {
                ast::CursorRef::Name { name, .. } => &name.name,
                ast::CursorRef::Variable(variable) => &variable.name,
            };
            return Err(SqlError::new(&message::CURSOR_DOES_NOT_EXIST, &[name]));
        }
        Ok(self.session.standing_on.clone())
    }

    fn file_rows(&self, file: &ast::TableFile, options: &[ast::BulkOption]) -> SqlResult<FileRows> {
        let collation = self.session.schema(self.database())?.collation();
        crate::rowfile::file_rows(self.session, &self.session.instance, file, options, collation)
    }

    fn module_tree(&self, database: DbId, module: &ModuleDef) -> SqlResult<Arc<ast::Batch>> {
        let _ = database;
        let options = tsql::ParseOptions { quoted_identifier: module.uses_quoted_identifier };
        tsql::parse_batch(&module.definition, options).map(Arc::new)
    }
}

fn described(variable: &variables::Variable) -> Variable {
    match &variable.kind {
        VariableKind::Scalar { id, ty, nullable } => {
            Variable::Scalar { id: *id, ty: *ty, nullable: *nullable }
        }
        VariableKind::Table { id, table, read_only, .. } => {
            Variable::Table { id: *id, table: table.clone(), read_only: *read_only }
        }
        VariableKind::Cursor(_) => Variable::Cursor,
    }
}

/// How many rows there are, as the planner asks.
pub struct EngineStatistics<'s> {
    session: &'s SessionState,
    /// What waits while other sessions have their turn; nothing where planning must not be
    /// interrupted.
    task: Option<&'s Task<'s>>,
}

impl<'s> EngineStatistics<'s> {
    /// For a plan that a statement of this task needs.
    pub fn new(session: &'s SessionState, task: &'s Task<'s>) -> EngineStatistics<'s> {
        EngineStatistics { session, task: Some(task) }
    }

    /// For a plan that is made in one go.
    pub fn at_once(session: &'s SessionState) -> EngineStatistics<'s> {
        EngineStatistics { session, task: None }
    }
}

/// What a descent through pages in memory costs, and reading a page from the data file, in rows of
/// a page that are passed by one after the other.
const LOOKUP_COST: f64 = 4.0;
const READ_COST: f64 = 100.0;

impl Statistics for EngineStatistics<'_> {
    fn rows(&self, database: DbId, table: &TableDef) -> Option<u64> {
        let stored = self.session.access(database).ok()?.catalog.table(table)?;
        // While rows are loaded, those that are not committed count.
        Some(stored.row_count().max(stored.index_at(0).len()))
    }

    fn distinct_keys(&self, database: DbId, table: &TableDef, index: usize) -> Option<u64> {
        let stored = self.session.access(database).ok()?.catalog.table(table)?;
        stored.distinct_keys(index)
    }

    fn lookup_cost(&self, database: DbId, table: &TableDef) -> f64 {
        let cost = || {
            let stored = self.session.access(database).ok()?.catalog.table(table)?;
            let cold = stored.cold()?;
            let sunk = cold.rows() as f64;
            let used = cold.store().space().used_pages * PAGE_BYTES as u64;
            let memory = self.session.instance.host().pages.limit_bytes();
            let in_memory = (memory as f64 / used.max(1) as f64).min(1.0);
            let cached = cold.row_cache_stats().map_or(0.0, |stats| stats.hit_share());
            let in_memory = cached + (1.0 - cached) * in_memory;
            let share = sunk / self.rows(database, table)?.max(1) as f64;
            Some(share.min(1.0) * (LOOKUP_COST + READ_COST * (1.0 - in_memory)))
        };
        cost().unwrap_or(0.0)
    }

    fn checkpoint(&self) -> SqlResult<()> {
        let Some(task) = self.task else { return Ok(()) };
        task.checkpoint().map_err(|_| SqlError::new(&message::COMMAND_CANCELLED, &[]))
    }
}
