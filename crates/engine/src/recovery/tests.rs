//! Databases in a simulated environment: written, crashed, recovered.

mod loading;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::ids::{DbId, SessionId};
use crossbeam_epoch::Collector;
use env::sim::{SimEnv, SplitMix};

use super::*;
use crate::checkpoint::{CheckpointOptions, CommitRange};
use crate::cold::Growth;
use crate::database::{Database, DatabaseIdentity, DatabaseOptions, Host};
use crate::engine::{Engine, OpenedDatabase, ReplayedDatabase};
use crate::error::EngineError;
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::key::KeyColumn;
use crate::hot::table::{ConflictPolicy, IdentitySpec, IndexKind, IndexSpec, Table, TableSpec};
use crate::hot::visibility::Isolation;
use crate::log::{LogOptions, SegmentOptions};
use crate::sink::SinkOptions;
use crate::txn::tests::{INT, Row, bytes, key, values};
use crate::txn::{
    DatabaseSession, Durability, ReadAt, Transaction, TransactionGroup, TxnError, TxnResult,
    Unavailable, Written,
};
use crate::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};

const CATALOG: StorageId = StorageId(1);

/// A catalog of one table: a row `(n, _, _)` says that there is a table with storage 1000 + n.
#[derive(Default)]
pub(crate) struct TestCatalog {
    others: Vec<(Lsn, String)>,
}

impl RecoveryCatalog for TestCatalog {
    fn changed(
        &mut self,
        recovered: &RecoveredTables<'_>,
        _: Lsn,
        changes: &[CatalogChange],
    ) -> Result<(), String> {
        let catalog = recovered.tables().get(CATALOG).ok_or("no catalog table")?;
        for change in changes {
            let storage = |row: &[u8]| StorageId(1000 + values(&catalog, row)[0] as u64);
            if let Some(old) = &change.old {
                recovered.forget_table(storage(old));
            }
            if let Some(new) = &change.new {
                recovered.tables().create(&user_table(storage(new)));
            }
        }
        Ok(())
    }

    fn operation(&mut self, stamp: Lsn, operation: &Operation<'_>) -> Result<(), String> {
        self.others.push((stamp, format!("{operation:?}")));
        Ok(())
    }
}

fn index(kind: IndexKind, column: usize, unique: bool) -> IndexSpec {
    IndexSpec { kind, columns: vec![KeyColumn::ascending(column)], unique, filter: None }
}

/// From this number on tables are disk tables; others are memory-optimized.
pub(crate) const DISK: u64 = 100;

pub(crate) fn user_table(storage: StorageId) -> TableSpec {
    let (kind, conflicts) = match storage.0 >= 1000 + DISK {
        true => (IndexKind::Range, ConflictPolicy::Wait),
        false => (IndexKind::Hash { bucket_count: 16 }, ConflictPolicy::FirstWriterWins),
    };
    let indexes = vec![
        index(kind, 0, true),
        index(IndexKind::Range, 1, true),
        index(IndexKind::Range, 2, false),
    ];
    let identity = Some(IdentitySpec { seed: 1, increment: 1, block: 1000 });
    let caches_rows = conflicts == ConflictPolicy::Wait;
    TableSpec { identity, conflicts, caches_rows, ..TableSpec::new(storage, vec![INT; 3], indexes) }
}

pub(crate) fn catalog_table() -> TableSpec {
    let indexes = vec![index(IndexKind::Range, 0, true)];
    TableSpec { catalog: true, ..TableSpec::new(CATALOG, vec![INT; 3], indexes) }
}

