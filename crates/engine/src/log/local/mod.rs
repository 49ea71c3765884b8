//! Local segment files: the log store on this machine's disk.
//!
//! # Life of a segment
//!
//! ```text
//! being made (n.new) → prepared (n.tlog) → active → full
//!   → given up (removed, or n.spare → made again)
//! ```
//!
//! A segment is made in the background: written full of zeros, headed, synced and only then given
//! its name, so that commits never wait for the file system to find space, and so that a sync of a
//! batch need not change the file's extents. The writer activates the next prepared segment when a
//! batch does not fit into the current one: the header gets the segment's first position, and is
//! synced together with the first batch. Sizes double from segment to segment up to a bound.
//!
//! # Invariants
//!
//! * F1: one batch is in flight at a time: a batch is written after the one before has been synced.
//!   So of the batches in a file only the last can be torn, and a bad batch that has a good one
//!   after it is damage.
//! * F2: segment numbers are contiguous. A segment is removed only when all before it are, durably,
//!   and the one after it is active, durably. So a log whose segments are all prepared has its
//!   first.
//! * F3: an active segment's header is durable when its first batch is, since one sync covers both.
//!   It says where the batch before the first one ended.
//! * F4: opening for writing rewrites and syncs the last batch and the active header: that they can
//!   be read does not mean that they ever reached the disk (a failed sync leaves them in the
//!   cache).
//! * F5: of each prepared segment fewer pages are granted than it has, which pays for the space
//!   lost when a batch does not fit at its end.
//!
//! # Failure
//!
//! No room for another segment is reported, and reservations are refused until making one works
//! again. A failed write or sync of a batch or header fences the batch writer.

use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use base::ids::Lsn;
use env::{Env, OpenMode};
use parking_lot::{Condvar, Mutex};

use super::batch::{BATCH_ALIGN, pages_for};
use super::error::LogError;
use super::facade::Log;
use super::record::RECORD_MAX;
use super::store::{
    Batch, BatchReader, BatchWriter, LogEnd, LogStore, Position, StoredSegment, WriterEvents,
};

pub mod import;
mod prepare;
pub mod remains;
mod scan;
mod segment;
mod writer;

use segment::{Segment, SegmentHeader, State};

/// How segment files are made.
#[derive(Clone, Copy, Debug)]
pub struct SegmentOptions {
    /// Bytes of the first segment of a log.
    pub first_bytes: u64,
    /// Bytes that segments grow to.
    pub max_bytes: u64,
    /// Segments prepared ahead.
    pub ahead: usize,
    /// The longest record, header included.
    pub record_max: usize,
    /// How long to wait before trying again to prepare a segment that could not be prepared.
    pub retry_ns: u64,
}

impl Default for SegmentOptions {
    fn default() -> SegmentOptions {
        SegmentOptions {
            first_bytes: 2 << 20,
            max_bytes: 64 << 20,
            ahead: 1,
            record_max: RECORD_MAX,
            retry_ns: 1_000_000_000,
        }
    }
}

impl SegmentOptions {
    /// Pages at the end of a segment into which a record may not fit (F5), and the header's page.
    fn overhead_pages(&self) -> i64 {
        pages_for(self.record_max) + 1
    }

    /// Pages that a segment of this size adds to the room.
    fn granted_pages(&self, size_bytes: u64) -> i64 {
        (size_bytes / BATCH_ALIGN as u64) as i64 - self.overhead_pages()
    }

    fn check(&self) {
        let aligned = |bytes: u64| bytes % BATCH_ALIGN as u64 == 0;
        assert!(aligned(self.first_bytes) && aligned(self.max_bytes), "segments are whole pages");
        assert!(self.first_bytes <= self.max_bytes && self.ahead > 0, "segments grow");
        let least = 2 * self.overhead_pages();
        assert!(self.granted_pages(self.first_bytes) >= least, "a segment holds several records");
    }
}

/// A log in a directory of segment files. Cheap to clone.
#[derive(Clone)]
pub struct LocalStore(Arc<Inner>);

struct Inner {
    env: Env,
    dir: PathBuf,
    database: u128,
    options: SegmentOptions,
    segments: Mutex<Segments>,
    /// Signalled when a segment was prepared, taken or wanted.
    changed: Condvar,
    /// The epoch of the batch writer that may write (S1).
    epoch: AtomicU64,
}

/// A file that was given up.
struct SpareFile {
    path: PathBuf,
    size: u64,
}

/// The files, in order: active ones, then prepared ones.
struct Segments {
    active: VecDeque<Segment>,
    prepared: VecDeque<Segment>,
    /// Files that were given up and can be made into segments again.
    spare: Vec<SpareFile>,
    /// `end` of the last batch that a batch writer has written and synced; 0 before there is one.
    written: Lsn,
    next_number: u64,
    next_size: u64,
    /// Why the last attempt to prepare a segment failed.
    failure: Option<LogError>,
    /// Another attempt is wanted now.
    wanted: bool,
}

