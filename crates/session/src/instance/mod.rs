//! The server as sessions see it: its databases, and what they share beside them.
//!
//! # Where things are
//!
//! * [`sessions`]: the sessions and what they do; the DMVs read it, `KILL` reaches through it.
//! * [`login`]: which logins may come in, and to which database.
//! * [`compiler`]: what is compiled to machine code, and when.
//! * [`collection`]: of which natively compiled modules runs are counted.
//! * [`memory`]: how `max server memory` is shared out.
//! * [`locks`]: application locks.
//! * [`row_caches`]: named row caches, and the databases that use them.
//! * [`usage`]: which sessions are in which database, so that it is not dropped under them.
//!
//! # Lock order
//!
//! Every lock here is a leaf: nothing else is locked, and no thread waits, while it is held.

pub mod activity;
pub mod collection;
pub mod compiler;
pub mod error_log;
pub mod governor;
pub mod locks;
pub mod login;
pub mod memory;
pub mod row_caches;
pub mod sessions;
pub mod usage;

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};

use base::ids::{DbId, ObjectId, SessionId};
use base::{Account, SqlError, SqlResult, message};
use engine::backup::Writing;
use engine::catalog::def::{DatabaseDef, UserAccess};
use engine::catalog::{Catalog, builtin};
use engine::database::{Host, LogWait};
use engine::error::EngineError;
use engine::hot::tally::Exhausted;
use engine::instance::Databases;
use engine::sync::plain::{Mutex, MutexGuard};
use engine::txn::{TxnError, Unavailable};
use env::Env;

use crate::files::FileRules;
use crate::plan_cache::PlanCache;
use ir::function::facts::{Counters, ServerFacts};

use ir::machine_code::CodeGenerator;
use run::interp::errors::{from_message, of_database};
use run::interp::grants::GrantPool;
use run::interp::spill::SpillSpace;

use collection::Collection;
use compiler::Compiler;
use error_log::ErrorLogFiles;
use locks::ApplicationLocks;
use login::Passwords;
use memory::{Limits, Shares};
use sessions::Sessions;
use usage::DatabaseUsage;

/// How a server runs, as far as sessions are concerned.
pub struct InstanceOptions {
    /// What functions return about the server.
    pub facts: ServerFacts,
    /// Which files statements may name.
    pub files: FileRules,
    /// How passwords are kept.
    pub passwords: Arc<dyn Passwords>,
    /// What statements may use in memory beside rows of tables.
    pub memory: Shares,
    /// Where statements go on that have used that up; without it they fail.
    pub spill: Option<Arc<SpillSpace>>,
    /// What happens on `SHUTDOWN`; the flag says `WITH NOWAIT`.
    pub on_shutdown: Box<dyn Fn(bool) + Send + Sync>,
    /// Writes a message to the error log; one whose severity is above 10 is an error.
    pub error_log: Box<dyn Fn(&SqlError) + Send + Sync>,
    /// Whether logon triggers run.
    pub logon_triggers: bool,
    /// The files of the error log, if it has some.
    pub error_log_files: Option<Arc<dyn ErrorLogFiles>>,
    /// Makes machine code; without it everything is interpreted.
    pub code_generator: Option<Arc<dyn CodeGenerator>>,
    /// The heat at which statements get machine code ([`compiler::HOT`]); 0: before they run first.
    pub compile_after: u32,
}

