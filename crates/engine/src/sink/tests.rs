//! Databases whose rows sink, in a simulated environment: what is in memory and in trees together
//! is what was committed, through rounds, checkpoints, dropped tables and crashes at any file
//! operation.

mod builds;
mod counts;
mod drops;
mod failures;
mod places;
mod threads;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::thread;
use std::time::Duration;

use base::ids::{DbId, StorageId};
use env::OpKind;
use env::sim::SplitMix;

use crate::checkpoint::Order;
use crate::cold::table::ColdResult;
use crate::cold::tree::{Chunk, Direction, Range};
use crate::database::Database;
use crate::hot::anchor::RowAt;
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction as IndexDirection;
use crate::hot::sink_queue::Sinking;
use crate::hot::status::Begin;
use crate::hot::table::Table;
use crate::hot::visibility::{Isolation, Snapshot, View};
use crate::recovery::tests::{DISK, Server, TestEnv, crash_seed_and_step, loaded, user_table};
use crate::txn::tests::{Row, bytes, key, values};
use crate::txn::{
    DatabaseSession, Durability, ReadAt, RowRef, Transaction, TxnError, TxnResult, Written,
};
use crate::wait::Task;

const MEMORY: u64 = 1;
pub(crate) const FIRST: u64 = DISK;

/// The rows by table and key, and which table stands for the second disk table.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    rows: BTreeMap<(u64, i64), Row>,
    second: u64,
}

impl State {
    fn new() -> State {
        State { rows: BTreeMap::new(), second: DISK + 1 }
    }

    fn of(&self, n: u64) -> BTreeMap<i64, Row> {
        let of = self.rows.iter().filter(|((table, _), _)| *table == n);
        of.map(|((_, id), row)| (*id, *row)).collect()
    }
}

pub(super) fn database(server: &Server) -> Arc<Database> {
    server.engine.database(DbId(5)).expect("it is open")
}

/// What memory says of a key of the index that names rows.
fn view(txn: &Transaction, task: &Task, table: &Table, snapshot: &Snapshot, id: i64) -> Decided {
    let manager = txn.session().manager();
    let range = ScanRange::Key(key(table, 0, id));
    let mut walk = table.walk_of(table.log_index(), &range, IndexDirection::Forward);
    let mut decided = Decided::Nothing;
    table.walk(&task.worker().pin(), table.log_index(), &mut walk, &mut |anchor| {
        // SAFETY: reached under the guard; the statement's snapshot is registered.
        match unsafe { snapshot.view(anchor, table.links(), &manager.slots) } {
            View::Row(version) => decided = Decided::Row(RowAt { anchor, version }),
            View::Deleted if decided == Decided::Nothing => decided = Decided::Deleted,
            View::Deleted | View::Nothing => {}
        }
        ControlFlow::Continue(())
    });
    decided
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Decided {
    Row(RowAt),
    Deleted,
    Nothing,
}

/// The row with this key, in memory: brought there if it is not.
pub(super) fn find<'s>(
    task: &Task,
    txn: &mut Transaction,
    table: &'s Table,
    snapshot: &Snapshot<'s>,
    id: i64,
) -> TxnResult<Option<RowRef<'s>>> {
    loop {
        match view(txn, task, table, snapshot, id) {
            // SAFETY: the row is one of the table's, and visible to the registered snapshot.
            Decided::Row(row) => return Ok(Some(unsafe { RowRef::new(table, row) })),
            Decided::Deleted => return Ok(None),
            Decided::Nothing => {}
        }
        let Some(cold) = table.cold() else { return Ok(None) };
        let mut row = Vec::new();
        let found = cold.find(task, &key(table, 0, id), &mut row);
        match found {
            Ok(true) => drop(txn.promote(task, table, snapshot, true, &row)?),
            Ok(false) => return Ok(None),
            Err(_) => return Err(TxnError::LogFailed), // the power has gone
        }
    }
}

