//! Dates and times: numbers in the culture's order, names of months and days, times with their
//! halves of the day, ISO 8601.
//!
//! What a date lacks is today's: the year of `25 May`, the day of `10:30`; `May 2018` is its first
//! day. A named day must be the date's.

use base::datetime::civil::{TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND, weekday};
use base::datetime::{DateOrder, DateSettings, Moment};

use super::super::culture::Culture;

/// A date and time; `None` for what is none. `today` counts days since 0001-01-01.
pub(super) fn parse(
    text: &str,
    culture: &Culture,
    today: i32,
    settings: &DateSettings,
) -> Option<Moment> {
    let rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    let mut reader = Reader {
        rest,
        culture,
        numbers: Vec::new(),
        month: None,
        day_name: None,
        time: None,
        offset: None,
    };
    while !reader.rest.is_empty() {
        reader.next()?;
    }
    let days = reader.date(today, settings)?;
    if reader.day_name.is_some_and(|name| weekday(days) as usize != name + 1) {
        return None;
    }
    Some(Moment { days, ticks: reader.time.unwrap_or(0), offset: reader.offset.unwrap_or(0) })
}

/// A run of digits.
#[derive(Clone, Copy)]
struct Number {
    value: i32,
    digits: usize,
}

impl Number {
    fn is_year(self) -> bool {
        self.digits > 2
    }
}

struct Reader<'t> {
    rest: &'t str,
    culture: &'t Culture,
    numbers: Vec<Number>,
    /// From 1.
    month: Option<u32>,
    /// From Monday, which is 0.
    day_name: Option<usize>,
    /// Units of 100 ns since midnight.
    time: Option<i64>,
    /// Minutes east of Greenwich.
    offset: Option<i16>,
}

