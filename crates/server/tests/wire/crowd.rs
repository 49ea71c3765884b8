//! Many connections at once.

use std::time::Instant;

use tds::packet::PacketType;
use tools::client::{Connection, Encrypt};

use crate::support::{Process, Raw, TempDir, TestServer, wait_until};

#[test]
fn a_storm_of_connections_is_served() {
    const THREADS: usize = 8;
    const EACH: usize = 25;
    let server = TestServer::shared();
    let address = server.address();
    let storm = || (0..EACH).map(|_| Raw::login_at(address)).collect::<Vec<_>>();
    let connected: Vec<Vec<Raw>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(storm)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for mut raw in connected.into_iter().flatten() {
        raw.send(PacketType::Attention, &[]);
        assert!(raw.answer().is_some());
    }
}

/// Bytes of memory for each of this many further connections, once they are idle: waits until there
/// are few enough.
fn each_at_rest(server: &Process, before: u64, count: u64, bytes_max: u64) -> u64 {
    let each = || server.memory().saturating_sub(before) / count;
    wait_until("idle connections are small", || each() < bytes_max);
    each()
}

/// `cargo test -p thermocline --test wire -- --ignored --nocapture ten_thousand`; the limit of open
/// files must be above 10,100.
#[test]
#[ignore = "takes a while and many files"]
fn ten_thousand_idle_connections_cost_little() {
    const COUNT: usize = 10_000;
    const BYTES_MAX: u64 = 100_000;
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut raws = vec![Raw::login_at(server.address)];
    let before = server.memory();
    let began = Instant::now();
    raws.extend((1..COUNT).map(|_| Raw::login_at(server.address)));
    let elapsed = began.elapsed();
    let each = each_at_rest(&server, before, COUNT as u64 - 1, BYTES_MAX);
    println!("{COUNT} connections in {} ms, {each} bytes each", elapsed.as_millis());
    for raw in raws.iter_mut().step_by(97) {
        raw.send(PacketType::Attention, &[]);
        assert!(raw.answer().is_some());
    }
}

/// As `ten_thousand_idle_connections_cost_little`, for connections that are encrypted and have run
/// something.
#[test]
#[ignore = "takes a while and many files"]
fn idle_connections_that_have_worked_cost_little() {
    const COUNT: usize = 2000;
    const BYTES_MAX: u64 = 100_000;
    let dir = TempDir::new();
    let server = Process::start(dir.path(), &[]);
    let mut options = server.options();
    options.encrypt = Encrypt::Mandatory;
    let connect = || {
        let mut connection = Connection::connect(&options).unwrap();
        connection.query("select 1 as a, N'text' as b").unwrap();
        connection
    };
    let mut connections: Vec<Connection> = (0..100).map(|_| connect()).collect();
    let before = server.memory();
    connections.extend((100..COUNT).map(|_| connect()));
    let each = each_at_rest(&server, before, COUNT as u64 - 100, BYTES_MAX);
    println!("{each} bytes each");
}
