//! Values in the form in which SQL Server has them itself.

use base::value::DateTime;
use base::{SqlError, SqlResult, SqlType, ValueRef, message};

/// A form of values that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Native {
    /// An integer of so many bytes, the lowest first; one byte has no sign.
    Int(usize),
    /// A float of 8 bytes.
    Float,
    /// One of 4.
    Real,
    /// Ten-thousandths in 8 bytes: the high half, then the low one.
    Money,
    /// The same in 4.
    SmallMoney,
    /// Precision, scale, sign, and 16 bytes, the lowest first.
    Decimal,
    /// Days since 1900 and 300ths of seconds, in 4 bytes each.
    DateTime,
    /// Days since 1900 and minutes, in 2 bytes each.
    SmallDateTime,
    /// Days since the first of the calendar, in 3 bytes.
    Date,
    /// 16 bytes.
    Guid,
    /// Bytes.
    Binary,
}

/// The types of format files.
const TYPES: [(&str, Native); 20] = [
    ("SQLBIT", Native::Int(1)),
    ("SQLTINYINT", Native::Int(1)),
    ("SQLSMALLINT", Native::Int(2)),
    ("SQLINT", Native::Int(4)),
    ("SQLBIGINT", Native::Int(8)),
    ("SQLFLT8", Native::Float),
    ("SQLFLT4", Native::Real),
    ("SQLMONEY", Native::Money),
    ("SQLMONEY4", Native::SmallMoney),
    ("SQLMONEYN", Native::Money),
    ("SQLDECIMAL", Native::Decimal),
    ("SQLNUMERIC", Native::Decimal),
    ("SQLDATETIME", Native::DateTime),
    ("SQLDATETIM4", Native::SmallDateTime),
    ("SQLDATE", Native::Date),
    ("SQLUNIQUEID", Native::Guid),
    ("SQLBINARY", Native::Binary),
    ("SQLVARYBIN", Native::Binary),
    ("SQLIMAGE", Native::Binary),
    ("SQLDATETIMN", Native::DateTime),
];
/// Types of SQL Server's that are not read.
const OTHERS: [&str; 5] = ["SQLTIME", "SQLDATETIME2", "SQLDATETIMEOFFSET", "SQLVARIANT", "SQLUDT"];

impl Native {
    /// A type by its name in upper case.
    pub fn by_name(name: &str) -> Option<Native> {
        TYPES.iter().find(|(own, _)| *own == name).map(|(_, native)| *native)
    }

    /// Whether SQL Server knows a type by this name, which this server does not read.
    pub fn is_known(name: &str) -> bool {
        OTHERS.contains(&name)
    }

    /// The bytes of each value; `None` if values differ in that.
    pub fn length(self) -> Option<usize> {
        Some(match self {
            Native::Int(bytes) => bytes,
            Native::Float | Native::Money | Native::DateTime => 8,
            Native::Real | Native::SmallMoney | Native::SmallDateTime => 4,
            Native::Decimal => 19,
            Native::Date => 3,
            Native::Guid => 16,
            Native::Binary => return None,
        })
    }
}

/// The type of a column whose values are of a native type, by its name in upper case; none of
/// those whose length says more.
pub fn native_type(name: &str, precision: u8, scale: u8) -> Option<SqlType> {
    Some(match name {
        "SQLBIT" => SqlType::bit(),
        "SQLTINYINT" => SqlType::tinyint(),
        "SQLSMALLINT" => SqlType::smallint(),
        "SQLINT" => SqlType::int(),
        "SQLBIGINT" => SqlType::bigint(),
        "SQLFLT8" => SqlType::float(),
        "SQLFLT4" => SqlType::real(),
        "SQLMONEY" | "SQLMONEYN" => SqlType::money(),
        "SQLMONEY4" => SqlType::smallmoney(),
        "SQLDECIMAL" | "SQLNUMERIC" => SqlType::decimal(precision, scale),
        "SQLDATETIME" | "SQLDATETIMN" => SqlType::datetime(),
        "SQLDATETIM4" => SqlType::smalldatetime(),
        "SQLDATE" => SqlType::date(),
        "SQLTIME" => SqlType::time(scale),
        "SQLDATETIME2" => SqlType::datetime2(scale),
        "SQLDATETIMEOFFSET" => SqlType::datetimeoffset(scale),
        "SQLUNIQUEID" => SqlType::uniqueidentifier(),
        "SQLVARIANT" => SqlType::sql_variant(),
        _ => return None,
    })
}