pub(crate) fn options() -> DatabaseOptions {
    let record_max = 16 << 10;
    DatabaseOptions {
        log: LogOptions { ring_bytes: 1 << 17, record_max, ..LogOptions::default() },
        segments: SegmentOptions {
            first_bytes: 256 << 10,
            max_bytes: 256 << 10,
            record_max,
            ..SegmentOptions::default()
        },
        // All the time.
        checkpoints: CheckpointOptions {
            data_bytes: 2 << 10,
            log_bytes: 16 << 10,
            shutdown_bytes: 1,
            interval_ns: 1_000_000,
            tidy_every: 5,
            merges: true,
        },
        sink: SinkOptions {
            start_bytes: 2 << 10,
            backlog_bytes: 1 << 20,
            interval_ns: 1_000_000,
            patience_ns: 0,
            age_ns: 4_000_000,
            growth: Growth { initial_pages: 64, step_pages: 64, ..Growth::default() },
        },
    }
}

/// A machine: its disk survives a crash.
pub(crate) struct TestEnv {
    pub sim: SimEnv,
}

/// A server process on it.
pub(crate) struct Server {
    pub engine: Engine,
    pub task: Task<'static>,
}

pub(crate) fn identity(id: i32) -> DatabaseIdentity {
    let dir = PathBuf::from(format!("/data/{id}"));
    DatabaseIdentity { id: DbId(id), uuid: 1000 + id as u128, dir }
}

impl TestEnv {
    pub fn new(seed: u64) -> TestEnv {
        TestEnv { sim: SimEnv::new(seed) }
    }

    pub fn server(&self) -> Server {
        let timer = Arc::new(ThreadTimer::new());
        let options = RuntimeOptions::default();
        let runtime = Runtime::new(self.sim.env(), Collector::new(), timer, options);
        let task = Task::blocking(&runtime);
        Server { engine: Engine::new(Host::new(runtime, 2, u64::MAX)), task }
    }

    /// A server with new databases, each with its catalog table.
    pub fn create(&self, ids: &[i32]) -> Result<Server, EngineError> {
        self.create_with(ids, &options())
    }

    pub fn create_with(
        &self,
        ids: &[i32],
        options: &DatabaseOptions,
    ) -> Result<Server, EngineError> {
        let server = self.server();
        let fs = server.engine.host().env().fs();
        fs.create_dir_all(Path::new("/data"))?;
        fs.sync_dir(Path::new("/"))?;
        for id in ids {
            let host = server.engine.host();
            let tables = host.tables(u64::MAX);
            tables.create(&catalog_table());
            let database = Database::create(host, identity(*id), tables, options)?;
            host.env().fs().sync_dir(Path::new("/data"))?;
            server.engine.add(database)?.start_checkpoints(|_, _| None);
        }
        Ok(server)
    }

    /// A server that has recovered these databases.
    pub fn recover(&self, ids: &[i32], threads: usize) -> Server {
        self.recover_watched(ids, threads).0
    }

    /// As `recover`, with the progress of each database.
    fn recover_watched(&self, ids: &[i32], threads: usize) -> (Server, Vec<RecoveryProgress>) {
        self.recover_with(ids, threads, &options())
    }

    pub fn recover_with(
        &self,
        ids: &[i32],
        threads: usize,
        options: &DatabaseOptions,
    ) -> (Server, Vec<RecoveryProgress>) {
        let server = self.server();
        let host = server.engine.host();
        let recovered = ids.iter().map(|id| {
            let tables = host.tables(u64::MAX);
            tables.create(&catalog_table());
            let mut catalog = TestCatalog::default();
            let recovery = RecoveryOptions { threads, ..RecoveryOptions::default() };
            let progress = recovery.progress.clone();
            let database =
                Database::recover(host, identity(*id), tables, &mut catalog, options, recovery);
            let database = database.expect("the log is whole");
            assert_eq!(progress.stage(), RecoveryStage::Waiting, "its indexes are not built");
            (ReplayedDatabase { database, catalog }, progress)
        });
        let (recovered, watched): (Vec<_>, Vec<_>) = recovered.unzip();
        let opened = server.engine.open_recovered(&server.task, recovered, &[]);
        for OpenedDatabase { id, result, .. } in opened {
            let database = result.unwrap_or_else(|error| panic!("database {id}: {error:?}"));
            database.start_checkpoints(|_, _| None);
        }
        let is_open = |progress: &RecoveryProgress| {
            matches!(progress.stage(), RecoveryStage::Tables { .. } | RecoveryStage::Done)
        };
        assert!(watched.iter().all(is_open));
        (server, watched)
    }
}

