//! What can go wrong with backups.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use base::ids::Lsn;
use env::FileError;

use crate::checkpoint::CheckpointError;
use crate::cold::ColdError;
use crate::log::LogError;

/// Why a backup could not be made or read, or not be restored. Cheap to clone.
#[derive(Clone, Debug)]
pub enum BackupError {
    /// A file operation on the backup failed.
    Device(Arc<FileError>),
    /// A file operation on the database failed.
    File(Arc<FileError>),
    /// The file is not a backup of this server.
    Foreign {
        /// The file.
        file: Arc<Path>,
        /// It is one of SQL Server's.
        is_sql_server: bool,
    },
    /// The file is a backup in a format that this version does not know.
    UnknownVersion {
        /// The file.
        file: Arc<Path>,
        /// The version it claims.
        version: u16,
    },
    /// The keys in the set were made by other data of collations than this version has.
    OtherCollations(u32),
    /// The file does not hold what was written into it.
    Damaged {
        /// The file.
        file: Arc<Path>,
        /// Where in it.
        offset: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// The file has a backup that is not to be overwritten before that: UTC ticks of 100 ns since
    /// 0001-01-01, and the offset of the clock by which it was made.
    NotExpired(u64, i32),
    /// The file has no room for another backup in its directory.
    MediaFull(Arc<Path>),
    /// There is no backup of this number in the file.
    NoSuchSet(Arc<Path>, usize),
    /// Another backup or restore of the database is under way.
    Busy,
    /// There is no full backup that the differential one or the one of the log could go with.
    NoDatabaseBackup,
    /// The database keeps no log for backups.
    LogNotKept,
    /// The set is not of the kind that the statement restores.
    WrongKind,
    /// The database is not being restored, or nothing of it was yet.
    NotRestoring,
    /// The differential backup goes with another full backup.
    OtherBase,
    /// The set lies on another recovery path.
    OtherPath,
    /// The set begins after what was restored.
    TooRecent {
        /// Where it begins.
        first: Lsn,
        /// How far the database has been restored.
        restored: Lsn,
    },
    /// The set ends before what was restored.
    TooEarly {
        /// Where it ends.
        last: Lsn,
        /// How far the database has been restored.
        restored: Lsn,
    },
    /// The set was taken after the point in time that is asked for.
    StopsTooEarly,
    /// The checkpoint files cannot be read.
    Checkpoint(CheckpointError),
    /// The log cannot be read or written.
    Log(LogError),
    /// The log that is to be backed up of a damaged database is damaged itself.
    LogUnreadable(LogError),
    /// The pages of tables that have sunk cannot be read or written.
    Pages(ColdError),
}

/// What backups return.
pub type Result<T, E = BackupError> = std::result::Result<T, E>;

impl BackupError {
    /// An operation on the backup's file failed.
    pub(super) fn device(error: FileError) -> BackupError {
        BackupError::Device(Arc::new(error))
    }
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackupError::Device(error) | BackupError::File(error) => error.fmt(f),
            BackupError::Foreign { file, is_sql_server: true } => {
                write!(
                    f,
                    "{} is a backup of SQL Server's, which cannot be read here",
                    file.display()
                )
            }
            BackupError::Foreign { file, .. } => write!(f, "{} is no backup", file.display()),
            BackupError::UnknownVersion { file, version } => {
                write!(f, "{} has the unknown format version {version}", file.display())
            }
            BackupError::OtherCollations(version) => {
                let ours = base::collation::rules::DATA_VERSION;
                write!(
                    f,
                    "the keys in the backup are in the order of version {version} of the \
                     collations' data, and this server has version {ours}"
                )
            }
            BackupError::Damaged { file, offset, what } => {
                write!(f, "{} is damaged at offset {offset}: {what}", file.display())
            }
            BackupError::NotExpired(..) => f.write_str("the file is not to be overwritten yet"),
            BackupError::MediaFull(file) => {
                write!(f, "{} has no room for more backups", file.display())
            }
            BackupError::NoSuchSet(file, number) => {
                write!(f, "{} has no backup number {number}", file.display())
            }
            BackupError::Busy => f.write_str("another backup of the database is under way"),
            BackupError::NoDatabaseBackup => f.write_str("there is no backup of the database"),
            BackupError::LogNotKept => f.write_str("the log is not kept for backups"),
            BackupError::WrongKind => f.write_str("the backup is of another kind"),
            BackupError::NotRestoring => f.write_str("the database is not being restored"),
            BackupError::OtherBase => f.write_str("the backup goes with another full backup"),
            BackupError::OtherPath => f.write_str("the backup lies on another recovery path"),
            BackupError::TooRecent { first, restored } => {
                write!(
                    f,
                    "the backup begins at {first}, and the database is restored to {restored}"
                )
            }
            BackupError::TooEarly { last, restored } => {
                write!(f, "the backup ends at {last}, and the database is restored to {restored}")
            }
            BackupError::StopsTooEarly => f.write_str("the backup was taken after that time"),
            BackupError::Checkpoint(error) => error.fmt(f),
            BackupError::Log(error) | BackupError::LogUnreadable(error) => error.fmt(f),
            BackupError::Pages(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BackupError {}

impl From<FileError> for BackupError {
    fn from(error: FileError) -> BackupError {
        BackupError::File(Arc::new(error))
    }
}

impl From<CheckpointError> for BackupError {
    fn from(error: CheckpointError) -> BackupError {
        BackupError::Checkpoint(error)
    }
}

impl From<LogError> for BackupError {
    fn from(error: LogError) -> BackupError {
        BackupError::Log(error)
    }
}

impl From<ColdError> for BackupError {
    fn from(error: ColdError) -> BackupError {
        BackupError::Pages(error)
    }
}
