//! The table's side of sinking: which rows can leave memory, and how they leave.
//!
//! The caller (`crate::sink`) is the only one. It holds the table's gate shared, and has registered
//! the oldest snapshot, which is no newer than the horizon. So what that snapshot and the horizon
//! see of a row neither changes nor is freed.

use std::ops::ControlFlow;

use base::ids::Lsn;
use crossbeam_epoch::Guard;
use smallvec::SmallVec;

use crate::hot::anchor::{ADDRESS_MASK, AnchorPtr, DELETED, INLINE, RELEASED, VersionPtr};
use crate::hot::key::{KeyBuf, SeekKey};
use crate::hot::reclaim::Garbage;
use crate::hot::status::{Begin, Fate, SlotTable};
use crate::hot::table::{SinksSince, Table, Walk};
use crate::hot::tally::Left;
use crate::hot::visibility::{self, Past, Snapshot, View};
use crate::sync::atomic::Ordering::{Relaxed, Release, SeqCst};

/// What a round must do to a row in the cold store.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SinkAction<'a> {
    /// Write these bytes.
    Row(&'a [u8]),
    /// Nothing: the cold store has the row as it is.
    Unchanged,
    /// Delete the row.
    Deleted,
}

/// What became of a row's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EvictResult {
    /// The row has left memory.
    Sunk,
    /// The row stays: a commit that the horizon has not passed has written to it and queued it
    /// again.
    Committed,
    /// The row stays: a transaction that has not ended has written to it, and no commit since the
    /// horizon has.
    Owned,
}

impl Table {
    /// Since when the table's rows sink.
    pub(crate) fn sinks_since(&self) -> &SinksSince {
        &self.sinks_since
    }

    /// Whether the table sinks: commits queue what they write for the sink.
    #[inline]
    pub(crate) fn sinks(&self) -> bool {
        self.is_sinkable() && self.sinks_since.get().is_some()
    }

    /// Counts anchors that a scan has passed and that say their rows are gone.
    #[inline]
    pub(crate) fn note_passed(&self, anchors: u64) {
        if anchors > 0 {
            self.passed.fetch_add(anchors, Relaxed);
        }
    }

    /// The count of these since it was taken last.
    pub(crate) fn take_passed(&self) -> u64 {
        match self.passed.load(Relaxed) {
            0 => 0,
            _ => self.passed.swap(0, Relaxed),
        }
    }

