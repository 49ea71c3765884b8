//! Merging of two sides of an index, for a cursor: rows in memory, and entries of the index's tree
//! whose rows are not in memory. [`Merge`] puts them into one order, part by part.
//!
//! Parts and the rules for them (MC1 to MC4) are described in [`super::merged`].

use std::cell::Cell;
use std::ops::{Bound, ControlFlow, Range};

use base::ids::Lsn;

use crate::cold::table::{
    ColdCursor, ColdEntry, ColdResult, ColdTable, ORDERED_BYTES, VisitEntries,
};
use crate::cold::tree::{self, LeafSpan};
use crate::hot::anchor::{AnchorPtr, RowAt};
use crate::hot::copies::{Copies, CopyAt};
use crate::hot::index::Direction;
use crate::hot::key::KeyBuf;
use crate::hot::status::Begin;
use crate::hot::table::{DiskTable, Table};
use crate::sync::atomic::Ordering::Acquire;
use crate::wait::Task;

/// What a cursor returns of rows that are not in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Copies of the rows.
    Rows,
    /// Their entries in the index's tree, for [`sunk_entry`].
    Entries,
    /// Only that they exist: the copies have no bytes.
    Presence,
}

/// How a tree is read.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// The index whose tree it is.
    pub index: usize,
    pub direction: Direction,
    /// Rows are read as snapshots at this position see them.
    pub as_of: Lsn,
    pub wanted: Wanted,
}

/// The rows in memory of the current part, from the first that has not been handed out.
#[derive(Clone, Copy)]
struct Ahead<'a> {
    /// The key of the first of them.
    key: Option<&'a [u8]>,
    /// Whether memory overrides none of the tree's entries before that key.
    is_ordered: bool,
    /// Whether memory has no row of the part.
    is_alone: bool,
}

impl Ahead<'_> {
    /// Whether these rows follow the whole leaf, so that memory overrides none of it.
    fn follows_leaf(&self, leaf: LeafSpan<'_>) -> bool {
        self.is_ordered
            && match (leaf.upper, self.key) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(upper), Some(key)) => upper <= key,
            }
    }
}

/// The state of a cursor that merges memory and a tree.
#[derive(Default)]
pub(super) struct Merge {
    /// The anchors that the walk through memory has noted: first those of the current part, in
    /// order of their keys, then those of the next.
    found: Vec<Found>,
    /// Keys of `found`, one after the other.
    keys: Vec<u8>,
    /// How many of `found` belong to the current part.
    part: usize,
    /// How many of the current part have been handed out.
    at: usize,
    /// Index in the current part just behind the anchors with the key that was searched last.
    after: Cell<usize>,
    /// Whether the tree has the keys of the part in the same order.
    is_ordered: bool,
    /// The current part in the tree, while it is being read.
    tree: Option<ColdCursor>,
    /// Where the next part begins, in the cursor's direction. `None` before the first.
    next: Option<Bound<Vec<u8>>>,
    sunk: Sunk,
    scratch: KeyBuf,
}

/// An anchor that the walk through memory has noted.
struct Found {
    /// Its key in the tree, in [`Merge::keys`].
    key: Range<usize>,
    /// Where its key in the index ends, in [`Merge::keys`]: that is the first part of `key`.
    own_end: usize,
    row: Option<RowAt>,
    overrides: bool,
    anchor: AnchorPtr,
}

/// A chunk of entries that was read from a tree.
#[derive(Default)]
struct Sunk {
    entries: Vec<SunkEntry>,
    keys: Vec<u8>,
    copies: Copies,
    row: Vec<u8>,
    /// Rows that were only counted, since their entries are not wanted ([`Wanted::Presence`]).
    present: usize,
}

/// One entry of a chunk.
struct SunkEntry {
    /// The whole key, in [`Sunk::keys`]. Empty if `row` is set and memory has no row of the part,
    /// so that there is nothing to compare it with.
    key: Range<usize>,
    /// The part of the key that identifies the row.
    p: Range<usize>,
    /// The row. `None` in indexes other than the clustered one, and if the row in the tree is too
    /// new: then the row is looked up, unless memory overrides the entry.
    row: Option<CopyAt>,
}

impl Merge {
    /// Starts again in front of the first part.
    pub fn restart(&mut self) {
        self.truncate(0);
        (self.part, self.at) = (0, 0);
        (self.tree, self.next) = (None, None);
    }

    /// Whether the current part is still being read from the tree.
    pub fn is_in_tree(&self) -> bool {
        self.tree.is_some()
    }

    /// How many anchors are noted.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// The key in the index of the first anchor that is noted for the next part.
    pub fn next_key(&self) -> Option<&[u8]> {
        self.found.get(self.part).map(|found| self.own_key(found))
    }

