//! How many distinct keys the indexes of a table have, as they were counted last.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Keys are counted again when the number of rows has changed by `CHANGED_ROWS`, plus one in
/// `CHANGED_PART` of the rows at the last count.
const CHANGED_ROWS: u64 = 500;
const CHANGED_PART: u64 = 5;

/// The numbers of distinct keys of a table's indexes. A hint: written by the thread that counts,
/// read by any.
pub(super) struct KeyCounts {
    /// Rows in the trees when they were counted.
    rows: AtomicU64,
    /// The number of distinct keys of each index; 0 if unknown.
    keys: Box<[AtomicU64]>,
}

impl KeyCounts {
    /// No counts, for this many indexes.
    pub fn new(indexes: usize) -> KeyCounts {
        KeyCounts {
            rows: AtomicU64::new(0),
            keys: (0..indexes).map(|_| Default::default()).collect(),
        }
    }

    /// How many distinct keys an index has; `None` if unknown.
    pub fn get(&self, index: usize) -> Option<u64> {
        Some(self.keys[index].load(Relaxed)).filter(|keys| *keys > 0)
    }

    /// Whether the number of rows has changed so much since the last count that keys are to be
    /// counted again.
    pub fn is_due(&self, rows: u64) -> bool {
        let counted = self.rows.load(Relaxed);
        rows.abs_diff(counted) >= CHANGED_ROWS + counted / CHANGED_PART
    }

    /// Notes that keys are about to be counted, with this number of rows.
    pub fn begin(&self, rows: u64) {
        self.rows.store(rows, Relaxed);
    }

    /// Sets how many distinct keys an index has.
    pub fn set(&self, index: usize, keys: u64) {
        self.keys[index].store(keys, Relaxed);
    }
}