pub(crate) fn change(
    server: &Server,
    txn: &mut Transaction,
    n: u64,
    id: i64,
    new: Option<Row>,
) -> TxnResult<()> {
    let table = server.table(5, n);
    let mut s = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
    loop {
        let found = find(&server.task, txn, &table, s.snapshot(), id)?;
        let row = found.unwrap_or_else(|| panic!("row {id} of table {n} is lost"));
        let written = match new {
            Some(new) => {
                let new = bytes(&table, new);
                txn.update(&server.task, s.snapshot(), row, &new)?
            }
            None => txn.delete(&server.task, s.snapshot(), row)?,
        };
        match written {
            Written::Done(_) => break,
            // It has sunk since it was found.
            Written::Gone => {}
            other => panic!("no other writer: {other:?}"),
        }
    }
    txn.end_statement(&mut s);
    Ok(())
}

/// The rows of a table: what memory decides, and the trees where it does not. All trees must agree.
pub(super) fn rows(server: &Server, n: u64) -> BTreeMap<i64, Row> {
    let table = server.table(5, n);
    // Another session sees a commit once all records before it are written; a background round may
    // still be writing one. A failure of the log shows elsewhere.
    let database = database(server);
    let log = database.manager().log();
    let _ = log.wait_durable(&server.task, log.tail());
    let found = rows_in(&server.session(5), &server.task, &table);
    assert_eq!(table.memory().rows as usize, found.len(), "table {n} counts its rows");
    found
}

/// As `rows`, while other transactions write.
pub(crate) fn rows_in(
    session: &Arc<DatabaseSession>,
    task: &Task,
    table: &Table,
) -> BTreeMap<i64, Row> {
    let mut txn = Transaction::begin(session, task).expect("a slot is free");
    let mut s = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
    let found = rows_at(&mut txn, task, table, s.snapshot());
    txn.end_statement(&mut s);
    txn.rollback(task);
    found.expect("pages can be read")
}

/// As a snapshot sees them, of a statement that is in progress.
pub(super) fn rows_at(
    txn: &mut Transaction,
    task: &Task,
    table: &Table,
    snapshot: &Snapshot,
) -> ColdResult<BTreeMap<i64, Row>> {
    txn.enter_table(task, table).expect("no DDL changes the table");
    let slots = &txn.session().manager().slots;
    let mut decided: BTreeMap<Vec<u8>, Option<Row>> = BTreeMap::new();
    let mut overridden = BTreeSet::new();
    let (mut walk, mut anchors, guard) = (table.walk_of_all(), Vec::new(), task.worker().pin());
    while !walk.is_done() {
        table.walk(&guard, table.log_index(), &mut walk, &mut |anchor| {
            // SAFETY: reached under the guard; the statement's snapshot is registered.
            anchors.push((anchor, unsafe { snapshot.view(anchor, table.links(), slots) }));
            ControlFlow::Continue(())
        });
    }
    // One that has sunk meanwhile says nothing: what was newer may have sunk before it was looked
    // at. SAFETY: as above.
    anchors.retain(|(anchor, _)| unsafe { anchor.head().load(Acquire) } != Begin::SUNK);
    for (anchor, view) in anchors {
        // SAFETY: as above.
        unsafe {
            let row = table.row(anchor.inline(table.links()));
            let p = key(table, 0, values(table, row)[0]).to_vec();
            if view != View::Nothing {
                for index in 0..table.links() {
                    let own = key(table, index, values(table, row)[index]).to_vec();
                    overridden.insert((index, own, p.clone()));
                }
            }
            match view {
                View::Row(version) => {
                    _ = decided.insert(p, Some(values(table, table.row(version))));
                }
                View::Deleted => drop(decided.entry(p).or_insert(None)),
                View::Nothing => {}
            }
        }
    }
    drop(guard);
    let mut found: BTreeMap<i64, Row> =
        decided.values().flatten().map(|row| (row[0], *row)).collect();
    if let Some(cold) = table.cold() {
        let mut entries = vec![Vec::new(); table.links()];
        for (index, entries) in entries.iter_mut().enumerate() {
            let mut cursor = cold.cursor(index, Range::ALL, Direction::Forward);
            loop {
                let mut chunk = Vec::new();
                let read = cursor.next_chunk(task, |entry| {
                    chunk.push((entry.p.to_vec(), entry.s.to_vec()));
                    ControlFlow::Continue(())
                });
                for (p, own) in chunk {
                    if overridden.contains(&(index, own.clone(), p.clone())) {
                        continue;
                    }
                    let mut row = Vec::new();
                    if !cold.find_as_of(task, &p, snapshot.stamp, &mut row)? {
                        continue;
                    }
                    let row = values(table, &row);
                    if key(table, index, row[index])[..] == own[..] {
                        // A reader of one index alone finds that memory overrides an entry.
                        assert!(!decided.contains_key(&p), "{index} {own:?} {p:?}");
                        entries.push((p, own, row));
                    }
                }
                if read? == Chunk::Ended {
                    break;
                }
            }
            entries.sort();
        }
        for place in 0..entries[0].len() {
            let (p, _, row) = &entries[0][place];
            assert!(found.insert(row[0], *row).is_none());
            for (index, entries) in entries.iter().enumerate().skip(1) {
                let s = key(table, index, row[index]).to_vec();
                let entry = entries.get(place).map(|(p, s, _)| (p, s));
                assert_eq!(entry, Some((p, &s)), "index {index} of {}", table.storage());
            }
        }
        assert!(entries.iter().all(|of| of.len() == entries[0].len()));
    }
    Ok(found)
}

