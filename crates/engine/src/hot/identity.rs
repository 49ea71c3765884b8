//! The counter behind an identity column.
//!
//! A value is handed out only below a *ceiling* that is in the log already, so that no value is
//! handed out again after a crash. The ceiling moves ahead by a block of values at a time
//! ([`block_of`]); a clean shutdown logs the exact position. A crash skips the values left in the
//! block, as SQL Server's identity cache does.
//!
//! The record of the ceiling lies before that of any commit that uses the values, so a transaction
//! does not wait for it. But a client may see a value whose transaction never commits
//! (`SCOPE_IDENTITY()`, an error's text): the log must be durable up to [`Taken::covered_by`]
//! before the client does.

use base::TypeKind;
use base::ids::Lsn;

use crate::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use crate::wait::{Task, WaitList};

/// Values that one ceiling record reserves for an identity column of this type: as many as
/// SQL Server's identity cache has.
pub const fn block_of(kind: TypeKind) -> i64 {
    match kind {
        TypeKind::TinyInt => 10,
        TypeKind::SmallInt => 100,
        TypeKind::Int => 1000,
        _ => 10_000,
    }
}

const UNUSED: i128 = 1 << 64;

impl Position {
    /// Encodes the position for a ceiling operation of the log: the next value, with bit 64 set if
    /// the counter has handed out nothing.
    pub fn encode(self) -> i128 {
        let next = i128::from(self.next as u64);
        if self.used { next } else { next | UNUSED }
    }

    /// Decodes the result of [`Position::encode`].
    pub fn decode(ceiling: i128) -> Position {
        Position { next: ceiling as u64 as i64, used: ceiling & UNUSED == 0 }
    }
}

/// The state of a counter, as a ceiling record holds it and recovery restores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The next value to hand out.
    pub next: i64,
    /// Whether a value has been handed out since the counter was made or reseeded.
    pub used: bool,
}

/// Where a counter logs its positions.
pub trait CeilingLog<E> {
    /// Values that a ceiling reserves, at least 1.
    fn block(&self) -> i64;

    /// Appends a record of this position; returns where the record ends.
    fn append(self, position: Position) -> Result<Lsn, E>;
}

/// Why [`Counter::take`] gave nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TakeError<E> {
    /// The range is used up.
    Exhausted,
    /// The new ceiling could not be logged.
    Log(E),
}

/// Values that were handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The first of them.
    pub first: i64,
    /// The position up to which the log must be durable before a client sees the values.
    pub covered_by: Lsn,
}

/// A counter that never hands out a value twice.
#[derive(Debug)]
pub struct Counter {
    seed: i64,
    increment: i64,
    /// The next value; `i64::MAX` or `i64::MIN` at the end of the range is never handed out.
    next: AtomicI64,
    /// Values before this, in the counter's direction, are covered by the log.
    ceiling: AtomicI64,
    /// Where the record of the ceiling ends; stored before the ceiling. A reader of a ceiling sees
    /// this position or that of a later record.
    covered_by: AtomicU64,
    /// Whether a value was handed out.
    used: AtomicBool,
    /// Whether a task is logging a position. Logging may wait for log space, so other tasks that
    /// want to log suspend on `logged` instead of blocking on a lock.
    logging: AtomicBool,
    logged: WaitList,
}

/// The right to log a position.
struct Turn<'c>(&'c Counter);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.logging.store(false, Release);
        self.0.logged.wake_all();
    }
}

impl Counter {
    /// A counter that has handed out nothing. The increment is not 0.
    pub fn new(seed: i64, increment: i64) -> Counter {
        assert_ne!(increment, 0, "an increment of zero is refused when the column is declared");
        Counter {
            seed,
            increment,
            next: AtomicI64::new(seed),
            ceiling: AtomicI64::new(seed),
            covered_by: AtomicU64::new(0),
            used: AtomicBool::new(false),
            logging: AtomicBool::new(false),
            logged: WaitList::new(),
        }
    }

    /// The first value.
    pub fn seed(&self) -> i64 {
        self.seed
    }

    /// The distance between values.
    pub fn increment(&self) -> i64 {
        self.increment
    }

    /// Hands out `count` values that follow each other at the increment's distance. Once per block
    /// of values, `log` gives the size of the next block and appends a record of the position at
    /// its end. A block of one value means that nothing is cached.
    pub fn take<E>(
        &self,
        task: &Task,
        count: u32,
        log: impl CeilingLog<E>,
    ) -> Result<Taken, TakeError<E>> {
        let step = self.increment.checked_mul(i64::from(count)).ok_or(TakeError::Exhausted)?;
        let mut first = self.next.load(Acquire);
        let after = loop {
            let after = first.checked_add(step).ok_or(TakeError::Exhausted)?;
            // SeqCst, like the load of the ceiling below: pairs with the accesses in `give_back`.
            match self.next.compare_exchange_weak(first, after, SeqCst, Acquire) {
                Ok(_) => break after,
                Err(now) => first = now,
            }
        };
        if !self.covers(self.ceiling.load(SeqCst), after) {
            self.cover(task, after, log).map_err(TakeError::Log)?;
        }
        Ok(Taken { first, covered_by: self.covered_by() })
    }

