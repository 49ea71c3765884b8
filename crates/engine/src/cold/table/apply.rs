//! Changes a table's trees: rows in order of their keys, and the changes of other indexes that
//! follow.

use std::borrow::Cow;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

use base::ids::Lsn;

use super::error::{ColdResult, damaged};
use super::{ColdTable, key};
use crate::cold::tree::{Action, Change};
use crate::cold::{Batch, Edit};
use crate::critical::{self, Section};
use crate::wait::Task;

/// Changes that a tree gets at a time, so that their buffers stay small.
const STEP: usize = 4096;

/// A key that a row has had in another index than the clustered one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldKey {
    /// The index's ordinal.
    pub index: usize,
    /// The key without `p`.
    pub s: Vec<u8>,
}

/// The new state of a row.
#[derive(Clone, Copy, Debug)]
pub struct RowChange<'a> {
    /// The row's identity key.
    pub p: &'a [u8],
    /// Its bytes; `None` if it is gone.
    pub row: Option<&'a [u8]>,
    /// Since when it is so; 0 if every snapshot sees it.
    pub stamp: Lsn,
    /// If the history has versions of it: the keys under which a reader must still find it.
    pub held: Option<&'a [HeldKey]>,
}

impl<'a> RowChange<'a> {
    /// A row that every snapshot sees.
    pub fn put(p: &'a [u8], row: &'a [u8]) -> RowChange<'a> {
        RowChange { p, row: Some(row), stamp: Lsn::ZERO, held: None }
    }

    /// A row that no snapshot sees any more.
    pub fn delete(p: &'a [u8]) -> RowChange<'a> {
        RowChange { p, row: None, stamp: Lsn::ZERO, held: None }
    }

    /// The value for the clustered tree; `None` to delete the entry.
    fn value(&self) -> Option<&'a [u8]> {
        self.row.or_else(|| self.held.map(|_| STUB))
    }

    fn held_in(&self, index: usize) -> impl Iterator<Item = &'a HeldKey> {
        self.held.unwrap_or_default().iter().filter(move |key| key.index == index)
    }
}

/// The value of a stub: the clustered tree's entry of a row that is gone.
const STUB: &[u8] = &[];

/// Entries that the trees have kept of a row for its versions in the history, and that can be
/// removed.
#[derive(Clone, Debug)]
pub struct Forgotten {
    /// The row's identity key.
    pub p: Vec<u8>,
    /// Whether the row's stub can be removed.
    pub stub: bool,
    /// Keys under which no reader looks for it.
    pub keys: Vec<HeldKey>,
}

/// Says which keys rows have.
pub trait RowKeys {
    /// Appends the row's key in this index. Returns `false`, and appends nothing, if the index does
    /// not hold the row.
    fn append_key(&self, index: usize, row: &[u8], out: &mut Vec<u8>) -> bool;
}

/// Changes of one secondary tree. Keys lie one after another in `bytes`.
#[derive(Default)]
struct Secondary {
    bytes: Vec<u8>,
    /// A key ends where the next begins.
    keys: Vec<SecondaryKey>,
}

/// A key in [`Secondary::bytes`].
#[derive(Clone, Copy)]
struct SecondaryKey {
    start: usize,
    /// How long its last part, `p`, is if it is put; 0 if it is deleted.
    p_len: u16,
}

impl Secondary {
    /// Adds the change of the key `s ++ p`.
    fn push_key(&mut self, p: &[u8], s: &[u8], put: bool) {
        self.push(p, put, |out| {
            out.extend_from_slice(s);
            true
        });
    }

    /// Adds the change of a row's key, of which `append_s` appends the first part; none if that
    /// returns `false`, since the index leaves the row out.
    fn push(&mut self, p: &[u8], put: bool, append_s: impl FnOnce(&mut Vec<u8>) -> bool) {
        let start = self.bytes.len();
        if append_s(&mut self.bytes) {
            self.bytes.extend_from_slice(p);
            let len = u16::try_from(p.len()).expect("keys are shorter");
            self.keys.push(SecondaryKey { start, p_len: if put { len } else { 0 } });
        }
    }

