//! Makes the tables of `crates/base/src/collation/data` from CLDR's collation data, as ICU4X has
//! it: `cargo run -- ../`. See `rules.rs` for the format.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use icu_collator::options::{AlternateHandling, CaseLevel, CollatorOptions, Strength};
use icu_collator::{CollatorBorrowed, CollatorPreferences};
use icu_normalizer::{DecomposingNormalizerBorrowed, DecomposingNormalizerBorrowed as Normalizer};

/// The rule sets, in the order of their numbers: CLDR's names.
const RULE_SETS: &[&str] = &[
    "und",
    "ar",
    "as",
    "az",
    "bn",
    "br",
    "cs",
    "cy",
    "da",
    "de-u-co-phonebk",
    "es",
    "es-u-co-trad",
    "et",
    "fa",
    "he",
    "hi",
    "hr",
    "hsb",
    "hu",
    "is",
    "ja",
    "ja-u-co-unihan",
    "kk",
    "km",
    "ko",
    "lo",
    "lt",
    "lv",
    "mk",
    "mt",
    "nb",
    "pl",
    "ps",
    "ro",
    "sk",
    "sl",
    "sq",
    "sv",
    "th",
    "tk",
    "tr",
    "ug",
    "uk",
    "ur",
    "uz",
    "vi",
    "zh",
    "zh-u-co-stroke",
    "zh-u-co-zhuyin",
];

const CASE: u8 = 1;
const WIDTH: u8 = 2;
const KANA: u8 = 4;
const VARIANT: u8 = 8;

/// Letters that Windows spells out.
const EXPANSIONS: &[(char, &str)] = &[
    ('ß', "ss"),
    ('ẞ', "SS"),
    ('æ', "ae"),
    ('Æ', "AE"),
    ('œ', "oe"),
    ('Œ', "OE"),
    ('þ', "th"),
    ('Þ', "TH"),
];

/// Letters with a stroke or without a dot, which Windows takes for accented ones.
const STROKED: &[(char, char, &[u8])] = &[
    ('ø', 'o', &[0x9E]),
    ('đ', 'd', &[0x9E]),
    ('ð', 'd', &[0x9E, 2]),
    ('ħ', 'h', &[0x9E]),
    ('ł', 'l', &[0x9E]),
    ('ŧ', 't', &[0x9E]),
    ('ƀ', 'b', &[0x9E]),
    ('ı', 'i', &[0x9E, 3]),
    ('Ø', 'O', &[0x9E]),
    ('Đ', 'D', &[0x9E]),
    ('Ð', 'D', &[0x9E, 2]),
    ('Ħ', 'H', &[0x9E]),
    ('Ł', 'L', &[0x9E]),
    ('Ŧ', 'T', &[0x9E]),
    ('Ƀ', 'B', &[0x9E]),
];

/// What may be one letter in some language.
const DIGRAPHS: &[&str] = &[
    "ch", "ll", "dz", "dzs", "cs", "gy", "ly", "ny", "sz", "ty", "zs", "aa", "lj", "nj", "dž",
    "dh", "gj", "rr", "sh", "th", "xh", "zh", "dd", "ff", "ng", "ph", "rh", "wh", "gh", "għ", "ie",
    "c'h", "c’h", "oʻ", "gʻ", "o‘", "g‘", "ij", "nh", "ts", "tz",
];
/// Hungarian letters doubled.
const DOUBLED: &[(&str, &str)] = &[
    ("ccs", "cs"),
    ("ddz", "dz"),
    ("ddzs", "dzs"),
    ("ggy", "gy"),
    ("lly", "ly"),
    ("nny", "ny"),
    ("ssz", "sz"),
    ("tty", "ty"),
    ("zzs", "zs"),
];

#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
struct Element {
    primary: Vec<u8>,
    secondary: Vec<u8>,
    third: u8,
}

struct Keys {
    collator: CollatorBorrowed<'static>,
}

impl Keys {
    fn new(name: &str) -> Keys {
        let mut options = CollatorOptions::default();
        options.strength = Some(Strength::Secondary);
        options.alternate_handling = Some(AlternateHandling::NonIgnorable);
        options.case_level = Some(CaseLevel::Off);
        let locale = icu_locale_core::Locale::try_from_str(name).unwrap();
        let preferences: CollatorPreferences = locale.into();
        Keys { collator: CollatorBorrowed::try_new(preferences, options).unwrap() }
    }

