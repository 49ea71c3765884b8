//! The row cache: copies of single rows of clustered trees, found by identity key without a look at
//! a page.
//!
//! The design, with its invariants K1 to K4 and why they hold, is `docs/design/row-cache.md`.
//!
//! # Life of a copy   written → pending → live → evicted, killed or displaced → freed with its block
//! # Lock order       a shard's block, then the ring
//! # Failure          none: what finds a lock taken, or no room, does without

mod blocks;
mod index;
mod sketch;

use crossbeam_epoch::Guard;
use crossbeam_utils::CachePadded;

use self::blocks::{BLOCK_BYTES, Block, CopyPtr, Ring};
use self::index::{Index, Pending};
use self::sketch::Sketch;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::sync::atomic::{AtomicU64, fence};
use crate::sync::parking::Mutex;

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;
#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

/// The longest row that is copied, in bytes.
pub const ROW_MAX: usize = 4096;
/// Bytes of blocks for each slot of the index. A copy takes more, so that slots are free.
const BYTES_PER_SLOT: u64 = 96;
/// The least budget: below it the blocks of the shards alone would exceed it.
#[cfg(not(feature = "shuttle"))]
pub const BUDGET_MIN: u64 = 4 << 20;
/// The least budget: a few blocks.
#[cfg(feature = "shuttle")]
pub const BUDGET_MIN: u64 = 2 << 10;

/// What became of a row that was to be admitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It has a copy, of this call or an earlier one.
    Admitted,
    /// It was looked up for the first time, and the cache is full.
    FirstTouch,
    /// It is too long, or there was no room or no block at hand.
    Refused,
    /// The row is in memory, or was changed meanwhile.
    Withdrawn,
}

/// Counts of what the cache has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs)]
pub struct CacheStats {
    pub hits: u64,
    pub misses: u64,
    pub admitted: u64,
    /// Rows that were looked up for the first time while the cache was full.
    pub first_touches: u64,
    pub refused: u64,
    pub withdrawn: u64,
    /// Copies that were emptied with their block.
    pub evicted: u64,
    /// Copies that moved to a new block, since they had been touched.
    pub moved: u64,
    /// Copies that made way for another in a full bucket.
    pub displaced: u64,
    /// Copies of rows that were about to change.
    pub killed: u64,
    /// Bytes of blocks, those that wait for the epoch included, of the index and of the sketch.
    pub bytes: u64,
    /// Bytes that all these may take.
    pub budget: u64,
}

/// The counters that threads raise, one set for each shard.
#[derive(Default)]
struct Counters {
    hits: AtomicU64,
    misses: AtomicU64,
    admitted: AtomicU64,
    first_touches: AtomicU64,
    refused: AtomicU64,
    withdrawn: AtomicU64,
    evicted: AtomicU64,
    moved: AtomicU64,
    displaced: AtomicU64,
    killed: AtomicU64,
}

/// One worker's part: the block into which it writes copies.
#[derive(Default)]
struct Shard {
    block: Mutex<Option<Block>>,
    counters: Counters,
}

/// A row, by the storage that has it and its identity key there.
#[derive(Clone, Copy, Debug)]
pub struct RowName<'a> {
    /// The storage id.
    pub storage: u64,
    /// The identity key.
    pub p: &'a [u8],
}

impl RowName<'_> {
    fn hash(&self) -> u64 {
        let key = base::collation::compare::hash_bytes(self.p);
        let mixed = (key ^ self.storage.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 32
    }
}

/// The copies of rows of a database.
pub struct RowCache {
    budget: u64,
    index: Index,
    sketch: Sketch,
    shards: Box<[CachePadded<Shard>]>,
    /// Full blocks, the oldest first.
    ring: Mutex<Ring>,
    /// Bytes of blocks that are not freed.
    block_bytes: Arc<AtomicU64>,
}

impl RowCache {
    /// An empty cache that takes at most this many bytes; `shards` threads write to it without
    /// getting in each other's way.
    pub fn new(budget: u64, shards: usize) -> RowCache {
        let budget = budget.max(BUDGET_MIN);
        let index = Index::new(budget / BYTES_PER_SLOT);
        let sketch = Sketch::new(index.slots());
        let shards = (0..shards.max(1)).map(|_| CachePadded::default()).collect();
        let (ring, block_bytes) = (Mutex::default(), Arc::default());
        RowCache { budget, index, sketch, shards, ring, block_bytes }
    }