/// A transaction that began once, and what it saw of the first disk table.
struct OldReader {
    txn: Transaction,
    saw: BTreeMap<i64, Row>,
}

impl OldReader {
    fn new(server: &Server, state: &State) -> Option<OldReader> {
        OldReader { txn: server.begin(5), saw: state.of(FIRST) }.checked(server)
    }

    /// Checks that the reader sees the rows that it saw before; after a power cut no reader is
    /// left.
    fn checked(mut self, server: &Server) -> Option<OldReader> {
        let table = server.table(5, FIRST);
        let mut s = self.txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        let seen = rows_at(&mut self.txn, &server.task, &table, s.snapshot());
        self.txn.end_statement(&mut s);
        assert_eq!(seen.ok()?, self.saw, "an old snapshot");
        Some(self)
    }
}

fn state_of(server: &Server) -> State {
    let manager = database(server).manager().clone();
    let (storages, _) = manager.tables().storages();
    let second = storages.iter().map(|storage| storage.0 - storage.0.min(1000)).max();
    let second = second.filter(|n| *n > DISK).expect("there is always one");
    let mut state = State { rows: BTreeMap::new(), second };
    for n in [MEMORY, FIRST, second] {
        state.rows.extend(rows(server, n).into_iter().map(|(id, row)| ((n, id), row)));
    }
    state
}

