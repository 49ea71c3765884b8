//! To char, varchar, text and their Unicode counterparts.

use std::borrow::Cow;

use super::{
    ConvertOptions, Overlong, expression_overflow, not_allowed, overflow_converting,
    style_not_supported,
};
use crate::arena::Arena;
use crate::collation::codepage::{
    self, CodePage, chars_to_string, code_page, string_to_chars, string_to_unicode,
    unicode_to_string,
};
use crate::collation::search;
use crate::datetime::format::{self, StyleError, Written};
use crate::datetime::moment::Moment;
use crate::decimal;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::{Pace, STRIDE};
use crate::text::StackText;
use crate::text::number::{format_float, format_money, trim_blanks};
use crate::types::{Collation, SqlType, TypeKind};
use crate::value::ValueRef;

/// The ASCII bytes of a string value, for reading numbers.
pub(super) enum Ascii<'a> {
    Borrowed(&'a [u8]),
    Short(StackText<128>),
    Long(Vec<u8>),
    /// It has other characters.
    Not,
}

impl<'a> Ascii<'a> {
    pub(super) fn of(value: ValueRef<'a>) -> Ascii<'a> {
        match value {
            ValueRef::Chars(bytes) if bytes.is_ascii() => Ascii::Borrowed(bytes),
            ValueRef::Unicode(bytes) => Ascii::of_unicode(bytes),
            _ => Ascii::Not,
        }
    }

    fn of_unicode(bytes: &[u8]) -> Ascii<'a> {
        let mut short = StackText::<128>::new();
        let mut long: Option<Vec<u8>> = None;
        for unit in codepage::units(bytes) {
            let Some(byte) = u8::try_from(unit).ok().filter(u8::is_ascii) else {
                return Ascii::Not;
            };
            match &mut long {
                Some(long) => long.push(byte),
                None if short.push(byte) => {}
                None => {
                    let mut bytes = short.as_bytes().to_vec();
                    bytes.push(byte);
                    long = Some(bytes);
                }
            }
        }
        long.map_or(Ascii::Short(short), Ascii::Long)
    }

    pub(super) fn as_deref(&self) -> Option<&[u8]> {
        match self {
            Ascii::Borrowed(bytes) => Some(bytes),
            Ascii::Short(text) => Some(text.as_bytes()),
            Ascii::Long(bytes) => Some(bytes),
            Ascii::Not => None,
        }
    }
}

/// A string value as a Rust string, as messages quote it.
pub(super) fn quoted<'a>(value: ValueRef<'a>, ty: &SqlType) -> Cow<'a, str> {
    match value {
        ValueRef::Chars(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) if bytes.is_ascii() => Cow::Borrowed(text),
            _ => Cow::Owned(chars_to_string(ty.collation, bytes)),
        },
        ValueRef::Unicode(bytes) => Cow::Owned(unicode_to_string(bytes)),
        other => unreachable!("{other:?} is not a string"),
    }
}

/// What a number's text does when it is longer than its target.
enum TooLong {
    Asterisk,
    Error(SqlError),
    Cut,
}

pub(super) fn to_text<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let style = options.style.unwrap_or(0);
    match value {
        ValueRef::Chars(_) | ValueRef::Unicode(_) => from_string(value, from, to, options, arena),
        ValueRef::Bytes(bytes) => from_binary(bytes, from, to, options, arena),
        _ if to.kind.is_legacy_lob() => Err(not_allowed(from, to)),
        ValueRef::Int(v) => {
            let mut text = StackText::<24>::new();
            let digits = decimal::format(i128::from(v), 0);
            text.push_str(digits.as_str());
            let asterisk = to.kind.is_chars() && from.kind != TypeKind::BigInt;
            place(text.as_str(), to, arena, || match asterisk {
                true => TooLong::Asterisk,
                false => TooLong::Error(expression_overflow(to.kind)),
            })
        }
        ValueRef::Money(v) => place(format_money(v, style).as_str(), to, arena, || {
            let message = match from.kind {
                TypeKind::SmallMoney => &message::SMALLMONEY_TO_TEXT_SPACE,
                _ => &message::MONEY_TO_TEXT_SPACE,
            };
            TooLong::Error(SqlError::new(message, &[&to.kind]))
        }),
        ValueRef::Decimal(v) => place(decimal::format(v, from.scale).as_str(), to, arena, || {
            TooLong::Error(overflow_converting(from.kind, to.kind, 5))
        }),
        ValueRef::Float(v) => place(format_float(v, style).as_str(), to, arena, || {
            TooLong::Error(SqlError::new(
                &message::FLOAT_OVERFLOW,
                &[&to.kind, &format_args!("{v:.6}")],
            ))
        }),
        ValueRef::Guid(v) => place(super::binary::format_guid(&v).as_str(), to, arena, || {
            TooLong::Error(SqlError::new(&message::GUID_TO_TEXT_SPACE, &[]))
        }),
        _ => from_temporal(value, from, to, options, arena),
    }
}

