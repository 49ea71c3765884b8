//! Finding one string in another under a collation: CHARINDEX, REPLACE.

use std::ops::Range;

use super::like::Characters;
use crate::error::SqlResult;
use crate::pace::{Pace, Stride};
use crate::types::Collation;
use crate::value::ValueRef;

/// Looks for one string in others under a collation.
///
/// It compares character by character where the needle's first one occurs. Where that has become
/// expensive, since the needle's beginning occurs everywhere, it goes on by the needle's own
/// repetitions (Knuth, Morris and Pratt, *Fast pattern matching in strings*, 1977), which takes
/// memory but looks at each character of the text once.
pub struct Finder<'n> {
    characters: Characters,
    pattern: &'n [u8],
    repetitions: Option<Repetitions>,
}

/// A needle as weights, and for each length of a match how long the next shorter one is that ends
/// there, too.
struct Repetitions {
    keys: Vec<u64>,
    shorter: Vec<u32>,
}

/// Characters of needles that may be compared for each of the text before it is found expensive.
const CHEAP_PER_CHARACTER: usize = 8;
/// ... and beside that.
const CHEAP: usize = 4096;

impl<'n> Finder<'n> {
    /// A finder of `needle`. An empty one is not found.
    pub fn new(collation: Collation, needle: ValueRef<'n>) -> Finder<'n> {
        let (pattern, wide) = string(needle);
        Finder { characters: Characters::new(collation, wide), pattern, repetitions: None }
    }

    /// Where the needle first occurs in `haystack`, a string of its kind, at or after byte `from`,
    /// as a range of bytes.
    pub fn find(
        &mut self,
        haystack: ValueRef<'_>,
        from: usize,
        pace: &dyn Pace,
    ) -> SqlResult<Option<Range<usize>>> {
        let (text, _) = string(haystack);
        let characters = self.characters;
        let Some(first) = characters.at(self.pattern, 0) else { return Ok(None) };
        let mut stride = Stride::new(pace);
        let mut cheap = CHEAP;
        let mut start = from;
        while let Some(c) = characters.at(text, start) {
            stride.step(1)?;
            if c.key == first.key {
                let (end, compared) = self.follows(text, c.next, first.next);
                if let Some(end) = end {
                    return Ok(Some(start..end));
                }
                stride.step(compared)?;
                match cheap.checked_sub(compared) {
                    Some(left) => cheap = left,
                    None => return self.find_by_repetitions(text, start, &mut stride),
                }
            }
            cheap += CHEAP_PER_CHARACTER;
            start = c.next;
        }
        Ok(None)
    }

    /// Where the rest of the needle ends, if it follows, and how many characters were compared.
    fn follows(&self, text: &[u8], mut at: usize, mut next: usize) -> (Option<usize>, usize) {
        let mut compared = 0;
        while let Some(expected) = self.characters.at(self.pattern, next) {
            compared += 1;
            match self.characters.at(text, at) {
                Some(found) if found.key == expected.key => at = found.next,
                _ => return (None, compared),
            }
            next = expected.next;
        }
        (Some(at), compared)
    }

    fn find_by_repetitions(
        &mut self,
        text: &[u8],
        from: usize,
        stride: &mut Stride<'_>,
    ) -> SqlResult<Option<Range<usize>>> {
        let characters = self.characters;
        if self.repetitions.is_none() {
            self.repetitions = Some(Repetitions::of(&characters, self.pattern, stride)?);
        }
        let Some(Repetitions { keys, shorter }) = &self.repetitions else { return Ok(None) };
        // Where the last characters begin, as many as the needle has.
        let mut starts = vec![0; keys.len()];
        let (mut at, mut place, mut matched) = (from, 0, 0);
        while let Some(c) = characters.at(text, at) {
            stride.step(1)?;
            starts[place] = at;
            place = if place + 1 == keys.len() { 0 } else { place + 1 };
            while matched > 0 && keys[matched] != c.key {
                matched = shorter[matched - 1] as usize;
            }
            if keys[matched] == c.key {
                matched += 1;
            }
            at = c.next;
            if matched == keys.len() {
                return Ok(Some(starts[place]..at));
            }
        }
        Ok(None)
    }
}

impl Repetitions {
    fn of(
        characters: &Characters,
        pattern: &[u8],
        stride: &mut Stride<'_>,
    ) -> SqlResult<Repetitions> {
        let (mut keys, mut at) = (Vec::new(), 0);
        while let Some(c) = characters.at(pattern, at) {
            stride.step(1)?;
            keys.push(c.key);
            at = c.next;
        }
        let mut shorter = vec![0u32; keys.len()];
        let mut matched = 0;
        for at in 1..keys.len() {
            stride.step(1)?;
            while matched > 0 && keys[matched] != keys[at] {
                matched = shorter[matched - 1] as usize;
            }
            if keys[matched] == keys[at] {
                matched += 1;
            }
            shorter[at] = matched as u32;
        }
        Ok(Repetitions { keys, shorter })
    }
}

fn string(value: ValueRef<'_>) -> (&[u8], bool) {
    match value {
        ValueRef::Chars(bytes) => (bytes, false),
        ValueRef::Unicode(bytes) => (bytes, true),
        other => unreachable!("{other:?} is not a string"),
    }
}

/// The characters of a string one after the other, as ranges of bytes.
pub struct Walk<'v> {
    characters: Characters,
    bytes: &'v [u8],
    at: usize,
}

