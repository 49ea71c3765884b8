//! To integers, money, decimals and floats.

use super::strings::{Ascii, quoted};
use super::{cannot_convert, expression_overflow, not_allowed, overflow_converting};
use crate::datetime::civil::DATETIME_TICKS_PER_DAY;
use crate::decimal::{self, Rounding};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::text::number::{
    IntegerError, MoneyError, parse_float, parse_integer, parse_money, trim_blanks,
};
use crate::types::{SqlType, TypeKind};
use crate::value::ValueRef;

/// The values that an integer type holds.
const fn int_range(kind: TypeKind) -> (i64, i64) {
    match kind {
        TypeKind::Bit => (0, 1),
        TypeKind::TinyInt => (0, 255),
        TypeKind::SmallInt => (i16::MIN as i64, i16::MAX as i64),
        TypeKind::Int => (i32::MIN as i64, i32::MAX as i64),
        _ => (i64::MIN, i64::MAX),
    }
}

#[inline]
fn fits(value: i64, kind: TypeKind) -> bool {
    let (low, high) = int_range(kind);
    low <= value && value <= high
}

/// Integer to integer: errors 220 and 8115; a bit is whether it is not zero.
#[inline]
pub(super) fn int_to_int(value: i64, kind: TypeKind) -> SqlResult<ValueRef<'static>> {
    if fits(value, kind) {
        return Ok(ValueRef::Int(value));
    }
    int_out_of_range(value, kind)
}

#[cold]
fn int_out_of_range(value: i64, kind: TypeKind) -> SqlResult<ValueRef<'static>> {
    match kind {
        TypeKind::Bit => Ok(ValueRef::Int(1)),
        TypeKind::TinyInt => {
            Err(SqlError::new(&message::VALUE_OVERFLOW, &[&kind, &value]).with_state(2))
        }
        TypeKind::SmallInt => {
            Err(SqlError::new(&message::VALUE_OVERFLOW, &[&kind, &value]).with_state(1))
        }
        _ => Err(expression_overflow(kind)),
    }
}

/// To an integer: decimals and floats are cut, money and dates are rounded.
pub(super) fn to_int(
    value: ValueRef<'_>,
    from: &SqlType,
    to: &SqlType,
) -> SqlResult<ValueRef<'static>> {
    let kind = to.kind;
    let bit = |nonzero: bool| Ok(ValueRef::Int(i64::from(nonzero)));
    let within = |value: i64, error: &dyn Fn() -> SqlError| {
        if fits(value, kind) { Ok(ValueRef::Int(value)) } else { Err(error()) }
    };
    match value {
        ValueRef::Int(v) => int_to_int(v, kind),
        ValueRef::Money(v) if kind == TypeKind::Bit => bit(v != 0),
        ValueRef::Money(v) => {
            let rounded =
                v / 10_000 + i64::from(v % 10_000 >= 5000) - i64::from(v % 10_000 <= -5000);
            within(rounded, &|| SqlError::new(&message::MONEY_TO_NUMBER_SPACE, &[&kind]))
        }
        ValueRef::Decimal(v) if kind == TypeKind::Bit => bit(v != 0),
        ValueRef::Decimal(v) => {
            let whole = decimal::truncate_to_int(v, from.scale);
            let whole = i64::try_from(whole).map_err(|_| expression_overflow(kind))?;
            within(whole, &|| expression_overflow(kind))
        }
        ValueRef::Float(v) if kind == TypeKind::Bit => bit(v != 0.0),
        ValueRef::Float(v) => float_to_int(v, kind),
        ValueRef::Chars(_) | ValueRef::Unicode(_) if !from.kind.is_legacy_lob() => {
            text_to_int(value, from, kind)
        }
        ValueRef::Bytes(b) if from.kind != TypeKind::Image => {
            Ok(ValueRef::Int(bytes_to_int(b, kind)))
        }
        ValueRef::DateTime(_) | ValueRef::SmallDateTime(_) => {
            let days = days_as_float(value);
            let rounded = (days + 0.5).floor() as i64;
            if kind == TypeKind::Bit {
                return bit(rounded != 0);
            }
            within(rounded, &|| match kind {
                TypeKind::TinyInt | TypeKind::SmallInt => {
                    SqlError::new(&message::VALUE_OVERFLOW, &[&kind, &rounded])
                }
                _ => expression_overflow(kind),
            })
        }
        _ => Err(not_allowed(from, to)),
    }
}

