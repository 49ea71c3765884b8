//! Which rows were looked up not long ago, to tell a second touch from a first.

use std::sync::atomic::Ordering::Relaxed;

use crate::sync::atomic::{AtomicU64, AtomicUsize};

/// Bits for each slot of the index.
const BITS_PER_SLOT: usize = 16;
const WORD_BITS: usize = u64::BITS as usize;

/// Two bits for each look-up, which are set. All bits are cleared once for each as many look-ups as
/// the index has slots, a word at a time: so at most an eighth of them is set, and one in 64 first
/// touches is taken for a second.
pub struct Sketch {
    words: Box<[AtomicU64]>,
    slots: usize,
    touches: AtomicUsize,
}

impl Sketch {
    /// One for an index with this many slots.
    pub fn new(slots: usize) -> Sketch {
        let words = (slots * BITS_PER_SLOT).div_ceil(WORD_BITS).max(1);
        let words = crate::sync::zeros(words);
        Sketch { words, slots: slots.max(1), touches: AtomicUsize::new(0) }
    }

    pub fn bytes(&self) -> u64 {
        size_of_val(&self.words[..]) as u64
    }

    /// Notes a look-up. Returns whether there was one before that is not forgotten.
    pub fn touch(&self, hash: u64) -> bool {
        let both = [hash, hash.wrapping_mul(0xD6E8_FEB8_6659_FD93)];
        let before = both.map(|hash| {
            let at = (u128::from(hash) * self.words.len() as u128 >> 64) as usize;
            let bit = 1 << (hash & 63);
            self.words[at].fetch_or(bit, Relaxed) & bit != 0
        });
        self.forget_some();
        before == [true; 2]
    }

    /// Clears the words that are due.
    fn forget_some(&self) {
        let touches = self.touches.fetch_add(1, Relaxed);
        let due =
            |touches: usize| (touches as u128 * self.words.len() as u128) / self.slots as u128;
        for at in due(touches)..due(touches.wrapping_add(1)) {
            self.words[at as usize % self.words.len()].store(0, Relaxed);
        }
    }
}
