//! Comparison, sort keys and hashing of strings under a collation.
//!
//! A string is compared level by level: primary weights (which letter), then accents, then case,
//! width and kana, as far as the collation distinguishes them. The `_BIN` and `_BIN2` collations
//! compare code units (`_BIN` as `_BIN2`: its habit of comparing all but the first unit byte by
//! byte is not reproduced).
//!
//! # Invariants
//!
//! * C1: trailing blanks never matter; the shorter string is as if padded with blanks.
//! * C2: `compare(a, b)` is the byte order of `sort_key(a)` and `sort_key(b)`; equal strings have
//!   equal keys and equal hashes.
//!
//! For C1 the linguistic weights make the blank the lowest weight, so that stripping is enough. In
//! code units there are controls below the blank, so binary keys encode runs of blanks by what
//! follows them, see `binary_key`.

use std::cmp::Ordering;
use std::sync::{LazyLock, OnceLock};

use super::codepage::{self, CodePage};
use super::rules::RuleSet;
use super::tailored;
use super::weights::{
    ACCENT, ByteWeights, CASE, EXPANSION, KANA, LEVEL_DEFAULT, MARK, WEIGHTS, WIDTH, Weighted,
    primary,
};
use crate::error::SqlResult;
use crate::pace::{Gauge, Pace, Stride, Ungauged, ungauged};
use crate::types::Collation;
use crate::value::ValueRef;

/// Which levels beyond the first a collation looks at.
#[derive(Clone, Copy)]
pub(super) struct Strength {
    pub(super) accents: bool,
    /// The flags of an element that matter on the third level.
    pub(super) third: u32,
}

impl Strength {
    pub(super) fn of(collation: Collation) -> Strength {
        let flags = collation.info().flags;
        let mut third = 0;
        if !flags.ignores_case() {
            third |= CASE;
        }
        if !flags.ignores_width() {
            third |= WIDTH;
        }
        if !flags.ignores_kana() {
            third |= KANA;
        }
        Strength { accents: !flags.ignores_accents(), third }
    }

    /// Whether two plain elements (no accents, no expansion) are equal on all levels that count, so
    /// that a prefix of such pairs cannot decide a comparison.
    #[inline]
    fn indistinct(self, x: u32, y: u32) -> bool {
        let counts = !(CASE | WIDTH | KANA) | self.third;
        x & counts == y & counts && x & (ACCENT | MARK | EXPANSION) == 0
    }
}

/// A string as a sequence of weighted units. Cloning starts again from the same place.
pub(super) trait Units: Clone {
    fn next(&mut self) -> Option<Weighted>;
}

/// Bytes of a single-byte code page.
#[derive(Clone)]
pub(super) struct ByteUnits<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) weights: &'static ByteWeights,
}

impl Units for ByteUnits<'_> {
    #[inline]
    fn next(&mut self) -> Option<Weighted> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(self.weights.of(first))
    }
}

/// UTF-16LE bytes.
#[derive(Clone)]
pub(super) struct WideUnits<'a> {
    pub(super) bytes: &'a [u8],
}

impl Units for WideUnits<'_> {
    #[inline]
    fn next(&mut self) -> Option<Weighted> {
        let (&first, rest) = self.bytes.split_first_chunk::<2>()?;
        self.bytes = rest;
        Some(WEIGHTS.of(u16::from_le_bytes(first)))
    }
}

/// UTF-8 bytes.
#[derive(Clone)]
pub(super) struct Utf8Units<'a> {
    pub(super) bytes: &'a [u8],
    /// The second half of a surrogate pair whose first half was returned.
    low: Option<u16>,
}

impl<'a> Utf8Units<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Utf8Units<'a> {
        Utf8Units { bytes, low: None }
    }
}

impl Units for Utf8Units<'_> {
    fn next(&mut self) -> Option<Weighted> {
        if let Some(low) = self.low.take() {
            return Some(WEIGHTS.of(low));
        }
        let (c, length) = decode_utf8(self.bytes)?;
        self.bytes = &self.bytes[length..];
        let mut units = [0; 2];
        let units = c.encode_utf16(&mut units);
        self.low = units.get(1).copied();
        Some(WEIGHTS.of(units[0]))
    }
}

