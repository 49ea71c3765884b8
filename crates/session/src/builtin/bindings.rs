//! `sp_bindefault`, `sp_bindrule`, `sp_unbindefault`, `sp_unbindrule`.
//!
//! A column and an alias type keep a copy of what is bound to them: a default or rule cannot change
//! as long as it is bound. What is bound to a type is copied to its columns, those that are there
//! included unless the caller says `futureonly`, and to columns that are made later.

use std::fmt::Display;
use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use base::message::Message;
use base::types::declare::kind_by_name;
use base::{SqlError, SqlResult, TypeKind, message};
use engine::catalog::def::{
    BoundDefault, BoundRule, ColumnDef, ColumnId, ModuleKind, Permission, Securable,
    SecurableClass, TableDef, TableRole, TypeDef, TypeDefKind, UserTypeId,
};
use engine::catalog::{Definition, Object, Schema};
use ir::function::MetadataFacts;
use ir::function::facts::Seen;
use tsql::ast;

use super::Arguments;
use crate::context::Context;
use crate::names::callee::parse_name;

/// What is bound.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Default,
    Rule,
}

/// A default or rule that is to be bound.
#[derive(Clone)]
enum Bound {
    Default(BoundDefault),
    Rule(BoundRule),
}

/// What it is bound to.
enum Target {
    Column(ObjectId, ColumnId),
    Type(UserTypeId),
}

/// `sp_bindefault`. Errors 4185, 10794, 15016, 15076, 15100 to 15103, 15148.
pub fn bind_default(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let future_only = future_only(arguments, &message::SP_BINDEFAULT_USAGE)?;
    bind(context, arguments, Kind::Default, "@defname", future_only)
}

/// `sp_bindrule`. Errors 4185, 10794, 15017, 15077, 15106, 15107, 15148.
pub fn bind_rule(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let future_only = future_only(arguments, &message::SP_BINDRULE_USAGE)?;
    bind(context, arguments, Kind::Rule, "@rulename", future_only)
}

/// `sp_unbindefault`. Errors 4185, 15076, 15148, 15236, 15237, 15600.
pub fn unbind_default(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    unbind(context, arguments, Kind::Default, "sys.sp_unbindefault")
}

/// `sp_unbindrule`. Errors 4185, 15077, 15148, 15238, 15239, 15600.
pub fn unbind_rule(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    unbind(context, arguments, Kind::Rule, "sys.sp_unbindrule")
}

/// Whether columns that are there stay as they are.
fn future_only(arguments: &Arguments<'_>, usage: &'static Message) -> SqlResult<bool> {
    match arguments.text("@futureonly") {
        None => Ok(false),
        Some(word) if word.eq_ignore_ascii_case("futureonly") => Ok(true),
        Some(_) => Err(SqlError::new(usage, &[])),
    }
}

fn bind(
    context: &mut Context<'_>,
    arguments: &Arguments<'_>,
    kind: Kind,
    parameter: &str,
    future_only: bool,
) -> SqlResult<i32> {
    let database = context.database();
    let written = arguments.text(parameter).unwrap_or_default();
    let target = arguments.text("@objname").unwrap_or_default();
    let told = context.definition(|context| {
        context.lock_edit(database)?;
        let schema = context.schema(database)?;
        let bound = bindable(context, &schema, &written, kind)?;
        match found(context, &schema, &target, kind)? {
            Target::Column(table, column) => {
                let table = schema.table(table).ok_or_else(|| missing(&target))?;
                let own = table.column(column).ok_or_else(|| missing(&target))?;
                refuse_memory_optimized(table, kind)?;
                check_column(own, kind)?;
                change_columns(context, database, table, &|own| own.id == column, &bound)?;
                Ok(match kind {
                    Kind::Default => vec![&message::SP_DEFAULT_BOUND_TO_COLUMN],
                    Kind::Rule => vec![&message::SP_RULE_BOUND_TO_COLUMN],
                })
            }
            Target::Type(id) => {
                let before = change_type(context, &schema, id, kind, Some(bound.clone()))?;
                let takes = |column: &ColumnDef| {
                    let own = bound_to(column, kind);
                    column.user_type == id
                        && (own.is_none() || own == before)
                        && check_column(column, kind).is_ok()
                };
                if !future_only {
                    change_all(context, &schema, &takes, &bound)?;
                }
                Ok(match (kind, future_only) {
                    (Kind::Default, true) => vec![&message::SP_DEFAULT_BOUND_TO_TYPE],
                    (Kind::Default, false) => vec![
                        &message::SP_DEFAULT_BOUND_TO_TYPE,
                        &message::SP_DEFAULT_BOUND_TO_COLUMNS,
                    ],
                    (Kind::Rule, true) => vec![&message::SP_RULE_BOUND_TO_TYPE],
                    (Kind::Rule, false) => {
                        vec![&message::SP_RULE_BOUND_TO_TYPE, &message::SP_RULE_BOUND_TO_COLUMNS]
                    }
                })
            }
        }
    })?;
    tell(context, &told)
}

