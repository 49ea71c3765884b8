//! Change tracking: numbers of transactions, and the versions that their commits get.
//!
//! Rows that say what was changed carry the number of their transaction. The commit inserts a row
//! into the *commit table* that leads from this number to a version; it is part of the same commit,
//! so that it is there after a crash exactly if the changes are.
//!
//! # Invariants
//!
//! * T1: versions rise in the order of commit stamps. A commit takes its version and reserves its
//!   place in the log while it has the *turn*, which one commit of a database has at a time. So a
//!   snapshot that sees a version sees all lower ones.
//! * T2: a commit that fails gives its version back before it gives up the turn: versions have no
//!   gaps.
//! * T3: a number is given once for as long as rows have it. The counters go on from the highest
//!   values of the commit table; the caller keeps the row with the highest version, and removes
//!   rows with a number before the number.
//!
//! # Waits
//!
//! A commit takes the turn when all else that it logs is encoded, and what is longer than a record
//! has been appended to the log. Until then it has not begun to commit: a client that cancels, KILL
//! and shutdown end the wait, and roll the transaction back.
//!
//! A commit that has the turn may wait for memory, for the log, and for pages. Readers take no
//! locks in the commit table and no definition of it changes, so it waits for no other transaction,
//! and waiters for the turn need not be in the waits-for graph. A transaction over several
//! databases takes the turns of all in the order of their ids, before it prepares them, and has
//! them until it is decided.

use base::ValueRef;
use smallvec::SmallVec;

use crate::hot::cursor::{Cursor, ScanRange};
use crate::hot::index::Direction;
use crate::hot::table::Table;
use crate::hot::visibility::Isolation;
use crate::sync::Arc;
use crate::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use crate::sync::atomic::{AtomicBool, AtomicI64};
use crate::txn::error::{TxnError, TxnResult};
use crate::txn::session::{DatabaseSession, ReadAt};
use crate::txn::transaction::Transaction;
use crate::txn::write_set::Savepoint;
use crate::wait::{Task, WaitList};

/// The columns of a commit table, and its indexes, by their places.
pub mod commit_table {
    /// The version, `bigint`: column 0, and the key of index 0.
    pub const VERSION: usize = 0;
    /// The number of the transaction, `bigint`: column 1, and the key of index 1.
    pub const NUMBER: usize = 1;
    /// The time of the commit in UTC, `datetime2(7)`: column 2.
    pub const TIME: usize = 2;
}

/// The counters of a database.
#[derive(Debug, Default)]
pub(super) struct Tracking {
    /// The number that the next transaction gets; 0 until the commit table has been read.
    next_number: AtomicI64,
    /// The last version that was given; negative until the commit table has been read. Written by
    /// the commit that has the turn.
    last_version: Version,
    /// Whether a commit has the turn.
    is_taken: AtomicBool,
    /// Commits that wait for it.
    waiting: WaitList,
}

#[derive(Debug)]
struct Version(AtomicI64);

impl Default for Version {
    fn default() -> Version {
        Version(AtomicI64::new(-1))
    }
}

/// The right to take a version and to reserve a place in the log.
pub(super) struct Turn {
    session: Arc<DatabaseSession>,
    version: i64,
}

impl Turn {
    /// Waits for the turn. Error: [`TxnError::Interrupted`].
    pub fn take(session: &Arc<DatabaseSession>, task: &Task) -> TxnResult<Turn> {
        let tracking = &session.manager().tracking;
        // Acquire: pairs with the Release of the commit before.
        let take = || {
            tracking.is_taken.compare_exchange(false, true, AcqRel, Acquire).is_ok().then_some(())
        };
        let taken = tracking.waiting.wait_interruptible(task, take);
        taken.map_err(|_| TxnError::Interrupted)?;
        Ok(Turn { session: session.clone(), version: 0 })
    }

    /// Keeps the version from being given again, since the commit is decided.
    pub fn use_version(&self) {
        self.session.manager().tracking.last_version.0.store(self.version, Release);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let tracking = &self.session.manager().tracking;
        tracking.is_taken.store(false, Release);
        tracking.waiting.wake_all();
    }
}

/// What a transaction knows that has changed rows of tracked tables.
pub(super) struct Tracked {
    number: i64,
    commits: Arc<Table>,
    /// Before the first of these changes.
    pub since: Savepoint,
}

/// A row of a commit table.
#[derive(Clone, Copy, Debug)]
pub struct Commit {
    /// The version; 0 in a row that the caller has made for itself.
    pub version: i64,
    /// The number of the transaction.
    pub number: i64,
    /// The time in UTC, in units of 100 ns since the first day.
    pub time: i64,
}

