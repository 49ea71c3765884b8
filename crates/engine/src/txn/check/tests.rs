//! Checks of tables that are whole, and of damaged ones.

use std::sync::Arc;

use base::{SqlType, Value};

use super::*;
use crate::cold::Edit;
use crate::cold::tree::{Action, Change};
use crate::hot::cursor::Wanted;
use crate::hot::index::InsertCheck;
use crate::hot::table::{ConflictPolicy, IndexKind};
use crate::hot::visibility::Isolation;
use crate::txn::tests::sunk::SinkHarness;
use crate::txn::tests::{Client, Harness, Row, fill, key};

fn check(harness: &Harness, table: &Table) -> TableCheck {
    let mut client = Client::new(harness, Isolation::ReadCommitted);
    client.begin();
    let checked = client.statement(|txn, task, s| txn.check_table(task, table, s.snapshot()));
    client.rollback();
    checked.expect("the task is not interrupted")
}

fn faults(harness: &Harness, table: &Table) -> Vec<TableFault> {
    check(harness, table).faults
}

/// Calls `act` with the anchor and the bytes of the first row of index 0.
fn with_a_row(
    harness: &Harness,
    table: &Table,
    act: impl Fn(&Task, crate::hot::anchor::AnchorPtr, &[u8]),
) {
    let mut client = Client::new(harness, Isolation::ReadCommitted);
    client.begin();
    let done = client.statement(|txn, task, s| {
        let mut rows = all_of(s.snapshot(), 0);
        let row = rows.next(txn, task, table)?.expect("a row is there");
        act(task, row.at().anchor, txn.row(row));
        Ok(())
    });
    done.expect("the task is not interrupted");
    client.rollback();
}

#[test]
fn a_table_that_changes_is_whole() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..300);
    let mut writer = Client::new(&harness, Isolation::Snapshot);
    writer.begin();
    for id in 0..100 {
        writer.update(&table, id, |[id, k, v]| Some([id, k, v + 7])).unwrap();
        writer.delete(&table, 100 + id).unwrap();
    }
    let found = check(&harness, &table);
    assert_eq!((found.rows, found.fault_count), (300, 0), "{found:?}");
    writer.commit().unwrap();
    let found = check(&harness, &table);
    assert_eq!((found.rows, found.fault_count), (200, 0), "{found:?}");
}

#[test]
fn a_row_that_an_index_lost_is_missing() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..50);
    with_a_row(&harness, &table, |task, anchor, row| {
        // SAFETY: the row is linked once, and no other thread uses the table.
        unsafe { table.index_at(2).remove(&task.pin(), anchor, row) };
    });
    assert_eq!(faults(&harness, &table), [TableFault::Missing { index: 2 }]);
    // The row is linked again, since dropping the table unlinks it from each index.
    with_a_row(&harness, &table, |task, anchor, row| {
        let mut admit = |_| InsertCheck::Allow;
        // SAFETY: the row was unlinked above.
        unsafe { table.index_at(2).insert(&task.pin(), anchor, row, &mut admit) };
    });
    assert_eq!(faults(&harness, &table), []);
}

#[test]
fn a_row_that_only_one_index_has_is_extra() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..50);
    assert_eq!(table.log_index(), 0);
    let kept = std::cell::Cell::new(None);
    with_a_row(&harness, &table, |task, anchor, row| {
        kept.set(Some((anchor, row.to_vec())));
        // SAFETY: as above.
        unsafe { table.index_at(0).remove(&task.pin(), anchor, row) };
    });
    let extra = [1, 2].map(|index| TableFault::Extra { index });
    assert_eq!(faults(&harness, &table), extra);
    let (anchor, row) = kept.take().unwrap();
    let task = harness.task();
    // SAFETY: as above.
    unsafe { table.index_at(0).insert(&task.pin(), anchor, &row, &mut |_| InsertCheck::Allow) };
    assert_eq!(faults(&harness, &table), []);
}

