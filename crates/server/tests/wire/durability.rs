//! What was acknowledged survives the end of the process.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use base::Value;
use tools::client::{ConnectOptions, Connection};

use crate::support::{Process, TempDir, wait_until};

fn count(connection: &mut Connection, text: &str) -> u64 {
    match connection.query(text).unwrap().rows[0][0] {
        Value::Int(count) => count.unsigned_abs(),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn acknowledged_inserts_survive_a_kill() {
    const WRITERS: u64 = 4;
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    connection.execute("create table t (writer int not null, n int not null)").unwrap();
    let acknowledged: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for (writer, counter) in acknowledged.iter().enumerate() {
            let options = server.options();
            scope.spawn(move || {
                let Ok(mut connection) = Connection::connect(&options) else { return };
                for n in 1_u64.. {
                    let text = format!("insert t values ({writer}, {n})");
                    if connection.execute(&text).is_err() {
                        return;
                    }
                    counter.store(n, SeqCst);
                }
            });
        }
        for counter in &acknowledged {
            wait_until("each has inserted some", || counter.load(SeqCst) >= 20);
        }
        server.kill();
    });
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    for (writer, counter) in acknowledged.iter().enumerate() {
        let promised = counter.load(SeqCst);
        let kept =
            count(&mut connection, &format!("select count(*) from t where writer = {writer}"));
        let last = count(&mut connection, &format!("select max(n) from t where writer = {writer}"));
        assert!(kept == last, "rows are kept in order");
        // The last one may have been written and not acknowledged.
        assert!(kept == promised || kept == promised + 1, "{promised} promised, {kept} kept");
    }
}

#[test]
fn after_a_checkpoint_the_log_is_short_and_the_rows_are_there() {
    const ALL: &str = "select count(*) + sum(cast(n as bigint) * id) from t";
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    let mut run = |text: &str| {
        connection.execute(text).unwrap();
    };
    run("create table t (id int not null primary key, n int not null, note varchar(50))");
    run("create table gone (id int not null primary key)");
    run("create sequence s start with 5");
    run("insert t select value, value % 100, replicate('x', value % 50) \
         from generate_series(1, 50000)");
    run("insert gone select value from generate_series(1, 1000); drop table gone");
    run("update t set n = n + 1 where id % 3 = 0; delete t where id % 7 = 0");
    run("checkpoint; update t set n = n + 1 where id % 5 = 0; checkpoint");
    run("update t set note = null where id < 10; declare @i int = next value for s");
    let expected = count(&mut connection, ALL);
    let since = "select log_bytes_since_last_close from sys.dm_db_xtp_checkpoint_stats";
    assert!(count(&mut connection, since) < 100_000);
    let followed = "select count(*) from sys.dm_db_xtp_checkpoint_stats where log_consumption_rate > 0 \
                    and waits_for_io > tx_segments_dispatched_count and tx_segments_dispatched_count > 0 \
                    and segment_bytes_dispatched > 1000000 and waits_for_new_log_count > 0 \
                    and total_wait_time_in_ms >= io_wait_time_in_ms";
    assert_eq!(count(&mut connection, followed), 1);
    let rows = "select sum(case file_type when 0 then logical_row_count else -logical_row_count end) \
                from sys.dm_db_xtp_checkpoint_files where state = 2 and file_type in (0, 1)";
    assert!(count(&mut connection, rows) >= 42_857);
    server.kill();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    assert_eq!(count(&mut connection, ALL), expected);
    assert!(count(&mut connection, "select next value for s") > 5);
    connection.execute("update t set n = n + 1 where id % 11 = 0").unwrap();
    connection.execute("exec sys.sp_xtp_merge_checkpoint_files 'master'").unwrap();
    connection.execute("exec sys.sp_xtp_checkpoint_force_garbage_collection").unwrap();
    let expected = count(&mut connection, ALL);
    let pairs = "select count(*) from sys.dm_db_xtp_checkpoint_files where file_type = 0";
    assert_eq!(count(&mut connection, pairs), 1);
    server.kill();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    assert_eq!(count(&mut connection, ALL), expected);
}

