//! Hash index: finds keys by equality, in a table that sizes itself.
//!
//! The entries are in one [`list`] ordered by the hashes of their keys; the buckets are entry
//! points into it. What an entry is depends on whether the index is unique:
//!
//! * unique: the anchors themselves; the link word is the list's. Anchors with the same key are
//!   next to each other, newest first.
//! * not unique: the anchors of the first few rows of a key, and for further ones a node with
//!   postings.
//!
//! So the length of a chain hardly depends on how many rows share a key.

mod buckets;
mod keys;
mod list;
mod nodes;
mod scan;
mod shrink;
mod stage;
mod stats;

use std::ops::ControlFlow;

use crossbeam_epoch::Guard;
use smallvec::SmallVec;

pub(super) use keys::KeyRun;
pub(super) use list::Run;
pub use stats::{HashStats, HashStatsWalk};

use crate::hot::account::STRIPES;
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::count::Counts;
use crate::hot::index::dismantle::Dismantling;
use crate::hot::index::matches::{Found, Matches};
use crate::hot::index::rows::{Probe, Rows};
use crate::hot::index::shape::{IndexMemory, IndexShape, InsertCheck};
use crate::hot::key::{KeyBuf, SeekKey};
use crate::sync::Mutex;
use buckets::Buckets;
use list::SplitList;
use nodes::{AnchorNodes, KeyHeader, KeyNodes};
use stage::Shrinking;

/// How many shares of buckets one call of [`HashIndex::reserve`] adds.
const SHARES_AT_ONCE: usize = 1024;

/// See the module's header.
#[derive(Debug)]
pub struct HashIndex {
    rows: Rows,
    counts: Counts,
    entries: Entries,
    shrinking: Mutex<Shrinking>,
}

#[derive(Debug)]
enum Entries {
    Anchors(SplitList<AnchorNodes>),
    Keys(SplitList<KeyNodes>),
}

impl HashIndex {
    /// An empty index. The bucket count is a hint; the table grows when there are more keys.
    pub fn new(shape: IndexShape, bucket_count: u64) -> HashIndex {
        let rows = Rows::new(&shape);
        let counts = Counts::new(shape.account, shape.unique);
        let buckets = Buckets::new(bucket_count, &counts);
        let entries = if shape.unique {
            Entries::Anchors(SplitList::new(buckets, AnchorNodes(rows.clone())))
        } else {
            let nodes = KeyNodes::new(rows.clone(), counts.shared_keys());
            Entries::Keys(SplitList::new(buckets, nodes))
        };
        HashIndex { rows, counts, entries, shrinking: Mutex::default() }
    }

