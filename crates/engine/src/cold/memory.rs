//! The memory of the buffer pool: frames, handed out up to a limit that can be changed at any time,
//! and references to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crossbeam_epoch::Collector;
use env::Env;

use super::counters::{Counters, PoolStats, add};
use super::division::Claim;
use super::error::ColdError;
use super::evict::{Entry, Queues};
use super::frame::{FrameState, Frames};
use super::page::{Body, PAGE_BYTES};
use super::place::FrameNumber;
use super::rowcache::Budget;
use super::unreadable::Unreadable;
use crate::sync::parking::{Condvar, Mutex};
use crate::wait::{Runtime, WaitList};

/// Frames that are given back under the lock at once.
const GIVEN_AT_ONCE: usize = 128;

/// The memory of a pool, with its queues, limit and counters.
pub(super) struct Memory {
    pub env: Env,
    pub collector: Collector,
    pub frames: Frames,
    pub counters: Counters,
    pub queues: Mutex<Queues>,
    /// Held while pages are chosen and evicted, and while clean images move to other places.
    pub sweeping: Mutex<()>,
    pub dirty: AtomicU64,
    /// What row caches take of what the pool may use.
    pub row_caches: Arc<Budget>,
    supply: Mutex<Supply>,
    /// A copy of `supply.out`, to be read without the lock. Written under that lock.
    out: AtomicU32,
    limit: AtomicU32,
    /// Frames that will be free when the epoch has advanced.
    retired: AtomicU32,
    /// Tasks that wait for a frame.
    pub freed: WaitList,
    /// Whether threads sweep and read while tasks go on.
    pub has_threads: bool,
    sweeper: Mutex<SweeperState>,
    sweeper_called: Condvar,
    pub write_error: Mutex<Option<ColdError>>,
    pub unreadable: Unreadable,
    life: Mutex<LifeExpectancy>,
    started_ns: u64,
}

/// The free frames, and how many frames are in use.
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
    /// Takes one of the free frames, unless `most` are in use already. `frames` is how many there
    /// are.
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

/// Whether a frame may be taken beyond the limit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitPolicy {
    /// Within the limit.
    Within,
    /// Beyond the limit, if need be.
    Beyond,
}

impl Memory {
    /// Memory for `reserved` frames, of which `limit` may be in use. None is in use yet.
    pub fn new(
        runtime: &Runtime,
        reserved: u32,
        limit: u32,
        has_threads: bool,
    ) -> Result<Memory, ColdError> {
        Ok(Memory {
            env: runtime.env().clone(),
            collector: runtime.collector().clone(),
            frames: Frames::new(reserved).map_err(|_| ColdError::NoFrames)?,
            counters: Counters::new(),
            queues: Mutex::default(),
            sweeping: Mutex::default(),
            dirty: AtomicU64::new(0),
            row_caches: Arc::default(),
            supply: Mutex::default(),
            out: AtomicU32::new(0),
            limit: AtomicU32::new(limit),
            retired: AtomicU32::new(0),
            freed: WaitList::new(),
            has_threads,
            sweeper: Mutex::default(),
            sweeper_called: Condvar::new(),
            write_error: Mutex::default(),
            unreadable: Unreadable::default(),
            life: Mutex::default(),
            started_ns: runtime.env().clock().now_ns(),
        })
    }

    /// Ends the sweeper.
    pub fn close(&self) {
        self.sweeper.lock().closing = true;
        self.sweeper_called.notify_all();
    }

    /// Bytes of memory that the pool has from the system.
    pub fn resident_bytes(&self) -> u64 {
        let supply = self.supply.lock();
        (u64::from(supply.out) + supply.backed.len() as u64) * PAGE_BYTES as u64
    }

    /// Changes the limit, and gives back the memory of free frames beyond it.
    pub fn set_limit(&self, frames: u32) {
        let mut supply = self.supply.lock();
        self.limit.store(frames, Relaxed);
        let surplus = (supply.out as usize + supply.backed.len()).saturating_sub(frames as usize);
        for _ in 0..surplus.min(supply.backed.len()) {
            let frame = supply.backed.pop().expect("there are this many");
            // SAFETY: the frame is free, and no thread takes it while the supply is locked.
            unsafe { self.frames.discard(frame) };
            supply.bare.push(frame);
        }
        drop(supply);
        self.freed.wake_all();
        self.call_sweeper();
    }

