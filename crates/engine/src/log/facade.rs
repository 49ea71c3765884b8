//! The log as committers and waiters see it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;
use std::thread::JoinHandle;

use base::ids::Lsn;
use env::Env;
use parking_lot::Mutex;

use super::error::LogError;
use super::record::{
    BODY_MAX, RECORD_ALIGN, RECORD_HEADER, RECORD_MAX, RecordFlags, RecordHeader, RecordKind,
    RecordWriter, record_len,
};
use super::ring::{BodyWriter, Full, Ring, Stamps};
use super::store::{LogEnd, LogStore, StoredSegment};
use super::writer::{Shared, Writer};
use crate::critical::{self, Section};
use crate::wait::Task;

/// How a log runs.
#[derive(Clone, Copy, Debug)]
pub struct LogOptions {
    /// Bytes of the ring; a power of two of at least four records.
    pub ring_bytes: usize,
    /// The longest record, header included.
    pub record_max: usize,
    /// How long a commit without waiters may stay undurable.
    pub flush_within_ns: u64,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions { ring_bytes: 16 << 20, record_max: RECORD_MAX, flush_within_ns: 10_000_000 }
    }
}

/// What a ring takes at most beside rows: one in this many bytes of what rows may take.
const RING_PART: u64 = 16;

impl LogOptions {
    /// These options, with a ring that is small beside what rows may take.
    pub fn within(self, memory: u64) -> LogOptions {
        let most = usize::try_from(memory / RING_PART).unwrap_or(usize::MAX);
        let most = most.checked_ilog2().map_or(0, |log2| 1 << log2);
        let least = (4 * self.record_max).next_power_of_two();
        LogOptions { ring_bytes: self.ring_bytes.min(most.max(least)), ..self }
    }
}

/// What a log has done and where it stands.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct LogStats {
    /// The next position to be reserved.
    pub tail: Lsn,
    /// End of what is published without gaps.
    pub committed: Lsn,
    /// End of what is durable.
    pub durable: Lsn,
    /// Batches written, and so syncs.
    pub batches: u64,
    /// Records written.
    pub records: u64,
    /// Bytes written, padding included.
    pub bytes: u64,
    /// Time spent writing and syncing.
    pub flush_ns: u64,
    /// Waits for durability.
    pub waits: u64,
    /// Time spent in them, added up over the waiters.
    pub wait_ns: u64,
    /// Bytes of the ring.
    pub ring_bytes: u64,
    /// Bytes of the store: in use, and prepared.
    pub store_bytes: u64,
    /// Bytes that the store can surely take before it must prepare more.
    pub room_bytes: u64,
}

/// A database's log.
///
/// Dropping it flushes what is committed and ends the writer, but leaves no mark of a clean end;
/// see [`Log::shut_down`].
pub struct Log {
    kind: Kind,
    record_max: usize,
}

enum Kind {
    Kept(Kept),
    /// Positions only.
    Unlogged(Box<Stamps>),
}

struct Kept {
    shared: Arc<Shared>,
    store: Arc<dyn LogStore>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Where the numbers of a log that keeps nothing begin: after those that head words use as marks,
/// since a row may be deleted by its second commit
/// ([`Begin::SUNK`](crate::hot::status::Begin::SUNK)). In a log that is kept the first commits make
/// the catalog.
const UNLOGGED_START: Lsn = Lsn(3 * RECORD_ALIGN as u64);
/// Positions of an unlogged database that can be reserved and not published at once.
const UNLOGGED_SLOTS: usize = 1 << 16;
/// How often to check whether other committers have published before letting other statements have
/// their turn.
const SPINS: usize = 200;

impl Log {
    /// The position of the first record of a new log.
    pub const START: Lsn = Lsn(RECORD_ALIGN as u64);

    /// The end of a log that has no batch yet, for opening a new one.
    pub fn new_end() -> LogEnd {
        LogEnd {
            end: Log::START,
            next: Log::START,
            epoch: 0,
            position: Default::default(),
            last_batch: None,
            clean: true,
            torn: false,
        }
    }

    /// How many committers wait for room.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub(super) fn waiting_for_room(&self) -> usize {
        match &self.kind {
            Kind::Kept(kept) => kept.shared.room_waiters.waiting(),
            Kind::Unlogged(_) => 0,
        }
    }

