//! What transactions cost, without SQL: inserts, look-ups, updates, commits, recovery.
//!
//! `cargo run --release -p thermocline-engine --example txn_bench [rows]`
//!
//! Every figure is checked against the rows that must be there.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use base::SqlType;
use base::ids::{DbId, Lsn, SessionId, StorageId};
use crossbeam_epoch::Collector;
use engine::database::{Database, DatabaseIdentity, DatabaseOptions, Host};
use engine::hot::cursor::{Cursor, ScanRange};
use engine::hot::index::Direction;
use engine::hot::key::{KeyBuf, KeyColumn};
use engine::hot::table::{IndexKind, IndexSpec, Table, TableSpec};
use engine::hot::visibility::Isolation;
use engine::log::Operation;
use engine::recovery::{CatalogChange, RecoveredTables, RecoveryCatalog, RecoveryOptions};
use engine::txn::{DatabaseSession, Durability, ReadAt, Statement, Transaction, Written};
use engine::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};
use env::Env;

/// Columns of 60 bytes together: `id int, customer int, v bigint, pad char(40)`.
fn columns() -> Vec<SqlType> {
    let int = SqlType::int();
    let pad = SqlType::char(40, base::Collation::default());
    vec![int, int, SqlType::bigint(), pad]
}

fn spec(storage: u64, indexes: usize, rows: u64) -> TableSpec {
    let hash = IndexKind::Hash { bucket_count: rows };
    let all = [(hash, 0, true), (IndexKind::Range, 0, true), (hash, 1, false)];
    let index = |(kind, column, unique)| IndexSpec {
        kind,
        columns: vec![KeyColumn::ascending(column)],
        unique,
        filter: None,
    };
    let indexes = all.into_iter().take(indexes).map(index).collect();
    TableSpec::new(StorageId(storage), columns(), indexes)
}

fn row(table: &Table, id: u64, v: i64, out: &mut Vec<u8>) {
    out.clear();
    use base::ValueRef::{Chars, Int};
    let values = [Int(id as i64), Int((id / 5) as i64), Int(v), Chars(&[b'x'; 40])];
    table.layout().build(&values, out);
}

/// One session on one thread.
struct Session {
    task: Task<'static>,
    session: Arc<DatabaseSession>,
    row: Vec<u8>,
    key: KeyBuf,
}

impl Session {
    fn new(database: &Database, host: &Host) -> Session {
        let owner = host.owner(SessionId(51));
        let task = Task::blocking(&host.runtime);
        let session = database.session(&owner);
        Session { task, session, row: Vec::new(), key: KeyBuf::default() }
    }

    fn begin(&self) -> (Transaction, Statement) {
        let mut txn = Transaction::begin(&self.session, &self.task).expect("a slot is free");
        let statement = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        (txn, statement)
    }

    fn commit(&self, txn: Transaction) -> Lsn {
        txn.commit(&self.task, Durability::Delayed).expect("nothing conflicts")
    }

    fn insert(&mut self, txn: &mut Transaction, s: &Statement, table: &Table, id: u64) {
        row(table, id, 0, &mut self.row);
        txn.insert(&self.task, table, s.snapshot(), &self.row).expect("a fresh key");
    }

    fn seek<'s>(&mut self, cursor: &mut Cursor<'s>, s: &'s Statement, table: &Table, id: u64) {
        table.key_spec(0).encode_values(&[base::ValueRef::Int(id as i64)], &mut self.key);
        cursor.restart_at_key(s.snapshot(), &self.key);
    }

    fn update<'s>(
        &mut self,
        txn: &mut Transaction,
        s: &'s Statement,
        cursor: &mut Cursor<'s>,
        table: &Table,
        id: u64,
        v: i64,
    ) {
        self.seek(cursor, s, table, id);
        let found =
            cursor.next(txn, &self.task, table).expect("reads succeed").expect("it is there");
        row(table, id, v, &mut self.row);
        let written = txn.update(&self.task, s.snapshot(), found, &self.row);
        assert!(matches!(written, Ok(Written::Done(_))));
    }

    fn cursor(s: &Statement) -> Cursor<'_> {
        Cursor::new(s.snapshot(), 0, ScanRange::Key(KeyBuf::default()), Direction::Forward)
    }
}

/// Elapsed time, and the processor time of the whole process, which other processes disturb less.
struct Meter {
    started: Instant,
    cpu_ns: u64,
}

impl Meter {
    fn start() -> Meter {
        Meter { started: Instant::now(), cpu_ns: cpu_ns() }
    }

