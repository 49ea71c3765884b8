//! Databases whose checkpoints are looked at, damaged, refused and merged.

mod drops;

use std::path::{Path, PathBuf};

use base::ids::{DbId, Lsn, StorageId};
use env::sim::{Fault, FaultKind, SplitMix, wait_until};
use env::{FileSystem, OpKind};

use super::manifest::{Delta, Pair, Retired, SequenceState};
use super::names::FileId;
use super::weigh::Weight;
use super::*;
use crate::database::Database;
use crate::error::EngineError;
use crate::log::{GlobalTransaction, LogError};
use crate::recovery::tests::{
    Server, State, TestCatalog, TestEnv, catalog_table, identity, loaded, options, workload,
};
use crate::recovery::{RecoveryError, RecoveryOptions};
use crate::sync::Arc;
use crate::txn::{Durability, TxnError};
use crate::wait::Task;

/// An environment with a database that has one table.
fn new_test_env(seed: u64) -> (TestEnv, Server) {
    let test_env = TestEnv::new(seed);
    let server = test_env.create(&[5]).expect("the disk works");
    server.create_table(5, 1).expect("the disk works");
    (test_env, server)
}

fn database(server: &Server) -> Arc<Database> {
    server.engine.database(DbId(5)).expect("it is open")
}

fn checkpoint(server: &Server) {
    database(server).checkpoint(&server.task).expect("the disk works");
}

fn crash(test_env: &TestEnv, server: Server) {
    test_env.sim.fs().power_off();
    drop(server);
    test_env.sim.fs().power_on();
}

/// Puts these rows into table 1, each in a commit.
fn fill(server: &Server, ids: std::ops::Range<i64>) {
    let table = server.table(5, 1);
    for id in ids {
        let mut txn = server.begin(5);
        server.insert(&mut txn, &table, [id, id, 0]).expect("a fresh key");
        txn.commit(&server.task, Durability::Full).expect("there is room");
    }
}

fn files(test_env: &TestEnv) -> Vec<PathBuf> {
    let dir = Path::new("/data/5/checkpoint");
    let entries = test_env.sim.fs().list(dir).expect("the folder is there");
    entries.into_iter().map(|entry| dir.join(entry.name)).collect()
}

/// Tries to read database 5 back; why it cannot be.
fn refusal(test_env: &TestEnv) -> Option<EngineError> {
    let server = test_env.server();
    let host = server.engine.host();
    let tables = host.tables(u64::MAX);
    tables.create(&catalog_table());
    let (mut catalog, recovery) = (TestCatalog::default(), RecoveryOptions::default());
    let found = Database::recover(host, identity(5), tables, &mut catalog, &options(), recovery);
    match found.and_then(|database| database.open(&server.task, &mut catalog, |_| false)) {
        Ok(database) => loaded(&database),
        Err(error) => Some(error),
    }
}

#[test]
fn rows_come_back_from_files_and_the_log_before_is_given_up() {
    let (test_env, server) = new_test_env(1);
    fill(&server, 0..9000);
    checkpoint(&server);
    let stats = database(&server).checkpoint_stats().expect("it is kept");
    assert!(stats.rows >= 9000 && stats.failures == 0, "{stats:?}");
    assert_eq!(stats.lag_bytes, 0);
    assert!(stats.log_start >= stats.through);
    let (reads, scans) = (stats.reads, stats.scans);
    assert!(reads.count > scans.count && scans.count > 0 && scans.ns > 0, "{stats:?}");
    fill(&server, 9000..9010);
    database(&server).manager().log().flush(&server.task).expect("the disk works");
    let expected = server.rows(5, 1);
    crash(&test_env, server);
    let logs = test_env.sim.fs().list(Path::new("/data/5/log")).expect("the folder is there");
    assert!(logs.len() <= 4, "most segments are gone: {logs:?}");
    for threads in [1, 3] {
        let server = test_env.recover(&[5], threads);
        assert_eq!(server.rows(5, 1), expected);
        crash(&test_env, server);
    }
}

