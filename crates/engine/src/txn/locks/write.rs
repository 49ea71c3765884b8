//! What writers do in tables that have locks.
//!
//! A writer needs an exclusive lock on the row it changes, an insert a place that is in no range of
//! another owner, and both that no other owner has locked the table. They request these locks in
//! the queue like any other owner, and give them back as soon as the version is in place: a
//! transaction that finds the version waits for the writer.

use crate::hot::anchor::AnchorPtr;
use crate::hot::table::{ConflictPolicy, Table};
use crate::hot::visibility;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::SeqCst;
use crate::sync::atomic::fence;
use crate::txn::error::TxnResult;
use crate::txn::locks::LockMode;
use crate::txn::locks::queue::{Patience, Taken};
use crate::txn::locks::row_keys::{KeysOf, NoKeys};
use crate::txn::locks::space::{LockSpace, Request};
use crate::txn::locks::take::LockWish;
use crate::txn::locks::target::{Lifetime, Target};
use crate::txn::transaction::Transaction;
use crate::txn::waits::{OwnerId, Resource};
use crate::txn::write_set::Savepoint;
use crate::wait::Task;

/// The locks that one write needs, until its version is in place.
pub(crate) struct WritePermit {
    space: Arc<LockSpace>,
    owner: OwnerId,
    table: Taken,
    row: Option<LockedRow>,
}

/// A row's name, and the lock on it.
struct LockedRow {
    name: u64,
    taken: Taken,
}

impl Drop for WritePermit {
    fn drop(&mut self) {
        let give_back = |target: &Target, taken: Taken| {
            if !taken.covered {
                self.space.weaken(self.owner, target, Lifetime::Transaction, taken.before);
            }
        };
        if let Some(LockedRow { name, taken }) = self.row {
            give_back(&Target::Row(name), taken);
        }
        give_back(&Target::Whole, self.table);
    }
}

impl Transaction {
    /// Whether a writer has to request locks in this table. Before a version is put in place the
    /// answer only saves the writer from taking it back; the answer afterwards decides.
    #[inline]
    pub(crate) fn must_lock(&self, table: &Table) -> bool {
        // The policy first: memory-optimized tables have no locks, and their word is another cache
        // line.
        table.conflicts() == ConflictPolicy::Wait && table.lock_word().is_used()
    }

    /// Requests the locks that changing a row needs; a row that the transaction owns needs none.
    #[cold]
    pub(crate) fn request_change_locks(
        &mut self,
        task: &Task,
        table: &Table,
        anchor: AnchorPtr,
    ) -> TxnResult<Option<WritePermit>> {
        let is_own = {
            let (_guard, slots) = (task.pin(), &self.manager().slots);
            // SAFETY: under the guard; the row is visible to the registered snapshot, or newer.
            unsafe { visibility::newest(anchor, table.links(), slots) }.is_own(self.slot)
        };
        if is_own {
            return Ok(None);
        }
        self.ask_for_row(task, table, anchor).map(Some)
    }

    fn ask_for_row(
        &mut self,
        task: &Task,
        table: &Table,
        anchor: AnchorPtr,
    ) -> TxnResult<WritePermit> {
        let patience = Patience::Session;
        let mut permit = self.ask_for_table(task, table, patience)?;
        let established = self.is_established(table);
        // SAFETY: the row is visible to the registered snapshot, or newer, so that it stays.
        let keys = unsafe { KeysOf::anchor(table, anchor) };
        let name = keys.name(anchor);
        let wish = LockWish::of_transaction(Target::Row(name), LockMode::EXCLUSIVE);
        let space = permit.space.clone();
        let taken = self.take_lock(task, &space, wish, &keys, established, patience)?;
        permit.row = Some(LockedRow { name, taken });
        Ok(permit)
    }

