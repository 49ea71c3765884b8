//! The cold side of tables: trees of rows that have sunk.
//!
//! # What is stored
//!
//! ```text
//! clustered tree    p → the row's bytes, in the hot store's format
//! any other index   s ++ p → length of p (u16)
//! ```
//!
//! `p` is the row's identity key, `s` its key in the other index. No key of an index is a prefix of
//! another, so that `s ++ p` is ordered by `s`, then by `p`. Rows that an index's filter leaves out
//! are not in its tree. Keys that are longer than a tree takes are cut ([`key`]).
//!
//! A row's entry in the clustered tree has the stamp of its commit, or 0 if every snapshot sees it.
//! If an old snapshot sees a row that has changed since, the [`History`] has the row as it was. If
//! the row is gone, its entry stays without bytes, as a *stub*, and other trees keep it under the
//! keys that it had. So an entry of another tree than the clustered one counts only if the row, as
//! the snapshot sees it, has that key.
//!
//! # Invariants
//!
//! * S1: an entry of a tree is durable in the log, and its stamp says since when it is valid.
//! * S2: memory overrides a row that changes here until all of its trees have changed: a reader
//!   looks in memory first, and uses the trees only for rows of which memory has nothing.
//! * S3: one thread at a time changes the trees of a database, except those that are being built
//!   ([`build`]).
//!
//! This folder treats keys and rows as bytes; [`RowKeys`] says which keys a row has.

mod apply;
mod build;
mod cached;
mod cursor;
mod database;
mod error;
mod history;
mod key;
mod key_counts;
mod sample;

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};

use base::ids::Lsn;

use self::cached::Caching;
use self::error::damaged;
use self::key_counts::KeyCounts;
use super::tree::{Direction, Range, Tree};
use super::{BODY_BYTES, Once, Pages, Store};
use crate::wait::Task;

pub use apply::{Forgotten, HeldKey, RowChange, RowKeys};
pub use build::{BuildError, BuildSpec, TableBuild};
pub use cursor::{ColdCursor, ColdEntry, VisitEntries};
pub use database::{ColdInfo, ColdTables};
pub use error::ColdResult;
pub use history::{History, PastRow};

#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

/// A tree orders keys by this many bytes; longer keys that agree in those are in no particular
/// order.
pub const ORDERED_BYTES: usize = key::KEPT;

/// How an index's tree lies in the data file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TreeShape {
    /// Levels, one if the root is a leaf.
    pub levels: u32,
    /// Leaves.
    pub leaf_pages: u64,
    /// Leaves whose current images are on disk.
    pub placed_pages: u64,
    /// Runs of those at consecutive places, in the order of their keys.
    pub fragments: u64,
    /// Extents (of [`EXTENT_PAGES`](super::tree::EXTENT_PAGES) each) that those lie in.
    pub extents: u64,
    /// Runs of those in one extent, in the order of their keys.
    pub extent_runs: u64,
    /// Such runs whose extent does not follow that of the run before.
    pub extent_breaks: u64,
    /// Entries in the leaves; 0 if they were not read.
    pub entries: u64,
    /// Bytes of the leaves that entries take; 0 if they were not read.
    pub used_bytes: u64,
    /// Bytes that leaves have for entries.
    pub leaf_bytes: u64,
}

/// The trees of one table, by the ordinals of its indexes. They are made together, before the first
/// row sinks, and stay for the table's life.
pub struct ColdTable {
    store: Arc<Store>,
    storage: u64,
    /// The index whose tree holds the rows.
    clustered: usize,
    trees: Box<[Tree]>,
    /// Past versions of its rows, and of those of the database's other tables.
    history: Arc<History>,
    /// Rows in the clustered tree. Written by the thread that changes the trees.
    rows: AtomicU64,
    /// No entry has a higher stamp. The thread that changes the trees raises it before it changes
    /// them.
    newest: AtomicU64,
    /// How often the trees were about to get entries that not every snapshot sees. The thread that
    /// changes the trees raises it before it changes them.
    unsettled: AtomicU64,
    /// The position below which all changes since the table got its trees have sunk, as the last
    /// durable root has it; 0 if no durable root has the table. Written when a root has become
    /// durable.
    durable: AtomicU64,
    /// Whether the trees were built at once, before the commit that made the table. Set once, by
    /// the builder.
    built: AtomicBool,
    /// Whether the trees are adopted: roots that are captured from then on have them as a table's
    /// (L3). Set once.
    adopted: AtomicBool,
    /// How many distinct keys the trees have, for the planner.
    keys: KeyCounts,
    /// Whether and how it uses the row cache.
    caching: Caching,
}

