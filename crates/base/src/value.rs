//! One value, owned or borrowed. The type is not part of the value (except inside a variant):
//! a holder of a value also knows its [`SqlType`], which gives scale and collation.

use crate::collation::codepage::{string_to_chars, string_to_unicode};
use crate::types::{Collation, SqlType};

/// A borrowed value in the representation that [`crate::types::Repr`] names for its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueRef<'a> {
    /// SQL NULL, of any type.
    Null,
    /// bit, tinyint, smallint, int, bigint.
    Int(i64),
    /// money, smallmoney: ten-thousandths.
    Money(i64),
    /// decimal, numeric: units of 10^-scale.
    Decimal(i128),
    /// float, real.
    Float(f64),
    /// char, varchar, text: bytes in the collation's code page.
    Chars(&'a [u8]),
    /// nchar, nvarchar, ntext: UTF-16LE bytes, an even number of them.
    Unicode(&'a [u8]),
    /// binary, varbinary, image, rowversion, the CLR types.
    Bytes(&'a [u8]),
    /// Days since 0001-01-01.
    Date(i32),
    /// Units of 100 ns since midnight.
    Time(i64),
    /// See [`DateTime`].
    DateTime(DateTime),
    /// Minutes since 1900-01-01.
    SmallDateTime(i64),
    /// Units of 100 ns since 0001-01-01.
    DateTime2(i64),
    /// See [`DateTimeOffset`].
    DateTimeOffset(DateTimeOffset),
    /// 16 bytes in wire order.
    Guid([u8; 16]),
    /// A value with its own type; never null inside. In registers and rows a `sql_variant` is
    /// [`ValueRef::Bytes`] in the encoding of [`crate::variant`], which conversion returns;
    /// everything that reads variants takes both forms.
    Variant(&'a Variant),
}

/// An owned value; see [`ValueRef`] for the meaning of each variant.
#[derive(Clone, Debug, PartialEq, Default)]
#[allow(missing_docs)]
pub enum Value {
    #[default]
    Null,
    Int(i64),
    Money(i64),
    Decimal(i128),
    Float(f64),
    Chars(Box<[u8]>),
    Unicode(Box<[u8]>),
    Bytes(Box<[u8]>),
    Date(i32),
    Time(i64),
    DateTime(DateTime),
    SmallDateTime(i64),
    DateTime2(i64),
    DateTimeOffset(DateTimeOffset),
    Guid([u8; 16]),
    Variant(Box<Variant>),
}

/// A `datetime`: the two integers that SQL Server stores and sends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DateTime {
    /// Days since 1900-01-01; negative before.
    pub days: i32,
    /// Units of 1/300 second since midnight.
    pub ticks: u32,
}

/// A `datetimeoffset`: an instant and the offset at which it was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DateTimeOffset {
    /// The instant in UTC, in units of 100 ns since 0001-01-01.
    pub utc_ticks: i64,
    /// Minutes to add for the local time, -840 to 840.
    pub offset_minutes: i16,
}

/// The content of a `sql_variant`.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// The type of the value inside; never `sql_variant`, a `(max)` type or `rowversion`.
    pub ty: SqlType,
    /// The value inside.
    pub value: Value,
}

impl<'a> ValueRef<'a> {
    /// Whether this is SQL NULL.
    pub const fn is_null(&self) -> bool {
        matches!(self, ValueRef::Null)
    }

    /// Bytes of a string or binary; 0 for values of fixed size.
    #[inline]
    pub const fn byte_len(&self) -> usize {
        match self {
            ValueRef::Chars(bytes) | ValueRef::Unicode(bytes) | ValueRef::Bytes(bytes) => {
                bytes.len()
            }
            _ => 0,
        }
    }

    /// The same value, owned.
    pub fn to_owned(self) -> Value {
        match self {
            ValueRef::Null => Value::Null,
            ValueRef::Int(v) => Value::Int(v),
            ValueRef::Money(v) => Value::Money(v),
            ValueRef::Decimal(v) => Value::Decimal(v),
            ValueRef::Float(v) => Value::Float(v),
            ValueRef::Chars(v) => Value::Chars(v.into()),
            ValueRef::Unicode(v) => Value::Unicode(v.into()),
            ValueRef::Bytes(v) => Value::Bytes(v.into()),
            ValueRef::Date(v) => Value::Date(v),
            ValueRef::Time(v) => Value::Time(v),
            ValueRef::DateTime(v) => Value::DateTime(v),
            ValueRef::SmallDateTime(v) => Value::SmallDateTime(v),
            ValueRef::DateTime2(v) => Value::DateTime2(v),
            ValueRef::DateTimeOffset(v) => Value::DateTimeOffset(v),
            ValueRef::Guid(v) => Value::Guid(v),
            ValueRef::Variant(v) => Value::Variant(Box::new(v.clone())),
        }
    }
}

impl Value {
    /// An nvarchar value.
    pub fn unicode(text: &str) -> Value {
        let mut bytes = Vec::with_capacity(2 * text.len());
        string_to_unicode(text, &mut bytes);
        Value::Unicode(bytes.into())
    }

    /// A varchar value in the collation's code page.
    pub fn chars(text: &str, collation: Collation) -> Value {
        let mut bytes = Vec::with_capacity(text.len());
        string_to_chars(collation, text, &mut bytes);
        Value::Chars(bytes.into())
    }

    /// Whether this is SQL NULL.
    pub const fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The same value, borrowed.
    pub fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Value::Null => ValueRef::Null,
            Value::Int(v) => ValueRef::Int(*v),
            Value::Money(v) => ValueRef::Money(*v),
            Value::Decimal(v) => ValueRef::Decimal(*v),
            Value::Float(v) => ValueRef::Float(*v),
            Value::Chars(v) => ValueRef::Chars(v),
            Value::Unicode(v) => ValueRef::Unicode(v),
            Value::Bytes(v) => ValueRef::Bytes(v),
            Value::Date(v) => ValueRef::Date(*v),
            Value::Time(v) => ValueRef::Time(*v),
            Value::DateTime(v) => ValueRef::DateTime(*v),
            Value::SmallDateTime(v) => ValueRef::SmallDateTime(*v),
            Value::DateTime2(v) => ValueRef::DateTime2(*v),
            Value::DateTimeOffset(v) => ValueRef::DateTimeOffset(*v),
            Value::Guid(v) => ValueRef::Guid(*v),
            Value::Variant(v) => ValueRef::Variant(v),
        }
    }
}
