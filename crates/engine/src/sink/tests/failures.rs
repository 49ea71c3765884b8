//! Disks that fail, files that are missing, and snapshots that stay open.

use std::ops::{ControlFlow, Range as Ids};
use std::path::Path;

use env::OpKind;
use env::sim::{Fault, FaultKind};

use super::drops::quiet_server;
use super::{FIRST, change, database, new_server, power_cycle, rows, rows_at};
use crate::checkpoint::{CheckpointError, CommitRange};
use crate::cold::PAGE_BYTES;
use crate::cold::table::ColdEntry;
use crate::cold::tree::{Direction, Range};
use crate::database::Database;
use crate::error::EngineError;
use crate::hot::visibility::Isolation;
use crate::recovery::RecoveryOptions;
use crate::recovery::tests::{
    DISK, Server, TestCatalog, TestEnv, catalog_table, identity, options,
};
use crate::sink::SinkError;
use crate::txn::{Durability, ReadAt, Transaction};

const FILE: &str = "/data/5/rows.tpg";

fn fill(server: &Server, ids: Ids<i64>) {
    let table = server.table(5, FIRST);
    for id in ids {
        let mut txn = server.begin(5);
        server.insert(&mut txn, &table, [id, id, id % 5]).expect("a fresh key");
        txn.commit(&server.task, Durability::Full).expect("there is room");
    }
}

fn update(server: &Server, ids: Ids<i64>, v: i64) {
    for id in ids {
        let mut txn = server.begin(5);
        change(server, &mut txn, FIRST, id, Some([id, id, v])).expect("no other writer");
        txn.commit(&server.task, Durability::Full).expect("there is room");
    }
}

fn delete(server: &Server, ids: Ids<i64>) {
    for id in ids {
        let mut txn = server.begin(5);
        change(server, &mut txn, FIRST, id, None).expect("no other writer");
        txn.commit(&server.task, Durability::Full).expect("there is room");
    }
}

/// An environment whose first disk table has sunk, with a checkpoint.
fn sunk_test_env(seed: u64) -> (TestEnv, Server) {
    let test_env = TestEnv::new(seed);
    let server = new_server(&test_env);
    fill(&server, 0..100);
    database(&server).sink_all(&server.task).expect("the disk works");
    database(&server).checkpoint(&server.task).expect("the disk works");
    assert!(server.table(5, FIRST).cold().is_some_and(|cold| cold.rows() > 0));
    (test_env, server)
}

/// Tries to read the database back; why it cannot be.
fn refusal(test_env: &TestEnv) -> Option<EngineError> {
    let server = test_env.server();
    let host = server.engine.host();
    let tables = host.tables(u64::MAX);
    tables.create(&catalog_table());
    let (mut catalog, recovery) = (TestCatalog::default(), RecoveryOptions::default());
    Database::recover(host, identity(5), tables, &mut catalog, &options(), recovery).err()
}

#[test]
fn a_data_file_that_is_missing_old_or_not_ours_is_refused() {
    let (test_env, server) = sunk_test_env(1);
    let fs = test_env.sim.env();
    let old = fs.fs().read(Path::new(FILE)).expect("it is there");
    fill(&server, 100..200);
    database(&server).checkpoint(&server.task).expect("the disk works");
    power_cycle(&test_env, server);
    let fs = test_env.sim.env();
    let fs = fs.fs();
    let whole = fs.read(Path::new(FILE)).expect("it is there");
    let replace = |bytes: &[u8]| {
        fs.remove_file(Path::new(FILE)).expect("it is there");
        fs.write_new(Path::new(FILE), bytes).expect("the disk works");
    };
    replace(&old);
    let error = refusal(&test_env).expect("commits are missing").to_string();
    assert!(error.contains("older than the last checkpoint"), "{error}");
    let mut foreign = whole.clone();
    [16, 3 * PAGE_BYTES + 16].iter().for_each(|at| foreign[*at..at + 16].fill(9));
    replace(&foreign);
    assert!(refusal(&test_env).is_some());
    fs.remove_file(Path::new(FILE)).expect("it is there");
    let error = refusal(&test_env).expect("rows are missing");
    assert_eq!(error.to_string(), format!("{FILE} is missing"));
    fs.write_new(Path::new(FILE), &whole).expect("the disk works");
    let server = test_env.recover(&[5], 2);
    assert_eq!(rows(&server, FIRST).len(), 200);
}