    /// The primary and the secondary part of a sort key.
    fn of(&self, text: &str) -> (Vec<u8>, Vec<u8>) {
        let mut key = Vec::new();
        self.collator.write_sort_key_to(text, &mut key).unwrap();
        let end = key.iter().position(|&b| b == 1).unwrap_or(key.len());
        let second = key.get(end + 1..).unwrap_or(&[]);
        (key[..end].to_vec(), second.to_vec())
    }

    fn primary(&self, text: &str) -> Vec<u8> {
        self.of(text).0
    }
}

fn is_han(unit: u16) -> bool {
    matches!(unit, 0x3400..=0x4DBF | 0x4E00..=0x9FFF)
}

fn third_of(c: char) -> u8 {
    let mut third = 0;
    let mut lower = c.to_lowercase();
    if lower.next() != Some(c) || lower.next().is_some() {
        third |= CASE;
    }
    let code = c as u32;
    if matches!(code, 0x30A1..=0x30FE | 0x31F0..=0x31FF) {
        third |= KANA;
    }
    const SMALL: &str = "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ";
    let is_kana = matches!(code, 0x3041..=0x3096 | 0x30A1..=0x30FA);
    if is_kana && !SMALL.contains(c) {
        third |= CASE;
    }
    third
}

/// The secondary weights of one element after its default one.
fn accents(second: &[u8]) -> Vec<u8> {
    match second {
        [] | [0x05..=0x0F] => Vec::new(),
        [0x45, rest @ ..] if !rest.is_empty() => rest.to_vec(),
        other => other.to_vec(),
    }
}

struct Analysis<'k> {
    keys: &'k Keys,
    /// Letters of the language that root's order is right for.
    letters: &'static str,
    /// Root's primary weights under this rule set.
    moved: HashMap<Vec<u8>, Vec<u8>>,
    nfd: Normalizer<'static>,
    nfkd: Normalizer<'static>,
    root: Option<&'k Keys>,
    done: BTreeMap<u16, Vec<Element>>,
    contractions: BTreeMap<Vec<u16>, Vec<Element>>,
}

fn text(unit: u16) -> String {
    char::from_u32(unit.into()).unwrap().to_string()
}

impl<'k> Analysis<'k> {
    fn is_tailored(&self, c: &str) -> bool {
        let Some(root) = self.root else { return false };
        let (old, new) = (root.primary(c), self.keys.primary(c));
        self.moved.get(&old).is_none_or(|moved| *moved != new)
    }

    fn pieces(&mut self, decomposed: &str) -> Vec<Element> {
        let mut all = Vec::new();
        for c in decomposed.chars() {
            match u16::try_from(c as u32) {
                Ok(unit) => all.extend(self.classify(unit)),
                Err(_) => all.push(Element {
                    primary: self.keys.primary(&c.to_string()),
                    secondary: vec![],
                    third: 0,
                }),
            }
        }
        all
    }

    fn classify(&mut self, unit: u16) -> Vec<Element> {
        if let Some(done) = self.done.get(&unit) {
            return done.clone();
        }
        let elements = self.classified(unit);
        self.done.insert(unit, elements.clone());
        elements
    }

