//! A simulated environment: files in memory, a clock that the test moves, randomness from a seed.
//!
//! # What a power cut does
//!
//! [`SimFs::power_off`] makes every further operation fail; [`SimFs::power_on`] decides what the
//! disk remembers and lets the next generation of handles work. The seed decides, per file: all
//! unsynced writes survive, or none, or each 512-byte sector keeps any one of the states it went
//! through since the last sync (S1). Lengths do the same. Each name that was created, renamed or
//! removed and not followed by a `sync_dir` may be as before (S2). [`SimFs::power_off_at`] cuts the
//! power in the middle of the n-th operation from the beginning, which may or may not have taken
//! effect; a test that runs a workload once, reads [`SimFs::operations`], and runs it again for
//! each n has crashed at every operation.
//!
//! # What else can go wrong
//!
//! [`SimFs::inject`]: chosen operations fail with EIO or ENOSPC. A failed write may have written a
//! prefix. A failed sync loses unsynced sectors while readers still see them, and later syncs
//! succeed (S3), as on Linux. [`SimFs::set_capacity`]: the disk is full. [`SimFs::flip_bit`]:
//! a bit of a file changes at rest. [`SimFs::hold`]: operations of a kind block until released, so
//! that a test can look at what happens meanwhile; [`SimFs::operations_held`] counts those that are
//! blocked. [`SimFs::set_latency_ns`]: operations move the clock.
//!
//! A single-threaded test repeats exactly on the same seed. With several threads their order is the
//! scheduler's, and the seed only fixes the sequence of decisions.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::{Clock, Env, Rng};

mod disk;
mod faults;
mod fs;
#[cfg(test)]
mod tests;

pub use faults::{Fault, FaultKind};
pub use fs::{Release, SimFs};

/// Bytes that a simulated disk writes as a whole or not at all.
pub const SECTOR: usize = 512;

/// How long a simulated sleep takes at most, in real time.
const MOMENT: Duration = Duration::from_millis(2);

/// How long a test waits for other threads before it fails: even a loaded machine needs less.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits, in real time, until other threads have made a condition true. A test that waits like this
/// does not depend on how fast they are.
///
/// # Panics
/// If it does not become true within two minutes.
#[track_caller]
pub fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// A simulated environment, with the controls of its disk and its clock.
#[derive(Clone, Debug)]
pub struct SimEnv {
    env: Env,
    fs: Arc<SimFs>,
    clock: Arc<SimClock>,
}

impl SimEnv {
    /// An environment with an empty disk whose faults follow from this seed.
    pub fn new(seed: u64) -> SimEnv {
        let clock = Arc::new(SimClock::new());
        let fs = Arc::new(SimFs::new(seed, clock.clone()));
        let rng = Arc::new(SimRng::new(seed ^ 0x7E57_AB1E));
        SimEnv { env: Env::new(fs.clone(), clock.clone(), rng), fs, clock }
    }

    /// The environment as the server sees it.
    pub fn env(&self) -> Env {
        self.env.clone()
    }

    /// The disk and its faults.
    pub fn fs(&self) -> &SimFs {
        &self.fs
    }

    /// The clock, which a test can set.
    pub fn clock(&self) -> &SimClock {
        &self.clock
    }
}

/// A clock that moves one microsecond each time it is read, and otherwise only when something
/// sleeps and by [`SimClock::advance_ns`].
#[derive(Debug)]
pub struct SimClock {
    now_ns: AtomicU64,
    /// Wall-clock time at monotonic time 0, in ticks; wraps below year 1.
    origin_ticks: AtomicU64,
    offset_minutes: AtomicI32,
}

/// How far each reading of the clock moves it.
const STEP_NS: u64 = 1_000;
/// 2024-01-01 00:00:00 UTC.
const ORIGIN_TICKS: u64 = 738_885 * 86_400 * crate::clock::TICKS_PER_SECOND;

impl SimClock {
    fn new() -> SimClock {
        SimClock {
            now_ns: AtomicU64::new(0),
            origin_ticks: AtomicU64::new(ORIGIN_TICKS),
            offset_minutes: AtomicI32::new(0),
        }
    }

    /// Moves the clock forward.
    pub fn advance_ns(&self, duration_ns: u64) {
        self.now_ns.fetch_add(duration_ns, Relaxed);
    }

    /// Sets the wall clock, as an administrator would. Monotonic time stays as it is.
    pub fn set_utc_ticks(&self, ticks: u64) {
        let passed = self.now_ns.load(Relaxed) / 100;
        self.origin_ticks.store(ticks.wrapping_sub(passed), Relaxed);
    }

    /// Moves to another time zone.
    pub fn set_local_offset_minutes(&self, minutes: i32) {
        self.offset_minutes.store(minutes, Relaxed);
    }
}

impl Clock for SimClock {
    fn now_ns(&self) -> u64 {
        self.now_ns.fetch_add(STEP_NS, Relaxed) + STEP_NS
    }

    fn utc_ticks(&self) -> u64 {
        self.origin_ticks.load(Relaxed).wrapping_add(self.now_ns() / 100)
    }

    fn local_offset_minutes(&self, _utc_ticks: u64) -> i32 {
        self.offset_minutes.load(Relaxed)
    }

    /// The simulated world has offsets without names.
    fn local_zone(&self) -> Option<&str> {
        None
    }

    /// All time counts as processor time of each thread. Does not move the clock.
    fn thread_cpu_ns(&self) -> u64 {
        self.now_ns.load(Relaxed)
    }

    /// Time passes at once. Other threads, which run in real time, get a moment to do what is
    /// waited for.
    fn sleep_ns(&self, duration_ns: u64) {
        self.advance_ns(duration_ns);
        std::thread::sleep(Duration::from_nanos(duration_ns).min(MOMENT));
    }
}

/// Random numbers that repeat on the same seed (SplitMix64). Not for secrets.
#[derive(Debug)]
pub struct SimRng(Mutex<SplitMix>);

impl SimRng {
    /// The sequence that belongs to this seed.
    pub fn new(seed: u64) -> SimRng {
        SimRng(Mutex::new(SplitMix::new(seed)))
    }
}

impl Rng for SimRng {
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.0.lock();
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&state.next_u64().to_le_bytes()[..part.len()]);
        }
    }
}

/// The SplitMix64 generator (Steele, Lea, Flood 2014), for tests and simulations that own their
/// state.
#[derive(Clone, Debug)]
pub struct SplitMix {
    state: u64,
}

impl SplitMix {
    /// The sequence that belongs to this seed.
    pub fn new(seed: u64) -> SplitMix {
        SplitMix { state: seed }
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0. The bias is below 2^-32 for bounds below 2^32.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A random boolean.
    pub fn coin(&mut self) -> bool {
        self.next_u64() >> 63 == 1
    }
}
