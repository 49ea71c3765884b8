//! Names and ids of objects, schemas, types and columns; identities.

use base::ids::{DbId, ObjectId};
use base::types::declare::kind_by_name;
use base::{SqlResult, SqlType, TypeKind, ValueRef};
use engine::catalog::def::{ColumnId, IdentityDef, IndexId, SchemaId, UserTypeId};
use engine::catalog::{Object, Schema};
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::{FnContext, Seen};
use ir::function::signature::Call;

use super::{Found, columns_of, current_schema, default_schema, find_object, seen_object};
use crate::func::session::identity_value;
use crate::func::string::split_name;
use crate::func::values::{optional, optional_int, optional_string, optional_text, string};

/// An argument that is an `int`, or NULL.
pub(super) fn id_argument(args: &[ValueRef<'_>], at: usize) -> Option<i32> {
    args.get(at).and_then(|v| optional_int(*v)).map(|v| v as i32)
}

/// An argument that is a text, or NULL.
pub(super) fn text_argument(args: &[ValueRef<'_>], types: &CallTypes, at: usize) -> Option<String> {
    args.get(at).and_then(|v| optional_text(*v, &types.args[at]))
}

pub(super) fn object_id<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = text_argument(args, types, 0);
    let found = name.and_then(|name| find_object(ctx, &name));
    let kind = match text_argument(args, types, 1) {
        Some(kind) => kind,
        None if args.len() == 2 => return Ok(ValueRef::Null),
        None => return Ok(optional(found.map(|f| f.id().0))),
    };
    let found = found.filter(|found| {
        let own = match found {
            Found::Own(schema, id) => schema.object(*id).map(|object| object.kind()),
            Found::System(object) => Some(object.kind),
        };
        own.is_some_and(|own| own.code().eq_ignore_ascii_case(kind.trim_end()))
    });
    Ok(optional(found.map(|f| f.id().0)))
}

/// The database in which an object id is looked up: the one given, or the session's.
fn database_of(ctx: &FnContext<'_>, args: &[ValueRef<'_>]) -> Option<DbId> {
    match args.len() {
        2 => id_argument(args, 1).map(DbId),
        _ => Some(ctx.facts.current_database()),
    }
}

pub(super) fn object_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (Some(id), Some(database)) = (id_argument(args, 0), database_of(ctx, args)) else {
        return Ok(ValueRef::Null);
    };
    let id = ObjectId(id);
    if let Some(object) = ctx.facts.system_object_by_id(id) {
        return Ok(string(ctx.arena, object.name, &types.result));
    }
    let schema = ctx.facts.schema(database);
    let object = schema.as_ref().and_then(|schema| seen_object(ctx, schema, id));
    Ok(optional_string(ctx.arena, object.map(|o| &**o.name()), &types.result))
}

pub(super) fn object_schema_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (Some(id), Some(database)) = (id_argument(args, 0), database_of(ctx, args)) else {
        return Ok(ValueRef::Null);
    };
    let id = ObjectId(id);
    if let Some(object) = ctx.facts.system_object_by_id(id) {
        return Ok(string(ctx.arena, object.schema, &types.result));
    }
    let schema = ctx.facts.schema(database);
    let name = schema.as_ref().and_then(|schema| {
        let object = seen_object(ctx, schema, id)?;
        Some(&*schema.schemas().get(object.schema())?.name)
    });
    Ok(optional_string(ctx.arena, name, &types.result))
}

/// The text of a module, or of a constraint.
pub(super) fn object_definition<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let id = id_argument(args, 0).map(ObjectId);
    if let Some(text) = id.and_then(|id| ctx.facts.system_definition(id)) {
        return Ok(optional_string(ctx.arena, Some(&text), &types.result));
    }
    let sees_text = |schema: &Schema, id| ctx.facts.sees(schema.database(), id) == Seen::Definition;
    let object = id.zip(schema.as_ref()).filter(|(id, schema)| sees_text(schema, *id));
    let object = object.and_then(|(id, schema)| schema.object(id));
    let text = match &object {
        Some(Object::Module(module)) if !module.encrypted => Some(&*module.definition),
        Some(Object::Constraint { table, header, .. }) => {
            let checks = table.checks.iter().find(|c| c.header.id == header.id);
            let mut defaults = table.columns.iter().filter_map(|c| c.default.as_ref());
            let default = defaults.find(|d| d.header.id == header.id);
            checks.map(|c| &*c.definition).or(default.map(|d| &*d.definition))
        }
        _ => None,
    };
    Ok(optional_string(ctx.arena, text, &types.result))
}

pub(super) fn schema_id<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some(schema) = current_schema(ctx) else { return Ok(ValueRef::Null) };
    if args.is_empty() {
        return Ok(ValueRef::Int(i64::from(default_schema(ctx, &schema).0)));
    }
    let name = text_argument(args, types, 0);
    Ok(optional(name.and_then(|name| schema.find_schema(&name)).map(|s| s.id.0)))
}

