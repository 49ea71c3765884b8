//! The server's room for spill files: where they lie, how much they may take.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use base::{SqlError, message};
use engine::wait::OffLoad;
use env::{Env, FileError, FileResult};

/// How spill files are kept.
#[derive(Clone, Debug)]
pub struct SpillOptions {
    /// The directory, which holds nothing else.
    pub directory: PathBuf,
    /// Bytes that all of them together may take.
    pub limit_bytes: u64,
    /// Bytes of a block.
    pub block_bytes: usize,
    /// What an object may hold before it must spill, even if other objects have used the grant up:
    /// with less, runs and partitions would be a few rows each.
    pub object_min_bytes: usize,
    /// Threads that read and write them.
    pub threads: usize,
}

impl SpillOptions {
    /// Files in this directory, as large as the disk allows.
    pub fn new(directory: impl Into<PathBuf>) -> SpillOptions {
        let directory = directory.into();
        let (block_bytes, object_min_bytes) = (64 << 10, 512 << 10);
        SpillOptions { directory, limit_bytes: u64::MAX, block_bytes, object_min_bytes, threads: 4 }
    }
}

/// How much of a space is in use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SpillUsage {
    /// Bytes of the files that there are.
    pub bytes: u64,
    /// Files that there are.
    pub files: u64,
    /// Bytes that have ever been written.
    pub written_bytes: u64,
}

/// See the module's header.
pub struct SpillSpace {
    env: Env,
    options: SpillOptions,
    disk: OffLoad,
    /// Bytes of all files, as blocks that they have; the object that owns a file changes it.
    used: AtomicU64,
    files: AtomicU64,
    written: AtomicU64,
    /// The number in the name of the file that was made last.
    last: AtomicU64,
}

/// The end of the names of spill files.
const EXTENSION: &str = "spill";
/// Reads and writes that wait for a thread before statements wait to add more.
const QUEUE_MAX: usize = 256;

impl SpillSpace {
    /// Opens a space in a directory: creates the directory if there is none, and removes spill
    /// files that a crash has left there.
    pub fn open(env: &Env, options: SpillOptions) -> FileResult<Arc<SpillSpace>> {
        env.fs().create_dir_all(&options.directory)?;
        for entry in env.fs().list(&options.directory)? {
            let path = options.directory.join(&entry.name);
            if !entry.metadata.is_dir && path.extension().is_some_and(|e| e == EXTENSION) {
                env.fs().remove_file(&path)?;
            }
        }
        let disk = OffLoad::new("spill", options.threads, QUEUE_MAX);
        Ok(Arc::new(SpillSpace {
            env: env.clone(),
            options,
            disk,
            used: AtomicU64::new(0),
            files: AtomicU64::new(0),
            written: AtomicU64::new(0),
            last: AtomicU64::new(0),
        }))
    }

    /// Bytes of a block.
    pub fn block_bytes(&self) -> usize {
        self.options.block_bytes
    }

    /// See [`SpillOptions::object_min_bytes`].
    pub fn object_min_bytes(&self) -> usize {
        self.options.object_min_bytes
    }

    /// What is in use.
    pub fn usage(&self) -> SpillUsage {
        SpillUsage {
            bytes: self.used.load(Relaxed),
            files: self.files.load(Relaxed),
            written_bytes: self.written.load(Relaxed),
        }
    }

    pub(super) fn env(&self) -> &Env {
        &self.env
    }

    pub(super) fn disk(&self) -> &OffLoad {
        &self.disk
    }

    /// A path that no file has.
    pub(super) fn new_path(&self) -> PathBuf {
        let number = self.last.fetch_add(1, Relaxed) + 1;
        self.options.directory.join(format!("{number:08}.{EXTENSION}"))
    }

    /// Counts a new file.
    pub(super) fn note_file(&self) {
        self.files.fetch_add(1, Relaxed);
    }

    /// Takes room for one more block of a file; error 1105 if there is none.
    pub(super) fn take_block(&self) -> Result<(), SqlError> {
        let block = self.options.block_bytes as u64;
        let used = self.used.fetch_add(block, Relaxed) + block;
        if used > self.options.limit_bytes {
            self.used.fetch_sub(block, Relaxed);
            return Err(no_room());
        }
        Ok(())
    }

    pub(super) fn note_written(&self) {
        self.written.fetch_add(self.options.block_bytes as u64, Relaxed);
    }

    /// Gives back the room of a file with this many blocks, which is dropped.
    pub(super) fn give_back(&self, blocks: u32) {
        let bytes = u64::from(blocks) * self.options.block_bytes as u64;
        self.used.fetch_sub(bytes, Relaxed);
        self.files.fetch_sub(1, Relaxed);
    }
}

impl fmt::Debug for SpillSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpillSpace({}, {:?})", self.options.directory.display(), self.usage())
    }
}

/// Error 1105: as if tempdb were full, which is where SQL Server spills.
fn no_room() -> SqlError {
    let object = "<temporary system object: statement's work file>";
    SqlError::new(&message::OBJECT_SPACE_EXHAUSTED, &[&object, &"", &"tempdb", &"PRIMARY"])
}

/// The error of a file operation at this offset.
#[cold]
pub(super) fn failed(error: &FileError, offset: u64) -> SqlError {
    if error.is_disk_full() {
        return no_room();
    }
    let path = error.path().display();
    let offset = format!("{offset:#018x}");
    let reason = format!("{:?}", error.kind());
    SqlError::new(&message::OPERATING_SYSTEM_ERROR, &[&reason, &error.op().verb(), &offset, &path])
}

/// The error of a block that is not what was written.
#[cold]
pub(super) fn damaged(path: &Path, block: u32, offset: u64) -> SqlError {
    let offset = format!("{offset:#018x}");
    let reason = "incorrect checksum";
    let args: [&dyn fmt::Display; 6] =
        [&reason, &"read", &block, &base::ids::DbId::TEMPDB.0, &offset, &path.display()];
    SqlError::new(&message::LOGICAL_CONSISTENCY, &args)
}
