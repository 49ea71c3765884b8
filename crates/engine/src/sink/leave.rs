//! Takes rows that the trees have out of memory, once no statement needs them there.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::Ordering::Relaxed;

use base::ids::{Lsn, StorageId};

use super::round::{Hold, Inside, ROWS_PER_GUARD};
use super::{SinkCore, State};
use crate::hot::anchor::AnchorPtr;
use crate::hot::sink_queue::Sinking;
use crate::hot::table::{EvictResult, Table};
use crate::wait::Task;

/// Rows of a table that one round has written to the trees.
pub(super) struct Leaving {
    /// They can leave once every active statement has begun here or later: what has changed since a
    /// statement began it finds in memory.
    pub due: Lsn,
    /// The horizon of the round: what is newer is not in the trees.
    pub through: Lsn,
    /// The rows, in the order in which they leave. A round before may have some of them, too; those
    /// have been committed to since, and it leaves them to this one.
    pub anchors: Vec<AnchorPtr>,
}

impl SinkCore {
    /// Takes down what can leave memory, for an owner that may have closed gates. Returns whether
    /// there was anything.
    pub(super) fn take_down(
        &self,
        task: &Task,
        state: &mut State,
        hold: &Hold<'_>,
        owner: u64,
    ) -> bool {
        let mut found = false;
        let oldest_statement = hold.found.bounds.oldest_statement;
        let is_due =
            |leaving: Option<&Leaving>| leaving.is_some_and(|it| it.due <= oldest_statement);
        let tables = state.leaving.iter().filter(|(_, rows)| is_due(rows.front()));
        let tables: Vec<StorageId> = tables.map(|(storage, _)| *storage).collect();
        for storage in tables {
            let table = self.manager.tables().get(storage).filter(|t| !t.gate().is_retired());
            let Some(table) = table else {
                state.leaving.remove(&storage); // its rows go with it
                continue;
            };
            let shard = task.worker().index();
            let Some(inside) = Inside::enter(&self.manager, &table, shard, owner) else { continue };
            // In the order of rounds: so a row that a later one has written again is left by the
            // earlier.
            while is_due(state.leaving.get(&storage).and_then(|rows| rows.front())) {
                let rows = state.leaving.get_mut(&storage).and_then(|rows| rows.pop_front());
                let rows = rows.expect("it is due");
                self.take_rows_down(task, state, inside.table, hold, &rows);
                found = true;
            }
            if state.leaving.get(&storage).is_some_and(|rows| rows.is_empty()) {
                state.leaving.remove(&storage);
            }
        }
        found
    }

    fn take_rows_down(
        &self,
        task: &Task,
        state: &mut State,
        table: &Table,
        hold: &Hold<'_>,
        rows: &Leaving,
    ) {
        let (manager, mut gone, mut garbage) = (&*self.manager, 0, Vec::new());
        let shard = task.worker().index();
        let oldest = hold.oldest();
        for some in rows.anchors.chunks(ROWS_PER_GUARD) {
            let guard = task.worker().pin();
            for &anchor in some {
                // SAFETY: the round that wrote it to the trees had something for it, and nothing
                // else frees it (S4); each anchor is there once, and it is due.
                let left = unsafe {
                    let (through, slots) = (rows.through, &manager.slots);
                    table.evict_row((shard, &guard), anchor, through, oldest, slots, &mut garbage)
                };
                match left {
                    EvictResult::Sunk => gone += 1,
                    EvictResult::Committed => {}
                    EvictResult::Owned => {
                        let (storage, stamp) = (table.storage(), rows.through);
                        state.left.push(Sinking { storage, anchor, stamp });
                    }
                }
            }
            drop(guard);
            if let Some(cached) = table.cold().and_then(|cold| cold.row_cache()) {
                cached.grow_if_due(&mut task.worker().pin());
            }
            if !garbage.is_empty() {
                // Statements that still know the anchors began no later than this.
                manager.reclaimer.enqueue_unlinked(manager.log().committed(), &mut garbage);
                garbage.clear();
            }
        }
        if oldest.is_some() {
            state.released = Some(manager.log().committed());
        }
        self.counters.rows.fetch_add(gone, Relaxed);
    }

    /// Frees the versions that were released, once no statement knows them any more.
    pub(super) fn free_released(&self, task: &Task, state: &mut State, hold: &Hold<'_>) {
        if state.released.is_some_and(|released| released < hold.found.bounds.oldest_statement) {
            state.released = None;
            let worker = task.worker();
            // SAFETY: as just asked.
            unsafe { self.manager.reclaimer.free_released(worker.index(), &worker.pin()) };
        }
    }
}

/// Drops entries that a round which waits here has written already: that round has all commits
/// below its horizon. A transaction that brings a row back queues its anchor when this is in all
/// indexes; by then another may have changed the row and moved it to another anchor. The old anchor
/// alone says that its row is gone, which would be taken for the last word about the key.
pub(super) fn drop_known(leaving: Option<&VecDeque<Leaving>>, rows: &mut Vec<Sinking>) {
    let Some(leaving) = leaving else { return };
    let newest = leaving.back().map_or(Lsn::ZERO, |last| last.through);
    let late = rows.iter().filter(|row| row.stamp < newest);
    let late: HashSet<u64> = late.map(|row| row.anchor.address()).collect();
    if late.is_empty() {
        return;
    }
    let mut through = HashMap::new();
    for round in leaving {
        let known = round.anchors.iter().filter(|anchor| late.contains(&anchor.address()));
        through.extend(known.map(|anchor| (anchor.address(), round.through)));
    }
    rows.retain(|row| through.get(&row.anchor.address()).is_none_or(|known| row.stamp >= *known));
}
