//! Where one sequence stands: arithmetic, without the log.

use base::ids::Lsn;

use super::{SequenceError, SequenceRange, SequenceState};
use crate::catalog::def::{SequenceCache, SequenceDef};
use crate::hot::identity::Position;

/// Values that `CACHE` without a number reserves at a time: SQL Server's choice.
const DEFAULT_CACHE: i128 = 50;

/// What a definition says, within the range of `bigint`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rules {
    pub start: i128,
    pub increment: i128,
    pub minimum: i128,
    pub maximum: i128,
    pub cycle: bool,
    /// Values that one ceiling reserves, 1 for `NO CACHE`.
    pub cache: i128,
    /// The number of restarts.
    pub life: u32,
}

impl Rules {
    pub fn of(def: &SequenceDef) -> Rules {
        let clamp = |value: i128| value.clamp(i64::MIN.into(), i64::MAX.into());
        Rules {
            start: clamp(def.start),
            increment: clamp(def.increment),
            minimum: clamp(def.minimum),
            maximum: clamp(def.maximum),
            cycle: def.cycle,
            cache: match def.cache {
                SequenceCache::None => 1,
                SequenceCache::Default => DEFAULT_CACHE,
                SequenceCache::Size(size) => size.max(1).into(),
            },
            life: def.restarts,
        }
    }

    /// A round begins here if it is not the first.
    fn near_end(&self) -> i128 {
        if self.increment > 0 { self.minimum } else { self.maximum }
    }

    fn contains(&self, value: i128) -> bool {
        (self.minimum..=self.maximum).contains(&value)
    }

    /// Values from this one to the end of its round.
    fn values_from(&self, value: i128) -> i128 {
        let room = if self.increment > 0 { self.maximum - value } else { value - self.minimum };
        if room < 0 { 0 } else { room / self.increment.abs() + 1 }
    }
}

/// What a ceiling in the log says of a sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::catalog) struct Mark {
    /// The next value; the last one where the next is not a `bigint`.
    value: i64,
    /// Whether `value` is the last one.
    is_last: bool,
    /// Whether a value was handed out; others say nothing.
    used: bool,
    /// The life that it belongs to; older logs do not say.
    life: Option<u32>,
}

const UNUSED: i128 = 1 << 64;
const IS_LAST: i128 = 1 << 65;
const LIFE_SHIFT: u32 = 66;

impl Mark {
    /// As a ceiling operation of the log carries it: the value in 64 bits, with flags and the
    /// life's number, counted from 1, above.
    pub fn encode(self) -> i128 {
        let value = i128::from(self.value as u64);
        let used = if self.used { 0 } else { UNUSED };
        let is_last = if self.is_last { IS_LAST } else { 0 };
        let life = self.life.map_or(0, |life| (i128::from(life) + 1) << LIFE_SHIFT);
        value | used | is_last | life
    }

    /// What [`Mark::encode`] made.
    pub fn decode(ceiling: i128) -> Mark {
        let life = ceiling >> LIFE_SHIFT;
        Mark {
            value: ceiling as u64 as i64,
            is_last: ceiling & IS_LAST != 0,
            used: ceiling & UNUSED == 0,
            life: u32::try_from(life - 1).ok(),
        }
    }

    /// Where the counter of row versions stands.
    pub(super) fn position(self) -> Position {
        Position { next: self.value, used: self.used }
    }
}

/// The state of a sequence's counter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub rules: Rules,
    /// The next value, if the round has one.
    next: i128,
    /// Whether a value was handed out in this life.
    used: bool,
    /// Values before this, in the sequence's direction, are covered by the log.
    ceiling: i128,
    /// Where the record of the ceiling ends.
    covered_by: Lsn,
    /// Counts rounds and lives: a ceiling of another one says nothing.
    round: u64,
}

/// A ceiling that is about to be logged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ceiling {
    next: i128,
    round: u64,
    pub mark: Mark,
}

impl Standing {
    pub fn new(rules: Rules) -> Standing {
        let next = rules.start;
        Standing { rules, next, used: false, ceiling: next, covered_by: Lsn::ZERO, round: 0 }
    }

    /// The definition has changed. With another life the sequence starts anew; otherwise the last
    /// value stays the last, and the next one follows by the new increment.
    pub fn follow(&mut self, rules: Rules) {
        if self.rules == rules {
            return;
        }
        if self.rules.life != rules.life {
            (self.next, self.used) = (rules.start, false);
        } else if self.used {
            self.next = self.next - self.rules.increment + rules.increment;
        }
        self.rules = rules;
        self.ceiling = self.next;
        self.round += 1;
    }

