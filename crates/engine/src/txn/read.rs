//! Reading rows in a transaction.

use std::ops::ControlFlow;

use base::Arena;

use crate::critical::{self, Section};
use crate::hot::anchor::{AnchorPtr, RowAt};
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::key::SeekKey;
use crate::hot::status::Fate;
use crate::hot::table::{DiskTable, Table};
use crate::hot::visibility::{self, Isolation, Snapshot};
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::peer_wait::Peer;
use crate::txn::read_set::Scan;
use crate::txn::row_ref::RowRef;
use crate::txn::transaction::Transaction;
use crate::wait::Task;

impl Cursor<'_> {
    /// Returns the next visible row, or `None` after the last. The table is the same at every call.
    /// A row that is not in memory is a copy, valid until the cursor is asked again.
    ///
    /// Under REPEATABLE READ the row is remembered for validation, under SERIALIZABLE the range.
    #[inline]
    pub fn next<'c>(
        &'c mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &'c Table,
    ) -> TxnResult<Option<RowRef<'c>>> {
        let row = self.next_at(txn, task, table)?;
        // SAFETY: the cursor reads this table, at a snapshot that is registered as long as the
        // cursor lives, and keeps copies until it is asked again.
        Ok(row.map(|row| unsafe { RowRef::new(table, row) }))
    }

    /// As [`Cursor::next`], for cursors over entries, too, whose copies are not rows.
    #[inline]
    pub(super) fn next_at(
        &mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &Table,
    ) -> TxnResult<Option<RowAt>> {
        match self.pop() {
            Some(row) => {
                self.assert_in(table);
                if self.snapshot().isolation == Isolation::RepeatableRead {
                    txn.note_read_in(task, table, row)?;
                }
                Ok(Some(row))
            }
            None => self.next_chunk(txn, task, table),
        }
    }

    fn next_chunk(
        &mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &Table,
    ) -> TxnResult<Option<RowAt>> {
        critical::section(Section::Read, || self.fetch_next(txn, task, table))
    }

    #[inline(always)]
    fn fetch_next(
        &mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &Table,
    ) -> TxnResult<Option<RowAt>> {
        if self.is_fresh() {
            let held = txn.hold(task, table)?;
            self.start_in(table);
            assert!(
                txn.registers(self.snapshot()),
                "a cursor reads in its statement's transaction"
            );
            if self.snapshot().isolation == Isolation::Serializable {
                let (index, range) = (self.index(), self.range().clone());
                txn.note_scan(Scan { table: held, index, range, since: self.snapshot().stamp });
            }
        }
        self.assert_in(table);
        loop {
            task.checkpoint().map_err(|_| TxnError::Interrupted)?;
            txn.publish_progress();
            let more = match self.cold_of(table) {
                // SAFETY: the transaction that registered the snapshot is borrowed, and holds the
                // gate.
                None => unsafe {
                    let (is_first, before) = (self.is_fresh(), self.rows_fetched());
                    let more = self.fetch(table, &txn.manager().slots, &task.pin());
                    let rows = self.rows_fetched() - before;
                    table.count_chunk(self.index(), txn.shard, is_first, self.looks(), rows);
                    more
                },
                Some(cold) => txn.fetch_versions(task, DiskTable { table, cold }, self)?,
            };
            match self.pop() {
                Some(row) => {
                    if self.snapshot().isolation == Isolation::RepeatableRead {
                        txn.note_read_in(task, table, row)?;
                    }
                    return Ok(Some(row));
                }
                None if more => {}
                None => return Ok(None),
            }
        }
    }
}

/// A row that a look-up has found.
#[derive(Clone, Copy)]
pub(super) struct Sighting {
    pub row: RowAt,
    /// Whether it is a copy from the row cache, so that it was the newest state when it was found.
    pub is_copy: bool,
}