    fn report(&self, what: &str, count: u64) {
        let seconds = self.started.elapsed().as_secs_f64();
        let (rate, cpu) = (count as f64 / seconds, (cpu_ns() - self.cpu_ns) / count.max(1));
        println!("{what:<58} {rate:>12.0} /s {cpu:>8} ns of processor time each");
    }
}

fn cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for the call.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0, "the clock exists");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Numbers below `n` in an order that caches do not like.
fn scattered(i: u64, n: u64) -> u64 {
    i.wrapping_mul(0x9E37_79B9_7F4A_7C15) % n
}

fn inserts(host: &Host, database: &Database, rows: u64, kind: &str) {
    let mut session = Session::new(database, host);
    for indexes in [1, 3] {
        let table = database.manager().create_table(&spec(10 + indexes as u64, indexes, rows));
        let started = Meter::start();
        for id in 0..rows {
            let (mut txn, s) = session.begin();
            session.insert(&mut txn, &s, &table, id);
            session.commit(txn);
        }
        started.report(&format!("{kind}: insert, one a transaction, {indexes} index(es)"), rows);
        assert_eq!(table.memory().rows, rows);
        let table = database.manager().create_table(&spec(20 + indexes as u64, indexes, rows));
        let started = Meter::start();
        let (mut txn, s) = session.begin();
        for id in 0..rows {
            session.insert(&mut txn, &s, &table, id);
        }
        session.commit(txn);
        started.report(&format!("{kind}: insert, all in one, {indexes} index(es)"), rows);
        assert_eq!(table.memory().rows, rows);
    }
}

fn reads_and_updates(host: &Host, database: &Database, rows: u64, kind: &str) {
    let mut session = Session::new(database, host);
    let table = database.manager().tables().get(StorageId(21)).expect("inserts made it");
    let (mut txn, s) = session.begin();
    let mut cursor = Session::cursor(&s);
    let started = Meter::start();
    for i in 0..rows {
        session.seek(&mut cursor, &s, &table, scattered(i, rows));
        let found = cursor.next(&mut txn, &session.task, &table).expect("reads succeed");
        assert!(found.is_some());
    }
    started.report(&format!("{kind}: point look-up, one snapshot"), rows);
    session.commit(txn);
    let started = Meter::start();
    for i in 0..rows {
        let (mut txn, s) = session.begin();
        let mut cursor = Session::cursor(&s);
        session.seek(&mut cursor, &s, &table, scattered(i, rows));
        let found = cursor.next(&mut txn, &session.task, &table).expect("reads succeed");
        assert!(found.is_some());
        session.commit(txn);
    }
    started.report(&format!("{kind}: point look-up, one a transaction"), rows);
    let started = Meter::start();
    let (mut txn, s) = session.begin();
    let mut cursor = Session::cursor(&s);
    for i in 0..rows {
        session.update(&mut txn, &s, &mut cursor, &table, i, 1);
    }
    session.commit(txn);
    started.report(&format!("{kind}: update by key, all in one"), rows);
    let started = Meter::start();
    for i in 0..rows {
        let (mut txn, s) = session.begin();
        let mut cursor = Session::cursor(&s);
        session.update(&mut txn, &s, &mut cursor, &table, i % 100, i as i64);
        session.commit(txn);
    }
    started.report(&format!("{kind}: update of 100 hot rows, one a transaction"), rows);
}

fn two_threads(host: &Host, database: &Database, rows: u64, kind: &str) {
    let table = database.manager().create_table(&spec(30, 1, rows));
    let started = Meter::start();
    std::thread::scope(|scope| {
        for part in 0..2 {
            let table = &table;
            scope.spawn(move || {
                let mut session = Session::new(database, host);
                for id in (0..rows).filter(|id| id % 2 == part) {
                    let (mut txn, s) = session.begin();
                    session.insert(&mut txn, &s, table, id);
                    session.commit(txn);
                }
            });
        }
    });
    started.report(&format!("{kind}: insert, one a transaction, two threads"), rows);
    assert_eq!(table.memory().rows, rows);
    let started = Meter::start();
    std::thread::scope(|scope| {
        for part in 0..2 {
            let table = &table;
            scope.spawn(move || {
                let mut session = Session::new(database, host);
                let (mut txn, s) = session.begin();
                let mut cursor = Session::cursor(&s);
                for i in (0..rows).filter(|i| i % 2 == part) {
                    session.seek(&mut cursor, &s, table, scattered(i, rows));
                    let found = cursor.next(&mut txn, &session.task, table);
                    assert!(found.expect("reads succeed").is_some());
                }
            });
        }
    });
    started.report(&format!("{kind}: point look-up, two threads"), rows);
}

