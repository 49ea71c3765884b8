//! A database: its log, its transactions and its tables.
//!
//! # Life of a database
//!
//! Made by [`Database::create`] with an empty log, or without one by [`Database::unlogged`] or
//! [`Database::volatile`]; or found on disk: [`Database::recover`] reads its log back, which may
//! leave transactions over several databases in doubt, and [`RecoveringDatabase::open`] resolves
//! those and opens it. Its tables are loaded from the checkpoint while it is in use; a statement
//! that needs one that is not loaded waits. It ends with [`Database::shut_down`], after which the
//! next start finds exact counters and a clean log, or with the process, after which it finds what
//! was durable.

mod recovering;

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use base::ids::{DbId, Lsn, SessionId};
use env::Env;

use crate::backup::{
    self, Backup, BackupError, CHECKPOINT_DIR, Chain, ChainStore, LOG_DIR, Media, SetHeader,
};
use crate::checkpoint::{
    CheckpointError, CheckpointFile, CheckpointOptions, CheckpointStats, Checkpoints, CommitRange,
    Contents, CoreParts, Loaded, LocalObjects, Manifest, ObjectStore, Order, Pins, SequenceOf,
};
use crate::cold::rowcache::{CacheSettings, CacheStats};
use crate::cold::{ColdError, DurablePages, FileActivity, PoolOptions, SpaceStats};
use crate::error::EngineError;
use crate::hot::identity::Position;
use crate::hot::reclaim::Tables;
use crate::hot::table::Table;
use crate::hot::tally::Pool;
use crate::log::store::{LogStore, StoredSegment};
use crate::log::{LocalStore, Log, LogOptions, Operation, SegmentOptions};
use crate::pages::BufferPool;
use crate::recovery::{LoadProgress, Loader, RecoveryError};
use crate::sink::{self, FoundTrees, SinkError, SinkOptions, SinkStats, Sinker};
use crate::sync::Arc;
use crate::txn::{
    DatabaseSession, Manager, ManagerParts, Owner, Transaction, TxnResult, Unavailable, WaitGraph,
};
use crate::wait::{Runtime, Task};

pub use recovering::RecoveringDatabase;

/// What all databases of a server share.
#[derive(Clone)]
pub struct Host {
    /// Workers, their epochs, and the environment.
    pub runtime: Runtime,
    /// Which sessions wait for which.
    pub graph: Arc<WaitGraph>,
    /// The server's memory.
    pub pool: Arc<Pool>,
    /// The server's memory for pages.
    pub pages: Arc<BufferPool>,
    /// About how many workers there are.
    pub shards: usize,
}

/// A segment of a database's log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogSegment {
    /// Its number, its size and where it begins.
    pub stored: StoredSegment,
    /// Whether it has log that is needed.
    pub used: SegmentUse,
}

/// What a segment of a log is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SegmentUse {
    /// Nothing has been written to it.
    Prepared,
    /// Recovery or a backup needs it, or records still go to it.
    Needed,
    /// Nothing needs it: it is about to be given up.
    Over,
}

/// What of `max server memory` rows and pages may take while databases are recovered. Rows of disk
/// tables sink long before they have come to that.
const ROWS_PERCENT_AT_START: u64 = 75;
const PAGES_PERCENT_AT_START: u64 = 25;

/// What rows and pages may take is limited by [`Host::start_within`]. Dropping this puts back what
/// they might before.
#[must_use]
pub struct StartLimits {
    host: Host,
    rows: u64,
    pages: u64,
}

impl Drop for StartLimits {
    fn drop(&mut self) {
        self.host.pool.set_limit(self.rows);
        self.host.pages.set_limit(self.pages);
    }
}

/// The default buffer pool of a host: small, and without threads.
const POOL_OPTIONS: PoolOptions =
    PoolOptions { reserve_bytes: 64 << 20, limit_bytes: 64 << 20, io_threads: 0 };

impl Host {
    /// A host for about this many workers, with a memory limit in bytes (`u64::MAX` for none).
    pub fn new(runtime: Runtime, shards: usize, memory_limit: u64) -> Host {
        let pool = Arc::new(Pool::new(memory_limit, None));
        let pages = Arc::new(BufferPool::new(runtime.clone(), POOL_OPTIONS, None));
        Host { runtime, graph: Arc::default(), pool, pages, shards }
    }

