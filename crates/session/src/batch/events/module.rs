//! The events of modules, triggers among them.

use base::SqlResult;
use engine::catalog::def::*;
use engine::catalog::{Object, Schema};
use tsql::ast::{self, CreateAction, Module, TriggerTarget};

use super::document::Elements;
use super::statement::{database_of, facts_of, find, object_facts, schema_of, type_of};
use super::{Context, Event};

pub(super) fn of_module(
    context: &Context<'_>,
    statement: &ast::ModuleStatement,
) -> SqlResult<Vec<Event>> {
    let (name, ty, options) = match &statement.module {
        Module::Procedure(own) => (&own.name, "PROCEDURE", &own.options),
        Module::Function(own) => (&own.name, "FUNCTION", &own.options),
        Module::View(own) => (&own.name, "VIEW", &own.options),
        Module::Trigger(own) => (&own.name, "TRIGGER", &own.options),
    };
    let is_encryption =
        |option: &ast::ModuleOption| matches!(option.kind, ast::ModuleOptionKind::Encryption);
    let encrypted = options.iter().any(is_encryption);
    let verb = |exists: bool| match statement.action {
        CreateAction::Create => "CREATE",
        CreateAction::CreateOrAlter if !exists => "CREATE",
        _ => "ALTER",
    };
    if let Module::Trigger(trigger) = &statement.module {
        return Ok(of_trigger(context, trigger, verb)?
            .into_iter()
            .map(|event| Event { encrypted, ..event })
            .collect());
    }
    let Some(database) = database_of(context, name) else { return Ok(Vec::new()) };
    let found = find(context, name)?;
    let event = format!("{}_{ty}", verb(found.is_some()));
    let schema = match found {
        Some(found) => found.schema,
        None => schema_of(context, database, name)?,
    };
    let facts = object_facts(&schema, &name.name.name, ty);
    Ok(vec![Event { encrypted, ..Event::of_database(&event, database, facts) }])
}

/// A trigger that is made or altered. One on the server is no part of a database, but happens in
/// the current one.
fn of_trigger(
    context: &Context<'_>,
    trigger: &ast::Trigger,
    verb: impl Fn(bool) -> &'static str,
) -> SqlResult<Vec<Event>> {
    let name = &trigger.name.name.name;
    if let TriggerTarget::Object(target) = &trigger.target {
        let Some(on) = find(context, target)? else { return Ok(Vec::new()) };
        let schema = context.schema(on.database)?;
        let place = schema.find_schema(&on.schema).map_or(SchemaId::DBO, |place| place.id);
        let exists = schema.find_object(place, name).is_some();
        let facts = object_facts(&on.schema, name, "TRIGGER")
            .add("TargetObjectName", &on.name)
            .add("TargetObjectType", on.ty);
        let event = format!("{}_TRIGGER", verb(exists));
        return Ok(vec![Event::of_database(&event, on.database, facts)]);
    }
    let (place, schema, on) = match trigger.target {
        TriggerTarget::Server => (SchemaId::SERVER_TRIGGERS, context.master_schema(), "Server"),
        _ => (SchemaId::DATABASE_TRIGGERS, context.schema(context.database())?, "Database"),
    };
    let exists = schema.find_object(place, name).is_some();
    let event = format!("{}_TRIGGER", verb(exists));
    let event = Event::of_database(&event, context.database(), trigger_facts(name, on));
    let creates = (!exists).then(|| (place, name.clone()));
    Ok(vec![Event { creates, ..event }])
}

/// The facts about a trigger that is on no object.
pub(super) fn trigger_facts(name: &str, on: &str) -> Elements {
    object_facts("", name, "TRIGGER").add("TargetObjectName", "").add("TargetObjectType", on)
}

/// The facts about an object, and about the one that it belongs to, if there is one.
pub(super) fn facts_with_parent(schema: &Schema, object: &Object<'_>) -> Elements {
    let on = object.parent().and_then(|on| schema.object(on));
    facts_of(schema, object)
        .add("TargetObjectName", on.map_or("", |on| on.name()))
        .add("TargetObjectType", on.map_or("", |on| type_of(on.kind())))
}

pub(super) fn dropped_triggers(
    context: &Context<'_>,
    drop: &ast::DropTrigger,
) -> SqlResult<Vec<Event>> {
    let mut events = Vec::new();
    for name in &drop.names {
        let (place, schema, on) = match &drop.target {
            Some(TriggerTarget::Server) => {
                (SchemaId::SERVER_TRIGGERS, context.master_schema(), "Server")
            }
            Some(_) => {
                (SchemaId::DATABASE_TRIGGERS, context.schema(context.database())?, "Database")
            }
            None => {
                let found = find(context, name)?.filter(|found| found.ty == "TRIGGER");
                let Some(found) = found else { continue };
                let schema = context.schema(found.database)?;
                let place = schema.find_schema(&found.schema).map(|place| place.id);
                let object = place.and_then(|place| schema.find_object(place, &found.name));
                let Some(object) = object else { continue };
                let facts = facts_with_parent(&schema, &object);
                events.push(Event::of_database("DROP_TRIGGER", found.database, facts));
                continue;
            }
        };
        if let Some(found) = schema.find_object(place, &name.name.name) {
            let facts = trigger_facts(found.name(), on);
            events.push(Event::of_database("DROP_TRIGGER", context.database(), facts));
        }
    }
    Ok(events)
}
