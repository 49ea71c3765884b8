//! Reading rows with locks, and reading what is not committed.

use base::arena::Arena;
use base::ids::Lsn;

use crate::critical::{self, Section};
use crate::hot::anchor::{AnchorPtr, DELETED, HEADER_LEN, RowAt};
use crate::hot::cursor::{Cursor, Fetched, Look, Seen};
use crate::hot::key::{KeyBuf, SeekKey};
use crate::hot::status::Fate;
use crate::hot::table::{DiskTable, Table};
use crate::hot::visibility::{self, Isolation, Newest, Snapshot};
use crate::sync::atomic::Ordering::{Acquire, SeqCst};
use crate::sync::atomic::fence;
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::locks::LockMode;
use crate::txn::locks::queue::{Patience, Taken};
use crate::txn::locks::row_keys::{KeysOf, NoKeys, RowKeys};
use crate::txn::locks::take::LockWish;
use crate::txn::locks::target::{Lifetime, Target};
use crate::txn::peer_wait::Peer;
use crate::txn::read::Sighting;
use crate::txn::row_ref::RowRef;
use crate::txn::transaction::Transaction;
use crate::wait::Task;

/// How a cursor reads.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reading {
    /// What its snapshot sees.
    #[default]
    Versions,
    /// The newest versions, committed or not.
    Uncommitted,
    /// The newest committed versions, locked.
    Locked(Locking),
}

/// What a cursor locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Locking {
    /// How strong the locks on rows and ranges are.
    pub mode: LockMode,
    /// What they are on, and for how long.
    pub reach: Reach,
    /// A lock on the table, and for how long.
    pub table: Option<(LockMode, Lifetime)>,
    /// Whether to leave out rows that other owners have locked or changed: `READPAST`.
    pub skip: bool,
    /// Whether to fail at rows that other owners have locked or changed: `NOWAIT`.
    pub no_wait: bool,
    /// Whether many locks may become one on the table.
    pub escalate: bool,
}

/// What row locks are on, and for how long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Each row, for the moment when it is read.
    Instant,
    /// Each row, until the transaction ends.
    Rows,
    /// The range, until the transaction ends.
    Range,
}

impl Locking {
    /// Whether it keeps no locks, and leaves nothing out.
    pub fn is_for_the_moment(&self) -> bool {
        self.reach == Reach::Instant && self.table.is_none() && !self.skip
    }

    fn patience(&self) -> Patience {
        match self.no_wait {
            true => Patience::None,
            false => Patience::Session,
        }
    }
}

/// What a row that was found has become.
enum FoundState {
    Row(RowAt),
    /// The row as a commit at this stamp has left it, which the snapshot does not see.
    Newer(RowAt, Lsn),
    Gone,
    /// It has moved to this anchor, with the same key in the index that is read.
    Moved(AnchorPtr),
    Peer(Peer),
    Again,
    Lost,
    /// It has sunk.
    Sunk,
}

