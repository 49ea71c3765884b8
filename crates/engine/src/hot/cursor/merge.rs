//! Cursors over tables some of whose rows are not in memory.
//!
//! # How the two sides are merged
//!
//! The index in memory is walked up to a bound, and what it says about every key on the way is
//! noted: a visible version, or that there is none. Then the index's tree is read up to the same
//! bound, chunk by chunk, and both go into one order; where both have a key, memory is right. Then
//! comes the next part.
//!
//! # Invariants
//!
//! * MC1: of every key memory is asked before the tree. A row moves from memory to the tree by
//!   being written there first and unlinked afterwards, and comes back without leaving the tree. So
//!   a reader that finds nothing in memory finds in the tree what its snapshot sees, however late
//!   it looks: commits that the snapshot does not see do not sink while it is registered.
//! * MC2: a part holds all rows in memory with the keys that it is about: it ends between two keys.
//! * MC3: what an anchor says counts only if it has not sunk when the walk has come to the end of
//!   the part. The row may have come back under another anchor. If the walk has found that too, the
//!   row would be there twice; if it missed it because it has sunk since, the one with a deletion
//!   sank before it.
//! * MC4: the walk and what it has found are dropped together if the cursor must wait for another
//!   transaction.

use std::ops::{Bound, ControlFlow, Range};

use base::ids::Lsn;
use crossbeam_epoch::Guard;

use super::{Cursor, Fetched, LAST_CHUNK, LOOKS, Look, RowRef, Wanted};
use crate::cold::table::{
    ColdCursor, ColdEntry, ColdResult, ColdTable, ORDERED_BYTES, VisitEntries,
};
use crate::cold::tree::{self, LeafSpan};
use crate::hot::anchor::{AnchorPtr, VersionPtr};
use crate::hot::copies::{Copies, CopyAt};
use crate::hot::index::Direction;
use crate::hot::key::{KeyBuf, KeyRange};
use crate::hot::status::Begin;
use crate::hot::table::{Table, Walk};
use crate::sync::atomic::Ordering::Acquire;
use crate::wait::Task;

/// What [`Cursor::fetch_merged`] is told about an anchor.
pub(crate) struct Seen {
    /// What to do with it.
    pub look: Look,
    /// Whether it says something about its row, so that what the tree says does not count.
    pub overrides: bool,
}

/// What is read of a tree.
#[derive(Clone, Copy)]
struct Reading {
    /// What snapshots at this position see.
    as_of: Lsn,
    wanted: Wanted,
}

/// What memory has of the part at hand.
#[derive(Clone, Copy)]
struct Ahead<'a> {
    /// The key of the first of it that has not been handed out.
    key: Option<&'a [u8]>,
    /// Whether the tree has nothing that memory overrides before that.
    is_ordered: bool,
    /// Whether memory has nothing at all.
    is_alone: bool,
}

impl Ahead<'_> {
    /// Whether a leaf lies before it.
    fn is_behind(&self, leaf: LeafSpan<'_>) -> bool {
        self.is_ordered
            && match (leaf.upper, self.key) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(upper), Some(key)) => upper <= key,
            }
    }
}

/// How far a cursor has come on both sides.
#[derive(Default)]
pub(super) struct Merge {
    /// What memory has, as far as it was walked through.
    found: Vec<Found>,
    /// Keys of `found`, one behind the other.
    keys: Vec<u8>,
    /// How many of `found`, sorted, are of the part at hand; the others are of the next ...
    part: usize,
    /// ... and how many have been handed out.
    at: usize,
    /// Whether the tree has the keys of the part in the same order.
    is_ordered: bool,
    /// The part at hand in the tree.
    tree: Option<ColdCursor>,
    /// Where the next part begins, as the direction goes. Nothing before the first.
    next: Option<Bound<Vec<u8>>>,
    sunk: Sunk,
    scratch: KeyBuf,
}

