//! The data directory: its files, and which database is master.

use std::path::{Path, PathBuf};

use base::Collation;
use base::ids::DbId;
use env::{DirectoryLock, Env};

use super::InstanceError;
use crate::catalog::def::DatabaseDef;
use crate::database::DatabaseIdentity;

const FIRST_LINE: &str = "thermocline instance 1";

/// The paths of an instance.
#[derive(Clone, Debug)]
pub(super) struct DataDirectory {
    root: PathBuf,
}

/// What has to be known before master can be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MasterRecord {
    /// Names master in its log.
    pub uuid: u128,
    /// The collation of master's names.
    pub collation: Collation,
}

/// The directory of master below that of databases.
pub(super) const MASTER_DIRECTORY: &str = "master";

impl DataDirectory {
    pub fn new(root: &Path) -> DataDirectory {
        DataDirectory { root: root.into() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the directories of databases are.
    pub fn databases(&self) -> PathBuf {
        self.root.join("databases")
    }

    fn instance_file(&self) -> PathBuf {
        self.root.join("instance")
    }

    /// What identifies a database.
    pub fn identity(&self, def: &DatabaseDef) -> DatabaseIdentity {
        let dir = self.databases().join(&*def.directory);
        DatabaseIdentity { id: def.id, uuid: u128::from_le_bytes(def.guid), dir }
    }

    pub fn master(&self, record: &MasterRecord) -> DatabaseIdentity {
        let dir = self.databases().join(MASTER_DIRECTORY);
        DatabaseIdentity { id: DbId::MASTER, uuid: record.uuid, dir }
    }

    /// Creates the directory and those above it that do not exist, durably.
    pub fn create(&self, env: &Env) -> Result<(), InstanceError> {
        let fs = env.fs();
        let create = || {
            let mut missing = Vec::new();
            for path in self.root.ancestors().filter(|p| !p.as_os_str().is_empty()) {
                if fs.exists(path)? {
                    break;
                }
                missing.push(path);
            }
            fs.create_dir_all(&self.root)?;
            for above in missing.iter().filter_map(|path| path.parent()) {
                let relative_to_here = above.as_os_str().is_empty();
                fs.sync_dir(if relative_to_here { Path::new(".") } else { above })?;
            }
            Ok(())
        };
        create().map_err(InstanceError::of_file)
    }

    /// Locks the directory for this process.
    pub fn lock(&self, env: &Env) -> Result<DirectoryLock, InstanceError> {
        env.fs().lock_dir(&self.root).map_err(|error| {
            if error.is_locked() {
                InstanceError::InUse(self.root.clone())
            } else if error.is_not_found() {
                InstanceError::NotInitialized(self.root.clone())
            } else {
                InstanceError::of_file(error)
            }
        })
    }

    /// Whether the directory holds an instance that was finished.
    pub fn is_initialized(&self, env: &Env) -> Result<bool, InstanceError> {
        env.fs().exists(&self.instance_file()).map_err(InstanceError::of_file)
    }

    /// Writes down which database is master, and thereby finishes a new instance.
    pub fn write(&self, env: &Env, record: &MasterRecord) -> Result<(), InstanceError> {
        let MasterRecord { uuid, collation } = record;
        let text =
            format!("{FIRST_LINE}\nmaster {uuid:032x}\ncollation {}\nend\n", collation.name());
        // Under another name first, so that a crash leaves no half of it.
        let unfinished = self.root.join("instance.new");
        let fs = env.fs();
        let write = || {
            if fs.exists(&unfinished)? {
                fs.remove_file(&unfinished)?;
            }
            fs.write_new(&unfinished, text.as_bytes())?;
            fs.rename(&unfinished, &self.instance_file())?;
            fs.sync_dir(&self.root)
        };
        write().map_err(InstanceError::of_file)
    }

    pub fn read(&self, env: &Env) -> Result<MasterRecord, InstanceError> {
        if !self.is_initialized(env)? {
            return Err(InstanceError::NotInitialized(self.root.clone()));
        }
        let path = self.instance_file();
        let bytes = env.fs().read(&path).map_err(InstanceError::of_file)?;
        parse(&bytes).map_err(|reason| InstanceError::Damaged { path, reason })
    }
}

fn parse(bytes: &[u8]) -> Result<MasterRecord, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text".to_string())?;
    let lines: Vec<&str> = text.lines().collect();
    let [FIRST_LINE, master, collation, "end"] = lines[..] else {
        return Err("it is not an instance that this server can read".into());
    };
    let uuid = master.strip_prefix("master ").and_then(|h| u128::from_str_radix(h, 16).ok());
    let collation = collation.strip_prefix("collation ").map(Collation::by_name);
    match (uuid, collation) {
        (Some(uuid), Some(Ok(collation))) => Ok(MasterRecord { uuid, collation }),
        _ => Err("it does not tell which database is master".into()),
    }
}

/// A name for the directory of a database: for people, and unlike any other.
pub(super) fn directory_name(name: &str, id: DbId, uuid: u128) -> String {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    format!("{}-{id}-{:08x}", plain.to_lowercase(), uuid as u32)
}

#[cfg(test)]
mod tests;
