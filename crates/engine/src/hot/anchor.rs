//! Anchors and versions: the raw memory of a row.
//!
//! ```text
//! anchor    head: u64 | link[0..n]: u64 | inline version
//! inline    begin: u64 | row bytes
//! others    older: u64 | begin: u64 | row bytes
//! ```
//!
//! A version is named by the address of its begin word, so that the row bytes are found without
//! knowing which of the two it is. All words are at multiples of 8, so that the low three bits of a
//! pointer are free for tags; user addresses fit 48 bits, so that the high 16 bits are free too.
//!
//! # Words
//!
//! * A **begin word** is a commit stamp (a multiple of 16 below 2^63) or an owner: bit 63 set,
//!   bits 62–43 the transaction's slot, bits 42–4 the statement number. That of an inline version
//!   has [`ROW_IS_BACK`] beside this if the row came back from the cold store ([`Origin`]).
//! * A **chain word** says which versions follow: the one at the address, or, with [`INLINE`] set,
//!   the inline one and after that the one at the address; the address 0 ends the chain. So the
//!   inline version needs no pointer of its own, wherever in the chain it is.
//! * **head** is either the chain word of all versions, or a begin word with [`DELETED`] set: then
//!   the inline version is the only one, and it was deleted by that owner or at that stamp.
//! * **older** is the chain word of what is below the version, with [`TOMBSTONE`] if this version
//!   is a deletion without row bytes, and [`OF_ROW_BACK`] if its row came back.
//! * **link** words belong to the indexes.
//!
//! # Invariants
//!
//! * H1: the row bytes of a version never change once its address has been published (A3).
//! * H2: an anchor or version reached under an epoch guard is not freed while the guard lives;
//!   a version visible to a registered snapshot is not freed while that snapshot is registered.
//! * H3: the inline version's row bytes always hold the anchor's keys, even when it is dead, so
//!   that an index can read a key from there (A4).
//! * H4: an anchor's origin never changes: what replaces the begin word of its inline version keeps
//!   the tag ([`VersionPtr::replace_inline_begin`]), and all its other versions have theirs.

use std::ptr::NonNull;

use crate::sync::Word;
use crate::sync::atomic::Ordering::{self, Relaxed};

/// Tag of a head word: the row's newest version is the inline one, and it is deleted.
pub const DELETED: u64 = 1;
/// Tag of a head word: a writer is filling the dead inline slot; other writers wait for the few
/// instructions that it takes, readers ignore it.
pub const CLAIMED: u64 = 2;
/// Tag of a chain word: the inline version comes first.
pub const INLINE: u64 = 4;
/// Tag of an older word: this version is a deletion and has no row bytes.
pub const TOMBSTONE: u64 = 1;
/// Tag of an older word, beside [`TOMBSTONE`]: the row moved to another key, and the eight bytes
/// behind the begin word are the address of its new anchor.
pub const MOVED: u64 = 1 << 48;
/// Tag of an older word: the sink has unlinked the version from its chain, since the cold store has
/// it for the snapshots that may still see it. It is freed when no statement can reach it.
pub const RELEASED: u64 = 1 << 49;
/// Tag of an older word: the version belongs to a row that came back from the cold store.
pub const OF_ROW_BACK: u64 = 1 << 50;
/// Tag of the begin word of an inline version: the row came back from the cold store, whatever the
/// version in this place is now.
pub const ROW_IS_BACK: u64 = 8;
/// The bits that hold an address.
pub const ADDRESS_MASK: u64 = 0x0000_FFFF_FFFF_FFF8;
/// The bits of a chain word that say what follows.
pub const CHAIN_MASK: u64 = ADDRESS_MASK | INLINE;
/// Every anchor and version is aligned to this.
pub const ALIGN: usize = WORD;

const WORD: usize = 8;

/// Points to an anchor. Plain data: code that follows it must keep the anchor alive (H2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct AnchorPtr(NonNull<u8>);

/// Points to a version; see [`AnchorPtr`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct VersionPtr(NonNull<u8>);

// SAFETY: the pointer is plain data; following it takes an unsafe call, whose contract says what
// protects the memory.
unsafe impl Send for AnchorPtr {}
// SAFETY: as above.
unsafe impl Sync for AnchorPtr {}
// SAFETY: as above.
unsafe impl Send for VersionPtr {}
// SAFETY: as above.
unsafe impl Sync for VersionPtr {}

/// How a row came into memory. Kept for rows that can sink alone; others are all `Inserted`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A transaction has inserted it, or recovery has found it in files or in the log alone.
    Inserted,
    /// It was in the cold store, and came back to be changed.
    Back,
}

impl Origin {
    /// What the begin word of an inline version says.
    pub fn of_begin(word: u64) -> Origin {
        if word & ROW_IS_BACK == 0 { Origin::Inserted } else { Origin::Back }
    }

    /// What the older word of another version says.
    pub fn of_older(word: u64) -> Origin {
        if word & OF_ROW_BACK == 0 { Origin::Inserted } else { Origin::Back }
    }

    /// The tag of begin words of inline versions.
    pub fn in_begin(self) -> u64 {
        if self == Origin::Back { ROW_IS_BACK } else { 0 }
    }

    /// The tag of older words.
    pub fn in_older(self) -> u64 {
        if self == Origin::Back { OF_ROW_BACK } else { 0 }
    }
}

/// Bytes of an anchor with this many links and a row of this length, without rounding.
pub const fn anchor_size(links: usize, row_len: usize) -> usize {
    inline_offset(links) + WORD + row_len
}