impl LocalStore {
    /// A new log for this database in this directory, which is made if it does not exist; what it
    /// holds of an earlier log is removed. The caller syncs the directory above.
    pub fn create(
        env: &Env,
        dir: &Path,
        database: u128,
        options: SegmentOptions,
    ) -> Result<LocalStore, LogError> {
        options.check();
        env.fs().create_dir_all(dir)?;
        for entry in env.fs().list(dir)? {
            if segment::number_of(&entry.name).is_some() || segment::is_leftover(&entry.name) {
                env.fs().remove_file(&dir.join(entry.name))?;
            }
        }
        env.fs().sync_dir(dir)?;
        let store = LocalStore::with(env, dir, database, options, VecDeque::new(), VecDeque::new());
        store.0.prepare_one(&|| false)?;
        Ok(store)
    }

    /// Whether as many segments are prepared as shall be.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub(super) fn is_prepared(&self) -> bool {
        self.0.segments.lock().prepared.len() >= self.0.options.ahead
    }

    /// The log of this database in this directory.
    ///
    /// # Errors
    /// [`LogError::Damaged`], [`LogError::Missing`] and the like if the files are not a whole log.
    pub fn open(
        env: &Env,
        dir: &Path,
        database: u128,
        options: SegmentOptions,
    ) -> Result<LocalStore, LogError> {
        options.check();
        let mut numbers = Vec::new();
        for entry in env.fs().list(dir)? {
            if let Some(number) = segment::number_of(&entry.name) {
                numbers.push(number);
            } else if segment::is_leftover(&entry.name) {
                env.fs().remove_file(&dir.join(entry.name))?;
            }
        }
        numbers.sort_unstable();
        let (mut active, mut prepared) = (VecDeque::new(), VecDeque::new());
        let Some(&first) = numbers.first() else {
            return Err(missing(dir.join(segment::name(1))));
        };
        for (expected, number) in (first..).zip(numbers) {
            if number != expected {
                return Err(missing(dir.join(segment::name(expected)))); // F2
            }
            let (segment, state) = segment::open(env, dir, database, number)?;
            match state {
                State::Prepared => prepared.push_back(segment),
                State::Active if prepared.is_empty() => active.push_back(segment),
                State::Active => {
                    let what = "a segment in use follows one that is not";
                    return Err(LogError::Damaged { file: segment.path, offset: 0, what });
                }
            }
        }
        if active.is_empty() && first > 1 {
            // F2: a segment is given up only when one after it is active.
            return Err(missing(dir.join(segment::name(first - 1))));
        }
        if prepared.iter().any(|segment| segment.size < options.first_bytes) {
            // Made under other options; a record may not fit.
            while let Some(segment) = prepared.pop_back() {
                env.fs().remove_file(&segment.path)?;
                env.fs().sync_dir(dir)?; // F2
            }
        }
        Ok(LocalStore::with(env, dir, database, options, active, prepared))
    }

    fn with(
        env: &Env,
        dir: &Path,
        database: u128,
        options: SegmentOptions,
        active: VecDeque<Segment>,
        prepared: VecDeque<Segment>,
    ) -> LocalStore {
        let last = prepared.back().or(active.back());
        let next_size = last.map_or(options.first_bytes, |last| options.size_after(last.size));
        let segments = Segments {
            next_number: last.map_or(1, |last| last.number + 1),
            next_size,
            active,
            prepared,
            spare: Vec::new(),
            written: Lsn::ZERO,
            failure: None,
            wanted: false,
        };
        LocalStore(Arc::new(Inner {
            env: env.clone(),
            dir: dir.to_path_buf(),
            database,
            options,
            segments: Mutex::new(segments),
            changed: Condvar::new(),
            epoch: AtomicU64::new(0),
        }))
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }

    /// The active segments from the one that holds this position on.
    fn segments_from(&self, from: Lsn) -> Result<Vec<Segment>, LogError> {
        let segments = self.0.segments.lock();
        let behind = segments.active.partition_point(|segment| segment.first <= from);
        let first = segments.active.front();
        if behind == 0 && (first.is_some() || from > Log::START) {
            // A log without batches ends where every log begins.
            let number = first.map_or(1, |first| (first.number - 1).max(1));
            let path = self.0.dir.join(segment::name(number)).into();
            let found = first.map(|first| first.first);
            return Err(LogError::Missing { path, wanted: from, found });
        }
        Ok(segments.active.iter().skip(behind.saturating_sub(1)).cloned().collect())
    }

    /// Where the log begins: positions below have been given up. `None` before the first batch.
    pub fn first(&self) -> Option<Lsn> {
        self.0.segments.lock().active.front().map(|segment| segment.first)
    }
}

impl SegmentOptions {
    fn size_after(&self, size: u64) -> u64 {
        (size * 2).clamp(self.first_bytes, self.max_bytes)
    }
}

fn missing(path: PathBuf) -> LogError {
    LogError::Missing { path: path.into(), wanted: Lsn::ZERO, found: None }
}