impl ColdTable {
    fn new(
        store: Arc<Store>,
        history: Arc<History>,
        storage: u64,
        clustered: usize,
        trees: Box<[Tree]>,
    ) -> ColdTable {
        let (rows, newest, unsettled, durable) = Default::default();
        let (built, adopted) = (AtomicBool::new(false), AtomicBool::new(false));
        let keys = KeyCounts::new(trees.len());
        ColdTable {
            store,
            storage,
            clustered,
            trees,
            history,
            rows,
            newest,
            unsettled,
            durable,
            built,
            adopted,
            keys,
            caching: Caching::default(),
        }
    }

    /// Whether the trees were built: from the beginning they have had the rows that the log has as
    /// loaded.
    pub fn is_built(&self) -> bool {
        self.built.load(Acquire) // pairs with finish_build
    }

    /// Whether the trees are adopted: roots that are captured from now on have them as a table's,
    /// and not as those of a transaction that may roll back.
    pub fn is_adopted(&self) -> bool {
        self.adopted.load(Acquire) // pairs with ColdTables::adopt
    }

    /// The storage id, which names the table in the log.
    pub fn storage(&self) -> u64 {
        self.storage
    }

    /// Rows in the clustered tree. Memory may override some of them.
    pub fn rows(&self) -> u64 {
        self.rows.load(Relaxed)
    }

    /// Whether the index's tree is the one that holds the rows.
    pub fn is_clustered(&self, index: usize) -> bool {
        index == self.clustered
    }

    /// The ordinal of the index whose tree holds the rows.
    pub fn clustered_index(&self) -> usize {
        self.clustered
    }

    /// How many trees there are.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }

    /// An index's tree, for checks and statistics.
    pub fn tree(&self, index: usize) -> Tree {
        self.trees[index]
    }

    /// The store that has the trees' pages.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Counts the nodes of an index's tree: leaves, and inner nodes. Pages of long values are not
    /// counted. Reads only the inner nodes.
    pub fn count_nodes(&self, index: usize, task: &Task) -> ColdResult<(u64, u64)> {
        let measures = self.trees[index].measure_nodes(&*self.store, task)?;
        Ok((measures.leaf_pages, measures.inner_pages))
    }

    /// Measures how an index's tree lies in the data file. Reads the inner nodes, and with
    /// `reads_leaves` the leaves, too.
    pub fn shape(&self, index: usize, reads_leaves: bool, task: &Task) -> ColdResult<TreeShape> {
        let store = &*self.store;
        let place = |page| store.place_of(page);
        let measured = self.trees[index].measure_order(reads_leaves, store, task, &place)?;
        let (measures, order) = measured;
        Ok(TreeShape {
            levels: measures.levels,
            leaf_pages: measures.leaf_pages,
            placed_pages: order.placed,
            fragments: order.fragments,
            extents: order.extents,
            extent_runs: order.extent_runs,
            extent_breaks: order.extent_breaks,
            entries: measures.entries,
            used_bytes: measures.leaf_bytes_used,
            leaf_bytes: measures.leaf_pages * BODY_BYTES as u64,
        })
    }

    /// Appends the current row with the identity key `p` to `out`. Returns whether there is one.
    /// The task may be suspended: no epoch guard may be alive.
    pub fn find(&self, task: &Task, p: &[u8], out: &mut Vec<u8>) -> ColdResult<bool> {
        Ok(self.find_newest(task, p, out)?.is_some_and(|newest| !newest.is_gone))
    }

    /// Appends the row with the identity key `p` to `out`, if the row cache has it. Every snapshot
    /// sees the row so. Returns whether it was there.
    pub(crate) fn find_cached(&self, task: &Task, p: &[u8], out: &mut Vec<u8>) -> bool {
        let Some(cached) = self.row_cache() else { return false };
        let guard = task.pin();
        let Some(row) = cached.find(&guard, p) else { return false };
        task.count_cached_row();
        out.extend_from_slice(row);
        true
    }

    /// As `find`, but returns the entry's stamp, and whether the row is gone; `None` if the tree
    /// has no entry.
    pub fn find_newest(
        &self,
        task: &Task,
        p: &[u8],
        out: &mut Vec<u8>,
    ) -> ColdResult<Option<Newest>> {
        self.find_newest_in(&*self.store, task, p, out)
    }

