//! The counters of sequences: what NEXT VALUE FOR takes from.
//!
//! Like identity counters they are outside of transactions: a value that was handed out stays so. A
//! counter follows its definition: it is there when the definition is, and it changes when a change
//! of the definition commits.
//!
//! # How a value never comes again
//!
//! Below a *ceiling* that is in the log values are handed out from memory; `CACHE` says how far
//! ahead it is. A session that takes a value notes the end of the ceiling's record as what its
//! client must not be shown before it is durable ([`DatabaseSession::note_shown`]), so that one
//! value of a block waits for the disk at most, when it is sent.
//!
//! The session whose value is beyond the ceiling logs the next one. Logging may wait for space in
//! the log, so it is not done under the mutex of the counter but in a *turn*. The counter may begin
//! another life (`RESTART`) or round meanwhile: a ceiling carries its life's number, and counts in
//! no other.

mod standing;

use std::collections::HashMap;

use base::ids::{Lsn, ObjectId};

use super::def::SequenceDef;
use crate::database::Database;
use crate::hot::identity::{CeilingLog, Counter, Position, TakeError, Taken};
use crate::log::Operation;
use crate::sync::atomic::AtomicBool;
use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use crate::sync::{Arc, Mutex, MutexGuard, RwLock};
use crate::txn::{DatabaseSession, TxnError, TxnResult};
use crate::wait::{Task, WaitList};

pub(super) use standing::Mark;
use standing::{Ceiling, Rules, Standing};

/// The counters of a database's sequences. Values are `bigint`s; a `decimal` sequence ends where
/// those end.
pub struct Sequences {
    database: Arc<Database>,
    counters: RwLock<HashMap<ObjectId, Arc<SequenceCounter>>>,
    /// What `rowversion` columns take from; in the log it is the sequence [`ROW_VERSIONS`].
    row_versions: Counter,
}

/// No object has this id.
const ROW_VERSIONS: ObjectId = ObjectId(0);
/// The first value of a `rowversion` column, as in a new database of SQL Server.
const FIRST_ROW_VERSION: i64 = 2001;
/// Row versions that one ceiling reserves.
const ROW_VERSION_BLOCK: i64 = 1000;

/// Why a sequence gives no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SequenceError {
    /// It has reached its end and does not cycle: message 11728.
    Exhausted,
    /// The range asked for goes beyond the end: message 11732.
    RangeTooLarge,
    /// There is no such sequence; it was dropped.
    Dropped,
    /// The ceiling cannot be logged.
    Transaction(TxnError),
}

/// Where a sequence stands: what `sys.sequences` shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequenceState {
    /// The last value handed out, or the start.
    pub current: i64,
    /// The last value handed out, if any was since the start.
    pub last_used: Option<i64>,
    /// Whether it has reached its end and does not cycle.
    pub exhausted: bool,
    /// Where the log has to be durable to before a client sees this.
    pub covered_by: Lsn,
}

/// Values that follow each other: what `sp_sequence_get_range` shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequenceRange {
    /// The first of them.
    pub first: i64,
    /// The last of them.
    pub last: i64,
    /// How often the sequence has begun a new round for them.
    pub cycles: i64,
}

struct SequenceCounter {
    sequence: ObjectId,
    standing: Mutex<Standing>,
    /// A session logs a ceiling; another that wants to waits, as statements do.
    logging: AtomicBool,
    logged: WaitList,
}

/// The right to log a ceiling.
struct Turn<'c>(&'c SequenceCounter);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.logging.store(false, Release); // pairs with the next one's Acquire
        self.0.logged.wake_all();
    }
}

impl Sequences {
    pub(super) fn new(database: Arc<Database>) -> Sequences {
        let row_versions = Counter::new(FIRST_ROW_VERSION, 1);
        Sequences { database, counters: RwLock::default(), row_versions }
    }

    /// The next value of a `rowversion` column.
    pub fn next_row_version(&self, task: &Task) -> Result<Taken, SequenceError> {
        let log = RowVersionLog { database: &self.database, task };
        self.row_versions.take(task, 1, log).map_err(|error| match error {
            TakeError::Exhausted => SequenceError::Exhausted,
            TakeError::Log(error) => SequenceError::Transaction(error),
        })
    }

    /// The last value that a `rowversion` column got, `@@DBTS`.
    pub fn last_row_version(&self) -> Taken {
        let first = self.row_versions.position().next - 1;
        Taken { first, covered_by: self.row_versions.covered_by() }
    }

    /// The next value.
    pub fn next(
        &self,
        task: &Task,
        place: &DatabaseSession,
        sequence: ObjectId,
    ) -> Result<i64, SequenceError> {
        self.take(task, place, sequence, Standing::take)
    }

    /// `count` values that follow each other, `sp_sequence_get_range`.
    pub fn range(
        &self,
        task: &Task,
        place: &DatabaseSession,
        sequence: ObjectId,
        count: u64,
    ) -> Result<SequenceRange, SequenceError> {
        self.take(task, place, sequence, |standing| standing.take_range(count))
    }

    /// Where a sequence stands.
    pub fn state(&self, sequence: ObjectId) -> Option<SequenceState> {
        self.counter(sequence).ok().map(|counter| counter.standing().state())
    }

