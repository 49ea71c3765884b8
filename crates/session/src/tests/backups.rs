//! Backups and restores as other sessions see them.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use env::OpKind;
use env::sim::SimEnv;

use crate::testing::TestServer;

/// A plan kept the tables that it had used: the database that was restored had the same id, and its
/// schema the same version.
#[test]
fn plans_of_other_sessions_notice_that_a_database_was_replaced() {
    let server = TestServer::new();
    let (mut admin, mut user) = (server.session(), server.session());
    admin.run("create database d");
    let count = "select count(*) as n from d.dbo.t";
    admin.run("create table d.dbo.t (id int not null primary key); insert d.dbo.t values (1)");
    admin.run("backup database d to disk = 'd.bak'");
    admin.run("restore database d from disk = 'd.bak' with replace");
    user.run("insert d.dbo.t values (2)");
    for _ in 0..3 {
        assert_eq!(user.run(count), "n\n2\n(1 row)");
    }
    admin.run("restore database d from disk = 'd.bak' with replace");
    assert_eq!(user.run(count), "n\n1\n(1 row)");
}

#[test]
fn a_database_in_use_is_not_replaced() {
    let server = TestServer::new();
    let (mut admin, mut user) = (server.session(), server.session());
    admin.run("create database d; backup database d to disk = 'd.bak'");
    user.run("use d");
    let refused = admin.run("restore database d from disk = 'd.bak' with replace");
    assert!(refused.starts_with("Msg 3101, "), "{refused}");
    user.run("use master");
    let done = admin.run("restore database d from disk = 'd.bak' with replace");
    assert!(!done.contains("Msg "), "{done}");
}

#[test]
fn the_tail_of_the_log_is_backed_up_and_the_database_left_restoring() {
    let server = TestServer::new();
    let mut admin = server.session();
    admin.run("create database d; backup database d to disk = 'd.bak'");
    admin.run("create table d.dbo.t (id int not null primary key); insert d.dbo.t values (1)");
    let done = admin.run("backup log d to disk = 'd.bak' with norecovery");
    assert!(!done.contains("Msg "), "{done}");
    let refused = admin.run("use d");
    assert!(refused.starts_with("Msg 927, "), "{refused}");
    let done = admin.run(
        "restore database d from disk = 'd.bak' with norecovery
        restore log d from disk = 'd.bak' with file = 2, recovery
        select id from d.dbo.t",
    );
    assert!(done.ends_with("id\n1\n(1 row)") && !done.contains("Msg "), "{done}");
}

#[test]
fn tables_that_have_sunk_are_backed_up_and_whole_after_a_restore() {
    let server = TestServer::new();
    let mut admin = server.session();
    admin.run("create database d");
    admin.run("create table d.dbo.t (id int not null primary key, v varchar(20) index i)");
    admin.run("insert d.dbo.t select value, concat('v', value % 7) from generate_series(1, 500)");
    server.sink();
    admin.run("delete d.dbo.t where id > 490");
    let made = admin.run("backup database d to disk = 'd.bak'");
    assert!(!made.contains("Msg "), "{made}");
    admin.run("update d.dbo.t set v = 'later'");
    let checked = admin.run("restore verifyonly from disk = 'd.bak'");
    assert_eq!(checked, "The backup set on file 1 is valid.");
    let done = admin.run("restore database d from disk = 'd.bak' with replace");
    assert!(!done.contains("Msg "), "{done}");
    let rows = admin.run("select count(*) as n, sum(id) as s, count(case v when concat('v', id % 7) then 1 end) as same from d.dbo.t");
    assert!(rows.contains("490|120295|490") || rows.contains("490\t120295\t490"), "{rows}");
    let checked = admin.run("dbcc checkdb (d) with no_infomsgs");
    assert!(!checked.contains("Msg "), "{checked}");
}

