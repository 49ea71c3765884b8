//! Triggers on databases and on the server: DDL and logon triggers.
//!
//! Such a trigger is a module that is in no schema. Its name is unique among those on its database,
//! or among those on the server, whose definitions are in master.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, message};
use engine::catalog::def::*;
use engine::catalog::{DefinitionKey, EventKind, ObjectDef, event_kind};
use tsql::ast::{self, CreateAction, ModuleOptionKind, ObjectName, TriggerTarget};

use super::{Head, Shown, body};
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::ddl::object::put_object;
use crate::ddl::place::Place;
use crate::security::WHOLE_DATABASE;

/// Where the names of the triggers on something are.
#[derive(Clone, Copy, Debug)]
pub struct EventTriggers {
    /// The database: master for those on the server.
    pub database: DbId,
    /// The place in it.
    pub place: SchemaId,
}

/// Where triggers are that are on the current database or on the server; nothing for those of a
/// table or view.
pub fn place_of(context: &Context<'_>, target: &TriggerTarget) -> Option<EventTriggers> {
    match target {
        TriggerTarget::Object(_) => None,
        TriggerTarget::Database => {
            Some(EventTriggers { database: context.database(), place: SchemaId::DATABASE_TRIGGERS })
        }
        TriggerTarget::Server => {
            Some(EventTriggers { database: DbId::MASTER, place: SchemaId::SERVER_TRIGGERS })
        }
    }
}

/// Whether the session may define triggers there: with `ALTER ANY DATABASE DDL TRIGGER`, or
/// `CONTROL SERVER`.
pub fn check_permission(context: &Context<'_>, at: EventTriggers) -> bool {
    match at.place {
        SchemaId::SERVER_TRIGGERS => context.login_may(Permission::Control),
        _ => context.may(at.database, WHOLE_DATABASE, Permission::AlterAnyDatabaseDdlTrigger),
    }
}

/// Error 1094 if a name has a schema.
fn refuse_schema(name: &ObjectName) -> DdlResult<()> {
    match name.is_bare() {
        true => Ok(()),
        false => {
            let error = SqlError::new(&message::EVENT_TRIGGER_SCHEMA, &[]);
            Err(error.at_line(name.span.line).into())
        }
    }
}

/// The trigger of a name, once no other transaction makes or drops it.
fn find(
    context: &mut Context<'_>,
    at: EventTriggers,
    name: &str,
) -> DdlResult<Option<Arc<ModuleDef>>> {
    let schema = context.schema(at.database)?;
    let found = schema.find_object(at.place, name).map(|object| object.id());
    if found.is_none() {
        context
            .change(at.database, |task, txn, edit| edit.wait_for_name(task, txn, at.place, name))?;
    }
    Ok(found.and_then(|id| schema.module(id)).cloned())
}

/// `CREATE`, `ALTER` or `CREATE OR ALTER`. Errors 208, 1083, 1084, 1094, 1095, 1098, 2104, 2714.
pub fn define(
    context: &mut Context<'_>,
    statement: &ast::ModuleStatement,
    trigger: &ast::Trigger,
    at: EventTriggers,
    text: &str,
) -> DdlResult<()> {
    refuse_schema(&trigger.name)?;
    check_events(trigger, text)?;
    let name = trigger.name.name.name.clone();
    context.lock_edit(at.database)?;
    let verb = if statement.action == CreateAction::Alter { "alter" } else { "create" };
    if !check_permission(context, at) {
        let args: [Shown; 3] = [&verb, &"trigger", &name];
        let error = SqlError::new(&message::CANNOT_WITHOUT_PERMISSION, &args);
        return Err(error.in_procedure(&name).into());
    }
    let old = find(context, at, &name)?;
    match (&old, statement.action) {
        (None, CreateAction::Alter) => {
            let error = SqlError::new(&message::INVALID_OBJECT, &[&name]).with_state(6);
            return Err(error.in_procedure(&name).into());
        }
        (Some(_), CreateAction::Create) => {
            let error = SqlError::new(&message::OBJECT_EXISTS, &[&name]).with_state(2);
            return Err(error.in_procedure(&name).into());
        }
        _ => {}
    }
    check_options(trigger, text)?;
    let place =
        Place { database: at.database, schema: at.place, name: name.clone(), written: name };
    let head = Head { context, place: &place, old: old.as_deref() };
    let def = head.module(statement, text)?;
    let id = def.header.id;
    put_object(context, at.database, ObjectDef::Module(Arc::new(def)))?;
    body::check(context, &place, id, &statement.module)
}

/// Error 102: such triggers take `ENCRYPTION` and `EXECUTE AS` alone.
fn check_options(trigger: &ast::Trigger, text: &str) -> DdlResult<()> {
    let is_refused = |option: &&ast::ModuleOption| {
        !matches!(option.kind, ModuleOptionKind::Encryption | ModuleOptionKind::ExecuteAs(_))
    };
    match trigger.options.iter().find(is_refused) {
        None => Ok(()),
        Some(option) => {
            let near = option.span.text(text);
            let error = SqlError::new(&message::INCORRECT_SYNTAX_NEAR, &[&near]);
            Err(error.at_line(option.span.line).into())
        }
    }
}

