//! The operating system's files, clocks and randomness.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::clock::{Clock, TICKS_PER_SECOND, UNIX_EPOCH_TICKS};
use crate::fs::{
    DirectoryLock, Entry, File, FileError, FileResult, FileSystem, LOCK_FILE, Metadata, OpKind,
    OpenMode,
};
use crate::rng::Rng;
use crate::sys;

/// The operating system's file system. What it makes is for its owner alone: databases and keys.
#[derive(Clone, Copy, Default, Debug)]
pub struct RealFs;

const FILE_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

fn named<T>(op: OpKind, path: &Path, result: io::Result<T>) -> FileResult<T> {
    result.map_err(|error| FileError::new(op, path, error))
}

/// What there is by this name, unless it has been removed since the name was read.
fn entry_of(entry: &fs::DirEntry) -> io::Result<Option<Entry>> {
    match entry.metadata() {
        Ok(metadata) => {
            Ok(Some(Entry { name: entry.file_name(), metadata: metadata_of(&metadata) }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

impl FileSystem for RealFs {
    fn create_dir_all(&self, path: &Path) -> FileResult<()> {
        let mut builder = fs::DirBuilder::new();
        let created = builder.recursive(true).mode(DIRECTORY_MODE).create(path);
        named(OpKind::CreateDir, path, created)
    }

    fn list(&self, path: &Path) -> FileResult<Vec<Entry>> {
        let entries = fs::read_dir(path).and_then(|entries| {
            entries
                .filter_map(|entry| entry.and_then(|entry| entry_of(&entry)).transpose())
                .collect::<io::Result<Vec<_>>>()
        });
        let mut entries = named(OpKind::List, path, entries)?;
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn open(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        Ok(Arc::new(open_file(path, mode)?))
    }

    fn open_direct(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        let opened = open_file(path, mode)?;
        // Some file systems have nothing but their cache; the difference is speed.
        let _ = sys::bypass_cache(&opened.file);
        Ok(Arc::new(opened))
    }

    fn resolve(&self, path: &Path) -> FileResult<PathBuf> {
        named(OpKind::Metadata, path, resolved(path))
    }

    fn open_named(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        Ok(Arc::new(open_regular(path, mode)?))
    }

    fn open_named_direct(&self, path: &Path, mode: OpenMode) -> FileResult<Arc<dyn File>> {
        let opened = open_regular(path, mode)?;
        // Some file systems have nothing but their cache; the difference is speed.
        let _ = sys::bypass_cache(&opened.file);
        Ok(Arc::new(opened))
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn rename(&self, from: &Path, to: &Path) -> FileResult<()> {
        named(OpKind::Rename, from, fs::rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> FileResult<()> {
        named(OpKind::Remove, path, fs::remove_file(path))
    }

    fn remove_dir_all(&self, path: &Path) -> FileResult<()> {
        named(OpKind::Remove, path, fs::remove_dir_all(path))
    }

    fn metadata(&self, path: &Path) -> FileResult<Option<Metadata>> {
        match fs::metadata(path) {
            Ok(metadata) => Ok(Some(metadata_of(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::new(OpKind::Metadata, path, error)),
        }
    }

    fn sync_dir(&self, path: &Path) -> FileResult<()> {
        named(OpKind::SyncDir, path, fs::File::open(path).and_then(|dir| dir.sync_all()))
    }

    fn free_space(&self, path: &Path) -> FileResult<u64> {
        named(OpKind::Metadata, path, sys::free_space(path))
    }

    fn lock_dir(&self, path: &Path) -> FileResult<DirectoryLock> {
        let name = path.join(LOCK_FILE);
        let locked = || {
            let mut options = fs::OpenOptions::new();
            options.write(true).create(true).truncate(false).mode(FILE_MODE);
            let mut file = options.open(&name)?;
            sys::lock_exclusive(&file)?;
            // For people to read; the lock itself is the kernel's, so this may fail.
            let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
            Ok(file)
        };
        Ok(DirectoryLock::new(named(OpKind::Lock, &name, locked())?))
    }
}

fn open_file(path: &Path, mode: OpenMode) -> FileResult<RealFile> {
    let file = named(OpKind::Open, path, options_for(mode).open(path))?;
    Ok(RealFile { file, path: path.to_path_buf() })
}

fn options_for(mode: OpenMode) -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.read(true).mode(FILE_MODE);
    match mode {
        OpenMode::Read => &mut options,
        OpenMode::Write => options.write(true),
        OpenMode::Create => options.write(true).create(true),
        OpenMode::CreateNew => options.write(true).create_new(true),
    };
    options
}

/// [`FileSystem::resolve`]: the longest part that exists is resolved by the system.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let mut missing = Vec::new();
    let mut existing = absolute.as_path();
    loop {
        match fs::canonicalize(existing) {
            Ok(mut found) => {
                found.extend(missing.iter().rev());
                return Ok(found);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        // What is above a name that does not exist cannot be found by `..`.
        let (Some(name), Some(above)) = (existing.file_name(), existing.parent()) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        missing.push(name.to_os_string());
        existing = above;
    }
}

/// [`FileSystem::open_named`]. The name is looked at first, so that opening a device or a pipe does
/// nothing and does not wait, and the opened file after that, which is the one that counts.
fn open_regular(path: &Path, mode: OpenMode) -> FileResult<RealFile> {
    let denied = || Err(io::ErrorKind::PermissionDenied.into());
    let open = || {
        match fs::symlink_metadata(path) {
            Ok(there) if !there.is_file() => return denied(),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut options = options_for(mode);
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY);
        let file = options.open(path)?;
        if !file.metadata()?.is_file() || sys::path_of(&file, path)? != path {
            return denied();
        }
        Ok(file)
    };
    let file = named(OpKind::Open, path, open())?;
    Ok(RealFile { file, path: path.to_path_buf() })
}

fn metadata_of(metadata: &fs::Metadata) -> Metadata {
    let is_dir = metadata.is_dir();
    Metadata { len: if is_dir { 0 } else { metadata.len() }, is_dir }
}

#[derive(Debug)]
struct RealFile {
    file: fs::File,
    path: PathBuf,
}

impl RealFile {
    fn named<T>(&self, op: OpKind, result: io::Result<T>) -> FileResult<T> {
        named(op, &self.path, result)
    }
}

impl File for RealFile {
    fn path(&self) -> &Path {
        &self.path
    }

    fn len(&self) -> FileResult<u64> {
        self.named(OpKind::Metadata, self.file.metadata().map(|metadata| metadata.len()))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> FileResult<usize> {
        let mut got = 0;
        while got < buffer.len() {
            match self.file.read_at(&mut buffer[got..], offset + got as u64) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.named(OpKind::Read, Err(error)),
            }
        }
        Ok(got)
    }

    fn write_all_at(&self, bytes: &[u8], offset: u64) -> FileResult<()> {
        self.named(OpKind::Write, self.file.write_all_at(bytes, offset))
    }

    fn write_zeros_at(&self, len: usize, offset: u64) -> FileResult<()> {
        // Where there is a cache to go past; not every file system can.
        #[cfg(target_os = "linux")]
        if sys::write_zeros_directly(&self.path, &self.file, len, offset).is_ok() {
            return Ok(());
        }
        self.write_all_at(&vec![0; len], offset)
    }

    fn set_len(&self, len: u64) -> FileResult<()> {
        self.named(OpKind::SetLen, self.file.set_len(len))
    }

    fn sync_data(&self) -> FileResult<()> {
        self.named(OpKind::Sync, self.file.sync_data())
    }

    fn sync_all(&self) -> FileResult<()> {
        self.named(OpKind::Sync, self.file.sync_all())
    }
}

/// The operating system's clocks.
#[derive(Debug)]
pub struct RealClock {
    origin: Instant,
    /// The quarter of an hour that the offset from UTC was last asked for, and the offset: the
    /// system takes a lock to find it, and it changes at quarters of an hour only.
    offset: AtomicI64,
    /// The zone's name, which is found once, as the system reads its rules once.
    zone: OnceLock<Option<String>>,
}

/// Ticks in a quarter of an hour.
const TICKS_PER_QUARTER: u64 = 15 * 60 * TICKS_PER_SECOND;

impl RealClock {
    /// Monotonic time counts from now.
    pub fn new() -> RealClock {
        RealClock {
            origin: Instant::now(),
            offset: AtomicI64::new(i64::MIN),
            zone: OnceLock::new(),
        }
    }
}

impl Default for RealClock {
    fn default() -> RealClock {
        RealClock::new()
    }
}

impl Clock for RealClock {
    #[inline]
    fn now_ns(&self) -> u64 {
        self.origin.elapsed().as_nanos() as u64
    }

    fn utc_ticks(&self) -> u64 {
        let (seconds, ns) = sys::wall_clock();
        let ticks = UNIX_EPOCH_TICKS as i64 + seconds * TICKS_PER_SECOND as i64 + ns / 100;
        ticks.max(0) as u64
    }

    fn local_offset_minutes(&self, utc_ticks: u64) -> i32 {
        let quarter = (utc_ticks / TICKS_PER_QUARTER) as i64;
        let known = self.offset.load(Relaxed);
        if known >> 16 == quarter {
            return i32::from(known as i16);
        }
        let unix_ticks = utc_ticks as i64 - UNIX_EPOCH_TICKS as i64;
        let unix_seconds = unix_ticks.div_euclid(TICKS_PER_SECOND as i64);
        let offset = sys::local_offset_seconds(unix_seconds).div_euclid(60) as i16;
        self.offset.store(quarter << 16 | i64::from(offset as u16), Relaxed);
        i32::from(offset)
    }

    fn local_zone(&self) -> Option<&str> {
        self.zone.get_or_init(sys::local_zone).as_deref()
    }

    fn thread_cpu_ns(&self) -> u64 {
        sys::thread_cpu_ns()
    }

    fn sleep_ns(&self, duration_ns: u64) {
        std::thread::sleep(Duration::from_nanos(duration_ns));
    }
}

/// The kernel's random bytes, fetched a few at a time and wiped as they are given out.
#[derive(Debug)]
pub struct RealRng {
    pool: Mutex<Pool>,
}

const POOL_BYTES: usize = 1024;

struct Pool {
    bytes: [u8; POOL_BYTES],
    used: usize,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad("Pool") // its bytes are no part of the output
    }
}

impl RealRng {
    /// Asks the kernel when first used.
    pub fn new() -> RealRng {
        RealRng { pool: Mutex::new(Pool { bytes: [0; POOL_BYTES], used: POOL_BYTES }) }
    }
}

impl Default for RealRng {
    fn default() -> RealRng {
        RealRng::new()
    }
}

impl Rng for RealRng {
    fn fill(&self, bytes: &mut [u8]) {
        if bytes.len() > POOL_BYTES / 4 {
            return sys::random_bytes(bytes);
        }
        let mut pool = self.pool.lock();
        if POOL_BYTES - pool.used < bytes.len() {
            sys::random_bytes(&mut pool.bytes);
            pool.used = 0;
        }
        let taken = pool.used..pool.used + bytes.len();
        bytes.copy_from_slice(&pool.bytes[taken.clone()]);
        pool.bytes[taken].fill(0);
        pool.used += bytes.len();
    }
}

#[cfg(test)]
mod tests;