/// The first character of UTF-8 bytes and its length; U+FFFD for each byte that is not part of one.
pub(super) fn decode_utf8(bytes: &[u8]) -> Option<(char, usize)> {
    let &first = bytes.first()?;
    let length = match first {
        0..0x80 => return Some((char::from(first), 1)),
        0xC2..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0..0xF5 => 4,
        _ => return Some((char::REPLACEMENT_CHARACTER, 1)),
    };
    let text = bytes.get(..length).and_then(|b| std::str::from_utf8(b).ok());
    match text.and_then(|t| t.chars().next()) {
        Some(c) => Some((c, length)),
        None => Some((char::REPLACEMENT_CHARACTER, 1)),
    }
}

/// Units with expansions spelled out.
#[derive(Clone)]
pub(super) struct Elements<U> {
    units: U,
    expansion: &'static [Weighted],
}

impl<U: Units> Elements<U> {
    pub(super) fn new(units: U) -> Elements<U> {
        Elements { units, expansion: &[] }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Weighted> {
        if let Some((&first, rest)) = self.expansion.split_first() {
            self.expansion = rest;
            return Some(first);
        }
        let weighted = self.units.next()?;
        if weighted.element & EXPANSION == 0 {
            return Some(weighted);
        }
        let (&first, rest) = WEIGHTS.expansion(weighted.accents).split_first()?;
        self.expansion = rest;
        Some(first)
    }

    /// The next element that has a primary weight; `seen` gathers the flags of all passed.
    #[inline]
    fn next_primary(&mut self, seen: &mut u32) -> Option<u32> {
        loop {
            let Weighted { element, .. } = self.next()?;
            *seen |= element;
            if element & MARK == 0 {
                return Some(element);
            }
        }
    }
}

/// The weights of the bytes of char and varchar under a linguistic collation without a rule set, or
/// `None` for UTF-8.
pub(super) fn byte_weights(collation: Collation) -> Option<&'static ByteWeights> {
    static DEFAULT: LazyLock<ByteWeights> =
        LazyLock::new(|| table(Collation::DEFAULT).expect("the default has a code page"));
    if collation == Collation::DEFAULT {
        return Some(&DEFAULT);
    }
    // Each is made when it is first used.
    static OTHERS: [[OnceLock<Option<ByteWeights>>; 2]; CODE_PAGES.len()] =
        [const { [const { OnceLock::new() }; 2] }; CODE_PAGES.len()];
    let info = collation.info();
    let page = CODE_PAGES.iter().position(|page| *page == info.code_page)?;
    OTHERS[page][usize::from(info.sort_id != 0)].get_or_init(|| table(collation)).as_ref()
}

/// The code pages of collations without a rule set.
const CODE_PAGES: [u16; 10] = [1252, 1250, 1251, 1253, 1254, 1255, 1256, 1257, 437, 850];

fn table(collation: Collation) -> Option<ByteWeights> {
    let info = collation.info();
    match codepage::code_page(collation) {
        CodePage::Utf8 | CodePage::Double(_) => None,
        CodePage::Single(page) if info.sort_id != 0 => Some(ByteWeights::sql(&page.decode)),
        CodePage::Single(page) => Some(ByteWeights::windows(&page.decode)),
    }
}

/// Bytes without trailing blanks.
#[inline]
pub(super) fn trim_bytes(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&b| b != b' ').map_or(0, |at| at + 1);
    &bytes[..end]
}

/// UTF-16LE bytes without trailing blanks.
#[inline]
pub(super) fn trim_wide(bytes: &[u8]) -> &[u8] {
    let mut end = bytes.len() & !1;
    while end >= 2 && bytes[end - 2] == b' ' && bytes[end - 1] == 0 {
        end -= 2;
    }
    &bytes[..end]
}

