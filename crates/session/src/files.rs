//! Files that statements name: which of them may be used, what they are called on this machine, and
//! the message if they cannot be used.
//!
//! # The rule
//!
//! `BACKUP`, `RESTORE`, `BULK INSERT` with its `ERRORFILE`, `OPENROWSET(BULK)`, `xp_create_subdir`
//! and the buffer pool extension take a path from a client. [`FileRules::place`] resolves its
//! links, and admits where it leads if
//!
//! * it is not in the data directory, but for the folder that has the statement's own files;
//! * it is none of the server's files elsewhere: certificate and key;
//! * it is not below `/proc` or `/sys`, whose files show the server's environment and memory;
//! * it is in one of the directories of the setting for this use, if that is set.
//!
//! The caller opens it with [`FileSystem::open_named`], which takes regular files alone and finds
//! out if the path has changed since. Database files are not here: their paths are mapped to names
//! in directories that the server makes.

pub mod reading;

use std::fmt::Display;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use base::SqlError;
use env::{FileError, FileResult, FileSystem, OpKind};

/// What a statement does with a file that it names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileUse {
    /// `BACKUP` and `RESTORE`.
    Backup,
    /// `BULK INSERT` and its `ERRORFILE`.
    Import,
    /// The buffer pool extension.
    Extension,
    /// A directory that `xp_create_subdir` makes.
    Directory,
}

/// Which files statements may name. See the module's header.
#[derive(Clone, Default, Debug)]
pub struct FileRules {
    /// The data directory.
    pub data: PathBuf,
    /// The server's files outside of it.
    pub private: Vec<PathBuf>,
    /// Where backups may be, beside their folder in the data directory; empty for everywhere.
    pub backup_directories: Vec<PathBuf>,
    /// Where files to be loaded, and those with refused rows, may be; empty for everywhere.
    pub import_directories: Vec<PathBuf>,
}

impl FileRules {
    /// Where a path leads, if the server may use that; otherwise `PermissionDenied`.
    pub fn place(&self, fs: &dyn FileSystem, path: &Path, used: FileUse) -> FileResult<PathBuf> {
        let place = fs.resolve(path)?;
        match self.admits(fs, &place, used)? {
            true => Ok(place),
            false => {
                let denied = ErrorKind::PermissionDenied.into();
                Err(FileError::new(OpKind::Open, path, denied))
            }
        }
    }

    fn admits(&self, fs: &dyn FileSystem, place: &Path, used: FileUse) -> FileResult<bool> {
        const OF_SYSTEM: [&str; 2] = ["/proc", "/sys"];
        if OF_SYSTEM.iter().any(|own| place.starts_with(own)) {
            return Ok(false);
        }
        let data = fs.resolve(&self.data)?;
        let (folder, directories) = match used {
            FileUse::Backup => (Some("backup"), &*self.backup_directories),
            FileUse::Import => (None, &*self.import_directories),
            FileUse::Extension => (Some("extension"), &[][..]),
            FileUse::Directory => (Some("backup"), &*self.backup_directories),
        };
        if place.starts_with(&data) {
            return Ok(folder.is_some_and(|folder| place.starts_with(data.join(folder))));
        }
        for private in &self.private {
            if fs.resolve(private)? == place {
                return Ok(false);
            }
        }
        let mut admitted = directories.is_empty();
        for directory in directories {
            admitted |= place.starts_with(fs.resolve(directory)?);
        }
        Ok(admitted)
    }
}

/// The last name of a path of any system.
pub fn last_name(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\', ':']).next().unwrap_or(path)
}

/// The information that a file's path is mapped to another one.
pub fn mapped(name: &dyn Display, asked: &str, is: &Path) -> SqlError {
    let text = format!(
        "File '{name}': the path '{asked}' is mapped to '{}' below the data directory.",
        is.display()
    );
    SqlError::custom(0, 10, 1, text)
}

/// The number and text that SQL Server has for an error of the system.
pub fn system_error(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "2(The system cannot find the file specified.)",
        ErrorKind::NotADirectory => "3(The system cannot find the path specified.)",
        ErrorKind::PermissionDenied | ErrorKind::IsADirectory => "5(Access is denied.)",
        ErrorKind::ResourceBusy => {
            "32(The process cannot access the file because it is being used by another process.)"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "112(There is not enough space on the disk.)"
        }
        _ => "1117(The request could not be performed because of an I/O device error.)",
    }
}

#[cfg(test)]
mod tests;