fn float_to_int(value: f64, kind: TypeKind) -> SqlResult<ValueRef<'static>> {
    let whole = value.trunc();
    // 2^63 itself is a float but no bigint.
    let inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole);
    if inside && fits(whole as i64, kind) {
        return Ok(ValueRef::Int(whole as i64));
    }
    Err(match kind {
        TypeKind::BigInt => expression_overflow(kind),
        _ => SqlError::new(&message::FLOAT_OVERFLOW, &[&kind, &format_args!("{value:.6}")])
            .with_state(3),
    })
}

fn text_to_int(
    value: ValueRef<'_>,
    from: &SqlType,
    kind: TypeKind,
) -> SqlResult<ValueRef<'static>> {
    let text = Ascii::of(value);
    let failed = || match kind {
        TypeKind::BigInt => cannot_convert(from.kind, kind),
        _ => SqlError::new(
            &message::TEXT_CONVERSION_FAILED,
            &[&from.kind, &quoted(value, from), &kind],
        ),
    };
    let text = text.as_deref().ok_or_else(failed)?;
    if kind == TypeKind::Bit {
        let word = trim_blanks(text);
        if word.eq_ignore_ascii_case(b"true") {
            return Ok(ValueRef::Int(1));
        }
        if word.eq_ignore_ascii_case(b"false") {
            return Ok(ValueRef::Int(0));
        }
    }
    let overflow = |column: &str, state: u8| {
        SqlError::new(
            &message::TEXT_OVERFLOWS_SMALL_INTEGER,
            &[&from.kind, &quoted(value, from), &column],
        )
        .with_state(state)
    };
    match (parse_integer(text), kind) {
        (Err(IntegerError::Syntax), _) => Err(failed()),
        (Ok(v), TypeKind::Bit) => Ok(ValueRef::Int(i64::from(v != 0))),
        (Err(IntegerError::Overflow), TypeKind::Bit) => Ok(ValueRef::Int(1)),
        (Ok(v), _) if fits(v, kind) => Ok(ValueRef::Int(v)),
        (_, TypeKind::TinyInt) => Err(overflow("INT1", 1)),
        (_, TypeKind::SmallInt) => Err(overflow("INT2", 2)),
        (_, TypeKind::Int) => {
            Err(SqlError::new(&message::TEXT_OVERFLOWS_INT, &[&from.kind, &quoted(value, from)]))
        }
        _ => Err(expression_overflow(kind)),
    }
}

/// The last bytes, big-endian; shorter values are filled up by zeros in front.
fn bytes_to_int(bytes: &[u8], kind: TypeKind) -> i64 {
    let last = |n: usize| {
        let tail = &bytes[bytes.len().saturating_sub(n)..];
        tail.iter().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
    };
    match kind {
        TypeKind::Bit => i64::from(bytes.iter().any(|&b| b != 0)),
        TypeKind::TinyInt => last(1) as i64,
        TypeKind::SmallInt => i64::from(last(2) as i16),
        TypeKind::Int => i64::from(last(4) as i32),
        _ => last(8) as i64,
    }
}

/// Days since 1900-01-01 with their fraction.
fn days_as_float(value: ValueRef<'_>) -> f64 {
    match value {
        ValueRef::DateTime(d) => {
            f64::from(d.days) + f64::from(d.ticks) / f64::from(DATETIME_TICKS_PER_DAY)
        }
        ValueRef::SmallDateTime(minutes) => minutes as f64 / 1440.0,
        other => unreachable!("{other:?} is no datetime"),
    }
}

/// To money or smallmoney, rounded to ten-thousandths.
pub(super) fn to_money(
    value: ValueRef<'_>,
    from: &SqlType,
    to: &SqlType,
) -> SqlResult<ValueRef<'static>> {
    let kind = to.kind;
    let within = |amount: Option<i64>, error: &dyn Fn() -> SqlError| {
        amount
            .filter(|v| kind == TypeKind::Money || i32::try_from(*v).is_ok())
            .map(ValueRef::Money)
            .ok_or_else(error)
    };
    match value {
        ValueRef::Money(v) => within(Some(v), &|| expression_overflow(kind)),
        ValueRef::Int(v) => within(v.checked_mul(10_000), &|| expression_overflow(kind)),
        ValueRef::Decimal(v) => {
            let amount = decimal::rescale(v, from.scale, 4, Rounding::Round);
            let amount = amount.and_then(|v| i64::try_from(v).ok());
            within(amount, &|| overflow_converting(from.kind, kind, 4))
        }
        ValueRef::Float(v) => {
            let amount = decimal::from_f64(v, 4).and_then(|v| i64::try_from(v).ok());
            within(amount, &|| expression_overflow(kind))
        }
        ValueRef::Chars(_) | ValueRef::Unicode(_) if !from.kind.is_legacy_lob() => {
            let (syntax, overflow) = match kind {
                TypeKind::Money => {
                    (&message::TEXT_TO_MONEY_SYNTAX, &message::TEXT_TO_MONEY_OVERFLOW)
                }
                _ => (&message::TEXT_TO_SMALLMONEY_SYNTAX, &message::TEXT_TO_SMALLMONEY_OVERFLOW),
            };
            match parse_money(&quoted(value, from)) {
                Ok(v) => within(Some(v), &|| SqlError::new(overflow, &[])),
                Err(MoneyError::Syntax) => Err(SqlError::new(syntax, &[])),
                Err(MoneyError::Overflow) => Err(SqlError::new(overflow, &[])),
            }
        }
        ValueRef::Bytes(b) if from.kind != TypeKind::Image => {
            let kind = if kind == TypeKind::Money { TypeKind::BigInt } else { TypeKind::Int };
            Ok(ValueRef::Money(bytes_to_int(b, kind)))
        }
        ValueRef::DateTime(_) | ValueRef::SmallDateTime(_) => {
            let amount = decimal::from_f64(days_as_float(value), 4);
            within(amount.and_then(|v| i64::try_from(v).ok()), &|| expression_overflow(kind))
        }
        _ => Err(not_allowed(from, to)),
    }
}