    /// Notes where the next part begins. Returns where the current one does; `None` if it is the
    /// first.
    pub fn set_next_start(&mut self, next: Bound<Vec<u8>>) -> Option<Bound<Vec<u8>>> {
        self.next.replace(next)
    }

    /// Whether no anchor is noted for the current part.
    pub fn is_part_empty(&self) -> bool {
        self.part == 0
    }

    /// Hands out a row of the tree that was found elsewhere.
    pub fn hand_out_copy(&mut self, row: &[u8], chunk: &mut Vec<RowAt>) {
        self.sunk.copies.clear();
        let copy = self.sunk.copies.push(row);
        chunk.push(self.sunk.copies.get(copy));
    }

    /// Begins to read the current part from the tree.
    pub fn enter_tree(&mut self, part: ColdCursor) {
        self.tree = Some(part);
    }

    /// Reads a chunk of the current part from the tree, about `size` entries, and hands out the
    /// rows of both sides up to its end. Stops reading the tree at the end of the part.
    pub fn read_part(
        &mut self,
        task: &Task,
        disk: DiskTable<'_>,
        how: Reading,
        size: usize,
        chunk: &mut Vec<RowAt>,
    ) -> ColdResult<()> {
        let Merge { found, keys, part, at, is_ordered, tree, sunk, .. } = self;
        let tree = tree.as_mut().expect("the part is in the tree");
        let ahead = Ahead {
            key: found[*at..*part].first().map(|found| &keys[found.key.clone()]),
            is_ordered: *is_ordered && how.direction == Direction::Forward,
            is_alone: *part == 0,
        };
        let more = sunk.read(task, tree, disk.cold, ahead, size, how)?;
        self.fetch_rows(task, disk, how)?;
        self.hand_out(how.direction, chunk);
        if more == tree::Chunk::Ended {
            self.hand_out_rest(chunk);
            self.tree = None;
        }
        Ok(())
    }

    /// Lets the tree decide about rows that have sunk since they were noted (MC3).
    ///
    /// # Safety
    /// The noted anchors that override the tree were reached under a guard that is still held, or
    /// are kept by the cursor's snapshot.
    pub unsafe fn forget_sunk(&mut self) {
        for found in self.found.iter_mut().filter(|found| found.overrides) {
            // SAFETY: a guard or the snapshot protects the anchor, as the caller promises.
            if unsafe { found.anchor.head().load(Acquire) } == Begin::SUNK {
                (found.row, found.overrides) = (None, false);
            }
        }
    }

    fn own_key(&self, found: &Found) -> &[u8] {
        &self.keys[found.key.start..found.own_end]
    }

    /// Notes an anchor with this row. Returns whether its key in the index differs from that of the
    /// anchor before.
    pub fn note(
        &mut self,
        table: &Table,
        index: usize,
        anchor: AnchorPtr,
        bytes: &[u8],
        row: Option<RowAt>,
        overrides: bool,
    ) -> bool {
        let start = self.keys.len();
        table.key_spec(index).encode_row(table.layout(), bytes, &mut self.scratch);
        self.keys.extend_from_slice(&self.scratch);
        let own_end = self.keys.len();
        if index != table.log_index() {
            table.log_key(bytes, &mut self.scratch);
            self.keys.extend_from_slice(&self.scratch);
        }
        let found = Found { key: start..self.keys.len(), own_end, row, overrides, anchor };
        let is_other =
            self.found.last().is_some_and(|last| self.own_key(last) != self.own_key(&found));
        self.found.push(found);
        is_other
    }

