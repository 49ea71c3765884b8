//! `sp_recompile`: the part that T-SQL cannot express.

use base::ids::ObjectId;
use base::{SqlResult, Value};
use engine::catalog::def::{Permission, Securable, SecurableClass};

use super::Arguments;
use crate::context::Context;

/// `sp_recompile_object`: throws away what is kept of a module, or of whatever depends on an
/// object. Sets `@done` to 0 if the user may not.
pub fn recompile(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let id = arguments.int("@object").and_then(|id| i32::try_from(id).ok()).unwrap_or(0);
    let database = context.session.database;
    let securable = Securable { class: SecurableClass::Object, major: id, minor: 0 };
    let may = context.may(database, securable, Permission::Alter);
    if may {
        context.instance().plans.forget_object(database, ObjectId(id));
    }
    arguments.set("@done", &Value::Int(may.into()));
    Ok(0)
}
