//! To dates and times.

use super::strings::quoted;
use super::{ConvertOptions, expression_overflow, not_allowed, style_not_supported};
use crate::datetime::civil::{DATETIME_TICKS_PER_DAY, TICKS_PER_DAY};
use crate::datetime::format::is_style;
use crate::datetime::language::DateOrder;
use crate::datetime::moment::Moment;
use crate::datetime::parse::{self, Dialect, ParseError};
use crate::decimal;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::types::{SqlType, TypeKind};
use crate::value::{DateTime, ValueRef};

const fn is_old(kind: TypeKind) -> bool {
    matches!(kind, TypeKind::DateTime | TypeKind::SmallDateTime)
}

pub(super) fn to_temporal(
    value: ValueRef<'_>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
) -> SqlResult<ValueRef<'static>> {
    let clash = matches!(
        (from.kind, to.kind),
        (TypeKind::Date, TypeKind::Time) | (TypeKind::Time, TypeKind::Date)
    );
    match value {
        _ if clash => Err(not_allowed(from, to)),
        _ if from.kind.is_temporal() => {
            Moment::of(value).to(to).ok_or_else(|| out_of_range(from.kind, to.kind))
        }
        ValueRef::Chars(_) | ValueRef::Unicode(_) if !from.kind.is_legacy_lob() => {
            from_text(value, from, to, options)
        }
        ValueRef::Bytes(bytes) if from.kind.is_binary() && from.kind != TypeKind::Image => {
            from_bytes(bytes, to)
        }
        ValueRef::Bytes(bytes) if from.kind == TypeKind::RowVersion && is_old(to.kind) => {
            from_bytes(bytes, to)
        }
        _ if is_old(to.kind) => from_number(value, from, to),
        _ => Err(not_allowed(from, to)),
    }
}

#[cold]
fn out_of_range(from: TypeKind, to: TypeKind) -> SqlError {
    SqlError::new(&message::DATE_OUT_OF_RANGE, &[&from, &to])
}

/// The order of day, month and year that a style of CONVERT reads in; the session's if none.
fn order_of(style: i32) -> Option<DateOrder> {
    match style {
        1 | 101 | 10 | 110 | 22 => Some(DateOrder::Mdy),
        3 | 103 | 4 | 104 | 5 | 105 | 6 | 106 | 13 | 113 => Some(DateOrder::Dmy),
        2 | 102 | 11 | 111 | 12 | 112 | 20 | 21 | 23 | 25 | 120 | 121 | 126 | 127 => {
            Some(DateOrder::Ymd)
        }
        _ => None,
    }
}

fn from_text(
    value: ValueRef<'_>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
) -> SqlResult<ValueRef<'static>> {
    let dialect = if is_old(to.kind) { Dialect::Old } else { Dialect::New };
    if let Some(style) = options.style {
        if dialect == Dialect::New && !is_style(style) {
            return Err(style_not_supported(style, from.kind, to.kind));
        }
    }
    let order = options.style.and_then(order_of);
    let failed = |error| match (to.kind, error) {
        (TypeKind::SmallDateTime, ParseError::Syntax) => {
            SqlError::new(&message::TEXT_TO_SMALLDATETIME, &[])
        }
        (TypeKind::DateTime | TypeKind::SmallDateTime, ParseError::Range) => {
            out_of_range(from.kind, to.kind)
        }
        _ => SqlError::new(&message::TEXT_TO_DATE, &[]),
    };
    let parsed =
        parse::parse(&quoted(value, from), dialect, order, &options.dates).map_err(failed)?;
    let offset = match to.kind {
        TypeKind::DateTimeOffset => parsed.offset.unwrap_or(0),
        _ => 0,
    };
    Moment { days: parsed.days, ticks: parsed.ticks, offset }
        .to(to)
        .ok_or_else(|| failed(ParseError::Range))
}