    fn classified(&mut self, unit: u16) -> Vec<Element> {
        let c = text(unit);
        let letter = c.chars().next().unwrap();
        if matches!(unit, 0xFFFE | 0xFFFF) {
            let primary = vec![0xFF, 0xFF, 0xFF, (unit & 0xFF) as u8];
            return vec![Element { primary, secondary: vec![], third: 0 }];
        }
        let (primary, second) = self.keys.of(&c);
        if primary.is_empty() && second.is_empty() {
            return vec![];
        }
        let atom =
            |third: u8| Element { primary: primary.clone(), secondary: accents(&second), third };
        if is_han(unit) {
            // Readings that are alike are no reason for ideographs to be.
            let mut whole = primary.clone();
            if self.root.is_some() && self.is_tailored(&c) {
                whole.push(0);
                whole.extend_from_slice(&second);
                whole.push(0);
                whole.extend_from_slice(&unit.to_be_bytes());
            }
            return vec![Element { primary: whole, secondary: vec![], third: 0 }];
        }
        let canonical = self.nfd.normalize(&c).to_string();
        if canonical != c {
            let mut pieces = self.pieces(&canonical);
            // The canonical order of marks is that of the decomposition.
            if self.keys.primary(&canonical) == join(&pieces) || canonical.chars().count() == 1 {
                return pieces;
            }
            pieces.clear();
            let found = self.expansion(&c, &primary);
            let elements = found.unwrap_or_else(|| vec![atom(third_of(letter))]);
            let units: Vec<u16> = canonical.encode_utf16().collect();
            self.contractions.insert(units, elements.clone());
            return elements;
        }
        let compatible = self.nfkd.normalize(&c).to_string();
        if compatible != c && !compatible.starts_with(' ') && !compatible.is_empty() {
            let pieces = self.pieces(&compatible);
            if self.keys.primary(&compatible) == primary {
                let wide = matches!(unit, 0xFF01..=0xFFEE | 0x3000);
                let flag = if wide { WIDTH } else { VARIANT };
                return pieces
                    .into_iter()
                    .map(|mut e| {
                        e.third |= flag;
                        if wide && matches!(unit, 0xFF66..=0xFF9D) {
                            e.third |= third_of(compatible.chars().next().unwrap());
                        }
                        e
                    })
                    .collect();
            }
        }
        if unit == 0x3000 {
            let mut blank = self.classify(0x20);
            blank[0].third |= WIDTH;
            return blank;
        }
        // A letter that root has in the place where Icelandic has it.
        let is_own = self.letters.contains(letter);
        if !self.is_tailored(&c) && !is_own {
            if let Some((_, spelled)) = EXPANSIONS.iter().find(|(e, _)| *e == letter) {
                return self.pieces(spelled);
            }
            if let Some((_, base, accent)) = STROKED.iter().find(|(s, ..)| *s == letter) {
                let mut elements = self.classify(*base as u16);
                elements[0].secondary = accent.to_vec();
                return elements;
            }
        } else if let Some(found) = self.expansion(&c, &primary) {
            return found;
        }
        let mut one = atom(third_of(letter));
        if one.primary.is_empty() && one.secondary.is_empty() {
            one.secondary = vec![0x46];
        }
        vec![one]
    }

    /// A tailored letter that is as several.
    fn expansion(&mut self, c: &str, primary: &[u8]) -> Option<Vec<Element>> {
        if !self.is_tailored(c) {
            return None;
        }
        let upper = third_of(c.chars().next().unwrap()) & CASE != 0;
        for spelled in ["ae", "oe", "ue", "ss", "th", "dz", "ij"] {
            if self.keys.primary(spelled) == primary && self.separate(spelled) == primary {
                let spelled = if upper { spelled.to_uppercase() } else { spelled.to_string() };
                return Some(self.pieces(&spelled));
            }
        }
        None
    }

    /// The primary weights of a text without contractions.
    fn separate(&self, text: &str) -> Vec<u8> {
        let letters: Vec<String> = text.chars().map(|c| c.to_string()).collect();
        self.keys.primary(&letters.join("\u{34F}"))
    }

