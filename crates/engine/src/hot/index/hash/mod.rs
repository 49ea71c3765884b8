//! Hash index: keys by equality, in a table that sizes itself.
//!
//! The entries are in one [`list`] ordered by the hash of their keys, with the buckets as short cuts
//! into it. What an entry is depends on whether the index is unique:
//!
//! * unique: the anchors themselves; the link word is the list's. Anchors with the same key are
//!   next to each other, newest first.
//! * not unique: one node for each distinct key, whose rows are in its postings.
//!
//! So the length of a chain never depends on how many rows share a key.

mod buckets;
mod list;
mod nodes;
mod scan;
mod stats;

use crossbeam_epoch::Guard;

pub(super) use list::Run;
pub use stats::{HashStats, HashStatsWalk};

use crate::hot::account::STRIPES;
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::count::Counts;
use crate::hot::index::postings::GroupPtr;
use crate::hot::index::rows::{Probe, Rows};
use crate::hot::index::{Admit, Found, IndexMemory, IndexShape, Matches};
use crate::hot::key::{KeyBuf, SeekKey};
use buckets::Buckets;
use list::SplitList;
use nodes::{AnchorNodes, KeyHeader, KeyNodes, Nodes};

/// See the module's header.
#[derive(Debug)]
pub struct HashIndex {
    rows: Rows,
    counts: Counts,
    entries: Entries,
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
            Entries::Keys(SplitList::new(buckets, KeyNodes))
        };
        HashIndex { rows, counts, entries }
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
        check: &mut dyn FnMut(AnchorPtr) -> Admit,
    ) -> bool {
        let mut key = KeyBuf::new();
        let striped = match &self.entries {
            Entries::Anchors(list) => {
                let probe = self.probe_row(row, &mut key);
                // SAFETY: the caller's promise.
                if !unsafe { self.insert_anchor(list, anchor, &probe, check) } {
                    return false;
                }
                self.counts.add_rows(probe.hash, 1)
            }
            Entries::Keys(list) => {
                self.rows.encode(row, &mut key);
                let probe = self.rows.probe(&key);
                // SAFETY: the caller's promise.
                let is_new = unsafe { self.insert_posting(list, anchor, &probe) };
                self.counts.add_rows(anchor.address(), 1);
                if !is_new {
                    return true;
                }
                self.counts.add_keys(probe.hash, 1)
            }
        };
        // The stripes are chosen by hash, so each is about as full as the others, and most inserts
        // need not add them up.
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

    /// See [`Index::prefetch_key`](super::Index::prefetch_key).
    #[inline]
    pub fn prefetch_key(&self, key: SeekKey<'_>) {
        if let (SeekKey::Word(_), Entries::Anchors(list)) = (key, &self.entries) {
            list.prefetch(self.rows.probe_of(key).hash);
        }
    }

    /// Adds buckets. Called again and again until there are enough.
    #[cold]
    fn grow(&self, _guard: &Guard) {
        self.buckets().grow(&self.counts);
        // SAFETY: the guard protects what is reached through the list.
        unsafe {
            match &self.entries {
                Entries::Anchors(list) => list.help_grow(),
                Entries::Keys(list) => list.help_grow(),
            }
        }
    }

    /// What to look for among anchors to find the key of a row. Encodes it only if it must.
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
        check: &mut dyn FnMut(AnchorPtr) -> Admit,
    ) -> bool {
        loop {
            // SAFETY: the caller's promise.
            unsafe {
                let spot = list.find(probe.hash, |_| false);
                for other in Run::new(list, *probe, spot.word) {
                    if check(other) == Admit::Refuse {
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

    /// Adds an anchor to the postings of its key; returns whether the key is new.
    ///
    /// # Safety
    /// As for [`HashIndex::insert`].
    unsafe fn insert_posting(
        &self,
        list: &SplitList<KeyNodes>,
        anchor: AnchorPtr,
        probe: &Probe<'_>,
    ) -> bool {
        // SAFETY: the caller's promise; groups reached through the list are protected by its guard,
        // and a fresh one is ours until it is linked.
        unsafe {
            let link = self.rows.link(anchor);
            loop {
                let spot = match list.find_key(probe) {
                    Ok(group) => {
                        if group.append(anchor, link, &self.counts).is_ok() {
                            return false;
                        }
                        // Its killer is about to do the same. The next search unlinks it.
                        list.mark(KeyNodes::node(group));
                        continue;
                    }
                    Err(spot) => spot,
                };
                let header = KeyHeader::new(probe.hash);
                let group = GroupPtr::create(header, probe.key, anchor, link, &self.counts);
                let node = KeyNodes::node(group);
                if list.link(&spot, probe.hash, node, KeyNodes.link(node)) {
                    return true;
                }
                group.discard::<KeyHeader>(&self.counts);
            }
        }
    }

    /// See [`Index::remove`](super::Index::remove).
    ///
    /// # Safety
    /// As there.
    pub unsafe fn remove(&self, guard: &Guard, anchor: AnchorPtr, row: &[u8]) {
        // SAFETY: the caller's promise; whoever is told that a group died owns it.
        unsafe {
            match &self.entries {
                Entries::Anchors(list) => {
                    let hash = self.probe_row(row, &mut KeyBuf::new()).hash;
                    list.remove(anchor.address(), hash);
                    self.counts.add_rows(hash, -1);
                }
                Entries::Keys(list) => {
                    self.counts.add_rows(anchor.address(), -1);
                    let link = self.rows.link(anchor);
                    if let Some(group) = GroupPtr::unlink(link, guard, &self.counts) {
                        let node = KeyNodes::node(group);
                        let hash = KeyNodes.hash(node);
                        list.remove(node, hash);
                        self.counts.add_keys(hash, -1);
                        group.retire::<KeyHeader>(guard, &self.counts);
                    }
                }
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
                Entries::Keys(list) => match list.get_key(&probe) {
                    None => Found::Nothing,
                    Some(group) => Found::Postings(group.postings(0)),
                },
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

    fn buckets(&self) -> &Buckets {
        match &self.entries {
            Entries::Anchors(list) => list.buckets(),
            Entries::Keys(list) => list.buckets(),
        }
    }
}

impl Drop for HashIndex {
    fn drop(&mut self) {
        // Anchors belong to the table and may be gone already; key nodes are the index's own.
        // SAFETY: nobody else has access to the index any more.
        unsafe {
            if let Entries::Keys(list) = &self.entries {
                list.for_each_node(|node| KeyNodes::group(node).free::<KeyHeader>());
            }
            self.buckets().free();
        }
    }
}
