//! Locks on rows, ranges and tables: which owner waits, which goes first, which is the victim.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};
use std::thread;

use super::*;
use crate::hot::key::KeyRange;
use crate::txn::locks::{ESCALATION, Lifetime, LockMode, Locking, Patience, Reach, Target};

const RC: Isolation = Isolation::ReadCommitted;
const S: LockMode = LockMode::SHARED;
const U: LockMode = LockMode::UPDATE;
const X: LockMode = LockMode::EXCLUSIVE;

fn locking(mode: LockMode, reach: Reach) -> Locking {
    Locking { mode, reach, table: None, skip: false, no_wait: false, escalate: true }
}

const REPEATABLE: Locking = Locking {
    mode: LockMode::SHARED,
    reach: Reach::Rows,
    table: None,
    skip: false,
    no_wait: false,
    escalate: true,
};
const SERIALIZABLE: Locking = Locking { reach: Reach::Range, ..REPEATABLE };
const COMMITTED: Locking = Locking { reach: Reach::Instant, ..REPEATABLE };
/// `WITH (UPDLOCK, READPAST)`
const DEQUEUE: Locking = Locking { mode: LockMode::UPDATE, skip: true, ..REPEATABLE };

impl Client<'_> {
    /// Locks and returns the rows of a range, up to `count` of them.
    fn lock_rows(
        &mut self,
        table: &Table,
        (index, range): (usize, ScanRange),
        locking: Locking,
        count: usize,
    ) -> TxnResult<Vec<Row>> {
        self.statement(|txn, task, s| {
            let mut cursor = Cursor::new(s.snapshot(), index, range, Direction::Forward);
            let mut rows = Vec::new();
            while rows.len() < count {
                let Some(row) = cursor.next_locked(txn, task, table, &locking)? else { break };
                rows.push(values(table, txn.row(row)));
            }
            Ok(rows)
        })
    }

    fn lock_id(&mut self, table: &Table, id: i64, locking: Locking) -> TxnResult<Option<Row>> {
        let range = ScanRange::Key(key(table, 0, id));
        self.lock_rows(table, (0, range), locking, 9).map(|rows| rows.first().copied())
    }

    fn dirty(&mut self, table: &Table) -> Vec<Row> {
        let rows = self.statement(|txn, task, s| {
            let mut cursor = Cursor::new(s.snapshot(), 1, ScanRange::All, Direction::Forward);
            let mut rows = Vec::new();
            while let Some(row) = cursor.next_uncommitted(txn, task, table)? {
                rows.push(values(table, txn.row(row)));
            }
            Ok(rows)
        });
        rows.expect("the task is not interrupted")
    }

    fn impatient(&self) {
        self.session.owner().set_lock_timeout(0);
    }
}

/// The range of index 1 from one value to another, which is not in it.
fn keys(table: &Table, from: i64, to: i64) -> (usize, ScanRange) {
    (1, ScanRange::Keys(KeyRange { lower: key(table, 1, from), upper: Some(key(table, 1, to)) }))
}

fn disk_table(harness: &Harness, rows: i64) -> Arc<Table> {
    let table = harness.table(ConflictPolicy::Wait);
    fill(harness, &table, 0..rows);
    table
}

fn set(v: i64) -> impl Fn(Row) -> Option<Row> {
    move |r| Some([r[0], r[1], v])
}

fn wait_for_waiters(harness: &Harness, count: usize) {
    while harness.manager.graph.waits().len() < count {
        thread::yield_now();
    }
}

fn locks_left(harness: &Harness) -> usize {
    harness.manager.locks.list().len()
}

