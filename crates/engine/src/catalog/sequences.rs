//! The counters of sequences: what NEXT VALUE FOR takes from.
//!
//! Like identity counters they are outside of transactions: a value that was handed out stays so. A
//! ceiling is in the log before values below it are handed out. A counter follows its definition:
//! it is there when the definition is, and it changes when a change of the definition commits.

use std::collections::HashMap;

use base::ids::ObjectId;

use super::def::SequenceDef;
use crate::database::Database;
use crate::hot::identity::{Counter, Position, TakeError};
use crate::log::Operation;
use crate::sync::{Arc, Mutex, RwLock};
use crate::txn::{TxnError, TxnResult};
use crate::wait::Task;

/// The counters of a database's sequences. Values are `bigint`s; a `decimal` sequence ends where
/// those end.
pub struct Sequences {
    database: Arc<Database>,
    counters: RwLock<HashMap<ObjectId, Arc<SequenceCounter>>>,
    /// What `rowversion` columns take from; in the log it is the sequence [`ROW_VERSIONS`].
    row_versions: Arc<SequenceCounter>,
}

/// No object has this id.
const ROW_VERSIONS: ObjectId = ObjectId(0);
/// The first value of a `rowversion` column, as in a new database of SQL Server.
const FIRST_ROW_VERSION: i64 = 2001;

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
}

struct SequenceCounter {
    sequence: ObjectId,
    minimum: i64,
    maximum: i64,
    cycle: bool,
    restarts: u32,
    counter: Counter,
    /// Held by whoever starts the next round of a cycling sequence.
    turn: Mutex<()>,
}

impl Sequences {
    pub(super) fn new(database: Arc<Database>) -> Sequences {
        let row_versions = Arc::new(SequenceCounter::of_row_versions());
        Sequences { database, counters: RwLock::default(), row_versions }
    }

    /// The next value of a `rowversion` column.
    pub fn next_row_version(&self, task: &Task) -> Result<i64, SequenceError> {
        self.take(task, &self.row_versions, 1)
    }

    /// The last value that a `rowversion` column got, `@@DBTS`.
    pub fn last_row_version(&self) -> i64 {
        self.row_versions.counter.position().next - 1
    }

    /// The next value.
    pub fn next(&self, task: &Task, sequence: ObjectId) -> Result<i64, SequenceError> {
        let counter = self.counter(sequence)?;
        loop {
            let value = self.take(task, &counter, 1)?;
            if counter.contains(value) {
                return Ok(value);
            }
            if !counter.cycle {
                return Err(SequenceError::Exhausted);
            }
            counter.start_round();
        }
    }

    /// The first of `count` values that follow each other, `sp_sequence_get_range`. A range does
    /// not go round.
    pub fn range(&self, task: &Task, sequence: ObjectId, count: u32) -> Result<i64, SequenceError> {
        let counter = self.counter(sequence)?;
        let first = self.take(task, &counter, count)?;
        let last = i128::from(count.max(1) - 1) * i128::from(counter.counter.increment());
        match i64::try_from(i128::from(first) + last).is_ok_and(|last| counter.contains(last)) {
            true => Ok(first),
            false => Err(SequenceError::RangeTooLarge),
        }
    }

    /// Where a sequence stands.
    pub fn state(&self, sequence: ObjectId) -> Option<SequenceState> {
        self.counter(sequence).ok().map(|counter| counter.state())
    }

