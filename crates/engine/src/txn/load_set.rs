//! The rows that a transaction has loaded into storages that it makes.

use base::ids::Lsn;

/// Operations on rows of storages that the transaction makes, which go to the log before the
/// commit. A rollback to a savepoint leaves them: without the storage they mean nothing.
#[derive(Default)]
pub(super) struct Loads {
    /// The stream of chunks, once there is one.
    pub stream: Option<Lsn>,
    /// Operations that are not in a chunk yet.
    pub operations: Vec<u8>,
}

impl Loads {
    /// Whether nothing was loaded.
    pub fn is_empty(&self) -> bool {
        self.stream.is_none() && self.operations.is_empty()
    }
}
