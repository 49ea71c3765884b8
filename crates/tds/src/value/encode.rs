//! From values to bytes: a [`ValueWriter`] is prepared once for a column or parameter, and then
//! writes any number of values without allocating.

use base::collation::codepage;
use base::types::Repr;
use base::{SqlType, TypeKind, ValueRef};

use crate::collation::WireCollation;
use crate::error::EncodeError;
use crate::typeinfo::{Layout, Place, TypeInfo, WireType};
use crate::value::frame::{CHUNKED_NULL, CHUNKED_UNKNOWN, LONG_NULL, SHORT_NULL};
use crate::value::temporal::{
    DATE_MAX, ShortText, TICKS_PER_DAY, date_text, datetime2_text, datetimeoffset_text, time_text,
    time_to_wire, time_width,
};
use crate::value::variant::write_variant;
use crate::version::TdsVersion;
use crate::writer::{MessageWriter, PutBytes};

/// Writes the values of one column or parameter.
#[derive(Clone, Copy, Debug)]
pub struct ValueWriter {
    info: TypeInfo,
    layout: Layout,
    content: Content,
}

/// What the bytes of a value are.
#[derive(Clone, Copy, Debug)]
enum Content {
    /// A scalar of at most 17 bytes.
    Scalar(Scalar),
    /// A string of bytes in the representation given.
    String(Repr),
    /// A document, which goes as UTF-16.
    Xml,
    /// A date or time as nvarchar.
    DateText(TypeKind, u8),
    /// A variant, for a client of this version.
    Variant(TdsVersion),
}

/// Values of a fixed size, and decimals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    Int {
        width: u8,
    },
    Real,
    Float,
    SmallMoney,
    Money,
    /// Width of the magnitude.
    Decimal {
        width: u8,
    },
    Guid,
    SmallDateTime,
    DateTime,
    Date,
    Time {
        scale: u8,
    },
    DateTime2 {
        scale: u8,
    },
    DateTimeOffset {
        scale: u8,
    },
}

/// A scalar's bytes after one byte for its length.
pub(crate) struct ScalarBytes {
    bytes: [u8; 18],
    length: usize,
}

impl ScalarBytes {
    fn new(content: &[u8]) -> ScalarBytes {
        let mut bytes = [0; 18];
        bytes[0] = content.len() as u8;
        bytes[1..=content.len()].copy_from_slice(content);
        ScalarBytes { bytes, length: content.len() }
    }

    fn with_length(&self) -> &[u8] {
        &self.bytes[..=self.length]
    }

    pub(crate) fn content(&self) -> &[u8] {
        &self.bytes[1..=self.length]
    }
}

impl ValueWriter {
    /// A writer for values of `ty` as they are announced to a client of this version.
    pub fn new(ty: &SqlType, nullable: bool, version: TdsVersion, place: Place) -> ValueWriter {
        let info = TypeInfo::for_sql(ty, nullable, version);
        let content = match Scalar::of(ty) {
            Some(_) if info.ty == WireType::NVarChar => Content::DateText(ty.kind, ty.scale),
            Some(scalar) => Content::Scalar(scalar),
            None if ty.kind == TypeKind::Xml => Content::Xml,
            None if ty.kind == TypeKind::SqlVariant => Content::Variant(version),
            None => Content::String(ty.kind.repr()),
        };
        ValueWriter { info, layout: info.layout(place), content }
    }

    /// How the type is announced.
    pub const fn type_info(&self) -> &TypeInfo {
        &self.info
    }

    /// How many bytes a NULL takes; `None` when there is no NULL.
    pub const fn null_bytes(&self) -> Option<u8> {
        match self.layout {
            Layout::Nothing | Layout::Fixed(_) => None,
            Layout::Byte | Layout::TextPointer => Some(1),
            Layout::Short => Some(2),
            Layout::Long | Layout::Variant => Some(4),
            Layout::Chunked => Some(8),
        }
    }

