//! Backups and restores as far as the databases of the server are concerned: what a backup says of
//! a database, and how what was restored becomes one.
//!
//! A full backup is restored into a directory that master does not know, so that a failed restore
//! leaves nothing. The commit of the database's row in master is the commit point: from there on
//! the directory is the database's, and the one that it had before is removed.

use std::path::{Path, PathBuf};

use super::data_directory::directory_name;
use super::{Databases, InstanceError, change};
use crate::backup::{
    BackupError, Chain, ChainStore, Media, Remains, RestoreTarget, SetHeader, TailBackup,
};
use crate::catalog::def::*;
use crate::catalog::{Catalog, Definition, SystemRow, SystemTable};
use crate::checkpoint::LocalObjects;
use crate::error::EngineError;
use crate::sync::Arc;
use crate::txn::{Owner, Unavailable};
use crate::wait::{OffLoad, Task};

use base::ids::{DbId, Lsn};

/// A database as a backup describes it.
#[derive(Clone, Debug)]
pub struct BackedUpDatabase {
    /// Its row in master when it was backed up.
    pub def: Arc<DatabaseDef>,
    /// Its filegroups.
    pub file_groups: Vec<Arc<FileGroupDef>>,
    /// Its files.
    pub files: Vec<Arc<FileDef>>,
}

/// A directory into which a full backup is restored.
#[derive(Clone, Debug)]
pub struct NewDirectory {
    /// Its name.
    pub name: Name,
    /// The guid of the database that it will be.
    pub uuid: u128,
}

impl Databases {
    /// Threads that make backups and restore them.
    pub fn backup_threads(&self) -> &OffLoad {
        &self.backups
    }

    /// What a backup says of a database: its definition, and those of its files.
    pub fn describe(&self, def: &DatabaseDef, catalog: &Catalog) -> (Box<[u8]>, Vec<Box<[u8]>>) {
        let bytes = |definition: &Definition| SystemRow::of(definition).bytes().into_boxed_slice();
        let schema = catalog.current();
        let of_files = schema.definitions().filter_map(|definition| {
            let system = match &definition {
                Definition::File(_) => SystemTable::Files,
                Definition::FileGroup(_) => SystemTable::FileGroups,
                _ => return None,
            };
            let mut row = vec![system as u8];
            row.extend_from_slice(&bytes(&definition));
            Some(row.into_boxed_slice())
        });
        (Self::describe_closed(def), of_files.collect())
    }

    /// What a backup says of a database that is not open: its definition.
    pub fn describe_closed(def: &DatabaseDef) -> Box<[u8]> {
        let definition = Definition::Database(Arc::new(def.clone()));
        SystemRow::of(&definition).bytes().into_boxed_slice()
    }

    /// The database that a backup describes.
    pub fn described(header: &SetHeader) -> Result<BackedUpDatabase, InstanceError> {
        let senseless = || InstanceError::Damaged {
            path: PathBuf::from(&*header.database_name),
            reason: "the backup does not describe its database".into(),
        };
        let files = header.files.iter().map(|file| &**file);
        Self::described_by(&header.definition, files, &senseless)
    }

