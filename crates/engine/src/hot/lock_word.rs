//! Whether any transaction has locks in a table: all that a writer without locks looks at.
//!
//! Lockers count themselves first and look at versions afterwards; writers put their versions in
//! place first and look at the word afterwards. Both sides are sequentially consistent, so that one
//! of them sees the other; see `txn::locks`.

use crossbeam_utils::CachePadded;

use crate::sync::atomic::AtomicU32;
use crate::sync::atomic::Ordering::SeqCst;

/// How many transactions have locks in a table. Writers only read it, so it has a cache line of its
/// own.
#[derive(Debug, Default)]
pub struct LockWord(CachePadded<AtomicU32>);

impl LockWord {
    /// Whether there are any.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.0.load(SeqCst) != 0
    }

    /// A transaction is about to lock something.
    pub(crate) fn enter(&self) {
        self.0.fetch_add(1, SeqCst);
    }

    /// It has let go of everything.
    pub(crate) fn leave(&self) {
        self.0.fetch_sub(1, SeqCst);
    }
}