/// A row in memory.
struct Found {
    /// Its key in the tree, in [`Merge::keys`].
    key: Range<usize>,
    /// Where in there its key in the index ends, which is the first part of that.
    own_end: usize,
    row: Option<RowRef>,
    overrides: bool,
    anchor: AnchorPtr,
}

/// A chunk of a tree.
#[derive(Default)]
struct Sunk {
    entries: Vec<SunkEntry>,
    keys: Vec<u8>,
    copies: Copies,
    row: Vec<u8>,
    /// How many rows there are, instead of entries, where only that is wanted
    /// ([`Wanted::Presence`]).
    present: usize,
}

/// One entry of it.
struct SunkEntry {
    /// The whole key, in [`Sunk::keys`]; none where memory has nothing that it could be compared
    /// with, and there is a row.
    key: Range<usize>,
    /// The part of it that identifies the row.
    p: Range<usize>,
    /// The row. Of another index than the clustered one, and if the one in the tree is too new, it
    /// is looked up if memory does not override it.
    row: Option<CopyAt>,
}

impl Cursor {
    /// Fetches another chunk of what `look` takes in memory, and of the rows that are not there. A
    /// chunk may be empty though there is more. Rows that are not in memory are copies, which last
    /// until the next chunk is fetched.
    pub(crate) fn fetch_merged(
        &mut self,
        task: &Task,
        (table, cold): (&Table, &ColdTable),
        look: &mut dyn FnMut(AnchorPtr) -> Seen,
    ) -> ColdResult<Fetched> {
        self.leave_chunk();
        let mut merge = self.merge.take().unwrap_or_default();
        let fetched = self.fetch_part(&mut merge, task, (table, cold), look);
        self.merge = Some(merge);
        self.fetched += self.chunk.len() as u64;
        fetched
    }

    fn fetch_part(
        &mut self,
        merge: &mut Merge,
        task: &Task,
        (table, cold): (&Table, &ColdTable),
        look: &mut dyn FnMut(AnchorPtr) -> Seen,
    ) -> ColdResult<Fetched> {
        if merge.tree.is_none() {
            let walked = {
                let guard = task.pin();
                self.walk_part(merge, table, &guard, look)
            };
            if walked != Fetched::Chunk {
                return Ok(walked);
            }
            merge.tree = Some(self.part_in_tree(merge, cold));
        }
        let tree = merge.tree.as_mut().expect("made above");
        let how = Reading { as_of: self.snapshot.stamp, wanted: self.wanted };
        let ahead = Ahead {
            key: merge.found[merge.at..merge.part].first().map(|f| &merge.keys[f.key.clone()]),
            is_ordered: merge.is_ordered && self.direction == Direction::Forward,
            is_alone: merge.part == 0,
        };
        let more = merge.sunk.read(task, (tree, cold), ahead, self.size, how)?;
        merge.fetch_rows(task, (table, cold), (self.index, how), self.direction)?;
        merge.hand_out(self.direction, &mut self.chunk);
        if more == tree::Chunk::Ended {
            merge.hand_out_rest(&mut self.chunk);
            merge.tree = None;
        }
        self.size = (self.size * 4).min(LAST_CHUNK);
        Ok(Fetched::Chunk)
    }