/// Waits until the tables of a database are loaded; why they cannot be.
pub(crate) fn loaded(database: &Database) -> Option<EngineError> {
    let task = Task::blocking(database.manager().runtime());
    database.wait_until_loaded(&task).err()
}

impl Server {
    pub fn session(&self, id: i32) -> Arc<DatabaseSession> {
        let database = self.engine.database(DbId(id)).expect("it is open");
        database.session(&self.engine.host().owner(SessionId(51)))
    }

    pub fn table(&self, id: i32, n: u64) -> Arc<Table> {
        let database = self.engine.database(DbId(id)).expect("it is open");
        database.manager().tables().get(StorageId(1000 + n)).expect("the table exists")
    }

    pub fn begin(&self, id: i32) -> Transaction {
        Transaction::begin(&self.session(id), &self.task).expect("a slot is free")
    }

    /// CREATE TABLE n.
    pub fn create_table(&self, id: i32, n: u64) -> TxnResult<Arc<Table>> {
        let database = self.engine.database(DbId(id)).expect("it is open");
        let manager = database.manager();
        let catalog = manager.tables().get(CATALOG).expect("made with the database");
        let mut txn = self.begin(id);
        self.insert(&mut txn, &catalog, [n as i64, 0, 0])?;
        let table = manager.create_table(&user_table(StorageId(1000 + n)));
        let end = txn.commit(&self.task, Durability::Full)?;
        manager.log().wait_durable(&self.task, end)?;
        Ok(table)
    }

    /// DROP TABLE n.
    pub fn drop_table(&self, id: i32, n: u64) -> TxnResult<()> {
        let database = self.engine.database(DbId(id)).expect("it is open");
        let catalog = database.manager().tables().get(CATALOG).expect("made with the database");
        let table = self.table(id, n);
        let mut txn = self.begin(id);
        txn.close_gate(&self.task, &table)?;
        self.delete(&mut txn, &catalog, n as i64)?;
        let manager = database.manager().clone();
        txn.on_end(move |stamp| {
            if stamp.is_some() {
                manager.drop_table(StorageId(1000 + n));
            }
        });
        txn.commit(&self.task, Durability::Full).map(drop)
    }

    pub fn insert(&self, txn: &mut Transaction, table: &Table, row: Row) -> TxnResult<()> {
        let mut s = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        let row = bytes(table, row);
        let result = txn.insert(&self.task, table, s.snapshot(), &row).map(drop);
        txn.end_statement(&mut s);
        result
    }

    pub fn change(
        &self,
        txn: &mut Transaction,
        table: &Table,
        id: i64,
        new: impl Fn(Row) -> Option<Row>,
    ) -> TxnResult<()> {
        let mut s = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        let range = ScanRange::Key(key(table, 0, id));
        let mut cursor = Cursor::new(s.snapshot(), 0, range, Direction::Forward);
        while let Some(row) = cursor.next(txn, &self.task, table)? {
            let written = match new(values(table, txn.row(row))) {
                Some(new) => {
                    let new = bytes(table, new);
                    txn.update(&self.task, s.snapshot(), row, &new)?
                }
                None => txn.delete(&self.task, s.snapshot(), row)?,
            };
            assert!(matches!(written, Written::Done(_)));
        }
        txn.end_statement(&mut s);
        Ok(())
    }

    pub fn delete(&self, txn: &mut Transaction, table: &Table, id: i64) -> TxnResult<()> {
        self.change(txn, table, id, |_| None)
    }

