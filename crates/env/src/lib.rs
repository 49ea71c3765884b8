//! The environment: files, clocks and randomness.
//!
//! Nothing else in the server reads the clock, the disk or randomness (A6), so that a test can put
//! a simulated environment in the place of the real one, cut its power at any file operation and
//! see what comes back.
//!
//! * [`fs`]: what a file system and a file can do, with errors that name operation and path.
//! * [`clock`]: monotonic time, wall-clock time, and the local offset from UTC.
//! * [`rng`]: random bytes.
//! * [`memory`]: address space, which is the same in every environment.
//! * [`real`]: the operating system's.
//! * [`slow`]: files that are read as slowly as from a disk with an arm.
//! * [`stream`]: long runs of bytes, written behind and read ahead.
//! * [`sim`]: in memory and on a seed; loses or tears unsynced writes, fails, fills up, delays.
//!
//! An [`Env`] bundles the three and is passed down from the program's `main`.
//!
//! ```
//! let env = env::Env::real();
//! let started = env.clock().now_ns();
//! assert!(env.clock().now_ns() >= started);
//! ```

use std::path::Path;
use std::sync::Arc;

pub mod clock;
pub mod fs;
pub mod memory;
pub mod real;
pub mod rng;
pub mod sim;
pub mod slow;
pub mod stream;
mod sys;
pub mod thread;

pub use clock::Clock;
pub use fs::{DirectoryLock, Entry, File, FileError, FileResult, FileSystem, OpKind, OpenMode};
pub use rng::Rng;
pub use sys::raise_open_files_limit;

/// An environment to run in. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Env(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    fs: Arc<dyn FileSystem>,
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
}

impl Env {
    /// The operating system's files, clocks and randomness.
    pub fn real() -> Env {
        Env::new(
            Arc::new(real::RealFs),
            Arc::new(real::RealClock::new()),
            Arc::new(real::RealRng::new()),
        )
    }

    /// An environment made of these parts.
    pub fn new(fs: Arc<dyn FileSystem>, clock: Arc<dyn Clock>, rng: Arc<dyn Rng>) -> Env {
        Env(Arc::new(Parts { fs, clock, rng }))
    }

    /// This environment with a simulated slow disk for the files that `is_slow` names ([`slow`]).
    pub fn with_slow_reads(&self, is_slow: fn(&Path) -> bool, seek_ns: u64) -> Env {
        let Parts { fs, clock, rng } = &*self.0;
        let slow = slow::SlowReads::new(fs.clone(), clock.clone(), is_slow, seek_ns);
        Env::new(Arc::new(slow), clock.clone(), rng.clone())
    }

    /// The file system.
    #[inline]
    pub fn fs(&self) -> &dyn FileSystem {
        &*self.0.fs
    }

    /// The clocks.
    #[inline]
    pub fn clock(&self) -> &dyn Clock {
        &*self.0.clock
    }

    /// The source of randomness.
    #[inline]
    pub fn rng(&self) -> &dyn Rng {
        &*self.0.rng
    }
}
