//! JSON text from left to right, one event after the other.

use std::ops::Range;

use hifijson::num::Lex as _;
use hifijson::str::Lex as _;
use hifijson::token::Lex as _;
use hifijson::{Read as _, SliceLexer};

use super::text::Text;
use crate::error::SqlError;
use crate::message;
use crate::pace::{Pace, STRIDE, Stride};

/// Containers that a value may lie in.
const DEPTH_MAX: usize = 128;

/// A string that may be longer than this is read in strides.
const LONG: usize = 8 * STRIDE;

/// What a reader comes upon.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The name of a member, as it is written between its quotes. The member's value follows.
    Name(Range<usize>),
    /// `{`.
    Object,
    /// `[`.
    Array,
    /// A value that is neither object nor array, and where it is, with the quotes of a string.
    Scalar(Scalar, Range<usize>),
    /// `}` or `]`, whichever closes the innermost container.
    Close,
    /// Nothing is left.
    End,
}

/// The kinds of values that are neither object nor array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Scalar {
    Null,
    String,
    Number,
    True,
    False,
}

/// Why a text is read no further.
#[derive(Debug)]
pub enum Fault {
    /// What is at this offset must not be there; at the end, something is missing.
    Unexpected(usize),
    /// A value lies in more containers than may be.
    TooDeep,
    /// The statement shall end.
    Stopped(SqlError),
}

impl From<SqlError> for Fault {
    fn from(error: SqlError) -> Fault {
        Fault::Stopped(error)
    }
}

impl Fault {
    /// Error 13606 or 13609, the latter with this state.
    #[cold]
    pub fn error(self, text: &Text<'_>, state: u8) -> SqlError {
        match self {
            Fault::Unexpected(offset) => {
                let (found, place) = text.place(offset);
                SqlError::new(&message::JSON_TEXT_INVALID, &[&found, &place]).with_state(state)
            }
            Fault::TooDeep => SqlError::new(&message::JSON_TOO_DEEP, &[]),
            Fault::Stopped(error) => error,
        }
    }
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// `{` or `[`.
    Root,
    /// Any value, which is the whole text.
    RootValue,
    /// After `{`.
    MemberOrClose,
    /// After `[`.
    ElementOrClose,
    /// After `:`.
    Value,
    /// After a value in a container.
    CommaOrClose,
    /// After the root.
    End,
}

/// Reads a text.
pub struct Reader<'t, 'p> {
    lexer: SliceLexer<'t>,
    len: usize,
    expected: Expected,
    depth: usize,
    /// A bit for each open container: whether it is an object.
    objects: [u64; DEPTH_MAX / 64 + 1],
    /// Where the comma before the last member or element is, if there is one.
    comma: Option<usize>,
    stride: Stride<'p>,
}

impl<'t, 'p> Reader<'t, 'p> {
    /// A reader of an object or array.
    pub fn new(text: &Text<'t>, pace: &'p dyn Pace) -> Reader<'t, 'p> {
        Reader {
            lexer: SliceLexer::new(text.bytes()),
            len: text.bytes().len(),
            expected: Expected::Root,
            depth: 0,
            objects: [0; DEPTH_MAX / 64 + 1],
            comma: None,
            stride: Stride::new(pace),
        }
    }

    /// A reader of any value.
    pub fn of_value(text: &Text<'t>, pace: &'p dyn Pace) -> Reader<'t, 'p> {
        Reader { expected: Expected::RootValue, ..Reader::new(text, pace) }
    }

    /// A reader of a value that is known to be at this place.
    pub fn of_part(text: &Text<'t>, range: &Range<usize>, pace: &'p dyn Pace) -> Reader<'t, 'p> {
        let lexer = SliceLexer::new(text.part(range));
        Reader { lexer, len: range.end, ..Reader::of_value(text, pace) }
    }

    /// Where the value begins whose first event this was, read last.
    pub fn start_of(&self, first: &Event) -> usize {
        match first {
            Event::Scalar(_, range) => range.start,
            _ => self.offset() - 1,
        }
    }

    /// How far it has come: behind the last event.
    #[inline]
    pub fn offset(&self) -> usize {
        self.len - self.lexer.as_slice().len()
    }

    /// How many containers are open.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Where the comma before the last member or element is, if there is one.
    pub fn comma(&self) -> Option<usize> {
        self.comma
    }

    /// The next event.
    #[inline]
    pub fn read(&mut self) -> Result<Event, Fault> {
        let before = self.lexer.as_slice().len();
        let event = self.event()?;
        self.stride.step(before - self.lexer.as_slice().len())?;
        Ok(event)
    }