    /// Writes one value.
    ///
    /// # Errors
    /// When the value is not one of the type; the message cannot be used any further then.
    #[inline]
    pub fn write(&self, out: &mut MessageWriter, value: ValueRef<'_>) -> Result<(), EncodeError> {
        match (self.content, value) {
            (Content::Scalar(Scalar::Int { width: 4 }), ValueRef::Int(v)) => {
                let [a, b, c, d] = i32::try_from(v).map_err(|_| EncodeError::Range)?.to_le_bytes();
                match self.layout {
                    Layout::Fixed(_) => out.put(&[a, b, c, d]),
                    _ => out.put(&[4, a, b, c, d]),
                }
                Ok(())
            }
            (_, ValueRef::Null) => self.write_null(out),
            (Content::Scalar(scalar), value) => {
                let scalar = scalar.bytes(value)?;
                match self.layout {
                    Layout::Fixed(_) => out.put(scalar.content()),
                    _ => out.put(scalar.with_length()),
                }
                Ok(())
            }
            (Content::String(repr), value) => self.write_string(out, string_bytes(repr, value)?),
            (Content::Xml, ValueRef::Chars(_)) if self.layout == Layout::Chunked => {
                out.put_u64(CHUNKED_UNKNOWN);
                for piece in codepage::pieces(SqlType::xml().collation, value) {
                    let mut wide = Vec::with_capacity(2 * piece.len());
                    codepage::to_unicode(SqlType::xml().collation, piece, &mut wide);
                    out.put_u32(wide.len() as u32);
                    out.put(&wide);
                }
                out.put_u32(0);
                Ok(())
            }
            (Content::Xml, ValueRef::Chars(text)) => {
                let mut wide = Vec::with_capacity(2 * text.len());
                codepage::to_unicode(SqlType::xml().collation, text, &mut wide);
                self.write_string(out, &wide)
            }
            (Content::Xml, _) => Err(EncodeError::Representation),
            (Content::DateText(kind, scale), value) => {
                let text = date_or_time_text(kind, scale, value)?;
                out.put_u16(2 * text.as_bytes().len() as u16);
                text.as_bytes().iter().for_each(|c| out.put(&[*c, 0]));
                Ok(())
            }
            (Content::Variant(version), ValueRef::Variant(v)) => write_variant(out, v, version),
            (Content::Variant(_), _) => Err(EncodeError::Representation),
        }
    }

    fn write_null(&self, out: &mut MessageWriter) -> Result<(), EncodeError> {
        match self.layout {
            Layout::Nothing => {}
            Layout::Fixed(_) => return Err(EncodeError::Null),
            Layout::Byte | Layout::TextPointer => out.put_u8(0),
            Layout::Short => out.put_u16(SHORT_NULL),
            Layout::Long => out.put_u32(LONG_NULL),
            Layout::Variant => out.put_u32(0),
            Layout::Chunked => out.put_u64(CHUNKED_NULL),
        }
        Ok(())
    }

    fn write_string(&self, out: &mut MessageWriter, bytes: &[u8]) -> Result<(), EncodeError> {
        let length = bytes.len();
        let limit = match self.layout {
            Layout::Short => self.info.length as usize,
            _ => i32::MAX as usize,
        };
        if length > limit {
            return Err(EncodeError::Length { length, limit });
        }
        match self.layout {
            Layout::Short => {
                out.put_u16(length as u16);
                out.put(bytes);
            }
            Layout::Chunked => {
                out.put_u64(length as u64);
                if length > 0 {
                    out.put_u32(length as u32);
                    out.put_long(bytes);
                }
                out.put_u32(0);
            }
            _ => {
                if self.layout == Layout::TextPointer {
                    out.put(TEXT_POINTER);
                }
                out.put_u32(length as u32);
                out.put_long(bytes);
            }
        }
        Ok(())
    }
}

/// What SQL Server sends where a text pointer and its timestamp belong when there is none that a
/// client could use.
const TEXT_POINTER: &[u8; 25] = b"\x10dummy textptr\0\0\0dummyTS\0";