    /// Opens a log for writing after its end, which reading it back has found
    /// ([`super::Replay::finish`]) or which is [`Log::new_end`]. When this returns, this writer's
    /// epoch is durable, and everything that was read back is. Records go on at [`LogEnd::next`].
    pub fn open(
        env: &Env,
        store: Arc<dyn LogStore>,
        end: &LogEnd,
        options: LogOptions,
    ) -> Result<Log, LogError> {
        let ring = Ring::new(options.ring_bytes, end.next);
        assert!(
            options.record_max <= RECORD_MAX && 4 * options.record_max <= options.ring_bytes,
            "the ring holds several records"
        );
        let shared = Arc::new(Shared::new(env.clone(), ring, options.flush_within_ns));
        let writer = store.open_writer(end, shared.clone())?;
        let (own, start) = (shared.clone(), end.next);
        let thread = std::thread::Builder::new()
            .name("log writer".into())
            .spawn(critical::thread("log writer", move || Writer::new(&own, writer, start).run()))
            .map_err(|error| LogError::Fenced(format!("no thread to write: {error}").into()))?;
        let thread = Mutex::new(Some(thread));
        let kind = Kind::Kept(Kept { shared, store, thread });
        Ok(Log { kind, record_max: options.record_max })
    }

    /// A log that keeps nothing: every position takes 16 bytes of numbers, `durable` is
    /// `committed`, and bodies have no place. For tempdb.
    pub fn unlogged() -> Log {
        Log::standing(UNLOGGED_START)
    }

    /// A log of which nothing is known after this position, up to which it is another's to keep:
    /// what is done here takes positions after it, and leaves nothing.
    pub(crate) fn standing(at: Lsn) -> Log {
        let stamps = Stamps::new(UNLOGGED_SLOTS, at);
        Log { kind: Kind::Unlogged(Box::new(stamps)), record_max: RECORD_HEADER }
    }

    /// Whether what is committed here is kept.
    pub fn is_logged(&self) -> bool {
        matches!(self.kind, Kind::Kept(_))
    }

    /// The greatest body that a record may have here.
    pub fn body_max(&self) -> usize {
        (self.record_max - RECORD_HEADER).min(BODY_MAX)
    }

    // ---- horizons ----

    /// End of the contiguous published prefix: every transaction with a stamp below it has
    /// published its fate, and what it did before is visible.
    #[inline]
    pub fn committed(&self) -> Lsn {
        match &self.kind {
            Kind::Kept(kept) => kept.shared.ring.committed(),
            Kind::Unlogged(stamps) => stamps.committed(),
        }
    }

    /// Everything below this position survives a crash; filler may not, see [`LogEnd::resume_at`].
    #[inline]
    pub fn durable(&self) -> Lsn {
        match &self.kind {
            Kind::Kept(kept) => kept.shared.durable(),
            Kind::Unlogged(stamps) => stamps.committed(),
        }
    }

    /// The next position to be reserved.
    pub fn tail(&self) -> Lsn {
        match &self.kind {
            Kind::Kept(kept) => kept.shared.ring.tail(),
            Kind::Unlogged(stamps) => stamps.tail(),
        }
    }

    /// Waits until everything *below* `horizon` is durable: for the end of a record
    /// ([`Reservation::end`]), or a snapshot's position. Not interruptible; fails if the log is
    /// fenced before that.
    pub fn wait_durable(&self, task: &Task, horizon: Lsn) -> Result<(), LogError> {
        debug_assert!(horizon <= self.tail(), "a position that is waited for has been reserved");
        match &self.kind {
            Kind::Kept(kept) if kept.shared.durable() < horizon => kept.wait_durable(task, horizon),
            Kind::Kept(_) => Ok(()),
            Kind::Unlogged(_) => {
                self.wait_committed(task, horizon);
                Ok(())
            }
        }
    }

    /// Waits until the record *at* `stamp` is durable.
    pub fn wait_durable_at(&self, task: &Task, stamp: Lsn) -> Result<(), LogError> {
        // Records are at least this long and become durable as a whole (L3).
        self.wait_durable(task, Lsn(stamp.0 + RECORD_ALIGN as u64))
    }

