//! Errors of a transaction's statements and of its commit.

use base::ids::StorageId;

use crate::cold::tree::TreeError;
use crate::cold::{ColdError, Mismatch};
use crate::hot::tally::Exhausted;
use crate::log::{LogError, NoSpace};
use crate::txn::page_fault::PageFault;

/// The result of most functions of this folder.
pub type TxnResult<T> = Result<T, TxnError>;

/// Why a statement or a commit failed. The statement has to be rolled back; a variant that dooms
/// the transaction ([`TxnError::dooms`]) leaves nothing else to do than to roll it back as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TxnError {
    /// A row of a memory-optimized table was changed by another transaction since this one's
    /// snapshot. Run the transaction again.
    WriteConflict,
    /// A row that was read has changed by the time of the commit. Run the transaction again.
    RepeatableRead,
    /// A row has joined or left a range that was scanned, or an insert has met a key that another
    /// transaction holds. Run the transaction again.
    Serializable,
    /// A row changed since the snapshot of a SNAPSHOT transaction. Run the transaction again.
    SnapshotConflict {
        /// The table.
        storage: StorageId,
    },
    /// Chosen as the victim of a deadlock. Run the transaction again.
    Deadlock,
    /// `SET LOCK_TIMEOUT` ran out.
    LockTimeout,
    /// There is no memory for another lock.
    OutOfLocks,
    /// Another live row has this key.
    DuplicateKey {
        /// The table.
        storage: StorageId,
        /// Ordinal of the unique index.
        index: usize,
        /// The bytes of the row that was to be inserted.
        row: Box<[u8]>,
    },
    /// A memory limit refuses more rows. Deletes still succeed.
    OutOfMemory(Exhausted),
    /// A statement has changed a row twice, and has put the changes into a successor, where that is
    /// noticed only when its trees are filled.
    ChangedTwice,
    /// As many transactions as the database can hold are in progress.
    TooManyTransactions,
    /// There is no space for the log; nothing of the commit was published.
    LogFull,
    /// The log has failed, and nothing is committed in this database until it is restarted.
    LogFailed,
    /// A transaction over several databases has reads to validate at commit in more than one of
    /// them.
    ProtectedInSeveralDatabases,
    /// The client has cancelled, or the server is going down.
    Interrupted,
    /// The table was dropped, truncated or altered; compile the statement again.
    TableChanged {
        /// The table.
        storage: StorageId,
    },
    /// The range of an identity column or sequence is used up.
    CounterExhausted,
    /// A page of the cold store cannot be read, or there is no room for another.
    Page(PageFault),
    /// The database cannot be used.
    Unavailable(Unavailable),
}

/// Why a database cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unavailable {
    /// It is being recovered: message 922.
    Recovering,
    /// Recovery found damage: message 926.
    Suspect,
    /// Recovery has not begun, since a file is not there or cannot be opened: message 945.
    Pending,
    /// It has been shut down or set offline: message 942.
    Offline,
    /// It is being restored: message 927.
    Restoring,
}

impl TxnError {
    /// The message's number.
    pub fn number(&self) -> i32 {
        match self {
            TxnError::WriteConflict => 41302,
            TxnError::RepeatableRead => 41305,
            TxnError::Serializable => 41325,
            TxnError::SnapshotConflict { .. } => 3960,
            TxnError::Deadlock => 1205,
            TxnError::LockTimeout => 1222,
            TxnError::OutOfLocks => 1204,
            // 2627 where the index belongs to a constraint, which only the catalog knows.
            TxnError::DuplicateKey { .. } => 2601,
            TxnError::OutOfMemory(Exhausted::Database) => 41805,
            // `ChangedTwice` has this number, too: without a successor the statement would have run
            // out of memory.
            TxnError::OutOfMemory(Exhausted::Server)
            | TxnError::TooManyTransactions
            | TxnError::ChangedTwice => 701,
            TxnError::LogFull => 9002,
            TxnError::LogFailed => 9001,
            TxnError::ProtectedInSeveralDatabases => 41317,
            TxnError::Interrupted => 3617,
            TxnError::TableChanged { .. } => 2801,
            TxnError::CounterExhausted => 8115,
            TxnError::Page(fault) => fault.number(),
            TxnError::Unavailable(Unavailable::Recovering) => 922,
            TxnError::Unavailable(Unavailable::Suspect) => 926,
            TxnError::Unavailable(Unavailable::Pending) => 945,
            TxnError::Unavailable(Unavailable::Offline) => 942,
            TxnError::Unavailable(Unavailable::Restoring) => 927,
        }
    }

    /// The message's severity.
    pub fn severity(&self) -> u8 {
        match self {
            TxnError::Deadlock => 13,
            TxnError::DuplicateKey { .. } | TxnError::Unavailable(_) => 14,
            TxnError::OutOfMemory(Exhausted::Server)
            | TxnError::TooManyTransactions
            | TxnError::ChangedTwice
            | TxnError::LogFull => 17,
            TxnError::LogFailed => 21,
            TxnError::Page(fault) => fault.severity(),
            TxnError::OutOfLocks => 19,
            TxnError::WriteConflict
            | TxnError::RepeatableRead
            | TxnError::Serializable
            | TxnError::SnapshotConflict { .. }
            | TxnError::LockTimeout
            | TxnError::OutOfMemory(Exhausted::Database)
            | TxnError::ProtectedInSeveralDatabases
            | TxnError::Interrupted
            | TxnError::TableChanged { .. }
            | TxnError::CounterExhausted => 16,
        }
    }

