//! Comparison, sort keys and hashes by a [rule set](super::rules): the families of collations that
//! `weights` does not know.
//!
//! The levels are those of [`super::compare`], and so are the invariants C1 and C2. A string is a
//! sequence of elements. What makes it one, in the order in which it is done:
//!
//! * A vowel of Thai or Lao that is written before its consonant is taken after it.
//! * A syllable of Hangul is its letters.
//! * Units that begin a contraction are one with those after them: `ch`, or a letter and its marks
//!   where the two have a weight of their own. Marks are looked for in their canonical order.
//! * Other characters are one element or several.

use std::cmp::Ordering;

use super::codepage::{CodePage, DoubleByte, SingleByte, code_page};
use super::compare::decode_utf8;
use super::rules::{CASE, Element, KANA, Rules, SELECTOR, SEQUENCE, STARTS, VARIANT, WIDTH};
use crate::pace::{Gauge, Ungauged, ungauged};
use crate::types::Collation;

/// Which levels beyond the first a collation looks at.
#[derive(Clone, Copy)]
pub(super) struct Strength {
    accents: bool,
    /// The flags of an element that matter on the third level; [`SELECTOR`] if variation selectors
    /// do.
    third: u8,
}

impl Strength {
    pub(super) fn of(collation: Collation) -> Strength {
        let flags = collation.info().flags;
        let mut third = 0;
        for (counts, flag) in [
            (!flags.ignores_case(), CASE | VARIANT),
            (!flags.ignores_width(), WIDTH),
            (!flags.ignores_kana(), KANA),
            (flags.tells_variations(), SELECTOR),
        ] {
            if counts {
                third |= flag;
            }
        }
        Strength { accents: !flags.ignores_accents(), third }
    }

    /// The first level alone.
    pub(super) const PRIMARY: Strength = Strength { accents: false, third: 0 };
}

/// A string as UTF-16 units. Cloning starts again from the same place.
pub(super) trait Source: Clone {
    fn next(&mut self) -> Option<u16>;
}

/// UTF-16LE bytes.
#[derive(Clone)]
pub(super) struct Wide<'a>(pub(super) &'a [u8]);

impl Source for Wide<'_> {
    #[inline]
    fn next(&mut self) -> Option<u16> {
        let (&first, rest) = self.0.split_first_chunk::<2>()?;
        self.0 = rest;
        Some(u16::from_le_bytes(first))
    }
}

/// Bytes of a single-byte code page.
#[derive(Clone)]
pub(super) struct Bytes<'a>(&'a [u8], &'static SingleByte);

impl Source for Bytes<'_> {
    #[inline]
    fn next(&mut self) -> Option<u16> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(self.1.decode[usize::from(first)])
    }
}

/// Bytes of a code page of which characters have one or two.
#[derive(Clone)]
pub(super) struct Pairs<'a>(&'a [u8], &'static DoubleByte);

impl Source for Pairs<'_> {
    #[inline]
    fn next(&mut self) -> Option<u16> {
        let (unit, length) = self.1.first(self.0)?;
        self.0 = &self.0[length..];
        Some(unit)
    }
}

/// UTF-8 bytes, and the second half of a surrogate pair whose first was returned.
#[derive(Clone)]
pub(super) struct Utf8<'a>(&'a [u8], Option<u16>);

impl Source for Utf8<'_> {
    fn next(&mut self) -> Option<u16> {
        if let Some(low) = self.1.take() {
            return Some(low);
        }
        let (c, length) = decode_utf8(self.0)?;
        self.0 = &self.0[length..];
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units);
        self.1 = units.get(1).copied();
        Some(units[0])
    }
}

