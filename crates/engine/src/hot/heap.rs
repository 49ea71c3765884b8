//! Memory for anchors, versions and the nodes of indexes.
//!
//! ```text
//! region (2 MB, a huge page if the system has one) → block (64 KB, slots of one size) → slot
//! ```
//!
//! Row memory is allocated and freed only through [`allocate`] and [`free`]. Size classes go in
//! steps of 8 bytes up to 1 KB, and above that in eight steps to a doubling. A slot does not store
//! its size, so the caller of [`free`] must know it (a row's length follows from its layout). Sizes
//! above [`LARGEST`] come from the program's allocator.
//!
//! # Life of a slot
//!
//! The **depot** of a size class hands slots of one block to a thread's **cache**, many at a time.
//! Fresh memory goes as a run, from which the cache cuts slot after slot, so that rows made one
//! after the other are adjacent. Slots that were used before go as a list.
//!
//! A freed slot goes to the list of the thread that frees it, whichever thread allocated it. When
//! the list grows long, half of it goes back to the depot, which sorts the slots into their blocks.
//! A block without slots in use goes back to its region, where any size class can take it; the
//! depot keeps one empty block.
//!
//! A free block in a region whose memory the system has not got back is *spare*. Spare blocks are
//! kept for a while, since memory that the system has to clear again costs more than everything
//! else that is done to a row. Those that were not needed go back to the system step by step
//! ([`give_back`]): the last region first, and all spare blocks of a region together, so that few
//! huge pages are broken up.
//!
//! # Invariants
//!
//! * M1: a slot is in one place: with the caller that allocated it, in one cache, or in its block's
//!   list.
//! * M2: a block's `used` counts the slots that are out: allocated or in a cache.
//! * M3: the header of a block is touched only under the lock of its size class's depot, and a
//!   cache only by its thread.
//!
//! # Latch order
//!
//! A depot, then the regions.
//!
//! # Failure
//!
//! Out of memory is `None`, never a panic. A thread whose cache has been dropped, since the thread
//! is ending, goes to the depots directly.

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ptr::{self, NonNull};

use parking_lot::{Mutex, MutexGuard};

use crate::hot::anchor::ALIGN;

/// The longest piece that is cut from a block, in bytes.
pub const LARGEST: usize = 4096;
/// The longest piece that this build cuts from a block. The address sanitizer and Miri track only
/// memory of the program's allocator, so under them all pieces come from there.
const CUT: usize = if cfg!(any(feature = "sanitizer", miri)) { 0 } else { LARGEST };
/// Size classes go in steps of [`ALIGN`] up to this many bytes, and above in eight steps to a
/// doubling.
const FINE: usize = 1024;
const CLASSES: usize = FINE / ALIGN + 16;

const REGION: usize = 2 << 20;
const BLOCK: usize = 64 << 10;
const BLOCKS: usize = REGION / BLOCK;
/// Regions that are mapped at once. This takes address space, not memory.
const MAPPED_AT_ONCE: usize = 32;
/// Spare blocks that never go back to the system.
const SPARE_BLOCKS: usize = 4 * BLOCKS;
/// A call of [`give_back`] returns one in this many of the further spare blocks that were not
/// needed since the call before.
const GIVE_BACK_DIVISOR: usize = 8;
/// Where a block's slots begin.
const FIRST_SLOT: usize = 64;
/// Bytes that go from a depot to a cache, or back, at once.
const TRANSFER: usize = 16 << 10;

/// The class of a size up to [`LARGEST`].
#[inline]
const fn class_of(size: usize) -> usize {
    if size <= FINE {
        return size.saturating_sub(1) / ALIGN;
    }
    // For a size in (2^n, 2^(n+1)] the three bits after the leading one number the eighth.
    let last = size - 1;
    let power = last.ilog2();
    FINE / ALIGN + (power as usize - 10) * 8 + (last >> (power - 3)) % 8
}

