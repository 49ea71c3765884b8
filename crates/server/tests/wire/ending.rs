//! Ends: of a server while its sessions work, of sessions and procedures while other sessions use
//! their objects.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use base::Value;
use server::config::Config;

use crate::sql::{number, run};
use crate::support::{Over, PATIENCE, TestServer, session_of, wait_for_request, wait_until};

fn with_timeout(shutdown_timeout: Duration) -> TestServer {
    TestServer::with(Config { shutdown_timeout, ..Config::default() })
}

#[test]
fn requests_may_finish() {
    let server = with_timeout(10 * PATIENCE);
    let (mut holder, mut connection) = (server.connect(), server.connect());
    run(&mut holder, "create table held (id int primary key); insert held values (1)");
    run(&mut holder, "begin transaction; update held set id = 2");
    let session = session_of(&mut connection);
    let worker = std::thread::spawn(move || {
        connection.query("update held set id = 3; select 42 as a").map(|rows| rows.rows)
    });
    // It waits for a session that has nothing to do, which ends at once.
    wait_for_request(&mut holder, session, "wait_type like 'LCK%'");
    let began = Instant::now();
    server.stop();
    assert!(began.elapsed() < PATIENCE);
    assert_eq!(worker.join().unwrap().unwrap(), [[Value::Int(42)]]);
}

#[test]
fn requests_that_take_too_long_are_ended() {
    let server = with_timeout(Duration::from_millis(100));
    let (mut observer, mut connection) = (server.connect(), server.connect());
    let session = session_of(&mut connection);
    let worker =
        std::thread::spawn(move || connection.execute("waitfor delay '01:00:00'").is_err());
    wait_for_request(&mut observer, session, "wait_type = 'WAITFOR'");
    let began = Instant::now();
    server.stop();
    assert!(began.elapsed() < PATIENCE);
    assert!(worker.join().unwrap());
}

#[test]
fn what_is_open_is_rolled_back() {
    let server = TestServer::new();
    let mut connection = server.connect();
    connection.execute("create table open_work (id int)").unwrap();
    connection.execute("begin transaction; insert open_work values (1)").unwrap();
    let again = TestServer::in_directory(server.stop(), Config::default());
    let rows = again.connect().query("select count(*) from open_work").unwrap().rows;
    assert_eq!(rows, [[Value::Int(0)]]);
}

#[test]
fn a_session_that_leaves_lets_go_of_what_it_holds() {
    let server = TestServer::new();
    let mut holder = server.connect();
    holder.execute("create table held (id int primary key)").unwrap();
    holder.execute("insert held values (1)").unwrap();
    holder.execute("begin transaction; update held set id = 2").unwrap();
    let mut waiter = server.connect();
    let session = session_of(&mut waiter);
    let worker = std::thread::spawn(move || waiter.execute("update held set id = 3"));
    wait_for_request(&mut server.connect(), session, "wait_type like 'LCK%'");
    drop(holder);
    let outcome = worker.join().unwrap().unwrap();
    assert_eq!(outcome.affected, 1);
}

#[test]
fn the_server_ends_when_it_is_told_so() {
    let server = TestServer::new();
    let _ = server.connect().execute("shutdown");
    let address = server.address();
    wait_until("the server ends", || std::net::TcpStream::connect(address).is_err());
}

/// Another session was using a procedure's temporary table when the procedure ended: with
/// LOCK_TIMEOUT 0 the table stayed, and so did the procedure's user.
#[test]
fn a_procedure_drops_its_temporary_tables_while_another_session_reads_them() {
    let server = TestServer::new();
    let mut connection = server.connect();
    for text in [
        "create database d",
        "use d",
        "create user u without login",
        "create procedure p with execute as 'u' as \
         begin create table #t (id int primary key, v varchar(200)); \
         insert #t select value, replicate('x', 100) from generate_series(1, 30000); end",
    ] {
        run(&mut connection, text);
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut other = server.connect();
            while !over.load(Relaxed) {
                run(&mut other, "dbcc checkdb (tempdb) with no_infomsgs");
            }
        });
        let _over = Over(&over);
        run(&mut connection, "set lock_timeout 0");
        for _ in 0..10 {
            run(&mut connection, "exec p");
            assert_eq!(number(&mut connection, "select case user_name() when 'dbo' then 1 end"), 1);
        }
    });
    let left = "select count(*) from tempdb.sys.tables where name like '#t%'";
    assert_eq!(number(&mut connection, left), 0);
}

/// A global temporary table that another session uses when its own session ends does not keep that
/// session from ending, nor other sessions from making their own; it is dropped later.
#[test]
fn a_global_temporary_table_is_dropped_after_its_last_use() {
    let server = TestServer::new();
    let (mut maker, mut user) = (server.connect(), server.connect());
    run(&mut maker, "create table ##g (id int)");
    run(&mut user, "begin tran; select * from ##g");
    let session = session_of(&mut maker);
    drop(maker);
    let is_there =
        format!("select count(*) from sys.dm_exec_sessions where session_id = {session}");
    wait_until("the session ends", || number(&mut user, &is_there) == 0);
    let mut third = server.connect();
    run(&mut third, "set lock_timeout 60000; create table ##h (id int)");
    run(&mut user, "commit");
    drop(third);
    let gone = "select count(*) from tempdb.sys.tables where name like '##%'";
    wait_until("the tables go", || number(&mut user, gone) == 0);
}
