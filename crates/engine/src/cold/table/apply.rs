//! Changing a table's trees: rows in order of their keys, and what follows from them for other indexes.

use std::borrow::Cow;
use std::sync::atomic::Ordering::Relaxed;

use super::{ColdResult, ColdTable, key};
use crate::cold::tree::{Action, Applied, Change};
use crate::cold::{Batch, Edit};
use crate::wait::Task;

/// Changes that a tree is given at a time. What is needed to make them is not needed for all at once.
const STEP: usize = 4096;

/// A row as it is to be from now on.
#[derive(Clone, Copy, Debug)]
pub struct RowChange<'a> {
    /// What identifies it.
    pub p: &'a [u8],
    /// Its bytes, or nothing if it is gone.
    pub row: Option<&'a [u8]>,
}

/// What the keys of rows are.
pub trait RowKeys {
    /// Appends the row's key in this index; `false`, and nothing, if the index does not hold the row.
    fn append_key(&self, index: usize, row: &[u8], out: &mut Vec<u8>) -> bool;
}

/// Changes of one secondary tree. Keys lie one behind the other in `bytes`.
#[derive(Default)]
struct Secondary {
    bytes: Vec<u8>,
    /// Where each key begins, and how long its last part, `p`, is if it is put; 0 if it is deleted.
    /// A key ends where the next begins.
    keys: Vec<(usize, u16)>,
}

impl Secondary {
    /// A key that is or was `s ++ p`, unless the index leaves the row out.
    fn push(&mut self, p: &[u8], put: bool, append_s: impl FnOnce(&mut Vec<u8>) -> bool) {
        let start = self.bytes.len();
        if append_s(&mut self.bytes) {
            self.bytes.extend_from_slice(p);
            let len = u16::try_from(p.len()).expect("keys are shorter");
            self.keys.push((start, if put { len } else { 0 }));
        }
    }

    /// The n-th key, and whether it is put, and with which value.
    fn at(&self, n: u32) -> (&[u8], Option<[u8; 2]>) {
        let (start, p_len) = self.keys[n as usize];
        let end = self.keys.get(n as usize + 1).map_or(self.bytes.len(), |(next, _)| *next);
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

/// A change as the tree sees it.
struct TreeChange<'a> {
    key: Cow<'a, [u8]>,
    value: Option<Cow<'a, [u8]>>,
}

impl<'a> TreeChange<'a> {
    fn new(whole: &'a [u8], value: Option<&'a [u8]>) -> TreeChange<'a> {
        let value = value.map(|value| key::value_in_tree(whole, value));
        TreeChange { key: key::in_tree(whole), value }
    }

    fn change(&self) -> Change<'_> {
        let action = match &self.value {
            Some(value) => Action::Put { stamp: 0, value },
            None => Action::Delete,
        };
        Change { key: &self.key, action }
    }
}

impl ColdTable {
    /// Makes the rows what `changes`, in ascending order of `p`, say; and the other indexes what follows
    /// from that. The caller is the only one who changes trees (S3), and what changes is overridden in
    /// memory (S2). After an error some rows have changed, and maybe not in all indexes: the caller does
    /// the same again until it succeeds, before anything else is done to the table.
    pub(crate) fn apply(
        &self,
        task: &Task,
        changes: &[RowChange<'_>],
        keys: &dyn RowKeys,
    ) -> ColdResult<Applied> {
        let mut order = numbers(changes.len());
        // Keys that are cut may be in another order; else they are sorted already.
        let key_of = |n: u32| key::in_tree(changes[n as usize].p);
        order.sort_by(|a, b| key_of(*a).cmp(&key_of(*b)));
        let mut secondary: Vec<Secondary> = Vec::new();
        secondary.resize_with(self.trees.len(), Secondary::default);
        let mut batch = self.store.batch();
        let mut applied = Applied::default();
        for some in order.chunks(STEP) {
            let rows = some.iter().map(|&n| changes[n as usize]);
            let rows: Vec<RowChange<'_>> = rows.collect();
            let step = self.apply_rows(&mut batch, task, &rows, keys, &mut secondary)?;
            applied.inserted += step.inserted;
            applied.replaced += step.replaced;
            applied.deleted += step.deleted;
        }
        for index in (0..self.trees.len()).filter(|index| *index != self.clustered) {
            let of = &secondary[index];
            for some in of.order().chunks(STEP) {
                let parts: Vec<_> = some.iter().map(|&n| of.at(n)).collect();
                let changes = parts.iter().map(|(key, value)| {
                    TreeChange::new(key, value.as_ref().map(|value| &value[..]))
                });
                let changes: Vec<TreeChange<'_>> = changes.collect();
                let operations: Vec<Change<'_>> = changes.iter().map(TreeChange::change).collect();
                self.trees[index].apply(&mut batch, task, &operations, |_, _| {})?;
            }
        }
        batch.finish();
        self.rows.fetch_add(applied.inserted.wrapping_sub(applied.deleted), Relaxed);
        Ok(applied)
    }

    /// Changes some rows, in the order of the tree, and notes what follows for other indexes.
    fn apply_rows(
        &self,
        batch: &mut Batch,
        task: &Task,
        rows: &[RowChange<'_>],
        keys: &dyn RowKeys,
        secondary: &mut [Secondary],
    ) -> ColdResult<Applied> {
        let (clustered, mut malformed) = (self.trees[self.clustered], false);
        let changes: Vec<TreeChange<'_>> =
            rows.iter().map(|change| TreeChange::new(change.p, change.row)).collect();
        let operations: Vec<Change<'_>> = changes.iter().map(TreeChange::change).collect();
        let applied = clustered.apply(batch, task, &operations, |place, before| {
            let RowChange { p, row } = rows[place];
            let old = before.map(|entry| key::whole(&changes[place].key, entry.value).ok_or(()));
            malformed |= matches!(old, Some(Err(())));
            let others = secondary.iter_mut().enumerate();
            for (index, of) in others.filter(|(index, _)| *index != self.clustered) {
                if let Some(Ok((_, old))) = old {
                    of.push(p, false, |out| keys.append_key(index, old, out));
                }
                if let Some(new) = row {
                    of.push(p, true, |out| keys.append_key(index, new, out));
                }
            }
        })?;
        match malformed {
            true => Err(super::damaged(clustered, "a row with a long key makes no sense")),
            false => Ok(applied),
        }
    }
}