    fn digraphs(&mut self) {
        // In every case, so that this does not decide what is one letter.
        let forms = |word: &str| -> Vec<String> {
            let letters: Vec<char> = word.chars().collect();
            let upper = |c: char| c.to_uppercase().next().unwrap();
            let form = |bits: usize| -> String {
                let in_case = |(at, c): (usize, &char)| match bits >> at & 1 {
                    0 => *c,
                    _ => upper(*c),
                };
                letters.iter().enumerate().map(in_case).collect()
            };
            let mut all: Vec<String> = (0..1 << letters.len()).map(form).collect();
            all.dedup();
            all
        };
        let third = |form: &str| {
            let cases: Vec<u8> =
                form.chars().filter(|c| c.is_alphabetic()).map(|c| third_of(c) & CASE).collect();
            let mixed = cases.iter().any(|c| *c != cases[0]);
            cases[0] | if mixed { VARIANT } else { 0 }
        };
        for word in DIGRAPHS {
            let (primary, second) = self.keys.of(word);
            if primary == self.separate(word) {
                continue;
            }
            for form in forms(word) {
                let element = Element {
                    primary: primary.clone(),
                    secondary: accents(&second),
                    third: third(&form),
                };
                for spelled in [form.clone(), self.nfd.normalize(&form).to_string()] {
                    self.contractions
                        .insert(spelled.encode_utf16().collect(), vec![element.clone()]);
                }
            }
        }
        for (word, single) in DOUBLED {
            let twice = self.keys.primary(&format!("{single}\u{34F}{single}"));
            if self.keys.primary(word) == self.separate(word) || self.keys.primary(word) != twice {
                continue;
            }
            let (primary, second) = self.keys.of(single);
            for form in forms(word) {
                let element = Element {
                    primary: primary.clone(),
                    secondary: accents(&second),
                    third: third(&form) | VARIANT,
                };
                self.contractions
                    .insert(form.encode_utf16().collect(), vec![element.clone(), element]);
            }
        }
    }
}

fn join(elements: &[Element]) -> Vec<u8> {
    elements.iter().flat_map(|e| e.primary.iter().copied()).collect()
}

fn units() -> impl Iterator<Item = u16> {
    (0..=0xFFFFu16).filter(|u| !matches!(u, 0xAC00..=0xD7A3 | 0xD800..=0xDFFF))
}

/// Which of root's primary weights is which here: scripts may have changed places.
fn moved(root: &Keys, keys: &Keys) -> HashMap<Vec<u8>, Vec<u8>> {
    let mut votes: BTreeMap<u8, BTreeMap<u8, usize>> = BTreeMap::new();
    let mut pairs = BTreeMap::new();
    for unit in units() {
        let (old, new) = (root.primary(&text(unit)), keys.primary(&text(unit)));
        if old.is_empty() || new.is_empty() {
            continue;
        }
        if old.len() == new.len() && old[1..] == new[1..] {
            *votes.entry(old[0]).or_default().entry(new[0]).or_default() += 1;
        }
        pairs.insert(old, ());
    }
    let mut leads: BTreeMap<u8, u8> = votes
        .iter()
        .map(|(old, new)| (*old, *new.iter().max_by_key(|(_, n)| **n).unwrap().0))
        .collect();
    // Letters of one byte, which a language may tailor, move together.
    let (a, z) = (root.primary("a")[0], root.primary("z")[0]);
    let letters: BTreeSet<u8> = pairs
        .keys()
        .filter(|old| old.len() == 1 && (a..=z).contains(&old[0]))
        .map(|old| old[0])
        .collect();
    let mut distances: BTreeMap<u8, usize> = BTreeMap::new();
    for old in &letters {
        if let Some(new) = leads.get(old) {
            *distances.entry(new.wrapping_sub(*old)).or_default() += 1;
        }
    }
    if let Some((distance, _)) = distances.iter().max_by_key(|(_, n)| **n) {
        for old in letters {
            leads.insert(old, old.wrapping_add(*distance));
        }
    }
    pairs
        .into_keys()
        .map(|old| {
            let mut new = old.clone();
            new[0] = leads.get(&old[0]).copied().unwrap_or(old[0]);
            (old, new)
        })
        .collect()
}

fn analysis<'k>(name: &str, keys: &'k Keys, root: Option<&'k Keys>) -> Analysis<'k> {
    let mut a = Analysis {
        keys,
        letters: if name == "is" { "þÞ" } else { "" },
        moved: root.map(|r| moved(r, keys)).unwrap_or_default(),
        nfd: DecomposingNormalizerBorrowed::new_nfd(),
        nfkd: DecomposingNormalizerBorrowed::new_nfkd(),
        root,
        done: BTreeMap::new(),
        contractions: BTreeMap::new(),
    };
    for unit in units() {
        a.classify(unit);
    }
    a.digraphs();
    a
}

