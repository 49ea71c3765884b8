//! Paths: `[append] [lax | strict] $.name."quoted name"[0]`.

use std::ops::Range;

use super::text::Text;
use crate::collation::codepage::units;
use crate::error::{SqlError, SqlResult};
use crate::message;

/// Steps that a path may have.
const STEPS_MAX: usize = 128;

/// Digits of an index that are read.
const DIGITS_MAX: usize = 11;

/// A path that is well-formed.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    /// UTF-16LE.
    text: &'p [u8],
    /// Where its steps begin, in units.
    steps: usize,
    is_root: bool,
    /// A value shall be appended to the array that the path leads to.
    pub appends: bool,
    /// What the path does not lead to is an error.
    pub is_strict: bool,
}

/// A step of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// To the member of an object with the name that these units of the path write.
    Member(Range<usize>),
    /// To an element of an array, counted from 0.
    Element(u32),
    /// To every element of an array.
    Every,
}

/// What may come next in a path, by which an error's state is chosen.
#[derive(Clone, Copy)]
enum Place {
    /// `$`, a step, a name.
    Step = 22,
    /// Behind a quoted name; the end of a path, wherever it is.
    End = 14,
    /// Digits.
    Index = 21,
    /// The bracket behind digits.
    Bracket = 15,
    /// An index that is too large.
    LargeIndex = 16,
    /// The closing quote.
    Quote = 20,
    /// What follows a backslash.
    Escape = 17,
}

impl<'p> Path<'p> {
    /// `$`.
    pub const ROOT: Path<'static> =
        Path { text: &[b'$', 0], steps: 1, is_root: true, appends: false, is_strict: false };

    /// `$[*]`.
    pub const ELEMENTS: Path<'static> = Path {
        text: &[b'$', 0, b'[', 0, b'*', 0, b']', 0],
        steps: 1,
        is_root: false,
        appends: false,
        is_strict: false,
    };

    /// A path, as UTF-16LE; it may begin with `append` if `may_append`. Errors 13606, 13607.
    pub fn parse(text: &'p [u8], may_append: bool) -> SqlResult<Path<'p>> {
        Path::read(Lexer { text, at: 0, may_repeat: false }, may_append)
    }

    /// A path that may lead to several values: to every element of an array by `[*]`. Errors 13606,
    /// 13607.
    pub fn parse_repeated(text: &'p [u8]) -> SqlResult<Path<'p>> {
        Path::read(Lexer { text, at: 0, may_repeat: true }, false)
    }

    fn read(mut lexer: Lexer<'p>, may_append: bool) -> SqlResult<Path<'p>> {
        lexer.skip_blanks();
        let start = lexer.at;
        let appends = lexer.eat_word("append");
        if appends && !may_append {
            return Err(lexer.error_at(start, Place::End));
        }
        lexer.skip_blanks();
        let is_strict = lexer.eat_word("strict");
        if !is_strict && !lexer.eat_word("lax") && !appends {
            lexer.at = start;
        }
        lexer.skip_blanks();
        if lexer.starts_with_word("append") {
            return Err(lexer.error_at(lexer.at, Place::End));
        }
        lexer.expect('$', Place::Step)?;
        let steps = lexer.at;
        let mut count = 0;
        while lexer.step()?.is_some() {
            count += 1;
            if count > STEPS_MAX {
                return Err(SqlError::new(&message::JSON_TOO_DEEP, &[]).with_state(4));
            }
        }
        Ok(Path { text: lexer.text, steps, is_root: count == 0, appends, is_strict })
    }

    /// Whether it leads to the root.
    pub fn is_root(&self) -> bool {
        self.is_root
    }

    /// Its steps.
    pub fn steps(&self) -> impl Iterator<Item = Step> + 'p {
        let mut lexer = Lexer { text: self.text, at: self.steps, may_repeat: true };
        std::iter::from_fn(move || lexer.step().expect("the path is well-formed"))
    }

    /// Whether a name of the path is that of a member, which is written there in a text.
    #[inline]
    pub fn names(&self, name: &Range<usize>, text: &Text<'_>, member: &Range<usize>) -> bool {
        let is_plain = |b: &u8| b.is_ascii() && *b != b'\\';
        let bytes = text.part(member);
        if bytes.len() != name.len() && bytes.iter().all(is_plain) && !self.has_escapes(name) {
            return false;
        }
        text.name_units(member).eq(self.name_units(name))
    }

    fn has_escapes(&self, name: &Range<usize>) -> bool {
        units(&self.text[2 * name.start..2 * name.end]).any(|unit| unit == u16::from(b'\\'))
    }

    /// A name as UTF-16LE, as it is written.
    pub fn name(&self, name: &Range<usize>) -> &'p [u8] {
        &self.text[2 * name.start..2 * name.end]
    }

    /// The units of a name in the form in which names are compared: `\u0041` is replaced by what it
    /// means, other escapes stay as they are written.
    pub fn name_units(&self, name: &Range<usize>) -> impl Iterator<Item = u16> + Clone + 'p {
        let text = &self.text[2 * name.start..2 * name.end];
        let mut at = 0;
        std::iter::from_fn(move || {
            let unit = unit(text, at)?;
            at += 1;
            if unit != u16::from(b'\\') {
                return Some(unit);
            }
            if self::unit(text, at) != Some(u16::from(b'u')) {
                return Some(unit);
            }
            let digits = (at + 1..at + 5).filter_map(|at| digit(self::unit(text, at)?));
            at += 5;
            Some(digits.fold(0, |code, digit| code << 4 | digit))
        })
    }
}

fn unit(text: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*text.get(2 * at..)?.first_chunk()?))
}

