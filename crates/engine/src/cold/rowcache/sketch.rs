//! Which rows were looked up not long ago, to tell a second touch from a first.

use std::io;
use std::sync::atomic::Ordering::Relaxed;

use super::space::{Pages, Space};
use crate::sync::atomic::AtomicUsize;

/// Bits for each slot of the index.
const BITS_PER_SLOT: usize = 16;
const WORD_BITS: usize = u64::BITS as usize;

/// Two bits for each look-up, which are set. All bits are cleared once for each as many look-ups as
/// the index has slots, a word at a time: so at most an eighth of them is set, and one in 64 first
/// touches is taken for a second.
pub struct Sketch {
    space: Space,
    touches: AtomicUsize,
}

impl Sketch {
    /// One for an index that may come to have this many slots.
    pub fn new(slots_max: usize) -> io::Result<Sketch> {
        Ok(Sketch {
            space: Space::new(words(slots_max), Pages::Small)?,
            touches: AtomicUsize::new(0),
        })
    }

    /// Bytes that it takes for an index with this many slots.
    pub fn bytes(slots: usize) -> u64 {
        (words(slots) * size_of::<u64>()) as u64
    }

    /// Notes a look-up, where the index has this many slots. Returns whether there was one before
    /// that is not forgotten.
    pub fn touch(&self, hash: u64, slots: usize) -> bool {
        let before = places(hash, words(slots)).map(|(at, bit)| {
            let word = self.space.word(at);
            word.load(Relaxed) & bit != 0 || word.fetch_or(bit, Relaxed) & bit != 0
        });
        self.forget_some(slots);
        before == [true; 2]
    }

    /// Whether there was a look-up that is not forgotten.
    pub fn was_touched(&self, hash: u64, slots: usize) -> bool {
        let is_set = |(at, bit): (usize, u64)| self.space.word(at).load(Relaxed) & bit != 0;
        places(hash, words(slots)).map(is_set) == [true; 2]
    }

    /// Clears the words that are due.
    fn forget_some(&self, slots: usize) {
        let (touches, words) = (self.touches.fetch_add(1, Relaxed), words(slots));
        let due = |touches: usize| (touches as u128 * words as u128) / slots as u128;
        for at in due(touches)..due(touches.wrapping_add(1)) {
            self.space.word(at as usize % words).store(0, Relaxed);
        }
    }
}

fn words(slots: usize) -> usize {
    (slots * BITS_PER_SLOT).div_ceil(WORD_BITS).max(1)
}

/// Where the two bits are.
fn places(hash: u64, words: usize) -> [(usize, u64); 2] {
    let both = [hash, hash.wrapping_mul(0xD6E8_FEB8_6659_FD93)];
    both.map(|hash| {
        let at = ((u128::from(hash) * words as u128) >> 64) as usize;
        (at, 1 << (hash & 63))
    })
}
