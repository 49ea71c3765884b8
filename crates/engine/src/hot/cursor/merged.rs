//! Cursors over tables some of whose rows are not in memory.
//!
//! # How the two sides are merged
//!
//! A cursor proceeds in *parts*. For each part it walks through the index in memory up to a bound,
//! and notes what memory says about every key on the way: a visible version, or that there is none.
//! Then it reads the index's tree up to the same bound, chunk by chunk, and hands out both in one
//! order. Where both have a key, memory overrides the tree.
//!
//! # Invariants
//!
//! * MC1: for every key the cursor looks into memory before the tree. A row moves from memory to
//!   the tree by being written there first and unlinked afterwards, and comes back without leaving
//!   the tree. So a reader that finds nothing in memory finds in the tree what its snapshot sees,
//!   however late it looks: commits that the snapshot does not see do not sink while it is
//!   registered.
//! * MC2: a part holds all rows in memory with any of its keys: it ends between two keys.
//! * MC3: an anchor counts only if it has not sunk when the walk has come to the end of the part,
//!   since its row may have come back under another anchor. If the walk has found that anchor, too,
//!   the row would be returned twice. If the walk has missed it because it has sunk in turn, then
//!   an anchor with the row's deletion, which the walk may have noted, has sunk before it.
//! * MC4: if the cursor must wait for another transaction, the walk goes back to the start of the
//!   part, and what it has noted since is dropped with it.

use std::ops::{Bound, ControlFlow};

use crossbeam_epoch::Guard;

use super::merge::{Merge, Reading};
use super::{Cursor, Fetched, LAST_CHUNK, LOOKS, Look, ScanRange, Wanted};
use crate::cold::table::{ColdCursor, ColdResult, ColdTable};
use crate::cold::tree;
use crate::hot::anchor::{AnchorPtr, RowAt, VersionPtr};
use crate::hot::index::Direction;
use crate::hot::key::{KeyBuf, KeyRange};
use crate::hot::table::{DiskTable, Table, Walk};
use crate::wait::Task;

/// What the caller of [`Cursor::fetch_merged`] says about an anchor.
pub(crate) struct Seen {
    /// What to do with the anchor.
    pub look: Look,
    /// Whether the anchor decides about its row, so that it overrides the tree.
    pub overrides: bool,
}

