//! Pins: what backups, and the loading of tables, read of a checkpoint is neither removed nor given
//! up while they do.
//!
//! Files that a pinned manifest names stay although later manifests do without them, and so does
//! the log from where it starts. Besides, log that has not been backed up yet may have to stay: the
//! *floor*.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use base::ids::Lsn;

use super::manifest::Manifest;
use super::names::FileId;
use crate::sync::plain::{Mutex, MutexGuard, RwLock};

/// The pins of a database.
#[derive(Default)]
pub(crate) struct Pins(Mutex<Table>);

#[derive(Default)]
pub(super) struct Table {
    next: u64,
    pinned: BTreeMap<u64, Pinned>,
    /// Log from here on has not been backed up and is to be.
    floor: Option<Lsn>,
}

struct Pinned {
    files: HashSet<FileId>,
    /// The start of the log, if that is read too.
    log: Option<Lsn>,
}

/// Keeps a manifest's files, and for a backup the log from its start on, while it lives.
pub(crate) struct Pin {
    pins: Arc<Pins>,
    number: u64,
    /// The manifest.
    pub manifest: Arc<Manifest>,
}

impl Pins {
    /// Files are removed and log is given up under this lock, after a look at what is pinned.
    pub(super) fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().expect("no panic under this lock")
    }

    /// Pins the manifest that is current.
    pub(super) fn pin(self: &Arc<Pins>, current: &RwLock<Arc<Manifest>>) -> Pin {
        let mut table = self.lock();
        // Under the lock: a round publishes a manifest before it removes what that does without.
        let manifest = current.read().expect("no panic under this lock").clone();
        let log = Some(manifest.log_start);
        let number = table.add(Pinned { files: manifest.files().collect(), log });
        Pin { pins: self.clone(), number, manifest }
    }

    /// Pins the files of a manifest, before any round has begun.
    pub(crate) fn pin_files(self: &Arc<Pins>, manifest: &Manifest) -> Pin {
        let pinned = Pinned { files: manifest.files().collect(), log: None };
        let number = self.lock().add(pinned);
        Pin { pins: self.clone(), number, manifest: Arc::new(manifest.clone()) }
    }

    /// Log from here on is to be kept until it is backed up; `None` for no log.
    pub(crate) fn set_floor(&self, floor: Option<Lsn>) {
        self.lock().floor = floor;
    }

    /// Log that is kept for a backup of it.
    pub(crate) fn floor(&self) -> Option<Lsn> {
        self.lock().floor
    }

    /// The log is needed from here on, if recovery needs it from `start` on.
    pub(crate) fn log_start(&self, start: Lsn) -> Lsn {
        self.lock().log_start(start)
    }

    /// Whether a backup is reading.
    pub(crate) fn is_pinned(&self) -> bool {
        self.lock().pinned.values().any(|pinned| pinned.log.is_some())
    }
}

impl Table {
    fn add(&mut self, pinned: Pinned) -> u64 {
        let number = self.next;
        self.next += 1;
        self.pinned.insert(number, pinned);
        number
    }

    /// Whether this file is pinned.
    pub fn has(&self, file: FileId) -> bool {
        self.pinned.values().any(|pinned| pinned.files.contains(&file))
    }

    /// The log is needed from here on, if recovery needs it from `start` on.
    pub fn log_start(&self, start: Lsn) -> Lsn {
        let pinned = self.pinned.values().filter_map(|pinned| pinned.log);
        pinned.chain(self.floor).fold(start, Lsn::min)
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.pins.lock().pinned.remove(&self.number);
    }
}
