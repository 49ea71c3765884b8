//! Rows that a transaction has loaded into a storage of its own, of which no root has the trees:
//! those are built.
//!
//! Recovery comes here only where the log is all there is, that is, after a restore. There may be
//! more rows than memory takes; so they are sorted by their keys, the last image of each counts,
//! and of those the trees are built as the transaction has built them.

use std::sync::Arc;

use base::ids::Lsn;

use super::RecoveryError;
use crate::cold::table::{BuildError, TableBuild};
use crate::hot::key::KeyBuf;
use crate::hot::table::Table;
use crate::sink::{ColdPlace, SinkError};
use crate::sort::Sorter;
use crate::wait::Task;

type Result<T> = std::result::Result<T, RecoveryError>;

/// What precedes the bytes of a row in a sort; nothing does if the row is gone.
const ROW: u8 = 1;

/// The rows of one storage that have been replayed so far.
pub(super) struct Loaded {
    table: Arc<Table>,
    /// By key, in the order in which they came.
    sorter: Sorter,
    value: Vec<u8>,
}

impl Loaded {
    /// Nothing yet.
    pub fn begin(task: &Task, table: &Arc<Table>, place: &ColdPlace) -> Loaded {
        Loaded { table: table.clone(), sorter: place.sorter(task, table), value: Vec::new() }
    }

    /// The row with this key is this one now, or gone.
    pub fn put(&mut self, key: &KeyBuf, row: Option<&[u8]>) -> Result<()> {
        self.value.clear();
        if let Some(row) = row {
            self.value.push(ROW);
            self.value.extend_from_slice(row);
        }
        self.sorter.push(key, &self.value);
        match self.sorter.is_full() {
            true => Ok(self.sorter.write_run().map_err(SinkError::from)?),
            false => Ok(()),
        }
    }

    /// Builds the trees, for the commit with this stamp.
    pub fn finish(self, task: &Task, place: &ColdPlace, stamp: Lsn) -> Result<()> {
        let Loaded { table, sorter, .. } = self;
        let mut build = place.build(task, &table)?;
        let failed = |error| match error {
            BuildError::Tree(error) => RecoveryError::Pages(error),
            BuildError::File(error) => SinkError::from(error).into(),
            BuildError::Duplicate { index, .. } => {
                RecoveryError::DuplicateKey { storage: table.storage(), index }
            }
            BuildError::TakenTwice => unreachable!("nothing is taken back"),
        };
        let mut sorted = sorter.finish().map_err(SinkError::from)?;
        let (mut last_key, mut last) = (Vec::new(), Vec::new());
        while let Some((key, value)) = sorted.next().map_err(SinkError::from)? {
            if key != last_key {
                push(&mut build, &last).map_err(failed)?;
                last_key.clear();
                last_key.extend_from_slice(key);
            }
            last.clear();
            last.extend_from_slice(value);
        }
        push(&mut build, &last).map_err(failed)?;
        while !build.fill_some(task).map_err(failed)? {
            drop(build.take_filled());
        }
        let trees = build.finish(task)?;
        let cold = place.found().expect("they were built there");
        cold.adopt(task, trees.storage())?;
        table.tally().add_rows(0, i64::try_from(trees.rows()).unwrap_or(i64::MAX));
        table.sinks_since().set(stamp);
        table.set_cold(trees);
        Ok(())
    }
}

/// Adds the row to those to build, if it is there.
fn push(build: &mut TableBuild, value: &[u8]) -> std::result::Result<(), BuildError> {
    let Some((_, row)) = value.split_first() else { return Ok(()) };
    build.push(row);
    match build.is_full() {
        true => build.make_room(),
        false => Ok(()),
    }
}
