//! Validation: whether what a transaction has read still holds at its commit.

use base::ids::Lsn;

use crate::hot::anchor::RowAt;
use crate::hot::cursor::ScanRange;
use crate::hot::status::Begin;
use crate::hot::table::{ConflictPolicy, Table};
use crate::hot::visibility::{self, ReadCheck, Snapshot};
use crate::sync::atomic::Ordering::Acquire;
use crate::sync::thread::yield_now;
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::read_set::{Read, Scan};
use crate::txn::row_ref::RowRef;
use crate::txn::transaction::Transaction;
use crate::wait::{Task, Worker};

impl Transaction {
    /// Remembers a row that was read: at commit it must still be what it was. Cursors do this
    /// under REPEATABLE READ; foreign keys do it for the rows they rely on, at any level.
    pub fn protect_read(&mut self, task: &Task, row: RowRef<'_>) -> TxnResult<()> {
        self.note_read_in(task, row.table(), row.at())
    }

    pub(super) fn note_read_in(&mut self, task: &Task, table: &Table, row: RowAt) -> TxnResult<()> {
        let held = self.hold(task, table)?;
        self.note_read(held, row);
        Ok(())
    }

    pub(super) fn note_read(&mut self, held: u32, row: RowAt) {
        // In tables that sink, locks protect what is read.
        if row.anchor.is_cold() {
            return;
        }
        // SAFETY: the row was returned for a snapshot that is registered.
        let begin = Begin::from_word(unsafe { row.version.begin() }.load(Acquire));
        // No other transaction can change what this one wrote itself.
        if !(begin.is_owned() && begin.slot() == self.slot) {
            self.held[held as usize].kept = true;
            self.reads.push(Read { anchor: row.anchor, version: row.version, table: held });
        }
    }

    /// Remembers a range of an index that was scanned at a snapshot: at commit nothing may have
    /// joined or left it. Cursors do this under SERIALIZABLE; foreign keys do it where they rely on
    /// there being no row, at any level.
    pub fn protect_scan(
        &mut self,
        task: &Task,
        table: &Table,
        index: usize,
        range: ScanRange,
        snapshot: &Snapshot,
    ) -> TxnResult<()> {
        let table = self.hold(task, table)?;
        self.note_scan(Scan { table, index, range, since: snapshot.stamp });
        Ok(())
    }

    pub(super) fn note_scan(&mut self, scan: Scan) {
        self.held[scan.table as usize].kept = true;
        self.scans.push(scan);
    }

    /// Whether anything has to be validated at commit.
    pub fn has_protected(&self) -> bool {
        !self.reads.is_empty() || !self.scans.is_empty()
    }

    /// Checks that everything that was protected still holds for a commit at `stamp`. Waits for
    /// peers that get or have lower stamps, for the few instructions until their fate is known.
    pub(super) fn validate(&self, worker: &Worker, stamp: Lsn) -> TxnResult<()> {
        if self.has_protected() {
            self.validate_reads(worker, stamp)?;
            self.validate_scans(worker, stamp)?;
        }
        Ok(())
    }

    fn validate_reads(&self, worker: &Worker, stamp: Lsn) -> TxnResult<()> {
        let _guard = worker.pin();
        let slots = &self.manager().slots;
        for read in &self.reads {
            // SAFETY: the gate of the table is held; a snapshot that sees the version, or is older
            // than it, is still registered, so that the version stays in its row's chain.
            let above = unsafe {
                let table = self.held[read.table as usize].table.get();
                let (links, own) = (table.links(), self.slot);
                let (anchor, version) = (read.anchor, read.version);
                visibility::changed_above(anchor, links, version, own, stamp, slots, yield_now)
            };
            if above == ReadCheck::Changed {
                return Err(self.invalid(read.table, TxnError::RepeatableRead));
            }
        }
        Ok(())
    }

    fn validate_scans(&self, worker: &Worker, stamp: Lsn) -> TxnResult<()> {
        for scan in &self.scans {
            // SAFETY: the gate of the table is held.
            let table = unsafe { self.held[scan.table as usize].table.get() };
            let mut looks = 0;
            let changed = table.any_in_range(worker, scan.index, &scan.range, |anchor| {
                looks += 1;
                // SAFETY: called under a guard under which the anchor was reached; `since` is the
                // stamp of a snapshot that is still registered.
                let above = unsafe {
                    visibility::changed_between(
                        anchor,
                        table.links(),
                        scan.since,
                        self.slot,
                        stamp,
                        &self.manager().slots,
                        yield_now,
                    )
                };
                above == ReadCheck::Changed
            });
            table.count_validation(scan.index, self.shard, looks);
            if changed {
                return Err(self.invalid(scan.table, TxnError::Serializable));
            }
        }
        Ok(())
    }

    /// The error of a failed validation. On tables whose writers wait it is a deadlock: with locks,
    /// readers at these levels would have waited too, and met in one.
    fn invalid(&self, held: u32, error: TxnError) -> TxnError {
        // SAFETY: the gate of the table is held.
        match unsafe { self.held[held as usize].table.get() }.conflicts() {
            ConflictPolicy::FirstWriterWins => error,
            ConflictPolicy::Wait => TxnError::Deadlock,
        }
    }
}
