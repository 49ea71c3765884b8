//! What the connections of a server share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};

use engine::wait::{Interrupted, Runtime};
use env::Env;
use session::instance::Instance;
use tokio::sync::{Notify, Semaphore};

use crate::certificate::Tls;
use crate::config::Config;
use crate::password::PasswordHasher;
use crate::throttle::Throttle;

/// The version that is reported to clients: of the SQL Server whose dialect is spoken.
pub const PROGRAM_VERSION: [u8; 4] = [16, 0, 0x03, 0xE8];

/// A server that is up.
pub struct Server {
    /// Databases and sessions.
    pub instance: Arc<Instance>,
    /// How it is set up.
    pub config: Config,
    /// How TLS is spoken, unless it is not.
    pub tls: Option<Tls>,
    /// Checks passwords.
    pub passwords: Arc<PasswordHasher>,
    /// Slows down clients that guess passwords.
    pub throttle: Throttle,
    /// How many passwords may be checked by PBKDF2 at a time, so that processors are left for other
    /// work.
    pub slow_checks: Semaphore,
    /// As `slow_checks`, for logins and addresses that look like guessing: one at a time, beside
    /// all others.
    pub suspect_checks: Semaphore,
    connections: AtomicUsize,
    ending: AtomicBool,
    ended: Notify,
    stop: Arc<Stop>,
}

/// Whether the server was asked to end.
#[derive(Default)]
pub struct Stop {
    asked: AtomicBool,
    at_once: AtomicBool,
    changed: Notify,
}

impl Stop {
    /// Asks. `at_once` does not let statements finish.
    pub fn ask(&self, at_once: bool) {
        self.at_once.fetch_or(at_once, SeqCst);
        self.asked.store(true, SeqCst);
        self.changed.notify_waiters();
    }

    /// Whether statements are not to finish.
    pub fn is_at_once(&self) -> bool {
        self.at_once.load(SeqCst)
    }

    /// Waits until the server is asked to end.
    pub async fn asked(&self) {
        loop {
            let changed = self.changed.notified();
            if self.asked.load(SeqCst) {
                return;
            }
            changed.await;
        }
    }

    /// Waits until the server is asked not to let statements finish.
    pub async fn asked_at_once(&self) {
        loop {
            let changed = self.changed.notified();
            if self.is_at_once() {
                return;
            }
            changed.await;
        }
    }
}

/// A connection that counts.
pub struct Counted(Arc<Server>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Relaxed);
    }
}

impl Server {
    /// A server around an instance.
    pub fn new(
        instance: Arc<Instance>,
        config: Config,
        tls: Option<Tls>,
        passwords: Arc<PasswordHasher>,
        stop: Arc<Stop>,
    ) -> Arc<Server> {
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
        Arc::new(Server {
            instance,
            config,
            tls,
            passwords,
            throttle: Throttle::default(),
            slow_checks: Semaphore::new(processors.div_ceil(2)),
            suspect_checks: Semaphore::new(1),
            connections: AtomicUsize::new(0),
            ending: AtomicBool::new(false),
            ended: Notify::new(),
            stop,
        })
    }

    /// The environment: files, clock, randomness.
    pub fn env(&self) -> &Env {
        self.instance.env()
    }

    /// What statements run on.
    pub fn runtime(&self) -> &Runtime {
        &self.instance.host().runtime
    }

    /// By which the server is asked to end.
    pub fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    /// Counts a connection, unless there are too many.
    pub fn count_connection(self: &Arc<Server>) -> Option<Counted> {
        let counted = Counted(self.clone());
        let before = self.connections.fetch_add(1, Relaxed);
        (before < self.config.max_connections).then_some(counted)
    }

    /// Connections that are open.
    pub fn connections(&self) -> usize {
        self.connections.load(Relaxed)
    }

    /// Whether sessions end as soon as they have nothing to do.
    pub fn is_ending(&self) -> bool {
        self.ending.load(SeqCst)
    }

    /// Is woken when [`Server::is_ending`] becomes true.
    pub fn ended(&self) -> &Notify {
        &self.ended
    }

    /// From now on sessions end as soon as they have nothing to do.
    pub fn end_idle_sessions(&self) {
        self.ending.store(true, SeqCst);
        self.ended.notify_waiters();
    }

    /// Ends all sessions, whatever they do.
    pub fn kill_sessions(&self) {
        for session in self.instance.sessions.all() {
            session.interrupt.raise(Interrupted::Kill);
        }
    }
}
