//! The catalog's part in recovery: which tables there are while the log is replayed.

use std::collections::BTreeMap;

use base::ids::{DbId, Lsn, ObjectId, StorageId};

use super::builtin::MAX_SERVER_MEMORY;
use super::def::*;
use super::definition::{Definition, ObjectDef};
use super::sequences::Mark;
use super::spec::table_spec;
use super::store::Catalog;
use super::system_tables::{SystemRow, SystemTable};
use crate::checkpoint::DefinedSequence;
use crate::log::Operation;
use crate::recovery::{CatalogChange, RecoveredTables, RecoveryCatalog};
use crate::sync::Arc;

/// Follows the catalog's rows through the log: makes and forgets tables, and keeps what is not in
/// the rows. Once the database is open, [`Catalog::load`] builds the schema from the rows, and
/// [`CatalogReplay::finish`] hands over the rest.
#[derive(Default)]
pub struct CatalogReplay {
    /// The furthest positions that sequences may have reached.
    sequences: BTreeMap<ObjectId, Mark>,
    /// What master says of databases; others say nothing.
    databases: BTreeMap<DbId, Arc<DatabaseDef>>,
    /// What master says of `max server memory (MB)`, if it has been changed.
    max_server_memory: Option<i32>,
}

impl CatalogReplay {
    /// The databases that master knows, so far.
    pub fn databases(&self) -> impl Iterator<Item = &Arc<DatabaseDef>> {
        self.databases.values()
    }

    /// `max server memory` in bytes, if it is limited.
    pub fn memory_limit(&self) -> Option<u64> {
        let megabytes = self.max_server_memory.filter(|megabytes| *megabytes != i32::MAX)?;
        u64::try_from(megabytes).ok().map(|megabytes| megabytes << 20)
    }

    /// Hands over what is not in the rows, after the catalog has been loaded.
    pub fn finish(self, catalog: &Catalog) {
        for (sequence, mark) in self.sequences {
            catalog.sequences().recover(sequence, mark);
        }
    }

    fn object_changed(
        &mut self,
        tables: &RecoveredTables<'_>,
        old: Option<Definition>,
        new: Option<Definition>,
    ) {
        let storage = |definition: &Option<Definition>| match definition {
            Some(Definition::Object(ObjectDef::Table(table))) => Some(table.storage),
            _ => None,
        };
        let (before, after) = (storage(&old), storage(&new));
        if before != after {
            if let Some(before) = before.filter(|s| *s != NO_STORAGE) {
                tables.forget_table(before);
            }
            if let Some(Definition::Object(ObjectDef::Table(table))) = &new
                && table.storage != NO_STORAGE
            {
                tables.tables().create(&table_spec(table, true));
            }
        }
        if let Some(Definition::Object(ObjectDef::Sequence(old))) = old {
            let goes_on = |new: &Definition| match new {
                Definition::Object(ObjectDef::Sequence(new)) => new.restarts == old.restarts,
                _ => false,
            };
            if !new.as_ref().is_some_and(goes_on) {
                self.sequences.remove(&old.header.id);
            }
        }
    }
}

impl RecoveryCatalog for CatalogReplay {
    fn changed(
        &mut self,
        tables: &RecoveredTables<'_>,
        _stamp: Lsn,
        changes: &[CatalogChange],
    ) -> Result<(), String> {
        for change in changes {
            let system = SystemTable::of_storage(change.storage)
                .ok_or_else(|| format!("storage {} is no system table", change.storage))?;
            let read = |row: &Option<Box<[u8]>>| {
                let row = row.as_deref().map(|bytes| SystemRow::from_bytes(system, bytes));
                row.map(|row| row.definition()).transpose().map_err(|error| error.to_string())
            };
            match system {
                SystemTable::Objects => {
                    self.object_changed(tables, read(&change.old)?, read(&change.new)?);
                }
                SystemTable::Databases => {
                    if let Some(Definition::Database(old)) = read(&change.old)? {
                        self.databases.remove(&old.id);
                    }
                    if let Some(Definition::Database(new)) = read(&change.new)? {
                        self.databases.insert(new.id, new);
                    }
                }
                SystemTable::Configurations => {
                    if let Some(Definition::Configuration(new)) = read(&change.new)?
                        && new.id == MAX_SERVER_MEMORY
                    {
                        self.max_server_memory = Some(new.in_use);
                    }
                }
                // They are read as a whole when the database is open.
                _ => {}
            }
        }
        Ok(())
    }

    fn operation(&mut self, _stamp: Lsn, operation: &Operation<'_>) -> Result<(), String> {
        match operation {
            Operation::SequenceCeiling { sequence, ceiling } => {
                self.sequences.insert(*sequence, Mark::decode(*ceiling));
                Ok(())
            }
            other => Err(format!("an operation that is not known: {other:?}")),
        }
    }
}

/// The sequence that a row of a system table defines, if it does, and how often it was restarted:
/// what checkpoints have to know ([`crate::checkpoint::SequenceOf`]).
pub(crate) fn sequence_of(storage: StorageId, row: &[u8]) -> Option<DefinedSequence> {
    let system = SystemTable::of_storage(storage).filter(|t| *t == SystemTable::Objects)?;
    match SystemRow::from_bytes(system, row).definition().ok()? {
        Definition::Object(ObjectDef::Sequence(def)) => {
            Some(DefinedSequence { id: def.header.id, restarts: def.restarts })
        }
        _ => None,
    }
}
