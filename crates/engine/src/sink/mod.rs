//! The sink: rows of disk tables leave memory for the trees of the cold store.
//!
//! # Life of a table
//!
//! 1. All of it is in memory. Nothing here costs it anything; its rows go to checkpoint files like
//!    others.
//! 2. Disk tables take more memory than they may. The largest *begin to sink* ([`policy`]): from
//!    then on commits queue what they write ([`SinkQueue`](crate::hot::sink_queue::SinkQueue)), and
//!    deleted rows are not the reclaimer's any more. What checkpoints gather of it ends here too.
//! 3. When all commits that have not noticed are over, and the reclaimer is done with what they
//!    left behind, a round makes the table's trees and goes through all its rows.
//! 4. From then on rounds take what was queued.
//!
//! # Life of a round
//!
//! It computes the horizon: the position up to which all is durable, and seen by every snapshot but
//! old ones. Rows that commits below it have written go, as it sees them, to the trees, in order of
//! their keys ([`round`]); what old snapshots see of them goes to the history before ([`history`]).
//! Once every active statement has begun since then, rows that have not changed are taken out of
//! memory ([`leave`]): the head becomes `SUNK`, the anchor is unlinked, and the memory goes to the
//! reclaimer.
//!
//! # Invariants
//!
//! * S1–S5 in `cold/table` and `hot/sink_queue`.
//! * S6: after a round that was complete the trees hold exactly what commits below its horizon have
//!   left of the tables that sink. Only then roots are written, which say so.
//! * S7: the log is kept from the horizon of the durable root on, for the tables that it has.
//! * S8: a table that is not registered any more is gone in the log, too: a commit that drops it is
//!   durable before it does that, or the log has failed, and then no root is written.
//! * S9: trees that a root may have as a table's stay until a durable manifest knows the table to
//!   be gone. With an earlier one recovery makes the table, and without the trees it would look in
//!   files for rows that those had.
//!
//! # Locks
//!
//! One round at a time holds the state, and each table's gate while it is at the table; DDL waits
//! for that. Commits do not wait for rounds, unless there is more in memory than may wait to sink:
//! then a little.
//!
//! # Failure
//!
//! If a page cannot be read or written, a round ends where it is; what it took comes first in the
//! next one, and no root is written before that has succeeded. Memory still has all of it.

mod build;
mod checkpoint;
mod dropped;
mod error;
mod history;
mod leave;
mod place;
mod policy;
mod round;
mod thread;
mod warmth;

#[cfg(all(test, not(feature = "shuttle")))]
pub(crate) mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};

use base::ids::{Lsn, SessionId, StorageId};

use crate::cold::rowcache::{CacheSettings, CacheStats};
use crate::cold::table::ColdTables;
use crate::cold::{FileSpec, Growth};
use crate::hot::sink_queue::Sinking;
use crate::pages::BufferPool;
use crate::sync::parking;
use crate::sync::plain::{Mutex, MutexGuard};
use crate::txn::{Manager, Owner};
use crate::wait::Task;

use leave::Leaving;

pub(crate) use build::Build;
pub use error::SinkError;
pub(crate) use place::ColdPlace;
pub(crate) use thread::Sinker;

/// When rows sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SinkOptions {
    /// Bytes that the rows of a database's disk tables take in memory before any of them sinks.
    pub start_bytes: u64,
    /// Bytes that rows of tables that sink may take before their writers are slowed down.
    pub backlog_bytes: u64,
    /// How often the thread checks whether there is work.
    pub interval_ns: u64,
    /// How long a row of a table that sinks stays in memory, at most, when nothing presses.
    pub age_ns: u64,
    /// How long a snapshot may hold rows back. What an older one sees goes to the history.
    pub patience_ns: u64,
    /// How the file grows.
    pub growth: Growth,
}

impl Default for SinkOptions {
    fn default() -> SinkOptions {
        SinkOptions {
            start_bytes: 64 << 20,
            backlog_bytes: 256 << 20,
            interval_ns: 100_000_000,
            age_ns: 2_000_000_000,
            patience_ns: 1_000_000_000,
            growth: Growth::default(),
        }
    }
}

/// The name of the file with a database's pages, in its directory.
const FILE: &str = "rows.tpg";

/// Whether this is a file with a database's pages.
pub fn is_data_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == FILE)
}

/// The files with the pages of the database in this directory.
pub(crate) fn files(dir: &Path, growth: Growth) -> Vec<FileSpec> {
    vec![FileSpec { id: 1, path: dir.join(FILE), growth }]
}

