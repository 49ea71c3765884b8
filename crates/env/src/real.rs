//! The operating system's files, clocks and randomness.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
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
}

/// Ticks in a quarter of an hour.
const TICKS_PER_QUARTER: u64 = 15 * 60 * TICKS_PER_SECOND;

impl RealClock {
    /// Monotonic time counts from now.
    pub fn new() -> RealClock {
        RealClock { origin: Instant::now(), offset: AtomicI64::new(i64::MIN) }
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
mod tests {
    use super::*;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new() -> Scratch {
            let name = format!("thermocline-env-{:016x}", RealRng::new().next_u64());
            let path = std::env::temp_dir().join(name);
            RealFs.create_dir_all(&path).unwrap();
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = RealFs.remove_dir_all(&self.0);
        }
    }

    #[test]
    fn bytes_come_back_from_where_they_were_written() {
        let scratch = Scratch::new();
        let path = scratch.0.join("a");
        let file = RealFs.open(&path, OpenMode::CreateNew).unwrap();
        file.write_all_at(b"world", 5).unwrap();
        file.write_all_at(b"hello", 0).unwrap();
        file.sync_data().unwrap();
        RealFs.sync_dir(&scratch.0).unwrap();
        assert_eq!(RealFs.read(&path).unwrap(), b"helloworld");
        let mut beyond = [0; 8];
        assert_eq!(file.read_at(&mut beyond, 7).unwrap(), 3);
        let error = file.read_exact_at(&mut beyond, 7).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        file.set_len(3).unwrap();
        assert_eq!(file.len().unwrap(), 3);
    }

    #[test]
    fn paths_are_resolved_to_where_they_lead() {
        let scratch = Scratch::new();
        let root = fs::canonicalize(&scratch.0).unwrap();
        RealFs.create_dir_all(&root.join("real/sub")).unwrap();
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        for (asked, leads) in [
            ("link/sub/new", "real/sub/new"),
            ("link/./new/file", "real/new/file"),
            ("link/sub/../file", "real/file"),
            ("real", "real"),
        ] {
            assert_eq!(RealFs.resolve(&root.join(asked)).unwrap(), root.join(leads), "{asked}");
        }
        assert!(RealFs.resolve(&root.join("none/../file")).unwrap_err().is_not_found());
    }

    #[test]
    fn only_regular_files_are_opened_by_a_clients_name() {
        let scratch = Scratch::new();
        let root = fs::canonicalize(&scratch.0).unwrap();
        RealFs.create_dir_all(&root.join("real")).unwrap();
        let file = root.join("real/file");
        RealFs.open_named(&file, OpenMode::CreateNew).unwrap().write_all_at(b"x", 0).unwrap();
        assert_eq!(RealFs.open_named(&file, OpenMode::Read).unwrap().len().unwrap(), 1);
        std::os::unix::fs::symlink("real", root.join("link")).unwrap();
        std::os::unix::fs::symlink("real/file", root.join("to_file")).unwrap();
        std::os::unix::fs::symlink("nothing", root.join("dangling")).unwrap();
        let pipe = root.join("pipe");
        let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
        // SAFETY: `name` is a string with its zero, which the call only reads.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let refused = ["link/file", "link/new", "to_file", "dangling", "pipe", "real"];
        for path in refused.map(|name| root.join(name)).into_iter().chain(["/dev/null".into()]) {
            for mode in [OpenMode::Read, OpenMode::Write, OpenMode::Create] {
                let missing = mode != OpenMode::Create && path.ends_with("link/new");
                let kind = match missing {
                    true => io::ErrorKind::NotFound,
                    false => io::ErrorKind::PermissionDenied,
                };
                let error = RealFs.open_named(&path, mode).unwrap_err();
                assert_eq!(error.kind(), kind, "{} {mode:?}", path.display());
            }
        }
        assert_eq!(RealFs.read(&file).unwrap(), b"x");
    }

    #[test]
    fn a_directory_is_listed_while_files_in_it_are_removed() {
        use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

        let scratch = Scratch::new();
        RealFs.open(&scratch.0.join("stays"), OpenMode::CreateNew).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    for number in 0..50 {
                        let path = scratch.0.join(number.to_string());
                        RealFs.open(&path, OpenMode::CreateNew).unwrap();
                    }
                    for number in 0..50 {
                        RealFs.remove_file(&scratch.0.join(number.to_string())).unwrap();
                    }
                }
            });
            let lists = (0..3000).map(|_| RealFs.list(&scratch.0)).collect::<Vec<_>>();
            done.store(true, Relaxed); // before anything is asserted, so that the thread ends
            for list in lists {
                assert!(list.unwrap().iter().any(|entry| entry.name == "stays"));
            }
        });
    }

    #[test]
    fn bytes_past_the_cache_are_the_same_bytes() {
        use crate::memory::{AlignedBytes, DIRECT_ALIGN};
        let scratch = Scratch::new();
        let path = scratch.0.join("a");
        let file = RealFs.open_direct(&path, OpenMode::CreateNew).unwrap();
        let mut bytes = AlignedBytes::new(2 * DIRECT_ALIGN);
        bytes.fill(7);
        file.write_all_at(&bytes, DIRECT_ALIGN as u64).unwrap();
        file.sync_data().unwrap();
        bytes.fill(1);
        assert_eq!(file.read_at(&mut bytes, 0).unwrap(), 2 * DIRECT_ALIGN);
        assert!(bytes[..DIRECT_ALIGN].iter().all(|&b| b == 0));
        assert!(bytes[DIRECT_ALIGN..].iter().all(|&b| b == 7));
        assert_eq!(file.read_at(&mut bytes, 2 * DIRECT_ALIGN as u64).unwrap(), DIRECT_ALIGN);
        assert_eq!(RealFs.read(&path).unwrap().len(), 3 * DIRECT_ALIGN);
    }

    #[test]
    fn zeros_are_written_over_what_was_there() {
        const PAGE: usize = 4096;
        let scratch = Scratch::new();
        let path = scratch.0.join("a");
        let file = RealFs.open(&path, OpenMode::CreateNew).unwrap();
        file.write_all_at(&[7; 3 * PAGE], 0).unwrap();
        file.write_zeros_at(PAGE, PAGE as u64).unwrap();
        file.write_zeros_at(2 * PAGE, 3 * PAGE as u64).unwrap();
        RealFs.rename(&path, &scratch.0.join("b")).unwrap();
        file.write_zeros_at(PAGE, 5 * PAGE as u64).unwrap();
        file.sync_data().unwrap();
        let bytes = RealFs.read(&scratch.0.join("b")).unwrap();
        let parts = [(7, PAGE), (0, PAGE), (7, PAGE), (0, 3 * PAGE)];
        assert!(bytes.into_iter().eq(parts.into_iter().flat_map(|(b, n)| vec![b; n])));
    }

    #[test]
    fn errors_name_operation_and_path() {
        let scratch = Scratch::new();
        let path = scratch.0.join("missing");
        let error = RealFs.open(&path, OpenMode::Read).unwrap_err();
        assert!(error.is_not_found());
        assert_eq!((error.op(), error.path()), (OpKind::Open, path.as_path()));
        assert!(error.to_string().starts_with("cannot open "), "{error}");
        RealFs.write_new(&path, b"").unwrap();
        let error = RealFs.open(&path, OpenMode::CreateNew).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn listing_is_sorted_and_says_what_is_a_directory() {
        let scratch = Scratch::new();
        RealFs.write_new(&scratch.0.join("b"), b"12").unwrap();
        RealFs.create_dir_all(&scratch.0.join("a/deep")).unwrap();
        let entries = RealFs.list(&scratch.0).unwrap();
        let seen: Vec<_> = entries
            .iter()
            .map(|e| (e.name.to_str().unwrap(), e.metadata.len, e.metadata.is_dir))
            .collect();
        assert_eq!(seen, [("a", 0, true), ("b", 2, false)]);
        RealFs.rename(&scratch.0.join("b"), &scratch.0.join("c")).unwrap();
        assert!(!RealFs.exists(&scratch.0.join("b")).unwrap());
        RealFs.remove_file(&scratch.0.join("c")).unwrap();
        assert!(RealFs.free_space(&scratch.0).unwrap() > 0);
    }

    #[test]
    fn a_directory_has_one_holder() {
        let scratch = Scratch::new();
        let held = RealFs.lock_dir(&scratch.0).unwrap();
        assert!(RealFs.lock_dir(&scratch.0).unwrap_err().is_locked());
        drop(held);
        RealFs.lock_dir(&scratch.0).unwrap();
    }

    #[test]
    fn the_clock_stands_in_this_century_and_never_goes_back() {
        let clock = RealClock::new();
        let ticks = clock.utc_ticks();
        let year = ticks / TICKS_PER_SECOND / 86_400 / 365;
        assert!((2024..2200).contains(&year), "{year}");
        assert!(clock.local_offset_minutes(ticks).abs() <= 14 * 60);
        let before = clock.now_ns();
        clock.sleep_ns(1_000_000);
        assert!(clock.now_ns() >= before + 1_000_000);
    }

    #[test]
    fn random_bytes_differ_in_every_request() {
        let rng = RealRng::new();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..1000 {
            assert!(seen.insert(rng.next_u64()));
        }
        let mut large = vec![0; 5000];
        rng.fill(&mut large);
        assert!(large.iter().filter(|&&b| b == 0).count() < 200);
    }
}
