//! What a transaction has written, and how other sessions may look at it.
//!
//! A writer takes no locks for the rows it changes ([`super::locks`]), so that its transaction
//! alone knows which ones they are. Where the transaction pauses (its request is over, it waits,
//! its session asks for the locks there are) it *shows* its writes: its session's [`Window`] says
//! where they lie, and other sessions look at them there, under the window's mutex. So writers pay
//! for nothing but a look at a flag.
//!
//! # Invariants
//!
//! * V1: what a window shows neither changes nor goes away: whatever changes a write set takes it
//!   out of the window first, which waits for readers of the window.
//! * V2: a write set is shown only while its transaction holds the gates of its tables.
//!
//! # Lock order
//!
//! A window's mutex is taken last; no thread waits while holding it.

use std::collections::HashSet;
use std::ops::Deref;

use base::ids::{DbId, StorageId};
use smallvec::SmallVec;

use crate::hot::anchor::{AnchorPtr, VersionPtr};
use crate::hot::table::TablePtr;
use crate::hot::tally::Attempts;
use crate::sync::{Arc, Mutex, MutexGuard};
use crate::txn::locks::KeysOf;

/// Rows of one transaction that are told, at most.
pub const CHANGED_ROWS_MAX: usize = 5000;
/// Entries that are looked at for them: a row that was changed often has as many.
const ENTRIES_MAX: usize = 8 * CHANGED_ROWS_MAX;

/// A row that a transaction in progress has changed, in a table whose writers wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChangedRow {
    /// The database.
    pub database: DbId,
    /// The table.
    pub storage: StorageId,
    /// The name by which the row is locked.
    pub row: u64,
}

/// What the transactions of one session show of their writes.
#[derive(Default, Debug)]
pub(super) struct Window {
    shown: Mutex<SmallVec<[Shown; 1]>>,
}

/// A write set that is shown.
#[derive(Debug)]
struct Shown {
    database: DbId,
    /// The entries, which other sessions may read under the window's mutex (V1).
    entries: *const [Write],
    /// The tables that entries name by their place, without those whose rows have no locks.
    tables: ShownTables,
}

/// Tables by their place among those that a transaction holds.
pub(super) type ShownTables = SmallVec<[Option<TablePtr>; 4]>;

// SAFETY: entries are read under the window's mutex, by which their owner makes sure that no thread
// reads them any more before it changes them (V1).
unsafe impl Send for Shown {}

impl Window {
    fn lock(&self) -> MutexGuard<'_, SmallVec<[Shown; 1]>> {
        self.shown.lock().expect("no panic while looking")
    }

    /// The rows that are shown, each once, in tables whose writers wait; of each database no more
    /// than [`CHANGED_ROWS_MAX`].
    pub fn changed_rows(&self) -> Vec<ChangedRow> {
        let mut rows = Vec::new();
        for shown in self.lock().iter() {
            let mut known = HashSet::new();
            // SAFETY: the mutex is held, so that the entries stay as they are (V1).
            for write in unsafe { &*shown.entries }.iter().take(ENTRIES_MAX) {
                let Some(table) = shown.tables[write.table as usize] else { continue };
                // SAFETY: the gate is held as long as the entries are shown (V2). The transaction
                // owns the newest version of each of its rows; from its commit on its snapshot,
                // which is older, protects them until the set is cleared, and so not shown any
                // more.
                let (storage, row) = unsafe {
                    let table = table.get();
                    (table.storage(), KeysOf::anchor(table, write.anchor).name(write.anchor))
                };
                let row = ChangedRow { database: shown.database, storage, row };
                if known.insert(row) {
                    rows.push(row);
                }
                if known.len() == CHANGED_ROWS_MAX {
                    break;
                }
            }
        }
        rows
    }
}

/// A place in a transaction to which it can be rolled back. Later places are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Savepoint {
    pub(super) writes: usize,
    pub(super) operations: usize,
}

/// How many entries of the write set ahead their versions are asked for: what was written long ago
/// is no longer near.
pub(super) const PREFETCH_AHEAD: usize = 8;

/// What one entry of the write set did. All but `Insert` replaced the head of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WriteKind {
    /// Made this anchor.
    Insert,
    /// Pushed this version.
    Update,
    /// Filled the dead inline version again.
    Reuse,
    /// Marked the head of a row whose only version is the inline one.
    Delete,
    /// Pushed this tombstone.
    Tombstone,
}

