//! One value as text in a document, in UTF-16LE.

use base::arena::ArenaBuffer;
use base::collation::codepage::{ByteWriter, pieces};
use base::decimal::format;
use base::{Collation, Pace, SqlError, SqlResult, SqlType, TypeKind, ValueRef, message, variant};
use ir::function::facts::FnContext;

use crate::func::json::render::{ascii, base64, number_or_moment, widened};

/// How text is written.
#[derive(Clone, Copy)]
pub(super) struct Style<'s> {
    pub escaping: Escaping,
    /// Whether characters that XML does not have are errors (6841).
    pub strict: bool,
    /// What that error calls the node, in UTF-16LE.
    pub node: &'s [u8],
}

/// Which characters are escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escaping {
    /// Those of text.
    Text,
    /// Those of an attribute's value.
    Attribute,
    /// None.
    Verbatim,
}

/// Appends a value that is not NULL.
pub(super) fn value<'a>(
    ctx: &FnContext<'a>,
    out: &mut ArenaBuffer<'a>,
    ty: &SqlType,
    value: ValueRef<'_>,
    style: Style<'_>,
) -> SqlResult<()> {
    match value {
        ValueRef::Null => Ok(()),
        ValueRef::Chars(_) | ValueRef::Unicode(_) => string(ctx, out, ty.collation, value, style),
        _ if ty.kind == TypeKind::SqlVariant => match variant::content(value) {
            Some((ty, held)) => self::value(ctx, out, &ty, held, style),
            None => Ok(()),
        },
        ValueRef::Bytes(bytes) => base64(ctx, out, bytes),
        ValueRef::Int(whole) => ascii(out, format(i128::from(whole), 0).as_str()),
        ValueRef::Decimal(units) => ascii(out, format(units, ty.scale).as_str()),
        _ => number_or_moment(ctx, out, ty, value),
    }
}

fn string<'a>(
    ctx: &FnContext<'a>,
    out: &mut ArenaBuffer<'a>,
    collation: Collation,
    text: ValueRef<'_>,
    style: Style<'_>,
) -> SqlResult<()> {
    for (nth, piece) in pieces(collation, text).enumerate() {
        if nth > 0 {
            ctx.pace()?;
        }
        match (text, style.escaping) {
            (ValueRef::Unicode(_), Escaping::Verbatim) => out.try_extend(piece)?,
            (_, Escaping::Verbatim) => widened(out, collation, piece)?,
            (ValueRef::Unicode(_), _) => escaped(out, piece, style)?,
            _ => escaped_chars(out, collation, piece, style)?,
        }
    }
    Ok(())
}

/// UTF-16 units that are looked at together for one that may need an escape.
const BLOCK: usize = 32;

/// Appends UTF-16LE.
fn escaped(out: &mut ArenaBuffer<'_>, units: &[u8], style: Style<'_>) -> SqlResult<()> {
    let unit = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
    let mut plain = 0;
    for (nth, block) in units.chunks(2 * BLOCK).enumerate() {
        let suspect = block.chunks_exact(2).fold(false, |any, pair| any | is_suspect(unit(pair)));
        if !suspect {
            continue;
        }
        for (at, pair) in block.chunks_exact(2).enumerate() {
            if let Some(escape) = escape(unit(pair), style)? {
                let at = 2 * (nth * BLOCK + at);
                out.try_extend(&units[plain..at])?;
                escape.write(out)?;
                plain = at + 2;
            }
        }
    }
    out.try_extend(&units[plain..])
}

/// Appends characters of a code page. Every one of them has ASCII's characters in their places, and
/// no other character contains their bytes.
fn escaped_chars(
    out: &mut ArenaBuffer<'_>,
    collation: Collation,
    chars: &[u8],
    style: Style<'_>,
) -> SqlResult<()> {
    let mut plain = 0;
    for (nth, block) in chars.chunks(BLOCK).enumerate() {
        if !block.iter().fold(false, |any, byte| any | is_suspect(u16::from(*byte))) {
            continue;
        }
        for (at, byte) in block.iter().enumerate() {
            if let Some(escape) = escape(u16::from(*byte), style)? {
                let at = nth * BLOCK + at;
                widened(out, collation, &chars[plain..at])?;
                escape.write(out)?;
                plain = at + 1;
            }
        }
    }
    widened(out, collation, &chars[plain..])
}

/// Whether a unit may need an escape, or may not be there.
#[inline]
fn is_suspect(unit: u16) -> bool {
    (unit < 0x20)
        | (unit == 0x22)
        | (unit == 0x26)
        | (unit == 0x3C)
        | (unit == 0x3E)
        | (unit >= 0xFFFE)
}

/// What stands for a character.
enum Escape {
    Named(&'static str),
    Numbered(u16),
}

impl Escape {
    fn write(self, out: &mut ArenaBuffer<'_>) -> SqlResult<()> {
        match self {
            Escape::Named(name) => ascii(out, name),
            Escape::Numbered(unit) => ascii(out, &format!("&#x{unit:02X};")),
        }
    }
}

/// Error 6841.
fn escape(unit: u16, style: Style<'_>) -> SqlResult<Option<Escape>> {
    let in_attribute = style.escaping == Escaping::Attribute;
    Ok(Some(match unit {
        0x22 if in_attribute => Escape::Named("&quot;"),
        0x26 => Escape::Named("&amp;"),
        0x3C => Escape::Named("&lt;"),
        0x3E => Escape::Named("&gt;"),
        0x0D => Escape::Named("&#x0D;"),
        0x09 | 0x0A if in_attribute => Escape::Numbered(unit),
        0x09 | 0x0A => return Ok(None),
        0..0x20 | 0xFFFE.. if style.strict => return Err(not_allowed(unit, style.node)),
        0..0x20 | 0xFFFE.. => Escape::Numbered(unit),
        _ => return Ok(None),
    }))
}

#[cold]
fn not_allowed(unit: u16, node: &[u8]) -> SqlError {
    let units: Vec<u16> =
        node.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    let node = match units.is_empty() {
        true => "NoName".to_owned(),
        false => String::from_utf16_lossy(&units),
    };
    SqlError::new(&message::FOR_XML_CHARACTER, &[&node, &format!("{unit:04X}")])
}

/// Appends UTF-16LE that is already a document's.
pub(super) fn put(out: &mut ArenaBuffer<'_>, text: &[u8]) -> SqlResult<()> {
    out.admit(text.len())?;
    out.put(text);
    Ok(())
}
