//! From a value's bytes to a value. All that a client could get wrong is checked here, so that
//! later stages may rely on a value's being one of its type.

use base::value::{DateTime, DateTimeOffset};
use base::{Collation, Value, ValueRef};

use crate::error::ProtocolError;
use crate::reader::ByteReader;
use crate::typeinfo::{Place, TypeInfo, WireType};
use crate::value::Datum;
use crate::value::frame::{Frame, read_frame};
use crate::value::temporal::{
    DATE_MAX, OFFSET_MINUTES_MAX, TICKS_PER_DAY, time_from_wire, time_width,
};
use crate::value::variant::read_variant;

/// Reads one value: its frame and its content.
///
/// # Errors
/// As for [`read_frame`] and [`decode`].
pub fn read_value<'a>(
    r: &mut ByteReader<'a>,
    info: &TypeInfo,
    place: Place,
    unknown: Collation,
) -> Result<Datum<'a>, ProtocolError> {
    match read_frame(r, info.layout(place))? {
        Frame::Null => Ok(Datum::NULL),
        Frame::Bytes(bytes) => decode(info, bytes, unknown),
        Frame::Chunks(chunks) => {
            let joined = chunks.join();
            check_text(info, &joined)?;
            Ok(Datum::Owned(match info.ty {
                WireType::VarChar | WireType::Json => Value::Chars(joined.into()),
                WireType::NVarChar | WireType::Xml => Value::Unicode(joined.into()),
                _ => Value::Bytes(joined.into()),
            }))
        }
    }
}

/// The value of this type in `bytes`. `unknown` takes the place of unknown collations in a variant.
///
/// Values of char, nchar and binary are not padded to their declared length; see [`pad`].
///
/// # Errors
/// [`ProtocolError::TypeLength`] when there are too many or too few bytes for the type, and
/// [`ProtocolError::Value`] when they are no value of it: NaN, a time after the end of the day, a
/// decimal with more digits than declared.
pub fn decode<'a>(
    info: &TypeInfo,
    bytes: &'a [u8],
    unknown: Collation,
) -> Result<Datum<'a>, ProtocolError> {
    if info.ty == WireType::Variant {
        return read_variant(bytes, unknown).map(|v| Datum::Owned(Value::Variant(Box::new(v))));
    }
    decode_plain(info, bytes).map(Datum::Borrowed)
}

/// [`decode`] for everything but variants.
pub(crate) fn decode_plain<'a>(
    info: &TypeInfo,
    bytes: &'a [u8],
) -> Result<ValueRef<'a>, ProtocolError> {
    use WireType::*;
    Ok(match info.ty {
        Null => ValueRef::Null,
        TinyInt | SmallInt | Int | BigInt | IntN => ValueRef::Int(integer(info, bytes)?),
        Bit | BitN => match bytes {
            [byte] => ValueRef::Int((*byte != 0).into()),
            _ => return Err(wrong_length(info)),
        },
        Real | Float | FloatN => ValueRef::Float(float(info, bytes)?),
        SmallMoney | Money | MoneyN => ValueRef::Money(money(info, bytes)?),
        OldDecimal | OldNumeric | DecimalN | NumericN => ValueRef::Decimal(decimal(info, bytes)?),
        Guid => ValueRef::Guid(bytes.try_into().map_err(|_| wrong_length(info))?),
        SmallDateTime | DateTime | DateTimeN => datetime(info, bytes)?,
        Date => ValueRef::Date(date(info, bytes)?),
        Time => ValueRef::Time(time(info, bytes)?),
        DateTime2 => ValueRef::DateTime2(datetime2(info, bytes)?),
        DateTimeOffset => datetimeoffset(info, bytes)?,
        OldVarBinary | OldBinary | VarBinary | Binary | Image | Udt => {
            check_text(info, bytes)?;
            ValueRef::Bytes(bytes)
        }
        OldVarChar | OldChar | VarChar | Char | Text | Json => {
            check_text(info, bytes)?;
            ValueRef::Chars(bytes)
        }
        NVarChar | NChar | NText | Xml => {
            check_text(info, bytes)?;
            ValueRef::Unicode(bytes)
        }
        Variant => return Err(ProtocolError::Value("sql_variant")),
    })
}

/// Pads a value of char, nchar or binary to the declared length; others stay as they are.
pub fn pad<'a>(info: &TypeInfo, datum: Datum<'a>) -> Datum<'a> {
    let wanted = info.length as usize;
    let padded = |bytes: &[u8], fill: &[u8]| -> Box<[u8]> {
        let missing = wanted - bytes.len();
        let fill = fill.iter().copied().cycle().take(missing);
        bytes.iter().copied().chain(fill).collect()
    };
    match (info.ty, datum.as_ref()) {
        (WireType::Char | WireType::OldChar, ValueRef::Chars(b)) if b.len() < wanted => {
            Datum::Owned(Value::Chars(padded(b, b" ")))
        }
        (WireType::NChar, ValueRef::Unicode(b)) if b.len() < wanted => {
            Datum::Owned(Value::Unicode(padded(b, b" \0")))
        }
        (WireType::Binary | WireType::OldBinary, ValueRef::Bytes(b)) if b.len() < wanted => {
            Datum::Owned(Value::Bytes(padded(b, b"\0")))
        }
        _ => datum,
    }
}

fn wrong_length(info: &TypeInfo) -> ProtocolError {
    ProtocolError::TypeLength(info.ty as u8)
}

