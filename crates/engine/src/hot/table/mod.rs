//! A table in memory: its rows, its indexes, and the gate in front of them.
//!
//! # Life of a table
//!
//! The database makes a table from a [`TableSpec`] and registers it under its storage id.
//! Transactions that use it hold its gate shared; DDL that holds the gate exclusively retires it;
//! the reclaimer frees it when nothing points into it any more (invariant R1 in
//! [`super::reclaim`]). A table never changes its columns or indexes: DDL that changes them makes a
//! new table with a new storage id and copies the rows.
//!
//! # How rows are named
//!
//! The log names a row by its key in [`Table::log_index`]: a unique index over all rows. A table
//! that has none gets a hidden last column, the row number, which [`Table::next_row_number`]
//! assigns, and a unique range index over it. The number is never shown and starts again after the
//! highest that recovery has found.

mod changes;
mod counters;
mod loading;
mod memory;
mod promote;
mod recover;
mod sink;
mod sinks_since;
mod spec;
#[cfg(all(test, not(feature = "shuttle")))]
mod testing;

use std::ops::{ControlFlow, Range};
use std::ptr::NonNull;
use std::sync::OnceLock;

use base::ids::StorageId;
use crossbeam_epoch::Guard;

pub(crate) use changes::{ChangedRow, Changes, Noting};
use counters::IndexUses;
pub use counters::{IndexUse, TableCounters};
use loading::Loading;
pub(crate) use promote::Promoted;
pub(crate) use recover::Side;
pub(crate) use sink::{EvictResult, SinkAction};
pub(crate) use sinks_since::SinksSince;
pub use spec::{ConflictPolicy, IdentitySpec, IndexKind, IndexSpec, TableSpec};

use crate::cold::rowcache::Naming;
use crate::cold::table::{ColdTable, RowKeys};
use crate::hot::account::Account;
use crate::hot::anchor::AnchorPtr;
use crate::hot::filter::RowFilter;
use crate::hot::gate::Gate;
use crate::hot::identity::Counter;
use crate::hot::index::{Direction, Dismantling, Index, IndexShape, InsertCheck, Scan};
use crate::hot::key::{KeyBuf, KeyColumn, KeyRange, KeySpec, ScanRange, SeekKey};
use crate::hot::lock_word::LockWord;
use crate::hot::row::{Place, RowLayout};
use crate::hot::tally::{Attempts, Pool, Resident, RowMemory, Tally};
use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::plain::Mutex;
use crate::wait::{Task, Worker};

/// Anchors handled under one epoch guard.
const ANCHORS_PER_GUARD: usize = 1024;

/// One index of a table.
pub struct TableIndex {
    index: Index,
    key: Arc<KeySpec>,
    unique: bool,
    filter: Option<RowFilter>,
    account: Arc<Account>,
    /// Only in a memory-optimized table.
    uses: Option<IndexUses>,
}

/// Byte ranges of the rows of a fixed layout.
type ByteRanges = Box<[Range<usize>]>;

/// The bytes of the rows of a fixed layout; none if the layout is not fixed.
#[derive(Default)]
struct RowBytes {
    /// Those of key columns and of the null bitmap, which indexes may read at any time.
    key: ByteRanges,
    /// All others.
    other: ByteRanges,
}

/// How the row cache keeps the rows of a table.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct RowCaching {
    /// Whether it does.
    pub is_on: bool,
    /// Whether keys of its indexes lead to copies, by ordinals; as is useful where it says nothing.
    pub naming: Vec<Naming>,
}

impl RowCaching {
    /// The same for all indexes.
    pub fn all(is_on: bool) -> RowCaching {
        RowCaching { is_on, naming: Vec::new() }
    }

    fn apply(&self, cold: &ColdTable) {
        cold.set_row_caching(self.is_on);
        for index in 0..cold.trees() {
            cold.set_naming(index, self.naming.get(index).copied().unwrap_or_default());
        }
    }
}

