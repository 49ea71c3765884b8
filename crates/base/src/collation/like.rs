//! LIKE and PATINDEX: `%`, `_`, `[a-z]`, `[^a-z]`, ESCAPE, under a collation.
//!
//! A pattern is compared character by character, so a letter that stands for two (`ß`) matches only
//! itself here, and letters that are one in a language (`ch`) are two. Ranges are taken in the
//! collation's order.
//!
//! A pattern is compared from left to right, and after a mismatch its last `%` takes one character
//! more. Texts for which that becomes expensive are matched by `sections`.

mod sections;

use super::codepage::{self, CodePage, DoubleByte, SingleByte};
use super::compare::{Strength, byte_weights, decode_utf8};
use super::rules::{RuleSet, Rules};
use super::tailored;
use super::weights::{ACCENT, ByteWeights, EXPANSION, MARK, WEIGHTS, Weighted, primary};
use crate::error::{SqlError, SqlResult};
use crate::message;
use crate::pace::{Pace, STRIDE, Stride};
use crate::types::Collation;
use crate::value::ValueRef;
use sections::Text;

/// How to walk a string character by character under a collation.
#[derive(Clone, Copy)]
pub(super) struct Characters {
    form: Form,
    strength: Strength,
}

#[derive(Clone, Copy)]
enum Form {
    Bytes(&'static ByteWeights),
    Utf8,
    /// UTF-16LE; `true` if surrogate pairs are one character.
    Wide(bool),
    BinaryBytes,
    BinaryPairs(&'static DoubleByte),
    BinaryUtf8,
    BinaryWide(bool),
    /// By a rule set.
    ByRules(Tailored, Reading),
}

/// A rule set, and what of it counts.
#[derive(Clone, Copy)]
struct Tailored {
    rules: &'static Rules,
    strength: tailored::Strength,
}

/// How characters are read of which a rule set says what they compare as.
#[derive(Clone, Copy)]
enum Reading {
    Bytes(&'static SingleByte),
    Pairs(&'static DoubleByte),
    Utf8,
    Wide(bool),
}

impl Tailored {
    fn key(&self, code: u32) -> u64 {
        match u16::try_from(code) {
            Ok(unit) => tailored::character_key(self.rules, self.strength, unit),
            Err(_) => beyond_units(code),
        }
    }
}

/// The key of a character beyond U+FFFF, above all that weights have.
fn beyond_units(code: u32) -> u64 {
    u64::MAX << 56 | u64::from(code) << 32
}

/// One character: its code (a code-page byte, or a Unicode code point or unit), what it compares
/// as, and where the next one starts.
#[derive(Clone, Copy)]
pub(super) struct Character {
    pub(super) code: u32,
    pub(super) key: u64,
    pub(super) next: usize,
}

impl Characters {
    pub(super) fn new(collation: Collation, wide: bool) -> Characters {
        let info = collation.info();
        let supplementary = info.flags.supplementary();
        let form = match (info.flags.is_binary(), info.rules, wide) {
            (true, _, true) => Form::BinaryWide(supplementary),
            (true, _, false) => match codepage::code_page(collation) {
                CodePage::Utf8 => Form::BinaryUtf8,
                CodePage::Double(page) => Form::BinaryPairs(page),
                CodePage::Single(_) => Form::BinaryBytes,
            },
            (false, Some(rules), _) => by_rules(collation, rules, wide),
            (false, None, true) => Form::Wide(supplementary),
            (false, None, false) => byte_weights(collation).map_or(Form::Utf8, Form::Bytes),
        };
        Characters { form, strength: Strength::of(collation) }
    }

    /// The character that starts at byte `at`, or `None` at the end.
    #[inline]
    pub(super) fn at(&self, bytes: &[u8], at: usize) -> Option<Character> {
        match self.form {
            Form::Bytes(weights) => {
                let &byte = bytes.get(at)?;
                let key = self.key(weights.of(byte));
                Some(Character { code: u32::from(byte), key, next: at + 1 })
            }
            Form::BinaryBytes => {
                let code = u32::from(*bytes.get(at)?);
                Some(Character { code, key: u64::from(code), next: at + 1 })
            }
            Form::Utf8 | Form::BinaryUtf8 => {
                let (c, length) = decode_utf8(bytes.get(at..)?)?;
                let code = c as u32;
                let key = if matches!(self.form, Form::Utf8) {
                    self.code_point_key(code)
                } else {
                    u64::from(code)
                };
                Some(Character { code, key, next: at + length })
            }
            Form::Wide(pairs) => {
                let (code, next) = wide_at(bytes, at, pairs)?;
                Some(Character { code, key: self.code_point_key(code), next })
            }
            Form::BinaryWide(pairs) => {
                let (code, next) = wide_at(bytes, at, pairs)?;
                Some(Character { code, key: u64::from(code), next })
            }
            Form::BinaryPairs(page) => {
                let (unit, length) = page.first(bytes.get(at..)?)?;
                let own = &bytes[at..at + length];
                // In the order of bytes.
                let key = u64::from(own[0]) << 8 | own.get(1).map_or(0, |&b| u64::from(b));
                Some(Character { code: unit.into(), key, next: at + length })
            }
            Form::ByRules(tailored, reading) => {
                let (code, next) = match reading {
                    Reading::Bytes(page) => {
                        let unit = page.decode[usize::from(*bytes.get(at)?)];
                        (u32::from(unit), at + 1)
                    }
                    Reading::Pairs(page) => {
                        let (unit, length) = page.first(bytes.get(at..)?)?;
                        (u32::from(unit), at + length)
                    }
                    Reading::Utf8 => {
                        let (c, length) = decode_utf8(bytes.get(at..)?)?;
                        (c as u32, at + length)
                    }
                    Reading::Wide(pairs) => wide_at(bytes, at, pairs)?,
                };
                Some(Character { code, key: tailored.key(code), next })
            }
        }
    }

    fn code_point_key(&self, code: u32) -> u64 {
        match u16::try_from(code) {
            Ok(unit) => self.key(WEIGHTS.of(unit)),
            // Above every primary weight, which has 24 bits.
            Err(_) => 1 << 56 | u64::from(code) << 32,
        }
    }

    /// Primary weight, accents and third level, as far as they count, in falling significance.
    #[inline]
    fn key(&self, weighted: Weighted) -> u64 {
        let Weighted { element, accents: accent } = weighted;
        let mut key = u64::from(primary(element)) << 32;
        if element & EXPANSION != 0 {
            let first = WEIGHTS.expansion(accent).first().map_or(0, |e| primary(e.element));
            return u64::from(first) << 32
                | 0x80
                | u64::from(accent) << 8
                | u64::from(element & self.strength.third);
        }
        if self.strength.accents && element & (ACCENT | MARK) != 0 {
            let [a, b, c] = *WEIGHTS.combination(accent);
            key |= u64::from(a) << 24 | u64::from(b) << 16 | u64::from(c) << 8;
        }
        key | u64::from(element & self.strength.third)
    }
}

fn by_rules(collation: Collation, rules: RuleSet, wide: bool) -> Form {
    let reading = match codepage::code_page(collation) {
        _ if wide => Reading::Wide(collation.info().flags.supplementary()),
        CodePage::Single(page) => Reading::Bytes(page),
        CodePage::Double(page) => Reading::Pairs(page),
        CodePage::Utf8 => Reading::Utf8,
    };
    let strength = tailored::Strength::of(collation);
    Form::ByRules(Tailored { rules: rules.rules(), strength }, reading)
}

fn wide_at(bytes: &[u8], at: usize, pairs: bool) -> Option<(u32, usize)> {
    let mut units = codepage::units(bytes.get(at..)?);
    let first = units.next()?;
    if pairs && (0xD800..0xDC00).contains(&first) {
        if let Some(low) = units.next().filter(|u| (0xDC00..0xE000).contains(u)) {
            let code = 0x1_0000 + ((u32::from(first) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
            return Some((code, at + 4));
        }
    }
    Some((u32::from(first), at + 2))
}

#[derive(Debug)]
enum Token {
    /// A character that compares as this.
    One(u64),
    /// `_`
    Any,
    /// `%`
    Many,
    /// `[…]` or `[^…]`: ranges of keys in ascending order that do not overlap, both ends included.
    Set { negated: bool, ranges: Box<[(u64, u64)]> },
    /// An unclosed bracket or a dangling escape: nothing matches.
    Never,
}

/// A pattern made ready for one collation and one kind of string.
pub struct LikePattern {
    characters: Characters,
    tokens: Box<[Token]>,
    wide: bool,
    /// The characters before the first wildcard, in the form of the pattern.
    prefix: Box<[u8]>,
    is_literal: bool,
}

/// The longest pattern of `LIKE`, `PATINDEX` and `CHARINDEX`, in bytes.
pub const PATTERN_BYTES_MAX: usize = 8000;

/// How many characters may be compared for each byte of a text before that is found expensive.
const CHEAP_PER_BYTE: usize = 8;

impl LikePattern {
    /// Prepares `pattern`, a [`ValueRef::Chars`] or [`ValueRef::Unicode`]; what it is matched
    /// against must be of the same kind. Error 506 if `escape` is not exactly one character, 8152
    /// if the pattern has more than [`PATTERN_BYTES_MAX`] bytes.
    pub fn new(
        collation: Collation,
        pattern: ValueRef<'_>,
        escape: Option<ValueRef<'_>>,
    ) -> SqlResult<LikePattern> {
        let (bytes, wide) = string(pattern);
        if bytes.len() > PATTERN_BYTES_MAX {
            return Err(SqlError::new(&message::TRUNCATED, &[]));
        }
        let characters = Characters::new(collation, wide);
        let escape = match escape {
            None => None,
            Some(value) => Some(escape_character(collation, value)?),
        };
        let mut parser = Parser { characters: &characters, bytes, at: 0, escape };
        let mut tokens = Vec::new();
        let mut prefix = Vec::new();
        let mut is_literal = true;
        while let Some((token, source)) = parser.token() {
            is_literal &= matches!(token, Token::One(_));
            match token {
                Token::One(_) if is_literal => prefix.extend_from_slice(source),
                // `%%` is `%`.
                Token::Many if matches!(tokens.last(), Some(Token::Many)) => continue,
                _ => {}
            }
            tokens.push(token);
        }
        let (tokens, prefix) = (tokens.into(), prefix.into());
        Ok(LikePattern { characters, tokens, wide, prefix, is_literal })
    }

    /// The characters before the first wildcard: what matches begins with them.
    pub fn prefix(&self) -> ValueRef<'_> {
        if self.wide { ValueRef::Unicode(&self.prefix) } else { ValueRef::Chars(&self.prefix) }
    }

    /// Whether the pattern has no wildcard at all.
    pub fn is_literal(&self) -> bool {
        self.is_literal
    }

    /// Whether a string matches. Blanks that end a char or varchar beyond the pattern are
    /// ignored, in nchar and nvarchar they count.
    pub fn matches(&self, value: ValueRef<'_>, pace: &dyn Pace) -> SqlResult<bool> {
        let (bytes, wide) = string(value);
        debug_assert_eq!(wide, self.wide, "strings are converted to one kind before LIKE");
        self.matches_from(&self.tokens, bytes, 0, pace)
    }

    /// `PATINDEX`: where the first match starts, in characters from 1; 0 if there is none.
    pub fn position(&self, value: ValueRef<'_>, pace: &dyn Pace) -> SqlResult<i64> {
        let (bytes, _) = string(value);
        let Some((Token::Many, tail)) = self.tokens.split_first() else {
            return Ok(i64::from(self.matches_from(&self.tokens, bytes, 0, pace)?));
        };
        let many = tail.iter().position(|token| matches!(token, Token::Many));
        let (section, rest) = tail.split_at(many.unwrap_or(tail.len()));
        let mut stride = Stride::new(pace);
        let text = self.text(bytes);
        if section.is_empty() {
            return Ok(1);
        }
        // The earlier the first section ends, the more is left for the others: if they do not match
        // after its first place, they do not match after another.
        let found = text.search(section, 0, rest.is_empty(), &mut stride)?;
        let Some(found) = found else { return Ok(0) };
        if !rest.is_empty() && !self.matches_from(rest, bytes, found.end, pace)? {
            return Ok(0);
        }
        let (mut at, mut position) = (0, 1);
        while at < found.start {
            stride.step(1)?;
            let Some(c) = self.characters.at(bytes, at) else { break };
            at = c.next;
            position += 1;
        }
        Ok(position)
    }

    fn text<'t>(&'t self, bytes: &'t [u8]) -> Text<'t> {
        let end = match self.wide {
            true => bytes.len(),
            false => bytes.iter().rposition(|&b| b != b' ').map_or(0, |last| last + 1),
        };
        Text { characters: &self.characters, bytes, end }
    }

    /// Goes through text and pattern at once; a mismatch goes back to the last `%` and lets it
    /// consume one more character.
    fn matches_from(
        &self,
        tokens: &[Token],
        bytes: &[u8],
        start: usize,
        pace: &dyn Pace,
    ) -> SqlResult<bool> {
        let (mut at, mut token) = (start, 0);
        let mut back: Option<(usize, usize)> = None;
        let mut end = None;
        let mut left = STRIDE;
        let mut strides = (bytes.len() - start) / STRIDE * CHEAP_PER_BYTE + CHEAP_PER_BYTE;
        loop {
            left -= 1;
            if left == 0 {
                pace.pace()?;
                left = STRIDE;
                strides -= 1;
                if strides == 0 {
                    return self.text(bytes).matches(tokens, start, &mut Stride::new(pace));
                }
            }
            match tokens.get(token) {
                Some(Token::Many) => {
                    token += 1;
                    if token == tokens.len() {
                        return Ok(true);
                    }
                    back = Some((token, at));
                    continue;
                }
                Some(single) => {
                    if let Some(c) = self.characters.at(bytes, at) {
                        if single.accepts(c.key) {
                            at = c.next;
                            token += 1;
                            continue;
                        }
                    }
                }
                None if at >= *end.get_or_insert_with(|| self.text(bytes).end) => return Ok(true),
                None => {}
            }
            let Some((resume, from)) = back else { return Ok(false) };
            let Some(c) = self.characters.at(bytes, from) else { return Ok(false) };
            back = Some((resume, c.next));
            (token, at) = (resume, c.next);
        }
    }
}

fn string(value: ValueRef<'_>) -> (&[u8], bool) {
    match value {
        ValueRef::Chars(bytes) => (bytes, false),
        ValueRef::Unicode(bytes) => (bytes, true),
        other => unreachable!("{other:?} is not a string"),
    }
}

fn escape_character(collation: Collation, value: ValueRef<'_>) -> SqlResult<u32> {
    let (bytes, wide) = string(value);
    let characters = Characters::new(collation, wide);
    match characters.at(bytes, 0) {
        Some(character) if character.next >= bytes.len() => Ok(character.code),
        _ => {
            let text = match wide {
                true => codepage::unicode_to_string(bytes),
                false => codepage::chars_to_string(collation, bytes),
            };
            Err(SqlError::new(&message::INVALID_ESCAPE_CHARACTER, &[&text, &"LIKE"]))
        }
    }
}

impl Token {
    #[inline]
    fn accepts(&self, key: u64) -> bool {
        match self {
            Token::One(one) => *one == key,
            Token::Any => true,
            Token::Set { negated, ranges } => {
                let below = ranges.partition_point(|&(low, _)| low <= key);
                let is_in = below.checked_sub(1).is_some_and(|at| key <= ranges[at].1);
                is_in != *negated
            }
            Token::Many | Token::Never => false,
        }
    }
}

struct Parser<'a> {
    characters: &'a Characters,
    bytes: &'a [u8],
    at: usize,
    /// Code of the escape character.
    escape: Option<u32>,
}

/// A character of a pattern.
struct PatternCharacter {
    character: Character,
    /// Where it starts.
    start: usize,
    is_escaped: bool,
}

impl<'a> Parser<'a> {
    /// The next character.
    fn character(&mut self) -> Option<PatternCharacter> {
        let start = self.at;
        let first = self.characters.at(self.bytes, start)?;
        self.at = first.next;
        if Some(first.code) != self.escape {
            return Some(PatternCharacter { character: first, start, is_escaped: false });
        }
        let escaped = self.characters.at(self.bytes, first.next)?;
        self.at = escaped.next;
        Some(PatternCharacter { character: escaped, start: first.next, is_escaped: true })
    }

    /// The next token, and the bytes of the character it stands for if it is a [`Token::One`].
    fn token(&mut self) -> Option<(Token, &'a [u8])> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let before = self.at;
        let Some(next) = self.character() else {
            // The escape character was the last one, or half a character is left over.
            let dangling = self.at > before;
            self.at = self.bytes.len();
            return dangling.then_some((Token::Never, &[]));
        };
        let PatternCharacter { character: c, start, is_escaped: escaped } = next;
        let token = match char::from_u32(c.code) {
            Some('%') if !escaped => Token::Many,
            Some('_') if !escaped => Token::Any,
            Some('[') if !escaped => self.set(),
            _ => return Some((Token::One(c.key), &self.bytes[start..c.next])),
        };
        Some((token, &[]))
    }

    /// The rest of a bracket after `[`.
    fn set(&mut self) -> Token {
        let is = |c: &Character, expected: char| c.code == expected as u32;
        let mut negated = false;
        if let Some(c) = self.characters.at(self.bytes, self.at).filter(|c| is(c, '^')) {
            negated = true;
            self.at = c.next;
        }
        let mut ranges = Vec::new();
        loop {
            let Some(next) = self.character() else { return Token::Never };
            let PatternCharacter { character: low, is_escaped: escaped, .. } = next;
            if is(&low, ']') && !escaped {
                return Token::Set { negated, ranges: joined(ranges).into() };
            }
            let mut high = low;
            let dash = self.characters.at(self.bytes, self.at).filter(|c| is(c, '-'));
            if let Some(dash) = dash {
                // A dash before the closing bracket is a dash.
                let closes = self.characters.at(self.bytes, dash.next).is_none_or(|c| is(&c, ']'));
                if !closes {
                    self.at = dash.next;
                    match self.character() {
                        Some(next) => high = next.character,
                        None => return Token::Never,
                    }
                }
            }
            ranges.push((low.key, high.key));
        }
    }
}

/// Ranges in ascending order, those that overlap made one. What ends before it begins has nothing.
fn joined(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.retain(|&(low, high)| low <= high);
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let overlap = next.0 <= last.1;
        if overlap {
            last.1 = last.1.max(next.1);
        }
        overlap
    });
    ranges
}

#[cfg(test)]
mod tests;