    /// The end of the record that covers all values handed out so far.
    pub fn covered_by(&self) -> Lsn {
        Lsn(self.covered_by.load(Relaxed)) // ordered by the load of the ceiling
    }

    fn covers(&self, ceiling: i64, after: i64) -> bool {
        if self.increment > 0 { ceiling >= after } else { ceiling <= after }
    }

    /// Waits until no other task logs a position, and takes the right to log one.
    fn turn(&self, task: &Task) -> Turn<'_> {
        let take = || {
            let taken = self.logging.compare_exchange(false, true, Acquire, Relaxed);
            taken.ok().map(|_| Turn(self))
        };
        self.logged.wait(task, take)
    }

    fn cover<E>(&self, task: &Task, after: i64, log: impl CeilingLog<E>) -> Result<(), E> {
        let _turn = self.turn(task);
        self.used.store(true, Release);
        let covered = self.ceiling.load(SeqCst);
        if self.covers(covered, after) {
            return Ok(()); // another session has raised it meanwhile
        }
        let ceiling = self.ceiling_for(covered, after, log.block());
        let end = log.append(Position { next: ceiling, used: true })?;
        self.raise(ceiling, end);
        Ok(())
    }

    /// The end of the block that contains the last value before `after`. Blocks are counted from
    /// the last ceiling.
    fn ceiling_for(&self, covered: i64, after: i64, block: i64) -> i64 {
        let step = i128::from(self.increment);
        // After a `give_back` that failed to log there is no last ceiling.
        let from =
            if self.covers(after, covered) && covered != self.nothing() { covered } else { after };
        let values = (i128::from(after) - i128::from(from)) / step;
        let block = i128::from(block);
        let values = (values + block - 1) / block * block;
        let ceiling = i128::from(from) + step * values;
        ceiling.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// The ceiling that covers no value.
    fn nothing(&self) -> i64 {
        if self.increment > 0 { i64::MIN } else { i64::MAX }
    }

    fn raise(&self, ceiling: i64, end: Lsn) {
        self.covered_by.store(end.0, Relaxed);
        self.ceiling.store(ceiling, SeqCst); // publishes the position before it
    }

    /// Logs the exact position, so that a restart skips none of the values left in the block.
    pub fn give_back<E>(&self, task: &Task, log: impl CeilingLog<E>) -> Result<(), E> {
        let _turn = self.turn(task);
        if !self.used.load(Acquire) || self.ceiling.load(SeqCst) == self.next.load(SeqCst) {
            return Ok(());
        }
        // From here on `take` finds its value not covered, and waits for the turn. A `take` that
        // found its value covered had advanced `next` before, and the load below sees that: both
        // pairs of accesses are SeqCst.
        self.ceiling.store(self.nothing(), SeqCst);
        let next = self.next.load(SeqCst);
        let end = log.append(Position { next, used: true })?;
        self.raise(next, end);
        Ok(())
    }

    /// The next value to hand out, and whether any has been handed out.
    pub fn position(&self) -> Position {
        Position { next: self.next.load(Acquire), used: self.used.load(Acquire) }
    }

    /// The last value handed out (`IDENT_CURRENT`): the seed if there was none.
    pub fn current(&self) -> i64 {
        match self.position() {
            Position { next, used: true } => next.saturating_sub(self.increment),
            Position { .. } => self.seed,
        }
    }

    /// Moves the counter past a value that a session inserted explicitly.
    pub fn observe<E>(&self, task: &Task, value: i64, log: impl CeilingLog<E>) -> Result<(), E> {
        let Some(after) = value.checked_add(self.increment) else { return Ok(()) };
        let mut next = self.next.load(Acquire);
        loop {
            if self.covers(next, after) {
                return Ok(());
            }
            match self.next.compare_exchange_weak(next, after, SeqCst, Acquire) {
                Ok(_) => break,
                Err(now) => next = now,
            }
        }
        match self.covers(self.ceiling.load(SeqCst), after) {
            true => Ok(()),
            false => self.cover(task, after, log),
        }
    }

    /// Sets the position, logging it first: `DBCC CHECKIDENT (RESEED)`, `ALTER SEQUENCE RESTART`,
    /// and `TRUNCATE` through a fresh counter. As SQL Server does, a counter that has handed out
    /// something goes on with `value + increment`, a fresh one with `value` itself.
    pub fn reseed<E>(&self, task: &Task, value: i64, log: impl CeilingLog<E>) -> Result<(), E> {
        let _turn = self.turn(task);
        let used = self.used.load(Acquire);
        let next = if used { value.saturating_add(self.increment) } else { value };
        let end = log.append(Position { next, used })?;
        self.raise(next, end);
        self.next.store(next, SeqCst);
        Ok(())
    }

    /// Restores a position from the log. Only recovery calls this, before any value is taken.
    pub fn recover(&self, position: Position) {
        self.used.store(position.used, Release);
        self.next.store(position.next, SeqCst);
        self.ceiling.store(position.next, SeqCst);
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
