//! Anchors and versions: the raw memory of a row.
//!
//! ```text
//! anchor    head: u64 | link[0..n]: u64 | version (inline)
//! version   begin: u64 | older: u64 | row bytes
//! ```
//!
//! Both start at multiples of 16, so that the low four bits of a pointer are free for tags; user
//! addresses fit 48 bits, so that the high 16 bits are free too.
//!
//! # Words
//!
//! * A **begin word** is a commit stamp (a multiple of 16 below 2^63) or an owner: bit 63 set,
//!   bits 62–43 the transaction's slot, bits 42–4 the statement number.
//! * **head** is either a pointer to the newest version, or a begin word with [`DELETED`] set: then
//!   the newest version is the inline one, and it was deleted by that owner or at that stamp.
//! * **older** is a pointer to the version before (null at the end), with the layout number in its
//!   high 16 bits and [`TOMBSTONE`] in its low bits if this version is a deletion without row bytes.
//! * **link** words belong to the indexes.
//!
//! # Invariants
//!
//! * H1: the row bytes of a version never change once its address has been published (A3).
//! * H2: an anchor or version reached under an epoch guard is not freed while the guard lives;
//!   a version visible to a registered snapshot is not freed while that snapshot is registered.
//! * H3: the inline version's row bytes always hold the anchor's keys, even when it is dead, so
//!   that an index can read a key from there (A4).

use std::ptr::NonNull;

use crate::sync::Word;

/// Tag of a head word: the row's newest version is the inline one, and it is deleted.
pub const DELETED: u64 = 1;
/// Tag of a head word: a writer is filling the dead inline slot; other writers wait for the few
/// instructions that it takes, readers ignore it.
pub const CLAIMED: u64 = 2;
/// Tag of an older word: this version is a deletion and has no row bytes.
pub const TOMBSTONE: u64 = 1;
/// Tag of an older word: this version repeats the one before, and only kept others from changing
/// the row.
pub const LOCK: u64 = 2;
/// Tag of an older word, beside [`TOMBSTONE`]: the row went on under another key, and the eight bytes
/// behind the header are the address of its new anchor.
pub const MOVED: u64 = 4;
/// The low bits that hold tags.
pub const TAG_MASK: u64 = 0xF;
/// The bits that hold an address.
pub const ADDRESS_MASK: u64 = 0x0000_FFFF_FFFF_FFF0;
/// Every anchor and version is aligned to this.
pub const ALIGN: usize = 16;

const WORD: usize = 8;
const VERSION_HEADER: usize = 2 * WORD;

/// Points to an anchor. Plain data: whether it may be followed is the holder's business (H2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct AnchorPtr(NonNull<u8>);

/// Points to a version; see [`AnchorPtr`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct VersionPtr(NonNull<u8>);

// SAFETY: an address that nothing is done with is harmless on any thread; following it takes an unsafe
// call, which says what protects the memory.
unsafe impl Send for AnchorPtr {}
// SAFETY: as above.
unsafe impl Sync for AnchorPtr {}
// SAFETY: as above.
unsafe impl Send for VersionPtr {}
// SAFETY: as above.
unsafe impl Sync for VersionPtr {}

/// Bytes of an anchor with this many links and a row of this length, without rounding.
pub const fn anchor_size(links: usize, row_len: usize) -> usize {
    inline_offset(links) + VERSION_HEADER + row_len
}

/// Bytes of a version that is not inline, without rounding.
pub const fn version_size(row_len: usize) -> usize {
    VERSION_HEADER + row_len
}

/// Where the inline version starts: after head and links, rounded up to [`ALIGN`].
pub const fn inline_offset(links: usize) -> usize {
    (WORD * (1 + links)).next_multiple_of(ALIGN)
}

impl AnchorPtr {
    /// The anchor at this address, which [`AnchorPtr::address`] gave, or `None` for 0.
    pub fn from_address(address: u64) -> Option<AnchorPtr> {
        debug_assert_eq!(address & !ADDRESS_MASK, 0, "tags are masked off first");
        NonNull::new(address as *mut u8).map(AnchorPtr)
    }

