//! Functions of the catalog.
//!
//! * `object`: names and ids of objects, schemas, types, columns; identities.
//! * `property`: OBJECTPROPERTY and the like; `database`: databases, files, filegroups.
//! * `principal`: logins, users, roles, permissions.
//!
//! Functions return NULL for what does not exist or is not known.

mod collection;
mod database;
mod object;
mod principal;
mod property;

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::{SqlResult, SqlType};
use engine::catalog::def::{ColumnDef, DatabaseDef, SchemaId, TableDef};
use engine::catalog::{Object, Schema};

pub(super) use database::database_named;
pub(super) use principal::Entity;

use crate::func::string::split_name;
use ir::function::descriptor::{Inferred, ScalarFunction};
use ir::function::facts::Seen;
use ir::function::facts::{FnContext, SystemObject};
use ir::function::signature::Call;

/// Names and ids.
pub(super) static OBJECTS: &[ScalarFunction] = &[
    ScalarFunction::fact("OBJECT_ID", (1, 2), int_of_names, object::object_id),
    ScalarFunction::fact("OBJECT_NAME", (1, 2), name_of_ints, object::object_name),
    ScalarFunction::fact("OBJECT_SCHEMA_NAME", (1, 2), name_of_ints, object::object_schema_name),
    ScalarFunction::fact("OBJECT_DEFINITION", (1, 1), text_of_int, object::object_definition),
    ScalarFunction::fact("SCHEMA_ID", (0, 1), int_of_names, object::schema_id),
    ScalarFunction::fact("SCHEMA_NAME", (0, 1), name_of_ints, object::schema_name),
    ScalarFunction::fact(
        "XML_SCHEMA_NAMESPACE",
        (2, 3),
        collection::types,
        collection::schema_namespace,
    ),
    ScalarFunction::fact("TYPE_ID", (1, 1), int_of_names, object::type_id),
    ScalarFunction::fact("TYPE_NAME", (1, 1), name_of_ints, object::type_name),
    ScalarFunction::fact("COL_NAME", (2, 2), name_of_ints, object::column_name),
    ScalarFunction::fact("COL_LENGTH", (2, 2), smallint_of_names, object::column_length),
    ScalarFunction::fact("INDEX_COL", (3, 3), object::types_of_index_col, object::index_col),
    ScalarFunction::fact("IDENT_CURRENT", (1, 1), identity_of_name, object::ident_current),
    ScalarFunction::fact("IDENT_SEED", (1, 1), identity_of_name, object::ident_seed),
    ScalarFunction::fact("IDENT_INCR", (1, 1), identity_of_name, object::ident_incr),
    ScalarFunction::fact("STATS_DATE", (2, 2), object::types_of_stats_date, object::stats_date),
];

/// Properties of objects.
pub(super) static PROPERTIES: &[ScalarFunction] = &[
    ScalarFunction::fact(
        "OBJECTPROPERTY",
        (2, 2),
        property::types_of_objectproperty,
        property::objectproperty,
    ),
    ScalarFunction::fact(
        "OBJECTPROPERTYEX",
        (2, 2),
        property::types_of_objectpropertyex,
        property::objectpropertyex,
    ),
    ScalarFunction::fact(
        "COLUMNPROPERTY",
        (3, 3),
        property::types_of_columnproperty,
        property::columnproperty,
    ),
    ScalarFunction::fact(
        "INDEXPROPERTY",
        (3, 3),
        property::types_of_columnproperty,
        property::indexproperty,
    ),
    ScalarFunction::fact(
        "INDEXKEY_PROPERTY",
        (4, 4),
        property::types_of_indexkey_property,
        property::indexkey_property,
    ),
    ScalarFunction::fact("TYPEPROPERTY", (2, 2), int_of_names, property::typeproperty),
];

