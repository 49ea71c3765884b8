//! Cursors over engine tables.

use base::collation::LikePattern;
use base::types::Repr;
use base::{Arena, SqlResult};
use engine::hot::cursor::{Cursor, ScanRange, Wanted};
use engine::hot::index::Direction;
use engine::hot::key::{KeyBuf, KeyClass, KeySpec, SeekKey};
use engine::hot::table::{ConflictPolicy, Table};
use engine::hot::visibility::{Isolation, Snapshot};
use engine::txn::locks::Reading;
use engine::txn::{RowRef, Transaction, TxnResult};
use engine::wait::{DiskReads, Task};
use ir::object::{AccessDesc, CursorDesc, KeyPart, ReadPurpose};

use crate::interp::key::key_range;
use crate::interp::registers::Registers;
use crate::interp::slot::Slot;

/// A cursor over an engine table, which is opened again and again.
#[derive(Default)]
pub struct TableCursor {
    /// Its statement is the one in which the cursor was opened.
    cursor: Option<Cursor<'static>>,
    key: KeyBuf,
    /// For foreign keys between tables whose writers wait: the range that is searched, once, in the
    /// newest committed state.
    current: Option<(Snapshot<'static>, usize, ScanRange)>,
    is_current: bool,
    /// What is locked on the way.
    reading: Reading,
    /// Whether rows can be returned as the cursor finds them, as nearly always: they are in memory
    /// or no instruction looks at them, and they are read at a snapshot, which alone protects them.
    is_plain: bool,
    /// How many rows were found by the whole key of a unique index.
    points: u64,
    /// How often it was opened since the counts were last taken, and how many rows its cursor had
    /// fetched then.
    opened: u64,
    seen: u64,
    /// What was read of disk tables for it since then.
    disk_reads: DiskReads,
}

/// What a cursor has done.
#[derive(Clone, Copy, Default, Debug)]
pub struct CursorCounts {
    /// How often it was opened.
    pub opened: u64,
    /// Rows that it has fetched.
    pub rows: u64,
    /// What was read of disk tables for them.
    pub disk: DiskReads,
}

/// A whole key that a cursor looks for in a unique index.
pub struct Point<'k> {
    index: usize,
    key: SeekKey<'k>,
    found: &'k mut u64,
    disk_reads: &'k mut DiskReads,
}

impl Point<'_> {
    /// Prefetches the memory that [`Point::find`] looks at first, for a caller that does something
    /// else before.
    #[inline]
    pub fn prefetch(&self, table: &Table) {
        table.prefetch_key(self.index, self.key);
    }

    /// The row with the key, if the snapshot sees one; copied to the arena if it is not in memory.
    #[inline]
    pub fn find(
        self,
        transaction: &mut Transaction,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        arena: &Arena,
    ) -> TxnResult<Option<Slot>> {
        let before = task.disk_reads();
        let found = transaction.look_up(task, table, snapshot, self.index, self.key, arena);
        self.disk_reads.add(task.disk_reads().since(before));
        let found = found?;
        *self.found += u64::from(found.is_some());
        Ok(found.map(row_slot))
    }
}

impl Point<'_> {
    /// As `find`, but only a row that is the newest of its key and not locked. A result of `None`
    /// does not say that there is no such row.
    pub fn find_settled(
        self,
        transaction: &mut Transaction,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        arena: &Arena,
    ) -> TxnResult<Option<Slot>> {
        let (index, key, before) = (self.index, self.key, task.disk_reads());
        let found = transaction.look_up_settled(task, table, snapshot, index, key, arena);
        self.disk_reads.add(task.disk_reads().since(before));
        let found = found?;
        *self.found += u64::from(found.is_some());
        Ok(found.map(row_slot))
    }
}

impl std::fmt::Debug for TableCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TableCursor")
    }
}

impl TableCursor {
    /// What the cursor has done since the last call.
    pub fn take_counts(&mut self) -> CursorCounts {
        let fetched = self.cursor.as_ref().map_or(0, Cursor::rows_fetched);
        let seen = std::mem::replace(&mut self.seen, fetched);
        CursorCounts {
            opened: std::mem::take(&mut self.opened),
            rows: std::mem::take(&mut self.points) + fetched - seen,
            disk: std::mem::take(&mut self.disk_reads),
        }
    }

