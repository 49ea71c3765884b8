//! What writers do when they meet: fail, wait, go on.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use super::*;

const FWW: ConflictPolicy = ConflictPolicy::FirstWriterWins;
const WAIT: ConflictPolicy = ConflictPolicy::Wait;
const RC: Isolation = Isolation::ReadCommitted;
const SNAPSHOT: Isolation = Isolation::Snapshot;

fn duplicate(result: TxnResult<()>) -> Option<usize> {
    match result {
        Err(TxnError::DuplicateKey { index, .. }) => Some(index),
        _ => None,
    }
}

#[test]
fn the_second_writer_of_a_memory_optimized_row_fails_at_once() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..2);
    let (mut a, mut b) = (Client::new(&harness, SNAPSHOT), Client::new(&harness, SNAPSHOT));
    a.begin().update(&table, 0, |r| Some([r[0], r[1], 9])).expect("the first");
    b.begin();
    assert_eq!(b.update(&table, 0, |r| Some([r[0], r[1], 8])), Err(TxnError::WriteConflict));
    assert_eq!(b.delete(&table, 0), Err(TxnError::WriteConflict));
    b.rollback();
    a.commit().expect("no other writer");
    let retried = b.autocommit(|c| c.update(&table, 0, |r| Some([r[0], r[1], 8])).map(drop));
    assert_eq!(retried, Ok(()), "a retry succeeds");
    assert_eq!(table.counters().write_conflicts(), 2);
}

#[test]
fn a_unique_key_is_taken_by_live_rows_and_by_uncommitted_ones() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..3);
    let (mut a, mut b) = (Client::new(&harness, SNAPSHOT), Client::new(&harness, SNAPSHOT));
    a.begin();
    assert_eq!(duplicate(a.insert(&table, [1, 500, 0])), Some(0));
    assert_eq!(duplicate(a.insert(&table, [500, 10, 0])), Some(1));
    a.insert(&table, [7, 70, 0]).expect("a fresh key");
    assert_eq!(duplicate(a.insert(&table, [7, 71, 0])), Some(0), "its own row counts");
    b.begin();
    assert_eq!(b.insert(&table, [7, 71, 0]), Err(TxnError::Serializable));
    b.rollback();
    b.begin().all(&table).expect("read");
    a.commit().expect("no other writer");
    assert_eq!(b.insert(&table, [7, 71, 0]), Err(TxnError::Serializable), "after the snapshot");
    b.rollback();
    assert_eq!(duplicate(b.autocommit(|c| c.insert(&table, [7, 71, 0]))), Some(0));
}

#[test]
fn a_deleted_key_can_be_inserted_again() {
    for policy in [FWW, WAIT] {
        let harness = Harness::new();
        let table = harness.table(policy);
        fill(&harness, &table, 0..3);
        let mut a = Client::new(&harness, SNAPSHOT);
        a.begin().delete(&table, 1).expect("it is free");
        a.insert(&table, [1, 10, 5]).expect("its key is free");
        assert_eq!(a.get(&table, 1), Ok(Some([1, 10, 5])));
        a.commit().expect("no other writer");
        for _ in 0..3 {
            a.autocommit(|c| c.delete(&table, 1).map(drop)).expect("it is free");
            a.autocommit(|c| c.insert(&table, [1, 10, 6])).expect("its key is free");
        }
        a.begin();
        assert_eq!(a.get(&table, 1), Ok(Some([1, 10, 6])));
    }
}

#[test]
fn a_failed_statement_leaves_nothing_behind() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..3);
    let mut a = Client::new(&harness, SNAPSHOT);
    a.begin().update(&table, 0, |r| Some([r[0], r[1], 77])).expect("it is free");
    let before = a.all(&table).expect("read");
    let failed = a.statement(|txn, task, s| {
        for id in [20, 21, 0] {
            let row = bytes(&table, [id, id * 10, 0]);
            txn.insert(task, &table, s.snapshot(), &row)?;
        }
        Ok(())
    });
    assert_eq!(duplicate(failed), Some(0));
    // An update that changes a key and fails leaves the old row.
    assert!(a.update(&table, 1, |r| Some([2, r[1], r[2]])).is_err());
    assert_eq!(a.all(&table), Ok(before));
    a.commit().expect("no other writer");
}