/// Reads the durable rows of a commit table in the order of one of its indexes, until `take` says
/// that it needs no more.
pub fn read_commits(
    place: &DatabaseSession,
    task: &Task,
    commits: &Table,
    index: usize,
    mut take: impl FnMut(Commit) -> bool,
) -> TxnResult<()> {
    let session = DatabaseSession::new(place.manager().clone(), place.owner().clone());
    let mut transaction = Transaction::begin(&session, task)?;
    let mut statement = transaction.begin_statement(Isolation::ReadCommitted, ReadAt::Durable);
    let mut cursor = Cursor::new(statement.snapshot(), index, ScanRange::All, Direction::Forward);
    let number = |row: &[u8], column| match commits.layout().get(row, column) {
        ValueRef::Int(value) | ValueRef::DateTime2(value) => value,
        other => unreachable!("a number or a time is not {other:?}"),
    };
    let result = loop {
        match cursor.next(&mut transaction, task, commits) {
            Ok(Some(row)) => {
                let row = row.bytes();
                let [version, time] =
                    [commit_table::VERSION, commit_table::TIME].map(|c| number(row, c));
                let commit = Commit { version, number: number(row, commit_table::NUMBER), time };
                if !take(commit) {
                    break Ok(());
                }
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    drop(cursor);
    transaction.end_statement(&mut statement);
    transaction.rollback(task);
    result
}

impl Transaction {
    /// The number under which the transaction's changes of tracked tables are kept. From the first
    /// call on its commit gets a version, for which it inserts a row into this commit table.
    pub fn change_number(&mut self, task: &Task, commits: &Arc<Table>) -> TxnResult<i64> {
        match &self.tracked {
            Some(tracked) => Ok(tracked.number),
            None => self.begin_tracking(task, commits),
        }
    }

    #[cold]
    fn begin_tracking(&mut self, task: &Task, commits: &Arc<Table>) -> TxnResult<i64> {
        let since = self.savepoint();
        let session = self.session().clone();
        let next = &session.manager().tracking.next_number;
        if next.load(Acquire) == 0 {
            let last = self.last_of(task, commits, commit_table::NUMBER)?;
            // Another transaction that was faster has found the same: no tracked transaction has
            // committed since the database was opened.
            let _ = next.compare_exchange(0, last + 1, AcqRel, Acquire);
        }
        let number = next.fetch_add(1, AcqRel);
        self.tracked = Some(Box::new(Tracked { number, commits: commits.clone(), since }));
        Ok(number)
    }

    /// The order of a change among those of its transaction: changes of one statement are equal.
    pub fn change_step(&self) -> i64 {
        self.statement as i64
    }

    /// The highest value of a column of the commit table, which is the key of the index of the same
    /// place; 0 if there is none.
    fn last_of(&mut self, task: &Task, commits: &Table, column: usize) -> TxnResult<i64> {
        let mut statement = self.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let mut cursor =
            Cursor::new(statement.snapshot(), column, ScanRange::All, Direction::Backward);
        let found = cursor.next(self, task, commits).map(|row| match row {
            Some(row) => match commits.layout().get(self.row(row), column) {
                ValueRef::Int(value) => value,
                other => unreachable!("a bigint column holds {other:?}"),
            },
            None => 0,
        });
        drop(cursor);
        self.end_statement(&mut statement);
        found
    }

    /// Takes the turn and a version, if the transaction has changed tracked tables, and inserts the
    /// row that says so. The turn ends when the commit is decided.
    pub(super) fn take_version(&mut self, task: &Task) -> TxnResult<()> {
        let Some(tracked) = self.tracked.take() else { return Ok(()) };
        let session = self.session.clone();
        let mut turn = Turn::take(&session, task)?;
        let commits = &tracked.commits;
        let last = &session.manager().tracking.last_version.0;
        if last.load(Acquire) < 0 {
            let found = self.last_of(task, commits, commit_table::VERSION)?;
            last.store(found, Release);
        }
        turn.version = last.load(Acquire) + 1;
        let time = task.env().clock().utc_ticks() as i64;
        let mut values: SmallVec<[ValueRef<'_>; 4]> = SmallVec::new();
        values.extend([
            ValueRef::Int(turn.version),
            ValueRef::Int(tracked.number),
            ValueRef::DateTime2(time),
        ]);
        // The hidden row number is left to the table.
        values.extend(commits.row_number_column().map(|_| ValueRef::Int(0)));
        let mut row = Vec::with_capacity(64);
        commits.layout().build(&values, &mut row);
        let mut statement = self.begin_statement(Isolation::ReadCommitted, ReadAt::Committed);
        let snapshot = *statement.snapshot();
        let inserted = self.insert(task, commits, &snapshot, &row).map(drop);
        match inserted {
            Ok(()) => self.end_statement(&mut statement),
            Err(_) => self.rollback_statement(task, &mut statement),
        }
        self.turn = Some(turn);
        inserted
    }

    /// Gives up the turn of a commit that is decided.
    pub(super) fn pass_turn(&mut self) {
        if let Some(turn) = self.turn.take() {
            turn.use_version();
        }
    }
}
