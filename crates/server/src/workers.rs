//! The threads that run connections and their statements.
//!
//! There is one for each processor, and as many *spares*, which sleep until the
//! [watchdog](crate::watchdog) finds workers that do not give way. All are threads of one tokio
//! runtime: a spare sleeps in a task that blocks it. It does so before the runtime has any other
//! task, since what has yielded on a worker goes on only when that worker looks at its sockets
//! next, which one that blocks never does. For the same reason a spare that is awake stays awake.

use std::ops::Deref;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Builder, Runtime};

use crate::config::Config;
use crate::startup::{self, StartError};

/// A runtime, which can be used as tokio's.
pub struct Workers {
    /// Dropped first: the runtime ends when all of its threads are awake.
    spares: Spares,
    runtime: Runtime,
}

/// Wakes threads that sleep until they are needed.
#[derive(Clone, Default)]
pub struct Waking(Arc<Sleep>);

#[derive(Default)]
struct Sleep {
    /// How many shall be awake.
    awake: Mutex<usize>,
    changed: Condvar,
}

/// Threads that sleep, until this is dropped or they are needed.
struct Spares(Waking);

impl Workers {
    /// Starts the threads.
    ///
    /// # Errors
    /// A system that has no threads to give.
    pub fn start(config: &Config) -> Result<Workers, StartError> {
        Workers::with(startup::workers(config)).map_err(StartError::Runtime)
    }

    fn with(workers: usize) -> std::io::Result<Workers> {
        let spares = spares(workers);
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers + spares)
            .thread_name("worker")
            .enable_all()
            .build()?;
        let (asleep, is_asleep) = channel();
        let waking = Waking::default();
        for spare in 0..spares {
            let (waking, asleep) = (waking.clone(), asleep.clone());
            runtime.spawn(async move {
                let _ = asleep.send(()); // the receiver waits for it
                waking.0.until_needed(spare);
            });
        }
        for _ in 0..spares {
            is_asleep.recv().expect("a sender is held here");
        }
        Ok(Workers { spares: Spares(waking), runtime })
    }

    /// For the watchdog.
    pub fn waking(&self) -> Waking {
        self.spares.0.clone()
    }
}

/// Threads beside one for each processor, for when this many are stuck.
const fn spares(workers: usize) -> usize {
    if workers < 2 { 2 } else { workers }
}

impl Waking {
    /// From now on at least as many spares are awake, if there are that many.
    pub fn wake(&self, spares: usize) {
        let mut awake = self.0.awake();
        if spares > *awake {
            *awake = spares;
            self.0.changed.notify_all();
        }
    }
}

impl Sleep {
    fn awake(&self) -> MutexGuard<'_, usize> {
        self.awake.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when more than this many spares shall be awake.
    fn until_needed(&self, spare: usize) {
        let woken = self.changed.wait_while(self.awake(), |awake| *awake <= spare);
        drop(woken.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Spares {
    fn drop(&mut self) {
        self.0.wake(usize::MAX);
    }
}

impl Deref for Workers {
    type Target = Runtime;

    fn deref(&self) -> &Runtime {
        &self.runtime
    }
}

#[cfg(test)]
mod tests;
