//! How far a transaction in progress has come, as it publishes it for the system views.
//!
//! It lies in the transaction's slot, in the cache lines that the transaction writes to anyway, and
//! is written there by plain stores: when a statement begins or ends, with each chunk of rows that
//! a cursor fetches, and before the commit is validated. So it may lag behind by what one statement
//! does between two chunks, and its numbers need not be of one moment.

use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;

/// What a transaction has read and written so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Rows in its write set.
    pub writes: u32,
    /// Rows that must be at its commit what they were when it read them.
    pub reads: u32,
    /// Ranges that nothing may have joined or left at its commit.
    pub scans: u32,
    /// Writes that it has taken back: to a savepoint, or of a statement that failed.
    pub undone: u32,
    /// Bytes of the new rows that its commit logs, about: those that were taken back count.
    pub row_bytes: u64,
    /// Whether it is prepared to commit with others, in other databases.
    pub prepared: bool,
    /// The number of the error that ends it, or 0.
    pub error: u16,
}

/// Written by the occupant of a slot, read by any thread.
#[derive(Debug, Default)]
pub(super) struct Published {
    /// `writes`, and `reads` above.
    rows: AtomicU64,
    /// `scans`, and `undone` above.
    others: AtomicU64,
    row_bytes: AtomicU64,
    /// `error`, and `prepared` above.
    state: AtomicU64,
}

impl Published {
    #[inline]
    pub fn store(&self, progress: &Progress) {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        self.rows.store(pair(progress.writes, progress.reads), Relaxed);
        self.others.store(pair(progress.scans, progress.undone), Relaxed);
        self.row_bytes.store(progress.row_bytes, Relaxed);
        self.state.store(pair(progress.error.into(), progress.prepared.into()), Relaxed);
    }

    pub fn load(&self) -> Progress {
        let (rows, others) = (self.rows.load(Relaxed), self.others.load(Relaxed));
        let state = self.state.load(Relaxed);
        Progress {
            writes: rows as u32,
            reads: (rows >> 32) as u32,
            scans: others as u32,
            undone: (others >> 32) as u32,
            row_bytes: self.row_bytes.load(Relaxed),
            prepared: state >> 32 != 0,
            error: state as u16,
        }
    }
}
