//! DATEPART, DATENAME, DATEADD, DATEDIFF, DATETRUNC, DATE_BUCKET.

use super::civil::{
    Civil, TICKS_PER_DAY, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, iso_week, weekday,
};
use super::format::put_offset;
use super::language::DateSettings;
use super::moment::Moment;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::text::StackText;
use crate::types::{SqlType, TypeKind};
use crate::value::ValueRef;

/// A part of a date or time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum DatePart {
    Year,
    Quarter,
    Month,
    DayOfYear,
    Day,
    Week,
    Weekday,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    TzOffset,
    IsoWeek,
}

use DatePart::*;

const NAMES: &[(&str, DatePart)] = &[
    ("year", Year),
    ("yyyy", Year),
    ("yy", Year),
    ("quarter", Quarter),
    ("qq", Quarter),
    ("q", Quarter),
    ("month", Month),
    ("mm", Month),
    ("m", Month),
    ("dayofyear", DayOfYear),
    ("dy", DayOfYear),
    ("y", DayOfYear),
    ("day", Day),
    ("dd", Day),
    ("d", Day),
    ("week", Week),
    ("wk", Week),
    ("ww", Week),
    ("weekday", Weekday),
    ("dw", Weekday),
    ("w", Weekday),
    ("hour", Hour),
    ("hh", Hour),
    ("minute", Minute),
    ("mi", Minute),
    ("n", Minute),
    ("second", Second),
    ("ss", Second),
    ("s", Second),
    ("millisecond", Millisecond),
    ("ms", Millisecond),
    ("microsecond", Microsecond),
    ("mcs", Microsecond),
    ("nanosecond", Nanosecond),
    ("ns", Nanosecond),
    ("tzoffset", TzOffset),
    ("tz", TzOffset),
    ("iso_week", IsoWeek),
    ("isowk", IsoWeek),
    ("isoww", IsoWeek),
];

impl DatePart {
    /// The part of this name or abbreviation, in any case. Error 155 if there is none; `function`
    /// is the caller's name in lower case.
    pub fn parse(name: &str, function: &str) -> SqlResult<DatePart> {
        NAMES
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|&(_, part)| part)
            .ok_or_else(|| SqlError::new(&message::UNRECOGNIZED_OPTION, &[&name, &function]))
    }

    /// The full name.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, part)| *part == self).map_or("", |(name, _)| name)
    }

    /// Whether this is a part of a date rather than of a time.
    const fn is_of_date(self) -> bool {
        matches!(self, Year | Quarter | Month | DayOfYear | Day | Week | Weekday | IsoWeek)
    }

    /// Error 9810 unless a value of type `kind` has this part.
    pub fn check(self, function: &str, kind: TypeKind) -> SqlResult<()> {
        let has = match kind {
            TypeKind::Date => self.is_of_date(),
            TypeKind::Time => !self.is_of_date() && self != TzOffset,
            TypeKind::DateTime | TypeKind::SmallDateTime => self != TzOffset,
            _ => true,
        };
        if has {
            return Ok(());
        }
        Err(SqlError::new(
            &message::DATEPART_NOT_SUPPORTED_FOR_TYPE,
            &[&self.name(), &function, &kind],
        ))
    }

    /// Units of 100 ns in this part, for parts of fixed length.
    const fn ticks(self) -> Option<i64> {
        Some(match self {
            Week => 7 * TICKS_PER_DAY,
            Day | DayOfYear | Weekday => TICKS_PER_DAY,
            Hour => TICKS_PER_HOUR,
            Minute => TICKS_PER_MINUTE,
            Second => TICKS_PER_SECOND,
            Millisecond => 10_000,
            Microsecond => 10,
            _ => return None,
        })
    }

    /// Months in this part, for parts that are made of months.
    const fn months(self) -> Option<i64> {
        match self {
            Year => Some(12),
            Quarter => Some(3),
            Month => Some(1),
            _ => None,
        }
    }
}