#[test]
fn random_work_with_checkpoints_never_fails_one() {
    for seed in 0..6 {
        let (test_env, server) = new_test_env(seed);
        let mut state = State::new();
        let mut server = server;
        for life in 0..3 {
            let states = workload(&server, seed * 10 + life, 120, state.clone());
            state = states.last().expect("there is one").clone();
            checkpoint(&server);
            let stats = database(&server).checkpoint_stats().expect("it is kept");
            assert_eq!(stats.failures, 0, "seed {seed}: {stats:?}");
            assert_eq!(server.rows(5, 1), state);
            crash(&test_env, server);
            server = test_env.recover(&[5], 2);
            assert_eq!(server.rows(5, 1), state, "seed {seed}, life {life}");
        }
    }
}

/// A manifest was whole when it could not be made durable. The files that it names were removed,
/// since no other names them; it stayed, and the next start believed it.
#[test]
fn a_manifest_that_came_to_nothing_goes_before_the_files_that_it_names() {
    for seed in 0..20 {
        let test_env = TestEnv::new(seed);
        let server = drops::server_that_merges_nothing(&test_env);
        server.create_table(5, 1).expect("the disk works");
        fill(&server, 0..20);
        checkpoint(&server);
        fill(&server, 20..40);
        // That of the data file goes well, that of the manifest does not.
        test_env
            .sim
            .fs()
            .inject(Fault::next(OpKind::SyncDir, FaultKind::Io).after(1).on("checkpoint"));
        let made = database(&server).checkpoint(&server.task);
        assert!(made.is_err(), "seed {seed}: {made:?}");
        let collected = database(&server).collect_checkpoint_garbage(&server.task);
        collected.expect("the disk works");
        if seed % 2 == 0 {
            // As the next file that is made would.
            let dir = Path::new("/data/5/checkpoint");
            test_env.sim.env().fs().sync_dir(dir).expect("the disk works");
        }
        let expected = server.rows(5, 1);
        crash(&test_env, server);
        let server = test_env.recover(&[5], 2);
        assert_eq!(server.rows(5, 1), expected, "seed {seed}");
        fill(&server, 40..50);
        checkpoint(&server);
    }
}

/// A server that was told to end was busy with merges for minutes, when a long log had just been
/// restored.
#[test]
fn a_shutdown_does_not_wait_for_merges() {
    for ends in [false, true] {
        let test_env = TestEnv::new(3);
        let server = drops::server_on_demand(&test_env, true);
        server.create_table(5, 1).expect("the disk works");
        fill(&server, 0..400);
        let table = server.table(5, 1);
        for id in (0..400).filter(|id| id % 10 > 0) {
            let mut txn = server.begin(5);
            server.delete(&mut txn, &table, id).expect("it is free");
            txn.commit(&server.task, Durability::Full).expect("there is room");
        }
        let expected = server.rows(5, 1);
        match ends {
            true => database(&server).shut_down(&server.task, &[]).expect("the disk works"),
            false => checkpoint(&server),
        }
        let stats = database(&server).checkpoint_stats().expect("it is kept");
        assert_eq!(stats.merges == 0, ends, "{stats:?}");
        assert!(stats.checkpoints > 1, "{stats:?}");
        crash(&test_env, server);
        let server = test_env.recover(&[5], 2);
        assert_eq!(server.rows(5, 1), expected);
    }
}