impl Cursor<'_> {
    /// Fetches another chunk: of the rows in memory those that `look` takes, and rows that are not
    /// in memory. A chunk may be empty although more follow. Rows that are not in memory are
    /// copies, which last until the next chunk is fetched.
    pub(crate) fn fetch_merged(
        &mut self,
        task: &Task,
        disk: DiskTable<'_>,
        look: &mut dyn FnMut(AnchorPtr) -> Seen,
    ) -> ColdResult<Fetched> {
        self.leave_chunk();
        let mut merge = self.merge.take().unwrap_or_default();
        let fetched = self.fetch_part(&mut merge, task, disk, look);
        self.merge = Some(merge);
        self.fetched += self.chunk.len() as u64;
        fetched
    }

    fn fetch_part(
        &mut self,
        merge: &mut Merge,
        task: &Task,
        disk: DiskTable<'_>,
        look: &mut dyn FnMut(AnchorPtr) -> Seen,
    ) -> ColdResult<Fetched> {
        if !merge.is_in_tree() {
            let walked = {
                let guard = task.pin();
                self.walk_part(merge, disk.table, &guard, look)
            };
            if walked != Fetched::Chunk {
                return Ok(walked);
            }
            if self.take_cached(merge, task, disk) {
                return Ok(Fetched::Chunk);
            }
            let part = self.part_in_tree(merge, disk.cold);
            merge.enter_tree(part);
        }
        let how = Reading {
            index: self.index,
            direction: self.direction,
            as_of: self.snapshot.stamp,
            wanted: self.wanted,
        };
        merge.read_part(task, disk, how, self.size, &mut self.chunk)?;
        self.size = (self.size * 4).min(LAST_CHUNK);
        Ok(Fetched::Chunk)
    }

    /// Takes the row with a whole identity key from the row cache, if memory has no row with the
    /// key. Every snapshot sees the row.
    fn take_cached(&mut self, merge: &mut Merge, task: &Task, disk: DiskTable<'_>) -> bool {
        let ScanRange::Key(key) = &self.range else { return false };
        let is_alone = merge.is_part_empty() && self.walk.as_ref().is_some_and(Walk::is_done);
        if !is_alone || self.wanted != Wanted::Rows || !disk.cold.is_clustered(self.index) {
            return false;
        }
        let Some(cached) = disk.cold.row_cache() else { return false };
        let guard = task.pin();
        let Some(row) = cached.find(&guard, key) else { return false };
        if !self.is_counted {
            cached.count_hit(self.index, 0);
            task.count_cached_row();
        }
        merge.hand_out_copy(row, &mut self.chunk);
        true
    }

    /// Walks through memory for the next part, which ends between two keys (MC2).
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
        let (before, kept) = (self.walk.clone(), merge.len());
        let (index, direction) = (self.index, self.direction);
        let walk = self.walk.get_or_insert_with(|| table.walk_of(index, &self.range, direction));
        let (copies, size) = (&mut self.copies, self.size);
        let (mut looks, mut rows, mut gone, mut stopped) = (0, 0, 0, false);
        table.walk(guard, index, walk, &mut |anchor| {
            if stopped {
                return ControlFlow::Break(());
            }
            let Seen { look, overrides } = look(anchor);
            let row = match look {
                Look::Row(row) => Some(row),
                Look::Copy(anchor, copy) => {
                    let row = RowAt { anchor, version: VersionPtr::of_copy(&copy) };
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
            gone += u64::from(row.is_none() && overrides);
            // SAFETY: the anchor was reached under the guard; the inline version holds its keys
            // (H3).
            let bytes = unsafe { table.row(anchor.inline(table.links())) };
            let is_other_key = merge.note(table, index, anchor, bytes, row, overrides);
            match is_other_key && (rows >= size || looks >= LOOKS) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        table.note_passed(gone);
        if stopped {
            merge.truncate(kept);
            self.walk = before;
            return Fetched::Stopped;
        }
        // SAFETY: the anchors were reached under the guard, or were kept since then by the
        // snapshot, which sees the row or its deletion.
        unsafe { merge.forget_sunk() };
        merge.end_part(walk.is_done(), direction);
        Fetched::Chunk
    }

    /// A cursor over the current part in the tree.
    fn part_in_tree(&self, merge: &mut Merge, cold: &ColdTable) -> ColdCursor {
        let KeyRange { lower, upper } = self.range.keys();
        let first = Bound::Included(lower.to_vec());
        let last = upper.map_or(Bound::Unbounded, |upper| Bound::Excluded(upper.to_vec()));
        let own = merge.next_key().map(<[u8]>::to_vec);
        let (lower, upper, direction) = match self.direction {
            Direction::Forward => {
                let end = own.map_or(last, Bound::Excluded);
                let next = match &end {
                    Bound::Excluded(key) => Bound::Included(key.clone()),
                    bound => bound.clone(),
                };
                let start = merge.set_next_start(next).unwrap_or(first);
                (start, end, tree::Direction::Forward)
            }
            Direction::Backward => {
                let end = own.map_or(first, |own| after_prefix(&own));
                let next = match &end {
                    Bound::Included(key) => Bound::Excluded(key.clone()),
                    bound => bound.clone(),
                };
                let start = merge.set_next_start(next).unwrap_or(last);
                (end, start, tree::Direction::Backward)
            }
        };
        let (lower, upper) = (lower.as_ref().map(|key| &key[..]), upper.as_ref().map(|k| &k[..]));
        cold.cursor(self.index, tree::Range { lower, upper }, direction)
    }
}

/// The lower bound of a tree's keys above all those that begin with this key of its index. The
/// index must have a greater key.
fn after_prefix(own: &[u8]) -> Bound<Vec<u8>> {
    let mut key = KeyBuf::from(own);
    let is_bounded = key.increment();
    debug_assert!(is_bounded, "greater keys have been seen");
    Bound::Included(key.to_vec())
}
