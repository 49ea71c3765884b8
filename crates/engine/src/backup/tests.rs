//! Databases that are backed up and restored in a simulated environment.

use std::path::{Path, PathBuf};

use base::ids::{DbId, Lsn};
use env::sim::{Fault, FaultKind};
use env::{OpKind, OpenMode};

use super::*;
use crate::database::{Database, DatabaseIdentity, LogWait, SegmentUse};
use crate::engine::ReplayedDatabase;
use crate::error::EngineError;
use crate::recovery::RecoveryOptions;
use crate::recovery::tests::{
    Server, State, TestCatalog, TestEnv, catalog_table, options, workload,
};
use crate::sync::Arc;
use crate::txn::Durability;

mod sunk;
mod tail;

const FILE: &str = "/backups/db.bak";

fn new_test_env(seed: u64) -> (TestEnv, Server) {
    let test_env = TestEnv::new(seed);
    let server = test_env.create(&[5]).expect("the disk works");
    server.create_table(5, 1).expect("the disk works");
    let fs = test_env.sim.env();
    fs.fs().create_dir_all(Path::new("/backups")).expect("the disk works");
    fs.fs().sync_dir(Path::new("/")).expect("the disk works");
    (test_env, server)
}

fn database(server: &Server) -> Arc<Database> {
    server.engine.database(DbId(5)).expect("it is open")
}

pub(crate) fn header(kind: SetKind) -> SetHeader {
    SetHeader {
        guid: 0,
        kind,
        copy_only: false,
        database_name: "five".into(),
        path: Vec::new(),
        server_name: "here".into(),
        user_name: "me".into(),
        name: None,
        description: None,
        started_ticks: 0,
        offset_minutes: 0,
        first: Lsn::ZERO,
        through: Lsn::ZERO,
        base: None,
        keeps_log: true,
        packed: true,
        checksum: true,
        version: [0, 1, 0],
        definition: (*b"definition").into(),
        files: vec![(*b"file").into()],
        of_damaged: false,
        collations: 0,
        expires_ticks: None,
    }
}

/// What is there only in some headers is read back, and headers without it are those of files that
/// exist.
#[test]
fn headers_say_more_only_if_there_is_more() {
    let plain = header(SetKind::Log);
    let len = plain.encode().len();
    for (of_damaged, expires_ticks, more) in
        [(false, None, 0), (true, None, 1), (false, Some(7), 9), (true, Some(u64::MAX), 10)]
    {
        let header = SetHeader { of_damaged, expires_ticks, ..plain.clone() };
        let bytes = header.encode();
        assert_eq!((SetHeader::decode(&bytes), bytes.len()), (Some(header), len + more));
    }
    let header = SetHeader { collations: 1, ..plain.clone() };
    let bytes = header.encode();
    assert_eq!((SetHeader::decode(&bytes), bytes.len()), (Some(header), len + 5));
    assert_eq!(SetHeader::decode(&[&plain.encode()[..], &[9]].concat()), None);
}

/// A damaged set must not keep its file for ever.
#[test]
fn a_file_is_kept_until_its_last_whole_set_has_expired() {
    let (test_env, server) = new_test_env(34);
    for expires in [Some(500), None, Some(1000)] {
        let header = SetHeader { expires_ticks: expires, ..header(SetKind::Full) };
        let media = media(&test_env).expect("the disk works");
        let begun = database(&server).begin_backup(&server.task, media, header);
        let mut backup = begun.expect("the disk works");
        while backup.step().expect("the disk works").1.is_none() {}
    }
    let until = |now| match media(&test_env).expect("it is whole").check_expired(now) {
        Ok(()) => None,
        Err(BackupError::NotExpired(ticks, _)) => Some(ticks),
        Err(other) => panic!("{other}"),
    };
    assert_eq!([until(0), until(999), until(1000)], [Some(1000), Some(1000), None]);
    // The end of the last set.
    let (path, env) = (Path::new(FILE), test_env.sim.env());
    let len = env.fs().metadata(path).expect("the disk works").expect("it is there").len;
    test_env.sim.fs().flip_bit(path, (len - 1) * 8).expect("it is there");
    assert_eq!([until(0), until(500)], [Some(500), None]);
}

