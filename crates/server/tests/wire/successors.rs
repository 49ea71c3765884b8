//! Tables that get another storage at once, and are larger than memory.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use base::Value;
use tools::client::Connection;

use crate::support::{Process, TempDir};

const FLAGS: [&str; 4] = ["--max-memory", "40MB", "--disk-table-memory", "2MB"];
/// What pages may take with all the rest.
const LIMIT: &str = "exec sp_configure 'show advanced options', 1; reconfigure; \
                     exec sp_configure 'max server memory (MB)', 160; reconfigure";
/// Rows of about 200 bytes; in memory, with two indexes, they would take about twice as much: more than is
/// allowed.
const ROWS: i64 = 150_000;
const PART: i64 = 10_000;
/// What the process may take in all, a log whose chunks are held until their transaction ends and an
/// unoptimized program included.
const MEMORY_MAX: u64 = 240 << 20;

fn number(connection: &mut Connection, text: &str) -> i64 {
    match connection.query(text).unwrap().rows[0][0] {
        Value::Int(number) => number,
        ref other => panic!("{other:?}"),
    }
}

/// The number of the error that a batch fails with.
fn refusal(connection: &mut Connection, text: &str) -> i32 {
    let error = connection.execute(text).unwrap_err();
    error.server_message().expect("the server says why").error.number()
}

fn connect(server: &Process) -> Connection {
    Connection::connect(&server.options()).unwrap()
}

/// A table that has sunk, but for little.
fn fill(connection: &mut Connection) {
    connection
        .execute("create table t (id int not null primary key, n int not null, v varchar(200))")
        .unwrap();
    for from in (0..ROWS).step_by(PART as usize) {
        let to = from + PART - 1;
        let text = format!(
            "insert t select value, (value * cast(7919 as bigint)) % {ROWS}, \
             replicate(char(97 + value % 26), 180) from generate_series({from}, {to})"
        );
        connection.execute(&text).unwrap();
    }
    connection.execute("checkpoint; waitfor delay '00:00:03'; checkpoint").unwrap();
}

/// Does something, and tells how much memory there was at most meanwhile.
fn most_memory(server: &Process, run: impl FnOnce()) -> u64 {
    let (most, over) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Relaxed) {
                most.fetch_max(server.memory(), Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        run();
        over.store(true, Relaxed);
    });
    most.load(Relaxed)
}

const SUM: &str = "select sum(cast(n as bigint) * id % 1000003) from t";

#[test]
fn indexes_of_a_table_that_has_sunk_are_built_in_little_memory() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut connection = connect(&server);
    fill(&mut connection);
    connection.execute(LIMIT).unwrap();
    let (sum, before) = (number(&mut connection, SUM), server.memory());
    let most = most_memory(&server, || {
        connection.execute("create unique index ix on t (n) include (v)").unwrap();
    });
    println!("{} MB, then at most {} MB", before >> 20, most >> 20);
    assert!(most < MEMORY_MAX, "{most} bytes of memory");
    let by_index = "select count(*) from t with (index(ix)) where n between 10 and 1009";
    let found = number(&mut connection, by_index);
    assert_eq!(found, 1000);
    // One that is not unique is refused, and leaves the table as it was.
    connection.execute(&format!("update t set v = 'twice' where id in (5, {})", ROWS - 5)).unwrap();
    assert_eq!(refusal(&mut connection, "create unique index twice on t (v)"), 1505);
    connection.execute("begin tran; alter table t add extra int; rollback").unwrap();
    assert_eq!(number(&mut connection, SUM), sum);
    // In the transaction that made it the new storage is a table as any other.
    connection
        .execute(
            "begin tran; create index by_v on t (v); delete t where id = 7; \
             insert t values (7, 7 * 7919, 'again'); update t set n = n where id < 100; commit",
        )
        .unwrap();
    assert_eq!(number(&mut connection, SUM), sum);
    server.kill();

    let server = Process::start(dir.path(), &FLAGS);
    assert!(server.memory() < 200 << 20, "the rows are in pages");
    let mut connection = connect(&server);
    assert_eq!(number(&mut connection, "select count(*) from t"), ROWS);
    assert_eq!(number(&mut connection, SUM), sum);
    assert_eq!(number(&mut connection, by_index), 1000);
    let again = "select count(*) from t with (index(by_v)) where v in ('again', 'twice')";
    assert_eq!(number(&mut connection, again), 3);
    assert_eq!(refusal(&mut connection, "insert t values (-1, 7, 'x')"), 2601);
    let left = std::fs::read_dir(dir.path().join("databases/master")).unwrap();
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(!names.into_iter().any(|name| name.ends_with(".sort")), "files of sorts are gone");
}
