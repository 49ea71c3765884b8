//! Characters, names and references.

use super::Fault;
use super::dtd::Entities;
use crate::message;

/// White space of markup.
pub(super) const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Whether there is nothing but white space.
pub(super) fn is_white(text: &str) -> bool {
    text.bytes().all(is_white_byte)
}

pub(super) fn is_white_byte(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The first byte from a place on that is not white space.
pub(super) fn skip_white(text: &str, at: usize) -> usize {
    let white = text.as_bytes()[at..].iter().take_while(|byte| is_white_byte(**byte)).count();
    at + white
}

/// Bytes of text that need a second look: control characters, and the first bytes of `]]>`, U+FFFE
/// and U+FFFF.
pub(super) fn is_special(byte: u8) -> bool {
    const TABLE: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 0x20 {
            table[byte] = byte != b'\t' as usize && byte != b'\n' as usize;
            byte += 1;
        }
        table[b']' as usize] = true;
        table[0xEF] = true;
        table
    };
    TABLE[usize::from(byte)]
}

/// Whether XML has a character.
pub(super) fn is_legal(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

pub(crate) fn begins_name(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '_'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

pub(crate) fn continues_name(c: char) -> bool {
    begins_name(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}'
            | '\u{203F}'..='\u{2040}')
}

/// A name without colon at a place.
pub(super) enum Name {
    /// Where it ends.
    Ends(usize),
    /// There is none.
    Wrong,
}

pub(super) fn name_end(text: &str, at: usize) -> Name {
    let rest = &text[at..];
    if !rest.chars().next().is_some_and(begins_name) {
        return Name::Wrong;
    }
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let plain = rest.bytes().take_while(is_plain).count();
    let other = rest[plain..].find(|c| !continues_name(c)).unwrap_or(rest.len() - plain);
    Name::Ends(at + plain + other)
}

/// What a reference stands for.
pub(super) enum Reference {
    /// One character.
    Character(char),
    /// The text of an entity.
    Entity(usize),
}

/// Reads the reference at a place, and says where it ends.
pub(super) fn reference(
    text: &str,
    at: usize,
    entities: &Entities,
) -> Result<(Reference, usize), Fault> {
    let bytes = text.as_bytes();
    if bytes.get(at + 1) == Some(&b'#') {
        let (c, end) = character(text, at)?;
        return Ok((Reference::Character(c), end));
    }
    let Name::Ends(end) = name_end(text, at + 1) else {
        return Err(Fault::At(&message::XML_NAME_CHARACTER, at + 1));
    };
    if bytes.get(end) != Some(&b';') {
        return Err(Fault::At(&message::XML_SEMICOLON_EXPECTED, end));
    }
    let found = match &text[at + 1..end] {
        "lt" => Reference::Character('<'),
        "gt" => Reference::Character('>'),
        "amp" => Reference::Character('&'),
        "quot" => Reference::Character('"'),
        "apos" => Reference::Character('\''),
        name => match entities.find(name) {
            Some(number) => Reference::Entity(number),
            None => return Err(Fault::At(&message::XML_ENTITY_UNDECLARED, end)),
        },
    };
    Ok((found, end + 1))
}

/// A reference by number.
fn character(text: &str, at: usize) -> Result<(char, usize), Fault> {
    let bytes = text.as_bytes();
    let is_hex = bytes.get(at + 2) == Some(&b'x');
    let (radix, start) = if is_hex { (16, at + 3) } else { (10, at + 2) };
    let mut code: u32 = 0;
    let mut end = start;
    while let Some(digit) = bytes.get(end).and_then(|byte| char::from(*byte).to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    if bytes.get(end) != Some(&b';') || end == start {
        let message = match (end == start, is_hex) {
            (true, true) => &message::XML_HEX_DIGIT_EXPECTED,
            (true, false) => &message::XML_DIGIT_EXPECTED,
            (false, _) => &message::XML_SEMICOLON_EXPECTED,
        };
        return Err(Fault::At(message, end));
    }
    match char::from_u32(code).filter(|c| is_legal(*c)) {
        Some(c) => Ok((c, end + 1)),
        None => Err(Fault::At(&message::XML_CHARACTER_ILLEGAL, end)),
    }
}
