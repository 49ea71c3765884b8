//! Address space for arrays that grow.

use std::io;
use std::ptr::NonNull;

use crate::sync::Word;

/// An array of zeros that takes memory only where it was touched.
pub struct Space {
    start: NonNull<Word>,
    words: usize,
    pages: Pages,
}

/// What a space's memory consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pages {
    /// Huge pages, if the system has some: for what is used much, and all over.
    Huge,
    /// The system's usual ones: for what takes little.
    Small,
}

impl Pages {
    /// A multiple of the size.
    fn align(self) -> usize {
        match self {
            Pages::Huge => env::memory::HUGE_PAGE,
            Pages::Small => 64 << 10,
        }
    }
}

// SAFETY: a space owns its memory, which is used as atomics only.
unsafe impl Send for Space {}
// SAFETY: as above.
unsafe impl Sync for Space {}

impl Space {
    pub fn new(words: usize, pages: Pages) -> io::Result<Space> {
        let words = words.max(1);
        let start = env::memory::map(Space::bytes(words, pages), pages.align())?.cast();
        Ok(Space { start, words, pages })
    }

    fn bytes(words: usize, pages: Pages) -> usize {
        (words * size_of::<Word>()).next_multiple_of(pages.align())
    }

    /// The word at a place, which must be below the length.
    #[inline]
    pub fn word(&self, at: usize) -> &Word {
        debug_assert!(at < self.words);
        // SAFETY: the mapping has room for this many words, and lives as long as `self`; zeros are
        // a word, and nothing but atomics is in it.
        unsafe { self.start.add(at).as_ref() }
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        // SAFETY: this is the range that `new` mapped, and every reference into it borrowed `self`.
        unsafe { env::memory::unmap(self.start.cast(), Space::bytes(self.words, self.pages)) };
    }
}
