//! Code pages: what the bytes of char and varchar mean.
//!
//! All of them but UTF-8 have one byte per character, so a table of 256 units decodes and one of
//! 65,536 bytes encodes. Tables are made when a code page is first used.

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

/// How the bytes of char and varchar are to be read.
#[derive(Clone, Copy)]
pub enum CodePage {
    /// One byte per character.
    Single(&'static SingleByte),
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
    let is_utf8 = !wide && matches!(code_page(collation), CodePage::Utf8);
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
        other => CodePage::Single(rare(other)),
    }
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
    pages!(437, 850, 1250, 1251, 1253, 1254, 1255, 1256, 1257)
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
