//! Cursors: the rows of an index that a snapshot sees, chunk by chunk.
//!
//! A chunk is gathered under one epoch guard, which is dropped before a row is handed out. The rows
//! of a chunk stay valid, because the snapshot is registered. The cursor goes on from its last
//! position in the index, whatever was inserted or removed meanwhile. Chunks grow from
//! [`FIRST_CHUNK`] to [`LAST_CHUNK`] rows, so that a statement that wants one row does not fetch
//! many.
//!
//! Where rows may have sunk, a cursor merges rows in memory with rows of the cold store: see
//! [`merged`]. Whether it does is decided when it starts.
//!
//! A cursor may feed updates of the same statement: what the statement writes is not visible to its
//! own snapshot, wherever in the index it turns up.

mod merge;
mod merged;

use std::ops::ControlFlow;

use crossbeam_epoch::Guard;

pub use merge::Wanted;
pub(crate) use merge::sunk_entry;
pub(crate) use merged::Seen;

pub use crate::hot::key::ScanRange;

use self::merge::Merge;
use crate::cold::table::ColdTable;
use crate::hot::anchor::{AnchorPtr, RowAt, VersionPtr};
use crate::hot::index::Direction;
use crate::hot::key::{KeyBuf, SeekKey};
use crate::hot::status::SlotTable;
use crate::hot::table::{Table, Walk};
use crate::hot::visibility::Snapshot;

/// Rows in the first chunk of a cursor.
pub const FIRST_CHUNK: usize = 8;
/// Rows in a chunk at most.
pub const LAST_CHUNK: usize = 256;
/// Anchors looked at under one guard at most, visible or not.
const LOOKS: usize = 1024;

/// A cursor over a range of an index of one table.
pub struct Cursor<'s> {
    index: usize,
    range: ScanRange,
    direction: Direction,
    snapshot: Snapshot<'s>,
    /// `None` until the first chunk.
    walk: Option<Walk>,
    chunk: Vec<RowAt>,
    /// The next row of the chunk.
    at: usize,
    size: usize,
    /// Rows fetched since it was made.
    fetched: u64,
    /// Anchors that the last chunk came upon, visible or not.
    looks: u64,
    /// Copies of rows that other transactions have not committed yet, kept until
    /// [`Cursor::forget_copies`].
    copies: Vec<Box<[u128]>>,
    /// Anchors that rows moved to when their keys were changed, and that were handed out in place
    /// of the old ones. They are skipped if the walk comes to them itself.
    followed: Vec<AnchorPtr>,
    /// Anchors of the chunk before, since anchors of one key may be in two chunks.
    previous: Vec<AnchorPtr>,
    /// The address of the table in which it has started.
    table: usize,
    /// Whether rows of the table may have sunk when the cursor started.
    is_merged: bool,
    /// Whether its reader has looked the row up and counted that.
    is_counted: bool,
    wanted: Wanted,
    merge: Option<Box<Merge>>,
}

/// What [`Cursor::fetch_by`] does with an anchor.
pub(crate) enum Look {
    /// Takes this version of the row.
    Row(RowAt),
    /// Takes this copy of a version whose own bytes may change or be freed.
    Copy(AnchorPtr, Box<[u128]>),
    /// Skips the anchor.
    Nothing,
    /// Stops, and begins this chunk again next time.
    Stop,
}

/// How [`Cursor::fetch_by`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fetched {
    /// A chunk, maybe an empty one. More may follow.
    Chunk,
    /// There are no more rows.
    End,
    /// The caller stopped it; the cursor has taken nothing.
    Stopped,
}

