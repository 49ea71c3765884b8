//! Allocating, reading and freeing the memory of a table's rows.

use std::ops::Range;
use std::ptr::NonNull;
use std::slice;

use crossbeam_epoch::Guard;

use crate::critical::{self, Section};
use crate::hot::anchor::{
    ADDRESS_MASK, AnchorPtr, CLAIMED, DELETED, INLINE, MOVED, Origin, TOMBSTONE, VersionPtr,
    anchor_size, version_size,
};
use crate::hot::heap;
use crate::hot::status::Begin;
use crate::hot::table::{Table, same_bytes};
use crate::hot::tally::{Exhausted, Item};
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Bytes behind the words of a tombstone of a row that has moved: the address of its new anchor.
const MOVE_LEN: usize = 8;

impl Table {
    /// The bytes of a version's row.
    ///
    /// # Safety
    /// The version belongs to this table, is not a tombstone, and is protected for `'a` (H2).
    #[inline]
    pub unsafe fn row<'a>(&self, version: VersionPtr) -> &'a [u8] {
        // SAFETY: row bytes do not change while the version is protected (H1).
        unsafe { self.layout.row_at(version.row().as_ptr()) }
    }

    /// Whether a row may take more memory. Definitions may take some beyond the limits, so that a
    /// table can be dropped when memory is used up. The limit of a database applies only to rows
    /// that stay in memory; for rows that sink only the server's limit applies.
    #[inline]
    fn admit(&self) -> Result<(), Exhausted> {
        match self.catalog {
            true => self.tally.pool().admit_definition(),
            false if self.is_sinkable() => self.tally.pool().admit_at_server(),
            false => self.tally.pool().admit(),
        }
    }

    /// Allocates the anchor of a new row, which no other thread can reach yet. Fails with the limit
    /// that refuses the memory.
    pub(crate) fn new_anchor(
        &self,
        shard: usize,
        row: &[u8],
        begin: Begin,
        origin: Origin,
    ) -> Result<AnchorPtr, Exhausted> {
        self.admit()?;
        self.allocate_anchor(shard, row, begin, origin)
    }

    /// As [`Table::new_anchor`], without asking the limits: recovery must take every row of the
    /// log.
    pub(crate) fn allocate_anchor(
        &self,
        shard: usize,
        row: &[u8],
        begin: Begin,
        origin: Origin,
    ) -> Result<AnchorPtr, Exhausted> {
        let anchor = self.anchor_memory(shard, row.len(), origin)?;
        // SAFETY: this thread alone has the memory, which is large enough.
        unsafe {
            let version = anchor.inline(self.links());
            version.initialise_inline(begin.word() | origin.in_begin());
            version.row().as_ptr().copy_from_nonoverlapping(row.as_ptr(), row.len());
        }
        Ok(anchor)
    }

    /// Allocates an anchor for a row of this length, which no other thread can reach yet. The row's
    /// bytes are zeros, and the version has no begin word.
    #[inline]
    pub(crate) fn reserve_anchor(
        &self,
        shard: usize,
        row_len: usize,
    ) -> Result<AnchorPtr, Exhausted> {
        self.admit()?;
        let anchor = self.anchor_memory(shard, row_len, Origin::Inserted)?;
        // SAFETY: this thread alone has the memory, which is large enough.
        unsafe { anchor.inline(self.links()).row().as_ptr().write_bytes(0, row_len) };
        Ok(anchor)
    }

    /// Makes the inline version of a reserved anchor the first version of a row.
    ///
    /// # Safety
    /// No other thread can reach the anchor, and its row's bytes are complete.
    #[inline]
    pub(crate) unsafe fn begin_reserved(&self, anchor: AnchorPtr, begin: Begin) {
        // SAFETY: the caller promises that no other thread can reach the anchor.
        unsafe { anchor.inline(self.links()).initialise_inline(begin.word()) };
    }

    /// Frees a reserved anchor that has not become a row.
    ///
    /// # Safety
    /// No other thread can reach the anchor; it was reserved with this length, or allocated with it
    /// for a row that was inserted, and is freed once.
    pub(crate) unsafe fn free_reserved(&self, shard: usize, anchor: AnchorPtr, row_len: usize) {
        let size = anchor_size(self.links(), row_len);
        self.charge(shard, -(size as i64), Origin::Inserted, Item::Row);
        // SAFETY: the caller promises that this length gives the size with which the anchor was
        // allocated, and that it is freed once.
        unsafe { heap::free(memory(anchor.address()), size) };
    }

    #[inline]
    fn anchor_memory(
        &self,
        shard: usize,
        row_len: usize,
        origin: Origin,
    ) -> Result<AnchorPtr, Exhausted> {
        let size = anchor_size(self.links(), row_len);
        let memory = heap::allocate(size).ok_or(Exhausted::Server)?;
        self.charge(shard, size as i64, origin, Item::Row);
        // SAFETY: this thread alone has the memory, which is large enough.
        Ok(unsafe { AnchorPtr::create(memory, self.links()) })
    }

