//! To binary, varbinary, rowversion and uniqueidentifier.

use super::strings::{Ascii, truncation};
use super::{ConvertOptions, Overlong, cannot_convert, not_allowed, style_not_supported};
use crate::arena::Arena;
use crate::datetime::civil::TICKS_PER_DAY;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::Stride;
use crate::text::StackText;
use crate::types::conversion::{Convertibility, convertibility};
use crate::types::{SqlType, TypeKind};
use crate::value::ValueRef;

pub(super) fn to_binary<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let mut image = Image { bytes: [0; 24], len: 0 };
    // Numbers keep their last bytes, everything else its first ones.
    let numeric = match value {
        ValueRef::Bytes(bytes)
            if from.kind == TypeKind::RowVersion && to.kind == TypeKind::Image =>
        {
            return Ok(ValueRef::Bytes(bytes));
        }
        ValueRef::Bytes(bytes) => return finish(bytes, to, options, arena),
        ValueRef::Chars(_) | ValueRef::Unicode(_) => {
            return from_string(value, from, to, options, arena);
        }
        _ if to.kind == TypeKind::Image => return Err(not_allowed(from, to)),
        _ if to.kind == TypeKind::RowVersion
            && convertibility(from.kind, to.kind) == Convertibility::Never =>
        {
            return Err(not_allowed(from, to));
        }
        _ => write_image(value, from, &mut image),
    };
    let bytes = &image.bytes[..image.len];
    if numeric {
        return Ok(ValueRef::Bytes(right_aligned(bytes, to, arena)));
    }
    finish(arena.alloc_bytes(bytes), to, &ConvertOptions::default(), arena)
}

/// Bytes of a value of fixed size.
struct Image {
    bytes: [u8; 24],
    len: usize,
}

impl Image {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Time of day in units of its scale, little-endian.
    fn put_time(&mut self, ticks: i64, scale: u8) {
        let units = ticks / 10i64.pow(7 - u32::from(scale));
        let width = match scale {
            0..=2 => 3,
            3..=4 => 4,
            _ => 5,
        };
        self.put(&units.to_le_bytes()[..width]);
    }
}

/// Writes the bytes that `CAST(… AS binary)` shows; returns whether it is a number's image.
fn write_image(value: ValueRef<'_>, from: &SqlType, image: &mut Image) -> bool {
    match value {
        ValueRef::Int(v) => {
            let width = match from.kind {
                TypeKind::Bit | TypeKind::TinyInt => 1,
                TypeKind::SmallInt => 2,
                TypeKind::Int => 4,
                _ => 8,
            };
            image.put(&v.to_be_bytes()[8 - width..]);
        }
        ValueRef::Money(v) if from.kind == TypeKind::SmallMoney => {
            image.put(&v.to_be_bytes()[4..]);
        }
        ValueRef::Money(v) => image.put(&v.to_be_bytes()),
        ValueRef::Float(v) if from.kind == TypeKind::Real => {
            image.put(&(v as f32).to_be_bytes());
        }
        ValueRef::Float(v) => image.put(&v.to_be_bytes()),
        ValueRef::DateTime(v) => {
            image.put(&v.days.to_be_bytes());
            image.put(&v.ticks.to_be_bytes());
        }
        ValueRef::SmallDateTime(v) => {
            image.put(&((v / 1440) as u16).to_be_bytes());
            image.put(&((v % 1440) as u16).to_be_bytes());
        }
        ValueRef::Decimal(v) => {
            image.put(&[from.precision, from.scale, 0, u8::from(v >= 0)]);
            let magnitude = v.unsigned_abs();
            let words = (128 - magnitude.leading_zeros()).div_ceil(32).max(1) as usize;
            image.put(&magnitude.to_le_bytes()[..4 * words]);
            return false;
        }
        ValueRef::Date(v) => {
            image.put(&v.to_le_bytes()[..3]);
            return false;
        }
        ValueRef::Time(v) => {
            image.put(&[from.scale]);
            image.put_time(v, from.scale);
            return false;
        }
        ValueRef::DateTime2(v) => {
            image.put(&[from.scale]);
            image.put_time(v.rem_euclid(TICKS_PER_DAY), from.scale);
            image.put(&v.div_euclid(TICKS_PER_DAY).to_le_bytes()[..3]);
            return false;
        }
        ValueRef::DateTimeOffset(v) => {
            image.put(&[from.scale]);
            image.put_time(v.utc_ticks.rem_euclid(TICKS_PER_DAY), from.scale);
            image.put(&v.utc_ticks.div_euclid(TICKS_PER_DAY).to_le_bytes()[..3]);
            image.put(&v.offset_minutes.to_le_bytes());
            return false;
        }
        ValueRef::Guid(v) => {
            image.put(&v);
            return false;
        }
        other => unreachable!("{other:?} has no image"),
    }
    true
}