fn unbind(
    context: &mut Context<'_>,
    arguments: &Arguments<'_>,
    kind: Kind,
    procedure: &'static str,
) -> SqlResult<i32> {
    let future_only = future_only(arguments, &message::SP_PARAMETER_INVALID)
        .map_err(|_| SqlError::new(&message::SP_PARAMETER_INVALID, &[&procedure]))?;
    let database = context.database();
    let target = arguments.text("@objname").unwrap_or_default();
    let nothing = |of_column: &'static Message, of_type: &'static Message| {
        move |is_column: bool, name: &str| {
            SqlError::new(if is_column { of_column } else { of_type }, &[&name])
        }
    };
    let nothing = match kind {
        Kind::Default => {
            nothing(&message::SP_COLUMN_HAS_NO_DEFAULT, &message::SP_TYPE_HAS_NO_DEFAULT)
        }
        Kind::Rule => nothing(&message::SP_COLUMN_HAS_NO_RULE, &message::SP_TYPE_HAS_NO_RULE),
    };
    let told = context.definition(|context| {
        context.lock_edit(database)?;
        let schema = context.schema(database)?;
        match found(context, &schema, &target, kind)? {
            Target::Column(table, column) => {
                let table = schema.table(table).ok_or_else(|| missing(&target))?;
                let own = table.column(column).ok_or_else(|| missing(&target))?;
                bound_to(own, kind).ok_or_else(|| nothing(true, &target))?;
                let is_it = |own: &ColumnDef| own.id == column;
                clear_columns(context, database, table, &is_it, kind)?;
                Ok(match kind {
                    Kind::Default => vec![&message::SP_DEFAULT_UNBOUND_FROM_COLUMN],
                    Kind::Rule => vec![&message::SP_RULE_UNBOUND_FROM_COLUMN],
                })
            }
            Target::Type(id) => {
                let before = change_type(context, &schema, id, kind, None)?;
                let before = before.ok_or_else(|| nothing(false, &target))?;
                let has =
                    |own: &ColumnDef| own.user_type == id && bound_to(own, kind) == Some(before);
                if !future_only {
                    for table in users(&schema, &has) {
                        clear_columns(context, database, &table, &has, kind)?;
                    }
                }
                Ok(match (kind, future_only) {
                    (Kind::Default, true) => vec![&message::SP_DEFAULT_UNBOUND_FROM_TYPE],
                    (Kind::Default, false) => vec![
                        &message::SP_DEFAULT_UNBOUND_FROM_TYPE,
                        &message::SP_DEFAULT_UNBOUND_FROM_COLUMNS,
                    ],
                    (Kind::Rule, true) => vec![&message::SP_RULE_UNBOUND_FROM_TYPE],
                    (Kind::Rule, false) => vec![
                        &message::SP_RULE_UNBOUND_FROM_TYPE,
                        &message::SP_RULE_UNBOUND_FROM_COLUMNS,
                    ],
                })
            }
        }
    })?;
    tell(context, &told)
}

fn tell(context: &mut Context<'_>, told: &[&'static Message]) -> SqlResult<i32> {
    for message in told {
        context.inform(SqlError::new(message, &[]))?;
    }
    Ok(0)
}

/// Error 15148: there is no such column or type, or the session may not change it.
fn missing(name: &str) -> SqlError {
    SqlError::new(&message::SP_BIND_TARGET_NOT_FOUND, &[&name])
}

/// Errors 15076 and 15077 for a name that names another database.
fn check_database(
    context: &Context<'_>,
    written: Option<&ast::Ident>,
    kind: Kind,
) -> SqlResult<()> {
    let Some(written) = written else { return Ok(()) };
    let found = context.session.instance.find_database(&written.name);
    match found.is_some_and(|found| found.id == context.database()) {
        true => Ok(()),
        false => Err(match kind {
            Kind::Default => SqlError::new(&message::SP_DEFAULT_DATABASE, &[]),
            Kind::Rule => SqlError::new(&message::SP_RULE_DATABASE, &[]),
        }),
    }
}

