//! What statements have read, for `STATISTICS IO`.

use std::sync::Arc;

use base::ids::{DbId, ObjectId};
use ir::unit::TableUse;
use run::interp::Reads;

use super::SessionState;

/// What a statement has read of a table.
#[derive(Clone, Debug)]
pub struct TableReads {
    pub(crate) table: (DbId, ObjectId),
    pub(crate) name: Arc<str>,
    pub(crate) reads: Reads,
    /// Whether the table has row caching.
    pub(crate) row_cached: bool,
}

impl SessionState {
    /// Adds to what the statement that runs has read of a table.
    pub(crate) fn count_table_reads(&mut self, used: &TableUse, reads: Reads) {
        if used.table.kind.is_memory_optimized() {
            return;
        }
        let table = (used.database, used.table.id());
        match self.reads.iter_mut().find(|known| known.table == table) {
            Some(known) => known.reads.add(reads),
            None => {
                let name = used.table.header.name.clone();
                let row_cached = used.table.row_cached;
                self.reads.push(TableReads { table, name, reads, row_cached });
            }
        }
    }
}
