//! Sees to it that a statement that computes on and on takes no more than its own worker.
//!
//! Statements give way every millisecond, so that a worker soon comes back to sockets and other sessions. One
//! that does not (a computation without checkpoints, which is a fault of ours) keeps its thread. The watchdog
//! looks at all workers from a thread of its own: one that has spent a tenth of a second of processor time on
//! one turn is *stuck*. It is named in the error log, once a minute at most, and a *spare* takes its place:
//!
//! tokio's runtime has more threads than statements are to be run on. The others are kept asleep by a task that
//! blocks its thread. When a worker is stuck, the watchdog ends one of these tasks, and the thread takes over
//! what the stuck worker has in its queue; when the worker is back, another such task is spawned.

use std::collections::HashMap;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::wait::WorkerState;
use env::Env;
use tokio::runtime::Handle;
use tracing::warn;

use crate::server::Server;

/// How often workers are looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// A worker that has spent so much processor time on one turn is stuck.
const STUCK_NS: u64 = 100_000_000;
/// A worker whose turn has lasted this long is one too, whatever it waits for.
const STUCK_FOR: Duration = Duration::from_secs(1);
/// How often stuck workers are named in the error log.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Threads beside the workers that are kept for when workers are stuck.
pub const fn spares(workers: usize) -> usize {
    if workers < 2 { 2 } else { workers }
}

/// Threads that wait.
#[derive(Default)]
struct Spares {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Threads that shall stop to wait.
    released: usize,
    /// All shall.
    ended: bool,
}

impl Spares {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Has a thread of the runtime wait.
    fn hold_one(self: &Arc<Self>, runtime: &Handle) {
        let spares = self.clone();
        runtime.spawn(async move {
            // A task that comes from the worker's own queue leaves nothing in the worker's slot for the next task, from
            // where no other worker takes.
            tokio::task::yield_now().await;
            spares.wait();
        });
    }

    fn wait(&self) {
        let mut state = self.state();
        loop {
            if state.ended {
                return;
            }
            if state.released > 0 {
                state.released -= 1;
                return;
            }
            state = self.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }

    fn release_one(&self) {
        self.state().released += 1;
        self.changed.notify_one();
    }

    fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }
}

/// Watches workers until it is dropped.
pub struct Watchdog {
    spares: Arc<Spares>,
    /// The thread, which ends when the sender is gone.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Watchdog {
    /// Starts to watch the workers of this runtime, which has as many threads more as [`spares`] says.
    pub fn start(server: &Arc<Server>, workers: usize, runtime: Handle) -> Watchdog {
        let spares = Arc::<Spares>::default();
        (0..self::spares(workers)).for_each(|_| spares.hold_one(&runtime));
        let (over, until) = channel();
        let (server, own) = (server.clone(), spares.clone());
        let watch = move || {
            let mut watch = Watch::new(self::spares(workers));
            while until.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let states = server.runtime().worker_states();
                let before = watch.active;
                watch.look(server.env(), &states, Instant::now());
                (before..watch.active).for_each(|_| own.release_one());
                (watch.active..before).for_each(|_| own.hold_one(&runtime));
            }
        };
        let thread = match std::thread::Builder::new().name("watchdog".into()).spawn(watch) {
            Ok(thread) => Some((over, thread)),
            Err(error) => {
                warn!("workers are not watched: {error}");
                None
            }
        };
        Watchdog { spares, thread }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.thread.take() {
            drop(over);
            let _ = thread.join(); // a panic of it has been reported
        }
        self.spares.end();
    }
}

/// A worker's turn.
struct Turn {
    resumes: u64,
    began: Instant,
    /// Processor time of the thread when the turn was first seen.
    cpu_ns: u64,
}

struct Watch {
    turns: HashMap<usize, Turn>,
    /// Spares that run for stuck workers, and how many there are.
    active: usize,
    most: usize,
    told: Option<Instant>,
}

impl Watch {
    fn new(most: usize) -> Watch {
        Watch { turns: HashMap::new(), active: 0, most, told: None }
    }

    fn look(&mut self, env: &Env, states: &[WorkerState], now: Instant) {
        let mut stuck = 0;
        for (worker, state) in states.iter().enumerate() {
            if !state.is_running {
                self.turns.remove(&worker);
                continue;
            }
            let turn = self.turns.get(&worker).filter(|turn| turn.resumes == state.resumes);
            let Some(turn) = turn else {
                // Processor time is asked for when it may matter: a turn that is seen twice.
                let turn = Turn { resumes: state.resumes, began: now, cpu_ns: u64::MAX };
                self.turns.insert(worker, turn);
                continue;
            };
            let cpu_ns = env::thread::cpu_ns(env, state.thread).unwrap_or(0);
            let (began, spent_ns) = (turn.began, cpu_ns.saturating_sub(turn.cpu_ns));
            if turn.cpu_ns == u64::MAX {
                self.turns.insert(worker, Turn { resumes: state.resumes, began, cpu_ns });
            }
            if spent_ns >= STUCK_NS || now - began >= STUCK_FOR {
                stuck += 1;
                self.tell(worker, state.thread, spent_ns, now - began, now);
            }
        }
        self.active = stuck.min(self.most);
    }

    fn tell(&mut self, worker: usize, thread: u32, spent_ns: u64, lasts: Duration, now: Instant) {
        if self.told.is_some_and(|told| now - told < TELL_EVERY) {
            return;
        }
        self.told = Some(now);
        warn!(
            "Error: 17883, Severity: 1, State: 0. Worker {worker} (thread {thread}) appears to be non-yielding. \
             Approx Thread CPU Used: {} ms. Interval: {} ms.",
            spent_ns / 1_000_000,
            lasts.as_millis(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_does_not_end_is_stuck_until_it_ends() {
        let env = Env::real();
        let mut watch = Watch::new(1);
        let running = |resumes| {
            let thread = env::thread::current();
            [WorkerState { thread, resumes, is_running: true }; 2]
        };
        let began = Instant::now();
        watch.look(&env, &running(7), began);
        watch.look(&env, &running(7), began + INTERVAL);
        assert_eq!(watch.active, 0);
        let mut sum = 0u64;
        while watch.active == 0 {
            assert!(began.elapsed() < Duration::from_secs(60), "the thread has worked long enough");
            sum = (0..100_000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
            watch.look(&env, &running(7), began + INTERVAL);
        }
        assert_eq!(watch.active, 1, "there is one spare for two workers");
        assert!(watch.told.is_some());
        watch.look(&env, &running(8), Instant::now());
        assert_eq!(watch.active, 0);
    }

    /// All workers computed without giving way: no connection was accepted, and nothing was read.
    #[test]
    fn spares_run_what_stuck_workers_leave() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1 + spares(1))
            .enable_all()
            .build()
            .unwrap();
        let held = Arc::<Spares>::default();
        (0..spares(1)).for_each(|_| held.hold_one(runtime.handle()));
        let (begun, has_begun) = channel();
        let (go_on, may_go_on) = channel::<()>();
        // A worker that does not give way until it is told to.
        runtime.spawn(async move {
            begun.send(()).unwrap();
            may_go_on.recv().unwrap();
        });
        held.release_one();
        has_begun.recv_timeout(Duration::from_secs(60)).unwrap();
        held.release_one();
        let (answer, answered) = channel();
        runtime.spawn(async move { answer.send(()).unwrap() });
        answered.recv_timeout(Duration::from_secs(60)).unwrap();
        go_on.send(()).unwrap();
        held.end();
    }
}
