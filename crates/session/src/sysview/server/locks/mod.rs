//! The locks that sessions have or want.
//!
//! Locks that were taken are in the lock managers. A writer takes none for rows: what it has
//! changed it shows where it pauses ([`engine::txn::Transaction::show_writes`]), and is shown here
//! as the locks that SQL Server would have taken.

mod place;
mod waits;

use std::collections::{HashMap, HashSet};

use base::SqlType;
use base::ids::{SessionId, StorageId};
use engine::catalog::Catalog;
use engine::txn::locks::{Lifetime, LockInfo, LockMode, LockedDefinition, Target};
use engine::txn::{Blocker, ChangedRow, OwnerId, Resource, Waits};

use self::place::{LockPlace, Places};

pub use self::waits::DM_OS_WAITING_TASKS;
pub(super) use self::waits::{blocked_by, wait_resource, wait_type};
use super::super::cells::{self, *};
use super::super::{FillContext, FilledView};
use crate::instance::locks::LockName;

const ADDRESS: SqlType = SqlType::varbinary(8);

/// A lock that a session has or waits for.
struct Lock {
    place: LockPlace,
    mode: &'static str,
    /// `GRANT`, `WAIT` or `CONVERT`.
    status: &'static str,
    count: u32,
    session: SessionId,
    /// `SESSION`, `TRANSACTION` or `SHARED_TRANSACTION_WORKSPACE`.
    owner: &'static str,
}

pub static DM_TRAN_LOCKS: FilledView = FilledView {
    schema: "sys",
    name: "dm_tran_locks",
    columns: &[
        column("resource_type", nvar(60), false),
        column("resource_subtype", nvar(60), false),
        column("resource_database_id", INT, false),
        column("resource_description", nvar(256), false),
        column("resource_associated_entity_id", BIG, true),
        column("resource_lock_partition", INT, false),
        column("request_mode", nvar(60), false),
        column("request_type", nvar(60), false),
        column("request_status", nvar(60), false),
        column("request_reference_count", SMALL, false),
        column("request_lifetime", INT, false),
        column("request_session_id", INT, false),
        column("request_exec_context_id", INT, false),
        column("request_request_id", INT, false),
        column("request_owner_type", nvar(60), false),
        column("request_owner_id", BIG, true),
        column("request_owner_guid", GUID, true),
        column("request_owner_lockspace_id", nvar(32), false),
        column("lock_owner_address", ADDRESS, false),
    ],
    fill: |cx| {
        let mut places = Places::new(cx.instance, Some((cx.database, cx.schema)));
        let mut locks = of_databases(cx);
        let named = cx.instance.locks.list();
        locks.extend(named.iter().filter_map(of_application));
        let changed = changed_rows(cx);
        for catalog in cx.instance.databases().catalogs() {
            locks.extend(of_tables(cx, &catalog, &changed, &mut places));
            locks.extend(of_definitions(&catalog));
            add_readers(cx, &catalog, &mut locks, &mut places);
        }
        add_waits(cx, &mut locks, &mut places);
        locks.iter().for_each(|own| show(cx, own));
        Ok(())
    },
};

