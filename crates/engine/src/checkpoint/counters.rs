//! What checkpoints count.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use env::Clock;

/// What is counted since the database came up. Written by rounds and their thread, read by any
/// thread.
#[derive(Default)]
pub(crate) struct Counters {
    pub checkpoints: AtomicU64,
    pub failures: AtomicU64,
    pub merges: AtomicU64,
    pub rows: AtomicU64,
    pub data_bytes: AtomicU64,
    pub delta_bytes: AtomicU64,
    pub log_bytes: AtomicU64,
    /// The log's batches being read.
    pub reads: Counter,
    /// Gathering what batches of log hold.
    pub scans: Counter,
    /// Waiting until the thread looks at the log again, or gets a request.
    pub pauses: Counter,
    /// Looks at the log that found too little to read it.
    pub idle: AtomicU64,
    /// Everything below is in files.
    pub through: AtomicU64,
    /// Everything below has been gathered.
    pub gathered: AtomicU64,
    /// Bytes of the log's files that have been gathered since the last checkpoint.
    pub behind: AtomicU64,
    /// The data file under construction, by number, and its bytes so far.
    pub open_file: AtomicU64,
    pub open_bytes: AtomicU64,
}

/// How often an activity was done, and how long it took.
#[derive(Default)]
pub(crate) struct Counter {
    count: AtomicU64,
    ns: AtomicU64,
}

/// The values of a [`Counter`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Effort {
    /// How often it was done.
    pub count: u64,
    /// Nanoseconds that it took, all together.
    pub ns: u64,
}

impl Counter {
    /// Does it once more.
    pub fn time<T>(&self, clock: &dyn Clock, run: impl FnOnce() -> T) -> T {
        let begun = clock.now_ns();
        let result = run();
        self.ns.fetch_add(clock.now_ns().saturating_sub(begun), Relaxed);
        self.count.fetch_add(1, Relaxed);
        result
    }

    pub fn get(&self) -> Effort {
        Effort { count: self.count.load(Relaxed), ns: self.ns.load(Relaxed) }
    }
}