fn reclaiming(host: &Host, database: &Database, rows: u64, kind: &str) {
    let mut session = Session::new(database, host);
    let table = database.manager().tables().get(StorageId(23)).expect("inserts made it");
    let before = table.memory().allocated_bytes;
    let (mut txn, s) = session.begin();
    let mut cursor = Session::cursor(&s);
    let started = Meter::start();
    for id in 0..rows {
        session.seek(&mut cursor, &s, &table, id);
        let found = cursor.next(&mut txn, &session.task, &table).expect("reads succeed");
        let found = found.expect("it is there");
        let written = txn.delete(&session.task, s.snapshot(), found);
        assert!(matches!(written, Ok(Written::Done(_))));
    }
    let end = session.commit(txn);
    started.report(&format!("{kind}: delete by key, all in one, 3 indexes"), rows);
    database.manager().log().wait_durable(&session.task, end).expect("the disk works");
    let started = Meter::start();
    while table.memory().allocated_bytes > 0 {
        database.reclaim(&session.task, 1 << 16);
    }
    started.report(&format!("{kind}: reclaim ({} MB of rows)", before >> 20), rows);
}

/// The tables of this program are known beforehand.
struct NoCatalog;

impl RecoveryCatalog for NoCatalog {
    fn changed(
        &mut self,
        _: &RecoveredTables<'_>,
        _: Lsn,
        _: &[CatalogChange],
    ) -> Result<(), String> {
        Ok(())
    }

    fn operation(&mut self, _: Lsn, _: &Operation<'_>) -> Result<(), String> {
        Ok(())
    }
}

fn recovery(host: &Host, dir: &Path, rows: u64) {
    let identity = DatabaseIdentity { id: DbId(6), uuid: 6, dir: dir.to_path_buf() };
    let tables = host.tables(u64::MAX);
    for storage in [11, 13, 21, 23, 30] {
        let indexes = if storage == 30 { 1 } else { storage as usize % 10 };
        tables.create(&spec(storage, indexes, rows));
    }
    let (options, how) = (DatabaseOptions::default(), RecoveryOptions::default());
    let progress = how.progress.clone();
    let started = Meter::start();
    let read = Database::recover(host, identity, tables, &mut NoCatalog, &options, how);
    let read = read.expect("the log is whole");
    let operations = progress.operations();
    started.report("recovery: operations replayed", operations);
    let task = Task::blocking(&host.runtime);
    let indexing = Meter::start();
    let database = read.open(&task, &mut NoCatalog, |_| false).expect("the log is whole");
    indexing.report("recovery: rows put into 2 further indexes", progress.indexed());
    started.report("recovery: operations, everything", operations);
    let counts = |s| database.manager().tables().get(StorageId(s)).expect("made").memory().rows;
    assert_eq!([11, 13, 21, 23, 30].map(counts), [rows, rows, rows, 0, rows]);
}

fn main() {
    let rows = std::env::args().nth(1).and_then(|r| r.parse().ok()).unwrap_or(1_000_000);
    let runtime = Runtime::new(
        Env::real(),
        Collector::new(),
        Arc::new(ThreadTimer::new()),
        RuntimeOptions::default(),
    );
    let host = Host::new(runtime, 2, u64::MAX);
    let run = |database: &Database, kind: &str| {
        inserts(&host, database, rows, kind);
        reads_and_updates(&host, database, rows, kind);
        two_threads(&host, database, rows, kind);
        reclaiming(&host, database, rows, kind);
    };
    run(&Database::unlogged(&host, DbId(5), host.tables(u64::MAX)), "no log");
    let dir = std::env::temp_dir().join(format!("txn_bench-{}", std::process::id()));
    let identity = DatabaseIdentity { id: DbId(6), uuid: 6, dir: dir.clone() };
    let options = DatabaseOptions::default();
    let database = Database::create(&host, identity, host.tables(u64::MAX), &options);
    let database = database.expect("the disk works");
    run(&database, "log");
    let task = Task::blocking(&host.runtime);
    database.shut_down(&task, &[]).expect("the disk works");
    drop(database);
    recovery(&host, &dir, rows);
    std::fs::remove_dir_all(&dir).expect("it was made here");
}
