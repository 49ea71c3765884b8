//! The bucket array: entry points into a list that is ordered by hash.
//!
//! At **level** n there are 2^n buckets; a bucket is for the hashes that share their first n bits.
//! It is named by the first of these hashes, its **border**, so that a bucket has the same name at
//! every level that has it, and a doubling renames nothing.
//!
//! A bucket is one word, which is at the same time the list's own node at the border: it holds the
//! link to the next node. The words of the buckets that a level adds lie in a segment of their own,
//! which never moves. The buckets of the first level are in the list from the beginning.
//!
//! # Growing
//!
//! The thread that finds the table full begins a level: it allocates the segment. Each insert from
//! then on puts a [`Share`] of the level's buckets into the list, in the order of their borders, so
//! that the words that this reads and writes are adjacent. The thread that finishes the last share
//! publishes the level. The table is a bit too full in the meantime.
//!
//! A caller that knows how many rows it is about to insert grows the table first: putting a bucket
//! into the list passes all nodes between it and the bucket before, and before the inserts there
//! are nearly none.
//!
//! # Shrinking
//!
//! When there are far fewer keys than buckets, a lower level is published
//! ([`Buckets::begin_shrink`]). Once no thread is on its way in through a bucket that the lower
//! level lacks, those buckets are taken out of the list. Once no thread stands on one any more,
//! their memory goes back to the system ([`Buckets::end_shrink`]). Its addresses are kept for the
//! next growth, and because a prefetch reads buckets without a guard. Meanwhile the table does not
//! grow.

use std::alloc::{self, Layout};
use std::ptr::NonNull;
use std::slice;

use env::memory;

use crate::hot::index::count::Counts;
use crate::sync::Word;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicU32, AtomicU64};

/// An index begins with at most 2^20 buckets, whatever the hint: growing from there costs less than
/// memory that may not be needed and scans over empty buckets.
const FIRST_LEVEL_MAX: u32 = 20;
/// Low for the interleaving checker, so that most buckets have yet to be put into the list.
const FIRST_LEVEL_MIN: u32 = if cfg!(feature = "shuttle") { 1 } else { 3 };
/// 2^34 buckets take 128 GB.
const LEVEL_MAX: u32 = 34;
/// The most buckets that a table can have.
pub(super) const MAX: u64 = 1 << LEVEL_MAX;
/// Buckets that one insert puts into the list.
const SHARE: u64 = if cfg!(feature = "shuttle") { 1 } else { 16 };
/// Where the level is in [`Buckets::growth`].
const LEVEL_SHIFT: u32 = 48;
/// Flag in [`Buckets::growth`]: buckets are being removed.
const SHRINKING: u64 = 1 << 63;
/// Levels up to this one are never removed: their segments are too small to be given back to the
/// system.
const LEVEL_KEPT: u32 = if cfg!(any(test, feature = "shuttle")) { 1 } else { 18 };
/// A table shrinks when it has this many buckets for each key. Low in tests, so that they shrink.
const SPARE: u64 = if cfg!(any(test, feature = "shuttle")) { 2 } else { 8 };

/// Some buckets of the level that is being added, which one thread puts into the list.
pub(super) struct Share {
    level: u32,
    /// Number of the first of them among those that the level adds.
    first: u64,
    count: u64,
}

impl Share {
    /// The buckets' borders, in ascending order.
    pub(super) fn borders(&self) -> impl Iterator<Item = u64> {
        let shift = u64::BITS - self.level;
        // The last of the level's bits is set in the buckets that it adds.
        (self.first..self.first + self.count).map(move |n| (n << 1 | 1) << shift)
    }
}

#[derive(Debug)]
pub(super) struct Buckets {
    /// The number of buckets that the table was made for.
    hint: u64,
    /// The level of the first segment.
    first_level: u32,
    /// The current level, all of whose buckets are in the list.
    level: AtomicU32,
    /// The level that is being added or was added last, above [`LEVEL_SHIFT`], and how many of its
    /// buckets have been claimed; with [`SHRINKING`] while buckets are being removed. Growing
    /// threads change it by compare-exchange.
    growth: AtomicU64,
    /// How many buckets are in the list, unless buckets are being removed.
    linked: AtomicU64,
    /// Addresses of the segments: that of `first_level` has all its buckets, the others have those
    /// that their level adds. 0 if not allocated; written once.
    segments: [Word; LEVEL_MAX as usize + 1],
}

impl Buckets {
    /// About as many buckets as `hint`, within bounds. All words are 0.
    pub(super) fn new(hint: u64, counts: &Counts) -> Buckets {
        let wanted = hint.clamp(1, 1 << FIRST_LEVEL_MAX).next_power_of_two().ilog2();
        let first_level = wanted.clamp(FIRST_LEVEL_MIN, FIRST_LEVEL_MAX);
        let buckets = Buckets {
            hint,
            first_level,
            level: AtomicU32::new(first_level),
            growth: AtomicU64::new(complete(first_level)),
            linked: AtomicU64::new(1 << first_level),
            segments: [const { Word::new(0) }; LEVEL_MAX as usize + 1],
        };
        let segment = buckets.add_segment(first_level);
        counts.charge(segment, buckets.layout(first_level).size(), 0);
        buckets
    }

