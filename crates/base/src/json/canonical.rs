//! The canonical text of a document: what a value of the type json is.
//!
//! * White space between tokens is left out.
//! * Of members with the same name in an object the first one stays. Names stay as they are
//!   written, and are compared so.
//! * Strings are written anew: a character is escaped only if JSON demands it.
//! * A number of up to 38 digits stays as it is written. Any other one is read as a float and
//!   written as `decimal(38, 10)`.
//!
//! Beside the text this takes at most some megabytes: for the names, of which there may be only so
//! many, and for the members of objects that are open.

use std::collections::HashMap;
use std::ops::Range;

use super::reader::{Event, Fault, Reader, Scalar};
use super::text::{Text, escaped};
use crate::arena::ArenaBuffer;
use crate::collation::codepage;
use crate::decimal;
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::{Pace, Stride};
use crate::types::SqlType;
use crate::value::ValueRef;

/// Containers within each other.
const DEPTH_MAX: usize = 128;

/// Members of an object, or elements of an array.
const ITEMS_MAX: usize = 65_535;

/// Different names in a document.
const NAMES_MAX: usize = 32_768;

/// Digits of a number that stays as it is written.
const DIGITS_MAX: usize = 38;

/// Digits after the point of any other number.
const SCALE: u8 = 10;

/// Characters of a number that a message shows.
const SHOWN_MAX: usize = 256;

/// Appends the canonical text of a document, which is UTF-8 as the text is. Bytes that are no
/// UTF-8 become U+FFFD. Errors 1007, 13609 with state 9, 13645, 13647, 13649, and 701 of the
/// buffer's arena.
pub fn write(text: &[u8], pace: &dyn Pace, out: &mut ArenaBuffer<'_>) -> SqlResult<()> {
    let names = Names::default();
    let mut writer =
        Writer { text, out, stride: Stride::new(pace), items: Vec::new(), names, named: false };
    writer.document(pace).map_err(|fault| error(fault, text))
}

/// What is wrong is said by its place in bytes, and by its first byte.
#[cold]
fn error(fault: Fault, text: &[u8]) -> SqlError {
    match fault {
        Fault::Unexpected(offset) => {
            let found = text.get(offset).map_or('.', |byte| char::from(*byte));
            SqlError::new(&message::JSON_TEXT_INVALID, &[&found, &offset]).with_state(9)
        }
        Fault::TooDeep => SqlError::new(&message::JSON_TYPE_TOO_DEEP, &[]),
        Fault::Stopped(error) => error,
    }
}

struct Writer<'t, 'o, 'a, 'p> {
    text: &'t [u8],
    out: &'o mut ArenaBuffer<'a>,
    stride: Stride<'p>,
    /// How many items each open container has so far.
    items: Vec<usize>,
    names: Names<'t>,
    /// The next value is that of a member whose name was written.
    named: bool,
}

impl Writer<'_, '_, '_, '_> {
    fn document(&mut self, pace: &dyn Pace) -> Result<(), Fault> {
        let text = self.text;
        let mut reader = Reader::new(&Text::of_utf8(text), pace);
        loop {
            match reader.read()? {
                Event::Name(name) => {
                    if self.names.add(&text[name.clone()], self.items.len() - 1)? {
                        self.name(&name)?;
                    } else {
                        let dropped = reader.read()?;
                        reader.pass(&dropped)?;
                    }
                }
                Event::Object => self.open(b'{')?,
                Event::Array => self.open(b'[')?,
                Event::Scalar(scalar, range) => {
                    self.item()?;
                    self.scalar(scalar, &range)?;
                }
                Event::Close => self.close(text[reader.offset() - 1])?,
                Event::End => return Ok(()),
            }
        }
    }

    fn put(&mut self, bytes: &[u8]) -> SqlResult<()> {
        self.out.try_extend(bytes)?;
        self.stride.step(bytes.len())
    }

    /// Appends text that needs no escape.
    fn put_text(&mut self, bytes: &[u8]) -> SqlResult<()> {
        for piece in pieces(bytes) {
            for chunk in piece.utf8_chunks() {
                self.put(chunk.valid().as_bytes())?;
                if !chunk.invalid().is_empty() {
                    self.put("\u{FFFD}".as_bytes())?;
                }
            }
        }
        Ok(())
    }

    /// A value or a name comes: a comma before it, if it needs one.
    fn item(&mut self) -> SqlResult<()> {
        if std::mem::take(&mut self.named) {
            return Ok(());
        }
        let Some(items) = self.items.last_mut() else { return Ok(()) };
        *items += 1;
        match *items {
            1 => Ok(()),
            2..=ITEMS_MAX => self.put(b","),
            _ => Err(SqlError::new(&message::JSON_TYPE_TOO_MANY_ITEMS, &[])),
        }
    }

    fn name(&mut self, name: &Range<usize>) -> SqlResult<()> {
        let text = self.text;
        self.item()?;
        self.put(b"\"")?;
        self.put_text(&text[name.clone()])?;
        self.put(b"\":")?;
        self.named = true;
        Ok(())
    }

    fn open(&mut self, bracket: u8) -> Result<(), Fault> {
        if self.items.len() == DEPTH_MAX {
            return Err(Fault::TooDeep);
        }
        self.item()?;
        self.items.push(0);
        self.names.open();
        Ok(self.put(&[bracket])?)
    }

    fn close(&mut self, bracket: u8) -> SqlResult<()> {
        self.items.pop();
        self.names.close(self.items.len());
        self.put(&[bracket])
    }