    /// The rows of a table, which every index must agree on.
    pub fn rows(&self, id: i32, n: u64) -> BTreeMap<i64, Row> {
        let table = self.table(id, n);
        let mut txn = self.begin(id);
        let mut s = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        let mut by_index = (0..3).map(|index| {
            let mut cursor = Cursor::new(s.snapshot(), index, ScanRange::All, Direction::Forward);
            let mut rows = BTreeMap::new();
            while let Some(row) = cursor.next(&mut txn, &self.task, &table).expect("reads succeed")
            {
                let row = values(&table, txn.row(row));
                assert!(rows.insert(row[0], row).is_none(), "{row:?} twice in index {index}");
            }
            rows
        });
        let first = by_index.next().expect("there are three");
        by_index.for_each(|other| assert_eq!(other, first));
        txn.end_statement(&mut s);
        assert_eq!(table.memory().rows as usize, first.len());
        first
    }
}

pub(crate) type State = BTreeMap<i64, Row>;

/// One random commit on a table: several rows, in several statements. Returns the state after it,
/// and whether it is acknowledged.
fn random_commit(
    server: &Server,
    table: &Table,
    rng: &mut SplitMix,
    state: &State,
) -> (State, TxnResult<bool>) {
    let mut txn = server.begin(5);
    let mut state = state.clone();
    for _ in 0..1 + rng.next_u64() % 4 {
        let id = (rng.next_u64() % 30) as i64;
        let v = (rng.next_u64() % 1000) as i64;
        let done = match (state.get(&id).copied(), rng.next_u64() % 4) {
            (None, _) => {
                let k = if state.values().any(|r| r[1] == id) { id + 1000 } else { id };
                state.insert(id, [id, k, v]);
                server.insert(&mut txn, table, [id, k, v])
            }
            (Some(_), 0) => {
                state.remove(&id);
                server.delete(&mut txn, table, id)
            }
            // To another key in the log, which is free.
            (Some(row), 1) if !state.contains_key(&(id + 30)) => {
                state.remove(&id);
                state.insert(id + 30, [id + 30, row[1], v]);
                server.change(&mut txn, table, id, |r| Some([r[0] + 30, r[1], v]))
            }
            (Some(row), _) => {
                state.insert(id, [row[0], row[1], v]);
                server.change(&mut txn, table, id, |r| Some([r[0], r[1], v]))
            }
        };
        done.expect("no other writer");
    }
    let session = txn.session().clone();
    let committed = txn.commit(&server.task, Durability::Full);
    // Every third is only published.
    let acknowledge = rng.next_u64() % 3 > 0;
    let waited = committed.and_then(|_| match acknowledge {
        true => session.wait_shown(&server.task).map(|()| true),
        false => Ok(false),
    });
    (state, waited)
}

/// Runs a workload until it is done or the power fails. Returns the states that may be found
/// afterwards: from the last that was acknowledged on.
pub(crate) fn workload(server: &Server, seed: u64, commits: usize, start: State) -> Vec<State> {
    let table = server.table(5, 1);
    let mut rng = SplitMix::new(seed);
    let mut states = vec![start];
    for _ in 0..commits {
        let before = states.last().expect("there is one");
        let (after, result) = random_commit(server, &table, &mut rng, before);
        if result == Ok(true) {
            states.clear();
        }
        states.push(after);
        if let Err(error) = result {
            assert_eq!(error, TxnError::LogFailed);
            break;
        }
        let database = server.engine.database(DbId(5)).expect("it is open");
        match rng.next_u64() % 12 {
            // What was not acknowledged is durable now, unless the power has gone.
            0 => drop(database.checkpoint(&server.task)),
            1 => drop(database.merge_checkpoint_files(&server.task, CommitRange::ALL)),
            2 => drop(database.collect_checkpoint_garbage(&server.task)),
            _ => {}
        }
    }
    states
}

