//! `sp_cleanup_temporal_history`.

use base::{SqlError, SqlResult, Value, message};
use engine::catalog::def::Permission;

use super::Arguments;
use crate::context::Context;
use crate::ddl::temporal::cleanup;

/// Removes aged rows from the history of a table. Errors 208, 229, 13746 and 13747.
pub fn clean_up(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let place = arguments.text("@schema_name").unwrap_or_default();
    let name = arguments.text("@table_name").unwrap_or_default();
    let rows_max = arguments.int("@rows_max").and_then(|rows| u64::try_from(rows).ok());
    let database = context.database();
    let schema = context.schema(database)?;
    let found = schema.find_schema(&place).and_then(|own| schema.find_object(own.id, &name));
    let missing = || SqlError::new(&message::INVALID_OBJECT, &[&format!("{place}.{name}")]);
    let id = found.map(|object| object.id()).ok_or_else(missing)?;
    context.demand_on_object(database, id, Permission::Control)?;
    if schema.table(id).is_none() {
        return Err(SqlError::new(&message::NOT_TEMPORAL, &[&format!("{place}.{name}")]));
    }
    let removed = cleanup::remove(context, database, id, rows_max).map_err(|fault| fault.error)?;
    arguments.set("@rowcount", &Value::Int(removed.min(i32::MAX as u64) as i64));
    Ok(0)
}
