//! DATEFROMPARTS and its family, EOMONTH, SWITCHOFFSET, TODATETIMEOFFSET, ISDATE.

use super::civil::{Civil, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, days_in_month};
use super::language::DateSettings;
use super::moment::Moment;
use super::parse::{Dialect, parse, parse_offset};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::types::{SqlType, TypeKind};
use crate::value::{DateTimeOffset, ValueRef};

/// The numbers of a `…FROMPARTS` function; those that a function lacks are 0 (dates: 1900-01-01).
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Parts {
    pub year: i32,
    pub month: i32,
    pub day: i32,
    pub hour: i32,
    pub minute: i32,
    pub second: i32,
    /// In units of the type's scale; milliseconds for datetime.
    pub fraction: i32,
    pub offset_hours: i32,
    pub offset_minutes: i32,
}

impl Default for Parts {
    fn default() -> Parts {
        Parts {
            year: 1900,
            month: 1,
            day: 1,
            hour: 0,
            minute: 0,
            second: 0,
            fraction: 0,
            offset_hours: 0,
            offset_minutes: 0,
        }
    }
}

/// The value of type `ty` made of these numbers. Error 289 if one is out of range.
pub fn from_parts(parts: &Parts, ty: &SqlType) -> SqlResult<ValueRef<'static>> {
    build(parts, ty).ok_or_else(|| SqlError::new(&message::CANNOT_CONSTRUCT, &[&ty.kind]))
}

fn build(parts: &Parts, ty: &SqlType) -> Option<ValueRef<'static>> {
    let in_range = |n: i32, end: i32| (0..end).contains(&n).then_some(i64::from(n));
    let civil =
        Civil::new(parts.year, u32::try_from(parts.month).ok()?, u32::try_from(parts.day).ok()?)?;
    let scale = if ty.kind == TypeKind::DateTime { 3 } else { u32::from(ty.scale) };
    let fraction = in_range(parts.fraction, 10i32.pow(scale.min(9)))?;
    let ticks = in_range(parts.hour, 24)? * TICKS_PER_HOUR
        + in_range(parts.minute, 60)? * TICKS_PER_MINUTE
        + in_range(parts.second, 60)? * TICKS_PER_SECOND
        + fraction * 10i64.pow(7 - scale.min(7));
    let (hours, minutes) = (parts.offset_hours, parts.offset_minutes);
    let same_sign = hours == 0 || minutes == 0 || (hours < 0) == (minutes < 0);
    if hours.unsigned_abs() > 14 || minutes.unsigned_abs() > 59 || !same_sign {
        return None;
    }
    let offset = i16::try_from(hours * 60 + minutes).ok().filter(|o| o.unsigned_abs() <= 840)?;
    Moment { days: civil.days(), ticks, offset }.to(ty)
}

/// `EOMONTH(value, months)`: the last day of the month. Error 517.
pub fn end_of_month(value: ValueRef<'_>, months: i64) -> SqlResult<ValueRef<'static>> {
    let civil = Civil::from_days(Moment::of(value).days);
    let civil = Civil { day: 1, ..civil }
        .add_months(months)
        .ok_or_else(|| SqlError::new(&message::DATE_ADD_OVERFLOW, &[&"date"]))?;
    Ok(ValueRef::Date(Civil { day: days_in_month(civil.year, civil.month), ..civil }.days()))
}

/// The offset that `SWITCHOFFSET` and `TODATETIMEOFFSET` are given as text. Error 9812.
pub fn offset_from_text(text: &str, function: &str) -> SqlResult<i16> {
    parse_offset(text.trim_end())
        .map_err(|_| SqlError::new(&message::TIME_ZONE_INVALID, &[&function]))
}

/// The offset that they are given in minutes. Error 9812.
pub fn offset_from_minutes(minutes: i64, function: &str) -> SqlResult<i16> {
    i16::try_from(minutes)
        .ok()
        .filter(|o| o.unsigned_abs() <= 840)
        .ok_or_else(|| SqlError::new(&message::TIME_ZONE_INVALID, &[&function]))
}

/// `SWITCHOFFSET`: the same instant at another offset. Error 9813 if its local time leaves the
/// calendar.
pub fn switch_offset(value: DateTimeOffset, offset: i16) -> SqlResult<DateTimeOffset> {
    let switched = DateTimeOffset { offset_minutes: offset, ..value };
    let local = Moment::of(ValueRef::DateTimeOffset(switched));
    match local.to(&SqlType::datetimeoffset(7)) {
        Some(_) => Ok(switched),
        None => Err(SqlError::new(&message::TIME_ZONE_OVERFLOW, &[&"switchoffset"])),
    }
}

/// `TODATETIMEOFFSET`: a local time with an offset. Error 9813 if its UTC time leaves the calendar.
pub fn to_datetimeoffset(
    value: ValueRef<'_>,
    offset: i16,
    ty: &SqlType,
) -> SqlResult<ValueRef<'static>> {
    Moment { offset, ..Moment::of(value) }
        .to(ty)
        .ok_or_else(|| SqlError::new(&message::TIME_ZONE_OVERFLOW, &[&"todatetimeoffset"]))
}

/// `ISDATE`: whether a text converts to a datetime.
pub fn is_date(text: &str, settings: &DateSettings) -> bool {
    match parse(text, Dialect::Old, None, settings) {
        Ok(p) => {
            Moment { days: p.days, ticks: p.ticks, offset: 0 }.to(&SqlType::datetime()).is_some()
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests;
