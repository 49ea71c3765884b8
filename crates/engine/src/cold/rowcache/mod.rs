//! The row cache: copies of single rows of clustered trees, found by the whole key of a unique
//! index without a look at a page.
//!
//! The design, with its invariants RC1 to RC4 and why they hold, is `docs/design/row-cache.md`.
//!
//! # Life of a copy   written → pending → live → evicted, killed or displaced → freed
//! # Lock order       a shard's block, then the ring
//! # Failure          none: what finds a lock taken, or no room, does without

mod blocks;
mod budget;
mod counts;
mod ghosts;
mod index;
mod memory;
mod settings;
mod sketch;
mod space;
mod tuning;

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use crossbeam_epoch::Guard;
use crossbeam_utils::CachePadded;

pub use self::budget::{Budget, Taken};
pub use self::counts::{LookUpStats, TableCounts, TableStats};
pub use self::settings::{CacheSettings, SharedSettings};
pub use self::tuning::{AdmissionDecision, Naming};

use self::blocks::{BLOCK_BYTES, Block, CopyPtr, Ring};
use self::counts::add;
use self::ghosts::Ghosts;
use self::index::{Index, Pending};
use self::memory::BlockSpace;
use self::sketch::Sketch;
use self::tuning::Reuse;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::{Relaxed, SeqCst};
use crate::sync::atomic::{AtomicU64, AtomicUsize, fence};
use crate::sync::parking::Mutex;
use crate::wait::{Interrupted, Task};

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;
#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

/// The longest row that is copied, in bytes.
pub const ROW_MAX: usize = 4096;
/// The fewest bytes of a copy with its slot, from which the most slots follow.
const BYTES_PER_SLOT: u64 = 64;
/// A budget with which a cache can work: a few blocks for each thread that fills some.
#[cfg(not(feature = "shuttle"))]
pub const BUDGET_MIN: u64 = 4 << 20;
/// A budget with which a cache can work: a few blocks.
#[cfg(feature = "shuttle")]
pub const BUDGET_MIN: u64 = 2 << 10;
/// The index grows when at least one in this many copies and names has displaced another.
const DISPLACED_PART: u64 = 12;
/// ... of at least this many.
const PUT_MIN: u64 = 64;
/// An index of at most this many slots is made larger by the statement that finds it too small; a
/// larger one when the cache is tended.
const GROWN_AT_ONCE: usize = 1 << 17;
/// Blocks that are looked at each time that the cache is tended, for some without live copies...
const DEAD_BLOCK_LOOKS: usize = 16;
/// ... and if there are many.
const DEAD_BLOCK_LOOKS_MAX: usize = 512;
/// How often the cache is tended until it decides anew what it does for tables.
const TURNS_PER_TUNING: u64 = 20;
/// What index, sketch and ghosts may take of the budget: one in this many.
const TABLES_PART: u64 = 4;

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

/// What takes memory in the cache, and what it has done beyond what it did for tables.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CacheStats {
    /// Bytes of blocks, those that wait for the epoch included.
    pub block_bytes: u64,
    /// Bytes of the index that finds copies.
    pub index_bytes: u64,
    /// Bytes of what remembers look-ups.
    pub sketch_bytes: u64,
    /// Slots of the index.
    pub slots: u64,
    /// Copies that were evicted, and the bytes that they took.
    pub evicted: u64,
    /// See `evicted`.
    pub evicted_bytes: u64,
    /// Copies and names that made way for others in full buckets.
    pub displaced: u64,
    /// Rows that were looked up again soon after their copies were evicted.
    pub reused: u64,
    /// Copies that are remembered after their eviction.
    pub ghosts: u64,
    /// The most that this cache may take, if less than all caches together.
    pub ceiling: u64,
    /// Bytes that it takes in all, and the most that it has taken.
    pub bytes: u64,
    /// See `bytes`.
    pub bytes_max: u64,
}

/// The rows of one table that have copies.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Contents {
    /// How many.
    pub rows: u64,
    /// The bytes that the copies take.
    pub bytes: u64,
}

/// One thread's part: the block into which it writes copies.
#[derive(Default)]
struct Shard {
    block: Mutex<Option<Block>>,
    /// Copies and names that were put into slots.
    put: AtomicU64,
    displaced: AtomicU64,
}