    /// Waits until everything below `horizon`, which has been reserved, is committed or aborted.
    /// That is a matter of instructions, so that this spins and gives way rather than sleeps.
    pub fn wait_committed(&self, task: &Task, horizon: Lsn) {
        let mut spins = 0;
        while self.committed() < horizon {
            spins += 1;
            match spins % SPINS {
                0 => task.yield_now(),
                _ => std::hint::spin_loop(),
            }
        }
    }

    /// Makes durable what is committed now.
    pub fn flush(&self, task: &Task) -> Result<(), LogError> {
        self.wait_durable(task, self.committed())
    }

    // ---- committing ----

    /// Why commits have ended, if they have.
    pub fn last_error(&self) -> Option<LogError> {
        match &self.kind {
            Kind::Kept(kept) => kept.shared.failure().cloned(),
            Kind::Unlogged(_) => None,
        }
    }

    /// Waits until a record of this length ([`record_len`]) would find room. Another committer may
    /// take it first, so that [`Log::reserve`] can refuse all the same; then ask again. Not
    /// interruptible: the writer makes room, or the answer is an error.
    ///
    /// # Errors
    /// [`LogError::Full`] (9002) if the store has no room and can prepare none;
    /// [`LogError::TooLong`]; [`LogError::Fenced`].
    pub fn admit(&self, task: &Task, len: usize) -> Result<(), LogError> {
        if len > self.record_max {
            return Err(LogError::TooLong { len, max: self.record_max });
        }
        match &self.kind {
            Kind::Kept(kept) => kept.admit(task, len),
            Kind::Unlogged(stamps) => {
                while stamps.has_room().is_err() {
                    task.yield_now();
                }
                Ok(())
            }
        }
    }

    /// Takes log space of this length, a multiple of 16 ([`record_len`]). The position is the
    /// transaction's stamp. What was done before is visible to committers that reserve later.
    ///
    /// # Errors
    /// [`NoSpace::Full`] if there is no room right now: ask [`Log::admit`] again.
    #[inline]
    pub fn reserve(&self, len: usize) -> Result<Reservation<'_>, NoSpace> {
        debug_assert!(len % RECORD_ALIGN == 0 && len <= self.record_max);
        let lsn = match &self.kind {
            Kind::Kept(kept) => match kept.shared.failure() {
                Some(failure) => return Err(NoSpace::Ended(failure.clone())),
                None => kept.shared.ring.reserve(len),
            },
            Kind::Unlogged(stamps) => stamps.reserve(),
        };
        let lsn = lsn.map_err(|_| NoSpace::Full)?;
        Ok(Reservation { log: self, lsn, len: len as u32, body: BodyWriter::new(lsn) })
    }

    /// Admits and reserves until both succeed.
    pub fn reserve_waiting(&self, task: &Task, len: usize) -> Result<Reservation<'_>, LogError> {
        loop {
            self.admit(task, len)?;
            match self.reserve(len) {
                Ok(reservation) => return Ok(reservation),
                Err(NoSpace::Full) => {}
                Err(NoSpace::Ended(failure)) => return Err(failure),
            }
        }
    }

    /// Appends a piece of a transaction that has not ended yet. `stream` is what the first piece
    /// of it gave.
    ///
    /// # Panics
    /// If the body is longer than [`Log::body_max`].
    pub fn append_chunk(
        &self,
        task: &Task,
        stream: Option<Lsn>,
        body: &[u8],
    ) -> Result<Lsn, LogError> {
        assert!(body.len() <= self.body_max(), "chunks are cut to size");
        let mut space = self.reserve_waiting(task, record_len(body.len()))?;
        let stream = stream.unwrap_or(space.stamp());
        space.put(body);
        space.publish(RecordKind::Chunk, RecordFlags::CHUNKED, stream);
        Ok(stream)
    }

    /// Says that a stream of chunks, or a prepared transaction (with [`RecordFlags::PREPARED`]),
    /// was rolled back. Replay would drop an unfinished stream at the end anyway, but must hold it
    /// until then.
    pub fn append_abort(
        &self,
        task: &Task,
        flags: RecordFlags,
        related: Lsn,
    ) -> Result<Lsn, LogError> {
        let space = self.reserve_waiting(task, RECORD_HEADER)?;
        Ok(space.publish(RecordKind::Abort, flags, related))
    }

    // ---- running ----

    /// Gives up what lies before this position, as far as that is easily done. The caller knows
    /// that nothing there is needed: no commit, and no chunk or prepare record of a transaction
    /// that ends after it.
    pub fn truncate_before(&self, lsn: Lsn) -> Result<(), LogError> {
        match &self.kind {
            Kind::Kept(kept) => kept.store.truncate_before(lsn),
            Kind::Unlogged(_) => Ok(()),
        }
    }

    /// The pieces of its store, in its order; none where nothing is kept.
    pub fn segments(&self) -> Vec<StoredSegment> {
        match &self.kind {
            Kind::Kept(kept) => kept.store.segments(),
            Kind::Unlogged(_) => Vec::new(),
        }
    }

    /// Memory that it takes.
    pub fn ring_bytes(&self) -> u64 {
        match &self.kind {
            Kind::Kept(kept) => kept.shared.ring.capacity() as u64,
            Kind::Unlogged(_) => 0,
        }
    }

    /// Figures for system views.
    pub fn stats(&self) -> LogStats {
        match &self.kind {
            Kind::Kept(kept) => kept.stats(),
            Kind::Unlogged(stamps) => LogStats {
                tail: stamps.tail(),
                committed: stamps.committed(),
                durable: stamps.committed(),
                ..LogStats::default()
            },
        }
    }

    /// Flushes everything, marks the end as clean and ends the writer. Blocks the calling thread.
    /// Nothing may be reserved and unpublished. What is asked of the log afterwards fails with
    /// [`LogError::Closed`].
    ///
    /// # Errors
    /// What fenced the log, if something did before everything was flushed.
    pub fn shut_down(&self) -> Result<(), LogError> {
        match &self.kind {
            Kind::Kept(kept) => kept.end(true),
            Kind::Unlogged(_) => Ok(()),
        }
    }
}

