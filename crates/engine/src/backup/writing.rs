//! Which backup files are being written: one backup at a time writes to a file.
//!
//! Two would write over each other, or one would take the place of a file to which the other has
//! added a set.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use env::{FileError, OpKind};

use super::error::{BackupError, Result};
use crate::sync::plain::{Mutex, MutexGuard};

/// The backup files of a server that are being written.
#[derive(Default, Debug)]
pub struct Writing(Mutex<HashSet<PathBuf>>);

/// Keeps other backups from writing to a backup file until it is dropped.
#[derive(Debug)]
pub struct WritesAlone {
    all: Arc<Writing>,
    path: PathBuf,
}

impl Writing {
    /// Reserves this file for one backup; error if another writes to it.
    pub fn take(self: &Arc<Writing>, path: &Path) -> Result<WritesAlone> {
        let path: PathBuf = path.components().collect();
        match self.lock().insert(path.clone()) {
            true => Ok(WritesAlone { all: self.clone(), path }),
            false => {
                let busy = ErrorKind::ResourceBusy.into();
                Err(BackupError::device(FileError::new(OpKind::Open, &path, busy)))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.0.lock().expect("no panic under this lock")
    }
}

impl Drop for WritesAlone {
    fn drop(&mut self) {
        self.all.lock().remove(&self.path);
    }
}
