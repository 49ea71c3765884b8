//! The buffer that keys are encoded into.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

use smallvec::SmallVec;

/// Bytes that fit without an allocation.
const INLINE: usize = 32;

/// The first capacity of the buffer for sort keys.
const SCRATCH: usize = 128;

/// Ends a variable-length part. It is less than every continuation, which is a byte other than 0 or
/// an escaped 0.
const TERMINATOR: [u8; 2] = [0, 0];
const ESCAPED_ZERO: [u8; 2] = [0, 0xFF];

/// A normalized key, or the prefix of one. It keeps what it has allocated, so reuse it.
#[derive(Default)]
pub struct KeyBuf {
    bytes: SmallVec<[u8; INLINE]>,
    /// Buffer in which a sort key is built before it is escaped.
    scratch: Vec<u8>,
}

impl KeyBuf {
    /// An empty key.
    pub fn new() -> KeyBuf {
        KeyBuf::default()
    }

    /// Empties the key.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Bytes taken from the heap.
    pub fn allocated(&self) -> usize {
        let spilled = if self.bytes.spilled() { self.bytes.capacity() } else { 0 };
        spilled + self.scratch.capacity()
    }

    /// Sets the key to these bytes.
    pub fn set(&mut self, key: &[u8]) {
        self.clear();
        self.extend(key);
    }

    /// Adds bytes at the end.
    #[inline]
    pub fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds the first `n` of these bytes.
    #[inline]
    pub(super) fn extend_word(&mut self, bytes: [u8; 8], n: usize) {
        let len = self.bytes.len() + n;
        self.bytes.extend_from_slice(&bytes); // a constant length, so that nothing is called
        self.bytes.truncate(len);
    }

    pub(super) fn extend_zeros(&mut self, n: usize) {
        self.bytes.resize(self.bytes.len() + n, 0);
    }

    /// Adds bytes of any length, escaped so that keys compare as the bytes do.
    /// [`KeyBuf::terminate`] must follow, so that no key is a prefix of another (K1, K2).
    pub(super) fn extend_escaped(&mut self, mut bytes: &[u8]) {
        while let Some(zero) = bytes.iter().position(|&b| b == 0) {
            self.extend(&bytes[..zero]);
            self.extend(&ESCAPED_ZERO);
            bytes = &bytes[zero + 1..];
        }
        self.extend(bytes);
    }

    /// Ends the bytes that [`KeyBuf::extend_escaped`] has added.
    pub(super) fn terminate(&mut self) {
        self.extend(&TERMINATOR);
    }

    /// Adds a binary, which compares as if zeros followed.
    pub(super) fn extend_binary(&mut self, bytes: &[u8]) {
        let end = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        self.extend_escaped(&bytes[..end]);
        self.terminate();
    }

    /// As [`KeyBuf::extend_escaped`], with the bytes that `write` puts into an empty vector.
    pub(super) fn escape_from(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        scratch.reserve(SCRATCH);
        write(&mut scratch);
        self.extend_escaped(&scratch);
        self.scratch = scratch;
    }

    /// Combines the bytes from `start` on with `mask`, by exclusive or.
    pub(super) fn invert(&mut self, start: usize, mask: u8) {
        if mask != 0 {
            self.bytes[start..].iter_mut().for_each(|b| *b ^= mask);
        }
    }

    /// Sets the key to the smallest byte string above all that start with the current bytes.
    /// Returns whether there is one; if not, the key becomes empty.
    pub fn increment(&mut self) -> bool {
        while let Some(last) = self.bytes.pop() {
            if last != u8::MAX {
                self.bytes.push(last + 1);
                return true;
            }
        }
        false
    }

    /// Sets the key to the smallest byte string above the current one.
    pub fn step(&mut self) {
        self.bytes.push(0);
    }
}

impl Deref for KeyBuf {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<&[u8]> for KeyBuf {
    fn from(key: &[u8]) -> KeyBuf {
        KeyBuf { bytes: SmallVec::from_slice(key), scratch: Vec::new() }
    }
}

impl Clone for KeyBuf {
    fn clone(&self) -> KeyBuf {
        KeyBuf::from(&**self)
    }

    fn clone_from(&mut self, source: &KeyBuf) {
        self.set(source);
    }
}

impl PartialEq for KeyBuf {
    fn eq(&self, other: &KeyBuf) -> bool {
        **self == **other
    }
}

impl Eq for KeyBuf {}

impl PartialOrd for KeyBuf {
    fn partial_cmp(&self, other: &KeyBuf) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for KeyBuf {
    fn cmp(&self, other: &KeyBuf) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl fmt::Debug for KeyBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}
