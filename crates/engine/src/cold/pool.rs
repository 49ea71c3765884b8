//! The buffer pool: one per server, for the pages of all its databases.
//!
//! Frames are handed out up to a limit that can be changed at any time. A **sweeper** keeps some of
//! them free: it lets clean pages go and writes dirty ones to new places first. A pool without
//! threads of its own sweeps and reads on the thread that needs the page; simulations run like
//! that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_epoch::Collector;
use env::memory::AlignedBytes;
use env::{Env, FileError, OpKind};

use super::counters::{Counters, PoolStats, add};
use super::error::ColdError;
use super::evict::{Entry, Queues};
use super::extension::{Extension, ExtensionOptions, ExtensionStats};
use super::frame::{FrameState, Frames};
use super::io::{RUN_PAGES, Reader};
use super::page::{Body, PAGE_BYTES};
use super::place::FrameNumber;
use super::store::Core;
use super::sweep;
use super::unreadable::Unreadable;
use crate::critical;
use crate::sync::parking::{Condvar, Mutex, RwLock};
use crate::wait::{Runtime, Task, WaitError, WaitList};

/// How a pool is made.
#[derive(Clone, Copy, Debug)]
pub struct PoolOptions {
    /// Address space: what the limit can be raised to.
    pub reserve_bytes: u64,
    /// The limit to begin with.
    pub limit_bytes: u64,
    /// Threads that read, besides the sweeper; 0 for a pool without any threads.
    pub io_threads: usize,
}

/// The fewest frames that a pool works with.
pub const FRAMES_MIN: u32 = 16;

/// Frames that are given back under the lock at once.
const GIVEN_AT_ONCE: usize = 128;

/// How long a task waits for a frame before it takes one beyond the limit.
const PATIENCE_NS: u64 = 200_000_000;

/// The server's buffer pool. Dropping it ends its threads; stores should be gone by then.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What all users of the pool share.
pub(super) struct Shared {
    pub env: Env,
    pub collector: Collector,
    pub frames: Frames,
    pub counters: Counters,
    pub queues: Mutex<Queues>,
    pub reader: Reader,
    /// By slot. A store that is open is in here.
    pub stores: RwLock<Vec<Option<Arc<Core>>>>,
    pub extension: RwLock<Option<Arc<Extension>>>,
    /// Held while choosing what leaves, and while moving clean images to other places.
    pub sweeping: Mutex<()>,
    pub dirty: AtomicU64,
    supply: Mutex<Supply>,
    /// What `supply` says, to be read without its lock. Written under that lock.
    out: AtomicU32,
    limit: AtomicU32,
    /// Frames that will be free when the epoch has moved on.
    retired: AtomicU32,
    /// Tasks that wait for a frame.
    freed: WaitList,
    has_threads: bool,
    sweeper: Mutex<SweeperState>,
    sweeper_called: Condvar,
    pub trouble: Mutex<Option<ColdError>>,
    pub unreadable: Unreadable,
    life: Mutex<LifeExpectancy>,
    started_ns: u64,
}

/// Free frames, and the limit.
#[derive(Default)]
struct Supply {
    /// Free frames that have memory.
    backed: Vec<FrameNumber>,
    /// Free frames that have none.
    bare: Vec<FrameNumber>,
    /// No frame from here on was ever used.
    fresh: u32,
    /// Frames that are in use.
    out: u32,
}

impl Supply {
    /// A free frame out of this many, unless that makes more than `most` in use.
    fn take(&mut self, most: u32, frames: u32) -> Option<FrameNumber> {
        if self.out >= most {
            return None;
        }
        let frame = match self.backed.pop().or_else(|| self.bare.pop()) {
            Some(frame) => frame,
            None if self.fresh == frames => return None,
            None => {
                self.fresh += 1;
                FrameNumber(self.fresh - 1)
            }
        };
        self.out += 1;
        Some(frame)
    }
}

#[derive(Default)]
struct SweeperState {
    called: bool,
    closing: bool,
}

/// See [`PoolStats::page_life_expectancy_s`].
#[derive(Default)]
struct LifeExpectancy {
    age_s: f64,
    evicted_at_s: u32,
}

