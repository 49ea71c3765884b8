//! The locks that a transaction holds.

use smallvec::SmallVec;

use crate::hot::table::TablePtr;
use crate::sync::Arc;
use crate::txn::locks::space::LockSpace;

/// What a transaction has locked in one database, table by table.
#[derive(Default)]
pub(crate) struct HeldLocks {
    pub(super) spaces: SmallVec<[HeldSpace; 2]>,
    /// Whether it has locks to release when the statement ends.
    pub(super) by_statement: bool,
}

/// What a transaction has locked in one table.
pub(super) struct HeldSpace {
    pub table: TablePtr,
    pub space: Arc<LockSpace>,
    /// Rows and ranges locked.
    pub parts: usize,
    /// Whether any of these locks is stronger than a shared one.
    pub writes: bool,
}
