//! The index of the cache: buckets of eight slots, without chains.
//!
//! ```text
//! slot   bits of the hash (16) | address of a copy (45) | 2 bits, zero | pending (1)
//! ```
//!
//! A slot of zero is empty. All changes are exchanges of one word.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use super::blocks::CopyPtr;
use crate::sync::Word;

const SLOTS: usize = 8;
/// The copy must not be believed yet.
const PENDING: u64 = 1;
const TAG_SHIFT: u32 = 48;
const ADDRESS: u64 = (1 << TAG_SHIFT) - 8;

#[repr(align(64))]
struct Bucket([Word; SLOTS]);

/// See the module's header.
pub struct Index {
    buckets: Box<[Bucket]>,
}

/// A slot that [`Index::put`] has filled.
#[derive(Clone, Copy)]
pub struct Pending {
    bucket: usize,
    at: usize,
    word: u64,
    /// Whether another copy was in the slot.
    pub has_displaced: bool,
}

impl Index {
    /// An index with at least this many slots, all empty.
    pub fn new(slots: u64) -> Index {
        let buckets = (slots as usize).div_ceil(SLOTS).max(1);
        let empty = || Bucket(std::array::from_fn(|_| Word::new(0)));
        Index { buckets: (0..buckets).map(|_| empty()).collect() }
    }

    pub fn slots(&self) -> usize {
        self.buckets.len() * SLOTS
    }

    pub fn bytes(&self) -> u64 {
        (self.buckets.len() * size_of::<Bucket>()) as u64
    }

    #[inline]
    fn bucket_at(&self, hash: u64) -> usize {
        (u128::from(hash) * self.buckets.len() as u128 >> 64) as usize
    }

    /// The live copy in the row's bucket that `is_it` accepts.
    ///
    /// # Safety
    /// The caller has had an epoch guard since before the call, and uses the copy under it.
    #[inline]
    pub unsafe fn find(&self, hash: u64, is_it: impl Fn(CopyPtr) -> bool) -> Option<CopyPtr> {
        let tag = tag_of(hash);
        for slot in &self.buckets[self.bucket_at(hash)].0 {
            let word = slot.load(Acquire); // pairs with `put` and `exchange`
            if word >> TAG_SHIFT == tag && word & PENDING == 0 && word != 0 {
                // SAFETY: the slot had the address under the caller's guard (K3).
                let copy = unsafe { CopyPtr::from_address(word & ADDRESS) };
                if is_it(copy) {
                    return Some(copy);
                }
            }
        }
        None
    }

    /// Puts a copy into a slot of its bucket, pending: an empty one, or else that of another copy,
    /// if possible of one that was not touched.
    ///
    /// # Safety
    /// The caller has had an epoch guard since before the call.
    pub unsafe fn put(&self, hash: u64, copy: CopyPtr) -> Pending {
        let (bucket, word) = (self.bucket_at(hash), tag_of(hash) << TAG_SHIFT | copy.address());
        let slots = &self.buckets[bucket].0;
        for (at, slot) in slots.iter().enumerate() {
            let put = slot.load(Relaxed) == 0
                && slot.compare_exchange(0, word | PENDING, AcqRel, Relaxed).is_ok();
            if put {
                return Pending { bucket, at, word, has_displaced: false };
            }
        }
        let first = (hash >> 16) as usize;
        let mut turns = (0..SLOTS).map(|turn| (first + turn) % SLOTS);
        let untouched = turns.find(|&at| {
            let word = slots[at].load(Acquire); // pairs with `put` and `exchange`
            // SAFETY: the slot had the address under the caller's guard (K3).
            word & ADDRESS != 0 && !unsafe { CopyPtr::from_address(word & ADDRESS) }.is_touched()
        });
        let at = untouched.unwrap_or(first % SLOTS);
        let before = slots[at].swap(word | PENDING, AcqRel);
        Pending { bucket, at, word, has_displaced: before != 0 }
    }

    /// Lets readers believe a pending copy. Returns false if the slot was emptied or given to
    /// another copy meanwhile.
    pub fn make_live(&self, pending: Pending) -> bool {
        let slot = &self.buckets[pending.bucket].0[pending.at];
        slot.compare_exchange(pending.word | PENDING, pending.word, AcqRel, Relaxed).is_ok()
    }

    /// Empties the slot of a pending copy, unless it was emptied already.
    pub fn withdraw(&self, pending: Pending) {
        let slot = &self.buckets[pending.bucket].0[pending.at];
        let _ = slot.compare_exchange(pending.word | PENDING, 0, AcqRel, Relaxed);
    }

    /// Empties every slot that a copy of the row with this hash may have, pending or not. Returns
    /// how many had one.
    pub fn kill(&self, hash: u64) -> u64 {
        let tag = tag_of(hash);
        let mut killed = 0;
        for slot in &self.buckets[self.bucket_at(hash)].0 {
            let mut word = slot.load(Relaxed);
            while word >> TAG_SHIFT == tag && word != 0 {
                match slot.compare_exchange(word, 0, AcqRel, Relaxed) {
                    Ok(_) => {
                        killed += 1;
                        break;
                    }
                    // It has become live, has moved, or is another's.
                    Err(now) => word = now,
                }
            }
        }
        killed
    }

    /// Empties the slot of this copy. Returns whether it had one.
    pub fn remove(&self, hash: u64, copy: CopyPtr) -> bool {
        self.replace(hash, copy, |_| 0)
    }

    /// Gives the slot of a copy to another copy of the same row. Returns false if it had none.
    pub fn exchange(&self, hash: u64, copy: CopyPtr, to: CopyPtr) -> bool {
        self.replace(hash, copy, |word| word & !ADDRESS | to.address())
    }

    fn replace(&self, hash: u64, copy: CopyPtr, with: impl Fn(u64) -> u64) -> bool {
        for slot in &self.buckets[self.bucket_at(hash)].0 {
            let mut word = slot.load(Relaxed);
            while word & ADDRESS == copy.address() {
                match slot.compare_exchange(word, with(word), AcqRel, Relaxed) {
                    Ok(_) => return true,
                    Err(now) => word = now,
                }
            }
        }
        false
    }
}

#[inline]
fn tag_of(hash: u64) -> u64 {
    hash & 0xFFFF
}