/// Bytes of a version that is not inline, without rounding.
pub const fn version_size(row_len: usize) -> usize {
    2 * WORD + row_len
}

/// Where the inline version starts: after head and links.
pub const fn inline_offset(links: usize) -> usize {
    WORD * (1 + links)
}

impl AnchorPtr {
    /// Stands for the anchor of a row that is not in memory. It is the highest address, at which no
    /// allocation lies, and is never followed.
    pub const COLD: AnchorPtr = {
        match NonNull::new(std::ptr::without_provenance_mut(ADDRESS_MASK as usize)) {
            Some(last) => AnchorPtr(last),
            None => panic!("it is not the first"),
        }
    };

    /// Whether the row is not in memory.
    #[inline]
    pub fn is_cold(self) -> bool {
        self == AnchorPtr::COLD
    }

    /// The anchor at this address, which [`AnchorPtr::address`] gave, or `None` for 0.
    pub(crate) fn from_address(address: u64) -> Option<AnchorPtr> {
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

    /// Makes fresh memory an anchor, and writes its first words: a head that leads to the inline
    /// version alone, and empty links.
    ///
    /// # Safety
    /// The caller has exclusive access to the memory, which is large enough for this many links.
    pub unsafe fn create(memory: NonNull<u8>, links: usize) -> AnchorPtr {
        let words = memory.cast::<u64>();
        // SAFETY: the caller has exclusive access to memory for these words; it is word-aligned.
        unsafe {
            words.write(INLINE);
            for ordinal in 0..links {
                words.add(1 + ordinal).write(0);
            }
        }
        AnchorPtr(memory)
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
    pub(crate) fn from_address(address: u64) -> Option<VersionPtr> {
        debug_assert_eq!(address & !ADDRESS_MASK, 0, "tags are masked off first");
        NonNull::new(address as *mut u8).map(VersionPtr)
    }

    /// The version whose row bytes start at `row`, which [`VersionPtr::row`] returned.
    pub(crate) fn of_row(row: *const u8) -> Option<VersionPtr> {
        VersionPtr::from_address((row as u64).checked_sub(WORD as u64)?)
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
        // SAFETY: the caller keeps the version alive; the address is that of an initialised word.
        unsafe { self.0.cast().as_ref() }
    }

    /// The older word.
    ///
    /// # Safety
    /// As for [`VersionPtr::begin`]; the version is not inline.
    pub unsafe fn older<'a>(self) -> &'a Word {
        // SAFETY: such a version has the word before its begin word.
        unsafe { self.0.sub(WORD).cast().as_ref() }
    }

    /// Writes the begin word of an inline version in fresh memory.
    ///
    /// # Safety
    /// The caller has exclusive access to the memory.
    pub unsafe fn initialise_inline(self, begin: u64) {
        // SAFETY: the caller has exclusive access to the memory, which is word-aligned.
        unsafe { self.0.cast::<u64>().write(begin) };
    }

    /// Replaces the begin word of an inline version. The row keeps its origin (H4).
    ///
    /// # Safety
    /// As for [`VersionPtr::begin`]; no other thread writes the word.
    pub unsafe fn replace_inline_begin(self, begin: u64, order: Ordering) {
        // SAFETY: the caller promises that the version is protected.
        let word = unsafe { self.begin() };
        word.store(begin | word.load(Relaxed) & ROW_IS_BACK, order);
    }

    /// Makes fresh memory a version that is not inline, and writes the words before its row.
    ///
    /// # Safety
    /// The caller has exclusive access to the memory, which is large enough.
    pub unsafe fn create(memory: NonNull<u8>, begin: u64, older: u64) -> VersionPtr {
        let words = memory.cast::<u64>();
        // SAFETY: the caller has exclusive access to word-aligned memory with room for both words.
        unsafe {
            words.write(older);
            words.add(1).write(begin);
            VersionPtr(memory.add(WORD))
        }
    }

    /// The memory of a version that is not inline.
    ///
    /// # Safety
    /// It came from [`VersionPtr::create`].
    pub unsafe fn memory(self) -> NonNull<u8> {
        // SAFETY: `create` placed the version one word into its memory.
        unsafe { self.0.sub(WORD) }
    }

    /// The new anchor's address in a tombstone of a row that has moved, or 0.
    ///
    /// # Safety
    /// As for [`VersionPtr::begin`]; the version has [`MOVED`] set.
    pub unsafe fn moved_to<'a>(self) -> &'a Word {
        // SAFETY: such a tombstone has room for an aligned word behind its begin word.
        unsafe { self.0.add(WORD).cast().as_ref() }
    }

    /// Where the row bytes start. A tombstone has none.
    pub fn row(self) -> NonNull<u8> {
        // SAFETY: every version's allocation reaches at least to the end of its begin word.
        unsafe { self.0.add(WORD) }
    }
}

impl VersionPtr {
    /// The version whose copy starts at `copy`, begin word first.
    pub(crate) fn of_copy(copy: &[u128]) -> VersionPtr {
        VersionPtr(NonNull::from(copy).cast())
    }
}

/// A version of a row, valid while the snapshot that it was read at is registered. For a row that
/// is not in memory ([`AnchorPtr::COLD`]) it is a copy, valid as long as its cursor or arena keeps
/// it. Plain data: see [`AnchorPtr`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowAt {
    /// The row.
    pub anchor: AnchorPtr,
    /// The version that the snapshot sees.
    pub version: VersionPtr,
}

/// Bytes before the row bytes of a version, from its address on.
pub const HEADER_LEN: usize = WORD;
