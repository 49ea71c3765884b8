//! `APPLOCK_MODE` and `APPLOCK_TEST`.

use base::message::Message;
use base::{SqlError, SqlResult, SqlType, ValueRef, message};
use ir::function::descriptor::{CallTypes, Inferred, ScalarFunction};
use ir::function::facts::FnContext;
use ir::function::signature::Call;

use super::values::{string, text};

/// Functions about application locks.
pub(super) static FUNCTIONS: &[ScalarFunction] = &[
    ScalarFunction::fact("APPLOCK_MODE", (3, 3), types_of_mode, mode),
    ScalarFunction::fact("APPLOCK_TEST", (4, 4), types_of_test, test),
];

/// What `@LockMode` may be.
const MODES: [&str; 5] = ["IntentShared", "Shared", "Update", "IntentExclusive", "Exclusive"];

fn types_of_mode(call: &Call<'_>) -> SqlResult<Inferred> {
    let args = [call.name_argument(0)?, call.name_argument(1)?, call.name_argument(2)?];
    Ok(call.types(SqlType::nvarchar(32, call.collation), &args))
}

fn types_of_test(call: &Call<'_>) -> SqlResult<Inferred> {
    let name = |at| call.name_argument(at);
    Ok(call.types(SqlType::smallint(), &[name(0)?, name(1)?, name(2)?, name(3)?]))
}

fn mode<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args.iter().any(ValueRef::is_null) {
        return Ok(ValueRef::Null);
    }
    let own = |at: usize| text(args[at], types.args[at].collation);
    let by_session = is_session(&own(2), "applock_mode")?;
    let resource = checked(&own(1), "applock_mode")?;
    let mode = ctx.facts.application_lock_mode(&own(0), &resource, by_session);
    Ok(mode.map_or(ValueRef::Null, |mode| string(ctx.arena, mode, &types.result)))
}

fn test<'a>(
    ctx: &mut FnContext<'a>,
    args: &[ValueRef<'a>],
    types: &CallTypes,
) -> SqlResult<ValueRef<'a>> {
    if args.iter().any(ValueRef::is_null) {
        return Ok(ValueRef::Null);
    }
    let own = |at: usize| text(args[at], types.args[at].collation);
    is_session(&own(3), "applock_test")?;
    let (resource, mode) = (checked(&own(1), "applock_test")?, own(2));
    if !MODES.iter().any(|known| known.eq_ignore_ascii_case(mode.trim_end())) {
        return Err(invalid(&message::APPLICATION_LOCK_MODE_INVALID, "applock_test"));
    }
    let free = ctx.facts.application_lock_is_free(&own(0), &resource, mode.trim_end());
    Ok(free.map_or(ValueRef::Null, |free| ValueRef::Int(i64::from(free))))
}

/// Whether a lock is a session's own. Error 1226.
fn is_session(owner: &str, function: &str) -> SqlResult<bool> {
    match owner.trim_end().to_ascii_lowercase().as_str() {
        "session" => Ok(true),
        "transaction" => Ok(false),
        _ => Err(invalid(&message::APPLICATION_LOCK_OWNER_INVALID, function)),
    }
}

/// Error 1224: a resource without a name.
fn checked(resource: &str, function: &str) -> SqlResult<String> {
    match resource.is_empty() {
        true => Err(invalid(&message::APPLICATION_LOCK_INVALID, function)),
        false => Ok(resource.to_owned()),
    }
}

fn invalid(message: &'static Message, function: &str) -> SqlError {
    SqlError::new(message, &[&function])
}
