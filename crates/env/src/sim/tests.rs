use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::{FileSystem, OpKind, OpenMode};

const A: &str = "/d/a";

/// An environment with an empty, durable directory `/d`.
fn simulated(seed: u64) -> SimEnv {
    let env = SimEnv::new(seed);
    env.fs().create_dir_all(Path::new("/d")).unwrap();
    env.fs().sync_dir(Path::new("/")).unwrap();
    env
}

fn crash(env: &SimEnv) {
    env.fs().power_off();
    env.fs().power_on();
}

fn read(env: &SimEnv, path: &str) -> Option<Vec<u8>> {
    let path = Path::new(path);
    env.fs().exists(path).unwrap().then(|| env.fs().read(path).unwrap())
}

fn write_durably(env: &SimEnv, path: &str, bytes: &[u8]) {
    env.fs().write_new(Path::new(path), bytes).unwrap();
    env.fs().sync_dir(Path::new(path).parent().unwrap()).unwrap();
}

#[test]
fn synced_bytes_and_names_survive_a_crash() {
    for seed in 0..50 {
        let env = simulated(seed);
        write_durably(&env, A, b"synced");
        crash(&env);
        assert_eq!(read(&env, A).as_deref(), Some(&b"synced"[..]), "seed {seed}");
    }
}

#[test]
fn an_unsynced_name_may_vanish_though_the_file_was_synced() {
    let survived: BTreeSet<bool> = (0..50)
        .map(|seed| {
            let env = simulated(seed);
            env.fs().write_new(Path::new(A), b"x").unwrap();
            crash(&env);
            read(&env, A).is_some()
        })
        .collect();
    assert_eq!(survived.len(), 2, "both outcomes happen");
}

#[test]
fn unsynced_sectors_are_old_or_new_and_never_mixed_inside() {
    let mut torn = 0;
    for seed in 0..100 {
        let env = simulated(seed);
        write_durably(&env, A, &[1; 8 * SECTOR]);
        let file = env.fs().open(Path::new(A), OpenMode::Write).unwrap();
        file.write_all_at(&[2; 8 * SECTOR], 0).unwrap();
        file.write_all_at(&[3; 4 * SECTOR], 0).unwrap();
        crash(&env);
        let bytes = read(&env, A).unwrap();
        assert_eq!(bytes.len(), 8 * SECTOR);
        let mut seen = BTreeSet::new();
        for (i, sector) in bytes.chunks(SECTOR).enumerate() {
            assert!(sector.iter().all(|&b| b == sector[0]), "seed {seed}");
            assert!(sector[0] <= if i < 4 { 3 } else { 2 });
            seen.insert(sector[0]);
        }
        torn += usize::from(seen.len() > 2);
    }
    assert!(torn > 10, "tears happen: {torn}");
}

#[test]
fn a_lengthened_file_may_lose_its_new_length() {
    let lens: BTreeSet<usize> = (0..100)
        .map(|seed| {
            let env = simulated(seed);
            write_durably(&env, A, &[1; 100]);
            let file = env.fs().open(Path::new(A), OpenMode::Write).unwrap();
            file.set_len(1000).unwrap();
            file.write_all_at(&[2; 500], 1000).unwrap();
            crash(&env);
            read(&env, A).unwrap().len()
        })
        .collect();
    assert_eq!(lens.into_iter().collect::<Vec<_>>(), [100, 1000, 1500]);
}

#[test]
fn a_rename_happens_whole_or_not_at_all() {
    let mut outcomes = BTreeSet::new();
    for seed in 0..50 {
        let env = simulated(seed);
        write_durably(&env, "/d/old", b"1");
        env.fs().rename(Path::new("/d/old"), Path::new("/d/new")).unwrap();
        crash(&env);
        let found = (read(&env, "/d/old").is_some(), read(&env, "/d/new").is_some());
        assert!(found.0 != found.1, "seed {seed}: {found:?}");
        outcomes.insert(found);
    }
    assert_eq!(outcomes.len(), 2);
}

#[test]
fn a_removed_file_may_come_back_and_open_handles_go_on() {
    let env = simulated(3);
    write_durably(&env, A, b"still");
    let file = env.fs().open(Path::new(A), OpenMode::Read).unwrap();
    env.fs().remove_file(Path::new(A)).unwrap();
    let mut bytes = [0; 5];
    file.read_exact_at(&mut bytes, 0).unwrap();
    assert_eq!(&bytes, b"still");
    env.fs().sync_dir(Path::new("/d")).unwrap();
    drop(file);
    assert_eq!(env.fs().used(), 0);
    crash(&env);
    assert_eq!(read(&env, A), None);
}

