//! `sp_flush_CT_internal_table_on_demand`.

use base::{SqlError, SqlResult, Value, message};
use engine::catalog::def::Permission;

use super::Arguments;
use crate::context::Context;
use crate::ddl::tracking::cleanup;
use crate::names::callee::parse_name;

/// Removes aged changes of one tracked table, or of all. Errors 262, 22105.
pub fn clean_up(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let database = context.database();
    context.demand_on_database(database, Permission::Control)?;
    let schema = context.schema(database)?;
    let only = match arguments.text("@TableToClean") {
        None => None,
        Some(name) => {
            let not_tracked = || SqlError::new(&message::CHANGETABLE_NOT_TRACKED, &[&name]);
            let written = parse_name(&name).map_err(|_| not_tracked())?;
            let found = context.find_object(&written)?.filter(|(place, _)| *place == database);
            let table = found.and_then(|(_, id)| schema.table(id));
            Some(table.filter(|table| table.tracking.is_some()).ok_or_else(not_tracked)?.clone())
        }
    };
    let removed = cleanup::remove(context, database, only.as_deref());
    let removed = removed.map_err(|fault| fault.error)?;
    arguments.set("@DeletedRowCount", &Value::Int(i64::try_from(removed).unwrap_or(i64::MAX)));
    Ok(0)
}
