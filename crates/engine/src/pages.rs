//! The server's buffer pool, made when the first database needs pages, and its extension.
//!
//! Where the extension lies is written down in a file of the data directory, so that the next start
//! uses it again. A file that makes no sense counts as missing: only speed is lost.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use env::{FileResult, OpenMode};

use crate::cold::tree::Contents;
use crate::cold::{
    ColdError, Decision, ExtensionOptions, ExtensionStats, Held, Place, Pool, PoolOptions,
    PoolStats, UnreadableImage,
};
use crate::sync::plain::{Mutex, MutexGuard};
use crate::wait::{Interrupted, Runtime, Task};

/// What takes longer counts against the extension's device.
const SLOW_NS: u64 = 1_000_000_000;

/// The longest file that says where the extension lies.
const NOTE_MAX: u64 = 8 << 10;

/// A buffer pool that is made when it is first asked for.
pub struct BufferPool {
    runtime: Runtime,
    options: PoolOptions,
    /// Where it is written down which extension there is; nowhere, if the pool lives as long as
    /// that.
    note: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    pool: Option<Arc<Pool>>,
    limit: Option<u64>,
    extension: Option<ExtensionFile>,
}

/// A page that is in memory or in the extension.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The database that it belongs to.
    pub database: u128,
    /// Where in its files; nothing if it is newer than there.
    pub place: Option<Place>,
    /// What is in it. Of pages in the extension it is not known.
    pub contents: Option<Contents>,
    /// Whether it is in the extension. What is in memory, too, comes twice.
    pub is_in_extension: bool,
}

/// Where the extension lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtensionFile {
    /// The file.
    pub path: PathBuf,
    /// How long it is.
    pub bytes: u64,
}

impl BufferPool {
    /// A pool that will be made like this, whose extension is written down in the file `note`.
    pub fn new(runtime: Runtime, options: PoolOptions, note: Option<PathBuf>) -> BufferPool {
        BufferPool { runtime, options, note, state: Mutex::default() }
    }

    /// The pool.
    pub fn get(&self) -> Result<Arc<Pool>, ColdError> {
        self.made(&mut self.lock())
    }

    /// The pool if it is there.
    pub fn existing(&self) -> Option<Arc<Pool>> {
        self.lock().pool.clone()
    }

    /// What the pool has done, if it is there.
    pub fn stats(&self) -> Option<PoolStats> {
        self.existing().map(|pool| pool.stats())
    }

    /// Bytes that the pool may use.
    pub fn limit_bytes(&self) -> u64 {
        self.lock().limit.unwrap_or(self.options.limit_bytes)
    }

    /// Bytes that the pool may use when nothing else needs memory.
    pub fn limit_bytes_max(&self) -> u64 {
        self.options.limit_bytes
    }

    /// Bytes of memory that the pool has from the system.
    pub fn resident_bytes(&self) -> u64 {
        self.existing().map_or(0, |pool| pool.resident_bytes())
    }

    /// Bytes that row caches take, and that they may take of what the pool may use.
    pub fn row_cache_bytes(&self) -> [u64; 2] {
        self.existing().map_or([0; 2], |pool| pool.row_cache_bytes())
    }

    /// How memory is divided between row caches and pages, and why.
    pub fn division(&self) -> Option<Decision> {
        self.existing().map(|pool| pool.division())
    }

    /// Leaves the pool this many bytes, at most as many as it was made for.
    pub fn set_limit(&self, bytes: u64) {
        let mut state = self.lock();
        let bytes = bytes.min(self.options.limit_bytes);
        if state.limit.replace(bytes) == Some(bytes) {
            return;
        }
        if let Some(pool) = &state.pool {
            pool.set_limit(bytes);
        }
    }

    /// Images in data files that could not be read since the last call. Each is reported once.
    pub fn take_unreadable(&self) -> Vec<UnreadableImage> {
        self.existing().map_or(Vec::new(), |pool| pool.take_unreadable())
    }

