//! Rule sets: the weights of characters in the order of a language, as CLDR has it.
//!
//! `data/root.bin` has the weights of the first 65,536 characters that all rule sets share, and
//! `data/tailored.bin` what each of the others changes. `data/generate` makes both from CLDR by
//! ICU4X; nothing of that is in the server. Weights are ranks: a rule set's primary weights are
//! numbered without gaps in their order, root's and those that a language puts between them.
//!
//! The files, in which numbers have seven bits a byte, the lowest first:
//!
//! * root: how many primary weights there are, cells, contractions;
//! * each of the others: after which of root's primary weights how many new ones come, and the
//!   characters that have them, whose weights in root are left out if they are ideographs and no
//!   other character has them; cells; contractions.
//!
//! *Cells* are runs (units skipped, how many, primary weight less that of the cell before,
//! secondary weight above the flags of the third level), in which primary weights go up by one,
//! then sequences of elements. A *contraction* is several units and their elements; without
//! elements, one of root's is no contraction here.
//!
//! # Invariants
//!
//! * R1: keys of indexes on disk are made from these weights, so a change of a file, or of the keys
//!   that `tailored` makes, changes [`DATA_VERSION`], and databases of other versions are not
//!   opened.
//! * R2: what the files are is known when the program is built: a test decodes all of them, so that
//!   decoding has no errors.

use std::sync::OnceLock;

/// The version of the weights that keys are made from.
pub const DATA_VERSION: u32 = 1;

static ROOT: &[u8] = include_bytes!("data/root.bin");
static TAILORED: &[u8] = include_bytes!("data/tailored.bin");

/// The order of a language, or of several that have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "they are languages")]
pub enum RuleSet {
    Root,
    Arabic,
    Assamese,
    Azeri,
    Bengali,
    Breton,
    Czech,
    Welsh,
    Danish,
    GermanPhoneBook,
    Spanish,
    TraditionalSpanish,
    Estonian,
    Persian,
    Hebrew,
    Hindi,
    Croatian,
    UpperSorbian,
    Hungarian,
    Icelandic,
    Japanese,
    JapaneseRadicals,
    Kazakh,
    Khmer,
    Korean,
    Lao,
    Lithuanian,
    Latvian,
    Macedonian,
    Maltese,
    Norwegian,
    Polish,
    Pashto,
    Romanian,
    Slovak,
    Slovenian,
    Albanian,
    Swedish,
    Thai,
    Turkmen,
    Turkish,
    Uighur,
    Ukrainian,
    Urdu,
    Uzbek,
    Vietnamese,
    ChinesePinyin,
    ChineseStroke,
    ChineseBopomofo,
}

/// How many rule sets there are.
pub(super) const RULE_SETS: usize = RuleSet::ChineseBopomofo as usize + 1;

/// The element is upper case, or a kana that is not small.
pub(super) const CASE: u8 = 1;
/// It is a full-width or half-width form.
pub(super) const WIDTH: u8 = 2;
/// It is katakana.
pub(super) const KANA: u8 = 4;
/// It is another form of a character: a circled or raised one, a ligature.
pub(super) const VARIANT: u8 = 8;
/// It is a variation selector, whose number is in place of the secondary weight.
pub(super) const SELECTOR: u8 = 16;

/// What a character weighs, or a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Element {
    /// 0 for combining marks.
    pub(super) primary: u16,
    /// 0 for what has no accent, and for characters that have no weight at all.
    pub(super) secondary: u16,
    /// The flags of the third level.
    pub(super) third: u8,
}

/// Several units that are one or more elements together.
struct Contraction {
    units: Box<[u16]>,
    sequence: u16,
}

/// The weights of a rule set.
pub(super) struct Rules {
    /// Of each unit: primary weight (16 bits), secondary weight (10), flags of the third level (4),
    /// [`SEQUENCE`] and [`STARTS`].
    cells: Box<[u32]>,
    sequences: Vec<Box<[Element]>>,
    /// In the order of their first units, the longer ones first.
    contractions: Vec<Contraction>,
}

