//! Builds the trees of a table at once, from rows in any order.
//!
//! # Life of a build
//!
//! 1. The trees are made, empty, and the directory has them as *being built*.
//! 2. Rows are pushed, and some of them taken back. The entries for each index's tree are sorted,
//!    in files if need be ([`crate::sort`]).
//! 3. The trees are filled, one after the other and in order of their keys, the one with the rows
//!    first. So leaves are written once, and are full. Entries that were pushed and taken back
//!    under one key are settled first ([`KeyEntries`]). Duplicate keys are found here.
//! 4. The directory says that the trees are *built*: whole, and made for one commit. The
//!    transaction of that commit may change them; before the commit is decided they are *adopted*
//!    ([`ColdTables::adopt`]).
//!
//! # Invariants
//!
//! * L1: until the trees are built, only the builder knows and changes them.
//! * L2: a root of the pages that is captured meanwhile has whole trees, with some of the entries:
//!   [`ColdTables::lock_changes`] is held while trees are changed. So what a crash leaves behind
//!   can be dropped.
//! * L3: trees that are being built, or are not adopted, are unowned in a root that is opened: they
//!   are dropped. So if recovery finds trees that were built, it passes over all rows that the log
//!   has as loaded into them.
//!
//! [`TableBuild::make_room`], and functions that take a task, may block.

use std::path::Path;
use std::sync::Arc;

use env::{Env, FileError};

use super::database::{ColdTables, TableState};
use super::error::{ColdResult, damaged};
use super::{ColdTable, RowKeys, key};
use crate::cold::Edit;
use crate::cold::tree::{Action, Change, TreeError};
use crate::critical::{self, Section};
use crate::sort::{Sorted, Sorter};
use crate::wait::Task;

/// A tree gets at most this many entries, and about this many bytes, at a time.
const STEP_ENTRIES: usize = 4096;
const STEP_BYTES: usize = 1 << 20;
/// The least memory that the entries of an index are sorted in.
const SORT_BYTES_MIN: usize = 256 << 10;

/// The table whose trees are built.
#[derive(Clone)]
pub struct BuildSpec {
    /// The table's storage.
    pub storage: u64,
    /// The index whose tree holds the rows.
    pub clustered: usize,
    /// Which indexes are unique.
    pub unique: Box<[bool]>,
    /// Says which keys its rows have.
    pub keys: Arc<dyn RowKeys + Send + Sync>,
}

/// Why a build has failed.
#[derive(Debug)]
pub enum BuildError {
    /// An access to a page or a tree failed.
    Tree(TreeError),
    /// An access to a file of a sort failed.
    File(FileError),
    /// Two rows have the same key.
    Duplicate {
        /// In this index.
        index: usize,
        /// One of them.
        row: Box<[u8]>,
    },
    /// A row was taken back twice.
    TakenTwice,
}

impl From<TreeError> for BuildError {
    fn from(error: TreeError) -> BuildError {
        BuildError::Tree(error)
    }
}

impl From<FileError> for BuildError {
    fn from(error: FileError) -> BuildError {
        BuildError::File(error)
    }
}

/// A build of a table's trees: see the module's header. If it is dropped before it is finished, its
/// trees are dropped with those of tables that are gone.
pub struct TableBuild {
    tables: Arc<ColdTables>,
    table: Arc<ColdTable>,
    spec: BuildSpec,
    /// By index; `None` for those whose trees are being filled, or are filled.
    sorters: Vec<Option<Sorter>>,
    filling: Option<Filling>,
    rows: u64,
    /// Rows that have been put into the clustered tree since the last [`TableBuild::take_filled`].
    filled: FilledRows,
    p: Vec<u8>,
    entry: Vec<u8>,
}

/// Rows, one after another.
#[derive(Default)]
pub struct FilledRows {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl FilledRows {
    fn push(&mut self, row: &[u8]) {
        self.bytes.extend_from_slice(row);
        self.ends.push(self.bytes.len());
    }

    /// The rows, one by one.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[*start..*end])
    }
}

/// A tree that is being filled.
struct Filling {
    index: usize,
    entries: SettledEntries,
    seen: Seen,
}

/// The entries that are left of sorted ones. An entry with an empty value takes back one that was
/// pushed with its key.
struct SettledEntries {
    sorted: Sorted,
    /// The entry that [`SettledEntries::next`] has returned last.
    entry: KeyEntries,
    /// The first entry with another key after that, if `is_more`.
    ahead: KeyEntries,
    is_more: bool,
    has_begun: bool,
}

/// All that was pushed and taken back under one key. A statement takes back only the row that the
/// table had before; so the row that was pushed last is left, in whatever order the statement has
/// inserted and deleted.
#[derive(Default)]
struct KeyEntries {
    key: Vec<u8>,
    /// The value that was pushed last.
    value: Vec<u8>,
    pushed: u32,
    taken: u32,
}