#[test]
fn a_failed_sync_loses_what_readers_still_see() {
    let mut lost = 0;
    for seed in 0..50 {
        let env = simulated(seed);
        write_durably(&env, A, &[1; 4 * SECTOR]);
        let file = env.fs().open(Path::new(A), OpenMode::Write).unwrap();
        file.write_all_at(&[2; 4 * SECTOR], 0).unwrap();
        env.fs().inject(Fault::next(OpKind::Sync, FaultKind::Io));
        let error = file.sync_data().unwrap_err();
        assert_eq!(error.op(), OpKind::Sync);
        assert_eq!(read(&env, A).unwrap(), [2; 4 * SECTOR]);
        file.sync_data().unwrap();
        crash(&env);
        lost += usize::from(read(&env, A).unwrap() != [2; 4 * SECTOR]);
    }
    assert!(lost > 10, "{lost}");
}

#[test]
fn faults_strike_the_chosen_operations_only() {
    let env = simulated(0);
    write_durably(&env, A, b"");
    write_durably(&env, "/d/b", b"");
    let a = env.fs().open(Path::new(A), OpenMode::Write).unwrap();
    let b = env.fs().open(Path::new("/d/b"), OpenMode::Write).unwrap();
    env.fs().inject(Fault::next(OpKind::Write, FaultKind::DiskFull).on("/a").after(1).times(2));
    b.write_all_at(b"1", 0).unwrap();
    a.write_all_at(b"1", 0).unwrap();
    assert!(a.write_all_at(b"2", 0).unwrap_err().is_disk_full());
    b.write_all_at(b"2", 0).unwrap();
    assert!(a.write_all_at(b"3", 0).unwrap_err().is_disk_full());
    a.write_all_at(b"4", 0).unwrap();
    env.fs().inject(Fault::next(OpKind::Open, FaultKind::Io).forever());
    for _ in 0..3 {
        env.fs().open(Path::new(A), OpenMode::Read).unwrap_err();
    }
    env.fs().clear_faults();
    env.fs().open(Path::new(A), OpenMode::Read).unwrap();
}

#[test]
fn a_full_disk_refuses_growth_and_forgives_removal() {
    let env = simulated(0);
    env.fs().set_capacity(Some(1000));
    let file = env.fs().open(Path::new(A), OpenMode::CreateNew).unwrap();
    file.write_all_at(&[0; 800], 0).unwrap();
    assert!(file.write_all_at(&[0; 300], 800).unwrap_err().is_disk_full());
    assert!(file.set_len(1001).unwrap_err().is_disk_full());
    file.write_all_at(&[1; 300], 500).unwrap();
    assert_eq!(env.fs().free_space(Path::new("/d")).unwrap(), 200);
    drop(file);
    env.fs().remove_file(Path::new(A)).unwrap();
    env.fs().sync_dir(Path::new("/d")).unwrap();
    assert_eq!(env.fs().free_space(Path::new("/d")).unwrap(), 1000);
}

#[test]
fn the_power_goes_at_the_chosen_operation_and_old_handles_stay_dead() {
    let env = simulated(9);
    write_durably(&env, A, b"");
    let file = env.fs().open(Path::new(A), OpenMode::Write).unwrap();
    let next = env.fs().operations() + 2;
    env.fs().power_off_at(next);
    file.write_all_at(b"1", 0).unwrap();
    file.write_all_at(b"2", 1).unwrap_err();
    assert!(env.fs().is_off());
    file.sync_data().unwrap_err();
    env.fs().power_on();
    file.sync_data().unwrap_err();
    env.fs().open(Path::new(A), OpenMode::Read).unwrap();
}

#[test]
fn locks_end_with_their_holder_or_the_power() {
    let env = simulated(0);
    let dir = Path::new("/d");
    let held = env.fs().lock_dir(dir).unwrap();
    assert!(env.fs().lock_dir(Path::new("d/.")).unwrap_err().is_locked());
    drop(held);
    let forgotten = env.fs().lock_dir(dir).unwrap();
    crash(&env);
    let held = env.fs().lock_dir(dir).unwrap();
    drop(forgotten);
    assert!(env.fs().lock_dir(dir).unwrap_err().is_locked());
    drop(held);
}

#[test]
fn held_operations_wait_until_released() {
    let env = simulated(0);
    write_durably(&env, A, b"");
    let file = env.fs().open(Path::new(A), OpenMode::Write).unwrap();
    env.fs().hold(OpKind::Sync);
    let syncing = std::thread::spawn(move || file.sync_data());
    wait_until("the sync is held", || env.fs().operations_held(OpKind::Sync) == 1);
    assert!(!syncing.is_finished());
    env.fs().release(OpKind::Sync);
    syncing.join().unwrap().unwrap();
    assert_eq!(env.fs().operations_held(OpKind::Sync), 0);
}