#[test]
fn a_row_that_was_read_repeatably_is_not_changed_before_the_reader_ends() {
    let harness = Harness::new();
    let table = disk_table(&harness, 3);
    let (mut reader, mut writer) = (Client::new(&harness, RC), Client::new(&harness, RC));
    assert_eq!(reader.begin().lock_id(&table, 1, REPEATABLE), Ok(Some([1, 10, 1])));
    writer.impatient();
    writer.begin();
    assert_eq!(writer.update(&table, 1, set(7)), Err(TxnError::LockTimeout));
    assert_eq!(writer.delete(&table, 1), Err(TxnError::LockTimeout));
    let moved = writer.update(&table, 1, |r| Some([r[0], 999, r[2]]));
    assert_eq!(moved, Err(TxnError::LockTimeout));
    assert_eq!(writer.update(&table, 2, set(7)), Ok(1), "another row");
    assert_eq!(writer.insert(&table, [50, 500, 0]), Ok(()), "rows may join");
    assert_eq!(reader.update(&table, 1, set(8)), Ok(1), "its own lock does not matter");
    reader.commit().expect("nothing is validated");
    assert_eq!(writer.update(&table, 1, set(9)), Ok(1));
    writer.commit().expect("no other writer");
    assert_eq!((locks_left(&harness), table.lock_word().is_used()), (0, false));
}

#[test]
fn a_locking_reader_waits_for_writers_and_reads_what_they_have_committed() {
    for locking in [COMMITTED, REPEATABLE, SERIALIZABLE, DEQUEUE] {
        let locking = Locking { skip: false, ..locking };
        let harness = Harness::new();
        let table = disk_table(&harness, 2);
        let mut writer = Client::new(&harness, RC);
        writer.begin().update(&table, 1, set(7)).expect("it is free");
        writer.insert(&table, [5, 50, 5]).expect("a fresh key");
        writer.delete(&table, 0).expect("it is free");
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut reader = Client::new(&harness, RC);
                let rows = reader.begin().lock_rows(&table, (1, ScanRange::All), locking, 9);
                reader.commit().map(|()| rows)
            });
            wait_for_waiters(&harness, 1);
            writer.commit().expect("no other writer");
            let rows = reader.join().expect("no panic").expect("nothing is validated");
            let expected = vec![[1, 10, 7], [5, 50, 5]];
            assert_eq!(rows, Ok(expected), "{locking:?}");
        });
        assert_eq!(locks_left(&harness), 0);
    }
}

#[test]
fn nothing_joins_or_leaves_a_range_that_was_read_serializably() {
    let harness = Harness::new();
    let table = disk_table(&harness, 6);
    let (mut reader, mut writer) = (Client::new(&harness, RC), Client::new(&harness, RC));
    let rows = reader.begin().lock_rows(&table, keys(&table, 15, 35), SERIALIZABLE, 9);
    assert_eq!(rows, Ok(vec![[2, 20, 2], [3, 30, 0]]));
    writer.impatient();
    writer.begin();
    let refused = Err(TxnError::LockTimeout);
    assert_eq!(writer.insert(&table, [60, 25, 0]), refused);
    assert_eq!(writer.insert(&table, [60, 15, 0]), refused);
    assert_eq!(writer.insert(&table, [60, 35, 0]), Ok(()), "the end is not part of it");
    assert_eq!(writer.update(&table, 5, |r| Some([r[0], 22, 0])), Err(TxnError::LockTimeout));
    assert_eq!(writer.update(&table, 2, set(9)), Err(TxnError::LockTimeout));
    assert_eq!(writer.update(&table, 4, set(9)), Ok(1));
    assert_eq!(writer.lock_id(&table, 2, locking(X, Reach::Rows)), Err(TxnError::LockTimeout));
    assert_eq!(writer.lock_id(&table, 2, locking(U, Reach::Rows)), Ok(Some([2, 20, 2])));
    writer.rollback();
    let again = reader.lock_rows(&table, keys(&table, 15, 35), SERIALIZABLE, 9);
    assert_eq!(again.map(|rows| rows.len()), Ok(2));
    assert_eq!(reader.insert(&table, [60, 25, 0]), Ok(()), "its own range");
    reader.commit().expect("nothing is validated");
    assert_eq!((locks_left(&harness), table.lock_word().is_used()), (0, false));
}

