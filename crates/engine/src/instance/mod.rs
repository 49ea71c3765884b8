//! The databases of a server with their catalogs: made, found, opened, dropped.
//!
//! # Where things are
//!
//! ```text
//! DIR/lock                 held by the one process that uses the directory
//! DIR/instance             which database is master; written last, so that a directory without it
//!                          was never finished
//! DIR/databases/NAME/      one database: its log, its checkpoint files, its pages (rows.tpg)
//! DIR/databases/NAME.disposable  the directory may go if no row names it
//! ```
//!
//! Which directory belongs to which database only master's rows say. So the commit of such a row is
//! the commit point of `CREATE DATABASE` and `DROP DATABASE`: before it a directory may exist that
//! no row names, after it one that no row names any more, and [`Databases::open`] removes both,
//! since files beside them say that they may go ([`disposable`]). The directory of a database that
//! was detached stays, and says so ([`attach`]).
//!
//! # Life of an instance
//!
//! [`Databases::create`] makes master, model and msdb. [`Databases::open`] replays master's log,
//! which says what other databases there are, then theirs; opens all of them together; builds their
//! schemas from their rows; makes tempdb after model. A database that cannot be opened is left out
//! and reported, and one whose tables turn out to be damaged while they are loaded is closed; the
//! instance does not work without master, so it waits for master's tables. [`Databases::shut_down`]
//! ends it in order.

mod attach;
mod create;
mod data_directory;
mod disposable;
mod open;
mod restore;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use base::Collation;
use base::ids::DbId;
use env::{DirectoryLock, Env, FileError};

pub use attach::{DetachedDatabase, Found};
pub use create::NewDatabase;
pub use restore::{BackedUpDatabase, NewDirectory};

use crate::catalog::def::*;
use crate::catalog::{Catalog, CatalogError, SchemaEdit};
use crate::cold::rowcache::CacheSettings;
use crate::database::{DatabaseOptions as EngineOptions, Host};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::recovery::RecoveryProgress;
use crate::sync::{Arc, Mutex, RwLock};
use crate::txn::{Durability, Owner, Transaction, TxnError, Unavailable};
use crate::wait::{OffLoad, Task};

use data_directory::DataDirectory;

/// How an instance runs.
#[derive(Clone)]
pub struct InstanceOptions {
    /// How databases keep their logs.
    pub database: EngineOptions,
    /// What one database may use of the server's memory, in bytes.
    pub database_memory_limit: u64,
    /// Threads that replay a log.
    pub recovery_threads: usize,
}

impl Default for InstanceOptions {
    fn default() -> InstanceOptions {
        InstanceOptions {
            database: EngineOptions::default(),
            database_memory_limit: u64::MAX,
            recovery_threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        }
    }
}

/// What a new instance is made with.
#[derive(Clone, Debug)]
pub struct NewInstance {
    /// The server's collation: that of the system databases, and of others by default.
    pub collation: Collation,
    /// The hash of the password of `sa`, in the login layer's format.
    pub sa_password_hash: Option<Box<[u8]>>,
}

/// A database that could not be opened.
#[derive(Debug)]
pub struct FailedDatabase {
    /// Its name.
    pub name: Name,
    /// Why.
    pub error: InstanceError,
}

/// A database that has become suspect.
#[derive(Debug)]
pub struct SuspectDatabase {
    /// The database.
    pub id: DbId,
    /// Why.
    pub error: InstanceError,
}

/// What opening an instance has found.
#[derive(Default, Debug)]
pub struct OpenReport {
    /// Databases that could not be opened.
    pub failed: Vec<FailedDatabase>,
    /// Directories of databases that were never finished or were dropped, which are gone now.
    pub removed: Vec<PathBuf>,
    /// Entries among the directories of databases that belong to no database; they stay.
    pub strange: Vec<PathBuf>,
}

/// Called when a database is about to be recovered, with a handle that shows how far recovery has
/// come.
pub type OnRecovery<'a> = &'a mut dyn FnMut(&str, &RecoveryProgress);

/// Why an operation on a whole database or instance failed.
#[derive(Debug)]
pub enum InstanceError {
    /// The directory holds no instance, or an unfinished one.
    NotInitialized(PathBuf),
    /// The directory holds an instance already.
    Exists(PathBuf),
    /// Another process uses the directory.
    InUse(PathBuf),
    /// The directory holds something that does not make sense, or a newer server's instance.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A database could not be made, read or opened.
    Engine(EngineError),
    /// The catalog refused.
    Catalog(CatalogError),
}