    /// The address, a multiple of [`ALIGN`] below 2^48.
    pub fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// The head word.
    ///
    /// # Safety
    /// The anchor must be protected by an epoch guard or a registered snapshot (H2) for `'a`.
    pub unsafe fn head<'a>(self) -> &'a Word {
        // SAFETY: the caller keeps the anchor alive; it starts with an aligned, initialised word.
        unsafe { self.0.cast().as_ref() }
    }

    /// The link word of the index with this ordinal.
    ///
    /// # Safety
    /// As for [`AnchorPtr::head`]; `ordinal` must be below the table's number of links.
    pub unsafe fn link<'a>(self, ordinal: usize) -> &'a Word {
        // SAFETY: the anchor has that many aligned, initialised words after the head.
        unsafe { self.0.add(WORD * (1 + ordinal)).cast().as_ref() }
    }

    /// Writes the first words of fresh memory: a head that points to the inline version, and empty
    /// links.
    ///
    /// # Safety
    /// The memory is the caller's alone and large enough for this many links.
    pub unsafe fn initialise(self, links: usize) {
        let words = self.0.as_ptr().cast::<u64>();
        // SAFETY: the caller's promise; the memory is aligned to more than a word.
        unsafe {
            words.write(self.inline(links).address());
            for ordinal in 0..links {
                words.add(1 + ordinal).write(0);
            }
        }
    }

    /// The inline version of an anchor with this many links.
    ///
    /// # Safety
    /// `links` must be the table's number of links.
    pub unsafe fn inline(self, links: usize) -> VersionPtr {
        // SAFETY: the inline version lies inside the anchor's allocation.
        VersionPtr(unsafe { self.0.add(inline_offset(links)) })
    }
}

impl VersionPtr {
    /// The version at this address, or `None` for 0.
    pub fn from_address(address: u64) -> Option<VersionPtr> {
        debug_assert_eq!(address & !ADDRESS_MASK, 0, "tags are masked off first");
        NonNull::new(address as *mut u8).map(VersionPtr)
    }

    /// The address, a multiple of [`ALIGN`] below 2^48.
    pub fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// The begin word.
    ///
    /// # Safety
    /// The version must be protected for `'a` (H2).
    pub unsafe fn begin<'a>(self) -> &'a Word {
        // SAFETY: the caller keeps the version alive; it starts with an aligned, initialised word.
        unsafe { self.0.cast().as_ref() }
    }

    /// The older word.
    ///
    /// # Safety
    /// As for [`VersionPtr::begin`].
    pub unsafe fn older<'a>(self) -> &'a Word {
        // SAFETY: the second word of the version header.
        unsafe { self.0.add(WORD).cast().as_ref() }
    }

    /// Writes the header of fresh memory.
    ///
    /// # Safety
    /// The memory is the caller's alone and large enough.
    pub unsafe fn initialise(self, begin: u64, older: u64) {
        let words = self.0.as_ptr().cast::<u64>();
        // SAFETY: the caller's promise; the memory is aligned to more than a word.
        unsafe {
            words.write(begin);
            words.add(1).write(older);
        }
    }

    /// The new anchor's address in a tombstone of a row that has moved, or 0.
    ///
    /// # Safety
    /// As for [`VersionPtr::begin`]; the version has [`MOVED`] set.
    pub unsafe fn moved_to<'a>(self) -> &'a Word {
        // SAFETY: such a tombstone has room for an aligned word behind its header.
        unsafe { self.0.add(VERSION_HEADER).cast().as_ref() }
    }

    /// Where the row bytes start. A tombstone has none.
    pub fn row(self) -> NonNull<u8> {
        // SAFETY: every version's allocation reaches at least to the end of its header.
        unsafe { self.0.add(VERSION_HEADER) }
    }
}

impl VersionPtr {
    /// A version that was copied to memory of this shape, header first.
    pub fn of_copy(copy: &[u128]) -> VersionPtr {
        VersionPtr(NonNull::from(copy).cast())
    }
}

/// Bytes before a version's row bytes.
pub const HEADER_LEN: usize = VERSION_HEADER;

/// The layout number and the pointer in an older word.
pub fn split_older(word: u64) -> (u16, Option<VersionPtr>) {
    ((word >> 48) as u16, VersionPtr::from_address(word & ADDRESS_MASK))
}