/// Makes the files with the pages of a database that has none.
pub(crate) fn create_cold(
    task: &Task,
    pool: &BufferPool,
    uuid: u128,
    files: &[FileSpec],
) -> Result<Arc<ColdTables>, SinkError> {
    // A file that no checkpoint knows is what a life before has left unfinished.
    let fs = task.env().fs();
    for file in files {
        if fs.exists(&file.path)? {
            fs.remove_file(&file.path)?;
        }
    }
    let pool = pool.get()?;
    Ok(Arc::new(ColdTables::create(&pool, task, uuid, files)?))
}

/// The trees that a database has when it is opened.
#[derive(Clone)]
pub(crate) struct FoundTrees {
    pub tables: Arc<ColdTables>,
    /// The position that the last root speaks of, if there is one.
    pub through: Option<Lsn>,
}

/// What a [`SinkCore`] is made from.
pub(crate) struct CoreParts {
    pub manager: Arc<Manager>,
    pub pool: Arc<BufferPool>,
    /// The directory of the database.
    pub dir: PathBuf,
    pub options: SinkOptions,
    /// The trees there are.
    pub cold: Option<FoundTrees>,
    /// Where the log ends that the database's own transactions are in. Commits after that are
    /// nothing, and roots do not speak of them.
    pub until: Lsn,
    /// Whether nothing of the database is wanted after a restart, so that no manifest knows what is
    /// gone.
    pub is_volatile: bool,
}

/// Takes the rows of one database down.
pub(crate) struct SinkCore {
    manager: Arc<Manager>,
    pool: Arc<BufferPool>,
    files: Vec<FileSpec>,
    /// Where the files are, and those of sorts.
    dir: PathBuf,
    options: SinkOptions,
    /// See [`CoreParts`].
    until: Lsn,
    is_volatile: bool,
    /// The owner that enters gates.
    owner: Arc<Owner>,
    /// The trees, once there are some. They are made under the lock of `state`.
    cold: OnceLock<Arc<ColdTables>>,
    /// Held by each round from its beginning to its end: never on a worker, nor by what only looks.
    state: Mutex<State>,
    /// Held while a root is written.
    writing: Mutex<()>,
    /// What the last round has left: for statistics. Written under the lock of `state`.
    seen: Seen,
    /// Ends what is under way. Set once, by [`Sinker::stop`].
    pub closing: AtomicBool,
    /// Recovery begins with a manifest that has all that commits below this did, but for what is in
    /// trees (S9). Raised by checkpoints.
    covered: AtomicU64,
    /// When the row cache was tended last.
    tended_ns: AtomicU64,
    /// When it was written down last which rows are hot.
    warmth_ns: AtomicU64,
    /// Whether rows that were hot before the last restart are to be brought back first.
    awaits_warmth: AtomicBool,
    /// What trees that are made later are told. Held while the trees that are there are told.
    row_cache: parking::Mutex<CacheSettings>,
    counters: Counters,
}

/// What one round leaves to the next.
struct State {
    /// What could not leave memory yet, and no commit will queue again.
    left: Vec<Sinking>,
    /// The horizon of the last complete round.
    through: Lsn,
    /// Whether the trees are what that round has left.
    complete: bool,
    /// What the last durable root says.
    durable: Option<Lsn>,
    /// Tables that have begun to sink and have no trees yet, and the position at which all commits
    /// had noticed.
    begun: BTreeMap<StorageId, Lsn>,
    /// What is in the trees and may not leave memory yet, in the order of rounds.
    leaving: BTreeMap<StorageId, VecDeque<Leaving>>,
    /// What was committed when versions were released last that are not freed yet.
    released: Option<Lsn>,
    /// What was durable, and when, at some moments up to now.
    ends: VecDeque<DurableEnd>,
    /// Trees of tables that are gone, and by when at the latest they were.
    dropped: BTreeMap<u64, Lsn>,
    /// When the last round ended.
    round_ns: u64,
    /// How long it took; the greatest number if it had no effect.
    round_took_ns: u64,
    /// Anchors of deletions that scans have passed since it began.
    passed: u64,
}

/// Where the durable log ended at a moment.
#[derive(Clone, Copy)]
struct DurableEnd {
    /// When, by the monotonic clock.
    at_ns: u64,
    end: Lsn,
}

/// What statistics show of [`State`].
#[derive(Default)]
struct Seen {
    through: AtomicU64,
    left: AtomicU64,
}