#[test]
fn what_was_committed_is_there_after_a_clean_shutdown() {
    for threads in [1, 3] {
        let test_env = TestEnv::new(7);
        let server = test_env.create(&[5]).expect("the disk works");
        server.create_table(5, 1).expect("the disk works");
        let states = workload(&server, 7, 300, State::new());
        let database = server.engine.database(DbId(5)).expect("it is open");
        let table = server.table(5, 1);
        for _ in 0..10 {
            database.manager().take_identity(&server.task, &table, 1).expect("in range");
        }
        database.shut_down(&server.task, &[]).expect("the disk works");
        drop((database, table, server));
        test_env.sim.fs().power_off();
        test_env.sim.fs().power_on();
        let (server, watched) = test_env.recover_watched(&[5], threads);
        assert_eq!(watched[0].operations(), 0, "a checkpoint has it all");
        assert_eq!(server.rows(5, 1), *states.last().expect("there is one"));
        let database = server.engine.database(DbId(5)).expect("it is open");
        let next = database.manager().take_identity(&server.task, &server.table(5, 1), 1);
        assert_eq!(next, Ok(11), "counters are exact after a clean shutdown");
        // And it goes on from there.
        let state = states.last().expect("there is one").clone();
        let states = workload(&server, 8, 20, state);
        assert_eq!(server.rows(5, 1), *states.last().expect("there is one"));
    }
}

/// The seed of the crash tests; `THERMOCLINE_CRASH_SEED` repeats one, `THERMOCLINE_CRASH_STEP` sets
/// how many file operations lie between two crashes.
pub(crate) fn crash_seed_and_step() -> (u64, usize) {
    let variable = |name| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seed = variable("THERMOCLINE_CRASH_SEED")
        .unwrap_or_else(|| std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0_u64));
    println!("THERMOCLINE_CRASH_SEED={seed}");
    (seed, variable("THERMOCLINE_CRASH_STEP").unwrap_or(5) as usize)
}

#[test]
fn after_a_crash_at_any_file_operation_exactly_what_was_acknowledged_is_there() {
    let (seed, step) = crash_seed_and_step();
    let commits = 60;
    let operations = {
        let test_env = TestEnv::new(seed);
        let server = test_env.create(&[5]).expect("the disk works");
        server.create_table(5, 1).expect("the disk works");
        let before = test_env.sim.fs().operations();
        workload(&server, seed, commits, State::new());
        test_env.sim.fs().operations() - before
    };
    assert!(operations > 50, "the workload reaches the disk");
    for crash in (1..=operations).step_by(step) {
        let test_env = TestEnv::new(seed ^ crash);
        let server = test_env.create(&[5]).expect("the disk works");
        server.create_table(5, 1).expect("the disk works");
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + crash);
        let mut states = workload(&server, seed, commits, State::new());
        drop(server);
        // Twice: what the first recovery leaves must be recoverable too.
        for life in 0..2 {
            test_env.sim.fs().power_off();
            test_env.sim.fs().power_on();
            let server = test_env.recover(&[5], 1 + crash as usize % 3);
            let found = server.rows(5, 1);
            assert!(
                states.contains(&found),
                "crash at operation {crash}, life {life}: found {found:?}, not one of {states:?}"
            );
            states = workload(&server, seed + life, 5, found);
        }
    }
}

#[test]
fn a_transaction_of_many_chunks_is_whole_or_gone() {
    let test_env = TestEnv::new(3);
    let server = test_env.create(&[5]).expect("the disk works");
    let table = server.create_table(5, 1).expect("the disk works");
    let rows = 3000; // of 13 bytes and 16 for the operation: six records of 16 KB
    let mut txn = server.begin(5);
    for id in 0..rows {
        server.insert(&mut txn, &table, [id, id, 7]).expect("a fresh key");
    }
    let end = txn.commit(&server.task, Durability::Full).expect("there is room");
    let database = server.engine.database(DbId(5)).expect("it is open");
    database.manager().log().wait_durable(&server.task, end).expect("the disk works");
    // Another that is rolled back after its chunks are out, and one that is cut off.
    let mut txn = server.begin(5);
    for id in 0..rows {
        server.change(&mut txn, &table, id, |r| Some([r[0], r[1], 8])).expect("it is free");
    }
    txn.rollback(&server.task);
    let mut txn = server.begin(5);
    for id in 0..rows {
        server.delete(&mut txn, &table, id).expect("it is free");
    }
    test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + 1);
    let cut = txn
        .commit(&server.task, Durability::Full)
        .and_then(|end| Ok(database.manager().log().wait_durable(&server.task, end)?));
    assert!(cut.is_err(), "the power is off");
    drop((table, database, server));
    test_env.sim.fs().power_off();
    test_env.sim.fs().power_on();
    let server = test_env.recover(&[5], 2);
    let found = server.rows(5, 1);
    assert_eq!(found.len() as i64, rows);
    assert!(found.values().all(|r| r[2] == 7));
}

