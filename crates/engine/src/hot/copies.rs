//! Copies of rows that are not in memory.
//!
//! What the cold store holds of a row may leave memory at any time; so whoever reads it gets a copy. It
//! has the form of an inline version, but for the header: nobody asks when such a row was committed, since
//! everybody sees it, and the header says how long the row is instead. Its anchor is
//! [`AnchorPtr::COLD`](super::anchor::AnchorPtr::COLD).

use base::Arena;

use crate::hot::anchor::{AnchorPtr, HEADER_LEN, VersionPtr};
use crate::hot::cursor::RowRef;

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
    pub fn push(&mut self, row: &[u8]) -> CopyAt {
        let at = CopyAt(self.words.len());
        self.words.extend(image(row));
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
    words.iter_mut().zip(image(row)).for_each(|(to, word)| *to = word);
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

/// The words of a copy: the row's length, and its bytes.
fn image(row: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let word = |bytes: &[u8]| {
        let mut word = [0; WORD];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_ne_bytes(word)
    };
    std::iter::once(row.len() as u64).chain(row.chunks(WORD).map(word))
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
