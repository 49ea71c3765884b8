//! Counts a table's rows and versions in memory by a walk, for tests of the counters.

use std::ops::ControlFlow;

use crossbeam_epoch::Guard;

use crate::hot::anchor::{ADDRESS_MASK, AnchorPtr, DELETED, INLINE, Origin, TOMBSTONE, VersionPtr};
use crate::hot::reclaim::{Queued, Reclaimer};
use crate::hot::status::{Fate, SlotTable};
use crate::hot::table::Table;
use crate::hot::tally::{Item, Resident, ResidentRows};
use crate::sync::atomic::Ordering::Relaxed;

/// What a walk has counted, by origin and item.
#[derive(Default)]
struct Walked([[u64; 3]; 2]);

impl Walked {
    fn add(&mut self, origin: Origin, item: Item) {
        self.0[origin as usize][item as usize] += 1;
    }

    fn of(&self, origin: Origin) -> ResidentRows {
        let own = self.0[origin as usize];
        ResidentRows { rows: own[Item::Row as usize], versions: own.iter().sum() }
    }
}

impl Table {
    /// Asserts that the counters of rows and versions say what is there. No other thread uses the
    /// table.
    pub(crate) fn assert_counted(&self, guard: &Guard, slots: &SlotTable, garbage: &Reclaimer) {
        if !self.is_sinkable() {
            assert_eq!(self.tally.resident(0), Resident::default(), "nothing is counted");
            return;
        }
        let mut walked = Walked::default();
        let mut walk = self.walk_of_all();
        while !walk.is_done() {
            self.walk(guard, self.log_index, &mut walk, &mut |anchor| {
                // SAFETY: reached under the guard, and no other thread changes the row.
                unsafe { self.count_chain(anchor, slots, &mut walked) };
                ControlFlow::Continue(())
            });
        }
        garbage.each_queued(self.pointer(), |queued| match queued {
            // The walk has found it.
            Queued::Deleted => {}
            // SAFETY: what is queued is allocated.
            Queued::Sunk(anchor) => walked.add(unsafe { self.origin(anchor) }, Item::Waiting),
            Queued::Version(version) => {
                // SAFETY: as above.
                let older = unsafe { version.older() }.load(Relaxed);
                walked.add(Origin::of_older(older), Item::Waiting);
            }
        });
        let now = self.resident(0);
        let expected = Resident {
            inserted: walked.of(Origin::Inserted),
            back: walked.of(Origin::Back),
            waiting: walked.0.iter().map(|own| own[Item::Waiting as usize]).sum(),
            ..now
        };
        assert_eq!(now, expected, "the counters, and what a walk finds");
        assert!(now.rows_max >= now.inserted.rows + now.back.rows);
        assert!(now.versions_max >= now.inserted.versions + now.back.versions);
    }

    /// Counts an anchor and its versions down to the newest that is committed. Those below are
    /// queued, or the inline one.
    ///
    /// # Safety
    /// The guard of the caller protects the anchor, and no other thread changes the row.
    unsafe fn count_chain(&self, anchor: AnchorPtr, slots: &SlotTable, walked: &mut Walked) {
        // SAFETY: the caller's promise.
        unsafe {
            let (origin, head) = (self.origin(anchor), anchor.head().load(Relaxed));
            let mut is_deleted = false;
            if head & DELETED != 0 {
                is_deleted = matches!(slots.fate(anchor.head(), true), Some(Fate::Committed(_)));
            }
            let mut word = if head & DELETED != 0 { 0 } else { head };
            while word != 0 {
                let inline = anchor.inline(self.links());
                let is_inline = word & INLINE != 0;
                let version = match is_inline {
                    true => inline,
                    false => VersionPtr::from_address(word & ADDRESS_MASK).expect("not null"),
                };
                let is_committed =
                    matches!(slots.fate(version.begin(), false), Some(Fate::Committed(_)));
                word &= ADDRESS_MASK;
                if !is_inline {
                    let older = version.older().load(Relaxed);
                    assert_eq!(Origin::of_older(older), origin, "a version is of its row's origin");
                    is_deleted = older & TOMBSTONE != 0 && is_committed;
                    walked.add(origin, if is_deleted { Item::Waiting } else { Item::Version });
                    word = older & (ADDRESS_MASK | INLINE);
                }
                if is_committed {
                    break;
                }
            }
            walked.add(origin, if is_deleted { Item::Waiting } else { Item::Row });
        }
    }
}