/// A table whose rows sink, and its trees.
#[derive(Clone, Copy)]
pub(crate) struct DiskTable<'t> {
    pub table: &'t Table,
    pub cold: &'t ColdTable,
}

/// See the module's header.
pub struct Table {
    storage: StorageId,
    layout: Arc<RowLayout>,
    layout_number: u16,
    row_number: Option<usize>,
    next_row_number: AtomicU64,
    /// Anchors of deletions that scans have passed. Scans add, the sink takes; a statistic only.
    passed: AtomicU64,
    indexes: Box<[TableIndex]>,
    log_index: usize,
    logged: bool,
    catalog: bool,
    conflicts: ConflictPolicy,
    identity: Option<Counter>,
    /// See [`Table::identity_block`].
    identity_block: i64,
    gate: Gate,
    loading: Loading,
    changes: Changes,
    lock_word: LockWord,
    tally: Tally,
    counters: TableCounters,
    /// The table's trees, once its rows have begun to sink. Set once, by the sink or by recovery.
    cold: OnceLock<Arc<ColdTable>>,
    /// How the row cache keeps its rows once they have sunk. Held while the trees are set or
    /// switched, so that they have the same.
    row_caching: Mutex<RowCaching>,
    /// Since when commits queue what they write for the sink. Set before the table gets its trees.
    sinks_since: SinksSince,
    /// Columns of keys and filters, which decide where a row is in the indexes.
    key_columns: Box<[usize]>,
    /// With the bytes of `key_columns` as those of keys.
    bytes: RowBytes,
    /// As `bytes`, for the columns of the log's index alone.
    log_bytes: RowBytes,
}

/// The position of a walk through a range of an index; valid as long as the table lives.
#[derive(Clone)]
pub(crate) enum Walk {
    /// All rows of this key, at once.
    Seek(KeyBuf),
    /// The rows from this position on.
    Scan(Scan),
    /// Nothing is left.
    Done,
}

/// How far a dropped table has been taken apart: index by index, the log's index last and, with it,
/// the rows.
#[derive(Debug, Default)]
pub(crate) struct Teardown {
    /// Number of indexes that are done.
    indexes: usize,
    /// How far the next index has been taken apart.
    index: Dismantling,
}

impl Walk {
    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        matches!(self, Walk::Done)
    }
}

/// Points to a table that something else keeps alive: a gate that is held, or garbage that is
/// queued (R1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TablePtr(NonNull<Table>);

// SAFETY: a table is shared between threads anyway; the pointer adds no access of its own.
unsafe impl Send for TablePtr {}
// SAFETY: as above.
unsafe impl Sync for TablePtr {}

impl TablePtr {
    /// The table.
    ///
    /// # Safety
    /// The table is not freed during `'a`: the caller holds its gate, or garbage of it is queued.
    pub unsafe fn get<'a>(self) -> &'a Table {
        // SAFETY: the caller promises that the table is not freed during `'a`.
        unsafe { self.0.as_ref() }
    }

    /// Names the table in the waits-for graph.
    pub fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }
}

