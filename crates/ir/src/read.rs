//! How a table is read.

/// How a source is read, from isolation level and hints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// A table hint's isolation level; `None` leaves it to the session.
    pub isolation: Option<Isolation>,
    /// `UPDLOCK`.
    pub update_lock: bool,
    /// `XLOCK`.
    pub exclusive_lock: bool,
    /// `TABLOCK`, `TABLOCKX` come with `exclusive_lock` set.
    pub table_lock: bool,
    /// `READPAST`.
    pub read_past: bool,
    /// `NOWAIT`.
    pub no_wait: bool,
    /// `READCOMMITTEDLOCK`: READ COMMITTED waits for writers, whatever the database's option.
    pub committed_lock: bool,
    /// For foreign keys: what is newest, after waiting for the transaction that is changing it,
    /// whatever the level. Nothing stays locked.
    pub newest: bool,
}

/// Isolation levels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs)]
pub enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Snapshot,
    Serializable,
}
