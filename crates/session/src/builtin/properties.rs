//! Extended properties: `sp_addextendedproperty`, `sp_updateextendedproperty`,
//! `sp_dropextendedproperty`.

use base::ids::DbId;
use base::value::Variant;
use base::variant::content;
use base::{SqlError, SqlResult, Value, message};
use engine::catalog::Schema;
use engine::catalog::def::{Permission, Securable, SecurableClass as Class};

use super::Arguments;
use crate::context::Context;
use crate::ddl::property::{self, PropertyChange};

/// What the levels name.
struct Target {
    securable: Securable,
    /// As messages call it: `dbo.t.c`.
    name: String,
}

/// `sp_addextendedproperty`. Errors 15135, 15233, 15600.
pub fn add(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let value = value_of(arguments);
    change(context, arguments, PropertyChange::Add(value))
}

/// `sp_updateextendedproperty`. Errors 15135, 15217, 15600.
pub fn update(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let value = value_of(arguments);
    change(context, arguments, PropertyChange::Update(value))
}

/// `sp_dropextendedproperty`. Errors 15135, 15217, 15600.
pub fn drop(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    change(context, arguments, PropertyChange::Drop)
}

fn value_of(arguments: &Arguments<'_>) -> Value {
    match content(arguments.get("@value").0) {
        Some((ty, value)) => Value::Variant(Box::new(Variant { ty, value: value.to_owned() })),
        None => Value::Null,
    }
}

/// Changes a property of what the parameters name.
fn change(
    context: &mut Context<'_>,
    arguments: &Arguments<'_>,
    change: PropertyChange,
) -> SqlResult<i32> {
    let name = arguments.text("@name").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| {
        SqlError::new(&message::SP_PARAMETER_INVALID, &[&"sp_addextendedproperty"])
    })?;
    let database = context.database();
    let schema = context.schema(database)?;
    let target = target(&schema, &context.instance().database_name(database), arguments)?;
    check_permission(context, database, target.securable)?;
    property::change(context, database, target.securable, &target.name, &name, change)?;
    Ok(0)
}

/// Error 15247 unless the session may alter the thing.
fn check_permission(context: &Context<'_>, database: DbId, securable: Securable) -> SqlResult<()> {
    let whole = Securable { minor: 0, ..securable };
    match context.may(database, whole, Permission::Alter) {
        true => Ok(()),
        false => Err(SqlError::new(&message::ONLY_SYSADMIN, &[])),
    }
}

/// What the three levels name. Errors 15135, 15600.
fn target(schema: &Schema, database: &str, arguments: &Arguments<'_>) -> SqlResult<Target> {
    let level = |n: u8| {
        let kind = arguments.text(&format!("@level{n}type"));
        let kind = kind.filter(|k| !k.is_empty()).map(|k| k.to_ascii_uppercase());
        (kind, arguments.text(&format!("@level{n}name")).unwrap_or_default())
    };
    let [(kind0, name0), (kind1, name1), (kind2, name2)] = [level(0), level(1), level(2)];
    let names = [&name0, &name1, &name2];
    let shown = names.into_iter().filter(|n| !n.is_empty()).cloned().collect::<Vec<_>>().join(".");
    let found = match (kind0.as_deref(), kind1.as_deref(), kind2.as_deref()) {
        (None, None, None) => {
            let securable = Securable { class: Class::Database, major: 0, minor: 0 };
            return Ok(Target { securable, name: database.into() });
        }
        (Some("SCHEMA"), None, None) => {
            let found = schema.find_schema(&name0);
            found.map(|s| Securable { class: Class::Schema, major: s.id.0, minor: 0 })
        }
        (Some("USER"), None, None) => {
            let found = schema.find_principal(&name0);
            found.map(|p| Securable { class: Class::DatabasePrincipal, major: p.id.0, minor: 0 })
        }
        (Some("SCHEMA"), Some("TYPE"), None) => schema
            .find_schema(&name0)
            .and_then(|s| schema.find_type(s.id, &name1))
            .map(|t| Securable { class: Class::Type, major: t.id.0, minor: 0 }),
        (Some("SCHEMA"), Some(_), kind2) => object(schema, &name0, &name1, kind2, &name2),
        _ => {
            let procedure = "sp_addextendedproperty";
            return Err(SqlError::new(&message::SP_PARAMETER_INVALID, &[&procedure]));
        }
    };
    let invalid = || SqlError::new(&message::SP_PROPERTY_OBJECT_INVALID, &[&shown]);
    found.map(|securable| Target { securable, name: shown.clone() }).ok_or_else(invalid)
}

/// An object of a schema, or a part of it.
fn object(
    schema: &Schema,
    place: &str,
    name: &str,
    part: Option<&str>,
    part_name: &str,
) -> Option<Securable> {
    let place = schema.find_schema(place)?.id;
    let found = schema.find_object(place, name)?.id();
    let whole = Securable { class: Class::Object, major: found.0, minor: 0 };
    let Some(part) = part else { return Some(whole) };
    let same = |other: &str| schema.same_name(other, part_name);
    let columns = schema.table(found).map(|table| &table.columns);
    match part {
        "COLUMN" => {
            let column = columns?.iter().find(|c| same(&c.name))?;
            Some(Securable { minor: column.id.0, ..whole })
        }
        "INDEX" => {
            let table = schema.table(found)?;
            let index = table.indexes.iter().find(|i| same(&i.name))?;
            Some(Securable { class: Class::Index, major: found.0, minor: index.id.0 })
        }
        "PARAMETER" => {
            let module = schema.module(found)?;
            let at = module.parameters.iter().position(|p| same(&p.name))?;
            Some(Securable { class: Class::Parameter, major: found.0, minor: at as i32 + 1 })
        }
        "CONSTRAINT" | "TRIGGER" => {
            let part = schema.find_object(place, part_name)?;
            let belongs = part.parent() == Some(found);
            belongs.then(|| Securable { major: part.id().0, ..whole })
        }
        _ => None,
    }
}
