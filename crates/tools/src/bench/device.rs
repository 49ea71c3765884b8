//! How long a device takes to read, whoever asks.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::Instant;

use super::BenchError;

const PAGE_BYTES: usize = 8192;
const SEQUENTIAL_BYTES: usize = 1 << 20;
/// What the address of a buffer must be a multiple of for reads past the system's cache.
const ALIGN: usize = 4096;

/// Microseconds that a read of 8 KB takes at random places of the first `size` bytes of a file, past the
/// system's cache and one after the other.
pub fn random_read_us(path: &Path, size: u64, reads: u32, seed: u32) -> Result<f64, BenchError> {
    let failed = |error: io::Error| {
        BenchError::Wrong(format!("{} cannot be read directly: {error}", path.display()))
    };
    let file = open_direct(path).map_err(failed)?;
    let pages = (size / PAGE_BYTES as u64).max(1);
    let mut buffer = vec![0; PAGE_BYTES + ALIGN];
    let start = buffer.as_ptr().align_offset(ALIGN);
    let page = &mut buffer[start..start + PAGE_BYTES];
    let mut x = u64::from(seed) | 1;
    let began = Instant::now();
    for _ in 0..reads {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        file.read_exact_at(page, x % pages * PAGE_BYTES as u64).map_err(failed)?;
    }
    Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(reads))
}

/// Megabytes a second at which a whole file is read from its beginning, past the system's cache: one read of
/// 1 MB after the other.
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

#[cfg(target_os = "linux")]
fn open_direct(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path)
}

#[cfg(not(target_os = "linux"))]
fn open_direct(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}
