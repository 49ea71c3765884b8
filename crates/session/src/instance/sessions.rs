//! The sessions and what they do.
//!
//! Each session has an entry, which it writes and other sessions read: the views over sessions,
//! connections and requests, and `KILL`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use base::ids::{DbId, SessionId};
use engine::catalog::def::LoginDef;
use engine::sync::plain::{Mutex, MutexGuard, RwLock};
use engine::txn::Owner;
use engine::wait::{Interrupt, Interrupted};
use ir::function::facts::Connection;

use super::activity::CurrentActivity;
use crate::handle;
use crate::options::Options;

/// Ids of users' sessions start here.
const FIRST_SESSION: i16 = 51;

/// What a client says of itself, and how it is connected.
#[derive(Clone, Debug, Default)]
pub struct ClientInfo {
    /// What functions return about the connection.
    pub connection: Arc<Connection>,
    /// The client library, as it says.
    pub library: Arc<str>,
    /// The version of the protocol, as `sys.dm_exec_sessions` shows it: 7.
    pub protocol_version: i32,
    /// Whether the connection is encrypted.
    pub encrypted: bool,
    /// Bytes of a packet.
    pub packet_size: i32,
    /// The client's port.
    pub client_port: i32,
    /// A name for the connection that no other has had.
    pub connection_id: [u8; 16],
}

/// A session, as other sessions see it.
pub struct SessionEntry {
    /// `@@SPID`
    pub id: SessionId,
    /// Raised to cancel its request or to end it.
    pub interrupt: Arc<Interrupt>,
    /// Its name in the waits-for graph.
    pub owner: Arc<Owner>,
    /// The client.
    pub client: ClientInfo,
    /// When it logged in: UTC, in units of 100 ns.
    pub login_utc: u64,
    /// Packets received and sent, and when: the server counts them.
    pub traffic: Traffic,
    /// What kind of statement runs.
    pub activity: CurrentActivity,
    /// The time that its requests have run on threads: the server measures it.
    pub running: RunningTime,
    status: Mutex<SessionStatus>,
}

/// What went over a connection.
#[derive(Default, Debug)]
pub struct Traffic {
    /// Packets received.
    pub received: AtomicU64,
    /// Packets sent.
    pub sent: AtomicU64,
    /// When the last one came: UTC, in units of 100 ns.
    pub last_received_utc: AtomicU64,
    /// When the last one went: UTC, in units of 100 ns.
    pub last_sent_utc: AtomicU64,
}

/// The time during which a session's requests have had a thread, without that in which they waited.
///
/// It is taken from the monotonic clock, which is read in some 20 ns; a thread's own processor time
/// takes a call of the kernel, up to a microsecond, at the beginning and the end of each request
/// and of each wait. So what the system does with the thread's processor meanwhile counts as well.
#[derive(Default, Debug)]
pub struct RunningTime {
    /// Nanoseconds up to the last stop. Written by the thread that runs a request, as is the next.
    spent_ns: AtomicU64,
    /// When it has last gone on, on the monotonic clock; 0 while nothing runs.
    since_ns: AtomicU64,
}

impl RunningTime {
    /// A request goes on.
    pub fn go_on(&self, now_ns: u64) {
        self.since_ns.store(now_ns, Relaxed);
    }

    /// A request waits, or has ended.
    pub fn stop(&self, now_ns: u64) {
        let ran_ns = now_ns.saturating_sub(self.since_ns.swap(0, Relaxed));
        self.spent_ns.fetch_add(ran_ns, Relaxed);
    }

    /// Nanoseconds up to now. A reader may miss the last run of a request that stops meanwhile.
    pub fn ns(&self, now_ns: u64) -> u64 {
        let running_ns = match self.since_ns.load(Relaxed) {
            0 => 0,
            since_ns => now_ns.saturating_sub(since_ns),
        };
        self.spent_ns.load(Relaxed) + running_ns
    }
}

/// What a session does, and how it is set up.
#[derive(Clone, Debug)]
pub struct SessionStatus {
    /// The login for which it acts.
    pub login: Arc<LoginDef>,
    /// The login that logged in.
    pub original_login: Arc<LoginDef>,
    /// The database that has authenticated it, as a contained user.
    pub contained_in: Option<DbId>,
    /// The current database.
    pub database: DbId,
    /// Its options.
    pub options: Options,
    /// `@@TRANCOUNT`
    pub transaction_count: i32,
    /// The open transaction, if there is one.
    pub transaction: Option<TransactionStatus>,
    /// When the last request started and ended: UTC, in units of 100 ns.
    pub last_request: (u64, u64),
    /// How many requests it has begun.
    pub requests: u64,
    /// The request that runs, or `None` while the session sleeps.
    pub request: Option<RequestStatus>,
    /// The text of the last request.
    pub last_text: Arc<str>,
    /// Nanoseconds spent on requests.
    pub elapsed_ns: u64,
    /// Rows that the last statement counted.
    pub row_count: i64,
    /// The last error's number.
    pub last_error: i32,
    /// `CONTEXT_INFO`
    pub context_info: Option<Box<[u8]>>,
}

