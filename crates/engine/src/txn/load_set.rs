//! What a transaction has loaded into storages that it makes.

use base::ids::Lsn;

/// Rows that go to the log while they are loaded into a storage that the transaction makes. They
/// are not taken back by rolling back to a savepoint: without the storage they mean nothing.
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
