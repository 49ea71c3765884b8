//! What the cache has done for one table.

use crossbeam_utils::CachePadded;

use super::tuning::{AdmissionDecision, Admissions, Names, Reuse};
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;

/// Threads that count hits without getting in each other's way.
const SHARDS: usize = 16;

/// Counts of what the cache has done for a table.
#[derive(Debug)]
pub struct TableCounts {
    /// By the ordinals of the table's indexes.
    indexes: Box<[IndexCounts]>,
    pub(super) admitted: AtomicU64,
    pub(super) first_touches: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) withdrawn: AtomicU64,
    pub(super) killed: AtomicU64,
    pub(super) evicted: AtomicU64,
    pub(super) evicted_bytes: AtomicU64,
    pub(super) moved: AtomicU64,
    pub(super) reused: AtomicU64,
    pub(super) left: AtomicU64,
    /// How readily rows that are looked up get copies.
    pub(super) admissions: Admissions,
}

/// Counts of look-ups by the whole key of one index.
#[derive(Debug, Default)]
struct IndexCounts {
    hits: [CachePadded<AtomicU64>; SHARDS],
    tree_hits: AtomicU64,
    misses: AtomicU64,
    /// Whether keys of the index lead to copies.
    names: Names,
}

/// What the cache has done for a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableStats {
    /// By the ordinals of the table's indexes.
    pub indexes: Vec<LookUpStats>,
    /// Rows that got a copy since a statement looked them up.
    pub admitted: u64,
    /// Rows that were looked up for the first time while the cache was full.
    pub first_touches: u64,
    /// Rows that were too long, or for which there was no room.
    pub refused: u64,
    /// Rows that came into memory while they were admitted.
    pub withdrawn: u64,
    /// Copies that went since their rows were about to change.
    pub killed: u64,
    /// Copies that went with their block.
    pub evicted: u64,
    /// Copies that moved to a new block, since they had been touched.
    pub moved: u64,
    /// Rows that were looked up again soon after their copies were evicted.
    pub reused: u64,
    /// Copies that rows have left when they left memory.
    pub left: u64,
}

/// Look-ups by the whole key of one index.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LookUpStats {
    /// Those that found a copy.
    pub hits: u64,
    /// Those that found the row in a tree.
    pub tree_hits: u64,
    /// Those that found no row.
    pub misses: u64,
}

impl TableStats {
    /// The share of look-ups of rows that found a copy.
    pub fn hit_share(&self) -> f64 {
        let sum = |of: fn(&LookUpStats) -> u64| self.indexes.iter().map(of).sum::<u64>() as f64;
        let (hits, tree_hits) = (sum(|index| index.hits), sum(|index| index.tree_hits));
        hits / (hits + tree_hits).max(1.0)
    }
}

impl TableCounts {
    /// Counts of a table with this many indexes.
    pub fn new(indexes: usize) -> TableCounts {
        let zero = || AtomicU64::new(0);
        TableCounts {
            indexes: (0..indexes).map(|_| IndexCounts::default()).collect(),
            admitted: zero(),
            first_touches: zero(),
            refused: zero(),
            withdrawn: zero(),
            killed: zero(),
            evicted: zero(),
            evicted_bytes: zero(),
            moved: zero(),
            reused: zero(),
            left: zero(),
            admissions: Admissions::default(),
        }
    }

    /// Whether keys of an index lead to copies.
    #[inline]
    pub fn names(&self, index: usize) -> &Names {
        &self.indexes[index].names
    }

    /// What was evicted since the last decision, and came back.
    pub(super) fn reuse(&self) -> Reuse {
        let of = |count: &AtomicU64| count.load(Relaxed);
        self.admissions.since(of(&self.evicted), of(&self.evicted_bytes), of(&self.reused))
    }

    /// The last decision about how readily rows get copies.
    pub fn admission_decision(&self) -> AdmissionDecision {
        self.admissions.last()
    }

    /// Decides anew where keys of indexes lead to copies.
    pub(super) fn tune_names(&self, is_full: bool) {
        for (index, look_ups) in self.indexes.iter().zip(self.stats().indexes) {
            index.names.tune(look_ups, is_full);
        }
    }

    /// Counts a look-up that found a copy. Two threads with the same shard may lose one.
    #[inline]
    pub fn hit(&self, index: usize, shard: usize) {
        let hits = &self.indexes[index].hits[shard % SHARDS];
        hits.store(hits.load(Relaxed).wrapping_add(1), Relaxed);
    }

    /// Counts a look-up that had to ask a tree.
    pub fn asked_tree(&self, index: usize, found: bool) {
        let IndexCounts { tree_hits, misses, .. } = &self.indexes[index];
        add(if found { tree_hits } else { misses }, 1);
    }

    /// The counts so far.
    pub fn stats(&self) -> TableStats {
        let of = |count: &AtomicU64| count.load(Relaxed);
        let index = |counts: &IndexCounts| LookUpStats {
            hits: counts.hits.iter().map(|hits| of(hits)).sum(),
            tree_hits: of(&counts.tree_hits),
            misses: of(&counts.misses),
        };
        TableStats {
            indexes: self.indexes.iter().map(index).collect(),
            admitted: of(&self.admitted),
            first_touches: of(&self.first_touches),
            refused: of(&self.refused),
            withdrawn: of(&self.withdrawn),
            killed: of(&self.killed),
            evicted: of(&self.evicted),
            moved: of(&self.moved),
            reused: of(&self.reused),
            left: of(&self.left),
        }
    }
}

/// Adds to a counter.
pub(super) fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Relaxed);
}
