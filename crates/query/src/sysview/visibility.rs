//! Who sees what in catalog views.
//!
//! Owners of a database, and whoever may `VIEW DEFINITION` of it, see everything, and nothing is looked up for
//! them. Others see the objects that they own or have been permitted anything on, in person or through a role, on
//! the object, a column of it, its schema or the database; and what belongs to these: columns, indexes,
//! constraints, triggers. Texts are shown to those who may see the definition of the object. Schemas, types,
//! principals and whatever the server itself defines are shown to all.

use std::sync::Arc;

use base::ValueRef;
use base::ids::{DbId, ObjectId};
use engine::catalog::def::{Permission, Securable, SecurableClass, TableRole};
use engine::catalog::{Object, Schema};

use super::SystemRowset;
use crate::exec::security::{self, DatabaseUser};

/// The columns that say to which object a row belongs, the first that a view has.
const OBJECT_COLUMNS: [&str; 3] = ["object_id", "referencing_id", "parent_object_id"];

/// The views with texts of users.
const WITH_DEFINITIONS: [&str; 4] =
    ["check_constraints", "computed_columns", "default_constraints", "sql_modules"];

/// What the reader of a view is shown of it, if not everything.
pub struct Visibility {
    user: Arc<DatabaseUser>,
    schema: Arc<Schema>,
    /// The column that names the object.
    object: usize,
    /// The column with the object's text.
    definition: Option<usize>,
    /// The object that was looked at last: whether it is seen, and its definition.
    last: Option<(ObjectId, bool, bool)>,
}

impl Visibility {
    /// What a user sees of a view of a database's catalog; `None` for everything.
    pub fn of(
        view: &SystemRowset,
        (database, schema): (DbId, &Arc<Schema>),
        user: Arc<DatabaseUser>,
    ) -> Option<Visibility> {
        // Who can name a temporary table owns it.
        if view.schema != "sys" || view.name.starts_with("dm_") || database == DbId::TEMPDB {
            return None;
        }
        let place = |name: &str| view.columns.iter().position(|(column, ..)| *column == name);
        let object = OBJECT_COLUMNS.into_iter().find_map(place)?;
        if user.may(schema, security::WHOLE_DATABASE, Permission::ViewDefinition) {
            return None;
        }
        let has_texts = WITH_DEFINITIONS.contains(&view.name);
        let definition = if has_texts { place("definition") } else { None };
        Some(Visibility { user, schema: schema.clone(), object, definition, last: None })
    }

    /// Whether a row is shown; takes the text out if only that is hidden.
    pub fn admits(&mut self, row: &mut [ValueRef<'_>]) -> bool {
        let ValueRef::Int(id) = row[self.object] else { return true };
        let id = ObjectId(id as i32);
        let (seen, definition) = match self.last {
            Some((last, seen, definition)) if last == id => (seen, definition),
            _ => {
                let (seen, definition) = self.look(id);
                self.last = Some((id, seen, definition));
                (seen, definition)
            }
        };
        if let (Some(at), false) = (self.definition, definition) {
            row[at] = ValueRef::Null;
        }
        seen
    }

    /// Whether the user sees an object, and its definition.
    fn look(&self, id: ObjectId) -> (bool, bool) {
        let target = match self.schema.object(id) {
            Some(Object::Constraint { table, .. }) => table.id(),
            Some(Object::Table(table)) if table.role != TableRole::Table => return (true, true),
            Some(Object::Module(module)) => module.trigger().map_or(id, |trigger| trigger.parent),
            Some(_) => id,
            // The server's own.
            None => return (true, true),
        };
        let securable = Securable { class: SecurableClass::Object, major: target.0, minor: 0 };
        let definition = self.user.may(&self.schema, securable, Permission::ViewDefinition);
        (definition || self.user.sees(&self.schema, target), definition)
    }
}
