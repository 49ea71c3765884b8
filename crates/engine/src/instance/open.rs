//! Opening an instance: recovery of all its databases, then their catalogs.

use std::collections::BTreeMap;
use std::path::Path;

use base::Collation;
use base::ids::DbId;

use super::data_directory::DataDirectory;
use super::{
    Databases, FailedDatabase, InstanceError, InstanceOptions, OnRecovery, OpenReport, change, now,
    own_session,
};
use crate::catalog::def::*;
use crate::catalog::{Catalog, CatalogReplay, Definition, create_system_tables, sequence_of};
use crate::database::{Database, DatabaseIdentity, Host};
use crate::engine::{Engine, OpenedDatabase, ReplayedDatabase};
use crate::error::EngineError;
use crate::recovery::{RecoveryOptions, RecoveryProgress};
use crate::sync::{Arc, Mutex, RwLock};
use crate::txn::{Owner, Transaction, Unavailable};
use crate::wait::{OffLoad, Task};

/// Backups and restores that are made at a time.
const BACKUP_THREADS: usize = 4;

type Replayed = ReplayedDatabase<CatalogReplay>;

impl Databases {
    /// Opens the instance in a directory. Fails only if master cannot be opened; of other databases
    /// the report says what is wrong with them.
    pub fn open(
        host: Host,
        dir: &Path,
        options: InstanceOptions,
        task: &Task,
        on_recovery: OnRecovery<'_>,
    ) -> Result<(Databases, OpenReport), InstanceError> {
        let data = DataDirectory::new(dir);
        let lock = data.lock(host.env())?;
        let record = data.read(host.env())?;
        let engine = Engine::new(host.clone());
        let owner = own_session(&host);
        let mut opening = Opening { host: &host, options: &options, on_recovery };

        let master = opening.replay("master", data.master(&record))?;
        let limits = master.catalog.memory_limit().map(|limit| host.start_within(limit));
        let known: Vec<Arc<DatabaseDef>> = master.catalog.databases().cloned().collect();
        let mut report = OpenReport::default();
        let replayed = opening.replay_others(&engine, &data, master, &known, &mut report);

        let collations: BTreeMap<DbId, Collation> =
            known.iter().map(|def| (def.id, def.collation)).collect();
        let mut opened = BTreeMap::new();
        let (replayed, unreadable) = replayed;
        for recovered in engine.open_recovered(task, replayed, &unreadable) {
            let OpenedDatabase { id, catalog: replay, result } = recovered;
            let collation = collations.get(&id).copied().unwrap_or(record.collation);
            let catalog = result
                .map_err(InstanceError::from)
                .and_then(|database| load(database, collation, replay, task, &owner));
            match catalog {
                Ok(catalog) => drop(opened.insert(id, catalog)),
                Err(error) if id == DbId::MASTER => return Err(error),
                Err(error) => {
                    engine.set_unavailable(id, error.unavailable());
                    report.failed.push(FailedDatabase { name: name_of(&known, id), error });
                }
            }
        }
        drop(limits);
        let master = opened.get(&DbId::MASTER).expect("it was opened or that was an error").clone();
        let catalogs = RwLock::new(opened);
        let backups = OffLoad::new("backup", BACKUP_THREADS, BACKUP_THREADS);
        let failures = Mutex::default();
        let instance =
            Databases { engine, data, options, master, catalogs, backups, failures, _lock: lock };
        // Nothing would go without it.
        instance.master.database().wait_until_loaded(task)?;
        instance.remove_orphans(&known, &mut report)?;
        known.iter().for_each(|def| instance.remove_note(&instance.directory_of(def)));
        instance.break_log_chains(&known)?;
        for def in &known {
            if let Ok(catalog) = instance.catalog(def.id) {
                catalog.configure(task, def)?;
                instance.set_row_cache(&catalog, def);
            }
        }
        instance.renew_tempdb(task, &owner, &mut report);
        Ok((instance, report))
    }

