//! What all statements of a server share.

use std::fmt;
use std::sync::Arc;

use crossbeam_epoch::Collector;
use env::Env;

use super::stack::StackPool;
use super::timer::Timer;
use super::worker::{WorkerSet, WorkerState, WorkerStats};

/// How statements run.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeOptions {
    /// Bytes of a statement's stack to begin with, besides its guard. Only touched pages cost
    /// memory.
    pub stack_bytes: usize,
    /// To how many bytes a stack can grow. More than `stack_bytes` costs addresses alone until
    /// then.
    pub stack_bytes_max: usize,
    /// Free stacks that are kept; more are unmapped.
    pub stacks_kept: usize,
    /// How long a statement runs before [`super::Task::checkpoint`] lets other sessions have their
    /// turn.
    pub slice_ns: u64,
}

impl Default for RuntimeOptions {
    fn default() -> RuntimeOptions {
        RuntimeOptions {
            stack_bytes: 2 << 20,
            // The address sanitizer keeps a byte for eight of each stack's whole range.
            stack_bytes_max: if cfg!(feature = "sanitizer") { 4 << 20 } else { 64 << 20 },
            stacks_kept: 4096,
            slice_ns: 1_000_000,
        }
    }
}

/// What statements share: workers and their epochs, stacks, the timer, the environment. Cheap to
/// clone.
#[derive(Clone)]
pub struct Runtime(Arc<Parts>);

struct Parts {
    env: Env,
    workers: WorkerSet,
    timer: Arc<dyn Timer>,
    options: RuntimeOptions,
}

impl Runtime {
    /// Statements that free memory through this collector and sleep by this timer.
    pub fn new(
        env: Env,
        collector: Collector,
        timer: Arc<dyn Timer>,
        options: RuntimeOptions,
    ) -> Runtime {
        let stacks =
            StackPool::new(options.stack_bytes, options.stack_bytes_max, options.stacks_kept);
        let workers = WorkerSet::new(collector, stacks);
        Runtime(Arc::new(Parts { env, workers, timer, options }))
    }

    /// The environment: files, clock, randomness.
    pub fn env(&self) -> &Env {
        &self.0.env
    }

    /// The collector whose epochs the workers pin.
    pub fn collector(&self) -> &Collector {
        self.0.workers.collector()
    }

    /// What each worker has done so far, by its number.
    pub fn worker_stats(&self) -> Vec<WorkerStats> {
        self.0.workers.stats()
    }

    /// What each worker does now, by its number. A worker whose count of resumes stays the same
    /// while it runs has not let other sessions have their turn.
    pub fn worker_states(&self) -> Vec<WorkerState> {
        self.0.workers.states()
    }

    pub(super) fn workers(&self) -> &WorkerSet {
        &self.0.workers
    }

    pub(super) fn timer(&self) -> &dyn Timer {
        &*self.0.timer
    }

    pub(super) fn slice_ns(&self) -> u64 {
        self.0.options.slice_ns
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Runtime({:?})", self.0.options)
    }
}