impl Table {
    /// An empty table. Its memory is charged to `pool`, sharded by worker. Only a database's table
    /// registry makes tables, since it must keep them (R1).
    pub(crate) fn new(spec: &TableSpec, shards: usize, pool: Arc<Pool>) -> Table {
        let (layout, row_number) = spec.layout();
        let layout = Arc::new(layout);
        let mut specs = spec.indexes.clone();
        if let Some(column) = row_number {
            let columns = vec![KeyColumn::ascending(column)];
            specs.push(IndexSpec { kind: IndexKind::Range, columns, unique: true, filter: None });
        }
        let links = specs.len();
        let key_columns = key_columns(&specs);
        let columns = |s: &IndexSpec| s.columns.iter().map(|c| c.column).collect();
        let log_columns: Vec<Vec<usize>> = specs.iter().map(columns).collect();
        let counts_uses = spec.conflicts == ConflictPolicy::FirstWriterWins && !spec.catalog;
        let indexes = specs.into_iter().enumerate().map(|(ordinal, spec)| {
            let account = Arc::new(Account::default());
            let key = Arc::new(KeySpec::new(&layout, &spec.columns));
            let shape = IndexShape {
                layout: layout.clone(),
                key: key.clone(),
                ordinal,
                links,
                unique: spec.unique,
                account: account.clone(),
            };
            let index = match spec.kind {
                IndexKind::Hash { bucket_count } => Index::hash(shape, bucket_count),
                IndexKind::Range => Index::range(shape),
            };
            let uses = counts_uses.then(|| IndexUses::new(shards));
            TableIndex { index, key, unique: spec.unique, filter: spec.filter, account, uses }
        });
        let indexes = indexes.collect();
        let bytes = split_bytes(&layout, &key_columns);
        let log_index = spec.log_index().unwrap_or(links - 1);
        let log_bytes = split_bytes(&layout, &log_columns[log_index]);
        Table {
            storage: spec.storage,
            layout_number: spec.layout_number,
            row_number,
            next_row_number: AtomicU64::new(1),
            passed: AtomicU64::new(0),
            log_index,
            log_bytes,
            logged: spec.logged,
            catalog: spec.catalog,
            conflicts: spec.conflicts,
            identity: spec.identity.map(|i| Counter::new(i.seed, i.increment)),
            identity_block: spec.identity.map_or(1, |i| i.block),
            gate: Gate::new(shards),
            loading: Loading::default(),
            changes: Changes::default(),
            lock_word: LockWord::default(),
            tally: Tally::new(shards, pool),
            layout,
            indexes,
            counters: TableCounters::default(),
            cold: OnceLock::new(),
            row_caching: Mutex::new(RowCaching::all(spec.caches_rows)),
            sinks_since: SinksSince::default(),
            key_columns,
            bytes,
        }
    }
}

impl Table {
    /// Names the table in the log.
    pub fn storage(&self) -> StorageId {
        self.storage
    }

    /// The layout of its rows, with the hidden row number.
    pub fn layout(&self) -> &Arc<RowLayout> {
        &self.layout
    }

    /// Names the layout in the log and in checkpoint files.
    pub fn layout_number(&self) -> u16 {
        self.layout_number
    }

    /// The number of its indexes, and of each anchor's links.
    #[inline]
    pub fn links(&self) -> usize {
        self.indexes.len()
    }

    /// Ordinal of the unique index whose key names rows in the log.
    pub fn log_index(&self) -> usize {
        self.log_index
    }

    /// Charges bytes of noted log keys to the log's index.
    fn charge_keys(&self, bytes: i64) {
        self.indexes[self.log_index].account.add(0, bytes);
    }

    /// An index's key specification, for seeks and bounds.
    pub fn key_spec(&self, index: usize) -> &Arc<KeySpec> {
        &self.indexes[index].key
    }

    /// Whether two live rows may not have the same key in this index.
    pub fn is_unique(&self, index: usize) -> bool {
        self.indexes[index].unique
    }

    /// An index, for its statistics.
    pub fn index_at(&self, index: usize) -> &Index {
        &self.indexes[index].index
    }

    /// Whether an index holds a row with these bytes: its filter, if it has one, admits the row.
    pub(crate) fn index_holds(&self, index: usize, row: &[u8]) -> bool {
        self.indexes[index].holds(&self.layout, row)
    }

    /// Whether its changes go to the log.
    pub fn is_logged(&self) -> bool {
        self.logged
    }

    /// Whether it is a table of the catalog.
    pub fn is_catalog(&self) -> bool {
        self.catalog
    }

    /// What happens when two transactions want to change one row.
    pub fn conflicts(&self) -> ConflictPolicy {
        self.conflicts
    }

    /// Whether its rows may sink: a disk table.
    #[inline]
    pub fn is_sinkable(&self) -> bool {
        !self.catalog && self.conflicts == ConflictPolicy::Wait
    }

    /// The rows that have sunk; `None` before any has. A reader asks this *after* it has looked
    /// into memory: `None` then means that no row had sunk before the reader looked.
    #[inline]
    pub fn cold(&self) -> Option<&Arc<ColdTable>> {
        self.cold.get()
    }

