//! Backups of a server that is at work, and restores over its restarts.

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use tools::client::Connection;

use crate::sql::{number, refused, run};
use crate::support::{Over, PASSWORD, Process, TempDir, wait_until};

/// Waits until this many more orders of each writer are acknowledged.
fn wait_for_more(acknowledged: &[AtomicU64], count: u64) {
    for counter in acknowledged {
        let enough = counter.load(SeqCst) + count;
        wait_until("orders come in", || counter.load(SeqCst) >= enough);
    }
}

/// Orders are inserted while a full backup, a differential one and two of the log are made; the
/// server is killed, and all is restored beside the database: exactly what was committed before the
/// last backup.
#[test]
fn a_server_at_work_is_backed_up_killed_and_restored() {
    const WRITERS: u64 = 3;
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create database shop");
    run(&mut connection, "alter database shop add filegroup f contains memory_optimized_data");
    run(
        &mut connection,
        "alter database shop add file (name = 'f', filename = 'f') to filegroup f",
    );
    run(
        &mut connection,
        "use shop; create table orders (writer int not null, n int not null, \
         primary key nonclustered (writer, n)) with (memory_optimized = on); \
         create table filler (id int not null primary key, text varchar(200)); \
         insert filler select value, replicate('x', 150) from generate_series(1, 40000)",
    );
    let acknowledged: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    let over = AtomicBool::new(false);
    let mut before = Vec::new();
    std::thread::scope(|scope| {
        for (writer, counter) in acknowledged.iter().enumerate() {
            let options = server.options().with_database("shop");
            let over = &over;
            scope.spawn(move || {
                let mut connection = Connection::connect(&options).unwrap();
                for n in 1_u64.. {
                    if over.load(SeqCst) {
                        return;
                    }
                    run(&mut connection, &format!("insert orders values ({writer}, {n})"));
                    counter.store(n, SeqCst);
                }
            });
        }
        let _over = Over(&over);
        let to = "to disk = 'shop.bak' with checksum, compression";
        for what in ["database shop", "log shop", "database shop", "log shop"] {
            let more = if before.len() == 2 { ", differential" } else { "" };
            wait_for_more(&acknowledged, 5);
            before = acknowledged.iter().map(|counter| counter.load(SeqCst)).collect();
            run(&mut connection, &format!("backup {what} {to}{more}"));
            before.push(0);
            before.truncate(WRITERS as usize);
        }
    });
    let after: Vec<u64> = acknowledged.iter().map(|counter| counter.load(SeqCst)).collect();
    run(
        &mut connection,
        "use master; restore database copy from disk = 'shop.bak' with norecovery",
    );
    server.kill();

    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    let state = "select cast(state as int) from sys.databases where name = 'copy'";
    assert_eq!(number(&mut connection, state), 1, "a restart leaves it as it was");
    run(&mut connection, "restore log copy from disk = 'shop.bak' with file = 2, norecovery");
    run(&mut connection, "restore log copy from disk = 'shop.bak' with file = 4");
    for (writer, (before, after)) in before.iter().zip(&after).enumerate() {
        let of = |what: &str| format!("select {what} from copy.dbo.orders where writer = {writer}");
        let kept = number(&mut connection, &of("count(*)")) as u64;
        assert_eq!(number(&mut connection, &of("max(n)")) as u64, kept, "in order, without gaps");
        assert!((*before..=*after + 1).contains(&kept), "{before} before, {kept}, {after} after");
        let original = format!("select count(*) from shop.dbo.orders where writer = {writer}");
        assert_eq!(number(&mut connection, &original) as u64, *after, "acknowledged, and killed");
    }
    assert_eq!(number(&mut connection, "select count(*) from copy.dbo.filler"), 40_000);
    run(
        &mut connection,
        "insert copy.dbo.orders values (9, 9); delete copy.dbo.filler where id % 2 = 0",
    );
    server.kill();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    assert_eq!(number(&mut connection, "select count(*) from copy.dbo.filler"), 20_000);
    assert_eq!(number(&mut connection, "select n from copy.dbo.orders where writer = 9"), 9);
    let sets = "select count(*) from msdb.dbo.backupset where database_name = 'shop'";
    assert_eq!(number(&mut connection, sets), 4);
}