    /// The n-th key, and the value that is put for it; `None` if it is deleted.
    fn at(&self, n: u32) -> (&[u8], Option<[u8; 2]>) {
        let SecondaryKey { start, p_len } = self.keys[n as usize];
        let end = self.keys.get(n as usize + 1).map_or(self.bytes.len(), |next| next.start);
        (&self.bytes[start..end], (p_len > 0).then(|| p_len.to_le_bytes()))
    }

    /// The changes in the order of the tree. A key that is deleted and put is put.
    fn order(&self) -> Vec<u32> {
        let mut order = numbers(self.keys.len());
        let keys = |n: u32| (key::in_tree(self.at(n).0), self.at(n).1.is_none());
        order.sort_unstable_by(|a, b| keys(*a).cmp(&keys(*b)));
        order.dedup_by(|later, first| keys(*later).0 == keys(*first).0);
        order
    }
}

fn numbers(count: usize) -> Vec<u32> {
    (0..u32::try_from(count).expect("a round has fewer rows")).collect()
}

/// A change in the tree's form: with a long key cut.
struct TreeChange<'a> {
    key: Cow<'a, [u8]>,
    value: Option<Cow<'a, [u8]>>,
    stamp: u64,
}

impl<'a> TreeChange<'a> {
    fn new(whole: &'a [u8], value: Option<&'a [u8]>, stamp: Lsn) -> TreeChange<'a> {
        let value = value.map(|value| key::value_in_tree(whole, value));
        TreeChange { key: key::in_tree(whole), value, stamp: stamp.0 }
    }

    fn change(&self) -> Change<'_> {
        let action = match &self.value {
            Some(value) => Action::Put { stamp: self.stamp, value },
            None => Action::Delete,
        };
        Change { key: &self.key, action }
    }
}