/// A running server.
pub struct Instance {
    databases: Databases,
    facts: Arc<ServerFacts>,
    files: FileRules,
    /// The sessions.
    pub sessions: Sessions,
    /// `sp_getapplock`.
    pub locks: ApplicationLocks,
    /// Which sessions are in which database.
    pub usage: DatabaseUsage,
    /// Compiled texts and modules.
    pub plans: PlanCache,
    /// Backup files that are being written.
    pub writing: Arc<Writing>,
    /// What makes machine code of them.
    pub compiler: Compiler,
    /// Of which natively compiled modules runs are counted.
    pub collection: Collection,
    passwords: Arc<dyn Passwords>,
    /// What statements that sort and hash may hold, all together.
    pub grants: Arc<GrantPool>,
    /// What values, requests and objects that cannot spill take, of all sessions together.
    values: Arc<Account>,
    limits: Limits,
    spill: Option<Arc<SpillSpace>>,
    on_shutdown: Box<dyn Fn(bool) + Send + Sync>,
    error_log: Box<dyn Fn(&SqlError) + Send + Sync>,
    logon_triggers: bool,
    error_log_files: Option<Arc<dyn ErrorLogFiles>>,
    /// Rises when a database is made, dropped, opened or closed.
    database_changes: AtomicU64,
    last_transaction: AtomicU64,
    last_guid: Mutex<SequentialGuids>,
    /// Global temporary tables whose sessions have ended while other sessions used them.
    left_temporary: Mutex<Vec<ObjectId>>,
    connections: AtomicI32,
    errors: AtomicI32,
    started_ns: u64,
    started_utc: u64,
}

impl Instance {
    /// Sessions on these databases.
    pub fn new(databases: Databases, options: InstanceOptions) -> Arc<Instance> {
        let env = databases.engine().host().env().clone();
        let usage = DatabaseUsage::default();
        for def in databases.master().current().server().databases().iter() {
            usage.set_single(def.id, def.options.user_access == UserAccess::Single);
        }
        let limits = Limits::new(options.memory, databases.engine().host().pool.limit());
        Arc::new(Instance {
            facts: Arc::new(options.facts),
            files: options.files,
            sessions: Sessions::default(),
            locks: ApplicationLocks::new(databases.engine().host().graph.clone()),
            databases,
            usage,
            plans: PlanCache::default(),
            writing: Arc::default(),
            compiler: Compiler::new(options.code_generator, options.compile_after),
            collection: Collection::default(),
            passwords: options.passwords,
            grants: GrantPool::new(),
            values: Account::new(usize::MAX, "default"),
            limits,
            spill: options.spill,
            on_shutdown: options.on_shutdown,
            error_log: options.error_log,
            logon_triggers: options.logon_triggers,
            error_log_files: options.error_log_files,
            database_changes: AtomicU64::new(1),
            last_transaction: AtomicU64::new(0),
            last_guid: Mutex::new(SequentialGuids::new(&env)),
            left_temporary: Default::default(),
            connections: AtomicI32::new(0),
            errors: AtomicI32::new(0),
            started_ns: env.clock().now_ns(),
            started_utc: env.clock().utc_ticks(),
        })
    }

    /// The databases and their catalogs.
    pub fn databases(&self) -> &Databases {
        &self.databases
    }

    /// What the engine's parts share.
    pub fn host(&self) -> &Host {
        self.databases.engine().host()
    }

    /// The environment: files, clock, randomness.
    pub fn env(&self) -> &Env {
        self.host().env()
    }

    /// What functions return about the server.
    pub fn facts(&self) -> &Arc<ServerFacts> {
        &self.facts
    }

    /// Which files statements may name.
    pub fn files(&self) -> &FileRules {
        &self.files
    }

    /// How passwords are kept.
    pub fn passwords(&self) -> &dyn Passwords {
        &*self.passwords
    }

    /// Where statements spill.
    pub fn spill(&self) -> Option<&Arc<SpillSpace>> {
        self.spill.as_ref()
    }

    /// When the server started: monotonic nanoseconds, and UTC in units of 100 ns.
    pub fn started(&self) -> (u64, u64) {
        (self.started_ns, self.started_utc)
    }

    /// A moment on the monotonic clock as UTC in units of 100 ns.
    pub fn utc_at(&self, ns: u64) -> u64 {
        self.started_utc + ns.saturating_sub(self.started_ns) / 100
    }

    /// Asks the server to end.
    pub fn shut_down(&self, no_wait: bool) {
        (self.on_shutdown)(no_wait);
    }

    /// Whether logon triggers run: not if the server was started without them, which lets logins in
    /// that they refuse.
    pub fn runs_logon_triggers(&self) -> bool {
        self.logon_triggers
    }

    /// Writes a message to the error log.
    pub fn note(&self, message: &SqlError) {
        (self.error_log)(message);
    }