/// A number is days since 1900-01-01.
fn from_number(value: ValueRef<'_>, from: &SqlType, to: &SqlType) -> SqlResult<ValueRef<'static>> {
    let days = match value {
        ValueRef::Int(v) => v as f64,
        ValueRef::Money(v) => decimal::to_f64(i128::from(v), 4),
        ValueRef::Decimal(v) => decimal::to_f64(v, from.scale),
        ValueRef::Float(v) => v,
        _ => return Err(not_allowed(from, to)),
    };
    // Far beyond the calendar, and what is not a number.
    if !(-1e6..1e7).contains(&days) {
        return Err(expression_overflow(to.kind));
    }
    let mut whole = days.floor() as i32;
    let mut ticks = ((days - days.floor()) * f64::from(DATETIME_TICKS_PER_DAY)).round() as u32;
    if ticks >= DATETIME_TICKS_PER_DAY {
        whole += 1;
        ticks = 0;
    }
    let datetime = ValueRef::DateTime(DateTime { days: whole, ticks });
    Moment::of(datetime).to(to).ok_or_else(|| expression_overflow(to.kind))
}

/// The bytes that a value of the type is cast to, back.
fn from_bytes(bytes: &[u8], to: &SqlType) -> SqlResult<ValueRef<'static>> {
    let moment = match to.kind {
        TypeKind::DateTime => {
            let last = last_bytes::<8>(bytes);
            let [a, b, c, d, rest @ ..] = last;
            let ticks = u32::from_be_bytes(rest);
            let days = i32::from_be_bytes([a, b, c, d]);
            let fine = ticks < DATETIME_TICKS_PER_DAY && (-60_000..4_000_000).contains(&days);
            fine.then(|| Moment::of(ValueRef::DateTime(DateTime { days, ticks })))
        }
        TypeKind::SmallDateTime => {
            let [a, b, c, d] = last_bytes::<4>(bytes);
            let minutes = i64::from(u16::from_be_bytes([c, d]));
            let days = i64::from(u16::from_be_bytes([a, b]));
            (minutes < 1440).then(|| Moment::of(ValueRef::SmallDateTime(days * 1440 + minutes)))
        }
        _ => new_from_bytes(bytes, to.kind),
    };
    let failed = || match is_old(to.kind) {
        true => SqlError::new(&message::DATETIME_FROM_BINARY, &[]),
        false => SqlError::new(&message::TEXT_TO_DATE, &[]),
    };
    moment.and_then(|m| m.to(to)).ok_or_else(failed)
}

/// The last `N` bytes, filled up by zeros in front.
fn last_bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut last = [0; N];
    let n = bytes.len().min(N);
    last[N - n..].copy_from_slice(&bytes[bytes.len() - n..]);
    last
}

fn new_from_bytes(bytes: &[u8], kind: TypeKind) -> Option<Moment> {
    let little =
        |bytes: &[u8]| bytes.iter().rev().fold(0i64, |value, &byte| value << 8 | i64::from(byte));
    let day = |bytes: &[u8]| {
        let days = little(bytes);
        (0..=i64::from(crate::datetime::civil::DAY_MAX)).contains(&days).then_some(days as i32)
    };
    if kind == TypeKind::Date {
        let days = day(bytes.get(..3).filter(|_| bytes.len() == 3)?)?;
        return Some(Moment { days, ..Moment::BASE });
    }
    let (&scale, rest) = bytes.split_first()?;
    let width = match scale {
        0..=2 => 3,
        3..=4 => 4,
        5..=7 => 5,
        _ => return None,
    };
    let (time, rest) = rest.split_at_checked(width)?;
    let ticks = little(time).checked_mul(10i64.pow(7 - u32::from(scale)))?;
    if ticks >= TICKS_PER_DAY {
        return None;
    }
    let (date, rest) = match kind {
        TypeKind::Time if rest.is_empty() => return Some(Moment { ticks, ..Moment::BASE }),
        _ => rest.split_at_checked(3)?,
    };
    let utc = i64::from(day(date)?) * TICKS_PER_DAY + ticks;
    match (kind, rest) {
        (TypeKind::DateTime2, []) => Some(Moment::from_total(utc, 0)),
        (TypeKind::DateTimeOffset, &[a, b]) => {
            let offset = i16::from_le_bytes([a, b]);
            let local = utc + i64::from(offset) * crate::datetime::civil::TICKS_PER_MINUTE;
            (offset.unsigned_abs() <= 840).then(|| Moment::from_total(local, offset))
        }
        _ => None,
    }
}
