//! Data files: their header, the root slots, reading and writing pages.
//!
//! ```text
//! extent 0   header, and a copy of it three pages after it
//! extent 1   root slot A   (of the first file only; reserved in all)
//! extent 2   root slot B
//! extent 3…  pages
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use env::memory::AlignedBytes;
use env::{Env, File, FileError, OpenMode};

use super::counters::add;
use super::error::ColdError;
use super::page::PAGE_BYTES;
use super::place::Place;
use super::places::{EXTENT_PAGES, Growth};
use super::root::{FORMAT_VERSION, NotRoot, ROOT_BYTES_MAX, Root};

/// A file of a store, as the catalog knows it.
#[derive(Clone, Debug)]
pub struct FileSpec {
    /// Its number within the database, from 1, for life.
    pub id: u8,
    /// Where it is.
    pub path: PathBuf,
    /// How it grows.
    pub growth: Growth,
}

const MAGIC: u64 = u64::from_le_bytes(*b"TCPAGES\x01");
const COPY_OFFSET: u64 = 3 * PAGE_BYTES as u64;
const EXTENT_BYTES: u64 = EXTENT_PAGES as u64 * PAGE_BYTES as u64;

/// An open data file.
#[derive(Debug)]
pub struct DataFile {
    id: u8,
    path: Arc<Path>,
    file: Arc<dyn File>,
    env: Env,
    activity: Activity,
}

/// Counts of the operations on a file since it was opened.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct FileActivity {
    /// Calls that read.
    pub reads: u64,
    /// Bytes that they read.
    pub read_bytes: u64,
    /// Time spent in them, added up over the threads.
    pub read_ns: u64,
    /// Calls that wrote.
    pub writes: u64,
    /// Bytes that they wrote.
    pub written_bytes: u64,
    /// Time spent in them and in syncs.
    pub write_ns: u64,
}

impl FileActivity {
    /// The sums of both.
    #[must_use]
    pub fn and(self, other: &FileActivity) -> FileActivity {
        FileActivity {
            reads: self.reads + other.reads,
            read_bytes: self.read_bytes + other.read_bytes,
            read_ns: self.read_ns + other.read_ns,
            writes: self.writes + other.writes,
            written_bytes: self.written_bytes + other.written_bytes,
            write_ns: self.write_ns + other.write_ns,
        }
    }
}

/// The counts of [`FileActivity`] while a file is in use; any thread adds to them.
#[derive(Default, Debug)]
struct Activity {
    reads: AtomicU64,
    read_bytes: AtomicU64,
    read_ns: AtomicU64,
    writes: AtomicU64,
    written_bytes: AtomicU64,
    write_ns: AtomicU64,
}

impl DataFile {
    /// Creates a file of this many pages. The file and its name are durable when this returns.
    pub fn create(
        env: &Env,
        spec: &FileSpec,
        database: u128,
        pages: u32,
    ) -> Result<DataFile, ColdError> {
        assert!(spec.id != 0, "files are counted from 1");
        let file = env.fs().open_direct(&spec.path, OpenMode::CreateNew)?;
        let created = DataFile::of(env, spec, spec.path.as_path().into(), file);
        created.set_pages(pages)?;
        let header = created.header(database);
        created.file.write_all_at(&header, 0)?;
        created.file.write_all_at(&header, COPY_OFFSET)?;
        created.file.sync_all()?;
        if let Some(directory) = spec.path.parent() {
            env.fs().sync_dir(directory)?;
        }
        Ok(created)
    }

    /// Opens an existing file of this database.
    pub fn open(env: &Env, spec: &FileSpec, database: u128) -> Result<DataFile, ColdError> {
        let path: Arc<Path> = spec.path.as_path().into();
        let missing = |error: FileError| match error.is_not_found() {
            true => ColdError::Missing { path: path.clone() },
            false => error.into(),
        };
        let file = env.fs().open_direct(&spec.path, OpenMode::Write).map_err(missing)?;
        let opened = DataFile::of(env, spec, path, file);
        let expected = opened.header(database);
        match opened.check_header(&expected, 0) {
            Err(ColdError::Damaged { .. }) => opened.check_header(&expected, COPY_OFFSET)?,
            result => result?,
        }
        Ok(opened)
    }

    fn of(env: &Env, spec: &FileSpec, path: Arc<Path>, file: Arc<dyn File>) -> DataFile {
        let activity = Activity::default();
        DataFile { id: spec.id, path, file, env: env.clone(), activity }
    }