/// Bytes of a slot of this class.
const fn slot_size(class: usize) -> usize {
    match class.checked_sub(FINE / ALIGN) {
        None => (class + 1) * ALIGN,
        Some(above) => (FINE << (above / 8)) / 8 * (above % 8 + 9),
    }
}

/// The bytes that an allocation of `size` bytes takes.
#[inline]
pub const fn rounded(size: usize) -> usize {
    if size <= LARGEST { slot_size(class_of(size)) } else { size.next_multiple_of(ALIGN) }
}

/// Memory for `size` bytes at a multiple of [`ALIGN`], or `None` if the system has none.
// Not inlined here and below, so that no coroutine keeps the address of a thread's cache (P1).
#[inline(never)]
pub fn allocate(size: usize) -> Option<NonNull<u8>> {
    if size > CUT {
        // SAFETY: the size is not zero.
        return NonNull::new(unsafe { std::alloc::alloc(large(size)) });
    }
    let class = class_of(size);
    // SAFETY: only its own thread uses a cache (M3), and `take` does not call back into here.
    let cached = CACHE.try_with(|cache| unsafe { &mut *cache.get() }.take(class));
    cached.unwrap_or_else(|_| HEAP.depot(class).take_one())
}

/// Gives memory back.
///
/// # Safety
/// `memory` came from [`allocate`] with the same size and is not used any more.
#[inline(never)]
pub unsafe fn free(memory: NonNull<u8>, size: usize) {
    if cfg!(test) {
        // SAFETY: the memory has this size, and the caller does not use it any more.
        unsafe { memory.write_bytes(0xDD, size) };
    }
    if size > CUT {
        // SAFETY: `allocate` got the memory from this allocator, with the same layout.
        return unsafe { std::alloc::dealloc(memory.as_ptr(), large(size)) };
    }
    let (class, slot) = (class_of(size), memory.cast());
    // SAFETY: as in `allocate`; the caller owns the slot and gives it up (M1).
    unsafe {
        let cached = CACHE.try_with(|cache| (*cache.get()).give(class, slot));
        cached.unwrap_or_else(|_| HEAP.depot(class).give(slot));
    }
}

/// Gives some of the memory that was not needed since the last call back to the system. Called once
/// a second, it gives most of the memory that has become free back within half a minute.
pub fn give_back() {
    HEAP.give_back();
}

fn large(size: usize) -> Layout {
    Layout::from_size_align(rounded(size), ALIGN).expect("row sizes are far below isize::MAX")
}

static HEAP: Heap = Heap::new();

thread_local! {
    static CACHE: UnsafeCell<Cache> = const { UnsafeCell::new(Cache::new(&HEAP)) };
}

/// The contents of a free slot: the next slot of its list.
struct FreeSlot {
    next: *mut FreeSlot,
}

/// A thread's free slots of all classes.
struct Cache {
    heap: &'static Heap,
    stocks: [Stock; CLASSES],
}

/// A thread's free slots of one class.
#[derive(Clone, Copy)]
struct Stock {
    free: *mut FreeSlot,
    /// Slots in the list.
    count: usize,
    /// Fresh memory up to `end`, a whole number of slots.
    run: *mut u8,
    end: *mut u8,
}

impl Stock {
    const EMPTY: Stock =
        Stock { free: ptr::null_mut(), count: 0, run: ptr::null_mut(), end: ptr::null_mut() };
}

impl Stock {
    #[inline]
    fn pop(&mut self, class: usize) -> Option<NonNull<u8>> {
        if let Some(slot) = NonNull::new(self.free) {
            // SAFETY: a slot in the list is free and holds a `FreeSlot` (M1).
            self.free = unsafe { slot.read() }.next;
            self.count -= 1;
            return Some(slot.cast());
        }
        if self.run == self.end {
            return None;
        }
        let slot = self.run;
        // SAFETY: a run is a whole number of slots, and this one is not at its end.
        self.run = unsafe { slot.add(slot_size(class)) };
        NonNull::new(slot)
    }
}

/// Slots that go from a depot to a cache at once.
const fn transfer(class: usize) -> usize {
    let slots = TRANSFER / slot_size(class);
    if slots > 128 { 128 } else { slots }
}

