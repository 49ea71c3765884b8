//! Promotion: bringing a row that has sunk back into memory, so that it can be changed.

use base::ids::Lsn;
use crossbeam_epoch::Guard;

use crate::hot::anchor::{AnchorPtr, Origin};
use crate::hot::index::InsertCheck;
use crate::hot::key::KeyBuf;
use crate::hot::status::{Begin, SlotTable};
use crate::hot::table::Table;
use crate::hot::tally::{Exhausted, Item};
use crate::hot::visibility::{Snapshot, View};
use crate::sync::atomic::Ordering::Acquire;

/// The result of a promotion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Promoted {
    /// This anchor was made for the row. The caller must queue it for the sink.
    New(AnchorPtr),
    /// Another thread had promoted the row before.
    Before(AnchorPtr),
}

impl Promoted {
    /// The row's anchor.
    pub fn anchor(self) -> AnchorPtr {
        match self {
            Promoted::New(anchor) | Promoted::Before(anchor) => anchor,
        }
    }
}

impl Table {
    /// Brings a row back into memory as the cold store has it since `begin`. From then on every
    /// snapshot that sees it there sees it in memory, in all indexes, and it overrides what the
    /// cold store says.
    ///
    /// `row` cannot be out of date: a row that a commit changes after the statement began does not
    /// leave memory while the statement runs, so the index has an anchor that decides.
    ///
    /// # Safety
    /// A statement is active, at the snapshot, which sees `begin`, or at an older one, which is
    /// registered. It has read `row` from the cold store.
    pub(crate) unsafe fn promote(
        &self,
        shard: usize,
        guard: &Guard,
        snapshot: &Snapshot,
        slots: &SlotTable,
        begin: Lsn,
        row: &[u8],
    ) -> Result<Promoted, Exhausted> {
        let anchor = self.new_anchor(shard, row, Begin::back(begin), Origin::Back)?;
        let mut before = None;
        // An anchor of the key in which the snapshot sees nothing is of another row, which is being
        // inserted or was inserted after this one had been deleted.
        let mut check = |other| {
            // SAFETY: the index reached it under the guard; the snapshot is registered.
            match unsafe { snapshot.view(other, self.links(), slots) } {
                View::Nothing => InsertCheck::Allow,
                View::Row(_) | View::Deleted => {
                    before = Some(other);
                    InsertCheck::Refuse
                }
            }
        };
        // SAFETY: the anchor was made with this row, and is linked into each index once.
        unsafe {
            if !self.link(guard, anchor, row, self.log_index, &mut check) {
                self.retire_anchor(shard, guard, anchor, Item::Row);
                // The other thread may not have come to that yet.
                self.forget_cached(row);
                return Ok(Promoted::Before(before.expect("an anchor was refused for")));
            }
            for ordinal in (0..self.links()).filter(|ordinal| *ordinal != self.log_index) {
                // No check is needed: the row exists already, and an insert of its key finds it.
                self.link(guard, anchor, row, ordinal, &mut |_| InsertCheck::Allow);
            }
        }
        self.forget_cached(row);
        Ok(Promoted::New(anchor))
    }

    /// Sees to it that the row cache has no copy of a row that is about to be written for the first
    /// time since it came back: the thread that brought it back may not have come to that yet.
    ///
    /// # Safety
    /// The anchor is the table's, and protected.
    pub(crate) unsafe fn forget_cached_before_write(&self, anchor: AnchorPtr) {
        if self.cold().is_none_or(|cold| cold.row_cache().is_none()) {
            return;
        }
        // SAFETY: the caller promises that the anchor is protected; its inline version holds the
        // row that came back until it is written (H3).
        unsafe {
            let inline = anchor.inline(self.links());
            if Begin::from_word(inline.begin().load(Acquire)).is_back() {
                self.forget_cached(self.row(inline));
            }
        }
    }

    /// Sees to it that the row cache has no copy of a row that an anchor is linked for.
    fn forget_cached(&self, row: &[u8]) {
        if let Some(cached) = self.cold().and_then(|cold| cold.row_cache()) {
            let mut p = KeyBuf::new();
            self.log_key(row, &mut p);
            cached.kill(&p);
        }
    }
}