/// The file: the one that is there, or a new one.
fn media(test_env: &TestEnv) -> Result<Media, BackupError> {
    let env = test_env.sim.env();
    match env.fs().exists(Path::new(FILE))? {
        true => Media::open(&env, Path::new(FILE), OpenMode::Write),
        false => Media::create(&env, Path::new(FILE), new_media(&env, None, None)),
    }
}

fn begin(test_env: &TestEnv, server: &Server, kind: SetKind) -> Result<Backup, EngineError> {
    database(server).begin_backup(&server.task, media(test_env)?, header(kind))
}

fn back_up(test_env: &TestEnv, server: &Server, kind: SetKind) -> Result<BackupSet, EngineError> {
    let mut backup = begin(test_env, server, kind)?;
    loop {
        if let (_, Some(set)) = backup.step()? {
            return Ok(set);
        }
    }
}

fn copy_of(id: i32, uuid: u128) -> DatabaseIdentity {
    DatabaseIdentity { id: DbId(id), uuid, dir: PathBuf::from(format!("/data/copy-{id}")) }
}

fn target(identity: &DatabaseIdentity) -> RestoreTarget {
    let dir = identity.dir.clone();
    RestoreTarget {
        dir,
        uuid: identity.uuid,
        stop_at: None,
        segment_bytes: 64 << 10,
        moves: Vec::new(),
    }
}

/// Restores a set of the file.
fn restore(test_env: &TestEnv, number: usize, target: RestoreTarget) -> Result<(), BackupError> {
    let env = test_env.sim.env();
    let media = Media::open(&env, Path::new(FILE), OpenMode::Read)?;
    let set = media.set(number)?;
    let mut restore = Restore::begin(&env, &media, &set, target)?;
    while !restore.step()?.1 {}
    Ok(())
}

/// Recovers a database and adds it to the server.
fn recover(server: &Server, identity: &DatabaseIdentity) -> Arc<Database> {
    try_recover(server, identity).expect("what was restored is whole")
}

fn try_recover(server: &Server, identity: &DatabaseIdentity) -> Result<Arc<Database>, EngineError> {
    let host = server.engine.host();
    let tables = host.tables(u64::MAX);
    tables.create(&catalog_table());
    let (mut catalog, recovery) = (TestCatalog::default(), RecoveryOptions::default());
    let database =
        Database::recover(host, identity.clone(), tables, &mut catalog, &options(), recovery)?;
    let replayed = vec![ReplayedDatabase { database, catalog }];
    let mut opened = server.engine.open_recovered(&server.task, replayed, &[]);
    let database = opened.pop().expect("one in, one out").result?;
    database.start_checkpoints(|_, _| None);
    crate::recovery::tests::loaded(&database).map_or(Ok(database), Err)
}

fn crash(test_env: &TestEnv, server: Server) {
    test_env.sim.fs().power_off();
    drop(server);
    test_env.sim.fs().power_on();
}

/// Does random work; the state after it.
fn work(server: &Server, seed: u64, start: &State) -> State {
    let states = workload(server, seed, 60, start.clone());
    database(server).manager().log().flush(&server.task).expect("the disk works");
    let state = states.last().expect("there is one").clone();
    assert_eq!(server.rows(5, 1), state);
    state
}

#[test]
fn a_full_backup_is_another_database_with_the_same_rows() {
    for seed in 0..4 {
        let (test_env, server) = new_test_env(seed);
        let state = work(&server, seed, &State::new());
        let set = back_up(&test_env, &server, SetKind::Full).expect("the disk works");
        assert_eq!((set.number, &*set.header.database_name), (1, "five"));
        let later = work(&server, seed + 100, &state);
        let copy = copy_of(7, 77);
        restore(&test_env, 1, target(&copy)).expect("the backup is whole");
        let restored = recover(&server, &copy);
        assert_eq!(server.rows(7, 1), state, "seed {seed}");
        // Each goes its own way, over a crash.
        let table = server.table(7, 1);
        let mut txn = server.begin(7);
        server.insert(&mut txn, &table, [5000, 5000, 0]).expect("the key is free");
        txn.commit(&server.task, Durability::Full).expect("there is room");
        restored.checkpoint(&server.task).expect("the disk works");
        let of_copy = server.rows(7, 1);
        assert_eq!(server.rows(5, 1), later);
        assert_eq!(restored.chain().path.len(), 2);
        drop(restored);
        crash(&test_env, server);
        let server = test_env.recover(&[5], 2);
        recover(&server, &copy);
        assert_eq!((server.rows(5, 1), server.rows(7, 1)), (later, of_copy));
    }
}