/// How much a frame is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    /// Within the limit.
    Within,
    /// At all costs.
    Beyond,
}

impl Pool {
    /// A pool without pages.
    pub fn new(runtime: &Runtime, options: PoolOptions) -> Result<Pool, ColdError> {
        let frames = |bytes: u64| u32::try_from(bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        let reserved = frames(options.reserve_bytes.max(options.limit_bytes));
        // Some more, for frames beyond the limit; address space costs nothing.
        let reserved = reserved.max(FRAMES_MIN).saturating_add(reserved / 8 + 64);
        let shared = Arc::new(Shared {
            env: runtime.env().clone(),
            collector: runtime.collector().clone(),
            frames: Frames::new(reserved).map_err(|_| ColdError::NoFrames)?,
            counters: Counters::new(),
            queues: Mutex::default(),
            reader: Reader::new(options.io_threads > 0),
            stores: RwLock::default(),
            extension: RwLock::default(),
            sweeping: Mutex::default(),
            dirty: AtomicU64::new(0),
            supply: Mutex::default(),
            out: AtomicU32::new(0),
            limit: AtomicU32::new(frames(options.limit_bytes).max(FRAMES_MIN)),
            retired: AtomicU32::new(0),
            freed: WaitList::new(),
            has_threads: options.io_threads > 0,
            sweeper: Mutex::default(),
            sweeper_called: Condvar::new(),
            trouble: Mutex::default(),
            unreadable: Unreadable::default(),
            life: Mutex::default(),
            started_ns: runtime.env().clock().now_ns(),
        });
        let mut pool = Pool { shared, threads: Vec::new() };
        pool.start_threads(options.io_threads)?;
        Ok(pool)
    }

    fn start_threads(&mut self, readers: usize) -> Result<(), ColdError> {
        for buffer in AlignedBytes::for_long_reads(readers, RUN_PAGES * PAGE_BYTES) {
            self.start_thread("cold read", move |shared| shared.reader.run(shared, buffer))?;
        }
        if readers > 0 {
            self.start_thread("cold sweep", sweep::run)?;
        }
        Ok(())
    }

    fn start_thread(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&Arc<Shared>) + Send + 'static,
    ) -> Result<(), ColdError> {
        let shared = self.shared.clone();
        let run = critical::thread(name, move || work(&shared));
        let thread = std::thread::Builder::new().name(name.into()).spawn(run);
        let failed = |error| FileError::new(OpKind::Open, "thread".as_ref(), error);
        self.threads.push(thread.map_err(failed)?);
        Ok(())
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Changes how much memory the pool may use. Lowering it takes effect as pages leave, soon.
    pub fn set_limit(&self, bytes: u64) {
        let frames = u32::try_from(bytes / PAGE_BYTES as u64).unwrap_or(u32::MAX);
        self.shared.set_limit(frames.clamp(FRAMES_MIN, self.shared.frames.count()));
    }

    /// Bytes of memory that the pool has from the system.
    pub fn resident_bytes(&self) -> u64 {
        let supply = self.shared.supply.lock();
        (u64::from(supply.out) + supply.backed.len() as u64) * PAGE_BYTES as u64
    }

    /// Bytes that the pool may use.
    pub fn limit_bytes(&self) -> u64 {
        u64::from(self.shared.limit()) * PAGE_BYTES as u64
    }

    /// What the pool has done so far, and how it stands.
    pub fn stats(&self) -> PoolStats {
        self.shared.stats()
    }

    /// How many reads are asked for and not done, and how many tasks wait for them.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub(super) fn unfinished_reads(&self) -> (usize, usize) {
        self.shared.reader.unfinished()
    }

    /// Lets all clean pages go that are not pinned, and empties the extension. Returns how many
    /// there were.
    pub fn drop_clean(&self) -> u64 {
        let dropped = sweep::drop_clean(&self.shared);
        if let Some(extension) = &*self.shared.extension.read() {
            extension.clear();
        }
        dropped
    }

    /// Pages of data files that could not be read, or were not what was written there: the
    /// database, and why. Each image is told of once.
    pub fn take_unreadable(&self) -> Vec<(u128, ColdError)> {
        self.shared.unreadable.take()
    }

