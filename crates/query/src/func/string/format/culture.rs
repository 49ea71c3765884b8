//! Cultures: how a language and a country write numbers and dates.

use base::datetime::Language;

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
    /// Letters of a day's short name, and what ends it.
    pub short_day: (usize, &'static str),
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
}

static CULTURES: [Culture; 7] = [
    Culture {
        name: "en-US",
        language: "us_english",
        point: '.',
        group: ',',
        currency: ("$n", "($n)"),
        percent: "n%",
        short_day: (3, ""),
        small_names: false,
        date_separator: '/',
        dates: ("M/d/yyyy", "dddd, MMMM d, yyyy"),
        times: ("h:mm tt", "h:mm:ss tt"),
        parts: ("MMMM d", "MMMM yyyy"),
        halves: ("AM", "PM"),
    },
    Culture {
        name: "en-GB",
        language: "British",
        point: '.',
        group: ',',
        currency: ("£n", "-£n"),
        percent: "n%",
        short_day: (3, ""),
        small_names: false,
        date_separator: '/',
        dates: ("dd/MM/yyyy", "dd MMMM yyyy"),
        times: ("HH:mm", "HH:mm:ss"),
        parts: ("d MMMM", "MMMM yyyy"),
        halves: ("AM", "PM"),
    },
    Culture {
        name: "de-DE",
        language: "Deutsch",
        point: ',',
        group: '.',
        currency: ("n €", "-n €"),
        percent: "n %",
        short_day: (2, ""),
        small_names: false,
        date_separator: '.',
        dates: ("dd.MM.yyyy", "dddd, d. MMMM yyyy"),
        times: ("HH:mm", "HH:mm:ss"),
        parts: ("d. MMMM", "MMMM yyyy"),
        halves: ("", ""),
    },
    Culture {
        name: "fr-FR",
        language: "Français",
        point: ',',
        group: '\u{A0}',
        currency: ("n €", "-n €"),
        percent: "n %",
        short_day: (3, "."),
        small_names: false,
        date_separator: '/',
        dates: ("dd/MM/yyyy", "dddd d MMMM yyyy"),
        times: ("HH:mm", "HH:mm:ss"),
        parts: ("d MMMM", "MMMM yyyy"),
        halves: ("", ""),
    },
    Culture {
        name: "es-ES",
        language: "Español",
        point: ',',
        group: '.',
        currency: ("n €", "-n €"),
        percent: "n %",
        short_day: (3, ""),
        small_names: true,
        date_separator: '/',
        dates: ("dd/MM/yyyy", "dddd, d 'de' MMMM 'de' yyyy"),
        times: ("H:mm", "H:mm:ss"),
        parts: ("d 'de' MMMM", "MMMM 'de' yyyy"),
        halves: ("", ""),
    },
    Culture {
        name: "it-IT",
        language: "Italiano",
        point: ',',
        group: '.',
        currency: ("n €", "-n €"),
        percent: "n%",
        short_day: (3, ""),
        small_names: false,
        date_separator: '/',
        dates: ("dd/MM/yyyy", "dddd d MMMM yyyy"),
        times: ("HH:mm", "HH:mm:ss"),
        parts: ("d MMMM", "MMMM yyyy"),
        halves: ("", ""),
    },
    Culture {
        name: "",
        language: "us_english",
        point: '.',
        group: ',',
        currency: ("¤n", "(¤n)"),
        percent: "n %",
        short_day: (3, ""),
        small_names: false,
        date_separator: '/',
        dates: ("MM/dd/yyyy", "dddd, dd MMMM yyyy"),
        times: ("HH:mm", "HH:mm:ss"),
        parts: ("MMMM dd", "yyyy MMMM"),
        halves: ("AM", "PM"),
    },
];

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

    /// The culture of a session's language.
    pub fn of(language: &Language) -> &'static Culture {
        CULTURES.iter().find(|c| c.language == language.name).unwrap_or(&CULTURES[0])
    }

    /// The names of months and days.
    pub fn names(&self) -> &'static Language {
        Language::by_name(self.language).unwrap_or(&base::datetime::US_ENGLISH)
    }
}