#[test]
fn savepoints_undo_in_reverse() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..3);
    let mut a = Client::new(&harness, SNAPSHOT);
    a.begin();
    let (task, mut states) = (harness.task(), Vec::new());
    for step in 0..6 {
        states.push((a.txn.as_ref().expect("begun").savepoint(), a.all(&table).expect("read")));
        match step {
            0 => a.update(&table, 0, |r| Some([r[0], r[1], 50])).map(drop).expect("free"),
            1 => a.update(&table, 0, |r| Some([r[0], r[1] + 1, 51])).map(drop).expect("free"),
            2 => a.delete(&table, 0).map(drop).expect("free"),
            3 => a.insert(&table, [0, 0, 52]).expect("free"),
            4 => a.update(&table, 2, |r| Some([r[0], r[1], 53])).map(drop).expect("free"),
            _ => a.delete(&table, 2).map(drop).expect("free"),
        }
    }
    for (savepoint, state) in states.into_iter().rev() {
        a.txn.as_mut().expect("begun").roll_back(&task, savepoint);
        assert_eq!(a.all(&table), Ok(state));
    }
    a.commit().expect("nothing is left");
    assert_eq!(table.memory().rows, 3);
}

#[test]
fn under_read_committed_the_second_writer_waits_and_goes_on_with_the_newest() {
    let harness = Harness::new();
    let table = harness.table(WAIT);
    fill(&harness, &table, 0..1);
    let mut a = Client::new(&harness, RC);
    a.begin().update(&table, 0, |r| Some([r[0], r[1], 100])).expect("the first");
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let mut b = Client::new(&harness, RC);
            b.autocommit(|c| c.update(&table, 0, |r| Some([r[0], r[1], r[2] + 1])).map(drop))
        });
        while harness.manager.graph.waits().is_empty() {
            thread::yield_now();
        }
        a.commit().expect("no other writer");
        assert_eq!(waiter.join().expect("no panic"), Ok(()));
    });
    a.begin();
    assert_eq!(a.get(&table, 0), Ok(Some([0, 0, 101])));
}

#[test]
fn a_waiter_finds_the_row_gone_or_its_predicate_false() {
    let harness = Harness::new();
    let table = harness.table(WAIT);
    fill(&harness, &table, 0..2);
    let mut a = Client::new(&harness, RC);
    a.begin().delete(&table, 0).expect("the first");
    a.update(&table, 1, |r| Some([r[0], r[1], 100])).expect("the first");
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let mut b = Client::new(&harness, RC);
            b.begin();
            let gone = b.delete(&table, 0);
            let other = b.update(&table, 1, |r| (r[2] == 1).then_some([r[0], r[1], 7]));
            b.commit().map(|()| (gone, other))
        });
        while harness.manager.graph.waits().is_empty() {
            thread::yield_now();
        }
        a.commit().expect("no other writer");
        assert_eq!(waiter.join().expect("no panic"), Ok((Ok(0), Ok(0))));
    });
}

#[test]
fn an_insert_waits_for_the_fate_of_its_key() {
    for commit in [true, false] {
        let harness = Harness::new();
        let table = harness.table(WAIT);
        let mut a = Client::new(&harness, RC);
        a.begin().insert(&table, [1, 10, 0]).expect("a fresh key");
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let mut b = Client::new(&harness, RC);
                b.autocommit(|c| c.insert(&table, [2, 10, 0]))
            });
            while harness.manager.graph.waits().is_empty() {
                thread::yield_now();
            }
            if commit {
                a.commit().expect("no other writer")
            } else {
                a.rollback()
            }
            let result = waiter.join().expect("no panic");
            if commit {
                assert_eq!(duplicate(result), Some(1));
            } else {
                assert_eq!(result, Ok(()));
            }
        });
    }
}