impl Cache {
    const fn new(heap: &'static Heap) -> Cache {
        Cache { heap, stocks: [Stock::EMPTY; CLASSES] }
    }

    #[inline]
    fn take(&mut self, class: usize) -> Option<NonNull<u8>> {
        let stock = &mut self.stocks[class];
        match stock.pop(class) {
            Some(slot) => Some(slot),
            None => self.heap.depot(class).fill(stock),
        }
    }

    /// # Safety
    /// The slot is of this class, and the caller owns it (M1).
    #[inline]
    unsafe fn give(&mut self, class: usize, slot: NonNull<FreeSlot>) {
        let stock = &mut self.stocks[class];
        // SAFETY: the caller owns the slot, and every slot has room for a `FreeSlot`.
        unsafe { slot.write(FreeSlot { next: stock.free }) };
        stock.free = slot.as_ptr();
        stock.count += 1;
        if stock.count > 2 * transfer(class) {
            self.heap.depot(class).drain(stock, transfer(class));
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        for (class, stock) in self.stocks.iter_mut().enumerate() {
            if !stock.free.is_null() || stock.run != stock.end {
                self.heap.depot(class).drain(stock, usize::MAX);
            }
        }
    }
}

/// The allocator: depots and regions. The program has one; tests make their own.
struct Heap {
    depots: [Mutex<Depot>; CLASSES],
    regions: Mutex<Regions>,
}

// SAFETY: blocks and regions behind its pointers are touched only under its locks (M3).
unsafe impl Sync for Heap {}

impl Heap {
    const fn new() -> Heap {
        Heap {
            depots: [const { Mutex::new(Depot::new()) }; CLASSES],
            regions: Mutex::new(Regions::new()),
        }
    }

    /// See [`give_back`]. No thread waits longer than one region takes.
    fn give_back(&self) {
        let mut surplus = self.regions.lock().surplus();
        let mut end = usize::MAX;
        while surplus > 0 {
            match self.regions.lock().discard_before(end) {
                Some((number, blocks)) => (end, surplus) = (number, surplus.saturating_sub(blocks)),
                None => break,
            }
        }
    }

    fn depot(&self, class: usize) -> DepotGuard<'_> {
        DepotGuard { heap: self, class, depot: self.depots[class].lock() }
    }
}

/// A list of the blocks of one class that have free slots.
struct Depot {
    first: *mut Block,
}

/// The header of a block, in its first bytes.
struct Block {
    next: *mut Block,
    previous: *mut Block,
    /// Slots that came back to the block.
    free: *mut FreeSlot,
    /// Offset of the first slot that was never handed out.
    fresh: u32,
    /// Slots that are out (M2).
    used: u32,
    /// The region's number.
    region: u32,
    /// Whether the block is in the depot's list.
    listed: bool,
}

impl Depot {
    const fn new() -> Depot {
        Depot { first: ptr::null_mut() }
    }

    /// # Safety
    /// The block is this depot's and not in the list.
    unsafe fn list(&mut self, block: NonNull<Block>) {
        // SAFETY: the block and those of the list are this depot's, whose lock is held (M3); the
        // block is not in the list, so `next` is another one.
        unsafe {
            let b = &mut *block.as_ptr();
            (b.next, b.previous, b.listed) = (self.first, ptr::null_mut(), true);
            if let Some(next) = b.next.as_mut() {
                next.previous = block.as_ptr();
            }
            self.first = block.as_ptr();
        }
    }

    /// # Safety
    /// The block is in this depot's list.
    unsafe fn unlist(&mut self, block: NonNull<Block>) {
        // SAFETY: the block and its neighbours, which are other blocks, are in the list of this
        // depot, whose lock is held (M3).
        unsafe {
            let b = &mut *block.as_ptr();
            b.listed = false;
            match b.previous.as_mut() {
                Some(previous) => previous.next = b.next,
                None => self.first = b.next,
            }
            if let Some(next) = b.next.as_mut() {
                next.previous = b.previous;
            }
        }
    }
}

