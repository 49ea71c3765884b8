//! What can go wrong with sinking.

use std::fmt;
use std::sync::Arc;

use env::FileError;

use crate::cold::ColdError;
use crate::cold::tree::TreeError;
use crate::log::LogError;

/// Why rows could not sink, or a root could not be written. Nothing is lost: memory and the log
/// have all.
#[derive(Clone, Debug)]
pub enum SinkError {
    /// A page or a tree.
    Tree(TreeError),
    /// Another operation on a file.
    File(Arc<FileError>),
    /// The log has no room.
    Log(LogError),
    /// A transaction that is open, or its snapshot, is in the way: try again when it is over.
    InTheWay,
    /// The database is being closed.
    Closed,
}

impl SinkError {
    /// Whether there is no room on the disk, or the data file may not grow.
    pub fn is_disk_full(&self) -> bool {
        match self {
            SinkError::Tree(error) => matches!(error, TreeError::Page(ColdError::Full(_))),
            SinkError::File(error) => error.is_disk_full(),
            _ => false,
        }
    }
}

impl From<TreeError> for SinkError {
    fn from(error: TreeError) -> SinkError {
        SinkError::Tree(error)
    }
}

impl From<ColdError> for SinkError {
    fn from(error: ColdError) -> SinkError {
        SinkError::Tree(error.into())
    }
}

impl From<FileError> for SinkError {
    fn from(error: FileError) -> SinkError {
        SinkError::File(Arc::new(error))
    }
}

impl From<LogError> for SinkError {
    fn from(error: LogError) -> SinkError {
        SinkError::Log(error)
    }
}

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SinkError::Tree(error) => error.fmt(f),
            SinkError::File(error) => error.fmt(f),
            SinkError::Log(error) => error.fmt(f),
            SinkError::InTheWay => {
                f.write_str("an open transaction keeps rows from being written to the data file")
            }
            SinkError::Closed => f.write_str("the database is being closed"),
        }
    }
}

impl std::error::Error for SinkError {}
