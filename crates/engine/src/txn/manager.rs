//! The state that the transactions of one database share.

use std::collections::HashMap;
use std::ops::ControlFlow;

use base::ids::{DbId, Lsn, StorageId};

use crate::hot::progress::Progress;
use crate::hot::reclaim::{QueueStats, ReclaimStats, Reclaimer, Tables};
use crate::hot::sink_queue::{SinkQueue, Sinking};
use crate::hot::status::{Horizon, SlotTable, Status};
use crate::hot::table::{Table, TableSpec};
use crate::hot::tally::Pool;
use crate::log::Log;
use crate::log::record::RECORD_HEADER;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use crate::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};
use crate::txn::error::{TxnError, TxnResult, Unavailable};
use crate::txn::locks::{LockManager, LockSpace};
use crate::txn::log_needs::LogNeeds;
use crate::txn::read_set::{Read, Scan};
use crate::txn::tracking::Tracking;
use crate::txn::waits::{OwnerId, WaitGraph};
use crate::txn::write_set::Write;
use crate::wait::{Runtime, Task};

/// Rows whose memory, and that of their index entries, one step of the epochs is sure to free.
const ROWS_PER_STEP: usize = 128;
/// Recovered rows that are queued for the sink under one guard.
const RECOVERED_PER_GUARD: usize = 1024;

/// Transactions, tables and garbage of one database.
pub struct Manager {
    id: DbId,
    runtime: Runtime,
    pub(crate) slots: SlotTable,
    pub(crate) horizon: Horizon,
    pub(crate) reclaimer: Reclaimer,
    pub(crate) sinking: SinkQueue,
    pub(crate) log: Log,
    uuid: u128,
    pub(crate) graph: Arc<WaitGraph>,
    tables: Arc<Tables>,
    definition_locks: LockSpace,
    pub(crate) locks: LockManager,
    /// How often a writer has withdrawn a version because of a lock; see [`Manager::withdrawals`].
    withdrawals: AtomicU64,
    pub(crate) log_needs: LogNeeds,
    /// Versions of change tracking.
    pub(super) tracking: Tracking,
    /// See [`Manager::set_available`].
    state: AtomicU8,
    /// See [`Manager::set_identity_cache`], which writes it; read where the ceiling of an identity
    /// column is logged.
    pub(super) identity_cache_off: AtomicBool,
}

/// The parts from which a [`Manager`] is made.
pub struct ManagerParts {
    /// The database.
    pub id: DbId,
    /// Workers and their epochs.
    pub runtime: Runtime,
    /// Names the database in other databases' logs.
    pub uuid: u128,
    /// The log that commits are written to.
    pub log: Log,
    /// The waits-for graph of the server.
    pub graph: Arc<WaitGraph>,
    /// The tables that exist already.
    pub tables: Arc<Tables>,
}

impl Manager {
    /// The manager of a database in which transactions may begin.
    pub fn new(parts: ManagerParts) -> Manager {
        let ManagerParts { id, uuid, runtime, log, graph, tables } = parts;
        let shards = tables.shards();
        let locks = LockManager::new(id, graph.clone(), tables.pool().clone());
        let definition_locks = LockSpace::of_definitions(graph.clone(), tables.pool().clone(), id);
        Manager {
            id,
            runtime,
            slots: SlotTable::new(shards),
            horizon: Horizon::default(),
            reclaimer: Reclaimer::new(shards),
            sinking: SinkQueue::new(shards),
            log,
            uuid,
            graph,
            tables,
            definition_locks,
            locks,
            withdrawals: AtomicU64::new(0),
            log_needs: LogNeeds::default(),
            tracking: Tracking::default(),
            state: AtomicU8::new(0),
            identity_cache_off: AtomicBool::new(false),
        }
    }

    /// The database.
    pub fn id(&self) -> DbId {
        self.id
    }

    /// Workers and their epochs.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Names the database in other databases' logs.
    pub fn uuid(&self) -> u128 {
        self.uuid
    }

    /// The log that commits are written to; for databases like tempdb one that keeps nothing.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The tables, by storage id.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The pool that the database's memory is charged to.
    pub fn pool(&self) -> &Arc<Pool> {
        self.tables.pool()
    }

    /// The locks on its tables.
    pub fn locks(&self) -> &LockManager {
        &self.locks
    }

