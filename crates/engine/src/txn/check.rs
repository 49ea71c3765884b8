//! Checks that a table is what it should be: `DBCC CHECKTABLE`.
//!
//! The rows are those that one snapshot sees through the log's index, which holds them all. Each is
//! taken apart and looked for in every other index by its key; then each index is gone through, and what
//! it holds must be among those rows, in the index's order, and no more often than there are rows. So
//! nothing has to be remembered but counts, and writers go on meanwhile: what a snapshot sees stays
//! linked everywhere while the snapshot is registered.

use base::ValueRef;
use base::datetime::civil::{
    DATETIME_DAY_MAX, DATETIME_DAY_MIN, DATETIME_TICKS_PER_DAY, DAY_MAX, SMALLDATETIME_MAX,
    TICKS_PER_DAY,
};
use base::types::{SqlType, TypeKind};

use crate::hot::cursor::{Cursor, RowRef, ScanRange};
use crate::hot::index::{Direction, Index};
use crate::hot::key::{KeyBuf, SeekKey};
use crate::hot::row::{Place, RowLayout};
use crate::hot::table::Table;
use crate::hot::visibility::Snapshot;
use crate::txn::sunk::identities_in_tree;
use crate::txn::{Transaction, TxnResult};
use crate::wait::Task;

/// Faults kept at most; the others are only counted.
const FAULTS_MAX: usize = 100;

/// What a check has found.
#[derive(Debug, Default)]
pub struct TableCheck {
    /// Rows that the snapshot sees.
    pub rows: u64,
    /// Bytes of these rows.
    pub row_bytes: u64,
    /// The first faults.
    pub faults: Vec<TableFault>,
    /// How many there were.
    pub fault_count: u64,
}

/// Something that is wrong with a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFault {
    /// A row's variable-length columns do not follow each other; this is the first that does not.
    Offsets {
        /// Ordinal of the column.
        column: usize,
    },
    /// A value that its column's type does not have.
    Value {
        /// Ordinal of the column.
        column: usize,
    },
    /// An index does not lead to a row.
    Missing {
        /// Ordinal of the index.
        index: usize,
    },
    /// An index leads to something that is not one of its rows.
    Extra {
        /// Ordinal of the index.
        index: usize,
    },
    /// A range index is out of order.
    Order {
        /// Ordinal of the index.
        index: usize,
    },
    /// An index has a row twice, or a unique one two rows with the same key.
    Duplicate {
        /// Ordinal of the index.
        index: usize,
    },
}

/// What an index should have, and what it was found not to have.
#[derive(Clone, Copy, Default)]
struct Tally {
    expected: u64,
    missing: u64,
}

impl TableCheck {
    fn add(&mut self, fault: TableFault) {
        self.fault_count += 1;
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }
}

impl Transaction {
    /// Checks a table as a snapshot of this transaction sees it.
    pub fn check_table(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
    ) -> TxnResult<TableCheck> {
        let mut check = TableCheck::default();
        let mut tallies = vec![Tally::default(); table.links()];
        let mut key = KeyBuf::new();
        let mut cursor = all_of(snapshot, table.log_index());
        while let Some(row) = cursor.next(self, task, table)? {
            let bytes = self.row(table, row);
            check.rows += 1;
            check.row_bytes += bytes.len() as u64;
            if let Some(fault) = fault_of(table.layout(), bytes) {
                check.add(fault);
                continue;
            }
            for (index, tally) in tallies.iter_mut().enumerate() {
                if !table.index_holds(index, bytes) {
                    continue;
                }
                tally.expected += 1;
                if !is_found(task, table, index, (row, bytes), &mut key)? {
                    tally.missing += 1;
                    check.add(TableFault::Missing { index });
                }
            }
        }
        for (index, tally) in tallies.into_iter().enumerate() {
            self.check_index(task, table, snapshot, (index, tally), &mut check)?;
        }
        Ok(check)
    }

    /// Goes through an index, after its rows were looked for.
    fn check_index(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        (index, tally): (usize, Tally),
        check: &mut TableCheck,
    ) -> TxnResult<()> {
        let ordered = matches!(table.index_at(index), Index::Range(_));
        let (mut key, mut previous, mut log_key) = (KeyBuf::new(), KeyBuf::new(), KeyBuf::new());
        let (mut found, before) = (0, check.fault_count);
        let mut cursor = all_of(snapshot, index);
        while let Some(row) = cursor.next(self, task, table)? {
            let bytes = self.row(table, row);
            if fault_of(table.layout(), bytes).is_some() {
                continue;
            }
            found += 1;
            let belongs = table.index_holds(index, bytes)
                && is_found(task, table, table.log_index(), (row, bytes), &mut log_key)?;
            if !belongs {
                check.add(TableFault::Extra { index });
            }
            if ordered {
                table.key_spec(index).encode_row(table.layout(), bytes, &mut key);
                if found > 1 && *key < *previous {
                    check.add(TableFault::Order { index });
                }
                if found > 1 && *key == *previous && table.is_unique(index) {
                    check.add(TableFault::Duplicate { index });
                }
                std::mem::swap(&mut key, &mut previous);
            }
        }
        if check.fault_count == before && found > tally.expected {
            check.add(TableFault::Duplicate { index });
        }
        if found + tally.missing < tally.expected {
            check.add(TableFault::Missing { index });
        }
        Ok(())
    }
}

fn all_of(snapshot: &Snapshot, index: usize) -> Cursor {
    Cursor::new(snapshot, index, ScanRange::All, Direction::Forward)
}

