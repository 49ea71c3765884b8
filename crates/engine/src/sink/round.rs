//! A round: from memory to the trees, and out of memory.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use base::ids::{Lsn, StorageId};

use super::{Core, SinkError, State};
use crate::cold::table::{ColdTable, RowChange};
use crate::hot::anchor::AnchorPtr;
use crate::hot::key::KeyBuf;
use crate::hot::sink_queue::Sinking;
use crate::hot::table::{Descent, Left, Table};
use crate::hot::visibility::Snapshot;
use crate::log::record::RECORD_HEADER;
use crate::txn::Manager;
use crate::wait::Task;

/// Rows looked at under one epoch guard.
const ROWS_PER_GUARD: usize = 256;

/// The horizon, registered as a snapshot for the time of a round.
struct Hold<'m> {
    manager: &'m Manager,
    shard: usize,
    slot: u32,
    horizon: Lsn,
}

impl<'m> Hold<'m> {
    fn take(manager: &'m Manager, shard: usize, owner: u64) -> Result<Hold<'m>, SinkError> {
        let slot = manager.slots.acquire(shard, owner).ok_or(SinkError::InTheWay)?;
        let durable = manager.log().durable();
        let horizon = manager.horizon.hold(&manager.slots, manager.slots.get(slot), durable);
        Ok(Hold { manager, shard, slot, horizon })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::committed_below(self.horizon)
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.manager.slots.release(self.shard, self.slot);
    }
}

/// A table whose gate is held shared.
struct Inside<'a> {
    manager: &'a Manager,
    table: &'a Table,
    shard: usize,
}

impl<'a> Inside<'a> {
    /// Nothing if somebody is about to change the table.
    fn enter(
        manager: &'a Manager,
        table: &'a Table,
        shard: usize,
        owner: u64,
    ) -> Option<Inside<'a>> {
        table.gate().try_enter(shard, owner).ok()?;
        Some(Inside { manager, table, shard })
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        if self.table.gate().leave(self.shard) {
            self.manager.graph.left(self.table.pointer().address());
        }
    }
}

/// Rows of a table on their way down.
#[derive(Default)]
struct Going<'r> {
    keys: Vec<u8>,
    rows: Vec<GoingRow<'r>>,
}

struct GoingRow<'r> {
    key: Range<usize>,
    anchor: AnchorPtr,
    descent: Descent<'r>,
}

impl<'r> Going<'r> {
    /// What is to change in the trees, by key. Of the anchors with a key one at most has a row: the others
    /// are rows that had the key before.
    fn changes<'g>(&'g mut self) -> Vec<RowChange<'g>>
    where
        'r: 'g,
    {
        let (keys, rows) = (&self.keys, &mut self.rows);
        let live = |row: &GoingRow<'_>| !matches!(row.descent, Descent::Deleted);
        rows.sort_unstable_by(|a, b| {
            keys[a.key.clone()].cmp(&keys[b.key.clone()]).then(live(b).cmp(&live(a)))
        });
        let mut changes: Vec<RowChange<'g>> = Vec::with_capacity(rows.len());
        let mut last: Option<&[u8]> = None;
        let rows: &'g [GoingRow<'r>] = rows;
        for row in rows {
            let p = &keys[row.key.clone()];
            if last.replace(p) == Some(p) {
                continue;
            }
            match row.descent {
                Descent::Row(bytes) => changes.push(RowChange { p, row: Some(bytes) }),
                Descent::Deleted => changes.push(RowChange { p, row: None }),
                Descent::Unchanged => {}
            }
        }
        changes
    }
}

impl Core {
    /// Takes down what can be. Returns whether there was anything.
    pub fn round(&self, task: &Task) -> Result<bool, SinkError> {
        self.round_as(task, self.owner.id().0)
    }

    /// The same for somebody who waits for it, and may have closed gates.
    pub(super) fn round_as(&self, task: &Task, owner: u64) -> Result<bool, SinkError> {
        let mut state = self.lock();
        let result = self.run(task, &mut state, owner);
        state.round_ns = task.now_ns();
        match &result {
            Ok(true) => drop(self.counters.rounds.fetch_add(1, Relaxed)),
            Ok(false) => {}
            Err(_) => drop(self.counters.failures.fetch_add(1, Relaxed)),
        }
        result
    }