#[test]
fn a_disk_that_fails_delays_checkpoints_and_loses_nothing() {
    for op in [OpKind::Write, OpKind::Sync] {
        for after in 0..4 {
            let (test_env, server) = sunk_test_env(3);
            fill(&server, 100..150);
            update(&server, 0..50, 7);
            let kind = if after % 2 == 0 { FaultKind::Io } else { FaultKind::DiskFull };
            test_env.sim.fs().inject(Fault::next(op, kind).after(after).on("rows.tpg"));
            let first = database(&server).checkpoint(&server.task);
            update(&server, 50..80, 8);
            let expected = rows(&server, FIRST);
            if after % 2 > 0 {
                test_env.sim.fs().clear_faults();
                database(&server).checkpoint(&server.task).expect("the disk works");
            }
            database(&server).manager().log().flush(&server.task).expect("the disk works");
            power_cycle(&test_env, server);
            let server = test_env.recover(&[5], 2);
            assert_eq!(rows(&server, FIRST), expected, "{op:?} after {after}: {first:?}");
        }
    }
}

/// Rows that a round has written stay in memory while a statement goes on that may know them. When
/// it is over, an old snapshot may be newer than that round: what the row had below is gone by
/// then.
#[test]
fn rows_leave_after_the_snapshots_of_their_round() {
    let (test_env, server) = sunk_test_env(6);
    let table = server.table(5, FIRST);
    let sink = || database(&server).sink_all(&server.task).expect("the disk works");
    // More than once: the sink's own thread may be faster.
    for round in 0..10 {
        let mut first = server.begin(5);
        let mut statement = first.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        update(&server, 0..80, 3 * round);
        sink();
        update(&server, 0..80, 3 * round + 1);
        update(&server, 0..80, 3 * round + 2);
        let mut second = server.begin(5);
        let mut seen = || {
            let mut statement = second.begin_statement(Isolation::Snapshot, ReadAt::Committed);
            let seen = rows_at(&mut second, &server.task, &table, statement.snapshot());
            second.end_statement(&mut statement);
            seen.expect("pages can be read")
        };
        let before = seen();
        update(&server, 90..91, round);
        first.end_statement(&mut statement);
        drop(first);
        while database(&server).manager().reclaim(&server.task, 1000) > 0 {}
        sink();
        sink();
        assert_eq!(seen(), before);
    }
    let now = rows(&server, FIRST);
    assert_eq!(now.len(), 100);
    power_cycle(&test_env, server);
    assert_eq!(rows(&test_env.recover(&[5], 2), FIRST), now);
}

/// A transaction that has been forgotten sees what it saw, and keeps neither rows in memory nor the
/// log.
#[test]
fn an_old_snapshot_stops_neither_sinking_nor_checkpoints() {
    let (test_env, server) = sunk_test_env(4);
    let table = server.table(5, FIRST);
    let mut reader = server.begin(5);
    let seen = |reader: &mut Transaction| {
        let mut statement = reader.begin_statement(Isolation::Snapshot, ReadAt::Committed);
        let seen = rows_at(reader, &server.task, &table, statement.snapshot());
        reader.end_statement(&mut statement);
        seen.expect("pages can be read")
    };
    let old = seen(&mut reader);
    assert_eq!(old.len(), 100);
    fill(&server, 100..130);
    for round in 0..5 {
        update(&server, 0..40, round);
        delete(&server, 50 + round..51 + round);
        database(&server).checkpoint(&server.task).expect("the disk works");
        assert_eq!(seen(&mut reader), old, "round {round}");
    }
    let stats = database(&server).checkpoint_stats().expect("it has files");
    let sunk = database(&server).sink_stats().expect("it has files");
    assert!(sunk.through >= stats.through, "{stats:?}, {sunk:?}");
    assert_eq!(sunk.history, 45, "what it sees of rows that have changed, once");
    let memory = |server: &Server| server.table(5, FIRST).memory().allocated_bytes;
    for _ in 0..3 {
        database(&server).sink_all(&server.task).expect("the disk works");
        while database(&server).manager().reclaim(&server.task, 1000) > 0 {}
    }
    assert_eq!(memory(&server), 0, "with the snapshot still open");
    assert_eq!(seen(&mut reader), old);
    let expected = rows(&server, FIRST);
    assert_eq!(expected.len(), 125);
    drop(reader);
    database(&server).sink_all(&server.task).expect("the disk works");
    assert_eq!(database(&server).sink_stats().expect("it has files").history, 0);
    let cold = table.cold().expect("it has sunk");
    for index in 0..table.links() {
        let mut entries = 0;
        let mut cursor = cold.cursor(index, Range::ALL, Direction::Forward);
        while !cursor.is_ended() {
            let count = |_: ColdEntry<'_>| {
                entries += 1;
                ControlFlow::Continue(())
            };
            let _ = cursor.next_chunk(&server.task, count).expect("pages can be read");
        }
        assert_eq!(entries, 125, "nothing is left of what it saw in index {index}");
    }
    power_cycle(&test_env, server);
    assert_eq!(rows(&test_env.recover(&[5], 2), FIRST), expected);
}

