//! `DROP` of objects, types, schemas and principals.

use base::{SqlError, message};
use engine::catalog::def::*;
use engine::catalog::{CatalogError, DefinitionKey, Object};
use tsql::ast::{self, DropKind, ObjectName};

use super::failure::{DdlResult, Failure};
use super::object::find_type;
use super::place::{self, Found};
use super::{bindable, derived_index, indexed_view, module, security, table, temporal, tracking};
use crate::context::{Context, catalog_error};

type Shown<'a> = &'a dyn std::fmt::Display;

/// `DROP` of everything but databases, indexes, statistics and triggers.
pub fn drop(context: &mut Context<'_>, drop: &ast::DropStatement) -> DdlResult<()> {
    for name in &drop.names {
        let line = name.span.line;
        one(context, drop.kind, name, drop.if_exists).map_err(|f| f.at_line(line))?;
    }
    Ok(())
}

fn one(
    context: &mut Context<'_>,
    kind: DropKind,
    name: &ObjectName,
    if_exists: bool,
) -> DdlResult<()> {
    match kind {
        DropKind::Schema => drop_schema(context, name, if_exists),
        DropKind::Type => drop_type(context, name, if_exists),
        DropKind::XmlSchemaCollection => super::collection::drop(context, name),
        DropKind::User | DropKind::Role | DropKind::ApplicationRole => {
            security::drop_principal(context, kind, name, if_exists)
        }
        DropKind::Login | DropKind::ServerRole => {
            security::drop_login(context, kind, name, if_exists)
        }
        _ => drop_object(context, kind, name, if_exists),
    }
}

/// Error 3701: the thing to drop does not exist, or may not be dropped.
pub fn missing(verb: &str, what: &str, name: &dyn std::fmt::Display) -> SqlError {
    SqlError::new(&message::CANNOT_DROP, &[&verb, &what, name])
}

/// What messages call the things that `DROP` drops.
fn noun(kind: DropKind) -> &'static str {
    match kind {
        DropKind::ApplicationRole => "application role",
        DropKind::Database => "database",
        DropKind::Default => "default",
        DropKind::Function => "function",
        DropKind::Login => "login",
        DropKind::Procedure => "procedure",
        DropKind::Role => "role",
        DropKind::Rule => "rule",
        DropKind::Schema => "schema",
        DropKind::SecurityPolicy => "security policy",
        DropKind::Sequence => "sequence object",
        DropKind::ServerRole => "server role",
        DropKind::Synonym => "synonym",
        DropKind::Table => "table",
        DropKind::Type => "type",
        DropKind::User => "user",
        DropKind::View => "view",
        DropKind::XmlSchemaCollection => "xml schema collection",
    }
}

/// The statement that drops objects of a kind, and what 3705 calls the kind.
fn statement_for(kind: ObjectKind) -> (&'static str, &'static str) {
    match kind {
        ObjectKind::Table | ObjectKind::TypeTable => ("DROP TABLE", "table"),
        ObjectKind::View => ("DROP VIEW", "view"),
        ObjectKind::Procedure => ("DROP PROCEDURE", "procedure"),
        ObjectKind::ScalarFunction | ObjectKind::InlineFunction | ObjectKind::TableFunction => {
            ("DROP FUNCTION", "function")
        }
        ObjectKind::Trigger => ("DROP TRIGGER", "trigger"),
        ObjectKind::Rule => ("DROP RULE", "rule"),
        ObjectKind::Default => ("DROP DEFAULT", "default"),
        ObjectKind::Sequence => ("DROP SEQUENCE", "sequence object"),
        ObjectKind::Synonym => ("DROP SYNONYM", "synonym"),
        ObjectKind::SecurityPolicy => ("DROP SECURITY POLICY", "security policy"),
        _ => ("ALTER TABLE ... DROP CONSTRAINT", "constraint"),
    }
}