fn show(cx: &mut FillContext<'_>, own: &Lock) {
    let transaction = cx.instance.sessions.get(own.session);
    let transaction = transaction.and_then(|e| Some(e.status().transaction.as_ref()?.id));
    let (kind, subtype) = own.place.kind.names();
    let start = [
        text(kind),
        text(subtype),
        database(own.place.database),
        text(&own.place.description),
        int(own.place.entity),
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

/// A session that is in a database keeps other sessions from dropping it.
fn of_databases(cx: &FillContext<'_>) -> Vec<Lock> {
    let master = cx.instance.databases().master().current();
    let mut locks = Vec::new();
    for own in master.server().databases().iter() {
        let sessions = cx.instance.usage.sessions_in(own.id);
        // As in SQL Server, master and tempdb need no such lock.
        let needs_none = own.id.0 <= 2;
        locks.extend(sessions.into_iter().filter(|_| !needs_none).map(|session| Lock {
            place: LockPlace::database(own.id),
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
    Some(Lock {
        place: LockPlace::name(&LockName::of(&lock.target)?),
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

/// The locks of a database's definitions.
fn of_definitions(catalog: &Catalog) -> Vec<Lock> {
    let (manager, database) = (catalog.database().manager(), catalog.database().id());
    let list = manager.definition_locks().list();
    let lock = |lock: &LockInfo| {
        let Target::Definition(definition) = &lock.target else { return None };
        Some(Lock {
            place: LockPlace::definition(database, definition),
            mode: match definition {
                LockedDefinition::All | LockedDefinition::Name(..) => lock.mode.name(),
                LockedDefinition::Kind(_) | LockedDefinition::One(..) => {
                    waits::schema_mode(lock.mode)
                }
            },
            status: status_of(lock),
            count: lock.count,
            session: lock.session,
            owner: match lock.lifetime {
                Lifetime::Session => "CURSOR",
                Lifetime::Statement | Lifetime::Transaction => "TRANSACTION",
            },
        })
    };
    list.iter().filter_map(lock).collect()
}

/// Adds what is locked by transactions that are inside of tables: their definitions stay as they
/// are. Those that have locked something in a table, or its definition, are shown with that.
fn add_readers(
    cx: &FillContext<'_>,
    catalog: &Catalog,
    locks: &mut Vec<Lock>,
    places: &mut Places<'_>,
) {
    let (manager, database) = (catalog.database().manager(), catalog.database().id());
    let sessions = cx.instance.sessions.all();
    let known: HashSet<(SessionId, LockPlace)> =
        locks.iter().map(|lock| (lock.session, lock.place.clone())).collect();
    for (storage, owner) in manager.all_gate_holders() {
        let entry = sessions.iter().find(|entry| entry.owner.id() == owner);
        let place = places.of_part(database, storage, &Target::Whole);
        let (Some(entry), Some(place)) = (entry, place) else { continue };
        if known.contains(&(entry.id, place.clone())) {
            continue;
        }
        let (session, owner) = (entry.id, "TRANSACTION");
        locks.push(Lock { place, mode: "Sch-S", status: "GRANT", count: 1, session, owner });
    }
}

/// The rows that sessions show to have changed.
fn changed_rows(cx: &FillContext<'_>) -> Vec<(OwnerId, ChangedRow)> {
    let sessions = cx.instance.sessions.all();
    let of = |owner: &engine::txn::Owner| {
        let id = owner.id();
        owner.changed_rows().into_iter().map(move |row| (id, row))
    };
    sessions.iter().flat_map(|entry| of(&entry.owner)).collect()
}

/// The locks in a database's tables, and those that writers without locks would have.
fn of_tables(
    cx: &FillContext<'_>,
    catalog: &Catalog,
    changed: &[(OwnerId, ChangedRow)],
    places: &mut Places<'_>,
) -> Vec<Lock> {
    let (manager, database) = (catalog.database().manager(), catalog.database().id());
    let mut list = Granted::new(cx, manager.locks().list());
    for (storage, owner) in manager.writers() {
        list.add(storage, owner, Target::Whole, LockMode::INTENT_EXCLUSIVE);
    }
    for (owner, row) in changed.iter().filter(|(_, row)| row.database == database) {
        let table = list.add(row.storage, *owner, Target::Whole, LockMode::INTENT_EXCLUSIVE);
        // A session that has the whole table exclusively locks no rows of it.
        if table != Some(LockMode::EXCLUSIVE) {
            list.add(row.storage, *owner, Target::Row(row.row), LockMode::EXCLUSIVE);
        }
    }
    let lock = |(storage, lock): &(StorageId, LockInfo)| {
        let mode = match lock.target {
            Target::Span(_) => lock.mode.range_name(),
            Target::Insert => "RangeI-N",
            _ => lock.mode.name(),
        };
        Some(Lock {
            place: places.of_part(database, *storage, &lock.target)?,
            mode,
            status: status_of(lock),
            count: lock.count,
            session: lock.session,
            owner: "TRANSACTION",
        })
    };
    list.locks.iter().filter_map(lock).collect()
}

/// The locks of a database, to which others are added that no session has taken.
struct Granted {
    locks: Vec<(StorageId, LockInfo)>,
    /// Where the granted ones are.
    places: HashMap<(StorageId, OwnerId, Target), usize>,
    sessions: HashMap<OwnerId, SessionId>,
}

impl Granted {
    fn new(cx: &FillContext<'_>, locks: Vec<(StorageId, LockInfo)>) -> Granted {
        let granted = locks.iter().enumerate().filter(|(_, (_, lock))| lock.count > 0);
        let key = |(at, (storage, lock)): (usize, &(StorageId, LockInfo))| {
            ((*storage, lock.owner, lock.target.clone()), at)
        };
        let places = granted.map(key).collect();
        let sessions = cx.instance.sessions.all();
        let sessions = sessions.iter().map(|entry| (entry.owner.id(), entry.id)).collect();
        Granted { locks, places, sessions }
    }

    /// Adds a lock. Where its owner has one already, the two are combined. Returns the combined
    /// lock. `None` if the owner's session has ended.
    fn add(
        &mut self,
        storage: StorageId,
        owner: OwnerId,
        target: Target,
        mode: LockMode,
    ) -> Option<LockMode> {
        let session = self.sessions.get(&owner).copied()?;
        let at = *self.places.entry((storage, owner, target.clone())).or_insert(self.locks.len());
        if let Some((_, lock)) = self.locks.get_mut(at) {
            lock.mode = lock.mode.and(mode);
            return Some(lock.mode);
        }
        let lifetime = Lifetime::Transaction;
        let lock = LockInfo { target, session, owner, mode, lifetime, count: 1, converts: false };
        self.locks.push((storage, lock));
        Some(mode)
    }
}

/// Adds transactions that wait for other transactions' versions, for tables or definitions, and
/// those that have what is waited for.
fn add_waits(cx: &FillContext<'_>, locks: &mut Vec<Lock>, places: &mut Places<'_>) {
    let waits: Vec<Waits> = cx.instance.host().graph.waits();
    if waits.is_empty() {
        return;
    }
    let sessions = cx.instance.sessions.all();
    let key = |(at, lock): (usize, &Lock)| ((lock.session, lock.place.clone()), at);
    let mut known: HashMap<_, _> = locks.iter().enumerate().map(key).collect();
    for wait in waits {
        let (holder, resource) = match wait.blocker {
            Blocker::Owner(holder, resource) => (Some(holder), Some(resource)),
            Blocker::Drain(_) => (None, None),
            // Shown among the locks; and no lock is waited for where a table is being loaded.
            Blocker::Lock(_) | Blocker::Load(_) => continue,
        };
        let Some(place) = wait.place.as_ref().and_then(|place| places.of(place)) else { continue };
        let is_table = place.kind == place::PlaceKind::Object;
        let (held, wanted) = match resource {
            Some(Resource::Row(_)) if is_table => ("IX", wait.wish.name()),
            Some(Resource::Row(_)) => ("X", wait.wish.name()),
            Some(Resource::Lock(_)) => ("X", "X"),
            Some(Resource::Gate(_)) => ("Sch-M", "Sch-S"),
            None => ("Sch-S", "Sch-M"),
        };
        let lock = |session, (mode, status)| Lock {
            place: place.clone(),
            mode,
            status,
            count: 1,
            session,
            owner: "TRANSACTION",
        };
        let holder = sessions.iter().find(|entry| Some(entry.owner.id()) == holder);
        if let Some(holder) = holder {
            known.entry((holder.id, place.clone())).or_insert_with(|| {
                locks.push(lock(holder.id, (held, "GRANT")));
                locks.len() - 1
            });
        }
        match known.get(&(wait.session, place.clone())) {
            // Granted, but transactions that were there before are not over.
            Some(at) => locks[*at].status = "WAIT",
            None => locks.push(lock(wait.session, (wanted, "WAIT"))),
        }
    }
}
