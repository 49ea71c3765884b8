//! What can go wrong with checkpoint files.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use base::ids::{Lsn, StorageId};
use env::FileError;

use super::manifest::CommitRange;
use crate::log::LogError;
use crate::sink::SinkError;

/// Why a checkpoint could not be made or read. Cheap to clone.
#[derive(Clone, Debug)]
pub enum CheckpointError {
    /// A file operation failed; for writing, worth another attempt.
    File(Arc<FileError>),
    /// A file does not hold what was written into it.
    Damaged {
        /// The file.
        file: Arc<Path>,
        /// Where in it.
        offset: u64,
        /// The commits that it covers, as far as that is known.
        range: Option<CommitRange>,
        /// What is wrong.
        what: &'static str,
    },
    /// A file belongs to another database.
    ForeignDatabase(Arc<Path>),
    /// A file has a format that this version does not know.
    UnknownVersion {
        /// The file.
        file: Arc<Path>,
        /// The version it claims.
        version: u16,
    },
    /// The log could not be read or given up.
    Log(LogError),
    /// The log ends a version that no file holds, or has a row of a table that was never made.
    Inconsistent {
        /// The commit.
        stamp: Lsn,
        /// The table.
        storage: StorageId,
    },
    /// What has sunk could not be made durable.
    Sink(SinkError),
    /// The system has no memory left for the rows.
    OutOfMemory,
    /// The database is being closed.
    Closed,
}

/// What checkpoints return.
pub type Result<T> = std::result::Result<T, CheckpointError>;

impl CheckpointError {
    /// Whether a checkpoint is only put off, and what it would be made of is whole: an open
    /// transaction keeps rows from sinking, or the disk is full.
    pub fn is_in_the_way(&self) -> bool {
        match self {
            CheckpointError::File(error) => error.is_disk_full(),
            CheckpointError::Sink(SinkError::InTheWay) => true,
            CheckpointError::Sink(error) => error.is_disk_full(),
            _ => false,
        }
    }

    /// The error, with the commits that the damaged file covers.
    pub(super) fn within(self, covered: CommitRange) -> CheckpointError {
        match self {
            CheckpointError::Damaged { file, offset, what, .. } => {
                CheckpointError::Damaged { file, offset, range: Some(covered), what }
            }
            other => other,
        }
    }
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::File(error) => error.fmt(f),
            CheckpointError::Damaged { file, offset, range, what } => {
                write!(f, "{} is damaged at offset {offset}: {what}", file.display())?;
                match range {
                    Some(CommitRange { from, to }) => {
                        write!(f, " (it covers the commits from {from} to {to})")
                    }
                    None => Ok(()),
                }
            }
            CheckpointError::ForeignDatabase(file) => {
                write!(f, "{} belongs to another database", file.display())
            }
            CheckpointError::UnknownVersion { file, version } => {
                write!(f, "{} has the unknown format version {version}", file.display())
            }
            CheckpointError::Log(error) => error.fmt(f),
            CheckpointError::Inconsistent { stamp, storage } => {
                write!(
                    f,
                    "the commit at {stamp} changes a row of storage {storage} that no checkpoint file holds"
                )
            }
            CheckpointError::Sink(error) => error.fmt(f),
            CheckpointError::OutOfMemory => f.write_str("there is not enough memory"),
            CheckpointError::Closed => f.write_str("the database is being closed"),
        }
    }
}

impl From<SinkError> for CheckpointError {
    fn from(error: SinkError) -> CheckpointError {
        match error {
            SinkError::Closed => CheckpointError::Closed,
            error => CheckpointError::Sink(error),
        }
    }
}

impl std::error::Error for CheckpointError {}

impl From<FileError> for CheckpointError {
    fn from(error: FileError) -> CheckpointError {
        CheckpointError::File(Arc::new(error))
    }
}

impl From<LogError> for CheckpointError {
    fn from(error: LogError) -> CheckpointError {
        CheckpointError::Log(error)
    }
}