    /// The files of the error log, if it has some.
    pub fn error_log_files(&self) -> Option<&Arc<dyn ErrorLogFiles>> {
        self.error_log_files.as_ref()
    }

    /// A number that changes with the set of databases: what sessions remember of databases is good
    /// while it is the same.
    pub fn database_changes(&self) -> u64 {
        self.database_changes.load(SeqCst)
    }

    /// The set of databases, or which of them are open, has changed.
    pub fn note_database_change(&self) {
        self.database_changes.fetch_add(1, SeqCst);
    }

    /// A database has been dropped, closed or replaced. First that, since it keeps plans that are
    /// made just now from being kept.
    pub fn note_gone(&self, database: DbId) {
        self.note_database_change();
        self.plans.forget_database(database);
    }

    /// An id for a transaction that begins.
    pub fn next_transaction_id(&self) -> u64 {
        self.last_transaction.fetch_add(1, Relaxed) + 1
    }

    /// A database by name.
    pub fn find_database(&self, name: &str) -> Option<Arc<DatabaseDef>> {
        self.databases.find(name)
    }

    /// A database by id.
    pub fn database_def(&self, id: DbId) -> Option<Arc<DatabaseDef>> {
        self.databases.master().current().server().database(id).cloned()
    }

    /// The name of a database; empty if it is gone.
    pub fn database_name(&self, id: DbId) -> Arc<str> {
        self.database_def(id).map_or_else(|| "".into(), |def| def.name.clone())
    }

    /// The catalog of a database that can be used; error 911, 922, 926, 927, 942, 945 otherwise.
    pub fn catalog(&self, id: DbId) -> SqlResult<Arc<Catalog>> {
        self.databases.catalog(id).map_err(|error| self.unavailable(id, &error))
    }

    /// Why a database cannot be used, as an error for clients.
    pub fn unavailable(&self, id: DbId, error: &EngineError) -> SqlError {
        let name = self.database_name(id);
        let message = match error {
            EngineError::Txn(TxnError::Unavailable(why)) => match why {
                Unavailable::Recovering => &message::DATABASE_IN_RESTORE,
                Unavailable::Suspect => &message::DATABASE_SUSPECT,
                Unavailable::Pending => &message::DATABASE_FILES_INACCESSIBLE,
                Unavailable::Offline => &message::DATABASE_OFFLINE,
                Unavailable::Restoring => &message::DATABASE_RESTORING,
            },
            _ => &message::DATABASE_NOT_FOUND,
        };
        SqlError::new(message, &[&name])
    }

    /// Why the log of a database cannot be cut.
    pub fn log_wait(&self, id: DbId) -> LogWait {
        let catalog = self.databases.catalog(id);
        catalog.map_or(LogWait::Nothing, |catalog| catalog.database().log_wait())
    }

    /// The message of an error of the engine in a database that is about no table in particular.
    pub fn engine_error(&self, id: DbId, error: &TxnError) -> SqlError {
        match error {
            TxnError::LogFull => {
                let args: [&dyn std::fmt::Display; 2] =
                    [&self.database_name(id), &self.log_wait(id).description()];
                from_message(error, &args)
            }
            TxnError::OutOfMemory(Exhausted::Database) => {
                from_message(error, &[&self.pool_name(id)])
            }
            other => of_database(other, id),
        }
    }

    /// The value in use of a setting of `sp_configure`.
    pub fn configuration(&self, id: i32) -> i32 {
        let schema = self.databases.master().current();
        match schema.server().configuration(id) {
            Some(configured) => configured.in_use,
            None => {
                let known = builtin::CONFIGURATIONS.iter().find(|c| c.id == id);
                known.map_or(0, |c| c.default)
            }
        }
    }

    /// Counts an attempt to log in.
    pub fn count_connection(&self) {
        self.connections.fetch_add(1, Relaxed);
    }

    /// Counts an error that was sent.
    pub fn count_error(&self) {
        self.errors.fetch_add(1, Relaxed);
    }

    /// How many errors were sent.
    pub fn errors_sent(&self) -> i32 {
        self.errors.load(Relaxed)
    }

