//! Chunks: fixed numbers of places for anchors.

use std::ptr::NonNull;

use super::link::{PLACE, SLOT_SHIFT};
use crate::hot::anchor::{ADDRESS_MASK, AnchorPtr};
use crate::hot::heap::{free, rounded};
use crate::hot::index::count::Counts;
use crate::hot::index::memory::allocate;
use crate::sync::Word;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Whether the interleaving checker runs, for which chunks and segments are small.
pub(super) const TINY: bool = cfg!(feature = "shuttle");
/// Places in the chunks of the chain, which take 64, 128 and 256 bytes.
pub(super) const CHAIN: [usize; 3] = if TINY { [1, 1, 1] } else { [5, 13, 29] };
/// Places in a block, which takes 512 bytes. Different from those of the chain's chunks.
pub(super) const BLOCK: usize = if TINY { 2 } else { 61 };
/// Set in the bits of a killed block.
pub(super) const DEAD: u64 = 1 << 63;

/// Where the number of places is in [`Chunk::owner`].
const CAPACITY_SHIFT: u32 = 48;

/// The fixed part of a chunk. Its places follow.
#[repr(C)]
struct Chunk {
    /// A bit for each place that is taken. The bits of places that do not exist are always set,
    /// but for [`DEAD`].
    bits: Word,
    /// The address of the group and the number of places.
    owner: u64,
    /// In the chain: the next chunk or 0, written once. In a block: its index in the directory,
    /// written before it is published.
    next: Word,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ChunkPtr(NonNull<Chunk>);

/// Where a place was cleared.
pub(super) enum Unlinked {
    FromChain,
    /// In a block, which has this many taken places left.
    FromBlock {
        left: u32,
    },
}

impl ChunkPtr {
    /// Allocates a chunk whose first place is taken by an anchor. The anchor's link word is set.
    pub(super) fn create(
        group: u64,
        capacity: usize,
        anchor: AnchorPtr,
        link: &Word,
        counts: &Counts,
    ) -> ChunkPtr {
        // SAFETY: all writes are inside the memory, which this thread alone has.
        let chunk = unsafe {
            let memory = allocate(size(capacity));
            memory.write_bytes(0, size(capacity));
            let chunk = ChunkPtr(memory.cast());
            chunk.0.write(Chunk {
                bits: Word::new(!places(capacity) & !DEAD | 1),
                owner: group | (capacity as u64) << CAPACITY_SHIFT,
                next: Word::new(0),
            });
            chunk.slot(0).store(anchor.address(), Relaxed);
            chunk
        };
        link.store(chunk.address() | 1 << SLOT_SHIFT | PLACE, Relaxed);
        counts.charge(chunk.address(), rounded(size(capacity)), capacity);
        chunk
    }

    /// Frees a chunk that was never published.
    ///
    /// # Safety
    /// No other thread has seen it.
    pub(super) unsafe fn discard(self, counts: &Counts) {
        // SAFETY: the caller promises that no other thread has seen the chunk.
        unsafe {
            self.discharge(counts);
            self.free();
        }
    }

    pub(super) fn from_address(address: u64) -> ChunkPtr {
        ChunkPtr(NonNull::new(address as *mut Chunk).expect("the address of a chunk"))
    }

    pub(super) fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// # Safety
    /// The chunk is protected for `'g`.
    unsafe fn get<'g>(self) -> &'g Chunk {
        // SAFETY: the caller promises that the chunk is protected.
        unsafe { self.0.as_ref() }
    }

    /// The address of the group.
    ///
    /// # Safety
    /// The chunk is protected.
    pub(super) unsafe fn owner(self) -> u64 {
        // SAFETY: the caller promises that the chunk is protected.
        unsafe { self.get() }.owner & ADDRESS_MASK
    }

    unsafe fn capacity(self) -> usize {
        // SAFETY: the caller protects the chunk.
        (unsafe { self.get() }.owner >> CAPACITY_SHIFT) as usize
    }

    /// The next chunk of the chain, or a block's index.
    ///
    /// # Safety
    /// The chunk is protected for `'g`.
    pub(super) unsafe fn next<'g>(self) -> &'g Word {
        // SAFETY: the caller promises that the chunk is protected.
        &unsafe { self.get() }.next
    }

