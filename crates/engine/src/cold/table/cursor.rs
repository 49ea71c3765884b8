//! Cursors over the rows of a table that have sunk.

use std::ops::{Bound, ControlFlow, RangeBounds};
use std::sync::Arc;

use base::ids::Lsn;

use super::error::{ColdResult, damaged};
use super::key;
use crate::cold::tree::{self, Chunk, Cursor, Direction, LeafSpan, Range, Tree, TreeError};
use crate::cold::{ColdError, Store};
use crate::wait::Task;

/// An entry of an index, which a closure may read while it runs.
#[derive(Clone, Copy, Debug)]
pub struct ColdEntry<'a> {
    /// The whole key in the tree: `p`, or `s ++ p`.
    pub key: &'a [u8],
    /// The row's key in this index: the same as `p` in the clustered one.
    pub s: &'a [u8],
    /// The row's identity key.
    pub p: &'a [u8],
    /// The row, in the clustered index, unless it is gone.
    pub row: Option<&'a [u8]>,
    /// Since when the row is so, in the clustered index.
    pub stamp: Lsn,
}

/// A visitor of the entries of a leaf: see [`ColdCursor::next_leaf`].
pub trait VisitEntries {
    /// Whether the visitor takes this part of a leaf as a whole, without its entries.
    fn pass(&mut self, leaf: LeafSpan<'_>) -> bool;

    /// Takes a row of the clustered index, `None` if it is gone, and since when it is so. Returns
    /// `None` if the visitor needs the key: then [`VisitEntries::take`] is called. Some rows go
    /// there directly.
    fn take_row(&mut self, row: Option<&[u8]>, stamp: Lsn) -> Option<ControlFlow<()>>;

    /// Takes an entry. The one at which this breaks counts as taken.
    fn take(&mut self, entry: ColdEntry<'_>) -> ControlFlow<()>;
}

/// A visitor that takes each entry.
struct TakeEach<T>(T);

impl<T: FnMut(ColdEntry<'_>) -> ControlFlow<()>> VisitEntries for TakeEach<T> {
    fn pass(&mut self, _: LeafSpan<'_>) -> bool {
        false
    }

    fn take_row(&mut self, _: Option<&[u8]>, _: Lsn) -> Option<ControlFlow<()>> {
        None
    }

    fn take(&mut self, entry: ColdEntry<'_>) -> ControlFlow<()> {
        (self.0)(entry)
    }
}

/// Where a range begins and ends.
struct Bounds {
    lower: Bound<Vec<u8>>,
    upper: Bound<Vec<u8>>,
}

impl Bounds {
    fn contain(&self, key: &[u8]) -> bool {
        (slice(&self.lower), slice(&self.upper)).contains(key)
    }
}

/// A position in the cold part of an index; see [`ColdTable::cursor`](super::ColdTable::cursor).
pub struct ColdCursor {
    store: Arc<Store>,
    cursor: Cursor,
    clustered: bool,
    /// The range of the cursor, if its bounds are longer than what the tree keeps of a key.
    bounds: Option<Bounds>,
    key: Vec<u8>,
}

impl ColdCursor {
    pub(super) fn new(
        store: Arc<Store>,
        tree: Tree,
        range: Range<'_>,
        direction: Direction,
        clustered: bool,
    ) -> ColdCursor {
        let cursor = tree.cursor(in_tree(range), direction);
        let is_long = |bound: Bound<&[u8]>| match bound {
            Bound::Included(key) | Bound::Excluded(key) => key.len() > key::KEPT,
            Bound::Unbounded => false,
        };
        let bounds = (is_long(range.lower) || is_long(range.upper)).then(|| Bounds {
            lower: range.lower.map(<[u8]>::to_vec),
            upper: range.upper.map(<[u8]>::to_vec),
        });
        ColdCursor { store, cursor, clustered, bounds, key: Vec::new() }
    }

    /// Calls `take` with the entries of the next leaf, until it breaks; the entry at which it
    /// breaks counts as taken. A chunk may be empty though there is more. `take` must not wait; the
    /// task may be suspended between entries and leaves: no epoch guard may be alive.
    pub fn next_chunk(
        &mut self,
        task: &Task,
        take: impl FnMut(ColdEntry<'_>) -> ControlFlow<()>,
    ) -> ColdResult<Chunk> {
        self.next_leaf(task, &mut TakeEach(take))
    }

    /// As `next_chunk`, but `visit` may take a leaf without its entries.
    pub fn next_leaf(&mut self, task: &Task, visit: &mut impl VisitEntries) -> ColdResult<Chunk> {
        checkpoint(task)?;
        let ColdCursor { store, cursor, clustered, bounds, key } = self;
        let mut reader = Reader { visit, key, clustered: *clustered, bounds, is_malformed: false };
        let chunk = cursor.next_leaf(&**store, task, &mut reader)?;
        match reader.is_malformed {
            false => Ok(chunk),
            true => Err(self.malformed()),
        }
    }

    /// The bound up to which everything has been seen, in the cursor's direction, as a key of the
    /// tree.
    pub fn rest(&self) -> Bound<&[u8]> {
        self.cursor.rest()
    }

    /// Whether the cursor goes through the index whose tree holds the rows.
    pub fn is_clustered(&self) -> bool {
        self.clustered
    }

    /// Whether everything has been seen.
    pub fn is_ended(&self) -> bool {
        self.cursor.is_ended()
    }

    #[cold]
    fn malformed(&self) -> TreeError {
        damaged(self.cursor.tree(), "an entry of a secondary index makes no sense")
    }
}

/// The row in a value of the clustered tree; `None` for a stub.
fn some_row(value: &[u8]) -> Option<&[u8]> {
    (!value.is_empty()).then_some(value)
}

/// Decodes the entries of a tree for a visitor.
struct Reader<'c, V> {
    visit: &'c mut V,
    key: &'c mut Vec<u8>,
    clustered: bool,
    bounds: &'c Option<Bounds>,
    is_malformed: bool,
}

impl<V: VisitEntries> tree::Visit for Reader<'_, V> {
    fn pass(&mut self, leaf: LeafSpan<'_>) -> bool {
        // If keys are cut, some of the entries may be outside the range.
        self.bounds.is_none() && self.visit.pass(leaf)
    }

    #[inline]
    fn take(&mut self, entry: tree::Entry<'_>) -> ControlFlow<()> {
        if self.clustered && self.bounds.is_none() && !key::may_be_cut(entry.key.len()) {
            let row = some_row(entry.value);
            if let Some(flow) = self.visit.take_row(row, Lsn(entry.stamp)) {
                return flow;
            }
        }
        self.key.clear();
        entry.key.append_to(self.key);
        match (parse(self.key, entry.stamp, entry.value, self.clustered), self.bounds) {
            (None, _) => {
                self.is_malformed = true;
                ControlFlow::Break(())
            }
            (Some(found), Some(bounds)) if !bounds.contain(found.key) => ControlFlow::Continue(()),
            (Some(found), _) => self.visit.take(found),
        }
    }
}

/// Decodes an entry of a tree; `None` if it is malformed.
pub(super) fn parse<'a>(
    key: &'a [u8],
    stamp: u64,
    value: &'a [u8],
    clustered: bool,
) -> Option<ColdEntry<'a>> {
    let (key, value) = key::whole(key, value)?;
    let stamp = Lsn(stamp);
    if clustered {
        return Some(ColdEntry { key, s: key, p: key, row: some_row(value), stamp });
    }
    let p_len = u16::from_le_bytes(value.try_into().ok()?);
    let (s, p) = key.split_at(key.len().checked_sub(usize::from(p_len))?);
    Some(ColdEntry { key, s, p, row: None, stamp })
}

/// The part of a tree that may hold a range of keys: bounds that would be cut include all keys that
/// begin as they do.
fn in_tree(range: Range<'_>) -> Range<'_> {
    let Range { lower, upper } = range;
    let lower = match lower {
        Bound::Included(key) | Bound::Excluded(key) if key.len() > key::KEPT => {
            Bound::Included(&key[..key::KEPT])
        }
        lower => lower,
    };
    // The reader leaves out entries beyond the bound one by one.
    let upper = match upper {
        Bound::Included(key) | Bound::Excluded(key) if key.len() > key::KEPT => Bound::Unbounded,
        upper => upper,
    };
    Range { lower, upper }
}

fn slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

/// Gives other sessions their turn between two leaves. Fails if the task was interrupted.
fn checkpoint(task: &Task) -> ColdResult<()> {
    task.checkpoint().map_err(|why| ColdError::Interrupted(why).into())
}
