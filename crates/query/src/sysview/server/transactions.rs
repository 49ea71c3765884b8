//! Transactions in databases, and who has or wants what.

use std::collections::BTreeSet;

use base::ids::{DbId, SessionId};
use base::{SqlType, Value};
use engine::hot::status::Status;
use engine::txn::{Blocker, OwnerId, Resource};

use super::super::cells::*;
use super::super::{FillContext, SystemRowset};
use crate::exec::instance::locks::{LockMode, LockOwner};

const LSN: SqlType = SqlType::numeric(25, 0);
const ADDRESS: SqlType = SqlType::varbinary(8);

pub static DM_TRAN_DATABASE_TRANSACTIONS: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_tran_database_transactions",
    columns: &[
        ("transaction_id", BIG, false),
        ("database_id", INT, false),
        ("database_transaction_begin_time", WHEN, true),
        ("database_transaction_type", INT, false),
        ("database_transaction_state", INT, false),
        ("database_transaction_status", INT, false),
        ("database_transaction_status2", INT, false),
        ("database_transaction_log_record_count", BIG, false),
        ("database_transaction_replicate_record_count", INT, false),
        ("database_transaction_log_bytes_used", BIG, false),
        ("database_transaction_log_bytes_reserved", BIG, false),
        ("database_transaction_log_bytes_used_system", INT, false),
        ("database_transaction_log_bytes_reserved_system", INT, false),
        ("database_transaction_begin_lsn", LSN, true),
        ("database_transaction_last_lsn", LSN, true),
        ("database_transaction_most_recent_savepoint_lsn", LSN, true),
        ("database_transaction_commit_lsn", LSN, true),
        ("database_transaction_last_rollback_lsn", LSN, true),
        ("database_transaction_next_undo_lsn", LSN, true),
    ],
    fill: |cx| {
        let sessions = cx.instance.sessions.all();
        for catalog in cx.instance.databases().catalogs() {
            let own = catalog.database().id();
            for part in catalog.database().manager().transactions() {
                let entry = sessions.iter().find(|entry| entry.owner.id() == part.owner);
                let transaction = entry.and_then(|entry| entry.status().transaction.clone());
                let Some(transaction) = transaction else { continue };
                // Nothing is in the log before the commit, so that there is nothing to count; begun
                // (4) is all that is known.
                let start = [
                    int(transaction.id as i64),
                    database(own),
                    utc(transaction.began_utc),
                    int(1),
                    int(4),
                    int(0),
                    int(0),
                ];
                cx.push_parts(&[&start, &[const { Value::Int(0) }; 6], &[NULL; 6]]);
            }
        }
        Ok(())
    },
};

pub static DM_DB_XTP_TRANSACTIONS: SystemRowset = SystemRowset {
    schema: "sys",
    name: "dm_db_xtp_transactions",
    columns: &[
        ("node_id", SMALL, true),
        ("xtp_transaction_id", BIG, false),
        ("transaction_id", BIG, false),
        ("session_id", SMALL, false),
        ("begin_tsn", BIG, true),
        ("end_tsn", BIG, true),
        ("state", INT, false),
        ("state_desc", nvar(16), false),
        ("result", INT, false),
        ("result_desc", nvar(24), false),
        ("last_error", INT, true),
        ("is_speculative", BIT, true),
        ("is_prepared", BIT, true),
        ("is_delayed_durability", BIT, true),
        ("memory_address", ADDRESS, true),
        ("database_address", ADDRESS, true),
        ("thread_id", INT, true),
        ("read_set_row_count", INT, true),
        ("write_set_row_count", INT, true),
        ("scan_set_count", INT, true),
        ("savepoint_garbage_count", INT, true),
        ("log_bytes_required", BIG, true),
        ("count_of_allocations", INT, true),
        ("allocated_bytes", INT, true),
        ("reserved_bytes", INT, true),
        ("commit_dependency_count", INT, true),
        ("commit_dependency_total_attempt_count", INT, true),
        ("scan_area", INT, true),
        ("scan_area_desc", nvar(16), true),
        ("scan_location", INT, true),
        ("dependent_1_address", ADDRESS, true),
        ("dependent_2_address", ADDRESS, true),
        ("dependent_3_address", ADDRESS, true),
        ("dependent_4_address", ADDRESS, true),
        ("dependent_5_address", ADDRESS, true),
        ("dependent_6_address", ADDRESS, true),
        ("dependent_7_address", ADDRESS, true),
        ("dependent_8_address", ADDRESS, true),
    ],
    fill: |cx| {
        let catalog = cx.instance.catalog(cx.database)?;
        let sessions = cx.instance.sessions.all();
        for own in catalog.database().manager().transactions() {
            let entry = sessions.iter().find(|entry| entry.owner.id() == own.owner);
            let id = entry.and_then(|e| Some(e.status().transaction.as_ref()?.id)).unwrap_or(0);
            let (end, state, result) = match own.status {
                Status::Active => (None, (0, "ACTIVE"), (0, "IN PROGRESS")),
                Status::Preparing => (None, (3, "VALIDATING"), (0, "IN PROGRESS")),
                Status::Stamped(stamp) => (Some(stamp), (3, "VALIDATING"), (0, "IN PROGRESS")),
                Status::Committed(stamp) => (Some(stamp), (1, "COMMITTED"), (1, "SUCCESS")),
                Status::Aborted => (None, (2, "ABORTED"), (6, "ROLLBACK")),
            };
            let start = [
                int(0),
                int(own.number),
                int(id as i64),
                int(entry.map_or(0, |entry| entry.id.0)),
                or_null(own.snapshot, |lsn| int(lsn.0 as i64)),
                or_null(end, |lsn| int(lsn.0 as i64)),
                int(state.0),
                text(state.1),
                int(result.0),
                text(result.1),
            ];
            cx.push_parts(&[&start, &[NULL; 28]]);
        }
        Ok(())
    },
};

