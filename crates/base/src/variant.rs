//! The content of a `sql_variant` as bytes: how it lies in rows and in registers.
//!
//! ```text
//! kind: u8 | properties | value
//! ```
//!
//! Properties: precision and scale of decimals; the scale of time, datetime2 and datetimeoffset;
//! the declared length (`u16`) and the collation (`u16`) of strings; the declared length of
//! binaries. The value is little-endian, as in a row's fixed part, or the bytes of the string.
//!
//! A [`ValueRef`] of type `sql_variant` is either [`ValueRef::Bytes`] with this encoding, or
//! [`ValueRef::Variant`] where an owned [`crate::value::Variant`] exists; [`content`] reads both.

use crate::collation::ByteWriter;
use crate::datetime::civil::{
    DATETIME_DAY_MAX, DATETIME_DAY_MIN, DATETIME_TICKS_PER_DAY, DAY_MAX, SMALLDATETIME_MAX,
    TICKS_PER_DAY,
};
use crate::types::{Collation, Repr, SqlType, TypeKind};
use crate::value::{DateTime, DateTimeOffset, ValueRef};

/// Appends the encoding of a non-null value of type `ty`, which must be a type that a variant can
/// hold: not `sql_variant`, not a `(max)` type, not text, ntext, image, rowversion, json or xml.
pub fn encode_variant(ty: &SqlType, value: ValueRef<'_>, out: &mut impl ByteWriter) {
    out.put(&[ty.kind as u8]);
    match ty.kind.repr() {
        Repr::Decimal => out.put(&[ty.precision, ty.scale]),
        Repr::Time | Repr::DateTime2 | Repr::DateTimeOffset => out.put(&[ty.scale]),
        Repr::Chars | Repr::Unicode => {
            out.put(&ty.length.to_le_bytes());
            out.put(&ty.collation.0.to_le_bytes());
        }
        Repr::Bytes => out.put(&ty.length.to_le_bytes()),
        _ => {}
    }
    match value {
        ValueRef::Int(v) | ValueRef::Money(v) => out.put(&v.to_le_bytes()[..int_width(ty.kind)]),
        ValueRef::Decimal(v) => {
            let bytes = v.to_le_bytes();
            out.put(if ty.precision <= 18 { &bytes[..8] } else { &bytes });
        }
        ValueRef::Float(v) => out.put(&v.to_le_bytes()),
        ValueRef::Chars(b) | ValueRef::Unicode(b) | ValueRef::Bytes(b) => out.put(b),
        ValueRef::Date(v) => out.put(&v.to_le_bytes()),
        ValueRef::SmallDateTime(v) => out.put(&(v as u32).to_le_bytes()),
        ValueRef::Time(v) | ValueRef::DateTime2(v) => out.put(&v.to_le_bytes()),
        ValueRef::DateTime(v) => {
            out.put(&v.days.to_le_bytes());
            out.put(&v.ticks.to_le_bytes());
        }
        ValueRef::DateTimeOffset(v) => {
            out.put(&v.utc_ticks.to_le_bytes());
            out.put(&v.offset_minutes.to_le_bytes());
        }
        ValueRef::Guid(v) => out.put(&v),
        ValueRef::Null | ValueRef::Variant(_) => {
            unreachable!("{value:?} cannot be inside a variant")
        }
    }
}

fn int_width(kind: TypeKind) -> usize {
    match kind {
        TypeKind::Bit | TypeKind::TinyInt => 1,
        TypeKind::SmallInt => 2,
        TypeKind::Int | TypeKind::SmallMoney => 4,
        _ => 8,
    }
}

/// The type and value that bytes of [`encode_variant`] hold; `None` if they are not such bytes.
pub fn decode_variant(bytes: &[u8]) -> Option<(SqlType, ValueRef<'_>)> {
    let (&kind, rest) = bytes.split_first()?;
    let kind = *TypeKind::ALL.get(usize::from(kind)).filter(|kind| !kind.is_opaque())?;
    let (ty, rest) = properties(kind, rest)?;
    let value = match kind.repr() {
        Repr::Int => ValueRef::Int(integer(kind, rest)?),
        Repr::Money => ValueRef::Money(integer(kind, rest)?),
        Repr::Decimal if ty.precision <= 18 => {
            ValueRef::Decimal(i128::from(i64::from_le_bytes(array(rest)?)))
        }
        Repr::Decimal => ValueRef::Decimal(i128::from_le_bytes(array(rest)?)),
        Repr::Float => ValueRef::Float(f64::from_le_bytes(array(rest)?)),
        Repr::Chars => ValueRef::Chars(rest),
        Repr::Unicode if rest.len() % 2 == 0 => ValueRef::Unicode(rest),
        Repr::Bytes => ValueRef::Bytes(rest),
        Repr::Date => ValueRef::Date(i32::from_le_bytes(array(rest)?)),
        Repr::Time => ValueRef::Time(i64::from_le_bytes(array(rest)?)),
        Repr::DateTime2 => ValueRef::DateTime2(i64::from_le_bytes(array(rest)?)),
        Repr::SmallDateTime => ValueRef::SmallDateTime(i64::from(u32::from_le_bytes(array(rest)?))),
        Repr::DateTime => ValueRef::DateTime(DateTime {
            days: i32::from_le_bytes(array(rest.get(..4)?)?),
            ticks: u32::from_le_bytes(array(rest.get(4..)?)?),
        }),
        Repr::DateTimeOffset => ValueRef::DateTimeOffset(DateTimeOffset {
            utc_ticks: i64::from_le_bytes(array(rest.get(..8)?)?),
            offset_minutes: i16::from_le_bytes(array(rest.get(8..)?)?),
        }),
        Repr::Guid => ValueRef::Guid(array(rest)?),
        Repr::Unicode | Repr::Variant => return None,
    };
    is_of_type(value, &ty).then_some((ty, value))
}