    /// Drops all noted anchors but the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.found.truncate(len);
        self.keys.truncate(self.found.last().map_or(0, |found| found.key.end));
    }

    /// Makes the noted anchors the current part, without those of the last key if the walk goes on,
    /// and sorts them.
    pub fn end_part(&mut self, is_done: bool, direction: Direction) {
        self.part = match self.found.last() {
            Some(last) if !is_done => {
                let last = self.own_key(last);
                let before = |found: &Found| self.own_key(found) != last;
                self.found.iter().rposition(before).map_or(0, |at| at + 1)
            }
            _ => self.found.len(),
        };
        self.after.set(0);
        let part = &self.found[..self.part];
        self.is_ordered = part.iter().all(|found| found.key.len() <= ORDERED_BYTES);
        let keys = &self.keys;
        let key = |found: &Found| &keys[found.key.clone()];
        self.found[..self.part].sort_by(|a, b| match direction {
            Direction::Forward => key(a).cmp(key(b)),
            Direction::Backward => key(b).cmp(key(a)),
        });
    }

    /// Drops the anchors of the current part; those that stay belong to the next.
    pub fn forget_part(&mut self) {
        let part = std::mem::take(&mut self.part);
        self.at = 0;
        self.found.drain(..part);
        // The anchors that stay were noted last, so their keys are the last ones.
        let start = self.found.first().map_or(self.keys.len(), |found| found.key.start);
        self.keys.drain(..start);
        for found in &mut self.found {
            found.key = found.key.start - start..found.key.end - start;
            found.own_end -= start;
        }
    }

    /// Whether memory overrides what the tree says about a key of the part. Most keys come in
    /// order, so that the next in memory is the one; but a tree may have long keys, which it cuts,
    /// in another order, so this may search the whole part.
    fn is_overridden(&self, key: &[u8], direction: Direction) -> bool {
        let part = &self.found[..self.part];
        let has_key = |found: &Found| self.keys[found.key.clone()] == *key;
        // Keys that are the same lie side by side, so the first with the key is behind those that
        // had another.
        let after = self.after.get();
        let from = match part.get(after) {
            Some(found) if has_key(found) => after,
            _ => part.partition_point(|found| self.is_before(found, key, direction)),
        };
        let same = part[from..].iter().take_while(|found| has_key(found)).count();
        self.after.set(from + same);
        part[from..from + same].iter().any(|found| found.overrides)
    }

    fn is_before(&self, found: &Found, key: &[u8], direction: Direction) -> bool {
        let own = &self.keys[found.key.clone()];
        match direction {
            Direction::Forward => own < key,
            Direction::Backward => own > key,
        }
    }

    /// Looks up the rows of entries that are not overridden, if the tree does not hold them.
    fn fetch_rows(&mut self, task: &Task, disk: DiskTable<'_>, how: Reading) -> ColdResult<()> {
        let mut sunk = std::mem::take(&mut self.sunk);
        let mut scratch = std::mem::take(&mut self.scratch);
        let overridden = |key: &[u8]| self.is_overridden(key, how.direction);
        let fetched = sunk.fetch_rows(task, disk, how, &mut scratch, overridden);
        self.scratch = scratch;
        self.sunk = sunk;
        fetched
    }

    /// Hands out the entries of the tree's chunk that are not overridden, and the rows in memory
    /// that come before them.
    fn hand_out(&mut self, direction: Direction, chunk: &mut Vec<RowAt>) {
        let mut sunk = std::mem::take(&mut self.sunk);
        if sunk.present > 0 {
            let nothing = sunk.copies.push(&[]);
            chunk.extend(std::iter::repeat_n(sunk.copies.get(nothing), sunk.present));
        }
        if self.part == 0 {
            chunk.extend(sunk.entries.iter().filter_map(|e| e.row).map(|at| sunk.copies.get(at)));
            self.sunk = sunk;
            return;
        }
        for entry in &sunk.entries {
            let key = &sunk.keys[entry.key.clone()];
            let rest = &self.found[self.at..self.part];
            // Often the next one has the key, or a greater one.
            let before = match rest.first() {
                Some(next) if self.is_before(next, key, direction) => {
                    rest.partition_point(|found| self.is_before(found, key, direction))
                }
                _ => 0,
            };
            chunk.extend(rest[..before].iter().filter_map(|found| found.row));
            self.at += before;
            if !self.is_overridden(key, direction) {
                chunk.extend(entry.row.map(|at| sunk.copies.get(at)));
            }
        }
        self.sunk = sunk;
    }

    /// Hands out the rows in memory after the last entry of the tree.
    fn hand_out_rest(&mut self, chunk: &mut Vec<RowAt>) {
        chunk.extend(self.found[self.at..self.part].iter().filter_map(|found| found.row));
        self.at = self.part;
    }
}

impl Wanted {
    /// The bytes that stand for a row that is not wanted itself: its key in the tree and the length
    /// of the index's part of that key, or no bytes.
    fn placeholder_bytes<'b>(self, key: &[u8], own_len: usize, bytes: &'b mut Vec<u8>) -> &'b [u8] {
        bytes.clear();
        if self == Wanted::Entries {
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(&(own_len as u32).to_le_bytes());
        }
        bytes
    }
}

/// Decodes an entry that a cursor handed out instead of its row: the key in the tree, and how long
/// the index's part of it is. `None` if the bytes are too short for an entry.
pub(crate) fn sunk_entry(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let (key, len) = bytes.split_last_chunk()?;
    Some((key, u32::from_le_bytes(*len) as usize))
}

