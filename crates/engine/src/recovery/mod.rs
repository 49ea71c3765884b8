//! Recovery: from checkpoint files and the log to tables in memory.
//!
//! # Life of a recovery
//!
//! 1. [`Recovery::replay`] opens the files of the last checkpoint and loads the catalog's rows; the
//!    catalog makes the tables. Those of which there are rows in files are *pending* from here on.
//! 2. It reads the log from there on. Commits go in batches to all appliers, threads that each
//!    apply the rows whose identity key hashes to them; so the changes of one row are applied in
//!    order, and the newest wins. A row that replaces or deletes one of the files says by which
//!    commit that was written: this is noted, as a delta file would, and the row in the file is
//!    left out later. Only the index that names rows in the log is built.
//! 3. A commit that changes the catalog is a *barrier*: everything before it is applied first, then
//!    its catalog rows, then the catalog is called ([`RecoveryCatalog`]) and makes or drops tables,
//!    then its other rows are applied.
//!
//!    Of a table that has trees nothing is loaded. Of what commits did to it only that counts which
//!    is not in the trees: from the durable root's position on, wherever the checkpoint's files
//!    end. A deleted row that is in its tree becomes a deletion in memory.
//!
//!    If disk tables come to take too much memory, reading ends early, and the database is
//!    recovered in stages ([`crate::database`]). What a transaction has loaded into a storage of
//!    its own, as trees, goes to trees again ([`loads`]).
//! 4. What is in doubt is resolved by the decisions that other databases' logs hold.
//! 5. [`Recovery::finish`] builds the other indexes of what has come out of the log, in parallel.
//! 6. The database opens. A [`Loader`] brings the pending tables in from the files, one after the
//!    other on all threads, and opens each to statements when it is complete ([`loader`]).
//!
//! # Invariants
//!
//! * V1: nothing but recovery uses a table that is pending, so each row is one anchor with one
//!   version.
//! * V2: of the rows with one identity key, all changes in the log are applied by one thread, in
//!   log order.
//! * V3: each live row is in the log's tail or in the files, and there once.
//!
//! # Failure
//!
//! Damage, an unknown table, a duplicate key: the error names it, and nothing of the database is
//! used. If it is found after the database was opened, that is suspect from then on, and no table
//! is served that was not complete.

mod apply;
mod indexes;
mod loader;
mod loads;

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, AtomicU64};
use std::sync::{Arc, OnceLock};

use base::ids::{Lsn, StorageId};

use crate::checkpoint::{
    self, CheckpointError, Contents, Files, Manifest, ObjectStore, TableBlocks,
};
use crate::cold::tree::TreeError;
use crate::hot::identity::Position;
use crate::hot::reclaim::Tables;
use crate::hot::table::Table;
use crate::log::record::RECORD_HEADER;
use crate::log::replay::hold_bytes;
use crate::log::store::{LogEnd, LogStore};
use crate::log::{
    CommittedTransaction, GlobalTransaction, LogError, Operation, PreparedTransaction, RecordFlags,
    Replay,
};
use crate::sink::{ColdPlace, SinkError};
use crate::wait::Runtime;

use apply::{Appliers, Early};
pub use loader::LoadProgress;
pub(crate) use loader::Loader;

#[cfg(all(test, not(feature = "shuttle")))]
pub(crate) mod tests;

/// What recovery asks of the catalog.
pub trait RecoveryCatalog {
    /// A commit has changed these rows of catalog tables, which they show already. Makes the tables
    /// that exist from here on ([`Tables::create`]) and forgets those that do not
    /// ([`RecoveredTables::forget_table`]). Rows of other tables that the same commit
    /// changed are applied afterwards.
    ///
    /// # Errors
    /// What is wrong with the rows, in words for the log.
    fn changed(
        &mut self,
        tables: &RecoveredTables<'_>,
        stamp: Lsn,
        changes: &[CatalogChange],
    ) -> Result<(), String>;

    /// An operation of a commit that is not a row and not known here: the ceilings of sequences,
    /// and whatever the catalog has logged itself. Called in log order, and after
    /// [`RecoveryCatalog::changed`] for everything before.
    ///
    /// # Errors
    /// As above.
    fn operation(&mut self, stamp: Lsn, operation: &Operation<'_>) -> Result<(), String>;
}

/// A change of one row of a catalog table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CatalogChange {
    /// The catalog table.
    pub storage: StorageId,
    /// The row's bytes before, if there was a row.
    pub old: Option<Box<[u8]>>,
    /// The row's bytes now, if there is a row.
    pub new: Option<Box<[u8]>>,
}

