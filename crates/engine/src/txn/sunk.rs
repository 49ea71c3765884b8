//! Reading rows that are not in memory.
//!
//! Memory is asked first, and decides about a row if the snapshot sees a version or a deletion of
//! it there; then the trees are asked. See `docs/design/sinking.md`. What is read from a tree is a
//! copy. No epoch guard is held meanwhile, since a tree may have to wait for pages.

use std::ops::{Bound, ControlFlow};

use base::Arena;
use smallvec::SmallVec;

use crate::cold::rowcache::Admission;
use crate::cold::table::ColdTable;
use crate::cold::tree;
use crate::hot::anchor::{AnchorPtr, RowAt};
use crate::hot::copies;
use crate::hot::cursor::{Cursor, Fetched, Look, ScanRange, Seen};
use crate::hot::key::{KeyBuf, KeyRange, SeekKey};
use crate::hot::table::{DiskTable, Table};
use crate::hot::visibility::{self, Snapshot, View};
use crate::txn::error::TxnResult;
use crate::txn::read::Found;
use crate::txn::transaction::Transaction;
use crate::wait::Task;

/// What memory says about a key.
enum Decided {
    /// This is the row.
    Row(RowAt),
    /// The snapshot sees no row with the key there. Rows with the key and these identity keys are
    /// deleted.
    Gone(Vec<KeyBuf>),
}

impl Transaction {
    /// Fetches the next chunk of rows that the cursor's snapshot sees, in memory or not. Returns
    /// whether there can be more rows.
    #[cold]
    pub(super) fn fetch_versions(
        &self,
        task: &Task,
        disk: DiskTable<'_>,
        cursor: &mut Cursor,
    ) -> TxnResult<bool> {
        let (snapshot, slots) = (*cursor.snapshot(), &self.manager().slots);
        let fetched = cursor.fetch_merged(task, disk, &mut |anchor| {
            // SAFETY: the anchor was reached under a guard; the snapshot belongs to a statement of
            // this transaction.
            match unsafe { snapshot.view(anchor, disk.table.links(), slots) } {
                View::Row(version) => {
                    Seen { look: Look::Row(RowAt { anchor, version }), overrides: true }
                }
                View::Deleted => Seen { look: Look::Nothing, overrides: true },
                View::Nothing => Seen { look: Look::Nothing, overrides: false },
            }
        })?;
        Ok(fetched != Fetched::End)
    }

    /// Whether an anchor, reached under a guard, decides about its row.
    pub(super) fn decides(&self, table: &Table, snapshot: &Snapshot, anchor: AnchorPtr) -> bool {
        // SAFETY: the anchor was reached under the caller's guard; the snapshot belongs to a
        // statement of this transaction.
        let view = unsafe { snapshot.view(anchor, table.links(), &self.manager().slots) };
        view != View::Nothing
    }

    /// Whether an anchor that decided about its row has sunk since.
    pub(super) fn has_sunk(&self, table: &Table, anchor: AnchorPtr) -> bool {
        // SAFETY: the caller has a guard; the row is visible to a snapshot that is registered, or
        // was until it was deleted, so that the anchor is there.
        unsafe { visibility::newest(anchor, table.links(), &self.manager().slots) }.is_sunk()
    }

    /// The anchor that decides about the row with these bytes, which was not in memory when it was
    /// read.
    pub(super) fn deciding_anchor(
        &self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        row: &[u8],
    ) -> Option<AnchorPtr> {
        let mut key = KeyBuf::new();
        table.log_key(row, &mut key);
        table.find(&task.pin(), table.log_index(), SeekKey::Bytes(&key), |anchor| {
            self.decides(table, snapshot, anchor).then_some(anchor)
        })
    }

    /// Finds the anchors that decide about the row with this identity key, for which an index's
    /// tree has an entry. Returns those whose key in the index is the entry's, as `is_same` tells.
    /// Returns `None` if no anchor decides: then the entry is right.
    pub(super) fn decided(
        &self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        index: usize,
        p: &[u8],
        is_same: impl Fn(&[u8]) -> bool,
    ) -> Option<SmallVec<[AnchorPtr; 2]>> {
        let (mut decided, mut own) = (None, KeyBuf::new());
        table.find(&task.pin(), table.log_index(), SeekKey::Bytes(p), |anchor| {
            if !self.decides(table, snapshot, anchor) {
                return None::<()>;
            }
            let anchors: &mut SmallVec<[AnchorPtr; 2]> = decided.get_or_insert_default();
            // SAFETY: the anchor was reached under the guard; the inline version holds its keys
            // (H3).
            let row = unsafe { table.row(anchor.inline(table.links())) };
            table.key_spec(index).encode_row(table.layout(), row, &mut own);
            if table.index_holds(index, row) && is_same(&own) {
                anchors.push(anchor);
            }
            None
        });
        decided
    }

