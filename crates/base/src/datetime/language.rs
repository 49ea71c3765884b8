//! Languages: names of months and days, the usual order of a date, the first day of the week.

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
};

static OTHERS: [Language; 5] = [
    Language {
        id: 23,
        name: "British",
        alias: "British English",
        lcid: 2057,
        message_language: 1033,
        order: DateOrder::Dmy,
        first_day: 1,
        months: ENGLISH_MONTHS,
        short_months: ENGLISH_SHORT,
        days: ENGLISH_DAYS,
    },
    Language {
        id: 1,
        name: "Deutsch",
        alias: "German",
        lcid: 1031,
        message_language: 1031,
        order: DateOrder::Dmy,
        first_day: 1,
        months: [
            "Januar",
            "Februar",
            "März",
            "April",
            "Mai",
            "Juni",
            "Juli",
            "August",
            "September",
            "Oktober",
            "November",
            "Dezember",
        ],
        short_months: [
            "Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez",
        ],
        days: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
    },
    Language {
        id: 2,
        name: "Français",
        alias: "French",
        lcid: 1036,
        message_language: 1036,
        order: DateOrder::Dmy,
        first_day: 1,
        months: [
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
        ],
        short_months: [
            "janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov",
            "déc",
        ],
        days: ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    },
    Language {
        id: 5,
        name: "Español",
        alias: "Spanish",
        lcid: 3082,
        message_language: 3082,
        order: DateOrder::Dmy,
        first_day: 1,
        months: [
            "Enero",
            "Febrero",
            "Marzo",
            "Abril",
            "Mayo",
            "Junio",
            "Julio",
            "Agosto",
            "Septiembre",
            "Octubre",
            "Noviembre",
            "Diciembre",
        ],
        short_months: [
            "Ene", "Feb", "Mar", "Abr", "May", "Jun", "Jul", "Ago", "Sep", "Oct", "Nov", "Dic",
        ],
        days: ["Lunes", "Martes", "Miércoles", "Jueves", "Viernes", "Sábado", "Domingo"],
    },
    Language {
        id: 6,
        name: "Italiano",
        alias: "Italian",
        lcid: 1040,
        message_language: 1040,
        order: DateOrder::Dmy,
        first_day: 1,
        months: [
            "gennaio",
            "febbraio",
            "marzo",
            "aprile",
            "maggio",
            "giugno",
            "luglio",
            "agosto",
            "settembre",
            "ottobre",
            "novembre",
            "dicembre",
        ],
        short_months: [
            "gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic",
        ],
        days: ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
    },
];

impl Language {
    /// Every language.
    pub fn all() -> impl Iterator<Item = &'static Language> {
        std::iter::once(&US_ENGLISH).chain(&OTHERS)
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