    /// `ALTER DATABASE … SET OFFLINE`: closes a database that no session uses any more. It stays
    /// closed, over restarts too, until [`Databases::bring_online`]; one that could not be opened
    /// need not be closed.
    pub fn take_offline(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
    ) -> Result<(), InstanceError> {
        self.put_state(task, owner, def, DatabaseState::Offline)?;
        match self.catalog(def.id) {
            Ok(_) => self.close_database(task, def.id),
            Err(_) => {
                self.engine.set_unavailable(def.id, Unavailable::Offline);
                Ok(())
            }
        }
    }

    /// `ALTER DATABASE … SET ONLINE`: opens a database that is offline, or that could not be
    /// opened. If it cannot be opened now it is `SUSPECT`, or `RECOVERY_PENDING` if a file is not
    /// there.
    pub fn bring_online(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
    ) -> Result<(), InstanceError> {
        let def = self.put_state(task, owner, def, DatabaseState::Online)?;
        if self.catalog(def.id).is_ok() {
            return Ok(());
        }
        let opened = self.open_database(task, owner, &def).map(drop);
        opened.inspect_err(|error| self.engine.set_unavailable(def.id, error.unavailable()))
    }

    fn put_state(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
        state: DatabaseState,
    ) -> Result<Arc<DatabaseDef>, InstanceError> {
        let options = DatabaseOptions { state, ..def.options.clone() };
        let def = Arc::new(DatabaseDef { options, ..def.clone() });
        change(&self.master, task, owner, |edit, txn| {
            Ok(edit.put(task, txn, Definition::Database(def.clone()))?)
        })?;
        Ok(def)
    }

    /// Takes a database out of use, in order. No session uses it any more.
    pub fn close_database(&self, task: &Task, id: DbId) -> Result<(), InstanceError> {
        let catalog = self.catalog(id)?;
        self.unregister(id);
        self.engine.set_unavailable(id, Unavailable::Offline);
        let positions = catalog.sequences().positions();
        Ok(catalog.database().shut_down(task, &positions)?)
    }

    /// Opens a database that was closed, or that could not be opened. What is in doubt in it counts
    /// as rolled back, as it was closed in order.
    pub fn open_database(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
    ) -> Result<Arc<Catalog>, InstanceError> {
        let mut ignore = |_: &str, _: &RecoveryProgress| {};
        let host = self.engine.host();
        let mut opening = Opening { host, options: &self.options, on_recovery: &mut ignore };
        let replayed = opening.replay(&def.name, self.data.identity(def))?;
        let opened = self.engine.open_recovered(task, vec![replayed], &[]).pop();
        let OpenedDatabase { catalog, result, .. } = opened.expect("one in, one out");
        let catalog = load(result?, def.collation, catalog, task, owner).inspect_err(|error| {
            self.engine.set_unavailable(def.id, error.unavailable());
        })?;
        catalog.configure(task, def)?;
        self.set_row_cache(&catalog, def);
        self.register(catalog.clone());
        Ok(catalog)
    }

    /// Sees to it that databases whose recovery model does not ask for it keep no log for backups:
    /// the power may have gone between the change of the model and its effect.
    fn break_log_chains(&self, known: &[Arc<DatabaseDef>]) -> Result<(), InstanceError> {
        for def in known.iter().filter(|d| d.options.recovery_model == RecoveryModel::Simple) {
            if let Ok(catalog) = self.catalog(def.id) {
                catalog.database().break_log_chain()?;
            }
        }
        Ok(())
    }

    /// Makes tempdb, and notes in master that it is new.
    fn renew_tempdb(&self, task: &Task, owner: &Arc<Owner>, report: &mut OpenReport) {
        let renew = || {
            let def = self.master.current().server().database(DbId::TEMPDB).cloned();
            let reason = "master does not know tempdb".to_string();
            let path = self.data.root().to_path_buf();
            let def = def.ok_or(InstanceError::Damaged { path, reason })?;
            let catalog = self.make_tempdb(task, owner, &def)?;
            self.register(catalog);
            let renewed = DatabaseDef { created: now(self.env()), ..DatabaseDef::clone(&def) };
            change(&self.master, task, owner, |edit, txn| {
                Ok(edit.put(task, txn, Definition::Database(Arc::new(renewed)))?)
            })
        };
        if let Err(error) = renew() {
            report.failed.push(FailedDatabase { name: "tempdb".into(), error });
        }
    }
}

