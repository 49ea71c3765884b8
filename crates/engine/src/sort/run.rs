//! Runs: sorted entries, one after another, in blocks with checksums.
//!
//! ```text
//! block   length of what follows the checksum u32 | CRC-32C u32 | entry*
//! entry   length of the key u32 | length of the value u32 | key | value
//! ```
//!
//! An entry lies in one block; a block ends when it has [`BLOCK_BYTES`].

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use env::{Env, File, FileError, FileResult, OpKind, OpenMode};

/// A block is written when it has this many bytes.
const BLOCK_BYTES: usize = 64 << 10;
const BLOCK_HEADER: usize = 8;
const ENTRY_HEADER: usize = 8;

/// The file of a sort, removed when its last handle is dropped.
#[derive(Clone, Debug)]
pub(super) struct RunFile(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    env: Env,
    path: PathBuf,
    file: Arc<dyn File>,
    /// Where the next block goes. One run at a time is written.
    end: AtomicU64,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Else the next start removes it.
        let _ = self.env.fs().remove_file(&self.path);
    }
}

/// Where a run is in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunRange {
    start: u64,
    end: u64,
}

impl RunFile {
    pub fn create(env: &Env, path: &Path) -> FileResult<RunFile> {
        let file = env.fs().open(path, OpenMode::CreateNew)?;
        let (env, path, end) = (env.clone(), path.to_path_buf(), AtomicU64::new(0));
        Ok(RunFile(Arc::new(Shared { env, path, file, end })))
    }

    /// Begins a run after the last.
    pub fn begin_run(&self) -> RunWriter {
        let start = self.0.end.load(Relaxed);
        RunWriter { file: self.clone(), start, block: vec![0; BLOCK_HEADER] }
    }
}

/// A run that is being written.
pub(super) struct RunWriter {
    file: RunFile,
    start: u64,
    block: Vec<u8>,
}

impl RunWriter {
    /// Adds an entry. Its key is not less than the last one.
    pub fn push(&mut self, key: &[u8], value: &[u8]) -> FileResult<()> {
        for part in [key, value] {
            let len = u32::try_from(part.len()).expect("entries are shorter than 4 GB");
            self.block.extend_from_slice(&len.to_le_bytes());
        }
        self.block.extend_from_slice(key);
        self.block.extend_from_slice(value);
        if self.block.len() >= BLOCK_BYTES { self.write_block() } else { Ok(()) }
    }

    pub fn finish(mut self) -> FileResult<RunRange> {
        if self.block.len() > BLOCK_HEADER {
            self.write_block()?;
        }
        Ok(RunRange { start: self.start, end: self.file.0.end.load(Relaxed) })
    }

    fn write_block(&mut self) -> FileResult<()> {
        let (block, shared) = (&mut self.block, &*self.file.0);
        let len = u32::try_from(block.len() - BLOCK_HEADER).expect("entries are shorter than 4 GB");
        block[..4].copy_from_slice(&len.to_le_bytes());
        let checksum = crc32c::crc32c(&block[BLOCK_HEADER..]);
        block[4..8].copy_from_slice(&checksum.to_le_bytes());
        shared.file.write_all_at(block, shared.end.load(Relaxed))?;
        shared.end.fetch_add(block.len() as u64, Relaxed);
        block.truncate(BLOCK_HEADER);
        Ok(())
    }
}

/// Goes through a run.
pub(super) struct RunReader {
    file: RunFile,
    /// What has not been read.
    rest: RunRange,
    block: Vec<u8>,
    /// The current entry: where its key and its value begin, and where it ends.
    parts: [usize; 3],
}

impl RunReader {
    pub fn new(file: RunFile, run: RunRange) -> RunReader {
        RunReader { file, rest: run, block: Vec::new(), parts: [0; 3] }
    }

    pub fn key(&self) -> &[u8] {
        &self.block[self.parts[0]..self.parts[1]]
    }

    pub fn value(&self) -> &[u8] {
        &self.block[self.parts[1]..self.parts[2]]
    }

    /// Goes on to the next entry; `false` if there is none.
    pub fn advance(&mut self) -> FileResult<bool> {
        let mut at = self.parts[2];
        if at == self.block.len() {
            if self.rest.start >= self.rest.end {
                return Ok(false);
            }
            self.read_block()?;
            at = 0;
        }
        let len = |at: usize| {
            let bytes = self.block.get(at..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes) as usize)
        };
        let parts = len(at).zip(len(at + 4)).map(|(key, value)| {
            let start = at + ENTRY_HEADER;
            [start, start + key, start + key + value]
        });
        let parts = parts.filter(|parts| parts[2] <= self.block.len());
        self.parts = parts.ok_or_else(|| self.damaged())?;
        Ok(true)
    }

    fn read_block(&mut self) -> FileResult<()> {
        let (file, mut header) = (&self.file.0.file, [0; BLOCK_HEADER]);
        file.read_exact_at(&mut header, self.rest.start)?;
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|n| header[at + n]));
        let (len, start) = (u64::from(word(0)), self.rest.start + BLOCK_HEADER as u64);
        if len == 0 || start + len > self.rest.end {
            return Err(self.damaged());
        }
        self.block.resize(len as usize, 0);
        file.read_exact_at(&mut self.block, start)?;
        if crc32c::crc32c(&self.block) != word(4) {
            return Err(self.damaged());
        }
        self.rest.start = start + len;
        Ok(())
    }

    #[cold]
    fn damaged(&self) -> FileError {
        let what = "a block is not what was written";
        let error = io::Error::new(io::ErrorKind::InvalidData, what);
        FileError::new(OpKind::Read, &self.file.0.path, error)
    }
}
