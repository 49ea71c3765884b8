//! Removal of buckets that an index has not needed for a while.
//!
//! One thread at a time does this, in stages. Some stages begin only when all guards that were held
//! in the stage before are gone ([`Passed`]), which may take several calls of
//! [`HashIndex::shrink`].

use crossbeam_epoch::Guard;

use super::list::SplitList;
use super::nodes::Nodes;
use super::stage::{Levels, Passed, Shrinking};
use super::{Entries, HashIndex};

/// How many looks in a row must find too many buckets before they are removed, since a table that
/// was emptied is often filled again.
const LOOKS: u32 = if cfg!(any(test, feature = "shuttle")) { 1 } else { 5 };

impl HashIndex {
    /// See [`Index::shrink`](crate::hot::index::Index::shrink).
    pub fn shrink(&self, guard: &Guard, budget: usize, looks: bool) -> usize {
        let mut shrinking = self.shrinking.lock().expect("no panic while shrinking");
        loop {
            match &mut *shrinking {
                Shrinking::Watching(found) => {
                    let Some(to) = self.buckets().spare_level(self.counts.keys()) else {
                        *found = 0;
                        return 0;
                    };
                    *found = LOOKS.min(*found + u32::from(looks));
                    if *found < LOOKS {
                        return 0;
                    }
                    let Some(from) = self.buckets().begin_shrink(to) else {
                        return self.finish_growth(guard, budget);
                    };
                    *shrinking = Shrinking::Entered(Levels { from, to }, Passed::since(guard));
                    return 0;
                }
                Shrinking::Entered(levels, passed) if passed.get() => {
                    if self.buckets().cancel_shrink(levels.from, self.counts.keys()) {
                        *shrinking = Shrinking::default();
                        return 0;
                    }
                    *shrinking = Shrinking::Unlinking(*levels, 0);
                }
                Shrinking::Unlinking(levels, next) => {
                    let end = (1 << levels.from).min(*next + budget as u64);
                    // SAFETY: threads that entered before the lower level was published have left,
                    // and no level is being added.
                    unsafe {
                        match &self.entries {
                            Entries::Anchors(list) => unlink(list, *levels, *next..end),
                            Entries::Keys(list) => unlink(list, *levels, *next..end),
                        }
                    }
                    let done = (end - *next) as usize;
                    *next = end;
                    if end == 1 << levels.from {
                        *shrinking = Shrinking::Unlinked(*levels, Passed::since(guard));
                    }
                    return done;
                }
                Shrinking::Unlinked(levels, passed) if passed.get() => {
                    // SAFETY: all buckets above `to` are unlinked, and threads that stood on one
                    // have left.
                    unsafe { self.buckets().end_shrink(levels.from, levels.to, &self.counts) };
                    *shrinking = Shrinking::default();
                    return 0;
                }
                Shrinking::Entered(..) | Shrinking::Unlinked(..) => return 0,
            }
        }
    }

    /// Helps to complete the level that is being added, since no bucket can be removed before that.
    fn finish_growth(&self, guard: &Guard, budget: usize) -> usize {
        let mut done = 0;
        while done < budget {
            match self.help_grow(guard) {
                0 => break,
                added => done += added,
            }
        }
        done.min(budget)
    }

    /// Whether buckets are being removed.
    #[cfg(test)]
    pub fn is_shrinking(&self) -> bool {
        let shrinking = self.shrinking.lock().expect("no panic while shrinking");
        !matches!(&*shrinking, Shrinking::Watching(_))
    }
}

/// Takes those buckets of a range out of the list that the lower level does not have.
///
/// # Safety
/// The caller holds a guard, and no thread enters through these buckets.
unsafe fn unlink<N: Nodes>(list: &SplitList<N>, levels: Levels, buckets: std::ops::Range<u64>) {
    for (border, stays) in buckets.map(|n| levels.border(n)) {
        if border != stays {
            // SAFETY: the caller holds a guard, no thread enters through the bucket, and `stays` is
            // a bucket of the lower level.
            unsafe { list.unlink_bucket(border, stays) };
        }
    }
}
