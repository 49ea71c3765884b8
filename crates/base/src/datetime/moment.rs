//! One form that every date and time type converts to and from.

use std::cmp::Ordering;

use super::civil::{
    DATETIME_DAY_MAX, DATETIME_DAY_MIN, DATETIME_TICKS_PER_DAY, DAY_MAX, DAYS_1900,
    SMALLDATETIME_MAX, TICKS_PER_DAY, TICKS_PER_MINUTE, round_ticks,
};
use crate::types::{SqlType, TypeKind};
use crate::value::{DateTime, DateTimeOffset, ValueRef};

/// A local date and time with its offset from UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Days since 0001-01-01; beyond the calendar's end while something is computed.
    pub days: i32,
    /// Units of 100 ns since midnight.
    pub ticks: i64,
    /// Minutes to add to UTC for this time; 0 for types without an offset.
    pub offset: i16,
}

impl Moment {
    /// Midnight of 1900-01-01, where times and dates lie that lack the other half.
    pub const BASE: Moment = Moment { days: DAYS_1900, ticks: 0, offset: 0 };

    /// Any date or time value. Panics for a value of another type.
    pub fn of(value: ValueRef<'_>) -> Moment {
        match value {
            ValueRef::Date(days) => Moment { days, ..Moment::BASE },
            ValueRef::Time(ticks) => Moment { ticks, ..Moment::BASE },
            ValueRef::DateTime(d) => Moment {
                days: d.days + DAYS_1900,
                // A unit of 1/300 s is 33,333⅓ units of 100 ns.
                ticks: (i64::from(d.ticks) * 100_000 + 1) / 3,
                offset: 0,
            },
            ValueRef::SmallDateTime(minutes) => Moment {
                days: DAYS_1900 + minutes.div_euclid(1440) as i32,
                ticks: minutes.rem_euclid(1440) * TICKS_PER_MINUTE,
                offset: 0,
            },
            ValueRef::DateTime2(ticks) => Moment::from_total(ticks, 0),
            ValueRef::DateTimeOffset(d) => Moment::from_total(
                d.utc_ticks + i64::from(d.offset_minutes) * TICKS_PER_MINUTE,
                d.offset_minutes,
            ),
            other => unreachable!("{other:?} is not a date or time"),
        }
    }

    /// From units of 100 ns since 0001-01-01, local.
    pub const fn from_total(total: i64, offset: i16) -> Moment {
        Moment {
            days: total.div_euclid(TICKS_PER_DAY) as i32,
            ticks: total.rem_euclid(TICKS_PER_DAY),
            offset,
        }
    }

    /// Units of 100 ns since 0001-01-01, local.
    pub const fn total(self) -> i64 {
        self.days as i64 * TICKS_PER_DAY + self.ticks
    }

    /// Units of 100 ns since 0001-01-01 in UTC.
    pub const fn utc_total(self) -> i64 {
        self.total() - self.offset as i64 * TICKS_PER_MINUTE
    }

    /// The value of a date or time type, rounded to what the type holds; `None` out of its range.
    /// Panics for another type.
    pub fn to(self, ty: &SqlType) -> Option<ValueRef<'static>> {
        Some(match ty.kind {
            TypeKind::Date => ValueRef::Date(in_calendar(self.days)?),
            TypeKind::Time => ValueRef::Time(round_ticks(self.ticks, ty.scale) % TICKS_PER_DAY),
            TypeKind::DateTime => ValueRef::DateTime(self.to_datetime()?),
            TypeKind::SmallDateTime => ValueRef::SmallDateTime(self.to_smalldatetime()?),
            TypeKind::DateTime2 => ValueRef::DateTime2(self.rounded(ty.scale)?),
            TypeKind::DateTimeOffset => {
                let utc_ticks = self.rounded(ty.scale)? - i64::from(self.offset) * TICKS_PER_MINUTE;
                in_calendar(utc_ticks.div_euclid(TICKS_PER_DAY) as i32)?;
                ValueRef::DateTimeOffset(DateTimeOffset { utc_ticks, offset_minutes: self.offset })
            }
            other => unreachable!("{other} is not a date or time type"),
        })
    }

    fn to_datetime(self) -> Option<DateTime> {
        let ticks = (self.ticks * 3 + 50_000) / 100_000;
        let carry = ticks >= i64::from(DATETIME_TICKS_PER_DAY);
        let days = self.days - DAYS_1900 + i32::from(carry);
        let ticks = if carry { 0 } else { ticks as u32 };
        (DATETIME_DAY_MIN..=DATETIME_DAY_MAX).contains(&days).then_some(DateTime { days, ticks })
    }

    fn to_smalldatetime(self) -> Option<i64> {
        // Through datetime's precision: 29.998 s rounds down and 29.999 s up.
        let thirds = (self.ticks * 3 + 50_000) / 100_000;
        let minutes = i64::from(self.days - DAYS_1900) * 1440 + (thirds + 9000) / 18_000;
        (0..=SMALLDATETIME_MAX).contains(&minutes).then_some(minutes)
    }

    /// Units since 0001-01-01 at a scale; the last instant of the calendar rounds down.
    fn rounded(self, scale: u8) -> Option<i64> {
        in_calendar(self.days)?;
        let total = round_ticks(self.total(), scale);
        let end = (i64::from(DAY_MAX) + 1) * TICKS_PER_DAY;
        Some(if total < end { total } else { end - 10i64.pow(7 - u32::from(scale)) })
    }

    /// Compares instants: with offsets, in UTC.
    pub fn compare(self, other: Moment) -> Ordering {
        self.utc_total().cmp(&other.utc_total())
    }

    /// Milliseconds since midnight as the type shows them: a datetime's thirds round.
    pub fn milliseconds(self, kind: TypeKind) -> i64 {
        match kind {
            TypeKind::DateTime => (self.ticks + 5000) / 10_000,
            _ => self.ticks / 10_000,
        }
    }
}

fn in_calendar(days: i32) -> Option<i32> {
    (0..=DAY_MAX).contains(&days).then_some(days)
}

#[cfg(test)]
mod tests;
