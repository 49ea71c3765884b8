//! The blocks of a group that has outgrown the chain.

use crossbeam_epoch::Guard;

use super::chunk::{BLOCK, ChunkPtr, TINY};
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::count::Counts;
use crate::sync::Word;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// A block with at most this many anchors is filled up before a new one is made.
const OPEN: u32 = if TINY { 1 } else { 45 };
/// How many entries an append that needs a block searches before it makes a new one.
const SWEEP: u64 = 8;
/// Entries in the first segment; each further one has twice as many.
const SEGMENT: u64 = if TINY { 1 } else { 8 };
const SEGMENTS: usize = 28;

/// The blocks of a group, by index. An entry is empty, or holds a block until the block is killed.
pub(super) struct Directory {
    /// The first chunk of the chain.
    chain: u64,
    /// The block that appends try first, or 0 (P3).
    active: Word,
    /// Entries that are or have been in use. Only grows.
    len: Word,
    /// Number of blocks with at most [`OPEN`] anchors: whether a search for one is worth it. Two's
    /// complement, since changes may overtake each other.
    open: Word,
    /// Number of entries below `len` without a block, in the same way.
    holes: Word,
    /// Where the next search begins.
    sweep_position: Word,
    /// Arrays of entries, allocated when first needed.
    segments: [Word; SEGMENTS],
}

impl Directory {
    pub(super) fn create(chain: u64, counts: &Counts) -> *mut Directory {
        let directory = Box::into_raw(Box::new(Directory {
            chain,
            active: Word::new(0),
            len: Word::new(0),
            open: Word::new(0),
            holes: Word::new(0),
            sweep_position: Word::new(0),
            segments: [const { Word::new(0) }; SEGMENTS],
        }));
        counts.charge(directory as u64, size_of::<Directory>(), 0);
        directory
    }

    /// The first chunk of the chain.
    pub(super) fn chain(&self) -> u64 {
        self.chain
    }

    /// Entries that are or have been in use.
    pub(super) fn len(&self) -> u64 {
        // Acquire: pairs with the append that has raised it.
        self.len.load(Acquire)
    }

    /// The block at an index.
    pub(super) fn block(&self, index: u64) -> Option<ChunkPtr> {
        // Acquire: pairs with the publication in `append_block`.
        match self.entry(index)?.load(Acquire) {
            0 => None,
            block => Some(ChunkPtr::from_address(block)),
        }
    }

