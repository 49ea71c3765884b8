//! The part of `sp_configure` that changes a setting.

use base::ids::DbId;
use base::{SqlError, SqlResult, message};
use engine::catalog::def::ConfigurationDef;
use engine::catalog::{Definition, builtin};

use super::Arguments;
use crate::context::Context;

/// Keeps a value for the next `RECONFIGURE`, or the next start. The name is a setting's and the
/// value within its bounds.
pub fn set(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let name = arguments.text("@name").unwrap_or_default();
    let value = arguments.int("@value").and_then(|v| i32::try_from(v).ok()).unwrap_or_default();
    let Some(setting) = builtin::configuration(&name) else {
        return Err(SqlError::new(&message::ADVANCED_OPTION_REQUIRED, &[&name]));
    };
    let in_use = context.instance().configuration(setting.id);
    let changed = ConfigurationDef { id: setting.id, value, in_use };
    context.definition(|context| {
        context.lock_edit(DbId::MASTER)?;
        context.change(DbId::MASTER, |task, part, edit| {
            edit.put(task, part, Definition::Configuration(changed))
        })
    })?;
    Ok(0)
}