/// Databases and their files.
pub(super) static DATABASES: &[ScalarFunction] = &[
    ScalarFunction::fact("DB_ID", (0, 1), int_of_names, database::db_id),
    ScalarFunction::fact("DB_NAME", (0, 1), name_of_ints, database::db_name),
    ScalarFunction::fact("ORIGINAL_DB_NAME", (0, 0), name_of_ints, database::original_db_name),
    ScalarFunction::fact(
        "DATABASEPROPERTYEX",
        (2, 2),
        database::types_of_propertyex,
        database::propertyex,
    ),
    ScalarFunction::fact("DATABASEPROPERTY", (2, 2), int_of_names, database::property),
    ScalarFunction::fact("FILEGROUP_ID", (1, 1), int_of_names, database::filegroup_id),
    ScalarFunction::fact("FILEGROUP_NAME", (1, 1), name_of_ints, database::filegroup_name),
    ScalarFunction::fact("FILEGROUPPROPERTY", (2, 2), int_of_names, database::filegroupproperty),
    ScalarFunction::fact("FILE_ID", (1, 1), smallint_of_names, database::file_id),
    ScalarFunction::fact("FILE_IDEX", (1, 1), int_of_names, database::file_id),
    ScalarFunction::fact("FILE_NAME", (1, 1), name_of_ints, database::file_name),
    ScalarFunction::fact("FILEPROPERTY", (2, 2), int_of_names, database::fileproperty),
    ScalarFunction::fact("HAS_DBACCESS", (1, 1), int_of_names, database::has_dbaccess),
];

/// Logins, users, roles and permissions.
pub(super) static PRINCIPALS: &[ScalarFunction] = &[
    ScalarFunction::fact("SUSER_ID", (0, 1), int_of_names, principal::suser_id).native(),
    ScalarFunction::fact("SUSER_NAME", (0, 1), name_of_ints, principal::suser_name).native(),
    ScalarFunction::fact("SUSER_SNAME", (0, 1), principal::types_of_sname, principal::suser_sname)
        .native(),
    ScalarFunction::fact("SUSER_SID", (0, 2), principal::types_of_sid, principal::suser_sid)
        .native(),
    ScalarFunction::fact("SYSTEM_USER", (0, 0), name_of_ints, principal::suser_sname).native(),
    ScalarFunction::fact("ORIGINAL_LOGIN", (0, 0), name_of_ints, principal::original_login)
        .native(),
    ScalarFunction::fact("USER_ID", (0, 1), int_of_names, principal::user_id).native(),
    ScalarFunction::fact("DATABASE_PRINCIPAL_ID", (0, 1), int_of_names, principal::user_id),
    ScalarFunction::fact("USER_NAME", (0, 1), name_of_ints, principal::user_name).native(),
    ScalarFunction::fact("USER", (0, 0), name_of_ints, principal::user_name).native(),
    ScalarFunction::fact("CURRENT_USER", (0, 0), name_of_ints, principal::user_name).native(),
    ScalarFunction::fact("SESSION_USER", (0, 0), name_of_ints, principal::user_name).native(),
    ScalarFunction::fact("IS_MEMBER", (1, 1), int_of_names, principal::is_rolemember).native(),
    ScalarFunction::fact("IS_ROLEMEMBER", (1, 2), int_of_names, principal::is_rolemember).native(),
    ScalarFunction::fact("IS_SRVROLEMEMBER", (1, 2), int_of_names, principal::is_srvrolemember)
        .native(),
    ScalarFunction::fact("HAS_PERMS_BY_NAME", (3, 5), int_of_names, principal::has_perms_by_name),
    ScalarFunction::fact(
        "LOGINPROPERTY",
        (2, 2),
        database::types_of_propertyex,
        principal::loginproperty,
    ),
];

/// Longest text that may hold a name of several parts.
const LONG_NAME: u16 = 4000;

fn of_names(call: &Call<'_>, result: SqlType) -> SqlResult<Inferred> {
    let types: Vec<SqlType> =
        (0..call.args.len()).map(|at| call.unicode(at, LONG_NAME)).collect::<SqlResult<_>>()?;
    Ok(call.types(result, &types))
}

fn of_ints(call: &Call<'_>, result: SqlType) -> SqlResult<Inferred> {
    let types: Vec<SqlType> =
        (0..call.args.len()).map(|at| call.int(at)).collect::<SqlResult<_>>()?;
    Ok(call.types(result, &types))
}

fn int_of_names(call: &Call<'_>) -> SqlResult<Inferred> {
    of_names(call, SqlType::int())
}

fn smallint_of_names(call: &Call<'_>) -> SqlResult<Inferred> {
    of_names(call, SqlType::smallint())
}

fn identity_of_name(call: &Call<'_>) -> SqlResult<Inferred> {
    of_names(call, SqlType::numeric(38, 0))
}

fn name_of_ints(call: &Call<'_>) -> SqlResult<Inferred> {
    of_ints(call, SqlType::sysname(call.collation))
}

fn text_of_int(call: &Call<'_>) -> SqlResult<Inferred> {
    of_ints(call, SqlType::nvarchar_max(call.collation))
}