impl KeyEntries {
    fn begin(&mut self, key: &[u8], value: &[u8]) {
        self.key.clear();
        self.key.extend_from_slice(key);
        self.value.clear();
        (self.pushed, self.taken) = (0, 0);
        self.add(value);
    }

    /// Adds another entry with the same key.
    fn add(&mut self, value: &[u8]) {
        if key::whole(&self.key, value).is_some_and(|(_, own)| own.is_empty()) {
            self.taken += 1;
            return;
        }
        self.pushed += 1;
        self.value.clear();
        self.value.extend_from_slice(value);
    }

    /// How many rows are left with this key.
    fn left(&self) -> u32 {
        self.pushed.saturating_sub(self.taken)
    }
}

impl SettledEntries {
    fn new(sorted: Sorted) -> SettledEntries {
        let (entry, ahead) = (KeyEntries::default(), KeyEntries::default());
        SettledEntries { sorted, entry, ahead, is_more: false, has_begun: false }
    }

    /// Returns the next entry that is left.
    fn next(&mut self) -> Result<Option<&KeyEntries>, BuildError> {
        if !self.has_begun {
            self.look_ahead()?;
            self.has_begun = true;
        }
        while self.is_more {
            std::mem::swap(&mut self.entry, &mut self.ahead);
            self.look_ahead()?;
            if self.entry.taken > 1 {
                return Err(BuildError::TakenTwice);
            }
            if self.entry.left() > 0 {
                return Ok(Some(&self.entry));
            }
        }
        Ok(None)
    }

    /// Reads the other entries with the key of the current entry, and the first entry after those.
    fn look_ahead(&mut self) -> Result<(), FileError> {
        self.is_more = false;
        while let Some((key, value)) = self.sorted.next()? {
            if self.has_begun && key == self.entry.key {
                self.entry.add(value);
            } else {
                self.is_more = true;
                self.ahead.begin(key, value);
                break;
            }
        }
        Ok(())
    }
}

/// The last keys of a unique index.
#[derive(Default)]
struct Seen {
    last: Option<Vec<u8>>,
    /// The keys that begin as the last one does, if they are so long that they are in no particular
    /// order.
    long: Vec<Vec<u8>>,
}

impl Seen {
    /// Adds a key. Returns whether the index has had it before.
    fn has_had(&mut self, s: &[u8]) -> bool {
        let kept = |s: &[u8]| s.get(..key::KEPT).map(<[u8]>::to_vec);
        if let Some(start) = kept(s) {
            if self.long.first().is_none_or(|first| !first.starts_with(&start)) {
                self.long.clear();
            }
            let had = self.long.iter().any(|long| long == s);
            self.long.push(s.to_vec());
            return had;
        }
        let had = self.last.as_deref() == Some(s);
        let last = self.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(s);
        had
    }
}