/// Puts a short text into its target's form, padded.
fn place<'a>(
    text: &str,
    to: &SqlType,
    arena: &'a Arena,
    too_long: impl FnOnce() -> TooLong,
) -> SqlResult<ValueRef<'a>> {
    let unit = if to.kind.is_unicode() { 2 } else { 1 };
    let limit = to.byte_limit() / unit;
    let mut shown = text;
    if text.is_ascii() && text.len() > limit {
        match too_long() {
            TooLong::Asterisk => shown = "*",
            TooLong::Error(e) => return Err(e),
            TooLong::Cut => shown = &text[..limit],
        }
    }
    let mut buffer = arena.buffer_of(shown.len() * unit);
    if to.kind.is_unicode() {
        string_to_unicode(shown, &mut buffer);
        finish(ValueRef::Unicode(buffer.finish()), to, &ConvertOptions::default(), arena)
    } else {
        string_to_chars(to.collation, shown, &mut buffer);
        finish(ValueRef::Chars(buffer.finish()), to, &ConvertOptions::default(), arena)
    }
}

fn from_temporal<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    if !from.kind.is_temporal() {
        return Err(not_allowed(from, to));
    }
    let moment = Moment::of(value);
    // A datetime shows milliseconds, not the thirds that it counts.
    let ticks = match from.kind {
        TypeKind::DateTime => moment.milliseconds(from.kind) * 10_000,
        _ => moment.ticks,
    };
    let written = Written {
        days: moment.days,
        ticks,
        offset: moment.offset,
        kind: from.kind,
        scale: from.scale,
    };
    let style = options.style.unwrap_or(format::default_style(from.kind));
    let text = format::format(&written, style, options.dates.language).map_err(|e| match e {
        StyleError::Unknown => SqlError::new(&message::INVALID_STYLE, &[&style, &from.kind]),
        StyleError::NotForType => style_not_supported(style, from.kind, to.kind),
    })?;
    place(text.as_str(), to, arena, || TooLong::Cut)
}

fn from_string<'a>(
    value: ValueRef<'a>,
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let converted = match (value, to.kind.is_unicode()) {
        (ValueRef::Chars(bytes), false) if same_code_page(from, to) || bytes.is_ascii() => value,
        (ValueRef::Unicode(_), true) => value,
        (ValueRef::Chars(bytes), true) => {
            ValueRef::Unicode(widened(from.collation, bytes, options, arena)?)
        }
        (ValueRef::Unicode(bytes), false) => {
            ValueRef::Chars(narrowed(to.collation, bytes, options, arena)?)
        }
        (ValueRef::Chars(bytes), false) => {
            let wide = widened(from.collation, bytes, options, arena)?;
            ValueRef::Chars(narrowed(to.collation, wide, options, arena)?)
        }
        (other, _) => unreachable!("{other:?} is not a string"),
    };
    finish(converted, to, options, arena)
}

/// Characters of a code page as UTF-16.
fn widened<'a>(
    collation: Collation,
    bytes: &[u8],
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<&'a [u8]> {
    let length = 2 * bytes.len();
    arena.admit(length)?;
    let mut wide = arena.buffer_of(length);
    for piece in codepage::pieces(collation, ValueRef::Chars(bytes)) {
        options.pace.pace()?;
        codepage::to_unicode(collation, piece, &mut wide);
    }
    Ok(wide.finish())
}

/// UTF-16 as characters of a code page.
fn narrowed<'a>(
    collation: Collation,
    bytes: &[u8],
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<&'a [u8]> {
    arena.admit(bytes.len() / 2)?;
    let mut narrow = arena.buffer_of(bytes.len() / 2);
    for piece in codepage::pieces(collation, ValueRef::Unicode(bytes)) {
        options.pace.pace()?;
        // Three bytes of UTF-8 come of two of UTF-16 at most.
        narrow.admit(2 * piece.len())?;
        codepage::from_unicode(collation, piece, &mut narrow);
    }
    Ok(narrow.finish())
}

fn same_code_page(a: &SqlType, b: &SqlType) -> bool {
    a.collation.info().code_page == b.collation.info().code_page
}

/// Cuts or refuses what is too long, and pads what is too short.
fn finish<'a>(
    value: ValueRef<'a>,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let (bytes, wide) = match value {
        ValueRef::Chars(bytes) => (bytes, false),
        ValueRef::Unicode(bytes) => (bytes, true),
        other => unreachable!("{other:?} is not a string"),
    };
    let wrap = |bytes| if wide { ValueRef::Unicode(bytes) } else { ValueRef::Chars(bytes) };
    let limit = to.byte_limit();
    if bytes.len() > limit {
        let kept = cut(bytes, limit, to, wide);
        let lost = wrap(&bytes[kept.len()..]);
        if options.overlong != Overlong::Cut && !is_blank(lost) {
            return Err(truncation(&quoted(wrap(kept), to), options));
        }
        return if kept.len() < limit { pad(wrap(kept), to, arena) } else { Ok(wrap(kept)) };
    }
    pad(wrap(bytes), to, arena)
}

