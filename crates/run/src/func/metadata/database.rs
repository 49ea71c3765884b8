//! Databases, their files and filegroups.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlResult, SqlType, ValueRef};
use engine::catalog::def::*;
use ir::function::descriptor::{CallTypes, Inferred};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::object::{id_argument, text_argument};
use super::{current_schema, database_def};
use crate::func::server::EDITION;
use crate::func::values::{flag, optional, optional_string, variant_int, variant_text};

/// A database by name; without a name, the session's.
pub(crate) fn database_named(ctx: &FnContext<'_>, name: Option<&str>) -> Option<Arc<DatabaseDef>> {
    let Some(name) = name else { return database_def(ctx, ctx.facts.current_database()) };
    let master = ctx.facts.schema(DbId::MASTER)?;
    master.find_database(name.trim_end()).cloned()
}

pub(super) fn db_id<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args.is_empty() {
        return Ok(ValueRef::Int(i64::from(ctx.facts.current_database().0)));
    }
    let name = text_argument(args, types, 0);
    let database = name.and_then(|name| database_named(ctx, Some(&name)));
    Ok(optional(database.map(|d| d.id.0)))
}

pub(super) fn db_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let id = match args.is_empty() {
        true => Some(ctx.facts.current_database()),
        false => id_argument(args, 0).map(DbId),
    };
    let database = id.and_then(|id| database_def(ctx, id));
    Ok(optional_string(ctx.arena, database.as_ref().map(|d| &*d.name), &types.result))
}

pub(super) fn original_db_name<'a>(
    ctx: &mut FnContext<'a>,
    _: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = ctx.facts.connection().original_database.clone();
    Ok(optional_string(ctx.arena, Some(&name), &types.result))
}

pub(super) fn types_of_propertyex(call: &Call<'_>) -> SqlResult<Inferred> {
    Ok(call.types(SqlType::sql_variant(), &[call.name_argument(0)?, call.name_argument(1)?]))
}

pub(super) fn propertyex<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let (Some(name), Some(property)) =
        (text_argument(args, types, 0), text_argument(args, types, 1))
    else {
        return Ok(ValueRef::Null);
    };
    let Some(database) = database_named(ctx, Some(&name)) else { return Ok(ValueRef::Null) };
    let property = property.trim_end().to_ascii_lowercase();
    let collation = types.args[0].collation;
    if let Some(text) = text_property(ctx, &database, &property) {
        return Ok(variant_text(ctx, text, collation));
    }
    let number = option_property(&database.options, &property)
        .map(i64::from)
        .or_else(|| number_property(&database, &property));
    Ok(number.map_or(ValueRef::Null, |number| variant_int(ctx, number)))
}

fn text_property(
    ctx: &FnContext<'_>,
    database: &DatabaseDef,
    property: &str,
) -> Option<&'static str> {
    let options = &database.options;
    Some(match property {
        "collation" => database.collation.name(),
        "edition" => EDITION,
        "recovery" => options.recovery_model.description(),
        "status" => match ctx.facts.database_state(database) {
            DatabaseState::RecoveryPending => "SUSPECT",
            state => state.description(),
        },
        "updateability" if options.read_only => "READ_ONLY",
        "updateability" => "READ_WRITE",
        "useraccess" => options.user_access.description(),
        _ => return None,
    })
}

fn number_property(database: &DatabaseDef, property: &str) -> Option<i64> {
    /// The version of the format of databases, as SQL Server 2022's.
    const FORMAT_VERSION: i64 = 957;
    let collation = database.collation.info();
    Some(match property {
        "comparisonstyle" => collation.flags.comparison_style().into(),
        "lcid" => collation.lcid.into(),
        "sqlsortorder" => collation.sort_id.into(),
        "version" => FORMAT_VERSION,
        _ => return None,
    })
}

/// What is on or off.
fn option_property(options: &DatabaseOptions, property: &str) -> Option<bool> {
    Some(match property {
        "isansinulldefault" => options.ansi_null_default,
        "isansinullsenabled" => options.ansi_nulls,
        "isansipaddingenabled" => options.ansi_padding,
        "isansiwarningsenabled" => options.ansi_warnings,
        "isarithmeticabortenabled" => options.arithabort,
        "isautoclose" => options.auto_close,
        "ischangetrackingenabled" => options.change_tracking.is_some(),
        "isautocreatestatistics" => options.auto_create_statistics,
        "isautoshrink" => options.auto_shrink,
        "isautoupdatestatistics" => options.auto_update_statistics,
        "isclosecursorsoncommitenabled" => options.cursor_close_on_commit,
        "islocalcursorsdefault" => options.local_cursor_default,
        "ismemoryoptimizedelevatetosnapshotenabled" => options.elevate_to_snapshot,
        "isnullconcat" => options.concat_null_yields_null,
        "isnumericroundabortenabled" => options.numeric_roundabort,
        "isparameterizationforced" => options.parameterization_forced,
        "isquotedidentifiersenabled" => options.quoted_identifier,
        "isrecursivetriggersenabled" => options.recursive_triggers,
        "istornpagedetectionenabled" => options.page_verify == PageVerify::TornPage,
        "isxtpsupported" => true,
        "isautocreatestatisticsincremental"
        | "isclone"
        | "isfulltextenabled"
        | "isinstandby"
        | "ismergepublished"
        | "ispublished"
        | "issubscribed"
        | "issyncwithbackup"
        | "isverifiedclone" => false,
        _ => return None,
    })
}

