//! Tables from their definitions: permanent and temporary ones, table types, table variables and
//! what functions return.
//!
//! # Life of a definition
//!
//! A [`Builder`] reads the elements of a definition in the order in which they depend on each
//! other: stored columns, computed ones, the period, keys, indexes, defaults, checks, foreign keys.
//! What it makes is a [`TableDef`]; `ALTER TABLE` gives it one to begin with. Ids are handed to it
//! beforehand, since generated names contain them.

mod columns;
mod constraints;
mod create;
mod foreign_keys;
mod indexes;
mod mask;
mod memory;
mod period;
mod row_caching;

use std::sync::Arc;

use base::Collation;
use base::ids::{DbId, ObjectId};
use compile::bind::{BindContext, BindOptions, Names};
use compile::plan::statistics::NoStatistics;
use engine::catalog::def::*;
use engine::catalog::{Schema, without_number};
use tsql::ast;

use super::failure::DdlResult;
use crate::security::DatabaseUser;
use crate::session::SessionState;

pub(super) use self::mask::read as read_mask;
pub(super) use columns::{identity_type, system_type};
pub(super) use create::{
    check_database, constraints, inline_index, primary_key_columns, refuse_transaction,
};
pub use create::{
    create_table, fill_new_table, function_result, no_filestream, table_type, table_variable,
};
pub(super) use indexes::{IndexRequest, find_index, statistics_type_error};
pub(super) use row_caching::may_cache_rows;

/// What a definition of a table depends on besides its text.
pub(super) struct Setting<'c> {
    /// What names mean.
    pub names: &'c dyn Names,
    /// The database.
    pub database: DbId,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// The collation that `DATABASE_DEFAULT` means: that of the database in which the statement's
    /// own names are resolved, also where the table goes to tempdb.
    pub default_collation: Collation,
    /// Whether that database is contained: temporary tables have its collation, too.
    pub contained: bool,
    /// The user for which the definition is made.
    pub user: Arc<DatabaseUser>,
    /// Dates of creation.
    pub now: DateTime,
    /// Whether columns that do not say it may be NULL.
    pub nulls: bool,
    /// `SET ANSI_PADDING`
    pub ansi_padding: bool,
    /// `SET ANSI_NULLS`
    pub ansi_nulls: bool,
    /// `SET QUOTED_IDENTIFIER`
    pub quoted_identifier: bool,
    /// Whether new disk tables have row caching on.
    pub row_caching: bool,
    /// `ALLOW_SNAPSHOT_ISOLATION`
    pub snapshot_isolation: bool,
}

impl<'c> Setting<'c> {
    /// The setting of a session that defines something in a database.
    pub fn new(
        session: &SessionState,
        names: &'c dyn Names,
        database: DbId,
    ) -> DdlResult<Setting<'c>> {
        let settings = &session.options.settings;
        let option = |look: fn(&DatabaseOptions) -> bool| {
            session.instance.database_def(database).is_some_and(|d| look(&d.options))
        };
        let nulls = match (settings.ansi_null_default_on, settings.ansi_null_default_off) {
            (true, _) => true,
            (false, true) => false,
            (false, false) => option(|o| o.ansi_null_default),
        };
        Ok(Setting {
            names,
            database,
            schema: session.schema(database)?,
            default_collation: session.schema(session.name_database())?.collation(),
            contained: session.is_contained(session.name_database()),
            user: session.user(database)?,
            now: engine::instance::now(session.instance.env()),
            nulls,
            ansi_padding: settings.ansi_padding,
            ansi_nulls: settings.ansi_nulls,
            quoted_identifier: settings.quoted_identifier,
            row_caching: option(|o| o.row_caching),
            snapshot_isolation: option(|o| o.snapshot_isolation),
        })
    }

    /// What binding the expressions of the definition depends on.
    pub fn bind(&self) -> BindContext<'_> {
        let options = BindOptions {
            ansi_nulls: self.ansi_nulls,
            quoted_identifier: self.quoted_identifier,
            ..BindOptions::default()
        };
        BindContext { names: self.names, options, statistics: &NoStatistics }
    }

    /// Whether two names are the same.
    pub fn same(&self, a: &str, b: &str) -> bool {
        self.schema.same_name(a, b)
    }
}

/// What kind of table is defined; rules differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// A table, temporary ones included.
    Table,
    /// `CREATE TYPE … AS TABLE`.
    Type,
    /// A table variable, or what a function returns.
    Variable,
}