/// The unit has several elements; their number is in place of the primary weight.
pub(super) const SEQUENCE: u32 = 2;
/// The unit may begin a contraction.
pub(super) const STARTS: u32 = 1;
/// The most units of a contraction.
const CONTRACTION_UNITS_MAX: usize = 8;

impl RuleSet {
    /// The weights, which are made when they are first asked for.
    pub(super) fn rules(self) -> &'static Rules {
        static ALL: [OnceLock<Rules>; RULE_SETS] = [const { OnceLock::new() }; RULE_SETS];
        ALL[self as usize].get_or_init(|| Rules::new(self))
    }
}

impl Rules {
    /// The cell of a unit.
    #[inline]
    pub(super) fn cell(&self, unit: u16) -> u32 {
        self.cells[usize::from(unit)]
    }

    /// The elements of a cell that is a [`SEQUENCE`].
    pub(super) fn sequence(&self, cell: u32) -> &[Element] {
        &self.sequences[(cell >> 16) as usize]
    }

    /// The longest contraction that begins with `first` and goes on with units that `next` gives:
    /// how many of those it takes, and its elements.
    pub(super) fn contraction(
        &self,
        first: u16,
        mut next: impl FnMut() -> Option<u16>,
    ) -> Option<(usize, &[Element])> {
        let mut ahead = [next()?; CONTRACTION_UNITS_MAX - 1];
        let start = self.contractions.partition_point(|c| c.units[0] < first);
        let same = || self.contractions[start..].iter().take_while(|c| c.units[0] == first);
        // Most letters that may begin one do not.
        let longest = same().filter(|c| c.units[1] == ahead[0]).map(|c| c.units.len()).max()?;
        let mut count = 1;
        while count + 1 < longest {
            match next() {
                Some(unit) => ahead[count] = unit,
                None => break,
            }
            count += 1;
        }
        let found = same().find(|c| ahead[..count].starts_with(&c.units[1..]))?;
        Some((found.units.len() - 1, &self.sequences[usize::from(found.sequence)]))
    }

    fn new(rules: RuleSet) -> Rules {
        if rules == RuleSet::Root {
            return Rules::root();
        }
        let root = RuleSet::Root.rules();
        let mut data = Data(TAILORED);
        let lengths: Vec<u32> = (1..RULE_SETS).map(|_| data.number()).collect();
        let before: u32 = lengths[..rules as usize - 1].iter().sum();
        data.0 = &data.0[before as usize..];
        Rules::tailored(root, data)
    }

    fn root() -> Rules {
        let mut data = Data(ROOT);
        let primaries = data.number() as u16;
        let mut rules =
            Rules { cells: vec![0; 65536].into(), sequences: vec![], contractions: vec![] };
        data.cells(&mut rules);
        data.contractions(&mut rules);
        // Characters beyond the first 65,536 come after all others, by their codes.
        for (at, unit) in (0xD800..=0xDFFF).enumerate() {
            rules.cells[unit] = u32::from(primaries + 1 + at as u16) << 16;
        }
        rules.note_starts();
        rules
    }

