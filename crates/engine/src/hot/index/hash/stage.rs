//! The stages of removing buckets from a hash index.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use crossbeam_epoch::Guard;

/// The current stage.
#[derive(Debug)]
pub(super) enum Shrinking {
    /// No bucket is being removed; this many looks in a row have found too many buckets.
    Watching(u32),
    /// New searches enter through the buckets that stay; older ones may still enter through others.
    Entered(Levels, Passed),
    /// The other buckets are being unlinked in the order of their borders; this is the next.
    Unlinking(Levels, u64),
    /// The other buckets are unlinked, but a thread may stand on one.
    Unlinked(Levels, Passed),
}

impl Default for Shrinking {
    fn default() -> Shrinking {
        Shrinking::Watching(0)
    }
}

/// The levels before and after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels {
    /// The level before.
    pub from: u32,
    /// The lower level.
    pub to: u32,
}

impl Levels {
    /// The border of the n-th bucket of level `from`, and that of the last bucket up to it that
    /// stays.
    pub fn border(self, n: u64) -> (u64, u64) {
        let border = n << (u64::BITS - self.from);
        (border, border & !(u64::MAX >> self.to))
    }
}

/// Whether all guards that were held at some moment are gone.
#[derive(Debug)]
pub(super) struct Passed(std::sync::Arc<AtomicBool>);

impl Passed {
    /// Begins to watch the guards that are held now.
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
