//! Commit: see `docs/design/transactions.md` for the steps and why they come in this order.

use std::ops::Range;

use base::ids::Lsn;
use smallvec::SmallVec;

use crate::critical::{self, Section};
use crate::hot::anchor::{CHAIN_MASK, INLINE, Origin, VersionPtr};
use crate::hot::key::KeyBuf;
use crate::hot::reclaim::{CommitGarbage, Garbage, HorizonSource};
use crate::hot::sink_queue::Sinking;
use crate::hot::status::{Begin, Slot, Status};
use crate::hot::table::{ChangedRow, Table};
use crate::hot::tally::{Attempts, Left};
use crate::log::record::{RECORD_HEADER, RecordWriter, record_len};
use crate::log::{GlobalTransaction, RecordFlags, RecordKind, Reservation};
use crate::prefetch::prefetch;
use crate::sync::atomic::Ordering::{Acquire, Release};
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::manager::Manager;
use crate::txn::redo::Redo;
use crate::txn::transaction::{Held, Transaction};
use crate::txn::write_set::{PREFETCH_AHEAD, WriteKind};
use crate::wait::Task;

/// The pause between two checks of a commit that is held back.
const NAP_NS: u64 = 10_000_000;

/// When a commit may be acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Durability {
    /// When it is durable: the session's [`shown`](super::DatabaseSession::shown) covers it.
    #[default]
    Full,
    /// At once: `DELAYED_DURABILITY`.
    Delayed,
}

/// What a commit has done to one table.
#[derive(Clone, Copy, Default)]
struct Done {
    /// Rows added, less rows deleted.
    rows: i64,
    attempts: Attempts,
    /// What waits to be freed now.
    left: Left,
}

impl Transaction {
    /// Commits: makes everything that was written visible at one stamp, or rolls it back and says
    /// why. Returns the end of the commit's place in the log, which has to be durable before the
    /// commit is acknowledged; [`Lsn::ZERO`] if nothing was written. Does not wait for that.
    pub fn commit(self, task: &Task, durability: Durability) -> TxnResult<Lsn> {
        self.assert_between_statements();
        self.commit_as(task, durability, None)
    }

    /// Commits as the coordinator of a transaction over several databases: the commit record is
    /// the decision.
    pub(super) fn commit_as(
        mut self,
        task: &Task,
        durability: Durability,
        global: Option<GlobalTransaction>,
    ) -> TxnResult<Lsn> {
        self.is_ending = true;
        critical::section(Section::Commit, || self.commit_borrowed(task, durability, global))
    }

    fn commit_borrowed(
        &mut self,
        task: &Task,
        durability: Durability,
        global: Option<GlobalTransaction>,
    ) -> TxnResult<Lsn> {
        self.pass_baton();
        if self.writes.is_empty() && self.operations.is_empty() && global.is_none() {
            return self.commit_reader(task);
        }
        self.protect_own();
        let redo = match self.redo(task, global) {
            Ok(redo) => redo,
            Err(error) => {
                self.abort(task);
                return Err(error);
            }
        };
        // The statement that inserts a version has ended the protection.
        self.protect_own();
        let decided = self.decide(task, &redo);
        self.reuse_redo(redo);
        let (stamp, end) = match decided {
            Ok(space) => space,
            Err(error) => {
                self.abort(task);
                return Err(error);
            }
        };
        self.complete(task, stamp, end, durability);
        Ok(end)
    }

    /// Commits a transaction that wrote nothing, which takes no place in the log. All that it read
    /// held at its snapshot, which is its place in the serial order; with
    /// [`Transaction::check_reads`] it must hold at the end as well.
    fn commit_reader(&mut self, task: &Task) -> TxnResult<Lsn> {
        let stamp = self.manager().log.committed();
        if self.checks_reads
            && let Err(error) = self.validate(&task.worker(), stamp)
        {
            self.publish_error(&error);
            self.abort(task);
            return Err(error);
        }
        self.forget_loads(task);
        self.finish(Some(stamp));
        Ok(Lsn::ZERO)
    }

    /// Makes the commit validate reads even if the transaction has written nothing.
    pub fn check_reads(&mut self) {
        self.checks_reads = true;
    }

