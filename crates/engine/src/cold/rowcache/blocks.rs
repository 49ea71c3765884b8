//! Blocks of copies, and the ring of full ones.
//!
//! ```text
//! copy   space u64 | hash u64 | state u64 | length of p u32, of the row u32
//!        | p, padded to 8 | the row, padded to 8
//! ```
//!
//! A copy is written under its shard's lock before its address goes anywhere; then only its state
//! changes.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

use crossbeam_epoch::Guard;

use super::RowName;
use super::budget::Taken;
use crate::sync::Word;

/// Bytes of a block.
#[cfg(not(feature = "shuttle"))]
pub const BLOCK_BYTES: usize = 64 << 10;
/// Bytes of a block: tiny, so that a few rows fill some.
#[cfg(feature = "shuttle")]
pub const BLOCK_BYTES: usize = 256;

const WORD: usize = size_of::<u64>();
const HEADER: usize = 4 * WORD;

/// Blocks that are looked at for a cold one.
const LOOKS: usize = 4;

/// A reader has found the copy since it was written here.
const TOUCHED: u64 = 1;

/// The address of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CopyPtr(NonNull<u64>);

impl CopyPtr {
    pub fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// The copy with this address.
    ///
    /// # Safety
    /// It is that of a copy whose block is not freed while the result is used.
    pub unsafe fn from_address(address: u64) -> CopyPtr {
        // SAFETY: the address of a copy is not null.
        CopyPtr(unsafe { NonNull::new_unchecked(address as *mut u64) })
    }

    fn word(self, n: usize) -> u64 {
        // SAFETY: a copy has a header of four words, of which this reads one that never changes
        // once the copy's address is known; its block is there, as the maker has promised.
        unsafe { self.0.add(n).read() }
    }

    fn state(&self) -> &Word {
        // SAFETY: as for `word`; this word is only accessed as an atomic.
        unsafe { self.0.add(2).cast::<Word>().as_ref() }
    }

    pub fn space(self) -> u64 {
        self.word(0)
    }

    pub fn hash(self) -> u64 {
        self.word(1)
    }

    fn lengths(self) -> (usize, usize) {
        let word = self.word(3);
        (word as u32 as usize, (word >> 32) as usize)
    }

    /// Whether it is a copy of this row.
    #[inline]
    pub fn is_of(self, name: RowName<'_>) -> bool {
        self.space() == name.space && self.has_key(name.p)
    }

    #[inline]
    fn has_key(self, p: &[u8]) -> bool {
        match (self.lengths().0, p.len()) {
            // Most keys are a word, behind which nothing but zeros is.
            (own, len) if own != len => false,
            (1..=WORD, _) => self.word(4) == word_of(p),
            _ => self.p() == p,
        }
    }

    /// The row that it is a copy of.
    pub fn name<'a>(self) -> RowName<'a> {
        RowName { space: self.space(), p: self.p() }
    }

    fn p<'a>(self) -> &'a [u8] {
        let (p_len, _) = self.lengths();
        // SAFETY: the bytes of `p` follow the header, and the block is there for as long as the
        // caller of this module's functions uses the copy.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast::<u8>().add(HEADER), p_len) }
    }

    /// The row's bytes.
    ///
    /// # Safety
    /// The guard is older than the moment at which the block was taken out of use.
    pub unsafe fn row(self, _: &Guard) -> &[u8] {
        let (p_len, row_len) = self.lengths();
        let start = HEADER + p_len.next_multiple_of(WORD);
        // SAFETY: the row follows `p`; the guard keeps the block.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast::<u8>().add(start), row_len) }
    }

    /// Marks the copy, unless it is marked.
    #[inline]
    pub fn touch(self) {
        if self.state().load(Relaxed) & TOUCHED == 0 {
            self.state().store(TOUCHED, Relaxed);
        }
    }

    pub fn is_touched(&self) -> bool {
        self.state().load(Relaxed) & TOUCHED != 0
    }

    fn forget_touch(self) {
        self.state().store(0, Relaxed);
    }

    /// How many bytes it takes.
    pub fn len(self) -> usize {
        let (p_len, row_len) = self.lengths();
        len_of(p_len, row_len)
    }
}

/// The bytes of a short key, filled up with zeros.
#[inline]
fn word_of(p: &[u8]) -> u64 {
    let mut word = [0; WORD];
    word[..p.len()].copy_from_slice(p);
    u64::from_ne_bytes(word)
}

fn len_of(p_len: usize, row_len: usize) -> usize {
    HEADER + p_len.next_multiple_of(WORD) + row_len.next_multiple_of(WORD)
}