#[test]
fn commands_back_up_and_restore() {
    let dir = TempDir::new();
    // Backups do not go to the server's own directories.
    let files = TempDir::made();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create database d");
    run(
        &mut connection,
        "use d; create table t (id int not null primary key); insert t values (1)",
    );
    let address = server.options().address;
    let at = format!("{},{}", address.host, address.port);
    let command = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_thermocline"))
            .args(words)
            .args(["-S", &at, "-U", "sa", "-P", PASSWORD])
            .output()
            .unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), out, errors)
    };
    let file = files.path().join("d.bak");
    let file = file.to_str().unwrap();
    let (done, out, errors) = command(&["backup", "d", file]);
    assert!(done && out.contains("100 percent processed."), "{out}{errors}");
    run(&mut connection, "insert t values (2)");
    assert!(command(&["backup", "d", file, "--log"]).0);
    let (done, out, errors) = command(&["restore", "e", file]);
    assert!(done, "{out}{errors}");
    assert_eq!(number(&mut connection, "select count(*) from e.dbo.t"), 2);
    let (done, _, errors) = command(&["restore", "e", &format!("{file}:1")]);
    assert!(!done && errors.contains("Msg 3159"), "{errors}");
    let (done, _, errors) = command(&["restore", "e", &format!("{file}:1"), "--replace"]);
    assert!(done, "{errors}");
    assert_eq!(number(&mut connection, "select count(*) from e.dbo.t"), 1);
    let (done, _, errors) = command(&["restore", "e", "nothing.bak"]);
    assert!(!done && errors.contains("Msg 3201"), "{errors}");
    std::fs::write(files.path().join("other.bak"), b"TAPE and so on").unwrap();
    let other = files.path().join("other.bak");
    let (done, out, errors) = command(&["restore", "e", other.to_str().unwrap()]);
    assert!(!done && errors.contains("Msg 3241"), "{errors}");
    assert!(out.contains("is a backup of Microsoft SQL Server"), "it says what the file is: {out}");
}

/// The command went on with the backups of the log after the one that has the time, failed with
/// 4335, and left the database restoring; an invalid time was noticed only when the database had
/// been replaced.
#[test]
fn the_command_stops_at_the_backup_that_has_the_time() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create database d; alter database d set recovery full");
    run(&mut connection, "create table d.dbo.t (id int not null primary key)");
    // The pauses tell it apart from the times of commits before and after it, which are rounded.
    let moment = |connection: &mut Connection| {
        std::thread::sleep(Duration::from_millis(40));
        let text = "select convert(varchar(30), sysdatetime(), 121)";
        let rows = connection.query(text).unwrap().rows;
        std::thread::sleep(Duration::from_millis(40));
        match &rows[0][0] {
            base::Value::Chars(text) => String::from_utf8(text.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let early = moment(&mut connection);
    run(&mut connection, "backup database d to disk = 'd.bak'");
    let mut times = Vec::new();
    for id in 1..4 {
        run(&mut connection, &format!("insert d.dbo.t values ({id})"));
        times.push(moment(&mut connection));
        run(&mut connection, &format!("insert d.dbo.t values ({id} + 100)"));
        run(&mut connection, "backup log d to disk = 'd.bak'");
    }
    let at = server.options().address;
    let at = format!("{},{}", at.host, at.port);
    let command = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_thermocline"))
            .args(["restore", "e", "d.bak", "-S", &at, "-U", "sa", "-P", PASSWORD, "--stop-at"])
            .args(words)
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let state = "select cast(state as int) from sys.databases where name = 'e'";
    for (done, time) in (1..).zip(&times) {
        let (restored, errors) = command(&[time, "--replace"]);
        assert!(restored, "{errors}");
        assert_eq!(number(&mut connection, state), 0);
        assert_eq!(number(&mut connection, "select count(*) from e.dbo.t"), 2 * done - 1);
    }
    // Nothing of these gets as far as to replace it.
    let wrong = [
        ("garbage", "Msg 241"),
        (&early, "no full backup was finished before"),
        ("2999-01-01", "no backup of the log contains the time"),
    ];
    for (time, why) in wrong {
        let (restored, errors) = command(&[time, "--replace"]);
        assert!(!restored && errors.contains(why), "{errors}");
        assert_eq!(number(&mut connection, "select count(*) from e.dbo.t"), 5);
    }
    let (restored, errors) = command(&[&times[1], "--replace", "--no-recovery"]);
    assert!(restored, "{errors}");
    assert_eq!(number(&mut connection, state), 1, "and more can be restored to it");
    run(&mut connection, "restore database e with recovery");
    assert_eq!(number(&mut connection, "select count(*) from e.dbo.t"), 3);
}

/// A server whose data directory was given by a relative path refused paths into its own folder of
/// backups: it looked them up below that folder.
#[test]
fn paths_that_are_shown_can_be_used() {
    let above = TempDir::new();
    std::fs::create_dir_all(above.path()).unwrap();
    let server = Process::start_from(above.path(), "data");
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create database d; backup database d to disk = 'd.bak'");
    let text = |connection: &mut Connection, query: &str, column: usize| {
        let rows = connection.query(query).unwrap().rows;
        let bytes = match &rows[0][column] {
            base::Value::Unicode(bytes) => bytes.clone(),
            other => panic!("{query}: {other:?}"),
        };
        let units: Vec<u16> = bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
        String::from_utf16(&units).unwrap()
    };
    let data = above.path().join("data");
    let backup = "select physical_device_name from msdb.dbo.backupmediafamily";
    let path = text(&mut connection, backup, 0);
    assert_eq!(std::path::Path::new(&path), data.join("backup/d.bak"));
    run(&mut connection, &format!("restore verifyonly from disk = '{path}'"));
    let files = "select physical_name from d.sys.database_files";
    let list = format!("restore filelistonly from disk = '{path}'");
    for (query, column) in [(files, 0), (list.as_str(), 1)] {
        let path = text(&mut connection, query, column);
        assert!(std::path::Path::new(&path).starts_with(data.join("databases")), "{path}");
    }
    run(&mut connection, "restore database d from disk = 'd.bak' with replace");
    // The program finds the same server from another directory.
    server.kill();
    let server = Process::start_from(&data, "../data");
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create table d.dbo.t (i int); backup database d to disk = 'd.bak'");
}

/// A backup that takes long goes on beside everything else, and can be cancelled.
#[test]
fn a_backup_can_be_cancelled() {
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create database d");
    run(
        &mut connection,
        "use d; create table t (id int not null primary key, text varchar(500)); \
         insert t select value, replicate('x', 500) from generate_series(1, 100000); checkpoint",
    );
    let canceller = connection.canceller();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // So that it is under way by then; it may as well not have begun.
            std::thread::sleep(Duration::from_millis(30));
            let _ = canceller.cancel();
        });
        // It may be done before.
        let _ = connection.execute("backup database d to disk = 'd.bak'");
    });
    run(&mut connection, "backup database d to disk = 'd.bak' with init");
    run(&mut connection, "restore verifyonly from disk = 'd.bak'");
}

