//! Statistics of how full the buckets are, for `sys.dm_db_xtp_hash_index_stats`.

use crossbeam_epoch::Guard;

use super::list::{SplitList, Target, is_marked, target};
use super::nodes::{KeyNodes, Nodes};
use super::{Entries, HashIndex};
use crate::sync::atomic::Ordering::Acquire;

/// How full the buckets of an index are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HashStats {
    /// Buckets.
    pub total_buckets: u64,
    /// Buckets without a row.
    pub empty_buckets: u64,
    /// Rows, including deleted ones that have not been reclaimed.
    pub rows: u64,
    /// Distinct keys; in a unique index, rows.
    pub keys: u64,
    /// Most rows of a bucket.
    pub rows_max: u64,
    /// Most keys of a bucket: the steps that a search may take.
    pub keys_max: u64,
}

impl HashStats {
    /// Rows of the buckets that are not empty, on average, rounded down.
    pub fn average_rows(&self) -> u64 {
        self.rows / (self.total_buckets - self.empty_buckets).max(1)
    }
}

/// A walk over all buckets, in steps that need not share a guard.
#[derive(Debug)]
pub struct HashStatsWalk {
    stats: HashStats,
    level: u32,
    /// The first hash that has not been counted.
    hash: Option<u64>,
    /// The bucket being counted.
    bucket: u64,
    /// Its rows so far.
    rows: u64,
    /// Its keys so far.
    keys: u64,
}

impl HashStatsWalk {
    fn count(&mut self, hash: u64, rows: u64, is_key: bool) {
        let bucket = hash >> (u64::BITS - self.level);
        if bucket != self.bucket {
            self.end_bucket();
            self.bucket = bucket;
        }
        self.rows += rows;
        self.keys += u64::from(is_key);
    }

    fn end_bucket(&mut self) {
        if self.rows > 0 {
            self.stats.empty_buckets -= 1;
        }
        self.stats.rows += self.rows;
        self.stats.keys += self.keys;
        self.stats.rows_max = self.stats.rows_max.max(self.rows);
        self.stats.keys_max = self.stats.keys_max.max(self.keys);
        (self.rows, self.keys) = (0, 0);
    }
}

impl HashIndex {
    /// Begins a walk over all buckets.
    pub fn start_stats(&self) -> HashStatsWalk {
        let total_buckets = self.buckets().count();
        HashStatsWalk {
            stats: HashStats { total_buckets, empty_buckets: total_buckets, ..Default::default() },
            level: total_buckets.ilog2(),
            hash: Some(0),
            bucket: 0,
            rows: 0,
            keys: 0,
        }
    }

    /// Counts about `budget` more keys; returns the result when the walk is complete.
    pub fn step_stats(
        &self,
        _guard: &Guard,
        walk: &mut HashStatsWalk,
        budget: usize,
    ) -> Option<HashStats> {
        if walk.hash.is_some() {
            // SAFETY: the guard protects what is reached through the list.
            unsafe {
                match &self.entries {
                    Entries::Anchors(list) => step(list, walk, budget, |_| 1),
                    Entries::Keys(list) => step(list, walk, budget, |node| {
                        KeyNodes::group(node).map_or(1, |group| group.rows())
                    }),
                }
            }
        }
        (walk.hash.is_none()).then_some(walk.stats)
    }

    /// The statistics, in one step. For an index that no other thread is changing.
    pub fn stats(&self, guard: &Guard) -> HashStats {
        let mut walk = self.start_stats();
        loop {
            if let Some(stats) = self.step_stats(guard, &mut walk, usize::MAX) {
                return stats;
            }
        }
    }
}

/// Counts about `budget` more keys.
///
/// # Safety
/// The caller holds a guard.
unsafe fn step<N: Nodes>(
    list: &SplitList<N>,
    walk: &mut HashStatsWalk,
    mut budget: usize,
    rows: impl Fn(u64) -> u64,
) {
    let Some(from) = walk.hash else { return };
    // SAFETY: the caller's guard protects all nodes that are reached.
    unsafe {
        let mut word = list.start(from);
        let mut last = None;
        loop {
            let node = match target(word) {
                Target::Node(node) => node,
                Target::Bucket(border) => {
                    word = list.follow(border);
                    continue;
                }
                Target::End => break,
            };
            word = list.nodes().link(node).load(Acquire);
            let hash = list.nodes().hash(node);
            if hash < from || is_marked(word) {
                continue;
            }
            if budget == 0 && last != Some(hash) {
                walk.hash = Some(hash);
                return;
            }
            budget = budget.saturating_sub(1);
            let is_key = !N::COUNTS_HASHES || last != Some(hash);
            last = Some(hash);
            walk.count(hash, rows(node), is_key);
        }
    }
    walk.end_bucket();
    walk.hash = None;
}