/// One random commit on all tables.
fn random_commit(server: &Server, rng: &mut SplitMix, state: &State) -> (State, TxnResult<bool>) {
    let mut txn = server.begin(5);
    let mut state = state.clone();
    let tables = [MEMORY, FIRST, FIRST, state.second];
    for _ in 0..1 + rng.below(6) {
        let n = tables[rng.below(4) as usize];
        let (id, v) = (rng.below(60) as i64, rng.below(9) as i64);
        let at = (n, id);
        let result = match (state.rows.get(&at).copied(), rng.below(5)) {
            (None, _) => {
                let taken = |k: i64| state.of(n).values().any(|row| row[1] == k);
                let k = (0..).map(|step| id + 1000 * step).find(|k| !taken(*k));
                let row = [id, k.expect("there are many"), v];
                state.rows.insert(at, row);
                server.insert(&mut txn, &server.table(5, n), row)
            }
            (Some(_), 0) => {
                state.rows.remove(&at);
                change(server, &mut txn, n, id, None)
            }
            // Another identity key.
            (Some(row), 1) if !state.rows.contains_key(&(n, id + 60)) => {
                let row = [id + 60, row[1], v];
                state.rows.remove(&at);
                state.rows.insert((n, id + 60), row);
                change(server, &mut txn, n, id, Some(row))
            }
            (Some(row), _) => {
                let row = [row[0], row[1], v];
                state.rows.insert(at, row);
                change(server, &mut txn, n, id, Some(row))
            }
        };
        if let Err(error) = result {
            return (state, Err(error));
        }
    }
    let session = txn.session().clone();
    if rng.below(8) == 0 {
        // What was brought back into memory stays, or sinks again.
        txn.rollback(&server.task);
        return (state, Err(TxnError::Interrupted));
    }
    let committed = txn.commit(&server.task, Durability::Full);
    let acknowledge = rng.below(3) > 0;
    let waited = committed.and_then(|end| match acknowledge {
        true => session.wait_shown(&server.task).map(|()| true),
        false => {
            // The next transaction is another session's, and is to see this one.
            let log = session.manager().log();
            while log.committed() < end {
                thread::yield_now();
            }
            Ok(false)
        }
    });
    (state, waited)
}

/// The number of a table that has never been.
fn new_number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(DISK + 1);
    LAST.fetch_add(1, Relaxed) + 1
}

/// The second disk table makes room for an empty one.
fn truncate(server: &Server, state: &State) -> (State, TxnResult<bool>) {
    let (from, to) = (state.second, new_number());
    let database = database(server);
    let manager = database.manager().clone();
    let catalog = manager.tables().get(StorageId(1)).expect("made with the database");
    let table = server.table(5, from);
    let mut txn = server.begin(5);
    let run = |txn: &mut Transaction| {
        txn.close_gate(&server.task, &table)?;
        server.delete(txn, &catalog, from as i64)?;
        server.insert(txn, &catalog, [to as i64, 0, 0])
    };
    if let Err(error) = run(&mut txn) {
        return (state.clone(), Err(error));
    }
    manager.create_table(&user_table(StorageId(1000 + to)));
    let own = manager.clone();
    txn.on_end(move |stamp| {
        let gone = if stamp.is_some() { from } else { to };
        own.drop_table(StorageId(1000 + gone));
    });
    let mut after = state.clone();
    after.rows.retain(|(n, _), _| *n != from);
    after.second = to;
    let session = txn.session().clone();
    let committed = txn.commit(&server.task, Durability::Full);
    (after, committed.and_then(|_| session.wait_shown(&server.task).map(|()| true)))
}