    /// The row's bytes, if it has a copy that lives.
    #[inline]
    pub fn find<'g>(&self, guard: &'g Guard, shard: usize, row: RowName<'_>) -> Option<&'g [u8]> {
        let counters = &self.shard(shard).counters;
        // SAFETY: the guard was there before the slot was read, so that the block of the copy is
        // not freed before the guard is gone (K3).
        let found = unsafe { self.index.find(row.hash(), |copy| copy.is_of(row)) };
        let Some(copy) = found else {
            add_one(&counters.misses);
            return None;
        };
        add_one(&counters.hits);
        // SAFETY: as above.
        unsafe {
            copy.touch();
            Some(copy.row(guard))
        }
    }

    /// Admits a row that was read from the tree, and that every snapshot sees so. `is_settled` is
    /// asked when the copy is in the index: whether memory has no anchor of the row, and its table
    /// still caches rows.
    pub fn admit(
        &self,
        guard: &Guard,
        shard: usize,
        name: RowName<'_>,
        row: &[u8],
        is_settled: impl FnOnce() -> bool,
    ) -> Admission {
        let admission = self.try_admit(guard, shard, name, row, is_settled);
        let counters = &self.shard(shard).counters;
        add_one(match admission {
            Admission::Admitted => &counters.admitted,
            Admission::FirstTouch => &counters.first_touches,
            Admission::Refused => &counters.refused,
            Admission::Withdrawn => &counters.withdrawn,
        });
        admission
    }

    fn try_admit(
        &self,
        guard: &Guard,
        shard: usize,
        name: RowName<'_>,
        row: &[u8],
        is_settled: impl FnOnce() -> bool,
    ) -> Admission {
        let hash = name.hash();
        let touched_before = self.sketch.touch(hash);
        if self.is_full() && !touched_before {
            return Admission::FirstTouch;
        }
        if row.len() > ROW_MAX || name.p.len() > ROW_MAX {
            return Admission::Refused;
        }
        // SAFETY: the guard is older than any block that is freed from here on.
        if unsafe { self.index.find(hash, |other| other.is_of(name)) }.is_some() {
            return Admission::Admitted; // another thread was faster
        }
        let Some(pending) = self.put(guard, shard, hash, name, row) else {
            return Admission::Refused;
        };
        if pending.has_displaced {
            add_one(&self.shard(shard).counters.displaced);
        }
        // Pairs with the fence in `kill`: either this sees the anchor, or that sees the slot.
        fence(SeqCst);
        let lives = match is_settled() {
            true => self.index.make_live(pending),
            false => {
                self.index.withdraw(pending);
                false
            }
        };
        if lives { Admission::Admitted } else { Admission::Withdrawn }
    }

    /// Empties the slots that a copy of the row may have. The caller has linked an anchor of the
    /// row in all indexes, and has not written the row yet.
    pub fn kill(&self, shard: usize, row: RowName<'_>) {
        // Pairs with the fence in `try_admit`.
        fence(SeqCst);
        let killed = self.index.kill(row.hash());
        if killed > 0 {
            self.shard(shard).counters.killed.fetch_add(killed, Relaxed);
        }
    }

    /// Empties the slots of a storage's copies. The caller has seen to it that `is_settled` is
    /// false for all rows of the storage from here on.
    pub fn forget(&self, storage: u64) {
        fence(SeqCst);
        self.forget_if(|copy| copy.storage() == storage);
    }

    /// Empties all slots.
    pub fn clear(&self) {
        self.forget_if(|_| true);
    }

    fn forget_if(&self, is_gone: impl Fn(CopyPtr) -> bool) {
        let forget = |copy: CopyPtr| {
            if is_gone(copy) {
                self.index.remove(copy.hash(), copy);
            }
        };
        // All at once, so that no copy moves from a block that is still to come to one before.
        let blocks: Vec<_> = self.shards.iter().map(|shard| shard.block.lock()).collect();
        let ring = self.ring.lock();
        let filling = blocks.iter().filter_map(|block| block.as_ref());
        filling.chain(ring.blocks()).for_each(|block| block.copies().for_each(forget));
    }

