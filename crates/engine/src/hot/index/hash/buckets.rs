//! The bucket array: places to enter a list that is ordered by hash.
//!
//! At **level** n there are 2^n buckets; a bucket is for the hashes that share their first n bits. It
//! is named by the first of these hashes, its **border**, so that a bucket has the same name at every
//! level that has it, and a doubling renames nothing.
//!
//! A bucket is one word, which is at the same time the list's own node at the border: it has the
//! link to what follows. The words of the buckets that a level adds lie in a segment of their own.
//! Segments are allocated when their level is reached and never move. The buckets of the first level
//! are in the list from the beginning, those of the others have to be put there.

use std::alloc::{self, Layout};

use crate::hot::index::count::Counts;
use crate::sync::Word;
use crate::sync::atomic::AtomicU32;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

/// An index begins with no more than 2^13 buckets, however many are hinted at: growing costs less than
/// memory that is not needed and scans over empty buckets.
const FIRST_LEVEL_MAX: u32 = 13;
/// Low for the interleaving checker, so that most buckets have yet to be put into the list.
const FIRST_LEVEL_MIN: u32 = if cfg!(feature = "shuttle") { 1 } else { 3 };
/// 2^34 buckets take 128 GB.
const LEVEL_MAX: u32 = 34;

#[derive(Debug)]
pub(super) struct Buckets {
    /// The level of the first segment.
    first_level: u32,
    /// The present level. Only rises, after its segment is there.
    level: AtomicU32,
    /// Addresses of the segments, the one of `first_level` with all its buckets, the others with
    /// those that their level adds. 0 if not allocated; written once.
    segments: [Word; LEVEL_MAX as usize + 1],
}

impl Buckets {
    /// About as many buckets as hinted at, within bounds. All words are 0.
    pub(super) fn new(hint: u64, counts: &Counts) -> Buckets {
        let wanted = hint.clamp(1, 1 << FIRST_LEVEL_MAX).next_power_of_two().ilog2();
        let first_level = wanted.clamp(FIRST_LEVEL_MIN, FIRST_LEVEL_MAX);
        let buckets = Buckets {
            first_level,
            level: AtomicU32::new(first_level),
            segments: [const { Word::new(0) }; LEVEL_MAX as usize + 1],
        };
        buckets.add_segment(first_level, counts);
        buckets
    }

    /// How many there are.
    #[inline]
    pub(super) fn count(&self) -> u64 {
        1 << self.level.load(Relaxed)
    }

    /// The level of the first segment: all hashes of a bucket have at least so many bits in common.
    pub(super) fn first_level(&self) -> u32 {
        self.first_level
    }

    /// The border of the n-th bucket after the one with this border, at the present level.
    #[inline]
    pub(super) fn ahead(&self, border: u64, n: u64) -> Option<u64> {
        border.checked_add(n << (u64::BITS - self.level.load(Acquire)))
    }

    /// The border of the bucket that a hash falls into.
    #[inline]
    pub(super) fn border(&self, hash: u64) -> u64 {
        // Acquire: pairs with `grow`, so that the segment is seen.
        hash & !(u64::MAX >> self.level.load(Acquire))
    }

    /// The word of the bucket with this border, of a level that has been reached.
    #[inline]
    pub(super) fn word(&self, border: u64) -> &Word {
        let level = (u64::BITS - border.trailing_zeros()).max(self.first_level);
        let offset = if level == self.first_level {
            border >> (u64::BITS - level)
        } else {
            // The last of the level's bits is always set in the buckets that it adds.
            border >> (u64::BITS - level) >> 1
        };
        // Acquire: pairs with the installation in `add_segment`, for borders read from the list.
        let segment = self.segments[level as usize].load(Acquire) as *const Word;
        debug_assert!(!segment.is_null());
        // SAFETY: the level has been reached, so its segment is there, and it is that large.
        unsafe { &*segment.add(offset as usize) }
    }

    /// Doubles their number.
    pub(super) fn grow(&self, counts: &Counts) {
        let level = self.level.load(Acquire);
        if level == LEVEL_MAX {
            return;
        }
        self.add_segment(level + 1, counts);
        // If it fails, another has done it.
        let _ = self.level.compare_exchange(level, level + 1, AcqRel, Relaxed);
    }

    fn add_segment(&self, level: u32, counts: &Counts) {
        let layout = self.layout(level);
        if self.segments[level as usize].load(Relaxed) != 0 {
            return;
        }
        // SAFETY: the layout is not empty. Zeros are valid words.
        let segment = unsafe { alloc::alloc_zeroed(layout) };
        if segment.is_null() {
            alloc::handle_alloc_error(layout);
        }
        let address = segment as u64;
        if self.segments[level as usize].compare_exchange(0, address, AcqRel, Relaxed).is_ok() {
            counts.charge(address, layout.size(), 0);
        } else {
            // SAFETY: just allocated, and nobody has seen it.
            unsafe { alloc::dealloc(segment, layout) };
        }
    }

    fn layout(&self, level: u32) -> Layout {
        let words = if level == self.first_level { 1 << level } else { 1 << (level - 1) };
        Layout::array::<Word>(words).expect("levels are bounded")
    }

    /// Frees all segments.
    ///
    /// # Safety
    /// Nobody uses them any more.
    pub(super) unsafe fn free(&self) {
        for (level, segment) in self.segments.iter().enumerate() {
            let address = segment.load(Relaxed);
            if address != 0 {
                // SAFETY: allocated with this layout.
                unsafe { alloc::dealloc(address as *mut u8, self.layout(level as u32)) };
            }
        }
    }
}
