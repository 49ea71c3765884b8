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

/// A log that reserves blocks of this size and appends to a list.
struct Listed<'l>(i64, &'l mut Vec<Position>);

impl CeilingLog<()> for Listed<'_> {
    fn block(&self) -> i64 {
        self.0
    }

    fn append(self, position: Position) -> Result<Lsn, ()> {
        self.1.push(position);
        Ok(Lsn(self.1.len() as u64))
    }
}

struct Full;

impl CeilingLog<&'static str> for Full {
    fn block(&self) -> i64 {
        1000
    }

    fn append(self, _: Position) -> Result<Lsn, &'static str> {
        Err("full")
    }
}

fn logged(log: &mut Vec<Position>) -> Listed<'_> {
    Listed(1000, log)
}

fn take(counter: &Counter, count: u32, log: Listed<'_>) -> Result<i64, TakeError<()>> {
    counter.take(&task(), count, log).map(|taken| taken.first)
}

#[test]
fn a_ceiling_is_logged_before_values_below_it() {
    let (counter, mut log) = (Counter::new(1, 1), Vec::new());
    for i in 1..=2500 {
        assert_eq!(take(&counter, 1, logged(&mut log)), Ok(i));
        assert!(log.last().expect("logged").next > i);
    }
    assert!(log.len() <= 3, "one record a block: {log:?}");
    // After a crash the counter starts above everything that was handed out.
    let again = Counter::new(1, 1);
    again.recover(*log.last().expect("logged"));
    assert!(take(&again, 1, logged(&mut log)).expect("in range") > 2500);
}

#[test]
fn a_crash_skips_to_the_end_of_the_block() {
    for (block, taken, next) in [(1, 3, 4), (10, 1, 11), (10, 10, 11), (10, 11, 21)] {
        let (counter, mut log) = (Counter::new(1, 1), Vec::new());
        for _ in 0..taken {
            take(&counter, 1, Listed(block, &mut log)).expect("in range");
        }
        assert_eq!(log.last().map(|p| p.next), Some(next), "blocks of {block}, {taken} taken");
    }
}

#[test]
fn the_end_of_the_record_comes_with_the_value() {
    let (counter, mut log) = (Counter::new(1, 1), Vec::new());
    let mut ends = Vec::new();
    for _ in 0..5 {
        let taken = counter.take(&task(), 1, Listed(2, &mut log)).expect("in range");
        ends.push(taken.covered_by.0);
    }
    assert_eq!(ends, [1, 1, 2, 2, 3]);
}

#[test]
fn what_is_left_of_a_block_is_given_back() {
    let (counter, mut log) = (Counter::new(1, 1), Vec::new());
    counter.give_back(&task(), logged(&mut log)).expect("logged");
    assert!(log.is_empty(), "nothing was handed out");
    take(&counter, 3, logged(&mut log)).expect("in range");
    counter.give_back(&task(), logged(&mut log)).expect("logged");
    assert_eq!(log.last(), Some(&Position { next: 4, used: true }));
    take(&counter, 1, Listed(1, &mut log)).expect("in range");
    assert_eq!(log.last(), Some(&Position { next: 5, used: true }));
}

#[test]
fn counters_go_down_too_and_stop_at_the_end() {
    let (counter, mut log) = (Counter::new(-10, -5), Vec::new());
    assert_eq!(take(&counter, 2, logged(&mut log)), Ok(-10));
    assert_eq!(take(&counter, 1, logged(&mut log)), Ok(-20));
    counter.observe(&task(), -100, logged(&mut log)).expect("logged");
    assert_eq!(take(&counter, 1, logged(&mut log)), Ok(-105));
    let end = Counter::new(i64::MAX - 1, 1);
    assert_eq!(take(&end, 1, logged(&mut log)), Ok(i64::MAX - 1));
    assert_eq!(take(&end, 1, logged(&mut log)), Err(TakeError::Exhausted));
}

#[test]
fn reseeding_a_used_counter_goes_on_behind_the_value() {
    let (counter, mut log) = (Counter::new(1, 1), Vec::new());
    counter.reseed(&task(), 50, logged(&mut log)).expect("logged");
    assert_eq!((counter.current(), take(&counter, 1, logged(&mut log))), (1, Ok(50)));
    counter.reseed(&task(), 10, logged(&mut log)).expect("logged");
    assert_eq!((counter.current(), take(&counter, 1, logged(&mut log))), (10, Ok(11)));
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
    assert_eq!(counter.take(&task(), 1, Full), Err(TakeError::Log("full")));
}