fn string_bytes(repr: Repr, value: ValueRef<'_>) -> Result<&[u8], EncodeError> {
    match (repr, value) {
        (Repr::Chars, ValueRef::Chars(bytes))
        | (Repr::Unicode, ValueRef::Unicode(bytes))
        | (Repr::Bytes, ValueRef::Bytes(bytes)) => Ok(bytes),
        _ => Err(EncodeError::Representation),
    }
}

/// A value of one of the types that old clients get as nvarchar.
pub(crate) fn date_or_time_text(
    kind: TypeKind,
    scale: u8,
    value: ValueRef<'_>,
) -> Result<ShortText, EncodeError> {
    check_range(value)?;
    match (kind, value) {
        (TypeKind::Date, ValueRef::Date(days)) => Ok(date_text(days)),
        (TypeKind::Time, ValueRef::Time(ticks)) => Ok(time_text(ticks, scale)),
        (TypeKind::DateTime2, ValueRef::DateTime2(ticks)) => Ok(datetime2_text(ticks, scale)),
        (TypeKind::DateTimeOffset, ValueRef::DateTimeOffset(v)) => {
            Ok(datetimeoffset_text(v, scale))
        }
        _ => Err(EncodeError::Representation),
    }
}

/// Dates and times of day within the calendar, so that arithmetic on them cannot go wrong.
fn check_range(value: ValueRef<'_>) -> Result<(), EncodeError> {
    let days = 0..=DATE_MAX;
    let ticks = 0..(i64::from(DATE_MAX) + 1) * TICKS_PER_DAY;
    let good = match value {
        ValueRef::Date(d) => days.contains(&d),
        ValueRef::Time(t) => (0..TICKS_PER_DAY).contains(&t),
        ValueRef::DateTime2(t) => ticks.contains(&t),
        ValueRef::DateTimeOffset(v) => ticks.contains(&v.utc_ticks),
        _ => true,
    };
    if good { Ok(()) } else { Err(EncodeError::Range) }
}

impl Scalar {
    pub(crate) fn of(ty: &SqlType) -> Option<Scalar> {
        use TypeKind::*;
        let scale = ty.scale;
        Some(match ty.kind {
            Bit | TinyInt => Scalar::Int { width: 1 },
            SmallInt => Scalar::Int { width: 2 },
            Int => Scalar::Int { width: 4 },
            BigInt => Scalar::Int { width: 8 },
            Real => Scalar::Real,
            Float => Scalar::Float,
            SmallMoney => Scalar::SmallMoney,
            Money => Scalar::Money,
            Decimal | Numeric => {
                Scalar::Decimal { width: SqlType::decimal(ty.precision, scale).length as u8 - 1 }
            }
            UniqueIdentifier => Scalar::Guid,
            SmallDateTime => Scalar::SmallDateTime,
            DateTime => Scalar::DateTime,
            Date => Scalar::Date,
            Time => Scalar::Time { scale },
            DateTime2 => Scalar::DateTime2 { scale },
            DateTimeOffset => Scalar::DateTimeOffset { scale },
            Binary | VarBinary | Image | Char | VarChar | Text | NChar | NVarChar | NText
            | RowVersion | SqlVariant | Json | Xml | HierarchyId | Geometry | Geography => {
                return None;
            }
        })
    }

