//! Languages: names of months and days, the usual order of a date, the first day of the week.

use std::str::FromStr;
use std::sync::LazyLock;

/// In which order day, month and year are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum DateOrder {
    #[default]
    Mdy,
    Dmy,
    Ymd,
    Ydm,
    Myd,
    Dym,
}

impl DateOrder {
    /// What `SET DATEFORMAT` calls it.
    pub fn parse(name: &str) -> Option<DateOrder> {
        use DateOrder::*;
        [Mdy, Dmy, Ymd, Ydm, Myd, Dym].into_iter().find(|o| o.name().eq_ignore_ascii_case(name))
    }

    /// As `SET DATEFORMAT` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            DateOrder::Mdy => "mdy",
            DateOrder::Dmy => "dmy",
            DateOrder::Ymd => "ymd",
            DateOrder::Ydm => "ydm",
            DateOrder::Myd => "myd",
            DateOrder::Dym => "dym",
        }
    }

    /// Whether the month comes before the day.
    pub const fn month_first(self) -> bool {
        matches!(self, DateOrder::Mdy | DateOrder::Ymd | DateOrder::Myd)
    }
}

/// One row of `sys.syslanguages`.
#[derive(Debug)]
pub struct Language {
    /// `langid`.
    pub id: i16,
    /// The name that `@@LANGUAGE` shows.
    pub name: &'static str,
    /// The English name, which `SET LANGUAGE` takes as well.
    pub alias: &'static str,
    /// The Windows locale id.
    pub lcid: i32,
    /// The id of its messages in `sys.messages`.
    pub message_language: i16,
    /// How dates are written.
    pub order: DateOrder,
    /// First day of the week: 1 is Monday, 7 Sunday.
    pub first_day: u8,
    /// January to December.
    pub months: [&'static str; 12],
    /// Jan to Dec.
    pub short_months: [&'static str; 12],
    /// Monday to Sunday.
    pub days: [&'static str; 7],
    /// The culture in which its sessions format and parse: `de-DE`.
    pub culture: &'static str,
}

const ENGLISH_MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const ENGLISH_SHORT: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const ENGLISH_DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// `us_english`, which every session starts with.
pub static US_ENGLISH: Language = Language {
    id: 0,
    name: "us_english",
    alias: "English",
    lcid: 1033,
    message_language: 1033,
    order: DateOrder::Mdy,
    first_day: 7,
    months: ENGLISH_MONTHS,
    short_months: ENGLISH_SHORT,
    days: ENGLISH_DAYS,
    culture: "en-US",
};

static OTHERS: LazyLock<Vec<Language>> =
    LazyLock::new(|| LANGUAGES.lines().filter(|line| !line.starts_with('#')).map(read).collect());

/// One line for each language; its head says how to read it.
const LANGUAGES: &str = include_str!("languages.txt");

fn read(line: &'static str) -> Language {
    let fields: Vec<&'static str> = line.split('|').collect();
    let [id, name, alias, lcid, messages, order, first_day, months, short_months, days, culture] =
        fields[..]
    else {
        panic!("a language has eleven fields: {line}")
    };
    Language {
        id: number(id),
        name,
        alias,
        lcid: number(lcid),
        message_language: number(messages),
        order: DateOrder::parse(order).expect("the table names orders of dates"),
        first_day: number(first_day),
        months: list(months),
        short_months: list(short_months),
        days: list(days),
        culture,
    }
}

fn number<T: FromStr>(text: &str) -> T {
    text.parse().ok().expect("the table has numbers here")
}

fn list<const N: usize>(text: &'static str) -> [&'static str; N] {
    let names: Vec<&str> = text.split(',').collect();
    names.try_into().expect("the table has a name for each")
}

impl Language {
    /// Every language.
    pub fn all() -> impl Iterator<Item = &'static Language> {
        std::iter::once(&US_ENGLISH).chain(OTHERS.iter())
    }

    /// The language that `SET LANGUAGE` means by a name or alias, in any case.
    pub fn by_name(name: &str) -> Option<&'static Language> {
        let name = name.trim().to_lowercase();
        Language::all().find(|l| l.name.to_lowercase() == name || l.alias.to_lowercase() == name)
    }

    /// The month (1 to 12) of this full or short name, in any case. Every language also reads the
    /// English ones.
    pub fn month(&self, word: &str) -> Option<u32> {
        let in_names = |names: &[&str; 12]| {
            let at = names.iter().position(|n| same_word(n, word))?;
            Some(at as u32 + 1)
        };
        in_names(&self.short_months)
            .or_else(|| in_names(&self.months))
            .or_else(|| in_names(&ENGLISH_SHORT))
            .or_else(|| in_names(&ENGLISH_MONTHS))
    }
}

fn same_word(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
        || a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

/// What of a session's settings decides how dates are read and written.
#[derive(Clone, Copy, Debug)]
pub struct DateSettings {
    /// `SET LANGUAGE`
    pub language: &'static Language,
    /// `SET DATEFORMAT`
    pub order: DateOrder,
    /// `SET DATEFIRST`: 1 is Monday, 7 Sunday.
    pub first_day: u8,
    /// The last year that two digits can mean; 2049 makes 49 into 2049 and 50 into 1950.
    pub two_digit_year_cutoff: i32,
}

impl DateSettings {
    /// What a session in this language starts with.
    pub const fn of(language: &'static Language) -> DateSettings {
        DateSettings {
            language,
            order: language.order,
            first_day: language.first_day,
            two_digit_year_cutoff: 2049,
        }
    }

    /// The year that two digits mean.
    pub const fn full_year(&self, two_digits: i32) -> i32 {
        let century = self.two_digit_year_cutoff / 100 * 100;
        let year = century + two_digits;
        if year > self.two_digit_year_cutoff { year - 100 } else { year }
    }
}

impl Default for DateSettings {
    fn default() -> DateSettings {
        DateSettings::of(&US_ENGLISH)
    }
}