    #[inline]
    fn event(&mut self) -> Result<Event, Fault> {
        let next = self.peek()?;
        match (self.expected, next) {
            (Expected::CommaOrClose, Some(b',')) => {
                self.comma = Some(self.offset());
                self.lexer.take_next();
                match (self.peek()?, self.is_in_object()) {
                    (Some(b'"'), true) => self.name(),
                    (Some(next), false) => self.value(next),
                    _ => Err(self.unexpected()),
                }
            }
            (Expected::MemberOrClose, Some(b'"')) => {
                self.comma = None;
                self.name()
            }
            (Expected::MemberOrClose, Some(b'}')) | (Expected::ElementOrClose, Some(b']')) => {
                Ok(self.close())
            }
            (Expected::CommaOrClose, Some(b'}')) if self.is_in_object() => Ok(self.close()),
            (Expected::CommaOrClose, Some(b']')) if !self.is_in_object() => Ok(self.close()),
            (Expected::Value | Expected::RootValue, Some(next)) => self.value(next),
            (Expected::ElementOrClose, Some(next)) => {
                self.comma = None;
                self.value(next)
            }
            (Expected::Root, Some(next @ (b'{' | b'['))) => self.value(next),
            (Expected::End, None) => Ok(Event::End),
            _ => Err(self.unexpected()),
        }
    }

    /// The next byte that is no white space.
    #[inline]
    fn peek(&mut self) -> Result<Option<u8>, Fault> {
        match self.lexer.peek_next() {
            Some(b' ' | b'\t' | b'\r' | b'\n') => self.skip_blanks(),
            next => Ok(next),
        }
    }