    /// How the anchor's row came into memory.
    ///
    /// # Safety
    /// The anchor is the table's, and protected.
    #[inline]
    pub(crate) unsafe fn origin(&self, anchor: AnchorPtr) -> Origin {
        if !self.is_sinkable() {
            return Origin::Inserted;
        }
        // SAFETY: the caller promises that the anchor is protected. The tag never changes (H4).
        Origin::of_begin(unsafe { anchor.inline(self.links()).begin() }.load(Relaxed))
    }

    /// Allocates a new version of a row, not yet linked, above those of the chain word `head`. This
    /// has the tag of the row's origin, here as in the next two functions.
    pub(crate) fn new_version(
        &self,
        shard: usize,
        row: &[u8],
        begin: Begin,
        head: u64,
    ) -> Result<VersionPtr, Exhausted> {
        self.admit()?;
        let version = self.allocate_version(shard, row.len(), begin, head)?;
        // SAFETY: this thread alone has the memory, which is large enough.
        unsafe { version.row().as_ptr().copy_from_nonoverlapping(row.as_ptr(), row.len()) };
        Ok(version)
    }

    /// Allocates a deletion of a row that has more versions than the inline one. No limit refuses
    /// it; it fails only if the system has no memory.
    pub(crate) fn new_tombstone(
        &self,
        shard: usize,
        begin: Begin,
        head: u64,
    ) -> Result<VersionPtr, Exhausted> {
        self.allocate_version(shard, 0, begin, head | TOMBSTONE)
    }

    /// Allocates a deletion of a row that is about to move to another anchor, not known yet.
    pub(crate) fn new_move(
        &self,
        shard: usize,
        begin: Begin,
        head: u64,
    ) -> Result<VersionPtr, Exhausted> {
        let version = self.allocate_version(shard, MOVE_LEN, begin, head | TOMBSTONE | MOVED)?;
        // SAFETY: this thread alone has the memory, which has a word behind the begin word.
        unsafe { version.row().cast::<u64>().write(0) };
        Ok(version)
    }

    /// Allocates a version and writes its words, but not its row.
    fn allocate_version(
        &self,
        shard: usize,
        row_len: usize,
        begin: Begin,
        older: u64,
    ) -> Result<VersionPtr, Exhausted> {
        let size = version_size(row_len);
        let memory = heap::allocate(size).ok_or(Exhausted::Server)?;
        self.charge(shard, size as i64, Origin::of_older(older), Item::Version);
        // SAFETY: this thread alone has the memory, which is large enough.
        Ok(unsafe { VersionPtr::create(memory, begin.word(), older) })
    }

    /// Makes a new version in the dead inline slot of a row the new head, if that can be done
    /// without touching a byte that an index may be reading: the row's length is constant, and its
    /// keys and null bits are the same bytes as before. Returns `None` if not, and `Some(false)` if
    /// the head has changed meanwhile.
    ///
    /// # Safety
    /// The caller holds a guard under which it reached the anchor. `head` is a version that is not
    /// inline and whose stamp lies below the horizon, so that the inline version is dead.
    pub(crate) unsafe fn reuse_inline(
        &self,
        anchor: AnchorPtr,
        head: VersionPtr,
        row: &[u8],
        begin: Begin,
    ) -> Option<bool> {
        if !self.layout.is_fixed() {
            return None;
        }
        // SAFETY: the inline version is part of the anchor. No thread writes the bytes that are
        // compared. Only the writer that has claimed the head writes the others, and no thread
        // reads those, since the version is dead.
        unsafe {
            let inline = anchor.inline(self.links());
            let old = inline.row().as_ptr();
            let same = |r: &Range<usize>| {
                same_bytes(slice::from_raw_parts(old.add(r.start), r.len()), &row[r.clone()])
            };
            if !self.bytes.key.iter().all(same) {
                return None;
            }
            let claimed = head.address() | CLAIMED;
            // SeqCst: the writer looks at the table's lock word afterwards (see `txn::locks`).
            if anchor.head().compare_exchange(head.address(), claimed, SeqCst, Relaxed).is_err() {
                return Some(false);
            }
            inline.replace_inline_begin(begin.word(), Relaxed);
            for range in &self.bytes.other {
                let from = &row[range.clone()];
                old.add(range.start).copy_from_nonoverlapping(from.as_ptr(), from.len());
            }
            // Pairs with the readers' Acquire: a reader that sees the head sees the bytes.
            anchor.head().store(head.address() | INLINE, Release);
            Some(true)
        }
    }

    /// Frees a version at once, which counts as `item`.
    ///
    /// # Safety
    /// No thread can reach it any more, it is not inline, and it is freed once.
    pub(crate) unsafe fn free_version(&self, shard: usize, version: VersionPtr, item: Item) {
        // SAFETY: still allocated.
        let size = unsafe { self.uncharge_version(shard, version, item) };
        // SAFETY: the caller promises that no thread can reach the version and that it is freed
        // once; the size is the one it was allocated with.
        unsafe { heap::free(version.memory(), size) };
    }

