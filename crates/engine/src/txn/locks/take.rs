//! How a transaction takes locks, and releases them.

use std::ops::{Bound, ControlFlow};

use smallvec::SmallVec;

use crate::cold::table::ColdTable;
use crate::cold::tree;
use crate::hot::cursor::ScanRange;
use crate::hot::index::Index;
use crate::hot::status::{Fate, Status};
use crate::hot::table::{Table, TablePtr};
use crate::hot::visibility;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::SeqCst;
use crate::sync::atomic::fence;
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::locks::held::HeldSpace;
use crate::txn::locks::mode::LockMode;
use crate::txn::locks::queue::{LockFault, Patience, Taken};
use crate::txn::locks::row_keys::{KeysOf, NoKeys, RowKeys, name_of};
use crate::txn::locks::space::{LockSpace, Request};
use crate::txn::locks::target::{Lifetime, Span, Target};
use crate::txn::peer_wait::Peer;
use crate::txn::transaction::Transaction;
use crate::txn::waits::{Blocker, OwnerId, Resource, WaitPlace};
use crate::wait::Task;

/// Rows and ranges of a table that one transaction locks before it tries to lock the table instead.
pub const ESCALATION: usize = 5000;
/// How many more before it tries again.
pub const ESCALATION_STEP: usize = 1250;

/// A lock that a transaction requests.
pub(super) struct LockWish {
    pub target: Target,
    pub mode: LockMode,
    pub lifetime: Lifetime,
}

impl LockWish {
    /// A lock that is held until the transaction ends.
    pub fn of_transaction(target: Target, mode: LockMode) -> LockWish {
        LockWish { target, mode, lifetime: Lifetime::Transaction }
    }
}

/// A lock that a transaction requests on the rows of a range and the gaps between them.
#[derive(Clone, Copy)]
struct SpanWish<'r> {
    span: &'r Span,
    /// The range that the span was made of.
    range: &'r ScanRange,
    mode: LockMode,
    patience: Patience,
}

/// An owner in the way of a lock on a range.
enum InSpan {
    /// A transaction that has changed a row of it.
    Writer(Peer),
    /// An owner that has locked this row of it.
    Locker(OwnerId, u64),
}

impl From<LockFault> for TxnError {
    fn from(fault: LockFault) -> TxnError {
        match fault {
            LockFault::Timeout => TxnError::LockTimeout,
            LockFault::Deadlock => TxnError::Deadlock,
            LockFault::Interrupted => TxnError::Interrupted,
            LockFault::OutOfMemory => TxnError::OutOfLocks,
        }
    }
}

impl Transaction {
    pub(super) fn owner_id(&self) -> OwnerId {
        self.session.owner().id()
    }

    /// Returns the lock space of a table, in which the transaction counts from here on as a locker.
    pub(super) fn lock_space(&mut self, table: &Table) -> Arc<LockSpace> {
        if let Some(held) = self.held_space(table) {
            return held.space.clone();
        }
        let space = self.manager().locks.table(table.storage());
        table.lock_word().enter();
        let held =
            HeldSpace { table: table.pointer(), space: space.clone(), parts: 0, writes: false };
        self.locks.get_or_insert_default().spaces.push(held);
        space
    }

    fn held_space(&mut self, table: &Table) -> Option<&mut HeldSpace> {
        let pointer = table.pointer();
        self.locks.as_mut()?.spaces.iter_mut().find(|held| held.table == pointer)
    }

    /// Whether pending locks of other owners do not concern this transaction, since they wait for
    /// it.
    pub(super) fn is_established(&mut self, table: &Table) -> bool {
        !self.writes.is_empty() || self.held_space(table).is_some_and(|held| held.parts > 0)
    }

    pub(super) fn take_lock(
        &mut self,
        task: &Task,
        space: &LockSpace,
        wish: LockWish,
        keys: &dyn RowKeys,
        established: bool,
        patience: Patience,
    ) -> TxnResult<Taken> {
        self.pass_baton();
        let owner = self.session.owner().clone();
        owner.set_cost(self.cost());
        if wish.lifetime == Lifetime::Statement {
            self.locks.get_or_insert_default().by_statement = true;
        }
        let LockWish { target, mode, lifetime } = wish;
        let request = Request { owner, target, mode, lifetime, established };
        let gates = self.gates().collect();
        Ok(space.take(task, request, keys, patience, gates, || self.show_writes())?)
    }