    fn header(&self, database: u128) -> AlignedBytes {
        let mut page = AlignedBytes::new(PAGE_BYTES);
        page[..8].copy_from_slice(&MAGIC.to_le_bytes());
        page[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        page[16..32].copy_from_slice(&database.to_le_bytes());
        page[32..36].copy_from_slice(&u32::from(self.id).to_le_bytes());
        let checksum = crc32c::crc32c(&page);
        page[12..16].copy_from_slice(&checksum.to_le_bytes());
        page
    }

    fn check_header(&self, expected: &[u8], offset: u64) -> Result<(), ColdError> {
        let mut page = AlignedBytes::new(PAGE_BYTES);
        let path = || self.path.clone();
        let damaged = Err(ColdError::Damaged { path: path(), what: "its header is not whole" });
        if self.file.read_at(&mut page, offset)? != PAGE_BYTES {
            return damaged;
        }
        if page[..] == *expected {
            return Ok(());
        }
        let checksum: [u8; 4] = page[12..16].try_into().expect("four bytes");
        page[12..16].fill(0);
        if page[..8] != MAGIC.to_le_bytes() || crc32c::crc32c(&page) != u32::from_le_bytes(checksum)
        {
            return damaged;
        }
        let version = u32::from_le_bytes(page[8..12].try_into().expect("four bytes"));
        match version {
            FORMAT_VERSION => Err(ColdError::Foreign { path: path() }),
            _ => Err(ColdError::UnknownVersion { path: path(), version }),
        }
    }

    /// Its number.
    pub fn id(&self) -> u8 {
        self.id
    }

    /// Where it is.
    pub fn path(&self) -> &Arc<Path> {
        &self.path
    }

    /// The file itself, for writing many pages one after the other.
    pub fn file(&self) -> &Arc<dyn File> {
        &self.file
    }

    /// How many whole pages the file has.
    pub fn pages(&self) -> Result<u32, ColdError> {
        Ok(u32::try_from(self.file.len()? / PAGE_BYTES as u64).unwrap_or(u32::MAX))
    }

    /// Extends or truncates the file to this many pages.
    pub fn set_pages(&self, pages: u32) -> Result<(), ColdError> {
        Ok(self.file.set_len(u64::from(pages) * PAGE_BYTES as u64)?)
    }

    /// Reads consecutive pages. A read that fails is tried once more.
    pub fn read(&self, from: u32, pages: &mut [u8]) -> Result<(), FileError> {
        let offset = Place { file: self.id, index: from }.offset();
        let read =
            |pages: &mut [u8]| self.reading(pages.len(), || self.file.read_exact_at(pages, offset));
        read(pages).or_else(|_| read(pages))
    }

    /// Writes consecutive pages.
    pub fn write(&self, from: u32, pages: &[u8]) -> Result<(), FileError> {
        let offset = Place { file: self.id, index: from }.offset();
        self.writing(1, pages.len(), || self.file.write_all_at(pages, offset))
    }

    /// Makes all that was written durable.
    pub fn sync(&self) -> Result<(), FileError> {
        self.writing(0, 0, || self.file.sync_data())
    }

    /// Reads a root slot (0 or 1).
    pub fn read_root(&self, slot: usize) -> Result<Result<Root, NotRoot>, ColdError> {
        let mut bytes = AlignedBytes::new(ROOT_BYTES_MAX);
        let read = |bytes: &mut [u8]| {
            self.reading(bytes.len(), || self.file.read_at(bytes, root_offset(slot)))
        };
        let length = read(&mut bytes)
            .or_else(|_| read(&mut bytes))
            .map_err(|error| ColdError::Read(Arc::new(error)))?;
        Ok(Root::decode(&bytes[..length]))
    }

    /// Writes a root into a slot (0 or 1).
    pub fn write_root(&self, slot: usize, root: &Root) -> Result<(), FileError> {
        let encoded = root.encode();
        let mut bytes = AlignedBytes::new(encoded.len().next_multiple_of(PAGE_BYTES));
        bytes[..encoded.len()].copy_from_slice(&encoded);
        self.writing(1, bytes.len(), || self.file.write_all_at(&bytes, root_offset(slot)))
    }

    /// Counts of the operations on the file since it was opened.
    pub fn activity(&self) -> FileActivity {
        let own = &self.activity;
        FileActivity {
            reads: own.reads.load(Relaxed),
            read_bytes: own.read_bytes.load(Relaxed),
            read_ns: own.read_ns.load(Relaxed),
            writes: own.writes.load(Relaxed),
            written_bytes: own.written_bytes.load(Relaxed),
            write_ns: own.write_ns.load(Relaxed),
        }
    }

    fn reading<T>(&self, bytes: usize, read: impl FnOnce() -> T) -> T {
        let own = &self.activity;
        self.timed((&own.reads, &own.read_bytes, &own.read_ns), (1, bytes), read)
    }

    fn writing<T>(&self, calls: usize, bytes: usize, write: impl FnOnce() -> T) -> T {
        let own = &self.activity;
        self.timed((&own.writes, &own.written_bytes, &own.write_ns), (calls, bytes), write)
    }

    /// Runs a call, and counts calls, bytes and time.
    fn timed<T>(
        &self,
        (calls, bytes, ns): (&AtomicU64, &AtomicU64, &AtomicU64),
        (more_calls, more_bytes): (usize, usize),
        call: impl FnOnce() -> T,
    ) -> T {
        let clock = self.env.clock();
        let started = clock.now_ns();
        let result = call();
        ns.fetch_add(clock.now_ns().saturating_sub(started), Relaxed);
        add(calls, more_calls);
        add(bytes, more_bytes);
        result
    }
}

/// Where a root slot begins.
pub fn root_offset(slot: usize) -> u64 {
    EXTENT_BYTES * (1 + slot as u64)
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
