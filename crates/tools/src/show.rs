//! Values as text, and how much room they take in a column, as SQL Server's command line tools show
//! them.

use std::fmt::Write as _;

use base::text::number;
use base::types::Repr;
use base::value::DateTime;
use base::{SqlType, TypeKind, ValueRef, variant};
use tds::value::temporal;

/// 100-nanosecond units in a day.
const TICKS_PER_DAY: i64 = 864_000_000_000;
/// Days from 0001-01-01 to 1900-01-01.
const DAYS_TO_1900: i64 = 693_595;

/// How the values of a type stand in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// Characters that the longest value takes; none when the type has no limit worth the name.
    pub width: Option<usize>,
    /// Values stand at the right.
    pub right: bool,
    /// One of the (max) types, text, ntext, image.
    pub is_large: bool,
    /// A character or binary type, or a variant, whose width can be limited.
    pub is_variable: bool,
}

/// The room that values of a type take.
pub fn room(ty: &SqlType) -> Room {
    let (width, right) = match ty.kind {
        TypeKind::Bit => (1, true),
        TypeKind::TinyInt => (4, true),
        TypeKind::SmallInt => (6, true),
        TypeKind::Int => (11, true),
        TypeKind::BigInt => (20, true),
        TypeKind::Real => (14, true),
        TypeKind::Float => (24, true),
        TypeKind::SmallMoney => (12, true),
        TypeKind::Money => (21, true),
        TypeKind::Decimal | TypeKind::Numeric => (usize::from(ty.precision) + 2, true),
        TypeKind::Date => (16, false),
        TypeKind::Time => (22, false),
        TypeKind::SmallDateTime => (19, false),
        TypeKind::DateTime => (23, false),
        TypeKind::DateTime2 => (38, false),
        TypeKind::DateTimeOffset => (45, false),
        TypeKind::UniqueIdentifier => (36, false),
        TypeKind::RowVersion => (18, false),
        TypeKind::SqlVariant => (8000, false),
        TypeKind::Binary | TypeKind::VarBinary | TypeKind::Image => {
            (2 + 2 * usize::from(ty.length), false)
        }
        TypeKind::HierarchyId | TypeKind::Geometry | TypeKind::Geography => {
            (2 + 2 * usize::from(ty.length), false)
        }
        TypeKind::NChar | TypeKind::NVarChar | TypeKind::NText => {
            (usize::from(ty.length) / 2, false)
        }
        TypeKind::Char | TypeKind::VarChar | TypeKind::Text | TypeKind::Json | TypeKind::Xml => {
            (usize::from(ty.length), false)
        }
    };
    let is_large = ty.is_max();
    let is_variable = ty.kind == TypeKind::SqlVariant
        || matches!(ty.kind.repr(), Repr::Chars | Repr::Unicode | Repr::Bytes);
    Room { width: (!is_large).then_some(width), right, is_large, is_variable }
}

/// Appends a value; NULL as `NULL`.
pub fn write_value(value: ValueRef<'_>, ty: &SqlType, out: &mut String) {
    let written = match value {
        ValueRef::Null => {
            out.push_str("NULL");
            Ok(())
        }
        ValueRef::Int(v) => write!(out, "{v}"),
        ValueRef::Money(v) => write!(out, "{}", number::format_money(v, 2).as_str()),
        ValueRef::Decimal(v) => write!(out, "{}", base::decimal::format(v, ty.scale).as_str()),
        ValueRef::Float(v) => {
            write_float(v, ty.kind == TypeKind::Real, out);
            Ok(())
        }
        ValueRef::Chars(v) => {
            out.push_str(&base::collation::codepage::chars_to_string(ty.collation, v));
            Ok(())
        }
        ValueRef::Unicode(v) => {
            out.push_str(&base::collation::codepage::unicode_to_string(v));
            Ok(())
        }
        ValueRef::Bytes(v) if ty.kind == TypeKind::SqlVariant => {
            match variant::decode_variant(v) {
                Some((inner, value)) => write_value(value, &inner, out),
                None => write_hexadecimal(v, out),
            }
            Ok(())
        }
        ValueRef::Bytes(v) => {
            write_hexadecimal(v, out);
            Ok(())
        }
        ValueRef::Date(days) => push(out, temporal::date_text(days)),
        ValueRef::Time(ticks) => push(out, temporal::time_text(ticks, ty.scale)),
        ValueRef::DateTime(v) => push(out, temporal::datetime2_text(datetime_ticks(v), 3)),
        ValueRef::SmallDateTime(minutes) => {
            let ticks = DAYS_TO_1900 * TICKS_PER_DAY + minutes * 600_000_000;
            push(out, temporal::datetime2_text(ticks, 0))
        }
        ValueRef::DateTime2(ticks) => push(out, temporal::datetime2_text(ticks, ty.scale)),
        ValueRef::DateTimeOffset(v) => push(out, temporal::datetimeoffset_text(v, ty.scale)),
        ValueRef::Guid(bytes) => write_guid(bytes, out),
        ValueRef::Variant(v) => {
            write_value(v.value.as_ref(), &v.ty, out);
            Ok(())
        }
    };
    written.expect("strings take everything");
}

fn push(out: &mut String, text: temporal::ShortText) -> std::fmt::Result {
    out.push_str(&String::from_utf8_lossy(text.as_bytes()));
    Ok(())
}

/// A datetime's three hundredths of a second are shown as milliseconds: 0, 3, 7.
fn datetime_ticks(v: DateTime) -> i64 {
    let milliseconds = (i64::from(v.ticks) * 10 + 1) / 3;
    (i64::from(v.days) + DAYS_TO_1900) * TICKS_PER_DAY + milliseconds * 10_000
}

/// As few digits as tell the number from all others, and an exponent where it would be long.
fn write_float(v: f64, is_real: bool, out: &mut String) {
    let magnitude = v.abs();
    let plain = magnitude == 0.0 || (1e-5..1e15).contains(&magnitude);
    let start = out.len();
    match (plain, is_real) {
        (true, false) => write!(out, "{v}"),
        (true, true) => write!(out, "{}", v as f32),
        (false, false) => write!(out, "{v:E}"),
        (false, true) => write!(out, "{:E}", v as f32),
    }
    .expect("strings take everything");
    let exponent_at = out[start..].find('E').map_or(out.len(), |at| start + at);
    if v.is_finite() && !out[start..exponent_at].contains('.') {
        out.insert_str(exponent_at, ".0");
    }
    if let Some(at) = out[start..].find('E').map(|at| start + at + 1) {
        if !out[at..].starts_with('-') {
            out.insert(at, '+');
        }
    }
}

fn write_hexadecimal(bytes: &[u8], out: &mut String) {
    out.push_str("0x");
    for byte in bytes {
        write!(out, "{byte:02X}").expect("strings take everything");
    }
}

fn write_guid(b: [u8; 16], out: &mut String) -> std::fmt::Result {
    write!(
        out,
        "{:08X}-{:04X}-{:04X}-{:02X}{:02X}-",
        u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        u16::from_le_bytes([b[4], b[5]]),
        u16::from_le_bytes([b[6], b[7]]),
        b[8],
        b[9]
    )?;
    b[10..].iter().try_for_each(|byte| write!(out, "{byte:02X}"))
}

#[cfg(test)]
mod tests;
