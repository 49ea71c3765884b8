//! The index of the cache: buckets of eight slots, without chains.
//!
//! ```text
//! slot of a copy    bits of the hash (16) | address of the copy (45) | 0 | 0 | pending (1)
//! slot of a name    bits of the hash (16) | bits of the row's hash (45) | touched (1) | 1 | 0
//! ```
//!
//! A slot of zero is empty. All changes are exchanges of one word. A *name* says which row had a
//! key of a unique index when it was looked up; what it says is a hint.
//!
//! # Growth
//!
//! The number of buckets doubles: what was in one is then in this one or in the one that is as many
//! further as there were. The **shape** says how many there are, and whether copies are still on
//! their way. A copy is put into its new slot, pending, before it leaves the old one, and is made
//! live after that; so what looks at the old bucket first, and at the new one then, does not miss
//! it. What empties slots begins again if the shape has changed meanwhile. A copy that is admitted
//! while the shape changes is emptied by the thread that grows the index, or withdrawn by its own.

use std::io;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use super::blocks::CopyPtr;
use super::space::{Pages, Space};
use crate::prefetch::prefetch;
use crate::sync::atomic::Ordering::SeqCst;
use crate::sync::atomic::{AtomicI64, AtomicU64, fence};
use crate::sync::parking::Mutex;

const SLOTS: usize = 8;
/// The copy must not be believed yet.
const PENDING: u64 = 1;
/// It is the slot of a name.
const NAME: u64 = 2;
/// The name was used since it was written.
const TOUCHED: u64 = 4;
const TAG_SHIFT: u32 = 48;
const ADDRESS: u64 = (1 << TAG_SHIFT) - 8;
/// The bits of a hash that say where a row's slot is: those of its bucket, and its tag.
const PLACE: u64 = (1 << 45) - 1;
const PLACE_SHIFT: u32 = 3;
const TAG_OF_PLACE_SHIFT: u32 = 29;
/// Buckets that are sent on under one guard.
const BUCKETS_PER_GUARD: usize = 1024;
/// The most buckets, as a power of two.
const BUCKETS_MAX_LOG: u32 = 28;
/// The first number of buckets.
#[cfg(not(feature = "shuttle"))]
const BUCKETS_MIN_LOG: u32 = 9;
#[cfg(feature = "shuttle")]
const BUCKETS_MIN_LOG: u32 = 0;

/// How many buckets there are, and whether copies are on their way to the upper half of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shape {
    log: u32,
    grows: bool,
}

impl Shape {
    fn from_bits(bits: u64) -> Shape {
        Shape { log: (bits >> 1) as u32, grows: bits & 1 != 0 }
    }

    fn to_bits(self) -> u64 {
        u64::from(self.log) << 1 | u64::from(self.grows)
    }

    fn bucket(self, hash: u64) -> usize {
        hash as usize & ((1 << self.log) - 1)
    }

    /// The bucket that a copy with this hash may not have left yet.
    fn former_bucket(self, hash: u64) -> Option<usize> {
        self.grows.then(|| hash as usize & ((1 << (self.log - 1)) - 1))
    }

    /// The buckets that a copy with this hash may be in: the former one first.
    fn buckets(self, hash: u64) -> impl Iterator<Item = usize> {
        let (now, former) = (self.bucket(hash), self.former_bucket(hash));
        former.filter(|former| *former != now).into_iter().chain([now])
    }
}

/// See the module's header.
pub struct Index {
    space: Space,
    shape: AtomicU64,
    slots_max: usize,
    growing: Mutex<()>,
    /// Slots that are not empty, less those that `put` and `name` have filled, which others count.
    filled: AtomicI64,
}

/// A slot that [`Index::put`] has filled.
#[derive(Clone, Copy)]
pub struct Pending {
    /// The slot's number.
    at: usize,
    word: u64,
    shape: Shape,
    /// Whether something else was in the slot.
    pub has_displaced: bool,
}

impl Index {
    /// An index that may come to have this many slots, all empty.
    pub fn new(slots_max: usize) -> io::Result<Index> {
        let log = (slots_max / SLOTS).max(1).ilog2().clamp(BUCKETS_MIN_LOG, BUCKETS_MAX_LOG);
        let slots_max = SLOTS << log;
        let shape = Shape { log: BUCKETS_MIN_LOG, grows: false };
        Ok(Index {
            space: Space::new(slots_max, Pages::Huge)?,
            shape: AtomicU64::new(shape.to_bits()),
            slots_max,
            growing: Mutex::default(),
            filled: AtomicI64::new(0),
        })
    }

    #[inline]
    fn shape(&self) -> Shape {
        Shape::from_bits(self.shape.load(Acquire)) // pairs with `grow`
    }