    fn run(&self, task: &Task, state: &mut State, owner: u64) -> Result<bool, SinkError> {
        self.drop_trees(task, state)?;
        let ready = self.ready(task, state);
        if state.cold.is_none() && ready.is_empty() {
            return Ok(false);
        }
        let manager = &*self.manager;
        let hold = Hold::take(manager, task.worker().index(), self.owner.id().0)?;
        let mut due: BTreeMap<StorageId, Vec<Sinking>> =
            ready.iter().map(|storage| (*storage, Vec::new())).collect();
        // Everything below the horizon of a complete round was there then (S5).
        let more = !state.complete || hold.horizon > state.through;
        let taken = more.then(|| manager.sinking.take_below(hold.horizon));
        for row in state.left.drain(..).chain(taken.into_iter().flatten()) {
            // A table's first round goes through all of it. Until it is ready, what is queued may be the
            // reclaimer's.
            if !state.begun.contains_key(&row.storage) {
                due.entry(row.storage).or_default().push(row);
            }
        }
        let mut failed = None;
        let mut complete = true;
        let found = !due.is_empty();
        for (storage, rows) in due {
            if failed.is_none() && self.closing.load(Acquire) {
                failed = Some(SinkError::Closed); // pairs with Sinker::stop
            }
            let sunk = match failed {
                None => self.sink_table(task, state, &hold, (storage, owner), &rows),
                Some(_) => Ok(false),
            };
            match sunk {
                Ok(true) => {}
                Ok(false) => {
                    state.left.extend(rows);
                    complete = false;
                }
                Err(error) => {
                    state.left.extend(rows);
                    complete = false;
                    failed = Some(error);
                }
            }
        }
        if complete {
            state.through = state.through.max(hold.horizon);
        }
        state.complete = complete;
        drop(hold);
        if found {
            // What has left memory is free when a snapshot of now is an old one: so the log moves on. If it
            // is full, whoever makes room for it moves it on, too.
            if let Ok(space) = manager.log().reserve_waiting(task, RECORD_HEADER) {
                space.publish_filler();
            }
        }
        failed.map_or(Ok(found), Err)
    }

    /// The tables that have begun to sink, are in memory as a whole and that all commits have noticed by now.
    fn ready(&self, task: &Task, state: &State) -> Vec<StorageId> {
        let (manager, worker) = (&*self.manager, task.worker());
        let noticed = |bound: Lsn| {
            let world = (&manager.horizon, &manager.slots, manager.log().durable());
            manager.reclaimer.settle(worker.index(), &worker.pin(), bound, world)
        };
        let is_loaded = |storage| manager.tables().get(storage).is_none_or(|t| t.is_loaded());
        let begun = state.begun.iter();
        let begun = begun.filter(|(storage, bound)| is_loaded(**storage) && noticed(**bound));
        begun.map(|(storage, _)| *storage).collect()
    }

    /// Takes rows of one table down; all of it, if it has no trees yet. Then rows stay in memory as well
    /// until everybody who may be going through the table without having heard of the trees is done. `false` if somebody is about to
    /// change the table: later.
    fn sink_table(
        &self,
        task: &Task,
        state: &mut State,
        hold: &Hold<'_>,
        (storage, owner): (StorageId, u64),
        rows: &[Sinking],
    ) -> Result<bool, SinkError> {
        let Some(table) = self.manager.tables().get(storage) else {
            state.begun.remove(&storage);
            return Ok(true); // its rows go with it
        };
        let shard = task.worker().index();
        let Some(inside) = Inside::enter(&self.manager, &table, shard, owner) else {
            return Ok(false);
        };
        if table.gate().is_retired() {
            return Ok(true);
        }
        let is_first = table.cold().is_none();
        let mut anchors: Vec<AnchorPtr> = rows.iter().map(|row| row.anchor).collect();
        if is_first {
            self.walk(task, &table, hold, &mut anchors);
        }
        anchors.sort_unstable_by_key(|anchor| anchor.address());
        anchors.dedup();
        let mut going = self.gather(task, &table, hold, &anchors);
        let cold = match table.cold() {
            Some(cold) => cold.clone(),
            None => self.trees_of(task, state, &table)?,
        };
        cold.apply(task, &going.changes(), &*table)?;
        if is_first {
            // Pairs with who looks for trees behind memory: it is there before a row is not.
            table.set_cold(cold);
            state.begun.remove(&storage);
            state.hearing.insert(storage, self.manager.log().tail());
        }
        if state.hearing.get(&storage).is_some_and(|bound| hold.horizon <= *bound) {
            let (stamp, rows) = (hold.horizon, going.rows.iter());
            state.left.extend(rows.map(|row| Sinking { storage, anchor: row.anchor, stamp }));
            return Ok(true);
        }
        state.hearing.remove(&storage);
        self.take_down(task, state, &inside, hold, &going);
        Ok(true)
    }