fn digit(unit: u16) -> Option<u16> {
    char::from_u32(u32::from(unit))?.to_digit(16).map(|digit| digit as u16)
}

#[derive(Clone)]
struct Lexer<'p> {
    text: &'p [u8],
    at: usize,
    /// A step may be `[*]`.
    may_repeat: bool,
}

impl Lexer<'_> {
    /// The next unit, if it is ASCII; other units are no part of a path but of a quoted name.
    fn peek(&self) -> Option<char> {
        unit(self.text, self.at).map(|unit| char::from_u32(u32::from(unit)).unwrap_or('\u{FFFD}'))
    }

    fn skip_blanks(&mut self) {
        while let Some(' ' | '\t' | '\n' | '\r' | '\u{C}') = self.peek() {
            self.at += 1;
        }
    }

    fn is_name_at(&self, at: usize, may_be_digit: bool) -> bool {
        let unit = unit(self.text, at).and_then(|unit| u8::try_from(unit).ok());
        unit.is_some_and(|c| {
            c.is_ascii_alphabetic() || c == b'_' || may_be_digit && c.is_ascii_digit()
        })
    }

    /// Whether this word is next, and ends there.
    fn starts_with_word(&self, word: &str) -> bool {
        let same = word.bytes().enumerate();
        same.clone().all(|(i, c)| unit(self.text, self.at + i) == Some(u16::from(c)))
            && !self.is_name_at(self.at + word.len(), true)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.starts_with_word(word);
        if found {
            self.at += word.len();
        }
        found
    }

    fn expect(&mut self, wanted: char, place: Place) -> SqlResult<()> {
        match self.peek() == Some(wanted) {
            true => {
                self.at += 1;
                Ok(())
            }
            false => Err(self.error_at(self.at, place)),
        }
    }

    /// Error 13607 about what is at this place. What the grammar itself consists of has a state of
    /// its own, wherever it is wrong, as has the end.
    #[cold]
    fn error_at(&self, at: usize, place: Place) -> SqlError {
        let found = unit(self.text, at).map(|unit| char::from_u32(u32::from(unit)));
        let found = found.map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        let is_own = |c: char| matches!(c, '$' | '"' | '[' | ']' | '.') || c.is_ascii_digit();
        let state = match (found, place) {
            (_, Place::LargeIndex | Place::Quote | Place::Escape) => place as u8,
            (None, _) => Place::End as u8,
            (Some(c), _) if is_own(c) => Place::End as u8,
            _ => place as u8,
        };
        SqlError::new(&message::JSON_PATH_INVALID, &[&found.unwrap_or('.'), &at]).with_state(state)
    }

    /// The next step; `None` at the end.
    fn step(&mut self) -> SqlResult<Option<Step>> {
        self.skip_blanks();
        match self.peek() {
            None => Ok(None),
            Some('.') => {
                self.at += 1;
                self.skip_blanks();
                self.member().map(Some)
            }
            Some('[') => {
                self.at += 1;
                self.element().map(Some)
            }
            Some(_) => Err(self.error_at(self.at, self.place_of_step())),
        }
    }

    /// What is wrong where a step begins: behind a quoted name everything is alike.
    fn place_of_step(&self) -> Place {
        let before = units(&self.text[..2 * self.at]).rev();
        let last = before.map(u32::from).find(|unit| !matches!(unit, 9 | 10 | 12 | 13 | 32));
        if last == Some(u32::from('"')) { Place::End } else { Place::Step }
    }

    fn member(&mut self) -> SqlResult<Step> {
        if self.peek() == Some('"') {
            return self.quoted_member();
        }
        if !self.is_name_at(self.at, false) {
            return Err(self.error_at(self.at, Place::Step));
        }
        let start = self.at;
        while self.is_name_at(self.at, true) {
            self.at += 1;
        }
        Ok(Step::Member(start..self.at))
    }

    fn quoted_member(&mut self) -> SqlResult<Step> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                None => return Err(self.error_at(self.at, Place::Quote)),
                Some('"') => break,
                Some('\\') => self.escape()?,
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        Ok(Step::Member(start..self.at - 1))
    }

    fn escape(&mut self) -> SqlResult<()> {
        self.at += 1;
        match self.peek() {
            Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => self.at += 1,
            Some('u') => {
                let digits =
                    (1..=4).all(|i| unit(self.text, self.at + i).and_then(digit).is_some());
                if !digits {
                    return Err(self.unicode_escape_error());
                }
                self.at += 5;
            }
            _ => return Err(self.error_at(self.at, Place::Escape)),
        }
        Ok(())
    }

    /// The error is about the fourth digit; a quote there counts as the end.
    #[cold]
    fn unicode_escape_error(&self) -> SqlError {
        let at = self.at + 4;
        let error = self.error_at(at, Place::Escape);
        match unit(self.text, at) == Some(u16::from(b'"')) {
            true => SqlError::new(&message::JSON_PATH_INVALID, &[&'.', &at]).with_state(17),
            false => error,
        }
    }

    fn element(&mut self) -> SqlResult<Step> {
        self.skip_blanks();
        if self.may_repeat && self.peek() == Some('*') {
            self.at += 1;
            self.skip_blanks();
            self.expect(']', Place::Bracket)?;
            return Ok(Step::Every);
        }
        let start = self.at;
        let mut index: u64 = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            if self.at - start == DIGITS_MAX {
                break;
            }
            index = 10 * index + u64::from(digit);
            self.at += 1;
        }
        if self.at == start {
            return Err(self.error_at(self.at, Place::Index));
        }
        let index =
            u32::try_from(index).map_err(|_| self.error_at(self.at - 1, Place::LargeIndex))?;
        self.skip_blanks();
        self.expect(']', Place::Bracket)?;
        Ok(Step::Element(index))
    }
}