#[test]
fn transactions_go_on_during_a_backup() {
    for seed in 0..4 {
        let (test_env, server) = new_test_env(10 + seed);
        let mut state = work(&server, seed, &State::new());
        let mut backup = begin(&test_env, &server, SetKind::Full).expect("the disk works");
        // Checkpoints and merges would remove what the backup reads, if they could.
        for round in 0..4 {
            state = work(&server, 10 * seed + round, &state);
            database(&server).checkpoint(&server.task).expect("the disk works");
        }
        database(&server).collect_checkpoint_garbage(&server.task).expect("the disk works");
        assert_eq!(database(&server).log_wait(), LogWait::Backup);
        while backup.step().expect("the disk works").1.is_none() {}
        drop(backup);
        let copy = copy_of(7, 77);
        restore(&test_env, 1, target(&copy)).expect("the backup is whole");
        recover(&server, &copy);
        assert_eq!(server.rows(7, 1), state, "the log to the end is in it, seed {seed}");
    }
}

/// A full backup, then differential ones and such of the log between random work, with restarts:
/// each way through them leads to the state in which the last was taken.
#[test]
fn every_way_through_a_chain_leads_to_its_last_backup() {
    use SetKind::{Differential, Full, Log};
    let (test_env, mut server) = new_test_env(20);
    let mut state = work(&server, 1, &State::new());
    let mut states = Vec::new();
    for (at, kind) in [Full, Log, Log, Differential, Log, Differential, Log].into_iter().enumerate()
    {
        let set = back_up(&test_env, &server, kind).expect("the disk works");
        assert_eq!(set.number, at + 1);
        states.push(state.clone());
        state = work(&server, 100 + at as u64, &state);
        if at % 3 == 1 {
            crash(&test_env, server);
            server = test_env.recover(&[5], 2);
        }
    }
    let ways: [&[usize]; 6] = [&[1], &[1, 2, 3], &[1, 4], &[1, 4, 5], &[1, 6, 7], &[1, 4, 6, 7]];
    for (at, way) in (0i32..).zip(ways) {
        let copy = copy_of(10 + at, 100 + at as u128);
        for set in way {
            restore(&test_env, *set, target(&copy))
                .unwrap_or_else(|e| panic!("{way:?}, {set}: {e}"));
        }
        recover(&server, &copy);
        let last = way.last().expect("none is empty");
        assert_eq!(server.rows(10 + at, 1), states[last - 1], "{way:?}");
    }
    // All the log as well, over everything.
    let copy = copy_of(30, 300);
    for set in [1, 2, 3, 5, 7] {
        restore(&test_env, set, target(&copy)).expect("the chain is whole");
    }
    recover(&server, &copy);
    assert_eq!(server.rows(30, 1), states[6]);
}

#[test]
fn a_backup_without_its_predecessor_is_refused() {
    use SetKind::{Differential, Full, Log};
    let (test_env, server) = new_test_env(21);
    assert!(matches!(
        back_up(&test_env, &server, Log),
        Err(EngineError::Backup(BackupError::LogNotKept))
    ));
    assert!(matches!(
        back_up(&test_env, &server, Differential),
        Err(EngineError::Backup(BackupError::NoDatabaseBackup))
    ));
    let mut state = work(&server, 1, &State::new());
    for (at, kind) in (0..).zip([Full, Log, Log, Full, Differential]) {
        back_up(&test_env, &server, kind).expect("the disk works");
        state = work(&server, at + 5, &state);
    }
    let copy = copy_of(7, 77);
    let go = |number| restore(&test_env, number, target(&copy));
    assert!(matches!(go(2), Err(BackupError::NotRestoring)));
    go(1).expect("it is whole");
    assert!(matches!(go(3), Err(BackupError::TooRecent { .. })));
    assert!(matches!(go(5), Err(BackupError::OtherBase)));
    assert!(matches!(go(9), Err(BackupError::NoSuchSet(_, 9))));
    go(2).expect("it follows");
    go(3).expect("it follows");
    assert!(matches!(go(2), Err(BackupError::TooEarly { .. })));
    // Recovered, it has a log of its own.
    let restored = recover(&server, &copy);
    assert!(matches!(go(3), Err(BackupError::NotRestoring)));
    assert!(restored.chain().log.is_some(), "which is kept from the beginning");
}

