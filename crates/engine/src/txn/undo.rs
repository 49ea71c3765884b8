//! Rolling back: to a savepoint, a statement, or everything.

use smallvec::SmallVec;

use crate::critical::{self, Section};
use crate::hot::anchor::INLINE;
use crate::hot::status::{Begin, Status};
use crate::hot::tally::{Attempts, Item};
use crate::hot::visibility;
use crate::sync::atomic::Ordering::Release;
use crate::txn::transaction::{Statement, Transaction};
use crate::txn::write_set::{Savepoint, Write, WriteKind};
use crate::wait::Task;

/// Entries undone under one epoch guard.
const UNDO_STEP: usize = 256;

impl Transaction {
    /// Undoes everything that the transaction has written since the savepoint. Reads that its
    /// commit validates stay noted.
    ///
    /// # Safety
    /// No row that the transaction has written since then, as it has been returned, is used
    /// afterwards.
    pub unsafe fn rollback_to(&mut self, task: &Task, savepoint: Savepoint) {
        self.roll_back(task, savepoint);
    }

    /// [`Transaction::rollback_to`], where no such row has been returned or its borrow has ended.
    pub(crate) fn roll_back(&mut self, task: &Task, savepoint: Savepoint) {
        critical::section(Section::Rollback, || self.undo_to(task, savepoint));
    }

    fn undo_to(&mut self, task: &Task, savepoint: Savepoint) {
        self.operations.truncate(savepoint.operations);
        self.own.retain(|own| own.since < savepoint);
        if self.tracked.as_ref().is_some_and(|tracked| tracked.since >= savepoint) {
            self.tracked = None;
        }
        let left = self.writes.go_back(savepoint.writes);
        let mut attempts: SmallVec<[Attempts; 4]> = SmallVec::new();
        attempts.resize(self.held.len(), Attempts::default());
        while self.writes.len() > left {
            let worker = task.worker();
            let guard = worker.pin();
            for _ in 0..UNDO_STEP.min(self.writes.len() - left) {
                let write = self.writes.pop().expect("counted");
                self.undone = self.undone.saturating_add(1);
                write.count(&mut attempts[write.table as usize]);
                // SAFETY: the entry is this transaction's, the newest of its row, and undone once.
                unsafe { self.undo(worker.index(), &guard, write) };
            }
        }
        for (held, attempts) in self.held.iter().zip(attempts).filter(|(held, _)| !held.left) {
            // SAFETY: the gate of the table is held.
            unsafe { held.table.get() }.tally().add_attempts(self.shard, &attempts);
        }
    }

    /// Ends a statement that failed and undoes what it wrote.
    pub fn rollback_statement(&mut self, task: &Task, statement: &mut Statement) {
        self.roll_back(task, statement.start());
        self.end_statement(statement);
    }

    /// Rolls the transaction back and ends it.
    ///
    /// # Panics
    /// If a statement is in progress.
    pub fn rollback(mut self, task: &Task) {
        self.assert_between_statements();
        self.abort(task);
    }

    pub(super) fn abort(&mut self, task: &Task) {
        critical::section(Section::Rollback, || {
            self.pass_baton();
            self.turn = None;
            self.slot().set_status(Status::Aborted);
            self.undo_to(task, Savepoint { writes: 0, operations: 0 });
            self.forget_loads(task);
            self.finish(None);
        });
    }

    /// # Safety
    /// `write` is the newest entry of its row that is not undone yet, and is undone once. The
    /// caller has an epoch guard.
    unsafe fn undo(&self, shard: usize, guard: &crossbeam_epoch::Guard, write: Write) {
        // SAFETY: the gate of the table is held.
        let table = unsafe { self.held[write.table as usize].table.get() };
        let anchor = write.anchor;
        // SAFETY: the head is this transaction's, so that no other transaction changes it; readers
        // may still walk through what is unlinked, so the epoch frees it. Release: a reader that
        // finds the older version at the head sees its contents.
        unsafe {
            match write.kind {
                WriteKind::Insert => {
                    anchor.head().store(Begin::NEVER, Release);
                    table.unlink_all(guard, anchor);
                    table.retire_anchor(shard, guard, anchor, Item::Row);
                }
                WriteKind::Delete => anchor.head().store(INLINE, Release),
                // The head first, then the begin word: as long as a version is the head its begin
                // word names its owner, for which other transactions wait.
                WriteKind::Reuse => {
                    anchor.head().store(write.version.address(), Release);
                    let inline = anchor.inline(table.links());
                    inline.replace_inline_begin(Begin::UNDONE.word(), Release);
                }
                WriteKind::Update | WriteKind::Tombstone => {
                    anchor.head().store(visibility::chain_below(write.version), Release);
                    write.version.begin().store(Begin::UNDONE.word(), Release);
                    table.retire_version(shard, guard, write.version, Item::Version);
                }
            }
        }
    }
}

impl Drop for Transaction {
    /// Rolls the transaction back. If its commit has begun, a panic is unwinding, which ends the
    /// process first: what the commit has published cannot be undone.
    fn drop(&mut self) {
        if !self.finished {
            if self.is_ending {
                critical::end_process(&Section::Commit);
            }
            let task = Task::blocking(self.session.manager().runtime());
            self.abort(&task);
            if !std::thread::panicking() {
                self.assert_between_statements();
            }
        }
    }
}
