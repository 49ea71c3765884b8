//! UPPER and LOWER. A character keeps its size: `ß` stays `ß`. In Turkish and Azeri, `i` has its
//! dot in both cases.

use std::sync::LazyLock;

use super::codepage::{self, ByteWriter, CodePage, SingleByte};
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

    /// As [`Case::of`], by a collation's language.
    fn of_in(self, collation: Collation, c: char) -> char {
        match (self, c) {
            _ if !collation.info().is_turkic() => self.of(c),
            (Case::Upper, 'i') => 'İ',
            (Case::Lower, 'I') => 'ı',
            (Case::Lower, 'İ') => 'i',
            _ => self.of(c),
        }
    }

    fn ascii(self, byte: u8) -> u8 {
        match self {
            Case::Upper => byte.to_ascii_uppercase(),
            Case::Lower => byte.to_ascii_lowercase(),
        }
    }
}

/// Appends a string in the given case, in its own form.
pub fn change_case(
    case: Case,
    collation: Collation,
    value: ValueRef<'_>,
    out: &mut impl ByteWriter,
) {
    match value {
        ValueRef::Chars(bytes) => chars(case, collation, bytes, out),
        ValueRef::Unicode(bytes) => {
            for unit in codepage::units(bytes) {
                out.put(&unit_in(case, collation, unit).to_le_bytes());
            }
        }
        other => unreachable!("{other:?} is not a string"),
    }
}

fn unit_in(case: Case, collation: Collation, unit: u16) -> u16 {
    if let Ok(byte) = u8::try_from(unit) {
        if byte.is_ascii() && !matches!(byte, b'i' | b'I') {
            return u16::from(case.ascii(byte));
        }
    }
    // Halves of surrogate pairs are not characters.
    let changed = char::from_u32(u32::from(unit)).map(|c| case.of_in(collation, c) as u32);
    changed.and_then(|c| u16::try_from(c).ok()).unwrap_or(unit)
}

fn chars(case: Case, collation: Collation, bytes: &[u8], out: &mut impl ByteWriter) {
    let page = match codepage::code_page(collation) {
        CodePage::Single(page) => page,
        CodePage::Double(page) => {
            let mut rest = bytes;
            while let Some((unit, length)) = page.first(rest) {
                let changed = page.encode(unit_in(case, collation, unit));
                match changed {
                    // A change that would need another number of bytes is not made.
                    Some((changed, new)) if new == length => out.put(&changed[..new]),
                    _ => out.put(&rest[..length]),
                }
                rest = &rest[length..];
            }
            return;
        }
        CodePage::Utf8 => {
            for piece in bytes.utf8_chunks() {
                for c in piece.valid().chars() {
                    let changed = case.of_in(collation, c);
                    // A change that would need another number of bytes is not made.
                    let c = if changed.len_utf8() == c.len_utf8() { changed } else { c };
                    out.put(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                out.put(piece.invalid());
            }
            return;
        }
    };
    if bytes.is_ascii() && !collation.info().is_turkic() {
        for chunk in bytes.chunks(64) {
            let mut changed = [0; 64];
            for (to, &from) in changed.iter_mut().zip(chunk) {
                *to = case.ascii(from);
            }
            out.put(&changed[..chunk.len()]);
        }
        return;
    }
    let table = table(case, collation, page);
    for &byte in bytes {
        out.put(&[table[usize::from(byte)]]);
    }
}

type Table = [u8; 256];

/// What each byte of a code page becomes.
fn table(case: Case, collation: Collation, page: &SingleByte) -> Table {
    static DEFAULTS: LazyLock<[Table; 2]> = LazyLock::new(|| {
        let CodePage::Single(page) = codepage::code_page(Collation::DEFAULT) else {
            unreachable!("the default collation has a code page of single bytes")
        };
        let of = |case| build(case, Collation::DEFAULT, page);
        [of(Case::Upper), of(Case::Lower)]
    });
    let info = collation.info();
    if matches!(info.code_page, 0 | 1252) && !info.is_turkic() {
        return DEFAULTS[usize::from(case == Case::Lower)];
    }
    build(case, collation, page)
}

fn build(case: Case, collation: Collation, page: &SingleByte) -> Table {
    std::array::from_fn(|i| {
        let unit = unit_in(case, collation, page.decode[i]);
        page.encode_exact(unit).unwrap_or(i as u8)
    })
}

#[cfg(test)]
mod tests;