/// Whether a number is one that values of its type have.
fn is_of_type(value: ValueRef<'_>, ty: &SqlType) -> bool {
    let calendar = 0..(i64::from(DAY_MAX) + 1) * TICKS_PER_DAY;
    match value {
        ValueRef::Int(bit) if ty.kind == TypeKind::Bit => matches!(bit, 0 | 1),
        ValueRef::Decimal(units) => crate::decimal::fits(units, ty.precision),
        ValueRef::Float(number) => number.is_finite(),
        ValueRef::Date(days) => (0..=DAY_MAX).contains(&days),
        ValueRef::Time(ticks) => (0..TICKS_PER_DAY).contains(&ticks),
        ValueRef::DateTime2(ticks) => calendar.contains(&ticks),
        ValueRef::SmallDateTime(minutes) => (0..=SMALLDATETIME_MAX).contains(&minutes),
        ValueRef::DateTime(moment) => {
            (DATETIME_DAY_MIN..=DATETIME_DAY_MAX).contains(&moment.days)
                && moment.ticks < DATETIME_TICKS_PER_DAY
        }
        ValueRef::DateTimeOffset(moment) => {
            calendar.contains(&moment.utc_ticks) && (-840..=840).contains(&moment.offset_minutes)
        }
        _ => true,
    }
}

fn properties(kind: TypeKind, rest: &[u8]) -> Option<(SqlType, &[u8])> {
    let plain = SqlType::of_kind(kind, Collation(0));
    Some(match kind.repr() {
        Repr::Decimal => {
            let (&[precision, scale], rest) = rest.split_first_chunk()?;
            if !(1..=38).contains(&precision) || scale > precision {
                return None;
            }
            (SqlType::exact(kind, precision, scale), rest)
        }
        Repr::Time | Repr::DateTime2 | Repr::DateTimeOffset => {
            let (&scale, rest) = rest.split_first()?;
            let ty = match kind {
                _ if scale > 7 => return None,
                TypeKind::Time => SqlType::time(scale),
                TypeKind::DateTime2 => SqlType::datetime2(scale),
                _ => SqlType::datetimeoffset(scale),
            };
            (ty, rest)
        }
        Repr::Chars | Repr::Unicode => {
            let (&[a, b, c, d], rest) = rest.split_first_chunk()?;
            let collation = Collation(u16::from_le_bytes([c, d]));
            (SqlType { length: u16::from_le_bytes([a, b]), collation, ..plain }, rest)
        }
        Repr::Bytes => {
            let (&length, rest) = rest.split_first_chunk()?;
            (SqlType { length: u16::from_le_bytes(length), ..plain }, rest)
        }
        _ => (plain, rest),
    })
}

fn integer(kind: TypeKind, bytes: &[u8]) -> Option<i64> {
    Some(match int_width(kind) {
        1 => i64::from(array::<1>(bytes)?[0]),
        2 => i64::from(i16::from_le_bytes(array(bytes)?)),
        4 => i64::from(i32::from_le_bytes(array(bytes)?)),
        _ => i64::from_le_bytes(array(bytes)?),
    })
}

fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

/// The type and value inside a `sql_variant` in either of its forms; `None` for NULL and for bytes
/// that encode no value.
pub fn content(value: ValueRef<'_>) -> Option<(SqlType, ValueRef<'_>)> {
    match value {
        ValueRef::Bytes(bytes) => decode_variant(bytes),
        ValueRef::Variant(variant) => Some((variant.ty, variant.value.as_ref())),
        _ => None,
    }
}

/// Families in rising order: values of a higher family are greater than all of a lower one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// uniqueidentifier
    Guid,
    /// binary, varbinary
    Binary,
    /// char, varchar, nchar, nvarchar
    Character,
    /// Integers, decimals, money.
    Exact,
    /// float, real
    Approximate,
    /// Dates and times.
    Temporal,
}

/// The family that decides how variants compare.
pub fn family(kind: TypeKind) -> Family {
    match kind.repr() {
        Repr::Guid => Family::Guid,
        Repr::Bytes | Repr::Variant => Family::Binary,
        Repr::Chars | Repr::Unicode => Family::Character,
        Repr::Int | Repr::Money | Repr::Decimal => Family::Exact,
        Repr::Float => Family::Approximate,
        _ => Family::Temporal,
    }
}

#[cfg(test)]
mod tests;
