//! Insert, update, delete: how a transaction takes rows, and what it does when another one has
//! them. Checks of the keys of new rows are in [`super::keys`].

use base::ids::Lsn;

use crate::critical::{self, Section};
use crate::hot::anchor::{AnchorPtr, INLINE, Origin, RowAt, VersionPtr};
use crate::hot::status::{Begin, Fate, Status};
use crate::hot::table::{ConflictPolicy, Table};
use crate::hot::tally::{Attempts, Item};
use crate::hot::visibility::{self, Isolation, Newest, Snapshot};
use crate::sync::atomic::Ordering::{Acquire, Release, SeqCst};
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::promote::BroughtBack;
use crate::txn::row_ref::RowRef;
use crate::txn::space::RowSpace;
use crate::txn::transaction::{ROW_BYTES, Transaction};
use crate::txn::waits::Resource;
use crate::txn::write_set::{Write, WriteKind};
use crate::wait::Task;

/// Approximate bytes of memory that another version of a row takes beside its own bytes.
const VERSION_BYTES: usize = 64;

/// The outcome of an update or delete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written<R> {
    /// It is done. For an update this is the row's new version, for a delete the old one.
    Done(R),
    /// Another transaction has committed this newer version of the row since the statement began.
    /// The caller evaluates its predicate on it and, if it still holds, calls again with it.
    Newer(R),
    /// Another transaction has deleted the row since the statement began.
    Gone,
    /// This statement, or one within it, has already written the row.
    Repeated,
}

impl<R> Written<R> {
    /// The same outcome, with the row in another form.
    pub fn map<S>(self, f: impl FnOnce(R) -> S) -> Written<S> {
        match self {
            Written::Done(row) => Written::Done(f(row)),
            Written::Newer(row) => Written::Newer(f(row)),
            Written::Gone => Written::Gone,
            Written::Repeated => Written::Repeated,
        }
    }
}

/// A row that [`Transaction::take_away`] has taken away: the place of its entry in the write set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TakenRow(Option<usize>);

impl TakenRow {
    /// None: the row is new.
    pub const NONE: TakenRow = TakenRow(None);

    /// As a number; -1 for none.
    pub fn to_number(self) -> i64 {
        self.0.and_then(|place| i64::try_from(place).ok()).unwrap_or(-1)
    }

    /// The one for which [`TakenRow::to_number`] has given this number.
    pub fn from_number(number: i64) -> TakenRow {
        TakenRow(usize::try_from(number).ok())
    }
}

/// What a writer may do with a row it found.
pub(super) enum Verdict {
    /// Take it.
    Take(Newest),
    /// End without a change: this is the outcome.
    Ended(Written<RowAt>),
    /// Judge the row again behind this anchor, to which another transaction has moved it. At
    /// [`AnchorPtr::COLD`] the row has sunk, and is to be promoted.
    Elsewhere(AnchorPtr),
    /// Another transaction has it: see [`Transaction::give_way`].
    GiveWay(Winner),
}

/// Another transaction that has a row.
#[derive(Clone, Copy)]
pub(super) enum Winner {
    /// A peer that is not over has the row.
    Peer(Begin, Status),
    /// A commit that the snapshot does not see won the row.
    Commit(Lsn),
}

/// The new bytes of a row with the hidden row number of the old ones, if there is one.
#[inline]
fn with_row_number(table: &Table, old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    table.row_number_column()?;
    let mut numbered = new.to_vec();
    table.set_row_number(&mut numbered, table.row_number(old));
    Some(numbered)
}

