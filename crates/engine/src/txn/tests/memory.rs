//! Memory: limits, and that it comes back.

use super::*;
use crate::hot::reclaim::QueueStats;
use crate::hot::tally::Exhausted;

fn reclaim_all(harness: &Harness) {
    let task = harness.task();
    for _ in 0..8 {
        while harness.manager.reclaim(&task, 1 << 20) > 0 {}
    }
}

#[test]
fn memory_comes_back_after_a_mass_delete_without_load() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..5000);
    let full = table.memory();
    assert_eq!(full.rows, 5000);
    let mut client = Client::new(&harness, Isolation::Snapshot);
    client.begin();
    for id in 0..5000 {
        client.delete(&table, id).expect("no other writer");
    }
    client.commit().expect("no other writer");
    reclaim_all(&harness);
    assert_eq!(table.memory(), Default::default());
    assert!((0..3).all(|index| table.index_memory(index) < 100_000));
    let stats = harness.manager.reclaim_stats();
    assert_eq!((stats.enqueued, stats.dequeued), (5000, 5000));
    assert_eq!(table.removed_rows(), 5000);
    let queues = harness.manager.reclaim_queues();
    let sum = |count: fn(&QueueStats) -> u64| queues.iter().map(count).sum::<u64>();
    assert_eq!((sum(|queue| queue.enqueued), sum(QueueStats::depth)), (5000, 0));
    assert!(sum(|queue| queue.depth_max) >= 4900, "commits free a few");
}

#[test]
fn buckets_come_back_after_a_mass_delete_while_the_table_is_read() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..5000);
    let full: u64 = (0..3).map(|index| table.index_memory(index)).sum();
    let mut client = Client::new(&harness, Isolation::Snapshot);
    client.begin();
    for id in 0..4990 {
        client.delete(&table, id).expect("no other writer");
    }
    client.commit().expect("no other writer");
    reclaim_all(&harness);
    let task = harness.task();
    for _ in 0..100 {
        while harness.manager.shrink_indexes(&task, 100, true) == 100 {}
        reclaim_all(&harness);
    }
    let left: u64 = (0..3).map(|index| table.index_memory(index)).sum();
    assert!(left < full / 20, "{left} of {full}");
    assert_eq!(harness.manager.shrink_indexes(&task, 100, true), 0, "there is nothing more");
    fill(&harness, &table, 0..4990);
    assert_eq!(table.memory().rows, 5000);
}

#[test]
fn a_pass_frees_as_much_of_a_dropped_table_as_it_may() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..5000);
    harness.manager.drop_table(table.storage());
    let task = harness.task();
    let pass = || Some(harness.manager.reclaim(&task, 1000)).filter(|&freed| freed > 0);
    let passes: Vec<usize> = std::iter::from_fn(pass).collect();
    // A pass may exceed its budget by the entries of one leaf.
    assert!(passes.iter().all(|&freed| freed <= 1000 + 64), "{passes:?}");
    assert!(passes.iter().sum::<usize>() >= 5000, "{passes:?}");
    assert_eq!(table.memory().allocated_bytes, 0);
}

#[test]
fn a_dropped_table_outlives_what_waits_with_younger_garbage() {
    let harness = Harness::new();
    let dropped = harness.table(ConflictPolicy::FirstWriterWins);
    let other = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &dropped, 0..10);
    fill(&harness, &other, 0..10);
    let mut older = Client::new(&harness, Isolation::Snapshot);
    assert!(older.begin().get(&other, 0).is_ok());
    let mut writer = Client::new(&harness, Isolation::Snapshot);
    writer.autocommit(|c| c.delete(&dropped, 3).map(drop)).expect("no other writer");
    harness.manager.drop_table(dropped.storage());
    let mut younger = Client::new(&harness, Isolation::Snapshot);
    assert!(younger.begin().get(&other, 0).is_ok());
    writer.autocommit(|c| c.delete(&other, 3).map(drop)).expect("no other writer");
    // The horizon passes the drop, but a snapshot still needs the later half of the queued garbage.
    older.commit().expect("nothing was written");
    let task = harness.task();
    for _ in 0..4 {
        harness.manager.reclaim(&task, 4000);
    }
    assert!(dropped.memory().allocated_bytes > 0, "a row of it waits");
    younger.commit().expect("nothing was written");
    reclaim_all(&harness);
    assert_eq!(dropped.memory().allocated_bytes, 0);
    let stats = harness.manager.reclaim_stats();
    assert_eq!(stats.enqueued, stats.dequeued);
}

