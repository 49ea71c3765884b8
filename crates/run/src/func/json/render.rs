//! One value as JSON text, in UTF-16LE.

use base::arena::ArenaBuffer;
use base::collation::codepage::{ByteWriter, pieces, to_unicode};
use base::convert::{ConvertOptions, convert};
use base::decimal::{Digits, format};
use base::json::Text;
use base::json::escape::{ESCAPE_MAX, is_special, write_escape, write_escaped};
use base::pace::Stride;
use base::types::Repr;
use base::{Collation, Pace, SqlResult, SqlType, TypeKind, ValueRef, variant};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ir::function::facts::FnContext;

/// CONVERT's styles that JSON follows: all digits of a float or real, four of money, and ISO 8601.
const FLOAT: i32 = 2;
const REAL: i32 = 1;
const MONEY: i32 = 2;
const ISO: i32 = 126;

/// Appends a value; NULL as `null`, a string that is JSON text as it is.
pub(in crate::func) fn value<'a>(
    ctx: &FnContext<'a>,
    out: &mut ArenaBuffer<'a>,
    ty: &SqlType,
    value: ValueRef<'_>,
    is_json: bool,
) -> SqlResult<()> {
    match value {
        ValueRef::Null => ascii(out, "null"),
        ValueRef::Unicode(text) if is_json => ctx.append(out, text),
        ValueRef::Chars(text) if ty.kind == TypeKind::Json => {
            out.admit(2 * text.len())?;
            Text::of_utf8(text).write_part(&(0..text.len()), ctx, out)
        }
        ValueRef::Chars(_) | ValueRef::Unicode(_) => string(ctx, out, ty.collation, value),
        _ if ty.kind == TypeKind::SqlVariant => match variant::content(value) {
            Some((ty, held)) => self::value(ctx, out, &ty, held, false),
            None => ascii(out, "null"),
        },
        ValueRef::Bytes(bytes) => {
            ascii(out, "\"")?;
            base64(ctx, out, bytes)?;
            ascii(out, "\"")
        }
        ValueRef::Int(bit) if ty.kind == TypeKind::Bit => {
            ascii(out, if bit == 0 { "false" } else { "true" })
        }
        ValueRef::Int(whole) => digits(out, &format(i128::from(whole), 0)),
        ValueRef::Decimal(units) => digits(out, &format(units, ty.scale)),
        _ => {
            let quote = if is_quoted(ty.kind) { "\"" } else { "" };
            ascii(out, quote)?;
            number_or_moment(ctx, out, ty, value)?;
            ascii(out, quote)
        }
    }
}

/// Appends the name of a property and its colon. A name is written as the value is, as a string in
/// any case.
pub(in crate::func) fn key<'a>(
    ctx: &FnContext<'a>,
    out: &mut ArenaBuffer<'a>,
    ty: &SqlType,
    name: ValueRef<'_>,
) -> SqlResult<()> {
    let held = variant_type(ty, name);
    let quote = if is_quoted(held.kind) { "" } else { "\"" };
    ascii(out, quote)?;
    value(ctx, out, ty, name, false)?;
    ascii(out, quote)?;
    ascii(out, ":")
}

fn variant_type(ty: &SqlType, value: ValueRef<'_>) -> SqlType {
    let held = if ty.kind == TypeKind::SqlVariant { variant::content(value) } else { None };
    held.map_or(*ty, |(held, _)| held)
}

/// Whether values of a kind become strings.
fn is_quoted(kind: TypeKind) -> bool {
    let is_number = matches!(kind.repr(), Repr::Int | Repr::Money | Repr::Decimal | Repr::Float);
    !is_number
}

/// Appends a string between quotation marks.
fn string<'a>(
    ctx: &FnContext<'a>,
    out: &mut ArenaBuffer<'a>,
    collation: Collation,
    text: ValueRef<'_>,
) -> SqlResult<()> {
    ascii(out, "\"")?;
    for (nth, piece) in pieces(collation, text).enumerate() {
        if nth > 0 {
            ctx.pace()?;
        }
        match text {
            ValueRef::Unicode(_) => escaped(out, piece)?,
            _ => escaped_chars(out, collation, piece)?,
        }
    }
    ascii(out, "\"")
}

