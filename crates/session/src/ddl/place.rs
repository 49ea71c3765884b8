//! Where objects are: the database and schema that a new one goes to, and the ones that a name
//! means.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlError, message};
use engine::catalog::def::*;
use engine::catalog::{Object, Schema, temporary_name};
use tsql::ast::ObjectName;

use super::failure::DdlResult;
use crate::context::Context;
use crate::session::SessionState;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The longest name of a local temporary table.
const TEMPORARY_NAME_MAX: usize = 116;

/// Where a new object goes.
#[derive(Clone, Debug)]
pub struct Place {
    /// The database.
    pub database: DbId,
    /// The schema.
    pub schema: SchemaId,
    /// The name in the catalog.
    pub name: Name,
    /// The name as it was written.
    pub written: Name,
}

impl Place {
    /// Whether only this session can name it.
    pub fn is_private(&self) -> bool {
        is_private(&self.name)
    }
}

/// Whether a name is that of a local temporary object.
pub fn is_private(name: &str) -> bool {
    name.starts_with('#') && !name.starts_with("##")
}

/// The database that a name is in. Errors 117, 7202, 2702.
pub fn database_of(session: &SessionState, name: &ObjectName) -> DdlResult<DbId> {
    if let Some(server) = &name.server {
        return Err(SqlError::new(&message::LINKED_SERVER_NOT_FOUND, &[&server.name]).into());
    }
    if name.name.name.starts_with('#') {
        return Ok(DbId::TEMPDB);
    }
    let Some(database) = &name.database else { return Ok(session.name_database()) };
    match session.instance.find_database(&database.name) {
        Some(def) => Ok(def.id),
        None => {
            let text = format!("Database '{}' does not exist.", database.name);
            Err(SqlError::custom(2702, 16, 2, text).into())
        }
    }
}

/// Error 166 if a name has a database part.
pub fn refuse_database(name: &ObjectName, statement: &str) -> DdlResult<()> {
    match name.database.is_some() || name.server.is_some() {
        true => {
            let error = SqlError::new(&message::DATABASE_PREFIX_NOT_ALLOWED, &[&statement]);
            Err(error.at_line(name.span.line).into())
        }
        false => Ok(()),
    }
}

/// Error 401 about objects other than tables that would be temporary.
pub fn refuse_temporary(name: &ObjectName, what: &str) -> DdlResult<()> {
    match name.name.name.starts_with('#') {
        true => Err(SqlError::new(&message::UNIMPLEMENTED, &[&what]).into()),
        false => Ok(()),
    }
}

/// Where a new object of this name goes. A definition statement begins there, unless the object is
/// a local temporary one. Errors 262, 2714, 2760, 193.
pub fn for_new(
    context: &mut Context<'_>,
    name: &ObjectName,
    permission: Permission,
) -> DdlResult<Place> {
    let database = database_of(context.session, name)?;
    let written = name.name.name.clone();
    if is_private(&written) {
        return temporary(context, written);
    }
    context.lock_edit(database)?;
    let schema = context.schema(database)?;
    let place = match &name.schema {
        _ if database == DbId::TEMPDB && written.starts_with("##") => SchemaId::DBO,
        Some(schema_name) => own_schema(&schema, &schema_name.name)?,
        None => context.user(database)?.default_schema,
    };
    if !written.starts_with('#') {
        context.demand_on_database(database, permission)?;
        let target = Securable { class: SecurableClass::Schema, major: place.0, minor: 0 };
        if !context.may(database, target, Permission::Alter) {
            let shown = schema.schemas().get(place).map_or("", |s| &s.name);
            return Err(SqlError::new(&message::SCHEMA_NOT_FOUND, &[&shown]).into());
        }
    }
    if schema.find_object(place, &written).is_some() {
        // Another transaction may be about to drop it.
        context
            .change(database, |task, txn, edit| edit.wait_for_name(task, txn, place, &written))?;
        return Err(SqlError::new(&message::OBJECT_EXISTS, &[&written]).into());
    }
    Ok(Place { database, schema: place, name: written.clone(), written })
}

/// A schema in which users can make objects. Error 2760.
pub fn own_schema(schema: &Schema, name: &str) -> DdlResult<SchemaId> {
    let found = schema.find_schema(name).map(|s| s.id);
    match found {
        Some(id) if id != SchemaId::SYS && id != SchemaId::INFORMATION_SCHEMA => Ok(id),
        _ => Err(SqlError::new(&message::SCHEMA_NOT_FOUND, &[&name]).into()),
    }
}

fn temporary(context: &mut Context<'_>, written: Name) -> DdlResult<Place> {
    if written.chars().count() > TEMPORARY_NAME_MAX {
        let args: [Shown; 2] = [&written, &TEMPORARY_NAME_MAX];
        return Err(SqlError::new(&message::NAME_TOO_LONG, &args).into());
    }
    let tempdb = context.schema(DbId::TEMPDB)?;
    let level = context.session.levels.len();
    let made_here = context.session.temporary.made_at(&written, level);
    if made_here.into_iter().any(|id| tempdb.object(id).is_some()) {
        return Err(SqlError::new(&message::OBJECT_EXISTS, &[&written]).into());
    }
    let session = context.session.id().0 as u32;
    let name = loop {
        let number = context.session.temporary.next_number() & 0xFFFF;
        let name: Name = temporary_name(&written, session << 16 | number).into();
        if tempdb.find_object(SchemaId::DBO, &name).is_none() {
            break name;
        }
    };
    Ok(Place { database: DbId::TEMPDB, schema: SchemaId::DBO, name, written })
}

