//! Work that blocks, on threads of its own: the workers never block, so a statement that must read
//! or write a file hands that over and waits for it.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread::JoinHandle;

use base::on_purpose::{self, Place};

use super::list::{Event, WaitList};
use super::task::Task;
use crate::sync::plain::parking::{Condvar, Mutex};

type Work = Box<dyn FnOnce() + Send>;

/// A few threads and a bounded queue of work for them. The threads start with the first work.
pub struct OffLoad {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    name: &'static str,
    threads_max: usize,
    queue_max: usize,
    queue: Mutex<Queue>,
    arrived: Condvar,
    room: WaitList,
}

#[derive(Default)]
struct Queue {
    work: VecDeque<Work>,
    threads: usize,
    idle: usize,
    closing: bool,
}

/// Work that was begun. To drop it is to forget its result; the work is done all the same.
pub struct Job<T>(Arc<Outcome<T>>);

struct Outcome<T> {
    /// What came of the work, or with what it panicked.
    result: Mutex<Option<std::thread::Result<T>>>,
    over: Event,
}

/// Tells the waiter that a job is over, even where it panics.
struct Over<T>(Arc<Outcome<T>>);

impl<T> Drop for Over<T> {
    fn drop(&mut self) {
        self.0.over.set();
    }
}

impl OffLoad {
    /// At most this many threads of this name, and this many pieces of work that wait for them.
    pub fn new(name: &'static str, threads_max: usize, queue_max: usize) -> OffLoad {
        assert!(threads_max > 0 && queue_max > 0, "there is a thread, and room for work");
        let shared = Shared {
            name,
            threads_max,
            queue_max,
            queue: Mutex::default(),
            arrived: Condvar::new(),
            room: WaitList::new(),
        };
        OffLoad { shared: Arc::new(shared), threads: Mutex::default() }
    }

    /// Begins work; waits for room in the queue, not for the work.
    pub fn begin<T: Send + 'static>(
        &self,
        task: &Task<'_>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Job<T> {
        let outcome = Arc::new(Outcome { result: Mutex::new(None), over: Event::new() });
        let over = Over(outcome.clone());
        let mut work: Option<Work> = Some(Box::new(move || {
            let result = panic::catch_unwind(AssertUnwindSafe(|| {
                on_purpose::reached(Place::OffLoad);
                work()
            }));
            *over.0.result.lock() = Some(result);
        }));
        self.shared.room.wait(task, || {
            let mut queue = self.shared.queue.lock();
            (queue.work.len() < self.shared.queue_max).then(|| {
                queue.work.push_back(work.take().expect("there is room once"));
            })
        });
        self.rouse();
        Job(outcome)
    }

    /// Begins work whose end no task waits for, whatever is in the queue: cleaning up.
    pub fn hand_over(&self, work: impl FnOnce() + Send + 'static) {
        self.shared.queue.lock().work.push_back(Box::new(work));
        self.rouse();
    }

    /// Makes sure that a thread takes the work in the queue.
    fn rouse(&self) {
        let mut queue = self.shared.queue.lock();
        if queue.idle >= queue.work.len() || queue.threads == self.shared.threads_max {
            self.shared.arrived.notify_one();
            return;
        }
        queue.threads += 1;
        drop(queue);
        let shared = self.shared.clone();
        let builder = std::thread::Builder::new().name(self.shared.name.into());
        match builder.spawn(move || shared.run()) {
            Ok(thread) => self.threads.lock().push(thread),
            Err(error) => {
                let mut queue = self.shared.queue.lock();
                queue.threads -= 1;
                assert!(queue.threads > 0, "the system has a thread for files: {error}");
            }
        }
    }
}

impl Drop for OffLoad {
    /// What was begun is done first.
    fn drop(&mut self) {
        self.shared.queue.lock().closing = true;
        self.shared.arrived.notify_all();
        for thread in self.threads.get_mut().drain(..) {
            let _ = thread.join(); // the waiter for a job that panicked has got the panic
        }
    }
}

impl Shared {
    fn run(&self) {
        let mut queue = self.queue.lock();
        loop {
            let Some(work) = queue.work.pop_front() else {
                if queue.closing {
                    return;
                }
                queue.idle += 1;
                self.arrived.wait(&mut queue);
                queue.idle -= 1;
                continue;
            };
            drop(queue);
            self.room.wake_all();
            // A panic has been reported, and ends neither the thread nor the queue.
            let _ = panic::catch_unwind(AssertUnwindSafe(work));
            queue = self.queue.lock();
        }
    }
}

impl<T> Job<T> {
    /// Waits for the result, whatever happens to the statement: what the work uses is its own until
    /// then.
    ///
    /// # Panics
    /// If the work did.
    pub fn wait(self, task: &Task<'_>) -> T {
        self.0.over.wait(task);
        let result = self.0.result.lock().take();
        match result.expect("the work has left its result") {
            Ok(result) => result,
            Err(panicked) => panic::resume_unwind(panicked),
        }
    }
}

impl fmt::Debug for OffLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OffLoad({})", self.shared.name)
    }
}

impl<T> fmt::Debug for Job<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.0.over.is_set() { "Job(over)" } else { "Job(under way)" })
    }
}

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;
