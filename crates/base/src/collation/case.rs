//! UPPER and LOWER. A character keeps its size: `ß` stays `ß`. In Turkish and Azeri, `i` has its
//! dot in both cases.

use std::sync::LazyLock;

use super::codepage::{self, ByteWriter, CodePage, DoubleByte, SingleByte};
use crate::types::Collation;
use crate::value::ValueRef;

/// Which case to change to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    /// `UPPER`
    Upper,
    /// `LOWER`
    Lower,
}

impl Case {
    /// The character in this case, itself where that would be several.
    pub fn of(self, c: char) -> char {
        fn single(mut it: impl Iterator<Item = char>, c: char) -> char {
            match (it.next(), it.next()) {
                (Some(one), None) => one,
                _ => c,
            }
        }
        match self {
            Case::Upper => single(c.to_uppercase(), c),
            Case::Lower => single(c.to_lowercase(), c),
        }
    }

    fn ascii(self, byte: u8) -> u8 {
        match self {
            Case::Upper => byte.to_ascii_uppercase(),
            Case::Lower => byte.to_ascii_lowercase(),
        }
    }
}

/// A case, by the rules of a language.
#[derive(Clone, Copy)]
struct Change {
    case: Case,
    /// A dotted and a dotless i are two letters.
    is_turkic: bool,
}

impl Change {
    fn char(self, c: char) -> char {
        match (self.case, c) {
            (Case::Upper, 'i') if self.is_turkic => 'İ',
            (Case::Lower, 'I') if self.is_turkic => 'ı',
            (Case::Lower, 'İ') if self.is_turkic => 'i',
            (case, _) => case.of(c),
        }
    }

    fn unit(self, unit: u16) -> u16 {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii() && !(self.is_turkic && matches!(byte, b'i' | b'I')) => {
                u16::from(self.case.ascii(byte))
            }
            _ => {
                // Halves of surrogate pairs are not characters.
                let changed = char::from_u32(u32::from(unit)).map(|c| self.char(c) as u32);
                changed.and_then(|c| u16::try_from(c).ok()).unwrap_or(unit)
            }
        }
    }

    fn byte(self, page: &SingleByte, byte: u8) -> u8 {
        page.encode_exact(self.unit(page.decode[usize::from(byte)])).unwrap_or(byte)
    }
}

/// Appends a string in the given case, in its own form.
pub fn change_case(
    case: Case,
    collation: Collation,
    value: ValueRef<'_>,
    out: &mut impl ByteWriter,
) {
    let change = Change { case, is_turkic: collation.info().is_turkic() };
    match value {
        ValueRef::Chars(bytes) => match codepage::code_page(collation) {
            CodePage::Single(page) => single(change, collation, page, bytes, out),
            CodePage::Double(page) => double(change, page, bytes, out),
            CodePage::Utf8 => utf8(change, bytes, out),
        },
        ValueRef::Unicode(bytes) => {
            for unit in codepage::units(bytes) {
                out.put(&change.unit(unit).to_le_bytes());
            }
        }
        other => unreachable!("{other:?} is not a string"),
    }
}

fn double(change: Change, page: &DoubleByte, mut bytes: &[u8], out: &mut impl ByteWriter) {
    while let Some((unit, length)) = page.first(bytes) {
        match page.encode(change.unit(unit)) {
            // A change that would need another number of bytes is not made.
            Some((changed, new)) if new == length => out.put(&changed[..new]),
            _ => out.put(&bytes[..length]),
        }
        bytes = &bytes[length..];
    }
}

fn utf8(change: Change, bytes: &[u8], out: &mut impl ByteWriter) {
    for piece in bytes.utf8_chunks() {
        for c in piece.valid().chars() {
            let changed = change.char(c);
            // A change that would need another number of bytes is not made.
            let c = if changed.len_utf8() == c.len_utf8() { changed } else { c };
            out.put(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.put(piece.invalid());
    }
}

fn single(
    change: Change,
    collation: Collation,
    page: &SingleByte,
    bytes: &[u8],
    out: &mut impl ByteWriter,
) {
    static DEFAULTS: LazyLock<[Table; 2]> = LazyLock::new(|| {
        let CodePage::Single(page) = codepage::code_page(Collation::DEFAULT) else {
            unreachable!("the default collation has a code page of single bytes")
        };
        [Case::Upper, Case::Lower].map(|case| table(Change { case, is_turkic: false }, page))
    });
    if bytes.is_ascii() && !change.is_turkic {
        for chunk in bytes.chunks(64) {
            let mut changed = [0; 64];
            for (to, &from) in changed.iter_mut().zip(chunk) {
                *to = change.case.ascii(from);
            }
            out.put(&changed[..chunk.len()]);
        }
        return;
    }
    let own;
    let table = if matches!(collation.info().code_page, 0 | 1252) && !change.is_turkic {
        &DEFAULTS[usize::from(change.case == Case::Lower)]
    } else if bytes.len() < 256 {
        // Shorter than a table.
        for &byte in bytes {
            out.put(&[change.byte(page, byte)]);
        }
        return;
    } else {
        own = table(change, page);
        &own
    };
    for &byte in bytes {
        out.put(&[table[usize::from(byte)]]);
    }
}

/// What each byte of a code page becomes.
type Table = [u8; 256];

fn table(change: Change, page: &SingleByte) -> Table {
    std::array::from_fn(|byte| change.byte(page, byte as u8))
}

#[cfg(test)]
mod tests;
