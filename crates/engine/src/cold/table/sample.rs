//! Estimates how many distinct keys an index has, from some leaves of its tree.
//!
//! In a leaf, equal keys are neighbours: if one entry in `n` has another key than the one before
//! it, a key has `n` rows. The estimate is never below the number of distinct keys that were seen,
//! which matters if no leaf has two keys.

use super::ColdTable;
use super::cursor::parse;
use super::error::{ColdResult, damaged};
use crate::wait::Task;

/// Leaves of a tree that are read.
const LEAVES: u32 = 16;

impl ColdTable {
    /// About how many distinct keys a secondary index has in its tree; `None` until they were
    /// counted.
    pub fn distinct_keys(&self, index: usize) -> Option<u64> {
        self.keys.get(index)
    }

    /// Whether so much has changed that keys are to be counted again.
    pub fn is_count_due(&self) -> bool {
        self.keys.is_due(self.rows())
    }

    /// Counts the keys of these secondary indexes. Even after an error, a count is not due again
    /// until more rows have changed.
    pub(crate) fn count_keys(
        &self,
        indexes: impl Iterator<Item = usize>,
        task: &Task,
    ) -> ColdResult<()> {
        let rows = self.rows();
        self.keys.begin(rows);
        for index in indexes.filter(|index| !self.is_clustered(*index)) {
            let keys = self.sampled_keys(index, rows, task)?;
            self.keys.set(index, keys);
        }
        Ok(())
    }

    fn sampled_keys(&self, index: usize, rows: u64, task: &Task) -> ColdResult<u64> {
        let tree = self.trees[index];
        let (mut key, mut last) = (Vec::new(), Vec::new());
        let mut leaf = None;
        let (mut seen, mut neighbours, mut differ) = (0_u64, 0_u64, 0_u64);
        let mut is_malformed = false;
        tree.sample(&*self.store, task, LEAVES, |number, entry| {
            key.clear();
            entry.key.append_to(&mut key);
            let Some(found) = parse(&key, entry.stamp, entry.value, false) else {
                is_malformed = true;
                return;
            };
            let is_new = seen == 0 || *found.s != *last;
            seen += u64::from(is_new);
            if leaf == Some(number) {
                neighbours += 1;
                differ += u64::from(is_new);
            }
            leaf = Some(number);
            last.clear();
            last.extend_from_slice(found.s);
        })?;
        if is_malformed {
            return Err(damaged(tree, "an entry of a secondary index makes no sense"));
        }
        let in_all = u128::from(rows) * u128::from(differ) / u128::from(neighbours.max(1));
        Ok(seen.max(u64::try_from(in_all).unwrap_or(u64::MAX)))
    }
}
