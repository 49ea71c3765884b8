//! Tables that are served before others are loaded. The simulated disk holds back what is not to be
//! loaded yet.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use base::ids::{DbId, SessionId};
use env::OpKind;

use super::{Server, State, TestCatalog, TestEnv, catalog_table, identity, loaded, options};
use crate::checkpoint::{CheckpointFile, CommitRange, FileKind, FileState};
use crate::database::{Database, RecoveringDatabase};
use crate::engine::Engine;
use crate::engine::ReplayedDatabase;
use crate::error::EngineError;
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::visibility::Isolation;
use crate::recovery::*;
use crate::txn::tests::values;
use crate::txn::{Blocker, Durability, ReadAt, Transaction, TxnError, TxnResult, Unavailable};
use crate::wait::{Interrupt, Interrupted, Task};

/// The small table, the large one, and one that is larger still.
const SMALL: u64 = 1;
const LARGE: u64 = 2;
const LARGER: u64 = 3;
/// Reads that opening a data file takes.
const OPENING: u64 = 3;

struct Scene {
    test_env: TestEnv,
    /// The data files with rows of the large tables alone.
    large: Vec<CheckpointFile>,
    small_rows: State,
    large_rows: State,
}

fn database(server: &Server) -> Arc<Database> {
    server.engine.database(DbId(5)).expect("it is open")
}

fn fill(server: &Server, table: u64, ids: std::ops::Range<i64>) {
    fill_all(server, &[(table, ids)]);
}

/// Fills tables in one transaction.
fn fill_all(server: &Server, parts: &[(u64, std::ops::Range<i64>)]) {
    let mut txn = server.begin(5);
    for (table, ids) in parts {
        let own = server.table(5, *table);
        for id in ids.clone() {
            server.insert(&mut txn, &own, [id, id, 0]).expect("a fresh key");
        }
    }
    txn.commit(&server.task, Durability::Full).expect("there is room");
}

fn data_files(server: &Server) -> Vec<CheckpointFile> {
    let mut files = database(server).checkpoint_files();
    files.retain(|file| file.kind == FileKind::Data && file.state == FileState::Active);
    files
}

fn crash(test_env: &TestEnv, server: Server) {
    test_env.sim.fs().power_off();
    drop(server);
    test_env.sim.fs().power_on();
}

impl Scene {
    /// A database that was killed, with changes of both tables in its log that its files do not
    /// have.
    fn new(seed: u64) -> Scene {
        let test_env = TestEnv::new(seed);
        // Which file has which rows must not depend on when a checkpoint comes by itself.
        let mut options = options();
        options.checkpoints.interval_ns = 3_600_000_000_000;
        let server = test_env.create_with(&[5], &options).expect("the disk works");
        for table in [SMALL, LARGE, LARGER] {
            server.create_table(5, table).expect("the disk works");
        }
        fill(&server, SMALL, 0..100);
        database(&server).checkpoint(&server.task).expect("the disk works");
        let before: BTreeSet<u64> = data_files(&server).iter().map(|file| file.id).collect();
        for part in 0..5 {
            // In one transaction, so that one file has both.
            let of = |size: i64| part * size..(part + 1) * size;
            fill_all(&server, &[(LARGE, of(100)), (LARGER, of(200))]);
            database(&server).checkpoint(&server.task).expect("the disk works");
        }
        let mut large = data_files(&server);
        large.retain(|file| !before.contains(&file.id));
        assert_eq!(large.len(), 5, "{large:?}");
        // One of each: changed, deleted, deleted and there again, with another key, new.
        for table in [SMALL, LARGE] {
            let own = server.table(5, table);
            let mut txn = server.begin(5);
            server.change(&mut txn, &own, 1, |r| Some([1, r[1], 9])).expect("it is free");
            server.delete(&mut txn, &own, 2).expect("it is free");
            server.delete(&mut txn, &own, 3).expect("it is free");
            server.insert(&mut txn, &own, [3, 3, 9]).expect("it is free");
            server.change(&mut txn, &own, 4, |r| Some([5004, r[1], 9])).expect("it is free");
            server.change(&mut txn, &own, 5, |r| Some([5, 5005, r[2]])).expect("it is free");
            server.insert(&mut txn, &own, [6000, 6000, 9]).expect("a fresh key");
            txn.commit(&server.task, Durability::Full).expect("there is room");
            let mut txn = server.begin(5);
            server.change(&mut txn, &own, 1, |r| Some([1, r[1], 10])).expect("it is free");
            server.delete(&mut txn, &own, 3).expect("it is free");
            txn.commit(&server.task, Durability::Full).expect("there is room");
        }
        database(&server).manager().log().flush(&server.task).expect("the disk works");
        let (small_rows, large_rows) = (server.rows(5, SMALL), server.rows(5, LARGE));
        crash(&test_env, server);
        Scene { test_env, large, small_rows, large_rows }
    }