    pub(crate) fn bytes(self, value: ValueRef<'_>) -> Result<ScalarBytes, EncodeError> {
        check_range(value)?;
        Ok(match (self, value) {
            (Scalar::Int { width }, ValueRef::Int(v)) => int_bytes(width, v)?,
            (Scalar::Real, ValueRef::Float(v)) => ScalarBytes::new(&(v as f32).to_le_bytes()),
            (Scalar::Float, ValueRef::Float(v)) => ScalarBytes::new(&v.to_le_bytes()),
            (Scalar::SmallMoney, ValueRef::Money(v)) => {
                ScalarBytes::new(&i32::try_from(v).map_err(|_| EncodeError::Range)?.to_le_bytes())
            }
            (Scalar::Money, ValueRef::Money(v)) => {
                // The upper half comes first, each half little-endian.
                ScalarBytes::new(&(v as u64).rotate_left(32).to_le_bytes())
            }
            (Scalar::Decimal { width }, ValueRef::Decimal(v)) => decimal_bytes(width, v)?,
            (Scalar::Guid, ValueRef::Guid(v)) => ScalarBytes::new(&v),
            (Scalar::SmallDateTime, ValueRef::SmallDateTime(v)) => {
                let days = u16::try_from(v.div_euclid(1440)).map_err(|_| EncodeError::Range)?;
                let minutes = v.rem_euclid(1440) as u16;
                ScalarBytes::new(&(u32::from(minutes) << 16 | u32::from(days)).to_le_bytes())
            }
            (Scalar::DateTime, ValueRef::DateTime(v)) => {
                let days = u64::from(v.days as u32);
                ScalarBytes::new(&(u64::from(v.ticks) << 32 | days).to_le_bytes())
            }
            (Scalar::Date, ValueRef::Date(days)) => ScalarBytes::new(&days.to_le_bytes()[..3]),
            (Scalar::Time { scale }, ValueRef::Time(t)) => datetime_bytes(scale, t, None, None),
            (Scalar::DateTime2 { scale }, ValueRef::DateTime2(t)) => {
                datetime_bytes(scale, t % TICKS_PER_DAY, Some(t / TICKS_PER_DAY), None)
            }
            (Scalar::DateTimeOffset { scale }, ValueRef::DateTimeOffset(v)) => {
                let (days, ticks) = (v.utc_ticks / TICKS_PER_DAY, v.utc_ticks % TICKS_PER_DAY);
                datetime_bytes(scale, ticks, Some(days), Some(v.offset_minutes))
            }
            _ => return Err(EncodeError::Representation),
        })
    }
}

fn int_bytes(width: u8, value: i64) -> Result<ScalarBytes, EncodeError> {
    let fits = match width {
        1 => u8::try_from(value).is_ok(),
        2 => i16::try_from(value).is_ok(),
        4 => i32::try_from(value).is_ok(),
        _ => true,
    };
    if !fits {
        return Err(EncodeError::Range);
    }
    Ok(ScalarBytes::new(&value.to_le_bytes()[..width.into()]))
}

fn decimal_bytes(width: u8, value: i128) -> Result<ScalarBytes, EncodeError> {
    let magnitude = value.unsigned_abs();
    if width < 16 && magnitude >> (8 * u32::from(width)) != 0 {
        return Err(EncodeError::Range);
    }
    let mut content = [0; 17];
    content[0] = (value >= 0).into();
    content[1..].copy_from_slice(&magnitude.to_le_bytes());
    Ok(ScalarBytes::new(&content[..=usize::from(width)]))
}

/// A time of day, then a day and an offset if the type has them.
fn datetime_bytes(scale: u8, ticks: i64, days: Option<i64>, offset: Option<i16>) -> ScalarBytes {
    let mut content = [0; 10];
    let mut length = time_width(scale);
    content[..8].copy_from_slice(&time_to_wire(ticks, scale).to_le_bytes());
    if let Some(days) = days {
        content[length..length + 3].copy_from_slice(&(days as u32).to_le_bytes()[..3]);
        length += 3;
    }
    if let Some(offset) = offset {
        content[length..length + 2].copy_from_slice(&offset.to_le_bytes());
        length += 2;
    }
    ScalarBytes::new(&content[..length])
}

/// The seven bytes that describe a string within a variant: collation and declared length.
pub(crate) fn string_properties(ty: &SqlType) -> [u8; 7] {
    let [a, b, c, d, e] = WireCollation::of(ty.collation).0;
    let [low, high] = ty.length.to_le_bytes();
    [a, b, c, d, e, low, high]
}
