//! How far a hash index has come with taking buckets away.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use crossbeam_epoch::Guard;

/// How far it has come.
#[derive(Debug)]
pub(super) enum Shrinking {
    /// So many looks in a row have found too many buckets.
    Watching(u32),
    /// Threads enter through the buckets that stay, but for those that were on their way.
    Entered(Levels, Passed),
    /// All others are taken out of the list, in the order of their borders; this is the next.
    Unlinking(Levels, u64),
    /// All are out, but a thread may be on one.
    Unlinked(Levels, Passed),
}

impl Default for Shrinking {
    fn default() -> Shrinking {
        Shrinking::Watching(0)
    }
}

/// Levels of buckets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    /// What there were.
    pub from: u32,
    /// What there are to be.
    pub to: u32,
}

impl Levels {
    /// The border of the n-th bucket, and that of the last one before it that stays: the same if it
    /// stays itself.
    pub fn border(self, n: u64) -> (u64, u64) {
        let border = n << (u64::BITS - self.from);
        (border, border & !(u64::MAX >> self.to))
    }
}

/// Whether all guards that were held at some moment are gone.
#[derive(Debug)]
pub(super) struct Passed(std::sync::Arc<AtomicBool>);

impl Passed {
    /// Of this moment.
    pub fn since(guard: &Guard) -> Passed {
        let passed = Passed(Default::default());
        let flag = passed.0.clone();
        guard.defer(move || flag.store(true, Release));
        guard.flush();
        passed
    }

    pub fn get(&self) -> bool {
        self.0.load(Acquire)
    }
}