/// The second disk table gets a new storage, to the trees of which its rows are copied; and is
/// changed in the same transaction.
fn rebuild(server: &Server, rng: &mut SplitMix, state: &State) -> (State, TxnResult<bool>) {
    let (from, to) = (state.second, new_number());
    let database = database(server);
    let manager = database.manager().clone();
    let catalog = manager.tables().get(StorageId(1)).expect("made with the database");
    let (task, old) = (&server.task, server.table(5, from));
    let mut after = State { second: to, rows: BTreeMap::new() };
    let moved =
        state.rows.iter().map(|((n, id), row)| ((if *n == from { to } else { *n }, *id), *row));
    after.rows.extend(moved);
    let (lost, added) = (after.of(to).keys().next().copied(), 100 + rng.below(50) as i64);
    let mut txn = server.begin(5);
    let mut run = |txn: &mut Transaction| {
        txn.close_gate(task, &old)?;
        server.delete(txn, &catalog, from as i64)?;
        server.insert(txn, &catalog, [to as i64, 0, 0])?;
        let new = manager.create_table(&user_table(StorageId(1000 + to)));
        let own = manager.clone();
        txn.on_end(move |stamp| {
            let gone = if stamp.is_some() { from } else { to };
            own.drop_table(StorageId(1000 + gone));
        });
        let mut build = database.build(task, &new, txn)?.expect("disk tables have trees");
        let mut s = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let mut cursor = Cursor::new(s.snapshot(), 0, ScanRange::All, IndexDirection::Forward);
        while let Some(row) = cursor.next(txn, task, &old)? {
            let mut row = bytes(&new, values(&old, txn.row(row)));
            build.push(task, &mut row)?;
        }
        build.fill(task, txn)?;
        txn.end_statement(&mut s);
        // As any table that has sunk.
        if let Some(id) = lost {
            after.rows.remove(&(to, id));
            change(server, txn, to, id, None)?;
        }
        if let Entry::Vacant(place) = after.rows.entry((to, added)) {
            let row = *place.insert([added, 9000 + added, 1]);
            server.insert(txn, &new, row)?;
        }
        Ok(())
    };
    let run: TxnResult<()> = run(&mut txn);
    let off = server.engine.host().env().fs().exists(std::path::Path::new("/data")).is_err();
    match run {
        Ok(()) => {}
        // Whatever it fails with.
        Err(_) if off => return (state.clone(), Err(TxnError::LogFailed)),
        Err(error) => return (state.clone(), Err(error)),
    }
    if rng.below(3) == 0 {
        txn.rollback(task);
        return (state.clone(), Err(TxnError::Interrupted));
    }
    let session = txn.session().clone();
    let committed = txn.commit(task, Durability::Full);
    let waited = committed.and_then(|_| session.wait_shown(task).map(|()| true));
    let off = server.engine.host().env().fs().exists(std::path::Path::new("/data")).is_err();
    (after, waited.map_err(|error| if off { TxnError::LogFailed } else { error }))
}

/// Runs a workload until it is done or the power fails. Returns the states that may be found
/// afterwards.
fn workload(server: &Server, seed: u64, commits: usize, start: State) -> Vec<State> {
    let mut rng = SplitMix::new(seed);
    let (mut states, mut old) = (vec![start], None);
    for _ in 0..commits {
        let before = states.last().expect("there is one");
        let (after, result) = match rng.below(40) {
            0 => truncate(server, before),
            1..=3 => rebuild(server, &mut rng, before),
            _ => random_commit(server, &mut rng, before),
        };
        match result {
            Ok(acknowledged) => {
                if acknowledged {
                    states.clear();
                }
                states.push(after);
            }
            Err(TxnError::Interrupted) => {}
            Err(TxnError::LogFailed) => {
                states.push(after);
                return states;
            }
            Err(error) => panic!("{error:?}"),
        }
        let database = database(server);
        match rng.below(14) {
            0 => drop(database.checkpoint(&server.task)),
            1 | 2 => drop(database.sink_all(&server.task)),
            3 => drop(database.reclaim(&server.task, 1000)),
            _ => {}
        }
        let now = states.last().expect("there is one");
        match (&old, rng.below(24)) {
            (None, 0..4) => old = OldReader::new(server, now),
            (Some(_), 0) => old = None,
            (Some(_), 1..4) => old = old.and_then(|reader| reader.checked(server)),
            _ => {}
        }
    }
    states
}

pub(crate) fn new_server(test_env: &TestEnv) -> Server {
    let server = test_env.create(&[5]).expect("the disk works");
    for n in [MEMORY, FIRST, DISK + 1] {
        server.create_table(5, n).expect("the disk works");
    }
    server
}

pub(super) fn power_cycle(test_env: &TestEnv, server: Server) {
    test_env.sim.fs().power_off();
    drop(server);
    test_env.sim.fs().power_on();
}