    /// All blocks. Requires exclusive access to the group.
    pub(super) fn blocks(&self) -> impl Iterator<Item = ChunkPtr> + '_ {
        (0..self.len()).filter_map(|index| self.block(index))
    }

    /// Adds an anchor to the group at the address `group`.
    pub(super) fn append(&self, group: u64, anchor: AnchorPtr, link: &Word, counts: &Counts) {
        let active = self.active.load(Acquire);
        if active != 0 && self.place(ChunkPtr::from_address(active), anchor, link) {
            return;
        }
        let (block, hole) = self.sweep();
        match block {
            Some(block) if self.place(block, anchor, link) => {
                // Release: pairs with the Acquire of appends that follow it.
                self.active.store(block.address(), Release);
            }
            _ => self.append_block(group, hole, anchor, link, counts),
        }
    }

    fn place(&self, block: ChunkPtr, anchor: AnchorPtr, link: &Word) -> bool {
        // SAFETY: the caller holds a guard under which the block was reached (P3 for the active
        // one).
        match unsafe { block.place(anchor, link) } {
            None => false,
            Some(taken) => {
                if taken == OPEN + 1 {
                    self.open.fetch_sub(1, Relaxed);
                }
                true
            }
        }
    }

    /// Searches for a block with at most [`OPEN`] anchors, and for an entry without a block.
    fn sweep(&self) -> (Option<ChunkPtr>, Option<u64>) {
        let positive = |word: &Word| (word.load(Relaxed) as i64) > 0;
        let mut hole = None;
        if positive(&self.open) || positive(&self.holes) {
            let len = self.len();
            for _ in 0..SWEEP.min(len) {
                let index = self.sweep_position.fetch_add(1, Relaxed) % len;
                match self.block(index) {
                    None => hole = Some(index),
                    // SAFETY: reached under the caller's guard.
                    Some(block) if unsafe { block.taken_in_block() } <= OPEN => {
                        return (Some(block), hole);
                    }
                    Some(_) => {}
                }
            }
        }
        (None, hole)
    }

    /// Adds a block that holds an anchor.
    fn append_block(
        &self,
        group: u64,
        mut hole: Option<u64>,
        anchor: AnchorPtr,
        link: &Word,
        counts: &Counts,
    ) {
        let block = ChunkPtr::create(group, BLOCK, anchor, link, counts);
        // Counted before other threads can see the block, so that the count is never too low.
        self.open.fetch_add(1, Relaxed);
        loop {
            let index = hole.take().unwrap_or_else(|| {
                self.holes.fetch_add(1, Relaxed);
                self.len.fetch_add(1, AcqRel)
            });
            // SAFETY: not published yet.
            unsafe { block.next() }.store(index, Relaxed);
            let entry = self.entry_or_create(index, counts);
            // Release: pairs with the Acquire in `block`. Fails if another append has found the
            // entry empty, too, and has filled it.
            if entry.compare_exchange(0, block.address(), Release, Relaxed).is_ok() {
                break;
            }
        }
        self.holes.fetch_sub(1, Relaxed);
        self.active.store(block.address(), Release);
    }

    /// Called when a place of a block has been cleared, which left it with `left` anchors. Gives
    /// the block back if there are none.
    ///
    /// # Safety
    /// The caller's anchor is still counted in the group.
    pub(super) unsafe fn unlinked(
        &self,
        block: ChunkPtr,
        left: u32,
        guard: &Guard,
        counts: &Counts,
    ) {
        if left == OPEN {
            self.open.fetch_add(1, Relaxed);
        }
        // The active block is about to be used again. If another block becomes active meanwhile,
        // the sweep finds this one.
        if left != 0 || self.active.load(Relaxed) == block.address() {
            return;
        }
        // SAFETY: the caller's anchor is still counted, which keeps the group alive. The thread
        // that has killed a block owns it. Other threads may have reached it before it was taken
        // from its entry and from `active` (P3), so the free waits for their guards.
        unsafe {
            if !block.kill() {
                return;
            }
            let index = block.next().load(Relaxed);
            self.entry(index).expect("a block has an entry").store(0, Release);
            let _ = self.active.compare_exchange(block.address(), 0, AcqRel, Relaxed);
            self.open.fetch_sub(1, Relaxed);
            self.holes.fetch_add(1, Relaxed);
            block.discharge(counts);
            let address = block.address();
            guard.defer_unchecked(move || ChunkPtr::from_address(address).free());
        }
    }

    fn entry(&self, index: u64) -> Option<&Word> {
        let (segment, offset) = locate(index);
        // Acquire: pairs with the publication in `entry_or_create`.
        let entries = self.segments[segment].load(Acquire) as *const Word;
        // SAFETY: a segment lives as long as the directory and is that large.
        (!entries.is_null()).then(|| unsafe { &*entries.add(offset) })
    }

    fn entry_or_create(&self, index: u64, counts: &Counts) -> &Word {
        if let Some(entry) = self.entry(index) {
            return entry;
        }
        let (segment, _) = locate(index);
        let fresh: Box<[Word]> = (0..SEGMENT << segment).map(|_| Word::new(0)).collect();
        let bytes = size_of_val(&*fresh);
        let fresh = Box::into_raw(fresh);
        let address = fresh.cast::<Word>() as u64;
        // Release: pairs with the Acquire in `entry`.
        match self.segments[segment].compare_exchange(0, address, AcqRel, Relaxed) {
            Ok(_) => counts.charge(address, bytes, 0),
            // SAFETY: no other thread has seen it.
            Err(_) => drop(unsafe { Box::from_raw(fresh) }),
        }
        self.entry(index).expect("one of the two was installed")
    }

    fn segments(&self) -> impl Iterator<Item = *mut [Word]> + '_ {
        self.segments.iter().enumerate().filter_map(|(i, segment)| {
            let entries = segment.load(Relaxed) as *mut Word;
            let len = (SEGMENT << i) as usize;
            (!entries.is_null()).then_some(std::ptr::slice_from_raw_parts_mut(entries, len))
        })
    }

    /// Discharges the memory of the directory, without its blocks.
    pub(super) fn discharge(&self, counts: &Counts) {
        counts.discharge(self as *const Directory as u64, size_of::<Directory>(), 0);
        for segment in self.segments() {
            counts.discharge(segment.cast::<Word>() as u64, segment.len() * size_of::<Word>(), 0);
        }
    }

    /// Frees the directory without its blocks, and discharges its memory if `counts` are given.
    ///
    /// # Safety
    /// It came from [`Directory::create`], and the caller has exclusive access to it.
    pub(super) unsafe fn free(directory: *mut Directory, counts: Option<&Counts>) {
        // SAFETY: the caller promises that `create` boxed the directory and that nothing uses it;
        // segments came from boxes of this length.
        unsafe {
            let directory = Box::from_raw(directory);
            if let Some(counts) = counts {
                directory.discharge(counts);
            }
            directory.segments().for_each(|segment| drop(Box::from_raw(segment)));
        }
    }
}

/// The segment that an index lies in, and its offset there.
pub(super) fn locate(index: u64) -> (usize, usize) {
    let segment = (index / SEGMENT + 1).ilog2();
    (segment as usize, (index - SEGMENT * ((1 << segment) - 1)) as usize)
}
