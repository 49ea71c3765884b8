//! The counters of an index.

use crate::hot::account::{Account, Striped};
use crate::hot::index::shape::IndexMemory;
use crate::sync::Arc;

const WORD: u64 = 8;

/// Counts of one index, and the account that it charges.
#[derive(Debug)]
pub(super) struct Counts {
    /// Rows that are not in postings.
    rows: Striped,
    /// Rows in postings.
    posted: Striped,
    keys: Arc<Striped>,
    /// Words that were allocated to hold pointers and hold none. Words of postings count here even
    /// if they hold a pointer: how many do follows from `posted`.
    spare: Striped,
    account: Arc<Account>,
    unique: bool,
}

impl Counts {
    pub(super) fn new(account: Arc<Account>, unique: bool) -> Counts {
        Counts {
            rows: Striped::default(),
            posted: Striped::default(),
            keys: Arc::default(),
            spare: Striped::default(),
            account,
            unique,
        }
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows.sum() + self.posted.sum()
    }

    pub(super) fn keys(&self) -> u64 {
        if self.unique { self.rows.sum() } else { self.keys.sum() }
    }

    /// The counter of keys, for the nodes of a hash index, which change it, too.
    pub(super) fn shared_keys(&self) -> Arc<Striped> {
        self.keys.clone()
    }

    /// Counts rows that are not in postings. Returns how many of them the hint's stripe has.
    #[inline]
    pub(super) fn add_rows(&self, hint: u64, n: i64) -> i64 {
        self.rows.add(hint, n)
    }

    /// Counts rows in postings.
    #[inline]
    pub(super) fn add_posted(&self, hint: u64, n: i64) {
        self.posted.add(hint, n);
    }

    /// Counts keys of an index that is not unique, as [`Counts::add_rows`].
    #[inline]
    pub(super) fn add_keys(&self, hint: u64, n: i64) -> i64 {
        self.keys.add(hint, n)
    }

    /// Whether rows are in postings. Exact while the index does not change.
    pub(super) fn has_postings(&self) -> bool {
        self.posted.sum() > 0
    }

    /// Charges memory at this address, with room for this many pointers.
    #[inline]
    pub(super) fn charge(&self, address: u64, bytes: usize, room: usize) {
        self.account.add(address, bytes as i64);
        if room > 0 {
            self.spare.add(address, room as i64);
        }
    }

    /// Takes a charge back.
    #[inline]
    pub(super) fn discharge(&self, address: u64, bytes: usize, room: usize) {
        self.account.add(address, -(bytes as i64));
        if room > 0 {
            self.spare.add(address, -(room as i64));
        }
    }

    /// Counts words that have begun to hold a pointer, or, if negative, have ceased to.
    #[inline]
    pub(super) fn take(&self, hint: u64, words: i64) {
        self.spare.add(hint, -words);
    }

    pub(super) fn memory(&self) -> IndexMemory {
        let allocated_bytes = self.account.bytes();
        let spare = self.spare.sum().saturating_sub(self.posted.sum());
        IndexMemory { allocated_bytes, used_bytes: allocated_bytes.saturating_sub(spare * WORD) }
    }
}