    /// Requests the locks that inserting a row needs.
    #[cold]
    pub(crate) fn request_insert_locks(
        &mut self,
        task: &Task,
        table: &Table,
        row: &[u8],
    ) -> TxnResult<()> {
        let permit = self.ask_for_table(task, table, Patience::Session)?;
        let established = self.is_established(table);
        let wish = LockWish::of_transaction(Target::Insert, LockMode::EXCLUSIVE);
        let (keys, space) = (KeysOf { table, row }, permit.space.clone());
        self.take_lock(task, &space, wish, &keys, established, Patience::Session).map(drop)
    }

    fn ask_for_table(
        &mut self,
        task: &Task,
        table: &Table,
        patience: Patience,
    ) -> TxnResult<WritePermit> {
        let (space, owner) = (self.manager().locks.table(table.storage()), self.owner_id());
        let established = self.is_established(table);
        let wish = LockWish::of_transaction(Target::Whole, LockMode::INTENT_EXCLUSIVE);
        let table = self.take_lock(task, &space, wish, &NoKeys, established, patience)?;
        Ok(WritePermit { space, owner, table, row: None })
    }

    /// Whether a lock that was granted meanwhile keeps this transaction from the row that it has
    /// just changed. `permit` is what it was granted before the change.
    #[cold]
    pub(crate) fn is_overtaken_at(
        &mut self,
        table: &Table,
        anchor: AnchorPtr,
        permit: Option<&WritePermit>,
    ) -> bool {
        let space = self.manager().locks.table(table.storage());
        // SAFETY: the row is this transaction's.
        let keys = unsafe { KeysOf::anchor(table, anchor) };
        let change = self.write_request(Target::Row(keys.name(anchor)), permit.is_some());
        match permit {
            // Spans that were pending when the permit was granted may count by now.
            Some(_) => space.is_in_span(&change, &keys),
            None => !space.is_available(&change, &keys) || !self.may_write(&space),
        }
    }

    /// As `is_overtaken_at`, for a row that it has just inserted.
    #[cold]
    pub(crate) fn is_insert_overtaken(&mut self, table: &Table, row: &[u8]) -> bool {
        let space = self.manager().locks.table(table.storage());
        let place = self.write_request(Target::Insert, true);
        !space.is_available(&place, &KeysOf { table, row }) || !self.may_write(&space)
    }

    /// Whether no lock on the table as a whole keeps this transaction from writing.
    fn may_write(&self, space: &LockSpace) -> bool {
        let mut table = self.write_request(Target::Whole, true);
        table.mode = LockMode::INTENT_EXCLUSIVE;
        space.is_available(&table, &NoKeys)
    }

    fn write_request(&self, target: Target, established: bool) -> Request {
        Request {
            owner: self.session.owner().clone(),
            target,
            mode: LockMode::EXCLUSIVE,
            lifetime: Lifetime::Transaction,
            established,
        }
    }

    /// Takes back a write of this row, which was put in place since `before`. Transactions that
    /// have met it look again.
    #[cold]
    pub(crate) fn withdraw(&mut self, task: &Task, before: Savepoint, row: AnchorPtr) {
        self.roll_back(task, before);
        self.manager().note_withdrawal();
        let owner = self.owner_id();
        self.manager().graph.pass(owner, Resource::Row(row.address()));
    }

    /// Announces that the transaction is about to write to a table for the first time.
    #[cold]
    pub(crate) fn announce_writes(&mut self, held: u32) {
        let held = &mut self.held[held as usize];
        (held.announced, held.kept) = (true, true);
        // SAFETY: the gate is held.
        let table = unsafe { held.table.get() };
        if table.conflicts() == ConflictPolicy::Wait {
            let address = table.pointer().address();
            self.slot().note_table(address);
        }
    }

    /// Makes a new row that was linked visible to lockers, which look after they have locked.
    #[inline]
    pub(crate) fn order_insert(&self, table: &Table) {
        if table.conflicts() == ConflictPolicy::Wait {
            fence(SeqCst); // pairs with the lockers' fences, see the header of `txn::locks`
        }
    }
}
