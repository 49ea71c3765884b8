//! Rows of a table that the row cache has.

use std::sync::atomic::Ordering::{Acquire, Release};

use crossbeam_epoch::Guard;

use super::ColdTable;
use crate::cold::rowcache::{Admission, RowCache, RowName};

impl ColdTable {
    /// Switches the table's row cache on or off. If it is off, no reader uses a copy, and none is
    /// left.
    pub fn set_row_caching(&self, on: bool) {
        self.caches_rows.store(on, Release); // pairs with row_cache
        if !on && let Some(cache) = self.store.row_cache() {
            cache.forget(self.storage);
        }
    }

    /// The cache, if the table uses it.
    #[inline]
    pub(crate) fn row_cache(&self) -> Option<&RowCache> {
        // pairs with set_row_caching
        if self.caches_rows.load(Acquire) { self.store.row_cache() } else { None }
    }

    fn row_name<'p>(&self, p: &'p [u8]) -> RowName<'p> {
        RowName { storage: self.storage, p }
    }

    /// The bytes of the row with the identity key `p`, if they are cached. Every snapshot sees them
    /// that does not find the row in memory; the caller has looked there before.
    pub(crate) fn cached_row<'g>(
        &self,
        guard: &'g Guard,
        shard: usize,
        p: &[u8],
    ) -> Option<&'g [u8]> {
        self.row_cache()?.find(guard, shard, self.row_name(p))
    }

    /// Caches a row as the tree has it, and as every snapshot sees it. `is_in_memory` tells whether
    /// an anchor with the identity key is in the index that names rows, now.
    pub(crate) fn cache_row(
        &self,
        guard: &Guard,
        shard: usize,
        p: &[u8],
        row: &[u8],
        is_in_memory: impl FnOnce() -> bool,
    ) -> Option<Admission> {
        let is_settled = || self.row_cache().is_some() && !is_in_memory();
        Some(self.row_cache()?.admit(guard, shard, self.row_name(p), row, is_settled))
    }

    /// Sees to it that no copy of a row is left. The caller has linked an anchor of the row in all
    /// indexes.
    pub(crate) fn forget_cached_row(&self, shard: usize, p: &[u8]) {
        if let Some(cache) = self.row_cache() {
            cache.kill(shard, self.row_name(p));
        }
    }
}