#[test]
fn bytes_that_are_no_row_are_faults() {
    let types = [SqlType::decimal(5, 0), SqlType::bit(), SqlType::varbinary(4), SqlType::date()];
    let layout = RowLayout::new(&types);
    let values = |number, bit, bytes: &[u8], days| {
        [Value::Decimal(number), Value::Int(bit), Value::Bytes(bytes.into()), Value::Date(days)]
    };
    let fault = |values: &[Value]| fault_of(&layout, &layout.build_owned(values));
    assert_eq!(fault(&values(99_999, 1, b"abcd", DAY_MAX)), None);
    let wrong = |column| Some(TableFault::Value { column });
    assert_eq!(fault(&values(100_000, 1, b"", 0)), wrong(0));
    assert_eq!(fault(&values(1, 2, b"", 0)), wrong(1));
    assert_eq!(fault(&values(1, 1, b"abcde", 0)), wrong(2));
    assert_eq!(fault(&values(1, 1, b"", -1)), wrong(3));
    assert_eq!(fault(&[const { Value::Null }; 4]), None);
    let mut row = layout.build_owned(&values(1, 1, b"abcd", 0));
    let at = layout.offsets_at() as usize;
    row[at] = 5;
    assert_eq!(fault_of(&layout, &row), Some(TableFault::Offsets { column: 2 }));
}

/// A table all of whose rows have sunk: ids, as many different second keys, and two values of the
/// third column.
fn sunk(rows: i64) -> (SinkHarness, Arc<Table>) {
    sunk_in(SinkHarness::new(1, 1 << 14), rows)
}

fn sunk_in(sinking: SinkHarness, rows: i64) -> (SinkHarness, Arc<Table>) {
    let table = sinking.harness().table_of(IndexKind::Range, ConflictPolicy::Wait);
    let mut client = Client::new(sinking.harness(), Isolation::ReadCommitted);
    client.begin();
    for id in 0..rows {
        client.insert(&table, [id, 3 * id, id % 2]).expect("the keys are free");
    }
    client.commit().expect("no transaction is in the way");
    for _ in 0..3 {
        sinking.sink(&client.task);
    }
    assert_eq!(table.cold().expect("it has trees").rows(), rows as u64);
    (sinking, table)
}

/// Changes an entry of an index's tree, and of no other.
fn change_entry(
    sinking: &SinkHarness,
    table: &Table,
    index: usize,
    key: &[u8],
    action: Action<'_>,
) {
    let cold = table.cold().expect("it has trees");
    let mut batch = cold.store().batch();
    let changes = [Change { key, action }];
    let applied =
        cold.tree(index).apply(&mut batch, &sinking.harness().task(), &changes, |_, _| {});
    applied.expect("the disk works");
    batch.finish();
}

/// The entry of an index's tree for a row.
fn entry(table: &Table, index: usize, row: Row) -> (Vec<u8>, [u8; 2]) {
    let (s, p) = (key(table, index, row[index]), key(table, 0, row[0]));
    ([&s[..], &p[..]].concat(), (p.len() as u16).to_le_bytes())
}

/// A check that looks, for each row, at all rows with the same key takes hours here.
#[test]
fn an_index_with_two_keys_is_checked_as_fast_as_others() {
    let (sinking, table) = sunk(200_000);
    let found = check(sinking.harness(), &table);
    assert_eq!((found.rows, found.fault_count), (200_000, 0), "{found:?}");
}

#[test]
fn entries_of_trees_are_compared_with_the_rows() {
    let (sinking, table) = sunk(2_000);
    fn put(value: &[u8]) -> Action<'_> {
        Action::Put { stamp: 0, value }
    }
    for index in [1, 2] {
        let own = [700, 2100, 0];
        let (there, value) = entry(&table, index, own);
        change_entry(&sinking, &table, index, &there, Action::Delete);
        assert_eq!(faults(sinking.harness(), &table), [TableFault::Missing { index }]);
        // It is there under another key.
        let mut other = own;
        other[index] += 1;
        let (wrong, _) = entry(&table, index, other);
        change_entry(&sinking, &table, index, &wrong, put(&value));
        let both = [TableFault::Missing { index }, TableFault::Extra { index }];
        assert_eq!(faults(sinking.harness(), &table), both);
        change_entry(&sinking, &table, index, &there, put(&value));
        assert_eq!(faults(sinking.harness(), &table), [TableFault::Extra { index }]);
        change_entry(&sinking, &table, index, &wrong, Action::Delete);
        assert_eq!(faults(sinking.harness(), &table), []);
    }
    // Two rows with one key of a unique index.
    let ((first, value), (second, _)) =
        (entry(&table, 1, [8, 24, 0]), entry(&table, 1, [9, 24, 1]));
    assert_ne!(first, second);
    change_entry(&sinking, &table, 1, &second, put(&value));
    let twice = [TableFault::Duplicate { index: 1 }, TableFault::Extra { index: 1 }];
    assert_eq!(faults(sinking.harness(), &table), twice);
}

