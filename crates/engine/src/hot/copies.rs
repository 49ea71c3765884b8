//! Copies of rows that are not in memory.
//!
//! What the cold store holds of a row may leave memory at any time; so a reader gets a copy. The
//! copy has the form of an inline version, but for the header: a reader does not ask when such a
//! row was committed, since it sees the row in any case, and the header says how long the row is
//! instead. Its anchor is [`AnchorPtr::COLD`](super::anchor::AnchorPtr::COLD).

use base::Arena;

use crate::hot::anchor::{AnchorPtr, HEADER_LEN, RowRef, VersionPtr};

const WORD: usize = size_of::<u64>();
const _: () = assert!(HEADER_LEN == WORD, "a header is a word");

/// Copies that go together. They stay where they are as long as none is added.
#[derive(Default, Debug)]
pub(crate) struct Copies {
    words: Vec<u64>,
}

/// One of several [`Copies`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CopyAt(usize);

impl Copies {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Adds a row.
    #[inline]
    pub fn push(&mut self, row: &[u8]) -> CopyAt {
        let at = CopyAt(self.words.len());
        let words = row.len().div_ceil(WORD);
        self.words.reserve(1 + words);
        self.words.push(row.len() as u64);
        // SAFETY: there is room for this many words, and all of them are written before they count:
        // the last, whose end the row may not reach, first.
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

    /// A row, until another is added.
    pub fn get(&self, at: CopyAt) -> RowRef {
        RowRef { anchor: AnchorPtr::COLD, version: version_of(&self.words[at.0..]) }
    }
}

/// A row that is not in memory, copied to where it lives as long as the arena lets it.
pub fn copy_to(arena: &Arena, row: &[u8]) -> RowRef {
    let words = arena.alloc_zeroed_words(1 + row.len().div_ceil(WORD));
    let whole = row.chunks_exact(WORD);
    if let (Some(to), Some(last)) = (words.last_mut(), last_word(whole.remainder())) {
        *to = last;
    }
    words[0] = row.len() as u64;
    words[1..].iter_mut().zip(whole).for_each(|(to, bytes)| *to = word(bytes));
    RowRef { anchor: AnchorPtr::COLD, version: version_of(words) }
}

/// The bytes of a copy.
///
/// # Safety
/// The version was made by this module, and is still there during `'a`.
pub unsafe fn bytes_of<'a>(copy: VersionPtr) -> &'a [u8] {
    let row = copy.row().as_ptr();
    // SAFETY: the caller's promise; the header before the row is its length.
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

/// The last word of a copy, if the row's bytes do not end with a whole one.
fn last_word(rest: &[u8]) -> Option<u64> {
    let mut word = [0; WORD];
    word[..rest.len()].copy_from_slice(rest);
    (!rest.is_empty()).then_some(u64::from_ne_bytes(word))
}

fn version_of(words: &[u64]) -> VersionPtr {
    VersionPtr::from_address(words.as_ptr() as u64).expect("a copy has a header")
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_bytes_of_their_rows() {
        let (arena, mut copies) = (Arena::new(), Copies::default());
        let rows: Vec<Vec<u8>> = (0..40u8).map(|len| (0..len).collect()).collect();
        let at: Vec<CopyAt> = rows.iter().map(|row| copies.push(row)).collect();
        for (row, at) in rows.iter().zip(at) {
            for copy in [copies.get(at), copy_to(&arena, row)] {
                assert_eq!(copy.anchor, AnchorPtr::COLD);
                // SAFETY: the copies are there.
                assert_eq!(unsafe { bytes_of(copy.version) }, row);
            }
        }
    }
}
