//! Keeps the memory of the process at `max server memory`: what rows, plans, statements and the log take,
//! pages have to give up; and who writes more to disk tables than can leave memory is slowed down. On a
//! thread of its own, since those who take memory may keep all others busy.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing::warn;

use crate::server::Server;

/// How often memory is looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// Balances memory until it is dropped.
pub struct Balance {
    /// The thread, which ends when the sender is gone.
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Balance {
    /// Starts the thread.
    pub fn start(server: &Arc<Server>) -> Balance {
        let (over, until) = channel();
        let server = server.clone();
        let balance = move || {
            while until.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if server.instance.share_memory() {
                    engine::hot::heap::give_back();
                    env::memory::give_back();
                }
                let databases = server.instance.databases().engine().databases();
                databases.iter().for_each(|database| database.pace_writers());
            }
        };
        let balance = engine::critical::thread("memory", balance);
        match std::thread::Builder::new().name("memory".into()).spawn(balance) {
            Ok(thread) => Balance { thread: Some((over, thread)) },
            Err(error) => {
                warn!("nobody looks at the memory: {error}");
                Balance { thread: None }
            }
        }
    }
}

impl Drop for Balance {
    fn drop(&mut self) {
        if let Some((over, thread)) = self.thread.take() {
            drop(over);
            let _ = thread.join(); // a panic of it has been reported
        }
    }
}