    /// # Safety
    /// The chunk is protected for `'g` and has that many places.
    #[inline]
    pub(super) unsafe fn slot<'g>(self, slot: u64) -> &'g Word {
        // SAFETY: the caller promises that the chunk is protected and has the place; places follow
        // the fixed part.
        unsafe { self.0.add(1).cast::<Word>().add(slot as usize).as_ref() }
    }

    /// The places that are taken, as bits.
    ///
    /// # Safety
    /// The chunk is protected.
    pub(super) unsafe fn taken(self) -> u64 {
        // SAFETY: the caller promises that the chunk is protected.
        unsafe {
            // Acquire: pairs with the claim, so that a reader that knows of an anchor finds it.
            self.get().bits.load(Acquire) & places(self.capacity())
        }
    }

    /// How many places of a block are taken.
    ///
    /// # Safety
    /// The block is protected.
    pub(super) unsafe fn taken_in_block(self) -> u32 {
        // SAFETY: the caller promises that the block is protected.
        (unsafe { self.get() }.bits.load(Relaxed) & places(BLOCK)).count_ones()
    }

    /// Puts an anchor into a free place and sets its link word. Returns how many places are taken
    /// then, or `None` if none was free or the block is dead.
    ///
    /// # Safety
    /// The chunk is protected.
    pub(super) unsafe fn place(self, anchor: AnchorPtr, link: &Word) -> Option<u32> {
        // SAFETY: the caller promises that the chunk is protected.
        let chunk = unsafe { self.get() };
        let mut bits = chunk.bits.load(Relaxed);
        loop {
            if bits & DEAD != 0 || bits | DEAD == u64::MAX {
                return None;
            }
            let slot = (!bits).trailing_zeros();
            // AcqRel: orders the claim after the clearing of the place (P2) and before a kill of
            // the block.
            let before = chunk.bits.fetch_or(1 << slot, AcqRel);
            if before & (1 << slot | DEAD) != 0 {
                bits = before;
                continue;
            }
            link.store(self.address() | u64::from(slot + 1) << SLOT_SHIFT | PLACE, Relaxed);
            // SAFETY: a bit that was clear belongs to a place. Release: pairs with the readers'
            // Acquire, so that they see the row.
            unsafe { self.slot(u64::from(slot)) }.store(anchor.address(), Release);
            return Some(((before | 1 << slot) & places(BLOCK)).count_ones());
        }
    }

    /// Empties a place.
    ///
    /// # Safety
    /// The chunk is protected, and the place is taken by the caller's anchor.
    pub(super) unsafe fn clear(self, slot: u64) -> Unlinked {
        // SAFETY: the caller promises that the chunk is protected, and its anchor keeps the place.
        unsafe {
            self.slot(slot).store(0, Relaxed);
            // Read before the bit is cleared: after that another thread may kill the block.
            let is_block = self.capacity() == BLOCK;
            let left = self.get().bits.fetch_and(!(1 << slot), AcqRel) & !(1 << slot);
            match is_block {
                true => Unlinked::FromBlock { left: (left & places(BLOCK)).count_ones() },
                false => Unlinked::FromChain,
            }
        }
    }

    /// Kills a block without anchors, so that it takes none any more. Returns whether this call
    /// has killed it.
    ///
    /// # Safety
    /// The block is protected.
    pub(super) unsafe fn kill(self) -> bool {
        let empty = !places(BLOCK) & !DEAD;
        // SAFETY: the caller promises that the block is protected.
        unsafe { self.get() }.bits.compare_exchange(empty, empty | DEAD, AcqRel, Relaxed).is_ok()
    }

    /// # Safety
    /// The chunk is protected.
    pub(super) unsafe fn discharge(self, counts: &Counts) {
        // SAFETY: the caller promises that the chunk is protected.
        let capacity = unsafe { self.capacity() };
        counts.discharge(self.address(), rounded(size(capacity)), capacity);
    }

    /// # Safety
    /// The caller has exclusive access to it.
    pub(super) unsafe fn free(self) {
        // SAFETY: the caller has exclusive access; the chunk was allocated with this size.
        unsafe { free(self.0.cast(), size(self.capacity())) }
    }
}

fn size(capacity: usize) -> usize {
    size_of::<Chunk>() + capacity * size_of::<Word>()
}

/// The bits of this many places.
const fn places(capacity: usize) -> u64 {
    (1 << capacity) - 1
}
