//! The indexes of a table: from keys to anchors.
//!
//! An index holds every anchor that was inserted and not yet removed; the caller decides which of
//! them a snapshot sees. [`HashIndex`] finds keys by equality, [`RangeIndex`] also in order; they
//! are interchangeable behind [`Index`].
//!
//! In a **unique** index several anchors may have the same key, of which at most one is live: the
//! others are deleted and not yet reclaimed, or are being inserted or removed. They are chained by
//! the anchors' link words. In an index that is **not unique** the anchors of a key are its
//! [`postings`], and an anchor's link word says where in them it is; but in a hash index the first
//! few anchors of a key are chained as in a unique one.
//!
//! # Invariants
//!
//! * X1: every operation on one index, and the freeing of its anchors, goes through guards of one
//!   epoch collector.
//! * X2: an anchor is inserted once and removed once. It is freed an epoch after it was removed.
//! * X3: the key of an anchor is read from its inline version (H3), as long as a guard protects it.
//! * X4: a seek or scan returns every anchor of its keys that is in the index all the while,
//!   exactly once. An anchor that comes or goes meanwhile may be returned or not, but never twice.
//! * X5: of two concurrent inserts of one key into a unique index, the check of at least one is
//!   shown the other's anchor.
//!
//! # Scans
//!
//! A [`Scan`] keeps its position as a key (or a hash) and a place in that key's postings. So it
//! needs no guard between two chunks: it holds no pointer that could dangle.

mod count;
mod dismantle;
mod hash;
mod matches;
mod memory;
mod postings;
mod range;
mod rows;
mod scan;
mod shape;

use std::ops::ControlFlow;

use crossbeam_epoch::Guard;

pub use dismantle::Dismantling;
pub use hash::{HashIndex, HashStats, HashStatsWalk};
pub use matches::Matches;
pub use range::{RangeIndex, RangeStats};
pub use scan::{Direction, Scan};
pub use shape::{IndexMemory, IndexShape, InsertCheck};

use crate::hot::anchor::AnchorPtr;
use crate::hot::key::SeekKey;

/// A hash or a range index.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a table has few, and a search should not hop")]
pub enum Index {
    /// See [`HashIndex`].
    Hash(HashIndex),
    /// See [`RangeIndex`].
    Range(RangeIndex),
}

impl Index {
    /// An empty hash index. The bucket count is a hint.
    pub fn hash(shape: IndexShape, bucket_count: u64) -> Index {
        Index::Hash(HashIndex::new(shape, bucket_count))
    }

    /// An empty range index.
    pub fn range(shape: IndexShape) -> Index {
        Index::Range(RangeIndex::new(shape))
    }

    /// Inserts an anchor whose inline row is `row`. In a unique index, `check` is first called for
    /// every other anchor with the same key, and again if these have changed meanwhile (X5); if it
    /// refuses one, nothing is inserted and the result is `false`. It must not use this index.
    ///
    /// # Safety
    /// The anchor has the shape's number of links, belongs to this table, and X1 and X2 hold.
    pub unsafe fn insert(
        &self,
        guard: &Guard,
        anchor: AnchorPtr,
        row: &[u8],
        check: &mut dyn FnMut(AnchorPtr) -> InsertCheck,
    ) -> bool {
        // SAFETY: the caller promises what both require: X1, X2 and the anchor's shape.
        unsafe {
            match self {
                Index::Hash(index) => index.insert(guard, anchor, row, check),
                Index::Range(index) => index.insert(guard, anchor, row, check),
            }
        }
    }

    /// Prefetches the memory that an insert of this row, or a search for its key, touches first.
    #[inline]
    pub fn prefetch(&self, row: &[u8]) {
        if let Index::Hash(index) = self {
            index.prefetch(row);
        }
    }

