//! The types of constants, as SQL Server derives them from their text.

use super::{Collation, SqlType};
use crate::error::{SqlError, SqlResult};
use crate::message;

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
}
