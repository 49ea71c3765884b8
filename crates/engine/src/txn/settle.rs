//! Settling: what a transaction writes to storages of its own leaves memory before the transaction
//! commits.
//!
//! A successor of a table's storage ([`crate::catalog::edit`]) belongs to the transaction that has
//! made it: no other transaction knows it, and a rollback to a savepoint before it was made drops
//! it with all its rows. So once no rollback can go to a later savepoint, the rows that were
//! written to it need not be undone one by one. They get a stamp, like those of a commit, and sink;
//! and their entries leave the write set. The log has them as loaded rows.
//!
//! # Invariants
//!
//! * P1: after that the transaction rolls back only to a position at which the rows were settled
//!   already, or to one before the storage was made
//!   ([`WriteSet::go_back`](super::write_set::WriteSet::go_back)).
//! * P2: the transaction commits only when a durable root has what was settled: the log's
//!   operations are for a recovery without such a root.

use std::ops::Range;

use smallvec::SmallVec;

use crate::critical::{self, Section};
use crate::hot::key::KeyBuf;
use crate::hot::table::{Table, TablePtr};
use crate::log::Operation;
use crate::log::record::RECORD_HEADER;
use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Release;
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::own_storage::OwnStorage;
use crate::txn::transaction::Transaction;
use crate::txn::write_set::Savepoint;
use crate::wait::Task;

/// Rows that get one stamp. Until they have it, other transactions' commits wait for this
/// transaction's place in the log.
const ROWS_PER_STAMP: usize = 4096;

/// How many rounds at most take what was settled out of memory, and the pause between two.
const ROUNDS_MAX: usize = 50;
const NAP_NS: u64 = 10_000_000;

impl Transaction {
    /// Notes that a storage, which this transaction has made at the savepoint `since`, has its
    /// trees, with this many rows. The newest stamp of settled rows goes to `settled`; `run_rounds`
    /// takes these rows out of memory.
    pub(crate) fn add_own_storage(
        &mut self,
        table: &Table,
        rows: u64,
        since: Savepoint,
        settled: Arc<AtomicU64>,
        run_rounds: impl Fn(&Task, u64) -> TxnResult<()> + Send + 'static,
    ) {
        self.built_rows += rows;
        let (table, run_rounds) = (table.pointer(), Box::new(run_rounds));
        self.own.push(OwnStorage { table, since, settled, run_rounds });
    }

    /// Whether a storage is one of its own.
    pub(super) fn owns(&self, table: TablePtr) -> bool {
        self.own.iter().any(|own| own.table == table)
    }

    /// Whether it is time to settle what was written to storages of its own. Returns the savepoint
    /// after which the caller must have none.
    pub fn settles_from(&self) -> Option<Savepoint> {
        let first = self.own.iter().map(|own| own.since).min()?;
        (self.fills_memory() && !self.is_in_statement()).then_some(first)
    }

    /// Settles what was written to storages of its own. Called between statements. The caller
    /// guarantees that no rollback goes to a savepoint between [`Transaction::settles_from`] and
    /// here.
    pub fn settle(&mut self, task: &Task) -> TxnResult<()> {
        critical::section(Section::Commit, || self.settle_own(task))
    }

    fn settle_own(&mut self, task: &Task) -> TxnResult<()> {
        let Some(from) = self.own.iter().map(|own| own.since).min() else { return Ok(()) };
        let is_own: SmallVec<[bool; 8]> =
            self.held.iter().map(|h| !h.left && self.owns(h.table)).collect();
        let (mut done, mut rows) = (0, 0);
        let mut stamped = self.log_settled(task, &is_own);
        self.protect_own();
        while done < self.writes.len() && stamped.is_ok() {
            let until = self.writes.len().min(done + ROWS_PER_STAMP);
            stamped = self.stamp_own(task, done..until, &is_own).map(|some| {
                rows += some;
                done = until;
            });
        }
        self.writes
            .settle(from.writes, |place, write| place < done && is_own[write.table as usize]);
        self.forget_own();
        self.release_own();
        if let Err(error) = stamped {
            // The log has rows as loaded that were not settled: the transaction must not commit.
            let why = error.clone();
            self.before_commit(move |_, _| Err(why));
            return Err(error);
        }
        match rows {
            0 => Ok(()),
            _ => self.sink_own(task),
        }
    }

    /// Sinks what was settled until little of it is left in memory, in at most [`ROUNDS_MAX`]
    /// rounds.
    fn sink_own(&self, task: &Task) -> TxnResult<()> {
        let owner = self.session.owner().id().0;
        let Some(own) = self.own.last() else { return Ok(()) };
        for _ in 0..ROUNDS_MAX {
            if (own.run_rounds)(task, owner).is_err() {
                break; // the sink tries again
            }
            self.manager().reclaim(task, usize::MAX);
            // SAFETY: its gate is held.
            let bytes = |own: &OwnStorage| unsafe { own.table.get() }.memory().allocated_bytes;
            if !self.is_settle_due(self.own.iter().map(bytes).sum()) {
                break;
            }
            task.sleep_ns(NAP_NS).map_err(|_| TxnError::Interrupted)?;
        }
        Ok(())
    }

    /// Gives one stamp to what these entries have written to its own storages. Returns how many
    /// rows are to sink.
    fn stamp_own(
        &mut self,
        task: &Task,
        places: Range<usize>,
        is_own: &[bool],
    ) -> TxnResult<usize> {
        let session = self.session.clone();
        // The rows are queued for the sink before the horizon can pass their stamp: S5.
        let space = session.manager().log.reserve_waiting(task, RECORD_HEADER)?;
        let stamp = space.stamp();
        let rows = self.stamp_writes(task, stamp, places, |place| is_own[place]);
        session.note_commit(space.publish_filler(), false);
        self.own.iter().for_each(|own| own.settled.store(stamp.0, Release));
        Ok(rows)
    }

    /// Logs the rows that are about to be settled, as loaded or unloaded.
    fn log_settled(&mut self, task: &Task, is_own: &[bool]) -> TxnResult<()> {
        if !self.manager().log.is_logged() {
            return Ok(());
        }
        let mut key = KeyBuf::default();
        for place in 0..self.writes.len() {
            let write = self.writes[place];
            if !is_own[write.table as usize] {
                continue;
            }
            let mut operations = std::mem::take(&mut self.loads.operations);
            // SAFETY: the gate of the table is held, and the row is this transaction's.
            let operation = unsafe {
                let table = self.table_of(&write);
                self.operation(table, &write, &mut key)
            };
            match operation {
                Some(Operation::Upsert { storage, layout, replaces, row }) => {
                    if replaces.is_some() {
                        let mut key = KeyBuf::default();
                        // SAFETY: as above.
                        unsafe { self.table_of(&write) }.log_key(row, &mut key);
                        Operation::Unload { storage, key: &key }.encode(&mut operations);
                    }
                    Operation::Load { storage, layout, row }.encode(&mut operations);
                }
                Some(Operation::Delete { storage, key, .. }) => {
                    Operation::Unload { storage, key }.encode(&mut operations);
                }
                _ => {}
            }
            self.loads.operations = operations;
            self.flush_loads(task)?;
        }
        Ok(())
    }
}
