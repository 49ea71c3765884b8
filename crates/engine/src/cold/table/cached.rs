//! Rows of a table that the row cache has.

use std::ops::Range;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
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
    /// The space of the table's rows in the cache; 0 if it is off.
    space: AtomicU32,
    /// What was done for the table since it was switched on first.
    counts: OnceLock<Arc<TableCounts>>,
}

/// The cache, for one table that uses it.
#[derive(Clone, Copy)]
pub(crate) struct CachedTable<'t> {
    table: &'t ColdTable,
    cache: &'t RowCache,
    counts: &'t TableCounts,
    space: u32,
}

impl ColdTable {
    /// Switches the table's row cache on or off. If it is off, no reader uses a copy, nor will one
    /// when it is on again. It stays off if there is no memory for a cache at all, or
    /// no space.
    pub fn set_row_caching(&self, on: bool) {
        let Caching { space, counts } = &self.caching;
        let is_on = space.load(Acquire) != 0;
        if on && !is_on {
            let Some(cache) = self.store.make_row_cache() else { return };
            let counts = counts.get_or_init(|| Arc::new(TableCounts::new(self.trees.len())));
            let opened = cache.open_space(self.storage, counts).unwrap_or(0);
            space.store(opened, Release); // pairs with row_cache
        }
        if !on
            && is_on
            && let Some(cache) = self.store.row_cache()
        {
            cache.close_space(space.swap(0, AcqRel)); // pairs with row_cache
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

    /// The space of the table's rows in the cache; 0 if it is off.
    pub fn row_cache_space(&self) -> u32 {
        self.caching.space.load(Acquire) // pairs with set_row_caching
    }

    /// What the cache has done for the table, if it was ever on.
    pub fn row_cache_stats(&self) -> Option<TableStats> {
        self.caching.counts.get().map(|counts| counts.stats())
    }

    /// The cache, if the table uses it.
    #[inline]
    pub(crate) fn row_cache(&self) -> Option<CachedTable<'_>> {
        let Caching { space, counts } = &self.caching;
        let space = space.load(Acquire); // pairs with set_row_caching
        if space == 0 {
            return None;
        }
        let (cache, counts) = (self.store.row_cache()?, counts.get()?);
        Some(CachedTable { table: self, cache, counts, space })
    }
}

impl Drop for ColdTable {
    fn drop(&mut self) {
        let space = *self.caching.space.get_mut();
        if space != 0
            && let Some(cache) = self.store.row_cache()
        {
            cache.close_space(space);
        }
    }
}

impl<'t> CachedTable<'t> {
    /// Whether the table's row caching has been on since.
    fn is_current(&self) -> bool {
        self.table.caching.space.load(Acquire) == self.space // pairs with set_row_caching
    }

    fn row_name<'p>(&self, p: &'p [u8]) -> RowName<'p> {
        RowName { space: self.space, p }
    }

    fn key_name<'k>(&self, index: usize, key: &'k [u8]) -> KeyName<'k> {
        KeyName { space: self.space, index, key }
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
            if name.space == self.space {
                visit(name.p, row);
            }
        });
    }

    /// Whether a row that has no copy gets one if it is looked up now, as far as is known.
    pub fn will_admit(&self, p: &[u8]) -> bool {
        self.cache.will_admit(self.row_name(p))
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
        let is_settled = || self.is_current() && !is_in_memory();
        self.cache.admit(guard, shard, self.counts, self.row_name(p), row, is_settled)
    }

    /// Makes the cache's index larger if it is too small. Not to be called by a statement.
    pub fn grow_if_due(&self, guard: &mut Guard) {
        self.cache.grow_if_due(|| guard.repin());
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
        let is_settled = || self.is_current() && !is_in_memory();
        self.cache.keep(guard, shard, self.counts, self.row_name(p), row, is_settled)
    }

    /// As `admit`, for a row that nothing has looked up; the caller sees to it that there is room.
    pub fn bring(
        &self,
        guard: &Guard,
        shard: usize,
        p: &[u8],
        row: &[u8],
        is_in_memory: impl FnOnce() -> bool,
    ) -> Admission {
        let is_settled = || self.is_current() && !is_in_memory();
        self.cache.bring(guard, shard, self.counts, self.row_name(p), row, is_settled)
    }

    /// Notes that a row which is in memory was looked up.
    #[inline]
    pub fn note_use(&self, p: &[u8]) {
        self.cache.note_use(self.row_name(p));
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
