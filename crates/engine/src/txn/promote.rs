//! Promotion: bringing rows that have sunk back into memory before they are changed.

use base::ids::Lsn;

use crate::critical::{self, Section};
use crate::hot::anchor::AnchorPtr;
use crate::hot::key::KeyBuf;
use crate::hot::sink_queue::Sinking;
use crate::hot::table::{Promoted, Table};
use crate::hot::visibility::Snapshot;
use crate::txn::error::TxnResult;
use crate::txn::transaction::{ROW_BYTES, Transaction};
use crate::wait::Task;

/// Where a row is that was to be promoted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BroughtBack {
    /// In memory, behind this anchor.
    To(AnchorPtr),
    /// Lost to a commit with this stamp, which the snapshot does not see: it has deleted the row,
    /// or has changed it and the statement does not follow changes.
    Lost(Lsn),
}

impl Transaction {
    /// Promotes a row that this statement has read from the cold store, or finds the anchor that
    /// the row has in memory by now. `row` has its bytes as the statement has read them, after
    /// memory did not decide about the row's key. If an old snapshot has read an older state, and
    /// the statement follows changes, the current state is promoted.
    pub(crate) fn promote(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        follows: bool,
        row: &[u8],
    ) -> TxnResult<BroughtBack> {
        critical::section(Section::Sink, || self.promote_row(task, table, snapshot, follows, row))
    }

    fn promote_row(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        follows: bool,
        row: &[u8],
    ) -> TxnResult<BroughtBack> {
        self.hold(task, table)?;
        let session = self.session.clone();
        let manager = session.manager();
        let safe = manager.horizon.safe();
        let changed = table.cold().filter(|cold| cold.newest() >= safe);
        let Some(cold) = changed else {
            return self.bring_back(task, table, snapshot, Lsn::ZERO, row);
        };
        let (mut p, mut newest) = (KeyBuf::new(), Vec::new());
        table.log_key(row, &mut p);
        match cold.find_newest(task, &p, &mut newest)? {
            Some(found) if found.stamp >= snapshot.stamp && !follows => {
                Ok(BroughtBack::Lost(found.stamp))
            }
            Some(found) if !found.is_gone => {
                // A row that every snapshot sees needs no stamp.
                let begin = if found.stamp < safe { Lsn::ZERO } else { found.stamp };
                let stamp = snapshot.stamp.max(Lsn(begin.0 + 1));
                let snapshot = Snapshot { stamp, ..*snapshot };
                self.bring_back(task, table, &snapshot, begin, &newest)
            }
            gone => Ok(match self.deciding_anchor(task, table, snapshot, row) {
                Some(anchor) => BroughtBack::To(anchor),
                None => BroughtBack::Lost(gone.map_or(snapshot.stamp, |gone| gone.stamp)),
            }),
        }
    }

    fn bring_back(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        begin: Lsn,
        row: &[u8],
    ) -> TxnResult<BroughtBack> {
        let (worker, manager) = (task.worker(), self.session.manager());
        let shard = worker.index();
        // SAFETY: a statement of this transaction is in progress, at this snapshot or at an older
        // one that is registered, and the row was read from the cold store during the statement.
        let promoted =
            unsafe { table.promote(shard, &task.pin(), snapshot, &manager.slots, begin, row)? };
        if let Promoted::New(anchor) = promoted {
            // It sinks again when this statement is over, changed or not. Another transaction may
            // have committed a change of it already: that stamp is no lower than this (S4).
            let (stamp, storage) = (snapshot.stamp, table.storage());
            manager.sinking.add(shard, &mut vec![Sinking { storage, anchor, stamp }]);
            self.note_written(table, row.len() + ROW_BYTES);
        }
        Ok(BroughtBack::To(promoted.anchor()))
    }
}
