//! Cursors: the rows of an index that a snapshot sees, chunk by chunk.
//!
//! A chunk is gathered under one epoch guard, which is gone before a row is handed out. The rows of
//! a chunk stay valid all the same, because the snapshot is registered; and the cursor goes on from
//! its last position in the index, whatever was inserted or removed meanwhile. Chunks grow from
//! [`FIRST_CHUNK`] to [`LAST_CHUNK`] rows, so that a statement that wants one row does not fetch
//! many.
//!
//! Where rows may have sunk, what is in memory and what is not are merged: see [`merged`]. Which of
//! the two ways a cursor goes is decided when it starts.
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

pub use crate::hot::anchor::RowRef;
pub use crate::hot::key::ScanRange;

use self::merge::Merge;
use crate::cold::table::ColdTable;
use crate::hot::anchor::{AnchorPtr, VersionPtr};
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

/// Goes through part of an index of one table.
pub struct Cursor {
    index: usize,
    range: ScanRange,
    direction: Direction,
    snapshot: Snapshot,
    /// `None` until the first chunk.
    walk: Option<Walk>,
    chunk: Vec<RowRef>,
    /// The next row of the chunk.
    at: usize,
    size: usize,
    /// Rows fetched since it was made.
    fetched: u64,
    /// Anchors that the last chunk came upon, visible or not.
    looks: u64,
    /// Copies of rows that other transactions have not committed yet: they stay until
    /// [`Cursor::forget_copies`].
    copies: Vec<Box<[u128]>>,
    /// Rows that were handed out in the place of others from which they went on: if the walk comes
    /// to them itself, they are left out.
    followed: Vec<AnchorPtr>,
    /// What the chunk before held, since anchors of one key may be in two.
    previous: Vec<AnchorPtr>,
    /// Whether rows of the table may have sunk, as its start found it.
    is_merged: bool,
    wanted: Wanted,
    merge: Option<Box<Merge>>,
}

/// What [`Cursor::fetch_by`] does with an anchor.
pub(crate) enum Look {
    /// Takes this version of it.
    Row(RowRef),
    /// Takes this row, whose bytes may change or go away: a copy of it, if the bytes still are what
    /// they were when the function says so.
    Copy(AnchorPtr, Box<[u128]>),
    /// Passes it by.
    Nothing,
    /// Stops here, and begins the chunk anew next time.
    Stop,
}

/// How [`Cursor::fetch_by`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fetched {
    /// There may be rows, now or later.
    Chunk,
    /// There are no more.
    End,
    /// It was stopped, and has taken nothing.
    Stopped,
}

impl Cursor {
    /// A cursor in front of the first row of the range, or behind the last. Only range indexes have
    /// an order; the rows of a hash index come in any.
    pub fn new(
        snapshot: &Snapshot,
        index: usize,
        range: ScanRange,
        direction: Direction,
    ) -> Cursor {
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
            is_merged: false,
            wanted: Wanted::Rows,
            merge: None,
        }
    }

    /// A cursor over all of an index that does not fetch the rows that are not in memory: in the
    /// place of such a row comes a copy that is not a row: its bytes are the entry in the index's
    /// tree, for [`sunk_entry`].
    pub(crate) fn of_entries(snapshot: &Snapshot, index: usize) -> Cursor {
        let cursor = Cursor::new(snapshot, index, ScanRange::All, Direction::Forward);
        Cursor { wanted: Wanted::Entries, ..cursor }
    }

    /// What is wanted of rows that are not in memory, from the next chunk on.
    pub fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
    }

    /// How many rows it has fetched since it was made, whatever it was used for.
    pub fn rows_fetched(&self) -> u64 {
        self.fetched
    }

    /// How many rows of memory the last chunk came upon, whether the snapshot sees them or not.
    pub(crate) fn looks(&self) -> u64 {
        self.looks
    }

    /// Uses the cursor, and its memory, for another range.
    pub fn restart(&mut self, snapshot: &Snapshot, range: ScanRange) {
        self.snapshot = *snapshot;
        self.range = range;
        self.walk = None;
        self.chunk.clear();
        self.followed.clear();
        self.previous.clear();
        if std::mem::replace(&mut self.is_merged, false) {
            self.merge.iter_mut().for_each(|merge| merge.restart());
        }
        (self.at, self.size) = (0, FIRST_CHUNK);
    }

    /// Turns it to another index, and maybe the other way; [`Cursor::restart`] must follow.
    pub fn aim(&mut self, index: usize, direction: Direction) {
        (self.index, self.direction) = (index, direction);
        self.walk = None;
    }

    /// As [`Cursor::restart`], for one key, whose memory is used again too.
    pub fn restart_at_key(&mut self, snapshot: &Snapshot, key: &[u8]) {
        if let ScanRange::Key(buffer) = &mut self.range {
            buffer.set(key);
            let range = std::mem::replace(&mut self.range, ScanRange::All);
            self.restart(snapshot, range);
        } else {
            self.restart(snapshot, ScanRange::Key(KeyBuf::from(key)));
        }
    }

    /// What the cursor reads at.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The index.
    pub fn index(&self) -> usize {
        self.index
    }

    /// What it goes through.
    pub fn range(&self) -> &ScanRange {
        &self.range
    }

    /// Whether nothing has been fetched yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.walk.is_none()
    }

    /// The cursor starts: decides whether it has to look for rows that are not in memory. Rows sink
    /// only when every active statement began after it was known that rows of the table may sink.
    #[inline]
    pub(crate) fn start_in(&mut self, table: &Table) {
        self.is_merged = table.cold().is_some();
    }

    /// The rows of the table that are not in memory, if the cursor goes through them as well.
    #[inline]
    pub(crate) fn cold_of<'t>(&self, table: &'t Table) -> Option<&'t ColdTable> {
        match self.is_merged {
            true => table.cold().map(|cold| &**cold),
            false => None,
        }
    }

    /// The next row of the chunk, if there is one.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<RowRef> {
        let row = *self.chunk.get(self.at)?;
        self.at += 1;
        Some(row)
    }

    /// Fetches another chunk, after [`Cursor::pop`] gave nothing. Returns whether there can be
    /// more rows, in this chunk or a later one.
    ///
    /// # Safety
    /// The cursor's snapshot is registered in `slots`, and the table is the one that all calls of
    /// this cursor are for.
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
            Some(RowRef { anchor, version })
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

    /// Fetches another chunk of what `look` takes, as [`Cursor::fetch`] does of what the snapshot
    /// sees.
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
                    chunk.push(RowRef { anchor, version: VersionPtr::of_copy(&copy) });
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

    /// Remembers what the chunk held, and empties it.
    fn leave_chunk(&mut self) {
        if !self.chunk.is_empty() {
            self.previous.clear();
            self.previous.extend(self.chunk.iter().map(|row| row.anchor));
        }
        self.chunk.clear();
        self.at = 0;
    }

    /// A row is handed out in the place of one that went on there; not if the walk has found it as
    /// well, or will: then it has its own turn.
    pub(crate) fn follow(&mut self, anchor: AnchorPtr) -> bool {
        let found = self.chunk.iter().any(|row| row.anchor == anchor)
            || self.previous.contains(&anchor)
            || self.followed.contains(&anchor);
        if !found {
            self.followed.push(anchor);
        }
        !found
    }

    /// Whether a row was handed out already.
    pub(crate) fn has_followed(&self, anchor: AnchorPtr) -> bool {
        self.followed.contains(&anchor)
    }

    /// Frees copies of rows that the caller does not look at any more.
    pub fn forget_copies(&mut self) {
        self.copies.clear();
    }
}
