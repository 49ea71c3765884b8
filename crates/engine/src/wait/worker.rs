//! Workers: what belongs to a polling thread.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use crossbeam_epoch::{Collector, Guard, LocalHandle};
use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use super::stack::{GrowingStack, OutOfStacks, StackPool};

/// A polling thread as the engine sees it. Borrow it from the task each time; it is another one
/// after every wait.
pub struct Worker {
    index: usize,
    handle: LocalHandle,
    counters: Arc<CachePadded<WorkerCounters>>,
    /// Stacks at hand, so that most statements need not lock the pool.
    stacks: RefCell<Vec<GrowingStack>>,
    set: Arc<Set>,
}

/// What a worker counts. Only the worker writes; any thread may read.
#[derive(Default, Debug)]
pub struct WorkerCounters {
    statements: AtomicU64,
    resumes: AtomicU64,
    yields: AtomicU64,
    /// Times that a statement was suspended or ended. One less than `resumes` while a statement
    /// runs.
    suspends: AtomicU64,
    /// The system's number of the worker's thread.
    thread: AtomicU32,
}

/// What a worker does at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkerState {
    /// The system's number of its thread.
    pub thread: u32,
    /// How many times it has gone on with a statement so far.
    pub resumes: u64,
    /// Whether it runs a statement now.
    pub is_running: bool,
}

/// Counters of one worker, or of several added up.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct WorkerStats {
    /// Statements that were started.
    pub statements: u64,
    /// Times that a statement was started or went on after a wait.
    pub resumes: u64,
    /// Times that a statement gave way because its time slice was used up.
    pub yields: u64,
}

/// Stacks that a worker keeps at hand.
const STACKS_AT_HAND: usize = 16;

impl Worker {
    /// The worker's number: small, and unlike that of any other worker alive. Sharded structures
    /// take it modulo their number of shards.
    #[inline]
    pub fn index(&self) -> usize {
        self.index
    }

    /// Pins the current epoch: what is unlinked from now on is freed only after the guard is gone.
    /// The guard must be gone before the next wait (P1).
    #[inline]
    pub fn pin(&self) -> Guard {
        self.handle.pin()
    }

    /// Whether a guard of this worker is alive.
    pub(super) fn is_pinned(&self) -> bool {
        self.handle.is_pinned()
    }

    pub(super) fn count_start(&self) {
        add_one(&self.counters.statements);
    }

    /// The worker goes on with a statement, until the result is dropped.
    pub(super) fn begin_turn(&self) -> Turn<'_> {
        add_one(&self.counters.resumes);
        Turn(self)
    }

    pub(super) fn count_yield(&self) {
        add_one(&self.counters.yields);
    }

    pub(super) fn take_stack(&self) -> Result<GrowingStack, OutOfStacks> {
        match self.stacks.borrow_mut().pop() {
            Some(stack) => Ok(stack),
            None => self.set.stacks.take(),
        }
    }

    pub(super) fn give_stack_back(&self, stack: GrowingStack) {
        let mut stacks = self.stacks.borrow_mut();
        if stacks.len() < STACKS_AT_HAND {
            return stacks.push(stack);
        }
        drop(stacks);
        self.set.stacks.give_back(stack);
    }
}

/// A worker runs a statement. A panic ends the turn, too.
pub(super) struct Turn<'w>(&'w Worker);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        add_one(&self.0.counters.suspends);
    }
}

/// Only one thread writes, so that no atomic addition is needed.
fn add_one(counter: &AtomicU64) {
    counter.store(counter.load(Relaxed) + 1, Relaxed);
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Worker({})", self.index)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stacks.borrow_mut().drain(..).for_each(|stack| self.set.stacks.give_back(stack));
        self.set.numbers.lock().free.push(self.index);
    }
}

/// The workers of a server: each thread that polls statements has one, made when it first does and
/// gone with the thread.
#[derive(Clone)]
pub(super) struct WorkerSet(Arc<Set>);

struct Set {
    /// Tells this set's workers from others' on the same thread.
    id: usize,
    collector: Collector,
    stacks: StackPool,
    numbers: Mutex<Numbers>,
}

#[derive(Default)]
struct Numbers {
    free: Vec<usize>,
    /// By worker number; they outlive the workers and go on counting with the next of that number.
    counters: Vec<Arc<CachePadded<WorkerCounters>>>,
}

thread_local! {
    /// This thread's workers: one for each set, which means one outside of tests. Looked at only by
    /// code that polls, never on a coroutine (P1).
    static WORKERS: RefCell<Vec<Rc<Worker>>> = const { RefCell::new(Vec::new()) };
}

impl WorkerSet {
    pub fn new(collector: Collector, stacks: StackPool) -> WorkerSet {
        static NEXT_ID: AtomicUsize = AtomicUsize::new(0);
        let id = NEXT_ID.fetch_add(1, Relaxed);
        WorkerSet(Arc::new(Set { id, collector, stacks, numbers: Mutex::default() }))
    }

    pub fn collector(&self) -> &Collector {
        &self.0.collector
    }

    pub fn stats(&self) -> Vec<WorkerStats> {
        let numbers = self.0.numbers.lock();
        let read = |counters: &Arc<CachePadded<WorkerCounters>>| WorkerStats {
            statements: counters.statements.load(Relaxed),
            resumes: counters.resumes.load(Relaxed),
            yields: counters.yields.load(Relaxed),
        };
        numbers.counters.iter().map(read).collect()
    }

    pub fn states(&self) -> Vec<WorkerState> {
        let numbers = self.0.numbers.lock();
        let read = |counters: &Arc<CachePadded<WorkerCounters>>| {
            let suspends = counters.suspends.load(Relaxed);
            let resumes = counters.resumes.load(Relaxed);
            let thread = counters.thread.load(Relaxed);
            WorkerState { thread, resumes, is_running: suspends < resumes }
        };
        numbers.counters.iter().map(read).collect()
    }

    /// The calling thread's worker. Not inlined, so that no address of a thread-local variable is
    /// kept by the caller.
    #[inline(never)]
    pub fn current(&self) -> Rc<Worker> {
        let found = WORKERS.try_with(|workers| {
            let mut workers = workers.borrow_mut();
            if let Some(worker) = workers.iter().find(|worker| worker.set.id == self.0.id) {
                return worker.clone();
            }
            let worker = Rc::new(self.new_worker());
            workers.push(worker.clone());
            worker
        });
        // A thread on its way out has no thread-local variables left; its worker lives for a poll.
        found.unwrap_or_else(|_| Rc::new(self.new_worker()))
    }

    #[cold]
    fn new_worker(&self) -> Worker {
        let mut numbers = self.0.numbers.lock();
        let index = numbers.free.pop().unwrap_or_else(|| {
            numbers.counters.push(Arc::default());
            numbers.counters.len() - 1
        });
        numbers.counters[index].thread.store(env::thread::current(), Relaxed);
        Worker {
            index,
            handle: self.0.collector.register(),
            counters: numbers.counters[index].clone(),
            stacks: RefCell::new(Vec::with_capacity(STACKS_AT_HAND)),
            set: self.0.clone(),
        }
    }

    #[cfg(test)]
    #[cfg(not(feature = "shuttle"))]
    pub fn free_stacks(&self) -> usize {
        self.0.stacks.free_count()
    }
}