#[test]
fn the_log_is_kept_until_it_is_backed_up() {
    let (test_env, server) = new_test_env(22);
    let first = |server: &Server| {
        let stats = database(server).checkpoint_stats().expect("it is kept");
        (database(server).log_wait(), stats.log_start)
    };
    let mut state = work(&server, 1, &State::new());
    database(&server).checkpoint(&server.task).expect("the disk works");
    assert_eq!(first(&server).0, LogWait::Nothing);
    back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    for round in 0..30 {
        state = work(&server, round, &state);
    }
    database(&server).checkpoint(&server.task).expect("the disk works");
    assert_eq!(first(&server).0, LogWait::LogBackup);
    // Where the log begins; how many segments are prepared beyond its end depends on time.
    let begin = |server: &Server| database(server).log_segments()[0].stored.first;
    let kept = begin(&server);
    crash(&test_env, server);
    let server = test_env.recover(&[5], 2);
    database(&server).checkpoint(&server.task).expect("the disk works");
    assert!(kept.is_some() && begin(&server) == kept, "a restart changes nothing about that");
    let uses = |server: &Server| {
        let segments = database(server).log_segments();
        segments.iter().map(|segment| segment.used).collect::<Vec<_>>()
    };
    let begun = uses(&server);
    assert!(begun.contains(&SegmentUse::Needed) && !begun.contains(&SegmentUse::Over), "{begun:?}");
    back_up(&test_env, &server, SetKind::Log).expect("the disk works");
    let backed_up = uses(&server);
    assert!(backed_up.len() >= begun.len(), "{begun:?} {backed_up:?}");
    assert_eq!(backed_up[0], SegmentUse::Over, "{backed_up:?}");
    assert!(
        backed_up
            .is_sorted_by_key(|used| *used == SegmentUse::Needed || *used == SegmentUse::Prepared)
    );
    database(&server).truncate_log().expect("the disk works");
    let left = uses(&server);
    assert!(!left.contains(&SegmentUse::Over) && left.contains(&SegmentUse::Needed), "{left:?}");
    assert!(begin(&server) > kept, "the log still begins at {kept:?}");
    assert_eq!(first(&server).0, LogWait::Nothing);
    let copy = copy_of(7, 77);
    restore(&test_env, 1, target(&copy)).expect("it is whole");
    restore(&test_env, 2, target(&copy)).expect("it follows");
    recover(&server, &copy);
    assert_eq!(server.rows(7, 1), state);
}

#[test]
fn a_restore_stops_at_a_point_in_time() {
    let (test_env, server) = new_test_env(23);
    let table = server.table(5, 1);
    back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    let mut times = Vec::new();
    for id in 0..20 {
        test_env.sim.clock().advance_ns(1_000_000);
        let mut txn = server.begin(5);
        let session = txn.session().clone();
        server.insert(&mut txn, &table, [id, id, 0]).expect("a fresh key");
        server.insert(&mut txn, &table, [id + 100, id + 100, 0]).expect("a fresh key");
        txn.commit(&server.task, Durability::Full).expect("there is room");
        session.wait_shown(&server.task).expect("the disk works");
        times.push(test_env.sim.env().clock().utc_ticks());
    }
    back_up(&test_env, &server, SetKind::Log).expect("the disk works");
    test_env.sim.clock().advance_ns(1_000_000);
    back_up(&test_env, &server, SetKind::Log).expect("the disk works");
    for (at, id) in (0..20).step_by(7).zip(7i32..) {
        let copy = copy_of(id, 70 + id as u128);
        restore(&test_env, 1, target(&copy)).expect("it is whole");
        let early = RestoreTarget { stop_at: Some(0), ..target(&copy) };
        assert!(matches!(restore(&test_env, 2, early), Err(BackupError::StopsTooEarly)));
        let stop = RestoreTarget { stop_at: Some(times[at]), ..target(&copy) };
        restore(&test_env, 2, stop.clone()).expect("it follows");
        assert!(matches!(restore(&test_env, 3, stop), Err(BackupError::StopsTooEarly)));
        recover(&server, &copy);
        let rows = server.rows(id, 1);
        assert_eq!(rows.len(), 2 * (at + 1), "transactions are whole");
        assert!((0..=at as i64).all(|id| rows.contains_key(&id)));
    }
}