    /// What a clean shutdown logs, so that no value is skipped.
    pub fn positions(&self) -> Vec<Operation<'static>> {
        let counters = self.counters.read().expect("nobody panics under this lock");
        let all = counters.values().chain([&self.row_versions]);
        all.map(|c| c.operation(c.counter.position())).collect()
    }

    /// A definition is current: makes or changes its counter. A counter whose definition says that
    /// it was restarted starts anew; any other goes on where it was.
    pub(super) fn follow(&self, def: &SequenceDef) {
        let mut counters = self.counters.write().expect("nobody panics under this lock");
        let old = counters.get(&def.header.id);
        if old.is_some_and(|old| old.is_of(def)) {
            return;
        }
        let position = old.filter(|old| old.restarts == def.restarts).map(|old| old.position());
        counters.insert(def.header.id, Arc::new(SequenceCounter::new(def, position)));
    }

    /// A definition is gone.
    pub(super) fn forget(&self, sequence: ObjectId) {
        self.counters.write().expect("nobody panics under this lock").remove(&sequence);
    }

    /// Recovery has found how far a sequence may have come.
    pub(super) fn recover(&self, sequence: ObjectId, position: Position) {
        if let Ok(counter) = self.counter(sequence) {
            counter.counter.recover(position);
        }
    }

    fn counter(&self, sequence: ObjectId) -> Result<Arc<SequenceCounter>, SequenceError> {
        if sequence == ROW_VERSIONS {
            return Ok(self.row_versions.clone());
        }
        let counters = self.counters.read().expect("nobody panics under this lock");
        counters.get(&sequence).cloned().ok_or(SequenceError::Dropped)
    }

    fn take(
        &self,
        task: &Task,
        counter: &SequenceCounter,
        count: u32,
    ) -> Result<i64, SequenceError> {
        let log = |position: Position| -> TxnResult<()> {
            self.database.log_operation(task, &counter.operation(position)).map(drop)
        };
        counter.counter.take(task, count, log).map_err(|error| match error {
            TakeError::Exhausted => SequenceError::Exhausted,
            TakeError::Log(error) => SequenceError::Transaction(error),
        })
    }
}

impl SequenceCounter {
    fn of_row_versions() -> SequenceCounter {
        SequenceCounter {
            sequence: ROW_VERSIONS,
            minimum: 0,
            maximum: i64::MAX,
            cycle: false,
            restarts: 0,
            counter: Counter::new(FIRST_ROW_VERSION, 1),
            turn: Mutex::new(()),
        }
    }

    fn new(def: &SequenceDef, went_on_from: Option<Position>) -> SequenceCounter {
        let clamp = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        let counter = Counter::new(clamp(def.start), clamp(def.increment));
        if let Some(last) = went_on_from {
            // The last value stays the last; the next one follows by the new increment.
            let next = match last.used {
                true => last.next.saturating_add(counter.increment()),
                false => last.next,
            };
            counter.recover(Position { next, used: last.used });
        }
        SequenceCounter {
            sequence: def.header.id,
            minimum: clamp(def.minimum),
            maximum: clamp(def.maximum),
            cycle: def.cycle,
            restarts: def.restarts,
            counter,
            turn: Mutex::new(()),
        }
    }

    fn is_of(&self, def: &SequenceDef) -> bool {
        let like = SequenceCounter::new(def, None);
        self.minimum == like.minimum
            && self.maximum == like.maximum
            && self.cycle == like.cycle
            && self.restarts == like.restarts
            && self.counter.seed() == like.counter.seed()
            && self.counter.increment() == like.counter.increment()
    }

    fn contains(&self, value: i64) -> bool {
        (self.minimum..=self.maximum).contains(&value)
    }

    /// With the last value in the place of the next, for a counter that takes over; the next one
    /// if none was handed out.
    fn position(&self) -> Position {
        let position = self.counter.position();
        match position.used {
            true => Position { next: self.last(position.next), used: true },
            false => position,
        }
    }

    /// The last value within the range before `next`, which may be beyond it.
    fn last(&self, next: i64) -> i64 {
        let step = i128::from(self.counter.increment());
        let last = i128::from(next) - step;
        let beyond = match step > 0 {
            true => last - i128::from(self.maximum),
            false => i128::from(self.minimum) - last,
        };
        let back = match beyond > 0 {
            true => (beyond + step.abs() - 1) / step.abs(),
            false => 0,
        };
        (last - back * step).clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    fn state(&self) -> SequenceState {
        let position = self.counter.position();
        let last_used = position.used.then(|| self.last(position.next));
        SequenceState {
            current: last_used.unwrap_or(position.next),
            last_used,
            exhausted: !self.cycle && !self.contains(position.next),
        }
    }

    /// Goes back to the other end, unless somebody else has done so meanwhile.
    fn start_round(&self) {
        let _turn = self.turn.lock().expect("nobody panics under this lock");
        if !self.contains(self.counter.position().next) {
            let start = if self.counter.increment() > 0 { self.minimum } else { self.maximum };
            // Nothing is covered by the log from here on, so that the next value logs a ceiling.
            self.counter.recover(Position { next: start, used: true });
        }
    }

    fn operation(&self, position: Position) -> Operation<'static> {
        Operation::SequenceCeiling { sequence: self.sequence, ceiling: position.encode() }
    }
}