    /// The trees of a table that has none, or of which an attempt has been left.
    fn trees_of(
        &self,
        task: &Task,
        state: &mut State,
        table: &Table,
    ) -> Result<Arc<ColdTable>, SinkError> {
        let cold = self.cold(task, state)?;
        let storage = table.storage().0;
        match cold.get(storage) {
            Some(trees) => Ok(trees),
            None => Ok(cold.add(task, storage, table.links(), table.log_index())?),
        }
    }

    /// All rows that the horizon sees something of.
    fn walk(&self, task: &Task, table: &Table, hold: &Hold<'_>, anchors: &mut Vec<AnchorPtr>) {
        let mut walk = table.walk_of_all();
        let (snapshot, slots) = (hold.snapshot(), &self.manager.slots);
        while !walk.is_done() {
            let guard = task.worker().pin();
            let found = |anchor| anchors.push(anchor);
            table.walk_settled(&guard, &mut walk, (&snapshot, slots), ROWS_PER_GUARD, found);
        }
    }

    fn gather<'r>(
        &self,
        task: &Task,
        table: &'r Table,
        hold: &'r Hold<'_>,
        anchors: &[AnchorPtr],
    ) -> Going<'r> {
        let (mut going, mut key) = (Going::default(), KeyBuf::default());
        let (snapshot, slots) = (hold.snapshot(), &self.manager.slots);
        going.rows.reserve_exact(anchors.len());
        for some in anchors.chunks(ROWS_PER_GUARD) {
            let _guard = task.worker().pin();
            for &anchor in some {
                // SAFETY: rounds run one at a time, the hold lives for `'r`, and the anchors were queued or
                // are ones that the horizon sees something of, which nobody else frees (S4).
                let descent = unsafe { table.descent(anchor, &snapshot, slots, &mut key) };
                let Some(descent) = descent else { continue };
                let start = going.keys.len();
                going.keys.extend_from_slice(&key);
                going.rows.push(GoingRow { key: start..going.keys.len(), anchor, descent });
            }
        }
        going
    }

    /// Takes what is in the trees out of memory: of a key first the rows that had it before, then the one
    /// that has it. Whoever looks for the key goes from the newest to the older ones, so that if he finds
    /// the newest sunk he does not take a deletion before it for the last word.
    fn take_down(
        &self,
        task: &Task,
        state: &mut State,
        inside: &Inside<'_>,
        hold: &Hold<'_>,
        going: &Going<'_>,
    ) {
        let (manager, table) = (&*self.manager, inside.table);
        let (mut sunk, mut garbage) = (0, Vec::new());
        // `changes` has put those that have a key before those that had it.
        for some in going.rows.rchunks(ROWS_PER_GUARD) {
            let worker = task.worker();
            let guard = worker.pin();
            for row in some.iter().rev() {
                let (anchor, slots) = (row.anchor, &manager.slots);
                // SAFETY: as in `gather`, which has given something for it; each anchor is there once.
                match unsafe { table.take_down(&guard, anchor, hold.horizon, slots, &mut garbage) }
                {
                    Left::Sunk => sunk += 1,
                    Left::Committed => {}
                    Left::Owned => {
                        let (storage, stamp) = (table.storage(), hold.horizon);
                        state.left.push(Sinking { storage, anchor, stamp });
                    }
                }
            }
            if !garbage.is_empty() {
                // Whoever still knows the anchors has a snapshot that is no newer than this.
                let stamp = manager.log().committed();
                let world = (&manager.horizon, &manager.slots, || manager.log().durable());
                manager.reclaimer.enqueue(worker.index(), &guard, stamp, &mut garbage, world);
                garbage.clear();
            }
        }
        self.counters.rows.fetch_add(sunk, Relaxed);
    }

    /// Drops the trees of tables that are gone for good.
    fn drop_trees(&self, task: &Task, state: &mut State) -> Result<(), SinkError> {
        let Some(cold) = state.cold.clone() else { return Ok(()) };
        cold.remove_abandoned(task)?;
        let (tables, log) = (self.manager.tables(), self.manager.log());
        let ready = cold.all().into_iter().map(|trees| trees.storage());
        for storage in ready.chain(cold.building()) {
            if tables.get(StorageId(storage)).is_none() {
                // Whatever dropped it took its stamp before it was found gone.
                let gone = *state.dropped.entry(storage).or_insert_with(|| log.tail());
                if gone <= log.durable() {
                    cold.remove(task, storage)?;
                    state.dropped.remove(&storage);
                }
            }
        }
        Ok(())
    }
}
