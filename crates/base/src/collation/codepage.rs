//! Code pages: what the bytes of char and varchar mean.
//!
//! Most of them have one byte per character, so a table of 256 units decodes and one of 65,536
//! bytes encodes. Those of Chinese, Japanese and Korean have one or two, and tables of pairs.
//! Tables are made when a code page is first used.

use std::sync::LazyLock;

use super::weights;
use crate::arena::ArenaBuffer;
use crate::pace::STRIDE;
use crate::types::Collation;
use crate::value::ValueRef;

/// A place to write bytes to.
pub trait ByteWriter {
    /// Appends bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl ByteWriter for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl ByteWriter for ArenaBuffer<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend(bytes);
    }
}

/// A code page with one byte per character.
pub struct SingleByte {
    /// The UTF-16 unit of each byte.
    pub decode: [u16; 256],
    /// The byte of each UTF-16 unit: itself, else its closest letter, else `?`.
    encode: Box<[u8; 65536]>,
}

/// A code page of which characters have one or two bytes.
pub struct DoubleByte {
    /// The UTF-16 unit of a lead byte and the byte after it, the lead byte above; of a single byte
    /// in the first 256. 0 if there is none.
    decode: Box<[u16]>,
    /// The bytes of each UTF-16 unit, the lead byte above; 0 if it has none.
    encode: Box<[u16]>,
    /// What an unknown pair of bytes is read as.
    unknown: u16,
}

/// How the bytes of char and varchar are to be read.
#[derive(Clone, Copy)]
pub enum CodePage {
    /// One byte per character.
    Single(&'static SingleByte),
    /// One or two bytes per character.
    Double(&'static DoubleByte),
    /// UTF-8.
    Utf8,
}

/// A string in pieces of about a stride, none of which begins within a character.
pub fn pieces(collation: Collation, value: ValueRef<'_>) -> impl Iterator<Item = &[u8]> {
    let (bytes, wide) = match value {
        ValueRef::Unicode(bytes) => (bytes, true),
        ValueRef::Chars(bytes) => (bytes, false),
        other => unreachable!("{other:?} is not a string"),
    };
    let page = if wide { None } else { Some(code_page(collation)) };
    let is_utf8 = matches!(page, Some(CodePage::Utf8));
    // How many bytes before a place to look again.
    let within = move |at: usize| match wide {
        true => match bytes.get(at + 1) {
            Some(0xDC..=0xDF) => 2,
            _ => 0,
        },
        false => usize::from(is_utf8 && bytes[at] & 0xC0 == 0x80),
    };
    let mut start = 0;
    std::iter::from_fn(move || {
        let mut end = bytes.len().min(start + STRIDE);
        if let Some(CodePage::Double(page)) = page {
            end = start + page.whole(&bytes[start..end]);
            // Half a character at the end of all goes with the one before.
            end = if end + 1 >= bytes.len() { bytes.len() } else { end };
        }
        // No character has more than four bytes; what is longer is none.
        for _ in 0..3 {
            if end < bytes.len() {
                end -= within(end);
            }
        }
        let piece = &bytes[start..end];
        start = end;
        (!piece.is_empty()).then_some(piece)
    })
}

const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}";
const CP850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}";

/// The code page of a collation's char and varchar.
#[inline]
pub fn code_page(collation: Collation) -> CodePage {
    static WINDOWS_1252: LazyLock<SingleByte> = LazyLock::new(|| SingleByte::new(1252));
    match collation.info().code_page {
        1252 => CodePage::Single(&WINDOWS_1252),
        65001 => CodePage::Utf8,
        932 | 936 | 949 | 950 => CodePage::Double(double(collation.info().code_page)),
        // Of collations that only Unicode has.
        0 => CodePage::Single(&WINDOWS_1252),
        other => CodePage::Single(rare(other)),
    }
}