impl TableBuild {
    /// Makes the trees of a table that has none. Sorts take about `bytes_max` bytes of memory, and
    /// have their files in the directory `dir`.
    pub fn begin(
        tables: &Arc<ColdTables>,
        task: &Task,
        spec: BuildSpec,
        env: &Env,
        dir: &Path,
        bytes_max: usize,
    ) -> ColdResult<TableBuild> {
        let indexes = spec.unique.len();
        let table =
            tables.make(task, spec.storage, indexes, spec.clustered, TableState::Building)?;
        let bytes_max = (bytes_max / indexes).max(SORT_BYTES_MIN);
        let sorter = |index| {
            let name = format!("build-{}-{index}", spec.storage);
            Some(Sorter::new(env, dir, &name, bytes_max))
        };
        let sorters = (0..indexes).map(sorter).collect();
        Ok(TableBuild {
            tables: tables.clone(),
            table,
            spec,
            sorters,
            filling: None,
            rows: 0,
            filled: FilledRows::default(),
            p: Vec::new(),
            entry: Vec::new(),
        })
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If trees are being filled.
    pub fn push(&mut self, row: &[u8]) {
        self.push_entries(row, false);
    }

    /// Takes back a row that was pushed, once at most: filling the trees fails with
    /// [`BuildError::TakenTwice`] if a row was taken back twice.
    ///
    /// # Panics
    /// If trees are being filled.
    pub fn take_back(&mut self, row: &[u8]) {
        self.push_entries(row, true);
    }

    fn push_entries(&mut self, row: &[u8], is_gone: bool) {
        let TableBuild { spec, p, entry, .. } = self;
        p.clear();
        spec.keys.append_key(spec.clustered, row, p);
        let p_len = u16::try_from(p.len()).expect("keys are shorter").to_le_bytes();
        let value = |value| if is_gone { &[][..] } else { value };
        for (index, sorter) in self.sorters.iter_mut().enumerate() {
            let sorter = sorter.as_mut().expect("rows come before trees are filled");
            if index == spec.clustered {
                sorter.push(&key::in_tree(p), &key::value_in_tree(p, value(row)));
                continue;
            }
            entry.clear();
            if spec.keys.append_key(index, row, entry) {
                entry.extend_from_slice(p);
                sorter.push(&key::in_tree(entry), &key::value_in_tree(entry, value(&p_len)));
            }
        }
    }

    /// Whether [`TableBuild::make_room`] is due.
    pub fn is_full(&self) -> bool {
        self.sorters.iter().flatten().any(Sorter::is_full)
    }

    /// Writes the entries of sorts that take too much memory to files.
    pub fn make_room(&mut self) -> Result<(), BuildError> {
        for sorter in self.sorters.iter_mut().flatten().filter(|sorter| sorter.is_full()) {
            sorter.write_run()?;
        }
        Ok(())
    }

    /// Rows that have been put into the clustered tree.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes the rows that have been put into the clustered tree since the last call.
    pub fn take_filled(&mut self) -> FilledRows {
        std::mem::take(&mut self.filled)
    }

    /// Goes on filling trees. Returns whether all have been filled.
    pub fn fill_some(&mut self, task: &Task) -> Result<bool, BuildError> {
        critical::section(Section::Sink, || self.fill_step(task))
    }

    fn fill_step(&mut self, task: &Task) -> Result<bool, BuildError> {
        let Some(mut filling) = self.filling.take() else {
            // The clustered tree first: entries of the others refer to its rows.
            let order =
                (0..self.sorters.len()).map(|n| (self.spec.clustered + n) % self.sorters.len());
            let next = order.into_iter().find(|index| self.sorters[*index].is_some());
            let Some(index) = next else { return Ok(true) };
            let sorter = self.sorters[index].take().expect("it was found");
            let entries = SettledEntries::new(sorter.finish()?);
            self.filling = Some(Filling { index, entries, seen: Seen::default() });
            return Ok(false);
        };
        let is_filled = self.step(task, &mut filling)?;
        self.filling = (!is_filled).then_some(filling);
        Ok(false)
    }

    /// Puts the next entries into a tree. Returns whether there were none.
    fn step(&mut self, task: &Task, filling: &mut Filling) -> Result<bool, BuildError> {
        let Filling { index, entries, seen } = filling;
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        while places.len() < STEP_ENTRIES && bytes.len() < STEP_BYTES {
            let Some(entry) = entries.next()? else { break };
            let KeyEntries { key, value, .. } = entry;
            let (whole, own) = key::whole(key, value).ok_or_else(|| self.malformed(*index))?;
            if *index == self.spec.clustered {
                if entry.left() > 1 {
                    return Err(BuildError::Duplicate { index: *index, row: own.into() });
                }
                self.rows += 1;
                self.filled.push(own);
            } else if self.spec.unique[*index] {
                let p_len = self.p_len(*index, own)?;
                let s = whole.len().checked_sub(p_len).ok_or_else(|| self.malformed(*index))?;
                if seen.has_had(&whole[..s]) {
                    let row = self.find(task, &whole[s..])?;
                    return Err(BuildError::Duplicate { index: *index, row: row.into() });
                }
            }
            let start = bytes.len();
            bytes.extend_from_slice(key);
            bytes.extend_from_slice(value);
            places.push((start, start + key.len(), bytes.len()));
        }
        let changes = places.iter().map(|&(key, value, end)| {
            let action = Action::Put { stamp: 0, value: &bytes[value..end] };
            Change { key: &bytes[key..value], action }
        });
        let changes: Vec<Change<'_>> = changes.collect();
        let _changes = self.tables.lock_changes();
        let mut batch = self.table.store().batch();
        self.table.tree(*index).apply(&mut batch, task, &changes, |_, _| {})?;
        batch.finish();
        Ok(places.is_empty())
    }

    fn p_len(&self, index: usize, value: &[u8]) -> ColdResult<usize> {
        let len = value.try_into().map_err(|_| self.malformed(index))?;
        Ok(usize::from(u16::from_le_bytes(len)))
    }

    fn find(&self, task: &Task, p: &[u8]) -> ColdResult<Vec<u8>> {
        let mut row = Vec::new();
        match self.table.find(task, p, &mut row)? {
            true => Ok(row),
            false => Err(self.malformed(self.spec.clustered)),
        }
    }

    fn malformed(&self, index: usize) -> TreeError {
        damaged(self.table.tree(index), "an entry that was sorted makes no sense")
    }

    /// Returns the table with its trees, which are whole from here on.
    ///
    /// # Panics
    /// If not all have been filled.
    pub fn finish(self, task: &Task) -> ColdResult<Arc<ColdTable>> {
        let is_filled = self.filling.is_none() && self.sorters.iter().all(Option::is_none);
        assert!(is_filled, "trees are finished when they are filled");
        critical::section(Section::Sink, || {
            self.tables.finish_build(task, &self.table, self.rows)
        })?;
        Ok(self.table)
    }
}