/// Value and scale from the bytes that a decimal is cast to.
pub(super) fn decimal_from_bytes(bytes: &[u8]) -> Option<(i128, u8)> {
    let (&[precision, scale, _, sign], words) = bytes.split_first_chunk()?;
    if !(1..=38).contains(&precision) || scale > precision || words.is_empty() {
        return None;
    }
    if words.len() > 16 || words.len() % 4 != 0 {
        return None;
    }
    let mut magnitude = [0; 16];
    magnitude[..words.len()].copy_from_slice(words);
    let value = i128::try_from(u128::from_le_bytes(magnitude)).ok()?;
    let value = if sign == 0 { -value } else { value };
    crate::decimal::fits(value, precision).then_some((value, scale))
}

fn is_padded(to: &SqlType) -> bool {
    matches!(to.kind, TypeKind::Binary | TypeKind::RowVersion)
}

fn right_aligned<'a>(bytes: &[u8], to: &SqlType, arena: &'a Arena) -> &'a [u8] {
    let limit = to.byte_limit();
    if bytes.len() >= limit {
        return arena.alloc_bytes(&bytes[bytes.len() - limit..]);
    }
    if !is_padded(to) {
        return arena.alloc_bytes(bytes);
    }
    let padded = arena.alloc_zeroed(limit);
    padded[limit - bytes.len()..].copy_from_slice(bytes);
    padded
}

fn finish<'a>(
    bytes: &'a [u8],
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let limit = to.byte_limit();
    if bytes.len() > limit {
        if options.overlong != Overlong::Cut {
            let mut kept = String::from("0x");
            for byte in &bytes[..limit.min(bytes.len())] {
                kept.push_str(&format!("{byte:02X}"));
            }
            return Err(truncation(&kept, options));
        }
        return Ok(ValueRef::Bytes(&bytes[..limit]));
    }
    if is_padded(to) && bytes.len() < limit {
        let padded = arena.alloc_zeroed(limit);
        padded[..bytes.len()].copy_from_slice(bytes);
        return Ok(ValueRef::Bytes(padded));
    }
    Ok(ValueRef::Bytes(bytes))
}

fn from_string<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let refused =
        from.kind.is_legacy_lob() || (to.kind == TypeKind::Image && from.kind.is_unicode());
    if refused {
        return Err(not_allowed(from, to));
    }
    match options.style {
        Some(style @ (1 | 2)) => {
            let failed = || cannot_convert(from.kind, to.kind);
            let bytes = from_hexadecimal(value, style == 1, options, arena)?.ok_or_else(failed)?;
            finish(bytes, to, options, arena)
        }
        Some(style) if style != 0 => Err(style_not_supported(style, from.kind, to.kind)),
        _ => match value {
            ValueRef::Chars(bytes) | ValueRef::Unicode(bytes) => finish(bytes, to, options, arena),
            other => unreachable!("{other:?} is not a string"),
        },
    }
}