#[test]
fn old_versions_die_when_the_last_snapshot_that_sees_them_goes() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..1);
    let one = table.memory().allocated_bytes;
    let mut reader = Client::new(&harness, Isolation::Snapshot);
    assert_eq!(reader.begin().get(&table, 0), Ok(Some([0, 0, 0])));
    let mut writer = Client::new(&harness, Isolation::Snapshot);
    for i in 1..=100 {
        writer
            .autocommit(|c| c.update(&table, 0, |r| Some([r[0], r[1], i])).map(drop))
            .expect("no other writer");
    }
    reclaim_all(&harness);
    assert!(table.memory().allocated_bytes >= one + 100 * 32, "the reader holds them back");
    assert_eq!(reader.get(&table, 0), Ok(Some([0, 0, 0])));
    reader.commit().expect("nothing was written");
    reclaim_all(&harness);
    assert!(table.memory().allocated_bytes <= one + 48, "{:?}", table.memory());
}

#[test]
fn updates_of_a_hot_row_use_the_inline_slot_again() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..1);
    let mut writer = Client::new(&harness, Isolation::Snapshot);
    for i in 1..=1000 {
        let set = |r: Row| Some([r[0], r[1], r[2] + i]);
        // Also with rollbacks in between, and with two versions in one transaction.
        writer.begin().update(&table, 0, set).expect("no other writer");
        if i % 7 == 0 {
            writer.rollback();
        } else {
            if i % 5 == 0 {
                writer.update(&table, 0, set).expect("no other writer");
            }
            writer.commit().expect("no other writer");
        }
        harness.manager.reclaim(&harness.task(), 100);
    }
    let expected: i64 =
        (1..=1000).filter(|i| i % 7 != 0).map(|i| if i % 5 == 0 { 2 * i } else { i }).sum();
    writer.begin();
    assert_eq!(writer.get(&table, 0), Ok(Some([0, 0, expected])));
    writer.commit().expect("nothing was written");
    reclaim_all(&harness);
    assert!(table.memory().allocated_bytes < 300, "{:?}", table.memory());
}

#[test]
fn at_the_limit_inserts_fail_and_deletes_go_on() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    harness.manager.pool().set_limit(1 << 20);
    let mut client = Client::new(&harness, Isolation::Snapshot);
    client.begin();
    let full = (0..1_000_000).find_map(|i| client.insert(&table, [i, i, 0]).err());
    assert_eq!(full, Some(TxnError::OutOfMemory(Exhausted::Database)));
    client.commit().expect("no other writer");
    let rows = table.memory().rows as i64;
    assert!(rows > 1000);
    client.begin();
    assert!(client.update(&table, 5, |r| Some([r[0], r[1], 1])).is_err());
    for id in 0..rows {
        client.delete(&table, id).expect("deletes are never refused");
    }
    client.commit().expect("no other writer");
    reclaim_all(&harness);
    client.autocommit(|c| c.insert(&table, [1, 1, 1])).expect("there is room again");
}

#[test]
fn a_table_without_a_unique_key_numbers_its_rows() {
    let harness = Harness::new();
    let columns = vec![KeyColumn::ascending(2)];
    let index = IndexSpec { kind: IndexKind::Range, columns, unique: false, filter: None };
    let spec = TableSpec::new(StorageId(1), vec![INT; 3], vec![index]);
    let table = harness.manager.create_table(&spec);
    assert_eq!((table.links(), table.log_index(), table.row_number_column()), (2, 1, Some(3)));
    let mut client = Client::new(&harness, Isolation::Snapshot);
    client.begin();
    let row = |v| {
        let mut values = [v; 3].map(Value::Int).to_vec();
        values.push(Value::Int(0));
        table.layout().build_owned(&values)
    };
    for _ in 0..3 {
        client
            .statement(|txn, task, s| txn.insert(task, &table, s.snapshot(), &row(1)).map(drop))
            .expect("rows may be equal");
    }
    let numbers = client.statement(|txn, task, s| {
        let mut cursor = Cursor::new(s.snapshot(), 1, ScanRange::All, Direction::Forward);
        let mut numbers = Vec::new();
        while let Some(found) = cursor.next(txn, task, &table)? {
            numbers.push(table.row_number(txn.row(found)));
            // An update keeps the number, whatever the caller's bytes say.
            txn.update(task, s.snapshot(), found, &row(2))?;
        }
        Ok(numbers)
    });
    assert_eq!(numbers, Ok(vec![1, 2, 3]));
    let again = client.statement(|txn, task, s| {
        let mut cursor = Cursor::new(s.snapshot(), 1, ScanRange::All, Direction::Backward);
        let mut numbers = Vec::new();
        while let Some(found) = cursor.next(txn, task, &table)? {
            numbers.push(table.row_number(txn.row(found)));
        }
        Ok(numbers)
    });
    assert_eq!(again, Ok(vec![3, 2, 1]));
}