impl Transaction {
    /// Finds the row with this whole key in a unique index, if the snapshot sees it. Returns what a
    /// cursor over the key would, and protects it in the same way, at less cost. A row that is not
    /// in memory is copied to the arena.
    #[inline]
    pub fn look_up<'s>(
        &mut self,
        task: &Task,
        table: &'s Table,
        snapshot: &Snapshot<'s>,
        index: usize,
        key: SeekKey<'_>,
        arena: &'s Arena,
    ) -> TxnResult<Option<RowRef<'s>>> {
        assert!(self.registers(snapshot), "a statement reads in its own transaction");
        let found = critical::section(Section::Read, || {
            self.find_visible(task, table, snapshot, index, key, arena)
        })?;
        // SAFETY: the snapshot is registered for `'s`, and the arena keeps a copy for as long.
        Ok(found.map(|found| unsafe { RowRef::new(table, found.row) }))
    }

    #[inline(always)]
    pub(super) fn find_visible(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        index: usize,
        key: SeekKey<'_>,
        arena: &Arena,
    ) -> TxnResult<Option<Sighting>> {
        debug_assert!(table.is_unique(index), "a snapshot sees one row with the key at most");
        let held = self.hold(task, table)?;
        let disk = table.cold().map(|cold| DiskTable { table, cold });
        let cached = disk.and_then(|disk| self.look_up_cached(task, disk, index, key, arena));
        let found = match cached {
            Some(row) => {
                table.count_look_up(index, self.shard, 0, true);
                Some(Sighting { row, is_copy: true })
            }
            None => {
                let mut looks = 0;
                let mut row = {
                    let (links, slots) = (table.links(), &self.manager().slots);
                    table.find(&task.pin(), index, key, |anchor| {
                        looks += 1;
                        // SAFETY: the anchor was reached under the guard; the snapshot is
                        // registered, since it belongs to a statement of this transaction.
                        let version = unsafe { snapshot.visible(anchor, links, slots) }?;
                        Some(RowAt { anchor, version })
                    })
                };
                table.count_look_up(index, self.shard, looks, row.is_some());
                match (row, disk) {
                    (None, Some(disk)) => {
                        row = self.look_up_sunk(task, disk, snapshot, index, key, arena)?;
                    }
                    (Some(row), Some(disk)) => self.note_use(disk, index, key, row),
                    _ => {}
                }
                row.map(|row| Sighting { row, is_copy: false })
            }
        };
        match snapshot.isolation {
            Isolation::ReadCommitted | Isolation::Snapshot => {}
            Isolation::RepeatableRead => {
                found.into_iter().for_each(|found| self.note_read(held, found.row))
            }
            Isolation::Serializable => {
                let range = table.key_spec(index).with_bytes(key, |key| ScanRange::Key(key.into()));
                self.note_scan(Scan { table: held, index, range, since: snapshot.stamp });
            }
        }
        Ok(found)
    }

    /// Whether the snapshot is of a statement of this transaction.
    #[inline]
    pub(super) fn registers(&self, snapshot: &Snapshot) -> bool {
        snapshot.slot == self.slot && self.registered.is_some_and(|oldest| oldest <= snapshot.stamp)
    }

    /// Finds a live row in a range of an index, whatever the snapshot: in its newest committed
    /// state, after waiting for transactions in progress that have written such a row. For checks
    /// of foreign keys between tables whose writers wait: the transaction inserts the referring row
    /// (or deletes the referenced one) first and calls this afterwards, so that of two that need
    /// each other at least one waits. A row that is not in memory is copied to the arena.
    /// The row stays as long as the statement that the snapshot belongs to.
    pub fn find_current<'s>(
        &mut self,
        task: &Task,
        table: &'s Table,
        snapshot: &Snapshot<'s>,
        index: usize,
        range: &ScanRange,
        arena: &'s Arena,
    ) -> TxnResult<Option<RowRef<'s>>> {
        assert!(self.registers(snapshot), "a statement reads in its own transaction");
        let row = critical::section(Section::Read, || {
            self.find_newest(task, table, index, range, arena)
        })?;
        // SAFETY: the registered snapshot protects what is newer than itself, and the arena keeps a
        // copy for as long.
        Ok(row.map(|row| unsafe { RowRef::new(table, row) }))
    }

    fn find_newest(
        &mut self,
        task: &Task,
        table: &Table,
        index: usize,
        range: &ScanRange,
        arena: &Arena,
    ) -> TxnResult<Option<RowAt>> {
        self.hold(task, table)?;
        loop {
            let mut found = Found::Nothing;
            {
                let mut walk = table.walk_of(index, range, Direction::Forward);
                table.walk(&task.pin(), index, &mut walk, &mut |anchor| {
                    if matches!(found, Found::Nothing) {
                        found = self.examine_current(table, anchor);
                    }
                    match found {
                        Found::Nothing => ControlFlow::Continue(()),
                        _ => ControlFlow::Break(()),
                    }
                });
            }
            if let (Found::Nothing, Some(cold)) = (&found, table.cold()) {
                let disk = DiskTable { table, cold };
                found = self.find_current_sunk(task, disk, index, range, arena)?;
            }
            match found {
                Found::Nothing => return Ok(None),
                Found::Row(row) => return Ok(Some(row)),
                Found::Peer(peer) => self.wait_for_peer(task, peer)?,
            }
        }
    }

    pub(super) fn examine_current(&self, table: &Table, anchor: AnchorPtr) -> Found {
        let slots = &self.manager().slots;
        loop {
            // SAFETY: the anchor was reached under the caller's guard; the statement's snapshot is
            // registered.
            let newest = unsafe { visibility::newest(anchor, table.links(), slots) };
            return match newest.fate {
                Fate::Owned { begin, .. } if begin.slot() != self.slot => {
                    // SAFETY: as above.
                    match unsafe { self.peer(table, anchor, begin) } {
                        Some(peer) => Found::Peer(peer),
                        None => continue, // it has ended meanwhile
                    }
                }
                _ if newest.deleted => Found::Nothing,
                _ => Found::Row(RowAt { anchor, version: newest.version }),
            };
        }
    }
}

/// The newest state of a row that was looked up.
pub(super) enum Found {
    Nothing,
    Row(RowAt),
    Peer(Peer),
}
