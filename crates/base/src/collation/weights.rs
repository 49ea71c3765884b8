//! Weights of characters: what comparison, sort keys, hashing and LIKE are all made of.
//!
//! An **element** is a `u32`: a primary weight of 24 bits over 8 bits of flags. Primary weights are
//! one to three bytes, left-aligned, whose first byte says how many there are; so comparing weights
//! as numbers compares them as bytes of a sort key. The order:
//!
//! | first byte | what | bytes |
//! |---|---|---|
//! | 02 | the blank: lowest, so that padding with blanks never changes an order | 1 |
//! | 03–2F | ASCII punctuation | 1 |
//! | 30 | other symbols and controls, by code | 3 |
//! | 31–3A | digits | 1 |
//! | 40–DF | a to z and the Latin letters that lie between them | 1 |
//! | EC–EE | other Latin letters, by code | 2 |
//! | F0–F7 | Greek, Cyrillic and other alphabets up to U+0A00, by code | 2 |
//! | F8 | everything else, by code | 3 |
//!
//! Everything follows from code points and the two tables in this folder, because sort keys are
//! stored in logs: a character's weight must not depend on its neighbours in a newer Unicode.
//! (ICU's collator would order every script by its readers' habits, at the price of half a megabyte
//! of tables, keys twice as long, and an order that is not Windows' either.)
//!
//! Accents are a second level, case, width and kana a third; see [`super::compare`].

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::decompositions::DECOMPOSITIONS;

/// The element is upper case (for the old SQL sort orders: lower case, which they put second).
pub(super) const CASE: u32 = 1;
/// It is a full-width form.
pub(super) const WIDTH: u32 = 2;
/// It is katakana.
pub(super) const KANA: u32 = 4;
/// It carries accents.
pub(super) const ACCENT: u32 = 8;
/// It stands for several elements.
pub(super) const EXPANSION: u32 = 16;
/// It is a combining mark: no primary weight.
pub(super) const MARK: u32 = 32;

/// The primary weight of an element, left-aligned in 24 bits.
#[inline]
pub(super) const fn primary(element: u32) -> u32 {
    element >> 8
}

/// The lowest value of the second and third level, that of a plain lower-case letter.
pub(super) const LEVEL_DEFAULT: u8 = 2;

/// How a unit is weighed.
#[derive(Clone, Copy)]
pub(super) struct Weighted {
    pub element: u32,
    /// The index of its accents, or of its expansion.
    pub accents: u8,
}

pub(super) struct Weights {
    elements: Box<[u32]>,
    /// Index into `combinations`, or into `expansions` for an [`EXPANSION`].
    accents: Box<[u8]>,
    combinations: Vec<[u8; 3]>,
    expansions: Vec<Vec<Weighted>>,
}

/// Ranges of units that are symbols or controls rather than letters.
const SYMBOLS: &[(u16, u16)] = &[
    (0x00, 0x2F),
    (0x3A, 0x40),
    (0x5B, 0x60),
    (0x7B, 0xA9),
    (0xAB, 0xB4),
    (0xB6, 0xB9),
    (0xBB, 0xBF),
    (0xD7, 0xD7),
    (0xF7, 0xF7),
    (0x2B0, 0x2FF),
    (0x2000, 0x2BFF),
    (0x2E00, 0x2E7F),
    (0x3000, 0x3004),
    (0x3008, 0x3020),
    (0x3030, 0x303F),
    (0xFE00, 0xFE6F),
    (0xFFE0, 0xFFFF),
];

/// ASCII punctuation in the order of Windows, which starts with what it nearly ignores.
const PUNCTUATION: &[u8] = b" '-!\"#$%&()*,./:;?@[\\]^_`{|}~+<=>";

/// Letters that are written as one and read as several.
const EXPANSIONS: &[(char, &str)] = &[
    ('ß', "ss"),
    ('ẞ', "SS"),
    ('æ', "ae"),
    ('Æ', "AE"),
    ('œ', "oe"),
    ('Œ', "OE"),
    ('þ', "th"),
    ('Þ', "TH"),
    ('ĳ', "ij"),
    ('Ĳ', "IJ"),
    ('ﬀ', "ff"),
    ('ﬁ', "fi"),
    ('ﬂ', "fl"),
    ('ﬃ', "ffi"),
    ('ﬄ', "ffl"),
    ('ﬅ', "st"),
    ('ﬆ', "st"),
];