impl<'s> Cursor<'s> {
    /// A cursor in front of the first row of the range, or, backwards, behind the last. Rows of a
    /// hash index come in no particular order.
    pub fn new(
        snapshot: &Snapshot<'s>,
        index: usize,
        range: ScanRange,
        direction: Direction,
    ) -> Cursor<'s> {
        Cursor {
            index,
            range,
            direction,
            snapshot: *snapshot,
            walk: None,
            chunk: Vec::new(),
            at: 0,
            size: FIRST_CHUNK,
            fetched: 0,
            looks: 0,
            copies: Vec::new(),
            followed: Vec::new(),
            previous: Vec::new(),
            table: 0,
            is_merged: false,
            is_counted: false,
            wanted: Wanted::Rows,
            merge: None,
        }
    }

    /// A cursor over all of an index that does not fetch the rows that are not in memory. In place
    /// of such a row it returns a copy of the row's entry in the index's tree, for [`sunk_entry`].
    pub(crate) fn of_entries(snapshot: &Snapshot<'s>, index: usize) -> Cursor<'s> {
        let cursor = Cursor::new(snapshot, index, ScanRange::All, Direction::Forward);
        Cursor { wanted: Wanted::Entries, ..cursor }
    }

    /// Sets what the cursor returns of rows that are not in memory, from the next chunk on.
    pub fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
    }

    /// How many rows the cursor has fetched since it was made, over all restarts.
    pub fn rows_fetched(&self) -> u64 {
        self.fetched
    }

    /// How many rows in memory the last chunk came upon, whether the snapshot sees them or not.
    pub(crate) fn looks(&self) -> u64 {
        self.looks
    }

    /// Restarts the cursor for another range; its buffers are used again.
    pub fn restart(&mut self, snapshot: &Snapshot<'s>, range: ScanRange) {
        self.snapshot = *snapshot;
        self.range = range;
        self.walk = None;
        self.is_counted = false;
        self.chunk.clear();
        self.followed.clear();
        self.previous.clear();
        if std::mem::replace(&mut self.is_merged, false) {
            self.merge.iter_mut().for_each(|merge| merge.restart());
        }
        (self.at, self.size) = (0, FIRST_CHUNK);
    }

    /// Points the cursor at another index and direction; [`Cursor::restart`] must follow.
    pub fn set_index(&mut self, index: usize, direction: Direction) {
        (self.index, self.direction) = (index, direction);
        self.walk = None;
    }

    /// As [`Cursor::restart`], for one key; the key's buffer is used again, too.
    pub fn restart_at_key(&mut self, snapshot: &Snapshot<'s>, key: &[u8]) {
        if let ScanRange::Key(buffer) = &mut self.range {
            buffer.set(key);
            let range = std::mem::replace(&mut self.range, ScanRange::All);
            self.restart(snapshot, range);
        } else {
            self.restart(snapshot, ScanRange::Key(KeyBuf::from(key)));
        }
    }

    /// Its reader has looked the row up that it is about to fetch, and has counted that.
    pub(crate) fn set_counted(&mut self) {
        self.is_counted = true;
    }

    /// The snapshot that the cursor reads at.
    pub fn snapshot(&self) -> &Snapshot<'s> {
        &self.snapshot
    }

    /// The index.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The range.
    pub fn range(&self) -> &ScanRange {
        &self.range
    }

    /// Whether nothing has been fetched yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.walk.is_none()
    }

    /// Starts the cursor: decides whether it must look for rows that are not in memory. It need not
    /// ask again, since rows sink only when every active statement began after the table got its
    /// trees.
    #[inline]
    pub(crate) fn start_in(&mut self, table: &Table) {
        self.table = std::ptr::from_ref(table).addr();
        self.is_merged = table.cold().is_some();
    }

    /// Panics unless the cursor has started in this table.
    #[inline]
    pub(crate) fn assert_in(&self, table: &Table) {
        assert_eq!(self.table, std::ptr::from_ref(table).addr(), "a cursor stays in its table");
    }

    /// The rows of the table that are not in memory, if the cursor returns them, too.
    #[inline]
    pub(crate) fn cold_of<'t>(&self, table: &'t Table) -> Option<&'t ColdTable> {
        match self.is_merged {
            true => table.cold().map(|cold| &**cold),
            false => None,
        }
    }

    /// The next row of the chunk, if there is one.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<RowAt> {
        let row = *self.chunk.get(self.at)?;
        self.at += 1;
        Some(row)
    }

    /// Fetches another chunk, after [`Cursor::pop`] has returned `None`. Returns whether there can
    /// be more rows, in this chunk or a later one.
    ///
    /// # Safety
    /// The cursor's snapshot is registered in `slots`, and all calls for this cursor pass the same
    /// table.
    pub(crate) unsafe fn fetch(&mut self, table: &Table, slots: &SlotTable, guard: &Guard) -> bool {
        self.chunk.clear();
        self.at = 0;
        let (links, snapshot) = (table.links(), &self.snapshot);
        self.looks = 0;
        let looks = &mut self.looks;
        let mut visible = |anchor: AnchorPtr| {
            *looks += 1;
            // SAFETY: the anchor was reached under the guard; the snapshot is registered.
            let version = unsafe { snapshot.visible(anchor, links, slots) }?;
            Some(RowAt { anchor, version })
        };
        let walk = match &mut self.walk {
            Some(walk) if walk.is_done() => return false,
            Some(walk) => walk,
            fresh => match &self.range {
                ScanRange::Key(key) if table.is_unique(self.index) => {
                    // A snapshot sees at most one row with the key.
                    let key = SeekKey::Bytes(key);
                    self.chunk.extend(table.find(guard, self.index, key, visible));
                    self.fetched += self.chunk.len() as u64;
                    *fresh = Some(Walk::Done);
                    return true;
                }
                range => fresh.insert(table.walk_of(self.index, range, self.direction)),
            },
        };
        let (chunk, size) = (&mut self.chunk, self.size);
        let mut left = LOOKS;
        table.walk(guard, self.index, walk, &mut |anchor| {
            left = left.saturating_sub(1);
            chunk.extend(visible(anchor));
            match chunk.len() < size && left > 0 {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        self.fetched += self.chunk.len() as u64;
        self.size = (self.size * 4).min(LAST_CHUNK);
        true
    }

    /// Fetches another chunk of the rows that `look` takes, as [`Cursor::fetch`] does of those that
    /// the snapshot sees.
    pub(crate) fn fetch_by(
        &mut self,
        table: &Table,
        guard: &Guard,
        look: &mut dyn FnMut(AnchorPtr) -> Look,
    ) -> Fetched {
        self.leave_chunk();
        let before = match &self.walk {
            Some(walk) if walk.is_done() => return Fetched::End,
            walk => walk.clone(),
        };
        let direction = self.direction;
        let walk =
            self.walk.get_or_insert_with(|| table.walk_of(self.index, &self.range, direction));
        let (chunk, copies, size) = (&mut self.chunk, &mut self.copies, self.size);
        let (mut looks, mut stopped) = (0, false);
        table.walk(guard, self.index, walk, &mut |anchor| {
            looks += 1;
            if stopped {
                return ControlFlow::Break(());
            }
            match look(anchor) {
                Look::Row(row) => chunk.push(row),
                Look::Copy(anchor, copy) => {
                    chunk.push(RowAt { anchor, version: VersionPtr::of_copy(&copy) });
                    copies.push(copy);
                }
                Look::Nothing => {}
                Look::Stop => stopped = true,
            }
            match !stopped && chunk.len() < size && looks < LOOKS {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        if stopped {
            self.chunk.clear();
            self.walk = before;
            return Fetched::Stopped;
        }
        self.fetched += self.chunk.len() as u64;
        self.size = (self.size * 4).min(LAST_CHUNK);
        Fetched::Chunk
    }

    /// Remembers the anchors of the chunk, and empties it.
    fn leave_chunk(&mut self) {
        if !self.chunk.is_empty() {
            self.previous.clear();
            self.previous.extend(self.chunk.iter().map(|row| row.anchor));
        }
        self.chunk.clear();
        self.at = 0;
    }

    /// Notes an anchor that a row of the chunk has moved to. Returns whether to hand it out in
    /// place of the old one: not if the walk has found it itself, since then it comes in its own
    /// place.
    pub(crate) fn follow(&mut self, anchor: AnchorPtr) -> bool {
        let found = self.chunk.iter().any(|row| row.anchor == anchor)
            || self.previous.contains(&anchor)
            || self.followed.contains(&anchor);
        if !found {
            self.followed.push(anchor);
        }
        !found
    }

    /// Whether this anchor was handed out in place of an old one.
    pub(crate) fn has_followed(&self, anchor: AnchorPtr) -> bool {
        self.followed.contains(&anchor)
    }

    /// Frees the copies of rows, which the caller must not look at any more.
    pub fn forget_copies(&mut self) {
        self.copies.clear();
    }
}
