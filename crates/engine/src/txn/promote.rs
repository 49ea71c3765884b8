//! Rows that have sunk and are to be changed.

use crate::hot::anchor::AnchorPtr;
use crate::hot::sink_queue::Sinking;
use crate::hot::table::{Promoted, Table};
use crate::hot::visibility::Snapshot;
use crate::txn::error::TxnResult;
use crate::txn::transaction::Transaction;
use crate::wait::Task;

impl Transaction {
    /// Brings a row into memory that this statement has read from the cold store; somebody else's anchor
    /// for it if there is one already. `row` are its bytes as they were read, under the statement's
    /// snapshot and after memory was found to say nothing about the row's key.
    pub(crate) fn promote(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        row: &[u8],
    ) -> TxnResult<AnchorPtr> {
        self.hold(task, table)?;
        let (worker, manager) = (task.worker(), self.session.manager());
        let shard = worker.index();
        // SAFETY: the snapshot belongs to a statement of this transaction, and the caller has read the
        // row as it must.
        let promoted =
            unsafe { table.promote(shard, &task.pin(), (snapshot, &manager.slots), row)? };
        if let Promoted::New(anchor) = promoted {
            // It sinks again when this statement is over, changed or not. Somebody may have committed a
            // change of it already: his stamp is no lower than this (S4).
            let (stamp, storage) = (snapshot.stamp, table.storage());
            manager.sinking.add(shard, &mut vec![Sinking { storage, anchor, stamp }]);
        }
        Ok(promoted.anchor())
    }
}
