//! Checked reads over bytes that the other side wrote.

use crate::error::ProtocolError;

/// A cursor over a byte slice. Every read is checked: past the end it is
/// [`ProtocolError::Truncated`], and the cursor stays where it was.
#[derive(Clone, Copy, Debug)]
pub struct ByteReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident -> $ty:ty, $from:ident;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(&mut self) -> Result<$ty, ProtocolError> {
                Ok(<$ty>::$from(self.array()?))
            }
        )*
    };
}

impl<'a> ByteReader<'a> {
    /// A cursor at the start of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader { bytes, at: 0 }
    }

    /// How many bytes have been read.
    pub const fn position(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub const fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Whether everything has been read.
    pub const fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    /// The bytes left, without reading them.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The bytes between an earlier [`ByteReader::position`] and this one.
    pub fn since(&self, position: usize) -> &'a [u8] {
        &self.bytes[position.min(self.at)..self.at]
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], ProtocolError> {
        let bytes = self.rest().get(..count).ok_or(ProtocolError::Truncated)?;
        self.at += count;
        Ok(bytes)
    }

    /// The next `N` bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtocolError> {
        let bytes = *self.rest().first_chunk::<N>().ok_or(ProtocolError::Truncated)?;
        self.at += N;
        Ok(bytes)
    }

    /// The next byte, which stays unread.
    pub fn peek(&self) -> Result<u8, ProtocolError> {
        self.rest().first().copied().ok_or(ProtocolError::Truncated)
    }

    integers! {
        /// One byte.
        u8 -> u8, from_le_bytes;
        /// Two bytes, little-endian.
        u16 -> u16, from_le_bytes;
        /// Four bytes, little-endian.
        u32 -> u32, from_le_bytes;
        /// Eight bytes, little-endian.
        u64 -> u64, from_le_bytes;
        /// Four bytes, little-endian, signed.
        i32 -> i32, from_le_bytes;
        /// Two bytes, big-endian.
        u16_be -> u16, from_be_bytes;
        /// Four bytes, big-endian.
        u32_be -> u32, from_be_bytes;
    }

    /// A UTF-16 text of `units` code units.
    pub fn utf16(&mut self, units: usize) -> Result<Utf16<'a>, ProtocolError> {
        self.take(units * 2).map(Utf16)
    }

    /// A text after a one-byte count of UTF-16 units (`B_VARCHAR`).
    pub fn b_varchar(&mut self) -> Result<Utf16<'a>, ProtocolError> {
        let mut ahead = *self;
        let units = ahead.u8()?;
        let text = ahead.utf16(units.into())?;
        *self = ahead;
        Ok(text)
    }

    /// A text after a two-byte count of UTF-16 units (`US_VARCHAR`).
    pub fn us_varchar(&mut self) -> Result<Utf16<'a>, ProtocolError> {
        let mut ahead = *self;
        let units = ahead.u16()?;
        let text = ahead.utf16(units.into())?;
        *self = ahead;
        Ok(text)
    }

    /// Bytes after a one-byte count of them (`B_VARBYTE`).
    pub fn b_varbyte(&mut self) -> Result<&'a [u8], ProtocolError> {
        let mut ahead = *self;
        let count = ahead.u8()?;
        let bytes = ahead.take(count.into())?;
        *self = ahead;
        Ok(bytes)
    }

    /// Bytes after a two-byte count of them (`US_VARBYTE`).
    pub fn us_varbyte(&mut self) -> Result<&'a [u8], ProtocolError> {
        let mut ahead = *self;
        let count = ahead.u16()?;
        let bytes = ahead.take(count.into())?;
        *self = ahead;
        Ok(bytes)
    }
}

/// A text as it lies on the wire: UTF-16LE, an even number of bytes, not necessarily well-formed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Utf16<'a>(&'a [u8]);

impl<'a> Utf16<'a> {
    /// The text in `bytes`, or nothing when their number is odd.
    pub const fn new(bytes: &'a [u8]) -> Option<Utf16<'a>> {
        if bytes.len() % 2 == 0 { Some(Utf16(bytes)) } else { None }
    }

    /// The UTF-16LE bytes.
    pub const fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// How many UTF-16 units there are.
    pub const fn units(self) -> usize {
        self.0.len() / 2
    }

    /// Whether the text is empty.
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    fn code_units(self) -> impl Iterator<Item = u16> + 'a {
        self.0.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
    }

    /// The text as UTF-8, lone surrogates replaced by U+FFFD.
    pub fn to_text(self) -> String {
        // Nearly every text is ASCII, and then all there is to do is to drop every second byte.
        let is_ascii = self.code_units().fold(0, |bits, unit| bits | unit) < 0x80;
        if is_ascii {
            let bytes = self.0.iter().copied().step_by(2).collect();
            return String::from_utf8(bytes).expect("ASCII is UTF-8");
        }
        char::decode_utf16(self.code_units())
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }

    /// The text as UTF-8, or an error when it has a lone surrogate.
    pub fn to_text_strict(self) -> Result<String, ProtocolError> {
        char::decode_utf16(self.code_units())
            .collect::<Result<String, _>>()
            .map_err(|_| ProtocolError::Malformed("text is not well-formed UTF-16"))
    }

    /// Whether the text is this ASCII word, upper and lower case being the same.
    pub fn eq_ignore_ascii_case(self, word: &str) -> bool {
        self.units() == word.len()
            && self
                .code_units()
                .zip(word.bytes())
                .all(|(unit, byte)| u8::try_from(unit).is_ok_and(|u| u.eq_ignore_ascii_case(&byte)))
    }
}

/// The text cut before the character that would make it longer than `units_max` UTF-16 units, and
/// its length in units.
pub(crate) fn utf16_units_within(text: &str, units_max: usize) -> (&str, usize) {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        if units + c.len_utf16() > units_max {
            return (&text[..at], units);
        }
        units += c.len_utf16();
    }
    (text, units)
}

#[cfg(test)]
mod tests;