/// Letters with a stroke or a missing dot, which have no canonical decomposition: the letter they
/// are accented forms of, and the secondary weight of the accent.
const STROKED: &[(char, char, u8)] = &[
    ('ø', 'o', 0x78),
    ('đ', 'd', 0x78),
    ('ð', 'd', 0x79),
    ('ħ', 'h', 0x78),
    ('ł', 'l', 0x78),
    ('ŧ', 't', 0x78),
    ('ƀ', 'b', 0x78),
    ('ı', 'i', 0x7A),
];

pub(super) static WEIGHTS: LazyLock<Weights> = LazyLock::new(Weights::new);

impl Weights {
    #[inline]
    pub(super) fn of(&self, unit: u16) -> Weighted {
        let unit = usize::from(unit);
        Weighted { element: self.elements[unit], accents: self.accents[unit] }
    }

    /// Secondary weights of an element's accents; zeros fill up.
    pub(super) fn combination(&self, index: u8) -> &[u8; 3] {
        &self.combinations[usize::from(index)]
    }

    pub(super) fn expansion(&self, index: u8) -> &[Weighted] {
        &self.expansions[usize::from(index)]
    }

    fn new() -> Weights {
        let mut weights = Weights {
            elements: (0..=u16::MAX).map(undecorated).collect(),
            accents: vec![0; 65536].into(),
            combinations: vec![[0; 3]],
            expansions: Vec::new(),
        };
        let mut known = BTreeMap::new();
        for mark in (0x300..0x370).chain([0x3099, 0x309A]) {
            let index = weights.combine([secondary(mark), 0, 0], &mut known);
            weights.elements[usize::from(mark)] = MARK;
            weights.accents[usize::from(mark)] = index;
        }
        for &(unit, base, marks) in DECOMPOSITIONS {
            let marks = marks.map(|m| if m == 0 { 0 } else { secondary(m) });
            let index = weights.combine(marks, &mut known);
            weights.decorate(unit, base, index);
        }
        for &(letter, base, accent) in STROKED {
            let index = weights.combine([accent, 0, 0], &mut known);
            for (letter, base) in both_cases(letter, base) {
                weights.decorate(letter as u16, base as u16, index);
            }
        }
        for &(letter, text) in EXPANSIONS {
            let elements = text.bytes().map(|b| weights.of(u16::from(b))).collect();
            weights.expand(letter as u16, elements);
        }
        for (letter, base, mark) in [('ǽ', 'æ', 0x301), ('Ǽ', 'Æ', 0x301), ('ǣ', 'æ', 0x304)]
        {
            let mut elements = weights.expansion(weights.of(base as u16).accents).to_vec();
            let accent = weights.combine([secondary(mark), 0, 0], &mut known);
            if let Some(last) = elements.last_mut() {
                *last = Weighted { element: last.element | ACCENT, accents: accent };
            }
            weights.expand(letter as u16, elements);
        }
        weights
    }

    fn combine(&mut self, marks: [u8; 3], known: &mut BTreeMap<[u8; 3], u8>) -> u8 {
        *known.entry(marks).or_insert_with(|| {
            self.combinations.push(marks);
            u8::try_from(self.combinations.len() - 1)
                .expect("there are fewer than 256 combinations")
        })
    }

    fn decorate(&mut self, unit: u16, base: u16, accents: u8) {
        self.elements[usize::from(unit)] = undecorated(base) | ACCENT;
        self.accents[usize::from(unit)] = accents;
    }

    fn expand(&mut self, unit: u16, elements: Vec<Weighted>) {
        self.elements[usize::from(unit)] |= EXPANSION;
        self.accents[usize::from(unit)] =
            u8::try_from(self.expansions.len()).expect("there are fewer than 256 expansions");
        self.expansions.push(elements);
    }
}

fn both_cases(letter: char, base: char) -> impl Iterator<Item = (char, char)> {
    let upper = letter.to_uppercase().next().unwrap_or(letter);
    let has_upper = upper != letter && letter != 'ı';
    [(letter, base)].into_iter().chain(has_upper.then_some((upper, base.to_ascii_uppercase())))
}

/// The secondary weight of a combining mark.
const fn secondary(mark: u16) -> u8 {
    match mark {
        0x300..0x370 => (mark - 0x300) as u8 + 3,
        0x3099 => 0x74,
        _ => 0x75,
    }
}

