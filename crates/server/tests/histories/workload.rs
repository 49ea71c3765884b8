//! Clients that run random transactions on tables of each kind, at each level of isolation.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use base::Value;
use tools::client::{ClientError, Connection};
use tools::local::{DataDir, LocalServer};

use crate::check::check;
use crate::history::{Element, Key, Promise, Step, Transaction};
use testkit::rng::Rng;

const CLIENTS: u64 = 8;
/// Keys that are used at a time. Others take their place so that lists stay short.
const ACTIVE: u64 = 4;
/// Steps after which the next keys are used.
const PHASE: u64 = 150;
/// Keys at least, and for each second of a trial: more than a fast machine comes to, so that none
/// is used again. What must be checked of a key grows with the square of its reads and writes.
const KEYS: u64 = 4_000;
const KEYS_PER_SECOND: u64 = 1_000;
/// Transactions of which more must commit for a history to show anything.
const ENOUGH: usize = 20;
/// How much longer than planned a trial may take to come to that.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where lists and sets are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tables {
    Disk,
    Memory,
    /// Ordinary tables whose rows are cached when they have left memory.
    Cached,
    /// Even keys in ordinary tables, odd ones in memory-optimized tables.
    Both,
    /// Keys of all three kinds in turn.
    All,
}

impl Tables {
    /// Whether some of the tables have row caching.
    fn is_cached(self) -> bool {
        matches!(self, Tables::Cached | Tables::All)
    }
}

/// How clients ask for isolation.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// For the session.
    session: &'static str,
    /// On each memory-optimized table.
    hint: &'static str,
    /// Whether READ COMMITTED reads versions.
    versions: bool,
    promise: Promise,
}

const READ_COMMITTED: Level =
    Level { session: "READ COMMITTED", hint: "", versions: true, promise: Promise::ReadCommitted };

const TRIALS: &[(Tables, Level)] = &[
    (Tables::Disk, READ_COMMITTED),
    (Tables::Disk, Level { versions: false, ..READ_COMMITTED }),
    (
        Tables::Disk,
        Level { session: "REPEATABLE READ", promise: Promise::RepeatableRead, ..READ_COMMITTED },
    ),
    (Tables::Disk, Level { session: "SNAPSHOT", promise: Promise::Snapshot, ..READ_COMMITTED }),
    (
        Tables::Disk,
        Level { session: "SERIALIZABLE", promise: Promise::Serializable, ..READ_COMMITTED },
    ),
    (Tables::Memory, Level { hint: "SNAPSHOT", promise: Promise::Snapshot, ..READ_COMMITTED }),
    (
        Tables::Memory,
        Level { hint: "REPEATABLEREAD", promise: Promise::RepeatableRead, ..READ_COMMITTED },
    ),
    (
        Tables::Memory,
        Level { hint: "SERIALIZABLE", promise: Promise::Serializable, ..READ_COMMITTED },
    ),
    (Tables::Cached, READ_COMMITTED),
    (Tables::Cached, Level { versions: false, ..READ_COMMITTED }),
    (
        Tables::Cached,
        Level { session: "REPEATABLE READ", promise: Promise::RepeatableRead, ..READ_COMMITTED },
    ),
    (Tables::Cached, Level { session: "SNAPSHOT", promise: Promise::Snapshot, ..READ_COMMITTED }),
    (
        Tables::Cached,
        Level { session: "SERIALIZABLE", promise: Promise::Serializable, ..READ_COMMITTED },
    ),
    // Beside each other the tables have the weaker promise in common.
    (Tables::Both, READ_COMMITTED),
    (Tables::Both, Level { versions: false, ..READ_COMMITTED }),
    (Tables::Both, Level { session: "SERIALIZABLE", hint: "SNAPSHOT", ..READ_COMMITTED }),
    (Tables::All, READ_COMMITTED),
    (Tables::All, Level { session: "SERIALIZABLE", hint: "SNAPSHOT", ..READ_COMMITTED }),
];

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn run(connection: &mut Connection, text: &str) {
    let outcome = connection.execute(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(outcome.first_error.is_none(), "{text}: {:?}", outcome.first_error);
}

/// Whether rows were found in the row cache since it was made.
fn has_cache_hits(connection: &mut Connection) -> bool {
    let text = "SELECT SUM(hash_hits) FROM sys.dm_db_row_cache_stats";
    matches!(connection.query(text).unwrap().rows[0][0], Value::Int(hits) if hits > 0)
}

/// One trial's clients.
struct Trial<'s> {
    server: &'s LocalServer,
    tables: Tables,
    level: Level,
    keys: u64,
    /// Whether a row was found in the row cache, if tables have one.
    uses_cache: AtomicBool,
    /// Elements and transactions so far.
    count: AtomicU64,
    history: Mutex<Vec<Transaction>>,
}

