//! The files of the error log: `errorlog` is the current one, `errorlog.1` the one before, up to
//! `errorlog.6`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::value::DateTime;
use engine::instance::now;
use env::{DirectoryLock, Env, File, FileResult, OpenMode};
use session::instance::error_log::{ARCHIVES, Archive, Entry, entries};

use super::outlet::Target;

/// The directory of the files, in the data directory.
pub const DIRECTORY: &str = "log";
const NAME: &str = "errorlog";

/// See the module's header. The directory is locked while this lives.
pub struct LogFile {
    env: Env,
    dir: PathBuf,
    file: Option<Arc<dyn File>>,
    end: u64,
    _lock: DirectoryLock,
}

/// The path of a file by its number.
pub fn path_of(dir: &Path, number: u32) -> PathBuf {
    match number {
        0 => dir.join(NAME),
        number => dir.join(format!("{NAME}.{number}")),
    }
}

impl LogFile {
    /// A new file, the first of this start of the server.
    pub fn open(env: &Env, dir: &Path) -> FileResult<LogFile> {
        env.fs().create_dir_all(dir)?;
        let lock = env.fs().lock_dir(dir)?;
        let mut file =
            LogFile { env: env.clone(), dir: dir.into(), file: None, end: 0, _lock: lock };
        file.cycle()?;
        Ok(file)
    }

    /// Begins a new file. The older files get the next number; the last one is removed.
    pub fn cycle(&mut self) -> FileResult<()> {
        let fs = self.env.fs();
        if fs.exists(&path_of(&self.dir, 0))? {
            for number in (0..ARCHIVES).rev() {
                let (from, to) = (path_of(&self.dir, number), path_of(&self.dir, number + 1));
                if fs.exists(&from)? {
                    // It takes the place of what has the name.
                    fs.rename(&from, &to)?;
                }
            }
        }
        self.file = None;
        self.begin()
    }

    fn begin(&mut self) -> FileResult<()> {
        let file = self.env.fs().open(&path_of(&self.dir, 0), OpenMode::Create)?;
        self.end = file.len()?;
        self.file = Some(file);
        Ok(())
    }
}

impl Target for LogFile {
    fn write(&mut self, text: &str) -> bool {
        if self.file.is_none() && self.begin().is_err() {
            return false;
        }
        let Some(file) = &self.file else { return false };
        // What a full disk has taken of a text before is written over.
        let written = file.write_all_at(text.as_bytes(), self.end).is_ok();
        self.end += if written { text.len() as u64 } else { 0 };
        written
    }
}

/// The files there are.
pub fn archives(env: &Env, dir: &Path) -> Vec<Archive> {
    let archive = |number: u32| {
        let path = path_of(dir, number);
        let metadata = env.fs().metadata(&path).ok()??;
        let written = last_written(env, &path).unwrap_or_else(|| now(env));
        Some(Archive { number, written, size_bytes: metadata.len })
    };
    (0..=ARCHIVES).filter_map(archive).collect()
}

/// When the last entry of a file was written.
fn last_written(env: &Env, path: &Path) -> Option<DateTime> {
    let bytes = env.fs().read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    entries(&text).last().map(|entry: &Entry| entry.at)
}

#[cfg(test)]
mod tests;