/// Makes letters differ on the second level that would be alike and are not.
fn distinguish(
    cells: &mut BTreeMap<u16, Vec<Element>>,
    nfd: &Normalizer<'_>,
    nfkd: &Normalizer<'_>,
) {
    let mut groups: BTreeMap<Element, Vec<u16>> = BTreeMap::new();
    for (&unit, elements) in cells.iter() {
        let c = text(unit);
        let plain = *nfd.normalize(&c) == *c && *nfkd.normalize(&c) == *c;
        if let ([one], true) = (&elements[..], plain) {
            if !one.primary.is_empty() {
                groups.entry(one.clone()).or_default().push(unit);
            }
        }
    }
    let mut most = 0;
    for (_, group) in groups {
        most = most.max(group.len());
        for (at, unit) in group.into_iter().enumerate().skip(1) {
            let one = &mut cells.get_mut(&unit).unwrap()[0];
            one.secondary = vec![0xF8, at as u8];
        }
    }
    eprintln!("largest group of alike characters: {most}");
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn number(&mut self, mut n: u32) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn signed(&mut self, n: i32) {
        self.number(((n << 1) ^ (n >> 31)) as u32);
    }
}

struct Ranks<'a> {
    primaries: &'a BTreeMap<Vec<u8>, u32>,
    secondaries: &'a BTreeMap<Vec<u8>, u32>,
}

impl Ranks<'_> {
    fn element(&self, e: &Element) -> (u32, u32, u8) {
        let primary = if e.primary.is_empty() {
            0
        } else {
            *self
                .primaries
                .get(&e.primary)
                .unwrap_or_else(|| panic!("no primary weight {:02x?}", e.primary))
        };
        (primary, self.secondaries[&e.secondary], e.third)
    }

    fn sequence(&self, elements: &[Element], out: &mut Bytes) {
        out.number(elements.len() as u32);
        for e in elements {
            let (p, s, t) = self.element(e);
            out.number(p);
            out.number(s);
            out.0.push(t);
        }
    }
}

/// Cells in the order of their units, in runs of which the primary weights go up by one.
fn put_cells(cells: &BTreeMap<u16, Vec<Element>>, ranks: &Ranks<'_>, out: &mut Bytes) {
    let mut runs: Vec<(u16, u32, u32, u32, u8)> = Vec::new();
    let mut sequences = Vec::new();
    for (&unit, elements) in cells {
        let one = match &elements[..] {
            [] => (0, 0, 0),
            [one] => ranks.element(one),
            several => {
                sequences.push((unit, several));
                continue;
            }
        };
        if let Some((start, n, p, s, t)) = runs.last_mut() {
            let follows = u32::from(*start) + *n == u32::from(unit);
            let up = if *p == 0 { 0 } else { *p + *n };
            if follows && (up, *s, *t) == one {
                *n += 1;
                continue;
            }
        }
        runs.push((unit, 1, one.0, one.1, one.2));
    }
    out.number(runs.len() as u32);
    let (mut at, mut last) = (0u32, 0i32);
    for (start, n, p, s, t) in runs {
        out.number(u32::from(start) - at);
        out.number(n);
        out.signed(p as i32 - last);
        out.number(s << 4 | u32::from(t));
        at = u32::from(start) + n;
        last = (p + n - 1) as i32;
    }
    out.number(sequences.len() as u32);
    let mut at = 0;
    for (unit, elements) in sequences {
        out.number(u32::from(unit) - at);
        at = unit.into();
        ranks.sequence(elements, out);
    }
}

fn put_contractions(
    contractions: &BTreeMap<Vec<u16>, Vec<Element>>,
    ranks: &Ranks<'_>,
    out: &mut Bytes,
) {
    out.number(contractions.len() as u32);
    for (units, elements) in contractions {
        out.number(units.len() as u32);
        for unit in units {
            out.number(u32::from(*unit));
        }
        ranks.sequence(elements, out);
    }
}

