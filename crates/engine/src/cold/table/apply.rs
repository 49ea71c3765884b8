//! Changing a table's trees: rows in order of their keys, and what follows from them for other indexes.

use std::borrow::Cow;
use std::sync::atomic::Ordering::Relaxed;

use super::{ColdResult, ColdTable, key};
use crate::cold::Edit;
use crate::cold::tree::{Action, Applied, Change};
use crate::wait::Task;

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

    /// The lengths of `p` as they are stored.
    fn values(&self) -> Vec<[u8; 2]> {
        self.keys.iter().map(|(_, p_len)| p_len.to_le_bytes()).collect()
    }

    /// The changes, sorted. A key that is deleted and put is put.
    fn changes<'a>(&'a self, values: &'a [[u8; 2]]) -> Vec<TreeChange<'a>> {
        let ends = self.keys.iter().map(|(start, _)| *start).skip(1).chain([self.bytes.len()]);
        let keys = self.keys.iter().zip(ends).zip(values);
        let mut changes: Vec<TreeChange<'a>> = keys
            .map(|((&(start, p_len), end), value)| {
                TreeChange::new(&self.bytes[start..end], (p_len > 0).then_some(&value[..]))
            })
            .collect();
        changes.sort_unstable_by(|a, b| {
            a.key.cmp(&b.key).then(a.value.is_none().cmp(&b.value.is_none()))
        });
        changes.dedup_by(|later, first| later.key == first.key);
        changes
    }
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
        let row = |n: usize| {
            let RowChange { p, row } = changes[n];
            (TreeChange::new(p, row), n)
        };
        let mut rows: Vec<(TreeChange<'_>, usize)> = (0..changes.len()).map(row).collect();
        // Keys that are cut may be in another order; else they are sorted already.
        rows.sort_by(|(a, _), (b, _)| a.key.cmp(&b.key));
        let mut secondary: Vec<Secondary> = Vec::new();
        secondary.resize_with(self.trees.len(), Secondary::default);
        let others = || (0..self.trees.len()).filter(|index| *index != self.clustered);
        let mut batch = self.store.batch();
        let (clustered, mut malformed) = (self.trees[self.clustered], false);
        let operations: Vec<Change<'_>> = rows.iter().map(|(row, _)| row.change()).collect();
        let applied = clustered.apply(&mut batch, task, &operations, |place, before| {
            let (change, n) = &rows[place];
            let RowChange { p, row } = changes[*n];
            let old = before.map(|entry| key::whole(&change.key, entry.value).ok_or(()));
            malformed |= matches!(old, Some(Err(())));
            for index in others() {
                let of = &mut secondary[index];
                if let Some(Ok((_, old))) = old {
                    of.push(p, false, |out| keys.append_key(index, old, out));
                }
                if let Some(new) = row {
                    of.push(p, true, |out| keys.append_key(index, new, out));
                }
            }
        })?;
        if malformed {
            return Err(super::damaged(clustered, "a row with a long key makes no sense"));
        }
        for index in others() {
            let values = secondary[index].values();
            let changes = secondary[index].changes(&values);
            let operations: Vec<Change<'_>> = changes.iter().map(TreeChange::change).collect();
            self.trees[index].apply(&mut batch, task, &operations, |_, _| {})?;
        }
        batch.finish();
        self.rows.fetch_add(applied.inserted.wrapping_sub(applied.deleted), Relaxed);
        Ok(applied)
    }
}