/// Two rounds have written a row that may not leave yet, and a transaction owns it when the first
/// would take it down. The second does so later; if the first had it looked at once more, that
/// would be after it is gone.
#[test]
fn a_row_that_two_rounds_have_written_leaves_once() {
    let (_test_env, server) = sunk_test_env(6);
    let table = server.table(5, FIRST);
    let round = || database(&server).sink_all(&server.task).expect("the disk works");
    let open = || {
        let mut txn = server.begin(5);
        let statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        (txn, statement)
    };
    let close = |(mut txn, mut statement): (Transaction, _)| {
        txn.end_statement(&mut statement);
        txn.rollback(&server.task);
    };
    // With the keys that it has: so it stays behind one anchor.
    let first = open();
    update(&server, 5..6, 0);
    round();
    let second = open();
    update(&server, 5..6, 0);
    round();
    let mut writer = server.begin(5);
    change(&server, &mut writer, FIRST, 5, Some([5, 5, 0])).expect("no other writer");
    close(first);
    round();
    writer.rollback(&server.task);
    close(second);
    for _ in 0..3 {
        round();
        while database(&server).manager().reclaim(&server.task, 1000) > 0 {}
    }
    assert_eq!(table.memory().allocated_bytes, 0);
    assert_eq!(rows(&server, FIRST).get(&5), Some(&[5, 5, 0]));
    assert_eq!(rows(&server, FIRST).len(), 100);
}

/// Rows that a transaction has promoted, and has not changed after all, leave memory again although
/// no other commit moves the log on. Otherwise memory that is full would stay full.
#[test]
fn rows_that_were_brought_back_for_nothing_leave_without_other_commits() {
    let (_test_env, server) = sunk_test_env(8);
    let table = server.table(5, FIRST);
    let settle = || {
        for _ in 0..4 {
            database(&server).sink_all(&server.task).expect("the disk works");
            while database(&server).manager().reclaim(&server.task, 1000) > 0 {}
        }
        table.memory().allocated_bytes
    };
    assert_eq!(settle(), 0);
    for round in 0..3 {
        let mut writer = server.begin(5);
        for id in 0..40 {
            change(&server, &mut writer, FIRST, id, Some([id, id, round]))
                .expect("no other writer");
        }
        for id in 50..60 {
            change(&server, &mut writer, FIRST, id, None).expect("no other writer");
        }
        assert!(table.memory().allocated_bytes > 0);
        writer.rollback(&server.task);
        assert_eq!(settle(), 0);
        let written = database(&server).manager().log().tail();
        assert_eq!(settle(), 0);
        assert_eq!(
            database(&server).manager().log().tail(),
            written,
            "nothing is left to wait for"
        );
    }
    assert_eq!(rows(&server, FIRST).len(), 100);
}

