//! Errors of the cold store.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use env::FileError;

use super::page::PageNumber;
use super::place::Place;
use crate::wait::Interrupted;

/// Why an operation on pages failed. Cheap to clone, since all tasks that wait for a read get its
/// error.
#[derive(Clone, Debug)]
pub enum ColdError {
    /// The bytes at a place are not the image that was written there. SQL Server's message 824.
    Checksum {
        /// The file.
        file: Arc<Path>,
        /// Where in it.
        place: Place,
        /// The page that should be there.
        page: PageNumber,
        /// What does not match.
        what: Mismatch,
    },
    /// A read failed, twice. SQL Server's message 823.
    Read(Arc<FileError>),
    /// A write, sync or other operation on a file failed. Nothing is lost: the last checkpoint is
    /// durable, and newer changes are still in memory and in the log.
    File(Arc<FileError>),
    /// There is no free place and the files cannot grow. SQL Server's message 1105. Try again when
    /// there is room.
    Full(Arc<Path>),
    /// No memory for another page: all frames that the pool may use are pinned, private, or dirty
    /// and cannot be written. SQL Server's message 802.
    NoFrames,
    /// The statement was interrupted while it waited.
    Interrupted(Interrupted),
    /// The page does not exist: it has been freed, or was never allocated. Start again from the
    /// root.
    Freed(PageNumber),
    /// The file does not exist.
    Missing {
        /// Where it should be.
        path: Arc<Path>,
    },
    /// The file belongs to another database, or is another one of this database's files.
    Foreign {
        /// The file.
        path: Arc<Path>,
    },
    /// The file has a format that this version does not know.
    UnknownVersion {
        /// The file.
        path: Arc<Path>,
        /// The version it claims.
        version: u32,
    },
    /// No root is whole: the file cannot be opened.
    NoRoot {
        /// The file.
        path: Arc<Path>,
    },
    /// The file's contents are inconsistent.
    Damaged {
        /// The file.
        path: Arc<Path>,
        /// What is wrong.
        what: &'static str,
    },
    /// The pool has been shut down.
    Closed,
}

/// How an image that was read differs from what should have been there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The bytes do not fit their checksum: torn, corrupted, or another database's.
    Checksum,
    /// It is another page, or a page that belongs to another place: a misdirected write or read.
    Identity,
    /// It is an older or newer image of the page: a lost write.
    Stamp,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mismatch::Checksum => "incorrect checksum",
            Mismatch::Identity => "another page",
            Mismatch::Stamp => "an older image",
        })
    }
}

impl From<Interrupted> for ColdError {
    fn from(why: Interrupted) -> ColdError {
        ColdError::Interrupted(why)
    }
}

impl From<FileError> for ColdError {
    fn from(error: FileError) -> ColdError {
        match error.is_disk_full() {
            true => ColdError::Full(error.path().into()),
            false => ColdError::File(Arc::new(error)),
        }
    }
}

impl fmt::Display for ColdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColdError::Checksum { file, place, page, what } => {
                let (offset, file) = (place.offset(), file.display());
                write!(f, "page {page} at offset {offset:#x} of {file} is damaged: {what}")
            }
            ColdError::Read(error) | ColdError::File(error) => error.fmt(f),
            ColdError::Full(path) => write!(f, "there is no room in {}", path.display()),
            ColdError::NoFrames => f.write_str("there is no memory for another page"),
            ColdError::Interrupted(why) => why.fmt(f),
            ColdError::Freed(page) => write!(f, "page {page} is free"),
            ColdError::Missing { path } => write!(f, "{} is missing", path.display()),
            ColdError::Foreign { path } => {
                write!(f, "{} is not the file of this database that it should be", path.display())
            }
            ColdError::UnknownVersion { path, version } => {
                write!(f, "{} has format version {version}, which is unknown", path.display())
            }
            ColdError::NoRoot { path } => write!(f, "{} has no whole root", path.display()),
            ColdError::Damaged { path, what } => {
                write!(f, "{} is damaged: {what}", path.display())
            }
            ColdError::Closed => f.write_str("the buffer pool is closed"),
        }
    }
}

impl std::error::Error for ColdError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ColdError::Read(error) | ColdError::File(error) => Some(&**error),
            _ => None,
        }
    }
}
