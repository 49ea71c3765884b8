//! Checks a table's rows, and its indexes against the rows: `DBCC CHECKTABLE`.
//!
//! The rows are those that one snapshot sees through the index that names rows in the log, which
//! holds them all. Each row is decoded, and the entry that each other index must have for it,
//! `s ++ p`, is added to a sum ([`sums`]). Then each index is scanned and its entries are added up,
//! too. Only where the sums differ does the check look for what is missing or too much. So each
//! index is read once and in its order, however large it is and however many rows share a key, and
//! rows that have sunk are read only from the tree that holds them. Writers go on meanwhile: what a
//! snapshot sees stays linked in all indexes while the snapshot is registered.
//!
//! The scans also check the order of each index, and whether a row that is in memory is found by
//! its key.
//!
//! Copies of rows in the row cache are compared with the tree ([`cached`]).
//!
//! A page that cannot be read ends a cursor. Then the tree is searched for all such pages
//! ([`lost`]). Of the tree that holds the rows, the keys between these pages are checked. A tree
//! with lost pages cannot be compared with another, so the check does not compare the sums of such
//! an index, and none at all if rows are lost.

mod cached;
mod lost;
mod report;
mod sequence;
mod sums;
#[cfg(all(test, not(feature = "shuttle")))]
mod tests;

use std::collections::HashMap;

use base::ValueRef;
use base::datetime::civil::{
    DATETIME_DAY_MAX, DATETIME_DAY_MIN, DATETIME_TICKS_PER_DAY, DAY_MAX, SMALLDATETIME_MAX,
    TICKS_PER_DAY,
};
use base::types::{SqlType, TypeKind};

pub use self::report::{LostPage, TableCheck, TableFault};
use self::sequence::{Sequence, is_ordered};
use self::sums::{Sums, Suspects};
use crate::hot::anchor::{AnchorPtr, RowAt};
use crate::hot::copies;
use crate::hot::cursor::{Cursor, ScanRange, sunk_entry};
use crate::hot::index::Direction;
use crate::hot::key::KeyBuf;
use crate::hot::row::{Place, RowLayout};
use crate::hot::table::Table;
use crate::hot::visibility::Snapshot;
use crate::txn::{Transaction, TxnResult};
use crate::wait::Task;

/// What a check knows of a table's rows, as far as it has decoded them.
struct Rows<'t> {
    table: &'t Table,
    check: TableCheck,
    /// The sums of the entries that each index must have for them.
    expected: Vec<Sums>,
    sequence: Sequence<'t>,
}