/// A table in the making.
pub(super) struct Builder<'c> {
    pub setting: &'c Setting<'c>,
    pub table: TableDef,
    pub purpose: Purpose,
    /// What makes it, as messages call it.
    pub statement: &'static str,
    /// The columns `GENERATED ALWAYS` that it has made, each with whether it starts the period.
    generated: Vec<(ColumnId, bool)>,
    /// Ids for constraints.
    ids: std::vec::IntoIter<ObjectId>,
    /// The messages to send when the table has been made.
    pub warnings: Vec<base::SqlError>,
}

impl<'c> Builder<'c> {
    /// A builder that goes on with a definition.
    pub fn new(
        setting: &'c Setting<'c>,
        table: TableDef,
        purpose: Purpose,
        ids: Vec<ObjectId>,
    ) -> Builder<'c> {
        let statement = if table.columns.is_empty() { "CREATE TABLE" } else { "ALTER TABLE" };
        let (ids, warnings) = (ids.into_iter(), Vec::new());
        Builder { setting, table, purpose, statement, generated: Vec::new(), ids, warnings }
    }

    /// The table's name, as messages show it.
    pub fn name(&self) -> Name {
        shown_name(&self.table.header.name)
    }

    /// Whether the table is memory-optimized.
    pub fn in_memory(&self) -> bool {
        self.table.kind.is_memory_optimized()
    }

    /// A column by name.
    pub fn find_column(&self, name: &str) -> Option<usize> {
        self.table.columns.iter().position(|c| self.setting.same(&c.name, name))
    }

    /// The header of a constraint: with the name that was written, or one made of these parts.
    fn header(&mut self, written: Option<&ast::Ident>, parts: NameParts<'_>) -> ConstraintHeader {
        // Table variables have no ids.
        let id = self.ids.next().unwrap_or(ObjectId(0));
        let (name, system_named) = match written {
            Some(ident) => (ident.name.clone(), false),
            None => (parts.name(&self.table.header.name, id), true),
        };
        let now = self.setting.now;
        ConstraintHeader { id, name, system_named, created: now, modified: now }
    }
}

/// How many ids a definition needs for its constraints.
pub(super) fn count_constraints(elements: &[ast::TableElement]) -> usize {
    let count = |element: &ast::TableElement| match element {
        ast::TableElement::Column(column) => column.constraints.len(),
        ast::TableElement::Constraint(_) => 1,
        _ => 0,
    };
    elements.iter().map(count).sum()
}

/// An object's name without what makes the names of temporary ones unique.
pub fn shown_name(name: &Name) -> Name {
    let shown = without_number(name);
    if shown.len() == name.len() { name.clone() } else { shown.into() }
}

/// What the generated name of a constraint is made of.
struct NameParts<'n> {
    /// `PK`, `UQ`, `DF`, `CK` or `FK`.
    prefix: &'n str,
    /// The column that it is declared on.
    column: Option<&'n str>,
    /// For keys, the columns.
    key: Option<&'n [&'n str]>,
}

impl NameParts<'_> {
    /// `DF__table__colum__1234ABCD`, `PK__table__0123456789ABCDEF`.
    fn name(&self, table: &str, id: ObjectId) -> Name {
        let first = |text: &str, n: usize| text.chars().take(n).collect::<String>();
        let (table, id) = match table.starts_with('@') {
            // Variables have no ids; their tables look like those that SQL Server makes for them.
            true => {
                let hash = name_hash(&[table]);
                (format!("#{:07X}", hash & 0xFFF_FFFF), hash.rotate_left(16))
            }
            false => (first(table, 9), id.0 as u32),
        };
        match (self.key, self.column) {
            (Some(columns), _) => {
                let hash = name_hash(columns);
                format!("{}__{table}__{hash:08X}{id:08X}", self.prefix).into()
            }
            (None, Some(column)) => {
                format!("{}__{table}__{}__{id:08X}", self.prefix, first(column, 5)).into()
            }
            (None, None) => format!("{}__{table}__{id:08X}", self.prefix).into(),
        }
    }
}

/// FNV-1a over the names of a key's columns: it makes names of keys look like SQL Server's.
fn name_hash(columns: &[&str]) -> u32 {
    let bytes = columns.iter().flat_map(|c| c.bytes().chain([0]));
    bytes.fold(0x811C_9DC5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests;