fn main() {
    let folder = std::env::args().nth(1).expect("the folder to write to");
    let all: Vec<Keys> = RULE_SETS.iter().map(|name| Keys::new(name)).collect();
    let root_keys = &all[0];
    let mut root = analysis("und", root_keys, None);
    distinguish(&mut root.done, &root.nfd, &root.nfkd);
    // Root's primary weights in order: the blank and what Windows nearly ignores first.
    let mut primaries: BTreeSet<Vec<u8>> = BTreeSet::new();
    for e in root.done.values().chain(root.contractions.values()).flatten() {
        if !e.primary.is_empty() {
            primaries.insert(e.primary.clone());
        }
    }
    let first: Vec<Vec<u8>> = [" ", "'", "-"].iter().map(|c| root_keys.primary(c)).collect();
    let rest = primaries.iter().filter(|p| !first.contains(p));
    let ordered: Vec<Vec<u8>> = first.iter().chain(rest).cloned().collect();
    let root_ranks: BTreeMap<Vec<u8>, u32> =
        ordered.iter().enumerate().map(|(at, p)| (p.clone(), at as u32 + 1)).collect();
    let last_before_han = root_ranks[&root_keys.primary("一")] - 1;
    eprintln!("{} primary weights", ordered.len());

    struct Tailored {
        cells: BTreeMap<u16, Vec<Element>>,
        contractions: BTreeMap<Vec<u16>, Vec<Element>>,
        /// After which of root's weights which new ones come.
        inserts: BTreeMap<u32, Vec<Vec<u8>>>,
        ranks: BTreeMap<Vec<u8>, u32>,
    }
    let mut sets = Vec::new();
    let mut secondaries: BTreeSet<Vec<u8>> = BTreeSet::from([vec![]]);
    for e in root.done.values().chain(root.contractions.values()).flatten() {
        secondaries.insert(e.secondary.clone());
    }
    for (name, keys) in RULE_SETS.iter().zip(&all).skip(1) {
        let a = analysis(name, keys, Some(root_keys));
        // Root's weights by what they are here.
        let by_moved: BTreeMap<Vec<u8>, u32> = root_ranks
            .iter()
            .map(|(old, rank)| (a.moved.get(old).cloned().unwrap_or(old.clone()), *rank))
            .collect();
        let known = |e: &Element| by_moved.contains_key(&e.primary);
        let mut inserts: BTreeMap<u32, BTreeSet<Vec<u8>>> = BTreeMap::new();
        let mut changed: BTreeMap<u16, Vec<Element>> = BTreeMap::new();
        let mut changed_contractions = BTreeMap::new();
        let as_here = |elements: &[Element]| -> Vec<Element> {
            let here = |e: &Element| Element {
                primary: a.moved.get(&e.primary).cloned().unwrap_or(e.primary.clone()),
                ..e.clone()
            };
            elements.iter().map(here).collect()
        };
        for (unit, elements) in &a.done {
            let mut before = as_here(&root.done[unit]);
            for e in &mut before {
                // What only tells alike ones apart stays.
                if e.secondary.first() == Some(&0xF8) {
                    e.secondary = elements.first().map(|e| e.secondary.clone()).unwrap_or_default();
                }
            }
            if before != *elements {
                changed.insert(*unit, elements.clone());
            }
        }
        for (units, elements) in &a.contractions {
            let before = root.contractions.get(units).map(|e| as_here(e));
            if before.as_ref() != Some(elements) {
                changed_contractions.insert(units.clone(), elements.clone());
            }
        }
        // An empty sequence takes one of root's away.
        for units in root.contractions.keys().filter(|u| !a.contractions.contains_key(*u)) {
            changed_contractions.insert(units.clone(), Vec::new());
        }
        // The weights of root that ideographs of this order have no more, unless radicals do.
        let mut users: HashMap<&Vec<u8>, usize> = HashMap::new();
        for one in root.done.values().filter(|es| es.len() == 1) {
            *users.entry(&one[0].primary).or_default() += 1;
        }
        let removed: BTreeSet<u32> = changed
            .iter()
            .filter(|(unit, es)| is_han(**unit) && es.len() == 1 && !known(&es[0]))
            .map(|(unit, _)| &root.done[unit][0].primary)
            .filter(|primary| users[primary] == 1)
            .map(|primary| root_ranks[primary])
            .collect();
        for (unit, e) in changed
            .iter()
            .flat_map(|(u, es)| es.iter().map(move |e| (*u, e)))
            .chain(changed_contractions.values().flatten().map(|e| (0, e)))
        {
            if e.primary.is_empty() || known(e) {
                continue;
            }
            let mut lower = by_moved.range(..e.primary.clone()).rev();
            let before = lower.find(|(_, r)| !removed.contains(r)).map_or(0, |(_, r)| *r);
            let anchor = if is_han(unit) { last_before_han } else { before };
            inserts.entry(anchor).or_default().insert(e.primary.clone());
        }
        let inserts: BTreeMap<u32, Vec<Vec<u8>>> =
            inserts.into_iter().map(|(at, set)| (at, set.into_iter().collect())).collect();
        let mut ranks = BTreeMap::new();
        for (moved, rank) in &by_moved {
            if removed.contains(rank) {
                continue;
            }
            let shift: usize = inserts.range(..*rank).map(|(_, new)| new.len()).sum();
            let gone = removed.range(..*rank).count();
            ranks.insert(moved.clone(), rank + shift as u32 - gone as u32);
        }
        for (anchor, new) in &inserts {
            let shift: usize = inserts.range(..*anchor).map(|(_, new)| new.len()).sum();
            let gone = removed.range(..*anchor).count();
            for (at, primary) in new.iter().enumerate() {
                ranks.insert(primary.clone(), anchor + shift as u32 - gone as u32 + 1 + at as u32);
            }
        }
        for e in changed.values().chain(changed_contractions.values()).flatten() {
            secondaries.insert(e.secondary.clone());
        }
        let show: String = changed
            .keys()
            .filter(|u| !is_han(**u))
            .take(60)
            .map(|u| char::from_u32(u32::from(*u)).unwrap())
            .collect();
        let spelled: Vec<String> =
            changed_contractions.keys().map(|u| String::from_utf16_lossy(u)).collect();
        eprintln!(
            "{name}: {} cells, {} contractions, {} new: {show} | {}",
            changed.len(),
            changed_contractions.len(),
            inserts.values().map(|n| n.len()).sum::<usize>(),
            spelled.join(" ")
        );
        sets.push(Tailored { cells: changed, contractions: changed_contractions, inserts, ranks });
    }
    let secondaries: BTreeMap<Vec<u8>, u32> =
        secondaries.into_iter().enumerate().map(|(at, s)| (s, at as u32)).collect();
    eprintln!("{} secondary weights", secondaries.len());
    let mut out = Bytes(Vec::new());
    let ranks = Ranks { primaries: &root_ranks, secondaries: &secondaries };
    out.number(ordered.len() as u32);
    put_cells(&root.done, &ranks, &mut out);
    put_contractions(&root.contractions, &ranks, &mut out);
    std::fs::write(format!("{folder}/root.bin"), &out.0).unwrap();
    eprintln!("root: {} bytes, {} contractions", out.0.len(), root.contractions.len());
    // All others in one file: how long each is, then each.
    let mut parts = Vec::new();
    for set in &sets {
        let mut out = Bytes(Vec::new());
        let ranks = Ranks { primaries: &set.ranks, secondaries: &secondaries };
        let mut cells = set.cells.clone();
        out.number(set.inserts.len() as u32);
        for (anchor, new) in &set.inserts {
            out.number(*anchor);
            out.number(new.len() as u32);
            // The character that has the weight and nothing else, or 0.
            let plain: HashMap<&Vec<u8>, u16> = set
                .cells
                .iter()
                .filter_map(|(unit, es)| match &es[..] {
                    [e] if e.secondary.is_empty() && e.third == 0 => Some((&e.primary, *unit)),
                    _ => None,
                })
                .collect();
            for primary in new {
                let unit = plain.get(primary).copied().unwrap_or(0);
                out.0.extend_from_slice(&unit.to_le_bytes());
                cells.remove(&unit);
            }
        }
        put_cells(&cells, &ranks, &mut out);
        put_contractions(&set.contractions, &ranks, &mut out);
        parts.push(out.0);
    }
    let mut file = Bytes(Vec::new());
    for part in &parts {
        file.number(part.len() as u32);
    }
    for part in &parts {
        file.0.extend_from_slice(part);
    }
    std::fs::write(format!("{folder}/tailored.bin"), &file.0).unwrap();
    for (name, part) in RULE_SETS.iter().skip(1).zip(&parts) {
        eprintln!("{name}: {} bytes", part.len());
    }
}