impl Cursor<'_> {
    /// Returns the next row, with the locks that `locking` asks for. The cursor's snapshot decides
    /// which changes of its own transaction are seen and, under SNAPSHOT, from which newer commits
    /// on rows are lost.
    pub fn next_locked<'c>(
        &'c mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &'c Table,
        locking: &Locking,
    ) -> TxnResult<Option<RowRef<'c>>> {
        let row = self.fetch_locked(txn, task, table, locking)?;
        // SAFETY: the row is visible to the cursor's snapshot, or newer; the snapshot is registered
        // as long as the cursor lives, and the cursor keeps copies until it is asked again.
        Ok(row.map(|row| unsafe { RowRef::new(table, row) }))
    }

    fn fetch_locked(
        &mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &Table,
        locking: &Locking,
    ) -> TxnResult<Option<RowAt>> {
        if self.is_fresh() {
            assert!(
                txn.registers(self.snapshot()),
                "a cursor reads in its statement's transaction"
            );
            txn.begin_locked_scan(task, table, self, locking)?;
            txn.offer_to_cache(task, table, self)?;
            self.start_in(table);
        }
        self.assert_in(table);
        let snapshot = *self.snapshot();
        loop {
            while let Some(found) = self.pop() {
                if self.has_followed(found.anchor) {
                    continue;
                }
                if locking.reach == Reach::Instant
                    && txn.is_newest_unlocked(table, &snapshot, found)
                {
                    return Ok(Some(found));
                }
                let index = self.index();
                let Some(row) = txn.lock_found(task, table, &snapshot, index, found, locking)?
                else {
                    continue;
                };
                // A row that has sunk or was promoted meanwhile has not moved: the walk comes to it
                // only here.
                let is_or_was_cold = found.anchor.is_cold() || row.anchor.is_cold();
                let went_on = row.anchor != found.anchor && !is_or_was_cold;
                if went_on && !self.follow(row.anchor) {
                    continue;
                }
                return Ok(Some(row));
            }
            task.checkpoint().map_err(|_| TxnError::Interrupted)?;
            let mut peer = None;
            let mut look =
                |anchor| txn.look_committed(table, &snapshot, anchor, locking, &mut peer);
            let fetched = match self.cold_of(table) {
                None => self.fetch_by(table, &task.pin(), &mut look),
                Some(cold) => {
                    self.fetch_merged(task, DiskTable { table, cold }, &mut |anchor| Seen {
                        look: look(anchor),
                        overrides: txn.decides(table, &snapshot, anchor),
                    })?
                }
            };
            match (fetched, peer) {
                (Fetched::End, _) => return Ok(None),
                (Fetched::Stopped, Some(_)) if locking.no_wait => {
                    return Err(TxnError::LockTimeout);
                }
                (Fetched::Stopped, Some(peer)) => {
                    txn.wait_for_peer_as(task, peer, locking.mode)?;
                    txn.pass_baton();
                }
                _ => {}
            }
        }
    }

    /// Returns the next row in its newest state, committed or not. A row that is not committed is a
    /// copy that lasts until [`Cursor::forget_copies`].
    pub fn next_uncommitted<'c>(
        &'c mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &'c Table,
    ) -> TxnResult<Option<RowRef<'c>>> {
        let row = self.fetch_uncommitted(txn, task, table)?;
        // SAFETY: a committed row is protected by the cursor's snapshot, which is registered as
        // long as the cursor lives; of any other the cursor keeps a copy.
        Ok(row.map(|row| unsafe { RowRef::new(table, row) }))
    }

    fn fetch_uncommitted(
        &mut self,
        txn: &mut Transaction,
        task: &Task,
        table: &Table,
    ) -> TxnResult<Option<RowAt>> {
        if self.is_fresh() {
            assert!(
                txn.registers(self.snapshot()),
                "a cursor reads in its statement's transaction"
            );
            txn.enter_table(task, table)?;
            self.start_in(table);
        }
        self.assert_in(table);
        let snapshot = *self.snapshot();
        loop {
            if let Some(row) = self.pop() {
                return Ok(Some(row));
            }
            task.checkpoint().map_err(|_| TxnError::Interrupted)?;
            let mut look = |anchor| txn.look_uncommitted(table, &snapshot, anchor);
            let fetched = match self.cold_of(table) {
                None => self.fetch_by(table, &task.pin(), &mut look),
                Some(cold) => {
                    self.fetch_merged(task, DiskTable { table, cold }, &mut |anchor| Seen {
                        look: look(anchor),
                        overrides: txn.decides(table, &snapshot, anchor),
                    })?
                }
            };
            if fetched == Fetched::End {
                return Ok(None);
            }
        }
    }
}

impl Transaction {
    fn begin_locked_scan(
        &mut self,
        task: &Task,
        table: &Table,
        cursor: &Cursor,
        locking: &Locking,
    ) -> TxnResult<()> {
        self.enter_table(task, table)?;
        let patience = locking.patience();
        if let Some((mode, lifetime)) = locking.table {
            self.lock_table(task, table, mode, lifetime, patience)?;
        }
        match locking.reach {
            Reach::Instant => {
                // A lock on the table may keep readers out, too.
                if table.lock_word().is_used() {
                    let space = self.manager().locks.table(table.storage());
                    let until = Lifetime::Transaction;
                    let wish = LockWish::of_transaction(Target::Whole, locking.mode.intent());
                    let established = self.is_established(table);
                    let taken =
                        self.take_lock(task, &space, wish, &NoKeys, established, patience)?;
                    if !taken.covered {
                        space.weaken(self.owner_id(), &Target::Whole, until, taken.before);
                    }
                }
            }
            Reach::Rows | Reach::Range => {
                let intent = locking.mode.intent();
                self.lock_table(task, table, intent, Lifetime::Transaction, patience)?;
            }
        }
        if locking.reach == Reach::Range {
            let (index, range) = (cursor.index(), cursor.range());
            self.lock_span(task, table, index, range, locking.mode, patience)?;
            if locking.escalate {
                self.escalate(task, table)?;
            }
        }
        Ok(())
    }

