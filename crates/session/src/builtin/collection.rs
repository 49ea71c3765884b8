//! `sp_xtp_control_proc_exec_stats` and `sp_xtp_control_query_exec_stats`: whether runs of natively
//! compiled modules, and of their statements, are counted.

use base::ids::{DbId, ObjectId};
use base::{SqlResult, Value};

use super::Arguments;
use crate::context::Context;

const NEW: &str = "@new_collection_value";
const OLD: &str = "@old_collection_value";

/// The status of a call that has changed nothing.
const FAILED: i32 = 1;

/// `sp_xtp_control_proc_exec_stats`. Error 15247.
pub fn modules(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let instance = context.instance();
    let before = instance.collection.counts_modules();
    if let Some(wanted) = arguments.int(NEW) {
        instance.collection.count_modules(wanted != 0);
    }
    arguments.set(OLD, &Value::Int(before.into()));
    Ok(0)
}

/// `sp_xtp_control_query_exec_stats`: of all modules, or of the one that is named by its ids.
/// Errors 15247, and those of databases that cannot be used.
pub fn statements(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let instance = context.instance();
    let id = |name| arguments.int(name).and_then(|id| i32::try_from(id).ok());
    let wanted = arguments.int(NEW).map(|wanted| wanted != 0);
    let before = match (id("@database_id"), id("@xtp_object_id")) {
        (None, None) => {
            let before = instance.collection.counts_all_statements();
            if let Some(wanted) = wanted {
                instance.collection.count_statements(wanted);
            }
            before
        }
        (Some(database), Some(module)) => {
            let (database, module) = (DbId(database), ObjectId(module));
            let schema = context.schema(database)?;
            if !schema.module(module).is_some_and(|found| found.native) {
                return Ok(FAILED);
            }
            let before = instance.collection.counts_statements_of(database, module);
            if let Some(wanted) = wanted {
                instance.collection.count_statements_of(database, module, wanted);
            }
            before
        }
        _ => return Ok(FAILED),
    };
    arguments.set(OLD, &Value::Int(before.into()));
    Ok(0)
}
