//! Postings: the anchors that share a key of an index that is not unique.
//!
//! ```text
//! group      state | first anchor | more | key bytes
//! chain      up to three chunks with room for 5, 13 and 29 anchors
//! directory  any number of blocks with room for 61 anchors
//! ```
//!
//! A **group** is one distinct key. Its first anchor has its place in the group itself, so that a
//! key with one row costs no more than the group. Further anchors go to **chunks**: first to a
//! short chain of growing ones, then to blocks behind a directory. An anchor never moves: its link
//! word names its place for as long as it is in the index. So unlinking needs no search, and a scan
//! that remembers the ordinal of a place can go on from there whatever has happened meanwhile.
//!
//! # Life of a group
//!
//! The insert of its first row creates a group; it is dead when its last row is removed. Then its
//! owner, the index, unlinks it and gives it to [`GroupPtr::retire`]. The count of rows in the
//! state word also counts the operations that may touch the chunks: it is raised before an anchor
//! is placed and lowered after its place has been cleared. So the removal that turns zero into
//! [`DEAD`] owns the group.
//!
//! # Life of a place
//!
//! A chunk has a word of bits: a set bit says that a place is taken. A place is claimed by setting
//! the bit, filled by storing the anchor, and freed in the opposite order. Readers look at the bits
//! to find the places that are taken, and then at the places. Freed places are used again. A block
//! without anchors is killed by setting its [`chunk::DEAD`] bit while no place is taken, and given
//! back.
//!
//! # Invariants
//!
//! * P1: the count in a group's state is at least the number of its anchors that can be found.
//! * P2: a place that is not claimed holds 0.
//! * P3: a thread sets the directory's `active` to a block in which it has just placed an anchor,
//!   and `active` is cleared before the block is given back. So it can be followed under any guard.
//!
//! All operations are lock-free: a thread that is stopped anywhere does not stop others.

mod chunk;
mod directory;
mod link;

use std::ptr::NonNull;
use std::slice;

use crossbeam_epoch::Guard;

use crate::hot::anchor::{ADDRESS_MASK, AnchorPtr};
use crate::hot::heap::{free, rounded};
use crate::hot::index::count::Counts;
use crate::hot::index::memory::allocate;
use crate::prefetch::prefetch_row;
use crate::sync::Word;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use chunk::{CHAIN, ChunkPtr, Unlinked};
use directory::Directory;
pub(super) use link::is_place;
use link::{PLACE, SLOT_SHIFT};

/// Flag in a group's state: the group is dead. The bits below count its rows, those above hold the
/// length of the key.
const DEAD: u64 = 1 << 40;
const ROWS: u64 = DEAD - 1;
const KEY_LEN_SHIFT: u32 = 41;

/// Tag of `more`: it points to a directory, not to the first chunk.
const IN_DIRECTORY: u64 = 1;

/// How many places ahead an iteration prefetches rows.
const PREFETCH_AHEAD: u64 = 8;

/// Bits of an ordinal that hold the slot; the bits above hold the number of the chunk.
const SLOT_BITS: u32 = 6;

/// The fixed part of a group. Its key follows.
#[repr(C)]
pub(super) struct Group {
    /// Rows, [`DEAD`], and the length of the key.
    state: Word,
    /// The anchor that has its place here, or 0.
    first: Word,
    /// 0, then the first chunk, then the directory with [`IN_DIRECTORY`]. Changed by
    /// compare-exchange.
    more: Word,
}

/// The group has died: its key must be looked up again.
#[derive(Debug)]
pub(super) struct Dead;

/// Points to a group, in an allocation that may have other things before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GroupPtr(NonNull<Group>);

impl GroupPtr {
    /// Allocates a group that holds one anchor and has a `Header` before it. The anchor's link word
    /// is set.
    pub(super) fn create<Header>(
        header: Header,
        key: &[u8],
        anchor: AnchorPtr,
        link: &Word,
        counts: &Counts,
    ) -> GroupPtr {
        let size = size::<Header>(key.len());
        // SAFETY: all writes are inside the memory, which this thread alone has, and are aligned,
        // since both parts consist of words.
        let group = unsafe {
            let start = allocate(size);
            start.cast::<Header>().write(header);
            let group = start.add(size_of::<Header>()).cast::<Group>();
            group.write(Group {
                state: Word::new(1 | (key.len() as u64) << KEY_LEN_SHIFT),
                first: Word::new(anchor.address()),
                more: Word::new(0),
            });
            let bytes = group.add(1).cast::<u8>().as_ptr();
            bytes.copy_from_nonoverlapping(key.as_ptr(), key.len());
            GroupPtr(group)
        };
        link.store(group.address() | PLACE, Relaxed);
        counts.charge(group.address(), rounded(size), 1);
        group
    }