/// An open transaction.
#[derive(Clone, Debug)]
pub struct TransactionStatus {
    /// Its id.
    pub id: u64,
    /// Its name.
    pub name: Arc<str>,
    /// When it began: UTC, in units of 100 ns.
    pub began_utc: u64,
    /// Whether it is a user's, rather than a statement's own.
    pub is_user: bool,
}

/// A request that runs.
#[derive(Clone, Debug)]
pub struct RequestStatus {
    /// When it started: UTC in units of 100 ns, and on the monotonic clock.
    pub started: (u64, u64),
    /// Nanoseconds for which the session had run by then.
    pub ran_before_ns: u64,
    /// Its text.
    pub text: Arc<str>,
}

/// The sessions of a server.
#[derive(Default)]
pub struct Sessions {
    entries: RwLock<BTreeMap<SessionId, Arc<SessionEntry>>>,
    /// What sessions that have ended have had: requests, packets received and sent.
    past_requests: AtomicU64,
    past_received: AtomicU64,
    past_sent: AtomicU64,
}

impl SessionEntry {
    /// What the session does; keep the guard for a moment only.
    pub fn status(&self) -> MutexGuard<'_, SessionStatus> {
        self.status.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Ends the session: what it runs is interrupted, and it does not come back.
    pub fn kill(&self) {
        self.interrupt.raise(Interrupted::Kill);
    }
}

impl Sessions {
    /// Adds a session under the lowest free id. `None` if there are too many.
    pub fn add(
        &self,
        make: impl FnOnce(SessionId) -> (Arc<Interrupt>, Arc<Owner>, ClientInfo, u64, SessionStatus),
    ) -> Option<Arc<SessionEntry>> {
        let mut entries = self.entries.write().expect("no panic under this lock");
        let mut id = FIRST_SESSION;
        for taken in entries.keys() {
            if taken.0 == id {
                id = id.checked_add(1)?;
            }
        }
        let (interrupt, owner, client, login_utc, status) = make(SessionId(id));
        let entry = Arc::new(SessionEntry {
            id: SessionId(id),
            interrupt,
            owner,
            client,
            login_utc,
            traffic: Traffic::default(),
            activity: CurrentActivity::default(),
            running: RunningTime::default(),
            status: Mutex::new(status),
        });
        entries.insert(entry.id, entry.clone());
        Some(entry)
    }

    /// A session has ended.
    pub fn remove(&self, id: SessionId) {
        let entry = self.entries.write().expect("no panic under this lock").remove(&id);
        if let Some(entry) = entry {
            self.past_requests.fetch_add(entry.status().requests, Relaxed);
            self.past_received.fetch_add(entry.traffic.received.load(Relaxed), Relaxed);
            self.past_sent.fetch_add(entry.traffic.sent.load(Relaxed), Relaxed);
        }
    }

    /// Packets that were received from all sessions, and sent to them, since the server started.
    pub fn packets(&self) -> (u64, u64) {
        let past = (self.past_received.load(Relaxed), self.past_sent.load(Relaxed));
        self.all().iter().fold(past, |(received, sent), entry| {
            let own = &entry.traffic;
            (received + own.received.load(Relaxed), sent + own.sent.load(Relaxed))
        })
    }

    /// Requests that all sessions have begun since the server started.
    pub fn requests(&self) -> u64 {
        let begun = |entry: &Arc<SessionEntry>| entry.status().requests;
        self.past_requests.load(Relaxed) + self.all().iter().map(begun).sum::<u64>()
    }

    /// A session.
    pub fn get(&self, id: SessionId) -> Option<Arc<SessionEntry>> {
        self.entries.read().expect("no panic under this lock").get(&id).cloned()
    }

    /// All sessions by id.
    pub fn all(&self) -> Vec<Arc<SessionEntry>> {
        self.entries.read().expect("no panic under this lock").values().cloned().collect()
    }

    /// The text with this handle among those that sessions have run last.
    pub fn text_of(&self, handle: &[u8]) -> Option<Arc<str>> {
        let entries = self.all();
        let mut texts = entries.iter().map(|entry| entry.status().last_text.clone());
        texts.find(|text| handle::of_text(text) == handle)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.read().expect("no panic under this lock").len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Traffic {
    /// Notes how many packets have been received so far.
    pub fn note_received(&self, packets: u64, utc_ticks: u64) {
        self.received.store(packets, Relaxed);
        self.last_received_utc.store(utc_ticks, Relaxed);
    }

    /// Notes how many packets have been sent so far.
    pub fn note_sent(&self, packets: u64, utc_ticks: u64) {
        self.sent.store(packets, Relaxed);
        self.last_sent_utc.store(utc_ticks, Relaxed);
    }
}
