//! The loader: brings pending tables into memory while the database is in use.
//!
//! # Life of a table
//!
//! *Pending*: its rows that were in the log's tail are in memory and in all indexes, the others in
//! files, and statements that want to use it wait. Threads take its blocks, each the next one that
//! is not taken, and put the rows into all indexes. The thread that is done with the last block
//! *finishes* the table: the waiting statements go on.
//!
//! The threads first take blocks of tables that a statement has asked for, and else of the smallest
//! table: so most tables are there soon. All threads work on one table as long as it has blocks,
//! and before that on its indexes: how many rows these will have is known from the files'
//! directories, so that they need not grow again and again.
//!
//! # What goes on meanwhile
//!
//! Checkpoints are made from the log and from files, not from tables, and go on. The files that are
//! loaded from are pinned. The rows in files are older than every snapshot, so that every statement
//! that comes in sees them all; and as no statement was in there before, nothing in memory can be
//! in their way (V3). Nothing of a pending table sinks.
//!
//! # Failure
//!
//! After a damaged block, or a file that cannot be read, the database is suspect, all pending
//! tables are given up, and statements that wait for them fail. The files stay pinned, so that they
//! can be repaired.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::thread::JoinHandle;

use super::{DONE, FAILED, Load, RecoveryError, RecoveryOptions, RecoveryStage, STOPPED, TABLES};
use crate::checkpoint::{Block, BlockLoader, Files, Pin, TableBlocks};
use crate::critical;
use crate::hot::table::Table;
use crate::sync::plain::{Mutex, MutexGuard};
use crate::txn::{Manager, Unavailable};
use crate::wait::{Event, Task};

/// The loading of a database's tables. Dropping this ends it.
pub(crate) struct Loader {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared {
    manager: Arc<Manager>,
    options: RecoveryOptions,
    /// When loading began, in UTC ticks of 100 ns since 0001-01-01.
    began_utc: u64,
    /// The same moment by the monotonic clock.
    began_ns: u64,
    work: Mutex<Work>,
    /// Nothing more will come.
    over: Event,
    /// Set when the database closes, or when loading fails; stays set.
    closing: AtomicBool,
}

/// The progress of loading a database's tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoadProgress {
    /// Rows that are loaded.
    pub done: u64,
    /// Rows in all.
    pub total: u64,
    /// When it began, in UTC ticks of 100 ns since 0001-01-01.
    pub began_utc: u64,
    /// The same moment by the monotonic clock.
    pub began_ns: u64,
}

impl LoadProgress {
    /// How much is done, per cent.
    pub fn percent(&self) -> f64 {
        self.done as f64 * 100.0 / self.total.max(1) as f64
    }

    /// The time until the load ends, in milliseconds, at its speed until now; 0 if that is not
    /// known.
    pub fn remaining_ms(&self, now_ns: u64) -> u64 {
        if self.done == 0 {
            return 0;
        }
        let spent_ms = u128::from(now_ns.saturating_sub(self.began_ns) / 1_000_000);
        let left = u128::from(self.total.saturating_sub(self.done));
        u64::try_from(spent_ms * left / u128::from(self.done)).unwrap_or(u64::MAX)
    }
}

/// What is left to be done.
struct Work {
    /// The smallest first.
    tables: Vec<PendingTable>,
    /// Of the tables before this one all blocks are taken.
    first: usize,
    /// Tables that are not finished.
    pending: usize,
    /// Keeps the files until all is loaded; for ever, if that goes wrong.
    pin: Option<Pin>,
}

struct PendingTable {
    table: Arc<Table>,
    /// Rows that it will have.
    rows: u64,
    blocks: Vec<Block>,
    /// The first block that is not taken.
    next: usize,
    /// Blocks that threads are loading.
    busy: usize,
}

/// A block to be loaded.
struct Job {
    /// Which of the tables it belongs to.
    place: usize,
    table: Arc<Table>,
    /// Rows that the table will have.
    rows: u64,
    block: Block,
}

impl Loader {
    /// Starts to load what is pending in the database of this manager, from files that `pin` keeps;
    /// nothing if nothing is.
    pub fn start(manager: &Arc<Manager>, load: Load, pin: Pin) -> Option<Loader> {
        let mut tables = load.tables(manager.tables());
        let Load { files, options, .. } = load;
        let total = tables.iter().map(|own| own.rows).sum();
        options.progress.0.to_load.store(total, Relaxed);
        if tables.is_empty() {
            options.progress.enter(DONE);
            return None;
        }
        options.progress.enter(TABLES);
        tables.sort_unstable_by_key(|own| (own.rows, own.table.storage()));
        let pending = tables.len();
        let tables = tables.into_iter().map(PendingTable::new).collect();
        let work = Work { tables, first: 0, pending, pin: Some(pin) };
        // Of several one more, for while one waits for what it reads.
        let threads = options.threads.max(1) + usize::from(options.threads > 1);
        let closing = AtomicBool::new(false);
        let manager = manager.clone();
        let clock = manager.runtime().env().clock();
        let (began_utc, began_ns) = (clock.utc_ticks(), clock.now_ns());
        let (work, over) = (Mutex::new(work), Event::new());
        let shared =
            Arc::new(Shared { manager, options, began_utc, began_ns, work, over, closing });
        let files = Arc::new(files);
        let spawn = |part| {
            let (shared, files) = (shared.clone(), files.clone());
            let builder = std::thread::Builder::new().name(format!("loader {part}"));
            builder.spawn(critical::thread("loader", move || shared.run(&files, part))).ok()
        };
        let threads: Vec<_> = (0..threads).filter_map(spawn).collect();
        if threads.is_empty() {
            shared.fail(RecoveryError::OutOfMemory);
        }
        Some(Loader { shared, threads: Mutex::new(threads) })
    }

