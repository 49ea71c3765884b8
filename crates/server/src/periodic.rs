//! Work that is done again and again on a thread of its own.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing::warn;

/// A thread that works until this is dropped.
pub struct Periodic {
    /// The thread ends when the sender is gone. `None` where the system had no thread to give.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

/// One item for each time that there is work, until there is none any more.
pub struct Ticks {
    interval: Duration,
    until: Receiver<()>,
}

impl Periodic {
    /// Starts a thread with this name, for which there is work at this interval.
    pub fn start(
        name: &str,
        interval: Duration,
        work: impl FnOnce(Ticks) + Send + 'static,
    ) -> Periodic {
        let (over, until) = channel();
        let ticks = Ticks { interval, until };
        let spawned = std::thread::Builder::new().name(name.into()).spawn(move || work(ticks));
        match spawned {
            Ok(thread) => Periodic { thread: Some((over, thread)) },
            Err(error) => {
                warn!("there is no thread for {name}: {error}");
                Periodic { thread: None }
            }
        }
    }
}

impl Iterator for Ticks {
    type Item = ();

    fn next(&mut self) -> Option<()> {
        let waited = self.until.recv_timeout(self.interval);
        (waited == Err(RecvTimeoutError::Timeout)).then_some(())
    }
}

impl Drop for Periodic {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.thread.take() {
            drop(over);
            let _ = thread.join(); // a panic of it has been reported
        }
    }
}
