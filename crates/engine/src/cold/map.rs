//! The page map: for each page's number one word that says where its current image is. The look-up
//! is an index into an array.
//!
//! In memory the words lie in chunks that are made as numbers grow. A chunk has the words of one
//! map page on disk; beside each it keeps the word in the durable root, and a bit that says whether
//! the page has changed since the last checkpoint was captured.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use env::memory;

use super::page::{BODY_BYTES, PageNumber};
use super::place::{DiskWord, FrameNumber, MapWord};
use super::root::DIRECTORY_MAX;
use crate::sync::Word;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use crate::sync::parking::Mutex;

/// Words of a chunk, and of a map page.
pub const CHUNK_WORDS: usize = BODY_BYTES / 8;
/// Chunks that a directory of the greatest length can name.
const CHUNKS_MAX: usize = DIRECTORY_MAX * CHUNK_WORDS;
/// Numbers that a map can hold: 32 TB of pages.
pub const NUMBERS_MAX: u64 = (CHUNKS_MAX * CHUNK_WORDS) as u64;

/// The words of one map page. Zeros are a chunk of free pages.
#[repr(C)]
pub struct Chunk {
    /// [`MapWord`]s. A frame is linked with Release and found with Acquire (F1).
    words: [Word; CHUNK_WORDS],
    /// [`DiskWord`]s in the durable root, or 0. Read and written only while the checkpoint's state
    /// is locked.
    durable: [Word; CHUNK_WORDS],
    /// A bit for each page that has changed. A publication sets it, a capture takes it. SeqCst
    /// orders it with `listed`, so that a bit that a capture misses puts the chunk on the list
    /// again.
    changed: [Word; CHUNK_WORDS.div_ceil(64)],
    /// 1 if the chunk is in the map's list of changed chunks.
    listed: Word,
}

/// Where all pages of a store are.
pub struct Map {
    /// Null where no chunk has been made. Each is written once, under the lock of `changed`.
    chunks: Chunks,
    /// No chunk from this one on has been made. Written under the same lock.
    made: AtomicUsize,
    /// Chunks with changed pages.
    changed: Mutex<Vec<usize>>,
}

/// A mapping of [`CHUNKS_MAX`] pointers, of which only the parts that are touched take memory.
struct Chunks(NonNull<AtomicPtr<Chunk>>);

// SAFETY: `Chunks` owns the mapping, which holds atomics; threads access it only as such.
unsafe impl Send for Chunks {}
// SAFETY: as above.
unsafe impl Sync for Chunks {}

impl Chunks {
    fn layout() -> Layout {
        let words = Layout::array::<AtomicPtr<Chunk>>(CHUNKS_MAX).expect("it is 32 MB");
        words.align_to(memory::DIRECT_ALIGN).expect("a power of two").pad_to_align()
    }

    /// All pointers are null.
    fn new() -> Chunks {
        let layout = Chunks::layout();
        let start = memory::map(layout.size(), layout.align());
        Chunks(start.unwrap_or_else(|_| handle_alloc_error(layout)).cast())
    }
}

impl Deref for Chunks {
    type Target = [AtomicPtr<Chunk>];

    #[inline]
    fn deref(&self) -> &[AtomicPtr<Chunk>] {
        // SAFETY: the mapping has room for `CHUNKS_MAX` pointers and lives as long as `self`; zeros
        // are null pointers.
        unsafe { slice::from_raw_parts(self.0.as_ptr(), CHUNKS_MAX) }
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        // SAFETY: `new` mapped this range, and no other thread has it.
        unsafe { memory::unmap(self.0.cast(), Chunks::layout().size()) };
    }
}

/// Allocates a chunk of free pages.
fn new_chunk() -> *mut Chunk {
    let layout = Layout::new::<Chunk>();
    // SAFETY: the layout is not empty.
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        handle_alloc_error(layout);
    }
    memory.cast()
}

impl Map {
    /// A map without pages.
    pub fn new() -> Map {
        Map { chunks: Chunks::new(), made: AtomicUsize::new(0), changed: Mutex::default() }
    }

    #[inline]
    fn chunk(&self, number: usize) -> Option<&Chunk> {
        let chunk = self.chunks.get(number)?.load(Acquire); // pairs with ensure
        // SAFETY: chunks live as long as the map.
        unsafe { chunk.as_ref() }
    }

    #[inline]
    fn word(&self, page: PageNumber) -> Option<&Word> {
        let number = page.0 as usize;
        Some(&self.chunk(number / CHUNK_WORDS)?.words[number % CHUNK_WORDS])
    }

    fn known(&self, page: PageNumber) -> &Word {
        self.word(page).expect("the page's chunk has been made")
    }

