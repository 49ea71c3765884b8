//! Version locks: a reader reads a node without writing to memory, and then checks whether the node
//! has changed.

use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::atomic::fence;
use crate::sync::{Word, spin_loop, thread};

/// Flag: the node has been replaced by others.
const OBSOLETE: u64 = 1;
const LOCKED: u64 = 2;
/// Added to the version by an unlock after a change.
const STEP: u64 = 4;

/// Turns of a waiting loop before the thread yields, since the holder may have been preempted.
const SPINS: u32 = 100;

/// The operation must begin again: what it has read may be inconsistent, or a node is out of the
/// tree.
#[derive(Debug)]
pub(super) struct Retry;

/// The version of a node at which a thread has read it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Seen(u64);

/// The version lock of a node.
#[derive(Debug)]
pub(super) struct Version(Word);

impl Version {
    pub(super) const fn new() -> Version {
        Version(Word::new(0))
    }

    /// Begins to read: waits until no thread holds the lock.
    #[inline]
    pub(super) fn read(&self) -> Result<Seen, Retry> {
        let mut turns = 0;
        loop {
            // Acquire: pairs with the unlock, so that what was written before it is seen.
            let version = self.0.load(Acquire);
            match version & (OBSOLETE | LOCKED) {
                0 => return Ok(Seen(version)),
                LOCKED => turns = wait(turns),
                _ => return Err(Retry),
            }
        }
    }

    /// Fails unless everything read since `seen` is of one state of the node.
    #[inline]
    pub(super) fn check(&self, seen: Seen) -> Result<(), Retry> {
        // Pairs with the fence in `lock`: a thread that has read what a writer has written sees the
        // version locked by that writer, or a later one.
        fence(Acquire);
        if self.0.load(Relaxed) == seen.0 { Ok(()) } else { Err(Retry) }
    }

    /// Locks the node if its version is still `seen`. Never waits.
    pub(super) fn lock(&self, seen: Seen) -> Result<Locked<'_>, Retry> {
        match self.0.compare_exchange(seen.0, seen.0 | LOCKED, Acquire, Relaxed) {
            Err(_) => Err(Retry),
            Ok(_) => {
                // Pairs with the fence in `check`.
                fence(Release);
                Ok(Locked { version: self, seen, changed: false })
            }
        }
    }
}

/// The right to change a node.
#[derive(Debug)]
pub(super) struct Locked<'g> {
    version: &'g Version,
    seen: Seen,
    changed: bool,
}

impl Locked<'_> {
    /// Unlocks the node as changed.
    pub(super) fn unlock(mut self) {
        self.changed = true;
    }

    /// Marks the node as obsolete, after it has been replaced; it stays so.
    pub(super) fn retire(self) {
        self.version.0.store(self.seen.0 | OBSOLETE, Release);
        std::mem::forget(self);
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let version = if self.changed { self.seen.0 + STEP } else { self.seen.0 };
        // Release: pairs with the Acquire of threads that read or lock next.
        self.version.0.store(version, Release);
    }
}

/// One turn of a loop that waits for another thread's few instructions.
#[cold]
pub(super) fn wait(turns: u32) -> u32 {
    if turns < SPINS {
        spin_loop();
        return turns + 1;
    }
    thread::yield_now();
    0
}