    fn scalar(&mut self, scalar: Scalar, range: &Range<usize>) -> SqlResult<()> {
        let text = self.text;
        match scalar {
            Scalar::String => self.string(&text[range.start + 1..range.end - 1]),
            Scalar::Number => self.number(&text[range.clone()]),
            Scalar::Null | Scalar::True | Scalar::False => self.put(&text[range.clone()]),
        }
    }

    /// A string, of what is between its quotes.
    fn string(&mut self, inner: &[u8]) -> SqlResult<()> {
        self.put(b"\"")?;
        let mut rest = inner;
        while let Some(piece) = pieces(rest).next() {
            let plain = piece.iter().position(|byte| *byte == b'\\').unwrap_or(piece.len());
            self.put_text(&rest[..plain])?;
            rest = &rest[plain..];
            if plain < piece.len() {
                let (c, len) = unescaped(rest);
                self.character(c)?;
                rest = &rest[len..];
            }
        }
        self.put(b"\"")
    }

    /// A character that was escaped.
    fn character(&mut self, c: char) -> SqlResult<()> {
        match c {
            '"' => self.put(b"\\\""),
            '\\' => self.put(b"\\\\"),
            '\u{8}' => self.put(b"\\b"),
            '\u{C}' => self.put(b"\\f"),
            '\n' => self.put(b"\\n"),
            '\r' => self.put(b"\\r"),
            '\t' => self.put(b"\\t"),
            '\0'..'\u{20}' => self.put(format!("\\u{:04X}", u32::from(c)).as_bytes()),
            _ => self.put(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }

    fn number(&mut self, token: &[u8]) -> SqlResult<()> {
        let is_exponential = token.iter().any(|byte| matches!(byte, b'e' | b'E'));
        if is_exponential || digits(token) > DIGITS_MAX {
            return self.approximate_number(token, is_exponential);
        }
        let is_zero = token.iter().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
        match token {
            [b'-', zero @ ..] if is_zero => self.put(zero),
            _ => self.put(token),
        }
    }

    fn approximate_number(&mut self, token: &[u8], is_exponential: bool) -> SqlResult<()> {
        let text = std::str::from_utf8(token).expect("a number is ASCII");
        let value = text.parse().expect("Rust's floats are written as JSON's numbers are");
        match decimal::from_f64(value, SCALE) {
            Some(value) => self.put(decimal::format(value, SCALE).as_str().as_bytes()),
            None => {
                let shown = &text[..text.len().min(SHOWN_MAX)];
                let state = if is_exponential { 5 } else { 3 };
                let message = &message::NUMBER_OUT_OF_RANGE;
                Err(SqlError::custom(message.number, 16, state, message.format(&[&shown])))
            }
        }
    }
}

/// UTF-8 in pieces of whole characters.
fn pieces(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    codepage::pieces(SqlType::json().collation, ValueRef::Chars(bytes))
}

/// Digits of a number without exponent, less a zero that is alone before the point.
fn digits(token: &[u8]) -> usize {
    let plain = token.strip_prefix(b"-").unwrap_or(token);
    let plain = plain.strip_prefix(b"0").unwrap_or(plain);
    plain.len() - usize::from(plain.contains(&b'.'))
}

/// The character that the escapes at the start of `bytes` mean, and their length. One half of a
/// surrogate pair is U+FFFD.
fn unescaped(bytes: &[u8]) -> (char, usize) {
    let (unit, len) = escaped(bytes);
    let code = u32::from(unit);
    if (0xD800..0xDC00).contains(&code) && bytes[len..].starts_with(b"\\u") {
        let (low, low_len) = escaped(&bytes[len..]);
        if (0xDC00..0xE000).contains(&low) {
            let code = 0x1_0000 + ((code - 0xD800) << 10) + (u32::from(low) - 0xDC00);
            return (char::from_u32(code).expect("it is a surrogate pair"), len + low_len);
        }
    }
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), len)
}

/// The names in a document, and which of them open objects have.
#[derive(Default)]
struct Names<'t> {
    numbers: HashMap<&'t [u8], u32>,
    /// By a name's number: a bit for each depth, set if the object open there has the name.
    depths: Vec<u128>,
    /// Numbers of the names that open objects have, outer objects first.
    had: Vec<u32>,
    /// Where the names of each open container begin in that list.
    starts: Vec<usize>,
}

impl<'t> Names<'t> {
    fn open(&mut self) {
        self.starts.push(self.had.len());
    }

    /// Gives the object at this depth a name, and returns whether it did not have it. Error 13649.
    fn add(&mut self, name: &'t [u8], depth: usize) -> SqlResult<bool> {
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None if self.depths.len() == NAMES_MAX => {
                return Err(SqlError::new(&message::JSON_TYPE_TOO_MANY_NAMES, &[]));
            }
            None => {
                let number = self.depths.len() as u32;
                self.numbers.insert(name, number);
                self.depths.push(0);
                number
            }
        };
        let depths = &mut self.depths[number as usize];
        let is_new = *depths >> depth & 1 == 0;
        if is_new {
            *depths |= 1 << depth;
            self.had.push(number);
        }
        Ok(is_new)
    }

    /// Ends the container at this depth.
    fn close(&mut self, depth: usize) {
        let start = self.starts.pop().expect("the container was opened");
        for number in self.had.drain(start..) {
            self.depths[number as usize] &= !(1 << depth);
        }
    }
}

#[cfg(test)]
mod tests;
