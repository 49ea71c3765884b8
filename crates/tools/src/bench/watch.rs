//! How much memory a server takes, looked at all the time. More than a tenth above its limit is an
//! error.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

use super::BenchError;
use crate::local::resident_bytes;

/// Memory may be above its limit by this part.
const TOLERANCE: f64 = 0.1;

/// Looks at the memory of a process all the time.
pub struct Watch {
    limit_mb: u32,
    /// Bytes at most since the last note, and ever.
    peak: Arc<AtomicU64>,
    highest: u64,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Watches the process with this number, which is allowed this many megabytes.
    pub fn start(process: u32, limit_mb: u32) -> Watch {
        let (peak, ended) = (Arc::<AtomicU64>::default(), Arc::<AtomicBool>::default());
        let (noted, stop) = (peak.clone(), ended.clone());
        let look = move || {
            while !stop.load(Relaxed) {
                noted.fetch_max(resident_bytes(process).unwrap_or(0), Relaxed);
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        let thread = Some(std::thread::spawn(look));
        Watch { limit_mb, peak, highest: 0, ended, thread }
    }

    /// Prints the most memory that was in use in this part.
    pub fn note(&mut self, part: &str) {
        let peak = self.peak.swap(0, Relaxed);
        self.highest = self.highest.max(peak);
        eprintln!("{part}: at most {} MB of memory, {} allowed", peak >> 20, self.limit_mb);
    }

    /// The most that it was, in MB; an error if that is too much.
    pub fn end(mut self) -> Result<f64, BenchError> {
        self.highest = self.highest.max(self.peak.load(Relaxed));
        let peak_mb = self.highest as f64 / f64::from(1 << 20);
        match peak_mb <= f64::from(self.limit_mb) * (1.0 + TOLERANCE) {
            true => Ok(peak_mb),
            false => Err(BenchError::Wrong(format!(
                "{peak_mb:.0} MB of memory were used, {} are allowed",
                self.limit_mb
            ))),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.ended.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic of it has been reported
        }
    }
}