#[test]
fn a_range_does_not_hinder_those_that_it_waits_for() {
    let harness = Harness::new();
    let table = disk_table(&harness, 3);
    let mut writer = Client::new(&harness, RC);
    writer.begin().insert(&table, [10, 100, 0]).expect("a fresh key");
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reader = Client::new(&harness, RC);
            let rows = reader.begin().lock_rows(&table, (1, ScanRange::All), SERIALIZABLE, 99);
            reader.commit().map(|()| rows.map(|rows| rows.len()))
        });
        wait_for_waiters(&harness, 1);
        for id in 11..15 {
            assert_eq!(writer.insert(&table, [id, 10 * id, 0]), Ok(()));
        }
        assert_eq!(writer.update(&table, 1, set(5)), Ok(1));
        let mut late = Client::new(&harness, RC);
        late.impatient();
        assert_eq!(late.begin().insert(&table, [77, 770, 0]), Err(TxnError::LockTimeout));
        late.rollback();
        writer.commit().expect("no deadlock");
        assert_eq!(reader.join().expect("no panic"), Ok(Ok(8)));
    });
}

#[test]
fn a_key_that_is_not_there_is_inserted_by_one_of_two() {
    // UPDATE … WITH (UPDLOCK, HOLDLOCK), and INSERT if there was no such row.
    let harness = Harness::new();
    let table = disk_table(&harness, 0);
    let inserted = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = Client::new(&harness, RC);
                for id in 0..40 {
                    client.begin();
                    match client.lock_id(&table, id, locking(U, Reach::Range)).expect("no deadlock")
                    {
                        None => {
                            client.insert(&table, [id, 10 * id, 1]).expect("no other client could");
                            inserted.fetch_add(1, SeqCst);
                        }
                        Some(row) => {
                            let add = |r: Row| Some([r[0], r[1], r[2] + 1]);
                            assert_eq!(client.update(&table, row[0], add), Ok(1));
                        }
                    }
                    client.commit().expect("nothing is validated");
                }
            });
        }
    });
    assert_eq!(inserted.load(SeqCst), 40);
    let rows = Client::new(&harness, RC).begin().all(&table).expect("read");
    assert!(rows.iter().all(|row| row[2] == 4), "{rows:?}");
    assert_eq!(locks_left(&harness), 0);
}

#[test]
fn no_row_of_a_queue_is_handed_out_twice() {
    let harness = Harness::new();
    let table = disk_table(&harness, 300);
    let (taken, sum) = (AtomicUsize::new(0), AtomicI64::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = Client::new(&harness, RC);
                for attempt in 1.. {
                    client.begin();
                    let all = (1, ScanRange::All);
                    let rows = client.lock_rows(&table, all, DEQUEUE, 1).expect("no client waits");
                    let Some(row) = rows.first() else { break };
                    assert_eq!(client.delete(&table, row[0]), Ok(1));
                    // Some transactions roll back and return the row, but not every time: it may be
                    // the last one.
                    match attempt % 7 {
                        0 => client.rollback(),
                        _ => {
                            client.commit().expect("nothing is validated");
                            taken.fetch_add(1, SeqCst);
                            sum.fetch_add(row[0], SeqCst);
                        }
                    }
                }
                client.commit().expect("nothing was written");
            });
        }
    });
    let left = Client::new(&harness, RC).begin().all(&table).expect("read");
    let rest: i64 = left.iter().map(|row| row[0]).sum();
    assert_eq!(taken.load(SeqCst) + left.len(), 300);
    assert_eq!(sum.load(SeqCst) + rest, 299 * 300 / 2);
    assert_eq!((locks_left(&harness), table.lock_word().is_used()), (0, false));
}

/// The stamp of a deletion was that of the mark of rows that have sunk: a reader that had found the
/// row before looked for it for ever.
#[test]
fn a_row_that_the_second_commit_has_deleted_is_gone() {
    let harness = Harness::new();
    let table = disk_table(&harness, 3);
    let [mut reader, mut writer] = [(); 2].map(|()| Client::new(&harness, RC));
    let found = reader.begin().statement(|txn, task, s| {
        let mut cursor = Cursor::new(s.snapshot(), 1, ScanRange::All, Direction::Forward);
        // The cursor finds all three at once.
        let first = cursor.next_locked(txn, task, &table, &DEQUEUE)?.expect("there are three");
        let last = if values(&table, txn.row(first))[0] == 2 { 1 } else { 2 };
        writer.autocommit(|w| w.delete(&table, last).map(drop))?;
        let mut found = 1;
        while cursor.next_locked(txn, task, &table, &DEQUEUE)?.is_some() {
            found += 1;
        }
        Ok(found)
    });
    assert_eq!(found, Ok(2));
    reader.rollback();
}