impl Kept {
    #[cold]
    fn wait_durable(&self, task: &Task, horizon: Lsn) -> Result<(), LogError> {
        let shared = &*self.shared;
        shared.want(horizon);
        let before_ns = task.now_ns();
        let mut place = None;
        let result = task.wait(|cx| {
            drop(place.take());
            place = Some(shared.durable_waiters.register(horizon, cx.waker()));
            if shared.durable() >= horizon {
                return Poll::Ready(Ok(()));
            }
            match shared.failure() {
                Some(failure) => Poll::Ready(Err(failure.clone())),
                None => Poll::Pending,
            }
        });
        let counters = &shared.counters;
        counters.waits.fetch_add(1, Relaxed);
        counters.wait_ns.fetch_add(task.now_ns() - before_ns, Relaxed);
        result
    }

    fn admit(&self, task: &Task, len: usize) -> Result<(), LogError> {
        if let Some(failure) = self.shared.failure() {
            return Err(failure.clone());
        }
        match self.shared.ring.has_room(len) {
            Ok(()) => Ok(()),
            Err(_) => self.wait_for_room(task, len),
        }
    }

    #[cold]
    fn wait_for_room(&self, task: &Task, len: usize) -> Result<(), LogError> {
        let shared = &*self.shared;
        shared.room_waiters.wait(task, || {
            if let Some(failure) = shared.failure() {
                return Some(Err(failure.clone()));
            }
            match shared.ring.has_room(len) {
                Ok(()) => return Some(Ok(())),
                // The writer may be taking its time over commits without waiters.
                Err(Full::Ring) => shared.want(shared.ring.tail()),
                Err(Full::Store) => {
                    if let Some(no_room) = shared.no_room() {
                        shared.want_room();
                        return Some(Err(no_room));
                    }
                    shared.want(shared.ring.tail());
                }
            }
            None
        })
    }

    fn stats(&self) -> LogStats {
        let ring = &self.shared.ring;
        let counters = &self.shared.counters;
        let durable = self.shared.durable(); // first: the horizons only grow
        let committed = ring.committed();
        LogStats {
            tail: ring.tail(),
            committed,
            durable,
            batches: counters.batches.load(Relaxed),
            records: counters.records.load(Relaxed),
            bytes: counters.bytes.load(Relaxed),
            flush_ns: counters.flush_ns.load(Relaxed),
            waits: counters.waits.load(Relaxed),
            wait_ns: counters.wait_ns.load(Relaxed),
            ring_bytes: ring.capacity() as u64,
            store_bytes: self.store.size_bytes(),
            room_bytes: ring.pages().max(0) as u64 * super::batch::BATCH_ALIGN as u64,
        }
    }