    /// Says what a locking cursor does with an anchor that it has come to, under a guard.
    fn look_committed(
        &self,
        table: &Table,
        snapshot: &Snapshot,
        anchor: AnchorPtr,
        locking: &Locking,
        peer: &mut Option<Peer>,
    ) -> Look {
        let (links, slots) = (table.links(), &self.manager().slots);
        // SAFETY: the anchor was reached under the caller's guard; the snapshot is registered.
        unsafe {
            if snapshot.isolation == Isolation::Snapshot {
                let seen = snapshot.visible(anchor, links, slots);
                return seen.map_or(Look::Nothing, |version| Look::Row(RowAt { anchor, version }));
            }
            let newest = visibility::newest(anchor, links, slots);
            match newest.fate {
                Fate::Owned { begin, .. } if begin.slot() == self.slot => {
                    let seen = snapshot.visible(anchor, links, slots);
                    seen.map_or(Look::Nothing, |version| Look::Row(RowAt { anchor, version }))
                }
                Fate::Committed(stamp) if newest.deleted => match newest.moved_to() {
                    // Moved since the statement began, perhaps to where the walk has been already.
                    Some(_) if stamp >= snapshot.stamp => {
                        Look::Row(RowAt { anchor, version: newest.version })
                    }
                    _ => Look::Nothing,
                },
                Fate::Committed(_) => Look::Row(RowAt { anchor, version: newest.version }),
                Fate::Owned { begin, .. } => match newest.committed(anchor, table.links(), slots) {
                    // The row has a committed version. The cursor waits for the writer before it
                    // hands the row out.
                    Some(version) => Look::Row(RowAt { anchor, version }),
                    None if locking.skip => Look::Nothing,
                    None => {
                        *peer = self.peer(table, anchor, begin);
                        Look::Stop
                    }
                },
            }
        }
    }

    /// Whether a row that was found is what a locking reader for the moment would find: nothing in
    /// the table is locked, and its newest version, which the snapshot sees, is the one found.
    #[inline]
    fn is_newest_unlocked(&self, table: &Table, snapshot: &Snapshot, row: RowAt) -> bool {
        // SAFETY: the row was found in the table, and the registered snapshot sees it, or it is
        // newer.
        let is_newest = || unsafe {
            visibility::is_newest(row.anchor, table.links(), row.version, snapshot.stamp)
        };
        !row.anchor.is_cold() && !table.lock_word().is_used() && is_newest()
    }

