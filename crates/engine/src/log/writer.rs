//! The log writer: one thread per log that takes what is committed and makes it durable.
//!
//! # When it flushes
//!
//! At once if a task waits for a position that is not durable yet; then one batch carries all
//! transactions that have committed by that time, and the next carries those that commit while it
//! is being written (group commit; no commit waits until there are more, and nothing is synced
//! needlessly). Otherwise within a bound after it first saw something to flush, or when a good part
//! of the ring is taken.
//!
//! # Sleeping
//!
//! The writer announces in `state` how deep it sleeps and looks once more. Threads that publish or
//! wait do so first and look at `state` afterwards; the fences between the two make one of them see
//! the other. Waking costs a load while the writer is awake.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, fence};
use std::thread::Thread;
use std::time::Duration;

use base::ids::Lsn;
use env::Env;

use super::batch::{BATCH_ALIGN, BATCH_HEADER, CLEAN_END, pages_for};
use super::error::LogError;
use super::record::{RecordFlags, RecordHeader, RecordKind};
use super::ring::Ring;
use super::store::{BatchWriter, NewBatch, Outcome, WriterEvents};
use crate::wait::{LsnWaiters, WaitList};

/// How deep the writer sleeps.
const AWAKE: u8 = 0;
/// Something is to be flushed, and no task waits for it.
const DOZING: u8 = 1;
/// There is nothing to flush.
const ASLEEP: u8 = 2;

/// What committers, waiters, the log writer and the batch writer share.
pub(super) struct Shared {
    pub env: Env,
    pub ring: Ring,
    /// Everything below is durable. Moved by the batch writer's outcomes.
    durable: AtomicU64,
    /// The highest position that is waited for. Raised by waiters.
    demand: AtomicU64,
    state: AtomicU8,
    thread: OnceLock<Thread>,
    pub durable_waiters: LsnWaiters,
    /// Committers that wait for space in the ring or the store.
    pub room_waiters: WaitList,
    /// Why no more commits are taken; set once.
    failure: OnceLock<LogError>,
    /// Why no room could be prepared last time, if so.
    no_room: parking_lot::Mutex<Option<LogError>>,
    has_no_room: AtomicBool,
    /// A committer was refused for want of room: the store shall try again.
    poked: AtomicBool,
    closing: AtomicBool,
    /// Whether to mark the end as clean when closing.
    closing_clean: AtomicBool,
    flush_within_ns: u64,
    pub counters: Counters,
}

/// What the log counts. Written by the writer unless stated otherwise; read by any thread.
#[derive(Default)]
pub(super) struct Counters {
    pub batches: AtomicU64,
    pub records: AtomicU64,
    pub bytes: AtomicU64,
    pub flush_ns: AtomicU64,
    /// Added to by waiters.
    pub waits: AtomicU64,
    pub wait_ns: AtomicU64,
}

impl Shared {
    pub fn new(env: Env, ring: Ring, flush_within_ns: u64) -> Shared {
        let start = ring.committed();
        Shared {
            env,
            ring,
            durable: AtomicU64::new(start.0),
            demand: AtomicU64::new(0),
            state: AtomicU8::new(AWAKE),
            thread: OnceLock::new(),
            durable_waiters: LsnWaiters::new(),
            room_waiters: WaitList::new(),
            failure: OnceLock::new(),
            no_room: parking_lot::Mutex::new(None),
            has_no_room: AtomicBool::new(false),
            poked: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            closing_clean: AtomicBool::new(false),
            flush_within_ns,
            counters: Counters::default(),
        }
    }

    /// Everything below this position is durable.
    #[inline]
    pub fn durable(&self) -> Lsn {
        Lsn(self.durable.load(Acquire)) // pairs with the store in outcome
    }

    /// Why no more commits are taken.
    pub fn failure(&self) -> Option<&LogError> {
        self.failure.get()
    }

    /// Why there is no room in the store, if none can be prepared.
    pub fn no_room(&self) -> Option<LogError> {
        match self.has_no_room.load(Acquire) {
            true => self.no_room.lock().clone(),
            false => None,
        }
    }

    /// Wakes the writer if it sleeps because there is nothing to flush.
    #[inline]
    pub fn published(&self, committed: Lsn) {
        // The ring's publish has a fence after the header word; it pairs with the one in sleep,
        // after which the writer looks at header words.
        let state = self.state.load(Relaxed);
        let is_much = || {
            let unflushed = committed.0.saturating_sub(self.durable.load(Relaxed));
            unflushed > self.ring.capacity() as u64 / 4
        };
        if state == ASLEEP || state == DOZING && is_much() {
            self.wake();
        }
    }

    /// Asks for everything below this position to be made durable soon.
    pub fn want(&self, lsn: Lsn) {
        self.demand.fetch_max(lsn.0, Relaxed);
        self.nudge();
    }

    /// Asks the store to try again to make room.
    pub fn want_room(&self) {
        self.poked.store(true, Relaxed);
        self.nudge();
    }

