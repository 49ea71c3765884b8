//! A transaction that stays open: it sees the same rows throughout, and no other session waits for
//! it.

use base::Value;
use tools::client::Connection;

use crate::support::{Process, TempDir, wait_until_sunk};

const FLAGS: [&str; 2] = ["--disk-table-memory", "1MB"];
/// Disk tables sink beyond this, as the flags say.
const DISK_TABLES_KB: i64 = 1 << 10;
/// Rows of about 220 bytes.
const ROWS: i64 = 30_000;

fn connect(server: &Process) -> Connection {
    let options = server.options().with_database("d");
    Connection::connect(&options).unwrap()
}

fn numbers(connection: &mut Connection, text: &str) -> Vec<i64> {
    let rows = connection.query(text).unwrap().rows;
    let number = |value: &Value| match value {
        Value::Int(number) => *number,
        Value::Null => -1,
        other => panic!("{other:?}"),
    };
    rows[0].iter().map(number).collect()
}

fn refusal(connection: &mut Connection, text: &str) -> i32 {
    let error = connection.execute(text).unwrap_err();
    error.server_message().expect("the server says why").error.number()
}

/// Through the clustered index, through another one by range, by key and backwards.
const LOOKS: [&str; 5] = [
    "select count(*), sum(cast(n as bigint)), sum(cast(id as bigint) * (n % 97)) from t",
    "select count(*), sum(cast(id as bigint)), 0 from t with (index(by_n)) where n between 0 and 900",
    "select count(*), max(id), min(n) from t with (index(by_n)) where n = 77",
    "select top (1) id, n, 0 from t where id < 20000 order by id desc",
    "select count(*), 0, 0 from t where id in (5, 10, 15, 29999, 40000) and v like 'a%'",
];

#[test]
fn an_old_snapshot_keeps_its_rows_and_blocks_no_other_session() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &FLAGS);
    let mut writer = Connection::connect(&server.options()).unwrap();
    writer.execute("create database d; alter database d set allow_snapshot_isolation on").unwrap();
    let mut writer = {
        drop(writer);
        connect(&server)
    };
    writer
        .execute(
            "create table t (id int not null primary key, n int not null, v varchar(200)); \
             create index by_n on t (n)",
        )
        .unwrap();
    let mut forgotten = connect(&server);
    forgotten.execute("set transaction isolation level snapshot").unwrap();
    // One that began when nothing of the table had sunk.
    forgotten.execute("begin transaction").unwrap();
    assert_eq!(numbers(&mut forgotten, "select count(*) from t"), [0]);
    writer
        .execute(&format!(
            "insert t select value, value % 1000, replicate('a', 180) \
             from generate_series(0, {})",
            ROWS - 1
        ))
        .unwrap();
    wait_until_sunk(&mut writer, 2 * DISK_TABLES_KB);
    assert_eq!(numbers(&mut forgotten, "select count(*) from t"), [0]);
    forgotten.execute("commit; begin transaction").unwrap();
    let saw = LOOKS.map(|look| numbers(&mut forgotten, look));
    assert_eq!(saw[0][0], ROWS);
    for round in 1..=3 {
        // Other keys of the index, other rows, rows that are gone and rows that come back.
        for change in [
            "update t set n = (n + 500) % 1000 where id % 3 = 0",
            "update t set v = replicate('b', 180) where id % 5 = 0",
            "delete t where id % 7 = 0",
            "insert t select value * 7, 77, replicate('a', 100) from generate_series(0, 1000)",
        ] {
            writer.execute(change).unwrap();
        }
        let text = format!("insert t values ({}, 77, 'new')", 40_000 + round);
        writer.execute(&text).unwrap();
        wait_until_sunk(&mut writer, 2 * DISK_TABLES_KB);
        let sees = LOOKS.map(|look| numbers(&mut forgotten, look));
        assert_eq!(sees, saw, "after round {round}");
    }
    writer.execute("checkpoint").unwrap();
    let now = LOOKS.map(|look| numbers(&mut writer, look));
    assert_ne!(now, saw);
    // What has changed since it cannot change.
    let conflict = |connection: &mut Connection, text: &str| {
        let number = refusal(connection, text);
        connection.execute("if @@trancount > 0 rollback; begin transaction").unwrap();
        number
    };
    assert_eq!(conflict(&mut forgotten, "update t set v = 'c' where id = 3"), 3960);
    // That was another transaction's snapshot: this one is new.
    assert_eq!(LOOKS.map(|look| numbers(&mut forgotten, look)), now);
    writer.execute("delete t where id = 29999; update t set n = 1 where id = 29998").unwrap();
    wait_until_sunk(&mut writer, 2 * DISK_TABLES_KB);
    assert_eq!(numbers(&mut forgotten, "select count(*) from t where id = 29999"), [1]);
    assert_eq!(conflict(&mut forgotten, "delete t where id = 29998"), 3960);
    assert_eq!(numbers(&mut forgotten, "select count(*) from t where id = 29999"), [0]);
    forgotten.execute("update t set v = 'c' where id = 1; commit").unwrap();
    let faults = writer.query("dbcc checktable (t) with no_infomsgs").unwrap().rows;
    assert!(faults.is_empty(), "{faults:?}");
    let last = LOOKS.map(|look| numbers(&mut writer, look));
    server.kill();
    let server = Process::start(dir.path(), &FLAGS);
    assert_eq!(LOOKS.map(|look| numbers(&mut connect(&server), look)), last);
}
