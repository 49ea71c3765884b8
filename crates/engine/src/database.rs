//! A database: its log, its transactions and its tables.
//!
//! # Life of a database
//!
//! Made by [`Database::create`] with an empty log, or without one by [`Database::unlogged`]; or
//! found on disk: [`Database::recover`] reads its log back, which may leave transactions over several
//! databases in doubt, and [`RecoveringDatabase::open`] resolves those and opens it. It ends with
//! [`Database::shut_down`], after which the next start finds exact counters and a clean log, or with
//! the process, after which it finds what was durable.

use std::path::{Path, PathBuf};

use base::ids::{DbId, Lsn, SessionId};
use env::Env;

use crate::error::EngineError;
use crate::hot::identity::Position;
use crate::hot::reclaim::Tables;
use crate::hot::table::Table;
use crate::hot::tally::Pool;
use crate::log::record::RECORD_HEADER;
use crate::log::{LocalStore, Log, LogOptions, Operation, RecordFlags, RecordKind, SegmentOptions};
use crate::recovery::{Recovery, RecoveryCatalog, RecoveryOptions, Resolved};
use crate::sync::Arc;
use crate::txn::{
    DatabaseSession, Manager, ManagerParts, Owner, TxnResult, Unavailable, WaitGraph,
};
use crate::wait::{Runtime, Task};

/// What all databases of a server share.
#[derive(Clone)]
pub struct Host {
    /// Workers, their epochs, and the world.
    pub runtime: Runtime,
    /// Who waits for whom.
    pub graph: Arc<WaitGraph>,
    /// The server's memory.
    pub pool: Arc<Pool>,
    /// About how many workers there are.
    pub shards: usize,
}

impl Host {
    /// A host for about this many workers, with a memory limit in bytes (`u64::MAX` for none).
    pub fn new(runtime: Runtime, shards: usize, memory_limit: u64) -> Host {
        let pool = Arc::new(Pool::new(memory_limit, None));
        Host { runtime, graph: Arc::default(), pool, shards }
    }

    /// The world.
    pub fn env(&self) -> &Env {
        self.runtime.env()
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

/// How a database keeps its log.
#[derive(Clone, Copy, Default, Debug)]
pub struct DatabaseOptions {
    /// The ring and the writer.
    pub log: LogOptions,
    /// The segment files.
    pub segments: SegmentOptions,
}

/// What tells a database from others.
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
        self.dir.join("log")
    }
}

