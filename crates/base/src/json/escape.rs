//! What cannot stand in a string of JSON as it is, as escapes.

use crate::collation::codepage::ByteWriter;

/// Bytes of the longest escape, in UTF-16LE.
pub const ESCAPE_MAX: usize = 12;

/// Whether a character needs an escape; SQL Server escapes `/`, too.
#[inline]
pub fn is_special(character: u8) -> bool {
    character < 0x20 || matches!(character, b'"' | b'\\' | b'/')
}

/// Appends the escape of such a character as UTF-16LE.
pub fn write_escape(character: u8, out: &mut impl ByteWriter) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let short = match character {
        8 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        12 => b'f',
        b'\r' => b'r',
        b'"' | b'\\' | b'/' => character,
        _ => {
            let high = DIGITS[usize::from(character >> 4)];
            let low = DIGITS[usize::from(character & 15)];
            out.put(&[b'\\', 0, b'u', 0, b'0', 0, b'0', 0, high, 0, low, 0]);
            return;
        }
    };
    out.put(&[b'\\', 0, short, 0]);
}

/// Appends UTF-16LE as it stands between the quotation marks of a string.
pub fn write_escaped(units: &[u8], out: &mut impl ByteWriter) {
    let mut start = 0;
    for (at, unit) in units.chunks_exact(2).enumerate() {
        if unit[1] == 0 && is_special(unit[0]) {
            out.put(&units[start..2 * at]);
            write_escape(unit[0], out);
            start = 2 * at + 2;
        }
    }
    out.put(&units[start..]);
}
