//! Cultures: how a language and a country write numbers and dates. FORMAT and PARSE go by them.
//!
//! The table holds one line for each culture. A line is read when its culture is first asked for,
//! and stays; names are found by binary search.

mod calendar;

use std::cmp::Ordering;
use std::sync::{LazyLock, OnceLock};

use base::datetime::{DateOrder, Language};

pub(super) use self::calendar::Calendar;

/// One line for each culture; its head says how to read it.
const TABLE: &str = include_str!("cultures.txt");

/// Fields of a line.
const FIELDS: usize = 24;

/// Names that are not those of lines, or would mean another one.
const ALIASES: &[(&str, &str)] = &[
    ("no", "nb-NO"),
    ("zh-Hans", "zh-CN"),
    ("zh-Hans-CN", "zh-CN"),
    ("zh-CHS", "zh-CN"),
    ("zh-Hant", "zh-TW"),
    ("zh-Hant-TW", "zh-TW"),
    ("zh-CHT", "zh-TW"),
    ("pa-Guru-IN", "pa-IN"),
];

static TABLE_LINES: LazyLock<Table> = LazyLock::new(Table::read);

/// The lines of the table.
struct Table {
    lines: Vec<Line>,
    /// Names, in any case, and which line they mean, in the order of [`compare`].
    names: Vec<(&'static str, usize)>,
}

struct Line {
    text: &'static str,
    /// The line of which this is a variant.
    head: usize,
    culture: OnceLock<Culture>,
}

impl Table {
    fn read() -> Table {
        let mut lines: Vec<Line> = Vec::new();
        let mut names = Vec::new();
        let mut head = 0;
        for text in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let at = lines.len();
            if !text.starts_with(' ') {
                head = at;
            }
            let name = text.trim_start().split('|').next().unwrap_or_default();
            // A language alone, or with its script, means the first line that has it.
            let beginnings = name.match_indices('-').map(|(end, _)| &name[..end]);
            names.extend(std::iter::once(name).chain(beginnings).map(|name| (name, at)));
            lines.push(Line { text, head, culture: OnceLock::new() });
        }
        let alias = |(name, meant): &(&'static str, &str)| {
            let (_, at) = names.iter().find(|(own, _)| own == meant)?;
            Some((*name, *at))
        };
        let aliases: Vec<_> = ALIASES.iter().filter_map(alias).collect();
        names.retain(|(name, _)| !aliases.iter().any(|(alias, _)| alias == name));
        names.extend(aliases);
        names.sort_by(|a, b| compare(a.0, b.0).then(a.1.cmp(&b.1)));
        names.dedup_by(|a, b| compare(a.0, b.0).is_eq());
        Table { lines, names }
    }

    fn culture(&self, at: usize) -> &Culture {
        let line = &self.lines[at];
        line.culture.get_or_init(|| Culture::of_line(line.text, self.lines[line.head].text))
    }
}

/// The order of names, whatever their case.
fn compare(a: &str, b: &str) -> Ordering {
    let folded = |b: u8| b.to_ascii_lowercase();
    a.bytes().map(folded).cmp(b.bytes().map(folded))
}

