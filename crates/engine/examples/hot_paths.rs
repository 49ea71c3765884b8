//! The paths that one row takes through the engine, each measured by itself.
//!
//! `cargo run --release -p thermocline-engine --example hot_paths [rows [rounds [part of a name]]]`
//!
//! A table of orders (60 bytes a row) with one hash index or with three indexes, in a database
//! without a log and in one with. Every figure is the median of the rounds, each on fresh tables,
//! and is checked against the rows that must be there.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Instant;

use base::ids::{DbId, SessionId, StorageId};
use base::{Arena, SqlType, ValueRef};
use crossbeam_epoch::Collector;
use engine::database::{Database, DatabaseIdentity, DatabaseOptions, Host};
use engine::hot::cursor::{Cursor, ScanRange};
use engine::hot::index::Direction;
use engine::hot::key::{KeyBuf, KeyColumn, SeekKey};
use engine::hot::table::{IndexKind, IndexSpec, Table, TableSpec};
use engine::hot::visibility::Isolation;
use engine::txn::{DatabaseSession, Durability, ReadAt, RowRef, Statement, Transaction, Written};
use engine::wait::{Runtime, RuntimeOptions, Task, ThreadTimer};
use env::Env;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Ordinals of the indexes: by `id`, in any order and in order, and by `customer`.
const HASH: usize = 0;
const RANGE: usize = 1;

/// `id int, customer int, v bigint, pad char(40)`, with one index or with three.
fn spec(storage: u64, indexes: usize, rows: u64) -> TableSpec {
    let int = SqlType::int();
    let columns = vec![int, int, SqlType::bigint(), SqlType::char(40, base::Collation::default())];
    let hash = IndexKind::Hash { bucket_count: rows };
    let all = [(hash, 0, true), (IndexKind::Range, 0, true), (hash, 1, false)];
    let index = |(kind, column, unique)| IndexSpec {
        kind,
        columns: vec![KeyColumn::ascending(column)],
        unique,
        filter: None,
    };
    TableSpec::new(StorageId(storage), columns, all.into_iter().take(indexes).map(index).collect())
}

/// Row images are changed in place, so that building them costs next to nothing.
struct Image {
    bytes: Vec<u8>,
    places: [usize; 3],
}

impl Image {
    fn new(table: &Table) -> Image {
        let mut bytes = Vec::new();
        let (id, customer, v) = (0x1122_3344_i32, 0x5566_7788_i32, 0x0123_4567_89AB_CDEF_i64);
        let values = [id.into(), customer.into(), v].map(ValueRef::Int);
        let pad = ValueRef::Chars(&[b'x'; 40]);
        table.layout().build(&[values[0], values[1], values[2], pad], &mut bytes);
        let place = |value: &[u8]| {
            bytes.windows(value.len()).position(|w| w == value).expect("the value is in the row")
        };
        let places =
            [place(&id.to_le_bytes()), place(&customer.to_le_bytes()), place(&v.to_le_bytes())];
        Image { bytes, places }
    }

    fn set(&mut self, id: u64, v: u64) -> &[u8] {
        let [a, b, c] = self.places;
        self.bytes[a..a + 4].copy_from_slice(&(id as i32).to_le_bytes());
        self.bytes[b..b + 4].copy_from_slice(&((id / 5) as i32).to_le_bytes());
        self.bytes[c..c + 8].copy_from_slice(&v.to_le_bytes());
        &self.bytes
    }
}

/// One session in one statement.
struct Session<'a, 't> {
    task: &'a Task<'t>,
    session: Arc<DatabaseSession>,
    key: KeyBuf,
}

/// Runs this on a coroutine, as statements do; waits block the thread.
fn on_coroutine(host: &Host, work: impl FnOnce(&Task) + Send + 'static) {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut statement = pin!(engine::wait::Statement::new(&host.runtime, Arc::default(), work));
    let unpark = Waker::from(Arc::new(Unpark(thread::current())));
    while statement.as_mut().poll(&mut Context::from_waker(&unpark)).is_pending() {
        thread::park();
    }
}

