//! Rows of a table that the row cache has.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, OnceLock};

use crossbeam_epoch::Guard;

use super::ColdTable;
use crate::cold::rowcache::{
    Admission, AdmissionDecision, AnyName, KeyName, Naming, RowCache, RowName, TableCounts,
    TableStats,
};

/// Whether and how a table uses the row cache.
#[derive(Default)]
pub(super) struct Caching {
    /// Whether rows that are looked up one by one are kept.
    is_on: AtomicBool,
    /// What was done for the table since it was switched on first.
    counts: OnceLock<Arc<TableCounts>>,
}

/// The cache, for one table that uses it.
#[derive(Clone, Copy)]
pub(crate) struct CachedTable<'t> {
    table: &'t ColdTable,
    cache: &'t RowCache,
    counts: &'t TableCounts,
}

impl ColdTable {
    /// Switches the table's row cache on or off. If it is off, no reader uses a copy, and none is
    /// left. It stays off if there is no memory for a cache at all.
    pub fn set_row_caching(&self, on: bool) {
        let Caching { is_on, counts } = &self.caching;
        match (on, self.store.row_cache()) {
            (true, _) => {
                let Some(cache) = self.store.make_row_cache() else { return };
                let counts = counts.get_or_init(|| Arc::new(TableCounts::new(self.trees.len())));
                cache.register(self.storage, counts);
                is_on.store(true, Release); // pairs with row_cache
            }
            (false, Some(cache)) if is_on.load(Acquire) => {
                is_on.store(false, Release); // pairs with row_cache
                cache.forget(self.storage);
            }
            (false, _) => {}
        }
    }

    /// Sets whether keys of an index lead to copies.
    pub fn set_naming(&self, index: usize, mode: Naming) {
        if let Some(counts) = self.caching.counts.get() {
            counts.names(index).set(mode);
        }
    }

    /// Whether keys of an index lead to copies now.
    pub fn uses_hash(&self, index: usize) -> bool {
        let is_used = |cached: CachedTable<'_>| {
            self.is_clustered(index) || cached.counts.names(index).are_used()
        };
        self.row_cache().is_some_and(is_used)
    }

    /// The last decision about how readily rows get copies, if the cache was ever on.
    pub fn admission_decision(&self) -> Option<AdmissionDecision> {
        self.caching.counts.get().map(|counts| counts.admission_decision())
    }

    /// What the cache has done for the table, if it was ever on.
    pub fn row_cache_stats(&self) -> Option<TableStats> {
        self.caching.counts.get().map(|counts| counts.stats())
    }

    /// The cache, if the table uses it.
    #[inline]
    pub(crate) fn row_cache(&self) -> Option<CachedTable<'_>> {
        let Caching { is_on, counts } = &self.caching;
        // pairs with set_row_caching
        if !is_on.load(Acquire) {
            return None;
        }
        let (cache, counts) = (self.store.row_cache()?, counts.get()?);
        Some(CachedTable { table: self, cache, counts })
    }
}

impl Drop for ColdTable {
    fn drop(&mut self) {
        if self.caching.counts.get().is_some()
            && let Some(cache) = self.store.row_cache()
        {
            cache.unregister(self.storage);
        }
    }
}

