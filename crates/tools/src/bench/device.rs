//! How long a device takes to read and write, whichever processor asks.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::time::Instant;

#[cfg(target_os = "linux")]
use nix::sched::{CpuSet, sched_setaffinity};
#[cfg(target_os = "linux")]
use nix::unistd::Pid;

use super::BenchError;

const PAGE_BYTES: usize = 8192;
const SEQUENTIAL_BYTES: usize = 1 << 20;
/// Bytes of a write, and buffers of a copy that are under way.
const WRITE_BYTES: usize = 2 << 20;
const BUFFERS: usize = 3;
/// What the address of a buffer must be a multiple of for reads past the system's cache.
const ALIGN: usize = 4096;

/// Reads of 8 KB at random places of the first `size` bytes of a file, past the system's cache and
/// one after the other.
#[derive(Clone, Copy, Debug)]
pub struct RandomReads {
    pub size: u64,
    pub reads: u32,
    pub seed: u32,
    /// On which processor, if that matters: a virtual device may interrupt one only, and a thread
    /// that waits on another waits longer.
    pub processor: Option<usize>,
}

impl RandomReads {
    /// Microseconds that a read takes, on a thread of its own.
    pub fn run_us(&self, path: &Path) -> Result<f64, BenchError> {
        let run = || {
            if let Some(processor) = self.processor {
                stay_on(processor).map_err(|error| {
                    BenchError::Wrong(format!(
                        "A thread cannot stay on processor {processor}: {error}"
                    ))
                })?;
            }
            self.time_us(path).map_err(|error| cannot("read", path, &error))
        };
        let timed = std::thread::scope(|scope| scope.spawn(run).join());
        timed.expect("reading does not panic")
    }

    fn time_us(&self, path: &Path) -> io::Result<f64> {
        let file = open_direct(path)?;
        let pages = (self.size / PAGE_BYTES as u64).max(1);
        let mut buffer = vec![0; PAGE_BYTES + ALIGN];
        let start = buffer.as_ptr().align_offset(ALIGN);
        let page = &mut buffer[start..start + PAGE_BYTES];
        let mut x = u64::from(self.seed) | 1;
        let began = Instant::now();
        for _ in 0..self.reads {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            file.read_exact_at(page, x % pages * PAGE_BYTES as u64)?;
        }
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(self.reads))
    }
}

/// Keeps this thread on a processor.
#[cfg(target_os = "linux")]
fn stay_on(processor: usize) -> io::Result<()> {
    let mut processors = CpuSet::new();
    processors.set(processor)?;
    Ok(sched_setaffinity(Pid::from_raw(0), &processors)?)
}

#[cfg(not(target_os = "linux"))]
fn stay_on(_: usize) -> io::Result<()> {
    Ok(())
}

/// Megabytes a second at which a whole file is read from its beginning, past the system's cache:
/// one read of 1 MB after the other.
pub fn sequential_mb_per_s(path: &Path) -> Result<f64, BenchError> {
    let failed = |error: io::Error| {
        BenchError::Wrong(format!("{} cannot be read directly: {error}", path.display()))
    };
    let file = open_direct(path).map_err(failed)?;
    let mut buffer = vec![0; SEQUENTIAL_BYTES + ALIGN];
    let start = buffer.as_ptr().align_offset(ALIGN);
    let bytes = &mut buffer[start..start + SEQUENTIAL_BYTES];
    let (began, mut offset) = (Instant::now(), 0);
    loop {
        match file.read_at(bytes, offset).map_err(failed)? {
            0 => break,
            read => offset += read as u64,
        }
    }
    Ok(offset as f64 / 1e6 / began.elapsed().as_secs_f64())
}

/// Megabytes a second at which this many bytes, rounded up to whole buffers, are written to a new
/// file past the system's cache, and made durable. The file is gone afterwards.
pub fn sequential_write_mb_per_s(path: &Path, bytes: u64) -> Result<f64, BenchError> {
    let buffer = Buffer::new();
    let began = Instant::now();
    let written = create_direct(path).and_then(|file| {
        let mut offset = 0;
        while offset < bytes {
            file.write_all_at(buffer.bytes(), offset)?;
            offset += WRITE_BYTES as u64;
        }
        file.sync_all()?;
        Ok(offset)
    });
    let seconds = began.elapsed().as_secs_f64();
    let removed = std::fs::remove_file(path);
    let written = written.and_then(|bytes| removed.map(|()| bytes));
    let written = written.map_err(|error| cannot("written", path, &error))?;
    Ok(written as f64 / 1e6 / seconds)
}

/// Megabytes a second at which a whole file is copied past the system's cache, and made durable, by
/// one thread that reads and one that writes. The copy is gone afterwards.
pub fn copy_mb_per_s(from: &Path, to: &Path) -> Result<f64, BenchError> {
    let began = Instant::now();
    let copied = copy(from, to);
    let seconds = began.elapsed().as_secs_f64();
    let removed = std::fs::remove_file(to);
    let copied = copied.and_then(|bytes| removed.map(|()| bytes));
    let copied = copied.map_err(|error| cannot("copied", from, &error))?;
    Ok(copied as f64 / 1e6 / seconds)
}

fn copy(from: &Path, to: &Path) -> io::Result<u64> {
    let (from, to) = (open_direct(from)?, create_direct(to)?);
    let (full, to_write) = sync_channel::<(Buffer, usize)>(BUFFERS);
    let (empty, to_fill) = sync_channel(BUFFERS);
    for _ in 0..BUFFERS {
        empty.send(Buffer::new()).expect("there is room for all of them");
    }
    std::thread::scope(|scope| {
        let reads = scope.spawn(move || -> io::Result<()> {
            let mut offset = 0;
            // The other side has gone if it failed.
            while let Ok(mut buffer) = to_fill.recv() {
                let read = from.read_at(buffer.bytes_mut(), offset)?;
                offset += read as u64;
                if read == 0 || full.send((buffer, read)).is_err() {
                    break;
                }
            }
            Ok(())
        });
        let mut offset = 0;
        for (buffer, read) in to_write {
            to.write_all_at(&buffer.bytes()[..read.next_multiple_of(ALIGN)], offset)?;
            offset += read as u64;
            let _ = empty.send(buffer); // the reader may have come to the end
        }
        drop(empty);
        reads.join().expect("reading does not panic")?;
        to.sync_all()?;
        Ok(offset)
    })
}

/// Memory for a read or a write past the system's cache.
struct Buffer {
    memory: Vec<u8>,
    start: usize,
}

impl Buffer {
    fn new() -> Buffer {
        let memory = vec![7; WRITE_BYTES + ALIGN];
        let start = memory.as_ptr().align_offset(ALIGN);
        Buffer { memory, start }
    }

    fn bytes(&self) -> &[u8] {
        &self.memory[self.start..self.start + WRITE_BYTES]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.start..self.start + WRITE_BYTES]
    }
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> BenchError {
    BenchError::Wrong(format!("{} cannot be {what} directly: {error}", path.display()))
}

fn create_direct(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(target_os = "linux")]
    options.custom_flags(libc::O_DIRECT);
    options.open(path)
}

#[cfg(target_os = "linux")]
fn open_direct(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path)
}

#[cfg(not(target_os = "linux"))]
fn open_direct(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
