//! What reads see, beside isolation: nested statements, horizons, current state, filtered indexes.

use std::thread;

use super::*;
use crate::hot::filter::{FilterOp, FilterTerm, FilterTest, RowFilter};

const SNAPSHOT: Isolation = Isolation::Snapshot;

#[test]
fn a_nested_statement_sees_what_the_outer_one_wrote_and_not_the_other_way_round() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..3);
    let mut client = Client::new(&harness, Isolation::ReadCommitted);
    client.begin();
    let (txn, task) = (client.txn.as_mut().expect("begun"), &client.task);
    let count = |txn: &mut Transaction, s: &Statement| {
        let mut cursor = Cursor::new(s.snapshot(), 0, ScanRange::All, Direction::Forward);
        let mut count = 0;
        while cursor.next(txn, task, &table).expect("reads succeed").is_some() {
            count += 1;
        }
        count
    };
    let mut outer = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    let row = bytes(&table, [7, 70, 0]);
    txn.insert(task, &table, outer.snapshot(), &row).expect("a fresh key");
    assert_eq!(count(txn, &outer), 3);
    // The trigger.
    let mut inner = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    assert_eq!(count(txn, &inner), 4);
    let row = bytes(&table, [8, 80, 0]);
    txn.insert(task, &table, inner.snapshot(), &row).expect("a fresh key");
    txn.end_statement(&mut inner);
    assert_eq!(count(txn, &outer), 3, "neither its own nor the trigger's");
    txn.end_statement(&mut outer);
    let mut next = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    assert_eq!(count(txn, &next), 5);
    txn.end_statement(&mut next);
}

#[test]
fn an_outer_snapshot_protects_its_rows_while_nested_statements_come_and_go() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..1);
    let mut reader = Client::new(&harness, Isolation::ReadCommitted);
    reader.begin();
    let (txn, task) = (reader.txn.as_mut().expect("begun"), &reader.task);
    let mut outer = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
    let mut cursor = Cursor::new(outer.snapshot(), 0, ScanRange::All, Direction::Forward);
    let row = cursor.next(txn, task, &table).expect("reads succeed").expect("it is there");
    let mut writer = Client::new(&harness, SNAPSHOT);
    for i in 1..5 {
        let set = |r: Row| Some([r[0], r[1] + 1, i]);
        writer.autocommit(|c| c.update(&table, 0, set).map(drop)).expect("no other writer");
        let mut inner = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        txn.end_statement(&mut inner);
        for _ in 0..3 {
            harness.manager.reclaim(task, 1000);
        }
    }
    assert_eq!(values(&table, txn.row(row)), [0, 0, 0]);
    txn.end_statement(&mut outer);
}

#[test]
fn an_elevated_read_stays_at_the_transactions_snapshot() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..1);
    let mut client = Client::new(&harness, Isolation::ReadCommitted);
    client.begin();
    for round in 0..3 {
        fill(&harness, &table, 10 + round..11 + round);
        let (elevated, plain) = client
            .statement(|txn, task, s| {
                let elevated = txn.elevated(s, SNAPSHOT);
                let mut count = |snapshot: &crate::hot::visibility::Snapshot| {
                    let mut cursor = Cursor::new(snapshot, 0, ScanRange::All, Direction::Forward);
                    let mut count = 0;
                    while cursor.next(txn, task, &table)?.is_some() {
                        count += 1;
                    }
                    TxnResult::Ok(count)
                };
                Ok((count(&elevated)?, count(s.snapshot())?))
            })
            .expect("reads succeed");
        assert_eq!((elevated, plain), (2, 2 + round));
    }
}