impl<'t> CachedTable<'t> {
    fn row_name<'p>(&self, p: &'p [u8]) -> RowName<'p> {
        RowName { storage: self.table.storage, p }
    }

    fn key_name<'k>(&self, index: usize, key: &'k [u8]) -> KeyName<'k> {
        KeyName { storage: self.table.storage, index, key }
    }

    /// How many slots the cache has.
    pub fn slots(&self) -> usize {
        self.cache.slots()
    }

    /// Calls a function with identity key and bytes of the table's rows that have copies in these
    /// slots.
    pub fn each_copy(
        &self,
        guard: &Guard,
        slots: Range<usize>,
        mut visit: impl FnMut(&[u8], &[u8]),
    ) {
        self.cache.each_row(guard, slots, |name, row| {
            if name.storage == self.table.storage {
                visit(name.p, row);
            }
        });
    }

    /// Whether a row that is looked up for the first time gets no copy.
    pub fn is_full(&self) -> bool {
        self.cache.is_full()
    }

    /// The bytes of the row with the identity key `p`, if they are cached. Every snapshot sees
    /// them.
    #[inline]
    pub fn find<'g>(&self, guard: &'g Guard, p: &[u8]) -> Option<&'g [u8]> {
        self.cache.find(guard, self.row_name(p))
    }

    /// The bytes of the row with this whole key of a unique index, if they are cached. `is_it`
    /// tells whether a row has the key.
    #[inline]
    pub fn find_by_key<'g>(
        &self,
        guard: &'g Guard,
        index: usize,
        key: &[u8],
        is_it: impl Fn(&[u8]) -> bool,
    ) -> Option<&'g [u8]> {
        match self.table.is_clustered(index) {
            true => self.find(guard, key),
            false if !self.counts.names(index).are_used() => None,
            false => self.cache.find_named(guard, self.key_name(index, key), is_it),
        }
    }

    fn any_name<'k>(&self, index: usize, key: &'k [u8]) -> AnyName<'k> {
        match self.table.is_clustered(index) {
            true => AnyName::Row(self.row_name(key)),
            false => AnyName::Key(self.key_name(index, key)),
        }
    }

    /// Prefetches what look-ups of these whole keys of an index need first; see
    /// [`RowCache::prefetch`].
    #[inline]
    pub fn prefetch(&self, index: usize, next: Option<&[u8]>, after: &[u8]) {
        let next = next.map(|key| self.any_name(index, key));
        self.cache.prefetch(next, self.any_name(index, after));
    }

    /// Notes that the row with the identity key `p`, which has a copy, has this key of a unique
    /// index.
    pub fn name(&self, guard: &Guard, shard: usize, index: usize, key: &[u8], p: &[u8]) {
        if self.counts.names(index).are_used() {
            self.cache.name(guard, shard, self.key_name(index, key), self.row_name(p));
        }
    }

    /// Caches a row as the tree has it, and as every snapshot sees it. `is_in_memory` tells whether
    /// an anchor with the identity key is in the index that names rows, now.
    pub fn admit(
        &self,
        guard: &Guard,
        shard: usize,
        p: &[u8],
        row: &[u8],
        is_in_memory: impl FnOnce() -> bool,
    ) -> Admission {
        let is_settled = || self.table.row_cache().is_some() && !is_in_memory();
        self.cache.admit(guard, shard, self.counts, self.row_name(p), row, is_settled)
    }

    /// Makes the cache's index larger if it is too small. Not to be called by a statement.
    pub fn grow_if_due(&self, guard: &Guard) {
        self.cache.grow_if_due(guard);
    }

    /// As `admit`, for a row that has just left memory.
    pub fn keep(
        &self,
        guard: &Guard,
        shard: usize,
        p: &[u8],
        row: &[u8],
        is_in_memory: impl FnOnce() -> bool,
    ) -> Admission {
        let is_settled = || self.table.row_cache().is_some() && !is_in_memory();
        self.cache.keep(guard, shard, self.counts, self.row_name(p), row, is_settled)
    }

    /// Sees to it that no copy of a row is left. If the row is about to change, the caller has
    /// linked an anchor of it in all indexes.
    pub fn kill(&self, p: &[u8]) {
        self.cache.kill(self.counts, self.row_name(p));
    }

    /// Counts a look-up by an index's whole key that found a copy.
    #[inline]
    pub fn count_hit(&self, index: usize, shard: usize) {
        self.counts.hit(index, shard);
    }

    /// Counts a look-up by an index's whole key that asked a tree.
    pub fn count_tree(&self, index: usize, found: bool) {
        self.counts.asked_tree(index, found);
    }
}
