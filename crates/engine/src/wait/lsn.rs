//! Waiters for a log position, woken in order of position.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::task::Waker;

use base::ids::Lsn;
use smallvec::SmallVec;

use super::lock;
use crate::sync::Mutex;
use crate::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::sync::atomic::{AtomicU64, fence};

/// Wakers by the position they wait for. Waking up to a position costs only those it wakes.
pub struct LsnWaiters {
    /// The lowest position waited for, or [`Lsn::MAX`]. Written under the lock; read without it by
    /// `wake_up_to`, whose fence pairs with the one in [`LsnWaiters::register`].
    lowest: AtomicU64,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    queue: BinaryHeap<Reverse<(Lsn, usize, u64)>>,
    slots: Vec<Slot>,
    free: Vec<usize>,
}

#[derive(Default)]
struct Slot {
    /// Tells this registration from earlier ones of the slot, whose queue entries are stale.
    generation: u64,
    waker: Option<Waker>,
}

impl Default for LsnWaiters {
    fn default() -> LsnWaiters {
        LsnWaiters { lowest: AtomicU64::new(Lsn::MAX.0), waiting: Mutex::default() }
    }
}

impl LsnWaiters {
    /// A list without waiters.
    pub fn new() -> LsnWaiters {
        LsnWaiters::default()
    }

    /// Wakes this waker, once, when [`LsnWaiters::wake_up_to`] reaches the position. Compare
    /// positions afterwards. Keep the result for as long as the wait lasts; register anew at every
    /// poll.
    pub fn register(&self, lsn: Lsn, waker: &Waker) -> LsnRegistration<'_> {
        let mut waiting = lock(&self.waiting);
        let slot = waiting.free.pop().unwrap_or_else(|| {
            waiting.slots.push(Slot::default());
            waiting.slots.len() - 1
        });
        waiting.slots[slot].waker = Some(waker.clone());
        let generation = waiting.slots[slot].generation;
        waiting.queue.push(Reverse((lsn, slot, generation)));
        self.publish_lowest(&waiting);
        drop(waiting);
        fence(SeqCst); // pairs with the fence in wake_up_to
        LsnRegistration { list: self, slot, generation }
    }

    /// Wakes all waiters for this position or an earlier one. The position was made visible before.
    pub fn wake_up_to(&self, lsn: Lsn) {
        fence(SeqCst);
        if self.lowest.load(Relaxed) > lsn.0 {
            return;
        }
        let mut woken: SmallVec<[Waker; 32]> = SmallVec::new();
        let mut waiting = lock(&self.waiting);
        while let Some(&Reverse((first, slot, generation))) = waiting.queue.peek() {
            if first > lsn {
                break;
            }
            waiting.queue.pop();
            let slot = &mut waiting.slots[slot];
            if slot.generation == generation {
                woken.extend(slot.waker.take());
            }
        }
        self.publish_lowest(&waiting);
        drop(waiting);
        woken.into_iter().for_each(Waker::wake);
    }

    fn publish_lowest(&self, waiting: &Waiting) {
        let lowest = waiting.queue.peek().map_or(Lsn::MAX, |Reverse((lsn, ..))| *lsn);
        self.lowest.store(lowest.0, Relaxed);
    }
}

impl fmt::Debug for LsnWaiters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LsnWaiters(from {})", self.lowest.load(Relaxed))
    }
}

/// A place in [`LsnWaiters`]; given back when dropped.
#[derive(Debug)]
pub struct LsnRegistration<'a> {
    list: &'a LsnWaiters,
    slot: usize,
    generation: u64,
}

impl Drop for LsnRegistration<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.list.waiting);
        let slot = &mut waiting.slots[self.slot];
        debug_assert_eq!(slot.generation, self.generation, "a place is given back once");
        slot.generation += 1;
        slot.waker = None;
        waiting.free.push(self.slot);
        if waiting.free.len() == waiting.slots.len() {
            *waiting = Waiting::default(); // stale entries and a crowd's memory need not stay
            self.list.publish_lowest(&waiting);
        }
    }
}
