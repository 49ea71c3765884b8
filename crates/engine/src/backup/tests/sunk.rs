//! Databases whose rows have sunk: pages in backups, changed while they are copied.

use std::collections::BTreeMap;

use env::sim::SplitMix;

use super::*;
use crate::cold::ColdError;
use crate::sink::tests::{FIRST, change, new_server, rows_in};
use crate::txn::tests::Row;

type Rows = BTreeMap<i64, Row>;

/// A database with a disk table of 400 rows that have sunk.
fn sunk_test_env(seed: u64) -> (TestEnv, Server, Rows) {
    let test_env = TestEnv::new(seed);
    let server = new_server(&test_env);
    let env = test_env.sim.env();
    env.fs().create_dir_all(Path::new("/backups")).expect("the disk works");
    env.fs().sync_dir(Path::new("/")).expect("the disk works");
    let mut rows = Rows::new();
    for id in 0..400 {
        let mut txn = server.begin(5);
        server.insert(&mut txn, &server.table(5, FIRST), [id, id, 0]).expect("a fresh key");
        txn.commit(&server.task, Durability::Full).expect("there is room");
        rows.insert(id, [id, id, 0]);
    }
    sink(&server);
    (test_env, server, rows)
}

/// Takes down what can be, and makes that durable.
fn sink(server: &Server) {
    for _ in 0..3 {
        database(server).sink_all(&server.task).expect("the disk works");
    }
    database(server).checkpoint(&server.task).expect("the disk works");
    assert!(server.table(5, FIRST).cold().is_some_and(|cold| cold.rows() > 0));
}

/// Changes the table at random.
fn disturb(server: &Server, seed: u64, rows: &mut Rows) {
    let mut rng = SplitMix::new(seed);
    for _ in 0..60 {
        let (id, v) = (rng.below(500) as i64, rng.below(1000) as i64);
        let mut txn = server.begin(5);
        let session = txn.session().clone();
        match (rows.contains_key(&id), rng.below(4)) {
            (false, _) => {
                let inserted = server.insert(&mut txn, &server.table(5, FIRST), [id, id, v]);
                inserted.expect("a fresh key");
                rows.insert(id, [id, id, v]);
            }
            (true, 0) => {
                change(server, &mut txn, FIRST, id, None).expect("no other writer");
                rows.remove(&id);
            }
            (true, _) => {
                let row = [id, id, v];
                change(server, &mut txn, FIRST, id, Some(row)).expect("no other writer");
                rows.insert(id, row);
            }
        }
        txn.commit(&server.task, Durability::Full).expect("there is room");
        session.wait_shown(&server.task).expect("the disk works");
    }
}

/// The rows of the table in this database; memory and all its trees agree.
fn rows_of(server: &Server, id: i32) -> Rows {
    let table = server.table(id, FIRST);
    let rows = rows_in(&server.session(id), &server.task, &table);
    assert_eq!(table.memory().rows as usize, rows.len(), "the table counts its rows");
    rows
}

fn used_pages(server: &Server) -> u64 {
    let table = server.table(5, FIRST);
    let cold = table.cold().expect("it has sunk");
    cold.store().space().used_pages
}

/// Everything that the root reaches is changed, and written elsewhere, before the first page is
/// copied.
#[test]
fn pages_of_tables_that_have_sunk_are_backed_up_while_they_change() {
    for seed in 0..4 {
        let (test_env, server, mut rows) = sunk_test_env(40 + seed);
        let mut backup = begin(&test_env, &server, SetKind::Full).expect("the disk works");
        for round in 0..20 {
            disturb(&server, 100 * seed + round, &mut rows);
            sink(&server);
        }
        // Here now, and in memory only at that.
        disturb(&server, 100 * seed + 99, &mut rows);
        let held = used_pages(&server);
        while backup.step().expect("the disk works").1.is_none() {}
        assert!(used_pages(&server) < held, "what was copied is free again");
        drop(backup);
        let copy = copy_of(7, 77);
        restore(&test_env, 1, target(&copy)).expect("the backup is whole");
        let restored = recover(&server, &copy);
        assert_eq!(rows_of(&server, 7), rows, "seed {seed}");
        // Each goes its own way, over a crash.
        for _ in 0..3 {
            restored.sink_all(&server.task).expect("the disk works");
        }
        restored.checkpoint(&server.task).expect("the disk works");
        assert_eq!(rows_of(&server, 7), rows);
        drop(restored);
        crash(&test_env, server);
        let server = test_env.recover(&[5], 2);
        recover(&server, &copy);
        assert_eq!((rows_of(&server, 5), rows_of(&server, 7)), (rows.clone(), rows), "{seed}");
    }
}

/// A chain of backups, and the rows at each.
fn chain(seed: u64) -> (TestEnv, Server, Vec<Rows>) {
    use SetKind::{Differential, Full, Log};
    let (test_env, server, mut rows) = sunk_test_env(seed);
    let mut states = Vec::new();
    for (at, kind) in (1..).zip([Full, Differential, Log]) {
        back_up(&test_env, &server, kind).expect("the disk works");
        states.push(rows.clone());
        disturb(&server, seed + at, &mut rows);
        sink(&server);
    }
    (test_env, server, states)
}

#[test]
fn a_chain_with_pages_leads_to_its_last_backup() {
    let (test_env, server, states) = chain(50);
    let ways: [&[usize]; 4] = [&[1], &[1, 2], &[1, 2, 3], &[1, 3]];
    for (id, way) in (10i32..).zip(ways) {
        let copy = copy_of(id, id as u128);
        for set in way {
            restore(&test_env, *set, target(&copy))
                .unwrap_or_else(|e| panic!("{way:?}, {set}: {e}"));
        }
        recover(&server, &copy);
        let last = way.last().expect("none is empty");
        assert_eq!(rows_of(&server, id), states[last - 1], "{way:?}");
    }
}