#[test]
fn a_table_that_has_sunk_is_whole_while_rows_come_back() {
    let (sinking, table) = sunk(500);
    let mut writer = Client::new(sinking.harness(), Isolation::ReadCommitted);
    writer.begin();
    for id in 0..100 {
        let moved = |[id, k, v]: Row| Some([id, k + 1, 1 - v]);
        assert_eq!(writer.update(&table, id, moved), Ok(1));
        assert_eq!(writer.delete(&table, 100 + id), Ok(1));
    }
    let found = check(sinking.harness(), &table);
    assert_eq!((found.rows, found.fault_count), (500, 0), "{found:?}");
    writer.commit().expect("no transaction is in the way");
    let found = check(sinking.harness(), &table);
    assert_eq!((found.rows, found.fault_count), (400, 0), "{found:?}");
    sinking.sink(&writer.task);
    let found = check(sinking.harness(), &table);
    assert_eq!((found.rows, found.fault_count), (400, 0), "{found:?}");
}

#[test]
fn a_copy_that_is_not_what_the_tree_has_is_extra_and_goes() {
    let (sinking, table) = sunk(50);
    let cold = table.cold().expect("it has sunk");
    let cached = cold.row_cache().expect("rows are cached");
    let task = sinking.harness().task();
    let mut client = Client::new(sinking.harness(), Isolation::ReadCommitted);
    for id in 0..50 {
        client.begin().look_up(&table, 0, id).expect("no error");
        client.rollback();
    }
    assert_eq!(faults(sinking.harness(), &table), []);
    let (mut copies, guard) = (Vec::new(), task.pin());
    cached.each_copy(&guard, 0..cached.slots(), |p, row| copies.push((p.to_vec(), row.to_vec())));
    assert_eq!(copies.len(), 50);
    let (p, _) = &copies[7];
    let (_, other) = &copies[8];
    cached.kill(p);
    cached.admit(&guard, 0, p, other, || false);
    drop(guard);
    let extra = TableFault::Extra { index: cold.clustered_index() };
    assert_eq!(faults(sinking.harness(), &table), [extra]);
    assert_eq!(faults(sinking.harness(), &table), []);
}

#[test]
fn what_sinks_behind_the_back_of_an_old_snapshot_is_not_extra() {
    let (sinking, table) = sunk_in(SinkHarness::new(2, 1 << 14), 500);
    let mut reader = Client::new(sinking.harness(), Isolation::Snapshot);
    reader.begin();
    let mut check = || {
        let checked = reader.statement(|txn, task, s| {
            for (index, wanted) in
                [(0, Wanted::Entries), (0, Wanted::Presence), (1, Wanted::Presence)]
            {
                let (mut rows, mut cursor) = (0, all_of(s.snapshot(), index));
                cursor.want(wanted);
                while cursor.next(txn, task, &table)?.is_some() {
                    rows += 1;
                }
                assert_eq!(rows, 500, "a check that does not look into rows finds as many");
            }
            txn.check_table(task, &table, s.snapshot())
        });
        let found = checked.expect("the task is not interrupted");
        assert_eq!((found.rows, found.fault_count), (500, 0), "{found:?}");
    };
    check();
    let mut writer = Client::new(sinking.harness(), Isolation::ReadCommitted);
    writer.begin();
    for id in 1000..1100 {
        writer.insert(&table, [id, 3 * id, id % 2]).expect("the keys are free");
    }
    writer.commit().expect("no transaction is in the way");
    for _ in 0..3 {
        sinking.sink(&writer.task);
    }
    let trees = table.cold().expect("it has trees");
    assert_eq!((trees.rows(), trees.has_history()), (600, false));
    check();
    writer.begin();
    for id in 100..200 {
        writer.update(&table, id, |[id, k, v]| Some([id, k + 1, v])).expect("the row is there");
        writer.delete(&table, 200 + id).expect("the row is there");
    }
    writer.commit().expect("no transaction is in the way");
    for _ in 0..3 {
        sinking.sink(&writer.task);
    }
    assert!(trees.has_history());
    check();
}
