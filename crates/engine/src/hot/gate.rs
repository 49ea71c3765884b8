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
mod tests {
    use super::*;

    #[test]
    fn closing_waits_for_those_inside_and_keeps_others_out() {
        let gate = Gate::new(2);
        assert_eq!(gate.try_enter(0, 1), Ok(()));
        assert_eq!(gate.try_close(2), Ok(()));
        assert!(!gate.is_empty(0));
        assert_eq!(gate.try_enter(1, 3), Err(2));
        assert_eq!(gate.try_close(3), Err(2));
        assert_eq!(gate.try_enter(1, 2), Ok(()), "the closer itself may enter");
        assert!(gate.leave(0));
        assert!(gate.is_empty(1));
        gate.leave(1);
        gate.open();
        assert_eq!(gate.try_enter(1, 3), Ok(()));
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod interleavings {
    use shuttle::sync::{Condvar, Mutex};

    use super::*;
    use crate::sync::{Arc, thread};

    #[test]
    fn an_owner_that_closes_a_gate_hears_of_failed_attempts_to_enter() {
        shuttle::check_random(
            || {
                let gate = Arc::new(Gate::new(2));
                let calls = Arc::new((Mutex::new(0), Condvar::new()));
                let users: Vec<_> = (0..2)
                    .map(|i| {
                        let (gate, calls) = (gate.clone(), calls.clone());
                        thread::spawn(move || {
                            let entered = gate.try_enter(i, 10 + i as u64);
                            if entered.is_err() || gate.leave(i) {
                                *calls.0.lock().expect("no panic") += 1;
                                calls.1.notify_all();
                            }
                        })
                    })
                    .collect();
                gate.try_close(99).expect("no other owner closes");
                loop {
                    let before = *calls.0.lock().expect("no panic");
                    if gate.is_empty(0) {
                        break;
                    }
                    let mut now = calls.0.lock().expect("no panic");
                    while *now == before {
                        now = calls.1.wait(now).expect("no panic");
                    }
                }
                users.into_iter().for_each(|u| u.join().expect("no panic"));
            },
            2000,
        );
    }

    #[test]
    fn no_user_is_inside_a_gate_that_was_found_empty() {
        shuttle::check_random(
            || {
                let gate = Arc::new(Gate::new(2));
                let inside = Arc::new(AtomicI64::new(0));
                let users: Vec<_> = (0..2)
                    .map(|i| {
                        let (gate, inside) = (gate.clone(), inside.clone());
                        thread::spawn(move || {
                            if gate.try_enter(i, 10 + i as u64).is_ok() {
                                inside.fetch_add(1, SeqCst);
                                inside.fetch_sub(1, SeqCst);
                                gate.leave(i);
                            }
                        })
                    })
                    .collect();
                gate.try_close(99).expect("no other owner closes");
                if gate.is_empty(0) {
                    assert_eq!(inside.load(SeqCst), 0);
                }
                users.into_iter().for_each(|u| u.join().expect("no panic"));
                assert!(gate.is_empty(0));
            },
            2000,
        );
    }
}
