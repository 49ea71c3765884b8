//! Who has or wants which locks.

use std::collections::BTreeSet;
use std::sync::Arc;

use base::ids::{DbId, SessionId, StorageId};
use base::{SqlType, Value};
use engine::catalog::Catalog;
use engine::txn::locks::{Lifetime, LockInfo, LockKind, LockMode, LockWait, Target};
use engine::txn::{Blocker, OwnerId, Resource, Waits};

use super::super::cells::*;
use super::super::{FillContext, SystemRowset};
use crate::exec::instance::locks::LockName;
use crate::exec::instance::sessions::SessionEntry;
use crate::sysview::catalog::space::hobt_id;

const ADDRESS: SqlType = SqlType::varbinary(8);

/// A lock that somebody has or waits for.
struct Lock {
    /// Kind and kind within the kind.
    kind: (&'static str, &'static str),
    database: DbId,
    description: String,
    entity: i64,
    mode: &'static str,
    /// `GRANT`, `WAIT` or `CONVERT`.
    status: &'static str,
    count: u32,
    session: SessionId,
    /// `SESSION`, `TRANSACTION` or `SHARED_TRANSACTION_WORKSPACE`.
    owner: &'static str,
}

pub static DM_TRAN_LOCKS: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_tran_locks",
    columns: &[
        ("resource_type", nvar(60), false),
        ("resource_subtype", nvar(60), false),
        ("resource_database_id", INT, false),
        ("resource_description", nvar(256), false),
        ("resource_associated_entity_id", BIG, true),
        ("resource_lock_partition", INT, false),
        ("request_mode", nvar(60), false),
        ("request_type", nvar(60), false),
        ("request_status", nvar(60), false),
        ("request_reference_count", SMALL, false),
        ("request_lifetime", INT, false),
        ("request_session_id", INT, false),
        ("request_exec_context_id", INT, false),
        ("request_request_id", INT, false),
        ("request_owner_type", nvar(60), false),
        ("request_owner_id", BIG, true),
        ("request_owner_guid", GUID, true),
        ("request_owner_lockspace_id", nvar(32), false),
        ("lock_owner_address", ADDRESS, false),
    ],
    fill: |cx| {
        let mut locks = of_databases(cx);
        let named = cx.instance.locks.list();
        locks.extend(named.iter().filter_map(of_application));
        for catalog in cx.instance.databases().catalogs() {
            locks.extend(of_tables(cx, &catalog));
        }
        locks.extend(waits_for_versions(cx));
        locks.iter().for_each(|own| show(cx, own));
        Ok(())
    },
};

fn show(cx: &mut FillContext<'_>, own: &Lock) {
    let transaction = cx.instance.sessions.get(own.session);
    let transaction = transaction.and_then(|e| Some(e.status().transaction.as_ref()?.id));
    let start = [
        text(own.kind.0),
        text(own.kind.1),
        database(own.database),
        text(&own.description),
        int(own.entity),
        int(0),
        text(own.mode),
        text("LOCK"),
        text(own.status),
        int(i64::from(own.count)),
        int(0),
        int(own.session.0),
        int(0),
        int(0),
    ];
    let rest = [
        text(own.owner),
        int(if own.owner == "TRANSACTION" { transaction.unwrap_or(0) as i64 } else { 0 }),
        NULL,
        text(""),
        bytes(&[0; 8]),
    ];
    cx.push_two(start, rest);
}

/// Whoever is in a database keeps others from dropping it.
fn of_databases(cx: &FillContext<'_>) -> Vec<Lock> {
    let master = cx.instance.databases().master().current();
    let mut locks = Vec::new();
    for own in master.server().databases().iter() {
        let sessions = cx.instance.usage.sessions_in(own.id);
        // As in SQL Server, master and tempdb need no such lock.
        let needs_none = own.id.0 <= 2;
        locks.extend(sessions.into_iter().filter(|_| !needs_none).map(|session| Lock {
            kind: ("DATABASE", ""),
            database: own.id,
            description: String::new(),
            entity: 0,
            mode: "S",
            status: "GRANT",
            count: 1,
            session,
            owner: "SHARED_TRANSACTION_WORKSPACE",
        }));
    }
    locks
}

fn status_of(lock: &LockInfo) -> &'static str {
    match (lock.count, lock.converts) {
        (0, true) => "CONVERT",
        (0, false) => "WAIT",
        _ => "GRANT",
    }
}

