//! Databases that authenticate their own users: `CONTAINMENT`.

use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::DatabaseOption;

use super::is_system;
use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::instance::setting;
use crate::security::is_contained;

/// Checks that a contained database may come to be on this server; the verb is what would be done.
/// Errors 12811, 12824.
pub(crate) fn admit(context: &Context<'_>, verb: &str) -> Result<(), SqlError> {
    let instance = context.instance();
    if instance.configuration(setting::CONTAINED_AUTHENTICATION) == 0 {
        let args: [&dyn std::fmt::Display; 2] = [&"contained database authentication", &verb];
        return Err(SqlError::new(&message::CONTAINMENT_NOT_ENABLED, &args));
    }
    if instance.configuration(setting::USER_OPTIONS) != 0 {
        return Err(SqlError::new(&message::CONTAINMENT_USER_OPTIONS, &[&verb]));
    }
    Ok(())
}

/// Checks that the containment of a database may become what its new options say. Errors 12803,
/// 12809, 12838 and those of [`admit`].
pub(super) fn check_change(
    context: &Context<'_>,
    def: &DatabaseDef,
    new: &DatabaseOptions,
) -> DdlResult<()> {
    match (def.options.contained, new.contained) {
        (false, true) if is_system(def.id) => {
            Err(SqlError::new(&message::CONTAINMENT_OF_SYSTEM_DATABASE, &[&def.name]).into())
        }
        (false, true) => {
            admit(context, "alter")?;
            match new.change_tracking {
                Some(_) => {
                    Err(SqlError::new(&message::CONTAINMENT_OF_TRACKED, &[&def.name]).into())
                }
                None => Ok(()),
            }
        }
        (true, false) => {
            let schema = context.schema(def.id)?;
            let users_remain = schema.principals().iter().any(|user| is_contained(user));
            match users_remain {
                true => Err(SqlError::new(&message::CONTAINED_USERS_REMAIN, &[]).into()),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Options that only contained databases have; this server has none of them. Errors 401, 12807.
pub(super) fn check_option(option: &DatabaseOption, contained: bool) -> DdlResult<()> {
    const OPTIONS: [&str; 5] = [
        "DEFAULT_LANGUAGE",
        "DEFAULT_FULLTEXT_LANGUAGE",
        "NESTED_TRIGGERS",
        "TRANSFORM_NOISE_WORDS",
        "TWO_DIGIT_YEAR_CUTOFF",
    ];
    if !OPTIONS.contains(&&*option.name) {
        return Ok(());
    }
    let message = match contained {
        true => &message::UNIMPLEMENTED,
        false => &message::OPTION_NEEDS_CONTAINMENT,
    };
    Err(SqlError::new(message, &[&option.name]).into())
}