/// The log had no batch after the time, so that the restore waited for more, which no backup would
/// ever have had.
#[test]
fn a_restore_stops_at_a_time_behind_which_nothing_was_committed() {
    let (test_env, server) = new_test_env(31);
    back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    let state = work(&server, 1, &State::new());
    test_env.sim.clock().advance_ns(1_000_000);
    let quiet = test_env.sim.env().clock().utc_ticks();
    test_env.sim.clock().advance_ns(1_000_000);
    let set = back_up(&test_env, &server, SetKind::Log).expect("the disk works");
    for (id, stop, stops) in [(7, quiet, true), (8, set.end.finished_ticks + 1, false)] {
        let copy = copy_of(id, 70 + id as u128);
        restore(&test_env, 1, target(&copy)).expect("it is whole");
        restore(&test_env, 2, RestoreTarget { stop_at: Some(stop), ..target(&copy) })
            .expect("it follows");
        let again = restore(&test_env, 2, target(&copy));
        assert_eq!(matches!(again, Err(BackupError::StopsTooEarly)), stops, "{again:?}");
        recover(&server, &copy);
        assert_eq!(server.rows(id, 1), state);
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let (test_env, server) = new_test_env(24);
    let env = test_env.sim.env();
    let open = |bytes: &[u8]| {
        let path = Path::new("/backups/other.bak");
        if env.fs().exists(path).expect("the disk works") {
            env.fs().remove_file(path).expect("the disk works");
        }
        env.fs().write_new(path, bytes).expect("the disk works");
        Media::open(&env, path, OpenMode::Read).err()
    };
    let is = |error: Option<BackupError>, wanted| matches!(error, Some(BackupError::Foreign { is_sql_server, .. }) if is_sql_server == wanted);
    assert!(is(open(b"TAPE\0\0\x03\0\x8c\0\x0e"), true));
    assert!(is(open(&[b"MSSQLBAK".as_slice(), &[0; 9000]].concat()), true));
    assert!(is(open(b"a letter"), false));
    assert!(is(open(b""), false));
    drop(server);
}

/// Every bit that is flipped in a backup is noticed, if it matters, and nothing is restored from
/// it.
#[test]
fn damage_in_a_backup_is_found() {
    let (test_env, server) = new_test_env(25);
    work(&server, 1, &State::new());
    let set = back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    let env = test_env.sim.env();
    let path = Path::new(FILE);
    let len = env.fs().metadata(path).expect("the disk works").expect("it is there").len;
    let verify = || -> Result<(), BackupError> {
        let media = Media::open(&env, path, OpenMode::Read)?;
        let set = media.set(1)?;
        let mut verification = Verification::begin(&media, &set)?;
        while !verification.step()?.1 {}
        Ok(())
    };
    verify().expect("it is whole");
    let sets = len - set.end.stored_bytes - 100;
    for bit in (sets * 8..len * 8).step_by(1237) {
        test_env.sim.fs().flip_bit(path, bit).expect("it is there");
        match verify() {
            Err(BackupError::Damaged { file, .. }) => assert_eq!(&*file, path),
            // Before the first set, in what no directory uses.
            Ok(()) => assert!(bit / 8 < 4096 + (32 << 10), "bit {bit} of {}", len * 8),
            Err(other) => panic!("bit {bit}: {other}"),
        }
        let copy = copy_of(7, 77);
        if bit / 8 > 4096 + (32 << 10) {
            assert!(restore(&test_env, 1, target(&copy)).is_err());
        }
        test_env.sim.fs().flip_bit(path, bit).expect("it is there");
    }
    verify().expect("every bit was flipped back");
}

/// Where the directory of a generation is.
fn directory_at(generation: u64) -> u64 {
    4096 + generation % 2 * (16 << 10)
}

/// The newest directory lost a bit: the last set was gone, and the next one overwrote it.
#[test]
fn sets_are_found_that_a_damaged_directory_had() {
    use SetKind::{Full, Log};
    let (test_env, server) = new_test_env(32);
    let mut state = work(&server, 1, &State::new());
    let first = back_up(&test_env, &server, Full).expect("the disk works");
    for seed in 2..4 {
        state = work(&server, seed, &state);
        back_up(&test_env, &server, Log).expect("the disk works");
    }
    let (path, env) = (Path::new(FILE), test_env.sim.env());
    let count = || Media::open(&env, path, OpenMode::Read).map(|media| media.count());
    let flip = |offset: u64| test_env.sim.fs().flip_bit(path, offset * 8).expect("it is there");
    flip(directory_at(3) + 40);
    assert_eq!(count().expect("the other directory is whole"), 3);
    // A set that was begun after it and not finished does not count, and is cut off.
    let file = env.fs().open(path, OpenMode::Write).expect("it is there");
    let mut unfinished = vec![0; first.end.stored_bytes as usize];
    file.read_at(&mut unfinished, 4096 + (32 << 10)).expect("the disk works");
    let end = file.len().expect("the disk works").next_multiple_of(4096);
    file.write_all_at(&unfinished, end).expect("the disk works");
    assert_eq!(count().expect("the other directory is whole"), 3);
    state = work(&server, 4, &state);
    let set = back_up(&test_env, &server, Log).expect("the disk works");
    assert_eq!(set.number, 4, "behind it, and not over it");
    // The directory was written in the place of the damaged one, so that the other was whole all
    // the time.
    flip(directory_at(2) + 40);
    assert_eq!(count().expect("the new directory is whole"), 4);
    let copy = copy_of(7, 77);
    for number in 1..=4 {
        restore(&test_env, number, target(&copy)).expect("all are whole");
    }
    recover(&server, &copy);
    assert_eq!(server.rows(7, 1), state);
}

/// After the end of the directory that is left begins a set without an end: it was never finished,
/// or it is damaged.
#[test]
fn nothing_is_added_where_a_set_may_be_that_is_damaged() {
    let (test_env, server) = new_test_env(33);
    let state = work(&server, 1, &State::new());
    let first = back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    work(&server, 2, &state);
    let second = back_up(&test_env, &server, SetKind::Log).expect("the disk works");
    let (path, env) = (Path::new(FILE), test_env.sim.env());
    let len = env.fs().metadata(path).expect("the disk works").expect("it is there").len;
    let flip = |offset: u64| test_env.sim.fs().flip_bit(path, offset * 8).expect("it is there");
    flip(directory_at(2) + 40);
    // The number of its last block.
    let last = len - 32 - 40;
    assert!(second.end.stored_bytes < last && first.number == 1);
    flip(last + 24);
    assert_eq!(Media::open(&env, path, OpenMode::Read).expect("one is whole").count(), 1);
    let refused = back_up(&test_env, &server, SetKind::Log).err();
    let is_damage =
        |error: &EngineError| matches!(error, EngineError::Backup(BackupError::Damaged { .. }));
    assert!(refused.as_ref().is_some_and(is_damage), "{refused:?}");
    flip(last + 24);
    assert_eq!(back_up(&test_env, &server, SetKind::Log).expect("the disk works").number, 3);
}

#[test]
fn a_full_disk_ends_a_backup_and_nothing_else() {
    let (test_env, server) = new_test_env(26);
    let state = work(&server, 1, &State::new());
    back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    for skip in 0..8 {
        let fault = Fault::next(OpKind::Write, FaultKind::DiskFull).after(skip).on("/backups");
        test_env.sim.fs().inject(fault);
        let failed = back_up(&test_env, &server, SetKind::Log).err();
        test_env.sim.fs().clear_faults();
        if failed.is_none() {
            break;
        }
        assert!(matches!(failed, Some(EngineError::Backup(BackupError::Device(_)))), "{failed:?}");
    }
    let media = media(&test_env).expect("it is whole");
    assert_eq!(media.count(), 2, "the last succeeded, and overwrote what the others left");
    assert_eq!(server.rows(5, 1), state);
    let copy = copy_of(7, 77);
    restore(&test_env, 1, target(&copy)).expect("it is whole");
    restore(&test_env, 2, target(&copy)).expect("it is whole");
}

/// A script of backups with work between them; the states at the backups that were acknowledged,
/// and all states that may be found in the database afterwards.
fn backups(test_env: &TestEnv, server: &Server, seed: u64) -> (Vec<State>, Vec<State>) {
    use SetKind::{Differential, Full, Log};
    let mut states = vec![State::new()];
    let mut backed_up = Vec::new();
    for (at, kind) in (0..).zip([Full, Log, Differential, Log]) {
        let start = states.last().expect("there is one").clone();
        states = workload(server, seed + at, 12, start);
        if database(server).manager().log().flush(&server.task).is_err() {
            return (backed_up, states);
        }
        states.drain(..states.len() - 1);
        let Ok(set) = back_up(test_env, server, kind) else { break };
        assert_eq!(set.number, backed_up.len() + 1);
        backed_up.push(states[0].clone());
    }
    (backed_up, states)
}

#[test]
fn a_crash_during_a_backup_leaves_the_backups_before_and_the_database() {
    let (seed, step) = crate::recovery::tests::crash_seed_and_step();
    let (first, last) = {
        let (test_env, server) = new_test_env(seed);
        let first = test_env.sim.fs().operations();
        backups(&test_env, &server, seed);
        (first, test_env.sim.fs().operations())
    };
    for at in (first..last).step_by(step) {
        let (test_env, server) = new_test_env(seed);
        test_env.sim.fs().power_off_at(at);
        let (backed_up, states) = backups(&test_env, &server, seed);
        crash(&test_env, server);
        let server = test_env.recover(&[5], 2);
        let found = server.rows(5, 1);
        assert!(states.contains(&found), "off at {at}");
        let env = test_env.sim.env();
        let count = match env.fs().exists(Path::new(FILE)).expect("the disk works") {
            true => media(&test_env).expect("its header is whole").count(),
            false => 0,
        };
        // One may have been finished without being acknowledged.
        assert!([backed_up.len(), backed_up.len() + 1].contains(&count), "off at {at}: {count}");
        let (copy, mut chain) = (copy_of(7, 77), 1..=count.min(backed_up.len()));
        if count > 0 {
            // Sets 2 and 3 do not build on each other: 3 is over 1, and the log in 4 is after 2.
            let restored = chain.try_for_each(|set| restore(&test_env, set, target(&copy)));
            restored.unwrap_or_else(|e| panic!("off at {at}: {e}"));
            if let Some(state) = backed_up.last() {
                recover(&server, &copy);
                assert_eq!(&server.rows(7, 1), state, "off at {at}");
            }
        }
        // And the next backup goes after what counts.
        let set = back_up(&test_env, &server, SetKind::Full).expect("the disk works");
        assert_eq!(set.number, count + 1);
        let copy = copy_of(8, 88);
        restore(&test_env, set.number, target(&copy)).expect("it is whole");
        recover(&server, &copy);
        assert_eq!(server.rows(8, 1), found, "off at {at}");
    }
}

#[test]
fn a_crash_during_a_restore_leaves_what_was_restored_before() {
    let (seed, step) = crate::recovery::tests::crash_seed_and_step();
    let (test_env, server) = new_test_env(seed);
    let (states, _) = backups(&test_env, &server, seed);
    assert_eq!(states.len(), 4);
    let copy = copy_of(7, 77);
    // Each set in turn, the power going a bit later with each attempt; then recovery.
    let mut server = server;
    for set in 1..=4 {
        for attempt in 1.. {
            assert!(attempt < 1000, "set {set} is never restored");
            let soon = test_env.sim.fs().operations() + attempt * step as u64;
            test_env.sim.fs().power_off_at(soon);
            let result = restore(&test_env, set, target(&copy));
            if result.is_ok() && !test_env.sim.fs().is_off() {
                break;
            }
            crash(&test_env, server);
            server = test_env.recover(&[5], 1);
            if set == 1 {
                test_env.sim.env().fs().remove_dir_all(&copy.dir).ok();
                continue;
            }
            let dir = copy.dir.join(CHECKPOINT_DIR);
            let objects = crate::checkpoint::LocalObjects::open(&test_env.sim.env(), &dir);
            let objects = Arc::new(objects.expect("the disk works"));
            let chain = ChainStore::load(objects).expect("it is whole").get();
            let restored = chain.restored.expect("what was restored before counts");
            assert!(!restored.stopped);
        }
        test_env.sim.fs().power_off_at(u64::MAX);
    }
    for attempt in 1.. {
        assert!(attempt < 1000, "it is never recovered");
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + attempt * step as u64);
        if try_recover(&server, &copy).is_ok() && !test_env.sim.fs().is_off() {
            break;
        }
        crash(&test_env, server);
        server = test_env.recover(&[5], 1);
    }
    assert_eq!(server.rows(7, 1), states[3]);
}