/// The bytes of a string value, and whether they are UTF-16LE.
fn string_bytes<'a>(value: &ValueRef<'a>) -> (&'a [u8], bool) {
    match *value {
        ValueRef::Chars(bytes) => (bytes, false),
        ValueRef::Unicode(bytes) => (bytes, true),
        ref other => unreachable!("{other:?} is not a string"),
    }
}

/// Compares two non-null strings of the same kind (both [`ValueRef::Chars`] or both
/// [`ValueRef::Unicode`]).
pub fn compare(collation: Collation, a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    let (a, wide) = string_bytes(&a);
    let (b, wide_b) = string_bytes(&b);
    debug_assert_eq!(wide, wide_b, "strings are converted to one kind before they are compared");
    if wide { compare_unicode(collation, a, b) } else { compare_chars(collation, a, b) }
}

/// Whether two non-null strings of the same kind are equal.
#[inline]
pub fn equal(collation: Collation, a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    let same = match (a, b) {
        (ValueRef::Chars(x), ValueRef::Chars(y)) | (ValueRef::Unicode(x), ValueRef::Unicode(y)) => {
            x == y
        }
        _ => false,
    };
    same || compare(collation, a, b).is_eq()
}

/// Compares char or varchar bytes.
pub fn compare_chars(collation: Collation, a: &[u8], b: &[u8]) -> Ordering {
    ungauged(chars_by(collation, a, b, &mut Ungauged))
}

/// Compares UTF-16LE bytes.
pub fn compare_unicode(collation: Collation, a: &[u8], b: &[u8]) -> Ordering {
    ungauged(unicode_by(collation, a, b, &mut Ungauged))
}

/// As [`compare`], for long strings.
pub fn compare_paced(
    collation: Collation,
    a: ValueRef<'_>,
    b: ValueRef<'_>,
    pace: &dyn Pace,
) -> SqlResult<Ordering> {
    let (a, wide) = string_bytes(&a);
    let (b, _) = string_bytes(&b);
    let mut stride = Stride::new(pace);
    match wide {
        true => unicode_by(collation, a, b, &mut stride),
        false => chars_by(collation, a, b, &mut stride),
    }
}

fn chars_by<G: Gauge>(
    collation: Collation,
    a: &[u8],
    b: &[u8],
    gauge: &mut G,
) -> Result<Ordering, G::Stop> {
    let (a, b) = (trim_bytes(a), trim_bytes(b));
    if collation.info().flags.is_binary() {
        return padded(a.iter().copied(), b.iter().copied(), b' ', gauge);
    }
    if let Some(rules) = collation.info().rules {
        let strength = tailored::Strength::of(collation);
        let (a, b) = (chars_by_rules(collation, rules, a), chars_by_rules(collation, rules, b));
        return tailored::compare(strength, a, b, gauge);
    }
    let Some(weights) = byte_weights(collation) else {
        let same = common_characters(a, b);
        let units = |bytes| Elements::new(Utf8Units::new(bytes));
        return by_levels(Strength::of(collation), units(&a[same..]), units(&b[same..]), gauge);
    };
    let strength = Strength::of(collation);
    let element = |byte: &u8| weights.elements[usize::from(*byte)];
    let mut same = 0;
    for (x, y) in a.iter().zip(b) {
        if x != y && !strength.indistinct(element(x), element(y)) {
            break;
        }
        gauge.count()?;
        same += 1;
    }
    let units = |bytes| Elements::new(ByteUnits { bytes, weights });
    by_levels(strength, units(&a[same..]), units(&b[same..]), gauge)
}