    /// Logs where a sequence stands exactly: what is left in its cache is not skipped by a crash.
    pub fn give_back(&self, task: &Task, sequence: ObjectId) -> TxnResult<()> {
        let Ok(counter) = self.counter(sequence) else { return Ok(()) };
        let _turn = counter.turn(task);
        let exact = counter.standing().exact();
        match exact {
            Some(ceiling) => self.log(task, &counter, ceiling).map(drop),
            None => Ok(()),
        }
    }

    /// What a clean shutdown logs, so that no value is skipped.
    pub fn positions(&self) -> Vec<Operation<'static>> {
        let counters = self.counters.read().expect("no panic under this lock");
        let all = counters.values();
        let mut all: Vec<_> = all.map(|c| c.operation(c.standing().mark())).collect();
        all.push(row_version_ceiling(self.row_versions.position()));
        all
    }

    /// A definition is current: makes or changes its counter. A counter whose definition says that
    /// it was restarted starts anew; any other goes on where it was.
    pub(super) fn follow(&self, def: &SequenceDef) {
        let mut counters = self.counters.write().expect("no panic under this lock");
        let rules = Rules::of(def);
        let new = || Arc::new(SequenceCounter::new(def.header.id, rules));
        counters.entry(def.header.id).or_insert_with(new).standing().follow(rules);
    }

    /// A definition is gone.
    pub(super) fn forget(&self, sequence: ObjectId) {
        self.counters.write().expect("no panic under this lock").remove(&sequence);
    }

    /// Takes the furthest position that a sequence may have reached, which recovery has found.
    pub(super) fn recover(&self, sequence: ObjectId, mark: Mark) {
        if sequence == ROW_VERSIONS {
            self.row_versions.recover(mark.position());
        } else if let Ok(counter) = self.counter(sequence) {
            counter.standing().recover(mark);
        }
    }

    fn counter(&self, sequence: ObjectId) -> Result<Arc<SequenceCounter>, SequenceError> {
        let counters = self.counters.read().expect("no panic under this lock");
        counters.get(&sequence).cloned().ok_or(SequenceError::Dropped)
    }

    /// Takes from a sequence what the session's client may then see.
    fn take<T>(
        &self,
        task: &Task,
        place: &DatabaseSession,
        sequence: ObjectId,
        take: impl FnOnce(&mut Standing) -> Result<T, SequenceError>,
    ) -> Result<T, SequenceError> {
        let (taken, covered_by, counter) = {
            let counters = self.counters.read().expect("no panic under this lock");
            let counter = counters.get(&sequence).ok_or(SequenceError::Dropped)?;
            let mut standing = counter.standing();
            let taken = take(&mut standing)?;
            match standing.covered_by() {
                Some(end) => (taken, end, None),
                None => (taken, Lsn::ZERO, Some(counter.clone())),
            }
        };
        let end = match counter {
            None => covered_by,
            Some(counter) => self.cover(task, &counter).map_err(SequenceError::Transaction)?,
        };
        place.note_shown(end);
        Ok(taken)
    }

    /// Logs a ceiling above all that was taken, unless another session has; returns the end of the
    /// record.
    #[cold]
    fn cover(&self, task: &Task, counter: &SequenceCounter) -> TxnResult<Lsn> {
        let _turn = counter.turn(task);
        let ceiling = {
            let standing = counter.standing();
            if let Some(end) = standing.covered_by() {
                return Ok(end);
            }
            standing.ceiling_ahead()
        };
        self.log(task, counter, ceiling)
    }

    /// Logs a ceiling. The caller has the turn.
    fn log(&self, task: &Task, counter: &SequenceCounter, ceiling: Ceiling) -> TxnResult<Lsn> {
        let end = self.database.log_operation(task, &counter.operation(ceiling.mark))?;
        counter.standing().raise(ceiling, end);
        Ok(end)
    }
}

impl SequenceCounter {
    fn new(sequence: ObjectId, rules: Rules) -> SequenceCounter {
        SequenceCounter {
            sequence,
            standing: Mutex::new(Standing::new(rules)),
            logging: AtomicBool::new(false),
            logged: WaitList::new(),
        }
    }

    /// Held for a few instructions.
    fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().expect("no panic under this lock")
    }

    fn turn(&self, task: &Task) -> Turn<'_> {
        let take = || {
            // Acquire pairs with the Release of the one before.
            let taken = self.logging.compare_exchange(false, true, Acquire, Relaxed);
            taken.ok().map(|_| Turn(self))
        };
        self.logged.wait(task, take)
    }

    fn operation(&self, mark: Mark) -> Operation<'static> {
        Operation::SequenceCeiling { sequence: self.sequence, ceiling: mark.encode() }
    }
}

/// The ceilings of row versions, in their database's log.
struct RowVersionLog<'a> {
    database: &'a Database,
    task: &'a Task<'a>,
}

impl CeilingLog<TxnError> for RowVersionLog<'_> {
    fn block(&self) -> i64 {
        ROW_VERSION_BLOCK
    }

    fn append(self, position: Position) -> TxnResult<Lsn> {
        self.database.log_operation(self.task, &row_version_ceiling(position))
    }
}

fn row_version_ceiling(position: Position) -> Operation<'static> {
    Operation::SequenceCeiling { sequence: ROW_VERSIONS, ceiling: position.encode() }
}
