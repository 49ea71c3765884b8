//! A string as JSON text, and what is in the strings of such a text.

use std::ops::Range;

use crate::collation::codepage::{self, ByteWriter, CodePage, code_page};
use crate::error::SqlResult;
use crate::pace::{Pace, STRIDE};
use crate::types::Collation;

/// How bytes of 128 and above are to be read; the others are ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// UTF-8, in which a lone surrogate is written as if it were a character.
    Utf8,
    /// A code page with one byte per character.
    Page(Collation),
}

/// JSON text, or what is taken for it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'t> {
    bytes: &'t [u8],
    form: Form,
}

impl<'t> Text<'t> {
    /// The text of a char or varchar.
    pub fn of_chars(collation: Collation, bytes: &'t [u8]) -> Text<'t> {
        let form = match code_page(collation) {
            CodePage::Utf8 => Form::Utf8,
            CodePage::Single(_) | CodePage::Double(_) => Form::Page(collation),
        };
        Text { bytes, form }
    }

    /// The text that [`write_utf8`] has made.
    pub fn of_utf8(bytes: &'t [u8]) -> Text<'t> {
        Text { bytes, form: Form::Utf8 }
    }

    /// Its bytes.
    pub fn bytes(&self) -> &'t [u8] {
        self.bytes
    }

    /// The bytes of a part.
    pub fn part(&self, range: &Range<usize>) -> &'t [u8] {
        &self.bytes[range.clone()]
    }

    /// The first characters of the text, at most this many UTF-16 units.
    pub fn first(&self, units: usize) -> Text<'t> {
        let mut taken = 0;
        let end = match self.form {
            Form::Page(_) => self.bytes.len().min(units),
            Form::Utf8 => chars(self.bytes)
                .find(|(_, c)| {
                    taken += c.units();
                    taken > units
                })
                .map_or(self.bytes.len(), |(at, _)| at),
        };
        Text { bytes: &self.bytes[..end], form: self.form }
    }

    /// The character at an offset, `.` if that is the end, and the UTF-16 units before it.
    pub fn place(&self, offset: usize) -> (char, usize) {
        let before = &self.bytes[..offset];
        let units = match self.form {
            Form::Page(_) => before.len(),
            Form::Utf8 => chars(before).map(|(_, c)| c.units()).sum(),
        };
        let Some(&first) = self.bytes.get(offset) else { return ('.', units) };
        let found = match self.form {
            Form::Page(collation) => codepage::chars_to_string(collation, &[first]).chars().next(),
            Form::Utf8 => chars(&self.bytes[offset..]).next().map(|(_, c)| c.shown()),
        };
        (found.unwrap_or(char::REPLACEMENT_CHARACTER), units)
    }

    /// Appends a part as UTF-16LE.
    pub fn write_part(
        &self,
        range: &Range<usize>,
        pace: &dyn Pace,
        out: &mut impl ByteWriter,
    ) -> SqlResult<()> {
        let mut rest = self.part(range);
        while !rest.is_empty() {
            let mut len = rest.len().min(STRIDE);
            // No piece ends within a character.
            while self.form == Form::Utf8 && rest.get(len).is_some_and(|b| b & 0xC0 == 0x80) {
                len += 1;
            }
            let (piece, others) = rest.split_at(len);
            self.write_piece(piece, out);
            rest = others;
            if !rest.is_empty() {
                pace.pace()?;
            }
        }
        Ok(())
    }

    fn write_piece(&self, piece: &[u8], out: &mut impl ByteWriter) {
        match self.form {
            Form::Page(collation) => codepage::to_unicode(collation, piece, out),
            Form::Utf8 => chars(piece).for_each(|(_, c)| c.write(out)),
        }
    }

    /// Appends what a string token means as UTF-16LE: its escapes are replaced. `inner` is between
    /// its quotes.
    pub fn write_string(
        &self,
        inner: &Range<usize>,
        pace: &dyn Pace,
        out: &mut impl ByteWriter,
    ) -> SqlResult<()> {
        let mut start = inner.start;
        while let Some(found) = self.part(&(start..inner.end)).iter().position(|b| *b == b'\\') {
            let at = start + found;
            self.write_part(&(start..at), pace, out)?;
            let (unit, len) = escaped(&self.bytes[at..inner.end]);
            out.put(&unit.to_le_bytes());
            start = at + len;
            pace.pace()?;
        }
        self.write_part(&(start..inner.end), pace, out)
    }

    /// The UTF-16 units of a property's name in the form in which names are compared: `\u0041` is
    /// replaced by what it means, other escapes stay as they are written. `inner` is between its
    /// quotes.
    pub fn name_units(&self, inner: &Range<usize>) -> impl Iterator<Item = u16> + 't {
        let (bytes, form) = (self.part(inner), self.form);
        let (mut at, mut low) = (0, None);
        std::iter::from_fn(move || {
            if let Some(unit) = low.take() {
                return Some(unit);
            }
            let first = *bytes.get(at)?;
            if first == b'\\' && bytes.get(at + 1) == Some(&b'u') {
                let (unit, len) = escaped(&bytes[at..]);
                at += len;
                return Some(unit);
            }
            let decoded = match form {
                _ if first < 128 => Char { code: u32::from(first), len: 1 },
                Form::Utf8 => Char::first(&bytes[at..]),
                Form::Page(collation) => {
                    let c = codepage::chars_to_string(collation, &[first]).chars().next();
                    Char { code: c.map_or(0xFFFD, u32::from), len: 1 }
                }
            };
            at += decoded.len;
            let [unit, second] = decoded.pair();
            low = (decoded.units() == 2).then_some(second);
            Some(unit)
        })
    }
}