    /// Walks on in memory, up to between two keys (MC2).
    fn walk_part(
        &mut self,
        merge: &mut Merge,
        table: &Table,
        guard: &Guard,
        look: &mut dyn FnMut(AnchorPtr) -> Seen,
    ) -> Fetched {
        merge.forget_part();
        if self.walk.as_ref().is_some_and(Walk::is_done) {
            return Fetched::End;
        }
        let (before, kept) = (self.walk.clone(), merge.found.len());
        let (index, direction) = (self.index, self.direction);
        let walk = self.walk.get_or_insert_with(|| table.walk_of(index, &self.range, direction));
        let (copies, size) = (&mut self.copies, self.size);
        let (mut looks, mut rows, mut stopped) = (0, 0, false);
        table.walk(guard, index, walk, &mut |anchor| {
            if stopped {
                return ControlFlow::Break(());
            }
            let Seen { look, overrides } = look(anchor);
            let row = match look {
                Look::Row(row) => Some(row),
                Look::Copy(anchor, copy) => {
                    let row = RowRef { anchor, version: VersionPtr::of_copy(&copy) };
                    copies.push(copy);
                    Some(row)
                }
                Look::Nothing => None,
                Look::Stop => {
                    stopped = true;
                    return ControlFlow::Break(());
                }
            };
            (looks, rows) = (looks + 1, rows + usize::from(row.is_some()));
            // SAFETY: the anchor was reached under the guard; the inline version holds its keys
            // (H3).
            let bytes = unsafe { table.row(anchor.inline(table.links())) };
            let is_other_key = merge.note((table, index), anchor, bytes, (row, overrides));
            match is_other_key && (rows >= size || looks >= LOOKS) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if stopped {
            merge.truncate(kept);
            self.walk = before;
            return Fetched::Stopped;
        }
        for found in merge.found.iter_mut().filter(|found| found.overrides) {
            // SAFETY: the anchor was reached under the guard, or was kept since then by the
            // snapshot, which sees the row or its deletion.
            if unsafe { found.anchor.head().load(Acquire) } == Begin::SUNK {
                (found.row, found.overrides) = (None, false);
            }
        }
        merge.end_part(walk.is_done(), direction);
        Fetched::Chunk
    }

    /// The part that memory was walked through for, in the tree.
    fn part_in_tree(&self, merge: &mut Merge, cold: &ColdTable) -> ColdCursor {
        let KeyRange { lower, upper } = self.range.keys();
        let first = Bound::Included(lower.to_vec());
        let last = upper.map_or(Bound::Unbounded, |upper| Bound::Excluded(upper.to_vec()));
        let own = merge.found.get(merge.part).map(|found| merge.own_key(found).to_vec());
        let (lower, upper, direction) = match self.direction {
            Direction::Forward => {
                let end = own.map_or(last, Bound::Excluded);
                let next = match &end {
                    Bound::Excluded(key) => Bound::Included(key.clone()),
                    bound => bound.clone(),
                };
                let start = merge.next.replace(next).unwrap_or(first);
                (start, end, tree::Direction::Forward)
            }
            Direction::Backward => {
                let end = own.map_or(first, |own| behind(&own));
                let next = match &end {
                    Bound::Included(key) => Bound::Excluded(key.clone()),
                    bound => bound.clone(),
                };
                let start = merge.next.replace(next).unwrap_or(last);
                (end, start, tree::Direction::Backward)
            }
        };
        let (lower, upper) = (lower.as_ref().map(|key| &key[..]), upper.as_ref().map(|k| &k[..]));
        cold.cursor(self.index, tree::Range { lower, upper }, direction)
    }
}

/// The lower bound of all keys of a tree above those that begin with this key of its index, of
/// which there are some: another key of the index.
fn behind(own: &[u8]) -> Bound<Vec<u8>> {
    let mut key = KeyBuf::from(own);
    let is_bounded = key.increment();
    debug_assert!(is_bounded, "greater keys have been seen");
    Bound::Included(key.to_vec())
}

impl Merge {
    /// Forgets how far it has come.
    pub fn restart(&mut self) {
        self.truncate(0);
        (self.part, self.at) = (0, 0);
        (self.tree, self.next) = (None, None);
    }

    fn own_key(&self, found: &Found) -> &[u8] {
        &self.keys[found.key.start..found.own_end]
    }

    /// Notes an anchor with this row; whether its key in the index is another than the one's
    /// before.
    fn note(
        &mut self,
        (table, index): (&Table, usize),
        anchor: AnchorPtr,
        bytes: &[u8],
        (row, overrides): (Option<RowRef>, bool),
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

    /// Drops what was noted behind the first `len`.
    fn truncate(&mut self, len: usize) {
        self.found.truncate(len);
        self.keys.truncate(self.found.last().map_or(0, |found| found.key.end));
    }

    /// What was walked through, without the last key if the walk goes on, is a part.
    fn end_part(&mut self, is_done: bool, direction: Direction) {
        self.part = match self.found.last() {
            Some(last) if !is_done => {
                let last = self.own_key(last);
                let before = |found: &Found| self.own_key(found) != last;
                self.found.iter().rposition(before).map_or(0, |at| at + 1)
            }
            _ => self.found.len(),
        };
        let part = &self.found[..self.part];
        self.is_ordered = part.iter().all(|found| found.key.len() <= ORDERED_BYTES);
        let keys = &self.keys;
        let key = |found: &Found| &keys[found.key.clone()];
        self.found[..self.part].sort_by(|a, b| match direction {
            Direction::Forward => key(a).cmp(key(b)),
            Direction::Backward => key(b).cmp(key(a)),
        });
    }

    /// Forgets the part at hand; what lies behind is of the next.
    fn forget_part(&mut self) {
        let part = std::mem::take(&mut self.part);
        self.at = 0;
        self.found.drain(..part);
        // What is left was noted last.
        let start = self.found.first().map_or(self.keys.len(), |found| found.key.start);
        self.keys.drain(..start);
        for found in &mut self.found {
            found.key = found.key.start - start..found.key.end - start;
            found.own_end -= start;
        }
    }

    /// Whether memory overrides what the tree says about a key of the part. Keys that a tree has
    /// cut may come in another order; so all of the part counts.
    fn is_overridden(&self, key: &[u8], direction: Direction) -> bool {
        let part = &self.found[..self.part];
        let from = part.partition_point(|found| self.is_before(found, key, direction));
        let same = part[from..].iter().take_while(|found| self.keys[found.key.clone()] == *key);
        same.into_iter().any(|found| found.overrides)
    }

    fn is_before(&self, found: &Found, key: &[u8], direction: Direction) -> bool {
        let own = &self.keys[found.key.clone()];
        match direction {
            Direction::Forward => own < key,
            Direction::Backward => own > key,
        }
    }

    /// Looks up the rows of entries that are not overridden, if the tree does not hold them.
    fn fetch_rows(
        &mut self,
        task: &Task,
        world: (&Table, &ColdTable),
        how: (usize, Reading),
        direction: Direction,
    ) -> ColdResult<()> {
        let mut sunk = std::mem::take(&mut self.sunk);
        let mut scratch = std::mem::take(&mut self.scratch);
        let overridden = |key: &[u8]| self.is_overridden(key, direction);
        let fetched = sunk.fetch_rows(task, world, how, &mut scratch, overridden);
        self.scratch = scratch;
        self.sunk = sunk;
        fetched
    }

    /// Hands out the entries of the chunk that are not overridden, and of memory what comes before
    /// them.
    fn hand_out(&mut self, direction: Direction, chunk: &mut Vec<RowRef>) {
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
            let before = rest.partition_point(|found| self.is_before(found, key, direction));
            chunk.extend(rest[..before].iter().filter_map(|found| found.row));
            self.at += before;
            if !self.is_overridden(key, direction) {
                chunk.extend(entry.row.map(|at| sunk.copies.get(at)));
            }
        }
        self.sunk = sunk;
    }

    /// Hands out what memory has behind the last entry of the tree.
    fn hand_out_rest(&mut self, chunk: &mut Vec<RowRef>) {
        chunk.extend(self.found[self.at..self.part].iter().filter_map(|found| found.row));
        self.at = self.part;
    }
}

impl Wanted {
    /// What stands for a row that is not wanted itself: its key in the tree, and how long the
    /// index's part of that is; or nothing.
    fn stand_in<'b>(self, key: &[u8], own_len: usize, bytes: &'b mut Vec<u8>) -> &'b [u8] {
        bytes.clear();
        if self == Wanted::Entries {
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(&(own_len as u32).to_le_bytes());
        }
        bytes
    }
}