    /// Finds the row with this key in a unique index, if it is what a locking reader for the moment
    /// would find without waiting. If it returns `None` there may be such a row all the same.
    pub fn look_up_settled<'s>(
        &mut self,
        task: &Task,
        table: &'s Table,
        snapshot: &Snapshot<'s>,
        index: usize,
        key: SeekKey<'_>,
        arena: &'s Arena,
    ) -> TxnResult<Option<RowRef<'s>>> {
        assert!(self.registers(snapshot), "a statement reads in its own transaction");
        let found = critical::section(Section::Read, || {
            self.find_visible(task, table, snapshot, index, key, arena)
        })?;
        let is_settled = |found: &Sighting| match found.is_copy {
            true => !table.lock_word().is_used(),
            false => self.is_newest_unlocked(table, snapshot, found.row),
        };
        // SAFETY: the snapshot is registered for `'s`, and the arena keeps a copy for as long.
        Ok(found.filter(is_settled).map(|found| unsafe { RowRef::new(table, found.row) }))
    }

    /// Locks a row that a cursor has found and finds out what it is now. `None` if it is gone, or
    /// is left out.
    fn lock_found(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        index: usize,
        mut row: RowAt,
        locking: &Locking,
    ) -> TxnResult<Option<RowAt>> {
        loop {
            // SAFETY: the row is visible to the registered snapshot, or newer, so that it stays.
            let keys = unsafe { KeysOf::row(table, row) };
            let lock = match self.lock_for_read(task, table, &keys, row, locking) {
                Err(TxnError::LockTimeout) if locking.skip => return Ok(None),
                lock => lock?,
            };
            fence(SeqCst); // pairs with writers' looks at the lock word
            let name = keys.name(row.anchor);
            let found = self.wait_until_settled(task, table, snapshot, index, row, locking);
            let wanted = matches!(found, Ok(FoundState::Row(_)));
            match lock {
                Some(taken) if !wanted => self.unlock_row(table, name, taken),
                Some(_) if locking.escalate => self.escalate(task, table)?,
                _ => {}
            }
            match found? {
                FoundState::Row(row) => return Ok(Some(row)),
                FoundState::Moved(anchor) => row.anchor = anchor,
                FoundState::Sunk => row.anchor = AnchorPtr::COLD,
                _ => return Ok(None),
            }
        }
    }

    fn lock_for_read(
        &mut self,
        task: &Task,
        table: &Table,
        keys: &KeysOf<'_>,
        row: RowAt,
        locking: &Locking,
    ) -> TxnResult<Option<Taken>> {
        let patience = match locking.skip {
            true => Patience::None,
            false => locking.patience(),
        };
        match locking.reach {
            Reach::Rows => {
                let name = keys.name(row.anchor);
                self.lock_row_for(task, table, keys, name, locking.mode, patience).map(Some)
            }
            Reach::Instant if table.lock_word().is_used() => {
                let space = self.manager().locks.table(table.storage());
                let (target, until) = (Target::Row(keys.name(row.anchor)), Lifetime::Transaction);
                let wish = LockWish::of_transaction(target.clone(), LockMode::SHARED);
                let taken = self.take_lock(task, &space, wish, keys, true, patience)?;
                if !taken.covered {
                    space.weaken(self.owner_id(), &target, until, taken.before);
                }
                Ok(None)
            }
            Reach::Instant | Reach::Range => Ok(None),
        }
    }

    /// Whether a row that was not in memory when it was read has changed since the snapshot.
    fn is_old_image(
        &self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        row: &[u8],
    ) -> TxnResult<bool> {
        let changed = table.cold().filter(|cold| cold.newest() >= snapshot.stamp);
        let Some(cold) = changed else { return Ok(false) };
        let (mut p, mut now) = (KeyBuf::new(), Vec::new());
        table.log_key(row, &mut p);
        let newest = cold.find_newest(task, &p, &mut now)?;
        Ok(newest.is_none_or(|newest| newest.stamp >= snapshot.stamp))
    }

    fn wait_until_settled(
        &mut self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        index: usize,
        mut row: RowAt,
        locking: &Locking,
    ) -> TxnResult<FoundState> {
        loop {
            if row.anchor.is_cold() {
                // SAFETY: the row was read at the registered snapshot.
                let bytes = unsafe { table.row(row.version) };
                match self.deciding_anchor(task, table, snapshot, bytes) {
                    Some(anchor) => row.anchor = anchor,
                    // A row that is not in memory is unchanged, unless the snapshot is an old one.
                    None if self.is_old_image(task, table, snapshot, bytes)? => {
                        return Err(TxnError::SnapshotConflict { storage: table.storage() });
                    }
                    None => return Ok(FoundState::Row(row)),
                }
            }
            match self.row_state(task, table, snapshot, index, row) {
                FoundState::Again => {}
                FoundState::Lost => {
                    return Err(TxnError::SnapshotConflict { storage: table.storage() });
                }
                FoundState::Peer(_) if locking.skip => return Ok(FoundState::Gone),
                FoundState::Peer(_) if locking.no_wait => return Err(TxnError::LockTimeout),
                FoundState::Peer(peer) => {
                    self.wait_for_peer_as(task, peer, locking.mode)?;
                    self.pass_baton();
                }
                FoundState::Newer(row, stamp) => {
                    // The commit is durable before the client is shown the row, and is seen from
                    // now on.
                    self.wait_until_committed(task, stamp);
                    self.session.note_shown(self.manager().log.committed());
                    return Ok(FoundState::Row(row));
                }
                settled => return Ok(settled),
            }
        }
    }

    fn row_state(
        &self,
        task: &Task,
        table: &Table,
        snapshot: &Snapshot,
        index: usize,
        row: RowAt,
    ) -> FoundState {
        let (_guard, anchor) = (task.pin(), row.anchor);
        let (links, slots) = (table.links(), &self.manager().slots);
        // SAFETY: the row is visible to the registered snapshot, or newer, so that it stays; under
        // a guard.
        unsafe {
            let newest = visibility::newest(anchor, links, slots);
            if newest.is_sunk() {
                return FoundState::Sunk;
            }
            match newest.fate {
                Fate::Owned { begin, .. } if begin.slot() == self.slot => {
                    let seen = snapshot.visible(anchor, links, slots);
                    seen.map_or(FoundState::Gone, |version| {
                        FoundState::Row(RowAt { anchor, version })
                    })
                }
                Fate::Owned { begin, .. } => {
                    self.peer(table, anchor, begin).map_or(FoundState::Again, FoundState::Peer)
                }
                Fate::Committed(stamp)
                    if stamp >= snapshot.stamp && snapshot.isolation == Isolation::Snapshot =>
                {
                    FoundState::Lost
                }
                Fate::Committed(_) if newest.deleted => match newest.moved_to() {
                    // Made by the same commit, which the snapshot does not see, so that it stays,
                    // too.
                    Some(to) if has_same_key(table, index, anchor, to) => FoundState::Moved(to),
                    _ => FoundState::Gone,
                },
                Fate::Committed(stamp) => {
                    let row = RowAt { anchor, version: newest.version };
                    match stamp < snapshot.stamp {
                        true => FoundState::Row(row),
                        false => FoundState::Newer(row, stamp),
                    }
                }
            }
        }
    }

    /// Says what a cursor that reads uncommitted versions does with an anchor, under a guard.
    fn look_uncommitted(&self, table: &Table, snapshot: &Snapshot, anchor: AnchorPtr) -> Look {
        let (links, slots) = (table.links(), &self.manager().slots);
        loop {
            // SAFETY: the anchor was reached under the caller's guard; the snapshot is registered.
            let newest = unsafe { visibility::newest(anchor, links, slots) };
            return match newest.fate {
                Fate::Owned { begin, .. } if begin.slot() == self.slot => {
                    // SAFETY: as above.
                    let seen = unsafe { snapshot.visible(anchor, links, slots) };
                    seen.map_or(Look::Nothing, |version| Look::Row(RowAt { anchor, version }))
                }
                _ if newest.deleted => Look::Nothing,
                Fate::Committed(_) => Look::Row(RowAt { anchor, version: newest.version }),
                // SAFETY: as above.
                Fate::Owned { .. } => match unsafe { copy_of(table, anchor, newest) } {
                    Some(copy) => Look::Copy(anchor, copy),
                    None => continue,
                },
            };
        }
    }
}