impl<'t> Rows<'t> {
    fn new(table: &'t Table) -> Rows<'t> {
        let expected = (0..table.links()).map(|_| Sums::default()).collect();
        let sequence = Sequence::new(table, table.log_index());
        Rows { table, check: TableCheck::default(), expected, sequence }
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
        let Rows { mut check, expected, .. } = self.check_rows(task, table, snapshot)?;
        for (index, expected) in expected.iter().enumerate() {
            if index == table.log_index() {
                continue;
            }
            let checked = self.check_index(task, table, index, snapshot, expected, &mut check);
            if let Some(fault) = lost::page_of(checked)? {
                check.lose(task, table, index, &fault)?;
            }
        }
        // What cannot be read cannot be compared.
        if check.lost.is_empty() {
            cached::check_copies(task, table, &mut check)?;
        }
        Ok(check)
    }

    /// Checks all rows that can be read, and adds up the entries that indexes must have for them.
    fn check_rows<'t>(
        &mut self,
        task: &Task,
        table: &'t Table,
        snapshot: &Snapshot,
    ) -> TxnResult<Rows<'t>> {
        let index = table.log_index();
        let mut rows = Rows::new(table);
        let added = self.add_rows(task, all_of(snapshot, index), &mut rows);
        let Some(fault) = lost::page_of(added)? else { return Ok(rows) };
        let mut rows = Rows::new(table);
        let between = rows.check.lose(task, table, index, &fault)?;
        for range in between.into_iter().filter(|_| is_ordered(table, index)) {
            let cursor = Cursor::new(snapshot, index, ScanRange::Keys(range), Direction::Forward);
            let added = self.add_rows(task, cursor, &mut rows);
            if let Some(fault) = lost::page_of(added)? {
                rows.check.lose_page(index, &fault);
            }
        }
        Ok(rows)
    }

    fn add_rows(&mut self, task: &Task, mut cursor: Cursor, rows: &mut Rows<'_>) -> TxnResult<()> {
        let table = rows.table;
        let mut key = KeyBuf::new();
        while let Some(row) = cursor.next(self, task, table)? {
            let bytes = self.row(row);
            rows.check.rows += 1;
            rows.check.row_bytes += bytes.len() as u64;
            if let Some(fault) = fault_of(table.layout(), bytes) {
                rows.check.add(fault, 1);
                continue;
            }
            entry_of(table, table.log_index(), bytes, &mut key);
            rows.sequence.look(task, row.at(), &key, key.len(), &mut rows.check);
            for (index, sums) in rows.expected.iter_mut().enumerate() {
                if index != table.log_index() && table.index_holds(index, bytes) {
                    entry_of(table, index, bytes, &mut key);
                    sums.add(&key);
                }
            }
        }
        Ok(())
    }

    /// Scans an index that is not the log's, and compares it with the rows if none are lost.
    fn check_index(
        &mut self,
        task: &Task,
        table: &Table,
        index: usize,
        snapshot: &Snapshot,
        expected: &Sums,
        check: &mut TableCheck,
    ) -> TxnResult<()> {
        let (mut found, mut sequence) = (Sums::default(), Sequence::new(table, index));
        self.each_entry(task, table, index, snapshot, |row, key, own_len| {
            found.add(key);
            sequence.look(task, row, key, own_len, check);
        })?;
        match expected.suspects(&found) {
            Some(suspects) if !check.has_lost(table.log_index()) => {
                self.find_differences(task, table, index, snapshot, suspects, check)
            }
            _ => Ok(()),
        }
    }

    /// Calls `each` for every entry of an index that is not the log's: with the row, or what stands
    /// for a row that is not in memory; the key, `s ++ p`; and the length of `s`. Leaves out rows
    /// that cannot be decoded.
    fn each_entry(
        &mut self,
        task: &Task,
        table: &Table,
        index: usize,
        snapshot: &Snapshot,
        mut each: impl FnMut(RowAt, &[u8], usize),
    ) -> TxnResult<()> {
        let mut key = KeyBuf::new();
        let mut cursor = Cursor::of_entries(snapshot, index);
        while let Some(row) = cursor.next_at(self, task, table)? {
            if row.anchor == AnchorPtr::COLD {
                // SAFETY: the cursor has made the copy, and keeps it until it is asked again.
                let bytes = unsafe { copies::bytes_of(row.version) };
                let (key, own_len) = sunk_entry(bytes).expect("the cursor gives entries");
                each(row, key, own_len);
                continue;
            }
            // SAFETY: the row is in memory, and visible to the registered snapshot.
            let bytes = unsafe { table.row(row.version) };
            if fault_of(table.layout(), bytes).is_none() {
                let own_len = entry_of(table, index, bytes, &mut key);
                each(row, &key, own_len);
            }
        }
        Ok(())
    }

    /// Finds the entries that an index lacks or has too much, among those whose sums differ.
    fn find_differences(
        &mut self,
        task: &Task,
        table: &Table,
        index: usize,
        snapshot: &Snapshot,
        suspects: Suspects,
        check: &mut TableCheck,
    ) -> TxnResult<()> {
        // By hash of an entry: how often the index should have it, and how often it has.
        let mut entries: HashMap<u64, (u64, u64)> = HashMap::new();
        let mut key = KeyBuf::new();
        let mut cursor = all_of(snapshot, table.log_index());
        while let Some(row) = cursor.next(self, task, table)? {
            let bytes = self.row(row);
            if fault_of(table.layout(), bytes).is_none() && table.index_holds(index, bytes) {
                entry_of(table, index, bytes, &mut key);
                if let Some(hash) = suspects.hash_of(&key) {
                    entries.entry(hash).or_default().0 += 1;
                }
            }
        }
        self.each_entry(task, table, index, snapshot, |_, key, _| {
            if let Some(hash) = suspects.hash_of(key) {
                entries.entry(hash).or_default().1 += 1;
            }
        })?;
        // The scan in the index's order has reported neighbours with the same key already.
        let told = is_ordered(table, index) && table.is_unique(index);
        let (mut missing, mut extra, mut duplicate) = (0, 0, 0);
        for (expected, found) in entries.into_values() {
            missing += expected.saturating_sub(found);
            match expected {
                0 => extra += found,
                _ if !told => duplicate += found.saturating_sub(expected),
                _ => {}
            }
        }
        check.add(TableFault::Missing { index }, missing);
        check.add(TableFault::Extra { index }, extra);
        check.add(TableFault::Duplicate { index }, duplicate);
        check.fault_count += suspects.left_out;
        Ok(())
    }
}

fn all_of<'s>(snapshot: &Snapshot<'s>, index: usize) -> Cursor<'s> {
    Cursor::new(snapshot, index, ScanRange::All, Direction::Forward)
}

/// Encodes the entry that an index's tree has for a row: `s ++ p`, or `p` if the index is the
/// log's. Returns the length of the index's part.
fn entry_of(table: &Table, index: usize, row: &[u8], key: &mut KeyBuf) -> usize {
    table.key_spec(index).encode_row(table.layout(), row, key);
    let own_len = key.len();
    if index != table.log_index() {
        let mut p = KeyBuf::new();
        table.log_key(row, &mut p);
        key.extend(&p);
    }
    own_len
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