#[test]
fn neighbours_that_have_thinned_out_are_merged() {
    let (test_env, server) = new_test_env(2);
    for part in 0..20 {
        fill(&server, part * 20..part * 20 + 20);
        checkpoint(&server);
    }
    let table = server.table(5, 1);
    for id in 0..400 {
        if id % 10 > 0 {
            let mut txn = server.begin(5);
            server.delete(&mut txn, &table, id).expect("it is free");
            txn.commit(&server.task, Durability::Full).expect("there is room");
        }
    }
    checkpoint(&server);
    database(&server).collect_checkpoint_garbage(&server.task).expect("the disk works");
    let stats = database(&server).checkpoint_stats().expect("it is kept");
    assert!(stats.merges > 0, "{stats:?}");
    let files = database(&server).checkpoint_files();
    let rows = |kind| -> u64 {
        let files = files.iter().filter(|f| f.kind == kind && f.state == FileState::Active);
        files.map(|f| f.rows).sum()
    };
    assert!(rows(FileKind::Data) < 200, "what was deleted is gone: {files:?}");
    assert!(files.iter().all(|f| f.state != FileState::WaitingForLogTruncation));
    let on_disk = self::files(&test_env);
    assert_eq!(on_disk.len(), files.len(), "{on_disk:?}");
    let expected = server.rows(5, 1);
    assert_eq!(expected.len(), 40);
    crash(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, 1), expected);
}