fn double(code_page: u16) -> &'static DoubleByte {
    macro_rules! pages {
        ($($number:literal = $encoding:ident, $unknown:literal;)*) => {
            match code_page {
                $($number => {
                    static PAGE: LazyLock<DoubleByte> =
                        LazyLock::new(|| DoubleByte::new(encoding_rs::$encoding, $unknown));
                    &PAGE
                })*
                _ => unreachable!("code page {code_page} has one byte per character"),
            }
        };
    }
    pages!(
        932 = SHIFT_JIS, '\u{30FB}';
        936 = GBK, '?';
        949 = EUC_KR, '?';
        950 = BIG5, '?';
    )
}

fn rare(code_page: u16) -> &'static SingleByte {
    macro_rules! pages {
        ($($number:literal),*) => {
            match code_page {
                $($number => {
                    static PAGE: LazyLock<SingleByte> = LazyLock::new(|| SingleByte::new($number));
                    &PAGE
                })*
                _ => unreachable!("no collation has code page {code_page}"),
            }
        };
    }
    pages!(437, 850, 874, 1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)
}

impl SingleByte {
    fn new(code_page: u16) -> SingleByte {
        let mut decode: [u16; 256] = std::array::from_fn(|i| i as u16);
        match code_page {
            437 => fill(&mut decode, CP437),
            850 => fill(&mut decode, CP850),
            _ => {
                let encoding = match code_page {
                    1250 => encoding_rs::WINDOWS_1250,
                    1251 => encoding_rs::WINDOWS_1251,
                    1253 => encoding_rs::WINDOWS_1253,
                    1254 => encoding_rs::WINDOWS_1254,
                    1255 => encoding_rs::WINDOWS_1255,
                    1256 => encoding_rs::WINDOWS_1256,
                    1257 => encoding_rs::WINDOWS_1257,
                    1258 => encoding_rs::WINDOWS_1258,
                    874 => encoding_rs::WINDOWS_874,
                    _ => encoding_rs::WINDOWS_1252,
                };
                for byte in 128..=255u8 {
                    let bytes = [byte];
                    let (text, _) = encoding.decode_without_bom_handling(&bytes);
                    let unit = text.encode_utf16().next().unwrap_or(0xFFFD);
                    // Undefined bytes keep their value, so that decoding loses nothing.
                    decode[usize::from(byte)] = if unit == 0xFFFD { u16::from(byte) } else { unit };
                }
            }
        }
        let mut encode: Box<[u8; 65536]> =
            vec![b'?'; 65536].try_into().expect("65,536 bytes were asked for");
        for unit in 128..=u16::MAX {
            if let Some(close) = weights::closest_ascii(unit) {
                encode[usize::from(unit)] = close;
            }
        }
        // What the code page has itself comes before what only comes close.
        for (byte, &unit) in decode.iter().enumerate().rev() {
            encode[usize::from(unit)] = byte as u8;
        }
        SingleByte { decode, encode }
    }

    /// The byte of a unit if the code page has the very character.
    pub fn encode_exact(&self, unit: u16) -> Option<u8> {
        let byte = self.encode[usize::from(unit)];
        (self.decode[usize::from(byte)] == unit).then_some(byte)
    }
}