/// To decimal or numeric, rounded to the scale.
pub(super) fn to_decimal(
    value: ValueRef<'_>,
    from: &SqlType,
    to: &SqlType,
) -> SqlResult<ValueRef<'static>> {
    let exact = |value: i128, scale: u8| {
        decimal::convert(value, scale, to)
            .map(ValueRef::Decimal)
            .ok_or_else(|| overflow_converting(from.kind, to.kind, 8))
    };
    match value {
        ValueRef::Int(v) => exact(i128::from(v), 0),
        ValueRef::Money(v) => exact(i128::from(v), 4),
        ValueRef::Decimal(v) => exact(v, from.scale),
        ValueRef::Float(v) => decimal::from_f64(v, to.scale)
            .filter(|v| decimal::fits(*v, to.precision))
            .map(ValueRef::Decimal)
            .ok_or_else(|| overflow_converting(from.kind, to.kind, 6)),
        ValueRef::Chars(_) | ValueRef::Unicode(_) if !from.kind.is_legacy_lob() => {
            let text = Ascii::of(value);
            let text = text.as_deref().ok_or_else(|| cannot_convert(from.kind, to.kind))?;
            match decimal::parse(trim_blanks(text), to.precision, to.scale) {
                Ok(v) => Ok(ValueRef::Decimal(v)),
                Err(decimal::ParseError::Syntax) => Err(cannot_convert(from.kind, to.kind)),
                Err(decimal::ParseError::Overflow) => {
                    Err(overflow_converting(from.kind, to.kind, 8))
                }
            }
        }
        ValueRef::Bytes(b) if from.kind != TypeKind::Image => {
            let (value, scale) = super::binary::decimal_from_bytes(b)
                .ok_or_else(|| cannot_convert(from.kind, to.kind))?;
            exact(value, scale)
        }
        ValueRef::DateTime(_) | ValueRef::SmallDateTime(_) => {
            decimal::from_f64(days_as_float(value), to.scale)
                .filter(|v| decimal::fits(*v, to.precision))
                .map(ValueRef::Decimal)
                .ok_or_else(|| overflow_converting(from.kind, to.kind, 7))
        }
        _ => Err(not_allowed(from, to)),
    }
}

/// To float or real.
pub(super) fn to_float(
    value: ValueRef<'_>,
    from: &SqlType,
    to: &SqlType,
) -> SqlResult<ValueRef<'static>> {
    let value = match value {
        ValueRef::Float(v) => v,
        ValueRef::Int(v) => v as f64,
        ValueRef::Money(v) => decimal::to_f64(i128::from(v), 4),
        ValueRef::Decimal(v) => decimal::to_f64(v, from.scale),
        ValueRef::Chars(_) | ValueRef::Unicode(_) if !from.kind.is_legacy_lob() => {
            let text = Ascii::of(value);
            text.as_deref()
                .and_then(parse_float)
                .ok_or_else(|| cannot_convert(from.kind, to.kind))?
        }
        ValueRef::DateTime(_) | ValueRef::SmallDateTime(_) => days_as_float(value),
        _ => return Err(not_allowed(from, to)),
    };
    let rounded = if to.kind == TypeKind::Real { f64::from(value as f32) } else { value };
    if rounded.is_finite() {
        Ok(ValueRef::Float(rounded))
    } else if to.kind == TypeKind::Real && value.is_finite() {
        Err(SqlError::new(&message::FLOAT_OVERFLOW, &[&to.kind, &format_args!("{value:.6}")]))
    } else {
        Err(expression_overflow(to.kind))
    }
}
