//! Frames: the memory that images live in, and the rules of its use.
//!
//! The address space is reserved once. A frame takes memory from when it is first touched until it
//! is discarded. The page's first bytes, which hold the checksummed header on disk, hold the
//! frame's state in memory, so that a look-up that marks the frame touches no further cache line.
//!
//! # Life of a frame
//!
//! ```text
//! free → private (its owner's reference) → linked (the map's reference and pins) → unlinked → free
//! ```
//!
//! # Invariants
//!
//! * F1: a body is written only while its frame is private; the thread that links it publishes with
//!   Release and a thread that finds it in the map reads with Acquire.
//! * F2: the map's reference is dropped only when all guards have ended that were alive when the
//!   frame was unlinked. So a thread that finds a frame in the map under a guard may read it under
//!   that guard, and may add a reference, since there is at least one.
//! * F3: the thread that drops the last reference makes the frame free.

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU32};

use super::page::{Body, PAGE_BYTES, PAGE_HEADER_BYTES, PageNumber};
use super::place::{DiskWord, FrameNumber};
use crate::sync::Word;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::atomic::fence;

/// A frame's state, in the place of its page's header. Zeros are the state of a frame that was
/// never used.
#[repr(C)]
pub struct FrameState {
    /// References in the lower half; in the upper half the frame's life: how often it has been
    /// taken.
    counts: Word,
    /// The store's slot in the upper 16 bits, the page below. Written while private.
    identity: Word,
    /// Where this image is on disk: a [`DiskWord`]; 0 if it is not there (the frame is dirty);
    /// [`SUPERSEDED`] if a newer image has superseded it. The thread that writes the image to disk
    /// changes 0 to a word, and the thread that supersedes the image changes any value to
    /// [`SUPERSEDED`]: so exactly one of them learns of the place.
    disk: Word,
    /// Whether the frame was read since the replacement last looked at it. Readers set it if it is
    /// not set; a hint, so all accesses are relaxed.
    referenced: AtomicU8,
    /// How the replacement treats it; see [`FrameState::set_marks`].
    marks: AtomicU8,
    _spare: [u8; 2],
    /// When the image came into memory, in seconds since the pool was made.
    since: AtomicU32,
}

const _: () = assert!(size_of::<FrameState>() == PAGE_HEADER_BYTES);

/// The value of `disk` for a superseded image.
const SUPERSEDED: u64 = 0b11;
const ONE_LIFE: u64 = 1 << 32;
const REFERENCES: u64 = ONE_LIFE - 1;
const STORE_SHIFT: u32 = 48;

/// The frame belongs to the main queue: its page was used again after it came in.
pub const MARK_MAIN: u8 = 1;
/// A scan brought the page in, and it was not used in a round of the small queue yet.
pub const MARK_SCAN: u8 = 2;

/// Where an image is on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnDisk {
    /// Not on disk: the frame is dirty.
    Nowhere,
    /// At this place.
    At(DiskWord),
    /// A newer image has superseded this one, which no reader will look for.
    Superseded,
}

impl OnDisk {
    fn from_bits(bits: u64) -> OnDisk {
        match bits {
            0 => OnDisk::Nowhere,
            SUPERSEDED => OnDisk::Superseded,
            bits => OnDisk::At(DiskWord::from_bits(bits).expect("only disk words are stored")),
        }
    }
}

impl FrameState {
    /// Begins a life of a free frame, with one reference: the caller's.
    pub fn begin(&self, since_s: u32) {
        let life = self.counts.load(Relaxed) & !REFERENCES;
        self.disk.store(0, Relaxed);
        self.referenced.store(0, Relaxed);
        self.marks.store(0, Relaxed);
        self.since.store(since_s, Relaxed);
        // A reader of a stale queue entry may see old and new fields mixed; the map decides what is
        // valid.
        self.counts.store(life.wrapping_add(ONE_LIFE) | 1, Release);
    }

    /// Sets the store and page of the image. The frame is private.
    pub fn set_identity(&self, store: u16, page: PageNumber) {
        self.identity.store(u64::from(store) << STORE_SHIFT | page.0, Relaxed);
    }

    /// Adds a reference. There is one already, as the caller knows (F2).
    pub fn pin(&self) {
        let before = self.counts.fetch_add(1, Relaxed);
        debug_assert!(before & REFERENCES != 0, "a frame with references is pinned");
    }

    /// Drops a reference. Returns whether it was the last.
    #[must_use]
    pub fn unpin(&self) -> bool {
        let before = self.counts.fetch_sub(1, Release); // pairs with the fence of the last one
        debug_assert!(before & REFERENCES != 0, "a frame is let go once");
        let last = before & REFERENCES == 1;
        if last {
            fence(Acquire); // pairs with the Release of earlier ones
        }
        last
    }

    /// How many references there are.
    pub fn references(&self) -> u32 {
        self.counts.load(Relaxed) as u32
    }

    /// The number of the frame's life.
    pub fn life(&self) -> u32 {
        (self.counts.load(Relaxed) >> 32) as u32
    }

    /// The image's store, by its slot, and its page.
    pub fn identity(&self) -> (u16, PageNumber) {
        let bits = self.identity.load(Relaxed);
        ((bits >> STORE_SHIFT) as u16, PageNumber(bits & ((1 << STORE_SHIFT) - 1)))
    }

    /// Where the image is on disk.
    pub fn on_disk(&self) -> OnDisk {
        OnDisk::from_bits(self.disk.load(Acquire)) // pairs with the changes below
    }