    /// What a round must do to a row in the cold store, as `horizon` sees the row; stores the row's
    /// identity key in `key`. `None` if the anchor says nothing about its row.
    ///
    /// # Safety
    /// The caller is the sink, and `'a` is within the time that `horizon` is registered. The anchor
    /// was queued, or was reached under a guard.
    pub(crate) unsafe fn sink_action<'a>(
        &self,
        anchor: AnchorPtr,
        horizon: &Snapshot,
        slots: &SlotTable,
        key: &mut KeyBuf,
    ) -> Option<SinkAction<'a>> {
        // SAFETY: only the sink, which is the caller, frees a queued anchor (S4), and what the
        // horizon sees stays while it is registered.
        unsafe {
            let sink_action = match horizon.view(anchor, self.links(), slots) {
                View::Nothing => return None,
                View::Deleted => SinkAction::Deleted,
                View::Row(version) => {
                    match Begin::from_word(version.begin().load(Relaxed)).is_back() {
                        true => SinkAction::Unchanged,
                        false => SinkAction::Row(self.row(version)),
                    }
                }
            };
            key.clear();
            self.log_key(self.row(anchor.inline(self.links())), key);
            Some(sink_action)
        }
    }

    /// Goes on with a walk over all rows, past up to `limit` anchors, and calls `found` for those
    /// in which the horizon sees something.
    pub(crate) fn walk_settled(
        &self,
        guard: &Guard,
        walk: &mut Walk,
        horizon: &Snapshot,
        slots: &SlotTable,
        limit: usize,
        mut found: impl FnMut(AnchorPtr),
    ) {
        let mut looks = 0;
        self.walk(guard, self.log_index, walk, &mut |anchor| {
            looks += 1;
            // SAFETY: reached under the guard; the horizon is registered.
            if unsafe { horizon.view(anchor, self.links(), slots) } != View::Nothing {
                found(anchor);
            }
            if looks < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    }

    /// Takes a row out of memory, which the cold store has as the horizon saw it, unless the row
    /// has newer versions. Adds memory that can be freed once no statement can reach it to
    /// `garbage`. If there is an `oldest` snapshot below the horizon, releases the versions that it
    /// sees in memory: the history has them.
    ///
    /// # Safety
    /// As for [`Table::sink_action`], which has returned `Some` for the anchor; called once for it
    /// in a round, when every active statement began at the horizon or later.
    pub(crate) unsafe fn evict_row(
        &self,
        (shard, guard): (usize, &Guard),
        anchor: AnchorPtr,
        horizon: Lsn,
        oldest: Option<Lsn>,
        slots: &SlotTable,
        garbage: &mut Vec<Garbage>,
    ) -> EvictResult {
        // SAFETY: the caller has registered the oldest snapshot, so what it sees, and all that is
        // newer, is still allocated.
        let past = oldest.map_or_else(SmallVec::new, |oldest| unsafe {
            visibility::known(anchor, self.links(), slots, horizon, oldest).past
        });
        // SAFETY: only the sink frees the anchor (S4), and its newest version is protected: the
        // horizon sees it, or it is newer.
        unsafe {
            let newest = visibility::newest(anchor, self.links(), slots);
            let mut is_seen = oldest.is_none();
            let left = match newest.fate {
                Fate::Committed(stamp) if stamp < horizon => {
                    is_seen |= oldest.is_some_and(|oldest| stamp < oldest);
                    None
                }
                Fate::Committed(_) => Some(EvictResult::Committed),
                // A row whose last commit the horizon has not passed has been queued again by that
                // commit.
                Fate::Owned { .. } => {
                    let above = visibility::ABOVE_ALL_COMMITS;
                    let last = visibility::known(anchor, self.links(), slots, above, above).stamp;
                    Some(match last.is_some_and(|last| last >= horizon) {
                        true => EvictResult::Committed,
                        false => EvictResult::Owned,
                    })
                }
            };
            if let Some(left) = left {
                if !past.is_empty() && visibility::cut_below(anchor, self.links(), slots, horizon) {
                    self.release(anchor, &past);
                }
                return left;
            }
            // SeqCst, like every exchange of a head: a writer that takes the row instead looks at
            // the lock word next.
            let sunk = anchor.head().compare_exchange(newest.head, Begin::SUNK, SeqCst, Relaxed);
            if sunk.is_err() {
                return EvictResult::Owned; // a writer has taken the row meanwhile
            }
            self.release(anchor, &past);
            self.unlink_all(guard, anchor);
            if is_seen && !newest.deleted {
                self.keep_cached(shard, guard, self.row(newest.version));
            }
            // The commit that has deleted a row has counted it, and its tombstone.
            let mut left = Left::default();
            let origin = self.origin(anchor);
            if !newest.deleted {
                left.add_row(origin);
            }
            if newest.head & (DELETED | INLINE) == 0 {
                if !newest.deleted {
                    left.add_version(origin);
                }
                let version = VersionPtr::from_address(newest.head & ADDRESS_MASK);
                let version = version.expect("a head is not null");
                garbage.push(Garbage::version(self.pointer(), version));
            }
            garbage.push(Garbage::sunk(self.pointer(), anchor));
            self.tally.leave(shard, &left);
            EvictResult::Sunk
        }
    }

    /// Lets the row cache keep a copy of a row whose anchor has been unlinked, as the tree has it.
    fn keep_cached(&self, shard: usize, guard: &Guard, row: &[u8]) {
        if let Some(cached) = self.cold().and_then(|cold| cold.row_cache()) {
            let mut p = KeyBuf::new();
            self.log_key(row, &mut p);
            cached.keep(guard, shard, &p, row, || {
                self.find(guard, self.log_index, SeekKey::Bytes(&p), |_| Some(())).is_some()
            });
        }
    }

    /// Marks versions that are unlinked from their chain as released: they can be freed when no
    /// statement can reach them.
    ///
    /// # Safety
    /// The versions are the row's, and allocated; no statement that begins now finds them.
    unsafe fn release(&self, anchor: AnchorPtr, past: &[Past]) {
        // SAFETY: the caller promises that the versions are allocated. They are committed, so no
        // other thread writes the word.
        unsafe {
            let inline = anchor.inline(self.links());
            for past in past.iter().filter(|past| past.version != inline) {
                let word = past.version.older();
                word.store(word.load(Relaxed) | RELEASED, Release);
            }
        }
    }
}
