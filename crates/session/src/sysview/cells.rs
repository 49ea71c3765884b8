//! Types of columns and values of rows, in few words.

use base::ids::{DbId, ObjectId};
use base::{Collation, SqlType, Value};
use engine::catalog::def::DateTime;
use ir::function::rowset::RowsetColumn;
pub use ir::function::rowset::column;

/// Strings in definitions of views have the default collation; the binder gives them the
/// database's.
const C: Collation = Collation(0);

pub const BIT: SqlType = SqlType::bit();
pub const TINY: SqlType = SqlType::tinyint();
pub const SMALL: SqlType = SqlType::smallint();
pub const INT: SqlType = SqlType::int();
pub const BIG: SqlType = SqlType::bigint();
pub const FLOAT: SqlType = SqlType::float();
pub const SYSNAME: SqlType = SqlType::sysname(C);
pub const WHEN: SqlType = SqlType::datetime();
pub const GUID: SqlType = SqlType::uniqueidentifier();
pub const NMAX: SqlType = SqlType::nvarchar_max(C);
pub const SID: SqlType = SqlType::varbinary(85);
pub const VARIANT: SqlType = SqlType::sql_variant();

pub const fn nvar(units: u16) -> SqlType {
    SqlType::nvarchar(units, C)
}

pub const fn nfix(units: u16) -> SqlType {
    SqlType::nchar(units, C)
}

pub const fn fix(bytes: u16) -> SqlType {
    SqlType::char(bytes, C)
}

pub const fn var(bytes: u16) -> SqlType {
    SqlType::varchar(bytes, C)
}

/// Puts constant lists of columns one after another.
pub const fn joined<const N: usize, const M: usize>(
    parts: [&[RowsetColumn]; M],
) -> [RowsetColumn; N] {
    let mut columns = [column("", INT, false); N];
    let (mut part, mut at) = (0, 0);
    while part < parts.len() {
        let mut within = 0;
        while within < parts[part].len() {
            columns[at] = parts[part][within];
            within += 1;
            at += 1;
        }
        part += 1;
    }
    assert!(at == N, "as many columns as were announced");
    columns
}

pub const NULL: Value = Value::Null;

pub fn int(value: impl Into<i64>) -> Value {
    Value::Int(value.into())
}

pub fn bit(value: bool) -> Value {
    Value::Int(i64::from(value))
}

/// UTF-16.
pub fn text(text: &str) -> Value {
    let mut bytes = Vec::with_capacity(2 * text.len());
    text.encode_utf16().for_each(|unit| bytes.extend_from_slice(&unit.to_le_bytes()));
    Value::Unicode(bytes.into())
}

/// Characters of a code page; these views' are ASCII.
pub fn chars(text: &str) -> Value {
    Value::Chars(text.as_bytes().into())
}

/// As `char(2)`.
pub fn code(text: &str) -> Value {
    chars(&format!("{text:<2}"))
}

pub fn when(moment: DateTime) -> Value {
    Value::DateTime(moment)
}

/// UTC in units of 100 ns since 0001-01-01.
pub fn utc(ticks: u64) -> Value {
    const TICKS_PER_DAY: u64 = 864_000_000_000;
    /// Days from 0001-01-01 to 1900-01-01.
    const DAYS_TO_1900: i32 = 693_595;
    let days = (ticks / TICKS_PER_DAY) as i32 - DAYS_TO_1900;
    let third_of_10_ms = (ticks % TICKS_PER_DAY * 3 + 50_000) / 100_000;
    Value::DateTime(DateTime { days, ticks: third_of_10_ms as u32 })
}

pub fn guid(bytes: [u8; 16]) -> Value {
    Value::Guid(bytes)
}

pub fn bytes(bytes: &[u8]) -> Value {
    Value::Bytes(bytes.into())
}

pub fn object(id: ObjectId) -> Value {
    Value::Int(id.0.into())
}

pub fn database(id: DbId) -> Value {
    Value::Int(id.0.into())
}

pub fn or_null<T>(value: Option<T>, make: impl FnOnce(T) -> Value) -> Value {
    value.map_or(Value::Null, make)
}

/// A value as a variant holds it.
pub fn variant(ty: SqlType, value: Value) -> Value {
    encoded(&Value::Variant(Box::new(base::value::Variant { ty, value })))
}

/// A variant, or NULL, in the form in which rows hold it.
pub fn encoded(value: &Value) -> Value {
    match value {
        Value::Variant(variant) => {
            let mut bytes = Vec::new();
            base::variant::encode_variant(&variant.ty, variant.value.as_ref(), &mut bytes);
            Value::Bytes(bytes.into())
        }
        other => other.clone(),
    }
}