impl Transaction {
    /// Inserts a row. Its bytes are of the table's layout; a hidden row number is filled in.
    pub fn insert<'s>(
        &mut self,
        task: &Task,
        table: &'s Table,
        snapshot: &Snapshot<'s>,
        row: &[u8],
    ) -> TxnResult<RowRef<'s>> {
        let target = self.target(task, table, snapshot)?;
        let inserted = match table.row_number_column() {
            None => self.insert_row(task, target, row, Origin::Inserted),
            Some(_) => {
                let mut row = row.to_vec();
                table.set_row_number(&mut row, table.next_row_number());
                self.insert_row(task, target, &row, Origin::Inserted)
            }
        };
        self.inserted(table, inserted, Attempts::INSERT)
    }

    /// As [`Transaction::insert`], for a row from another storage of the table. It keeps its hidden
    /// row number, if the table has row numbers.
    pub(crate) fn insert_numbered<'s>(
        &mut self,
        task: &Task,
        table: &'s Table,
        snapshot: &Snapshot<'s>,
        row: &[u8],
    ) -> TxnResult<RowRef<'s>> {
        if table.row_number_column().is_some() {
            table.observe_row_number(table.row_number(row));
        }
        let target = self.target(task, table, snapshot)?;
        let inserted = self.insert_row(task, target, row, Origin::Inserted);
        self.inserted(table, inserted, Attempts::INSERT)
    }

    /// Inserts a row that was built in place.
    ///
    /// # Panics
    /// If the bytes are not a row of the table's layout and of the reserved length, or the table is
    /// another one.
    #[inline]
    pub fn insert_reserved<'s>(
        &mut self,
        task: &Task,
        table: &'s Table,
        snapshot: &Snapshot<'s>,
        mut space: RowSpace<'_>,
    ) -> TxnResult<RowRef<'s>> {
        assert!(std::ptr::eq(space.table(), table), "a place belongs to its table");
        let target = self.target(task, table, snapshot)?;
        if table.row_number_column().is_some() {
            table.set_row_number(space.bytes_mut(), table.next_row_number());
        }
        let row = space.bytes_mut();
        assert_eq!(table.layout().row_len(row), row.len(), "the row is as long as was said");
        table.prefetch(row);
        let anchor = space.into_anchor();
        // SAFETY: no other thread knows the anchor, and its bytes do not change from here on (H1).
        let row = unsafe {
            table.begin_reserved(anchor, Begin::owned(self.slot, self.statement));
            table.row(anchor.inline(table.links()))
        };
        let inserted = self.insert_anchor(task, target, anchor, row);
        self.inserted(table, inserted, Attempts::INSERT)
    }

    /// Counts an update or delete that has failed; see [`Transaction::attempted`].
    #[inline]
    fn written<'s>(
        &self,
        table: &'s Table,
        written: TxnResult<Written<RowAt>>,
        attempts: Attempts,
    ) -> TxnResult<Written<RowRef<'s>>> {
        let written = self.attempted(table, written, attempts)?;
        // SAFETY: the row is this transaction's own, or newer than the statement's snapshot, which
        // is registered; so it stays as long as the statement.
        Ok(written.map(|row| unsafe { RowRef::new(table, row) }))
    }

    /// Counts an insert that has failed; see [`Transaction::attempted`].
    #[inline]
    fn inserted<'s>(
        &self,
        table: &'s Table,
        inserted: TxnResult<RowAt>,
        attempts: Attempts,
    ) -> TxnResult<RowRef<'s>> {
        let row = self.attempted(table, inserted, attempts)?;
        // SAFETY: the row is this transaction's own: it is not freed before the transaction ends
        // that the statement belongs to, or undoes the statement.
        Ok(unsafe { RowRef::new(table, row) })
    }

    /// Counts a write that has failed. Writes that have succeeded are counted when the transaction
    /// ends.
    #[inline]
    fn attempted<T>(
        &self,
        table: &Table,
        written: TxnResult<T>,
        attempts: Attempts,
    ) -> TxnResult<T> {
        if written.is_err() {
            table.tally().add_attempts(self.shard, &attempts);
        }
        written
    }

    /// Prepares for a write to a table: enters its gate, and announces to lockers that the
    /// transaction writes to it.
    #[inline]
    pub(super) fn target<'a>(
        &mut self,
        task: &Task,
        table: &'a Table,
        snapshot: &'a Snapshot<'a>,
    ) -> TxnResult<WriteTarget<'a>> {
        assert!(self.registers(snapshot), "a statement writes in its own transaction");
        let held = self.hold(task, table)?;
        if !self.held[held as usize].announced {
            self.announce_writes(held);
        }
        Ok(WriteTarget { table, snapshot, held })
    }

    fn insert_row(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        row: &[u8],
        origin: Origin,
    ) -> TxnResult<RowAt> {
        let table = target.table;
        table.prefetch(row);
        let begin = Begin::owned(self.slot, self.statement);
        let anchor = table.new_anchor(task.worker().index(), row, begin, origin)?;
        self.insert_anchor(task, target, anchor, row)
    }

    /// Links a new row, or frees it.
    #[inline]
    fn insert_anchor(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        anchor: AnchorPtr,
        row: &[u8],
    ) -> TxnResult<RowAt> {
        critical::section(Section::Write, || self.link_anchor(task, target, anchor, row))
    }

    #[inline(always)]
    fn link_anchor(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        anchor: AnchorPtr,
        row: &[u8],
    ) -> TxnResult<RowAt> {
        let table = target.table;
        let admitted = match self.must_lock(table) {
            true => self.request_insert_locks(task, table, row),
            false => Ok(()),
        };
        if let Err(error) = admitted.and_then(|()| self.link(task, target, anchor, row)) {
            let worker = task.worker();
            // SAFETY: the anchor is in no index and has only its inline version, and only this
            // thread knows it.
            unsafe { table.retire_anchor(worker.index(), &worker.pin(), anchor, Item::Row) };
            return Err(error);
        }
        let before = self.savepoint();
        // SAFETY: the anchor was made with the table's number of links.
        let version = unsafe { anchor.inline(table.links()) };
        let (table_place, kind) = (target.held, WriteKind::Insert);
        self.writes.push(Write { anchor, version, table: table_place, kind, moved: false });
        self.note_written(table, row.len() + ROW_BYTES);
        self.note_logged(table, row);
        self.order_insert(table);
        if self.must_lock(table) && self.is_insert_overtaken(table, row) {
            // SAFETY: the anchor is this transaction's own.
            let (row, origin) = (row.to_vec(), unsafe { table.origin(anchor) });
            self.withdraw(task, before, anchor);
            return self.insert_row(task, target, &row, origin);
        }
        Ok(RowAt { anchor, version })
    }

    /// Replaces a row by new bytes. `row` is what a cursor of the same statement returned, or what
    /// an earlier call returned as [`Written::Newer`].
    pub fn update<'s>(
        &mut self,
        task: &Task,
        snapshot: &Snapshot<'s>,
        row: RowRef<'s>,
        bytes: &[u8],
    ) -> TxnResult<Written<RowRef<'s>>> {
        let (table, old) = (row.table(), row.bytes());
        let numbered = with_row_number(table, old, bytes);
        let bytes = numbered.as_deref().unwrap_or(bytes);
        // All versions of an anchor have the same keys (A4).
        if table.keys_equal(old, bytes) {
            return self.update_numbered(task, snapshot, row, bytes);
        }
        let target = self.target(task, table, snapshot)?;
        let moved = self.move_row(task, target, row.at(), bytes);
        self.written(table, moved, Attempts::UPDATE)
    }

    /// As [`Transaction::update`], for new bytes that have the same key in every index: the caller
    /// knows because of the columns that it has changed.
    pub fn update_in_place<'s>(
        &mut self,
        task: &Task,
        snapshot: &Snapshot<'s>,
        row: RowRef<'s>,
        bytes: &[u8],
    ) -> TxnResult<Written<RowRef<'s>>> {
        let (table, old) = (row.table(), row.bytes());
        let numbered = with_row_number(table, old, bytes);
        let bytes = numbered.as_deref().unwrap_or(bytes);
        debug_assert!(table.keys_equal(old, bytes), "the caller knows what it has changed (A4)");
        self.update_numbered(task, snapshot, row, bytes)
    }

    #[inline]
    fn update_numbered<'s>(
        &mut self,
        task: &Task,
        snapshot: &Snapshot<'s>,
        row: RowRef<'s>,
        bytes: &[u8],
    ) -> TxnResult<Written<RowRef<'s>>> {
        let target = self.target(task, row.table(), snapshot)?;
        let updated = self.change(task, target, row.at(), Change::Update(bytes));
        self.written(row.table(), updated, Attempts::UPDATE)
    }

    /// Deletes a row.
    pub fn delete<'s>(
        &mut self,
        task: &Task,
        snapshot: &Snapshot<'s>,
        row: RowRef<'s>,
    ) -> TxnResult<Written<RowRef<'s>>> {
        let target = self.target(task, row.table(), snapshot)?;
        let deleted = self.change(task, target, row.at(), Change::Delete);
        self.written(row.table(), deleted, Attempts::DELETE)
    }

    /// Deletes a row that [`Transaction::put_back`] will insert again with other keys: for an
    /// update of many rows, one of which may get the key that another still has.
    pub fn take_away<'s>(
        &mut self,
        task: &Task,
        snapshot: &Snapshot<'s>,
        row: RowRef<'s>,
    ) -> TxnResult<(Written<RowRef<'s>>, TakenRow)> {
        let target = self.target(task, row.table(), snapshot)?;
        let ended = self.end_anchor(task, target, row.at());
        let written = self.written(row.table(), ended, Attempts::UPDATE)?;
        let done = matches!(written, Written::Done(_));
        Ok((written, TakenRow(done.then(|| self.writes.len() - 1))))
    }

    /// Inserts a row again that this statement has taken away. It keeps its row number, if it has
    /// one.
    pub fn put_back<'s>(
        &mut self,
        task: &Task,
        table: &'s Table,
        snapshot: &Snapshot<'s>,
        bytes: &[u8],
        taken: TakenRow,
    ) -> TxnResult<RowRef<'s>> {
        let target = self.target(task, table, snapshot)?;
        let taken = taken.0.and_then(|place| self.writes.get(place)).copied();
        let taken = taken.filter(|write| write.moved && write.table == target.held);
        let Some(taken) = taken else { return self.insert(task, table, snapshot, bytes) };
        // SAFETY: this transaction has ended the row's anchor, so that it stays; all versions of
        // the row have its number.
        let old = unsafe { table.row(taken.anchor.inline(table.links())) };
        let numbered = with_row_number(table, old, bytes);
        let begun = self.begin_anchor(task, target, numbered.as_deref().unwrap_or(bytes), taken);
        self.inserted(table, begun, Attempts::UPDATE)
    }

    /// An update that changes a key: the old anchor ends, a new one begins.
    fn move_row(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        row: RowAt,
        bytes: &[u8],
    ) -> TxnResult<Written<RowAt>> {
        let before = self.savepoint();
        match self.end_anchor(task, target, row)? {
            Written::Done(_) => {}
            other => return Ok(other),
        }
        let old = *self.writes.last().expect("the old anchor was just ended");
        match self.begin_anchor(task, target, bytes, old) {
            Ok(row) => Ok(Written::Done(row)),
            Err(error) => {
                self.roll_back(task, before);
                Err(error)
            }
        }
    }

    fn end_anchor(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        row: RowAt,
    ) -> TxnResult<Written<RowAt>> {
        let change = match target.table.conflicts() {
            // Other transactions do not follow the row: one that wants it fails.
            ConflictPolicy::FirstWriterWins => Change::Delete,
            ConflictPolicy::Wait => Change::Move,
        };
        let written = self.change(task, target, row, change)?;
        if matches!(written, Written::Done(_)) {
            self.writes.last_mut().expect("the old anchor was just ended").moved = true;
        }
        Ok(written)
    }

    /// Makes a new anchor with these bytes for the row whose old anchor the entry `old` has ended.
    fn begin_anchor(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        bytes: &[u8],
        old: Write,
    ) -> TxnResult<RowAt> {
        // SAFETY: this transaction has ended the old anchor, which stays as long as its write set.
        let origin = unsafe { target.table.origin(old.anchor) };
        let row = self.insert_row(task, target, bytes, origin)?;
        self.writes.last_mut().expect("the new one was just begun").moved = true;
        if target.table.conflicts() == ConflictPolicy::Wait {
            // SAFETY: the tombstone is this transaction's own, and was made by a move.
            unsafe { old.version.moved_to() }.store(row.anchor.address(), Release);
        }
        Ok(row)
    }

    fn change(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        row: RowAt,
        change: Change<'_>,
    ) -> TxnResult<Written<RowAt>> {
        critical::section(Section::Write, || self.change_row(task, target, row, change))
    }

    #[inline(always)]
    fn change_row(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        mut row: RowAt,
        change: Change<'_>,
    ) -> TxnResult<Written<RowAt>> {
        let table = target.table;
        loop {
            if row.anchor.is_cold() {
                // SAFETY: the row was read at the registered snapshot, and was not in memory.
                let bytes = unsafe { table.row(row.version) };
                let follows = is_followed(target);
                match self.promote(task, table, target.snapshot, follows, bytes)? {
                    BroughtBack::To(anchor) => row.anchor = anchor,
                    BroughtBack::Lost(_) if is_followed(target) => return Ok(Written::Gone),
                    BroughtBack::Lost(stamp) => return Err(self.lost(task, target, stamp)),
                }
            }
            let mut permit = None;
            if self.must_lock(table) {
                permit = self.request_change_locks(task, table, row.anchor)?;
            }
            let winner = {
                let (worker, _guard) = (task.worker(), task.pin());
                // SAFETY: the row was visible to the registered snapshot, or is newer.
                let newest =
                    unsafe { visibility::newest(row.anchor, table.links(), &self.manager().slots) };
                match self.judge(target, row, newest) {
                    Verdict::Take(newest) => {
                        let before = self.savepoint();
                        match self.take(worker.index(), target, row.anchor, newest, change)? {
                            Some(version) => {
                                if self.must_lock(table)
                                    && !newest.is_own(self.slot)
                                    && self.is_overtaken_at(table, row.anchor, permit.as_ref())
                                {
                                    drop(permit);
                                    self.withdraw(task, before, row.anchor);
                                    continue;
                                }
                                return Ok(Written::Done(RowAt { anchor: row.anchor, version }));
                            }
                            None => continue, // another writer was faster: look again
                        }
                    }
                    Verdict::Ended(written) => return Ok(written),
                    Verdict::Elsewhere(anchor) => {
                        row.anchor = anchor;
                        continue;
                    }
                    Verdict::GiveWay(winner) => winner,
                }
            };
            drop(permit);
            self.give_way(task, target, row, winner)?;
        }
    }

    /// What this transaction may do with a row in this state.
    pub(super) fn judge(&self, target: WriteTarget<'_>, row: RowAt, newest: Newest) -> Verdict {
        let snapshot = target.snapshot;
        match newest.fate {
            Fate::Owned { begin, .. } if begin.slot() == self.slot => {
                if begin.statement() >= snapshot.statement {
                    Verdict::Ended(Written::Repeated)
                } else if newest.deleted {
                    Verdict::Ended(Written::Gone)
                } else {
                    Verdict::Take(newest)
                }
            }
            Fate::Owned { begin, status } => Verdict::GiveWay(Winner::Peer(begin, status)),
            Fate::Committed(stamp) if stamp < snapshot.stamp => match newest.deleted {
                true if newest.is_sunk() => Verdict::Elsewhere(AnchorPtr::COLD),
                true => Verdict::Ended(Written::Gone),
                false => Verdict::Take(newest),
            },
            Fate::Committed(stamp) => {
                // The outcome of the statement reveals this commit, even if the statement changes
                // nothing.
                self.session.note_shown(Lsn(stamp.0 + 1));
                match is_followed(target) {
                    false => Verdict::GiveWay(Winner::Commit(stamp)),
                    // SAFETY: called under the guard under which `newest` was read; the new anchor
                    // was made by the same commit, which the snapshot does not see, so that it is
                    // protected too.
                    true if newest.deleted => match unsafe { newest.moved_to() } {
                        Some(anchor) => Verdict::Elsewhere(anchor),
                        None => Verdict::Ended(Written::Gone),
                    },
                    true if newest.version == row.version => Verdict::Take(newest),
                    true => {
                        let (anchor, version) = (row.anchor, newest.version);
                        Verdict::Ended(Written::Newer(RowAt { anchor, version }))
                    }
                }
            }
        }
    }

    /// Waits until another transaction does not have the row any more, so that the row can be
    /// judged once more, or fails. No epoch guard may be alive.
    pub(super) fn give_way(
        &mut self,
        task: &Task,
        target: WriteTarget<'_>,
        row: RowAt,
        winner: Winner,
    ) -> TxnResult<()> {
        match winner {
            Winner::Peer(begin, status) => self.contested(task, target.table, row, begin, status),
            Winner::Commit(stamp) => Err(self.lost(task, target, stamp)),
        }
    }

    /// Waits for the peer that has the row to end, or fails.
    fn contested(
        &mut self,
        task: &Task,
        table: &Table,
        row: RowAt,
        begin: Begin,
        status: Status,
    ) -> TxnResult<()> {
        match (table.conflicts(), status) {
            (ConflictPolicy::Wait, _) => self.wait_until_over(task, table, row, begin),
            (ConflictPolicy::FirstWriterWins, Status::Active) => {
                table.counters().write_conflict();
                Err(TxnError::WriteConflict)
            }
            (ConflictPolicy::FirstWriterWins, Status::Aborted) => {
                self.wait_until_over(task, table, row, begin)
            }
            // The peer's fate will be known in a moment.
            (ConflictPolicy::FirstWriterWins, _) => {
                task.yield_now();
                Ok(())
            }
        }
    }

    fn wait_until_over(
        &mut self,
        task: &Task,
        table: &Table,
        row: RowAt,
        begin: Begin,
    ) -> TxnResult<()> {
        let peer = {
            let _guard = task.pin();
            // SAFETY: the row was visible to the registered snapshot, or is newer.
            unsafe { self.peer(table, row.anchor, begin) }
        };
        match peer {
            Some(peer) => self.wait_for_peer(task, peer),
            None => Ok(()),
        }
    }

    /// The error of a writer that lost a row to the commit with this stamp, which its snapshot does
    /// not see. Waits until a transaction that begins afterwards sees the commit.
    pub(super) fn lost(&self, task: &Task, target: WriteTarget<'_>, stamp: Lsn) -> TxnError {
        self.wait_until_committed(task, stamp);
        let WriteTarget { table, snapshot, .. } = target;
        match (table.conflicts(), snapshot.isolation) {
            (ConflictPolicy::FirstWriterWins, _) => {
                table.counters().write_conflict();
                TxnError::WriteConflict
            }
            // With locks the two transactions would have met in a deadlock.
            (ConflictPolicy::Wait, Isolation::RepeatableRead | Isolation::Serializable) => {
                TxnError::Deadlock
            }
            (ConflictPolicy::Wait, _) => TxnError::SnapshotConflict { storage: table.storage() },
        }
    }

    /// Puts this transaction's version, tombstone or mark at the head of a row. `None` if the head
    /// has changed meanwhile.
    fn take(
        &mut self,
        shard: usize,
        target: WriteTarget<'_>,
        anchor: AnchorPtr,
        newest: Newest,
        change: Change<'_>,
    ) -> TxnResult<Option<VersionPtr>> {
        let table = target.table;
        let begin = Begin::owned(self.slot, self.statement);
        // SAFETY: the anchor has the table's number of links.
        let inline = unsafe { anchor.inline(table.links()) };
        if newest.head == INLINE {
            // SAFETY: the caller's guard protects the anchor.
            unsafe { table.forget_cached_before_write(anchor) };
        }
        // SAFETY: as above.
        let below = newest.head | unsafe { table.origin(anchor) }.in_older();
        let (head, version, kind) = match change {
            // The inline version is the only one.
            Change::Delete if newest.head == INLINE => {
                (begin.deletion(), inline, WriteKind::Delete)
            }
            Change::Delete => {
                let tombstone = table.new_tombstone(shard, begin, below)?;
                (tombstone.address(), tombstone, WriteKind::Tombstone)
            }
            Change::Move => {
                let tombstone = table.new_move(shard, begin, below)?;
                (tombstone.address(), tombstone, WriteKind::Tombstone)
            }
            Change::Update(bytes) => {
                match self.take_inline(target, anchor, &newest, bytes, begin) {
                    None => {}
                    Some(taken) => return Ok(taken.then_some(inline)),
                }
                let version = table.new_version(shard, bytes, begin, below)?;
                (version.address(), version, WriteKind::Update)
            }
        };
        // SAFETY: the caller's guard protects the anchor.
        let word = unsafe { anchor.head() };
        // SeqCst: a thread that sees the new head sees what it points to, and the writer looks at
        // the table's lock word afterwards (see `txn::locks`).
        if word.compare_exchange(newest.head, head, SeqCst, Acquire).is_err() {
            if kind != WriteKind::Delete {
                // SAFETY: it was never linked.
                unsafe { table.free_version(shard, version, Item::Version) };
            }
            return Ok(None);
        }
        let bytes = match change {
            Change::Update(bytes) => VERSION_BYTES + bytes.len(),
            Change::Delete | Change::Move => VERSION_BYTES,
        };
        self.note_written(table, bytes);
        self.note_taken(target, anchor, version, kind);
        if let Change::Update(bytes) = change {
            self.note_logged(table, bytes);
        }
        let gone = matches!(change, Change::Delete | Change::Move);
        Ok(Some(if gone { newest.version } else { version }))
    }
}

