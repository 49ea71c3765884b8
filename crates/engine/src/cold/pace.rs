//! How long a device has recently taken to read a page.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A device that reads a page in less time is quick: waiting for it costs less than handing the
/// read over.
const QUICK_NS: u64 = 200_000;
/// A read that takes longer counts as this long, so that a single slow one is soon forgotten.
const COUNTED_NS_MAX: u64 = 8 * QUICK_NS;
/// A read counts one part in this many of the average.
const WEIGHT: u64 = 8;
const UNKNOWN: u64 = u64::MAX;

/// A running average of the time that reads of one page took.
#[derive(Debug)]
pub struct Pace {
    /// Written by each thread that has read; of two concurrent writes one may be lost.
    average_ns: AtomicU64,
}

impl Pace {
    /// No read has been measured.
    pub const fn new() -> Pace {
        Pace { average_ns: AtomicU64::new(UNKNOWN) }
    }

    /// Notes how long a read of one page has taken.
    pub fn note(&self, took_ns: u64) {
        let took_ns = took_ns.min(COUNTED_NS_MAX);
        let average_ns = match self.average_ns.load(Relaxed) {
            UNKNOWN => took_ns,
            known => known - known / WEIGHT + took_ns / WEIGHT,
        };
        self.average_ns.store(average_ns, Relaxed);
    }

    /// Whether the device has been quick lately; `false` if no read has been measured.
    pub fn is_quick(&self) -> bool {
        self.average_ns.load(Relaxed) < QUICK_NS
    }
}

#[cfg(test)]
mod tests;