    /// Takes a stamp, validates, and publishes the commit record, or filler if the validation
    /// fails. Returns the stamp and the end of the record.
    fn decide(&self, task: &Task, redo: &Redo) -> TxnResult<(Lsn, Lsn)> {
        let body_len = redo.body.len();
        let len = if self.manager().log.is_logged() { record_len(body_len) } else { RECORD_HEADER };
        let (kind, flags, related) = match redo.is_empty() {
            true => (RecordKind::Filler, RecordFlags::NONE, Lsn::ZERO),
            false => (RecordKind::Commit, redo.flags, redo.stream.unwrap_or(Lsn::ZERO)),
        };
        self.publish_progress();
        let mut space = Self::reserve(self.manager(), self.slot(), task, len)?;
        let (stamp, end) = (space.stamp(), space.end());
        self.slot().set_status(Status::Stamped(stamp));
        if let Err(error) = self.validate(&task.worker(), stamp) {
            self.publish_error(&error);
            self.slot().set_status(Status::Aborted);
            space.publish_filler();
            self.disown_stream(task, redo.stream);
            return Err(error);
        }
        self.note_changes(stamp);
        self.slot().set_status(Status::Committed(stamp));
        match kind {
            RecordKind::Filler => space.publish_filler(),
            kind => {
                space.put(&redo.body);
                space.publish(kind, flags, related)
            }
        };
        Ok((stamp, end))
    }