/// One culture.
#[derive(Debug)]
pub(super) struct Culture {
    /// The point in numbers.
    pub point: char,
    /// How digits before the point are grouped.
    pub grouping: Grouping,
    /// Currency, positive and negative, with `#` for the number.
    pub currency: (&'static str, &'static str),
    /// Digits of currency after the point.
    pub currency_digits: usize,
    /// Percentage, with `#` for the number.
    pub percent: &'static str,
    /// What `/` in a date format stands for.
    pub date_separator: char,
    /// What `:` in a date format stands for.
    pub time_separator: char,
    /// The formats `d` and `D`.
    pub dates: (&'static str, &'static str),
    /// The formats `t` and `T`.
    pub times: (&'static str, &'static str),
    /// The formats `M` and `Y`.
    pub parts: (&'static str, &'static str),
    /// Before and after noon.
    pub halves: (&'static str, &'static str),
    /// The name of the era that years are counted in.
    pub era: &'static str,
    /// The calendar of its dates.
    pub calendar: Calendar,
    /// From Monday on.
    days: [&'static str; 7],
    short_days: [&'static str; 7],
    months: [&'static str; 12],
    short_months: [&'static str; 12],
    /// Names of months beside a day, where they have others: a genitive.
    months_beside_day: Option<[&'static str; 12]>,
    short_months_beside_day: Option<[&'static str; 12]>,
}

/// Groups of digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grouping {
    /// What stands between groups.
    pub separator: char,
    /// Digits of the group before the point, and of the others.
    sizes: (u8, u8),
}

impl Grouping {
    /// Whether a separator follows the digit at this power of ten.
    pub fn follows(self, power: i32) -> bool {
        let (first, others) = (i32::from(self.sizes.0), i32::from(self.sizes.1));
        power >= first && (power - first) % others == 0
    }
}

fn character(text: &str) -> char {
    text.chars().next().expect("the table has a character here")
}

fn list<const N: usize>(text: &'static str) -> [&'static str; N] {
    let names: Vec<&str> = text.split(',').collect();
    names.try_into().expect("the table has a name for each")
}

/// A list that may be left out.
fn other_names(text: &'static str) -> Option<[&'static str; 12]> {
    (!text.is_empty()).then(|| list(text))
}

/// The first character that stands between two numbers of a format.
fn separator(format: &str, first: &[char], usual: char) -> char {
    let mut after = format.split('\'').step_by(2).flat_map(str::chars);
    after.by_ref().find(|c| first.contains(c));
    after
        .find(|c| !first.contains(c) && (c.is_ascii_punctuation() || c.is_alphanumeric()))
        .filter(char::is_ascii_punctuation)
        .unwrap_or(usual)
}

impl Culture {
    fn of_line(own: &'static str, head: &'static str) -> Culture {
        let heads: Vec<&'static str> = head.split('|').collect();
        let owns: Vec<&'static str> = own.trim_start().split('|').collect();
        assert_eq!(heads.len(), FIELDS, "a culture has {FIELDS} fields: {head}");
        let field = |at: usize| match owns.get(at).copied().unwrap_or_default() {
            "" if at > 0 => heads[at],
            "~" => "",
            text => text,
        };
        let separators = match field(2) {
            "_" => '\u{A0}',
            text => character(text),
        };
        let size = |text: &str| text.parse().expect("the table has a number here");
        let sizes = field(3).split_once(',').unwrap_or((field(3), field(3)));
        Culture {
            point: character(field(1)),
            grouping: Grouping { separator: separators, sizes: (size(sizes.0), size(sizes.1)) },
            currency: (field(4), field(5)),
            currency_digits: size(field(6)).into(),
            percent: field(7),
            days: list(field(8)),
            short_days: list(field(9)),
            months: list(field(10)),
            short_months: list(field(11)),
            months_beside_day: other_names(field(12)),
            short_months_beside_day: other_names(field(13)),
            date_separator: separator(field(14), &['d', 'M', 'y'], '/'),
            time_separator: separator(field(17), &['h', 'H'], ':'),
            dates: (field(14), field(15)),
            times: (field(16), field(17)),
            parts: (field(18), field(19)),
            halves: (field(20), field(21)),
            era: field(22),
            calendar: Calendar::by_name(field(23)).expect("the table names calendars here"),
        }
    }

    /// The culture of this name, in any case; a language alone means the country where most people
    /// speak it.
    pub fn by_name(name: &str) -> Option<&'static Culture> {
        let table = &*TABLE_LINES;
        let at = table.names.binary_search_by(|(own, _)| compare(own, name)).ok()?;
        Some(table.culture(table.names[at].1))
    }

    /// The culture of a session's language.
    pub fn of(language: &Language) -> &'static Culture {
        Culture::by_name(language.culture).expect("every language has a culture of the table")
    }

    /// The culture of what is the same everywhere.
    pub fn invariant() -> &'static Culture {
        Culture::by_name("").expect("the table has the invariant culture")
    }

    /// The name of a month, counted from 1; beside a day it may be another.
    pub fn month(&self, month: u32, beside_day: bool) -> &'static str {
        let own = if beside_day { self.months_beside_day } else { None };
        own.unwrap_or(self.months)[month as usize - 1]
    }

    /// The short name of a month, counted from 1; beside a day it may be another.
    pub fn short_month(&self, month: u32, beside_day: bool) -> &'static str {
        let own = if beside_day { self.short_months_beside_day } else { None };
        own.unwrap_or(self.short_months)[month as usize - 1]
    }

    /// The name of a day, counted from Monday, which is 0.
    pub fn day(&self, day: usize) -> &'static str {
        self.days[day]
    }

    /// The short name of a day, counted from Monday, which is 0.
    pub fn short_day(&self, day: usize) -> &'static str {
        self.short_days[day]
    }

    /// In which order its short dates have day, month and year.
    pub fn order(&self) -> DateOrder {
        match self.dates.0.chars().find(|c| matches!(c, 'd' | 'M' | 'y')) {
            Some('M') => DateOrder::Mdy,
            Some('y') => DateOrder::Ymd,
            _ => DateOrder::Dmy,
        }
    }

    /// The sign of its currency.
    pub fn currency_sign(&self) -> &'static str {
        self.currency.0.trim_matches(|c: char| c == '#' || c.is_whitespace())
    }
}

#[cfg(test)]
mod tests;