/// What is needed to read logs back.
struct Opening<'a> {
    host: &'a Host,
    options: &'a InstanceOptions,
    on_recovery: OnRecovery<'a>,
}

impl Opening<'_> {
    fn replay(&mut self, name: &str, identity: DatabaseIdentity) -> Result<Replayed, EngineError> {
        let progress = RecoveryProgress::default();
        (self.on_recovery)(name, &progress);
        loop {
            let tables = self.host.tables(self.options.database_memory_limit);
            create_system_tables(&tables, identity.id, true);
            let (threads, progress) = (self.options.recovery_threads, progress.clone());
            let recovery = RecoveryOptions { threads, progress };
            let mut catalog = CatalogReplay::default();
            let (identity, options) = (identity.clone(), &self.options.database);
            let database =
                Database::recover(self.host, identity, tables, &mut catalog, options, recovery)?;
            if !database.is_partial() {
                return Ok(ReplayedDatabase { database, catalog });
            }
            database.save_part(&Task::blocking(&self.host.runtime), sequence_of)?;
        }
    }

    /// Reads the logs of all databases that are to be open but tempdb's. Returns them, master
    /// first, and the uuids of those that could not be read.
    fn replay_others(
        &mut self,
        engine: &Engine,
        data: &DataDirectory,
        master: Replayed,
        known: &[Arc<DatabaseDef>],
        report: &mut OpenReport,
    ) -> (Vec<Replayed>, Vec<u128>) {
        let (mut replayed, mut unreadable) = (vec![master], Vec::new());
        for def in known.iter().filter(|d| d.id != DbId::MASTER && d.id != DbId::TEMPDB) {
            if def.options.state == DatabaseState::Restoring {
                engine.set_unavailable(def.id, Unavailable::Restoring);
                continue;
            }
            if def.options.state == DatabaseState::Offline {
                engine.set_unavailable(def.id, Unavailable::Offline);
                unreadable.push(u128::from_le_bytes(def.guid));
                continue;
            }
            match self.replay(&def.name, data.identity(def)) {
                Ok(database) => replayed.push(database),
                Err(error) => {
                    engine.set_unavailable(def.id, error.unavailable());
                    unreadable.push(u128::from_le_bytes(def.guid));
                    let (name, error) = (def.name.clone(), error.into());
                    report.failed.push(FailedDatabase { name, error });
                }
            }
        }
        (replayed, unreadable)
    }
}

/// Builds the catalog of a database that was recovered.
fn load(
    database: Arc<Database>,
    collation: Collation,
    replay: CatalogReplay,
    task: &Task,
    owner: &Arc<Owner>,
) -> Result<Arc<Catalog>, InstanceError> {
    let catalog = Catalog::new(database.clone(), collation);
    let loaded = Transaction::begin(&database.session(owner), task).map_err(InstanceError::from);
    let loaded = loaded.and_then(|mut txn| {
        let loaded = catalog.load(task, &mut txn);
        txn.rollback(task);
        Ok(loaded?)
    });
    loaded.map_err(|error| match database.loading_failure() {
        // A statement that waits for a table learns only that the database is suspect.
        Some(failure) => EngineError::from(failure.clone()).into(),
        None => error,
    })?;
    replay.finish(&catalog);
    Ok(catalog)
}

fn name_of(known: &[Arc<DatabaseDef>], id: DbId) -> Name {
    let def = known.iter().find(|def| def.id == id);
    def.map_or_else(|| id.to_string().into(), |def| def.name.clone())
}