fn unicode_by<G: Gauge>(
    collation: Collation,
    a: &[u8],
    b: &[u8],
    gauge: &mut G,
) -> Result<Ordering, G::Stop> {
    let (a, b) = (trim_wide(a), trim_wide(b));
    if collation.info().flags.is_binary() {
        return padded(codepage::units(a), codepage::units(b), u16::from(b' '), gauge);
    }
    if let Some(rules) = collation.info().rules {
        let strength = tailored::Strength::of(collation);
        let (a, b) = (wide_by_rules(rules, a), wide_by_rules(rules, b));
        return tailored::compare(strength, a, b, gauge);
    }
    let strength = Strength::of(collation);
    let weights = &*WEIGHTS;
    let mut same = 0;
    for (x, y) in codepage::units(a).zip(codepage::units(b)) {
        if x != y && !strength.indistinct(weights.of(x).element, weights.of(y).element) {
            break;
        }
        gauge.count()?;
        same += 1;
    }
    let units = |bytes| Elements::new(WideUnits { bytes });
    by_levels(strength, units(&a[2 * same..]), units(&b[2 * same..]), gauge)
}

/// The elements of a char or varchar under a rule set.
fn chars_by_rules(
    collation: Collation,
    rules: RuleSet,
    bytes: &[u8],
) -> tailored::Elements<tailored::Chars<'_>> {
    tailored::Elements::new(rules.rules(), tailored::Chars::new(collation, bytes))
}

/// The elements of an nchar or nvarchar under a rule set.
fn wide_by_rules(rules: RuleSet, bytes: &[u8]) -> tailored::Elements<tailored::Wide<'_>> {
    tailored::Elements::new(rules.rules(), tailored::Wide(bytes))
}

/// Bytes that both strings start with, not ending within a UTF-8 character.
fn common_characters(a: &[u8], b: &[u8]) -> usize {
    let mut same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    while same > 0 && a[same - 1] >= 0x80 {
        same -= 1;
    }
    same
}

/// Both strings have had their trailing blanks and a common prefix removed. An identical prefix
/// gives identical weights on every level, so it cannot decide.
fn by_levels<U: Units, G: Gauge>(
    strength: Strength,
    a: Elements<U>,
    b: Elements<U>,
    gauge: &mut G,
) -> Result<Ordering, G::Stop> {
    let (mut p, mut q) = (a.clone(), b.clone());
    let mut seen = 0;
    loop {
        gauge.count()?;
        match (p.next_primary(&mut seen), q.next_primary(&mut seen)) {
            (None, None) => break,
            (None, Some(_)) => return Ok(Ordering::Less),
            (Some(_), None) => return Ok(Ordering::Greater),
            (Some(x), Some(y)) if primary(x) != primary(y) => {
                return Ok(primary(x).cmp(&primary(y)));
            }
            _ => {}
        }
    }
    if strength.accents && seen & (ACCENT | MARK) != 0 {
        let order = compare_accents(Accents::new(a.clone()), Accents::new(b.clone()), gauge)?;
        if order.is_ne() {
            return Ok(order);
        }
    }
    if seen & strength.third != 0 {
        return compare_third(strength.third, a, b, gauge);
    }
    Ok(Ordering::Equal)
}

/// The second level of a string: the default for each element, then its accents.
#[derive(Clone)]
struct Accents<U> {
    elements: Elements<U>,
    pending: [u8; 3],
}

impl<U: Units> Accents<U> {
    fn new(elements: Elements<U>) -> Accents<U> {
        Accents { elements, pending: [0; 3] }
    }

    fn next(&mut self) -> Option<u8> {
        if self.pending[0] != 0 {
            let [first, second, third] = self.pending;
            self.pending = [second, third, 0];
            return Some(first);
        }
        let Weighted { element, accents: accent } = self.elements.next()?;
        if element & (ACCENT | MARK) != 0 {
            self.pending = *WEIGHTS.combination(accent);
        }
        if element & MARK != 0 { self.next() } else { Some(LEVEL_DEFAULT) }
    }
}

fn compare_accents<U: Units, G: Gauge>(
    mut a: Accents<U>,
    mut b: Accents<U>,
    gauge: &mut G,
) -> Result<Ordering, G::Stop> {
    loop {
        gauge.count()?;
        match (a.next(), b.next()) {
            (None, None) => return Ok(Ordering::Equal),
            (x, y) if x != y => return Ok(x.cmp(&y)),
            _ => {}
        }
    }
}