    /// Sets the table's trees: from now on rows may sink.
    pub(crate) fn set_cold(&self, cold: Arc<ColdTable>) {
        let caching = self.row_caching.lock().expect("no panic under this lock");
        caching.apply(&cold);
        self.cold.set(cold).expect("a table gets its trees once");
    }

    /// Whether the row cache keeps its rows once they have sunk.
    pub fn caches_rows(&self) -> bool {
        self.row_caching.lock().expect("no panic under this lock").is_on
    }

    /// Switches row caching on or off, and says for each index whether its keys lead to copies.
    pub(crate) fn set_row_caching(&self, caching: RowCaching) {
        let mut own = self.row_caching.lock().expect("no panic under this lock");
        if *own == caching {
            return;
        }
        *own = caching;
        if let Some(cold) = self.cold() {
            own.apply(cold);
        }
    }

    /// Values of the identity column that one ceiling in the log reserves.
    pub fn identity_block(&self) -> i64 {
        self.identity_block
    }

    /// The identity column's counter.
    pub fn identity(&self) -> Option<&Counter> {
        self.identity.as_ref()
    }

    /// The gate in front of the table.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The lock word: whether any transaction has locks in the table.
    #[inline]
    pub fn lock_word(&self) -> &LockWord {
        &self.lock_word
    }

    /// Counts of rare events, for the system views.
    pub fn counters(&self) -> &TableCounters {
        &self.counters
    }

    pub(crate) fn pointer(&self) -> TablePtr {
        TablePtr(NonNull::from(self))
    }

    /// Memory of its rows, and how many are committed.
    pub fn memory(&self) -> RowMemory {
        self.tally.read()
    }

    /// Its rows and versions in memory, beside this many copies in the row cache; zeros if its rows
    /// cannot sink. Takes this for a moment at which the most are noted.
    pub fn resident(&self, copies: u64) -> Resident {
        match self.is_sinkable() {
            true => self.tally.resident(copies),
            false => Resident::default(),
        }
    }

    /// Deleted rows that were taken out of the indexes since the table was made.
    pub fn removed_rows(&self) -> u64 {
        self.tally.removed()
    }

    /// How many committed rows there are, in memory or not.
    pub fn row_count(&self) -> u64 {
        self.tally.read().rows + self.loading.missing()
    }

    /// About how many distinct keys an index has, in memory and in its tree; `None` until they have
    /// been counted.
    pub fn distinct_keys(&self, index: usize) -> Option<u64> {
        let TableIndex { index: own, unique, .. } = &self.indexes[index];
        if *unique {
            return Some(self.row_count().max(own.keys()));
        }
        if !self.is_loaded() {
            return None;
        }
        match self.cold().filter(|cold| cold.rows() > 0) {
            // How many keys are in both is not known. If keys have many rows, most are.
            Some(cold) => Some(cold.distinct_keys(index)?.max(own.keys())),
            None => Some(own.keys()),
        }
    }

    /// Counts the keys of the table's trees, if enough rows have sunk since the last count. Returns
    /// whether it counted.
    pub(crate) fn count_cold_keys(&self, task: &Task) -> bool {
        let Some(cold) = self.cold().filter(|cold| cold.is_count_due()) else { return false };
        let indexes = (0..self.indexes.len()).filter(|index| !self.indexes[*index].unique);
        // If a page cannot be read, the statement that needs it gets the error; the planner does
        // without the count.
        let _ = cold.count_keys(indexes, task);
        true
    }

    /// Whether it has no row, committed or not.
    pub fn is_empty(&self) -> bool {
        self.indexes[0].index.is_empty()
            && self.loading.missing() == 0
            && self.cold().is_none_or(|cold| cold.rows() == 0)
    }

