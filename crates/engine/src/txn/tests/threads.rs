//! Transactions on real threads: what must hold whatever the interleaving.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use super::*;

const ACCOUNTS: i64 = 20;
const START: i64 = 1000;

fn bank(harness: &Harness, policy: ConflictPolicy) -> Arc<Table> {
    let table = harness.table(policy);
    let mut client = Client::new(harness, Isolation::Snapshot);
    client.begin();
    for id in 0..ACCOUNTS {
        client.insert(&table, [id, id, START]).expect("a fresh key");
    }
    client.commit().expect("no other writer");
    table
}

fn transfer(client: &mut Client<'_>, table: &Table, from: i64, to: i64) -> TxnResult<()> {
    client.begin();
    let amount = from % 7 + 1;
    let result = client
        .update(table, from, |r| Some([r[0], r[1], r[2] - amount]))
        .and_then(|a| Ok(a + client.update(table, to, |r| Some([r[0], r[1], r[2] + amount]))?));
    match result {
        Ok(count) => {
            assert_eq!(count, 2);
            client.commit()
        }
        Err(error) => {
            client.rollback();
            Err(error)
        }
    }
}

fn transfers(policy: ConflictPolicy, isolation: Isolation) {
    let harness = Harness::new();
    let table = bank(&harness, policy);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|w| {
                let (harness, table) = (&harness, &table);
                scope.spawn(move || {
                    let mut client = Client::new(harness, isolation);
                    let mut committed = 0;
                    for i in 0..400 {
                        let (from, to) = ((i * 7 + w) % ACCOUNTS, (i * 3 + w * 5 + 1) % ACCOUNTS);
                        if from != to {
                            match transfer(&mut client, table, from, to) {
                                Ok(()) => committed += 1,
                                Err(e) => assert!(e.dooms(), "{e:?}"),
                            }
                        }
                    }
                    committed
                })
            })
            .collect();
        scope.spawn(|| {
            let mut reader = Client::new(&harness, Isolation::Snapshot);
            while !done.load(SeqCst) {
                reader.begin();
                for index in [0, 1, 2] {
                    let rows = reader.select(&table, index, ScanRange::All).expect("reads succeed");
                    assert_eq!(rows.len() as i64, ACCOUNTS);
                    assert_eq!(rows.iter().map(|r| r[2]).sum::<i64>(), ACCOUNTS * START);
                }
                reader.commit().expect("nothing was written");
                harness.manager.reclaim(&reader.task, 1000);
            }
        });
        let committed: i32 = writers.into_iter().map(|w| w.join().expect("no panic")).sum();
        done.store(true, SeqCst);
        assert!(committed > 0);
    });
    harness.assert_counted();
}

#[test]
fn every_snapshot_of_a_bank_adds_up() {
    transfers(ConflictPolicy::FirstWriterWins, Isolation::Snapshot);
    transfers(ConflictPolicy::FirstWriterWins, Isolation::Serializable);
    transfers(ConflictPolicy::Wait, Isolation::ReadCommitted);
    transfers(ConflictPolicy::Wait, Isolation::Snapshot);
}

#[test]
fn increments_of_one_row_are_all_counted() {
    for policy in [ConflictPolicy::FirstWriterWins, ConflictPolicy::Wait] {
        let harness = Harness::new();
        let table = harness.table(policy);
        fill(&harness, &table, 0..1);
        let (threads, each) = (4, 200);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut client = Client::new(&harness, Isolation::ReadCommitted);
                    let mut done = 0;
                    while done < each {
                        let add = |r: Row| Some([r[0], r[1], r[2] + 1]);
                        match client.autocommit(|c| c.update(&table, 0, add).map(drop)) {
                            Ok(()) => done += 1,
                            Err(e) => assert_eq!(e, TxnError::WriteConflict),
                        }
                    }
                });
            }
        });
        let mut client = Client::new(&harness, Isolation::Snapshot);
        let row = client.begin().get(&table, 0).expect("reads succeed").expect("it is there");
        assert_eq!(row[2], threads * each);
        assert!(harness.manager.graph.waits().is_empty());
    }
}

