//! `sp_sequence_get_range`.

use base::value::Variant;
use base::{SqlError, SqlResult, SqlType, Value, message};
use engine::catalog::def::Permission;

use super::Arguments;
use super::naming::found_object;
use crate::context::Context;
use crate::names::callee::parse_name;

/// Takes values that follow each other. Errors 208, 229, 11726, 11728, 11732, 11733.
pub fn get_range(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let written = arguments.text("@sequence_name").unwrap_or_default();
    let name = parse_name(&written)?;
    let database = context.database();
    let missing = || SqlError::new(&message::INVALID_OBJECT, &[&written]);
    let id = found_object(context, database, &name)?.ok_or_else(missing)?;
    let schema = context.schema(database)?;
    let def = schema.sequence(id);
    let def = def.ok_or_else(|| SqlError::new(&message::NOT_A_SEQUENCE, &[&written]))?;
    context.demand_on_object(database, id, Permission::Update)?;
    let count = arguments.int("@range_size").and_then(|size| u64::try_from(size).ok());
    let count = count.filter(|count| *count > 0);
    let invalid = || SqlError::new(&message::PARAMETER_NOT_POSITIVE, &[&"@range_size"]);
    let count = count.ok_or_else(invalid)?;
    let access = context.session.access(database)?;
    let (sequences, place) = (access.catalog.sequences(), &access.place);
    let range = sequences.range(context.task, place, id, count);
    let range = range.map_err(|error| context.session.sequence_error(database, id, error))?;
    let numbers = [
        ("@range_first_value", range.first.into()),
        ("@range_last_value", range.last.into()),
        ("@sequence_increment", def.increment),
        ("@sequence_min_value", def.minimum),
        ("@sequence_max_value", def.maximum),
    ];
    for (parameter, number) in numbers {
        arguments.set(parameter, &variant(def.ty, number));
    }
    arguments.set("@range_cycle_count", &Value::Int(range.cycles.min(i32::MAX.into())));
    Ok(0)
}

/// A number as a variant of the sequence's type.
fn variant(ty: SqlType, number: i128) -> Value {
    let value = match ty.kind.is_decimal() {
        true => Value::Decimal(number),
        false => Value::Int(number as i64),
    };
    Value::Variant(Box::new(Variant { ty, value }))
}
