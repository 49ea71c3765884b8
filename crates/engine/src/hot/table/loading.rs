//! The loading state of a table: whether its rows are all in memory. After a start recovery loads
//! rows table by table while the database is in use. A transaction that needs a table that is not
//! loaded asks for it and waits (`txn::waits`).

use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

const LOADED: u8 = 0;
const PENDING: u8 = 1;
const GIVEN_UP: u8 = 2;

/// The progress of loading a table. A new table has nothing to load.
#[derive(Debug, Default)]
pub(crate) struct Loading {
    /// Written only by recovery.
    state: AtomicU8,
    /// Whether a transaction has asked for the table.
    asked: AtomicBool,
    /// Rows in files that are not in memory yet.
    missing: AtomicU64,
}

impl Loading {
    /// Marks the table as pending: it has rows in files. Called before the table is used.
    pub fn begin(&self) {
        self.state.store(PENDING, Relaxed);
    }

    /// Sets the number of rows that are in files.
    pub fn set_missing(&self, rows: u64) {
        self.missing.store(rows, Relaxed);
    }

    /// Counts this many of the missing rows as loaded.
    pub fn add_loaded(&self, rows: u64) {
        self.missing.fetch_sub(rows, Relaxed);
    }

    /// Rows in files that are not in memory yet.
    pub fn missing(&self) -> u64 {
        self.missing.load(Relaxed)
    }

    /// Marks the table as loaded: all rows are in memory, and in all indexes.
    pub fn finish(&self) {
        self.missing.store(0, Relaxed);
        self.state.store(LOADED, Release); // pairs with is_loaded()
    }

    /// Marks the table as one that will not be loaded.
    pub fn give_up(&self) {
        self.state.store(GIVEN_UP, Release);
    }

    /// Whether the table may be used.
    #[inline]
    pub fn is_loaded(&self) -> bool {
        self.state.load(Acquire) == LOADED
    }

    /// Whether recovery has still to load the table.
    pub fn is_pending(&self) -> bool {
        self.state.load(Acquire) == PENDING
    }

    /// Asks for the table, for a transaction that waits for it. Recovery loads tables that were
    /// asked for before others.
    pub fn ask(&self) {
        self.asked.store(true, Relaxed);
    }

    /// Whether a transaction has asked for the table.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Relaxed)
    }
}
