//! What can go wrong with the engine as a whole; statements fail with
//! [`TxnError`](crate::txn::TxnError).

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;

use base::ids::DbId;
use env::FileError;

use crate::backup::BackupError;
use crate::checkpoint::CheckpointError;
use crate::cold::ColdError;
use crate::cold::tree::TreeError;
use crate::log::LogError;
use crate::recovery::RecoveryError;
use crate::sink::SinkError;
use crate::txn::{TxnError, Unavailable};

/// Why a database cannot be made, opened or shut down.
#[derive(Clone, Debug)]
pub enum EngineError {
    /// Its log cannot be made or opened.
    Log(LogError),
    /// Its log is damaged or makes no sense: the database is suspect.
    Recovery(RecoveryError),
    /// A checkpoint could not be made.
    Checkpoint(CheckpointError),
    /// The pages of its tables cannot be read or written.
    Pages(SinkError),
    /// A backup could not be made or restored.
    Backup(BackupError),
    /// A file operation failed.
    File(Arc<FileError>),
    /// A statement of the engine's own failed.
    Txn(TxnError),
    /// There is a database with this id already.
    DatabaseExists(DbId),
    /// There is no database with this id.
    NoSuchDatabase(DbId),
}

impl EngineError {
    /// The number of SQL Server's message.
    pub fn number(&self) -> i32 {
        match self {
            EngineError::Log(LogError::Full(_)) => 9002,
            EngineError::Log(_) => 9001,
            EngineError::Recovery(_) => 3414,
            EngineError::Checkpoint(CheckpointError::Log(LogError::Full(_))) => 9002,
            EngineError::Checkpoint(_) => 5901,
            EngineError::Pages(SinkError::File(_)) | EngineError::File(_) => 5120,
            EngineError::Pages(_) => 824,
            EngineError::Backup(_) => 3013,
            EngineError::Txn(error) => error.number(),
            EngineError::DatabaseExists(_) => 1801,
            EngineError::NoSuchDatabase(_) => 911,
        }
    }

    /// What a database is that cannot be opened because of this. If a file is not there, or may not
    /// be opened, nothing is known to be damaged: it may only have to be put back.
    pub fn unavailable(&self) -> Unavailable {
        match self.is_of_missing_file() {
            true => Unavailable::Pending,
            false => Unavailable::Suspect,
        }
    }

    fn is_of_missing_file(&self) -> bool {
        let of_file = |error: &FileError| {
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied)
        };
        let of_log = |error: &LogError| match error {
            LogError::Missing { .. } => true,
            LogError::File(error) => of_file(error),
            _ => false,
        };
        let of_checkpoint = |error: &CheckpointError| match error {
            CheckpointError::File(error) => of_file(error),
            CheckpointError::Log(error) => of_log(error),
            _ => false,
        };
        let of_tree = |error: &TreeError| match error {
            TreeError::Page(ColdError::Missing { .. }) => true,
            TreeError::Page(ColdError::File(error) | ColdError::Read(error)) => of_file(error),
            _ => false,
        };
        match self {
            EngineError::File(error) | EngineError::Pages(SinkError::File(error)) => of_file(error),
            EngineError::Log(error) | EngineError::Recovery(RecoveryError::Log(error)) => {
                of_log(error)
            }
            EngineError::Checkpoint(error)
            | EngineError::Recovery(RecoveryError::Checkpoint(error)) => of_checkpoint(error),
            EngineError::Pages(SinkError::Tree(error))
            | EngineError::Recovery(RecoveryError::Pages(error)) => of_tree(error),
            _ => false,
        }
    }

    /// The message's severity.
    pub fn severity(&self) -> u8 {
        match self {
            EngineError::Log(LogError::Full(_)) => 17,
            EngineError::Log(_) | EngineError::Recovery(_) | EngineError::Pages(_) => 21,
            EngineError::Txn(error) => error.severity(),
            EngineError::Checkpoint(_)
            | EngineError::Backup(_)
            | EngineError::File(_)
            | EngineError::DatabaseExists(_)
            | EngineError::NoSuchDatabase(_) => 16,
        }
    }

    /// The state in which SQL Server usually sends the message.
    pub fn state(&self) -> u8 {
        match self {
            EngineError::Txn(error) => error.state(),
            EngineError::DatabaseExists(_) => 3,
            EngineError::Log(_)
            | EngineError::Recovery(_)
            | EngineError::Checkpoint(_)
            | EngineError::Pages(_)
            | EngineError::Backup(_)
            | EngineError::File(_)
            | EngineError::NoSuchDatabase(_) => 1,
        }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Log(error) => error.fmt(f),
            EngineError::Recovery(error) => error.fmt(f),
            EngineError::Checkpoint(error) => error.fmt(f),
            EngineError::Pages(error) => error.fmt(f),
            EngineError::Backup(error) => error.fmt(f),
            EngineError::File(error) => error.fmt(f),
            EngineError::Txn(error) => error.fmt(f),
            EngineError::DatabaseExists(id) => write!(f, "database {id} exists already"),
            EngineError::NoSuchDatabase(id) => write!(f, "there is no database {id}"),
        }
    }
}

impl std::error::Error for EngineError {}

impl From<LogError> for EngineError {
    fn from(error: LogError) -> EngineError {
        EngineError::Log(error)
    }
}

impl From<RecoveryError> for EngineError {
    fn from(error: RecoveryError) -> EngineError {
        EngineError::Recovery(error)
    }
}

impl From<FileError> for EngineError {
    fn from(error: FileError) -> EngineError {
        EngineError::File(Arc::new(error))
    }
}

impl From<CheckpointError> for EngineError {
    fn from(error: CheckpointError) -> EngineError {
        EngineError::Checkpoint(error)
    }
}

impl From<BackupError> for EngineError {
    fn from(error: BackupError) -> EngineError {
        EngineError::Backup(error)
    }
}

impl From<TxnError> for EngineError {
    fn from(error: TxnError) -> EngineError {
        EngineError::Txn(error)
    }
}
