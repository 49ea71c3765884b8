//! Objects by name: in which database and schema they are looked for, and what synonyms mean.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, message};
use engine::catalog::def::{ObjectKind, SchemaId, SequenceDef, SynonymDef};
use engine::catalog::{Object, Schema};
use tsql::ast::{self, ObjectName};

use super::binder::Binder;
use super::context::{AtLine, BindError, BindResult, NameDependency};

/// An object of a user's that a name means: its database with the schema of that, and its id.
pub(super) type Found = (DbId, Arc<Schema>, ObjectId);

impl Binder<'_> {
    /// What a name means, synonyms followed. Errors: 470 for a synonym of a synonym, 7202 for
    /// another server.
    pub fn find_object(&mut self, name: &ObjectName) -> BindResult<Option<Found>> {
        let Some(found) = self.find_directly(name)? else { return Ok(None) };
        let (_, schema, id) = &found;
        let Some(synonym) = schema.synonym(*id).cloned() else { return Ok(Some(found)) };
        let Some(base) = base_of_synonym(&synonym) else { return Ok(None) };
        match self.find_directly(&base)? {
            Some((_, schema, id)) if schema.synonym(id).is_some() => {
                let (from, to) = (name.to_string(), base.to_string());
                let error = SqlError::new(&message::SYNONYM_CHAIN, &[&from, &to]);
                Err(error.at_line(name.span.line).into())
            }
            found => Ok(found),
        }
    }

    /// As `find_object`, without following synonyms.
    fn find_directly(&mut self, name: &ObjectName) -> BindResult<Option<Found>> {
        if let Some(server) = &name.server {
            let error = SqlError::new(&message::LINKED_SERVER_NOT_FOUND, &[&server.name]);
            return Err(error.at_line(name.span.line).into());
        }
        let Some(database) = self.database_of(name) else {
            let closed = name.database.as_ref().and_then(|d| self.names.closed(&d.name));
            return match closed {
                // It may be open when the statement's turn comes.
                Some(error) => Err(BindError::missing(error.at_line(name.span.line))),
                None => Ok(None),
            };
        };
        let schema = self.schema_of(database).at(name.span.line)?;
        let place = match &name.schema {
            None => None,
            Some(written) => match schema.find_schema(&written.name) {
                Some(found) => Some(found.id),
                None => return Ok(None),
            },
        };
        let object = match place {
            Some(place) => schema.find_object(place, &name.name.name),
            None => schema.resolve_object(self.default_schema_in(database), &name.name.name),
        };
        let is_hidden = |o: &Object<'_>| o.kind() == ObjectKind::InternalTable;
        let object = object.filter(|o| self.env.internal || !is_hidden(o)).map(|o| o.id());
        self.dependencies.names.push(NameDependency {
            database,
            schema: place,
            name: name.name.name.clone(),
            object,
        });
        Ok(object.map(|id| {
            self.note_object(database, &schema, id);
            (database, schema, id)
        }))
    }

    /// The database that a name is in. `None` if there is none of that name.
    pub fn database_of(&self, name: &ObjectName) -> Option<DbId> {
        match &name.database {
            None => Some(self.env.database),
            Some(database) => self.names.find_database(&database.name),
        }
    }

    /// Where names without a schema are looked for first.
    fn default_schema_in(&self, database: DbId) -> SchemaId {
        match database == self.env.database {
            true => self.env.default_schema,
            false => self.names.default_schema(database),
        }
    }

    /// A sequence of the current database. Errors 208, 11726.
    pub fn sequence(&mut self, name: &ObjectName) -> BindResult<Arc<SequenceDef>> {
        let line = name.span.line;
        let Some((database, schema, id)) = self.find_object(name)? else {
            return Err(invalid_object(name));
        };
        match schema.sequence(id) {
            Some(sequence) if database == self.env.database => Ok(sequence.clone()),
            Some(_) => Err(super::query::unimplemented("NEXT VALUE FOR in another database", line)),
            None => {
                let shown = name.to_string();
                let error = SqlError::new(&message::NOT_A_SEQUENCE, &[&shown]);
                Err(error.at_line(line).into())
            }
        }
    }
}

/// Error 208: it does not exist yet.
pub(super) fn invalid_object(name: &ObjectName) -> BindError {
    let error = SqlError::new(&message::INVALID_OBJECT, &[&name.to_string()]);
    BindError::missing(error.at_line(name.span.line))
}

/// The name that a synonym stands for.
fn base_of_synonym(synonym: &SynonymDef) -> Option<ObjectName> {
    let options = tsql::ParseOptions { quoted_identifier: true };
    // A name of up to four parts reads like a column of a table.
    let expr = tsql::parse_expression(&synonym.base, options).ok()?;
    let ast::ExprKind::Column(ast::ColumnRef { qualifier, column }) = expr.kind else {
        return None;
    };
    let span = expr.span;
    Some(match qualifier {
        None => ObjectName::bare(column),
        Some(q) => ObjectName {
            server: q.database,
            database: q.schema,
            schema: Some(q.name).filter(|s| !s.name.is_empty()),
            name: column,
            span,
        },
    })
}

/// Whether an object can stand in a `FROM` without parentheses.
pub(super) fn is_function(object: Object<'_>) -> bool {
    use engine::catalog::def::ObjectKind::{InlineFunction, TableFunction};
    matches!(object.kind(), InlineFunction | TableFunction)
}