/// The default or rule of this name. Errors 15016, 15017.
fn bindable(context: &Context<'_>, schema: &Schema, written: &str, kind: Kind) -> SqlResult<Bound> {
    let name = parse_name(written)?;
    check_database(context, name.database.as_ref(), kind)?;
    let found = match &name.schema {
        Some(place) => schema
            .find_schema(&place.name)
            .and_then(|place| schema.find_object(place.id, &name.name.name)),
        None => {
            let default = context.user(context.database())?.default_schema;
            schema.resolve_object(default, &name.name.name)
        }
    };
    let seen = |object: &Object<'_>| {
        context.session.sees(context.database(), object.id()) != Seen::Nothing
    };
    let bound = found.filter(seen).and_then(|object| {
        let Object::Module(module) = object else { return None };
        let object = module.id();
        match (&module.kind, kind) {
            (ModuleKind::Default { expression }, Kind::Default) => {
                Some(Bound::Default(BoundDefault { object, expression: expression.clone() }))
            }
            (ModuleKind::Rule { variable, condition }, Kind::Rule) => {
                let (variable, condition) = (variable.clone(), condition.clone());
                Some(Bound::Rule(BoundRule { object, variable, condition }))
            }
            _ => None,
        }
    });
    bound.ok_or_else(|| match kind {
        Kind::Default => SqlError::new(&message::SP_DEFAULT_NOT_FOUND, &[&written]),
        Kind::Rule => SqlError::new(&message::SP_RULE_NOT_FOUND, &[&written]),
    })
}

/// The column or alias type of a name. Errors 4185, 15148.
fn found(context: &Context<'_>, schema: &Schema, written: &str, kind: Kind) -> SqlResult<Target> {
    let name = parse_name(written)?;
    check_database(context, name.server.as_ref(), kind)?;
    let database = context.database();
    let default = context.user(database)?.default_schema;
    if let Some(column) = column_named(schema, &name, default) {
        let class = SecurableClass::Object;
        let securable = Securable { class, major: column.0.0, minor: 0 };
        return match context.may(database, securable, Permission::Alter) {
            true => Ok(Target::Column(column.0, column.1)),
            false => Err(missing(written)),
        };
    }
    if name.database.is_some() {
        return Err(missing(written));
    }
    let ty = match &name.schema {
        Some(place) => schema
            .find_schema(&place.name)
            .and_then(|place| schema.find_type(place.id, &name.name.name)),
        None => schema.resolve_type(default, &name.name.name),
    };
    let Some(ty) = ty else {
        let is_own = name.schema.as_ref().is_none_or(|s| s.name.eq_ignore_ascii_case("sys"));
        return Err(match is_own && kind_by_name(&name.name.name).is_some() {
            true => SqlError::new(&message::BIND_SYSTEM_TYPE, &[]),
            false => missing(written),
        });
    };
    let own = Securable { class: SecurableClass::Type, major: ty.id.0, minor: 0 };
    let place = Securable { class: SecurableClass::Schema, major: ty.schema.0, minor: 0 };
    let may = context.may(database, own, Permission::Control)
        || context.may(database, place, Permission::Alter);
    match ty.kind {
        TypeDefKind::Alias { .. } if may => Ok(Target::Type(ty.id)),
        _ => Err(missing(written)),
    }
}

/// The column that a name of at least two parts means.
fn column_named(
    schema: &Schema,
    name: &ast::ObjectName,
    default: engine::catalog::def::SchemaId,
) -> Option<(ObjectId, ColumnId)> {
    let table = name.schema.as_ref()?;
    let object = match &name.database {
        Some(place) => schema.find_object(schema.find_schema(&place.name)?.id, &table.name)?,
        None => schema.resolve_object(default, &table.name)?,
    };
    let table = schema.table(object.id()).filter(|table| is_bound_in(table))?;
    let column = table.columns.iter().find(|c| schema.same_name(&c.name, &name.name.name))?;
    Some((table.id(), column.id))
}

/// Whether something can be bound to the columns of a table: the rows of a history come from its
/// table.
fn is_bound_in(table: &TableDef) -> bool {
    table.role == TableRole::Table && table.history_of.is_none()
}

/// Error 10794.
fn refuse_memory_optimized(table: &TableDef, kind: Kind) -> SqlResult<()> {
    if !table.kind.is_memory_optimized() {
        return Ok(());
    }
    let procedure = if kind == Kind::Default { "sp_bindefault" } else { "sp_bindrule" };
    let args: [&dyn Display; 3] = [&"operation", &procedure, &"memory optimized tables"];
    Err(SqlError::new(&message::NOT_SUPPORTED_WITH, &args))
}