impl Trial<'_> {
    /// How many transactions have committed.
    fn committed(&self) -> usize {
        let history = self.history.lock().unwrap();
        history.iter().filter(|transaction| transaction.committed).count()
    }

    fn connect(&self) -> Connection {
        let mut connection =
            Connection::connect(&self.server.options().with_database("histories")).unwrap();
        let session = self.level.session;
        run(
            &mut connection,
            &format!("SET TRANSACTION ISOLATION LEVEL {session}; SET LOCK_TIMEOUT 5000"),
        );
        connection
    }

    /// The table of a key, with its hint.
    fn table(&self, key: Key, what: &str) -> String {
        let kind = match self.tables {
            Tables::Both => [Tables::Disk, Tables::Memory][key as usize % 2],
            Tables::All => [Tables::Disk, Tables::Memory, Tables::Cached][key as usize % 3],
            one => one,
        };
        match kind {
            Tables::Cached => format!("dbo.{what}_cached"),
            Tables::Memory if self.level.hint.is_empty() => format!("dbo.{what}_memory"),
            Tables::Memory => format!("dbo.{what}_memory WITH ({})", self.level.hint),
            _ => format!("dbo.{what}_disk"),
        }
    }

    fn create(&self) {
        let options = self.server.options();
        let mut connection = Connection::connect(&options).unwrap();
        let versions = if self.level.versions { "ON" } else { "OFF" };
        let keys = self.keys;
        for text in [
            "CREATE DATABASE histories",
            "ALTER DATABASE histories ADD FILEGROUP f CONTAINS MEMORY_OPTIMIZED_DATA",
            "ALTER DATABASE histories ADD FILE (NAME = 'f', FILENAME = 'f') TO FILEGROUP f",
            "ALTER DATABASE histories SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON",
            "ALTER DATABASE histories SET ALLOW_SNAPSHOT_ISOLATION ON",
            &format!("ALTER DATABASE histories SET READ_COMMITTED_SNAPSHOT {versions}"),
            "USE histories",
            "CREATE TABLE lists_disk (k int PRIMARY KEY, v varchar(8000) NOT NULL)",
            "CREATE TABLE sets_disk (g int NOT NULL, e bigint PRIMARY KEY, INDEX ig (g))",
            // The largest of the tables, so that its rows leave memory first.
            "CREATE TABLE lists_cached (k int PRIMARY KEY, v varchar(8000) NOT NULL, \
             pad char(1000) NOT NULL DEFAULT '') WITH (ROW_CACHING = ON)",
            "CREATE TABLE sets_cached (g int NOT NULL, e bigint PRIMARY KEY, INDEX ig (g)) \
             WITH (ROW_CACHING = ON)",
            "CREATE TABLE lists_memory (k int PRIMARY KEY NONCLUSTERED HASH WITH (BUCKET_COUNT = 8192), \
             v varchar(8000) NOT NULL) WITH (MEMORY_OPTIMIZED = ON)",
            "CREATE TABLE sets_memory (g int NOT NULL INDEX ig NONCLUSTERED, e bigint PRIMARY KEY NONCLUSTERED) \
             WITH (MEMORY_OPTIMIZED = ON)",
            &format!("INSERT lists_disk SELECT value, '' FROM GENERATE_SERIES(0, {keys})"),
            &format!("INSERT lists_cached (k, v) SELECT value, '' FROM GENERATE_SERIES(0, {keys})"),
            &format!("INSERT lists_memory SELECT value, '' FROM GENERATE_SERIES(0, {keys})"),
        ] {
            run(&mut connection, text);
        }
    }

    /// Sees to it that rows leave memory at once, that copies of them go now and then, and that
    /// some of the time there are none.
    fn disturb(&self, is_over: &(impl Fn() -> bool + Sync)) {
        let mut connection = self.connect();
        for turn in 1.. {
            if is_over() {
                break;
            }
            run(&mut connection, "CHECKPOINT");
            if !self.uses_cache.load(Relaxed) {
                self.uses_cache.store(has_cache_hits(&mut connection), Relaxed);
            }
            // Waits for writers, so it may be the victim of a deadlock.
            let mut switch = |to: &str| {
                let text = format!("ALTER TABLE lists_cached SET (ROW_CACHING = {to})");
                if let Err(error) = connection.execute(&text) {
                    let number = error.server_message().map(|message| message.error.number());
                    assert!(matches!(number, Some(1205 | 1222)), "{text}: {error}");
                }
            };
            match turn % 30 {
                10 => run(&mut connection, "DBCC DROPCLEANBUFFERS"),
                20 => switch("OFF"),
                21 => switch("ON"),
                _ => {}
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn drop_database(&self) {
        let mut connection = Connection::connect(&self.server.options()).unwrap();
        run(&mut connection, "DROP DATABASE histories");
    }

    /// Does one step, chosen at random.
    fn step(&self, connection: &mut Connection, rng: &mut Rng) -> Result<Step, ClientError> {
        let count = self.count.load(Relaxed);
        let phase = count / PHASE;
        let key = ((phase * ACTIVE + rng.between(0, ACTIVE)) % self.keys) as Key;
        let element = self.count.fetch_add(1, Relaxed);
        match rng.between(0, 4) {
            0 => {
                let table = self.table(key, "lists");
                connection
                    .execute(&format!("UPDATE {table} SET v = v + '{element},' WHERE k = {key}"))?;
                Ok(Step::Append(key, element))
            }
            1 => self.read_list(connection, key),
            2 => {
                let table = self.table(key, "sets");
                connection.execute(&format!("INSERT {table} (g, e) VALUES ({key}, {element})"))?;
                Ok(Step::Add(key, element))
            }
            _ => self.read_set(connection, key),
        }
    }

    fn read_list(&self, connection: &mut Connection, key: Key) -> Result<Step, ClientError> {
        let table = self.table(key, "lists");
        let rows = connection.query(&format!("SELECT v FROM {table} WHERE k = {key}"))?.rows;
        let Value::Chars(text) = &rows[0][0] else { panic!("{:?} is no list", rows[0][0]) };
        let text = std::str::from_utf8(text).unwrap();
        let elements = text.split(',').filter(|part| !part.is_empty()).map(|e| e.parse().unwrap());
        Ok(Step::List(key, elements.collect()))
    }

    fn read_set(&self, connection: &mut Connection, key: Key) -> Result<Step, ClientError> {
        let table = self.table(key, "sets");
        let rows = connection.query(&format!("SELECT e FROM {table} WHERE g = {key}"))?.rows;
        let element = |row: &Vec<Value>| match row[0] {
            Value::Int(element) => element as Element,
            ref other => panic!("{other:?} is no element"),
        };
        Ok(Step::Set(key, rows.iter().map(element).collect()))
    }

    /// Runs a transaction of a few steps; errors of the server roll it back.
    fn transaction(&self, connection: &mut Connection, rng: &mut Rng) {
        let mut transaction = Transaction { steps: Vec::new(), committed: false };
        run(connection, "BEGIN TRANSACTION");
        let mut failed = None;
        for _ in 0..rng.between(1, 6) {
            match self.step(connection, rng) {
                Ok(step) => transaction.steps.push(step),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        let is_given_up = rng.between(0, 20) == 0;
        if failed.is_none() && !is_given_up {
            match connection.execute("COMMIT") {
                Ok(_) => transaction.committed = true,
                Err(error) => failed = Some(error),
            }
        }
        if let Some(error) = &failed {
            let number = error.server_message().map(|message| message.error.number());
            // 3961 is for a snapshot that is older than a switch of row caching.
            const EXPECTED: [i32; 8] = [1205, 1222, 3960, 3961, 41301, 41302, 41305, 41325];
            assert!(number.is_some_and(|n| EXPECTED.contains(&n)), "{transaction:?}: {error}");
        }
        if !transaction.committed {
            run(connection, "IF @@TRANCOUNT > 0 ROLLBACK");
        }
        self.history.lock().unwrap().push(transaction);
    }

    /// Reads everything that was written, when all others have ended.
    fn read_all(&self) {
        let mut connection = self.connect();
        let history = std::mem::take(&mut *self.history.lock().unwrap());
        let (mut lists, mut sets) = (Vec::new(), Vec::new());
        for step in history.iter().flat_map(|transaction| &transaction.steps) {
            match step {
                Step::Append(key, _) | Step::List(key, _) => lists.push(*key),
                Step::Add(key, _) | Step::Set(key, _) => sets.push(*key),
            }
        }
        let unique = |mut keys: Vec<Key>| {
            keys.sort_unstable();
            keys.dedup();
            keys
        };
        let mut steps = Vec::new();
        for key in unique(lists) {
            steps.push(self.read_list(&mut connection, key).unwrap());
        }
        for key in unique(sets) {
            steps.push(self.read_set(&mut connection, key).unwrap());
        }
        let mut history = history;
        // A transaction each, as they were read one after the other.
        history.extend(
            steps.into_iter().map(|step| Transaction { steps: vec![step], committed: true }),
        );
        *self.history.lock().unwrap() = history;
    }
}

#[test]
fn what_clients_see_is_what_their_isolation_level_promises() {
    let time = Duration::from_secs(number_from("THERMOCLINE_HISTORIES", 1));
    let seed = number_from("THERMOCLINE_SEED", u64::from(std::process::id()));
    let wanted = std::env::var("THERMOCLINE_HISTORIES_OF").unwrap_or_default();
    let is_wanted = |tables: Tables| {
        wanted.is_empty() || wanted.split(',').any(|name| name == format!("{tables:?}"))
    };
    println!("{} s for each trial, THERMOCLINE_SEED={seed}", time.as_secs());
    let program = std::env::var_os("THERMOCLINE_PROGRAM").map(PathBuf::from);
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_thermocline").into());
    let data = DataDir::temporary("histories").unwrap();
    // Rows of ordinary tables sink meanwhile.
    let flags = ["--disk-table-memory", "1MB", "--buffer-pool-size", "64MB", "--max-memory", "1GB"];
    let server = LocalServer::start_program(&program, data.path(), &flags).unwrap();
    let mut rng = Rng::new(seed);
    for (tables, level) in TRIALS.iter().filter(|(tables, _)| is_wanted(*tables)) {
        let history = Mutex::new(Vec::new());
        let trial = Trial {
            server: &server,
            tables: *tables,
            level: *level,
            keys: KEYS + time.as_secs() * KEYS_PER_SECOND,
            uses_cache: AtomicBool::new(!tables.is_cached()),
            count: AtomicU64::new(1),
            history,
        };
        trial.create();
        let began = Instant::now();
        let is_over = || match began.elapsed() {
            elapsed if elapsed < time => false,
            elapsed => {
                let is_enough = trial.committed() > ENOUGH && trial.uses_cache.load(Relaxed);
                is_enough || elapsed > time + PATIENCE
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                let mut rng = rng.fork();
                let (trial, is_over) = (&trial, &is_over);
                scope.spawn(move || {
                    let mut connection = trial.connect();
                    loop {
                        trial.transaction(&mut connection, &mut rng);
                        if is_over() {
                            break;
                        }
                    }
                });
            }
            if tables.is_cached() {
                let (trial, is_over) = (&trial, &is_over);
                scope.spawn(move || trial.disturb(is_over));
            }
        });
        assert!(trial.uses_cache.load(Relaxed), "no row was found in the row cache");
        trial.read_all();
        let committed = trial.committed();
        let history = trial.history.lock().unwrap();
        println!(
            "{tables:?}, {}{}: {committed} of {} committed",
            level.session,
            level.hint,
            history.len()
        );
        assert!(committed > ENOUGH, "too few transactions committed to tell anything");
        if let Err(anomaly) = check(&history, level.promise) {
            panic!("{tables:?}, {level:?}, THERMOCLINE_SEED={seed}: {anomaly}");
        }
        drop(history);
        trial.drop_database();
    }
    server.stop().unwrap();
}