fn fits(kind: DropKind, object: ObjectKind) -> bool {
    match kind {
        DropKind::Function => matches!(
            object,
            ObjectKind::ScalarFunction | ObjectKind::InlineFunction | ObjectKind::TableFunction
        ),
        DropKind::Default => object == ObjectKind::Default,
        DropKind::Procedure => object == ObjectKind::Procedure,
        DropKind::Rule => object == ObjectKind::Rule,
        DropKind::SecurityPolicy => object == ObjectKind::SecurityPolicy,
        DropKind::Sequence => object == ObjectKind::Sequence,
        DropKind::Synonym => object == ObjectKind::Synonym,
        DropKind::Table => object == ObjectKind::Table,
        DropKind::View => object == ObjectKind::View,
        _ => false,
    }
}

fn drop_object(
    context: &mut Context<'_>,
    kind: DropKind,
    name: &ObjectName,
    if_exists: bool,
) -> DdlResult<()> {
    if kind != DropKind::Table {
        let statement = format!("DROP {}", noun(kind).to_uppercase().replace(" OBJECT", ""));
        place::refuse_database(name, &statement)?;
    }
    let found = place::find_to_change(context, name)?;
    if kind == DropKind::SecurityPolicy
        && let Some(found) = &found
    {
        super::policy::check_drop(context, found)?;
    }
    let Some(found) = found.filter(|f| place::may_alter(context, f)) else {
        return match if_exists {
            true => Ok(()),
            false => Err(missing("drop", noun(kind), name).into()),
        };
    };
    let object_kind = found.object().kind();
    if matches!(found.object(), Object::Constraint { .. }) {
        return Err(match (kind, object_kind) {
            (DropKind::Default, ObjectKind::Default) => {
                SqlError::new(&message::DROP_DEFAULT_CONSTRAINT, &[]).into()
            }
            _ => missing("drop", noun(kind), name).into(),
        });
    }
    if !fits(kind, object_kind) {
        let (statement, what) = statement_for(object_kind);
        let verb = noun(kind).to_uppercase();
        let args: [Shown; 5] = [&verb, name, name, &what, &statement];
        return Err(SqlError::new(&message::DROP_WRONG_OBJECT_TYPE, &args).into());
    }
    bindable::refuse_bound(&found)?;
    temporal::refuse_removal(context, &found, &message::DROP_TABLE_TEMPORAL)?;
    let changes = found.table().and_then(|table| table.tracking);
    let in_memory = found.table().is_some_and(|t| t.kind.is_memory_optimized());
    if in_memory || found.schema.module(found.id).is_some_and(|m| m.native) {
        table::refuse_transaction(context)?;
    }
    remove(context, &found)?;
    match changes {
        Some(tracking) => tracking::drop_changes(context, found.database, tracking),
        None => Ok(()),
    }
}

/// Removes an object; what is bound to it refuses that with 3726 or 3729.
pub fn remove(context: &mut Context<'_>, found: &Found) -> DdlResult<()> {
    let key = DefinitionKey::Object(found.id);
    let database = found.database;
    let name = place::qualified_or_bare(found);
    let (statement, _) = statement_for(found.object().kind());
    let (task, (txn, edit)) = (context.task, context.edit(database)?);
    edit.drop(task, txn, key).map_err(|error| match error {
        CatalogError::ReferencedByKey { .. } => {
            SqlError::new(&message::DROP_REFERENCED_BY_FOREIGN_KEY, &[&name])
        }
        CatalogError::ReferencedBy { user, .. } => {
            let args: [Shown; 3] = [&statement, &name, &user];
            SqlError::new(&message::OBJECT_IS_REFERENCED, &args)
        }
        other => catalog_error(other),
    })?;
    match found.object() {
        Object::Table(table) => derived_index::remove(context, database, table),
        Object::Module(view) => {
            view.rows.map_or(Ok(()), |rows| indexed_view::remove(context, database, rows))
        }
        _ => Ok(()),
    }
}

