//! Counters behind identity columns and sequences.
//!
//! A value is handed out only below a *ceiling* that is in the log already, so that no value is
//! handed out again after a crash. The ceiling moves [`BLOCK`] values ahead at a time; a clean
//! shutdown logs the exact position. A crash skips what was left of the block, as SQL Server's
//! identity cache does.
//!
//! The record of the ceiling lies before that of any commit that uses the values, so nobody waits
//! for it to be durable.

use crate::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use crate::sync::atomic::{AtomicBool, AtomicI64};
use crate::wait::{Task, WaitList};

/// Values that one ceiling record reserves.
pub const BLOCK: i64 = 1000;

const UNUSED: i128 = 1 << 64;

impl Position {
    /// As a ceiling operation of the log carries it: the next value, with a bit above its 64 that
    /// tells a counter that has handed out nothing.
    pub fn encode(self) -> i128 {
        let next = i128::from(self.next as u64);
        if self.used { next } else { next | UNUSED }
    }

    /// What [`Position::encode`] made.
    pub fn decode(ceiling: i128) -> Position {
        Position { next: ceiling as u64 as i64, used: ceiling & UNUSED == 0 }
    }
}

/// Where a counter stands: what a ceiling record says, and what recovery sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The next value to hand out.
    pub next: i64,
    /// Whether a value has been handed out since the counter was made or reseeded.
    pub used: bool,
}

