//! Giving a table another storage, to which its rows are copied one by one, while other
//! transactions read and write it.
//!
//! # Life of a rebuild
//!
//! Commits begin to note the keys of rows of the table that they change ([`Noting`]). All rows that
//! a snapshot sees by then are copied to a new storage, which no other transaction knows. Then
//! rounds follow, each with a later snapshot: of every row whose key was noted, what the round
//! before saw is taken out of the new storage, and what this one sees is put there. When little is
//! noted any more the table's gate is closed, and there is one more round; other transactions find
//! the new storage when the transaction commits.
//!
//! The caller decides what a copy is like: it gets rows of the old table ([`TableRebuild::next`])
//! and gives each as it is to be ([`TableRebuild::put`]). So a row that was copied has to be found
//! by its copy: by the key that names it in the log. Where that is not the same for each copy of a
//! row, the gate is closed before the first one; and as soon as what other transactions change
//! takes too much memory.
//!
//! # Invariants
//!
//! * E3: between two rounds the new storage has a copy of each row that the last round's snapshot
//!   sees, and no other row.
//! * E4: the statement that is the whole rebuild goes on until the end. So no version leaves memory
//!   that is younger than its snapshot, and what a round has seen can be read in the next one,
//!   though only the first snapshot is registered.

use base::ids::Lsn;

use super::{SchemaEdit, is_private, lock};
use crate::catalog::def::TableDef;
use crate::catalog::definition::{Definition, DefinitionKey, ObjectDef};
use crate::catalog::error::CatalogResult;
use crate::catalog::spec::naming_index;
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::key::KeyBuf;
use crate::hot::table::{Noting, Table};
use crate::hot::visibility::{Isolation, Snapshot};
use crate::sink::Build;
use crate::sync::Arc;
use crate::txn::{ReadAt, StatementScan, Transaction, TxnError, TxnResult, Written};
use crate::wait::Task;

/// Rows, and bytes of them, that are copied at a time.
const BATCH_ROWS: usize = 1024;
const BATCH_BYTES: usize = 256 << 10;
/// The gate is closed when not more than this many keys are noted, or after this many rounds.
const FEW_KEYS: usize = 1000;
const ROUNDS_MAX: usize = 10;
/// The part of what rows may take that changes may take, and the least that that is.
const CHANGES_PART: u64 = 32;
const CHANGES_MIN: u64 = 1 << 20;
/// What a changed row takes beside the bytes of two copies of it, about, until the transaction
/// ends.
const CHANGED_BYTES: u64 = 512;

/// Bytes of rows, one after another.
#[derive(Default)]
pub struct Rows {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Rows {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Adds the row whose bytes are appended to what `write` gets.
    pub fn append<E>(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        write(&mut self.bytes)?;
        self.ends.push(self.bytes.len());
        Ok(())
    }

    fn push(&mut self, row: &[u8]) {
        self.bytes.extend_from_slice(row);
        self.ends.push(self.bytes.len());
    }

    fn is_full(&self) -> bool {
        self.len() >= BATCH_ROWS || self.bytes.len() >= BATCH_BYTES
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.bytes[std::mem::replace(&mut start, *end)..*end])
    }

    fn get_mut(&mut self, place: usize) -> &mut [u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &mut self.bytes[start..self.ends[place]]
    }
}

/// What becomes of the rows that [`TableRebuild::next`] has given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The rows are copied to the new storage.
    Copy,
    /// The rows' copies are deleted from the new storage.
    Gone,
    /// The rows are inserted beside those that are copied.
    Come,
    /// No rows are left.
    Done,
}

/// See the module's header.
pub struct TableRebuild {
    old: Arc<TableDef>,
    old_rows: Arc<Table>,
    new: TableDef,
    new_rows: Arc<Table>,
    /// The trees of the new storage, until they are filled.
    build: Option<Build>,
    /// Whether rows keep their hidden numbers.
    is_numbered: bool,
    /// What other transactions change, if they may; and whether the gate has been closed.
    noting: Option<Noting>,
    is_closed: bool,
    /// The whole rebuild, as a statement: its snapshot is registered as long as there are rounds.
    whole: StatementScan,
    /// The stamp of the snapshot that the new storage is a copy of (E3).
    copied: Lsn,
    phase: Phase,
    rounds: usize,
    /// Rows that were copied, and their bytes; and how many were changed since.
    rows: u64,
    row_bytes: u64,
    changed: u64,
    /// Of this round: its snapshot's stamp, the keys that were noted, and how many of them are done
    /// in this phase.
    round: Lsn,
    is_last: bool,
    keys: Vec<Box<[u8]>>,
    done: usize,
}

