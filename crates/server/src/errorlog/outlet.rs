//! An outlet for lines that must not block the threads that log: a thread of its own writes them.
//!
//! What the thread cannot take in time, since a pipe is not read or a disk is slow, is left out and
//! counted.

use std::collections::VecDeque;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::Builder;
use std::time::Duration;

/// Lines that wait at most.
const WAITING_MAX: usize = 10_000;

/// What a thread writes to.
pub trait Target: Send + 'static {
    /// Writes text. Returns whether that succeeded.
    fn write(&mut self, text: &str) -> bool;
}

/// See the module's header.
pub struct Outlet<T>(Arc<Shared<T>>);

struct Shared<T> {
    // Not the engine's locks: a panic is written down here, too, whatever it has interrupted.
    queue: Mutex<Queue<T>>,
    arrived: Condvar,
}

struct Queue<T> {
    orders: VecDeque<Order<T>>,
    lines: usize,
    /// Since the last line that waits.
    left_out: u64,
    closing: bool,
}

enum Order<T> {
    /// A line, and how many were left out just before it.
    Line(String, u64),
    Call(Box<dyn FnOnce(&mut T) + Send>),
}

impl<T: Target> Outlet<T> {
    /// Starts a thread of this name for a target; without one nothing is written.
    pub fn start(name: &str, mut target: T) -> Outlet<T> {
        let queue = Queue { orders: VecDeque::new(), lines: 0, left_out: 0, closing: false };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), arrived: Condvar::new() });
        let own = shared.clone();
        let started = Builder::new().name(name.into()).spawn(move || own.run(&mut target));
        if started.is_err() {
            shared.lock().closing = true;
        }
        Outlet(shared)
    }

    /// Queues a line, or several, for writing.
    pub fn put(&self, line: String) {
        let mut queue = self.0.lock();
        if queue.closing || queue.lines >= WAITING_MAX {
            queue.left_out += 1;
            return;
        }
        queue.lines += 1;
        let left_out = std::mem::take(&mut queue.left_out);
        queue.orders.push_back(Order::Line(line, left_out));
        drop(queue);
        self.0.arrived.notify_one();
    }

    /// Runs a function on the target, after what was put before. `None` if that takes too long.
    pub fn call<R: Send + 'static>(
        &self,
        at_most: Duration,
        call: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> Option<R> {
        let (send, receive) = channel();
        let mut queue = self.0.lock();
        if queue.closing {
            return None;
        }
        queue.orders.push_back(Order::Call(Box::new(move |target| {
            let _ = send.send(call(target)); // the caller may have lost patience
        })));
        drop(queue);
        self.0.arrived.notify_one();
        receive.recv_timeout(at_most).ok()
    }

    /// Waits until what was put before is written, but no longer.
    pub fn flush(&self, at_most: Duration) {
        let _ = self.call(at_most, |_| ());
    }
}

impl<T> Drop for Outlet<T> {
    /// The thread writes what there is, and ends.
    fn drop(&mut self) {
        self.0.lock().closing = true;
        self.0.arrived.notify_one();
    }
}

impl<T> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, Queue<T>> {
        self.queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The next order; nothing at the end.
    fn next(&self) -> Option<Order<T>> {
        let mut queue = self.lock();
        loop {
            if let Some(order) = queue.orders.pop_front() {
                queue.lines -= usize::from(matches!(order, Order::Line(..)));
                return Some(order);
            }
            if queue.closing {
                return None;
            }
            queue = self.arrived.wait(queue).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

impl<T: Target> Shared<T> {
    fn run(&self, target: &mut T) {
        let mut missing = 0;
        while let Some(order) = self.next() {
            match order {
                Order::Call(call) => call(target),
                Order::Line(line, left_out) => {
                    missing += left_out;
                    if missing > 0 && target.write(&missing_lines(missing)) {
                        missing = 0;
                    }
                    missing += u64::from(!target.write(&line));
                }
            }
        }
    }
}

/// What stands in the place of lines that could not be written.
fn missing_lines(count: u64) -> String {
    format!("\t[{count} entries could not be written before the next one.]\n")
}

#[cfg(test)]
mod tests;