    /// The number of buckets.
    #[inline]
    pub(super) fn count(&self) -> u64 {
        1 << self.level.load(Relaxed)
    }

    /// The number of buckets that the table was made for, which it may not have begun with.
    pub(super) fn hint(&self) -> u64 {
        self.hint
    }

    /// The level of the first segment: all hashes of a bucket have at least this many bits in
    /// common.
    pub(super) fn first_level(&self) -> u32 {
        self.first_level
    }

    /// The border of the n-th bucket after the one with this border, at the current level.
    #[inline]
    pub(super) fn ahead(&self, border: u64, n: u64) -> Option<u64> {
        border.checked_add(n << (u64::BITS - self.level.load(Acquire)))
    }

    /// The border of the bucket that a hash falls into.
    #[inline]
    pub(super) fn border(&self, hash: u64) -> u64 {
        // Acquire: pairs with `finish_share`, so that the buckets are seen.
        hash & !(u64::MAX >> self.level.load(Acquire))
    }

    /// The words of the buckets of the first level, in the order of their borders.
    #[inline]
    pub(super) fn first_words(&self) -> &[Word] {
        let words = self.segments[self.first_level as usize].load(Relaxed) as *const Word;
        // SAFETY: `new` has allocated them, before any other thread knew of the buckets.
        unsafe { slice::from_raw_parts(words, 1 << self.first_level) }
    }

    /// The word of the bucket with this border, of a level that has been reached or is being added.
    #[inline]
    pub(super) fn word(&self, border: u64) -> &Word {
        let level = (u64::BITS - border.trailing_zeros()).max(self.first_level);
        let offset = if level == self.first_level {
            border >> (u64::BITS - level)
        } else {
            // The last of the level's bits is always set in the buckets that it adds.
            border >> (u64::BITS - level) >> 1
        };
        // Acquire: pairs with the installation in `add_segment`.
        let segment = self.segments[level as usize].load(Acquire) as *const Word;
        debug_assert!(!segment.is_null());
        // SAFETY: the level's segment is there, and it is that large.
        unsafe { &*segment.add(offset as usize) }
    }

    /// Begins to double the number of buckets, unless buckets are being added or removed.
    #[cold]
    pub(super) fn grow(&self, counts: &Counts) {
        let level = self.level.load(Acquire);
        if level == LEVEL_MAX {
            return;
        }
        // The caller's guard keeps the level from having gone down and up again since the load.
        if self.growth.load(Relaxed) == complete(level) {
            let segment = self.add_segment(level + 1);
            // Release: pairs with the claim, so that the segment is seen. Acquire: pairs with
            // `end_shrink`, which may have emptied it. If the exchange fails, another thread has
            // begun the level, or the table is about to shrink.
            let begun = u64::from(level + 1) << LEVEL_SHIFT;
            if self.growth.compare_exchange(complete(level), begun, AcqRel, Relaxed).is_ok() {
                counts.charge(segment, self.layout(level + 1).size(), 0);
            }
        }
    }

    /// The level that fits this many keys, if there are far too many buckets for them.
    pub(super) fn spare_level(&self, keys: u64) -> Option<u32> {
        let level = self.level.load(Relaxed);
        let enough = keys.saturating_mul(SPARE / 2).max(1).next_power_of_two().ilog2();
        let enough = enough.max(self.first_level).max(LEVEL_KEPT);
        (has_spare(level, keys) && enough < level).then_some(enough)
    }

    /// Publishes a lower level, unless buckets are being added: from now on threads enter through
    /// the buckets of that level. Returns the level before. One thread at a time calls this, and it
    /// must call [`Buckets::cancel_shrink`] or [`Buckets::end_shrink`] afterwards.
    pub(super) fn begin_shrink(&self, to: u32) -> Option<u32> {
        let from = self.level.load(Acquire);
        let begun = SHRINKING | complete(from);
        self.growth.compare_exchange(complete(from), begun, AcqRel, Relaxed).ok()?;
        self.level.store(to, Release);
        Some(from)
    }

    /// Goes back to the level before, unless that still has far too many buckets for this many
    /// keys. Called before any bucket is taken out of the list. Returns whether it went back.
    pub(super) fn cancel_shrink(&self, from: u32, keys: u64) -> bool {
        if has_spare(from, keys) {
            return false;
        }
        self.level.store(from, Release);
        self.growth.store(complete(from), Release);
        true
    }

