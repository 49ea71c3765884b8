//! Sums of the entries of an index, whatever their order: equal sums mean equal entries.
//!
//! Each entry has a hash of 64 bits, some of which say to which of many buckets it belongs; a
//! bucket has the sum of its hashes. That different entries have equal sums is as unlikely as that
//! two hashes are equal.

use crate::hot::key::hash_bytes;

const BUCKET_BITS: u32 = 14;
const BUCKETS: usize = 1 << BUCKET_BITS;
/// About how many entries are compared one by one.
const SUSPECTS_MAX: u64 = 1 << 20;

/// The sums of some entries.
pub(super) struct Sums {
    count: u64,
    buckets: Box<[u64]>,
}

impl Default for Sums {
    fn default() -> Sums {
        Sums { count: 0, buckets: vec![0; BUCKETS].into() }
    }
}

fn bucket_of(hash: u64) -> usize {
    (hash >> (u64::BITS - BUCKET_BITS)) as usize
}

impl Sums {
    /// Adds an entry.
    pub fn add(&mut self, entry: &[u8]) {
        let hash = hash_bytes(entry);
        let sum = &mut self.buckets[bucket_of(hash)];
        *sum = sum.wrapping_add(hash);
        self.count += 1;
    }

    /// The buckets in which the other sums differ, or `None` if none do.
    pub fn suspects(&self, other: &Sums) -> Option<Suspects> {
        let different = |bucket: &usize| self.buckets[*bucket] != other.buckets[*bucket];
        let mut buckets: Vec<usize> = (0..BUCKETS).filter(different).collect();
        if buckets.is_empty() {
            return None;
        }
        let each = self.count.max(other.count) / BUCKETS as u64 + 1;
        let all = buckets.len();
        buckets.truncate((SUSPECTS_MAX / each).max(1) as usize);
        let left_out = (all - buckets.len()) as u64;
        let mut is_suspect = vec![false; BUCKETS];
        buckets.into_iter().for_each(|bucket| is_suspect[bucket] = true);
        Some(Suspects { is_suspect, left_out })
    }
}

/// Buckets whose sums differ, as many as can be looked at.
pub(super) struct Suspects {
    is_suspect: Vec<bool>,
    /// How many other buckets differ.
    pub left_out: u64,
}

impl Suspects {
    /// The hash of an entry, if it is in one of these buckets.
    pub fn hash_of(&self, entry: &[u8]) -> Option<u64> {
        let hash = hash_bytes(entry);
        self.is_suspect[bucket_of(hash)].then_some(hash)
    }
}

#[cfg(test)]
mod tests;