    /// The state in which SQL Server usually sends the message.
    pub fn state(&self) -> u8 {
        match self {
            TxnError::WriteConflict => 110,
            TxnError::RepeatableRead | TxnError::Serializable => 0,
            TxnError::SnapshotConflict { .. } => 2,
            TxnError::Deadlock | TxnError::LockTimeout => 51,
            TxnError::LogFailed | TxnError::OutOfLocks => 4,
            TxnError::LogFull | TxnError::Page(_) => 2,
            TxnError::OutOfMemory(_) | TxnError::TooManyTransactions | TxnError::ChangedTwice => {
                123
            }
            TxnError::DuplicateKey { .. }
            | TxnError::ProtectedInSeveralDatabases
            | TxnError::Interrupted
            | TxnError::TableChanged { .. }
            | TxnError::CounterExhausted
            | TxnError::Unavailable(_) => 1,
        }
    }

    /// Whether the whole transaction must be rolled back, not only the statement.
    pub fn dooms(&self) -> bool {
        match self {
            TxnError::WriteConflict
            | TxnError::RepeatableRead
            | TxnError::Serializable
            | TxnError::SnapshotConflict { .. }
            | TxnError::Deadlock
            | TxnError::LogFull
            | TxnError::LogFailed
            | TxnError::ProtectedInSeveralDatabases
            | TxnError::Unavailable(_) => true,
            TxnError::LockTimeout
            | TxnError::OutOfLocks
            | TxnError::DuplicateKey { .. }
            | TxnError::OutOfMemory(_)
            | TxnError::TooManyTransactions
            | TxnError::ChangedTwice
            | TxnError::Interrupted
            | TxnError::TableChanged { .. }
            | TxnError::Page(_)
            | TxnError::CounterExhausted => false,
        }
    }
}

impl std::fmt::Display for TxnError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let number = self.number();
        match base::message::Message::find(number) {
            Some(message) => write!(f, "Msg {number}: {}", message.text),
            None => write!(f, "Msg {number}: {self:?}"),
        }
    }
}

impl std::error::Error for TxnError {}

impl TxnError {
    /// Returns an error if the log has ended. The caller waits for log space that is not there now.
    pub(super) fn from_no_space(no_space: NoSpace) -> TxnResult<()> {
        match no_space {
            NoSpace::Full => Ok(()),
            NoSpace::Ended(error) => Err(error.into()),
        }
    }
}

impl From<LogError> for TxnError {
    fn from(error: LogError) -> TxnError {
        match error {
            LogError::Full(_) => TxnError::LogFull,
            // Commits and waits read nothing back, so every other error means that the log has
            // failed.
            _ => TxnError::LogFailed,
        }
    }
}

impl From<Exhausted> for TxnError {
    fn from(exhausted: Exhausted) -> TxnError {
        TxnError::OutOfMemory(exhausted)
    }
}

impl From<TreeError> for TxnError {
    fn from(error: TreeError) -> TxnError {
        let nonsense = |page| {
            let (what, file) = ("inconsistent page contents", "".into());
            PageFault::Damaged { what, page, place: None, file }
        };
        TxnError::Page(match error {
            TreeError::Page(error) => return error.into(),
            TreeError::Damaged { page, .. } => nonsense(page.0),
            // Only changes of trees give these.
            TreeError::KeyTooLong { .. } | TreeError::ValueTooLong { .. } => nonsense(0),
        })
    }
}

impl From<ColdError> for TxnError {
    fn from(error: ColdError) -> TxnError {
        let shown = |path: &std::path::Path| path.display().to_string().into_boxed_str();
        TxnError::Page(match error {
            ColdError::Interrupted(_) => return TxnError::Interrupted,
            ColdError::Closed => return TxnError::Unavailable(Unavailable::Offline),
            ColdError::Checksum { file, place, page, what } => PageFault::Damaged {
                what: match what {
                    Mismatch::Checksum => "incorrect checksum",
                    Mismatch::Identity => "incorrect pageid",
                    Mismatch::Stamp => "stale page (a page read returned an older version)",
                },
                page: page.0,
                place: Some(place),
                file: shown(&file),
            },
            ColdError::Freed(page) => PageFault::Damaged {
                what: "unallocated page",
                page: page.0,
                place: None,
                file: "".into(),
            },
            ColdError::Read(error) | ColdError::File(error) => {
                PageFault::Read { why: error.to_string().into(), file: shown(error.path()) }
            }
            ColdError::Full(path) => PageFault::Full { file: shown(&path) },
            ColdError::NoFrames => PageFault::NoMemory,
            // Only opening a file gives these.
            ColdError::Missing { ref path }
            | ColdError::Foreign { ref path }
            | ColdError::UnknownVersion { ref path, .. }
            | ColdError::NoRoot { ref path }
            | ColdError::Damaged { ref path, .. } => {
                PageFault::Read { why: error.to_string().into(), file: shown(path) }
            }
        })
    }
}
