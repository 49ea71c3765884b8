//! A database from disk, until it is open.
//!
//! # In stages
//!
//! A log may have more rows of disk tables than memory takes, after a restore above all. So when
//! those take a part of what rows may, reading stops after the current batch, and the database is
//! made to what a checkpoint there would have left: with a log that *stands* at that place
//! ([`Log::standing`]) all of its disk tables sink, and a checkpoint is written. Then recovery
//! begins anew, from there. A crash finds the last of these checkpoints, and the log after it.
//! Tables that cannot sink are loaded when all has been read: that checkpoint takes them from files
//! and the log.

use std::path::Path;

use base::ids::Lsn;

use super::{Backups, Database, DatabaseIdentity, DatabaseOptions, Files, Host, SinkPlace};
use crate::backup::{self, BackupError, ChainStore, Fork, Restored};
use crate::checkpoint::{Loaded, LocalObjects, Manifest, SequenceOf};
use crate::cold::ColdError;
use crate::cold::table::{ColdInfo, ColdTables};
use crate::error::EngineError;
use crate::hot::reclaim::Tables;
use crate::log::record::RECORD_HEADER;
use crate::log::{LocalStore, Log, LogOptions, Prefix, RecordFlags, RecordKind};
use crate::recovery::{
    Load, Loader, Recovered, Recovery, RecoveryCatalog, RecoveryError, RecoveryOptions, Resolved,
    Stored,
};
use crate::sink::{self, ColdPlace, SinkError, SinkOptions};
use crate::sort;
use crate::sync::Arc;
use crate::sync::plain::Mutex;
use crate::wait::Task;

impl Database {
    /// Reads the checkpoint and the log of a database on disk into `tables`, in which the catalog's
    /// own are.
    pub fn recover(
        host: &Host,
        identity: DatabaseIdentity,
        tables: Arc<Tables>,
        catalog: &mut dyn RecoveryCatalog,
        options: &DatabaseOptions,
        recovery: RecoveryOptions,
    ) -> Result<RecoveringDatabase, EngineError> {
        let dir = identity.log_dir();
        let objects = Arc::new(LocalObjects::open(host.env(), &identity.checkpoint_dir())?);
        let backups = Backups::new(ChainStore::load(objects.clone())?);
        backup::remove_strays(host.env(), &identity.dir, identity.uuid, &backups.chain.get())?;
        let store = LocalStore::open(host.env(), &dir, identity.uuid, options.segments)?;
        let store = Arc::new(store);
        let last = Loaded::find(&*objects, identity.uuid, store.first(), Log::START)
            .map_err(RecoveryError::from)?;
        let place = Arc::new(find_trees(host, &identity, &last.manifest, options.sink)?);
        if let Some(cold) = place.found() {
            tables.set_recovered_trees(cold);
        }
        let stored = Stored {
            log: store.clone(),
            objects: &*objects,
            manifest: &last.manifest,
            place: &place,
        };
        let recovery = Recovery::replay(stored, tables, &host.runtime, catalog, recovery)?;
        let files = Files {
            store,
            objects,
            options: options.checkpoints,
            backups,
            last,
            life: Lsn::ZERO,
            alive: Lsn::ZERO,
        };
        let sink = SinkPlace::new(host, options.sink);
        let (host, log) = (host.clone(), options.log);
        Ok(RecoveringDatabase { host, identity, files, sink, place, log, recovery })
    }
}

/// A database whose log has been read, and whose transactions over several databases may be in
/// doubt.
pub struct RecoveringDatabase {
    host: Host,
    identity: DatabaseIdentity,
    files: Files,
    /// Without trees: recovery may make some.
    sink: SinkPlace,
    place: Arc<ColdPlace>,
    log: LogOptions,
    recovery: Recovery,
}

impl RecoveringDatabase {
    /// What identifies the database.
    pub fn identity(&self) -> &DatabaseIdentity {
        &self.identity
    }

    /// What its log says: the decisions it made as a coordinator, and what is in doubt here.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Whether only the beginning of its log has been read, since memory takes no more.
    pub fn is_partial(&self) -> bool {
        self.recovery.is_partial()
    }

    /// Makes a checkpoint of what has been read, with all rows of disk tables in pages. It is
    /// recovered anew then.
    pub fn save_part(self, task: &Task, sequence_of: SequenceOf) -> Result<(), EngineError> {
        let RecoveringDatabase { host, identity, mut files, mut sink, place, recovery, .. } = self;
        let Recovered { tables, load, end, .. } = recovery.finish_part()?;
        (sink.cold, sink.until) = (place.trees(), end.end);
        (files.life, files.alive) = (end.end, Lsn::ZERO);
        files.store = Arc::new(Prefix::new(files.store, end));
        files.backups.chain.change(|chain| {
            if let Some(restored) = &mut chain.restored {
                restored.manifest = Restored::NEWEST;
            }
        })?;
        let log = Log::standing(end.end);
        let database = begin_loading(&host, identity, log, tables, load, files, sink);
        let saved = database.wait_until_loaded(task).and_then(|()| {
            let tables = database.manager.tables().all().into_iter();
            for table in tables.filter(|table| table.is_sinkable() && table.row_count() > 0) {
                // Nothing of it goes to checkpoint files.
                table.sinks_since().set(Lsn::ZERO);
            }
            database.start_checkpoints(sequence_of);
            database.checkpoint(task)
        });
        database.stop_threads();
        saved
    }

