//! Finding one string in another under a collation: CHARINDEX, REPLACE.

use std::ops::Range;

use super::like::Characters;
use crate::types::Collation;
use crate::value::ValueRef;

/// Where `needle` first occurs in `haystack` at or after byte `from`, as a range of bytes. Both
/// must be of the same kind. An empty needle is not found.
pub fn find(
    collation: Collation,
    haystack: ValueRef<'_>,
    needle: ValueRef<'_>,
    from: usize,
) -> Option<Range<usize>> {
    let (text, pattern, wide) = match (haystack, needle) {
        (ValueRef::Chars(text), ValueRef::Chars(pattern)) => (text, pattern, false),
        (ValueRef::Unicode(text), ValueRef::Unicode(pattern)) => (text, pattern, true),
        other => unreachable!("{other:?} are not strings of one kind"),
    };
    let characters = Characters::new(collation, wide);
    let first = characters.at(pattern, 0)?;
    let mut start = from;
    while let Some(c) = characters.at(text, start) {
        if c.key == first.key {
            if let Some(end) = follows(&characters, text, c.next, pattern, first.next) {
                return Some(start..end);
            }
        }
        start = c.next;
    }
    None
}

/// Whether the rest of the pattern follows, and where it ends.
fn follows(
    characters: &Characters,
    text: &[u8],
    mut at: usize,
    pattern: &[u8],
    mut next: usize,
) -> Option<usize> {
    while let Some(expected) = characters.at(pattern, next) {
        let found = characters.at(text, at)?;
        if found.key != expected.key {
            return None;
        }
        at = found.next;
        next = expected.next;
    }
    Some(at)
}

/// `CHARINDEX`: where `needle` first occurs, in characters from 1, looking from character `start`
/// on (1 and below: from the beginning); 0 if nowhere.
pub fn char_index(
    collation: Collation,
    needle: ValueRef<'_>,
    haystack: ValueRef<'_>,
    start: i64,
) -> i64 {
    let from = byte_offset(collation, haystack, start - 1);
    match find(collation, haystack, needle, from) {
        Some(range) => char_count(collation, truncated(haystack, range.start)) + 1,
        None => 0,
    }
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
pub fn char_count(collation: Collation, value: ValueRef<'_>) -> i64 {
    let flags = collation.info().flags;
    match value {
        ValueRef::Chars(bytes) if !flags.is_utf8() => bytes.len() as i64,
        ValueRef::Unicode(bytes) if !flags.supplementary() => bytes.len() as i64 / 2,
        ValueRef::Chars(bytes) => count(&Characters::new(collation, false), bytes),
        ValueRef::Unicode(bytes) => count(&Characters::new(collation, true), bytes),
        other => unreachable!("{other:?} is not a string"),
    }
}

fn count(characters: &Characters, bytes: &[u8]) -> i64 {
    let (mut at, mut n) = (0, 0);
    while let Some(c) = characters.at(bytes, at) {
        at = c.next;
        n += 1;
    }
    n
}

/// The byte at which character `index` (from 0) of a string starts, its length if it has fewer;
/// 0 for negative indexes.
pub fn byte_offset(collation: Collation, value: ValueRef<'_>, index: i64) -> usize {
    let index = usize::try_from(index.max(0)).unwrap_or(usize::MAX);
    let flags = collation.info().flags;
    match value {
        ValueRef::Chars(bytes) if !flags.is_utf8() => index.min(bytes.len()),
        ValueRef::Unicode(bytes) if !flags.supplementary() => {
            index.saturating_mul(2).min(bytes.len())
        }
        ValueRef::Chars(bytes) => skip(&Characters::new(collation, false), bytes, index),
        ValueRef::Unicode(bytes) => skip(&Characters::new(collation, true), bytes, index),
        other => unreachable!("{other:?} is not a string"),
    }
}

fn skip(characters: &Characters, bytes: &[u8], index: usize) -> usize {
    let mut at = 0;
    for _ in 0..index {
        match characters.at(bytes, at) {
            Some(c) => at = c.next,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collation::codepage::string_to_unicode;

    #[test]
    fn charindex_counts_characters_from_one() {
        let c = Collation::DEFAULT;
        let text = ValueRef::Chars(b"Reflectors are vital safety components");
        for (needle, start, expected) in [
            (&b"vital"[..], 0, 16),
            (b"VITAL", 1, 16),
            (b"e", 1, 2),
            (b"e", 3, 5),
            (b"e", 1000, 0),
            (b"zz", 1, 0),
            (b"", 1, 0),
            (b"Reflectors are vital safety components!", 1, 0),
        ] {
            assert_eq!(char_index(c, ValueRef::Chars(needle), text, start), expected);
        }
        let bin = Collation::LATIN1_BIN2;
        assert_eq!(char_index(bin, ValueRef::Chars(b"VITAL"), text, 1), 0);
    }

    #[test]
    fn positions_follow_the_collations_idea_of_a_character() {
        let mut text = Vec::new();
        string_to_unicode("x😀yz", &mut text);
        let mut y = Vec::new();
        string_to_unicode("y", &mut y);
        let (text, y) = (ValueRef::Unicode(&text), ValueRef::Unicode(&y));
        assert_eq!(char_index(Collation::DEFAULT, y, text, 1), 4);
        let sc = Collation::by_name("Latin1_General_100_CI_AS_SC").unwrap();
        assert_eq!(char_index(sc, y, text, 1), 3);
        assert_eq!(char_count(sc, text), 4);
        assert_eq!(char_count(Collation::DEFAULT, text), 5);
        assert_eq!(byte_offset(sc, text, 2), 6);
        let utf8 = Collation::LATIN1_BIN2_UTF8;
        assert_eq!(
            char_index(
                utf8,
                ValueRef::Chars("y".as_bytes()),
                ValueRef::Chars("é😀y".as_bytes()),
                1
            ),
            3
        );
    }
}
