//! Cultures: how a language and a country write numbers and dates. FORMAT and PARSE go by them.

use std::sync::LazyLock;

use base::datetime::{DateOrder, Language};

/// One line for each culture; its head says how to read it.
const TABLE: &str = include_str!("cultures.txt");

static CULTURES: LazyLock<Vec<Culture>> =
    LazyLock::new(|| TABLE.lines().filter(|line| !line.starts_with('#')).map(read).collect());

/// One culture.
#[derive(Debug)]
pub(super) struct Culture {
    /// Its name, like `en-US`; empty for the invariant one.
    pub name: &'static str,
    /// The language of its months and days.
    pub language: &'static str,
    /// The point in numbers.
    pub point: char,
    /// What stands between groups of three digits.
    pub group: char,
    /// Currency, positive and negative, with `n` for the number.
    pub currency: (&'static str, &'static str),
    /// Percentage, with `n` for the number.
    pub percent: &'static str,
    /// The short names of days from Monday on.
    short_days: [&'static str; 7],
    /// Months and days begin with a small letter, though the language's table has capitals.
    pub small_names: bool,
    /// What `/` in a date format stands for.
    pub date_separator: char,
    /// The formats `d` and `D`.
    pub dates: (&'static str, &'static str),
    /// The formats `t` and `T`.
    pub times: (&'static str, &'static str),
    /// The formats `M` and `Y`.
    pub parts: (&'static str, &'static str),
    /// Before and after noon.
    pub halves: (&'static str, &'static str),
    /// Names of months other than the language's.
    months: Option<[&'static str; 12]>,
    /// Names of months beside a day: a genitive.
    months_beside_day: Option<[&'static str; 12]>,
}

fn read(line: &'static str) -> Culture {
    let mut fields = line.split('|');
    let mut next = || fields.next().expect("a culture has twenty fields");
    let character = |text: &str| text.chars().next().expect("the table has a character here");
    let culture = Culture {
        name: next(),
        language: next(),
        point: character(next()),
        group: match next() {
            "_" => '\u{A0}',
            text => character(text),
        },
        currency: (next(), next()),
        percent: next(),
        short_days: list(next()).expect("the table has the names of seven days"),
        small_names: next() == "yes",
        date_separator: character(next()),
        dates: (next(), next()),
        times: (next(), next()),
        parts: (next(), next()),
        halves: (next(), next()),
        months: list(next()),
        months_beside_day: list(next()),
    };
    assert_eq!(fields.next(), None, "a culture has twenty fields: {line}");
    culture
}

fn list<const N: usize>(text: &'static str) -> Option<[&'static str; N]> {
    text.split(',').collect::<Vec<_>>().try_into().ok()
}

impl Culture {
    /// The culture of this name, in any case; a language alone means its first country.
    pub fn by_name(name: &str) -> Option<&'static Culture> {
        let whole = CULTURES.iter().find(|c| c.name.eq_ignore_ascii_case(name));
        whole.or_else(|| {
            let of_language = |c: &&Culture| {
                c.name.split_once('-').is_some_and(|(l, _)| l.eq_ignore_ascii_case(name))
            };
            CULTURES.iter().find(of_language)
        })
    }

    /// The culture of a session's language; that of us_english where the language has none.
    pub fn of(language: &Language) -> &'static Culture {
        CULTURES.iter().find(|c| c.language == language.name).unwrap_or(&CULTURES[0])
    }

    /// The names of months and days.
    fn names(&self) -> &'static Language {
        Language::by_name(self.language).unwrap_or(&base::datetime::US_ENGLISH)
    }

    /// The name of a month, counted from 1; beside a day it may be another.
    pub fn month(&self, month: u32, beside_day: bool) -> &'static str {
        let own = if beside_day { self.months_beside_day } else { None };
        own.or(self.months).unwrap_or(self.names().months)[month as usize - 1]
    }

    /// The short name of a month, counted from 1.
    pub fn short_month(&self, month: u32) -> &'static str {
        self.names().short_months[month as usize - 1]
    }

    /// The name of a day, counted from Monday, which is 0.
    pub fn day(&self, day: usize) -> &'static str {
        self.names().days[day]
    }

    /// The short name of a day, counted from Monday, which is 0.
    pub fn short_day(&self, day: usize) -> &'static str {
        self.short_days[day]
    }

    /// In which order its short dates have day, month and year.
    pub fn order(&self) -> DateOrder {
        match self.dates.0.chars().next() {
            Some('M') => DateOrder::Mdy,
            Some('y') => DateOrder::Ymd,
            _ => DateOrder::Dmy,
        }
    }

    /// The sign of its currency.
    pub fn currency_sign(&self) -> &'static str {
        self.currency.0.trim_matches(|c: char| c == 'n' || c.is_whitespace())
    }
}

#[cfg(test)]
mod tests;
