//! Tables: creating them, changing them in place, emptying them.

use base::ids::ObjectId;

use super::{SchemaEdit, Step, lock};
use crate::catalog::def::*;
use crate::catalog::definition::{Definition, ObjectDef};
use crate::catalog::error::CatalogResult;
use crate::catalog::spec::rows_stay;
use crate::hot::table::Table;
use crate::sync::Arc;
use crate::txn::Transaction;
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
            TableRole::Table | TableRole::Internal => {
                self.put_with_new_storage(task, txn, def).map(Some)
            }
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

    /// Empties a table: gives it a new storage without rows, and its identity counter starts anew.
    pub fn truncate_table(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        id: ObjectId,
    ) -> CatalogResult<Arc<Table>> {
        let old = self.old_table(id);
        let (def, table) = self.make_storage(txn, TableDef::clone(&old));
        if let Some(old_rows) = self.catalog.table(&old) {
            table.number_behind(&old_rows);
        }
        self.replace_storage(task, txn, &old, def)?;
        Ok(table)
    }

    fn put_with_new_storage(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        def: TableDef,
    ) -> CatalogResult<Arc<Table>> {
        let (def, table) = self.make_storage(txn, def);
        self.put_table(task, txn, def)?;
        Ok(table)
    }

    /// A new, empty storage, which this transaction alone knows, and the definition with it. The
    /// caller goes on to write a row (E2).
    pub(super) fn make_storage(
        &mut self,
        txn: &Transaction,
        def: TableDef,
    ) -> (TableDef, Arc<Table>) {
        let def = TableDef { storage: self.catalog.new_storage(), ..def };
        let table = self.catalog.make_table(&def);
        lock(&self.state).record(txn.savepoint(), [Step::Created(def.storage)]);
        (def, table)
    }

    /// Puts in a definition with another storage than the old one's, which is dropped. Closes the
    /// gate of that.
    pub(super) fn replace_storage(
        &mut self,
        task: &Task,
        txn: &mut Transaction,
        old: &TableDef,
        def: TableDef,
    ) -> CatalogResult<()> {
        lock(&self.state).record(txn.savepoint(), [Step::Dropped(old.storage)]);
        self.put_table(task, txn, def)
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