    /// The counts since the cache was made.
    pub fn stats(&self) -> CacheStats {
        let sum = |of: fn(&Counters) -> &AtomicU64| {
            self.shards.iter().map(|shard| of(&shard.counters).load(Relaxed)).sum()
        };
        CacheStats {
            hits: sum(|c| &c.hits),
            misses: sum(|c| &c.misses),
            admitted: sum(|c| &c.admitted),
            first_touches: sum(|c| &c.first_touches),
            refused: sum(|c| &c.refused),
            withdrawn: sum(|c| &c.withdrawn),
            evicted: sum(|c| &c.evicted),
            moved: sum(|c| &c.moved),
            displaced: sum(|c| &c.displaced),
            killed: sum(|c| &c.killed),
            bytes: self.bytes(),
            budget: self.budget,
        }
    }

    fn shard(&self, shard: usize) -> &Shard {
        &self.shards[shard % self.shards.len()]
    }

    fn bytes(&self) -> u64 {
        self.index.bytes() + self.sketch.bytes() + self.block_bytes.load(Relaxed)
    }

    /// Whether old blocks must go before there can be new ones.
    fn is_full(&self) -> bool {
        self.bytes() > self.budget - self.budget / 16
    }

    /// Writes a copy into the shard's block, and puts it into the index, pending. `None` if another
    /// thread writes there, or there is no room for another block.
    fn put(
        &self,
        guard: &Guard,
        shard: usize,
        hash: u64,
        name: RowName<'_>,
        row: &[u8],
    ) -> Option<Pending> {
        // Held until the copy is in its slot: a block is not evicted between both (K3).
        let mut block = self.shard(shard).block.try_lock()?;
        let copy = match block.as_mut().and_then(|block| block.push(hash, name, row)) {
            Some(copy) => copy,
            None => {
                self.replace_block(guard, shard, &mut block)?;
                block.as_mut()?.push(hash, name, row)?
            }
        };
        // SAFETY: the guard is the caller's.
        Some(unsafe { self.index.put(hash, copy) })
    }

    /// Gives a shard whose block is full another one, and evicts the oldest if the cache is full.
    /// `None` if another thread does so.
    fn replace_block(&self, guard: &Guard, shard: usize, block: &mut Option<Block>) -> Option<()> {
        let mut ring = self.ring.try_lock()?;
        if let Some(full) = block.take() {
            ring.push(full);
        }
        let oldest = if self.is_full() { ring.take_coldest() } else { None };
        // Blocks that wait for the epoch may have all the room.
        let room = self.bytes() + BLOCK_BYTES as u64 <= self.budget;
        let mut new = room.then(|| Block::new(&self.block_bytes));
        if let Some(oldest) = oldest {
            self.evict(shard, &oldest, new.as_mut());
            // SAFETY: no slot has an address in the block, and none gets one: a copy goes into a
            // slot once, before its block goes into the ring (K3).
            unsafe { guard.defer_unchecked(move || drop(oldest)) };
        }
        *block = new;
        Some(())
    }

    /// Empties the slots of a block's copies, except that copies which were touched move to the new
    /// block, up to half of it.
    fn evict(&self, shard: usize, oldest: &Block, mut new: Option<&mut Block>) {
        let counters = &self.shard(shard).counters;
        let (mut evicted, mut moved) = (0, 0);
        for copy in oldest.copies() {
            let to = match &mut new {
                Some(new) if copy.is_touched() && new.is_below_half() => new.push_again(copy),
                _ => None,
            };
            match to {
                Some(to) => moved += u64::from(self.index.exchange(copy.hash(), copy, to)),
                None => evicted += u64::from(self.index.remove(copy.hash(), copy)),
            }
        }
        counters.evicted.fetch_add(evicted, Relaxed);
        counters.moved.fetch_add(moved, Relaxed);
    }
}

/// Raises a counter that mostly one thread raises: now and then one is lost.
#[inline]
fn add_one(counter: &AtomicU64) {
    counter.store(counter.load(Relaxed).wrapping_add(1), Relaxed);
}
