//! `sp_rename`.

use std::fmt::Display;

use base::ids::{DbId, ObjectId};
use base::{SqlError, SqlResult, message};
use engine::catalog::Schema;
use engine::catalog::def::{Permission, SchemaId, Securable, SecurableClass};
use tsql::ast;

use super::Arguments;
use crate::context::Context;
use crate::ddl::rename;
use crate::names::callee::parse_name;

/// `sp_rename`. Errors 15225, 15248, 15249, 15250 and those of the renaming.
pub fn rename(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let old = arguments.text("@objname").unwrap_or_default();
    let new = arguments.text("@newname").unwrap_or_default();
    let kind = arguments.text("@objtype").map(|kind| kind.to_ascii_uppercase());
    if new.is_empty() {
        return Err(SqlError::new(&message::SP_NAME_NULL, &[]));
    }
    let database = context.database();
    let missing = |context: &Context<'_>| {
        let name = context.session.instance.database_name(database);
        let kind = kind.as_deref().unwrap_or("(null)");
        let args: [&dyn Display; 3] = [&old, &name, &kind];
        SqlError::new(&message::SP_RENAME_NOT_FOUND, &args)
    };
    let name = parse_name(&old)?;
    let done = match kind.as_deref() {
        None | Some("OBJECT") => {
            let found = found_object(context, database, &name)?;
            rename_object(context, database, found.ok_or_else(|| missing(context))?, &new)
        }
        Some(part @ ("COLUMN" | "INDEX")) => {
            let (table, name) =
                parent(context, database, &name)?.ok_or_else(|| missing(context))?;
            check_permission(context, database, table)?;
            let schema = context.schema(database)?;
            let table = schema.table(table).ok_or_else(|| wrong_kind(part))?;
            let same = |other: &str| schema.same_name(other, &name);
            if part == "COLUMN" {
                let column = table.columns.iter().find(|c| same(&c.name)).map(|c| c.id);
                let column = column.ok_or_else(|| wrong_kind(part))?;
                rename::column(context, database, table.id(), column, &new)
            } else {
                let index = table.indexes.iter().find(|i| same(&i.name)).map(|i| i.id);
                let derived = table.derived_indexes.iter().find(|i| same(&i.name)).map(|i| i.id);
                let index = index.or(derived);
                let index = index.ok_or_else(|| wrong_kind(part))?;
                rename::index(context, database, table.id(), index, &new)
            }
        }
        Some("USERDATATYPE") => {
            let schema = context.schema(database)?;
            let found = match &name.schema {
                Some(place) => schema
                    .find_schema(&place.name)
                    .and_then(|place| schema.find_type(place.id, &name.name.name)),
                None => schema.resolve_type(SchemaId::DBO, &name.name.name),
            };
            let id = found.map(|found| found.id).ok_or_else(|| missing(context))?;
            rename::user_type(context, database, id, &new)
        }
        Some("DATABASE") => {
            let found = context.instance().find_database(&name.name.name);
            let id = found.map(|found| found.id).ok_or_else(|| missing(context))?;
            rename::database(context, id, &new)?;
            return Ok(0);
        }
        Some(other) => return Err(SqlError::new(&message::SP_RENAME_UNKNOWN_TYPE, &[&other])),
    };
    done?;
    context.inform(SqlError::new(&message::SP_RENAME_CAUTION, &[]))?;
    Ok(0)
}

/// Error 15248: the name is not one of this kind.
fn wrong_kind(kind: &str) -> SqlError {
    SqlError::new(&message::SP_RENAME_WRONG_TYPE, &[&kind])
}

/// An object of the current database. Error 15250 for another one's.
pub(super) fn found_object(
    context: &Context<'_>,
    database: DbId,
    name: &ast::ObjectName,
) -> SqlResult<Option<ObjectId>> {
    let schema = context.schema(database)?;
    check_database(context, database, name.database.as_ref())?;
    Ok(match &name.schema {
        Some(place) => in_schema(&schema, &place.name, &name.name.name),
        None => {
            let default = context.user(database)?.default_schema;
            schema.resolve_object(default, &name.name.name).map(|object| object.id())
        }
    })
}

fn in_schema(schema: &Schema, place: &str, name: &str) -> Option<ObjectId> {
    let place = schema.find_schema(place)?.id;
    schema.find_object(place, name).map(|object| object.id())
}

/// Checks that a name that names a database names the current one. Error 15250.
fn check_database(
    context: &Context<'_>,
    database: DbId,
    written: Option<&ast::Ident>,
) -> SqlResult<()> {
    let Some(written) = written else { return Ok(()) };
    let found = context.session.instance.find_database(&written.name);
    match found.is_some_and(|found| found.id == database) {
        true => Ok(()),
        false => Err(SqlError::new(&message::SP_NOT_IN_DATABASE, &[])),
    }
}

/// The table before the last dot, and what stands after it.
fn parent(
    context: &Context<'_>,
    database: DbId,
    name: &ast::ObjectName,
) -> SqlResult<Option<(ObjectId, std::sync::Arc<str>)>> {
    let Some(table) = &name.schema else { return Ok(None) };
    let of_table = ast::ObjectName {
        server: None,
        database: name.server.clone(),
        schema: name.database.clone(),
        name: table.clone(),
        span: name.span,
    };
    let found = found_object(context, database, &of_table)?;
    Ok(found.map(|id| (id, name.name.name.clone())))
}

fn rename_object(
    context: &mut Context<'_>,
    database: DbId,
    id: ObjectId,
    name: &str,
) -> SqlResult<()> {
    let schema = context.schema(database)?;
    let whole = schema.object(id).and_then(|object| object.parent()).unwrap_or(id);
    check_permission(context, database, whole)?;
    rename::object(context, database, id, name)
}

/// Error 15247 unless the session may alter an object.
fn check_permission(context: &Context<'_>, database: DbId, object: ObjectId) -> SqlResult<()> {
    let target = Securable { class: SecurableClass::Object, major: object.0, minor: 0 };
    match context.may(database, target, Permission::Alter) {
        true => Ok(()),
        false => Err(SqlError::new(&message::ONLY_SYSADMIN, &[])),
    }
}
