//! Changes of rows that go to a successor of the table's storage instead of into memory.
//!
//! A transaction that has outgrown its share of memory has closed the table's gate (see
//! `docs/design/sinking.md`). A row that it is about to change is judged here as in
//! [`Transaction::update`], but it is not taken, and rows that have sunk stay where they are. So a
//! row that one statement changes twice is not noticed here, but when the successor's trees are
//! filled ([`TxnError::ChangedTwice`](crate::txn::TxnError::ChangedTwice)).

use crate::hot::anchor::{AnchorPtr, RowAt};
use crate::hot::key::KeyBuf;
use crate::hot::visibility::{self, Snapshot};
use crate::txn::error::TxnResult;
use crate::txn::promote::BroughtBack;
use crate::txn::row_ref::RowRef;
use crate::txn::transaction::Transaction;
use crate::txn::write::{Verdict, WriteTarget, Written, is_followed};
use crate::wait::Task;

impl Transaction {
    /// Judges what a change of this row would do, without changing it. [`Written::Done`] has the
    /// row's current version, which the change replaces or deletes in the successor. The other
    /// outcomes are those of [`Transaction::update`].
    pub fn look_before_change<'s>(
        &mut self,
        task: &Task,
        snapshot: &Snapshot<'s>,
        row: RowRef<'s>,
    ) -> TxnResult<Written<RowRef<'s>>> {
        let table = row.table();
        let target = self.target(task, table, snapshot)?;
        let written = self.look_at(task, target, row.at())?;
        // SAFETY: the row was visible to the registered snapshot, or is newer.
        Ok(written.map(|row| unsafe { RowRef::new(table, row) }))
    }

    fn look_at(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        mut row: RowAt,
    ) -> TxnResult<Written<RowAt>> {
        let table = target.table;
        loop {
            if row.anchor.is_cold() {
                match self.is_still_sunk(task, target, row)? {
                    Sunk::Unchanged => return Ok(Written::Done(row)),
                    Sunk::InMemory(anchor) => row.anchor = anchor,
                    Sunk::Gone => return Ok(Written::Gone),
                }
            }
            let winner = {
                let _guard = task.pin();
                let slots = &self.manager().slots;
                // SAFETY: the row was visible to the registered snapshot, or is newer.
                let newest = unsafe { visibility::newest(row.anchor, table.links(), slots) };
                match self.judge(target, row, newest) {
                    Verdict::Take(newest) => {
                        let version = newest.version;
                        return Ok(Written::Done(RowAt { anchor: row.anchor, version }));
                    }
                    Verdict::Ended(written) => return Ok(written),
                    Verdict::Elsewhere(anchor) => {
                        row.anchor = anchor;
                        continue;
                    }
                    Verdict::GiveWay(winner) => winner,
                }
            };
            self.give_way(task, target, row, winner)?;
        }
    }

    /// Finds where a row is that was read from the trees at the snapshot, when memory did not
    /// decide about it.
    fn is_still_sunk(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        row: RowAt,
    ) -> TxnResult<Sunk> {
        let WriteTarget { table, snapshot, .. } = target;
        // SAFETY: the row was read at the registered snapshot, and was not in memory.
        let bytes = unsafe { table.row(row.version) };
        if let Some(anchor) = self.deciding_anchor(task, table, snapshot, bytes) {
            return Ok(Sunk::InMemory(anchor));
        }
        let safe = self.manager().horizon.safe();
        let Some(cold) = table.cold().filter(|cold| cold.newest() >= safe) else {
            return Ok(Sunk::Unchanged);
        };
        let (mut p, mut newest) = (KeyBuf::new(), Vec::new());
        table.log_key(bytes, &mut p);
        match cold.find_newest(task, &p, &mut newest)? {
            Some(found) if !found.is_gone && found.stamp < snapshot.stamp => {
                return Ok(Sunk::Unchanged);
            }
            _ => {}
        }
        // A commit has changed the row since the snapshot. Such rows are promoted; they are few.
        match self.promote(task, table, snapshot, is_followed(target), bytes)? {
            BroughtBack::To(anchor) => Ok(Sunk::InMemory(anchor)),
            BroughtBack::Lost(_) if is_followed(target) => Ok(Sunk::Gone),
            BroughtBack::Lost(stamp) => Err(self.lost(task, target, stamp)),
        }
    }
}

/// Where a row is that was not in memory when it was read.
enum Sunk {
    /// In the trees, as it was read.
    Unchanged,
    /// Behind this anchor.
    InMemory(AnchorPtr),
    /// A commit has deleted it.
    Gone,
}