    /// The progress of the load, as long as it runs.
    pub fn progress(&self) -> Option<LoadProgress> {
        let Shared { began_utc, began_ns, .. } = *self.shared;
        match self.shared.options.progress.stage() {
            RecoveryStage::Tables { done, total } => {
                Some(LoadProgress { done, total, began_utc, began_ns })
            }
            _ => None,
        }
    }

    /// Why it could not go on.
    pub fn failure(&self) -> Option<&RecoveryError> {
        self.shared.options.progress.failure()
    }

    /// Waits until it is over, for whatever reason.
    pub fn wait(&self, task: &Task) {
        self.shared.over.wait(task);
    }

    /// Ends the loading, complete or not. Statements that wait for a table that is not loaded get
    /// an error.
    pub fn stop(&self) {
        self.shared.closing.store(true, Release); // pairs with next()
        let threads = std::mem::take(&mut *lock(&self.threads));
        // A panic of one has been reported.
        threads.into_iter().for_each(|thread| drop(thread.join()));
        self.shared.give_up();
        let progress = &self.shared.options.progress;
        if matches!(progress.stage(), RecoveryStage::Tables { .. }) {
            progress.enter(STOPPED);
        }
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.stop();
    }
}

impl PendingTable {
    fn new(own: TableBlocks) -> PendingTable {
        let TableBlocks { table, blocks, rows } = own;
        table.loading().set_missing(rows);
        let rows = table.memory().rows + rows;
        PendingTable { table, rows, blocks, next: 0, busy: 0 }
    }

    fn has_more(&self) -> bool {
        self.next < self.blocks.len()
    }
}

impl Shared {
    fn run(&self, files: &Files, part: usize) {
        let mut loader = BlockLoader::new(self.manager.runtime().collector(), part);
        while let Some(Job { place, table, rows, block }) = self.next() {
            loader.reserve(&table, rows);
            match loader.load(files, &block, &table, &mut |_| {}) {
                Ok(rows) => {
                    table.loading().add_loaded(rows);
                    self.options.progress.0.loaded.fetch_add(rows, Relaxed);
                    self.done(place);
                }
                Err(error) => return self.fail(error.into()),
            }
        }
    }

    /// The next block, if there is one and loading goes on.
    fn next(&self) -> Option<Job> {
        if self.closing.load(Acquire) {
            return None; // pairs with stop() and fail()
        }
        let mut work = lock(&self.work);
        let Work { tables, first, .. } = &mut *work;
        while tables.get(*first).is_some_and(|own| !own.has_more()) {
            *first += 1;
        }
        let open = || (*first..tables.len()).filter(|place| tables[*place].has_more());
        let asked = open().find(|place| tables[*place].table.loading().is_asked());
        let place = asked.or_else(|| open().next())?;
        let own = &mut tables[place];
        own.next += 1;
        own.busy += 1;
        let (table, block) = (own.table.clone(), own.blocks[own.next - 1]);
        Some(Job { place, table, rows: own.rows, block })
    }

    /// A block of this table is loaded.
    fn done(&self, place: usize) {
        let mut work = lock(&self.work);
        let own = &mut work.tables[place];
        own.busy -= 1;
        if own.busy > 0 || own.has_more() {
            return;
        }
        own.blocks = Vec::new();
        let table = own.table.clone();
        table.loading().finish();
        work.pending -= 1;
        if work.pending == 0 {
            work.tables = Vec::new();
            work.pin = None;
            self.options.progress.enter(DONE);
        }
        let is_over = work.pending == 0;
        drop(work);
        self.wake(&table);
        if is_over {
            self.over.set();
        }
    }

    /// The database is suspect.
    fn fail(&self, error: RecoveryError) {
        if self.options.progress.0.failure.set(error).is_err() {
            return; // another thread has found something
        }
        self.closing.store(true, Release); // pairs with next()
        self.manager.set_available(Err(Unavailable::Suspect));
        self.options.progress.enter(FAILED);
        self.give_up();
    }

    /// What is still pending will not come.
    fn give_up(&self) {
        let work = lock(&self.work);
        for own in work.tables.iter().filter(|own| own.table.loading().is_pending()) {
            own.table.loading().give_up();
            self.wake(&own.table);
        }
        self.over.set();
    }

    fn wake(&self, table: &Table) {
        self.manager.graph.loaded(table.pointer().address());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic under these locks")
}