    /// Positions it before the first row.
    pub fn open(
        &mut self,
        desc: &CursorDesc,
        table: &Table,
        snapshot: &Snapshot,
        reading: Reading,
        regs: Registers<'_>,
    ) -> SqlResult<()> {
        // SAFETY: a unit takes rows from a cursor, and uses them, only in the statement in which it
        // has opened it (I1, U4).
        let snapshot = &unsafe { snapshot.unbound() };
        self.opened += 1;
        self.reading = reading;
        let is_reference =
            matches!(desc.purpose, ReadPurpose::MustStay | ReadPurpose::MustBeAbsent);
        // Where less than the whole key is searched for, later instructions test the rows that are
        // found.
        self.is_current =
            is_reference && !desc.options.newest && table.conflicts() == ConflictPolicy::Wait;
        // A reader that locks rows, or has them validated at commit, needs them.
        let is_blind = desc.unread
            && desc.reads_only()
            && reading == Reading::Versions
            && snapshot.isolation() <= Isolation::Snapshot;
        let needs_no_copies = is_blind || table.cold().is_none();
        self.is_plain = !is_reference && reading == Reading::Versions && needs_no_copies;
        match &desc.access {
            AccessDesc::Full { index } => {
                let index = index.filter(|_| table.cold().is_none());
                let index = index.unwrap_or_else(|| table.log_index());
                self.start(snapshot, index, ScanRange::All, Direction::Forward);
            }
            AccessDesc::Seek { index, key } => {
                let spec = table.key_spec(*index);
                match number_of(spec, key, regs) {
                    Some(number) => spec.with_bytes(number, |bytes| self.key.set(bytes)),
                    None => spec.encode_values(&regs.keys(key), &mut self.key),
                }
                self.start_at_key(snapshot, *index);
            }
            AccessDesc::Key { index, key } => {
                table.key_spec(*index).encode_values(&regs.keys(key), &mut self.key);
                self.start_at_key(snapshot, *index);
            }
            AccessDesc::Like { index, prefix, pattern } => {
                let ty = &pattern.ty;
                let like = LikePattern::new(ty.collation, regs.value(pattern.reg, ty), None)?;
                let spec = table.key_spec(*index);
                let range = spec.starting_with(&regs.keys(prefix), like.prefix());
                self.start(snapshot, *index, ScanRange::Keys(range), Direction::Forward);
            }
            AccessDesc::Range { index, prefix, next, lower, upper, backward } => {
                let spec = table.key_spec(*index);
                let (lower, upper) = (regs.bound(lower), regs.bound(upper));
                let range = key_range(spec, *next, &regs.keys(prefix), lower, upper);
                let direction = match backward {
                    true => Direction::Backward,
                    false => Direction::Forward,
                };
                self.start(snapshot, *index, ScanRange::Keys(range), direction);
            }
        }
        let wanted = if is_blind { Wanted::Presence } else { Wanted::Rows };
        self.cursor.iter_mut().for_each(|cursor| cursor.want(wanted));
        Ok(())
    }

    /// Makes the key of a unique index that the descriptor names.
    #[inline(always)]
    pub fn seek<'k>(
        &'k mut self,
        desc: &CursorDesc,
        table: &Table,
        regs: Registers<'_>,
    ) -> Point<'k> {
        let AccessDesc::Seek { index, key } = &desc.access else {
            unreachable!("the verifier has seen the cursor's access");
        };
        self.opened += 1;
        let spec = table.key_spec(*index);
        let key = match number_of(spec, key, regs) {
            Some(number) => number,
            None => {
                spec.encode_values(&regs.keys(key), &mut self.key);
                SeekKey::Bytes(&self.key)
            }
        };
        let (found, disk_reads) = (&mut self.points, &mut self.disk_reads);
        Point { index: *index, key, found, disk_reads }
    }

    fn start(
        &mut self,
        snapshot: &Snapshot<'static>,
        index: usize,
        range: ScanRange,
        way: Direction,
    ) {
        if self.is_current {
            self.current = Some((*snapshot, index, range));
            return;
        }
        match &mut self.cursor {
            Some(cursor) => {
                cursor.set_index(index, way);
                cursor.restart(snapshot, range);
            }
            None => self.cursor = Some(Cursor::new(snapshot, index, range, way)),
        }
    }

    fn start_at_key(&mut self, snapshot: &Snapshot<'static>, index: usize) {
        match &mut self.cursor {
            Some(cursor) if !self.is_current => {
                cursor.set_index(index, Direction::Forward);
                cursor.restart_at_key(snapshot, &self.key);
            }
            _ => {
                let range = ScanRange::Key(self.key.clone());
                self.start(snapshot, index, range, Direction::Forward);
            }
        }
    }

    /// The next row, with the locks that its reader asked for; copied to the arena if it is not in
    /// memory.
    #[inline]
    pub fn next(
        &mut self,
        desc: &CursorDesc,
        transaction: &mut Transaction,
        task: &Task,
        table: &Table,
        arena: &Arena,
    ) -> TxnResult<Option<Slot>> {
        match &mut self.cursor {
            Some(cursor) if self.is_plain => {
                Ok(cursor.next(transaction, task, table)?.map(row_slot))
            }
            _ => {
                let before = task.disk_reads();
                let next = self.next_other(desc, transaction, task, table, arena);
                self.disk_reads.add(task.disk_reads().since(before));
                next
            }
        }
    }

    /// How many rows are left; no instruction looks into them.
    pub fn count(
        &mut self,
        desc: &CursorDesc,
        transaction: &mut Transaction,
        task: &Task,
        table: &Table,
        arena: &Arena,
    ) -> TxnResult<u64> {
        let mut rows = 0;
        while self.next(desc, transaction, task, table, arena)?.is_some() {
            rows += 1;
        }
        Ok(rows)
    }

    fn next_other(
        &mut self,
        desc: &CursorDesc,
        transaction: &mut Transaction,
        task: &Task,
        table: &Table,
        arena: &Arena,
    ) -> TxnResult<Option<Slot>> {
        if self.is_current {
            let Some((snapshot, index, range)) = self.current.take() else { return Ok(None) };
            let found = transaction.find_current(task, table, &snapshot, index, &range, arena)?;
            return Ok(found.map(row_slot));
        }
        let Some(cursor) = &mut self.cursor else { return Ok(None) };
        let row = match (self.reading, desc.purpose) {
            (Reading::Versions, ReadPurpose::Query | ReadPurpose::Change | ReadPurpose::Merge) => {
                cursor.next(transaction, task, table)
            }
            (Reading::Versions, _) => Self::next_protected(cursor, desc, transaction, task, table),
            (Reading::Locked(locking), _) => cursor.next_locked(transaction, task, table, &locking),
            (Reading::Uncommitted, _) => cursor.next_uncommitted(transaction, task, table),
        };
        // The cursor drops its copies at its next step; in a loop that may be too early.
        Ok(row?.map(|row| match desc.unread || desc.fleeting {
            true => row_slot(row),
            false => row_slot(row.kept_in(arena)),
        }))
    }

    /// The next row that a foreign key finds in a memory-optimized table.
    #[cold]
    fn next_protected<'c>(
        cursor: &'c mut Cursor<'static>,
        desc: &CursorDesc,
        transaction: &mut Transaction,
        task: &Task,
        table: &'c Table,
    ) -> TxnResult<Option<RowRef<'c>>> {
        if desc.purpose == ReadPurpose::MustBeAbsent {
            // At commit there must still be no such row. The scan is noted once, before the first
            // look.
            let (index, range, snapshot) =
                (cursor.index(), cursor.range().clone(), *cursor.snapshot());
            transaction.protect_scan(task, table, index, range, &snapshot)?;
        }
        let row = cursor.next(transaction, task, table)?;
        if let (ReadPurpose::MustStay, Some(row)) = (desc.purpose, row) {
            transaction.protect_read(task, row)?;
        }
        Ok(row)
    }

    /// Frees copies of rows that the unit has looked at.
    pub fn forget(&mut self) {
        self.cursor.iter_mut().for_each(Cursor::forget_copies);
    }
}