    /// Frees a group that was never published.
    ///
    /// # Safety
    /// It came from [`GroupPtr::create`] with this type of header, and no other thread has seen it.
    pub(super) unsafe fn discard<Header>(self, counts: &Counts) {
        // SAFETY: the caller promises that the header has this type and that no other thread has
        // seen the group.
        unsafe {
            counts.discharge(self.address(), rounded(self.size::<Header>()), 1);
            self.free::<Header>();
        }
    }

    /// The group at this address, which [`GroupPtr::address`] returned.
    pub(super) fn from_address(address: u64) -> GroupPtr {
        GroupPtr(NonNull::new(address as *mut Group).expect("the address of a group"))
    }

    pub(super) fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// # Safety
    /// The group is protected for `'g`.
    unsafe fn get<'g>(self) -> &'g Group {
        // SAFETY: the caller promises that the group is protected.
        unsafe { self.0.as_ref() }
    }

    /// The key, which never changes.
    ///
    /// # Safety
    /// The group is protected for `'g`.
    pub(super) unsafe fn key<'g>(self) -> &'g [u8] {
        // SAFETY: the caller promises that the group is protected; the key follows the fixed part
        // in the same allocation.
        unsafe {
            let len = (self.get().state.load(Relaxed) >> KEY_LEN_SHIFT) as usize;
            slice::from_raw_parts(self.0.add(1).cast().as_ptr(), len)
        }
    }

    /// How many rows the group has: an estimate while other threads change it.
    ///
    /// # Safety
    /// The group is protected.
    pub(super) unsafe fn rows(self) -> u64 {
        // SAFETY: the caller promises that the group is protected.
        unsafe { self.get() }.state.load(Relaxed) & ROWS
    }

    /// Adds an anchor, whose link word is `link`.
    ///
    /// # Safety
    /// The group is protected.
    pub(super) unsafe fn append(
        self,
        anchor: AnchorPtr,
        link: &Word,
        counts: &Counts,
    ) -> Result<(), Dead> {
        // SAFETY: the caller promises that the group is protected; from here on the count keeps the
        // chunks alive (P1).
        let group = unsafe { self.get() };
        // Pairs with the kill in `unlink`: an append that comes later sees DEAD. What it adds to a
        // dead group's count does not matter.
        if group.state.fetch_add(1, AcqRel) & DEAD != 0 {
            return Err(Dead);
        }
        if group.first.load(Relaxed) == 0 {
            link.store(self.address() | PLACE, Relaxed);
            // Release: pairs with the readers' Acquire, so that they see the row.
            if group.first.compare_exchange(0, anchor.address(), Release, Relaxed).is_ok() {
                return Ok(());
            }
        }
        let more = group.more.load(Acquire);
        if more & IN_DIRECTORY != 0 {
            // SAFETY: the directory lives as long as the group.
            unsafe { directory(more) }.append(self.address(), anchor, link, counts);
        } else {
            self.append_to_chain(group, anchor, link, counts);
        }
        Ok(())
    }

    fn append_to_chain(self, group: &Group, anchor: AnchorPtr, link: &Word, counts: &Counts) {
        let mut entry = &group.more;
        for capacity in CHAIN {
            let mut next = entry.load(Acquire);
            if next == 0 {
                let fresh = ChunkPtr::create(self.address(), capacity, anchor, link, counts);
                match entry.compare_exchange(0, fresh.address(), AcqRel, Acquire) {
                    Ok(_) => return,
                    Err(other) => next = other,
                }
                // SAFETY: no other thread has seen it.
                unsafe { fresh.discard(counts) };
            }
            if next & IN_DIRECTORY != 0 {
                break;
            }
            // SAFETY: the chunks of the chain live as long as the group.
            unsafe {
                let chunk = ChunkPtr::from_address(next);
                if chunk.place(anchor, link).is_some() {
                    return;
                }
                entry = chunk.next();
            }
        }
        self.directory(group, counts).append(self.address(), anchor, link, counts);
    }