/// Nothing is going on after the rows were deleted that would make a checkpoint.
#[test]
fn files_of_rows_that_were_deleted_go_by_themselves() {
    let (test_env, server) = new_test_env(7);
    fill(&server, 0..600);
    checkpoint(&server);
    let table = server.table(5, 1);
    let mut txn = server.begin(5);
    for id in 10..600 {
        server.delete(&mut txn, &table, id).expect("it is free");
    }
    txn.commit(&server.task, Durability::Full).expect("there is room");
    let begin = std::time::Instant::now();
    let is_small = || {
        let files = database(&server).checkpoint_files();
        let is_spare = |file: &CheckpointFile| file.state == FileState::WaitingForLogTruncation;
        let rows = |kind| files.iter().filter(|f| f.kind == kind).map(|f| f.rows).sum::<u64>();
        !files.iter().any(is_spare) && rows(FileKind::Data) < 40 && rows(FileKind::Delta) < 10
    };
    while !is_small() {
        let files = database(&server).checkpoint_files();
        assert!(begin.elapsed().as_secs() < 60, "it stays: {files:?}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let expected = server.rows(5, 1);
    assert_eq!(expected.len(), 10);
    crash(&test_env, server);
    assert_eq!(test_env.recover(&[5], 2).rows(5, 1), expected);
}

#[test]
fn a_merge_under_way_shows_its_target() {
    let (test_env, server) = new_test_env(3);
    fill(&server, 0..40);
    checkpoint(&server);
    let database = database(&server);
    let targets = || {
        let mut files = database.checkpoint_files();
        files.retain(|file| file.state == FileState::MergeTarget);
        files
    };
    assert_eq!(targets(), []);
    test_env.sim.fs().hold_on(OpKind::Write, ".data", 0);
    std::thread::scope(|scope| {
        let merge = scope.spawn(|| {
            let task = Task::blocking(database.manager().runtime());
            database.merge_checkpoint_files(&task, CommitRange::ALL)
        });
        while targets().is_empty() {
            assert!(!merge.is_finished(), "a merge writes a file");
            std::thread::yield_now();
        }
        let seen = targets();
        test_env.sim.fs().release(OpKind::Write);
        assert!(merge.join().expect("no panic").expect("the disk works"));
        assert_eq!((seen.len(), seen[0].kind), (1, FileKind::Data));
        let files = database.checkpoint_files();
        let made = |file: &&CheckpointFile| (file.id, file.kind) == (seen[0].id, FileKind::Data);
        let made = files.iter().find(made).expect("it has become current");
        assert_eq!((made.state, made.range), (FileState::Active, seen[0].range));
    });
    assert_eq!(targets(), []);
}

#[test]
fn rows_of_dropped_tables_go_with_a_merge() {
    let (test_env, server) = new_test_env(3);
    fill(&server, 0..50);
    let other = server.create_table(5, 2).expect("the disk works");
    let mut txn = server.begin(5);
    for id in 0..500 {
        server.insert(&mut txn, &other, [id, id, 2]).expect("a fresh key");
    }
    txn.commit(&server.task, Durability::Full).expect("there is room");
    checkpoint(&server);
    drop(other);
    server.drop_table(5, 2).expect("it is not in use");
    fill(&server, 50..60);
    let merged = database(&server).merge_checkpoint_files(&server.task, CommitRange::ALL);
    assert!(merged.expect("the disk works"), "there are pairs");
    let pairs = database(&server).checkpoint_files();
    let data = pairs.iter().filter(|f| f.kind == FileKind::Data && f.state == FileState::Active);
    assert!(data.map(|f| f.rows).sum::<u64>() <= 65, "{pairs:?}");
    let expected = server.rows(5, 1);
    crash(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, 1), expected);
    assert!(database(&server).manager().tables().get(StorageId(1002)).is_none());
}

#[test]
fn an_open_transaction_of_many_chunks_keeps_the_log() {
    let (test_env, server) = new_test_env(4);
    let table = server.table(5, 1);
    let log_start = |server: &Server| database(server).checkpoint_stats().expect("kept").log_start;
    // A stream of chunks that another commit's checkpoint must not cut off.
    let stream = {
        let log = database(&server);
        let body = vec![0; 1000];
        log.manager().log().append_chunk(&server.task, None, &body).expect("there is room")
    };
    fill(&server, 0..10);
    checkpoint(&server);
    assert_eq!(log_start(&server), stream);
    let log = database(&server);
    let ended = log.manager().log().append_abort(&server.task, Default::default(), stream);
    ended.expect("there is room");
    fill(&server, 10..20);
    checkpoint(&server);
    assert!(log_start(&server) > stream);
    drop((log, table));
    let expected = server.rows(5, 1);
    crash(&test_env, server);
    assert_eq!(test_env.recover(&[5], 1).rows(5, 1), expected);
}

#[test]
fn a_file_that_cannot_be_written_or_synced_is_written_again() {
    for op in [OpKind::Write, OpKind::Sync, OpKind::SyncDir, OpKind::Open] {
        for after in 0..6 {
            let (test_env, server) = new_test_env(after);
            fill(&server, 0..50);
            checkpoint(&server);
            let table = server.table(5, 1);
            let mut txn = server.begin(5);
            server.delete(&mut txn, &table, 7).expect("it is free");
            txn.commit(&server.task, Durability::Full).expect("there is room");
            fill(&server, 50..80);
            let kind = if after % 2 == 0 { FaultKind::Io } else { FaultKind::DiskFull };
            test_env.sim.fs().inject(Fault::next(op, kind).after(after).on("/checkpoint"));
            let first = database(&server).checkpoint(&server.task);
            fill(&server, 80..90);
            test_env.sim.fs().clear_faults();
            checkpoint(&server);
            let expected = server.rows(5, 1);
            assert_eq!(expected.len(), 89);
            crash(&test_env, server);
            let server = test_env.recover(&[5], 2);
            assert_eq!(server.rows(5, 1), expected, "{op:?} after {after}: {first:?}");
        }
    }
}

#[test]
fn a_full_disk_stops_checkpoints_and_not_commits() {
    let (test_env, server) = new_test_env(5);
    fill(&server, 0..50);
    checkpoint(&server);
    let write = Fault::next(OpKind::Write, FaultKind::DiskFull).on("/checkpoint").forever();
    test_env.sim.fs().inject(write);
    fill(&server, 50..100);
    let error = database(&server).checkpoint(&server.task).expect_err("the disk is full");
    // Reading the log alone, for which the pauses give time, does not mend it.
    for _ in 0..20 {
        let noted = database(&server).checkpoint_failure().expect("the last one failed");
        assert!(noted.to_string().contains("/checkpoint/"), "{noted}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(matches!(error, EngineError::Checkpoint(CheckpointError::File(_))), "{error}");
    fill(&server, 100..150);
    test_env.sim.fs().clear_faults();
    checkpoint(&server);
    assert!(database(&server).checkpoint_failure().is_none());
    assert_eq!(database(&server).checkpoint_stats().expect("it is kept").lag_bytes, 0);
    let expected = server.rows(5, 1);
    crash(&test_env, server);
    assert_eq!(test_env.recover(&[5], 2).rows(5, 1), expected);
}

#[test]
fn room_in_a_full_log_is_made_by_a_checkpoint() {
    let (test_env, server) = new_test_env(6);
    fill(&server, 0..10);
    checkpoint(&server);
    // The log has room for what is prepared, and no more.
    test_env.sim.fs().inject(
        Fault::next(OpKind::Write, FaultKind::DiskFull).on("/data/5/log").on(".new").forever(),
    );
    test_env
        .sim
        .fs()
        .inject(Fault::next(OpKind::Write, FaultKind::DiskFull).on("/checkpoint").forever());
    let table = server.table(5, 1);
    let mut id = 10;
    let full = loop {
        let mut txn = server.begin(5);
        server.insert(&mut txn, &table, [id, id, 0]).expect("a fresh key");
        match txn.commit(&server.task, Durability::Full) {
            Ok(_) => id += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(full, TxnError::LogFull);
    test_env.sim.fs().clear_faults();
    checkpoint(&server);
    wait_until("commits go on", || {
        let mut txn = server.begin(5);
        server.insert(&mut txn, &table, [id, id, 0]).expect("a fresh key");
        txn.commit(&server.task, Durability::Full).is_ok()
    });
}

#[test]
fn commits_that_travel_alone_count_as_the_log_holds_them() {
    let test_env = TestEnv::new(8);
    let mut options = options();
    options.checkpoints.data_bytes = 1 << 20;
    options.checkpoints.log_bytes = 1 << 20;
    let server = test_env.create_with(&[5], &options).expect("the disk works");
    server.create_table(5, 1).expect("the disk works");
    // A page each; their records are a tenth of what makes a checkpoint.
    for id in 0..1000 {
        fill(&server, id..id + 1);
        database(&server).manager().log().flush(&server.task).expect("the disk works");
    }
    let begin = std::time::Instant::now();
    let stats = || database(&server).checkpoint_stats().expect("it is kept");
    while stats().last == 0 {
        assert!(begin.elapsed().as_secs() < 60, "none comes: {:?}", stats());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(stats().through.0 < options.checkpoints.log_bytes, "{:?}", stats());
    let expected = server.rows(5, 1);
    crash(&test_env, server);
    assert_eq!(test_env.recover(&[5], 2).rows(5, 1), expected);
}

#[test]
fn a_damaged_file_is_named_and_nothing_is_skipped() {
    let (test_env, server) = new_test_env(7);
    // Each in a batch of its own, so that the log becomes long and is given up.
    for id in 0..300 {
        fill(&server, id..id + 1);
        database(&server).manager().log().flush(&server.task).expect("the disk works");
    }
    checkpoint(&server);
    let table = server.table(5, 1);
    for id in 0..20 {
        let mut txn = server.begin(5);
        server.delete(&mut txn, &table, id).expect("it is free");
        txn.commit(&server.task, Durability::Full).expect("there is room");
    }
    checkpoint(&server);
    database(&server).collect_checkpoint_garbage(&server.task).expect("the disk works");
    drop(table);
    crash(&test_env, server);
    // What was removed may be back after a crash: without the manifests before, the newest must do.
    let mut manifests = files(&test_env);
    manifests.retain(|path| path.extension().is_some_and(|e| e == "manifest"));
    manifests.pop().expect("there is one");
    manifests.iter().for_each(|path| test_env.sim.fs().remove_file(path).expect("it is there"));
    assert!(refusal(&test_env).is_none(), "it is whole");
    let mut rng = SplitMix::new(7);
    for path in files(&test_env) {
        let len = test_env.sim.fs().read(&path).expect("it can be read").len() as u64;
        let is_manifest = path.extension().is_some_and(|e| e == "manifest");
        for _ in 0..40 {
            let bit = rng.below(len * 8);
            test_env.sim.fs().flip_bit(&path, bit).expect("it is there");
            let error = refusal(&test_env);
            // The log is shorter than what a manifest before would need.
            let Some(error) = error else {
                assert!(is_manifest, "{path:?} bit {bit} goes unnoticed");
                test_env.sim.fs().flip_bit(&path, bit).expect("it is there");
                continue;
            };
            assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
            let EngineError::Recovery(RecoveryError::Checkpoint(_)) = error else {
                panic!("{path:?} bit {bit}: {error}");
            };
            test_env.sim.fs().flip_bit(&path, bit).expect("it is there");
        }
        let bytes = test_env.sim.fs().read(&path).expect("it can be read");
        test_env.sim.fs().remove_file(&path).expect("it is there");
        if !is_manifest {
            let error = refusal(&test_env).expect("a file is missing");
            assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
        }
        test_env.sim.fs().write_new(&path, &bytes).expect("the disk works");
    }
    assert!(refusal(&test_env).is_none(), "it is whole again");
}

#[test]
fn without_any_manifest_a_log_that_was_cut_is_refused() {
    let (test_env, server) = new_test_env(8);
    fill(&server, 0..9000);
    checkpoint(&server);
    crash(&test_env, server);
    for path in files(&test_env) {
        test_env.sim.fs().remove_file(&path).expect("it is there");
    }
    let error = refusal(&test_env).expect("rows are missing");
    let missing =
        matches!(error, EngineError::Recovery(RecoveryError::Log(LogError::Missing { .. })));
    assert!(missing, "{error}");
}

fn sample() -> Manifest {
    let mut manifest = Manifest::initial(77, Lsn(16));
    manifest.number = 3;
    manifest.through = Lsn(4096);
    manifest.log_start = Lsn(1024);
    manifest.next_file = 9;
    manifest.written_ticks = 638_000_000_000_000_000;
    manifest.pairs.push(Pair {
        id: FileId(4),
        from: Lsn(16),
        to: Lsn(4096),
        bytes: 1000,
        rows: 10,
        deltas: vec![Delta { id: FileId(5), bytes: 100, rows: 2 }],
        begun: 2,
        merged: true,
    });
    manifest.retired.push(Retired {
        id: FileId(1),
        delta: true,
        merged: false,
        bytes: 5,
        rows: 6,
        range: CommitRange { from: Lsn(16), to: Lsn(32) },
    });
    manifest.identities.insert(StorageId(2000), -5);
    manifest.sequences.insert(ObjectId(-7), SequenceState { restarts: None, ceiling: Some(9) });
    manifest.sequences.insert(ObjectId(8), SequenceState { restarts: Some(2), ceiling: None });
    manifest.decisions.insert(Lsn(32), GlobalTransaction { coordinator: 77, id: 5 });
    manifest
}

#[test]
fn a_manifest_comes_back_as_it_was_and_every_flipped_bit_is_noticed() {
    for sunk in [None, Some(Lsn(2048))] {
        every_flipped_bit_is_noticed(&Manifest { sunk, ..sample() });
    }
}

fn every_flipped_bit_is_noticed(manifest: &Manifest) {
    let bytes = manifest.encode();
    let file: Arc<Path> = Path::new("m").into();
    assert_eq!(Manifest::decode(&file, 77, &bytes).expect("it is whole"), *manifest);
    assert!(Manifest::decode(&file, 78, &bytes).is_err());
    for bit in (0..bytes.len() * 8).filter(|bit| !(48..64).contains(bit)) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(Manifest::decode(&file, 77, &flipped).is_err(), "bit {bit}");
    }
    for len in 0..bytes.len() {
        assert!(Manifest::decode(&file, 77, &bytes[..len]).is_err(), "{len} bytes");
    }
}

#[test]
fn every_flipped_bit_of_a_header_is_noticed() {
    let file: Arc<Path> = Path::new("/objects/00000004.data").into();
    let header = super::data::file_header(0x0102_0304, 77, FileId(4), Lsn(16));
    let check = |header: &[u8; super::data::FILE_HEADER]| {
        super::data::check_header(&file, header, 0x0102_0304, 77, FileId(4))
    };
    assert_eq!(check(&header).expect("it is whole"), Lsn(16));
    for bit in 0..header.len() * 8 {
        let mut flipped = header;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(check(&flipped).is_err(), "bit {bit}");
    }
}

/// Files that exist have this format: another one needs another version.
#[test]
fn the_format_is_that_of_the_files_that_exist() {
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
    assert_eq!(crc32c::crc32c(&sample().encode()), 2340836244);
    let sunk = Manifest { sunk: Some(Lsn(2048)), ..sample() };
    assert_eq!(crc32c::crc32c(&sunk.encode()), 2745215886);
    let header = super::data::file_header(0x0102_0304, 77, FileId(4), Lsn(16));
    assert_eq!(
        hex(&header),
        concat!(
            "04030201010000000dfdbbc5000000004d000000000000000000000000000000",
            "0400000000000000100000000000000000000000000000000000000000000000",
        )
    );
    let test_env = TestEnv::new(1);
    let objects = LocalObjects::open(&test_env.sim.env(), Path::new("/objects"));
    let objects = objects.expect("the disk works");
    let mut data = super::gather::OpenData::create(&objects, 77, FileId(4), Lsn(16));
    let data_mut = data.as_mut().expect("the disk works");
    data_mut.push(StorageId(2000), 1, Lsn(16), b"row").expect("the disk works");
    data.expect("the disk works").finish(Lsn(32)).expect("the disk works");
    let mut ended = super::ended::Ended::default();
    ended.push(StorageId(2000), Lsn(16), b"key");
    ended.write(&objects, 77, FileId(5), Lsn(16)).expect("the disk works");
    let file =
        |name: &str| hex(&test_env.sim.fs().read(&objects.path(name)).expect("it is there")[64..]);
    assert_eq!(
        file("00000004.data"),
        concat!(
            "546343620ee2d034d00700000000000001000000010000000f00000000000000",
            "100000000000000003000000726f7740000000000000000f00000001000000d0",
            "07000000000000010000000000000054634365e61f81f3010000000000000010",
            "000000000000002000000000000000",
        )
    );
    assert_eq!(
        file("00000005.delta"),
        "c1cc705700000000d0070000000000001000000000000000030000006b6579"
    );
}

#[test]
fn runs_are_merged_when_half_is_dead_or_all_are_small() {
    let weight = |bytes: u64, dead_percent: u64| Weight {
        bytes: bytes + 1,
        rows: 100 - dead_percent,
        live: bytes * (100 - dead_percent) / 100,
        has_thinned: dead_percent > 0,
    };
    let target = 1 << 20;
    let due = |pairs: &[Weight]| super::merge::due(pairs, target);
    let full = weight(target, 0);
    assert_eq!(due(&[]), None);
    assert_eq!(due(&[full]), None);
    assert_eq!(due(&[weight(target, 60)]), Some(0..1), "it is thin");
    assert_eq!(due(&[weight(3 * target, 40)]), Some(0..1), "though it remains larger than others");
    assert_eq!(due(&[full, full]), None, "they are full");
    assert_eq!(due(&[weight(target / 2, 0), weight(1000, 0)]), None, "one is much larger");
    assert_eq!(due(&[weight(1000, 0), weight(1000, 0), full]), Some(0..2));
    assert_eq!(due(&[full, weight(target, 90), weight(target, 90)]), Some(1..3));
    assert_eq!(due(&[weight(target / 2, 0), weight(target, 60)]), Some(1..2), "the first is whole");
    assert_eq!(due(&[full, weight(100, 100), weight(target, 100), full]), Some(1..3));
    assert_eq!(due(&[weight(100, 100), weight(1000, 0)]), Some(0..1), "nothing is copied");
}
