//! The progress of a running transaction, which it publishes for the system views.
//!
//! Progress lies in the transaction's slot, in cache lines that the transaction writes anyway. The
//! transaction stores it with relaxed stores: when a statement begins or ends, with each chunk of
//! rows that a cursor fetches, and before the commit is validated. So it may lag by what one
//! statement does between two chunks, and its numbers need not belong to one moment.

use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;

/// What a transaction has read and written so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Rows in its write set.
    pub writes: u32,
    /// Rows it has read that its commit must find unchanged.
    pub reads: u32,
    /// Ranges it has scanned that no row may have joined or left at its commit.
    pub scans: u32,
    /// Writes that it has rolled back: to a savepoint, or of a statement that failed.
    pub undone: u32,
    /// About how many bytes of new rows its commit logs; rows that were rolled back count, too.
    pub row_bytes: u64,
    /// Whether it is prepared to commit together with transactions in other databases.
    pub prepared: bool,
    /// The number of the error that ends it, or 0.
    pub error: u16,
}

/// The progress in a slot. The slot's occupant writes it; any thread reads it.
#[derive(Debug, Default)]
pub(super) struct Published {
    /// `writes` in the low half, `reads` in the high half.
    rows: AtomicU64,
    /// `scans` in the low half, `undone` in the high half.
    others: AtomicU64,
    row_bytes: AtomicU64,
    /// `error` in the low half, `prepared` in the high half.
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