    /// Memory of one of its indexes, in bytes.
    pub fn index_memory(&self, index: usize) -> u64 {
        self.indexes[index].account.bytes()
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Ordinal of the hidden row number's column, if the table has one.
    pub fn row_number_column(&self) -> Option<usize> {
        self.row_number
    }

    /// Assigns a row number: one that was never assigned, or was only to a row that recovery did
    /// not find.
    pub(crate) fn next_row_number(&self) -> u64 {
        self.next_row_number.fetch_add(1, Relaxed)
    }

    /// Makes row numbers go on after those of another table, whose place this one takes, so that no
    /// number comes twice.
    pub(crate) fn number_behind(&self, other: &Table) {
        self.next_row_number.fetch_max(other.next_row_number.load(Relaxed), Relaxed);
    }

    /// Makes row numbers go on after this one, of a row whose number this table did not assign.
    pub(crate) fn observe_row_number(&self, number: u64) {
        self.next_row_number.fetch_max(number + 1, Relaxed);
    }

    fn row_number_place(&self) -> Range<usize> {
        let column = self.row_number.expect("asked only of tables with a row number");
        match self.layout.columns()[column].place {
            Place::Fixed { offset, width } => offset as usize..(offset + width) as usize,
            Place::Variable { .. } => unreachable!("a bigint has a fixed place"),
        }
    }

    /// Writes the hidden row number of a row, and marks it as not NULL.
    pub(crate) fn set_row_number(&self, row: &mut [u8], number: u64) {
        let column = self.row_number.expect("asked only of tables with a row number");
        row[column / 8] &= !(1 << (column % 8));
        row[self.row_number_place()].copy_from_slice(&number.to_le_bytes());
    }

    /// The hidden row number of a row.
    pub(crate) fn row_number(&self, row: &[u8]) -> u64 {
        let bytes = row[self.row_number_place()].try_into();
        u64::from_le_bytes(bytes.expect("the column is eight bytes wide"))
    }

    /// Replaces `key` by the key that names a row in the log.
    pub fn log_key(&self, row: &[u8], key: &mut KeyBuf) {
        self.indexes[self.log_index].key.encode_row(&self.layout, row, key);
    }

    /// Whether two rows have the same keys, and are in the same filters, in every index, so that
    /// one can be a version of the other (A4).
    pub fn keys_equal(&self, old: &[u8], new: &[u8]) -> bool {
        let layout = &*self.layout;
        let same_range = |r: &Range<usize>| same_bytes(&old[r.clone()], &new[r.clone()]);
        if layout.is_fixed() && self.bytes.key.iter().all(same_range) {
            return true;
        }
        // Null bits of other columns may have changed.
        let same = |c: &usize| {
            layout.is_null(old, *c) == layout.is_null(new, *c)
                && same_bytes(layout.bytes(old, *c), layout.bytes(new, *c))
        };
        // Different bytes may be the same key: strings that differ in case, under some collations.
        self.key_columns.iter().all(same)
            || self.indexes.iter().all(|index| index.same_place(layout, old, new))
    }

    /// Prefetches the memory that linking this row into the indexes will touch first. Does so only
    /// if there are several indexes, since with one there is nothing to overlap.
    #[inline]
    pub(crate) fn prefetch(&self, row: &[u8]) {
        if let [_, _, ..] = &self.indexes[..] {
            self.indexes.iter().for_each(|index| index.index.prefetch(row));
        }
    }

    /// Prefetches the memory that a look-up of a whole key touches first, if finding its address
    /// costs less than the prefetch saves.
    #[inline]
    pub fn prefetch_key(&self, index: usize, key: SeekKey<'_>) {
        match self.cold().and_then(|cold| cold.row_cache()) {
            None => self.index_at(index).prefetch_key(key),
            Some(cached) => {
                self.key_spec(index).with_bytes(key, |key| cached.prefetch(index, None, key));
            }
        }
    }

    /// Prefetches for a caller that looks up one key after another: see [`Index::prefetch_ahead`].
    #[inline]
    pub fn prefetch_ahead(
        &self,
        pin: impl FnOnce() -> Guard,
        index: usize,
        next: SeekKey<'_>,
        after: SeekKey<'_>,
    ) {
        match self.cold().and_then(|cold| cold.row_cache()) {
            None => self.index_at(index).prefetch_ahead(pin, next, after),
            Some(cached) => {
                let spec = self.key_spec(index);
                spec.with_bytes(next, |next| {
                    spec.with_bytes(after, |after| cached.prefetch(index, Some(next), after));
                });
            }
        }
    }

    /// As `prefetch`, for many rows that will be linked into one index soon: as far as it can go
    /// without waiting for memory.
    pub(crate) fn prefetch_all<'r>(&self, ordinal: usize, rows: impl Iterator<Item = &'r [u8]>) {
        self.indexes[ordinal].index.prefetch_all(rows);
    }

