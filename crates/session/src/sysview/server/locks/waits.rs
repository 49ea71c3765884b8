//! What sessions wait for.

use std::sync::Arc;

use base::Value;
use base::ids::SessionId;
use engine::txn::locks::{LockKind, LockMode, LockWait};
use engine::txn::{Blocker, OwnerId, Resource, WaitPlace, Waits};

use super::place::Places;
use super::{ADDRESS, cells::*};
use crate::instance::Instance;
use crate::instance::sessions::SessionEntry;
use crate::sysview::FilledView;

/// What SQL Server calls such a wait.
pub(in super::super) fn wait_type(wait: &Waits) -> &'static str {
    match wait.blocker {
        Blocker::Owner(_, Resource::Row(_)) => {
            LockWait { kind: LockKind::Row, mode: wait.wish }.wait_type()
        }
        Blocker::Owner(_, Resource::Lock(_)) => "LCK_M_X",
        Blocker::Owner(_, Resource::Gate(_)) => "LCK_M_SCH_S",
        Blocker::Drain(_) => "LCK_M_SCH_M",
        Blocker::Lock(lock) => lock.wait_type(),
        Blocker::Load(_) => "WAIT_XTP_RECOVERY",
    }
}

/// The mode that is asked for.
fn wanted(wait: &Waits) -> &'static str {
    match wait.blocker {
        Blocker::Owner(_, Resource::Row(_)) => wait.wish.name(),
        Blocker::Owner(_, Resource::Lock(_)) => LockMode::EXCLUSIVE.name(),
        Blocker::Owner(_, Resource::Gate(_)) => "Sch-S",
        Blocker::Drain(_) | Blocker::Load(_) => "Sch-M",
        Blocker::Lock(LockWait { kind: LockKind::Range, mode }) => mode.range_name(),
        Blocker::Lock(LockWait { kind: LockKind::Insert, .. }) => "RangeI-N",
        Blocker::Lock(LockWait { kind: LockKind::Definition, mode }) => schema_mode(mode),
        Blocker::Lock(LockWait { mode, .. }) => mode.name(),
    }
}

/// A lock of a definition, as `request_mode` shows it.
pub(super) fn schema_mode(mode: LockMode) -> &'static str {
    match mode.covers(LockMode::EXCLUSIVE) {
        true => "Sch-M",
        false => "Sch-S",
    }
}

/// The session that is in the way of one that waits, if one is known.
pub(in super::super) fn blocked_by(
    wait: &Waits,
    sessions: &[Arc<SessionEntry>],
    instance: &Instance,
) -> Option<SessionId> {
    let holder =
        wait.holders.first().copied().or_else(|| inside(wait, instance).first().copied())?;
    sessions.iter().find(|entry| entry.owner.id() == holder).map(|entry| entry.id)
}

/// Those inside of a gate that is waited for to empty.
pub(super) fn inside(wait: &Waits, instance: &Instance) -> Vec<OwnerId> {
    let (Blocker::Drain(_), Some(WaitPlace::Part(database, storage, _))) =
        (&wait.blocker, &wait.place)
    else {
        return Vec::new();
    };
    let Ok(catalog) = instance.catalog(*database) else { return Vec::new() };
    let mut owners = catalog.database().manager().gate_holders(*storage);
    owners.retain(|owner| *owner != wait.owner);
    owners
}

/// What is waited for, as `wait_resource` shows it.
pub(in super::super) fn wait_resource(wait: &Waits, instance: &Instance) -> String {
    let place = wait.place.as_ref().filter(|_| !matches!(wait.blocker, Blocker::Load(_)));
    let place = place.and_then(|place| Places::new(instance, None).of(place));
    place.map_or_else(String::new, |place| place.to_string())
}

pub static DM_OS_WAITING_TASKS: FilledView = FilledView {
    schema: "sys",
    name: "dm_os_waiting_tasks",
    columns: &[
        column("waiting_task_address", ADDRESS, false),
        column("session_id", SMALL, true),
        column("exec_context_id", INT, true),
        column("wait_duration_ms", BIG, true),
        column("wait_type", nvar(60), true),
        column("resource_address", ADDRESS, true),
        column("blocking_task_address", ADDRESS, true),
        column("blocking_session_id", SMALL, true),
        column("blocking_exec_context_id", INT, true),
        column("resource_description", nvar(3072), true),
    ],
    fill: |cx| {
        let now = cx.instance.env().clock().now_ns();
        let sessions = cx.instance.sessions.all();
        let mut places = Places::new(cx.instance, None);
        for wait in cx.instance.host().graph.waits() {
            let Some(entry) = cx.instance.sessions.get(wait.session) else { continue };
            // When the wait itself began is not kept: at the latest with the request.
            let since = entry.status().request.as_ref().map_or(now, |request| request.started.1);
            let blocking = blocked_by(&wait, &sessions, cx.instance);
            let place = wait.place.as_ref().filter(|_| !matches!(wait.blocker, Blocker::Load(_)));
            let place = place.and_then(|place| places.of(place));
            let row: [Value; 10] = [
                bytes(&wait.owner.0.to_be_bytes()),
                int(entry.id.0),
                int(0),
                int((now.saturating_sub(since) / 1_000_000) as i64),
                text(wait_type(&wait)),
                NULL,
                NULL,
                or_null(blocking, |id| int(id.0)),
                NULL,
                text(&place.map_or_else(String::new, |place| place.waiting(wanted(&wait)))),
            ];
            cx.push(row);
        }
        Ok(())
    },
};