#[test]
fn tables_come_and_go_in_log_order() {
    let test_env = TestEnv::new(4);
    let server = test_env.create(&[5]).expect("the disk works");
    for n in 1..=3 {
        let table = server.create_table(5, n).expect("the disk works");
        let mut txn = server.begin(5);
        for id in 0..50 {
            server.insert(&mut txn, &table, [id, id, n as i64]).expect("a fresh key");
        }
        txn.commit(&server.task, Durability::Full).expect("the disk works");
    }
    server.drop_table(5, 2).expect("it is not in use");
    // A table that is made and filled in one commit.
    let database = server.engine.database(DbId(5)).expect("it is open");
    let catalog = database.manager().tables().get(CATALOG).expect("made with the database");
    let mut txn = server.begin(5);
    server.insert(&mut txn, &catalog, [4, 0, 0]).expect("a fresh key");
    let table = database.manager().create_table(&user_table(StorageId(1004)));
    server.insert(&mut txn, &table, [1, 1, 4]).expect("a fresh key");
    txn.commit(&server.task, Durability::Full).expect("the disk works");
    database.shut_down(&server.task, &[]).expect("the disk works");
    drop((table, catalog, database, server));
    let server = test_env.recover(&[5], 2);
    let database = server.engine.database(DbId(5)).expect("it is open");
    assert!(database.manager().tables().get(StorageId(1002)).is_none());
    assert_eq!(server.rows(5, 1).len(), 50);
    assert_eq!(server.rows(5, 3).len(), 50);
    assert_eq!(server.rows(5, 4), State::from([(1, [1, 1, 4])]));
}

/// Inserts one row into table 1 of each of two databases, in one transaction.
fn insert_in_both(server: &Server, id: i64) -> TxnResult<()> {
    let mut group = TransactionGroup::new();
    for database in [5, 6] {
        let mut txn = server.begin(database);
        server.insert(&mut txn, &server.table(database, 1), [id, id, database.into()])?;
        group.add(txn);
    }
    group.commit(&server.task, Durability::Full).map_err(|failed| failed.error)
}

#[test]
fn a_transaction_over_two_databases_is_in_both_or_in_neither() {
    let (seed, step) = crash_seed_and_step();
    for crash in (1..120).step_by(step.div_ceil(2)) {
        let test_env = TestEnv::new(seed ^ crash);
        let server = test_env.create(&[5, 6]).expect("the disk works");
        for database in [5, 6] {
            server.create_table(database, 1).expect("the disk works");
        }
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + crash);
        let done = (0..20).take_while(|id| insert_in_both(&server, *id).is_ok()).count();
        drop(server);
        for _ in 0..2 {
            test_env.sim.fs().power_off();
            test_env.sim.fs().power_on();
            let server = test_env.recover(&[5, 6], 2);
            let ids = |database| server.rows(database, 1).into_keys().collect::<Vec<_>>();
            assert_eq!(ids(5), ids(6), "crash at operation {crash}");
            assert!(ids(5).len() >= done, "what was acknowledged is there");
            assert!(ids(5).len() <= done + 1);
        }
    }
}

