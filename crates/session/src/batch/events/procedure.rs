//! The events of system procedures that change the catalog without a statement.

use base::SqlResult;
use base::convert::display;
use base::variant::content;
use engine::catalog::def::SchemaId;
use tsql::ast;

use super::document::Elements;
use super::module::{facts_with_parent, trigger_facts};
use super::statement::{changed_database, name_of_schema, object_facts, type_of};
use super::{Context, Event, When};
use crate::builtin::Arguments;
use crate::fault::Run;
use crate::names::callee::parse_name;
use crate::sysproc::Builtin;

/// Whether triggers may wait for what a procedure does.
pub(in crate::batch) fn is_announced(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::Rename
            | Builtin::BindDefault
            | Builtin::BindRule
            | Builtin::UnbindDefault
            | Builtin::UnbindRule
            | Builtin::AddProperty
            | Builtin::UpdateProperty
            | Builtin::DropProperty
            | Builtin::SetTriggerOrder
            | Builtin::AddMessage
            | Builtin::DropMessage
            | Builtin::Configure
    )
}

impl Context<'_> {
    /// Runs a procedure that changes the catalog, and the triggers that wait for that.
    pub(in crate::batch) fn announced_call<T>(
        &mut self,
        builtin: Builtin,
        arguments: &mut Arguments<'_>,
        run: impl FnOnce(&mut Context<'_>, &mut Arguments<'_>) -> Run<T>,
    ) -> Run<T> {
        if !is_announced(builtin) || !self.is_watched(false) {
            return run(self, arguments);
        }
        let events = events(self, builtin, arguments)?;
        let command = self.session.command.take().unwrap_or_default();
        let when = match events.iter().any(|event| event.kind.name == "ALTER_DATABASE") {
            true => When::Before,
            false => When::After,
        };
        self.with_events(&events, when, &command, |c| run(c, arguments))
    }
}

fn events(
    context: &Context<'_>,
    builtin: Builtin,
    arguments: &Arguments<'_>,
) -> SqlResult<Vec<Event>> {
    match builtin {
        Builtin::Rename => renamed(context, arguments),
        Builtin::BindDefault => bound(context, arguments, "BIND_DEFAULT", Some("@defname")),
        Builtin::BindRule => bound(context, arguments, "BIND_RULE", Some("@rulename")),
        Builtin::UnbindDefault => bound(context, arguments, "UNBIND_DEFAULT", None),
        Builtin::UnbindRule => bound(context, arguments, "UNBIND_RULE", None),
        Builtin::AddProperty => property(context, arguments, "CREATE_EXTENDED_PROPERTY"),
        Builtin::UpdateProperty => property(context, arguments, "ALTER_EXTENDED_PROPERTY"),
        Builtin::DropProperty => property(context, arguments, "DROP_EXTENDED_PROPERTY"),
        Builtin::SetTriggerOrder => ordered(context, arguments),
        Builtin::AddMessage | Builtin::DropMessage => {
            let replaces = builtin == Builtin::AddMessage
                && arguments.text("@replace").is_some_and(|r| r.eq_ignore_ascii_case("replace"));
            let event = match builtin {
                _ if replaces => "ALTER_MESSAGE",
                Builtin::AddMessage => "CREATE_MESSAGE",
                _ => "DROP_MESSAGE",
            };
            let number = arguments.int("@msgnum").unwrap_or_default().to_string();
            let facts = Elements::default().add("ObjectName", &number).add("ObjectType", "MESSAGE");
            Ok(vec![Event::of_server(event, facts)])
        }
        Builtin::Configure => {
            let name = arguments.text("@name").unwrap_or_default();
            let value = arguments.int("@value").unwrap_or_default().to_string();
            let facts = Elements::default()
                .add("PropertyName", &name)
                .add("PropertyValue", &value)
                .list("Parameters", "Param", [&*name, &*value]);
            Ok(vec![Event::of_server("ALTER_INSTANCE", facts)])
        }
        _ => Ok(Vec::new()),
    }
}

/// A procedure's parameters as an element.
fn parameters(facts: Elements, arguments: &Arguments<'_>, names: &[&str]) -> Elements {
    let values: Vec<String> = names.iter().map(|name| shown(arguments, name)).collect();
    facts.list("Parameters", "Param", values.iter().map(|value| &**value))
}

/// A parameter's value as text; nothing for NULL.
fn shown(arguments: &Arguments<'_>, name: &str) -> String {
    match arguments.get(name) {
        (value, _) if value.is_null() => String::new(),
        (value, ty) if ty.kind == base::TypeKind::SqlVariant => {
            content(value).map_or_else(String::new, |(ty, value)| display(value, &ty))
        }
        (value, ty) => display(value, &ty),
    }
}