pub(super) fn schema_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some(schema) = current_schema(ctx) else { return Ok(ValueRef::Null) };
    let id = match args.is_empty() {
        true => Some(default_schema(ctx, &schema)),
        false => id_argument(args, 0).map(SchemaId),
    };
    let found = id.and_then(|id| schema.schemas().get(id));
    Ok(optional_string(ctx.arena, found.map(|s| &*s.name), &types.result))
}

/// `user_type_id` of a type by its name of one or two parts.
pub(super) fn type_id_of(ctx: &FnContext<'_>, name: &str) -> Option<UserTypeId> {
    let parts = split_name(name)?;
    let (schema_name, name) = match parts.as_slice() {
        [name] => (None, name),
        [schema, name] => (Some(schema), name),
        _ => return None,
    };
    let of_system = schema_name.is_none_or(|s| s.eq_ignore_ascii_case("sys"));
    if of_system && name.eq_ignore_ascii_case("sysname") {
        return Some(UserTypeId::SYSNAME);
    }
    if let Some(kind) = kind_by_name(name).filter(|_| of_system) {
        return Some(UserTypeId(i32::from(kind.user_type_id())));
    }
    let schema = current_schema(ctx)?;
    let found = match schema_name {
        Some(schema_name) => schema.find_type(schema.find_schema(schema_name)?.id, name),
        None => schema.resolve_type(default_schema(ctx, &schema), name),
    };
    found.map(|ty| ty.id)
}

pub(super) fn type_id<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = text_argument(args, types, 0);
    Ok(optional(name.and_then(|name| type_id_of(ctx, &name)).map(|id| id.0)))
}

pub(super) fn type_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let Some(id) = id_argument(args, 0) else { return Ok(ValueRef::Null) };
    let built_in = u8::try_from(id).ok().and_then(TypeKind::from_user_type_id);
    if let Some(kind) = built_in {
        return Ok(string(ctx.arena, kind.name(), &types.result));
    }
    if UserTypeId(id) == UserTypeId::SYSNAME {
        return Ok(string(ctx.arena, "sysname", &types.result));
    }
    let schema = current_schema(ctx);
    let found = schema.as_ref().and_then(|schema| schema.types().get(UserTypeId(id)));
    Ok(optional_string(ctx.arena, found.map(|ty| &*ty.name), &types.result))
}

pub(super) fn column_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let name = schema.as_ref().and_then(|schema| {
        let object = seen_object(ctx, schema, ObjectId(id_argument(args, 0)?))?;
        let id = ColumnId(id_argument(args, 1)?);
        Some(&*columns_of(&object)?.iter().find(|c| c.id == id)?.name)
    });
    Ok(optional_string(ctx.arena, name, &types.result))
}

pub(super) fn column_length<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let table = text_argument(args, types, 0);
    let column = text_argument(args, types, 1);
    let length = table.zip(column).and_then(|(table, column)| {
        find_object(ctx, &table)?.own(|schema, object| {
            let mut columns = columns_of(&object)?.iter();
            columns.find(|c| schema.same_name(&c.name, &column)).map(|c| c.ty.max_length())
        })
    });
    Ok(optional(length))
}

pub(super) fn types_of_index_col(call: &Call<'_>) -> SqlResult<Inferred> {
    let args = [call.unicode(0, super::LONG_NAME)?, call.int(1)?, call.int(2)?];
    Ok(call.types(SqlType::sysname(call.collation), &args))
}

pub(super) fn index_col<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = text_argument(args, types, 0).and_then(|table| {
        find_object(ctx, &table)?.own(|schema, object| {
            let table = match object {
                Object::Table(table) => table,
                Object::Module(view) => schema.table(view.rows?)?,
                _ => return None,
            };
            let index = table.index(IndexId(id_argument(args, 1)?))?;
            let key = usize::try_from(id_argument(args, 2)?).ok()?.checked_sub(1)?;
            Some(table.column(index.key.get(key)?.column)?.name.clone())
        })
    });
    Ok(optional_string(ctx.arena, name.as_deref(), &types.result))
}

/// The identity of a table by name, with the table's id and database.
fn identity_of(
    ctx: &FnContext<'_>,
    args: &[ValueRef<'_>],
    types: &CallTypes,
) -> Option<(DbId, ObjectId, IdentityDef)> {
    find_object(ctx, &text_argument(args, types, 0)?)?.own(|schema, object| {
        let Object::Table(table) = object else { return None };
        Some((schema.database(), table.id(), table.identity_column()?.1.identity?))
    })
}

/// The value that was used last, or the seed if none was.
pub(super) fn ident_current<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let current = identity_of(ctx, args, types).map(|(database, table, identity)| {
        ctx.facts.identity_value(database, table).unwrap_or(identity.seed)
    });
    Ok(identity_value(current))
}

pub(super) fn ident_seed<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(identity_value(identity_of(ctx, args, types).map(|(_, _, identity)| identity.seed)))
}

pub(super) fn ident_incr<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(identity_value(identity_of(ctx, args, types).map(|(_, _, identity)| identity.increment)))
}

pub(super) fn types_of_stats_date(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::datetime(), &[call.int(0)?, call.int(1)?]))
}

/// Statistics are not kept in the form that has a date.
pub(super) fn stats_date<'a>(
    _: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    _: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    Ok(ValueRef::Null)
}