    fn tailored(root: &Rules, mut data: Data<'static>) -> Rules {
        let mut inserts = Vec::new();
        // Which of root's weights no character has any more.
        let mut gone = vec![false; 65536];
        let mut users = vec![0u8; 65536];
        for cell in root.cells.iter().filter(|cell| *cell & SEQUENCE == 0) {
            let users = &mut users[(cell >> 16) as usize];
            *users = users.saturating_add(1);
        }
        for _ in 0..data.number() {
            let anchor = data.number() as u16;
            let units: Vec<u16> = (0..data.number()).map(|_| data.unit()).collect();
            for &unit in units.iter().filter(|u| is_ideograph(**u)) {
                let primary = (root.cell(unit) >> 16) as usize;
                gone[primary] = users[primary] == 1;
            }
            inserts.push((anchor, units));
        }
        let mut places = vec![0u16; 65536];
        let mut new_cells = Vec::new();
        let (mut place, mut next) = (0u16, inserts.into_iter().peekable());
        for primary in 0..=u16::MAX {
            places[usize::from(primary)] = place;
            if !gone[usize::from(primary)] {
                place = place.wrapping_add(1);
            }
            if let Some((_, units)) = next.next_if(|(anchor, _)| *anchor == primary) {
                for unit in units {
                    if unit != 0 {
                        new_cells.push((unit, u32::from(place) << 16));
                    }
                    place = place.wrapping_add(1);
                }
            }
        }
        let moved = |primary: u16| places[usize::from(primary)];
        let cell = |&cell: &u32| match cell & SEQUENCE {
            0 => u32::from(moved((cell >> 16) as u16)) << 16 | cell & 0xFFFF,
            _ => cell,
        };
        let element = |e: &Element| Element { primary: moved(e.primary), ..*e };
        let same = |c: &Contraction| Contraction { units: c.units.clone(), sequence: c.sequence };
        let mut rules = Rules {
            cells: root.cells.iter().map(cell).collect(),
            sequences: root.sequences.iter().map(|s| s.iter().map(element).collect()).collect(),
            contractions: root.contractions.iter().map(same).collect(),
        };
        for (unit, cell) in new_cells {
            rules.cells[usize::from(unit)] = cell;
        }
        data.cells(&mut rules);
        data.contractions(&mut rules);
        rules.note_starts();
        rules
    }

    fn note_starts(&mut self) {
        let longer_first = |c: &Contraction| (c.units[0], usize::MAX - c.units.len());
        self.contractions.sort_by_key(longer_first);
        for cell in &mut self.cells {
            *cell &= !STARTS;
        }
        for contraction in &self.contractions {
            assert!(contraction.units.len() <= CONTRACTION_UNITS_MAX, "contractions are short");
            self.cells[usize::from(contraction.units[0])] |= STARTS;
        }
    }
}

/// Each has a weight of its own, which in root no other character has.
fn is_ideograph(unit: u16) -> bool {
    matches!(unit, 0x3400..=0x4DBF | 0x4E00..=0x9FFF)
}

/// What is left of a file.
struct Data<'d>(&'d [u8]);

impl Data<'_> {
    fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().expect("the files are whole (R2)");
        self.0 = rest;
        first
    }

    fn unit(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn number(&mut self) -> u32 {
        let mut number = 0;
        for place in 0..5 {
            let byte = self.byte();
            number |= u32::from(byte & 0x7F) << (7 * place);
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    fn signed(&mut self) -> i32 {
        let number = self.number();
        (number >> 1) as i32 ^ -((number & 1) as i32)
    }

    fn sequence(&mut self) -> Box<[Element]> {
        let count = self.number();
        let element = |_| Element {
            primary: self.number() as u16,
            secondary: self.number() as u16,
            third: self.byte(),
        };
        (0..count).map(element).collect()
    }

    fn cells(&mut self, rules: &mut Rules) {
        let (mut at, mut last) = (0usize, 0i32);
        for _ in 0..self.number() {
            at += self.number() as usize;
            let count = self.number() as usize;
            let primary = last + self.signed();
            let rest = self.number() << 2;
            for place in 0..count {
                let primary = if primary == 0 { 0 } else { primary as u32 + place as u32 };
                rules.cells[at + place] = primary << 16 | rest;
            }
            at += count;
            last = primary + count as i32 - 1;
        }
        let mut unit = 0usize;
        for _ in 0..self.number() {
            unit += self.number() as usize;
            let elements = self.sequence();
            rules.cells[unit] = (rules.sequences.len() as u32) << 16 | SEQUENCE;
            rules.sequences.push(elements);
        }
    }

    fn contractions(&mut self, rules: &mut Rules) {
        for _ in 0..self.number() {
            let units: Box<[u16]> = {
                let count = self.number();
                (0..count).map(|_| self.number() as u16).collect()
            };
            let elements = self.sequence();
            rules.contractions.retain(|c| c.units != units);
            if !elements.is_empty() {
                let sequence = rules.sequences.len() as u16;
                rules.contractions.push(Contraction { units, sequence });
                rules.sequences.push(elements);
            }
        }
    }
}

#[cfg(test)]
mod tests;