/// The bytes that digits stand for, with or without `0x` before them; `None` if it is something
/// else. White space at the end does not count.
fn from_hexadecimal<'a>(
    text: ValueRef<'_>,
    with_prefix: bool,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<Option<&'a [u8]>> {
    let (bytes, width) = match text {
        ValueRef::Chars(bytes) => (bytes, 1),
        ValueRef::Unicode(bytes) => (bytes, 2),
        other => unreachable!("{other:?} is not a string"),
    };
    let at = |index: usize| match bytes[width * index..width * (index + 1)] {
        [byte] | [byte, 0] => char::from(byte),
        _ => char::REPLACEMENT_CHARACTER,
    };
    let mut stride = Stride::new(options.pace);
    let mut end = bytes.len() / width;
    while end > 0 && at(end - 1).is_ascii_whitespace() {
        stride.step(1)?;
        end -= 1;
    }
    let start = if with_prefix { 2 } else { 0 };
    let is_prefixed = end >= 2 && at(0) == '0' && matches!(at(1), 'x' | 'X');
    if with_prefix && !is_prefixed || (end - start) % 2 != 0 {
        return Ok(None);
    }
    arena.admit((end - start) / 2)?;
    let mut out = arena.buffer_of((end - start) / 2);
    for pair in (start..end).step_by(2) {
        stride.step(2)?;
        let (Some(high), Some(low)) = (at(pair).to_digit(16), at(pair + 1).to_digit(16)) else {
            return Ok(None);
        };
        out.push((high << 4 | low) as u8);
    }
    Ok(Some(out.finish()))
}

pub(super) fn to_guid(
    value: ValueRef<'_>,
    from: &SqlType,
    to: &SqlType,
) -> SqlResult<ValueRef<'static>> {
    match value {
        ValueRef::Guid(v) => Ok(ValueRef::Guid(v)),
        ValueRef::Bytes(bytes) if !matches!(from.kind, TypeKind::Image | TypeKind::RowVersion) => {
            let mut guid = [0; 16];
            let n = bytes.len().min(16);
            guid[..n].copy_from_slice(&bytes[..n]);
            Ok(ValueRef::Guid(guid))
        }
        ValueRef::Chars(_) | ValueRef::Unicode(_) if !from.kind.is_legacy_lob() => {
            let text = Ascii::of(value);
            text.as_deref()
                .and_then(parse_guid)
                .map(ValueRef::Guid)
                .ok_or_else(|| SqlError::new(&message::TEXT_TO_GUID, &[]))
        }
        _ => Err(not_allowed(from, to)),
    }
}

/// Where each byte in wire order stands in the text: the first three groups are little-endian.
const GUID_ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

/// `6F9619FF-8B86-D011-B42D-00C04FC964FF`, also in braces; what follows 36 characters is ignored.
fn parse_guid(text: &[u8]) -> Option<[u8; 16]> {
    let text = match text.trim_ascii_start() {
        [b'{', rest @ ..] if rest.get(36) == Some(&b'}') => rest,
        other => other,
    };
    let text = text.get(..36)?;
    let mut written = [0u8; 16];
    let mut digits = 0;
    for (i, &byte) in text.iter().enumerate() {
        if matches!(i, 8 | 13 | 18 | 23) {
            if byte != b'-' {
                return None;
            }
            continue;
        }
        let digit = char::from(byte).to_digit(16)? as u8;
        written[digits / 2] = written[digits / 2] << 4 | digit;
        digits += 1;
    }
    Some(GUID_ORDER.map(|at| written[at]))
}

/// A uniqueidentifier as text, in upper case.
pub fn format_guid(guid: &[u8; 16]) -> StackText<40> {
    let mut out = StackText::new();
    for (i, at) in GUID_ORDER.into_iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        out.push(DIGITS[usize::from(guid[at] >> 4)]);
        out.push(DIGITS[usize::from(guid[at] & 15)]);
    }
    out
}