    /// Finds the row with a whole key of a unique index in the trees, or in memory if it came there
    /// meanwhile.
    #[cold]
    pub(super) fn look_up_sunk(
        &self,
        task: &Task,
        disk: DiskTable<'_>,
        snapshot: &Snapshot,
        index: usize,
        key: SeekKey<'_>,
        arena: &Arena,
    ) -> TxnResult<Option<RowAt>> {
        let DiskTable { table, cold } = disk;
        let key: KeyBuf = table.key_spec(index).with_bytes(key, |key| KeyBuf::from(key));
        let gone = match self.decide_in_memory(task, table, snapshot, index, &key) {
            Decided::Row(row) => return Ok(Some(row)),
            Decided::Gone(gone) => gone,
        };
        let (mut row, mut own) = (Vec::new(), KeyBuf::new());
        let found = match cold.is_clustered(index) {
            true => gone.is_empty() && self.find_row(task, disk, snapshot, &key, &mut row)?,
            false => {
                let candidates = identities_in_tree(task, cold, index, &key)?;
                let mut found = false;
                for p in candidates.iter().filter(|p| !gone.contains(p)) {
                    row.clear();
                    found = self.find_row(task, disk, snapshot, p, &mut row)?
                        && is_current_key(table, cold, index, &key, &row, &mut own);
                    if found {
                        if let Some(cached) = cold.row_cache() {
                            cached.name(&task.pin(), self.shard, index, &key, p);
                        }
                        break;
                    }
                }
                found
            }
        };
        if let Some(cached) = cold.row_cache() {
            cached.count_tree(index, found);
        }
        Ok(found.then(|| copies::copy_to(arena, &row)))
    }

    /// The row with a whole key of a unique index, if the row cache has it. Every snapshot sees it:
    /// memory has no anchor of the row.
    #[inline]
    pub(super) fn look_up_cached(
        &self,
        task: &Task,
        DiskTable { table, cold }: DiskTable<'_>,
        index: usize,
        key: SeekKey<'_>,
        arena: &Arena,
    ) -> Option<RowAt> {
        let cached = cold.row_cache()?;
        let guard = task.pin();
        let spec = table.key_spec(index);
        let has_key = |row: &[u8], key: &[u8]| {
            spec.matches(table.layout(), row, key) && table.index_holds(index, row)
        };
        let found = spec.with_bytes(key, |key| {
            cached.find_by_key(&guard, index, key, |row| has_key(row, key))
        })?;
        cached.count_hit(index, self.shard);
        task.count_cached_row();
        Some(copies::copy_to(arena, found))
    }

    /// Notes that a row which memory has was looked up by a whole key of a unique index.
    #[inline]
    pub(super) fn note_use(
        &self,
        DiskTable { table, cold }: DiskTable<'_>,
        index: usize,
        key: SeekKey<'_>,
        row: RowAt,
    ) {
        let Some(cached) = cold.row_cache() else { return };
        if cold.is_clustered(index) {
            table.key_spec(index).with_bytes(key, |key| cached.note_use(key));
        } else {
            let mut p = KeyBuf::new();
            // SAFETY: a snapshot that is registered sees the version.
            table.log_key(unsafe { table.row(row.version) }, &mut p);
            cached.note_use(&p);
        }
    }