/// Appends UTF-16LE as it stands between the quotation marks of a string.
pub(in crate::func) fn escaped(out: &mut ArenaBuffer<'_>, units: &[u8]) -> SqlResult<()> {
    out.admit(units.len() / 2 * ESCAPE_MAX)?;
    write_escaped(units, out);
    Ok(())
}

/// As [`escaped`], for characters of a code page. Every one of them has ASCII's characters in their
/// places, and no other character contains their bytes.
fn escaped_chars(out: &mut ArenaBuffer<'_>, collation: Collation, chars: &[u8]) -> SqlResult<()> {
    let mut start = 0;
    for (at, &byte) in chars.iter().enumerate() {
        if is_special(byte) {
            widened(out, collation, &chars[start..at])?;
            out.admit(ESCAPE_MAX)?;
            write_escape(byte, out);
            start = at + 1;
        }
    }
    widened(out, collation, &chars[start..])
}

/// Appends characters of a code page.
pub(in crate::func) fn widened(
    out: &mut ArenaBuffer<'_>,
    collation: Collation,
    chars: &[u8],
) -> SqlResult<()> {
    out.admit(2 * chars.len())?;
    to_unicode(collation, chars, out);
    Ok(())
}

/// Appends bytes in base 64.
pub(in crate::func) fn base64<'a>(
    ctx: &FnContext<'a>,
    out: &mut ArenaBuffer<'a>,
    bytes: &[u8],
) -> SqlResult<()> {
    // A multiple of three, so that only the last piece is padded.
    const PIECE: usize = 384;
    let mut letters = [0; PIECE / 3 * 4];
    let mut stride = Stride::new(ctx);
    for piece in bytes.chunks(PIECE) {
        stride.step(piece.len())?;
        let len = BASE64_STANDARD.encode_slice(piece, &mut letters).unwrap_or_default();
        ascii(out, std::str::from_utf8(&letters[..len]).unwrap_or_default())?;
    }
    Ok(())
}

fn digits(out: &mut ArenaBuffer<'_>, digits: &Digits) -> SqlResult<()> {
    ascii(out, digits.as_str())
}

/// Appends another number, a date, a time or a GUID.
pub(in crate::func) fn number_or_moment<'a>(
    ctx: &FnContext<'a>,
    out: &mut ArenaBuffer<'a>,
    ty: &SqlType,
    value: ValueRef<'_>,
) -> SqlResult<()> {
    const LONGEST: u16 = 64;
    let style = match ty.kind {
        TypeKind::Real => Some(REAL),
        TypeKind::Float => Some(FLOAT),
        TypeKind::Money | TypeKind::SmallMoney => Some(MONEY),
        kind if kind.is_temporal() => Some(ISO),
        _ => None,
    };
    let options = ConvertOptions { style, ..ConvertOptions::default() };
    let to = SqlType::varchar(LONGEST, Collation::DEFAULT);
    let ValueRef::Chars(text) = convert(value, ty, &to, &options, ctx.arena)? else {
        return Ok(());
    };
    let text = std::str::from_utf8(text).unwrap_or_default();
    match ty.kind.is_temporal() {
        true => moment(out, text),
        false => ascii(out, text),
    }
}

/// Appends a date or time as `yyyy-mm-ddThh:mi:ss.fffffff+hh:mm` has it: without a fraction of
/// zeros, and with `Z` for the offset 0.
fn moment(out: &mut ArenaBuffer<'_>, text: &str) -> SqlResult<()> {
    let (text, zone) = match text.strip_suffix("+00:00") {
        Some(text) => (text, "Z"),
        None => (text, ""),
    };
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
    let (fraction, offset) = rest.split_at((1 + digits).min(rest.len()));
    ascii(out, whole)?;
    if fraction.bytes().skip(1).any(|digit| digit != b'0') {
        ascii(out, fraction)?;
    }
    ascii(out, offset)?;
    ascii(out, zone)
}

/// Appends a short text of ASCII characters.
pub(in crate::func) fn ascii(out: &mut ArenaBuffer<'_>, text: &str) -> SqlResult<()> {
    debug_assert!(text.is_ascii(), "{text} is only widened");
    out.admit(2 * text.len())?;
    for piece in text.as_bytes().chunks(64) {
        let mut wide = [0; 128];
        wide.chunks_exact_mut(2).zip(piece).for_each(|(unit, byte)| unit[0] = *byte);
        out.put(&wide[..2 * piece.len()]);
    }
    Ok(())
}