    /// Locks a table as a whole, or announces locks on its parts. A lock that keeps writers out
    /// waits for transactions that have written to the table and are not over.
    pub fn lock_table(
        &mut self,
        task: &Task,
        table: &Table,
        mode: LockMode,
        lifetime: Lifetime,
        patience: Patience,
    ) -> TxnResult<()> {
        self.enter_table(task, table)?;
        let space = self.lock_space(table);
        let established = self.is_established(table);
        let wish = LockWish { target: Target::Whole, mode, lifetime };
        let taken = self.take_lock(task, &space, wish, &NoKeys, established, patience)?;
        if taken.covered || !mode.covers(LockMode::SHARED) {
            return Ok(());
        }
        let cleared = self.clear_table(task, table, &space, mode, lifetime, patience);
        if cleared.is_err() {
            space.weaken(self.owner_id(), &Target::Whole, lifetime, taken.before);
        }
        cleared
    }

    /// Waits until no other transaction that has written to a table is left. Until then these
    /// transactions may go on there, and newcomers wait.
    fn clear_table(
        &mut self,
        task: &Task,
        table: &Table,
        space: &LockSpace,
        mode: LockMode,
        lifetime: Lifetime,
        patience: Patience,
    ) -> TxnResult<()> {
        let owner = self.owner_id();
        loop {
            fence(SeqCst); // pairs with the one in Slot::note_table
            let Some(writer) = self.other_writer(table) else { return Ok(()) };
            if patience == Patience::None {
                return Err(TxnError::LockTimeout);
            }
            space.set_pending(owner, lifetime, true);
            let waited = self.wait_for_peer_as(task, writer, mode);
            // Then look again: a writer that was let past has announced itself before.
            space.set_pending(owner, lifetime, false);
            waited?;
        }
    }

    /// Another transaction that has written to the table and is not over.
    fn other_writer(&self, table: &Table) -> Option<Peer> {
        let (manager, address) = (self.manager(), table.pointer().address());
        let mut found = None;
        manager.slots.for_each(|number, slot| {
            if found.is_some() || number == self.slot || !slot.is_taken() {
                return;
            }
            let (begin, owner) = (slot.first_word(number), OwnerId(slot.owner()));
            let committed = matches!(slot.status(), Status::Committed(_));
            if owner.0 != 0 && slot.writes_to(address) && !committed && !slot.is_over(begin) {
                found = Some(Peer::writer(begin, owner, table, manager.withdrawals()));
            }
        });
        found
    }

    /// Locks a row until the transaction ends. The result is for [`Transaction::unlock_row`], if
    /// the row is not wanted after all.
    pub(super) fn lock_row_for(
        &mut self,
        task: &Task,
        table: &Table,
        keys: &KeysOf<'_>,
        name: u64,
        mode: LockMode,
        patience: Patience,
    ) -> TxnResult<Taken> {
        let space = self.lock_space(table);
        let established = self.is_established(table);
        let wish = LockWish::of_transaction(Target::Row(name), mode);
        let taken = self.take_lock(task, &space, wish, keys, established, patience)?;
        if !taken.covered {
            self.count_part(table, mode);
        }
        Ok(taken)
    }

    pub(super) fn unlock_row(&mut self, table: &Table, name: u64, taken: Taken) {
        if taken.covered {
            return;
        }
        let owner = self.owner_id();
        if let Some(held) = self.held_space(table) {
            let target = Target::Row(name);
            held.space.weaken(owner, &target, Lifetime::Transaction, taken.before);
            held.parts = held.parts.saturating_sub(usize::from(taken.before.is_none()));
        }
    }

    fn count_part(&mut self, table: &Table, mode: LockMode) {
        let held = self.held_space(table).expect("it has just been locked in");
        held.parts += 1;
        held.writes |= !LockMode::SHARED.covers(mode);
    }

