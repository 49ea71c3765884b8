//! Storages that a transaction makes.

use crate::hot::table::TablePtr;
use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::txn::error::TxnResult;
use crate::txn::write_set::Savepoint;
use crate::wait::Task;

/// A storage that the transaction has made and that has its trees.
pub(super) struct OwnStorage {
    pub table: TablePtr,
    /// The savepoint at which it was made: a rollback to this or an earlier one drops it.
    pub since: Savepoint,
    /// The newest stamp of rows that were settled (P2 in [`super::settle`]).
    pub settled: Arc<AtomicU64>,
    pub run_rounds: RunRounds,
}

/// Runs rounds of the sink that take what was settled out of memory. They may enter gates that the
/// transaction of the given owner has closed.
type RunRounds = Box<dyn Fn(&Task, u64) -> TxnResult<()> + Send>;
