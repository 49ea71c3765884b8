//! `sp_xtp_bind_db_resource_pool` and `sp_xtp_unbind_db_resource_pool`.

use std::sync::Arc;

use base::ids::DbId;
use base::{SqlError, SqlResult, message};
use engine::catalog::Definition;
use engine::catalog::def::{DatabaseDef, DatabaseOptions, ResourcePoolDef};

use super::Arguments;
use crate::context::Context;

type Shown<'a> = &'a dyn std::fmt::Display;

/// The user database that a procedure is about. Errors 911, 41371.
fn database(context: &Context<'_>, arguments: &Arguments<'_>) -> SqlResult<Arc<DatabaseDef>> {
    /// The system databases have the ids up to this one.
    const SYSTEM_LAST: DbId = DbId::MSDB;
    let name = arguments.text("@database_name").unwrap_or_default();
    let Some(def) = context.instance().find_database(&name) else {
        return Err(SqlError::new(&message::DATABASE_NOT_FOUND, &[&name]));
    };
    match def.id <= SYSTEM_LAST {
        true => Err(SqlError::new(&message::BINDING_NOT_FOR_SYSTEM_DATABASE, &[&def.name])),
        false => Ok(def),
    }
}

fn put(context: &mut Context<'_>, def: &DatabaseDef, resource_pool: i32) -> SqlResult<()> {
    let options = DatabaseOptions { resource_pool, ..def.options.clone() };
    let def = Arc::new(DatabaseDef { options, ..def.clone() });
    context.definition(|context| {
        context.lock_edit(DbId::MASTER)?;
        context.change(DbId::MASTER, |task, part, edit| {
            edit.put(task, part, Definition::Database(def.clone()))
        })
    })?;
    context.instance().note_database_change();
    context.instance().govern();
    Ok(())
}

/// Binds a database to a pool that users have made and that is in use; it is limited by it at once.
/// Errors 41370, 41372, 41373.
pub fn bind(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let def = database(context, arguments)?;
    let name = arguments.text("@pool_name").unwrap_or_default();
    let pools = context.instance().resource_pools();
    let found = pools.iter().find(|pool| pool.name.eq_ignore_ascii_case(&name));
    let Some(pool) = found.filter(|pool| pool.active || pool.id < ResourcePoolDef::FIRST) else {
        return Err(SqlError::new(&message::RESOURCE_POOL_NOT_FOUND, &[&name]));
    };
    if pool.id < ResourcePoolDef::FIRST {
        let args: [Shown; 2] = [&def.name, &pool.name];
        return Err(SqlError::new(&message::CANNOT_BIND_TO_POOL, &args));
    }
    if def.options.resource_pool != 0 {
        return Err(SqlError::new(&message::ALREADY_BOUND_TO_POOL, &[&def.name]));
    }
    put(context, &def, pool.id)?;
    Ok(0)
}

/// Ends the binding of a database. Error 41374.
pub fn unbind(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let def = database(context, arguments)?;
    if def.options.resource_pool == 0 {
        return Err(SqlError::new(&message::NOT_BOUND_TO_POOL, &[&def.name]));
    }
    put(context, &def, 0)?;
    Ok(0)
}
