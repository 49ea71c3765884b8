//! `sp_flush_CT_internal_table_on_demand`.

use base::{SqlError, SqlResult, Value, message};
use engine::catalog::Object;
use engine::catalog::def::Permission;

use super::Arguments;
use crate::context::Context;
use crate::ddl::tracking::cleanup;

/// Removes aged changes of one tracked table, or of all. Errors 262, 22105.
pub fn clean_up(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let database = context.database();
    context.demand_on_database(database, Permission::Control)?;
    let schema = context.schema(database)?;
    let only = match arguments.text("@TableToClean") {
        None => None,
        Some(name) => {
            let place = context.user(database)?.default_schema;
            let found = match name.rsplit_once('.') {
                Some((own, bare)) => {
                    schema.find_schema(own).and_then(|own| schema.find_object(own.id, bare))
                }
                None => schema.resolve_object(place, &name),
            };
            match found {
                Some(Object::Table(table)) if table.tracking.is_some() => Some(table.clone()),
                _ => return Err(SqlError::new(&message::CHANGETABLE_NOT_TRACKED, &[&name])),
            }
        }
    };
    let removed = cleanup::remove(context, database, only.as_deref());
    let removed = removed.map_err(|fault| fault.error)?;
    arguments.set("@DeletedRowCount", &Value::Int(i64::try_from(removed).unwrap_or(i64::MAX)));
    Ok(0)
}
