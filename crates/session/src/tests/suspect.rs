//! Databases with a damaged file, and how all that was committed comes back.

use std::path::{Path, PathBuf};

use env::sim::SimEnv;
use env::{Env, OpenMode};

use crate::testing::{TestServer, TestSession};

const SETUP: &str = "create database d
go
alter database d add filegroup m contains memory_optimized_data
go
alter database d add file (name = 'm', filename = 'm') to filegroup m
go
use d
go
create table hot (id int not null primary key nonclustered, n int not null) with (memory_optimized = on)
create table cold (id int not null primary key, n int not null)
insert hot select value, 0 from generate_series(1, 1000)
insert cold select value, 0 from generate_series(1, 1000)
go
use master
backup database d to disk = 'd.bak'
go
update d.dbo.hot set n = 1 where id <= 500
update d.dbo.cold set n = 1 where id <= 500
backup log d to disk = 'd.bak'
go
update d.dbo.hot set n = 2 where id <= 100
update d.dbo.cold set n = 2 where id <= 100";

const LATER: &str = "insert d.dbo.hot values (2000, 3); insert d.dbo.cold values (2000, 3); delete d.dbo.hot where id = 1";

const ROWS: &str = "select (select concat(count(*), ' ', sum(n)) from d.dbo.hot) as hot, \
                    (select concat(count(*), ' ', sum(n)) from d.dbo.cold) as cold";

/// What `ROWS` gives when everything is there.
const ALL: &str = "hot|cold\n1000 601|1001 603\n(1 row)";

fn without_errors(answer: String) -> String {
    assert!(!answer.contains("Msg "), "{answer}");
    answer
}

/// A database with backups, log that is not in them, and pages; the power is gone. Its directory.
fn database(seed: u64) -> (SimEnv, PathBuf) {
    let sim = SimEnv::new(seed);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    without_errors(session.script(SETUP));
    server.sink();
    without_errors(session.script("use d\ngo\ncheckpoint\ngo\ncheckpoint\ngo\nuse master"));
    without_errors(session.durable(LATER).expect("the power is on"));
    assert_eq!(session.run(ROWS), ALL);
    let databases = server.instance.databases();
    let id = databases.find("d").expect("it was made").id;
    let dir = databases.catalog(id).expect("it is open").database().identity().dir.clone();
    sim.fs().power_off();
    drop(session);
    drop(server);
    sim.fs().power_on();
    (sim, dir)
}

fn files(sim: &SimEnv, dir: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = sim.env().fs().list(dir).expect("it is there");
    let mut paths: Vec<PathBuf> = entries.iter().map(|entry| dir.join(&entry.name)).collect();
    paths.retain(|path| path.extension().is_some_and(|its| its == extension));
    paths.sort();
    paths
}

/// A server that cannot open its database: it has this state.
fn started(sim: &SimEnv, expected: &str) -> TestServer {
    let server = TestServer::on(sim);
    let mut session = server.session();
    // Tables are loaded while it is open; a statement that needs one notices that they cannot be.
    let refused = session.run("select count(*) from d.dbo.hot");
    assert!(refused.contains(error_of(expected)), "{refused}");
    assert_eq!(state(&mut session), expected);
    drop(session);
    server
}

fn error_of(state: &str) -> &'static str {
    match state {
        PENDING => "Msg 945, ",
        _ => "Msg 926, ",
    }
}

/// The states of a database with a damaged or missing file.
const SUSPECT: &str = "SUSPECT";
const PENDING: &str = "RECOVERY_PENDING";

fn state(session: &mut TestSession<'_>) -> String {
    let answer = session.run("select state_desc from sys.databases where name = 'd'");
    answer.lines().nth(1).unwrap_or_default().to_owned()
}

const RESTORE: &str = "restore database d from disk = 'd.bak' with file = 1, norecovery, replace
restore log d from disk = 'd.bak' with file = 2, norecovery
restore log d from disk = 'd.bak' with file = 3, recovery";

/// Backs up the tail in this way and restores everything: all rows are there, over a restart too.
fn saved(sim: &SimEnv, expected: &str, backup: &str) {
    let server = started(sim, expected);
    let mut session = server.session();
    let refused = session.run("backup log d to disk = 'd.bak'");
    assert!(refused.contains(error_of(expected)), "{refused}");
    assert!(session.run("select databasepropertyex('d', 'status')").contains("SUSPECT"));
    let made = without_errors(session.run(backup));
    assert!(made.contains("BACKUP LOG successfully processed "), "{made}");
    without_errors(session.script(RESTORE));
    assert_eq!(state(&mut session), "ONLINE");
    assert_eq!(session.run(ROWS), ALL);
    without_errors(session.run("dbcc checkdb (d) with no_infomsgs"));
    without_errors(session.durable("insert d.dbo.hot values (3000, 4)").expect("the power is on"));
    sim.fs().power_off();
    drop(session);
    drop(server);
    sim.fs().power_on();
    let server = TestServer::on(sim);
    let mut session = server.session();
    assert_eq!(session.run(ROWS), "hot|cold\n1001 605|1001 603\n(1 row)");
}