/// The number of a key that consists of one integer, as nearly all keys do.
#[inline]
fn number_of(spec: &KeySpec, key: &[KeyPart], regs: Registers<'_>) -> Option<SeekKey<'static>> {
    match (spec.class(), key) {
        (KeyClass::One(word), [part]) if part.ty.kind.repr() == Repr::Int => {
            Some(SeekKey::Word(word.of_number(regs.slot(part.reg).as_int() as u64)))
        }
        _ => None,
    }
}

/// Prefetches the memory where the row with this number as its whole key is, or will be, linked.
#[inline(always)]
pub fn prefetch_number(table: &Table, index: usize, number: i64) {
    if let KeyClass::One(word) = table.key_spec(index).class() {
        table.prefetch_key(index, SeekKey::Word(word.of_number(number as u64)));
    }
}

/// Prefetches what look-ups of the row with the number `next` as its whole key, and then of the one
/// with `after`, will need first.
#[inline(always)]
pub fn prefetch_ahead(table: &Table, task: &Task, index: usize, next: i64, after: i64) {
    if let KeyClass::One(word) = table.key_spec(index).class() {
        let key = |number: i64| SeekKey::Word(word.of_number(number as u64));
        table.prefetch_ahead(|| task.pin(), index, key(next), key(after));
    }
}

/// A row register for a row of the engine: where its bytes are, and its anchor.
#[inline]
pub fn row_slot(row: RowRef<'_>) -> Slot {
    let (bytes, name) = row.to_words();
    Slot::row(bytes, name)
}

/// A register for the same row that is valid as long as the arena: a copy, if the row is not in
/// memory.
///
/// # Safety
/// The register holds the words of a row of the engine ([`row_slot`]), and the row or its copy is
/// alive.
pub unsafe fn keep_row(slot: &Slot, arena: &Arena) -> Slot {
    // SAFETY: the caller ensures that these are the two words of one row, and that it is alive.
    let (bytes, name) = unsafe { engine::txn::keep_row(slot.row_bytes(), slot.row_name(), arena) };
    Slot::row(bytes, name)
}

/// The row of the engine that a register names.
///
/// # Safety
/// The register holds the words of a row of this table ([`row_slot`]), and the row or its copy is
/// alive during `'r`.
pub unsafe fn row_ref<'r>(slot: &Slot, table: &'r Table) -> RowRef<'r> {
    // SAFETY: the caller ensures that these are the two words of a row of the table, and that it is
    // alive during `'r`.
    unsafe { RowRef::from_words(table, slot.row_bytes(), slot.row_name()) }
}
