//! Reading dates and times from text, in all the forms that SQL Server takes.
//!
//! | form | examples |
//! |---|---|
//! | numeric | `4/15/1996`, `15.4.96`, `1996-04-15`; the order is the session's or the style's |
//! | with a month's name | `Apr 15, 1996`, `15 April 96`, `1996 Apr`, `15-Apr-1996` |
//! | without separators | `19960415`, `960415`, `1996` |
//! | ISO 8601 | `1996-04-15T14:30:00.123`, with `Z` or an offset |
//! | ODBC | `{ts '1996-04-15 14:30:00'}`, `{d '…'}`, `{t '…'}` |
//! | time | `14:30`, `14:30:20.999`, `14:30:20:999`, `4 PM`, `4:30am`, before or after the date |

use super::civil::{Civil, DAYS_1900, TICKS_PER_HOUR, TICKS_PER_MINUTE, TICKS_PER_SECOND};
use super::language::{DateOrder, DateSettings};

/// Which family of types reads: they differ in what fractions, offsets and orders they accept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// datetime, smalldatetime: three digits of a fraction, no offset, `yyyy-mm-dd` in the
    /// session's order unless a `T` and a time follow.
    Old,
    /// date, time, datetime2, datetimeoffset: an offset, `yyyy-mm-dd` always so; digits of a
    /// fraction beyond the seventh round.
    New,
}

/// What a text says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// Days since 0001-01-01; 1900-01-01 if the text has no date.
    pub days: i32,
    /// Units of 100 ns since midnight; 0 if the text has no time.
    pub ticks: i64,
    /// Offset from UTC in minutes, if the text has one.
    pub offset: Option<i16>,
}

/// Why a text is not a date.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParseError {
    /// It has no form that is known: error 241 (295 for smalldatetime).
    Syntax,
    /// There is no such day or time: error 242 for datetime and smalldatetime, else 241.
    Range,
}

/// Reads a date and time. `order` is the style's order of day, month and year if there is one.
pub fn parse(
    text: &str,
    dialect: Dialect,
    order: Option<DateOrder>,
    settings: &DateSettings,
) -> Result<Parsed, ParseError> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
    let (text, order) = match inside_odbc(text) {
        // ODBC's escapes have one order, whatever the session or the style says.
        Some(inner) => (inner, DateOrder::Ymd),
        None => (text, order.unwrap_or(settings.order)),
    };
    let mut reader = Reader {
        rest: text,
        dialect,
        order,
        settings,
        date: None,
        time: None,
        offset: None,
        month: None,
        numbers: [Number::default(); 3],
        count: 0,
    };
    reader.run()?;
    reader.finish()
}

/// The content of `{ts '…'}`, `{d '…'}` and `{t '…'}`.
fn inside_odbc(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    ["ts", "d", "t"].iter().find_map(|kind| {
        let rest = inner.get(..kind.len()).filter(|p| p.eq_ignore_ascii_case(kind))?;
        inner[rest.len()..].trim_start().strip_prefix('\'')?.strip_suffix('\'')
    })
}

/// A run of digits.
#[derive(Clone, Copy, Default)]
struct Number {
    value: i32,
    digits: usize,
}

struct Reader<'a> {
    rest: &'a str,
    dialect: Dialect,
    order: DateOrder,
    settings: &'a DateSettings,
    date: Option<Civil>,
    time: Option<i64>,
    offset: Option<i16>,
    /// A month that was named.
    month: Option<u32>,
    /// Numbers that go with it, or stand alone.
    numbers: [Number; 3],
    count: usize,
}

const SYNTAX: ParseError = ParseError::Syntax;

/// Digits that the fraction of a second may have: clients of other systems send nanoseconds.
const FRACTION_DIGITS_MAX: usize = 9;