    /// What has been counted.
    pub fn counters(&self) -> Counters {
        const TICK_NS: u64 = 31_250_000;
        let up = (self.env().clock().now_ns() - self.started_ns) / TICK_NS;
        let (received, sent) = self.sessions.packets();
        let (mut writes, mut failed) = (0, 0);
        for catalog in self.databases.catalogs() {
            let log = catalog.database().manager().log();
            writes += log.stats().batches;
            failed += i32::from(log.last_error().is_some());
        }
        let count = |count: u64| i32::try_from(count).unwrap_or(i32::MAX);
        Counters {
            connections: self.connections.load(Relaxed),
            idle: count(up),
            packets_received: count(received),
            packets_sent: count(sent),
            writes: count(writes),
            errors: failed,
            ..Counters::default()
        }
    }

    /// A session's request has panicked, and ends it.
    pub fn note_panic(&self, session: SessionId, said: &str) {
        let text = format!("{} Session {}: {said}", message::ASSERTION_FAILED.text, session.0);
        let number = message::ASSERTION_FAILED.number;
        self.note(&SqlError::custom(number, message::ASSERTION_FAILED.severity, 1, text));
    }

    /// Whether there are global temporary tables that are to be dropped.
    pub fn has_left_temporary(&self) -> bool {
        !self.left_temporary().is_empty()
    }

    /// Takes the global temporary tables that are to be dropped, for the session that tries to.
    pub fn take_left_temporary(&self) -> Vec<ObjectId> {
        std::mem::take(&mut self.left_temporary())
    }

    /// These global temporary tables are to be dropped when no session uses them any more.
    pub fn leave_temporary(&self, tables: Vec<ObjectId>) {
        self.left_temporary().extend(tables);
    }

    fn left_temporary(&self) -> MutexGuard<'_, Vec<ObjectId>> {
        self.left_temporary.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// See [`ir::function::SessionFacts::sequential_guid`].
    pub fn sequential_guid(&self) -> [u8; 16] {
        self.last_guid.lock().unwrap_or_else(|e| e.into_inner()).next(self.env())
    }
}

/// What `NEWSEQUENTIALID()` takes from: time and a counter, in the bytes that are compared first.
struct SequentialGuids {
    /// Ticks of the last one; the next is greater.
    last: u64,
    /// The bytes after, random since the server started.
    node: [u8; 8],
}

impl SequentialGuids {
    fn new(env: &Env) -> SequentialGuids {
        let mut node = [0; 8];
        env.rng().fill(&mut node);
        SequentialGuids { last: 0, node }
    }

    fn next(&mut self, env: &Env) -> [u8; 16] {
        self.last = env.clock().utc_ticks().max(self.last + 1);
        let ticks = self.last.to_be_bytes();
        let mut guid = [0; 16];
        // SQL Server compares the last six bytes first, then those before, in pairs and fours.
        guid[10..16].copy_from_slice(&ticks[0..6]);
        guid[8..10].copy_from_slice(&ticks[6..8]);
        guid[0..8].copy_from_slice(&self.node);
        guid
    }
}

/// Ids of the settings that sessions look at, among [`builtin::CONFIGURATIONS`].
pub mod setting {
    /// `contained database authentication`
    pub const CONTAINED_AUTHENTICATION: i32 = 16393;
    /// `default language`: the id of that of new logins.
    pub const DEFAULT_LANGUAGE: i32 = 124;
    /// `disallow results from triggers`
    pub const DISALLOW_RESULTS_FROM_TRIGGERS: i32 = 114;
    /// `nested triggers`
    pub const NESTED_TRIGGERS: i32 = 115;
    /// `two digit year cutoff`
    pub const TWO_DIGIT_YEAR_CUTOFF: i32 = 1127;
    /// `user options`
    pub const USER_OPTIONS: i32 = 1534;
    /// `min memory per query (KB)`
    pub const MIN_MEMORY_PER_QUERY: i32 = 1540;
    /// `query wait (s)`
    pub const QUERY_WAIT: i32 = 1541;
    pub use engine::catalog::builtin::MAX_SERVER_MEMORY;
}

#[cfg(test)]
mod tests;