    pub fn slots(&self) -> usize {
        SLOTS << self.shape().log
    }

    /// Slots that are not empty, of which the caller has counted those that were filled.
    pub fn filled(&self, put: u64) -> u64 {
        u64::try_from(put as i64 + self.filled.load(Relaxed)).unwrap_or(0)
    }

    pub fn slots_max(&self) -> usize {
        self.slots_max
    }

    /// Bytes that it takes with this many slots.
    pub fn bytes(slots: usize) -> u64 {
        (slots * size_of::<u64>()) as u64
    }

    /// The numbers of a bucket's slots.
    #[inline]
    fn slots_of(bucket: usize) -> std::ops::Range<usize> {
        bucket * SLOTS..(bucket + 1) * SLOTS
    }

    /// The live copy of the row with this hash that `is_it` accepts.
    ///
    /// # Safety
    /// The caller has had an epoch guard since before the call, and uses the copy under it.
    #[inline]
    pub unsafe fn find(&self, hash: u64, is_it: impl Fn(CopyPtr) -> bool) -> Option<CopyPtr> {
        let shape = self.shape();
        // SAFETY: the caller's promise.
        let found = unsafe { self.find_in(shape.bucket(hash), hash, &is_it) };
        match (found, shape.former_bucket(hash)) {
            // SAFETY: as above.
            (None, Some(former)) => unsafe { self.find_in(former, hash, &is_it) },
            (found, _) => found,
        }
    }

    /// # Safety
    /// As for `find`.
    #[inline]
    unsafe fn find_in(
        &self,
        bucket: usize,
        hash: u64,
        is_it: &impl Fn(CopyPtr) -> bool,
    ) -> Option<CopyPtr> {
        let tag = tag_of(hash);
        for at in Index::slots_of(bucket) {
            let word = self.space.word(at).load(Acquire); // pairs with `put` and `exchange`
            if word >> TAG_SHIFT == tag && word & (PENDING | NAME) == 0 && word != 0 {
                // SAFETY: the slot had the address under the caller's guard (RC3).
                let copy = unsafe { CopyPtr::from_address(word & ADDRESS) };
                if is_it(copy) {
                    return Some(copy);
                }
            }
        }
        None
    }