fn compare_third<U: Units, G: Gauge>(
    mask: u32,
    mut a: Elements<U>,
    mut b: Elements<U>,
    gauge: &mut G,
) -> Result<Ordering, G::Stop> {
    let mut seen = 0;
    loop {
        gauge.count()?;
        match (a.next_primary(&mut seen), b.next_primary(&mut seen)) {
            (Some(x), Some(y)) if x & mask != y & mask => return Ok((x & mask).cmp(&(y & mask))),
            (Some(_), Some(_)) => {}
            _ => return Ok(Ordering::Equal),
        }
    }
}

/// Compares as if the shorter sequence went on in blanks.
fn padded<T: Ord + Copy, G: Gauge>(
    mut a: impl Iterator<Item = T>,
    mut b: impl Iterator<Item = T>,
    blank: T,
    gauge: &mut G,
) -> Result<Ordering, G::Stop> {
    loop {
        gauge.count()?;
        let (x, y) = match (a.next(), b.next()) {
            (None, None) => return Ok(Ordering::Equal),
            (x, y) => (x.unwrap_or(blank), y.unwrap_or(blank)),
        };
        if x != y {
            return Ok(x.cmp(&y));
        }
    }
}

/// Appends bytes that compare as the string does under the collation (C2). They are not
/// prefix-free: a caller that puts several keys together must terminate or escape them.
///
/// The value must be a non-null string.
pub fn sort_key(collation: Collation, value: ValueRef<'_>, out: &mut Vec<u8>) {
    let (bytes, wide) = string_bytes(&value);
    let binary = collation.info().flags.is_binary();
    let strength = Strength::of(collation);
    if wide {
        let bytes = trim_wide(bytes);
        if binary {
            binary_key(codepage::units(bytes).map(u32::from), 0xFFFF, out);
        } else if let Some(rules) = collation.info().rules {
            let strength = tailored::Strength::of(collation);
            tailored::sort_key(strength, wide_by_rules(rules, bytes), out);
        } else {
            linguistic_key(strength, Elements::new(WideUnits { bytes }), out);
        }
        return;
    }
    let bytes = trim_bytes(bytes);
    if binary {
        binary_key(bytes.iter().map(|&b| u32::from(b)), 0xFF, out);
    } else if let Some(rules) = collation.info().rules {
        let strength = tailored::Strength::of(collation);
        tailored::sort_key(strength, chars_by_rules(collation, rules, bytes), out);
    } else if let Some(weights) = byte_weights(collation) {
        linguistic_key(strength, Elements::new(ByteUnits { bytes, weights }), out);
    } else {
        linguistic_key(strength, Elements::new(Utf8Units::new(bytes)), out);
    }
}

/// Appends bytes with which the [`sort_key`] of every string begins that begins with this one: the
/// lower bound of a `LIKE 'abc%'` seek. What lies in that range still has to be tested.
pub fn prefix_key(collation: Collation, value: ValueRef<'_>, out: &mut Vec<u8>) {
    let (bytes, wide) = string_bytes(&value);
    if collation.info().flags.is_binary() {
        sort_key(collation, value, out);
        // Only the end marker is not shared.
        out.truncate(out.len() - if wide { 2 } else { 1 });
        return;
    }
    if let Some(rules) = collation.info().rules {
        prefix_by_rules(collation, rules, bytes, wide, out);
        return;
    }
    let only_first = Strength { accents: false, third: 0 };
    if wide {
        linguistic_key(only_first, Elements::new(WideUnits { bytes: trim_wide(bytes) }), out);
    } else if let Some(weights) = byte_weights(collation) {
        let units = ByteUnits { bytes: trim_bytes(bytes), weights };
        linguistic_key(only_first, Elements::new(units), out);
    } else {
        linguistic_key(only_first, Elements::new(Utf8Units::new(trim_bytes(bytes))), out);
    }
}