fn of_application(lock: &LockInfo) -> Option<Lock> {
    let name = LockName::of(&lock.target)?;
    let shown: String = name.resource.chars().take(32).collect();
    Some(Lock {
        kind: ("APPLICATION", ""),
        database: name.database,
        description: format!("0:[{shown}]:({:08x})", hash(name.resource.as_bytes()) as u32),
        entity: 0,
        mode: lock.mode.name(),
        status: status_of(lock),
        count: lock.count,
        session: lock.session,
        owner: match lock.lifetime {
            Lifetime::Session => "SESSION",
            Lifetime::Statement | Lifetime::Transaction => "TRANSACTION",
        },
    })
}

/// The locks in a database's tables, and the intent of those who write without locks.
fn of_tables(cx: &FillContext<'_>, catalog: &Arc<Catalog>) -> Vec<Lock> {
    let (manager, schema) = (catalog.database().manager(), catalog.current());
    let database = catalog.database().id();
    let waiting = cx.instance.host().graph.waits();
    let lock = |(storage, lock): (_, LockInfo)| {
        let table = schema.tables().find(|own| own.storage == storage)?;
        let clustered = i32::from(table.clustered_index().is_some());
        let (mut entity, table_id) = (hobt_id(storage, clustered), i64::from(table.id().0));
        let (kind, mode, description) = match &lock.target {
            Target::Whole => {
                entity = table_id;
                ("OBJECT", lock.mode.name(), String::new())
            }
            Target::Row(row) => ("KEY", lock.mode.name(), format!("({row:012x})")),
            Target::Span(span) => {
                let hash = hash(&span.lower) ^ span.index as u64;
                entity = hobt_id(storage, table.indexes.get(span.index).map_or(0, |i| i.id.0));
                ("KEY", lock.mode.range_name(), format!("({:012x})", hash & 0xFFFF_FFFF_FFFF))
            }
            Target::Insert => ("KEY", "RangeI-N", String::new()),
            Target::Name(_) => return None,
        };
        // Granted, but the row's writer is not over.
        let waits_for_row = |own: &Waits| {
            let row = matches!(own.blocker, Blocker::Owner(_, Resource::Row(row))
                if Target::Row(row) == lock.target);
            own.owner == lock.owner && row
        };
        let status = match waiting.iter().any(waits_for_row) {
            true => return None,
            false => status_of(&lock),
        };
        Some(Lock {
            kind: (kind, ""),
            database,
            description,
            entity,
            mode,
            status,
            count: lock.count,
            session: lock.session,
            owner: "TRANSACTION",
        })
    };
    let mut list = manager.locks().list();
    let intents = intents(cx, manager.writers(), &mut list);
    list.into_iter().chain(intents).filter_map(lock).collect()
}

/// The intent locks of those who write without locks. Where one has a lock on the table already, that
/// becomes what both make.
fn intents(
    cx: &FillContext<'_>,
    writers: Vec<(StorageId, OwnerId)>,
    list: &mut [(StorageId, LockInfo)],
) -> Vec<(StorageId, LockInfo)> {
    let sessions = cx.instance.sessions.all();
    let mut intents = Vec::new();
    for (storage, owner) in writers {
        let intent = LockMode::INTENT_EXCLUSIVE;
        let own = list.iter_mut().find(|(at, lock)| {
            *at == storage && lock.owner == owner && lock.count > 0 && lock.target == Target::Whole
        });
        if let Some((_, lock)) = own {
            lock.mode = lock.mode.and(intent);
            continue;
        }
        let Some(entry) = sessions.iter().find(|entry| entry.owner.id() == owner) else { continue };
        let lock = LockInfo {
            target: Target::Whole,
            session: entry.id,
            owner,
            mode: intent,
            lifetime: Lifetime::Transaction,
            count: 1,
            converts: false,
        };
        intents.push((storage, lock));
    }
    intents
}

/// Stands for what is not shown.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash: u64, byte| hash.rotate_left(5) ^ u64::from(*byte))
}

