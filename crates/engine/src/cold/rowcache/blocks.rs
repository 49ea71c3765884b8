//! Blocks of copies, and the ring of full ones.
//!
//! ```text
//! copy    hash u64 | state u64 | p, padded to 8 | the row, padded to 8
//! state   space (32) | length of p (13), of the row (13) | 0 | touches (2)
//! ```
//!
//! A copy is written under its shard's lock before its address goes anywhere; then only the number
//! of touches changes.

use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

use crossbeam_epoch::Guard;

use super::budget::Taken;
use super::memory::BlockMemory;
use super::{ROW_MAX, RowName};
use crate::sync::Word;

/// Bytes of a block.
#[cfg(not(feature = "shuttle"))]
pub const BLOCK_BYTES: usize = 64 << 10;
/// Bytes of a block: tiny, so that a few rows fill some.
#[cfg(feature = "shuttle")]
pub const BLOCK_BYTES: usize = 256;

const WORD: usize = size_of::<u64>();
const HEADER: usize = 2 * WORD;

/// What copies that stay may take of the block to which they move.
const SURVIVORS_MAX: usize = BLOCK_BYTES / 8 * 7;

/// Blocks that are looked at for a cold one.
const LOOKS: usize = 4;

/// How often readers have found the copy, of which each turn of the ring takes one away.
const TOUCHES: u64 = 3;
const ROW_LEN_SHIFT: u32 = 6;
const P_LEN_SHIFT: u32 = 19;
const LEN: u64 = (1 << 13) - 1;
const SPACE_SHIFT: u32 = 32;
/// The space and the length of `p`.
const NAME: u64 = !((1 << P_LEN_SHIFT) - 1);

const _: () = assert!(ROW_MAX as u64 <= LEN, "a state has room for lengths");

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

    /// A word that never changes.
    fn word(self, n: usize) -> u64 {
        // SAFETY: a copy has at least a header; a word after it is asked for only if `p` has some.
        // Its block is there, as the maker has promised.
        unsafe { self.0.add(n).read() }
    }

    fn state_word(&self) -> &Word {
        // SAFETY: as for `word`; this word is only accessed as an atomic.
        unsafe { self.0.add(1).cast::<Word>().as_ref() }
    }

    #[inline]
    fn state(self) -> u64 {
        self.state_word().load(Relaxed)
    }

    pub fn space(self) -> u32 {
        (self.state() >> SPACE_SHIFT) as u32
    }

    pub fn hash(self) -> u64 {
        self.word(0)
    }

    fn lengths(self) -> (usize, usize) {
        let state = self.state();
        ((state >> P_LEN_SHIFT & LEN) as usize, (state >> ROW_LEN_SHIFT & LEN) as usize)
    }

    /// Whether it is a copy of this row.
    #[inline]
    pub fn is_of(self, name: RowName<'_>) -> bool {
        let wanted = state_of(name.space, name.p.len(), 0);
        self.state() & NAME == wanted
            && match name.p.len() {
                // Most keys are a word, behind which nothing but zeros is.
                1..=WORD => self.word(2) == word_of(name.p),
                _ => self.p() == name.p,
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

    /// Counts a touch, unless enough are counted.
    #[inline]
    pub fn touch(self) {
        let state = self.state();
        if state & TOUCHES != TOUCHES {
            self.state_word().store(state + 1, Relaxed);
        }
    }

    pub fn is_touched(&self) -> bool {
        self.state() & TOUCHES != 0
    }

    fn forget_touch(self) {
        self.state_word().store(without_touch(self.state()), Relaxed);
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

fn without_touch(state: u64) -> u64 {
    state - u64::from(state & TOUCHES != 0)
}

/// The state of a copy that was not touched. The lengths are at most [`ROW_MAX`].
#[inline]
fn state_of(space: u32, p_len: usize, row_len: usize) -> u64 {
    u64::from(space) << SPACE_SHIFT
        | (p_len as u64) << P_LEN_SHIFT
        | (row_len as u64) << ROW_LEN_SHIFT
}

fn len_of(p_len: usize, row_len: usize) -> usize {
    HEADER + p_len.next_multiple_of(WORD) + row_len.next_multiple_of(WORD)
}

/// Memory for copies, filled from its start.
pub struct Block {
    memory: BlockMemory,
    used: usize,
    /// Where its bytes count.
    taken: [Taken; 2],
}

impl Block {
    /// An empty block, which counts from now on.
    pub fn new(memory: BlockMemory, taken: [Taken; 2]) -> Block {
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
        debug_assert!(name.p.len() <= ROW_MAX && row.len() <= ROW_MAX, "{name:?} is too long");
        // SAFETY: the block has room for the copy behind what is used, at a multiple of eight
        // bytes, and nothing else has the address of that room yet.
        let copy = unsafe {
            let to = self.memory.start().byte_add(self.used);
            to.write(hash);
            to.add(1).write(state_of(name.space, name.p.len(), row.len()));
            let bytes = to.as_ptr().cast::<u8>();
            if !name.p.is_empty() {
                to.add(2 + (name.p.len() - 1) / WORD).write(0);
            }
            bytes.add(HEADER).copy_from_nonoverlapping(name.p.as_ptr(), name.p.len());
            let row_at = HEADER + name.p.len().next_multiple_of(WORD);
            bytes.add(row_at).copy_from_nonoverlapping(row.as_ptr(), row.len());
            CopyPtr(to)
        };
        self.used += len;
        Some(copy)
    }

    /// Writes a copy of a copy, with a touch less, if there is room for it.
    pub fn push_again(&mut self, copy: CopyPtr) -> Option<CopyPtr> {
        let len = copy.len();
        if self.used + len > BLOCK_BYTES {
            return None;
        }
        // SAFETY: as in `push`; only the state of the original changes, which is not copied.
        let to = unsafe {
            let to = self.memory.start().byte_add(self.used);
            to.write(copy.hash());
            to.add(1).write(without_touch(copy.state()));
            to.add(2).copy_from_nonoverlapping(copy.0.add(2), len / WORD - 2);
            CopyPtr(to)
        };
        self.used += len;
        Some(to)
    }

    /// Whether so much of it was touched that little room would be won.
    fn is_hot(&self) -> bool {
        let touched = self.copies().filter(|copy| copy.is_touched());
        touched.map(CopyPtr::len).sum::<usize>() > SURVIVORS_MAX
    }

    /// Whether it may take further copies of copies.
    pub fn may_keep(&self, copy: CopyPtr) -> bool {
        self.used + copy.len() <= SURVIVORS_MAX
    }

    /// The copies, in the order in which they were written. They live as long as the block.
    pub fn copies(&self) -> impl Iterator<Item = CopyPtr> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let left = at < self.used;
            // SAFETY: a copy begins where the one before ends.
            let copy = left.then(|| CopyPtr(unsafe { self.memory.start().byte_add(at) }))?;
            at += copy.len();
            Some(copy)
        })
    }
}

/// Full blocks, the oldest first.
#[derive(Default)]
pub struct Ring(VecDeque<Block>);

impl Ring {
    pub fn push(&mut self, block: Block) {
        self.0.push_back(block);
    }

    /// Takes the oldest block that readers have not found nearly all of. Others get another turn,
    /// as long as a few are looked at.
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
