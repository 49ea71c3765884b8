//! Copies of rows that are not in memory.
//!
//! The page that a cold row lies on may leave memory at any time, so a reader gets a copy. The copy
//! has the form of an inline version, except that its header holds the row's length instead of a
//! begin word: a reader needs no stamp, since it gets only copies of rows that it sees. The copy's
//! anchor is [`AnchorPtr::COLD`](super::anchor::AnchorPtr::COLD).

use base::Arena;

use crate::hot::anchor::{AnchorPtr, HEADER_LEN, RowAt, VersionPtr};

const WORD: usize = size_of::<u64>();
const _: () = assert!(HEADER_LEN == WORD, "a header is a word");

/// A buffer of copies. Adding one may move the others.
#[derive(Default, Debug)]
pub(crate) struct Copies {
    words: Vec<u64>,
}

/// The place of one copy in [`Copies`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CopyAt(usize);

impl Copies {
    /// Removes all copies.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Adds a copy of a row.
    #[inline]
    pub fn push(&mut self, row: &[u8]) -> CopyAt {
        let at = CopyAt(self.words.len());
        let words = row.len().div_ceil(WORD);
        self.words.reserve(1 + words);
        self.words.push(row.len() as u64);
        // SAFETY: `reserve` made room for the words, and all are written before `set_len`; the last
        // is zeroed first, since the row may not fill it.
        unsafe {
            let to = self.words.as_mut_ptr().add(self.words.len());
            if words > 0 {
                to.add(words - 1).write(0);
            }
            to.cast::<u8>().copy_from_nonoverlapping(row.as_ptr(), row.len());
            self.words.set_len(self.words.len() + words);
        }
        at
    }

    /// The copy at `at`, valid until another row is added.
    pub fn get(&self, at: CopyAt) -> RowAt {
        RowAt { anchor: AnchorPtr::COLD, version: version_of(&self.words[at.0..]) }
    }
}

/// Copies a row that is not in memory into an arena.
pub fn copy_to(arena: &Arena, row: &[u8]) -> RowAt {
    let words = arena.alloc_zeroed_words(1 + row.len().div_ceil(WORD));
    let whole = row.chunks_exact(WORD);
    if let (Some(to), Some(last)) = (words.last_mut(), last_word(whole.remainder())) {
        *to = last;
    }
    words[0] = row.len() as u64;
    words[1..].iter_mut().zip(whole).for_each(|(to, bytes)| *to = word(bytes));
    RowAt { anchor: AnchorPtr::COLD, version: version_of(words) }
}

/// The bytes of a copy.
///
/// # Safety
/// The version was made by this module, and is still there during `'a`.
pub unsafe fn bytes_of<'a>(copy: VersionPtr) -> &'a [u8] {
    let row = copy.row().as_ptr();
    // SAFETY: the caller promises that this module made the copy, so that the header before the row
    // is the row's length, and that it lives for `'a`.
    unsafe {
        let len = row.sub(HEADER_LEN).cast::<u64>().read();
        std::slice::from_raw_parts(row, len as usize)
    }
}

/// A whole word of a copy.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    u64::from_ne_bytes(bytes.try_into().expect("as long as a word"))
}

/// The last word of a copy, padded with zeros, if the row's length is not a multiple of a word.
fn last_word(rest: &[u8]) -> Option<u64> {
    let mut word = [0; WORD];
    word[..rest.len()].copy_from_slice(rest);
    (!rest.is_empty()).then_some(u64::from_ne_bytes(word))
}

fn version_of(words: &[u64]) -> VersionPtr {
    VersionPtr::from_address(words.as_ptr() as u64).expect("a copy has a header")
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