    /// Trades many locks in a table for one on the table, if no other owner is in the way.
    pub(super) fn escalate(&mut self, task: &Task, table: &Table) -> TxnResult<()> {
        let owner = self.owner_id();
        let Some(held) = self.held_space(table) else { return Ok(()) };
        let due = held.parts >= ESCALATION && (held.parts - ESCALATION) % ESCALATION_STEP == 0;
        if !due {
            return Ok(());
        }
        let mode = if held.writes { LockMode::EXCLUSIVE } else { LockMode::SHARED };
        let (until, now) = (Lifetime::Transaction, Patience::None);
        match self.lock_table(task, table, mode, until, now) {
            Ok(()) => {
                let held = self.held_space(table).expect("it was locked in before");
                held.space.end_parts(owner);
                held.parts = 0;
                Ok(())
            }
            Err(TxnError::LockTimeout) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Locks the rows of a range of an index and the gaps between them until the transaction ends.
    pub(super) fn lock_span(
        &mut self,
        task: &Task,
        table: &Table,
        index: usize,
        range: &ScanRange,
        mode: LockMode,
        patience: Patience,
    ) -> TxnResult<()> {
        let space = self.lock_space(table);
        let ordered = matches!(table.index_at(index), Index::Range(_));
        let span = Span::of(index, range, ordered);
        let established = self.is_established(table);
        let wish = LockWish::of_transaction(Target::Span(span.clone()), mode);
        let taken = self.take_lock(task, &space, wish, &NoKeys, established, patience)?;
        if taken.covered {
            return Ok(());
        }
        let wish = SpanWish { span: &span, range, mode, patience };
        match self.complete_span(task, table, &space, wish) {
            Ok(()) => {
                self.count_part(table, mode);
                Ok(())
            }
            Err(error) => {
                space.abandon(self.owner_id(), &span);
                Err(error)
            }
        }
    }

    /// Makes a registered span count for all other owners, after waiting for those in its way.
    fn complete_span(
        &mut self,
        task: &Task,
        table: &Table,
        space: &LockSpace,
        wish: SpanWish<'_>,
    ) -> TxnResult<()> {
        let SpanWish { span, patience, .. } = wish;
        loop {
            self.clear_span(task, table, space, wish)?;
            let Err(other) = space.end_pending(self.owner_id(), span) else { return Ok(()) };
            if patience == Patience::None {
                return Err(TxnError::LockTimeout);
            }
            let blocker = Blocker::Owner(other, Resource::Lock(table.pointer().address()));
            let place = self.part(table, Target::Span(span.clone()));
            self.block(task, blocker, place, |_| space.holds_span(other, span))?;
        }
    }

    /// Waits until no other transaction has changed, or locked for a change, a row of a span that
    /// was registered.
    fn clear_span(
        &mut self,
        task: &Task,
        table: &Table,
        space: &LockSpace,
        wish: SpanWish<'_>,
    ) -> TxnResult<()> {
        let SpanWish { mode, patience, .. } = wish;
        fence(SeqCst); // pairs with writers' looks at the lock word
        while let Some(other) = self.first_in_span(task, table, space, wish)? {
            if patience == Patience::None {
                return Err(TxnError::LockTimeout);
            }
            match other {
                InSpan::Writer(peer) => self.wait_for_peer_as(task, peer, mode)?,
                InSpan::Locker(owner, row) => {
                    let blocker = Blocker::Owner(owner, Resource::Row(row));
                    let (own, place) = (self.owner_id(), self.part(table, Target::Row(row)));
                    self.session.owner().set_wish(mode);
                    self.block(task, blocker, place, |_| {
                        space.row_holder(own, row, mode) == Some(owner)
                    })?;
                }
            }
            self.pass_baton();
        }
        Ok(())
    }

    /// A part of a table, as the place of a wait.
    fn part(&self, table: &Table, target: Target) -> WaitPlace {
        WaitPlace::Part(self.manager().id(), table.storage(), target)
    }

    fn first_in_span(
        &self,
        task: &Task,
        table: &Table,
        space: &LockSpace,
        wish: SpanWish<'_>,
    ) -> TxnResult<Option<InSpan>> {
        let SpanWish { span, range, mode, .. } = wish;
        let (slots, owner) = (&self.manager().slots, self.owner_id());
        let mut found = None;
        table.any_in_range(&task.worker(), span.index, range, |anchor| {
            // SAFETY: called under a guard under which the anchor was reached; a snapshot of this
            // transaction is registered.
            let newest = unsafe { visibility::newest(anchor, table.links(), slots) };
            found = match newest.fate {
                Fate::Owned { begin, .. } if begin.slot() == self.slot => None,
                Fate::Owned { begin, .. } => {
                    // SAFETY: as above.
                    let peer = unsafe { self.peer(table, anchor, begin) };
                    peer.map(InSpan::Writer)
                }
                Fate::Committed(_) if newest.deleted => None,
                Fate::Committed(_) => {
                    // SAFETY: as above.
                    let row = unsafe { KeysOf::anchor(table, anchor) }.name(anchor);
                    space.row_holder(owner, row, mode).map(|other| InSpan::Locker(other, row))
                }
            };
            found.is_some()
        });
        match table.cold() {
            // Rows that have sunk are not being changed, but they may be locked.
            Some(cold) if found.is_none() && space.has_row_holder(owner, mode) => {
                self.first_in_tree(task, cold, space, span, mode)
            }
            _ => Ok(found),
        }
    }

    /// Finds an owner that has locked a row of the span that is not in memory, or was not when
    /// memory was walked through. Rows are in the tree before they leave memory, and still when
    /// they come back.
    #[cold]
    fn first_in_tree(
        &self,
        task: &Task,
        cold: &ColdTable,
        space: &LockSpace,
        span: &Span,
        mode: LockMode,
    ) -> TxnResult<Option<InSpan>> {
        let owner = self.owner_id();
        let upper =
            span.upper.as_ref().map_or(Bound::Unbounded, |upper| Bound::Excluded(&upper[..]));
        let range = tree::Range { lower: Bound::Included(&span.lower[..]), upper };
        let mut cursor = cold.cursor(span.index, range, tree::Direction::Forward);
        loop {
            let mut found = None;
            let chunk = cursor.next_chunk(task, |entry| {
                let row = name_of(entry.p);
                found = space.row_holder(owner, row, mode).map(|other| InSpan::Locker(other, row));
                match found {
                    None => ControlFlow::Continue(()),
                    Some(_) => ControlFlow::Break(()),
                }
            })?;
            if found.is_some() || chunk == tree::Chunk::Ended {
                return Ok(found);
            }
        }
    }

    /// Whether the transaction has locked anything in a table.
    pub(crate) fn is_locked_in(&self, table: TablePtr) -> bool {
        self.locks.as_ref().is_some_and(|locks| locks.spaces.iter().any(|held| held.table == table))
    }

    /// Forgets the tables in which nothing is locked any more.
    pub(crate) fn leave_lock_spaces(&mut self) {
        let owner = self.owner_id();
        let Some(locks) = &mut self.locks else { return };
        locks.spaces.retain(|held| {
            let stays = held.space.is_held_by(owner);
            if !stays {
                // SAFETY: the gate of every table that something is locked in is held.
                unsafe { held.table.get() }.lock_word().leave();
            }
            stays
        });
    }

    /// Releases what was locked for the statement alone.
    pub(crate) fn end_statement_locks(&mut self) {
        let owner = self.owner_id();
        let Some(locks) = self.locks.as_mut().filter(|locks| locks.by_statement) else { return };
        locks.by_statement = false;
        locks.spaces.iter().for_each(|held| held.space.end(owner, Lifetime::Statement));
    }

    /// Releases all locks.
    pub(crate) fn end_locks(&mut self) {
        let owner = self.owner_id();
        for held in self.locks.take().map_or(SmallVec::new(), |locks| locks.spaces) {
            held.space.end(owner, Lifetime::Transaction);
            // SAFETY: the gate of every table that something is locked in is held.
            unsafe { held.table.get() }.lock_word().leave();
        }
    }
}