/// The value in these bytes, and its type. Error 4832 if they are too few or too many.
pub fn native_value(native: Native, bytes: &[u8]) -> SqlResult<(ValueRef<'_>, SqlType)> {
    if native.length().is_some_and(|length| length != bytes.len()) {
        return Err(SqlError::new(&message::BULK_END_OF_FILE, &[]));
    }
    let signed = |bytes: &[u8]| {
        let sign = if bytes.last().is_some_and(|byte| *byte >= 0x80) { 0xFF } else { 0 };
        let mut whole = [sign; 8];
        whole[..bytes.len()].copy_from_slice(bytes);
        i64::from_le_bytes(whole)
    };
    let unsigned =
        |bytes: &[u8]| bytes.iter().rev().fold(0_u64, |all, byte| all << 8 | u64::from(*byte));
    Ok(match native {
        Native::Int(1) => (ValueRef::Int(i64::from(bytes[0])), SqlType::tinyint()),
        Native::Int(_) => (ValueRef::Int(signed(bytes)), SqlType::bigint()),
        Native::Float => (ValueRef::Float(f64::from_bits(unsigned(bytes))), SqlType::float()),
        Native::Real => {
            let value = f32::from_bits(unsigned(bytes) as u32);
            (ValueRef::Float(value.into()), SqlType::real())
        }
        Native::Money => {
            let (high, low) = (signed(&bytes[..4]), unsigned(&bytes[4..]));
            (ValueRef::Money(high << 32 | low as i64), SqlType::money())
        }
        Native::SmallMoney => (ValueRef::Money(signed(bytes)), SqlType::money()),
        Native::Decimal => {
            let (precision, scale) = (bytes[0], bytes[1]);
            let mut whole = [0; 16];
            whole.copy_from_slice(&bytes[3..]);
            let magnitude = i128::from_le_bytes(whole);
            let is_valid = (1..=38).contains(&precision)
                && scale <= precision
                && (0..10_i128.pow(precision.into())).contains(&magnitude);
            if !is_valid {
                return Err(SqlError::new(&message::BULK_END_OF_FILE, &[]));
            }
            let value = if bytes[2] == 0 { -magnitude } else { magnitude };
            (ValueRef::Decimal(value), SqlType::decimal(precision, scale))
        }
        Native::DateTime => {
            let (days, ticks) = (signed(&bytes[..4]) as i32, unsigned(&bytes[4..]) as u32);
            let days_max = base::datetime::civil::DATETIME_DAY_MAX;
            let is_valid = (base::datetime::civil::DATETIME_DAY_MIN..=days_max).contains(&days)
                && ticks < base::datetime::civil::DATETIME_TICKS_PER_DAY;
            if !is_valid {
                return Err(SqlError::new(&message::BULK_END_OF_FILE, &[]));
            }
            (ValueRef::DateTime(DateTime { days, ticks }), SqlType::datetime())
        }
        Native::SmallDateTime => {
            let (days, minutes) = (unsigned(&bytes[..2]) as i64, unsigned(&bytes[2..]) as i64);
            if minutes >= 1440 {
                return Err(SqlError::new(&message::BULK_END_OF_FILE, &[]));
            }
            (ValueRef::SmallDateTime(days * 1440 + minutes), SqlType::smalldatetime())
        }
        Native::Date => {
            let days = unsigned(bytes) as i32;
            if days > base::datetime::civil::DAY_MAX {
                return Err(SqlError::new(&message::BULK_END_OF_FILE, &[]));
            }
            (ValueRef::Date(days), SqlType::date())
        }
        Native::Guid => {
            let mut guid = [0; 16];
            guid.copy_from_slice(bytes);
            (ValueRef::Guid(guid), SqlType::uniqueidentifier())
        }
        Native::Binary => (ValueRef::Bytes(bytes), SqlType::varbinary_max()),
    })
}
