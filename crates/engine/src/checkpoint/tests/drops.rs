//! Files of tables that are dropped, or whose storage is replaced by another.

use std::collections::BTreeMap;

use super::*;
use crate::recovery::tests::{crash_seed_and_step, user_table};
use crate::txn::TxnResult;

/// CREATE TABLE n, with this many rows.
fn create_filled(server: &Server, n: u64, rows: i64) -> TxnResult<()> {
    server.create_table(5, n)?;
    put_rows(server, n, rows)
}

/// Inserts `rows` rows into an empty table, in one commit.
fn put_rows(server: &Server, n: u64, rows: i64) -> TxnResult<()> {
    let mut txn = server.begin(5);
    for id in 0..rows {
        server.insert(&mut txn, &server.table(5, n), [id, id, n as i64])?;
    }
    txn.commit(&server.task, Durability::Full).map(drop)
}

/// What ALTER TABLE does: a new storage with the rows of the old one.
fn replace(server: &Server, old: u64, new: u64) -> TxnResult<()> {
    let manager = database(server).manager().clone();
    let catalog = manager.tables().get(StorageId(1)).expect("made with the database");
    let rows = server.rows(5, old);
    let mut txn = server.begin(5);
    txn.close_gate(&server.task, &server.table(5, old))?;
    server.delete(&mut txn, &catalog, old as i64)?;
    server.insert(&mut txn, &catalog, [new as i64, new as i64, 0])?;
    let table = manager.create_table(&user_table(StorageId(1000 + new)));
    for [id, k, _] in rows.into_values() {
        server.insert(&mut txn, &table, [id, k, new as i64])?;
    }
    txn.on_end(move |stamp| {
        manager.drop_table(StorageId(1000 + if stamp.is_some() { old } else { new }));
    });
    txn.commit(&server.task, Durability::Full).map(drop)
}

/// A server whose checkpoints are made on demand, and whose pairs stay as they are.
pub(super) fn server_that_merges_nothing(test_env: &TestEnv) -> Server {
    server_on_demand(test_env, false)
}

/// A server whose checkpoints are made on demand.
pub(super) fn server_on_demand(test_env: &TestEnv, merges: bool) -> Server {
    let mut options = options();
    options.checkpoints.merges = merges;
    options.checkpoints.interval_ns = 3_600_000_000_000;
    test_env.create_with(&[5], &options).expect("the disk works")
}

/// Bytes of data and delta files that are there, whatever they are there for.
fn bytes_of_files(test_env: &TestEnv) -> u64 {
    let rows =
        files(test_env).into_iter().filter(|path| path.extension().is_none_or(|e| e != "manifest"));
    rows.map(|path| test_env.sim.fs().read(&path).map_or(0, |bytes| bytes.len() as u64)).sum()
}