/// The schema of the session's database.
fn current_schema(ctx: &FnContext<'_>) -> Option<Arc<Schema>> {
    ctx.facts.schema(ctx.facts.current_database())
}

/// The schema in which the session's unqualified names are looked up first.
fn default_schema(ctx: &FnContext<'_>, schema: &Schema) -> SchemaId {
    let user = ctx.facts.user(schema.database());
    let user = user.and_then(|id| schema.principals().get(id));
    user.map_or(SchemaId::DBO, |user| schema.default_schema(user))
}

/// An object that a name stands for.
enum Found {
    /// One of a database.
    Own(Arc<Schema>, ObjectId),
    /// One that the server provides.
    System(SystemObject),
}

impl Found {
    fn id(&self) -> ObjectId {
        match self {
            Found::Own(_, id) => *id,
            Found::System(object) => object.id,
        }
    }

    /// Calls `look` with the object if it is one of a database.
    fn own<T>(&self, look: impl FnOnce(&Schema, Object<'_>) -> Option<T>) -> Option<T> {
        match self {
            Found::Own(schema, id) => look(schema, schema.object(*id)?),
            Found::System(_) => None,
        }
    }
}

/// An object by id, if the session sees it.
fn seen_object<'s>(ctx: &FnContext<'_>, schema: &'s Schema, id: ObjectId) -> Option<Object<'s>> {
    schema.object(id).filter(|_| ctx.facts.sees(schema.database(), id) > Seen::Nothing)
}

/// A table by id, if the session sees it.
fn seen_table<'s>(ctx: &FnContext<'_>, schema: &'s Schema, id: ObjectId) -> Option<&'s TableDef> {
    match seen_object(ctx, schema, id)? {
        Object::Table(table) => Some(table),
        _ => None,
    }
}

/// The table that has an object's indexes, if the session sees the object.
fn seen_indexed<'s>(ctx: &FnContext<'_>, schema: &'s Schema, id: ObjectId) -> Option<&'s TableDef> {
    match seen_object(ctx, schema, id)? {
        Object::Table(table) => Some(table),
        Object::Module(view) => schema.table(view.rows?).map(|rows| &**rows),
        _ => None,
    }
}

/// Finds an object that the session sees by a name of one to three parts.
fn find_object(ctx: &FnContext<'_>, name: &str) -> Option<Found> {
    let parts = split_name(name)?;
    let (database, schema_name, name) = match parts.as_slice() {
        [name] => (None, None, name),
        [schema, name] => (None, Some(schema), name),
        [database, schema, name] => (Some(database), Some(schema), name),
        _ => return None,
    };
    let schema_name = schema_name.filter(|s| !s.is_empty());
    let database = match database.filter(|d| !d.is_empty()) {
        Some(database) => database_named(ctx, Some(database))?.id,
        None => ctx.facts.current_database(),
    };
    if name.starts_with('#') {
        let id = ctx.facts.temporary_table(name)?;
        return Some(Found::Own(ctx.facts.schema(DbId::TEMPDB)?, id));
    }
    let schema = ctx.facts.schema(database)?;
    let own = match schema_name {
        Some(name_of_schema) => {
            let id = schema.find_schema(name_of_schema).map(|s| s.id);
            id.and_then(|id| schema.find_object(id, name))
        }
        None => schema.resolve_object(default_schema(ctx, &schema), name),
    };
    if let Some(id) = own.map(|object| object.id()) {
        let is_seen = ctx.facts.sees(database, id) > Seen::Nothing;
        return is_seen.then_some(Found::Own(schema, id));
    }
    // What the server provides is in the databases that the session can enter.
    if database != ctx.facts.current_database() {
        ctx.facts.user(database)?;
    }
    ctx.facts.system_object(schema_name.map(String::as_str), name).map(Found::System)
}

/// The columns of a table, view or table-valued function.
pub(super) fn columns_of<'s>(object: &Object<'s>) -> Option<&'s [ColumnDef]> {
    match object {
        Object::Table(table) => Some(&table.columns),
        Object::Module(module) => module.columns(),
        _ => None,
    }
}

/// A database by id.
fn database_def(ctx: &FnContext<'_>, id: DbId) -> Option<Arc<DatabaseDef>> {
    let master = ctx.facts.schema(DbId::MASTER)?;
    master.server().database(id).cloned()
}

#[cfg(test)]
mod tests;