/// Whether a trigger can wait for something.
fn fits(target: &TriggerTarget, kind: &EventKind) -> bool {
    matches!(target, TriggerTarget::Server) || kind.is_of_database()
}

/// Checks that there are the events, and that they happen there. Errors 1084, 1095, 1098.
fn check_events(trigger: &ast::Trigger, text: &str) -> DdlResult<()> {
    let mut seen: Vec<&str> = Vec::new();
    for event in &trigger.events {
        let at_line = |error: SqlError| error.at_line(event.span.line);
        let of_rows = matches!(&*event.name, "INSERT" | "UPDATE" | "DELETE");
        let kind = event_kind(&event.name);
        if of_rows || kind.is_some_and(|kind| !fits(&trigger.target, kind)) {
            return Err(at_line(SqlError::new(&message::EVENT_TYPE_MISPLACED, &[])).into());
        }
        let written = event.span.text(text);
        if kind.is_none() {
            let error = SqlError::new(&message::EVENT_TYPE_INVALID, &[&written]);
            return Err(at_line(error).into());
        }
        if seen.contains(&&*event.name) {
            let error = SqlError::new(&message::EVENT_TYPE_TWICE, &[&written]);
            return Err(at_line(error).into());
        }
        seen.push(&event.name);
    }
    Ok(())
}

/// A trigger's own part: the events that it names, and those in the groups that it names. What
/// was set of an event stays when the trigger is altered.
pub(super) fn definition(
    trigger: &ast::Trigger,
    old: Option<&ModuleDef>,
) -> DdlResult<EventTriggerDef> {
    let old = old.and_then(|old| old.event_trigger());
    let mut events: Vec<FiringEvent> = Vec::new();
    for written in &trigger.events {
        let Some(kind) = event_kind(&written.name) else { continue };
        let group = kind.is_group().then_some(kind.id);
        for event in kind.events().filter(|event| fits(&trigger.target, event)) {
            if events.iter().any(|known| known.event == event.id) {
                continue;
            }
            let kept = old.and_then(|old| old.events.iter().find(|e| e.event == event.id));
            let (first, last) = kept.map_or((false, false), |kept| (kept.first, kept.last));
            events.push(FiringEvent { event: event.id, group, first, last });
        }
    }
    events.sort_by_key(|event| event.event);
    let server = matches!(trigger.target, TriggerTarget::Server);
    Ok(EventTriggerDef { server, events, disabled: old.is_some_and(|old| old.disabled) })
}

/// `DROP TRIGGER … ON DATABASE | ALL SERVER`. Errors 1094, 3701.
pub fn drop(
    context: &mut Context<'_>,
    names: &[ObjectName],
    at: EventTriggers,
    if_exists: bool,
) -> DdlResult<()> {
    names.iter().try_for_each(refuse_schema)?;
    context.lock_edit(at.database)?;
    for name in names {
        let found = find(context, at, &name.name.name)?;
        let found = found.filter(|_| check_permission(context, at));
        match found {
            Some(found) => {
                let key = DefinitionKey::Object(found.id());
                context.change(at.database, |task, txn, edit| edit.drop(task, txn, key))?;
            }
            None if if_exists => {}
            None => {
                let error = crate::ddl::drop::missing("drop", "trigger", name);
                return Err(error.at_line(name.span.line).into());
            }
        }
    }
    Ok(())
}

/// `ENABLE` and `DISABLE TRIGGER … ON DATABASE | ALL SERVER`: without names, all. Errors 1088,
/// 1094.
pub fn toggle(
    context: &mut Context<'_>,
    toggle: &ast::ToggleTrigger,
    at: EventTriggers,
) -> DdlResult<()> {
    toggle.names.iter().try_for_each(refuse_schema)?;
    context.lock_edit(at.database)?;
    let missing = |name: Shown| SqlError::new(&message::CANNOT_FIND_OBJECT, &[name]);
    let mut found = Vec::new();
    for name in &toggle.names {
        let trigger = find(context, at, &name.name.name)?;
        let trigger = trigger.filter(|_| check_permission(context, at));
        found.push(trigger.ok_or_else(|| missing(name).with_state(119))?);
    }
    if toggle.names.is_empty() {
        let schema = context.schema(at.database)?;
        found.extend(schema.event_triggers(at.place).cloned());
        if !check_permission(context, at) {
            return Err(missing(&"ALL").with_state(119).into());
        }
    }
    for trigger in found {
        let mut changed = ModuleDef::clone(&trigger);
        if let ModuleKind::EventTrigger(own) = &mut changed.kind {
            own.disabled = !toggle.enable;
        }
        put_object(context, at.database, ObjectDef::Module(Arc::new(changed)))?;
    }
    Ok(())
}