#[test]
fn of_concurrent_inserts_of_one_key_one_succeeds() {
    for policy in [ConflictPolicy::FirstWriterWins, ConflictPolicy::Wait] {
        let harness = Harness::new();
        let table = harness.table(policy);
        let winners: i64 = thread::scope(|scope| {
            let insert = |n: i64| {
                let (harness, table) = (&harness, &table);
                move || {
                    let mut client = Client::new(harness, Isolation::ReadCommitted);
                    let mut won = 0;
                    for id in 0..300 {
                        let row = [id, id * 10 + n, n];
                        match client.autocommit(|c| c.insert(table, row)) {
                            Ok(()) => won += 1,
                            Err(TxnError::DuplicateKey { index: 0, .. }) => {}
                            Err(TxnError::Serializable) => {
                                // The other client may have failed too, so that the row is not
                                // there.
                                while !client.begin().get(table, id).is_ok_and(|r| r.is_some()) {
                                    client.rollback();
                                    if client.autocommit(|c| c.insert(table, row)).is_ok() {
                                        won += 1;
                                    }
                                }
                                client.rollback();
                            }
                            Err(other) => panic!("{other:?}"),
                        }
                    }
                    won
                }
            };
            let threads: Vec<_> = (0..3).map(|n| scope.spawn(insert(n))).collect();
            threads.into_iter().map(|t| t.join().expect("no panic")).sum()
        });
        assert_eq!(winners, 300, "{policy:?}");
        let mut client = Client::new(&harness, Isolation::Snapshot);
        assert_eq!(client.begin().all(&table).expect("reads succeed").len(), 300);
    }
}

#[test]
fn what_is_rolled_back_is_never_seen_and_takes_no_key() {
    for policy in [ConflictPolicy::FirstWriterWins, ConflictPolicy::Wait] {
        let harness = Harness::new();
        let table = harness.table(policy);
        fill(&harness, &table, 0..2);
        thread::scope(|scope| {
            for n in 0..3 {
                let (harness, table) = (&harness, &table);
                scope.spawn(move || {
                    let mut client = Client::new(harness, Isolation::ReadCommitted);
                    for i in 0..1500_i64 {
                        change_or_roll_back(&mut client, table, i + n, (i + n) % 3 == 0);
                    }
                });
            }
        });
        let mut client = Client::new(&harness, Isolation::Snapshot);
        client.begin();
        for row in client.all(&table).expect("reads succeed") {
            assert_eq!(row[2] % 2, row[0] % 2, "{row:?} was rolled back");
        }
        harness.assert_counted();
    }
}

/// Inserts, deletes or updates a row. In committed rows `v` is odd or even as `id` is, and in rows
/// that are rolled back it is not.
fn change_or_roll_back(client: &mut Client<'_>, table: &Table, i: i64, commit: bool) {
    let id = i % 4;
    let v = 2 * i + id + i64::from(!commit);
    client.begin();
    let good = |r: Row| assert_eq!((r[2] - r[0]) % 2, 0, "{r:?} was never committed");
    let result = match i % 5 {
        0 => client.delete(table, id).map(drop),
        1..=2 => client.insert(table, [id, 10 * id, v]),
        _ => client
            .update(table, id, |r| {
                good(r);
                Some([r[0], r[1], v])
            })
            .map(drop),
    };
    match result {
        Ok(()) if commit => {
            let committed = client.commit();
            assert!(committed.is_ok(), "{committed:?}");
        }
        Ok(()) => client.rollback(),
        Err(TxnError::DuplicateKey { .. }) => {
            // The owner of the key has committed it, or deleted it meanwhile.
            client.get(table, id).expect("reads succeed").into_iter().for_each(good);
            client.rollback();
        }
        Err(error) => {
            assert!(error.dooms(), "{error:?}");
            client.rollback();
        }
    }
}
