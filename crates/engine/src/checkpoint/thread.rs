//! The thread that makes a database's checkpoints.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread::JoinHandle;
use std::time::Duration;

use super::error::{CheckpointError, Result};
use super::manifest::CommitRange;
use super::pins::Pin;
use super::round::{CheckpointCore, CoreParts, FOLLOW_PART};
use super::view::{CheckpointFile, CheckpointStats};
use crate::critical;
use crate::sync::plain::parking::{Condvar, Mutex};
use crate::wait::{Task, WaitList};

/// The longest pause after failures, in intervals.
const PAUSE_MAX: u32 = 64;

/// The checkpoints of a database that is open. Dropping this ends the thread.
pub(crate) struct Checkpoints {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    core: CheckpointCore,
    orders: Mutex<Orders>,
    changed: Condvar,
    /// Orders that were carried out. Written by the thread, under the lock of `orders`.
    done: AtomicU64,
    waiting: WaitList,
}

/// What a caller asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// A checkpoint of what is durable now.
    Checkpoint,
    /// As that, and the pairs that lie within the range merged.
    Merge(CommitRange),
    /// What waits for the next checkpoint removed.
    CollectGarbage,
}

#[derive(Default)]
struct Orders {
    queue: Vec<QueuedOrder>,
    given: u64,
    /// Results that have not been fetched yet.
    results: Vec<OrderResult>,
    closed: bool,
}

/// An order and its number, by which the caller finds the result.
struct QueuedOrder {
    ticket: u64,
    order: Order,
}

struct OrderResult {
    ticket: u64,
    result: Result<bool>,
}

impl Checkpoints {
    /// Starts the thread; without one there are no checkpoints but those that are asked for in
    /// vain.
    pub fn start(parts: CoreParts) -> Checkpoints {
        let core = CheckpointCore::new(parts);
        let shared = Arc::new(Shared {
            core,
            orders: Mutex::default(),
            changed: Condvar::new(),
            done: AtomicU64::new(0),
            waiting: WaitList::new(),
        });
        let own = shared.clone();
        let run = critical::thread("checkpoint", move || own.run());
        let spawned = std::thread::Builder::new().name("checkpoint".into()).spawn(run);
        if spawned.is_err() {
            shared.orders.lock().closed = true;
        }
        Checkpoints { shared, thread: Mutex::new(spawned.ok()) }
    }

    /// Requests work of the thread, and waits for it. `false` if there was nothing to do.
    pub fn order(&self, task: &Task, order: Order) -> Result<bool> {
        let shared = &*self.shared;
        let ticket = {
            let mut orders = shared.orders.lock();
            if orders.closed {
                return Err(CheckpointError::Closed);
            }
            orders.given += 1;
            let ticket = orders.given;
            orders.queue.push(QueuedOrder { ticket, order });
            ticket
        };
        shared.changed.notify_all();
        shared.waiting.wait(task, || {
            // Pairs with the thread's Release: the result is there.
            if shared.done.load(Acquire) < ticket {
                return None;
            }
            let mut orders = shared.orders.lock();
            let place = orders.results.iter().position(|done| done.ticket == ticket);
            let take = |place| orders.results.swap_remove(place).result;
            Some(place.map_or(Err(CheckpointError::Closed), take))
        })
    }

    /// A checkpoint of what is durable now, before the database goes down. The shutdown does not
    /// wait for merges, which have time until the database is up again.
    pub fn last(&self, task: &Task) -> Result<bool> {
        self.shared.core.ending.store(true, Relaxed);
        self.order(task, Order::Checkpoint)
    }

    /// Bytes of log since the last checkpoint.
    pub fn lag(&self) -> u64 {
        self.shared.core.lag()
    }

    /// Keeps the files of the last checkpoint, and the log from where it needs it.
    pub fn pin(&self) -> Pin {
        let core = &self.shared.core;
        core.pins.pin(&core.published)
    }

    /// Gives up the log that neither recovery nor a backup needs.
    pub fn truncate_log(&self) -> Result<()> {
        self.shared.core.truncate_log()
    }

    /// Ends the thread; callers that wait get an error.
    pub fn stop(&self) {
        self.shared.core.closing.store(true, Release); // pairs with the Acquire in rounds
        self.shared.orders.lock().closed = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // A panic of it has been reported.
            let _ = thread.join();
        }
    }

    /// The files there are.
    pub fn files(&self) -> Vec<CheckpointFile> {
        self.shared.core.files()
    }

    /// Why the last attempt failed, if it did.
    pub fn failure(&self) -> Option<CheckpointError> {
        self.shared.core.failure.lock().expect("no panic under this lock").clone()
    }

    /// What was done since the database came up.
    pub fn stats(&self) -> CheckpointStats {
        self.shared.core.stats()
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Tells waiting callers that their orders are not carried out any more, even after a panic.
struct Ending<'a>(&'a Shared);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let mut orders = self.0.orders.lock();
        orders.closed = true;
        self.0.done.store(orders.given, Release); // pairs with the Acquire in order()
        drop(orders);
        self.0.waiting.wake_all();
    }
}

impl Shared {
    fn run(&self) {
        let _ending = Ending(self);
        let mut pause = 1;
        let mut looks = 0;
        loop {
            let orders = {
                let mut orders = self.orders.lock();
                if orders.queue.is_empty() && !orders.closed {
                    let interval = Duration::from_nanos(self.core.options.interval_ns) * pause;
                    let pauses = &self.core.counters.pauses;
                    pauses.time(self.core.clock(), || self.changed.wait_for(&mut orders, interval));
                }
                if orders.closed {
                    break;
                }
                std::mem::take(&mut orders.queue)
            };
            let failed = match orders.is_empty() {
                true if looks >= self.core.options.tidy_every => {
                    looks = 0;
                    self.core.tidy().is_err()
                }
                true => {
                    looks += 1;
                    self.watch().is_err()
                }
                false => self.carry_out(orders),
            };
            pause = if failed { (2 * pause).min(PAUSE_MAX) } else { 1 };
        }
    }

    /// Follows the log if there is enough of it.
    fn watch(&self) -> Result<()> {
        let options = &self.core.options;
        let worth = (options.data_bytes / FOLLOW_PART).min(options.log_bytes);
        match self.core.unread() >= worth {
            true => self.core.follow(),
            false => {
                self.core.counters.idle.fetch_add(1, Relaxed);
                Ok(())
            }
        }
    }

    /// Carries out what was ordered. Returns whether anything failed.
    fn carry_out(&self, orders: Vec<QueuedOrder>) -> bool {
        let mut failed = false;
        for QueuedOrder { ticket, order } in orders {
            let result = match order {
                Order::Checkpoint => self.core.checkpoint().map(|()| true),
                Order::Merge(range) => self.core.merge_range(range),
                Order::CollectGarbage => self.core.collect_garbage().map(|()| true),
            };
            failed |= result.is_err();
            self.orders.lock().results.push(OrderResult { ticket, result });
            self.done.store(ticket, Release); // pairs with the Acquire in order()
            self.waiting.wake_all();
        }
        failed
    }
}