    /// Links an anchor into one index, unless the index's filter leaves the row out. If the index
    /// is unique, calls `check` for every other row with the key. Returns whether it refused none.
    ///
    /// # Safety
    /// The anchor was made by this table with this row and is linked in each index once.
    pub(crate) unsafe fn link(
        &self,
        guard: &Guard,
        anchor: AnchorPtr,
        row: &[u8],
        ordinal: usize,
        check: &mut dyn FnMut(AnchorPtr) -> InsertCheck,
    ) -> bool {
        let index = &self.indexes[ordinal];
        // SAFETY: the caller promises that the anchor was made with this row and is linked once.
        !index.holds(&self.layout, row) || unsafe { index.index.insert(guard, anchor, row, check) }
    }

    /// Unlinks an anchor from the first `count` indexes.
    ///
    /// # Safety
    /// The anchor is linked in these indexes, and its inline row is `row`.
    pub(crate) unsafe fn unlink(&self, guard: &Guard, anchor: AnchorPtr, row: &[u8], count: usize) {
        for index in self.indexes[..count].iter().rev() {
            if index.holds(&self.layout, row) {
                // SAFETY: the caller promises that the anchor is linked here, with this row.
                unsafe { index.index.remove(guard, anchor, row) };
            }
        }
    }

    /// Unlinks an anchor from all indexes.
    ///
    /// # Safety
    /// The caller holds a guard under which it reached the anchor, which is linked in all of them.
    pub(crate) unsafe fn unlink_all(&self, guard: &Guard, anchor: AnchorPtr) {
        // SAFETY: the inline version always holds the keys (H3); no thread writes it, since the row
        // is dead or being rolled back.
        unsafe {
            let row = self.row(anchor.inline(self.links()));
            self.unlink(guard, anchor, row, self.links());
        }
    }

    /// A new walk through a range of an index.
    pub(crate) fn walk_of(&self, ordinal: usize, range: &ScanRange, direction: Direction) -> Walk {
        let index = &self.indexes[ordinal];
        match range {
            ScanRange::All => Walk::Scan(Scan::range(KeyRange::all(), direction)),
            ScanRange::Keys(keys) => Walk::Scan(Scan::range(keys.clone(), direction)),
            // Many rows may share the key, so this goes in chunks, which may end within a key.
            ScanRange::Key(key) if !index.unique => Walk::Scan(Scan::key(key)),
            ScanRange::Key(key) => Walk::Seek(key.clone()),
        }
    }

    /// Goes on with a walk until `visit` breaks or the end is reached. A few more anchors may be
    /// visited after a break; what `visit` returns for them does not matter.
    pub(crate) fn walk(
        &self,
        guard: &Guard,
        ordinal: usize,
        walk: &mut Walk,
        visit: &mut dyn FnMut(AnchorPtr) -> ControlFlow<()>,
    ) {
        let index = &self.indexes[ordinal].index;
        let more = match walk {
            Walk::Seek(key) => {
                index.seek(guard, key).for_each(|anchor| _ = visit(anchor));
                false
            }
            Walk::Scan(scan) => index.scan(guard, scan, visit),
            Walk::Done => false,
        };
        if !more {
            *walk = Walk::Done;
        }
    }