#[test]
fn a_damaged_checkpoint_file_costs_no_commit() {
    let (sim, dir) = database(1);
    for file in files(&sim, &dir.join("checkpoint"), "data") {
        let len = sim.env().fs().metadata(&file).unwrap().expect("it is there").len;
        sim.fs().flip_bit(&file, len / 2 * 8).unwrap();
    }
    saved(&sim, SUSPECT, "backup log d to disk = 'd.bak' with no_truncate");
}

#[test]
fn pages_that_are_gone_cost_no_commit() {
    let (sim, dir) = database(2);
    let pages = files(&sim, &dir, "tpg");
    assert!(!pages.is_empty());
    for file in pages {
        sim.env().fs().remove_file(&file).unwrap();
    }
    saved(&sim, PENDING, "backup log d to disk = 'd.bak' with continue_after_error, norecovery");
}

#[test]
fn checkpoint_files_that_are_gone_cost_no_commit() {
    let (sim, dir) = database(3);
    for extension in ["data", "delta"] {
        for file in files(&sim, &dir.join("checkpoint"), extension) {
            sim.env().fs().remove_file(&file).unwrap();
        }
    }
    saved(&sim, PENDING, "backup log d to disk = 'd.bak' with no_truncate, copy_only, compression");
}

/// A restore lost the tail of the log without an error if it was not backed up.
#[test]
fn a_tail_that_is_not_backed_up_is_not_overwritten() {
    let (sim, dir) = database(4);
    for file in files(&sim, &dir, "tpg") {
        sim.env().fs().remove_file(&file).unwrap();
    }
    let server = started(&sim, PENDING);
    let mut session = server.session();
    let restore = "restore database d from disk = 'd.bak' with norecovery";
    let refused = session.run(restore);
    assert!(refused.starts_with("Msg 3159, "), "{refused}");
    // It is copy-only, so that nothing builds on it.
    without_errors(session.run("backup log d to disk = 'd.bak' with no_truncate"));
    let refused = session.run(restore);
    assert!(refused.starts_with("Msg 3159, "), "{refused}");
    without_errors(session.run("backup log d to disk = 'd.bak' with continue_after_error"));
    without_errors(session.run(restore));
    assert_eq!(state(&mut session), "RESTORING");
    without_errors(session.run(
        "restore log d from disk = 'd.bak' with file = 2, norecovery
        restore log d from disk = 'd.bak' with file = 4",
    ));
    assert_eq!(session.run(ROWS), ALL);
}

#[test]
fn a_log_that_is_damaged_too_is_saved_as_far_as_it_is_whole() {
    let (sim, dir) = database(5);
    for file in files(&sim, &dir, "tpg") {
        sim.env().fs().remove_file(&file).unwrap();
    }
    let server = started(&sim, PENDING);
    let mut session = server.session();
    without_errors(session.run("backup log d to disk = 'other.bak' with no_truncate"));
    let header = session.run("restore headeronly from disk = 'other.bak'");
    let shown = header.lines().nth(1).expect("there is a set");
    let names: Vec<&str> = header.lines().next().unwrap().split('|').collect();
    let value = |name: &str| {
        let at = names.iter().position(|its| *its == name).expect("there is such a column");
        shown.split('|').nth(at).unwrap().to_owned()
    };
    assert_eq!((value("IsDamaged"), value("HasIncompleteMetaData")), ("1".into(), "1".into()));
    assert_eq!((value("IsCopyOnly"), value("BackupType")), ("1".into(), "2".into()));
    let segment = files(&sim, &dir.join("log"), "tlog");
    let from: u64 = value("FirstLSN").parse().unwrap();
    let to: u64 = value("LastLSN").parse().unwrap();
    assert!(to > from);
    // All of it is in one segment, whose batches begin at whole pages.
    let mut is_last = true;
    for page in (1..256).rev() {
        let mut bytes = [0; 16];
        let file = sim.env().fs().open(&segment[0], env::OpenMode::Read).unwrap();
        file.read_exact_at(&mut bytes, page * 4096).unwrap();
        if bytes != [0; 16] && !std::mem::replace(&mut is_last, false) {
            sim.fs().flip_bit(&segment[0], (page * 4096 + 100) * 8).unwrap();
            break;
        }
    }
    let refused = session.run("backup log d to disk = 'd.bak' with no_truncate, stop_on_error");
    assert!(
        refused.contains("is damaged at offset ") && refused.contains("Msg 3049, "),
        "{refused}"
    );
    let made = session.run("backup log d to disk = 'd.bak' with no_truncate");
    let made = without_errors(made);
    assert!(made.contains("is damaged at offset "), "{made}");
    assert!(made.contains("BACKUP WITH CONTINUE_AFTER_ERROR successfully generated"), "{made}");
    without_errors(session.script(RESTORE));
    assert_ne!(session.run(ROWS), ALL);
}