    /// The database that [`Databases::describe`] has described.
    pub(super) fn described_by<'f>(
        own: &[u8],
        files: impl Iterator<Item = &'f [u8]>,
        senseless: &dyn Fn() -> InstanceError,
    ) -> Result<BackedUpDatabase, InstanceError> {
        let row = |system, bytes: &[u8]| SystemRow::from_bytes(system, bytes).definition();
        let Definition::Database(def) = row(SystemTable::Databases, own)? else {
            return Err(senseless());
        };
        let mut described = BackedUpDatabase { def, file_groups: Vec::new(), files: Vec::new() };
        for bytes in files {
            let Some((system, bytes)) = bytes.split_first() else { return Err(senseless()) };
            let system = match *system {
                code if code == SystemTable::Files as u8 => SystemTable::Files,
                code if code == SystemTable::FileGroups as u8 => SystemTable::FileGroups,
                _ => return Err(senseless()),
            };
            match row(system, bytes)? {
                Definition::File(file) => described.files.push(file),
                Definition::FileGroup(group) => described.file_groups.push(group),
                _ => return Err(senseless()),
            }
        }
        Ok(described)
    }

    /// Where a full backup is restored to that becomes a database of this name: it is
    /// [discarded](Databases::discard_directory) or [adopted](Databases::adopt_directory).
    pub fn new_directory(&self, name: &str, id: DbId) -> Result<NewDirectory, InstanceError> {
        let uuid = self.env().rng().next_u128();
        let name: Name = directory_name(name, id, uuid).into();
        self.mark_disposable(&self.data.databases().join(&*name))?;
        Ok(NewDirectory { name, uuid })
    }

    /// The parameters of a restore into this directory.
    pub fn restore_into(&self, directory: &NewDirectory, stop_at: Option<u64>) -> RestoreTarget {
        let dir = self.data.databases().join(&*directory.name);
        let segment_bytes = self.options.database.segments.max_bytes;
        RestoreTarget { dir, uuid: directory.uuid, stop_at, segment_bytes, moves: Vec::new() }
    }

    /// The parameters of a restore that goes on with a database.
    pub fn restore_onto(&self, def: &DatabaseDef, stop_at: Option<u64>) -> RestoreTarget {
        let uuid = u128::from_le_bytes(def.guid);
        self.restore_into(&NewDirectory { name: def.directory.clone(), uuid }, stop_at)
    }

    /// What a database that is not open remembers of its backups, or how far it has been restored.
    pub fn closed_chain(&self, def: &DatabaseDef) -> Result<Chain, InstanceError> {
        Ok(self.closed_chain_store(def).map_err(EngineError::from)?.get())
    }

    fn closed_chain_store(&self, def: &DatabaseDef) -> Result<ChainStore, BackupError> {
        let dir = self.directory_of(def).join(crate::backup::CHECKPOINT_DIR);
        ChainStore::load(Arc::new(LocalObjects::open(self.env(), &dir)?))
    }

    /// Begins to back up the log of a database that could not be opened, from where the last backup
    /// of it ended. If the log is damaged as well the backup fails, or ends there if
    /// `up_to_damage`.
    pub fn begin_tail_backup(
        &self,
        def: &DatabaseDef,
        media: Media,
        header: SetHeader,
        up_to_damage: bool,
    ) -> Result<TailBackup, BackupError> {
        let remains = self.remains(def)?;
        TailBackup::begin(self.env(), &remains, media, header, up_to_damage)
    }

    /// The log of a database that is not open has been backed up to here, by a backup that others
    /// build on.
    pub fn note_tail_backup(&self, def: &DatabaseDef, last: Lsn) -> Result<(), BackupError> {
        self.closed_chain_store(def)?.change(|chain| chain.log = Some(last))
    }

    /// Whether a database that could not be opened has log that was not backed up, or that cannot
    /// be read.
    pub fn has_tail(&self, def: &DatabaseDef) -> bool {
        self.remains(def).is_ok_and(|remains| remains.has_tail(self.env()))
    }

    fn remains(&self, def: &DatabaseDef) -> Result<Remains, BackupError> {
        let identity = self.data.identity(def);
        let chain = self.closed_chain_store(def)?.get();
        Ok(Remains { dir: identity.dir, uuid: identity.uuid, chain })
    }

    /// Removes the directory of a restore that came to nothing. What cannot be removed now is at
    /// the next start.
    pub fn discard_directory(&self, directory: &NewDirectory) {
        let known = self.master.current();
        // If the row is committed and only not known to be durable, a restart decides.
        if !known.server().databases().iter().any(|def| def.directory == directory.name) {
            self.dispose(&self.data.databases().join(&*directory.name));
        }
    }

    /// Makes a directory, into which a full backup was restored, that of a database: `make` is
    /// given the id of the database and says the rest, and must put it into the state `RESTORING`.
    /// The database `old` is replaced by it, of which no session is in use, and which keeps its id.
    /// Nothing changes if this fails.
    pub fn adopt_directory(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        old: Option<&DatabaseDef>,
        make: impl FnOnce(DbId) -> DatabaseDef,
    ) -> Result<Arc<DatabaseDef>, InstanceError> {
        let adopt = || {
            change(&self.master, task, owner, |edit, txn| {
                let id = old.map_or_else(|| edit.schema().next_database_id(), |old| old.id);
                let def = Arc::new(make(id));
                edit.put(task, txn, Definition::Database(def.clone()))?;
                Ok(def)
            })
        };
        let def = match old {
            Some(old) => self.giving_up(old, adopt)?,
            None => adopt()?,
        };
        self.keep_directory(&self.directory_of(&def));
        if let Some(old) = old {
            self.unmake(task, old);
        }
        self.engine.set_unavailable(def.id, Unavailable::Restoring);
        Ok(def)
    }

    /// `RECOVERY`: opens a database that was restored. It is `ONLINE` from here on, or `SUSPECT` if
    /// it cannot be opened. Files have these paths now, by their logical names.
    pub fn recover_restored(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
        path_of: impl Fn(&FileDef) -> PathBuf,
    ) -> Result<Arc<Catalog>, InstanceError> {
        let options = DatabaseOptions { state: DatabaseState::Online, ..def.options.clone() };
        let def = Arc::new(DatabaseDef { options, ..def.clone() });
        change(&self.master, task, owner, |edit, txn| {
            Ok(edit.put(task, txn, Definition::Database(def.clone()))?)
        })?;
        let opened = self.open_database(task, owner, &def);
        let catalog = opened.inspect_err(|error| {
            self.engine.set_unavailable(def.id, error.unavailable());
        })?;
        change(&catalog, task, owner, |edit, txn| {
            for definition in edit.schema().definitions() {
                if let Definition::File(file) = definition {
                    let path = path_of(&file);
                    let physical_name = path.to_string_lossy().as_ref().into();
                    let file = FileDef { physical_name, ..FileDef::clone(&file) };
                    edit.put(task, txn, Definition::File(Arc::new(file)))?;
                }
            }
            Ok(())
        })?;
        Ok(catalog)
    }

    /// `BACKUP LOG … WITH NORECOVERY`: closes a database that no session uses, unless it could not
    /// be opened anyway, and leaves it as one that is being restored.
    pub fn close_for_restore(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
    ) -> Result<(), InstanceError> {
        let options = DatabaseOptions { state: DatabaseState::Restoring, ..def.options.clone() };
        let restoring = Arc::new(DatabaseDef { options, ..def.clone() });
        change(&self.master, task, owner, |edit, txn| {
            Ok(edit.put(task, txn, Definition::Database(restoring))?)
        })?;
        if self.catalog(def.id).is_ok() {
            self.close_database(task, def.id)?;
        }
        self.engine.set_unavailable(def.id, Unavailable::Restoring);
        Ok(())
    }

    /// Where backups are whose path is relative.
    pub fn backup_dir(&self) -> PathBuf {
        self.data.root().join("backup")
    }

    /// Makes that folder if a file shall be in it. Writing the file fails if it is not there.
    pub fn make_backup_dir(&self, file: &Path) {
        let dir = self.backup_dir();
        if file.starts_with(&dir) {
            let _ = self.env().fs().create_dir_all(&dir);
            let _ = self.env().fs().sync_dir(self.data.root());
        }
    }

    /// The directory of a database's files.
    pub fn directory_of(&self, def: &DatabaseDef) -> PathBuf {
        self.data.identity(def).dir
    }
}