/// Why [`Counter::take`] gave nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TakeError<E> {
    /// The range is used up.
    Exhausted,
    /// The new ceiling could not be logged.
    Log(E),
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
    /// Whether a value was handed out.
    used: AtomicBool,
    /// Somebody logs a position. Logging may wait for space in the log, so whoever else wants to must
    /// wait as statements do, not on a lock.
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

    /// Hands out `count` values: the first of them; the others follow at the increment's distance.
    /// `log` appends a record with the new ceiling and is called for about one value in a thousand.
    pub fn take<E>(
        &self,
        task: &Task,
        count: u32,
        log: impl FnOnce(Position) -> Result<(), E>,
    ) -> Result<i64, TakeError<E>> {
        let step = self.increment.checked_mul(i64::from(count)).ok_or(TakeError::Exhausted)?;
        let mut first = self.next.load(Acquire);
        let after = loop {
            let after = first.checked_add(step).ok_or(TakeError::Exhausted)?;
            match self.next.compare_exchange_weak(first, after, AcqRel, Acquire) {
                Ok(_) => break after,
                Err(now) => first = now,
            }
        };
        // Pairs with cover(): the record of this ceiling is in the log.
        if !self.covers(self.ceiling.load(Acquire), after) {
            self.cover(task, after, log).map_err(TakeError::Log)?;
        }
        Ok(first)
    }

    fn covers(&self, ceiling: i64, after: i64) -> bool {
        if self.increment > 0 { ceiling >= after } else { ceiling <= after }
    }

    /// Waits until nobody else logs a position.
    fn turn(&self, task: &Task) -> Turn<'_> {
        let take = || {
            let taken = self.logging.compare_exchange(false, true, Acquire, Relaxed);
            taken.ok().map(|_| Turn(self))
        };
        self.logged.wait(task, take)
    }

    fn cover<E>(
        &self,
        task: &Task,
        after: i64,
        log: impl FnOnce(Position) -> Result<(), E>,
    ) -> Result<(), E> {
        let _turn = self.turn(task);
        self.used.store(true, Release);
        if self.covers(self.ceiling.load(Acquire), after) {
            return Ok(()); // somebody else has raised it meanwhile
        }
        let ceiling = after.saturating_add(self.increment.saturating_mul(BLOCK));
        log(Position { next: ceiling, used: true })?;
        self.ceiling.store(ceiling, Release);
        Ok(())
    }

    /// The next value to be handed out, and whether any was.
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

    /// Somebody inserted an explicit value: the counter goes on behind it.
    pub fn observe<E>(
        &self,
        task: &Task,
        value: i64,
        log: impl FnOnce(Position) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(after) = value.checked_add(self.increment) else { return Ok(()) };
        let mut next = self.next.load(Acquire);
        loop {
            if self.covers(next, after) {
                return Ok(());
            }
            match self.next.compare_exchange_weak(next, after, AcqRel, Acquire) {
                Ok(_) => break,
                Err(now) => next = now,
            }
        }
        if self.covers(self.ceiling.load(Acquire), after) {
            Ok(())
        } else {
            self.cover(task, after, log)
        }
    }

    /// Sets the position, logging it first: `DBCC CHECKIDENT (RESEED)`, `ALTER SEQUENCE RESTART`,
    /// and `TRUNCATE` through a fresh counter. As SQL Server does, a counter that has handed out
    /// something goes on with `value + increment`, a fresh one with `value` itself.
    pub fn reseed<E>(
        &self,
        task: &Task,
        value: i64,
        log: impl FnOnce(Position) -> Result<(), E>,
    ) -> Result<(), E> {
        let _turn = self.turn(task);
        let used = self.used.load(Acquire);
        let next = if used { value.saturating_add(self.increment) } else { value };
        log(Position { next, used })?;
        self.ceiling.store(next, Release);
        self.next.store(next, Release);
        Ok(())
    }

    /// Takes over what the log said. Only recovery calls this, before anybody takes values.
    pub fn recover(&self, position: Position) {
        self.used.store(position.used, Release);
        self.next.store(position.next, Release);
        self.ceiling.store(position.next, Release);
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crossbeam_epoch::Collector;
    use env::Env;

    use crate::wait::{Runtime, RuntimeOptions, ThreadTimer};

    fn task() -> Task<'static> {
        let env = Env::real();
        let timer = Arc::new(ThreadTimer::new());
        Task::blocking(&Runtime::new(env, Collector::new(), timer, RuntimeOptions::default()))
    }

    fn logged(log: &mut Vec<Position>) -> impl FnOnce(Position) -> Result<(), ()> + '_ {
        |p| {
            log.push(p);
            Ok(())
        }
    }

    #[test]
    fn a_ceiling_is_logged_before_values_below_it() {
        let (counter, mut log) = (Counter::new(1, 1), Vec::new());
        for i in 1..=2500 {
            assert_eq!(counter.take(&task(), 1, logged(&mut log)), Ok(i));
            assert!(log.last().expect("logged").next > i);
        }
        assert!(log.len() <= 3, "one record a block: {log:?}");
        // A crash: the next life starts above everything handed out.
        let again = Counter::new(1, 1);
        again.recover(*log.last().expect("logged"));
        assert!(again.take(&task(), 1, logged(&mut log)).expect("in range") > 2500);
    }

    #[test]
    fn counters_go_down_too_and_stop_at_the_end() {
        let (counter, mut log) = (Counter::new(-10, -5), Vec::new());
        assert_eq!(counter.take(&task(), 2, logged(&mut log)), Ok(-10));
        assert_eq!(counter.take(&task(), 1, logged(&mut log)), Ok(-20));
        counter.observe(&task(), -100, logged(&mut log)).expect("logged");
        assert_eq!(counter.take(&task(), 1, logged(&mut log)), Ok(-105));
        let end = Counter::new(i64::MAX - 1, 1);
        assert_eq!(end.take(&task(), 1, logged(&mut log)), Ok(i64::MAX - 1));
        assert_eq!(end.take(&task(), 1, logged(&mut log)), Err(TakeError::Exhausted));
    }

    #[test]
    fn reseeding_a_used_counter_goes_on_behind_the_value() {
        let (counter, mut log) = (Counter::new(1, 1), Vec::new());
        counter.reseed(&task(), 50, logged(&mut log)).expect("logged");
        assert_eq!((counter.current(), counter.take(&task(), 1, logged(&mut log))), (1, Ok(50)));
        counter.reseed(&task(), 10, logged(&mut log)).expect("logged");
        assert_eq!((counter.current(), counter.take(&task(), 1, logged(&mut log))), (10, Ok(11)));
    }

    #[test]
    fn positions_survive_the_log() {
        for next in [i64::MIN, -1, 0, 1, i64::MAX] {
            for used in [true, false] {
                let position = Position { next, used };
                assert_eq!(Position::decode(position.encode()), position);
            }
        }
    }

    #[test]
    fn a_ceiling_that_cannot_be_logged_hands_out_nothing() {
        let counter = Counter::new(1, 1);
        assert_eq!(counter.take(&task(), 1, |_| Err("full")), Err(TakeError::Log("full")));
    }
}