/// A row, by the space of its table and its identity key there. A table gets a **space** each time
/// that its row caching is switched on; copies in spaces that are not in use any more are found by
/// no reader, and go with their blocks.
#[derive(Clone, Copy, Debug)]
pub struct RowName<'a> {
    /// The space.
    pub space: u32,
    /// The identity key.
    pub p: &'a [u8],
}

impl RowName<'_> {
    fn hash(&self) -> u64 {
        hash_of(self.space, 0, self.p)
    }
}

/// A row's key in a unique index that is not the clustered one.
#[derive(Clone, Copy, Debug)]
pub struct KeyName<'a> {
    /// The space.
    pub space: u32,
    /// The ordinal of the index.
    pub index: usize,
    /// The key there.
    pub key: &'a [u8],
}

impl KeyName<'_> {
    fn hash(&self) -> u64 {
        hash_of(self.space, 1 + self.index as u64, self.key)
    }
}

/// A key by which a copy is found.
#[derive(Clone, Copy, Debug)]
pub enum AnyName<'a> {
    /// The identity key.
    Row(RowName<'a>),
    /// The key of another unique index.
    Key(KeyName<'a>),
}

impl AnyName<'_> {
    fn hash(&self) -> u64 {
        match self {
            AnyName::Row(name) => name.hash(),
            AnyName::Key(name) => name.hash(),
        }
    }
}

