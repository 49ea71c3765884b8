//! Files: what a file system can do, and errors that say which operation failed on which path.
//!
//! All operations are synchronous and block the calling thread; a caller that must not block uses a
//! thread of its own. Offsets and lengths are in bytes.
//!
//! # What is durable
//!
//! * A file's bytes and length: after [`File::sync_data`] or [`File::sync_all`].
//! * A name (created, renamed, removed): after [`FileSystem::sync_dir`] on its directory. A synced
//!   file whose name was not synced may be gone after a crash.
//! * After a *failed* sync nothing is known about what was written since the last good one, and a
//!   later sync that succeeds does not change that.

use std::ffi::OsString;
use std::fmt::{self, Debug};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// An operation on a file or directory. Errors and simulated faults name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpKind {
    /// Create a directory.
    CreateDir,
    /// List a directory.
    List,
    /// Open or create a file.
    Open,
    /// Read from a file.
    Read,
    /// Write to a file.
    Write,
    /// Change a file's length.
    SetLen,
    /// Make a file's bytes and length durable.
    Sync,
    /// Make a directory's names durable.
    SyncDir,
    /// Rename a file or directory.
    Rename,
    /// Remove a file or directory.
    Remove,
    /// Ask for length and type, or for the free space.
    Metadata,
    /// Lock a directory.
    Lock,
}

impl OpKind {
    /// How many kinds there are.
    pub const COUNT: usize = OpKind::Lock as usize + 1;

    /// As an infinitive, for messages.
    pub fn verb(self) -> &'static str {
        match self {
            OpKind::CreateDir => "create directory",
            OpKind::List => "list",
            OpKind::Open => "open",
            OpKind::Read => "read",
            OpKind::Write => "write",
            OpKind::SetLen => "set the length of",
            OpKind::Sync => "sync",
            OpKind::SyncDir => "sync directory",
            OpKind::Rename => "rename",
            OpKind::Remove => "remove",
            OpKind::Metadata => "examine",
            OpKind::Lock => "lock",
        }
    }
}

/// A failed file operation. Boxed inside, so that results stay small.
pub struct FileError(Box<Failure>);

struct Failure {
    op: OpKind,
    path: PathBuf,
    source: io::Error,
}

/// What file operations return.
pub type FileResult<T> = Result<T, FileError>;

impl FileError {
    /// The error that this operation on this path failed for this reason.
    pub fn new(op: OpKind, path: &Path, source: io::Error) -> FileError {
        FileError(Box::new(Failure { op, path: path.to_path_buf(), source }))
    }

    /// What was being done.
    pub fn op(&self) -> OpKind {
        self.0.op
    }

    /// The file or directory.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The reason's kind.
    pub fn kind(&self) -> io::ErrorKind {
        self.0.source.kind()
    }

    /// Whether the disk is full: the operation is worth trying again when there is room.
    pub fn is_disk_full(&self) -> bool {
        matches!(self.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }

    /// Whether there is no such file or directory.
    pub fn is_not_found(&self) -> bool {
        self.kind() == io::ErrorKind::NotFound
    }

    /// Whether another holder, in any process, has locked the directory.
    pub fn is_locked(&self) -> bool {
        self.kind() == io::ErrorKind::WouldBlock
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} {}: {}", self.0.op.verb(), self.0.path.display(), self.0.source)
    }
}

impl Debug for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0.source)
    }
}

/// How to open a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenMode {
    /// An existing file, to read only.
    Read,
    /// An existing file, to read and write.
    Write,
    /// An existing file or else a new, empty one, to read and write.
    Create,
    /// A new, empty file, to read and write; fails with `AlreadyExists` if the name is taken.
    CreateNew,
}

/// A file or directory in a directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name within the directory.
    pub name: OsString,
    /// What it is.
    pub metadata: Metadata,
}

/// Length and type of a file or directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// Length in bytes; 0 for directories.
    pub len: u64,
    /// Whether it is a directory.
    pub is_dir: bool,
}

/// Keeps a directory locked while it lives.
pub struct DirectoryLock {
    _held: Box<dyn Send + Sync>,
}

impl DirectoryLock {
    /// A lock that is released by dropping this value.
    pub fn new(held: impl Send + Sync + 'static) -> DirectoryLock {
        DirectoryLock { _held: Box::new(held) }
    }
}

impl Debug for DirectoryLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("DirectoryLock")
    }
}

/// The name of the file by which [`FileSystem::lock_dir`] locks a directory.
pub const LOCK_FILE: &str = "lock";

/// A file system.
pub trait FileSystem: Send + Sync + Debug {
    /// Creates the directory and those above it that do not exist yet. Syncs none of the names.
    fn create_dir_all(&self, path: &Path) -> FileResult<()>;

    /// What is in the directory, sorted by name. Names that are added or removed meanwhile may or
    /// may not be in it.
    fn list(&self, path: &Path) -> FileResult<Vec<Entry>>;