impl Reader<'_> {
    /// One number, time, word or separator.
    fn next(&mut self) -> Option<()> {
        let c = self.rest.chars().next()?;
        let begun = self.month.is_some() || !self.numbers.is_empty() || self.day_name.is_some();
        match c {
            '0'..='9' => self.number(),
            _ if c.is_whitespace() || c == ',' => self.skip(c),
            '+' | '-' if self.time.is_some() && self.offset.is_none() => self.zone(),
            '/' | '-' | '.' if begun => self.skip(c),
            _ => self.word(),
        }
    }

    fn skip(&mut self, c: char) -> Option<()> {
        self.rest = &self.rest[c.len_utf8()..];
        Some(())
    }

    fn take_number(&mut self) -> Option<Number> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (text, rest) = self.rest.split_at(digits);
        self.rest = rest;
        (1..=4).contains(&digits).then(|| text.parse().ok())?.map(|value| Number { value, digits })
    }

    fn number(&mut self) -> Option<()> {
        let number = self.take_number()?;
        if self.time.is_none() && (self.rest.starts_with(':') || self.half(self.rest).is_some()) {
            return self.time_after(number);
        }
        self.numbers.push(number);
        (self.numbers.len() <= 3).then_some(())
    }

    /// Whether a text goes on with a half of the day: the second one, and what follows.
    fn half<'r>(&self, text: &'r str) -> Option<(bool, &'r str)> {
        let text = text.trim_start();
        let (before, after) = self.culture.halves;
        [(before, false), (after, true), ("AM", false), ("PM", true)].iter().find_map(
            |&(name, second)| {
                let rest = strip_word(text, name).filter(|_| !name.is_empty())?;
                Some((second, rest))
            },
        )
    }

    /// The rest of a time after its hour.
    fn time_after(&mut self, hour: Number) -> Option<()> {
        let mut parts = [0i64; 2];
        for part in &mut parts {
            let Some(after) = self.rest.strip_prefix(':') else { break };
            self.rest = after;
            *part = i64::from(self.take_number()?.value);
        }
        let mut fraction = 0;
        let point = self.rest.strip_prefix(['.', self.culture.point]);
        if let Some(after) = point.filter(|r| r.starts_with(|c: char| c.is_ascii_digit())) {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let kept = &after[..digits.min(7)];
            fraction = kept.parse::<i64>().ok()? * 10i64.pow(7 - kept.len() as u32);
            self.rest = &after[digits..];
        }
        let mut hour = i64::from(hour.value);
        if let Some((second, rest)) = self.half(self.rest) {
            if !(0..=12).contains(&hour) {
                return None;
            }
            self.rest = rest;
            hour = hour % 12 + if second { 12 } else { 0 };
        }
        let [minute, seconds] = parts;
        if hour > 23 || minute > 59 || seconds > 59 {
            return None;
        }
        let whole = hour * TICKS_PER_HOUR + minute * TICKS_PER_MINUTE + seconds * TICKS_PER_SECOND;
        self.time = Some(whole + fraction);
        Some(())
    }

    /// `+02:00`, `-5`.
    fn zone(&mut self) -> Option<()> {
        let sign = if self.rest.starts_with('-') { -1 } else { 1 };
        self.rest = &self.rest[1..];
        let hours = self.take_number()?.value;
        let mut minutes = 0;
        if let Some(after) = self.rest.strip_prefix(':') {
            self.rest = after;
            minutes = self.take_number()?.value;
        }
        let total = hours * 60 + minutes;
        self.offset = Some(i16::try_from(sign * total).ok().filter(|o| o.abs() <= 840)?);
        (minutes < 60).then_some(())
    }

    fn word(&mut self) -> Option<()> {
        if let Some(after) = self.rest.strip_prefix(['T', 't']) {
            // ISO 8601 has it between date and time.
            let digit = after.starts_with(|c: char| c.is_ascii_digit());
            if digit && self.numbers.len() == 3 && self.time.is_none() {
                self.rest = after;
                return Some(());
            }
        }
        if self.time.is_some() && self.offset.is_none() {
            if let Some(rest) = ["Z", "GMT"].iter().find_map(|utc| strip_word(self.rest, utc)) {
                (self.rest, self.offset) = (rest, Some(0));
                return Some(());
            }
        }
        let culture = self.culture;
        // Words that the culture's long dates have: `de` in Spanish, signs of year and day in
        // Chinese. They come first: the sign of a day is a Sunday, too.
        let fixed = [culture.dates.0, culture.dates.1, culture.parts.0, culture.parts.1];
        let words = fixed.into_iter().flat_map(|pattern| pattern.split('\'').skip(1).step_by(2));
        if let Some((rest, ())) = longest(self.rest, words.map(|word| (word.trim(), ()))) {
            self.rest = rest;
            return Some(());
        }
        let months = (1..=12).flat_map(|m| {
            [true, false].into_iter().flat_map(move |beside_day| {
                let names = [culture.month(m, beside_day), culture.short_month(m, beside_day)];
                names.map(|name| (name, m))
            })
        });
        if let Some((rest, month)) = longest(self.rest, months) {
            self.rest = rest;
            return self.month.replace(month).is_none().then_some(());
        }
        let days = (0..7).flat_map(|d| [(culture.day(d), d), (culture.short_day(d), d)]);
        let (rest, day) = longest(self.rest, days)?;
        self.rest = rest;
        self.day_name.replace(day).is_none().then_some(())
    }

    /// The day, in days since 0001-01-01.
    fn date(&self, today: i32, settings: &DateSettings) -> Option<i32> {
        let calendar = self.culture.calendar;
        let this_year = Number { value: calendar.of_days(today)?.year, digits: 4 };
        let first = Number { value: 1, digits: 1 };
        let order = self.culture.order();
        let numbered = |value: u32| Number { value: value as i32, digits: 1 };
        let (year, month, day) = match (self.month.map(numbered), &self.numbers[..]) {
            (None, []) if self.time.is_some() && self.day_name.is_none() => return Some(today),
            (None, &[a, b]) if a.is_year() => (a, b, first),
            (None, &[a, b]) if b.is_year() => (b, a, first),
            (None, &[a, b]) if order == DateOrder::Dmy => (this_year, b, a),
            (None, &[a, b]) => (this_year, a, b),
            (None, &[a, b, c]) if a.is_year() => (a, b, c),
            (None, &[a, b, c]) => match order {
                DateOrder::Dmy => (c, b, a),
                DateOrder::Ymd if !c.is_year() => (a, b, c),
                _ => (c, a, b),
            },
            (Some(month), []) => (this_year, month, first),
            (Some(month), &[a]) if a.is_year() => (a, month, first),
            (Some(month), &[a]) => (this_year, month, a),
            (Some(month), &[a, b]) if a.is_year() => (a, month, b),
            (Some(month), &[a, b]) if order == DateOrder::Ymd && !b.is_year() => (a, month, b),
            (Some(month), &[a, b]) => (b, month, a),
            _ => return None,
        };
        if month.is_year() || day.is_year() {
            return None;
        }
        let cutoff = settings.two_digit_year_cutoff;
        let full = if year.is_year() { year.value } else { calendar.full_year(year.value, cutoff) };
        calendar.to_days(full, month.value as u32, day.value as u32)
    }
}

/// The longest of some names that a text begins with: what follows it, and what it stands for.
fn longest<'t, 'n, T>(
    text: &'t str,
    names: impl Iterator<Item = (&'n str, T)>,
) -> Option<(&'t str, T)> {
    let found = names.filter(|(name, _)| !name.is_empty());
    let found = found.filter_map(|(name, meaning)| Some((strip_word(text, name)?, meaning)));
    found.min_by_key(|(rest, _)| rest.len())
}

/// What follows a word in any case, unless it is a part of a longer one.
fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let mut rest = text.chars();
    for own in word.chars() {
        let c = rest.next()?;
        if c != own && !c.to_lowercase().eq(own.to_lowercase()) {
            return None;
        }
    }
    let rest = rest.as_str();
    let ends = |word: &str| word.chars().next_back().is_some_and(|c| c.is_alphabetic());
    // Chinese, Japanese and Korean write without blanks.
    let dense = word.chars().next_back().is_some_and(|c| c >= '\u{1100}');
    let goes_on = ends(word) && !dense && rest.starts_with(char::is_alphabetic);
    (!goes_on).then_some(rest)
}