    /// Appends the row with the identity key `p` to `row`, as the snapshot sees it in the row
    /// cache, the tree or the history, after memory did not decide about it. Returns whether there
    /// is one.
    /// A row that is read from the tree goes into the cache, if every snapshot sees it.
    fn find_row(
        &self,
        task: &Task,
        DiskTable { table, cold }: DiskTable<'_>,
        snapshot: &Snapshot,
        p: &[u8],
        row: &mut Vec<u8>,
    ) -> TxnResult<bool> {
        let Some(cached) = cold.row_cache() else {
            return Ok(cold.find_as_of(task, p, snapshot.stamp, row)?);
        };
        if cold.find_cached(task, p, row) {
            return Ok(true);
        }
        let start = row.len();
        let newest = match cached.will_admit(p) {
            true => cold.find_newest_once(task, p, row)?,
            false => cold.find_newest(task, p, row)?,
        };
        match newest {
            None => Ok(false),
            Some(newest) if newest.stamp >= snapshot.stamp => {
                row.truncate(start);
                Ok(cold.find_as_of(task, p, snapshot.stamp, row)?)
            }
            Some(newest) if newest.is_gone => Ok(false),
            Some(newest) => {
                if newest.stamp < self.manager().horizon.safe() {
                    let guard = task.pin();
                    let any = |_: AnchorPtr| Some(());
                    let key = SeekKey::Bytes(p);
                    cached.admit(&guard, self.shard, p, &row[start..], || {
                        table.find(&guard, table.log_index(), key, any).is_some()
                    });
                }
                Ok(true)
            }
        }
    }

    /// Looks the row up that a cursor is about to read with locks by a whole identity key, so that
    /// the row cache learns of it, and has it then if it is to have it.
    pub(super) fn offer_to_cache(
        &self,
        task: &Task,
        table: &Table,
        cursor: &mut Cursor<'_>,
    ) -> TxnResult<()> {
        let ScanRange::Key(key) = cursor.range() else { return Ok(()) };
        let Some(cold) = table.cold().filter(|cold| cold.is_clustered(cursor.index())) else {
            return Ok(());
        };
        let Some(cached) = cold.row_cache() else { return Ok(()) };
        let is_near = {
            let guard = task.pin();
            let any = |_: AnchorPtr| Some(());
            let in_memory = table.find(&guard, table.log_index(), SeekKey::Bytes(key), any);
            if in_memory.is_some() {
                cached.note_use(key);
            }
            in_memory.is_some() || cached.find(&guard, key).is_some()
        };
        if !is_near {
            let mut row = Vec::new();
            let disk = DiskTable { table, cold };
            let found = self.find_row(task, disk, cursor.snapshot(), key, &mut row)?;
            cached.count_tree(cursor.index(), found);
            cursor.set_counted();
        }
        Ok(())
    }

    /// Brings rows of a table that have sunk into the row cache, in the order of their identity
    /// keys, as long as there is room. Returns how many. To be called in a statement: a row that
    /// changes meanwhile does not leave memory before that has ended, so that its anchor is found.
    pub fn prewarm(&mut self, task: &Task, table: &Table) -> TxnResult<u64> {
        self.hold(task, table)?;
        let Some(cold) = table.cold() else { return Ok(0) };
        let Some(cached) = cold.row_cache() else { return Ok(0) };
        let all = tree::Range { lower: Bound::Unbounded, upper: Bound::Unbounded };
        let mut cursor = cold.cursor(cold.clustered_index(), all, tree::Direction::Forward);
        let (mut rows, mut admitted): (Vec<(KeyBuf, Vec<u8>)>, u64) = (Vec::new(), 0);
        while !cached.is_full() {
            rows.clear();
            let safe = self.manager().horizon.safe();
            let chunk = cursor.next_chunk(task, |entry| {
                if let Some(row) = entry.row.filter(|_| entry.stamp < safe) {
                    rows.push((KeyBuf::from(entry.p), row.to_vec()));
                }
                ControlFlow::Continue(())
            })?;
            let guard = task.pin();
            for (p, row) in &rows {
                let any = |_: AnchorPtr| Some(());
                let key = SeekKey::Bytes(p);
                let admission = cached.bring(&guard, self.shard, p, row, || {
                    table.find(&guard, table.log_index(), key, any).is_some()
                });
                admitted += u64::from(admission == Admission::Admitted);
            }
            drop(guard);
            cached.grow_if_due(&mut task.pin());
            if chunk == tree::Chunk::Ended {
                break;
            }
        }
        Ok(admitted)
    }