    /// As `new`, with a buffer pool like this, whose extension is written down in the file `note`.
    pub fn with_buffer_pool(mut self, options: PoolOptions, note: Option<PathBuf>) -> Host {
        self.pages = Arc::new(BufferPool::new(self.runtime.clone(), options, note));
        self
    }

    /// The environment: files, clock, randomness.
    pub fn env(&self) -> &Env {
        self.runtime.env()
    }

    /// Limits rows and pages to parts of this much memory while logs are read, when nothing watches
    /// yet what the process takes in all.
    pub fn start_within(&self, bytes: u64) -> StartLimits {
        let (rows, pages) = (self.pool.limit(), self.pages.limit_bytes());
        self.pool.set_limit(rows.min(bytes / 100 * ROWS_PERCENT_AT_START));
        self.pages.set_limit(pages.min(bytes / 100 * PAGES_PERCENT_AT_START));
        StartLimits { host: self.clone(), rows, pages }
    }

    /// A session's name in the waits-for graph.
    pub fn owner(&self, session: SessionId) -> Arc<Owner> {
        self.graph.owner(session)
    }

    /// The table registry of a database that is about to be made or recovered, with a memory limit
    /// in bytes below the server's.
    pub fn tables(&self, memory_limit: u64) -> Arc<Tables> {
        let pool = Arc::new(Pool::new(memory_limit, Some(self.pool.clone())));
        Arc::new(Tables::new(self.shards, pool))
    }
}

/// How a database keeps its log and its checkpoint files.
#[derive(Clone, Copy, Default, Debug)]
pub struct DatabaseOptions {
    /// The ring and the writer.
    pub log: LogOptions,
    /// The segment files.
    pub segments: SegmentOptions,
    /// Checkpoints.
    pub checkpoints: CheckpointOptions,
    /// When rows of disk tables leave memory.
    pub sink: SinkOptions,
}

/// What identifies a database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatabaseIdentity {
    /// `DB_ID()`.
    pub id: DbId,
    /// Names it in its own files and in other databases' logs, for ever.
    pub uuid: u128,
    /// The directory of its files.
    pub dir: PathBuf,
}

impl DatabaseIdentity {
    fn log_dir(&self) -> PathBuf {
        self.dir.join(LOG_DIR)
    }

    fn checkpoint_dir(&self) -> PathBuf {
        self.dir.join(CHECKPOINT_DIR)
    }
}

/// A database that is open.
pub struct Database {
    identity: DatabaseIdentity,
    manager: Arc<Manager>,
    /// Loads its tables, if it was found on disk.
    loader: Option<Loader>,
    checkpoints: OnceLock<Checkpoints>,
    sinker: OnceLock<Sinker>,
    /// What checkpoints will be made with; none where nothing is kept.
    files: Option<Files>,
    /// Where rows of disk tables will sink; none where they stay in memory.
    sink: Option<SinkPlace>,
}

/// Where rows of a database's disk tables sink.
struct SinkPlace {
    options: SinkOptions,
    pages: Arc<BufferPool>,
    cold: Option<FoundTrees>,
    /// Where the log ends that rows come from.
    until: Lsn,
}

impl SinkPlace {
    /// Without trees yet.
    fn new(host: &Host, options: SinkOptions) -> SinkPlace {
        SinkPlace { options, pages: host.pages.clone(), cold: None, until: Lsn::MAX }
    }
}

/// The files of a database.
struct Files {
    store: Arc<dyn LogStore>,
    objects: Arc<LocalObjects>,
    options: CheckpointOptions,
    backups: Backups,
    /// The last checkpoint.
    last: Loaded,
    /// Where the log goes on in this life.
    life: Lsn,
    /// Streams of chunks that began before this lead nowhere.
    alive: Lsn,
}

/// What a database knows of its backups.
struct Backups {
    chain: Arc<ChainStore>,
    /// What they keep of files and log.
    pins: Arc<Pins>,
    /// One is being made.
    busy: Arc<AtomicBool>,
}

impl Backups {
    fn new(chain: ChainStore) -> Backups {
        Backups { chain: Arc::new(chain), pins: Arc::default(), busy: Arc::default() }
    }
}