/// A char or varchar.
#[derive(Clone)]
pub(super) enum Chars<'a> {
    Bytes(Bytes<'a>),
    Pairs(Pairs<'a>),
    Utf8(Utf8<'a>),
}

impl<'a> Chars<'a> {
    pub(super) fn new(collation: Collation, bytes: &'a [u8]) -> Chars<'a> {
        match code_page(collation) {
            CodePage::Single(page) => Chars::Bytes(Bytes(bytes, page)),
            CodePage::Double(page) => Chars::Pairs(Pairs(bytes, page)),
            CodePage::Utf8 => Chars::Utf8(Utf8(bytes, None)),
        }
    }
}

impl Source for Chars<'_> {
    #[inline]
    fn next(&mut self) -> Option<u16> {
        match self {
            Chars::Bytes(bytes) => bytes.next(),
            Chars::Pairs(pairs) => pairs.next(),
            Chars::Utf8(utf8) => utf8.next(),
        }
    }
}

/// The elements of a string.
#[derive(Clone)]
pub(super) struct Elements<S> {
    rules: &'static Rules,
    source: S,
    /// Elements of the character that was read last.
    pending: &'static [Element],
    /// Units that come before the source's next one; zeros are none.
    held: [u16; 2],
}

impl<S: Source> Elements<S> {
    pub(super) fn new(rules: &'static Rules, source: S) -> Elements<S> {
        Elements { rules, source, pending: &[], held: [0; 2] }
    }

    #[inline]
    fn unit(&mut self) -> Option<u16> {
        if self.held[0] != 0 {
            let [unit, next] = self.held;
            self.held = [next, 0];
            return Some(unit);
        }
        self.source.next()
    }

    /// The next element. Those of characters without any weight are nothing on all levels.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Element> {
        loop {
            if let Some((&first, rest)) = self.pending.split_first() {
                self.pending = rest;
                return Some(first);
            }
            let is_held = self.held[0] != 0;
            let mut unit = self.unit()?;
            if unit >= 0xE40 && !is_held {
                unit = match self.in_order(unit) {
                    Ok(unit) => unit,
                    Err(selector) => return Some(selector),
                };
            }
            let mut cell = self.rules.cell(unit);
            if cell & STARTS != 0 {
                if self.held[0] == 0 && self.contracted(unit) {
                    continue;
                }
                cell &= !STARTS;
            }
            if cell & SEQUENCE != 0 {
                self.pending = self.rules.sequence(cell);
            } else {
                return Some(element(cell));
            }
        }
    }

    /// What is not taken as it is written; a variation selector is an element at once.
    fn in_order(&mut self, unit: u16) -> Result<u16, Element> {
        match unit {
            0xE40..=0xE44 => Ok(self.after_consonant(unit, 0xE01..=0xE2E)),
            0xEC0..=0xEC4 => Ok(self.after_consonant(unit, 0xE81..=0xEAE)),
            0xAC00..=0xD7A3 => {
                let (lead, rest) = ((unit - 0xAC00) / 588, (unit - 0xAC00) % 588);
                let tail = rest % 28;
                self.held = [0x1161 + rest / 28, if tail == 0 { 0 } else { 0x11A7 + tail }];
                Ok(0x1100 + lead)
            }
            0xFE00..=0xFE0F => Err(selector(unit - 0xFE00)),
            0xDB40 => {
                let mut ahead = self.source.clone();
                match ahead.next() {
                    Some(low @ 0xDD00..=0xDDEF) => {
                        self.source = ahead;
                        Err(selector(low - 0xDD00 + 16))
                    }
                    _ => Ok(unit),
                }
            }
            _ => Ok(unit),
        }
    }

    fn after_consonant(&mut self, vowel: u16, consonants: std::ops::RangeInclusive<u16>) -> u16 {
        let mut ahead = self.source.clone();
        match ahead.next() {
            Some(consonant) if consonants.contains(&consonant) => {
                self.source = ahead;
                self.held = [vowel, 0];
                consonant
            }
            _ => vowel,
        }
    }

    fn contracted(&mut self, first: u16) -> bool {
        let mut ahead = self.source.clone();
        match self.rules.contraction(first, || ahead.next()) {
            Some((taken, elements)) => {
                for _ in 0..taken {
                    self.source.next();
                }
                self.pending = elements;
                true
            }
            None => false,
        }
    }
}

fn element(cell: u32) -> Element {
    Element {
        primary: (cell >> 16) as u16,
        secondary: (cell >> 6 & 0x3FF) as u16,
        third: (cell >> 2 & 0xF) as u8,
    }
}

fn selector(number: u16) -> Element {
    Element { primary: 0, secondary: number + 1, third: SELECTOR }
}

/// The elements of one level as it compares; the lowest value is that of an element without
/// anything of it.
trait Level {
    /// What the element is on this level; `None` if it is nothing.
    fn of(&self, element: Element) -> Option<u32>;
}

struct Primary;

impl Level for Primary {
    #[inline]
    fn of(&self, element: Element) -> Option<u32> {
        (element.primary != 0).then_some(u32::from(element.primary))
    }
}

struct Secondary;

impl Level for Secondary {
    #[inline]
    fn of(&self, element: Element) -> Option<u32> {
        let counts = element.third != SELECTOR && (element.primary | element.secondary) != 0;
        counts.then_some(LEVEL_DEFAULT + u32::from(element.secondary))
    }
}

/// The third level, of which these flags matter.
struct Third(u8);

impl Level for Third {
    #[inline]
    fn of(&self, element: Element) -> Option<u32> {
        if element.third == SELECTOR {
            let counts = self.0 & SELECTOR != 0;
            return counts.then_some(SELECTORS + u32::from(element.secondary));
        }
        let flags = u32::from(element.third & self.0);
        (element.primary != 0).then_some(LEVEL_DEFAULT + flags)
    }
}

/// The lowest value of the second and the third level.
const LEVEL_DEFAULT: u32 = 2;
/// The values of variation selectors are above.
const SELECTORS: u32 = 0x100;

fn next_of<S: Source, G: Gauge>(
    elements: &mut Elements<S>,
    level: &impl Level,
    gauge: &mut G,
) -> Result<Option<u32>, G::Stop> {
    while let Some(element) = elements.next() {
        gauge.count()?;
        if let Some(value) = level.of(element) {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

fn compare_level<S: Source, G: Gauge>(
    level: impl Level,
    a: &Elements<S>,
    b: &Elements<S>,
    gauge: &mut G,
) -> Result<Ordering, G::Stop> {
    let (mut a, mut b) = (a.clone(), b.clone());
    loop {
        match (next_of(&mut a, &level, gauge)?, next_of(&mut b, &level, gauge)?) {
            (None, None) => return Ok(Ordering::Equal),
            (x, y) if x != y => return Ok(x.cmp(&y)),
            _ => {}
        }
    }
}

/// Compares strings without their trailing blanks.
pub(super) fn compare<S: Source, G: Gauge>(
    strength: Strength,
    a: Elements<S>,
    b: Elements<S>,
    gauge: &mut G,
) -> Result<Ordering, G::Stop> {
    let order = compare_level(Primary, &a, &b, gauge)?;
    if order.is_ne() {
        return Ok(order);
    }
    if strength.accents {
        let order = compare_level(Secondary, &a, &b, gauge)?;
        if order.is_ne() {
            return Ok(order);
        }
    }
    match strength.third {
        0 => Ok(Ordering::Equal),
        third => compare_level(Third(third), &a, &b, gauge),
    }
}

/// Ends a level; lower than every weight.
const LEVEL_END: u8 = 1;

/// Appends the sort key of a string without trailing blanks.
pub(super) fn sort_key<S: Source>(strength: Strength, elements: Elements<S>, out: &mut Vec<u8>) {
    let mut first = elements.clone();
    let (mut has_accents, mut flags) = (false, 0);
    while let Some(element) = first.next() {
        has_accents |= element.secondary != 0 && element.third != SELECTOR;
        if element.primary != 0 || element.third == SELECTOR {
            flags |= element.third;
        }
        if element.primary != 0 {
            // Above the ends of levels.
            out.extend_from_slice(&(element.primary + 0x200).to_be_bytes());
        }
    }
    let second = strength.accents && has_accents;
    if second {
        out.push(LEVEL_END);
        put_level(Secondary, &elements, out);
    }
    if flags & strength.third != 0 {
        if !second {
            out.push(LEVEL_END);
        }
        out.push(LEVEL_END);
        put_level(Third(strength.third), &elements, out);
    }
}

/// Trailing defaults of a level say nothing: what follows an end is lower than any of them.
fn put_level<S: Source>(level: impl Level, elements: &Elements<S>, out: &mut Vec<u8>) {
    let mut elements = elements.clone();
    let mut end = out.len();
    while let Some(value) = ungauged(next_of(&mut elements, &level, &mut Ungauged)) {
        // Values that are rare take two bytes.
        match value.checked_sub(u32::from(TWO_BYTES)) {
            None => out.push(value as u8),
            Some(above) => out.extend_from_slice(&[TWO_BYTES + (above >> 8) as u8, above as u8]),
        }
        if value != LEVEL_DEFAULT {
            end = out.len();
        }
    }
    out.truncate(end);
}

/// The first byte of a value that takes two.
const TWO_BYTES: u8 = 0xE0;

/// A hash of what [`compare`] looks at.
pub(super) fn hash<S: Source, G: Gauge>(
    strength: Strength,
    elements: Elements<S>,
    mut mix: impl FnMut(u64, u64) -> u64,
    gauge: &mut G,
) -> Result<u64, G::Stop> {
    let (mut hash, mut has_accents) = (0, false);
    let mut selectors = 0;
    let third = Third(strength.third);
    let mut all = elements.clone();
    while let Some(element) = all.next() {
        gauge.count()?;
        has_accents |= element.secondary != 0 && element.third != SELECTOR;
        if element.third == SELECTOR {
            if let Some(value) = third.of(element) {
                selectors = mix(selectors, u64::from(value));
            }
        } else if element.primary != 0 {
            let flags = u64::from(element.third & strength.third);
            hash = mix(hash, u64::from(element.primary) << 8 | flags);
        }
    }
    if strength.accents && has_accents {
        let mut defaults = 0u64;
        let mut all = elements;
        while let Some(accent) = next_of(&mut all, &Secondary, gauge)? {
            if accent == LEVEL_DEFAULT {
                defaults += 1;
            } else {
                hash = mix(hash, defaults << 16 | u64::from(accent));
            }
        }
    }
    Ok(if selectors == 0 { hash } else { mix(hash, selectors) })
}

/// What one character compares as by itself, in falling significance: its first primary weight,
/// three secondary ones, and the third level. Two characters have the same if and only if they are
/// equal by themselves.
pub(super) fn character_key(rules: &Rules, strength: Strength, unit: u16) -> u64 {
    if (0xAC00..=0xD7A3).contains(&unit) {
        // Above the key of every letter of Hangul that begins a syllable, by code.
        let lead = rules.cell(0x1100 + (unit - 0xAC00) / 588) >> 16;
        return u64::from(lead) << PRIMARY_SHIFT | 1 << 63 | u64::from(unit - 0xAC00) << 10;
    }
    let cell = rules.cell(unit) & !STARTS;
    let one = [element(cell)];
    let elements = match cell & SEQUENCE {
        0 => &one[..],
        _ => rules.sequence(cell),
    };
    let mut key = elements.first().map_or(0, |e| u64::from(e.primary)) << PRIMARY_SHIFT;
    let mut shift = PRIMARY_SHIFT;
    let (mut rest, mut several) = (0u64, false);
    let mut third = 0;
    for (at, e) in elements.iter().enumerate() {
        if at > 0 && e.primary != 0 {
            several = true;
            rest = rest.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(e.primary);
        }
        if strength.accents && e.secondary != 0 {
            rest = rest.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(e.secondary) << 20;
            if shift > 10 {
                shift -= 10;
                key |= u64::from(e.secondary) << shift;
            }
        }
        third |= if e.primary != 0 { e.third & strength.third } else { 0 };
    }
    if several {
        // Characters of several letters are told apart by all of them.
        let whole = rest.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 34;
        key = key >> PRIMARY_SHIFT << PRIMARY_SHIFT | 1 << 62 | whole << 10;
    }
    key | u64::from(third)
}

/// Where the primary weight of a character's key is.
const PRIMARY_SHIFT: u32 = 40;

#[cfg(test)]
mod tests;
