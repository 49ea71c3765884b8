//! Where checkpoint files are kept: named objects that are written once and never changed.
//!
//! The local folder is the one implementation; an object store of a cloud is meant to be another.
//! So nothing here renames, appends to what exists, or changes anything in place.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use env::stream::Appender;
use env::{Env, File, FileResult, OpenMode};

use super::names;

/// A store of immutable objects.
pub trait ObjectStore: Send + Sync + Debug {
    /// The names of all objects, whole or not, with their lengths in bytes.
    fn list(&self) -> FileResult<Vec<(String, u64)>>;

    /// Begins an object; fails if the name is taken.
    fn create(&self, name: &str) -> FileResult<Box<dyn NewObject>>;

    /// Opens an object for reading.
    fn open(&self, name: &str) -> FileResult<Arc<dyn File>>;

    /// Opens an object that is to be copied from its beginning to its end: past the system's cache.
    fn open_direct(&self, name: &str) -> FileResult<Arc<dyn File>>;

    /// Removes an object. After a crash it may be back.
    fn remove(&self, name: &str) -> FileResult<()>;

    /// Removes an object for good: a crash does not bring it back.
    fn remove_for_good(&self, name: &str) -> FileResult<()>;

    /// What people call the object.
    fn path(&self, name: &str) -> PathBuf;

    /// Makes an object of these bytes, durably.
    fn put(&self, name: &str, bytes: &[u8]) -> FileResult<()> {
        let mut object = self.create(name)?;
        object.append(bytes)?;
        object.finish()
    }
}

/// An object that is being written.
pub trait NewObject: Send {
    /// Adds bytes.
    fn append(&mut self, bytes: &[u8]) -> FileResult<()>;

    /// Bytes so far.
    fn written(&self) -> u64;

    /// Makes the object and its name durable. What was begun and not finished is to be removed.
    fn finish(self: Box<Self>) -> FileResult<()>;
}

/// The objects in a folder.
#[derive(Debug)]
pub struct LocalObjects {
    env: Env,
    dir: PathBuf,
}

impl LocalObjects {
    /// The folder of a new database; what it holds of an earlier one is removed. The caller syncs
    /// the folder above.
    pub fn create(env: &Env, dir: &Path) -> FileResult<LocalObjects> {
        let objects = LocalObjects::open(env, dir)?;
        for (name, _) in objects.list()? {
            if names::parse(&name).is_some() {
                objects.remove(&name)?;
            }
        }
        env.fs().sync_dir(dir)?;
        Ok(objects)
    }

    /// The folder, which is made if it does not exist. The caller syncs the folder above.
    pub fn open(env: &Env, dir: &Path) -> FileResult<LocalObjects> {
        env.fs().create_dir_all(dir)?;
        Ok(LocalObjects { env: env.clone(), dir: dir.to_path_buf() })
    }
}

impl ObjectStore for LocalObjects {
    fn list(&self) -> FileResult<Vec<(String, u64)>> {
        let entries = self.env.fs().list(&self.dir)?;
        let name = |entry: env::Entry| Some((entry.name.into_string().ok()?, entry.metadata.len));
        Ok(entries.into_iter().filter_map(name).collect())
    }

    fn create(&self, name: &str) -> FileResult<Box<dyn NewObject>> {
        let file = self.env.fs().open_direct(&self.path(name), OpenMode::CreateNew)?;
        let (env, dir) = (self.env.clone(), self.dir.clone());
        let out = Appender::new(&env, file, 0);
        Ok(Box::new(NewFile { env, dir, out }))
    }

    fn open(&self, name: &str) -> FileResult<Arc<dyn File>> {
        self.env.fs().open(&self.path(name), OpenMode::Read)
    }

    fn open_direct(&self, name: &str) -> FileResult<Arc<dyn File>> {
        self.env.fs().open_direct(&self.path(name), OpenMode::Read)
    }

    fn remove(&self, name: &str) -> FileResult<()> {
        self.env.fs().remove_file(&self.path(name))
    }

    fn remove_for_good(&self, name: &str) -> FileResult<()> {
        self.remove(name)?;
        self.env.fs().sync_dir(&self.dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

struct NewFile {
    env: Env,
    dir: PathBuf,
    out: Appender,
}

impl NewObject for NewFile {
    fn append(&mut self, bytes: &[u8]) -> FileResult<()> {
        self.out.append(bytes)
    }

    fn written(&self) -> u64 {
        self.out.position()
    }

    fn finish(self: Box<Self>) -> FileResult<()> {
        let NewFile { env, dir, out } = *self;
        let file = out.file().clone();
        let len = out.finish()?;
        file.set_len(len)?;
        file.sync_all()?;
        env.fs().sync_dir(&dir)
    }
}
