//! Tables with trees that are dropped: what a crash finds, and when the file has their pages back.

use std::time::{Duration, Instant};

use env::OpKind;
use env::sim::{Fault, FaultKind};

use super::{FIRST, change, database, new_server, power_cycle, rows};
use crate::database::DatabaseOptions;
use crate::hot::visibility::Isolation;
use crate::recovery::tests::{DISK, Server, TestEnv, options};
use crate::txn::{Durability, ReadAt};

/// With these a server does nothing by itself.
pub(super) fn quiet() -> DatabaseOptions {
    let mut options = options();
    options.checkpoints.merges = false;
    options.checkpoints.interval_ns = 3_600_000_000_000;
    options.sink.interval_ns = 3_600_000_000_000;
    options
}

/// One that does nothing by itself.
pub(super) fn quiet_server(test_env: &TestEnv) -> Server {
    test_env.create_with(&[5], &quiet()).expect("the disk works")
}

fn fill(server: &Server, n: u64, rows: i64) {
    let mut txn = server.begin(5);
    for id in 0..rows {
        server.insert(&mut txn, &server.table(5, n), [id, id, id % 5]).expect("a fresh key");
    }
    txn.commit(&server.task, Durability::Full).expect("there is room");
}

fn update(server: &Server, id: i64, v: i64) {
    let mut txn = server.begin(5);
    change(server, &mut txn, FIRST, id, Some([id, id, v])).expect("no other writer");
    txn.commit(&server.task, Durability::Full).expect("there is room");
}

fn checkpoint(server: &Server) {
    database(server).checkpoint(&server.task).expect("the disk works");
}

fn sink(server: &Server) {
    database(server).sink_all(&server.task).expect("the disk works");
}

/// Pages of the data file that are in use.
fn used_pages(server: &Server) -> u64 {
    database(server).data_file_space().expect("something has sunk").used_pages
}

/// A root without the trees of a table became durable, and the power went before a manifest did
/// that knew the table to be gone. The log speaks of a row that had stayed in memory through a
/// checkpoint, and so of one that no file has.
#[test]
fn a_dropped_table_has_its_trees_until_a_manifest_knows_it_to_be_gone() {
    let test_env = TestEnv::new(1);
    let server = quiet_server(&test_env);
    for n in [FIRST, DISK + 1] {
        server.create_table(5, n).expect("the disk works");
        fill(&server, n, 20);
    }
    // Its rows are in files as well.
    checkpoint(&server);
    sink(&server);
    checkpoint(&server);
    let mut reader = server.begin(5);
    let mut statement = reader.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    update(&server, 1, 7);
    checkpoint(&server);
    update(&server, 1, 8);
    reader.end_statement(&mut statement);
    drop(reader);
    server.drop_table(5, FIRST).expect("no transaction uses it");
    test_env.sim.fs().inject(Fault::next(OpKind::Write, FaultKind::Io).on(".manifest"));
    let before = database(&server).sink_stats().expect("it has files").roots;
    database(&server).checkpoint(&server.task).expect_err("there is no manifest");
    let roots = database(&server).sink_stats().expect("it has files").roots;
    assert!(roots > before, "a root was written");
    let expected = rows(&server, DISK + 1);
    power_cycle(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(rows(&server, DISK + 1), expected);
    assert!(database(&server).manager().tables().get(base::ids::StorageId(1000 + FIRST)).is_none());
}

/// The checkpoint that knows a table to be gone gives its pages back.
#[test]
fn a_checkpoint_gives_the_pages_of_a_dropped_table_back() {
    let test_env = TestEnv::new(2);
    let server = quiet_server(&test_env);
    for n in [FIRST, DISK + 1] {
        server.create_table(5, n).expect("the disk works");
    }
    fill(&server, FIRST, 8000);
    fill(&server, DISK + 1, 20);
    sink(&server);
    checkpoint(&server);
    let before = used_pages(&server);
    server.drop_table(5, FIRST).expect("no transaction uses it");
    checkpoint(&server);
    let after = used_pages(&server);
    assert!(after < before / 2, "{before} pages, then {after}");
    power_cycle(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(rows(&server, DISK + 1).len(), 20);
    assert!(used_pages(&server) <= after);
}

#[test]
fn pages_of_tables_that_are_dropped_come_back_by_themselves() {
    let test_env = TestEnv::new(3);
    let mut server = new_server(&test_env);
    fill(&server, DISK + 1, 20);
    for is_restarted in [false, true] {
        if is_restarted {
            server.create_table(5, FIRST).expect("the disk works");
        }
        fill(&server, FIRST, 8000);
        sink(&server);
        checkpoint(&server);
        let before = used_pages(&server);
        server.drop_table(5, FIRST).expect("no transaction uses it");
        if is_restarted {
            database(&server).manager().log().flush(&server.task).expect("the disk works");
            power_cycle(&test_env, server);
            server = test_env.recover(&[5], 2);
        }
        let begin = Instant::now();
        while used_pages(&server) > before / 2 {
            let used = used_pages(&server);
            assert!(begin.elapsed().as_secs() < 60, "{before} pages, and {used} stay");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    assert_eq!(rows(&server, DISK + 1).len(), 20);
}

/// Dropping a table because the disk is full gives its room back, without making some elsewhere
/// first.
#[test]
fn a_table_that_fills_the_disk_can_be_dropped_to_make_room() {
    let test_env = TestEnv::new(4);
    let server = quiet_server(&test_env);
    for n in [FIRST, DISK + 1] {
        server.create_table(5, n).expect("the disk works");
    }
    fill(&server, DISK + 1, 20);
    sink(&server);
    checkpoint(&server);
    fill(&server, FIRST, 8000);
    sink(&server);
    let full = Fault::next(OpKind::Write, FaultKind::DiskFull).on("rows.tpg").forever();
    test_env.sim.fs().inject(full);
    database(&server).checkpoint(&server.task).expect_err("there is no room for the pages");
    server.drop_table(5, FIRST).expect("no transaction uses it");
    // Nothing of the table has to be written any more.
    checkpoint(&server);
    test_env.sim.fs().clear_faults();
    checkpoint(&server);
    power_cycle(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(rows(&server, DISK + 1).len(), 20);
}