/// Memory for copies, filled from its start.
pub struct Block {
    memory: NonNull<u64>,
    used: usize,
    /// Where its bytes count.
    taken: [Taken; 2],
}

// SAFETY: a block owns its memory.
unsafe impl Send for Block {}

impl Block {
    const LAYOUT: Layout = match Layout::from_size_align(BLOCK_BYTES, WORD) {
        Ok(layout) => layout,
        Err(_) => panic!("a block has a layout"),
    };

    /// An empty block, which counts from now on.
    pub fn new(taken: [Taken; 2]) -> Block {
        // SAFETY: the layout has a size.
        let memory = unsafe { alloc(Block::LAYOUT) };
        let memory = NonNull::new(memory.cast::<u64>());
        let memory = memory.unwrap_or_else(|| handle_alloc_error(Block::LAYOUT));
        Block { memory, used: 0, taken }
    }

    /// It is about to be freed.
    pub fn retire(&mut self) {
        self.taken.iter_mut().for_each(Taken::retire);
    }

    /// Writes a copy, if there is room for it.
    pub fn push(&mut self, hash: u64, name: RowName<'_>, row: &[u8]) -> Option<CopyPtr> {
        let len = len_of(name.p.len(), row.len());
        if self.used + len > BLOCK_BYTES {
            return None;
        }
        let lengths = name.p.len() as u64 | (row.len() as u64) << 32;
        // SAFETY: the block has room for the copy behind what is used, at a multiple of eight
        // bytes, and nothing else has the address of that room yet.
        let copy = unsafe {
            let to = self.memory.byte_add(self.used);
            to.write(name.space);
            to.add(1).write(hash);
            to.add(2).write(0);
            to.add(3).write(lengths);
            let bytes = to.as_ptr().cast::<u8>();
            if !name.p.is_empty() {
                to.add(4 + (name.p.len() - 1) / WORD).write(0);
            }
            bytes.add(HEADER).copy_from_nonoverlapping(name.p.as_ptr(), name.p.len());
            let row_at = HEADER + name.p.len().next_multiple_of(WORD);
            bytes.add(row_at).copy_from_nonoverlapping(row.as_ptr(), row.len());
            CopyPtr(to)
        };
        self.used += len;
        Some(copy)
    }

    /// Writes a copy of a copy, untouched, if there is room for it.
    pub fn push_again(&mut self, copy: CopyPtr) -> Option<CopyPtr> {
        let len = copy.len();
        if self.used + len > BLOCK_BYTES {
            return None;
        }
        // SAFETY: as in `push`; only the state of the original changes, which is not copied.
        let to = unsafe {
            let to = self.memory.byte_add(self.used);
            to.copy_from_nonoverlapping(copy.0, 2);
            to.add(2).write(0);
            to.add(3).copy_from_nonoverlapping(copy.0.add(3), len / WORD - 3);
            CopyPtr(to)
        };
        self.used += len;
        Some(to)
    }

    /// Whether more than half of it was touched.
    fn is_hot(&self) -> bool {
        let touched = self.copies().filter(|copy| copy.is_touched());
        touched.map(CopyPtr::len).sum::<usize>() > self.used / 2
    }

    pub fn is_below_half(&self) -> bool {
        self.used < BLOCK_BYTES / 2
    }

    /// The copies, in the order in which they were written. They live as long as the block.
    pub fn copies(&self) -> impl Iterator<Item = CopyPtr> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let left = at < self.used;
            // SAFETY: a copy begins where the one before ends.
            let copy = left.then(|| CopyPtr(unsafe { self.memory.byte_add(at) }))?;
            at += copy.len();
            Some(copy)
        })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `new` has allocated the memory by this layout.
        unsafe { dealloc(self.memory.as_ptr().cast(), Block::LAYOUT) };
    }
}

/// Full blocks, the oldest first.
#[derive(Default)]
pub struct Ring(VecDeque<Block>);

impl Ring {
    pub fn push(&mut self, block: Block) {
        self.0.push_back(block);
    }

    /// Takes the oldest block that readers have not found more than half of. Others get another
    /// turn, as long as a few are looked at.
    pub fn take_coldest(&mut self) -> Option<Block> {
        for _ in 0..LOOKS {
            let block = self.0.pop_front()?;
            if !block.is_hot() {
                return Some(block);
            }
            block.copies().for_each(CopyPtr::forget_touch);
            self.0.push_back(block);
        }
        self.0.pop_front()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The block at a place, counted from the oldest.
    pub fn at(&self, at: usize) -> Option<&Block> {
        self.0.get(at)
    }

    /// Takes the block at a place.
    pub fn take(&mut self, at: usize) -> Option<Block> {
        self.0.remove(at)
    }
}