#[test]
fn what_cannot_be_saved_is_said() {
    let sim = SimEnv::new(6);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    without_errors(session.script(SETUP));
    let refused = session.run("backup database d to disk = 'd.bak' with no_truncate");
    assert!(refused.starts_with("Msg 3032, "), "{refused}");
    // Of a database that is open it is a backup that nothing builds on: the next has the same log.
    for _ in 0..2 {
        without_errors(session.run("backup log d to disk = 'e.bak' with no_truncate"));
    }
    let first =
        "select count(distinct first_lsn) as n from msdb.dbo.backupset where is_copy_only = 1";
    assert_eq!(session.run(first), "n\n1\n(1 row)");
    without_errors(session.run("alter database d set offline"));
    let refused = session.run("backup log d to disk = 'd.bak' with no_truncate");
    assert!(refused.contains("Msg 942, "), "{refused}");
}

#[test]
fn the_log_of_the_simple_model_is_not_backed_up() {
    let (sim, dir) = database(7);
    let server = TestServer::on(&sim);
    let mut session = server.session();
    without_errors(session.script("alter database d set recovery simple"));
    sim.fs().power_off();
    drop(session);
    drop(server);
    sim.fs().power_on();
    for file in files(&sim, &dir, "tpg") {
        sim.env().fs().remove_file(&file).unwrap();
    }
    let server = started(&sim, PENDING);
    let refused = server.session().run("backup log d to disk = 'd.bak' with no_truncate");
    assert!(refused.contains("Msg 4208, "), "{refused}");
}

/// Starts a server that cannot open its database, and cuts the power again.
fn refused(sim: &SimEnv, expected: &str) {
    let server = started(sim, expected);
    sim.fs().power_off();
    drop(server);
    sim.fs().power_on();
}

fn copy(env: &Env, from: &Path, to: &Path) {
    let from = env.fs().open(from, OpenMode::Read).unwrap();
    let mut bytes = vec![0; from.len().unwrap() as usize];
    assert_eq!(from.read_at(&mut bytes, 0).unwrap(), bytes.len());
    let copy = env.fs().open(to, OpenMode::Create).unwrap();
    copy.write_all_at(&bytes, 0).unwrap();
    copy.sync_all().unwrap();
    env.fs().sync_dir(to.parent().unwrap()).unwrap();
}

/// The first log segment was missing and a prepared one there: the database came up empty, and
/// online.
#[test]
fn a_directory_that_is_not_whole_is_not_opened() {
    let (sim, dir) = database(8);
    let (env, log) = (sim.env(), dir.join("log"));
    let rename = |from: &Path, to: &Path| {
        env.fs().rename(from, to).unwrap();
        for path in [from, to] {
            env.fs().sync_dir(path.parent().unwrap()).unwrap();
        }
    };
    let segments = files(&sim, &log, "tlog");
    assert!(segments.len() > 1, "{segments:?}");
    for gone in [&segments[..1], &segments[..]] {
        gone.iter().for_each(|segment| rename(segment, &segment.with_extension("aside")));
        refused(&sim, PENDING);
        gone.iter().for_each(|segment| rename(&segment.with_extension("aside"), segment));
    }
    // The file under another number, and another database's file under its name.
    let (first, beyond) = (&segments[0], log.join("00000077.tlog"));
    rename(first, &beyond);
    refused(&sim, PENDING);
    let aside = beyond.with_extension("aside");
    rename(&beyond, &aside);
    let databases = env.fs().list(dir.parent().unwrap()).unwrap();
    let is_msdb = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("msdb");
    let msdb = databases.iter().find(|entry| is_msdb(&entry.name)).expect("it is there");
    let foreign = dir.with_file_name(&msdb.name).join("log").join("00000001.tlog");
    copy(&env, &foreign, first);
    refused(&sim, SUSPECT);
    rename(&aside, first);
    // All that is put back is there.
    let server = TestServer::on(&sim);
    assert_eq!(server.session().run(ROWS), ALL);
}
