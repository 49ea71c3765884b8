//! Which backups lead to a point in time.
//!
//! The headers say when each was finished, in local time of the server that made it; so the times
//! decide only for backups of the server that restores them. Backups of other servers are all taken
//! in order, until one has reached the time.

use std::fmt;

use base::{SqlType, Value};

/// What a backup holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetKind {
    Full,
    Differential,
    Log,
}

impl SetKind {
    /// By the code in `BackupType`.
    pub fn of(code: i64) -> SetKind {
        match code {
            2 => SetKind::Log,
            5 => SetKind::Differential,
            _ => SetKind::Full,
        }
    }
}

/// A backup within a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Set {
    pub file: String,
    pub number: usize,
    pub kind: SetKind,
    /// When it was finished: local time, in units of 100 ns since 0001-01-01.
    pub finished: i64,
    /// The name of the server that made it.
    pub server: Value,
}

/// A time to stop at.
#[derive(Clone, PartialEq, Debug)]
pub struct Stop {
    /// Local time, in units of 100 ns since 0001-01-01.
    pub at: i64,
    /// The name of the server that restores.
    pub server: Value,
}

/// Why no backups lead to the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopError {
    /// No full backup was finished before it; the first was then.
    TooEarly(i64),
    /// No backup of the log was finished after it; the last was then, if there is one.
    TooLate(Option<i64>),
}

impl fmt::Display for StopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |ticks: i64| {
            base::convert::display(Value::DateTime2(ticks).as_ref(), &SqlType::datetime2(3))
        };
        match self {
            StopError::TooEarly(first) => write!(
                f,
                "nothing is restored: no full backup was finished before the time to stop at; the first was at {}",
                shown(*first)
            ),
            StopError::TooLate(Some(last)) => write!(
                f,
                "nothing is restored: no backup of the log contains the time to stop at; the last was finished at {}",
                shown(*last)
            ),
            StopError::TooLate(None) => f.write_str(
                "nothing is restored: a time to stop at needs a backup of the log behind it, and there is none",
            ),
        }
    }
}

/// What the times of headers are rounded by, and more.
const MARGIN: i64 = 10 * 10_000;

/// The backups to restore, in order; those of the log until one has come to the time.
pub fn planned(sets: Vec<Set>, stop: &Stop) -> Result<Vec<Set>, StopError> {
    if sets.iter().any(|set| set.server != stop.server) {
        return Ok(sets);
    }
    let is_before = |set: &Set| set.finished.saturating_add(MARGIN) <= stop.at;
    let is_full = |set: &&Set| set.kind == SetKind::Full;
    let start = match sets.iter().rposition(|set| set.kind == SetKind::Full && is_before(set)) {
        Some(start) => start,
        None => match sets.iter().filter(is_full).map(|set| set.finished).min() {
            Some(first) => return Err(StopError::TooEarly(first)),
            // They go on with what was restored before.
            None => 0,
        },
    };
    let logs = sets[start..].iter().filter(|set| set.kind == SetKind::Log);
    let last = logs.map(|set| set.finished).max();
    if last.is_none_or(|last| last.saturating_add(MARGIN) < stop.at) {
        return Err(StopError::TooLate(last));
    }
    let leads = |set: &Set| set.kind == SetKind::Log || is_before(set);
    Ok(sets.into_iter().skip(start).filter(leads).collect())
}

/// A `datetime` in units of 100 ns since 0001-01-01.
pub fn ticks(value: &Value) -> i64 {
    const TICKS_PER_DAY: i64 = 864_000_000_000;
    /// Days from 0001-01-01 to 1900-01-01.
    const DAYS_TO_1900: i64 = 693_595;
    match value {
        Value::DateTime(moment) => {
            let days = i64::from(moment.days) + DAYS_TO_1900;
            days * TICKS_PER_DAY + i64::from(moment.ticks) * 100_000 / 3
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