    /// Wakes the writer, however deep it sleeps, to see what was stored before.
    fn nudge(&self) {
        fence(SeqCst); // pairs with the fence in sleep
        if self.state.load(Relaxed) != AWAKE {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        if self.state.swap(AWAKE, SeqCst) != AWAKE {
            if let Some(thread) = self.thread.get() {
                thread.unpark();
            }
        }
    }

    /// Asks the writer to flush everything and end; with a mark of a clean end if wanted.
    pub fn close(&self, clean: bool) {
        self.closing_clean.store(clean, Relaxed);
        self.closing.store(true, Release);
        self.nudge();
    }

    fn fail(&self, failure: LogError) {
        // The first failure is the one to report.
        let _ = self.failure.set(failure);
        self.durable_waiters.wake_up_to(Lsn::MAX);
        self.room_waiters.wake_all();
    }
}

impl WriterEvents for Shared {
    fn outcome(&self, outcome: Outcome) {
        match outcome {
            Outcome::Durable(lsn) => {
                self.durable.fetch_max(lsn.0, Release); // pairs with durable()
                self.durable_waiters.wake_up_to(lsn);
            }
            Outcome::Fenced(error) | Outcome::Unknown(error) => {
                self.fail(match error {
                    LogError::Fenced(_) => error,
                    other => LogError::Fenced(other.to_string().into()),
                });
            }
        }
    }

    fn room(&self, pages: i64) {
        self.ring.grant_pages(pages);
        self.room_waiters.wake_all();
    }

    fn preparation(&self, failure: Option<LogError>) {
        let mut no_room = self.no_room.lock();
        self.has_no_room.store(failure.is_some(), Release);
        *no_room = failure;
        drop(no_room);
        self.room_waiters.wake_all(); // they fail now
    }
}

/// The writer's own state.
pub(super) struct Writer<'a> {
    shared: &'a Shared,
    batches: Box<dyn BatchWriter>,
    /// Everything below has been copied out of the ring.
    taken: Lsn,
    /// When the writer first saw records to flush, while no task waited for them.
    dirty_since_ns: Option<u64>,
    /// It has been so for as long as it may be.
    is_overdue: bool,
    /// The buffer of the last batch, to be used again.
    buffer: Vec<u8>,
}

/// What a gathered run of records comes to.
struct Gathered {
    batch: NewBatch,
    /// Pages that its records had reserved.
    pages_reserved: i64,
}