fn drop_schema(context: &mut Context<'_>, name: &ObjectName, if_exists: bool) -> DdlResult<()> {
    let database = context.database();
    context.lock_edit(database)?;
    let schema = context.schema(database)?;
    let written = &name.name.name;
    let found = schema.find_schema(written).filter(|s| {
        let target = Securable { class: SecurableClass::Schema, major: s.id.0, minor: 0 };
        context.may(database, target, Permission::Control)
    });
    let Some(found) = found else {
        if if_exists {
            return Ok(());
        }
        let args: [Shown; 3] = [&"drop", &"schema", written];
        return Err(SqlError::new(&message::PRINCIPAL_OR_ENTITY_NOT_FOUND, &args).into());
    };
    if found.id < SchemaId::FIRST_USER || found.id.0 >= PrincipalId::DB_OWNER.0 {
        let args: [Shown; 3] = [&"drop", &"schema", written];
        return Err(SqlError::new(&message::FIXED_ROLE_CANNOT_DROP, &args).into());
    }
    let object = schema.objects_in(found.id).next().map(|o| o.name().clone());
    let ty = || schema.types().iter().find(|t| t.schema == found.id).map(|t| t.name.clone());
    let collections = schema.xml_collections();
    let collection = || collections.iter().find(|c| c.schema == found.id).map(|c| c.name.clone());
    if let Some(user) = object.or_else(ty).or_else(collection) {
        let args: [Shown; 3] = [&"drop schema", written, &user];
        return Err(SqlError::new(&message::OBJECT_IS_REFERENCED, &args).into());
    }
    let key = DefinitionKey::Schema(found.id);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

fn drop_type(context: &mut Context<'_>, name: &ObjectName, if_exists: bool) -> DdlResult<()> {
    place::refuse_database(name, "DROP TYPE")?;
    let database = context.database();
    context.lock_edit(database)?;
    let schema = context.schema(database)?;
    let found = find_type(context, database, name)?.filter(|t| {
        let target = Securable { class: SecurableClass::Type, major: t.id.0, minor: 0 };
        context.may(database, target, Permission::Control)
            || context.may(
                database,
                Securable { class: SecurableClass::Schema, major: t.schema.0, minor: 0 },
                Permission::Alter,
            )
    });
    let Some(found) = found else {
        return match if_exists {
            true => Ok(()),
            false => Err(SqlError::new(&message::TYPE_NOT_FOUND, &[name]).into()),
        };
    };
    let own = match found.kind {
        TypeDefKind::Table { table } => Some(table),
        TypeDefKind::Alias { .. } => None,
    };
    let mut users = schema.users_of_type(found.id).filter(|user| Some(user.object) != own);
    if let Some(user) = users.find_map(|user| schema.object(user.object)) {
        let args: [Shown; 2] = [name, user.name()];
        return Err(SqlError::new(&message::CANNOT_DROP_TYPE_IN_USE, &args).into());
    }
    let key = DefinitionKey::Type(found.id);
    context.change(database, |task, txn, edit| edit.drop(task, txn, key))?;
    Ok(())
}

/// `DROP TRIGGER`.
pub fn drop_triggers(context: &mut Context<'_>, drop: &ast::DropTrigger) -> DdlResult<()> {
    let target = drop.target.as_ref();
    if let Some(at) = target.and_then(|target| module::event_triggers_of(context, target)) {
        return module::drop_event_triggers(context, &drop.names, at, drop.if_exists);
    }
    for name in &drop.names {
        let not_there = || -> DdlResult<()> {
            match drop.if_exists {
                true => Ok(()),
                false => Err(Failure::from(missing("drop", "trigger", name))),
            }
        };
        place::refuse_database(name, "DROP TRIGGER")?;
        let found = place::find_to_change(context, name)?;
        let is_trigger =
            |f: &Found| matches!(f.object(), Object::Module(m) if m.trigger().is_some());
        match found.filter(|f| is_trigger(f) && place::may_alter(context, f)) {
            Some(found) => remove(context, &found)?,
            None => not_there()?,
        }
    }
    Ok(())
}
