//! Reports statements that compute without giving way.
//!
//! Statements give way every millisecond, so that a worker soon comes back to sockets and other
//! sessions. One that does not (a computation without checkpoints, which is a bug of the server)
//! keeps its thread. The watchdog looks at all workers from a thread of its own: one that has spent
//! a tenth of a second of processor time on one turn is *stuck*, and is named in the error log,
//! once a minute at most.
//!
//! Other threads take what a stuck worker has in its queue. One of the [spares](crate::workers) is
//! woken for each worker that is stuck, and stays awake: then there may be more threads than
//! processors, and the system shares these out less evenly than statements that give way do.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::wait::WorkerState;
use env::Env;
use tracing::warn;

use crate::periodic::Periodic;
use crate::server::Server;
use crate::workers::Waking;

/// How often workers are looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// A worker that has spent this much processor time on one turn is stuck.
const STUCK_NS: u64 = 100_000_000;
/// A worker whose turn has lasted this long is one too, whatever it waits for.
const STUCK_FOR: Duration = Duration::from_secs(1);
/// How often stuck workers are named in the error log.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Watches the server's workers until the result is dropped.
pub fn start(server: &Arc<Server>, spares: Waking) -> Periodic {
    let server = server.clone();
    Periodic::start("watchdog", INTERVAL, move |ticks| {
        let mut watch = Watch::default();
        for () in ticks {
            let states = server.runtime().worker_states();
            spares.wake(watch.look(server.env(), &states, Instant::now()));
        }
    })
}

/// A worker's turn.
struct Turn {
    resumes: u64,
    began: Instant,
    /// Processor time of the thread when the turn was first seen.
    cpu_ns: u64,
}

#[derive(Default)]
struct Watch {
    turns: HashMap<usize, Turn>,
    told: Option<Instant>,
}

impl Watch {
    /// How many workers are stuck; one of them is named.
    fn look(&mut self, env: &Env, states: &[WorkerState], now: Instant) -> usize {
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
        stuck
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
mod tests;