impl ColdTable {
    /// Applies changes of rows, which ascend by `p`, and the changes of other indexes that follow.
    /// The caller's thread is the one that changes trees (S3), and memory overrides the rows that
    /// change (S2). After an error some rows have changed, and maybe not in all indexes: the caller
    /// repeats the call until it succeeds, before it does anything else to the table.
    pub(crate) fn apply(
        &self,
        task: &Task,
        changes: &[RowChange<'_>],
        keys: &dyn RowKeys,
    ) -> ColdResult<()> {
        critical::section(Section::Sink, || self.apply_changes(task, changes, keys))
    }

    fn apply_changes(
        &self,
        task: &Task,
        changes: &[RowChange<'_>],
        keys: &dyn RowKeys,
    ) -> ColdResult<()> {
        let newest = changes.iter().map(|change| change.stamp.0).max().unwrap_or(0);
        if newest > 0 || changes.iter().any(|change| change.held.is_some()) {
            self.newest.fetch_max(newest, AcqRel); // pairs with newest
            self.unsettled.fetch_add(1, AcqRel); // pairs with all_seen
        }
        let mut order = numbers(changes.len());
        // Keys that are cut may be in another order; else they are sorted already.
        let key_of = |n: u32| key::in_tree(changes[n as usize].p);
        order.sort_by(|a, b| key_of(*a).cmp(&key_of(*b)));
        let mut secondary: Vec<Secondary> = Vec::new();
        secondary.resize_with(self.trees.len(), Secondary::default);
        let (mut batch, mut added) = (self.store.batch(), 0);
        for some in order.chunks(STEP) {
            let rows = some.iter().map(|&n| changes[n as usize]);
            let rows: Vec<RowChange<'_>> = rows.collect();
            added += self.apply_rows(&mut batch, task, &rows, keys, &mut secondary)?;
        }
        self.apply_secondary(&mut batch, task, &secondary)?;
        batch.finish();
        self.rows.fetch_add(added as u64, Relaxed);
        Ok(())
    }

    /// Removes entries that no snapshot sees: it does not matter when, and memory need not override
    /// them. The caller's thread is the one that changes trees (S3).
    pub(crate) fn forget(&self, task: &Task, rows: Vec<Forgotten>) -> ColdResult<()> {
        critical::section(Section::Sink, || self.forget_rows(task, rows))
    }

    fn forget_rows(&self, task: &Task, mut rows: Vec<Forgotten>) -> ColdResult<()> {
        let mut secondary: Vec<Secondary> = Vec::new();
        secondary.resize_with(self.trees.len(), Secondary::default);
        for Forgotten { p, keys, .. } in &rows {
            for HeldKey { index, s } in keys {
                secondary[*index].push_key(p, s, false);
            }
        }
        let mut batch = self.store.batch();
        self.apply_secondary(&mut batch, task, &secondary)?;
        rows.retain(|row| row.stub);
        rows.sort_by(|a, b| key::in_tree(&a.p).cmp(&key::in_tree(&b.p)));
        for some in rows.chunks(STEP) {
            let changes: Vec<TreeChange<'_>> =
                some.iter().map(|row| TreeChange::new(&row.p, None, Lsn::ZERO)).collect();
            let operations: Vec<Change<'_>> = changes.iter().map(TreeChange::change).collect();
            self.trees[self.clustered].apply(&mut batch, task, &operations, |_, _| {})?;
        }
        batch.finish();
        Ok(())
    }

    fn apply_secondary(
        &self,
        batch: &mut Batch,
        task: &Task,
        secondary: &[Secondary],
    ) -> ColdResult<()> {
        for index in (0..self.trees.len()).filter(|index| *index != self.clustered) {
            let of = &secondary[index];
            for some in of.order().chunks(STEP) {
                let parts: Vec<_> = some.iter().map(|&n| of.at(n)).collect();
                let changes = parts.iter().map(|(key, value)| {
                    TreeChange::new(key, value.as_ref().map(|value| &value[..]), Lsn::ZERO)
                });
                let changes: Vec<TreeChange<'_>> = changes.collect();
                let operations: Vec<Change<'_>> = changes.iter().map(TreeChange::change).collect();
                self.trees[index].apply(batch, task, &operations, |_, _| {})?;
            }
        }
        Ok(())
    }

    /// Changes some rows, in the order of the tree, and adds the changes of other indexes that
    /// follow to `secondary`. Returns by how much the number of rows has grown.
    fn apply_rows(
        &self,
        batch: &mut Batch,
        task: &Task,
        rows: &[RowChange<'_>],
        keys: &dyn RowKeys,
        secondary: &mut [Secondary],
    ) -> ColdResult<i64> {
        let (clustered, mut malformed, mut added) = (self.trees[self.clustered], false, 0);
        let changes: Vec<TreeChange<'_>> =
            rows.iter().map(|row| TreeChange::new(row.p, row.value(), row.stamp)).collect();
        let operations: Vec<Change<'_>> = changes.iter().map(TreeChange::change).collect();
        clustered.apply(batch, task, &operations, |place, before| {
            let change = &rows[place];
            let old = before.map(|entry| key::whole(&changes[place].key, entry.value).ok_or(()));
            malformed |= matches!(old, Some(Err(())));
            let old = old.and_then(Result::ok).map(|(_, row)| row).filter(|row| *row != STUB);
            added += i64::from(change.row.is_some()) - i64::from(old.is_some());
            let others = secondary.iter_mut().enumerate();
            for (index, of) in others.filter(|(index, _)| *index != self.clustered) {
                if let Some(old) = old {
                    of.push(change.p, false, |out| keys.append_key(index, old, out));
                }
                if let Some(new) = change.row {
                    of.push(change.p, true, |out| keys.append_key(index, new, out));
                }
                // The tree may never have had some of these keys.
                for held in change.held_in(index) {
                    of.push_key(change.p, &held.s, true);
                }
            }
        })?;
        match malformed {
            true => Err(damaged(clustered, "a row with a long key makes no sense")),
            false => Ok(added),
        }
    }
}
