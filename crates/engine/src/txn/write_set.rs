//! A transaction's write set, and how other sessions may look at it.
//!
//! A writer takes no locks for the rows it changes ([`super::locks`]), so that its transaction
//! alone knows which ones they are. Where the transaction pauses (its request is over, it waits,
//! its session asks for the locks there are) it *shows* its writes: its session's [`Window`] says
//! where they lie, and other sessions read them there, under the window's mutex. So a write costs
//! no more for this than a look at a flag.
//!
//! # Invariants
//!
//! * V1: entries that a window shows neither change nor are freed: code that changes a write set
//!   takes it out of the window first, which waits for readers of the window.
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

/// The most changed rows that are reported of one transaction.
pub const CHANGED_ROWS_MAX: usize = 5000;
/// The most entries that are read for that: a row that was changed often has as many.
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

/// The write sets that the transactions of one session show.
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
    /// The tables that entries name by their place; none where rows have no locks.
    tables: ShownTables,
}

/// Tables by their place among those that a transaction holds.
pub(super) type ShownTables = SmallVec<[Option<TablePtr>; 4]>;

// SAFETY: entries are read only under the window's mutex, and their owner takes them out of the
// window under it before it changes them (V1).
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
                // owns the newest version of each of its rows. From its commit on its snapshot,
                // which is older, protects them until the set is cleared; that takes it out of the
                // window first.
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

/// A position in a transaction to which it can be rolled back. Later positions are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Savepoint {
    pub(super) writes: usize,
    pub(super) operations: usize,
}

/// How many entries of the write set ahead of a walk their versions are prefetched: what was
/// written long ago is not in the processor's caches any more.
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
    /// Whether this is half of an update that changes a key: the end of the old anchor, or the new
    /// anchor.
    pub moved: bool,
}

impl Write {
    /// Counts the entry as an attempt. A row that moves counts once, as an update, with its new
    /// anchor.
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
    /// Entries that were settled and taken out, oldest first, and how many they are.
    settled: Vec<Settled>,
    gone: usize,
    /// The window in which they are shown, if they are.
    shown: Option<Arc<Window>>,
}

/// Entries that were settled together: a rollback undoes them only with all that came after `from`.
struct Settled {
    from: usize,
    /// The position at which they were taken out. No rollback goes to a position between the two.
    at: usize,
    count: usize,
}

impl WriteSet {
    /// An empty write set, in memory that was used before.
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

    /// The position after the last entry; entries that were taken out count. A push moves it on by
    /// one.
    #[inline]
    pub fn position(&self) -> usize {
        self.gone + self.entries.len()
    }

    /// Takes out the entries that `is_settled` picks, all of which come after the position `from`.
    /// After that no rollback goes to a position between `from` and this one.
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

    /// Goes back to a position: returns how many entries stay, and forgets what was settled later.
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

    /// Gives up the memory, for another transaction.
    pub fn into_entries(mut self) -> Vec<Write> {
        self.hide();
        std::mem::take(&mut self.entries)
    }

    /// Whether a window shows the entries.
    pub fn is_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Shows the entries in a window. The tables are those that entries name by their place,
    /// without those whose rows have no locks; their gates are held until the entries are hidden
    /// (V2).
    pub fn show(&mut self, window: &Arc<Window>, database: DbId, tables: ShownTables) {
        window.lock().push(Shown { database, entries: &raw const self.entries[..], tables });
        self.shown = Some(window.clone());
    }

    /// Takes the entries out of the window, after which no other thread reads them.
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
