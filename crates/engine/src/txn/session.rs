//! A session's place in a database.

use base::ids::Lsn;

use crate::hot::reclaim::Garbage;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::spin_loop;
use crate::sync::{Arc, Mutex};
use crate::txn::error::TxnResult;
use crate::txn::manager::Manager;
use crate::txn::waits::Owner;
use crate::txn::write_set::Write;
use crate::wait::Task;

/// The log position at which a statement reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadAt {
    /// What is durable, and this session's own commits: for autocommit statements that are known
    /// to read only, from logged tables. The client is shown nothing that a crash could take back.
    Durable,
    /// What is committed. What the client is shown has to wait for durability
    /// ([`DatabaseSession::shown`]).
    Committed,
    /// What is committed, and the client may be shown what a crash could take back: tables that
    /// are not logged, and databases with delayed durability.
    Published,
}

/// A session's place in a database. Cloning the `Arc` touches no memory that other sessions write.
pub struct DatabaseSession {
    manager: Arc<Manager>,
    owner: Arc<Owner>,
    /// The end of the session's last commit.
    last_commit: AtomicU64,
    /// The highest position whose effects the client may have been shown.
    shown: AtomicU64,
    spare: Mutex<Spare>,
}

/// Memory that one transaction of a session leaves to the next.
#[derive(Default)]
pub(super) struct Spare {
    pub writes: Vec<Write>,
    pub buffer: Vec<u8>,
    pub garbage: Vec<Garbage>,
}

/// The most entries, and the most bytes, that are kept.
const SPARE_ENTRIES: usize = 1 << 10;
const SPARE_BYTES: usize = 1 << 16;

impl DatabaseSession {
    /// The place of `owner` in a database.
    pub fn new(manager: Arc<Manager>, owner: Arc<Owner>) -> Arc<DatabaseSession> {
        Arc::new(DatabaseSession {
            manager,
            owner,
            last_commit: AtomicU64::new(0),
            shown: AtomicU64::new(0),
            spare: Mutex::default(),
        })
    }

    /// The database.
    pub fn manager(&self) -> &Arc<Manager> {
        &self.manager
    }

    /// The session in the waits-for graph.
    pub fn owner(&self) -> &Arc<Owner> {
        &self.owner
    }

    /// A place of another owner of the same session, for a transaction that ends before the
    /// session's own goes on.
    pub(crate) fn of_another_owner(&self) -> Arc<DatabaseSession> {
        let owner = self.manager.graph.owner(self.owner.session());
        DatabaseSession::new(self.manager.clone(), owner)
    }

    /// The position that must be durable before the next bytes go to the client.
    pub fn shown(&self) -> Lsn {
        Lsn(self.shown.load(Relaxed))
    }

    /// Waits until what the client may have been shown is durable. Never interrupted.
    pub fn wait_shown(&self, task: &Task) -> TxnResult<()> {
        Ok(self.manager.log.wait_durable(task, self.shown())?)
    }

    /// Whether what the client may have been shown is durable.
    pub fn shows_durable(&self) -> bool {
        self.shown() <= self.manager.log.durable()
    }

    pub(super) fn take_spare(&self) -> Spare {
        std::mem::take(&mut *self.spare.lock().expect("no panic under this lock"))
    }

    pub(super) fn give_spare(&self, mut spare: Spare) {
        if spare.writes.capacity() > SPARE_ENTRIES {
            spare.writes = Vec::new();
        }
        if spare.buffer.capacity() > SPARE_BYTES {
            spare.buffer = Vec::new();
        }
        if spare.garbage.capacity() > SPARE_ENTRIES {
            spare.garbage = Vec::new();
        }
        spare.writes.clear();
        spare.buffer.clear();
        spare.garbage.clear();
        *self.spare.lock().expect("no panic under this lock") = spare;
    }

    /// Notes that the client may be shown what relies on the log up to here.
    #[inline]
    pub fn note_shown(&self, stamp: Lsn) {
        if self.shown.load(Relaxed) < stamp.0 {
            self.shown.fetch_max(stamp.0, Relaxed);
        }
    }

    pub(super) fn note_commit(&self, end: Lsn, shown: bool) {
        self.last_commit.store(end.0, Relaxed);
        if shown {
            self.note_shown(end);
        }
    }

    /// The newest snapshot. It covers the session's own last commit, and so spins until other
    /// sessions have filled the log space before that commit; it never exceeds what is committed.
    pub(super) fn newest(&self, at: ReadAt) -> Lsn {
        let own = Lsn(self.last_commit.load(Relaxed));
        let log = &self.manager.log;
        let mut looks = 0_u32;
        while log.committed() < own {
            looks += 1;
            if looks % 64 == 0 { crate::sync::thread::yield_now() } else { spin_loop() }
        }
        match at {
            ReadAt::Committed | ReadAt::Published => log.committed(),
            ReadAt::Durable => log.durable().max(own),
        }
    }
}