/// A table is dropped in memory when the log has that it is: else a root that lacks its rows could
/// be durable, and if the power went then, the table would be there again, without them.
#[test]
fn a_table_whose_drop_is_not_durable_keeps_its_rows() {
    for seed in 0..20 {
        let test_env = TestEnv::new(seed);
        let server = new_server(&test_env);
        let (db, second) = (database(&server), server.table(5, DISK + 1));
        let insert = |ids: std::ops::Range<i64>| {
            for id in ids {
                let mut txn = server.begin(5);
                server.insert(&mut txn, &second, [id, id, 0]).expect("a fresh key");
                txn.commit(&server.task, Durability::Full).expect("there is room");
            }
            db.manager().log().flush(&server.task).expect("the disk works");
        };
        insert(0..5);
        if seed % 2 == 0 {
            db.sink_all(&server.task).expect("the disk works");
        }
        let mut state = state_of(&server);
        insert(5..10);
        // The sink has hardly had time for these.
        test_env.sim.fs().hold_on(OpKind::Sync, "/data/5/log", 0);
        state.rows.extend((5..10).map(|id| ((DISK + 1, id), [id, id, 0])));
        let tail = db.manager().log().tail();
        let (after, result) = thread::scope(|scope| {
            let (db, fs) = (&db, test_env.sim.fs());
            scope.spawn(move || {
                while db.manager().log().committed() <= tail {
                    thread::yield_now();
                }
                // One that does not wait for the log first; it may have to for room.
                scope.spawn(|| {
                    let task = Task::blocking(db.manager().runtime());
                    let _ = db.order(&task, Order::Checkpoint);
                });
                // A root that lacked the rows would be written now; whatever is done by then must
                // be right.
                thread::sleep(Duration::from_millis(50));
                fs.power_off();
                fs.release(OpKind::Sync);
            });
            truncate(&server, &state)
        });
        assert_eq!(result, Err(TxnError::LogFailed));
        drop((db, second, server));
        test_env.sim.fs().power_on();
        let found = state_of(&test_env.recover(&[5], 2));
        assert!(found == state || found == after, "seed {seed}: {found:?}");
    }
}