/// Checks that a string or binary fits its declaration, and that Unicode has whole units.
fn check_text(info: &TypeInfo, bytes: &[u8]) -> Result<(), ProtocolError> {
    let unicode =
        matches!(info.ty, WireType::NVarChar | WireType::NChar | WireType::NText | WireType::Xml);
    let limited = info.length != TypeInfo::MAX && !info.ty.is_old_lob();
    if (unicode && bytes.len() % 2 != 0) || (limited && bytes.len() > info.length as usize) {
        return Err(wrong_length(info));
    }
    Ok(())
}

fn integer(info: &TypeInfo, bytes: &[u8]) -> Result<i64, ProtocolError> {
    if bytes.len() > info.length as usize {
        return Err(wrong_length(info));
    }
    match *bytes {
        [a] => Ok(a.into()),
        [a, b] => Ok(i16::from_le_bytes([a, b]).into()),
        [a, b, c, d] => Ok(i32::from_le_bytes([a, b, c, d]).into()),
        _ => bytes.try_into().map(i64::from_le_bytes).map_err(|_| wrong_length(info)),
    }
}

fn float(info: &TypeInfo, bytes: &[u8]) -> Result<f64, ProtocolError> {
    let value = match *bytes {
        [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
        _ => f64::from_le_bytes(bytes.try_into().map_err(|_| wrong_length(info))?),
    };
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ProtocolError::Value(if bytes.len() == 4 { "real" } else { "float" }))
    }
}

fn money(info: &TypeInfo, bytes: &[u8]) -> Result<i64, ProtocolError> {
    match *bytes {
        [a, b, c, d] => Ok(i32::from_le_bytes([a, b, c, d]).into()),
        // The upper half comes first, each half little-endian.
        [e, f, g, h, a, b, c, d] => Ok(i64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => Err(wrong_length(info)),
    }
}

pub(crate) fn decimal(info: &TypeInfo, bytes: &[u8]) -> Result<i128, ProtocolError> {
    let Some((sign, magnitude)) = bytes.split_first() else { return Err(wrong_length(info)) };
    if magnitude.is_empty() || magnitude.len() > 16 {
        return Err(wrong_length(info));
    }
    let mut le = [0; 16];
    le[..magnitude.len()].copy_from_slice(magnitude);
    let value = u128::from_le_bytes(le);
    // A precision is at most 38, so neither the power nor the value overflows.
    if value >= 10u128.pow(info.precision.into()) {
        return Err(ProtocolError::Value(match info.ty {
            WireType::OldNumeric | WireType::NumericN => "numeric",
            _ => "decimal",
        }));
    }
    let value = value as i128;
    Ok(if *sign == 0 { -value } else { value })
}

fn datetime(info: &TypeInfo, bytes: &[u8]) -> Result<ValueRef<'static>, ProtocolError> {
    match *bytes {
        [a, b, c, d] => {
            let days = i64::from(u16::from_le_bytes([a, b]));
            let minutes = i64::from(u16::from_le_bytes([c, d]));
            if minutes >= 24 * 60 {
                return Err(ProtocolError::Value("smalldatetime"));
            }
            Ok(ValueRef::SmallDateTime(days * 24 * 60 + minutes))
        }
        [a, b, c, d, e, f, g, h] => {
            let days = i32::from_le_bytes([a, b, c, d]);
            let ticks = u32::from_le_bytes([e, f, g, h]);
            // 1753-01-01 to 9999-12-31, in units of 1/300 s.
            if !(-53_690..=2_958_463).contains(&days) || ticks >= 24 * 3600 * 300 {
                return Err(ProtocolError::Value("datetime"));
            }
            Ok(ValueRef::DateTime(DateTime { days, ticks }))
        }
        _ => Err(wrong_length(info)),
    }
}

fn date(info: &TypeInfo, bytes: &[u8]) -> Result<i32, ProtocolError> {
    let [a, b, c] = *bytes else { return Err(wrong_length(info)) };
    let days = i32::from_le_bytes([a, b, c, 0]);
    if days <= DATE_MAX { Ok(days) } else { Err(ProtocolError::Value("date")) }
}

fn time(info: &TypeInfo, bytes: &[u8]) -> Result<i64, ProtocolError> {
    if bytes.len() != time_width(info.scale) {
        return Err(wrong_length(info));
    }
    let mut le = [0; 8];
    le[..bytes.len()].copy_from_slice(bytes);
    time_from_wire(u64::from_le_bytes(le), info.scale).ok_or(ProtocolError::Value("time"))
}

fn datetime2(info: &TypeInfo, bytes: &[u8]) -> Result<i64, ProtocolError> {
    let Some((time_bytes, date_bytes)) = bytes.split_at_checked(time_width(info.scale)) else {
        return Err(wrong_length(info));
    };
    let ticks = time(info, time_bytes)?;
    Ok(i64::from(date(info, date_bytes)?) * TICKS_PER_DAY + ticks)
}

fn datetimeoffset(info: &TypeInfo, bytes: &[u8]) -> Result<ValueRef<'static>, ProtocolError> {
    let Some((utc, offset)) = bytes.split_last_chunk::<2>() else {
        return Err(wrong_length(info));
    };
    let utc_ticks = datetime2(info, utc)?;
    let offset_minutes = i16::from_le_bytes(*offset);
    let local = utc_ticks + i64::from(offset_minutes) * 600_000_000;
    let local_in_range = (0..(i64::from(DATE_MAX) + 1) * TICKS_PER_DAY).contains(&local);
    // Not `abs`, which overflows for the smallest number.
    if !(-OFFSET_MINUTES_MAX..=OFFSET_MINUTES_MAX).contains(&offset_minutes) || !local_in_range {
        return Err(ProtocolError::Value("datetimeoffset"));
    }
    Ok(ValueRef::DateTimeOffset(DateTimeOffset { utc_ticks, offset_minutes }))
}
