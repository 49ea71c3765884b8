//! `sp_getapplock` and `sp_releaseapplock`.

use std::fmt::Display;

use base::{SqlError, SqlResult, message};

use crate::exec::context::Context;
use crate::exec::instance::locks::{LockMode, LockName, LockOutcome, LockOwner};
use crate::sysproc::Arguments;

/// The status for parameters that make no sense.
const REFUSED: i32 = -999;

/// `sp_getapplock`: 0 and 1 when the lock was granted, negative numbers when it was not.
pub fn acquire(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let mode = arguments.text("@LockMode").unwrap_or_default();
    let Some(mode) = LockMode::parse(&mode) else {
        return refuse(context, &mode, "@LockMode");
    };
    let Some((name, owner)) = named(context, arguments)? else { return Ok(REFUSED) };
    if owner == LockOwner::Transaction && context.session.transaction.count() == 0 {
        return report(context, SqlError::new(&message::APPLICATION_LOCK_NO_TRANSACTION, &[]));
    }
    let timeout_ms = match arguments.int("@LockTimeout") {
        Some(given) => given,
        None => i64::from(context.session.options.settings.lock_timeout),
    };
    let deadline_ns = match u64::try_from(timeout_ms) {
        Ok(ms) => Some(context.task.now_ns().saturating_add(ms.saturating_mul(1_000_000))),
        Err(_) => None,
    };
    let instance = context.instance();
    let session = context.session.id();
    let outcome = instance.locks.acquire(context.task, session, &name, mode, owner, deadline_ns);
    Ok(match outcome {
        Ok(LockOutcome::Granted) => 0,
        Ok(LockOutcome::GrantedAfterWait) => 1,
        Ok(LockOutcome::TimedOut) => -1,
        Err(_) => -2,
        Ok(LockOutcome::Deadlock) => -3,
    })
}

/// `sp_releaseapplock`: 0, or -999 with error 1223 if the lock is not held.
pub fn release(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let Some((name, owner)) = named(context, arguments)? else { return Ok(REFUSED) };
    let session = context.session.id();
    if context.instance().locks.release(session, &name, owner) {
        return Ok(0);
    }
    let args: [&dyn Display; 2] = [&name.principal, &name.resource];
    report(context, SqlError::new(&message::APPLICATION_LOCK_NOT_HELD, &args))
}

/// The lock that the parameters name; `None` if they do not, which has been reported.
fn named(
    context: &mut Context<'_>,
    arguments: &Arguments<'_>,
) -> SqlResult<Option<(LockName, LockOwner)>> {
    let owner = arguments.text("@LockOwner").unwrap_or_default();
    let owner = match owner.to_ascii_lowercase().as_str() {
        "transaction" => LockOwner::Transaction,
        "session" => LockOwner::Session,
        _ => return refuse(context, &owner, "@LockOwner").map(|_| None),
    };
    let Some(resource) = arguments.text("@Resource").filter(|r| !r.is_empty()) else {
        return refuse(context, "", "@Resource").map(|_| None);
    };
    let principal = arguments.text("@DbPrincipal").unwrap_or_default();
    let database = context.database();
    let known = context.schema(database)?.find_principal(&principal).map(|p| p.name.clone());
    let Some(principal) = known else {
        return refuse(context, &principal, "@DbPrincipal").map(|_| None);
    };
    Ok(Some((LockName { database, principal, resource: resource.into() }, owner)))
}

fn refuse(context: &mut Context<'_>, given: &str, parameter: &str) -> SqlResult<i32> {
    let args: [&dyn Display; 2] = [&given, &parameter];
    report(context, SqlError::new(&message::APPLICATION_LOCK_OPTION, &args))
}

/// Sends an error; the procedure itself goes on to return its status.
fn report(context: &mut Context<'_>, error: SqlError) -> SqlResult<i32> {
    let error = error.in_procedure("sp_getapplock").at_line(1);
    context.report(&error).map_err(|fault| fault.error)?;
    Ok(REFUSED)
}
