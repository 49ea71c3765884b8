//! Changing more rows of a table than a transaction may have in memory.
//!
//! # Life of a load
//!
//! A statement has written so much that its further changes must not stay in memory. Then the
//! table's gate is closed, and a successor of its storage is begun: new trees
//! ([`crate::sink::Build`]) with all that the transaction sees in the table by then. Further new
//! rows of the statement go there, and rows that it deletes are taken back there. When the
//! statement has succeeded the trees are filled, keys that are there twice are found, and the
//! successor becomes the table's storage, as after a rebuild: for the transaction at once, for
//! other transactions when it commits.
//!
//! Until then this transaction reads the old storage of the table, as it was when the load began.
//! If the statement fails, the load is forgotten with what it did before.

use base::ids::ObjectId;

use super::{SchemaEdit, Step, is_private, lock};
use crate::catalog::def::TableDef;
use crate::catalog::definition::{Definition, DefinitionKey, ObjectDef};
use crate::catalog::error::{CatalogError, CatalogResult};
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::table::Table;
use crate::hot::visibility::Isolation;
use crate::sink::Build;
use crate::sync::Arc;
use crate::sync::atomic::AtomicU64;
use crate::sync::atomic::Ordering::Relaxed;
use crate::txn::{ReadAt, Savepoint, Transaction, TxnResult};
use crate::wait::Task;

/// See the module's header.
pub(super) struct TableLoad {
    /// The level of the statement, as the session counts levels.
    level: usize,
    /// Where the transaction stood.
    pub at: Savepoint,
    old: Arc<TableDef>,
    old_rows: Arc<Table>,
    new: TableDef,
    new_rows: Arc<Table>,
    build: Build,
    row: Vec<u8>,
    /// Shared with the transaction: the old storage.
    storage: Arc<AtomicU64>,
}

impl Drop for TableLoad {
    fn drop(&mut self) {
        self.storage.store(0, Relaxed);
    }
}

impl SchemaEdit {
    /// From now on changes of this table go to a successor of its storage, until the statement at
    /// this level of the session has succeeded. `false` where that cannot be.
    pub fn begin_load(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        id: ObjectId,
        level: usize,
    ) -> CatalogResult<bool> {
        if self.load.is_some() || !self.catalog.database().builds() {
            return Ok(false);
        }
        let old = self.old_table(id);
        // A transaction that gives the table another storage has locked it, and will wait until
        // this one has left it.
        let is_rebuilt = |table: Arc<Table>| table.changes().is_noting();
        if self.catalog.table(&old).is_some_and(is_rebuilt) {
            return Ok(false);
        }
        let within = lock(&self.state).pinned;
        if !is_private(&Definition::Object(ObjectDef::Table(old))) {
            let key = DefinitionKey::Object(id);
            self.lock(task, txn)?;
            match self.claim(task, txn, key) {
                // The statement is inside the table, whose definition is what it was; by now it is
                // locked, too.
                Err(CatalogError::Stale) => drop(self.take_stale()),
                claimed => claimed?,
            }
        }
        lock(&self.state).pinned = within;
        let old = self.old_table(id);
        let old_rows = self.catalog.table(&old).expect("a table has its storage");
        txn.close_gate(task, &old_rows)?;
        let new = TableDef { storage: self.catalog.new_storage(), ..TableDef::clone(&old) };
        let (at, new_rows) = (txn.savepoint(), self.catalog.make_table(&new));
        lock(&self.state).record(at, [Step::Created(new.storage)]);
        // While rows go to the successor the transaction writes nothing; what is undone within the
        // statement must not be the load.
        self.write_again(task, txn, &Definition::Object(ObjectDef::Table(old.clone())))?;
        let build = self.catalog.database().build(task, &new_rows, txn)?;
        let mut build = build.expect("disk tables of this database have trees");
        let mut statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        // Other indexes may have a filter.
        let (index, range) = (old_rows.log_index(), ScanRange::All);
        let mut rows = Cursor::new(statement.snapshot(), index, range, Direction::Forward);
        let mut copy = || -> TxnResult<()> {
            while let Some(row) = rows.next(txn, task, &old_rows)? {
                build.push_numbered(task, txn.row(row))?;
            }
            Ok(())
        };
        let copied = copy();
        txn.end_statement(&mut statement);
        copied?;
        let storage = Arc::new(AtomicU64::new(old.storage.0));
        txn.begin_load(storage.clone());
        let row = Vec::new();
        let load = TableLoad { level, at, old, old_rows, new, new_rows, build, row, storage };
        self.load = Some(Box::new(load));
        Ok(true)
    }

    /// Takes a change of the table that is being loaded: the row that is replaced, as it is there,
    /// and the new one.
    pub fn load(
        &mut self,
        task: &Task,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> CatalogResult<()> {
        let TableLoad { build, row, new_rows, .. } =
            self.load.as_deref_mut().expect("a load has begun");
        if let Some(old) = old {
            build.take_back(task, old)?;
        }
        let Some(new) = new else { return Ok(()) };
        row.clear();
        row.extend_from_slice(new);
        match old.filter(|_| new_rows.row_number_column().is_some()) {
            None => build.push(task, row)?,
            Some(old) => {
                new_rows.set_row_number(row, new_rows.row_number(old));
                build.push_numbered(task, row)?;
            }
        }
        Ok(())
    }

    /// The table that the statement at this level is loading, if it is.
    pub fn loads(&self, level: usize) -> Option<&Arc<TableDef>> {
        self.load.as_ref().filter(|load| load.level == level).map(|load| &load.old)
    }

    /// The statement has succeeded: the successor becomes the table's storage. Fails with
    /// [`DuplicateKey`](crate::txn::TxnError::DuplicateKey) if keys are there twice.
    pub fn finish_load(&mut self, task: &Task, txn: &mut Transaction) -> CatalogResult<()> {
        let Some(mut load) = self.load.take() else { return Ok(()) };
        load.build.fill(task, txn)?;
        let within = lock(&self.state).pinned;
        if !is_private(&Definition::Object(ObjectDef::Table(load.old.clone()))) {
            self.lock(task, txn)?;
        }
        let replaced = self.replace_storage(task, txn, &load.old, load.new.clone());
        lock(&self.state).pinned = within;
        replaced?;
        self.carry_identity(task, &load.old, &load.old_rows, &load.new_rows)
    }

    /// The transaction was rolled back to this place.
    pub(super) fn undo_load(&mut self, to: Savepoint) {
        self.load.take_if(|load| load.at >= to);
    }
}