    /// See [`Index::insert`](super::Index::insert).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn insert(
        &self,
        guard: &Guard,
        anchor: AnchorPtr,
        row: &[u8],
        check: &mut dyn FnMut(AnchorPtr) -> InsertCheck,
    ) -> bool {
        let mut key = KeyBuf::new();
        let probe = self.probe_row(row, &mut key);
        let striped = match &self.entries {
            Entries::Anchors(list) => {
                // SAFETY: the caller holds the guard and inserts the anchor once (X1, X2).
                if !unsafe { self.insert_anchor(list, anchor, &probe, check) } {
                    return false;
                }
                self.counts.add_rows(probe.hash, 1)
            }
            Entries::Keys(list) => {
                // SAFETY: the caller holds the guard and inserts the anchor once (X1, X2).
                if !unsafe { list.insert(anchor, &probe, &self.counts) } {
                    return true;
                }
                self.counts.add_keys(probe.hash, 1)
            }
        };
        // Stripes are chosen by hash, so one stripe predicts the sum, and most inserts need not add
        // them up.
        let count = self.buckets().count();
        if striped.max(0) as u64 * STRIPES as u64 > count && self.counts.keys() > count {
            self.grow(guard);
        }
        true
    }

    /// See [`Index::prefetch`](super::Index::prefetch). Only for keys that are cheap to hash.
    #[inline]
    pub fn prefetch(&self, row: &[u8]) {
        if let Some(probe) = self.rows.word_probe(row) {
            match &self.entries {
                Entries::Anchors(list) => list.prefetch(probe.hash),
                Entries::Keys(list) => list.prefetch(probe.hash),
            }
        }
    }

    /// See [`Index::prefetch_all`](super::Index::prefetch_all). Hashing a long key costs less than
    /// waiting for two cache lines, one after the other.
    pub fn prefetch_all<'r>(&self, rows: impl Iterator<Item = &'r [u8]>) {
        let mut key = KeyBuf::new();
        let hashes: SmallVec<[u64; 32]> =
            rows.map(|row| self.probe_row(row, &mut key).hash).collect();
        match &self.entries {
            Entries::Anchors(list) => list.prefetch_all(&hashes),
            Entries::Keys(list) => list.prefetch_all(&hashes),
        }
    }

    /// The hash of a row's key.
    pub fn hash_of(&self, row: &[u8]) -> u64 {
        self.probe_row(row, &mut KeyBuf::new()).hash
    }

    /// See [`Index::prefetch_key`](super::Index::prefetch_key).
    #[inline]
    pub fn prefetch_key(&self, key: SeekKey<'_>) {
        if let (SeekKey::Word(_), Entries::Anchors(list)) = (key, &self.entries) {
            list.prefetch(self.rows.probe_of(key).hash);
        }
    }

    /// See [`Index::prefetch_ahead`](super::Index::prefetch_ahead).
    #[inline]
    pub fn prefetch_ahead(&self, next: SeekKey<'_>, after: SeekKey<'_>) {
        if let (SeekKey::Word(_), Entries::Anchors(list)) = (next, &self.entries) {
            list.prefetch_first(self.rows.probe_of(next).hash);
        }
        self.prefetch_key(after);
    }

    /// See [`Index::reserve`](super::Index::reserve). How many keys the rows will have is known
    /// only of a unique index; another one is prepared for as many as its hint, at most.
    pub fn reserve(&self, guard: &Guard, rows: u64) -> ControlFlow<()> {
        let keys = if self.is_unique() { rows } else { rows.min(self.buckets().hint()) };
        for _ in 0..SHARES_AT_ONCE {
            if self.buckets().count() >= keys.min(buckets::MAX) {
                return ControlFlow::Break(());
            }
            self.grow(guard);
        }
        ControlFlow::Continue(())
    }

    /// Adds some buckets, and begins a level if none is being added. Called repeatedly until there
    /// are enough.
    #[cold]
    fn grow(&self, guard: &Guard) {
        self.buckets().grow(&self.counts);
        self.help_grow(guard);
    }

    /// If a level is being added, puts some of its buckets into the list. Returns how many.
    fn help_grow(&self, _guard: &Guard) -> usize {
        // SAFETY: the guard protects what is reached through the list.
        unsafe {
            match &self.entries {
                Entries::Anchors(list) => list.help_grow(),
                Entries::Keys(list) => list.help_grow(),
            }
        }
    }

    /// The probe for the key of a row. Encodes the key only if it is not made of words.
    #[inline]
    fn probe_row<'k>(&self, row: &[u8], key: &'k mut KeyBuf) -> Probe<'k> {
        match self.rows.word_probe(row) {
            Some(probe) => probe,
            None => {
                self.rows.encode(row, key);
                self.rows.probe(key)
            }
        }
    }

    /// Links an anchor before those with the same hash, unless the check refuses one with its key.
    ///
    /// # Safety
    /// As for [`HashIndex::insert`].
    unsafe fn insert_anchor(
        &self,
        list: &SplitList<AnchorNodes>,
        anchor: AnchorPtr,
        probe: &Probe<'_>,
        check: &mut dyn FnMut(AnchorPtr) -> InsertCheck,
    ) -> bool {
        loop {
            // SAFETY: the caller holds a guard and inserts the anchor once (X1, X2).
            unsafe {
                let spot = list.find(probe.hash, |_| false);
                for other in Run::new(list, *probe, spot.word) {
                    if check(other) == InsertCheck::Refuse {
                        return false;
                    }
                }
                // Another insert of the key would have changed the spot (X5).
                if list.link(&spot, probe.hash, anchor.address(), self.rows.link(anchor)) {
                    return true;
                }
            }
        }
    }

    /// See [`Index::remove`](super::Index::remove).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn remove(&self, guard: &Guard, anchor: AnchorPtr, row: &[u8]) {
        // SAFETY: the caller holds the guard; the anchor is in the index and removed once (X2).
        unsafe {
            let hash = || self.probe_row(row, &mut KeyBuf::new()).hash;
            match &self.entries {
                Entries::Anchors(list) => {
                    let hash = hash();
                    list.remove(anchor.address(), hash);
                    self.counts.add_rows(hash, -1);
                }
                Entries::Keys(list) => list.remove_anchor(guard, anchor, hash, &self.counts),
            }
        }
    }

    /// See [`Index::seek`](super::Index::seek).
    #[inline]
    pub fn seek<'g>(&'g self, _guard: &'g Guard, key: &'g [u8]) -> Matches<'g> {
        let probe = self.rows.probe(key);
        // SAFETY: the guard protects what is reached through the list.
        unsafe {
            Matches(match &self.entries {
                Entries::Anchors(list) => Found::Run(Run::new(list, probe, list.start(probe.hash))),
                Entries::Keys(list) => Found::Keyed(KeyRun::new(list, probe)),
            })
        }
    }

    /// See [`Index::find_map`](super::Index::find_map).
    #[inline]
    pub fn find_map<T>(
        &self,
        guard: &Guard,
        key: SeekKey<'_>,
        mut look: impl FnMut(AnchorPtr) -> Option<T>,
    ) -> Option<T> {
        let Entries::Anchors(list) = &self.entries else {
            return self.rows.with_bytes(key, |key| self.seek(guard, key).find_map(look));
        };
        let probe = self.rows.probe_of(key);
        let mut word = list.start(probe.hash);
        loop {
            // SAFETY: the guard protects what is reached through the list.
            let anchor = unsafe { list.next_match(&mut word, &probe) }?;
            if let Some(found) = look(anchor) {
                return Some(found);
            }
        }
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// See [`Index::memory`](super::Index::memory).
    pub fn memory(&self) -> IndexMemory {
        self.counts.memory()
    }

    /// Whether at most one live row has a key.
    pub fn is_unique(&self) -> bool {
        matches!(self.entries, Entries::Anchors(_))
    }

    /// See [`Index::dismantle`](super::Index::dismantle).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn dismantle(
        &self,
        state: &mut Dismantling,
        budget: usize,
        free: Option<&mut dyn FnMut(AnchorPtr)>,
    ) -> usize {
        // SAFETY: the caller promises that no other thread uses the index.
        unsafe {
            match (&self.entries, free) {
                (Entries::Anchors(list), Some(free)) => {
                    list.dismantle(state, budget, |node| free(AnchorNodes::anchor(node)))
                }
                (Entries::Keys(list), None) if self.counts.has_postings() => {
                    list.dismantle(state, budget, |node| {
                        if let Some(group) = KeyNodes::group(node) {
                            group.retire::<KeyHeader>(crossbeam_epoch::unprotected(), &self.counts);
                        }
                    })
                }
                (Entries::Keys(_), Some(_)) => unreachable!("anchors are freed by a unique index"),
                (Entries::Anchors(list), None) => list.forget(state),
                (Entries::Keys(list), None) => list.forget(state),
            }
        }
    }

    fn buckets(&self) -> &Buckets {
        match &self.entries {
            Entries::Anchors(list) => list.buckets(),
            Entries::Keys(list) => list.buckets(),
        }
    }
}

impl Drop for HashIndex {
    fn drop(&mut self) {
        // SAFETY: no other thread has access to the index any more.
        unsafe { self.buckets().free() };
    }
}