impl<'v> Walk<'v> {
    /// From the first character of `value` on.
    pub fn new(collation: Collation, value: ValueRef<'v>) -> Walk<'v> {
        let (bytes, wide) = string(value);
        Walk { characters: Characters::new(collation, wide), bytes, at: 0 }
    }
}

impl Iterator for Walk<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        // Half a character at the end counts as one.
        let end = self.characters.at(self.bytes, start).map_or(self.bytes.len(), |c| c.next);
        self.at = end;
        (start < self.bytes.len()).then_some(start..end)
    }
}

/// `CHARINDEX`: where `needle` first occurs, in characters from 1, looking from character `start`
/// on (1 and below: from the beginning); 0 if nowhere.
pub fn char_index(
    collation: Collation,
    needle: ValueRef<'_>,
    haystack: ValueRef<'_>,
    start: i64,
    pace: &dyn Pace,
) -> SqlResult<i64> {
    let from = byte_offset(collation, haystack, start - 1, pace)?;
    Ok(match Finder::new(collation, needle).find(haystack, from, pace)? {
        Some(range) => char_count(collation, truncated(haystack, range.start), pace)? + 1,
        None => 0,
    })
}

fn truncated(value: ValueRef<'_>, bytes: usize) -> ValueRef<'_> {
    match value {
        ValueRef::Chars(b) => ValueRef::Chars(&b[..bytes]),
        ValueRef::Unicode(b) => ValueRef::Unicode(&b[..bytes]),
        other => other,
    }
}

/// Characters in a string: bytes in most code pages, UTF-16 units unless the collation knows
/// supplementary characters.
pub fn char_count(collation: Collation, value: ValueRef<'_>, pace: &dyn Pace) -> SqlResult<i64> {
    let flags = collation.info().flags;
    match value {
        ValueRef::Chars(bytes) if is_bytewise(collation) => Ok(bytes.len() as i64),
        ValueRef::Unicode(bytes) if !flags.supplementary() => Ok(bytes.len() as i64 / 2),
        ValueRef::Chars(bytes) => count(&Characters::new(collation, false), bytes, pace),
        ValueRef::Unicode(bytes) => count(&Characters::new(collation, true), bytes, pace),
        other => unreachable!("{other:?} is not a string"),
    }
}

/// Whether each byte of a char or varchar is a character.
#[inline]
fn is_bytewise(collation: Collation) -> bool {
    !matches!(collation.info().code_page, 932 | 936 | 949 | 950 | 65001)
}

fn count(characters: &Characters, bytes: &[u8], pace: &dyn Pace) -> SqlResult<i64> {
    let (mut at, mut n) = (0, 0);
    let mut stride = Stride::new(pace);
    while let Some(c) = characters.at(bytes, at) {
        stride.step(1)?;
        at = c.next;
        n += 1;
    }
    Ok(n)
}

/// The byte at which character `index` (from 0) of a string starts, its length if it has fewer;
/// 0 for negative indexes.
pub fn byte_offset(
    collation: Collation,
    value: ValueRef<'_>,
    index: i64,
    pace: &dyn Pace,
) -> SqlResult<usize> {
    let index = usize::try_from(index.max(0)).unwrap_or(usize::MAX);
    let flags = collation.info().flags;
    match value {
        ValueRef::Chars(bytes) if is_bytewise(collation) => Ok(index.min(bytes.len())),
        ValueRef::Unicode(bytes) if !flags.supplementary() => {
            Ok(index.saturating_mul(2).min(bytes.len()))
        }
        ValueRef::Chars(bytes) => skip(&Characters::new(collation, false), bytes, index, pace),
        ValueRef::Unicode(bytes) => skip(&Characters::new(collation, true), bytes, index, pace),
        other => unreachable!("{other:?} is not a string"),
    }
}

fn skip(characters: &Characters, bytes: &[u8], index: usize, pace: &dyn Pace) -> SqlResult<usize> {
    let mut at = 0;
    let mut stride = Stride::new(pace);
    for _ in 0..index {
        stride.step(1)?;
        match characters.at(bytes, at) {
            Some(c) => at = c.next,
            None => break,
        }
    }
    Ok(at)
}

#[cfg(test)]
mod tests;