fn renamed(context: &Context<'_>, arguments: &Arguments<'_>) -> SqlResult<Vec<Event>> {
    let old = arguments.text("@objname").unwrap_or_default();
    let new = arguments.text("@newname").unwrap_or_default();
    let kind = arguments.text("@objtype").map(|kind| kind.to_ascii_uppercase());
    let Ok(name) = parse_name(&old) else { return Ok(Vec::new()) };
    let database = context.database();
    let schema = context.schema(database)?;
    let default = context.user(database)?.default_schema;
    let find = |place: &Option<ast::Ident>, name: &str| match place {
        Some(place) => schema.find_object(schema.find_schema(&place.name)?.id, name),
        None => schema.resolve_object(default, name),
    };
    let facts = match kind.as_deref() {
        Some("DATABASE") => {
            let found = context.session.instance.find_database(&name.name.name);
            return Ok(changed_database(context, "ALTER_DATABASE", found));
        }
        Some(part @ ("COLUMN" | "INDEX")) => {
            let table = name.schema.as_ref().and_then(|table| find(&name.database, &table.name));
            table.map(|table| {
                let place = name_of_schema(&schema, table.schema());
                object_facts(&place, &name.name.name, part)
                    .add("TargetObjectName", table.name())
                    .add("TargetObjectType", type_of(table.kind()))
            })
        }
        Some("USERDATATYPE") => schema.resolve_type(default, &name.name.name).map(|found| {
            let place = name_of_schema(&schema, found.schema);
            let facts = object_facts(&place, &found.name, "TYPE");
            facts.add("TargetObjectName", "").add("TargetObjectType", "")
        }),
        _ => {
            let found = find(&name.schema, &name.name.name);
            found.map(|found| facts_with_parent(&schema, &found))
        }
    };
    let Some(facts) = facts else { return Ok(Vec::new()) };
    let facts = facts.add("NewObjectName", &new);
    let facts = parameters(facts, arguments, &["@objname", "@newname", "@objtype"]);
    Ok(vec![Event::of_database("RENAME", database, facts)])
}

/// What binds a default or rule, or unbinds one.
fn bound(
    context: &Context<'_>,
    arguments: &Arguments<'_>,
    event: &str,
    object: Option<&'static str>,
) -> SqlResult<Vec<Event>> {
    let database = context.database();
    let ty = if event.ends_with("RULE") { "RULE" } else { "DEFAULT" };
    let names: Vec<&str> = object.into_iter().chain(["@objname", "@futureonly"]).collect();
    let written = object.and_then(|object| arguments.text(object)).unwrap_or_default();
    let name = parse_name(&written).map_or(String::new(), |name| name.name.name.to_string());
    let place = name_of_schema(&*context.schema(database)?, SchemaId::DBO);
    let facts = object_facts(&place, &name, ty)
        .add("TargetObjectName", &shown(arguments, "@objname"))
        .add("TargetObjectType", "");
    Ok(vec![Event::of_database(event, database, parameters(facts, arguments, &names))])
}

/// A change of an extended property, of what the deepest of its levels names.
fn property(
    context: &Context<'_>,
    arguments: &Arguments<'_>,
    event: &str,
) -> SqlResult<Vec<Event>> {
    let database = context.database();
    let level = |n: u8| {
        let kind = shown(arguments, &format!("@level{n}type")).to_ascii_uppercase();
        (kind, shown(arguments, &format!("@level{n}name")))
    };
    let [(kind0, name0), (kind1, name1), (kind2, name2)] = [level(0), level(1), level(2)];
    let (place, name, ty, on) = if !kind2.is_empty() {
        (&*name0, &*name2, &*kind2, (&*name1, &*kind1))
    } else if !kind1.is_empty() {
        (&*name0, &*name1, &*kind1, ("", ""))
    } else if !kind0.is_empty() {
        ("", &*name0, &*kind0, ("", ""))
    } else {
        ("", &*context.session.instance.database_name(database), "DATABASE", ("", ""))
    };
    let facts = object_facts(place, name, ty)
        .add("TargetObjectName", on.0)
        .add("TargetObjectType", on.1)
        .add("PropertyName", &shown(arguments, "@name"));
    let levels =
        ["@level0type", "@level0name", "@level1type", "@level1name", "@level2type", "@level2name"];
    let (facts, first) = match event {
        "DROP_EXTENDED_PROPERTY" => (facts, &["@name"][..]),
        _ => (facts.add("PropertyValue", &shown(arguments, "@value")), &["@name", "@value"][..]),
    };
    let names: Vec<&str> = first.iter().chain(&levels).copied().collect();
    Ok(vec![Event::of_database(event, database, parameters(facts, arguments, &names))])
}

/// `sp_settriggerorder`, which alters a trigger.
fn ordered(context: &Context<'_>, arguments: &Arguments<'_>) -> SqlResult<Vec<Event>> {
    let database = context.database();
    let Ok(name) = parse_name(&arguments.text("@triggername").unwrap_or_default()) else {
        return Ok(Vec::new());
    };
    let namespace = arguments.text("@namespace").map(|namespace| namespace.to_ascii_uppercase());
    let schema = context.schema(database)?;
    let own = &name.name.name;
    let facts = match namespace.as_deref() {
        Some("SERVER") => {
            let master = context.master_schema();
            let found = master.find_object(SchemaId::SERVER_TRIGGERS, own);
            found.map(|found| trigger_facts(found.name(), "Server"))
        }
        Some("DATABASE") => {
            let found = schema.find_object(SchemaId::DATABASE_TRIGGERS, own);
            found.map(|found| trigger_facts(found.name(), "Database"))
        }
        _ => {
            let default = context.user(database)?.default_schema;
            let found = match &name.schema {
                Some(place) => schema
                    .find_schema(&place.name)
                    .and_then(|place| schema.find_object(place.id, own)),
                None => schema.resolve_object(default, own),
            };
            found.map(|found| facts_with_parent(&schema, &found))
        }
    };
    Ok(facts.into_iter().map(|f| Event::of_database("ALTER_TRIGGER", database, f)).collect())
}