/// Transactions that wait for others' versions, for tables or definitions, and those that have what is
/// waited for. Versions that nobody waits for are not listed: rows know who has changed them, no table
/// of locks does.
fn waits_for_versions(cx: &FillContext<'_>) -> Vec<Lock> {
    let sessions = cx.instance.sessions.all();
    let of_owner = |owner: OwnerId| sessions.iter().find(|entry| entry.owner.id() == owner);
    let mut locks = Vec::new();
    let mut shown = BTreeSet::new();
    for wait in cx.instance.host().graph.waits() {
        let Some(entry) = cx.instance.sessions.get(wait.session) else { continue };
        let (resource, address, holder) = match wait.blocker {
            Blocker::Owner(holder, resource) => {
                let (Resource::Row(at) | Resource::Gate(at) | Resource::Lock(at)) = resource;
                (Some(resource), at, of_owner(holder))
            }
            Blocker::Drain(gate) => (None, gate, None),
            // Shown among the locks; and no lock is waited for where a table is being loaded.
            Blocker::Lock(_) | Blocker::Load(_) => continue,
        };
        let (kind, modes) = match resource {
            Some(Resource::Row(_)) => (("KEY", ""), ("X", wait.wish.name())),
            Some(Resource::Lock(_)) => (("DATABASE", "DDL"), ("X", "X")),
            Some(Resource::Gate(_)) => (("OBJECT", ""), ("Sch-M", "Sch-S")),
            None => (("OBJECT", ""), ("Sch-S", "Sch-M")),
        };
        let table = if kind.0 == "DATABASE" { None } else { table_at(cx, address) };
        let kind = if table.is_some() { ("OBJECT", "") } else { kind };
        let make = |session, granted| Lock {
            kind,
            database: table.map_or(entry.status().database, |(database, _)| database),
            description: match kind.0 {
                "KEY" => format!("({address:012x})"),
                _ => String::new(),
            },
            entity: table.map_or(0, |(_, table)| table),
            mode: if granted { modes.0 } else { modes.1 },
            status: if granted { "GRANT" } else { "WAIT" },
            count: 1,
            session,
            owner: "TRANSACTION",
        };
        if let Some(holder) = holder.filter(|holder| shown.insert((holder.id, address))) {
            locks.push(make(holder.id, true));
        }
        locks.push(make(wait.session, false));
    }
    locks
}

/// The database and id of the table at an address, which names it among waits.
fn table_at(cx: &FillContext<'_>, address: u64) -> Option<(DbId, i64)> {
    cx.instance.databases().catalogs().iter().find_map(|catalog| {
        let database = catalog.database();
        let tables = database.manager().tables().all();
        let table = tables.iter().find(|table| Arc::as_ptr(table) as u64 == address)?;
        let schema = catalog.current();
        let definition = schema.tables().find(|own| own.storage == table.storage())?;
        Some((database.id(), definition.id().0.into()))
    })
}

/// What SQL Server calls such a wait.
pub(super) fn wait_type(wait: &Waits) -> &'static str {
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

/// The session that is in the way of one that waits, if one is known.
pub(super) fn blocked_by(wait: &Waits, sessions: &[Arc<SessionEntry>]) -> Option<SessionId> {
    let holder = wait.holders.first()?;
    sessions.iter().find(|entry| entry.owner.id() == *holder).map(|entry| entry.id)
}

/// What is waited for, as `resource_description` of waiting tasks tells it.
pub(super) fn wait_resource(wait: &Waits, database: DbId) -> String {
    let mode = wait.wish.name();
    match wait.blocker {
        Blocker::Owner(_, Resource::Row(row)) => {
            format!("keylock dbid={} id=lock{row:x} mode={mode}", database.0)
        }
        Blocker::Owner(_, Resource::Lock(_)) => {
            format!("databaselock subresource=DDL dbid={} mode=X", database.0)
        }
        Blocker::Owner(_, Resource::Gate(at)) | Blocker::Drain(at) => {
            format!("objectlock lockPartition=0 dbid={} id=lock{at:x} mode=Sch-M", database.0)
        }
        Blocker::Lock(LockWait { kind, mode }) => {
            let (word, mode) = match kind {
                LockKind::Table => ("objectlock lockPartition=0", mode.name()),
                LockKind::Row => ("keylock", mode.name()),
                LockKind::Range => ("keylock", mode.range_name()),
                LockKind::Insert => ("keylock", "RangeI-N"),
                LockKind::Application => ("applicationlock", mode.name()),
            };
            format!("{word} dbid={} mode={mode}", database.0)
        }
        Blocker::Load(_) => String::new(),
    }
}

pub static DM_OS_WAITING_TASKS: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_os_waiting_tasks",
    columns: &[
        ("waiting_task_address", ADDRESS, false),
        ("session_id", SMALL, true),
        ("exec_context_id", INT, true),
        ("wait_duration_ms", BIG, true),
        ("wait_type", nvar(60), true),
        ("resource_address", ADDRESS, true),
        ("blocking_task_address", ADDRESS, true),
        ("blocking_session_id", SMALL, true),
        ("blocking_exec_context_id", INT, true),
        ("resource_description", nvar(3072), true),
    ],
    fill: |cx| {
        let now = cx.instance.env().clock().now_ns();
        let sessions = cx.instance.sessions.all();
        for wait in cx.instance.host().graph.waits() {
            let Some(entry) = cx.instance.sessions.get(wait.session) else { continue };
            let status = entry.status().clone();
            // When the wait itself began is not kept: at the latest with the request.
            let since = status.request.as_ref().map_or(now, |request| request.started.1);
            let blocking = blocked_by(&wait, &sessions);
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
                text(&wait_resource(&wait, status.database)),
            ];
            cx.push(row);
        }
        Ok(())
    },
};