    /// Frees a version once no reader can be walking through it; it counts as `item` until now.
    ///
    /// # Safety
    /// It is unlinked, not inline, and freed once.
    pub(crate) unsafe fn retire_version(
        &self,
        shard: usize,
        guard: &Guard,
        version: VersionPtr,
        item: Item,
    ) {
        // SAFETY: still allocated.
        let size = unsafe { self.uncharge_version(shard, version, item) };
        // SAFETY: the closure frees memory that only readers with older guards can reach.
        unsafe {
            guard.defer_unchecked(move || {
                critical::section(Section::Reclaim, || heap::free(version.memory(), size));
            });
        }
    }

    /// Frees an anchor once no reader can be standing on it; it counts as `item` until now.
    ///
    /// # Safety
    /// It is unlinked from all indexes, no version of it but the inline one is left to free, and
    /// it is freed once.
    pub(crate) unsafe fn retire_anchor(
        &self,
        shard: usize,
        guard: &Guard,
        anchor: AnchorPtr,
        item: Item,
    ) {
        // SAFETY: still allocated.
        let size = unsafe { self.uncharge_anchor(shard, anchor, item) };
        // SAFETY: as above.
        unsafe {
            guard.defer_unchecked(move || {
                critical::section(Section::Reclaim, || heap::free(memory(anchor.address()), size));
            });
        }
    }

    /// Frees a row at once: its anchor, and its newest version if that is not the inline one.
    ///
    /// # Safety
    /// No other thread uses the row, no transaction owns it, and this is done once, after its other
    /// versions are freed.
    pub(super) unsafe fn free_row(&self, shard: usize, anchor: AnchorPtr) {
        // SAFETY: the caller promises that no other thread uses the row, which is still allocated,
        // and that it is freed once.
        unsafe {
            let head = anchor.head().load(Acquire);
            let mut is_deleted = head & DELETED != 0;
            if head & (DELETED | INLINE) == 0 {
                let newest = VersionPtr::from_address(head & ADDRESS_MASK);
                let newest = newest.expect("a head is not null");
                is_deleted = newest.older().load(Relaxed) & TOMBSTONE != 0;
                let item = if is_deleted { Item::Waiting } else { Item::Version };
                self.free_version(shard, newest, item);
            }
            let item = if is_deleted { Item::Waiting } else { Item::Row };
            let size = self.uncharge_anchor(shard, anchor, item);
            heap::free(memory(anchor.address()), size);
        }
    }

    /// Unlinks and frees a row whose deletion every snapshot sees.
    ///
    /// # Safety
    /// The deletion's stamp lies below the horizon; called once for the row.
    pub(crate) unsafe fn remove_dead(&self, shard: usize, guard: &Guard, anchor: AnchorPtr) {
        // SAFETY: the row is deleted, so that no writer changes its head any more; versions that
        // were replaced are queued on their own.
        unsafe {
            self.unlink_all(guard, anchor);
            self.tally.count_removed(shard);
            let head = anchor.head().load(Acquire);
            if head & DELETED == 0 {
                let tombstone = VersionPtr::from_address(head & ADDRESS_MASK);
                let tombstone = tombstone.expect("a dead row ends in a deletion");
                self.retire_version(shard, guard, tombstone, Item::Waiting);
            }
            self.retire_anchor(shard, guard, anchor, Item::Waiting);
        }
    }

    /// Takes a version that is about to be freed out of the account. Returns its size.
    ///
    /// # Safety
    /// The version is allocated and not inline.
    unsafe fn uncharge_version(&self, shard: usize, version: VersionPtr, item: Item) -> usize {
        // SAFETY: the caller promises that the version is allocated and not inline.
        let (size, origin) = unsafe {
            let tags = version.older().load(Relaxed);
            let size = match (tags & TOMBSTONE != 0, tags & MOVED != 0) {
                (false, _) => version_size(self.row(version).len()),
                (true, false) => version_size(0),
                (true, true) => version_size(MOVE_LEN),
            };
            (size, Origin::of_older(tags))
        };
        self.charge(shard, -(size as i64), origin, item);
        size
    }

    /// Takes an anchor that is about to be freed out of the account. Returns its size.
    ///
    /// # Safety
    /// The anchor is allocated.
    unsafe fn uncharge_anchor(&self, shard: usize, anchor: AnchorPtr, item: Item) -> usize {
        // SAFETY: the caller promises that the anchor is allocated; its inline version always has a
        // row (H3).
        let (row_len, origin) =
            unsafe { (self.row(anchor.inline(self.links())).len(), self.origin(anchor)) };
        let size = anchor_size(self.links(), row_len);
        self.charge(shard, -(size as i64), origin, item);
        size
    }

    /// Counts memory that was taken for one item (negative: given back), and the item, if rows of
    /// the table can sink.
    #[inline]
    fn charge(&self, shard: usize, bytes: i64, origin: Origin, item: Item) {
        let counts = self.is_sinkable();
        if counts {
            self.tally.count(shard, origin, item, bytes.signum());
        }
        if self.tally.add(shard, bytes) {
            self.report_indexes();
            if counts {
                self.tally.resident(0);
            }
        }
    }
}

fn memory(address: u64) -> NonNull<u8> {
    NonNull::new(address as *mut u8).expect("it was allocated")
}
