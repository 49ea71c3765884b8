//! Tables: creating them, changing them in place, giving them new rows, emptying them.

use base::ids::ObjectId;

use super::{SchemaEdit, Step, lock};
use crate::catalog::def::*;
use crate::catalog::definition::{Definition, ObjectDef};
use crate::catalog::error::CatalogError;
use crate::catalog::error::CatalogResult;
use crate::catalog::spec::rows_stay;
use crate::catalog::store::Catalog;
use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::table::Table;
use crate::hot::visibility::Isolation;
use crate::sync::Arc;
use crate::txn::{ReadAt, Statement, Transaction, TxnError, TxnResult};
use crate::wait::Task;

impl SchemaEdit {
    /// Creates a table, with a storage of its own; whatever storage the definition names does not
    /// matter. A table type's hidden table gets none, and is not returned.
    pub fn create_table(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        def: TableDef,
    ) -> CatalogResult<Option<Arc<Table>>> {
        match def.role {
            TableRole::Table => self.put_with_new_storage(task, txn, def).map(Some),
            TableRole::Type => {
                let def = TableDef { storage: NO_STORAGE, ..def };
                self.put_table(task, txn, def)?;
                Ok(None)
            }
        }
    }

    /// Changes a table whose rows can stay as and where they are: names, constraints, options.
    ///
    /// # Panics
    /// If the rows cannot stay; see [`rows_stay`](crate::catalog::rows_stay).
    pub fn alter_table(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        def: TableDef,
    ) -> CatalogResult<()> {
        let old = self.old_table(def.id());
        assert!(rows_stay(&old, &def), "a change of columns or indexes rebuilds the table");
        self.put_table(task, txn, TableDef { storage: old.storage, ..def })
    }

    /// Changes a table in any way, by copying its rows into a new storage: columns, types,
    /// indexes, kind. `map` gets the old table and the bytes of one of its rows, the new table,
    /// and a buffer, to which it appends the bytes of the new row; without it the rows are copied
    /// as they are, which needs equal columns.
    ///
    /// The identity counter goes on where it was, if there was one. Fails with
    /// [`TxnError::DuplicateKey`] if a new unique index finds equal keys.
    pub fn rebuild_table<E: From<CatalogError>>(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        def: TableDef,
        mut map: impl FnMut(&Table, &[u8], &Table, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Arc<Table>, E> {
        let old = self.old_table(def.id());
        let old_rows: Arc<Table> = self.catalog.table(&old).expect("a table has its storage");
        let new_rows = self.replace_storage(task, txn, &old, def)?;
        let statement = txn.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let rows = (&*old_rows, &new_rows);
        let copied = match old_rows.sinks() {
            true => build_rows(&self.catalog, task, txn, &statement, rows, &mut map),
            false => copy_rows(task, txn, &statement, rows, &mut map),
        };
        match copied {
            Ok(()) => txn.end_statement(statement),
            Err(_) => txn.rollback_statement(task, statement),
        }
        copied?;
        self.carry_identity(task, (&old, &old_rows), &new_rows)?;
        Ok(new_rows)
    }

    /// Lets the counter of a rebuilt table go on where it was, if its identity column is the same.
    pub(super) fn carry_identity(
        &self,
        task: &Task,
        (old, old_rows): (&TableDef, &Table),
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

    /// Empties a table: gives it a new storage without rows, and its identity counter starts anew.
    pub fn truncate_table(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        id: ObjectId,
    ) -> CatalogResult<Arc<Table>> {
        let old = self.old_table(id);
        self.replace_storage(task, txn, &old, TableDef::clone(&old))
    }

    /// Gives a table a new, empty storage under a new definition.
    fn replace_storage(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        old: &TableDef,
        def: TableDef,
    ) -> CatalogResult<Arc<Table>> {
        lock(&self.state).record(txn.savepoint(), [Step::Dropped(old.storage)]);
        self.put_with_new_storage(task, txn, def)
    }

    fn put_with_new_storage(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        def: TableDef,
    ) -> CatalogResult<Arc<Table>> {
        let def = TableDef { storage: self.catalog.new_storage(), ..def };
        let table = self.catalog.make_table(&def);
        lock(&self.state).record(txn.savepoint(), [Step::Created(def.storage)]);
        self.put_table(task, txn, def)?;
        Ok(table)
    }

    pub(super) fn put_table(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        def: TableDef,
    ) -> CatalogResult<()> {
        self.put(task, txn, Definition::Object(ObjectDef::Table(Arc::new(def))))
    }

    pub(super) fn old_table(&self, id: ObjectId) -> Arc<TableDef> {
        self.schema().table(id).cloned().expect("the caller has found the table in the schema")
    }
}

/// Copies the rows of a table to another by transactions' own means: into memory.
fn copy_rows<E: From<CatalogError>>(
    task: &Task,
    txn: &mut Transaction,
    statement: &Statement,
    (old, new): (&Table, &Arc<Table>),
    map: &mut impl FnMut(&Table, &[u8], &Table, &mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    each_row(task, txn, statement, (old, new), map, |txn, row| {
        txn.insert(task, new, &statement.snapshot, row).map(drop)
    })
}

/// Copies them to trees, since they may be more than memory takes.
fn build_rows<E: From<CatalogError>>(
    catalog: &Catalog,
    task: &Task,
    txn: &mut Transaction,
    statement: &Statement,
    (old, new): (&Table, &Arc<Table>),
    map: &mut impl FnMut(&Table, &[u8], &Table, &mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let build = catalog.database().build(task, new, txn).map_err(failed)?;
    let Some(mut build) = build else {
        return copy_rows(task, txn, statement, (old, new), map);
    };
    each_row(task, txn, statement, (old, new), map, |_, row| build.push(task, row))?;
    build.finish(task, txn).map_err(failed)
}

/// Has `put` take each row that the statement sees, mapped.
fn each_row<E: From<CatalogError>>(
    task: &Task,
    txn: &mut Transaction,
    statement: &Statement,
    (old, new): (&Table, &Table),
    map: &mut impl FnMut(&Table, &[u8], &Table, &mut Vec<u8>) -> Result<(), E>,
    mut put: impl FnMut(&mut Transaction, &mut [u8]) -> TxnResult<()>,
) -> Result<(), E> {
    let mut cursor = Cursor::new(&statement.snapshot, 0, ScanRange::All, Direction::Forward);
    let mut bytes = Vec::new();
    while let Some(row) = cursor.next(txn, task, old).map_err(failed)? {
        bytes.clear();
        map(old, txn.row(old, row), new, &mut bytes)?;
        put(txn, &mut bytes).map_err(failed)?;
    }
    Ok(())
}

fn failed<E: From<CatalogError>>(error: TxnError) -> E {
    E::from(CatalogError::Transaction(error))
}