    /// Gives back the memory of the levels above `to`, up to `from`.
    ///
    /// # Safety
    /// None of their buckets is in the list, and no thread stands on one any more.
    pub(super) unsafe fn end_shrink(&self, from: u32, to: u32, counts: &Counts) {
        for level in to + 1..=from {
            let (segment, layout) =
                (self.segments[level as usize].load(Relaxed), self.layout(level));
            let start = NonNull::new(segment as *mut u8).expect("the level was there");
            // SAFETY: the caller promises that the buckets are not used any more; the segment came
            // from `allocate` with this layout.
            unsafe { empty(start, layout) };
            counts.discharge(segment, layout.size(), 0);
        }
        self.linked.store(1 << to, Relaxed);
        self.growth.store(complete(to), Release); // pairs with `grow`
    }

    /// Claims some of the buckets that are still to be put into the list, if there are any.
    #[inline]
    pub(super) fn claim_share(&self) -> Option<Share> {
        let mut growth = self.growth.load(Relaxed);
        loop {
            if growth & SHRINKING != 0 {
                return None;
            }
            let (level, first) =
                ((growth >> LEVEL_SHIFT) as u32, growth & ((1 << LEVEL_SHIFT) - 1));
            let count = SHARE.min(added(level) - first);
            if count == 0 {
                return None;
            }
            match self.growth.compare_exchange(growth, growth + count, Acquire, Relaxed) {
                Ok(_) => return Some(Share { level, first, count }),
                Err(now) => growth = now,
            }
        }
    }

    /// Counts a share's buckets as linked, and publishes the level if it was the last share.
    /// Returns how many buckets the share has.
    pub(super) fn finish_share(&self, share: Share) -> usize {
        // AcqRel: the thread that finishes the last share sees what the others have linked.
        let linked = self.linked.fetch_add(share.count, AcqRel) + share.count;
        if linked == 1 << share.level {
            self.level.store(share.level, Release); // pairs with `border`
        }
        share.count as usize
    }

    /// The address of a level's segment; allocates it the first time.
    fn add_segment(&self, level: u32) -> u64 {
        let present = self.segments[level as usize].load(Acquire);
        if present != 0 {
            return present;
        }
        let layout = self.layout(level);
        let segment = allocate(layout);
        let address = segment.as_ptr() as u64;
        match self.segments[level as usize].compare_exchange(0, address, AcqRel, Acquire) {
            Ok(_) => address,
            Err(present) => {
                // SAFETY: just allocated, and no other thread has seen it.
                unsafe { free(segment, layout) };
                present
            }
        }
    }

    fn layout(&self, level: u32) -> Layout {
        let words = if level == self.first_level { 1 << level } else { added(level) as usize };
        Layout::array::<Word>(words).expect("levels are bounded")
    }

    /// Frees all segments.
    ///
    /// # Safety
    /// They are not used any more.
    pub(super) unsafe fn free(&self) {
        for (level, segment) in self.segments.iter().enumerate() {
            if let Some(segment) = NonNull::new(segment.load(Relaxed) as *mut u8) {
                // SAFETY: allocated with this layout.
                unsafe { free(segment, self.layout(level as u32)) };
            }
        }
    }
}

/// Allocates a segment of zeros. Large ones are on huge pages of their own, since every look-up
/// begins at a random bucket.
fn allocate(layout: Layout) -> NonNull<u8> {
    let segment = match layout.size() >= memory::HUGE_PAGE {
        true => memory::map(layout.size(), memory::HUGE_PAGE).ok(),
        // SAFETY: the layout is not empty.
        false => NonNull::new(unsafe { alloc::alloc_zeroed(layout) }),
    };
    segment.unwrap_or_else(|| alloc::handle_alloc_error(layout))
}

/// Gives the memory of a segment back to the system, and keeps its addresses; it is zeros again.
///
/// # Safety
/// It came from [`allocate`] with this layout, and what is in it is not needed any more.
unsafe fn empty(segment: NonNull<u8>, layout: Layout) {
    // SAFETY: the caller promises that the segment has this layout and that its contents are not
    // needed any more.
    unsafe {
        match layout.size() >= memory::HUGE_PAGE {
            true => memory::discard(segment, layout.size()),
            false => segment.write_bytes(0, layout.size()),
        }
    }
}

/// Frees a segment.
///
/// # Safety
/// It came from [`allocate`] with this layout, and it is not used any more.
unsafe fn free(segment: NonNull<u8>, layout: Layout) {
    // SAFETY: the caller promises that `allocate` gave the segment for this layout, by the same
    // branch, and that it is not used any more.
    unsafe {
        match layout.size() >= memory::HUGE_PAGE {
            true => memory::unmap(segment, layout.size()),
            false => alloc::dealloc(segment.as_ptr(), layout),
        }
    }
}

/// Whether a level has far too many buckets for this many keys.
fn has_spare(level: u32, keys: u64) -> bool {
    keys.saturating_mul(SPARE) < 1 << level
}

/// The value of [`Buckets::growth`] once all buckets of a level have been claimed.
const fn complete(level: u32) -> u64 {
    (level as u64) << LEVEL_SHIFT | added(level)
}

/// How many buckets a level adds to those before.
const fn added(level: u32) -> u64 {
    1 << (level - 1)
}
