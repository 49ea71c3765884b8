//! What is to sink: the rows of tables that have begun to, as commits leave them.
//!
//! # Invariants
//!
//! * S4: of a table that sinks, every anchor whose row is committed, or deleted by a commit, is
//!   queued here or held by the sink, until it says [`SUNK`](super::status::Begin::SUNK). An anchor
//!   may be queued many times, but not behind the stamp of its newest version: so when the sink
//!   takes it down, it has taken all its entries. The sink drops an entry that a round has
//!   overtaken: all that was committed up to its stamp is written. Only the sink frees such an
//!   anchor.
//! * S5: a commit queues what it wrote before it gives its slot back, which has its stamp until
//!   then. So a round that finds the horizon above a stamp finds what that commit wrote in the
//!   queue.

use base::ids::{Lsn, StorageId};
use crossbeam_utils::CachePadded;

use crate::hot::anchor::AnchorPtr;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::{Mutex, MutexGuard};

/// Rows of one delay of commits.
pub const ROWS_OF_DELAY: usize = 64;
/// No commit is held back longer.
const DELAY_MAX_NS: u64 = 10_000_000_000;

/// A row that a commit left behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sinking {
    /// Its table.
    pub storage: StorageId,
    /// The row.
    pub anchor: AnchorPtr,
    /// When it can sink: once the horizon has passed this stamp.
    pub stamp: Lsn,
}

/// See the module's header.
pub struct SinkQueue {
    shards: Box<[CachePadded<Mutex<Vec<Sinking>>>]>,
    /// Entries. Changed under a shard's lock, read without one as an estimate.
    len: AtomicU64,
    /// The greatest stamp of any entry that there has been. Changed under a shard's lock.
    newest: AtomicU64,
    /// How long commits are held back for every few rows that they add. Written by the sink.
    delay_ns: AtomicU64,
}

impl SinkQueue {
    /// Nothing to sink; one list per worker.
    pub fn new(shards: usize) -> SinkQueue {
        let shards = (0..shards.max(1)).map(|_| CachePadded::default()).collect();
        let (len, newest, delay_ns) = Default::default();
        SinkQueue { shards, len, newest, delay_ns }
    }

    /// Adds what a commit left behind.
    pub fn add(&self, shard: usize, rows: &mut Vec<Sinking>) {
        let mut list = lock(&self.shards[shard % self.shards.len()]);
        self.len.fetch_add(rows.len() as u64, Relaxed);
        if let Some(newest) = rows.iter().map(|row| row.stamp).max() {
            self.newest.fetch_max(newest.0, Relaxed);
        }
        list.append(rows);
    }

    /// Takes out what can sink when the horizon is here.
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

    /// How long a commit that has added this many rows waits, so that there is not too much.
    pub fn delay_ns(&self, rows: usize) -> u64 {
        let each = self.delay_ns.load(Relaxed);
        each.saturating_mul(rows.div_ceil(ROWS_OF_DELAY) as u64).min(DELAY_MAX_NS)
    }

    /// Holds commits back that add something: this long for every [`ROWS_OF_DELAY`] rows that they
    /// have begun.
    pub fn set_delay_ns(&self, delay_ns: u64) {
        self.delay_ns.store(delay_ns, Relaxed);
    }

    /// Whether something waits for the horizon to pass this position, or a later one.
    pub fn awaits(&self, position: Lsn) -> bool {
        !self.is_empty() && self.newest.load(Relaxed) >= position.0
    }

    /// About how many entries there are.
    pub fn len(&self) -> u64 {
        self.len.load(Relaxed)
    }

    /// Whether nothing is to sink, about.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic under this lock")
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    /// A commit of a hundred thousand rows was held back as long as one of a single row, so that
    /// loads went far beyond the memory that was theirs.
    #[test]
    fn a_commit_is_held_back_for_as_much_as_it_has_written() {
        let queue = SinkQueue::new(1);
        assert_eq!(queue.delay_ns(1000), 0);
        queue.set_delay_ns(20_000_000);
        assert_eq!(queue.delay_ns(0), 0);
        assert_eq!(queue.delay_ns(1), 20_000_000);
        assert_eq!(queue.delay_ns(6400), 2_000_000_000);
        assert_eq!(queue.delay_ns(1 << 30), DELAY_MAX_NS);
    }
}