#[test]
fn a_deadlock_costs_the_cheaper_transaction() {
    let harness = Harness::new();
    let table = harness.table(WAIT);
    fill(&harness, &table, 0..2);
    let (failed, both) = (AtomicUsize::new(0), Barrier::new(2));
    thread::scope(|scope| {
        for (first, second) in [(0, 1), (1, 0)] {
            let (harness, table, failed, both) = (&harness, &table, &failed, &both);
            scope.spawn(move || {
                let mut client = Client::new(harness, RC);
                client.begin();
                let set = |r: Row| Some([r[0], r[1], 100 + first]);
                client.update(table, first, set).expect("it is free");
                both.wait();
                match client.update(table, second, set) {
                    Ok(count) => {
                        assert_eq!(count, 1);
                        client.commit().expect("it has both rows");
                    }
                    Err(error) => {
                        assert_eq!(error, TxnError::Deadlock);
                        failed.fetch_add(1, SeqCst);
                        client.rollback();
                    }
                }
            });
        }
    });
    assert_eq!(failed.load(SeqCst), 1, "one victim is enough");
    assert!(harness.manager.graph.waits().is_empty());
}

#[test]
fn a_lock_timeout_ends_the_wait() {
    let harness = Harness::new();
    let table = harness.table(WAIT);
    fill(&harness, &table, 0..1);
    let (mut a, mut b) = (Client::new(&harness, RC), Client::new(&harness, RC));
    a.begin().delete(&table, 0).expect("the first");
    for milliseconds in [0, 20] {
        b.session.owner().set_lock_timeout(milliseconds);
        b.begin();
        assert_eq!(b.delete(&table, 0), Err(TxnError::LockTimeout));
        b.rollback();
    }
}

#[test]
fn ddl_waits_for_those_inside_and_keeps_others_out() {
    let harness = Harness::new();
    let table = harness.table(FWW);
    fill(&harness, &table, 0..1);
    let mut reader = Client::new(&harness, SNAPSHOT);
    reader.begin().all(&table).expect("read");
    thread::scope(|scope| {
        let ddl = scope.spawn(|| {
            let mut ddl = Client::new(&harness, SNAPSHOT);
            ddl.begin();
            let (txn, task) = (ddl.txn.as_mut().expect("begun"), &ddl.task);
            txn.close_gate(task, &table).expect("the reader leaves");
            table.gate().retire();
            harness.manager.drop_table(table.storage());
            ddl.commit().expect("nothing was written");
        });
        while harness.manager.graph.waits().is_empty() {
            thread::yield_now();
        }
        assert_eq!(reader.get(&table, 0), Ok(Some([0, 0, 0])), "it is inside already");
        let mut late = Client::new(&harness, SNAPSHOT);
        late.session.owner().set_lock_timeout(0);
        assert_eq!(late.begin().all(&table), Err(TxnError::LockTimeout));
        reader.commit().expect("nothing was written");
        ddl.join().expect("no panic");
        let changed = Err(TxnError::TableChanged { storage: table.storage() });
        assert_eq!(late.all(&table), changed);
    });
    drop(reader);
    for _ in 0..4 {
        harness.manager.reclaim(&harness.task(), 100);
    }
    assert_eq!(harness.manager.reclaim_stats().tables, 1);
    assert_eq!(table.memory().allocated_bytes, 0);
}

#[test]
fn a_commit_that_fails_says_in_which_database() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::Wait);
    let mut client = Client::new(&harness, Isolation::ReadCommitted);
    client.begin();
    client.insert(&table, [1, 1, 1]).unwrap();
    let mut part = client.txn.take().unwrap();
    part.before_commit(|_, _| Err(TxnError::Page(PageFault::NoMemory)));
    let mut group = TransactionGroup::new();
    group.add(part);
    let failed = group.commit(&client.task, Durability::Full).unwrap_err();
    assert_eq!(failed.database, DbId(5));
    assert!(matches!(failed.error, TxnError::Page(PageFault::NoMemory)), "{failed:?}");
    client.begin();
    assert_eq!(client.all(&table), Ok(Vec::new()), "it was rolled back");
}
