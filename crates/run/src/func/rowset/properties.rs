//! `fn_listextendedproperty`: the extended properties of things that up to three levels name.

use base::{Collation, SqlResult, SqlType, Value, ValueRef};
use engine::catalog::Schema;
use engine::catalog::def::{ObjectKind, SchemaId, Securable, SecurableClass};
use ir::function::facts::FnContext;
use ir::function::rowset::{Emit, RowsetColumn, RowsetTypes, column};
use ir::function::signature::Call;

use crate::func::values::{optional_text, string, variant};

/// Name of a property, then type and name of three levels.
pub(super) const ARGUMENTS: u8 = 7;

pub(super) fn types(_: &Call<'_>) -> SqlResult<RowsetTypes> {
    let args = vec![SqlType::sysname(Collation::DEFAULT); usize::from(ARGUMENTS)];
    Ok(RowsetTypes { args, visible: 4 })
}

pub(super) fn columns(_: &[SqlType]) -> Vec<RowsetColumn> {
    let sysname = SqlType::sysname(Collation::DEFAULT);
    vec![
        column("objtype", sysname, true),
        column("objname", sysname, true),
        column("name", sysname, false),
        column("value", SqlType::sql_variant(), true),
    ]
}

/// A thing that has properties, and what it is called.
struct Described {
    securable: Securable,
    name: Option<String>,
}

/// A level: the type of things, and which one; all of them without a name.
struct Level {
    kind: Option<String>,
    name: Option<String>,
}

impl Level {
    /// Whether a thing of this name is meant.
    fn takes(&self, schema: &Schema, name: &str) -> bool {
        self.name.as_deref().is_none_or(|wanted| schema.same_name(wanted, name))
    }
}

pub(super) fn fill<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &[SqlType],
    emit: &mut Emit<'_>,
) -> SqlResult<()> {
    let Some(schema) = ctx.facts.schema(ctx.facts.current_database()) else { return Ok(()) };
    let texts: Vec<Option<String>> =
        args.iter().zip(types).map(|(value, ty)| optional_text(*value, ty)).collect();
    let level = |at: usize| Level {
        kind: texts[at].as_ref().map(|kind| kind.to_ascii_uppercase()),
        name: texts[at + 1].clone(),
    };
    let levels = [level(1), level(3), level(5)];
    let deepest = levels.iter().rev().find_map(|level| level.kind.clone());
    for described in described(&schema, &levels) {
        let Some(set) = schema.properties_of(described.securable) else { continue };
        for property in &set.properties {
            if texts[0].as_deref().is_some_and(|wanted| !schema.same_name(wanted, &property.name)) {
                continue;
            }
            let sysname = &types[0];
            let optional = |text: &Option<String>| match text {
                Some(text) => string(ctx.arena, text, sysname),
                None => ValueRef::Null,
            };
            let value = match &property.value {
                Value::Variant(inner) => variant(ctx.arena, &inner.ty, inner.value.as_ref()),
                _ => ValueRef::Null,
            };
            let name = string(ctx.arena, &property.name, sysname);
            emit(&[optional(&deepest), optional(&described.name), name, value])?;
        }
    }
    Ok(())
}

/// The things that the levels name.
fn described(schema: &Schema, [first, second, third]: &[Level; 3]) -> Vec<Described> {
    let of = |class, major, name: &str| Described {
        securable: Securable { class, major, minor: 0 },
        name: Some(name.to_owned()),
    };
    match (first.kind.as_deref(), second.kind.as_deref()) {
        (None, _) => {
            let securable = Securable { class: SecurableClass::Database, major: 0, minor: 0 };
            vec![Described { securable, name: None }]
        }
        (Some("SCHEMA"), None) => {
            let schemas = schema.schemas().iter().filter(|s| first.takes(schema, &s.name));
            schemas.map(|s| of(SecurableClass::Schema, s.id.0, &s.name)).collect()
        }
        (Some("USER"), None) => {
            let users = schema.principals().iter().filter(|p| first.takes(schema, &p.name));
            users.map(|p| of(SecurableClass::DatabasePrincipal, p.id.0, &p.name)).collect()
        }
        (Some("SCHEMA"), Some(kind)) => {
            let Some(place) = first.name.as_deref().and_then(|name| schema.find_schema(name))
            else {
                return Vec::new();
            };
            if kind == "TYPE" {
                let types = schema.types().iter().filter(|t| t.schema == place.id);
                let types = types.filter(|t| second.takes(schema, &t.name));
                return types.map(|t| of(SecurableClass::Type, t.id.0, &t.name)).collect();
            }
            in_schema(schema, place.id, kind, second, third)
        }
        _ => Vec::new(),
    }
}

/// The objects of a schema that a level names, or parts of them.
fn in_schema(
    schema: &Schema,
    place: SchemaId,
    kind: &str,
    objects: &Level,
    parts: &Level,
) -> Vec<Described> {
    let mut found = Vec::new();
    for object in schema.objects_in(place) {
        if !is_of_kind(object.kind(), kind) || !objects.takes(schema, object.name()) {
            continue;
        }
        let major = object.id().0;
        let mut add = |class, major, minor, name: &str| {
            let securable = Securable { class, major, minor };
            found.push(Described { securable, name: Some(name.to_owned()) });
        };
        let Some(part) = parts.kind.as_deref() else {
            add(SecurableClass::Object, major, 0, object.name());
            continue;
        };
        let table = schema.table(object.id());
        let module = schema.module(object.id());
        match part {
            "COLUMN" => {
                let columns = table.map(|t| &t.columns[..]).or(module.and_then(|m| m.columns()));
                for column in columns.unwrap_or_default() {
                    if parts.takes(schema, &column.name) {
                        add(SecurableClass::Object, major, column.id.0, &column.name);
                    }
                }
            }
            "INDEX" => {
                for index in table.into_iter().flat_map(|t| &t.indexes) {
                    if parts.takes(schema, &index.name) {
                        add(SecurableClass::Index, major, index.id.0, &index.name);
                    }
                }
            }
            "PARAMETER" => {
                let parameters = module.into_iter().flat_map(|m| &m.parameters);
                for (parameter, number) in parameters.zip(1..) {
                    if parts.takes(schema, &parameter.name) {
                        add(SecurableClass::Parameter, major, number, &parameter.name);
                    }
                }
            }
            "CONSTRAINT" | "TRIGGER" => {
                for inner in schema.objects_in(place).filter(|o| o.parent() == Some(object.id())) {
                    let is_trigger = inner.kind() == ObjectKind::Trigger;
                    if is_trigger == (part == "TRIGGER") && parts.takes(schema, inner.name()) {
                        add(SecurableClass::Object, inner.id().0, 0, inner.name());
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether an object is what a level calls its type.
fn is_of_kind(object: ObjectKind, kind: &str) -> bool {
    use ObjectKind::*;
    match kind {
        "TABLE" => object == Table,
        "VIEW" => object == View,
        "PROCEDURE" => object == Procedure,
        "FUNCTION" => matches!(object, ScalarFunction | InlineFunction | TableFunction),
        "SEQUENCE" => object == Sequence,
        "SYNONYM" => object == Synonym,
        _ => false,
    }
}