    /// The large tables' rows are not read before this is taken back.
    fn hold(&self) {
        for file in &self.large {
            let path = file.path.to_string_lossy();
            self.test_env.sim.fs().hold_on(OpKind::Read, &path, OPENING);
        }
    }

    /// One block of the first keeps a loader of one thread from all others.
    fn hold_first(&self) {
        let path = self.large[0].path.to_string_lossy();
        self.test_env.sim.fs().hold_on(OpKind::Read, &path, OPENING);
    }

    fn release(&self) {
        self.test_env.sim.fs().release(OpKind::Read);
    }
}

/// Enters a table that is not loaded, as a session with its own lock timeout does.
fn enter(engine: &Engine, table: u64, timeout_ms: i64, interrupt: Arc<Interrupt>) -> TxnError {
    try_enter(engine, table, timeout_ms, interrupt).expect_err("it is not loaded")
}

fn try_enter(
    engine: &Engine,
    table: u64,
    timeout_ms: i64,
    interrupt: Arc<Interrupt>,
) -> TxnResult<()> {
    let host = engine.host();
    let task = Task::blocking_with(&host.runtime, interrupt);
    let owner = host.owner(SessionId(77));
    owner.set_lock_timeout(timeout_ms);
    let database = engine.database(DbId(5)).expect("it is open");
    let place = database.session(&owner);
    let table = database.manager().tables().get(StorageId(1000 + table)).expect("it exists");
    let mut txn = Transaction::begin(&place, &task).expect("a slot is free");
    let entered = txn.enter_table(&task, &table);
    txn.rollback(&task);
    entered
}

/// The rows of a table, for another thread than the server's own.
fn read(engine: &Engine, table: u64) -> State {
    let task = Task::blocking(&engine.host().runtime);
    let database = engine.database(DbId(5)).expect("it is open");
    let table = database.manager().tables().get(StorageId(1000 + table)).expect("it exists");
    let place = database.session(&engine.host().owner(SessionId(78)));
    let mut txn = Transaction::begin(&place, &task).expect("a slot is free");
    let mut s = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
    let mut cursor = Cursor::new(s.snapshot(), 2, ScanRange::All, Direction::Forward);
    let mut rows = State::new();
    while let Some(row) = cursor.next(&mut txn, &task, &table).expect("reads succeed") {
        let row = values(&table, txn.row(row));
        rows.insert(row[0], row);
    }
    txn.end_statement(&mut s);
    txn.rollback(&task);
    rows
}

