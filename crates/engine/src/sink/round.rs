//! A round: from memory to the trees.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed};

use base::ids::{Lsn, StorageId};

use super::leave::{Leaving, drop_known};
use super::{DurableEnd, SinkCore, SinkError, State};
use crate::cold::table::{ColdTable, HeldKey, PastRow, RowChange};
use crate::critical::{self, Section};
use crate::hot::anchor::AnchorPtr;
use crate::hot::key::KeyBuf;
use crate::hot::sink_queue::Sinking;
use crate::hot::status::Holding;
use crate::hot::table::{DiskTable, SinkAction, Table};
use crate::hot::visibility::{self, Past, Snapshot};
use crate::log::record::RECORD_HEADER;
use crate::txn::Manager;
use crate::wait::Task;

/// Rows looked at under one epoch guard.
pub(super) const ROWS_PER_GUARD: usize = 256;

/// What the round has found of the snapshots in use. The oldest is registered as the round's own
/// meanwhile, so that what it sees, and all that is newer, stays.
pub(super) struct Hold<'m> {
    manager: &'m Manager,
    shard: usize,
    slot: u32,
    /// What was found.
    pub found: Holding,
}

impl<'m> Hold<'m> {
    fn take(
        manager: &'m Manager,
        shard: usize,
        owner: u64,
        old_below: Lsn,
    ) -> Result<Hold<'m>, SinkError> {
        let slot = manager.slots.acquire(shard, owner).ok_or(SinkError::InTheWay)?;
        let durable = manager.log().durable();
        let (slots, own) = (&manager.slots, manager.slots.get(slot));
        let found = manager.horizon.hold(slots, own, durable, old_below);
        Ok(Hold { manager, shard, slot, found })
    }

    /// The horizon as a snapshot.
    fn snapshot(&self) -> Snapshot<'_> {
        Snapshot::committed_below(self.found.through)
    }

    /// The oldest snapshot, if it lies below the horizon.
    pub fn oldest(&self) -> Option<Lsn> {
        (!self.found.old.is_empty()).then_some(self.found.bounds.safe)
    }

    /// Whether an old snapshot sees what was there between these commits.
    fn is_seen(&self, begin: Lsn, end: Lsn) -> bool {
        let old = &self.found.old;
        old.get(old.partition_point(|s| *s <= begin)).is_some_and(|s| *s <= end)
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.manager.slots.release(self.shard, self.slot);
    }
}

/// A table whose gate is held shared.
pub(super) struct Inside<'a> {
    manager: &'a Manager,
    pub table: &'a Table,
    shard: usize,
}

impl<'a> Inside<'a> {
    /// Enters the gate; `None` if another transaction is about to change the table.
    pub fn enter(
        manager: &'a Manager,
        table: &'a Table,
        shard: usize,
        owner: u64,
    ) -> Option<Inside<'a>> {
        manager.enter_gate(table, shard, owner).ok()?;
        Some(Inside { manager, table, shard })
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.manager.leave_gate(self.table, self.shard);
    }
}

/// Rows of a table on their way down.
#[derive(Default)]
struct Going<'r> {
    keys: Vec<u8>,
    rows: Vec<GoingRow<'r>>,
    /// What they replaced that old snapshots see.
    past: Vec<PastRow>,
}

struct GoingRow<'r> {
    key: Range<usize>,
    anchor: AnchorPtr,
    sink_action: SinkAction<'r>,
    /// When it became so; 0 if every snapshot sees it.
    stamp: Lsn,
}

impl<'r> Going<'r> {
    /// Sorts by key. Of the anchors with a key at most one has a live row; the others are dead rows
    /// that had the key before. The live row comes first, then the dead ones, newest first.
    fn sort(&mut self) {
        let keys = &self.keys;
        let live = |row: &GoingRow<'_>| !matches!(row.sink_action, SinkAction::Deleted);
        self.rows.sort_unstable_by(|a, b| {
            let by_key = keys[a.key.clone()].cmp(&keys[b.key.clone()]);
            by_key.then(live(b).cmp(&live(a))).then(b.stamp.cmp(&a.stamp))
        });
    }

    /// What is to change in the trees, by key.
    fn changes<'g>(&'g self) -> Vec<RowChange<'g>>
    where
        'r: 'g,
    {
        let mut changes: Vec<RowChange<'g>> = Vec::with_capacity(self.rows.len());
        let mut last: Option<&[u8]> = None;
        for row in &self.rows {
            let p = &self.keys[row.key.clone()];
            if last.replace(p) == Some(p) {
                continue;
            }
            let bytes = match row.sink_action {
                SinkAction::Row(bytes) => Some(bytes),
                SinkAction::Deleted => None,
                SinkAction::Unchanged => continue,
            };
            changes.push(RowChange { p, row: bytes, stamp: row.stamp, held: None });
        }
        changes
    }

    /// The anchors in the order in which they leave: of a key first the rows that had it before,
    /// then the one that has it. A reader that looks for the key goes from the newest anchor to the
    /// older ones. So a reader that finds the newest anchor sunk does not take an older deletion
    /// for the current state.
    fn leaving(&self) -> Vec<AnchorPtr> {
        self.rows.iter().rev().map(|row| row.anchor).collect()
    }
}