/// Whether an index finds a row by its key, in memory or in its tree.
fn is_found(
    task: &Task,
    table: &Table,
    index: usize,
    (row, bytes): (RowRef, &[u8]),
    key: &mut KeyBuf,
) -> TxnResult<bool> {
    table.key_spec(index).encode_row(table.layout(), bytes, key);
    let found = |anchor| (anchor == row.anchor).then_some(());
    if table.find(&task.pin(), index, SeekKey::Bytes(key), found).is_some() {
        return Ok(true);
    }
    // It may have sunk since it was read.
    let Some(cold) = table.cold() else { return Ok(false) };
    let mut identity = KeyBuf::new();
    table.log_key(bytes, &mut identity);
    Ok(identities_in_tree(task, cold, (index, key))?.contains(&identity))
}

/// What is wrong with the bytes of a row.
fn fault_of(layout: &RowLayout, row: &[u8]) -> Option<TableFault> {
    let has_offsets = row.len() > layout.offsets_at() as usize;
    let mut start = 0;
    for (column, own) in layout.columns().iter().enumerate() {
        let Place::Variable { ordinal } = own.place else { continue };
        if !has_offsets {
            break;
        }
        let end = end_offset(layout, row, ordinal);
        if end < start || layout.header_len() + end > row.len() {
            return Some(TableFault::Offsets { column });
        }
        start = end;
    }
    let wrong = |&column: &usize| {
        if layout.is_null(row, column) {
            return false;
        }
        let (ty, bytes) = (&layout.columns()[column].ty, layout.bytes(row, column));
        !length_is_valid(ty, bytes) || !value_is_valid(ty, layout.get(row, column))
    };
    let column = (0..layout.columns().len()).find(wrong)?;
    Some(TableFault::Value { column })
}

/// Where the n-th variable-length column ends, from the start of the variable part.
fn end_offset(layout: &RowLayout, row: &[u8], ordinal: u32) -> usize {
    let width = if layout.wide_offsets() { 4 } else { 2 };
    let at = (layout.offsets_at() + ordinal * width) as usize;
    let bytes = &row[at..at + width as usize];
    bytes.iter().rev().fold(0, |offset, byte| offset << 8 | usize::from(*byte))
}

fn length_is_valid(ty: &SqlType, bytes: &[u8]) -> bool {
    let is_string = ty.kind.is_character() || ty.kind.is_binary();
    let limited = is_string && !ty.is_max() && !ty.kind.is_legacy_lob();
    let fits = !limited || bytes.len() <= usize::from(ty.length);
    fits && (!ty.kind.is_unicode() || bytes.len() % 2 == 0)
}

fn value_is_valid(ty: &SqlType, value: ValueRef<'_>) -> bool {
    const DAYS: std::ops::RangeInclusive<i32> = 0..=DAY_MAX;
    const END: i64 = (DAY_MAX as i64 + 1) * TICKS_PER_DAY;
    match value {
        ValueRef::Int(v) => ty.kind != TypeKind::Bit || (0..=1).contains(&v),
        ValueRef::Decimal(v) => v.unsigned_abs() < 10_u128.pow(u32::from(ty.precision)),
        ValueRef::Float(v) => v.is_finite(),
        ValueRef::Date(v) => DAYS.contains(&v),
        ValueRef::Time(v) => (0..TICKS_PER_DAY).contains(&v),
        ValueRef::SmallDateTime(v) => (0..=SMALLDATETIME_MAX).contains(&v),
        ValueRef::DateTime2(v) => (0..END).contains(&v),
        ValueRef::DateTimeOffset(v) => (0..END).contains(&v.utc_ticks),
        ValueRef::DateTime(v) => {
            (DATETIME_DAY_MIN..=DATETIME_DAY_MAX).contains(&v.days)
                && v.ticks < DATETIME_TICKS_PER_DAY
        }
        _ => true,
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use base::{SqlType, Value};

    use super::*;
    use crate::hot::index::Admit;
    use crate::hot::table::ConflictPolicy;
    use crate::hot::visibility::Isolation;
    use crate::txn::tests::{Client, Harness, fill};

    fn check(harness: &Harness, table: &Table) -> TableCheck {
        let mut client = Client::new(harness, Isolation::ReadCommitted);
        client.begin();
        let checked = client.statement(|txn, task, s| txn.check_table(task, table, &s.snapshot));
        client.rollback();
        checked.expect("nobody interrupts")
    }

    fn faults(harness: &Harness, table: &Table) -> Vec<TableFault> {
        check(harness, table).faults
    }

    /// Does something with the anchor and the bytes of the row that index 0 has first.
    fn with_a_row(
        harness: &Harness,
        table: &Table,
        act: impl Fn(&Task, crate::hot::anchor::AnchorPtr, &[u8]),
    ) {
        let mut client = Client::new(harness, Isolation::ReadCommitted);
        client.begin();
        let done = client.statement(|txn, task, s| {
            let row = all_of(&s.snapshot, 0).next(txn, task, table)?.expect("a row is there");
            act(task, row.anchor, txn.row(table, row));
            Ok(())
        });
        done.expect("nobody interrupts");
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
            // SAFETY: the row is linked once, and nobody else uses the table.
            unsafe { table.index_at(2).remove(&task.pin(), anchor, row) };
        });
        assert_eq!(faults(&harness, &table), [TableFault::Missing { index: 2 }]);
        // Dropping the table unlinks what is linked.
        with_a_row(&harness, &table, |task, anchor, row| {
            let mut admit = |_| Admit::Admit;
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
        unsafe { table.index_at(0).insert(&task.pin(), anchor, &row, &mut |_| Admit::Admit) };
        assert_eq!(faults(&harness, &table), []);
    }

    #[test]
    fn bytes_that_are_no_row_are_faults() {
        let types =
            [SqlType::decimal(5, 0), SqlType::bit(), SqlType::varbinary(4), SqlType::date()];
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
}
