//! The hash of a key: 64 well-mixed bits, the same for a row and for its normalized bytes.

use super::{KeyClass, KeySpec};

impl KeySpec {
    /// The hash of a normalized key, which must be a whole one.
    #[inline]
    pub fn hash_key(&self, key: &[u8]) -> u64 {
        match self.class {
            KeyClass::One(word) => hash_word(word.in_key(key)),
            KeyClass::Two(a, b) => hash_words(a.in_key(key), b.in_key(&key[a.width()..])),
            KeyClass::General => hash_bytes(key),
        }
    }

    /// The hash of a key of class [`KeyClass::One`] or [`KeyClass::Two`] with these words.
    #[inline]
    pub fn hash_words(&self, words: [u64; 2]) -> u64 {
        match self.class {
            KeyClass::One(_) => hash_word(words[0]),
            _ => hash_words(words[0], words[1]),
        }
    }
}

const SEEDS: [u64; 3] = [0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93, 0xA076_1D64_78BD_642F];

/// A bijection, so that different words never have the same hash.
#[inline]
pub(super) fn hash_word(word: u64) -> u64 {
    finish(word ^ SEEDS[0])
}

#[inline]
pub(super) fn hash_words(a: u64, b: u64) -> u64 {
    finish(fold(a ^ SEEDS[0], SEEDS[1]).wrapping_add(b))
}

/// The hash of bytes of any length.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64 ^ SEEDS[2];
    for chunk in bytes.chunks(16) {
        let mut padded = [0; 16];
        padded[..chunk.len()].copy_from_slice(chunk);
        let n = u128::from_le_bytes(padded);
        let (low, high) = (n as u64, (n >> 64) as u64);
        state = fold(low ^ SEEDS[0] ^ state, high ^ SEEDS[1]) ^ state.rotate_left(23);
    }
    finish(state)
}

/// The exclusive or of both halves of the product.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The finalizer of splitmix64 (Steele, Lea, Flood): every input bit changes every output bit with
/// a probability near one half.
#[inline]
fn finish(mut h: u64) -> u64 {
    h = (h ^ h >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h = (h ^ h >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    h ^ h >> 31
}