    /// Uses a file as the extension, in the place of any other. What a clean shutdown left in it is
    /// used for the stores that are open by now, so that they are to be opened first.
    pub fn extend(&self, options: ExtensionOptions) -> Result<(), ColdError> {
        self.retract();
        let extension = Extension::open(&self.shared, options)?;
        *self.shared.extension.write() = Some(extension);
        Ok(())
    }

    /// Does without the extension from now on.
    pub fn retract(&self) {
        let extension = self.shared.extension.write().take();
        if let Some(extension) = extension {
            extension.close();
        }
    }

    /// Writes down what the extension holds, for the next start, and does without it. To be called
    /// at a clean shutdown, behind the last checkpoint of every store and before the stores are
    /// closed.
    pub fn retract_warm(&self) -> Result<(), ColdError> {
        let extension = self.shared.extension.write().take();
        extension.map_or(Ok(()), |extension| extension.close_warm(&self.shared))
    }

    /// What the extension has done, if there is one.
    pub fn extension_stats(&self) -> Option<ExtensionStats> {
        self.shared.extension.read().as_ref().map(|extension| extension.stats())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.retract();
        self.shared.sweeper.lock().closing = true;
        self.shared.sweeper_called.notify_all();
        self.shared.reader.close();
        for thread in self.threads.drain(..) {
            // It panics only on a broken invariant, and then the panic has been reported.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn set_limit(self: &Arc<Self>, frames: u32) {
        let mut supply = self.supply.lock();
        self.limit.store(frames, Relaxed);
        let surplus = (supply.out as usize + supply.backed.len()).saturating_sub(frames as usize);
        for _ in 0..surplus.min(supply.backed.len()) {
            let frame = supply.backed.pop().expect("there are so many");
            // SAFETY: it was free, and no thread takes it while the supply is locked.
            unsafe { self.frames.discard(frame) };
            supply.bare.push(frame);
        }
        drop(supply);
        self.freed.wake_all();
        self.call_sweeper();
        if !self.has_threads {
            sweep::sweep(self, &self.collector.register());
        }
    }

    /// Frames that may be in use.
    pub fn limit(&self) -> u32 {
        self.limit.load(Relaxed)
    }

    /// Frames in use.
    pub fn out(&self) -> u32 {
        self.out.load(Relaxed)
    }

    /// Frames that are kept free for the next tasks.
    fn reserve(&self) -> u32 {
        (self.limit() / 64).clamp(2, 2048)
    }

    /// How many leaves may be read ahead for one scan: few enough for several scans to find room in
    /// the small queue of the replacement, where pages that were not looked at leave first.
    pub fn read_ahead_max(&self) -> usize {
        self.limit() as usize / 64
    }

    /// Whether frames should leave, those not counted that will be free soon.
    pub fn is_short(&self, reserves: u32) -> bool {
        let staying = self.out().saturating_sub(self.retired.load(Relaxed));
        staying + reserves * self.reserve() > self.limit()
    }

    /// Whether there is no frame to be had, but will be when the epoch moves on.
    pub fn awaits_epoch(&self) -> bool {
        self.out() >= self.limit() && self.retired.load(Relaxed) > 0
    }

    /// Seconds since the pool was made.
    pub fn now_s(&self) -> u32 {
        let passed_ns = self.env.clock().now_ns().saturating_sub(self.started_ns);
        u32::try_from(passed_ns / 1_000_000_000).unwrap_or(u32::MAX)
    }

    /// A frame's state.
    #[inline]
    pub fn state(&self, frame: FrameNumber) -> &FrameState {
        self.frames.state(frame)
    }

    fn try_take(self: &Arc<Self>, want: Want) -> Option<Image> {
        let most = match want {
            Want::Within => self.limit(),
            Want::Beyond => u32::MAX,
        };
        let mut supply = self.supply.lock();
        let frame = supply.take(most, self.frames.count())?;
        self.out.store(supply.out, Relaxed);
        drop(supply);
        if want == Want::Beyond {
            add(&self.counters.beyond_limit, 1);
        }
        let image = self.begin(frame, self.now_s());
        self.keep_reserve();
        Some(image)
    }

    /// Private frames, this many if there are enough.
    pub fn take_if_plenty(self: &Arc<Self>, count: usize) -> Vec<Image> {
        let most = self.limit().saturating_sub(self.reserve() / 2);
        let mut supply = self.supply.lock();
        let free = std::iter::from_fn(|| supply.take(most, self.frames.count()));
        let frames: Vec<_> = free.take(count).collect();
        self.out.store(supply.out, Relaxed);
        drop(supply);
        let now_s = self.now_s();
        let images = frames.into_iter().map(|frame| self.begin(frame, now_s)).collect();
        self.keep_reserve();
        images
    }

    /// The frame has been taken.
    fn begin(self: &Arc<Self>, frame: FrameNumber, now_s: u32) -> Image {
        self.state(frame).begin(now_s);
        Image { shared: self.clone(), frame }
    }

    /// Has the sweeper go on if few frames are free.
    fn keep_reserve(&self) {
        if self.is_short(1) {
            self.call_sweeper();
        }
    }

    /// A private frame. Waits for one; when none becomes free for a while, the limit gives way.
    pub fn take(self: &Arc<Self>, task: &Task) -> Result<Image, ColdError> {
        if let Some(image) = self.try_take(Want::Within) {
            return Ok(image);
        }
        if self.has_threads {
            let deadline_ns = task.now_ns() + PATIENCE_NS;
            let waited = self.freed.wait_until(task, deadline_ns, || {
                self.call_sweeper();
                self.try_take(Want::Within)
            });
            match waited {
                Ok(image) => return Ok(image),
                Err(WaitError::Interrupted(why)) => return Err(why.into()),
                Err(WaitError::TimedOut) => {}
            }
        } else {
            let handle = self.collector.register();
            for _ in 0..4 {
                sweep::sweep(self, &handle);
                if let Some(image) = self.try_take(Want::Within) {
                    return Ok(image);
                }
            }
        }
        let beyond = self.try_take(Want::Beyond);
        beyond.ok_or_else(|| self.trouble.lock().clone().unwrap_or(ColdError::NoFrames))
    }

    /// Takes free frames back.
    fn give(&self, frames: impl IntoIterator<Item = FrameNumber>) {
        let mut supply = self.supply.lock();
        for frame in frames {
            supply.out -= 1;
            if supply.out as usize + supply.backed.len() < self.limit() as usize {
                supply.backed.push(frame);
            } else {
                // SAFETY: it is free, and no thread takes it while the supply is locked.
                unsafe { self.frames.discard(frame) };
                supply.bare.push(frame);
            }
        }
        self.out.store(supply.out, Relaxed);
        drop(supply);
        self.freed.wake_all();
    }

    /// The frames are linked now and take part in the replacement.
    pub fn enqueue(&self, frames: &[FrameNumber]) {
        let mut queues = self.queues.lock();
        for &frame in frames {
            let state = self.state(frame);
            queues.add(Entry { frame, life: state.life() }, state.marks());
        }
        queues.compact(self.out() as usize, |e| self.state(e.frame).life() != e.life);
    }

    /// Frames that have been unlinked lose the map's reference when the epoch has moved on (F2).
    pub fn retire(self: &Arc<Self>, frames: Vec<FrameNumber>, guard: &crossbeam_epoch::Guard) {
        if frames.is_empty() {
            return;
        }
        self.retired.fetch_add(frames.len() as u32, Relaxed);
        // The pool may be gone by then, and with it the frames.
        let shared = Arc::downgrade(self);
        guard.defer(move || {
            let Some(shared) = shared.upgrade() else { return };
            // A database that is dropped may have had many.
            for some in frames.chunks(GIVEN_AT_ONCE) {
                shared.give(some.iter().copied().filter(|&frame| shared.state(frame).unpin()));
                shared.retired.fetch_sub(some.len() as u32, Relaxed);
            }
        });
    }

    /// Wakes the sweeper.
    fn call_sweeper(&self) {
        if self.has_threads {
            let mut state = self.sweeper.lock();
            if !state.called {
                state.called = true;
                self.sweeper_called.notify_one();
            }
        }
    }

    /// Waits until the sweeper is called, or a while; false when the pool is being closed.
    pub fn await_call(&self, at_most: Duration) -> bool {
        let mut state = self.sweeper.lock();
        if !state.called && !state.closing {
            self.sweeper_called.wait_for(&mut state, at_most);
        }
        state.called = false;
        !state.closing
    }

    /// Whether the pool is being closed.
    pub fn is_closing(&self) -> bool {
        self.sweeper.lock().closing
    }

    /// A page of this age has left.
    pub fn note_age(&self, since_s: u32) {
        let now_s = self.now_s();
        let mut life = self.life.lock();
        // A running average over about the last thousand.
        life.age_s += (f64::from(now_s.saturating_sub(since_s)) - life.age_s) / 1024.0;
        life.evicted_at_s = now_s;
    }

    fn stats(&self) -> PoolStats {
        let c = &self.counters;
        let get = |counter: &AtomicU64| counter.load(Relaxed);
        let (look_ups, misses) = (c.look_ups(), get(&c.misses));
        let (wait_ns, wait_ns_max) = c.waits_ns();
        let (limit, used) = (u64::from(self.limit()), u64::from(self.out()));
        let life = self.life.lock();
        PoolStats {
            look_ups,
            hits: look_ups.saturating_sub(misses),
            waits: misses,
            wait_ns,
            wait_ns_max,
            reads: get(&c.reads),
            read_calls: get(&c.read_calls),
            read_ahead: get(&c.read_ahead),
            reads_in_place: get(&c.reads_in_place),
            writes: get(&c.writes),
            lazy_writes: get(&c.lazy_writes),
            evictions: get(&c.evictions),
            mismatches: get(&c.mismatches),
            beyond_limit: get(&c.beyond_limit),
            limit_frames: limit,
            used_frames: used,
            free_frames: limit.saturating_sub(used),
            dirty_pages: get(&self.dirty),
            page_life_expectancy_s: life.age_s as u64
                + u64::from(self.now_s().saturating_sub(life.evicted_at_s)),
        }
    }
}

/// A reference to a frame: what it holds stays while this lives.
pub struct Image {
    shared: Arc<Shared>,
    frame: FrameNumber,
}

impl Image {
    /// Another reference to a frame that was found in the map.
    ///
    /// # Safety
    /// It was found there under a guard that is still alive (F2).
    pub(super) unsafe fn pinned(shared: &Arc<Shared>, frame: FrameNumber) -> Image {
        shared.state(frame).pin();
        Image { shared: shared.clone(), frame }
    }