/// A database that is open.
pub struct Database {
    identity: DatabaseIdentity,
    manager: Arc<Manager>,
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
        fs.sync_dir(&identity.dir)?;
        let log = Log::open(host.env(), Arc::new(store), &Log::new_end(), options.log)?;
        Ok(Database::with(host, identity, log, tables))
    }

    /// A database that keeps nothing, like tempdb.
    pub fn unlogged(host: &Host, id: DbId, tables: Arc<Tables>) -> Database {
        let identity = DatabaseIdentity { id, uuid: 0, dir: PathBuf::new() };
        Database::with(host, identity, Log::unlogged(), tables)
    }

    /// Reads the log of a database on disk into `tables`, in which the catalog's own are.
    pub fn recover(
        host: &Host,
        identity: DatabaseIdentity,
        tables: Arc<Tables>,
        catalog: &mut dyn RecoveryCatalog,
        options: &DatabaseOptions,
        recovery: RecoveryOptions,
    ) -> Result<RecoveringDatabase, EngineError> {
        let dir = identity.log_dir();
        let store = LocalStore::open(host.env(), &dir, identity.uuid, options.segments)?;
        let store = Arc::new(store);
        let from = store.first().unwrap_or(Log::START);
        let (uuid, collector) = (identity.uuid, host.runtime.collector());
        let replayed =
            Recovery::replay(store.clone(), from, uuid, tables, collector, catalog, recovery)?;
        let (host, options) = (host.clone(), *options);
        Ok(RecoveringDatabase { host, identity, store, options, recovery: replayed })
    }

    fn with(host: &Host, identity: DatabaseIdentity, log: Log, tables: Arc<Tables>) -> Database {
        let manager = Arc::new(Manager::new(ManagerParts {
            id: identity.id,
            uuid: identity.uuid,
            runtime: host.runtime.clone(),
            log,
            graph: host.graph.clone(),
            tables,
        }));
        Database { identity, manager }
    }

    /// `DB_ID()`.
    pub fn id(&self) -> DbId {
        self.identity.id
    }

    /// What tells it from others.
    pub fn identity(&self) -> &DatabaseIdentity {
        &self.identity
    }

    /// Its transactions, tables and garbage.
    pub fn manager(&self) -> &Arc<Manager> {
        &self.manager
    }

    /// A session's place in it.
    pub fn session(&self, owner: &Arc<Owner>) -> Arc<DatabaseSession> {
        DatabaseSession::new(self.manager.clone(), owner.clone())
    }

    /// Somebody inserts an explicit value into an identity column.
    pub fn observe_identity(&self, task: &Task, table: &Table, value: i64) -> TxnResult<()> {
        self.manager.observe_identity(task, table, value)
    }

    /// `DBCC CHECKIDENT (…, RESEED, value)`.
    pub fn reseed_identity(&self, task: &Task, table: &Table, value: i64) -> TxnResult<()> {
        self.manager.reseed_identity(task, table, value)
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

    /// Frees what nobody can see any more, up to about `budget` rows and versions. Fewer than that
    /// were freed if nothing more was due.
    pub fn reclaim(&self, task: &Task, budget: usize) -> usize {
        self.manager.reclaim(task, budget)
    }

    /// Ends the database in order: no transaction begins any more, counters are logged exactly,
    /// the log is flushed and marked as clean. Transactions in progress must have ended; `counters`
    /// are the positions of counters that belong to no table (sequences).
    pub fn shut_down(&self, task: &Task, counters: &[Operation<'_>]) -> Result<(), EngineError> {
        self.manager.set_available(Err(Unavailable::Offline));
        for table in self.manager.tables().all() {
            if let Some(counter) = table.identity() {
                self.manager.log_identity(task, &table, counter.position())?;
            }
        }
        for operation in counters {
            self.log_operation(task, operation)?;
        }
        Ok(self.manager.log().shut_down()?)
    }
}

/// A database whose log has been read, and whose transactions over several databases may be in
/// doubt.
pub struct RecoveringDatabase {
    host: Host,
    identity: DatabaseIdentity,
    store: Arc<LocalStore>,
    options: DatabaseOptions,
    recovery: Recovery,
}

impl RecoveringDatabase {
    /// What tells it from others.
    pub fn identity(&self) -> &DatabaseIdentity {
        &self.identity
    }

    /// What its log says: the decisions it made as a coordinator, and what is in doubt here.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// The directory of its files.
    pub fn dir(&self) -> &Path {
        &self.identity.dir
    }

    /// Resolves what is in doubt: `decided` tells whether the coordinator's log holds a decision to
    /// commit. Builds the indexes and opens the database.
    pub fn open(
        self,
        task: &Task,
        catalog: &mut dyn RecoveryCatalog,
        decided: impl Fn(&crate::log::GlobalTransaction) -> bool,
    ) -> Result<Database, EngineError> {
        let RecoveringDatabase { host, identity, store, options, recovery } = self;
        let recovered = recovery.finish(catalog, decided)?;
        let log = Log::open(host.env(), store, &recovered.end, options.log)?;
        for Resolved { prepared, stamp, committed } in &recovered.resolved {
            let kind = if *committed { RecordKind::Commit } else { RecordKind::Abort };
            let space = log.reserve_waiting(task, RECORD_HEADER)?;
            assert_eq!(space.stamp(), *stamp, "nobody else writes to the log yet");
            space.publish(kind, RecordFlags::PREPARED, *prepared);
        }
        log.flush(task)?;
        Ok(Database::with(&host, identity, log, recovered.tables))
    }
}
