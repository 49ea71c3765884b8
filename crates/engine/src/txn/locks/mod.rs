//! Locks on tables, rows and ranges of keys, and on names.
//!
//! A change of a row needs no lock: its writer owns the newest version until it commits, and other
//! transactions find that there. Locks are for what a version cannot say: that a row, or a gap
//! between rows, must stay as a reader has read it. Readers at locking levels, and hints, take
//! them.
//!
//! # Lockers and plain writers
//!
//! * A *locker* registers its lock, and counts itself in its table's
//!   [lock word](crate::hot::table::LockWord), before it looks at versions. It waits for an
//!   uncommitted version of another transaction.
//! * A plain *writer* puts its version in place first and looks at the lock word afterwards. If the
//!   word is zero, that is all. Otherwise the table has locks: the writer requests the lock that
//!   its change needs, and releases it at once, since its version protects the row from then on.
//!
//! Both sides are sequentially consistent, so that one of them sees the other. A writer that finds
//! that the word is not zero requests the lock before it writes. A conflicting lock that it finds
//! only afterwards was granted in between: the writer withdraws its version, and then requests the
//! lock.
//!
//! # Ranges
//!
//! A [span](target::Span) locks all rows of a range of an index and the gaps between them with one
//! entry. While its owner waits for transactions that have changed rows of the range already, the
//! span is *pending*: it keeps newcomers out, but not the transactions that its owner waits for,
//! which may have more to do in the range.
//!
//! # Tables
//!
//! An owner that locks rows or ranges announces that by an intent lock on the table. Plain writers
//! announce in their transaction's slot which tables they write to, and an owner that locks a table
//! waits for them. An owner with many locks in one table trades them for one on the table
//! ([`ESCALATION`]) if no other owner is in the way.

mod definitions;
mod held;
mod lock_wait;
mod mode;
mod queue;
mod read;
mod row_keys;
mod space;
mod take;
mod target;
mod write;

use std::collections::HashMap;

use base::ids::{DbId, StorageId};

pub use definitions::HeldDefinition;
pub(crate) use held::HeldLocks;
pub use lock_wait::{LockKind, LockWait};
pub use mode::LockMode;
pub use queue::{LockFault, Patience, Taken};
pub use read::{Locking, Reach, Reading};
pub(crate) use row_keys::KeysOf;
pub use row_keys::{NoKeys, RowKeys};
pub use space::{LockInfo, LockSpace, Request};
pub use take::{ESCALATION, ESCALATION_STEP};
pub use target::{DefinitionKind, Lifetime, LockedDefinition, Span, Target};

use crate::hot::tally::Pool;
use crate::sync::{Arc, Mutex};
use crate::txn::waits::WaitGraph;

/// The locks of a database, by table.
pub struct LockManager {
    database: DbId,
    graph: Arc<WaitGraph>,
    pool: Arc<Pool>,
    tables: Mutex<HashMap<StorageId, Arc<LockSpace>>>,
}

impl LockManager {
    /// A lock manager without locks. Their memory is charged to the pool.
    pub fn new(database: DbId, graph: Arc<WaitGraph>, pool: Arc<Pool>) -> LockManager {
        LockManager { database, graph, pool, tables: Mutex::default() }
    }

    /// The lock space of a table.
    pub(crate) fn table(&self, storage: StorageId) -> Arc<LockSpace> {
        let (graph, pool) = (&self.graph, &self.pool);
        let new = || {
            let (graph, pool) = (graph.clone(), pool.clone());
            Arc::new(LockSpace::of_table(graph, pool, self.database, storage))
        };
        let mut tables = self.tables.lock().expect("no panic under this lock");
        tables.entry(storage).or_insert_with(new).clone()
    }

    /// Forgets a table that is gone and has no transaction inside.
    pub(crate) fn forget(&self, storage: StorageId) {
        self.tables.lock().expect("no panic under this lock").remove(&storage);
    }

    /// All locks and requests, by table: for the system views.
    pub fn list(&self) -> Vec<(StorageId, LockInfo)> {
        let tables = self.tables.lock().expect("no panic under this lock");
        let spaces: Vec<_> =
            tables.iter().map(|(storage, space)| (*storage, space.clone())).collect();
        drop(tables);
        let of = |(storage, space): (StorageId, Arc<LockSpace>)| {
            space.list().into_iter().map(move |lock| (storage, lock)).collect::<Vec<_>>()
        };
        spaces.into_iter().flat_map(of).collect()
    }
}