    /// The first `Some` that `look` returns for an anchor with this whole key.
    #[inline]
    pub(crate) fn find<T>(
        &self,
        guard: &Guard,
        ordinal: usize,
        key: SeekKey<'_>,
        look: impl FnMut(AnchorPtr) -> Option<T>,
    ) -> Option<T> {
        self.indexes[ordinal].index.find_map(guard, key, look)
    }

    /// Whether `test` holds for any anchor of a range. Goes through the range in chunks, each under
    /// a guard of its own.
    pub(crate) fn any_in_range(
        &self,
        worker: &Worker,
        ordinal: usize,
        range: &ScanRange,
        mut test: impl FnMut(AnchorPtr) -> bool,
    ) -> bool {
        let (mut walk, mut found) = (self.walk_of(ordinal, range, Direction::Forward), false);
        while !found && !walk.is_done() {
            let mut looks = 0;
            self.walk(&worker.pin(), ordinal, &mut walk, &mut |anchor| {
                looks += 1;
                found = found || test(anchor);
                match !found && looks < ANCHORS_PER_GUARD {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
        }
        found
    }

    fn report_indexes(&self) {
        self.tally.report_indexes(self.indexes.iter().map(|i| i.account.bytes() as i64).sum());
    }

    /// Removes buckets that the hash indexes have not needed for a while, about `budget` of them.
    /// Returns how many. See [`Index::shrink`].
    pub(crate) fn shrink_indexes(&self, guard: &Guard, budget: usize, look: bool) -> usize {
        // A table that is being loaded gets its buckets ahead of its rows.
        if !self.is_loaded() {
            return 0;
        }
        let mut done = 0;
        for index in &self.indexes {
            done += index.index.shrink(guard, budget - done, look);
            if done == budget {
                break;
            }
        }
        self.report_indexes();
        done
    }

    /// A new walk over all rows.
    pub(crate) fn walk_of_all(&self) -> Walk {
        self.walk_of(self.log_index, &ScanRange::All, Direction::Forward)
    }

    /// Goes on with freeing the rows and indexes of a dropped table: about `budget` entries.
    /// Returns how many entries it freed.
    ///
    /// # Safety
    /// The gate is empty and stays so, and no garbage of the table is queued.
    pub(crate) unsafe fn take_apart(
        &self,
        shard: usize,
        budget: usize,
        teardown: &mut Teardown,
    ) -> usize {
        let mut done = 0;
        while done < budget && teardown.indexes < self.indexes.len() {
            let ordinal = (self.log_index + 1 + teardown.indexes) % self.indexes.len();
            // SAFETY: this is the only user of the table. Each anchor is freed once, after
            // everything that needs it, together with its newest version if that is not inline; all
            // other versions are freed already.
            let mut free = |anchor| unsafe { self.free_row(shard, anchor) };
            let free: Option<&mut dyn FnMut(AnchorPtr)> = match ordinal == self.log_index {
                true => Some(&mut free),
                false => None,
            };
            let index = &self.indexes[ordinal].index;
            // SAFETY: as above.
            done += unsafe { index.dismantle(&mut teardown.index, budget - done, free) };
            if teardown.index.is_over() {
                *teardown = Teardown { indexes: teardown.indexes + 1, index: Dismantling::Whole };
            }
        }
        self.report_indexes();
        done
    }

    /// Whether the table is taken apart completely.
    pub(crate) fn is_apart(&self, teardown: &Teardown) -> bool {
        teardown.indexes == self.indexes.len()
    }
}

impl Table {
    /// Whether all rows of the table are in memory or in trees. If not, a transaction that wants to
    /// use it waits.
    #[inline]
    pub fn is_loaded(&self) -> bool {
        self.loading.is_loaded()
    }

    /// The loading state.
    pub(crate) fn loading(&self) -> &Loading {
        &self.loading
    }

    /// Rows that transactions which have ended have tried to write since the table was made.
    pub fn attempts(&self) -> Attempts {
        self.tally.attempts()
    }

    /// How an index has been used; counted only in memory-optimized tables.
    pub fn index_use(&self, index: usize) -> Option<IndexUse> {
        self.indexes[index].uses.as_ref().map(IndexUses::read)
    }

    /// Counts a search for one row, which came upon `touched` rows.
    #[inline]
    pub(crate) fn count_look_up(&self, index: usize, shard: usize, touched: u64, found: bool) {
        if let Some(uses) = &self.indexes[index].uses {
            uses.count_look_up(shard, touched, found);
        }
    }

    /// Counts a chunk of a scan of an index, which came upon `touched` rows and returned
    /// `returned`.
    pub(crate) fn count_chunk(
        &self,
        index: usize,
        shard: usize,
        is_first: bool,
        touched: u64,
        returned: u64,
    ) {
        if let Some(uses) = &self.indexes[index].uses {
            uses.count_chunk(shard, is_first, touched, returned);
        }
    }

    /// Counts a range that a commit has validated, in which it came upon `touched` rows.
    pub(crate) fn count_validation(&self, index: usize, shard: usize, touched: u64) {
        if let Some(uses) = &self.indexes[index].uses {
            uses.count_validation(shard, touched);
        }
    }
}

impl RowKeys for Table {
    fn append_key(&self, index: usize, row: &[u8], out: &mut Vec<u8>) -> bool {
        let holds = self.index_holds(index, row);
        if holds {
            let mut key = KeyBuf::default();
            self.indexes[index].key.encode_row(&self.layout, row, &mut key);
            out.extend_from_slice(&key);
        }
        holds
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // SAFETY: this thread has exclusive access to the table. Each row is freed once, with its
        // newest version; all other versions are freed already, since a table is dropped only after
        // the queues have no garbage of it (R1). An index that recovery has not built yet does not
        // have the rows.
        unsafe { self.take_apart(0, usize::MAX, &mut Teardown::default()) };
    }
}

impl TableIndex {
    fn holds(&self, layout: &RowLayout, row: &[u8]) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.admits(layout, row))
    }

    fn same_place(&self, layout: &RowLayout, old: &[u8], new: &[u8]) -> bool {
        let (mut a, mut b) = (KeyBuf::default(), KeyBuf::default());
        self.key.encode_row(layout, old, &mut a);
        self.key.encode_row(layout, new, &mut b);
        a == b && self.holds(layout, old) == self.holds(layout, new)
    }
}

/// Whether these are the same bytes. Numbers, which most keys are, are compared without a call.
#[inline]
fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    match (a.len(), b.len()) {
        (1, 1) => a[0] == b[0],
        (4, 4) => a.first_chunk::<4>() == b.first_chunk::<4>(),
        (8, 8) => a.first_chunk::<8>() == b.first_chunk::<8>(),
        _ => a == b,
    }
}