    /// Finds a row of a range of an index in its newest state, if it was not in memory when memory
    /// was walked through; or the transaction to wait for.
    #[cold]
    pub(super) fn find_current_sunk(
        &self,
        task: &Task,
        DiskTable { table, cold }: DiskTable<'_>,
        index: usize,
        range: &ScanRange,
        arena: &Arena,
    ) -> TxnResult<Found> {
        let snapshot = self.newest_now();
        let keys = range.keys();
        let KeyRange { lower, upper } = &keys;
        let upper = upper.as_ref().map_or(Bound::Unbounded, |upper| Bound::Excluded(&upper[..]));
        let range = tree::Range { lower: Bound::Included(&lower[..]), upper };
        let mut cursor = cold.cursor(index, range, tree::Direction::Forward);
        let (mut identities, mut row, mut own) = (Vec::new(), Vec::new(), KeyBuf::new());
        loop {
            identities.clear();
            let chunk = cursor.next_chunk(task, |entry| {
                identities.push(KeyBuf::from(entry.p));
                ControlFlow::Continue(())
            })?;
            'rows: for p in &identities {
                let in_range = |key: &[u8]| keys.contains(key);
                while let Some(anchors) = self.decided(task, table, &snapshot, index, p, in_range) {
                    let _guard = task.pin();
                    for anchor in &anchors {
                        match self.examine_current(table, *anchor) {
                            Found::Nothing => {}
                            found => return Ok(found),
                        }
                    }
                    if !anchors.iter().any(|anchor| self.has_sunk(table, *anchor)) {
                        continue 'rows;
                    }
                }
                row.clear();
                if (cold.find_cached(task, p, &mut row) || cold.find(task, p, &mut row)?)
                    && (!cold.has_history() || {
                        table.key_spec(index).encode_row(table.layout(), &row, &mut own);
                        table.index_holds(index, &row) && in_range(&own)
                    })
                {
                    return Ok(Found::Row(copies::copy_to(arena, &row)));
                }
            }
            if chunk == tree::Chunk::Ended {
                return Ok(Found::Nothing);
            }
        }
    }

    fn decide_in_memory(
        &self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        index: usize,
        key: &[u8],
    ) -> Decided {
        let mut gone = Vec::new();
        let row = table.find(&task.pin(), index, SeekKey::Bytes(key), |anchor| {
            // SAFETY: the anchor was reached under the guard; the snapshot belongs to a statement
            // of this transaction.
            match unsafe { snapshot.view(anchor, table.links(), &self.manager().slots) } {
                View::Row(version) => return Some(RowAt { anchor, version }),
                // SAFETY: as above; the inline version holds the keys (H3).
                View::Deleted => gone.push(unsafe { identity_of(table, anchor) }),
                View::Nothing => {}
            }
            None
        });
        row.map_or(Decided::Gone(gone), Decided::Row)
    }
}

/// The identity key of the row behind an anchor.
///
/// # Safety
/// The anchor is the table's, and protected.
unsafe fn identity_of(table: &Table, anchor: AnchorPtr) -> KeyBuf {
    let mut key = KeyBuf::new();
    // SAFETY: the anchor is the table's and protected, as the caller has promised; the inline
    // version always holds the keys (H3).
    table.log_key(unsafe { table.row(anchor.inline(table.links())) }, &mut key);
    key
}

/// Whether a row, as it was read, has the key under which an index's tree has an entry for it. It
/// has if the history is empty.
pub(super) fn is_current_key(
    table: &Table,
    cold: &ColdTable,
    index: usize,
    key: &[u8],
    row: &[u8],
    own: &mut KeyBuf,
) -> bool {
    if !cold.has_history() {
        return true;
    }
    table.key_spec(index).encode_row(table.layout(), row, own);
    table.index_holds(index, row) && **own == *key
}

/// The identity keys of an index's tree under one whole key of the index, which must be a key that
/// few rows share.
pub(super) fn identities_in_tree(
    task: &Task,
    cold: &ColdTable,
    index: usize,
    key: &[u8],
) -> TxnResult<Vec<KeyBuf>> {
    let (mut cursor, mut found) = (cold.cursor_at(index, key), Vec::new());
    loop {
        let chunk = cursor.next_chunk(task, |entry| {
            found.push(KeyBuf::from(entry.p));
            ControlFlow::Continue(())
        })?;
        if chunk == tree::Chunk::Ended {
            return Ok(found);
        }
    }
}