    /// The directory; made if the group has none yet.
    fn directory<'g>(self, group: &'g Group, counts: &Counts) -> &'g Directory {
        let chain = group.more.load(Acquire);
        let mut current = chain;
        if chain & IN_DIRECTORY == 0 {
            let fresh = Directory::create(chain, counts);
            let word = fresh as u64 | IN_DIRECTORY;
            current = match group.more.compare_exchange(chain, word, AcqRel, Acquire) {
                Ok(_) => word,
                Err(other) => {
                    // SAFETY: no other thread has seen it, and it has no blocks.
                    unsafe { Directory::free(fresh, Some(counts)) };
                    other
                }
            };
        }
        // SAFETY: only a directory replaces the chain, and it lives as long as the group.
        unsafe { directory(current) }
    }

    /// Removes the anchor with this link word from its group. Returns the group if that has killed
    /// it: the caller must then unlink and retire it.
    ///
    /// # Safety
    /// The link word was set by [`GroupPtr::create`] or [`GroupPtr::append`], and the anchor has
    /// not been removed since.
    pub(super) unsafe fn unlink(link: &Word, guard: &Guard, counts: &Counts) -> Option<GroupPtr> {
        let word = link.load(Relaxed);
        let address = word & ADDRESS_MASK;
        // SAFETY: the anchor is still counted, so its group and its chunk are alive (P1).
        unsafe {
            let owner = match (word >> SLOT_SHIFT).checked_sub(1) {
                None => {
                    let group = GroupPtr::from_address(address);
                    group.get().first.store(0, Release);
                    group
                }
                Some(slot) => {
                    let chunk = ChunkPtr::from_address(address);
                    let owner = GroupPtr::from_address(chunk.owner());
                    match chunk.clear(slot) {
                        Unlinked::FromChain => {}
                        Unlinked::FromBlock { left } => {
                            let more = owner.get().more.load(Acquire);
                            directory(more).unlinked(chunk, left, guard, counts);
                        }
                    }
                    owner
                }
            };
            let state = &owner.get().state;
            // Release: the removal that kills the group sees what this one has done to the chunks.
            // Acquire: this one may kill the group.
            let before = state.fetch_sub(1, AcqRel);
            let empty = before - 1;
            let died = empty & ROWS == 0
                && state.compare_exchange(empty, empty | DEAD, AcqRel, Relaxed).is_ok();
            died.then_some(owner)
        }
    }

    /// The anchors from an ordinal on.
    ///
    /// # Safety
    /// The group is protected for `'g`.
    pub(super) unsafe fn postings<'g>(self, from: u64) -> Postings<'g> {
        // SAFETY: the caller promises that the group is protected.
        let group = unsafe { self.get() };
        let number = from >> SLOT_BITS;
        let mut postings = Postings { group, number, chunk: None, pending: 0, ordinal: from };
        postings.enter(from & ((1 << SLOT_BITS) - 1));
        postings
    }

    /// Frees a dead group once no guard protects it.
    ///
    /// # Safety
    /// [`GroupPtr::unlink`] has returned the group to the caller, which has unlinked it and calls
    /// this once. The type of header is that of [`GroupPtr::create`].
    pub(super) unsafe fn retire<Header>(self, guard: &Guard, counts: &Counts) {
        // SAFETY: the caller owns the dead group. Readers may still be in it, so the free waits for
        // their guards.
        unsafe {
            counts.discharge(self.address(), rounded(self.size::<Header>()), 1);
            self.for_each_chunk(|chunk| chunk.discharge(counts));
            if let Some(directory) = self.directory_address() {
                (*directory).discharge(counts);
            }
            let address = self.address();
            guard.defer_unchecked(move || GroupPtr::from_address(address).free::<Header>());
        }
    }

    /// Frees the group and its chunks, without accounting.
    ///
    /// # Safety
    /// The caller has exclusive access to it. The type of header is that of [`GroupPtr::create`].
    pub(super) unsafe fn free<Header>(self) {
        // SAFETY: the caller has exclusive access, and the header has this type.
        unsafe {
            self.for_each_chunk(|chunk| chunk.free());
            if let Some(directory) = self.directory_address() {
                Directory::free(directory, None);
            }
            free(self.0.cast::<u8>().sub(size_of::<Header>()), self.size::<Header>());
        }
    }

    unsafe fn size<Header>(self) -> usize {
        // SAFETY: the caller has access to the group.
        size::<Header>(unsafe { self.key() }.len())
    }

    unsafe fn directory_address(self) -> Option<*mut Directory> {
        // SAFETY: the caller has access to the group.
        let more = unsafe { self.get() }.more.load(Relaxed);
        (more & IN_DIRECTORY != 0).then_some((more & !IN_DIRECTORY) as *mut Directory)
    }

    /// Calls `f` for every chunk of the chain and every block; `f` may free it.
    ///
    /// # Safety
    /// The caller owns the group: no other thread changes it.
    unsafe fn for_each_chunk(self, mut f: impl FnMut(ChunkPtr)) {
        // SAFETY: the caller owns the group; a chunk is read before it is freed.
        unsafe {
            let mut next = self.get().more.load(Relaxed);
            if let Some(directory) = self.directory_address() {
                (*directory).blocks().for_each(&mut f);
                next = (*directory).chain();
            }
            while next != 0 {
                let chunk = ChunkPtr::from_address(next);
                next = chunk.next().load(Relaxed);
                f(chunk);
            }
        }
    }
}

