//! The gate in front of a table: statements pass it shared, DDL closes it.
//!
//! A transaction that reads or writes the table holds the gate shared until it ends, so that DDL
//! never changes a table under it. Holders are counted in shards, one cache line each, so that they
//! do not contend for one line. DDL first stores its owner in `exclusive` and then sums the shards;
//! a transaction that enters first counts itself and then reads `exclusive`. So at least one of the
//! two sees the other. `txn::waits` does the waiting.

use crossbeam_utils::CachePadded;

use crate::sync::atomic::Ordering::SeqCst;
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

/// See the module's header.
#[derive(Debug)]
pub struct Gate {
    shards: Box<[CachePadded<AtomicI64>]>,
    /// The owner that closes or has closed the gate, or 0.
    exclusive: AtomicU64,
    retired: AtomicBool,
}

impl Gate {
    /// An open gate.
    pub fn new(shards: usize) -> Gate {
        Gate {
            shards: (0..shards.max(1)).map(|_| CachePadded::default()).collect(),
            exclusive: AtomicU64::new(0),
            retired: AtomicBool::new(false),
        }
    }

    /// Enters, unless an owner other than `owner` is closing the gate. In that case returns the
    /// closing owner; the caller must wake it if it waits for the gate to empty, since it may have
    /// counted this failed attempt.
    pub fn try_enter(&self, shard: usize, owner: u64) -> Result<(), u64> {
        let counter = &self.shards[shard % self.shards.len()];
        counter.fetch_add(1, SeqCst);
        match self.exclusive.load(SeqCst) {
            0 => Ok(()),
            holder if holder == owner => Ok(()),
            holder => {
                counter.fetch_sub(1, SeqCst);
                Err(holder)
            }
        }
    }

    /// Leaves through the shard by which the caller entered. Returns whether an owner may wait for
    /// the gate to empty.
    pub fn leave(&self, shard: usize) -> bool {
        self.shards[shard % self.shards.len()].fetch_sub(1, SeqCst);
        self.exclusive.load(SeqCst) != 0
    }

    /// Starts to close the gate: from here on no other owner can enter. Fails with the owner that
    /// is closing it already.
    pub fn try_close(&self, owner: u64) -> Result<(), u64> {
        match self.exclusive.compare_exchange(0, owner, SeqCst, SeqCst) {
            Ok(_) => Ok(()),
            Err(holder) if holder == owner => Ok(()),
            Err(holder) => Err(holder),
        }
    }

    /// Whether only the closing owner, which entered `own` times, is inside.
    pub fn is_empty(&self, own: i64) -> bool {
        self.shards.iter().map(|s| s.load(SeqCst)).sum::<i64>() == own
    }

    /// Opens the gate again.
    pub fn open(&self) {
        self.exclusive.store(0, SeqCst);
    }

    /// The owner that closes or has closed the gate.
    pub fn closing(&self) -> Option<u64> {
        match self.exclusive.load(SeqCst) {
            0 => None,
            owner => Some(owner),
        }
    }

    /// Marks the table as dropped or replaced: plans that use it must be recompiled.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    /// Whether [`Gate::retire`] was called.
    pub fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Acquire)
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

#[cfg(all(test, feature = "shuttle"))]
mod interleavings;
