//! `sp_migrate_user_to_contained`.

use base::{SqlError, SqlResult, message};

use super::Arguments;
use crate::context::Context;
use crate::ddl::security;

const PROCEDURE: &str = "sys.sp_migrate_user_to_contained";

/// Makes the user of a login a contained one. Errors 15002, 15600 and those of the change itself.
pub fn migrate(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let word = |name: &str| arguments.text(name).unwrap_or_default().to_ascii_lowercase();
    let takes_name = match &*word("@rename") {
        "copy_login_name" => Some(true),
        "keep_name" => Some(false),
        _ => None,
    };
    let disables = match &*word("@disablelogin") {
        "disable_login" => Some(true),
        "do_not_disable_login" => Some(false),
        _ => None,
    };
    let (Some(takes_name), Some(disables)) = (takes_name, disables) else {
        return Err(SqlError::new(&message::SP_PARAMETER_INVALID, &[&PROCEDURE]));
    };
    if context.in_user_transaction() {
        return Err(SqlError::new(&message::SP_IN_TRANSACTION, &[&PROCEDURE]));
    }
    let user = arguments.text("@username").unwrap_or_default();
    security::migrate(context, &user, takes_name, disables)?;
    Ok(0)
}