/// An object that a name means.
#[derive(Clone, Debug)]
pub struct Found {
    /// The database.
    pub database: DbId,
    /// Its schema.
    pub schema: Arc<Schema>,
    /// The object.
    pub id: ObjectId,
}

impl Found {
    /// The object itself.
    pub fn object(&self) -> Object<'_> {
        self.schema.object(self.id).expect("it was found in this schema")
    }

    /// The table, if it is one.
    pub fn table(&self) -> Option<Arc<TableDef>> {
        self.schema.table(self.id).filter(|t| t.role == TableRole::Table).cloned()
    }

    /// The table that has the object's indexes: a table itself, or the one with the rows of an
    /// indexed view.
    pub fn indexed(&self) -> Option<Arc<TableDef>> {
        match self.object() {
            Object::Module(module) => self.schema.table(module.rows?).cloned(),
            _ => self.table(),
        }
    }
}

/// The object that a name means, among those that can be changed: a definition statement begins,
/// unless it is a local temporary one. Where a transaction in progress is about to make or has
/// dropped something of that name, its end is waited for.
pub fn find_to_change(context: &mut Context<'_>, name: &ObjectName) -> DdlResult<Option<Found>> {
    let database = database_of(context.session, name)?;
    if !is_private(&name.name.name) {
        context.lock_edit(database)?;
    }
    let found = find_in(context, database, name)?;
    if found.is_none() && !is_private(&name.name.name) {
        wait_for_name(context, database, name)?;
    }
    Ok(found)
}

/// Waits for a transaction that takes or frees a name.
fn wait_for_name(context: &mut Context<'_>, database: DbId, name: &ObjectName) -> DdlResult<()> {
    let schema = context.schema(database)?;
    let place = match &name.schema {
        Some(written) => schema.find_schema(&written.name).map(|schema| schema.id),
        None => Some(context.user(database)?.default_schema),
    };
    let Some(place) = place else { return Ok(()) };
    let name = &name.name.name;
    context.change(database, |task, txn, edit| edit.wait_for_name(task, txn, place, name))?;
    Ok(())
}

/// The object that a name means in a database.
pub fn find_in(
    context: &Context<'_>,
    database: DbId,
    name: &ObjectName,
) -> DdlResult<Option<Found>> {
    let schema = context.schema(database)?;
    let written = &name.name.name;
    let id = if written.starts_with('#') && database == DbId::TEMPDB {
        context.session.find_temporary(&schema, written)
    } else {
        let found = match &name.schema {
            Some(place) => {
                let place = schema.find_schema(&place.name);
                place.and_then(|place| schema.find_object(place.id, written))
            }
            None => schema.resolve_object(context.user(database)?.default_schema, written),
        };
        let found = found.filter(|o| o.kind() != ObjectKind::InternalTable);
        found.map(|o| o.id())
    };
    Ok(id.map(|id| Found { database, schema, id }))
}

/// The table that a statement alters. Errors 4902, 4909 and 3701-like denials are told apart by
/// `missing`.
pub fn table_to_change(
    context: &mut Context<'_>,
    name: &ObjectName,
    missing: &message::Message,
) -> DdlResult<(DbId, Arc<Schema>, Arc<TableDef>)> {
    let not_there = || SqlError::new(missing, &[name]);
    let found = find_to_change(context, name)?.ok_or_else(not_there)?;
    let Some(table) = found.table() else {
        return Err(SqlError::new(&message::ALTER_NOT_A_TABLE, &[&name.name.name]).into());
    };
    if !may_alter(context, &found) {
        return Err(not_there().into());
    }
    Ok((found.database, found.schema, table))
}

/// Whether the session may alter or drop an object. It may with every temporary one that it sees.
pub fn may_alter(context: &Context<'_>, found: &Found) -> bool {
    if found.database == DbId::TEMPDB {
        return true;
    }
    let object = found.object();
    let own = object.parent().unwrap_or(found.id);
    let target = Securable { class: SecurableClass::Object, major: own.0, minor: 0 };
    context.may(found.database, target, Permission::Alter)
}

/// `schema.name` of an object.
pub fn qualified(schema: &Schema, place: SchemaId, name: &str) -> String {
    let place = schema.schemas().get(place);
    format!("{}.{name}", place.map_or("dbo", |s| &s.name))
}

/// An object as messages about dropping show it: temporary ones by the name that was written.
pub fn qualified_or_bare(found: &Found) -> String {
    let object = found.object();
    let name = super::table::shown_name(object.name());
    match name.starts_with('#') {
        true => name.to_string(),
        false => qualified(&found.schema, object.schema(), &name),
    }
}