impl<'a, 't> Session<'a, 't> {
    fn new(database: &Database, host: &Host, task: &'a Task<'t>) -> Session<'a, 't> {
        let owner = host.owner(SessionId(51));
        Session { task, session: database.session(&owner), key: KeyBuf::default() }
    }

    fn begin(&self) -> (Transaction, Statement) {
        let mut txn = Transaction::begin(&self.session, self.task).expect("a slot is free");
        let statement = txn.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        (txn, statement)
    }

    fn commit(&self, txn: Transaction) {
        txn.commit(self.task, Durability::Full).expect("nothing conflicts");
    }

    /// Commits and waits until it is durable.
    fn commit_durably(&self, txn: Transaction) {
        self.commit(txn);
        self.session.wait_shown(self.task).expect("the disk works");
    }

    /// Inserts these ids in transactions of this many rows each.
    fn insert(&self, table: &Table, ids: impl Iterator<Item = u64>, per_commit: u64) {
        let mut image = Image::new(table);
        let mut open = None;
        for (n, id) in (1..).zip(ids) {
            let (txn, s) = open.get_or_insert_with(|| self.begin());
            txn.insert(self.task, table, s.snapshot(), image.set(id, 0)).expect("a fresh key");
            if n % per_commit == 0 {
                open.take().into_iter().for_each(|(txn, _)| self.commit(txn));
            }
        }
        open.into_iter().for_each(|(txn, _)| self.commit(txn));
        self.session.wait_shown(self.task).expect("the disk works");
    }

    fn find<'s>(
        &mut self,
        txn: &mut Transaction,
        s: &'s Statement,
        table: &'s Table,
        (index, id): (usize, u64),
        arena: &'s Arena,
    ) -> RowRef<'s> {
        // The key of an int, as machine code makes it.
        let key = (id as u32 ^ 1 << 31).to_be_bytes();
        let key = SeekKey::Bytes(&key);
        let found = txn.look_up(self.task, table, s.snapshot(), index, key, arena);
        found.expect("reads succeed").expect("it is there")
    }

    fn look_up(&mut self, table: &Table, index: usize, rows: u64) {
        let ((mut txn, s), arena) = (self.begin(), Arena::new());
        let mut sum = 0;
        for i in 0..rows {
            let found = self.find(&mut txn, &s, table, (index, scattered(i, rows)), &arena);
            sum += u64::from(txn.row(found)[1]);
        }
        std::hint::black_box(sum);
        self.commit(txn);
    }

    fn look_up_by_cursor(&mut self, table: &Table, index: usize, rows: u64) {
        let (mut txn, s) = self.begin();
        let key = ScanRange::Key(KeyBuf::default());
        let mut cursor = Cursor::new(s.snapshot(), index, key, Direction::Forward);
        let mut sum = 0;
        for i in 0..rows {
            let id = ValueRef::Int(scattered(i, rows) as i64);
            table.key_spec(index).encode_values(&[id], &mut self.key);
            cursor.restart_at_key(s.snapshot(), &self.key);
            let found = cursor.next(&mut txn, self.task, table).expect("reads succeed");
            sum += u64::from(txn.row(found.expect("it is there"))[1]);
        }
        std::hint::black_box(sum);
        self.commit(txn);
    }

    /// Updates every row by its key in the hash index.
    fn update(&mut self, table: &Table, rows: u64, per_commit: u64, v: u64) {
        let mut image = Image::new(table);
        for first in (0..rows).step_by(per_commit as usize) {
            let ((mut txn, s), arena) = (self.begin(), Arena::new());
            for i in first..(first + per_commit).min(rows) {
                let id = scattered(i, rows);
                let found = self.find(&mut txn, &s, table, (HASH, id), &arena);
                let row = image.set(id, v);
                let written = txn.update(self.task, s.snapshot(), found, row);
                assert!(matches!(written, Ok(Written::Done(_))));
            }
            self.commit(txn);
        }
        self.session.wait_shown(self.task).expect("the disk works");
    }
}

/// Numbers below `n` in an order that caches do not like: a permutation, unless `n` is a multiple
/// of the prime.
fn scattered(i: u64, n: u64) -> u64 {
    i * 2_654_435_761 % n
}