    fn skip_blanks(&mut self) -> Result<Option<u8>, Fault> {
        loop {
            let mut blanks = 0;
            self.lexer.skip_until(|byte| match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    blanks += 1;
                    blanks > STRIDE
                }
                _ => true,
            });
            if blanks <= STRIDE {
                return Ok(self.lexer.peek_next());
            }
            self.stride.step(blanks)?;
        }
    }

    #[cold]
    fn unexpected(&self) -> Fault {
        Fault::Unexpected(self.offset())
    }

    /// A member's name and the colon behind it.
    fn name(&mut self) -> Result<Event, Fault> {
        let range = self.string()?;
        match self.peek()? {
            Some(b':') => self.lexer.take_next(),
            _ => return Err(self.unexpected()),
        };
        self.expected = Expected::Value;
        Ok(Event::Name(range.start + 1..range.end - 1))
    }

    /// A string token, with its quotes.
    #[inline]
    fn string(&mut self) -> Result<Range<usize>, Fault> {
        let start = self.offset();
        self.lexer.take_next();
        let rest = self.lexer.as_slice();
        if let Some(end) = plain_string(&rest[..rest.len().min(LONG)]) {
            self.lexer = SliceLexer::new(&rest[end + 1..]);
            return Ok(start..self.offset());
        }
        self.other_string(start)
    }

    /// A string with escapes, a long one, or one that is wrong; the opening quote was read.
    #[inline(never)]
    fn other_string(&mut self, start: usize) -> Result<Range<usize>, Fault> {
        let rest = self.lexer.as_slice();
        let mut window = SliceLexer::new(&rest[..rest.len().min(LONG)]);
        let read = match window.str_ignore() {
            Err(_) if rest.len() > LONG => self.long_string()?,
            read => {
                let left = window.as_slice().len() + (rest.len() - rest.len().min(LONG));
                self.lexer = SliceLexer::new(&rest[rest.len() - left..]);
                read
            }
        };
        match read {
            Ok(()) => Ok(start..self.offset()),
            Err(_) => Err(Fault::Unexpected(start)),
        }
    }

    /// As `str_ignore`, other sessions having their turn meanwhile.
    fn long_string(&mut self) -> Result<Result<(), hifijson::str::Error>, SqlError> {
        let (mut bytes, mut stopped) = (0, None);
        let stride = &mut self.stride;
        let read = self.lexer.str_foreach(|_| {
            bytes += 1;
            if bytes == STRIDE {
                bytes = 0;
                if stopped.is_none() {
                    stopped = stride.step(STRIDE).err();
                }
            }
        });
        match stopped {
            Some(error) => Err(error),
            None => Ok(read),
        }
    }

    #[inline]
    fn value(&mut self, next: u8) -> Result<Event, Fault> {
        if self.depth > DEPTH_MAX {
            return Err(Fault::TooDeep);
        }
        let start = self.offset();
        let scalar = match next {
            b'{' => return Ok(self.open(true)),
            b'[' => return Ok(self.open(false)),
            b'"' => {
                let range = self.string()?;
                self.after_value();
                return Ok(Event::Scalar(Scalar::String, range));
            }
            b'0'..=b'9' | b'-' => self.lexer.num_ignore().validate().ok().map(|_| Scalar::Number),
            b'a'..=b'z' => self.lexer.null_or_bool().map(|read| match read {
                None => Scalar::Null,
                Some(true) => Scalar::True,
                Some(false) => Scalar::False,
            }),
            _ => None,
        };
        let is_whole = self.lexer.peek_next().is_none_or(ends_token);
        let scalar = scalar.filter(|_| is_whole).ok_or(Fault::Unexpected(start))?;
        self.after_value();
        Ok(Event::Scalar(scalar, start..self.offset()))
    }

    #[inline]
    fn after_value(&mut self) {
        self.expected = if self.depth == 0 { Expected::End } else { Expected::CommaOrClose };
    }

    #[inline]
    fn open(&mut self, is_object: bool) -> Event {
        self.lexer.take_next();
        let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
        self.depth += 1;
        if is_object {
            self.objects[word] |= bit;
            self.expected = Expected::MemberOrClose;
            return Event::Object;
        }
        self.objects[word] &= !bit;
        self.expected = Expected::ElementOrClose;
        Event::Array
    }

    #[inline]
    fn is_in_object(&self) -> bool {
        let at = self.depth - 1;
        self.objects[at / 64] >> (at % 64) & 1 == 1
    }

    #[inline]
    fn close(&mut self) -> Event {
        self.lexer.take_next();
        self.depth -= 1;
        self.after_value();
        Event::Close
    }

    /// Reads on until only this many containers are open.
    pub fn leave(&mut self, depth: usize) -> Result<(), Fault> {
        while self.depth > depth {
            let before = self.lexer.as_slice().len();
            self.skip()?;
            self.stride.step(before - self.lexer.as_slice().len())?;
        }
        Ok(())
    }

    /// Reads what [`Reader::read`] reads in a container, without saying what it is.
    #[inline]
    fn skip(&mut self) -> Result<(), Fault> {
        let mut next = self.peek()?;
        let is_in_object = self.is_in_object();
        if self.expected != Expected::Value {
            let close = if is_in_object { b'}' } else { b']' };
            if next == Some(close) {
                self.close();
                return Ok(());
            }
            if self.expected == Expected::CommaOrClose {
                if next != Some(b',') {
                    return Err(self.unexpected());
                }
                self.lexer.take_next();
                next = self.peek()?;
            }
            if is_in_object {
                if next != Some(b'"') {
                    return Err(self.unexpected());
                }
                self.name()?;
                next = self.peek()?;
            }
        }
        match next {
            Some(b'"') if self.depth <= DEPTH_MAX => {
                self.string()?;
                self.after_value();
            }
            Some(next) => _ = self.value(next)?,
            None => return Err(self.unexpected()),
        }
        Ok(())
    }

    /// Reads the rest of a value whose first event this was, and returns where it ends.
    pub fn pass(&mut self, first: &Event) -> Result<usize, Fault> {
        if matches!(first, Event::Object | Event::Array) {
            self.leave(self.depth - 1)?;
        }
        Ok(self.offset())
    }

    /// Reads the rest of the text.
    pub fn finish(&mut self) -> Result<(), Fault> {
        self.leave(0)?;
        while self.read()? != Event::End {
            self.leave(0)?;
        }
        Ok(())
    }
}

/// Where the closing quote of a string is that begins here, if nothing before it needs a closer
/// look: no escape and no control character.
#[inline]
fn plain_string(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    // The lowest byte that these find is one of those that they look for.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let below_32 = |word: u64| word.wrapping_sub(ONES << 5) & !word;
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..32);
    let words = bytes.chunks_exact(8);
    let rest = words.remainder();
    for (at, word) in words.enumerate() {
        let word = u64::from_le_bytes(word.try_into().expect("it has eight bytes"));
        let quotes = zeros(word ^ (ONES * u64::from(b'"')));
        let slashes = zeros(word ^ (ONES * u64::from(b'\\')));
        let special = (quotes | slashes | below_32(word)) & HIGH;
        if special != 0 {
            let found = 8 * at + special.trailing_zeros() as usize / 8;
            return (bytes[found] == b'"').then_some(found);
        }
    }
    let found = bytes.len() - rest.len() + rest.iter().position(is_special)?;
    (bytes[found] == b'"').then_some(found)
}

/// Whether a number or word ends before this byte.
fn ends_token(next: u8) -> bool {
    matches!(next, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b']' | b'}' | b'[' | b'{' | b'"')
}