/// The databases of a server and their catalogs.
pub struct Databases {
    engine: Engine,
    data: DataDirectory,
    options: InstanceOptions,
    master: Arc<Catalog>,
    catalogs: RwLock<BTreeMap<DbId, Arc<Catalog>>>,
    backups: OffLoad,
    /// Databases that have become suspect and have not been reported.
    failures: Mutex<Vec<SuspectDatabase>>,
    _lock: DirectoryLock,
}

impl Databases {
    /// The databases without their catalogs.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The catalog of master, which knows the databases, logins and settings.
    pub fn master(&self) -> &Arc<Catalog> {
        &self.master
    }

    /// What one database may use of the server's memory by default, in bytes.
    pub fn database_memory_limit(&self) -> u64 {
        self.options.database_memory_limit
    }

    /// The server's collation.
    pub fn collation(&self) -> Collation {
        self.master.current().collation()
    }

    /// The catalog of a database that is open; why it is not, otherwise.
    pub fn catalog(&self, id: DbId) -> Result<Arc<Catalog>, EngineError> {
        let found = {
            let catalogs = self.catalogs.read().expect("no panic under this lock");
            catalogs.get(&id).cloned()
        };
        match found.filter(|catalog| self.is_whole(catalog)) {
            Some(catalog) => Ok(catalog),
            None => match self.engine.database(id) {
                // Its catalog is being built, or could not be.
                Ok(_) => Err(TxnError::Unavailable(Unavailable::Recovering).into()),
                Err(error) => Err(error),
            },
        }
    }

    /// The catalogs of all open databases, by id.
    pub fn catalogs(&self) -> Vec<Arc<Catalog>> {
        let mut catalogs: Vec<Arc<Catalog>> = {
            let catalogs = self.catalogs.read().expect("no panic under this lock");
            catalogs.values().cloned().collect()
        };
        catalogs.retain(|catalog| self.is_whole(catalog));
        catalogs
    }

    /// Whether nothing has been found to be wrong with a database while its tables were loaded. If
    /// something has, it is closed, as one that could not be opened.
    fn is_whole(&self, catalog: &Arc<Catalog>) -> bool {
        let database = catalog.database();
        let Some(failure) = database.loading_failure() else { return true };
        {
            let mut catalogs = self.catalogs.write().expect("no panic under this lock");
            // Another thread may have closed it, and opened it again.
            let is_open = |own: &Arc<Catalog>| Arc::ptr_eq(own, catalog);
            if !catalogs.get(&database.id()).is_some_and(is_open) {
                return false;
            }
            catalogs.remove(&database.id());
            self.engine
                .set_unavailable(database.id(), EngineError::from(failure.clone()).unavailable());
        }
        let error = EngineError::from(failure.clone()).into();
        let suspect = SuspectDatabase { id: database.id(), error };
        self.failures.lock().expect("no panic under this lock").push(suspect);
        database.stop_threads();
        false
    }

    /// The databases that have become suspect since this was last asked.
    pub fn take_failures(&self) -> Vec<SuspectDatabase> {
        // Listing the catalogs notices failures.
        drop(self.catalogs());
        std::mem::take(&mut *self.failures.lock().expect("no panic under this lock"))
    }

    /// The database of this name, whether it is open or not.
    pub fn find(&self, name: &str) -> Option<Arc<DatabaseDef>> {
        self.master.current().find_database(name).cloned()
    }

    /// What `sys.databases` shows as the state of a database.
    pub fn state(&self, def: &DatabaseDef) -> DatabaseState {
        match self.catalog(def.id) {
            Ok(_) => def.options.state,
            Err(EngineError::Txn(TxnError::Unavailable(Unavailable::Recovering))) => {
                DatabaseState::Recovering
            }
            Err(EngineError::Txn(TxnError::Unavailable(Unavailable::Pending))) => {
                DatabaseState::RecoveryPending
            }
            Err(EngineError::Txn(TxnError::Unavailable(Unavailable::Offline))) => {
                DatabaseState::Offline
            }
            Err(EngineError::Txn(TxnError::Unavailable(Unavailable::Restoring))) => {
                DatabaseState::Restoring
            }
            Err(_) => DatabaseState::Suspect,
        }
    }

    /// Ends all databases in order: counters are logged exactly, logs are flushed and marked as
    /// clean. Transactions in progress must have ended. The first failure is reported, after all
    /// databases were tried.
    pub fn shut_down(&self, task: &Task) -> Result<(), InstanceError> {
        let catalogs = self.catalogs();
        let end = |catalog: &Arc<Catalog>| -> Result<(), InstanceError> {
            let positions = catalog.sequences().positions();
            Ok(catalog.database().shut_down(task, &positions)?)
        };
        // master last: as long as it is open, the others are known.
        catalogs.iter().rev().map(end).fold(Ok(()), Result::and)
    }

