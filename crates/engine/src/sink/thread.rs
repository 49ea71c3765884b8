//! The thread that runs a database's rounds of sinking.

use std::sync::Arc;
use std::sync::atomic::Ordering::Release;
use std::thread::JoinHandle;
use std::time::Duration;

use super::{CoreParts, SinkCore};
use crate::critical;
use crate::sync::plain::parking::{Condvar, Mutex};
use crate::wait::Task;

/// The longest pause after failures, in intervals.
const PAUSE_MAX: u32 = 256;

/// The sink of a database that is open. Dropping this ends its threads.
pub(crate) struct Sinker {
    core: Arc<SinkCore>,
    signal: Arc<Signal>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The thread that brings back rows that were hot.
    warmer: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Signal {
    closed: Mutex<bool>,
    changed: Condvar,
}

impl Sinker {
    /// Starts the thread; without one nothing sinks but at checkpoints.
    pub fn start(parts: CoreParts) -> Sinker {
        let core = Arc::new(SinkCore::new(parts));
        let signal = Arc::new(Signal::default());
        let (own, heard) = (core.clone(), signal.clone());
        let run = critical::thread("sink", move || run(&own, &heard));
        let thread = std::thread::Builder::new().name("sink".into()).spawn(run).ok();
        Sinker { core, signal, thread: Mutex::new(thread), warmer: Mutex::default() }
    }

    /// The sinker's work, without its thread.
    pub fn core(&self) -> &Arc<SinkCore> {
        &self.core
    }

    /// Brings back rows that were hot before the last restart, on a thread of its own.
    pub fn warm(&self) {
        let core = self.core.clone();
        let run = critical::thread("warm", move || {
            core.warm(&Task::blocking(core.manager.runtime()));
        });
        *self.warmer.lock() = std::thread::Builder::new().name("warm".into()).spawn(run).ok();
    }

    /// Ends the threads.
    pub fn stop(&self) {
        self.core.closing.store(true, Release); // pairs with the Acquire in rounds
        *self.signal.closed.lock() = true;
        self.signal.changed.notify_all();
        for thread in [&self.thread, &self.warmer] {
            if let Some(thread) = thread.lock().take() {
                // A panic of it has been reported.
                let _ = thread.join();
            }
        }
    }
}

impl Drop for Sinker {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(core: &SinkCore, signal: &Signal) {
    let task = Task::blocking(core.manager.runtime());
    let mut pause = 1;
    loop {
        {
            let mut closed = signal.closed.lock();
            let interval = Duration::from_nanos(core.options.interval_ns) * pause;
            if !*closed {
                let _ = signal.changed.wait_for(&mut closed, interval);
            }
            if *closed {
                return;
            }
        }
        pause = match core.watch(&task) {
            Ok(()) => 1,
            Err(_) => (2 * pause).min(PAUSE_MAX),
        };
    }
}
