//! Which rows lost their copies not long ago: how often they are looked up again tells what more
//! memory would be worth.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use super::space::{Pages, Space};

/// Slots of the index for each row that is remembered.
const SLOTS_PER_GHOST: usize = 8;

/// The hashes of rows that were evicted. A newer one takes the place of an older one.
pub struct Ghosts(Space);

impl Ghosts {
    /// Ghosts beside an index that may come to have this many slots.
    pub fn new(slots_max: usize) -> io::Result<Ghosts> {
        Ok(Ghosts(Space::new(Ghosts::count(slots_max), Pages::Small)?))
    }

    /// How many there are where the index has this many slots.
    pub fn count(slots: usize) -> usize {
        (slots / SLOTS_PER_GHOST).max(1)
    }

    /// Bytes that they take where the index has this many slots.
    pub fn bytes(slots: usize) -> u64 {
        (Ghosts::count(slots) * size_of::<u64>()) as u64
    }

    pub fn add(&self, hash: u64, slots: usize) {
        self.0.word(at(hash, slots)).store(hash, Relaxed);
    }

    /// Whether the row is remembered.
    pub fn has(&self, hash: u64, slots: usize) -> bool {
        self.0.word(at(hash, slots)).load(Relaxed) == hash
    }

    /// Whether the row is remembered; it is not any more.
    pub fn take(&self, hash: u64, slots: usize) -> bool {
        self.has(hash, slots) && {
            self.0.word(at(hash, slots)).store(0, Relaxed);
            true
        }
    }
}

fn at(hash: u64, slots: usize) -> usize {
    ((u128::from(hash) * Ghosts::count(slots) as u128) >> 64) as usize
}
