//! A file system on which reading some files takes as long as on a disk with an arm. It is for
//! measurements: they show what memory and faster devices gain where reading is slow.
//!
//! There is one arm for all of those files. A read waits for the reads before it, and for the arm
//! to move, unless it begins where the last one has ended. Writing takes as long as it does.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::clock::Clock;
use crate::fs::{DirectoryLock, Entry, File, FileResult, FileSystem, Metadata, OpenMode};

/// A file system with slow files.
#[derive(Debug)]
pub struct SlowReads {
    inner: Arc<dyn FileSystem>,
    clock: Arc<dyn Clock>,
    is_slow: fn(&Path) -> bool,
    seek_ns: u64,
    arm: Arc<Mutex<Arm>>,
}

/// Where the last read has ended.
#[derive(Debug, Default)]
struct Arm {
    file: u64,
    offset: u64,
    /// Files that were opened.
    opened: u64,
}

impl SlowReads {
    /// The files that `is_slow` names are slow: the arm needs `seek_ns` for each move.
    pub fn new(
        inner: Arc<dyn FileSystem>,
        clock: Arc<dyn Clock>,
        is_slow: fn(&Path) -> bool,
        seek_ns: u64,
    ) -> SlowReads {
        SlowReads { inner, clock, is_slow, seek_ns, arm: Arc::default() }
    }

    fn slow_down(&self, path: &Path, file: Arc<dyn File>) -> Arc<dyn File> {
        if !(self.is_slow)(path) {
            return file;
        }
        let number = {
            let mut arm = self.arm.lock().expect("no thread panics while the arm moves");
            arm.opened += 1;
            arm.opened
        };
        let (clock, arm, seek_ns) = (self.clock.clone(), self.arm.clone(), self.seek_ns);
        Arc::new(SlowFile { inner: file, clock, arm, seek_ns, number })
    }
}

impl FileSystem for SlowReads {
    fn create_dir_all(&self, path: &Path) -> FileResult<()> {
        self.inner.create_dir_all(path)
    }

    fn list(&self, path: &Path) -> FileResult<Vec<Entry>> {
        self.inner.list(path)
    }

    fn open(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        Ok(self.slow_down(path, self.inner.open(path, mode)?))
    }

    fn open_direct(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        Ok(self.slow_down(path, self.inner.open_direct(path, mode)?))
    }

    fn resolve(&self, path: &Path) -> FileResult<PathBuf> {
        self.inner.resolve(path)
    }

    fn open_named(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        Ok(self.slow_down(path, self.inner.open_named(path, mode)?))
    }

    fn open_named_direct(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        Ok(self.slow_down(path, self.inner.open_named_direct(path, mode)?))
    }

    fn overlaps(&self) -> bool {
        self.inner.overlaps()
    }

    fn rename(&self, from: &Path, to: &Path) -> FileResult<()> {
        self.inner.rename(from, to)
    }

    fn remove_file(&self, path: &Path) -> FileResult<()> {
        self.inner.remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> FileResult<()> {
        self.inner.remove_dir_all(path)
    }

    fn metadata(&self, path: &Path) -> FileResult<Option<Metadata>> {
        self.inner.metadata(path)
    }

    fn sync_dir(&self, path: &Path) -> FileResult<()> {
        self.inner.sync_dir(path)
    }

    fn free_space(&self, path: &Path) -> FileResult<u64> {
        self.inner.free_space(path)
    }

    fn lock_dir(&self, path: &Path) -> FileResult<DirectoryLock> {
        self.inner.lock_dir(path)
    }
}

/// A file under the arm.
#[derive(Debug)]
struct SlowFile {
    inner: Arc<dyn File>,
    clock: Arc<dyn Clock>,
    arm: Arc<Mutex<Arm>>,
    seek_ns: u64,
    number: u64,
}

impl File for SlowFile {
    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn len(&self) -> FileResult<u64> {
        self.inner.len()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> FileResult<usize> {
        let mut arm = self.arm.lock().expect("no thread panics while the arm moves");
        if (arm.file, arm.offset) != (self.number, offset) {
            self.clock.sleep_ns(self.seek_ns);
        }
        let read = self.inner.read_at(buffer, offset)?;
        (arm.file, arm.offset) = (self.number, offset + read as u64);
        Ok(read)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> FileResult<()> {
        self.inner.write_all_at(bytes, offset)
    }

    fn write_zeros_at(&self, len: usize, offset: u64) -> FileResult<()> {
        self.inner.write_zeros_at(len, offset)
    }

    fn set_len(&self, len: u64) -> FileResult<()> {
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> FileResult<()> {
        self.inner.sync_data()
    }

    fn sync_all(&self) -> FileResult<()> {
        self.inner.sync_all()
    }
}

#[cfg(test)]
mod tests;
