//! Detaching and attaching: a database leaves the server with its files, and comes back, here or
//! elsewhere.
//!
//! The directory of a database that is detached says so: the file `detached` in it says what master
//! knew of the database. It is made durable before master's row is removed, and removed after a row
//! is there again, so that each directory either belongs to a row or says that it belongs to none;
//! others are removed at the next start. Where both hold, after a crash, the row counts.
//!
//! ```text
//! magic u32 | version u16 | zero u16 | CRC-32C u32 | length u32 | definition of the database |
//! definitions of its files and filegroups
//! ```

use std::path::{Path, PathBuf};

use base::ids::DbId;

use super::{BackedUpDatabase, Databases, InstanceError, change};
use crate::backup::fields::{Reader, Writer};
use crate::catalog::def::*;
use crate::catalog::{Catalog, Definition, DefinitionKey};
use crate::error::EngineError;
use crate::sync::Arc;
use crate::txn::Owner;
use crate::wait::Task;

const NOTE: &str = "detached";
const MAGIC: u32 = u32::from_le_bytes(*b"TcDt");
const VERSION: u32 = 1;
const HEADER: usize = 16;

/// A database that is detached.
#[derive(Clone, Debug)]
pub struct DetachedDatabase {
    /// Where it is.
    pub dir: PathBuf,
    /// What master knew of it.
    pub described: BackedUpDatabase,
}

/// What a search for a detached database finds.
#[derive(Clone, Debug)]
pub enum Found {
    /// A detached database.
    Detached(Box<DetachedDatabase>),
    /// No directory.
    NoDirectory,
    /// A directory that holds no database of this server's kind, or not that one.
    Nothing,
    /// A database that is in use.
    InUse,
}

impl Databases {
    /// `sp_detach_db`: closes a database that no session uses, and forgets it. Its files stay. When
    /// it returns an error, the database is there as before, if it can be opened.
    pub fn detach_database(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        def: &DatabaseDef,
    ) -> Result<(), InstanceError> {
        let catalog = self.catalog(def.id)?;
        let note = encode(&self.describe(def, &catalog));
        drop(catalog);
        // Other databases that took part in a transaction that this one decided must not need its
        // decision any more.
        for database in self.engine.databases() {
            database.manager().log().flush(task).map_err(EngineError::from)?;
        }
        let dir = self.directory_of(def);
        let closed = self.close_database(task, def.id);
        let detached = closed.and_then(|()| self.write_note(&dir, &note)).and_then(|()| {
            change(&self.master, task, owner, |edit, txn| {
                Ok(edit.drop(task, txn, DefinitionKey::Database(def.id))?)
            })
        });
        // If the row is gone and that is only not known to be durable, a restart decides.
        if detached.is_err() && self.master.current().server().database(def.id).is_some() {
            self.remove_note(&dir);
            let _ = self.open_database(task, owner, def);
        } else {
            self.engine.remove(def.id);
        }
        detached
    }

    /// The detached database whose first file has this path. A path that is not absolute on this
    /// machine counts by its last name, among the databases that were detached from this server.
    pub fn find_detached(&self, path: &str) -> Result<Found, InstanceError> {
        let last = path.rsplit(['/', '\\', ':']).next().unwrap_or(path);
        let path = Path::new(path);
        match path.parent().filter(|_| path.is_absolute()) {
            Some(dir) => self.find_in(dir, last),
            None => {
                let databases = self.data.databases();
                let fs = self.env().fs();
                for entry in fs.list(&databases).map_err(InstanceError::of_file)? {
                    let found = self.find_in(&databases.join(&entry.name), last)?;
                    if let Found::Detached(_) = found {
                        return Ok(found);
                    }
                }
                Ok(Found::Nothing)
            }
        }
    }

    fn find_in(&self, dir: &Path, last: &str) -> Result<Found, InstanceError> {
        let fs = self.env().fs();
        let dir = &fs.resolve(dir).map_err(InstanceError::of_file)?;
        let metadata = fs.metadata(dir).map_err(InstanceError::of_file)?;
        if !metadata.is_some_and(|metadata| metadata.is_dir) {
            return Ok(Found::NoDirectory);
        }
        let known = self.master.current();
        if known.server().databases().iter().any(|def| self.directory_of(def) == *dir) {
            return Ok(Found::InUse);
        }
        let note = dir.join(NOTE);
        if !fs.exists(&note).map_err(InstanceError::of_file)? {
            return Ok(Found::Nothing);
        }
        let bytes = fs.read(&note).map_err(InstanceError::of_file)?;
        let senseless = || InstanceError::Damaged {
            path: note.clone(),
            reason: "it does not describe a database".into(),
        };
        let (own, files) = decode(&bytes).ok_or_else(senseless)?;
        let described = Self::described_by(own, files.into_iter(), &senseless)?;
        let first = described.files.iter().find(|file| file.id == FileId(1));
        let name = first.map(|file| Path::new(&*file.physical_name).file_name());
        if name.flatten().is_none_or(|name| !name.eq_ignore_ascii_case(last)) {
            return Ok(Found::Nothing);
        }
        if known.server().databases().iter().any(|def| def.guid == described.def.guid) {
            // Two with one guid would take each other's decisions about transactions for their own.
            return Ok(Found::InUse);
        }
        Ok(Found::Detached(Box::new(DetachedDatabase { dir: dir.into(), described })))
    }