    /// Prefetches the memory that inserts of these rows touch first, and next, whatever their keys
    /// are. For callers that insert many rows at a time.
    pub fn prefetch_all<'r>(&self, rows: impl Iterator<Item = &'r [u8]>) {
        if let Index::Hash(index) = self {
            index.prefetch_all(rows);
        }
    }

    /// Prepares the index for `rows` rows, counting those that it has. Does part of the work; the
    /// caller calls it again on `Continue`. Several threads may do so at once and share the work.
    pub fn reserve(&self, guard: &Guard, rows: u64) -> ControlFlow<()> {
        match self {
            Index::Hash(index) => index.reserve(guard, rows),
            Index::Range(_) => ControlFlow::Break(()),
        }
    }

    /// Removes buckets that the index has not needed for several calls with `look`, about `budget`
    /// of them. Returns how many; if that is the whole budget, there are more. Their memory comes
    /// back some calls later, when all threads that used the index have left it. One thread at a
    /// time may call this.
    pub fn shrink(&self, guard: &Guard, budget: usize, look: bool) -> usize {
        match self {
            Index::Hash(index) => index.shrink(guard, budget, look),
            Index::Range(_) => 0,
        }
    }

    /// Removes an anchor. Readers that stand on it can go on.
    ///
    /// # Safety
    /// The anchor is in the index, its inline row is `row`, and X1 and X2 hold.
    pub unsafe fn remove(&self, guard: &Guard, anchor: AnchorPtr, row: &[u8]) {
        // SAFETY: the caller promises what both require: X1, X2 and the anchor's row.
        unsafe {
            match self {
                Index::Hash(index) => index.remove(guard, anchor, row),
                Index::Range(index) => index.remove(guard, anchor, row),
            }
        }
    }

    /// The anchors with this whole key; of a unique index the newest comes first.
    #[inline]
    pub fn seek<'g>(&'g self, guard: &'g Guard, key: &'g [u8]) -> Matches<'g> {
        match self {
            Index::Hash(index) => index.seek(guard, key),
            Index::Range(index) => index.seek(guard, key),
        }
    }

    /// The first `Some` that `look` returns for an anchor with this whole key. Does the same as
    /// `find_map` on [`Index::seek`], but without an iterator, which the compiler would build in
    /// memory. That would keep the processor from reading ahead from one look-up to the next.
    #[inline]
    pub fn find_map<T>(
        &self,
        guard: &Guard,
        key: SeekKey<'_>,
        look: impl FnMut(AnchorPtr) -> Option<T>,
    ) -> Option<T> {
        match self {
            Index::Hash(index) => index.find_map(guard, key, look),
            Index::Range(index) => index.find_map(guard, key, look),
        }
    }

    /// Prefetches the memory that [`Index::find_map`] touches first, if finding its address costs
    /// less than the prefetch saves.
    #[inline]
    pub fn prefetch_key(&self, key: SeekKey<'_>) {
        if let Index::Hash(index) = self {
            index.prefetch_key(key);
        }
    }

    /// Prefetches for a caller that looks up one key after another: the row of the key `next`,
    /// whose place in the index an earlier call has prefetched as that of `after`, and the place of
    /// the key `after`.
    #[inline]
    pub fn prefetch_ahead(
        &self,
        pin: impl FnOnce() -> Guard,
        next: SeekKey<'_>,
        after: SeekKey<'_>,
    ) {
        match self {
            Index::Hash(index) => index.prefetch_ahead(next, after),
            Index::Range(index) => index.prefetch_ahead(&pin(), next, after),
        }
    }

    /// Goes on with a scan: calls `visit` for anchor after anchor until it breaks or the end is
    /// reached. Returns whether there may be more. After a break it may visit a few more anchors
    /// that have the same key or hash as the last one; what `visit` returns for them does not
    /// matter.
    pub fn scan(
        &self,
        guard: &Guard,
        scan: &mut Scan,
        visit: &mut dyn FnMut(AnchorPtr) -> ControlFlow<()>,
    ) -> bool {
        match self {
            Index::Hash(index) => index.scan(guard, scan, visit),
            Index::Range(index) => index.scan(guard, scan, visit),
        }
    }

    /// Goes on with taking the index apart: frees the memory that it has beside the rows. If `free`
    /// is given, which requires a unique index, calls it for each anchor, and it may free the
    /// anchor. Stops when the budget of entries is used up, or a little later. Returns how many
    /// entries there were.
    ///
    /// The rows must still be allocated, since an index may have to follow their link words. So a
    /// table's rows are freed with the index that is dismantled last.
    ///
    /// # Safety
    /// No other thread uses the index from the first call on.
    pub unsafe fn dismantle(
        &self,
        state: &mut Dismantling,
        budget: usize,
        free: Option<&mut dyn FnMut(AnchorPtr)>,
    ) -> usize {
        // SAFETY: the caller promises that no other thread uses the index.
        unsafe {
            match self {
                Index::Hash(index) => index.dismantle(state, budget, free),
                Index::Range(index) => index.dismantle(state, budget, free),
            }
        }
    }

    /// Anchors in the index; an estimate while other threads change it.
    pub fn len(&self) -> u64 {
        match self {
            Index::Hash(index) => index.counts().rows(),
            Index::Range(index) => index.counts().rows(),
        }
    }

    /// Whether no anchor is in the index.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Distinct keys; in a unique index the number of anchors, although some may share a key.
    pub fn keys(&self) -> u64 {
        match self {
            Index::Hash(index) => index.counts().keys(),
            Index::Range(index) => index.counts().keys(),
        }
    }

    /// The index's memory. Memory that has been retired and waits for its epoch is not counted.
    pub fn memory(&self) -> IndexMemory {
        match self {
            Index::Hash(index) => index.memory(),
            Index::Range(index) => index.memory(),
        }
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod interleavings;
#[cfg(test)]
mod testing;
#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
