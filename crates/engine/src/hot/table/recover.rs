//! Recovery of rows from checkpoint files and the log. Only recovery calls this, while it alone
//! uses the table.

use std::ops::ControlFlow;

use base::ids::Lsn;
use crossbeam_epoch::Guard;

use crate::hot::anchor::{AnchorPtr, DELETED, Origin};
use crate::hot::index::{HashIndex, Index, InsertCheck, Scan};
use crate::hot::status::Begin;
use crate::hot::table::{RowBytes, Table, Walk};
use crate::hot::tally::{Exhausted, Item, Left};
use crate::sync::atomic::Ordering::Relaxed;

/// One thread's share of the rows that its walk visits.
#[derive(Clone, Copy)]
pub(crate) enum Share<'t> {
    /// Rows whose hash is not greater than `last`.
    Hashes { table: &'t Table, index: &'t HashIndex, last: u64 },
    /// Rows whose address belongs to `part` out of `parts`.
    Addresses { part: usize, parts: usize },
}

/// Where a row is, as seen from a [`Share`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// In the share.
    Inside,
    /// Not in the share.
    Outside,
    /// After the end of the share, as are all rows that follow.
    AfterEnd,
}

impl Share<'_> {
    /// Where a row is.
    ///
    /// # Safety
    /// A guard protects the anchor.
    pub unsafe fn place_of(&self, anchor: AnchorPtr) -> Side {
        match *self {
            Share::Hashes { table, index, last } => {
                // SAFETY: the caller promises that a guard protects the anchor.
                let row = unsafe { table.row(anchor.inline(table.links())) };
                if index.hash_of(row) <= last { Side::Inside } else { Side::AfterEnd }
            }
            // Anchors are 16 bytes apart at least; the higher bits spread best.
            Share::Addresses { part, parts }
                if (anchor.address() >> 5) as usize % parts == part =>
            {
                Side::Inside
            }
            Share::Addresses { .. } => Side::Outside,
        }
    }
}