fn hash_of(space: u32, index: u64, key: &[u8]) -> u64 {
    let key = base::collation::compare::hash_bytes(key);
    let seed = u64::from(space) << 32 ^ index.rotate_left(20);
    let mixed = (key ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 32
}

/// A storage whose rows are cached.
struct CachedStorage {
    storage: u64,
    counts: Arc<TableCounts>,
}

/// The copies of rows of a database.
pub struct RowCache {
    budget: Arc<Budget>,
    settings: Arc<SharedSettings>,
    /// The most that it has taken.
    bytes_max: AtomicU64,
    index: Index,
    block_space: Arc<BlockSpace>,
    sketch: Sketch,
    ghosts: Ghosts,
    shards: Box<[CachePadded<Shard>]>,
    /// Full blocks, the oldest first.
    ring: Mutex<Ring>,
    /// Bytes of blocks that are not freed.
    blocks: Arc<Budget>,
    /// What index, sketch and ghosts take.
    taken: Mutex<Taken>,
    /// The tables whose rows are cached, by their spaces.
    tables: Mutex<HashMap<u32, CachedStorage>>,
    /// The last space that a table got.
    last_space: AtomicU64,
    /// What was put and displaced when the index was looked at last.
    looked_at: Mutex<[u64; 2]>,
    evicted: AtomicU64,
    evicted_bytes: AtomicU64,
    reused: AtomicU64,
    /// What the budget knows to be remembered.
    remembered: AtomicU64,
    /// How often the cache was tended.
    turns: AtomicU64,
    /// The block that is looked at next.
    next_look: AtomicUsize,
}

impl RowCache {
    /// An empty cache within this budget, which never exceeds `most` bytes; `shards` threads write
    /// to it without getting in each other's way. Fails if there is no address space.
    pub fn new(budget: Arc<Budget>, most: u64, shards: usize) -> io::Result<RowCache> {
        let slots_max =
            usize::try_from(most.max(BUDGET_MIN) / BYTES_PER_SLOT).unwrap_or(usize::MAX);
        let index = Index::new(slots_max)?;
        let slots_max = index.slots_max();
        let cache = RowCache {
            settings: Arc::default(),
            bytes_max: AtomicU64::new(tables_bytes(index.slots())),
            block_space: BlockSpace::new(most.max(BUDGET_MIN))?,
            sketch: Sketch::new(slots_max)?,
            ghosts: Ghosts::new(slots_max)?,
            shards: (0..shards.max(1)).map(|_| CachePadded::default()).collect(),
            ring: Mutex::default(),
            blocks: Arc::default(),
            taken: Mutex::new(budget.take(tables_bytes(index.slots()))),
            tables: Mutex::default(),
            last_space: AtomicU64::new(0),
            looked_at: Mutex::default(),
            evicted: AtomicU64::new(0),
            evicted_bytes: AtomicU64::new(0),
            reused: AtomicU64::new(0),
            remembered: AtomicU64::new(0),
            turns: AtomicU64::new(0),
            next_look: AtomicUsize::new(0),
            index,
            budget,
        };
        cache.budget.add_cache();
        Ok(cache)
    }

    /// The same cache under settings that others have, too.
    pub fn with_settings(mut self, settings: Arc<SharedSettings>) -> RowCache {
        self.settings = settings;
        self
    }

    /// The row's bytes, if it has a copy that lives.
    #[inline]
    pub fn find<'g>(&self, guard: &'g Guard, row: RowName<'_>) -> Option<&'g [u8]> {
        // SAFETY: the guard was there before the slot was read, so that the block of the copy is
        // not freed before the guard is gone (RC3).
        unsafe {
            let copy = self.index.find(row.hash(), |copy| copy.is_of(row))?;
            copy.touch();
            Some(copy.row(guard))
        }
    }

    /// The bytes of a row that had a key of a unique index when it was looked up, if it has a copy
    /// that lives and `is_it` accepts them.
    #[inline]
    pub fn find_named<'g>(
        &self,
        guard: &'g Guard,
        name: KeyName<'_>,
        is_it: impl Fn(&[u8]) -> bool,
    ) -> Option<&'g [u8]> {
        let is_row = |copy: CopyPtr| {
            // SAFETY: the guard was there before the slot was read (RC3).
            copy.space() == name.space && is_it(unsafe { copy.row(guard) })
        };
        // SAFETY: as above.
        unsafe {
            let copy = self.index.find_named(name.hash(), is_row)?;
            copy.touch();
            Some(copy.row(guard))
        }
    }

    /// Prefetches what a look-up by one of these keys needs first, for a caller that looks up
    /// `next` before `after`, and has called this with `next` as `after` before.
    #[inline]
    pub fn prefetch(&self, next: Option<AnyName<'_>>, after: AnyName<'_>) {
        self.index.prefetch(after.hash());
        if let Some(next) = next {
            self.index.prefetch_behind(next.hash());
        }
    }

    /// Writes down that a row has a key of a unique index.
    pub fn name(&self, _: &Guard, shard: usize, name: KeyName<'_>, row: RowName<'_>) {
        // SAFETY: the guard is older than any block that is freed from here on.
        let has_displaced = unsafe { self.index.name(name.hash(), row.hash()) };
        self.shard(shard).count(has_displaced);
    }

    /// Whether a row that has no copy gets one if it is looked up now, as far as is known.
    pub fn will_admit(&self, name: RowName<'_>) -> bool {
        let (hash, slots) = (name.hash(), self.index.slots());
        !self.is_full() || self.sketch.was_touched(hash, slots) || self.ghosts.has(hash, slots)
    }

    /// Admits a row that was read from the tree, and that every snapshot sees so. `is_settled` is
    /// asked when the copy is in the index: whether memory has no anchor of the row, and its table
    /// still caches rows.
    pub fn admit(
        &self,
        guard: &Guard,
        shard: usize,
        counts: &TableCounts,
        name: RowName<'_>,
        row: &[u8],
        is_settled: impl FnOnce() -> bool,
    ) -> Admission {
        let (hash, slots) = (name.hash(), self.index.slots());
        let came_back = self.ghosts.take(hash, slots);
        self.budget.asked(came_back);
        if came_back {
            add(&self.reused, 1);
            add(&counts.reused, 1);
        }
        let was_touched = self.sketch.touch(hash, slots) || came_back;
        let admission = match (self.is_full(), was_touched) {
            (true, false) => Admission::FirstTouch,
            (true, true) if !counts.admissions.allow() => Admission::Refused,
            _ => self.try_admit(guard, shard, hash, name, row, is_settled),
        };
        let count = match admission {
            Admission::Admitted => &counts.admitted,
            Admission::FirstTouch => &counts.first_touches,
            Admission::Refused => &counts.refused,
            Admission::Withdrawn => &counts.withdrawn,
        };
        add(count, 1);
        admission
    }

    /// Admits a row that has left memory for the tree, if it was used not long ago: a row that was
    /// only inserted gets no copy, even if there is room. Otherwise as `admit`.
    pub fn keep(
        &self,
        guard: &Guard,
        shard: usize,
        counts: &TableCounts,
        name: RowName<'_>,
        row: &[u8],
        is_settled: impl FnOnce() -> bool,
    ) -> Admission {
        let hash = name.hash();
        if !self.sketch.was_touched(hash, self.index.slots()) {
            return Admission::FirstTouch;
        }
        if self.is_full() && !counts.admissions.allow() {
            return Admission::Refused;
        }
        let admission = self.try_admit(guard, shard, hash, name, row, is_settled);
        if admission == Admission::Admitted {
            add(&counts.left, 1);
        }
        admission
    }

    /// Admits a row that nothing has looked up. The caller sees to it that there is room; else as
    /// `admit`.
    pub fn bring(
        &self,
        guard: &Guard,
        shard: usize,
        counts: &TableCounts,
        name: RowName<'_>,
        row: &[u8],
        is_settled: impl FnOnce() -> bool,
    ) -> Admission {
        let admission = self.try_admit(guard, shard, name.hash(), name, row, is_settled);
        if admission == Admission::Admitted {
            add(&counts.admitted, 1);
        }
        admission
    }

    /// Notes that a row which is in memory was looked up: it leaves a copy when it leaves memory.
    #[inline]
    pub fn note_use(&self, name: RowName<'_>) {
        let (hash, slots) = (name.hash(), self.index.slots());
        if !self.sketch.was_touched(hash, slots) {
            self.sketch.touch(hash, slots);
        }
    }

    fn try_admit(
        &self,
        guard: &Guard,
        shard: usize,
        hash: u64,
        name: RowName<'_>,
        row: &[u8],
        is_settled: impl FnOnce() -> bool,
    ) -> Admission {
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
        self.shard(shard).count(pending.has_displaced);
        // Pairs with the fence in `kill`: either this sees the anchor, or that sees the slot. And
        // with the one in `Index::grow`, in the same way.
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

    /// Empties the slots that a copy of the row may have, and notes that the row is used. The
    /// caller has linked an anchor of the row in all indexes, and has not written the row yet.
    pub fn kill(&self, counts: &TableCounts, row: RowName<'_>) {
        // Pairs with the fence in `try_admit`.
        fence(SeqCst);
        let hash = row.hash();
        let killed = self.index.kill(hash);
        if killed > 0 {
            add(&counts.killed, killed);
        }
        self.sketch.touch(hash, self.index.slots());
    }

    /// A space for the rows of a storage, and where it counts what happens to them. `None` if
    /// billions of spaces were used up.
    pub fn open_space(&self, storage: u64, counts: &Arc<TableCounts>) -> Option<u32> {
        let space = u32::try_from(self.last_space.fetch_add(1, Relaxed) + 1).ok()?;
        let table = CachedStorage { storage, counts: counts.clone() };
        self.tables.lock().insert(space, table);
        Some(space)
    }

    /// No reader uses a space from now on. The caller has seen to it that `is_settled` is false for
    /// rows of the space.
    pub fn close_space(&self, space: u32) {
        self.tables.lock().remove(&space);
    }

    /// The storages whose rows are cached, by space.
    pub fn storages(&self) -> HashMap<u32, u64> {
        self.tables.lock().iter().map(|(space, table)| (*space, table.storage)).collect()
    }

    /// Evicts all copies.
    pub fn clear(&self, guard: &Guard) {
        for shard in &self.shards {
            if let Some(block) = shard.block.lock().take() {
                self.ring.lock().push(block);
            }
        }
        let blocks = self.ring.lock().len();
        for _ in 0..blocks {
            let mut ring = self.ring.lock();
            let Some(block) = ring.take(0) else { break };
            self.evict(&block, None);
            self.retire(guard, block);
        }
        guard.flush();
    }

    /// Frees a block when no reader can know its copies any more.
    fn retire(&self, guard: &Guard, mut block: Block) {
        block.retire();
        // SAFETY: no slot has an address in the block, and none gets one: a copy goes into a slot
        // once, before its block goes into the ring (RC3).
        unsafe { guard.defer_unchecked(move || drop(block)) };
    }

    /// How many rows have live copies, by space. Other sessions have their turn meanwhile.
    pub fn contents(&self, task: &Task) -> Result<HashMap<u32, Contents>, Interrupted> {
        const SLOTS_PER_GUARD: usize = 1024;
        let mut contents: HashMap<u32, Contents> = HashMap::new();
        for first in (0..self.index.slots()).step_by(SLOTS_PER_GUARD) {
            let guard = task.pin();
            // SAFETY: the guard is older than any block that is freed from here on.
            unsafe {
                self.index.each(first..first + SLOTS_PER_GUARD, |copy| {
                    let of = contents.entry(copy.space()).or_default();
                    of.rows += 1;
                    of.bytes += copy.len() as u64;
                });
            }
            drop(guard);
            task.checkpoint()?;
        }
        Ok(contents)
    }

    /// How many slots there are.
    pub fn slots(&self) -> usize {
        self.index.slots()
    }

    /// Calls a function with the rows that have copies in these slots, and their bytes.
    pub fn each_row(
        &self,
        guard: &Guard,
        slots: Range<usize>,
        mut visit: impl FnMut(RowName<'_>, &[u8]),
    ) {
        // SAFETY: the guard is older than any block that is freed from here on.
        unsafe { self.index.each(slots, |copy| visit(copy.name(), copy.row(guard))) }
    }

    /// Takes bytes of what caches may use, for something else that belongs to them.
    pub fn take(&self, bytes: u64) -> Taken {
        self.budget.take(bytes)
    }

    /// What takes memory, and what was done, since the cache was made.
    pub fn stats(&self) -> CacheStats {
        let slots = self.index.slots();
        CacheStats {
            block_bytes: self.blocks.used(),
            index_bytes: Index::bytes(slots),
            sketch_bytes: Sketch::bytes(slots) + Ghosts::bytes(slots),
            slots: slots as u64,
            evicted: self.evicted.load(Relaxed),
            evicted_bytes: self.evicted_bytes.load(Relaxed),
            displaced: self.put_and_displaced()[1],
            reused: self.reused.load(Relaxed),
            ghosts: Ghosts::count(slots) as u64,
            ceiling: self.settings.ceiling(),
            bytes: self.bytes(),
            bytes_max: self.bytes_max.load(Relaxed).max(self.bytes()),
        }
    }

    fn shard(&self, shard: usize) -> &Shard {
        &self.shards[shard % self.shards.len()]
    }

    fn put_and_displaced(&self) -> [u64; 2] {
        let sum = |of: fn(&Shard) -> &AtomicU64| {
            self.shards.iter().map(|shard| of(shard).load(Relaxed)).sum()
        };
        [sum(|shard| &shard.put), sum(|shard| &shard.displaced)]
    }

    /// Bytes of this cache, but for those that are about to be given back.
    fn staying(&self) -> u64 {
        self.blocks.staying() + tables_bytes(self.index.slots())
    }

    /// Bytes of this cache.
    fn bytes(&self) -> u64 {
        self.blocks.used() + tables_bytes(self.index.slots())
    }

    /// Notes what is taken, if it never was so much.
    fn note_bytes(&self) {
        self.bytes_max.fetch_max(self.bytes(), Relaxed);
    }

    /// Whether rows get copies at the second touch only.
    pub fn is_full(&self) -> bool {
        self.is_within(2)
    }

    /// Whether no more than this many sixteenths of what may be taken are left.
    fn is_within(&self, sixteenths: u64) -> bool {
        let is_above = |used: u64, limit: u64| used > limit - limit / 16 * sixteenths;
        is_above(self.budget.staying(), self.budget.limit())
            || is_above(self.staying(), self.settings.ceiling())
    }

    /// How much more stays than may be taken: of what all caches have too much, this cache's part.
    fn excess(&self) -> u64 {
        let above = |used: u64, limit: u64| used.saturating_sub(limit);
        let all = u128::from(above(self.budget.staying(), self.budget.limit()));
        let part = all * u128::from(self.bytes()) / u128::from(self.budget.used().max(1));
        let own = above(self.staying(), self.settings.ceiling());
        u64::try_from(part).unwrap_or(u64::MAX).max(own)
    }

    /// Whether there is room for another block.
    fn has_room(&self) -> bool {
        let block = BLOCK_BYTES as u64;
        self.budget.used() + block <= self.budget.limit()
            && self.bytes() + block <= self.settings.ceiling()
    }

    /// Makes the index larger if it is too small, evicts what is above a budget that has become
    /// less, frees blocks without live copies, and decides anew what depends on what was done. To
    /// be called now and then, not by a statement.
    pub fn tend(&self, guard: &mut Guard) {
        self.grow_if_due(|| guard.repin());
        self.claim_memory();
        self.tune();
        for _ in 0..self.excess().div_ceil(BLOCK_BYTES as u64) {
            // Held until the copies are out of the index: `clear` misses none.
            let mut ring = self.ring.lock();
            let Some(oldest) = ring.take_coldest() else { break };
            self.evict(&oldest, None);
            self.retire(guard, oldest);
        }
        self.free_dead_blocks(guard);
        guard.flush();
    }

    /// Looks at some blocks in turn, and frees those whose copies are dead, or are found by no
    /// reader. As long as many are, it looks at more.
    fn free_dead_blocks(&self, guard: &Guard) {
        let spaces = self.storages();
        let mut looked = 0;
        for most in [DEAD_BLOCK_LOOKS, DEAD_BLOCK_LOOKS_MAX] {
            let mut freed = 0;
            let first = looked;
            while looked < most {
                looked += 1;
                let mut ring = self.ring.lock();
                let len = ring.len();
                let at = self.next_look.load(Relaxed);
                let at = if at < len { at } else { 0 };
                let Some(block) = ring.at(at) else { break };
                let is_live = |copy: CopyPtr| {
                    spaces.contains_key(&copy.space()) && self.index.has(copy.hash(), copy)
                };
                if block.copies().any(is_live) {
                    self.next_look.store(at + 1, Relaxed);
                    continue;
                }
                let block = ring.take(at).expect("it was there");
                self.evict(&block, None);
                self.retire(guard, block);
                freed += 1;
            }
            if freed * 2 < looked - first {
                break;
            }
        }
    }

    /// Decides anew, now and then, how readily rows of each table get copies, and which indexes'
    /// keys lead to them.
    fn tune(&self) {
        let turn = self.turns.fetch_add(1, Relaxed);
        if turn % TURNS_PER_TUNING != 0 {
            return;
        }
        let tables: Vec<_> = self.tables.lock().values().map(|of| of.counts.clone()).collect();
        let is_full = self.is_full();
        tables.iter().for_each(|table| table.tune_names(is_full));
        let is_tuning = self.settings.is_tuning();
        let reuse: Vec<Reuse> = tables.iter().map(|table| table.reuse()).collect();
        let all = reuse.iter().fold(Reuse::default(), |all, own| Reuse {
            evicted: all.evicted + own.evicted,
            evicted_bytes: all.evicted_bytes + own.evicted_bytes,
            reused: all.reused + own.reused,
        });
        for (table, own) in tables.iter().zip(reuse) {
            match is_tuning {
                true => table.admissions.tune(own, all),
                false => table.admissions.reset(),
            }
        }
    }

    /// Tells the budget what is remembered of evicted copies.
    fn claim_memory(&self) {
        let evicted = self.evicted.load(Relaxed);
        let bytes = self.evicted_bytes.load(Relaxed) / evicted.max(1);
        let ghosts = evicted.min(Ghosts::count(self.index.slots()) as u64);
        let remembered = bytes * ghosts;
        self.budget.remembers(remembered, self.remembered.swap(remembered, Relaxed));
    }

    /// Makes the index larger if it is too small: if at least half of its slots are in use, and too
    /// many copies and names have taken the places of others lately. The caller has a guard, which
    /// `pause` may renew.
    pub fn grow_if_due(&self, pause: impl FnMut()) {
        let Some(mut looked_at) = self.looked_at.try_lock() else { return };
        let now = self.put_and_displaced();
        let [put, displaced] = [0, 1].map(|at| now[at].wrapping_sub(looked_at[at]));
        if put < PUT_MIN {
            return;
        }
        *looked_at = now;
        let slots = self.index.slots();
        let is_used = self.index.filled(now[0].wrapping_sub(now[1])) > slots as u64 / 2;
        let larger = tables_bytes(2 * slots);
        let most = self.budget.limit().min(self.settings.ceiling()) / TABLES_PART;
        let is_due = is_used && displaced.saturating_mul(DISPLACED_PART) > put && larger <= most;
        // SAFETY: the caller has a guard, and may renew it in `pause` alone.
        if is_due && unsafe { self.index.grow(pause) } {
            self.taken.lock().set(larger);
            self.note_bytes();
        }
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
        // Held until the copy is in its slot: a block is not evicted between both (RC3).
        let mut block = self.shard(shard).block.try_lock()?;
        let copy = match block.as_mut().and_then(|block| block.push(hash, name, row)) {
            Some(copy) => copy,
            None => {
                self.replace_block(guard, &mut block)?;
                block.as_mut()?.push(hash, name, row)?
            }
        };
        // SAFETY: the guard is the caller's.
        Some(unsafe { self.index.put(hash, copy) })
    }

    /// Gives a shard whose block is full another one, and evicts the coldest if the cache is full.
    /// `None` if another thread does so.
    fn replace_block(&self, guard: &Guard, block: &mut Option<Block>) -> Option<()> {
        let mut ring = self.ring.try_lock()?;
        if let Some(full) = block.take() {
            ring.push(full);
        }
        // Blocks that wait for the epoch may have all the room.
        let mut new = if self.has_room() { self.new_block() } else { None };
        if self.is_within(1)
            && let Some(oldest) = ring.take_coldest()
        {
            self.evict(&oldest, new.as_mut());
            self.retire(guard, oldest);
            // So that it does not stay in this thread's bag.
            guard.flush();
        }
        *block = new;
        drop(ring);
        if self.index.slots() <= GROWN_AT_ONCE {
            self.grow_if_due(|| ());
        }
        Some(())
    }

    fn new_block(&self) -> Option<Block> {
        let bytes = BLOCK_BYTES as u64;
        let memory = self.block_space.take()?;
        let taken = [self.budget.take(bytes), self.blocks.take(bytes)];
        self.note_bytes();
        Some(Block::new(memory, taken))
    }

    /// Empties the slots of a block's copies, except that copies which were touched move to the new
    /// block, up to seven eighths of it.
    fn evict(&self, oldest: &Block, mut new: Option<&mut Block>) {
        let slots = self.index.slots();
        let (mut evicted, mut bytes) = (0, 0);
        // Most blocks have rows of one table.
        let mut of: Option<(u32, Option<Arc<TableCounts>>)> = None;
        for copy in oldest.copies() {
            let to = match &mut new {
                Some(new) if copy.is_touched() && new.may_keep(copy) => new.push_again(copy),
                _ => None,
            };
            let (gone, moved) = match to {
                Some(to) => (false, self.index.exchange(copy.hash(), copy, to)),
                None => (self.index.remove(copy.hash(), copy), false),
            };
            if !gone && !moved {
                continue;
            }
            if of.as_ref().is_none_or(|(space, _)| *space != copy.space()) {
                let counts = self.tables.lock().get(&copy.space()).map(|of| of.counts.clone());
                of = Some((copy.space(), counts));
            }
            if let Some((_, Some(counts))) = &of {
                add(if gone { &counts.evicted } else { &counts.moved }, 1);
                if gone {
                    add(&counts.evicted_bytes, copy.len() as u64);
                }
            }
            if gone {
                evicted += 1;
                bytes += copy.len() as u64;
                self.ghosts.add(copy.hash(), slots);
            }
        }
        add(&self.evicted, evicted);
        add(&self.evicted_bytes, bytes);
    }
}

impl Drop for RowCache {
    fn drop(&mut self) {
        self.budget.remembers(0, self.remembered.load(Relaxed));
        self.budget.remove_cache();
    }
}

impl Shard {
    /// Counts a slot that was filled.
    fn count(&self, has_displaced: bool) {
        add(&self.put, 1);
        if has_displaced {
            add(&self.displaced, 1);
        }
    }
}

/// Bytes of index, sketch and ghosts.
fn tables_bytes(slots: usize) -> u64 {
    Index::bytes(slots) + Sketch::bytes(slots) + Ghosts::bytes(slots)
}
