//! Waiting for other transactions.

use std::task::Poll;

use base::ids::{Lsn, StorageId};

use crate::critical::{self, Section};
use crate::hot::anchor::AnchorPtr;
use crate::hot::status::{Begin, Fate, Status};
use crate::hot::table::{ConflictPolicy, Table};
use crate::hot::visibility;
use crate::log::record::RECORD_ALIGN;
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::locks::{KeysOf, LockMode, Target};
use crate::txn::manager::Manager;
use crate::txn::transaction::{Held, Transaction};
use crate::txn::waits::{Blocker, OwnerId, Resource, WaitPlace};
use crate::wait::{Task, WaitError};

/// Another transaction, which must end before this one can go on, and what it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Peer {
    begin: Begin,
    /// The address of what it has: a row's anchor, or a table that it has written to.
    address: u64,
    /// The table, and for a row the name by which it is locked.
    table: StorageId,
    row: Option<u64>,
    owner: OwnerId,
    /// [`Manager::withdrawals`] before the peer was found there.
    withdrawals: u64,
}

impl Peer {
    /// The peer for a transaction that has written to a table.
    pub fn writer(begin: Begin, owner: OwnerId, table: &Table, withdrawals: u64) -> Peer {
        let (address, table) = (table.pointer().address(), table.storage());
        Peer { begin, address, table, row: None, owner, withdrawals }
    }
}

impl Transaction {
    /// The transaction that wrote `begin` on this row, unless it is over or has withdrawn the
    /// version.
    ///
    /// # Safety
    /// The anchor is the table's and protected by a guard or by the registered snapshot, and the
    /// caller has a guard.
    pub(super) unsafe fn peer(&self, table: &Table, row: AnchorPtr, begin: Begin) -> Option<Peer> {
        let manager = self.manager();
        let slot = manager.slots.get(begin.slot());
        // The owner is read first: if the transaction is not over afterwards, it was its owner.
        let (owner, withdrawals) = (OwnerId(slot.owner()), manager.withdrawals());
        // SAFETY: the caller has a guard, and the anchor is the table's and protected.
        let newest = unsafe { visibility::newest(row, table.links(), &manager.slots) };
        let is_there = matches!(newest.fate, Fate::Owned { begin: now, .. } if now == begin);
        if !is_there || slot.is_over(begin) {
            return None;
        }
        // SAFETY: the caller has a guard, and the anchor is the table's and protected.
        let name = unsafe { KeysOf::anchor(table, row) }.name(row);
        let (address, table, row) = (row.address(), table.storage(), Some(name));
        Some(Peer { begin, address, table, row, owner, withdrawals })
    }

    /// Waits until a peer has ended or committed, or until any version has been withdrawn.
    pub(super) fn wait_for_peer(&mut self, task: &Task, peer: Peer) -> TxnResult<()> {
        self.wait_for_peer_as(task, peer, LockMode::EXCLUSIVE)
    }

    /// As `wait_for_peer`, where the owner wants what the peer has in this mode.
    pub(super) fn wait_for_peer_as(
        &mut self,
        task: &Task,
        peer: Peer,
        wish: LockMode,
    ) -> TxnResult<()> {
        self.session.owner().set_wish(wish);
        let blocker = Blocker::Owner(peer.owner, Resource::Row(peer.address));
        let target = peer.row.map_or(Target::Whole, Target::Row);
        let place = WaitPlace::Part(self.manager().id(), peer.table, target);
        self.block(task, blocker, place, |manager| {
            let slot = manager.slots.get(peer.begin.slot());
            !slot.is_over(peer.begin)
                && !matches!(slot.status(), Status::Committed(_))
                && manager.withdrawals() == peer.withdrawals
        })
    }

    /// Waits until `blocked` returns false or `blocker` ends. `place` is what the system views show
    /// as waited for.
    pub(super) fn block(
        &mut self,
        task: &Task,
        blocker: Blocker,
        place: WaitPlace,
        blocked: impl Fn(&Manager) -> bool,
    ) -> TxnResult<()> {
        critical::section(Section::Wait, || self.block_at(task, blocker, place, blocked))
    }

    fn block_at(
        &mut self,
        task: &Task,
        blocker: Blocker,
        place: WaitPlace,
        blocked: impl Fn(&Manager) -> bool,
    ) -> TxnResult<()> {
        self.pass_baton();
        let session = self.session.clone();
        let (manager, owner) = (session.manager(), session.owner());
        let timeout_ms = owner.lock_timeout_ms();
        if timeout_ms == 0 {
            return if blocked(manager) { Err(TxnError::LockTimeout) } else { Ok(()) };
        }
        let graph = &manager.graph;
        owner.set_cost(self.cost());
        owner.set_place(Some(place));
        let gates = self.held.iter().filter(|h| !h.left).map(|h| h.table.address());
        if graph.register(owner, blocker, gates).is_err() {
            return Err(TxnError::Deadlock);
        }
        self.show_writes();
        let ready = |cx: &mut std::task::Context<'_>| {
            owner.set_waker(cx.waker());
            match owner.is_awake() || !blocked(manager) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        };
        let waited = match timeout_ms {
            ..0 => task.wait_interruptible(ready).map_err(WaitError::from),
            _ => task.wait_until(task.now_ns() + timeout_ms as u64 * 1_000_000, ready),
        };
        let cancelled = graph.cancel(owner);
        // Woken or not, other waiters for the row may have been put behind this one.
        if let Blocker::Owner(_, resource @ Resource::Row(_)) = blocker {
            self.baton = Some(resource);
        }
        cancelled.map_err(|_| TxnError::Deadlock)?;
        waited.map_err(|error| match error {
            WaitError::TimedOut => TxnError::LockTimeout,
            WaitError::Interrupted(_) => TxnError::Interrupted,
        })
    }

    /// Passes on the baton for a row that this transaction did not take: wakes the next waiter for
    /// it. If this transaction holds the row after all until it ends, that waiter looks and waits
    /// again.
    pub(super) fn pass_baton(&mut self) {
        if let Some(resource) = self.baton.take() {
            self.manager().graph.pass(self.session.owner().id(), resource);
        }
    }

    /// Waits until the committed horizon covers a stamp, so that a transaction that begins
    /// afterwards sees the commit. The committer needs a few instructions for that.
    pub(super) fn wait_until_committed(&self, task: &Task, stamp: Lsn) {
        self.manager().log.wait_committed(task, Lsn(stamp.0 + RECORD_ALIGN as u64));
    }

    /// Shows the write set to other sessions until the transaction writes again. Called where the
    /// transaction pauses.
    pub fn show_writes(&mut self) {
        if self.writes.is_empty() || self.writes.is_shown() {
            return;
        }
        let of = |held: &Held| {
            if held.left {
                return None;
            }
            // SAFETY: the gate is held.
            let table = unsafe { held.table.get() };
            let has_locks = table.conflicts() == ConflictPolicy::Wait && !table.is_catalog();
            has_locks.then_some(held.table)
        };
        let tables = self.held.iter().map(of).collect();
        let session = self.session.clone();
        self.writes.show(session.owner().window(), session.manager().id(), tables);
    }
}
