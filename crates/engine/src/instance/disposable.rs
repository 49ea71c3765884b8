//! Directories of databases that may be removed.
//!
//! A database whose making or restore does not come to its end leaves a directory behind, and so
//! does one that is dropped when the power fails. An empty file `NAME.disposable` beside such a
//! directory says so: it is durable before the directory is made, and goes once master has a row
//! for the database; it is there again before that row is removed. A directory with neither such a
//! file nor a row was not made by the server and is not touched. A row counts for more than the
//! file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use env::FileError;

use super::data_directory::MASTER_DIRECTORY;
use super::{Databases, InstanceError, OpenReport};
use crate::catalog::def::DatabaseDef;
use crate::sync::Arc;

const MARK: &str = "disposable";

impl Databases {
    /// The directory may go from here on, unless a row of master names it.
    pub(super) fn mark_disposable(&self, dir: &Path) -> Result<(), InstanceError> {
        let Some(mark) = self.mark_of(dir) else { return Ok(()) };
        let fs = self.env().fs();
        let write = || {
            if !fs.exists(&mark)? {
                fs.write_new(&mark, b"")?;
            }
            fs.sync_dir(&self.data.databases())
        };
        write().map_err(InstanceError::of_file)
    }

    /// Makes master forget the directory of a database, which may be removed if that succeeds.
    pub(super) fn giving_up<T>(
        &self,
        def: &DatabaseDef,
        forget: impl FnOnce() -> Result<T, InstanceError>,
    ) -> Result<T, InstanceError> {
        let dir = self.directory_of(def);
        self.mark_disposable(&dir)?;
        forget().inspect_err(|_| {
            let known = self.master.current();
            if known.server().databases().iter().any(|known| known.directory == def.directory) {
                self.keep_directory(&dir);
            }
        })
    }

    /// The directory has a row. A mark that cannot be removed now is at the next start.
    pub(super) fn keep_directory(&self, dir: &Path) {
        if let Some(mark) = self.mark_of(dir) {
            let _ = self.remove_mark(&mark);
        }
    }

    /// Removes a directory that is marked. What cannot be removed now is at the next start.
    pub(super) fn dispose(&self, dir: &Path) {
        if self.remove_directory(dir).is_ok() {
            self.keep_directory(dir);
        }
    }

    /// Durably, so that the mark is not gone before.
    fn remove_directory(&self, dir: &Path) -> Result<(), FileError> {
        let fs = self.env().fs();
        fs.remove_dir_all(dir)?;
        dir.parent().map_or(Ok(()), |parent| fs.sync_dir(parent))
    }

    /// Removes the directories that may be removed, and reports what else lies among those of
    /// databases.
    pub(super) fn remove_orphans(
        &self,
        known: &[Arc<DatabaseDef>],
        report: &mut OpenReport,
    ) -> Result<(), InstanceError> {
        let (fs, databases) = (self.env().fs(), self.data.databases());
        let mut named: HashSet<PathBuf> = known.iter().map(|def| self.directory_of(def)).collect();
        named.insert(databases.join(MASTER_DIRECTORY));
        for entry in fs.list(&databases).map_err(InstanceError::of_file)? {
            let path = databases.join(&entry.name);
            let marked = path.with_extension("");
            if !entry.metadata.is_dir && path.extension().is_some_and(|last| last == MARK) {
                let is_there = fs.exists(&marked).map_err(InstanceError::of_file)?;
                if is_there && !named.contains(&marked) && !self.is_detached(&marked)? {
                    self.remove_directory(&marked).map_err(InstanceError::of_file)?;
                    report.removed.push(marked);
                }
                self.remove_mark(&path).map_err(InstanceError::of_file)?;
            }
        }
        for entry in fs.list(&databases).map_err(InstanceError::of_file)? {
            let path = databases.join(&entry.name);
            if !(named.contains(&path) || entry.metadata.is_dir && self.is_detached(&path)?) {
                report.strange.push(path);
            }
        }
        Ok(())
    }

    /// The file that says of a directory that it may be removed; there is none for a directory that
    /// lies elsewhere.
    fn mark_of(&self, dir: &Path) -> Option<PathBuf> {
        let is_ours = dir.parent() == Some(&*self.data.databases());
        is_ours.then(|| {
            let mut mark = dir.as_os_str().to_owned();
            mark.push(".");
            mark.push(MARK);
            mark.into()
        })
    }

    fn remove_mark(&self, mark: &Path) -> Result<(), FileError> {
        let fs = self.env().fs();
        if fs.exists(mark)? {
            fs.remove_file(mark)?;
            fs.sync_dir(&self.data.databases())?;
        }
        Ok(())
    }
}