/// What follows a prefix may change the weights of its last characters: a contraction may begin
/// with them, or a mark follow. So only ASCII at its beginning counts, less as many characters as a
/// contraction may have before its last one. A contraction ends the key, since LIKE goes character
/// by character: its letters may be of another case, width or accent, and no contraction then.
fn prefix_by_rules(
    collation: Collation,
    rules: RuleSet,
    bytes: &[u8],
    wide: bool,
    out: &mut Vec<u8>,
) {
    const UNDECIDED: usize = 3;
    const PRIMARY: tailored::Strength = tailored::Strength::PRIMARY;
    let (bytes, step) = if wide { (trim_wide(bytes), 2) } else { (trim_bytes(bytes), 1) };
    let plain =
        |unit: &&[u8]| unit[0].is_ascii() && unit[step - 1] == if wide { 0 } else { unit[0] };
    let ascii = bytes.chunks_exact(step).take_while(plain).count();
    let put = |bytes: &[u8], key: &mut Vec<u8>| match wide {
        true => tailored::sort_key(PRIMARY, wide_by_rules(rules, bytes), key),
        false => tailored::sort_key(PRIMARY, chars_by_rules(collation, rules, bytes), key),
    };
    let whole = &bytes[..step * ascii];
    let (mut together, mut apart) = (Vec::new(), Vec::new());
    put(whole, &mut together);
    for unit in whole.chunks_exact(step).take(ascii.saturating_sub(UNDECIDED)) {
        put(unit, &mut apart);
    }
    let same = together.iter().zip(&apart).take_while(|(x, y)| x == y).count();
    // Weights have two bytes.
    out.extend_from_slice(&apart[..same / 2 * 2]);
}

/// Ends a level; lower than every weight.
const LEVEL_END: u8 = 1;

fn linguistic_key<U: Units>(strength: Strength, elements: Elements<U>, out: &mut Vec<u8>) {
    let mut seen = 0;
    let mut first = elements.clone();
    while let Some(element) = first.next_primary(&mut seen) {
        let [_, a, b, c] = primary(element).to_be_bytes();
        match a {
            0xEC..0xF8 => out.extend_from_slice(&[a, b]),
            0x30 | 0xF8.. => out.extend_from_slice(&[a, b, c]),
            _ => out.push(a),
        }
    }
    let second = strength.accents && seen & (ACCENT | MARK) != 0;
    let third = seen & strength.third != 0;
    if second {
        out.push(LEVEL_END);
        let start = out.len();
        let mut accents = Accents::new(elements.clone());
        while let Some(accent) = accents.next() {
            out.push(accent);
        }
        trim_level(start, out);
    }
    if third {
        if !second {
            out.push(LEVEL_END);
        }
        out.push(LEVEL_END);
        let start = out.len();
        let mut elements = elements;
        while let Some(element) = elements.next_primary(&mut seen) {
            out.push(LEVEL_DEFAULT + (element & strength.third) as u8);
        }
        trim_level(start, out);
    }
}

/// Trailing defaults of a level say nothing: what follows an end is lower than any of them.
fn trim_level(start: usize, out: &mut Vec<u8>) {
    while out.len() > start && out.last() == Some(&LEVEL_DEFAULT) {
        out.pop();
    }
}

/// The key of code units, each padded with blanks without end (C1).
///
/// A unit below the blank is itself and one above it is shifted up by two. The end counts as
/// blanks, so it lies between a run of blanks that something lower follows and one that something
/// higher follows; each run is a marker and its length, the shorter the lower before something
/// lower, the longer the lower before something higher.
fn binary_key(units: impl Iterator<Item = u32>, largest: u32, out: &mut Vec<u8>) {
    const BLANK: u32 = 0x20;
    const LOW_RUN: u32 = 0x20;
    const END: u32 = 0x21;
    const HIGH_RUN: u32 = 0x22;
    let mut put = |unit: u32| {
        if largest > 0xFF {
            out.extend_from_slice(&(unit as u16).to_be_bytes());
        } else {
            out.push(unit as u8);
        }
    };
    let mut run = 0u32;
    for unit in units {
        if unit == BLANK {
            run += 1;
            continue;
        }
        let low = unit < BLANK;
        if run > 0 {
            put(if low { LOW_RUN } else { HIGH_RUN });
            // Lengths beyond one unit go on in further units.
            while run >= 0xFF {
                put(if low { 0xFF } else { 0 });
                run -= 0xFF;
            }
            put(if low { run } else { 0xFF - run });
            run = 0;
        }
        match unit {
            _ if low => put(unit),
            // The two highest have no room to be shifted.
            _ if unit + 2 >= largest => {
                put(largest);
                put(unit);
            }
            _ => put(unit + 2),
        }
    }
    put(END);
}