    /// Sets what row caching of all databases may take and do, as their definitions and those of
    /// row caches say.
    pub fn set_row_caches(&self) {
        for catalog in self.catalogs() {
            if let Some(def) = self.master.current().server().database(catalog.database().id()) {
                self.set_row_cache(&catalog, def);
            }
        }
    }

    /// Sets that of one database. A row cache that is not there sets no limit.
    fn set_row_cache(&self, catalog: &Catalog, def: &DatabaseDef) {
        let master = self.master.current();
        let cache = def.options.row_cache.as_ref();
        let cache = cache.and_then(|name| master.server().row_cache(name));
        catalog.database().set_row_cache(CacheSettings {
            ceiling: cache.map_or(u64::MAX, |cache| cache.bytes()),
            is_tuning: !def.options.row_cache_tuning_off,
        });
    }

    fn env(&self) -> &Env {
        self.engine.host().env()
    }

    fn register(&self, catalog: Arc<Catalog>) {
        let mut catalogs = self.catalogs.write().expect("no panic under this lock");
        catalogs.insert(catalog.database().id(), catalog);
    }

    fn unregister(&self, id: DbId) {
        self.catalogs.write().expect("no panic under this lock").remove(&id);
    }
}

/// Runs a transaction that changes the schema while no other does, and waits until it is durable.
fn change<T>(
    catalog: &Arc<Catalog>,
    task: &Task,
    owner: &Arc<Owner>,
    body: impl FnOnce(&mut SchemaEdit, &mut Transaction) -> Result<T, InstanceError>,
) -> Result<T, InstanceError> {
    let place = catalog.database().session(owner);
    let mut txn = Transaction::begin(&place, task)?;
    let mut edit = SchemaEdit::begin(catalog, &mut txn);
    let run = || {
        edit.lock_all(task, &mut txn)?;
        body(&mut edit, &mut txn)
    };
    match run() {
        Ok(value) => {
            txn.commit(task, Durability::Full)?;
            place.wait_shown(task)?;
            Ok(value)
        }
        Err(error) => {
            txn.rollback(task);
            Err(error)
        }
    }
}

/// The wall clock's local time, for dates of creation.
pub fn now(env: &Env) -> DateTime {
    const TICKS_PER_SECOND: i64 = 10_000_000;
    const TICKS_PER_DAY: i64 = 86_400 * TICKS_PER_SECOND;
    /// Days from 0001-01-01 to 1900-01-01.
    const DAYS_TO_1900: i64 = 693_595;
    let utc = env.clock().utc_ticks();
    let offset_minutes = i64::from(env.clock().local_offset_minutes(utc));
    let local = utc as i64 + offset_minutes * 60 * TICKS_PER_SECOND;
    let ticks = local.rem_euclid(TICKS_PER_DAY) * 300 / TICKS_PER_SECOND;
    let days = local.div_euclid(TICKS_PER_DAY) - DAYS_TO_1900;
    DateTime { days: days as i32, ticks: ticks as u32 }
}

impl InstanceError {
    /// What a database is that cannot be opened because of this.
    fn unavailable(&self) -> Unavailable {
        match self {
            InstanceError::Engine(error) => error.unavailable(),
            _ => Unavailable::Suspect,
        }
    }

    fn of_file(error: FileError) -> InstanceError {
        InstanceError::Engine(error.into())
    }
}

impl fmt::Display for InstanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstanceError::NotInitialized(dir) => {
                write!(f, "{} holds no data", dir.display())
            }
            InstanceError::Exists(dir) => write!(f, "{} holds data already", dir.display()),
            InstanceError::InUse(dir) => {
                write!(f, "{} is in use by another process", dir.display())
            }
            InstanceError::Damaged { path, reason } => {
                write!(f, "{}: {reason}", path.display())
            }
            InstanceError::Engine(error) => error.fmt(f),
            InstanceError::Catalog(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InstanceError {}

impl From<EngineError> for InstanceError {
    fn from(error: EngineError) -> InstanceError {
        InstanceError::Engine(error)
    }
}

impl From<CatalogError> for InstanceError {
    fn from(error: CatalogError) -> InstanceError {
        InstanceError::Catalog(error)
    }
}

impl From<TxnError> for InstanceError {
    fn from(error: TxnError) -> InstanceError {
        InstanceError::Engine(EngineError::Txn(error))
    }
}

/// The session of what the server does on its own account.
fn own_session(host: &Host) -> Arc<Owner> {
    host.owner(base::ids::SessionId(1))
}

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;