impl Transaction {
    /// Puts a new version into the row's inline slot, if that is dead and can be used again.
    /// Returns `None` if not, and `Some(false)` if the head has changed meanwhile.
    fn take_inline(
        &mut self,
        target: WriteTarget<'_>,
        anchor: AnchorPtr,
        newest: &Newest,
        bytes: &[u8],
        begin: Begin,
    ) -> Option<bool> {
        // SAFETY: the anchor has the table's number of links.
        let inline = unsafe { anchor.inline(target.table.links()) };
        let safe = self.manager().horizon.safe();
        let dead = newest.version != inline
            && matches!(newest.fate, Fate::Committed(stamp) if stamp < safe);
        if !dead {
            return None;
        }
        // SAFETY: the head is not inline and its stamp lies below the horizon; the caller has a
        // guard.
        let taken = unsafe { target.table.reuse_inline(anchor, newest.version, bytes, begin) }?;
        if taken {
            self.note_taken(target, anchor, newest.version, WriteKind::Reuse);
            self.note_logged(target.table, bytes);
        }
        Some(taken)
    }

    /// Counts the bytes of a new row that will be in the commit record.
    #[inline]
    fn note_logged(&mut self, table: &Table, row: &[u8]) {
        if table.is_logged() {
            self.row_bytes += row.len() as u64;
        }
    }

