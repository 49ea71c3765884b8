use std::sync::Arc;

use base::{SqlType, ValueRef};
use engine::hot::key::KeyColumn;
use engine::hot::row::RowLayout;
use ir::object::NextColumn;

use super::*;
use crate::interp::memory::Grant;

/// (id int, group int null), unique on id, not unique on group.
fn table() -> LocalTable {
    let layout = Arc::new(RowLayout::new(&[SqlType::int(), SqlType::int()]));
    let indexes = vec![
        LocalIndexSpec { columns: vec![KeyColumn::ascending(0)], hash: true, unique: true },
        LocalIndexSpec {
            columns: vec![KeyColumn::descending(1).or_null(), KeyColumn::ascending(0)],
            hash: false,
            unique: false,
        },
    ];
    LocalTable::new(LocalShape::new(layout, indexes, Some((10, 5))))
}

fn row(table: &LocalTable, id: i64, group: Option<i64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let group = group.map_or(ValueRef::Null, ValueRef::Int);
    table.layout().build(&[ValueRef::Int(id), group], &mut bytes);
    bytes
}

fn insert(table: &mut LocalTable, id: i64, group: Option<i64>) -> Inserted {
    let bytes = row(table, id, group);
    table.insert(&bytes)
}

fn int(table: &LocalTable, row: &[u8], column: usize) -> Option<i64> {
    match table.layout().get(row, column) {
        ValueRef::Int(v) => Some(v),
        _ => None,
    }
}

fn ids(table: &LocalTable, access: &LocalAccess<'_>) -> Vec<i64> {
    let mut cursor = LocalCursor::default();
    cursor.open(table, access);
    let mut out = Vec::new();
    while let Some((_, row)) = cursor.next(table) {
        out.push(int(table, row, 0).unwrap());
    }
    out
}

fn filled() -> LocalTable {
    let mut table = table();
    table.begin_statement();
    for id in 1..=6 {
        insert(&mut table, id, (id % 3 != 0).then_some(id % 3)).unwrap();
    }
    table.end_statement();
    table
}

#[test]
fn a_statement_does_not_see_what_it_writes() {
    let mut table = filled();
    table.begin_statement();
    assert_eq!(table.delete(RowId(0)), Changed::Done);
    insert(&mut table, 7, None).unwrap();
    let new = row(&table, 2, Some(9));
    assert_eq!(table.update(RowId(1), &new), Changed::Done);
    let mut before = ids(&table, &LocalAccess::Full);
    before.sort_unstable();
    assert_eq!(before, [1, 2, 3, 4, 5, 6]);
    table.end_statement();
    let mut after = ids(&table, &LocalAccess::Full);
    after.sort_unstable();
    assert_eq!(after, [2, 3, 4, 5, 6, 7]);
    assert_eq!(table.len(), 6);
}

#[test]
fn a_failed_statement_leaves_nothing() {
    let mut table = filled();
    let all: Vec<Vec<u8>> = table.iter().map(<[u8]>::to_vec).collect();
    table.begin_statement();
    assert_eq!(insert(&mut table, 3, None), Err(Duplicate { index: 0 }));
    insert(&mut table, 8, Some(1)).unwrap();
    table.delete(RowId(4));
    let new = row(&table, 1, Some(100));
    assert_eq!(table.update(RowId(0), &new), Changed::Done);
    let moved = row(&table, 20, Some(1));
    assert_eq!(table.update(RowId(3), &moved), Changed::Done);
    table.rollback_statement();
    let mut now: Vec<Vec<u8>> = table.iter().map(<[u8]>::to_vec).collect();
    now.sort();
    let mut then = all;
    then.sort();
    assert_eq!(now, then);
    assert_eq!(ids(&table, &LocalAccess::Seek { index: 0, key: &[ValueRef::Int(4)] }), [4]);
    assert_eq!(ids(&table, &LocalAccess::Seek { index: 0, key: &[ValueRef::Int(20)] }), []);
}

#[test]
fn a_deleted_key_can_be_used_again_at_once() {
    let mut table = filled();
    table.begin_statement();
    table.delete(RowId(2));
    insert(&mut table, 3, Some(5)).unwrap();
    assert_eq!(insert(&mut table, 3, Some(6)), Err(Duplicate { index: 0 }));
    table.end_statement();
    assert_eq!(ids(&table, &LocalAccess::Seek { index: 0, key: &[ValueRef::Int(3)] }), [3]);
    assert_eq!(table.len(), 6);
}

#[test]
fn a_row_is_changed_once_in_a_statement() {
    let mut table = filled();
    table.begin_statement();
    let new = row(&table, 1, Some(2));
    assert_eq!(table.update(RowId(0), &new), Changed::Done);
    assert_eq!(table.update(RowId(0), &new), Changed::Repeated);
    assert_eq!(table.delete(RowId(0)), Changed::Repeated);
    assert_eq!(table.delete(RowId(5)), Changed::Done);
    assert_eq!(table.delete(RowId(5)), Changed::Repeated);
    table.end_statement();
    table.begin_statement();
    assert_eq!(table.delete(RowId(5)), Changed::Gone);
    table.end_statement();
}

#[test]
fn ranges_follow_the_order_of_the_index() {
    let table = filled();
    let range = |lower, upper, backward| {
        let next = NextColumn { descending: true, nullable: true };
        let access = LocalAccess::Range { index: 1, prefix: &[], next, lower, upper, backward };
        ids(&table, &access)
    };
    // Descending by group, NULL last.
    assert_eq!(range(None, None, false), [2, 5, 1, 4, 3, 6]);
    assert_eq!(range(None, None, true), [6, 3, 4, 1, 5, 2]);
    assert_eq!(range(Some((ValueRef::Int(2), true)), None, false), [2, 5]);
    assert_eq!(range(None, Some((ValueRef::Int(2), false)), false), [1, 4]);
    let key = [ValueRef::Int(1)];
    let prefix = LocalAccess::Range {
        index: 1,
        prefix: &key,
        next: NextColumn::default(),
        lower: Some((ValueRef::Int(1), false)),
        upper: None,
        backward: false,
    };
    assert_eq!(ids(&table, &prefix), [4]);
    assert_eq!(ids(&table, &LocalAccess::Seek { index: 1, key: &key }), [1, 4]);
}

#[test]
fn memory_stays_bounded_under_updates() {
    let mut table = filled();
    let mut grant = Grant::new(1 << 20, "default");
    for round in 0..50_000 {
        table.begin_statement();
        let new = row(&table, 1, Some(round));
        // The row moves between slots, because its group is indexed.
        let mut cursor = LocalCursor::default();
        cursor.open(&table, &LocalAccess::Seek { index: 0, key: &[ValueRef::Int(1)] });
        let (id, _) = cursor.next(&table).unwrap();
        assert_eq!(table.update(id, &new), Changed::Done);
        table.end_statement();
        table.settle(&mut grant).unwrap();
    }
    assert_eq!(table.len(), 6);
    assert!(grant.used() < 512 << 10, "{}", grant.used());
    table.release(&mut grant);
    assert_eq!(grant.used(), 0);
}

#[test]
fn identity_counts_on() {
    let mut table = table();
    assert_eq!((table.next_identity(), table.next_identity()), (Some(10), Some(15)));
}