fn size<Header>(key_len: usize) -> usize {
    size_of::<Header>() + size_of::<Group>() + key_len
}

/// # Safety
/// The word is a group's `more` that names a directory, and the group is protected for `'g`.
unsafe fn directory<'g>(more: u64) -> &'g Directory {
    // SAFETY: the caller promises that the word names a directory, which lives as long as its
    // group.
    unsafe { &*((more & !IN_DIRECTORY) as *const Directory) }
}

/// An iterator over the anchors of a group, place by place. Other threads may change the group
/// meanwhile.
pub(super) struct Postings<'g> {
    group: &'g Group,
    /// The number of the chunk: 0 is the group itself, then come the chain and the blocks.
    number: u64,
    chunk: Option<ChunkPtr>,
    /// Places of the chunk that were taken when it was entered and have not been visited.
    pending: u64,
    ordinal: u64,
}

impl std::fmt::Debug for Postings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Postings({})", self.ordinal)
    }
}

impl Postings<'_> {
    /// The ordinal at which to go on after the anchor that was returned last.
    pub(super) fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// Enters the chunk with the current number, and notes its taken places from `slot` on. Returns
    /// whether there are chunks with this number or a higher one.
    fn enter(&mut self, slot: u64) -> bool {
        let from = u64::MAX << slot;
        let more = self.group.more.load(Acquire);
        self.chunk = None;
        self.pending = 0;
        if self.number == 0 {
            self.pending = 1 & from;
            return true;
        }
        let index = self.number - 1;
        // SAFETY: the group is protected, and with it the chain and the directory; blocks are freed
        // only after the guard is gone.
        unsafe {
            let chain_len = CHAIN.len() as u64;
            if index < chain_len {
                let mut next =
                    if more & IN_DIRECTORY != 0 { directory(more).chain() } else { more };
                for _ in 0..index {
                    if next != 0 {
                        next = ChunkPtr::from_address(next).next().load(Acquire);
                    }
                }
                if next == 0 {
                    return false;
                }
                self.chunk = Some(ChunkPtr::from_address(next));
            } else if more & IN_DIRECTORY == 0 || index - chain_len >= directory(more).len() {
                return false;
            } else {
                self.chunk = directory(more).block(index - chain_len);
            }
            self.pending = self.chunk.map_or(0, |chunk| chunk.taken() & from);
        }
        true
    }
}

impl Iterator for Postings<'_> {
    type Item = AnchorPtr;

    #[inline]
    fn next(&mut self) -> Option<AnchorPtr> {
        loop {
            while self.pending != 0 {
                let slot = u64::from(self.pending.trailing_zeros());
                self.pending &= self.pending - 1;
                self.ordinal = (self.number << SLOT_BITS) + slot + 1;
                let anchor = match self.chunk {
                    // Acquire: pairs with the Release of the append that placed the anchor.
                    None => self.group.first.load(Acquire),
                    // SAFETY: as in `enter`; a place that is pending exists.
                    Some(chunk) => unsafe {
                        if self.pending >> slot >> PREFETCH_AHEAD & 1 != 0 {
                            prefetch_row(chunk.slot(slot + PREFETCH_AHEAD).load(Relaxed));
                        }
                        chunk.slot(slot).load(Acquire)
                    },
                };
                if let Some(anchor) = AnchorPtr::from_address(anchor) {
                    return Some(anchor);
                }
            }
            self.number += 1;
            if !self.enter(0) {
                self.number -= 1;
                return None;
            }
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