/// Nanoseconds a row, elapsed and of processor time, by what was measured, round after round.
struct Figures {
    part: String,
    all: Vec<(String, Vec<f64>, Vec<f64>)>,
}

/// Processor time of the whole process, which other processes disturb less.
fn cpu_ns() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for the call.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(result, 0, "the clock exists");
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Figures {
    fn measure(&mut self, name: &str, rows: u64, work: impl FnOnce()) {
        let (started, cpu_before) = (Instant::now(), cpu_ns());
        work();
        let elapsed = started.elapsed().as_nanos() as f64 / rows as f64;
        let cpu = (cpu_ns() - cpu_before) / rows as f64;
        match self.all.iter_mut().find(|(n, ..)| n == name) {
            Some((_, all_elapsed, all_cpu)) => {
                all_elapsed.push(elapsed);
                all_cpu.push(cpu);
            }
            None => self.all.push((name.to_string(), vec![elapsed], vec![cpu])),
        }
    }

    fn wants(&self, name: &str) -> bool {
        name.contains(&self.part)
    }

    fn print(&mut self) {
        println!("{:<48} {:>11} {:>9} {:>9} {:>9}", "", "rows/s", "ns", "least ns", "cpu ns");
        for (name, elapsed, cpu) in &mut self.all {
            let (ns, cpu_ns) = (median(elapsed), median(cpu));
            let (rate, least_ns) = (1e9 / ns, elapsed[0]);
            println!("{name:<48} {rate:>11.0} {ns:>9.1} {least_ns:>9.1} {cpu_ns:>9.1}");
        }
    }
}

/// One round in a fresh database.
fn round(
    (host, task): (&Host, &Task),
    database: &Arc<Database>,
    kind: &str,
    rows: u64,
    figures: &mut Figures,
) {
    let mut session = Session::new(database, host, task);
    for indexes in [1, 3] {
        let name = |what: &str| format!("{kind}, {indexes} index(es): {what}");
        let all_in_one = name("insert, all in one");
        let more =
            ["look-up, hash", "look-up, range", "look-up by cursor", "update, commits of 10000"];
        if figures.wants(&all_in_one) || more.iter().any(|what| figures.wants(&name(what))) {
            let table = database.manager().create_table(&spec(10 + indexes as u64, indexes, rows));
            figures.measure(&all_in_one, rows, || session.insert(&table, 0..rows, u64::MAX));
            assert_eq!(table.memory().rows, rows);
            read_and_update(&mut session, &table, &name, rows, figures);
        }
        for (per_commit, what) in [(1, "insert, commits of 1"), (10, "insert, commits of 10")] {
            if figures.wants(&name(what)) {
                let storage = 20 + 2 * per_commit + indexes as u64;
                let table = database.manager().create_table(&spec(storage, indexes, rows));
                figures.measure(&name(what), rows, || session.insert(&table, 0..rows, per_commit));
                assert_eq!(table.memory().rows, rows);
                database.manager().drop_table(StorageId(storage));
            }
        }
        two_threads(host, database, &name("insert, commits of 10"), indexes, rows, figures);
        database.manager().drop_table(StorageId(10 + indexes as u64));
        while database.reclaim(session.task, 1 << 16) > 0 {}
    }
}

fn read_and_update(
    session: &mut Session<'_, '_>,
    table: &Table,
    name: &dyn Fn(&str) -> String,
    rows: u64,
    figures: &mut Figures,
) {
    let hash = name("look-up, hash");
    if figures.wants(&hash) {
        figures.measure(&hash, rows, || session.look_up(table, HASH, rows));
    }
    let by_cursor = name("look-up by cursor, hash");
    if figures.wants(&by_cursor) {
        figures.measure(&by_cursor, rows, || session.look_up_by_cursor(table, HASH, rows));
    }
    let range = name("look-up, range");
    if table.links() > RANGE && figures.wants(&range) {
        figures.measure(&range, rows, || session.look_up(table, RANGE, rows));
    }
    for (per_commit, what) in [(10_000, "update, commits of 10000"), (1, "update, commits of 1")] {
        if figures.wants(&name(what)) {
            // The second time every row has a version to take the place of.
            for v in 1..3 {
                figures.measure(&name(what), rows, || session.update(table, rows, per_commit, v));
            }
        }
    }
}