/// An entry that a cursor handed out instead of its row: the key in the tree, and how long the
/// index's part of it is. Nothing if the bytes are none.
pub(crate) fn sunk_entry(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let (key, len) = bytes.split_last_chunk()?;
    Some((key, u32::from_le_bytes(*len) as usize))
}

impl Sunk {
    /// Reads a chunk of about this many entries.
    fn read(
        &mut self,
        task: &Task,
        (tree, cold): (&mut ColdCursor, &ColdTable),
        ahead: Ahead<'_>,
        size: usize,
        how: Reading,
    ) -> ColdResult<tree::Chunk> {
        self.entries.clear();
        self.keys.clear();
        self.copies.clear();
        self.present = 0;
        let settled = match how.wanted {
            Wanted::Rows => None,
            Wanted::Entries | Wanted::Presence => cold.settled(how.as_of),
        };
        let is_settled = || settled.is_some() && cold.settled(how.as_of) == settled;
        let is_clustered = tree.is_clustered();
        let mut gather = Gather { sunk: self, ahead, size, how, is_clustered, is_settled };
        let chunk = tree.next_leaf(task, &mut gather)?;
        // An entry may be there under a key that its row does not have yet, or no longer: that
        // takes a look at the row.
        if !is_clustered && is_settled() {
            let Sunk { entries, keys, copies, row: bytes, .. } = self;
            for entry in entries {
                let (key, own_len) = (&keys[entry.key.clone()], entry.p.start - entry.key.start);
                entry.row = Some(copies.push(how.wanted.stand_in(key, own_len, bytes)));
            }
        }
        Ok(chunk)
    }

