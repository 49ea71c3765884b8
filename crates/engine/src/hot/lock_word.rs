//! The lock word of a table: a count of the transactions with locks in it. A plain writer looks at
//! nothing else.
//!
//! A locker first counts itself and then looks at versions; a writer first puts its version in
//! place and then looks at the word. Both sides are sequentially consistent, so at least one of the
//! two sees the other; see `txn::locks`.

use crossbeam_utils::CachePadded;

use crate::sync::atomic::AtomicU32;
use crate::sync::atomic::Ordering::SeqCst;

/// How many transactions have locks in a table. Writers only read it, so it has a cache line of its
/// own.
#[derive(Debug, Default)]
pub struct LockWord(CachePadded<AtomicU32>);

impl LockWord {
    /// Whether any transaction has locks in the table.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.0.load(SeqCst) != 0
    }

    /// Counts a transaction that is about to take its first lock in the table.
    pub(crate) fn enter(&self) {
        self.0.fetch_add(1, SeqCst);
    }

    /// Uncounts a transaction that has released all its locks in the table.
    pub(crate) fn leave(&self) {
        self.0.fetch_sub(1, SeqCst);
    }
}