fn not_supported(part: DatePart, function: &str) -> SqlError {
    SqlError::new(&message::DATEPART_NOT_SUPPORTED, &[&part.name(), &function])
}

/// `DATEPART(part, value)`. Error 9810. A NULL is left to the caller, here and below.
pub fn date_part(
    part: DatePart,
    value: ValueRef<'_>,
    kind: TypeKind,
    settings: &DateSettings,
) -> SqlResult<i32> {
    part.check("datepart", kind)?;
    Ok(part_of(part, Moment::of(value), kind, settings))
}

fn part_of(part: DatePart, m: Moment, kind: TypeKind, settings: &DateSettings) -> i32 {
    let civil = Civil::from_days(m.days);
    let fraction = m.ticks % TICKS_PER_SECOND;
    match part {
        Year => civil.year,
        Quarter => (civil.month as i32 - 1) / 3 + 1,
        Month => civil.month as i32,
        DayOfYear => civil.day_of_year(),
        Day => civil.day as i32,
        Week => {
            let first = m.days - civil.day_of_year() + 1;
            (civil.day_of_year() - 1 + days_after_first(first, settings)) / 7 + 1
        }
        Weekday => days_after_first(m.days, settings) + 1,
        Hour => (m.ticks / TICKS_PER_HOUR) as i32,
        Minute => (m.ticks / TICKS_PER_MINUTE % 60) as i32,
        Second => (m.ticks / TICKS_PER_SECOND % 60) as i32,
        Millisecond => (m.milliseconds(kind) % 1000) as i32,
        Microsecond => (fraction / 10) as i32,
        Nanosecond => (fraction * 100) as i32,
        TzOffset => i32::from(m.offset),
        IsoWeek => iso_week(m.days),
    }
}

/// Days since the last first day of the week, 0 to 6.
fn days_after_first(days: i32, settings: &DateSettings) -> i32 {
    (weekday(days) as i32 - i32::from(settings.first_day)).rem_euclid(7)
}

/// `DATENAME(part, value)`. Error 9810.
pub fn date_name(
    part: DatePart,
    value: ValueRef<'_>,
    kind: TypeKind,
    settings: &DateSettings,
) -> SqlResult<StackText<40>> {
    part.check("datename", kind)?;
    let moment = Moment::of(value);
    let mut out = StackText::new();
    match part {
        Month => {
            let month = Civil::from_days(moment.days).month as usize;
            out.push_str(settings.language.months[month - 1]);
        }
        Weekday => out.push_str(settings.language.days[weekday(moment.days) as usize - 1]),
        TzOffset => put_offset(moment.offset, &mut out),
        _ => out.push_padded(part_of(part, moment, kind, settings).unsigned_abs(), 1),
    }
    Ok(out)
}

/// `DATEADD(part, number, value)`, of the value's own type. Errors 9806, 9810 and 517.
pub fn date_add(
    part: DatePart,
    number: i64,
    value: ValueRef<'_>,
    ty: &SqlType,
) -> SqlResult<ValueRef<'static>> {
    if matches!(part, TzOffset | IsoWeek) {
        return Err(not_supported(part, "dateadd"));
    }
    part.check("dateadd", ty.kind)?;
    let old = matches!(ty.kind, TypeKind::DateTime | TypeKind::SmallDateTime);
    if old && matches!(part, Microsecond | Nanosecond) {
        return Err(SqlError::new(
            &message::DATEPART_NOT_SUPPORTED_FOR_TYPE,
            &[&part.name(), &"dateadd", &ty.kind],
        ));
    }
    let overflow = || SqlError::new(&message::DATE_ADD_OVERFLOW, &[&ty.kind]);
    let moment = Moment::of(value);
    let moved = match part.months() {
        Some(months) => {
            let civil = Civil::from_days(moment.days);
            let civil = number.checked_mul(months).and_then(|n| civil.add_months(n));
            Moment { days: civil.ok_or_else(overflow)?.days(), ..moment }
        }
        None => {
            let ticks = match part.ticks() {
                Some(unit) => number.checked_mul(unit).ok_or_else(overflow)?,
                // Nanoseconds round to the hundred.
                None => number.saturating_add(50 * number.signum()) / 100,
            };
            if ty.kind == TypeKind::Time {
                // A time goes round the clock.
                Moment {
                    ticks: (moment.ticks + ticks % TICKS_PER_DAY).rem_euclid(TICKS_PER_DAY),
                    ..moment
                }
            } else {
                let total = moment.total().checked_add(ticks).ok_or_else(overflow)?;
                let day = total.div_euclid(TICKS_PER_DAY);
                if !(-1..=i64::from(super::civil::DAY_MAX) + 1).contains(&day) {
                    return Err(overflow());
                }
                Moment::from_total(total, moment.offset)
            }
        }
    };
    moved.to(ty).ok_or_else(overflow)
}

