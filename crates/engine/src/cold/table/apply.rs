//! Changing a table's trees: rows in order of their keys, and what follows from them for other indexes.

use std::sync::atomic::Ordering::Relaxed;

use super::{ColdResult, ColdTable};
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

    /// The changes, sorted. A key that is deleted and put is put.
    fn changes<'a>(&'a self, values: &'a [[u8; 2]]) -> Vec<Change<'a>> {
        let ends = self.keys.iter().map(|(start, _)| *start).skip(1).chain([self.bytes.len()]);
        let mut changes: Vec<Change<'a>> = self
            .keys
            .iter()
            .zip(ends)
            .zip(values)
            .map(|((&(start, p_len), end), value)| {
                let action = match p_len {
                    0 => Action::Delete,
                    _ => Action::Put { stamp: 0, value },
                };
                Change { key: &self.bytes[start..end], action }
            })
            .collect();
        let is_delete = |change: &Change<'_>| matches!(change.action, Action::Delete);
        changes.sort_unstable_by(|a, b| a.key.cmp(b.key).then(is_delete(a).cmp(&is_delete(b))));
        changes.dedup_by(|later, first| later.key == first.key);
        changes
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
        let rows: Vec<Change<'_>> = changes
            .iter()
            .map(|change| Change {
                key: change.p,
                action: match change.row {
                    Some(value) => Action::Put { stamp: 0, value },
                    None => Action::Delete,
                },
            })
            .collect();
        let mut secondary: Vec<Secondary> = Vec::new();
        secondary.resize_with(self.trees.len(), Secondary::default);
        let others = || (0..self.trees.len()).filter(|index| *index != self.clustered);
        let mut batch = self.store.batch();
        let clustered = self.trees[self.clustered];
        let applied = clustered.apply(&mut batch, task, &rows, |n, before| {
            let RowChange { p, row } = changes[n];
            for index in others() {
                let of = &mut secondary[index];
                if let Some(old) = &before {
                    of.push(p, false, |out| keys.append_key(index, old.value, out));
                }
                if let Some(new) = row {
                    of.push(p, true, |out| keys.append_key(index, new, out));
                }
            }
        })?;
        for index in others() {
            let of = &secondary[index];
            let values: Vec<[u8; 2]> = of.keys.iter().map(|(_, len)| len.to_le_bytes()).collect();
            self.trees[index].apply(&mut batch, task, &of.changes(&values), |_, _| {})?;
        }
        batch.finish();
        self.rows.fetch_add(applied.inserted.wrapping_sub(applied.deleted), Relaxed);
        Ok(applied)
    }
}
