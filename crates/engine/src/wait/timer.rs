//! Timers: how the executor lends its clockwork to waiting statements.

use std::any::Any;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::Waker;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::critical;
use env::Clock;
use env::real::RealClock;
use parking_lot::{Condvar, Mutex};

/// Wakes wakers after a while.
pub trait Timer: Send + Sync {
    /// Wakes the waker when this much time has passed, unless the result is dropped before.
    fn arm(&self, delay_ns: u64, waker: Waker) -> Armed;

    /// Wakes the waker of a statement that lets other sessions have their turn. An executor that
    /// serves sockets looks at them before it goes on with the statement.
    fn yield_to_others(&self, waker: &Waker) {
        waker.wake_by_ref();
    }
}

/// A running timer; dropping it stops it.
pub struct Armed(#[allow(dead_code, reason = "it is kept to be dropped")] Box<dyn Any + Send>);

impl Armed {
    /// A timer that stops when this value is dropped.
    pub fn new(running: impl Any + Send) -> Armed {
        Armed(Box::new(running))
    }
}

impl fmt::Debug for Armed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad("Armed")
    }
}

/// A timer on a thread of its own, for programs without an executor that has one.
pub struct ThreadTimer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    clock: RealClock,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    due: BinaryHeap<Due>,
    closing: bool,
}

struct Due {
    at_ns: u64,
    waker: Waker,
    stopped: Arc<AtomicBool>,
}

/// Ordered so that the earliest is the greatest.
impl Ord for Due {
    fn cmp(&self, other: &Due) -> Ordering {
        other.at_ns.cmp(&self.at_ns)
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Due) -> bool {
        self.at_ns == other.at_ns
    }
}

impl Eq for Due {}

/// Marks a timer as stopped when dropped.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed); // a wake-up that comes through all the same does no harm
    }
}

impl ThreadTimer {
    /// Starts the thread, which ends when the timer is dropped.
    ///
    /// # Panics
    /// If the system has no thread to give.
    pub fn new() -> ThreadTimer {
        let shared = Arc::new(Shared {
            clock: RealClock::new(),
            queue: Mutex::default(),
            changed: Condvar::new(),
        });
        let own = shared.clone();
        let thread = std::thread::Builder::new()
            .name("timer".into())
            .spawn(critical::thread("timer", move || own.run()))
            .expect("the system has a thread for the timer");
        ThreadTimer { shared, thread: Some(thread) }
    }
}

impl Default for ThreadTimer {
    fn default() -> ThreadTimer {
        ThreadTimer::new()
    }
}

impl Timer for ThreadTimer {
    fn arm(&self, delay_ns: u64, waker: Waker) -> Armed {
        let stopped = Arc::new(AtomicBool::new(false));
        let at_ns = self.shared.clock.now_ns().saturating_add(delay_ns);
        let mut queue = self.shared.queue.lock();
        let is_next = queue.due.peek().is_none_or(|next| at_ns < next.at_ns);
        queue.due.push(Due { at_ns, waker, stopped: stopped.clone() });
        drop(queue);
        if is_next {
            self.shared.changed.notify_one();
        }
        Armed::new(Stop(stopped))
    }
}

impl Drop for ThreadTimer {
    fn drop(&mut self) {
        self.shared.queue.lock().closing = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // wakers may panic; that does not concern the timer
        }
    }
}

impl Shared {
    fn run(&self) {
        let mut queue = self.queue.lock();
        while !queue.closing {
            let now_ns = self.clock.now_ns();
            match queue.due.peek() {
                None => self.changed.wait(&mut queue),
                Some(next) if next.at_ns > now_ns && !next.stopped.load(Relaxed) => {
                    let delay = Duration::from_nanos(next.at_ns - now_ns);
                    self.changed.wait_for(&mut queue, delay);
                }
                Some(_) => {
                    let due = queue.due.pop().expect("it was there a line ago");
                    if !due.stopped.load(Relaxed) {
                        parking_lot::MutexGuard::unlocked(&mut queue, || due.waker.wake());
                    }
                }
            }
        }
    }
}
