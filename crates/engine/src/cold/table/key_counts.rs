//! What is known of how many different keys the indexes of a table have.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Keys are counted again when this many rows more or fewer are there, and one in this many.
const CHANGED_ROWS: u64 = 500;
const CHANGED_PART: u64 = 5;

/// What is known of a table's keys. A hint: written by the thread that counts, read by any.
pub(super) struct KeyCounts {
    /// Rows in the trees when they were counted.
    rows: AtomicU64,
    /// For each index, or 0 if unknown.
    keys: Box<[AtomicU64]>,
}

impl KeyCounts {
    /// Nothing is known of any of this number of indexes.
    pub fn new(indexes: usize) -> KeyCounts {
        KeyCounts {
            rows: AtomicU64::new(0),
            keys: (0..indexes).map(|_| Default::default()).collect(),
        }
    }

    /// How many keys an index has; nothing if that is unknown.
    pub fn get(&self, index: usize) -> Option<u64> {
        Some(self.keys[index].load(Relaxed)).filter(|keys| *keys > 0)
    }

    /// Whether the number of rows has changed so much since the last count that keys are to be
    /// counted again.
    pub fn is_due(&self, rows: u64) -> bool {
        let counted = self.rows.load(Relaxed);
        rows.abs_diff(counted) >= CHANGED_ROWS + counted / CHANGED_PART
    }

    /// Keys are about to be counted, with this number of rows.
    pub fn begin(&self, rows: u64) {
        self.rows.store(rows, Relaxed);
    }

    /// Sets how many keys an index has.
    pub fn set(&self, index: usize, keys: u64) {
        self.keys[index].store(keys, Relaxed);
    }
}