    /// Reserves log space. The status is preparing from before the reservation, so that peers know
    /// that this transaction has a stamp or is about to get one; while it waits for room it is
    /// active.
    pub(super) fn reserve<'m>(
        manager: &'m Manager,
        slot: &Slot,
        task: &Task,
        len: usize,
    ) -> TxnResult<Reservation<'m>> {
        loop {
            manager.log.admit(task, len)?;
            slot.set_status(Status::Preparing);
            match manager.log.reserve(len) {
                Ok(space) => return Ok(space),
                Err(no_space) => {
                    slot.set_status(Status::Active);
                    TxnError::from_no_space(no_space)?;
                }
            }
        }
    }

    /// Notes the keys of rows that this transaction changes in tables that a rebuild copies. The
    /// transaction has its stamp, and its writes are not visible yet (N1).
    #[inline]
    pub(super) fn note_changes(&self, stamp: Lsn) {
        for (place, held) in self.held.iter().enumerate().filter(|(_, held)| !held.left) {
            // SAFETY: the gate of the table is held.
            let table = unsafe { held.table.get() };
            if table.changes().is_noting() {
                self.note_changes_of(place, table, stamp);
            }
        }
    }

    #[cold]
    fn note_changes_of(&self, place: usize, table: &Table, stamp: Lsn) {
        let mut key = KeyBuf::new();
        let writes = self.writes.iter().filter(|write| write.table as usize == place);
        let rows = writes.map(|write| {
            key.clear();
            // SAFETY: the row is this transaction's until its begin words are replaced. All
            // versions of an anchor have the same keys (A4).
            let row = unsafe { table.row(write.anchor.inline(table.links())) };
            table.log_key(row, &mut key);
            ChangedRow { stamp, key: (&key[..]).into() }
        });
        table.note_changes(rows.collect());
    }

    /// Completes a commit whose record is published: begin words become stamps, what was replaced
    /// becomes garbage, and everything is released.
    pub(super) fn complete(&mut self, task: &Task, stamp: Lsn, end: Lsn, durability: Durability) {
        self.pass_turn();
        self.session.note_commit(end, durability == Durability::Full);
        let all = 0..self.writes.len();
        let sinking = self.stamp_writes(task, stamp, all, |_| true);
        self.writes.clear();
        if !self.hooks.is_empty() {
            // The hooks may drop tables, and so wait until the commit is durable: else pages or
            // checkpoint files without the tables' rows could be durable before. If the log has
            // failed, none are written any more.
            let _ = self.manager().log.wait_durable(task, end);
        }
        self.finish(Some(stamp));
        self.hold_back(task, sinking);
    }

    /// Waits if too much is to sink: as long as the sink asks for this many rows, or until the
    /// backlog is gone. The transaction holds nothing more that other transactions wait for; an
    /// interrupted task goes on at once.
    fn hold_back(&self, task: &Task, rows: usize) {
        let queue = &self.manager().sinking;
        let mut left_ns = queue.delay_ns(rows);
        while left_ns > 0 {
            let nap_ns = left_ns.min(NAP_NS);
            if task.sleep_ns(nap_ns).is_err() {
                return;
            }
            left_ns = (left_ns - nap_ns).min(queue.delay_ns(rows));
        }
    }

    /// Replaces the begin words that these entries of the write set have written by the stamp, and
    /// queues as garbage what the entries have replaced. Takes only entries of tables that
    /// `is_meant` picks by their place in [`Transaction::held`]. Returns how many rows are to sink.
    pub(super) fn stamp_writes(
        &mut self,
        task: &Task,
        stamp: Lsn,
        places: Range<usize>,
        is_meant: impl Fn(usize) -> bool,
    ) -> usize {
        let begin = Begin::stamp(stamp);
        let mut garbage = std::mem::take(&mut self.garbage);
        let mut done: SmallVec<[Done; 4]> = SmallVec::new();
        done.resize(self.held.len(), Default::default());
        // SAFETY: the gate of every table that was not left is held.
        let is_sinking = |held: &Held| !held.left && unsafe { held.table.get() }.sinks();
        let tables_sink: SmallVec<[bool; 4]> = self.held.iter().map(is_sinking).collect();
        let (mut sinking, mut of_sinking) = (Vec::new(), Vec::new());
        let writes = &self.writes[places];
        for (place, write) in writes.iter().enumerate() {
            if let Some(ahead) = writes.get(place + PREFETCH_AHEAD) {
                prefetch(ahead.version.address());
            }
            if !is_meant(write.table as usize) {
                continue;
            }
            let pointer = self.held[write.table as usize].table;
            let sinks = tables_sink[write.table as usize];
            let replaced = if sinks { &mut of_sinking } else { &mut garbage };
            let Done { rows, attempts, left } = &mut done[write.table as usize];
            // SAFETY: the gate of the table is held. Other transactions may have replaced the
            // anchor's versions by now, but nothing of the row is reclaimed: the snapshot of this
            // transaction is registered, and is older than their commits. Release: a thread that
            // reads the stamp sees the version.
            unsafe {
                match write.kind {
                    // Of rows that begin here, only one that moves can have come back: of others
                    // the word, which may not be in the processor's caches, need not be read.
                    WriteKind::Insert if write.moved => {
                        write.version.replace_inline_begin(begin.word(), Release);
                    }
                    WriteKind::Insert => write.version.begin().store(begin.word(), Release),
                    WriteKind::Delete => {
                        left.add_row(pointer.get().origin(write.anchor));
                        write.anchor.head().store(begin.deletion(), Release);
                    }
                    WriteKind::Reuse => {
                        left.add_version(pointer.get().origin(write.anchor));
                        replaced.push(Garbage::version(pointer, write.version));
                        let inline = write.anchor.inline(pointer.get().links());
                        inline.replace_inline_begin(begin.word(), Release);
                    }
                    WriteKind::Update | WriteKind::Tombstone => {
                        let word = write.version.older().load(Acquire);
                        let (below, origin) = (word & CHAIN_MASK, Origin::of_older(word));
                        if below & INLINE == 0 {
                            let older = VersionPtr::from_address(below);
                            let older = older.expect("it stands on another");
                            replaced.push(Garbage::version(pointer, older));
                            left.add_version(origin);
                        }
                        if write.kind == WriteKind::Tombstone {
                            left.add_row(origin);
                            left.add_version(origin);
                        }
                        write.version.begin().store(begin.word(), Release);
                    }
                }
            }
            write.count(attempts);
            match write.kind {
                WriteKind::Insert => *rows += 1,
                WriteKind::Delete | WriteKind::Tombstone => {
                    *rows -= 1;
                    if !sinks {
                        garbage.push(Garbage::anchor(pointer, write.anchor));
                    }
                }
                WriteKind::Update | WriteKind::Reuse => {}
            }
            if sinks {
                // SAFETY: the gate of the table is held.
                let storage = unsafe { pointer.get() }.storage();
                sinking.push(Sinking { storage, anchor: write.anchor, stamp });
            }
        }
        let worker = task.worker();
        for (held, done) in self.held.iter().zip(done).filter(|(held, _)| !held.left) {
            // SAFETY: the gate of the table is held.
            let table = unsafe { held.table.get() };
            let tally = table.tally();
            tally.add_attempts(worker.index(), &done.attempts);
            if done.rows != 0 {
                tally.add_rows(worker.index(), done.rows);
            }
            // Before other threads get to free what is left.
            if table.is_sinkable() {
                tally.leave(worker.index(), &done.left);
            }
        }
        let sinks = sinking.len();
        if sinks > 0 {
            self.manager().sinking.add(worker.index(), &mut sinking);
        }
        if !(garbage.is_empty() && of_sinking.is_empty()) {
            let manager = self.session.manager();
            let source = HorizonSource { horizon: &manager.horizon, slots: &manager.slots };
            let items = CommitGarbage { items: &mut garbage, of_sinking: &mut of_sinking };
            let (guard, durable) = (worker.pin(), || manager.log.durable());
            manager.reclaimer.enqueue(worker.index(), &guard, stamp, items, source, durable);
        }
        self.garbage = garbage;
        sinks
    }
}
