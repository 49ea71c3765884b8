//! `sp_getapplock` and `sp_releaseapplock`.

use std::fmt::Display;

use base::{SqlError, SqlResult, message};
use engine::txn::locks::{Lifetime, LockFault, Patience};

use super::Arguments;
use crate::context::Context;
use crate::instance::locks::{LockName, parse_mode, parse_owner};

/// The procedures, and the one that in SQL Server does the work of both; errors of the lock itself
/// name that.
const ACQUIRE: &str = "sp_getapplock";
const RELEASE: &str = "sp_releaseapplock";
const BOTH: &str = "xp_userlock";

/// The status for parameters that make no sense.
const REFUSED: i32 = -999;

/// `sp_getapplock`: 0 and 1 when the lock was granted, negative numbers when it was not.
pub fn acquire(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let mode = arguments.text("@LockMode").unwrap_or_default();
    let Some(mode) = parse_mode(&mode) else {
        return refuse(context, ACQUIRE, &mode, "@LockMode");
    };
    let Some((name, lifetime)) = named(context, ACQUIRE, arguments)? else { return Ok(REFUSED) };
    if lifetime == Lifetime::Transaction && context.session.transaction.count() == 0 {
        let error = SqlError::new(&message::APPLICATION_LOCK_NO_TRANSACTION, &[]);
        return report(context, ACQUIRE, error);
    }
    let patience = match arguments.int("@LockTimeout") {
        Some(given) => Patience::Milliseconds(given),
        None => Patience::Session,
    };
    context.session.transaction.show_writes();
    let (instance, gates) = (context.instance(), context.session.transaction.gates());
    let (owner, wish) = (&context.session.entry.owner, (mode, lifetime));
    let outcome = instance.locks.acquire(context.task, owner, &name, wish, patience, gates);
    Ok(match outcome {
        Ok(false) => 0,
        Ok(true) => 1,
        Err(LockFault::Timeout) => -1,
        Err(LockFault::Interrupted) => -2,
        Err(LockFault::Deadlock) => -3,
        Err(LockFault::OutOfMemory) => REFUSED,
    })
}

/// `sp_releaseapplock`: 0, or -999 with error 1223 if the lock is not held.
pub fn release(context: &mut Context<'_>, arguments: &mut Arguments<'_>) -> SqlResult<i32> {
    let Some((name, lifetime)) = named(context, RELEASE, arguments)? else { return Ok(REFUSED) };
    if context.instance().locks.release(&context.session.entry.owner, &name, lifetime) {
        return Ok(0);
    }
    let args: [&dyn Display; 2] = [&name.principal, &name.resource];
    report(context, BOTH, SqlError::new(&message::APPLICATION_LOCK_NOT_HELD, &args))
}

/// The lock that the parameters name; `None` if they do not, which has been reported.
fn named(
    context: &mut Context<'_>,
    procedure: &str,
    arguments: &Arguments<'_>,
) -> SqlResult<Option<(LockName, Lifetime)>> {
    let owner = arguments.text("@LockOwner").unwrap_or_default();
    let Some(lifetime) = parse_owner(&owner) else {
        return refuse(context, procedure, &owner, "@LockOwner").map(|_| None);
    };
    let Some(resource) = arguments.text("@Resource").filter(|r| !r.is_empty()) else {
        return refuse(context, procedure, "", "@Resource").map(|_| None);
    };
    let principal = arguments.text("@DbPrincipal").unwrap_or_default();
    let database = context.database();
    let known = context.schema(database)?.find_principal(&principal).map(|p| p.name.clone());
    let Some(principal) = known else {
        return refuse(context, procedure, &principal, "@DbPrincipal").map(|_| None);
    };
    Ok(Some((LockName { database, principal, resource: resource.into() }, lifetime)))
}

fn refuse(
    context: &mut Context<'_>,
    procedure: &str,
    given: &str,
    parameter: &str,
) -> SqlResult<i32> {
    let args: [&dyn Display; 2] = [&given, &parameter];
    report(context, procedure, SqlError::new(&message::APPLICATION_LOCK_OPTION, &args))
}

/// Sends an error that names a procedure, which itself goes on to return its status.
fn report(context: &mut Context<'_>, procedure: &str, error: SqlError) -> SqlResult<i32> {
    let error = error.in_procedure(procedure).at_line(1);
    context.report(&error).map_err(|fault| fault.error)?;
    Ok(REFUSED)
}