    /// The count of withdrawals: it changes whenever a writer takes back a version that other
    /// transactions may wait for, although its own transaction goes on. A transaction reads it
    /// before it looks at a version that it will wait for, and does not sleep if it has changed
    /// since.
    pub(crate) fn withdrawals(&self) -> u64 {
        self.withdrawals.load(SeqCst)
    }

    pub(crate) fn note_withdrawal(&self) {
        self.withdrawals.fetch_add(1, SeqCst);
    }

    /// The locks on definitions.
    pub fn definition_locks(&self) -> &LockSpace {
        &self.definition_locks
    }

    /// The owners of transactions in progress that are inside this table's gate. A transaction that
    /// is inside more gates than its slot can name may be missing.
    pub fn gate_holders(&self, table: StorageId) -> Vec<OwnerId> {
        let Some(address) = self.tables.get(table).map(|t| t.pointer().address()) else {
            return Vec::new();
        };
        let mut owners = Vec::new();
        self.slots.for_each(|_, slot| {
            let owner = OwnerId(slot.owner());
            if owner.0 != 0 && slot.is_inside(address) && !owners.contains(&owner) {
                owners.push(owner);
            }
        });
        owners
    }

    /// The gates that transactions in progress are inside of, as pairs of table and owner.
    pub fn all_gate_holders(&self) -> Vec<(StorageId, OwnerId)> {
        let tables: HashMap<u64, StorageId> =
            self.tables.all().iter().map(|t| (t.pointer().address(), t.storage())).collect();
        let mut holders = Vec::new();
        self.slots.for_each(|_, slot| {
            let owner = OwnerId(slot.owner());
            if owner.0 != 0 {
                let addresses = slot.gates();
                let storages = addresses.iter().filter_map(|address| tables.get(address));
                holders.extend(storages.map(|storage| (*storage, owner)));
            }
        });
        holders
    }

    /// Enters the gate of a table for an owner. Fails if another owner closes or has closed the
    /// gate, and returns that owner.
    pub(crate) fn enter_gate(&self, table: &Table, shard: usize, owner: u64) -> Result<(), u64> {
        let entered = table.gate().try_enter(shard, owner);
        entered.inspect_err(|_| self.graph.left(table.pointer().address()))
    }

    /// Leaves a gate through the shard by which it was entered. The table may be freed afterwards.
    pub(crate) fn leave_gate(&self, table: &Table, shard: usize) {
        let address = table.pointer().address();
        if table.gate().leave(shard) {
            self.graph.left(address);
        }
    }

    /// Makes a table and registers it. Its storage id must never have been used.
    pub fn create_table(&self, spec: &TableSpec) -> Arc<Table> {
        self.tables.create(spec)
    }

    /// Drops a table: plans that hold it find it retired, and its rows are freed step by step once
    /// no snapshot can see them. The caller has closed its gate, or has never shown it to other
    /// transactions.
    pub fn drop_table(&self, storage: StorageId) {
        if let Some(table) = self.tables.remove(storage) {
            table.gate().retire();
            self.locks.forget(storage);
            let now = self.log.committed();
            // Rows that have left memory are queued as garbage with stamps up to `now`, and are
            // freed only when the horizon has passed these.
            let stamp = if table.sinks() { Lsn(now.0 + RECORD_HEADER as u64) } else { now };
            self.reclaimer.retire(table, stamp);
        }
    }

    /// Frees what no transaction can see any more, up to about `budget` rows, versions and tables.
    /// Returns how many it freed; fewer than `budget` means that nothing more is due.
    pub fn reclaim(&self, task: &Task, budget: usize) -> usize {
        let worker = task.worker();
        let guard = worker.pin();
        let durable = self.log.durable();
        let done = self.reclaimer.pass(
            worker.index(),
            &guard,
            budget,
            &self.horizon,
            &self.slots,
            durable,
        );
        drop(guard);
        // Epochs free what was unlinked; without load no other thread advances them, and each step
        // frees a few hundred pieces of memory.
        for _ in 0..=done / ROWS_PER_STEP {
            worker.pin().flush();
        }
        done
    }

    /// Removes up to `budget` buckets that hash indexes have not needed for several calls. Returns
    /// how many; fewer than `budget` means that no more are due. The caller sets `look` about once
    /// a second, and calls without it to continue.
    pub fn shrink_indexes(&self, task: &Task, budget: usize, look: bool) -> usize {
        self.reclaimer.shrink_indexes(&self.tables, &task.worker().pin(), budget, look)
    }