impl Database {
    /// A new database with an empty log. The caller syncs the directory above its own.
    pub fn create(
        host: &Host,
        identity: DatabaseIdentity,
        tables: Arc<Tables>,
        options: &DatabaseOptions,
    ) -> Result<Database, EngineError> {
        let fs = host.env().fs();
        fs.create_dir_all(&identity.dir)?;
        let dir = identity.log_dir();
        let store = LocalStore::create(host.env(), &dir, identity.uuid, options.segments)?;
        let store = Arc::new(store);
        let objects = Arc::new(LocalObjects::create(host.env(), &identity.checkpoint_dir())?);
        fs.sync_dir(&identity.dir)?;
        let manifest = Manifest::initial(identity.uuid, Log::START);
        let last = Loaded { manifest, last_number: 0, contents: Contents::default() };
        let log = options.log.within(host.pool.limit());
        let log = Log::open(host.env(), store.clone(), &Log::new_end(), log)?;
        let files = Files {
            store,
            backups: Backups::new(ChainStore::new(objects.clone(), Chain::default())),
            objects,
            options: options.checkpoints,
            last,
            life: Log::START,
            alive: Log::START,
        };
        let sink = SinkPlace::new(host, options.sink);
        Ok(Database::with(host, identity, log, tables, Some(files), Some(sink)))
    }

    /// A database that keeps nothing, and has all in memory.
    pub fn unlogged(host: &Host, id: DbId, tables: Arc<Tables>) -> Database {
        let identity = DatabaseIdentity { id, uuid: 0, dir: PathBuf::new() };
        Database::with(host, identity, Log::unlogged(), tables, None, None)
    }

    /// A database that keeps nothing, like tempdb, whose disk tables may be larger than memory all
    /// the same: its directory is emptied, and has the file that rows sink into.
    pub fn volatile(
        host: &Host,
        identity: DatabaseIdentity,
        tables: Arc<Tables>,
        options: SinkOptions,
    ) -> Result<Database, EngineError> {
        let fs = host.env().fs();
        // The directory itself stays: it may be a link to another disk, or where one is mounted.
        let left = if fs.exists(&identity.dir)? { fs.list(&identity.dir)? } else { Vec::new() };
        for entry in left {
            let path = identity.dir.join(entry.name);
            match entry.metadata.is_dir {
                true => fs.remove_dir_all(&path)?,
                false => fs.remove_file(&path)?,
            }
        }
        fs.create_dir_all(&identity.dir)?;
        let sink = SinkPlace::new(host, options);
        Ok(Database::with(host, identity, Log::unlogged(), tables, None, Some(sink)))
    }

    fn with(
        host: &Host,
        identity: DatabaseIdentity,
        log: Log,
        tables: Arc<Tables>,
        files: Option<Files>,
        sink: Option<SinkPlace>,
    ) -> Database {
        let manager = Arc::new(Manager::new(ManagerParts {
            id: identity.id,
            uuid: identity.uuid,
            runtime: host.runtime.clone(),
            log,
            graph: host.graph.clone(),
            tables,
        }));
        let (checkpoints, sinker) = (OnceLock::new(), OnceLock::new());
        Database { identity, manager, loader: None, checkpoints, sinker, files, sink }
    }

    /// Starts to make checkpoints, and to take rows of disk tables out of memory. Code that knows
    /// the catalog calls this once, with the function that says which of its rows are sequences;
    /// until then the log is kept.
    pub fn start_checkpoints(&self, sequence_of: SequenceOf) {
        let Some(sink) = &self.sink else { return };
        let sinker = self.sinker.get_or_init(|| {
            Sinker::start(sink::CoreParts {
                manager: self.manager.clone(),
                pool: sink.pages.clone(),
                dir: self.identity.dir.clone(),
                options: sink.options,
                cold: sink.cold.clone(),
                until: sink.until,
                is_volatile: self.files.is_none(),
            })
        });
        let Some(files) = &self.files else { return };
        self.checkpoints.get_or_init(|| {
            files.backups.pins.set_floor(files.backups.chain.get().log);
            Checkpoints::start(CoreParts {
                objects: files.objects.clone(),
                store: files.store.clone(),
                manager: self.manager.clone(),
                sink: sinker.core().clone(),
                pins: files.backups.pins.clone(),
                options: files.options,
                sequence_of,
                manifest: files.last.manifest.clone(),
                last_number: files.last.last_number,
                contents: files.last.contents.clone(),
                life: files.life,
                alive: files.alive,
            })
        });
    }

    /// `CHECKPOINT`: everything that is committed now goes to checkpoint files, and the log that is
    /// not needed any more is given up.
    pub fn checkpoint(&self, task: &Task) -> Result<(), EngineError> {
        self.manager.log().flush(task)?;
        self.order(task, Order::Checkpoint).map(drop)
    }