/// `DATEDIFF_BIG(part, start, end)`: boundaries of the part between the two. Errors 9806, 9810 and
/// 535. `DATEDIFF` is this within an `int`, see [`date_diff`].
pub fn date_diff_big(
    part: DatePart,
    (start, start_kind): (ValueRef<'_>, TypeKind),
    (end, end_kind): (ValueRef<'_>, TypeKind),
) -> SqlResult<i64> {
    diff(part, "datediff_big", (start, start_kind), (end, end_kind))
}

/// `DATEDIFF(part, start, end)`. Errors 9806, 9810 and 535.
pub fn date_diff(
    part: DatePart,
    start: (ValueRef<'_>, TypeKind),
    end: (ValueRef<'_>, TypeKind),
) -> SqlResult<i32> {
    let difference = diff(part, "datediff", start, end)?;
    i32::try_from(difference).map_err(|_| too_far("datediff"))
}

fn too_far(function: &str) -> SqlError {
    SqlError::new(&message::DATEDIFF_OVERFLOW, &[&function, &function])
}

fn diff(
    part: DatePart,
    function: &str,
    (start, start_kind): (ValueRef<'_>, TypeKind),
    (end, end_kind): (ValueRef<'_>, TypeKind),
) -> SqlResult<i64> {
    if matches!(part, TzOffset | IsoWeek) {
        return Err(not_supported(part, function));
    }
    // Offsets do not count: both are taken in UTC.
    let utc = |value| Moment::from_total(Moment::of(value).utc_total(), 0);
    let (a, b) = (utc(start), utc(end));
    if let Some(months) = part.months() {
        let count = |m: Moment| {
            let civil = Civil::from_days(m.days);
            (i64::from(civil.year) * 12 + i64::from(civil.month) - 1) / months
        };
        return Ok(count(b) - count(a));
    }
    match part {
        // Weeks always begin on Sunday here; 0001-01-01 was a Monday.
        Week => {
            let weeks = |m: Moment| (i64::from(m.days) + 1).div_euclid(7);
            Ok(weeks(b) - weeks(a))
        }
        Millisecond => {
            let count = |m: Moment, kind| i64::from(m.days) * 86_400_000 + m.milliseconds(kind);
            Ok(count(b, end_kind) - count(a, start_kind))
        }
        Nanosecond => (b.total() - a.total()).checked_mul(100).ok_or_else(|| too_far(function)),
        _ => {
            let unit = part.ticks().unwrap_or(TICKS_PER_DAY);
            Ok(b.total().div_euclid(unit) - a.total().div_euclid(unit))
        }
    }
}

/// `DATETRUNC(part, value)`, of the value's own type. Errors 9806 and 9810.
pub fn date_trunc(
    part: DatePart,
    value: ValueRef<'_>,
    ty: &SqlType,
    settings: &DateSettings,
) -> SqlResult<ValueRef<'static>> {
    if matches!(part, TzOffset | Weekday | Nanosecond) {
        return Err(not_supported(part, "datetrunc"));
    }
    part.check("datetrunc", ty.kind)?;
    let finer = match part {
        Millisecond => 3,
        Microsecond => 6,
        _ => 0,
    };
    if ty.kind.has_fraction_scale() && finer > ty.scale {
        return Err(SqlError::new(
            &message::DATEPART_NOT_SUPPORTED_FOR_TYPE,
            &[&part.name(), &"datetrunc", &ty.kind],
        ));
    }
    let m = Moment::of(value);
    let civil = Civil::from_days(m.days);
    let midnight = |days| Moment { days, ticks: 0, offset: m.offset };
    let truncated = match part {
        Year => midnight(Civil { month: 1, day: 1, ..civil }.days()),
        Quarter => midnight(Civil { month: (civil.month - 1) / 3 * 3 + 1, day: 1, ..civil }.days()),
        Month => midnight(Civil { day: 1, ..civil }.days()),
        Week => midnight(m.days - days_after_first(m.days, settings)),
        IsoWeek => midnight(m.days - (weekday(m.days) as i32 - 1)),
        _ => {
            let unit = part.ticks().unwrap_or(1);
            Moment { ticks: m.ticks / unit * unit, ..m }
        }
    };
    truncated.to(ty).ok_or_else(|| SqlError::new(&message::DATE_ADD_OVERFLOW, &[&ty.kind]))
}

/// `DATE_BUCKET(part, width, value, origin)`: the start of the bucket that a value lies in, of the
/// value's own type. Buckets are `width` parts wide (at least 1) and counted from the origin in
/// both directions; a time before its origin lies in a bucket that may begin before midnight, that
/// is, late on the clock. Errors 9806, 9810 and 517.
pub fn date_bucket(
    part: DatePart,
    width: i64,
    value: ValueRef<'_>,
    origin: ValueRef<'_>,
    ty: &SqlType,
) -> SqlResult<ValueRef<'static>> {
    debug_assert!(width > 0, "the caller refuses other widths");
    part.check("date_bucket", ty.kind)?;
    let overflow = || SqlError::new(&message::DATE_ADD_OVERFLOW, &[&ty.kind]);
    // What a type shows counts, not the thirds that it keeps.
    let shown = |m: Moment| match ty.kind {
        TypeKind::DateTime => Moment { ticks: m.milliseconds(ty.kind) * 10_000, ..m },
        _ => m,
    };
    let (from, at) = (shown(Moment::of(origin)), shown(Moment::of(value)));
    // The value in the origin's zone.
    let local_total = at.utc_total() + (from.total() - from.utc_total());
    let start = if let Some(months) = part.months() {
        let at = Moment::from_total(local_total, from.offset);
        let month = |m: Moment| {
            let civil = Civil::from_days(m.days);
            i64::from(civil.year) * 12 + i64::from(civil.month)
        };
        let width = width.checked_mul(months).ok_or_else(overflow)?;
        let begin = |bucket: i64| {
            let moved = bucket.checked_mul(width);
            let civil = moved.and_then(|n| Civil::from_days(from.days).add_months(n));
            civil.map(|civil| Moment { days: civil.days(), ..from })
        };
        let bucket = (month(at) - month(from)).div_euclid(width);
        // The last bucket that begins in the value's month may begin after the value.
        match begin(bucket) {
            Some(start) if start.total() <= at.total() => Some(start),
            _ => begin(bucket - 1),
        }
    } else {
        let unit = part.ticks().ok_or_else(|| not_supported(part, "date_bucket"))?;
        let width = i128::from(width) * i128::from(unit);
        let passed = i128::from(local_total - from.total()).div_euclid(width) * width;
        let total = i128::from(from.total()) + passed;
        if ty.kind == TypeKind::Time {
            let ticks = total.rem_euclid(i128::from(TICKS_PER_DAY)) as i64;
            Some(Moment { ticks, ..from })
        } else {
            let end = i128::from(super::civil::DAY_MAX + 1) * i128::from(TICKS_PER_DAY);
            (0..end).contains(&total).then(|| Moment::from_total(total as i64, from.offset))
        }
    };
    start.and_then(|start| start.to(ty)).ok_or_else(overflow)
}

#[cfg(test)]
mod tests;
