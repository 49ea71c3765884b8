//! `sp_settriggerorder`.

use std::sync::Arc;

use base::{SqlError, SqlResult, message};
use engine::catalog::def::{
    ModuleDef, ModuleKind, Permission, Securable, SecurableClass, TriggerEventKind as Kind,
};
use engine::catalog::{Definition, ObjectDef};

use super::Arguments;
use crate::context::Context;
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