/// The tables of a database that is being recovered.
pub struct RecoveredTables<'a> {
    tables: &'a Tables,
}

impl RecoveredTables<'_> {
    /// The tables, to make more.
    pub fn tables(&self) -> &Tables {
        self.tables
    }

    /// A table was dropped, truncated or rebuilt: its rows are freed.
    pub fn forget_table(&self, storage: StorageId) {
        drop(self.tables.remove(storage));
    }
}

/// Why a database cannot be recovered.
#[derive(Clone, Debug)]
pub enum RecoveryError {
    /// The log cannot be read.
    Log(LogError),
    /// The checkpoint files cannot be read.
    Checkpoint(CheckpointError),
    /// A commit changes rows of a table that the catalog does not know.
    UnknownTable {
        /// Where in the log.
        stamp: Lsn,
        /// The table.
        storage: StorageId,
    },
    /// A row has a layout that its table does not have, or is too short for it.
    BadRow {
        /// Where in the log.
        stamp: Lsn,
        /// The table.
        storage: StorageId,
    },
    /// The pages of tables that have sunk cannot be read.
    Pages(TreeError),
    /// Rows cannot be put into pages.
    Sink(SinkError),
    /// Two rows have the same key in a unique index.
    DuplicateKey {
        /// The table.
        storage: StorageId,
        /// Ordinal of the index.
        index: usize,
    },
    /// The catalog does not understand its rows.
    Catalog {
        /// Where in the log.
        stamp: Lsn,
        /// What is wrong.
        what: String,
    },
    /// The system has no memory left.
    OutOfMemory,
}

impl fmt::Display for RecoveryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecoveryError::Log(error) => error.fmt(f),
            RecoveryError::Checkpoint(error) => error.fmt(f),
            RecoveryError::UnknownTable { stamp, storage } => {
                write!(f, "the commit at {stamp} changes storage {storage}, which is not known")
            }
            RecoveryError::BadRow { stamp, storage } => {
                write!(f, "the commit at {stamp} has a malformed row for storage {storage}")
            }
            RecoveryError::Pages(error) => error.fmt(f),
            RecoveryError::Sink(error) => error.fmt(f),
            RecoveryError::DuplicateKey { storage, index } => {
                write!(f, "two rows of storage {storage} have one key in unique index {index}")
            }
            RecoveryError::Catalog { stamp, what } => {
                write!(f, "the catalog does not understand the commit at {stamp}: {what}")
            }
            RecoveryError::OutOfMemory => f.write_str("there is not enough memory"),
        }
    }
}

impl std::error::Error for RecoveryError {}

impl From<TreeError> for RecoveryError {
    fn from(error: TreeError) -> RecoveryError {
        RecoveryError::Pages(error)
    }
}

impl From<SinkError> for RecoveryError {
    fn from(error: SinkError) -> RecoveryError {
        match error {
            SinkError::Tree(error) => RecoveryError::Pages(error),
            error => RecoveryError::Sink(error),
        }
    }
}

impl From<LogError> for RecoveryError {
    fn from(error: LogError) -> RecoveryError {
        RecoveryError::Log(error)
    }
}

impl From<CheckpointError> for RecoveryError {
    fn from(error: CheckpointError) -> RecoveryError {
        match error {
            CheckpointError::OutOfMemory => RecoveryError::OutOfMemory,
            error => RecoveryError::Checkpoint(error),
        }
    }
}

/// The progress of recovery; any thread may look at it.
#[derive(Clone, Default, Debug)]
pub struct RecoveryProgress(Arc<Counters>);

#[derive(Default, Debug)]
struct Counters {
    stage: AtomicU8,
    /// Bytes of the log; the total is an estimate until the end.
    bytes_done: AtomicU64,
    bytes_total: AtomicU64,
    operations: AtomicU64,
    /// Rows that are put into further indexes.
    rows_done: AtomicU64,
    rows_total: AtomicU64,
    /// Rows that are loaded from files.
    loaded: AtomicU64,
    to_load: AtomicU64,
    failure: OnceLock<RecoveryError>,
}