    /// What frames have to say for a larger share of the memory.
    pub fn claim(&self) -> Claim {
        let remembered = self.queues.lock().ghosts() as u64;
        Claim {
            came_back: self.counters.came_back.load(Relaxed),
            remembered_bytes: remembered * PAGE_BYTES as u64,
            asked: self.counters.look_ups(),
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

    /// How many leaves may be read ahead for one scan: few enough that several scans find room in
    /// the small queue of the replacement, which evicts pages that were not read first.
    pub fn read_ahead_max(&self) -> usize {
        self.limit() as usize / 64
    }

    /// Whether fewer than `reserves` reserves are free, counting the frames that will be free soon.
    pub fn is_short(&self, reserves: u32) -> bool {
        let staying = self.out().saturating_sub(self.retired.load(Relaxed));
        staying + reserves * self.reserve() > self.limit()
    }

    /// Whether no frame is available, but some will be when the epoch has advanced.
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

    /// Takes a private frame, if one is available.
    pub fn try_take(self: &Arc<Self>, policy: LimitPolicy) -> Option<Image> {
        let most = match policy {
            LimitPolicy::Within => self.limit(),
            LimitPolicy::Beyond => u32::MAX,
        };
        let mut supply = self.supply.lock();
        let frame = supply.take(most, self.frames.count())?;
        self.out.store(supply.out, Relaxed);
        drop(supply);
        if policy == LimitPolicy::Beyond {
            add(&self.counters.beyond_limit, 1);
        }
        let image = self.begin(frame, self.now_s());
        self.keep_reserve();
        Some(image)
    }

    /// Takes this many private frames, or fewer if less than half of the reserve would stay free.
    pub fn take_for_read_ahead(self: &Arc<Self>, count: usize) -> Vec<Image> {
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

    /// Begins the life of a frame that was taken.
    fn begin(self: &Arc<Self>, frame: FrameNumber, now_s: u32) -> Image {
        self.state(frame).begin(now_s);
        Image { memory: self.clone(), frame }
    }

    /// Wakes the sweeper if few frames are free.
    fn keep_reserve(&self) {
        if self.is_short(1) {
            self.call_sweeper();
        }
    }

    /// Puts frames without references back into the supply (F3).
    fn put_back(&self, frames: impl IntoIterator<Item = FrameNumber>) {
        let mut supply = self.supply.lock();
        for frame in frames {
            supply.out -= 1;
            if supply.out as usize + supply.backed.len() < self.limit() as usize {
                supply.backed.push(frame);
            } else {
                // SAFETY: the frame is free, and no thread takes it while the supply is locked.
                unsafe { self.frames.discard(frame) };
                supply.bare.push(frame);
            }
        }
        self.out.store(supply.out, Relaxed);
        drop(supply);
        self.freed.wake_all();
    }

    /// Adds frames that have been linked to the replacement's queues.
    pub fn enqueue(&self, frames: &[FrameNumber]) {
        let mut queues = self.queues.lock();
        for &frame in frames {
            let state = self.state(frame);
            queues.add(Entry { frame, life: state.life() }, state.marks());
        }
        queues.compact(self.out() as usize, |e| self.state(e.frame).life() != e.life);
    }

    /// Drops the map's reference to frames that have been unlinked, when the epoch has advanced
    /// (F2).
    pub fn retire(self: &Arc<Self>, frames: Vec<FrameNumber>, guard: &crossbeam_epoch::Guard) {
        if frames.is_empty() {
            return;
        }
        self.retired.fetch_add(frames.len() as u32, Relaxed);
        // The pool may be gone by then, and with it the frames.
        let memory = Arc::downgrade(self);
        guard.defer(move || {
            let Some(memory) = memory.upgrade() else { return };
            // A database that is dropped may have had many.
            for some in frames.chunks(GIVEN_AT_ONCE) {
                memory.put_back(some.iter().copied().filter(|&frame| memory.state(frame).unpin()));
                memory.retired.fetch_sub(some.len() as u32, Relaxed);
            }
        });
    }

    /// Wakes the sweeper.
    pub fn call_sweeper(&self) {
        if self.has_threads {
            let mut state = self.sweeper.lock();
            if !state.called {
                state.called = true;
                self.sweeper_called.notify_one();
            }
        }
    }

    /// Waits until the sweeper is called, at most this long. Returns `false` if the pool is being
    /// closed.
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

    /// Notes the age of a page that is evicted.
    pub fn note_age(&self, since_s: u32) {
        let now_s = self.now_s();
        let mut life = self.life.lock();
        // A running average over about the last thousand pages.
        life.age_s += (f64::from(now_s.saturating_sub(since_s)) - life.age_s) / 1024.0;
        life.evicted_at_s = now_s;
    }

    /// The pool's counters and its current state.
    pub fn stats(&self) -> PoolStats {
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

/// A reference to a frame, whose image stays while this lives.
pub struct Image {
    memory: Arc<Memory>,
    frame: FrameNumber,
}

impl Image {
    /// Adds a reference to a frame that was found in the map.
    ///
    /// # Safety
    /// The caller found the frame in the map under a guard that is still alive (F2).
    pub(super) unsafe fn pinned(memory: &Arc<Memory>, frame: FrameNumber) -> Image {
        memory.state(frame).pin();
        Image { memory: memory.clone(), frame }
    }

    /// Takes over a reference that no `Image` owns.
    ///
    /// # Safety
    /// The reference has no other owner: it is what [`Image::into_frame`] gave.
    pub(super) unsafe fn from_frame(memory: &Arc<Memory>, frame: FrameNumber) -> Image {
        Image { memory: memory.clone(), frame }
    }

    /// The number of the frame.
    pub(super) fn frame(&self) -> FrameNumber {
        self.frame
    }

    pub(super) fn state(&self) -> &FrameState {
        self.memory.state(self.frame)
    }

    /// The body of a private image, to be written.
    ///
    /// # Safety
    /// The frame has not been linked, and this is its only reference (F1).
    pub(super) unsafe fn body_mut(&mut self) -> &mut Body {
        // SAFETY: the caller promises that the frame has not been linked and that this is its only
        // reference, which keeps the frame while it lives.
        unsafe { self.memory.frames.body_mut(self.frame) }
    }

    /// Gives the reference up, for the map to hold.
    pub(super) fn into_frame(self) -> FrameNumber {
        let image = std::mem::ManuallyDrop::new(self);
        // SAFETY: the field is read once, and never dropped in its old place.
        drop(unsafe { std::ptr::read(&image.memory) });
        image.frame
    }
}

impl Clone for Image {
    fn clone(&self) -> Image {
        self.state().pin();
        Image { memory: self.memory.clone(), frame: self.frame }
    }
}

impl std::ops::Deref for Image {
    type Target = Body;

    fn deref(&self) -> &Body {
        // SAFETY: `self` is a reference, so that the frame is not free; its body is written only
        // while it is private (F1).
        unsafe { self.memory.frames.body(self.frame) }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        if self.state().unpin() {
            self.memory.put_back([self.frame]);
        }
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({:?})", self.frame)
    }
}
