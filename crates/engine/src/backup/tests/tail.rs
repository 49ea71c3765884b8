//! The log of databases that cannot be opened.

use super::*;
use crate::backup::tail::{Remains, TailBackup};
use crate::checkpoint::LocalObjects;
use crate::log::LogError;
use crate::log::store::BatchReader;

/// A database with a full backup, one of the log, a checkpoint, and work since; its state. The
/// power is gone, and the server.
fn chain_and_tail(seed: u64) -> (TestEnv, State) {
    let (test_env, server) = new_test_env(seed);
    let state = work(&server, seed, &State::new());
    back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    let state = work(&server, seed + 1, &state);
    back_up(&test_env, &server, SetKind::Log).expect("the disk works");
    let state = work(&server, seed + 2, &state);
    database(&server).checkpoint(&server.task).expect("the disk works");
    let state = work(&server, seed + 3, &state);
    crash(&test_env, server);
    (test_env, state)
}

fn remains(test_env: &TestEnv) -> Remains {
    let env = test_env.sim.env();
    let dir = PathBuf::from("/data/5");
    let objects = LocalObjects::open(&env, &dir.join(CHECKPOINT_DIR)).expect("it is there");
    let chain = ChainStore::load(Arc::new(objects)).expect("it is whole").get();
    let uuid = crate::recovery::tests::identity(5).uuid;
    Remains { dir, uuid, chain }
}

fn back_up_tail(test_env: &TestEnv, up_to_damage: bool) -> Result<(BackupSet, bool), BackupError> {
    let media = media(test_env)?;
    let env = test_env.sim.env();
    let header = header(SetKind::Log);
    let mut tail = TailBackup::begin(&env, &remains(test_env), media, header, up_to_damage)?;
    loop {
        if let (_, Some(set)) = tail.step()? {
            return Ok((set, tail.damage().is_some()));
        }
    }
}

/// Restores these sets to a database beside; its rows.
fn restored(test_env: &TestEnv, server: &Server, sets: &[usize]) -> State {
    let copy = copy_of(7, 77);
    for set in sets {
        restore(test_env, *set, target(&copy)).unwrap_or_else(|error| panic!("{set}: {error}"));
    }
    recover(server, &copy);
    server.rows(7, 1)
}

fn files(test_env: &TestEnv, dir: &str, extension: &str) -> Vec<PathBuf> {
    let dir = Path::new(dir);
    let entries = test_env.sim.env().fs().list(dir).expect("it is there");
    let mut paths: Vec<PathBuf> = entries.iter().map(|entry| dir.join(&entry.name)).collect();
    paths.retain(|path| path.extension().is_some_and(|its| its == extension));
    paths.sort();
    paths
}

/// Where the batches of the log since the last backup are.
fn batches(test_env: &TestEnv) -> Vec<(PathBuf, u64)> {
    let Remains { dir, uuid, chain } = remains(test_env);
    let first = chain.log.expect("the log is kept");
    let env = test_env.sim.env();
    let log = crate::log::local::remains::read_remains(&env, &dir.join(LOG_DIR), uuid, first);
    let mut log: Box<dyn BatchReader> = log.expect("it is there");
    let mut places = Vec::new();
    while let Some(batch) = log.next().expect("it is whole") {
        places.push((batch.file.to_path_buf(), batch.position.offset));
    }
    places
}

#[test]
fn the_tail_of_a_database_without_checkpoint_files_has_all_commits() {
    for seed in 0..4 {
        let (test_env, state) = chain_and_tail(500 + 10 * seed);
        let fs = test_env.sim.env();
        for file in files(&test_env, "/data/5/checkpoint", "data") {
            fs.fs().remove_file(&file).expect("the disk works");
        }
        let before = fs.fs().list(Path::new("/data/5/log")).expect("it is there").len();
        let (set, cut) = back_up_tail(&test_env, false).expect("the log is whole");
        assert!(!cut && set.header.of_damaged);
        assert_eq!(fs.fs().list(Path::new("/data/5/log")).expect("it is there").len(), before);
        let server = test_env.server();
        assert_eq!(restored(&test_env, &server, &[1, 2, 3]), state, "seed {seed}");
    }
}

