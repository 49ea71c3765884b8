//! The types and values of constants, as SQL Server derives them from their text.

use super::{Collation, SqlType, TypeKind};
use crate::decimal;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::text::number::{parse_float, parse_money};
use crate::value::Value;

/// The type of digits without a point: `int` as far as it reaches, then `numeric` (never `bigint`).
/// Error 1007 beyond 38 digits.
pub fn integer(digits: &str) -> SqlResult<SqlType> {
    let significant = digits.trim_start_matches('0');
    if significant.len() <= 10 && significant.parse::<i64>().unwrap_or(0) <= i64::from(i32::MAX) {
        return Ok(SqlType::int());
    }
    numeric(digits)
}

/// The type of digits with a point: as many digits as are written, less leading zeros.
/// Error 1007 beyond 38 digits.
pub fn numeric(text: &str) -> SqlResult<SqlType> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole = whole.trim_start_matches('0').len();
    let precision = (whole + fraction.len()).max(1);
    if precision > 38 {
        return Err(SqlError::new(&message::NUMBER_OUT_OF_RANGE, &[&text]));
    }
    Ok(SqlType::numeric(precision as u8, fraction.len() as u8))
}

/// The type of `'…'` whose content takes this many bytes in the collation's code page.
pub fn chars(bytes: usize, collation: Collation) -> SqlType {
    match bytes {
        0..=8000 => SqlType::varchar(bytes.max(1) as u16, collation),
        _ => SqlType::varchar_max(collation),
    }
}

/// The type of `N'…'` with this many UTF-16 units.
pub fn unicode(units: usize, collation: Collation) -> SqlType {
    match units {
        0..=4000 => SqlType::nvarchar(units.max(1) as u16, collation),
        _ => SqlType::nvarchar_max(collation),
    }
}

/// The type of `0x…` with this many bytes.
pub fn binary(bytes: usize) -> SqlType {
    match bytes {
        0..=8000 => SqlType::varbinary(bytes.max(1) as u16),
        _ => SqlType::varbinary_max(),
    }
}

/// Type and value of digits without a point. Error 1007.
pub fn integer_value(digits: &str) -> SqlResult<(SqlType, Value)> {
    let ty = integer(digits)?;
    if ty.kind == TypeKind::Int {
        if let Ok(value) = digits.parse() {
            return Ok((ty, Value::Int(value)));
        }
    }
    numeric_value(digits)
}

/// Type and value of digits with a point. Error 1007.
pub fn numeric_value(text: &str) -> SqlResult<(SqlType, Value)> {
    let ty = numeric(text)?;
    match decimal::parse(text.as_bytes(), 38, ty.scale) {
        Ok(value) => Ok((ty, Value::Decimal(value))),
        Err(_) => Err(SqlError::new(&message::NUMBER_OUT_OF_RANGE, &[&text])),
    }
}

/// Type and value of a number with an exponent. Error 168 beyond the range of a float.
pub fn float_value(text: &str) -> SqlResult<(SqlType, Value)> {
    // An exponent without digits is 0.
    let whole = match text.ends_with(['e', 'E', '+', '-']) {
        true => format!("{text}0"),
        false => text.to_owned(),
    };
    match parse_float(whole.as_bytes()).filter(|v| v.is_finite()) {
        Some(value) => Ok((SqlType::float(), Value::Float(value))),
        None => Err(SqlError::new(&message::FLOAT_LITERAL_OUT_OF_RANGE, &[&text, &8])),
    }
}

/// Type and value of `$1.50`, with or without digits. Error 151.
pub fn money_value(text: &str) -> SqlResult<(SqlType, Value)> {
    match parse_money(text) {
        Ok(value) => Ok((SqlType::money(), Value::Money(value))),
        Err(_) => Err(SqlError::new(&message::INVALID_MONEY_VALUE, &[&text])),
    }
}

/// Type and value of `0x…`; an odd number of digits has a zero before the first.
pub fn binary_value(text: &str) -> (SqlType, Value) {
    let digits = text.get(2..).unwrap_or_default().as_bytes();
    let digit = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
    let (first, rest) = digits.split_at(digits.len() % 2);
    let mut bytes: Vec<u8> = first.iter().map(|&b| digit(b)).collect();
    bytes.extend(rest.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])));
    (binary(bytes.len()), Value::Bytes(bytes.into()))
}

/// Decimal digits of an integer constant, which is what it counts for in decimal arithmetic
/// (`1.0 / 3` divides by a `numeric(1,0)`, not by an `int`).
pub fn integer_digits(value: i64) -> u8 {
    let magnitude = value.unsigned_abs();
    if magnitude == 0 { 1 } else { magnitude.ilog10() as u8 + 1 }
}

#[cfg(test)]
mod tests;