/// What is counted since the database came up.
#[derive(Default)]
struct Counters {
    rounds: AtomicU64,
    failures: AtomicU64,
    rows: AtomicU64,
    roots: AtomicU64,
}

/// What the sink of a database has done since that came up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SinkStats {
    /// Rounds that found something to do.
    pub rounds: u64,
    /// Rounds that failed.
    pub failures: u64,
    /// Rows that have left memory.
    pub rows: u64,
    /// Roots that were written.
    pub roots: u64,
    /// Rows that wait.
    pub waiting: u64,
    /// What commits below this did to tables that sink is in the trees.
    pub through: Lsn,
    /// Versions that old snapshots see.
    pub history: u64,
}

impl SinkCore {
    pub fn new(parts: CoreParts) -> SinkCore {
        let CoreParts { manager, pool, dir, options, cold, until, is_volatile } = parts;
        let durable = cold.as_ref().and_then(|found| found.through);
        // Those that had begun before a crash, and which no root has, begin again.
        let tables = manager.tables().all().into_iter();
        let again = tables.filter(|table| table.sinks() && table.cold().is_none());
        let begun = again.map(|table| (table.storage(), manager.log().tail())).collect();
        let state = State {
            left: Vec::new(),
            through: durable.unwrap_or(Lsn::ZERO),
            complete: true,
            durable,
            begun,
            leaving: BTreeMap::new(),
            released: None,
            ends: VecDeque::new(),
            dropped: BTreeMap::new(),
            round_ns: 0,
            round_took_ns: 0,
            passed: 0,
        };
        let owner = manager.graph.owner(SessionId(0));
        let awaits_warmth = AtomicBool::new(cold.is_some());
        let cold = cold.map_or_else(OnceLock::new, |found| found.tables.into());
        let seen = Seen { through: AtomicU64::new(state.through.0), ..Seen::default() };
        SinkCore {
            cold,
            seen,
            files: files(&dir, options.growth),
            dir,
            manager,
            pool,
            options,
            until,
            is_volatile,
            owner,
            state: Mutex::new(state),
            writing: Mutex::default(),
            closing: AtomicBool::new(false),
            covered: AtomicU64::new(0),
            tended_ns: AtomicU64::new(0),
            warmth_ns: AtomicU64::new(0),
            awaits_warmth,
            row_cache: parking::Mutex::default(),
            counters: Counters::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("a round does not panic")
    }

    /// The trees; made now if there are none.
    fn cold(&self, task: &Task, _state: &mut State) -> Result<Arc<ColdTables>, SinkError> {
        if let Some(cold) = self.cold.get() {
            return Ok(cold.clone());
        }
        let cold = create_cold(task, &self.pool, self.manager.uuid(), &self.files)?;
        let cold = self.cold.get_or_init(|| cold).clone();
        cold.store().row_cache_settings().set(*self.row_cache.lock());
        Ok(cold)
    }

    /// Sets what row caching may take and do, whether rows are cached yet or not.
    pub fn set_row_cache(&self, settings: CacheSettings) {
        let mut own = self.row_cache.lock();
        *own = settings;
        if let Some(cold) = self.cold.get() {
            cold.store().row_cache_settings().set(settings);
        }
    }

    /// What the row cache takes and has done, if there is one.
    pub fn row_cache_stats(&self) -> Option<CacheStats> {
        Some(self.cold.get()?.store().row_cache()?.stats())
    }

    /// A round is over: statistics show what it has left.
    fn tell(&self, state: &State) {
        let leaving = state.leaving.values().flatten().map(|rows| rows.anchors.len());
        let left = state.left.len() + leaving.sum::<usize>();
        self.seen.left.store(left as u64, Relaxed);
        self.seen.through.store(state.through.0, Relaxed);
    }

    /// What was done since the database came up. A round that is under way is not waited for.
    pub fn stats(&self) -> SinkStats {
        let (through, left) = (Lsn(self.seen.through.load(Relaxed)), self.seen.left.load(Relaxed));
        let history = self.cold.get().map_or(0, |cold| cold.history().rows());
        SinkStats {
            rounds: self.counters.rounds.load(Relaxed),
            failures: self.counters.failures.load(Relaxed),
            rows: self.counters.rows.load(Relaxed),
            roots: self.counters.roots.load(Relaxed),
            waiting: self.manager.sinking.len() + left,
            through,
            history,
        }
    }
}