    /// What is in memory and in the extension now.
    pub fn buffers(&self, task: &Task) -> Result<Vec<Buffer>, Interrupted> {
        let mut found = Vec::new();
        if let Some(pool) = self.existing() {
            pool.each_page(task, |held| {
                let contents = held.body.and_then(Contents::of);
                let is_in_extension = held.body.is_none();
                let Held { database, place, .. } = held;
                found.push(Buffer { database, place, contents, is_in_extension });
            })?;
        }
        Ok(found)
    }

    /// Uses a file as the extension, now and after the next start. There is none yet.
    pub fn extend(&self, file: ExtensionFile) -> Result<(), ColdError> {
        let mut state = self.lock();
        self.made(&mut state)?.extend(options(&file))?;
        self.write_note(Some(&file))?;
        state.extension = Some(file);
        Ok(())
    }

    /// Stops using the extension, whose file may be gone. Returns whether there was one.
    pub fn retract(&self) -> Result<bool, ColdError> {
        let mut state = self.lock();
        let Some(file) = state.extension.take() else { return Ok(false) };
        if let Some(pool) = &state.pool {
            pool.retract();
        }
        self.write_note(None)?;
        match self.runtime.env().fs().remove_file(&file.path) {
            Err(error) if !error.is_not_found() => Err(error.into()),
            _ => Ok(true),
        }
    }

    /// Where the extension is, and what it has done.
    pub fn extension(&self) -> Option<(ExtensionFile, ExtensionStats)> {
        let state = self.lock();
        let stats = state.pool.as_ref()?.extension_stats()?;
        Some((state.extension.clone()?, stats))
    }

    /// Uses the extension again that was written down, with what a clean shutdown has left in it,
    /// for the databases that are open by now. Returns where it is.
    pub fn reopen_extension(&self) -> Result<Option<ExtensionFile>, ColdError> {
        let Some(file) = self.read_note()? else { return Ok(None) };
        let mut state = self.lock();
        self.made(&mut state)?.extend(options(&file))?;
        state.extension = Some(file.clone());
        Ok(Some(file))
    }

    /// Writes down what the extension holds, for the next start. After the last checkpoint of every
    /// database, before the databases are let go of.
    pub fn close(&self) -> Result<(), ColdError> {
        self.existing().map_or(Ok(()), |pool| pool.retract_warm())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while a pool is made")
    }

    fn made(&self, state: &mut State) -> Result<Arc<Pool>, ColdError> {
        match &state.pool {
            Some(pool) => Ok(pool.clone()),
            None => {
                let pool = Arc::new(Pool::new(&self.runtime, self.options)?);
                state.limit.iter().for_each(|bytes| pool.set_limit(*bytes));
                Ok(state.pool.insert(pool).clone())
            }
        }
    }

    fn write_note(&self, file: Option<&ExtensionFile>) -> FileResult<()> {
        let (Some(note), fs) = (&self.note, self.runtime.env().fs()) else { return Ok(()) };
        let Some(ExtensionFile { path, bytes }) = file else {
            return if fs.exists(note)? { fs.remove_file(note) } else { Ok(()) };
        };
        let text = format!("{bytes} {}\n", path.display());
        let file = fs.open(note, OpenMode::Create)?;
        file.set_len(text.len() as u64)?;
        file.write_all_at(text.as_bytes(), 0)?;
        file.sync_data()
    }

    fn read_note(&self) -> FileResult<Option<ExtensionFile>> {
        let (Some(note), fs) = (&self.note, self.runtime.env().fs()) else { return Ok(None) };
        if !fs.exists(note)? {
            return Ok(None);
        }
        let file = fs.open(note, OpenMode::Read)?;
        let mut text = vec![0; file.len()?.min(NOTE_MAX) as usize];
        file.read_exact_at(&mut text, 0)?;
        Ok(parse_note(&text))
    }
}

fn options(file: &ExtensionFile) -> ExtensionOptions {
    ExtensionOptions { path: file.path.clone(), bytes: file.bytes, slow_ns: SLOW_NS }
}

/// `bytes path`, up to the end of the line.
fn parse_note(text: &[u8]) -> Option<ExtensionFile> {
    let line = std::str::from_utf8(text).ok()?.strip_suffix('\n')?;
    let (bytes, path) = line.split_once(' ')?;
    Some(ExtensionFile { path: Path::new(path).into(), bytes: bytes.parse().ok()? })
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