/// What recovery is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecoveryStage {
    /// It reads the log and applies what it says.
    Log {
        /// Bytes that were read.
        done: u64,
        /// Bytes in all, which is an estimate until the end.
        total: u64,
        /// Operations applied.
        operations: u64,
    },
    /// The log has been read; other databases may have decided what is in doubt here.
    Waiting,
    /// It builds the indexes that the log does not need.
    Indexes {
        /// Rows that are in all of their indexes.
        done: u64,
        /// Rows in all.
        total: u64,
    },
    /// The database is in use while its tables are loaded.
    Tables {
        /// Rows that are loaded.
        done: u64,
        /// Rows in all.
        total: u64,
    },
    /// Recovery has ended.
    Done,
    /// Tables could not be loaded: [`RecoveryProgress::failure`].
    Failed,
    /// The database was closed before all tables were loaded.
    Stopped,
}

const LOG: u8 = 0;
const WAITING: u8 = 1;
const INDEXES: u8 = 2;
const TABLES: u8 = 3;
const DONE: u8 = 4;
const FAILED: u8 = 5;
const STOPPED: u8 = 6;

impl RecoveryProgress {
    /// What recovery is doing, and its progress with that.
    pub fn stage(&self) -> RecoveryStage {
        let counters = &*self.0;
        let read = |counter: &AtomicU64| counter.load(Relaxed);
        match counters.stage.load(Acquire) {
            LOG => RecoveryStage::Log {
                done: read(&counters.bytes_done),
                total: read(&counters.bytes_total),
                operations: self.operations(),
            },
            WAITING => RecoveryStage::Waiting,
            INDEXES => {
                RecoveryStage::Indexes { done: self.indexed(), total: read(&counters.rows_total) }
            }
            TABLES => RecoveryStage::Tables {
                done: read(&counters.loaded),
                total: read(&counters.to_load),
            },
            FAILED => RecoveryStage::Failed,
            STOPPED => RecoveryStage::Stopped,
            _ => RecoveryStage::Done,
        }
    }

    /// Operations applied so far.
    pub fn operations(&self) -> u64 {
        self.0.operations.load(Relaxed)
    }

    /// Rows that are in all of their indexes so far.
    pub fn indexed(&self) -> u64 {
        self.0.rows_done.load(Relaxed)
    }

    /// Rows loaded from files, after the database was opened.
    pub fn loaded(&self) -> u64 {
        self.0.loaded.load(Relaxed)
    }

    /// Why tables could not be loaded.
    pub fn failure(&self) -> Option<&RecoveryError> {
        self.0.failure.get()
    }

    /// A stage begins, whose total has been stored.
    fn enter(&self, stage: u8) {
        self.0.stage.store(stage, Release); // pairs with stage()
    }
}

/// How recovery runs.
#[derive(Clone, Debug)]
pub struct RecoveryOptions {
    /// Threads that apply and that build indexes.
    pub threads: usize,
    /// Where recovery reports its progress.
    pub progress: RecoveryProgress,
}

impl Default for RecoveryOptions {
    fn default() -> RecoveryOptions {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        RecoveryOptions { threads, progress: RecoveryProgress::default() }
    }
}

/// What is stored of a database that is to be recovered.
pub(crate) struct Stored<'a> {
    /// Its log.
    pub log: Arc<dyn LogStore>,
    /// Where its checkpoint files are.
    pub objects: &'a dyn ObjectStore,
    /// The checkpoint that counts.
    pub manifest: &'a Manifest,
    /// Its trees.
    pub place: &'a Arc<ColdPlace>,
}

/// A database whose log has been read.
pub struct Recovery {
    tables: Arc<Tables>,
    runtime: Runtime,
    options: RecoveryOptions,
    /// The files of the checkpoint.
    files: Files,
    /// Commits below this are in the files.
    files_end: Lsn,
    end: LogEnd,
    in_doubt: Vec<PreparedTransaction>,
    /// Ceilings of tables that what is in doubt may make.
    early: Early,
    decisions: HashSet<GlobalTransaction>,
    place: Arc<ColdPlace>,
    is_partial: bool,
}

/// A database that is ready to be opened.
pub struct Recovered {
    /// Its tables, complete but for those that are pending.
    pub tables: Arc<Tables>,
    /// What a [`Loader`] is started with.
    pub(crate) load: Load,
    /// Where its log goes on.
    pub end: LogEnd,
    /// Prepared transactions whose outcome is not in the log yet: to be logged before anything
    /// else.
    pub resolved: Vec<Resolved>,
}