/// Values of a new table's identity column are taken, and its ceiling is logged, before the
/// transaction that makes the table commits. If that is in doubt when the log ends, the ceiling is
/// still known when it is decided.
#[test]
fn a_table_that_was_made_in_doubt_gives_no_identity_value_twice() {
    let make = |server: &Server| -> TxnResult<()> {
        let mut group = TransactionGroup::new();
        for id in [5, 6] {
            let database = server.engine.database(DbId(id)).expect("it is open");
            let manager = database.manager();
            let catalog = manager.tables().get(CATALOG).expect("made with the database");
            let mut txn = server.begin(id);
            server.insert(&mut txn, &catalog, [2, 0, 0])?;
            let table = manager.create_table(&user_table(StorageId(1002)));
            for _ in 0..3 {
                let value = manager.take_identity(&server.task, &table, 1)?;
                server.insert(&mut txn, &table, [value, value, 0])?;
            }
            group.add(txn);
        }
        group.commit(&server.task, Durability::Full).map_err(|failed| failed.error)
    };
    let mut found = 0;
    for crash in 1..60 {
        let test_env = TestEnv::new(crash);
        let server = test_env.create(&[5, 6]).expect("the disk works");
        for id in [5, 6] {
            server.engine.database(DbId(id)).expect("it is open").stop_threads();
        }
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + crash);
        let _ = make(&server);
        drop(server);
        test_env.sim.fs().power_off();
        test_env.sim.fs().power_on();
        let server = test_env.recover(&[5, 6], 2);
        for id in [5, 6] {
            let database = server.engine.database(DbId(id)).expect("it is open");
            let Some(table) = database.manager().tables().get(StorageId(1002)) else { continue };
            let next = database.manager().take_identity(&server.task, &table, 1);
            assert!(next.as_ref().is_ok_and(|next| *next > 3), "crash {crash}, {id}: {next:?}");
            found += 1;
        }
    }
    assert!(found > 0, "some crash left the table");
}

#[test]
fn without_the_coordinator_what_is_in_doubt_stays_closed() {
    let mut found = false;
    for crash in 1..60 {
        let test_env = TestEnv::new(crash);
        let server = test_env.create(&[5, 6]).expect("the disk works");
        for database in [5, 6] {
            server.create_table(database, 1).expect("the disk works");
        }
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + crash);
        let _ = insert_in_both(&server, 1);
        drop(server);
        test_env.sim.fs().power_off();
        test_env.sim.fs().power_on();
        let server = test_env.server();
        let host = server.engine.host();
        let tables = host.tables(u64::MAX);
        tables.create(&catalog_table());
        let mut catalog = TestCatalog::default();
        let recovery = RecoveryOptions::default();
        let database =
            Database::recover(host, identity(6), tables, &mut catalog, &options(), recovery)
                .expect("the log is whole");
        let in_doubt = database.recovery().in_doubt().count();
        found |= in_doubt > 0;
        let replayed = vec![ReplayedDatabase { database, catalog }];
        let opened = server.engine.open_recovered(&server.task, replayed, &[1005]);
        let why = TxnError::Unavailable(Unavailable::Recovering);
        match &opened[0].result {
            Ok(_) => assert_eq!(in_doubt, 0),
            Err(EngineError::Txn(error)) => assert_eq!((in_doubt, error), (1, &why)),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(found, "some crash left a transaction in doubt");
}

#[test]
fn what_is_not_logged_is_empty_after_a_restart() {
    let test_env = TestEnv::new(5);
    let server = test_env.create(&[5]).expect("the disk works");
    server.create_table(5, 1).expect("the disk works");
    let database = server.engine.database(DbId(5)).expect("it is open");
    let spec = TableSpec { logged: false, ..user_table(StorageId(77)) };
    let unlogged = database.manager().create_table(&spec);
    let mut txn = server.begin(5);
    server.insert(&mut txn, &unlogged, [1, 1, 1]).expect("a fresh key");
    assert!(!txn.has_logged_writes());
    txn.commit(&server.task, Durability::Full).expect("it takes filler");
    let mut txn = server.begin(5);
    server.insert(&mut txn, &unlogged, [2, 2, 2]).expect("a fresh key");
    server.insert(&mut txn, &server.table(5, 1), [2, 2, 2]).expect("a fresh key");
    txn.commit(&server.task, Durability::Full).expect("the disk works");
    database.shut_down(&server.task, &[]).expect("the disk works");
    drop((unlogged, database, server));
    let server = test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, 1), State::from([(2, [2, 2, 2])]));
}

