//! The error log: its files, how they are read, and that nothing that is wrong with them stops the
//! server.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use base::Value;
use tools::client::Connection;

use crate::sql::{error, number, refused, run};
use crate::support::{Process, TempDir, TestServer};

/// The texts of what a procedure reads.
fn texts(connection: &mut Connection, call: &str) -> Vec<String> {
    let rows = connection.query(call).unwrap().rows;
    let text = |row: &Vec<Value>| match &row[2] {
        Value::Unicode(bytes) => base::collation::codepage::unicode_to_string(bytes),
        other => panic!("{call}: {other:?}"),
    };
    rows.iter().map(text).collect()
}

#[test]
fn the_error_log_is_read_and_cycled() {
    let server = TestServer::new();
    let mut sa = server.connect();
    assert_eq!(error(&mut sa, "raiserror ('First %s', 16, 7, 'note') with log"), Some(50_000));
    run(&mut sa, "raiserror ('Second note', 10, 1) with log");
    let first = "Error: 50000, Severity: 16, State: 7. First note";
    assert_eq!(texts(&mut sa, "xp_readerrorlog 0, 1, N'NOTE'"), [first, "Second note"]);
    assert_eq!(texts(&mut sa, "xp_readerrorlog 0, 1, N'note', N'second'"), ["Second note"]);
    let newest = "xp_readerrorlog 0, 1, N'note', NULL, NULL, NULL, N'desc'";
    assert_eq!(texts(&mut sa, newest), ["Second note", first]);
    let later = "declare @from datetime = dateadd(day, 1, getdate())
        exec xp_readerrorlog 0, 1, N'note', NULL, @from";
    assert!(texts(&mut sa, later).is_empty());
    let until = "declare @from datetime = dateadd(day, -1, getdate()), @to datetime = dateadd(day, 1, getdate())
        exec xp_readerrorlog 0, 1, N'note', NULL, @from, @to";
    assert_eq!(texts(&mut sa, until).len(), 2);
    assert_eq!(texts(&mut sa, "sp_readerrorlog 0, 1, N'first'"), [first]);
    assert_eq!(refused(&mut sa, "xp_readerrorlog 1"), 22004, "there was one start");
    assert_eq!(refused(&mut sa, "xp_readerrorlog 0, 2"), 22004, "there is no agent");
    assert_eq!(refused(&mut sa, "xp_readerrorlog 0, 3"), 22001);

    run(&mut sa, "sp_cycle_errorlog");
    assert!(texts(&mut sa, "xp_readerrorlog 0, 1, N'note'").is_empty());
    assert_eq!(texts(&mut sa, "xp_readerrorlog 1, 1, N'note'").len(), 2);
    (0..8).for_each(|_| run(&mut sa, "dbcc errorlog"));
    let archives = sa.query("sp_enumerrorlogs").unwrap().rows;
    let numbers: Vec<Value> = archives.iter().map(|row| row[0].clone()).collect();
    assert_eq!(numbers, (0..=6).map(Value::Int).collect::<Vec<_>>());
    assert_eq!(refused(&mut sa, "xp_readerrorlog 7"), 22004);
    let path = "select case when convert(nvarchar(4000), serverproperty('ErrorLogFileName')) like '%/log/errorlog' then 1 end";
    assert_eq!(number(&mut sa, path), 1);
}

#[test]
fn not_every_login_reads_the_error_log() {
    let server = TestServer::new();
    let mut sa = server.connect();
    run(
        &mut sa,
        "create login reader with password = 'Secret-Password-2';
         create login watcher with password = 'Secret-Password-2';
         create login guard with password = 'Secret-Password-2';
         grant view server state to watcher;
         alter server role securityadmin add member guard",
    );
    let calls = [
        "xp_readerrorlog",
        "xp_enumerrorlogs",
        "sp_readerrorlog",
        "sp_enumerrorlogs",
        "sp_cycle_errorlog",
        "dbcc errorlog",
    ];
    for (login, expected) in [
        ("reader", [Some(229), Some(229), Some(15_003), Some(15_003), Some(15_247), Some(2571)]),
        ("watcher", [None, None, Some(15_003), Some(15_003), Some(15_247), Some(2571)]),
        ("guard", [None, None, None, None, Some(15_247), Some(2571)]),
    ] {
        let mut options = server.options();
        options.authentication = tools::client::Authentication::Password {
            user: login.into(),
            password: "Secret-Password-2".into(),
        };
        let mut connection = Connection::connect(&options).unwrap();
        let errors = calls.map(|call| error(&mut connection, call));
        assert_eq!(errors, expected, "{login}");
    }
}

/// Waits until a file has a text.
fn wait_for(path: &Path, text: &str) {
    let began = Instant::now();
    while !fs::read_to_string(path).is_ok_and(|all| all.contains(text)) {
        assert!(began.elapsed() < Duration::from_secs(60), "{} has no '{text}'", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn standard_error_that_is_full_stops_nothing() {
    let dir = TempDir::new();
    let log = dir.path().join("log/errorlog");
    for start in 0..2 {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let process = Process::start_logged(dir.path(), &[], full.into());
        wait_for(&log, "Ready for client connections");
        let mut connection = Connection::connect(&process.options()).unwrap();
        run(&mut connection, "raiserror ('Still there', 10, 1) with log");
        assert_eq!(texts(&mut connection, "xp_readerrorlog 0, 1, N'still'"), ["Still there"]);
        let before = texts(&mut connection, "xp_readerrorlog 0, 1, N'Thermocline', N'starts'");
        assert_eq!(before.len(), 1, "what came before the file was opened is in it");
        assert_eq!(fs::exists(dir.path().join("log/errorlog.1")).unwrap(), start > 0);
        process.kill();
    }
}

#[test]
fn a_log_directory_that_cannot_be_used_stops_nothing() {
    let dir = TempDir::new();
    Process::start(dir.path(), &[]).kill();
    fs::remove_dir_all(dir.path().join("log")).unwrap();
    File::create(dir.path().join("log")).unwrap();
    let process = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&process.options()).unwrap();
    run(&mut connection, "raiserror ('Nowhere', 10, 1) with log");
    assert_eq!(refused(&mut connection, "xp_readerrorlog"), 22004);
    assert_eq!(number(&mut connection, "select 1"), 1);
}
