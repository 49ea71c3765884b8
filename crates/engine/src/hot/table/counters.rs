//! What happens to a table and its indexes, counted for the system views.
//!
//! Nothing is counted row by row while rows are written: a transaction adds up what it has written
//! when it ends ([`Attempts`], kept with the tally of the table's memory). Searches are counted by
//! index, of memory-optimized tables alone, each once in one place; a scan once for each chunk.
//! Places are sharded, and the counts are exact while no thread is counting.
//!
//! [`Attempts`]: crate::hot::tally::Attempts

use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;

/// Shards of an index at most: what an index without rows takes stays small.
const SHARDS_MAX: usize = 16;

/// What rarely happens to a table.
#[derive(Debug, Default)]
pub struct TableCounters {
    write_conflicts: AtomicU64,
    duplicates: AtomicU64,
}

impl TableCounters {
    pub(crate) fn write_conflict(&self) {
        self.write_conflicts.fetch_add(1, Relaxed);
    }

    pub(crate) fn duplicate(&self) {
        self.duplicates.fetch_add(1, Relaxed);
    }

    /// Updates and deletes that lost a row to another transaction.
    pub fn write_conflicts(&self) -> u64 {
        self.write_conflicts.load(Relaxed)
    }

    /// Inserts that a unique index refused.
    pub fn duplicates(&self) -> u64 {
        self.duplicates.load(Relaxed)
    }
}

/// How an index has been searched.
#[derive(Debug)]
pub(super) struct IndexUses(Box<[Shard]>);

/// Written by the workers whose number it has.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard {
    /// Searches that came upon one row and returned it: most, and so they are one count.
    found: AtomicU64,
    /// Other searches, and what those came upon and returned.
    searches: AtomicU64,
    touched: AtomicU64,
    returned: AtomicU64,
    /// Ranges that were validated, and the rows there.
    validations: AtomicU64,
    validated: AtomicU64,
}

/// How an index has been used since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct IndexUse {
    /// Searches and scans begun.
    pub scans: u64,
    /// Rows that they came upon.
    pub touched: u64,
    /// Rows of these that they returned; others were deleted, or too new for the snapshot.
    pub returned: u64,
    /// Ranges that commits looked through again, for rows that have joined or left.
    pub validations: u64,
    /// Rows that those came upon.
    pub validated: u64,
}

impl IndexUses {
    pub fn new(shards: usize) -> IndexUses {
        IndexUses((0..shards.clamp(1, SHARDS_MAX)).map(|_| Shard::default()).collect())
    }

    fn shard(&self, shard: usize) -> &Shard {
        &self.0[shard % self.0.len()]
    }

    /// A search for one row at most, which came upon this many.
    #[inline]
    pub fn count_look_up(&self, shard: usize, touched: u64, returned: bool) {
        match (touched, returned) {
            (1, true) => _ = self.shard(shard).found.fetch_add(1, Relaxed),
            (touched, returned) => self.count_chunk(shard, true, touched, returned.into()),
        }
    }

    /// Part of a scan, maybe its first.
    pub fn count_chunk(&self, shard: usize, is_first: bool, touched: u64, returned: u64) {
        let shard = self.shard(shard);
        if is_first {
            shard.searches.fetch_add(1, Relaxed);
        }
        if touched > 0 {
            shard.touched.fetch_add(touched, Relaxed);
        }
        if returned > 0 {
            shard.returned.fetch_add(returned, Relaxed);
        }
    }

    /// A range that a commit has looked through.
    pub fn count_validation(&self, shard: usize, touched: u64) {
        let shard = self.shard(shard);
        shard.validations.fetch_add(1, Relaxed);
        shard.validated.fetch_add(touched, Relaxed);
    }

    pub fn read(&self) -> IndexUse {
        let sum =
            |of: fn(&Shard) -> &AtomicU64| self.0.iter().map(|s| of(s).load(Relaxed)).sum::<u64>();
        let found = sum(|s| &s.found);
        IndexUse {
            scans: found + sum(|s| &s.searches),
            touched: found + sum(|s| &s.touched),
            returned: found + sum(|s| &s.returned),
            validations: sum(|s| &s.validations),
            validated: sum(|s| &s.validated),
        }
    }
}