/// Waits until this many sessions wait for a table to be loaded.
fn wait_for_waiters(server: &Server, count: usize) {
    let begin = Instant::now();
    let waits = || {
        let waits = server.engine.host().graph.waits();
        waits.iter().filter(|wait| matches!(wait.blocker, Blocker::Load(_))).count()
    };
    while waits() < count {
        assert!(begin.elapsed() < Duration::from_secs(60), "too few wait");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_table_is_served_before_another_is_loaded() {
    for threads in [1, 3] {
        let scene = Scene::new(1);
        scene.hold();
        let server = scene.test_env.recover(&[5], threads);
        assert_eq!(server.rows(5, SMALL), scene.small_rows);
        fill(&server, SMALL, 7000..7010);
        let progress = database(&server).loading().expect("the others are missing");
        // Of the rows in files some have ended.
        assert_eq!((progress.done, progress.total), (95, 95 + 495 + 1000));
        assert_eq!(progress.percent() as u32, 5);
        assert!(progress.remaining_ms(progress.began_ns + 10_000_000) >= 150);
        let large = server.table(5, LARGE);
        assert!(!large.is_loaded());
        assert_eq!(large.row_count(), scene.large_rows.len() as u64, "in memory or not");

        // A statement that needs it waits as long as its lock timeout.
        assert_eq!(enter(&server.engine, LARGE, 0, Arc::default()), TxnError::LockTimeout);
        assert_eq!(enter(&server.engine, LARGE, 5, Arc::default()), TxnError::LockTimeout);
        let interrupt = Arc::new(Interrupt::new());
        thread::scope(|scope| {
            let (engine, own) = (&server.engine, interrupt.clone());
            let waiting = scope.spawn(move || enter(engine, LARGE, -1, own));
            wait_for_waiters(&server, 1);
            interrupt.raise(Interrupted::Attention);
            assert_eq!(waiting.join().expect("no panic"), TxnError::Interrupted);
            let readers: Vec<_> = (0..3).map(|_| scope.spawn(|| read(engine, LARGE))).collect();
            wait_for_waiters(&server, 3);
            scene.release();
            for reader in readers {
                assert_eq!(reader.join().expect("no panic"), scene.large_rows);
            }
        });
        assert_eq!(server.rows(5, LARGER).len(), 1000);
        assert!(loaded(&database(&server)).is_none());
        assert!(database(&server).loading().is_none());
    }
}

#[test]
fn a_table_that_a_reader_waits_for_is_loaded_first() {
    let scene = Scene::new(2);
    scene.hold_first();
    // Without checkpoints, which would read, too.
    let server = scene.test_env.server();
    let (database, catalog) = replay(&server, 1).expect("it is whole");
    let replayed = vec![ReplayedDatabase { database, catalog }];
    let mut opened = server.engine.open_recovered(&server.task, replayed, &[]);
    let own = opened.pop().expect("one in, one out").result.expect("it is whole");
    assert_eq!(server.rows(5, SMALL), scene.small_rows);
    thread::scope(|scope| {
        let engine = &server.engine;
        let reader = scope.spawn(|| read(engine, LARGER));
        wait_for_waiters(&server, 1);
        scene.test_env.sim.fs().start_trace();
        scene.release();
        assert_eq!(reader.join().expect("no panic").len(), 1000);
    });
    assert!(loaded(&own).is_none());
    // The loader was at a block of the smaller table.
    let trace = scene.test_env.sim.fs().take_trace();
    let reads = trace.iter().filter(|line| line.starts_with("read"));
    let mut lens: Vec<u32> = reads
        .map(|line| line.rsplit('+').next().and_then(|n| n.parse().ok()).expect("a length"))
        .collect();
    lens.dedup();
    let [larger, large] = lens[..] else { panic!("{trace:?}") };
    assert!(larger > large, "{trace:?}");
    assert_eq!(server.rows(5, LARGE), scene.large_rows);
}

#[test]
fn commits_while_tables_are_loaded_survive_another_crash() {
    let scene = Scene::new(3);
    scene.hold_first();
    let server = scene.test_env.recover(&[5], 1);
    let mut expected = server.rows(5, SMALL);
    for part in 0..10 {
        let table = server.table(5, SMALL);
        let mut txn = server.begin(5);
        for id in part * 10..part * 10 + 10 {
            server.insert(&mut txn, &table, [id + 9000, id + 9000, part]).expect("a fresh key");
            expected.insert(id + 9000, [id + 9000, id + 9000, part]);
            if expected.remove(&id).is_some() {
                server.delete(&mut txn, &table, id).expect("it is free");
            }
        }
        txn.commit(&server.task, Durability::Full).expect("there is room");
        if part % 3 == 0 {
            database(&server).checkpoint(&server.task).expect("the disk works");
        }
    }
    database(&server).manager().log().flush(&server.task).expect("the disk works");
    assert!(!server.table(5, LARGE).is_loaded());
    crash(&scene.test_env, server);
    let server = scene.test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, SMALL), expected);
    assert_eq!(server.rows(5, LARGE), scene.large_rows);
    assert_eq!(server.rows(5, LARGER).len(), 1000);
}

#[test]
fn a_crash_at_any_file_operation_of_loading_loses_nothing() {
    let (seed, step) = super::crash_seed_and_step();
    let scene = Scene::new(seed);
    let operations = {
        let before = scene.test_env.sim.fs().operations();
        let server = scene.test_env.recover(&[5], 2);
        assert!(loaded(&database(&server)).is_none());
        let operations = scene.test_env.sim.fs().operations() - before;
        crash(&scene.test_env, server);
        operations
    };
    for crash_at in (1..=operations + 5).step_by(step) {
        let fs = scene.test_env.sim.fs();
        fs.power_off_at(fs.operations() + crash_at);
        drop(try_open(&scene.test_env, 1 + crash_at as usize % 3));
        fs.power_off();
        fs.power_on();
        let server = scene.test_env.recover(&[5], 2);
        assert_eq!(server.rows(5, LARGE), scene.large_rows, "crash at operation {crash_at}");
        assert_eq!(server.rows(5, SMALL), scene.small_rows, "crash at operation {crash_at}");
        crash(&scene.test_env, server);
    }
}