/// An entry of the write set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub anchor: AnchorPtr,
    /// The version pushed; the inline version for `Insert` and `Delete`; for `Reuse` the version
    /// that the inline one, filled again, replaces.
    pub version: VersionPtr,
    /// Place of the table among those that the transaction holds.
    pub table: u32,
    pub kind: WriteKind,
    /// Half of an update that changes a key: the end of the old row, or the new one.
    pub moved: bool,
}

impl Write {
    /// Counts the row as one that was to be written; one that moves where it begins anew.
    #[inline]
    pub fn count(&self, attempts: &mut Attempts) {
        match (self.kind, self.moved) {
            (WriteKind::Insert, false) => attempts.inserts += 1,
            (WriteKind::Delete | WriteKind::Tombstone, false) => attempts.deletes += 1,
            (WriteKind::Delete | WriteKind::Tombstone, true) => {}
            (WriteKind::Update | WriteKind::Reuse, _) | (WriteKind::Insert, true) => {
                attempts.updates += 1
            }
        }
    }
}

/// The writes of a transaction in one database, oldest first.
#[derive(Default)]
pub(super) struct WriteSet {
    entries: Vec<Write>,
    /// Those that are here no more, oldest first, and how many they are.
    settled: Vec<Settled>,
    gone: usize,
    /// The window in which they are shown, if they are.
    shown: Option<Arc<Window>>,
}

/// Entries that were taken out, since they will be undone only with all that came behind `from`.
struct Settled {
    from: usize,
    /// The place at which they were taken out. Nothing goes back to one between the two.
    at: usize,
    count: usize,
}

impl WriteSet {
    /// An empty one, in memory that was used before.
    pub fn reusing(entries: Vec<Write>) -> WriteSet {
        debug_assert!(entries.is_empty());
        WriteSet { entries, settled: Vec::new(), gone: 0, shown: None }
    }

    #[inline]
    pub fn push(&mut self, write: Write) {
        self.hide();
        self.entries.push(write);
    }

    pub fn last_mut(&mut self) -> Option<&mut Write> {
        self.hide();
        self.entries.last_mut()
    }

    pub fn pop(&mut self) -> Option<Write> {
        self.hide();
        self.entries.pop()
    }

    pub fn clear(&mut self) {
        self.hide();
        self.entries.clear();
        self.settled.clear();
        self.gone = 0;
    }

    /// The place behind the last entry. An entry that is pushed moves it on by one.
    #[inline]
    pub fn position(&self) -> usize {
        self.gone + self.entries.len()
    }

    /// Takes these entries out, all of which lie behind a place. From now on nothing goes back to
    /// one between that and here.
    pub fn settle(&mut self, from: usize, is_settled: impl Fn(usize, &Write) -> bool) {
        self.hide();
        let (at, before) = (self.position(), self.entries.len());
        let mut place = 0;
        self.entries.retain(|write| {
            place += 1;
            !is_settled(place - 1, write)
        });
        let count = before - self.entries.len();
        self.gone += count;
        if count > 0 {
            self.settled.push(Settled { from, at, count });
        }
    }

    /// How many entries stay when the transaction goes back to this place.
    ///
    /// # Panics
    /// If it lies between entries that were settled together.
    pub fn go_back(&mut self, place: usize) -> usize {
        while let Some(settled) = self.settled.pop_if(|settled| settled.at > place) {
            assert!(settled.from >= place, "what is settled is undone as a whole");
            self.gone -= settled.count;
        }
        place - self.gone
    }

    /// The memory, for another transaction.
    pub fn into_entries(mut self) -> Vec<Write> {
        self.hide();
        std::mem::take(&mut self.entries)
    }

    /// Whether they are shown.
    pub fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Shows them in a window. The tables are those that entries name by their place, without
    /// those whose rows have no locks; their gates are held until the entries are hidden (V2).
    pub fn show(&mut self, window: &Arc<Window>, database: DbId, tables: ShownTables) {
        window.lock().push(Shown { database, entries: &raw const self.entries[..], tables });
        self.shown = Some(window.clone());
    }

    /// Takes the entries out of the window: no thread looks at them any more.
    #[inline]
    pub fn hide(&mut self) {
        if let Some(window) = self.shown.take() {
            self.take_out(&window);
        }
    }

    #[cold]
    fn take_out(&self, window: &Window) {
        let own = self.entries.as_ptr();
        window.lock().retain(|shown| shown.entries.cast::<Write>() != own);
    }
}

impl Deref for WriteSet {
    type Target = [Write];

    #[inline]
    fn deref(&self) -> &[Write] {
        &self.entries
    }
}

impl Drop for WriteSet {
    fn drop(&mut self) {
        self.hide();
    }
}