/// Columns of keys and filters: those whose change may move a row in an index.
fn key_columns(indexes: &[IndexSpec]) -> Box<[usize]> {
    let filters = indexes.iter().filter_map(|i| i.filter.as_ref());
    let keys = indexes.iter().flat_map(|i| i.columns.iter().map(|c| c.column));
    let mut columns: Vec<usize> = keys.chain(filters.flat_map(RowFilter::columns)).collect();
    columns.sort_unstable();
    columns.dedup();
    columns.into()
}

/// Splits the bytes of a row of a layout that has these key columns.
fn split_bytes(layout: &RowLayout, columns: &[usize]) -> RowBytes {
    if !layout.is_fixed() {
        return RowBytes::default();
    }
    let bitmap = 0..layout.columns().len().div_ceil(8);
    let places = columns.iter().filter_map(|c| match layout.columns()[*c].place {
        Place::Fixed { offset, width } => Some(offset as usize..(offset + width) as usize),
        Place::Variable { .. } => None,
    });
    let mut keys: Vec<Range<usize>> = std::iter::once(bitmap).chain(places).collect();
    keys.sort_by_key(|r| r.start);
    let ends = keys.iter().map(|r| r.start).skip(1).chain([layout.header_len()]);
    let others = keys.iter().zip(ends).map(|(key, next)| key.end..next);
    let others = others.filter(|r| !r.is_empty()).collect();
    RowBytes { key: keys.into(), other: others }
}