    /// `CREATE DATABASE … FOR ATTACH`: makes a detached database one of this server's, where it
    /// lies. `make` is given its id and directory and says the rest. If this fails, the database is
    /// detached as before.
    pub fn attach_database(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        detached: &DetachedDatabase,
        make: impl FnOnce(DbId, Name) -> DatabaseDef,
    ) -> Result<Arc<Catalog>, InstanceError> {
        let databases = self.data.databases();
        let directory = detached.dir.strip_prefix(&databases).unwrap_or(&detached.dir);
        let directory: Name = directory.to_string_lossy().as_ref().into();
        let mut made = None;
        let result = change(&self.master, task, owner, |edit, txn| {
            let id = edit.schema().next_database_id();
            let def = Arc::new(make(id, directory));
            // Refuses a name in use before anything is done.
            edit.put(task, txn, Definition::Database(def.clone()))?;
            made = Some(def.clone());
            let catalog = self.open_database(task, owner, &def)?;
            self.place_files(task, owner, &catalog, &detached.dir)?;
            Ok(catalog)
        });
        match &result {
            Ok(_) => self.remove_note(&detached.dir),
            Err(_) => {
                // If the row is committed and only not known to be durable, a restart decides.
                let committed = |id| self.master.current().server().database(id).is_some();
                if let Some(def) = made.filter(|def| !committed(def.id)) {
                    if self.catalog(def.id).is_ok() {
                        let _ = self.close_database(task, def.id);
                    }
                    self.unregister(def.id);
                    self.engine.remove(def.id);
                }
            }
        }
        result
    }

    /// The files of a database are where it is.
    fn place_files(
        &self,
        task: &Task,
        owner: &Arc<Owner>,
        catalog: &Arc<Catalog>,
        dir: &Path,
    ) -> Result<(), InstanceError> {
        change(catalog, task, owner, |edit, txn| {
            let files: Vec<Arc<FileDef>> = edit.schema().files().iter().cloned().collect();
            for file in files {
                let Some(name) = Path::new(&*file.physical_name).file_name() else { continue };
                let physical_name = dir.join(name).to_string_lossy().as_ref().into();
                let file = FileDef { physical_name, ..FileDef::clone(&file) };
                edit.put(task, txn, Definition::File(Arc::new(file)))?;
            }
            Ok(())
        })
    }

    /// Whether a directory that no row names belongs to a detached database.
    pub(super) fn is_detached(&self, dir: &Path) -> Result<bool, InstanceError> {
        self.env().fs().exists(&dir.join(NOTE)).map_err(InstanceError::of_file)
    }

    fn write_note(&self, dir: &Path, note: &[u8]) -> Result<(), InstanceError> {
        self.remove_note(dir);
        let fs = self.env().fs();
        let write = || {
            fs.write_new(&dir.join(NOTE), note)?;
            fs.sync_dir(dir)
        };
        write().map_err(InstanceError::of_file)
    }

    /// The database has a row. What cannot be removed now is at the next start.
    pub(super) fn remove_note(&self, dir: &Path) {
        let (fs, note) = (self.env().fs(), dir.join(NOTE));
        if fs.exists(&note).unwrap_or(false) && fs.remove_file(&note).is_ok() {
            let _ = fs.sync_dir(dir);
        }
    }
}

fn encode((own, files): &(Box<[u8]>, Vec<Box<[u8]>>)) -> Vec<u8> {
    let mut out = Writer(vec![0; HEADER]);
    out.bytes(own);
    out.list(files.iter(), |out, file| out.bytes(file));
    let mut bytes = out.0;
    let len = u32::try_from(bytes.len()).expect("definitions are short");
    let checksum = crc32c::crc32c(&bytes[HEADER..]);
    for (place, word) in [MAGIC, VERSION, checksum, len].into_iter().enumerate() {
        bytes[4 * place..4 * place + 4].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn decode(bytes: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let mut head = Reader(bytes);
    let (magic, version, checksum, len) = (head.u32()?, head.u32()?, head.u32()?, head.u32()?);
    let is_sound = (magic, version, len as usize) == (MAGIC, VERSION, bytes.len())
        && checksum == crc32c::crc32c(&bytes[HEADER..]);
    if !is_sound {
        return None;
    }
    let mut from = Reader(&bytes[HEADER..]);
    let note = (from.bytes()?, from.list(Reader::bytes)?);
    from.end(note)
}