/// What a column must be. Errors 15101 to 15103, 15107.
fn check_column(column: &ColumnDef, kind: Kind) -> SqlResult<()> {
    let ty = &column.ty;
    let is_refused = column.computed.is_some()
        || column.sparse
        || column.hidden
        || ty.is_max()
        || ty.kind.is_clr()
        || matches!(ty.kind, TypeKind::RowVersion | TypeKind::Xml | TypeKind::Json);
    let fail = |message| Err(SqlError::new(message, &[]));
    match kind {
        Kind::Default if is_refused => fail(&message::SP_DEFAULT_COLUMN_KIND),
        Kind::Default if column.identity.is_some() => fail(&message::SP_DEFAULT_ON_IDENTITY),
        Kind::Default if column.default.is_some() => fail(&message::SP_DEFAULT_ON_DEFAULT),
        Kind::Rule if is_refused || ty.kind.is_legacy_lob() => fail(&message::SP_RULE_COLUMN_KIND),
        _ => Ok(()),
    }
}

/// The default or rule that is bound to a column.
fn bound_to(column: &ColumnDef, kind: Kind) -> Option<ObjectId> {
    match kind {
        Kind::Default => column.bound_default.as_ref().map(|bound| bound.object),
        Kind::Rule => column.bound_rule.as_ref().map(|bound| bound.object),
    }
}

/// The tables with a column that something holds for.
fn users(schema: &Schema, holds: &dyn Fn(&ColumnDef) -> bool) -> Vec<Arc<TableDef>> {
    let has = |table: &&Arc<TableDef>| {
        is_bound_in(table) && !table.kind.is_memory_optimized() && table.columns.iter().any(holds)
    };
    schema.tables().filter(has).cloned().collect()
}

/// Binds something to all columns that take it.
fn change_all(
    context: &mut Context<'_>,
    schema: &Schema,
    takes: &dyn Fn(&ColumnDef) -> bool,
    bound: &Bound,
) -> SqlResult<()> {
    for table in users(schema, takes) {
        change_columns(context, schema.database(), &table, takes, bound)?;
    }
    Ok(())
}

/// Binds something to columns of a table.
fn change_columns(
    context: &mut Context<'_>,
    database: DbId,
    table: &TableDef,
    which: &dyn Fn(&ColumnDef) -> bool,
    bound: &Bound,
) -> SqlResult<()> {
    change_table(context, database, table, which, &|column| match bound {
        Bound::Default(default) => column.bound_default = Some(default.clone()),
        Bound::Rule(rule) => column.bound_rule = Some(rule.clone()),
    })
}

/// Takes what is bound from columns of a table.
fn clear_columns(
    context: &mut Context<'_>,
    database: DbId,
    table: &TableDef,
    which: &dyn Fn(&ColumnDef) -> bool,
    kind: Kind,
) -> SqlResult<()> {
    change_table(context, database, table, which, &|column| match kind {
        Kind::Default => column.bound_default = None,
        Kind::Rule => column.bound_rule = None,
    })
}

fn change_table(
    context: &mut Context<'_>,
    database: DbId,
    table: &TableDef,
    which: &dyn Fn(&ColumnDef) -> bool,
    change: &dyn Fn(&mut ColumnDef),
) -> SqlResult<()> {
    let mut new = TableDef::clone(table);
    new.header.modified = context.now();
    new.columns.iter_mut().filter(|column| which(column)).for_each(change);
    context.change(database, |task, txn, edit| edit.alter_table(task, txn, new))
}

/// Changes what is bound to an alias type. Returns what was.
fn change_type(
    context: &mut Context<'_>,
    schema: &Schema,
    id: UserTypeId,
    kind: Kind,
    bound: Option<Bound>,
) -> SqlResult<Option<ObjectId>> {
    let found = schema.types().get(id).ok_or_else(|| ir::internal("the type was found"))?;
    let mut new = TypeDef::clone(found);
    let TypeDefKind::Alias { default, rule, .. } = &mut new.kind else { return Ok(None) };
    let before = match kind {
        Kind::Default => default.as_ref().map(|bound| bound.object),
        Kind::Rule => rule.as_ref().map(|bound| bound.object),
    };
    match (kind, bound) {
        (_, Some(Bound::Default(bound))) => *default = Some(bound),
        (_, Some(Bound::Rule(bound))) => *rule = Some(bound),
        (Kind::Default, None) => *default = None,
        (Kind::Rule, None) => *rule = None,
    }
    context.change(schema.database(), |task, txn, edit| {
        edit.put(task, txn, Definition::Type(Arc::new(new)))
    })?;
    Ok(before)
}