    /// Queues for the sink all rows in memory of tables that sink. Called after a recovery, which
    /// has made these rows.
    pub(crate) fn queue_recovered(&self) {
        let collector = self.runtime.collector().clone();
        let handle = collector.register();
        for table in self.tables.all().into_iter().filter(|table| table.sinks()) {
            let (storage, mut walk) = (table.storage(), table.walk_of_all());
            while !walk.is_done() {
                let mut rows = Vec::new();
                table.walk(&handle.pin(), table.log_index(), &mut walk, &mut |anchor| {
                    rows.push(Sinking { storage, anchor, stamp: Lsn::ZERO });
                    match rows.len() < RECOVERED_PER_GUARD {
                        true => ControlFlow::Continue(()),
                        false => ControlFlow::Break(()),
                    }
                });
                self.sinking.add(0, &mut rows);
            }
        }
    }

    /// The transactions in progress: for `sys.dm_db_xtp_transactions`.
    pub fn transactions(&self) -> Vec<TransactionInfo> {
        let mut infos = Vec::new();
        self.slots.for_each(|number, slot| {
            if slot.is_taken() {
                infos.push(TransactionInfo {
                    number,
                    owner: OwnerId(slot.owner()),
                    status: slot.status(),
                    snapshot: slot.snapshot(),
                    progress: slot.progress(),
                });
            }
        });
        infos
    }

    /// Bytes of the slots of transactions: of all slots, and of those in use.
    pub fn transaction_memory(&self) -> (u64, u64) {
        self.slots.memory()
    }

    /// The tables that transactions in progress have written to, with the owner of each; only
    /// tables whose writers wait.
    pub fn writers(&self) -> Vec<(StorageId, OwnerId)> {
        let tables = self.tables.all();
        let mut writers = Vec::new();
        self.slots.for_each(|_, slot| {
            let owner = OwnerId(slot.owner());
            let written = tables.iter().filter(|t| slot.names_table(t.pointer().address()));
            writers.extend(written.filter(|_| slot.is_taken()).map(|t| (t.storage(), owner)));
        });
        writers
    }

    /// Counts of reclamation since the database came up.
    pub fn reclaim_stats(&self) -> ReclaimStats {
        self.reclaimer.stats()
    }

    /// As `reclaim_stats`, by queue: first those of the workers, then that of rows that have left
    /// memory.
    pub fn reclaim_queues(&self) -> Vec<QueueStats> {
        self.reclaimer.queue_stats()
    }

    /// Bytes of the queues of garbage themselves, without what is queued: allocated, and in use.
    pub fn reclaim_memory(&self) -> (u64, u64) {
        self.reclaimer.queue_memory()
    }

    /// Sets whether transactions may begin and, if not, why.
    pub fn set_available(&self, state: Result<(), Unavailable>) {
        let code = match state {
            Ok(()) => 0,
            Err(Unavailable::Recovering) => 1,
            Err(Unavailable::Suspect) => 2,
            Err(Unavailable::Offline) => 3,
            Err(Unavailable::Restoring) => 4,
            Err(Unavailable::Pending) => 5,
        };
        self.state.store(code, Release);
    }

    /// Returns an error if transactions may not begin.
    pub fn check_available(&self) -> TxnResult<()> {
        Err(TxnError::Unavailable(match self.state.load(Acquire) {
            0 => return Ok(()),
            1 => Unavailable::Recovering,
            2 => Unavailable::Suspect,
            4 => Unavailable::Restoring,
            5 => Unavailable::Pending,
            _ => Unavailable::Offline,
        }))
    }
}

impl Drop for Manager {
    fn drop(&mut self) {
        // A table is freed only when none of its garbage is queued.
        let collector = self.runtime.collector().clone();
        self.reclaimer.drain(&collector.register().pin());
    }
}

/// A transaction in progress, as other threads see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransactionInfo {
    /// Its slot.
    pub number: u32,
    /// The session-level owner.
    pub owner: OwnerId,
    /// Its status.
    pub status: Status,
    /// The oldest snapshot that it reads at.
    pub snapshot: Option<Lsn>,
    /// What it has read and written, as it has last published.
    pub progress: Progress,
}

impl TransactionInfo {
    /// Bytes of its write set and of its validation set.
    pub fn set_bytes(&self) -> u64 {
        let Progress { writes, reads, scans, .. } = self.progress;
        let bytes = |count: u32, each: usize| u64::from(count) * each as u64;
        bytes(writes, size_of::<Write>())
            + bytes(reads, size_of::<Read>())
            + bytes(scans, size_of::<Scan>())
    }
}
