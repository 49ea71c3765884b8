//! `sp_row_cache_prewarm`.

use base::{SqlError, SqlResult, message};
use engine::catalog::def::Permission;
use engine::hot::visibility::Isolation;
use engine::txn::ReadAt;

use super::Arguments;
use super::naming::found_object;
use crate::context::Context;
use crate::names::callee::parse_name;

/// Brings the rows of a table into the row cache, in the order of their keys, as long as there is
/// room; says how many. Errors 15165, 229, and 50000 where row caching is off.
pub fn prewarm(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let written = arguments.text("@table_name").unwrap_or_else(|| "(null)".into());
    let missing = || SqlError::new(&message::SP_OBJECT_NOT_FOUND_OR_DENIED, &[&written]);
    let name = parse_name(&written).map_err(|_| missing())?;
    let database = context.database();
    let id = found_object(context, database, &name)?.ok_or_else(missing)?;
    let schema = context.schema(database)?;
    let def = schema.table(id).ok_or_else(missing)?;
    context.demand_on_object(database, id, Permission::Alter)?;
    if !def.row_cached {
        let text = format!("Row caching is off for the table '{written}'.");
        return Err(SqlError::custom(50000, 16, 1, text));
    }
    let rows = context.definition(|context| {
        let task = context.task;
        let table = context.catalog(database)?.table(def).ok_or_else(missing)?;
        let part = context.transaction(database)?;
        let mut statement = part.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let rows = part.prewarm(task, &table);
        part.end_statement(&mut statement);
        Ok(rows)
    })?;
    let rows = rows.map_err(|error| context.instance().engine_error(database, &error))?;
    let text = format!("{rows} rows of the table '{written}' are in the row cache now.");
    context.inform(SqlError::custom(0, 10, 1, text))?;
    Ok(0)
}