impl DoubleByte {
    fn new(encoding: &'static encoding_rs::Encoding, unknown: char) -> DoubleByte {
        let mut decode = vec![0u16; 65536].into_boxed_slice();
        let single = |bytes: &[u8]| {
            let decoded = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
            let mut units = decoded.encode_utf16();
            let unit = units.next()?;
            units.next().is_none().then_some(unit)
        };
        for byte in 0..=255u8 {
            decode[usize::from(byte)] = single(&[byte]).unwrap_or(0);
        }
        for lead in 0x81..=0xFEu8 {
            // A byte that is a character by itself leads none.
            if decode[usize::from(lead)] != 0 {
                continue;
            }
            for trail in 0x31..=0xFEu8 {
                let unit = single(&[lead, trail]).unwrap_or(0);
                decode[usize::from(lead) << 8 | usize::from(trail)] = unit;
            }
        }
        let mut encode = vec![0u16; 65536].into_boxed_slice();
        for (bytes, &unit) in decode.iter().enumerate().rev() {
            if unit != 0 {
                let mut buffer = [0; 4];
                let c = char::from_u32(unit.into()).unwrap_or('?');
                let (own, _, unmapped) = encoding.encode(c.encode_utf8(&mut buffer));
                // Of several pairs for one character, the one that the encoding writes.
                encode[usize::from(unit)] = match &*own {
                    [a, b] if !unmapped => u16::from_be_bytes([*a, *b]),
                    [a] if !unmapped => u16::from(*a),
                    _ => bytes as u16,
                };
            }
        }
        DoubleByte { decode, encode, unknown: unknown as u16 }
    }

    /// Whether another byte belongs to a character that begins with this one.
    fn leads(&self, byte: u8) -> bool {
        byte > 0x80 && byte != 0xFF && self.decode[usize::from(byte)] == 0
    }

    /// The first character and its length.
    #[inline]
    pub fn first(&self, bytes: &[u8]) -> Option<(u16, usize)> {
        let &lead = bytes.first()?;
        if lead < 0x80 {
            return Some((lead.into(), 1));
        }
        if !self.leads(lead) {
            let unit = self.decode[usize::from(lead)];
            // Undefined bytes keep their value.
            return Some((if unit == 0 { lead.into() } else { unit }, 1));
        }
        let Some(&trail) = bytes.get(1) else { return Some((self.unknown, 1)) };
        let unit = self.decode[usize::from(lead) << 8 | usize::from(trail)];
        match unit {
            // What cannot be the second byte is none.
            0 if trail < 0x40 => Some((self.unknown, 1)),
            0 => Some((self.unknown, 2)),
            _ => Some((unit, 2)),
        }
    }

    /// The bytes of a unit: one, or a lead byte and the one after it.
    pub fn encode(&self, unit: u16) -> Option<([u8; 2], usize)> {
        if unit < 0x80 {
            return Some(([unit as u8, 0], 1));
        }
        match self.encode[usize::from(unit)] {
            0 => None,
            single @ 1..=0xFF => Some(([single as u8, 0], 1)),
            pair => Some((pair.to_be_bytes(), 2)),
        }
    }

    /// The bytes of a unit, of its closest letter, or `?`.
    fn nearest(&self, unit: u16) -> ([u8; 2], usize) {
        self.encode(unit).unwrap_or_else(|| ([weights::closest_ascii(unit).unwrap_or(b'?'), 0], 1))
    }

    /// Bytes of whole characters that these begin with.
    pub fn whole(&self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some((_, length)) = self.first(&bytes[at..]) {
            let halved = at + 1 == bytes.len() && self.leads(bytes[at]);
            if halved {
                break;
            }
            at += length;
        }
        at
    }
}

fn fill(decode: &mut [u16; 256], upper_half: &str) {
    for (slot, unit) in decode[128..].iter_mut().zip(upper_half.encode_utf16()) {
        *slot = unit;
    }
}

/// The UTF-16 units of UTF-16LE bytes; a last odd byte is left out.
pub fn units(bytes: &[u8]) -> impl DoubleEndedIterator<Item = u16> + Clone + '_ {
    bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]))
}