/// The element of a unit without looking at accents: folded case, width and kana as flags.
fn undecorated(unit: u16) -> u32 {
    match unit {
        0xFF01..=0xFF5E => return undecorated(unit - 0xFEE0) | WIDTH,
        0x30A1..=0x30F6 => return undecorated(unit - 0x60) | KANA,
        _ => {}
    }
    let lower = char::from_u32(u32::from(unit)).map(|c| {
        let mut lower = c.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(single), None) if (single as u32) < 0x1_0000 => single as u16,
            _ => unit,
        }
    });
    match lower {
        Some(lower) if lower != unit => primary_of(lower) << 8 | CASE,
        _ => primary_of(unit) << 8,
    }
}

fn primary_of(unit: u16) -> u32 {
    const fn one(byte: u32) -> u32 {
        byte << 16
    }
    let code = u32::from(unit);
    let between = |letter: u8| Some(one(letter_weight(letter) + 1));
    let special = match char::from_u32(code) {
        Some('æ' | 'Æ') => between(b'a'),
        Some('œ' | 'Œ') => between(b'o'),
        Some('ß' | 'ẞ') => between(b's'),
        Some('þ' | 'Þ') => between(b't'),
        _ => None,
    };
    if let Some(weight) = special {
        return weight;
    }
    if let Ok(byte) = u8::try_from(unit) {
        if let Some(at) = PUNCTUATION.iter().position(|&p| p == byte) {
            return one(2 + at as u32);
        }
        if byte.is_ascii_digit() {
            return one(0x31 + u32::from(byte - b'0'));
        }
        if byte.is_ascii_alphabetic() {
            return one(letter_weight(byte.to_ascii_lowercase()));
        }
    }
    if SYMBOLS.iter().any(|&(from, to)| (from..=to).contains(&unit)) {
        return 0x30 << 16 | code;
    }
    match code {
        0..0x250 => 0xEC_0000 + (code << 8),
        0x250..0xA00 => 0xF0_0000 + ((code - 0x250) << 8),
        _ => 0xF8 << 16 | code,
    }
}

/// Letters are six apart, so that others fit between them.
const fn letter_weight(lower: u8) -> u32 {
    0x40 + 6 * (lower - b'a') as u32
}

/// The ASCII character that comes closest to a unit: its base letter, or its half-width form.
pub(super) fn closest_ascii(unit: u16) -> Option<u8> {
    if (0xFF01..=0xFF5E).contains(&unit) {
        return u8::try_from(unit - 0xFEE0).ok();
    }
    let Weighted { element, .. } = WEIGHTS.of(unit);
    if element & ACCENT == 0 || element & EXPANSION != 0 {
        return None;
    }
    let lower = (b'a'..=b'z').find(|&c| letter_weight(c) << 16 == primary(element))?;
    Some(if element & CASE != 0 { lower.to_ascii_uppercase() } else { lower })
}

/// Weights of the 256 bytes of a single-byte code page.
pub(super) struct ByteWeights {
    pub(super) elements: [u32; 256],
    pub(super) accents: [u8; 256],
}

impl ByteWeights {
    #[inline]
    pub(super) fn of(&self, byte: u8) -> Weighted {
        let byte = usize::from(byte);
        Weighted { element: self.elements[byte], accents: self.accents[byte] }
    }

    /// As Windows orders the characters behind the bytes.
    pub(super) fn windows(decode: &[u16; 256]) -> ByteWeights {
        let of = |i: usize| WEIGHTS.of(decode[i]);
        ByteWeights {
            elements: std::array::from_fn(|i| of(i).element),
            accents: std::array::from_fn(|i| of(i).accents),
        }
    }

    /// As the old SQL sort orders do: punctuation by code, no letter stands for two, and upper case
    /// before lower case where case matters.
    pub(super) fn sql(decode: &[u16; 256]) -> ByteWeights {
        let mut weights = ByteWeights::windows(decode);
        let mut next = 2;
        for byte in 0x20..0x7Fu8 {
            if !byte.is_ascii_alphanumeric() {
                weights.elements[usize::from(byte)] = next << 24;
                next += 1;
            }
        }
        for (element, unit) in weights.elements.iter_mut().zip(decode) {
            *element &= !EXPANSION;
            let lower = char::from_u32(u32::from(*unit))
                .is_some_and(|c| !c.to_uppercase().eq(std::iter::once(c)));
            if lower {
                *element |= CASE;
            } else {
                *element &= !CASE;
            }
        }
        for (element, accent) in weights.elements.iter().zip(&mut weights.accents) {
            if element & (ACCENT | MARK) == 0 {
                *accent = 0;
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests;