/// What only an old snapshot saw is not needed after a crash, and is dropped.
#[test]
fn history_is_forgotten_after_a_crash() {
    let (test_env, server) = sunk_test_env(4);
    let mut reader = server.begin(5);
    let mut statement = reader.begin_statement(Isolation::Snapshot, ReadAt::Committed);
    reader.end_statement(&mut statement);
    update(&server, 0..40, 7);
    delete(&server, 40..60);
    database(&server).checkpoint(&server.task).expect("the disk works");
    assert_eq!(database(&server).sink_stats().expect("it has files").history, 60);
    let expected = rows(&server, FIRST);
    drop(reader);
    power_cycle(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(rows(&server, FIRST), expected);
    database(&server).sink_all(&server.task).expect("the disk works");
    assert_eq!(database(&server).sink_stats().expect("it has files").history, 0);
    assert_eq!(rows(&server, FIRST), expected);
}

#[test]
fn a_table_that_cannot_begin_to_sink_delays_checkpoints() {
    let test_env = TestEnv::new(5);
    let server = new_server(&test_env);
    fill(&server, 0..50);
    // The other may have begun by now; this one is too small to.
    let mut txn = server.begin(5);
    server.insert(&mut txn, &server.table(5, DISK + 1), [1, 1, 1]).expect("a fresh key");
    txn.commit(&server.task, Durability::Full).expect("there is room");
    let mut reader = server.begin(5);
    let mut statement = reader.begin_statement(Isolation::Snapshot, ReadAt::Committed);
    fill(&server, 50..100);
    database(&server).sink_all(&server.task).expect("the disk works");
    fill(&server, 100..110);
    let error = database(&server).checkpoint(&server.task).expect_err("a snapshot is open");
    let in_the_way = EngineError::Checkpoint(CheckpointError::Sink(SinkError::InTheWay));
    assert_eq!(error.to_string(), in_the_way.to_string());
    reader.end_statement(&mut statement);
    drop(reader);
    database(&server).checkpoint(&server.task).expect("the disk works");
    power_cycle(&test_env, server);
    assert_eq!(rows(&test_env.recover(&[5], 2), FIRST).len(), 110);
}

/// Where the newest root is in the data file.
fn newest_root(test_env: &TestEnv) -> u64 {
    let bytes = test_env.sim.env().fs().read(Path::new(FILE)).expect("it is there");
    let roots =
        bytes.chunks(PAGE_BYTES).enumerate().filter(|(_, page)| page.starts_with(b"TCROOT"));
    let sequence = |page: &[u8]| u64::from_le_bytes(page[40..48].try_into().expect("eight bytes"));
    let newest = roots.max_by_key(|(_, page)| sequence(page)).expect("there is one");
    (newest.0 * PAGE_BYTES) as u64
}

/// A table had sunk after the last checkpoint, and files lost its rows to a merge. When the root
/// that had them was damaged, the one before was taken, which went with the last checkpoint, but
/// had no such table.
#[test]
fn a_root_without_a_table_whose_rows_have_left_the_files_is_refused() {
    let mut refused = 0;
    for syncs in 0..6 {
        let test_env = TestEnv::new(syncs);
        let server = quiet_server(&test_env);
        let (db, task) = (database(&server), &server.task);
        for n in [1, FIRST, DISK + 1] {
            server.create_table(5, n).expect("the disk works");
        }
        let insert = |n: u64, ids: Ids<i64>| {
            let mut txn = server.begin(5);
            for id in ids {
                server.insert(&mut txn, &server.table(5, n), [id, id, 0]).expect("a fresh key");
            }
            txn.commit(task, Durability::Full).expect("there is room");
        };
        insert(FIRST, 0..10);
        (0..3).for_each(|_| db.sink_all(task).expect("the disk works"));
        insert(DISK + 1, 0..100);
        for id in 0..3 {
            insert(1, id..id + 1);
            db.checkpoint(task).expect("the disk works");
        }
        let through = db.checkpoint_stats().expect("it has files").through;
        assert_eq!(through, db.manager().log().tail(), "nothing is behind the checkpoint");
        let second = server.table(5, DISK + 1);
        for _ in 0..3 {
            db.sink_all(task).expect("the disk works");
        }
        assert!(second.cold().is_some());
        // A root is written, and then another, unless that fails.
        test_env
            .sim
            .fs()
            .inject(Fault::next(OpKind::Sync, FaultKind::Io).after(syncs).on("rows.tpg"));
        let _ = db.shrink_data_file(task, false, Some(1 << 16));
        test_env.sim.fs().clear_faults();
        db.merge_checkpoint_files(task, CommitRange::ALL).expect("the disk works");
        drop((second, db));
        power_cycle(&test_env, server);
        let newest = newest_root(&test_env) + 40;
        test_env.sim.fs().flip_bit(Path::new(FILE), newest * 8).expect("it is there");
        match refusal(&test_env) {
            Some(_) => refused += 1,
            None => {
                let server = test_env.recover(&[5], 2);
                assert_eq!(rows(&server, DISK + 1).len(), 100, "{syncs} syncs");
            }
        }
    }
    assert!(refused > 0);
}
