//! Promotion: bringing a row that has sunk back into memory, so that it can be changed.

use base::ids::Lsn;
use crossbeam_epoch::Guard;

use crate::hot::anchor::AnchorPtr;
use crate::hot::index::Admit;
use crate::hot::status::{Begin, SlotTable};
use crate::hot::table::Table;
use crate::hot::tally::Exhausted;
use crate::hot::visibility::{Snapshot, View};

/// Where a row is that was looked for in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Promoted {
    /// This anchor was made for it. It is to be queued for the sink.
    New(AnchorPtr),
    /// Another thread had brought it back before.
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
    /// Brings a row back into memory as the cold store has it, since `begin`. Every snapshot that
    /// sees it there sees it here from then on, in all indexes, and it overrides what the cold
    /// store says.
    ///
    /// `row` cannot be an old image: a row that a commit changes after the statement began does not
    /// leave memory while the statement runs, so that the index has an anchor that decides.
    ///
    /// # Safety
    /// A statement is in progress, at the snapshot, which sees `begin`; or at an older one, which
    /// is registered. During it `row` was read from the cold store.
    pub(crate) unsafe fn promote(
        &self,
        shard: usize,
        guard: &Guard,
        (snapshot, slots): (&Snapshot, &SlotTable),
        (begin, row): (Lsn, &[u8]),
    ) -> Result<Promoted, Exhausted> {
        let anchor = self.new_anchor(shard, row, Begin::back(begin))?;
        let mut before = None;
        // An anchor of the key that the snapshot sees nothing of is another row: one that is being
        // inserted, or was after this one had been deleted.
        let mut check = |other| {
            // SAFETY: the index reached it under the guard; the snapshot is registered.
            match unsafe { snapshot.view(other, self.links(), slots) } {
                View::Nothing => Admit::Admit,
                View::Row(_) | View::Deleted => {
                    before = Some(other);
                    Admit::Refuse
                }
            }
        };
        // SAFETY: the anchor was made with this row, and is linked into each index once.
        unsafe {
            if !self.link(guard, anchor, row, self.log_index, &mut check) {
                self.retire_anchor(shard, guard, anchor);
                return Ok(Promoted::Before(before.expect("an anchor was refused for")));
            }
            for ordinal in (0..self.links()).filter(|ordinal| *ordinal != self.log_index) {
                // The row exists already: an insert of its key meanwhile will find it.
                self.link(guard, anchor, row, ordinal, &mut |_| Admit::Admit);
            }
        }
        Ok(Promoted::New(anchor))
    }
}
