//! Whether the rows of a table are all in memory. After a start they come while the database is in
//! use, table by table; a transaction that wants a table that is not loaded asks for it and waits
//! (`txn::waits`).

use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

const LOADED: u8 = 0;
const PENDING: u8 = 1;
const GIVEN_UP: u8 = 2;

/// How far the loading of a table has come. A new table has nothing to load.
#[derive(Debug, Default)]
pub(crate) struct Loading {
    /// Written by recovery alone.
    state: AtomicU8,
    /// Whether a transaction has asked for the table.
    asked: AtomicBool,
    /// Rows in files that are not in memory yet.
    missing: AtomicU64,
}

impl Loading {
    /// There are rows in files. The table is not used yet.
    pub fn begin(&self) {
        self.state.store(PENDING, Relaxed);
    }

    /// So many rows are in files.
    pub fn set_missing(&self, rows: u64) {
        self.missing.store(rows, Relaxed);
    }

    /// So many of the missing rows are in memory.
    pub fn came(&self, rows: u64) {
        self.missing.fetch_sub(rows, Relaxed);
    }

    /// Rows in files that are not in memory yet.
    pub fn missing(&self) -> u64 {
        self.missing.load(Relaxed)
    }

    /// All rows are in memory, and in all indexes.
    pub fn finish(&self) {
        self.missing.store(0, Relaxed);
        self.state.store(LOADED, Release); // pairs with is_loaded()
    }

    /// The rows will not come.
    pub fn give_up(&self) {
        self.state.store(GIVEN_UP, Release);
    }

    /// Whether the table may be used.
    #[inline]
    pub fn is_loaded(&self) -> bool {
        self.state.load(Acquire) == LOADED
    }

    /// Whether rows are still to come.
    pub fn is_pending(&self) -> bool {
        self.state.load(Acquire) == PENDING
    }

    /// A transaction waits for the table: it goes before those that no transaction waits for.
    pub fn ask(&self) {
        self.asked.store(true, Relaxed);
    }

    /// Whether a transaction has asked for it.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Relaxed)
    }
}