    /// Prefetches the bucket of a row or a name with this hash.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let bucket = self.space.word(self.shape().bucket(hash) * SLOTS);
        prefetch(std::ptr::from_ref(bucket) as u64);
    }

    /// Prefetches what the slot of a row or a name leads to, whose bucket has been prefetched.
    #[inline]
    pub fn prefetch_behind(&self, hash: u64) {
        let (shape, tag) = (self.shape(), tag_of(hash));
        for at in Index::slots_of(shape.bucket(hash)) {
            let word = self.space.word(at).load(Relaxed);
            if word >> TAG_SHIFT != tag || word == 0 {
                continue;
            }
            match word & NAME {
                0 => {
                    let copy = word & ADDRESS;
                    prefetch(copy);
                    prefetch(copy + 64);
                }
                _ => self.prefetch(word >> PLACE_SHIFT & PLACE),
            }
            return;
        }
    }

    /// The live copy of a row that had the name with this hash, and that `is_it` accepts.
    ///
    /// # Safety
    /// As for `find`.
    #[inline]
    pub unsafe fn find_named(&self, hash: u64, is_it: impl Fn(CopyPtr) -> bool) -> Option<CopyPtr> {
        let (shape, tag) = (self.shape(), tag_of(hash));
        for at in Index::slots_of(shape.bucket(hash)) {
            let word = self.space.word(at).load(Relaxed);
            if word >> TAG_SHIFT != tag || word & NAME == 0 {
                continue;
            }
            let place = word >> PLACE_SHIFT & PLACE;
            // SAFETY: the caller's promise.
            let found =
                unsafe { self.find(place, |copy| copy.hash() & PLACE == place && is_it(copy)) };
            if found.is_some() {
                if word & TOUCHED == 0 {
                    let slot = self.space.word(at);
                    let _ = slot.compare_exchange(word, word | TOUCHED, Relaxed, Relaxed);
                }
                return found;
            }
        }
        None
    }

    /// Writes down that the row with the hash `row` has a name with the hash `hash`.
    ///
    /// # Safety
    /// As for `find`.
    pub unsafe fn name(&self, hash: u64, row: u64) -> bool {
        let word = tag_of(hash) << TAG_SHIFT | (row & PLACE) << PLACE_SHIFT | NAME;
        let bucket = self.shape().bucket(hash);
        let is_same = |at| self.space.word(at).load(Relaxed) & !TOUCHED == word;
        if Index::slots_of(bucket).any(is_same) {
            return false;
        }
        // As if it had been used, so that it lives until the index has grown once.
        // SAFETY: the caller's promise.
        unsafe { self.fill(bucket, hash, word | TOUCHED) }.1
    }

    /// Puts a copy into a slot of its bucket, pending: an empty one, or else that of another copy,
    /// if possible of one that was not touched.
    ///
    /// # Safety
    /// The caller has had an epoch guard since before the call.
    pub unsafe fn put(&self, hash: u64, copy: CopyPtr) -> Pending {
        let shape = self.shape();
        let word = tag_of(hash) << TAG_SHIFT | copy.address();
        // SAFETY: the caller's promise.
        let (at, has_displaced) = unsafe { self.fill(shape.bucket(hash), hash, word | PENDING) };
        Pending { at, word, shape, has_displaced }
    }

    /// Puts a word into a slot of a bucket. Returns the slot, and whether something else was there.
    ///
    /// # Safety
    /// As for `find`.
    unsafe fn fill(&self, bucket: usize, hash: u64, word: u64) -> (usize, bool) {
        for at in Index::slots_of(bucket) {
            let slot = self.space.word(at);
            let put =
                slot.load(Relaxed) == 0 && slot.compare_exchange(0, word, AcqRel, Relaxed).is_ok();
            if put {
                return (at, false);
            }
        }
        let first = (hash >> TAG_OF_PLACE_SHIFT) as usize;
        let mut turns = (0..SLOTS).map(|turn| bucket * SLOTS + (first + turn) % SLOTS);
        let untouched = turns.find(|&at| {
            let slot = self.space.word(at);
            let word = slot.load(Acquire); // pairs with `put` and `exchange`
            if word & NAME != 0 {
                let _ = slot.compare_exchange(word, word & !TOUCHED, Relaxed, Relaxed);
                return word & TOUCHED == 0;
            }
            // A pending copy may be on its way, and its block be retired by now.
            // SAFETY: the slot had the address of a live copy under the caller's guard (RC3).
            word & ADDRESS != 0
                && word & PENDING == 0
                && !unsafe { CopyPtr::from_address(word & ADDRESS) }.is_touched()
        });
        let at = untouched.unwrap_or(bucket * SLOTS + first % SLOTS);
        (at, self.space.word(at).swap(word, AcqRel) != 0)
    }

    /// Lets readers believe a pending copy; the caller has put up a fence since. Returns false if
    /// the slot was emptied or given to another copy meanwhile, or is not the right one any more.
    pub fn make_live(&self, pending: Pending) -> bool {
        if self.shape() != pending.shape {
            self.withdraw(pending);
            return false;
        }
        let slot = self.space.word(pending.at);
        slot.compare_exchange(pending.word | PENDING, pending.word, AcqRel, Relaxed).is_ok()
    }

    /// Empties the slot of a pending copy, unless it was emptied already.
    pub fn withdraw(&self, pending: Pending) {
        let slot = self.space.word(pending.at);
        if slot.compare_exchange(pending.word | PENDING, 0, AcqRel, Relaxed).is_ok() {
            self.filled.fetch_sub(1, Relaxed);
        }
    }

    /// Empties every slot that a copy of the row with this hash may have, pending or not. Returns
    /// how many had one.
    pub fn kill(&self, hash: u64) -> u64 {
        let tag = tag_of(hash);
        self.change(hash, |word| {
            (word >> TAG_SHIFT == tag && word & NAME == 0 && word != 0).then_some(0)
        })
    }

    /// Empties the slot of this copy. Returns whether it had one.
    pub fn remove(&self, hash: u64, copy: CopyPtr) -> bool {
        self.change(hash, |word| is_of(word, copy).then_some(0)) > 0
    }

    /// Gives the slot of a copy to another copy of the same row; empties it if it is pending.
    /// Returns false if it had none.
    pub fn exchange(&self, hash: u64, copy: CopyPtr, to: CopyPtr) -> bool {
        let moved = |word: u64| match word & PENDING {
            0 => word & !ADDRESS | to.address(),
            _ => 0,
        };
        self.change(hash, |word| is_of(word, copy).then(|| moved(word))) > 0
    }

    /// Whether a slot has the address of this copy.
    pub fn has(&self, hash: u64, copy: CopyPtr) -> bool {
        let mut slots = self.shape().buckets(hash).flat_map(Index::slots_of);
        slots.any(|at| is_of(self.space.word(at).load(Relaxed), copy))
    }

    /// Changes the slots of a row as `to` says; those for which it returns nothing stay. Returns
    /// how many have changed.
    fn change(&self, hash: u64, to: impl Fn(u64) -> Option<u64>) -> u64 {
        let (mut changed, mut emptied) = (0, 0);
        loop {
            let shape = self.shape();
            for at in shape.buckets(hash).flat_map(Index::slots_of) {
                let slot = self.space.word(at);
                // Acquire: who sees a slot empty whose copy is on its way sees the new slot.
                let mut word = slot.load(Acquire);
                while let Some(new) = to(word) {
                    match slot.compare_exchange(word, new, AcqRel, Acquire) {
                        Ok(_) => {
                            changed += 1;
                            emptied += i64::from(new == 0);
                            break;
                        }
                        // It has become live, has moved, or is another's.
                        Err(now) => word = now,
                    }
                }
            }
            fence(SeqCst); // pairs with `grow`
            if self.shape() == shape {
                if emptied > 0 {
                    self.filled.fetch_sub(emptied, Relaxed);
                }
                return changed;
            }
        }
    }

    /// Calls a function with every live copy in these slots.
    ///
    /// # Safety
    /// As for `find`.
    pub unsafe fn each(&self, slots: std::ops::Range<usize>, mut visit: impl FnMut(CopyPtr)) {
        for at in slots.start..slots.end.min(self.slots()) {
            let word = self.space.word(at).load(Acquire); // pairs with `put` and `exchange`
            if word != 0 && word & (PENDING | NAME) == 0 {
                // SAFETY: the slot had the address under the caller's guard (RC3).
                visit(unsafe { CopyPtr::from_address(word & ADDRESS) });
            }
        }
    }

    /// Doubles the buckets, if there may be more. Returns whether it did. Now and then it calls
    /// `pause`, which may renew the caller's guard.
    ///
    /// # Safety
    /// The caller has had an epoch guard since before the call, or has one since `pause`.
    pub unsafe fn grow(&self, mut pause: impl FnMut()) -> bool {
        let Some(_growing) = self.growing.try_lock() else { return false };
        let before = self.shape();
        let log = before.log + 1;
        if SLOTS << log > self.slots_max {
            return false;
        }
        self.shape.store(Shape { log, grows: true }.to_bits(), SeqCst);
        fence(SeqCst); // pairs with the fences of admissions and of `change`
        for bucket in 0..1 << before.log {
            if bucket % BUCKETS_PER_GUARD == 0 {
                pause();
            }
            for at in Index::slots_of(bucket) {
                // SAFETY: the caller's promise.
                unsafe { self.send(at, bucket, log) };
            }
        }
        self.shape.store(Shape { log, grows: false }.to_bits(), SeqCst);
        fence(SeqCst);
        true
    }

    /// Brings what is in a slot to its new bucket, if that is another.
    ///
    /// # Safety
    /// As for `grow`.
    unsafe fn send(&self, at: usize, bucket: usize, log: u32) {
        let (slot, shape) = (self.space.word(at), Shape { log, grows: false });
        loop {
            let word = slot.load(Acquire); // pairs with `put` and `exchange`
            if word == 0 {
                return;
            }
            if word & NAME != 0 {
                // Its own hash is not known, so that either bucket may be the right one. One that
                // was not used since the last time is in the wrong one, or of no use.
                let other = self.space.word(at + (SLOTS << (log - 1)));
                let is_used = word & TOUCHED != 0;
                let copied =
                    is_used && other.compare_exchange(0, word & !TOUCHED, Relaxed, Relaxed).is_ok();
                let kept = if is_used { word & !TOUCHED } else { 0 };
                let changed = slot.compare_exchange(word, kept, Relaxed, Relaxed).is_ok();
                self.filled.fetch_add(i64::from(copied) - i64::from(changed && !is_used), Relaxed);
                return;
            }
            // SAFETY: the slot had the address under the caller's guard (RC3).
            let hash = unsafe { CopyPtr::from_address(word & ADDRESS) }.hash();
            if shape.bucket(hash) == bucket {
                return;
            }
            let mut places = Index::slots_of(shape.bucket(hash)).map(|at| self.space.word(at));
            let to = places.find(|to| {
                word & PENDING == 0
                    && to.compare_exchange(0, word | PENDING, AcqRel, Relaxed).is_ok()
            });
            let has_left = slot.compare_exchange(word, 0, AcqRel, Relaxed).is_ok();
            if let Some(to) = to {
                let now = if has_left { word } else { 0 };
                let _ = to.compare_exchange(word | PENDING, now, AcqRel, Relaxed);
            }
            if has_left {
                self.filled.fetch_sub(i64::from(to.is_none()), Relaxed);
                return;
            }
        }
    }
}

#[inline]
fn tag_of(hash: u64) -> u64 {
    hash >> TAG_OF_PLACE_SHIFT & 0xFFFF
}

fn is_of(word: u64, copy: CopyPtr) -> bool {
    word & ADDRESS == copy.address() && word & NAME == 0
}