/// A lock that somebody has or waits for.
struct Lock {
    /// Kind and kind within the kind.
    kind: (&'static str, &'static str),
    database: DbId,
    description: String,
    entity: i64,
    mode: &'static str,
    granted: bool,
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
        locks.extend(of_applications(cx));
        locks.extend(waits(cx));
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
        text(if own.granted { "GRANT" } else { "WAIT" }),
        int(1),
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
            granted: true,
            session,
            owner: "SHARED_TRANSACTION_WORKSPACE",
        }));
    }
    locks
}

fn of_applications(cx: &FillContext<'_>) -> Vec<Lock> {
    let lock = |(name, session, mode, owner): (
        crate::exec::instance::locks::LockName,
        SessionId,
        LockMode,
        LockOwner,
    )| Lock {
        kind: ("APPLICATION", ""),
        database: name.database,
        description: {
            let shown: String = name.resource.chars().take(32).collect();
            format!("0:[{shown}]:({:08x})", text_hash(&name.resource))
        },
        entity: 0,
        mode: match mode {
            LockMode::IntentShared => "IS",
            LockMode::Shared => "S",
            LockMode::Update => "U",
            LockMode::IntentExclusive => "IX",
            LockMode::Exclusive => "X",
        },
        granted: true,
        session,
        owner: match owner {
            LockOwner::Transaction => "TRANSACTION",
            LockOwner::Session => "SESSION",
        },
    };
    cx.instance.locks.held().into_iter().map(lock).collect()
}

/// Stands for the part of a resource's name that is not shown.
fn text_hash(text: &str) -> u32 {
    text.bytes().fold(0, |hash: u32, byte| hash.rotate_left(5) ^ u32::from(byte))
}

/// Transactions that wait for rows, tables or definitions, and those that have what is waited for. What
/// nobody waits for is not listed anywhere: rows know who has changed them, no table of locks does.
fn waits(cx: &FillContext<'_>) -> Vec<Lock> {
    let sessions = cx.instance.sessions.all();
    let of_owner = |owner: OwnerId| sessions.iter().find(|entry| entry.owner.id() == owner);
    let mut locks = Vec::new();
    let mut shown = BTreeSet::new();
    for (session, _, blocker) in cx.instance.host().graph.waits() {
        let Some(entry) = cx.instance.sessions.get(session) else { continue };
        let current = entry.status().database;
        let (resource, address, holder) = match blocker {
            Blocker::Owner(holder, resource) => {
                let (Resource::Row(at) | Resource::Gate(at) | Resource::Lock(at)) = resource;
                (Some(resource), at, of_owner(holder))
            }
            Blocker::Drain(gate) => (None, gate, None),
        };
        let make = |session, granted| {
            let (kind, modes) = match resource {
                Some(Resource::Row(_)) => (("KEY", ""), ("X", "X")),
                Some(Resource::Lock(_)) => (("DATABASE", "DDL"), ("X", "X")),
                Some(Resource::Gate(_)) => (("OBJECT", ""), ("Sch-M", "Sch-S")),
                None => (("OBJECT", ""), ("Sch-S", "Sch-M")),
            };
            let is_table = kind.0 == "OBJECT";
            let table = if is_table { table_at(cx, address) } else { None };
            Lock {
                kind,
                database: table.map_or(current, |(database, _)| database),
                description: if kind.0 == "KEY" {
                    format!("({address:012x})")
                } else {
                    String::new()
                },
                entity: table.map_or(0, |(_, table)| table),
                mode: if granted { modes.0 } else { modes.1 },
                granted,
                session,
                owner: "TRANSACTION",
            }
        };
        if let Some(holder) = holder.filter(|holder| shown.insert((holder.id, address))) {
            locks.push(make(holder.id, true));
        }
        locks.push(make(session, false));
    }
    locks
}

/// The database and id of the table at an address, which names it among waits.
fn table_at(cx: &FillContext<'_>, address: u64) -> Option<(DbId, i64)> {
    cx.instance.databases().catalogs().iter().find_map(|catalog| {
        let database = catalog.database();
        let tables = database.manager().tables().all();
        let table = tables.iter().find(|table| std::sync::Arc::as_ptr(table) as u64 == address)?;
        let schema = catalog.current();
        let definition = schema.tables().find(|own| own.storage == table.storage())?;
        Some((database.id(), definition.id().0.into()))
    })
}