#[test]
fn two_readers_that_want_to_write_are_a_deadlock_and_update_locks_prevent_it() {
    for (mode, victims) in [(S, 1), (U, 0)] {
        let harness = Harness::new();
        let table = disk_table(&harness, 1);
        let (failed, both) = (AtomicUsize::new(0), std::sync::Barrier::new(2));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut client = Client::new(&harness, RC);
                    client.begin().lock_id(&table, 0, locking(mode, Reach::Rows)).expect("read");
                    if mode == S {
                        both.wait();
                    }
                    match client.update(&table, 0, |r| Some([r[0], r[1], r[2] + 1])) {
                        Ok(count) => {
                            assert_eq!(count, 1);
                            client.commit().expect("it has the row");
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
        assert_eq!(failed.load(SeqCst), victims, "{mode:?}");
        let row = Client::new(&harness, RC).begin().get(&table, 0);
        assert_eq!(row, Ok(Some([0, 0, 2 - victims as i64])));
        assert_eq!(locks_left(&harness), 0);
    }
}

#[test]
fn a_writer_that_waits_is_not_overtaken_by_readers() {
    let harness = Harness::new();
    let table = disk_table(&harness, 1);
    let mut first = Client::new(&harness, RC);
    first.begin().lock_id(&table, 0, REPEATABLE).expect("read");
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut writer = Client::new(&harness, RC);
            writer.autocommit(|c| c.update(&table, 0, set(5)).map(drop))
        });
        wait_for_waiters(&harness, 1);
        let mut late = Client::new(&harness, RC);
        late.impatient();
        let refused = late.begin().lock_id(&table, 0, REPEATABLE);
        assert_eq!(refused, Err(TxnError::LockTimeout));
        late.rollback();
        assert_eq!(first.lock_id(&table, 0, REPEATABLE), Ok(Some([0, 0, 0])), "it has it already");
        first.commit().expect("nothing was written");
        assert_eq!(writer.join().expect("no panic"), Ok(()));
        let read = Client::new(&harness, RC).begin().lock_id(&table, 0, REPEATABLE);
        assert_eq!(read, Ok(Some([0, 0, 5])));
    });
}

/// Readers of a range overtook a writer that waited to put a row there, which could wait for ever.
#[test]
fn a_writer_that_waits_for_a_range_is_not_overtaken_by_readers_of_it() {
    let harness = Harness::new();
    let table = disk_table(&harness, 3);
    let mut first = Client::new(&harness, RC);
    first.begin().lock_rows(&table, keys(&table, 0, 100), SERIALIZABLE, 9).expect("it is free");
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut writer = Client::new(&harness, RC);
            let inserted = writer.begin().insert(&table, [50, 50, 0]);
            writer.commit().map(|()| inserted)
        });
        wait_for_waiters(&harness, 1);
        let mut late = Client::new(&harness, RC);
        late.impatient();
        let refused = late.begin().lock_rows(&table, keys(&table, 40, 60), SERIALIZABLE, 9);
        assert_eq!(refused, Err(TxnError::LockTimeout));
        let elsewhere = late.lock_rows(&table, keys(&table, 200, 300), SERIALIZABLE, 9);
        assert_eq!(elsewhere, Ok(Vec::new()), "another range");
        // The owner that the writer waits for may go on in its range.
        let again = first.lock_rows(&table, keys(&table, 0, 200), SERIALIZABLE, 9);
        assert!(again.is_ok(), "{again:?}");
        first.commit().expect("nothing is validated");
        assert_eq!(writer.join().expect("no panic"), Ok(Ok(())));
    });
}