impl SchemaEdit {
    /// Changes a table in any way, by copying its rows into a new storage: columns, types, indexes,
    /// kind. Others may change it meanwhile, and rows be copied more than once, if `is_fixed` says
    /// so; of a stored column of the new table it says whether each copy of a row has the same in
    /// it.
    ///
    /// Fails with [`TxnError::DuplicateKey`], here or later, if a new unique index finds equal
    /// keys. After any error the rebuild has to be [abandoned](TableRebuild::abandon), and the
    /// statement rolled back.
    pub fn begin_rebuild(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        def: TableDef,
        is_fixed: Option<impl Fn(usize) -> bool>,
    ) -> CatalogResult<TableRebuild> {
        let old = self.old_table(def.id());
        if !is_private(&Definition::Object(ObjectDef::Table(old.clone()))) {
            self.claim(task, txn, DefinitionKey::Object(def.id()))?;
        }
        let old_rows: Arc<Table> = self.catalog.table(&old).expect("a table has its storage");
        let (new, new_rows) = self.make_storage(txn, def);
        let is_numbered =
            old_rows.row_number_column().is_some() && new_rows.row_number_column().is_some();
        let is_found = |is_fixed| match naming_index(&new) {
            None => is_numbered,
            Some(index) => new.indexes[index].key.iter().all(|column| {
                let ordinal = new.column_ordinal(column.column);
                ordinal.and_then(|o| new.layout_position(o)).is_some_and(&is_fixed)
            }),
        };
        let is_known = !lock(&self.state).is_created(old.storage) && !old.is_temporary();
        let noting = match is_known && is_fixed.is_some_and(is_found) {
            true => {
                let definition = ObjectDef::Table(old.clone());
                self.write_again(task, txn, &Definition::Object(definition))?;
                let log = self.catalog.database().manager().log();
                Some(old_rows.begin_noting(task, log).map_err(TxnError::from)?)
            }
            false => {
                self.take_place(task, txn, &old, &new)?;
                None
            }
        };
        let build = match old_rows.sinks() {
            true => self.catalog.database().build(task, &new_rows, txn)?,
            false => None,
        };
        // Other indexes may have a filter.
        let whole = txn.begin_scan(old_rows.log_index());
        let copied = whole.statement().snapshot().stamp;
        Ok(TableRebuild {
            old,
            old_rows,
            new,
            new_rows,
            build,
            is_numbered,
            is_closed: noting.is_none(),
            noting,
            whole,
            copied,
            phase: Phase::Copy,
            rounds: 0,
            rows: 0,
            row_bytes: 0,
            changed: 0,
            round: copied,
            is_last: false,
            keys: Vec::new(),
            done: 0,
        })
    }

    /// The new storage takes the place of the old one, whose gate is closed.
    fn take_place(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        old: &TableDef,
        new: &TableDef,
    ) -> CatalogResult<()> {
        self.replace_storage(task, txn, old, new.clone())?;
        // A transaction that was in the table may have committed at a log position after one that
        // another transaction has reserved and not used yet.
        let log = self.catalog.database().manager().log();
        log.wait_committed(task, log.tail());
        Ok(())
    }

