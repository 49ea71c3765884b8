//! A log with group commit for two threads.
//!
//! Each thread appends records to a buffer of its own. A thread that can do nothing until its
//! records are durable takes what is in both buffers, writes it at once and syncs; if the other
//! thread is at that already, it waits, and goes on as soon as a record of its own has become
//! durable. The file is as long as it will ever be from the start, and written round and round, as
//! a server does that uses its log's segments again.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Condvar, Mutex, PoisonError};

/// Threads that append.
pub const WORKERS: usize = 2;
const FILE_BYTES: u64 = 256 << 20;

/// The log.
pub struct Log {
    path: PathBuf,
    file: File,
    buffers: [Mutex<Buffer>; WORKERS],
    /// Records of each thread that are durable; written by the thread that has synced, read by its
    /// owner.
    durable: [AtomicU64; WORKERS],
    writer: Mutex<Writer>,
    synced: Condvar,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    records: u64,
}

#[derive(Default)]
struct Writer {
    is_busy: bool,
    offset: u64,
    written: Vec<u8>,
    failed: Option<io::ErrorKind>,
}

impl Log {
    /// A log in a new file in a directory, removed at the end.
    pub fn create(directory: &Path) -> io::Result<Log> {
        let path = directory.join(format!("floor-{}.log", std::process::id()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&path)?;
        let zeros = vec![0; 1 << 20];
        for offset in (0..FILE_BYTES).step_by(zeros.len()) {
            file.write_all_at(&zeros, offset)?;
        }
        file.sync_all()?;
        Ok(Log {
            path,
            file,
            buffers: Default::default(),
            durable: Default::default(),
            writer: Mutex::default(),
            synced: Condvar::new(),
        })
    }

    /// Appends a record of a thread.
    pub fn append(&self, worker: usize, record: &[u8]) {
        let mut buffer = self.buffers[worker].lock().unwrap_or_else(PoisonError::into_inner);
        buffer.bytes.extend_from_slice(record);
        buffer.records += 1;
    }

    /// How many records of the thread are durable.
    pub fn durable(&self, worker: usize) -> u64 {
        self.durable[worker].load(Acquire) // pairs with the Release of sync()
    }

    /// Returns when more records of the thread are durable than this many.
    pub fn wait(&self, worker: usize, seen: u64) -> io::Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(kind) = writer.failed {
                return Err(kind.into());
            }
            if self.durable(worker) > seen {
                return Ok(());
            }
            if !writer.is_busy {
                break;
            }
            writer = self.synced.wait(writer).unwrap_or_else(PoisonError::into_inner);
        }
        writer.is_busy = true;
        let mut bytes = std::mem::take(&mut writer.written);
        let offset = writer.offset;
        drop(writer);
        let result = self.sync(&mut bytes, offset);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.is_busy = false;
        writer.written = bytes;
        match &result {
            Ok(end) => writer.offset = *end,
            Err(error) => writer.failed = Some(error.kind()),
        }
        drop(writer);
        self.synced.notify_all();
        result.map(|_| ())
    }

    /// Writes what both threads have appended. Returns where the next write goes.
    fn sync(&self, bytes: &mut Vec<u8>, offset: u64) -> io::Result<u64> {
        bytes.clear();
        let mut records = [0; WORKERS];
        for (buffer, records) in self.buffers.iter().zip(&mut records) {
            let mut buffer = buffer.lock().unwrap_or_else(PoisonError::into_inner);
            *records = buffer.records;
            if bytes.is_empty() {
                // The usual case costs no copy.
                std::mem::swap(bytes, &mut buffer.bytes);
            } else {
                bytes.extend_from_slice(&buffer.bytes);
                buffer.bytes.clear();
            }
        }
        let start = if offset + bytes.len() as u64 > FILE_BYTES { 0 } else { offset };
        self.file.write_all_at(bytes, start)?;
        self.file.sync_data()?;
        for (durable, records) in self.durable.iter().zip(records) {
            durable.store(records, Release); // pairs with the Acquire of durable()
        }
        Ok(start + bytes.len() as u64)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path); // the system removes what is left
    }
}

#[cfg(test)]
mod tests;
