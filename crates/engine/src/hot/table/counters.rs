//! Counters of a table and its indexes, for the system views.
//!
//! Writes are not counted row by row: a transaction adds up what it has written when it ends
//! ([`Attempts`], kept with the tally of the table's memory). Searches are counted only in indexes
//! of memory-optimized tables: a search for one row adds to one counter, and a scan counts once for
//! each chunk. Counters are sharded, and exact while no thread is counting.
//!
//! [`Attempts`]: crate::hot::tally::Attempts

use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;

/// The most shards of an index, so that an index without rows takes little memory.
const SHARDS_MAX: usize = 16;

/// Counts of rare events of a table.
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

/// Counters of the use of an index.
#[derive(Debug)]
pub(super) struct IndexUses(Box<[Shard]>);

/// The counters of the workers whose numbers are equal modulo the number of shards.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Shard {
    /// Searches that came upon one row and returned it. Most searches do, so each adds to one
    /// counter.
    found: AtomicU64,
    /// Other searches.
    searches: AtomicU64,
    /// Rows that those came upon.
    touched: AtomicU64,
    /// Rows that those returned.
    returned: AtomicU64,
    /// Ranges that commits validated.
    validations: AtomicU64,
    /// Rows that commits came upon in them.
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
    /// Rows that the commits came upon there.
    pub validated: u64,
}

impl IndexUses {
    pub fn new(shards: usize) -> IndexUses {
        IndexUses((0..shards.clamp(1, SHARDS_MAX)).map(|_| Shard::default()).collect())
    }

    fn shard(&self, shard: usize) -> &Shard {
        &self.0[shard % self.0.len()]
    }

    /// Counts a search for at most one row, which came upon this many.
    #[inline]
    pub fn count_look_up(&self, shard: usize, touched: u64, returned: bool) {
        match (touched, returned) {
            (1, true) => _ = self.shard(shard).found.fetch_add(1, Relaxed),
            (touched, returned) => self.count_chunk(shard, true, touched, returned.into()),
        }
    }

    /// Counts a chunk of a scan.
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

    /// Counts a range that a commit has validated, with the rows that it came upon.
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