impl LogStore for LocalStore {
    fn read_from(&self, from: Lsn) -> Result<Box<dyn BatchReader>, LogError> {
        let files = self.segments_from(from)?;
        Ok(Box::new(scan::LocalReader::new(self.0.clone(), files, from)))
    }

    fn follow(&self, from: Lsn) -> Result<Box<dyn BatchReader>, LogError> {
        let files = self.segments_from(from)?;
        Ok(Box::new(scan::LocalTail::new(scan::LocalReader::new(self.0.clone(), files, from))))
    }

    fn read_batch(&self, position: Position) -> Result<Arc<Batch>, LogError> {
        let segments = self.0.segments.lock();
        let segment =
            segments.active.iter().find(|segment| segment.number == position.segment).cloned();
        drop(segments);
        let name = || self.0.dir.join(segment::name(position.segment));
        let segment = segment.ok_or_else(|| missing(name()))?;
        scan::read_batch(&self.0, &segment, position.offset)
    }

    fn open_writer(
        &self,
        end: &LogEnd,
        events: Arc<dyn WriterEvents>,
    ) -> Result<Box<dyn BatchWriter>, LogError> {
        let epoch = end.epoch.max(self.0.epoch.load(SeqCst)) + 1;
        self.0.epoch.store(epoch, SeqCst);
        Ok(Box::new(writer::LocalWriter::open(self.0.clone(), end, epoch, events)?))
    }

    fn truncate_before(&self, lsn: Lsn) -> Result<(), LogError> {
        while let Some(segment) = self.0.give_up_first(lsn) {
            self.0.discard(segment)?;
        }
        Ok(())
    }

    fn size_bytes(&self) -> u64 {
        let segments = self.0.segments.lock();
        segments.active.iter().chain(&segments.prepared).map(|segment| segment.size).sum()
    }

    fn segments(&self) -> Vec<StoredSegment> {
        let segments = self.0.segments.lock();
        let stored = |segment: &Segment, first| StoredSegment {
            number: segment.number,
            size_bytes: segment.size,
            first,
        };
        let active = segments.active.iter().map(|segment| stored(segment, Some(segment.first)));
        active.chain(segments.prepared.iter().map(|segment| stored(segment, None))).collect()
    }
}

impl Inner {
    /// Takes the first segment off the list if all of it lies before this position. The one after
    /// it must be active on disk, too: its first batch is synced (F2, F3).
    fn give_up_first(&self, lsn: Lsn) -> Option<Segment> {
        let mut segments = self.segments.lock();
        let written = segments.written;
        match segments.active.get(1) {
            Some(second) if second.first <= lsn && second.first < written => {
                segments.active.pop_front()
            }
            _ => None,
        }
    }

    /// Removes a segment's file, or puts it aside to be made into another.
    fn discard(&self, segment: Segment) -> Result<(), LogError> {
        let fs = self.env.fs();
        let keep = segment.size == self.options.max_bytes
            && self.segments.lock().spare.len() < self.options.ahead;
        if !keep {
            fs.remove_file(&segment.path)?;
            return Ok(fs.sync_dir(&self.dir)?); // F2
        }
        let spare = segment.path.with_extension(segment::SPARE);
        fs.rename(&segment.path, &spare)?;
        fs.sync_dir(&self.dir)?; // F2
        self.segments.lock().spare.push(SpareFile { path: spare, size: segment.size });
        Ok(())
    }

    /// Makes the next segment and adds it to the prepared ones; its size. Gives up between two
    /// steps when `cancelled`, with `Ok(None)`.
    fn prepare_one(&self, cancelled: &dyn Fn() -> bool) -> Result<Option<u64>, LogError> {
        let mut segments = self.segments.lock();
        let header = SegmentHeader {
            state: State::Prepared,
            database: self.database,
            number: segments.next_number,
            size: segments.next_size,
            salt: self.env.rng().next_u64(),
            first: Lsn::ZERO,
            epoch: 0,
            written_ticks: self.env.clock().utc_ticks(),
        };
        let spare = match segments.spare.last() {
            Some(last) if last.size == header.size => segments.spare.pop(),
            _ => None,
        };
        drop(segments);
        let made = match spare {
            Some(spare) => Some(segment::remake(&self.env, &self.dir, &spare.path, &header)?),
            None => segment::make(&self.env, &self.dir, &header, cancelled)?,
        };
        let Some(segment) = made else { return Ok(None) };
        let mut segments = self.segments.lock();
        segments.next_number += 1;
        segments.next_size = self.options.size_after(segment.size);
        segments.prepared.push_back(segment);
        self.changed.notify_all();
        Ok(Some(header.size))
    }

    fn open_file(&self, segment: &Segment) -> Result<Arc<dyn env::File>, LogError> {
        Ok(self.env.fs().open(&segment.path, OpenMode::Write)?)
    }
}

impl fmt::Debug for LocalStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalStore({})", self.0.dir.display())
    }
}
