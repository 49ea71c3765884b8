//! `sp_settriggerorder`.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlResult, message};
use engine::catalog::def::{
    ModuleDef, ModuleKind, Permission, SchemaId, Securable, SecurableClass,
    TriggerEventKind as Kind,
};
use engine::catalog::{Definition, ObjectDef, event_kind};

use super::Arguments;
use crate::context::Context;
use crate::ddl::{EventTriggers, may_define_event_triggers};
use crate::names::callee::parse_name;

/// `sp_settriggerorder`. Errors 15130, 15165, 15247, 15600.
pub fn set_order(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let invalid = || SqlError::new(&message::SP_PARAMETER_INVALID, &[&"sys.sp_settriggerorder"]);
    let upper = |name: &str| arguments.text(name).unwrap_or_default().to_ascii_uppercase();
    let (first, last) = match upper("@order").as_str() {
        "FIRST" => (true, false),
        "LAST" => (false, true),
        "NONE" => (false, false),
        _ => return Err(invalid()),
    };
    if !arguments.is_null("@namespace") {
        return set_event_order(context, arguments, (first, last));
    }
    let kind = match upper("@stmttype").as_str() {
        "INSERT" => Kind::Insert,
        "UPDATE" => Kind::Update,
        "DELETE" => Kind::Delete,
        _ => return Err(invalid()),
    };
    let name = arguments.text("@triggername").unwrap_or_default();
    let missing = || SqlError::new(&message::SP_OBJECT_NOT_FOUND_OR_DENIED, &[&name]);
    let (database, id) = context.find_object(&parse_name(&name)?)?.ok_or_else(missing)?;
    context.definition(|context| {
        context.lock_edit(database)?;
        let schema = context.schema(database)?;
        let trigger = schema.module(id).filter(|m| m.trigger().is_some()).ok_or_else(missing)?;
        let mut changed = ModuleDef::clone(trigger);
        let ModuleKind::Trigger(def) = &mut changed.kind else { return Err(missing()) };
        let class = SecurableClass::Object;
        let parent = Securable { class, major: def.parent.0, minor: 0 };
        if !context.may(database, parent, Permission::Alter) {
            return Err(SqlError::new(&message::ONLY_SYSADMIN, &[]));
        }
        let event = def.events.iter_mut().find(|event| event.kind == kind);
        let event = event.filter(|_| !def.instead_of).ok_or_else(invalid)?;
        (event.first, event.last) = (first, last);
        if first || last {
            let others = schema.modules().filter(|m| m.id() != id).filter_map(|m| m.trigger());
            let mut same = others.filter(|t| t.parent.0 == parent.major).flat_map(|t| &t.events);
            let taken = |e: &&_| {
                let e: &engine::catalog::def::TriggerEvent = e;
                e.kind == kind && (first && e.first || last && e.last)
            };
            if same.any(|event| taken(&event)) {
                let order = if first { "first" } else { "last" };
                let args: [&dyn std::fmt::Display; 2] = [&order, &kind.description()];
                return Err(SqlError::new(&message::TRIGGER_ORDER_TAKEN, &args));
            }
        }
        context.change(database, |task, part, edit| {
            let changed = ObjectDef::Module(Arc::new(changed));
            edit.put(task, part, Definition::Object(changed))
        })
    })?;
    Ok(0)
}

/// `sp_settriggerorder` for a trigger on the database or the server. Errors 15125, 15130, 15165,
/// 15247, 15600.
fn set_event_order(
    context: &mut Context<'_>,
    arguments: &Arguments<'_>,
    (first, last): (bool, bool),
) -> SqlResult<i32> {
    let invalid = || SqlError::new(&message::SP_PARAMETER_INVALID, &[&"sys.sp_settriggerorder"]);
    let upper = |name: &str| arguments.text(name).unwrap_or_default().to_ascii_uppercase();
    let at = match upper("@namespace").as_str() {
        "DATABASE" => {
            EventTriggers { database: context.database(), place: SchemaId::DATABASE_TRIGGERS }
        }
        "SERVER" => EventTriggers { database: DbId::MASTER, place: SchemaId::SERVER_TRIGGERS },
        _ => return Err(invalid()),
    };
    let event = upper("@stmttype");
    let kind = event_kind(&event).filter(|kind| !kind.is_group()).ok_or_else(invalid)?;
    let written = arguments.text("@triggername").unwrap_or_default();
    let name = parse_name(&written)?.name.name;
    let missing = || SqlError::new(&message::SP_OBJECT_NOT_FOUND_OR_DENIED, &[&written]);
    context.definition(|context| {
        context.lock_edit(at.database)?;
        let schema = context.schema(at.database)?;
        let found =
            schema.event_triggers(at.place).find(|t| schema.same_name(&t.header.name, &name));
        let trigger =
            found.filter(|_| may_define_event_triggers(context, at)).ok_or_else(missing)?;
        let mut changed = ModuleDef::clone(trigger);
        let ModuleKind::EventTrigger(def) = &mut changed.kind else { return Err(missing()) };
        let Some(own) = def.events.iter_mut().find(|own| own.event == kind.id) else {
            let args: [&dyn std::fmt::Display; 2] = [&written, &kind.name];
            return Err(SqlError::new(&message::SP_NOT_A_TRIGGER_OF, &args));
        };
        (own.first, own.last) = (first, last);
        let others = schema.event_triggers(at.place).filter(|t| t.id() != trigger.id());
        let mut others = others.filter_map(|t| t.event_trigger()).flat_map(|t| &t.events);
        let is_taken = others
            .any(|other| other.event == kind.id && (first && other.first || last && other.last));
        if is_taken {
            let order = if first { "first" } else { "last" };
            let args: [&dyn std::fmt::Display; 2] = [&order, &kind.name.to_lowercase()];
            return Err(SqlError::new(&message::TRIGGER_ORDER_TAKEN, &args));
        }
        context.change(at.database, |task, part, edit| {
            let changed = ObjectDef::Module(Arc::new(changed.clone()));
            edit.put(task, part, Definition::Object(changed))
        })
    })?;
    Ok(0)
}
