//! The keys of new rows: a row is linked into all indexes of its table, or into none, and a unique
//! index takes it only if no row that conflicts has its key, in memory or in the trees.

use base::ids::Lsn;
use crossbeam_epoch::Guard;
use smallvec::SmallVec;

use crate::cold::table::ColdTable;
use crate::hot::anchor::AnchorPtr;
use crate::hot::index::InsertCheck;
use crate::hot::key::KeyBuf;
use crate::hot::status::{Fate, Status};
use crate::hot::table::ConflictPolicy;
use crate::hot::visibility::{self, Isolation};
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::peer_wait::Peer;
use crate::txn::promote::BroughtBack;
use crate::txn::sunk::{identities_in_tree, is_current_key};
use crate::txn::transaction::Transaction;
use crate::txn::write::WriteTarget;
use crate::wait::Task;

/// Why a key cannot be inserted, or not now.
enum KeyTaken {
    /// A transaction that is not over has the key.
    ByPeer(Peer),
    /// A live row has the key, and the insert fails as a duplicate.
    Duplicate,
    /// A row that the snapshot sees has the key; a commit at this stamp, which it does not see, has
    /// deleted or changed the row.
    Lost(Lsn),
    /// A row that the snapshot does not see has the key: committed at this stamp, or (zero) not
    /// committed.
    Unseen(Lsn),
}

impl Transaction {
    /// Links an anchor into all indexes, or into none.
    #[inline]
    pub(super) fn link(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        anchor: AnchorPtr,
        row: &[u8],
    ) -> TxnResult<()> {
        let table = target.table;
        let (mut guard, mut linked) = (task.pin(), 0);
        while linked < table.links() {
            // SAFETY: the anchor is the table's, with this row, and not in this index.
            let refused = unsafe { self.link_one(&guard, target, anchor, row, linked) };
            if refused.is_ok() && table.cold().is_none() {
                linked += 1;
                continue;
            }
            drop(guard);
            let admitted = match refused {
                Ok(()) => {
                    linked += 1;
                    self.check_sunk_key(task, target, row, linked - 1)
                }
                Err(refused) => self.resolve_conflict(task, target, row, linked, refused),
            };
            if let Err(error) = admitted {
                // SAFETY: the anchor was linked into these indexes.
                unsafe { table.unlink(&task.pin(), anchor, row, linked) };
                return Err(error);
            }
            guard = task.pin();
        }
        Ok(())
    }

    /// Makes sure that no row that has sunk has the key of a new row in this index, into which the
    /// new row is linked. A row that has it is promoted: then the conflict is in memory.
    #[cold]
    fn check_sunk_key(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        row: &[u8],
        index: usize,
    ) -> TxnResult<()> {
        let table = target.table;
        // Row numbers are never used again.
        let is_number = table.row_number_column().is_some() && index == table.log_index();
        let Some(cold) = table.cold() else { return Ok(()) };
        if !table.is_unique(index) || is_number || !table.index_holds(index, row) {
            return Ok(());
        }
        let mut key = KeyBuf::new();
        table.key_spec(index).encode_row(table.layout(), row, &mut key);
        while let Some(taken) = self.sunk_key_taken(task, target, cold, index, &key)? {
            self.resolve_conflict(task, target, row, index, taken)?;
        }
        Ok(())
    }