    fn end(&self, clean: bool) -> Result<(), LogError> {
        let Some(thread) = self.thread.lock().take() else { return Ok(()) };
        self.shared.close(clean);
        let joined = thread.join();
        match self.shared.failure() {
            None | Some(LogError::Closed) if joined.is_ok() => Ok(()),
            Some(failure) if joined.is_ok() => Err(failure.clone()),
            _ => Err(LogError::Fenced("the log writer has panicked".into())),
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // A caller that must know whether that succeeded shuts down first.
        let _ = self.end(false);
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (durable, committed, tail) = (self.durable(), self.committed(), self.tail());
        write!(f, "Log(durable {durable}, committed {committed}, tail {tail})")
    }
}

/// Why [`Log::reserve`] gave no space.
#[derive(Clone, Debug)]
pub enum NoSpace {
    /// Not now; [`Log::admit`] waits for it.
    Full,
    /// Not any more.
    Ended(LogError),
}

/// Reserved log space: write the body, then publish. The log's `committed` waits for that, so that
/// nothing in between may wait. Dropped unpublished, it becomes filler.
#[must_use = "dropping it publishes filler"]
pub struct Reservation<'l> {
    log: &'l Log,
    lsn: Lsn,
    len: u32,
    body: BodyWriter,
}

impl Reservation<'_> {
    /// The record's position: the commit stamp.
    #[inline]
    pub fn stamp(&self) -> Lsn {
        self.lsn
    }

    /// The position after the record: what [`Log::wait_durable`] is to wait for.
    #[inline]
    pub fn end(&self) -> Lsn {
        Lsn(self.lsn.0 + u64::from(self.len))
    }

    /// Publishes the record with the body written so far, which is at most 15 bytes shorter than
    /// what was reserved for it. Returns [`Reservation::end`].
    ///
    /// # Panics
    /// If the body is shorter.
    #[inline]
    pub fn publish(self, kind: RecordKind, flags: RecordFlags, related: Lsn) -> Lsn {
        let end = self.end();
        let padding = end.0 - self.body.position().max(self.lsn.0 + RECORD_HEADER as u64);
        assert!(padding < RECORD_ALIGN as u64, "the body fills what was reserved");
        self.finish(kind, flags, padding as u8, related);
        end
    }

    /// Publishes the space as filler. Returns [`Reservation::end`].
    #[inline]
    pub fn publish_filler(self) -> Lsn {
        let end = self.end();
        self.finish(RecordKind::Filler, RecordFlags::NONE, 0, Lsn::ZERO);
        end
    }

    fn finish(mut self, kind: RecordKind, flags: RecordFlags, padding: u8, related: Lsn) {
        self.hand_over(kind, flags, padding, related);
        std::mem::forget(self); // what Drop would do is done
    }

    fn hand_over(&mut self, kind: RecordKind, flags: RecordFlags, padding: u8, related: Lsn) {
        match &self.log.kind {
            Kind::Kept(kept) => {
                let ring = &kept.shared.ring;
                self.body.finish(ring);
                let header = RecordHeader { len: self.len, kind, flags, padding, related };
                let committed = ring.publish(self.lsn, &header);
                kept.shared.published(committed);
            }
            Kind::Unlogged(stamps) => {
                stamps.publish(self.lsn);
            }
        }
    }
}

impl RecordWriter for Reservation<'_> {
    /// Appends to the body.
    ///
    /// # Panics
    /// If that is more than was reserved.
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        assert!(self.body.position() + bytes.len() as u64 <= self.end().0, "the body fits");
        match &self.log.kind {
            Kind::Kept(kept) => self.body.put(&kept.shared.ring, bytes),
            Kind::Unlogged(_) => {}
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Other threads may have seen a part of it already.
            critical::end_process(&Section::Commit);
        }
        self.hand_over(RecordKind::Filler, RecordFlags::NONE, 0, Lsn::ZERO);
    }
}

impl fmt::Debug for Reservation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reservation({}+{})", self.lsn, self.len)
    }
}
