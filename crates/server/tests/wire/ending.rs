//! The end of a server while its sessions work.

use std::time::{Duration, Instant};

use base::Value;
use server::config::Config;

use crate::support::TestServer;

fn with_timeout(shutdown_timeout: Duration) -> TestServer {
    TestServer::with(Config { shutdown_timeout, ..Config::default() })
}

#[test]
fn requests_may_finish() {
    let server = with_timeout(Duration::from_secs(20));
    let mut connection = server.connect();
    let worker = std::thread::spawn(move || {
        connection.query("waitfor delay '00:00:01'; select 42 as a").map(|rows| rows.rows)
    });
    std::thread::sleep(Duration::from_millis(200));
    let began = Instant::now();
    server.stop();
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(worker.join().unwrap().unwrap(), [[Value::Int(42)]]);
}

#[test]
fn requests_that_take_too_long_are_ended() {
    let server = with_timeout(Duration::from_millis(100));
    let mut connection = server.connect();
    let worker =
        std::thread::spawn(move || connection.execute("waitfor delay '00:10:00'").is_err());
    std::thread::sleep(Duration::from_millis(200));
    let began = Instant::now();
    server.stop();
    assert!(began.elapsed() < Duration::from_secs(10));
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
    let worker = std::thread::spawn(move || waiter.execute("update held set id = 3"));
    std::thread::sleep(Duration::from_millis(200));
    drop(holder);
    let outcome = worker.join().unwrap().unwrap();
    assert_eq!(outcome.affected, 1);
}

#[test]
fn the_server_ends_when_it_is_told_so() {
    let server = TestServer::new();
    let _ = server.connect().execute("shutdown");
    let deadline = Instant::now() + Duration::from_secs(10);
    let address = server.address();
    while std::net::TcpStream::connect(address).is_ok() {
        assert!(Instant::now() < deadline, "the server ends");
        std::thread::sleep(Duration::from_millis(20));
    }
}