    /// Notes where the image was read from. The frame is private.
    pub fn set_clean(&self, word: DiskWord) {
        self.disk.store(word.to_bits(), Release); // pairs with on_disk
    }

    /// Notes where a dirty frame's image was written. If the frame is not dirty, returns where its
    /// image is.
    pub fn written(&self, word: DiskWord) -> Result<(), OnDisk> {
        self.moved(0, word)
    }

    /// Notes that the image was copied to another place, and is to be read there. If it was not at
    /// `from`, returns where it is.
    pub fn relocated(&self, from: DiskWord, to: DiskWord) -> Result<(), OnDisk> {
        self.moved(from.to_bits(), to)
    }

    fn moved(&self, from: u64, to: DiskWord) -> Result<(), OnDisk> {
        let exchanged = self.disk.compare_exchange(from, to.to_bits(), AcqRel, Acquire);
        exchanged.map(|_| ()).map_err(OnDisk::from_bits)
    }

    /// Marks the image as superseded by a newer one. Returns where it was on disk.
    pub fn supersede(&self) -> OnDisk {
        OnDisk::from_bits(self.disk.swap(SUPERSEDED, AcqRel))
    }

    /// Notes that the frame is read.
    #[inline]
    pub fn touch(&self) {
        if self.referenced.load(Relaxed) == 0 {
            self.referenced.store(1, Relaxed);
        }
    }

    /// Returns whether the frame was read since the last call, and clears the mark.
    pub fn take_referenced(&self) -> bool {
        self.is_referenced() && {
            self.referenced.store(0, Relaxed);
            true
        }
    }

    /// Whether the frame was read since [`FrameState::take_referenced`] was last called.
    pub fn is_referenced(&self) -> bool {
        self.referenced.load(Relaxed) != 0
    }

    /// How the replacement treats it: [`MARK_MAIN`], [`MARK_SCAN`].
    pub fn marks(&self) -> u8 {
        self.marks.load(Relaxed)
    }

    /// Sets the marks. Only the replacement may, under its lock, or the owner of a private frame.
    pub fn set_marks(&self, marks: u8) {
        self.marks.store(marks, Relaxed);
    }

    /// When the image came into memory, in seconds since the pool was made.
    pub fn since_s(&self) -> u32 {
        self.since.load(Relaxed)
    }
}

/// The memory of all frames.
#[derive(Debug)]
pub struct Frames {
    start: NonNull<u8>,
    count: u32,
}

// SAFETY: `Frames` owns the mapping. Its methods access it as atomics, or as bodies whose callers
// promise that no body is read while it is written (F1, F2).
unsafe impl Send for Frames {}
// SAFETY: as above.
unsafe impl Sync for Frames {}

impl Frames {
    /// Reserves address space for this many frames.
    pub fn new(count: u32) -> io::Result<Frames> {
        let start = env::memory::map(Frames::bytes(count), env::memory::HUGE_PAGE)?;
        Ok(Frames { start, count })
    }

    fn bytes(count: u32) -> usize {
        (count as usize * PAGE_BYTES).next_multiple_of(env::memory::HUGE_PAGE)
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    #[inline]
    fn address(&self, frame: FrameNumber) -> NonNull<u8> {
        debug_assert!(frame.0 < self.count);
        // SAFETY: frame numbers are below `count`, and the mapping has room for that many frames.
        unsafe { self.start.add(frame.0 as usize * PAGE_BYTES) }
    }

    /// A frame's state. It can be read at any time, but is reliable only for a holder of a
    /// reference.
    #[inline]
    pub fn state(&self, frame: FrameNumber) -> &FrameState {
        // SAFETY: the memory is mapped as long as `self` lives, aligned, and used as atomics only;
        // zeros are a state.
        unsafe { self.address(frame).cast().as_ref() }
    }

    /// A frame's body.
    ///
    /// # Safety
    /// For all of `'a` the frame is not free and its body is not written: the caller holds a
    /// reference, or found it in the map under a guard that lives that long (F1, F2).
    #[inline]
    pub unsafe fn body<'a>(&self, frame: FrameNumber) -> &'a Body {
        // SAFETY: the caller promises that the frame is not free and its body is not written during
        // `'a`; the body follows the header in the mapping.
        unsafe { self.address(frame).add(PAGE_HEADER_BYTES).cast().as_ref() }
    }

    /// A private frame's body.
    ///
    /// # Safety
    /// For all of `'a` the frame is private and the caller alone uses it (F1).
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "the caller has exclusive access")]
    pub unsafe fn body_mut<'a>(&self, frame: FrameNumber) -> &'a mut Body {
        // SAFETY: the caller promises that the frame is private and that it alone uses it during
        // `'a`; the body follows the header in the mapping.
        unsafe { self.address(frame).add(PAGE_HEADER_BYTES).cast().as_mut() }
    }

    /// Gives the memory of a free frame back to the system until it is used again.
    ///
    /// # Safety
    /// The frame is free, and no thread takes it meanwhile.
    pub unsafe fn discard(&self, frame: FrameNumber) {
        // SAFETY: the caller promises that the frame is free and that no thread takes it meanwhile.
        // The range is whole pages of the mapping (a frame is two). A reader of a stale queue entry
        // sees a zeroed state, which is of another life.
        unsafe { env::memory::discard(self.address(frame), PAGE_BYTES) };
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        // SAFETY: this is the range that `new` mapped, and no frame is in use: a reference to one
        // keeps the pool's memory alive.
        unsafe { env::memory::unmap(self.start, Frames::bytes(self.count)) };
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