#[test]
fn a_table_lock_waits_for_writers_and_keeps_others_out() {
    let harness = Harness::new();
    let table = disk_table(&harness, 3);
    let lock = |client: &mut Client<'_>, mode, patience| {
        client.statement(|txn, task, _| {
            txn.lock_table(task, &table, mode, Lifetime::Transaction, patience)
        })
    };
    let (written, refused) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
    let mut locker = Client::new(&harness, RC);
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut writer = Client::new(&harness, RC);
            writer.begin().update(&table, 0, set(9)).expect("it is free");
            written.wait();
            refused.wait();
            wait_for_waiters(&harness, 1);
            writer.commit()
        });
        written.wait();
        locker.begin();
        assert_eq!(lock(&mut locker, X, Patience::None), Err(TxnError::LockTimeout));
        refused.wait();
        assert_eq!(lock(&mut locker, X, Patience::Session), Ok(()));
        assert_eq!(writer.join().expect("no panic"), Ok(()));
    });
    let mut other = Client::new(&harness, RC);
    other.impatient();
    other.begin();
    assert_eq!(other.update(&table, 1, set(9)), Err(TxnError::LockTimeout));
    assert_eq!(other.insert(&table, [9, 90, 0]), Err(TxnError::LockTimeout));
    assert_eq!(other.lock_id(&table, 1, COMMITTED), Err(TxnError::LockTimeout));
    assert_eq!(other.get(&table, 1), Ok(Some([1, 10, 1])), "versions need no lock");
    assert_eq!(locker.update(&table, 1, set(4)), Ok(1));
    locker.commit().expect("no other writer");
    assert_eq!(other.update(&table, 1, set(9)), Ok(1));
    other.commit().expect("no other writer");
    assert_eq!((locks_left(&harness), table.lock_word().is_used()), (0, false));
}

#[test]
fn a_writer_goes_on_while_a_table_lock_waits_for_it() {
    let harness = Harness::new();
    let table = disk_table(&harness, 3);
    let mut writer = Client::new(&harness, RC);
    writer.begin().update(&table, 0, set(9)).expect("it is free");
    thread::scope(|scope| {
        let locker = scope.spawn(|| {
            let mut locker = Client::new(&harness, RC);
            locker.begin();
            let locked = locker.statement(|txn, task, _| {
                txn.lock_table(task, &table, X, Lifetime::Transaction, Patience::Session)
            });
            locker.commit().map(|()| locked)
        });
        wait_for_waiters(&harness, 1);
        assert_eq!(writer.update(&table, 1, set(9)), Ok(1));
        assert_eq!(writer.insert(&table, [9, 90, 0]), Ok(()));
        let mut late = Client::new(&harness, RC);
        late.impatient();
        assert_eq!(late.begin().update(&table, 2, set(1)), Err(TxnError::LockTimeout));
        late.rollback();
        writer.commit().expect("no deadlock");
        assert_eq!(locker.join().expect("no panic"), Ok(Ok(())));
    });
    assert_eq!((locks_left(&harness), table.lock_word().is_used()), (0, false));
}

#[test]
fn many_locks_become_one_on_the_table_unless_another_owner_is_in_the_way() {
    let rows = ESCALATION as i64 + 100;
    let count = |harness: &Harness| {
        let locks = harness.manager.locks.list();
        let whole = locks.iter().find(|(_, lock)| lock.target == Target::Whole);
        (locks.len(), whole.map(|(_, lock)| lock.mode.name()))
    };
    let harness = Harness::new();
    let table = disk_table(&harness, rows);
    let mut reader = Client::new(&harness, RC);
    let all = || (1, ScanRange::All);
    reader.begin().lock_rows(&table, all(), REPEATABLE, usize::MAX).expect("read");
    assert_eq!(count(&harness), (1, Some("S")));
    reader.rollback();
    let keep = Locking { escalate: false, ..REPEATABLE };
    reader.begin().lock_rows(&table, all(), keep, usize::MAX).expect("read");
    assert_eq!(count(&harness), (rows as usize + 1, Some("IS")));
    reader.rollback();
    let mut writer = Client::new(&harness, RC);
    writer.begin().insert(&table, [-1, -1, 0]).expect("a fresh key");
    let skip = Locking { skip: true, mode: U, ..REPEATABLE };
    reader.begin().lock_rows(&table, all(), skip, usize::MAX).expect("read");
    assert_eq!(count(&harness), (rows as usize + 1, Some("IX")));
    writer.rollback();
    reader.rollback();
    assert_eq!(locks_left(&harness), 0);
}