    /// Makes sure that there is a word for this page.
    pub fn ensure(&self, page: PageNumber) {
        assert!(page.0 < NUMBERS_MAX, "page numbers are bounded");
        let number = page.0 as usize / CHUNK_WORDS;
        let place = &self.chunks[number];
        if !place.load(Relaxed).is_null() {
            return;
        }
        let _making = self.changed.lock();
        if place.load(Relaxed).is_null() {
            place.store(new_chunk(), Release); // pairs with chunk
            self.made.fetch_max(number + 1, Relaxed);
        }
    }

    /// Where the page is.
    #[inline]
    pub fn get(&self, page: PageNumber) -> MapWord {
        // Pairs with the Release of the thread that linked it (F1).
        self.word(page).map_or(MapWord::Free, |word| MapWord::from_bits(word.load(Acquire)))
    }

    /// Changes the page's word from `from` to `to`. If it is another word, returns that.
    pub fn exchange(&self, page: PageNumber, from: MapWord, to: MapWord) -> Result<(), MapWord> {
        let (from, to) = (from.to_bits(), to.to_bits());
        let exchanged = self.known(page).compare_exchange(from, to, AcqRel, Acquire);
        exchanged.map(|_| ()).map_err(MapWord::from_bits)
    }

    /// Gives the page a new image, or frees it. Returns the old word.
    pub fn publish(&self, page: PageNumber, word: MapWord) -> MapWord {
        let old = self.known(page).swap(word.to_bits(), AcqRel);
        self.mark_changed(page);
        MapWord::from_bits(old)
    }

    /// Marks the page's word to be written by the next checkpoint.
    pub fn mark_changed(&self, page: PageNumber) {
        let (number, place) = (page.0 as usize / CHUNK_WORDS, page.0 as usize % CHUNK_WORDS);
        let chunk = self.chunk(number).expect("the page's chunk has been made");
        let (bits, bit) = (&chunk.changed[place / 64], 1 << (place % 64));
        if bits.load(Relaxed) & bit != 0 {
            return;
        }
        bits.fetch_or(bit, SeqCst);
        if chunk.listed.load(SeqCst) == 0 && chunk.listed.swap(1, SeqCst) == 0 {
            self.changed.lock().push(number);
        }
    }

    /// Takes the pages that have changed since the last call, in order.
    pub fn take_changed(&self) -> Vec<PageNumber> {
        let mut numbers = std::mem::take(&mut *self.changed.lock());
        numbers.sort_unstable();
        let mut pages = Vec::new();
        for number in numbers {
            let chunk = self.chunk(number).expect("listed chunks have been made");
            chunk.listed.store(0, SeqCst);
            for (word, bits) in chunk.changed.iter().enumerate() {
                let mut bits = bits.swap(0, SeqCst);
                while bits != 0 {
                    let place = word * 64 + bits.trailing_zeros() as usize;
                    pages.push(PageNumber((number * CHUNK_WORDS + place) as u64));
                    bits &= bits - 1;
                }
            }
        }
        pages
    }

    /// Lists the pages in memory, in order. A page may have changed by the time the caller looks at
    /// it.
    pub fn resident(&self) -> impl Iterator<Item = (PageNumber, FrameNumber)> + '_ {
        let made = self.made.load(Relaxed);
        let numbers = (0..made).filter(|&number| self.chunk(number).is_some());
        numbers
            .flat_map(|number| (0..CHUNK_WORDS).map(move |word| number * CHUNK_WORDS + word))
            .filter_map(|number| match self.get(PageNumber(number as u64)) {
                MapWord::Frame(frame) => Some((PageNumber(number as u64), frame)),
                _ => None,
            })
    }

    /// Where the durable root has the page. For the checkpoint.
    pub fn durable(&self, page: PageNumber) -> Option<DiskWord> {
        let number = page.0 as usize;
        let chunk = self.chunk(number / CHUNK_WORDS)?;
        DiskWord::from_bits(chunk.durable[number % CHUNK_WORDS].load(Relaxed))
    }

    /// Sets where the durable root has the page. For the checkpoint.
    pub fn set_durable(&self, page: PageNumber, word: Option<DiskWord>) {
        let number = page.0 as usize;
        let chunk = self.chunk(number / CHUNK_WORDS).expect("the page's chunk has been made");
        let bits = word.map_or(0, DiskWord::to_bits);
        chunk.durable[number % CHUNK_WORDS].store(bits, Relaxed);
    }

    /// Adds a page that the durable root has at this place. For opening.
    pub fn restore(&self, page: PageNumber, word: DiskWord) {
        self.ensure(page);
        self.known(page).store(MapWord::Disk(word).to_bits(), Relaxed);
        self.set_durable(page, Some(word));
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        let made = *self.made.get_mut();
        for chunk in self.chunks[..made].iter().map(|chunk| chunk.load(Relaxed)) {
            if chunk.is_null() {
                continue;
            }
            // SAFETY: `new_chunk` allocated it with a box's layout, and no other thread has the
            // map.
            drop(unsafe { Box::from_raw(chunk) });
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
