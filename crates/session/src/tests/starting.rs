//! What sessions see while the tables of a database are loaded.

use engine::instance::SuspectDatabase;
use env::OpKind;
use env::sim::{SimEnv, wait_until};

use crate::testing::{TestServer, TestSession};

const SETUP: &str = "create database d
go
alter database d add filegroup m contains memory_optimized_data
go
alter database d add file (name = 'm', filename = 'm') to filegroup m
go
use d
go
create table small (id int not null primary key nonclustered) with (memory_optimized = on)
go
create table large (id int not null primary key nonclustered hash with (bucket_count = 1000), n int not null)
with (memory_optimized = on)
go
insert small values (1), (2)
checkpoint
go
insert large select value, value % 10 from generate_series(1, 3000)
checkpoint
go
update large set n = 100 where id = 7; delete large where id <= 5; insert small values (3)";

/// The rows of an answer.
fn rows(session: &mut TestSession<'_>, query: &str) -> String {
    let answer = session.run(query);
    let lines: Vec<&str> = answer.lines().skip(1).filter(|line| !line.starts_with('(')).collect();
    lines.join("\n")
}

/// A server whose disk, after a power cut, holds the rows of the large table back.
fn started_without_large() -> (SimEnv, TestServer) {
    let sim = SimEnv::new(11);
    let server = TestServer::on(&sim);
    let answer = server.session().script(SETUP);
    assert!(!answer.contains("Msg "), "{answer}");
    let files = server.instance.databases().engine().databases().into_iter();
    let files = files.flat_map(|database| database.checkpoint_files());
    let largest = files.max_by_key(|file| file.rows).unwrap();
    assert_eq!(largest.rows, 3000);
    sim.fs().power_off();
    drop(server);
    sim.fs().power_on();
    // Only the directory of its blocks is read, and no block.
    sim.fs().hold_on(OpKind::Read, &largest.path.to_string_lossy(), 3);
    let server = TestServer::on(&sim);
    (sim, server)
}

#[test]
fn tables_are_served_as_soon_as_they_are_loaded() {
    let (sim, server) = started_without_large();
    let mut session = server.session();
    session.run("use d");
    assert_eq!(rows(&mut session, "select count(*) from small"), "3");
    let loading = "select command, status, db_name(database_id), percent_complete, \
                   case when session_id between 1 and 50 then 1 end, \
                   case when estimated_completion_time >= 0 then 1 end \
                   from sys.dm_exec_requests where command = 'DB STARTUP'";
    assert_eq!(
        rows(&mut session, loading).split('|').take(3).collect::<Vec<_>>(),
        ["DB STARTUP", "background", "d"]
    );
    let shown = rows(&mut session, loading);
    // Two rows of small, none of the 2994 of large.
    assert!(shown.contains("|0.06") && shown.ends_with("|1|1"), "{shown}");
    let sessions = "select s.status, s.is_user_process, s.login_name, db_name(s.database_id) \
                    from sys.dm_exec_sessions s join sys.dm_exec_requests r \
                    on r.session_id = s.session_id where r.command = 'DB STARTUP'";
    assert_eq!(rows(&mut session, sessions), "background|0|sa|d");
    session.run("insert small values (4)");

    // A statement that needs the other table waits.
    let locked = session.run("set lock_timeout 0; select count(*) from large");
    assert!(locked.contains("Msg 1222, "), "{locked}");
    session.run("set lock_timeout -1");
    let instance = server.instance.clone();
    let waiting = std::thread::spawn(move || {
        let server = TestServer::of(instance);
        let mut session = server.session();
        session.run("use d");
        rows(&mut session, "select count(*), max(n) from large")
    });
    let wait = "select r.status, r.wait_type, w.wait_type from sys.dm_exec_requests r join \
                sys.dm_os_waiting_tasks w on w.session_id = r.session_id where r.session_id <> @@spid and \
                r.wait_type is not null";
    let mut shown = String::new();
    wait_until("it waits", || {
        shown = rows(&mut session, wait);
        !shown.is_empty()
    });
    assert_eq!(shown, "suspended|WAIT_XTP_RECOVERY|WAIT_XTP_RECOVERY");
    assert_eq!(rows(&mut session, "select count(*) from small"), "4");
    sim.fs().release(OpKind::Read);
    assert_eq!(waiting.join().unwrap(), "2995|100");
    assert_eq!(rows(&mut session, "select count(*) from large where n = 100"), "1");
    let databases = server.instance.databases().engine().databases();
    databases.iter().for_each(|own| own.wait_until_loaded(&server.task).unwrap());
    assert_eq!(rows(&mut session, loading), "");
}

#[test]
fn ddl_waits_for_a_table_that_is_not_loaded() {
    let (sim, server) = started_without_large();
    let mut session = server.session();
    let answer = session.run("use d; alter table large add unset int not null");
    assert!(answer.contains("Msg 4901, "), "it has rows: {answer}");
    drop(session);
    let instance = server.instance.clone();
    let waiting = std::thread::spawn(move || {
        let server = TestServer::of(instance);
        let mut session = server.session();
        session.run("use d");
        session.run("alter table large add extra int not null default 5")
            + &session.run("select count(*), sum(extra) from large")
            + &session.run("drop table large")
    });
    wait_until("it waits", || !server.instance.host().graph.waits().is_empty());
    sim.fs().release(OpKind::Read);
    let answer = waiting.join().unwrap();
    assert!(answer.contains("2995|14975") && !answer.contains("Msg "), "{answer}");
    drop(server);
    sim.fs().power_off();
    sim.fs().power_on();
    let server = TestServer::on(&sim);
    let mut session = server.session();
    session.run("use d");
    assert_eq!(rows(&mut session, "select count(*) from small"), "3");
    assert!(session.run("select count(*) from large").contains("Msg 208, "));
}

#[test]
fn a_database_whose_tables_are_damaged_is_suspect_once_that_is_found() {
    let (sim, server) = started_without_large();
    let files = server.instance.databases().engine().databases().into_iter();
    let files = files.flat_map(|database| database.checkpoint_files());
    let largest = files.max_by_key(|file| file.rows).unwrap();
    sim.fs().flip_bit(&largest.path, 8 * (largest.bytes / 2)).unwrap();
    let mut session = server.session();
    session.run("use d");
    assert_eq!(rows(&mut session, "select count(*) from small"), "3");
    let instance = server.instance.clone();
    let waiting = std::thread::spawn(move || {
        let server = TestServer::of(instance);
        let mut session = server.session();
        session.run("use d");
        session.run("select count(*) from large")
    });
    wait_until("it waits", || !server.instance.host().graph.waits().is_empty());
    sim.fs().release(OpKind::Read);
    let answer = waiting.join().unwrap();
    assert!(answer.contains("Msg 926, "), "{answer}");
    assert!(session.run("select count(*) from small").contains("Msg 926, "));
    session.run("use master");
    let state = "select state_desc from sys.databases where name = 'd'";
    assert_eq!(rows(&mut session, state), "SUSPECT");
    let failures = server.instance.databases().take_failures();
    let [SuspectDatabase { error: why, .. }] = &failures[..] else { panic!("{failures:?}") };
    assert!(why.to_string().contains(&*largest.path.to_string_lossy()), "{why}");
}