    /// `sys.sp_xtp_merge_checkpoint_files`: merges the pairs that lie within the range, after a
    /// checkpoint. `false` if there are none.
    pub fn merge_checkpoint_files(
        &self,
        task: &Task,
        range: CommitRange,
    ) -> Result<bool, EngineError> {
        self.manager.log().flush(task)?;
        self.order(task, Order::Merge(range))
    }

    /// `sys.sp_xtp_checkpoint_force_garbage_collection`: removes checkpoint files that wait for the
    /// next checkpoint.
    pub fn collect_checkpoint_garbage(&self, task: &Task) -> Result<(), EngineError> {
        self.order(task, Order::CollectGarbage).map(drop)
    }

    pub(crate) fn order(&self, task: &Task, order: Order) -> Result<bool, EngineError> {
        match self.checkpoints.get() {
            Some(checkpoints) => Ok(checkpoints.order(task, order)?),
            None => Ok(false),
        }
    }

    /// The checkpoint files there are.
    pub fn checkpoint_files(&self) -> Vec<CheckpointFile> {
        self.checkpoints.get().map(Checkpoints::files).unwrap_or_default()
    }

    /// What checkpoints have done since the database came up; none where nothing is kept.
    pub fn checkpoint_stats(&self) -> Option<CheckpointStats> {
        self.checkpoints.get().map(Checkpoints::stats)
    }

    /// Why the last checkpoint failed, in the background or by order, if it did.
    pub fn checkpoint_failure(&self) -> Option<CheckpointError> {
        self.checkpoints.get().and_then(Checkpoints::failure)
    }

    /// Begins a backup into a file, after a checkpoint unless it is one of the log alone. Where an
    /// open transaction or a full disk is in a checkpoint's way, the last one and the log after it
    /// say as much. Of `header` the kind and the words for people are given.
    pub fn begin_backup(
        &self,
        task: &Task,
        media: Media,
        header: SetHeader,
    ) -> Result<Backup, EngineError> {
        let (Some(files), Some(checkpoints), Some(sinker)) =
            (&self.files, self.checkpoints.get(), self.sinker.get())
        else {
            return Err(BackupError::NoDatabaseBackup.into());
        };
        if header.kind != backup::SetKind::Log {
            match self.checkpoint(task) {
                Err(EngineError::Checkpoint(error)) if error.is_in_the_way() => {}
                made => made?,
            }
        }
        let source = backup::Source {
            database: self.identity.uuid,
            manager: &self.manager,
            objects: &(files.objects.clone() as Arc<dyn ObjectStore>),
            store: &files.store,
            checkpoints,
            sink: sinker.core(),
            pins: &files.backups.pins,
            chain: &files.backups.chain,
            busy: &files.backups.busy,
        };
        Ok(Backup::begin(&source, media, header)?)
    }

    /// Gives up the log that has been backed up and that nothing else needs.
    pub fn truncate_log(&self) -> Result<(), EngineError> {
        match self.checkpoints.get() {
            Some(checkpoints) => Ok(checkpoints.truncate_log()?),
            None => Ok(()),
        }
    }

    /// `SET RECOVERY SIMPLE`: log is not kept for backups any more.
    pub fn break_log_chain(&self) -> Result<(), EngineError> {
        let Some(files) = &self.files else { return Ok(()) };
        files.backups.chain.change(|chain| chain.log = None)?;
        files.backups.pins.set_floor(None);
        self.truncate_log()
    }

    /// What later backups build on; nothing where nothing is kept.
    pub fn chain(&self) -> Chain {
        self.files.as_ref().map(|files| files.backups.chain.get()).unwrap_or_default()
    }

    /// Why log is kept that recovery does not need.
    pub fn log_wait(&self) -> LogWait {
        let (Some(files), Some(stats)) = (&self.files, self.checkpoint_stats()) else {
            return LogWait::Nothing;
        };
        let pins = &files.backups.pins;
        if pins.is_pinned() {
            LogWait::Backup
        } else if pins.floor().is_some_and(|floor| floor < stats.log_start) {
            LogWait::LogBackup
        } else {
            LogWait::Nothing
        }
    }