/// Waits until the files have no more bytes than that, without doing anything for it.
fn come_to(test_env: &TestEnv, server: &Server, bytes_max: u64, when: &str) {
    let begin = std::time::Instant::now();
    while bytes_of_files(test_env) > bytes_max {
        let files = database(server).checkpoint_files();
        assert!(begin.elapsed().as_secs() < 60, "{when}, they stay: {files:#?}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn files_of_tables_that_are_dropped_go_by_themselves() {
    let (test_env, server) = new_test_env(1);
    fill(&server, 0..20);
    checkpoint(&server);
    for n in 2..6 {
        create_filled(&server, n, 1000).expect("the disk works");
        checkpoint(&server);
        assert!(bytes_of_files(&test_env) > 20_000, "it has rows");
        server.drop_table(5, n).expect("it is not in use");
        come_to(&test_env, &server, 4000, "after a table was dropped");
    }
    let expected = server.rows(5, 1);
    crash(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, 1), expected);
    assert!(bytes_of_files(&test_env) <= 4000);
}

#[test]
fn files_of_storages_that_are_replaced_go_by_themselves() {
    let (test_env, server) = new_test_env(2);
    fill(&server, 0..20);
    create_filled(&server, 2, 500).expect("the disk works");
    checkpoint(&server);
    let once = bytes_of_files(&test_env);
    for n in 2..9 {
        replace(&server, n, n + 1).expect("it is not in use");
        checkpoint(&server);
    }
    come_to(&test_env, &server, once + once / 2, "after seven times");
    let expected = server.rows(5, 9);
    assert_eq!(expected.len(), 500);
    crash(&test_env, server);
    let server = test_env.recover(&[5], 2);
    assert_eq!(server.rows(5, 9), expected);
    come_to(&test_env, &server, once + once / 2, "after a restart");
}

/// The drop is in the log only when the power fails, and in files that are not merged; a database
/// that was written by a server that did not count such rows looks the same.
#[test]
fn files_of_tables_that_were_dropped_before_a_start_go_by_themselves() {
    for is_in_files in [false, true] {
        let test_env = TestEnv::new(3);
        let server = server_that_merges_nothing(&test_env);
        server.create_table(5, 1).expect("the disk works");
        fill(&server, 0..20);
        create_filled(&server, 2, 1000).expect("the disk works");
        create_filled(&server, 3, 10).expect("the disk works");
        checkpoint(&server);
        server.drop_table(5, 2).expect("it is not in use");
        database(&server).manager().log().flush(&server.task).expect("the disk works");
        if is_in_files {
            checkpoint(&server);
        }
        assert!(bytes_of_files(&test_env) > 20_000, "it has rows");
        let expected = (server.rows(5, 1), server.rows(5, 3));
        crash(&test_env, server);
        let server = test_env.recover(&[5], 2);
        come_to(&test_env, &server, 4000, "after a start");
        assert_eq!((server.rows(5, 1), server.rows(5, 3)), expected);
        crash(&test_env, server);
        let server = test_env.recover(&[5], 2);
        assert_eq!((server.rows(5, 1), server.rows(5, 3)), expected);
    }
}

/// A pair with the rows of two tables is rewritten alone, whatever its neighbours are.
#[test]
fn a_pair_is_rewritten_when_enough_of_it_was_of_a_dropped_table() {
    let (test_env, server) = new_test_env(4);
    let (kept, dropped) = (server.create_table(5, 2), server.create_table(5, 3));
    let (kept, dropped) = (kept.expect("the disk works"), dropped.expect("the disk works"));
    let mut txn = server.begin(5);
    for id in 0..2000 {
        server.insert(&mut txn, &kept, [id, id, 2]).expect("a fresh key");
        server.insert(&mut txn, &dropped, [id, id, 3]).expect("a fresh key");
    }
    txn.commit(&server.task, Durability::Full).expect("there is room");
    checkpoint(&server);
    let both = bytes_of_files(&test_env);
    drop(dropped);
    // Of the rows that have ended some are of the one table and some of the other.
    let mut txn = server.begin(5);
    for id in 0..300 {
        server.delete(&mut txn, &server.table(5, 2 + id % 2), id as i64).expect("it is free");
    }
    txn.commit(&server.task, Durability::Full).expect("there is room");
    checkpoint(&server);
    server.drop_table(5, 3).expect("it is not in use");
    come_to(&test_env, &server, both * 6 / 10, "after one of two tables was dropped");
    let expected = server.rows(5, 2);
    assert_eq!(expected.len(), 1850);
    crash(&test_env, server);
    assert_eq!(test_env.recover(&[5], 2).rows(5, 2), expected);
}

/// A table is dropped after the end of the checkpoint that is being made: its log still speaks of
/// rows in files.
#[test]
fn a_table_that_is_dropped_while_a_checkpoint_is_made_stays_in_files_until_the_next() {
    let (test_env, server) = new_test_env(6);
    fill(&server, 0..20);
    server.create_table(5, 2).expect("the disk works");
    checkpoint(&server);
    // A pair with its rows alone.
    put_rows(&server, 2, 300).expect("there is room");
    checkpoint(&server);
    let manifests = || {
        let mut names = files(&test_env);
        names.retain(|path| path.extension().is_some_and(|e| e == "manifest"));
        names.into_iter().max()
    };
    let before = manifests();
    test_env.sim.fs().hold_on(OpKind::Write, ".manifest", 0);
    fill(&server, 20..40);
    std::thread::scope(|scope| {
        let database = database(&server);
        let made = scope.spawn(move || {
            let task = Task::blocking(database.manager().runtime());
            database.checkpoint(&task)
        });
        while manifests() == before {
            assert!(!made.is_finished(), "a checkpoint has a manifest");
            std::thread::yield_now();
        }
        let mut txn = server.begin(5);
        server.delete(&mut txn, &server.table(5, 2), 7).expect("it is free");
        txn.commit(&server.task, Durability::Full).expect("there is room");
        server.drop_table(5, 2).expect("it is not in use");
        test_env.sim.fs().release(OpKind::Write);
        made.join().expect("no panic").expect("the disk works");
    });
    checkpoint(&server);
    come_to(&test_env, &server, 4000, "after the next");
    let stats = database(&server).checkpoint_stats().expect("it is kept");
    assert_eq!(stats.failures, 0, "{stats:?}");
    let expected = server.rows(5, 1);
    crash(&test_env, server);
    assert_eq!(test_env.recover(&[5], 2).rows(5, 1), expected);
}

#[test]
fn identities_of_tables_that_are_gone_are_forgotten() {
    let (test_env, server) = new_test_env(5);
    let identities = |test_env: &TestEnv| {
        let mut manifests = files(test_env);
        manifests.retain(|path| path.extension().is_some_and(|e| e == "manifest"));
        let newest = manifests.iter().max().expect("there is one");
        let bytes = test_env.sim.fs().read(newest).expect("it can be read");
        let newest = Manifest::decode(&newest.clone().into(), 1005, &bytes).expect("it is whole");
        newest.identities.keys().copied().collect::<Vec<_>>()
    };
    for n in 1..4 {
        if n > 1 {
            server.create_table(5, n).expect("the disk works");
        }
        let table = server.table(5, n);
        database(&server).manager().take_identity(&server.task, &table, 1).expect("there is room");
        fill(&server, n as i64 * 10..n as i64 * 10 + 1);
    }
    checkpoint(&server);
    assert_eq!(identities(&test_env), [1001, 1002, 1003].map(StorageId));
    server.drop_table(5, 2).expect("it is not in use");
    checkpoint(&server);
    server.drop_table(5, 3).expect("it is not in use");
    database(&server).manager().log().flush(&server.task).expect("the disk works");
    crash(&test_env, server);
    let server = test_env.recover(&[5], 2);
    for id in 50..53 {
        fill(&server, id..id + 1);
        checkpoint(&server);
    }
    assert_eq!(identities(&test_env), [1001].map(StorageId));
}

/// A manifest that only says what is not needed any more comes while the log has counters after it
/// that were read already. The next has them.
#[test]
fn counters_outlive_manifests_that_are_like_the_last() {
    let (test_env, server) = new_test_env(6);
    let take = |server: &Server| {
        let (database, table) = (database(server), server.table(5, 1));
        database.manager().take_identity(&server.task, &table, 1).expect("there is room")
    };
    let mut last = 0;
    for turn in 0..12 {
        // What a table had is given up at once, and its files wait for another manifest.
        create_filled(&server, 2 + turn, 300).expect("the disk works");
        checkpoint(&server);
        server.drop_table(5, 2 + turn).expect("it is not in use");
        checkpoint(&server);
        (0..1500).for_each(|_| last = last.max(take(&server)));
        database(&server).manager().log().flush(&server.task).expect("the disk works");
        // Some turns get a manifest of their own in this time; the counters last either way.
        std::thread::sleep(std::time::Duration::from_millis(30));
    }
    checkpoint(&server);
    crash(&test_env, server);
    let next = take(&test_env.recover(&[5], 2));
    assert!(next > last, "{next} comes behind {last}");
}

/// The tables but for the catalog's, with their rows.
type Contents = BTreeMap<u64, State>;

/// Numbers of tables are below this.
const TABLES: u64 = 60;

fn contents(server: &Server) -> Contents {
    let manager = database(server).manager().clone();
    let is_there = |n: &u64| manager.tables().get(StorageId(1000 + n)).is_some();
    (1..TABLES).filter(is_there).map(|n| (n, server.rows(5, n))).collect()
}

/// One commit that makes, fills, thins out, replaces or drops a table; what there is then.
fn random_step(
    server: &Server,
    rng: &mut SplitMix,
    before: &Contents,
) -> (Contents, TxnResult<()>) {
    let mut after = before.clone();
    let fresh = before.keys().last().map_or(1, |n| n + 1);
    let nth = rng.below(before.len().max(1) as u64) as usize;
    let table = before.keys().nth(nth).copied();
    let (Some(n), false) = (table, before.len() < 2) else {
        after.insert(fresh, State::new());
        return (after, server.create_table(5, fresh).map(drop));
    };
    let rows = after.get_mut(&n).expect("it is there");
    let done = match rng.below(8) {
        0 if before.len() < 6 => {
            after.insert(fresh, State::new());
            server.create_table(5, fresh).map(drop)
        }
        // Not the last, whose number would be used again.
        1 | 2 if n + 1 < fresh => {
            after.remove(&n);
            server.drop_table(5, n)
        }
        3 | 4 => {
            let rows = after.remove(&n).expect("it is there").into_iter();
            after.insert(fresh, rows.map(|(id, [_, k, _])| (id, [id, k, fresh as i64])).collect());
            replace(server, n, fresh)
        }
        5 => {
            let mut txn = server.begin(5);
            let thinned = rows.keys().filter(|id| *id % 3 > 0).copied().collect::<Vec<_>>();
            let mut table = thinned.iter();
            let table = table.try_for_each(|id| {
                rows.remove(id);
                server.delete(&mut txn, &server.table(5, n), *id)
            });
            table.and_then(|()| txn.commit(&server.task, Durability::Full).map(drop))
        }
        _ => {
            let mut txn = server.begin(5);
            let first = rows.keys().last().map_or(0, |id| id + 1);
            let filled = (first..first + 40).try_for_each(|id| {
                rows.insert(id, [id, id, n as i64]);
                server.insert(&mut txn, &server.table(5, n), [id, id, n as i64])
            });
            filled.and_then(|()| txn.commit(&server.task, Durability::Full).map(drop))
        }
    };
    let log = database(server).manager().clone();
    (after, done.and_then(|()| Ok(log.log().flush(&server.task)?)))
}

/// This many steps, or fewer if the power fails. Returns what may be found afterwards.
fn random_steps(server: &Server, seed: u64, steps: usize, start: Contents) -> Vec<Contents> {
    let mut rng = SplitMix::new(seed);
    let mut now = start;
    let database = database(server);
    for _ in 0..steps {
        let (after, done) = random_step(server, &mut rng, &now);
        if done.is_err() {
            return vec![now, after];
        }
        now = after;
        match rng.below(6) {
            0 | 1 => drop(database.checkpoint(&server.task)),
            2 => drop(database.merge_checkpoint_files(&server.task, CommitRange::ALL)),
            3 => drop(database.collect_checkpoint_garbage(&server.task)),
            _ => {}
        }
    }
    vec![now]
}

#[test]
fn tables_are_dropped_and_pairs_are_merged_while_the_power_goes() {
    let (seed, step) = crash_seed_and_step();
    let (steps, most) = (25, 8);
    let operations = {
        let (test_env, server) = new_test_env(seed);
        let before = test_env.sim.fs().operations();
        let start = contents(&server);
        let found = random_steps(&server, seed, steps, start);
        assert_eq!([contents(&server)], *found, "nothing has failed");
        let merges = database(&server).checkpoint_stats().expect("it is kept").merges;
        assert!(merges > 0, "something was merged");
        test_env.sim.fs().operations() - before
    };
    for crash in (1..=operations).step_by(step) {
        let (test_env, server) = new_test_env(seed ^ crash);
        let start = contents(&server);
        test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + crash);
        let mut states = random_steps(&server, seed, steps, start);
        let mut server = Some(server);
        // What a recovery leaves must be recoverable too; and the power may go while files are
        // merged.
        for life in 0..3 {
            drop(server.take());
            test_env.sim.fs().power_off();
            test_env.sim.fs().power_on();
            let recovered = test_env.recover(&[5], 1 + crash as usize % 3);
            let found = contents(&recovered);
            let brief = |contents: &Contents| -> Vec<(u64, usize)> {
                contents.iter().map(|(n, rows)| (*n, rows.len())).collect()
            };
            assert!(
                states.contains(&found),
                "crash at operation {crash}, life {life}: found {:?}, not one of {:?}",
                brief(&found),
                states.iter().map(brief).collect::<Vec<_>>()
            );
            if life == 1 {
                test_env.sim.fs().power_off_at(test_env.sim.fs().operations() + 1 + crash % 40);
            }
            states = random_steps(&recovered, seed + life, most, found);
            server = Some(recovered);
        }
        let server = server.expect("it was recovered");
        if states.len() > 1 {
            continue;
        }
        for n in states[0].keys().filter(|n| **n > 1) {
            server.drop_table(5, *n).expect("it is not in use");
        }
        let rows = states[0].get(&1).map_or(0, State::len) as u64;
        checkpoint(&server);
        come_to(&test_env, &server, 4000 + 90 * rows, "in the end");
    }
}