/// A locked depot and its class.
struct DepotGuard<'h> {
    heap: &'h Heap,
    class: usize,
    depot: MutexGuard<'h, Depot>,
}

impl DepotGuard<'_> {
    /// The first block that has free slots, or a fresh one.
    fn block(&mut self) -> Option<NonNull<Block>> {
        if let Some(block) = NonNull::new(self.depot.first) {
            return Some(block);
        }
        let (memory, region) = self.heap.regions.lock().take()?;
        let block = memory.cast::<Block>();
        let header = Block {
            next: ptr::null_mut(),
            previous: ptr::null_mut(),
            free: ptr::null_mut(),
            fresh: FIRST_SLOT as u32,
            used: 0,
            region,
            listed: false,
        };
        // SAFETY: the regions gave the block to this depot alone; it is long and aligned enough for
        // a header, and not in the list yet.
        unsafe {
            block.write(header);
            self.depot.list(block);
        }
        Some(block)
    }

    /// Fills an empty stock with slots of one block, and takes one of them. Fresh slots are used
    /// only if the block has none that came back.
    #[cold]
    #[inline(never)]
    fn fill(&mut self, stock: &mut Stock) -> Option<NonNull<u8>> {
        let (size, block) = (slot_size(self.class), self.block()?);
        // SAFETY: this depot's lock protects the block's header (M3), and the block's free slots
        // are in no other list (M1).
        unsafe {
            let b = &mut *block.as_ptr();
            if b.free.is_null() {
                let fresh = (BLOCK - b.fresh as usize) / size;
                let slots = fresh.min(transfer(self.class));
                stock.run = block.as_ptr().cast::<u8>().add(b.fresh as usize);
                stock.end = stock.run.add(slots * size);
                b.fresh += (slots * size) as u32;
                b.used += slots as u32;
            }
            while !b.free.is_null() && stock.count < transfer(self.class) {
                let slot = b.free;
                b.free = (*slot).next;
                (*slot).next = stock.free;
                (stock.free, stock.count) = (slot, stock.count + 1);
                b.used += 1;
            }
            if b.free.is_null() && BLOCK - (b.fresh as usize) < size {
                self.depot.unlist(block);
            }
        }
        stock.pop(self.class)
    }

    /// Takes one slot, for a thread without a cache.
    fn take_one(&mut self) -> Option<NonNull<u8>> {
        let mut stock = Stock::EMPTY;
        let slot = self.fill(&mut stock)?;
        self.drain(&mut stock, usize::MAX);
        Some(slot)
    }

    /// Takes up to this many slots back from a stock: first those of its list, then its run.
    #[cold]
    #[inline(never)]
    fn drain(&mut self, stock: &mut Stock, slots: usize) {
        for _ in 0..slots {
            let Some(slot) = stock.pop(self.class) else { return };
            // SAFETY: the slot was the stock's; this call has popped it and owns it (M1).
            unsafe { self.give(slot.cast()) };
        }
    }

    /// Takes a slot back.
    ///
    /// # Safety
    /// The slot is of this class, and the caller owns it (M1).
    unsafe fn give(&mut self, slot: NonNull<FreeSlot>) {
        let start = slot.as_ptr().map_addr(|address| address & !(BLOCK - 1)).cast::<Block>();
        let block = NonNull::new(start).expect("no block begins at zero");
        // SAFETY: a block begins at a multiple of its length, so `block` is the slot's; this
        // depot's lock protects its header (M3), and the caller gives the slot up (M1).
        unsafe {
            let b = &mut *block.as_ptr();
            slot.write(FreeSlot { next: b.free });
            b.free = slot.as_ptr();
            b.used -= 1;
            if !b.listed {
                self.depot.list(block);
            }
            let only = b.next.is_null() && b.previous.is_null();
            if b.used == 0 && !only {
                self.depot.unlist(block);
                self.heap.regions.lock().give(block.cast(), b.region);
            }
        }
    }
}

