//! A long run of a server under load, with crashes. A real server takes loads, updates and deletes
//! from clients that know what must be there, while an operator thread makes checkpoints, merges
//! files and backs the database up; it is killed with `SIGKILL` again and again, and after each
//! restart every order must be as it was acknowledged. At the end memory and files must be in
//! proportion to the live rows, and what the backups restore must be what there is.
//!
//! `THERMOCLINE_SOAK` says how many seconds (20 by default), `THERMOCLINE_SEED` what happens in
//! them, and `THERMOCLINE_PROGRAM` which server it happens to, if not the one that was built with
//! this; a failure prints the seed.

#![allow(clippy::unwrap_used, reason = "a test may fail wherever it likes")]

mod bounds;
mod operator;
mod orders;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use tools::client::{ConnectOptions, Connection};
use tools::local::{DataDir, LocalServer};
use tools::workload::TableSet;

use operator::Operator;
use testkit::rng::Rng;
use writer::Writer;

const DATABASE: &str = "soak";
/// Writers of memory-optimized tables, and of ordinary ones.
const WRITERS: (usize, usize) = (5, 3);
/// Small files, so that many are made in minutes.
const FLAGS: [&str; 12] = [
    "--checkpoint-file-size",
    "1MB",
    "--checkpoint-log-size",
    "8MB",
    "--log-segment-size",
    "4MB",
    "--disk-table-memory",
    "1MB",
    "--buffer-pool-size",
    "64MB",
    "--max-memory",
    "1GB",
];

fn number_from(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs a batch that must succeed.
fn run(connection: &mut Connection, text: &str) {
    let outcome = connection.execute(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(outcome.first_error.is_none(), "{text}: {:?}", outcome.first_error);
}

fn create(server: &LocalServer) {
    let mut connection = Connection::connect(&server.options()).unwrap();
    for text in [
        "CREATE DATABASE soak",
        "ALTER DATABASE soak ADD FILEGROUP f CONTAINS MEMORY_OPTIMIZED_DATA",
        "ALTER DATABASE soak ADD FILE (NAME = 'f', FILENAME = 'f') TO FILEGROUP f",
        "ALTER DATABASE soak SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON",
        "USE soak",
    ] {
        run(&mut connection, text);
    }
    for tables in [TableSet::InMemory, TableSet::OnDisk] {
        run(&mut connection, &orders::definition(tables));
    }
}

fn start(data: &DataDir) -> LocalServer {
    let program = std::env::var_os("THERMOCLINE_PROGRAM").map(PathBuf::from);
    let program = program.unwrap_or_else(|| env!("CARGO_BIN_EXE_thermocline").into());
    LocalServer::start_program(&program, data.path(), &FLAGS).unwrap()
}

fn writers(rng: &mut Rng) -> Vec<Writer> {
    let tables = |at| if at < WRITERS.0 { TableSet::InMemory } else { TableSet::OnDisk };
    (0..WRITERS.0 + WRITERS.1).map(|at| Writer::new(at as i64, tables(at), rng.fork())).collect()
}

/// Runs all clients and the operator until the server is killed. Returns what they know.
fn live(
    server: LocalServer,
    mut writers: Vec<Writer>,
    operator: &mut Operator,
    life: Duration,
) -> Vec<Writer> {
    let is_dying = Arc::new(AtomicBool::new(false));
    let options: ConnectOptions = server.options().with_database(DATABASE);
    std::thread::scope(|scope| {
        for writer in &mut writers {
            let (options, is_dying) = (&options, &is_dying);
            scope.spawn(move || writer.work(options, is_dying));
        }
        let (options, dying) = (&options, &is_dying);
        scope.spawn(move || operator.work(options, dying));
        std::thread::sleep(life);
        is_dying.store(true, SeqCst);
        server.kill().unwrap();
    });
    writers
}

#[test]
fn nothing_is_lost_and_nothing_grows() {
    let seconds = number_from("THERMOCLINE_SOAK", 20);
    let seed = number_from("THERMOCLINE_SEED", u64::from(std::process::id()));
    let kills = (seconds / 30).clamp(2, 10);
    println!("{seconds} s, {kills} kills, THERMOCLINE_SEED={seed}");
    let mut rng = Rng::new(seed);
    let data = DataDir::temporary("soak").unwrap();
    let mut server = start(&data);
    create(&server);
    let (mut writers, mut operator) = (writers(&mut rng), Operator::new(rng.fork()));
    let average_ms = seconds * 1000 / kills;
    for kill in 1..=kills {
        operator.begin_life(kill + 1 >= kills);
        let life = Duration::from_millis(rng.between(average_ms / 2, average_ms * 3 / 2));
        writers = live(server, writers, &mut operator, life);
        let begin = Instant::now();
        server = start(&data);
        let started = begin.elapsed();
        let mut connection =
            Connection::connect(&server.options().with_database(DATABASE)).unwrap();
        writers.iter_mut().for_each(|writer| writer.check(&mut connection, DATABASE));
        orders::check_nothing_else(&mut connection, DATABASE);
        let live: usize = writers.iter().map(Writer::live).sum();
        let changes: u64 = writers.iter().map(|writer| writer.changes).sum();
        println!(
            "kill {kill} after {} ms: {changes} changes so far, {live} orders; up again in {} ms",
            life.as_millis(),
            started.as_millis()
        );
    }
    let mut connection = Connection::connect(&server.options().with_database(DATABASE)).unwrap();
    bounds::check(&mut connection, &server, &data);
    for table in orders::TABLES {
        let found =
            connection.query(&format!("DBCC CHECKTABLE ({table}) WITH NO_INFOMSGS")).unwrap();
        assert!(found.rows.is_empty(), "{table}: {:?}", found.rows);
    }
    operator.restore(&mut connection);
    writers.iter_mut().for_each(|writer| writer.check(&mut connection, operator::COPY));
    orders::check_nothing_else(&mut connection, operator::COPY);
    println!("{}", operator.summary());
    assert!(writers.iter().all(|writer| writer.changes > 0), "a writer did nothing");
    drop(connection);
    server.stop().unwrap();
}
