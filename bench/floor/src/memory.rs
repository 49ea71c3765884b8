//! Rows in an arena, and hash indexes over them.
//!
//! A row is a few words: the stamps of its beginning and end, a link for each index, its columns.
//! It is named by where it is in the arena, counted in words; 0 is not a row. Threads take chunks
//! of the arena and fill them alone, so that rows need no allocator. Everything is an atomic word,
//! read and written without ordering except where a row is published: that is in the bucket's head.

use std::ops::Deref;
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// A word of a row.
pub type Word = AtomicU64;

/// Words that are taken from the system at a time, 32 MB: huge pages where the system gives them.
const CHUNK_WORDS: u64 = 1 << 22;
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Zeroed words of the system's memory, given back when dropped.
struct Words {
    start: NonNull<Word>,
    count: usize,
}

// SAFETY: the memory belongs to the value alone, and atomic words may be shared.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Words {
    fn new(count: usize) -> Words {
        let bytes = count * size_of::<Word>();
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory at a place of the system's choice.
        let start = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
        assert!(start != libc::MAP_FAILED, "the system has {bytes} bytes");
        // SAFETY: advice about memory that this allocation owns; where it is refused, pages are
        // small.
        unsafe { libc::madvise(start, bytes, libc::MADV_HUGEPAGE) };
        let start = NonNull::new(start.cast()).expect("the system does not map address 0");
        Words { start, count }
    }

    /// Touches all of it, so that the system provides it now.
    fn touch(&self) {
        for word in self.iter().step_by(4096 / size_of::<Word>()) {
            word.store(0, Relaxed);
        }
    }
}

impl Deref for Words {
    type Target = [Word];

    fn deref(&self) -> &[Word] {
        // SAFETY: the memory is there until this is dropped, aligned to pages, and zeros are atomic
        // words.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: what was mapped; nothing borrows it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.count * size_of::<Word>()) };
    }
}

/// Where rows are.
pub struct Arena {
    chunks: Vec<OnceLock<Words>>,
    taken: AtomicUsize,
}

impl Arena {
    /// One for this many bytes at most, which the system provides as they are used.
    pub fn new(bytes_max: usize) -> Arena {
        let chunks = bytes_max.div_ceil(CHUNK_WORDS as usize * size_of::<Word>()).max(1);
        Arena { chunks: (0..chunks).map(|_| OnceLock::new()).collect(), taken: AtomicUsize::new(0) }
    }

    /// The words of a row, and those after it in its chunk.
    pub fn row(&self, row: u64) -> &[Word] {
        let chunk = self.chunks[(row / CHUNK_WORDS) as usize].get().expect("the row was made");
        &chunk[(row % CHUNK_WORDS) as usize..]
    }

    /// Forgets all rows; their memory stays, so that what comes next does not wait for the system.
    pub fn clear(&mut self) {
        *self.taken.get_mut() = 0;
    }

    /// A part of the arena for one thread.
    pub fn part(&self) -> Part<'_> {
        Part { arena: self, next: 0, end: 0 }
    }
}

/// Where one thread makes rows.
pub struct Part<'a> {
    arena: &'a Arena,
    next: u64,
    end: u64,
}

impl<'a> Part<'a> {
    /// Words for a row; none when the arena is full.
    pub fn make(&mut self, size: u64) -> Option<(u64, &'a [Word])> {
        if self.end - self.next < size {
            let chunk = self.arena.taken.fetch_add(1, Relaxed);
            let place = self.arena.chunks.get(chunk)?;
            place.get_or_init(|| Words::new(CHUNK_WORDS as usize));
            let start = chunk as u64 * CHUNK_WORDS;
            // Word 0 is no row's.
            (self.next, self.end) = (start.max(8), start + CHUNK_WORDS);
        }
        let row = self.next;
        self.next += size;
        Some((row, &self.arena.row(row)[..size as usize]))
    }

    /// A row that was made before, by whomever.
    pub fn row(&self, row: u64) -> &'a [Word] {
        self.arena.row(row)
    }
}

/// Buckets of rows, chained by one of the rows' words.
pub struct HashIndex {
    buckets: Words,
    shift: u32,
    link: usize,
}

impl HashIndex {
    /// One with at least this many buckets; rows are chained by this word of theirs.
    pub fn new(buckets: usize, link: usize) -> HashIndex {
        let count = buckets.next_power_of_two().max(HUGE_PAGE_BYTES / size_of::<Word>());
        let buckets = Words::new(count);
        buckets.touch();
        HashIndex { buckets, shift: 64 - count.trailing_zeros(), link }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.buckets.iter().for_each(|bucket| bucket.store(0, Relaxed));
    }

    /// Prefetches the key's bucket into the cache while the thread does something else.
    pub fn fetch(&self, key: u64) {
        let bucket: *const Word = self.bucket(key);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint, which reads nothing, and every processor of this kind has it.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(bucket.cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = bucket; // the processor finds out by itself, later
    }

    /// The bucket of a key.
    fn bucket(&self, key: u64) -> &Word {
        let hash = (key ^ (key >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        &self.buckets[(hash >> self.shift) as usize]
    }

    /// Puts a row into the bucket of its key; readers see all of it from then on.
    pub fn insert(&self, key: u64, row: u64, words: &[Word]) {
        let bucket = self.bucket(key);
        let mut head = bucket.load(Relaxed);
        loop {
            words[self.link].store(head, Relaxed);
            // Pairs with the Acquire of find().
            match bucket.compare_exchange_weak(head, row, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// The first row of the key's bucket that is the right one.
    pub fn find<'a>(
        &self,
        arena: &'a Arena,
        key: u64,
        is_it: impl Fn(&[Word]) -> bool,
    ) -> Option<&'a [Word]> {
        let mut row = self.bucket(key).load(Acquire); // pairs with the Release of insert()
        while row != 0 {
            let words = arena.row(row);
            if is_it(words) {
                return Some(words);
            }
            row = words[self.link].load(Relaxed);
        }
        None
    }

    /// How many rows of the key's bucket are the right ones.
    pub fn count(&self, arena: &Arena, key: u64, is_it: impl Fn(&[Word]) -> bool) -> u64 {
        let (mut count, mut row) = (0, self.bucket(key).load(Acquire)); // pairs with insert()
        while row != 0 {
            let words = arena.row(row);
            count += u64::from(is_it(words));
            row = words[self.link].load(Relaxed);
        }
        count
    }
}

#[cfg(test)]
mod tests;