/// Memory from the system.
struct Regions {
    all: Vec<Region>,
    /// No region before this one has a free block.
    first: usize,
    /// Spare blocks: free ones whose memory the system has not got back.
    spare: usize,
    /// The fewest spare blocks that there have been since the last [`give_back`].
    spare_min: usize,
    /// Blocks that depots have taken.
    taken: usize,
}

struct Region {
    start: NonNull<u8>,
    /// A bit for each free block.
    free: u32,
    /// A bit for each free block without memory: given back to the system, or never touched.
    discarded: u32,
}

impl Region {
    /// A bit for each spare block.
    fn spare(&self) -> u32 {
        self.free & !self.discarded
    }
}

impl Regions {
    const fn new() -> Regions {
        Regions { all: Vec::new(), first: 0, spare: 0, spare_min: 0, taken: 0 }
    }

    /// Takes a free block and returns it with its region's number. It comes from the first region
    /// that has one, so that later regions become empty.
    fn take(&mut self) -> Option<(NonNull<u8>, u32)> {
        while self.all.get(self.first).is_some_and(|region| region.free == 0) {
            self.first += 1;
        }
        if self.first == self.all.len() {
            self.map()?;
        }
        let region = &mut self.all[self.first];
        let place = match region.spare() {
            0 => region.free.trailing_zeros(),
            spare => {
                self.spare -= 1;
                self.spare_min = self.spare_min.min(self.spare);
                spare.trailing_zeros()
            }
        } as usize;
        region.free &= !(1 << place);
        region.discarded &= !(1 << place);
        self.taken += 1;
        // SAFETY: the region has this many blocks.
        Some((unsafe { region.start.add(place * BLOCK) }, self.first as u32))
    }

    fn map(&mut self) -> Option<()> {
        let start = env::memory::map(MAPPED_AT_ONCE * REGION, REGION).ok()?;
        self.all.extend((0..MAPPED_AT_ONCE).map(|place| {
            // SAFETY: the mapping has this many regions.
            let start = unsafe { start.add(place * REGION) };
            Region { start, free: u32::MAX, discarded: u32::MAX }
        }));
        Some(())
    }

    /// # Safety
    /// The block is one of region `number`, is taken, and is not used any more.
    unsafe fn give(&mut self, block: NonNull<u8>, number: u32) {
        let region = &mut self.all[number as usize];
        let place = (block.as_ptr() as usize - region.start.as_ptr() as usize) / BLOCK;
        region.free |= 1 << place;
        self.first = self.first.min(number as usize);
        self.taken -= 1;
        self.spare += 1;
    }

    /// How many blocks [`give_back`] should give back to the system this time.
    fn surplus(&mut self) -> usize {
        let unused = std::mem::replace(&mut self.spare_min, self.spare);
        unused.saturating_sub(SPARE_BLOCKS).div_ceil(GIVE_BACK_DIVISOR)
    }

    /// Gives the spare blocks of one region back to the system: the last region below `end` that
    /// has any. Returns the region's number and how many blocks it gave back.
    fn discard_before(&mut self, end: usize) -> Option<(usize, usize)> {
        let end = end.min(self.all.len());
        let number = self.all[..end].iter().rposition(|region| region.spare() != 0)?;
        let region = &mut self.all[number];
        let blocks = region.spare().count_ones() as usize;
        let mut spare = u64::from(region.spare());
        while spare != 0 {
            let place = spare.trailing_zeros() as usize;
            let run = (spare >> place).trailing_ones() as usize;
            spare &= !(((1 << run) - 1) << place);
            // SAFETY: the region has these blocks, and they are free, so nothing is in them.
            unsafe { env::memory::discard(region.start.add(place * BLOCK), run * BLOCK) };
        }
        region.discarded = region.free;
        self.spare -= blocks;
        self.spare_min = self.spare_min.min(self.spare);
        Some((number, blocks))
    }
}

const _: () = assert!(BLOCKS == u32::BITS as usize && size_of::<Block>() <= FIRST_SLOT);

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
