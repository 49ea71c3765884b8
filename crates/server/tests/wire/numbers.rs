//! Sequences and identity columns: a number that a client has seen never comes again.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use base::Value;
use tools::client::Connection;

use crate::support::{Process, TempDir};

fn connect(server: &Process) -> Connection {
    Connection::connect(&server.options()).unwrap()
}

/// The first number of the last result; `None` if the server is gone.
fn number(connection: &mut Connection, text: &str) -> Option<i64> {
    match connection.query(text).ok()?.rows.first()?.first()? {
        Value::Int(number) => Some(*number),
        Value::Decimal(number) => i64::try_from(*number).ok(),
        other => panic!("{text}: {other:?}"),
    }
}

/// Ways by which a client sees a number, and no transaction commits because of it.
const WAYS: [&str; 6] = [
    "select next value for plain",
    "select next value for uncached",
    "select next value for small",
    "set nocount on; begin tran; insert t (a) values (1); select scope_identity(); rollback",
    "set nocount on; begin tran; insert m (a) values (1); select scope_identity(); rollback",
    "set nocount on; declare @f sql_variant; exec sp_sequence_get_range N'ranged', 3, @f output; select cast(@f as bigint)",
];

/// The process is killed as soon as some numbers of each kind have been seen, again and again.
#[test]
fn what_was_seen_never_comes_again_after_a_kill() {
    const LIVES: usize = 4;
    const SEEN_A_LIFE: usize = 40;
    let dir = TempDir::new();
    let seen: Vec<Mutex<HashSet<i64>>> = WAYS.iter().map(|_| Mutex::default()).collect();
    let mut server = Process::start(dir.path(), &[]);
    let mut connection = connect(&server);
    for text in [
        "create database d",
        "alter database d add filegroup mo contains memory_optimized_data",
        "alter database d add file (name = 'mo', filename = 'mo') to filegroup mo",
        "use d",
        "create sequence plain",
        "create sequence uncached as int no cache",
        "create sequence small as int cache 3",
        "create sequence ranged cache 10",
        "create table t (id int identity, a int)",
        "create table m (id int identity primary key nonclustered, a int) with (memory_optimized = on)",
    ] {
        connection.execute(text).unwrap();
    }
    for life in 0..LIVES {
        let before: usize = seen.iter().map(|numbers| numbers.lock().unwrap().len()).sum();
        std::thread::scope(|scope| {
            for (way, numbers) in WAYS.iter().zip(&seen) {
                let options = server.options().with_database("d");
                scope.spawn(move || {
                    let Ok(mut connection) = Connection::connect(&options) else { return };
                    while let Some(found) = number(&mut connection, way) {
                        let is_new = numbers.lock().unwrap().insert(found);
                        assert!(is_new, "{way}: {found} again in life {life}");
                    }
                });
            }
            let deadline = Instant::now() + Duration::from_secs(60);
            let wanted = before + SEEN_A_LIFE;
            while seen.iter().map(|numbers| numbers.lock().unwrap().len()).sum::<usize>() < wanted {
                assert!(Instant::now() < deadline, "clients see numbers");
                std::thread::yield_now();
            }
            server.kill();
        });
        server = Process::start(dir.path(), &[]);
    }
}

/// Kills a server, starts it again and asks.
fn after_a_kill(server: Process, dir: &Path, text: &str) -> (Process, Option<i64>) {
    server.kill();
    let server = Process::start(dir, &[]);
    let found = number(&mut connect(&server), text);
    (server, found)
}

/// A crash skips what was left in the cache and no more.
#[test]
fn a_crash_skips_what_the_cache_holds() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = connect(&server);
    for text in [
        "create sequence plain start with 1",
        "create sequence uncached as int start with 1 no cache",
        "create sequence ten as int start with 1 cache 10",
        "create table t (id int identity, a int)",
        "create table b (id bigint identity, a int)",
        "create table s (id tinyint identity, a int)",
    ] {
        connection.execute(text).unwrap();
    }
    let all = "set nocount on; declare @n bigint = next value for plain; \
               set @n = @n * 1000 + next value for uncached; set @n = @n * 1000 + next value for ten; \
               insert t values (1); insert b values (1); insert s values (1); select @n";
    assert_eq!(number(&mut connection, all), Some(1_001_001));
    drop(connection);
    let (server, found) = after_a_kill(server, dir.path(), "select next value for ten");
    assert_eq!(found, Some(11));
    let mut connection = connect(&server);
    assert_eq!(number(&mut connection, "select next value for uncached"), Some(2));
    assert_eq!(number(&mut connection, "select next value for plain"), Some(51));
    let ids = "set nocount on; insert t values (1); insert b values (1); insert s values (1); \
               select cast(max(t.id) as bigint) * 100000000 + max(b.id) * 1000 + max(s.id) from t, b, s";
    assert_eq!(number(&mut connection, ids), Some(1001 * 100_000_000 + 10_001 * 1000 + 11));
    connection.execute("alter database scoped configuration set identity_cache = off").unwrap();
    let (_server, found) = after_a_kill(server, dir.path(), ids);
    assert_eq!(found, Some(1002 * 100_000_000 + 10_002 * 1000 + 12));
}