/// Whether the rows behind two anchors have the same key in an index.
///
/// # Safety
/// Both are the table's, and protected.
unsafe fn has_same_key(table: &Table, index: usize, a: AnchorPtr, b: AnchorPtr) -> bool {
    // SAFETY: both anchors are the table's and protected, as the caller has promised.
    let keys = unsafe { [KeysOf::anchor(table, a), KeysOf::anchor(table, b)] };
    keys[0].key(index) == keys[1].key(index)
}

/// A copy of a version that is not committed, or `None` if it has changed meanwhile.
///
/// # Safety
/// As for [`visibility::newest`], under the same guard.
unsafe fn copy_of(table: &Table, anchor: AnchorPtr, newest: Newest) -> Option<Box<[u128]>> {
    // SAFETY: the caller's guard protects the version. If it is inline, its writer may take it back
    // and another writer may fill the slot again while this thread reads it, in a row of constant
    // length. So the bytes are read one by one, and are used only if the same version is still the
    // head afterwards: an owned begin word is never written twice.
    unsafe {
        let begin = newest.version.begin().load(Acquire);
        let len = table.row(newest.version).len();
        let mut copy = vec![0_u128; (HEADER_LEN + len).div_ceil(size_of::<u128>())];
        let (from, to) = (newest.version.row().as_ptr(), copy.as_mut_ptr().cast::<u8>());
        for at in 0..len {
            to.add(HEADER_LEN + at).write(from.add(at).read_volatile());
        }
        fence(Acquire);
        let same = anchor.head().load(Acquire) == newest.head
            && newest.head & DELETED == 0
            && newest.version.begin().load(Acquire) == begin;
        same.then(|| copy.into_boxed_slice())
    }
}