impl Sunk {
    /// Reads a chunk of about this many entries.
    fn read(
        &mut self,
        task: &Task,
        tree: &mut ColdCursor,
        cold: &ColdTable,
        ahead: Ahead<'_>,
        size: usize,
        how: Reading,
    ) -> ColdResult<tree::Chunk> {
        self.entries.clear();
        self.keys.clear();
        self.copies.clear();
        self.present = 0;
        let seen = match how.wanted {
            Wanted::Rows => None,
            Wanted::Entries | Wanted::Presence => cold.all_seen(how.as_of),
        };
        let is_all_seen = || seen.is_some() && cold.all_seen(how.as_of) == seen;
        let is_clustered = tree.is_clustered();
        let mut gather = Gather { sunk: self, ahead, size, how, is_clustered, is_all_seen };
        let chunk = tree.next_leaf(task, &mut gather)?;
        // Unless the snapshot sees all entries of the tree, an entry may have a key that its row,
        // as the snapshot sees it, does not have: `fetch_rows` looks at the row.
        if !is_clustered && is_all_seen() {
            let Sunk { entries, keys, copies, row: bytes, .. } = self;
            for entry in entries {
                let (key, own_len) = (&keys[entry.key.clone()], entry.p.start - entry.key.start);
                entry.row = Some(copies.push(how.wanted.placeholder_bytes(key, own_len, bytes)));
            }
        }
        Ok(chunk)
    }

    fn fetch_rows(
        &mut self,
        task: &Task,
        disk: DiskTable<'_>,
        how: Reading,
        own: &mut KeyBuf,
        is_overridden: impl Fn(&[u8]) -> bool,
    ) -> ColdResult<()> {
        let (DiskTable { table, cold }, index) = (disk, how.index);
        let is_clustered = cold.is_clustered(index);
        for entry in self.entries.iter_mut().filter(|entry| entry.row.is_none()) {
            if is_overridden(&self.keys[entry.key.clone()]) {
                continue;
            }
            self.row.clear();
            let p = &self.keys[entry.p.clone()];
            if !cold.find_cached(task, p, &mut self.row)
                && !cold.find_as_of(task, p, how.as_of, &mut self.row)?
            {
                continue;
            }
            if !is_clustered && cold.has_history() {
                // The entry may have the key of an older or newer version of the row.
                table.key_spec(index).encode_row(table.layout(), &self.row, own);
                let s = &self.keys[entry.key.start..entry.p.start];
                if !table.index_holds(index, &self.row) || **own != *s {
                    continue;
                }
            }
            if how.wanted != Wanted::Rows {
                let key = &self.keys[entry.key.clone()];
                let own_len =
                    if is_clustered { key.len() } else { entry.p.start - entry.key.start };
                how.wanted.placeholder_bytes(key, own_len, &mut self.row);
            }
            entry.row = Some(self.copies.push(&self.row));
        }
        Ok(())
    }
}

/// Gathers a chunk of a tree.
struct Gather<'s, F> {
    sunk: &'s mut Sunk,
    ahead: Ahead<'s>,
    size: usize,
    how: Reading,
    is_clustered: bool,
    /// Whether nothing in the tree is newer than the snapshot, now and when reading began.
    is_all_seen: F,
}

impl<F: Fn() -> bool> Gather<'_, F> {
    #[inline]
    fn push(&mut self, entry: SunkEntry) -> ControlFlow<()> {
        self.sunk.entries.push(entry);
        match self.sunk.entries.len() < self.size {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

impl<F: Fn() -> bool> VisitEntries for Gather<'_, F> {
    fn pass(&mut self, leaf: LeafSpan<'_>) -> bool {
        let is_passed = self.how.wanted == Wanted::Presence
            && self.ahead.follows_leaf(leaf)
            && (self.is_all_seen)();
        self.sunk.present += if is_passed { leaf.entries } else { 0 };
        is_passed
    }

    #[inline]
    fn take_row(&mut self, row: Option<&[u8]>, stamp: Lsn) -> Option<ControlFlow<()>> {
        let is_enough =
            self.ahead.is_alone && self.how.wanted == Wanted::Rows && stamp < self.how.as_of;
        is_enough.then(|| match row {
            Some(row) => {
                let row = Some(self.sunk.copies.push(row));
                self.push(SunkEntry { key: 0..0, p: 0..0, row })
            }
            None => ControlFlow::Continue(()), // the row is deleted
        })
    }

    fn take(&mut self, entry: ColdEntry<'_>) -> ControlFlow<()> {
        let is_seen = entry.stamp < self.how.as_of;
        if self.is_clustered && is_seen && entry.row.is_none() {
            return ControlFlow::Continue(()); // the row is deleted
        }
        let Sunk { keys, copies, row: bytes, .. } = &mut *self.sunk;
        let start = keys.len();
        keys.extend_from_slice(entry.key);
        let key = start..keys.len();
        let p = key.end - entry.p.len()..key.end;
        let row = entry.row.filter(|_| is_seen).map(|row| match self.how.wanted {
            Wanted::Rows => copies.push(row),
            wanted => copies.push(wanted.placeholder_bytes(entry.key, entry.s.len(), bytes)),
        });
        self.push(SunkEntry { key, p, row })
    }
}
