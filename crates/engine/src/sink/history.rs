//! What the history has of rows: where it is needed, and when it can be dropped.

use base::ids::{Lsn, StorageId};

use super::{SinkCore, SinkError};
use crate::cold::table::{ColdTables, Forgotten, HeldKey, PastRow, RowKeys};
use crate::hot::table::DiskTable;
use crate::wait::Task;

/// Versions that are forgotten at a time, about ...
const FORGET_STEP: usize = 2048;
/// ... and how often in one round.
const FORGET_STEPS: usize = 64;

impl SinkCore {
    /// The keys under which a row has to be found in other indexes than the clustered one, since
    /// the history has something of it; nothing if it has not.
    pub(super) fn held_keys(
        &self,
        task: &Task,
        cold: &ColdTables,
        disk: DiskTable<'_>,
        p: &[u8],
    ) -> Result<Option<Vec<HeldKey>>, SinkError> {
        let versions = cold.history().versions(task, disk.cold.storage(), p)?;
        if versions.is_empty() {
            return Ok(None);
        }
        let mut keys = Vec::new();
        versions.iter().for_each(|past| add_keys(disk, &past.row, &mut keys));
        Ok(Some(keys))
    }

    /// Takes out of the history, and out of the trees, what no snapshot sees any more.
    pub(super) fn forget_history(&self, task: &Task, safe: Lsn) -> Result<(), SinkError> {
        let Some(cold) = self.cold.get() else { return Ok(()) };
        for _ in 0..FORGET_STEPS {
            let ended = cold.history().ended_below(task, safe, FORGET_STEP)?;
            if ended.is_empty() {
                break;
            }
            for of_table in ended.chunk_by(|a, b| a.storage == b.storage) {
                let storage = of_table[0].storage;
                let table = self.manager.tables().get(StorageId(storage));
                if let (Some(table), Some(trees)) = (table, cold.get(storage)) {
                    let rows = of_table.chunk_by(|a, b| a.p == b.p);
                    let disk = DiskTable { table: &table, cold: &trees };
                    let forgotten = rows.map(|past| forgotten(task, cold, disk, past, safe));
                    trees.forget(task, forgotten.collect::<Result<_, _>>()?)?;
                }
            }
            // Last: what fails before is done again.
            cold.history().forget(task, &ended)?;
        }
        Ok(())
    }
}

/// What the trees of its table need not have any more when these versions of a row are gone.
fn forgotten(
    task: &Task,
    cold: &ColdTables,
    disk: DiskTable<'_>,
    ended: &[PastRow],
    safe: Lsn,
) -> Result<Forgotten, SinkError> {
    let (p, mut row) = (&ended[0].p, Vec::new());
    let mut others = cold.history().versions(task, disk.cold.storage(), p)?;
    others.retain(|past| past.end >= safe || !ended.iter().any(|gone| gone.begin == past.begin));
    let newest = disk.cold.find_newest(task, p, &mut row)?;
    let is_gone = newest.is_some_and(|newest| newest.is_gone);
    let (mut keys, mut kept) = (Vec::new(), Vec::new());
    ended.iter().for_each(|past| add_keys(disk, &past.row, &mut keys));
    others.iter().for_each(|past| add_keys(disk, &past.row, &mut kept));
    if newest.is_some() && !is_gone {
        add_keys(disk, &row, &mut kept);
    }
    keys.retain(|key| !kept.contains(key));
    Ok(Forgotten { p: p.clone(), stub: is_gone && others.is_empty(), keys })
}

/// Adds the keys of a row in the other indexes than the clustered one.
fn add_keys(disk: DiskTable<'_>, row: &[u8], keys: &mut Vec<HeldKey>) {
    let DiskTable { table, cold: trees } = disk;
    for index in (0..trees.trees()).filter(|index| !trees.is_clustered(*index)) {
        let mut s = Vec::new();
        if table.append_key(index, row, &mut s) {
            let key = HeldKey { index, s };
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
}