#[test]
fn rows_that_sink_leave_memory_and_come_back_to_be_changed() {
    let test_env = TestEnv::new(1);
    let server = new_server(&test_env);
    let table = server.table(5, FIRST);
    for part in 0..10 {
        let mut txn = server.begin(5);
        for id in part * 100..part * 100 + 100 {
            server.insert(&mut txn, &table, [id, id, id % 7]).expect("a fresh key");
        }
        txn.commit(&server.task, Durability::Full).expect("there is room");
    }
    let database = database(&server);
    let mut expected: BTreeMap<i64, Row> = (0..1000).map(|id| (id, [id, id, id % 7])).collect();
    assert_eq!(rows(&server, FIRST), expected);
    let before = table.memory().allocated_bytes;
    // The table has begun to sink, its rows are written, and they leave memory when all statements
    // have seen that.
    for _ in 0..3 {
        database.sink_all(&server.task).expect("the disk works");
    }
    assert_eq!(rows(&server, FIRST), expected);
    while database.reclaim(&server.task, 10_000) > 0 {}
    let after = table.memory().allocated_bytes;
    assert!(after < before / 10, "{before} bytes, then {after}");
    for id in (0..1000).step_by(3) {
        let mut txn = server.begin(5);
        let new = (id % 2 == 0).then_some([id, id + 5000, 3]);
        change(&server, &mut txn, FIRST, id, new).expect("no other writer");
        txn.commit(&server.task, Durability::Full).expect("there is room");
        match new {
            Some(row) => expected.insert(id, row),
            None => expected.remove(&id),
        };
        if id % 90 == 0 {
            assert_eq!(rows(&server, FIRST), expected);
            database.sink_all(&server.task).expect("the disk works");
        }
    }
    database.sink_all(&server.task).expect("the disk works");
    assert_eq!(rows(&server, FIRST), expected);
    assert!(database.sink_stats().expect("it has files").rows >= 1000);
    database.checkpoint(&server.task).expect("the disk works");
    power_cycle(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(rows(&server, FIRST), expected);
    let table = server.table(5, FIRST);
    assert!(table.memory().allocated_bytes < before / 10, "the rest is in pages");
}

/// A transaction that brings a row back queues it when all indexes have it. By then another may
/// have moved it behind another anchor, and a round may have written that to the trees. The old
/// anchor alone says that the row is gone, and a later round took it for the last word.
#[test]
fn a_row_that_is_queued_after_it_has_moved_is_not_lost() {
    let test_env = TestEnv::new(3);
    let server = new_server(&test_env);
    let (table, database) = (server.table(5, FIRST), database(&server));
    let mut txn = server.begin(5);
    for id in 0..200 {
        server.insert(&mut txn, &table, [id, id, 0]).expect("a fresh key");
    }
    txn.commit(&server.task, Durability::Full).expect("there is room");
    let sink = || database.sink_all(&server.task).expect("the disk works");
    (0..3).for_each(|_| sink());
    let mut slow = server.begin(5);
    let mut read = slow.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    let row = find(&server.task, &mut slow, &table, read.snapshot(), 7);
    let anchor = row.expect("there is room").expect("it is there").at().anchor;
    let mut txn = server.begin(5);
    change(&server, &mut txn, FIRST, 7, Some([7, 7, 1])).expect("no other writer");
    txn.commit(&server.task, Durability::Full).expect("there is room");
    sink();
    let waiting = database.sink_stats().expect("it has files").waiting;
    assert!(waiting > 1, "the statement in progress keeps both anchors in memory");
    let (storage, stamp) = (table.storage(), read.snapshot().stamp);
    database.manager().sinking.add(0, &mut vec![Sinking { storage, anchor, stamp }]);
    sink();
    let stats = database.sink_stats().expect("it has files");
    assert_eq!(stats.waiting, waiting, "an earlier round has it");
    slow.end_statement(&mut read);
    slow.rollback(&server.task);
    (0..3).for_each(|_| sink());
    let left = database.sink_stats().expect("it has files").rows - stats.rows;
    assert_eq!(left, waiting, "each leaves memory once");
    while database.reclaim(&server.task, 10_000) > 0 {}
    assert_eq!(rows(&server, FIRST).get(&7), Some(&[7, 7, 1]));
    assert_eq!(rows(&server, FIRST).len(), 200);
}

/// The log says of a row that comes back from trees to be changed that its commit is unknown. If no
/// root has the trees after a crash, the table goes on sinking: no checkpoint file could say which
/// of its rows has ended.
#[test]
fn rows_changed_in_trees_that_a_crash_has_taken_are_in_the_next_checkpoint() {
    for by_checkpoint in [false, true] {
        let test_env = TestEnv::new(3);
        let server = new_server(&test_env);
        let table = server.table(5, FIRST);
        let mut expected: BTreeMap<i64, Row> = (0..100).map(|id| (id, [id, id, id % 7])).collect();
        let mut txn = server.begin(5);
        for row in expected.values() {
            server.insert(&mut txn, &table, *row).expect("a fresh key");
        }
        txn.commit(&server.task, Durability::Full).expect("there is room");
        if by_checkpoint {
            database(&server).checkpoint(&server.task).expect("the disk works");
        }
        for _ in 0..3 {
            database(&server).sink_all(&server.task).expect("the disk works");
        }
        for id in [7, 8] {
            let mut txn = server.begin(5);
            let new = (id == 7).then_some([7, 5000, 3]);
            change(&server, &mut txn, FIRST, id, new).expect("no other writer");
            txn.commit(&server.task, Durability::Full).expect("there is room");
        }
        expected.insert(7, [7, 5000, 3]);
        expected.remove(&8);
        database(&server).manager().log().flush(&server.task).expect("the disk works");
        drop(table);
        power_cycle(&test_env, server);
        for _ in 0..3 {
            let server = test_env.recover(&[5], 2);
            let found = loaded(&database(&server));
            assert!(found.is_none(), "{found:?}");
            assert_eq!(rows(&server, FIRST), expected);
            database(&server).checkpoint(&server.task).expect("the disk works");
            assert_eq!(rows(&server, FIRST), expected);
            power_cycle(&test_env, server);
        }
    }
}

#[test]
fn small_tables_stay_in_memory() {
    let test_env = TestEnv::new(2);
    let server = new_server(&test_env);
    let table = server.table(5, FIRST);
    let mut txn = server.begin(5);
    server.insert(&mut txn, &table, [1, 1, 1]).expect("a fresh key");
    txn.commit(&server.task, Durability::Full).expect("there is room");
    database(&server).checkpoint(&server.task).expect("the disk works");
    // What sinks by itself would do so now. It must not, however long this takes.
    std::thread::sleep(std::time::Duration::from_millis(30));
    assert!(table.cold().is_none());
    power_cycle(&test_env, server);
    let server = test_env.recover(&[5], 1);
    assert_eq!(rows(&server, FIRST).len(), 1);
    assert!(server.table(5, FIRST).cold().is_none());
}

#[test]
fn random_work_survives_power_cycles() {
    let (seed, _) = crash_seed_and_step();
    let (mut roots, mut built) = (0, 0);
    for run in 0..6 {
        let test_env = TestEnv::new(seed ^ run);
        let mut server = new_server(&test_env);
        let mut state = State::new();
        for life in 0..4 {
            let states = workload(&server, seed ^ (run * 10 + life), 150, state.clone());
            state = states.last().expect("there is one").clone();
            assert_eq!(state_of(&server), state, "seed {seed}, run {run}, life {life}");
            let stats = database(&server).sink_stats().expect("it has files");
            assert!(stats.rows > 0 && stats.failures == 0, "seed {seed}: {stats:?}");
            roots += stats.roots;
            database(&server).manager().log().flush(&server.task).expect("the disk works");
            power_cycle(&test_env, server);
            server = test_env.recover(&[5], 1 + run as usize % 3);
            assert_eq!(state_of(&server), state, "seed {seed}, run {run}, behind life {life}");
            let second = server.table(5, state.second);
            built += usize::from(second.cold().is_some_and(|cold| cold.is_built()));
        }
    }
    assert!(roots > 0 && built > 0, "seed {seed}: {roots} roots, {built} found with built trees");
}

#[test]
fn after_a_crash_at_any_file_operation_memory_and_trees_are_what_was_acknowledged() {
    let (seed, step) = crash_seed_and_step();
    let commits = 100;
    let operations = {
        let test_env = TestEnv::new(seed);
        let server = new_server(&test_env);
        let before = test_env.sim.fs().operations();
        workload(&server, seed, commits, State::new());
        test_env.sim.fs().operations() - before
    };
    for crash in (1..=operations).step_by(step) {
        let test_env = TestEnv::new(seed ^ crash);
        let server = new_server(&test_env);
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + crash);
        let mut states = workload(&server, seed, commits, State::new());
        drop(server);
        // Twice: what the first recovery leaves must be recoverable too.
        for life in 0..2 {
            test_env.sim.fs().power_off();
            test_env.sim.fs().power_on();
            let server = test_env.recover(&[5], 1 + crash as usize % 3);
            let found = state_of(&server);
            assert!(
                states.contains(&found),
                "crash at operation {crash}, life {life}: found {found:?}, not one of {states:?}"
            );
            let failed = loaded(&database(&server));
            assert!(failed.is_none(), "crash at operation {crash}, life {life}: {failed:?}");
            let made = database(&server).checkpoint(&server.task);
            assert!(made.is_ok(), "crash at operation {crash}, life {life}: {made:?}");
            states = workload(&server, seed + life, 8, found);
        }
    }
}