/// Appends char or varchar bytes as UTF-16LE.
pub fn to_unicode(collation: Collation, bytes: &[u8], out: &mut impl ByteWriter) {
    match code_page(collation) {
        CodePage::Single(page) => {
            for chunk in bytes.chunks(64) {
                let mut wide = [0u8; 128];
                for (pair, &byte) in wide.chunks_exact_mut(2).zip(chunk) {
                    pair.copy_from_slice(&page.decode[usize::from(byte)].to_le_bytes());
                }
                out.put(&wide[..2 * chunk.len()]);
            }
        }
        CodePage::Double(page) => {
            let mut rest = bytes;
            while let Some((unit, length)) = page.first(rest) {
                out.put(&unit.to_le_bytes());
                rest = &rest[length..];
            }
        }
        CodePage::Utf8 => {
            for piece in bytes.utf8_chunks() {
                for unit in piece.valid().encode_utf16() {
                    out.put(&unit.to_le_bytes());
                }
                if !piece.invalid().is_empty() {
                    out.put(&0xFFFDu16.to_le_bytes());
                }
            }
        }
    }
}

/// Appends UTF-16LE bytes in a collation's code page; what it lacks becomes its closest letter or
/// `?`.
pub fn from_unicode(collation: Collation, bytes: &[u8], out: &mut impl ByteWriter) {
    match code_page(collation) {
        CodePage::Single(page) => {
            let mut skip_low = false;
            for chunk in bytes.chunks(128) {
                let mut narrow = [0u8; 64];
                let mut n = 0;
                for unit in units(chunk) {
                    // A pair of surrogates is one character and so one `?`.
                    if std::mem::take(&mut skip_low) && (0xDC00..0xE000).contains(&unit) {
                        continue;
                    }
                    skip_low = (0xD800..0xDC00).contains(&unit);
                    narrow[n] = page.encode[usize::from(unit)];
                    n += 1;
                }
                out.put(&narrow[..n]);
            }
        }
        CodePage::Double(page) => {
            for c in char::decode_utf16(units(bytes)) {
                let unit = c.map_or(0xFFFD, |c| u16::try_from(c as u32).unwrap_or(0xFFFD));
                let (bytes, length) = page.nearest(unit);
                out.put(&bytes[..length]);
            }
        }
        CodePage::Utf8 => {
            for c in char::decode_utf16(units(bytes)) {
                let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
                out.put(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
}

/// Char or varchar bytes as a Rust string.
pub fn chars_to_string(collation: Collation, bytes: &[u8]) -> String {
    if bytes.is_ascii() {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    match code_page(collation) {
        CodePage::Single(page) => {
            let units = bytes.iter().map(|&b| page.decode[usize::from(b)]);
            char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        CodePage::Double(_) => {
            let mut wide = Vec::with_capacity(2 * bytes.len());
            to_unicode(collation, bytes, &mut wide);
            unicode_to_string(&wide)
        }
        CodePage::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// UTF-16LE bytes as a Rust string; lone surrogates become U+FFFD.
pub fn unicode_to_string(bytes: &[u8]) -> String {
    // Nearly every text is ASCII, and then all there is to do is to drop every second byte.
    if units(bytes).fold(0, |bits, unit| bits | unit) < 0x80 {
        let narrow = bytes.chunks_exact(2).map(|unit| unit[0]).collect();
        return String::from_utf8(narrow).expect("ASCII is UTF-8");
    }
    char::decode_utf16(units(bytes)).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Appends a Rust string in a collation's code page.
pub fn string_to_chars(collation: Collation, text: &str, out: &mut impl ByteWriter) {
    match code_page(collation) {
        _ if text.is_ascii() => out.put(text.as_bytes()),
        CodePage::Utf8 => out.put(text.as_bytes()),
        CodePage::Single(page) => {
            for c in text.chars() {
                let byte = u16::try_from(c as u32).map_or(b'?', |u| page.encode[usize::from(u)]);
                out.put(&[byte]);
            }
        }
        CodePage::Double(page) => {
            for c in text.chars() {
                let (bytes, length) = page.nearest(u16::try_from(c as u32).unwrap_or(0xFFFD));
                out.put(&bytes[..length]);
            }
        }
    }
}

/// Appends a Rust string as UTF-16LE.
pub fn string_to_unicode(text: &str, out: &mut impl ByteWriter) {
    for unit in text.encode_utf16() {
        out.put(&unit.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
