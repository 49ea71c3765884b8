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
mod tests {
    use super::*;

    #[test]
    fn literals_have_sql_servers_types() {
        assert_eq!(integer("2147483647").unwrap(), SqlType::int());
        assert_eq!(integer("0000000000000042").unwrap(), SqlType::int());
        assert_eq!(integer("2147483648").unwrap(), SqlType::numeric(10, 0));
        assert_eq!(integer("12345678901234567890").unwrap(), SqlType::numeric(20, 0));
        assert_eq!(numeric("1.0").unwrap(), SqlType::numeric(2, 1));
        assert_eq!(numeric("0.5").unwrap(), SqlType::numeric(1, 1));
        assert_eq!(numeric("5.").unwrap(), SqlType::numeric(1, 0));
        assert_eq!(numeric(".0").unwrap(), SqlType::numeric(1, 1));
        assert_eq!(integer(&"9".repeat(39)).unwrap_err().number(), 1007);
        assert_eq!(chars(0, Collation(1)), SqlType::varchar(1, Collation(1)));
        assert!(unicode(4001, Collation(1)).is_max());
        assert_eq!(binary(3), SqlType::varbinary(3));
        assert_eq!(integer_digits(-100), 3);
    }

    #[test]
    fn literals_have_their_values() {
        let int = |text: &str| integer_value(text).unwrap();
        assert_eq!(int("0042"), (SqlType::int(), Value::Int(42)));
        assert_eq!(int("2147483648"), (SqlType::numeric(10, 0), Value::Decimal(2_147_483_648)));
        assert_eq!(numeric_value("1.50").unwrap(), (SqlType::numeric(3, 2), Value::Decimal(150)));
        assert_eq!(float_value("1.5e3").unwrap().1, Value::Float(1500.0));
        assert_eq!(float_value("1e400").unwrap_err().number(), 168);
        assert_eq!(money_value("$1.5").unwrap().1, Value::Money(15_000));
        assert_eq!(money_value("$").unwrap().1, Value::Money(0));
        assert_eq!(
            binary_value("0xABC"),
            (SqlType::varbinary(2), Value::Bytes([0x0A, 0xBC].into()))
        );
        assert_eq!(binary_value("0x"), (SqlType::varbinary(1), Value::Bytes([].into())));
    }
}