impl Table {
    /// Checks the bytes of a row from the log: returns the row, or `None` if their length is not
    /// that of a row of this layout.
    pub(crate) fn well_formed<'r>(&self, row: &'r [u8]) -> Option<&'r [u8]> {
        self.layout.checked(row)
    }

    /// Replaces the row with this log key, or inserts it, in the log's index only. Stores the bytes
    /// that it replaces in `old`.
    pub(crate) fn recover_upsert(
        &self,
        shard: usize,
        guard: &Guard,
        key: &[u8],
        row: &[u8],
        stamp: Lsn,
        old: Option<&mut Option<Box<[u8]>>>,
    ) -> Result<(), Exhausted> {
        let begin = Begin::stamp(stamp);
        let existing = self.indexes[self.log_index].index.seek(guard, key).next();
        // SAFETY: one thread handles this key, and recovery alone uses the table (V1, V2).
        unsafe {
            if let Some(anchor) = existing {
                if let Some(old) = old {
                    *old = Some(self.row(anchor.inline(self.links())).into());
                }
                if self.overwrite(anchor, row) {
                    anchor.inline(self.links()).replace_inline_begin(begin.word(), Relaxed);
                    return Ok(());
                }
            }
            let anchor = self.allocate_anchor(shard, row, begin, Origin::Inserted)?;
            let linked = self.link(guard, anchor, row, self.log_index, &mut |_| InsertCheck::Allow);
            debug_assert!(linked, "nothing was refused");
            match existing {
                Some(replaced) => self.recover_remove(shard, guard, replaced),
                None => self.tally.add_rows(shard, 1),
            }
        }
        Ok(())
    }

    /// Replays a commit's change of the row with this key, in a table that has trees: the row
    /// becomes `row`, or is deleted. `sunk` is the row in the tree, if there is one and it may have
    /// been replaced.
    ///
    /// Afterwards memory has up to two anchors for the key: the row, and a deletion of the row in
    /// the tree, under all keys that it has there. The deletion is not needed if the row has the
    /// same keys.
    pub(crate) fn recover_sinking(
        &self,
        shard: usize,
        guard: &Guard,
        key: &[u8],
        sunk: Option<&[u8]>,
        row: Option<&[u8]>,
        stamp: Lsn,
    ) -> Result<(), Exhausted> {
        let link = |anchor: AnchorPtr, row: &[u8]| {
            // SAFETY: the anchor is new; one thread handles this key, and recovery alone uses the
            // table (V1, V2).
            unsafe { self.link(guard, anchor, row, self.log_index, &mut |_| InsertCheck::Allow) };
        };
        let anchors = self.indexes[self.log_index].index.seek(guard, key);
        // SAFETY: as above.
        let (gone, live): (Vec<AnchorPtr>, Vec<AnchorPtr>) =
            anchors.partition(|anchor| unsafe { self.is_recovered_deletion(*anchor) });
        // A key that was deleted and inserted again is of a row that was inserted, whatever the
        // tree still has. SAFETY: as above.
        let origin = match live.first().map(|old| unsafe { self.origin(*old) }) {
            Some(origin) => origin,
            None if sunk.is_some() => Origin::Back,
            None => Origin::Inserted,
        };
        // SAFETY: as above.
        live.into_iter().for_each(|old| unsafe { self.recover_remove(shard, guard, old) });
        if let Some(sunk) = sunk.filter(|sunk| row.is_none_or(|row| !self.keys_equal(sunk, row))) {
            if gone.is_empty() {
                let begin = Begin::back(Lsn::ZERO);
                let anchor = self.allocate_anchor(shard, sunk, begin, Origin::Back)?;
                // SAFETY: as above.
                unsafe { anchor.head() }.store(Begin::stamp(stamp).deletion(), Relaxed);
                self.tally.leave(shard, &Left::row(Origin::Back));
                link(anchor, sunk);
            }
        }
        if let Some(row) = row {
            link(self.allocate_anchor(shard, row, Begin::stamp(stamp), origin)?, row);
        }
        Ok(())
    }

    /// Whether a recovered row is a deletion.
    ///
    /// # Safety
    /// A guard protects the anchor, or recovery alone uses the table.
    pub(crate) unsafe fn is_recovered_deletion(&self, anchor: AnchorPtr) -> bool {
        // SAFETY: the caller promises that the anchor is protected.
        unsafe { anchor.head() }.load(Relaxed) & DELETED != 0
    }

    /// Share number `part` of `parts` shares of all rows: a walk through the log's index that
    /// visits them, and the test for those of the share.
    pub(crate) fn share_of(&self, part: usize, parts: usize) -> (Walk, Share<'_>) {
        match &self.indexes[self.log_index].index {
            Index::Hash(index) => {
                let first = |part| ((part as u128) << u64::BITS) / parts as u128;
                let last = (first(part + 1) - 1) as u64;
                let share = Share::Hashes { table: self, index, last };
                (Walk::Scan(Scan::from_hash(first(part) as u64)), share)
            }
            Index::Range(_) => (Walk::Scan(Scan::all()), Share::Addresses { part, parts }),
        }
    }

    /// Prepares the indexes without a filter for `rows` rows. Does part of the work; the caller
    /// calls it again on `Continue`. Several threads may share the work.
    pub(crate) fn reserve(&self, guard: &Guard, rows: u64) -> ControlFlow<()> {
        let mut indexes = self.indexes.iter().filter(|own| own.filter.is_none());
        match indexes.any(|own| own.index.reserve(guard, rows).is_continue()) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }

    /// Links rows of a checkpoint, each with its stamp, into all indexes; a checkpoint has each row
    /// once. If a unique index has another row with the same key, returns that index's ordinal: the
    /// table cannot be used then. `anchors` is a buffer.
    ///
    /// Goes index by index, so that the upper levels of one index stay in the caches.
    pub(crate) fn recover_rows(
        &self,
        shard: usize,
        guard: &Guard,
        rows: &[(Lsn, &[u8])],
        anchors: &mut Vec<AnchorPtr>,
    ) -> Result<Option<usize>, Exhausted> {
        anchors.clear();
        let others = (0..self.links()).filter(|ordinal| *ordinal != self.log_index);
        for ordinal in std::iter::once(self.log_index).chain(others) {
            self.prefetch_all(ordinal, rows.iter().map(|(_, row)| *row));
            for (place, (stamp, row)) in rows.iter().enumerate() {
                if ordinal == self.log_index {
                    let (begin, origin) = (Begin::stamp(*stamp), Origin::Inserted);
                    anchors.push(self.allocate_anchor(shard, row, begin, origin)?);
                }
                let anchor = anchors[place];
                let check = &mut |_| InsertCheck::Refuse;
                // SAFETY: the anchor is new, and linked once into each index.
                if !unsafe { self.link(guard, anchor, row, ordinal, check) } {
                    if ordinal == self.log_index {
                        // SAFETY: no other thread can reach the anchor, which was not linked.
                        unsafe { self.free_reserved(shard, anchor, row.len()) };
                    }
                    return Ok(Some(ordinal));
                }
            }
        }
        if self.row_number.is_some() {
            let last = rows.iter().map(|(_, row)| self.row_number(row)).max();
            last.into_iter().for_each(|number| self.observe_row_number(number));
        }
        self.tally.add_rows(shard, rows.len() as i64);
        Ok(None)
    }

    /// Removes the row with this log key, if there is one. Stores its bytes in `old`.
    pub(crate) fn recover_delete(
        &self,
        shard: usize,
        guard: &Guard,
        key: &[u8],
        old: Option<&mut Option<Box<[u8]>>>,
    ) {
        let Some(anchor) = self.indexes[self.log_index].index.seek(guard, key).next() else {
            return;
        };
        // SAFETY: one thread handles this key, and recovery alone uses the table (V1, V2).
        unsafe {
            if let Some(old) = old {
                *old = Some(self.row(anchor.inline(self.links())).into());
            }
            self.recover_remove(shard, guard, anchor);
        }
        self.tally.add_rows(shard, -1);
    }

    /// Writes a row's bytes over those of another with the same log key, if they are as long and
    /// the bytes that other threads may be reading, those of the key, are the same.
    ///
    /// # Safety
    /// No other thread reads or writes the row, except for its key.
    unsafe fn overwrite(&self, anchor: AnchorPtr, row: &[u8]) -> bool {
        // SAFETY: the caller promises that other threads read no bytes but the key's, which are not
        // written; the rows of a fixed layout are all equally long.
        unsafe {
            let old = self.row(anchor.inline(self.links()));
            let RowBytes { key: same, other } = &self.log_bytes;
            if !self.layout.is_fixed() || same.iter().any(|r| old[r.clone()] != row[r.clone()]) {
                return false;
            }
            let start = anchor.inline(self.links()).row().as_ptr();
            for range in other {
                let from = &row[range.clone()];
                start.add(range.start).copy_from_nonoverlapping(from.as_ptr(), from.len());
            }
            true
        }
    }

    /// Removes a row that is not deleted.
    ///
    /// # Safety
    /// The row is linked in the log's index alone, and removed once.
    unsafe fn recover_remove(&self, shard: usize, guard: &Guard, anchor: AnchorPtr) {
        // SAFETY: the caller promises that no other index has the row and that it is removed once.
        unsafe {
            let row = self.row(anchor.inline(self.links()));
            self.indexes[self.log_index].index.remove(guard, anchor, row);
            self.retire_anchor(shard, guard, anchor, Item::Row);
        }
    }
}