impl<'a> Writer<'a> {
    /// A writer of what is published from `start` on.
    pub fn new(shared: &'a Shared, batches: Box<dyn BatchWriter>, start: Lsn) -> Writer<'a> {
        Writer {
            shared,
            batches,
            taken: start,
            dirty_since_ns: None,
            is_overdue: false,
            buffer: Vec::new(),
        }
    }

    /// Runs until the log is closed or fenced.
    pub fn run(mut self) {
        // Set once, by this thread.
        let _ = self.shared.thread.set(std::thread::current());
        while self.shared.failure().is_none() {
            if self.shared.poked.swap(false, Relaxed) {
                self.batches.poke();
            }
            let closing = self.shared.closing.load(Acquire);
            let committed = self.shared.ring.committed();
            if committed > self.taken && (closing || self.is_due(committed)) {
                self.flush(committed);
            } else if closing {
                return self.end();
            } else {
                self.sleep();
            }
        }
    }

    /// Whether what is committed shall be flushed now.
    fn is_due(&mut self, committed: Lsn) -> bool {
        let shared = self.shared;
        let wanted = shared.demand.load(Relaxed) > self.taken.0;
        let much = committed.0 - self.taken.0 > shared.ring.capacity() as u64 / 4;
        if wanted || much || self.is_overdue {
            return true;
        }
        let now_ns = shared.env.clock().now_ns();
        let since_ns = *self.dirty_since_ns.get_or_insert(now_ns);
        now_ns - since_ns >= shared.flush_within_ns
    }

    /// Makes everything up to here durable, in as many batches as it takes.
    fn flush(&mut self, committed: Lsn) {
        self.dirty_since_ns = None;
        self.is_overdue = false;
        let before = self.taken;
        let mut gathered = self.gather(committed);
        if gathered.batch.is_empty() && self.shared.durable() >= before {
            self.skip(gathered);
            return;
        }
        let payload = gathered.batch.bytes.len() - BATCH_HEADER;
        let pages = pages_for(payload);
        let counters = &self.shared.counters;
        // Before the batch, so that a task that it wakes finds it counted.
        counters.batches.fetch_add(1, Relaxed);
        counters.records.fetch_add(u64::from(gathered.batch.records), Relaxed);
        counters.bytes.fetch_add(pages as u64 * BATCH_ALIGN as u64, Relaxed);
        let before_ns = self.shared.env.clock().now_ns();
        self.batches.submit(&mut gathered.batch);
        let elapsed_ns = self.shared.env.clock().now_ns() - before_ns;
        counters.flush_ns.fetch_add(elapsed_ns, Relaxed);
        self.shared.room(gathered.pages_reserved - pages);
        self.buffer = gathered.batch.bytes;
    }

    /// There was nothing but filler, which need not be written, and all before it is durable: so it
    /// counts as durable as it is.
    fn skip(&mut self, gathered: Gathered) {
        self.shared.room(gathered.pages_reserved);
        self.shared.outcome(Outcome::Durable(gathered.batch.end));
        self.buffer = gathered.batch.bytes;
    }

    /// Copies records up to here, or as many as one batch may carry, and gives their space back.
    fn gather(&mut self, committed: Lsn) -> Gathered {
        let ring = &self.shared.ring;
        let limit = self.batches.batch_limit();
        let buffer = std::mem::take(&mut self.buffer);
        let mut batch = NewBatch::new(self.taken, 0, buffer);
        let mut pages_reserved = 0;
        let mut run = Run { start: self.taken, end: self.taken, filler: 0 };
        while run.end < committed {
            let header = ring.header(run.end);
            let len = header.len as usize;
            let is_filler = header.kind == RecordKind::Filler;
            let stored = if is_filler { 0 } else { len };
            // A run of filler before it takes a header.
            let pending = (run.end.0 - run.start.0) as usize - run.filler;
            if batch.bytes.len() + pending + 2 * super::record::RECORD_HEADER + stored > limit {
                break;
            }
            if is_filler != (run.filler > 0) {
                run.store(ring, &mut batch);
            }
            run.filler += if is_filler { len } else { 0 };
            batch.records += u32::from(!is_filler);
            run.end = Lsn(run.end.0 + u64::from(header.len));
            pages_reserved += pages_for(len);
        }
        let end = run.end;
        run.store(ring, &mut batch);
        batch.end = end;
        debug_assert!(end > self.taken, "every record fits into a batch");
        ring.release(self.taken, end);
        self.taken = end;
        self.shared.room_waiters.wake_all();
        Gathered { batch, pages_reserved }
    }

    /// Sleeps until there may be something to do.
    fn sleep(&mut self) {
        let shared = self.shared;
        let state = if self.dirty_since_ns.is_some() { DOZING } else { ASLEEP };
        shared.state.store(state, Relaxed);
        fence(SeqCst); // pairs with those in nudge and in the ring's publish
        let committed = shared.ring.advance();
        let busy = shared.closing.load(Acquire)
            || shared.poked.load(Relaxed)
            || shared.failure().is_some()
            || committed > self.taken
                && (state == ASLEEP || shared.demand.load(Relaxed) > self.taken.0);
        if !busy {
            match self.dirty_since_ns {
                None => std::thread::park(),
                Some(since_ns) => {
                    let passed_ns = shared.env.clock().now_ns() - since_ns;
                    let left_ns = shared.flush_within_ns.saturating_sub(passed_ns);
                    std::thread::park_timeout(Duration::from_nanos(left_ns));
                    // If no thread has woken this one, the time has passed, whatever a simulated
                    // clock may say.
                    self.is_overdue = shared.state.load(Relaxed) == DOZING;
                }
            }
        }
        shared.state.store(AWAKE, Relaxed);
    }

    /// Ends, with a mark if it was asked for and nothing is left half done.
    fn end(mut self) {
        let all_taken = self.taken == self.shared.ring.tail();
        if self.shared.closing_clean.load(Relaxed) && all_taken {
            let buffer = std::mem::take(&mut self.buffer);
            self.batches.submit(&mut NewBatch::new(self.taken, CLEAN_END, buffer));
        }
        self.shared.fail(LogError::Closed);
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Where panics do not end the process, no task shall wait for this thread.
            self.shared.fail(LogError::Fenced("the log writer has panicked".into()));
        }
    }
}

/// A run of records that are either all filler or all none.
struct Run {
    start: Lsn,
    end: Lsn,
    /// Bytes of filler in it.
    filler: usize,
}

impl Run {
    /// Stores the run in the batch and starts the next one after it.
    fn store(&mut self, ring: &Ring, batch: &mut NewBatch) {
        let len = (self.end.0 - self.start.0) as usize;
        if self.filler > 0 {
            // Less than the ring, which is less than 4 GB.
            let header = RecordHeader {
                len: len as u32,
                kind: RecordKind::Filler,
                flags: RecordFlags::ELIDED,
                padding: 0,
                related: Lsn::ZERO,
            };
            let [first, second] = header.encode();
            batch.bytes.extend_from_slice(&first.to_le_bytes());
            batch.bytes.extend_from_slice(&second.to_le_bytes());
        } else if len > 0 {
            ring.copy_out(self.start, len, &mut batch.bytes);
        }
        *self = Run { start: self.end, end: self.end, filler: 0 };
    }
}
