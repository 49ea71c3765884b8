//! Trees of tables that are gone.

use std::sync::atomic::Ordering::{Acquire, Release};

use base::ids::{Lsn, StorageId};

use super::{SinkCore, SinkError, State};
use crate::wait::Task;

impl SinkCore {
    /// Notes which tables with trees are gone by now.
    pub fn note_dropped(&self) {
        self.note_dropped_in(&mut self.lock());
    }

    /// Whether trees of tables that are gone wait for a checkpoint.
    pub fn has_dropped(&self) -> bool {
        let mut state = self.lock();
        self.note_dropped_in(&mut state);
        !state.dropped.is_empty()
    }

    /// A durable manifest has what all commits below this position did. Drops the trees that have
    /// waited for that, and writes a root that does without them.
    pub fn cover(&self, task: &Task, through: Lsn) -> Result<(), SinkError> {
        self.covered.fetch_max(through.0, Release); // pairs with drop_trees
        let _alone = self.writing.lock().expect("no panic while a root is written");
        {
            let mut state = self.lock();
            if state.dropped.is_empty() {
                return Ok(());
            }
            self.drop_trees(task, &mut state)?;
        }
        self.write_root(task)
    }

    /// Drops the trees of tables that are gone for good (S9).
    pub(super) fn drop_trees(&self, task: &Task, state: &mut State) -> Result<(), SinkError> {
        let Some(cold) = self.cold.get() else { return Ok(()) };
        cold.remove_abandoned(task)?;
        self.note_dropped_in(state);
        let covered = match self.is_volatile {
            true => self.manager.log().durable(),
            false => Lsn(self.covered.load(Acquire)), // pairs with cover
        };
        let over = state.dropped.iter().filter(|(_, gone)| **gone <= covered);
        let over: Vec<u64> = over.map(|(storage, _)| *storage).collect();
        for storage in over.into_iter().chain(self.unowned()) {
            cold.remove(task, storage)?;
            state.dropped.remove(&storage);
        }
        Ok(())
    }

    /// Notes which tables are gone by now of which a root may have the trees.
    fn note_dropped_in(&self, state: &mut State) {
        let Some(cold) = self.cold.get() else { return };
        let (tables, log) = (self.manager.tables(), self.manager.log());
        for trees in cold.all().into_iter().filter(|trees| trees.is_adopted()) {
            if tables.get(StorageId(trees.storage())).is_none() {
                // Whatever dropped it took its stamp before it was found gone.
                state.dropped.entry(trees.storage()).or_insert_with(|| log.tail());
            }
        }
    }

    /// Trees that were built for a transaction that did not commit: every root has them as
    /// unowned.
    fn unowned(&self) -> Vec<u64> {
        let Some(cold) = self.cold.get() else { return Vec::new() };
        let built = cold.all().into_iter().filter(|trees| !trees.is_adopted());
        let made = built.map(|trees| trees.storage()).chain(cold.building());
        made.filter(|storage| self.manager.tables().get(StorageId(*storage)).is_none()).collect()
    }
}