/// Orders are inserted until the server is killed, and all checkpoint files are damaged before it
/// starts again: every order that was acknowledged comes back from a full backup and the tail of
/// the log.
#[test]
fn what_was_acknowledged_comes_back_from_the_tail_of_a_damaged_database() {
    const WRITERS: u64 = 3;
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create database shop");
    run(&mut connection, "alter database shop add filegroup f contains memory_optimized_data");
    let file = "alter database shop add file (name = 'f', filename = 'f') to filegroup f";
    run(&mut connection, file);
    run(
        &mut connection,
        "use shop; create table orders (writer int not null, n int not null, \
         primary key nonclustered (writer, n)) with (memory_optimized = on); \
         insert orders values (1000, 1); \
         backup database shop to disk = 'shop.bak'",
    );
    let acknowledged: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for (writer, counter) in acknowledged.iter().enumerate() {
            let options = server.options().with_database("shop");
            scope.spawn(move || {
                let mut connection = Connection::connect(&options).unwrap();
                for n in 1_u64.. {
                    let insert = format!("insert orders values ({writer}, {n})");
                    // Until the server is gone.
                    if connection.query(&insert).is_err() {
                        return;
                    }
                    counter.store(n, SeqCst);
                }
            });
        }
        wait_for_more(&acknowledged, 100);
        run(&mut connection, "checkpoint");
        wait_for_more(&acknowledged, 5);
        server.kill();
    });
    let mut damaged = 0;
    for database in std::fs::read_dir(dir.path().join("databases")).unwrap() {
        let database = database.unwrap();
        if !database.file_name().to_string_lossy().starts_with("shop") {
            continue;
        }
        for file in std::fs::read_dir(database.path().join("checkpoint")).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "data") {
                let mut bytes = std::fs::read(&path).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0x55);
                std::fs::write(&path, bytes).unwrap();
                damaged += 1;
            }
        }
    }
    assert!(damaged > 0, "a checkpoint was made");

    let server = Process::start(dir.path(), &[]);
    let mut connection = Connection::connect(&server.options()).unwrap();
    assert_eq!(refused(&mut connection, "select count(*) from shop.dbo.orders"), 926);
    let state = "select cast(state as int) from sys.databases where name = 'shop'";
    assert_eq!(number(&mut connection, state), 4);
    run(&mut connection, "backup log shop to disk = 'shop.bak' with no_truncate");
    run(&mut connection, "restore database shop from disk = 'shop.bak' with norecovery, replace");
    run(&mut connection, "restore log shop from disk = 'shop.bak' with file = 2");
    assert_eq!(number(&mut connection, state), 0);
    for (writer, counter) in acknowledged.iter().enumerate() {
        let of = |what: &str| format!("select {what} from shop.dbo.orders where writer = {writer}");
        let kept = number(&mut connection, &of("count(*)")) as u64;
        assert_eq!(number(&mut connection, &of("max(n)")) as u64, kept, "in order, without gaps");
        let told = counter.load(SeqCst);
        assert!(kept == told || kept == told + 1, "{told} acknowledged, {kept} there");
    }
}