/// Runs this on two threads at once.
fn on_two_threads(host: &Host, work: impl Fn(&Task, u64) + Clone + Send + 'static) {
    let threads = [0, 1].map(|part| {
        let (host, work) = (host.clone(), work.clone());
        thread::spawn(move || on_coroutine(&host, move |task| work(task, part)))
    });
    threads.into_iter().for_each(|t| t.join().expect("no assertion fails"));
}

/// Both threads insert, each every other row.
fn two_threads(
    host: &Host,
    database: &Arc<Database>,
    name: &str,
    indexes: usize,
    rows: u64,
    figures: &mut Figures,
) {
    let name = format!("{name}, two threads");
    if !figures.wants(&name) {
        return;
    }
    let storage = 50 + indexes as u64;
    let table = database.manager().create_table(&spec(storage, indexes, rows));
    let (own, own_host, own_table) = (database.clone(), host.clone(), table.clone());
    figures.measure(&name, rows, || {
        on_two_threads(host, move |task, part| {
            let session = Session::new(&own, &own_host, task);
            session.insert(&own_table, (part..rows).step_by(2), 10);
        });
    });
    assert_eq!(table.memory().rows, rows);
    database.manager().drop_table(StorageId(storage));
}

/// Small commits that are each waited for, by two threads: what a flush costs.
fn durable_commits(host: &Host, database: &Arc<Database>, figures: &mut Figures) {
    const COMMITS: u64 = 2000;
    let name = "log: durable commits of 1, two threads";
    if !figures.wants(name) {
        return;
    }
    let table = database.manager().create_table(&spec(70, 1, COMMITS));
    let (own, own_host, own_table) = (database.clone(), host.clone(), table.clone());
    figures.measure(name, COMMITS, || {
        on_two_threads(host, move |task, part| {
            let session = Session::new(&own, &own_host, task);
            let mut image = Image::new(&own_table);
            for id in (part..COMMITS).step_by(2) {
                let (mut txn, s) = session.begin();
                let row = image.set(id, 0);
                txn.insert(task, &own_table, s.snapshot(), row).expect("a fresh key");
                session.commit_durably(txn);
            }
        });
    });
    assert_eq!(table.memory().rows, COMMITS);
}

fn logged(host: &Host, dir: &Path) -> Arc<Database> {
    let identity = DatabaseIdentity { id: DbId(6), uuid: 6, dir: dir.to_path_buf() };
    let options = DatabaseOptions::default();
    let database = Database::create(host, identity, host.tables(u64::MAX), &options);
    Arc::new(database.expect("the disk works"))
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default| args.next().map_or(default, |a| a.parse().expect("a number"));
    let (rows, rounds) = (number(1_000_000), number(5));
    let mut figures = Figures { part: args.next().unwrap_or_default(), all: Vec::new() };
    let runtime = Runtime::new(
        Env::real(),
        Collector::new(),
        Arc::new(ThreadTimer::new()),
        RuntimeOptions::default(),
    );
    let host = Host::new(runtime, 2, u64::MAX);
    let own_host = host.clone();
    on_coroutine(&host, move |task| {
        (0..rounds).for_each(|_| both_databases((&own_host, task), rows, &mut figures));
        figures.print();
    });
}

fn both_databases((host, task): (&Host, &Task), rows: u64, figures: &mut Figures) {
    let database = Arc::new(Database::unlogged(host, DbId(5), host.tables(u64::MAX)));
    round((host, task), &database, "no log", rows, figures);
    drop(database);
    let dir = std::env::temp_dir().join(format!("hot_paths-{}", std::process::id()));
    let database = logged(host, &dir);
    round((host, task), &database, "log", rows, figures);
    durable_commits(host, &database, figures);
    database.shut_down(task, &[]).expect("the disk works");
    drop(database);
    std::fs::remove_dir_all(&dir).expect("it was made here");
}