    fn fetch_rows(
        &mut self,
        task: &Task,
        (table, cold): (&Table, &ColdTable),
        (index, how): (usize, Reading),
        own: &mut KeyBuf,
        is_overridden: impl Fn(&[u8]) -> bool,
    ) -> ColdResult<()> {
        let is_clustered = cold.is_clustered(index);
        for entry in self.entries.iter_mut().filter(|entry| entry.row.is_none()) {
            if is_overridden(&self.keys[entry.key.clone()]) {
                continue;
            }
            self.row.clear();
            let p = &self.keys[entry.p.clone()];
            if !cold.find_as_of(task, p, how.as_of, &mut self.row)? {
                continue;
            }
            if !is_clustered && cold.has_history() {
                // The row may have had this key, or may have it later.
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
                how.wanted.stand_in(key, own_len, &mut self.row);
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
    /// Whether nothing is newer than the snapshot, and was not when reading began.
    is_settled: F,
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
            && self.ahead.is_behind(leaf)
            && (self.is_settled)();
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
            None => ControlFlow::Continue(()), // it is gone
        })
    }

    fn take(&mut self, entry: ColdEntry<'_>) -> ControlFlow<()> {
        let is_seen = entry.stamp < self.how.as_of;
        if self.is_clustered && is_seen && entry.row.is_none() {
            return ControlFlow::Continue(()); // it is gone
        }
        let Sunk { keys, copies, row: bytes, .. } = &mut *self.sunk;
        let start = keys.len();
        keys.extend_from_slice(entry.key);
        let key = start..keys.len();
        let p = key.end - entry.p.len()..key.end;
        let row = entry.row.filter(|_| is_seen).map(|row| match self.how.wanted {
            Wanted::Rows => copies.push(row),
            wanted => copies.push(wanted.stand_in(entry.key, entry.s.len(), bytes)),
        });
        self.push(SunkEntry { key, p, row })
    }
}