/// A log may have more rows than memory takes, in many transactions and in one: their tables sink
/// while it is read. A backup in the middle of that one has some of its pages, which belonged to no
/// table by then.
#[test]
fn a_log_with_more_rows_than_memory_takes_can_be_restored() {
    const STEP: i64 = 4000;
    const ROWS: i64 = 60_000;
    let dir = TempDir::new();
    let flags = ["--max-memory", "40MB", "--disk-table-memory", "2MB"];
    let server = Process::start(dir.path(), &flags);
    let mut connection = Connection::connect(&server.options()).unwrap();
    run(&mut connection, "create database d; alter database d set recovery full");
    run(
        &mut connection,
        "use d; create table t (id int not null primary key, n int not null, v varchar(800)); \
         create index ix on t (n); insert t values (-1, -1, 'first'); \
         create table hot (id int identity primary key, n int); \
         backup database d to disk = 'd.bak'",
    );
    let fill = |connection: &mut Connection, from: i64| {
        run(
            connection,
            &format!(
                "insert t select value, value % 1000, replicate('a', 700) \
                 from generate_series({from}, {}); insert hot values ({from}); \
                 update t set n = -n, v = replicate('b', 700) where id >= {from} and id % 3 = 0; \
                 delete t where id >= {from} and id % 5 = 0",
                from + STEP - 1
            ),
        );
    };
    (0..ROWS).step_by(STEP as usize).for_each(|from| fill(&mut connection, from));
    run(&mut connection, "begin tran");
    for from in (ROWS..2 * ROWS).step_by(STEP as usize) {
        fill(&mut connection, from);
        if from == ROWS + 8 * STEP {
            let mut other = Connection::connect(&server.options()).unwrap();
            run(&mut other, "backup database d to disk = 'middle.bak'");
        }
    }
    run(&mut connection, "commit; insert hot values (-1); update t set n = 5 where id = 1");
    run(&mut connection, "backup log d to disk = 'd.trn'; use master");
    for (copy, backup) in [("r", "d.bak"), ("m", "middle.bak")] {
        let restore = format!("restore database {copy} from disk = '{backup}' with norecovery");
        run(&mut connection, &restore);
        run(&mut connection, &format!("restore log {copy} from disk = 'd.trn'"));
    }
    let sums = |connection: &mut Connection, database: &str| {
        let text = format!(
            "select count(*), sum(cast(id as bigint)), sum(cast(n as bigint)), \
             sum(case when v like 'b%' then 1 else 0 end) from {database}.dbo.t \
             union all select count(*), sum(id), sum(n), count(*) \
             from {database}.dbo.t with (index(ix)) where n between -300 and 300 \
             union all select count(*), sum(id), sum(n), max(id) from {database}.dbo.hot"
        );
        connection.query(&text).unwrap().rows
    };
    let expected = sums(&mut connection, "d");
    for copy in ["r", "m"] {
        assert_eq!(sums(&mut connection, copy), expected, "{copy}");
        run(&mut connection, &format!("dbcc checkdb ('{copy}') with no_infomsgs"));
        run(&mut connection, &format!("insert {copy}.dbo.t values (0, 0, 'more')"));
    }
    server.kill();
    let server = Process::start(dir.path(), &flags);
    let mut connection = Connection::connect(&server.options()).unwrap();
    assert_eq!(sums(&mut connection, "d"), expected);
    for copy in ["r", "m"] {
        run(&mut connection, &format!("delete {copy}.dbo.t where id = 0"));
        assert_eq!(sums(&mut connection, copy), expected, "{copy}");
    }
}
