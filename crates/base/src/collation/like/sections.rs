//! Matching by sections, for patterns whose beginnings occur everywhere in a text.
//!
//! What lies between two `%` is a section: single characters, `_` and sets. Where a pattern matches
//! at all, it matches with each section at its first place after the one before, so sections are
//! looked for one after the other. A section is compared at each place in turn; where that becomes
//! expensive, it is looked for by a word of bits for each 64 of its characters: bit `i` says that
//! the section's first `i + 1` characters match up to here (Baeza-Yates and Gonnet, *A new approach
//! to text searching*, 1992). Each character of the text costs these words once, whatever pattern
//! and text are.

use std::collections::HashMap;

use super::{CHEAP_PER_BYTE, Characters, Token};
use crate::error::SqlResult;
use crate::pace::Stride;

/// Characters whose masks are kept at a time.
const MASKS_MAX: usize = 1024;
/// How many characters of a section may be compared beside [`CHEAP_PER_BYTE`].
const CHEAP: usize = 4096;

/// Where a section matches, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub start: usize,
    pub end: usize,
}

/// A text, and where a match of a whole pattern may end.
#[derive(Clone, Copy)]
pub(super) struct Text<'t> {
    pub characters: &'t Characters,
    pub bytes: &'t [u8],
    /// A match may end here or anywhere after: nothing but blanks that do not count follows.
    pub end: usize,
}

impl Text<'_> {
    /// Whether `tokens` match from byte `start` to the end.
    pub fn matches(
        &self,
        tokens: &[Token],
        start: usize,
        stride: &mut Stride<'_>,
    ) -> SqlResult<bool> {
        let mut sections = tokens.split(|token| matches!(token, Token::Many));
        let first = sections.next().unwrap_or_default();
        let Some(mut at) = self.follows(first, start, stride)? else { return Ok(false) };
        let mut last = None;
        for section in sections {
            if let Some(section) = last.replace(section) {
                match self.search(section, at, false, stride)? {
                    Some(found) => at = found.end,
                    None => return Ok(false),
                }
            }
        }
        match last {
            // No `%` at all.
            None => Ok(at >= self.end),
            Some([]) => Ok(true),
            Some(section) => Ok(self.search(section, at, true, stride)?.is_some()),
        }
    }

    /// Where a section ends that begins at byte `at`, if it matches there.
    fn follows(
        &self,
        section: &[Token],
        at: usize,
        stride: &mut Stride<'_>,
    ) -> SqlResult<Option<usize>> {
        let (end, compared) = self.compare(section, at);
        stride.step(compared)?;
        Ok(end)
    }

    /// As `follows`, with the number of characters that were compared.
    fn compare(&self, section: &[Token], mut at: usize) -> (Option<usize>, usize) {
        for (compared, token) in section.iter().enumerate() {
            match self.characters.at(self.bytes, at) {
                Some(c) if token.accepts(c.key) => at = c.next,
                _ => return (None, compared + 1),
            }
        }
        (Some(at), section.len())
    }

    /// Where a section, which is not empty, matches first at or after byte `from`; with `to_end`,
    /// where it matches up to the end.
    pub fn search(
        &self,
        section: &[Token],
        from: usize,
        to_end: bool,
        stride: &mut Stride<'_>,
    ) -> SqlResult<Option<Found>> {
        let (mut start, mut cheap) = (from, CHEAP);
        loop {
            let (end, compared) = self.compare(section, start);
            if let Some(end) = end.filter(|end| !to_end || *end >= self.end) {
                return Ok(Some(Found { start, end }));
            }
            stride.step(compared)?;
            match cheap.checked_sub(compared) {
                Some(left) => cheap = left + CHEAP_PER_BYTE,
                None => return self.search_by_bits(section, start, to_end, stride),
            }
            match self.characters.at(self.bytes, start) {
                Some(c) => start = c.next,
                None => return Ok(None),
            }
        }
    }

    /// As [`Text::search`], at the same cost for each character of the text.
    pub fn search_by_bits(
        &self,
        section: &[Token],
        from: usize,
        to_end: bool,
        stride: &mut Stride<'_>,
    ) -> SqlResult<Option<Found>> {
        let words = section.len().div_ceil(64);
        let last = 1u64 << ((section.len() - 1) % 64);
        let mut masks = Masks { section, words, of: HashMap::new(), bits: Vec::new() };
        let mut state = vec![0u64; words];
        // Where the last characters begin, as many as the section has.
        let mut starts = vec![0; section.len()];
        let (mut at, mut place) = (from, 0);
        while let Some(c) = self.characters.at(self.bytes, at) {
            stride.step(1 + words / 16)?;
            starts[place] = at;
            place = if place + 1 == section.len() { 0 } else { place + 1 };
            let mask = masks.of(c.key, stride)?;
            let mut carry = 1;
            for (word, mask) in state.iter_mut().zip(mask) {
                let shifted = *word << 1 | carry;
                carry = *word >> 63;
                *word = shifted & mask;
            }
            at = c.next;
            let is_found = state[words - 1] & last != 0;
            if is_found && (!to_end || at >= self.end) {
                return Ok(Some(Found { start: starts[place], end: at }));
            }
        }
        Ok(None)
    }
}

/// Which characters of a section a character of the text can be.
struct Masks<'s> {
    section: &'s [Token],
    words: usize,
    /// Where the words of a character begin, by its key.
    of: HashMap<u64, usize>,
    bits: Vec<u64>,
}

impl Masks<'_> {
    fn of(&mut self, key: u64, stride: &mut Stride<'_>) -> SqlResult<&[u64]> {
        let start = match self.of.get(&key) {
            Some(&start) => start,
            None => self.make(key, stride)?,
        };
        Ok(&self.bits[start..start + self.words])
    }

    #[cold]
    fn make(&mut self, key: u64, stride: &mut Stride<'_>) -> SqlResult<usize> {
        if self.of.len() >= MASKS_MAX {
            self.of.clear();
            self.bits.clear();
        }
        let start = self.bits.len();
        self.bits.resize(start + self.words, 0);
        for (at, token) in self.section.iter().enumerate() {
            stride.step(1)?;
            if token.accepts(key) {
                self.bits[start + at / 64] |= 1 << (at % 64);
            }
        }
        self.of.insert(key, start);
        Ok(start)
    }
}