    /// Recovery has found a ceiling.
    pub fn recover(&mut self, mark: Mark) {
        if !mark.used || mark.life.is_some_and(|life| life != self.rules.life) {
            return;
        }
        let Rules { increment, .. } = self.rules;
        let mut next = i128::from(mark.value) + if mark.is_last { increment } else { 0 };
        // Ceilings of older logs may be more than a step beyond the end.
        let last = next - increment;
        if !self.rules.contains(last) && !self.rules.contains(next) {
            let near = self.rules.near_end();
            let values = self.rules.values_from(near);
            next = near + values * increment;
        }
        (self.next, self.ceiling, self.used) = (next, next, true);
    }

    /// The next value.
    pub fn take(&mut self) -> Result<i64, SequenceError> {
        if !self.rules.contains(self.next) {
            if !self.rules.cycle {
                return Err(SequenceError::Exhausted);
            }
            self.start_round();
        }
        let value = self.next;
        self.next += self.rules.increment;
        self.used = true;
        Ok(value as i64)
    }

    /// Goes back to the other end. Nothing is covered by the log from here on.
    fn start_round(&mut self) {
        self.next = self.rules.near_end();
        self.ceiling = self.next;
        self.round += 1;
    }

    /// The next `count` values; a sequence that cycles may go round.
    pub fn take_range(&mut self, count: u64) -> Result<SequenceRange, SequenceError> {
        let Rules { increment, cycle, .. } = self.rules;
        let mut rounds = 0;
        if !self.rules.contains(self.next) && cycle {
            self.start_round();
            rounds = 1;
        }
        let (first, count) = (self.next, i128::from(count.max(1)));
        let here = self.rules.values_from(first);
        let mut last = first + (count - 1) * increment;
        if count > here {
            if !cycle {
                return Err(SequenceError::RangeTooLarge);
            }
            let near = self.rules.near_end();
            let (rest, whole) = (count - here - 1, self.rules.values_from(near));
            last = near + rest % whole * increment;
            rounds += 1 + rest / whole;
            self.start_round();
        }
        self.next = last + increment;
        self.used = true;
        let cycles = rounds.try_into().unwrap_or(i64::MAX);
        Ok(SequenceRange { first: first as i64, last: last as i64, cycles })
    }

    /// Where the log has to be durable to before a client sees what was handed out, if all of that
    /// is covered by the log.
    pub fn covered_by(&self) -> Option<Lsn> {
        let is_covered = match self.rules.increment > 0 {
            true => self.ceiling >= self.next,
            false => self.ceiling <= self.next,
        };
        is_covered.then_some(self.covered_by)
    }

    /// A ceiling that covers all that was handed out, and the rest of a block: blocks are counted
    /// from the last ceiling, and end where the round does.
    pub fn ceiling_ahead(&self) -> Ceiling {
        let Rules { increment, cache, .. } = self.rules;
        let taken = (self.next - self.ceiling) / increment;
        let block = (taken + cache - 1) / cache * cache;
        let values = block.min(taken + self.rules.values_from(self.next));
        self.ceiling_at(self.ceiling + values * increment)
    }

    /// The exact position, if it is not what the log says.
    pub fn exact(&mut self) -> Option<Ceiling> {
        let is_logged = !self.used || (self.ceiling == self.next && self.covered_by().is_some());
        (!is_logged).then(|| {
            self.ceiling = self.next - self.rules.increment;
            self.ceiling_at(self.next)
        })
    }

    /// What a clean shutdown logs.
    pub fn mark(&self) -> Mark {
        self.ceiling_at(self.next).mark
    }

    fn ceiling_at(&self, next: i128) -> Ceiling {
        let (value, is_last) = match i64::try_from(next) {
            Ok(next) => (next, false),
            Err(_) => ((next - self.rules.increment) as i64, true),
        };
        let mark = Mark { value, is_last, used: self.used, life: Some(self.rules.life) };
        Ceiling { next, round: self.round, mark }
    }

    /// A ceiling is in the log, up to this position.
    pub fn raise(&mut self, ceiling: Ceiling, end: Lsn) {
        if self.round == ceiling.round {
            (self.ceiling, self.covered_by) = (ceiling.next, end);
        }
    }

    pub fn state(&self) -> SequenceState {
        let last = self.next - self.rules.increment;
        let last = self.used.then(|| last.clamp(i64::MIN.into(), i64::MAX.into()) as i64);
        SequenceState {
            current: last.unwrap_or(self.next as i64),
            last_used: last,
            exhausted: !self.rules.cycle && !self.rules.contains(self.next),
            covered_by: self.covered_by,
        }
    }
}

#[cfg(test)]
mod tests;