/// A transaction changes rows that had sunk, and then gives the storage that has them up for
/// another. A restore that has only the log knows no file that holds them, and needs none.
#[test]
fn a_log_with_a_storage_that_ends_behind_changes_of_rows_that_had_sunk_can_be_restored() {
    let server = TestServer::new();
    let mut admin = server.session();
    admin.run("create database d; backup database d to disk = 'd.bak'");
    admin.run("create table d.dbo.t (id int not null primary key, n int, v varchar(20) index i)");
    admin.run("insert d.dbo.t select value, value, 'v' from generate_series(1, 600)");
    server.sink();
    let done = admin.run(
        "use d begin tran update t set n = -n where id % 3 = 0 delete t where id % 5 = 0
        alter table t alter column n bigint not null
        update t set v = 'w' where id % 7 = 0 commit
        use master backup log d to disk = 'd.bak'",
    );
    assert!(!done.contains("Msg "), "{done}");
    let done = admin.run(
        "restore database r from disk = 'd.bak' with norecovery
        restore log r from disk = 'd.bak' with file = 2",
    );
    assert!(!done.contains("Msg "), "{done}");
    let sums = |database: &str| {
        format!("select count(*) as c, sum(n) as n, max(v) as v from {database}.dbo.t")
    };
    let expected = admin.run(&sums("d"));
    admin.run("use r");
    for _ in 0..2 {
        assert_eq!(admin.run(&sums("r")), expected);
        let done =
            admin.run("checkpoint insert t values (-1, 0, 'a') delete t where id = -1 checkpoint");
        assert!(!done.contains("Msg "), "{done}");
    }
}

/// Servers that were made when there were fewer tables for the history get the others when they
/// start.
#[test]
fn tables_of_the_history_that_are_missing_are_made() {
    let sim = SimEnv::new(12);
    let server = TestServer::on(&sim);
    let mut admin = server.session();
    admin.run("use msdb");
    let dropped = admin.run(
        "backup database model to disk = 'm.bak' drop table restorefilegroup, restorefile, backupfilegroup, backupfile",
    );
    assert!(!dropped.contains("Msg "), "{dropped}");
    drop(admin);
    server.instance.databases().shut_down(&server.task).unwrap();
    drop(server);
    let server = TestServer::on(&sim);
    let mut admin = server.session();
    admin.run("backup database model to disk = 'm.bak'");
    let count = "select count(*) as sets, (select count(*) from msdb.dbo.backupfile) as files from msdb.dbo.backupset";
    assert_eq!(admin.run(count), "sets|files\n2|2\n(1 row)");
}

/// The error log had nothing of backups and restores, whether they were made or not.
#[test]
fn the_error_log_tells_of_backups_and_restores() {
    let noted = Arc::new(Mutex::new(Vec::new()));
    let log = noted.clone();
    let server = TestServer::with(&SimEnv::new(13), |options| {
        options.error_log = Box::new(move |message| log.lock().unwrap().push(message.clone()));
    });
    let mut admin = server.session();
    let mut told = |statement: &str| {
        admin.run(statement);
        let messages = std::mem::take(&mut *noted.lock().unwrap());
        let shown = |m: &base::SqlError| (m.number(), m.severity() > 10);
        (messages.iter().map(shown).collect::<Vec<_>>(), messages)
    };
    told("create database d");
    for (statement, numbers) in [
        ("backup database d to disk = 'd.bak'", vec![(18264, false)]),
        ("backup database d to disk = 'd.bak' with differential", vec![(18270, false)]),
        ("backup log d to disk = 'd.bak'", vec![(18265, false)]),
        ("backup log d to disk = '/no/such/d.bak'", vec![(3201, true), (3041, true)]),
        ("restore database e from disk = 'd.bak' with norecovery", vec![(18267, false)]),
        ("restore database e from disk = 'd.bak' with file = 2, norecovery", vec![(18271, false)]),
        ("restore log e from disk = 'd.bak' with file = 3", vec![(18268, false)]),
        ("restore database e from disk = 'x.bak'", vec![(3201, true), (3013, true)]),
        ("restore headeronly from disk = 'x.bak'", vec![]),
    ] {
        assert_eq!(told(statement).0, numbers, "{statement}");
    }
    let (_, messages) = told("backup database d to disk = 'd.bak'");
    let text = messages[0].text();
    assert!(
        text.starts_with(
            "Database backed up. Database: d, creation date(time): 2024/01/01(00:00:00), "
        ),
        "{text}"
    );
    assert!(
        text.contains("device information: (FILE=4, TYPE=DISK: {'/srv/data/backup/d.bak'})"),
        "{text}"
    );
    let (_, messages) = told("backup database d to disk = '/no/such/d.bak'");
    let text = messages[1].text();
    assert!(text.starts_with("BACKUP failed to complete the command BACKUP DATABASE d."), "{text}");
}