/// A hash that is equal for equal strings (C2). Deterministic within a build.
pub fn hash(collation: Collation, value: ValueRef<'_>) -> u64 {
    ungauged(hash_by(collation, value, &mut Ungauged))
}

/// As [`hash()`], for long strings.
pub fn hash_paced(collation: Collation, value: ValueRef<'_>, pace: &dyn Pace) -> SqlResult<u64> {
    hash_by(collation, value, &mut Stride::new(pace))
}

fn hash_by<G: Gauge>(
    collation: Collation,
    value: ValueRef<'_>,
    gauge: &mut G,
) -> Result<u64, G::Stop> {
    let (bytes, wide) = string_bytes(&value);
    let binary = collation.info().flags.is_binary();
    let strength = Strength::of(collation);
    if wide {
        let bytes = trim_wide(bytes);
        if let Some(rules) = collation.info().rules {
            let strength = tailored::Strength::of(collation);
            let elements = wide_by_rules(rules, bytes);
            return Ok(finish(tailored::hash(strength, elements, mix, gauge)?));
        }
        return match binary {
            true => Ok(hash_bytes(bytes)),
            false => hash_elements(strength, Elements::new(WideUnits { bytes }), gauge),
        };
    }
    let bytes = trim_bytes(bytes);
    if binary {
        return Ok(hash_bytes(bytes));
    }
    if let Some(rules) = collation.info().rules {
        let strength = tailored::Strength::of(collation);
        let elements = chars_by_rules(collation, rules, bytes);
        return Ok(finish(tailored::hash(strength, elements, mix, gauge)?));
    }
    match byte_weights(collation) {
        Some(weights) => {
            hash_elements(strength, Elements::new(ByteUnits { bytes, weights }), gauge)
        }
        None => hash_elements(strength, Elements::new(Utf8Units::new(bytes)), gauge),
    }
}

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER)
}

/// Spreads the entropy of a [`mix`]ed hash over all bits.
#[inline]
fn finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ (hash >> 32)
}

/// A hash of bytes, trailing bytes included.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let mut hash = bytes.len() as u64;
    for word in &mut words {
        hash = mix(hash, u64::from_le_bytes(word.try_into().expect("a chunk has 8 bytes")));
    }
    let rest = words.remainder();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    finish(mix(hash, u64::from_le_bytes(last)))
}

fn hash_elements<U: Units, G: Gauge>(
    strength: Strength,
    mut elements: Elements<U>,
    gauge: &mut G,
) -> Result<u64, G::Stop> {
    let mut seen = 0;
    let mut hash = 0;
    let again = elements.clone();
    while let Some(element) = elements.next_primary(&mut seen) {
        gauge.count()?;
        hash = mix(hash, u64::from(element >> 8 << 8 | element & strength.third));
    }
    if strength.accents && seen & (ACCENT | MARK) != 0 {
        let mut accents = Accents::new(again);
        let mut defaults = 0u64;
        while let Some(accent) = accents.next() {
            gauge.count()?;
            if accent == LEVEL_DEFAULT {
                defaults += 1;
            } else {
                hash = mix(hash, defaults << 8 | u64::from(accent));
            }
        }
    }
    Ok(finish(hash))
}

#[cfg(test)]
mod tests;