/// The second set brings other pages, which count with its log or not at all.
#[test]
fn a_crash_while_pages_are_replaced_leaves_those_that_go_with_the_log() {
    let (_, step) = crate::recovery::tests::crash_seed_and_step();
    let (test_env, mut server, states) = chain(51);
    let copy = copy_of(7, 77);
    let mut seen = [false; 2];
    for after in (0..).step_by(step) {
        test_env.sim.env().fs().remove_dir_all(&copy.dir).ok();
        restore(&test_env, 1, target(&copy)).expect("it is whole");
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + after);
        let done = restore(&test_env, 2, target(&copy)).is_ok() && !test_env.sim.fs().is_off();
        crash(&test_env, server);
        test_env.sim.fs().power_off_at(u64::MAX);
        server = test_env.recover(&[5], 1);
        recover(&server, &copy);
        let rows = rows_of(&server, 7);
        let at = states.iter().position(|state| *state == rows);
        let at = at.unwrap_or_else(|| panic!("off after {after}: neither was restored"));
        assert!(at < 2 && (at == 1 || !done), "off after {after}");
        seen[at] = true;
        crash(&test_env, server);
        server = test_env.recover(&[5], 1);
        if done {
            break;
        }
    }
    assert_eq!(seen, [true; 2]);
}

#[test]
fn damage_in_the_pages_of_a_backup_is_found() {
    let (test_env, server, _) = sunk_test_env(52);
    let set = back_up(&test_env, &server, SetKind::Full).expect("the disk works");
    let env = test_env.sim.env();
    let path = Path::new(FILE);
    let len = env.fs().metadata(path).expect("the disk works").expect("it is there").len;
    let verify = || -> Result<(), BackupError> {
        let media = Media::open(&env, path, OpenMode::Read)?;
        let mut verification = Verification::begin(&media, &media.set(1)?)?;
        while !verification.step()?.1 {}
        Ok(())
    };
    verify().expect("it is whole");
    // The pages come first, and are most of it.
    let start = len - set.end.stored_bytes;
    for bit in (start * 8..(start + set.end.stored_bytes / 2) * 8).step_by(4999) {
        test_env.sim.fs().flip_bit(path, bit).expect("it is there");
        assert!(matches!(verify(), Err(BackupError::Damaged { .. })), "bit {bit}");
        assert!(restore(&test_env, 1, target(&copy_of(7, 77))).is_err(), "bit {bit}");
        test_env.sim.fs().flip_bit(path, bit).expect("it is there");
    }
    verify().expect("every bit was flipped back");
}

#[test]
fn a_damaged_page_of_the_database_ends_a_backup() {
    let (test_env, server, rows) = sunk_test_env(53);
    let file = Path::new("/data/5/rows.tpg");
    let len = test_env.sim.env().fs().metadata(file).expect("the disk works");
    let pages = len.expect("it is there").len / 8192;
    let mut found = 0;
    // Of the pages those that the root does not reach do not matter.
    for page in 24..pages {
        test_env.sim.fs().flip_bit(file, page * 8 * 8192 + 5000).expect("it is there");
        match back_up(&test_env, &server, SetKind::Full) {
            Err(EngineError::Backup(BackupError::Pages(ColdError::Checksum { place, .. }))) => {
                assert_eq!(u64::from(place.index), page);
                found += 1;
            }
            other => drop(other.expect("nothing that counts is damaged")),
        }
        test_env.sim.fs().flip_bit(file, page * 8 * 8192 + 5000).expect("it is there");
    }
    assert!(found >= 4, "leaves, map and directory");
    assert_eq!(rows_of(&server, 5), rows);
}

/// Where the disk has no room for another checkpoint the last one is backed up, with more log after
/// it. What else a checkpoint fails with ends the backup.
#[test]
fn a_backup_goes_on_without_a_checkpoint_if_the_disk_of_the_data_is_full() {
    for file in ["rows.tpg", ".data"] {
        let (test_env, server, mut rows) = sunk_test_env(60);
        disturb(&server, 61, &mut rows);
        let mut txn = server.begin(5);
        server.insert(&mut txn, &server.table(5, 1), [1, 1, 1]).expect("a fresh key");
        txn.commit(&server.task, Durability::Full).expect("there is room");
        let fail =
            |kind| test_env.sim.fs().inject(Fault::next(OpKind::Write, kind).on(file).forever());
        fail(FaultKind::Io);
        let failed = begin(&test_env, &server, SetKind::Full).map(drop);
        assert!(matches!(failed, Err(EngineError::Checkpoint(_))), "{file}: {failed:?}");
        test_env.sim.fs().clear_faults();
        fail(FaultKind::DiskFull);
        let made = database(&server).checkpoint(&server.task);
        assert!(made.is_err(), "{file}: there is no room");
        back_up(&test_env, &server, SetKind::Full).expect("the backup's disk has room");
        test_env.sim.fs().clear_faults();
        let copy = copy_of(7, 77);
        restore(&test_env, 1, target(&copy)).expect("the backup is whole");
        let restored = recover(&server, &copy);
        assert_eq!(rows_of(&server, 7), rows, "{file}");
        assert_eq!(server.rows(7, 1).len(), 1, "{file}");
        drop(restored);
    }
}
