//! What names mean to definitions.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use compile::bind::context::FileRows;
use compile::bind::{CursorRow, Names, SystemObject, TriggerScope, Variable};
use engine::catalog::Schema;
use engine::catalog::def::{ColumnId, SchemaId, TableDef};
use tsql::ast;

use crate::session::SessionState;

/// Names as a definition in some database sees them. There are no variables but the parameters of
/// a module.
pub struct DefinitionNames<'s> {
    session: &'s SessionState,
    database: DbId,
    schema: Option<SchemaId>,
    parameters: Vec<(Arc<str>, Variable)>,
}

impl<'s> DefinitionNames<'s> {
    /// For definitions in a database.
    pub fn new(session: &'s SessionState, database: DbId) -> DefinitionNames<'s> {
        DefinitionNames { session, database, schema: None, parameters: Vec::new() }
    }

    /// As `new`, for the body of a module in this schema with these parameters.
    pub fn in_module(
        self,
        schema: SchemaId,
        parameters: Vec<(Arc<str>, Variable)>,
    ) -> DefinitionNames<'s> {
        DefinitionNames { schema: Some(schema), parameters, ..self }
    }
}

impl Names for DefinitionNames<'_> {
    fn functions(&self) -> &'static dyn ir::function::Functions {
        &crate::sysview::Library
    }

    fn database(&self) -> DbId {
        self.database
    }

    fn find_database(&self, name: &str) -> Option<DbId> {
        let found = self.session.instance.find_database(name)?;
        self.session.access(found.id).ok()?;
        self.session.user(found.id).ok()?;
        Some(found.id)
    }

    fn database_name(&self, database: DbId) -> Arc<str> {
        self.session.instance.database_name(database)
    }

    fn schema(&self, database: DbId) -> Option<Arc<Schema>> {
        self.session.schema(database).ok()
    }

    fn default_schema(&self, database: DbId) -> SchemaId {
        match self.schema {
            Some(schema) if database == self.database => schema,
            _ => self.session.user(database).map_or(SchemaId::DBO, |user| user.default_schema),
        }
    }

    fn temporary_table(&self, name: &str) -> Option<Arc<TableDef>> {
        let tempdb = self.session.schema(DbId::TEMPDB).ok()?;
        tempdb.table(self.session.find_temporary(&tempdb, name)?).cloned()
    }

    fn system_object(&self, schema: Option<&str>, name: &str) -> Option<SystemObject> {
        crate::names::system::find(schema, name)
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        let same = |known: &str| known.to_lowercase() == name.to_lowercase();
        self.parameters.iter().find(|(known, _)| same(known)).map(|(_, variable)| variable.clone())
    }

    fn trigger(&self) -> Option<TriggerScope> {
        None
    }

    fn identity_insert(&self, database: DbId, table: ObjectId) -> bool {
        self.session.identity_insert == Some((database, table))
    }

    fn is_contained(&self, database: DbId) -> bool {
        self.session.is_contained(database)
    }

    fn is_chained(&self, _: (DbId, ObjectId), _: (DbId, ObjectId)) -> bool {
        true
    }

    /// A definition shows no values.
    fn may_unmask(&self, _: DbId, _: ObjectId, _: ColumnId) -> bool {
        true
    }

    fn file_rows(&self, file: &ast::TableFile, options: &[ast::BulkOption]) -> SqlResult<FileRows> {
        let collation = self.session.schema(self.database)?.collation();
        crate::rowfile::file_rows(self.session, &self.session.instance, file, options, collation)
    }

    fn cursor_rows(&self, cursor: &ast::CursorRef) -> SqlResult<Vec<CursorRow>> {
        let name = match cursor {
            ast::CursorRef::Name { name, .. } => &name.name,
            ast::CursorRef::Variable(variable) => &variable.name,
        };
        Err(SqlError::new(&message::CURSOR_DOES_NOT_EXIST, &[name]))
    }
}