/// The unit that the escape at the start of `bytes` stands for, and the length of the escape. It is
/// known to be right.
pub(super) fn escaped(bytes: &[u8]) -> (u16, usize) {
    let plain = match bytes.get(1) {
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => 10,
        Some(b'r') => 13,
        Some(b't') => 9,
        Some(b'u') => {
            let digits = bytes.get(2..6).and_then(|digits| std::str::from_utf8(digits).ok());
            let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
            return (unit.unwrap_or(0xFFFD), 6);
        }
        Some(other) => u16::from(*other),
        None => u16::from(b'\\'),
    };
    (plain, 2)
}

/// Bytes that UTF-16LE has at most as UTF-8.
pub fn utf8_len_max(units: &[u8]) -> usize {
    let len = |unit: &[u8]| match u16::from_le_bytes([unit[0], unit[1]]) {
        0..0x80 => 1,
        0x80..0x800 => 2,
        _ => 3,
    };
    units.chunks_exact(2).map(len).sum()
}

/// Appends UTF-16LE as UTF-8, in which a lone surrogate is written as if it were a character.
pub fn write_utf8(units: &[u8], out: &mut impl ByteWriter) {
    let mut ascii = [0; 64];
    let mut rest = units;
    while !rest.is_empty() {
        let pairs = rest.chunks_exact(2);
        let mut len = 0;
        for (to, pair) in ascii.iter_mut().zip(pairs).take_while(|(_, p)| p[1] == 0 && p[0] < 128) {
            *to = pair[0];
            len += 1;
        }
        out.put(&ascii[..len]);
        rest = &rest[2 * len..];
        if len == ascii.len() {
            continue;
        }
        let Some((unit, others)) = rest.split_first_chunk::<2>() else { return };
        let unit = u32::from(u16::from_le_bytes(*unit));
        let next = others.first_chunk::<2>().map(|next| u32::from(u16::from_le_bytes(*next)));
        rest = others;
        let code = match next {
            Some(next @ 0xDC00..=0xDFFF) if (0xD800..0xDC00).contains(&unit) => {
                rest = &others[2..];
                0x10000 + ((unit - 0xD800) << 10) + (next - 0xDC00)
            }
            _ => unit,
        };
        let tail = |shift: u32| 0x80 | (code >> shift & 0x3F) as u8;
        match code {
            0..0x80 => out.put(&[code as u8]),
            0x80..0x800 => out.put(&[0xC0 | (code >> 6) as u8, tail(0)]),
            0x800..0x1_0000 => out.put(&[0xE0 | (code >> 12) as u8, tail(6), tail(0)]),
            _ => out.put(&[0xF0 | (code >> 18) as u8, tail(12), tail(6), tail(0)]),
        }
    }
}

/// A character of UTF-8 in which surrogates may be written.
#[derive(Clone, Copy)]
struct Char {
    code: u32,
    len: usize,
}

impl Char {
    /// The first character; U+FFFD for a byte that begins none.
    fn first(bytes: &[u8]) -> Char {
        let lead = bytes[0];
        let (len, bits) = match lead {
            0..0x80 => return Char { code: u32::from(lead), len: 1 },
            0xC2..0xE0 => (2, lead & 0x1F),
            0xE0..0xF0 => (3, lead & 0x0F),
            0xF0..0xF5 => (4, lead & 0x07),
            _ => return Char { code: 0xFFFD, len: 1 },
        };
        let mut code = u32::from(bits);
        for at in 1..len {
            match bytes.get(at) {
                Some(tail) if tail & 0xC0 == 0x80 => code = code << 6 | u32::from(tail & 0x3F),
                _ => return Char { code: 0xFFFD, len: 1 },
            }
        }
        let is_long = matches!(len, 3 if code < 0x800) || matches!(len, 4 if code < 0x1_0000);
        match is_long || code > 0x10_FFFF {
            true => Char { code: 0xFFFD, len: 1 },
            false => Char { code, len },
        }
    }

    fn units(&self) -> usize {
        if self.code < 0x1_0000 { 1 } else { 2 }
    }

    /// Its units; the second one is of no account for a character of one unit.
    fn pair(&self) -> [u16; 2] {
        match self.code.checked_sub(0x1_0000) {
            None => [self.code as u16, 0],
            Some(above) => [0xD800 + (above >> 10) as u16, 0xDC00 + (above & 0x3FF) as u16],
        }
    }

    fn write(self, out: &mut impl ByteWriter) {
        let pair = self.pair();
        for unit in &pair[..self.units()] {
            out.put(&unit.to_le_bytes());
        }
    }

    fn shown(&self) -> char {
        char::from_u32(self.code).unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

/// The characters and where they begin.
fn chars(bytes: &[u8]) -> impl Iterator<Item = (usize, Char)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let (start, found) = (at, Char::first(rest));
        at += found.len;
        Some((start, found))
    })
}
