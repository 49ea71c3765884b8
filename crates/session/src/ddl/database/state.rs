//! Access to databases: `SINGLE_USER`, `RESTRICTED_USER`, `MULTI_USER`.

use base::ids::{DbId, SessionId};
use base::{SqlError, message};
use engine::catalog::def::*;
use tsql::ast::Termination;

use crate::context::Context;
use crate::ddl::failure::DdlResult;
use crate::instance::sessions::SessionEntry;

/// How often the statement checks whether the other sessions have left.
const LOOK_AGAIN_NS: u64 = 20_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// Makes the other sessions that must leave a database leave it: waits for them, or ends them, as
/// the statement says. No other session can enter meanwhile. Errors 5061, 5070.
pub(super) fn clear(
    context: &mut Context<'_>,
    def: &DatabaseDef,
    termination: Option<Termination>,
    must_go: impl Fn(&SessionEntry) -> bool,
) -> DdlResult<()> {
    let instance = context.instance();
    let session = context.session.id();
    instance.usage.close(def.id, session);
    let others = || -> Vec<SessionId> {
        let inside = instance.usage.sessions_in(def.id);
        let must_go = |other: &SessionId| {
            *other != session && instance.sessions.get(*other).is_some_and(|entry| must_go(&entry))
        };
        inside.into_iter().filter(must_go).collect()
    };
    let end_at = match termination {
        Some(Termination::NoWait) if !others().is_empty() => {
            instance.usage.release(def.id);
            let error = SqlError::new(&message::DATABASE_STATE_USERS, &[&def.name]);
            return Err(error.into());
        }
        Some(Termination::RollbackImmediate) => Some(context.task.now_ns()),
        Some(Termination::RollbackAfter(seconds)) => {
            Some(context.task.now_ns() + u64::from(seconds) * SECOND_NS)
        }
        Some(Termination::NoWait) | None => None,
    };
    let mut told = false;
    while !others().is_empty() {
        if end_at.is_some_and(|at| context.task.now_ns() >= at) && !told {
            for other in others() {
                if let Some(entry) = instance.sessions.get(other) {
                    entry.kill();
                }
            }
            told = true;
            let percent = |n: u32| SqlError::new(&message::ROLLBACK_COMPLETED_PERCENT, &[&n]);
            context.inform(percent(100))?;
        }
        if context.task.sleep_ns(LOOK_AGAIN_NS).is_err() {
            instance.usage.release(def.id);
            let error = SqlError::new(&message::DATABASE_IN_TRANSITION_ALTER, &[&def.name]);
            return Err(error.into());
        }
    }
    Ok(())
}

/// Lets other sessions in again, unless the session is inside and the database is for a single
/// user.
pub(super) fn release(context: &Context<'_>, database: DbId, access: UserAccess) {
    let usage = &context.instance().usage;
    let inside = usage.sessions_in(database).contains(&context.session.id());
    if access != UserAccess::Single || !inside {
        usage.release(database);
    }
}