/// The older form, which knows only what is on or off, and the version.
pub(super) fn property<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = text_argument(args, types, 0);
    let database = name.and_then(|name| database_named(ctx, Some(&name)));
    let property = text_argument(args, types, 1).map(|p| p.trim_end().to_ascii_lowercase());
    let (Some(database), Some(property)) = (database, property) else {
        return Ok(ValueRef::Null);
    };
    let options = &database.options;
    let own = match property.as_str() {
        "isbulkcopy" => Some(options.recovery_model != RecoveryModel::Full),
        "isdboonly" => Some(options.user_access == UserAccess::Restricted),
        "issingleuser" => Some(options.user_access == UserAccess::Single),
        "isreadonly" => Some(options.read_only),
        "isoffline" => Some(options.state == DatabaseState::Offline),
        "issuspect" => Some(options.state == DatabaseState::Suspect),
        "isemergencymode" => Some(options.state == DatabaseState::Emergency),
        "isinload" => Some(options.state == DatabaseState::Restoring),
        "isinrecovery" => Some(options.state == DatabaseState::Recovering),
        "istruncatelog" => Some(options.recovery_model == RecoveryModel::Simple),
        "isdetached" | "isnotrecovered" | "isshutdown" => Some(false),
        other => option_property(options, other),
    };
    let own = own.map(i64::from);
    Ok(optional(own.or_else(|| number_property(&database, &property))))
}

pub(super) fn has_dbaccess<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let name = text_argument(args, types, 0);
    let database = name.and_then(|name| database_named(ctx, Some(&name)));
    Ok(match database {
        Some(database) => flag(
            database.options.state == DatabaseState::Online
                && ctx.facts.user(database.id).is_some(),
        ),
        None => ValueRef::Null,
    })
}

pub(super) fn filegroup_id<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let name = text_argument(args, types, 0);
    let found = schema.as_ref().zip(name).and_then(|(s, name)| s.find_file_group(&name));
    Ok(optional(found.map(|g| g.id.0)))
}

pub(super) fn filegroup_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let id = id_argument(args, 0).map(DataSpaceId);
    let found = schema.as_ref().zip(id).and_then(|(s, id)| s.file_groups().get(id));
    Ok(optional_string(ctx.arena, found.map(|g| &*g.name), &types.result))
}

pub(super) fn filegroupproperty<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let name = text_argument(args, types, 0);
    let group = schema.as_ref().zip(name).and_then(|(s, name)| s.find_file_group(&name));
    let property = text_argument(args, types, 1).unwrap_or_default().to_ascii_lowercase();
    let value = group.and_then(|group| match property.trim_end() {
        "isreadonly" => Some(group.read_only),
        "isdefault" => Some(group.default),
        "isuserdefinedfg" => Some(group.id != DataSpaceId::PRIMARY),
        _ => None,
    });
    Ok(optional(value))
}

pub(super) fn file_id<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let name = text_argument(args, types, 0);
    let found = schema.as_ref().zip(name).and_then(|(s, name)| s.find_file(&name));
    Ok(optional(found.map(|f| f.id.0)))
}

pub(super) fn file_name<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let id = id_argument(args, 0).map(FileId);
    let found = schema.as_ref().zip(id).and_then(|(s, id)| s.files().get(id));
    Ok(optional_string(ctx.arena, found.map(|f| &*f.name), &types.result))
}

pub(super) fn fileproperty<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    let schema = current_schema(ctx);
    let name = text_argument(args, types, 0);
    let file = schema.as_ref().zip(name).and_then(|(s, name)| s.find_file(&name));
    let property = text_argument(args, types, 1).unwrap_or_default().to_ascii_lowercase();
    let value = file.and_then(|file| match property.trim_end() {
        "isreadonly" => Some(i64::from(file.read_only)),
        "isprimaryfile" => Some(i64::from(file.id == FileId(1))),
        "islogfile" => Some(i64::from(file.kind == FileKind::Log)),
        // Files are as large as what is in them.
        "spaceused" => Some(i64::from(file.size_pages)),
        _ => None,
    });
    Ok(optional(value))
}