/// Two backups at once would write over each other.
#[test]
fn one_backup_at_a_time_writes_to_a_file() {
    let server = TestServer::new();
    let mut admin = server.session();
    admin.run("create database d; create database e");
    let fs = server.instance.env().fs();
    fs.create_dir_all(Path::new("/backups")).expect("the disk works");
    admin.run("backup database d to disk = '/backups/both.bak'");
    let writes = server.instance.writing.take(Path::new("/backups/./both.bak"));
    let writes = writes.expect("it is free");
    for text in [
        "backup database e to disk = '/backups/both.bak'",
        "backup database d to disk = '/backups/both.bak' with format",
    ] {
        let refused = admin.run(text);
        let busy = "Operating system error 32(The process cannot access the file because it is being used by another process.)";
        assert!(refused.starts_with("Msg 3201, ") && refused.contains(busy), "{refused}");
        assert!(refused.contains("Msg 3013, "), "{refused}");
    }
    let done = admin.run("backup database e to disk = '/backups/other.bak'");
    assert!(!done.contains("Msg "), "{done}");
    drop(writes);
    for _ in 0..2 {
        let done = admin.run("backup database e to disk = '/backups/both.bak'");
        assert!(!done.contains("Msg "), "{done}");
    }
}

/// Nothing can be added to a file whose last set may be damaged; `INIT` took that for a file
/// without sets.
#[test]
fn a_damaged_file_keeps_the_sets_that_have_not_expired() {
    let sim = SimEnv::new(13);
    let server = TestServer::on(&sim);
    let mut admin = server.session();
    admin.run("create database d");
    sim.env().fs().create_dir_all(Path::new("/backups")).expect("the disk works");
    for _ in 0..2 {
        let done = admin.run("backup database d to disk = '/backups/d.bak' with retaindays = 5");
        assert!(!done.contains("Msg "), "{done}");
    }
    // The newer directory, and the end of the set that it has more.
    let path = Path::new("/backups/d.bak");
    let len = sim.env().fs().metadata(path).expect("the disk works").expect("it is there").len;
    for offset in [4096 + 40, len - 48] {
        sim.fs().flip_bit(path, offset * 8).expect("it is there");
    }
    let refused = admin.run("backup database d to disk = '/backups/d.bak'");
    assert!(refused.contains("Msg 3013, "), "nothing is added: {refused}");
    let refused = admin.run("backup database d to disk = '/backups/d.bak' with init");
    assert!(refused.starts_with("Msg 4030, "), "{refused}");
    let done = admin.run("backup database d to disk = '/backups/d.bak' with init, skip");
    assert!(!done.contains("Msg "), "{done}");
}

/// The disk stops when two thirds of each are done.
#[test]
fn how_far_backups_and_restores_have_come_is_shown() {
    let sim = SimEnv::new(5);
    let server = TestServer::on(&sim);
    let mut admin = server.session();
    admin.run("create database d; create table d.dbo.t (id int not null primary key, v char(8000) not null)");
    let done =
        admin.run("insert d.dbo.t select value, 'v' from generate_series(1, 2000); checkpoint");
    assert!(!done.contains("Msg "), "{done}");
    let shown = "select command, percent_complete from sys.dm_exec_requests where command like '% DATABASE'";
    for (statement, command, kind, name) in [
        (
            "backup database d to disk = 'd.bak' with init",
            "BACKUP DATABASE",
            OpKind::Write,
            "write ",
        ),
        (
            "restore database d from disk = 'd.bak' with replace",
            "RESTORE DATABASE",
            OpKind::Read,
            "read ",
        ),
    ] {
        sim.fs().start_trace();
        let done = admin.run(statement);
        assert!(done.contains(" successfully processed "), "{done}");
        let trace = sim.fs().take_trace();
        let own =
            trace.iter().filter(|line| line.starts_with(name) && line.contains("d.bak")).count();
        sim.fs().hold_on(kind, "d.bak", own as u64 * 2 / 3);
        let instance = server.instance.clone();
        let working = std::thread::spawn(move || TestServer::of(instance).session().run(statement));
        let percent = loop {
            let answer = admin.run(shown);
            let row = answer.lines().nth(1).filter(|row| row.starts_with(command));
            let percent = row.and_then(|row| row.split('|').nth(1)?.parse::<f64>().ok());
            if let Some(percent) = percent.filter(|percent| *percent > 0.0) {
                break percent;
            }
            assert!(!working.is_finished(), "it has been held up: {answer}");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert!(percent < 100.0, "{percent}");
        sim.fs().release(kind);
        let done = working.join().unwrap();
        assert!(done.contains(" successfully processed "), "{done}");
        assert!(!admin.run(shown).contains(command));
    }
    assert_eq!(admin.run("select count(*) as n from d.dbo.t"), "n\n2000\n(1 row)");
}
