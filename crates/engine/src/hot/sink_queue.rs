//! The sink queue: rows of sinking tables that commits have written or deleted, and that wait for a
//! sink round.
//!
//! # Invariants
//!
//! * S4: every anchor of a sinking table whose row, or its deletion, is committed is queued here or
//!   held by the sink, until its head is [`SUNK`](super::status::Begin::SUNK). An anchor may be
//!   queued many times, but never with a stamp above that of its newest version: so when the sink
//!   unlinks the anchor, it has taken all its entries. The sink drops an entry that a round has
//!   overtaken: all that was committed up to its stamp is written. Only the sink frees such an
//!   anchor.
//! * S5: a commit queues what it wrote before it gives its slot back, and its slot has its stamp
//!   until then. So a round that finds the horizon above a stamp finds what that commit wrote in
//!   the queue.

use base::ids::{Lsn, StorageId};
use crossbeam_utils::CachePadded;

use crate::hot::anchor::AnchorPtr;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::{Mutex, MutexGuard};

/// A commit is held back by one delay for every this many rows that it queues, or part of them.
pub const ROWS_PER_DELAY: usize = 64;
/// The longest time that a commit is held back.
const DELAY_MAX_NS: u64 = 10_000_000_000;

/// An entry of the queue: a row that a commit has written or deleted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sinking {
    /// Its table.
    pub storage: StorageId,
    /// The row.
    pub anchor: AnchorPtr,
    /// The row can sink once the horizon has passed this stamp.
    pub stamp: Lsn,
}

/// See the module's header.
pub struct SinkQueue {
    shards: Box<[CachePadded<Mutex<Vec<Sinking>>>]>,
    /// Number of entries: an estimate, since it is read without a lock.
    len: AtomicU64,
    /// The greatest stamp of any entry ever added. Changed under a shard's lock.
    newest: AtomicU64,
    /// How long a commit is held back for each [`ROWS_PER_DELAY`] rows that it adds. Written by the
    /// sink.
    delay_ns: AtomicU64,
}

impl SinkQueue {
    /// An empty queue; one shard per worker.
    pub fn new(shards: usize) -> SinkQueue {
        let shards = (0..shards.max(1)).map(|_| CachePadded::default()).collect();
        let (len, newest, delay_ns) = Default::default();
        SinkQueue { shards, len, newest, delay_ns }
    }

    /// Adds the rows of a commit, and empties `rows`.
    pub fn add(&self, shard: usize, rows: &mut Vec<Sinking>) {
        let mut list = lock(&self.shards[shard % self.shards.len()]);
        self.len.fetch_add(rows.len() as u64, Relaxed);
        if let Some(newest) = rows.iter().map(|row| row.stamp).max() {
            self.newest.fetch_max(newest.0, Relaxed);
        }
        list.append(rows);
    }

    /// Removes and returns the entries that can sink when the horizon is at this position.
    pub fn take_below(&self, horizon: Lsn) -> Vec<Sinking> {
        let mut taken = Vec::new();
        for shard in &self.shards {
            lock(shard).retain(|row| {
                let due = row.stamp < horizon;
                if due {
                    taken.push(*row);
                }
                !due
            });
        }
        self.len.fetch_sub(taken.len() as u64, Relaxed);
        taken
    }

    /// How long a commit that has added this many rows is held back, so that rows that wait to sink
    /// do not take too much memory.
    pub fn delay_ns(&self, rows: usize) -> u64 {
        let each = self.delay_ns.load(Relaxed);
        each.saturating_mul(rows.div_ceil(ROWS_PER_DELAY) as u64).min(DELAY_MAX_NS)
    }

    /// Sets how long a commit is held back for each [`ROWS_PER_DELAY`] rows, or part of them, that
    /// it adds.
    pub fn set_delay_ns(&self, delay_ns: u64) {
        self.delay_ns.store(delay_ns, Relaxed);
    }

    /// Whether an entry may wait for the horizon to pass this position or a later one.
    pub fn awaits(&self, position: Lsn) -> bool {
        !self.is_empty() && self.newest.load(Relaxed) >= position.0
    }

    /// About how many entries there are.
    pub fn len(&self) -> u64 {
        self.len.load(Relaxed)
    }

    /// Whether the queue is empty, about.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic under this lock")
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