    /// Adds a row that this transaction has taken to the write set.
    fn note_taken(
        &mut self,
        target: WriteTarget<'_>,
        anchor: AnchorPtr,
        version: VersionPtr,
        kind: WriteKind,
    ) {
        if self.baton == Some(Resource::Row(anchor.address())) {
            self.baton = None; // those behind it are woken when this transaction ends
        }
        self.writes.push(Write { anchor, version, table: target.held, kind, moved: false });
    }
}

/// Whether a statement that finds a row changed by another transaction goes on with the row's
/// newest state.
pub(super) fn is_followed(target: WriteTarget<'_>) -> bool {
    target.table.conflicts() == ConflictPolicy::Wait
        && target.snapshot.isolation == Isolation::ReadCommitted
}

/// What a write goes to: a table whose gate is held, and the snapshot by which the write is judged.
#[derive(Clone, Copy)]
pub(super) struct WriteTarget<'a> {
    pub table: &'a Table,
    pub snapshot: &'a Snapshot<'a>,
    /// Position in [`Transaction::held`].
    pub held: u32,
}

/// What [`Transaction::change`] does to a row.
#[derive(Clone, Copy)]
enum Change<'a> {
    Update(&'a [u8]),
    Delete,
    /// Deletes the row here, since it goes on behind another anchor.
    Move,
}