    /// Lets the counter of a rebuilt table go on where it was, if its identity column is the same.
    pub(super) fn carry_identity(
        &self,
        task: &Task,
        old: &TableDef,
        old_rows: &Table,
        new_rows: &Table,
    ) -> CatalogResult<()> {
        let identity = |def: &TableDef| def.identity_column().map(|(_, c)| (c.id, c.identity));
        let schema = self.schema();
        let same = schema.table(old.id()).is_some_and(|new| identity(new) == identity(old));
        match old_rows.identity() {
            Some(counter) if same => {
                let position = counter.position();
                self.catalog.database().continue_identity(task, new_rows, position)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl TableRebuild {
    /// The new storage.
    pub fn table(&self) -> &Arc<Table> {
        &self.new_rows
    }

    /// Fills `rows` with rows of the old table that are to be copied. Returns whether there were
    /// any left.
    pub fn next(
        &mut self,
        edit: &mut SchemaEdit,
        task: &Task,
        txn: &mut Transaction,
        rows: &mut Rows,
    ) -> CatalogResult<bool> {
        rows.clear();
        loop {
            if self.is_much_changed(edit) {
                self.close(edit, task, txn)?;
            }
            match self.phase {
                Phase::Copy => {
                    self.fetch(task, txn, rows)?;
                    if rows.is_empty() && self.is_filled(task, txn)? {
                        self.begin_round(edit, task, txn)?;
                    }
                }
                Phase::Gone | Phase::Come => {
                    self.changed(task, txn, rows)?;
                    if rows.is_empty() {
                        self.end_phase(edit, task, txn)?;
                    }
                }
                Phase::Done => return Ok(false),
            }
            if !rows.is_empty() {
                return Ok(true);
            }
        }
    }

    /// The rows that were given are to be like this in the new table.
    ///
    /// # Panics
    /// If they are not as many.
    pub fn put(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        rows: &Rows,
        copies: &mut Rows,
    ) -> CatalogResult<()> {
        assert_eq!(rows.len(), copies.len(), "each row has its copy");
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let put = self.put_each(task, txn, statement.snapshot(), rows, copies);
        txn.end_statement(&mut statement);
        Ok(put?)
    }

    fn put_each(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        snapshot: &Snapshot,
        rows: &Rows,
        copies: &mut Rows,
    ) -> TxnResult<()> {
        for (place, row) in rows.iter().enumerate() {
            let copy = copies.get_mut(place);
            if self.is_numbered {
                self.new_rows.set_row_number(copy, self.old_rows.row_number(row));
            }
            let has_number = self.is_numbered || self.new_rows.row_number_column().is_none();
            match (self.phase, &mut self.build) {
                (Phase::Gone, _) => self.take_out(task, txn, snapshot, copy)?,
                (_, Some(build)) if has_number => build.push_numbered(task, copy)?,
                (_, Some(build)) => build.push(task, copy)?,
                (_, None) if has_number => {
                    txn.insert_numbered(task, &self.new_rows, snapshot, copy)?;
                }
                (_, None) => {
                    txn.insert(task, &self.new_rows, snapshot, copy)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the copy that has the same name as this one out of the new storage.
    fn take_out(
        &self,
        task: &Task,
        txn: &mut Transaction,
        snapshot: &Snapshot,
        copy: &[u8],
    ) -> TxnResult<()> {
        let table = &*self.new_rows;
        let mut key = KeyBuf::new();
        table.log_key(copy, &mut key);
        let mut found = row_with(table, snapshot, key);
        let row = found.next(txn, task, table)?.expect("it was copied (E3)");
        let deleted = txn.delete(task, snapshot, row)?;
        assert!(matches!(deleted, Written::Done(_)), "no other transaction knows the storage");
        Ok(())
    }

    /// Something has failed: what was put is taken back.
    pub fn abandon(self, task: &Task, txn: &mut Transaction) {
        txn.rollback_scan(task, self.whole);
    }

    /// All rows have been given and put; the identity counter goes on where it was, if there was
    /// one. Returns the new storage.
    pub fn finish(
        self,
        edit: &SchemaEdit,
        task: &Task,
        txn: &mut Transaction,
    ) -> CatalogResult<Arc<Table>> {
        debug_assert!(self.phase == Phase::Done, "all rows are there");
        txn.end_scan(self.whole);
        edit.carry_identity(task, &self.old, &self.old_rows, &self.new_rows)?;
        Ok(self.new_rows)
    }

    /// Some more rows that are to be copied.
    fn fetch(&mut self, task: &Task, txn: &mut Transaction, rows: &mut Rows) -> TxnResult<()> {
        while !rows.is_full() {
            match self.whole.next(txn, task, &self.old_rows)? {
                Some(row) => rows.push(txn.row(row)),
                None => break,
            }
        }
        self.rows += rows.len() as u64;
        self.row_bytes += rows.bytes.len() as u64;
        Ok(())
    }

    /// Whether all that was copied stands in the new storage's trees, if it has some; a step
    /// towards that.
    fn is_filled(&mut self, task: &Task, txn: &mut Transaction) -> TxnResult<bool> {
        let is_filled = match &mut self.build {
            Some(build) => build.fill_some(task, txn)?,
            None => true,
        };
        if is_filled {
            self.build = None;
        }
        Ok(is_filled)
    }

    /// Some more rows that this round and the one before see differently, as one of the two sees
    /// them.
    fn changed(&mut self, task: &Task, txn: &mut Transaction, rows: &mut Rows) -> TxnResult<()> {
        let table = &*self.old_rows;
        let (from, to) = match self.phase {
            Phase::Gone => (self.copied, self.round),
            _ => (self.round, self.copied),
        };
        let whole = self.whole.statement();
        let (from, to) = (whole.snapshot_at(from), whole.snapshot_at(to));
        while let Some(key) = self.keys.get(self.done)
            && !rows.is_full()
        {
            self.done += 1;
            let mut found = row_with(table, &from, KeyBuf::from(&key[..]));
            let Some(row) = found.next(txn, task, table)? else { continue };
            let mut other = row_with(table, &to, KeyBuf::from(&key[..]));
            let other = other.next(txn, task, table)?;
            if other.is_none_or(|other| txn.row(other) != txn.row(row)) {
                rows.push(txn.row(row));
            }
        }
        Ok(())
    }

    /// Whether what other transactions change takes so much memory, as keys and as rows that are
    /// copied once more, that those transactions should wait.
    fn is_much_changed(&self, edit: &SchemaEdit) -> bool {
        let Some(noting) = self.noting.as_ref().filter(|_| !self.is_closed) else { return false };
        let limit = edit.catalog.database().manager().tables().pool().least_limit();
        let (keys, bytes) = noting.size();
        let of_row = CHANGED_BYTES + 2 * self.row_bytes / self.rows.max(1);
        bytes + (keys + self.changed) * of_row > (limit / CHANGES_PART).max(CHANGES_MIN)
    }

    /// From here on no other transaction changes the table.
    fn close(
        &mut self,
        edit: &mut SchemaEdit,
        task: &Task,
        txn: &mut Transaction,
    ) -> CatalogResult<()> {
        self.is_closed = true;
        edit.take_place(task, txn, &self.old, &self.new)
    }

    fn end_phase(
        &mut self,
        edit: &mut SchemaEdit,
        task: &Task,
        txn: &mut Transaction,
    ) -> CatalogResult<()> {
        self.done = 0;
        match self.phase {
            Phase::Gone => {
                self.phase = Phase::Come;
                Ok(())
            }
            _ => {
                self.copied = self.round;
                self.begin_round(edit, task, txn)
            }
        }
    }

    /// Sees to what has changed since the last round, unless that was the last one.
    fn begin_round(
        &mut self,
        edit: &mut SchemaEdit,
        task: &Task,
        txn: &mut Transaction,
    ) -> CatalogResult<()> {
        let Some(noting) = self.noting.as_ref().filter(|_| !self.is_last) else {
            self.phase = Phase::Done;
            return Ok(());
        };
        let keys = usize::try_from(noting.size().0).unwrap_or(usize::MAX);
        // Others may change the table faster than it is followed.
        let is_hopeless = self.rounds >= ROUNDS_MAX || self.rounds > 0 && keys >= self.keys.len();
        if !self.is_closed && (keys <= FEW_KEYS || is_hopeless) {
            self.close(edit, task, txn)?;
        }
        self.is_last = self.is_closed;
        self.round = txn.newest_snapshot(self.whole.statement()).stamp;
        let noting = self.noting.as_mut().expect("as above");
        self.keys = noting.take_below(self.round);
        self.changed += self.keys.len() as u64;
        (self.phase, self.done) = (Phase::Gone, 0);
        self.rounds += 1;
        Ok(())
    }
}

/// A cursor over the row with a key by which the log names rows.
fn row_with<'s>(table: &Table, snapshot: &Snapshot<'s>, key: KeyBuf) -> Cursor<'s> {
    Cursor::new(snapshot, table.log_index(), ScanRange::Key(key), Direction::Forward)
}