fn replay(
    server: &Server,
    threads: usize,
) -> Result<(RecoveringDatabase, TestCatalog), EngineError> {
    let host = server.engine.host();
    let tables = host.tables(u64::MAX);
    tables.create(&catalog_table());
    let mut catalog = TestCatalog::default();
    let recovery = RecoveryOptions { threads, ..RecoveryOptions::default() };
    let found = Database::recover(host, identity(5), tables, &mut catalog, &options(), recovery);
    Ok((found?, catalog))
}

/// Opens the database and, if that succeeds, waits until it is loaded.
fn try_open(test_env: &TestEnv, threads: usize) -> Result<(), EngineError> {
    let server = test_env.server();
    let (recovering, mut catalog) = replay(&server, threads)?;
    let database = recovering.open(&server.task, &mut catalog, |_| false)?;
    loaded(&database).map_or(Ok(()), Err)
}

#[test]
fn damage_that_is_found_late_makes_the_database_suspect() {
    let scene = Scene::new(4);
    // In a row of the first block after the file's header.
    scene.test_env.sim.fs().flip_bit(&scene.large[1].path, 8 * 150).expect("it is there");
    scene.hold();
    let server = scene.test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, SMALL), scene.small_rows);
    let suspect = TxnError::Unavailable(Unavailable::Suspect);
    thread::scope(|scope| {
        let waiting: Vec<_> = [LARGE, LARGER]
            .map(|table| {
                let engine = &server.engine;
                (table, scope.spawn(move || try_enter(engine, table, -1, Arc::default())))
            })
            .into();
        wait_for_waiters(&server, 2);
        scene.release();
        for (table, waiting) in waiting {
            // The first block is the first table's; all of the other may have come before it.
            let entered = waiting.join().expect("no panic");
            let is_early = table == LARGER && entered.is_ok();
            assert!(is_early || entered == Err(suspect.clone()), "{table}: {entered:?}");
        }
    });
    let error = loaded(&database(&server)).expect("it is damaged").to_string();
    let name = scene.large[1].path.to_string_lossy().into_owned();
    assert!(error.contains(&name), "{error}");
    let CommitRange { from, to } = scene.large[1].range;
    let commits = format!("(it covers the commits from {from} to {to})");
    assert!(error.ends_with(&commits), "{error}");
    let begun = Transaction::begin(&server.session(5), &server.task);
    assert_eq!(begun.err(), Some(suspect));
}

#[test]
fn files_that_are_merged_away_stay_until_they_are_loaded() {
    let scene = Scene::new(5);
    scene.hold_first();
    let server = scene.test_env.recover(&[5], 1);
    assert_eq!(server.rows(5, SMALL), scene.small_rows);
    let (first, last) = (&scene.large[1], &scene.large[scene.large.len() - 1]);
    let range = CommitRange { from: first.range.from, to: last.range.to };
    let merged = database(&server).merge_checkpoint_files(&server.task, range);
    assert!(merged.expect("the disk works"), "there are pairs");
    database(&server).collect_checkpoint_garbage(&server.task).expect("the disk works");
    let exists = || {
        let fs = scene.test_env.sim.env();
        scene.large.iter().all(|file| fs.fs().exists(&file.path).expect("the disk works"))
    };
    assert!(exists(), "they are still to be loaded");
    scene.release();
    assert!(loaded(&database(&server)).is_none());
    assert_eq!(server.rows(5, LARGE), scene.large_rows);
    database(&server).collect_checkpoint_garbage(&server.task).expect("the disk works");
    assert!(!exists(), "they are not needed");
    crash(&scene.test_env, server);
    let server = scene.test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, LARGE), scene.large_rows);
    assert_eq!(server.rows(5, LARGER).len(), 1000);
}

#[test]
fn a_clean_shutdown_does_not_wait_for_tables_to_be_loaded() {
    let scene = Scene::new(6);
    scene.hold();
    let server = scene.test_env.recover(&[5], 2);
    fill(&server, SMALL, 8000..8010);
    // Threads that read are waited for.
    thread::scope(|scope| {
        let engine = &server.engine;
        let ending = scope.spawn(|| {
            let task = Task::blocking(&engine.host().runtime);
            let database = engine.database(DbId(5)).expect("it is open");
            database.shut_down(&task, &[]).expect("the disk works");
        });
        // So that the shutdown has begun; if not, it is quick.
        thread::sleep(Duration::from_millis(5));
        scene.release();
        ending.join().expect("no panic");
    });
    crash(&scene.test_env, server);
    let server = scene.test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, LARGE), scene.large_rows);
    assert_eq!(server.rows(5, SMALL).len(), scene.small_rows.len() + 10);
}
