//! What can go wrong with a log.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use base::ids::Lsn;
use env::FileError;

/// Why an operation on a log failed. Cheap to clone, since all waiters get the same failure.
#[derive(Clone, Debug)]
pub enum LogError {
    /// There is no room, and none can be made now. Nothing was published; try again when there is
    /// room on the disk. SQL Server's message 9002.
    Full(Arc<FileError>),
    /// Commits have ended in this database until it is opened again: a write or sync failed, or
    /// another writer has taken the log over. Reads go on at what is durable.
    Fenced(Arc<str>),
    /// The log is being shut down.
    Closed,
    /// A record longer than the log takes; cut it into chunks.
    TooLong {
        /// Its length.
        len: usize,
        /// The greatest length.
        max: usize,
    },
    /// What the file holds there is not what was written, and it is not the torn end of a crash.
    Damaged {
        /// The file.
        file: Arc<Path>,
        /// Offset of the damage in the file.
        offset: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// The log begins after the position from which it is needed.
    Missing {
        /// The directory or file.
        path: Arc<Path>,
        /// From where it is needed.
        wanted: Lsn,
        /// Where it begins, if it has a beginning.
        found: Option<Lsn>,
    },
    /// The file belongs to another database.
    ForeignDatabase {
        /// The file.
        file: Arc<Path>,
    },
    /// The file has a format that this version does not know.
    UnknownVersion {
        /// The file.
        file: Arc<Path>,
        /// The version it claims.
        version: u16,
    },
    /// The database's keys were made by other data of collations than this version has.
    OtherCollations {
        /// The file.
        file: Arc<Path>,
        /// The version of the data.
        version: u32,
    },
    /// A file operation failed.
    File(Arc<FileError>),
}

impl LogError {
    /// The log as opened now will take no more commits.
    pub fn is_fenced(&self) -> bool {
        matches!(self, LogError::Fenced(_) | LogError::Closed)
    }
}

impl From<FileError> for LogError {
    fn from(error: FileError) -> LogError {
        LogError::File(Arc::new(error))
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogError::Full(reason) => write!(f, "the log is full: {reason}"),
            LogError::Fenced(reason) => write!(f, "the log takes no more commits: {reason}"),
            LogError::Closed => f.write_str("the log is closed"),
            LogError::TooLong { len, max } => {
                write!(f, "a log record of {len} bytes is longer than {max}")
            }
            LogError::Damaged { file, offset, what } => {
                write!(f, "{} is damaged at offset {offset}: {what}", file.display())
            }
            LogError::Missing { path, wanted, found: Some(found) } => {
                let path = path.display();
                write!(f, "{path} is missing: the log begins at {found}, not at {wanted}")
            }
            LogError::Missing { path, .. } => {
                write!(f, "{} is missing or is no log", path.display())
            }
            LogError::ForeignDatabase { file } => {
                write!(f, "{} belongs to another database", file.display())
            }
            LogError::UnknownVersion { file, version } => {
                write!(f, "{} has format version {version}, which is unknown", file.display())
            }
            LogError::OtherCollations { file, version } => {
                let path = file.display();
                let ours = base::collation::rules::DATA_VERSION;
                write!(
                    f,
                    "{path}: the keys of this database are in the order of version {version} of \
                     the collations' data, and this server has version {ours}"
                )
            }
            LogError::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LogError::Full(error) | LogError::File(error) => Some(&**error),
            _ => None,
        }
    }
}