/// The log may have more rows than the server may have in memory: they had sunk when it was killed.
#[test]
fn a_start_takes_no_more_memory_than_the_server_may() {
    const ALL: &str = "select count(*) + sum(cast(n as bigint)) + sum(datalength(v)) from d.dbo.t";
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    let mut run = |text: &str| {
        connection.execute(text).unwrap();
    };
    run("exec sp_configure 'show advanced options', 1; reconfigure");
    run("exec sp_configure 'max server memory (MB)', 256; reconfigure; create database d");
    run("create table d.dbo.t (id int not null primary key, n int not null, v varchar(900))");
    for from in (0..400_000).step_by(20_000) {
        let to = from + 19_999;
        run(&format!(
            "insert d.dbo.t select value, value % 100, replicate('x', 850) \
             from generate_series({from}, {to})"
        ));
    }
    let expected = count(&mut connection, ALL);
    server.kill();
    let server = Process::start(dir.path(), &[]);
    let options = ConnectOptions { login_timeout: None, ..server.options() };
    let mut connection = Connection::connect(&options).unwrap();
    assert_eq!(count(&mut connection, ALL), expected);
    // 350 MB came from the log. A program with what debuggers need takes more than another.
    let peak = server.peak_memory() >> 20;
    assert!(peak < 330, "{peak} MB");
}

/// All tables are loaded, in any order, and the views and the error log say so.
#[test]
fn tables_are_loaded_while_the_server_is_in_use() {
    let (dir, log) = (TempDir::new(), TempDir::new());
    std::fs::create_dir_all(log.path()).unwrap();
    let log = log.path().join("errorlog");
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    let mut run = |text: &str| {
        connection.execute(text).unwrap();
    };
    run("create database d");
    run("use d; create table small (id int not null primary key)");
    run("create table large (id int not null primary key, n int not null, index ix (n))");
    run("insert small select value from generate_series(1, 10)");
    run("insert large select value, value % 1000 from generate_series(1, 100000)");
    run("checkpoint; delete large where id <= 100; update large set n = 5000 where id = 200");
    server.kill();
    let server = Process::start_logged(dir.path(), &[], File::create(&log).unwrap().into());
    let mut connection = Connection::connect(&server.options()).unwrap();
    connection.execute("use d; insert small values (11)").unwrap();
    let requests = "select count(*) from sys.dm_exec_requests where command = 'DB STARTUP'
                    and (database_id <> db_id('d') or percent_complete not between 0 and 100)";
    assert_eq!(count(&mut connection, requests), 0);
    assert_eq!(count(&mut connection, "select count(*) from large where n = 5000"), 1);
    assert_eq!(count(&mut connection, "select count(*) from large"), 99_900);
    assert_eq!(count(&mut connection, "select count(*) from small"), 11);
    let says = |what: &str| {
        let begin = Instant::now();
        while !std::fs::read_to_string(&log).unwrap().contains(what) {
            assert!(begin.elapsed() < Duration::from_secs(60), "the log says {what:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    // Of those in files 101 have ended.
    says("All tables of database 'd' are loaded: 99909 rows.");
}

/// Without a request for a checkpoint, the folder for its files is missing for a while.
#[test]
fn a_checkpoint_that_fails_in_the_background_is_told_of_and_commits_go_on() {
    let (dir, log) = (TempDir::new(), TempDir::new());
    std::fs::create_dir_all(log.path()).unwrap();
    let log = log.path().join("errorlog");
    let server = Process::start_logged(dir.path(), &[], File::create(&log).unwrap().into());
    let mut connection = Connection::connect(&server.options()).unwrap();
    connection.execute("create database d").unwrap();
    connection.execute("use d; create table t (id int not null primary key)").unwrap();
    let databases = std::fs::read_dir(dir.path().join("databases")).unwrap();
    let mut databases = databases.map(|entry| entry.unwrap().path());
    let own = databases.find(|path| path.to_string_lossy().contains("/d-")).unwrap();
    let (there, away) = (own.join("checkpoint"), own.join("away"));
    std::fs::rename(&there, &away).unwrap();
    let says = |what: &str| {
        let begin = Instant::now();
        while !std::fs::read_to_string(&log).unwrap().contains(what) {
            assert!(begin.elapsed() < Duration::from_secs(60), "the log says {what:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    connection.execute("insert t select value from generate_series(1, 1000)").unwrap();
    says("Error: 41315, Severity: 16, State: 0. Checkpoint operation failed in database 'd'.");
    connection.execute("insert t select value from generate_series(1001, 2000)").unwrap();
    std::fs::rename(&away, &there).unwrap();
    connection.execute("checkpoint").unwrap();
    says("Checkpoints of database 'd' succeed again.");
    server.kill();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    assert_eq!(count(&mut connection, "select count(*) from d.dbo.t"), 2000);
}