impl SinkCore {
    /// Sinks the rows that can sink. Returns whether there were any.
    pub fn round(&self, task: &Task) -> Result<bool, SinkError> {
        self.round_as(task, self.owner.id().0)
    }

    /// As `round`, for an owner that waits for the round and may have closed gates.
    pub(super) fn round_as(&self, task: &Task, owner: u64) -> Result<bool, SinkError> {
        critical::section(Section::Sink, || self.round_once(task, owner))
    }

    fn round_once(&self, task: &Task, owner: u64) -> Result<bool, SinkError> {
        let mut state = self.lock();
        let begin_ns = task.now_ns();
        state.passed = 0;
        self.take_passed();
        let result = self.run(task, &mut state, owner);
        state.round_ns = task.now_ns();
        // After a round without effect scans ask for none.
        state.round_took_ns = match &result {
            Ok(true) => state.round_ns.saturating_sub(begin_ns),
            _ => u64::MAX,
        };
        self.tell(&state);
        match &result {
            Ok(true) => drop(self.counters.rounds.fetch_add(1, Relaxed)),
            Ok(false) => {}
            Err(_) => drop(self.counters.failures.fetch_add(1, Relaxed)),
        }
        result
    }

    fn run(&self, task: &Task, state: &mut State, owner: u64) -> Result<bool, SinkError> {
        self.drop_trees(task, state)?;
        if self.cold.get().is_none() && state.begun.is_empty() {
            return Ok(false);
        }
        let manager = &*self.manager;
        let old_below = self.old_below(task, state);
        let hold = Hold::take(manager, task.worker().index(), self.owner.id().0, old_below)?;
        self.free_released(task, state, &hold);
        let ready = self.ready(task, state, &hold);
        let mut due: BTreeMap<StorageId, Vec<Sinking>> =
            ready.iter().map(|storage| (*storage, Vec::new())).collect();
        // Everything that commits below the horizon of a complete round have queued was there then
        // (S5); but not what has been brought back, which is to be known before anything leaves
        // memory below.
        let through = hold.found.through;
        let taken = manager.sinking.take_below(through);
        for row in state.left.drain(..).chain(taken) {
            // A table's first round goes through all of it. Until it is ready, what is queued may
            // be the reclaimer's.
            if !state.begun.contains_key(&row.storage) {
                due.entry(row.storage).or_default().push(row);
            }
        }
        let mut failed = None;
        let mut complete = true;
        let found = !due.is_empty();
        for (storage, mut rows) in due {
            drop_known(state.leaving.get(&storage), &mut rows);
            if failed.is_none() && self.closing.load(Acquire) {
                failed = Some(SinkError::Closed); // pairs with Sinker::stop
            }
            let sunk = match failed {
                None => self.sink_table(task, state, &hold, storage, owner, &rows),
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
            state.through = state.through.max(through);
        }
        state.complete = complete;
        if failed.is_none() {
            failed = self.forget_history(task, hold.found.bounds.safe).err();
        }
        let found = self.take_down(task, state, &hold, owner) || found;
        drop(hold);
        if found || manager.sinking.awaits(manager.log().tail()) {
            // What has left memory is freed once every active statement has begun later, and rows
            // that a transaction has brought back and not changed are due then: so the log moves
            // on. If it is full, making room for it moves it on, too.
            if let Ok(space) = manager.log().reserve_waiting(task, RECORD_HEADER) {
                space.publish_filler();
            }
        }
        failed.map_or(Ok(found), Err)
    }

    /// Snapshots below this do not hold rows back: they have been there for long enough.
    fn old_below(&self, task: &Task, state: &mut State) -> Lsn {
        let (now, durable) = (task.now_ns(), self.manager.log().durable());
        let patience = self.options.patience_ns;
        if state.ends.back().is_none_or(|last| now.saturating_sub(last.at_ns) >= patience / 8) {
            state.ends.push_back(DurableEnd { at_ns: now, end: durable });
        }
        let is_past = |end: &DurableEnd| now.saturating_sub(end.at_ns) >= patience;
        while state.ends.get(1).is_some_and(is_past) {
            state.ends.pop_front();
        }
        state.ends.front().filter(|end| is_past(end)).map_or(Lsn::ZERO, |last| last.end)
    }

    /// The tables that have begun to sink, are in memory as a whole and that all commits have
    /// noticed by now. Nothing else frees their rows from here on.
    fn ready(&self, task: &Task, state: &State, hold: &Hold<'_>) -> Vec<StorageId> {
        let (manager, worker) = (&*self.manager, task.worker());
        let is_ready = |storage: &StorageId, bound: Lsn| {
            let Some(table) = manager.tables().get(*storage) else { return true };
            if !table.is_loaded() {
                return false;
            }
            let guard = worker.pin();
            let (horizon, slots, durable) =
                (&manager.horizon, &manager.slots, manager.log().durable());
            if manager.reclaimer.settle(worker.index(), &guard, bound, horizon, slots, durable) {
                return true;
            }
            // An old snapshot keeps what they have left behind; but they are over, and the horizon
            // sees it.
            let noticed = hold.found.bounds.oldest_statement > bound && hold.found.through >= bound;
            if noticed {
                manager.reclaimer.hand_over(table.pointer());
            }
            noticed
        };
        let begun = state.begun.iter().filter(|(storage, bound)| is_ready(storage, **bound));
        begun.map(|(storage, _)| *storage).collect()
    }

    /// Writes to the trees what the horizon sees of rows of one table; of all, if it has no trees
    /// yet. `false` if another transaction is about to change the table: later.
    fn sink_table(
        &self,
        task: &Task,
        state: &mut State,
        hold: &Hold<'_>,
        storage: StorageId,
        owner: u64,
        rows: &[Sinking],
    ) -> Result<bool, SinkError> {
        let Some(table) = self.manager.tables().get(storage) else {
            state.begun.remove(&storage);
            return Ok(true); // its rows go with it
        };
        let shard = task.worker().index();
        let Some(_inside) = Inside::enter(&self.manager, &table, shard, owner) else {
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
        // What was replaced below the horizon of a complete round was noted then.
        let noted = if is_first || !state.complete { Lsn::ZERO } else { state.through };
        let going = self.gather(task, &table, hold, &anchors, noted);
        let trees = match table.cold() {
            Some(cold) => cold.clone(),
            None => self.trees_of(task, state, &table)?,
        };
        self.write(task, state, DiskTable { table: &table, cold: &trees }, &going)?;
        let mut due = hold.found.through;
        if is_first {
            // Pairs with readers, which look for trees after memory: these are there before a row
            // is gone from memory.
            table.set_cold(trees);
            state.begun.remove(&storage);
            // Statements that may be going through the table without knowing of the trees are over
            // then.
            due = Lsn(self.manager.log().tail().0 + 1);
        }
        let (through, anchors) = (hold.found.through, going.leaving());
        state.leaving.entry(storage).or_default().push_back(Leaving { due, through, anchors });
        Ok(true)
    }

    fn write(
        &self,
        task: &Task,
        state: &mut State,
        disk: DiskTable<'_>,
        going: &Going<'_>,
    ) -> Result<(), SinkError> {
        let cold = self.cold(task, state)?;
        if !going.past.is_empty() {
            cold.note_history(task, &going.past)?;
        }
        let mut changes = going.changes();
        if cold.history().rows() == 0 {
            return Ok(disk.cold.apply(task, &changes, disk.table)?);
        }
        let held = changes.iter().map(|change| self.held_keys(task, &cold, disk, change.p));
        let held: Vec<Option<Vec<HeldKey>>> = held.collect::<Result<_, _>>()?;
        for (change, held) in changes.iter_mut().zip(&held) {
            change.held = held.as_deref();
        }
        Ok(disk.cold.apply(task, &changes, disk.table)?)
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
            table.walk_settled(&guard, &mut walk, &snapshot, slots, ROWS_PER_GUARD, found);
        }
    }

    fn gather<'r>(
        &self,
        task: &Task,
        table: &'r Table,
        hold: &'r Hold<'_>,
        anchors: &[AnchorPtr],
        noted: Lsn,
    ) -> Going<'r> {
        let (mut going, mut key) = (Going::default(), KeyBuf::default());
        let (snapshot, slots, oldest) = (hold.snapshot(), &self.manager.slots, hold.oldest());
        going.rows.reserve_exact(anchors.len());
        for some in anchors.chunks(ROWS_PER_GUARD) {
            let _guard = task.worker().pin();
            for &anchor in some {
                // SAFETY: rounds run one at a time, the hold lives for `'r`, and the anchors were
                // queued or are ones that the horizon sees something of, which nothing else frees
                // (S4).
                let sink_action = unsafe { table.sink_action(anchor, &snapshot, slots, &mut key) };
                let Some(sink_action) = sink_action else { continue };
                let mut stamp = Lsn::ZERO;
                if let Some(oldest) = oldest {
                    let (links, through) = (table.links(), snapshot.stamp);
                    // SAFETY: as above.
                    let known = unsafe { visibility::known(anchor, links, slots, through, oldest) };
                    stamp = known.stamp.filter(|stamp| *stamp >= oldest).unwrap_or_default();
                    let is_missed = |past: &&Past| {
                        !past.is_tombstone
                            && past.end >= noted
                            && hold.is_seen(past.begin, past.end)
                    };
                    going.past.extend(known.past.iter().filter(is_missed).map(|past| PastRow {
                        storage: table.storage().0,
                        p: key.to_vec(),
                        begin: past.begin,
                        end: past.end,
                        // SAFETY: as above; it is not a deletion.
                        row: unsafe { table.row(past.version) }.to_vec(),
                    }));
                }
                let start = going.keys.len();
                going.keys.extend_from_slice(&key);
                going.rows.push(GoingRow {
                    key: start..going.keys.len(),
                    anchor,
                    sink_action,
                    stamp,
                });
            }
        }
        going.sort();
        going
    }
}