    /// Opens a file.
    fn open(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>>;

    /// As [`FileSystem::open`], but what is read and written goes past the system's cache where the
    /// file system can do that. Offsets, lengths and the addresses of buffers
    /// ([`AlignedBytes`](crate::memory::AlignedBytes)) must be multiples of
    /// [`DIRECT_ALIGN`](crate::memory::DIRECT_ALIGN), and so must the file's length.
    fn open_direct(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        self.open(path, mode)
    }

    /// Where a path leads: absolute, without `.`, `..` and links. Names at its end that do not
    /// exist are kept. The simulated file system has no links.
    fn resolve(&self, path: &Path) -> FileResult<PathBuf> {
        let absolute = std::path::absolute(path);
        let absolute = absolute.map_err(|error| FileError::new(OpKind::Metadata, path, error))?;
        let mut resolved = PathBuf::new();
        for part in absolute.components() {
            match part {
                Component::ParentDir => {
                    resolved.pop();
                }
                part => resolved.push(part),
            }
        }
        Ok(resolved)
    }

    /// Opens a file that a client has named, by a path from [`FileSystem::resolve`]. Fails with
    /// `PermissionDenied` for what is not a regular file (a device, a pipe, a directory), and if a
    /// link has taken the place of a part of the path since it was resolved.
    fn open_named(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        self.open(path, mode)
    }

    /// [`FileSystem::open_named`] past the system's cache, as [`FileSystem::open_direct`].
    fn open_named_direct(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        self.open_direct(path, mode)
    }

    /// Whether it pays to read and write files on other threads while the caller does something
    /// else.
    fn overlaps(&self) -> bool {
        false
    }

    /// Gives a file or directory another name; a file of that name is replaced.
    fn rename(&self, from: &Path, to: &Path) -> FileResult<()>;

    /// Removes a file. A handle that is open stays usable.
    fn remove_file(&self, path: &Path) -> FileResult<()>;

    /// Removes a directory with all that is in it.
    fn remove_dir_all(&self, path: &Path) -> FileResult<()>;

    /// Length and type, or `None` if there is no such name.
    fn metadata(&self, path: &Path) -> FileResult<Option<Metadata>>;

    /// Makes the names in this directory durable.
    fn sync_dir(&self, path: &Path) -> FileResult<()>;

    /// Bytes that can still be written in this directory.
    fn free_space(&self, path: &Path) -> FileResult<u64>;

    /// Locks the directory against other holders, in this process and in others, until the result
    /// is dropped or the process ends. If another holds it, [`FileError::is_locked`] is true of the
    /// error.
    fn lock_dir(&self, path: &Path) -> FileResult<DirectoryLock>;

    /// Whether there is such a file or directory.
    fn exists(&self, path: &Path) -> FileResult<bool> {
        Ok(self.metadata(path)?.is_some())
    }

    /// The whole file.
    fn read(&self, path: &Path) -> FileResult<Vec<u8>> {
        let file = self.open(path, OpenMode::Read)?;
        let len = file.len()?;
        let mut bytes = vec![0; usize::try_from(len).expect("the file fits the address space")];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }

    /// A new file with these bytes, both durable once [`FileSystem::sync_dir`] has synced the name.
    fn write_new(&self, path: &Path, bytes: &[u8]) -> FileResult<()> {
        let file = self.open(path, OpenMode::CreateNew)?;
        file.write_all_at(bytes, 0)?;
        file.sync_all()
    }
}

/// An open file. Shared freely between threads; positions are given with every call.
pub trait File: Send + Sync + Debug {
    /// The path by which it was opened.
    fn path(&self) -> &Path;

    /// Length in bytes.
    fn len(&self) -> FileResult<u64>;

    /// Whether the length is 0.
    fn is_empty(&self) -> FileResult<bool> {
        Ok(self.len()? == 0)
    }

    /// Reads at this offset, as many bytes as there are, up to the buffer's length. Fewer than that
    /// only at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> FileResult<usize>;

    /// Writes all bytes at this offset, or fails; what a failed write left behind is not known.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> FileResult<()>;

    /// Writes zeros to a range of whole pages, as [`File::write_all_at`] does: for files that are
    /// filled before they are used, so that the zeros need not stay in the system's cache.
    fn write_zeros_at(&self, len: usize, offset: u64) -> FileResult<()> {
        self.write_all_at(&vec![0; len], offset)
    }

    /// Cuts the file to this length, or lengthens it by zeros.
    fn set_len(&self, len: u64) -> FileResult<()>;

    /// Makes bytes and length durable.
    fn sync_data(&self) -> FileResult<()>;

    /// Makes bytes, length and times durable.
    fn sync_all(&self) -> FileResult<()>;

    /// Reads exactly the buffer's length at this offset; `UnexpectedEof` if the file ends before.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> FileResult<()> {
        let got = self.read_at(buffer, offset)?;
        if got == buffer.len() {
            return Ok(());
        }
        Err(FileError::new(OpKind::Read, self.path(), io::ErrorKind::UnexpectedEof.into()))
    }
}