#[test]
fn a_damaged_log_is_backed_up_to_the_damage_on_demand() {
    for seed in 0..4 {
        let (test_env, state) = chain_and_tail(600 + 10 * seed);
        let places = batches(&test_env);
        let (file, offset) = &places[places.len() / 2];
        test_env.sim.fs().flip_bit(file, (offset + 60) * 8).expect("it is there");
        let refused = back_up_tail(&test_env, false);
        let Err(BackupError::LogUnreadable(LogError::Damaged {
            file: reported, offset: at, ..
        })) = refused
        else {
            panic!("{refused:?}")
        };
        assert_eq!((&*reported, at), (&**file, *offset));
        let (set, cut) = back_up_tail(&test_env, true).expect("the beginning is whole");
        assert!(cut && set.number == 3);
        let server = test_env.server();
        let rows = restored(&test_env, &server, &[1, 2, 3]);
        assert!(!rows.is_empty() && rows != state, "seed {seed}");
    }
}

#[test]
fn only_the_segments_that_are_read_have_to_be_sound() {
    let (test_env, server) = new_test_env(700);
    let mut state = work(&server, 1, &State::new());
    back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    for round in 0..30 {
        state = work(&server, round, &state);
    }
    crash(&test_env, server);
    let all = batches(&test_env);
    let (first, last) = (all[0].0.clone(), all[all.len() - 1].0.clone());
    assert!(all.iter().any(|(file, _)| *file != first && *file != last), "{all:?}");
    let Remains { dir, uuid, chain } = remains(&test_env);
    let from = chain.log.expect("the log is kept");
    type Read = (Vec<(PathBuf, Lsn)>, Option<LogError>);
    let read = |from: Lsn| -> Result<Read, LogError> {
        let log_dir = dir.join(LOG_DIR);
        let env = test_env.sim.env();
        let mut log = crate::log::local::remains::read_remains(&env, &log_dir, uuid, from)?;
        let mut stamps = Vec::new();
        loop {
            match log.next() {
                Ok(Some(batch)) => stamps.push((batch.file.to_path_buf(), batch.header.first)),
                Ok(None) => return Ok((stamps, None)),
                Err(error) => return Ok((stamps, Some(error))),
            }
        }
    };
    let (whole, None) = read(from).expect("it is whole") else { panic!("it is whole") };
    let (_, late) = whole.iter().find(|(file, _)| *file == last).expect("it was read");
    // One that is gone in the middle: those before it are read, and the next is missed.
    let env = test_env.sim.env();
    let (middle, _) = whole.iter().find(|(file, _)| *file != first).expect("there are several");
    env.fs().remove_file(middle).expect("the disk works");
    let (found, Some(LogError::Missing { path, .. })) = read(from).expect("it begins well") else {
        panic!("a segment is missing")
    };
    assert_eq!(&*path, &**middle);
    let before: Vec<_> = whole.iter().take_while(|(file, _)| *file == first).cloned().collect();
    assert_eq!(found, before);
    // A reader that needs only what is after the gap finds all of it.
    test_env.sim.fs().flip_bit(&first, 20 * 8).expect("it is there");
    let (found, None) = read(*late).expect("its segment is whole") else { panic!("it is whole") };
    let behind = whole.iter().skip_while(|(_, stamp)| stamp < late);
    assert!(found.iter().eq(behind));
    assert!(matches!(read(from), Err(LogError::Damaged { .. })), "the beginning is not there");
}

/// Faults of the disk at every operation: there is a set that is whole, or none.
#[test]
fn a_tail_backup_that_fails_leaves_what_was_there() {
    let (test_env, state) = chain_and_tail(800);
    for at in 0..60 {
        test_env.sim.fs().inject(Fault::next(OpKind::Write, FaultKind::Io).after(at));
        let made = back_up_tail(&test_env, false);
        test_env.sim.fs().clear_faults();
        let count = media(&test_env).expect("it is there").count();
        match made {
            Ok((set, _)) => {
                assert_eq!((set.number, count), (3, 3));
                break;
            }
            Err(BackupError::Device(_)) => assert_eq!(count, 2, "fault {at}"),
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(restored(&test_env, &test_env.server(), &[1, 2, 3]), state);
}