    /// As `find_newest`, for a row that the row cache keeps from then on.
    pub(crate) fn find_newest_once(
        &self,
        task: &Task,
        p: &[u8],
        out: &mut Vec<u8>,
    ) -> ColdResult<Option<Newest>> {
        self.find_newest_in(&Once(&*self.store), task, p, out)
    }

    fn find_newest_in(
        &self,
        pages: &impl Pages,
        task: &Task,
        p: &[u8],
        out: &mut Vec<u8>,
    ) -> ColdResult<Option<Newest>> {
        let (tree, key) = (self.trees[self.clustered], key::in_tree(p));
        let found = tree.find(pages, task, &key, |entry| {
            let (_, row) = key::whole(&key, entry.value)?;
            out.extend_from_slice(row);
            Some(Newest { stamp: Lsn(entry.stamp), is_gone: row.is_empty() })
        })?;
        match found {
            Some(None) => Err(damaged(tree, "a row with a long key makes no sense")),
            found => Ok(found.flatten()),
        }
    }

    /// Appends the row with the identity key `p`, as a snapshot at this position sees it, to `out`.
    /// Returns whether there is one.
    pub fn find_as_of(
        &self,
        task: &Task,
        p: &[u8],
        as_of: Lsn,
        out: &mut Vec<u8>,
    ) -> ColdResult<bool> {
        let start = out.len();
        match self.find_newest(task, p, out)? {
            None => Ok(false),
            Some(newest) if newest.stamp < as_of => Ok(!newest.is_gone),
            Some(_) => {
                out.truncate(start);
                self.history.find(task, self.storage, p, as_of, out)
            }
        }
    }

    /// A position that no stamp in the trees exceeds.
    pub fn newest(&self) -> Lsn {
        Lsn(self.newest.load(Acquire)) // pairs with apply
    }

    /// `None` if the trees may have entries that a snapshot at this position does not see: rows
    /// that have changed since, or keys that rows had. If a reader gets the same value before and
    /// after it reads entries, each entry stands for a row that the snapshot sees, unless memory
    /// overrides the row.
    pub fn all_seen(&self, as_of: Lsn) -> Option<SeenToken> {
        let unsettled = self.unsettled.load(Acquire); // pairs with apply
        (self.newest() < as_of && !self.has_history()).then_some(SeenToken(unsettled))
    }

    /// Whether secondary trees may have entries under keys that their rows do not have any more. A
    /// reader calls this after it has looked up the rows.
    pub fn has_history(&self) -> bool {
        self.history.rows() > 0
    }

    /// A cursor over an index. Bounds are compared with the keys of its tree: for the clustered one
    /// with `p`, for others with `s ++ p`, so that the rows with the key `s` lie between `s` and
    /// what follows all strings that begin with it.
    pub fn cursor(&self, index: usize, range: Range<'_>, direction: Direction) -> ColdCursor {
        ColdCursor::new(
            self.store.clone(),
            self.trees[index],
            range,
            direction,
            self.is_clustered(index),
        )
    }

    /// A cursor over the rows with this key: `s` in a secondary index, `p` in the clustered one.
    pub fn cursor_at(&self, index: usize, key: &[u8]) -> ColdCursor {
        let beyond = after_prefix(key);
        let upper = beyond.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        self.cursor(index, Range { lower: Bound::Included(key), upper }, Direction::Forward)
    }

    /// The position below which all changes have sunk, as the last durable root of the database has
    /// it; 0 if that root does not have the table.
    pub(crate) fn durable(&self) -> u64 {
        self.durable.load(Acquire) // pairs with set_durable
    }

    pub(crate) fn set_durable(&self, through: u64) {
        self.durable.store(through, Release); // pairs with durable
    }
}

impl fmt::Debug for ColdTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColdTable").field("storage", &self.storage).finish_non_exhaustive()
    }
}

/// See [`ColdTable::all_seen`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SeenToken(u64);

/// The clustered tree's entry of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Newest {
    /// The stamp since which the row is in this state; 0 if every snapshot sees that state.
    pub stamp: Lsn,
    /// Whether the row is gone: the entry is a stub.
    pub is_gone: bool,
}

/// The first byte string after all that begin with this one, if there is one.
fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let kept = prefix.iter().rposition(|&byte| byte < u8::MAX)?;
    let mut after = prefix[..=kept].to_vec();
    after[kept] += 1;
    Some(after)
}