/// As many whole characters as fit.
fn cut<'a>(bytes: &'a [u8], limit: usize, to: &SqlType, wide: bool) -> &'a [u8] {
    let mut end = limit;
    if wide {
        end &= !1;
        let supplementary = to.collation.info().flags.supplementary();
        if supplementary && end >= 2 && matches!(bytes[end - 1], 0xD8..=0xDB) {
            end -= 2;
        }
    } else {
        match code_page(to.collation) {
            CodePage::Single(_) => {}
            CodePage::Double(page) => end = page.whole(&bytes[..end]),
            CodePage::Utf8 => {
                while end > 0 && bytes[end] & 0xC0 == 0x80 {
                    end -= 1;
                }
            }
        }
    }
    &bytes[..end]
}

fn is_blank(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Chars(bytes) => trim_blanks(bytes).is_empty(),
        ValueRef::Unicode(bytes) => codepage::units(bytes).all(|u| u == u16::from(b' ')),
        _ => false,
    }
}

/// Error 2628 or 8152; `kept` is what would have fitted.
pub(super) fn truncation(kept: &str, options: &ConvertOptions<'_>) -> SqlError {
    match options.overlong {
        Overlong::RefuseFor { table, column } => {
            SqlError::new(&message::TRUNCATED_IN_COLUMN, &[&table, &column, &kept])
        }
        _ => SqlError::new(&message::TRUNCATED, &[]),
    }
}

fn pad<'a>(value: ValueRef<'a>, to: &SqlType, arena: &'a Arena) -> SqlResult<ValueRef<'a>> {
    let length = usize::from(to.length);
    Ok(match value {
        ValueRef::Chars(bytes) if to.kind == TypeKind::Char && bytes.len() < length => {
            let padded = arena.alloc_zeroed(length);
            padded.fill(b' ');
            padded[..bytes.len()].copy_from_slice(bytes);
            ValueRef::Chars(padded)
        }
        ValueRef::Unicode(bytes) if to.kind == TypeKind::NChar && bytes.len() < length => {
            let padded = arena.alloc_zeroed(length);
            padded.chunks_exact_mut(2).for_each(|unit| unit[0] = b' ');
            padded[..bytes.len()].copy_from_slice(bytes);
            ValueRef::Unicode(padded)
        }
        other => other,
    })
}

fn from_binary<'a>(
    bytes: &'a [u8],
    from: &SqlType,
    to: &SqlType,
    options: &ConvertOptions<'_>,
    arena: &'a Arena,
) -> SqlResult<ValueRef<'a>> {
    let refused = to.kind.is_legacy_lob()
        || from.kind == TypeKind::Image
        || (from.kind == TypeKind::RowVersion && to.kind.is_unicode());
    if refused {
        return Err(not_allowed(from, to));
    }
    let style = options.style.unwrap_or(0);
    if !(0..=2).contains(&style) {
        return Err(style_not_supported(style, from.kind, to.kind));
    }
    if style != 0 {
        arena.admit(2 + 2 * bytes.len())?;
        let mut hex = arena.buffer_of(2 + 2 * bytes.len());
        if style == 1 {
            hex.extend(b"0x");
        }
        for piece in bytes.chunks(STRIDE) {
            options.pace.pace()?;
            for byte in piece {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                hex.extend(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            }
        }
        let hex = ValueRef::Chars(hex.finish());
        let plain = SqlType::varchar_max(to.collation);
        return from_string(
            hex,
            &plain,
            to,
            &ConvertOptions { pace: options.pace, ..ConvertOptions::default() },
            arena,
        );
    }
    if to.kind.is_unicode() {
        // Half a unit is filled up.
        let whole = if bytes.len() % 2 == 0 {
            bytes
        } else {
            arena.admit(bytes.len() + 1)?;
            let mut padded = arena.buffer_of(bytes.len() + 1);
            for piece in bytes.chunks(STRIDE) {
                options.pace.pace()?;
                padded.extend(piece);
            }
            padded.push(0);
            padded.finish()
        };
        return finish(ValueRef::Unicode(whole), to, options, arena);
    }
    finish(ValueRef::Chars(bytes), to, options, arena)
}

/// The number of characters in a string value without trailing blanks: `LEN`.
pub fn length(value: ValueRef<'_>, ty: &SqlType, pace: &dyn Pace) -> SqlResult<i64> {
    let trimmed = match value {
        ValueRef::Chars(bytes) => {
            let end = bytes.iter().rposition(|&b| b != b' ').map_or(0, |i| i + 1);
            ValueRef::Chars(&bytes[..end])
        }
        ValueRef::Unicode(bytes) => {
            let units = bytes.chunks_exact(2);
            let end = units.clone().rposition(|u| u != [b' ', 0]).map_or(0, |i| i + 1);
            ValueRef::Unicode(&bytes[..2 * end])
        }
        other => other,
    };
    search::char_count(ty.collation, trimmed, pace)
}