/// The files that pending tables are loaded from, and how.
pub(crate) struct Load {
    files: Files,
    /// Disk tables alone.
    is_partial: bool,
    options: RecoveryOptions,
}

impl Load {
    /// What the checkpoint's files hold.
    pub fn contents(&self) -> &Contents {
        self.files.contents()
    }

    /// The tables to be loaded, with what the files have of them.
    fn tables(&self, tables: &Tables) -> Vec<TableBlocks> {
        let mut found = self.files.tables(tables);
        found.retain(|own| !self.is_partial || own.table.is_sinkable());
        found
    }
}

/// What has become of a prepared transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The position of its prepare record.
    pub prepared: Lsn,
    /// The position of the record that is to give the outcome.
    pub stamp: Lsn,
    /// Whether it committed.
    pub committed: bool,
}

/// Commits that are handed to the appliers at a time, by number and bytes.
const BATCH_COMMITS: usize = 512;
const BATCH_BYTES: usize = 256 << 10;
/// A batch that is so long is applied before the next is read.
const LARGE_BYTES: usize = 1 << 20;
/// The part of what rows may take in memory that those of disk tables may before they sink.
const FULL_PART: u64 = 8;

impl Recovery {
    /// Opens a checkpoint of a database and replays its log from there on, into `tables`, in which
    /// the catalog's own are, and which know its trees. If disk tables take too much memory it ends
    /// early ([`Recovery::is_partial`]).
    pub(crate) fn replay(
        stored: Stored<'_>,
        tables: Arc<Tables>,
        runtime: &Runtime,
        catalog: &mut dyn RecoveryCatalog,
        options: RecoveryOptions,
    ) -> Result<Recovery, RecoveryError> {
        let Stored { log, objects, manifest, place } = stored;
        let (uuid, cold) = (manifest.database, place.info);
        let mut decisions: HashSet<_> = manifest.decisions.values().copied().collect();
        let mut files = checkpoint::open(objects, manifest, options.threads)?;
        let files_end = manifest.through;
        let mut appliers = Appliers::start(&tables, runtime, &files, files_end, place, &options);
        load_catalog(&files, manifest, &tables, runtime, &mut appliers, catalog)?;
        let hold_bytes = hold_bytes(tables.pool().least_limit());
        let (from, through) = (manifest.log_start, manifest.through);
        let mut replay = Replay::start_complete_to(log, from, through)?.with_hold_bytes(hold_bytes);
        let mut batch = Vec::new();
        let mut bytes = 0;
        let progress = replay.progress();
        let counters = options.progress.0.clone();
        let complete = manifest.through.max(cold.map_or(Lsn::ZERO, |info| Lsn(info.through)));
        let mut is_partial = false;
        while let Some(commit) = replay.next()? {
            let in_files = commit.lsn < manifest.through;
            if in_files && cold.is_none() {
                continue;
            }
            decisions.extend(commit.global.filter(|global| global.coordinator == uuid));
            if !in_files && commit.flags.has(RecordFlags::CATALOG) {
                appliers.send(std::mem::take(&mut batch))?;
                appliers.barrier(catalog, commit)?;
            } else {
                bytes += commit.body.len();
                batch.push(commit);
                if batch.len() < BATCH_COMMITS && bytes < BATCH_BYTES {
                    continue;
                }
                appliers.send(std::mem::take(&mut batch))?;
                if bytes >= LARGE_BYTES {
                    // So that no more of such lie in queues when memory is found to be full.
                    appliers.settle(catalog)?;
                }
            }
            bytes = 0;
            let (done, total) = progress.bytes();
            counters.bytes_done.store(done, Relaxed);
            counters.bytes_total.store(total, Relaxed);
            if !is_partial && replay.batch_end() > complete && is_full(&tables) {
                replay.stop();
                is_partial = true;
            }
        }
        appliers.send(batch)?;
        let (ended, early) = appliers.finish(catalog)?;
        files.end(ended);
        let end = replay.finish();
        options.progress.enter(WAITING);
        Ok(Recovery {
            tables,
            runtime: runtime.clone(),
            options,
            files,
            files_end,
            end: end.end.resume_at(complete),
            in_doubt: end.in_doubt,
            early,
            decisions,
            place: place.clone(),
            is_partial,
        })
    }

    /// Whether only the beginning of the log has been read.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// The transactions over several databases that this database, their coordinator, committed.
    pub fn decisions(&self) -> &HashSet<GlobalTransaction> {
        &self.decisions
    }