    /// Returns why the key cannot be inserted, if a row in the index's tree prevents that.
    fn sunk_key_taken(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        cold: &ColdTable,
        index: usize,
        key: &[u8],
    ) -> TxnResult<Option<KeyTaken>> {
        let WriteTarget { table, snapshot, .. } = target;
        let is_same = |own: &[u8]| own == key;
        let (mut row, mut seen, mut own) = (Vec::new(), Vec::new(), KeyBuf::new());
        for p in identities_in_tree(task, cold, index, key)? {
            loop {
                let decided = self.decided(task, table, snapshot, index, &p, is_same);
                let mut lost = None;
                let anchors = match decided {
                    Some(anchors) => anchors,
                    None => {
                        row.clear();
                        let newest = cold.find_newest(task, &p, &mut row)?;
                        let is_current = newest.is_some_and(|newest| !newest.is_gone)
                            && is_current_key(table, cold, index, key, &row, &mut own);
                        // If the row has changed since the snapshot, the snapshot may still see the
                        // older row.
                        let changed = newest.map(|n| n.stamp).filter(|s| *s >= snapshot.stamp);
                        if changed.is_some() && snapshot.isolation != Isolation::ReadCommitted {
                            seen.clear();
                            let is_seen = cold.find_as_of(task, &p, snapshot.stamp, &mut seen)?
                                && is_current_key(table, cold, index, key, &seen, &mut own);
                            lost = changed.filter(|_| is_seen);
                        }
                        match is_current {
                            false => SmallVec::new(),
                            true => match self.promote(task, table, snapshot, true, &row)? {
                                BroughtBack::To(anchor) => SmallVec::from_slice(&[anchor]),
                                BroughtBack::Lost(_) => SmallVec::new(),
                            },
                        }
                    }
                };
                let _guard = task.pin();
                for anchor in &anchors {
                    if let Err(taken) = self.examine_key(target, *anchor) {
                        return Ok(Some(taken));
                    }
                }
                if let Some(stamp) = lost {
                    return Ok(Some(KeyTaken::Lost(stamp)));
                }
                if !anchors.iter().any(|anchor| self.has_sunk(table, *anchor)) {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// # Safety
    /// The anchor is the table's, with this row, and not in this index.
    #[inline]
    unsafe fn link_one(
        &self,
        guard: &Guard,
        target: WriteTarget<'_>,
        anchor: AnchorPtr,
        row: &[u8],
        ordinal: usize,
    ) -> Result<(), KeyTaken> {
        let mut verdict = Ok(());
        let mut check = |other| {
            verdict = self.examine_key(target, other);
            if verdict.is_ok() { InsertCheck::Allow } else { InsertCheck::Refuse }
        };
        // SAFETY: the caller has promised that the anchor is the table's, with this row, and not in
        // this index.
        match unsafe { target.table.link(guard, anchor, row, ordinal, &mut check) } {
            true => Ok(()),
            false => verdict,
        }
    }

    /// Waits for the transaction that has the key, or returns why the row cannot be inserted.
    fn resolve_conflict(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        row: &[u8],
        ordinal: usize,
        taken: KeyTaken,
    ) -> TxnResult<()> {
        let table = target.table;
        match taken {
            KeyTaken::ByPeer(peer) => self.wait_for_peer(task, peer),
            KeyTaken::Duplicate => {
                table.counters().duplicate();
                let (storage, index) = (table.storage(), ordinal);
                Err(TxnError::DuplicateKey { storage, index, row: row.into() })
            }
            KeyTaken::Lost(stamp) => Err(self.lost(task, target, stamp)),
            KeyTaken::Unseen(stamp) => {
                self.wait_until_committed(task, stamp);
                Err(TxnError::Serializable)
            }
        }
    }

    /// Judges whether a new row may be inserted although another row has the same key.
    fn examine_key(&self, target: WriteTarget<'_>, other: AnchorPtr) -> Result<(), KeyTaken> {
        let WriteTarget { table, snapshot, .. } = target;
        let slots = &self.manager().slots;
        // SAFETY: the index calls with an anchor that it reached under the caller's guard; the
        // statement's snapshot is registered.
        let seen = || unsafe { snapshot.visible(other, table.links(), slots) }.is_some();
        loop {
            // SAFETY: as above.
            let newest = unsafe { visibility::newest(other, table.links(), slots) };
            return match (table.conflicts(), newest.fate) {
                (_, Fate::Owned { begin, .. }) if begin.slot() == self.slot => match newest.deleted
                {
                    true => Ok(()),
                    false => Err(KeyTaken::Duplicate),
                },
                (ConflictPolicy::Wait, Fate::Owned { begin, .. }) => {
                    // SAFETY: as above.
                    match unsafe { self.peer(table, other, begin) } {
                        Some(peer) => Err(KeyTaken::ByPeer(peer)),
                        None => continue, // it has ended meanwhile
                    }
                }
                (ConflictPolicy::Wait, Fate::Committed(_)) if !newest.deleted => {
                    Err(KeyTaken::Duplicate)
                }
                // A transaction that still sees the deleted row must not see two rows with the key.
                (ConflictPolicy::Wait, Fate::Committed(stamp))
                    if snapshot.isolation != Isolation::ReadCommitted && seen() =>
                {
                    Err(KeyTaken::Lost(stamp))
                }
                (ConflictPolicy::FirstWriterWins, _) if seen() => Err(KeyTaken::Duplicate),
                (_, Fate::Committed(_)) if newest.deleted => Ok(()),
                (_, Fate::Committed(stamp)) => Err(KeyTaken::Unseen(stamp)),
                // An insert that is being undone will have left the index in a moment.
                (_, Fate::Owned { status: Status::Aborted, begin }) => {
                    // SAFETY: as above.
                    match unsafe { self.peer(table, other, begin) } {
                        Some(peer) => Err(KeyTaken::ByPeer(peer)),
                        None => continue,
                    }
                }
                (_, Fate::Owned { .. }) => Err(KeyTaken::Unseen(Lsn::ZERO)),
            };
        }
    }
}
