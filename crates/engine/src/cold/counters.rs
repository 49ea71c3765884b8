//! Counters of the buffer pool.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crossbeam_epoch::Guard;
use crossbeam_utils::CachePadded;

/// Look-ups are counted in this many cache lines.
const SHARDS: usize = 64;

/// Counters of a pool. All are written relaxed, by any thread; they order nothing.
pub struct Counters {
    look_ups: Box<[CachePadded<AtomicU64>]>,
    /// Look-ups of pages that were not in memory.
    pub misses: AtomicU64,
    /// How long tasks waited for those pages, in total and at most.
    wait_ns: AtomicU64,
    wait_ns_max: AtomicU64,
    /// Pages read from data files.
    pub reads: AtomicU64,
    /// Calls that read them.
    pub read_calls: AtomicU64,
    /// Pages read from data files or the extension before a task needed them.
    pub read_ahead: AtomicU64,
    /// Pages that the task that needed them read itself, from data files or the extension, though
    /// the pool has threads that read.
    pub reads_in_place: AtomicU64,
    /// Pages written to data files.
    pub writes: AtomicU64,
    /// Pages among those that were written to make room.
    pub lazy_writes: AtomicU64,
    /// Pages evicted from memory.
    pub evictions: AtomicU64,
    /// Pages that were read again soon after they were evicted unused.
    pub came_back: AtomicU64,
    /// Reads that returned other bytes than were written.
    pub mismatches: AtomicU64,
    /// Frames taken beyond the limit because none became free in time.
    pub beyond_limit: AtomicU64,
}

/// A pool's counters and its current state.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct PoolStats {
    /// Look-ups of pages. Approximate: two threads that count in one shard may lose counts.
    pub look_ups: u64,
    /// Look-ups that found the page in memory.
    pub hits: u64,
    /// Look-ups that had to wait for the page.
    pub waits: u64,
    /// Total time of those waits: from the miss until the page is in memory or the read has failed.
    pub wait_ns: u64,
    /// The longest of those waits.
    pub wait_ns_max: u64,
    /// Pages read from data files.
    pub reads: u64,
    /// Calls that read them.
    pub read_calls: u64,
    /// Pages read before a task needed them.
    pub read_ahead: u64,
    /// Pages that the task that needed them read itself, though the pool has threads that read.
    pub reads_in_place: u64,
    /// Pages written to data files.
    pub writes: u64,
    /// Pages among those that were written to make room.
    pub lazy_writes: u64,
    /// Pages evicted from memory.
    pub evictions: u64,
    /// Reads that returned other bytes than were written.
    pub mismatches: u64,
    /// Frames taken beyond the limit.
    pub beyond_limit: u64,
    /// Frames that the pool may use.
    pub limit_frames: u64,
    /// Frames in use.
    pub used_frames: u64,
    /// Frames that are available at once.
    pub free_frames: u64,
    /// Pages in memory that are newer than on disk.
    pub dirty_pages: u64,
    /// The expected time that a page stays in memory: the average age of evicted pages, plus the
    /// time since the last eviction.
    pub page_life_expectancy_s: u64,
}

impl Counters {
    pub(super) fn new() -> Counters {
        Counters {
            look_ups: (0..SHARDS).map(|_| CachePadded::default()).collect(),
            misses: AtomicU64::new(0),
            wait_ns: AtomicU64::new(0),
            wait_ns_max: AtomicU64::new(0),
            reads: AtomicU64::new(0),
            read_calls: AtomicU64::new(0),
            read_ahead: AtomicU64::new(0),
            reads_in_place: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            lazy_writes: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
            came_back: AtomicU64::new(0),
            mismatches: AtomicU64::new(0),
            beyond_limit: AtomicU64::new(0),
        }
    }

    /// Counts a look-up. The guard's address selects the shard: guards lie on their users' stacks,
    /// so that their addresses tell threads apart. The addition is not atomic, since an exact count
    /// would cost more than the look-up.
    #[inline]
    pub(super) fn look_up(&self, guard: &Guard) {
        let stack = std::ptr::from_ref(guard) as usize >> 13;
        let shard = &self.look_ups[(stack ^ stack >> 7) % SHARDS];
        shard.store(shard.load(Relaxed) + 1, Relaxed);
    }

    pub(super) fn look_ups(&self) -> u64 {
        self.look_ups.iter().map(|shard| shard.load(Relaxed)).sum()
    }

    /// Counts a task's wait for a page that was not in memory.
    pub(super) fn waited(&self, ns: u64) {
        self.wait_ns.fetch_add(ns, Relaxed);
        self.wait_ns_max.fetch_max(ns, Relaxed);
    }

    /// How long tasks have waited for pages, in total and at most.
    pub(super) fn waits_ns(&self) -> (u64, u64) {
        (self.wait_ns.load(Relaxed), self.wait_ns_max.load(Relaxed))
    }
}

/// Adds to a counter.
pub(super) fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(count as u64, Relaxed);
}