impl Reader<'_> {
    fn run(&mut self) -> Result<(), ParseError> {
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',', '\t', '\n', '\r']);
            let Some(c) = self.rest.chars().next() else { return Ok(()) };
            if c.is_ascii_digit() {
                self.number_first()?;
            } else if c.is_alphabetic() {
                self.word()?;
            } else if matches!(c, '+' | '-') && self.time.is_some() {
                self.offset()?;
            } else if matches!(c, '-' | '/' | '.') && (self.month.is_some() || self.count > 0) {
                // Between the parts of a date with a month's name.
                self.rest = &self.rest[1..];
            } else {
                return Err(SYNTAX);
            }
        }
    }

    fn take_number(&mut self) -> Result<Number, ParseError> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || digits > 8 {
            return Err(SYNTAX);
        }
        let value = self.rest[..digits].parse().map_err(|_| SYNTAX)?;
        self.rest = &self.rest[digits..];
        Ok(Number { value, digits })
    }

    /// A number begins a time, a numeric date, or stands for itself.
    fn number_first(&mut self) -> Result<(), ParseError> {
        let number = self.take_number()?;
        let next = self.rest.bytes().next();
        if next == Some(b':') || meridiem(self.rest.trim_start()).is_some() {
            return self.time(number);
        }
        if let Some(separator @ (b'/' | b'-' | b'.')) = next {
            let digit_follows =
                self.rest[1..].trim_start().starts_with(|c: char| c.is_ascii_digit());
            if digit_follows && self.month.is_none() && self.count == 0 {
                return self.numeric_date(number, separator);
            }
        }
        if self.date.is_some() {
            return Err(SYNTAX);
        }
        let slot = self.numbers.get_mut(self.count).ok_or(SYNTAX)?;
        *slot = number;
        self.count += 1;
        Ok(())
    }

    /// The rest of `a/b/c` after `a`.
    fn numeric_date(&mut self, first: Number, separator: u8) -> Result<(), ParseError> {
        if self.date.is_some() {
            return Err(SYNTAX);
        }
        let mut parts = [first, Number::default(), Number::default()];
        for part in &mut parts[1..] {
            let rest = self.rest.trim_start();
            let after = rest
                .strip_prefix(['/', '-', '.'])
                .filter(|_| rest.as_bytes()[0] == separator)
                .ok_or(SYNTAX)?;
            self.rest = after.trim_start();
            *part = self.take_number()?;
        }
        let [a, b, c] = parts;
        let long = |n: Number| n.digits == 4;
        if parts.iter().any(|n| n.digits == 3 || n.digits > 4) {
            return Err(SYNTAX);
        }
        let iso_time = self.iso_time_marker();
        let month_first = self.order.month_first();
        let by_order = |x: Number, y: Number| if month_first { (x, y) } else { (y, x) };
        let (year, (month, day)) = match (long(a), long(b), long(c)) {
            (true, false, false) if self.dialect == Dialect::New => (a, (b, c)),
            (true, false, false) if iso_time && separator == b'-' => (a, (b, c)),
            (true, false, false) => (a, by_order(b, c)),
            (false, true, false) => (b, by_order(a, c)),
            (false, false, true) => (c, by_order(a, b)),
            (false, false, false) => match self.order {
                DateOrder::Mdy => (c, (a, b)),
                DateOrder::Dmy => (c, (b, a)),
                DateOrder::Ymd => (a, (b, c)),
                DateOrder::Ydm => (a, (c, b)),
                DateOrder::Myd => (b, (a, c)),
                DateOrder::Dym => (b, (c, a)),
            },
            _ => return Err(SYNTAX),
        };
        self.set_date(self.year(year), month.value as u32, day.value as u32)?;
        match self.dialect == Dialect::New && long(a) && separator == b'-' {
            true => self.zone_of_date(),
            false => Ok(()),
        }
    }

    /// The time zone that may follow an XML date at once: `2022-01-02Z`, `2022-01-02+02:00`.
    fn zone_of_date(&mut self) -> Result<(), ParseError> {
        match self.rest.as_bytes() {
            [b'Z' | b'z'] => {
                self.rest = "";
                self.offset = Some(0);
                Ok(())
            }
            [b'+' | b'-', ..] => self.offset(),
            _ => Ok(()),
        }
    }

    /// `T` between a date and a time: whether there is one.
    fn iso_time_marker(&mut self) -> bool {
        let after = self.rest.strip_prefix(['T', 't']);
        let after = after.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn year(&self, number: Number) -> i32 {
        match number.digits {
            1 | 2 => self.settings.full_year(number.value),
            _ => number.value,
        }
    }

    fn set_date(&mut self, year: i32, month: u32, day: u32) -> Result<(), ParseError> {
        if self.date.is_some() {
            return Err(SYNTAX);
        }
        self.date = Some(Civil::new(year, month, day).ok_or(ParseError::Range)?);
        Ok(())
    }

    /// A month's name, or what may follow a time.
    fn word(&mut self) -> Result<(), ParseError> {
        let end = self.rest.find(|c: char| !c.is_alphabetic()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.eq_ignore_ascii_case("z") && self.time.is_some() && self.offset.is_none() {
            self.offset = Some(0);
        } else if word.eq_ignore_ascii_case("t") && self.count == 1 && self.time.is_none() {
            // 19960415T14:30
        } else if self.month.is_none() && self.date.is_none() {
            self.month = Some(self.settings.language.month(word).ok_or(SYNTAX)?);
        } else {
            return Err(SYNTAX);
        }
        self.rest = rest;
        Ok(())
    }

    /// The rest of a time after its hour.
    fn time(&mut self, hour: Number) -> Result<(), ParseError> {
        if self.time.is_some() || self.offset.is_some() || hour.digits > 2 {
            return Err(SYNTAX);
        }
        let (mut minute, mut second, mut fraction) = (0, 0, 0);
        if let Some(after) = self.rest.strip_prefix(':') {
            self.rest = after;
            minute = self.two_digits()?;
            if let Some(after) = self.rest.strip_prefix(':') {
                self.rest = after;
                second = self.two_digits()?;
                fraction = self.fraction()?;
            }
        }
        let mut hour = i64::from(hour.value);
        let after = self.rest.trim_start();
        if let Some(afternoon) = meridiem(after) {
            self.rest = &after[2..];
            if hour > 12 && !afternoon {
                return Err(ParseError::Range);
            }
            hour = match (hour, afternoon) {
                (12, false) => 0,
                (12.., true) => hour,
                (_, true) => hour + 12,
                _ => hour,
            };
        }
        if hour > 23 || minute > 59 || second > 59 {
            return Err(ParseError::Range);
        }
        self.time = Some(
            hour * TICKS_PER_HOUR
                + minute * TICKS_PER_MINUTE
                + second * TICKS_PER_SECOND
                + fraction,
        );
        Ok(())
    }

    fn two_digits(&mut self) -> Result<i64, ParseError> {
        self.rest = self.rest.trim_start();
        let number = self.take_number()?;
        if number.digits > 2 { Err(SYNTAX) } else { Ok(i64::from(number.value)) }
    }

    /// `.9` is nine tenths, `:9` nine thousandths. Units of 100 ns.
    fn fraction(&mut self) -> Result<i64, ParseError> {
        if let Some(after) = self.rest.strip_prefix('.') {
            // A blank may stand after the point.
            self.rest = after.trim_start();
            return self.decimals();
        }
        if let Some(after) = self.rest.strip_prefix(':') {
            self.rest = after;
            let number = self.take_number()?;
            if number.digits > 3 {
                return Err(SYNTAX);
            }
            return Ok(i64::from(number.value) * 10_000);
        }
        Ok(0)
    }

    /// The digits after the point, as units of 100 ns.
    fn decimals(&mut self) -> Result<i64, ParseError> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (limit, read) = match self.dialect {
            Dialect::Old => (3, digits),
            Dialect::New => (FRACTION_DIGITS_MAX, digits.min(7)),
        };
        if digits == 0 || digits > limit {
            return Err(SYNTAX);
        }
        let (text, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let value: i64 = text[..read].parse().map_err(|_| SYNTAX)?;
        let rounded_up = text.as_bytes().get(read).is_some_and(|next| *next >= b'5');
        Ok(value * 10i64.pow(7 - read as u32) + i64::from(rounded_up))
    }

    fn offset(&mut self) -> Result<(), ParseError> {
        if self.offset.is_some() || self.dialect == Dialect::Old {
            return Err(SYNTAX);
        }
        let length = self.rest.find(' ').unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(length);
        self.offset = Some(parse_offset(text)?);
        self.rest = rest;
        Ok(())
    }

    fn finish(mut self) -> Result<Parsed, ParseError> {
        match (self.month, self.count) {
            (None, 0) => {}
            (None, 1) => self.without_separators()?,
            (None, _) => return Err(SYNTAX),
            (Some(month), count) => self.with_named_month(month, count)?,
        }
        Ok(Parsed {
            days: self.date.map_or(DAYS_1900, Civil::days),
            ticks: self.time.unwrap_or(0),
            offset: self.offset,
        })
    }

    fn without_separators(&mut self) -> Result<(), ParseError> {
        let Number { value, digits } = self.numbers[0];
        let (month, day) = ((value / 100 % 100) as u32, (value % 100) as u32);
        match digits {
            8 => self.set_date(value / 10_000, month, day),
            6 => self.set_date(self.settings.full_year(value / 10_000), month, day),
            4 => self.set_date(value, 1, 1),
            _ => Err(SYNTAX),
        }
    }

    fn with_named_month(&mut self, month: u32, count: usize) -> Result<(), ParseError> {
        let [first, second, _] = self.numbers;
        let (year, day) = match count {
            1 if first.digits == 4 => (first, 1),
            2 if first.digits == 4 && second.digits <= 2 => (first, second.value),
            2 if first.digits <= 2 => (second, first.value),
            _ => return Err(SYNTAX),
        };
        if year.digits == 3 || year.digits > 4 {
            return Err(SYNTAX);
        }
        self.set_date(self.year(year), month, day as u32)
    }
}

/// Whether the text begins with `AM` (false) or `PM` (true).
fn meridiem(text: &str) -> Option<bool> {
    let word = text.get(..2)?;
    let ends = !text[2..].starts_with(|c: char| c.is_alphanumeric());
    if !ends {
        None
    } else if word.eq_ignore_ascii_case("am") {
        Some(false)
    } else if word.eq_ignore_ascii_case("pm") {
        Some(true)
    } else {
        None
    }
}

/// `+hh:mm`, `-hh:mm`, at most 14 hours; in minutes.
pub fn parse_offset(text: &str) -> Result<i16, ParseError> {
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        _ => return Err(SYNTAX),
    };
    let (hours, minutes) = rest.split_once(':').ok_or(SYNTAX)?;
    let number = |text: &str| {
        let fine = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i16>().ok().filter(|_| fine).ok_or(SYNTAX)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let total = hours * 60 + minutes;
    if minutes > 59 || total > 840 {
        return Err(ParseError::Range);
    }
    Ok(sign * total)
}

#[cfg(test)]
mod tests;