#[test]
fn a_log_that_names_an_unknown_table_is_refused() {
    let test_env = TestEnv::new(6);
    let server = test_env.create(&[5]).expect("the disk works");
    let database = server.engine.database(DbId(5)).expect("it is open");
    // Rows of unknown tables in checkpoint files belonged to tables that were dropped.
    database.stop_threads();
    let stray = database.manager().create_table(&user_table(StorageId(1009)));
    let mut txn = server.begin(5);
    server.insert(&mut txn, &stray, [1, 1, 1]).expect("a fresh key");
    txn.commit(&server.task, Durability::Full).expect("the disk works");
    database.shut_down(&server.task, &[]).expect("the disk works");
    drop((stray, database, server));
    let server = test_env.server();
    let host = server.engine.host();
    let tables = host.tables(u64::MAX);
    tables.create(&catalog_table());
    let recovered = Database::recover(
        host,
        identity(5),
        tables,
        &mut TestCatalog::default(),
        &options(),
        RecoveryOptions::default(),
    );
    let error = recovered.err().expect("nothing says what the row belongs to");
    assert!(matches!(error, EngineError::Recovery(RecoveryError::UnknownTable { .. })), "{error}");
}

/// One session that inserts pairs of rows of its own, each pair in a transaction, until the power
/// fails. Returns how many were acknowledged, and how many were tried.
fn insert_pairs(engine: &Engine, table: &Table, session: i64) -> (i64, i64) {
    let task = Task::blocking(&engine.host().runtime);
    let owner = engine.host().owner(SessionId(60 + session as i16));
    let place = engine.database(DbId(5)).expect("it is open").session(&owner);
    for n in 0..200 {
        let mut txn = Transaction::begin(&place, &task).expect("a slot is free");
        let mut s = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        for half in 0..2 {
            let id = session * 100_000 + 2 * n + half;
            let row = bytes(table, [id, id, n]);
            txn.insert(&task, table, s.snapshot(), &row).expect("a fresh key");
        }
        txn.end_statement(&mut s);
        let committed = txn.commit(&task, Durability::Full);
        if committed.and_then(|_| place.wait_shown(&task)).is_err() {
            return (n, n + 1);
        }
    }
    (200, 200)
}

#[test]
fn each_of_many_sessions_finds_its_acknowledged_rows_after_a_crash() {
    let (seed, step) = crash_seed_and_step();
    for crash in (1..200).step_by(4 * step) {
        let test_env = TestEnv::new(seed ^ crash);
        let server = test_env.create(&[5]).expect("the disk works");
        let table = server.create_table(5, 1).expect("the disk works");
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + crash);
        let reported: Vec<(i64, i64)> = std::thread::scope(|scope| {
            let (engine, table) = (&server.engine, &table);
            let sessions: Vec<_> =
                (0..4).map(|n| scope.spawn(move || insert_pairs(engine, table, n))).collect();
            sessions.into_iter().map(|s| s.join().expect("no panic")).collect()
        });
        drop((table, server));
        test_env.sim.fs().power_off();
        test_env.sim.fs().power_on();
        let server = test_env.recover(&[5], 2);
        let rows = server.rows(5, 1);
        for (session, (acknowledged, tried)) in (0..).zip(reported) {
            let first = session * 100_000;
            let count = rows.range(first..first + 100_000).count() as i64;
            assert_eq!(count % 2, 0, "pairs are whole");
            assert!((acknowledged..=tried).contains(&(count / 2)), "crash at operation {crash}");
            let last = rows.range(first..first + 100_000).next_back();
            assert!(last.is_none_or(|(id, _)| *id == first + count - 1), "without gaps");
        }
    }
}