    /// Takes over a reference that no `Image` stands for.
    ///
    /// # Safety
    /// The reference has no other owner: it is what [`Image::into_frame`] gave.
    pub(super) unsafe fn from_frame(shared: &Arc<Shared>, frame: FrameNumber) -> Image {
        Image { shared: shared.clone(), frame }
    }

    /// The number of the frame.
    pub(super) fn frame(&self) -> FrameNumber {
        self.frame
    }

    pub(super) fn state(&self) -> &FrameState {
        self.shared.state(self.frame)
    }

    /// The body of a private image, to be written.
    ///
    /// # Safety
    /// The frame has not been linked, and this is its only reference (F1).
    pub(super) unsafe fn body_mut(&mut self) -> &mut Body {
        // SAFETY: the caller's promise; and the reference keeps the frame while it lives.
        unsafe { self.shared.frames.body_mut(self.frame) }
    }

    /// Hands the reference over to the map.
    pub(super) fn into_frame(self) -> FrameNumber {
        let image = std::mem::ManuallyDrop::new(self);
        // SAFETY: the field is read once, and never dropped in its old place.
        drop(unsafe { std::ptr::read(&image.shared) });
        image.frame
    }
}

impl Clone for Image {
    fn clone(&self) -> Image {
        self.state().pin();
        Image { shared: self.shared.clone(), frame: self.frame }
    }
}

impl std::ops::Deref for Image {
    type Target = Body;

    fn deref(&self) -> &Body {
        // SAFETY: it has a reference; and bodies are written through `body_mut` only (F1).
        unsafe { self.shared.frames.body(self.frame) }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if self.state().unpin() {
            self.shared.give([self.frame]);
        }
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({:?})", self.frame)
    }
}