#[test]
fn a_check_of_current_rows_waits_for_uncommitted_ones() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::Wait);
    fill(&harness, &table, 0..2);
    let exists = |id: i64| {
        let range = ScanRange::Key(key(&table, 0, id));
        let mut client = Client::new(&harness, Isolation::ReadCommitted);
        client.begin();
        client
            .statement(|txn, task, s| {
                let arena = Arena::new();
                let found = txn.find_current(task, &table, s.snapshot(), 0, &range, &arena)?;
                Ok(found.is_some())
            })
            .expect("no deadlock")
    };
    assert!(exists(1) && !exists(9));
    for commit in [false, true] {
        let mut writer = Client::new(&harness, Isolation::ReadCommitted);
        writer.begin().delete(&table, 1).expect("it is free");
        writer.insert(&table, [9, 90, 0]).expect("a fresh key");
        thread::scope(|scope| {
            let checks = [1, 9].map(|id| scope.spawn(move || exists(id)));
            while harness.manager.graph.waits().len() < 2 {
                thread::yield_now();
            }
            if commit {
                writer.commit().expect("it is alone")
            } else {
                writer.rollback()
            }
            let found = checks.map(|c| c.join().expect("no panic"));
            assert_eq!(found, if commit { [false, true] } else { [true, false] });
        });
    }
}

#[test]
fn a_filtered_index_holds_the_rows_of_its_filter() {
    let harness = Harness::new();
    let positive = FilterTest::Compare(FilterOp::Greater, Value::Int(0));
    let filter = RowFilter { terms: [FilterTerm { column: 2, test: positive }].into() };
    let columns = |c| vec![KeyColumn::ascending(c)];
    let index =
        |c, filter| IndexSpec { kind: IndexKind::Range, columns: columns(c), unique: true, filter };
    let indexes = vec![index(0, None), index(1, Some(filter))];
    let spec = TableSpec::new(StorageId(1), vec![INT; 3], indexes);
    let table = harness.manager.create_table(&spec);
    let mut client = Client::new(&harness, SNAPSHOT);
    client.begin();
    for row in [[1, 5, 0], [2, 5, 0], [3, 5, 1]] {
        client.insert(&table, row).expect("one row with this key is in the filter");
    }
    assert_eq!(client.select(&table, 1, ScanRange::All), Ok(vec![[3, 5, 1]]));
    let joins = client.update(&table, 1, |r| Some([r[0], r[1], 1]));
    assert!(matches!(joins, Err(TxnError::DuplicateKey { index: 1, .. })));
    assert_eq!(client.update(&table, 3, |r| Some([r[0], r[1], 0])), Ok(1), "it leaves");
    assert_eq!(client.update(&table, 1, |r| Some([r[0], r[1], 1])), Ok(1));
    client.commit().expect("no other writer");
    client.begin();
    assert_eq!(client.select(&table, 1, ScanRange::All), Ok(vec![[1, 5, 1]]));
    for id in 1..4 {
        assert_eq!(client.delete(&table, id), Ok(1));
    }
    client.commit().expect("no other writer");
    while harness.manager.reclaim(&client.task, 100) > 0 {}
    assert_eq!(table.memory().allocated_bytes, 0);
    assert!((0..2).all(|i| table.index_at(i).is_empty()));
}

#[test]
fn cursors_go_both_ways_between_bounds_and_start_again() {
    let harness = Harness::new();
    let table = harness.table(ConflictPolicy::FirstWriterWins);
    fill(&harness, &table, 0..2000);
    let mut client = Client::new(&harness, SNAPSHOT);
    client.begin();
    let (low, high) = ([base::ValueRef::Int(3000)], [base::ValueRef::Int(17_000)]);
    let range = table
        .key_spec(1)
        .range(std::ops::Bound::Included(&low[..]), std::ops::Bound::Excluded(&high[..]));
    for direction in [Direction::Forward, Direction::Backward] {
        let ids = client
            .statement(|txn, task, s| {
                let range = ScanRange::Keys(range.clone());
                let mut cursor = Cursor::new(s.snapshot(), 1, range, direction);
                let mut ids = Vec::new();
                while let Some(row) = cursor.next(txn, task, &table)? {
                    ids.push(values(&table, txn.row(row))[0]);
                }
                cursor.restart_at_key(s.snapshot(), &key(&table, 1, 50));
                let row = cursor.next(txn, task, &table)?.expect("it is there");
                assert_eq!(values(&table, txn.row(row)), [5, 50, 2]);
                assert!(cursor.next(txn, task, &table)?.is_none());
                Ok(ids)
            })
            .expect("reads succeed");
        let mut expected: Vec<i64> = (300..1700).collect();
        if direction == Direction::Backward {
            expected.reverse();
        }
        assert_eq!(ids, expected);
    }
}