    /// The directory of its files.
    pub fn dir(&self) -> &Path {
        &self.identity.dir
    }

    /// Resolves what is in doubt: `decided` says whether the coordinator's log holds a decision to
    /// commit. Opens the database, and begins to load its tables.
    pub fn open(
        self,
        task: &Task,
        catalog: &mut dyn RecoveryCatalog,
        decided: impl Fn(&crate::log::GlobalTransaction) -> bool,
    ) -> Result<Database, EngineError> {
        let RecoveringDatabase { host, identity, mut files, mut sink, place, log, recovery } = self;
        let Recovered { tables, load, end, resolved } = recovery.finish(catalog, decided)?;
        sink.cold = place.trees();
        (files.life, files.alive) = (end.next, end.next);
        // Before anything is written to the log, which then goes its own way.
        begin_fork(&files.backups.chain, identity.uuid, end.next)?;
        let log = log.within(host.pool.limit());
        let log = Log::open(host.env(), files.store.clone(), &end, log)?;
        for Resolved { prepared, stamp, committed } in &resolved {
            let kind = if *committed { RecordKind::Commit } else { RecordKind::Abort };
            let space = log.reserve_waiting(task, RECORD_HEADER)?;
            assert_eq!(space.stamp(), *stamp, "nothing else writes to the log yet");
            space.publish(kind, RecordFlags::PREPARED, *prepared);
        }
        log.flush(task)?;
        Ok(begin_loading(&host, identity, log, tables, load, files, sink))
    }
}

/// The database with what was recovered of it, which begins to load its tables.
fn begin_loading(
    host: &Host,
    identity: DatabaseIdentity,
    log: Log,
    tables: Arc<Tables>,
    load: Load,
    mut files: Files,
    sink: SinkPlace,
) -> Database {
    files.last.contents = load.contents().clone();
    // No checkpoint is made yet that could remove them.
    let pin = files.backups.pins.pin_files(&files.last.manifest);
    let mut database = Database::with(host, identity, log, tables, Some(files), Some(sink));
    database.manager.queue_recovered();
    database.loader = Loader::start(&database.manager, load, pin);
    database
}

/// A database that was restored has a log of its own from here on.
fn begin_fork(chain: &ChainStore, uuid: u128, from: Lsn) -> Result<(), BackupError> {
    chain.change(|chain| {
        if let Some(restored) = chain.restored.take() {
            chain.path.push(Fork { guid: uuid, from });
            chain.log = restored.keeps_log.then_some(from);
        }
    })
}

/// Where the pages of a database are, or would be. Pages that the last checkpoint does not need are
/// used if they can be.
fn find_trees(
    host: &Host,
    identity: &DatabaseIdentity,
    manifest: &Manifest,
    options: SinkOptions,
) -> Result<ColdPlace, EngineError> {
    let (dir, uuid) = (identity.dir.clone(), identity.uuid);
    sort::remove_strays(host.env(), &dir)?;
    let files = sink::files(&dir, options.growth);
    let place = |found: Option<(ColdTables, ColdInfo)>| {
        let (pool, files) = (host.pages.clone(), files.clone());
        let (tables, info) = found.map(|(tables, info)| (Arc::new(tables), info)).unzip();
        ColdPlace { uuid, pool, dir, files, info, tables: Mutex::new(tables) }
    };
    let is_there = files.iter().any(|file| host.env().fs().exists(&file.path).unwrap_or(true));
    if manifest.sunk.is_none() && !is_there {
        return Ok(place(None));
    }
    let task = Task::blocking(&host.runtime);
    let opened = host
        .pages
        .get()
        .map_err(SinkError::from)
        .and_then(|pool| Ok(ColdTables::open(&pool, &task, uuid, &files)?));
    match (opened, manifest.sunk) {
        (Ok(found), sunk) if sunk.is_none_or(|sunk| sunk.0 <= found.1.through) => {
            Ok(place(Some(found)))
        }
        (Err(_), None) => Ok(place(None)),
        (Err(error), Some(_)) => Err(EngineError::Pages(error)),
        (Ok(_), _) => {
            let path = files[0].path.as_path().into();
            let what = "it is older than the last checkpoint of the database";
            Err(EngineError::Pages(ColdError::Damaged { path, what }.into()))
        }
    }
}