#[test]
fn some_operations_on_some_files_pass_before_others_wait() {
    let env = simulated(0);
    let other = Path::new("/d/b");
    env.fs().hold_on(OpKind::Open, "d/a", 1);
    let (fs, held) = (env.env(), env.env());
    fs.fs().open(Path::new(A), OpenMode::Create).unwrap();
    let opening =
        std::thread::spawn(move || held.fs().open(Path::new(A), OpenMode::Read).map(drop));
    wait_until("the second is held", || env.fs().operations_held(OpKind::Open) == 1);
    fs.fs().open(other, OpenMode::Create).unwrap();
    assert!(!opening.is_finished());
    env.fs().release(OpKind::Open);
    opening.join().unwrap().unwrap();
}

#[test]
fn bit_flips_reach_readers_and_survive() {
    let env = simulated(0);
    write_durably(&env, A, &[0; 10]);
    env.fs().flip_bit(Path::new(A), 8 * 3 + 5).unwrap();
    assert_eq!(read(&env, A).unwrap()[3], 1 << 5);
    crash(&env);
    assert_eq!(read(&env, A).unwrap()[3], 1 << 5);
    assert_eq!(
        env.fs().flip_bit(Path::new(A), 80).unwrap_err().kind(),
        io::ErrorKind::InvalidInput
    );
}

#[test]
fn the_trace_names_every_operation() {
    let env = simulated(0);
    env.fs().start_trace();
    write_durably(&env, A, b"12345");
    assert_eq!(
        env.fs().take_trace(),
        ["open /d/a", "write /d/a 0+5", "sync /d/a", "sync directory /d"]
    );
}

#[test]
fn time_passes_when_told_and_a_little_when_looked_at() {
    let env = simulated(0);
    let clock = env.env();
    let clock = clock.clock();
    let before = clock.now_ns();
    assert_eq!(clock.now_ns() - before, 1000);
    env.clock().advance_ns(5_000_000);
    assert_eq!(clock.now_ns() - before, 5_002_000);
    env.fs().set_latency_ns(OpKind::Metadata, 70_000_000);
    env.fs().exists(Path::new(A)).unwrap();
    assert_eq!(clock.now_ns() - before, 75_003_000);
    env.clock().set_utc_ticks(42);
    assert!((42..100).contains(&clock.utc_ticks()));
    env.clock().set_local_offset_minutes(-90);
    assert_eq!(clock.local_offset_minutes(0), -90);
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let story = |seed| {
        let env = simulated(seed);
        let file = env.fs().open(Path::new(A), OpenMode::CreateNew).unwrap();
        for i in 0..20 {
            file.write_all_at(&[i; 700], u64::from(i) * 300).unwrap();
        }
        env.fs().sync_dir(Path::new("/d")).unwrap();
        crash(&env);
        (read(&env, A), env.env().rng().next_u64())
    };
    assert_eq!(story(77), story(77));
    assert_ne!(story(77), story(78));
}

proptest! {
    /// Whatever is written: what was synced last is there after a crash where nothing overwrote it.
    #[test]
    fn what_was_synced_survives_where_nothing_was_written_since(
        seed: u64,
        synced in prop::collection::vec((0usize..5000, 1usize..3000, 1u8..100), 1..8),
        unsynced in prop::collection::vec((0usize..5000, 1usize..3000, 100u8..), 0..8),
    ) {
        let env = simulated(seed);
        let file = env.fs().open(Path::new(A), OpenMode::CreateNew).unwrap();
        env.fs().sync_dir(Path::new("/d")).unwrap();
        let mut model = vec![0; 8000];
        file.set_len(8000).unwrap();
        for &(offset, len, byte) in &synced {
            file.write_all_at(&vec![byte; len], offset as u64).unwrap();
            model[offset..offset + len].fill(byte);
        }
        file.sync_data().unwrap();
        let mut touched = vec![false; 8000];
        for &(offset, len, byte) in &unsynced {
            file.write_all_at(&vec![byte; len], offset as u64).unwrap();
            touched[offset..offset + len].fill(true);
        }
        crash(&env);
        let bytes = read(&env, A).unwrap();
        prop_assert_eq!(bytes.len(), 8000);
        for i in 0..8000 {
            prop_assert!(bytes[i] == model[i] || touched[i] && bytes[i] >= 100, "byte {}", i);
        }
    }
}