    /// The segments of its log, in the log's order; none where nothing is kept.
    pub fn log_segments(&self) -> Vec<LogSegment> {
        let stored = self.manager.log().segments();
        // Looked up after the segments: it only grows, and what is given up meanwhile is not
        // needed.
        let needed_from = match (&self.files, self.checkpoint_stats()) {
            (Some(files), Some(stats)) => files.backups.pins.log_start(stats.log_start),
            _ => Lsn::ZERO,
        };
        let use_of = |at: usize, segment: &StoredSegment| {
            let next = stored.get(at + 1).and_then(|next| next.first);
            match segment.first {
                None => SegmentUse::Prepared,
                Some(_) if next.is_some_and(|next| next <= needed_from) => SegmentUse::Over,
                Some(_) => SegmentUse::Needed,
            }
        };
        let segments = stored.iter().enumerate();
        segments.map(|(at, own)| LogSegment { stored: *own, used: use_of(at, own) }).collect()
    }

    /// Ends the threads that read and write its files, which are about to be removed, or to be left
    /// alone.
    pub fn stop_threads(&self) {
        self.loader.iter().for_each(Loader::stop);
        if let Some(checkpoints) = self.checkpoints.get() {
            checkpoints.stop();
        }
        if let Some(sinker) = self.sinker.get() {
            sinker.stop();
        }
    }

    /// Brings rows into the row cache that were there before the last restart, in the background.
    /// To be called once, when tables are as the catalogue says; `any` tells whether rows of any
    /// are cached.
    pub fn warm_row_caches(&self, any: bool) {
        match self.sinker.get() {
            Some(sinker) if any => sinker.warm(),
            Some(sinker) => sinker.core().need_not_warm(),
            None => {}
        }
    }

    /// Sets what row caching of its tables may take and do.
    pub fn set_row_cache(&self, settings: CacheSettings) {
        if let Some(sinker) = self.sinker.get() {
            sinker.core().set_row_cache(settings);
        }
    }

    /// What its row cache takes and has done, if rows are cached.
    pub fn row_cache_stats(&self) -> Option<CacheStats> {
        self.sinker.get()?.core().row_cache_stats()
    }

    /// The progress of loading its tables, as long as that runs.
    pub fn loading(&self) -> Option<LoadProgress> {
        self.loader.as_ref().and_then(Loader::progress)
    }

    /// Why its tables could not be loaded: it is suspect then.
    pub fn loading_failure(&self) -> Option<&RecoveryError> {
        self.loader.as_ref().and_then(Loader::failure)
    }

    /// Waits until all its tables are loaded.
    ///
    /// # Errors
    /// Why they cannot be.
    pub fn wait_until_loaded(&self, task: &Task) -> Result<(), EngineError> {
        self.loader.iter().for_each(|loader| loader.wait(task));
        self.loading_failure().map_or(Ok(()), |error| Err(error.clone().into()))
    }

    /// Takes all rows of disk tables out of memory that can leave it, whatever the settings.
    pub fn sink_all(&self, task: &Task) -> Result<(), SinkError> {
        self.sinker.get().map_or(Ok(()), |sinker| sinker.core().sink_all(task))
    }

    /// Makes the data file of disk tables shorter: `moves` what lies at its end to where there is
    /// room before, and cuts off what is free at the end, down to this many pages, if there is a
    /// number.
    pub fn shrink_data_file(
        &self,
        task: &Task,
        moves: bool,
        least_pages: Option<u32>,
    ) -> Result<(), SinkError> {
        let Some(sinker) = self.sinker.get() else { return Ok(()) };
        if sinker.core().has_dropped() {
            // If there is no checkpoint, the pages of dropped tables stay.
            let _ = self.checkpoint(task);
        }
        if moves {
            sinker.core().vacate_file(task)?;
        }
        least_pages.map_or(Ok(()), |least| sinker.core().cut_file(task, least))
    }

    /// How the pages of the data file of disk tables are used; nothing as long as there is none.
    pub fn data_file_space(&self) -> Option<SpaceStats> {
        self.sinker.get().and_then(|sinker| sinker.core().file_space())
    }

    /// The pages of disk tables as they are on disk, for a check; nothing as long as there are
    /// none.
    pub fn durable_pages(&self) -> Result<Option<DurablePages>, ColdError> {
        self.sinker.get().map_or(Ok(None), |sinker| sinker.core().pin_pages())
    }

    /// What has been done with the data file of disk tables since it was opened.
    pub fn data_file_activity(&self) -> FileActivity {
        let activity = self.sinker.get().and_then(|sinker| sinker.core().file_activity());
        activity.unwrap_or_default()
    }

    /// Whether its disk tables have trees.
    pub(crate) fn builds(&self) -> bool {
        self.sinker.get().is_some()
    }