#[test]
fn locks_are_charged_and_refused_without_memory() {
    let harness = Harness::new();
    let table = disk_table(&harness, 10);
    let before = harness.manager.pool().total();
    let mut reader = Client::new(&harness, RC);
    reader.begin().lock_rows(&table, (1, ScanRange::All), REPEATABLE, 9).expect("read");
    assert!(harness.manager.pool().total() >= before + 9 * 64);
    harness.manager.pool().set_limit(1);
    let refused = reader.lock_id(&table, 9, REPEATABLE);
    assert_eq!(refused, Err(TxnError::OutOfLocks));
    reader.rollback();
    assert_eq!(harness.manager.pool().total(), before);
}

#[test]
fn uncommitted_rows_are_shown_to_dirty_reads() {
    let harness = Harness::new();
    let table = disk_table(&harness, 4);
    let (mut writer, mut reader) = (Client::new(&harness, RC), Client::new(&harness, RC));
    writer.begin().update(&table, 1, set(77)).expect("it is free");
    writer.delete(&table, 2).expect("it is free");
    writer.insert(&table, [8, 80, 8]).expect("a fresh key");
    reader.begin();
    let dirty = vec![[0, 0, 0], [1, 10, 77], [3, 30, 0], [8, 80, 8]];
    assert_eq!(reader.dirty(&table), dirty);
    writer.rollback();
    assert_eq!(reader.dirty(&table), vec![[0, 0, 0], [1, 10, 1], [2, 20, 2], [3, 30, 0]]);
}

#[test]
fn transfers_at_locking_levels_keep_the_sum() {
    // Random transfers between accounts; each reader that adds all of them up finds the same sum.
    const ACCOUNTS: i64 = 8;
    for (reach, seed) in [(Reach::Rows, 11), (Reach::Range, 12)] {
        let harness = Harness::new();
        let table = disk_table(&harness, ACCOUNTS);
        let total: i64 = (0..ACCOUNTS).map(|i| i % 3).sum();
        thread::scope(|scope| {
            for n in 0..3_u64 {
                let (harness, table) = (&harness, &table);
                scope.spawn(move || {
                    let mut client = Client::new(harness, RC);
                    let mut rng = base_rng(seed + n);
                    for _ in 0..150 {
                        let outcome = match n {
                            0 => check_sum(&mut client, table, reach, total),
                            _ => transfer(&mut client, table, reach, &mut rng),
                        };
                        match outcome {
                            Ok(()) => client.commit().expect("nothing is validated"),
                            Err(error) => {
                                assert_eq!(error, TxnError::Deadlock);
                                client.rollback();
                            }
                        }
                    }
                });
            }
        });
        let rows = Client::new(&harness, RC).begin().all(&table).expect("read");
        assert_eq!(rows.iter().map(|row| row[2]).sum::<i64>(), total);
        assert_eq!((locks_left(&harness), table.lock_word().is_used()), (0, false));
        assert!(harness.manager.graph.waits().is_empty());
    }
}

/// A generator of random numbers, the same ones for each seed.
fn base_rng(seed: u64) -> impl FnMut(i64) -> i64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as i64
    }
}

fn check_sum(client: &mut Client<'_>, table: &Table, reach: Reach, total: i64) -> TxnResult<()> {
    client.begin();
    let all = || (1, ScanRange::All);
    let read = locking(S, reach);
    let first = client.lock_rows(table, all(), read, usize::MAX)?;
    let second = client.lock_rows(table, all(), read, usize::MAX)?;
    assert_eq!(first, second, "reads are repeatable");
    assert_eq!(first.iter().map(|row| row[2]).sum::<i64>(), total);
    Ok(())
}

fn transfer(
    client: &mut Client<'_>,
    table: &Table,
    reach: Reach,
    rng: &mut impl FnMut(i64) -> i64,
) -> TxnResult<()> {
    client.begin();
    let (from, to, amount) = (rng(8), rng(8), rng(100));
    for (id, change) in [(from, -amount), (to, amount)] {
        let mode = if rng(2) == 0 { S } else { U };
        let row = client.lock_id(table, id, locking(mode, reach))?.expect("accounts stay");
        let changed = client.update(table, id, set(row[2] + change))?;
        assert_eq!(changed, 1);
    }
    Ok(())
}