    /// Those in doubt here, for which [`Recovery::finish`] will ask.
    pub fn in_doubt(&self) -> impl Iterator<Item = GlobalTransaction> {
        self.in_doubt.iter().map(|prepared| prepared.global)
    }

    /// Resolves what is in doubt by the coordinators' decisions, and builds the indexes.
    pub fn finish(
        self,
        catalog: &mut dyn RecoveryCatalog,
        decided: impl Fn(&GlobalTransaction) -> bool,
    ) -> Result<Recovered, RecoveryError> {
        debug_assert!(!self.is_partial, "what is in doubt may be decided further on");
        let Recovery { tables, runtime, options, mut files, files_end, end, .. } = self;
        let Recovery { in_doubt, early, place, .. } = self;
        let mut resolved = Vec::new();
        if !in_doubt.is_empty() {
            let mut appliers =
                Appliers::start(&tables, &runtime, &files, files_end, &place, &options);
            for (storage, position) in early {
                appliers.recover_ceiling(storage, position);
            }
            for prepared in in_doubt {
                let PreparedTransaction { lsn, flags, global, body, .. } = prepared;
                let committed = decided(&global);
                // Where its commit or abort record will be, which gives it its stamp.
                let stamp = Lsn(end.next.0 + (resolved.len() * RECORD_HEADER) as u64);
                resolved.push(Resolved { prepared: lsn, stamp, committed });
                if !committed {
                    continue;
                }
                // Its rows were its own until now, so that nothing in the log comes after them.
                let commit = CommittedTransaction { lsn: stamp, flags, global: Some(global), body };
                match flags.has(RecordFlags::CATALOG) {
                    true => appliers.barrier(catalog, commit)?,
                    false => appliers.send(vec![commit])?,
                }
            }
            files.end(appliers.finish(catalog)?.0);
        }
        indexes::build(&tables, &runtime, &options)?;
        Ok(Recovered { tables, load: Load { files, is_partial: false, options }, end, resolved })
    }

    /// Builds the indexes of what was read of the log. Nothing is decided that is in doubt there.
    pub(crate) fn finish_part(self) -> Result<Recovered, RecoveryError> {
        let Recovery { tables, runtime, options, files, end, .. } = self;
        // The progress is updated when all has been read.
        let options = RecoveryOptions { progress: RecoveryProgress::default(), ..options };
        indexes::build(&tables, &runtime, &options)?;
        let (load, resolved) = (Load { files, is_partial: true, options }, Vec::new());
        Ok(Recovered { tables, load, end, resolved })
    }
}

/// Whether rows of disk tables take as much memory as they may before they sink.
fn is_full(tables: &Tables) -> bool {
    let bound = tables.pool().least_limit() / FULL_PART;
    let bytes = |table: Arc<Table>| table.memory().allocated_bytes;
    let disk_tables = || tables.all().into_iter().filter(|table| table.is_sinkable());
    tables.pool().total() >= bound && disk_tables().map(bytes).sum::<u64>() >= bound
}

/// Loads of a checkpoint what the catalog has to know: its rows, and the ceilings of counters.
/// Finds out what tables are pending.
fn load_catalog(
    files: &Files,
    manifest: &Manifest,
    tables: &Tables,
    runtime: &Runtime,
    appliers: &mut Appliers,
    catalog: &mut dyn RecoveryCatalog,
) -> Result<(), RecoveryError> {
    let stamp = manifest.through;
    let failed = |what| RecoveryError::Catalog { stamp, what };
    let rows = files.load_catalog(tables, runtime.collector())?;
    let inserted = rows.into_iter().map(|inserted| CatalogChange {
        storage: inserted.storage,
        old: None,
        new: Some(inserted.row),
    });
    let changes: Vec<_> = inserted.collect();
    if !changes.is_empty() {
        catalog.changed(&RecoveredTables { tables }, stamp, &changes).map_err(failed)?;
    }
    for (sequence, state) in &manifest.sequences {
        if let Some(ceiling) = state.ceiling {
            let operation = Operation::SequenceCeiling { sequence: *sequence, ceiling };
            catalog.operation(stamp, &operation).map_err(failed)?;
        }
    }
    for (storage, ceiling) in &manifest.identities {
        appliers.recover_ceiling(*storage, Position::decode(*ceiling));
    }
    files.tables(tables).iter().for_each(|pending| pending.table.loading().begin());
    Ok(())
}