    /// Begins to build the trees of a new, empty table that this transaction alone knows; nothing
    /// where tables have no trees.
    pub(crate) fn build(
        &self,
        task: &Task,
        table: &Arc<Table>,
        txn: &Transaction,
    ) -> TxnResult<Option<sink::Build>> {
        match self.sinker.get().filter(|_| table.is_sinkable()) {
            Some(sinker) => sink::Build::begin(sinker.core(), task, table, txn).map(Some),
            None => Ok(None),
        }
    }

    /// What has left memory since the database came up.
    pub fn sink_stats(&self) -> Option<SinkStats> {
        self.sinker.get().map(|sinker| sinker.core().stats())
    }

    /// `DB_ID()`.
    pub fn id(&self) -> DbId {
        self.identity.id
    }

    /// What identifies the database.
    pub fn identity(&self) -> &DatabaseIdentity {
        &self.identity
    }

    /// The database's transactions, tables and garbage.
    pub fn manager(&self) -> &Arc<Manager> {
        &self.manager
    }

    /// A session's place in it.
    pub fn session(&self, owner: &Arc<Owner>) -> Arc<DatabaseSession> {
        DatabaseSession::new(self.manager.clone(), owner.clone())
    }

    /// See [`Manager::observe_identity`].
    pub fn observe_identity(&self, task: &Task, table: &Table, value: i64) -> TxnResult<Lsn> {
        self.manager.observe_identity(task, table, value)
    }

    /// See [`Manager::reseed_identity`].
    pub fn reseed_identity(&self, task: &Task, table: &Table, value: i64) -> TxnResult<Lsn> {
        self.manager.reseed_identity(task, table, value)
    }

    /// See [`Manager::set_identity_cache`].
    pub fn set_identity_cache(&self, task: &Task, on: bool) -> TxnResult<Lsn> {
        self.manager.set_identity_cache(task, on)
    }

    /// See [`Manager::continue_identity`].
    pub fn continue_identity(
        &self,
        task: &Task,
        table: &Table,
        position: Position,
    ) -> TxnResult<()> {
        self.manager.continue_identity(task, table, position)
    }

    /// See [`Manager::log_operation`].
    pub fn log_operation(&self, task: &Task, operation: &Operation<'_>) -> TxnResult<Lsn> {
        self.manager.log_operation(task, operation)
    }

    /// Frees what no transaction can see any more, up to about `budget` rows and versions. Fewer
    /// than that were freed if nothing more was due.
    pub fn reclaim(&self, task: &Task, budget: usize) -> usize {
        self.manager.reclaim(task, budget)
    }

    /// See [`Manager::shrink_indexes`].
    pub fn shrink_indexes(&self, task: &Task, budget: usize, look: bool) -> usize {
        self.manager.shrink_indexes(task, budget, look)
    }

    /// Slows writers down that write more to disk tables than can leave memory. To be called often.
    pub fn pace_writers(&self) {
        if let Some(sinker) = self.sinker.get() {
            sinker.core().pace_writers();
        }
    }

    /// Ends the database in order: no transaction begins any more, counters are logged exactly,
    /// the log is flushed and marked as clean. Transactions in progress must have ended; `counters`
    /// are the positions of counters that belong to no table (sequences).
    pub fn shut_down(&self, task: &Task, counters: &[Operation<'_>]) -> Result<(), EngineError> {
        self.manager.set_available(Err(Unavailable::Offline));
        self.loader.iter().for_each(Loader::stop);
        for table in self.manager.tables().all() {
            if let Some(counter) = table.identity() {
                self.manager.log_identity(task, &table, counter.position())?;
            }
        }
        for operation in counters {
            self.log_operation(task, operation)?;
        }
        self.manager.log().flush(task)?;
        if let (Some(checkpoints), Some(files)) = (self.checkpoints.get(), &self.files) {
            if checkpoints.lag() >= files.options.shutdown_bytes {
                // The log holds what no file does.
                let _ = checkpoints.last(task);
            }
        }
        self.stop_threads();
        Ok(self.manager.log().shut_down()?)
    }
}

/// Why log is kept that recovery does not need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogWait {
    /// No log is kept beyond that.
    Nothing,
    /// The log has not been backed up.
    LogBackup,
    /// A backup is reading it.
    Backup,
}

impl LogWait {
    /// As `log_reuse_wait_desc` says it.
    pub fn description(self) -> &'static str {
        match self {
            LogWait::Nothing => "NOTHING",
            LogWait::LogBackup => "LOG_BACKUP",
            LogWait::Backup => "ACTIVE_BACKUP_OR_RESTORE",
        }
    }
}
